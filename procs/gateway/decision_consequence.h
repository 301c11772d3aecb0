/* decision_consequence.h - what a decision led to, by what sequencer and planner said while it was driven: the goal, the
 * first path to it, the planner's first word about it and the first velocity. For a recording (decision_trace.h).
 * Pure.
 *
 * Goals do not say whose they are, and a decision that takes over from another may keep its goal
 * (prefetch.c): then no new one is heard. So the first command in the decision's name tells when it
 * began; its goal is the one that held then. Any later one was set on the way and is not what was decided. */
#ifndef CAIRN_PROCS_GATEWAY_DECISION_CONSEQUENCE_H
#define CAIRN_PROCS_GATEWAY_DECISION_CONSEQUENCE_H

#include "ipc/topics.h"

/* All zero: no decision is pursued. */
struct pursuit {
	uint64_t id;
	int64_t begun_ns; /* 0: not yet */
	bool has_cmd, has_goal, has_path, has_status;
	bool kept; /* the goal is the one of the decision before, and so are path and status, which are left
		      out */
	struct cairn_header cmd_hdr, goal_hdr, path_hdr, status_hdr;
	struct cairn_msg_cmd_vel cmd;
	struct cairn_msg_nav_goal goal;
	struct cairn_msg_nav_status status;
	struct cairn_msg_nav_path path;
};

/* id has just been decided; goal: the newest one heard, hdr->t_ns 0 = none. */
void consequence_begin(
    struct pursuit *p, uint64_t id, const struct cairn_msg_nav_goal *goal, const struct cairn_header *hdr);
void consequence_cmd(struct pursuit *p, const struct cairn_msg_cmd_vel *cmd, const struct cairn_header *hdr);
void consequence_goal(
    struct pursuit *p, const struct cairn_msg_nav_goal *goal, const struct cairn_header *hdr);
void consequence_path(
    struct pursuit *p, const struct cairn_msg_nav_path *path, const struct cairn_header *hdr);
void consequence_status(
    struct pursuit *p, const struct cairn_msg_nav_status *status, const struct cairn_header *hdr);

#endif
