#include "common/sim/robot/sim.h"

#include <stdlib.h>
#include <string.h>

#include "common/sim/robot/sim_private.h"

#define BATTERY_LEAST_V 5.0
#define CLEARANCE_SHOWN_M 2.0

static bool find_start(const struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_body_params *p, struct cairn_pose2 *ret_start, struct cairn_error *err)
{
	bool given = cfg->sim.start == CAIRN_CHOICE_START_GIVEN;
	double radius = hypot(fmax(p->footprint.front_m, p->footprint.rear_m), p->footprint.half_width_m);
	if (given) {
		*ret_start = (struct cairn_pose2){cfg->sim.start_x_m, cfg->sim.start_y_m,
		    cairn_wrap_rad(cairn_deg_to_rad(cfg->sim.start_yaw_deg))};
	} else if (world->has_start && cfg->sim.start != CAIRN_CHOICE_START_AUTO) {
		*ret_start = world->start;
	} else if (!cairn_world_choose_start(world, radius, p->height_m, ret_start)) {
		cairn_error_set(
		    err, "sim.start: no place in the world '%s' has room for the robot", world->name);
		return false;
	}
	if (ret_start->x_m < world->x_min_m || ret_start->x_m > world->x_max_m ||
	    ret_start->y_m < world->y_min_m || ret_start->y_m > world->y_max_m) {
		cairn_error_set(err,
		    "sim.start: (%.2f, %.2f) is outside the world '%s', which spans %.2f .. %.2f and %.2f .. "
		    "%.2f",
		    ret_start->x_m, ret_start->y_m, world->name, world->x_min_m, world->x_max_m,
		    world->y_min_m, world->y_max_m);
		return false;
	}
	int32_t thing = cairn_world_touch(world, *ret_start, &p->footprint, p->height_m);
	const double heights_m[] = {CAIRN_WORLD_STEP_M + 1e-3, 0.5 * p->height_m, p->height_m - 1e-3};
	for (size_t i = 0; thing < 0 && i < sizeof(heights_m) / sizeof(heights_m[0]); i++)
		thing = cairn_world_inside(world, ret_start->x_m, ret_start->y_m, heights_m[i]);
	if (thing < 0)
		thing = cairn_body_over_drop(p, world, *ret_start);
	if (thing >= 0) {
		cairn_error_set(err, "sim.start: at (%.2f, %.2f) the robot would stand in the %s '%s'",
		    ret_start->x_m, ret_start->y_m, world->things[thing].kind, world->things[thing].name);
		return false;
	}
	return true;
}

struct cairn_sim *cairn_sim_new(
    const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_error *err)
{
	struct cairn_pose2 start;
	struct cairn_sim *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->cfg = cfg;
	s->world = world;
	cairn_body_params_init(&s->params, cfg);
	if (!find_start(cfg, world, &s->params, &start, err)) {
		free(s);
		return NULL;
	}
	s->truth = cairn_truth_new(world, &s->params.footprint, s->params.height_m, start);
	s->lidar = cairn_slice_new(world, cfg->robot.lidar_z_m, true);
	if (s->truth == NULL || s->lidar == NULL || !cairn_sim_slice_depths(s)) {
		cairn_error_set(err, "out of memory");
		cairn_sim_destroy(&s);
		return NULL;
	}
	s->mounting = cairn_mounting_from(cfg);
	for (int i = 0; i < CAIRN_LIDAR_POINTS; i++) {
		double step_rad = i * (2.0 * M_PI / CAIRN_LIDAR_POINTS);
		double believed =
		    cfg->robot.lidar_yaw_rad + (cfg->robot.lidar_mirrored ? step_rad : -step_rad);
		double a = s->mounting.lidar_yaw_rad + (s->mounting.lidar_mirrored ? step_rad : -step_rad);
		s->angle_rad[i] = (float)cairn_wrap_rad(believed);
		s->direction[i] = (struct cairn_vec2){cos(a), sin(a)};
	}
	cairn_sim_aim_columns(s);
	cairn_rng_seed(&s->state.rng, (uint64_t)cfg->sim.seed, 1);
	s->state.start = start;
	cairn_props_start(world, (uint64_t)cfg->sim.seed, &s->state.props);
	s->state.battery_v = cfg->sim.battery_v;
	cairn_body_init(&s->state.body, start, &s->state.rng);
	int32_t person = cairn_sim_place_people(s);
	if (person >= 0) {
		cairn_error_set(err,
		    "sim.start: at (%.2f, %.2f) the robot would stand in the way of '%s', all of it",
		    start.x_m, start.y_m, world->people[person].name);
		cairn_sim_destroy(&s);
	}
	return s;
}

