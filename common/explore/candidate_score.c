#include "common/explore/candidate_score.h"

#include <string.h>

double cairn_ground_way_m(const struct cairn_ground *g, double x_m, double y_m)
{
	if (!isfinite(x_m) || !isfinite(y_m) || fabs(x_m) > 1e6 || fabs(y_m) > 1e6)
		return -1.0;
	int32_t cx = cairn_grid_cell(g->grid, x_m), cy = cairn_grid_cell(g->grid, y_m);
	int32_t x = cx - g->reach_cx0, y = cy - g->reach_cy0;
	if (!cairn_odds_free(cairn_grid_odds(g->grid, cx, cy)) || x < 0 || y < 0 || x >= g->reach->width ||
	    y >= g->reach->height)
		return -1.0;
	uint32_t steps = cairn_wavefront_distance(g->reach, x, y);
	return steps == CAIRN_WAVEFRONT_NEVER ? -1.0 : steps * g->grid->cell_m / CAIRN_WAVEFRONT_STEP;
}

static int32_t look_cells(const struct cairn_grid *grid, double metres)
{
	int32_t cells = (int32_t)floor(metres / grid->cell_m + 1e-6);
	return cells < CAIRN_SCORE_LOOK_CELLS ? cells : CAIRN_SCORE_LOOK_CELLS;
}

/* Index of cell (cx, cy) for cx in [*lo, *hi], which is cut to what the arrays hold; false when nothing is
 * left. */
static bool row_of(
    const struct cairn_grid *grid, int32_t cy, int32_t *lo, int32_t *hi, const int8_t **ret_odds)
{
	*lo = *lo > grid->cx0 ? *lo : grid->cx0;
	*hi = *hi < grid->cx0 + grid->width ? *hi : grid->cx0 + grid->width - 1;
	if (cy < grid->cy0 || cy >= grid->cy0 + grid->height || *lo > *hi)
		return false;
	*ret_odds = grid->odds + cairn_grid_index(grid, *lo, cy);
	return true;
}

/* Without branches, many cells at once: of most rows none is. */
static bool some_occupied(const int8_t *odds, int32_t count)
{
	uint8_t some = 0;
	for (int32_t i = 0; i < count; i++)
		some |= (uint8_t)cairn_odds_occupied(odds[i]);
	return some != 0;
}

static double clearance_of(double square, double cell_m, double half_width_m)
{
	return (sqrt(square) - 0.5) * cell_m - half_width_m;
}

/* The squared distance, in cells, to what is occupied next; when it is no more than enough, perhaps not the
 * least. */
static int32_t nearest_square(const struct cairn_grid *grid, double x_m, double y_m, int32_t enough)
{
	int32_t cx = cairn_grid_cell(grid, x_m), cy = cairn_grid_cell(grid, y_m);
	int32_t r = look_cells(grid, CAIRN_SCORE_LOOK_M), best = r * r;
	for (int32_t n = 0; n <= 2 * r && best > enough; n++) {
		int32_t dy = n % 2 == 0 ? n / 2 : -(n + 1) / 2; /* the nearest rows first */
		if (dy * dy >= best)
			continue;
		const int8_t *odds;
		int32_t reach = (int32_t)sqrt((double)(best - dy * dy)), lo = cx - reach, hi = cx + reach;
		if (!row_of(grid, cy + dy, &lo, &hi, &odds) || !some_occupied(odds, hi - lo + 1))
			continue;
		for (int32_t x = lo; x <= hi; x++) {
			int32_t d2 = (x - cx) * (x - cx) + dy * dy;
			if (cairn_odds_occupied(odds[x - lo]) && d2 < best)
				best = d2;
		}
	}
	return best;
}

double cairn_ground_clearance_m(const struct cairn_ground *g, double half_width_m, double x_m, double y_m)
{
	return clearance_of(nearest_square(g->grid, x_m, y_m, -1), g->grid->cell_m, half_width_m);
}

bool cairn_ground_clearance_over(
    const struct cairn_ground *g, double half_width_m, double x_m, double y_m, double least_m, double *ret_m)
{
	const double cell_m = g->grid->cell_m;
	double cells = (least_m + half_width_m) / cell_m + 0.5;
	/* A little less than what would do: rounding decides nothing. */
	int32_t enough = cells > 1.0 ? (int32_t)fmin(cells * cells * (1.0 - 1e-9), 1e6) - 1 : -1;
	double m = clearance_of(nearest_square(g->grid, x_m, y_m, enough), cell_m, half_width_m);
	if (m <= least_m)
		return false;
	*ret_m = m;
	return true;
}

/* What a flood may enter of the cells within r of (cx, cy), and which of these are unknown. */
static void take_disc(
    const struct cairn_grid *grid, int32_t cx, int32_t cy, int32_t r, struct cairn_score_scratch *s)
{
	for (int32_t dy = -r; dy <= r; dy++) {
		const int8_t *odds;
		int32_t reach = (int32_t)sqrt((double)(r * r - dy * dy)), lo = cx - reach, hi = cx + reach;
		uint64_t disc = ((UINT64_C(2) << 2 * reach) - 1) << (r - reach), solid = 0, known = 0;
		/* Outside the arrays nothing is known. */
		if (row_of(grid, cy + dy, &lo, &hi, &odds))
			for (int32_t x = lo; x <= hi; x++) {
				uint64_t bit = UINT64_C(1) << (x - cx + r);
				known |= odds[x - lo] != CAIRN_ODDS_UNKNOWN ? bit : 0;
				solid |= cairn_odds_occupied(odds[x - lo]) ? bit : 0;
			}
		s->open[dy + r] = disc & ~solid;
		s->unknown[dy + r] = disc & ~known;
	}
}

