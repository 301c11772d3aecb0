/* dialog_rule.c - decisions that nobody is asked for: what the stage local calls known is driven on by the round through the
 * frontiers. The sequencer checks such a decision like any other, and it says of itself who made it (decision.decider). */
#include "common/vlm/dialog_private.h"

#include <math.h>
#include <string.h>

#include "common/vlm/rule_choice.h"

void cairn_dialog_local(struct cairn_dialog *d, const struct cairn_msg_local *local, int64_t t_ns)
{
	d->in.novelty = local->novelty;
	d->in.novelty_ns = t_ns;
	char words[sizeof(local->text)];
	memcpy(words, local->text, sizeof(words));
	words[sizeof(words) - 1] = '\0';
	cairn_text_plain(words); /* one line, whoever sent it; its quotes keep labels apart */
	d->memory.local_scene[0] = '\0';
	if (local->novelty >= 0.0 && words[0] != '\0')
		snprintf(d->memory.local_scene, sizeof(d->memory.local_scene), "SCENE new %.0f: %.200s",
		    100.0 * fmin(local->novelty, 1.0), words);
}

double dialog_novelty(const struct cairn_dialog *d, int64_t now_ns)
{
	bool fresh = d->in.novelty_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_LOCAL, d->in.novelty_ns, now_ns);
	return fresh ? d->in.novelty : -1.0;
}

enum cairn_novelty_band dialog_novelty_band(const struct cairn_dialog *d, int64_t now_ns)
{
	return cairn_novelty_band(&d->cfg, dialog_novelty(d, now_ns));
}

bool dialog_rule_due(const struct cairn_dialog *d, int64_t now_ns)
{
	struct cairn_tool_call call;
	struct cairn_call_policy_wish wish = {.band = dialog_novelty_band(d, now_ns),
	    .trigger = dialog_reason(d),
	    .question_age_ns =
		d->decided.model_ns != 0 ? now_ns - d->decided.model_ns : CAIRN_CALL_POLICY_NEVER,
	    .trouble_age_ns = d->in.trouble_ns != 0 ? now_ns - d->in.trouble_ns : CAIRN_CALL_POLICY_NEVER,
	    .has_goal = d->in.mission.goal[0] != '\0' || d->in.mission.goal_known,
	    .stuck = d->in.candidates_ns != 0 && d->in.candidates.stuck,
	    .answer_was_bad = d->answer.bad_streak > 0};
	return !d->cfg.shadow && !d->call.followup && !d->call.event &&
	       cairn_call_policy_left_to_rule(&d->cfg, &wish) &&
	       cairn_rule_choose(
		   &d->in.frontiers, &d->in.mission, &d->decided.message, &d->in.candidates, &call);
}

void dialog_decide_by_rule(struct cairn_dialog *d, int64_t now_ns)
{
	d->answer.parsed = (struct cairn_answer){.kind = CAIRN_ANSWER_ACTION};
	(void)cairn_rule_choose(
	    &d->in.frontiers, &d->in.mission, &d->decided.message, &d->in.candidates, &d->answer.parsed.main);
	memcpy(d->answer.parsed.reasoning, d->answer.parsed.main.reasoning,
	    sizeof(d->answer.parsed.main.reasoning));
	d->call.since_ns = now_ns;
	d->call.state = d->in.mission.state;
	d->call.replaces_id = 0;
	d->call.why = dialog_reason(d);
	d->call.snapshot_age_ns = now_ns - d->in.snap.t_ns;
	d->call.decider = CAIRN_DECIDER_RULE;
	/* Nothing was sent: no prompt, no picture. */
	cairn_text_clear(&d->request.context);
	d->request.prompt_hash = d->request.shown_set = 0;
	d->request.pictures = d->request.shows_view = false;
	d->tally.rule_decisions++;
	d->changed = true;
	dialog_publish(d, now_ns);
}
