/* fleet_store.c - what survives the end of the process: the order and how far it is, who has the robot, zones. */
#include <string.h>

#include "common/fleet/fleet_private.h"

#define RECORD_VERSION 1

static json_t *nodes_json(const struct cairn_fleet_order *o)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < o->node_count; i++) {
		const struct cairn_fleet_node *n = &o->nodes[i];
		json_array_append_new(
		    list, json_pack("{s:s, s:I, s:b, s:b, s:f, s:f, s:f}", "id", n->id, "sequence",
			      (json_int_t)n->sequence_id, "released", n->released, "positioned",
			      n->positioned, "x_m", n->x_m, "y_m", n->y_m, "deviation_m", n->deviation_m));
	}
	return list;
}

static json_t *edges_json(const struct cairn_fleet_order *o)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < o->edge_count; i++)
		json_array_append_new(
		    list, json_pack("{s:s, s:I, s:b}", "id", o->edges[i].id, "sequence",
			      (json_int_t)o->edges[i].sequence_id, "released", o->edges[i].released));
	return list;
}

static json_t *actions_json(const struct cairn_fleet_action *actions, uint32_t count)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < count; i++) {
		const struct cairn_fleet_action *a = &actions[i];
		json_array_append_new(
		    list, json_pack("{s:s, s:s, s:i, s:i, s:i, s:I, s:f, s:s}", "id", a->id, "type", a->type,
			      "kind", (int)a->kind, "blocking", (int)a->blocking, "status", (int)a->status,
			      "sequence", (json_int_t)a->sequence_id, "duration_s", a->duration_s, "result",
			      a->result));
	}
	return list;
}

char *cairn_fleet_save(const struct cairn_fleet *f)
{
	const struct cairn_fleet_order *o = &f->order;
	json_t *done = json_array();
	for (int i = 0; i < FLEET_DONE_MAX; i++)
		json_array_append_new(done, json_integer((json_int_t)f->done[i]));
	json_t *j = json_pack("{s:i, s:b, s:b, s:I, s:i, s:o, s:{s:s, s:i}, s:{s:b, s:f, s:f}, s:o, s:{s:s, "
			      "s:I, s:s, s:I, s:b, s:o, s:o, s:o}}",
	    "version", RECORD_VERSION, "manual", f->manual, "paused", f->paused, "commanded",
	    (json_int_t)f->commanded, "done_at", (int)f->done_at, "done", done, "zones", "id",
	    f->zones.set_id, "count", (int)f->zones.count, "drive", "stopping", f->drive.stopping, "x_m",
	    f->drive.goal.x_m, "y_m", f->drive.goal.y_m, "instants",
	    actions_json(f->instants, f->instant_count), "order", "id", o->id, "update",
	    (json_int_t)o->update_id, "last_node", o->last_node, "last_sequence",
	    (json_int_t)o->last_sequence_id, "cancelled", o->cancelled, "nodes", nodes_json(o), "edges",
	    edges_json(o), "actions", actions_json(o->actions, o->action_count));
	char *text = j != NULL ? json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
	json_decref(j);
	return text;
}

/* ---- reading: the file is ours, but a disk may have spoilt it ---- */

static bool get_text(const json_t *j, const char *key, char *ret, size_t cap)
{
	const char *text = json_string_value(json_object_get(j, key));
	if (text == NULL || strlen(text) >= cap)
		return false;
	snprintf(ret, cap, "%s", text);
	return true;
}

static bool get_count(const json_t *j, const char *key, uint32_t max, uint32_t *ret)
{
	const json_t *value = json_object_get(j, key);
	json_int_t n = json_integer_value(value);
	if (!json_is_integer(value) || n < 0 || n > max)
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool load_nodes(const json_t *list, struct cairn_fleet_order *o)
{
	bool ok = json_is_array(list) && json_array_size(list) <= CAIRN_FLEET_NODES_MAX;
	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		struct cairn_fleet_node *n = &o->nodes[o->node_count++];
		ok = get_text(j, "id", n->id, sizeof(n->id)) &&
		     get_count(j, "sequence", UINT32_MAX, &n->sequence_id);
		n->released = json_is_true(json_object_get(j, "released"));
		n->positioned = json_is_true(json_object_get(j, "positioned"));
		n->x_m = json_number_value(json_object_get(j, "x_m"));
		n->y_m = json_number_value(json_object_get(j, "y_m"));
		n->deviation_m = json_number_value(json_object_get(j, "deviation_m"));
	}
	return ok;
}

