#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/config/speeds.h"

#define DURATION_MIN_S 0.1
#define DURATION_MAX_S 8.0
#define ANGLE_MAX_DEG 360.0
#define WALL_MAX_M 10.0
#define SAME_PLACE_M 0.3
#define SAME_HEADING_RAD 0.35
#define SAME_GOAL_M 0.4
#define BLOCKED_RETRIES 2
#define TURN_ROOM_M 0.05

typedef bool check_fn(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);

bool seq_tool_moves(enum cairn_tool tool)
{
	return tool == CAIRN_TOOL_MOVE_TOWARD || tool == CAIRN_TOOL_ROTATE ||
	       tool == CAIRN_TOOL_NAVIGATE_TO_GOAL || tool == CAIRN_TOOL_FOLLOW_WALL;
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct seq_refusal *refusal, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(refusal->reason, sizeof(refusal->reason), fmt, ap);
	va_end(ap);
	return false;
}

static bool between(double x, double lo, double hi)
{
	return x >= lo && x <= hi; /* false for not a number */
}

static bool check_form(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)now_ns, (void)task;
	double far_m = seq->cfg->map.extent_max_m;
	if ((unsigned)d->tool >= CAIRN_TOOL_COUNT || (unsigned)d->direction >= CAIRN_DIRECTION_COUNT ||
	    (unsigned)d->speed >= CAIRN_SPEED_COUNT || (unsigned)d->goal_kind >= CAIRN_GOAL_KIND_COUNT ||
	    (unsigned)d->zone_kind >= CAIRN_ZONE_KIND_COUNT || (unsigned)d->source >= CAIRN_SOURCE_COUNT)
		return refuse(refusal, "unknown tool or argument");
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD && !between(d->duration_s, DURATION_MIN_S, DURATION_MAX_S))
		return refuse(refusal, "duration_s %g is outside 1..8", d->duration_s);
	if (d->tool == CAIRN_TOOL_ROTATE && !between(d->angle_deg, -ANGLE_MAX_DEG, ANGLE_MAX_DEG))
		return refuse(refusal, "angle_deg %g is outside -360..360", d->angle_deg);
	if (d->tool == CAIRN_TOOL_FOLLOW_WALL && !between(d->distance_m, 0.0, WALL_MAX_M))
		return refuse(refusal, "distance_m %g is outside 0..%g", d->distance_m, WALL_MAX_M);
	if (d->tool == CAIRN_TOOL_FOLLOW_WALL && d->direction != CAIRN_DIRECTION_LEFT &&
	    d->direction != CAIRN_DIRECTION_RIGHT)
		return refuse(refusal, "a wall is followed on the left or on the right");
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_COORDINATES &&
	    !(between(d->x_m, -far_m, far_m) && between(d->y_m, -far_m, far_m)))
		return refuse(refusal, "the point (%g, %g) is outside the map", d->x_m, d->y_m);
	return true;
}

/* Who may decide now. The model may always take back what it asked for itself. */
static bool check_turn(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)now_ns, (void)task;
	bool take_back = d->tool == CAIRN_TOOL_STOP_ROBOT && seq->task.d.source == d->source;
	if (!seq_task_mission_turn(seq, d, refusal->reason, sizeof(refusal->reason)))
		return false;
	if (seq_skill_busy(seq))
		return refuse(refusal, "the arm moves: %s %.48s",
		    cairn_enum_text(&cairn_enum_skill_verb, (int)seq->skill.order.verb),
		    seq->skill.order.target);
	if (seq_executing(seq) && seq->task.insists)
		return refuse(refusal, "%s",
		    seq->task.looks ? "the robot goes to look again from elsewhere, before it ends"
				    : "the robot is leaving a tight place by itself");
	bool asked = (seq->task.ahead && d->source == CAIRN_SOURCE_MODEL) || seq_prefetch_replaces(seq, d);
	if (seq_executing(seq) && seq->task.d.source != CAIRN_SOURCE_LOCAL && !take_back && !asked)
		return refuse(
		    refusal, "decision %llu is still being executed", (unsigned long long)seq->task.d.id);
	if (seq->inputs.now.estop)
		return refuse(refusal, "%s", seq->inputs.now.hold);
	return true;
}

/* ---- memory of blocked actions ---- */

