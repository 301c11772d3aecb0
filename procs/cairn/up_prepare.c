/* up_prepare.c - everything that can be found wrong before anything moves. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "common/safety/mission_store.h"
#include "common/vlm/profile.h"
#include "ipc/keyfile.h"
#include "ipc/lockfile.h"
#include "ipc/remote.h"
#include "procs/cairn/rundir.h"
#include "procs/cairn/up.h"
#include "procs/launcher/base_stop.h"
#include "procs/launcher/placement.h"
#include "procs/launcher/plane.h"
#include "procs/motor/memory.h"

enum { STATUS_REFUSED = 1, STATUS_CONFIG = 2 };
#define LOCK_NAME "up.lock" /* also what a run directory is known by */
#define LIMIT_USEFUL_S 60.0 /* a mission shorter than this ends about where it began */
#define PREDECESSOR_WAIT_MS 50
#define PREDECESSOR_TRIES 160
#define PREDECESSOR_PATIENCE 80 /* tries after which one that does not end by itself is killed */

static bool merge(
    struct up_run *run, const struct up_options *options, const char *share, struct cairn_error *err)
{
	struct cairn_config_layers layers = {.share_dir = share,
	    .file = options->config_file,
	    .sets = options->sets,
	    .set_count = options->set_count};
	if (!cairn_config_merge(&run->cfg, &layers, err))
		return false;
	if (options->world != NULL)
		snprintf(run->cfg.sim.world, sizeof(run->cfg.sim.world), "%s", options->world);
	if (options->goal != NULL)
		snprintf(run->cfg.mission.goal, sizeof(run->cfg.mission.goal), "%s", options->goal);
	struct cairn_error why;
	if (options->limit != NULL &&
	    !cairn_duration_parse(options->limit, &run->cfg.mission.limit_s, &why)) {
		cairn_error_set(err, "--for: %s", why.text);
		return false;
	}
	if (run->cfg.mission.limit_s > 0.0 && run->cfg.mission.limit_s < LIMIT_USEFUL_S)
		fprintf(stderr,
		    "cairn up: %.3g s end before much can happen: the stack needs some seconds to come up, "
		    "and the "
		    "way home is part of the time. From %g s on there is something to see.\n",
		    run->cfg.mission.limit_s, LIMIT_USEFUL_S);
	return cairn_config_check(&run->cfg, err) && cairn_placement_check(&run->cfg.launcher, err);
}

/* A path as given, from here or from the project's own files; made absolute, because the stages live
 * elsewhere. */
static bool check_path(
    char *path, size_t path_bytes, const char *key, const char *share, struct cairn_error *err)
{
	char shared[4400], *found = realpath(path, NULL);
	snprintf(shared, sizeof(shared), "%s/%s", share, path);
	if (found == NULL && path[0] != '/')
		found = realpath(shared, NULL);
	if (found == NULL) {
		cairn_error_set(err, "%s: %s: %s", key, path, strerror(errno));
		return false;
	}
	bool fits = strlen(found) < path_bytes;
	if (fits)
		strcpy(path, found);
	else
		cairn_error_set(err, "%s: the path is longer than %zu bytes", key, path_bytes - 1);
	free(found);
	return fits;
}

/* "home, loop, studio": what config/worlds has, by the names that --world takes. */
static void list_worlds(const char *share, char *buf, size_t bytes)
{
	char path[4200];
	struct dirent **entries = NULL;
	size_t used = 0;
	snprintf(path, sizeof(path), "%s/config/worlds", share);
	int n = scandir(path, &entries, NULL, alphasort);
	buf[0] = '\0';
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
		if (dot != NULL && dot != name && strcmp(dot, ".yaml") == 0 && used < bytes)
			used += (size_t)snprintf(buf + used, bytes - used, "%s%.*s", used > 0 ? ", " : "",
			    (int)(dot - name), name);
		free(entries[i]);
	}
	free(entries);
}

/* A house is a file, or the name of one of the bundled ones. */
static bool find_world(struct cairn_config *cfg, const char *share, struct cairn_error *err)
{
	char path[4200], worlds[160];
	char *found = realpath(cfg->sim.world, NULL);
	bool bare = strchr(cfg->sim.world, '/') == NULL;
	if (found == NULL && bare) {
		snprintf(path, sizeof(path), "config/worlds/%s.yaml", cfg->sim.world);
		if (strlen(path) < sizeof(cfg->sim.world) && cairn_share_find(path, sizeof(path), err) &&
		    path[0] == '/' && strlen(path) < sizeof(cfg->sim.world))
			strcpy(cfg->sim.world, path);
	}
	free(found);
	if (check_path(cfg->sim.world, sizeof(cfg->sim.world), "sim.world", share, err))
		return true;
	list_worlds(share, worlds, sizeof(worlds));
	size_t used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, "; bundled are: %s", worlds);
	return false;
}

/* The stages that use shared memory have a /tmp and a /dev/shm of their own; of the host's they see the run
 * directory alone. */
