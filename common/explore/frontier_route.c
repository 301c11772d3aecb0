#include "common/explore/frontier_route.h"

#include "common/explore/frontier.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_M 0.2    /* ways are measured on a map with cells of this size */
#define LEAVE_BLOCKS 4 /* the direction a way leaves the robot in is that to a block so far away */
#define GROUP_M 0.8    /* frontiers nearer to each other than this are one stop */
#define GROUP_GROWTH 1.3
#define SAME_M 0.5 /* a target that moved less is the same one */
#define RAYS 72
#define COLUMNS 512 /* of cells at once, even */
#define GAIN_MIN_M2 0.05
#define BORDER 1e-6 /* cells; a middle is one to a tenth of this */

struct member {
	uint32_t item;  /* of the frontiers */
	double first_m; /* from the robot, turning included */
	double home_m;
	double gain_m2;
	uint32_t group;
};

/* A step of a ray: the cell it comes to, counted from the one whose middle it starts from. */
struct step {
	int16_t x, y;
};

struct cairn_frontier_route {
	struct cairn_config_choice cfg;
	double min_width_m;
	bool nearest;
	struct cairn_wavefront wave; /* of blocks */
	int32_t width, height;       /* of it */
	struct cairn_vec2 directions[RAYS];
	double cell_m;  /* that the steps are for */
	int step_count; /* of a ray */
	struct step *steps;
	bool sure[RAYS]; /* none of its steps ends on a border of cells, where rounding decides */
	double *area_m2; /* of a cell unknown at each step */
	struct member members[CAIRN_FRONTIER_ROUTE_FRONTIERS];
	uint32_t member_count;
	double way_m[CAIRN_FRONTIER_ROUTE_FRONTIERS][CAIRN_FRONTIER_ROUTE_FRONTIERS];
	bool has_target;
	uint32_t target_id;
	struct cairn_vec2 target;
	float scratch[CAIRN_FRONTIER_ROUTE_GROUPS << CAIRN_FRONTIER_ROUTE_GROUPS];
};

static void set_directions(struct cairn_vec2 directions[RAYS])
{
	for (int k = 0; k < RAYS; k++)
		directions[k] = (struct cairn_vec2){cos(2.0 * M_PI * k / RAYS), sin(2.0 * M_PI * k / RAYS)};
}

static double area_m2(double cell_m, int step)
{
	return step * cell_m * (2.0 * M_PI / RAYS * cell_m);
}

/* Where the rays go is the same around all frontiers: their middles are middles of cells. */
static bool lay_rays(struct cairn_frontier_route *t, double cell_m)
{
	t->cell_m = cell_m;
	t->step_count = (int)(t->cfg.tour_look_m / cell_m);
	t->steps = calloc(RAYS * (size_t)t->step_count + 1, sizeof(*t->steps));
	t->area_m2 = calloc((size_t)t->step_count + 1, sizeof(*t->area_m2));
	if (t->steps == NULL || t->area_m2 == NULL)
		return false;
	for (int k = 0; k < RAYS; k++) {
		t->sure[k] = true;
		for (int i = 0; i < t->step_count; i++) {
			double x = 0.5 + (i + 1) * t->directions[k].x_m,
			       y = 0.5 + (i + 1) * t->directions[k].y_m;
			t->steps[k * t->step_count + i] = (struct step){(int16_t)floor(x), (int16_t)floor(y)};
			t->area_m2[i] = area_m2(cell_m, i + 1);
			t->sure[k] = t->sure[k] && fabs(x - round(x)) > BORDER && fabs(y - round(y)) > BORDER;
		}
	}
	return true;
}

struct cairn_frontier_route *cairn_frontier_route_new(const struct cairn_config *cfg)
{
	struct cairn_frontier_route *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->cfg = cfg->choice;
	t->min_width_m = cfg->mission.frontier_min_width_m;
	t->nearest = cfg->mission.order == CAIRN_CHOICE_ORDER_NEAREST;
	cairn_wavefront_init(&t->wave);
	t->wave.told = true; /* several spreads over the same blocks */
	set_directions(t->directions);
	if (!lay_rays(t, cfg->map.cell_m))
		cairn_frontier_route_destroy(&t);
	return t;
}

