/* fleet_drive.c - an order driven node by node, by the operator's goto, pause, resume and stop. */
#include <math.h>
#include <string.h>

#include "common/fleet/fleet_private.h"

#define SAME_GOAL_M 0.02
#define MISSION_NS (2 * CAIRN_NS_PER_S)
#define HOLD_NS CAIRN_NS_PER_S /* a pause or resume that shows no effect is asked again after this */
#define SOON_NS CAIRN_NS_PER_S /* as is what nobody has answered */
#define SPARE_M 0.05

static struct cairn_vec2 on_own_map(const struct cairn_fleet *f, const struct cairn_fleet_node *n)
{
	return cairn_pose_apply(cairn_pose_inverse(f->frame), (struct cairn_vec2){n->x_m, n->y_m});
}

static double distance_m(const struct cairn_fleet *f, const struct cairn_fleet_node *n)
{
	struct cairn_pose2 at = fleet_pose(f);
	return hypot(n->x_m - at.x_m, n->y_m - at.y_m);
}

static double reach_m(const struct cairn_fleet *f, const struct cairn_fleet_node *n)
{
	return fmax(n->deviation_m, f->cfg->nav.goal_tolerance_m);
}

bool fleet_at_first(const struct cairn_fleet *f, const struct cairn_fleet_order *o)
{
	const struct cairn_fleet_node *n = &o->nodes[0];
	if (!n->positioned)
		return strcmp(n->id, f->order.last_node) == 0;
	return distance_m(f, n) <= fmax(n->deviation_m, f->cfg->fleet.first_node_m);
}

bool fleet_drive_under_way(const struct cairn_fleet *f)
{
	return f->drive.way != FLEET_WAY_NONE;
}

static bool mission_fresh(const struct cairn_fleet *f, int64_t now_ns)
{
	return f->t_mission_ns != 0 && now_ns - f->t_mission_ns <= MISSION_NS;
}

/* The mission drives, or would when it is resumed, to this point of the robot's map. */
static bool mission_goes_to(const struct cairn_fleet *f, struct cairn_vec2 goal)
{
	const struct cairn_msg_mission *m = &f->mission;
	return (m->state == CAIRN_MISSION_STATE_GOTO || m->state == CAIRN_MISSION_STATE_PAUSED) &&
	       m->goal_known && hypot(m->goal_x_m - goal.x_m, m->goal_y_m - goal.y_m) <= SAME_GOAL_M;
}

/* ---- standing still ---- */

void fleet_stop_driving(struct cairn_fleet *f, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	if (d->way == FLEET_WAY_NONE)
		return;
	d->way = FLEET_WAY_NONE;
	d->held = false;
	d->stopping = true;
	d->t_stop_ns = now_ns;
	d->stop_tag = fleet_command(f, CAIRN_COMMAND_STOP, "", (struct cairn_vec2){0.0, 0.0}, now_ns);
}

static void step_stopping(struct cairn_fleet *f, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	bool ours = mission_fresh(f, now_ns) && mission_goes_to(f, d->goal);
	if (d->stop_tag == 0 && !ours && !fleet_driving(f) && mission_fresh(f, now_ns)) {
		d->stopping = false;
		f->state_due = true;
	} else if (now_ns - d->t_stop_ns > FLEET_ANSWER_NS) {
		d->t_stop_ns = now_ns;
		d->stop_tag = fleet_command(f, CAIRN_COMMAND_STOP, "", (struct cairn_vec2){0.0, 0.0}, now_ns);
	}
}

/* Pause and resume, as far as they are master control's. */
static void step_hold(struct cairn_fleet *f, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	bool paused = f->mission.state == CAIRN_MISSION_STATE_PAUSED;
	if (now_ns - d->t_hold_ns < HOLD_NS || !mission_fresh(f, now_ns))
		return;
	if (f->paused && !paused && d->way == FLEET_WAY_DRIVEN) {
		d->held = true;
		d->t_hold_ns = now_ns;
		(void)fleet_command(f, CAIRN_COMMAND_PAUSE, "", (struct cairn_vec2){0.0, 0.0}, now_ns);
	} else if (!f->paused && d->held && paused) {
		d->t_hold_ns = now_ns;
		(void)fleet_command(f, CAIRN_COMMAND_RESUME, "", (struct cairn_vec2){0.0, 0.0}, now_ns);
	} else if (!f->paused && !paused) {
		d->held = false;
	}
}

/* ---- ways ---- */

static void failed(struct cairn_fleet *f, const struct cairn_fleet_node *n, const char *why, int64_t now_ns)
{
	struct fleet_error e = {.fault = CAIRN_FAULT_UNREACHABLE, .update_id = f->order.update_id};
	memcpy(e.order_id, f->order.id, sizeof(e.order_id));
	snprintf(e.text, sizeof(e.text), "node %.40s: %.100s", n->id, why);
	fleet_fault(f, &e);
	f->drive.way = FLEET_WAY_NONE;
	f->drive.t_retry_ns = now_ns + (int64_t)(f->cfg->fleet.retry_s * 1e9);
}

