#include "procs/cairn/home.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/sequencer/mission_store.h"
#include "ipc/lockfile.h"
#include "procs/cairn/folder.h"

#define PATH_BYTES 512
#define IDENTITY_BYTES 640

static const struct {
	const char *name, *what;
} learned[] = {{"map.bin", "map"}, {"memory.yaml", "memory"}, {CAIRN_ZONES_FILE_NAME, "zones"},
    {"pictures", "pictures"}, {"scene.json", "scene"}, {"local_views.txt", "views"}};
#define LEARNED_COUNT (sizeof(learned) / sizeof(learned[0]))
/* Goes with them: which home it was, and where the simulated robot stood in it, with what it had seen and driven. */
static const char *const along[] = {HOME_FILE_NAME, "sim.bin"};
#define ALONG_COUNT (sizeof(along) / sizeof(along[0]))

void home_identity(const struct cairn_config *cfg, char *text, size_t bytes)
{
	const struct cairn_config_sim *s = &cfg->sim;
	if (cfg->robot.drive != CAIRN_CHOICE_DRIVE_SIMULATED) {
		snprintf(text, bytes, "robot %s, cells of %g m\n", cfg->robot.name, cfg->map.cell_m);
		return;
	}
	bool given = s->start == CAIRN_CHOICE_START_GIVEN;
	snprintf(text, bytes, "simulated %s %016llx, start %s %g %g %g, seed %d, cells of %g m\n", s->world,
	    cairn_file_hash(s->world), cairn_choice_start_words[s->start], given ? s->start_x_m : 0.0,
	    given ? s->start_y_m : 0.0, given ? s->start_yaw_deg : 0.0, s->seed, cfg->map.cell_m);
}

/* "map, memory"; the number of them. */
static int list_learned(const char *state_dir, char *text, size_t bytes)
{
	int count = 0;
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < LEARNED_COUNT; i++) {
		char path[PATH_BYTES];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", state_dir, learned[i].name);
		if (lstat(path, &st) != 0 || used >= bytes)
			continue;
		used += (size_t)snprintf(
		    text + used, bytes - used, "%s%s", count > 0 ? ", " : "", learned[i].what);
		count++;
	}
	return count;
}

/* A name for now: to the microsecond, so that names of one second stand in their order. */
static void stamp(char *text, size_t bytes)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	folder_time_name((double)now.tv_sec + (double)now.tv_nsec * 1e-9, 6, text, bytes);
}

/* ---- setting aside ---- */

/* The oldest beyond the newest few; how many. Their names are times, so that they stand in order. */
static int thin_out(const char *aside)
{
	struct dirent **list;
	int count = folder_list(aside, &list), removed = 0;
	for (int i = 0; i < count; i++) {
		char path[PATH_BYTES + 300];
		snprintf(path, sizeof(path), "%s/%s", aside, list[i]->d_name);
		free(list[i]);
		if (i >= count - HOME_ASIDE_MAX)
			continue;
		folder_remove(path);
		removed++;
	}
	free(list);
	return removed;
}

static bool make_folder(char *path, size_t bytes, const char *aside, struct cairn_error *err)
{
	char when[48];
	stamp(when, sizeof(when));
	if (mkdir(aside, 0700) != 0 && errno != EEXIST) {
		cairn_error_set(err, "%s: %s", aside, strerror(errno));
		return false;
	}
	int n = snprintf(path, bytes, "%s/%s", aside, when);
	if (n > 0 && (size_t)n < bytes && mkdir(path, 0700) == 0)
		return true;
	cairn_error_set(err, "%s: %s", path, strerror(errno));
	return false;
}

static bool set_aside(
    const char *state_dir, char *folder, size_t bytes, int *ret_removed, struct cairn_error *err)
{
	char aside[PATH_BYTES];
	snprintf(aside, sizeof(aside), "%s/aside", state_dir);
	if (!make_folder(folder, bytes, aside, err))
		return false;
	for (size_t i = 0; i < LEARNED_COUNT + ALONG_COUNT; i++) {
		const char *name = i < LEARNED_COUNT ? learned[i].name : along[i - LEARNED_COUNT];
		char from[PATH_BYTES], to[PATH_BYTES + 300];
		snprintf(from, sizeof(from), "%s/%s", state_dir, name);
		snprintf(to, sizeof(to), "%s/%s", folder, name);
		if (rename(from, to) != 0 && errno != ENOENT) {
			cairn_error_set(err, "%s: cannot be set aside: %s", from, strerror(errno));
			return false;
		}
	}
	*ret_removed = thin_out(aside);
	return true;
}

static bool keeps(const struct cairn_config *cfg, bool fresh)
{
	return !fresh && (cfg->launcher.keep_home || cfg->map.resume);
}

