/* frontier_memory.c - which openings were there before, and which of them the robot has looked into in vain. */
#include "common/explore/frontier_private.h"

#include <stdlib.h>

#define SAME_M 0.5                /* a frontier that moved less is the same one */
#define FORGET_UPDATES 20         /* gone for so long, its id is not given again */
#define FORGET_BLIND_UPDATES 1200 /* the same of one that shows nothing: it would be gone to again */
#define STARE_UPDATES 8           /* stood before it for so long in vain: it shows nothing */
#define STARE_M 1.5
#define STAND_M 0.35
#define STARE_COSINE 0.35 /* the edge of a shadow that starts beside the robot hides what is behind it */
#define STARE_SAMPLES 12

struct pair {
	uint16_t found, known;
	float distance_m;
};

static int by_distance(const void *a, const void *b)
{
	float x = ((const struct pair *)a)->distance_m, y = ((const struct pair *)b)->distance_m;
	return x < y ? -1 : x > y;
}

/* Can the robot at window cell (rx, ry) see the unknown side of most of the opening? Then scans should have
 * filled it. */
static bool in_plain_sight(
    const struct cairn_frontier_finder *f, const struct cairn_frontier_found *found, int32_t rx, int32_t ry)
{
	int32_t w = f->wave.width;
	if (rx < 0 || ry < 0 || rx >= w || ry >= f->wave.height)
		return false;
	uint32_t samples = found->cell_count < STARE_SAMPLES ? found->cell_count : STARE_SAMPLES, seen = 0;
	for (uint32_t i = 0; i < samples; i++) {
		int32_t at = (int32_t)found->cells[i * found->cell_count / samples].index;
		const int32_t next[4] = {at - 1, at + 1, at - w, at + w};
		bool sight = false;
		for (int k = 0; k < 4 && !sight; k++)
			sight = f->wave.cell[next[k]] == CAIRN_WAVEFRONT_UNKNOWN &&
				cairn_frontier_sight(f, rx, ry, next[k] % w, next[k] / w);
		seen += sight;
	}
	return 2 * seen > samples;
}

static void stare(const struct cairn_frontier_finder *f, struct cairn_frontier_found *found,
    struct cairn_frontier_known *known, struct cairn_pose2 pose, bool looking)
{
	const struct cairn_msg_frontier *m = &found->msg;
	bool still = hypot(known->at.x_m - m->x_m, known->at.y_m - m->y_m) <= 1.5 * f->cell_m &&
		     abs((int32_t)m->cells - (int32_t)known->cells) <= 2;
	bool near = hypot(m->x_m - pose.x_m, m->y_m - pose.y_m) <= STARE_M;
	bool at_stand =
	    m->distance_m >= 0.0 && hypot(m->goal_x_m - pose.x_m, m->goal_y_m - pose.y_m) <= STAND_M;
	int32_t rx = (int32_t)floor(pose.x_m / f->cell_m) - f->cx0,
		ry = (int32_t)floor(pose.y_m / f->cell_m) - f->cy0;
	bool into = cairn_frontier_look(found->outward, rx, ry, found->mid_x, found->mid_y) >= STARE_COSINE;
	if (!still)
		known->stared = 0;
	else if (looking && into && known->stared < STARE_UPDATES && (at_stand || near))
		known->stared += at_stand                           ? 2
				 : in_plain_sight(f, found, rx, ry) ? 1
								    : 0; /* no place is better */
	found->blind = known->stared >= STARE_UPDATES;
}

void cairn_frontier_forget(struct cairn_frontier_memory *memory)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < memory->count; i++) {
		const struct cairn_frontier_known *known = &memory->items[i];
		if (memory->update - known->seen <=
		    (known->stared >= STARE_UPDATES ? FORGET_BLIND_UPDATES : FORGET_UPDATES))
			memory->items[kept++] = *known;
	}
	memory->count = kept;
}

void cairn_frontier_remember(struct cairn_frontier_finder *f, struct cairn_frontier_memory *memory,
    struct cairn_pose2 pose, bool looking)
{
	struct pair pairs[1024];
	size_t pair_count = 0;
	for (uint32_t i = 0; i < f->found_count; i++) {
		for (uint32_t k = 0; k < memory->count && pair_count < 1024; k++) {
			double dx = f->found[i].msg.x_m - memory->items[k].at.x_m;
			double dy = f->found[i].msg.y_m - memory->items[k].at.y_m,
			       d = sqrt(dx * dx + dy * dy);
			if (d <= SAME_M)
				pairs[pair_count++] = (struct pair){(uint16_t)i, (uint16_t)k, (float)d};
		}
	}
	qsort(pairs, pair_count, sizeof(pairs[0]), by_distance);
	for (size_t p = 0; p < pair_count; p++) {
		struct cairn_frontier_found *found = &f->found[pairs[p].found];
		struct cairn_frontier_known *known = &memory->items[pairs[p].known];
		if (found->msg.id != 0 || known->seen == memory->update)
			continue;
		found->msg.id = known->id;
		stare(f, found, known, pose, looking);
		*known = (struct cairn_frontier_known){known->id, {found->msg.x_m, found->msg.y_m},
		    found->msg.cells, memory->update, known->stared};
	}
}

void cairn_frontier_number(struct cairn_frontier_finder *f, struct cairn_frontier_memory *memory)
{
	for (uint32_t i = 0; i < f->found_count; i++) {
		struct cairn_msg_frontier *m = &f->found[i].msg;
		if (m->id != 0)
			continue;
		m->id = ++memory->next_id;
		if (memory->count < sizeof(memory->items) / sizeof(memory->items[0]))
			memory->items[memory->count++] = (struct cairn_frontier_known){
			    m->id, {m->x_m, m->y_m}, m->cells, memory->update, 0};
	}
}
