#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/prefault.h"
#include "common/plan/hybrid_private.h"

#define AHEAD_BLOCKS                                                                                         \
	5           /* so far down the field the way is looked for: half a metre, about what a turn takes */
#define WEIGHT 1.5f /* of turning: there is seldom room to turn at once */
#define COURSE_UNKNOWN 255
#define COURSE_NONE 254 /* the goal, or nothing is known of the neighbours */
_Static_assert(HYBRID_HEADINGS < COURSE_NONE, "all headings have a number");

int hybrid_course_reserve(struct cairn_hybrid *h)
{
	struct hybrid_course *c = &h->course;
	if (c->capacity >= h->field.capacity)
		return 0;
	uint8_t *heading = malloc(h->field.capacity);
	if (heading == NULL)
		return -ENOMEM;
	cairn_prefault_touch(heading, h->field.capacity);
	free(c->heading);
	c->heading = heading;
	c->capacity = h->field.capacity;
	return 0;
}

/* Turning through a on the tightest arc of radius r takes r a and brings r sin(a) on; backing through the first half of it
 * and going on forward brings 2 r sin(a / 2) at most, half of it costs what backing does, and the change of direction costs
 * too. Turning in place costs what it costs. */
void hybrid_course_begin(struct cairn_hybrid *h)
{
	const double r = h->p.turn_radius_m / h->cm->cell_m;
	for (int k = 0; k < HYBRID_HEADINGS; k++) {
		double a =
		    2.0 * M_PI / HYBRID_HEADINGS * (k <= HYBRID_HEADINGS / 2 ? k : HYBRID_HEADINGS - k);
		double ahead = r * (a - sin(a));
		double back_first =
		    r * (0.5 * (1.0 + h->p.reverse_factor) * a - 2.0 * sin(0.5 * a)) + (double)h->switch_cost;
		h->course.turn[k] = WEIGHT * (float)fmin(ahead, back_first);
		if (h->p.spin_m_per_rad > 0.0)
			h->course.turn[k] =
			    fminf(h->course.turn[k], (float)(h->p.spin_m_per_rad * a / h->cm->cell_m));
	}
	memset(h->course.heading, COURSE_UNKNOWN, (size_t)h->field.stride * (size_t)(h->field.height + 2));
}

/* The neighbour of a block with the least to go; the block itself when it has that. Those that the field has not come to yet
 * have more. */
static int next_block(const struct cairn_cost_field *f, int block)
{
	int best = block;
	for (int row = block - f->stride; row <= block + f->stride; row += f->stride)
		for (int at = row - 1; at <= row + 1; at++) /* of the border none has anything to go */
			if (f->to_go[at] < f->to_go[best])
				best = at;
	return best;
}

static uint8_t find_heading(const struct cairn_hybrid *h, int block)
{
	const struct cairn_cost_field *f = &h->field;
	int at = block;
	for (int i = 0; i < AHEAD_BLOCKS; i++)
		at = next_block(f, at);
	if (at == block)
		return COURSE_NONE;
	double yaw_rad = atan2(at / f->stride - block / f->stride, at % f->stride - block % f->stride);
	double bins = (yaw_rad - h->query->start.yaw_rad) * (HYBRID_HEADINGS / (2.0 * M_PI));
	int bin = (int)lrint(fmod(bins, HYBRID_HEADINGS));
	return (uint8_t)((bin + HYBRID_HEADINGS) % HYBRID_HEADINGS);
}

float hybrid_course_cost(struct cairn_hybrid *h, int x, int y, int heading, float to_go)
{
	int block = cairn_cost_field_block(&h->field, x, y);
	uint8_t *course = &h->course.heading[block];
	if (*course == COURSE_UNKNOWN)
		*course = find_heading(h, block);
	if (*course == COURSE_NONE)
		return 0.0f;
	int off = heading - *course;
	float turn = h->course.turn[off < 0 ? off + HYBRID_HEADINGS : off] *
		     cairn_costmap_cost(h->cm, y * h->cm->width + x);
	float back = (float)(h->p.reverse_factor - 1.0) * to_go;
	return turn < back ? turn : back;
}
