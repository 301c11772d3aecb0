/* The sequencer beside what moves by itself, without a motor stage behind it. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

#define PERSON_HALF_M 0.15
#define PERSON_MPS 1.0
#define PERSON_STOPS_M 0.02 /* short of the robot: a touch is the robot's own */
#define SIDES 4
#define LATE_STEPS 3 /* of 50 ms, until a scan arrives */

struct person {
	double x_m, y_m, heading_rad;
	int waits; /* steps that he stands for still */
	bool met;  /* has been kept from walking on by the robot */
};

static void place(struct rig *r, const struct person *p)
{
	struct rig_segment *s = &r->segments[r->segment_count - SIDES];
	double x0 = p->x_m - PERSON_HALF_M, x1 = p->x_m + PERSON_HALF_M;
	double y0 = p->y_m - PERSON_HALF_M, y1 = p->y_m + PERSON_HALF_M;
	s[0] = (struct rig_segment){x0, y0, x1, y0};
	s[1] = (struct rig_segment){x1, y0, x1, y1};
	s[2] = (struct rig_segment){x1, y1, x0, y1};
	s[3] = (struct rig_segment){x0, y1, x0, y0};
}

/* A hall with something left to explore, and room for him among its walls. */
static struct rig *hall(uint64_t seed)
{
	struct rig *r = rig_new(seed);
	rig_box(r, -8.0, -8.0, 8.0, 8.0);
	r->segment_count += SIDES;
	rig_frontier(r, 1, 7.0, 7.0, 1.0);
	return r;
}

/* Some way off, walking to where the robot will be if it goes on. */
static void comes_anew(struct rig *r, struct person *p)
{
	double from_rad = 2.0 * M_PI * cairn_rng_uniform(&r->rng),
	       off_m = 1.2 + 0.8 * cairn_rng_uniform(&r->rng);
	struct cairn_pose2 then =
	    cairn_pose_advance(r->pose, (struct cairn_twist){r->v_mps, 0.0}, off_m / PERSON_MPS);
	*p = (struct person){
	    r->pose.x_m + off_m * cos(from_rad), r->pose.y_m + off_m * sin(from_rad), 0.0, 0, false};
	p->heading_rad = atan2(then.y_m - p->y_m, then.x_m - p->x_m);
	place(r, p);
}

static bool too_near(struct rig *r)
{
	struct cairn_config_robot was = r->cfg.robot;
	r->cfg.robot.footprint_front_m += PERSON_STOPS_M;
	r->cfg.robot.footprint_rear_m += PERSON_STOPS_M;
	r->cfg.robot.footprint_half_width_m += PERSON_STOPS_M;
	bool near = rig_touches(r);
	r->cfg.robot = was;
	return near;
}

/* He walks on for 50 ms; true when the robot was in his way. */
static bool walk(struct rig *r, struct person *p)
{
	bool kept = false;
	for (int i = 0; i < 5 && !kept; i++) {
		struct person next = *p;
		next.x_m += 0.01 * PERSON_MPS * cos(p->heading_rad);
		next.y_m += 0.01 * PERSON_MPS * sin(p->heading_rad);
		place(r, &next);
		kept = too_near(r);
		if (!kept)
			*p = next;
	}
	place(r, p);
	return kept;
}

/* A scan every 100 ms, which arrives late. */
static void late_scan(struct rig *r, struct cairn_msg_scan waiting[2])
{
	if (r->steps >= LATE_STEPS && (r->steps - LATE_STEPS) % 2 == 0)
		cairn_sequencer_on_scan(
		    r->seq, &waiting[(r->steps - LATE_STEPS) / 2 % 2], r->now_ns - LATE_STEPS * RIG_STEP_NS);
	if (r->steps % 2 != 0)
		return;
	rig_look(r);
	waiting[r->steps / 2 % 2] = r->scan;
}