static bool check_visible(
    const struct cairn_config *cfg, const char *path, const char *key, struct cairn_error *err)
{
	bool hidden = strncmp(path, "/tmp/", 5) == 0 || strncmp(path, "/dev/shm/", 9) == 0;
	if (!hidden || strcmp(cfg->launcher.isolation, "host") == 0)
		return true;
	cairn_error_set(err,
	    "%s: %s: the stages have a /tmp of their own; name a place elsewhere (or launcher.isolation: "
	    "host)",
	    key, path);
	return false;
}

/* A replay is read from here or the project's files; a recording goes where it is told, or below the run directory. */
static bool check_exchanges(struct cairn_config *cfg, const char *share, struct cairn_error *err)
{
	struct cairn_config_vlm *vlm = &cfg->vlm;
	if (vlm->replay[0] != '\0' &&
	    (!check_path(vlm->replay, sizeof(vlm->replay), "vlm.replay", share, err) ||
		!check_visible(cfg, vlm->replay, "vlm.replay", err)))
		return false;
	return check_visible(cfg, vlm->record, "vlm.record", err);
}

/* Whoever would be let in is read before anything moves, and again by the stage. */
static bool check_remote(struct cairn_config *cfg, const char *share, struct cairn_error *err)
{
	struct cairn_config_remote *r = &cfg->remote;
	struct cairn_error why = {""};
	char watch[CAIRN_CONFIG_TEXT_CAP + 8];
	struct cairn_key key;
	struct cairn_allow allow;
	if (r->endpoint[0] == '\0')
		return true;
	if (!check_path(r->key_file, sizeof(r->key_file), "remote.key_file", share, err) ||
	    !check_path(r->allow_file, sizeof(r->allow_file), "remote.allow_file", share, err))
		return false;
	const char *name = "endpoint";
	bool ok = cairn_remote_endpoint(r->endpoint, watch, sizeof(watch), &why);
	if (ok) {
		name = "key_file";
		ok = cairn_key_load(r->key_file, true, &key, &why);
		explicit_bzero(&key, sizeof(key));
	}
	if (ok) {
		name = "allow_file";
		ok = cairn_allow_load(r->allow_file, &allow, &why);
	}
	if (!ok)
		cairn_error_set(err, "remote.%s: %.220s", name, why.text);
	return ok;
}

static bool check_paths(struct up_run *run, const char *share, struct cairn_error *err)
{
	struct cairn_config *cfg = &run->cfg;
	if (!check_path(cfg->vlm.prompts, sizeof(cfg->vlm.prompts), "vlm.prompts", share, err) ||
	    !check_path(cfg->vlm.providers, sizeof(cfg->vlm.providers), "vlm.providers", share, err))
		return false;
	if (cfg->vlm.ca_file[0] != '\0' &&
	    !check_path(cfg->vlm.ca_file, sizeof(cfg->vlm.ca_file), "vlm.ca_file", share, err))
		return false;
	if (cfg->map.start_file[0] != '\0' &&
	    (!check_path(cfg->map.start_file, sizeof(cfg->map.start_file), "map.start_file", share, err) ||
		!check_visible(cfg, cfg->map.start_file, "map.start_file", err)))
		return false;
	if (!check_exchanges(cfg, share, err) || !check_remote(cfg, share, err))
		return false;
	return strcmp(cfg->robot.drive, "simulated") != 0 || find_world(cfg, share, err);
}

static bool check_port(const struct cairn_config *cfg, struct cairn_error *err)
{
	if (!cairn_lineup_names(&cfg->vlm, "pilot") || cfg->pilot.port == 0)
		return true;
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)cfg->pilot.port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	bool ok = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
	if (!ok)
		cairn_error_set(err, "pilot.port: %d on 127.0.0.1: %s; use another, or 0 for any free one",
		    cfg->pilot.port, strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Every provider of the line-up, so that a fallback does not turn out to be none when it is needed. */
static bool check_keys(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_lineup lineup;
	if (!cairn_lineup_load(&lineup, &cfg->vlm, err))
		return false;
	for (uint32_t i = 0; i < lineup.count; i++) {
		const char *name = lineup.rows[i].api_key_env, *key = getenv(name);
		if (name[0] != '\0' &&
		    key != NULL) /* no core dump with a key in it, of this or its children */
			setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
		if (name[0] == '\0' || (key != NULL && key[0] != '\0') ||
		    strcmp(lineup.rows[i].name, "pilot") == 0)
			continue;
		cairn_error_set(err,
		    "vlm.api_key_env: the environment variable %s is not set; provider '%s' needs a key "
		    "(api_key_env: \"\" in %s for a service without one)",
		    name, lineup.rows[i].name, cfg->vlm.providers);
		return false;
	}
	return true;
}

/* Shared memory is memory: in a namespace of our own the tmpfs is made as large as needed (on the host it
 * must fit, which the plane checks itself). */
static bool check_memory(const struct cairn_config *cfg, struct cairn_error *err)
{
	double need_mb = (double)cairn_plane_bytes(cfg) / 1e6, have_mb = 0.0;
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		long kb;
		if (sscanf(line, "MemAvailable: %ld", &kb) == 1)
			have_mb = (double)kb / 1e3;
	}
	if (f != NULL)
		fclose(f);
	if (need_mb <= have_mb)
		return true;
	cairn_error_set(err,
	    "map.extent_max_m, map.cell_m, camera.*_px: the frames need %.0f MB of shared memory, %.0f MB "
	    "are free",
	    need_mb, have_mb);
	return false;
}

