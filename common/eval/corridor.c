#include "common/eval/corridor.h"

#include <stdlib.h>

#include "common/base/rng.h"
#include "common/device/wheel_odom.h"
#include "common/sim/robot/sim.h"
#include "common/slam/mapper.h"

#define STREAM 61
#define T0_NS (1000 * CAIRN_NS_PER_S)
#define EPOCH 1
#define ODOM_STEPS 4
#define SLIP 0.05
#define YAW_DRIFT_DEG_PER_M 0.5
#define LEG_SCALE 0.05    /* a leg's odometry is long or short by up to this share, beside the slip */
#define SPIN_EVERY_M 15.0 /* on average wheels spin in place so often, */
#define SPIN_MOST_M 0.4   /* and odometry tells up to so much way that was none */
#define SPIN_MPS 0.3      /* as fast as it tells of it */
#define SPEED_MPS 0.4
#define AHEAD_M 0.8 /* pure pursuit */
#define TURN_RADPS 0.8
#define TURNED_RAD 0.01
#define LIMIT_S 1800.0
#define SCANS_MAX 18000
#define REVISIT_M 0.5
#define SEES_END_M 8.0    /* from here an end of the corridor is seen: less than map.range_use_m */
#define REVISIT_WAY_M 6.0 /* the way between two passes of one place */

struct drive {
	struct cairn_corridors world;
	struct cairn_config cfg;
	struct cairn_sim *sim;
	struct cairn_mapper *mapper;
	struct cairn_wheel_odom wheels;
	struct cairn_rng rng;
	struct cairn_msg_scan scan;
	struct cairn_corridor_result *r;
	int64_t now_ns;
	uint64_t steps;
	double gyro_sum;
	uint32_t gyro_count;
	uint32_t leg; /* to way[leg] */
	bool turning;
	double leg_scale, spin_left_m, spin_at_m; /* spin_at_m: of the way driven */
	struct cairn_pose2 wheel_pose, told;      /* odometry as the wheels have it; as the mapper is told */
	struct cairn_pose2 *truth;                /* of each scan, world frame */
};

/* ---- the robot ---- */

static void begin_leg(struct drive *d)
{
	d->leg++;
	d->turning = true;
	d->leg_scale = 1.0 + LEG_SCALE * (2.0 * cairn_rng_uniform(&d->rng) - 1.0);
}

static struct cairn_drive steer(struct drive *d)
{
	struct cairn_pose2 at = cairn_sim_state(d->sim)->body.pose;
	struct cairn_vec2 from = d->world.way[d->leg - 1], end = d->world.way[d->leg];
	double dx = end.x_m - from.x_m, dy = end.y_m - from.y_m, length = hypot(dx, dy);
	double along = ((at.x_m - from.x_m) * dx + (at.y_m - from.y_m) * dy) / length;
	struct cairn_drive out = {0};
	if (d->turning) {
		double off = cairn_wrap_rad(atan2(dy, dx) - at.yaw_rad);
		d->turning = fabs(off) > TURNED_RAD;
		cairn_sim_spin(d->sim, d->turning ? cairn_clamp(2.0 * off, -TURN_RADPS, TURN_RADPS) : 0.0);
		return out;
	}
	if (along >= length) {
		begin_leg(d);
		return out;
	}
	double t = (along + AHEAD_M) / length;
	struct cairn_vec2 aim = cairn_pose_apply(
	    cairn_pose_inverse(at), (struct cairn_vec2){from.x_m + t * dx, from.y_m + t * dy});
	double w = SPEED_MPS * 2.0 * aim.y_m / (aim.x_m * aim.x_m + aim.y_m * aim.y_m);
	double hold = cairn_sim_state(d->sim)->body.steer_rad;
	return (struct cairn_drive){SPEED_MPS, cairn_sim_steer_for(&d->cfg, SPEED_MPS, w, hold), 0.0};
}

/* ---- what the mapper is told ---- */

