/* eval_mapping.c - the bundled homes explored with odometry that slips and drifts: how true is the map? */
#include <limits.h>
#include <stdio.h>

#include "common/eval/mapping.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"

#define SLIP 0.05
#define YAW_DRIFT_DEG_PER_M 1.0
#define LIMIT_S 900.0
#define POSE_MAX_M 0.10
#define YAW_MAX_RAD (2.0 * M_PI / 180.0)
#define WALLS_MIN 0.95
#define DRIVEN_MIN_M 3.0 /* to stand still is no way to pass */
#define SEEDS 3          /* runs of each home, with chance of their own */

static const char *const homes[] = {"studio", "home", "loop"};

static double walls_share(const struct cairn_mapping_report *r)
{
	return r->occupied > 0 ? (double)r->near_walls / r->occupied : 0.0;
}

static json_t *run_figures(const struct cairn_mapping_report *r, int seed)
{
	json_t *o = json_object();
	const struct {
		const char *name;
		double value;
	} reals[] = {{"seconds", r->seconds}, {"driven_m", r->driven_m}, {"pose_mean_m", r->mean_m},
	    {"pose_worst_m", r->worst_m}, {"pose_worst_deg", cairn_rad_to_deg(r->worst_rad)},
	    {"pose_end_m", r->end_m}, {"pose_end_deg", cairn_rad_to_deg(r->end_rad)},
	    {"odometry_end_m", r->odometry_m}, {"odometry_end_deg", cairn_rad_to_deg(r->odometry_rad)},
	    {"walls_within_a_cell", walls_share(r)}, {"free_m2", r->free_m2},
	    {"not_good_share", r->poses > 0 ? (double)r->not_good / r->poses : 1.0}};
	json_object_set_new(o, "seed", json_integer(seed));
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

/* All runs of one home; its figures are the worst of them. */
static bool judge_home(struct cairn_config *cfg, const char *home, int first_seed, json_t *figures)
{
	struct cairn_error err = {""};
	struct cairn_world *world = cairn_share_world(home, &err);
	bool ok = world != NULL;
	double worst_m = 0.0, worst_rad = 0.0, walls = 1.0;
	json_t *runs = json_array();
	for (int i = 0; i < SEEDS && world != NULL; i++) {
		struct cairn_mapping_report r = {0};
		cfg->sim.seed = cfg->pilot.seed = first_seed + i;
		bool ran = cairn_mapping_run(cfg, world, LIMIT_S, &r, &err);
		ok = ok && ran && passes(&r);
		if (!ran)
			break;
		json_array_append_new(runs, run_figures(&r, first_seed + i));
		worst_m = fmax(worst_m, r.worst_m);
		worst_rad = fmax(worst_rad, r.worst_rad);
		walls = fmin(walls, walls_share(&r));
	}
	if (err.text[0] != '\0')
		fprintf(stderr, "cairn eval mapping: %s\n", err.text);
	cairn_world_destroy(&world);
	json_object_set_new(figures, home,
	    json_pack("{s:f, s:f, s:f, s:o}", "pose_worst_m", worst_m, "pose_worst_deg",
		cairn_rad_to_deg(worst_rad), "walls_within_a_cell", walls, "runs", runs));
	return ok;
}

enum cairn_eval_end cairn_eval_mapping(const struct cli *cli, json_t *figures)
{
	struct cairn_config cfg;
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - SEEDS);
	bool ok = true;
	if (seed < 0)
		return CAIRN_EVAL_USAGE;
	cairn_config_defaults(&cfg);
	cfg.sim.slip = SLIP;
	cfg.sim.yaw_drift_deg_per_m = YAW_DRIFT_DEG_PER_M;
	json_object_set_new(figures, "slip", json_real(SLIP));
	json_object_set_new(figures, "yaw_drift_deg_per_m", json_real(YAW_DRIFT_DEG_PER_M));
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
		ok &= judge_home(&cfg, homes[i], (int)seed, figures);
	return ok;
}
