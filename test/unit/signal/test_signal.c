/* Which state of the robot people are shown, and what light and beeper do for it. */
#include "common/base/geom.h"
#include "common/signal/signal_lines.h"
#include "common/signal/signal_ports.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define BEGIN_MS 5000

static struct cairn_signals core;
static struct cairn_msg_motion motion;
static struct cairn_msg_mission mission;
static struct cairn_msg_vlm_stats model;
static int64_t now_ms;

static void start(void)
{
	cairn_signals_init(&core, 25.0);
	motion = (struct cairn_msg_motion){.state = CAIRN_MOTOR_STATE_IDLE};
	mission = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_IDLE};
	model = (struct cairn_msg_vlm_stats){.in_flight = false};
	now_ms = BEGIN_MS;
}

/* All that is published, and what is shown after so many ms of it. */
static struct cairn_msg_signal after(int ms)
{
	static struct cairn_msg_signal m;
	for (int end = (int)now_ms + ms; now_ms <= end; now_ms += 20) {
		cairn_signals_motion(&core, &motion, now_ms * MS);
		cairn_signals_mission(&core, &mission, now_ms * MS);
		cairn_signals_model(&core, &model, now_ms * MS);
		cairn_signals_step(&core, now_ms * MS, &m);
	}
	return m;
}

START_TEST(light_and_beeper_follow_the_table)
{
	static const struct {
		enum cairn_signal signal;
		int at_ms;
		uint32_t rgb, beeps;
		bool sounds;
	} rows[] = {
	    {CAIRN_SIGNAL_NONE, 0, 0, 0, false},
	    {CAIRN_SIGNAL_READY, 7777, 0x202020, 0, false},
	    {CAIRN_SIGNAL_DRIVING, 0, 0x00FF00, 0, false},
	    {CAIRN_SIGNAL_DRIVING, 600500, 0x00FF00, 0, false},
	    {CAIRN_SIGNAL_WAITS_FOR_MODEL, 999, 0x0000FF, 0, false},
	    {CAIRN_SIGNAL_WAITS_FOR_MODEL, 1000, 0, 0, false},
	    {CAIRN_SIGNAL_WAITS_FOR_MODEL, 2000, 0x0000FF, 0, false},
	    {CAIRN_SIGNAL_STOPPED, 99, 0xFF9000, 1, true},
	    {CAIRN_SIGNAL_STOPPED, 100, 0xFF9000, 1, false},
	    {CAIRN_SIGNAL_STOPPED, 600000, 0xFF9000, 1, false}, /* once, however long it stands */
	    {CAIRN_SIGNAL_BATTERY_LOW, 0, 0xFF9000, 1, true},
	    {CAIRN_SIGNAL_BATTERY_LOW, 300, 0, 1, false},
	    {CAIRN_SIGNAL_BATTERY_LOW, 120000, 0xFF9000, 2, true},
	    {CAIRN_SIGNAL_FAULT, 200, 0xFF00FF, 2, true},
	    {CAIRN_SIGNAL_FAULT, 60200, 0xFF00FF, 4, true},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 0, 0xFFFF00, 1, true},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 200, 0xFFFF00, 1, false},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 400, 0xFFFF00, 2, true},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 999, 0, 3, true},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 1200, 0xFFFF00, 3, false},
	    {CAIRN_SIGNAL_WAITS_FOR_PERSON, 30000, 0xFFFF00, 4, true},
	    {CAIRN_SIGNAL_BATTERY_EMPTY, 500, 0, 2, true},
	    {CAIRN_SIGNAL_GUARD, 400, 0xFF0000, 1, false},
	    {CAIRN_SIGNAL_TILTED, 10000, 0, 4, true},
	    {CAIRN_SIGNAL_ESTOP, 0, 0xFF0000, 1, true},
	    {CAIRN_SIGNAL_ESTOP, 500, 0, 1, true},
	    {CAIRN_SIGNAL_ESTOP, 600, 0, 1, false},
	    {CAIRN_SIGNAL_ESTOP, 30000, 0xFF0000, 2, true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_signal_look look = cairn_signal_look(rows[i].signal, rows[i].at_ms * MS);
		ck_assert_msg(
		    look.rgb == rows[i].rgb && look.beeps == rows[i].beeps && look.sounds == rows[i].sounds,
		    "%s after %d ms: %06x, %u beeps, %s",
		    cairn_enum_text(&cairn_enum_signal, (int)rows[i].signal), rows[i].at_ms, look.rgb,
		    look.beeps, look.sounds ? "sounds" : "silent");
	}
}
END_TEST

