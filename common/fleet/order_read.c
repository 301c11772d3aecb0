/* order_read.c - an order as it comes: form first, then what the robot can heed. Everything in it is from outside. */
#include <math.h>
#include <string.h>

#include "common/fleet/order.h"

#define ANGLE_FREE 3.1415 /* a deviation of the heading that allows every heading */

bool cairn_fleet_refuse(struct cairn_fleet_refusal *r, enum cairn_vda_fault fault, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	r->fault = fault;
	vsnprintf(r->why.text, sizeof(r->why.text), fmt, ap);
	va_end(ap);
	return false;
}

/* A word for topics, messages and logs: bytes that print, and as many as are kept. */
static bool read_id(const json_t *j, const char *key, char ret[CAIRN_FLEET_ID_CAP])
{
	const json_t *value = json_object_get(j, key);
	size_t n = json_string_length(value);
	const char *text = json_string_value(value);
	if (text == NULL || n == 0 || n >= CAIRN_FLEET_ID_CAP)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
			return false;
	memset(ret, 0, CAIRN_FLEET_ID_CAP);
	memcpy(ret, text, n);
	return true;
}

static bool read_count(const json_t *j, const char *key, uint32_t *ret)
{
	const json_t *value = json_object_get(j, key);
	json_int_t n = json_integer_value(value);
	if (!json_is_integer(value) || n < 0 || n > UINT32_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool read_number(const json_t *j, const char *key, double *ret)
{
	const json_t *value = json_object_get(j, key);
	if (!json_is_number(value) || !isfinite(json_number_value(value)))
		return false;
	*ret = json_number_value(value);
	return true;
}

/* ---- actions ---- */

static bool read_blocking(
    const json_t *j, enum cairn_choice_fleet_version version, enum cairn_fleet_blocking *ret)
{
	const char *text = json_string_value(json_object_get(j, "blockingType"));
	for (int i = 0; text != NULL && i < CAIRN_FLEET_BLOCKS_COUNT; i++) {
		if (i == CAIRN_FLEET_BLOCKS_SINGLE && version == CAIRN_CHOICE_FLEET_VERSION_V2_1)
			continue;
		*ret = (enum cairn_fleet_blocking)i;
		if (strcmp(text, cairn_fleet_blocking_names[i]) == 0)
			return true;
	}
	return false;
}

static const json_t *parameter(const json_t *action, const char *name)
{
	const json_t *list = json_object_get(action, "actionParameters");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);
		const char *key = json_string_value(json_object_get(p, "key"));
		if (key != NULL && strcmp(key, name) == 0)
			return json_object_get(p, "value");
	}
	return NULL;
}

static bool read_place(const json_t *j, const struct cairn_fleet_body *body, struct cairn_fleet_action *a,
    struct cairn_fleet_refusal *r)
{
	const json_t *x = parameter(j, "x"), *y = parameter(j, "y"), *theta = parameter(j, "theta");
	const char *map = json_string_value(parameter(j, "mapId")),
		   *node = json_string_value(parameter(j, "lastNodeId"));
	a->place = (struct cairn_pose2){
	    json_number_value(x), json_number_value(y), cairn_wrap_rad(json_number_value(theta))};
	if (!json_is_number(x) || !json_is_number(y) || !json_is_number(theta) ||
	    !(fabs(a->place.x_m) < 1e6) || !(fabs(a->place.y_m) < 1e6) ||
	    !(fabs(json_number_value(theta)) <= 2.0 * M_PI))
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_INSTANT, "%.40s needs x, y and theta as numbers", a->type);
	if (map == NULL || strcmp(map, body->map_id) != 0)
		return cairn_fleet_refuse(r, CAIRN_FAULT_INSTANT,
		    "%.40s is on map '%.60s', the robot on '%.60s'", a->type, map != NULL ? map : "",
		    body->map_id);
	snprintf(a->result, sizeof(a->result), "%s",
	    node != NULL && strlen(node) < CAIRN_FLEET_ID_CAP ? node : "");
	return true;
}

