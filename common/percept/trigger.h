/* trigger.h - when a snapshot is due, and why.
 *
 * While the sequencer wants a decision, a snapshot is due at once (when that wish begins, and when a result
 * arrives during it) and then every refresh_s. Its reason is the most telling one known: the kind of the
 * result that came last, else the timer. Otherwise a snapshot is due every idle_s, for those who watch, and
 * at once when the scene gives a reason: doorway       a gap of doorway_width_m or more is in sight, and none
 * was intersection  three or more adjacent sectors are open (open_m or more), and were not dead end every
 * forward sector (left of, at, right of the front) is nearer than dead_end_m, and was not moved moved_m or
 * more from where the last decision was taken, or from the last such trigger revisit       within revisit_m
 * of a place left at least REVISIT_TRAVEL_M of driving ago, and was not Reasons of the scene are at least
 * cooldown_s apart; one that falls into that time is dropped.
 *
 * Pure: time comes in; nothing allocates. Zeroed by _init; the struct is plain data. */
#ifndef CAIRN_COMMON_PERCEPT_TRIGGER_H
#define CAIRN_COMMON_PERCEPT_TRIGGER_H

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_TRIGGER_REVISIT_TRAVEL_M 5.0
#define CAIRN_TRIGGER_PLACES 256
#define CAIRN_TRIGGER_PLACE_STEP_M 1.0

struct cairn_trigger_params {
	int64_t refresh_ns, idle_ns, cooldown_ns;
	int64_t mission_max_age_ns; /* a mission not heard of for this long wants nothing */
	double doorway_width_m, open_m, dead_end_m, moved_m, revisit_m;
};

struct cairn_trigger_params cairn_trigger_params_from_config(const struct cairn_config *cfg);

struct cairn_triggers {
	struct cairn_trigger_params params;
	/* what the sequencer wants */
	bool wants, urgent;
	int64_t mission_t_ns, urgent_t_ns;
	enum cairn_trigger reason; /* of the decision that is wanted, NONE = nothing special */
	/* what the scene says */
	enum cairn_trigger scene; /* waiting to be taken */
	bool doorway, intersection, dead_end, revisit;
	bool cooling;
	int64_t scene_t_ns;
	/* what was */
	int64_t taken_t_ns;
	bool have_anchor;
	struct cairn_vec2 anchor; /* moved since here */
	struct {
		struct cairn_vec2 at;
		double travel_m;
	} places[CAIRN_TRIGGER_PLACES]; /* ring, one a PLACE_STEP_M of driving */
	uint32_t place_count;
};

void cairn_triggers_init(
    struct cairn_triggers *triggers, const struct cairn_trigger_params *params, int64_t now_ns);

void cairn_triggers_on_mission(
    struct cairn_triggers *triggers, const struct cairn_msg_mission *mission, int64_t now_ns);
void cairn_triggers_on_result(
    struct cairn_triggers *triggers, const struct cairn_msg_result *result, int64_t now_ns);
/* A decision was taken with the robot here. */
void cairn_triggers_on_decision(struct cairn_triggers *triggers, struct cairn_vec2 at);
/* With each scan; pose NULL when it is not known. */
void cairn_triggers_on_scene(struct cairn_triggers *triggers, const struct cairn_msg_percept *percept,
    const struct cairn_msg_pose *pose, int64_t now_ns);

/* Why a snapshot is due now; NONE if it is not. */
enum cairn_trigger cairn_triggers_due(const struct cairn_triggers *triggers, bool scan_fresh, int64_t now_ns);
/* A snapshot was made. */
void cairn_triggers_taken(struct cairn_triggers *triggers, int64_t now_ns);

/* What a result is as a reason: OPERATOR for an operator's command, BLOCKED for one that was blocked, failed,
 * was refused or overridden, GOAL for a goal reached, else RESULT. */
enum cairn_trigger cairn_trigger_of_result(const struct cairn_msg_result *result);

#endif
