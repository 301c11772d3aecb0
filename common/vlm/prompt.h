/* prompt.h - what the model is told: a static system text and the dynamic context of one decision.
 *
 * The system text comes from config/prompts/NAME.txt and is byte-identical for every call of a configuration,
 * so that providers can cache it. The context is made from checked messages; every text in it that came from
 * outside is one cleaned line. */
#ifndef CAIRN_COMMON_VLM_PROMPT_H
#define CAIRN_COMMON_VLM_PROMPT_H

#include "common/config/config.h"
#include "common/vlm/memory.h"

#define CAIRN_PROMPT_PREFIX_TOKENS_MIN 1024 /* providers cache prefixes from this length on */
#define CAIRN_PROMPT_SNAPSHOT_BYTES_MAX 4096

/* The parts of vlm->prompts, joined with empty lines: those that explain an option of the pictures only where
 * it is on (show_KEY.txt; show_local.txt: the stage local runs), and how to answer as vlm->mode has it: reasoning.txt for tools, json.txt and the
 * list of the tools for JSON. {base}, {turning}, {body_length_m}, {body_width_m}, {body_height_m}, {doorway_min_m},
 * {turn_room_cm}, {slow_clearance_cm} and {lidar_height_cm} become what the configuration says. False with the file that is missing, empty or not UTF-8, or has another
 * name in braces. */
bool cairn_prompt_load(const struct cairn_config *cfg, struct cairn_text *system, struct cairn_error *err);

/* Where the robot was when the snapshot was taken, why, and the text the annotator made. */
struct cairn_prompt_view {
	double x_m, y_m, yaw_rad;
	enum cairn_trigger trigger;
	const char *text; /* not necessarily NUL-terminated */
	size_t text_bytes;
	const struct cairn_msg_candidates *candidates; /* NULL: there is no list in the context */
};

/* frontiers, mission may be NULL. problem: what was wrong with the last answer, NULL if nothing. */
void cairn_prompt_context(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission,
    const struct cairn_memory *memory, const char *problem);

/* The answer to check_path_clear by the sensors as they are now: how far it is clear, what ends it, the room beside the body
 * and what is recommended. One line. */
void cairn_prompt_path_clear(
    char *dst, size_t cap, const struct cairn_tool_call *call, const struct cairn_msg_paths_clear *paths);

/* The same from the sectors of the snapshot, where nothing newer is known. sector_m and feasibility as in
 * the percept message (clockwise from the front, 0 = no return). */
void cairn_prompt_path_answer(char *dst, size_t cap, const struct cairn_tool_call *call,
    const float sector_m[12], const float feasibility[6]);

/* Of the call in which a picture is described for observe_scene (common/vlm/dialog_observe.c): its static text, and the
 * question; focus: one of the tool's words. */
extern const char cairn_prompt_observe_system[];
void cairn_prompt_observe_context(struct cairn_text *out, const char *focus);

/* The annotator's text of a snapshot as the model is told it: the beginning of the context. */
void cairn_prompt_add_view(struct cairn_text *out, const char *text, size_t bytes);

/* Tokens of a text, roughly: four bytes each. Only for estimates. */
uint64_t cairn_prompt_tokens(size_t bytes);

#endif
