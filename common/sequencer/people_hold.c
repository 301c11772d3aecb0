#include <math.h>

#include "common/sequencer/sequencer_private.h"

void seq_people_init(struct cairn_sequencer *seq)
{
	struct cairn_dynamic_obstacles_params params =
	    cairn_dynamic_obstacles_params_from(seq->cfg, SEQ_REACTION_S);
	params.lately_s = seq->cfg->safety.person_stands_s;
	cairn_dynamic_obstacles_init(&seq->people.obstacles, &params);
	seq->people.held_by = (struct cairn_dynamic_obstacles_limit){.limit_mps = INFINITY};
}

void seq_people_scan(struct cairn_sequencer *seq, struct cairn_pose2 pose)
{
	if (seq->people.t_scan_ns == seq->inputs.t_scan_ns)
		return;
	seq->people.t_scan_ns = seq->inputs.t_scan_ns;
	cairn_dynamic_obstacles_scan(&seq->people.obstacles, &seq->inputs.scan_points, pose,
	    seq->inputs.t_turn_ns, seq->inputs.t_scan_ns);
}

/* Beside people it turns in place slowly or not at all. */
static void hold_turn(
    struct cairn_sequencer *seq, struct cairn_pose2 pose, struct cairn_safe_velocity *safe, int64_t now_ns)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	double tip_mps = fabs(safe->twist.w_radps) * cairn_footprint_reach_m(&body);
	struct cairn_dynamic_obstacles_limit l =
	    cairn_dynamic_obstacles_spin_limit(&seq->people.obstacles, pose, now_ns);
	if (l.limit_mps >= tip_mps)
		return;
	double share = l.limit_mps < CAIRN_SAFE_CREEP_MPS ? 0.0 : l.limit_mps / tip_mps;
	seq->people.held_by = l;
	safe->ratio *= share;
	safe->twist.w_radps *= share;
	if (share == 0.0)
		safe->pace = CAIRN_PACE_STOP;
}

void seq_people_hold(
    struct cairn_sequencer *seq, struct cairn_pose2 pose, struct cairn_safe_velocity *safe, int64_t now_ns)
{
	double v = safe->twist.v_mps, speed = fabs(v);
	seq->people.held_by = (struct cairn_dynamic_obstacles_limit){.limit_mps = INFINITY};
	if (cairn_twist_in_place(safe->twist))
		hold_turn(seq, pose, safe, now_ns);
	if (v == 0.0)
		return;
	double curvature = safe->twist.w_radps / v;
	struct cairn_dynamic_obstacles_limit l =
	    cairn_dynamic_obstacles_limit(&seq->people.obstacles, pose, curvature, v > 0.0, now_ns);
	if (l.limit_mps >= speed)
		return;
	seq->people.held_by = l;
	double left = l.limit_mps < CAIRN_SAFE_CREEP_MPS ? 0.0 : l.limit_mps;
	safe->ratio *= left / speed;
	safe->twist.v_mps = copysign(left, v);
	safe->twist.w_radps = safe->twist.v_mps * curvature;
	enum cairn_pace pace = cairn_speed_level_of(left);
	safe->pace = pace < safe->pace ? pace : safe->pace;
}

bool seq_people_hold_up(const struct cairn_sequencer *seq)
{
	return isfinite(seq->people.held_by.limit_mps);
}
