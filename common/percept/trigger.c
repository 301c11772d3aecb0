#include "common/percept/trigger.h"

#include <math.h>
#include <string.h>

#include "common/percept/sectors.h"
#include "ipc/topics.h"

struct cairn_trigger_params cairn_trigger_params_from_config(const struct cairn_config *cfg)
{
	const struct cairn_config_percept *p = &cfg->percept;
	return (struct cairn_trigger_params){
	    .refresh_ns = (int64_t)(p->refresh_s * 1e9),
	    .idle_ns = (int64_t)(cfg->vlm.base_timer_s * 0.5e9),
	    .cooldown_ns = (int64_t)(p->cooldown_s * 1e9),
	    .mission_max_age_ns = cairn_topics[CAIRN_TOPIC_MISSION].max_age_ms * CAIRN_NS_PER_MS,
	    .doorway_width_m = p->doorway_width_m,
	    .open_m = p->open_m,
	    .dead_end_m = p->dead_end_m,
	    .moved_m = p->moved_m,
	    .revisit_m = p->revisit_m,
	};
}

void cairn_triggers_init(
    struct cairn_triggers *triggers, const struct cairn_trigger_params *params, int64_t now_ns)
{
	memset(triggers, 0, sizeof(*triggers));
	triggers->params = *params;
	triggers->taken_t_ns = now_ns;
}

enum cairn_trigger cairn_trigger_of_result(const struct cairn_msg_result *result)
{
	if (result->source == CAIRN_SOURCE_OPERATOR)
		return CAIRN_TRIGGER_OPERATOR;
	if (result->overridden || result->outcome == CAIRN_OUTCOME_BLOCKED ||
	    result->outcome == CAIRN_OUTCOME_FAILED || result->outcome == CAIRN_OUTCOME_REFUSED)
		return CAIRN_TRIGGER_BLOCKED;
	if (result->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && result->outcome == CAIRN_OUTCOME_SUCCESS)
		return CAIRN_TRIGGER_GOAL;
	return CAIRN_TRIGGER_RESULT;
}

static void hurry(struct cairn_triggers *triggers, int64_t now_ns)
{
	triggers->urgent = true;
	triggers->urgent_t_ns = now_ns;
}

void cairn_triggers_on_mission(
    struct cairn_triggers *triggers, const struct cairn_msg_mission *mission, int64_t now_ns)
{
	bool before =
	    triggers->wants && now_ns - triggers->mission_t_ns <= triggers->params.mission_max_age_ns;
	triggers->mission_t_ns = now_ns;
	triggers->wants = mission->wants_decision;
	if (triggers->wants && !before)
		hurry(triggers, now_ns);
	if (!triggers->wants) {
		triggers->urgent = false;
		if (before) /* the decision came: the next one has other reasons */
			triggers->reason = CAIRN_TRIGGER_NONE;
	}
}

void cairn_triggers_on_result(
    struct cairn_triggers *triggers, const struct cairn_msg_result *result, int64_t now_ns)
{
	triggers->reason = cairn_trigger_of_result(result);
	if (triggers->wants)
		hurry(triggers, now_ns);
}

void cairn_triggers_on_decision(struct cairn_triggers *triggers, struct cairn_vec2 at)
{
	triggers->anchor = at;
	triggers->have_anchor = true;
}

static bool has_doorway(const struct cairn_triggers *triggers, const struct cairn_msg_percept *percept)
{
	for (uint32_t i = 0; i < percept->gaps_count; i++) {
		if (percept->gaps[i].width_m >= triggers->params.doorway_width_m)
			return true;
	}
	return false;
}

static bool has_intersection(const struct cairn_triggers *triggers, const struct cairn_msg_percept *percept)
{
	int run = 0;
	for (int k = 0; k < CAIRN_SECTOR_COUNT + 2; k++) { /* two more: a run may lie across the front */
		run = (double)percept->sector_m[k % CAIRN_SECTOR_COUNT] >= triggers->params.open_m ? run + 1
												   : 0;
		if (run == 3)
			return true;
	}
	return false;
}

static bool has_dead_end(const struct cairn_triggers *triggers, const struct cairn_msg_percept *percept)
{
	static const int forward[3] = {11, 0, 1};
	for (int i = 0; i < 3; i++) {
		double distance = (double)percept->sector_m[forward[i]];
		if (!(distance > 0.0 && distance < triggers->params.dead_end_m))
			return false;
	}
	return true;
}

