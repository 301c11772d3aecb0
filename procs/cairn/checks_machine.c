/* checks_machine.c - what the machine is and what is installed on it: processors, programs, the run directory. */
#include <errno.h>
#include <libgen.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/trust.h"
#include "procs/cairn/checks.h"
#include "procs/launcher/plane.h"

#define CORES_MIN 2 /* the way from scan to wheels beside mapping and the camera */

void check_machine(struct check_context *ctx, struct check_result *ret)
{
	cpu_set_t set;
	(void)ctx;
	int cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 0;
	if (cores < CORES_MIN)
		check_says(ret, CHECK_WARNS,
		    "%d processor core may be used here: with fewer than %d the map and the model's answers "
		    "come late",
		    cores, CORES_MIN);
	else
		check_says(ret, CHECK_OK, "%d processor cores", cores);
}

/* The folder of this program, in which those of the stages are. */
static void own_folder(char *ret, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", ret, bytes - 1);
	ret[n > 0 ? n : 0] = '\0';
	const char *folder = dirname(ret);
	memmove(ret, folder, strlen(folder) + 1);
}

static bool has_program(const char *program, char *path, size_t bytes)
{
	char folder[512];
	own_folder(folder, sizeof(folder));
	snprintf(path, bytes, "%s/%s", folder, program);
	return access(path, X_OK) == 0;
}

/* Programs that are built only where their library is. */
static bool is_optional(const char *program)
{
	return strcmp(program, "cairn-ros2-bridge") == 0 || strcmp(program, "cairn-ros2-robot") == 0;
}

#define WITHOUT_DDS                                                                                          \
	"%s: this build is without CycloneDDS; install cyclonedds-dev and build anew (scripts/setup.sh, "    \
	"docs/ros2.md), or leave the key as it is by default"

void check_built(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config *cfg = ctx->cfg;
	char path[700];
	if (cfg->ros2.enabled && !has_program("cairn-ros2-bridge", path, sizeof(path)))
		check_says(ret, CHECK_FAILS, WITHOUT_DDS, "ros2.enabled");
	else if (cfg->robot.drive == CAIRN_CHOICE_DRIVE_ROS2 &&
		 !has_program("cairn-ros2-robot", path, sizeof(path)))
		check_says(ret, CHECK_FAILS, WITHOUT_DDS, "robot.drive: ros2");
	else if (cfg->fleet.broker[0] != '\0' && !CAIRN_MOSQUITTO)
		check_says(ret, CHECK_FAILS,
		    "fleet.broker: this build is without libmosquitto; install libmosquitto-dev and build "
		    "anew "
		    "(scripts/setup.sh, docs/fleet.md), or leave the key empty");
	else if ((cfg->robot.guard_lines[0] != '\0' || cfg->robot.signal_lines[0] != '\0') &&
		 cfg->robot.drive != CAIRN_CHOICE_DRIVE_SIMULATED && !CAIRN_GPIOD)
		check_says(ret, CHECK_FAILS,
		    "robot.%s: this build is without libgpiod 1; install libgpiod-dev and build anew "
		    "(scripts/setup.sh, docs/robots.md), or leave the key empty",
		    cfg->robot.guard_lines[0] != '\0' ? "guard_lines" : "signal_lines");
	else
		check_says(ret, CHECK_OK, "what the configuration asks for is built");
}

/* What the launcher starts stands beside this program; RouDi comes with a package. */
void check_programs(struct check_context *ctx, struct check_result *ret)
{
	static const char *const programs[] = {
	    "cairn-launcher",
	    "cairn-web-frames",
#define STAGE(id, name, program, iceoryx, when, without, doc) program,
#include "procs/launcher/stages.def"
	};
	char path[700];
	(void)ctx;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (has_program(programs[i], path, sizeof(path)) || is_optional(programs[i]))
			continue;
		check_says(ret, CHECK_FAILS, "%s: %s; build or install all of it (scripts/build.sh build)",
		    path, strerror(errno));
		return;
	}
	own_folder(path, sizeof(path));
	if (access(CAIRN_ROUDI, X_OK) != 0)
		check_says(ret, CHECK_FAILS, "%s: %s; install the package iceoryx (scripts/setup.sh)",
		    CAIRN_ROUDI, strerror(errno));
	else
		check_says(ret, CHECK_OK, "in %s, and %s", path, CAIRN_ROUDI);
}

void check_nearest_folder(const char *run_dir, char *path, size_t path_bytes)
{
	struct stat st;
	snprintf(path, path_bytes, "%s", run_dir);
	while (stat(path, &st) != 0 && errno == ENOENT && strcmp(path, "/") != 0 && strcmp(path, ".") != 0) {
		const char *above = dirname(path);
		memmove(path, above, strlen(above) + 1);
	}
}

void check_permissions(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_error err = {""};
	char path[300];
	if (!cairn_run_dir_trusted(ctx->run_dir, &err)) {
		check_says(ret, CHECK_FAILS, "--run: %s", err.text);
		return;
	}
	check_nearest_folder(ctx->run_dir, path, sizeof(path));
	if (access(path, W_OK | X_OK) != 0)
		check_says(ret, CHECK_FAILS,
		    "--run: %s: %s; give a run directory that this user may write to", path, strerror(errno));
	else
		check_says(ret, CHECK_OK, "%s is this user's to write to", ctx->run_dir);
}
