/* What beeper and lights show of a whole stack: the topic, `cairn status`, and a robot that drives on after it. */
#include "test/e2e/stack.h"

struct shown {
	struct cairn_sub *sub;
	struct cairn_msg_signal now;
	enum cairn_signal want;
};

static bool shows(const struct up_run *run, void *ctx)
{
	struct shown *s = ctx;
	(void)run;
	while (cairn_sub_recv(s->sub, &s->now, NULL) == 1) {
	}
	return s->now.signal == s->want;
}

static void must_show(struct drill *drill, struct shown *s, enum cairn_signal want)
{
	char out[16384], line[64];
	s->want = want;
	stack_must(drill, shows, s, cairn_enum_text(&cairn_enum_signal, (int)want));
	(void)stack_cairn(drill, "status", out, sizeof(out)); /* fails while something is wrong */
	snprintf(line, sizeof(line), "\nsignal    %s", cairn_enum_text(&cairn_enum_signal, (int)want));
	/* Between its decisions a robot that drives shows other things. */
	ck_assert_msg(want == CAIRN_SIGNAL_DRIVING || strstr(out, line) != NULL, "%s in: %s", line, out);
}

START_TEST(an_emergency_stop_is_shown_while_it_holds_and_the_robot_drives_on_after_it)
{
	static const char *const args[] = {"--set", "robot.signal_board=true", NULL};
	struct cairn_error err = {""};
	struct shown s = {.now = {.signal = CAIRN_SIGNAL_NONE}};
	struct drill *drill = stack_start(args);
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(drill), &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	s.sub = cairn_sub_new(bus, CAIRN_TOPIC_SIGNAL, NULL, &err);
	ck_assert_msg(s.sub != NULL, "%s", err.text);
	stack_must(drill, stack_drives, NULL, "it does not drive");
	must_show(drill, &s, CAIRN_SIGNAL_DRIVING);
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "stop", "");
	must_show(drill, &s, CAIRN_SIGNAL_ESTOP);
	ck_assert(s.now.calls);
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "release", "");
	must_show(drill, &s, CAIRN_SIGNAL_DRIVING);
	stack_must(drill, stack_drives, NULL, "it does not drive on");
	cairn_bus_destroy(&bus);
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "signals stack", 360.0, an_emergency_stop_is_shown_while_it_holds_and_the_robot_drives_on_after_it)
