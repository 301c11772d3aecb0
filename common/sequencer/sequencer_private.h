/* sequencer_private.h - what the files of the sequencer share; nobody else includes it. */
#ifndef CAIRN_COMMON_SEQUENCER_SEQUENCER_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_SEQUENCER_PRIVATE_H

#include "common/explore/exploration_context.h"
#include "common/base/bearing_name.h"
#include "common/safety/depth_layer.h"
#include "common/sequencer/follow_wall.h"
#include "common/sequencer/named_goal.h"
#include "common/sequencer/mission.h"
#include "common/safety/dynamic_obstacles.h"
#include "common/safety/speed_level.h"
#include "common/sequencer/sequencer.h"
#include "common/safety/safe_velocity.h"
#include "common/sequencer/scene_change.h"
#include "ipc/topics.h"

#define SEQ_RESULTS_MAX 16
#define SEQ_MEMORY_MAX 24
#define SEQ_GONE_MAX 64

#define SEQ_HOLD_MAX_S 8.0         /* a decision survives stale inputs for this long */
#define SEQ_BLOCKED_S 0.6          /* held at zero by an obstacle for this long ends a move */
#define SEQ_NAV_PATIENCE_S 1.0     /* longer than the planner's nav.stuck_s, then a manoeuvre */
#define SEQ_STALL_S 2.5            /* commanded but not moving */
#define SEQ_STALL_M 0.02           /* less than this in SEQ_STALL_S is not moving */
#define SEQ_STAND_S 0.5            /* standing decisions last this long */
#define SEQ_OVERRIDE_S 0.5         /* below half of the wanted speed for this long counts as an override */
#define SEQ_REACTION_S 0.20        /* until the wheels follow a command */
#define SEQ_MOVED_M 0.10           /* a result with less travel than this got nowhere */
#define SEQ_FAILS_FOR_RECOVERY 3   /* results in a row that got nowhere */
#define SEQ_RECOVERIES_FOR_LOCAL 2 /* manoeuvres in a row without progress of the model's own */
#define SEQ_NUDGES_MAX 3           /* manoeuvres within one way */
#define SEQ_HOME_ATTEMPTS 10       /* ways home in vain, without getting nearer in between */
#define SEQ_GOTO_ATTEMPTS 3
#define SEQ_FRONTIERS_TIMEOUT_S 3.0
#define SEQ_ORPHAN_WAIT_S 0.25 /* a reborn process lets readers connect before it reports what it dropped */

enum seq_kind {
	SEQ_NONE,
	SEQ_STAND,
	SEQ_REPORT,
	SEQ_HELP,
	SEQ_DRIVE,
	SEQ_TURN,
	SEQ_NAV,
	SEQ_WALL,
	SEQ_RECOVER,
	SEQ_TELEOP
};

/* The decision that the process before this one was executing. */
enum seq_orphan { SEQ_ORPHAN_NONE, SEQ_ORPHAN_WAITS, SEQ_ORPHAN_SAVED /* that it is gone on with */ };

/* A short straight or curved stretch out of a tight place. */
struct seq_stretch {
	double v_mps, curvature_1pm;
	double left_m, left_s;
	double blocked_s;
};

struct seq_nav {
	uint64_t goal_id;
	int64_t t_goal_ns;
	double x_m, y_m, tolerance_m;
	bool frontier;
	uint32_t frontier_id;
	double frontier_x_m, frontier_y_m;
	double distance_m; /* along the known floor, as the mapper says */
	uint32_t missing;  /* frontier updates in a row without it */
	bool leans;  /* its decision rests on the corridor of its path, which has not been compared yet */
	bool onward; /* the model's frontier was seen into: goes on with the round until it answers */
	uint32_t seen_id; /* that frontier */
	bool trail;       /* back along the trail: the goal is a point on the way to that of index trail_to */
	uint32_t trail_to;
	double looked_s; /* stood at the goal for so long: the map follows the scans a little later */
	enum cairn_nav_state bad_state;
	double bad_s;      /* the planner has said so for this long */
	double path_bad_s; /* its path has led into a keep-out zone for this long */
	uint32_t nudges;
	bool nudging;
};

struct seq_turn {
	double wanted_rad;
	int leg; /* 1 forward, -1 backward, 0 choose */
	int last_leg;
	double leg_from_rad, leg_m;
	double pause_s;
	uint32_t idle_legs; /* in a row that turned nothing */
};

