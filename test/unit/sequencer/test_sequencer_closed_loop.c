/* The whole sequencer against a room: hostile decisions never touch a wall, sensible ones get somewhere. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

typedef void pilot_fn(struct rig *r);

/* Lets a pilot answer shortly after it is asked, for so long. */
static void drive_with(struct rig *r, pilot_fn *pilot, double seconds)
{
	double asked_s = 0.0;
	for (int i = 0; i < (int)(seconds * 20.0); i++) {
		rig_step(r);
		asked_s = r->out.mission.wants_decision ? asked_s + 0.05 : 0.0;
		if (asked_s >= 0.4) {
			pilot(r);
			asked_s = 0.0;
		}
	}
}

static struct rig *furnished(uint64_t seed)
{
	struct rig *r = rig_room(seed);
	rig_frontier(r, 1, 3.5, 1.5, 1.0);
	rig_frontier(r, 2, -1.0, -2.0, 0.9);
	rig_start(r);
	return r;
}

static void always_forward(struct rig *r)
{
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 8.0);
}

static void flips(struct rig *r)
{
	bool odd = r->next_decision_id % 2 == 1;
	rig_move(r, odd ? CAIRN_DIRECTION_LEFT : CAIRN_DIRECTION_BACKWARD, CAIRN_SPEED_FAST, odd ? 6.0 : 5.0);
}

static void at_random(struct rig *r)
{
	struct cairn_msg_decision d =
	    rig_decision(r, (enum cairn_tool)(cairn_rng_u32(&r->rng) % CAIRN_TOOL_COUNT));
	d.direction = (enum cairn_direction)(cairn_rng_u32(&r->rng) % CAIRN_DIRECTION_COUNT);
	d.speed = (enum cairn_speed)(cairn_rng_u32(&r->rng) % CAIRN_SPEED_COUNT);
	d.goal_kind = (enum cairn_goal_kind)(cairn_rng_u32(&r->rng) % CAIRN_GOAL_KIND_COUNT);
	d.duration_s = 1.0 + 7.0 * cairn_rng_uniform(&r->rng);
	d.angle_deg = 360.0 * cairn_rng_uniform(&r->rng) - 180.0;
	d.frontier_id = cairn_rng_u32(&r->rng) % 4;
	d.x_m = 12.0 * cairn_rng_uniform(&r->rng) - 6.0;
	d.y_m = 12.0 * cairn_rng_uniform(&r->rng) - 6.0;
	rig_decide(r, &d);
}

static void absurd(struct rig *r)
{
	static const double numbers[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0, -0.0, 5e-324, 4.0};
	const uint32_t n = sizeof(numbers) / sizeof(numbers[0]);
	struct cairn_msg_decision d = rig_decision(r, (enum cairn_tool)(cairn_rng_u32(&r->rng) % 12));
	d.direction = (enum cairn_direction)(cairn_rng_u32(&r->rng) % 9);
	d.speed = (enum cairn_speed)(cairn_rng_u32(&r->rng) % 5);
	d.goal_kind = (enum cairn_goal_kind)(cairn_rng_u32(&r->rng) % 5);
	d.duration_s = numbers[cairn_rng_u32(&r->rng) % n];
	d.angle_deg = numbers[cairn_rng_u32(&r->rng) % n];
	d.x_m = numbers[cairn_rng_u32(&r->rng) % n];
	d.y_m = numbers[cairn_rng_u32(&r->rng) % n];
	d.snapshot_x_m = cairn_rng_u32(&r->rng) % 3 == 0 ? NAN : d.snapshot_x_m;
	d.t_snapshot_ns = cairn_rng_u32(&r->rng) % 5 == 0 ? INT64_MIN : d.t_snapshot_ns;
	rig_decide(r, &d);
}

/* Drives where there is most room, turns when there is none. */
static void sensible(struct rig *r)
{
	double left = INFINITY, front = INFINITY, right = INFINITY;
	for (int i = 0; i < RIG_RAYS; i++) {
		double range = (double)r->scan.range_m[i], a = cairn_wrap_rad((double)r->scan.angle_rad[i]);
		if (range <= 0.0)
			continue;
		double *side = fabs(a) < 0.35          ? &front
			       : a > 0.35 && a < 1.4   ? &left
			       : a < -0.35 && a > -1.4 ? &right
						       : NULL;
		if (side != NULL)
			*side = fmin(*side, range);
	}
	if (front > 1.0) {
		rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 3.0);
		return;
	}
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
	d.angle_deg = left > right ? -70.0 : 70.0;
	rig_decide(r, &d);
}

