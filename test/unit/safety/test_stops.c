/* The state machine of stops, searched through: every state is reached, and no way leads from a latched stop
 * to motion but the operator's. */
#include <stdlib.h>
#include <string.h>

#include "common/safety/motor_gate.h"
#include "common/sequencer/sequencer.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

struct bench {
	struct cairn_config cfg;
	struct cairn_motor_params params;
	struct cairn_motor *m;
	struct cairn_msg_scan scan;
	int64_t now_ns;
	uint64_t seq, epoch;
	bool device;
	double fastest_mps;
};

static struct bench b;

static struct cairn_header header(void)
{
	return (struct cairn_header){.valid = true, .epoch = b.epoch, .seq = ++b.seq, .t_ns = b.now_ns};
}

static void begin(void)
{
	free(b.m);
	memset(&b, 0, sizeof(b));
	cairn_config_defaults(&b.cfg);
	cairn_motor_params_from(&b.params, &b.cfg);
	b.params.wheels.limit_s = 0.0; /* it is held against its commands */
	b.m = malloc(sizeof(*b.m));
	b.now_ns = 1000 * CAIRN_NS_PER_S;
	b.epoch = 1;
	cairn_motor_init(b.m, &b.params, false, b.now_ns);
	b.scan.range_min_m = 0.05f;
	b.scan.range_max_m = 12.0f;
	b.scan.angle_rad_count = b.scan.range_m_count = 72;
	for (int i = 0; i < 72; i++) {
		b.scan.angle_rad[i] = (float)cairn_wrap_rad((i + 0.5) * M_PI / 36.0);
		b.scan.range_m[i] = 6.0f + 0.05f * (float)(i % 5);
	}
}

static void step(void)
{
	cairn_motor_measured(
	    b.m, (struct cairn_twist){0}, b.now_ns); /* the robot is held: so is what it sees */
	struct cairn_twist t = cairn_motor_step(b.m, b.now_ns);
	b.fastest_mps = fmax(b.fastest_mps, fabs(t.v_mps));
}

/* ---- what may happen ---- */

enum event {
	EV_SCAN,
	EV_COMMAND,
	EV_REBIRTH,   /* messages come from a new epoch */
	EV_ESTOP_OFF, /* the watchdog takes its demand back */
	EV_GUARD,
	EV_DEVICE, /* the board leaves or comes back */
	EV_DEPTH,
	EV_LONG,  /* five quiet seconds */
	EV_DRIVE, /* a second of everything being well */
	EV_COUNT
};

/* Measurements differ: a LiDAR that repeats a revolution is taken for broken. */
static void see(const struct cairn_header *hdr)
{
	static uint32_t looks;
	b.scan.range_m[looks++ % b.scan.range_m_count] += 1e-6f;
	(void)cairn_motor_scan(b.m, hdr, &b.scan, b.now_ns);
}

static void drive_ms(int ms)
{
	for (int t = 0; t < ms; t += 20) {
		b.now_ns += 20 * MS;
		struct cairn_header hdr = header();
		struct cairn_msg_cmd_vel cmd = {.v_mps = 0.3};
		(void)cairn_motor_cmd(b.m, &hdr, &cmd, b.now_ns);
		hdr = header();
		if (t % 100 == 0)
			see(&hdr);
		step();
	}
}

static void happen(enum event event)
{
	struct cairn_msg_estop off = {.stop = false};
	struct cairn_msg_guard guard = {.floor_m = 0.03};
	struct cairn_msg_depth_scan depth = {.range_max_m = 2.0f};
	struct cairn_msg_cmd_vel cmd = {.v_mps = 0.3};
	b.now_ns += 20 * MS;
	struct cairn_header hdr = header();
	switch (event) {
	case EV_SCAN:
		see(&hdr);
		break;
	case EV_COMMAND:
		(void)cairn_motor_cmd(b.m, &hdr, &cmd, b.now_ns);
		break;
	case EV_REBIRTH:
		b.epoch++;
		b.seq = 0;
		break;
	case EV_ESTOP_OFF:
		(void)cairn_motor_estop(b.m, &hdr, &off, b.now_ns);
		break;
	case EV_GUARD:
		(void)cairn_motor_guard(b.m, &hdr, &guard, b.now_ns);
		break;
	case EV_DEVICE:
		b.device = !b.device;
		cairn_motor_device(b.m, b.device);
		break;
	case EV_DEPTH:
		depth.angle_rad_count = depth.free_from_m_count = depth.free_to_m_count = depth.hit_count = 1;
		depth.free_to_m[0] = 2.0f;
		(void)cairn_motor_depth(b.m, &hdr, &depth, b.now_ns);
		break;
	case EV_LONG:
		b.now_ns += 5 * CAIRN_NS_PER_S;
		break;
	case EV_DRIVE:
		drive_ms(600);
		break;
	case EV_COUNT:
		break;
	}
	step();
}