/* Always forward or backward at full speed, in a hall, people walking into the way. Contacts; *ret_met: how
 * many people it met, *ret_path_m how far it came. */
static uint32_t among_people(uint64_t seed, double person_mps, uint32_t *ret_met, double *ret_path_m)
{
	struct rig *r = hall(seed);
	struct person p;
	static struct cairn_msg_scan waiting[2];
	r->scan_off = true;
	r->cfg.safety.person_mps = person_mps;
	comes_anew(r, &p);
	rig_start(r);
	*ret_met = 0;
	for (int i = 0; i < 4 * 60 * 20; i++) {
		bool kept = walk(r, &p);
		*ret_met += kept && !p.met;
		p.met |= kept;
		p.waits += kept;
		if (p.waits > 20 || hypot(p.x_m - r->pose.x_m, p.y_m - r->pose.y_m) > 3.0)
			comes_anew(r, &p);
		late_scan(r, waiting);
		rig_step(r);
		if (r->out.mission.wants_decision)
			rig_move(r,
			    r->next_decision_id % 4 == 0 ? CAIRN_DIRECTION_BACKWARD : CAIRN_DIRECTION_FORWARD,
			    CAIRN_SPEED_FAST, 3.0);
	}
	uint32_t contacts = r->contacts;
	*ret_path_m = r->path_m;
	rig_free(r);
	return contacts;
}

START_TEST(nobody_who_walks_into_its_way_is_touched_without_a_motor_stage)
{
	uint32_t met, met_in_all = 0, touched_if_blind = 0;
	double path_m;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		ck_assert_uint_eq(among_people(seed, PERSON_MPS, &met, &path_m), 0);
		ck_assert_double_gt(path_m, 10.0);
		met_in_all += met;
		touched_if_blind += among_people(seed, 0.0, &met, &path_m);
	}
	ck_assert_uint_gt(met_in_all, 100);
	ck_assert_uint_gt(touched_if_blind, 0); /* so that the above means something */
}
END_TEST

/* Somebody came while it stood, stands beside its way, and walks into it as it passes. True when it touched
 * him; *ret_met: he was in its way; *ret_path_m grows by how far it came. */
static bool sets_out(uint64_t seed, double stands_s, bool *ret_met, double *ret_path_m)
{
	struct rig *r = hall(seed);
	static struct cairn_msg_scan waiting[2];
	enum cairn_direction direction = seed % 2 == 0 ? CAIRN_DIRECTION_FORWARD : CAIRN_DIRECTION_BACKWARD;
	double way = direction == CAIRN_DIRECTION_FORWARD ? 1.0 : -1.0,
	       away_m = 0.15 + 0.2 * cairn_rng_uniform(&r->rng);
	double side = cairn_rng_uniform(&r->rng) < 0.5 ? -1.0 : 1.0,
	       ahead_m = 0.5 + 0.5 * cairn_rng_uniform(&r->rng);
	double sets_out_m = 0.1 + 0.5 * cairn_rng_uniform(&r->rng); /* before he is beside it */
	struct person p = {7.0, 7.0, -0.5 * M_PI * side, 0, false};
	r->scan_off = true;
	r->cfg.safety.person_stands_s = stands_s;
	bool goes = false;
	place(r, &p);
	rig_start(r);
	*ret_met = false;
	for (int i = 0; i < 18 * 20; i++) {
		if (i == 10 * 20)
			p = (struct person){r->pose.x_m + way * ahead_m,
			    r->pose.y_m +
				side * (r->cfg.robot.footprint_half_width_m + PERSON_HALF_M + away_m),
			    p.heading_rad, 0, false};
		place(r, &p);
		goes |= i > 10 * 20 && way * (p.x_m - r->pose.x_m) < sets_out_m;
		if (goes) { /* to before its nose, or its tail */
			double end_m =
			    way > 0.0 ? r->cfg.robot.footprint_front_m : -r->cfg.robot.footprint_rear_m;
			p.heading_rad =
			    atan2(r->pose.y_m - p.y_m, r->pose.x_m + end_m + way * PERSON_HALF_M - p.x_m);
			*ret_met |= walk(r, &p);
		}
		late_scan(r, waiting);
		rig_step(r);
		if (r->out.mission.wants_decision && i > 10 * 20)
			rig_move(r, direction, CAIRN_SPEED_FAST, 3.0);
	}
	bool touched = r->contacts > 0;
	*ret_path_m += r->path_m;
	rig_free(r);
	return touched;
}

