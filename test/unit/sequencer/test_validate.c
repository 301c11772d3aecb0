/* What stands on the way of a decision: obstacles, time, zones; and what its result says of it. */
#include "common/safety/speed_level.h"
#include "common/sequencer/zone_text.h"
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

/* A wall so far ahead of the footprint's centre, nothing else within 2.5 m. */
static struct rig *facing_wall(double from_centre_m)
{
	struct rig *r = rig_new(4);
	double centre_m = 0.5 * (r->cfg.robot.footprint_front_m - r->cfg.robot.footprint_rear_m);
	rig_box(r, -2.5, -2.5, centre_m + from_centre_m, 2.5);
	rig_frontier(r, 1, -1.5, 1.5, 1.0);
	r->noise = false;
	return r;
}

static void begin(struct rig *r)
{
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.5);
}

static const struct cairn_msg_result *decide(struct rig *r, const struct cairn_msg_decision *d)
{
	rig_decide(r, d);
	rig_step(r);
	return &r->last_result;
}

static struct cairn_msg_decision forward_fast(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.direction = CAIRN_DIRECTION_FORWARD;
	d.speed = CAIRN_SPEED_FAST;
	d.duration_s = 4.0;
	return d;
}

START_TEST(a_move_needs_half_a_metre_from_the_centre_and_a_whole_one_to_be_fast)
{
	/* The margin of the swept footprint is 2 cm. */
	static const struct {
		double from_centre_m, mps;
	} rows[] = {{0.50, 0.0}, {0.54, 0.08}, {1.00, 0.08}, {1.04, 0.18}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *r = facing_wall(rows[i].from_centre_m);
		begin(r);
		struct cairn_msg_decision d = forward_fast(r);
		const struct cairn_msg_result *res = decide(r, &d);
		ck_assert_double_eq_tol(r->out.cmd_vel.v_mps, rows[i].mps, 1e-9);
		if (rows[i].mps == 0.0) {
			ck_assert_int_eq(res->outcome, CAIRN_OUTCOME_REFUSED);
			ck_assert_ptr_nonnull(strstr(res->reason, "free that way"));
			ck_assert_int_eq(res->cause, CAIRN_SENSOR_LIDAR);
			ck_assert_double_eq_tol(res->cause_m, 0.595, 0.05); /* from the rear axle */
			ck_assert_double_eq_tol(res->cause_bearing_rad, 0.0, 0.3);
		}
		rig_free(r);
	}
}
END_TEST

START_TEST(a_collision_that_is_near_in_time_has_a_reason_of_its_own)
{
	struct rig *r = facing_wall(0.27); /* 7.5 cm before the margin: 0.9 s at 0.08 m/s */
	r->cfg.safety.refuse_clearance_m = 0.0;
	r->cfg.safety.ttc_min_s = 1.5;
	begin(r);
	struct cairn_msg_decision d = forward_fast(r);
	const struct cairn_msg_result *res = decide(r, &d);
	ck_assert_int_eq(res->outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(res->reason, "collision in 0.9 s"));
	ck_assert_int_eq(res->cause, CAIRN_SENSOR_LIDAR);
	rig_free(r);
}
END_TEST

START_TEST(a_goal_and_a_way_in_a_keep_out_zone_are_refused_by_its_name)
{
	struct rig *r = rig_new(4);
	rig_box(r, -2.5, -2.5, 5.0, 2.5);
	rig_frontier(r, 1, -1.5, 1.5, 1.0);
	snprintf(r->cfg.safety.zones, sizeof(r->cfg.safety.zones),
	    "keepout stairs 1.0,-1 2,-1 2,1 1.0,1; slowdown mat -1,1 0,1 0,2");
	begin(r);
	ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, 2);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 1.5;
	const struct cairn_msg_result *res = decide(r, &d);
	ck_assert_int_eq(res->outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(res->reason, "keep-out zone 'stairs'"));
	ck_assert_int_eq(res->cause, CAIRN_SENSOR_ZONE);
	d = forward_fast(r); /* 0.72 m, and the nose is at 0.27 m */
	d.duration_s = 6.0;
	res = decide(r, &d);
	ck_assert_int_eq(res->outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(res->reason, "leads into the keep-out zone 'stairs'"));
	d = forward_fast(r); /* short of it */
	d.duration_s = 2.0;
	decide(r, &d);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.1);
	rig_free(r);
}
END_TEST

