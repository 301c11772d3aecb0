#include "common/agent/world_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/hash.h"

#define THINGS_MAX 60 /* in the text of every query; find_objects tells all */
#define ROOMS_MAX 24
#define OPENINGS_MAX 12
#define ON_IT_MAX 4     /* things on another that are told beside it */
#define NEAR_ROOM_M 2.5 /* an opening is told beside the room of whatever is nearest to it within this */
#define GAINED_M2 1.0
#define SAME_OPENING_M 0.4
#define FRONTIER_DEEP_M 2.0 /* floor that is thought to lie behind one */
#define FRONTIER_MIN_M 0.5
#define SAME_FLOOR_M 0.8

typedef struct cairn_msg_scene_node node_t;

static double apart_m(const node_t *n, double x_m, double y_m)
{
	return hypot(n->x_m - x_m, n->y_m - y_m);
}

static bool called(const node_t *n, const char *name)
{
	return strcasecmp(n->id, name) == 0 || (n->label[0] != '\0' && strcasecmp(n->label, name) == 0);
}

const struct cairn_msg_scene_node *cairn_agent_node(const struct cairn_agent_world *w, const char *name)
{
	const node_t *best = NULL;
	for (uint32_t i = 0; i < w->scene.nodes_count && w->use_scene; i++) {
		const node_t *n = &w->scene.nodes[i];
		if (strcasecmp(n->id, name) == 0)
			return n;
		if (called(n, name) && (best == NULL || apart_m(n, w->robot.x_m, w->robot.y_m) <
							    apart_m(best, w->robot.x_m, w->robot.y_m)))
			best = n;
	}
	return best;
}

bool cairn_agent_is_evidence(const struct cairn_agent_world *w, const char *id)
{
	char *end;
	unsigned long long picture = strtoull(id, &end, 10);
	bool number = end != id && *end == '\0' && picture != 0;
	for (uint32_t i = 0; i < w->scene.nodes_count; i++) {
		const node_t *n = &w->scene.nodes[i];
		if (strcasecmp(n->id, id) == 0 || (number && n->picture == picture))
			return true;
	}
	return false;
}

static const node_t *related(
    const struct cairn_agent_world *w, const char *id, enum cairn_scene_relation relation)
{
	for (uint32_t i = 0; i < w->scene.edges_count; i++) {
		const struct cairn_msg_scene_edge *e = &w->scene.edges[i];
		if (e->relation != relation || strcmp(e->src, id) != 0)
			continue;
		for (uint32_t k = 0; k < w->scene.nodes_count; k++)
			if (strcmp(w->scene.nodes[k].id, e->dst) == 0)
				return &w->scene.nodes[k];
	}
	return NULL;
}

bool cairn_agent_stand(const struct cairn_agent_world *w, const struct cairn_msg_scene_node *n,
    struct cairn_pose2 *ret, bool *ret_face, struct cairn_error *why)
{
	const node_t *place =
	    n->kind == CAIRN_SCENE_KIND_PLACE ? n : related(w, n->id, CAIRN_SCENE_RELATION_AT_PLACE);
	*ret_face = place != NULL && n->kind != CAIRN_SCENE_KIND_ROOM;
	if (place != NULL) {
		*ret = (struct cairn_pose2){place->x_m, place->y_m, place->yaw_rad};
		return true;
	}
	if (n->kind == CAIRN_SCENE_KIND_ROOM) {
		*ret = (struct cairn_pose2){n->x_m, n->y_m, 0.0};
		return true;
	}
	cairn_error_set(why, "no place to stand for %s is known yet: explore nearer to (%.1f, %.1f)", n->id,
	    n->x_m, n->y_m);
	return false;
}

static bool is_closed(const struct cairn_agent_world *w, const struct cairn_msg_frontier *f)
{
	bool tried = false;
	for (uint32_t i = 0; i < w->given_up_count; i++)
		tried |= hypot(w->given_up[i].x_m - f->x_m, w->given_up[i].y_m - f->y_m) <= SAME_OPENING_M;
	return tried || f->distance_m < 0.0;
}

