#include "common/plan/hybrid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/hybrid_private.h"

#define UNTOUCHED 0x5a

static const char *const result_text[CAIRN_PLAN_RESULT_COUNT] = {
    [CAIRN_PLAN_OK] = "path found",
    [CAIRN_PLAN_NEAREST] = "path to the nearest point that can be reached",
    [CAIRN_PLAN_PARTIAL] = "part of a path: out of time",
    [CAIRN_PLAN_START_BLOCKED] = "no room to move away from here",
    [CAIRN_PLAN_GOAL_BLOCKED] = "no room at the goal",
    [CAIRN_PLAN_NO_PATH] = "no way through known space",
    [CAIRN_PLAN_LIMIT] = "no path found in the time allowed",
};

const char *cairn_plan_result_text(enum cairn_plan_result result)
{
	return (unsigned)result < CAIRN_PLAN_RESULT_COUNT ? result_text[result] : "?";
}

struct cairn_hybrid *cairn_hybrid_new(const struct cairn_hybrid_params *p)
{
	if (!(p->turn_radius_m > 0.0) || !(p->clearance_m >= 0.0) || !(p->lead_m >= p->clearance_m) ||
	    !(p->reverse_factor >= 1.0) || !(p->switch_m >= 0.0) || !(p->turn_factor >= 1.0) ||
	    !(p->spin_m_per_rad >= 0.0) || !(p->spin_m >= 0.0) || p->nodes_max < 64 ||
	    p->nodes_max > HYBRID_NODES_LIMIT)
		return NULL;
	struct cairn_hybrid *h = calloc(1, sizeof(*h));
	if (h == NULL)
		return NULL;
	h->p = *p;
	h->arc_count = p->spin_m_per_rad > 0.0 ? HYBRID_ARCS : HYBRID_ROLLED;
	uint32_t slots = HYBRID_SLOTS_MIN;
	while (slots < (uint32_t)p->nodes_max * 2u)
		slots *= 2u;
	h->slots_max = slots;
	h->nodes = malloc((size_t)p->nodes_max * sizeof(*h->nodes));
	h->slots = malloc(slots * sizeof(*h->slots));
	h->heap_max = p->nodes_max * 2;
	h->heap = malloc((size_t)h->heap_max * sizeof(*h->heap));
	if (h->nodes == NULL || h->slots == NULL || h->heap == NULL) {
		cairn_hybrid_destroy(&h);
		return NULL;
	}
	/* Touched now, so that no search has to wait for pages and the process does not grow with the longest
	 * one so far. (Zeros would not do: the compiler makes that a calloc, which touches nothing.) */
	memset(h->nodes, UNTOUCHED, (size_t)p->nodes_max * sizeof(*h->nodes));
	memset(h->slots, UNTOUCHED, slots * sizeof(*h->slots));
	memset(h->heap, UNTOUCHED, (size_t)h->heap_max * sizeof(*h->heap));
	return h;
}

void cairn_hybrid_destroy(struct cairn_hybrid **h_p)
{
	if (*h_p == NULL)
		return;
	struct cairn_hybrid *h = *h_p;
	cairn_cost_field_free(&h->field);
	cairn_cost_field_free(&h->from_start);
	cairn_cell_bits_free(&h->obstacles);
	cairn_cell_bits_free(&h->unseen);
	for (int way = 0; way < HYBRID_WAYS; way++)
		cairn_footprint_masks_free(&h->cover[way].stamps);
	cairn_footprint_masks_free(&h->behind);
	cairn_footprint_masks_free(&h->around);
	free(h->nodes);
	free(h->slots);
	free(h->heap);
	free(h->course.heading);
	free(h->room.square);
	free(h);
	*h_p = NULL;
}

/* ---- queue ---- */

