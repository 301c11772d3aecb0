/* Worlds written by hand. The schema is the table of fields below; docs/worlds.md explains it. */
#include <cyaml/cyaml.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/sim/world/furniture.h"
#include "common/sim/world/outline.h"
#include "common/sim/world/walls.h"

#define FILE_BYTES_MAX (4u << 20)
#define ITEMS_MAX 4096
#define WALL_THICKNESS_M 0.12
#define DOOR_HEIGHT_M 2.00

struct y_start {
	double x_m, y_m, yaw_deg;
};
struct y_wall {
	double (*path)[2];
	uint32_t path_count;
	double thickness_m, height_m;
	bool closed;
	char *colour, *texture;
};
struct y_door {
	char *name, *colour;
	double from[2], to[2], height_m;
	double *leaf_deg;
};
struct y_item {
	char *name, *kind, *colour, *texture;
	double at[2], size[2], yaw_deg, bottom_m, height_m;
	double (*points)[2];
	uint32_t points_count;
};
struct y_room {
	char *name, *floor, *floor_colour, *wall_colour;
	double (*polygon)[2];
	uint32_t polygon_count;
};
struct y_person {
	char *name, *colour;
	double (*path)[2];
	uint32_t path_count;
	double speed_mps, height_m, radius_m;
};
struct y_world {
	char *name, *floor, *floor_colour, *wall_colour;
	double ceiling_m;
	struct y_start *start;
	struct y_wall *walls;
	struct y_door *doors;
	struct y_item *furniture, *objects;
	struct y_room *rooms;
	struct y_person *people;
	uint32_t walls_count, doors_count, furniture_count, objects_count, rooms_count, people_count;
};

#define OPT CYAML_FLAG_OPTIONAL
#define OPT_PTR (CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER)
#define TEXT_MUST(type, key) CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct type, key, 1, 40)
#define TEXT_OPT(type, key) CYAML_FIELD_STRING_PTR(#key, OPT_PTR, struct type, key, 1, 40)
#define REAL_OPT(type, key) CYAML_FIELD_FLOAT(#key, OPT, struct type, key)
#define PAIR_MUST(type, key) CYAML_FIELD_SEQUENCE_FIXED(#key, CYAML_FLAG_DEFAULT, struct type, key, &real, 2)
#define PAIR_OPT(type, key) CYAML_FIELD_SEQUENCE_FIXED(#key, OPT, struct type, key, &real, 2)
#define PAIRS(type, key, flags, min, max) CYAML_FIELD_SEQUENCE(#key, flags, struct type, key, &pair, min, max)
#define ITEMS(key, entry) CYAML_FIELD_SEQUENCE(#key, OPT_PTR, struct y_world, key, &entry, 0, ITEMS_MAX)

static const cyaml_schema_value_t real = {CYAML_VALUE_FLOAT(CYAML_FLAG_DEFAULT, double)};
static const cyaml_schema_value_t pair = {CYAML_VALUE_SEQUENCE_FIXED(CYAML_FLAG_DEFAULT, double, &real, 2)};

static const cyaml_schema_field_t start_fields[] = {
    CYAML_FIELD_FLOAT("x_m", CYAML_FLAG_DEFAULT, struct y_start, x_m),
    CYAML_FIELD_FLOAT("y_m", CYAML_FLAG_DEFAULT, struct y_start, y_m), REAL_OPT(y_start, yaw_deg),
    CYAML_FIELD_END};
static const cyaml_schema_field_t wall_fields[] = {PAIRS(y_wall, path, CYAML_FLAG_POINTER, 2, 1000),
    REAL_OPT(y_wall, thickness_m), REAL_OPT(y_wall, height_m),
    CYAML_FIELD_BOOL("closed", OPT, struct y_wall, closed), TEXT_OPT(y_wall, colour),
    TEXT_OPT(y_wall, texture), CYAML_FIELD_END};
static const cyaml_schema_field_t door_fields[] = {TEXT_MUST(y_door, name), PAIR_MUST(y_door, from),
    PAIR_MUST(y_door, to), REAL_OPT(y_door, height_m),
    CYAML_FIELD_FLOAT_PTR("leaf_deg", OPT_PTR, struct y_door, leaf_deg), TEXT_OPT(y_door, colour),
    CYAML_FIELD_END};
