/* The watchdog by the clock. */
#include "common/base/geom.h"
#include "common/safety/watchdog.h"
#include "test/support/runner.h"

/* It never hears itself, though the launcher says that it is up. */
static const char *const names[] = {"motor", "mapper", "gateway", "canary", "watchdog"};
enum { MOTOR, MAPPER, GATEWAY, CANARY, SELF, COUNT };

struct bench {
	struct cairn_config cfg;
	struct cairn_watchdog *w;
	struct cairn_watchdog_output out;
	int64_t now_ns;
	bool beats[COUNT], scan, motion, canary;
	double v_mps, sent_mps; /* measured, sent */
	enum cairn_motor_state motor_state;
	const char *motor_reason;
	uint64_t frames;
	struct cairn_msg_stages stages;
	bool launcher;
	uint32_t stop_writes, estops, restarts;
	uint64_t last_restart_id;
	char restarted[32];
};

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof(*b));
	cairn_config_defaults(&b->cfg);
	b->now_ns = 100 * CAIRN_NS_PER_S;
	b->w = cairn_watchdog_new(&b->cfg, names, COUNT, b->now_ns);
	for (int i = 0; i < COUNT; i++) {
		b->beats[i] = i != SELF;
		snprintf(b->stages.items[i].name, sizeof(b->stages.items[i].name), "%s", names[i]);
		b->stages.items[i].state = CAIRN_STAGE_STATE_UP;
	}
	b->stages.items_count = COUNT;
	b->scan = b->motion = b->canary = b->launcher = true;
	b->motor_state = CAIRN_MOTOR_STATE_DRIVING;
	b->motor_reason = "";
	return b;
}

static void bench_free(struct bench *b)
{
	cairn_watchdog_destroy(&b->w);
	free(b);
}

static void hear(struct bench *b, int tick)
{
	struct cairn_msg_motion motion = {.state = b->motor_state, .v_mps = b->sent_mps};
	snprintf(motion.reason, sizeof(motion.reason), "%s", b->motor_reason);
	struct cairn_msg_odom odom = {.v_mps = b->v_mps};
	for (int i = 0; i < COUNT; i++) {
		if (b->beats[i] && tick % 20 == i)
			cairn_watchdog_on_heartbeat(b->w, i, b->now_ns, b->now_ns);
	}
	if (b->scan && tick % 2 == 0)
		cairn_watchdog_on_scan(b->w, b->now_ns, b->now_ns);
	if (b->motion) {
		cairn_watchdog_on_motion(b->w, &motion, b->now_ns, b->now_ns);
		cairn_watchdog_on_odom(b->w, &odom, b->now_ns, b->now_ns);
	}
	if (tick % 20 == 7) {
		b->frames += b->canary ? 1 : 0;
		struct cairn_msg_canary c = {.sent = b->frames, .received = b->frames};
		cairn_watchdog_on_canary(b->w, &c, b->now_ns, b->now_ns);
	}
	if (b->launcher && tick % 10 == 3)
		cairn_watchdog_on_stages(b->w, &b->stages, b->now_ns, b->now_ns);
}

static void run(struct bench *b, double seconds)
{
	for (int i = 0; i < (int)(seconds * 20.0 + 0.5); i++) {
		b->now_ns += 50 * CAIRN_NS_PER_MS;
		hear(b, (int)(b->now_ns / (50 * CAIRN_NS_PER_MS) % 20));
		cairn_watchdog_step(b->w, b->now_ns, &b->out);
		b->stop_writes += b->out.write_stop ? 1 : 0;
		b->estops += b->out.estop.stop ? 1 : 0;
		if (b->out.health.restart_id != b->last_restart_id) {
			b->restarts++;
			b->last_restart_id = b->out.health.restart_id;
			snprintf(b->restarted, sizeof(b->restarted), "%s", b->out.health.restart);
		}
	}
}

START_TEST(a_healthy_stack_is_left_alone)
{
	struct bench *b = bench_new();
	run(b, 30.0);
	ck_assert(b->out.health.ok);
	ck_assert(b->out.health.data_plane_ok);
	ck_assert_uint_eq(b->restarts + b->stop_writes + b->estops, 0);
	bench_free(b);
}
END_TEST

