/* fleet_take.c - which orders are accepted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fleet/fleet_private.h"

static void refused(
    struct cairn_fleet *f, const struct cairn_fleet_order *o, const struct cairn_fleet_refusal *r)
{
	struct fleet_error e = {.fault = r->fault, .update_id = o->update_id};
	snprintf(e.text, sizeof(e.text), "%.159s", r->why.text);
	memcpy(e.order_id, o->id, sizeof(e.order_id));
	memcpy(e.action_id, r->action_id, sizeof(e.action_id));
	f->rejects++;
	fleet_fault(f, &e);
}

static bool was_done(const struct cairn_fleet *f, const char *id)
{
	uint64_t hash = fleet_order_hash(id);
	for (int i = 0; i < FLEET_DONE_MAX; i++)
		if (f->done[i] == hash)
			return true;
	return false;
}

/* Another order than the present one. */
static bool may_begin(
    const struct cairn_fleet *f, const struct cairn_fleet_order *o, struct cairn_fleet_refusal *r)
{
	if (cairn_fleet_order_active(&f->order))
		return cairn_fleet_refuse(r, CAIRN_FAULT_OTHER_ORDER, "the present order is not done");
	if (f->drive.stopping)
		return cairn_fleet_refuse(r, CAIRN_FAULT_OTHER_ORDER, "the robot is still coming to a stand");
	if (was_done(f, o->id))
		return cairn_fleet_refuse(r, CAIRN_FAULT_OUTDATED, "this order has been done, or dropped");
	if (!fleet_automatic(f))
		return cairn_fleet_refuse(r, CAIRN_FAULT_MODE,
		    f->manual ? "a person has the robot" : "another mission is under way");
	if (!fleet_localized(f))
		return cairn_fleet_refuse(r, CAIRN_FAULT_MODE, "the robot does not know where it is");
	if (!fleet_at_first(f, o))
		return cairn_fleet_refuse(r, CAIRN_FAULT_START,
		    "the robot is not at the first node (allowedDeviationXY, fleet.first_node_m)");
	return true;
}

static bool may_update(
    const struct cairn_fleet *f, const struct cairn_fleet_order *o, struct cairn_fleet_refusal *r)
{
	if (o->update_id < f->order.update_id)
		return cairn_fleet_refuse(r, CAIRN_FAULT_OUTDATED, "a newer update has been accepted");
	if (o->update_id == f->order.update_id)
		return cairn_fleet_refuse(r, CAIRN_FAULT_SAME_UPDATE, "it has been accepted before");
	if (f->order.cancelled)
		return cairn_fleet_refuse(r, CAIRN_FAULT_AFTER_CANCEL, "the order was cancelled");
	if (!fleet_automatic(f))
		return cairn_fleet_refuse(r, CAIRN_FAULT_MODE, "a person has the robot");
	return true;
}

/* The robot stands on the first node already. */
static void begin(struct cairn_fleet *f, const struct cairn_fleet_order *o)
{
	if (f->order.id[0] != '\0') {
		f->done[f->done_at] = fleet_order_hash(f->order.id);
		f->done_at = (f->done_at + 1) % FLEET_DONE_MAX;
	}
	f->order = *o;
	cairn_fleet_order_advance(&f->order);
	f->last_node_distance_m = f->pose.distance_m;
	f->drive.t_retry_ns = 0;
	uint32_t kept = 0; /* instant actions that have ended belong to the order before */
	for (uint32_t i = 0; i < f->instant_count; i++)
		if (f->instants[i].status == CAIRN_FLEET_RUNNING)
			f->instants[kept++] = f->instants[i];
	f->instant_count = kept;
}

void fleet_take_order(struct cairn_fleet *f, const json_t *m, int64_t now_ns)
{
	struct cairn_fleet_refusal r;
	struct cairn_fleet_order *o =
	    malloc(sizeof(*o)); /* too large for the stack of a stage beside others */
	(void)now_ns;
	if (o == NULL)
		return;
	bool ok = cairn_fleet_order_read(m, &f->body, o, &r);
	bool update = strcmp(o->id, f->order.id) == 0 && o->id[0] != '\0';
	if (ok && update)
		ok = may_update(f, o, &r) && cairn_fleet_order_stitch(&f->order, o, &r);
	else if (ok && (ok = may_begin(f, o, &r)))
		begin(f, o);
	if (ok) {
		fleet_clear_faults(f, CAIRN_VDA_UNTIL_ORDER);
		fleet_fault_gone(f, CAIRN_FAULT_UNREACHABLE);
		fleet_changed(f);
	} else if (r.fault == CAIRN_FAULT_SAME_UPDATE && f->version == CAIRN_CHOICE_FLEET_VERSION_V2_1) {
		f->state_due = true; /* whoever sends it again has not heard that it was accepted */
	} else {
		refused(f, o, &r);
	}
	free(o);
}
