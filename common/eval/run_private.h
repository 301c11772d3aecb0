/* run_private.h - what the files of the runner share; nobody else includes it. */
#ifndef CAIRN_COMMON_EVAL_RUN_PRIVATE_H
#define CAIRN_COMMON_EVAL_RUN_PRIVATE_H

#include "common/device/wheel_odom.h"
#include "common/eval/lockstep.h"
#include "common/eval/run.h"
#include "common/eval/true_map.h"
#include "common/percept/call_policy.h"
#include "common/percept/trigger.h"
#include "common/plan/planner.h"
#include "common/vlm/decision.h"

#define RUN_SCANS 16 /* on their way, and the last delivered */
#define RUN_ACTIONS CAIRN_PILOT_ACTIONS_MAX
#define RUN_GIVEN 8

struct run_scan {
	int64_t t_ns;
	struct cairn_pose2 from, to; /* of the robot during the turn, map frame */
	struct cairn_msg_scan scan;
};

/* The model: asked, thinks for its latency, answers. */
struct run_model {
	struct cairn_pilot pilot;
	struct cairn_rng rng; /* of the latency */
	struct cairn_pilot_view view;
	struct cairn_pilot_action actions[RUN_ACTIONS]; /* newest first */
	uint32_t action_count;
	struct cairn_answer said;
	bool thinking, answers;
	int64_t due_ns, ask_ns, tick_ns;
	struct cairn_msg_decision decision;
	struct cairn_msg_decision given[RUN_GIVEN]; /* by their ids; an older one may still be driven */
	int64_t result_ns;
	double max_age_s; /* of its answers */
	struct cairn_call_policy_events asked;
	struct cairn_triggers triggers; /* as the annotator looks for them */
	enum cairn_trigger event;       /* the newest that has not been asked about; NONE */
	int64_t event_ns;               /* end of the scan that showed it */
	enum cairn_trigger asked_why;   /* the present question: an event, else RESULT */
	double novelty;                 /* newest score of the stage local; negative: none */
	int64_t novelty_ns;
	int64_t answer_ns;  /* newest answer of the model; 0 = none */
	int64_t trouble_ns; /* newest result that tells of it; 0 = none */
	bool event_waited;  /* it happened while a call was under way */
	uint64_t last_id, snapshots;
	uint32_t rooms;
};

/* Stands in for a sequencer that is off: drives what it is told, unchecked. */
struct run_naive {
	struct cairn_msg_decision d;
	bool active;
	double left_s;
	struct cairn_msg_nav_goal goal;
};

struct cairn_run {
	struct cairn_run_options o;
	const struct cairn_config *cfg;
	struct cairn_sim *sim;
	struct cairn_base_axes axes; /* as configured */
	struct cairn_sequencer *seq;
	struct cairn_planner *planner;
	struct cairn_mapper_ports ports; /* mapper NULL: the map is not made from scans */
	struct cairn_explorer *explorer; /* its own, or of the true map; NULL: no map */
	struct cairn_true_map *true_map;
	struct cairn_percept_params percept;
	struct cairn_motor motor;
	struct cairn_wheel_odom odom;
	int64_t t0_ns, now_ns, duration_ns;
	uint64_t steps;
	uint32_t looks;
	int64_t t_look_ns;
	bool over;

	struct cairn_twist sent; /* held by the base */
	struct cairn_lockstep bus;
	struct cairn_msg_pose pose;
	bool pose_some;
	struct cairn_msg_motion motion;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	int64_t candidates_ns;
	struct cairn_planner_output plan;
	struct cairn_sequencer_output out;
	uint8_t *cells;
	size_t cells_bytes;
	uint32_t grid_revision;
	int64_t t_grid_ns;
	double gyro_sum;
	int gyro_count;
	struct cairn_pose2 turn_from;

	uint32_t depth_head, depth_count;
	int64_t depth_t_ns[RUN_SCANS];
	struct cairn_msg_depth_scan depths[RUN_SCANS];
	uint32_t scan_head, scan_count; /* on their way */
	int64_t delay_ns;
	struct run_scan *newest;
	struct run_model model;
	struct run_naive naive;
	struct cairn_run_totals totals;
	struct run_scan scans[RUN_SCANS];
};

/* run_look.c */
void run_look_everywhere(struct cairn_run *run);
void run_look_around(struct cairn_run *run);
/* run_model.c */
void run_model_init(struct cairn_run *run);
void run_model_step(struct cairn_run *run, bool wanted);
void run_model_result(struct cairn_run *run, const struct cairn_msg_result *result);
/* With each scan that is delivered: what the scene says. */
void run_model_scan(struct cairn_run *run, const struct run_scan *scan);
/* run_naive.c */
bool run_naive_wants(const struct cairn_run *run);
void run_naive_decision(struct cairn_run *run, const struct cairn_msg_decision *d);
struct cairn_twist run_naive_step(struct cairn_run *run);

#endif
