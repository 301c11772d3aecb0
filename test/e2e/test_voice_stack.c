/* Spoken to, by sound through a named pipe in the microphone's place: real processes, the simulated house. "Robot, go to the kitchen": it
 * answers and drives; "stop" half-way: it stands. The voice is a synthesiser's: no microphone and no person has a part in it. */
#include <fcntl.h>
#include <sys/stat.h>

#include "procs/voice/recognizer.h"
#include "procs/voice/synthesizer.h"
#include "test/e2e/stack.h"

static char dir[] = "/tmp/cairn-voice-XXXXXX", mic[64], out_file[64], listen_arg[128], speak_arg[128];

/* A sentence and a second of silence, as a microphone would give them. */
static void say(const char *text)
{
	static const int16_t silence[CAIRN_SOUND_HZ];
	struct voice_style style = {CAIRN_CHOICE_SYNTHESIZER_ESPEAK_NG, "en-us+f3", 150};
	struct cairn_sound s;
	struct cairn_error err = {""};
	ck_assert_msg(synthesizer_say(&style, text, &s, &err), "%s", err.text);
	int fd = open(mic, O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, silence, sizeof(silence)), sizeof(silence));
	ck_assert_int_eq(write(fd, s.pcm, s.count * 2), (ssize_t)(s.count * 2));
	ck_assert_int_eq(write(fd, silence, sizeof(silence)), sizeof(silence));
	close(fd);
	cairn_sound_free(&s);
}

static bool ready(const struct up_run *run, void *ctx)
{
	struct stack_stage speak = {"speak", 0}, *listen = ctx;
	return run->have_mission && run->have_pose && run->pose.tracking == CAIRN_TRACKING_GOOD &&
	       stack_is_up(run, listen) && stack_is_up(run, &speak);
}

/* Its models are loaded behind its start, and the names that it is told of after them. ctx: the drill. */
static bool hears(const struct up_run *run, void *ctx)
{
	char out[8192];
	(void)run;
	if (stack_cairn(ctx, "logs listen", out, sizeof(out)) != 0)
		return false;
	for (const char *p = out; (p = strstr(p, " names can be said")) != NULL; p++) {
		if (p - out >= 2 && strncmp(p - 2, " 0", 2) != 0)
			return true;
	}
	return false;
}

static bool drives_there(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_GOTO && run->have_motion && run->motion.v_mps > 0.05;
}

static bool stands(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state != CAIRN_MISSION_STATE_GOTO && run->motion.v_mps == 0.0;
}

START_TEST(it_goes_where_it_is_told_to_and_stops_half_way_when_told_so)
{
	const char *const args[] = {"--stay", "--set", listen_arg, "--set", speak_arg, "--set",
	    "mission.autostart=false", "--set", "voice.confirm=unsure", "--set",
	    "choice.waypoints=kitchen 1.8 0.0", NULL};
	struct stack_stage listen = {"listen", 0};
	char out[8192];
	struct stat st;
	if (!recognizer_is_built_in())
		CAIRN_SKIP("built without pocketsphinx");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(mic, sizeof(mic), "%s/mic", dir);
	snprintf(out_file, sizeof(out_file), "%s/said.raw", dir);
	snprintf(listen_arg, sizeof(listen_arg), "voice.listen_device=file:%s", mic);
	snprintf(speak_arg, sizeof(speak_arg), "voice.speak_device=file:%s", out_file);
	ck_assert_int_eq(mkfifo(mic, 0600), 0);
	struct drill *drill = stack_start(args);
	ck_assert_msg(
	    fixture_wait(drill, ready, &listen, STACK_UP_S), "not up; see %s", fixture_run_dir(drill));
	stack_must(drill, hears, drill, "its models are not loaded");
	say("robot, go to the kitchen");
	stack_must(drill, drives_there, NULL, "it does not drive where it was told to");
	say("stop");
	stack_must(drill, stands, NULL, "it does not stop when told so");
	const struct up_run *run = fixture_run(drill);
	ck_assert_double_gt(hypot(run->truth.x_m - 1.8, run->truth.y_m), 0.3); /* half-way */
	ck_assert_uint_eq(run->truth.contacts, 0);
	ck_assert_int_eq(stack_cairn(drill, "logs listen", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "goto kitchen: Going to the kitchen.") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "stop: I stand.") != NULL, "%s", out);
	ck_assert_int_eq(stack_cairn(drill, "decisions", out, sizeof(out)), 0);
	ck_assert_msg(
	    strstr(out, "voice: ") != NULL, "the journal does not say who gave the command: %s", out);
	ck_assert_int_eq(stat(out_file, &st), 0); /* and it has answered aloud */
	ck_assert_int_gt(st.st_size, 8000);
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
	unlink(mic);
	unlink(out_file);
	rmdir(dir);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("voice-stack", 500, it_goes_where_it_is_told_to_and_stops_half_way_when_told_so)