START_TEST(nothing_counts_before_its_first_sign_of_life)
{
	struct bench *b = bench_new();
	memset(b->beats, 0, sizeof(b->beats));
	b->scan = b->motion = b->launcher = false;
	run(b, 9.0);
	ck_assert_msg(b->out.health.ok, "%s", b->out.health.problem);
	ck_assert_uint_eq(b->restarts + b->stop_writes + b->estops, 0);
	bench_free(b);
}
END_TEST

START_TEST(a_hung_stage_is_reported_once_after_three_seconds)
{
	struct bench *b = bench_new();
	run(b, 5.0);
	b->beats[MAPPER] = false;
	run(b, 2.0); /* the last beat was 0.95 s before */
	ck_assert_uint_eq(b->restarts, 0);
	run(b, 0.2);
	ck_assert_uint_eq(b->restarts, 1);
	ck_assert_str_eq(b->restarted, "mapper");
	ck_assert_ptr_nonnull(strstr(b->out.health.problem, "mapper"));
	run(b, 20.0);
	ck_assert_uint_eq(b->restarts, 1);
	ck_assert_str_eq(b->out.health.restart, "");
	b->beats[MAPPER] = true; /* the reborn one beats, then hangs too */
	run(b, 3.0);
	b->beats[MAPPER] = false;
	run(b, 5.0);
	ck_assert_uint_eq(b->restarts, 2);
	bench_free(b);
}
END_TEST

START_TEST(a_stage_that_hangs_before_its_first_beat_is_noticed)
{
	struct bench *b = bench_new(); /* a reborn watchdog, too: it never heard the one that hangs */
	b->beats[MAPPER] = false;
	run(b, 3.0);
	ck_assert_uint_eq(b->restarts, 0);
	run(b, 1.0);
	ck_assert_uint_eq(b->restarts, 1);
	ck_assert_str_eq(b->restarted, "mapper");
	run(b, 10.0);
	ck_assert_uint_eq(b->restarts, 1);
	b->stages.items[MAPPER].pid = 4711; /* started anew so quickly that only the pid tells */
	run(b, 5.0);
	ck_assert_uint_eq(b->restarts, 2);
	bench_free(b);
}
END_TEST

START_TEST(a_motor_stage_that_hung_before_the_watchdog_came_is_replaced_too)
{
	struct bench *b = bench_new();
	b->motion = b->beats[MOTOR] = false;
	run(b, 1.0);
	ck_assert_uint_eq(b->stop_writes, 0);
	run(b, 2.0);
	ck_assert_uint_ge(b->stop_writes, 25);
	b->motion = b->beats[MOTOR] = true;
	run(b, 0.1);
	ck_assert(!b->out.write_stop);
	bench_free(b);
}
END_TEST

START_TEST(two_hung_stages_are_asked_for_one_after_the_other)
{
	struct bench *b = bench_new();
	run(b, 5.0);
	b->beats[MAPPER] = b->beats[GATEWAY] = false;
	run(b, 12.0);
	ck_assert_uint_eq(b->restarts, 2);
	bench_free(b);
}
END_TEST

START_TEST(a_stage_that_is_being_restarted_is_left_alone)
{
	static const enum cairn_stage_state states[] = {CAIRN_STAGE_STATE_STARTING, CAIRN_STAGE_STATE_BACKOFF,
	    CAIRN_STAGE_STATE_STOPPING, CAIRN_STAGE_STATE_DOWN, CAIRN_STAGE_STATE_FAILED};
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct bench *b = bench_new();
		run(b, 5.0);
		b->beats[MAPPER] = false;
		b->stages.items[MAPPER].state = states[i];
		run(b, 15.0);
		ck_assert_uint_eq(b->restarts, 0);
		ck_assert(b->out.health.ok == (states[i] != CAIRN_STAGE_STATE_FAILED));
		bench_free(b);
	}
}
END_TEST