void cairn_frontier_route_destroy(struct cairn_frontier_route **tour_p)
{
	if (*tour_p == NULL)
		return;
	cairn_wavefront_free(&(*tour_p)->wave);
	free((*tour_p)->steps);
	free((*tour_p)->area_m2);
	free(*tour_p);
	*tour_p = NULL;
}

/* ---- what would be seen ---- */

/* Adds what ray k from a place shows to what was seen before. */
static double add_ray(const struct cairn_grid *grid, struct cairn_vec2 from, struct cairn_vec2 direction,
    int steps, double seen_m2)
{
	double dx = direction.x_m * grid->cell_m, dy = direction.y_m * grid->cell_m;
	for (int i = 1; i <= steps; i++) {
		int8_t odds = cairn_grid_odds(
		    grid, cairn_grid_cell(grid, from.x_m + i * dx), cairn_grid_cell(grid, from.y_m + i * dy));
		if (odds == CAIRN_ODDS_UNKNOWN)
			seen_m2 += area_m2(grid->cell_m, i);
		else if (cairn_odds_occupied(odds))
			break;
	}
	return seen_m2;
}

double cairn_frontier_route_gain_m2(const struct cairn_grid *grid, double x_m, double y_m, double look_m)
{
	struct cairn_vec2 directions[RAYS];
	double seen_m2 = 0.0;
	set_directions(directions);
	for (int k = 0; k < RAYS; k++)
		seen_m2 = add_ray(grid, (struct cairn_vec2){x_m, y_m}, directions[k],
		    (int)(look_m / grid->cell_m), seen_m2);
	return seen_m2;
}

/* add_ray from the middle of array cell (x, y). */
static double add_sure_ray(const struct cairn_frontier_route *t, const struct cairn_grid *grid, int32_t x,
    int32_t y, int k, double seen_m2)
{
	const struct step *steps = t->steps + k * t->step_count;
	const uint32_t width = (uint32_t)grid->width, height = (uint32_t)grid->height;
	for (int i = 0; i < t->step_count; i++) {
		uint32_t u = (uint32_t)(x + steps[i].x), v = (uint32_t)(y + steps[i].y);
		int8_t odds =
		    u < width && v < height ? grid->odds[(size_t)v * width + u] : CAIRN_ODDS_UNKNOWN;
		if (odds == CAIRN_ODDS_UNKNOWN)
			seen_m2 += t->area_m2[i];
		else if (cairn_odds_occupied(odds))
			break;
	}
	return seen_m2;
}

/* As cairn_frontier_route_gain_m2, to the last bit. */
static double gain_m2(
    const struct cairn_frontier_route *t, const struct cairn_grid *grid, struct cairn_vec2 at)
{
	int32_t cx = cairn_grid_cell(grid, at.x_m), cy = cairn_grid_cell(grid, at.y_m);
	double seen_m2 = 0.0;
	if (grid->cell_m != t->cell_m || fabs(at.x_m / grid->cell_m - cx - 0.5) > 0.1 * BORDER ||
	    fabs(at.y_m / grid->cell_m - cy - 0.5) > 0.1 * BORDER)
		return cairn_frontier_route_gain_m2(grid, at.x_m, at.y_m, t->cfg.tour_look_m);
	for (int k = 0; k < RAYS; k++)
		seen_m2 = t->sure[k] ? add_sure_ray(t, grid, cx - grid->cx0, cy - grid->cy0, k, seen_m2)
				     : add_ray(grid, at, t->directions[k], t->step_count, seen_m2);
	return seen_m2;
}

/* ---- ways over blocks ---- */

static int32_t block_cells(const struct cairn_ground *g)
{
	int32_t n = (int32_t)lround(BLOCK_M / g->grid->cell_m);
	return n < 1 ? 1 : n;
}