static int way_of(const struct cairn_msg_decision *d)
{
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD || d->tool == CAIRN_TOOL_FOLLOW_WALL)
		return (int)d->direction;
	if (d->tool == CAIRN_TOOL_ROTATE && d->absolute)
		return 2 + (int)lround(d->angle_deg / 45.0);
	if (d->tool == CAIRN_TOOL_ROTATE)
		return d->angle_deg < 0.0 ? -1 : 1;
	return (int)d->goal_kind;
}

/* The same action in the same situation: a goal is the same wherever the robot stands, a move only from here.
 */
static bool same_action(const struct cairn_sequencer *seq, const struct seq_blocked_action *m,
    const struct cairn_msg_decision *d, int64_t now_ns)
{
	if (m->tool != d->tool || m->way != way_of(d) ||
	    seq_seconds(m->t_ns, now_ns) > seq->cfg->safety.blocked_memory_s)
		return false;
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_COORDINATES)
		return hypot(m->x_m - d->x_m, m->y_m - d->y_m) <= SAME_GOAL_M;
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE)
		return m->candidate_id == d->candidate_id;
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		return false; /* frontiers have their own memory, by place */
	return hypot(m->at.x_m - seq->inputs.pose.x_m, m->at.y_m - seq->inputs.pose.y_m) <= SAME_PLACE_M &&
	       fabs(cairn_wrap_rad(m->at.yaw_rad - seq->inputs.pose.yaw_rad)) <= SAME_HEADING_RAD;
}

static struct seq_blocked_action *recall(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	for (uint32_t i = 0; i < seq->memory.count; i++) {
		if (same_action(seq, &seq->memory.items[i], d, now_ns))
			return &seq->memory.items[i];
	}
	return NULL;
}

void seq_remember_blocked(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	if (!seq_tool_moves(d->tool))
		return;
	struct seq_blocked_action *m = recall(seq, d, now_ns);
	if (m == NULL) {
		if (seq->memory.count < SEQ_MEMORY_MAX) {
			m = &seq->memory.items[seq->memory.count++];
		} else { /* the oldest one makes room */
			m = &seq->memory.items[0];
			for (uint32_t i = 1; i < SEQ_MEMORY_MAX; i++)
				m = seq->memory.items[i].t_ns < m->t_ns ? &seq->memory.items[i] : m;
		}
		*m = (struct seq_blocked_action){.tool = d->tool,
		    .way = way_of(d),
		    .x_m = d->x_m,
		    .y_m = d->y_m,
		    .candidate_id = d->candidate_id};
	}
	m->t_ns = now_ns;
	m->at = seq_pose(seq);
	m->count++;
}

void cairn_sequencer_was_blocked(struct cairn_sequencer *seq, const struct cairn_msg_decision *decision,
    double x_m, double y_m, double yaw_rad, int64_t t_ns)
{
	struct cairn_msg_pose keep = seq->inputs.pose;
	seq->inputs.pose = (struct cairn_msg_pose){.x_m = x_m, .y_m = y_m, .yaw_rad = yaw_rad};
	seq_remember_blocked(seq, decision, t_ns);
	seq->inputs.pose = keep;
}

static bool check_memory(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)task;
	const struct seq_blocked_action *m = recall(seq, d, now_ns);
	if (m == NULL || m->count <= BLOCKED_RETRIES)
		return true;
	refusal->counts = true;
	return refuse(refusal, "blocked %u times here within the last %.0f s; not tried again yet", m->count,
	    seq->cfg->safety.blocked_memory_s);
}

/* ---- what stands on the way of a move ---- */

static double move_mps(const struct cairn_msg_decision *d, const struct seq_task *task)
{
	double slow = cairn_speed_mps(CAIRN_SPEED_SLOW);
	return task->slow_only ? slow : cairn_speed_mps(d->speed);
}

static struct cairn_arc_hit arc_of_move(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    double *ret_curvature, bool *ret_forward)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	*ret_curvature = cairn_safe_curvature(seq->cfg, d->direction, ret_forward);
	return cairn_arc_clearance(&seq->inputs.points, &body, seq->cfg->safety.margin_m, *ret_curvature,
	    *ret_forward, CAIRN_SAFE_HORIZON_M);
}

