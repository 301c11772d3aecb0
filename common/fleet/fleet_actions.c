/* fleet_actions.c - actions at nodes, and instant ones. */
#include <string.h>

#include "common/fleet/fleet_private.h"

static bool ended(const struct cairn_fleet_action *a)
{
	return a->status == CAIRN_FLEET_FINISHED || a->status == CAIRN_FLEET_FAILED;
}

static void set(
    struct cairn_fleet *f, struct cairn_fleet_action *a, enum cairn_fleet_status status, const char *result)
{
	a->status = status;
	snprintf(a->result, sizeof(a->result), "%s", result);
	fleet_changed(f);
}

/* ---- of nodes ---- */

static bool at_hand(const struct cairn_fleet *f, const struct cairn_fleet_action *a)
{
	return !ended(a) && a->sequence_id <= f->order.last_sequence_id;
}

static bool holds_wheels(const struct cairn_fleet_action *a)
{
	return a->blocking == CAIRN_FLEET_BLOCKS_SOFT || a->blocking == CAIRN_FLEET_BLOCKS_HARD;
}

static bool wants_alone(const struct cairn_fleet_action *a)
{
	return a->blocking == CAIRN_FLEET_BLOCKS_SINGLE || a->blocking == CAIRN_FLEET_BLOCKS_HARD;
}

bool fleet_actions_allow_driving(const struct cairn_fleet *f)
{
	for (uint32_t i = 0; i < f->order.action_count; i++)
		if (at_hand(f, &f->order.actions[i]) && holds_wheels(&f->order.actions[i]))
			return false;
	return true;
}

/* In their order: one that wants to be alone waits for those before it, and those behind it wait for it. */
static void start_some(struct cairn_fleet *f)
{
	bool stands = !fleet_driving(f) && f->drive.way == FLEET_WAY_NONE;
	uint32_t running = 0;
	for (uint32_t i = 0; i < f->order.action_count; i++) {
		struct cairn_fleet_action *a = &f->order.actions[i];
		if (!at_hand(f, a))
			continue;
		if (a->status == CAIRN_FLEET_WAITING && (!wants_alone(a) || running == 0) &&
		    (!holds_wheels(a) || stands))
			set(f, a, CAIRN_FLEET_RUNNING, "");
		if (wants_alone(a))
			return;
		running++;
	}
}

static void run_actions(struct cairn_fleet *f, double elapsed_s)
{
	for (uint32_t i = 0; i < f->order.action_count; i++) {
		struct cairn_fleet_action *a = &f->order.actions[i];
		if (a->status != CAIRN_FLEET_RUNNING)
			continue;
		a->duration_s -= elapsed_s;
		if (a->duration_s <= 0.0)
			set(f, a, CAIRN_FLEET_FINISHED, "");
	}
}

/* ---- instant ---- */

static void finish_cancel(struct cairn_fleet *f)
{
	for (uint32_t i = 0; i < f->instant_count; i++) {
		struct cairn_fleet_action *a = &f->instants[i];
		if (a->kind == CAIRN_VDA_ACTION_CANCEL && a->status == CAIRN_FLEET_RUNNING &&
		    !f->drive.stopping) {
			f->order.node_count = f->order.edge_count = 0;
			set(f, a, CAIRN_FLEET_FINISHED, "");
		}
	}
}

void fleet_step_actions(struct cairn_fleet *f, int64_t now_ns)
{
	double elapsed_s = f->t_actions_ns != 0 ? (double)(now_ns - f->t_actions_ns) * 1e-9 : 0.0;
	f->t_actions_ns = now_ns;
	finish_cancel(f);
	if (f->paused || !fleet_automatic(f))
		return;
	run_actions(f, elapsed_s);
	start_some(f);
}

static void instant_fault(
    struct cairn_fleet *f, const struct cairn_fleet_action *a, enum cairn_vda_fault fault, const char *why)
{
	struct fleet_error e = {.fault = fault};
	memcpy(e.action_id, a->id, sizeof(e.action_id));
	memcpy(e.action_type, a->type, sizeof(e.action_type));
	snprintf(e.text, sizeof(e.text), "%.159s", why);
	f->rejects++;
	fleet_fault(f, &e);
}

void fleet_run_instant(struct cairn_fleet *f, struct cairn_fleet_action *a)
{
	set(f, a, CAIRN_FLEET_RUNNING, "");
}

void fleet_end_instant(
    struct cairn_fleet *f, struct cairn_fleet_action *a, enum cairn_fleet_status status, const char *result)
{
	set(f, a, status, result);
	if (status == CAIRN_FLEET_FAILED)
		instant_fault(f, a, CAIRN_FAULT_INSTANT, result);
}

static void cancel(struct cairn_fleet *f, struct cairn_fleet_action *a, int64_t now_ns)
{
	bool other = a->result[0] != '\0' && strcmp(a->result, f->order.id) != 0;
	if (!cairn_fleet_order_active(&f->order) || f->order.cancelled || other) {
		set(f, a, CAIRN_FLEET_FAILED, "no such order to cancel");
		instant_fault(f, a, CAIRN_FAULT_NO_ORDER, "there is no order to cancel");
		return;
	}
	cairn_fleet_order_cancel(&f->order, "cancelled");
	f->paused = false;
	fleet_stop_driving(f, now_ns);
	set(f, a, CAIRN_FLEET_RUNNING, "");
}

