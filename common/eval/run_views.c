/* run_views.c - what others look at in a run: its time, the truth, and what its cores have told. */
#include "common/eval/run_private.h"

int64_t cairn_run_now_ns(const struct cairn_run *r)
{
	return r->now_ns;
}

uint32_t cairn_run_looks(const struct cairn_run *r)
{
	return r->looks;
}

double cairn_run_elapsed_s(const struct cairn_run *r)
{
	return (double)(r->now_ns - r->t0_ns) * 1e-9;
}

enum cairn_trigger cairn_run_asked_why(const struct cairn_run *r)
{
	return r->model.asked_why;
}

struct cairn_sim *cairn_run_sim(struct cairn_run *r)
{
	return r->sim;
}

const struct cairn_sim_state *cairn_run_truth(const struct cairn_run *r)
{
	return cairn_sim_state(r->sim);
}

struct cairn_pose2 cairn_run_true_pose(const struct cairn_run *r)
{
	const struct cairn_sim_state *s = cairn_sim_state(r->sim);
	return cairn_pose_between(s->start, s->body.pose);
}

double cairn_run_clearance_m(const struct cairn_run *r, double max_m)
{
	return cairn_sim_clearance(r->sim, max_m);
}

const struct cairn_msg_pose *cairn_run_pose(const struct cairn_run *r)
{
	return &r->pose;
}

struct cairn_twist cairn_run_sent(const struct cairn_run *r)
{
	return r->sent;
}

const struct cairn_sequencer_output *cairn_run_output(const struct cairn_run *r)
{
	return &r->out;
}

const struct cairn_msg_candidates *cairn_run_candidates(const struct cairn_run *r)
{
	return &r->candidates;
}

const struct cairn_msg_frontiers *cairn_run_frontiers(const struct cairn_run *r)
{
	return &r->frontiers;
}

const struct cairn_msg_scan *cairn_run_scan(const struct cairn_run *r, int64_t *ret_t_ns)
{
	if (r->newest == NULL)
		return NULL;
	if (ret_t_ns != NULL)
		*ret_t_ns = r->newest->t_ns;
	return &r->newest->scan;
}

struct cairn_mapper *cairn_run_mapper(struct cairn_run *r)
{
	return r->ports.mapper;
}

const struct cairn_grid *cairn_run_grid(const struct cairn_run *r)
{
	if (r->ports.mapper != NULL)
		return cairn_mapper_grid(r->ports.mapper);
	return r->true_map != NULL ? &r->true_map->grid : NULL;
}

const struct cairn_msg_nav_status *cairn_run_nav_status(const struct cairn_run *r)
{
	return &r->plan.status;
}

struct cairn_sequencer *cairn_run_sequencer(struct cairn_run *r)
{
	return r->seq;
}

struct cairn_motor *cairn_run_motor(struct cairn_run *r)
{
	return &r->motor;
}

struct cairn_run_totals cairn_run_totals(const struct cairn_run *r)
{
	struct cairn_run_totals t = r->totals;
	const struct cairn_body *b = &cairn_sim_state(r->sim)->body;
	t.odometry_m = b->distance_m;
	t.contacts = b->contacts;
	return t;
}