/* Numbers that are not negative are in the order of their bits, which are compared faster. */
static inline uint32_t bits_of(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline bool less(const struct hybrid_entry *a, const struct hybrid_entry *b)
{
	return bits_of(a->f) < bits_of(b->f);
}

static bool heap_push(struct cairn_hybrid *h, float f, int32_t node)
{
	if (h->heap_count == h->heap_max)
		return false;
	int i = h->heap_count++;
	while (i > 0) {
		int up = (i - 1) / 2;
		if (h->heap[up].f <= f)
			break;
		h->heap[i] = h->heap[up];
		i = up;
	}
	h->heap[i] = (struct hybrid_entry){f, node};
	return true;
}

/* Puts an entry at i or, while one below it is smaller, under that. */
static void heap_sink(struct cairn_hybrid *h, int i, struct hybrid_entry entry)
{
	for (;;) {
		int kid = 2 * i + 1;
		if (kid >= h->heap_count)
			break;
		kid += kid + 1 < h->heap_count && h->heap[kid + 1].f < h->heap[kid].f;
		if (entry.f <= h->heap[kid].f)
			break;
		h->heap[i] = h->heap[kid];
		i = kid;
	}
	h->heap[i] = entry;
}

/* What was last goes in from below: nearly always it belongs there, and on the way down nothing has to be
 * guessed. The heap is the one that sinking it from the top would leave. */
static struct hybrid_entry heap_pop(struct cairn_hybrid *h)
{
	struct hybrid_entry *const heap = h->heap, top = heap[0];
	const int count = --h->heap_count;
	const struct hybrid_entry last = heap[count];
	int i = 0, kid = 1;
	for (; kid + 1 < count; kid = 2 * i + 1) {
		kid += less(&heap[kid + 1], &heap[kid]);
		heap[i] = heap[kid];
		i = kid;
	}
	if (kid < count) {
		heap[i] = heap[kid];
		i = kid;
	}
	for (int up = (i - 1) / 2; i > 0 && !less(&heap[up], &last); i = up, up = (i - 1) / 2)
		heap[i] = heap[up];
	heap[i] = last;
	return top;
}

/* ---- states ---- */

static uint32_t key_of(int cell, int heading)
{
	return (uint32_t)cell * HYBRID_HEADINGS + (uint32_t)heading;
}

static uint32_t hash_of(uint32_t key)
{
	return key * UINT32_C(2654435761) >> 7;
}

/* Place in the hash of the state of a cell and heading bin, taken or free. */
static struct hybrid_slot *slot_of(struct cairn_hybrid *h, uint32_t key)
{
	for (uint32_t at = hash_of(key);; at++) {
		struct hybrid_slot *s = &h->slots[at & h->slot_mask];
		if (s->node < 0 || s->key == key)
			return s;
	}
}

/* The state at a place of the hash: an old one, a new one (g infinite), or -1 when there is no room. */
static int32_t state_at(struct cairn_hybrid *h, struct hybrid_slot *slot, uint32_t key)
{
	if (slot->node < 0) {
		if (h->node_count == h->p.nodes_max)
			return -1;
		*slot = (struct hybrid_slot){key, INFINITY, h->node_count++};
		h->nodes[slot->node] = (struct hybrid_node){.key = key, .g = INFINITY, .parent = -1};
	}
	return slot->node;
}

static void begin_slots(struct cairn_hybrid *h, uint32_t count)
{
	h->slot_mask = count - 1u;
	memset(h->slots, 0xff, count * sizeof(*h->slots)); /* all free */
}

/* Room for the states of another expansion. Most searches have few: their places stay in the nearer caches.
 */
static void room_for_arcs(struct cairn_hybrid *h)
{
	uint32_t count = h->slot_mask + 1u;
	if (2u * (uint32_t)(h->node_count + HYBRID_ARCS) <= count || count == h->slots_max)
		return;
	begin_slots(h, 2u * count);
	for (int i = 0; i < h->node_count; i++) {
		const struct hybrid_node *n = &h->nodes[i];
		*slot_of(h, n->key) = (struct hybrid_slot){n->key, n->closed ? -INFINITY : n->g, i};
	}
}

/* ---- search ---- */

static float heuristic(struct cairn_hybrid *h, int cell)
{
	return cairn_cost_field_at(&h->field, cell);
}

/* What is left from a state, to_go of it by the field. */
static float guess(struct cairn_hybrid *h, int x, int y, int heading, float to_go)
{
	return to_go + hybrid_course_cost(h, x, y, heading, to_go);
}

static struct cairn_pose2 end_of(const struct hybrid_node *n, const struct hybrid_arc *arc)
{
	return (struct cairn_pose2){n->x_m + arc->end.x_m, n->y_m + arc->end.y_m, arc->end.yaw_rad};
}

/* With g to here and to_go from here on, can a path still cost less than what there is, or than is asked for? */
static bool too_dear(const struct cairn_hybrid *h, float g, float to_go)
{
	return g + HYBRID_LEAST * to_go - HYBRID_LEAST_CELLS >= h->bound;
}

/* What a state has cost at the end of an arc, from one with all its room (g: to there); INFINITY where that
 * is not allowed, or not below what the state has cost before. The end first: more often than the middle it
 * is what forbids. */
static float drive_arc(struct cairn_hybrid *h, const struct hybrid_arc *arc, const struct cairn_pose2 *mid,
    const struct cairn_pose2 *end, float g, float before)
{
	struct hybrid_look at_mid, at_end;
	float none;
	hybrid_pose_look(h, end, arc->end_c, arc->end_s, hybrid_way_of(arc), &at_end);
	if (at_end.room == HYBRID_BLOCKED ||
	    g + arc->cost * 0.5f * (HYBRID_FACTOR_LEAST + at_end.factor) >= before)
		return INFINITY;
	hybrid_pose_look(h, mid, arc->mid_c, arc->mid_s, hybrid_way_of(arc), &at_mid);
	float all = g + arc->cost * 0.5f * (at_mid.factor + at_end.factor);
	if (at_mid.room == HYBRID_BLOCKED || all >= before)
		return INFINITY; /* before the footprint is laid anywhere */
	if (hybrid_pose_settle(h, &at_end, end, arc->end_c, arc->end_s, hybrid_way_of(arc), NAN, &none) <=
		0.0f ||
	    hybrid_pose_settle(h, &at_mid, mid, arc->mid_c, arc->mid_s, hybrid_way_of(arc), NAN, &none) <=
		0.0f)
		return INFINITY;
	return all;
}

/* The same from a state without: how much of it there is at the end hangs on how much there was in the
 * middle. */
static float escape_arc(struct cairn_hybrid *h, const struct hybrid_arc *arc, const struct cairn_pose2 *mid,
    const struct cairn_pose2 *end, float g, float before, float *escaping)
{
	float f_mid =
	    hybrid_pose_factor(h, mid, arc->mid_c, arc->mid_s, hybrid_way_of(arc), *escaping, escaping);
	if (f_mid <= 0.0f)
		return INFINITY;
	float f_end =
	    hybrid_pose_factor(h, end, arc->end_c, arc->end_s, hybrid_way_of(arc), *escaping, escaping);
	g += arc->cost * 0.5f * (f_mid + f_end);
	return f_end > 0.0f && g < before ? g : INFINITY;
}

/* x, y: cell in which the arc ends. */
static void relax_arc(struct cairn_hybrid *h, int32_t from, const struct hybrid_arc *arc, int x, int y)
{
	const struct hybrid_node n = h->nodes[from];
	const int cell = y * h->cm->width + x;
	float g = hybrid_cost_before(h, &n, arc);
	if (g + arc->cost >= h->bound)
		return;
	uint32_t key = key_of(cell, arc->heading);
	struct hybrid_slot *slot = slot_of(h, key);
	float before = slot->node >= 0 ? slot->g : INFINITY;
	if (g + arc->cost >= before)
		return; /* found before anything is looked at */
	float to_go = cairn_cost_field_at_xy(&h->field, x, y);
	if (!(to_go < INFINITY) || too_dear(h, g + arc->cost, to_go))
		return;
	struct cairn_pose2 end = end_of(&n, arc);
	struct cairn_pose2 mid = {n.x_m + arc->mid.x_m, n.y_m + arc->mid.y_m, arc->mid.yaw_rad};
	float escaping = n.escaping;
	g = isnan(escaping) ? drive_arc(h, arc, &mid, &end, g, before)
			    : escape_arc(h, arc, &mid, &end, g, before, &escaping);
	if (!(g < INFINITY))
		return;
	int32_t to = state_at(h, slot, key);
	if (to < 0) {
		h->full = true;
		return;
	}
	slot->g = g;
	h->nodes[to] = (struct hybrid_node){.key = key,
	    .g = g,
	    .parent = from,
	    .x_m = end.x_m,
	    .y_m = end.y_m,
	    .heading = (uint8_t)arc->heading,
	    .arc = (uint8_t)(arc - h->headings[n.heading].arcs),
	    .turn_bins = (int8_t)arc->turn_bins,
	    .reverse = arc->reverse,
	    .spin = arc->spin,
	    .escaping = escaping};
	if (!heap_push(h, g + h->greed * guess(h, x, y, arc->heading, to_go), to))
		h->full = true;
}

/* Cells in which the arcs from a state end, all at once. */
static void ends_of(const struct cairn_hybrid *h, const struct hybrid_node *n, int x[HYBRID_ARCS],
    int y[HYBRID_ARCS], int within[HYBRID_ARCS])
{
	const struct hybrid_heading *from = &h->headings[n->heading];
	const struct cairn_costmap *cm = h->cm;
	const double x_m = n->x_m, y_m = n->y_m, k = cm->cells_per_m, x0_m = cm->origin_x_m,
		     y0_m = cm->origin_y_m;
	const double width = cm->width, height = cm->height;
	for (int j = 0; j < HYBRID_ARCS; j++) {
		double fx = (x_m + from->end_x_m[j] - x0_m) * k, fy = (y_m + from->end_y_m[j] - y0_m) * k;
		within[j] = (fx >= 0.0) & (fy >= 0.0) & (fx < width) & (fy < height);
		x[j] = (int)fx;
		y[j] = (int)fy;
	}
}

/* The places in the hash are asked for before anything waits for them: each is a miss of the nearer caches.
 */
static void relax_arcs(struct cairn_hybrid *h, int32_t from)
{
	const struct hybrid_node *n = &h->nodes[from];
	const struct hybrid_arc *arcs = h->headings[n->heading].arcs;
	int x[HYBRID_ARCS], y[HYBRID_ARCS], within[HYBRID_ARCS];
	ends_of(h, n, x, y, within);
	for (int j = 0; j < HYBRID_ARCS; j++)
		if (within[j])
			__builtin_prefetch(
			    &h->slots[hash_of(key_of(y[j] * h->cm->width + x[j], arcs[j].heading)) &
				      h->slot_mask]);
	for (int j = 0; j < h->arc_count; j++)
		if (within[j])
			relax_arc(h, from, &arcs[j], x[j], y[j]);
}

/* Orders what waits by another weight of the heuristic. */
static void weigh(struct cairn_hybrid *h, float greed)
{
	h->greed = greed;
	for (int i = 0; i < h->heap_count; i++) {
		const struct hybrid_node *n = &h->nodes[h->heap[i].node];
		int cell = (int)(n->key / HYBRID_HEADINGS), x = cell % h->cm->width, y = cell / h->cm->width;
		h->heap[i].f = n->g + greed * guess(h, x, y, n->heading, heuristic(h, cell));
	}
	for (int i = h->heap_count / 2 - 1; i >= 0; i--)
		heap_sink(h, i, h->heap[i]);
}

void hybrid_take_candidate(struct cairn_hybrid *h, int32_t node, float cost, const struct cairn_shot *shot)
{
	if (cost >= h->bound)
		return;
	h->bound = cost;
	h->improved_at = h->expansions;
	h->best = node;
	h->best_shot = shot != NULL ? *shot : (struct cairn_shot){0};
}

/* Within the tolerance already: a candidate that costs what is missing, so that nearer ones win when they are
 * cheap. */
static void try_here(struct cairn_hybrid *h, int32_t node)
{
	const struct hybrid_node *n = &h->nodes[node];
	const struct cairn_hybrid_query *q = h->query;
	double dx_m = n->x_m - h->goal_x_m, dy_m = n->y_m - h->goal_y_m;
	if (fabs(dx_m) > h->tolerance_m || fabs(dy_m) > h->tolerance_m)
		return;
	double miss = hypot(dx_m, dy_m);
	if (miss > h->tolerance_m)
		return;
	double off =
	    q->heading_given ? fabs(cairn_wrap_rad(h->headings[n->heading].yaw_rad - q->goal_yaw_rad)) : 0.0;
	if (q->heading_given && off > q->yaw_tolerance_rad)
		return;
	hybrid_take_candidate(h, node, n->g + (float)(HYBRID_MISS * miss / h->cm->cell_m), NULL);
}

static bool out_of_budget(const struct cairn_hybrid *h, int expansions)
{
	const struct cairn_hybrid_query *q = h->query;
	if (h->full || (q->expansions_max > 0 && expansions >= q->expansions_max))
		return true;
	return q->now_ns != NULL && expansions % 128 == 127 && q->now_ns(q->ctx) >= q->deadline_ns;
}

/* True when it ran to its end, false when out of budget. */
static bool run(struct cairn_hybrid *h)
{
	int until_shot = 0;
	while (h->heap_count > 0) {
		struct hybrid_entry top = heap_pop(h);
		if (h->best >= 0 && (top.f >= h->bound || h->expansions > h->improved_at + HYBRID_PATIENCE))
			return true;
		struct hybrid_node *n = &h->nodes[top.node];
		if (n->closed)
			continue;
		if (out_of_budget(h, h->expansions))
			return false;
		n->closed = true;
		slot_of(h, n->key)->g = -INFINITY;
		h->expansions++;
		bool hurry = h->best < 0 && h->expansions >= HYBRID_HURRY_AFTER;
		if (h->greed != (hurry ? HYBRID_HURRY : HYBRID_GREED))
			weigh(h, hurry ? HYBRID_HURRY : HYBRID_GREED);
		float to_go = heuristic(h, (int)(n->key / HYBRID_HEADINGS));
		if (to_go < h->nearest_to_go) {
			h->nearest_to_go = to_go;
			h->nearest = top.node;
		}
		hybrid_head(h, n->heading);
		try_here(h, top.node);
		if (--until_shot < 0) {
			hybrid_try_shots(h, top.node);
			until_shot = (int)fmin((double)to_go / 8.0, 40.0);
		}
		room_for_arcs(h);
		relax_arcs(h, top.node);
	}
	return true;
}

/* ---- from start to goal ---- */

static void add_start(struct cairn_hybrid *h, int start_cell)
{
	const struct cairn_hybrid_query *q = h->query;
	h->heap_count = 0;
	uint32_t key = key_of(start_cell, 0);
	int32_t s = state_at(h, slot_of(h, key), key);
	struct cairn_rect room = cairn_rect_around(&h->p.body, h->p.clearance_m);
	bool fits = cairn_costmap_fits(h->cm, &q->start, &room);
	double clear = fits ? 0.0 : hybrid_bare_clearance(h, &q->start);
	h->nodes[s].g = 0.0f;
	h->nodes[s].x_m = q->start.x_m;
	h->nodes[s].y_m = q->start.y_m;
	h->nodes[s].escaping = fits ? NAN : (float)clear;
	heap_push(h, 0.0f, s);
}

enum cairn_plan_result cairn_hybrid_search(struct cairn_hybrid *h, const struct cairn_costmap *cm,
    const struct cairn_hybrid_query *query, struct cairn_path *path, struct cairn_hybrid_stats *stats)
{
	h->cm = cm;
	h->query = query;
	h->expansions = h->shots = 0;
	h->node_count = 0;
	begin_slots(h, HYBRID_SLOTS_MIN);
	h->full = false;
	h->bound = query->cost_max > 0.0 ? (float)query->cost_max : INFINITY;
	h->best = h->nearest = -1;
	h->greed = HYBRID_GREED;
	h->nearest_to_go = INFINITY;
	h->switch_cost = (float)(h->p.switch_m / cm->cell_m);
	h->spin_cost = (float)(h->p.spin_m / cm->cell_m);
	h->ease_m = h->p.body.front_m + h->p.lead_m;
	enum cairn_plan_result result = CAIRN_PLAN_START_BLOCKED;
	int start_cell = cairn_costmap_index(cm, query->start.x_m, query->start.y_m);
	if (start_cell >= 0) {
		result = hybrid_make_covers(h) ? hybrid_choose_goal(h, start_cell) : CAIRN_PLAN_LIMIT;
	}
	if ((result == CAIRN_PLAN_OK || result == CAIRN_PLAN_NEAREST) &&
	    too_dear(h, 0.0f, heuristic(h, start_cell)))
		result = CAIRN_PLAN_NO_PATH;
	if (result == CAIRN_PLAN_OK || result == CAIRN_PLAN_NEAREST) {
		hybrid_room_begin(h);
		hybrid_begin_arcs(h);
		hybrid_course_begin(h);
		add_start(h, start_cell);
		float start_to_go = heuristic(h, start_cell);
		bool ended = run(h);
		if (h->best >= 0) {
			hybrid_trace(h, h->best, &h->best_shot, path);
			path->cost = (double)h->bound;
		} else if (h->expansions <= 1 && !(query->cost_max > 0.0)) {
			result = CAIRN_PLAN_START_BLOCKED;
		} else if (!ended && h->nearest_to_go < start_to_go - (float)(HYBRID_WORTH_M / cm->cell_m)) {
			hybrid_trace(h, h->nearest, NULL, path);
			path->cost = (double)h->nodes[h->nearest].g;
			result = CAIRN_PLAN_PARTIAL;
		} else {
			result = ended ? CAIRN_PLAN_NO_PATH : CAIRN_PLAN_LIMIT;
		}
	}
	if (stats != NULL)
		*stats = (struct cairn_hybrid_stats){
		    h->expansions, h->node_count, h->shots, h->goal_x_m, h->goal_y_m};
	return result;
}