static void up(void)
{
	begin();
	b.device = true;
	cairn_motor_device(b.m, true);
	drive_ms(1000);
}

/* Every sequence of so many events from a latched stop. True when it drove. */
static bool any_way_out(void (*latch)(void), int depth)
{
	uint32_t all = 1;
	for (int i = 0; i < depth; i++)
		all *= EV_COUNT;
	for (uint32_t code = 0; code < all; code++) {
		up();
		latch();
		step();
		b.fastest_mps = 0.0;
		for (uint32_t c = code, i = 0; i < (uint32_t)depth; i++, c /= EV_COUNT)
			happen((enum event)(c % EV_COUNT));
		drive_ms(400);
		if (b.fastest_mps > 0.0)
			return true;
	}
	return false;
}

static void latch_operator(void)
{
	cairn_motor_operator_stop(b.m, "test");
}

static void latch_watchdog(void)
{
	struct cairn_header hdr = header();
	struct cairn_msg_estop stop = {.stop = true, .reason = "test"};
	(void)cairn_motor_estop(b.m, &hdr, &stop, b.now_ns);
}

static void latch_bumper(void)
{
	struct cairn_header hdr = header();
	struct cairn_msg_guard guard = {.bumper = true, .floor_m = -1.0};
	(void)cairn_motor_guard(b.m, &hdr, &guard, b.now_ns);
}

static void latch_bumper_behind(void)
{
	struct cairn_header hdr = header();
	struct cairn_msg_guard guard = {.bumper_rear = true, .floor_m = -1.0};
	(void)cairn_motor_guard(b.m, &hdr, &guard, b.now_ns);
}

static void latch_nothing(void)
{
}

START_TEST(no_sequence_of_events_leads_from_a_latched_stop_to_motion)
{
	ck_assert(any_way_out(latch_nothing, 1)); /* the search finds motion where there is a way */
	ck_assert(!any_way_out(latch_operator, 3));
	ck_assert(!any_way_out(latch_watchdog, 3));
	ck_assert(!any_way_out(latch_bumper, 3));
}
END_TEST

START_TEST(only_the_operator_releases_and_not_while_the_stop_is_demanded)
{
	void (*const latches[])(void) = {latch_operator, latch_watchdog, latch_bumper, latch_bumper_behind};
	struct cairn_error err = {""};
	for (int i = 0; i < 4; i++) {
		up();
		latches[i]();
		b.fastest_mps = 0.0;
		drive_ms(2000);
		ck_assert_double_eq(b.fastest_mps, 0.0);
		ck_assert(cairn_motor_operator_release(b.m, b.now_ns, &err));
		drive_ms(1000);
		ck_assert_double_gt(b.fastest_mps, 0.2);
	}
	up();
	latch_watchdog();
	ck_assert(!cairn_motor_operator_release(b.m, b.now_ns, &err));
}
END_TEST

START_TEST(every_state_is_the_state_of_some_conditions_and_a_stop_outranks_all_below_it)
{
	bool reached[CAIRN_MOTOR_STATE_COUNT] = {false};
	for (unsigned c = 0; c < 1u << CAIRN_MOTOR_CONDITIONS; c++) {
		enum cairn_motor_state s = cairn_motor_state_of(c);
		reached[s] = true;
		if ((c & CAIRN_MOTOR_NO_DEVICE) == 0 && (c & CAIRN_MOTOR_ESTOP) != 0)
			ck_assert_int_eq(s, CAIRN_MOTOR_STATE_ESTOP);
		bool may_drive = s == CAIRN_MOTOR_STATE_DRIVING || s == CAIRN_MOTOR_STATE_SLOWED;
		unsigned stops = CAIRN_MOTOR_NO_DEVICE | CAIRN_MOTOR_ESTOP | CAIRN_MOTOR_NO_SCAN |
				 CAIRN_MOTOR_NO_DEPTH | CAIRN_MOTOR_NO_COMMAND | CAIRN_MOTOR_NEVER_COMMAND |
				 CAIRN_MOTOR_REARMING;
		if ((c & stops) != 0)
			ck_assert(!may_drive);
	}
	for (int s = 0; s < CAIRN_MOTOR_STATE_COUNT; s++)
		ck_assert_msg(reached[s], "%s", cairn_enum_text(&cairn_enum_motor_state, s));
}
END_TEST

