/* eval_mapping.c - the bundled homes explored with odometry that slips and drifts: how true is the map? */
#include <stdio.h>
#include <stdlib.h>

#include "common/eval/mapping.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"

#define SLIP 0.05
#define YAW_DRIFT_DEG_PER_M 1.0
#define LIMIT_S 900.0
#define POSE_MAX_M 0.10
#define YAW_MAX_RAD (2.0 * M_PI / 180.0)
#define WALLS_MIN 0.95
#define DRIVEN_MIN_M 3.0 /* to stand still is no way to pass */

static const char *const homes[] = {"studio", "home", "loop"};

static json_t *home_figures(const struct cairn_mapping_report *r)
{
	json_t *o = json_object();
	const struct {
		const char *name;
		double value;
	} reals[] = {{"seconds", r->seconds}, {"driven_m", r->driven_m}, {"pose_mean_m", r->mean_m},
	    {"pose_worst_m", r->worst_m}, {"pose_worst_deg", cairn_rad_to_deg(r->worst_rad)},
	    {"pose_end_m", r->end_m}, {"pose_end_deg", cairn_rad_to_deg(r->end_rad)},
	    {"odometry_end_m", r->odometry_m}, {"odometry_end_deg", cairn_rad_to_deg(r->odometry_rad)},
	    {"walls_within_a_cell", r->occupied > 0 ? (double)r->near_walls / r->occupied : 0.0},
	    {"free_m2", r->free_m2}, {"not_good_share", r->poses > 0 ? (double)r->not_good / r->poses : 1.0}};
	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++)
		json_object_set_new(o, reals[i].name, json_real(reals[i].value));
	json_object_set_new(o, "finished", json_boolean(r->finished));
	json_object_set_new(o, "occupied_cells", json_integer(r->occupied));
	json_object_set_new(o, "keyframes", json_integer(r->keyframes));
	json_object_set_new(o, "closures", json_integer(r->loops));
	json_object_set_new(o, "map_epochs", json_integer(r->epochs));
	return o;
}

static bool passes(const struct cairn_mapping_report *r)
{
	return r->worst_m <= POSE_MAX_M && r->worst_rad <= YAW_MAX_RAD && r->occupied > 0 &&
	       r->near_walls >= WALLS_MIN * r->occupied && r->driven_m >= DRIVEN_MIN_M;
}

bool cairn_eval_mapping(const struct cli *cli, json_t *figures)
{
	(void)cli;
	struct cairn_config cfg;
	bool ok = true;
	cairn_config_defaults(&cfg);
	cfg.sim.slip = SLIP;
	cfg.sim.yaw_drift_deg_per_m = YAW_DRIFT_DEG_PER_M;
	json_object_set_new(figures, "slip", json_real(SLIP));
	json_object_set_new(figures, "yaw_drift_deg_per_m", json_real(YAW_DRIFT_DEG_PER_M));
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		char path[512];
		struct cairn_error err = {""};
		struct cairn_mapping_report r = {0};
		snprintf(path, sizeof(path), "%s/config/worlds/%s.yaml", CAIRN_SOURCE_DIR, homes[i]);
		struct cairn_world *world = cairn_world_load(path, &err);
		bool ran = world != NULL && cairn_mapping_run(&cfg, world, LIMIT_S, &r, &err);
		if (ran)
			json_object_set_new(figures, homes[i], home_figures(&r));
		else
			fprintf(stderr, "cairn eval mapping: %s\n", err.text);
		ok = ok && ran && passes(&r);
		cairn_world_destroy(&world);
	}
	return ok;
}
