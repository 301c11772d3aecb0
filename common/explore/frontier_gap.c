/* frontier_gap.c - the way to an opening that cannot be reached: how wide it is where it is narrowest.
 *
 * From all floor that is reached the known free floor beyond is flooded, cells with the most room first. So each is come to over
 * the way whose narrowest place is the widest (the maximum capacity route, Hu 1961), and that place is carried along. */
#include "common/explore/frontier_private.h"

#include <string.h>

#define NONE UINT32_MAX
#define LEVELS_MAX 10000 /* squared cells; bound is 100 at most */

/* Cells to be spread from, by their way's room: lists that f->label links. */
struct levels {
	uint32_t head[LEVELS_MAX + 1];
	int top;
};

static bool is_reached(const struct cairn_frontier_finder *f, uint32_t at)
{
	uint32_t w = (uint32_t)f->wave.width;
	return cairn_wavefront_distance(&f->wave, (int32_t)(at % w), (int32_t)(at / w)) !=
	       CAIRN_WAVEFRONT_NEVER;
}

/* room2: of the way that leads to the cell at, over that place. */
static void visit(
    struct cairn_frontier_finder *f, struct levels *l, uint32_t at, int room2, uint32_t narrowest)
{
	int own2 = f->wave.clearance2[at];
	bool narrower = own2 < room2;
	int level = narrower ? own2 : room2;
	f->scratch[at] = 1;
	f->parent[at] = narrower ? at : narrowest;
	f->label[at] = l->head[level];
	l->head[level] = at;
	l->top = level > l->top ? level : l->top;
}

static bool may_visit(const struct cairn_frontier_finder *f, uint32_t at)
{
	return f->wave.cell[at] == CAIRN_WAVEFRONT_FREE && !f->scratch[at] && !is_reached(f, at);
}

/* Free cells beside what is reached; the frame has none. */
static void begin(struct cairn_frontier_finder *f, struct levels *l)
{
	const int32_t w = f->wave.width, h = f->wave.height, step[4] = {1, -1, w, -w};
	for (int32_t y = 1; y < h - 1; y++)
		for (int32_t x = 1; x < w - 1; x++) {
			uint32_t at = (uint32_t)(y * w + x);
			if (!may_visit(f, at))
				continue;
			for (int k = 0; k < 4; k++)
				if (is_reached(f, (uint32_t)((int32_t)at + step[k]))) {
					visit(f, l, at, f->wave.need2, NONE);
					break;
				}
		}
}

static void spread(struct cairn_frontier_finder *f, struct levels *l)
{
	const int32_t w = f->wave.width, step[4] = {1, -1, w, -w};
	for (int level = l->top; level > 0; level = l->top) {
		uint32_t at = l->head[level];
		if (at == NONE) {
			l->top--;
			continue;
		}
		l->head[level] = f->label[at];
		f->label[at] = NONE;
		for (int k = 0; k < 4; k++) {
			uint32_t to = (uint32_t)((int32_t)at + step[k]);
			if (may_visit(f, to))
				visit(f, l, to, level, f->parent[at]);
		}
	}
}

/* The narrowest place on the way to the opening, over the widest of its cells. */
static uint32_t narrowest_of(const struct cairn_frontier_finder *f, const struct cairn_frontier_found *found)
{
	uint32_t best = NONE;
	for (uint32_t i = 0; i < found->cell_count; i++) {
		uint32_t at = found->cells[i].index;
		if (!f->scratch[at] || f->parent[at] == NONE)
			continue;
		if (best == NONE || f->wave.clearance2[f->parent[at]] > f->wave.clearance2[best])
			best = f->parent[at];
	}
	return best;
}

void cairn_frontier_gaps(struct cairn_frontier_finder *f)
{
	static const struct levels none = {.top = 0};
	struct levels l = none;
	bool some = false;
	for (uint32_t i = 0; i < f->found_count; i++)
		some |= f->found[i].msg.distance_m < 0.0;
	if (!some || f->wave.need2 > LEVELS_MAX)
		return;
	memset(l.head, 0xFF, ((size_t)f->wave.need2 + 1) * sizeof(l.head[0]));
	memset(f->scratch, 0, (size_t)f->wave.width * (size_t)f->wave.height);
	begin(f, &l);
	spread(f, &l);
	for (uint32_t i = 0; i < f->found_count; i++) {
		struct cairn_msg_frontier *m = &f->found[i].msg;
		uint32_t at = m->distance_m < 0.0 ? narrowest_of(f, &f->found[i]) : NONE;
		if (at == NONE)
			continue;
		uint32_t w = (uint32_t)f->wave.width;
		m->gap_m = 2.0 * sqrt(f->wave.clearance2[at]) * f->cell_m;
		m->gap_x_m = ((int32_t)(at % w) + f->cx0 + 0.5) * f->cell_m;
		m->gap_y_m = ((int32_t)(at / w) + f->cy0 + 0.5) * f->cell_m;
	}
}
