/* The loops of the two stages that stand before the wheels take no memory once they run: every call of the
 * allocator in this program is counted while the motor core and the sequencer core work, their messages
 * packed and unpacked as on the bus. What libzmq takes for a message is its own (docs/reliability.md). */
#include "common/device/base_link.h"
#include "common/device/wheel_odom.h"
#include "common/sim/robot/dev_board.h"
#include "ipc/topics.h"
#include "test/support/motor_rig.h"
#include "test/support/robot_rig.h"

static volatile long calls;

static void count_from(const void *caller)
{
	(void)caller;
	calls++;
}
#include "test/support/counted_alloc.h"

#define WIRE_BYTES (64 * 1024)

static unsigned char wire[WIRE_BYTES];
static long
    refused; /* libcheck's own assertions take memory: what went wrong is counted and looked at in the end */

/* As it comes from the bus into msg, or goes out. */
static void over_the_bus(enum cairn_topic topic, const struct cairn_header *hdr, void *msg)
{
	struct cairn_header got;
	struct cairn_error err = {""};
	int n = cairn_msg_encode(
	    cairn_topics[topic].desc, cairn_topics[topic].name, hdr, msg, wire, sizeof(wire));
	refused +=
	    n <= 0 || cairn_msg_decode(cairn_topics[topic].desc, wire, (size_t)n, &got, msg, &err) != 0;
}

/* ---- motor ---- */

static struct cairn_dev_board board;
static struct cairn_base_link link_;
static struct cairn_wheel_odom odometry;
static struct cairn_msg_depth_scan depth;
static struct cairn_msg_motion motion;
static uint64_t seen_states;

static void begin_motor(void)
{
	fresh_motor(false);
	cairn_dev_board_init(&board);
	board.reporting = true;
	cairn_base_link_init(&link_, &cfg.robot, now);
	cairn_base_link_opened(&link_, now);
	cairn_wheel_odom_init(
	    &odometry, &(struct cairn_wheel_odom_params){.ticks_per_m = cfg.robot.encoder_ticks_per_m,
			   .encoder_mask = cfg.robot.encoder_mask,
			   .speed_max_mps = cfg.robot.speed_max_mps});
	seen_states = 0;
	refused = 0;
}

/* The board's reports since the last turn. */
static void hear_board(struct cairn_twist is)
{
	static struct cairn_dev_board_sense sense;
	uint8_t bytes[256];
	sense = (struct cairn_dev_board_sense){.v_mps = is.v_mps,
	    .battery_v = 12.0,
	    .gyro_radps = {0.0, 0.0, is.w_radps},
	    .counts = {sense.counts[0], sense.counts[1], sense.counts[2], sense.counts[3]}};
	for (int i = 0; i < 4; i++)
		sense.counts[i] += (int32_t)(is.v_mps * 0.02 * cfg.robot.encoder_ticks_per_m);
	for (int k = 0; k < 2; k++) {
		size_t n = cairn_dev_board_report(&board, &sense, bytes, sizeof(bytes)), at = 0;
		bool some = true;
		while (some || at < n) {
			struct cairn_base_report r;
			struct cairn_msg_odom m;
			at += cairn_base_link_feed(&link_, bytes + at, n - at, now, &r, &some);
			if (some && r.kind == CAIRN_BASE_ENCODERS &&
			    cairn_wheel_odom_encoders(&odometry, r.encoders.count, now)) {
				struct cairn_header h = header(4, 1, now);
				cairn_wheel_odom_message(&odometry, &m);
				over_the_bus(CAIRN_TOPIC_ODOM, &h, &m);
			}
		}
	}
}

