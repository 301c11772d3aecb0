/* teleop.c - a person steers by hand: while he holds on, what he asks for goes through the same chain as any other motion.
 *
 * It is a task of the operator's. It pauses a mission that is under way, which goes on when it is resumed. Dead man: a
 * message older than TELEOP_SILENT_S by its stamp moves nothing. After a stop nothing moves until he has let go. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sequencer/sequencer_private.h"
#include "common/config/speeds.h"

#define TELEOP_SILENT_S 0.3
#define IN_PLACE_FULL_RAD 0.5 /* steered so far, a differential base turns in place as fast as it may */
#define STEER_MAX_RAD 1.5     /* no steering linkage goes farther; its tangent is finite */

static bool steered(const struct cairn_sequencer *seq, int64_t now_ns)
{
	double age_s = seq_seconds(seq->teleop.t_ns, now_ns);
	return seq->teleop.t_ns != 0 && age_s <= TELEOP_SILENT_S && age_s >= -0.05;
}

bool seq_teleop_holds(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return steered(seq, now_ns) && !seq->teleop.barred;
}

void cairn_sequencer_on_teleop(
    struct cairn_sequencer *seq, const struct cairn_msg_teleop *teleop, int from, int64_t t_ns)
{
	struct seq_teleop *t = &seq->teleop;
	/* Two at once would tear at it: who came first has it until he is silent. */
	if (t->from != from && steered(seq, seq->step.t_ns)) {
		seq->outbox.rejects++;
		return;
	}
	if (t->from != from)
		t->t_ns = 0;
	t->from = from;
	bool finite = isfinite(teleop->v_mps) && isfinite(teleop->steer_rad) &&
		      fabs(teleop->steer_rad) <= STEER_MAX_RAD;
	if (!seq_rising(seq, &t->t_ns, t_ns, finite))
		return;
	double v_max_mps = cairn_cruise_mps(seq->cfg), tight_1pm = 1.0 / seq->cfg->robot.turn_radius_min_m;
	double most_radps = cairn_turn_rate_max_radps(seq->cfg);
	t->v_mps = cairn_clamp(teleop->v_mps, -v_max_mps, v_max_mps);
	/* Standing and steered to a side, a base that can turns in place. */
	t->w_radps = t->v_mps == 0.0
			 ? cairn_clamp(teleop->steer_rad / IN_PLACE_FULL_RAD, -1.0, 1.0) * most_radps
			 : 0.0;
	t->curvature_1pm =
	    cairn_clamp(tan(teleop->steer_rad) / seq->cfg->robot.wheelbase_m, -tight_1pm, tight_1pm);
	snprintf(t->who, sizeof(t->who), "%s", teleop->who);
	if (t->v_mps == 0.0 && t->w_radps == 0.0)
		t->barred = false; /* he has let go since the stop */
}

bool seq_teleop_stop(struct cairn_sequencer *seq, int64_t now_ns)
{
	bool held = seq_teleop_holds(seq, now_ns);
	seq->teleop.barred = steered(seq, now_ns);
	if (seq->task.kind == SEQ_TELEOP)
		seq_task_end(seq, CAIRN_OUTCOME_REPLACED, now_ns, "stopped by the operator");
	return held;
}

const char *cairn_sequencer_steered_by(const struct cairn_sequencer *seq)
{
	return seq->task.kind == SEQ_TELEOP ? seq->teleop.who : NULL;
}

static void begin(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task task = {
	    .kind = SEQ_TELEOP, .d = {.source = CAIRN_SOURCE_OPERATOR, .tool = CAIRN_TOOL_MOVE_TOWARD}};
	snprintf(task.d.reason, sizeof(task.d.reason), "steered by hand");
	seq_task_end(seq, CAIRN_OUTCOME_REPLACED, now_ns, "a person steers by hand");
	seq_task_begin(seq, &task, now_ns);
}

void seq_teleop_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (!steered(seq, now_ns))
		seq->teleop.barred = false;
	if (!seq_teleop_holds(seq, now_ns)) {
		if (seq->task.kind == SEQ_TELEOP)
			seq_task_end(
			    seq, CAIRN_OUTCOME_SUCCESS, now_ns, "let go after %.2f m", seq->task.distance_m);
		return;
	}
	seq_mission_apply(seq, CAIRN_MISSION_BIT(PAUSE), now_ns); /* whatever wants to drive has to wait */
	if (seq->task.kind != SEQ_TELEOP)
		begin(seq, now_ns);
}

static struct cairn_twist teleop_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	(void)now_ns;
	const struct seq_teleop *t = &seq->teleop;
	seq->task.active_s += seq->step.length_s;
	return (struct cairn_twist){t->v_mps, t->v_mps * t->curvature_1pm + t->w_radps};
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "steered by hand for %.2f m in %.1f s", t->distance_m, t->active_s);
}

const struct seq_task_ops seq_teleop_ops = {.step = teleop_step, .executed = executed};