/* Way that the wheels tell of and the robot did not make, in the time of one report. */
static double spun(struct drive *d, double step_m)
{
	double driven_m = cairn_sim_state(d->sim)->body.distance_m;
	if (driven_m >= d->spin_at_m) {
		d->spin_at_m = driven_m + 2.0 * SPIN_EVERY_M * cairn_rng_uniform(&d->rng);
		d->spin_left_m = SPIN_MOST_M * cairn_rng_uniform(&d->rng);
	}
	double most = step_m > 0.0 ? SPIN_MPS * ODOM_STEPS * CAIRN_SIM_STEP_S : 0.0;
	double now = fmin(most, d->spin_left_m);
	d->spin_left_m -= now;
	return now;
}

static void report_odometry(struct drive *d)
{
	const struct cairn_body *b = &cairn_sim_state(d->sim)->body;
	double ticks = d->cfg.robot.encoder_ticks_per_m;
	int32_t left = (int32_t)floor(b->wheel_left_m * ticks),
		right = (int32_t)floor(b->wheel_right_m * ticks);
	const int32_t counts[4] = {left, left, right, right};
	struct cairn_msg_odom m;
	cairn_wheel_odom_speed(&d->wheels, b->wheel_mps, b->steer_rad, d->now_ns);
	cairn_wheel_odom_gyro(&d->wheels, d->gyro_sum / d->gyro_count, d->now_ns);
	d->gyro_sum = 0.0;
	d->gyro_count = 0;
	if (!cairn_wheel_odom_encoders(&d->wheels, counts, d->now_ns))
		return;
	cairn_wheel_odom_message(&d->wheels, &m);
	struct cairn_pose2 at = {m.x_m, m.y_m, m.yaw_rad}, step = cairn_pose_between(d->wheel_pose, at);
	d->wheel_pose = at;
	step.x_m = step.x_m * d->leg_scale + spun(d, step.x_m);
	d->told = cairn_pose_compose(d->told, step);
	m.x_m = d->told.x_m;
	m.y_m = d->told.y_m;
	m.yaw_rad = d->told.yaw_rad;
	(void)cairn_mapper_odom(d->mapper, &m, d->now_ns, EPOCH, NULL);
}

static void report_scan(struct drive *d)
{
	struct cairn_msg_pose pose;
	d->scan.t_start_ns = d->now_ns - CAIRN_LIDAR_TURN_STEPS * CAIRN_SIM_STEP_NS;
	(void)cairn_mapper_scan(d->mapper, &d->scan, d->now_ns);
	cairn_mapper_pose(d->mapper, &pose);
	d->r->weak += pose.tracking == CAIRN_TRACKING_WEAK;
	d->r->lost += pose.tracking == CAIRN_TRACKING_LOST;
	d->truth[d->r->scans++] = cairn_sim_state(d->sim)->body.pose;
}

static void drive(struct drive *d)
{
	const struct cairn_body *b = &cairn_sim_state(d->sim)->body;
	begin_leg(d);
	d->spin_at_m = SPIN_EVERY_M * cairn_rng_uniform(&d->rng);
	while (d->leg < d->world.way_count && (double)d->steps * CAIRN_SIM_STEP_S < LIMIT_S) {
		d->now_ns += CAIRN_SIM_STEP_NS;
		d->steps++;
		(void)cairn_sim_step(d->sim, steer(d), true);
		d->gyro_sum += b->gyro_radps;
		d->gyro_count++;
		if (d->steps % ODOM_STEPS == 0)
			report_odometry(d);
		if (cairn_sim_scan(d->sim, &d->scan) && d->r->scans < SCANS_MAX)
			report_scan(d);
	}
	d->r->arrived = d->leg == d->world.way_count;
	d->r->driven_m = b->distance_m;
	cairn_mapper_settle(d->mapper);
}

/* ---- judging ---- */

