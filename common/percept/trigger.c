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
	    .revisit_travel_m = p->revisit_travel_m,
	    .intersection_sectors = p->intersection_sectors,
	    .novel_at = cfg->vlm.novelty_quiet_s > 0.0 ? cfg->vlm.novelty_now : 2.0,
	    .novel_again = cfg->vlm.novelty_known,
	    .local_max_age_ns = cairn_topics[CAIRN_TOPIC_LOCAL].max_age_ms * CAIRN_NS_PER_MS,
	};
}

void cairn_triggers_init(
    struct cairn_triggers *triggers, const struct cairn_trigger_params *params, int64_t now_ns)
{
	memset(triggers, 0, sizeof(*triggers));
	triggers->params = *params;
	triggers->taken_t_ns = now_ns;
	triggers->novelty = -1.0;
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
	if (result->tool == CAIRN_TOOL_STOP_ROBOT && result->outcome == CAIRN_OUTCOME_SUCCESS &&
	    result->source == CAIRN_SOURCE_MODEL)
		return CAIRN_TRIGGER_NONE;
	return CAIRN_TRIGGER_RESULT;
}

static void hurry(struct cairn_triggers *triggers, int64_t now_ns)
{
	triggers->urgent = true;
	triggers->urgent_t_ns = now_ns;
}

static bool is_at_rest(enum cairn_mission_state state)
{
	return state == CAIRN_MISSION_STATE_IDLE || state == CAIRN_MISSION_STATE_PAUSED ||
	       state == CAIRN_MISSION_STATE_FINISHED;
}

static void give_reason(struct cairn_triggers *triggers, enum cairn_trigger reason)
{
	triggers->reason = reason;
	if (reason != CAIRN_TRIGGER_NONE)
		triggers->counts[reason]++;
}

void cairn_triggers_on_mission(
    struct cairn_triggers *triggers, const struct cairn_msg_mission *mission, int64_t now_ns)
{
	bool before =
	    triggers->wants && now_ns - triggers->mission_t_ns <= triggers->params.mission_max_age_ns;
	bool sent_off = triggers->mission_t_ns != 0 && mission->decisions > 0 &&
			is_at_rest(triggers->mission_state) && !is_at_rest(mission->state);
	triggers->mission_t_ns = now_ns;
	triggers->mission_state = mission->state;
	triggers->wants = mission->wants_decision;
	triggers->held_up = mission->held_up;
	if (triggers->wants && !before)
		hurry(triggers, now_ns);
	if (triggers->wants && !before && mission->decision_id != 0)
		give_reason(
		    triggers, CAIRN_TRIGGER_RESULT); /* asked ahead: the decision being driven will end */
	if (!triggers->wants) {
		triggers->urgent = false;
		if (before) /* the decision came: the next one has other reasons */
			triggers->reason = CAIRN_TRIGGER_NONE;
	}
	if (sent_off) /* from rest to work again: only an operator does that */
		give_reason(triggers, CAIRN_TRIGGER_OPERATOR);
}

void cairn_triggers_on_result(
    struct cairn_triggers *triggers, const struct cairn_msg_result *result, int64_t now_ns)
{
	give_reason(triggers, cairn_trigger_of_result(result));
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
	int needed = triggers->params.intersection_sectors;
	for (int k = 0; k < CAIRN_SECTOR_COUNT + needed - 1;
	     k++) { /* more than one turn: a run may lie across the front */
		run = (double)percept->sector_m[k % CAIRN_SECTOR_COUNT] >= triggers->params.open_m ? run + 1
												   : 0;
		if (run == needed)
			return true;
	}
	return false;
}

