/* map_file.c - the map in RUN/state/map.bin, so that a mapper that is killed goes on where it was. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "common/base/geom.h"
#include "common/slam/map_import.h"
#include "procs/mapper/mapper_stage.h"

#define SAVE_SHARE 50 /* saving takes at most this fraction of the time */

int map_file_checkpoint(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t changes = cairn_mapper_changes(s->ports.mapper);
	if (changes == s->saved_changes || (now_ns < s->save_due_ns && !cairn_stage_ending(s->stage)))
		return 0;
	struct cairn_error err = {""};
	bool ok = cairn_mapper_save(s->ports.mapper, s->path, &err);
	cairn_stage_tried(s->stage, "save the map", ok ? NULL : err.text);
	if (ok)
		s->saved_changes = changes; /* or it is tried again, though nothing changes any more */
	int64_t period_ns = (int64_t)(s->cfg->map.checkpoint_s * 1e9);
	int64_t took_ns = cairn_now_ns() - now_ns;
	s->save_due_ns = now_ns + (took_ns * SAVE_SHARE > period_ns ? took_ns * SAVE_SHARE : period_ns);
	return 0;
}

/* map.start_file, as a state file in the place where there was none. An empty map instead would be driven on as if it was
 * the one that was asked for: where the file cannot be used there is no mapper. */
static bool seed(struct mapper_stage *s, const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_map_file map;
	struct cairn_error why = {""};
	struct cairn_pose2 start = {cfg->map.start_x_m, cfg->map.start_y_m, cfg->map.start_yaw_rad};
	bool ok = cairn_map_file_load(&map, cfg->map.start_file, &why);
	if (ok) {
		ok = cairn_mapper_import(cfg, &map, start, s->path, &why);
		free(map.cells);
	}
	if (!ok)
		cairn_error_set(err, "map.start_file: %s", why.text);
	return ok;
}

static struct cairn_mapper *find_mapper(struct mapper_stage *s, struct cairn_error *err)
{
	const struct cairn_config *cfg = s->cfg;
	struct cairn_error why = {""};
	struct cairn_mapper *mapper = cairn_mapper_load(cfg, s->path, &why);
	if (mapper == NULL && errno == ENOENT && cfg->map.start_file[0] != '\0') {
		if (!seed(s, cfg, err))
			return NULL;
		mapper = cairn_mapper_load(cfg, s->path, &why);
	}
	if (mapper != NULL) {
		const struct cairn_grid *grid = cairn_mapper_grid(mapper);
		cairn_log_info("going on with %s: %.1f m2 free", s->path,
		    grid->free_cells * grid->cell_m * grid->cell_m);
		s->ports.kept = cairn_kept_map_new(mapper, cfg);
		return mapper;
	}
	if (errno != ENOENT)
		cairn_stage_put_aside(s->path, why.text, "an empty map");
	mapper = cairn_mapper_new(cfg);
	if (mapper == NULL)
		cairn_error_set(err, "no memory for a map");
	return mapper;
}

/* Differs from all others; never 0. */
static uint64_t draw_number(void)
{
	uint64_t number = 0;
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = (uint64_t)cairn_now_ns();
	return number | 1;
}

bool map_file_open(struct mapper_stage *s, struct cairn_error *err)
{
	cairn_stage_state_path(s->stage, "map.bin", s->path, sizeof(s->path));
	s->ports.mapper = find_mapper(s, err);
	if (s->ports.mapper != NULL && cairn_mapper_number(s->ports.mapper, draw_number()))
		s->saved_changes =
		    UINT64_MAX; /* saved at once: a mapper that dies early comes back to the same map */
	return s->ports.mapper != NULL;
}
