/* agent_tools.h - what a model may call for a task: one table (common/vlm/tool_table.h) of three kinds of rows.
 *
 *   reading    answered at once from the scene graph and the map (world_view.c, agent_space.c); nothing moves
 *   acting     one at a time, as decisions that the sequencer judges (agent_act.c)
 *   answering  the forms that the kinds of queries are answered in (queries.def), each forced by its query
 *
 * Every tool checks that what it is asked for exists; where it does not it answers with what does. */
#ifndef CAIRN_COMMON_AGENT_AGENT_TOOLS_H
#define CAIRN_COMMON_AGENT_AGENT_TOOLS_H

#include "common/vlm/tool_table.h"

enum cairn_agent_tool {
	/* reading */
	CAIRN_AGENT_FIND_OBJECTS,
	CAIRN_AGENT_OBJECT,
	CAIRN_AGENT_FIND_ROOMS,
	CAIRN_AGENT_ROOM,
	CAIRN_AGENT_OPENINGS,
	CAIRN_AGENT_WAY_TO,
	CAIRN_AGENT_BEST_VIEW,
	CAIRN_AGENT_CAN_SEE,
	CAIRN_AGENT_CAN_REACH, /* with an arm */
	CAIRN_AGENT_LOOK_AT_PICTURES,
	/* acting */
	CAIRN_AGENT_GO_TO,
	CAIRN_AGENT_EXPLORE,
	CAIRN_AGENT_TURN,
	CAIRN_AGENT_LOOK_AROUND,
	CAIRN_AGENT_SEARCH,
	CAIRN_AGENT_OPEN, /* from here on with an arm */
	CAIRN_AGENT_CLOSE,
	CAIRN_AGENT_GRASP,
	CAIRN_AGENT_PLACE,
	CAIRN_AGENT_POUR,
	CAIRN_AGENT_HAND_OVER,
	CAIRN_AGENT_ASK_PERSON,
	CAIRN_AGENT_SAY,
	/* ends a step */
	CAIRN_AGENT_CONCLUDE,
	/* answering */
	CAIRN_AGENT_PREPARE_TASK,
	CAIRN_AGENT_OUTLINE_PLAN,
	CAIRN_AGENT_WRITE_PLAN,
	CAIRN_AGENT_NEXT_STEP,
	CAIRN_AGENT_CHOOSE_OPENING,
	CAIRN_AGENT_DESCRIBE_PICTURES,
	CAIRN_AGENT_UPDATE_MEMORY,
	CAIRN_AGENT_VERIFY_TASK,
	CAIRN_AGENT_TOOL_COUNT
};

#define CAIRN_AGENT_LINES_MAX 24
#define CAIRN_AGENT_LINE_CAP 200
#define CAIRN_AGENT_IDS_MAX 12
#define CAIRN_AGENT_ID_CAP 48

struct cairn_agent_lines {
	uint32_t count;
	char items[CAIRN_AGENT_LINES_MAX][CAIRN_AGENT_LINE_CAP];
};

struct cairn_agent_ids {
	uint32_t count;
	char items[CAIRN_AGENT_IDS_MAX][CAIRN_AGENT_ID_CAP];
};

enum cairn_agent_step_kind {
	CAIRN_AGENT_STEP_GOTO,
	CAIRN_AGENT_STEP_EXPLORE,
	CAIRN_AGENT_STEP_GETINFO,
	CAIRN_AGENT_STEP_FUNCTION,
	CAIRN_AGENT_STEP_FINISH
};
enum cairn_agent_verdict {
	CAIRN_AGENT_VERDICT_DONE,
	CAIRN_AGENT_VERDICT_NOT_YET,
	CAIRN_AGENT_VERDICT_CANNOT
};

/* How far one choice of openings is driven on. */
enum cairn_agent_until {
	CAIRN_AGENT_UNTIL_THING, /* until a thing with one of the labels is seen */
	CAIRN_AGENT_UNTIL_ROOM,  /* until that, or a room gets a name */
	CAIRN_AGENT_UNTIL_ALL    /* until no opening is left at all */
};
/* What an answer says; what may be believed of it depends on that. */
enum cairn_agent_claim {
	CAIRN_AGENT_CLAIM_FOUND,  /* something that was seen */
	CAIRN_AGENT_CLAIM_ABSENT, /* that something is not there */
	CAIRN_AGENT_CLAIM_COUNT,  /* how many there are in all */
	CAIRN_AGENT_CLAIM_DONE    /* that the robot has done something with things */
};

/* One call as checked; only the members of its tool mean something. */
struct cairn_agent_call {
	struct cairn_tool_head head;
	char name[CAIRN_AGENT_ID_CAP]; /* id, label or name of a thing, room or place */
	char room[CAIRN_AGENT_ID_CAP];
	bool has_room;
	char letter[8];
	double x_m, y_m, angle_deg, confidence;
	bool has_x, has_y, has_name;
	int kind;        /* enum cairn_agent_step_kind, enum cairn_agent_verdict */
	int until;       /* enum cairn_agent_until */
	int claim;       /* enum cairn_agent_claim */
	bool news;       /* conclude: something new was learned */
	char text[480];  /* question, summary, step, answer, description */
	char text2[320]; /* what is missing, heuristic */
	struct cairn_agent_lines lines, findings;
	struct cairn_agent_ids ids, ids2;
};

extern const struct cairn_tool_table cairn_agent_tools;

/* The rows that need an arm, as a set (CAIRN_TOOL_BIT). */
uint64_t cairn_agent_arm(void);

#endif
