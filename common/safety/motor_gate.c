#include "common/safety/motor_gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ipc/topics.h"

#define NEVER_NS INT64_MIN
#define MEASURED_MAX_NS (150 * CAIRN_NS_PER_MS)
#define MEASURED_SPEED_FACTOR 2.0 /* of the robot's own highest: faster is a fault, not motion */
#define MEASURED_TURN_MAX_RADPS 10.0
#define STEP_MAX_S 0.1  /* a longer silence of the clock speeds nothing up */
#define SPOT_V_MPS 1e-4 /* commands below are standing still */
#define SPOT_W_RADPS 1e-3
#define GUARD_AGE_MAX_S 0.5
#define HOLD_MPS 0.02 /* a lower limit is not worth creeping at: hold */
#define UNHOLD_MPS 0.04
#define STANDS_MPS 0.02
#define STANDS_RADPS 0.05
#define STEER_LAG_S 0.12 /* until steering and wheels follow */

/* ---- states ---- */

enum stop_kind { GO, BRAKE, AT_ONCE };

struct state_row {
	unsigned bit;
	enum cairn_motor_state state;
	enum stop_kind stop;
};

/* First row whose condition holds. */
static const struct state_row state_rows[] = {
    {CAIRN_MOTOR_NO_DEVICE, CAIRN_MOTOR_STATE_NO_DEVICE, AT_ONCE},
    {CAIRN_MOTOR_ESTOP, CAIRN_MOTOR_STATE_ESTOP, AT_ONCE},
    {CAIRN_MOTOR_WHEELS, CAIRN_MOTOR_STATE_WHEEL_FAULT, AT_ONCE},
    {CAIRN_MOTOR_CONTRADICTION, CAIRN_MOTOR_STATE_CONTRADICTION, BRAKE},
    {CAIRN_MOTOR_TILTED, CAIRN_MOTOR_STATE_TILTED, AT_ONCE},
    {CAIRN_MOTOR_BATTERY, CAIRN_MOTOR_STATE_BATTERY_EMPTY, BRAKE},
    {CAIRN_MOTOR_NO_SCAN, CAIRN_MOTOR_STATE_NO_SCAN, BRAKE},
    {CAIRN_MOTOR_NO_DEPTH, CAIRN_MOTOR_STATE_NO_SCAN, BRAKE},
    {CAIRN_MOTOR_NO_GUARD, CAIRN_MOTOR_STATE_NO_SCAN, BRAKE},
    {CAIRN_MOTOR_NO_COMMAND, CAIRN_MOTOR_STATE_NO_COMMAND, BRAKE},
    {CAIRN_MOTOR_NEVER_COMMAND, CAIRN_MOTOR_STATE_IDLE, BRAKE},
    {CAIRN_MOTOR_REARMING, CAIRN_MOTOR_STATE_REARMING, BRAKE},
    {CAIRN_MOTOR_BLOCKED, CAIRN_MOTOR_STATE_BLOCKED, GO},
    {CAIRN_MOTOR_STANDING, CAIRN_MOTOR_STATE_IDLE, GO},
    {CAIRN_MOTOR_SLOWED, CAIRN_MOTOR_STATE_SLOWED, GO},
};

static const struct state_row *row_of(unsigned conditions)
{
	static const struct state_row driving = {0, CAIRN_MOTOR_STATE_DRIVING, GO};
	for (size_t i = 0; i < sizeof(state_rows) / sizeof(state_rows[0]); i++)
		if ((conditions & state_rows[i].bit) != 0)
			return &state_rows[i];
	return &driving;
}

unsigned cairn_motor_gravest(unsigned conditions)
{
	return row_of(conditions)->bit;
}

enum cairn_motor_state cairn_motor_state_of(unsigned conditions)
{
	return row_of(conditions)->state;
}

enum cairn_motor_state cairn_motor_state(const struct cairn_motor *m)
{
	return cairn_motor_state_of(m->conditions);
}

/* ---- making ---- */

