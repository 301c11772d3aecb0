/* What a whole stack does when the machine has nothing left: no room on the disk, no descriptors, no shared
 * memory, no memory; and when somebody sets the clock. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "common/slam/mapper.h"
#include "procs/launcher/namespace.h"
#include "test/e2e/stack.h"

static const char *const large_house[] = {"--world", "config/worlds/loop.yaml", NULL};

/* This process and the stack below it get a /tmp of 16 MB and a /dev/shm of shm_bytes to themselves. */
static bool own_small_disk(uint64_t shm_bytes)
{
	struct cairn_namespace ns;
	struct cairn_error err = {""};
	bool ok = cairn_namespace_create(&ns, shm_bytes, &err) && cairn_namespace_enter(&ns) == 0;
	setenv("TMPDIR", "/tmp", 1);
	return ok;
}

/* ---- the disk ---- */

static void fill_disk(const char *path)
{
	static char block[65536];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ge(fd, 0);
	for (size_t n = sizeof(block); n > 0; n /= 2) {
		while (write(fd, block, n) == (ssize_t)n)
			;
	}
	close(fd);
}

static bool map_is_whole(const struct drill *drill)
{
	char path[320];
	struct cairn_config cfg;
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/config.yaml", fixture_run_dir(drill));
	cairn_config_defaults(&cfg);
	if (!cairn_config_load(&cfg, path, &err))
		return false;
	snprintf(path, sizeof(path), "%s/state/map.bin", fixture_run_dir(drill));
	struct cairn_mapper *m = cairn_mapper_load(&cfg, path, &err);
	bool whole = m != NULL;
	cairn_mapper_destroy(&m);
	return whole;
}

static bool map_was_saved(const struct up_run *run, void *ctx)
{
	char path[320];
	struct stat st;
	(void)ctx;
	snprintf(path, sizeof(path), "%s/state/map.bin", run->run_dir);
	return stat(path, &st) == 0;
}

static bool status_tells_of_the_map(const struct up_run *run, void *ctx)
{
	(void)ctx;
	const struct cairn_msg_stage *mapper = stack_row(run, "mapper");
	return mapper != NULL && strstr(mapper->note, "cannot save the map") != NULL &&
	       strstr(mapper->note, strerror(ENOSPC)) != NULL;
}

static bool health_tells_of_the_map(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_health && !run->health.ok &&
	       strstr(run->health.problem, "cannot save the map") != NULL;
}

static bool nothing_is_wrong(const struct up_run *run, void *ctx)
{
	(void)ctx;
	for (uint32_t i = 0; i < run->stages.items_count; i++) {
		if (run->stages.items[i].state != CAIRN_STAGE_STATE_UP ||
		    strstr(run->stages.items[i].note, "cannot") != NULL)
			return false;
	}
	return true;
}

START_TEST(a_full_disk_stops_no_robot_and_costs_nothing_that_was_learned_before)
{
	if (!own_small_disk(UINT64_C(400) << 20))
		CAIRN_SKIP("no namespaces here");
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	stack_must(drill, map_was_saved, NULL, "no map is saved");
	fill_disk("/tmp/full");
	stack_must(drill, status_tells_of_the_map, NULL, "nobody says that the map cannot be saved");
	stack_must(drill, health_tells_of_the_map, NULL, "a full disk is health");
	ck_assert(map_is_whole(drill));
	struct stack_stage mapper = {"mapper", fixture_pid(drill, "mapper")};
	kill(mapper.not_pid, SIGKILL); /* comes back with what is on the disk */
	stack_must(drill, stack_is_up, &mapper, "the mapper does not come back");
	stack_must(drill, stack_drives, NULL, "does not drive on a full disk");
	struct stack_stretch full = {.s = 5.0};
	stack_must(drill, stack_stretch_over, &full, "the motor stage is silent");
	ck_assert(full.moved);
	ck_assert_int_eq(unlink("/tmp/full"), 0);
	stack_must(drill, nothing_is_wrong, NULL, "saving is not tried again");
	ck_assert(map_is_whole(drill));
	ck_assert_msg(stack_file_tells(drill, "logs/mapper.log", "can save the map again"), "see %s",
	    fixture_run_dir(drill));
	stack_end(&drill);
}
END_TEST

static bool stands_for_the_stop(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_ESTOP && run->motion.v_mps == 0.0;
}