static struct cairn_pose2 truth_at(const struct drive *d, int64_t t_ns)
{
	int64_t scan = (t_ns - T0_NS) / (CAIRN_LIDAR_TURN_STEPS * CAIRN_SIM_STEP_NS) - 1;
	return d->truth[scan < 0 ? 0 : scan < d->r->scans ? scan : d->r->scans - 1];
}

static void judge_ties(const struct drive *d, const struct cairn_keyframe *keys)
{
	const struct cairn_pose_graph *g = cairn_mapper_graph(d->mapper);
	for (uint32_t i = 0; i < g->edge_count; i++) {
		const struct cairn_pose_graph_edge *e = &g->edges[i];
		if (e->kind != CAIRN_EDGE_NEAR && e->kind != CAIRN_EDGE_LOOP)
			continue;
		struct cairn_pose2 a = truth_at(d, keys[e->a].t_ns), b = truth_at(d, keys[e->b].t_ns);
		struct cairn_pose2 off = cairn_pose_between(e->z, cairn_pose_between(a, b));
		double off_m = hypot(off.x_m, off.y_m);
		bool far = off_m > CAIRN_CORRIDOR_WRONG_M || fabs(off.yaw_rad) > CAIRN_CORRIDOR_WRONG_RAD;
		struct cairn_pose_graph pair = {.nodes = (struct cairn_pose2[]){a, b}, .node_count = 2};
		struct cairn_pose_graph_edge alone = *e;
		alone.a = 0;
		alone.b = 1;
		d->r->ties++;
		d->r->loops += e->kind == CAIRN_EDGE_LOOP;
		if (!far || cairn_pose_graph_chi2(&pair, &alone) < CAIRN_CORRIDOR_WRONG_CHI2)
			continue;
		d->r->wrong++;
		d->r->wrong_m = fmax(d->r->wrong_m, off_m);
	}
}

/* The keyframe of an earlier pass nearest to the place of keyframe i; count: none. */
static uint32_t earlier_pass(
    const struct drive *d, const struct cairn_keyframe *keys, uint32_t i, uint32_t count)
{
	struct cairn_pose2 at = truth_at(d, keys[i].t_ns);
	uint32_t old = count;
	double best = REVISIT_M;
	for (uint32_t k = 0; k < i; k++) {
		struct cairn_pose2 p = truth_at(d, keys[k].t_ns);
		double far = hypot(p.x_m - at.x_m, p.y_m - at.y_m);
		if (far < best && keys[i].path_m - keys[k].path_m > REVISIT_WAY_M) {
			best = far;
			old = k;
		}
	}
	return old;
}

static bool between_smooth_walls(const struct drive *d, struct cairn_pose2 at)
{
	return !d->world.doors && at.x_m > SEES_END_M && at.x_m < d->world.length_m - SEES_END_M;
}

/* Passes of one place: how far apart does the graph have them, against the truth? */
static void judge_revisits(const struct drive *d, const struct cairn_keyframe *keys, uint32_t count)
{
	const struct cairn_pose_graph *g = cairn_mapper_graph(d->mapper);
	double sum = 0.0, blind_sum = 0.0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t old = earlier_pass(d, keys, i, count);
		if (old == count)
			continue;
		struct cairn_pose2 a = truth_at(d, keys[old].t_ns), b = truth_at(d, keys[i].t_ns);
		struct cairn_pose2 has =
		    cairn_pose_compose(a, cairn_pose_between(g->nodes[old], g->nodes[i]));
		bool smooth = between_smooth_walls(d, b); /* the corridors lie along x */
		double off_m = smooth ? fabs(has.y_m - b.y_m) : hypot(has.x_m - b.x_m, has.y_m - b.y_m);
		d->r->revisits++;
		sum += off_m;
		d->r->revisit_worst_m = fmax(d->r->revisit_worst_m, off_m);
		d->r->blind_revisits += smooth;
		blind_sum += smooth ? fabs(has.x_m - b.x_m) : 0.0;
	}
	d->r->revisit_mean_m = d->r->revisits > 0 ? sum / d->r->revisits : 0.0;
	d->r->blind_mean_m = d->r->blind_revisits > 0 ? blind_sum / d->r->blind_revisits : 0.0;
}

