/* frontier_hidden.c - floor that no opening leads to.
 *
 * What makes an opening is how much of its edge is wide, and that misses floor that the robot fits on: behind
 * an open leaf, say, the known floor in front of a slanting edge runs out into a wedge, and all but its blunt
 * end counts as a strip too narrow to enter. So before an exploration ends the question is asked the other way
 * round: where could the robot's circle stand, by all that is known, if what is unknown were floor, and what
 * unknown floor would it cover there? A piece of mission.hidden_min_m2 or more whose edge is as wide as any
 * opening has to be and is not beside one is one, narrow strip or not. Of the unknown, slits count down to half
 * the width that openings ask for: those that are left along walls past a door's jamb are narrow, and slanting
 * ones seem narrower to a square than they are. The circle is up to a cell larger than
 * elsewhere: most of what would just fit proves to be furniture seen from one side. */
#include "common/explore/frontier_private.h"

#include <stdlib.h>
#include <string.h>

#define DEEP_M 1.0 /* places to stand are followed so far into the unknown */

enum { LISTED = 1, PLACE = 2, BIG = 4, SMALL = 8, NOW = 16, COVERED = 32, BARE = 64 };

static void note(struct cairn_frontier_finder *f, uint32_t at, uint8_t what)
{
	if (f->flood[at] == 0)
		f->flooded[f->flooded_count++] = at;
	f->flood[at] |= what;
}

static bool inside(const struct cairn_frontier_finder *f, int32_t x, int32_t y, int32_t by)
{
	return x >= by && y >= by && x < f->wave.width - by && y < f->wave.height - by;
}

/* Room for the robot, if what is unknown is floor. */
static bool has_room(const struct cairn_frontier_finder *f, uint32_t at)
{
	return f->wave.cell[at] <= CAIRN_WAVEFRONT_FREE && f->wave.clearance2[at] >= f->room * f->room;
}

/* Room, and on floor known to be reached. */
static bool reached(const struct cairn_frontier_finder *f, int32_t x, int32_t y)
{
	return cairn_wavefront_distance(&f->wave, x, y) != CAIRN_WAVEFRONT_NEVER &&
	       has_room(f, (uint32_t)(y * f->wave.width + x));
}

/* The places reached from which the circle covers (x, y). */
static void begin_at(struct cairn_frontier_finder *f, int32_t x, int32_t y)
{
	for (int32_t dy = -f->room; dy <= f->room; dy++) {
		for (int32_t dx = -f->room; dx <= f->room; dx++) {
			uint32_t at = (uint32_t)((y + dy) * f->wave.width + x + dx);
			if (dx * dx + dy * dy >= f->room * f->room || (f->flood[at] & PLACE) ||
			    !reached(f, x + dx, y + dy))
				continue;
			note(f, at, PLACE);
			f->queue[f->queued++] = at;
		}
	}
}

/* From the places in the queue on over those that the robot has room at and nobody can know it reaches. */
static void spread_places(struct cairn_frontier_finder *f)
{
	const int32_t w = f->wave.width, step_x[4] = {1, -1, 0, 0}, step_y[4] = {0, 0, 1, -1};
	int rings = (int)(DEEP_M / f->cell_m);
	for (uint32_t next = 0; rings > 0; rings--) {
		for (uint32_t end = f->queued; next < end; next++) {
			int32_t x = (int32_t)f->queue[next] % w, y = (int32_t)f->queue[next] / w;
			for (int k = 0; k < 4; k++) {
				int32_t u = x + step_x[k], v = y + step_y[k];
				uint32_t to = (uint32_t)(v * w + u);
				if (!inside(f, u, v, 1) || (f->flood[to] & PLACE) || !has_room(f, to) ||
				    reached(f, u, v))
					continue;
				note(f, to, PLACE);
				f->queue[f->queued++] = to;
			}
		}
	}
}

/* Would the robot cover this cell somewhere? */
static bool covered(const struct cairn_frontier_finder *f, int32_t x, int32_t y)
{
	for (int32_t dy = -f->room; dy <= f->room; dy++) {
		for (int32_t dx = -f->room; dx <= f->room; dx++) {
			if (dx * dx + dy * dy < f->room * f->room &&
			    ((f->flood[(y + dy) * f->wave.width + x + dx] & PLACE) ||
				reached(f, x + dx, y + dy)))
				return true;
		}
	}
	return false;
}

/* The same of a cell away from the frame, once all places are known; asked again by each of its neighbours,
 * found out once. */
static bool would_cover(struct cairn_frontier_finder *f, uint32_t at)
{
	if (!(f->flood[at] & (COVERED | BARE))) {
		int32_t x = (int32_t)at % f->wave.width, y = (int32_t)at / f->wave.width;
		note(f, at, inside(f, x, y, f->room + 1) && covered(f, x, y) ? COVERED : BARE);
	}
	return (f->flood[at] & COVERED) != 0;
}

/* Is the unknown floor around this cell that the robot would cover large enough? Floods at most limit cells.
 */
