/* call_policy.h - whether a call to the model is worth its money: when it may be left out, and when its picture may.
 *
 * A call may be left out only when all of this holds: the picture is more similar than skip_similarity to the
 * one last decided on, no trigger asks for a decision, the nearest obstacle is known and farther than
 * skip_nearest_m, the last decision is not older than skip_age_max_s, the last answer was of use, the robot
 * was not stuck or overridden within skip_trouble_s, and the decision has not been wanted for base_timer_s.
 * The end of the last decision is a trigger, except for a stop that was carried out: the robot stands where
 * it stood and sees what it saw.
 *
 * The stage local, where it runs, scores how new the scene is (common/local/local.h). By that score a decision that is merely wanted
 * is left to a rule (the round through the frontiers goes on), asked for at the rate of the base timer, or asked for at once;
 * events, trouble, goals and operators ask as ever, and without a fresh score everything is as without the stage.
 *
 * A picture may be left out when it is more similar than image_similarity and the nearest obstacle is known
 * and farther than image_nearest_m.
 *
 * Pure. A number that is not finite, and one that is not known (negative), never allows to leave anything
 * out. */
#ifndef CAIRN_COMMON_PERCEPT_CALL_POLICY_H
#define CAIRN_COMMON_PERCEPT_CALL_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_CALL_POLICY_NEVER INT64_C(-1) /* as an age */
/* An event that happened while a call was under way is asked about after it, unless it is older than this by then. */
#define CAIRN_CALL_POLICY_EVENT_NS INT64_C(1000000000)

struct cairn_call_policy_facts {
	enum cairn_trigger trigger; /* of the snapshot; NONE and TIMER are no reason of their own */
	double similarity;          /* to the picture last decided on, 0..1; 0 = none */
	double nearest_m;           /* nearest obstacle; negative = not known */
	int64_t decision_age_ns;    /* of the last decision; CAIRN_CALL_POLICY_NEVER = there was none */
	int64_t trouble_age_ns;     /* since the robot was stuck or overridden; CAIRN_CALL_POLICY_NEVER */
	int64_t wanted_age_ns;      /* since a decision is wanted */
	bool answer_was_bad;        /* the last answer could not be used: it has to be asked again */
};

/* True for what starts a call while a decision is being driven: a doorway, an intersection, a dead end, a place seen again,
 * a way that is blocked, a scene that is new to the stage local. */
bool cairn_call_policy_is_event(enum cairn_trigger trigger);

/* Where events were asked about, newest last; a ring; and where the newest question of any kind was asked. All zero is
 * empty. */
#define CAIRN_CALL_POLICY_EVENTS 64
struct cairn_call_policy_events {
	struct {
		int64_t t_ns;
		double x_m, y_m;
		enum cairn_trigger kind;
	} asked[CAIRN_CALL_POLICY_EVENTS];
	uint32_t count;
	int64_t question_t_ns; /* 0: none */
	double question_x_m, question_y_m;
};

/* True while an event here would put the same question about the same scene once more: one of its kind was asked about
 * nearer than vlm.event_apart_m, not longer than vlm.event_again_s ago (a doorway and an intersection are one kind), or, of
 * an opening or of a scene that is new, any question was asked as near and not longer than vlm.base_timer_s ago: what is driven was decided on in view
 * of it. Of a dead end, a blocked way and a place seen again the last question knew nothing. */
bool cairn_call_policy_event_known(const struct cairn_config_vlm *cfg,
    const struct cairn_call_policy_events *events, enum cairn_trigger kind, double x_m, double y_m,
    int64_t now_ns);
void cairn_call_policy_event_asked(
    struct cairn_call_policy_events *events, enum cairn_trigger kind, double x_m, double y_m, int64_t now_ns);

/* A question of any kind was asked here. */
void cairn_call_policy_question_asked(
    struct cairn_call_policy_events *events, double x_m, double y_m, int64_t now_ns);

/* True when the call may be left out for now. */
bool cairn_call_policy_may_skip(
    const struct cairn_config_vlm *cfg, const struct cairn_call_policy_facts *facts);

/* What the score of the stage local says of the scene. */
enum cairn_novelty_band {
	CAIRN_NOVELTY_UNKNOWN,  /* no score: as without the stage */
	CAIRN_NOVELTY_KNOWN,    /* below vlm.novelty_known */
	CAIRN_NOVELTY_USUAL,    /* below vlm.novelty_now */
	CAIRN_NOVELTY_NEW,      /* below vlm.novelty_detail */
	CAIRN_NOVELTY_VERY_NEW, /* the picture goes in full detail */
};

/* novelty: negative and not finite is unknown, as is everything while vlm.novelty_quiet_s is 0. */
enum cairn_novelty_band cairn_novelty_band(const struct cairn_config_vlm *cfg, double novelty);

/* Of a decision that is wanted. */
struct cairn_call_policy_wish {
	enum cairn_novelty_band band;
	enum cairn_trigger trigger; /* why it would be asked for */
	int64_t question_age_ns;    /* since the newest question that was answered; CAIRN_CALL_POLICY_NEVER */
	int64_t trouble_age_ns;     /* since the robot was stuck or overridden; CAIRN_CALL_POLICY_NEVER */
	bool has_goal;              /* the mission is out for something in words, or a place */
	bool stuck;                 /* by the mapper's word */
	bool answer_was_bad;
};

/* True when it is left to the rule. */
bool cairn_call_policy_left_to_rule(
    const struct cairn_config_vlm *cfg, const struct cairn_call_policy_wish *wish);

/* True when the picture has to go with the text. */
bool cairn_call_policy_image_needed(
    const struct cairn_config_percept *cfg, double similarity, double nearest_m);

#endif