static int nearer(const void *a, const void *b)
{
	const struct cairn_agent_opening *x = a, *y = b;
	return x->distance_m < y->distance_m ? -1 : x->distance_m > y->distance_m;
}

void cairn_agent_letter_openings(struct cairn_agent_world *w)
{
	struct cairn_unseen floor[OPENINGS_MAX];
	uint32_t closed = 0;
	w->opening_count = w->closed_count = 0;
	for (uint32_t i = 0; i < w->frontiers.items_count && w->opening_count < OPENINGS_MAX && w->use_map;
	     i++) {
		const struct cairn_msg_frontier *f = &w->frontiers.items[i];
		if (is_closed(w, f))
			w->closed_count++;
		else if (f->detour_m >= 0.0) /* others are not worth a visit */
			w->openings[w->opening_count++] = (struct cairn_agent_opening){.frontier_id = f->id,
			    .x_m = f->x_m,
			    .y_m = f->y_m,
			    .distance_m = f->distance_m,
			    .gain_m2 = FRONTIER_DEEP_M * fmax(f->width_m, FRONTIER_MIN_M)};
	}
	uint32_t unseen = w->coverage != NULL && w->use_map && w->has_pose
			      ? cairn_coverage_unseen(w->coverage, w->robot, floor, OPENINGS_MAX, &closed)
			      : 0;
	for (uint32_t i = 0; i < unseen; i++)
		w->openings[w->opening_count++] = (struct cairn_agent_opening){
		    true, 0, floor[i].x_m, floor[i].y_m, floor[i].distance_m, floor[i].area_m2, floor[i]};
	w->closed_count += closed;
	qsort(w->openings, w->opening_count, sizeof(w->openings[0]), nearer);
}

bool cairn_agent_same_opening(const struct cairn_agent_opening *a, const struct cairn_agent_opening *b)
{
	return a->unseen == b->unseen && (a->unseen ? hypot(a->x_m - b->x_m, a->y_m - b->y_m) < SAME_FLOOR_M
						    : a->frontier_id == b->frontier_id);
}

const struct cairn_agent_opening *cairn_agent_opening_by(
    const struct cairn_agent_world *w, const char *letter)
{
	char c = letter[0] >= 'a' && letter[0] <= 'z' ? (char)(letter[0] - 'a' + 'A') : letter[0];
	bool one = letter[0] != '\0' && letter[1] == '\0';
	return one && c >= 'A' && (uint32_t)(c - 'A') < w->opening_count ? &w->openings[c - 'A'] : NULL;
}

/* ---- texts ---- */

/* The room of what is nearest to a point. */
static const char *room_near(const struct cairn_agent_world *w, double x_m, double y_m)
{
	const char *room = "";
	double best_m = NEAR_ROOM_M;
	for (uint32_t i = 0; i < w->scene.nodes_count; i++) {
		const node_t *n = &w->scene.nodes[i];
		const char *is = n->kind == CAIRN_SCENE_KIND_ROOM ? n->id : n->room;
		double m = apart_m(n, x_m, y_m);
		if (is[0] != '\0' && m < best_m) {
			best_m = m;
			room = is;
		}
	}
	return room;
}

static uint32_t openings_near(const struct cairn_agent_world *w, const char *room)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->opening_count; i++)
		n += strcmp(room_near(w, w->openings[i].x_m, w->openings[i].y_m), room) == 0;
	return n;
}

static const char *room_name(const struct cairn_agent_world *w, const char *id)
{
	for (uint32_t i = 0; i < w->scene.nodes_count; i++)
		if (w->scene.nodes[i].kind == CAIRN_SCENE_KIND_ROOM && strcmp(w->scene.nodes[i].id, id) == 0)
			return w->scene.nodes[i].label;
	return "";
}

/* What it stands on, or what stands on it. */
static void support_text(struct cairn_text *out, const struct cairn_agent_world *w, const node_t *n)
{
	const node_t *under = related(w, n->id, CAIRN_SCENE_RELATION_ON);
	uint32_t told = 0;
	if (under != NULL)
		cairn_text_addf(out, ", standing on %s", under->id);
	for (uint32_t i = 0; i < w->scene.edges_count && told < ON_IT_MAX; i++) {
		const struct cairn_msg_scene_edge *e = &w->scene.edges[i];
		if (e->relation == CAIRN_SCENE_RELATION_ON && strcmp(e->dst, n->id) == 0)
			cairn_text_addf(out, "%s%s", told++ > 0 ? ", " : ", with ", e->src);
	}
	cairn_text_add(out, told > 0 ? " on it" : "");
}

