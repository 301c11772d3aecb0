/* mission_goal.c - what an exploration is out for: a goal in words or coordinates, the place that it names as soon as
 * one is known, and whether it is reached. Places by name for goto. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct cairn_goal_names names_of(const struct cairn_sequencer *seq)
{
	return (struct cairn_goal_names){
	    seq->goal.found.items, seq->goal.found.items_count, seq->goal.places, seq->goal.place_count};
}

/* The place that the goal names may have been found, or another one that is nearer. Coordinates never change. */
static void update(struct cairn_sequencer *seq)
{
	struct cairn_goal_names names = names_of(seq);
	struct cairn_vec2 from = {seq->inputs.pose.x_m, seq->inputs.pose.y_m};
	seq->goal.known = seq->mission.record.goal[0] != '\0' &&
			  cairn_goal_of_words(&names, seq->mission.record.goal, from, &seq->goal.place);
}

void seq_goal_init(struct cairn_sequencer *seq)
{
	struct cairn_error err = {""};
	int count = cairn_places_parse(seq->cfg->choice.waypoints, seq->goal.places, &err);
	seq->goal.place_count =
	    count > 0 ? (uint32_t)count : 0; /* a bad list is refused with the configuration */
	update(seq);
}

/* One line without quotes, cut between characters. */
static void take_words(char *dst, size_t cap, const char *src)
{
	size_t n = 0;
	for (; *src != '\0' && n + 1 < cap; src++)
		dst[n++] = (unsigned char)*src < 0x20 || *src == 0x7F || *src == '"' ? ' ' : *src;
	while (*src != '\0' && n > 0 && ((unsigned char)*src & 0xC0u) == 0x80u) {
		src--; /* back to where the character that did not fit begins */
		n--;
	}
	memset(dst + n, 0, cap - n);
}

void seq_goal_set(struct cairn_sequencer *seq, const char *words)
{
	take_words(seq->mission.record.goal, sizeof(seq->mission.record.goal), words);
	seq->mission.changed = true;
	update(seq);
}

void cairn_sequencer_on_discoveries(
    struct cairn_sequencer *seq, const struct cairn_msg_discoveries *found, int64_t t_ns)
{
	(void)t_ns;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < found->items_count; i++) {
		if (isfinite(found->items[i].x_m) && isfinite(found->items[i].y_m))
			seq->goal.found.items[kept++] = found->items[i];
		else
			seq->outbox.rejects++;
	}
	seq->goal.found.items_count = kept;
	update(seq);
}

bool seq_goal_named(const struct cairn_sequencer *seq, const char *name, struct cairn_goal_place *ret,
    struct cairn_msg_reply *reply)
{
	struct cairn_goal_names names = names_of(seq);
	struct cairn_error err = {""};
	struct cairn_vec2 from = {seq->inputs.pose.x_m, seq->inputs.pose.y_m};
	if (cairn_goal_find(&names, name, from, ret, &err))
		return true;
	snprintf(reply->text, sizeof(reply->text), "%.250s", err.text);
	return false;
}

bool seq_goal_reached(const struct cairn_sequencer *seq, char why[160])
{
	if (seq->mission.record.goal[0] == '\0') {
		snprintf(why, 160, "this exploration has no goal; go on exploring");
		return false;
	}
	if (!seq->goal.known) {
		snprintf(why, 160,
		    "nothing that the goal names was reported yet; report it by its name when you see it");
		return false;
	}
	double away_m =
	    hypot(seq->goal.place.x_m - seq->inputs.pose.x_m, seq->goal.place.y_m - seq->inputs.pose.y_m);
	if (!seq->inputs.now.pose_ok || away_m > seq->cfg->mission.goal_reached_m) {
		snprintf(why, 160, "\"%s\" is %.1f m away at x %.1f y %.1f; go there first",
		    seq->goal.place.name, away_m, seq->goal.place.x_m, seq->goal.place.y_m);
		return false;
	}
	return true;
}

bool seq_goal_claimed(const struct cairn_sequencer *seq)
{
	const struct cairn_msg_decision *d = &seq->task.d;
	return d->tool == CAIRN_TOOL_STOP_ROBOT && d->source == CAIRN_SOURCE_MODEL &&
	       strcmp(d->reason, "goal_reached") == 0;
}

void seq_goal_judge(struct cairn_sequencer *seq, int64_t now_ns)
{
	char why[160];
	if (!seq_goal_reached(seq, why)) {
		seq_task_end(seq, CAIRN_OUTCOME_PARTIAL, now_ns, "stands; not taken as the end: %.110s", why);
		return;
	}
	seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "the goal is reached: \"%s\"", seq->goal.place.name);
	seq_mission_apply(seq, CAIRN_MISSION_BIT(GOAL_REACHED), now_ns);
}

void seq_goal_fill(const struct cairn_sequencer *seq, struct cairn_msg_mission *m)
{
	uint32_t state = seq->mission.record.state == CAIRN_MISSION_STATE_PAUSED
			     ? seq->mission.record.back_paused
			     : seq->mission.record.state;
	if (state == CAIRN_MISSION_STATE_GOTO) {
		m->goal_known = true;
		m->goal_x_m = seq->mission.record.goto_x_m;
		m->goal_y_m = seq->mission.record.goto_y_m;
		snprintf(m->goal, sizeof(m->goal), "drive to %.1f %.1f", m->goal_x_m, m->goal_y_m);
		return;
	}
	memcpy(m->goal, seq->mission.record.goal, sizeof(m->goal));
	m->goal_known = seq->goal.known;
	if (!seq->goal.known)
		return;
	m->goal_x_m = seq->goal.place.x_m;
	m->goal_y_m = seq->goal.place.y_m;
	memcpy(m->goal_place, seq->goal.place.name, sizeof(m->goal_place));
}
