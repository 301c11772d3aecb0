/* Worlds written by hand. docs/worlds.md explains their keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/yaml.h"
#include "common/sim/world/furniture.h"
#include "common/sim/world/outline.h"
#include "common/sim/world/walls.h"
#include "common/sim/world/yaml_private.h"

#define FILE_BYTES_MAX (4u << 20)
#define ITEMS_MAX 4096
#define POINTS_MAX 1000
#define OUTLINE_POINTS_MAX 20000
#define NAME_BYTES_MAX CAIRN_WORLD_NAME_BYTES
#define REACH_M CAIRN_WORLD_REACH_M
#define WALL_THICKNESS_M 0.12
#define DOOR_HEIGHT_M 2.00

/* One pass over a list of the file. */
#define EACH(item, list)                                                                                     \
	for (struct cairn_yaml_node *item = (list) != NULL ? (list)->first : NULL; item != NULL;             \
	     item = item->next)

/* ---- words of the file ---- */

static const char *const texture_names[CAIRN_TEXTURE_COUNT] = {"plain", "plaster", "wood", "planks", "tiles",
    "carpet", "stone", "fabric", "brick", "leaves", "door", "books", "drawers", "window", "picture", "screen",
    "oven", "curtain"};

static const struct {
	const char *name;
	uint8_t r, g, b;
} colours[] = {{"red", 204, 44, 40}, {"green", 62, 146, 66}, {"blue", 44, 92, 190}, {"yellow", 238, 196, 48},
    {"orange", 232, 126, 36}, {"purple", 128, 66, 160}, {"pink", 232, 138, 168}, {"brown", 120, 78, 48},
    {"black", 36, 36, 40}, {"white", 240, 240, 238}, {"grey", 150, 152, 156}, {"turquoise", 52, 172, 168}};

/* Lays a colour over the paint. True when the key is there. */
static bool take_colour(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, struct cairn_paint *paint)
{
	unsigned int red, green, blue;
	char tail;
	const char *text = cairn_yaml_text(r, mapping, key, NAME_BYTES_MAX, false);
	if (text == NULL)
		return false;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (strcmp(colours[i].name, text) == 0) {
			paint->r = colours[i].r;
			paint->g = colours[i].g;
			paint->b = colours[i].b;
			return true;
		}
	if (strlen(text) == 7 && sscanf(text, "#%2x%2x%2x%c", &red, &green, &blue, &tail) == 3) {
		paint->r = (uint8_t)red;
		paint->g = (uint8_t)green;
		paint->b = (uint8_t)blue;
		return true;
	}
	return cairn_yaml_fail(
	    r, mapping, "%s: '%s' is no colour (red, blue, ... or \"#rrggbb\")", key, text);
}

/* The same of a surface. */
static bool take_texture(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, struct cairn_paint *paint)
{
	const char *text = cairn_yaml_text(r, mapping, key, NAME_BYTES_MAX, false);
	if (text == NULL)
		return false;
	for (int i = 0; i < CAIRN_TEXTURE_COUNT; i++)
		if (strcmp(texture_names[i], text) == 0) {
			paint->texture = (uint8_t)i;
			return true;
		}
	return cairn_yaml_fail(
	    r, mapping, "%s: '%s' is no surface (plaster, wood, planks, tiles, carpet, ...)", key, text);
}

static const char *take_name(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key)
{
	return cairn_yaml_text(r, mapping, key, NAME_BYTES_MAX, true);
}

/* [x, y]; (0, 0) where the key may be missing and is. */
static struct cairn_vec2 take_pair(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping, const char *key, bool must)
{
	double xy[2] = {0.0, 0.0};
	struct cairn_yaml_node *list = cairn_yaml_get(r, mapping, key, CAIRN_YAML_LIST, must);
	if (list != NULL)
		(void)cairn_yaml_numbers(r, list, xy, 2, -REACH_M, REACH_M);
	return (struct cairn_vec2){xy[0], xy[1]};
}