static void thing_text(struct cairn_text *out, const struct cairn_agent_world *w, const node_t *n)
{
	const char *name = room_name(w, n->room);
	cairn_text_addf(out, "- %s: %s%s%s", n->id, n->colour, n->colour[0] != '\0' ? " " : "", n->label);
	if (n->room[0] != '\0')
		cairn_text_addf(out, " in %s%s%s%s", n->room, name[0] != '\0' ? " (" : "", name,
		    name[0] != '\0' ? ")" : "");
	cairn_text_addf(out, " at (%.1f, %.1f), seen %u times", n->x_m, n->y_m, n->seen);
	if (n->picture != 0)
		cairn_text_addf(out, ", picture %" PRIu64, n->picture);
	if (n->state[0] != '\0')
		cairn_text_addf(out, ", %s", n->state);
	support_text(out, w, n);
	cairn_text_addf(
	    out, "%s\n", n->stale ? ", stale: not there any more when the robot looked last" : "");
}

static void room_text(struct cairn_text *out, const struct cairn_agent_world *w, const node_t *n)
{
	cairn_text_addf(out, "- %s: %s, %.0f m2 at (%.1f, %.1f)%s", n->id,
	    n->label[0] != '\0' ? n->label : "not named yet", n->area_m2, n->x_m, n->y_m,
	    strcmp(n->id, w->scene.here) == 0 ? ", the robot is here" : "");
	if (w->use_map)
		cairn_text_addf(out, ", openings near it %u", openings_near(w, n->id));
	cairn_text_add(out, "\n");
}

static void frontier_text(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_opening *o)
{
	for (uint32_t k = 0; k < w->frontiers.items_count; k++) {
		const struct cairn_msg_frontier *f = &w->frontiers.items[k];
		if (f->id == o->frontier_id)
			cairn_text_addf(out, "%s %.1f m wide",
			    cairn_enum_text(&cairn_enum_frontier_kind, (int)f->kind), f->width_m);
	}
}

static void openings_text(struct cairn_text *out, const struct cairn_agent_world *w)
{
	cairn_text_addf(out, "openings into the unknown: %u", w->opening_count);
	if (w->closed_count > 0)
		cairn_text_addf(out, " (%u more cannot be reached, or were tried in vain)", w->closed_count);
	cairn_text_add(out, "\n");
	for (uint32_t i = 0; i < w->opening_count; i++) {
		const struct cairn_agent_opening *o = &w->openings[i];
		const char *room = w->use_scene ? room_near(w, o->x_m, o->y_m) : "";
		cairn_text_addf(out, "- %c: ", 'A' + (int)i);
		if (o->unseen)
			cairn_text_addf(out, "floor not looked at, %.0f m2", fmax(o->floor.area_m2, 1.0));
		else
			frontier_text(out, w, o);
		cairn_text_addf(out, " at (%.1f, %.1f), %.1f m to drive%s%s\n", o->x_m, o->y_m, o->distance_m,
		    room[0] != '\0' ? ", near " : "", room);
	}
}

/* Where nothing was named everything matters. */
static bool has_label(const node_t *n, const struct cairn_agent_ids *labels)
{
	if (labels == NULL || labels->count == 0)
		return true;
	for (uint32_t i = 0; i < labels->count; i++)
		if (strcasestr(n->label, labels->items[i]) != NULL ||
		    strcasestr(labels->items[i], n->label) != NULL)
			return true;
	return false;
}

static bool is_thing(const node_t *n)
{
	return n->kind == CAIRN_SCENE_KIND_OBJECT || n->kind == CAIRN_SCENE_KIND_AGENT;
}