static void expect_safe(pilot_fn *pilot, double seconds)
{
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(4); seed++) {
		struct rig *r = furnished(seed);
		drive_with(r, pilot, seconds);
		rig_step(r); /* what was decided last is being executed */
		ck_assert_uint_eq(r->contacts, 0);
		ck_assert_uint_eq(r->result_errors, 0);
		/* one result for each decision, but for the one that is still being executed */
		uint64_t decided = r->next_decision_id - 1,
			 open = cairn_sequencer_record(r->seq)->open.decision.id != 0 ? 1 : 0, done = 0;
		for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
			done += r->outcomes[i];
		ck_assert_uint_gt(decided, 5);
		ck_assert_uint_eq(done + open, decided);
		rig_free(r);
	}
}

START_TEST(always_forward_never_touches_a_wall)
{
	expect_safe(always_forward, 240.0);
}
END_TEST

START_TEST(flipping_never_touches_a_wall)
{
	expect_safe(flips, 240.0);
}
END_TEST

START_TEST(random_decisions_never_touch_a_wall)
{
	expect_safe(at_random, 300.0);
}
END_TEST

START_TEST(absurd_numbers_never_touch_a_wall)
{
	expect_safe(absurd, 120.0);
}
END_TEST

START_TEST(a_planner_that_drives_through_walls_is_held)
{
	struct rig *r = furnished(3);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	ck_assert(rig_command(r, "goto", 4.0, -2.0, 0.0).ok); /* the inner wall lies between */
	rig_run(r, 60.0);
	ck_assert_uint_eq(r->contacts, 0);
	ck_assert_double_gt(r->path_m, 1.0);
	rig_free(r);
}
END_TEST

START_TEST(sensible_decisions_get_somewhere)
{
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(3); seed++) {
		struct rig *r = furnished(seed);
		drive_with(r, sensible, 240.0);
		ck_assert_uint_eq(r->contacts, 0);
		ck_assert_double_gt(r->path_m, 12.0);
		ck_assert_uint_gt(r->outcomes[CAIRN_OUTCOME_SUCCESS], r->next_decision_id * 6 / 10);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_robot_led_into_a_corner_gets_out_by_itself)
{
	struct rig *r = rig_new(5);
	rig_box(r, -0.6, -2.0, 4.0, 0.30); /* it starts beside a wall and drives along it into the corner */
	rig_frontier(r, 1, 1.0, -1.0, 1.0);
	rig_start(r);
	drive_with(r, always_forward, 60.0);
	bool moved_by_itself = false;
	for (int i = 0; i < 20 * 60; i++) {
		rig_step(r);
		moved_by_itself |= r->out.cmd_vel.source == CAIRN_SOURCE_LOCAL && r->out.cmd_vel.v_mps != 0.0;
		if (r->out.mission.wants_decision && i % 8 == 0)
			always_forward(r);
	}
	ck_assert(moved_by_itself);
	ck_assert_uint_eq(r->contacts, 0);
	ck_assert_uint_gt(r->out.mission.overrides, 0);
	rig_free(r);
}
END_TEST

START_TEST(rotate_turns_by_the_angle_within_a_narrow_place)
{
	static const double angles[] = {90.0, -90.0, 45.0, -170.0};
	for (size_t i = 0; i < sizeof(angles) / sizeof(angles[0]); i++) {
		struct rig *r = rig_new(9 + i);
		rig_box(r, -0.55, -0.65, 0.85, 0.65); /* 1.4 by 1.3 m */
		rig_frontier(r, 1, 0.5, 0.0, 1.0);
		rig_start(r);
		rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
		d.angle_deg = angles[i];
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 60.0));
		ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
		rig_run(r, 0.5);
		double off = cairn_wrap_rad(r->pose.yaw_rad + cairn_deg_to_rad(angles[i]));
		ck_assert_double_lt(fabs(cairn_rad_to_deg(off)), 10.0);
		ck_assert_uint_eq(r->contacts, 0);
		rig_free(r);
	}
}
END_TEST