/* Walls that come and go all round, a floor with something on it, a cliff and a bumper now and then. */
static void sense(int i, struct cairn_twist is)
{
	struct box b = {1.2 + 1.1 * sin(0.011 * i), 1.4, 1.0 + 0.6 * sin(0.007 * i), 0.9};
	if (i % 5 == 0) {
		struct cairn_header h = header(scan_epoch, ++scan_seq, now);
		look(&b, (struct cairn_pose2){0}, is);
		over_the_bus(CAIRN_TOPIC_SCAN, &h, &scan);
		cairn_scan_motion_reset(&motor.scan_motion); /* these walls come along with the robot */
		refused += !cairn_motor_scan(&motor, &h, &scan, now);
	}
	if (i % 10 == 0) {
		struct cairn_header h = header(5, (uint64_t)i + 1, now);
		depth = (struct cairn_msg_depth_scan){.x_m = 0.1f, .range_max_m = 3.0f};
		depth.angle_rad_count = depth.free_from_m_count = depth.free_to_m_count = depth.hit_count =
		    64;
		for (int k = 0; k < 64; k++) {
			depth.angle_rad[k] = 0.015f * (float)(k - 32);
			depth.free_from_m[k] = 0.3f;
			depth.free_to_m[k] = (k + i) % 40 < 6 ? 0.8f : 2.0f;
			depth.hit[k] = (k + i) % 40 < 6;
		}
		over_the_bus(CAIRN_TOPIC_SCAN_DEPTH, &h, &depth);
		refused += !cairn_motor_depth(&motor, &h, &depth, now);
		struct cairn_msg_guard guard = {
		    .bumper = i % 1500 == 700, .floor_m = i % 900 == 300 ? 0.5 : 0.05};
		h = header(6, (uint64_t)i + 1, now);
		over_the_bus(CAIRN_TOPIC_GUARD, &h, &guard);
		refused += !cairn_motor_guard(&motor, &h, &guard, now);
	}
}

static void motor_turn(int i)
{
	static struct cairn_twist is;
	uint8_t frame[CAIRN_ROSMASTER_FRAME_MAX], ask[CAIRN_BASE_FRAME_MAX];
	struct cairn_msg_cmd_vel want = {.v_mps = i % 400 < 250 ? 0.4 : -0.3, .w_radps = 0.5 * sin(0.02 * i)};
	struct cairn_error err = {""};
	now += 20 * MS;
	sense(i, is);
	if (i % 700 < 650) { /* else the dead man */
		struct cairn_header h = header(cmd_epoch, ++cmd_seq, now);
		over_the_bus(CAIRN_TOPIC_CMD_VEL, &h, &want);
		refused += !cairn_motor_cmd(&motor, &h, &want, now);
	}
	if (i % 2000 == 1000)
		cairn_motor_operator_stop(&motor, "test");
	if (i % 500 == 499)
		(void)cairn_motor_operator_release(&motor, now, &err);
	hear_board(is);
	(void)cairn_base_link_poll(&link_, now, ask);
	cairn_motor_measured(&motor, is, now);
	is = cairn_motor_step(&motor, now);
	size_t n = cairn_rosmaster_motion(frame, cfg.robot.car_type, is.v_mps, is.w_radps);
	cairn_dev_board_receive(&board, frame, n);
	cairn_motor_message(&motor, now, &motion);
	seen_states |= UINT64_C(1) << motion.state;
	struct cairn_header h = header(7, (uint64_t)i + 1, now);
	over_the_bus(CAIRN_TOPIC_MOTION, &h, &motion);
}

START_TEST(the_motor_stage_takes_no_memory_while_it_drives_slows_and_stops)
{
	if (!COUNTED)
		CAIRN_SKIP("calls of the allocator cannot be counted here (sanitizer, or another C library)");
	begin_motor();
	calls = 0;
	for (int i = 0; i < 6000; i++) /* two minutes */
		motor_turn(i);
	long taken = calls;
	ck_assert_int_eq(taken, 0);
	ck_assert_int_eq(refused, 0);
	static const enum cairn_motor_state met[] = {CAIRN_MOTOR_STATE_DRIVING, CAIRN_MOTOR_STATE_SLOWED,
	    CAIRN_MOTOR_STATE_BLOCKED, CAIRN_MOTOR_STATE_ESTOP, CAIRN_MOTOR_STATE_NO_COMMAND};
	for (size_t i = 0; i < sizeof(met) / sizeof(met[0]); i++)
		ck_assert_msg(seen_states >> met[i] & 1, "never %s",
		    cairn_enum_text(&cairn_enum_motor_state, (int)met[i]));
}
END_TEST