static void rooms_text(struct cairn_text *out, const struct cairn_agent_world *w, uint32_t most)
{
	uint32_t told = 0;
	cairn_text_addf(out, "rooms: %u\n", w->scene.rooms);
	for (uint32_t i = 0; i < w->scene.nodes_count && told < most; i++) {
		if (w->scene.nodes[i].kind != CAIRN_SCENE_KIND_ROOM)
			continue;
		room_text(out, w, &w->scene.nodes[i]);
		told++;
	}
}

/* The ids of a room's things that are not among the labels; room "": of those in no room. */
static void others_text(struct cairn_text *out, const struct cairn_agent_world *w,
    const struct cairn_agent_ids *labels, const char *room, uint32_t *told)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->scene.nodes_count && *told < THINGS_MAX; i++) {
		const node_t *at = &w->scene.nodes[i];
		if (!is_thing(at) || has_label(at, labels) || strcmp(at->room, room) != 0)
			continue;
		cairn_text_addf(out, "%s%s%s",
		    n > 0             ? ""
		    : room[0] != '\0' ? room
				      : "in no room known",
		    n > 0 ? ", " : ": ", at->id);
		n++;
		(*told)++;
	}
	cairn_text_add(out, n > 0 ? "\n" : "");
}

static void things_text(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_ids *labels)
{
	uint32_t told = 0;
	cairn_text_addf(out, "things: %u\n", w->scene.objects);
	for (uint32_t i = 0; i < w->scene.nodes_count && told < THINGS_MAX; i++)
		if (is_thing(&w->scene.nodes[i]) && has_label(&w->scene.nodes[i], labels)) {
			thing_text(out, w, &w->scene.nodes[i]);
			told++;
		}
	if (told < w->scene.objects)
		cairn_text_add(out, "other things, by room (`object` tells all of one):\n");
	for (uint32_t i = 0; i < w->scene.nodes_count; i++)
		if (w->scene.nodes[i].kind == CAIRN_SCENE_KIND_ROOM)
			others_text(out, w, labels, w->scene.nodes[i].id, &told);
	others_text(out, w, labels, "", &told);
	if (told < w->scene.objects)
		cairn_text_addf(out, "(%u more: find_objects)\n", w->scene.objects - told);
}

void cairn_agent_graph_text(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_ids *labels)
{
	cairn_text_add(out, "<graph>\n");
	if (w->has_pose)
		cairn_text_addf(out, "robot at (%.1f, %.1f), heading %.0f deg\n", w->robot.x_m, w->robot.y_m,
		    cairn_agent_heading_deg(w->robot.yaw_rad));
	if (w->use_scene && w->has_scene) {
		rooms_text(out, w, ROOMS_MAX);
		things_text(out, w, labels);
	}
	if (w->use_map && w->has_frontiers)
		openings_text(out, w);
	cairn_text_add(out, "</graph>\n");
}

/* ---- the reading tools ---- */

static void available(struct cairn_text *out, const struct cairn_agent_world *w, bool rooms)
{
	uint32_t n = 0;
	cairn_text_addf(out, " Known %s:", rooms ? "rooms" : "things");
	for (uint32_t i = 0; i < w->scene.nodes_count && n < THINGS_MAX; i++) {
		const node_t *at = &w->scene.nodes[i];
		if (rooms ? at->kind == CAIRN_SCENE_KIND_ROOM : is_thing(at))
			cairn_text_addf(out, "%s %s", n++ > 0 ? "," : "", at->id);
	}
	cairn_text_add(out, n == 0 ? " none yet.\n" : ".\n");
}

static bool in_room(const struct cairn_agent_world *w, const node_t *n, const struct cairn_agent_call *call)
{
	return !call->has_room || strcasecmp(n->room, call->room) == 0 ||
	       (n->room[0] != '\0' && strcasecmp(room_name(w, n->room), call->room) == 0);
}

static bool find_objects(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_call *call)
{
	uint32_t n = 0;
	bool all = strcmp(call->name, "*") == 0;
	for (uint32_t i = 0; i < w->scene.nodes_count; i++) {
		const node_t *at = &w->scene.nodes[i];
		if (!is_thing(at) || !in_room(w, at, call) ||
		    (!all && strcasecmp(at->id, call->name) != 0 &&
			strcasestr(at->label, call->name) == NULL))
			continue;
		thing_text(out, w, at);
		n++;
	}
	if (n == 0) {
		cairn_text_addf(out, "Nothing known is called '%s'%s%s.", call->name,
		    call->has_room ? " in " : "", call->has_room ? call->room : "");
		available(out, w, false);
	} else {
		cairn_text_addf(out, "%u found; openings into the unknown left: %u\n", n, w->opening_count);
	}
	return n > 0;
}