START_TEST(no_two_states_have_one_light)
{
	for (int a = 0; a < CAIRN_SIGNAL_COUNT; a++)
		for (int b = 0; b < a; b++) {
			const struct cairn_signal_row *x = &cairn_signal_rows[a], *y = &cairn_signal_rows[b];
			bool one = x->rgb == y->rgb && x->on_ms == y->on_ms && x->off_ms == y->off_ms;
			ck_assert_msg(!one, "%s and %s", cairn_enum_text(&cairn_enum_signal, a),
			    cairn_enum_text(&cairn_enum_signal, b));
		}
}
END_TEST

START_TEST(each_state_of_the_wheels_is_shown_as_its_row_says)
{
	static const enum cairn_signal shown[CAIRN_MOTOR_STATE_COUNT] = {CAIRN_SIGNAL_READY,
	    CAIRN_SIGNAL_DRIVING, CAIRN_SIGNAL_DRIVING, CAIRN_SIGNAL_STOPPED, CAIRN_SIGNAL_STOPPED,
	    CAIRN_SIGNAL_FAULT, CAIRN_SIGNAL_STOPPED, CAIRN_SIGNAL_ESTOP, CAIRN_SIGNAL_FAULT,
	    CAIRN_SIGNAL_FAULT, CAIRN_SIGNAL_FAULT, CAIRN_SIGNAL_TILTED, CAIRN_SIGNAL_BATTERY_EMPTY};
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++) {
		start();
		motion.state = (enum cairn_motor_state)i;
		ck_assert_int_eq(after(3000).signal, shown[i]);
	}
	start();
	motion = (struct cairn_msg_motion){.state = CAIRN_MOTOR_STATE_BLOCKED, .cause = CAIRN_SENSOR_BUMPER};
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_GUARD);
	motion.cause = CAIRN_SENSOR_CLIFF;
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_GUARD);
	motion = (struct cairn_msg_motion){
	    .state = CAIRN_MOTOR_STATE_CONTRADICTION, .waits_release = true, .reason = "mirrored"};
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_WAITS_FOR_PERSON);
	ck_assert_str_eq(after(0).reason, "mirrored");
}
END_TEST

START_TEST(the_gravest_of_what_holds_is_shown)
{
	start();
	mission.state = CAIRN_MISSION_STATE_EXPLORING;
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_DRIVING); /* it may drive at any moment */
	model.in_flight = true;
	ck_assert_int_eq(after(1000).signal, CAIRN_SIGNAL_WAITS_FOR_MODEL);
	motion.state = CAIRN_MOTOR_STATE_DRIVING;
	ck_assert_int_eq(after(1000).signal, CAIRN_SIGNAL_DRIVING); /* asked ahead, it does not wait */
	cairn_signals_battery(&core, &(struct cairn_msg_battery){.percent = 24.9});
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_BATTERY_LOW);
	ck_assert_str_eq(after(0).reason, "the battery is at 25 %");
	snprintf(mission.help, sizeof(mission.help), "the door is shut");
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_WAITS_FOR_PERSON);
	ck_assert_str_eq(after(0).reason, "the door is shut");
	ck_assert(after(0).calls);
	motion.state = CAIRN_MOTOR_STATE_ESTOP;
	motion.waits_release = true;
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_ESTOP);
	motion.state = CAIRN_MOTOR_STATE_DRIVING;
	motion.waits_release = false;
	mission.help[0] = '\0';
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_BATTERY_LOW);
	cairn_signals_battery(&core, &(struct cairn_msg_battery){.percent = 29.9}); /* comes and goes */
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_BATTERY_LOW);
	cairn_signals_battery(&core, &(struct cairn_msg_battery){.percent = 30.0});
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_DRIVING);
	ck_assert(!after(0).calls);
}
END_TEST