/* Closed ahead and to both sides: a wall ahead with a way on beside it is a corner. */
static bool has_dead_end(const struct cairn_triggers *triggers, const struct cairn_msg_percept *percept)
{
	static const int front_half[7] = {9, 10, 11, 0, 1, 2, 3};
	for (int i = 0; i < 7; i++) {
		double distance = (double)percept->sector_m[front_half[i]];
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
		revisit =
		    pose->distance_m - triggers->places[i].travel_m >= triggers->params.revisit_travel_m &&
		    hypot(pose->x_m - triggers->places[i].at.x_m, pose->y_m - triggers->places[i].at.y_m) <
			triggers->params.revisit_m;
	uint32_t newest = (triggers->place_count - 1) % CAIRN_TRIGGER_PLACES;
	if (triggers->place_count == 0 ||
	    fabs(pose->distance_m - triggers->places[newest].travel_m) >= CAIRN_TRIGGER_PLACE_STEP_M) {
		uint32_t at = triggers->place_count++ % CAIRN_TRIGGER_PLACES;
		triggers->places[at].at = (struct cairn_vec2){pose->x_m, pose->y_m};
		triggers->places[at].travel_m = pose->distance_m;
	}
	return revisit;
}

/* Known floor is driven over for a while, and is no news with each metre of it: it ends with a way over new floor that is as
 * long as the one that makes a place one of before. */
static bool on_known_floor(struct cairn_triggers *triggers, const struct cairn_msg_pose *pose)
{
	if (is_revisit(triggers, pose))
		triggers->known_travel_m = pose->distance_m;
	else if (!triggers->revisit.told)
		return false;
	return pose->distance_m - triggers->known_travel_m < triggers->params.revisit_travel_m;
}

/* Moved far enough since the last decision; the first pose ever is the first anchor. */
static bool has_moved(struct cairn_triggers *triggers, const struct cairn_msg_pose *pose)
{
	if (!triggers->have_anchor)
		cairn_triggers_on_decision(triggers, (struct cairn_vec2){pose->x_m, pose->y_m});
	return hypot(pose->x_m - triggers->anchor.x_m, pose->y_m - triggers->anchor.y_m) >
	       triggers->params.moved_m;
}

static void update(struct cairn_trigger_state *state, bool holds)
{
	state->holds = holds;
	state->told = state->told && holds;
}

void cairn_triggers_on_local(
    struct cairn_triggers *triggers, const struct cairn_msg_local *local, int64_t t_ns)
{
	triggers->novelty = local->novelty;
	triggers->local_t_ns = t_ns;
}

/* A score that wavers about its mark is one event: it ends when the scene is known. */
static bool is_novel(const struct cairn_triggers *t, int64_t now_ns)
{
	double from = t->novel.holds ? fmin(t->params.novel_again, t->params.novel_at) : t->params.novel_at;
	return t->local_t_ns != 0 && now_ns - t->local_t_ns <= t->params.local_max_age_ns &&
	       t->novelty >= 0.0 && t->novelty >= from;
}

static bool is_untold(const struct cairn_trigger_state *state)
{
	return state->holds && !state->told;
}

static bool is_cooling(const struct cairn_triggers *triggers, int64_t now_ns)
{
	return triggers->cooling && now_ns - triggers->scene_t_ns < triggers->params.cooldown_ns;
}

void cairn_triggers_on_scene(struct cairn_triggers *triggers, const struct cairn_msg_percept *percept,
    const struct cairn_msg_pose *pose, int64_t now_ns)
{
	struct cairn_triggers *t = triggers;
	/* All are looked at each time, so that one does not hide the beginning of another. */
	update(&t->blocked, t->held_up);
	update(&t->dead_end, has_dead_end(t, percept));
	update(&t->doorway, has_doorway(t, percept));
	update(&t->intersection, has_intersection(t, percept));
	update(&t->novel, is_novel(t, now_ns));
	if (pose != NULL)
		update(&t->revisit, on_known_floor(t, pose));
	bool moved = pose != NULL && has_moved(t, pose);

	enum cairn_trigger found = is_untold(&t->blocked)        ? CAIRN_TRIGGER_BLOCKED
				   : is_untold(&t->dead_end)     ? CAIRN_TRIGGER_DEAD_END
				   : is_untold(&t->doorway)      ? CAIRN_TRIGGER_DOORWAY
				   : is_untold(&t->intersection) ? CAIRN_TRIGGER_INTERSECTION
				   : is_untold(&t->novel)        ? CAIRN_TRIGGER_NOVEL
				   : is_untold(&t->revisit)      ? CAIRN_TRIGGER_REVISIT
				   : moved                       ? CAIRN_TRIGGER_MOVED
								 : CAIRN_TRIGGER_NONE;
	if (found == CAIRN_TRIGGER_NONE || is_cooling(t, now_ns))
		return;
	t->blocked.told = t->blocked.holds;
	t->dead_end.told = t->dead_end.holds;
	t->doorway.told = t->doorway.holds;
	t->intersection.told = t->intersection.holds;
	t->novel.told = t->novel.holds;
	t->revisit.told = t->revisit.holds;
	t->cooling = true;
	t->scene_t_ns = now_ns;
	t->scene = found;
	t->counts[found]++;
	if (moved)
		cairn_triggers_on_decision(t, (struct cairn_vec2){pose->x_m, pose->y_m});
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
	if (triggers->reason == CAIRN_TRIGGER_NONE && triggers->scene == CAIRN_TRIGGER_NONE)
		triggers->counts[CAIRN_TRIGGER_TIMER]++;
	if (triggers->wants && triggers->reason == CAIRN_TRIGGER_NONE)
		triggers->reason = triggers->scene; /* stays the reason until the decision comes */
	triggers->scene = CAIRN_TRIGGER_NONE;
}
