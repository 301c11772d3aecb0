#include "procs/gateway/decision_consequence.h"

void consequence_begin(
    struct pursuit *p, uint64_t id, const struct cairn_msg_nav_goal *goal, const struct cairn_header *hdr)
{
	bool driven_to = hdr->t_ns != 0 && goal->active;
	*p = (struct pursuit){.id = id, .has_goal = driven_to, .kept = driven_to};
	if (driven_to) {
		p->goal = *goal;
		p->goal_hdr = *hdr;
	}
}

void consequence_cmd(struct pursuit *p, const struct cairn_msg_cmd_vel *cmd, const struct cairn_header *hdr)
{
	if (p->id == 0 || cmd->decision_id != p->id)
		return;
	if (p->begun_ns == 0)
		p->begun_ns = hdr->t_ns;
	if (p->has_cmd || cmd->v_mps == 0.0)
		return;
	p->has_cmd = true;
	p->cmd = *cmd;
	p->cmd_hdr = *hdr;
}

void consequence_goal(
    struct pursuit *p, const struct cairn_msg_nav_goal *goal, const struct cairn_header *hdr)
{
	bool on_the_way = p->begun_ns != 0 && hdr->t_ns > p->begun_ns;
	if (p->id == 0 || !goal->active || (p->has_goal && (on_the_way || goal->id == p->goal.id)))
		return;
	p->has_goal = true;
	p->kept = p->has_path = p->has_status = false;
	p->goal = *goal;
	p->goal_hdr = *hdr;
}

void consequence_path(
    struct pursuit *p, const struct cairn_msg_nav_path *path, const struct cairn_header *hdr)
{
	if (p->id == 0 || p->has_path || !p->has_goal || p->kept || p->goal.id != path->goal_id ||
	    path->points_count == 0)
		return;
	p->has_path = true;
	p->path = *path;
	p->path_hdr = *hdr;
}

void consequence_status(
    struct pursuit *p, const struct cairn_msg_nav_status *status, const struct cairn_header *hdr)
{
	if (p->id == 0 || p->has_status || !p->has_goal || p->kept || p->goal.id != status->goal_id ||
	    status->state == CAIRN_NAV_STATE_IDLE || status->state == CAIRN_NAV_STATE_PLANNING)
		return;
	p->has_status = true;
	p->status = *status;
	p->status_hdr = *hdr;
}