/* The rig's planner drives straight at its goal, whatever is in the way. */
START_TEST(a_planned_way_is_held_before_a_keep_out_zone_and_slowed_in_a_slow_one)
{
	struct rig *r = rig_new(4);
	rig_box(r, -2.5, -2.5, 5.0, 2.5);
	rig_frontier(r, 1, -1.5, 1.5, 1.0);
	begin(r);
	struct cairn_msg_command cmd = {.verb = "zone", .arg = "slowdown mat 0.5,-1 1.2,-1 1.2,1 0.5,1"};
	struct cairn_msg_reply reply;
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	ck_assert_msg(reply.ok, "%s", reply.text);
	snprintf(cmd.arg, sizeof(cmd.arg), "keepout stairs 2,-1 3,-1 3,1 2,1");
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	ck_assert_msg(reply.ok, "%s", reply.text);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 4.0;
	rig_decide(r, &d);
	double farthest_m = 0.0, fastest_on_mat = 0.0;
	for (int i = 0; i < 600; i++) {
		rig_step(r);
		farthest_m = fmax(farthest_m, r->pose.x_m);
		if (r->pose.x_m > 0.6 && r->pose.x_m < 1.1 && fabs(r->pose.y_m) < 0.9)
			fastest_on_mat = fmax(fastest_on_mat, fabs(r->out.cmd_vel.v_mps));
	}
	ck_assert_double_gt(farthest_m, 1.2);
	ck_assert_double_lt(farthest_m + r->cfg.robot.footprint_front_m, 2.05);
	ck_assert_double_le(fastest_on_mat, r->cfg.nav.slow_zone_mps + 1e-9);
	ck_assert_double_gt(fastest_on_mat, 0.05);
	rig_free(r);
}
END_TEST

/* A path of points 0.1 m apart, straight or by way of (via_x, via_y). */
static void tell_path(struct rig *r, bool round, double via_x_m, double via_y_m)
{
	static struct cairn_msg_nav_path path;
	const struct cairn_msg_nav_goal *g = &r->out.nav_goal;
	const struct cairn_vec2 marks[3] = {{r->pose.x_m, r->pose.y_m},
	    {round ? via_x_m : g->x_m, round ? via_y_m : g->y_m}, {g->x_m, g->y_m}};
	memset(&path, 0, sizeof(path));
	path.goal_id = g->id;
	for (int leg = 0; leg < 2; leg++) {
		for (int i = 0; i < 50; i++) {
			struct cairn_msg_path_point *p = &path.points[path.points_count++];
			p->x_m = (float)(marks[leg].x_m + (marks[leg + 1].x_m - marks[leg].x_m) * i / 50.0);
			p->y_m = (float)(marks[leg].y_m + (marks[leg + 1].y_m - marks[leg].y_m) * i / 50.0);
		}
	}
	cairn_sequencer_on_nav_path(r->seq, &path, r->now_ns);
}

START_TEST(a_planned_path_through_a_keep_out_zone_is_not_begun)
{
	for (int replanned = 0; replanned <= 1; replanned++) {
		struct rig *r = rig_new(4);
		r->tells_no_path = true; /* the test does */
		rig_box(r, -2.5, -2.5, 5.0, 2.5);
		rig_frontier(r, 1, -1.5, 1.5, 1.0);
		snprintf(r->cfg.safety.zones, sizeof(r->cfg.safety.zones),
		    "keepout stairs 2,-0.5 3,-0.5 3,0.5 2,0.5");
		begin(r);
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
		d.x_m = 4.0;
		rig_decide(r, &d);
		rig_step(r);
		for (int i = 0; i < 20 * 2; i++) {
			tell_path(r, false, 0.0, 0.0);
			rig_step(r);
		}
		ck_assert_double_lt(r->path_m, 0.05); /* stands, although the zone is 1.7 m away */
		ck_assert_uint_eq(r->seen[d.id], 0);
		for (int i = 0; i < 20 * 2; i++) {
			tell_path(r, replanned != 0, 2.5, 1.2);
			rig_step(r);
		}
		if (replanned != 0) {
			ck_assert_double_gt(r->path_m, 0.2);
		} else {
			ck_assert_uint_eq(r->seen[d.id], 1);
			ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
			ck_assert_int_eq(r->last_model_result.cause, CAIRN_SENSOR_ZONE);
			ck_assert(r->last_model_result.overridden);
			ck_assert_ptr_nonnull(strstr(
			    r->last_model_result.reason, "path leads through the keep-out zone 'stairs'"));
		}
		rig_free(r);
	}
}
END_TEST

