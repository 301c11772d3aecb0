/* yaml_props.c - the state of a YAML world's items. docs/worlds.md explains their keys. */
#include <math.h>
#include <string.h>

#include "common/sim/world/props.h"
#include "common/sim/world/yaml_private.h"

static struct cairn_yaml_node *text_of(
    struct cairn_yaml_reader *r, struct cairn_yaml_node *n, const char *key)
{
	return cairn_yaml_get(r, n, key, CAIRN_YAML_TEXT, false);
}

static int32_t find_thing(const struct cairn_world *w, const char *name)
{
	for (uint32_t i = 0; i < w->thing_count; i++)
		if (strcmp(w->things[i].name, name) == 0)
			return (int32_t)i;
	return -1;
}

/* One place: on or in NAME, at a point of the plan or in the middle of that. */
static void take_place(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    struct cairn_prop *prop)
{
	const struct cairn_world *w = b->world;
	struct cairn_yaml_node *in = text_of(r, node, "in"), *on = text_of(r, node, "on"),
			       *at = cairn_yaml_get(r, node, "at", CAIRN_YAML_LIST, false);
	struct cairn_prop_place *p = &prop->places[prop->place_count];
	double min[3], max[3], xy[2];
	if (r->failed || (in == NULL) == (on == NULL)) {
		(void)cairn_yaml_fail(
		    r, node, "on, in: one of them is needed, the name of what it is on or in");
		return;
	}
	const char *name = cairn_yaml_text(r, node, in != NULL ? "in" : "on", CAIRN_WORLD_NAME_BYTES, true);
	int32_t thing = name != NULL ? find_thing(w, name) : -1;
	if (thing < 0 || !cairn_world_extent(w, (uint32_t)thing, min, max)) {
		(void)cairn_yaml_fail(
		    r, in != NULL ? in : on, "nothing before it is called '%s'", name != NULL ? name : "");
		return;
	}
	*p = (struct cairn_prop_place){.thing = thing, .container = -1, .z_m = max[2]};
	p->at = (struct cairn_vec2){0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1])};
	if (in != NULL) {
		p->container = cairn_prop_of_thing(w, (uint32_t)thing);
		if (p->container < 0 || !w->props[p->container].container) {
			(void)cairn_yaml_fail(
			    r, in, "'%s' is no container (give it the key container)", name);
			return;
		}
		p->z_m = w->props[p->container].shelf_z_m;
		p->at = w->props[p->container].middle;
	}
	if (at != NULL && cairn_yaml_numbers(r, at, xy, 2, -CAIRN_WORLD_REACH_M, CAIRN_WORLD_REACH_M))
		p->at = (struct cairn_vec2){xy[0], xy[1]};
	if (p->at.x_m < min[0] || p->at.x_m > max[0] || p->at.y_m < min[1] || p->at.y_m > max[1])
		(void)cairn_yaml_fail(r, node, "at: (%g, %g) is not on '%s'", p->at.x_m, p->at.y_m, name);
	prop->place_count++;
}

static void take_places(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    struct cairn_item *item, struct cairn_prop *prop)
{
	struct cairn_yaml_node *list = cairn_yaml_list(r, node, "places", 1, CAIRN_WORLD_PROP_PLACES, false);
	if (list == NULL && text_of(r, node, "on") == NULL && text_of(r, node, "in") == NULL) {
		prop->places[0] = (struct cairn_prop_place){-1, -1, {item->x_m, item->y_m}, item->bottom_m};
		prop->place_count = 1;
		return;
	}
	if (list == NULL)
		take_place(r, b, node, prop);
	for (struct cairn_yaml_node *p = list != NULL ? list->first : NULL; p != NULL && !r->failed;
	     p = p->next)
		take_place(r, b, p, prop);
	item->x_m = prop->places[0].at.x_m;
	item->y_m = prop->places[0].at.y_m;
	item->bottom_m = prop->places[0].z_m;
}

static void take_container(struct cairn_yaml_reader *r, struct cairn_yaml_node *node, struct cairn_item *item,
    struct cairn_prop_keys *k)
{
	struct cairn_yaml_node *c = cairn_yaml_get(r, node, "container", CAIRN_YAML_MAPPING, false);
	if (c == NULL)
		return;
	bool openable = cairn_yaml_flag(r, c, "openable", true);
	k->prop.container = true;
	k->prop.occludes = cairn_yaml_flag(r, c, "occludes", openable);
	k->prop.word = openable ? CAIRN_PROP_DOOR : CAIRN_PROP_STILL;
	k->prop.open = cairn_yaml_flag(r, c, "open", !openable);
	k->hollow.shelf_m = cairn_yaml_real(r, c, "shelf_m", 0.0, 10.0, 0.03);
	k->hollow.see_through = !k->prop.occludes;
	k->hollow.hinge_right = cairn_yaml_flag(r, c, "hinge_right", false);
	if (openable)
		item->hollow = &k->hollow;
	else if (!k->prop.open || k->prop.occludes)
		(void)cairn_yaml_fail(
		    r, c, "occludes, open: what cannot be opened is open and hides nothing");
}