/* Spreads the bits of a row along those that are open; they are themselves. */
static uint64_t along_row(uint64_t bits, uint64_t open)
{
	uint64_t higher = (open ^ (open + bits)) & open; /* the carry runs to the end of what is open */
	for (int shift = 1; shift < 64; shift *= 2) {
		bits |= open & (bits >> shift);
		open &= open >> shift;
	}
	return bits | higher;
}

/* One row after another takes what comes from the one before. True: something did. */
static bool sweep(struct cairn_score_scratch *s, int32_t from, int32_t to)
{
	bool grown = false;
	int32_t step = to > from ? 1 : -1;
	for (int32_t y = from + step; y != to + step; y += step) {
		uint64_t next = s->reached[y - step] & s->open[y] & ~s->reached[y];
		if (next == 0)
			continue;
		s->reached[y] |= along_row(next, s->open[y]);
		grown = true;
	}
	return grown;
}

double cairn_ground_unknown_share(
    const struct cairn_ground *g, struct cairn_score_scratch *s, double x_m, double y_m)
{
	int32_t r = look_cells(g->grid, CAIRN_SCORE_LOOK_M), count = 0, unknown = 0;
	r = r < CAIRN_SCORE_FLOOD_CELLS ? r : CAIRN_SCORE_FLOOD_CELLS;
	take_disc(g->grid, cairn_grid_cell(g->grid, x_m), cairn_grid_cell(g->grid, y_m), r, s);
	memset(s->reached, 0, sizeof(s->reached));
	s->open[r] |= UINT64_C(1) << r; /* the place itself counts, whatever it is */
	s->reached[r] = along_row(UINT64_C(1) << r, s->open[r]);
	bool down = true, up = true; /* at first both ways, then until neither finds more */
	while (down || up) {
		down = sweep(s, 0, 2 * r);
		up = sweep(s, 2 * r, 0);
	}
	for (int32_t y = 0; y <= 2 * r; y++) {
		count += __builtin_popcountll(s->reached[y]);
		unknown += __builtin_popcountll(s->reached[y] & s->unknown[y]);
	}
	return (double)unknown / count;
}

double cairn_ground_visited_share(const struct cairn_ground *g, double x_m, double y_m)
{
	const struct cairn_grid *grid = g->grid;
	int32_t cx = cairn_grid_cell(grid, x_m), cy = cairn_grid_cell(grid, y_m);
	int32_t r = look_cells(grid, CAIRN_SCORE_VISIT_M);
	uint32_t count = 0, visited = 0;
	for (int32_t dy = -r; dy <= r; dy++) {
		const int8_t *odds;
		int32_t reach = (int32_t)sqrt((double)(r * r - dy * dy)), lo = cx - reach, hi = cx + reach;
		count += (uint32_t)(2 * reach + 1);
		if (!row_of(grid, cy + dy, &lo, &hi, &odds))
			continue;
		const uint16_t *visits = grid->visits + (odds - grid->odds);
		for (int32_t x = lo; x <= hi; x++)
			visited += visits[x - lo] != 0;
	}
	return (double)visited / count;
}

double cairn_score_detour(double detour_m)
{
	return 1.0 / (1.0 + fmax(detour_m, 0.0) / CAIRN_SCORE_DETOUR_M);
}

double cairn_score_goal(const struct cairn_config_choice *cfg, struct cairn_pose2 pose,
    const struct cairn_vec2 *goal, double x_m, double y_m, double path_m)
{
	if (goal == NULL)
		return 1.0 / (1.0 + path_m / cfg->near_m);
	double place_m = hypot(goal->x_m - x_m, goal->y_m - y_m);
	double robot_m = hypot(goal->x_m - pose.x_m, goal->y_m - pose.y_m);
	return 1.0 - fmin(1.0, place_m / fmax(robot_m, 1.0));
}

double cairn_score_clearance(const struct cairn_config_choice *cfg, double clearance_m)
{
	return cairn_clamp(clearance_m / cfg->room_m, 0.0, 1.0);
}

double cairn_score_novelty(double unknown_share, double visited_share)
{
	return 0.5 * fmin(1.0, unknown_share / CAIRN_SCORE_SHARE) +
	       0.5 * (1.0 - fmin(1.0, visited_share / CAIRN_SCORE_SHARE));
}

double cairn_score_feasibility(
    double turn_radius_m, struct cairn_pose2 pose, double x_m, double y_m, double path_m)
{
	struct cairn_pose2 at = cairn_pose_between(pose, (struct cairn_pose2){x_m, y_m, 0.0});
	double straight_m = hypot(at.x_m, at.y_m);
	bool manoeuvre = hypot(at.x_m, fabs(at.y_m) - turn_radius_m) < turn_radius_m;
	double turn = manoeuvre ? 0.0 : 1.0 - fabs(atan2(at.y_m, at.x_m)) / M_PI;
	double direct = path_m > straight_m ? straight_m / path_m : 1.0;
	return 0.5 * direct + 0.5 * turn;
}

double cairn_score_sum(
    const struct cairn_config_choice *cfg, double goal, double clearance, double novelty, double feasibility)
{
	double weights =
	    cfg->weight_goal + cfg->weight_clearance + cfg->weight_novelty + cfg->weight_feasibility;
	return (cfg->weight_goal * goal + cfg->weight_clearance * clearance + cfg->weight_novelty * novelty +
		   cfg->weight_feasibility * feasibility) /
	       weights;
}
