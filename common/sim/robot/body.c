#include "common/sim/robot/body.h"

#include "common/base/polygon.h"
#include "common/config/speeds.h"

#define STEER_RATE_RADPS 4.0
#define SPEED_LAG_S 0.06
#define MOTOR_ACCEL_MPS2 4.0
#define GYRO_NOISE_RADPS 0.004
#define SLIP_LENGTH_M 0.7  /* the slip varies over about this travel */
#define FREE_AGAIN_M 0.015 /* a touch has ended when the body is farther away than this */

void cairn_body_params_init(struct cairn_body_params *p, const struct cairn_config *cfg)
{
	double side_m = cfg->robot.footprint_half_width_m;
	double front_m = cairn_is_differential(cfg) ? 0.0 : cfg->robot.wheelbase_m;
	*p = (struct cairn_body_params){.differential = cairn_is_differential(cfg),
	    .wheel_separation_m = cfg->robot.wheel_separation_m,
	    .wheelbase_m = cfg->robot.wheelbase_m,
	    .steer_max_rad = atan(cfg->robot.wheelbase_m / cfg->robot.turn_radius_min_m),
	    .steer_rate_radps = STEER_RATE_RADPS,
	    .speed_max_mps = 1.8,
	    .speed_lag_s = SPEED_LAG_S,
	    .accel_max_mps2 = MOTOR_ACCEL_MPS2,
	    .slip = cfg->sim.noise ? cfg->sim.slip : 0.0,
	    .yaw_drift_rad_per_m = cfg->sim.noise ? cairn_deg_to_rad(cfg->sim.yaw_drift_deg_per_m) : 0.0,
	    .gyro_noise_radps = cfg->sim.noise ? GYRO_NOISE_RADPS : 0.0,
	    .height_m = cfg->robot.height_m,
	    .footprint = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .wheels = {{0.0, side_m}, {0.0, -side_m}, {front_m, side_m}, {front_m, -side_m}}};
}

void cairn_body_init(struct cairn_body *b, struct cairn_pose2 start, struct cairn_rng *rng)
{
	*b = (struct cairn_body){.pose = start, .touched = -1};
	b->drift_sign = cairn_rng_uniform(rng) < 0.5 ? -1.0 : 1.0;
}

int32_t cairn_body_over_drop(
    const struct cairn_body_params *p, const struct cairn_world *world, struct cairn_pose2 pose)
{
	int32_t thing = -1;
	for (int i = 0; thing == -1 && i < 4; i++)
		thing = cairn_world_drop_at(world, cairn_pose_apply(pose, p->wheels[i]));
	return thing;
}

/* What a footprint at pose overlaps: a thing, a drop below a wheel, -2 - i for person i, or -1. */
static int32_t touches(const struct cairn_body_params *p, const struct cairn_world *world,
    const struct cairn_disc *people, size_t people_count, struct cairn_pose2 pose)
{
	int32_t thing = cairn_world_touch(world, pose, &p->footprint, p->height_m);
	if (thing == -1)
		thing = cairn_body_over_drop(p, world, pose);
	for (size_t i = 0; thing == -1 && i < people_count; i++)
		if (cairn_disc_clearance(&people[i], pose, &p->footprint) <= 0.0)
			thing = -2 - (int32_t)i;
	return thing;
}

static double drop_clearance(
    const struct cairn_body_params *p, const struct cairn_world *world, struct cairn_pose2 pose, double max_m)
{
	double d = max_m;
	for (uint32_t i = 0; i < world->drop_count; i++)
		for (int k = 0; k < 4; k++) {
			struct cairn_vec2 wheel = cairn_pose_apply(pose, p->wheels[k]);
			d = fmin(
			    d, cairn_polygon_distance_m(world->drops[i].corners, 4, wheel.x_m, wheel.y_m));
		}
	return fmax(d, 0.0);
}

double cairn_body_clearance(const struct cairn_body *b, const struct cairn_body_params *p,
    const struct cairn_world *world, const struct cairn_disc *people, size_t people_count, double max_m)
{
	double d = cairn_world_clearance(world, b->pose, &p->footprint, p->height_m, max_m);
	d = fmin(d, drop_clearance(p, world, b->pose, max_m));
	for (size_t i = 0; i < people_count; i++)
		d = fmin(d, cairn_disc_clearance(&people[i], b->pose, &p->footprint));
	return d;
}

static double approach(double from, double to, double step)
{
	return from + cairn_clamp(to - from, -step, step);
}