START_TEST(a_silent_motor_stage_is_replaced_at_the_device_until_it_is_heard)
{
	struct bench *b = bench_new();
	run(b, 5.0);
	b->motion = b->beats[MOTOR] = false;
	b->v_mps = b->sent_mps = 0.3;
	run(b, 0.15);
	ck_assert_uint_eq(b->stop_writes, 0);
	run(b, 0.05);
	ck_assert_uint_eq(b->stop_writes, 1); /* a quarter of a second is not reached */
	run(b, 1.0);
	ck_assert_uint_eq(b->stop_writes, 21); /* every step */
	ck_assert(!b->out.health.ok);
	b->motion = b->beats[MOTOR] = true;
	b->v_mps = b->sent_mps = 0.0;
	run(b, 0.1);
	ck_assert(!b->out.write_stop);
	ck_assert(b->out.health.ok);
	ck_assert_uint_eq(b->estops, 0); /* nothing latched that a person would have to release */
	bench_free(b);
}
END_TEST

START_TEST(a_robot_that_stands_without_a_scan_is_not_stopped_for_good)
{
	struct bench *b = bench_new();
	b->v_mps = b->sent_mps = 0.3;
	run(b, 5.0);
	b->scan = false;
	run(b, 0.5); /* the motor stage notices and stops */
	b->v_mps = b->sent_mps = 0.0;
	run(b, 20.0);
	ck_assert_uint_eq(b->estops, 0);
	ck_assert_ptr_nonnull(strstr(b->out.health.problem, "no scan"));
	b->scan = true;
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	bench_free(b);
}
END_TEST

START_TEST(a_robot_that_drives_on_without_a_scan_is_stopped)
{
	struct bench *b = bench_new();
	b->v_mps = b->sent_mps = 0.3;
	run(b, 5.0);
	b->scan = false;
	run(b, 1.0);
	ck_assert_uint_eq(b->estops, 0);
	run(b, 0.6);
	ck_assert(b->out.estop.stop);
	ck_assert_str_eq(b->out.health.problem, b->out.estop.reason);
	bench_free(b);
}
END_TEST

START_TEST(a_word_from_before_a_silence_does_not_make_a_stop_that_latches)
{
	struct bench *b = bench_new();
	b->v_mps = b->sent_mps = 0.3;
	run(b, 2.0);
	/* A loaded machine: bridge and motor stage sleep, the watchdog does not. */
	b->scan = b->motion = false;
	run(b, 1.5);
	ck_assert_uint_eq(b->estops, 0);
	/* The motor stage wakes first, reads what the board said long ago, then that it stands. */
	b->motion = true;
	run(b, 0.1);
	b->v_mps = b->sent_mps = 0.0;
	run(b, 0.1);
	b->scan = true;
	run(b, 1.0);
	ck_assert_uint_eq(b->estops, 0);
	bench_free(b);
}
END_TEST

START_TEST(a_data_plane_without_frames_is_noticed)
{
	struct bench *b = bench_new();
	run(b, 6.0);
	b->canary = false; /* it still reports, but no frame comes through */
	run(b, 2.0);
	ck_assert(b->out.health.data_plane_ok);
	run(b, 3.0);
	ck_assert(!b->out.health.data_plane_ok);
	ck_assert(!b->out.health.ok);
	/* while the canary is started anew nothing is known, then it is fine */
	b->stages.items[CANARY].state = CAIRN_STAGE_STATE_STARTING;
	run(b, 6.0);
	ck_assert(b->out.health.data_plane_ok);
	b->stages.items[CANARY].state = CAIRN_STAGE_STATE_UP;
	b->frames = 0;
	b->canary = true;
	run(b, 6.0);
	ck_assert(b->out.health.data_plane_ok);
	bench_free(b);
}
END_TEST

START_TEST(a_canary_never_heard_is_a_stuck_data_plane_in_the_end)
{
	struct bench *b = bench_new();
	b->canary = false;
	run(b, 9.5);
	ck_assert(b->out.health.data_plane_ok);
	run(b, 1.0);
	ck_assert(!b->out.health.data_plane_ok);
	bench_free(b);
}
END_TEST