START_TEST(a_drop_ahead_holds_forward_motion_only_until_floor_is_seen_a_second_after_it)
{
	up();
	struct cairn_msg_guard drop = {.floor_m = INFINITY}, floor_again = {.floor_m = 0.03};
	struct cairn_header hdr = header();
	ck_assert(cairn_motor_guard(b.m, &hdr, &drop, b.now_ns));
	step();
	b.fastest_mps = 0.0;
	drive_ms(800);
	ck_assert_double_eq(b.fastest_mps, 0.0);
	struct cairn_msg_cmd_vel back = {.v_mps = -0.1};
	for (int i = 0; i < 40; i++) {
		b.now_ns += 5 * MS; /* still within the second */
		hdr = header();
		(void)cairn_motor_cmd(b.m, &hdr, &back, b.now_ns);
		hdr = header();
		see(&hdr);
		step();
		hdr = header();
		(void)cairn_motor_guard(b.m, &hdr, &drop, b.now_ns);
	}
	ck_assert_double_gt(b.fastest_mps, 0.02);
	hdr = header();
	b.now_ns += MS;
	hdr.t_ns = b.now_ns;
	ck_assert(cairn_motor_guard(
	    b.m, &hdr, &floor_again, b.now_ns)); /* too soon, and then the sensor is silent */
	drive_ms(500);                           /* comes to a stand from backing */
	b.fastest_mps = 0.0;
	drive_ms(2000);
	ck_assert_double_eq(b.fastest_mps, 0.0);
	hdr = header();
	ck_assert(cairn_motor_guard(b.m, &hdr, &floor_again, b.now_ns));
	drive_ms(2500);
	ck_assert_double_gt(b.fastest_mps, 0.2);
}
END_TEST

/* Known to be behind, it leaves the way ahead. */
START_TEST(a_bumper_behind_leaves_the_way_ahead)
{
	up();
	b.m->params.bumper_sided = true;
	struct cairn_msg_cmd_vel back = {.v_mps = -0.1};
	for (int i = 0; i < 100; i++) {
		b.now_ns += 20 * MS;
		struct cairn_header hdr = header();
		(void)cairn_motor_cmd(b.m, &hdr, &back, b.now_ns);
		hdr = header();
		see(&hdr);
		step();
		if (i == 40)
			ck_assert_double_lt(cairn_motor_sent(b.m).v_mps, -0.02);
		if (i == 50)
			latch_bumper_behind();
		if (i > 50)
			ck_assert_double_eq(cairn_motor_sent(b.m).v_mps, 0.0);
	}
	ck_assert(!b.m->estop);
	b.fastest_mps = 0.0;
	drive_ms(1000);
	ck_assert_double_gt(b.fastest_mps, 0.2);
}
END_TEST

START_TEST(every_tier_is_reached_in_its_order_and_an_answer_ends_all_of_them)
{
	cairn_config_defaults(&b.cfg);
	static const enum cairn_tier order[] = {CAIRN_TIER_NORMAL, CAIRN_TIER_COASTING, CAIRN_TIER_WAITING,
	    CAIRN_TIER_LOCAL, CAIRN_TIER_RETURNING};
	size_t at = 0;
	for (double s = 0.0; s < 100.0; s += 0.05) {
		enum cairn_tier tier = cairn_sequencer_tier(&b.cfg, s, 0.0);
		if (tier != order[at])
			at++;
		ck_assert_uint_lt(at, sizeof(order) / sizeof(order[0]));
		ck_assert_int_eq(tier, order[at]); /* one after the other, none skipped, never back */
	}
	ck_assert_uint_eq(at, 4);
	ck_assert_int_eq(cairn_sequencer_tier(&b.cfg, 0.0, 0.0), CAIRN_TIER_NORMAL);
	ck_assert_int_eq(cairn_sequencer_tier(&b.cfg, NAN, 0.0), CAIRN_TIER_NORMAL);
}
END_TEST

CAIRN_TEST_MAIN("stops", no_sequence_of_events_leads_from_a_latched_stop_to_motion,
    only_the_operator_releases_and_not_while_the_stop_is_demanded,
    every_state_is_the_state_of_some_conditions_and_a_stop_outranks_all_below_it,
    a_drop_ahead_holds_forward_motion_only_until_floor_is_seen_a_second_after_it,
    a_bumper_behind_leaves_the_way_ahead, every_tier_is_reached_in_its_order_and_an_answer_ends_all_of_them)
