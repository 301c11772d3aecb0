#include "common/explore/frontier_private.h"

#include <stdlib.h>
#include <string.h>

#define HOME_BESIDE_M 0.10 /* so far off the start counts as there */
#define GIVEN_UP_M                                                                                           \
	0.4 /* one this near to a place given up is the one given up; as CAIRN_FRONTIER_BLACKLIST_SAME_M */
#define BEHIND_M 2.0 /* unknown floor assumed behind each metre of an opening, for coverage */
#define ESCAPE_M 0.30
#define CLEARANCE_BOUND_M 0.30
#define HALVE_CELLS 400000 /* a window of 30 m x 30 m; of larger ones single cells take too long */

struct cairn_frontier_finder *cairn_frontier_finder_new(void)
{
	struct cairn_frontier_finder *finder = calloc(1, sizeof(*finder));
	if (finder == NULL)
		return NULL;
	cairn_wavefront_init(&finder->wave);
	finder->wave.told = true;
	return finder;
}

static void free_arrays(struct cairn_frontier_finder *f)
{
	free(f->odds);
	free(f->unknown);
	free(f->floor);
	free(f->scratch);
	free(f->part);
	free(f->mask);
	free(f->edge);
	free(f->flood);
	free(f->flooded);
	free(f->label);
	free(f->queue);
	free(f->cells);
	free(f->sorted);
	free(f->hidden);
	free(f->parent);
	f->odds = NULL;
	f->unknown = f->floor = f->scratch = f->part = f->mask = f->edge = f->flood = NULL;
	f->flooded = f->label = f->queue = f->parent = NULL;
	f->cells = f->sorted = f->hidden = NULL;
	f->capacity = 0;
}

void cairn_frontier_finder_destroy(struct cairn_frontier_finder **finder_p)
{
	if (*finder_p == NULL)
		return;
	free_arrays(*finder_p);
	cairn_wavefront_free(&(*finder_p)->wave);
	free(*finder_p);
	*finder_p = NULL;
}

static bool resize(struct cairn_frontier_finder *f, int32_t width, int32_t height)
{
	size_t n = (size_t)width * (size_t)height;
	if (!cairn_wavefront_resize(&f->wave, width, height)) {
		free_arrays(f); /* so that the next try begins anew */
		return false;
	}
	if (n <= f->capacity)
		return true;
	free_arrays(f);
	n += n / 2;
	f->odds = malloc(n);
	f->unknown = malloc(n);
	f->floor = malloc(n);
	f->scratch = malloc(n);
	f->part = malloc(n);
	f->mask = malloc(n);
	f->edge = calloc(n, 1);
	f->flood = calloc(n, 1);
	f->flooded = malloc(n * sizeof(*f->flooded));
	f->label = malloc(n * sizeof(*f->label));
	f->queue = malloc(n * sizeof(*f->queue));
	f->cells = malloc(n * sizeof(*f->cells));
	f->sorted = malloc(n * sizeof(*f->sorted));
	f->hidden = malloc(n * sizeof(*f->hidden));
	f->parent = malloc(n * sizeof(*f->parent));
	if (f->odds == NULL || f->flood == NULL || f->flooded == NULL || f->unknown == NULL ||
	    f->floor == NULL || f->scratch == NULL || f->part == NULL || f->mask == NULL || f->edge == NULL ||
	    f->hidden == NULL || f->label == NULL || f->queue == NULL || f->cells == NULL ||
	    f->sorted == NULL || f->parent == NULL)
		return false;
	memset(f->label, 0xFF, n * sizeof(*f->label));
	f->capacity = n;
	return true;
}

static int32_t floor_to(int32_t value, int32_t step)
{
	int32_t q = value / step;
	return (q * step > value ? q - 1 : q) * step;
}

static void widen(struct cairn_wavefront_box *box, int32_t lo, int32_t hi, int32_t y)
{
	box->x0 = lo < box->x0 ? lo : box->x0;
	box->x1 = hi > box->x1 ? hi : box->x1;
	box->y0 = y < box->y0 ? y : box->y0;
	box->y1 = y > box->y1 ? y : box->y1;
}

static bool same_eight(const uint8_t *p, const uint8_t *q)
{
	uint64_t a, b;
	memcpy(&a, p, sizeof(a));
	memcpy(&b, q, sizeof(b));
	return a == b;
}

/* Where two rows of n bytes differ, which they do. */
static void find_difference(const void *a, const void *b, int32_t n, int32_t *ret_lo, int32_t *ret_hi)
{
	const uint8_t *p = a, *q = b;
	int32_t lo = 0, hi = n - 1;
	while (lo + 8 <= n && same_eight(p + lo, q + lo))
		lo += 8;
	while (p[lo] == q[lo])
		lo++;
	while (hi >= 7 && same_eight(p + hi - 7, q + hi - 7))
		hi -= 8;
	while (p[hi] == q[hi])
		hi--;
	*ret_lo = lo;
	*ret_hi = hi;
}