/* ---- run directory ---- */

static bool make_dirs(const char *path, struct cairn_error *err)
{
	char part[300];
	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(part, 0755);
		*slash = '/';
	}
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		cairn_error_set(err, "--run: %s: %s", path, strerror(errno));
		return false;
	}
	if (access(path, R_OK | W_OK | X_OK) != 0) {
		cairn_error_set(err, "--run: %s: %s", path, strerror(errno));
		return false;
	}
	return true;
}

static const char *const subdirs[] = {"bus", "dev", "state", "logs"};
#define SUBDIR_COUNT (sizeof(subdirs) / sizeof(subdirs[0]))

/* Files in these folders are removed, so they have to be ours: a mistyped --run (think of "/", which has a
 * "dev") must cost nobody anything. A folder somebody else owns could be changed under us. */
static bool is_run_dir(const char *run_dir, struct cairn_error *err)
{
	char path[300];
	struct stat st;
	if (stat(run_dir, &st) == 0 && st.st_uid != geteuid() && st.st_uid != 0 && geteuid() != 0) {
		cairn_error_set(err, "--run: %s belongs to another user", run_dir);
		return false;
	}
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

static bool kept(const char *const *keep, const char *name)
{
	for (; keep != NULL && *keep != NULL; keep++) {
		if (strcmp(*keep, name) == 0)
			return true;
	}
	return false;
}

/* keep: names that stay, NULL-terminated, or NULL. */
static void empty_dir(const char *run_dir, const char *name, const char *const *keep)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	DIR *dir = opendir(path);
	struct dirent *entry;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.' && !kept(keep, entry->d_name))
			(void)unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir != NULL)
		closedir(dir);
}

static bool make_subdirs(const char *run_dir, struct cairn_error *err)
{
	for (size_t i = 0; i < SUBDIR_COUNT; i++) {
		char path[300];
		snprintf(path, sizeof(path), "%s/%s", run_dir, subdirs[i]);
		if (!make_dirs(path, err))
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
#undef STAGE
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
	static const char *const names[] = {"ns.pid", "launcher.pid"};
	cairn_bus_clean(run_dir);
	empty_dir(run_dir, "dev", NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[300];
		snprintf(path, sizeof(path), "%s/%s", run_dir, names[i]);
		(void)unlink(path);
	}
}

static bool make_run_dir(struct up_run *run, int *ret_lock_fd, int *ret_status, struct cairn_error *err)
{
	/* A stop that only a person ends, and, from the second on, what was learned of the house. */
	static const char *const stays[] = {CAIRN_MOTOR_MEMORY_NAME, NULL};
	static const char *const learned[] = {
	    CAIRN_MOTOR_MEMORY_NAME, "map.bin", "memory.yaml", CAIRN_ZONES_FILE_NAME, NULL};
	*ret_status = STATUS_CONFIG;
	if (!cairn_bus_fits(run->run_dir, err) || !make_dirs(run->run_dir, err) ||
	    !is_run_dir(run->run_dir, err))
		return false;
	*ret_status = STATUS_REFUSED;
	*ret_lock_fd = take_lock(run->run_dir, err);
	if (*ret_lock_fd < 0 || !wait_for_predecessor(run, err) ||
	    !cairn_plane_possible(&run->cfg, run->fallback, sizeof(run->fallback), err))
		return false;
	*ret_status = STATUS_CONFIG;
	up_clean(run->run_dir);
	if (!make_subdirs(run->run_dir, err))
		return false;
	empty_dir(run->run_dir, "state", run->cfg.map.resume ? learned : stays);
	char path[300];
	snprintf(path, sizeof(path), "%s/config.yaml", run->run_dir);
	return cairn_config_save(&run->cfg, path, err);
}

bool up_prepare(struct up_run *run, const struct up_options *options, int *ret_lock_fd, int *ret_status,
    struct cairn_error *err)
{
	char share[4096];
	*ret_status = STATUS_CONFIG;
	*ret_lock_fd = -1;
	if (!cairn_share_dir(share, sizeof(share), err))
		return false;
	return merge(run, options, share, err) && check_paths(run, share, err) &&
	       check_port(&run->cfg, err) && check_keys(&run->cfg, err) && check_memory(&run->cfg, err) &&
	       make_run_dir(run, ret_lock_fd, ret_status, err);
}