/* A wheel is half the separation from the origin. */
static void follow_turn(struct cairn_body *b, const struct cairn_body_params *p, double w_cmd, double dt_s)
{
	double half_m = 0.5 * p->wheel_separation_m, most = p->speed_max_mps / half_m;
	double goal = cairn_clamp(w_cmd, -most, most);
	double lagged = goal + (b->wheel_radps - goal) * exp(-dt_s / p->speed_lag_s);
	b->wheel_radps = approach(b->wheel_radps, lagged, p->accel_max_mps2 / half_m * dt_s);
	if (fabs(b->wheel_radps) < 1e-3 && goal == 0.0)
		b->wheel_radps = 0.0;
}

static void follow_commands(
    struct cairn_body *b, const struct cairn_body_params *p, struct cairn_drive command, double dt_s)
{
	double v_goal = cairn_clamp(command.v_mps, -p->speed_max_mps, p->speed_max_mps);
	double s_goal = cairn_clamp(command.steer_rad, -p->steer_max_rad, p->steer_max_rad);
	double lagged = v_goal + (b->wheel_mps - v_goal) * exp(-dt_s / p->speed_lag_s);
	double before = b->wheel_mps;
	b->wheel_mps = approach(b->wheel_mps, lagged, p->accel_max_mps2 * dt_s);
	if (fabs(b->wheel_mps) < 1e-4 && v_goal == 0.0)
		b->wheel_mps = 0.0;
	b->accel_mps2 = (b->wheel_mps - before) / dt_s;
	if (p->differential)
		follow_turn(b, p, command.w_radps, dt_s);
	else
		b->steer_rad = approach(b->steer_rad, s_goal, p->steer_rate_radps * dt_s);
}

/* By the wheels, when they roll at v. */
static double turn_of(const struct cairn_body *b, const struct cairn_body_params *p, double v)
{
	return p->differential ? b->wheel_radps : v * tan(b->steer_rad) / p->wheelbase_m;
}

static double slip_now(
    struct cairn_body *b, const struct cairn_body_params *p, double dt_s, struct cairn_rng *rng)
{
	if (p->slip <= 0.0)
		return 0.0;
	double k = fmin(1.0, fabs(b->wheel_mps) * dt_s / SLIP_LENGTH_M);
	b->slip_walk += -k * b->slip_walk + sqrt(2.0 * k) * 0.4 * cairn_rng_normal(rng);
	return p->slip * cairn_clamp(1.0 + b->slip_walk, 0.0, 2.5);
}

void cairn_body_step(struct cairn_body *b, const struct cairn_body_params *p, const struct cairn_world *world,
    const struct cairn_disc *people, size_t people_count, struct cairn_drive command, double dt_s,
    struct cairn_rng *rng)
{
	follow_commands(b, p, command, dt_s);
	double grip = 1.0 - slip_now(b, p, dt_s, rng), v = b->wheel_mps * grip;
	double w = turn_of(b, p, v) * (p->differential ? grip : 1.0);
	if (v != 0.0 || w != 0.0) {
		struct cairn_pose2 next = cairn_pose_advance(b->pose, (struct cairn_twist){v, w}, dt_s);
		int32_t thing = touches(p, world, people, people_count, next);
		if (thing == -1 || touches(p, world, people, people_count, b->pose) != -1) {
			b->pose = next; /* free; or already in something, and then any way out is open */
		} else {
			v = w = b->wheel_mps = b->wheel_radps = 0.0;
			if (!b->touching)
				b->contacts++;
			b->touching = true;
			b->touched = thing;
		}
	}
	if (b->touching && (v != 0.0 || w != 0.0) &&
	    cairn_body_clearance(b, p, world, people, people_count, 2.0 * FREE_AGAIN_M) > FREE_AGAIN_M)
		b->touching = false;
	b->v_mps = v;
	b->w_radps = w;
	b->distance_m += fabs(v) * dt_s;
	double wheel_w = turn_of(b, p, b->wheel_mps);
	b->wheel_left_m += (b->wheel_mps - 0.5 * p->wheel_separation_m * wheel_w) * dt_s;
	b->wheel_right_m += (b->wheel_mps + 0.5 * p->wheel_separation_m * wheel_w) * dt_s;
	b->gyro_radps = w + b->drift_sign * p->yaw_drift_rad_per_m * fabs(v);
	if (p->gyro_noise_radps > 0.0)
		b->gyro_radps += p->gyro_noise_radps * cairn_rng_normal(rng);
	b->gyro_yaw_rad = cairn_wrap_rad(b->gyro_yaw_rad + b->gyro_radps * dt_s);
}
