/* arena.c - reads arenas. docs/arenas.md explains their keys. */
#include "common/eval/arena.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"

#define FILE_BYTES_MAX (4u << 20)

static bool load_world(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *root, const char *named, struct cairn_arena *a)
{
	char full[1024];
	const char *slash = strrchr(r->file, '/');
	int folder = named[0] == '/' || slash == NULL ? 0 : (int)(slash - r->file) + 1;
	struct cairn_error why = {""};
	if ((size_t)snprintf(full, sizeof(full), "%.*s%s", folder, r->file, named) >= sizeof(full))
		return cairn_yaml_fail(r, root, "world: the name is too long");
	a->world = cairn_world_load(full, &why);
	if (a->world == NULL)
		return cairn_yaml_fail(r, root, "world: %s", why.text);
	return a->world->has_start || cairn_yaml_fail(r, root, "world: it has no start");
}

static void take_goal(struct cairn_yaml_reader *r, struct cairn_yaml_node *goal, struct cairn_arena *a)
{
	const struct cairn_world *w = a->world;
	a->has_goal = true;
	a->reachable = cairn_yaml_flag(r, goal, "reachable", true);
	a->goal_x_m = cairn_yaml_real(r, goal, "x_m", w->x_min_m, w->x_max_m, NAN);
	a->goal_y_m = cairn_yaml_real(r, goal, "y_m", w->y_min_m, w->y_max_m, NAN);
	a->tolerance_m = cairn_yaml_real(r, goal, "tolerance_m", 0.05, 1.0, NAN);
}

static bool take(struct cairn_yaml_reader *r, struct cairn_yaml_node *root, struct cairn_arena *a)
{
	const char *slash = strrchr(r->file, '/'), *name = slash != NULL ? slash + 1 : r->file;
	const char *title = cairn_yaml_text(r, root, "title", 60, true);
	const char *world = cairn_yaml_text(r, root, "world", 200, true);
	struct cairn_yaml_node *goal = cairn_yaml_get(r, root, "goal", CAIRN_YAML_MAPPING, false);
	struct cairn_yaml_node *limits = cairn_yaml_get(r, root, "limits", CAIRN_YAML_MAPPING, true);
	if (r->failed)
		return false;
	snprintf(a->name, sizeof(a->name), "%.*s", (int)strcspn(name, "."), name);
	snprintf(a->title, sizeof(a->title), "%s", title);
	a->cycles_max = (uint32_t)cairn_yaml_uint(r, limits, "cycles_max", 10000, true);
	a->contacts_max = (uint32_t)cairn_yaml_uint(r, limits, "contacts_max", UINT32_MAX, true);
	a->known_share_min = cairn_yaml_real(r, limits, "known_share_min", 0.0, 1.0, 0.0);
	if (a->cycles_max < 1)
		return cairn_yaml_fail(r, limits, "cycles_max: 1 to 10000 is expected");
	if (!load_world(r, root, world, a))
		return false;
	if (goal != NULL)
		take_goal(r, goal, a);
	return cairn_yaml_nothing_left(r, root);
}

struct cairn_arena *cairn_arena_load(const char *path, struct cairn_error *err)
{
	struct cairn_yaml_node *root = cairn_yaml_load(path, CAIRN_FILE_TEXT, FILE_BYTES_MAX, err);
	if (root == NULL)
		return NULL;
	struct cairn_yaml_reader r = {.file = path, .err = err};
	struct cairn_arena *a = calloc(1, sizeof(*a));
	if (a == NULL)
		(void)cairn_yaml_fail(&r, root, "out of memory");
	else if (!take(&r, root, a))
		cairn_arena_destroy(&a);
	cairn_yaml_destroy(&root);
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
