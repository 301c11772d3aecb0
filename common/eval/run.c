#include "common/eval/run.h"

#include <stdlib.h>
#include <string.h>

#include "common/eval/run_private.h"
#include "common/explore/explorer_ports.h"
#include "common/plan/planner_ports.h"
#include "common/sequencer/sequencer_ports.h"

#define T0_NS (1000 * CAIRN_NS_PER_S) /* stamps are never near 0, which means "never" in places */
#define ODOM_STEPS 4
#define MOTOR_STEPS 2
#define CONTROL_STEPS 5
#define PLAN_AT 3 /* between the motor's word and the sequencer's step */
#define DEPTH_STEPS 10
#define DEPTH_AT 6 /* the camera is not in step with the LiDAR */
#define REPORT_STEPS 50
#define GRID_REPEAT_NS CAIRN_NS_PER_S

/* ---- making ---- */

/* What others look at from outside. */
static void keep(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	struct cairn_run *r = ctx;
	if (r->o.on_message != NULL)
		r->o.on_message(r->o.message_ctx, topic, message);
	if (topic == CAIRN_TOPIC_POSE) {
		r->pose = *(const struct cairn_msg_pose *)message;
		r->pose_some = true;
	} else if (topic == CAIRN_TOPIC_FRONTIERS) {
		r->frontiers = *(const struct cairn_msg_frontiers *)message;
	} else if (topic == CAIRN_TOPIC_CANDIDATES) {
		r->candidates = *(const struct cairn_msg_candidates *)message;
		r->candidates_ns = t_ns;
	}
}

static bool make_map(struct cairn_run *r, struct cairn_error *err)
{
	if (r->o.map == CAIRN_RUN_MAP_NONE)
		return true;
	if (!cairn_mapper_ports_open(&r->ports, r->cfg, 1, err))
		return false;
	r->explorer = r->ports.explorer;
	if (r->o.goal != NULL)
		cairn_explorer_set_goal(r->explorer, *r->o.goal);
	if (r->o.map == CAIRN_RUN_MAP_MAPPER)
		return (r->ports.mapper = cairn_mapper_new(r->cfg)) != NULL;
	return (r->true_map = cairn_true_map_new(r->cfg)) != NULL;
}

static bool make_cores(struct cairn_run *r, struct cairn_error *err)
{
	struct cairn_motor_params params;
	cairn_motor_params_from(&params, r->cfg);
	cairn_motor_init(&r->motor, &params, false, r->now_ns);
	cairn_motor_device(&r->motor, true);
	r->axes = cairn_base_axes_from(r->cfg);
	cairn_wheel_odom_init(&r->odom,
	    &(struct cairn_wheel_odom_params){
		.ticks_per_m = cairn_base_axes_ticks_per_m(&r->axes, r->cfg->robot.encoder_ticks_per_m),
		.encoder_mask = r->cfg->robot.encoder_mask,
		.speed_max_mps = r->cfg->robot.speed_max_mps});
	r->percept = cairn_percept_params_from_config(r->cfg);
	bool ok = make_map(r, err);
	if (ok && r->o.map != CAIRN_RUN_MAP_NONE)
		ok = (r->planner = cairn_planner_new(r->cfg, err)) != NULL;
	if (ok && !r->o.without_sequencer)
		ok = (r->seq = cairn_sequencer_new(r->cfg, NULL, r->now_ns)) != NULL;
	r->bus = (struct cairn_lockstep){.seq = r->seq,
	    .planner = r->planner,
	    .motor = &r->motor,
	    .mapper = r->ports.mapper != NULL ? &r->ports : NULL,
	    .explorer = r->explorer,
	    .now_ns = r->now_ns,
	    .tap = keep,
	    .tap_ctx = r};
	cairn_lockstep_init(&r->bus);
	r->ports.box = &r->bus.mapper_box;
	run_model_init(r);
	if (!ok && err->text[0] == '\0')
		cairn_error_set(err, "out of memory");
	return ok;
}

