/* up_prepare.c - the configuration of a run, the checks before it (checks.def), and its run directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/duration.h"
#include "common/rules/config_check.h"
#include "ipc/lockfile.h"
#include "ipc/trust.h"
#include "procs/cairn/checks.h"
#include "procs/cairn/home.h"
#include "procs/cairn/runs.h"
#include "procs/cli/rundir.h"
#include "procs/cairn/up.h"
#include "procs/launcher/base_stop.h"
#include "procs/launcher/placement.h"

enum { STATUS_REFUSED = 1, STATUS_CONFIG = 2 };
#define LOCK_NAME "up.lock" /* also what a run directory is known by */
#define LIMIT_USEFUL_S 60.0 /* a mission shorter than this ends about where it began */
#define PREDECESSOR_WAIT_MS 50
#define PREDECESSOR_TRIES 160
#define PREDECESSOR_PATIENCE 80 /* tries after which one that does not end by itself is killed */

static bool merge(
    struct cairn_config *cfg, const struct up_options *options, const char *share, struct cairn_error *err)
{
	struct cairn_config_layers layers = options->layers;
	layers.share_dir = share;
	if (!cairn_config_merge(cfg, &layers, err))
		return false;
	if (options->world != NULL)
		snprintf(cfg->sim.world, sizeof(cfg->sim.world), "%s", options->world);
	if (options->real && cfg->robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED)
		cfg->robot.drive = CAIRN_CHOICE_DRIVE_SERIAL;
	cfg->record.enabled = cfg->record.enabled || options->record;
	if (options->goal != NULL)
		snprintf(cfg->mission.goal, sizeof(cfg->mission.goal), "%s", options->goal);
	struct cairn_error why;
	if (options->limit != NULL && !cairn_duration_parse(options->limit, &cfg->mission.limit_s, &why)) {
		cairn_error_set(err, "--for: %s", why.text);
		return false;
	}
	if (cfg->mission.limit_s > 0.0 && cfg->mission.limit_s < LIMIT_USEFUL_S)
		fprintf(stderr,
		    "cairn up: %.3g s end before much can happen: the stack needs some seconds to come up, "
		    "and the "
		    "way home is part of the time. From %g s on there is something to see.\n",
		    cfg->mission.limit_s, LIMIT_USEFUL_S);
	return cairn_config_check(cfg, err) && cairn_placement_check(&cfg->launcher, err);
}

/* ---- run directory ---- */

static bool make_dirs(const char *path, bool ours, struct cairn_error *err)
{
	char part[300];
	struct cairn_error why = {""};
	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(part, 0755);
		*slash = '/';
	}
	int fd = cairn_dir_take(path, ours, &why);
	if (fd >= 0)
		close(fd);
	else
		cairn_error_set(err, "--run: %.220s", why.text);
	if (fd >= 0 && access(path, R_OK | W_OK | X_OK) != 0) {
		cairn_error_set(err, "--run: %s: %s", path, strerror(errno));
		return false;
	}
	return fd >= 0;
}

static const char *const subdirs[] = {"bus", "dev", "state", "logs"};
#define SUBDIR_COUNT (sizeof(subdirs) / sizeof(subdirs[0]))

/* Files in these folders are removed, so they have to be ours: a mistyped --run (think of "/", which has a
 * "dev") must cost nobody anything. */
static bool is_run_dir(const char *run_dir, struct cairn_error *err)
{
	char path[300];
	struct stat st;
	snprintf(path, sizeof(path), "%s/" LOCK_NAME, run_dir);
	if (lstat(path, &st) == 0)
		return true; /* a run of ours was here */
	for (size_t i = 0; i < SUBDIR_COUNT; i++) {
		snprintf(path, sizeof(path), "%s/%s", run_dir, subdirs[i]);
		if (lstat(path, &st) == 0) {
			cairn_error_set(err,
			    "--run: %s has a '%s' but was never a run directory: give an empty or a new one",
			    run_dir, subdirs[i]);
			return false;
		}
	}
	return true;
}

static void empty_dir(const char *run_dir, const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* a link could lead anywhere */
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;
	if (dir == NULL && fd >= 0)
		close(fd);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir != NULL)
		closedir(dir);
}