static const cyaml_schema_field_t item_fields[] = {TEXT_MUST(y_item, name), TEXT_MUST(y_item, kind),
    PAIR_OPT(y_item, at), PAIR_OPT(y_item, size), REAL_OPT(y_item, yaw_deg), REAL_OPT(y_item, bottom_m),
    REAL_OPT(y_item, height_m), TEXT_OPT(y_item, colour), TEXT_OPT(y_item, texture),
    PAIRS(y_item, points, OPT_PTR, 3, 1000), CYAML_FIELD_END};
static const cyaml_schema_field_t room_fields[] = {TEXT_MUST(y_room, name),
    PAIRS(y_room, polygon, CYAML_FLAG_POINTER, 3, 1000), TEXT_OPT(y_room, floor),
    TEXT_OPT(y_room, floor_colour), TEXT_OPT(y_room, wall_colour), CYAML_FIELD_END};
static const cyaml_schema_field_t person_fields[] = {TEXT_MUST(y_person, name),
    PAIRS(y_person, path, CYAML_FLAG_POINTER, 1, CAIRN_WORLD_PATH_MAX), REAL_OPT(y_person, speed_mps),
    REAL_OPT(y_person, height_m), REAL_OPT(y_person, radius_m), TEXT_OPT(y_person, colour), CYAML_FIELD_END};
static const cyaml_schema_value_t wall_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct y_wall, wall_fields)};
static const cyaml_schema_value_t door_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct y_door, door_fields)};
static const cyaml_schema_value_t item_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct y_item, item_fields)};
static const cyaml_schema_value_t room_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct y_room, room_fields)};
static const cyaml_schema_value_t person_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct y_person, person_fields)};
static const cyaml_schema_field_t world_fields[] = {TEXT_MUST(y_world, name), TEXT_OPT(y_world, floor),
    TEXT_OPT(y_world, floor_colour), TEXT_OPT(y_world, wall_colour), REAL_OPT(y_world, ceiling_m),
    CYAML_FIELD_MAPPING_PTR("start", OPT_PTR, struct y_world, start, start_fields), ITEMS(walls, wall_value),
    ITEMS(doors, door_value), ITEMS(furniture, item_value), ITEMS(objects, item_value),
    ITEMS(rooms, room_value),
    CYAML_FIELD_SEQUENCE("people", OPT_PTR, struct y_world, people, &person_value, 0, CAIRN_WORLD_PEOPLE_MAX),
    CYAML_FIELD_END};
static const cyaml_schema_value_t world_value = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct y_world, world_fields)};

/* ---- what libcyaml says, as one line ---- */

struct complaint {
	char reason[256];
	char where[256]; /* walls[1].path */
	int line;
	bool tracing;
};

/* libcyaml lists the innermost place first; each outer one goes in front. */
static void trace(struct complaint *c, const char *text)
{
	char part[64], joined[256];
	unsigned long index;
	const char *line = strstr(text, "(line: ");
	if (c->line == 0 && line != NULL)
		c->line = atoi(line + 7);
	if (sscanf(text, "  in mapping field '%63[^']'", part) != 1) {
		if (sscanf(text, "  in sequence entry '%lu'", &index) != 1)
			return;
		snprintf(part, sizeof(part), "[%lu]", index);
	}
	snprintf(joined, sizeof(joined), "%s%s%.180s", part,
	    c->where[0] == '\0' || c->where[0] == '[' ? "" : ".", c->where);
	memcpy(c->where, joined, sizeof(c->where));
}

__attribute__((format(printf, 3, 0))) static void listen(
    cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char text[256];
	vsnprintf(text, sizeof(text), fmt, args);
	text[strcspn(text, "\n")] = '\0';
	const char *said = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
	if (level < CYAML_LOG_WARNING)
		return;
	if (strcmp(said, "Backtrace:") == 0)
		c->tracing = true;
	else if (c->tracing)
		trace(c, text);
	else if (c->reason[0] == '\0')
		snprintf(c->reason, sizeof(c->reason), "%s", said);
}

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

struct parse {
	const char *file;
	struct cairn_error *err;
};

static bool parse_colour(const struct parse *p, const char *key, const char *text, struct cairn_paint *paint)
{
	unsigned int r, g, b;
	char tail;
	if (text == NULL)
		return true;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		if (strcmp(colours[i].name, text) == 0) {
			paint->r = colours[i].r;
			paint->g = colours[i].g;
			paint->b = colours[i].b;
			return true;
		}
	if (strlen(text) == 7 && sscanf(text, "#%2x%2x%2x%c", &r, &g, &b, &tail) == 3) {
		paint->r = (uint8_t)r;
		paint->g = (uint8_t)g;
		paint->b = (uint8_t)b;
		return true;
	}
	cairn_error_set(
	    p->err, "%s: %s: '%s' is no colour (red, blue, ... or \"#rrggbb\")", p->file, key, text);
	return false;
}

