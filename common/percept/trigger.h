/* trigger.h - when a snapshot is due, and why.
 *
 * While the sequencer wants a decision, a snapshot is due at once (when that wish begins, and when a result
 * arrives during it) and then every refresh_s. Its reason is the most telling one known: the kind of the
 * result that came last or the operator's word, else what the scene says, else the timer. Otherwise a
 * snapshot is due every idle_s, for those who watch, and at once when the scene gives a reason.
 *
 * Reasons of the scene, looked for with each scan (10 Hz), in the order of their weight:
 *   blocked       what is driven is held up: an obstacle, a path that is blocked, a manoeuvre to get off (mission.held_up)
 *   dead end      every sector of the front half, from the left side to the right side, is nearer than dead_end_m
 *   doorway       a gap of doorway_width_m or more is in sight
 *   intersection  intersection_sectors or more adjacent sectors are open (open_m or more)
 *   novel         the stage local calls the scene new (novel_at or more), after it was less than novel_again
 *   revisit       within revisit_m of a place that was passed at least revisit_travel_m of driving ago; it lasts until
 *                 revisit_travel_m were driven without one
 *   moved         more than moved_m from where the last decision was taken, or from the last such trigger
 * The first six are told when they begin, not while they last. Reasons of the scene are at least cooldown_s
 * apart. What begins in between waits, and is told at the end of the cool-down if it still holds then; what
 * begins together is told as one.
 *
 * Pure: time comes in; nothing allocates. Zeroed by _init; the struct is plain data. */
#ifndef CAIRN_COMMON_PERCEPT_TRIGGER_H
#define CAIRN_COMMON_PERCEPT_TRIGGER_H

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_TRIGGER_PLACES 256
#define CAIRN_TRIGGER_PLACE_STEP_M 1.0

struct cairn_trigger_params {
	int64_t refresh_ns, idle_ns, cooldown_ns;
	int64_t mission_max_age_ns; /* a mission not heard of for this long wants nothing */
	int intersection_sectors;
	double doorway_width_m, open_m, dead_end_m, moved_m, revisit_m, revisit_travel_m;
	double novel_at, novel_again; /* of message local; novel_at above 1: never */
	int64_t local_max_age_ns;
};

struct cairn_trigger_params cairn_trigger_params_from_config(const struct cairn_config *cfg);

/* A reason that has a beginning and an end. */
struct cairn_trigger_state {
	bool holds, told;
};

struct cairn_triggers {
	struct cairn_trigger_params params;
	/* what the sequencer wants */
	bool wants, urgent, held_up;
	enum cairn_mission_state mission_state;
	int64_t mission_t_ns, urgent_t_ns; /* mission: 0 = never heard */
	enum cairn_trigger reason;         /* of the decision that is wanted, NONE = nothing special */
	/* what the scene says */
	enum cairn_trigger scene; /* waiting to be taken */
	struct cairn_trigger_state blocked, dead_end, doorway, intersection, novel, revisit;
	double novelty;        /* newest score of the stage local; negative = none */
	int64_t local_t_ns;    /* its stamp */
	double known_travel_m; /* driven when the last place of before was passed */
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
	uint32_t counts[CAIRN_TRIGGER_COUNT]; /* since the start, by kind */
};

void cairn_triggers_init(
    struct cairn_triggers *triggers, const struct cairn_trigger_params *params, int64_t now_ns);

void cairn_triggers_on_mission(
    struct cairn_triggers *triggers, const struct cairn_msg_mission *mission, int64_t now_ns);
void cairn_triggers_on_result(
    struct cairn_triggers *triggers, const struct cairn_msg_result *result, int64_t now_ns);
/* A decision was taken with the robot here. */
void cairn_triggers_on_decision(struct cairn_triggers *triggers, struct cairn_vec2 at);
/* The newest word of the stage local, stamped t_ns. */
void cairn_triggers_on_local(
    struct cairn_triggers *triggers, const struct cairn_msg_local *local, int64_t t_ns);
/* With each scan; pose NULL when it is not known. */
void cairn_triggers_on_scene(struct cairn_triggers *triggers, const struct cairn_msg_percept *percept,
    const struct cairn_msg_pose *pose, int64_t now_ns);

/* Why a snapshot is due now; NONE if it is not. */
enum cairn_trigger cairn_triggers_due(const struct cairn_triggers *triggers, bool scan_fresh, int64_t now_ns);
/* A snapshot was made. */
void cairn_triggers_taken(struct cairn_triggers *triggers, int64_t now_ns);

/* What a result is as a reason: NONE for a stop of the model's that was carried out (nothing has changed by
 * it), OPERATOR for an operator's command, BLOCKED for one that was blocked, failed,
 * was refused or overridden, GOAL for a goal reached, else RESULT. */
enum cairn_trigger cairn_trigger_of_result(const struct cairn_msg_result *result);

#endif
