/* motor_gate_text.c - what the motor core tells the bus, and in what words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/safety/motor_gate.h"
#include "common/safety/speed_level.h"

static const char *side_of(double bearing_rad)
{
	double deg = cairn_rad_to_deg(bearing_rad);
	if (fabs(deg) <= 25.0)
		return "ahead";
	if (fabs(deg) >= 155.0)
		return "behind";
	if (deg > 0.0)
		return deg < 65.0 ? "ahead left" : deg > 115.0 ? "behind left" : "left";
	return deg > -65.0 ? "ahead right" : deg < -115.0 ? "behind right" : "right";
}

static const char *const zone_words[] = {"free", "obstacle in the slow zone", "obstacle in the stop zone",
    "obstacle in the stop zone", "emergency: obstacle too near", "something is coming from", "drop",
    "bumper pressed"};

/* The one place where an operator's words part from what may be read as a reason. NULL: nobody's words. */
static const char *person_said(const char *estop_reason)
{
	size_t n = strlen(CAIRN_MOTOR_PERSON ": ");
	return strncmp(estop_reason, CAIRN_MOTOR_PERSON ": ", n) == 0 ? estop_reason + n : NULL;
}

const char *cairn_motor_said(const struct cairn_motor *m)
{
	const char *said = m->estop ? person_said(m->estop_reason) : NULL;
	return said != NULL ? said : "";
}

static void say_reason(const struct cairn_motor *m, int64_t now_ns, char *text, size_t cap_bytes)
{
	unsigned bit = cairn_motor_gravest(m->conditions);
	double scan_age_s = (double)(now_ns - m->scan_stream.t_ns) * 1e-9;
	double cmd_age_s = (double)(now_ns - m->cmd_stream.t_ns) * 1e-9;
	text[0] = '\0';
	if (bit == CAIRN_MOTOR_NO_DEVICE)
		snprintf(text, cap_bytes, "motor board not in service");
	else if (bit == CAIRN_MOTOR_ESTOP) /* beside the state, which says what it is */
		snprintf(text, cap_bytes, "%s",
		    person_said(m->estop_reason) != NULL ? CAIRN_MOTOR_PERSON : m->estop_reason);
	else if (bit == CAIRN_MOTOR_WHEELS && m->wheels.verdict == CAIRN_WHEELS_OBEY)
		snprintf(text, cap_bytes,
		    m->spin.wheels.verdict == CAIRN_WHEELS_RUN
			? "the robot turns at %.2f rad/s against a command of %.2f rad/s"
			: "the robot does not turn (%.2f rad/s) against a command of %.2f rad/s",
		    m->spin.wheels.measured_mps / m->params.monitor.reach_m,
		    m->spin.wheels.sent_mps / m->params.monitor.reach_m);
	else if (bit == CAIRN_MOTOR_WHEELS)
		snprintf(text, cap_bytes,
		    m->wheels.verdict == CAIRN_WHEELS_RUN
			? "wheels run at %.2f m/s against a command of %.2f m/s"
			: "wheels stand (%.2f m/s) against a command of %.2f m/s",
		    m->wheels.measured_mps, m->wheels.sent_mps);
	else if (bit == CAIRN_MOTOR_CONTRADICTION)
		snprintf(text, cap_bytes, "%s",
		    m->spin.wheels.opposed ? "the robot turns against the direction it is told: wheels "
					     "exchanged, or gyro reversed"
		    : m->wheels.opposed
			? "the wheels turn against the direction they are told: drive or encoders "
			  "reversed"
			: m->scan_motion.votes.fault);
	else if (bit == CAIRN_MOTOR_TILTED)
		snprintf(text, cap_bytes, "the robot leans by %.0f degrees: on a slope, or picked up",
		    cairn_rad_to_deg(m->lean.lean_rad));
	else if (bit == CAIRN_MOTOR_BATTERY)
		snprintf(text, cap_bytes, "the battery is empty (%.0f %%): charge it", m->battery_percent);
	else if (bit == CAIRN_MOTOR_NO_SCAN && !m->scan_stream.some)
		snprintf(text, cap_bytes, "no scan yet%s%s",
		    m->last_refusal != NULL ? ", last refused: " : "",
		    m->last_refusal != NULL ? m->last_refusal : "");
	else if (bit == CAIRN_MOTOR_NO_SCAN)
		snprintf(text, cap_bytes, "no scan for %.1f s%s%s", scan_age_s,
		    m->scan_refusal != NULL ? ": " : "", m->scan_refusal != NULL ? m->scan_refusal : "");
	else if (bit == CAIRN_MOTOR_NO_DEPTH)
		snprintf(text, cap_bytes, "no depth scan, and one is required");
	else if (bit == CAIRN_MOTOR_NO_GUARD)
		snprintf(text, cap_bytes, "bumper and cliff sensor are silent, and they are required");
	else if (bit == CAIRN_MOTOR_NO_COMMAND)
		snprintf(text, cap_bytes, "no command for %.1f s", cmd_age_s);
	else if (bit == CAIRN_MOTOR_NEVER_COMMAND)
		snprintf(text, cap_bytes, "no command yet");
	else if (bit == CAIRN_MOTOR_REARMING)
		snprintf(text, cap_bytes, "%s",
		    m->needs_operator ? "reborn inputs: waits for the operator's release"
				      : "reborn inputs: waits until they are fresh");
	else if ((bit == CAIRN_MOTOR_BLOCKED || bit == CAIRN_MOTOR_SLOWED) &&
		 m->zone.limit_mps < m->verdict.limit_mps)
		snprintf(text, cap_bytes, "%s %s", zone_words[m->zone.verdict], side_of(m->zone.bearing_rad));
	else if (bit == CAIRN_MOTOR_BLOCKED || bit == CAIRN_MOTOR_SLOWED)
		snprintf(text, cap_bytes, "obstacle %s, %.2f m along the path",
		    side_of(m->verdict.bearing_rad), m->verdict.free_m);
	else if (m->spot_turn)
		snprintf(text, cap_bytes, "cannot turn on the spot");
}

