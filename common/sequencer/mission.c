#include "common/sequencer/mission.h"

#include <stdio.h>

#define S(ident) (UINT32_C(1) << CAIRN_MISSION_STATE_##ident)
#define C(ident) CAIRN_MISSION_BIT(ident)
#define TO(ident) CAIRN_MISSION_STATE_##ident
#define BACK CAIRN_MISSION_STATE_COUNT
#define ACTIVE (S(EXPLORING) | S(GOTO) | S(RETURNING) | S(TASK))
#define EVERY ((UINT32_C(1) << CAIRN_MISSION_STATE_COUNT) - 1u)

const struct cairn_mission_edge cairn_mission_edges[] = {
    /* operators first: stop wins over everything */
    {EVERY & ~S(FINISHED), C(STOP), 0, TO(FINISHED), "stopped"},
    {ACTIVE, C(PAUSE), 0, TO(PAUSED), "paused by the operator"},
    {EVERY, C(HOME), 0, TO(RETURNING), "home"},
    {EVERY, C(GOTO), 0, TO(GOTO), "goto by the operator"},
    {EVERY & ~S(EXPLORING), C(EXPLORE), 0, TO(EXPLORING), "asked by the operator"},
    {EVERY, C(TASK), 0, TO(TASK), "task by the operator"},
    {S(PAUSED), C(RESUME), 0, BACK, "resumed by the operator"},
    {S(IDLE), C(AUTOSTART), 0, TO(EXPLORING), "started by itself"},
    /* the exploration ends */
    {S(EXPLORING), C(GOAL_REACHED), 0, TO(FINISHED), "goal_reached"},
    {S(EXPLORING), C(BATTERY_LOW) | C(STAY), 0, TO(FINISHED), "battery_low"},
    {S(EXPLORING), C(BATTERY_LOW), C(STAY), TO(RETURNING), "battery_low"},
    {S(EXPLORING), C(TIME_UP) | C(STAY), 0, TO(FINISHED), "time_up"},
    {S(EXPLORING), C(TIME_UP), C(STAY), TO(RETURNING), "time_up"},
    {S(EXPLORING), C(EXPLORED) | C(SURVEY), 0, TO(TASK), "explored; now the survey"},
    {S(EXPLORING), C(EXPLORED) | C(STAY), 0, TO(FINISHED), "explored"},
    {S(EXPLORING), C(EXPLORED), C(STAY), TO(RETURNING), "explored"},
    {S(EXPLORING), C(DEGRADED) | C(STAY), 0, TO(FINISHED), "stage_failed"},
    {S(EXPLORING), C(DEGRADED), C(STAY), TO(RETURNING), "stage_failed"},
    {S(EXPLORING), C(SILENT), C(STAY) | C(MODEL), TO(RETURNING), "model_silent"},
    /* a way home for a silent model is only a way to wait: the model's word ends it, the clock makes it final
     */
    {S(RETURNING), C(SILENT_WAY) | C(MODEL), 0, TO(EXPLORING), "the model answers again"},
    {S(RETURNING), C(SILENT_WAY) | C(DEGRADED), 0, TO(RETURNING), "stage_failed"},
    {S(RETURNING), C(SILENT_WAY) | C(LOCAL), 0, TO(EXPLORING), "exploring without the model"},
    {S(RETURNING), C(SILENT_WAY) | C(BATTERY_LOW), 0, TO(RETURNING), "battery_low"},
    {S(RETURNING), C(SILENT_WAY) | C(TIME_UP), 0, TO(RETURNING), "time_up"},
    {S(RETURNING), C(SILENT_WAY) | C(EXPLORED), 0, TO(RETURNING), "explored"},
    {S(RETURNING), C(AT_HOME), C(SILENT_WAY), TO(FINISHED), NULL},
    {S(RETURNING), C(HOME_FAILED), 0, TO(FINISHED), "home_unreachable"},
    {S(GOTO), C(GOAL_ENDED), 0, BACK, NULL},
    /* a task ends where it was answered; without its agent, or in time's name, the robot goes home */
    {S(TASK), C(TASK_ENDED), 0, BACK, NULL},
    {S(TASK), C(AGENT_SILENT) | C(STAY), 0, TO(FINISHED), "agent_silent"},
    {S(TASK), C(AGENT_SILENT), C(STAY), TO(RETURNING), "agent_silent"},
    {S(TASK), C(BATTERY_LOW) | C(STAY), 0, TO(FINISHED), "battery_low"},
    {S(TASK), C(BATTERY_LOW), C(STAY), TO(RETURNING), "battery_low"},
    {S(TASK), C(TIME_UP) | C(STAY), 0, TO(FINISHED), "time_up"},
    {S(TASK), C(TIME_UP), C(STAY), TO(RETURNING), "time_up"},
    {S(TASK), C(DEGRADED) | C(STAY), 0, TO(FINISHED), "stage_failed"},
    {S(TASK), C(DEGRADED), C(STAY), TO(RETURNING), "stage_failed"},
};
const int cairn_mission_edge_count = (int)(sizeof(cairn_mission_edges) / sizeof(cairn_mission_edges[0]));

static const char *const condition_names[] = {"stop", "pause", "resume", "explore", "goto", "home",
    "autostart", "time_up", "explored", "silent", "model", "silent_way", "at_home", "home_failed",
    "goal_ended", "stay", "degraded", "local", "goal_reached", "task", "task_ended", "agent_silent",
    "battery_low", "survey"};
_Static_assert(sizeof(condition_names) / sizeof(condition_names[0]) == CAIRN_MISSION_COND_COUNT,
    "one name for each condition");

const struct cairn_mission_edge *cairn_mission_next(enum cairn_mission_state state, uint32_t conditions)
{
	for (int i = 0; i < cairn_mission_edge_count; i++) {
		const struct cairn_mission_edge *e = &cairn_mission_edges[i];
		if ((e->from >> state & 1u) != 0 && (conditions & e->all) == e->all &&
		    (conditions & e->none) == 0)
			return e;
	}
	return NULL;
}

void cairn_mission_conditions_text(uint32_t conditions, char *buf, size_t buf_bytes)
{
	size_t used = 0;
	if (buf_bytes > 0)
		buf[0] = '\0';
	for (int i = 0; i < CAIRN_MISSION_COND_COUNT && used < buf_bytes; i++) {
		if ((conditions >> i & 1u) != 0)
			used += (size_t)snprintf(
			    buf + used, buf_bytes - used, "%s%s", used > 0 ? " " : "", condition_names[i]);
	}
}
