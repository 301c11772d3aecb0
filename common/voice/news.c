#include "common/voice/news.h"

#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"

/* NULL: there is no room. */
__attribute__((format(printf, 3, 4))) static struct cairn_msg_say *tell(
    struct cairn_news *n, enum cairn_urgency urgency, const char *fmt, ...)
{
	if (n->count == CAIRN_NEWS_MAX) {
		n->lost++;
		return NULL;
	}
	struct cairn_msg_say *s = &n->items[n->count++];
	va_list ap;
	*s = (struct cairn_msg_say){.urgency = urgency};
	va_start(ap, fmt);
	vsnprintf(s->text, sizeof(s->text), fmt, ap);
	va_end(ap);
	return s;
}

static void mark_waits(struct cairn_msg_say *s)
{
	if (s != NULL)
		s->waits = true;
}

bool cairn_news_take(struct cairn_news *n, struct cairn_msg_say *ret)
{
	if (n->count == 0)
		return false;
	*ret = n->items[0];
	n->count--;
	memmove(n->items, n->items + 1, n->count * sizeof(n->items[0]));
	return true;
}

/* What was there before the stage began is no news. */
void cairn_news_tier(struct cairn_news *n, const struct cairn_msg_tier *m)
{
	bool changed = n->has_tier && m->tier != n->tier;
	enum cairn_tier before = n->tier;
	n->has_tier = true;
	n->tier = m->tier;
	if (!changed)
		return;
	if (m->tier == CAIRN_TIER_LOCAL)
		tell(n, CAIRN_URGENCY_NEWS, "The model is silent. I explore on my own.");
	else if (m->tier == CAIRN_TIER_RETURNING)
		tell(n, CAIRN_URGENCY_NEWS, "The model is silent. I drive back to the start.");
	else if (m->tier == CAIRN_TIER_NORMAL &&
		 (before == CAIRN_TIER_LOCAL || before == CAIRN_TIER_RETURNING))
		tell(n, CAIRN_URGENCY_NEWS, "The model answers again.");
}

void cairn_news_mission(struct cairn_news *n, const struct cairn_msg_mission *m)
{
	bool changed = n->has_mission && m->state != n->mission;
	enum cairn_mission_state before = n->mission;
	bool asks = m->help[0] != '\0' && strcmp(m->help, n->help) != 0;
	n->has_mission = true;
	n->mission = m->state;
	memcpy(n->help, m->help, sizeof(n->help));
	if (asks)
		mark_waits(tell(n, CAIRN_URGENCY_WARNING, "I need help: %.150s", m->help));
	if (!changed)
		return;
	if (before == CAIRN_MISSION_STATE_GOTO && m->state != CAIRN_MISSION_STATE_PAUSED &&
	    strncmp(m->reason, "goto ", 5) == 0)
		tell(n, CAIRN_URGENCY_NEWS, "%s",
		    strstr(m->reason, "could not be reached") != NULL ? "I cannot get there."
								      : "I am there.");
	else if (m->state == CAIRN_MISSION_STATE_FINISHED)
		tell(n, CAIRN_URGENCY_NEWS, "Finished: %.120s.", m->reason);
	else if (m->state == CAIRN_MISSION_STATE_RETURNING && before == CAIRN_MISSION_STATE_EXPLORING)
		tell(n, CAIRN_URGENCY_NEWS, "I drive back to the start: %.120s.", m->reason);
}

void cairn_news_agent(struct cairn_news *n, const struct cairn_msg_agent *m)
{
	bool changed = n->has_agent && (m->state != n->agent || m->task_id != n->agent_task);
	n->has_agent = true;
	n->agent = m->state;
	n->agent_task = m->task_id;
	if (!changed)
		return;
	if (m->state == CAIRN_AGENT_STATE_DONE)
		tell(n, CAIRN_URGENCY_ANSWER, "%s", m->answer);
	else if (m->state == CAIRN_AGENT_STATE_HANDOFF)
		tell(n, CAIRN_URGENCY_ANSWER, "I hand this back to you: %.220s", m->answer);
	else if (m->state == CAIRN_AGENT_STATE_FAILED)
		tell(n, CAIRN_URGENCY_ANSWER, "I have given the task up: %.220s", m->answer);
}

/* States of the wheels that a person has to end. One that comes and goes, as a robot that is carried leans, is told once. */
static void tell_calls(struct cairn_news *n, const struct cairn_msg_motion *m, int64_t now_ns)
{
	enum cairn_signal signal = cairn_signal_of_motion(m);
	if (!cairn_signal_rows[signal].calls)
		return;
	bool is_new =
	    signal != n->called || now_ns - n->t_called_ns >= CAIRN_NEWS_CALLED_MS * CAIRN_NS_PER_MS;
	n->called = signal;
	n->t_called_ns = now_ns;
	if (is_new)
		mark_waits(tell(n, CAIRN_URGENCY_WARNING, "I wait for a person. %.90s", m->reason));
}

void cairn_news_motion(struct cairn_news *n, const struct cairn_msg_motion *m, int64_t now_ns)
{
	bool estop = m->state == CAIRN_MOTOR_STATE_ESTOP;
	if (estop && !n->estop)
		mark_waits(tell(n, CAIRN_URGENCY_WARNING,
		    "Emergency: I stand until somebody releases me. %.90s", m->reason));
	n->estop = estop;
	if (!estop)
		tell_calls(n, m, now_ns);
	if (m->state != CAIRN_MOTOR_STATE_BLOCKED) {
		n->t_blocked_ns = 0;
		n->blocked_told = false;
		return;
	}
	if (n->t_blocked_ns == 0)
		n->t_blocked_ns = now_ns;
	if (n->blocked_told || now_ns - n->t_blocked_ns < CAIRN_NEWS_BLOCKED_MS * CAIRN_NS_PER_MS)
		return;
	n->blocked_told = true;
	tell(n, CAIRN_URGENCY_NEWS, "I am blocked: %.90s", m->reason);
}

void cairn_news_battery(struct cairn_news *n, const struct cairn_msg_battery *m)
{
	if (m->percent < 0.0 || m->percent > CAIRN_NEWS_BATTERY_BACK_PERCENT)
		n->battery_low = false;
	if (m->percent < 0.0 || m->percent > CAIRN_NEWS_BATTERY_PERCENT || n->battery_low)
		return;
	n->battery_low = true;
	tell(n, CAIRN_URGENCY_WARNING, "My battery is low: %.0f percent.", m->percent);
}

void cairn_news_discoveries(struct cairn_news *n, const struct cairn_msg_discoveries *m)
{
	const struct cairn_msg_discovery *newest = NULL;
	for (uint32_t i = 0; i < m->items_count; i++)
		if (newest == NULL || m->items[i].id > newest->id)
			newest = &m->items[i];
	uint64_t id = newest != NULL ? newest->id : 0;
	bool is_new = n->has_discoveries && id > n->discovery;
	n->has_discoveries = true;
	n->discovery = id;
	if (is_new)
		tell(n, CAIRN_URGENCY_NEWS, "I have found %s%.48s%s%.48s.",
		    newest->kind == CAIRN_SIGNIFICANCE_HAZARD ? "a danger: " : "", newest->label,
		    newest->room[0] != '\0' && newest->kind != CAIRN_SIGNIFICANCE_ROOM ? " in the " : "",
		    newest->kind != CAIRN_SIGNIFICANCE_ROOM ? newest->room : "");
}