static bool parse_texture(const struct parse *p, const char *key, const char *text, struct cairn_paint *paint)
{
	if (text == NULL)
		return true;
	for (int i = 0; i < CAIRN_TEXTURE_COUNT; i++)
		if (strcmp(texture_names[i], text) == 0) {
			paint->texture = (uint8_t)i;
			return true;
		}
	cairn_error_set(p->err, "%s: %s: '%s' is no surface (plaster, wood, planks, tiles, carpet, ...)",
	    p->file, key, text);
	return false;
}

static bool number_ok(const struct parse *p, const char *list, size_t index, const char *key, double value,
    double min, double max)
{
	if (isfinite(value) && value >= min && value <= max)
		return true;
	cairn_error_set(
	    p->err, "%s: %s[%zu].%s: %g is outside %g .. %g", p->file, list, index + 1, key, value, min, max);
	return false;
}

static bool points_ok(
    const struct parse *p, const char *list, size_t index, const char *key, double (*xy)[2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!number_ok(p, list, index, key, xy[i][0], -1000.0, 1000.0) ||
		    !number_ok(p, list, index, key, xy[i][1], -1000.0, 1000.0))
			return false;
	return true;
}

static struct cairn_vec2 vec(const double xy[2])
{
	return (struct cairn_vec2){xy[0], xy[1]};
}

static struct cairn_vec2 *copy_points(double (*xy)[2], size_t count)
{
	struct cairn_vec2 *v = calloc(count + 1, sizeof(*v));
	for (size_t i = 0; v != NULL && i < count; i++)
		v[i] = vec(xy[i]);
	return v;
}

/* ---- sections ---- */

static bool build_rooms(const struct parse *p, struct cairn_builder *b, const struct y_world *y)
{
	for (uint32_t i = 0; i < y->rooms_count; i++) {
		const struct y_room *r = &y->rooms[i];
		struct cairn_paint floor = b->world->floor, wall = CAIRN_PAINT(226, 220, 208, PLASTER);
		if (!points_ok(p, "rooms", i, "polygon", r->polygon, r->polygon_count) ||
		    !parse_texture(p, "rooms.floor", r->floor, &floor) ||
		    !parse_colour(p, "rooms.floor_colour", r->floor_colour, &floor) ||
		    !parse_colour(p, "rooms.wall_colour", r->wall_colour, &wall))
			return false;
		struct cairn_vec2 *v = copy_points(r->polygon, r->polygon_count);
		b->failed |= v == NULL;
		if (v != NULL)
			cairn_build_room(b, r->name, v, r->polygon_count,
			    r->floor != NULL || r->floor_colour != NULL ? &floor : NULL,
			    r->wall_colour != NULL ? &wall : NULL);
		free(v);
	}
	return true;
}

static bool read_doors(const struct parse *p, const struct y_world *y, struct cairn_door *doors)
{
	for (uint32_t i = 0; i < y->doors_count; i++) {
		struct y_door *d = &y->doors[i];
		doors[i] = (struct cairn_door){.name = d->name,
		    .from = vec(d->from),
		    .to = vec(d->to),
		    .height_m = d->height_m > 0.0 ? d->height_m : DOOR_HEIGHT_M,
		    .has_leaf = d->leaf_deg != NULL,
		    .leaf_rad = d->leaf_deg != NULL ? cairn_deg_to_rad(*d->leaf_deg) : 0.0,
		    .paint = CAIRN_PAINT(172, 122, 76, DOOR)};
		if (!points_ok(p, "doors", i, "from", &d->from, 1) ||
		    !points_ok(p, "doors", i, "to", &d->to, 1) ||
		    !number_ok(p, "doors", i, "height_m", doors[i].height_m, 0.3, 10.0) ||
		    !number_ok(
			p, "doors", i, "leaf_deg", cairn_rad_to_deg(doors[i].leaf_rad), -180.0, 180.0) ||
		    !number_ok(p, "doors", i, "to", hypot(d->to[0] - d->from[0], d->to[1] - d->from[1]), 0.1,
			20.0) ||
		    !parse_colour(p, "doors.colour", d->colour, &doors[i].paint))
			return false;
	}
	return true;
}