/* The sensor that had a motion changed, and where it saw the reason. */
struct seq_cause {
	enum cairn_sensor sensor;
	double bearing_rad, distance_m; /* from the robot's origin; negative = unknown */
};

/* Whether a way gets anywhere, over all tasks that lead to the same place. */
struct seq_progress {
	bool known; /* of some way since the exploration began */
	double goal_x_m, goal_y_m;
	double x_m, y_m; /* where the robot was when it last got somewhere */
	double left_m;   /* the least that was left of the path */
	double since_s;  /* of driving */
	bool tight;      /* it has come to where there is no room to turn */
};

/* Where and since when the planner has known no way off. */
struct seq_boxed {
	bool known;
	double x_m, y_m;
	int64_t t_ns;
};

/* What is being executed. */
struct seq_task {
	enum seq_kind kind;
	struct cairn_msg_decision d; /* as asked; local and mission tasks fill in one of their own */
	double v_mps, curvature_1pm; /* SEQ_DRIVE: as accepted */
	bool slow_only;
	bool insists;   /* local: not to be replaced by the model */
	bool looks;     /* the exploration does not end before it */
	bool blameless; /* ends for reasons that are not the goal's */
	bool again;     /* begun by a process that has died */
	bool ahead;     /* the model's: what is to follow has been asked for, since ahead_s */
	double ahead_s;
	double active_s, held_s, blocked_s, reduced_s, stall_s, stall_from_m, limit_s;
	double distance_m, turned_rad;
	double from_x_m, from_y_m; /* where the robot was when it began */
	bool overridden;
	char cause[96];    /* newest reason for being slower than asked */
	char instead[128]; /* of what it is the fallback; empty: of nothing */
	struct seq_cause by;
	enum cairn_pace pace; /* the slowest that the free way allowed */
	int64_t t_start_ns;
	struct seq_turn turn;
	struct seq_nav nav;
	struct seq_stretch stretch;
	struct cairn_wall wall;
};

/* An action that was blocked. */
struct seq_memory {
	int64_t t_ns;
	enum cairn_tool tool;
	int way; /* direction, or sign of the turn, or kind of the goal */
	struct cairn_pose2 at;
	double x_m, y_m; /* of a goal */
	uint32_t candidate_id;
	uint32_t count;
};

/* A candidate that is not offered any more: the model may be thinking of it still. */
struct seq_gone {
	int64_t t_ns;
	struct cairn_msg_candidate as;
};

/* What is fresh now, measured once a step. */
struct seq_inputs {
	bool scan_ok, pose_ok, motion_ok, estop;
	char hold[96]; /* why nothing may move; empty: go */
};

/* What a stage that is held failed asks for; stage is empty while none is. */
struct seq_degraded {
	enum cairn_without wish;
	char stage[32];
};

/* One more look before the exploration ends. */
#define SEQ_LOOKS_MAX 8 /* openings looked into in a row without learning anything */
enum seq_look_from {
	SEQ_LOOK_BESIDE,
	SEQ_LOOK_ROOM,
	SEQ_LOOK_PLACE
}; /* half a metre on; a place with room; (x, y) */
struct seq_look {
	bool due, off; /* off: got off where it stood already */
	enum seq_look_from from;
	double x_m, y_m;
};

/* What a person asks for who steers by hand; limited as it comes. */
struct seq_teleop {
	int from;     /* whose messages are taken */
	int64_t t_ns; /* stamp of the newest; 0 = none yet */
	double v_mps, curvature_1pm;
	bool barred; /* stopped: until he lets go */
	char who[64];
};

struct cairn_sequencer {
	const struct cairn_config *cfg;
	struct cairn_mission_record rec;
	bool rec_changed;
	enum seq_orphan orphan; /* rec.open is it */