struct cairn_run *cairn_run_new(const struct cairn_run_options *options, struct cairn_error *err)
{
	struct cairn_run *r = calloc(1, sizeof(*r));
	if (r == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	r->o = *options;
	r->cfg = options->cfg;
	r->t0_ns = r->now_ns = r->t_look_ns = T0_NS;
	r->duration_ns = (int64_t)(options->duration_s * 1e9);
	r->delay_ns = (int64_t)(cairn_clamp(options->delay_s, 0.0, CAIRN_RUN_DELAY_MAX_S) * 1e9);
	r->sim = cairn_sim_new(r->cfg, options->world, err);
	if (r->sim == NULL || !make_cores(r, err)) {
		cairn_run_destroy(&r);
		return NULL;
	}
	cairn_sim_sweeps(r->sim, options->coverage);
	if (options->known_map && r->true_map != NULL)
		run_look_everywhere(r);
	return r;
}

void cairn_run_destroy(struct cairn_run **run_p)
{
	struct cairn_run *r = *run_p;
	*run_p = NULL;
	if (r == NULL)
		return;
	cairn_sim_destroy(&r->sim);
	cairn_sequencer_destroy(&r->seq);
	cairn_planner_destroy(&r->planner);
	cairn_mapper_ports_close(&r->ports);
	cairn_true_map_destroy(&r->true_map);
	free(r->cells);
	free(r);
}

/* ---- the robot's board ---- */

static void report_odometry(struct cairn_run *r)
{
	const struct cairn_body *b = &cairn_sim_state(r->sim)->body;
	const struct cairn_mounting *truth = cairn_sim_mounting(r->sim);
	int32_t left = cairn_mounting_count(truth, b->wheel_left_m);
	int32_t right = cairn_mounting_count(truth, b->wheel_right_m);
	const int32_t counts[4] = {left, left, right, right};
	struct cairn_msg_odom m;
	double gyro[3];
	cairn_base_axes_from_up(&truth->axes, r->gyro_sum / r->gyro_count, gyro);
	double speed_mps = cairn_base_axes_speed_mps(&truth->axes, b->wheel_mps);
	cairn_wheel_odom_speed(
	    &r->odom, cairn_base_axes_speed_mps(&r->axes, speed_mps), b->steer_rad, r->now_ns);
	cairn_wheel_odom_gyro(&r->odom, cairn_base_axes_up(&r->axes, gyro), r->now_ns);
	r->gyro_sum = 0.0;
	r->gyro_count = 0;
	if (!cairn_wheel_odom_encoders(&r->odom, counts, r->now_ns))
		return;
	cairn_wheel_odom_message(&r->odom, &m);
	cairn_motor_measured(&r->motor, (struct cairn_twist){m.v_mps, m.w_radps}, r->now_ns);
	if (r->ports.mapper != NULL) {
		cairn_lockstep_send(&r->bus, CAIRN_TOPIC_ODOM, &m, r->now_ns);
		return;
	}
	struct cairn_pose2 at = cairn_run_true_pose(r);
	struct cairn_msg_pose pose = {.x_m = at.x_m,
	    .y_m = at.y_m,
	    .yaw_rad = at.yaw_rad,
	    .tracking = CAIRN_TRACKING_GOOD,
	    .quality = 1.0,
	    .distance_m = b->distance_m,
	    .v_mps = b->v_mps};
	cairn_lockstep_send(&r->bus, CAIRN_TOPIC_POSE, &pose, r->now_ns);
}

/* ---- scans ---- */

static void motor_decides(struct cairn_run *r)
{
	struct cairn_twist t = cairn_motor_step(&r->motor, r->now_ns);
	if (!r->o.without_motor)
		r->sent = t;
}

static void deliver(struct cairn_run *r, struct run_scan *s)
{
	r->newest = s;
	if (r->o.on_scan != NULL)
		r->o.on_scan(r->o.scan_ctx, r, &s->scan);
	cairn_lockstep_send(&r->bus, CAIRN_TOPIC_SCAN, &s->scan, s->t_ns);
	if (r->bus.motor_at_once)
		motor_decides(r);
	r->bus.motor_at_once = false;
	if (r->true_map != NULL)
		(void)cairn_true_map_scan(r->true_map, &s->scan, s->from, s->to, s->t_ns);
	run_model_scan(r, s);
}

static void move_scans(struct cairn_run *r)
{
	struct run_scan *slot = &r->scans[(r->scan_head + r->scan_count) % RUN_SCANS];
	if (cairn_sim_scan(r->sim, &slot->scan)) {
		slot->t_ns = r->now_ns;
		slot->scan.t_start_ns = r->now_ns - CAIRN_LIDAR_TURN_STEPS * CAIRN_SIM_STEP_NS;
		slot->from = r->turn_from;
		slot->to = r->turn_from = cairn_run_true_pose(r);
		r->scan_count++;
	}
	while (r->scan_count > 0 && r->scans[r->scan_head].t_ns + r->delay_ns <= r->now_ns) {
		struct run_scan *s = &r->scans[r->scan_head];
		r->scan_head = (r->scan_head + 1) % RUN_SCANS;
		r->scan_count--;
		deliver(r, s);
	}
}

static void move_depths(struct cairn_run *r)
{
	if (r->steps % DEPTH_STEPS == DEPTH_AT) {
		uint32_t slot = (r->depth_head + r->depth_count++) % RUN_SCANS;
		cairn_sim_depth_scan(r->sim, &r->depths[slot]);
		r->depth_t_ns[slot] = r->now_ns;
	}
	while (r->depth_count > 0 && r->depth_t_ns[r->depth_head] + r->delay_ns <= r->now_ns) {
		cairn_lockstep_send(
		    &r->bus, CAIRN_TOPIC_SCAN_DEPTH, &r->depths[r->depth_head], r->depth_t_ns[r->depth_head]);
		r->depth_head = (r->depth_head + 1) % RUN_SCANS;
		r->depth_count--;
	}
}

/* ---- the map, twice a second ---- */

static void give_grid(struct cairn_run *r)
{
	const struct cairn_grid *g = cairn_run_grid(r);
	struct cairn_cell_box box = cairn_grid_published(g);
	if (cairn_cell_box_empty(box) ||
	    (g->revision == r->grid_revision && r->now_ns - r->t_grid_ns < GRID_REPEAT_NS))
		return;
	size_t width = (size_t)(box.max_cx - box.min_cx + 1), height = (size_t)(box.max_cy - box.min_cy + 1);
	if (width * height > r->cells_bytes) {
		uint8_t *more = realloc(r->cells, 2 * width * height);
		if (more == NULL)
			return;
		r->cells = more;
		r->cells_bytes = 2 * width * height;
	}
	cairn_grid_bytes(g, box, r->cells);
	struct cairn_plan_grid grid = {.cells = r->cells,
	    .stride = (uint32_t)width,
	    .width = (int)width,
	    .height = (int)height,
	    .origin_x_m = box.min_cx * g->cell_m,
	    .origin_y_m = box.min_cy * g->cell_m,
	    .cell_m = g->cell_m};
	cairn_planner_grid(r->planner, &grid, r->now_ns);
	r->grid_revision = g->revision;
	r->t_grid_ns = r->now_ns;
}

/* The mapper's report, of a map that is drawn from true poses. */
static void report_true_map(struct cairn_run *r)
{
	struct cairn_mapper_ports *m = &r->ports;
	struct cairn_pose2 at = cairn_run_true_pose(r);
	uint32_t given_up_count;
	const struct cairn_msg_given_up *given_up = cairn_explorer_given_up(r->explorer, &given_up_count);
	cairn_frontier_given_up(r->true_map->finder, given_up, given_up_count);
	if (!cairn_true_map_frontiers(r->true_map, at, &m->frontiers) || m->frontiers.free_m2 <= 0.0)
		return;
	struct cairn_ground ground = {.grid = &r->true_map->grid};
	ground.reach = cairn_frontier_reach(r->true_map->finder, &ground.reach_cx0, &ground.reach_cy0);
	(void)cairn_explorer_report(
	    r->explorer, &ground, at, m->box, r->now_ns, &m->frontiers, &m->candidates);
}

static void report_map(struct cairn_run *r)
{
	if (cairn_run_grid(r) == NULL)
		return;
	give_grid(r);
	if (r->true_map != NULL) {
		report_true_map(r);
		return;
	}
	cairn_mapper_report_claims(&r->ports, r->now_ns);
	(void)cairn_mapper_report(&r->ports, 0, r->now_ns);
}

/* ---- control ---- */

static void tell_motion(struct cairn_run *r)
{
	cairn_motor_message(&r->motor, r->now_ns, &r->motion);
	if (r->o.without_motor) { /* what is driven is what was asked */
		r->motion = (struct cairn_msg_motion){
		    .state = CAIRN_MOTOR_STATE_DRIVING, .v_mps = r->sent.v_mps, .w_radps = r->sent.w_radps};
	}
	cairn_lockstep_send(&r->bus, CAIRN_TOPIC_MOTION, &r->motion, r->now_ns);
}

static void plan(struct cairn_run *r)
{
	if (r->planner == NULL)
		return;
	cairn_planner_step(r->planner, r->now_ns, &r->plan);
	cairn_planner_put(r->planner, &r->plan, &r->bus.planner_box, r->now_ns);
}

static void take_results(struct cairn_run *r)
{
	struct cairn_msg_result result;
	while (cairn_sequencer_next_result(r->seq, &result)) {
		cairn_outbox_put(&r->bus.seq_box, CAIRN_TOPIC_RESULT, &result, true, r->now_ns);
		run_model_result(r, &result);
	}
}

/* Without a sequencer: what is told is driven, unchecked. */
static void command_naively(struct cairn_run *r)
{
	struct cairn_twist t = run_naive_step(r);
	r->out.nav_goal_changed =
	    r->naive.goal.id != r->out.nav_goal.id || r->naive.goal.active != r->out.nav_goal.active;
	r->out.nav_goal = r->naive.goal;
	r->out.cmd_vel = (struct cairn_msg_cmd_vel){.v_mps = t.v_mps, .w_radps = t.w_radps};
	struct cairn_outbox *box = &r->bus.seq_box;
	cairn_outbox_put(box, CAIRN_TOPIC_NAV_GOAL, &r->out.nav_goal, r->out.nav_goal_changed, r->now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_CMD_VEL, &r->out.cmd_vel, true, r->now_ns);
}

static void command(struct cairn_run *r)
{
	bool wanted;
	if (r->seq != NULL) {
		cairn_sequencer_step(r->seq, r->now_ns, &r->out);
		take_results(r);
		cairn_sequencer_put(r->seq, &r->out, &r->bus.seq_box, r->now_ns);
		cairn_sequencer_put_skills(r->seq, &r->bus.seq_box, r->now_ns);
		wanted = r->out.mission.wants_decision;
	} else {
		command_naively(r);
		wanted = run_naive_wants(r);
	}
	if (r->o.without_motor)
		r->sent = (struct cairn_twist){r->out.cmd_vel.v_mps, r->out.cmd_vel.w_radps};
	run_model_step(r, wanted);
	if (r->seq != NULL)
		take_results(r);
}

void cairn_run_send(struct cairn_run *r, enum cairn_topic topic, const void *message)
{
	cairn_lockstep_send(&r->bus, topic, message, r->now_ns);
}

/* ---- stepping ---- */

bool cairn_run_step(struct cairn_run *r)
{
	if (r->over || r->now_ns - r->t0_ns >= r->duration_ns)
		return false;
	r->now_ns += CAIRN_RUN_STEP_NS;
	r->bus.now_ns = r->now_ns;
	r->steps++;
	run_look_around(r);
	const struct cairn_body *b = &cairn_sim_state(r->sim)->body;
	struct cairn_twist told = cairn_base_axes_command(&r->axes, r->sent);
	double hold_rad = cairn_base_axes_base_steer_rad(&cairn_sim_mounting(r->sim)->axes, b->steer_rad);
	struct cairn_drive drive = {.v_mps = told.v_mps,
	    .steer_rad = cairn_sim_steer_for(r->cfg, told.v_mps, told.w_radps, hold_rad),
	    .w_radps = told.w_radps};
	(void)cairn_sim_step(r->sim, drive, true);
	r->gyro_sum += b->gyro_radps;
	r->gyro_count++;
	if (r->steps % ODOM_STEPS == 0)
		report_odometry(r);
	move_scans(r);
	if (!r->o.without_depth)
		move_depths(r);
	if (r->steps % MOTOR_STEPS == 0)
		motor_decides(r);
	if (r->steps % CONTROL_STEPS == 2)
		tell_motion(r);
	if (r->steps % REPORT_STEPS == 1)
		report_map(r);
	if (r->steps % CONTROL_STEPS == PLAN_AT)
		plan(r);
	if (r->steps % CONTROL_STEPS == 0)
		command(r);
	r->totals.state_s[cairn_motor_state(&r->motor)] += CAIRN_SIM_STEP_S;
	if (r->o.observe != NULL && !r->o.observe(r->o.observe_ctx, r))
		r->over = true;
	return !r->over;
}

void cairn_run_all(struct cairn_run *run)
{
	while (cairn_run_step(run))
		;
}
