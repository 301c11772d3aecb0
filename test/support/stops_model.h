/* stops_model.h - the motor core and beside it what a person with a note pad would know, for the model check
 * of its stops: the events, and the rules of test_stops_model.c that are looked at after each. */
#ifndef CAIRN_TEST_SUPPORT_STOPS_MODEL_H
#define CAIRN_TEST_SUPPORT_STOPS_MODEL_H

#include <math.h>
#include <stddef.h>

#include "common/safety/motor_gate.h"
#include "test/support/runner.h"

#define TICK_NS (500 * CAIRN_NS_PER_MS)
#define LIMIT_TICKS 1 /* of commands and scans */
#define REARM_TICKS 2
#define DEMAND_TICKS 2 /* an emergency stop message counts for a second */
#define DROP_TICKS 2
#define RAYS 72
#define SPEED_MPS 0.2

/* Events that the checks name; the rest stand in the table only. */
enum event { TICK, ESTOP_ON, OPERATOR_STOP, OPERATOR_RELEASE, BUMPER, MAPPER_REBORN, DROP, EVENTS = 22 };
enum sight { NOTHING, FREE, NEAR, BLOCKED, SIGHTS };

/* What a person would note. Ages in ticks, saturating; -1 = never. */
struct ghost {
	bool latched, device, armed, needs_operator;
	int cmd_age, scan_age, demand_age, drop_age, press_age;
	int fresh; /* ticks that both have been fresh; -1 = they are not */
	double wish_mps;
	enum sight sight;
};

static struct cairn_config cfg;
static struct cairn_motor motor;
static struct ghost ghost;
static int64_t now_ns;
static bool feels; /* the robot has a bumper and a cliff sensor, and no mapper */
static bool sided; /* the bumper is known to be in front; then the cliff sensor feels no drop */
static struct cairn_msg_scan sights[SIGHTS];
static struct cairn_points seen[SIGHTS];

/* ---- the core, and the note pad ---- */

static void make_sights(void)
{
	static const double ahead_m[SIGHTS] = {[FREE] = 3.0, [NEAR] = 0.30, [BLOCKED] = 0.04};
	for (int k = FREE; k < SIGHTS; k++) {
		struct cairn_msg_scan *s = &sights[k];
		*s = (struct cairn_msg_scan){.range_min_m = 0.05f, .range_max_m = 12.0f};
		s->angle_rad_count = s->range_m_count = RAYS;
		for (int i = 0; i < RAYS; i++) {
			double a = cairn_wrap_rad((i + 0.5) * 2.0 * M_PI / RAYS);
			double wall_m = cfg.robot.footprint_front_m + ahead_m[k] - cfg.robot.lidar_x_m;
			double r = fmin(3.0, fabs(a) < 0.7 ? wall_m / cos(a) : 3.0);
			s->angle_rad[i] = (float)a;
			s->range_m[i] = (float)r;
		}
	}
}

static void begin(enum cairn_choice_rearm rearm, enum cairn_choice_depth depth, bool reborn)
{
	feels = !reborn && rearm == CAIRN_CHOICE_REARM_AUTO;
	struct cairn_motor_params params;
	cairn_config_defaults(&cfg);
	cfg.safety.cmd_timeout_s = cfg.safety.scan_timeout_s = 0.5 * LIMIT_TICKS;
	cfg.safety.rearm_s = 0.5 * REARM_TICKS;
	cfg.safety.emergency_clear_s = 0.6;
	cfg.safety.rearm = rearm;
	cfg.safety.depth = depth;
	cairn_motor_params_from(&params, &cfg);
	params.bumper_sided = sided;
	params.smooth = (struct cairn_velocity_smoother_params){1e3, 1e3, 1e6};
	params.wheels.limit_s = 0.0; /* the robot is held against its commands: see test wheel-check */
	make_sights();
	now_ns = 1000 * CAIRN_NS_PER_S;
	cairn_motor_init(&motor, &params, reborn, now_ns);
	struct cairn_header pose = {.seq = 1, .epoch = 1, .t_ns = now_ns, .valid = true};
	ck_assert(cairn_motor_pose(&motor, &pose, now_ns));
	ghost = (struct ghost){.cmd_age = -1,
	    .scan_age = -1,
	    .demand_age = -1,
	    .drop_age = -1,
	    .press_age = -1,
	    .fresh = -1,
	    .needs_operator = reborn && params.rearm_operator};
}

static int older(int age, int limit)
{
	return age < 0 || age > limit ? age : age + 1;
}

static bool within(int age)
{
	return age >= 0 && age <= LIMIT_TICKS;
}