/* Takes one row of the grid in, as classes, and widens *changed by those that differ from what was there.
 * Most rows are as they were; that much is found out fast. */
static void take_row(
    struct cairn_frontier_finder *f, int32_t y, const int8_t *odds, struct cairn_wavefront_box *changed)
{
	int32_t w = f->wave.width, lo, hi;
	size_t row = (size_t)y * (size_t)w;
	if (memcmp(f->odds + row, odds, (size_t)w) == 0)
		return;
	find_difference(f->odds + row, odds, w, &lo, &hi);
	memcpy(f->odds + row + lo, odds + lo, (size_t)(hi - lo + 1));
	uint8_t *cell = f->wave.cell + row, *restrict line = f->part;
	for (int32_t x = lo; x <= hi; x++) {
		uint8_t known = odds[x] < 0 ? CAIRN_WAVEFRONT_FREE : CAIRN_WAVEFRONT_UNSURE;
		known = odds[x] >= CAIRN_ODDS_OCCUPIED ? CAIRN_WAVEFRONT_OCCUPIED : known;
		line[x] = odds[x] == CAIRN_ODDS_UNKNOWN ? CAIRN_WAVEFRONT_UNKNOWN : known;
	}
	if (memcmp(cell + lo, line + lo, (size_t)(hi - lo + 1)) == 0)
		return;
	int32_t first, last;
	find_difference(cell + lo, line + lo, hi - lo + 1, &first, &last);
	memcpy(cell + lo + first, line + lo + first, (size_t)(last - first + 1));
	widen(changed, lo + first, lo + last, y);
}

/* The same of where the robot has been. n cells from x on. */
static void take_driven(struct cairn_frontier_finder *f, int32_t y, int32_t x, int32_t n,
    const uint16_t *restrict visits, struct cairn_wavefront_box *changed)
{
	uint8_t *driven = f->wave.driven + (size_t)y * (size_t)f->wave.width + (size_t)x, *restrict line =
											      f->part;
	for (int32_t i = 0; i < n; i++)
		line[i] = visits[i] != 0;
	if (memcmp(driven, line, (size_t)n) == 0)
		return;
	memcpy(driven, line, (size_t)n);
	widen(changed, x, x + n - 1, y);
}

/* Begins a window anew, all unknown. */
static bool begin_window(
    struct cairn_frontier_finder *f, int32_t cx0, int32_t cy0, int32_t width, int32_t height)
{
	size_t cells = (size_t)width * (size_t)height;
	if (!resize(f, width, height))
		return false;
	cairn_wavefront_halve(&f->wave, cells > HALVE_CELLS);
	memset(f->wave.cell, CAIRN_WAVEFRONT_UNKNOWN, cells);
	memset(f->odds, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, cells);
	f->cx0 = cx0;
	f->cy0 = cy0;
	return true;
}

/* Copies the known part of the grid, with a margin of unknown, as one class a cell, and finds out what is
 * new: by comparing, so that it does not matter how the grid came to change. All of it is new when the window
 * moves. */
static bool take_window(
    struct cairn_frontier_finder *f, const struct cairn_grid *grid, struct cairn_wavefront_box *changed)
{
	const int32_t margin = 12, step = 32;
	const struct cairn_cell_box *k = &grid->known;
	int32_t cx0 = floor_to(k->min_cx - margin, step), cy0 = floor_to(k->min_cy - margin, step);
	int32_t width = floor_to(k->max_cx + margin, step) + step - cx0;
	int32_t height = floor_to(k->max_cy + margin, step) + step - cy0;
	bool anew = f->capacity == 0 || cx0 != f->cx0 || cy0 != f->cy0 || width != f->wave.width ||
		    height != f->wave.height || grid->cell_m != f->cell_m;
	if (anew && !begin_window(f, cx0, cy0, width, height))
		return false;
	f->cell_m = grid->cell_m;
	struct cairn_wavefront_box been = {INT32_MAX, INT32_MAX, -1, -1};
	*changed = been;
	/* Outside of the grid's arrays all is unknown. */
	int32_t lo = cx0 > grid->cx0 ? cx0 : grid->cx0;
	int32_t hi = cx0 + width < grid->cx0 + grid->width ? cx0 + width : grid->cx0 + grid->width;
	int8_t *line = (int8_t *)f->scratch;
	memset(line, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, (size_t)width);
	for (int32_t y = 0; y < height; y++) {
		int32_t cy = cy0 + y;
		bool inside = cy >= grid->cy0 && cy < grid->cy0 + grid->height && hi > lo;
		if (!inside) {
			memset(line, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, (size_t)width);
			take_row(f, y, line, changed);
			continue;
		}
		size_t at = cairn_grid_index(grid, lo, cy);
		if (hi - lo < width)
			memcpy(line + (lo - cx0), grid->odds + at, (size_t)(hi - lo));
		take_row(f, y, hi - lo < width ? line : grid->odds + at, changed);
		take_driven(f, y, lo - cx0, hi - lo, grid->visits + at, &been);
	}
	if (been.x1 >= been.x0)
		cairn_wavefront_driven_in(&f->wave, been);
	if (anew)
		*changed = (struct cairn_wavefront_box){0, 0, width - 1, height - 1};
	return true;
}