/* Random bits in every number; counts, enums and text ends as the codec leaves them. */
static void scramble(struct cairn_rng *rng, const struct cairn_msg_desc *desc, void *msg)
{
	unsigned char *p = msg;
	for (size_t i = 0; i < desc->size; i++)
		p[i] = (unsigned char)cairn_rng_u32(rng);
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t count = f->repeated ? cairn_rng_u32(rng) % (f->capacity + 1) : 1;
		if (f->repeated)
			memcpy(p + f->count_offset, &count, sizeof(count));
		for (uint32_t k = 0; k < count; k++) {
			unsigned char *at = p + f->offset + k * f->stride;
			uint32_t value =
			    f->enum_of != NULL ? cairn_rng_u32(rng) % (uint32_t)f->enum_of->count : 0;
			if (f->kind == CAIRN_FIELD_ENUM)
				memcpy(at, &value, sizeof(value));
			else if (f->kind == CAIRN_FIELD_BOOL)
				*at &= 1u;
			else if (f->kind == CAIRN_FIELD_STR)
				at[cairn_rng_u32(rng) % f->capacity] = at[f->capacity - 1] = '\0';
			else if (f->kind == CAIRN_FIELD_MSG)
				scramble(rng, f->msg_of, at);
		}
	}
}

static void garbage(struct rig *r, void *msg)
{
	int64_t t = r->now_ns + (int64_t)(cairn_rng_u32(&r->rng) % 100) - 50;
	if (cairn_rng_u32(&r->rng) % 8 == 0)
		t = (int64_t)((uint64_t)cairn_rng_u32(&r->rng) << 32 | cairn_rng_u32(&r->rng));
	struct cairn_msg_reply reply;
	switch (cairn_rng_u32(&r->rng) % 9) {
	case 0:
		scramble(&r->rng, &cairn_desc_scan, msg);
		cairn_sequencer_on_scan(r->seq, msg, t);
		return;
	case 1:
		scramble(&r->rng, &cairn_desc_pose, msg);
		cairn_sequencer_on_pose(r->seq, msg, t);
		return;
	case 2:
		scramble(&r->rng, &cairn_desc_motion, msg);
		cairn_sequencer_on_motion(r->seq, msg, t);
		return;
	case 3:
		scramble(&r->rng, &cairn_desc_frontiers, msg);
		cairn_sequencer_on_frontiers(r->seq, msg, t);
		return;
	case 4:
		scramble(&r->rng, &cairn_desc_nav_velocity, msg);
		cairn_sequencer_on_nav_velocity(r->seq, msg, t);
		return;
	case 5:
		scramble(&r->rng, &cairn_desc_nav_status, msg);
		cairn_sequencer_on_nav_status(r->seq, msg, t);
		return;
	case 6:
		scramble(&r->rng, &cairn_desc_decision, msg);
		cairn_sequencer_on_decision(r->seq, msg, cairn_rng_u32(&r->rng) % 3, r->now_ns);
		return;
	case 7:
		scramble(&r->rng, &cairn_desc_candidates, msg);
		cairn_sequencer_on_candidates(r->seq, msg, t);
		return;
	default:
		scramble(&r->rng, &cairn_desc_command, msg);
		cairn_sequencer_on_command(r->seq, msg, r->now_ns, &reply);
		return;
	}
}

START_TEST(garbage_on_every_input_is_survived)
{
	void *msg = malloc(sizeof(struct cairn_msg_scan) + sizeof(struct cairn_msg_frontiers));
	uint32_t wrong = 0;
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(3); seed++) {
		struct rig *r = furnished(seed);
		for (int i = 0; i < 3000; i++) {
			for (uint32_t n = cairn_rng_u32(&r->rng) % 4; n > 0; n--)
				garbage(r, msg);
			if (i % 100 < 60) { /* true messages in between keep it driving */
				rig_pose_and_motion(r);
				rig_planner(r);
				rig_frontiers(r);
				rig_scan(r);
			}
			if (i % 16 == 0)
				at_random(r);
			r->now_ns += RIG_STEP_NS;
			cairn_sequencer_step(r->seq, r->now_ns, &r->out);
			double v = r->out.cmd_vel.v_mps, w = r->out.cmd_vel.w_radps;
			bool ok = fabs(v) <= r->cfg.robot.speed_max_mps &&
				  fabs(w) <= fabs(v) / r->cfg.robot.turn_radius_min_m + 1e-9;
			wrong += ok ? 0 : 1;
		}
		rig_free(r);
	}
	free(msg);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_closed_loop", always_forward_never_touches_a_wall, flipping_never_touches_a_wall,
    random_decisions_never_touch_a_wall, absurd_numbers_never_touch_a_wall,
    a_planner_that_drives_through_walls_is_held, sensible_decisions_get_somewhere,
    a_robot_led_into_a_corner_gets_out_by_itself, rotate_turns_by_the_angle_within_a_narrow_place,
    garbage_on_every_input_is_survived)
