#include "common/map/map_names.h"

#include <math.h>

#define GAP_PX 5.0  /* between a thing's place and its name */
#define STEP_PX 9.0 /* a name is tried so much farther away each time */
#define TRIES 4
#define WAYS 8

static bool is_thing(const struct cairn_msg_scene_node *n)
{
	return (n->kind == CAIRN_SCENE_KIND_OBJECT || n->kind == CAIRN_SCENE_KIND_AGENT) && !n->stale &&
	       n->label[0] != '\0';
}

static double floor_m2(const struct cairn_msg_scene_node *n)
{
	return n->box_m_count == 6 ? (double)(n->box_m[3] - n->box_m[0]) * (double)(n->box_m[4] - n->box_m[1])
				   : 0.0;
}

static bool before(const struct cairn_msg_scene_node *a, const struct cairn_msg_scene_node *b)
{
	bool person_a = a->kind == CAIRN_SCENE_KIND_AGENT, person_b = b->kind == CAIRN_SCENE_KIND_AGENT;
	if (person_a != person_b)
		return person_a;
	return floor_m2(a) > floor_m2(b);
}

uint32_t cairn_map_names_pick(
    const struct cairn_msg_scene_node *nodes, uint32_t count, struct cairn_map_name ret[CAIRN_MAP_NAMES])
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count && n < CAIRN_MAP_NAME_ROOMS; i++)
		if (nodes[i].kind == CAIRN_SCENE_KIND_ROOM)
			ret[n++] = (struct cairn_map_name){.node = &nodes[i],
			    .text = nodes[i].label[0] != '\0' ? nodes[i].label : nodes[i].id};
	uint32_t rooms = n;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_thing(&nodes[i]))
			continue;
		uint32_t at = n < CAIRN_MAP_NAMES ? n++ : CAIRN_MAP_NAMES;
		for (; at > rooms && before(&nodes[i], ret[at - 1].node); at--)
			if (at < CAIRN_MAP_NAMES)
				ret[at] = ret[at - 1];
		if (at < CAIRN_MAP_NAMES)
			ret[at] = (struct cairn_map_name){.node = &nodes[i], .text = nodes[i].label};
	}
	return n;
}

static bool apart(const struct cairn_map_rect *a, const struct cairn_map_rect *b)
{
	return a->left + a->width <= b->left || b->left + b->width <= a->left ||
	       a->top + a->height <= b->top || b->top + b->height <= a->top;
}

static bool fits(const struct cairn_map_rect *r, const struct cairn_map_name *names, uint32_t count,
    const struct cairn_map_rect *taken, uint32_t taken_count, const struct cairn_map_rect *paper)
{
	if (r->left < paper->left || r->top < paper->top || r->left + r->width > paper->left + paper->width ||
	    r->top + r->height > paper->top + paper->height)
		return false;
	for (uint32_t i = 0; i < taken_count; i++)
		if (!apart(r, &taken[i]))
			return false;
	for (uint32_t i = 0; i < count; i++)
		if (names[i].shown && !apart(r, &names[i].at))
			return false;
	return true;
}

/* The try-th place of a name: a room's goes around its middle, a thing's keeps clear of its place: right, left, below, above, then the
 * corners. */
static struct cairn_map_rect place(const struct cairn_map_name *n, int step, int way)
{
	static const int ways[WAYS][2] = {
	    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
	bool room = n->node->kind == CAIRN_SCENE_KIND_ROOM;
	double clear = room ? 0.0 : GAP_PX, far = step * STEP_PX;
	double dx = room ? 0.0 : 0.5 * n->width + clear, dy = room ? 0.0 : 0.5 * n->height + clear;
	double x = n->x + ways[way][0] * (dx + far), y = n->y + ways[way][1] * (dy + far);
	return (struct cairn_map_rect){x - 0.5 * n->width, y - 0.5 * n->height, n->width, n->height};
}

void cairn_map_names_lay(struct cairn_map_name *names, uint32_t count, const struct cairn_map_rect *taken,
    uint32_t taken_count, struct cairn_map_rect paper)
{
	for (uint32_t i = 0; i < count; i++) {
		names[i].shown = false;
		for (int step = 0; step < TRIES && !names[i].shown; step++)
			for (int way = 0; way < WAYS && !names[i].shown; way++) {
				names[i].at = place(&names[i], step, way);
				names[i].shown = fits(&names[i].at, names, i, taken, taken_count, &paper);
			}
	}
}