static bool load_edges(const json_t *list, struct cairn_fleet_order *o)
{
	bool ok = json_is_array(list) && json_array_size(list) <= CAIRN_FLEET_NODES_MAX;
	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		struct cairn_fleet_edge *e = &o->edges[o->edge_count++];
		ok = get_text(j, "id", e->id, sizeof(e->id)) &&
		     get_count(j, "sequence", UINT32_MAX, &e->sequence_id);
		e->released = json_is_true(json_object_get(j, "released"));
	}
	return ok && o->edge_count == o->node_count;
}

static bool load_actions(
    const json_t *list, struct cairn_fleet_action *actions, uint32_t max, uint32_t *ret_count)
{
	bool ok = json_is_array(list) && json_array_size(list) <= max;
	*ret_count = 0;
	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		struct cairn_fleet_action *a = &actions[(*ret_count)++];
		uint32_t kind, blocking, status;
		ok = get_text(j, "id", a->id, sizeof(a->id)) &&
		     get_text(j, "type", a->type, sizeof(a->type)) &&
		     get_text(j, "result", a->result, sizeof(a->result)) &&
		     get_count(j, "sequence", UINT32_MAX, &a->sequence_id) &&
		     get_count(j, "kind", CAIRN_VDA_ACTION_COUNT, &kind) &&
		     get_count(j, "blocking", CAIRN_FLEET_BLOCKS_COUNT - 1, &blocking) &&
		     get_count(j, "status", CAIRN_FLEET_STATUS_COUNT - 1, &status);
		if (!ok)
			break;
		a->kind = (enum cairn_vda_action)kind;
		a->blocking = (enum cairn_fleet_blocking)blocking;
		a->status = (enum cairn_fleet_status)status;
		a->duration_s = json_number_value(json_object_get(j, "duration_s"));
	}
	return ok;
}

static bool load_order(const json_t *j, struct cairn_fleet_order *o)
{
	o->cancelled = json_is_true(json_object_get(j, "cancelled"));
	return get_text(j, "id", o->id, sizeof(o->id)) &&
	       get_text(j, "last_node", o->last_node, sizeof(o->last_node)) &&
	       get_count(j, "update", UINT32_MAX, &o->update_id) &&
	       get_count(j, "last_sequence", UINT32_MAX, &o->last_sequence_id) &&
	       load_nodes(json_object_get(j, "nodes"), o) && load_edges(json_object_get(j, "edges"), o) &&
	       load_actions(
		   json_object_get(j, "actions"), o->actions, CAIRN_FLEET_ACTIONS_MAX, &o->action_count);
}

bool fleet_load(struct cairn_fleet *f, const char *record, struct cairn_error *err)
{
	json_error_t at;
	json_t *j = json_loads(record, JSON_REJECT_DUPLICATES, &at), *done = json_object_get(j, "done");
	const json_t *zones = json_object_get(j, "zones");
	bool ok =
	    json_integer_value(json_object_get(j, "version")) == RECORD_VERSION &&
	    json_array_size(done) == FLEET_DONE_MAX &&
	    get_count(j, "done_at", FLEET_DONE_MAX - 1, &f->done_at) &&
	    get_text(zones, "id", f->zones.set_id, sizeof(f->zones.set_id)) &&
	    get_count(zones, "count", FLEET_ZONES_MAX, &f->zones.count) &&
	    load_order(json_object_get(j, "order"), &f->order) &&
	    load_actions(json_object_get(j, "instants"), f->instants, FLEET_INSTANTS_MAX, &f->instant_count);
	for (int i = 0; ok && i < FLEET_DONE_MAX; i++)
		f->done[i] = (uint64_t)json_integer_value(json_array_get(done, (size_t)i));
	f->manual = json_is_true(json_object_get(j, "manual"));
	f->paused = json_is_true(json_object_get(j, "paused"));
	f->commanded = (uint64_t)json_integer_value(json_object_get(j, "commanded"));
	const json_t *drive = json_object_get(j, "drive");
	f->drive.goal.x_m = json_number_value(json_object_get(drive, "x_m"));
	f->drive.goal.y_m = json_number_value(json_object_get(drive, "y_m"));
	f->drive.stopping = json_is_true(json_object_get(drive, "stopping"));
	f->drive.stop_tag = UINT64_MAX; /* not answered: it is given again at once */
	json_decref(j);
	if (!ok)
		cairn_error_set(err, "what was kept of the fleet's order cannot be read: remove it, and have "
				     "the order sent again");
	return ok;
}