/* Adds those of count ways that are known. */
static void note_reached(const uint16_t *restrict way, int32_t count, uint8_t *restrict reached)
{
	for (int32_t i = 0; i < count; i++) /* all at once: the compiler's vectors */
		reached[i] |= way[i] < CAIRN_WAVEFRONT_FAR;
}

/* Adds the cells of a row that the robot can reach, n of them from x on, to those of the rows before. x is
 * even. */
static void add_reached(
    const struct cairn_wavefront *reach, int32_t x, int32_t y, int32_t n, uint8_t *restrict any)
{
	if (!reach->halved) {
		note_reached(reach->way + cairn_wavefront_index(reach, x, y), n, any);
		return;
	}
	/* A block's second column is even: the first block has but one here. */
	uint8_t reached[COLUMNS / 2 + 1] = {0}, wide[COLUMNS + 2];
	const uint8_t *restrict open = reach->open + (size_t)y * (size_t)reach->width + (size_t)x;
	note_reached(reach->way + cairn_wavefront_index(reach, x, y), n / 2 + 1, reached);
	for (int32_t i = 0; i <= n / 2; i++)
		wide[2 * i] = wide[2 * i + 1] = reached[i];
	for (int32_t i = 0; i < n; i++)
		any[i] |= open[i] & wide[i + 1];
}

/* Those of blocks of n columns that hold one of count columns from x0 on. */
static void mark_blocks(const uint8_t *any, int32_t x0, int32_t count, int32_t n, uint8_t *block)
{
	for (int32_t i = 0, at = x0 / n, left = n - x0 % n; i < count; at++, left = n) {
		uint8_t some = 0;
		for (; left > 0 && i < count; i++, left--)
			some |= any[i];
		if (some)
			block[at] = CAIRN_WAVEFRONT_FREE;
	}
}

/* Which blocks of a row of them hold such a cell; their cells' rows go from y0 on. */
static void take_block_row(const struct cairn_wavefront *reach, int32_t y0, int32_t n, uint8_t *block)
{
	uint8_t any[COLUMNS];
	for (int32_t x0 = 0; x0 < reach->width; x0 += COLUMNS) {
		int32_t count = reach->width - x0 < COLUMNS ? reach->width - x0 : COLUMNS;
		memset(any, 0, (size_t)count);
		for (int32_t y = y0; y < y0 + n && y < reach->height; y++)
			add_reached(reach, x0, y, count, any);
		mark_blocks(any, x0, count, n, block);
	}
}

/* A block is open when the robot can reach a cell of it. */
static bool take_blocks(struct cairn_frontier_route *t, const struct cairn_ground *g)
{
	int32_t n = block_cells(g), fine_w = g->reach->width, fine_h = g->reach->height;
	t->width = (fine_w + n - 1) / n;
	t->height = (fine_h + n - 1) / n;
	if (!cairn_wavefront_resize(&t->wave, t->width, t->height))
		return false;
	size_t blocks = (size_t)t->width * (size_t)t->height;
	memset(t->wave.cell, CAIRN_WAVEFRONT_OCCUPIED, blocks);
	for (int32_t y = 0; y < t->height; y++)
		take_block_row(g->reach, y * n, n, t->wave.cell + (size_t)y * (size_t)t->width);
	for (size_t i = 0; i < blocks; i++)
		t->wave.clearance2[i] = t->wave.cell[i] == CAIRN_WAVEFRONT_FREE;
	return true;
}

static void block_of(const struct cairn_ground *g, double x_m, double y_m, int32_t *ret_x, int32_t *ret_y)
{
	int32_t n = block_cells(g);
	*ret_x = (cairn_grid_cell(g->grid, x_m) - g->reach_cx0) / n;
	*ret_y = (cairn_grid_cell(g->grid, y_m) - g->reach_cy0) / n;
}