void cairn_motor_params_from(struct cairn_motor_params *p, const struct cairn_config *cfg)
{
	*p = (struct cairn_motor_params){
	    .smooth = {cfg->robot.accel_max_mps2, cfg->robot.decel_max_mps2, cfg->robot.jerk_max_mps3},
	    .wheels = {cfg->safety.wheels_timeout_s, cfg->robot.decel_max_mps2},
	    .cmd_timeout_s = cfg->safety.cmd_timeout_s,
	    .scan_timeout_s = cfg->safety.scan_timeout_s,
	    .pose_timeout_s = cfg->safety.pose_timeout_s,
	    .rearm_s = cfg->safety.rearm_s,
	    .cliff_m = cfg->safety.cliff_m,
	    .tilt_max_rad = cfg->safety.tilt_max_rad,
	    .battery_stop_percent = cfg->robot.battery_stop_percent,
	    .depth_timeout_s = cfg->safety.depth_timeout_s,
	    .depth_off = cfg->safety.depth == CAIRN_CHOICE_DEPTH_OFF,
	    .depth_required = cfg->safety.depth == CAIRN_CHOICE_DEPTH_REQUIRED,
	    .guard_required =
		cfg->safety.guard == CAIRN_CHOICE_GUARD_REQUIRED || cfg->robot.guard_lines[0] != '\0',
	    .bumper_sided = cfg->robot.guard_lines[0] != '\0',
	    .rearm_operator = cfg->safety.rearm == CAIRN_CHOICE_REARM_OPERATOR,
	};
	cairn_monitor_params_from(&p->monitor, cfg);
}

void cairn_motor_init(
    struct cairn_motor *m, const struct cairn_motor_params *params, bool reborn, int64_t now_ns)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
	m->t_ns = now_ns;
	m->measured_ns = m->estop_seen_ns = m->cliff_ns = m->bumper_ns[0] = m->bumper_ns[1] = NEVER_NS;
	m->battery_percent = -1.0;
	m->rearming = true;
	m->needs_operator = reborn && params->rearm_operator;
	m->conditions = CAIRN_MOTOR_NO_DEVICE;
	cairn_monitor_init(&m->monitor, &params->monitor);
}

/* ---- what comes in ---- */

static bool refuse(struct cairn_motor *m, const char *why)
{
	m->rejected++;
	m->last_refusal = why;
	return false;
}

/* NULL when the message may be believed as far as its header goes. */
static const char *header_fault(
    const struct cairn_motor_stream *s, const struct cairn_header *hdr, double age_max_s, int64_t now_ns)
{
	if (!hdr->valid)
		return "marked invalid";
	if (hdr->t_ns > now_ns + CAIRN_STAMP_AHEAD_NS)
		return "from the future";
	if (hdr->t_ns < now_ns - (int64_t)(age_max_s * 1e9))
		return "stale";
	if (s->some && hdr->t_ns <= s->t_ns)
		return "repeated or out of order";
	if (s->some && hdr->epoch == s->epoch && hdr->seq <= s->seq)
		return "repeated or out of order";
	return NULL;
}

static void follow(struct cairn_motor *m, struct cairn_motor_stream *s, const struct cairn_header *hdr)
{
	bool reborn = s->some && hdr->epoch != s->epoch;
	*s = (struct cairn_motor_stream){true, hdr->epoch, hdr->seq, hdr->t_ns};
	if (!reborn)
		return;
	m->rearming = true;
	m->fresh_since_ns = 0;
	m->needs_operator |= m->params.rearm_operator;
	m->needs_pose |= s == &m->pose_stream;
}