/* state: {lid: open} or {light: on}. */
static void take_state(struct cairn_yaml_reader *r, struct cairn_yaml_node *node, struct cairn_prop_keys *k)
{
	struct cairn_yaml_node *s = cairn_yaml_get(r, node, "state", CAIRN_YAML_MAPPING, false);
	if (s == NULL)
		return;
	const char *lid = cairn_yaml_text(r, s, "lid", CAIRN_WORLD_NAME_BYTES, false),
		   *light = cairn_yaml_text(r, s, "light", CAIRN_WORLD_NAME_BYTES, false);
	const char *given = lid != NULL ? lid : light, *yes = lid != NULL ? "open" : "on",
		   *no = lid != NULL ? "closed" : "off";
	if (given == NULL || (lid != NULL && light != NULL) || k->prop.word != CAIRN_PROP_STILL ||
	    (strcmp(given, yes) != 0 && strcmp(given, no) != 0)) {
		(void)cairn_yaml_fail(r, s, "one of lid: open|closed and light: on|off is needed");
		return;
	}
	k->prop.word = lid != NULL ? CAIRN_PROP_LID : CAIRN_PROP_LIGHT;
	k->prop.open = strcmp(given, yes) == 0;
}

static bool has_state(struct cairn_yaml_reader *r, struct cairn_yaml_node *node)
{
	static const char *const texts[] = {"on", "in", "graspable", "holds_l", "liquid"};
	bool some = cairn_yaml_get(r, node, "container", CAIRN_YAML_MAPPING, false) != NULL ||
		    cairn_yaml_get(r, node, "state", CAIRN_YAML_MAPPING, false) != NULL ||
		    cairn_yaml_get(r, node, "places", CAIRN_YAML_LIST, false) != NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		some = some || text_of(r, node, texts[i]) != NULL;
	return some && !r->failed;
}

void cairn_yaml_prop_begin(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    struct cairn_item *item, struct cairn_prop_keys *k)
{
	*k = (struct cairn_prop_keys){.some = has_state(r, node)};
	item->tall_m = cairn_yaml_real(r, node, "tall_m", 0.005, 10.0, 0.0);
	if (!k->some)
		return;
	if (b->world->prop_count >= CAIRN_WORLD_PROPS_MAX) {
		(void)cairn_yaml_fail(r, node, "more than %d things with a state", CAIRN_WORLD_PROPS_MAX);
		return;
	}
	take_places(r, b, node, item, &k->prop);
	take_container(r, node, item, k);
	take_state(r, node, k);
	k->prop.graspable = cairn_yaml_flag(r, node, "graspable", false);
	k->prop.holds_l = cairn_yaml_real(r, node, "holds_l", 0.0, 100.0, 0.0);
	const char *liquid = cairn_yaml_text(r, node, "liquid", sizeof(k->prop.liquid) - 1, false);
	if (liquid != NULL)
		snprintf(k->prop.liquid, sizeof(k->prop.liquid), "%s", liquid);
	if (liquid != NULL && !(k->prop.holds_l > 0.0))
		(void)cairn_yaml_fail(r, node, "holds_l: a thing with a liquid holds some litres");
	if (k->prop.graspable && k->prop.places[0].thing < 0)
		(void)cairn_yaml_fail(
		    r, node, "graspable: what can be grasped stands on or in something (on, in, places)");
	if (k->prop.graspable && (k->prop.container || k->prop.place_count == 0))
		(void)cairn_yaml_fail(r, node, "graspable: a container cannot be grasped");
	b->world->props[b->world->prop_count++] = k->prop;
	b->prop = (uint8_t)b->world->prop_count;
	b->unfelt = k->prop.graspable;
}

void cairn_yaml_prop_end(struct cairn_yaml_reader *r, struct cairn_builder *b, struct cairn_yaml_node *node,
    const struct cairn_item *item, const struct cairn_prop_keys *k, uint32_t thing)
{
	if (!k->some || b->prop == 0)
		return;
	struct cairn_prop *p = &b->world->props[b->prop - 1];
	double min[3], max[3];
	p->thing = thing;
	b->prop = 0;
	b->unfelt = false;
	if (!cairn_world_extent(b->world, thing, min, max)) {
		(void)cairn_yaml_fail(r, node, "a thing with a state must have a body");
		return;
	}
	p->tall_m = max[2] - min[2];
	p->wide_m = fmax(max[0] - min[0], max[1] - min[1]);
	p->middle = (struct cairn_vec2){0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1])};
	p->shelf_z_m = item->hollow != NULL ? min[2] + fmax(k->hollow.shelf_m, 0.02) : min[2] + 0.02;
	if (p->places[0].thing < 0)
		p->places[0].z_m = min[2];
}