/* RUN/state is a link of ours where launcher.state_dir names another place, which home_place has made. */
static bool make_subdirs(const char *run_dir, bool state_elsewhere, struct cairn_error *err)
{
	for (size_t i = 0; i < SUBDIR_COUNT; i++) {
		char path[300];
		if (state_elsewhere && strcmp(subdirs[i], "state") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", run_dir, subdirs[i]);
		if (!make_dirs(path, true, err))
			return false;
		/* Who may open its sockets may drive: also where an earlier umask or person made it. */
		if (strcmp(subdirs[i], "bus") == 0 && chmod(path, 0700) != 0) {
			cairn_error_set(err, "--run: %s: %s", path, strerror(errno));
			return false;
		}
	}
	return true;
}

/* Held open for as long as the run lives; the kernel frees it however we end. */
static int take_lock(const char *run_dir, struct cairn_error *err)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/" LOCK_NAME, run_dir);
	int fd = cairn_lockfile_take(path, err);
	if (fd == -EADDRINUSE)
		cairn_error_set(err,
		    "a stack already runs in %s (pid %d): end it with 'cairn down --run %s', or give another "
		    "--run DIR",
		    run_dir, cairn_lockfile_owner(path), run_dir);
	return fd < 0 ? -1 : fd;
}

/* A process of an earlier stack that still lives: its pid (0 = not known) in *ret_pid. */
static bool find_predecessor(const char *run_dir, int *ret_pid)
{
	static const char *const names[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
	    "launcher"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[320];
		snprintf(path, sizeof(path), "%s/bus/%s.%s.lock", run_dir,
		    cairn_topics[CAIRN_TOPIC_HEARTBEAT].name, names[i]);
		if (cairn_lockfile_held(path)) {
			*ret_pid = cairn_lockfile_owner(path);
			return true;
		}
	}
	return false;
}

/* It says of itself that it is a stage in this run directory: the number in its lock file is not another's by now. */
static bool is_stage_here(int pid, const char *run_dir)
{
	char path[64], args[2048], wanted[320];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	FILE *f = fopen(path, "re");
	size_t n = f != NULL ? fread(args, 1, sizeof(args), f) : 0;
	if (f != NULL)
		fclose(f);
	int len = snprintf(wanted, sizeof(wanted), "--run%c%s%c--stage", '\0', run_dir, '\0');
	return len > 0 && (size_t)len < sizeof(wanted) && memmem(args, n, wanted, (size_t)len) != NULL;
}

/* A stack whose `cairn up` was killed goes down by itself within seconds. A stage that hangs does not: it is
 * killed, and since it may have been the one before the wheels, they are stopped. */
static bool wait_for_predecessor(const struct up_run *run, struct cairn_error *err)
{
	const char *run_dir = run->run_dir;
	int pid = 0;
	for (int tries = 0; tries < PREDECESSOR_TRIES; tries++) {
		if (!find_predecessor(run_dir, &pid))
			return true;
		if (tries >= PREDECESSOR_PATIENCE && pid > 0 && is_stage_here(pid, run_dir) &&
		    kill(pid, SIGKILL) == 0)
			(void)cairn_base_stop(&run->cfg.robot, run_dir);
		(void)poll(NULL, 0, PREDECESSOR_WAIT_MS);
	}
	cairn_error_set(err,
	    "a process of an earlier stack in %s is still running (pid %d): end it with 'cairn down --run "
	    "%s', "
	    "or kill it",
	    run_dir, pid, run_dir);
	return false;
}

void up_clean(const char *run_dir)
{
	static const char *const names[] = {"ns.pid", "launcher.pid", "web.url"};
	cairn_bus_clean(run_dir);
	empty_dir(run_dir, "dev");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[300];
		snprintf(path, sizeof(path), "%s/%s", run_dir, names[i]);
		(void)unlink(path);
	}
}

/* Where the state lies, and what of it belongs to this home. */
static bool place_state(struct up_run *run, bool fresh, struct cairn_error *err)
{
	char state[300], kept[sizeof(run->said_home) / 2];
	char *said = run->said_home;
	said[0] = '\0';
	snprintf(state, sizeof(state), "%s/state", run->run_dir);
	if (!home_place(run->run_dir, &run->cfg, &run->state_lock_fd, said, sizeof(kept), err) ||
	    !make_subdirs(run->run_dir, run->cfg.launcher.state_dir[0] != '\0', err) ||
	    !home_prepare(state, &run->cfg, fresh, kept, sizeof(kept), err))
		return false;
	size_t n = strlen(said);
	snprintf(said + n, sizeof(run->said_home) - n, "%s%s", n > 0 && kept[0] != '\0' ? "; " : "", kept);
	return true;
}