static bool build_wall(const struct parse *p, struct cairn_builder *b, const struct y_world *y,
    uint32_t index, struct cairn_door *doors)
{
	const struct y_wall *w = &y->walls[index];
	struct cairn_wall wall = {.thickness_m = w->thickness_m > 0.0 ? w->thickness_m : WALL_THICKNESS_M,
	    .height_m = w->height_m > 0.0 ? w->height_m : b->world->ceiling_m,
	    .paint = CAIRN_PAINT(226, 220, 208, PLASTER)};
	if (!points_ok(p, "walls", index, "path", w->path, w->path_count) ||
	    !number_ok(p, "walls", index, "thickness_m", wall.thickness_m, 0.005, 5.0) ||
	    !number_ok(p, "walls", index, "height_m", wall.height_m, 0.02, 20.0) ||
	    !parse_colour(p, "wall_colour", y->wall_colour, &wall.paint) ||
	    !parse_colour(p, "walls.colour", w->colour, &wall.paint) ||
	    !parse_texture(p, "walls.texture", w->texture, &wall.paint))
		return false;
	bool own_look = w->colour != NULL || w->texture != NULL;
	uint32_t first = b->world->edge_count;
	for (uint32_t i = 0; i + (w->closed ? 0 : 1) < w->path_count; i++) {
		wall.from = vec(w->path[i]);
		wall.to = vec(w->path[(i + 1) % w->path_count]);
		cairn_wall_build(b, &wall, doors, y->doors_count);
	}
	if (!own_look)
		cairn_build_paint_by_room(b, first);
	return true;
}

static bool build_walls(const struct parse *p, struct cairn_builder *b, const struct y_world *y)
{
	struct cairn_door *doors = calloc(y->doors_count + 1, sizeof(*doors));
	if (doors == NULL) {
		cairn_error_set(p->err, "%s: out of memory", p->file);
		return false;
	}
	bool ok = read_doors(p, y, doors);
	(void)cairn_build_thing(b, "wall", "wall", 0.0, 0.0);
	for (uint32_t i = 0; ok && i < y->walls_count; i++)
		ok = build_wall(p, b, y, i, doors);
	for (uint32_t i = 0; ok && i < y->doors_count; i++) {
		if (!doors[i].used) {
			cairn_error_set(p->err, "%s: doors[%u].from: no wall runs through the door '%s'",
			    p->file, i + 1, doors[i].name);
			ok = false;
		} else {
			cairn_door_build(b, &doors[i], WALL_THICKNESS_M);
		}
	}
	free(doors);
	return ok;
}

static int find_kind(const char *name)
{
	for (int k = 0; k < cairn_furniture_kinds(); k++)
		if (strcmp(cairn_furniture_kind_name(k), name) == 0)
			return k;
	return -1;
}

static bool build_item(
    const struct parse *p, struct cairn_builder *b, const char *list, uint32_t index, const struct y_item *i)
{
	struct cairn_item item = {.name = i->name,
	    .x_m = i->at[0],
	    .y_m = i->at[1],
	    .yaw_rad = cairn_deg_to_rad(i->yaw_deg),
	    .width_m = i->size[0],
	    .depth_m = i->size[1],
	    .bottom_m = i->bottom_m,
	    .height_m = i->height_m,
	    .painted = i->colour != NULL || i->texture != NULL,
	    .paint = CAIRN_PAINT(150, 150, 150, PLAIN)};
	int kind = find_kind(i->kind);
	if (kind < 0) {
		cairn_error_set(p->err,
		    "%s: %s[%u].kind: nothing is called '%s' (box, cylinder, polygon, table, ...)", p->file,
		    list, index + 1, i->kind);
		return false;
	}
	double at[1][2] = {{i->at[0], i->at[1]}};
	if (!points_ok(p, list, index, "at", at, 1) ||
	    !points_ok(p, list, index, "points", i->points, i->points_count) ||
	    !number_ok(p, list, index, "yaw_deg", i->yaw_deg, -720.0, 720.0) ||
	    !parse_colour(p, "colour", i->colour, &item.paint) ||
	    !parse_texture(p, "texture", i->texture, &item.paint))
		return false;
	struct cairn_vec2 *corners = copy_points(i->points, i->points_count);
	struct cairn_error why;
	item.corners = corners;
	item.corner_count = i->points_count;
	bool ok = corners != NULL && cairn_furniture_build(b, kind, &item, &why);
	free(corners);
	if (!ok)
		cairn_error_set(p->err, "%s: %s[%u].%s", p->file, list, index + 1,
		    corners == NULL ? "name: out of memory" : why.text);
	return ok;
}