bool home_goes_on(const char *state_dir, const struct cairn_config *cfg, bool fresh)
{
	char identity[IDENTITY_BYTES], was[IDENTITY_BYTES] = "", path[PATH_BYTES];
	home_identity(cfg, identity, sizeof(identity));
	snprintf(path, sizeof(path), "%s/" HOME_FILE_NAME, state_dir);
	return cairn_file_read_into(path, CAIRN_FILE_OWN, was, sizeof(was), NULL) > 0 &&
	       strcmp(was, identity) == 0 && keeps(cfg, fresh);
}

bool home_prepare(const char *state_dir, const struct cairn_config *cfg, bool fresh, char *said,
    size_t said_bytes, struct cairn_error *err)
{
	char identity[IDENTITY_BYTES], what[64], path[PATH_BYTES], folder[PATH_BYTES + 60];
	home_identity(cfg, identity, sizeof(identity));
	snprintf(path, sizeof(path), "%s/" HOME_FILE_NAME, state_dir);
	int count = list_learned(state_dir, what, sizeof(what)), removed = 0;
	said[0] = '\0';
	if (count > 0 && home_goes_on(state_dir, cfg, fresh)) {
		snprintf(said, said_bytes, "goes on with the %s of this home; --fresh begins anew", what);
		return true;
	}
	if (count > 0) {
		if (!set_aside(state_dir, folder, sizeof(folder), &removed, err))
			return false;
		snprintf(said, said_bytes, "%s: the %s of the run before is set aside in %s%s",
		    !keeps(cfg, fresh) ? "begins anew" : "another home", what, folder,
		    removed > 0 ? "; the oldest that was set aside is removed" : "");
	}
	return cairn_file_replace(path, 0, 0644, identity, strlen(identity), err);
}

/* ---- where the state lies ---- */

static bool make_state_dir(const char *path, struct cairn_error *err)
{
	char part[PATH_BYTES];
	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(part, 0755);
		*slash = '/';
	}
	if ((mkdir(path, 0700) == 0 || errno == EEXIST) && access(path, R_OK | W_OK | X_OK) == 0)
		return true;
	cairn_error_set(err, "launcher.state_dir: %s: %s", path, strerror(errno));
	return false;
}

/* A folder of before makes room for the link; without anything in it it goes away. */
static bool clear_place(const char *state, char *said, size_t said_bytes, struct cairn_error *err)
{
	char away[PATH_BYTES + 40], when[48];
	struct stat st;
	if (lstat(state, &st) != 0)
		return true;
	if (S_ISLNK(st.st_mode) ? unlink(state) == 0 : rmdir(state) == 0)
		return true;
	stamp(when, sizeof(when));
	snprintf(away, sizeof(away), "%s.%s", state, when);
	if (rename(state, away) == 0) {
		snprintf(said, said_bytes, "the state of runs without launcher.state_dir is set aside in %s",
		    away);
		return true;
	}
	cairn_error_set(err, "%s: %s", state, strerror(errno));
	return false;
}

void home_state_dir(const char *run_dir, const struct cairn_config *cfg, char *path, size_t bytes)
{
	bool own = cfg->launcher.state_dir[0] == '\0';
	snprintf(path, bytes, "%s%s", own ? run_dir : cfg->launcher.state_dir, own ? "/state" : "");
}

bool home_place(const char *run_dir, const struct cairn_config *cfg, int *ret_lock_fd, char *said,
    size_t said_bytes, struct cairn_error *err)
{
	const char *dir = cfg->launcher.state_dir;
	char state[PATH_BYTES], lock[PATH_BYTES], was[PATH_BYTES];
	struct stat st;
	snprintf(state, sizeof(state), "%s/state", run_dir);
	*ret_lock_fd = -1;
	if (dir[0] == '\0')
		return lstat(state, &st) != 0 || !S_ISLNK(st.st_mode) ||
		       clear_place(state, said, said_bytes, err);
	if (dir[0] != '/') {
		cairn_error_set(err, "launcher.state_dir: %s: give the whole path, from /", dir);
		return false;
	}
	if (!make_state_dir(dir, err))
		return false;
	snprintf(lock, sizeof(lock), "%s/.lock", dir);
	*ret_lock_fd = cairn_lockfile_take(lock, err);
	if (*ret_lock_fd < 0) {
		if (*ret_lock_fd == -EADDRINUSE)
			cairn_error_set(err, "launcher.state_dir: %s is used by another stack (pid %d)", dir,
			    cairn_lockfile_owner(lock));
		return false;
	}
	ssize_t n = readlink(state, was, sizeof(was) - 1);
	was[n > 0 ? n : 0] = '\0';
	if (strcmp(was, dir) == 0)
		return true;
	if (!clear_place(state, said, said_bytes, err))
		return false;
	if (symlink(dir, state) == 0)
		return true;
	cairn_error_set(err, "%s: %s", state, strerror(errno));
	return false;
}
