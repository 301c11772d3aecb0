/* mission_private.h - the mission: its record, the way home, the operator's goto, looks before the end, the goal; mission_run.c,
 * completion.c, mission_goal.c, resume.c. */
#ifndef CAIRN_COMMON_SEQUENCER_MISSION_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_MISSION_PRIVATE_H

#include "common/sequencer/mission.h"
#include "common/sequencer/named_goal.h"
#include "common/sequencer/task_private.h"
#include "common/explore/exploration_context.h"

struct cairn_sequencer;

/* The decision that the process before this one was executing. */
enum seq_orphan { SEQ_ORPHAN_NONE, SEQ_ORPHAN_WAITS, SEQ_ORPHAN_SAVED /* that it is gone on with */ };

struct seq_way_home {
	uint32_t attempts;
	double best_m;
	bool recover;
	bool failed;
	int64_t t_wait_ns;
};

/* The operator's goto. */
struct seq_errand {
	uint32_t attempts;
	bool recover, ended, reached;
};

struct seq_mission {
	struct cairn_mission_record record;
	bool changed;           /* the record */
	enum seq_orphan orphan; /* record.open is it */
	int64_t t_start_ns;     /* of the process */
	int64_t t_nothing_ns;   /* no frontier left since; 0: there are some */
	bool claimed_complete; /* the model has said that the exploration is complete, and nothing was left */
	struct seq_way_home home;
	struct seq_errand errand;
};

/* One more look before the exploration ends. */
enum seq_look_from {
	SEQ_LOOK_BESIDE,
	SEQ_LOOK_ROOM,
	SEQ_LOOK_PLACE,
	SEQ_LOOK_OUT
}; /* half a metre on; a place with room; (x, y); the start */
struct seq_look {
	bool due, off; /* off: got off where it stood already */
	enum seq_look_from from;
	double x_m, y_m;
};

struct seq_looks {
	struct seq_look next;
	double looked_m2; /* known floor when it last looked again before the end */
	struct cairn_frontier_looked done;
	uint32_t ways_out; /* to the start, since floor known led there */
};

/* Of the exploration. */
struct seq_goal {
	struct cairn_msg_discoveries found;
	struct cairn_msg_place places[CAIRN_PLACES_MAX]; /* choice.waypoints */
	uint32_t place_count;
	bool known;
	struct cairn_goal_place place;
};

/* What the agent has last said of the mission's task. */
struct seq_agent {
	int64_t t_ns; /* 0 = nothing yet */
	enum cairn_agent_state state;
	enum cairn_agent_limit limit;
	char answer[96];
};

/* How long the model has been silent, and how fast it answers; prefetch.c. */
struct seq_silence {
	bool wanted;         /* the model's word is wanted now */
	bool takes_events;   /* an answer to an event may replace what is driven */
	int64_t t_wanted_ns; /* since when it is awaited */
	double answer_s;     /* from snapshot to decision, the mean of late; 0: none came yet */
};

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

/* mission_task.c: tasks in words, for the agent. */
/* A new task, in words, or (survey) to look at what no picture has shown; its id rises. */
void seq_task_mission_set(struct cairn_sequencer *seq, const char *words, bool survey, int64_t now_ns);
/* What holds of the task: ended, time up, agent silent. */
uint32_t seq_task_mission_conditions(const struct cairn_sequencer *seq, int64_t now_ns);
/* Why it is over, for people. */
void seq_task_mission_reason(const struct cairn_sequencer *seq, char *buf, size_t bytes);
/* The publisher of a decision may decide now: the agent for a task, everybody else otherwise. False with the reason. */
bool seq_task_mission_turn(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *why, size_t bytes);

/* completion.c */
bool seq_nothing_left(struct cairn_sequencer *seq, int64_t now_ns);
void seq_next_look(struct cairn_sequencer *seq, int64_t now_ns);

/* mission_goal.c: the goal in words or by a name. */
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

/* resume.c */
/* keeps in the record what is under way, with where it leads now. */
void seq_resume_note(struct cairn_sequencer *seq);
/* Goes on with what the process before this one was executing, or reports that it does not. */
void seq_resume_step(struct cairn_sequencer *seq, int64_t now_ns);
void seq_resume_give_up(struct cairn_sequencer *seq);

/* prefetch.c: asking while driving. */
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

#endif