	struct cairn_directions directions;    /* of the scans */
	struct cairn_points scan_points;       /* in the robot frame of the scan */
	struct cairn_points points;            /* in the robot frame of now */
	size_t lidar_count;                    /* of points: the rest is the depth camera's */
	struct cairn_scene_change seen;        /* by the LiDAR, during as long as decisions are acted on */
	char fence[32];                        /* zone that held the robot at the last step, or empty */
	struct cairn_depth_layer floor;        /* in the map frame */
	struct cairn_dynamic_obstacles movers; /* in the map frame, by the scans while the pose is good */
	struct cairn_dynamic_obstacles_limit
	    mover;           /* what held the robot at the last step; limit_mps infinity: none did */
	int64_t t_turn_ns;   /* when the turn of the newest scan began */
	int64_t t_movers_ns; /* stamp of the scan that movers knows */
	int64_t t_depth_ns;
	int64_t t_guard_ns;
	bool drop; /* by the newest word of the cliff sensor */
	int64_t t_scan_ns, t_pose_ns, t_motion_ns, t_frontiers_ns, t_candidates_ns, t_nav_velocity_ns,
	    t_nav_status_ns, t_nav_path_ns;
	uint64_t map_id; /* of the newest pose that tells; 0 = none has */
	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	struct seq_gone gone[SEQ_GONE_MAX]; /* a ring */
	uint32_t gone_count;
	struct cairn_msg_nav_velocity nav_velocity;
	struct cairn_msg_nav_status nav_status;
	struct cairn_msg_nav_path path; /* that was told last */
	char path_zone[48];             /* keep-out zone that it leads into, or empty */
	struct seq_inputs sense;
	uint64_t rejects, duplicates;
	int64_t t_stages_ns;
	struct seq_degraded told, without; /* by the newest report; and in force now */

	struct seq_task task;
	struct seq_teleop teleop;
	struct seq_progress progress;
	struct seq_boxed boxed;
	struct seq_look look;
	double looked_m2;                        /* known floor when it last looked again before the end */
	struct cairn_vec2 looked[SEQ_LOOKS_MAX]; /* openings that it has looked into since */
	uint32_t looked_count;
	struct seq_memory memory[SEQ_MEMORY_MAX];
	uint32_t memory_count;
	struct cairn_msg_result results[SEQ_RESULTS_MAX];
	uint32_t results_head, results_count;

	int64_t t_step_ns, t_start_ns;
	struct cairn_twist cmd; /* of the last step */
	double step_s;          /* length of this one */
	struct cairn_pose2 last_pose;
	double last_distance_m;
	bool last_pose_valid;

	bool wanted;          /* the model's word is wanted now */
	bool takes_events;    /* an answer to an event may replace what is driven */
	int64_t t_wanted_ns;  /* since when it is awaited */
	bool claimed;         /* the model has said that the exploration is complete, and nothing was left */
	int64_t t_nothing_ns; /* no frontier left since; 0: there are some */
	double coast_mps;     /* speed of a move that just ended; decays */
	int64_t t_coast_ns;
	uint32_t fails, recoveries;
	bool recovery_due, local_due;
	int64_t t_react_ns; /* until then local exploration goes by the scan alone */
	double answer_s;    /* from snapshot to decision, the mean of late; 0: none came yet */

	struct {
		uint32_t attempts;
		double best_m;
		bool recover;
		bool failed;
		int64_t t_wait_ns;
	} home;
	struct {
		uint32_t attempts;
		bool recover, ended, reached;
	} errand; /* goto */
	uint64_t nav_goal_id;
	/* Of the goal of the exploration. */
	struct cairn_msg_discoveries found;
	struct cairn_msg_place places[CAIRN_PLACES_MAX]; /* choice.waypoints */
	uint32_t place_count;
	bool goal_known;
	struct cairn_goal_place goal;

	struct cairn_sequencer_output last; /* for the changed flags */
};

/* In floating point from the start: stamps come from outside and may be anything. */
static inline double seq_seconds(int64_t from_ns, int64_t to_ns)
{
	return ((double)to_ns - (double)from_ns) * 1e-9;
}

static inline struct cairn_pose2 seq_pose(const struct cairn_sequencer *seq)
{
	return (struct cairn_pose2){seq->pose.x_m, seq->pose.y_m, seq->pose.yaw_rad};
}

static inline bool seq_executing(const struct cairn_sequencer *seq)
{
	return seq->task.kind != SEQ_NONE;
}

/* sequencer_sense.c: freshness, points of now, odometry of the task. */
/* True for a message that is newer than the newest of its kind, whose stamp then moves on. */
bool seq_rising(struct cairn_sequencer *seq, int64_t *newest_ns, int64_t t_ns, bool finite);
/* What holds of the newest report, and the mission's conditions that follow from it (sequencer_without.c). */
void seq_degraded_update(struct cairn_sequencer *seq, int64_t now_ns);
uint32_t seq_degraded_conditions(const struct cairn_sequencer *seq);
void seq_inputs_update(struct cairn_sequencer *seq, int64_t now_ns);
/* The pose carried on, or back, from its stamp. */
struct cairn_pose2 seq_pose_at(const struct cairn_sequencer *seq, int64_t t_ns);