void cairn_sim_destroy(struct cairn_sim **sim_p)
{
	struct cairn_sim *s = *sim_p;
	*sim_p = NULL;
	if (s == NULL)
		return;
	cairn_truth_destroy(&s->truth);
	cairn_slice_destroy(&s->lidar);
	for (int i = 0; i < CAIRN_DEPTH_HEIGHTS; i++)
		cairn_slice_destroy(&s->depths[i].slice);
	free(s);
}

const struct cairn_mounting *cairn_sim_mounting(const struct cairn_sim *sim)
{
	return &sim->mounting;
}

const struct cairn_sim_state *cairn_sim_state(const struct cairn_sim *sim)
{
	return &sim->state;
}

void cairn_sim_restore(struct cairn_sim *sim, const struct cairn_sim_state *state)
{
	sim->state = *state;
	sim->state.body.wheel_mps = sim->state.body.wheel_radps = sim->state.body.v_mps =
	    sim->state.body.w_radps = 0.0;
	sim->turn_step = 0;
}

struct cairn_truth *cairn_sim_truth(struct cairn_sim *sim)
{
	return sim->truth;
}

void cairn_sim_sweeps(struct cairn_sim *sim, bool on)
{
	sim->no_sweep = !on;
}

double cairn_sim_clearance(const struct cairn_sim *sim, double max_m)
{
	struct cairn_disc people[CAIRN_SIM_DISCS];
	size_t n = cairn_sim_discs(sim, people);
	return cairn_body_clearance(&sim->state.body, &sim->params, sim->world, people, n, max_m);
}

size_t cairn_sim_people(const struct cairn_sim *sim, struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX])
{
	for (uint32_t i = 0; i < sim->world->people_count; i++) {
		const struct cairn_person *p = &sim->world->people[i];
		discs[i] = (struct cairn_disc){
		    sim->state.walkers[i].x_m, sim->state.walkers[i].y_m, p->radius_m, 0.0, p->height_m};
	}
	return sim->world->people_count;
}

struct cairn_props *cairn_sim_props(struct cairn_sim *sim)
{
	return &sim->state.props;
}

size_t cairn_sim_discs(const struct cairn_sim *sim, struct cairn_disc discs[CAIRN_SIM_DISCS])
{
	size_t n = cairn_sim_people(sim, discs);
	return n + cairn_props_discs(sim->world, &sim->state.props, sim->params.height_m, discs + n);
}

/* ---- LiDAR ---- */

/* What chance does to a beam: drawn for every one, so that one world's noise does not depend on what stands in it. */
struct luck {
	bool dropped;
	double error_m;
};

static void try_luck(struct cairn_sim *s, struct luck ret[CAIRN_LIDAR_STEP_POINTS])
{
	const struct cairn_config_sim *k = &s->cfg->sim;
	for (int i = 0; i < CAIRN_LIDAR_STEP_POINTS; i++)
		ret[i] = k->noise ? (struct luck){cairn_rng_uniform(&s->state.rng) < k->lidar_dropout,
					k->lidar_noise_m * cairn_rng_normal(&s->state.rng)}
				  : (struct luck){false, 0.0};
}

/* Without noise a standing robot would see the same revolution again and again, and a LiDAR that does is taken for
 * broken. So one return in 16 is a quantum of the device's protocol farther, another one with each revolution. */
static double quantum_m(const struct cairn_sim *s, uint16_t index)
{
	uint64_t revolution = s->state.steps / CAIRN_LIDAR_TURN_STEPS;
	return !s->cfg->sim.noise && index % 16 == revolution % 16 ? CAIRN_LIDAR_QUANTUM_M : 0.0;
}

static float measure(struct cairn_sim *s, const struct cairn_beam *beam, const struct luck *luck,
    const struct cairn_disc *people, size_t people_count)
{
	struct cairn_vec2 from = beam->from;
	double range = beam->range_m, dx = beam->dx, dy = beam->dy;
	for (size_t i = 0; i < people_count; i++)
		range =
		    cairn_disc_cast(&people[i], from.x_m, from.y_m, dx, dy, s->cfg->robot.lidar_z_m, range);
	if (!s->no_sweep)
		cairn_truth_sweep(s->truth, from.x_m, from.y_m, dx, dy, range);
	bool none = range >= CAIRN_LIDAR_MAX_M || range < CAIRN_LIDAR_MIN_M || luck->dropped;
	return none ? 0.0f : (float)cairn_larger(range + luck->error_m, CAIRN_LIDAR_MIN_M);
}