START_TEST(its_own_absence_is_not_held_against_others)
{
	struct bench *b = bench_new();
	b->v_mps = b->sent_mps = 0.3;
	run(b, 6.0);
	b->now_ns += 60 * CAIRN_NS_PER_S; /* stopped and continued; nothing has been received yet */
	cairn_watchdog_step(b->w, b->now_ns, &b->out);
	ck_assert(!b->out.write_stop);
	ck_assert(!b->out.estop.stop);
	ck_assert(b->out.health.ok);
	run(b, 10.0);
	ck_assert_uint_eq(b->restarts + b->stop_writes + b->estops, 0);
	bench_free(b);
}
END_TEST

START_TEST(wheels_that_turn_against_a_zero_command_are_stopped_directly_and_are_no_health)
{
	struct bench *b = bench_new();
	b->v_mps = b->sent_mps = 0.3;
	run(b, 5.0);
	b->sent_mps = 0.0; /* told to stand, and the reports go on as before */
	run(b, 0.9);
	ck_assert_uint_eq(b->stop_writes, 0); /* it may still brake */
	run(b, 1.0);
	ck_assert_uint_gt(b->stop_writes, 10);
	ck_assert(!b->out.health.ok);
	ck_assert_str_eq(
	    b->out.health.problem, "the wheels turn against a zero command: stopping the base directly");
	ck_assert_uint_eq(b->estops, 0); /* nothing latches: pushing the robot by hand looks the same */
	b->v_mps = 0.0;
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	ck_assert(!b->out.write_stop);
	bench_free(b);
}
END_TEST

START_TEST(a_motor_stage_that_distrusts_wheels_or_scan_is_no_health_and_says_why)
{
	struct bench *b = bench_new();
	run(b, 3.0);
	b->motor_state = CAIRN_MOTOR_STATE_WHEEL_FAULT;
	b->motor_reason = "wheels stand";
	run(b, 0.1);
	ck_assert_str_eq(b->out.health.problem, "the wheels do not obey: wheels stand");
	b->motor_state = CAIRN_MOTOR_STATE_NO_SCAN; /* scans come, but it does not drive by them */
	b->motor_reason = "no scan for 0.4 s: the LiDAR repeats an earlier revolution";
	run(b, 0.5);
	ck_assert(b->out.health.ok); /* a hiccup is none */
	run(b, 1.0);
	ck_assert_ptr_nonnull(strstr(b->out.health.problem, "the LiDAR repeats an earlier revolution"));
	b->motor_state = CAIRN_MOTOR_STATE_DRIVING;
	run(b, 0.2);
	ck_assert(b->out.health.ok);
	bench_free(b);
}
END_TEST

START_TEST(stamps_from_the_future_and_unknown_stages_are_ignored)
{
	struct bench *b = bench_new();
	run(b, 5.0);
	cairn_watchdog_on_heartbeat(b->w, MAPPER, b->now_ns + 100 * CAIRN_NS_PER_S, b->now_ns);
	cairn_watchdog_on_heartbeat(b->w, -1, b->now_ns, b->now_ns);
	cairn_watchdog_on_heartbeat(b->w, 99, b->now_ns, b->now_ns);
	b->beats[MAPPER] = false;
	run(b, 5.0);
	ck_assert_str_eq(b->restarted, "mapper");
	bench_free(b);
}
END_TEST

START_TEST(what_a_stage_cannot_do_is_told_until_it_can_again)
{
	struct bench *b = bench_new();
	run(b, 5.0);
	cairn_watchdog_on_trouble(b->w, MAPPER, "cannot save the map: No space left on device");
	run(b, 1.0);
	ck_assert(!b->out.health.ok);
	ck_assert_str_eq(b->out.health.problem, "mapper: cannot save the map: No space left on device");
	cairn_watchdog_on_trouble(b->w, MAPPER, "");
	cairn_watchdog_on_trouble(b->w, 99, "nobody");
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	cairn_watchdog_on_trouble(b->w, MAPPER, "cannot save the map: No space left on device");
	b->stages.items[MAPPER].pid = 4711; /* another process, which has said nothing yet */
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	ck_assert_uint_eq(b->restarts + b->stop_writes + b->estops, 0);
	bench_free(b);
}
END_TEST