static bool build_items(const struct parse *p, struct cairn_builder *b, const struct y_world *y)
{
	for (uint32_t i = 0; i < y->furniture_count; i++)
		if (!build_item(p, b, "furniture", i, &y->furniture[i]))
			return false;
	for (uint32_t i = 0; i < y->objects_count; i++)
		if (!build_item(p, b, "objects", i, &y->objects[i]))
			return false;
	return true;
}

static bool build_people(const struct parse *p, struct cairn_builder *b, const struct y_world *y)
{
	for (uint32_t i = 0; i < y->people_count; i++) {
		const struct y_person *q = &y->people[i];
		struct cairn_person *person = &b->world->people[i];
		*person = (struct cairn_person){.path_count = q->path_count,
		    .speed_mps = q->speed_mps,
		    .radius_m = q->radius_m > 0.0 ? q->radius_m : 0.20,
		    .height_m = q->height_m > 0.0 ? q->height_m : 1.70,
		    .paint = CAIRN_PAINT(70, 110, 190, FABRIC)};
		if (!points_ok(p, "people", i, "path", q->path, q->path_count) ||
		    !number_ok(p, "people", i, "speed_mps", q->speed_mps, 0.0, 3.0) ||
		    !number_ok(p, "people", i, "height_m", person->height_m, 0.1, 3.0) ||
		    !number_ok(p, "people", i, "radius_m", person->radius_m, 0.05, 1.0) ||
		    !parse_colour(p, "people.colour", q->colour, &person->paint))
			return false;
		snprintf(person->name, sizeof(person->name), "%s", q->name);
		for (uint32_t k = 0; k < q->path_count; k++)
			person->path[k] = vec(q->path[k]);
		b->world->people_count = i + 1;
	}
	return true;
}

static bool build_all(const struct parse *p, struct cairn_builder *b, const struct y_world *y)
{
	struct cairn_world *w = b->world;
	double ceiling = y->ceiling_m > 0.0 ? y->ceiling_m : w->ceiling_m;
	if (!isfinite(ceiling) || ceiling < 1.0 || ceiling > 20.0) {
		cairn_error_set(p->err, "%s: ceiling_m: %g is outside 1 .. 20", p->file, ceiling);
		return false;
	}
	w->ceiling_m = ceiling;
	if (y->start != NULL) {
		if (!isfinite(y->start->x_m) || !isfinite(y->start->y_m) || !isfinite(y->start->yaw_deg)) {
			cairn_error_set(p->err, "%s: start: not finite", p->file);
			return false;
		}
		w->has_start = true;
		w->start = (struct cairn_pose2){
		    y->start->x_m, y->start->y_m, cairn_wrap_rad(cairn_deg_to_rad(y->start->yaw_deg))};
	}
	return parse_texture(p, "floor", y->floor, &w->floor) &&
	       parse_colour(p, "floor_colour", y->floor_colour, &w->floor) && build_rooms(p, b, y) &&
	       build_walls(p, b, y) && build_items(p, b, y) && build_people(p, b, y);
}

static struct cairn_world *build_world(const struct parse *p, const struct y_world *y)
{
	struct cairn_builder b;
	if (!cairn_build_init(&b, y->name, p->err))
		return NULL;
	if (!build_all(p, &b, y)) {
		cairn_build_abandon(&b);
		return NULL;
	}
	struct cairn_error why;
	struct cairn_world *world = cairn_build_finish(&b, &why);
	if (world == NULL)
		cairn_error_set(p->err, "%s: %s", p->file, why.text);
	return world;
}

struct cairn_world *cairn_world_load_yaml(const char *path, struct cairn_error *err)
{
	struct complaint said = {.line = 0};
	cyaml_config_t cfg = {
	    .log_fn = listen, .log_ctx = &said, .mem_fn = cyaml_mem, .log_level = CYAML_LOG_WARNING};
	struct y_world *y = NULL;
	size_t bytes = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_TEXT | CAIRN_FILE_GZIP, FILE_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return NULL;
	cyaml_err_t status =
	    cyaml_load_data((const uint8_t *)text, bytes, &cfg, &world_value, (cyaml_data_t **)&y, NULL);
	free(text);
	if (status != CYAML_OK || y == NULL) {
		cairn_error_set(err, "%s: line %d: %s%s%s", path, said.line, said.where,
		    said.where[0] != '\0' ? ": " : "",
		    said.reason[0] != '\0' ? said.reason
		    : status == CYAML_OK   ? "the file is empty"
					   : cyaml_strerror(status));
		return NULL;
	}
	struct parse p = {path, err};
	struct cairn_world *world = build_world(&p, y);
	(void)cyaml_free(&cfg, &world_value, y, 0);
	return world;
}
