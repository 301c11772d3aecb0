/* The stage speak as it runs: the real process on a run directory; the mission is the test's, and the loudspeaker a file. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "test/support/bus_rig.h"

static pid_t stage;

static void write_config(void)
{
	static struct cairn_config cfg;
	char path[CAIRN_RUN_DIR_BYTES + 16];
	cairn_config_defaults(&cfg);
	snprintf(cfg.voice.speak_device, sizeof(cfg.voice.speak_device), "file:said.raw");
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
}

/* Returns when it is ready. */
static void start_stage(void)
{
	int ready[2];
	char c, fd[16], log[CAIRN_RUN_DIR_BYTES + 16];
	ck_assert_int_eq(pipe(ready), 0);
	snprintf(fd, sizeof(fd), "%d", ready[1]);
	snprintf(log, sizeof(log), "%s/speak.log", run_dir);
	stage = fork();
	if (stage == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
		execl(CAIRN_SPEAK, CAIRN_SPEAK, "--run", run_dir, "--stage", "speak", "--ready-fd", fd,
		    (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	ck_assert_msg(read(ready[0], &c, 1) == 1, "the stage does not start");
	close(ready[0]);
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* What the sequencer tells again and again while the robot waits for somebody. */
START_TEST(a_call_for_help_in_the_mission_is_said_aloud)
{
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING};
	struct cairn_msg_spoken spoken = {.id = 0};
	snprintf(mission.help, sizeof(mission.help), "a door is shut");
	cairn_run_dir_make(run_dir, "speak");
	cairn_run_dir_folder(run_dir, "state");
	cairn_run_dir_folder(run_dir, "logs");
	write_config();
	open_bus();
	struct cairn_pub *pub = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	start_stage();
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_SPOKEN, NULL, &err);
	ck_assert_msg(pub != NULL && sub != NULL, "%s", err.text);
	for (int i = 0; spoken.id == 0 && i < TRIES; i++) {
		cairn_pub_send(pub, &mission, now_ns(), true);
		wait_readable(cairn_sub_socket(sub));
		cairn_sub_recv(sub, &spoken, NULL);
	}
	kill(stage, SIGTERM);
	waitpid(stage, NULL, 0);
	ck_assert_uint_eq(spoken.id, 1);
	ck_assert_str_eq(spoken.text, "I need help: a door is shut");
	ck_assert_int_eq(spoken.urgency, CAIRN_URGENCY_WARNING);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("speak_stage", 60, a_call_for_help_in_the_mission_is_said_aloud)