bool cairn_motor_cmd(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_cmd_vel *cmd, int64_t now_ns)
{
	const char *fault = header_fault(&m->cmd_stream, hdr, m->params.cmd_timeout_s, now_ns);
	if (fault == NULL && (!isfinite(cmd->v_mps) || !isfinite(cmd->w_radps)))
		fault = "not finite";
	if (fault != NULL)
		return refuse(m, fault);
	follow(m, &m->cmd_stream, hdr);
	m->asked = (struct cairn_twist){cmd->v_mps, cmd->w_radps};
	const struct cairn_monitor_params *p = &m->params.monitor;
	bool in_place = fabs(cmd->v_mps) < SPOT_V_MPS && fabs(cmd->w_radps) > SPOT_W_RADPS;
	m->spot_turn = in_place && !(p->turn_rate_max_radps > 0.0);
	if (fabs(cmd->v_mps) < SPOT_V_MPS) {
		m->command = (struct cairn_twist){0};
		if (in_place)
			m->command.w_radps =
			    cairn_clamp(cmd->w_radps, -p->turn_rate_max_radps, p->turn_rate_max_radps);
		/* The sender lives, so its dead man is fed, but it asked for what the base cannot do. */
		return !m->spot_turn || refuse(m, "turn on the spot");
	}
	double k = cairn_clamp(cmd->w_radps / cmd->v_mps, -p->curvature_max_1pm, p->curvature_max_1pm);
	double v = cairn_clamp(cmd->v_mps, -p->speed_max_mps, p->speed_max_mps);
	m->command = (struct cairn_twist){v, k * v};
	return true;
}

struct cairn_twist cairn_motor_sent(const struct cairn_motor *m)
{
	return (struct cairn_twist){
	    m->smooth.v_mps, m->smooth.v_mps * m->curvature_1pm + cairn_motor_spin_radps(m)};
}

static struct cairn_twist motion_now(const struct cairn_motor *m, int64_t now_ns)
{
	if (m->measured_ns != NEVER_NS && now_ns - m->measured_ns <= MEASURED_MAX_NS)
		return m->measured;
	return cairn_motor_sent(m);
}

static bool refuse_scan(struct cairn_motor *m, const char *why)
{
	m->scan_refusal = why;
	return refuse(m, why);
}

bool cairn_motor_scan(
    struct cairn_motor *m, const struct cairn_header *hdr, const struct cairn_msg_scan *scan, int64_t now_ns)
{
	const char *fault = header_fault(&m->scan_stream, hdr, m->params.scan_timeout_s, now_ns);
	if (fault == NULL)
		fault = cairn_scan_fault(scan, &m->monitor.directions);
	if (fault == NULL && cairn_repeats_take(&m->scan_repeats, scan->range_m,
				 scan->range_m_count * sizeof(scan->range_m[0])))
		fault = "the LiDAR repeats an earlier revolution";
	if (fault != NULL)
		return refuse_scan(m, fault);
	struct cairn_twist twist = motion_now(m, now_ns);
	/* Where dead reckoning, which stands at the last step, was or will be at the stamp. */
	double since_step_s = (double)(hdr->t_ns - m->t_ns) * 1e-9;
	struct cairn_pose2 pose = cairn_pose_advance(m->pose, twist, since_step_s);
	cairn_monitor_scan(&m->monitor, scan, hdr->t_ns, twist, pose);
	struct cairn_reckoning at = {.pose = pose,
	    .steering_rad = m->steering_rad + m->spin.turned_rad +
			    (m->steered_1pm * twist.v_mps + m->spin.turning_radps) * since_step_s,
	    .turned_in_place_rad = m->spin.turned_rad,
	    .standing = fabs(twist.v_mps) < STANDS_MPS && fabs(twist.w_radps) < STANDS_RADPS};
	fault = cairn_scan_motion_fault(&m->scan_motion, &m->monitor.scanned, &at, now_ns);
	if (fault != NULL)
		return refuse_scan(m, fault);
	m->scan_refusal = NULL;
	follow(m, &m->scan_stream, hdr);
	return true;
}

bool cairn_motor_pose(struct cairn_motor *m, const struct cairn_header *hdr, int64_t now_ns)
{
	if (header_fault(&m->pose_stream, hdr, m->params.pose_timeout_s, now_ns) != NULL)
		return false;
	follow(m, &m->pose_stream, hdr);
	return true;
}