/* Of the last spread; negative where it did not come. */
static double block_way_m(
    const struct cairn_frontier_route *t, const struct cairn_ground *g, int32_t x, int32_t y)
{
	if (x < 0 || y < 0 || x >= t->width || y >= t->height)
		return -1.0;
	uint32_t d = cairn_wavefront_distance(&t->wave, x, y);
	return d == CAIRN_WAVEFRONT_NEVER ? -1.0
					  : d * block_cells(g) * g->grid->cell_m / CAIRN_WAVEFRONT_STEP;
}

/* The angle the robot must turn through to set off; the spread is from the frontier. */
static double turn_rad(const struct cairn_frontier_route *t, const struct cairn_ground *g,
    struct cairn_pose2 pose, const struct cairn_msg_frontier *f)
{
	int32_t bx, by;
	double best = INFINITY, x = f->goal_x_m, y = f->goal_y_m, edge_m = block_cells(g) * g->grid->cell_m;
	block_of(g, pose.x_m, pose.y_m, &bx, &by);
	if (hypot(x - pose.x_m, y - pose.y_m) < g->grid->cell_m)
		return 0.0;
	for (int32_t dy = -LEAVE_BLOCKS; dy <= LEAVE_BLOCKS; dy++)
		for (int32_t dx = -LEAVE_BLOCKS; dx <= LEAVE_BLOCKS; dx++) {
			if (abs(dx) != LEAVE_BLOCKS && abs(dy) != LEAVE_BLOCKS)
				continue;
			double way = block_way_m(t, g, bx + dx, by + dy);
			if (way < 0.0 || way + hypot(dx, dy) * edge_m >= best)
				continue;
			best = way + hypot(dx, dy) * edge_m;
			if (f->distance_m <= LEAVE_BLOCKS * edge_m)
				continue; /* nearer than the ring: straight at it */
			x = pose.x_m + dx * edge_m;
			y = pose.y_m + dy * edge_m;
		}
	return fabs(cairn_wrap_rad(atan2(y - pose.y_m, x - pose.x_m) - pose.yaw_rad));
}

static bool measure(struct cairn_frontier_route *t, const struct cairn_ground *g, struct cairn_pose2 pose,
    const struct cairn_msg_frontiers *frontiers)
{
	for (uint32_t i = 0; i < t->member_count; i++) {
		struct member *m = &t->members[i];
		const struct cairn_msg_frontier *f = &frontiers->items[m->item];
		int32_t x, y;
		block_of(g, f->goal_x_m, f->goal_y_m, &x, &y);
		if (x < 0 || y < 0 || x >= t->width || y >= t->height)
			return false;
		cairn_wavefront_spread(&t->wave, x, y, 1, 2);
		for (uint32_t k = 0; k < t->member_count; k++) {
			const struct cairn_msg_frontier *to = &frontiers->items[t->members[k].item];
			block_of(g, to->goal_x_m, to->goal_y_m, &x, &y);
			double way = block_way_m(t, g, x, y);
			double straight = hypot(to->goal_x_m - f->goal_x_m, to->goal_y_m - f->goal_y_m);
			t->way_m[i][k] = i == k ? 0.0 : fmax(way, straight);
		}
		block_of(g, 0.0, 0.0, &x, &y);
		m->home_m = fmax(block_way_m(t, g, x, y), 0.0);
		m->first_m = f->distance_m + t->cfg.tour_turn_m * turn_rad(t, g, pose, f) / M_PI;
		double gain = gain_m2(t, g->grid, (struct cairn_vec2){f->x_m, f->y_m});
		gain = cairn_belief_gain_m2(
		    g->belief, g->grid->cell_m, f->x_m, f->y_m, t->cfg.tour_look_m, gain);
		m->gain_m2 = fmax(gain, GAIN_MIN_M2);
	}
	for (uint32_t i = 0; i < t->member_count; i++) /* blocks may make it longer one way than the other */
		for (uint32_t k = 0; k < i; k++)
			t->way_m[i][k] = t->way_m[k][i] = fmax(t->way_m[i][k], t->way_m[k][i]);
	return true;
}

/* ---- groups ---- */