/* [[x, y], ...], to be freed; NULL after an error, and where the key may be missing and is. */
static struct cairn_vec2 *take_points(struct cairn_yaml_reader *r, struct cairn_yaml_node *mapping,
    const char *key, uint32_t min, uint32_t max, bool must, uint32_t *ret_count)
{
	struct cairn_yaml_node *list = cairn_yaml_list(r, mapping, key, min, max, must);
	*ret_count = 0;
	if (list == NULL || r->failed)
		return NULL;
	struct cairn_vec2 *points = calloc(list->count + 1, sizeof(*points));
	if (points == NULL)
		(void)cairn_yaml_fail(r, list, "out of memory");
	EACH(pair, points != NULL ? list : NULL)
	{
		double xy[2] = {0.0, 0.0};
		(void)cairn_yaml_numbers(r, pair, xy, 2, -REACH_M, REACH_M);
		points[(*ret_count)++] = (struct cairn_vec2){xy[0], xy[1]};
	}
	return points;
}

static struct cairn_yaml_node *take_items(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *root, const char *key, uint32_t max)
{
	return cairn_yaml_list(r, root, key, 0, max, false);
}

/* ---- sections ---- */

static void build_room(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *room)
{
	struct cairn_paint floor = b->world->floor, wall = CAIRN_PAINT(226, 220, 208, PLASTER);
	uint32_t count = 0;
	const char *name = take_name(r, room, "name");
	bool floor_given = take_texture(r, room, "floor", &floor);
	floor_given |= take_colour(r, room, "floor_colour", &floor);
	bool wall_given = take_colour(r, room, "wall_colour", &wall);
	struct cairn_vec2 *corners = take_points(r, room, "polygon", 3, POINTS_MAX, true, &count);
	if (!r->failed)
		cairn_build_room(
		    b, name, corners, count, floor_given ? &floor : NULL, wall_given ? &wall : NULL);
	free(corners);
}

static struct cairn_door take_door(struct cairn_yaml_reader *r, struct cairn_yaml_node *door)
{
	struct cairn_door d = {.name = take_name(r, door, "name"),
	    .from = take_pair(r, door, "from", true),
	    .to = take_pair(r, door, "to", true),
	    .height_m = cairn_yaml_real(r, door, "height_m", 0.3, 10.0, DOOR_HEIGHT_M),
	    .has_leaf = cairn_yaml_get(r, door, "leaf_deg", CAIRN_YAML_TEXT, false) != NULL,
	    .leaf_rad = cairn_deg_to_rad(cairn_yaml_real(r, door, "leaf_deg", -180.0, 180.0, 0.0)),
	    .paint = CAIRN_PAINT(172, 122, 76, DOOR)};
	(void)take_colour(r, door, "colour", &d.paint);
	double width_m = hypot(d.to.x_m - d.from.x_m, d.to.y_m - d.from.y_m);
	if (!(width_m >= 0.1 && width_m <= 20.0))
		(void)cairn_yaml_fail(r, door, "from, to: %g m wide; 0.1 to 20 are expected", width_m);
	return d;
}

static void build_wall(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    struct cairn_paint paint, struct cairn_door *doors, uint32_t door_count)
{
	struct cairn_wall wall = {
	    .thickness_m = cairn_yaml_real(r, node, "thickness_m", 0.005, 5.0, WALL_THICKNESS_M),
	    .height_m = cairn_yaml_real(r, node, "height_m", 0.02, 20.0, b->world->ceiling_m),
	    .paint = paint};
	uint32_t count = 0, first = b->world->edge_count;
	bool closed = cairn_yaml_flag(r, node, "closed", false);
	bool own_look = take_colour(r, node, "colour", &wall.paint);
	own_look |= take_texture(r, node, "texture", &wall.paint);
	struct cairn_vec2 *path = take_points(r, node, "path", 2, POINTS_MAX, true, &count);
	for (uint32_t i = 0; !r->failed && i + (closed ? 0 : 1) < count; i++) {
		wall.from = path[i];
		wall.to = path[(i + 1) % count];
		cairn_wall_build(b, &wall, doors, door_count);
	}
	free(path);
	if (!own_look)
		cairn_build_paint_by_room(b, first);
}

