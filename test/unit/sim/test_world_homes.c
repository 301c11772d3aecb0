/* The homes that come with the project: they load, the robot can start and reach every room, and its LiDAR
 * sees whatever it could run into. */
#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/config/config.h"
#include "common/sim/robot/sim.h"
#include "common/sim/world/slice.h"

static const char *const homes[] = {"studio", "home", "loop"};

static struct cairn_world *load(const char *name)
{
	struct cairn_error err = {""};
	char path[512];
	snprintf(path, sizeof(path), "%s/config/worlds/%s.yaml", CAIRN_SOURCE_ROOT, name);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	ck_assert_str_eq(w->name, name);
	return w;
}

START_TEST(every_home_has_a_free_start_and_enterable_rooms)
{
	static const uint32_t rooms[] = {2, 6, 9};
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct cairn_footprint body = {
	    cfg.robot.footprint_front_m, cfg.robot.footprint_rear_m, cfg.robot.footprint_half_width_m};
	for (size_t k = 0; k < 3; k++) {
		struct cairn_world *w = load(homes[k]);
		struct cairn_error err = {""};
		ck_assert_uint_eq(w->room_count, rooms[k]);
		ck_assert(w->has_start);
		ck_assert_double_gt(cairn_world_clearance(w, w->start, &body, cfg.robot.height_m, 1.0), 0.15);
		struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
		ck_assert_msg(sim != NULL, "%s", err.text);
		for (uint32_t i = 0; i < w->room_count; i++) {
			double got = 0.0;
			for (double y = w->y_min_m; y < w->y_max_m; y += 0.05)
				for (double x = w->x_min_m; x < w->x_max_m; x += 0.05)
					if (cairn_world_room_at(w, x, y) == &w->rooms[i] &&
					    cairn_truth_reachable_at(cairn_sim_truth(sim), x, y))
						got += 0.0025;
			double share = got / w->rooms[i].area_m2;
			ck_assert_msg(share > 0.25 && got > 1.0, "%s: %s: %.2f m2 of %.2f can be reached",
			    w->name, w->rooms[i].name, got, w->rooms[i].area_m2);
		}
		cairn_sim_destroy(&sim);
		cairn_world_destroy(&w);
	}
}
END_TEST

/* Every solid between floor and robot height crosses the scan plane, or lies within 4 cm of one of the same
 * thing that does. */
START_TEST(the_lidar_sees_what_the_robot_could_run_into)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	double z = cfg.robot.lidar_z_m;
	for (size_t k = 0; k < 3; k++) {
		struct cairn_world *w = load(homes[k]);
		for (uint32_t i = 0; i < w->solid_count; i++) {
			const struct cairn_solid *s = &w->solids[i];
			bool seen = s->z0_m >= cfg.robot.height_m || s->z1_m <= CAIRN_WORLD_STEP_M ||
				    (s->z0_m <= z && s->z1_m >= z);
			for (uint32_t j = 0; j < w->solid_count && !seen; j++) {
				const struct cairn_solid *o = &w->solids[j];
				seen = o->thing == s->thing && o->z0_m <= z && o->z1_m >= z &&
				       s->x_min_m > o->x_min_m - 0.04f && s->x_max_m < o->x_max_m + 0.04f &&
				       s->y_min_m > o->y_min_m - 0.04f && s->y_max_m < o->y_max_m + 0.04f;
			}
			ck_assert_msg(seen, "%s: part of '%s' from %.2f to %.2f m is not seen", w->name,
			    w->things[s->thing].name, (double)s->z0_m, (double)s->z1_m);
		}
		cairn_world_destroy(&w);
	}
}
END_TEST

/* A direction; now and then one along an axis. */
static double some_angle(struct cairn_rng *rng)
{
	double a = 2.0 * M_PI * cairn_rng_uniform(rng);
	return cairn_rng_uniform(rng) < 0.1 ? floor(a / (0.5 * M_PI)) * 0.5 * M_PI : a;
}

enum { RAYS = 150 }; /* more than are looked at together */

struct rays {
	double x_m[RAYS], y_m[RAYS], dx[RAYS], dy[RAYS];
};

static void anywhere(const struct cairn_world *w, struct cairn_rng *rng, double *ret_x_m, double *ret_y_m)
{
	const double out_m = 0.6; /* of the house, too */
	*ret_x_m = w->x_min_m - out_m + (w->x_max_m - w->x_min_m + 2.0 * out_m) * cairn_rng_uniform(rng);
	*ret_y_m = w->y_min_m - out_m + (w->y_max_m - w->y_min_m + 2.0 * out_m) * cairn_rng_uniform(rng);
}

static void scatter(const struct cairn_world *w, struct cairn_rng *rng, struct rays *r)
{
	for (int j = 0; j < RAYS; j++) {
		double a = some_angle(rng);
		anywhere(w, rng, &r->x_m[j], &r->y_m[j]);
		r->dx[j] = cos(a);
		r->dy[j] = sin(a);
	}
}

/* As a LiDAR's: on the way, turning one way by up to 2 degrees a ray, that way most often. */
static void fan_out(const struct cairn_world *w, struct cairn_rng *rng, struct rays *r)
{
	double x_m, y_m, a = some_angle(rng), by = 0.035 * (cairn_rng_uniform(rng) - 0.7),
			 go_m = 2e-3 * cairn_rng_uniform(rng) * cairn_rng_uniform(rng);
	anywhere(w, rng, &x_m, &y_m);
	for (int j = 0; j < RAYS; j++) {
		r->x_m[j] = x_m + j * go_m * cos(a);
		r->y_m[j] = y_m + j * go_m * sin(a);
		r->dx[j] = cos(a + j * by);
		r->dy[j] = sin(a + j * by);
	}
}

START_TEST(rays_in_a_slice_are_those_cast_one_by_one_to_the_last_bit)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	for (size_t k = 0; k < 6; k++) {
		struct cairn_world *w = load(homes[k % 3]);
		bool glass = k < 3;
		double z_m = glass ? 0.18 : 0.06;
		struct cairn_slice *s = cairn_slice_new(w, z_m, glass);
		ck_assert_ptr_nonnull(s);
		for (int i = 0; i < CAIRN_ROUNDS(400); i++) {
			struct rays r;
			double max_m = 0.5 + 16.0 * cairn_rng_uniform(&rng), got[RAYS];
			(i % 4 == 0 ? scatter : fan_out)(w, &rng, &r);
			cairn_slice_cast(
			    s, RAYS, (struct cairn_slice_rays){r.x_m, r.y_m, r.dx, r.dy}, max_m, got);
			for (int j = 0; j < RAYS; j++) {
				double one = (glass ? cairn_world_cast_lidar : cairn_world_cast)(
				    w, r.x_m[j], r.y_m[j], r.dx[j], r.dy[j], z_m, max_m)
						 .range_m;
				ck_assert_msg(got[j] == one, "%s: %.17g, not %.17g", w->name, got[j], one);
			}
		}
		cairn_slice_destroy(&s);
		cairn_world_destroy(&w);
	}
}
END_TEST

CAIRN_TEST_MAIN("world homes", every_home_has_a_free_start_and_enterable_rooms,
    the_lidar_sees_what_the_robot_could_run_into, rays_in_a_slice_are_those_cast_one_by_one_to_the_last_bit)