/* Away from a pressed bumper and from a drop, never towards them. */
static bool check_guard(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)now_ns, (void)task;
	bool forward = true;
	if (d->tool != CAIRN_TOOL_MOVE_TOWARD && d->tool != CAIRN_TOOL_FOLLOW_WALL)
		return true;
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD)
		(void)cairn_safe_curvature(seq->cfg, d->direction, &forward);
	enum cairn_sensor by = seq_guard_bars(seq, forward);
	if (by == CAIRN_SENSOR_NONE)
		return true;
	refusal->counts = true;
	refusal->by = (struct seq_cause){by, forward ? 0.0 : M_PI, -1.0};
	return refuse(refusal, "%s", seq_guard_text(by, forward));
}

static bool check_clearance(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)now_ns;
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double curvature;
	bool forward;
	if (d->tool != CAIRN_TOOL_MOVE_TOWARD || !seq->inputs.now.scan_ok)
		return true;
	struct cairn_arc_hit hit = arc_of_move(seq, d, &curvature, &forward);
	task->slow_only = hit.free_m < cairn_safe_from_body_m(seq->cfg, s->slow_clearance_m) &&
			  d->speed != CAIRN_SPEED_SLOW;
	if (hit.free_m >= cairn_safe_from_body_m(seq->cfg, s->refuse_clearance_m))
		return true;
	refusal->counts = true;
	refusal->by = seq_cause_of(seq, hit.hit, hit.point);
	return refuse(refusal, "only %.2f m free that way: %s obstacle %s at %.2f m", hit.free_m,
	    cairn_enum_text(&cairn_enum_sensor, (int)refusal->by.sensor), cairn_bearing_name(hit.bearing_rad),
	    refusal->by.distance_m);
}

/* Soon to collide at the speed asked: slowly; soon even so: not at all. */
static bool check_collision(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)now_ns;
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double curvature;
	bool forward;
	if (d->tool != CAIRN_TOOL_MOVE_TOWARD || !seq->inputs.now.scan_ok)
		return true;
	struct cairn_arc_hit hit = arc_of_move(seq, d, &curvature, &forward);
	if (!hit.hit)
		return true;
	if (hit.free_m < s->ttc_slow_s * move_mps(d, task))
		task->slow_only = d->speed != CAIRN_SPEED_SLOW;
	double left_s = hit.free_m / move_mps(d, task);
	if (left_s >= s->ttc_min_s)
		return true;
	refusal->counts = true;
	refusal->by = seq_cause_of(seq, hit.hit, hit.point);
	return refuse(refusal, "collision in %.1f s even when driven slowly: obstacle %s", left_s,
	    cairn_bearing_name(hit.bearing_rad));
}

bool seq_goal_of(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct cairn_vec2 *ret)
{
	char why[160];
	const struct cairn_msg_frontier *f;
	const struct cairn_msg_candidate *c;
	switch (d->goal_kind) {
	case CAIRN_GOAL_KIND_COORDINATES:
		*ret = (struct cairn_vec2){d->x_m, d->y_m};
		return true;
	case CAIRN_GOAL_KIND_FRONTIER:
		f = seq_frontier_named(seq, d);
		if (f != NULL)
			*ret = (struct cairn_vec2){f->goal_x_m, f->goal_y_m};
		return f != NULL;
	case CAIRN_GOAL_KIND_CANDIDATE:
		c = seq_candidate(seq, d, now_ns, why);
		if (c != NULL)
			*ret = (struct cairn_vec2){c->x_m, c->y_m};
		return c != NULL;
	default:
		return false; /* the start: no zone may hold it */
	}
}

/* The goal, and of a move the floor it would cover. On a planned way the planner keeps out, and each step
 * is held besides (seq_geofence_hold). */
static bool check_fence(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	const struct cairn_msg_zone *z = NULL;
	struct cairn_vec2 goal;
	double free_m = 0.0;
	bool forward;
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && seq_goal_of(seq, d, now_ns, &goal)) {
		z = seq_geofence_at(seq, CAIRN_ZONE_KIND_KEEPOUT, goal.x_m, goal.y_m);
		if (z != NULL)
			refuse(refusal, "the goal lies in the keep-out zone '%s'", z->name);
	} else if (d->tool == CAIRN_TOOL_MOVE_TOWARD) {
		double curvature = cairn_safe_curvature(seq->cfg, d->direction, &forward);
		z = seq_geofence_ahead(seq, curvature, forward, move_mps(d, task) * d->duration_s, &free_m);
		if (z != NULL)
			refuse(refusal, "the way leads into the keep-out zone '%s' after %.2f m", z->name,
			    free_m);
	}
	if (z == NULL)
		return true;
	refusal->counts = true;
	refusal->by = (struct seq_cause){CAIRN_SENSOR_ZONE, 0.0, free_m};
	return false;
}