/* ---- sequencer ---- */

static void over_the_bus_all(struct rig *r)
{
	struct cairn_header h = {.version = 1, .seq = r->steps, .epoch = 8, .t_ns = r->now_ns, .valid = true};
	static struct cairn_sequencer_output out;
	static struct cairn_msg_zones zones;
	out = r->out;
	zones = *cairn_sequencer_zones(r->seq);
	over_the_bus(CAIRN_TOPIC_CMD_VEL, &h, &out.cmd_vel);
	over_the_bus(CAIRN_TOPIC_NAV_GOAL, &h, &out.nav_goal);
	over_the_bus(CAIRN_TOPIC_MISSION, &h, &out.mission);
	over_the_bus(CAIRN_TOPIC_TIER, &h, &out.tier);
	over_the_bus(CAIRN_TOPIC_ZONES, &h, &zones);
	over_the_bus(CAIRN_TOPIC_SCAN, &h, &r->scan);
	over_the_bus(CAIRN_TOPIC_RESULT, &h, &r->last_result);
}

/* A model that moves, turns, sends, names and talks nonsense, and falls silent for a while; an operator who
 * cuts in. */
static void sequencer_turn(struct rig *r, int i)
{
	static unsigned char record[CAIRN_MISSION_RECORD_BYTES];
	static const enum cairn_direction ways[] = {
	    CAIRN_DIRECTION_FORWARD, CAIRN_DIRECTION_FORWARD_LEFT, CAIRN_DIRECTION_BACKWARD};
	if (i % 40 == 0 && i % 2400 < 1600) {
		struct cairn_msg_decision d = rig_decision(r, (enum cairn_tool)(i / 40 % CAIRN_TOOL_COUNT));
		d.direction = ways[i / 120 % 3];
		d.goal_kind = i % 80 == 0 ? CAIRN_GOAL_KIND_FRONTIER : CAIRN_GOAL_KIND_COORDINATES;
		d.frontier_id = 1 + (uint32_t)(i / 40 % 3);
		d.x_m = i % 200 == 0 ? NAN : 1.0;
		snprintf(d.zone_name, sizeof(d.zone_name), "place %d", i / 40 % 5);
		rig_decide(r, &d);
	}
	if (i % 3000 == 2500)
		(void)rig_command(r, "pause", 0.0, 0.0, 0.0);
	if (i % 3000 == 2560)
		(void)rig_command(r, "resume", 0.0, 0.0, 0.0);
	if (i % 5000 == 4000)
		(void)rig_command(r, "goto", 0.5, 0.5, 0.0);
	r->planner = i % 1700 < 200 ? RIG_PLANNER_STUCK : RIG_PLANNER_DRIVES;
	rig_step(r);
	over_the_bus_all(r);
	if (r->out.record_changed)
		(void)cairn_mission_record_encode(cairn_sequencer_record(r->seq), record, sizeof(record));
}

START_TEST(the_sequencer_takes_no_memory_while_it_decides)
{
	if (!COUNTED)
		CAIRN_SKIP("calls of the allocator cannot be counted here (sanitizer, or another C library)");
	struct rig *r = rig_exploring_furnished();
	ck_assert_int_gt(calls, 0); /* they are counted */
	refused = 0;
	calls = 0;
	for (int i = 0; i < 12000; i++) /* ten minutes */
		sequencer_turn(r, i);
	long taken = calls;
	ck_assert_int_eq(taken, 0);
	ck_assert_int_eq(refused, 0);
	ck_assert_uint_gt(r->results, 50);
	ck_assert_uint_gt(r->outcomes[CAIRN_OUTCOME_REFUSED], 0);
	ck_assert_uint_gt(r->outcomes[CAIRN_OUTCOME_SUCCESS], 0);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("steady-loops", the_motor_stage_takes_no_memory_while_it_drives_slows_and_stops,
    the_sequencer_takes_no_memory_while_it_decides)
