/* mission.h - what the robot is out for, as a table of transitions over condition bits.
 *
 * Conditions are measured by the sequencer once a step and put into one word; the first row whose state,
 * required and blocking bits fit decides. Rules that hold everywhere stand first.
 *
 * End reasons (mission.reason once FINISHED):
 *   explored           no frontier worth a visit was left
 *   goal_reached       the goal of the exploration was reached: the robot stands there
 *   time_up            mission.limit_s left just enough for the way home
 *   battery_low        the charge fell below robot.battery_home_percent
 *   stage_failed       a stage is held failed without which the robot goes home
 *   agent_silent       nothing was heard of the agent of a task
 *   stopped            an operator's stop
 *   home               an operator's home
 *   home_unreachable   every attempt to drive home failed */
#ifndef CAIRN_COMMON_SEQUENCER_MISSION_H
#define CAIRN_COMMON_SEQUENCER_MISSION_H

#include "ipc/messages.h"

enum cairn_mission_condition {
	CAIRN_MISSION_COND_STOP,         /* operator: stop */
	CAIRN_MISSION_COND_PAUSE,        /* operator: pause */
	CAIRN_MISSION_COND_RESUME,       /* operator: resume */
	CAIRN_MISSION_COND_EXPLORE,      /* operator: explore */
	CAIRN_MISSION_COND_GOTO,         /* operator: goto */
	CAIRN_MISSION_COND_HOME,         /* operator: home */
	CAIRN_MISSION_COND_AUTOSTART,    /* configured, never started before, and the pose is good */
	CAIRN_MISSION_COND_TIME_UP,      /* just enough time left for the way home */
	CAIRN_MISSION_COND_EXPLORED,     /* nothing left for long enough */
	CAIRN_MISSION_COND_SILENT,       /* the model has been silent beyond local exploration */
	CAIRN_MISSION_COND_MODEL,        /* the model has answered since the last step */
	CAIRN_MISSION_COND_SILENT_WAY,   /* this way home was begun because of a silent model */
	CAIRN_MISSION_COND_AT_HOME,      /* within mission.home_tolerance_m and standing */
	CAIRN_MISSION_COND_HOME_FAILED,  /* every attempt failed */
	CAIRN_MISSION_COND_GOAL_ENDED,   /* goto: reached or given up */
	CAIRN_MISSION_COND_STAY,         /* mission.return_home is off */
	CAIRN_MISSION_COND_DEGRADED,     /* a stage is held failed without which nothing more is explored */
	CAIRN_MISSION_COND_LOCAL,        /* a stage is held failed without which the model is not asked */
	CAIRN_MISSION_COND_GOAL_REACHED, /* the model says so, and the map agrees (mission_goal.c) */
	CAIRN_MISSION_COND_TASK,         /* operator: task */
	CAIRN_MISSION_COND_TASK_ENDED,   /* the agent has an answer, hands off, or has come to a limit */
	CAIRN_MISSION_COND_AGENT_SILENT, /* nothing heard of the task's agent for agent.silent_s */
	CAIRN_MISSION_COND_BATTERY_LOW,  /* below robot.battery_home_percent */
	CAIRN_MISSION_COND_SURVEY,       /* what is explored is to be looked at, too (mission.survey) */
	CAIRN_MISSION_COND_COUNT
};

#define CAIRN_MISSION_BIT(cond) (UINT32_C(1) << CAIRN_MISSION_COND_##cond)

/* A row of the table: from these states, under these conditions, to this state. */
struct cairn_mission_edge {
	uint32_t from;               /* bit set of enum cairn_mission_state */
	uint32_t all;                /* conditions that must hold */
	uint32_t none;               /* conditions that must not */
	enum cairn_mission_state to; /* CAIRN_MISSION_STATE_COUNT: back to what was interrupted */
	const char *reason;          /* NULL: keeps the end reason, or says how the errand ended */
};

extern const struct cairn_mission_edge cairn_mission_edges[];
extern const int cairn_mission_edge_count;

/* The row that applies, or NULL: stay. */
const struct cairn_mission_edge *cairn_mission_next(enum cairn_mission_state state, uint32_t conditions);

/* Names of the set bits, separated by blanks, as tests print them. */
void cairn_mission_conditions_text(uint32_t conditions, char *buf, size_t buf_bytes);

#endif
