/* episode.h - one task of the agent in one process and simulated time: the robot and its house (run.h), the simulated detector, the
 * scene graph, the agent's core, the simulated arm if the robot has one, and whoever answers the queries in the model's place. The
 * agent can be killed on the way, as its stage can: it begins anew with the file that it has saved. The same options give the same
 * episode. */
#ifndef CAIRN_COMMON_EVAL_EPISODE_H
#define CAIRN_COMMON_EVAL_EPISODE_H

#include "common/agent/agent.h"
#include "common/agent/queries.h"
#include "common/eval/run.h"

/* Answers a query; body and texts of *ret stay valid until the next call. *ret_latency_s: the simulated time that it takes. */
typedef void cairn_episode_answer_fn(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s);

struct cairn_episode_options {
	const struct cairn_config *cfg;  /* borrowed; agent.enabled, without mission.autostart */
	const struct cairn_world *world; /* borrowed */
	const struct cairn_profile *profile;
	const char *task;
	enum cairn_run_map map;
	double limit_s; /* of the run; the agent has limits of its own */
	/* Killed right after it has sent so many queries, decisions and wishes for the arm; 0: never. */
	uint32_t kill_at;
	bool file_damaged; /* and what it has saved cannot be read */
	bool
	    explore_first; /* the house is explored to its end by the scripted pilot before the task is given */
	bool hostile_labels; /* two things are in the graph whose names give orders */
	cairn_episode_answer_fn *answer;
	void *ctx;
};

struct cairn_episode_result {
	struct cairn_msg_agent agent; /* as told at the end */
	double seconds, path_m;
	double before_m; /* of the path: before the task was given */
	uint32_t contacts;
	uint64_t tokens_in[CAIRN_AGENT_QUERY_COUNT];
	struct cairn_agent_cost costs[CAIRN_AGENT_QUERY_COUNT]; /* the same, with calls and money */
	struct cairn_msg_scene scene;                           /* as it was at the end */
	struct cairn_pose2 start;                               /* of the map frame in the world */
	struct cairn_pose2 *track; /* true poses since the task was given, five a second */
	uint32_t track_count;
	uint8_t *shown; /* 1 for each thing of the world that a picture has shown */
	uint32_t sent;  /* queries, decisions and wishes */
	uint32_t kills;
	uint32_t orders, refusals; /* that the gate has let pass; that it has not */
	/* Orders that reached the arm though the wheels turned, the mission was no task, or the target was out of reach by the
	 * truth, and orders during which the wheels turned: each must be 0. */
	uint32_t wrong_orders;
	struct cairn_props props; /* as the house was at the end */
	double v_mps;             /* of the robot at the end */
};

/* False with the reason. */
bool cairn_episode_run(
    const struct cairn_episode_options *options, struct cairn_episode_result *ret, struct cairn_error *err);

/* Frees what the result holds. */
void cairn_episode_clear(struct cairn_episode_result *r);

#endif