/* Doors are cut into the walls that run through them. */
static void build_walls(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *root)
{
	struct cairn_yaml_node *walls = take_items(r, root, "walls", ITEMS_MAX);
	struct cairn_yaml_node *leaves = take_items(r, root, "doors", ITEMS_MAX);
	struct cairn_paint paint = CAIRN_PAINT(226, 220, 208, PLASTER);
	uint32_t count = 0;
	struct cairn_door *doors = calloc((leaves != NULL ? leaves->count : 0) + 1, sizeof(*doors));
	if (doors == NULL) {
		(void)cairn_yaml_fail(r, root, "out of memory");
		return;
	}
	EACH(door, leaves)
	doors[count++] = take_door(r, door);
	(void)take_colour(r, root, "wall_colour", &paint);
	(void)cairn_build_thing(b, "wall", "wall", 0.0, 0.0);
	EACH(wall, walls)
	build_wall(r, b, wall, paint, doors, count);
	EACH(door, r->failed ? NULL : leaves)
	{
		struct cairn_door *d = &doors[door->index - 1];
		if (d->used)
			cairn_door_build(b, d, WALL_THICKNESS_M);
		else
			(void)cairn_yaml_fail(r, cairn_yaml_get(r, door, "from", CAIRN_YAML_LIST, true),
			    "no wall runs through the door '%s'", d->name);
	}
	free(doors);
}

/* One closed line around the free floor, without thickness: the walls of a floor plan. */
static void build_outline(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *root)
{
	uint32_t count = 0, first = b->world->edge_count;
	struct cairn_vec2 *points = take_points(r, root, "outline", 3, OUTLINE_POINTS_MAX, false, &count);
	if (count > 0) {
		(void)cairn_build_thing(b, "wall", "wall", 0.0, 0.0);
		cairn_build_outline(
		    b, points, count, true, 0.0, b->world->ceiling_m, CAIRN_PAINT(226, 220, 208, PLASTER));
		cairn_build_paint_by_room(b, first);
	}
	free(points);
}

static int find_kind(const char *name)
{
	for (int k = 0; k < cairn_furniture_kinds(); k++)
		if (strcmp(cairn_furniture_kind_name(k), name) == 0)
			return k;
	return -1;
}

static void build_item(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node)
{
	const char *kind_name = take_name(r, node, "kind");
	struct cairn_vec2 at = take_pair(r, node, "at", false), size = take_pair(r, node, "size", false);
	struct cairn_item item = {.name = take_name(r, node, "name"),
	    .x_m = at.x_m,
	    .y_m = at.y_m,
	    .yaw_rad = cairn_deg_to_rad(cairn_yaml_real(r, node, "yaw_deg", -720.0, 720.0, 0.0)),
	    .width_m = size.x_m,
	    .depth_m = size.y_m,
	    .bottom_m = cairn_yaml_real(r, node, "bottom_m", -REACH_M, REACH_M, 0.0),
	    .height_m = cairn_yaml_real(r, node, "height_m", -REACH_M, REACH_M, 0.0),
	    .paint = CAIRN_PAINT(150, 150, 150, PLAIN)};
	item.painted = take_colour(r, node, "colour", &item.paint);
	item.painted |= take_texture(r, node, "texture", &item.paint);
	uint32_t count = 0;
	struct cairn_vec2 *corners = take_points(r, node, "points", 3, POINTS_MAX, false, &count);
	item.corners = corners;
	item.corner_count = count;
	int kind = kind_name != NULL ? find_kind(kind_name) : -1;
	struct cairn_prop_keys keys;
	struct cairn_error why;
	cairn_yaml_prop_begin(r, b, node, &item, &keys);
	uint32_t thing = b->world->thing_count;
	if (kind_name != NULL && kind < 0)
		(void)cairn_yaml_fail(r, cairn_yaml_get(r, node, "kind", CAIRN_YAML_TEXT, true),
		    "nothing is called '%s' (box, cylinder, polygon, table, ...)", kind_name);
	else if (!r->failed && !cairn_furniture_build(b, kind, &item, &why))
		(void)cairn_yaml_fail(r, node, "%s", why.text);
	if (!r->failed)
		cairn_yaml_prop_end(r, b, node, &item, &keys, thing);
	free(corners);
}