START_TEST(a_path_out_of_a_zone_that_was_drawn_around_the_robot_is_driven)
{
	struct rig *r = rig_new(4);
	r->tells_no_path = true; /* the test does */
	rig_box(r, -2.5, -2.5, 5.0, 2.5);
	rig_frontier(r, 1, -1.5, 1.5, 1.0);
	snprintf(r->cfg.safety.zones, sizeof(r->cfg.safety.zones),
	    "keepout mat 0.6,-0.5 1.8,-0.5 1.8,0.5 0.6,0.5");
	begin(r);
	r->pose = (struct cairn_pose2){1.3, 0.0, 0.0};
	rig_run(r, 0.5);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 3.0;
	rig_decide(r, &d);
	rig_step(r);
	for (int i = 0; i < 20 * 12; i++) {
		tell_path(r, false, 0.0, 0.0);
		rig_step(r);
	}
	ck_assert_double_gt(r->pose.x_m, 2.5);
	rig_free(r);
}
END_TEST

/* ---- what has changed since the snapshot ---- */

START_TEST(a_decision_about_a_place_that_somebody_has_stepped_into_is_refused)
{
	for (int judged = 0; judged <= 1; judged++) {
		struct rig *r = rig_new(4);
		rig_box(r, -2.5, -2.5, 5.0, 2.5);
		rig_frontier(r, 1, -1.5, 1.5, 1.0);
		if (judged == 0)
			r->cfg.safety.decision_max_shift_m = 0.0;
		begin(r);
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
		d.t_snapshot_ns = r->now_ns;
		d.angle_deg = 40.0;
		rig_run(r, 0.5);
		rig_box(r, 1.0, -0.2, 1.3, 0.2); /* the snapshot shows nothing before 5 m */
		rig_run(r, 0.5);
		rig_decide(r, &d);
		rig_step(r);
		ck_assert_uint_eq(r->seen[d.id], (unsigned)judged);
		if (judged != 0) {
			ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
			ck_assert_str_eq(r->last_model_result.reason,
			    "an obstacle ahead has come nearer by 4.0 m since the snapshot");
			ck_assert_int_eq(r->last_model_result.cause, CAIRN_SENSOR_LIDAR);
			d = rig_decision(r, CAIRN_TOOL_ROTATE); /* now it has been seen */
			d.t_snapshot_ns = r->now_ns;
			d.angle_deg = 40.0;
			rig_run(r, 0.5);
			rig_decide(r, &d);
			rig_step(r);
			ck_assert_uint_eq(r->seen[d.id], 0);
		}
		rig_free(r);
	}
}
END_TEST

START_TEST(operators_draw_zones_and_forget_them)
{
	static const struct {
		const char *arg;
		bool ok;
	} rows[] = {{"keepout stairs 1,1 2,1 2,2", true}, {"keepout stairs 1,1 3,1 3,3", true},
	    {"keepout here -1,-1 1,-1 1,1 -1,1", false}, {"somewhere x 1,1 2,1 2,2", false},
	    {"keepout thin 1,1 2,2 3,3", false}, {"keepout half 1,1 2,2", false},
	    {"keepout odd 1,1 2,nan 2,2", false}, {"forget carpet", false}, {"forget stairs", true},
	    {"", false}};
	struct rig *r = facing_wall(2.0);
	begin(r);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_msg_command cmd = {.verb = "zone"};
		struct cairn_msg_reply reply;
		snprintf(cmd.arg, sizeof(cmd.arg), "%s", rows[i].arg);
		cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
		ck_assert_msg(reply.ok == rows[i].ok, "%s: %s", rows[i].arg, reply.text);
		ck_assert_uint_gt(strlen(reply.text), 0);
		ck_assert_uint_eq(cairn_sequencer_zones(r->seq)->items_count, i < 8 ? 1 : 0);
	}
	rig_free(r);
}
END_TEST

START_TEST(the_result_says_what_was_asked_what_was_driven_and_who_ended_it)
{
	struct rig *r = facing_wall(0.70);
	begin(r);
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 8.0);
	ck_assert(rig_until_result(r, id, 12.0));
	const struct cairn_msg_result *res = &r->last_result;
	ck_assert(res->stopped_early);
	ck_assert(res->overridden);
	ck_assert_int_eq(res->cause, CAIRN_SENSOR_LIDAR);
	ck_assert_double_gt(res->cause_m, r->cfg.robot.footprint_front_m);
	ck_assert_double_lt(res->cause_m, 0.5);
	ck_assert_int_le(res->pace, CAIRN_PACE_CREEP);
	ck_assert_str_eq(res->asked, "move_toward forward fast 8 s");
	ck_assert_ptr_nonnull(strstr(res->executed, "slowed to 0.08 m/s"));
	ck_assert_ptr_nonnull(strstr(res->reason, "lidar: obstacle ahead"));
	ck_assert_msg(
	    strstr(res->suggestion, "backward is clear for at least 1.5 m") != NULL, "%s", res->suggestion);
	ck_assert_double_eq_tol(res->distance_m, r->pose.x_m, 0.03);
	ck_assert_double_eq_tol(res->x_m, r->pose.x_m, 0.03);
	rig_free(r);
}
END_TEST