static enum cairn_sensor sensor_of(const struct cairn_motor *m, size_t point)
{
	return point < m->monitor.lidar_count ? CAIRN_SENSOR_LIDAR : CAIRN_SENSOR_DEPTH;
}

/* Who made the robot slower than asked, and where that is. */
static void say_cause(const struct cairn_motor *m, struct cairn_msg_motion *out)
{
	const struct cairn_points *points = &m->monitor.points;
	unsigned bit = cairn_motor_gravest(m->conditions);
	bool by_zone = m->zone.limit_mps < m->verdict.limit_mps;
	out->cause_m = -1.0;
	if (bit == CAIRN_MOTOR_ESTOP && m->bumped)
		out->cause = CAIRN_SENSOR_BUMPER;
	if (bit != CAIRN_MOTOR_BLOCKED && bit != CAIRN_MOTOR_SLOWED)
		return;
	out->cause_bearing_rad = by_zone ? m->zone.bearing_rad : m->verdict.bearing_rad;
	if (by_zone) {
		out->cause_m = m->zone.distance_m;
		out->cause = m->zone.verdict == CAIRN_ZONE_CLIFF    ? CAIRN_SENSOR_CLIFF
			     : m->zone.verdict == CAIRN_ZONE_BUMPER ? CAIRN_SENSOR_BUMPER
			     : m->zone.point == CAIRN_ZONE_NO_POINT ? CAIRN_SENSOR_LIDAR
								    : sensor_of(m, m->zone.point);
	} else if (m->verdict.hit) {
		size_t i = m->verdict.point;
		out->cause = sensor_of(m, i);
		out->cause_m = hypot((double)points->x_m[i], (double)points->y_m[i]);
	}
}

/* In the words of move_toward; standing by another's word, nothing is allowed. */
static enum cairn_pace pace(const struct cairn_motor *m)
{
	unsigned bit = cairn_motor_gravest(m->conditions);
	if (bit == CAIRN_MOTOR_STANDING || bit == 0 || bit == CAIRN_MOTOR_SLOWED ||
	    bit == CAIRN_MOTOR_BLOCKED)
		return m->command.v_mps == 0.0
			   ? CAIRN_PACE_STOP
			   : cairn_speed_level_of(
				 m->held ? 0.0 : fmin(m->verdict.limit_mps, m->zone.limit_mps));
	return CAIRN_PACE_STOP;
}

void cairn_motor_message(struct cairn_motor *m, int64_t now_ns, struct cairn_msg_motion *out)
{
	*out = (struct cairn_msg_motion){.state = cairn_motor_state(m),
	    .cmd_v_mps = m->asked.v_mps,
	    .cmd_w_radps = m->asked.w_radps,
	    .v_mps = m->smooth.v_mps,
	    .w_radps = cairn_motor_sent(m).w_radps,
	    .nearest_m = -1.0,
	    .rejected = m->rejected};
	if ((m->conditions & CAIRN_MOTOR_NO_SCAN) == 0)
		out->nearest_m = cairn_monitor_nearest(&m->monitor);
	out->waits_release = (m->conditions & (CAIRN_MOTOR_ESTOP | CAIRN_MOTOR_CONTRADICTION)) != 0 ||
			     (m->needs_operator && (m->conditions & CAIRN_MOTOR_REARMING) != 0);
	out->pace = pace(m);
	say_cause(m, out);
	say_reason(m, now_ns, out->reason, sizeof(out->reason));
}