static void command(double v_mps, bool reborn)
{
	const struct cairn_motor_stream *s = &motor.cmd_stream;
	struct cairn_header h = {
	    .seq = s->seq + 1, .epoch = s->epoch + (reborn ? 1 : 0), .t_ns = now_ns, .valid = true};
	if (!cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v_mps}, now_ns))
		return;
	if (reborn && ghost.cmd_age >= 0) {
		ghost.armed = false;
		ghost.fresh = -1;
		ghost.needs_operator |= motor.params.rearm_operator;
	}
	ghost.cmd_age = 0;
	ghost.wish_mps = v_mps;
}

static void look(enum sight kind, bool reborn)
{
	const struct cairn_motor_stream *s = &motor.scan_stream;
	struct cairn_header h = {
	    .seq = s->seq + 1, .epoch = s->epoch + (reborn ? 1 : 0), .t_ns = now_ns, .valid = true};
	static uint32_t looks; /* measurements differ, and the core refuses those that do not */
	struct cairn_msg_scan *sight = &sights[kind];
	uint32_t i = looks++ % RAYS;
	float was_m = sight->range_m[i];
	sight->range_m[i] += sight->range_m[i] > 0.0f ? 1e-5f * (float)(1 + looks / RAYS % 50) : 0.0f;
	bool taken = cairn_motor_scan(&motor, &h, sight, now_ns);
	sight->range_m[i] = was_m;
	if (!taken)
		return;
	if (reborn && ghost.scan_age >= 0) {
		ghost.armed = false;
		ghost.fresh = -1;
		ghost.needs_operator |= motor.params.rearm_operator;
	}
	ghost.scan_age = 0;
	ghost.sight = kind;
	seen[kind] = motor.monitor.scanned;
}

static void mapper_reborn(void)
{
	struct cairn_header h = {
	    .seq = 1, .epoch = motor.pose_stream.epoch + 1, .t_ns = now_ns, .valid = true};
	if (!cairn_motor_pose(&motor, &h, now_ns))
		return;
	ghost.armed = false;
	ghost.fresh = -1;
	ghost.needs_operator |= motor.params.rearm_operator;
}

static void demand(bool stop, int64_t t_ns)
{
	struct cairn_header h = {.seq = 1, .epoch = 1, .t_ns = t_ns, .valid = true};
	struct cairn_msg_estop m = {.stop = stop, .reason = "smoke"};
	if (!cairn_motor_estop(&motor, &h, &m, now_ns))
		return;
	if (stop) {
		ghost.latched = true;
		ghost.demand_age = 0;
	} else if (ghost.demand_age != 0) { /* of the same instant the stop wins */
		ghost.demand_age = -1;
	}
}

static void feel(bool bumper, double floor_m)
{
	struct cairn_header h = {
	    .seq = motor.guard_stream.seq + 1, .epoch = 1, .t_ns = now_ns, .valid = true};
	struct cairn_msg_guard m = {.bumper = bumper, .floor_m = floor_m};
	if (!cairn_motor_guard(&motor, &h, &m, now_ns))
		return;
	ghost.latched |= bumper && !sided;
	if (bumper && sided)
		ghost.press_age = 0;
	else if (ghost.press_age >= DROP_TICKS)
		ghost.press_age = -1;
	if (floor_m > cfg.safety.cliff_m)
		ghost.drop_age = 0;
	else if (ghost.drop_age >= DROP_TICKS)
		ghost.drop_age = -1;
}

static void release(void)
{
	struct cairn_error err = {""};
	bool demanded = ghost.demand_age >= 0 && ghost.demand_age <= DEMAND_TICKS;
	bool released = cairn_motor_operator_release(&motor, now_ns, &err);
	ck_assert_int_eq(released, !demanded); /* rule 2 */
	if (!released)
		return;
	ghost.latched = ghost.armed = ghost.needs_operator = false;
	ghost.demand_age = ghost.fresh = -1;
}

static void board(bool in_service)
{
	cairn_motor_device(&motor, in_service);
	cairn_motor_measured(&motor, (struct cairn_twist){0}, now_ns);
	ghost.device = in_service;
}

static void tick(void)
{
	now_ns += TICK_NS;
	cairn_motor_measured(&motor, (struct cairn_twist){0}, now_ns);
	ghost.cmd_age = older(ghost.cmd_age, LIMIT_TICKS);
	ghost.scan_age = older(ghost.scan_age, LIMIT_TICKS);
	ghost.demand_age = older(ghost.demand_age, DEMAND_TICKS);
	ghost.drop_age += ghost.drop_age >= 0 && ghost.drop_age < DROP_TICKS;
	ghost.press_age += ghost.press_age >= 0 && ghost.press_age < DROP_TICKS;
	if (within(ghost.cmd_age) && within(ghost.scan_age) && ghost.fresh >= 0 && ghost.fresh < REARM_TICKS)
		ghost.fresh++;
}

