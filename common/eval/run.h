/* run.h - a whole run in one process and simulated time: the simulated robot and house (common/sim) tied to
 * the real cores, without processes, sockets or a clock.
 *
 * What is tied: truth, LiDAR, wheels and gyro -> wheel odometry, motor core, mapper, planner, sequencer, and
 * the scripted pilot (or a caller's own) in the model's place. Every core is called at its stage's nominal
 * rate, with the stamps its stage would see: simulation 10 ms, odometry 40 ms, motor 20 ms and at every scan,
 * sequencer and planner 50 ms, motion 50 ms, scans 100 ms, frontiers and grid 500 ms. Scans arrive delay_s
 * after their stamp; everything else at once. Noise, slip, drift and dropouts are those of cfg->sim, the
 * pilot's latency and profile those of cfg->pilot. The same options give the same run. */
#ifndef CAIRN_COMMON_EVAL_RUN_H
#define CAIRN_COMMON_EVAL_RUN_H

#include "common/slam/mapper.h"
#include "common/percept/sectors.h"
#include "common/safety/motor_gate.h"
#include "common/sequencer/sequencer.h"
#include "common/sim/robot/sim.h"
#include "common/sim/pilot/pilot_policy.h"
#include "ipc/topics.h"

#define CAIRN_RUN_STEP_NS CAIRN_SIM_STEP_NS
#define CAIRN_RUN_DELAY_MAX_S 1.0

/* Where poses and the map come from. */
enum cairn_run_map {
	CAIRN_RUN_MAP_MAPPER,     /* scan matching on slipping odometry, as on the robot */
	CAIRN_RUN_MAP_TRUE_POSES, /* poses from the truth, the grid made with them: no matching, much faster
				   */
	CAIRN_RUN_MAP_NONE        /* poses from the truth, no grid, no frontiers, no planner */
};

struct cairn_run;

/* Fills a decision in place of the scripted pilot; view is what the pilot would see, ret comes with id,
 * snapshot and source filled, which may be spoilt on purpose. False: says nothing this time. */
typedef bool cairn_run_decide_fn(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret);
/* Called after every step of 10 ms. False ends the run. */
typedef bool cairn_run_observe_fn(void *ctx, struct cairn_run *run);

struct cairn_run_options {
	const struct cairn_config *cfg;  /* borrowed */
	const struct cairn_world *world; /* borrowed */
	enum cairn_run_map map;
	double duration_s;
	double delay_s;         /* of scans, by honest stamps; up to CAIRN_RUN_DELAY_MAX_S */
	bool without_sequencer; /* decisions and proposed velocities go to the motor core unchecked */
	bool without_motor;     /* what the sequencer wants goes to the wheels unchecked */
	bool known_map; /* CAIRN_RUN_MAP_TRUE_POSES: the house has been seen from everywhere before the start
			 */
	bool without_depth;            /* no depth camera */
	bool coverage;                 /* keep the truth's swept floor: costs time */
	const struct cairn_vec2 *goal; /* of the mission, map frame: the candidates are scored by it and it is
					  one of them; borrowed, NULL: none */
	uint32_t looks; /* before the first question the body is turned on the spot so many times, by look_rad
			   each */
	double look_rad;
	double ask_period_s; /* 0: asked when a decision is wanted; else at this fixed period, wanted or not,
				and what is not wanted is dropped */
	cairn_run_decide_fn *decide; /* NULL: the pilot of cfg->pilot.profile */
	void *decide_ctx;
	const double *
	    answer_s; /* after decide: the time the answer took, borrowed; NULL or 0: as the scripted pilot's */
	/* Called with every result. May be NULL; gets decide_ctx. */
	void (*on_result)(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *result);
	/* Called with what the scripted pilot reports beside its decision. May be NULL. */
	void (*on_report)(void *ctx, const struct cairn_run *run, const struct cairn_tool_call *report);
	void *report_ctx;
	cairn_run_observe_fn *observe; /* may be NULL */
	void *observe_ctx;
	/* Called with every scan as it is delivered, before the cores see it; may spoil it. May be NULL. */
	void (*on_scan)(void *ctx, struct cairn_run *run, struct cairn_msg_scan *scan);
	void *scan_ctx;
	/* Shown every message of the bus, with its topic. May be NULL. */
	void (*on_message)(void *ctx, enum cairn_topic topic, const void *message);
	void *message_ctx;
};