static bool object(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_call *call)
{
	const node_t *n = cairn_agent_node(w, call->name);
	if (n == NULL || !is_thing(n)) {
		cairn_text_addf(out, "No thing '%s' is known.", call->name);
		available(out, w, false);
		return false;
	}
	thing_text(out, w, n);
	for (uint32_t i = 0; i < w->scene.edges_count; i++) {
		const struct cairn_msg_scene_edge *e = &w->scene.edges[i];
		if (strcmp(e->src, n->id) == 0 || strcmp(e->dst, n->id) == 0)
			cairn_text_addf(out, "- %s %s %s\n", e->src,
			    cairn_enum_text(&cairn_enum_scene_relation, (int)e->relation), e->dst);
	}
	return true;
}

static bool room(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_call *call)
{
	const node_t *n = cairn_agent_node(w, call->name);
	uint32_t things = 0;
	if (n == NULL || n->kind != CAIRN_SCENE_KIND_ROOM) {
		cairn_text_addf(out, "No room '%s' is known.", call->name);
		available(out, w, true);
		return false;
	}
	room_text(out, w, n);
	for (uint32_t i = 0; i < w->scene.nodes_count; i++) {
		if (!is_thing(&w->scene.nodes[i]) || strcmp(w->scene.nodes[i].room, n->id) != 0)
			continue;
		thing_text(out, w, &w->scene.nodes[i]);
		things++;
	}
	cairn_text_addf(out, "%u things known in it\n", things);
	return true;
}

bool cairn_agent_read(
    struct cairn_text *out, const struct cairn_agent_world *w, const struct cairn_agent_call *call)
{
	bool graph = call->head.tool != CAIRN_AGENT_OPENINGS;
	if (graph ? !w->use_scene : !w->use_map) {
		cairn_text_addf(out, "This robot has no %s.", graph ? "scene graph" : "map to tell of");
		return false;
	}
	switch ((enum cairn_agent_tool)call->head.tool) {
	case CAIRN_AGENT_FIND_OBJECTS:
		return find_objects(out, w, call);
	case CAIRN_AGENT_OBJECT:
		return object(out, w, call);
	case CAIRN_AGENT_ROOM:
		return room(out, w, call);
	case CAIRN_AGENT_FIND_ROOMS:
		rooms_text(out, w, UINT32_MAX);
		return w->scene.rooms > 0;
	case CAIRN_AGENT_OPENINGS:
		openings_text(out, w);
		return w->opening_count > 0;
	default:
		cairn_text_add(out, "This tool reads nothing.");
		return false;
	}
}

uint64_t cairn_agent_gained(const struct cairn_agent_world *w)
{
	uint64_t v[4] = {
	    w->scene.objects, w->scene.rooms, (uint64_t)fmax(w->frontiers.free_m2 / GAINED_M2, 0.0), 0};
	for (uint32_t i = 0; i < w->scene.nodes_count; i++)
		v[3] += is_thing(&w->scene.nodes[i]) && w->scene.nodes[i].stale;
	return cairn_hash_bytes(CAIRN_HASH_START, v, sizeof(v));
}

uint32_t cairn_agent_labelled(const struct cairn_agent_world *w, const struct cairn_agent_ids *labels)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->scene.nodes_count; i++)
		n += is_thing(&w->scene.nodes[i]) && !w->scene.nodes[i].stale &&
		     has_label(&w->scene.nodes[i], labels);
	return n;
}

uint32_t cairn_agent_named_rooms(const struct cairn_agent_world *w)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < w->scene.nodes_count; i++)
		n += w->scene.nodes[i].kind == CAIRN_SCENE_KIND_ROOM && w->scene.nodes[i].label[0] != '\0';
	return n;
}
