#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/prefault.h"
#include "common/plan/hybrid_private.h"

#define ROUNDING_M 1e-4 /* more than single precision loses of a distance that counts */

/* ---- collision ---- */

typedef double real4 __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));
typedef int32_t whole4 __attribute__((vector_size(16)));
_Static_assert(HYBRID_PLACES == 4, "as these types have");

/* A place and a direction. */
struct axis {
	double x_m, y_m, c, s;
};

/* cairn_costmap_index of places along an axis, all at once. False where one of them is not on the map. */
static inline bool places_on(const struct cairn_costmap *cm, const struct axis *a,
    const double along_m[HYBRID_PLACES], int32_t ret_index[HYBRID_PLACES])
{
	real4 along;
	memcpy(&along, along_m, sizeof(along));
	real4 x = (a->x_m + a->c * along - cm->origin_x_m) * cm->cells_per_m;
	real4 y = (a->y_m + a->s * along - cm->origin_y_m) * cm->cells_per_m;
	mask4 on = (x >= 0.0) & (y >= 0.0) & (x < (double)cm->width) & (y < (double)cm->height);
	if ((on[0] & on[1] & on[2] & on[3]) == 0)
		return false;
	whole4 index = __builtin_convertvector(y, whole4) * cm->width + __builtin_convertvector(x, whole4);
	memcpy(ret_index, &index, sizeof(index));
	return true;
}

/* Squared distances, in cells, from the places to the obstacle nearest to each; far off the map. */
static inline void squares_from(const struct cairn_hybrid *h, const struct axis *a,
    const double along_m[HYBRID_PLACES], int32_t ret_square[HYBRID_PLACES])
{
	int32_t index[HYBRID_PLACES];
	if (!places_on(h->cm, a, along_m, index))
		for (int i = 0; i < HYBRID_PLACES; i++)
			index[i] = cairn_costmap_index(
			    h->cm, a->x_m + a->c * along_m[i], a->y_m + a->s * along_m[i]);
	for (int i = 0; i < HYBRID_PLACES; i++)
		ret_square[i] = index[i] < 0 ? UINT16_MAX : h->room.square[index[i]];
}

/* The least of those behind the first, which is the pose's own. */
static inline int32_t nearest_of(const int32_t square[HYBRID_PLACES])
{
	int32_t least = square[1] < square[2] ? square[1] : square[2];
	return least < square[3] ? least : square[3];
}

/* What a place costs by the nearest obstacle alone. */
static inline float near_cost(const struct cairn_costmap *cm, int32_t square)
{
	return cairn_costmap_near(cm, sqrtf((float)square) * cm->rate.cell_m);
}

double hybrid_bare_clearance(const struct cairn_hybrid *h, const struct cairn_pose2 *pose)
{
	struct cairn_rect bare = cairn_rect_around(&h->p.body, 0.0);
	return cairn_costmap_clearance(h->cm, pose, &bare, h->p.lead_m + h->cm->cell_m);
}

/* Would the body, backing or turning in place, come onto floor that the depth camera never saw? The border of that is laid on
 * like obstacles. */
static bool over_unseen(
    struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s, enum hybrid_way way)
{
	return way != HYBRID_FORWARD && h->cm->unseen.x1 > h->cm->unseen.x0 &&
	       !cairn_footprint_masks_fit(
		   way == HYBRID_BACKWARD ? &h->behind : &h->around, h->cm, &h->unseen, pose, c, s);
}

/* By the distance transform at the circles of the travelling footprint (lead in the direction of motion), and
 * of the body for what the cost looks at. */
