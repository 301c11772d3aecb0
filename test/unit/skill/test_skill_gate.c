/* The gate before an arm moves: what it lets pass, and each reason for which it does not. */
#include "common/skill/skill.h"

#include <math.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

#define NOW_NS (100 * CAIRN_NS_PER_S)

static struct cairn_config cfg;
static struct cairn_msg_skills offer;
static struct cairn_skill_sights sights;
static struct cairn_skill_now now;
static struct cairn_msg_skill_request want;
static struct cairn_msg_skill_result told;

static void see(const char *label, double x, double y, double z, double half_m, int64_t t_ns)
{
	struct cairn_msg_detections m = {.items_count = 1};
	struct cairn_msg_detection *d = &m.items[0];
	snprintf(d->label, sizeof(d->label), "%s", label);
	d->box_m_count = 6;
	const double at[3] = {x, y, z};
	for (int k = 0; k < 3; k++) {
		d->box_m[k] = (float)(at[k] - half_m);
		d->box_m[k + 3] = (float)(at[k] + half_m);
	}
	cairn_skill_saw(&sights, &m, t_ns);
}

/* A robot at the origin that looks along x and has stood for a second; a cup 0.5 m in front of its body of 0.27 m. */
static void set_up(void)
{
	cairn_config_defaults(&cfg);
	cfg.robot.arm_reach_m = 0.8;
	memset(&sights, 0, sizeof(sights));
	offer = (struct cairn_msg_skills){
	    .items_count = 2, .items = {{CAIRN_SKILL_VERB_GRASP, 4.0}, {CAIRN_SKILL_VERB_HAND_OVER, 5.0}}};
	see("cup", 0.77, 0.0, 0.8, 0.04, NOW_NS - CAIRN_NS_PER_S);
	now = (struct cairn_skill_now){.cfg = &cfg,
	    .now_ns = NOW_NS,
	    .offered = &offer,
	    .stood_s = 1.0,
	    .pose_ok = true,
	    .sights = &sights};
	want = (struct cairn_msg_skill_request){.id = 7,
	    .task_id = 3,
	    .verb = CAIRN_SKILL_VERB_GRASP,
	    .target = "cup",
	    .x_m = 0.77,
	    .z_m = 0.8,
	    .deadline_s = 20.0};
}