/* Remembers the way and tells whether this place was left long ago. */
static bool is_revisit(struct cairn_triggers *triggers, const struct cairn_msg_pose *pose)
{
	uint32_t kept =
	    triggers->place_count < CAIRN_TRIGGER_PLACES ? triggers->place_count : CAIRN_TRIGGER_PLACES;
	bool revisit = false;
	for (uint32_t i = 0; i < kept && !revisit; i++)
		revisit = pose->distance_m - triggers->places[i].travel_m >= CAIRN_TRIGGER_REVISIT_TRAVEL_M &&
			  hypot(pose->x_m - triggers->places[i].at.x_m,
			      pose->y_m - triggers->places[i].at.y_m) < triggers->params.revisit_m;
	uint32_t newest = (triggers->place_count - 1) % CAIRN_TRIGGER_PLACES;
	if (triggers->place_count == 0 ||
	    fabs(pose->distance_m - triggers->places[newest].travel_m) >= CAIRN_TRIGGER_PLACE_STEP_M) {
		uint32_t at = triggers->place_count++ % CAIRN_TRIGGER_PLACES;
		triggers->places[at].at = (struct cairn_vec2){pose->x_m, pose->y_m};
		triggers->places[at].travel_m = pose->distance_m;
	}
	return revisit;
}

/* Moved far enough since the last decision; the first pose ever is the first anchor. */
static bool has_moved(struct cairn_triggers *triggers, const struct cairn_msg_pose *pose)
{
	if (!triggers->have_anchor)
		cairn_triggers_on_decision(triggers, (struct cairn_vec2){pose->x_m, pose->y_m});
	return hypot(pose->x_m - triggers->anchor.x_m, pose->y_m - triggers->anchor.y_m) >=
	       triggers->params.moved_m;
}

/* Stores what holds now; true when it did not hold before. */
static bool begins(bool *state, bool now)
{
	bool before = *state;
	*state = now;
	return now && !before;
}

void cairn_triggers_on_scene(struct cairn_triggers *triggers, const struct cairn_msg_percept *percept,
    const struct cairn_msg_pose *pose, int64_t now_ns)
{
	/* All are looked at each time, so that one does not hide the beginning of another. */
	bool dead_end = begins(&triggers->dead_end, has_dead_end(triggers, percept));
	bool intersection = begins(&triggers->intersection, has_intersection(triggers, percept));
	bool doorway = begins(&triggers->doorway, has_doorway(triggers, percept));
	bool revisit = pose != NULL && begins(&triggers->revisit, is_revisit(triggers, pose));
	bool moved = pose != NULL && has_moved(triggers, pose);

	enum cairn_trigger found = dead_end       ? CAIRN_TRIGGER_DEAD_END
				   : doorway      ? CAIRN_TRIGGER_DOORWAY
				   : intersection ? CAIRN_TRIGGER_INTERSECTION
				   : revisit      ? CAIRN_TRIGGER_REVISIT
				   : moved        ? CAIRN_TRIGGER_MOVED
						  : CAIRN_TRIGGER_NONE;
	if (found == CAIRN_TRIGGER_NONE)
		return;
	if (triggers->cooling && now_ns - triggers->scene_t_ns < triggers->params.cooldown_ns)
		return;
	triggers->cooling = true;
	triggers->scene_t_ns = now_ns;
	triggers->scene = found;
	if (moved)
		cairn_triggers_on_decision(triggers, (struct cairn_vec2){pose->x_m, pose->y_m});
}

enum cairn_trigger cairn_triggers_due(const struct cairn_triggers *triggers, bool scan_fresh, int64_t now_ns)
{
	int64_t since_ns = now_ns - triggers->taken_t_ns;
	if (!triggers->wants || now_ns - triggers->mission_t_ns > triggers->params.mission_max_age_ns) {
		if (triggers->scene != CAIRN_TRIGGER_NONE)
			return triggers->scene;
		return since_ns >= triggers->params.idle_ns ? CAIRN_TRIGGER_TIMER : CAIRN_TRIGGER_NONE;
	}
	if (triggers->urgent) {
		if (!scan_fresh && now_ns - triggers->urgent_t_ns < triggers->params.refresh_ns)
			return CAIRN_TRIGGER_NONE;
	} else if (since_ns < triggers->params.refresh_ns) {
		return CAIRN_TRIGGER_NONE;
	}
	if (triggers->reason != CAIRN_TRIGGER_NONE)
		return triggers->reason;
	return triggers->scene != CAIRN_TRIGGER_NONE ? triggers->scene : CAIRN_TRIGGER_TIMER;
}

void cairn_triggers_taken(struct cairn_triggers *triggers, int64_t now_ns)
{
	triggers->taken_t_ns = now_ns;
	triggers->urgent = false;
	if (triggers->wants && triggers->reason == CAIRN_TRIGGER_NONE)
		triggers->reason = triggers->scene; /* stays the reason until the decision comes */
	triggers->scene = CAIRN_TRIGGER_NONE;
}
