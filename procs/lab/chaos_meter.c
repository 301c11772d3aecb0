#include "procs/lab/chaos_meter.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/geom.h"

#define DRIVING_MPS 0.03 /* slower than this a stop says little */
#define FRESH_NS (200 * CAIRN_NS_PER_MS)
#define SILENT_NS (250 * CAIRN_NS_PER_MS) /* five periods of the motor stage's messages */
#define AWAIT_STOP_NS (3 * CAIRN_NS_PER_S)
#define PLANE_NS (2 * CAIRN_NS_PER_S)
#define TOLD_NS (500 * CAIRN_NS_PER_MS) /* a stop is told of so soon after it */

static void add(struct chaos_samples *samples, double s)
{
	if (samples->count < CHAOS_SAMPLES_MAX)
		samples->s[samples->count++] = s;
}

static double span_s(int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? (double)(to_ns - from_ns) * 1e-9 : 0.0;
}

void chaos_meter_house(struct chaos_meter *m)
{
	m->motion_ns = m->last_fault_ns = m->stop_fault_ns = m->again_ns = 0;
	m->v_mps = 0.0;
	m->out = m->plane_hit = m->dropped = false;
	m->plane_ns = 0;
	m->hit_id = 0;
}

bool chaos_meter_drives(const struct chaos_meter *m, int64_t now_ns)
{
	return !m->out && now_ns - m->motion_ns < FRESH_NS && fabs(m->v_mps) >= DRIVING_MPS;
}

void chaos_meter_fault(struct chaos_meter *m, int64_t now_ns, bool command_path, bool plane)
{
	if (command_path && m->stop_fault_ns == 0 && chaos_meter_drives(m, now_ns)) {
		m->stop_fault_ns = now_ns;
		m->again_ns = 0;
	}
	m->last_fault_ns = now_ns;
	if (!plane)
		return;
	m->plane_ns = now_ns;
	m->plane_drove = chaos_meter_drives(m, now_ns);
	m->plane_hit = m->plane_hit || m->out;
}

void chaos_meter_blind(struct chaos_meter *m)
{
	m->unseen += m->stop_fault_ns != 0;
	m->stop_fault_ns = 0;
}

void chaos_meter_decision(struct chaos_meter *m, uint64_t id)
{
	/* The same one, hit again before anything was heard of it, is lost only once. */
	if (id == 0 || id == m->hit_id)
		return;
	m->decisions_hit++;
	m->hit_id = id;
	m->dropped = false;
}

void chaos_meter_mission(struct chaos_meter *m, const struct cairn_msg_mission *mission)
{
	if (m->hit_id == 0)
		return;
	if (mission->decision_id == 0) { /* the reborn one stands before it goes on */
		m->dropped = true;
	} else if (m->dropped) {
		m->decisions_resumed += mission->decision_id == m->hit_id;
		m->hit_id = 0;
	}
}

bool chaos_held(enum cairn_motor_state state)
{
	switch (state) {
	case CAIRN_MOTOR_STATE_NO_COMMAND:
	case CAIRN_MOTOR_STATE_NO_SCAN:
	case CAIRN_MOTOR_STATE_REARMING:
	case CAIRN_MOTOR_STATE_NO_DEVICE:
	case CAIRN_MOTOR_STATE_ESTOP:
	case CAIRN_MOTOR_STATE_WHEEL_FAULT:
	case CAIRN_MOTOR_STATE_CONTRADICTION:
	case CAIRN_MOTOR_STATE_TILTED:
	case CAIRN_MOTOR_STATE_BATTERY_EMPTY:
		return true;
	default:
		return false;
	}
}

static void end_outage(struct chaos_meter *m, int64_t t_ns)
{
	add(m->plane_hit ? &m->again_plane : &m->again, span_s(m->last_fault_ns, t_ns));
	m->plane_ns = m->plane_hit ? 0 : m->plane_ns;
	m->out = m->plane_hit = false;
	m->again_ns = t_ns;
}

/* Nothing came of it within its time. */
static void outlive_plane(struct chaos_meter *m, int64_t t_ns)
{
	if (m->plane_ns == 0 || m->out || t_ns - m->plane_ns <= PLANE_NS)
		return;
	m->plane_bridged += m->plane_drove;
	m->plane_ns = 0;
}

void chaos_meter_motion(
    struct chaos_meter *m, const struct cairn_msg_motion *motion, int64_t t_ns, bool mission_over)
{
	if (t_ns <= m->motion_ns)
		return;
	bool silent = m->motion_ns != 0 && t_ns - m->motion_ns > SILENT_NS && fabs(m->v_mps) > 0.0;
	m->motion_ns = t_ns;
	m->v_mps = motion->v_mps;
	if (mission_over) {
		m->out = m->plane_hit = false;
		m->plane_ns = 0;
		return;
	}
	if (!m->out && m->last_fault_ns != 0 && (silent || chaos_held(motion->state))) {
		m->out = true;
		m->plane_hit = m->plane_ns != 0 && t_ns - m->plane_ns <= PLANE_NS;
	}
	if (!chaos_held(motion->state) && motion->v_mps != 0.0) {
		if (m->out)
			end_outage(m, t_ns);
		outlive_plane(m, t_ns);
	}
}

void chaos_meter_truth(struct chaos_meter *m, const struct cairn_msg_sim_truth *truth, int64_t t_ns)
{
	int64_t fault_ns = m->stop_fault_ns;
	if (fault_ns == 0)
		return;
	/* Once the wheels turn again the next stop is not this fault's. */
	bool later = m->again_ns != 0 && truth->braked_ns > m->again_ns;
	if (truth->stood_ns >= fault_ns && !later) {
		/* One that was braking already when the fault came says nothing about the fault. */
		if (truth->braked_ns >= fault_ns) {
			add(&m->braked, span_s(fault_ns, truth->braked_ns));
			add(&m->stood, span_s(fault_ns, truth->stood_ns));
		}
		m->stop_fault_ns = 0;
	} else if (later || (m->again_ns != 0 && t_ns - m->again_ns > TOLD_NS)) {
		m->unseen++;
		m->stop_fault_ns = 0;
	} else if (t_ns - fault_ns > AWAIT_STOP_NS) {
		m->bridged++;
		m->stop_fault_ns = 0;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double chaos_quantile(struct chaos_samples *samples, double p)
{
	if (samples->count == 0)
		return NAN;
	qsort(samples->s, samples->count, sizeof(samples->s[0]), by_value);
	size_t rank = (size_t)ceil(p * (double)samples->count);
	return samples->s[rank == 0 ? 0 : rank - 1];
}

const char *chaos_mark_name(enum chaos_mark mark)
{
	static const char *const names[] = {"not_shown", "missed", "met"};
	_Static_assert(sizeof(names) / sizeof(names[0]) == CHAOS_MARK_COUNT, "one name for each");
	return names[mark];
}

enum chaos_mark chaos_mark(
    struct chaos_samples *samples, size_t bridged, double p, double at_most_s, size_t samples_min)
{
	size_t all = samples->count + bridged;
	if (all == 0 || all < samples_min)
		return CHAOS_MARK_NOT_SHOWN;
	return samples->count == 0 || chaos_quantile(samples, p) <= at_most_s ? CHAOS_MARK_MET
									      : CHAOS_MARK_MISSED;
}