START_TEST(an_emergency_stop_on_a_full_disk_outlives_the_motor_stage)
{
	if (!own_small_disk(UINT64_C(400) << 20))
		CAIRN_SKIP("no namespaces here");
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	stack_must(drill, map_was_saved, NULL, "no map is saved");
	fill_disk("/tmp/full");
	stack_must(drill, status_tells_of_the_map, NULL, "the disk is not full");
	stack_ask(drill, CAIRN_SERVICE_MOTOR_CTL, "stop", "");
	stack_must(drill, stands_for_the_stop, NULL, "does not stop");
	struct stack_stage motor = {"motor", fixture_pid(drill, "motor")};
	kill(motor.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &motor, "the motor stage does not come back");
	struct stack_stretch after = {.s = 3.0};
	stack_must(drill, stack_stretch_over, &after, "the motor stage is silent");
	ck_assert(!after.moved);
	ck_assert(stands_for_the_stop(fixture_run(drill), NULL));
	ck_assert_int_eq(unlink("/tmp/full"), 0);
	stack_end(&drill);
}
END_TEST

/* ---- descriptors ---- */

static int count_fds(int pid)
{
	char path[64];
	int n = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
		n += e->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* From now on pid may open none beside those that it has. Gives the limit that held before. */
static struct rlimit no_more_fds(int pid)
{
	struct rlimit before, none;
	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, NULL, &before), 0);
	none = (struct rlimit){(rlim_t)count_fds(pid), before.rlim_max};
	ck_assert_int_eq(prlimit(pid, RLIMIT_NOFILE, &none, NULL), 0);
	return before;
}

START_TEST(stages_without_descriptors_go_on_and_say_what_they_cannot_do)
{
	static const char *const names[] = {"sequencer", "mapper", "gateway", "motor", "launcher"};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	int pids[NAMES];
	struct rlimit before[NAMES];
	struct stack_stage gateway = {"gateway", 0};
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	for (int i = 0; i < NAMES; i++) {
		pids[i] = fixture_pid(drill, names[i]);
		before[i] = no_more_fds(pids[i]);
	}
	struct stack_stretch without = {.s = 5.0};
	stack_must(drill, stack_stretch_over, &without, "the motor stage is silent");
	ck_assert(without.moved);
	kill(pids[2], SIGKILL); /* nor can the launcher start anything */
	stack_must(drill, stack_has_failed, &gateway, "the launcher starts without descriptors");
	ck_assert_msg(strstr(stack_row(fixture_run(drill), "gateway")->note, strerror(EMFILE)) != NULL, "%s",
	    stack_row(fixture_run(drill), "gateway")->note);
	for (int i = 0; i < NAMES; i++) {
		ck_assert_int_eq(fixture_pid(drill, names[i]), i == 2 ? 0 : pids[i]); /* nobody has ended */
		if (i != 2)
			ck_assert_int_eq(prlimit(pids[i], RLIMIT_NOFILE, &before[i], NULL), 0);
	}
	stack_ask(drill, CAIRN_SERVICE_LAUNCHER_CTL, "restart", "gateway");
	stack_must(drill, stack_is_up, &gateway, "the gateway is not started");
	stack_must(drill, nothing_is_wrong, NULL, "something is still wrong");
	stack_must(drill, stack_drives, NULL, "does not drive again");
	stack_end(&drill);
}
END_TEST

/* ---- shared memory ---- */

START_TEST(too_little_shared_memory_is_named_before_anything_starts)
{
	if (!own_small_disk(UINT64_C(8) << 20))
		CAIRN_SKIP("no namespaces here");
	char text[4096];
	FILE *f =
	    popen(CAIRN_PROGRAM " up --headless --run /tmp/small --set launcher.isolation=host 2>&1", "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	int status = pclose(f);
	ck_assert_int_eq(WEXITSTATUS(status), 2);
	ck_assert_msg(strstr(text, "MB of shared memory, /dev/shm has") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "--shm-size=") != NULL, "%s", text);
	ck_assert_int_ne(access("/tmp/small/logs/motor.log", F_OK), 0);
}
END_TEST