bool cairn_motor_depth(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_depth_scan *scan, int64_t now_ns)
{
	if (m->params.depth_off)
		return true;
	const char *fault = header_fault(&m->depth_stream, hdr, m->params.depth_timeout_s, now_ns);
	if (fault == NULL)
		(void)cairn_depth_scan_ok(scan, &fault);
	if (fault != NULL)
		return refuse(m, fault);
	m->depth_stream = (struct cairn_motor_stream){true, hdr->epoch, hdr->seq, hdr->t_ns};
	double since_step_s = (double)(hdr->t_ns - m->t_ns) * 1e-9;
	cairn_monitor_depth(
	    &m->monitor, scan, cairn_pose_advance(m->pose, motion_now(m, now_ns), since_step_s));
	cairn_monitor_move(&m->monitor, m->pose);
	return true;
}

bool cairn_motor_guard(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_guard *guard, int64_t now_ns)
{
	const char *fault = header_fault(&m->guard_stream, hdr, GUARD_AGE_MAX_S, now_ns);
	if (fault == NULL && !isfinite(guard->floor_m) && !isinf(guard->floor_m))
		fault = "cliff sensor says not a number";
	if (fault != NULL)
		return refuse(m, fault);
	m->guard_stream = (struct cairn_motor_stream){true, hdr->epoch, hdr->seq, hdr->t_ns};
	cairn_motor_feel(m, guard, now_ns);
	return true;
}

bool cairn_motor_estop(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_estop *estop, int64_t now_ns)
{
	if (!hdr->valid || !cairn_topic_fresh(CAIRN_TOPIC_ESTOP, hdr->t_ns, now_ns))
		return refuse(m, "emergency stop message stale, from the future or marked invalid");
	if (!estop->stop) {
		if (hdr->t_ns > m->estop_seen_ns)
			m->estop_seen_ns = NEVER_NS;
		return true;
	}
	m->estop_seen_ns = hdr->t_ns;
	if (!m->estop)
		cairn_motor_operator_stop(m, estop->reason);
	return true;
}

void cairn_motor_device(struct cairn_motor *m, bool in_service)
{
	m->device = in_service;
	if (!in_service)
		m->measured_ns = NEVER_NS;
}

void cairn_motor_accelerated(struct cairn_motor *m, const double accel_mps2[3], int64_t now_ns)
{
	bool stands = m->smooth.v_mps == 0.0 && fabs(motion_now(m, now_ns).v_mps) < STANDS_MPS;
	(void)cairn_lean_check_step(&m->lean, m->params.tilt_max_rad, accel_mps2, stands, now_ns);
}

void cairn_motor_charge(struct cairn_motor *m, double percent)
{
	double stop = m->params.battery_stop_percent;
	m->battery_percent = percent;
	if (percent >= 0.0 && percent < stop)
		m->battery_empty = true;
	else if (percent < 0.0 || percent >= fmin(stop + CAIRN_MOTOR_CHARGED_PERCENT, 100.0))
		m->battery_empty = false;
}

void cairn_motor_measured(struct cairn_motor *m, struct cairn_twist twist, int64_t now_ns)
{
	/* Obstacles are carried along by this motion: one wrong report would carry them out of the way. */
	double v_max_mps = MEASURED_SPEED_FACTOR * m->params.monitor.speed_max_mps;
	if (!(fabs(twist.v_mps) <= v_max_mps && fabs(twist.w_radps) <= MEASURED_TURN_MAX_RADPS)) {
		refuse(m, "measured motion that cannot be");
		return;
	}
	m->measured = twist;
	m->measured_ns = now_ns;
}

/* ---- deciding ---- */

static bool fresh(const struct cairn_motor_stream *s, double age_max_s, int64_t now_ns)
{
	return s->some && now_ns - s->t_ns <= (int64_t)(age_max_s * 1e9);
}