static void operator_stop(void)
{
	cairn_motor_operator_stop(&motor, "operator");
	ghost.latched = true;
}

struct happening {
	const char *name;
	enum { PLAIN, COMMAND, LOOK, DEMAND, FEEL, BOARD } what;
	void (*plain)(void);
	double v_mps; /* or how far down the floor is */
	enum sight sight;
	bool flag; /* reborn, or demanded, or touched, or in service */
	int64_t before_ns;
};

static const struct happening happenings[EVENTS] = {
    [TICK] = {"tick", PLAIN, .plain = tick},
    [ESTOP_ON] = {"stop demanded", DEMAND, .flag = true},
    [OPERATOR_STOP] = {"operator stops", PLAIN, .plain = operator_stop},
    [OPERATOR_RELEASE] = {"operator releases", PLAIN, .plain = release},
    [BUMPER] = {"bumper", FEEL, .v_mps = 0.03, .flag = true},
    [MAPPER_REBORN] = {"reborn mapper", PLAIN, .plain = mapper_reborn},
    [DROP] = {"drop", FEEL, .v_mps = INFINITY},
    {"floor", FEEL, .v_mps = 0.03},
    {"drive", COMMAND, .v_mps = SPEED_MPS},
    {"drive back", COMMAND, .v_mps = -SPEED_MPS},
    {"stand", COMMAND},
    {"reborn sequencer", COMMAND, .v_mps = SPEED_MPS, .flag = true},
    {"command that is no number", COMMAND, .v_mps = NAN},
    {"free scan", LOOK, .sight = FREE},
    {"near scan", LOOK, .sight = NEAR},
    {"blocked scan", LOOK, .sight = BLOCKED},
    {"reborn LiDAR", LOOK, .sight = FREE, .flag = true},
    {"blind scan", LOOK, .sight = NOTHING},
    {"stop not demanded", DEMAND},
    {"old stop", DEMAND, .flag = true, .before_ns = 4 * TICK_NS},
    {"board comes", BOARD, .flag = true},
    {"board goes", BOARD},
};

static void happen(const struct happening *h)
{
	switch (h->what) {
	case PLAIN:
		h->plain();
		break;
	case COMMAND:
		command(h->v_mps, h->flag);
		break;
	case LOOK:
		look(h->sight, h->flag);
		break;
	case DEMAND:
		demand(h->flag, now_ns - h->before_ns);
		break;
	case FEEL:
		feel(h->flag, h->v_mps);
		break;
	case BOARD:
		board(h->flag);
		break;
	}
}

/* The ghost's own count of freshness, after an event. */
static void note(void)
{
	if (!(within(ghost.cmd_age) && within(ghost.scan_age)))
		ghost.fresh = -1;
	else if (ghost.fresh < 0)
		ghost.fresh = 0;
	if (ghost.fresh >= REARM_TICKS && !ghost.needs_operator)
		ghost.armed = true;
}

/* NULL when the rules hold. */
static const char *broken_rule(enum event e, double before_mps, struct cairn_twist out)
{
	double v = out.v_mps;
	if (v > 0.0 && ghost.press_age == 0)
		return "9: a pressed bumper does not stop it at once";
	enum cairn_motor_state state = cairn_motor_state(&motor);
	bool still = v == 0.0 && out.w_radps == 0.0;
	if (ghost.latched &&
	    !(still && (state == CAIRN_MOTOR_STATE_ESTOP || state == CAIRN_MOTOR_STATE_NO_DEVICE)))
		return "1: latched, and not standing in estop";
	if (!ghost.device && !(still && state == CAIRN_MOTOR_STATE_NO_DEVICE))
		return "3: no board, and not standing in no_device";
	if (e != TICK)
		return fabs(v) > fabs(before_mps) ? "7: an event made it faster" : NULL;
	if (v == 0.0)
		return NULL;
	if (!within(ghost.cmd_age) || !within(ghost.scan_age))
		return "4: moves on old inputs";
	if (!ghost.armed || ghost.needs_operator)
		return "5: moves before it is rearmed";
	if (v > 0.0 && ghost.sight == BLOCKED)
		return "6: drives towards what is right ahead";
	if (v > 0.0 && ghost.drop_age >= 0)
		return "8: drives over the edge";
	if (v > 0.0 && ghost.press_age >= 0)
		return "9: drives on at what the bumper has felt";
	return v * ghost.wish_mps > 0.0 ? NULL : "4: moves though it was not told to";
}

#endif