void cairn_frontier_given_up(
    struct cairn_frontier_finder *f, const struct cairn_msg_given_up *items, uint32_t count)
{
	uint32_t skip = count > CAIRN_FRONTIERS_MAX ? count - CAIRN_FRONTIERS_MAX : 0;
	f->given_up_count = count - skip;
	if (f->given_up_count > 0)
		memcpy(f->given_up, items + skip, f->given_up_count * sizeof(*items));
}

bool cairn_frontier_is_given_up(
    const struct cairn_msg_given_up *items, uint32_t count, const struct cairn_msg_frontier *frontier)
{
	for (uint32_t i = 0; i < count; i++)
		if (hypot(items[i].x_m - frontier->x_m, items[i].y_m - frontier->y_m) <= GIVEN_UP_M)
			return true;
	return false;
}

/* Is any opening left that can be gone to and promises something? */
static bool any_left(const struct cairn_frontier_finder *f)
{
	for (uint32_t i = 0; i < f->found_count; i++) {
		const struct cairn_frontier_found *found = &f->found[i];
		if (!found->blind && found->msg.distance_m >= 0.0 &&
		    !cairn_frontier_is_given_up(f->given_up, f->given_up_count, &found->msg))
			return true;
	}
	return false;
}

/* Adds hidden floor: all of it when nothing else is left, and beside others only what was listed before, so that the
 * robot's goal does not vanish because something else comes in sight on the way. */
static void add_hidden(struct cairn_frontier_finder *f, struct cairn_frontier_memory *memory,
    struct cairn_pose2 pose, bool looking, const struct cairn_config_mission *cfg)
{
	const bool left = any_left(f);
	const uint32_t openings = f->found_count;
	if (left && !f->hidden_listed)
		return;
	cairn_frontier_hidden(f, pose, cfg);
	cairn_frontier_remember(f, memory, pose, looking);
	uint32_t kept = openings;
	for (uint32_t i = openings; i < f->found_count; i++)
		if (!left || f->found[i].msg.id != 0)
			f->found[kept++] = f->found[i];
	f->found_total -= f->found_count - kept;
	f->found_count = kept;
	f->hidden_listed = kept > openings;
	cairn_frontier_number(f, memory);
}

/* Reachable ones first, nearest first; then the others, oldest first. */
static int by_nearness(const void *a, const void *b)
{
	const struct cairn_msg_frontier *p = &((const struct cairn_frontier_found *)a)->msg;
	const struct cairn_msg_frontier *q = &((const struct cairn_frontier_found *)b)->msg;
	if ((p->distance_m >= 0.0) != (q->distance_m >= 0.0))
		return p->distance_m >= 0.0 ? -1 : 1;
	if (p->distance_m != q->distance_m)
		return p->distance_m < q->distance_m ? -1 : 1;
	return p->id < q->id ? -1 : p->id > q->id;
}

static void report(
    struct cairn_frontier_finder *f, const struct cairn_grid *grid, struct cairn_msg_frontiers *ret)
{
	double cell_m2 = grid->cell_m * grid->cell_m, behind_m2 = 0.0;
	uint32_t blind = 0;
	qsort(f->found, f->found_count, sizeof(f->found[0]), by_nearness);
	for (uint32_t i = 0; i < f->found_count; i++) {
		if (f->found[i].blind) {
			if (ret->blind_count < sizeof(ret->blind) / sizeof(ret->blind[0]))
				ret->blind[ret->blind_count++] =
				    (struct cairn_msg_blind_spot){f->found[i].msg.x_m, f->found[i].msg.y_m};
			blind++;
			continue;
		}
		const struct cairn_msg_frontier *m = &f->found[i].msg;
		if (m->distance_m >= 0.0) {
			ret->reachable++;
			behind_m2 += m->width_m * BEHIND_M;
		}
		if (ret->items_count < sizeof(ret->items) / sizeof(ret->items[0]))
			ret->items[ret->items_count++] = *m;
	}
	ret->total = f->found_total - blind;
	ret->free_m2 = grid->free_cells * cell_m2;
	ret->occupied_m2 = grid->occupied_cells * cell_m2;
	ret->coverage = ret->free_m2 > 0.0 ? ret->free_m2 / (ret->free_m2 + behind_m2) : 0.0;
	ret->map_width_m = (grid->known.max_cx - grid->known.min_cx + 1) * grid->cell_m;
	ret->map_height_m = (grid->known.max_cy - grid->known.min_cy + 1) * grid->cell_m;
	ret->visited_cells = grid->visited_cells;
}