static bool same(struct cairn_pose2 a, struct cairn_pose2 b)
{
	return a.x_m == b.x_m && a.y_m == b.y_m && a.yaw_rad == b.yaw_rad;
}

/* Beams of one step, each from where the robot was at its own time. */
static const struct cairn_beams *cast_beams(struct cairn_sim *s, struct cairn_pose2 before)
{
	enum { N = CAIRN_LIDAR_STEP_POINTS };
	const struct cairn_config_robot *r = &s->cfg->robot;
	struct cairn_pose2 after = s->state.body.pose;
	struct cairn_beams *b = &s->beams[s->turn_step];
	if (b->known && same(b->before, before) && same(b->after, after))
		return b;
	struct cairn_pose2 moved = cairn_pose_between(before, after);
	double before_c = cos(before.yaw_rad), before_s = sin(before.yaw_rad);
	/* The robot's heading at each beam: turned on by the same bit from one to the next. */
	double bit_rad = moved.yaw_rad / N, bit_c = cos(bit_rad), bit_s = sin(bit_rad);
	double c = before_c, sn = before_s;
	double x_m[N], y_m[N], dx[N], dy[N], range_m[N];
	b->known = true;
	b->before = before;
	b->after = after;
	for (int i = 0; i < N; i++) {
		double share = (i + 1.0) / N, x = moved.x_m * share, y = moved.y_m * share;
		double turned_c = c * bit_c - sn * bit_s;
		sn = sn * bit_c + c * bit_s;
		c = turned_c;
		struct cairn_vec2 d = s->direction[(int)s->turn_step * CAIRN_LIDAR_STEP_POINTS + i];
		x_m[i] = before.x_m + before_c * x - before_s * y + c * r->lidar_x_m - sn * r->lidar_y_m;
		y_m[i] = before.y_m + before_s * x + before_c * y + sn * r->lidar_x_m + c * r->lidar_y_m;
		dx[i] = c * d.x_m - sn * d.y_m;
		dy[i] = sn * d.x_m + c * d.y_m;
	}
	cairn_slice_cast(
	    s->lidar, N, (struct cairn_slice_rays){x_m, y_m, dx, dy}, CAIRN_LIDAR_MAX_M, range_m);
	for (int i = 0; i < N; i++)
		b->beams[i] = (struct cairn_beam){{x_m[i], y_m[i]}, dx[i], dy[i], range_m[i]};
	return b;
}

static void turn_lidar(
    struct cairn_sim *s, struct cairn_pose2 before, const struct cairn_disc *people, size_t people_count)
{
	const struct cairn_beams *b = cast_beams(s, before);
	struct luck luck[CAIRN_LIDAR_STEP_POINTS];
	try_luck(s, luck);
	for (int i = 0; i < CAIRN_LIDAR_STEP_POINTS; i++) {
		uint16_t index = (uint16_t)(s->turn_step * CAIRN_LIDAR_STEP_POINTS + (uint32_t)i);
		luck[i].error_m += quantum_m(s, index);
		float range_m = measure(s, &b->beams[i], &luck[i], people, people_count);
		s->points[i] = (struct cairn_lidar_point){index, range_m};
		s->turn_m[index] = range_m;
	}
	s->turn_step = (s->turn_step + 1) % CAIRN_LIDAR_TURN_STEPS;
	s->turn_done = s->turn_step == 0;
}

void cairn_sim_spin(struct cairn_sim *sim, double w_radps)
{
	sim->spin_radps = w_radps;
}

static void spin(struct cairn_sim *sim)
{
	struct cairn_body *b = &sim->state.body;
	double turn_rad = sim->spin_radps * CAIRN_SIM_STEP_S;
	b->pose.yaw_rad = cairn_wrap_rad(b->pose.yaw_rad + turn_rad);
	b->w_radps += sim->spin_radps;
	b->gyro_radps += sim->spin_radps;
	b->gyro_yaw_rad += turn_rad;
}