/* Conditions that do not depend on the motion. */
static unsigned inputs(struct cairn_motor *m, int64_t now_ns)
{
	unsigned c = 0;
	bool cmd = fresh(&m->cmd_stream, m->params.cmd_timeout_s, now_ns);
	bool scan = fresh(&m->scan_stream, m->params.scan_timeout_s, now_ns);
	bool pose = !m->needs_pose || fresh(&m->pose_stream, m->params.pose_timeout_s, now_ns);
	if (!(cmd && scan && pose))
		m->fresh_since_ns = 0;
	else if (m->fresh_since_ns == 0)
		m->fresh_since_ns = now_ns;
	if (m->rearming && m->fresh_since_ns != 0 && !m->needs_operator &&
	    now_ns - m->fresh_since_ns >= (int64_t)(m->params.rearm_s * 1e9))
		m->rearming = m->needs_pose = false;
	if (!m->device)
		c |= CAIRN_MOTOR_NO_DEVICE;
	if (m->estop)
		c |= CAIRN_MOTOR_ESTOP;
	if (m->wheels.verdict != CAIRN_WHEELS_OBEY || m->spin.wheels.verdict != CAIRN_WHEELS_OBEY)
		c |= CAIRN_MOTOR_WHEELS;
	if (m->scan_motion.votes.fault[0] != '\0' || m->wheels.opposed || m->spin.wheels.opposed)
		c |= CAIRN_MOTOR_CONTRADICTION;
	if (m->lean.leans)
		c |= CAIRN_MOTOR_TILTED;
	if (m->battery_empty)
		c |= CAIRN_MOTOR_BATTERY;
	if (!scan)
		c |= CAIRN_MOTOR_NO_SCAN;
	if (m->params.depth_required && !fresh(&m->depth_stream, m->params.depth_timeout_s, now_ns))
		c |= CAIRN_MOTOR_NO_DEPTH;
	if (m->params.guard_required && !fresh(&m->guard_stream, GUARD_AGE_MAX_S, now_ns))
		c |= CAIRN_MOTOR_NO_GUARD;
	if (!cmd)
		c |= m->cmd_stream.some ? CAIRN_MOTOR_NO_COMMAND : CAIRN_MOTOR_NEVER_COMMAND;
	if (m->rearming)
		c |= CAIRN_MOTOR_REARMING;
	return c;
}

/* What moves by itself bounds the speed more than what the zones found. */
static void hold_for_movers(struct cairn_motor *m, double curvature_1pm, bool forward)
{
	struct cairn_dynamic_obstacles_limit l =
	    cairn_dynamic_obstacles_limit(&m->monitor.movers, m->pose, curvature_1pm, forward, m->t_ns);
	if (l.limit_mps < m->zone.limit_mps)
		m->zone = (struct cairn_monitor_polygon_limit){
		    CAIRN_ZONE_APPROACH, l.limit_mps, l.bearing_rad, l.distance_m, CAIRN_ZONE_NO_POINT};
}

/* The arc that m->verdict is about. */
struct arc_verdict {
	bool some, forward;
	double curvature_1pm;
};

/* The target within what the collision monitor allows on the commanded arc. */
static double monitored_target(
    struct cairn_motor *m, struct cairn_twist driven, struct arc_verdict *ret_known, unsigned *conditions)
{
	double target = m->command.v_mps;
	if (target == 0.0) {
		m->held = false;
		m->zone = cairn_monitor_polygon_free();
		return 0.0;
	}
	double curvature = m->command.w_radps / target, speed = fabs(target);
	m->verdict = cairn_monitor_limit(&m->monitor, curvature, target > 0.0, driven);
	*ret_known = (struct arc_verdict){true, target > 0.0, curvature};
	m->zone = cairn_monitor_polygons_limit(&m->monitor.zones, &m->monitor.points, m->monitor.solid_count,
	    curvature, target > 0.0, speed, m->t_ns);
	hold_for_movers(m, curvature, target > 0.0);
	enum cairn_monitor_polygon_verdict barred = cairn_motor_barred(m, target > 0.0);
	if (barred != CAIRN_ZONE_FREE)
		m->zone = cairn_motor_bar(barred, target > 0.0);
	double limit = fmin(m->verdict.limit_mps, m->zone.limit_mps);
	if (m->verdict.hit)
		limit = fmin(limit, cairn_monitor_ttc_speed(&m->params.monitor, m->verdict.free_m, speed));
	m->held = limit < speed && limit < (m->held ? UNHOLD_MPS : HOLD_MPS);
	if (m->held)
		*conditions |= CAIRN_MOTOR_BLOCKED;
	else if (limit < speed)
		*conditions |= CAIRN_MOTOR_SLOWED;
	return m->held ? 0.0 : copysign(fmin(speed, limit), target);
}

