#include "common/eval/mapping.h"

#define LATE_S 2.0 /* poses are judged from here on */

/* Gathers while the run goes on. */
struct watch {
	struct cairn_mapping_report *report;
	struct cairn_pose2 seen;
	double sum_m;
};

static bool finished(const struct cairn_run *run)
{
	return cairn_run_output(run)->mission.state == CAIRN_MISSION_STATE_FINISHED;
}

/* Judges each pose when it is new: then it belongs to this very step. */
static bool watch_step(void *ctx, struct cairn_run *run)
{
	struct watch *w = ctx;
	struct cairn_mapping_report *r = w->report;
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	if (p == NULL || (p->x_m == w->seen.x_m && p->y_m == w->seen.y_m && p->yaw_rad == w->seen.yaw_rad))
		return !finished(run);
	w->seen = (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad};
	if (cairn_run_elapsed_s(run) < LATE_S)
		return true;
	struct cairn_pose2 e = cairn_pose_between(cairn_run_true_pose(run), w->seen);
	r->end_m = hypot(e.x_m, e.y_m);
	r->end_rad = fabs(e.yaw_rad);
	r->worst_m = fmax(r->worst_m, r->end_m);
	r->worst_rad = fmax(r->worst_rad, r->end_rad);
	w->sum_m += r->end_m;
	r->poses++;
	r->not_good += p->tracking != CAIRN_TRACKING_GOOD;
	return !finished(run);
}

/* Squared distance of a point to an edge. */
static double edge_distance2(const struct cairn_edge *e, double x, double y)
{
	double ax = (double)e->ax_m, ay = (double)e->ay_m, dx = (double)e->bx_m - ax,
	       dy = (double)e->by_m - ay;
	double length2 = dx * dx + dy * dy;
	double t = length2 > 0.0 ? cairn_clamp(((x - ax) * dx + (y - ay) * dy) / length2, 0.0, 1.0) : 0.0;
	double ex = ax + t * dx - x, ey = ay + t * dy - y;
	return ex * ex + ey * ey;
}

static bool near_wall(const struct cairn_world *world, double lidar_z_m, struct cairn_vec2 p, double within_m)
{
	for (uint32_t i = 0; i < world->edge_count; i++) {
		const struct cairn_edge *e = &world->edges[i];
		if ((double)e->z0_m <= lidar_z_m && (double)e->z1_m >= lidar_z_m && e->glass == 0 &&
		    edge_distance2(e, p.x_m, p.y_m) <= within_m * within_m)
			return true;
	}
	return false;
}

uint32_t cairn_mapping_near_walls(const struct cairn_grid *grid, const struct cairn_world *world,
    double lidar_z_m, struct cairn_pose2 world_from_map)
{
	uint32_t near = 0;
	for (int32_t cy = grid->known.min_cy; cy <= grid->known.max_cy; cy++) {
		for (int32_t cx = grid->known.min_cx; cx <= grid->known.max_cx; cx++) {
			if (!cairn_odds_occupied(cairn_grid_odds(grid, cx, cy)))
				continue;
			struct cairn_vec2 p = cairn_pose_apply(world_from_map,
			    (struct cairn_vec2){(cx + 0.5) * grid->cell_m, (cy + 0.5) * grid->cell_m});
			near += near_wall(world, lidar_z_m, p, grid->cell_m);
		}
	}
	return near;
}

static void judge_end(struct cairn_run *run, const struct cairn_config *cfg, const struct cairn_world *world,
    struct cairn_mapping_report *r)
{
	struct cairn_mapper *mapper = cairn_run_mapper(run);
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_pose2 truth = cairn_run_true_pose(run), in_world = cairn_run_truth(run)->body.pose;
	struct cairn_mapper_counts c = cairn_mapper_counts(mapper);
	uint32_t keys;
	const struct cairn_keyframe *k = cairn_mapper_keyframes(mapper, &keys);
	r->seconds = cairn_run_elapsed_s(run);
	r->driven_m = cairn_run_totals(run).odometry_m;
	r->finished = finished(run);
	r->occupied = grid->occupied_cells;
	r->near_walls = cairn_mapping_near_walls(
	    grid, world, cfg->robot.lidar_z_m, cairn_pose_compose(in_world, cairn_pose_inverse(truth)));
	r->free_m2 = grid->free_cells * grid->cell_m * grid->cell_m;
	r->loops = (uint32_t)c.loops;
	r->loops_dropped = (uint32_t)c.loops_dropped;
	r->refused = c.refused;
	r->wild = c.wild;
	r->epochs = cairn_mapper_epoch(mapper);
	r->keyframes = keys;
	if (keys > 0) { /* the newest keyframe's place by odometry, against its place in the map */
		struct cairn_pose2 e = cairn_pose_between(k[keys - 1].pose, k[keys - 1].track);
		r->odometry_m = hypot(e.x_m, e.y_m);
		r->odometry_rad = fabs(e.yaw_rad);
	}
}

bool cairn_mapping_run(const struct cairn_config *cfg, const struct cairn_world *world, double limit_s,
    struct cairn_mapping_report *ret, struct cairn_error *err)
{
	*ret = (struct cairn_mapping_report){0};
	struct watch watch = {.report = ret};
	struct cairn_run_options options = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = limit_s,
	    .observe = watch_step,
	    .observe_ctx = &watch};
	struct cairn_run *run = cairn_run_new(&options, err);
	if (run == NULL)
		return false;
	cairn_run_all(run);
	ret->mean_m = ret->poses > 0 ? watch.sum_m / ret->poses : 0.0;
	judge_end(run, cfg, world, ret);
	cairn_run_destroy(&run);
	return true;
}