void hybrid_pose_look(const struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    enum hybrid_way way, struct hybrid_look *ret_look)
{
	const struct cairn_costmap *cm = h->cm;
	const struct hybrid_cover *cover = &h->cover[way];
	const struct axis axis = {pose->x_m, pose->y_m, c, s};
	int32_t square[HYBRID_PLACES];
	int index = cairn_costmap_index(cm, pose->x_m, pose->y_m);
	ret_look->index = index;
	ret_look->factor = 0.0f;
	ret_look->room = HYBRID_BLOCKED;
	if (index < 0)
		return;
	ret_look->room = HYBRID_FITS;
	if (h->room.square[index] >=
	    h->open2) { /* nothing that any part of the body could feel, nor the cost */
		ret_look->factor = cairn_costmap_dearer(cm, index, 1.0f);
		return;
	}
	squares_from(h, &axis, h->body_x_m, square);
	int32_t body = nearest_of(square), nearest = body < square[0] ? body : square[0];
	/* What is nearest to any of them costs most. */
	float near = nearest < HYBRID_NEAR ? h->room.near[nearest] : near_cost(cm, nearest);
	ret_look->factor = cairn_costmap_dearer(cm, index, near);
	if (body >= cover->body_clear2)
		return;
	squares_from(h, &axis, cover->x_m, square);
	int32_t lead = nearest_of(square);
	if (lead < cover->clear2)
		ret_look->room =
		    body < h->inscribed2 || lead < cover->blocked2 ? HYBRID_BLOCKED : HYBRID_PERHAPS;
}

float hybrid_pose_settle(struct cairn_hybrid *h, const struct hybrid_look *look,
    const struct cairn_pose2 *pose, double c, double s, enum hybrid_way way, float escaping,
    float *ret_escaping)
{
	*ret_escaping = NAN;
	if (look->index < 0 || over_unseen(h, pose, c, s, way))
		return 0.0f;
	if (look->room == HYBRID_FITS ||
	    (look->room == HYBRID_PERHAPS &&
		cairn_footprint_masks_fit(&h->cover[way].stamps, h->cm, &h->obstacles, pose, c, s)))
		return look->factor;
	if (isnan(escaping))
		return 0.0f;
	double room = hybrid_bare_clearance(h, pose);
	if (room < (double)escaping - 0.002)
		return 0.0f;
	*ret_escaping = (float)room;
	return look->factor + (float)h->cm->params.near_cost;
}

float hybrid_pose_factor(struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    enum hybrid_way way, float escaping, float *ret_escaping)
{
	struct hybrid_look look;
	hybrid_pose_look(h, pose, c, s, way, &look);
	return hybrid_pose_settle(h, &look, pose, c, s, way, escaping, ret_escaping);
}

/* ---- set-up ---- */

int hybrid_room_reserve(struct cairn_hybrid *h)
{
	if (h->room.capacity >= h->cm->capacity)
		return 0;
	uint16_t *square = malloc(h->cm->capacity * sizeof(*square));
	if (square == NULL)
		return -ENOMEM;
	cairn_prefault_touch(square, h->cm->capacity * sizeof(*square));
	free(h->room.square);
	h->room.square = square;
	h->room.capacity = h->cm->capacity;
	return 0;
}

static bool same_rate(const struct cairn_costmap_rate *a, const struct cairn_costmap_rate *b)
{
	return a->inflation_m == b->inflation_m && a->span_m == b->span_m && a->peak == b->peak &&
	       a->cell_m == b->cell_m;
}

void hybrid_room_begin(struct cairn_hybrid *h)
{
	struct hybrid_room *r = &h->room;
	const float *restrict dist = h->cm->dist, most = 255.0f;
	uint16_t *restrict square = r->square;
	const size_t cells = (size_t)h->cm->width * (size_t)h->cm->height;
	for (size_t i = 0; i < cells; i++) {
		float d = dist[i] < most ? dist[i] : most;
		square[i] = (uint16_t)(int32_t)(d * d + 0.5f); /* whole, but for what the root has lost */
	}
	if (same_rate(&r->rate, &h->cm->rate))
		return;
	for (int32_t i = 0; i < HYBRID_NEAR; i++)
		r->near[i] = near_cost(h->cm, i);
	r->rate = h->cm->rate;
}

