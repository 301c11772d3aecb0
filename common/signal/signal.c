#include "common/signal/signal.h"

#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "ipc/topics.h"

#define CHARGED_PERCENT 5.0
#define SILENT_NS (2 * CAIRN_NS_PER_S) /* of the motor stage, which is late on a busy machine */

const struct cairn_signal_row cairn_signal_rows[CAIRN_SIGNAL_COUNT] = {
#define ROW(signal, ...) [CAIRN_SIGNAL_##signal] = {__VA_ARGS__},
#include "common/signal/signals.def"
};

static const enum cairn_signal wheels_rows[CAIRN_MOTOR_STATE_COUNT] = {
#define WHEELS(state, signal) [CAIRN_MOTOR_STATE_##state] = CAIRN_SIGNAL_##signal,
#include "common/signal/signals.def"
};

enum cairn_signal cairn_signal_of_motion(const struct cairn_msg_motion *m)
{
	enum cairn_signal signal = wheels_rows[m->state];
	bool guarded = m->state == CAIRN_MOTOR_STATE_BLOCKED &&
		       (m->cause == CAIRN_SENSOR_BUMPER || m->cause == CAIRN_SENSOR_CLIFF);
	if (guarded)
		return CAIRN_SIGNAL_GUARD;
	return m->waits_release && signal < CAIRN_SIGNAL_WAITS_FOR_PERSON ? CAIRN_SIGNAL_WAITS_FOR_PERSON
									  : signal;
}

void cairn_signals_init(struct cairn_signals *s, double battery_warn_percent)
{
	*s = (struct cairn_signals){.battery_warn_percent = battery_warn_percent};
}

void cairn_signals_motion(struct cairn_signals *s, const struct cairn_msg_motion *m, int64_t t_ns)
{
	s->motion_ns = t_ns;
	s->wheels = cairn_signal_of_motion(m);
	s->stands = m->state == CAIRN_MOTOR_STATE_IDLE;
	snprintf(s->motion_reason, sizeof(s->motion_reason), "%s", m->reason);
}

void cairn_signals_mission(struct cairn_signals *s, const struct cairn_msg_mission *m, int64_t t_ns)
{
	s->mission_ns = t_ns;
	s->on_mission = m->state == CAIRN_MISSION_STATE_EXPLORING || m->state == CAIRN_MISSION_STATE_GOTO ||
			m->state == CAIRN_MISSION_STATE_RETURNING || m->state == CAIRN_MISSION_STATE_TASK;
	s->wants_decision = m->wants_decision;
	snprintf(s->help, sizeof(s->help), "%s", m->help);
}

void cairn_signals_model(struct cairn_signals *s, const struct cairn_msg_vlm_stats *m, int64_t t_ns)
{
	s->model_ns = t_ns;
	s->asked = m->in_flight;
}

void cairn_signals_battery(struct cairn_signals *s, const struct cairn_msg_battery *m)
{
	double until = s->battery_warn_percent + (s->battery_low ? CHARGED_PERCENT : 0.0);
	s->battery_percent = m->percent;
	s->battery_low = m->percent >= 0.0 && m->percent < until;
}

static bool fresh(enum cairn_topic topic, int64_t t_ns, int64_t now_ns)
{
	return t_ns != 0 && cairn_topic_fresh(topic, t_ns, now_ns);
}

static bool wheels_known(const struct cairn_signals *s, int64_t now_ns)
{
	return s->motion_ns != 0 && now_ns - s->motion_ns < SILENT_NS;
}

/* Which states hold now. */
static void judge(const struct cairn_signals *s, int64_t now_ns, bool holds[CAIRN_SIGNAL_COUNT])
{
	bool motion = wheels_known(s, now_ns),
	     mission = fresh(CAIRN_TOPIC_MISSION, s->mission_ns, now_ns) && s->on_mission,
	     helped = fresh(CAIRN_TOPIC_MISSION, s->mission_ns, now_ns) && s->help[0] != '\0',
	     asked = fresh(CAIRN_TOPIC_VLM_STATS, s->model_ns, now_ns) && s->asked;
	memset(holds, 0, CAIRN_SIGNAL_COUNT * sizeof(*holds));
	holds[CAIRN_SIGNAL_NONE] = true;
	holds[motion ? s->wheels : CAIRN_SIGNAL_FAULT] = true;
	holds[CAIRN_SIGNAL_DRIVING] |= motion && mission;
	holds[CAIRN_SIGNAL_WAITS_FOR_MODEL] = motion && mission && s->stands && (asked || s->wants_decision);
	holds[CAIRN_SIGNAL_WAITS_FOR_PERSON] |= helped;
	holds[CAIRN_SIGNAL_BATTERY_LOW] = s->battery_low;
}

static void explain(const struct cairn_signals *s, int64_t now_ns, struct cairn_msg_signal *m)
{
	const char *reason = wheels_known(s, now_ns) ? s->motion_reason : "the motor stage is silent";
	if (m->signal == CAIRN_SIGNAL_BATTERY_LOW)
		snprintf(m->reason, sizeof(m->reason), "the battery is at %.0f %%", s->battery_percent);
	else if (m->signal == CAIRN_SIGNAL_WAITS_FOR_PERSON && s->help[0] != '\0')
		snprintf(m->reason, sizeof(m->reason), "%s", s->help);
	else if (m->signal >= CAIRN_SIGNAL_STOPPED)
		snprintf(m->reason, sizeof(m->reason), "%s", reason);
}

void cairn_signals_step(struct cairn_signals *s, int64_t now_ns, struct cairn_msg_signal *ret)
{
	bool holds[CAIRN_SIGNAL_COUNT];
	judge(s, now_ns, holds);
	*ret = (struct cairn_msg_signal){.signal = CAIRN_SIGNAL_NONE};
	for (int i = 0; i < CAIRN_SIGNAL_COUNT; i++) {
		if (!holds[i])
			s->since_ns[i] = 0;
		else if (s->since_ns[i] == 0)
			s->since_ns[i] = now_ns;
		if (holds[i] && now_ns - s->since_ns[i] >= cairn_signal_rows[i].hold_ms * CAIRN_NS_PER_MS)
			ret->signal = (enum cairn_signal)i;
	}
	ret->calls = cairn_signal_rows[ret->signal].calls;
	ret->rgb = cairn_signal_rows[ret->signal].rgb;
	explain(s, now_ns, ret);
}

struct cairn_signal_look cairn_signal_look(enum cairn_signal signal, int64_t elapsed_ns)
{
	const struct cairn_signal_row *row = &cairn_signal_rows[signal];
	int64_t ms = elapsed_ns / CAIRN_NS_PER_MS, step_ms = row->beep_ms + row->gap_ms;
	int64_t rounds = row->repeat_s > 0 ? ms / (row->repeat_s * INT64_C(1000)) : 0;
	struct cairn_signal_look look = {.rgb = ms % (row->on_ms + row->off_ms) < row->on_ms ? row->rgb : 0};
	if (row->beeps == 0)
		return look;
	int64_t at_ms = ms - rounds * row->repeat_s * 1000, begun = at_ms / step_ms + 1;
	look.sounds = begun <= row->beeps && at_ms % step_ms < row->beep_ms;
	look.beeps = (uint32_t)(rounds * row->beeps + (begun < row->beeps ? begun : row->beeps));
	return look;
}