/* Whatever the robot was asked, the way it moves must be free: the limit on the arc it will drive now. */
static void cap(struct cairn_motor *m, const struct arc_verdict *known, struct cairn_twist driven)
{
	double v = m->smooth.v_mps;
	if (v == 0.0)
		return;
	bool same = known->some && known->curvature_1pm == m->curvature_1pm && known->forward == (v > 0.0);
	struct cairn_monitor_verdict now =
	    same ? m->verdict : cairn_monitor_limit(&m->monitor, m->curvature_1pm, v > 0.0, driven);
	/* What comes near by itself, or is nearer than it may be, is no matter of the smoother. */
	bool at_once = m->zone.verdict >= CAIRN_ZONE_STOP && v * m->command.v_mps >= 0.0;
	double limit = fmin(now.limit_mps, at_once ? m->zone.limit_mps : INFINITY);
	if ((m->held && v * m->command.v_mps > 0.0) || cairn_motor_barred(m, v > 0.0) != CAIRN_ZONE_FREE)
		limit = 0.0;
	limit = fmin(limit,
	    cairn_dynamic_obstacles_limit(&m->monitor.movers, m->pose, m->curvature_1pm, v > 0.0, m->t_ns)
		.limit_mps);
	if (fabs(v) > limit)
		cairn_velocity_smoother_force(&m->smooth, copysign(limit, v));
}

struct cairn_twist cairn_motor_step(struct cairn_motor *m, int64_t now_ns)
{
	double since_s = now_ns > m->t_ns ? (double)(now_ns - m->t_ns) * 1e-9 : 0.0;
	struct cairn_twist driven = motion_now(m, now_ns);
	m->pose = cairn_pose_advance(m->pose, driven, since_s);
	m->steered_1pm += (m->curvature_1pm - m->steered_1pm) * fmin(since_s / STEER_LAG_S, 1.0);
	m->steering_rad += m->steered_1pm * driven.v_mps * since_s;
	if (now_ns > m->t_ns)
		m->t_ns = now_ns;
	cairn_monitor_move(&m->monitor, m->pose);
	double dt_s = fmin(since_s, STEP_MAX_S);
	bool measured = m->measured_ns != NEVER_NS && now_ns - m->measured_ns <= MEASURED_MAX_NS;
	cairn_wheel_check_step(
	    &m->wheels, &m->params.wheels, m->smooth.v_mps, measured, m->measured.v_mps, dt_s);
	cairn_motor_spin_watch(m, measured, since_s, dt_s);
	unsigned c = inputs(m, now_ns);
	struct arc_verdict known = {0};
	m->verdict = (struct cairn_monitor_verdict){0};
	if (row_of(c)->stop != GO)
		m->zone = cairn_monitor_polygon_free();
	switch (row_of(c)->stop) {
	case AT_ONCE:
		cairn_velocity_smoother_force(&m->smooth, 0.0);
		cairn_motor_spin_stop(m);
		break;
	case BRAKE:
		cairn_velocity_smoother_brake(&m->smooth, &m->params.smooth, dt_s);
		cap(m, &known, driven);
		cairn_motor_spin_brake(m, driven, dt_s);
		break;
	case GO: {
		double target = monitored_target(m, driven, &known, &c);
		if (m->spin.tip.v_mps != 0.0)
			target = 0.0; /* it stands before it drives */
		cairn_velocity_smoother_step(&m->smooth, &m->params.smooth, target, dt_s);
		/* The arc of the command, unless the robot still brakes from the other direction. */
		if (m->command.v_mps != 0.0 && m->smooth.v_mps * m->command.v_mps >= 0.0)
			m->curvature_1pm = m->command.w_radps / m->command.v_mps;
		cap(m, &known, driven);
		cairn_motor_spin_step(m, driven, dt_s, &c);
		if (m->command.v_mps == 0.0 && m->command.w_radps == 0.0 && m->smooth.v_mps == 0.0 &&
		    m->spin.tip.v_mps == 0.0)
			c |= CAIRN_MOTOR_STANDING;
		break;
	}
	}
	m->conditions = c;
	return cairn_motor_sent(m);
}