START_TEST(what_comes_and_goes_at_every_corner_is_not_shown)
{
	start();
	mission.state = CAIRN_MISSION_STATE_EXPLORING;
	for (int i = 0; i < 5; i++) {
		motion.state = CAIRN_MOTOR_STATE_BLOCKED;
		ck_assert_int_eq(after(1900).signal, CAIRN_SIGNAL_DRIVING);
		motion.state = CAIRN_MOTOR_STATE_DRIVING;
		ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_DRIVING);
	}
	motion.state = CAIRN_MOTOR_STATE_BLOCKED;
	ck_assert_int_eq(after(2000).signal, CAIRN_SIGNAL_STOPPED);
}
END_TEST

START_TEST(what_is_old_is_not_shown_and_a_silent_motor_stage_is_a_fault)
{
	struct cairn_msg_signal m;
	start();
	snprintf(mission.help, sizeof(mission.help), "the door is shut");
	ck_assert_int_eq(after(0).signal, CAIRN_SIGNAL_WAITS_FOR_PERSON);
	for (int i = 0; i < 4001; i += 20) /* the mission's 2 s, the motor's 2 s and the 2 s of a fault */
		cairn_signals_step(&core, (now_ms + i) * MS, &m);
	ck_assert_int_eq(m.signal, CAIRN_SIGNAL_FAULT);
	ck_assert_str_eq(m.reason, "the motor stage is silent");
}
END_TEST

START_TEST(lines_get_the_levels_that_switch_them_on)
{
	struct cairn_gpio_lines lines;
	struct cairn_error err = {""};
	bool level[CAIRN_GPIO_LINES_MAX];
	ck_assert(cairn_signal_lines_parse(&lines,
	    "buzzer 5 high, light 6 low, light_red 7 high, light_green 8 low, light_blue 9 high", &err));
	cairn_signal_lines_levels(&lines, (struct cairn_signal_look){.rgb = 0xFF9000, .sounds = true}, level);
	ck_assert(level[0] && !level[1] && level[2] && !level[3] && !level[4]);
	cairn_signal_lines_levels(&lines, (struct cairn_signal_look){.rgb = 0}, level);
	ck_assert(!level[0] && level[1] && !level[2] && level[3] && !level[4]);
	ck_assert(!cairn_signal_lines_parse(&lines, "horn 5 high", &err));
	ck_assert_str_eq(err.text,
	    "'horn 5 high' is not WHAT LINE LEVEL: buzzer, light, light_red, light_green or light_blue, then "
	    "a number up to 1023, then low or high");
}
END_TEST

START_TEST(the_ports_belong_to_the_stage)
{
	ck_assert_str_eq(cairn_topics[cairn_signals_out[0].topic].stage, "signals");
	const struct cairn_header hdr = {.t_ns = BEGIN_MS * MS, .valid = true};
	start();
	motion.state = CAIRN_MOTOR_STATE_ESTOP;
	(void)cairn_in_deliver(cairn_signals_in, &core, CAIRN_TOPIC_MOTION, &motion, &hdr, BEGIN_MS * MS);
	struct cairn_msg_signal m;
	cairn_signals_step(&core, BEGIN_MS * MS, &m);
	ck_assert_int_eq(m.signal, CAIRN_SIGNAL_ESTOP);
}
END_TEST

CAIRN_TEST_MAIN("signal", light_and_beeper_follow_the_table, no_two_states_have_one_light,
    each_state_of_the_wheels_is_shown_as_its_row_says, the_gravest_of_what_holds_is_shown,
    what_comes_and_goes_at_every_corner_is_not_shown,
    what_is_old_is_not_shown_and_a_silent_motor_stage_is_a_fault, lines_get_the_levels_that_switch_them_on,
    the_ports_belong_to_the_stage)