/* A pause of a person is a person's to end. */
static void go_on(struct cairn_fleet *f, struct cairn_fleet_action *a)
{
	bool others = !f->paused && !f->drive.held && f->mission.state == CAIRN_MISSION_STATE_PAUSED;
	if (others) {
		set(f, a, CAIRN_FLEET_FAILED, "a person has paused the robot");
		instant_fault(
		    f, a, CAIRN_FAULT_INSTANT, "a person has paused the robot: 'cairn resume' goes on");
		return;
	}
	f->paused = false;
	set(f, a, CAIRN_FLEET_FINISHED, "");
}

static void forget_instants(struct cairn_fleet *f)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->instant_count; i++)
		if (!ended(&f->instants[i]))
			f->instants[kept++] = f->instants[i];
	f->instant_count = kept;
}

static void act(struct cairn_fleet *f, struct cairn_fleet_action *a, int64_t now_ns)
{
	switch (a->kind) {
	case CAIRN_VDA_ACTION_CANCEL:
		cancel(f, a, now_ns);
		return;
	case CAIRN_VDA_ACTION_PAUSE:
		f->paused = true;
		set(f, a, CAIRN_FLEET_FINISHED, "");
		return;
	case CAIRN_VDA_ACTION_UNPAUSE:
		go_on(f, a);
		return;
	case CAIRN_VDA_ACTION_STATE:
		set(f, a, CAIRN_FLEET_FINISHED, "");
		return;
	case CAIRN_VDA_ACTION_FACTSHEET:
		fleet_tell_factsheet(f, now_ns);
		set(f, a, CAIRN_FLEET_FINISHED, "");
		return;
	case CAIRN_VDA_ACTION_LOG:
		snprintf(f->report, sizeof(f->report), "logReport of master control: %.95s", a->result);
		set(f, a, CAIRN_FLEET_FINISHED, "it is in the log of the stage fleet");
		return;
	case CAIRN_VDA_ACTION_LOCATE:
		fleet_locate(f, a, now_ns);
		return;
	case CAIRN_VDA_ACTION_CLEAR:
		set(f, a, CAIRN_FLEET_FINISHED, "");
		return;
	case CAIRN_VDA_ACTION_WAIT:
	case CAIRN_VDA_ACTION_COUNT:
		set(f, a, CAIRN_FLEET_FAILED, "not known here");
		instant_fault(f, a, CAIRN_FAULT_INSTANT, "an instant action that is not known here");
	}
}

/* A place in the list; the oldest that has ended makes room, and a cancel that is under way is not lost. */
static struct cairn_fleet_action *place(struct cairn_fleet *f)
{
	uint32_t at = 0;
	if (f->instant_count < FLEET_INSTANTS_MAX)
		return &f->instants[f->instant_count++];
	while (at < FLEET_INSTANTS_MAX - 1 && !ended(&f->instants[at]))
		at++;
	memmove(
	    &f->instants[at], &f->instants[at + 1], (FLEET_INSTANTS_MAX - 1 - at) * sizeof(f->instants[0]));
	return &f->instants[FLEET_INSTANTS_MAX - 1];
}

static bool known(const struct cairn_fleet *f, const char *id)
{
	for (uint32_t i = 0; i < f->instant_count; i++)
		if (strcmp(f->instants[i].id, id) == 0)
			return true;
	return false;
}

void fleet_take_instants(struct cairn_fleet *f, const json_t *m, int64_t now_ns)
{
	const json_t *list = json_object_get(m, "actions");
	if (list == NULL) /* of 2.0 */
		list = json_object_get(m, "instantActions");
	struct cairn_fleet_action a;
	struct cairn_fleet_refusal r = {.fault = CAIRN_FAULT_INSTANT};
	bool good = json_is_array(list) && json_array_size(list) <= FLEET_INSTANTS_MAX;
	for (size_t i = 0; good && i < json_array_size(list); i++) {
		good = cairn_fleet_action_read(json_array_get(list, i), &f->body, true, &a, &r);
		if (!good || known(f, a.id))
			continue; /* the same message again: it has been done */
		if (a.kind != CAIRN_VDA_ACTION_COUNT)
			fleet_clear_faults(f, CAIRN_VDA_UNTIL_INSTANT);
		if (a.kind == CAIRN_VDA_ACTION_CLEAR)
			forget_instants(f);
		struct cairn_fleet_action *kept = place(f);
		*kept = a;
		act(f, kept, now_ns);
	}
	if (good)
		return;
	snprintf(a.id, sizeof(a.id), "%s", r.action_id);
	a.type[0] = '\0';
	instant_fault(f, &a, CAIRN_FAULT_INSTANT,
	    r.why.text[0] != '\0' ? r.why.text : "no list 'actions' of 16 at most");
}
