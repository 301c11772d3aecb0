/* decision_basis.c - what a decision rests on must still hold: an answer counts by the world, and not by a clock.
 *
 * It is not acted on when its snapshot is older than its provider's max_age_s (and safety.decision_max_age_s), when the robot
 * has moved too far since, or when something has come near since. An answer that took long, or a way for which the robot
 * has moved on in the meantime, needs more: the corridor that it wants to use is compared, by LiDAR and depth camera, with
 * what was seen when its snapshot was taken. The corridor of a move is the arc that the body sweeps; that of a way to a place
 * is known once the planner has told its path, and until then the robot does not follow it. Where nothing can be compared
 * the answer is refused. The place that it names is looked up in what is offered now (candidate_choice.c, validate.c). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/sequencer/sequencer_private.h"

#define HEADING_MOVED_RAD 0.8 /* "forward" means something else after such a turn */
#define FUTURE_S 0.05
#define WAY_M 3.0 /* of a planned path so much is compared */

__attribute__((format(printf, 2, 3))) static bool refuse(struct seq_refusal *refusal, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(refusal->reason, sizeof(refusal->reason), fmt, ap);
	va_end(ap);
	return false;
}

static double max_age_s(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double own_s =
	    d->max_age_s > 0.0 ? d->max_age_s : s->decision_checked_age_s; /* not a number: the latter */
	return fmin(own_s, s->decision_max_age_s);
}

bool seq_basis_timely(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	double age_s = seq_seconds(d->t_snapshot_ns, now_ns);
	return !seq_tool_moves(d->tool) || (age_s >= -FUTURE_S && age_s <= max_age_s(seq, d));
}

/* Now can be compared with then. */
static bool comparable(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	return seq->cfg->safety.decision_max_shift_m > 0.0 && seq->inputs.now.scan_ok &&
	       seq->inputs.now.pose_ok && cairn_scene_change_knows(&seq->inputs.scene, d->t_snapshot_ns);
}

static double moved_m(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	return hypot(seq->inputs.pose.x_m - d->snapshot_x_m, seq->inputs.pose.y_m - d->snapshot_y_m);
}

static double max_moved_m(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	const struct cairn_config_safety *s = &seq->cfg->safety;
	bool way = d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && comparable(seq, d);
	return way ? fmax(s->decision_max_moved_m, s->decision_checked_moved_m) : s->decision_max_moved_m;
}

bool seq_basis_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)task;
	if (!seq_tool_moves(d->tool) ||
	    (d->t_snapshot_ns == 0 && d->source != CAIRN_SOURCE_MODEL && d->source != CAIRN_SOURCE_AGENT))
		return true;
	double age_s = seq_seconds(d->t_snapshot_ns, now_ns);
	if (!(age_s >= -FUTURE_S))
		return refuse(refusal, "the snapshot is from the future");
	if (age_s > max_age_s(seq, d))
		return refuse(
		    refusal, "the snapshot is %.1f s old, more than %.1f s", age_s, max_age_s(seq, d));
	if (age_s > seq->cfg->safety.decision_checked_age_s && !comparable(seq, d))
		return refuse(refusal,
		    "the snapshot is %.1f s old, and what was seen then cannot be compared with now", age_s);
	if (seq->inputs.t_pose_ns == 0)
		return true; /* nothing moves without a pose; see the hold */
	if (!(moved_m(seq, d) <= max_moved_m(seq, d)))
		return refuse(refusal, "the robot has moved %.2f m since the snapshot", moved_m(seq, d));
	double turned_rad = fabs(cairn_wrap_rad(seq->inputs.pose.yaw_rad - d->snapshot_yaw_rad));
	bool fixed = d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL || (d->tool == CAIRN_TOOL_ROTATE && d->absolute);
	if (!fixed && !(turned_rad <= HEADING_MOVED_RAD))
		return refuse(refusal, "the robot has turned %.0f deg since the snapshot",
		    cairn_rad_to_deg(turned_rad));
	return true;
}

/* ---- the corridor ---- */

static bool judge_shift(
    const struct cairn_sequencer *seq, double shift_m, double bearing_rad, struct seq_refusal *refusal)
{
	if (!(shift_m > seq->cfg->safety.decision_max_shift_m))
		return true;
	refusal->by = (struct seq_cause){CAIRN_SENSOR_LIDAR, bearing_rad, -1.0};
	if (!isfinite(shift_m))
		return refuse(refusal, "an obstacle %s stands where nothing was seen at the snapshot",
		    cairn_bearing_name(bearing_rad));
	return refuse(refusal, "an obstacle %s has come nearer by %.1f m since the snapshot",
	    cairn_bearing_name(bearing_rad), shift_m);
}

/* Robot frame. */
struct corridor {
	enum cairn_tool tool;
	double half_m, length_m;
	double curvature_1pm;
	bool forward;
	uint32_t count; /* of a planned path: its points from the robot on */
	struct cairn_vec2
	    way[sizeof(((struct cairn_msg_nav_path *)0)->points) / sizeof(struct cairn_msg_path_point)];
};

static bool on_arc(const struct corridor *c, struct cairn_vec2 p)
{
	double x = c->forward ? p.x_m : -p.x_m;
	if (fabs(c->curvature_1pm) < 1e-6)
		return fabs(p.y_m) <= c->half_m && x >= 0.0 && x <= c->length_m;
	double r = 1.0 / c->curvature_1pm, side = r > 0.0 ? r - p.y_m : p.y_m - r;
	double along_m = atan2(x, side) * fabs(r);
	return fabs(hypot(p.x_m, p.y_m - r) - fabs(r)) <= c->half_m && along_m >= 0.0 &&
	       along_m <= c->length_m;
}