static void reached(struct cairn_fleet *f)
{
	cairn_fleet_order_advance(&f->order);
	f->last_node_distance_m = f->pose.distance_m;
	f->drive.t_retry_ns = 0;
	fleet_fault_gone(f, CAIRN_FAULT_UNREACHABLE);
	fleet_changed(f);
}

/* The mission does not drive to the node any more: it is there, or has given up. */
static void way_ended(struct cairn_fleet *f, int64_t now_ns)
{
	const struct cairn_fleet_node *n = cairn_fleet_order_next(&f->order);
	struct cairn_vec2 goal = n != NULL ? on_own_map(f, n) : f->drive.goal;
	bool of_node =
	    n != NULL && hypot(goal.x_m - f->drive.goal.x_m, goal.y_m - f->drive.goal.y_m) <= SAME_GOAL_M;
	f->drive.way = FLEET_WAY_NONE;
	if (!of_node) /* a node that was passed before its goto ended */
		return;
	if (distance_m(f, n) <= reach_m(f, n) + SPARE_M)
		reached(f);
	else
		failed(f, n, f->mission.reason, now_ns);
}

static void watch_way(struct cairn_fleet *f, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	bool fresh = mission_fresh(f, now_ns);
	if (d->way == FLEET_WAY_ASKED && now_ns - d->t_ns > FLEET_ANSWER_NS) {
		d->way = FLEET_WAY_NONE; /* the sequencer is away; what it did not get has expired */
		d->t_retry_ns = now_ns + SOON_NS;
	}
	if (d->way == FLEET_WAY_GRANTED && fresh && mission_goes_to(f, d->goal))
		d->way = FLEET_WAY_DRIVEN;
	else if (d->way == FLEET_WAY_GRANTED && now_ns - d->t_ns > FLEET_ANSWER_NS && fresh)
		way_ended(f, now_ns);
	else if (d->way == FLEET_WAY_DRIVEN && fresh && !mission_goes_to(f, d->goal))
		way_ended(f, now_ns);
}

/* After a restart the mission may be on its way to the next node already. */
void fleet_adopt(struct cairn_fleet *f, int64_t now_ns)
{
	const struct cairn_fleet_node *n = cairn_fleet_order_next(&f->order);
	if (n == NULL || f->drive.stopping || f->drive.way != FLEET_WAY_NONE || !mission_fresh(f, now_ns) ||
	    !mission_goes_to(f, on_own_map(f, n)))
		return;
	f->drive.goal = on_own_map(f, n);
	f->drive.way = FLEET_WAY_DRIVEN;
	f->drive.held = f->paused;
}

static bool may_go(const struct cairn_fleet *f, int64_t now_ns)
{
	const struct fleet_drive *d = &f->drive;
	return !f->paused && !d->stopping && !d->held && fleet_automatic(f) && fleet_localized(f) &&
	       mission_fresh(f, now_ns) && f->mission.state != CAIRN_MISSION_STATE_PAUSED &&
	       now_ns >= d->t_retry_ns && fleet_actions_allow_driving(f);
}

static void go(struct cairn_fleet *f, const struct cairn_fleet_node *n, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	struct cairn_vec2 goal = on_own_map(f, n);
	bool there =
	    d->way != FLEET_WAY_NONE && hypot(goal.x_m - d->goal.x_m, goal.y_m - d->goal.y_m) <= SAME_GOAL_M;
	if (there || d->way == FLEET_WAY_ASKED || !may_go(f, now_ns))
		return;
	uint64_t tag = fleet_command(f, CAIRN_COMMAND_GOTO, "", goal, now_ns);
	if (tag == 0)
		return;
	*d = (struct fleet_drive){
	    .way = FLEET_WAY_ASKED, .tag = tag, .t_ns = now_ns, .goal = goal, .t_hold_ns = d->t_hold_ns};
}

void fleet_drive_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text, int64_t now_ns)
{
	struct fleet_drive *d = &f->drive;
	const struct cairn_fleet_node *n = cairn_fleet_order_next(&f->order);
	if (tag == d->stop_tag)
		d->stop_tag = ok ? 0 : d->stop_tag;
	if (tag != d->tag || d->way != FLEET_WAY_ASKED)
		return;
	d->way = ok ? FLEET_WAY_GRANTED : FLEET_WAY_NONE;
	d->t_ns = now_ns;
	if (!ok && n != NULL)
		failed(f, n, text, now_ns);
}

void fleet_step_drive(struct cairn_fleet *f, int64_t now_ns)
{
	if (f->drive.stopping) {
		step_stopping(f, now_ns);
		return;
	}
	watch_way(f, now_ns);
	step_hold(f, now_ns);
	const struct cairn_fleet_node *n = cairn_fleet_order_next(&f->order);
	if (n != NULL && fleet_localized(f) && fleet_automatic(f) && !f->paused &&
	    distance_m(f, n) <= reach_m(f, n) && fleet_actions_allow_driving(f)) {
		reached(f);
		n = cairn_fleet_order_next(&f->order);
	}
	if (n != NULL)
		go(f, n, now_ns);
}