bool cairn_fleet_action_read(const json_t *j, const struct cairn_fleet_body *body, bool instant,
    struct cairn_fleet_action *a, struct cairn_fleet_refusal *r)
{
	*a = (struct cairn_fleet_action){.kind = CAIRN_VDA_ACTION_COUNT};
	if (!read_id(j, "actionId", a->id) || !read_id(j, "actionType", a->type) ||
	    !read_blocking(j, body->version, &a->blocking))
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION,
		    "an action has no actionId, actionType of 1 to %d bytes, or no blockingType",
		    CAIRN_FLEET_ID_CAP - 1);
	memcpy(r->action_id, a->id, sizeof(r->action_id));
	a->kind = cairn_vda_action_find(body->version, a->type, instant);
	if (a->kind == CAIRN_VDA_ACTION_LOCATE) {
		if (!read_place(j, body, a, r))
			return false;
	} else if (instant) {
		const char *text =
		    json_string_value(parameter(j, a->kind == CAIRN_VDA_ACTION_LOG ? "reason" : "orderId"));
		snprintf(a->result, sizeof(a->result), "%s", text != NULL ? text : "");
	} else if (a->kind == CAIRN_VDA_ACTION_WAIT) {
		const json_t *d = parameter(j, "duration");
		a->duration_s = json_number_value(d);
		if (!json_is_number(d) || !(a->duration_s >= 0.0 && a->duration_s <= CAIRN_FLEET_WAIT_MAX_S))
			return cairn_fleet_refuse(r, CAIRN_FAULT_ORDER_ACTION,
			    "action %s: wait needs a duration of 0 to %.0f s", a->id, CAIRN_FLEET_WAIT_MAX_S);
	} else {
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_ORDER_ACTION, "action %s: %s is not known here", a->id, a->type);
	}
	r->action_id[0] = '\0';
	return true;
}

static bool read_actions(const json_t *owner, const struct cairn_fleet_body *body, uint32_t sequence_id,
    struct cairn_fleet_order *o, struct cairn_fleet_refusal *r)
{
	const json_t *list = json_object_get(owner, "actions");
	if (!json_is_array(list))
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "a node or edge without 'actions', which may be empty");
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct cairn_fleet_action *a = &o->actions[o->action_count];
		if (o->action_count == CAIRN_FLEET_ACTIONS_MAX)
			return cairn_fleet_refuse(
			    r, CAIRN_FAULT_MEMORY, "more than %d actions", CAIRN_FLEET_ACTIONS_MAX);
		if (!cairn_fleet_action_read(json_array_get(list, i), body, false, a, r))
			return false;
		for (uint32_t k = 0; k < o->action_count; k++)
			if (strcmp(o->actions[k].id, a->id) == 0)
				return cairn_fleet_refuse(
				    r, CAIRN_FAULT_VALIDATION, "action %s stands twice", a->id);
		a->sequence_id = sequence_id;
		o->action_count++;
	}
	return true;
}

/* ---- nodes and edges ---- */

/* Fields that the robot would have to disregard. */
static bool heeds(const json_t *j, bool edge, const char *id, struct cairn_fleet_refusal *r)
{
	for (size_t i = 0; i < cairn_vda_unusable_count; i++) {
		const struct cairn_vda_unusable_row *row = &cairn_vda_unusable[i];
		const json_t *value = json_object_get(j, row->field);
		double free_rad;
		if (row->edge != edge || value == NULL || json_is_null(value) || json_is_true(value))
			continue;
		if (!edge && read_number(j, "allowedDeviationTheta", &free_rad) && free_rad >= ANGLE_FREE)
			continue; /* any heading will do */
		return cairn_fleet_refuse(r, CAIRN_FAULT_PARAMETER, "%s: %s cannot be heed%s", id, row->field,
		    edge ? "ed" : "ed: leave it out, or allow any with allowedDeviationTheta of pi");
	}
	return true;
}

static bool read_position(const json_t *node, const struct cairn_fleet_body *body, struct cairn_fleet_node *n,
    struct cairn_fleet_refusal *r)
{
	const json_t *p = json_object_get(node, "nodePosition"),
		     *deviation = json_object_get(p, "allowedDeviationXY");
	const char *map = json_string_value(json_object_get(p, "mapId"));
	double a_m, b_m;
	n->positioned = json_is_object(p);
	if (!n->positioned)
		return true;
	if (!read_number(p, "x", &n->x_m) || !read_number(p, "y", &n->y_m) || map == NULL)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "node %s: a position needs x, y and mapId", n->id);
	if (fabs(n->x_m) > 1e6 || fabs(n->y_m) > 1e6)
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION, "node %s lies off any map", n->id);
	if (strcmp(map, body->map_id) != 0)
		return cairn_fleet_refuse(r, CAIRN_FAULT_MAP,
		    "node %s is on map '%.60s', the robot on '%.60s'", n->id, map, body->map_id);
	if (json_is_number(deviation))
		n->deviation_m = json_number_value(deviation);
	else if (read_number(deviation, "a", &a_m) && read_number(deviation, "b", &b_m))
		n->deviation_m = fmin(a_m, b_m); /* of the ellipse of 3.0 the circle that fits in */
	if (!(n->deviation_m >= 0.0 && n->deviation_m <= 1e6))
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "node %s: allowedDeviationXY is negative", n->id);
	return heeds(p, false, n->id, r);
}