/* ---- what to execute ---- */

static bool prepare_move(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task)
{
	bool forward;
	double v = move_mps(d, task);
	task->curvature_1pm = cairn_safe_curvature(seq->cfg, d->direction, &forward);
	task->kind = SEQ_DRIVE;
	task->v_mps = forward ? v : -v;
	task->limit_s = d->duration_s;
	return true;
}

/* All of it must be free, or a third: what is swept does not grow less by trying. */
static bool room_to_turn_in_place(
    const struct cairn_sequencer *seq, double wanted_rad, struct seq_refusal *refusal)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	struct cairn_spin_hit hit =
	    cairn_spin_clearance(&seq->inputs.points, &body, seq->cfg->safety.margin_m, wanted_rad > 0.0);
	if (!hit.hit || hit.free_rad >= fabs(wanted_rad) / 3.0)
		return true;
	refusal->counts = true;
	refusal->by = seq_cause_of(seq, hit.hit, hit.point);
	return refuse(refusal, "no room to turn: obstacle %s after %.0f deg",
	    cairn_bearing_name(hit.bearing_rad), cairn_rad_to_deg(hit.free_rad));
}

static bool prepare_turn(struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    struct seq_task *task, struct seq_refusal *refusal)
{
	task->turn.wanted_rad = -cairn_deg_to_rad(d->angle_deg);
	if (d->absolute)
		task->turn.wanted_rad =
		    cairn_wrap_rad(-cairn_deg_to_rad(d->angle_deg) - seq->inputs.pose.yaw_rad);
	double sign = task->turn.wanted_rad < 0.0 ? -1.0 : 1.0;
	bool forward;
	task->curvature_1pm = sign * cairn_safe_curvature(seq->cfg, CAIRN_DIRECTION_LEFT, &forward);
	task->kind = SEQ_TURN;
	task->limit_s = 6.0 + 8.0 * fabs(task->turn.wanted_rad);
	if (!seq->inputs.now.scan_ok)
		return true;
	if (cairn_is_differential(seq->cfg))
		return room_to_turn_in_place(seq, task->turn.wanted_rad, refusal);
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	double margin = seq->cfg->safety.margin_m, need = seq->cfg->safety.stop_distance_m + TURN_ROOM_M;
	struct cairn_arc_hit ahead = cairn_arc_clearance(
	    &seq->inputs.points, &body, margin, task->curvature_1pm, true, CAIRN_SAFE_HORIZON_M);
	struct cairn_arc_hit back = cairn_arc_clearance(
	    &seq->inputs.points, &body, margin, -task->curvature_1pm, false, CAIRN_SAFE_HORIZON_M);
	if (fmax(ahead.free_m, back.free_m) >= need)
		return true;
	refusal->counts = true;
	return refuse(refusal, "no room to turn: %.2f m free ahead on the arc, %.2f m behind", ahead.free_m,
	    back.free_m);
}

static bool prepare_frontier(struct cairn_sequencer *seq, const struct cairn_msg_frontier *f,
    struct seq_task *task, struct seq_refusal *refusal)
{
	const char *vain = cairn_frontier_blacklist_given_up(&seq->mission.record.explore, f->x_m, f->y_m);
	refusal->counts = true;
	if (vain != NULL)
		return refuse(refusal, "frontier %u was given up: %s", f->id, vain);
	if (!(f->distance_m >= 0.0) || !isfinite(f->goal_x_m) || !isfinite(f->goal_y_m))
		return refuse(refusal, "frontier %u cannot be reached", f->id);
	refusal->counts = false;
	task->nav.x_m = f->goal_x_m;
	task->nav.y_m = f->goal_y_m;
	task->nav.frontier = true;
	task->nav.frontier_id = f->id;
	task->nav.frontier_x_m = f->x_m;
	task->nav.frontier_y_m = f->y_m;
	task->nav.distance_m = f->distance_m;
	return true;
}

