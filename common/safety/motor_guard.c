/* motor_guard.c - what is felt rather than seen: which direction bumpers and cliff sensor leave. */
#include <math.h>

#include "common/safety/motor_gate.h"

#define CLEAR_NS CAIRN_NS_PER_S

/* What was felt holds until a second after it something else is said: that nothing is said any more is no news. */
static void feel(int64_t *felt_ns, bool now, bool not_now, int64_t now_ns)
{
	if (now)
		*felt_ns = now_ns;
	else if (not_now && *felt_ns != INT64_MIN && now_ns - *felt_ns >= CLEAR_NS)
		*felt_ns = INT64_MIN;
}

void cairn_motor_feel(struct cairn_motor *m, const struct cairn_msg_guard *guard, int64_t now_ns)
{
	bool touched = guard->bumper || guard->bumper_rear;
	if (touched && !m->params.bumper_sided && !m->estop) {
		cairn_motor_operator_stop(m, "bumper");
		m->bumped = true;
	}
	feel(&m->bumper_ns[0], guard->bumper_rear && m->params.bumper_sided, !guard->bumper_rear, now_ns);
	feel(&m->bumper_ns[1], guard->bumper && m->params.bumper_sided, !guard->bumper, now_ns);
	/* No echo at all, infinity, is a drop, too. */
	feel(&m->cliff_ns, guard->floor_m > m->params.cliff_m, guard->floor_m >= 0.0, now_ns);
}

enum cairn_monitor_polygon_verdict cairn_motor_barred(const struct cairn_motor *m, bool forward)
{
	if (m->bumper_ns[forward] != INT64_MIN)
		return CAIRN_ZONE_BUMPER;
	return forward && m->cliff_ns != INT64_MIN ? CAIRN_ZONE_CLIFF : CAIRN_ZONE_FREE;
}

struct cairn_monitor_polygon_limit cairn_motor_bar(enum cairn_monitor_polygon_verdict by, bool forward)
{
	return (struct cairn_monitor_polygon_limit){by, 0.0, forward ? 0.0 : M_PI, -1.0, CAIRN_ZONE_NO_POINT};
}
