/* tools.h - the tools of the model that explores: the table cairn_explorer_tools, and what a call of it is. */
#ifndef CAIRN_COMMON_VLM_TOOLS_H
#define CAIRN_COMMON_VLM_TOOLS_H

#include "common/vlm/tool_table.h"
#include "ipc/messages.h"

#define CAIRN_TOOL_LABEL_CAP 48
#define CAIRN_TOOL_NOTES_CAP 160

/* One call as checked; only the members of its tool mean something. All texts are cleaned (cairn_text_clean).
 */
struct cairn_tool_call {
	enum cairn_tool tool; /* this and the next two are a struct cairn_tool_head */
	uint32_t left_out;
	char reasoning[CAIRN_TOOL_REASONING_CAP]; /* of every tool; empty: none was given */
	int direction, speed, goal_kind;          /* enum cairn_direction, cairn_speed, cairn_goal_kind */
	double duration_s, angle_deg, heading_deg, distance_m;
	bool has_angle_deg, has_heading_deg; /* rotate: one of them */
	int side;                            /* follow_wall: 0 left, 1 right */
	double frontier_id, candidate_id, x_m, y_m;
	bool has_frontier_id, has_candidate_id, has_x, has_y;
	struct cairn_tool_place if_failed; /* where to go if no way to the goal is found */
	bool has_if_failed;
	int zone_kind; /* enum cairn_zone_kind */
	int stop_reason, focus,
	    significance;            /* index into the words of the row; significance: the enum above */
	struct cairn_tool_spot spot; /* report_discovery, find_object_distance */
	bool has_spot;
	char label[CAIRN_TOOL_LABEL_CAP];
	char notes[CAIRN_TOOL_NOTES_CAP];
};

/* Indexed by enum cairn_tool; without the reasoning. */
extern const struct cairn_tool_row cairn_tools[CAIRN_TOOL_COUNT];
extern const struct cairn_tool_table cairn_explorer_tools;

const char *cairn_tool_name(enum cairn_tool tool);
/* The word of a significance: "room", "object", "landmark", "hazard". Its index, or -1. */
const char *cairn_significance_word(int significance);
int cairn_significance_parse(const char *word);

/* JSON object of the arguments of a checked call, the way a model would have written them. */
void cairn_tool_arguments(struct cairn_text *out, const struct cairn_tool_call *call);
/* The place that a checked navigate_to_goal names, and the other way round. */
struct cairn_tool_place cairn_tool_goal(const struct cairn_tool_call *call);
void cairn_tool_go(struct cairn_tool_call *call, const struct cairn_tool_place *place);
/* Checks arguments (any JSON value, NULL too) into *ret_call. False with the reason, one line fit for a
 * prompt. */
bool cairn_tool_check(
    enum cairn_tool tool, const json_t *arguments, struct cairn_tool_call *ret_call, struct cairn_error *err);
/* The table for people, as Markdown. */
void cairn_tools_markdown(struct cairn_text *out);

#endif