/* The frontier that a decision names, or that local exploration would go to. */
static const struct cairn_msg_frontier *frontier_of(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_refusal *refusal)
{
	const struct cairn_msg_frontier *f = seq_frontier_named(seq, d);
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER && f == NULL)
		refuse(refusal, "there is no frontier %u any more", d->frontier_id);
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		return f;
	int best = cairn_frontier_blacklist_best(
	    &seq->mission.record.explore, &seq->offers.frontiers, seq->cfg->mission.frontier_min_width_m);
	if (best < 0)
		refuse(refusal, "no frontier is left to explore");
	return best >= 0 ? &seq->offers.frontiers.items[best] : NULL;
}

static bool prepare_way(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	task->kind = SEQ_NAV;
	task->nav.tolerance_m = seq->cfg->nav.goal_tolerance_m;
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER || d->goal_kind == CAIRN_GOAL_KIND_EXPLORE) {
		const struct cairn_msg_frontier *f = frontier_of(seq, d, refusal);
		if (f == NULL || !prepare_frontier(seq, f, task, refusal))
			return false;
	} else if (d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE) {
		if (!seq_prepare_candidate(seq, d, now_ns, task, refusal))
			return false;
	} else if (d->goal_kind == CAIRN_GOAL_KIND_COORDINATES) {
		task->nav.x_m = d->x_m;
		task->nav.y_m = d->y_m;
	} else if (!seq_trail_prepare(seq, d, task, refusal)) {
		return false;
	}
	double way_m = hypot(task->nav.x_m - seq->inputs.pose.x_m, task->nav.y_m - seq->inputs.pose.y_m);
	if (task->nav.distance_m > way_m)
		way_m = fmin(task->nav.distance_m, seq->cfg->map.extent_max_m);
	task->limit_s = seq_way_limit_s(seq, way_m);
	return true;
}

static bool check_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	task->limit_s = SEQ_STAND_S;
	switch (d->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		return prepare_move(seq, d, task);
	case CAIRN_TOOL_ROTATE:
		return prepare_turn(seq, d, task, refusal);
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		return prepare_way(seq, d, now_ns, task, refusal);
	case CAIRN_TOOL_REPORT_DISCOVERY:
	case CAIRN_TOOL_DEFINE_ZONE:
		task->kind = SEQ_REPORT;
		return true;
	case CAIRN_TOOL_FOLLOW_WALL:
		return seq_wall_prepare(seq, d, task, refusal);
	case CAIRN_TOOL_REQUEST_HELP:
		task->kind = SEQ_HELP;
		task->limit_s = seq->cfg->mission.help_wait_s;
		return true;
	case CAIRN_TOOL_STOP_ROBOT:
		if (!seq_model_claim(seq, d, now_ns, refusal))
			return false;
		break;
	case CAIRN_TOOL_OBSERVE_SCENE:
	case CAIRN_TOOL_CHECK_PATH_CLEAR:
	case CAIRN_TOOL_FIND_OBJECT_DISTANCE:
	case CAIRN_TOOL_COUNT:
		break;
	}
	task->kind = SEQ_STAND;
	return true;
}

bool seq_is_answer(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	struct seq_task task;
	struct seq_refusal refusal;
	struct cairn_msg_decision other;
	return seq_basis_timely(seq, d, now_ns) && check_form(seq, d, now_ns, &task, &refusal) &&
	       (seq_names_something(seq, d, now_ns) ||
		   (seq_model_other(d, &other) && check_form(seq, &other, now_ns, &task, &refusal) &&
		       seq_names_something(seq, &other, now_ns)));
}

bool seq_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	static check_fn *const chain[] = {check_form, check_turn, seq_basis_check, seq_basis_corridor,
	    check_memory, check_guard, check_clearance, check_collision, check_fence, check_prepare};
	memset(task, 0, sizeof(*task));
	memset(refusal, 0, sizeof(*refusal));
	task->d = *d;
	for (size_t i = 0; i < sizeof(chain) / sizeof(chain[0]); i++) {
		if (!chain[i](seq, d, now_ns, task, refusal)) {
			seq_text_suggestion(seq, d, refusal->suggestion, sizeof(refusal->suggestion));
			return false;
		}
	}
	return true;
}