const struct cairn_lidar_point *cairn_sim_step(struct cairn_sim *sim, struct cairn_drive drive, bool lidar_on)
{
	struct cairn_disc people[CAIRN_SIM_DISCS];
	cairn_sim_walk(sim);
	size_t n = cairn_sim_discs(sim, people);
	struct cairn_pose2 before = sim->state.body.pose;
	const struct cairn_base_axes *axes = &sim->mounting.axes;
	struct cairn_drive wheels = {.v_mps = cairn_base_axes_wheels_mps(axes, drive.v_mps),
	    .steer_rad = cairn_base_axes_steer_rad(axes, drive.steer_rad),
	    .w_radps = cairn_base_axes_wheels_radps(axes, drive.w_radps)};
	cairn_body_step(
	    &sim->state.body, &sim->params, sim->world, people, n, wheels, CAIRN_SIM_STEP_S, &sim->state.rng);
	spin(sim);
	sim->state.steps++;
	sim->state.battery_v = fmax(BATTERY_LEAST_V,
	    sim->state.battery_v - sim->cfg->sim.battery_v_per_h / 3600.0 * CAIRN_SIM_STEP_S);
	sim->turn_done = false;
	if (!lidar_on) {
		sim->turn_step = 0;
		return NULL;
	}
	turn_lidar(sim, before, people, n);
	return sim->points;
}

bool cairn_sim_scan(const struct cairn_sim *sim, struct cairn_msg_scan *scan)
{
	if (!sim->turn_done)
		return false;
	scan->range_min_m = (float)CAIRN_LIDAR_MIN_M;
	scan->range_max_m = (float)CAIRN_LIDAR_MAX_M;
	scan->angle_rad_count = scan->range_m_count = CAIRN_LIDAR_POINTS;
	memcpy(scan->angle_rad, sim->angle_rad, sizeof(sim->angle_rad));
	memcpy(scan->range_m, sim->turn_m, sizeof(sim->turn_m));
	return true;
}

bool cairn_sim_cliff(const struct cairn_sim *sim)
{
	double ahead_m = sim->cfg->sim.cliff_x_m, side_m = sim->params.footprint.half_width_m;
	const double sides_m[] = {0.0, side_m, -side_m};
	bool drop = false;
	for (size_t i = 0; i < sizeof(sides_m) / sizeof(sides_m[0]); i++)
		drop |= cairn_world_drop_at(sim->world, cairn_pose_apply(sim->state.body.pose,
							    (struct cairn_vec2){ahead_m, sides_m[i]})) >= 0;
	return drop;
}

double cairn_sim_steer_for(const struct cairn_config *cfg, double v_mps, double w_radps, double hold_rad)
{
	double max = atan(cfg->robot.wheelbase_m / cfg->robot.turn_radius_min_m);
	if (fabs(v_mps) < 1e-6)
		return hold_rad;
	return cairn_clamp(atan(cfg->robot.wheelbase_m * w_radps / v_mps), -max, max);
}

void cairn_sim_truth_message(const struct cairn_sim *sim, struct cairn_msg_sim_truth *out)
{
	const struct cairn_sim_state *s = &sim->state;
	*out = (struct cairn_msg_sim_truth){.x_m = s->body.pose.x_m,
	    .y_m = s->body.pose.y_m,
	    .yaw_rad = s->body.pose.yaw_rad,
	    .start_x_m = s->start.x_m,
	    .start_y_m = s->start.y_m,
	    .start_yaw_rad = s->start.yaw_rad,
	    .home_m = hypot(s->body.pose.x_m - s->start.x_m, s->body.pose.y_m - s->start.y_m),
	    .v_mps = s->body.v_mps,
	    .distance_m = s->body.distance_m,
	    .contacts = s->body.contacts,
	    .clearance_m = cairn_sim_clearance(sim, CLEARANCE_SHOWN_M),
	    .coverage = cairn_truth_coverage(sim->truth),
	    .reachable_m2 = cairn_truth_reachable_m2(sim->truth)};
	snprintf(out->world, sizeof(out->world), "%s", sim->world->name);
	const struct cairn_room *room = cairn_world_room_at(sim->world, out->x_m, out->y_m);
	snprintf(out->room, sizeof(out->room), "%s", room != NULL ? room->name : "");
	if (s->body.touched >= 0 && (uint32_t)s->body.touched < sim->world->thing_count)
		snprintf(out->last_contact, sizeof(out->last_contact), "%s",
		    sim->world->things[s->body.touched].name);
	else if (s->body.touched <= -2 && (uint32_t)(-2 - s->body.touched) < sim->world->people_count)
		snprintf(out->last_contact, sizeof(out->last_contact), "%s",
		    sim->world->people[-2 - s->body.touched].name);
	else if (s->body.touched <= -2)
		snprintf(out->last_contact, sizeof(out->last_contact), "the open door of a cupboard");
}