START_TEST(another_roudi_is_named_with_its_process_before_anything_starts)
{
	char text[4096], who[64];
	if (!own_small_disk(UINT64_C(400) << 20))
		CAIRN_SKIP("no namespaces here");
	int fd = open("/tmp/iox-unique-roudi.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0); /* as a RouDi does */
	FILE *f =
	    popen(CAIRN_PROGRAM " up --headless --run /tmp/other --set launcher.isolation=host 2>&1", "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	int status = pclose(f);
	close(fd);
	snprintf(who, sizeof(who), "another RouDi (pid %d) runs on this host", (int)getpid());
	ck_assert_int_eq(WEXITSTATUS(status), 2);
	ck_assert_msg(
	    strstr(text, who) != NULL && strstr(text, "launcher.isolation: private") != NULL, "%s", text);
	ck_assert_int_ne(access("/tmp/other/logs/motor.log", F_OK), 0);
}
END_TEST

START_TEST(a_roudi_that_cannot_live_ends_the_run_at_once_and_that_has_not_passed)
{
	char text[4096];
	if (!own_small_disk(UINT64_C(400) << 20) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("/bin/false", "/usr/bin/iox-roudi", NULL, MS_BIND, NULL) != 0)
		CAIRN_SKIP("no namespaces here");
	FILE *f = popen(CAIRN_PROGRAM " up --headless --run /tmp/dead --for 60s 2>&1", "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	int status = pclose(f);
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_msg(strstr(text, "ended        roudi does not come up: RouDi ended") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "verdict      not passed: roudi does not come up") != NULL, "%s", text);
}
END_TEST

/* A consumer inside the stack that keeps what it is given. */
static pid_t start_holder(const char *run_dir)
{
	pid_t pid = fork();
	if (pid == 0) {
		execl(
		    CAIRN_PROGRAM, CAIRN_PROGRAM, "exec", "--run", run_dir, "--", CAIRN_HOLDER, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	return pid;
}

static bool camera_has_no_room(const struct up_run *run, void *ctx)
{
	(void)ctx;
	const struct cairn_msg_stage *row = stack_row(run, "camera-bridge");
	return row != NULL && strstr(row->note, "a consumer keeps all shared memory") != NULL;
}

struct ears {
	struct cairn_sub *depth, *beats;
	uint32_t scans; /* of what the depth camera says of the floor */
	uint64_t rejects;
};

static bool listened(const struct up_run *run, void *ctx)
{
	struct ears *ears = ctx;
	static struct cairn_msg_depth_scan scan;
	struct cairn_msg_heartbeat beat;
	struct cairn_header hdr;
	(void)run;
	while (cairn_sub_recv(ears->depth, &scan, &hdr) == 1)
		ears->scans += hdr.valid;
	while (cairn_sub_recv(ears->beats, &beat, &hdr) == 1)
		ears->rejects = beat.rejects;
	return false;
}

struct held_stretch {
	struct stack_stretch stretch;
	struct ears *ears;
};

static bool held_over(const struct up_run *run, void *ctx)
{
	struct held_stretch *h = ctx;
	(void)listened(run, h->ears);
	return stack_stretch_over(run, &h->stretch);
}

static bool decides_by_the_model(const struct up_run *run, void *ctx)
{
	return run->mission.decisions > *(const uint64_t *)ctx &&
	       run->mission.decision_source == CAIRN_SOURCE_MODEL;
}

static bool all_is_well_again(const struct up_run *run, void *ctx)
{
	return run->stages.restarts > 0 && nothing_is_wrong(run, ctx) && run->motion.v_mps != 0.0;
}

START_TEST(a_consumer_that_keeps_every_frame_costs_pictures_for_a_while_and_the_wheels_nothing)
{
	struct cairn_error err = {""};
	struct drill *drill = stack_start(large_house);
	stack_must(drill, stack_drives, NULL, "does not drive");
	struct cairn_bus *bus = cairn_bus_new(fixture_run_dir(drill), &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	struct ears ears = {.depth = cairn_sub_new(bus, CAIRN_TOPIC_SCAN_DEPTH, NULL, &err),
	    .beats = cairn_sub_new(bus, CAIRN_TOPIC_HEARTBEAT, "camera-bridge", &err)};
	ck_assert(ears.depth != NULL && ears.beats != NULL);
	pid_t holder = start_holder(fixture_run_dir(drill));
	stack_must(drill, camera_has_no_room, NULL, "nobody says that there is no room for pictures");
	(void)listened(fixture_run(drill), &ears);
	uint64_t rejects = ears.rejects;
	ears.scans = 0;
	struct held_stretch held = {{.s = 5.0}, &ears};
	stack_must(drill, held_over, &held, "the motor stage is silent");
	ck_assert(held.stretch.moved);
	printf("# %u depth scans in 5 s, %d pictures refused\n", ears.scans, (int)(ears.rejects - rejects));
	ck_assert_uint_ge(ears.scans, 25); /* 10 Hz: the floor is watched as before */
	ck_assert_uint_gt(ears.rejects, rejects);
	ck_assert_uint_eq(fixture_run(drill)->stages.restarts, 0);
	/* It lives on, and keeps the memory of a data plane that nobody uses any more. */
	stack_must(drill, all_is_well_again, NULL, "the data plane is not built anew");
	uint64_t decisions = fixture_run(drill)->mission.decisions;
	stack_must(drill, decides_by_the_model, &decisions, "the model sees nothing");
	ck_assert_int_eq(kill(holder, SIGKILL), 0);
	ck_assert_int_eq(waitpid(holder, NULL, 0), holder);
	cairn_bus_destroy(&bus);
	stack_end(&drill);
}
END_TEST

START_TEST(shared_memory_that_others_fill_up_stops_no_robot)
{
	static const char *const args[] = {
	    "--world", "config/worlds/loop.yaml", "--set", "launcher.isolation=host", NULL};
	if (!own_small_disk(UINT64_C(400) << 20))
		CAIRN_SKIP("no namespaces here");
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "does not drive");
	uint64_t decisions = fixture_run(drill)->mission.decisions;
	fill_disk("/dev/shm/full");
	struct stack_stretch full = {.s = 5.0};
	stack_must(drill, stack_stretch_over, &full, "the motor stage is silent");
	ck_assert(full.moved);
	stack_must(drill, decides_by_the_model, &decisions, "frames flow no more");
	ck_assert_uint_eq(fixture_run(drill)->stages.restarts, 0);
	kill(fixture_pid(drill, "roudi"), SIGKILL); /* now there is no room for another data plane */
	struct stack_stretch without = {.s = 8.0};
	stack_must(drill, stack_stretch_over, &without, "the motor stage is silent without a data plane");
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	ck_assert_int_eq(unlink("/dev/shm/full"), 0);
	stack_cairn(drill, "restart roudi", (char[512]){""}, 512);
	stack_must(drill, nothing_is_wrong, NULL, "the data plane does not come back");
	stack_must(drill, stack_drives, NULL, "does not drive again");
	stack_end(&drill);
}
END_TEST

/* ---- memory ---- */

/* A folder with all programs of the stack, in which the gateway is one that leaks. */
static void make_leaky_stack(char *dir, char *program, size_t bytes)
{
	char command[2048];
	snprintf(dir, 64, "/tmp/cairn-leaky-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	/* Programs look for each other where they are themselves, not where a link is. */
	snprintf(command, sizeof(command),
	    "cd '%s' && p=$(dirname '%s') && ln -s $p/cairn-* . 2>/dev/null; rm -f cairn-launcher "
	    "cairn-gateway; "
	    "cp $p/cairn $p/cairn-launcher . && cp '%s' cairn-gateway",
	    dir, CAIRN_PROGRAM, CAIRN_LEAKY);
	ck_assert_int_eq(system(command), 0);
	snprintf(program, bytes, "%s/cairn", dir);
}

static bool explores_locally(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.decision_source == CAIRN_SOURCE_LOCAL && run->motion.v_mps != 0.0;
}

START_TEST(a_stage_that_leaks_is_restarted_and_in_the_end_held_before_it_takes_the_robot_down)
{
	static const char *const args[] = {
	    "--world", "config/worlds/loop.yaml", "--set", "launcher.memory_max_mb=128", NULL};
	char dir[64], program[128], command[128];
	struct stack_stage gateway = {"gateway", 0};
	make_leaky_stack(dir, program, sizeof(program));
	struct drill *drill = stack_start_program(program, args);
	stack_must(drill, stack_has_failed, &gateway, "the leaking stage is not held");
	const struct cairn_msg_stage *row = stack_row(fixture_run(drill), "gateway");
	ck_assert_uint_eq(row->restarts, 4); /* five deaths in a minute */
	ck_assert_msg(strstr(row->note, "more than launcher.memory_max_mb (128)") != NULL, "%s", row->note);
	stack_must(drill, explores_locally, NULL, "does not explore without it");
	stack_end_as(&drill, 1); /* a run in which a stage kept dying has not passed */
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

struct replaced {
	const struct drill *drill;
	const char *says;
};

static bool drives_after_it(const struct up_run *run, void *ctx)
{
	const struct replaced *r = ctx;
	return stack_drives(run, NULL) && stack_file_tells(r->drill, "logs/launcher.log", r->says);
}

START_TEST(a_data_plane_or_a_launcher_that_takes_too_much_memory_is_replaced)
{
	static const char *const args[] = {
	    "--world", "config/worlds/loop.yaml", "--set", "launcher.memory_max_mb=128", NULL};
	static const struct {
		const char *program, *says;
	} rows[] = {{"iox-roudi", "roudi used"}, {"cairn-launcher", "launcher used"}};
	char dir[] = "/tmp/cairn-fat-XXXXXX", flag[64];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(flag, sizeof(flag), "%s/flag", dir);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = open(flag, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		ck_assert_int_ge(fd, 0);
		close(fd);
		setenv("CAIRN_TEST_PROGRAM", rows[i].program, 1);
		setenv("CAIRN_TEST_FLAG", flag, 1);
		setenv("LD_PRELOAD", CAIRN_FAT_PROGRAM, 1);
		struct drill *drill = stack_start(args);
		unsetenv("LD_PRELOAD");
		struct replaced r = {drill, rows[i].says};
		stack_must(drill, drives_after_it, &r, rows[i].program);
		stack_end(&drill);
	}
	rmdir(dir);
}
END_TEST

/* ---- the clock on the wall ---- */

/* The newest time in the log of decisions, by the clock on the wall. */
static double logged_unix_s(const struct drill *drill)
{
	char path[320], line[16384];
	double t_s = 0.0;
	snprintf(path, sizeof(path), "%s/state/decisions.jsonl", fixture_run_dir(drill));
	FILE *f = fopen(path, "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "{\"t\":%lf", &t_s);
	if (f != NULL)
		fclose(f);
	return t_s;
}

struct logged {
	struct drill *drill;
	double from_s, to_s;
};

static bool log_is_within(const struct up_run *run, void *ctx)
{
	const struct logged *l = ctx;
	(void)run;
	double t_s = logged_unix_s(l->drill);
	return t_s > l->from_s && t_s < l->to_s;
}

START_TEST(a_clock_that_is_set_forward_and_back_is_noticed_by_the_log_alone)
{
	static const int64_t steps_s[] = {7200, -86400, 0};
	char dir[] = "/tmp/cairn-step-XXXXXX",
	     path[64]; /* a folder: a stack may see no plain files of /tmp */
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/step", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, 8), 0);
	volatile int64_t *step_s = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne((void *)step_s, MAP_FAILED);
	setenv("CAIRN_TEST_STEP_CLOCK", path, 1);
	setenv("LD_PRELOAD", CAIRN_STEP_CLOCK, 1);
	struct drill *drill = stack_start(large_house);
	unsetenv("LD_PRELOAD");
	stack_must(drill, stack_drives, NULL, "does not drive");
	for (size_t i = 0; i < sizeof(steps_s) / sizeof(steps_s[0]); i++) {
		double now_s = (double)time(NULL) + (double)steps_s[i];
		uint32_t restarts = fixture_run(drill)->stages.restarts;
		*step_s = steps_s[i];
		struct stack_stretch after = {.s = 4.0};
		stack_must(drill, stack_stretch_over, &after, "the motor stage is silent");
		ck_assert(after.moved);
		struct logged log = {drill, now_s - 5.0, now_s + 300.0};
		stack_must(drill, log_is_within, &log, "the clock was not set: the log tells another time");
		stack_must(drill, stack_drives, NULL, "does not drive with the clock set");
		ck_assert_uint_eq(fixture_run(drill)->stages.restarts, restarts);
		ck_assert(fixture_run(drill)->health.ok);
	}
	stack_end(&drill);
	close(fd);
	unlink(path);
	rmdir(dir);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("resources", 300.0,
    a_full_disk_stops_no_robot_and_costs_nothing_that_was_learned_before,
    an_emergency_stop_on_a_full_disk_outlives_the_motor_stage,
    stages_without_descriptors_go_on_and_say_what_they_cannot_do,
    too_little_shared_memory_is_named_before_anything_starts,
    another_roudi_is_named_with_its_process_before_anything_starts,
    a_roudi_that_cannot_live_ends_the_run_at_once_and_that_has_not_passed,
    a_consumer_that_keeps_every_frame_costs_pictures_for_a_while_and_the_wheels_nothing,
    shared_memory_that_others_fill_up_stops_no_robot,
    a_stage_that_leaks_is_restarted_and_in_the_end_held_before_it_takes_the_robot_down,
    a_data_plane_or_a_launcher_that_takes_too_much_memory_is_replaced,
    a_clock_that_is_set_forward_and_back_is_noticed_by_the_log_alone)