START_TEST(paces_are_the_words_of_the_speeds)
{
	static const struct {
		double mps;
		enum cairn_pace pace;
	} rows[] = {{-1.0, CAIRN_PACE_STOP}, {0.0, CAIRN_PACE_STOP}, {0.079, CAIRN_PACE_CREEP},
	    {0.08, CAIRN_PACE_SLOW}, {0.119, CAIRN_PACE_SLOW}, {0.12, CAIRN_PACE_MEDIUM},
	    {0.18, CAIRN_PACE_FAST}, {INFINITY, CAIRN_PACE_FAST}, {NAN, CAIRN_PACE_STOP}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_int_eq(cairn_speed_level_of(rows[i].mps), rows[i].pace);
	ck_assert_double_eq(cairn_speed_mps(CAIRN_SPEED_COUNT), 0.0);
}
END_TEST

static void felt(struct rig *r, bool bumper, double floor_m)
{
	cairn_sequencer_on_guard(
	    r->seq, &(struct cairn_msg_guard){.bumper = bumper, .floor_m = floor_m}, r->now_ns);
}

/* Bumper or drop in front: forward is refused, what is under way forward is held at once, and backward goes. */
static void only_backward_is_left(bool bumper, enum cairn_sensor by, const char *words)
{
	struct rig *r = rig_new(4);
	rig_box(r, -2.5, -2.5, 5.0, 2.5);
	begin(r);
	struct cairn_msg_decision d = forward_fast(r);
	d.duration_s = 8.0;
	rig_decide(r, &d);
	for (int i = 0; i < 20; i++)
		rig_step(r);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.1);
	felt(r, bumper, bumper ? 0.0 : INFINITY);
	rig_step(r);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	for (int i = 0; i < 200 && r->out.mission.decision_id != 0; i++) {
		felt(r, bumper, bumper ? 0.0 : INFINITY);
		rig_step(r);
		ck_assert_double_le(r->out.cmd_vel.v_mps, 0.0);
	}
	ck_assert_int_eq(r->last_model_result.cause, by);
	d = forward_fast(r);
	const struct cairn_msg_result *res = decide(r, &d);
	ck_assert_int_eq(res->outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_str_eq(res->reason, words);
	ck_assert_int_eq(res->cause, by);
	d = forward_fast(r);
	d.direction = CAIRN_DIRECTION_BACKWARD;
	rig_decide(r, &d);
	for (int i = 0; i < 10; i++)
		rig_step(r);
	ck_assert_double_lt(r->out.cmd_vel.v_mps, -0.05);
	rig_free(r);
}

START_TEST(a_bumper_in_front_and_a_drop_leave_the_way_back_alone)
{
	only_backward_is_left(
	    true, CAIRN_SENSOR_BUMPER, "the bumper in front is pressed: only the way back is left");
	only_backward_is_left(false, CAIRN_SENSOR_CLIFF, "no floor in front: only the way back is left");
}
END_TEST

CAIRN_TEST_MAIN("sequencer-checks", a_bumper_in_front_and_a_drop_leave_the_way_back_alone,
    a_move_needs_half_a_metre_from_the_centre_and_a_whole_one_to_be_fast,
    a_collision_that_is_near_in_time_has_a_reason_of_its_own,
    a_goal_and_a_way_in_a_keep_out_zone_are_refused_by_its_name,
    a_planned_way_is_held_before_a_keep_out_zone_and_slowed_in_a_slow_one,
    a_planned_path_through_a_keep_out_zone_is_not_begun,
    a_path_out_of_a_zone_that_was_drawn_around_the_robot_is_driven,
    a_decision_about_a_place_that_somebody_has_stepped_into_is_refused, operators_draw_zones_and_forget_them,
    the_result_says_what_was_asked_what_was_driven_and_who_ended_it, paces_are_the_words_of_the_speeds)
