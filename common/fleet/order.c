#include "common/fleet/order.h"

#include <string.h>

const char *const cairn_fleet_status_names[CAIRN_FLEET_STATUS_COUNT] = {
    "WAITING", "RUNNING", "FINISHED", "FAILED"};
const char *const cairn_fleet_blocking_names[CAIRN_FLEET_BLOCKS_COUNT] = {"NONE", "SOFT", "SINGLE", "HARD"};

static bool ended(const struct cairn_fleet_action *a)
{
	return a->status == CAIRN_FLEET_FINISHED || a->status == CAIRN_FLEET_FAILED;
}

bool cairn_fleet_order_active(const struct cairn_fleet_order *o)
{
	bool active = o->node_count > 0;
	for (uint32_t i = 0; i < o->action_count; i++)
		active |= !ended(&o->actions[i]);
	return active;
}

const struct cairn_fleet_node *cairn_fleet_order_next(const struct cairn_fleet_order *o)
{
	return o->node_count > 0 && o->nodes[0].released && !o->cancelled ? &o->nodes[0] : NULL;
}

void cairn_fleet_order_advance(struct cairn_fleet_order *o)
{
	memcpy(o->last_node, o->nodes[0].id, sizeof(o->last_node));
	o->last_sequence_id = o->nodes[0].sequence_id;
	o->node_count--;
	memmove(&o->nodes[0], &o->nodes[1], o->node_count * sizeof(o->nodes[0]));
	if (o->edge_count > o->node_count) { /* the edge that led here; none leads to the first node */
		o->edge_count--;
		memmove(&o->edges[0], &o->edges[1], o->edge_count * sizeof(o->edges[0]));
	}
}

static bool knows_action(const struct cairn_fleet_order *o, const char *id)
{
	for (uint32_t i = 0; i < o->action_count; i++)
		if (strcmp(o->actions[i].id, id) == 0)
			return true;
	return false;
}

/* The horizon is a plan only: whatever of it the update does not repeat is not to be. */
static void drop_horizon(struct cairn_fleet_order *o)
{
	uint32_t base = 0, kept = 0;
	while (base < o->node_count && o->nodes[base].released)
		base++;
	uint32_t last_id = base > 0 ? o->nodes[base - 1].sequence_id : o->last_sequence_id;
	o->edge_count -= o->node_count - base;
	o->node_count = base;
	for (uint32_t i = 0; i < o->action_count; i++)
		if (o->actions[i].sequence_id <= last_id)
			o->actions[kept++] = o->actions[i];
	o->action_count = kept;
}

/* Those that have ended make room for those to come. */
static void forget_ended(struct cairn_fleet_order *o, uint32_t needed)
{
	for (uint32_t i = 0; i < o->action_count && o->action_count + needed > CAIRN_FLEET_ACTIONS_MAX;) {
		if (!ended(&o->actions[i])) {
			i++;
			continue;
		}
		o->action_count--;
		memmove(&o->actions[i], &o->actions[i + 1], (o->action_count - i) * sizeof(o->actions[0]));
	}
}

bool cairn_fleet_order_stitch(struct cairn_fleet_order *order, const struct cairn_fleet_order *update,
    struct cairn_fleet_refusal *refusal)
{
	struct cairn_fleet_order o = *order;
	drop_horizon(&o);
	const char *end = o.node_count > 0 ? o.nodes[o.node_count - 1].id : o.last_node;
	uint32_t end_id = o.node_count > 0 ? o.nodes[o.node_count - 1].sequence_id : o.last_sequence_id;
	if (strcmp(update->nodes[0].id, end) != 0 || update->nodes[0].sequence_id != end_id)
		return cairn_fleet_refuse(
		    refusal, CAIRN_FAULT_STITCH, "the update does not begin at the last node of the base");
	forget_ended(&o, update->action_count);
	if (o.node_count + update->node_count - 1 > CAIRN_FLEET_NODES_MAX ||
	    o.action_count + update->action_count > CAIRN_FLEET_ACTIONS_MAX)
		return cairn_fleet_refuse(
		    refusal, CAIRN_FAULT_MEMORY, "more nodes or actions ahead than are kept");
	memcpy(&o.nodes[o.node_count], &update->nodes[1], (update->node_count - 1) * sizeof(o.nodes[0]));
	memcpy(&o.edges[o.edge_count], update->edges, update->edge_count * sizeof(o.edges[0]));
	o.node_count += update->node_count - 1;
	o.edge_count += update->edge_count;
	for (uint32_t i = 0; i < update->action_count; i++)
		if (!knows_action(&o, update->actions[i].id))
			o.actions[o.action_count++] = update->actions[i];
	o.update_id = update->update_id;
	*order = o;
	return true;
}

void cairn_fleet_order_cancel(struct cairn_fleet_order *o, const char *why)
{
	o->cancelled = true;
	for (uint32_t i = 0; i < o->action_count; i++) {
		if (ended(&o->actions[i]))
			continue;
		o->actions[i].status = CAIRN_FLEET_FAILED;
		snprintf(o->actions[i].result, sizeof(o->actions[i].result), "%s", why);
	}
}

void cairn_fleet_order_drop(struct cairn_fleet_order *o, const char *why)
{
	cairn_fleet_order_cancel(o, why);
	o->node_count = o->edge_count = 0;
}
