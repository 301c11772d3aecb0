/* arena.c - reads arenas. The schema is the table of fields below; docs/arenas.md explains it. */
#include "common/eval/arena.h"

#include <cyaml/cyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

#define FILE_BYTES_MAX (4u << 20)
#define OPT_PTR (CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER)
#define REAL(type, key, flags) CYAML_FIELD_FLOAT(#key, flags, struct type, key)

struct y_goal {
	double x_m, y_m, tolerance_m;
	bool *reachable;
};
struct y_limits {
	uint32_t cycles_max, contacts_max;
	double known_share_min;
};
struct y_arena {
	char *title, *world;
	struct y_goal *goal;
	struct y_limits limits;
};

static const cyaml_schema_field_t goal_fields[] = {REAL(y_goal, x_m, CYAML_FLAG_DEFAULT),
    REAL(y_goal, y_m, CYAML_FLAG_DEFAULT), REAL(y_goal, tolerance_m, CYAML_FLAG_DEFAULT),
    CYAML_FIELD_BOOL_PTR("reachable", OPT_PTR, struct y_goal, reachable), CYAML_FIELD_END};
static const cyaml_schema_field_t limits_fields[] = {
    CYAML_FIELD_UINT("cycles_max", CYAML_FLAG_DEFAULT, struct y_limits, cycles_max),
    CYAML_FIELD_UINT("contacts_max", CYAML_FLAG_DEFAULT, struct y_limits, contacts_max),
    REAL(y_limits, known_share_min, CYAML_FLAG_OPTIONAL), CYAML_FIELD_END};
static const cyaml_schema_field_t arena_fields[] = {
    CYAML_FIELD_STRING_PTR("title", CYAML_FLAG_POINTER, struct y_arena, title, 1, 60),
    CYAML_FIELD_STRING_PTR("world", CYAML_FLAG_POINTER, struct y_arena, world, 1, 200),
    CYAML_FIELD_MAPPING_PTR("goal", OPT_PTR, struct y_arena, goal, goal_fields),
    CYAML_FIELD_MAPPING("limits", CYAML_FLAG_DEFAULT, struct y_arena, limits, limits_fields),
    CYAML_FIELD_END};
static const cyaml_schema_value_t arena_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct y_arena, arena_fields)};

/* What libcyaml says, as one line: its first complaint, and the first place that its trace names. */
struct complaint {
	char reason[192], where[128];
};

__attribute__((format(printf, 3, 0))) static void listen(
    cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char text[192];
	if (level < CYAML_LOG_WARNING)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	if (c->reason[0] == '\0')
		snprintf(
		    c->reason, sizeof(c->reason), "%s", strncmp(text, "Load: ", 6) == 0 ? text + 6 : text);
	else if (c->where[0] == '\0' && strncmp(text, "  in mapping field ", 19) == 0)
		snprintf(c->where, sizeof(c->where), "%.120s", text + 19);
}

static bool bad(const char *path, const char *key, const char *why, struct cairn_error *err)
{
	cairn_error_set(err, "%s: %s: %s", path, key, why);
	return false;
}

static bool load_world(const char *path, const char *named, struct cairn_arena *a, struct cairn_error *err)
{
	char full[1024];
	const char *slash = strrchr(path, '/');
	int folder = named[0] == '/' || slash == NULL ? 0 : (int)(slash - path) + 1;
	if ((size_t)snprintf(full, sizeof(full), "%.*s%s", folder, path, named) >= sizeof(full))
		return bad(path, "world", "the name is too long", err);
	a->world = cairn_world_load(full, err);
	return a->world != NULL;
}

static bool take_goal(
    const char *path, const struct y_goal *g, struct cairn_arena *a, struct cairn_error *err)
{
	const struct cairn_world *w = a->world;
	if (!isfinite(g->x_m) || !isfinite(g->y_m) || g->x_m < w->x_min_m || g->x_m > w->x_max_m ||
	    g->y_m < w->y_min_m || g->y_m > w->y_max_m)
		return bad(path, "goal", "lies outside the world", err);
	if (!(g->tolerance_m >= 0.05 && g->tolerance_m <= 1.0))
		return bad(path, "goal.tolerance_m", "must be 0.05 to 1", err);
	a->has_goal = true;
	a->reachable = g->reachable == NULL || *g->reachable;
	a->goal_x_m = g->x_m;
	a->goal_y_m = g->y_m;
	a->tolerance_m = g->tolerance_m;
	return true;
}

static bool take(const char *path, const struct y_arena *y, struct cairn_arena *a, struct cairn_error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)strcspn(name, "."), name);
	snprintf(a->title, sizeof(a->title), "%s", y->title);
	a->cycles_max = y->limits.cycles_max;
	a->contacts_max = y->limits.contacts_max;
	a->known_share_min = y->limits.known_share_min;
	if (a->cycles_max < 1 || a->cycles_max > 10000)
		return bad(path, "limits.cycles_max", "must be 1 to 10000", err);
	if (!(a->known_share_min >= 0.0 && a->known_share_min <= 1.0))
		return bad(path, "limits.known_share_min", "must be 0 to 1", err);
	if (!load_world(path, y->world, a, err))
		return false;
	if (!a->world->has_start)
		return bad(path, "world", "it has no start", err);
	return y->goal == NULL || take_goal(path, y->goal, a, err);
}

struct cairn_arena *cairn_arena_load(const char *path, struct cairn_error *err)
{
	struct complaint said = {.reason = ""};
	cyaml_config_t cfg = {
	    .log_fn = listen, .log_ctx = &said, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
	struct y_arena *y = NULL;
	size_t bytes = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_TEXT, FILE_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return NULL;
	cyaml_err_t status =
	    cyaml_load_data((const uint8_t *)text, bytes, &cfg, &arena_value, (cyaml_data_t **)&y, NULL);
	free(text);
	if (status != CYAML_OK || y == NULL) {
		cairn_error_set(err, "%s: %s%s%s", path, said.where, said.where[0] != '\0' ? ": " : "",
		    said.reason[0] != '\0' ? said.reason
		    : status == CYAML_OK   ? "the file is empty"
					   : cyaml_strerror(status));
		return NULL;
	}
	struct cairn_arena *a = calloc(1, sizeof(*a));
	if (a == NULL)
		cairn_error_set(err, "%s: out of memory", path);
	else if (!take(path, y, a, err))
		cairn_arena_destroy(&a);
	(void)cyaml_free(&cfg, &arena_value, y, 0);
	return a;
}

void cairn_arena_destroy(struct cairn_arena **arena_p)
{
	struct cairn_arena *a = *arena_p;
	*arena_p = NULL;
	if (a == NULL)
		return;
	cairn_world_destroy(&a->world);
	free(a);
}