static bool on_way(const struct corridor *c, struct cairn_vec2 p)
{
	for (uint32_t i = 1; i < c->count; i++) {
		struct cairn_vec2 a = c->way[i - 1], b = c->way[i];
		double dx = b.x_m - a.x_m, dy = b.y_m - a.y_m, long2 = dx * dx + dy * dy;
		double u = long2 > 0.0 ? ((p.x_m - a.x_m) * dx + (p.y_m - a.y_m) * dy) / long2 : 0.0;
		u = cairn_clamp(u, 0.0, 1.0);
		if (hypot(p.x_m - a.x_m - u * dx, p.y_m - a.y_m - u * dy) <= c->half_m)
			return true;
	}
	return false;
}

static bool within(const void *ctx, struct cairn_vec2 p)
{
	const struct corridor *c = ctx;
	if (c->count > 0)
		return on_way(c, p);
	return c->tool == CAIRN_TOOL_MOVE_TOWARD ? on_arc(c, p) : hypot(p.x_m, p.y_m) <= c->length_m;
}

static struct corridor corridor_of(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	const struct cairn_config_safety *s = &seq->cfg->safety;
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	struct corridor c = {
	    .tool = d->tool, .half_m = body.half_width_m + s->margin_m, .length_m = s->decision_near_m};
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD) {
		c.curvature_1pm = cairn_safe_curvature(seq->cfg, d->direction, &c.forward);
		c.length_m = (c.forward ? body.front_m : body.rear_m) + s->stop_distance_m +
			     cairn_speed_mps(d->speed) * d->duration_s;
	}
	return c;
}

/* The next WAY_M of the path from where the robot is on it, in the robot frame. */
static void lay_way(const struct cairn_sequencer *seq, struct corridor *c)
{
	const struct cairn_msg_nav_path *path = &seq->planner.path;
	struct cairn_pose2 to_robot = cairn_pose_inverse(seq_pose(seq));
	uint32_t from = 0;
	double nearest_m = INFINITY, length_m = 0.0;
	for (uint32_t i = 0; i < path->points_count; i++) {
		double off_m = hypot((double)path->points[i].x_m - seq->inputs.pose.x_m,
		    (double)path->points[i].y_m - seq->inputs.pose.y_m);
		if (off_m < nearest_m) {
			nearest_m = off_m;
			from = i;
		}
	}
	for (uint32_t i = from; i < path->points_count && length_m <= WAY_M; i++) {
		c->way[c->count] = cairn_pose_apply(
		    to_robot, (struct cairn_vec2){(double)path->points[i].x_m, (double)path->points[i].y_m});
		if (c->count > 0)
			length_m += hypot(c->way[c->count].x_m - c->way[c->count - 1].x_m,
			    c->way[c->count].y_m - c->way[c->count - 1].y_m);
		c->count++;
	}
}

bool seq_basis_leans(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	const struct cairn_config_safety *s = &seq->cfg->safety;
	return d->t_snapshot_ns != 0 && s->decision_max_shift_m > 0.0 &&
	       (seq_seconds(d->t_snapshot_ns, now_ns) > s->decision_checked_age_s ||
		   moved_m(seq, d) > s->decision_max_moved_m);
}

/* True when nothing has come into it; else what has, and where. */
static bool unchanged(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    const struct corridor *c, struct seq_refusal *refusal)
{
	double bearing_rad, shift_m = cairn_scene_change_corridor_m(&seq->inputs.scene, d->t_snapshot_ns,
				&seq->inputs.points, seq_pose(seq), within, c, &bearing_rad);
	return judge_shift(seq, shift_m, bearing_rad, refusal);
}

bool seq_basis_corridor(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal)
{
	(void)task;
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double bearing_rad, shift_m;
	if (!seq_tool_moves(d->tool) || d->t_snapshot_ns == 0 || !(s->decision_max_shift_m > 0.0) ||
	    !seq->inputs.now.scan_ok || !seq->inputs.now.pose_ok)
		return true;
	/* What was decided on may be gone: somebody has stepped in, a door has swung. */
	shift_m = cairn_scene_change_shift_m(&seq->inputs.scene, d->t_snapshot_ns, &seq->inputs.points,
	    seq->inputs.lidar_count, seq_pose(seq), s->decision_near_m, &bearing_rad);
	if (!judge_shift(seq, shift_m, bearing_rad, refusal))
		return false;
	/* Of a way the corridor is its path, which is not planned yet (seq_basis_way). */
	if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL || !seq_basis_leans(seq, d, now_ns))
		return true;
	struct corridor c = corridor_of(seq, d);
	return unchanged(seq, d, &c, refusal);
}

enum seq_way seq_basis_way(struct cairn_sequencer *seq, struct seq_refusal *refusal)
{
	struct seq_task *t = &seq->task;
	if (!t->nav.leans)
		return SEQ_WAY_HOLDS;
	if (seq->planner.path.goal_id != t->nav.goal_id || seq->planner.path.points_count == 0)
		return SEQ_WAY_UNKNOWN;
	struct corridor c = corridor_of(seq, &t->d);
	lay_way(seq, &c);
	t->nav.leans = false; /* once: from here on the robot looks where it drives */
	if (!unchanged(seq, &t->d, &c, refusal))
		return SEQ_WAY_CHANGED;
	seq_resume_note(seq);
	return SEQ_WAY_HOLDS;
}
