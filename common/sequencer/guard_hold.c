/* guard_hold.c - bumpers and cliff sensor: the directions that they leave. The motor stage obeys them by itself; here the
 * robot is not told to do what it would refuse, and the reason is told. */
#include <math.h>

#include "common/sequencer/sequencer_private.h"

#define CLEAR_NS CAIRN_NS_PER_S /* as long as the motor stage holds it, motor_guard.c */

void cairn_sequencer_on_guard(struct cairn_sequencer *seq, const struct cairn_msg_guard *guard, int64_t t_ns)
{
	if (!seq_rising(seq, &seq->inputs.t_guard_ns, t_ns, !isnan(guard->floor_m)))
		return;
	/* No echo at all is a drop, too. */
	seq->inputs.drop = guard->floor_m > seq->cfg->safety.cliff_m;
	enum cairn_sensor now[2] = {guard->bumper_rear ? CAIRN_SENSOR_BUMPER : CAIRN_SENSOR_NONE,
	    guard->bumper      ? CAIRN_SENSOR_BUMPER
	    : seq->inputs.drop ? CAIRN_SENSOR_CLIFF
			       : CAIRN_SENSOR_NONE};
	for (int i = 0; i < 2; i++) {
		struct seq_felt *felt = &seq->inputs.felt[i];
		if (now[i] != CAIRN_SENSOR_NONE)
			*felt = (struct seq_felt){now[i], t_ns};
		else if (t_ns - felt->t_ns >= CLEAR_NS)
			felt->by = CAIRN_SENSOR_NONE;
	}
}

enum cairn_sensor seq_guard_bars(const struct cairn_sequencer *seq, bool forward)
{
	return seq->inputs.felt[forward].by;
}

const char *seq_guard_text(enum cairn_sensor by, bool forward)
{
	if (by == CAIRN_SENSOR_CLIFF)
		return "no floor in front: only the way back is left";
	return forward ? "the bumper in front is pressed: only the way back is left"
		       : "the bumper behind is pressed: only the way ahead is left";
}

void seq_guard_hold(struct cairn_sequencer *seq, struct cairn_safe_velocity *safe)
{
	double v = safe->twist.v_mps;
	bool forward = v > 0.0;
	seq->step.held_by = CAIRN_SENSOR_NONE;
	if (v == 0.0 && safe->twist.w_radps == 0.0)
		return;
	seq->step.held_by = seq_guard_bars(seq, forward);
	if (v == 0.0 && seq->step.held_by == CAIRN_SENSOR_NONE) { /* a turn in place sweeps both ends */
		forward = true;
		seq->step.held_by = seq_guard_bars(seq, forward);
	}
	if (seq->step.held_by == CAIRN_SENSOR_NONE)
		return;
	safe->twist = (struct cairn_twist){0};
	safe->ratio = 0.0;
	safe->free_m = 0.0;
	safe->bearing_rad = forward ? 0.0 : M_PI;
}
