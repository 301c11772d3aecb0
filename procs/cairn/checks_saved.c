/* checks_saved.c - what the run before has left, as far as this one goes on with it.
 *
 * Map, memory and scene that cannot be read are a reason not to start: the stages would put them aside and begin with empty
 * ones, and a robot that has forgotten its home should not find that out under way. Zones and money are none: without them
 * the stack comes up on the safe side (the robot stands until an operator has confirmed the zones; the memory's ledger counts
 * as spent), which a refused start would only hide from whoever looks at the robot from elsewhere. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/scene/scene_file.h"
#include "common/sequencer/zone_store.h"
#include "common/slam/mapper.h"
#include "common/vlm/memory.h"
#include "common/vlm/spending.h"
#include "procs/cairn/checks.h"
#include "procs/cairn/home.h"

#define REMEDY "put a copy of it there, move it away, or begin anew (--fresh sets all of this home aside)"

/* The path of a file of the state folder. False, with the result set: there is none. */
static bool find(
    const struct check_context *ctx, const char *name, char *path, size_t bytes, struct check_result *ret)
{
	char dir[400];
	struct stat st;
	home_state_dir(ctx->run_dir, ctx->cfg, dir, sizeof(dir));
	snprintf(path, bytes, "%s/%s", dir, name);
	if (lstat(path, &st) == 0 || errno != ENOENT)
		return true;
	check_says(ret, CHECK_SKIPPED, "there is none yet: %s", path);
	return false;
}

/* The same for what belongs to a home. False, too, where the run does not go on with it. */
static bool find_of_home(
    const struct check_context *ctx, const char *name, char *path, size_t bytes, struct check_result *ret)
{
	char dir[400];
	home_state_dir(ctx->run_dir, ctx->cfg, dir, sizeof(dir));
	if (!find(ctx, name, path, bytes, ret))
		return false;
	if (home_goes_on(dir, ctx->cfg, ctx->fresh))
		return true;
	check_says(ret, CHECK_SKIPPED, "set aside, as the run begins anew or in another home: %s", path);
	return false;
}

static void judge(bool ok, const char *path, const char *why, struct check_result *ret)
{
	if (ok)
		check_says(ret, CHECK_OK, "%s", path);
	else
		check_says(ret, CHECK_FAILS, "launcher.keep_home: %.220s; " REMEDY, why);
}

void check_saved_map(struct check_context *ctx, struct check_result *ret)
{
	char path[512];
	struct cairn_error err = {""};
	if (!find_of_home(ctx, "map.bin", path, sizeof(path), ret))
		return;
	struct cairn_mapper *mapper = cairn_mapper_load(ctx->cfg, path, &err);
	judge(mapper != NULL, path, err.text, ret);
	cairn_mapper_destroy(&mapper);
}

void check_saved_memory(struct check_context *ctx, struct check_result *ret)
{
	char path[512];
	struct cairn_error err = {""};
	struct cairn_ledger ledger;
	if (!find_of_home(ctx, "memory.yaml", path, sizeof(path), ret))
		return;
	struct cairn_memory *memory = malloc(sizeof(*memory));
	bool ok = memory != NULL && cairn_memory_load(memory, &ledger, path, &err);
	judge(ok, path, memory != NULL ? err.text : "out of memory", ret);
	free(memory);
}

void check_saved_scene(struct check_context *ctx, struct check_result *ret)
{
	char path[512];
	struct cairn_error err = {""};
	bool damaged;
	if (!find_of_home(ctx, CAIRN_SCENE_FILE_NAME, path, sizeof(path), ret))
		return;
	struct cairn_scene *scene = cairn_scene_new(ctx->cfg);
	bool ok = scene != NULL && cairn_scene_load(scene, path, &damaged, &err);
	judge(ok, path, scene != NULL ? err.text : "out of memory", ret);
	cairn_scene_destroy(&scene);
}

void check_saved_zones(struct check_context *ctx, struct check_result *ret)
{
	static char bytes[CAIRN_ZONES_FILE_BYTES_MAX];
	static struct cairn_zone_file file;
	char path[512];
	struct cairn_error err = {""};
	if (!find_of_home(ctx, CAIRN_ZONES_FILE_NAME, path, sizeof(path), ret))
		return;
	ssize_t n = cairn_file_read_into(path, CAIRN_FILE_OWN, bytes, sizeof(bytes), &err);
	if (n < 0)
		check_says(ret, CHECK_WARNS, "zones: %.200s: the robot stands until they are drawn again; %s",
		    err.text, cairn_zone_doubt_text(CAIRN_ZONE_DOUBT_LOST));
	else if (!cairn_zone_file_decode(&file, bytes, (size_t)n, &err))
		check_says(ret, CHECK_WARNS,
		    "zones: %s cannot be used: %.120s. Put a copy of it there, or the robot will stand: %s",
		    path, err.text, cairn_zone_doubt_text(CAIRN_ZONE_DOUBT_LOST));
	else if (file.doubt != CAIRN_ZONE_DOUBT_NONE)
		check_says(ret, CHECK_WARNS, "zones: %s: the robot will stand: %s", path,
		    cairn_zone_doubt_text(file.doubt));
	else
		check_says(ret, CHECK_OK, "%s, %u zones", path, (unsigned)file.zones.items_count);
}

void check_spending(struct check_context *ctx, struct check_result *ret)
{
	static struct cairn_spending spent;
	char path[512];
	struct cairn_error err = {""};
	size_t len = 0;
	if (!find(ctx, CAIRN_SPENDING_FILE_NAME, path, sizeof(path), ret))
		return;
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, CAIRN_SPENDING_BYTES_MAX, &len, &err);
	if (text == NULL || !cairn_spending_read(&spent, text, len, &err))
		check_says(ret, CHECK_WARNS,
		    "vlm.limit_usd_per_day: %s: %.200s; what the memory's ledger has will count as spent in "
		    "this hour",
		    path, err.text);
	else
		check_says(ret, CHECK_OK, "%s", path);
	free(text);
}
