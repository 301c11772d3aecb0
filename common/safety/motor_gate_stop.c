/* motor_gate_stop.c - the operator's word: stop and release. */
#include <stdio.h>

#include "common/safety/motor_gate.h"
#include "ipc/topics.h"

void cairn_motor_operator_stop(struct cairn_motor *m, const char *reason)
{
	m->estop = true;
	snprintf(m->estop_reason, sizeof(m->estop_reason), "%.79s",
	    reason[0] != '\0' ? reason : "no reason given");
}

void cairn_motor_person_stop(struct cairn_motor *m, const char *said)
{
	char text[sizeof(m->estop_reason)];
	snprintf(text, sizeof(text), "%s%s%.60s", CAIRN_MOTOR_PERSON, said[0] != '\0' ? ": " : "", said);
	cairn_motor_operator_stop(m, text);
}

bool cairn_motor_operator_release(struct cairn_motor *m, int64_t now_ns, struct cairn_error *err)
{
	if (m->estop_seen_ns != INT64_MIN && cairn_topic_fresh(CAIRN_TOPIC_ESTOP, m->estop_seen_ns, now_ns)) {
		cairn_error_set(err, "the stop is still demanded: %s", m->estop_reason);
		return false;
	}
	m->estop = m->needs_operator = m->bumped = false;
	cairn_scan_motion_reset(&m->scan_motion); /* a person has looked */
	m->wheels.opposed = m->spin.wheels.opposed = false;
	m->estop_seen_ns = INT64_MIN;
	m->rearming = true;
	m->fresh_since_ns = 0;
	return true;
}