static uint32_t group_within(struct cairn_frontier_route *t, double radius_m)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < t->member_count; i++)
		t->members[i].group = UINT32_MAX;
	for (uint32_t i = 0; i < t->member_count; i++) {
		if (t->members[i].group != UINT32_MAX)
			continue;
		for (uint32_t k = i; k < t->member_count; k++) /* nearest first: i is the group's middle */
			if (t->members[k].group == UINT32_MAX && t->way_m[i][k] <= radius_m)
				t->members[k].group = count;
		count++;
	}
	return count;
}

static uint32_t make_groups(struct cairn_frontier_route *t)
{
	double radius_m = GROUP_M;
	uint32_t count = group_within(t, radius_m);
	while (count > CAIRN_FRONTIER_ROUTE_GROUPS)
		count = group_within(t, radius_m *= GROUP_GROWTH);
	return count;
}

struct groups {
	uint32_t count;
	double first_m[CAIRN_FRONTIER_ROUTE_GROUPS], end_m[CAIRN_FRONTIER_ROUTE_GROUPS],
	    gain[CAIRN_FRONTIER_ROUTE_GROUPS];
	double way_m[CAIRN_FRONTIER_ROUTE_GROUPS][CAIRN_FRONTIER_ROUTE_GROUPS],
	    cost_m[CAIRN_FRONTIER_ROUTE_GROUPS];
};

static void sum_up(const struct cairn_frontier_route *t, struct groups *g)
{
	for (uint32_t a = 0; a < g->count; a++) {
		g->first_m[a] = g->end_m[a] = INFINITY;
		g->gain[a] = 0.0;
		for (uint32_t b = 0; b < g->count; b++)
			g->way_m[a][b] = a == b ? 0.0 : INFINITY;
	}
	for (uint32_t i = 0; i < t->member_count; i++) {
		const struct member *m = &t->members[i];
		g->first_m[m->group] = fmin(g->first_m[m->group], m->first_m);
		g->end_m[m->group] = fmin(g->end_m[m->group], t->cfg.tour_home * m->home_m);
		g->gain[m->group] += m->gain_m2;
		for (uint32_t k = 0; k < t->member_count; k++)
			g->way_m[m->group][t->members[k].group] =
			    fmin(g->way_m[m->group][t->members[k].group], t->way_m[i][k]);
	}
}

void cairn_frontier_route_costs(uint32_t count, const double *first_m,
    const double way_m[][CAIRN_FRONTIER_ROUTE_GROUPS], const double *end_m, const double *gain, double eager,
    float *scratch, double *ret_cost_m)
{
	uint32_t sets = UINT32_C(1) << count;
	double total = 0.0, way_to[CAIRN_FRONTIER_ROUTE_GROUPS][CAIRN_FRONTIER_ROUTE_GROUPS] = {{0.0}};
	for (uint32_t i = 0; i < count; i++) {
		total += gain[i];
		for (uint32_t k = 0; k < count; k++)
			way_to[k][i] = way_m[i][k];
	}
	/* scratch[set * count + i]: from group i on, with all of the set seen. */
	for (uint32_t set = sets - 1; set > 0; set--) {
		double seen = 0.0, best[CAIRN_FRONTIER_ROUTE_GROUPS];
		for (uint32_t i = 0; i < count; i++)
			seen += (set >> i & 1u) != 0 ? gain[i] : 0.0;
		double weight = 1.0 + (total > 0.0 ? eager * (1.0 - seen / total) : 0.0);
		for (uint32_t i = 0; i < CAIRN_FRONTIER_ROUTE_GROUPS; i++)
			best[i] = set == sets - 1 && i < count ? end_m[i] : INFINITY;
		for (uint32_t left = ~set & (sets - 1); left != 0; left &= left - 1) {
			uint32_t k = (uint32_t)__builtin_ctz(left);
			double on = (double)scratch[(set | UINT32_C(1) << k) * count + k];
			for (uint32_t i = 0; i < CAIRN_FRONTIER_ROUTE_GROUPS;
			     i++) /* all at once: the compiler's vectors */
				best[i] = cairn_smaller(way_to[k][i] * weight + on, best[i]);
		}
		for (uint32_t i = 0; i < count; i++)
			if ((set >> i & 1u) != 0)
				scratch[set * count + i] = (float)best[i];
	}
	for (uint32_t i = 0; i < count; i++)
		ret_cost_m[i] = first_m[i] * (1.0 + eager) + (double)scratch[(UINT32_C(1) << i) * count + i];
}