static bool read_node(const json_t *j, const struct cairn_fleet_body *body, struct cairn_fleet_order *o,
    struct cairn_fleet_refusal *r)
{
	struct cairn_fleet_node *n = &o->nodes[o->node_count];
	const json_t *released = json_object_get(j, "released");
	if (!read_id(j, "nodeId", n->id) || !read_count(j, "sequenceId", &n->sequence_id) ||
	    !json_is_boolean(released))
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION,
		    "a node has no nodeId of 1 to %d bytes, sequenceId or released", CAIRN_FLEET_ID_CAP - 1);
	n->released = json_is_true(released);
	if (!read_position(j, body, n, r) || !read_actions(j, body, n->sequence_id, o, r))
		return false;
	if (!n->positioned && o->node_count > 0)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_PARAMETER, "node %s has no nodePosition to drive to", n->id);
	o->node_count++;
	return true;
}

static bool read_edge(const json_t *j, const struct cairn_fleet_body *body, struct cairn_fleet_order *o,
    struct cairn_fleet_refusal *r)
{
	struct cairn_fleet_edge *e = &o->edges[o->edge_count];
	const struct cairn_fleet_node *from = &o->nodes[o->edge_count], *to = from + 1;
	const json_t *released = json_object_get(j, "released");
	char start[CAIRN_FLEET_ID_CAP], end[CAIRN_FLEET_ID_CAP];
	double limit;
	if (!read_id(j, "edgeId", e->id) || !read_count(j, "sequenceId", &e->sequence_id) ||
	    !json_is_boolean(released) || !read_id(j, "startNodeId", start) || !read_id(j, "endNodeId", end))
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION,
		    "an edge has no edgeId of 1 to %d bytes, sequenceId, released, startNodeId or endNodeId",
		    CAIRN_FLEET_ID_CAP - 1);
	e->released = json_is_true(released);
	if (strcmp(start, from->id) != 0 || strcmp(end, to->id) != 0 ||
	    e->sequence_id != from->sequence_id + 1 || to->sequence_id != e->sequence_id + 1)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "edge %s does not lead from one node to the next", e->id);
	if (e->released != to->released || (e->released && !from->released))
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "edge %s: base and horizon are mixed", e->id);
	if (read_number(j, cairn_vda(body->version, CAIRN_VDA_MAX_SPEED), &limit) &&
	    limit < body->speed_max_mps)
		return cairn_fleet_refuse(r, CAIRN_FAULT_PARAMETER,
		    "edge %s: the robot may drive %.2f m/s, set robot.speed_max_mps", e->id,
		    body->speed_max_mps);
	if (read_number(j, cairn_vda(body->version, CAIRN_VDA_MAX_HEIGHT), &limit) && limit < body->height_m)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_PARAMETER, "edge %s: the robot is %.2f m high", e->id, body->height_m);
	const json_t *actions = json_object_get(j, "actions");
	if (json_array_size(actions) > 0)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_ORDER_ACTION, "edge %s: actions are done at nodes only", e->id);
	o->edge_count++;
	return heeds(j, true, e->id, r);
}

bool cairn_fleet_order_read(const json_t *m, const struct cairn_fleet_body *body, struct cairn_fleet_order *o,
    struct cairn_fleet_refusal *r)
{
	const json_t *nodes = json_object_get(m, "nodes"), *edges = json_object_get(m, "edges");
	memset(o, 0, sizeof(*o));
	*r = (struct cairn_fleet_refusal){.fault = CAIRN_FAULT_VALIDATION};
	if (!read_id(m, "orderId", o->id) || !read_count(m, "orderUpdateId", &o->update_id))
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION,
		    "no orderId of 1 to %d bytes, or no orderUpdateId", CAIRN_FLEET_ID_CAP - 1);
	if (!json_is_array(nodes) || !json_is_array(edges) ||
	    json_array_size(nodes) != json_array_size(edges) + 1)
		return cairn_fleet_refuse(
		    r, CAIRN_FAULT_VALIDATION, "an order has nodes, and an edge between each two");
	if (json_array_size(nodes) > CAIRN_FLEET_NODES_MAX)
		return cairn_fleet_refuse(r, CAIRN_FAULT_MEMORY, "more than %d nodes", CAIRN_FLEET_NODES_MAX);
	for (size_t i = 0; i < json_array_size(nodes); i++)
		if (!read_node(json_array_get(nodes, i), body, o, r))
			return false;
	if (!o->nodes[0].released)
		return cairn_fleet_refuse(r, CAIRN_FAULT_VALIDATION, "the first node is not released");
	for (size_t i = 0; i < json_array_size(edges); i++)
		if (!read_edge(json_array_get(edges, i), body, o, r))
			return false;
	return true;
}