/* sequencer_goal.c: the goal in words or by a name. */
void seq_goal_init(struct cairn_sequencer *seq);
/* A new goal; empty: none. */
void seq_goal_set(struct cairn_sequencer *seq, const char *words);
/* The goal was reached: there is one, a place is known that it names, and the robot is within mission.goal_reached_m of it.
 * False with the reason, for the model. */
bool seq_goal_reached(const struct cairn_sequencer *seq, char why[160]);
/* The task is a stop of the model that says that the goal is reached; and what becomes of it once the robot stands: the
 * end of the mission, or the reason why not. */
bool seq_goal_claimed(const struct cairn_sequencer *seq);
void seq_goal_judge(struct cairn_sequencer *seq, int64_t now_ns);
/* The place of a name, for goto; false with the reason in the reply. */
bool seq_goal_named(const struct cairn_sequencer *seq, const char *name, struct cairn_goal_place *ret,
    struct cairn_msg_reply *reply);
void seq_goal_fill(const struct cairn_sequencer *seq, struct cairn_msg_mission *mission);

/* sequencer_check.c: the chain a decision goes through. False: refused, *result_reason and *result_suggestion
 * filled. On success *task is what to execute. */
struct seq_refusal {
	char reason[160];
	char suggestion[160];
	bool counts; /* as an attempt that got nowhere */
	struct seq_cause by;
};
/* True for what moves the robot. */
bool seq_tool_moves(enum cairn_tool tool);
/* The place that a way leads to; false where it names none, or none that is there now. */
bool seq_goal_of(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct cairn_vec2 *ret);