/* What was decided in the run before stands aside; this one is known by its start. */
static bool begin_run(const struct up_run *run, struct cairn_error *err)
{
	char state[300];
	struct timespec now;
	struct cairn_error why = {""};
	snprintf(state, sizeof(state), "%s/state", run->run_dir);
	if (!runs_set_aside(state, run->cfg.launcher.runs_mb * 1e6, &why))
		fprintf(stderr, "cairn up: the decisions of the run before are not kept: %s\n", why.text);
	clock_gettime(CLOCK_REALTIME, &now);
	return runs_begin(state, (double)now.tv_sec + (double)now.tv_nsec * 1e-9, err);
}

/* The folder of the recordings, made before a mount namespace of the stack's own hides the place where it belongs. What is wrong with
 * it the stage says, and nothing else needs it. */
static void make_record_folder(const struct up_run *run)
{
	char path[600];
	(void)cairn_path_below(path, sizeof(path), run->run_dir, run->cfg.record.folder);
	if (run->cfg.record.enabled)
		(void)mkdir(path, 0700);
}

static bool make_run_dir(struct up_run *run, struct check_context *ctx, bool fresh, int *ret_lock_fd,
    int *ret_status, struct cairn_error *err)
{
	*ret_status = STATUS_CONFIG;
	if (!cairn_bus_fits(run->run_dir, err) || !make_dirs(run->run_dir, false, err) ||
	    !is_run_dir(run->run_dir, err))
		return false;
	*ret_status = STATUS_REFUSED;
	*ret_lock_fd = take_lock(run->run_dir, err);
	if (*ret_lock_fd < 0 || !wait_for_predecessor(run, err))
		return false;
	*ret_status = STATUS_CONFIG;
	if (!check_all(ctx, CHECK_HOST, err))
		return false;
	memcpy(run->fallback, ctx->fallback, sizeof(run->fallback));
	memcpy(run->warnings, ctx->warnings, sizeof(run->warnings));
	up_clean(run->run_dir);
	if (!place_state(run, fresh, err))
		return false;
	if (!begin_run(run, err))
		return false;
	make_record_folder(run);
	char path[300];
	snprintf(path, sizeof(path), "%s/config.yaml", run->run_dir);
	return cairn_config_save(&run->cfg, path, err);
}

void up_note_launcher(const char *run_dir, pid_t pid)
{
	char path[300], text[16];
	snprintf(path, sizeof(path), "%s/launcher.pid", run_dir);
	int n = snprintf(text, sizeof(text), "%d\n", (int)pid);
	(void)cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, text, (size_t)n, NULL);
}

bool up_run_dir_fits(const char *run_dir, struct cairn_error *err)
{
	struct stat st;
	if (!cairn_bus_fits(run_dir, err) || !is_run_dir(run_dir, err))
		return false;
	if (stat(run_dir, &st) != 0 ? errno == ENOENT
				    : S_ISDIR(st.st_mode) && access(run_dir, R_OK | W_OK | X_OK) == 0)
		return true;
	cairn_error_set(err, "--run: %s: %s", run_dir, strerror(errno));
	return false;
}

bool up_config(struct cairn_config *cfg, const struct up_options *options, char *share, size_t bytes,
    struct cairn_error *err)
{
	return cairn_share_dir(share, bytes, err) && merge(cfg, options, share, err);
}

bool up_prepare(struct up_run *run, const struct up_options *options, int *ret_lock_fd, int *ret_status,
    struct cairn_error *err)
{
	char share[4096];
	struct check_context ctx = {
	    .cfg = &run->cfg, .share = share, .run_dir = run->run_dir, .fresh = options->fresh};
	*ret_status = STATUS_CONFIG;
	*ret_lock_fd = -1;
	return up_config(&run->cfg, options, share, sizeof(share), err) &&
	       check_all(&ctx, CHECK_FILES, err) &&
	       make_run_dir(run, &ctx, options->fresh, ret_lock_fd, ret_status, err);
}
