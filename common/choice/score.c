#include "common/choice/score.h"

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
	uint32_t steps = cairn_wave_distance(g->reach, x, y);
	return steps == CAIRN_WAVE_NEVER ? -1.0 : steps * g->grid->cell_m / CAIRN_WAVE_STEP;
}

static int32_t look_cells(const struct cairn_grid *grid, double metres)
{
	int32_t cells = (int32_t)floor(metres / grid->cell_m + 1e-6);
	return cells < CAIRN_SCORE_LOOK_CELLS ? cells : CAIRN_SCORE_LOOK_CELLS;
}

double cairn_ground_clearance_m(const struct cairn_ground *g, double half_width_m, double x_m, double y_m)
{
	const struct cairn_grid *grid = g->grid;
	int32_t cx = cairn_grid_cell(grid, x_m), cy = cairn_grid_cell(grid, y_m);
	int32_t r = look_cells(grid, CAIRN_SCORE_LOOK_M), best = r * r;
	for (int32_t dy = -r; dy <= r; dy++) {
		if (dy * dy >= best)
			continue;
		for (int32_t dx = -r; dx <= r; dx++) {
			int32_t d2 = dx * dx + dy * dy;
			if (d2 < best && cairn_odds_occupied(cairn_grid_odds(grid, cx + dx, cy + dy)))
				best = d2;
		}
	}
	return (sqrt((double)best) - 0.5) * grid->cell_m - half_width_m;
}

double cairn_ground_unknown_share(
    const struct cairn_ground *g, struct cairn_score_scratch *s, double x_m, double y_m)
{
	static const int8_t step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	const struct cairn_grid *grid = g->grid;
	int32_t cx = cairn_grid_cell(grid, x_m), cy = cairn_grid_cell(grid, y_m);
	int32_t r = look_cells(grid, CAIRN_SCORE_LOOK_M), side = 2 * r + 1;
	uint32_t count = 0, unknown = 0;
	memset(s->seen, 0, (size_t)side * (size_t)side);
	s->queue[count++] = (uint16_t)(r * side + r);
	s->seen[r * side + r] = 1;
	for (uint32_t next = 0; next < count; next++) {
		int32_t dx = s->queue[next] % side - r, dy = s->queue[next] / side - r;
		unknown += cairn_grid_odds(grid, cx + dx, cy + dy) == CAIRN_ODDS_UNKNOWN;
		for (int k = 0; k < 4; k++) {
			int32_t u = dx + step[k][0], v = dy + step[k][1], at = (v + r) * side + u + r;
			if (u * u + v * v > r * r || s->seen[at] ||
			    cairn_odds_occupied(cairn_grid_odds(grid, cx + u, cy + v)))
				continue;
			s->seen[at] = 1;
			s->queue[count++] = (uint16_t)at;
		}
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
		for (int32_t dx = -r; dx <= r; dx++) {
			if (dx * dx + dy * dy > r * r)
				continue;
			count++;
			visited += cairn_grid_has(grid, cx + dx, cy + dy) &&
				   grid->visits[cairn_grid_index(grid, cx + dx, cy + dy)] != 0;
		}
	}
	return (double)visited / count;
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