static void refused(const char *why)
{
	ck_assert_msg(!cairn_skill_gate(&now, &want, &told), "passed instead of '%s'", why);
	ck_assert_int_eq(told.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_uint_eq(told.id, 7);
	ck_assert_uint_eq(told.task_id, 3);
	ck_assert_msg(strstr(told.reason, why) != NULL, "'%s' instead of '%s'", told.reason, why);
	set_up();
}

START_TEST(a_thing_that_is_seen_and_in_reach_may_be_taken_by_a_robot_that_stands)
{
	set_up();
	ck_assert_msg(cairn_skill_gate(&now, &want, &told), "%s", told.reason);
	ck_assert_int_eq(told.outcome, CAIRN_OUTCOME_NONE);
	ck_assert_str_eq(told.target, "cup");
}
END_TEST

START_TEST(a_robot_without_an_arm_takes_nothing)
{
	set_up();
	now.offered = NULL;
	refused("has no arm");
	offer.items_count = 0;
	refused("has no arm");
	want.verb = CAIRN_SKILL_VERB_POUR;
	refused("does not offer pour");
	want.verb = CAIRN_SKILL_VERB_NAVIGATE;
	refused("nothing an arm does");
	want.verb = CAIRN_SKILL_VERB_NONE;
	refused("nothing an arm does");
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
	set_up();
	want.target[0] = '\0';
	refused("target");
	want.y_m = NAN;
	refused("target");
	want.deadline_s = 0.0;
	refused("deadline_s");
	want.deadline_s = INFINITY;
	refused("deadline_s");
}
END_TEST

START_TEST(an_arm_does_not_move_while_anything_holds_or_drives_the_robot)
{
	set_up();
	now.forbidden = "the mission is paused";
	refused("paused");
	now.hold = "emergency stop: by hand";
	refused("emergency stop");
	now.busy = true;
	refused("under way");
	now.driving = true;
	refused("driving");
	now.stood_s = 0.25;
	refused("stood for 0.2 s");
	now.stood_s = NAN;
	refused("stood for");
	now.pose_ok = false;
	refused("place is not known");
}
END_TEST

START_TEST(what_was_not_seen_there_lately_is_not_reached_for)
{
	set_up();
	want.y_m = 0.5;
	refused("no picture has shown");
	want.z_m = 1.6;
	refused("no picture has shown");
	snprintf(want.target, sizeof(want.target), "bottle");
	refused("no picture has shown");
	now.now_ns += 45 * CAIRN_NS_PER_S / 10;
	refused("5.5 s ago");
	see("cup", 0.77, 0.0, 0.8, 0.04, NOW_NS + 10 * CAIRN_NS_PER_S); /* a picture of the future is none */
	refused("no picture has shown");
}
END_TEST

/* 0.77 - 0.04 - 0.27 = 0.46 m. */
START_TEST(reach_is_measured_from_the_body_to_the_near_side)
{
	set_up();
	cfg.robot.arm_reach_m = 0.45;
	refused("0.46 m from the robot; it reaches 0.45 m");
	cfg.robot.arm_reach_m = 0.47;
	ck_assert(cairn_skill_gate(&now, &want, &told));
	set_up();
	now.pose.x_m = -0.35; /* the live pose, not that of the picture */
	refused("0.81 m from the robot");
	struct cairn_footprint body = {0.27, 0.08, 0.10};
	const double min[2] = {1.0, -2.0}, max[2] = {2.0, 2.0}, beside[2] = {0.0, 0.3};
	ck_assert_double_eq_tol(cairn_skill_distance_m(&body, (struct cairn_pose2){0}, min, max), 0.73, 1e-9);
	ck_assert_double_eq_tol(
	    cairn_skill_distance_m(&body, (struct cairn_pose2){0}, beside, beside), 0.2, 1e-9);
	ck_assert_double_eq(
	    cairn_skill_distance_m(&body, (struct cairn_pose2){1.5, 0.0, 0.3}, min, max), 0.0);
}
END_TEST

START_TEST(an_arm_does_not_move_beside_people)
{
	set_up();
	see("person", 0.0, 0.85, 0.8, 0.2, NOW_NS - 4 * CAIRN_NS_PER_S);
	refused("somebody is 0.55 m");
	see("person", 0.0, 1.15, 0.8, 0.2, NOW_NS - CAIRN_NS_PER_S);
	ck_assert(cairn_skill_gate(&now, &want, &told));
	set_up();
	float x[1] = {-0.5f}, y[1] = {0.0f};
	now.mover_x_m = x;
	now.mover_y_m = y;
	now.movers = 1;
	refused("somebody is 0.42 m");
}
END_TEST

START_TEST(the_one_who_is_handed_to_may_be_near_and_nobody_else)
{
	set_up();
	snprintf(want.target, sizeof(want.target), "Anna");
	want.verb = CAIRN_SKILL_VERB_HAND_OVER;
	want.x_m = 0.9;
	refused("no picture has shown 'Anna'");
	snprintf(want.target, sizeof(want.target), "Anna");
	want.verb = CAIRN_SKILL_VERB_HAND_OVER;
	want.x_m = 0.9;
	see("person", 0.9, 0.0, 0.8, 0.2, NOW_NS - CAIRN_NS_PER_S);
	ck_assert_msg(cairn_skill_gate(&now, &want, &told), "%s", told.reason);
	see("person", 0.0, 0.8, 0.8, 0.2, NOW_NS - CAIRN_NS_PER_S);
	ck_assert(!cairn_skill_gate(&now, &want, &told));
	ck_assert_ptr_nonnull(strstr(told.reason, "somebody"));
	want.verb = CAIRN_SKILL_VERB_GRASP; /* taking is not handing over */
	snprintf(want.target, sizeof(want.target), "cup");
	want.x_m = 0.77;
	ck_assert(!cairn_skill_gate(&now, &want, &told));
}
END_TEST

/* Whatever the moment is like: nothing passes while the robot drives, is stopped or has just stopped, or with somebody near. */
START_TEST(no_request_ever_passes_while_moving_stopped_or_with_a_person_near)
{
	struct cairn_rng rng;
	uint32_t passed = 0;
	cairn_rng_seed(&rng, 4, 1);
	for (int i = 0; i < CAIRN_ROUNDS(200000); i++) {
		set_up();
		float x = (float)(4.0 * cairn_rng_uniform(&rng) - 2.0),
		      y = (float)(4.0 * cairn_rng_uniform(&rng) - 2.0);
		double px = 4.0 * cairn_rng_uniform(&rng) - 2.0, py = 4.0 * cairn_rng_uniform(&rng) - 2.0;
		bool mover = cairn_rng_uniform(&rng) < 0.3, person = cairn_rng_uniform(&rng) < 0.3;
		now.driving = cairn_rng_uniform(&rng) < 0.2;
		now.busy = cairn_rng_uniform(&rng) < 0.2;
		now.hold = cairn_rng_uniform(&rng) < 0.2 ? "emergency stop" : NULL;
		now.stood_s = 0.8 * cairn_rng_uniform(&rng);
		now.pose = (struct cairn_pose2){1.2 * cairn_rng_uniform(&rng) - 0.6,
		    1.2 * cairn_rng_uniform(&rng) - 0.6, 6.3 * cairn_rng_uniform(&rng)};
		if (mover) {
			now.mover_x_m = &x;
			now.mover_y_m = &y;
			now.movers = 1;
		}
		if (person)
			see("person", px, py, 0.8, 0.2,
			    NOW_NS - (int64_t)(6e9 * cairn_rng_uniform(&rng)) - 1);
		if (!cairn_skill_gate(&now, &want, &told))
			continue;
		passed++;
		ck_assert(!now.driving && !now.busy && now.hold == NULL && now.stood_s >= cfg.skill.stand_s);
		/* The body is no farther from its origin than 0.29 m on any side. */
		ck_assert(!mover ||
			  hypot((double)x - now.pose.x_m, (double)y - now.pose.y_m) >= cfg.skill.person_m);
		double gap_m = fmax(fabs(px - now.pose.x_m), fabs(py - now.pose.y_m)) - 0.2;
		bool lately = false;
		for (size_t k = 0; k < CAIRN_SKILL_SIGHTS; k++)
			lately = lately || (sights.items[k].person &&
					       NOW_NS - sights.items[k].t_ns <= 5 * CAIRN_NS_PER_S);
		ck_assert(!lately ||
			  hypot(fmax(0.0, fabs(px - now.pose.x_m) - 0.2),
			      fmax(0.0, fabs(py - now.pose.y_m) - 0.2)) >= cfg.skill.person_m ||
			  gap_m >= cfg.skill.person_m);
		ck_assert_double_le(hypot(0.77 - now.pose.x_m, 0.0 - now.pose.y_m), 0.8 + 0.29 + 0.06);
	}
	ck_assert_uint_gt(passed, (uint32_t)CAIRN_ROUNDS(200000) / 200);
}
END_TEST

CAIRN_TEST_MAIN("skill-gate", a_thing_that_is_seen_and_in_reach_may_be_taken_by_a_robot_that_stands,
    a_robot_without_an_arm_takes_nothing, what_makes_no_sense_is_refused,
    an_arm_does_not_move_while_anything_holds_or_drives_the_robot,
    what_was_not_seen_there_lately_is_not_reached_for, reach_is_measured_from_the_body_to_the_near_side,
    an_arm_does_not_move_beside_people, the_one_who_is_handed_to_may_be_near_and_nobody_else,
    no_request_ever_passes_while_moving_stopped_or_with_a_person_near)
