/* replay_judge.c - what is different, and whether two models mean the same. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/eval/replay.h"

#define PLACE_M 0.5
#define TURN_DEG 20.0
#define MOVE_S 1.0

const char *cairn_eval_replay_change_name(enum cairn_eval_replay_change change)
{
	static const char *const names[] = {
	    "same", "answer", "accepted", "refused", "reason", "target", "way", "command", "not_judged"};
	_Static_assert(sizeof(names) / sizeof(names[0]) == CAIRN_RERUN_CHANGE_COUNT, "one name each");
	return names[change];
}

/* Reasons without their numbers: a distance of 0.31 m is no other reason than one of 0.32 m. */
static bool same_words(const char *a, const char *b)
{
	for (;;) {
		while (isdigit((unsigned char)*a) || *a == '.')
			a++;
		while (isdigit((unsigned char)*b) || *b == '.')
			b++;
		if (*a != *b)
			return false;
		if (*a == '\0')
			return true;
		a++;
		b++;
	}
}

static bool same_decision(const struct cairn_msg_decision *a, const struct cairn_msg_decision *b)
{
	return a->tool == b->tool && a->direction == b->direction && a->speed == b->speed &&
	       a->duration_s == b->duration_s && a->angle_deg == b->angle_deg &&
	       a->goal_kind == b->goal_kind && a->frontier_id == b->frontier_id &&
	       a->candidate_id == b->candidate_id && a->x_m == b->x_m && a->y_m == b->y_m &&
	       a->zone_kind == b->zone_kind && strcmp(a->zone_name, b->zone_name) == 0;
}

static bool same_way(const struct cairn_eval_replay_side *a, const struct cairn_eval_replay_side *b)
{
	if (!a->has_nav || !b->has_nav)
		return true; /* one of them ended before the planner had said anything */
	if ((a->way_m < 0.0) != (b->way_m < 0.0) || a->nav != b->nav)
		return false;
	double allowed_m = fmax(CAIRN_RERUN_WAY_M, CAIRN_RERUN_WAY_SHARE * fmax(a->way_m, b->way_m));
	return fabs(a->way_m - b->way_m) <= allowed_m;
}

static enum cairn_eval_replay_change driving(
    const struct cairn_eval_replay_side *then, const struct cairn_eval_replay_side *now)
{
	if (then->has_target != now->has_target ||
	    (then->has_target && hypot(then->target_x_m - now->target_x_m,
				     then->target_y_m - now->target_y_m) > CAIRN_RERUN_TARGET_M))
		return CAIRN_RERUN_TARGET;
	if (!same_way(then, now))
		return CAIRN_RERUN_WAY;
	bool other = then->has_command != now->has_command ||
		     (then->has_command && (fabs(then->v_mps - now->v_mps) > CAIRN_RERUN_V_MPS ||
					       fabs(then->w_radps - now->w_radps) > CAIRN_RERUN_W_RADPS));
	return other ? CAIRN_RERUN_COMMAND : CAIRN_RERUN_SAME;
}

void cairn_eval_replay_judge(struct cairn_eval_replay_step *s, const char *unjudged)
{
	const struct cairn_eval_replay_side *then = &s->then, *now = &s->now;
	s->detail[0] = '\0';
	if (then->decided != now->decided ||
	    (then->decided && !same_decision(&then->decision, &now->decision))) {
		s->change = CAIRN_RERUN_ANSWER;
		snprintf(s->detail, sizeof(s->detail), "%.110s -> %.110s",
		    then->decided ? then->asked : then->reason, now->decided ? now->asked : now->reason);
	} else if (!then->decided) {
		s->change = CAIRN_RERUN_SAME;
	} else if (unjudged != NULL) {
		s->change = CAIRN_RERUN_NOT_JUDGED;
		snprintf(s->detail, sizeof(s->detail), "%s", unjudged);
	} else if (then->accepted != now->accepted) {
		s->change = now->accepted ? CAIRN_RERUN_ACCEPTED : CAIRN_RERUN_REFUSED;
		snprintf(s->detail, sizeof(s->detail), "%.190s", now->accepted ? then->reason : now->reason);
	} else if (!then->accepted) {
		s->change = same_words(then->reason, now->reason) ? CAIRN_RERUN_SAME : CAIRN_RERUN_REASON;
		if (s->change != CAIRN_RERUN_SAME)
			snprintf(s->detail, sizeof(s->detail), "%.120s -> %.120s", then->reason, now->reason);
	} else {
		s->change = driving(then, now);
	}
}

/* ---- agreement ---- */

bool cairn_eval_replay_place(
    const struct cairn_recorded_question *q, const struct cairn_msg_decision *d, struct cairn_vec2 *ret)
{
	struct cairn_header hdr;
	if (d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return false;
	if (d->goal_kind == CAIRN_GOAL_KIND_COORDINATES) {
		*ret = (struct cairn_vec2){d->x_m, d->y_m};
		return true;
	}
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER) {
		struct cairn_msg_frontiers f;
		bool some = cairn_recorded_newest(&q->asked, CAIRN_TOPIC_FRONTIERS, &hdr, &f);
		for (uint32_t i = 0; some && i < f.items_count; i++)
			if (f.items[i].id == d->frontier_id) {
				*ret = (struct cairn_vec2){f.items[i].goal_x_m, f.items[i].goal_y_m};
				return true;
			}
		return false;
	}
	if (d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE) {
		struct cairn_msg_candidates c;
		bool some = cairn_recorded_newest(&q->asked, CAIRN_TOPIC_CANDIDATES, &hdr, &c);
		for (uint32_t i = 0; some && i < c.items_count; i++)
			if (c.items[i].id == d->candidate_id) {
				*ret = (struct cairn_vec2){c.items[i].x_m, c.items[i].y_m};
				return true;
			}
		return false;
	}
	*ret = (struct cairn_vec2){0}; /* back to the start: the map's origin */
	return true;
}

static bool same_arguments(const struct cairn_recorded_question *q, const struct cairn_msg_decision *a,
    const struct cairn_msg_decision *b)
{
	struct cairn_vec2 to_a, to_b;
	switch (a->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		return a->direction == b->direction && fabs(a->duration_s - b->duration_s) <= MOVE_S;
	case CAIRN_TOOL_ROTATE:
		return fabs(cairn_wrap_rad(cairn_deg_to_rad(a->angle_deg - b->angle_deg))) <=
		       cairn_deg_to_rad(TURN_DEG);
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		return cairn_eval_replay_place(q, a, &to_a) && cairn_eval_replay_place(q, b, &to_b) &&
		       hypot(to_a.x_m - to_b.x_m, to_a.y_m - to_b.y_m) <= PLACE_M;
	case CAIRN_TOOL_DEFINE_ZONE:
		return a->zone_kind == b->zone_kind;
	default:
		return true; /* to stand still is to stand still, whatever is said about it */
	}
}

enum cairn_eval_replay_agreement cairn_eval_replay_agree(const struct cairn_recorded_question *question,
    const struct cairn_msg_decision *a, const struct cairn_msg_decision *b)
{
	if (a->tool != b->tool)
		return CAIRN_RERUN_OTHER_TOOL;
	return same_arguments(question, a, b) ? CAIRN_RERUN_AGREE : CAIRN_RERUN_OTHER_ARGUMENTS;
}
