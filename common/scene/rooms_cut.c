/* rooms_cut.c - floor into pieces: small things away, cuts at gaps in walls, a watershed at necks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/rooms_private.h"

#define ISLAND_MAX_M 2.2 /* what stands free and is no larger is furniture */
#define ISLAND_WALL_M                                                                                        \
	0.12 /* unless it is longer than ISLAND_WALL_LONG_M, and no part of it is farther than this from
			     * floor, or it fills little of the box around it: a piece of wall, or two at an angle */
#define ISLAND_WALL_FILL 0.45
#define ISLAND_WALL_LONG_M 0.7
#define WALL_RUN_M 0.30 /* of wall beside a gap */
#define DOOR_M 1.00
#define LEAF_M 1.05
#define SAME_DOOR_M 0.25
#define WIDE_M 1.25
#define WIDE_RUN_M 0.50
#define THIN_LOOK_M 0.40 /* floor is looked for so far from the middle of a wall, on both of its sides */
#define THIN_SHARE 0.4
#define WIDER_M 0.20 /* a gap opens by so much within OPENS_M on both sides */
#define OPENS_M 0.50
#define NECK_MAX_M 0.55 /* half the width of a neck */
#define NECK_SHARE 0.55 /* of the half width of the narrower one of the two parts */
#define PEAKS_MAX 4096
#define STEPS 1024 /* of distance, for sorting */