static bool is_large(struct cairn_frontier_finder *f, uint32_t seed, uint32_t limit)
{
	const int32_t w = f->wave.width, step[4] = {1, -1, w, -w};
	if (f->flood[seed] & (BIG | SMALL))
		return (f->flood[seed] & BIG) != 0;
	uint32_t count = 0;
	bool large = false;
	if (would_cover(f, seed)) {
		note(f, seed, NOW);
		f->queue[count++] = seed;
	}
	for (uint32_t next = 0; next < count && !large; next++) {
		large = count >= limit;
		for (int k = 0; k < 4 && !large; k++) {
			uint32_t to = (uint32_t)((int32_t)f->queue[next] + step[k]);
			if (!f->unknown[to] || (f->flood[to] & (NOW | SMALL)) || !would_cover(f, to))
				continue;
			large = (f->flood[to] & BIG) != 0;
			if (large)
				continue;
			note(f, to, NOW);
			f->queue[count++] = to;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		f->flood[f->queue[i]] = (uint8_t)((f->flood[f->queue[i]] & ~NOW) | (large ? BIG : SMALL));
	return large;
}

/* Free cells with an unknown neighbour among the four that no opening has, away from the frame; into scratch. */
static void mark_faint(struct cairn_frontier_finder *f)
{
	const int32_t w = f->wave.width, h = f->wave.height, margin = f->room + 2;
	memset(f->scratch, 0, (size_t)w * (size_t)h);
	for (int32_t y = margin; y < h - margin; y++) {
		size_t row = (size_t)y * (size_t)w;
		const uint8_t *restrict cell = f->wave.cell + row, *u = f->unknown + row,
					*flood = f->flood + row;
		uint8_t *restrict faint = f->scratch + row;
		for (int32_t x = margin; x < w - margin; x++)
			faint[x] = (uint8_t)((cell[x] == CAIRN_WAVEFRONT_FREE) & !(flood[x] & LISTED) &
					     (u[x - 1] | u[x + 1] | u[x - w] | u[x + w]));
	}
}

/* The next of them from p on, or NULL. */
static const uint8_t *next_cell(const struct cairn_frontier_finder *f, const uint8_t *p)
{
	const uint8_t *end = f->scratch + (size_t)f->wave.width * (size_t)f->wave.height;
	return memchr(p, 1, (size_t)(end - p));
}

/* The edges of large hidden floor, into edge and sorted. */
static void find_edges(struct cairn_frontier_finder *f, double least_m2)
{
	const uint32_t w = (uint32_t)f->wave.width,
		       limit = (uint32_t)ceil(least_m2 / (f->cell_m * f->cell_m));
	f->queued = 0;
	mark_faint(f);
	for (const uint8_t *p = f->scratch; (p = next_cell(f, p)) != NULL; p++) {
		uint32_t at = (uint32_t)(p - f->scratch);
		begin_at(f, (int32_t)(at % w), (int32_t)(at / w));
	}
	if (f->queued == 0)
		return;
	spread_places(f);
	for (const uint8_t *p = f->scratch; (p = next_cell(f, p)) != NULL; p++) {
		uint32_t at = (uint32_t)(p - f->scratch);
		const uint32_t next[4] = {at - 1, at + 1, at - w, at + w};
		bool large = false;
		for (int k = 0; k < 4 && !large; k++)
			large = f->unknown[next[k]] && is_large(f, next[k], limit);
		f->edge[at] = large;
		if (large)
			f->sorted[f->cell_count++].index = at;
	}
}

/* What belongs to the openings is put aside, or taken back: their cells, and the unknown as it counts for them. */
static void swap_aside(struct cairn_frontier_finder *f)
{
	struct cairn_frontier_cell *cells = f->sorted;
	f->sorted = f->hidden;
	f->hidden = cells;
	uint8_t *unknown = f->unknown;
	f->unknown = f->part;
	f->part = unknown;
}

/* Joins them, with the openings' own cells, and leaves out what is one with an opening. */
static void join(struct cairn_frontier_finder *f)
{
	for (uint32_t i = 0; i < f->found_count; i++) {
		for (uint32_t k = 0; k < f->found[i].cell_count; k++) {
			uint32_t at = f->found[i].cells[k].index;
			f->edge[at] = 1;
			f->sorted[f->cell_count++].index = at;
		}
	}
	cairn_frontier_join(f);
	size_t kept = 0;
	for (size_t from = 0, to; from < f->cell_count; from = to) {
		bool listed = false;
		for (to = from; to < f->cell_count && f->sorted[to].cluster == f->sorted[from].cluster; to++)
			listed |= (f->flood[f->sorted[to].index] & LISTED) != 0;
		if (listed)
			continue;
		memmove(f->sorted + kept, f->sorted + from, (to - from) * sizeof(f->sorted[0]));
		kept += to - from;
	}
	f->cell_count = kept;
}

void cairn_frontier_hidden(
    struct cairn_frontier_finder *f, struct cairn_pose2 pose, const struct cairn_config_mission *cfg)
{
	if (cfg->hidden_min_m2 <= 0.0)
		return;
	f->room = (int)sqrt(f->wave.need2) + 1;
	f->room = f->room < f->bound ? f->room : f->bound;
	f->flooded_count = 0;
	for (uint32_t i = 0; i < f->found_count; i++)
		for (uint32_t k = 0; k < f->found[i].cell_count; k++)
			note(f, f->found[i].cells[k].index, LISTED);
	cairn_frontier_unknown(f, (f->reach + 1) / 2);
	swap_aside(f);
	f->cell_count = 0;
	find_edges(f, cfg->hidden_min_m2);
	if (f->cell_count > 0)
		join(f);
	f->stand_clear2 = f->bound * f->bound;
	cairn_frontier_describe(f, pose, cfg->frontier_min_width_m);
	f->stand_clear2 = 0;
	swap_aside(f);
	for (uint32_t i = 0; i < f->flooded_count; i++)
		f->flood[f->flooded[i]] = 0;
}
