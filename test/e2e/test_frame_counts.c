/* Frames that never came, counted by a reader on a real data plane: what it passes over itself is no loss, what its full
 * queue drops is told apart from what goes astray. In a mount namespace of its own, so it needs root; skipped elsewhere. */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/frames.h"
#include "procs/launcher/plane.h"
#include "test/support/runner.h"

#define TRIES 600 /* of 100 ms: a limit for a broken plane */
#define REGISTER_MS 20000

static struct cairn_config cfg;
static struct cairn_frame_pub *pub;
static struct cairn_frame_sub *sub;
static struct cairn_frames *frames;

static bool make_world(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0)
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", "/dev/shm", "tmpfs", 0, "mode=1777") == 0 &&
	       mount("none", "/tmp", "tmpfs", 0, "mode=1777") == 0;
}

static pid_t start_roudi(void)
{
	char toml[4096];
	ck_assert_int_gt(cairn_plane_config(&cfg, toml, sizeof(toml)), 0);
	FILE *out = fopen("/tmp/roudi.toml", "we");
	ck_assert(out != NULL && fputs(toml, out) >= 0 && fclose(out) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/usr/bin/iox-roudi", "iox-roudi", "-m", "off", "-k", "1", "-l", "warning", "-c",
		    "/tmp/roudi.toml", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* The frame to be published next, in hand. */
static struct cairn_frame_header *loan(void)
{
	struct cairn_frame_header *hdr;
	struct timespec t;
	ck_assert_ptr_nonnull(cairn_frame_loan(pub, 16, &hdr));
	clock_gettime(CLOCK_MONOTONIC, &t);
	hdr->format = CAIRN_FORMAT_PROBE;
	hdr->t_ns = t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
	return hdr;
}

static void publish(int count)
{
	for (int i = 0; i < count; i++) {
		(void)loan();
		cairn_frame_publish(pub);
	}
}

static bool take(void)
{
	const struct cairn_frame_header *hdr;
	bool some = cairn_frame_take(sub, &hdr) != NULL;
	cairn_frame_release(sub);
	return some;
}

static void expect(uint64_t overtaken, uint64_t lost)
{
	ck_assert(take());
	struct cairn_frames_missing m = cairn_frames_missing(frames);
	ck_assert_uint_eq(m.overtaken, overtaken);
	ck_assert_uint_eq(m.lost, lost);
}

START_TEST(frames_that_never_came_are_counted_and_those_passed_over_are_not)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	if (access("/usr/bin/iox-roudi", X_OK) != 0 || !make_world())
		CAIRN_SKIP("needs root and a mount namespace");
	pid_t roudi = start_roudi();
	frames = cairn_frames_open("counts", &cfg, REGISTER_MS, &err);
	ck_assert_msg(frames != NULL, "%s", err.text);
	sub = cairn_frame_sub_new(frames, CAIRN_FRAME_CANARY, &err);
	pub = cairn_frame_pub_new(frames, CAIRN_FRAME_CANARY, &err);
	ck_assert_msg(sub != NULL && pub != NULL, "%s", err.text);
	bool met = false; /* until both ends know each other */
	for (int i = 0; i < TRIES && !met; i++) {
		publish(1);
		met = take();
		if (!met)
			poll(NULL, 0, 100);
	}
	ck_assert(met);
	publish(CAIRN_FRAME_QUEUE); /* the older ones were seen */
	expect(0, 0);
	publish(CAIRN_FRAME_QUEUE + 4);
	expect(4, 0);
	publish(1);
	expect(4, 0);
	(void)loan();
	cairn_frame_abandon(pub);
	publish(1);
	expect(4, 0);
	loan()->seq += 5;
	cairn_frame_publish(pub);
	expect(4, 5);
	struct cairn_frame_header *hdr = loan();
	hdr->epoch++; /* another start of the publisher */
	hdr->seq = 1000;
	cairn_frame_publish(pub);
	expect(4, 5);
	kill(roudi, SIGKILL);
	waitpid(roudi, NULL, 0);
	_exit(0); /* the library's farewell would wait for the one that is gone */
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "frame-counts", 150.0, frames_that_never_came_are_counted_and_those_passed_over_are_not)