static const int32_t steps4[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

static size_t at_of(const struct rooms_sheet *s, int32_t x, int32_t y)
{
	return (size_t)y * (size_t)s->width + (size_t)x;
}

static bool inside(const struct rooms_sheet *s, int32_t x, int32_t y)
{
	return x >= 0 && y >= 0 && x < s->width && y < s->height;
}

static bool is_floor(const struct rooms_sheet *s, int32_t x, int32_t y)
{
	return inside(s, x, y) && (s->kind[at_of(s, x, y)] & ROOMS_FLOOR) != 0;
}

/* ---- what stands free ---- */

struct island {
	int32_t first, count; /* in the queue */
	int32_t x0, y0, x1, y1;
};

/* All cells that hang together (8 neighbours) and are no floor. Marks them by piece = 1. */
static struct island flood(struct rooms_sheet *s, int32_t x, int32_t y)
{
	struct island is = {0, 1, x, y, x, y};
	s->queue[0] = (int32_t)at_of(s, x, y);
	s->piece[at_of(s, x, y)] = 1;
	for (int32_t i = 0; i < is.count; i++) {
		int32_t px = s->queue[i] % s->width, py = s->queue[i] / s->width;
		is.x0 = px < is.x0 ? px : is.x0;
		is.x1 = px > is.x1 ? px : is.x1;
		is.y0 = py < is.y0 ? py : is.y0;
		is.y1 = py > is.y1 ? py : is.y1;
		for (int k = 0; k < 9; k++) {
			int32_t nx = px + k % 3 - 1, ny = py + k / 3 - 1;
			if (!inside(s, nx, ny) || s->piece[at_of(s, nx, ny)] != 0 || is_floor(s, nx, ny))
				continue;
			s->piece[at_of(s, nx, ny)] = 1;
			s->queue[is.count++] = (int32_t)at_of(s, nx, ny);
		}
	}
	return is;
}

static void distances_to(struct rooms_sheet *s, uint8_t kind)
{
	cairn_edt_compute(
	    &s->edt, s->kind, (size_t)s->width, kind, s->width, s->height, s->dist, (size_t)s->width);
}

static void clear_islands(struct rooms_sheet *s)
{
	distances_to(s, ROOMS_FLOOR);
	for (int32_t y = 0; y < s->height; y++)
		for (int32_t x = 0; x < s->width; x++) {
			if (is_floor(s, x, y) || s->piece[at_of(s, x, y)] != 0)
				continue;
			struct island is = flood(s, x, y);
			double w = (is.x1 - is.x0 + 1) * s->cell_m, h = (is.y1 - is.y0 + 1) * s->cell_m;
			double wide = fmax(w, h);
			float thick = 0.0f;
			for (int32_t i = 0; i < is.count; i++)
				thick = fmaxf(thick, s->dist[s->queue[i]]);
			double fill = is.count * s->cell_m * s->cell_m / (w * h);
			bool wall = wide > ISLAND_WALL_LONG_M &&
				    ((double)thick * s->cell_m < ISLAND_WALL_M || fill < ISLAND_WALL_FILL);
			if (wide > ISLAND_MAX_M || wall || is.x0 == 0 || is.y0 == 0 ||
			    is.x1 == s->width - 1 || is.y1 == s->height - 1)
				continue;
			for (int32_t i = 0; i < is.count; i++)
				s->kind[s->queue[i]] = ROOMS_FLOOR;
		}
	memset(s->piece, 0, (size_t)s->width * (size_t)s->height * sizeof(*s->piece));
}

/* ---- gaps in walls ---- */

/* The sheet seen along its rows, or turned by a quarter along its columns. */
struct look {
	struct rooms_sheet *s;
	bool turned, wide; /* wide: openings are looked for, now that the doorways are cut */
	int32_t length, lines;
};

static enum rooms_kind kind_at(const struct look *l, int32_t along, int32_t line)
{
	if (along < 0 || line < 0 || along >= l->length || line >= l->lines)
		return ROOMS_UNKNOWN;
	return (enum rooms_kind)l->s->kind[l->turned ? at_of(l->s, line, along) : at_of(l->s, along, line)];
}

/* Wall here or a cell beside: walls of a map are no straighter than that. */
static bool wall_at(const struct look *l, int32_t along, int32_t line)
{
	return kind_at(l, along, line) == ROOMS_WALL || kind_at(l, along, line - 1) == ROOMS_WALL ||
	       kind_at(l, along, line + 1) == ROOMS_WALL;
}

static bool floor_at(const struct look *l, int32_t along, int32_t line)
{
	return (kind_at(l, along, line) & (ROOMS_FLOOR | ROOMS_DOORWAY | ROOMS_OPENING)) != 0;
}

/* Floor that makes a way wider: beside an opening, not the doorways that lead off. */
static bool widens_at(const struct look *l, int32_t along, int32_t line)
{
	return floor_at(l, along, line) && !(l->wide && kind_at(l, along, line) == ROOMS_DOORWAY);
}

/* Cells of wall that follow each other from `along` on in a direction, up to what is asked for. */
static int32_t run_of(const struct look *l, int32_t along, int32_t line, int32_t step, int32_t most)
{
	int32_t n = 0;
	while (n < most && wall_at(l, along + n * step, line))
		n++;
	return n;
}

/* On which sides of most of the run there is floor. An inner wall has it on both, furniture against a wall on one. */
struct sides {
	bool up, down, both;
};

static struct sides sides_of(const struct look *l, int32_t along, int32_t line, int32_t step, int32_t n)
{
	int32_t look = (int32_t)lround(THIN_LOOK_M / l->s->cell_m), ups = 0, downs = 0, both = 0;
	for (int32_t i = 0; i < n; i++) {
		bool up = false, down = false;
		for (int32_t k = 1; k <= look; k++) {
			up = up || floor_at(l, along + i * step, line + k);
			down = down || floor_at(l, along + i * step, line - k);
		}
		ups += up;
		downs += down;
		both += up && down;
	}
	return (struct sides){ups >= THIN_SHARE * n, downs >= THIN_SHARE * n, both >= THIN_SHARE * n};
}

/* Runs of at least the least length at both ends of a gap: is their line a wall's? Of each, one side may be hidden by what stands
 * there or by the door's leaf: then the floor is on different sides of the two, whereas two pieces of furniture have it before
 * them. */
static bool is_wall(
    const struct look *l, int32_t a, int32_t b, int32_t line, const int32_t run[2], int32_t least)
{
	struct sides first = sides_of(l, a - 1, line, -1, run[0]), second = sides_of(l, b, line, 1, run[1]);
	if (run[0] < least || run[1] < least)
		return run[0] >= least ? first.both : run[1] >= least && second.both;
	return first.both || second.both || (first.up && second.down) || (first.down && second.up);
}

static int32_t free_width(const struct look *l, int32_t middle, int32_t line, int32_t most)
{
	int32_t n = 0;
	if (!widens_at(l, middle, line))
		return 0;
	for (int32_t k = 1; k < most && widens_at(l, middle + k, line); k++)
		n++;
	for (int32_t k = 1; k < most && widens_at(l, middle - k, line); k++)
		n++;
	return n + 1;
}

/* Does the way through get wider on this side? */
static bool opens(const struct look *l, int32_t a, int32_t b, int32_t line, int32_t side)
{
	int32_t far = (int32_t)lround(OPENS_M / l->s->cell_m), more = (int32_t)lround(WIDER_M / l->s->cell_m);
	for (int32_t k = 1; k <= far; k++)
		if (free_width(l, (a + b) / 2, line + side * k, b - a + 4 * more) >= b - a + more)
			return true;
	return false;
}

/* Has the mapper found a doorway there? */
static bool has_door(const struct look *l, double along, double line)
{
	for (uint32_t i = 0; i < l->s->doors; i++) {
		const double *d = l->s->door[i];
		double du = d[l->turned ? 1 : 0] - along, dv = d[l->turned ? 0 : 1] - line;
		if (hypot(du, dv) * l->s->cell_m <= SAME_DOOR_M)
			return true;
	}
	return false;
}

/* [a, b): floor between two walls on one line. */
static bool is_gap(const struct look *l, int32_t a, int32_t b, int32_t line)
{
	double cell = l->s->cell_m, wide = (b - a) * cell;
	int32_t run = (int32_t)lround(WALL_RUN_M / cell), leaf = (int32_t)lround(LEAF_M / cell);
	if (wide < CAIRN_ROOMS_GAP_MIN_M || wide > CAIRN_ROOMS_GAP_MAX_M || (wide > DOOR_M) != l->wide)
		return false;
	int32_t before = run_of(l, a - 1, line, -1, leaf), after = run_of(l, b, line, 1, leaf);
	/* A doorway may stand in a corner, with a wall beside it that is longer than a door's leaf that stands open; what is
	 * wider than a doorway has wall on both sides. */
	int32_t small = before < after ? before : after, large = before < after ? after : before;
	int32_t least = wide > WIDE_M ? (int32_t)lround(WIDE_RUN_M / cell) : wide > DOOR_M ? run : 2;
	if (large < run || small < least || (small < run && large < leaf))
		return false;
	if (small >= run && has_door(l, 0.5 * (a + b), line + 0.5))
		return opens(l, a, b, line, 1) && opens(l, a, b, line, -1);
	return is_wall(l, a, b, line, (const int32_t[2]){before, after}, run) && opens(l, a, b, line, 1) &&
	       opens(l, a, b, line, -1);
}

static void cut_line(const struct look *l, int32_t line)
{
	for (int32_t a = 1; a < l->length; a++) {
		if (!floor_at(l, a, line) || wall_at(l, a, line) || !wall_at(l, a - 1, line))
			continue;
		int32_t b = a;
		while (b < l->length && floor_at(l, b, line) && !wall_at(l, b, line))
			b++;
		if (b < l->length && wall_at(l, b, line) && is_gap(l, a, b, line))
			for (int32_t i = a - 2; i < b + 2; i++) {
				size_t at = l->turned ? at_of(l->s, line, i) : at_of(l->s, i, line);
				if (i >= 0 && i < l->length && l->s->kind[at] == ROOMS_FLOOR)
					l->s->kind[at] = l->wide ? ROOMS_OPENING : ROOMS_DOORWAY;
			}
		a = b;
	}
}

static void cut_gaps(struct rooms_sheet *s)
{
	for (int i = 0; i < 4; i++) {
		bool turned = (i & 1) != 0;
		struct look l = {
		    s, turned, i >= 2, turned ? s->height : s->width, turned ? s->width : s->height};
		for (int32_t line = 1; line < l.lines - 1; line++)
			cut_line(&l, line);
	}
}

/* ---- watershed ---- */

struct basin {
	uint32_t up; /* the basin it went to; itself: none */
	float peak;
	uint32_t cells;
};

static uint32_t root(struct basin *b, uint32_t i)
{
	while (b[i].up != i)
		i = b[i].up = b[b[i].up].up;
	return i;
}

/* Cells by falling distance: counting sort into the queue. */
static uint32_t sort_floor(struct rooms_sheet *s)
{
	uint32_t count[STEPS + 1] = {0}, n = 0;
	size_t all = (size_t)s->width * (size_t)s->height;
	float scale = STEPS * (float)s->cell_m / 8.0f;
	for (size_t i = 0; i < all; i++)
		if (s->kind[i] == ROOMS_FLOOR)
			count[STEPS - 1 - (int)fminf(STEPS - 1.0f, s->dist[i] * scale)]++;
	for (int k = 0; k < STEPS; k++) {
		uint32_t here = count[k];
		count[k] = n;
		n += here;
	}
	for (size_t i = 0; i < all; i++)
		if (s->kind[i] == ROOMS_FLOOR)
			s->queue[count[STEPS - 1 - (int)fminf(STEPS - 1.0f, s->dist[i] * scale)]++] =
			    (int32_t)i;
	return n;
}

static bool is_neck(const struct rooms_sheet *s, const struct basin *a, const struct basin *b, float here)
{
	float low = fminf(a->peak, b->peak), cell = (float)s->cell_m;
	uint32_t few = a->cells < b->cells ? a->cells : b->cells;
	return here * cell <= (float)NECK_MAX_M && here <= (float)NECK_SHARE * low &&
	       (double)few * s->cell_m * s->cell_m >= CAIRN_ROOMS_AREA_MIN_M2;
}

static bool watershed(struct rooms_sheet *s)
{
	struct basin *b = malloc((PEAKS_MAX + 1) * sizeof(*b));
	uint32_t basins = 0, n = sort_floor(s);
	if (b == NULL)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		int32_t at = s->queue[i], x = at % s->width, y = at / s->width;
		uint32_t mine = 0;
		for (int k = 0; k < 4; k++) {
			int32_t nx = x + steps4[k][0], ny = y + steps4[k][1];
			uint32_t other = inside(s, nx, ny) ? s->piece[at_of(s, nx, ny)] : 0;
			if (other == 0)
				continue;
			other = root(b, other);
			if (mine == 0 || mine == other) {
				mine = other;
			} else if (!is_neck(s, &b[mine], &b[other], s->dist[at])) {
				uint32_t keep = b[mine].peak >= b[other].peak ? mine : other,
					 go = keep == mine ? other : mine;
				b[go].up = keep;
				b[keep].cells += b[go].cells;
				mine = keep;
			}
		}
		if (mine == 0 && basins < PEAKS_MAX) {
			mine = ++basins;
			b[mine] = (struct basin){mine, s->dist[at], 0};
		}
		if (mine != 0) {
			b[mine].cells++;
			s->piece[at] = (uint16_t)mine;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (s->piece[s->queue[i]] != 0)
			s->piece[s->queue[i]] = (uint16_t)root(b, s->piece[s->queue[i]]);
	s->pieces = basins;
	free(b);
	return true;
}

/* ---- pieces into rooms ---- */

/* Floor that has no piece (cuts, what came too late for a basin) goes to the piece beside it. */
static void spread(struct rooms_sheet *s)
{
	size_t all = (size_t)s->width * (size_t)s->height;
	uint32_t n = 0;
	for (size_t i = 0; i < all; i++)
		if (s->piece[i] != 0)
			s->queue[n++] = (int32_t)i;
	for (uint32_t i = 0; i < n; i++) {
		int32_t x = s->queue[i] % s->width, y = s->queue[i] / s->width;
		for (int k = 0; k < 4; k++) {
			int32_t nx = x + steps4[k][0], ny = y + steps4[k][1];
			if (!inside(s, nx, ny) || s->piece[at_of(s, nx, ny)] != 0 ||
			    (s->kind[at_of(s, nx, ny)] & (ROOMS_WALL | ROOMS_UNKNOWN)) != 0)
				continue;
			s->piece[at_of(s, nx, ny)] = s->piece[s->queue[i]];
			s->queue[n++] = (int32_t)at_of(s, nx, ny);
		}
	}
}

/* The smallest piece that is too small, and the neighbour that it touches most (0: none). */
static uint32_t smallest(
    const struct rooms_sheet *s, const uint32_t *cells, uint32_t *touch, uint32_t *ret_to)
{
	uint32_t low = 0, least = (uint32_t)(CAIRN_ROOMS_AREA_MIN_M2 / (s->cell_m * s->cell_m)), most = 0;
	for (uint32_t p = 1; p <= s->pieces; p++)
		if (cells[p] > 0 && cells[p] < least && (low == 0 || cells[p] < cells[low]))
			low = p;
	*ret_to = 0;
	if (low == 0)
		return 0;
	memset(touch, 0, (s->pieces + 1) * sizeof(*touch));
	for (int32_t y = 1; y < s->height - 1; y++)
		for (int32_t x = 1; x < s->width - 1; x++)
			for (int k = 0; k < 4 && s->piece[at_of(s, x, y)] == low; k++)
				touch[s->piece[at_of(s, x + steps4[k][0], y + steps4[k][1])]]++;
	for (uint32_t p = 1; p <= s->pieces; p++)
		if (p != low && touch[p] > most) {
			most = touch[p];
			*ret_to = p;
		}
	return low;
}

static void count_cells(const struct rooms_sheet *s, uint32_t *cells)
{
	size_t all = (size_t)s->width * (size_t)s->height;
	memset(cells, 0, (s->pieces + 1) * sizeof(*cells));
	for (size_t i = 0; i < all; i++)
		cells[s->piece[i]]++;
}

static void change(struct rooms_sheet *s, const uint16_t *to)
{
	size_t all = (size_t)s->width * (size_t)s->height;
	for (size_t i = 0; i < all; i++)
		s->piece[i] = to[s->piece[i]];
}

/* Numbers 1, 2, ... by size; what is beyond the most rooms is no room. */
static void number_by_size(struct rooms_sheet *s, uint32_t *cells, uint16_t *to)
{
	uint16_t given = 0;
	memset(to, 0, (s->pieces + 1) * sizeof(*to));
	while (given < CAIRN_ROOMS_MAX) {
		uint32_t best = 0;
		for (uint32_t p = 1; p <= s->pieces; p++)
			if (cells[p] > 0 && to[p] == 0 && (best == 0 || cells[p] > cells[best]))
				best = p;
		if (best == 0)
			break;
		to[best] = ++given;
	}
	change(s, to);
	s->pieces = given;
}

static bool settle(struct rooms_sheet *s)
{
	uint32_t *cells = calloc(2 * (size_t)(s->pieces + 1), sizeof(*cells)), *touch = cells + s->pieces + 1,
		 to_piece;
	uint16_t *to = malloc((s->pieces + 1) * sizeof(*to));
	bool ok = cells != NULL && to != NULL;
	if (ok) {
		count_cells(s, cells);
		for (uint32_t low; (low = smallest(s, cells, touch, &to_piece)) != 0;) {
			for (uint32_t p = 0; p <= s->pieces; p++)
				to[p] = (uint16_t)(p == low ? to_piece : p);
			change(s, to);
			cells[to_piece] += to_piece != 0 ? cells[low] : 0;
			cells[low] = 0;
		}
		number_by_size(s, cells, to);
	}
	free(cells);
	free(to);
	return ok;
}

bool rooms_cut(struct rooms_sheet *s)
{
	clear_islands(s);
	cut_gaps(s);
	distances_to(s, ROOMS_WALL | ROOMS_UNKNOWN); /* the cuts bound the pieces, not the rooms' width */
	if (!watershed(s))
		return false;
	spread(s);
	return settle(s);
}
