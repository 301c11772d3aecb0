#include "common/eval/start_draw.h"

#include <math.h>

#include "common/sim/robot/truth.h"

#define TRIES 2000
#define ROOM_M 0.35   /* free all around ... */
#define AHEAD_M 0.50  /* ... and ahead of the front end ... */
#define BESIDE_M 0.10 /* ... with so much to both sides */

bool cairn_start_fits(const struct cairn_config *cfg, const struct cairn_world *w, struct cairn_pose2 at)
{
	const struct cairn_config_robot *c = &cfg->robot;
	struct cairn_footprint spot = {ROOM_M, ROOM_M, ROOM_M};
	struct cairn_footprint ahead = {
	    c->footprint_front_m + AHEAD_M, c->footprint_rear_m, c->footprint_half_width_m + BESIDE_M};
	return cairn_world_touch(w, at, &spot, c->height_m) < 0 &&
	       cairn_world_touch(w, at, &ahead, c->height_m) < 0;
}

bool cairn_draw_start(struct cairn_config *cfg, const struct cairn_world *w, uint64_t seed,
    struct cairn_pose2 *ret_at, bool *ret_none, struct cairn_error *err)
{
	struct cairn_sim *sim = cairn_sim_new(cfg, w, err);
	struct cairn_rng rng;
	if (sim == NULL)
		return false;
	cairn_rng_seed(&rng, seed, 31);
	*ret_at = cairn_sim_state(sim)->start;
	*ret_none = seed > 1;
	for (int i = 0; i < TRIES && *ret_none; i++) {
		double x = w->x_min_m + cairn_rng_uniform(&rng) * (w->x_max_m - w->x_min_m);
		double y = w->y_min_m + cairn_rng_uniform(&rng) * (w->y_max_m - w->y_min_m);
		double yaw = cairn_wrap_rad(2.0 * M_PI * cairn_rng_uniform(&rng));
		struct cairn_pose2 at = {x, y, yaw};
		if (!cairn_truth_reachable_at(cairn_sim_truth(sim), x, y) || !cairn_start_fits(cfg, w, at))
			continue;
		cfg->sim.start = CAIRN_CHOICE_START_GIVEN;
		cfg->sim.start_x_m = x;
		cfg->sim.start_y_m = y;
		cfg->sim.start_yaw_deg = cairn_rad_to_deg(yaw);
		*ret_at = at;
		*ret_none = false;
	}
	cairn_sim_destroy(&sim);
	return true;
}