/* Clearances and masks of what changed; of everything when they are asked for differently. */
static void bring_up_to_date(
    struct cairn_frontier_finder *f, int bound, double min_width_m, struct cairn_wavefront_box changed)
{
	int reach = (int)floor((min_width_m / f->cell_m - 1.0) / 2.0);
	reach = reach < 0 ? 0 : reach > 5 ? 5 : reach;
	if (bound != f->bound || reach != f->reach)
		changed = (struct cairn_wavefront_box){0, 0, f->wave.width - 1, f->wave.height - 1};
	f->bound = bound;
	f->reach = reach;
	if (changed.x1 < changed.x0)
		return;
	cairn_wavefront_clearances_in(&f->wave, bound, changed);
	cairn_frontier_masks(f, changed);
}

/* Way of the wavefront to the start; where the very cell is shut (something was put there), to one beside it.
 */
static double way_home_m(const struct cairn_frontier_finder *f)
{
	int beside = (int)ceil(HOME_BESIDE_M / f->cell_m);
	uint32_t best = CAIRN_WAVEFRONT_NEVER;
	for (int32_t y = -f->cy0 - beside; y <= -f->cy0 + beside; y++) {
		for (int32_t x = -f->cx0 - beside; x <= -f->cx0 + beside; x++) {
			if (x < 0 || y < 0 || x >= f->wave.width || y >= f->wave.height)
				continue;
			uint32_t d = cairn_wavefront_distance(&f->wave, x, y);
			best = d < best ? d : best;
		}
	}
	return best == CAIRN_WAVEFRONT_NEVER ? -1.0 : best * f->cell_m / CAIRN_WAVEFRONT_STEP;
}

bool cairn_frontier_find(struct cairn_frontier_finder *f, struct cairn_frontier_memory *memory,
    const struct cairn_grid *grid, struct cairn_pose2 pose, bool looking, const struct cairn_config *cfg,
    struct cairn_msg_frontiers *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (cairn_cell_box_empty(grid->known))
		return true;
	struct cairn_wavefront_box changed;
	if (!take_window(f, grid, &changed))
		return false;
	/* The footprint with its clearance, and one cell: walls in the map are up to that much thicker than
	 * they are. Half the length as well: where it cannot turn, an Ackermann robot drives in and may not
	 * come out. */
	double half_length_m = 0.5 * (cfg->robot.footprint_front_m + cfg->robot.footprint_rear_m);
	double need_m =
	    fmax(cfg->robot.footprint_half_width_m + cfg->nav.clearance_m + grid->cell_m, half_length_m);
	double need = need_m / grid->cell_m;
	int bound = (int)ceil(fmax(need_m, CLEARANCE_BOUND_M) / grid->cell_m);
	bound = bound < 100 ? bound : 100;
	int need2 = (int)fmin(ceil(need * need), bound * bound);
	bring_up_to_date(f, bound, cfg->mission.frontier_min_width_m, changed);
	int32_t x = (int32_t)floor(pose.x_m / grid->cell_m) - f->cx0;
	int32_t y = (int32_t)floor(pose.y_m / grid->cell_m) - f->cy0;
	cairn_wavefront_spread(&f->wave, x, y, need2, (int)(ESCAPE_M / grid->cell_m));
	cairn_frontier_cells(f);
	f->found_count = 0;
	f->found_total = 0;
	cairn_frontier_describe(f, pose, cfg->mission.frontier_min_width_m);
	memory->update++;
	cairn_frontier_forget(memory);
	cairn_frontier_remember(f, memory, pose, looking);
	cairn_frontier_number(f, memory);
	add_hidden(f, memory, pose, looking, &cfg->mission);
	cairn_frontier_gaps(f);
	report(f, grid, ret);
	ret->needs_m = 2.0 * need_m;
	ret->home_m = way_home_m(f);
	return true;
}

const struct cairn_wavefront *cairn_frontier_reach(
    const struct cairn_frontier_finder *f, int32_t *ret_cx0, int32_t *ret_cy0)
{
	*ret_cx0 = f->cx0;
	*ret_cy0 = f->cy0;
	return f->wave.need2 > 0 ? &f->wave : NULL;
}
