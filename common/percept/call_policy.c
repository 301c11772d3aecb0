#include "common/percept/call_policy.h"

#include <math.h>

static bool is_trigger(enum cairn_trigger trigger)
{
	return trigger != CAIRN_TRIGGER_NONE && trigger != CAIRN_TRIGGER_TIMER;
}

bool cairn_call_policy_is_event(enum cairn_trigger trigger)
{
	return trigger == CAIRN_TRIGGER_DOORWAY || trigger == CAIRN_TRIGGER_INTERSECTION ||
	       trigger == CAIRN_TRIGGER_DEAD_END || trigger == CAIRN_TRIGGER_REVISIT ||
	       trigger == CAIRN_TRIGGER_BLOCKED || trigger == CAIRN_TRIGGER_NOVEL;
}

/* Written so that NaN is neither alike nor far. */
static bool alike_and_far(double similarity, double limit, double nearest_m, double limit_m)
{
	return isfinite(similarity) && isfinite(nearest_m) && similarity > limit && nearest_m > limit_m;
}

static int64_t to_ns(double seconds)
{
	return llround(seconds * 1e9);
}

/* Seen as one or the other by how much of it is in sight. */
static bool is_opening(enum cairn_trigger kind)
{
	return kind == CAIRN_TRIGGER_DOORWAY || kind == CAIRN_TRIGGER_INTERSECTION;
}

bool cairn_call_policy_event_known(const struct cairn_config_vlm *cfg,
    const struct cairn_call_policy_events *events, enum cairn_trigger kind, double x_m, double y_m,
    int64_t now_ns)
{
	bool in_view = is_opening(kind) || kind == CAIRN_TRIGGER_NOVEL;
	if (in_view && events->question_t_ns != 0 &&
	    now_ns - events->question_t_ns <= to_ns(cfg->base_timer_s) &&
	    hypot(events->question_x_m - x_m, events->question_y_m - y_m) < cfg->event_apart_m)
		return true;
	for (uint32_t i = 0; i < events->count && i < CAIRN_CALL_POLICY_EVENTS; i++) {
		bool alike =
		    events->asked[i].kind == kind || (is_opening(events->asked[i].kind) && is_opening(kind));
		if (alike && now_ns - events->asked[i].t_ns <= to_ns(cfg->event_again_s) &&
		    hypot(events->asked[i].x_m - x_m, events->asked[i].y_m - y_m) < cfg->event_apart_m)
			return true;
	}
	return false;
}

void cairn_call_policy_event_asked(
    struct cairn_call_policy_events *events, enum cairn_trigger kind, double x_m, double y_m, int64_t now_ns)
{
	uint32_t slot = events->count++ % CAIRN_CALL_POLICY_EVENTS;
	events->asked[slot].t_ns = now_ns;
	events->asked[slot].x_m = x_m;
	events->asked[slot].y_m = y_m;
	events->asked[slot].kind = kind;
	if (events->count ==
	    2 * CAIRN_CALL_POLICY_EVENTS) /* stays a count of all slots, and the next one is the oldest */
		events->count = CAIRN_CALL_POLICY_EVENTS;
}

void cairn_call_policy_question_asked(
    struct cairn_call_policy_events *events, double x_m, double y_m, int64_t now_ns)
{
	events->question_t_ns = now_ns;
	events->question_x_m = x_m;
	events->question_y_m = y_m;
}

bool cairn_call_policy_may_skip(
    const struct cairn_config_vlm *cfg, const struct cairn_call_policy_facts *facts)
{
	if (is_trigger(facts->trigger) || facts->answer_was_bad)
		return false;
	if (facts->decision_age_ns < 0 || facts->decision_age_ns > to_ns(cfg->skip_age_max_s))
		return false;
	if (facts->trouble_age_ns >= 0 && facts->trouble_age_ns <= to_ns(cfg->skip_trouble_s))
		return false;
	if (facts->wanted_age_ns >= to_ns(cfg->base_timer_s))
		return false;
	return alike_and_far(facts->similarity, cfg->skip_similarity, facts->nearest_m, cfg->skip_nearest_m);
}

enum cairn_novelty_band cairn_novelty_band(const struct cairn_config_vlm *cfg, double novelty)
{
	if (!(novelty >= 0.0) || !isfinite(novelty) || cfg->novelty_quiet_s <= 0.0)
		return CAIRN_NOVELTY_UNKNOWN;
	return novelty < cfg->novelty_known    ? CAIRN_NOVELTY_KNOWN
	       : novelty < cfg->novelty_now    ? CAIRN_NOVELTY_USUAL
	       : novelty < cfg->novelty_detail ? CAIRN_NOVELTY_NEW
					       : CAIRN_NOVELTY_VERY_NEW;
}

bool cairn_call_policy_left_to_rule(
    const struct cairn_config_vlm *cfg, const struct cairn_call_policy_wish *wish)
{
	if (wish->band != CAIRN_NOVELTY_KNOWN && wish->band != CAIRN_NOVELTY_USUAL)
		return false;
	if (wish->has_goal || wish->stuck || wish->answer_was_bad ||
	    cairn_call_policy_is_event(wish->trigger) || wish->trigger == CAIRN_TRIGGER_OPERATOR)
		return false;
	if (wish->trouble_age_ns >= 0 && wish->trouble_age_ns <= to_ns(cfg->skip_trouble_s))
		return false;
	double rest_s = wish->band == CAIRN_NOVELTY_KNOWN ? cfg->novelty_quiet_s
							  : fmin(cfg->base_timer_s, cfg->novelty_quiet_s);
	return wish->question_age_ns >= 0 && wish->question_age_ns < to_ns(rest_s);
}

bool cairn_call_policy_image_needed(
    const struct cairn_config_percept *cfg, double similarity, double nearest_m)
{
	return !alike_and_far(similarity, cfg->image_similarity, nearest_m, cfg->image_nearest_m);
}