START_TEST(who_came_and_stands_beside_its_way_may_set_out_into_it)
{
	int met_in_all = 0, touched = 0, touched_as_a_wall = 0;
	double path_m = 0.0, path_as_a_wall_m = 0.0;
	for (uint64_t seed = 1; seed <= 90; seed++) {
		bool met;
		touched += sets_out(seed, 48.0, &met, &path_m);
		met_in_all += met;
		touched_as_a_wall += sets_out(seed, 0.0, &met, &path_as_a_wall_m);
	}
	ck_assert_int_eq(touched, 0);
	ck_assert_int_gt(met_in_all, 2);
	ck_assert_int_gt(touched_as_a_wall, 0);
	ck_assert_double_gt(path_m, 0.3 * path_as_a_wall_m); /* and it goes on beside him */
}
END_TEST

START_TEST(a_person_who_holds_it_back_is_named_as_the_cause)
{
	struct rig *r = hall(1);
	struct person p = {1.0, 0.9, -0.5 * M_PI, 0, false};
	place(r, &p);
	rig_start(r);
	rig_run(r, 1.0);
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 8.0);
	for (int i = 0; i < 200 && r->last_model_result.decision_id == 0;
	     i++) { /* up and down beside its way */
		if (p.y_m < 0.5 || p.y_m > 1.0)
			p.heading_rad = copysign(0.5 * M_PI, 0.75 - p.y_m);
		(void)walk(r, &p);
		rig_step(r);
	}
	ck_assert_msg(strstr(r->last_model_result.reason, "something moves") != NULL, "%s",
	    r->last_model_result.reason);
	ck_assert(r->last_model_result.overridden);
	rig_free(r);
}
END_TEST

/* It is sent on whenever it wants to know, and creeps. */
START_TEST(whom_a_person_holds_up_is_not_stuck_before_its_goal)
{
	struct rig *r = hall(1);
	struct person p = {0.9, 0.9, -0.5 * M_PI, 0, false};
	place(r, &p);
	r->planner = RIG_PLANNER_CREEPS;
	r->cfg.nav.progress_s = 3.0;
	rig_start(r);
	rig_run(r, 1.0);
	uint32_t held = 0;
	for (int i = 0; i < 20 * 20; i++) {
		if (p.y_m < -0.5 || p.y_m > 1.0) /* up and down before its nose */
			p.heading_rad = copysign(0.5 * M_PI, 0.25 - p.y_m);
		p.x_m = r->pose.x_m + r->cfg.robot.footprint_front_m + 0.35;
		(void)walk(r, &p);
		rig_step(r);
		held += r->out.cmd_vel.v_mps == 0.0;
		ck_assert_msg(strstr(r->last_model_result.reason, "no nearer") == NULL, "after %.1f s: %s",
		    0.05 * i, r->last_model_result.reason);
		if (!r->out.mission.wants_decision)
			continue;
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
		d.frontier_id = 1;
		rig_decide(r, &d);
	}
	ck_assert_uint_gt(held, 200);
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer-movers", nobody_who_walks_into_its_way_is_touched_without_a_motor_stage,
    who_came_and_stands_beside_its_way_may_set_out_into_it, a_person_who_holds_it_back_is_named_as_the_cause,
    whom_a_person_holds_up_is_not_stuck_before_its_goal)