/* ---- ranking ---- */

static bool worth_it(const struct cairn_frontier_route *t, const struct cairn_msg_frontier *f,
    const struct cairn_msg_given_up *given_up, uint32_t given_up_count)
{
	return f->distance_m >= 0.0 && f->width_m >= t->min_width_m &&
	       !cairn_frontier_is_given_up(given_up, given_up_count, f);
}

static bool is_target(const struct cairn_frontier_route *t, const struct cairn_msg_frontier *f)
{
	return t->has_target &&
	       (f->id == t->target_id || hypot(f->x_m - t->target.x_m, f->y_m - t->target.y_m) <= SAME_M);
}

/* The least becomes 0; the one of last time stays in front for a while. */
static void settle(
    struct cairn_frontier_route *t, struct cairn_msg_frontiers *frontiers, const double *cost_m)
{
	uint32_t best = UINT32_MAX;
	double least = INFINITY;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		double cost = cost_m[i] - (is_target(t, f) ? t->cfg.tour_keep_m : 0.0);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	t->has_target = best != UINT32_MAX;
	if (!t->has_target)
		return;
	t->target_id = frontiers->items[best].id;
	t->target = (struct cairn_vec2){frontiers->items[best].x_m, frontiers->items[best].y_m};
	for (uint32_t i = 0; i < frontiers->items_count; i++)
		if (i != best && isfinite(cost_m[i]))
			frontiers->items[i].detour_m = fmax(cost_m[i] - cost_m[best], 0.0) + 1e-3;
	frontiers->items[best].detour_m = 0.0;
}

bool cairn_frontier_route_rank(struct cairn_frontier_route *t, const struct cairn_ground *ground,
    struct cairn_pose2 pose, const struct cairn_msg_given_up *given_up, uint32_t given_up_count,
    struct cairn_msg_frontiers *frontiers)
{
	double cost_m[sizeof(frontiers->items) / sizeof(frontiers->items[0])];
	struct groups g;
	t->member_count = 0;
	for (uint32_t i = 0; i < frontiers->items_count; i++) { /* nearest first */
		struct cairn_msg_frontier *f = &frontiers->items[i];
		bool worth = worth_it(t, f, given_up, given_up_count);
		f->detour_m = -1.0;
		cost_m[i] = worth ? f->distance_m : INFINITY;
		if (worth && t->member_count < CAIRN_FRONTIER_ROUTE_FRONTIERS)
			t->members[t->member_count++] = (struct member){.item = i};
	}
	bool ok = t->nearest || t->member_count == 0 ||
		  (take_blocks(t, ground) && measure(t, ground, pose, frontiers));
	if (ok && !t->nearest && t->member_count > 0) {
		g.count = make_groups(t);
		sum_up(t, &g);
		cairn_frontier_route_costs(g.count, g.first_m,
		    (const double(*)[CAIRN_FRONTIER_ROUTE_GROUPS])g.way_m, g.end_m, g.gain, t->cfg.tour_eager,
		    t->scratch, g.cost_m);
		double worst = 0.0;
		for (uint32_t i = 0; i < t->member_count; i++) {
			const struct member *m = &t->members[i];
			cost_m[m->item] = g.cost_m[m->group] +
					  (1.0 + t->cfg.tour_eager) * (m->first_m - g.first_m[m->group]);
			worst = fmax(worst, cost_m[m->item]);
		}
		for (uint32_t i = t->members[t->member_count - 1].item + 1; i < frontiers->items_count; i++)
			cost_m[i] += worst;
	}
	settle(t, frontiers, cost_m);
	return ok;
}