/* NULL with err set: the robot cannot stand at its start, or no memory. */
struct cairn_run *cairn_run_new(const struct cairn_run_options *options, struct cairn_error *err);
void cairn_run_destroy(struct cairn_run **run_p);

/* One step of 10 ms. False when duration_s is over or the observer ended the run. */
bool cairn_run_step(struct cairn_run *run);
/* To the end. */
void cairn_run_all(struct cairn_run *run);

/* Sends a message as a stage would that is not part of the run: to all whose table has the topic. */
void cairn_run_send(struct cairn_run *run, enum cairn_topic topic, const void *message);

/* What the stage local makes of the scene now; by its score the model is asked or a rule decides, as in the gateway
 * (common/percept/call_policy.h). Never called: as without the stage. */
void cairn_run_local(struct cairn_run *run, const struct cairn_msg_local *local);

/* ---- what goes on; borrowed, valid until the next step ---- */

int64_t cairn_run_now_ns(const struct cairn_run *run);
/* Times it has turned on the spot, and whether it has done with that. */
uint32_t cairn_run_looks(const struct cairn_run *run);
double cairn_run_elapsed_s(const struct cairn_run *run);
/* What started the present question: an event by its kind, RESULT, TIMER at a fixed rate. */
enum cairn_trigger cairn_run_asked_why(const struct cairn_run *run);
struct cairn_sim *cairn_run_sim(struct cairn_run *run);
const struct cairn_sim_state *cairn_run_truth(const struct cairn_run *run);
/* The robot's true pose in the map frame (the start is 0 0 0). */
struct cairn_pose2 cairn_run_true_pose(const struct cairn_run *run);
/* Distance from the footprint to the nearest thing or person, at most max_m. */
double cairn_run_clearance_m(const struct cairn_run *run, double max_m);
const struct cairn_msg_pose *cairn_run_pose(const struct cairn_run *run);
/* The twist the base is driven with. */
struct cairn_twist cairn_run_sent(const struct cairn_run *run);
const struct cairn_sequencer_output *cairn_run_output(const struct cairn_run *run);
const struct cairn_msg_frontiers *cairn_run_frontiers(const struct cairn_run *run);
/* What was offered last. */
const struct cairn_msg_candidates *cairn_run_candidates(const struct cairn_run *run);
/* The newest scan delivered; its stamp in *ret_t_ns (may be NULL). NULL before the first. */
const struct cairn_msg_scan *cairn_run_scan(const struct cairn_run *run, int64_t *ret_t_ns);
/* NULL unless CAIRN_RUN_MAP_MAPPER. */
struct cairn_mapper *cairn_run_mapper(struct cairn_run *run);
/* The map, whoever made it; NULL with CAIRN_RUN_MAP_NONE. */
const struct cairn_grid *cairn_run_grid(const struct cairn_run *run);
/* What the planner said last. */
const struct cairn_msg_nav_status *cairn_run_nav_status(const struct cairn_run *run);
struct cairn_sequencer *cairn_run_sequencer(struct cairn_run *run);
struct cairn_motor *cairn_run_motor(struct cairn_run *run);

#define CAIRN_RUN_REACTIONS 512

struct cairn_run_totals {
	uint64_t calls; /* questions to the model */
	uint64_t asked
	    [CAIRN_TRIGGER_COUNT]; /* by what started them: an event by its kind, RESULT, TIMER at a fixed rate */
	uint64_t rule_decisions; /* without a question, as nothing new was in sight */
	uint64_t event_calls;    /* of them those that an event started while a decision was driven */
	/* Events of the scene while a decision of the model was driven: a doorway, an intersection, a dead end, a place seen
	 * again, a blocked way. */
	uint64_t events, events_thinking; /* of them those that happened while a call was under way */
	uint64_t events_known; /* besides: asked about lately at the same place (vlm.event_apart_m) */
	uint32_t reactions;    /* of the others: times kept below */
	float reaction_s
	    [CAIRN_RUN_REACTIONS];      /* from the end of the scan that showed it to the next question */
	uint64_t decisions;             /* asked for and given */
	uint64_t choices, choices_next; /* of them ways to a place; to the frontier the round goes on to */
	uint32_t outcomes[CAIRN_OUTCOME_COUNT];  /* of results of decisions with an id */
	double state_s[CAIRN_MOTOR_STATE_COUNT]; /* simulated time in each motor state */
	double odometry_m;                       /* true path */
	uint32_t contacts;
};
struct cairn_run_totals cairn_run_totals(const struct cairn_run *run);

#endif
