#include <math.h>

#include "common/safety/sequencer_impl.h"

void seq_movers_init(struct cairn_sequencer *seq)
{
	struct cairn_movers_params params = cairn_movers_params_from(seq->cfg, SEQ_REACTION_S);
	params.lately_s = seq->cfg->safety.person_stands_s;
	cairn_movers_init(&seq->movers, &params);
	seq->mover = (struct cairn_movers_limit){.limit_mps = INFINITY};
}

void seq_movers_scan(struct cairn_sequencer *seq, struct cairn_pose2 pose)
{
	if (seq->t_movers_ns == seq->t_scan_ns)
		return;
	seq->t_movers_ns = seq->t_scan_ns;
	cairn_movers_scan(&seq->movers, &seq->scan_points, pose, seq->t_turn_ns, seq->t_scan_ns);
}

void seq_movers_hold(
    struct cairn_sequencer *seq, struct cairn_pose2 pose, struct cairn_safe_velocity *safe, int64_t now_ns)
{
	double v = safe->twist.v_mps, speed = fabs(v);
	seq->mover = (struct cairn_movers_limit){.limit_mps = INFINITY};
	if (v == 0.0)
		return;
	double curvature = safe->twist.w_radps / v;
	struct cairn_movers_limit l = cairn_movers_limit(&seq->movers, pose, curvature, v > 0.0, now_ns);
	if (l.limit_mps >= speed)
		return;
	seq->mover = l;
	double left = l.limit_mps < CAIRN_SAFE_CREEP_MPS ? 0.0 : l.limit_mps;
	safe->ratio *= left / speed;
	safe->twist.v_mps = copysign(left, v);
	safe->twist.w_radps = safe->twist.v_mps * curvature;
	enum cairn_pace pace = cairn_pace_of(left);
	safe->pace = pace < safe->pace ? pace : safe->pace;
}