static void judge(const struct drive *d)
{
	uint32_t key, count;
	struct cairn_pose2 from_key;
	const struct cairn_keyframe *keys = cairn_mapper_keyframes(d->mapper, &count);
	const struct cairn_pose_graph *g = cairn_mapper_graph(d->mapper);
	d->r->keyframes = count;
	if (d->r->scans == 0 || !cairn_mapper_anchor(d->mapper, &key, &from_key))
		return;
	struct cairn_pose2 first = truth_at(d, keys[0].t_ns), last = d->truth[d->r->scans - 1];
	struct cairn_pose2 truth = cairn_pose_between(first, last);
	struct cairn_pose2 off = cairn_pose_between(
	    truth, cairn_pose_between(g->nodes[0], cairn_pose_compose(g->nodes[key], from_key)));
	struct cairn_pose2 slipped = cairn_pose_between(truth, cairn_pose_between(keys[0].track, d->told));
	d->r->end_m = hypot(off.x_m, off.y_m);
	d->r->end_rad = fabs(off.yaw_rad);
	d->r->odometry_m = hypot(slipped.x_m, slipped.y_m);
	judge_ties(d, keys);
	judge_revisits(d, keys, count);
}

bool cairn_corridor_closed(const struct cairn_corridor_result *r)
{
	return r->arrived && r->end_m <= CAIRN_CORRIDOR_END_MAX_M &&
	       r->end_rad <= CAIRN_CORRIDOR_END_MAX_RAD && r->revisit_mean_m <= CAIRN_CORRIDOR_REVISIT_MAX_M;
}

static bool prepare(struct drive *d, struct cairn_error *err)
{
	d->truth = malloc(sizeof(*d->truth) * SCANS_MAX);
	d->sim = cairn_sim_new(&d->cfg, d->world.world, err);
	if (d->sim == NULL)
		return false;
	d->mapper = cairn_mapper_new(&d->cfg);
	if (d->mapper == NULL || d->truth == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	cairn_sim_sweeps(d->sim, false);
	cairn_wheel_odom_init(
	    &d->wheels, &(struct cairn_wheel_odom_params){.ticks_per_m = d->cfg.robot.encoder_ticks_per_m,
			    .encoder_mask = d->cfg.robot.encoder_mask,
			    .speed_max_mps = d->cfg.robot.speed_max_mps});
	return true;
}

bool cairn_corridor_run(const struct cairn_corridor_options *options, uint64_t number,
    struct cairn_corridor_result *ret, struct cairn_error *err)
{
	*ret = (struct cairn_corridor_result){.number = number};
	struct drive *d = calloc(1, sizeof(*d));
	if (d == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	d->cfg = *options->cfg;
	d->cfg.sim.slip = SLIP;
	d->cfg.sim.yaw_drift_deg_per_m = YAW_DRIFT_DEG_PER_M;
	d->cfg.sim.seed = (int)((options->seed * UINT64_C(7919) + number) % INT32_MAX);
	d->now_ns = T0_NS;
	d->r = ret;
	cairn_rng_seed(&d->rng, options->seed * UINT64_C(1000003) + number, STREAM);
	bool ok = cairn_corridors_generate(options->seed, number, &d->world, err) && prepare(d, err);
	if (ok) {
		ret->kind = d->world.kind;
		ret->length_m = d->world.length_m;
		ret->width_m = d->world.width_m;
		ret->apart_m = d->world.apart_m;
		drive(d);
		judge(d);
	}
	cairn_mapper_destroy(&d->mapper);
	cairn_sim_destroy(&d->sim);
	cairn_world_destroy(&d->world.world);
	free(d->truth);
	free(d);
	return ok;
}