static void build_person(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node)
{
	struct cairn_person *person = &b->world->people[b->world->people_count];
	const char *name = take_name(r, node, "name");
	*person = (struct cairn_person){.speed_mps = cairn_yaml_real(r, node, "speed_mps", 0.0, 3.0, 0.0),
	    .radius_m = cairn_yaml_real(r, node, "radius_m", 0.05, 1.0, 0.20),
	    .height_m = cairn_yaml_real(r, node, "height_m", 0.1, 3.0, 1.70),
	    .paint = CAIRN_PAINT(70, 110, 190, FABRIC)};
	(void)take_colour(r, node, "colour", &person->paint);
	person->requester = cairn_yaml_flag(r, node, "requester", false);
	uint32_t count = 0;
	struct cairn_vec2 *path = take_points(r, node, "path", 1, CAIRN_WORLD_PATH_MAX, true, &count);
	if (!r->failed) {
		snprintf(person->name, sizeof(person->name), "%s", name);
		memcpy(person->path, path, count * sizeof(*path));
		person->path_count = count;
		b->world->people_count++;
	}
	free(path);
}

static void take_start(struct cairn_yaml_reader *r, struct cairn_world *w, struct cairn_yaml_node *root)
{
	struct cairn_yaml_node *start = cairn_yaml_get(r, root, "start", CAIRN_YAML_MAPPING, false);
	if (start == NULL)
		return;
	w->has_start = true;
	w->start = (struct cairn_pose2){cairn_yaml_real(r, start, "x_m", -REACH_M, REACH_M, NAN),
	    cairn_yaml_real(r, start, "y_m", -REACH_M, REACH_M, NAN),
	    cairn_wrap_rad(cairn_deg_to_rad(cairn_yaml_real(r, start, "yaw_deg", -720.0, 720.0, 0.0)))};
}

static bool build_all(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *root)
{
	struct cairn_world *w = b->world;
	w->ceiling_m = cairn_yaml_real(r, root, "ceiling_m", 1.0, 20.0, w->ceiling_m);
	take_start(r, w, root);
	(void)take_texture(r, root, "floor", &w->floor);
	(void)take_colour(r, root, "floor_colour", &w->floor);
	EACH(room, take_items(r, root, "rooms", ITEMS_MAX))
	build_room(r, b, room);
	build_outline(r, b, root);
	build_walls(r, b, root);
	EACH(item, take_items(r, root, "furniture", ITEMS_MAX))
	build_item(r, b, item);
	EACH(item, take_items(r, root, "objects", ITEMS_MAX))
	build_item(r, b, item);
	EACH(person, take_items(r, root, "people", CAIRN_WORLD_PEOPLE_MAX))
	build_person(r, b, person);
	return cairn_yaml_nothing_left(r, root);
}

struct cairn_world *cairn_world_load_yaml(const char *path, struct cairn_error *err)
{
	struct cairn_yaml_node *root =
	    cairn_yaml_load(path, CAIRN_FILE_TEXT | CAIRN_FILE_GZIP, FILE_BYTES_MAX, err);
	if (root == NULL)
		return NULL;
	struct cairn_yaml_reader r = {.file = path, .err = err};
	struct cairn_builder b;
	struct cairn_world *world = NULL;
	const char *name = take_name(&r, root, "name");
	if (name != NULL && cairn_build_init(&b, name, err)) {
		struct cairn_error why;
		if (!build_all(&r, &b, root))
			cairn_build_abandon(&b);
		else if ((world = cairn_build_finish(&b, &why)) == NULL)
			cairn_error_set(err, "%s: %s", path, why.text);
	}
	cairn_yaml_destroy(&root);
	return world;
}