/* decision_basis.c: what a decision rests on still holds. Part of the chain. */
bool seq_basis_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
bool seq_basis_corridor(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
/* The answer took long, or the robot has moved on: it leans on its corridor being as it was. */
bool seq_basis_leans(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
/* Of a way that leans on its corridor: the path that the planner tells of it, the next 3 m, is held against the snapshot, once.
 * UNKNOWN: there is no path of it yet. CHANGED: the refusal says what has come into it. */
enum seq_way { SEQ_WAY_HOLDS, SEQ_WAY_UNKNOWN, SEQ_WAY_CHANGED };
enum seq_way seq_basis_way(struct cairn_sequencer *seq, struct seq_refusal *refusal);
/* It moves nothing, or its snapshot is young enough for its provider. */
bool seq_basis_timely(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);

bool seq_check(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);
/* True when a model that says this counts as one that answers: well-formed, in time, and not about a frontier
 * or a candidate that does not exist; sensible or not. */
bool seq_is_answer(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
void seq_remember_blocked(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);

/* sequencer_zones.c: carries out define_zone and ends the task. */
void seq_define_zone(struct cairn_sequencer *seq, int64_t now_ns);
/* The operator's verb, and the zones of the configuration. */
void seq_zone_command(struct cairn_sequencer *seq, const char *text, struct cairn_msg_reply *reply);
void seq_zones_from_config(struct cairn_sequencer *seq);
void seq_zones_of_map(struct cairn_sequencer *seq, uint64_t map_id); /* a pose is of this map */

/* sequencer_fence.c: the first keep-out zone that a way of way_m along an arc leads into (or deeper into),
 * and after how much of it; NULL: none. */
const struct cairn_msg_zone *seq_geofence_ahead(
    const struct cairn_sequencer *seq, double curvature_1pm, bool forward, double way_m, double *ret_free_m);
/* The zone of that kind that a place lies in, or NULL. */
const struct cairn_msg_zone *seq_geofence_at(
    const struct cairn_sequencer *seq, enum cairn_zone_kind kind, double x_m, double y_m);
/* The first keep-out zone that a path leads into, or NULL; one that it begins in may be left. */
const struct cairn_msg_zone *seq_geofence_on_path(
    const struct cairn_sequencer *seq, const struct cairn_msg_nav_path *path);
/* Holds a velocity before a keep-out zone, and slows it in a slow-down zone. */
void seq_geofence_hold(struct cairn_sequencer *seq, struct cairn_safe_velocity *safe);

/* sequencer_movers.c: a new scan, with a good pose; and the velocity that is safe beside what moves by
 * itself. */
void seq_people_init(struct cairn_sequencer *seq);
void seq_people_scan(struct cairn_sequencer *seq, struct cairn_pose2 pose);
void seq_people_hold(
    struct cairn_sequencer *seq, struct cairn_pose2 pose, struct cairn_safe_velocity *safe, int64_t now_ns);

/* What a point of seq->points, met on an arc, says of its sensor. */
struct seq_cause seq_cause_of(const struct cairn_sequencer *seq, bool hit, size_t point);

/* sequencer_choice.c: what ids stand for. */
const struct cairn_msg_frontier *seq_frontier(const struct cairn_sequencer *seq, uint32_t id);
/* The candidate that a decision names; NULL with the reason when it is not offered, or not any more. */
const struct cairn_msg_candidate *seq_candidate(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns, char why[160]);
/* False for a decision about a frontier or a candidate that does not exist. */
bool seq_names_something(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
bool seq_prepare_candidate(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_task *task, struct seq_refusal *refusal);

/* sequencer_task.c: begin and end. */
void seq_task_begin(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns);
/* The same without counting a decision: it was counted when it was begun. */
void seq_task_start(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns);
__attribute__((format(printf, 4, 5))) void seq_task_end(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns, const char *fmt, ...);
/* What the end of a task says of its goal and of how the robot gets on; part of seq_task_end. */
void seq_task_judge(struct cairn_sequencer *seq, const struct seq_task *task, enum cairn_outcome outcome,
    const char *reason, int64_t now_ns);
void seq_refuse(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const struct seq_refusal *refusal);
void seq_result_push(struct cairn_sequencer *seq, const struct cairn_msg_result *result);
/* A way to a point: for local exploration, the mission and operators. */
void seq_begin_way(struct cairn_sequencer *seq, enum cairn_source source, double x_m, double y_m,
    double tolerance_m, const char *why, int64_t now_ns);
void seq_begin_frontier(struct cairn_sequencer *seq, const struct cairn_msg_frontier *f, int64_t now_ns);
/* Without a path or a frontier: a stretch by the scan alone (react.h). False: nowhere to go. */
bool seq_begin_reaction(struct cairn_sequencer *seq, int64_t now_ns);
/* False: no way out was found. */
bool seq_begin_recovery(struct cairn_sequencer *seq, enum cairn_source source, int64_t now_ns);
/* Time allowed for a way of this length: turning in tight places takes far longer than driving. */
static inline double seq_way_limit_s(const struct cairn_sequencer *seq, double way_m)
{
	return 40.0 + 6.0 * way_m / seq->cfg->nav.speed_mps;
}

uint64_t seq_new_goal_id(struct cairn_sequencer *seq, int64_t now_ns);

/* sequencer_again.c: keeps in the record what is under way, with where it leads now. */
void seq_resume_note(struct cairn_sequencer *seq);
/* Goes on with what the process before this one was executing, or reports that it does not. */
void seq_resume_step(struct cairn_sequencer *seq, int64_t now_ns);
void seq_resume_give_up(struct cairn_sequencer *seq);

/* sequencer_drive.c: one step of what is executed; the velocity it wants. May end the task. */
struct cairn_twist seq_drive(struct cairn_sequencer *seq, int64_t now_ns);
/* After the safety function: blocked, slowed, stalled. May end the task. */
void seq_drive_account(struct cairn_sequencer *seq, struct cairn_twist want,
    const struct cairn_safe_velocity *safe, int64_t now_ns);
bool seq_stretch_find(const struct cairn_sequencer *seq, struct seq_stretch *ret);

/* sequencer_trail.c: the way back. */
void seq_trail_note(struct cairn_sequencer *seq);
void seq_trail_moved(struct cairn_sequencer *seq, struct cairn_pose2 was);
bool seq_trail_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal);
bool seq_trail_onward(struct cairn_sequencer *seq);

/* sequencer_wall.c: follow_wall. */
bool seq_wall_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal);
struct cairn_twist seq_wall_step(struct cairn_sequencer *seq, int64_t now_ns);

/* sequencer_word.c: the reasons of stop_robot that claim something: false, with the reason, where it is not so. */
bool seq_model_claim(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_refusal *refusal);
/* Waits for people; and what an operator's word does to that: false when nobody was asked. */
struct cairn_twist seq_model_help(struct cairn_sequencer *seq, int64_t now_ns);
bool seq_model_answered(struct cairn_sequencer *seq, int64_t now_ns);
/* What a decision would have done instead, as a checked task; false when there is nothing, or that is refused too. */
bool seq_model_fallback(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const char *why,
    int64_t now_ns, struct seq_task *task);
/* The same for the way that is driven and has failed: begins it in its place. */
bool seq_model_fall_back(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, const char *why, int64_t now_ns);

/* sequencer_nav.c */
struct cairn_twist seq_nav_step(struct cairn_sequencer *seq, int64_t now_ns);
void seq_nav_frontiers(struct cairn_sequencer *seq, int64_t now_ns);
/* A loop was closed and the map drawn anew: where the robot is now it was `was` by the map before. A goal it
 * had in sight moves with it; the start stays, as it is what the map hangs on. */
void seq_nav_map_moved(struct cairn_sequencer *seq, struct cairn_pose2 was, int64_t now_ns);
/* The planner has the robot leave a place without room by the way it came; how long it waits there for what stands in the
 * way is the planner's business. */
bool seq_backs_out(const struct cairn_sequencer *seq, int64_t now_ns);
/* Paths are of no use: local exploration goes by the scan alone for a while. */
void seq_react(struct cairn_sequencer *seq, int64_t now_ns);
/* Stuck on the way: leaves the place by a manoeuvre, or ends the way. */
void seq_nav_in_trouble(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns, const char *why);

/* sequencer_ahead.c: asking while driving. */
void seq_prefetch_answered(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns);
/* So long before a way ends the next decision is asked for. */
double seq_prefetch_lead_s(const struct cairn_sequencer *seq);
void seq_prefetch_step(struct cairn_sequencer *seq);
/* A way of the model's may go on with the round: its frontier has been seen into, now or before. */
bool seq_prefetch_goes_on(const struct cairn_sequencer *seq, bool seen);
/* The answer to what was asked ahead may still come without the robot having to stand for it. */
bool seq_prefetch_waits(const struct cairn_sequencer *seq);
/* It has been asked for as long ahead as it is to be, or nothing is asked ahead. */
bool seq_prefetch_has_waited(const struct cairn_sequencer *seq);
/* What is driven is the model's own, and the answer to an event would come before the robot has moved too far. */
bool seq_prefetch_takes_events(const struct cairn_sequencer *seq);
/* The decision answers an event that was asked about while the present task was driven, and may take its place. */
bool seq_prefetch_replaces(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d);
/* What is driven does not get on as asked. */
bool seq_prefetch_held_up(const struct cairn_sequencer *seq);
/* Goes on with the next task from the one that is being driven, without a stop where both lead to the same
 * place. */
void seq_prefetch_take_over(struct cairn_sequencer *seq, struct seq_task *next, int64_t now_ns);

/* sequencer_mission.c */
void seq_mission_apply(struct cairn_sequencer *seq, uint32_t conditions, int64_t now_ns);
void seq_mission_step(struct cairn_sequencer *seq, int64_t now_ns);
void seq_mission_update_wanted(struct cairn_sequencer *seq, int64_t now_ns);
void seq_mission_next_task(struct cairn_sequencer *seq, int64_t now_ns);
void seq_mission_way_ended(
    struct cairn_sequencer *seq, const struct seq_task *task, enum cairn_outcome outcome, int64_t now_ns);
double seq_silent_s(const struct cairn_sequencer *seq, int64_t now_ns);
enum cairn_tier seq_tier(const struct cairn_sequencer *seq, int64_t now_ns);
double seq_elapsed_s(const struct cairn_sequencer *seq, int64_t now_ns);
double seq_home_m(const struct cairn_sequencer *seq);
bool seq_model_may_speak(const struct cairn_sequencer *seq);

/* teleop.c: a person who steers by hand. Holds: his word is fresh, and no stop came since he took hold. */
bool seq_teleop_holds(const struct cairn_sequencer *seq, int64_t now_ns);
void seq_teleop_step(struct cairn_sequencer *seq, int64_t now_ns);
struct cairn_twist seq_teleop_twist(struct cairn_sequencer *seq);
/* True when there was something to stop. */
bool seq_teleop_stop(struct cairn_sequencer *seq, int64_t now_ns);

/* sequencer_text.c: words for people and for the next prompt. */
void seq_text_asked(const struct cairn_msg_decision *d, char *buf, size_t bytes);
void seq_text_executed(const struct seq_task *task, char *buf, size_t bytes);
void seq_text_suggestion(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *buf, size_t bytes);

#endif
