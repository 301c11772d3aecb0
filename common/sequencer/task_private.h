/* task_private.h - what is being executed, and how it begins and ends: task.c. A step of it: drive.c, navigate.c,
 * retrace.c, wall_task.c, teleop.c. */
#ifndef CAIRN_COMMON_SEQUENCER_TASK_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_TASK_PRIVATE_H

#include "common/safety/speed_level.h"
#include "common/sequencer/follow_wall.h"
#include "common/sequencer/inputs_private.h"

struct cairn_sequencer;
struct seq_refusal;

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
	SEQ_TELEOP,
	SEQ_KINDS
};

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
	double aimed_s;  /* active time when this goal was set */
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
	double active_s, held_s, blocked_s, reduced_s, stall_s, stall_from_m, stall_from_rad, limit_s;
	double distance_m, turned_rad;
	double from_x_m, from_y_m; /* where the robot was when it began */
	bool overridden;
	char cause[96];    /* newest reason for being slower than asked */
	char instead[128]; /* of what it is the fallback; empty: of nothing */
	char fallback_refused
	    [96]; /* why its own fallback was not taken; empty: it has none, or none was needed */
	struct seq_cause by;
	enum cairn_pace pace; /* the slowest that the free way allowed */
	int64_t t_start_ns;
	struct seq_turn turn;
	struct seq_nav nav;
	struct seq_stretch stretch;
	struct cairn_wall wall;
};

/* What a kind of task does. */
struct seq_task_ops {
	/* One step; the velocity it wants. May end the task. */
	struct cairn_twist (*step)(struct cairn_sequencer *seq, int64_t now_ns);
	/* The robot is blocked or does not move: ends the task, or finds a way out. NULL: a person drives. */
	void (*in_trouble)(struct cairn_sequencer *seq, int64_t now_ns, const char *why);
	/* What was driven, in words for the result. NULL: nothing was. */
	void (*executed)(const struct seq_task *task, char *buf, size_t bytes);
	bool stands;         /* moves no wheel: goes on without inputs */
	bool goes_somewhere; /* its end says whether the robot gets anywhere */
};
extern const struct seq_task_ops seq_stand_ops, seq_report_ops, seq_help_ops, seq_move_ops, seq_rotate_ops,
    seq_navigate_ops, seq_wall_ops, seq_backup_ops, seq_teleop_ops;
/* Of SEQ_NONE: a task that stands. */
const struct seq_task_ops *seq_ops_of(const struct seq_task *task);

/* What a person asks for who steers by hand; limited as it comes. */
struct seq_teleop {
	int from;     /* whose messages are taken */
	int64_t t_ns; /* stamp of the newest; 0 = none yet */
	double v_mps, curvature_1pm, w_radps;
	bool barred; /* stopped: until he lets go */
	char who[64];
};

void seq_task_begin(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns);
/* The same without counting a decision: it was counted when it was begun. */
void seq_task_start(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns);
__attribute__((format(printf, 4, 5))) void seq_task_end(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns, const char *fmt, ...);
/* What the end of a task says of its goal and of how the robot gets on; part of seq_task_end. */
void seq_task_judge(struct cairn_sequencer *seq, const struct seq_task *task, enum cairn_outcome outcome,
    const char *reason, int64_t now_ns);
/* A way to a point: for local exploration, the mission and operators. */
void seq_begin_way(struct cairn_sequencer *seq, enum cairn_source source, double x_m, double y_m,
    double tolerance_m, const char *why, int64_t now_ns);
void seq_begin_frontier(struct cairn_sequencer *seq, const struct cairn_msg_frontier *f, int64_t now_ns);
/* Without a path or a frontier: a stretch by the scan alone (reactive_exploration.h). False: nowhere to go. */
bool seq_begin_reaction(struct cairn_sequencer *seq, int64_t now_ns);
/* False: no way out was found. */
bool seq_begin_recovery(struct cairn_sequencer *seq, enum cairn_source source, int64_t now_ns);
uint64_t seq_new_goal_id(struct cairn_sequencer *seq, int64_t now_ns);

/* drive.c: one step of what is executed; the velocity it wants. May end the task. */
struct cairn_twist seq_drive(struct cairn_sequencer *seq, int64_t now_ns);
/* After the safety function: blocked, slowed, stalled. May end the task. */
void seq_drive_account(struct cairn_sequencer *seq, struct cairn_twist want,
    const struct cairn_safe_velocity *safe, int64_t now_ns);
/* backup_task.c: false where there is no room for one. */
bool seq_stretch_find(const struct cairn_sequencer *seq, struct seq_stretch *ret);

/* navigate.c */
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

/* inputs.c: what a point of the inputs, met on an arc, says of its sensor. */
struct seq_cause seq_cause_of(const struct cairn_sequencer *seq, bool hit, size_t point);

/* retrace.c: the way back. */
void seq_trail_note(struct cairn_sequencer *seq);
void seq_trail_moved(struct cairn_sequencer *seq, struct cairn_pose2 was);
bool seq_trail_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal);
bool seq_trail_onward(struct cairn_sequencer *seq);

/* wall_task.c: follow_wall. */
bool seq_wall_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal);

/* teleop.c: a person who steers by hand. */
/* His word is fresh, and no stop came since he took hold. */
bool seq_teleop_holds(const struct cairn_sequencer *seq, int64_t now_ns);
void seq_teleop_step(struct cairn_sequencer *seq, int64_t now_ns);
/* True when there was something to stop. */
bool seq_teleop_stop(struct cairn_sequencer *seq, int64_t now_ns);

/* task_text.c: words for people and for the next prompt. */
void seq_text_asked(const struct cairn_msg_decision *d, char *buf, size_t bytes);
void seq_text_executed(const struct seq_task *task, char *buf, size_t bytes);
/* Adds to the reason of an end why the fallback was not taken either; nothing where why is empty. */
void seq_text_fallback_refused(char *reason, size_t cap, const char *why);
void seq_text_suggestion(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *buf, size_t bytes);

#endif