/* The least squared distance whose root, in cells or times cell_m, is not less than this; no more than is
 * kept of the farthest. */
static int32_t least_square(float distance, float cell_m)
{
	float cells = distance / cell_m;
	int32_t n = cells > 1.0f ? (int32_t)((cells - 1.0f) * (cells - 1.0f)) : 0;
	while (n < 255 * 255 && sqrtf((float)n) * cell_m < distance)
		n++;
	return n;
}

bool hybrid_make_covers(struct cairn_hybrid *h)
{
	bool ok = true;
	const struct cairn_hybrid_params *p = &h->p;
	const double cell = h->cm->cell_m;
	const float cell_m = h->cm->rate.cell_m;
	double w = p->body.half_width_m + p->clearance_m;
	for (int way = 0; way < HYBRID_WAYS; way++) {
		struct hybrid_cover *cover = &h->cover[way];
		double front = p->body.front_m + (way == HYBRID_FORWARD ? p->lead_m : p->clearance_m);
		double rear = p->body.rear_m + (way == HYBRID_BACKWARD ? p->lead_m : p->clearance_m);
		double part = (front + rear) / 3.0;
		cover->rect = (struct cairn_rect){front, rear, w, w};
		ok = cairn_footprint_masks_start(&cover->stamps, &cover->rect, cell) == 0 && ok;
		for (int i = 0; i < 3; i++)
			cover->x_m[1 + i] = -rear + ((double)i + 0.5) * part;
		/* Half a cell for the disc, half a diagonal for the place of the query in its cell. */
		cover->clear2 =
		    least_square((float)(hypot(0.5 * part, w) + 0.5 * cell + M_SQRT1_2 * cell), cell_m);
		cover->blocked2 = least_square(
		    (float)(fmin(0.5 * part, w) + 0.5 * cell - M_SQRT1_2 * cell - ROUNDING_M), cell_m);
	}
	double beside =
	    0.5 *
	    p->clearance_m; /* between what the motor stage insists on and what is had on one's own track */
	struct cairn_rect behind = {p->body.front_m + beside, p->body.rear_m + p->lead_m,
	    p->body.half_width_m + beside, p->body.half_width_m + beside};
	ok = cairn_footprint_masks_start(&h->behind, &behind, cell) == 0 && ok;
	struct cairn_rect around = cairn_rect_around(&p->body, beside);
	ok = cairn_footprint_masks_start(&h->around, &around, cell) == 0 && ok;
	double reach = fmax(p->body.front_m, p->body.rear_m) + fmax(p->lead_m, h->cm->params.inflation_m) + w;
	h->open2 = least_square((float)(reach / cell + 2.0), 1.0f);
	double part = (p->body.front_m + p->body.rear_m) / 3.0;
	for (int i = 0; i < 3; i++)
		h->body_x_m[1 + i] = -p->body.rear_m + ((double)i + 0.5) * part;
	for (int way = 0; way < HYBRID_WAYS; way++) {
		const struct cairn_rect *r = &h->cover[way].rect;
		double corner =
		    fmax(hypot(r->front_m - h->body_x_m[3], w), hypot(-r->rear_m - h->body_x_m[1], w));
		corner = fmax(corner, hypot(0.5 * part, w)); /* between two of them */
		h->cover[way].body_clear2 =
		    least_square((float)(corner + 0.5 * cell + M_SQRT1_2 * cell + ROUNDING_M), cell_m);
	}
	double inner = fmin(0.5 * part, p->body.half_width_m);
	h->inscribed2 = least_square((float)(inner + 0.5 * cell - M_SQRT1_2 * cell), cell_m);
	h->field_radius_m =
	    fmin(p->body.half_width_m, p->body.rear_m) + p->clearance_m + 0.5 * cell - M_SQRT1_2 * cell;
	return ok;
}