START_TEST(a_model_that_answers_nothing_usable_is_a_problem_until_it_does)
{
	struct bench *b = bench_new();
	struct cairn_msg_vlm_stats stats = {.calls = 5, .failures = 1, .last_error = "HTTP 401"};
	run(b, 5.0);
	cairn_watchdog_on_model(b->w, &stats);
	for (stats.calls = 6; stats.calls <= 7; stats.calls++) { /* one in flight, then failed */
		stats.in_flight = true;
		cairn_watchdog_on_model(b->w, &stats);
		stats.in_flight = false;
		stats.failures++;
		cairn_watchdog_on_model(b->w, &stats);
	}
	run(b, 1.0);
	ck_assert(b->out.health.ok); /* two are none */
	stats.calls = 8;
	stats.failures++;
	cairn_watchdog_on_model(b->w, &stats);
	run(b, 1.0);
	ck_assert(!b->out.health.ok);
	ck_assert_str_eq(
	    b->out.health.problem, "the model gave no usable answer to the last 3 calls: HTTP 401");
	stats.calls++;
	cairn_watchdog_on_model(b->w, &stats);
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	stats = (struct cairn_msg_vlm_stats){.calls = 2, .failures = 1}; /* a gateway that counts anew */
	cairn_watchdog_on_model(b->w, &stats);
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	stats =
	    (struct cairn_msg_vlm_stats){.calls = 1, .failures = 1, .last_error = "HTTP 401"}; /* its first */
	cairn_watchdog_on_model(b->w, &stats);
	run(b, 1.0);
	ck_assert_str_eq(
	    b->out.health.problem, "the model gave no usable answer to the last 1 calls: HTTP 401");
	stats = (struct cairn_msg_vlm_stats){.net_tier = CAIRN_NET_TIER_OFFLINE, .last_error = "no key"};
	cairn_watchdog_on_model(b->w, &stats);
	run(b, 1.0);
	ck_assert_str_eq(b->out.health.problem, "the model is not asked: no key");
	bench_free(b);
}
END_TEST

START_TEST(a_lidar_that_never_said_anything_and_a_roudi_that_cannot_live_are_problems)
{
	struct bench *b = bench_new();
	b->scan = false;
	run(b, 11.0);
	ck_assert_str_eq(b->out.health.problem, "no scan has come from sensor-bridge yet");
	b->scan = true;
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	struct cairn_msg_stage *roudi = &b->stages.items[b->stages.items_count++];
	snprintf(roudi->name, sizeof(roudi->name), "roudi");
	snprintf(roudi->note, sizeof(roudi->note), "RouDi ended: no such user");
	roudi->state = CAIRN_STAGE_STATE_FAILED;
	run(b, 1.0);
	ck_assert_str_eq(b->out.health.problem, "the data plane does not come up: RouDi ended: no such user");
	roudi->state = CAIRN_STAGE_STATE_UP;
	run(b, 1.0);
	ck_assert(b->out.health.ok);
	bench_free(b);
}
END_TEST

CAIRN_TEST_MAIN("watchdog", what_a_stage_cannot_do_is_told_until_it_can_again,
    a_model_that_answers_nothing_usable_is_a_problem_until_it_does,
    a_lidar_that_never_said_anything_and_a_roudi_that_cannot_live_are_problems, a_healthy_stack_is_left_alone,
    nothing_counts_before_its_first_sign_of_life, a_hung_stage_is_reported_once_after_three_seconds,
    two_hung_stages_are_asked_for_one_after_the_other, a_stage_that_hangs_before_its_first_beat_is_noticed,
    a_motor_stage_that_hung_before_the_watchdog_came_is_replaced_too,
    a_stage_that_is_being_restarted_is_left_alone,
    a_silent_motor_stage_is_replaced_at_the_device_until_it_is_heard,
    a_robot_that_stands_without_a_scan_is_not_stopped_for_good,
    a_robot_that_drives_on_without_a_scan_is_stopped,
    a_word_from_before_a_silence_does_not_make_a_stop_that_latches, a_data_plane_without_frames_is_noticed,
    a_canary_never_heard_is_a_stuck_data_plane_in_the_end, its_own_absence_is_not_held_against_others,
    wheels_that_turn_against_a_zero_command_are_stopped_directly_and_are_no_health,
    a_motor_stage_that_distrusts_wheels_or_scan_is_no_health_and_says_why,
    stamps_from_the_future_and_unknown_stages_are_ignored)
