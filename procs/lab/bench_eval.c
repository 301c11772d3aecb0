/* bench_eval.c - how much faster than real time a whole exploration runs, on one core: simulated time by
 * processor time, so that what else the machine does counts little.
 *
 * On the robot a snapshot is made when the model is asked: so is it here. */
#include <stdio.h>
#include <time.h>

#include "common/eval/snapshot_view.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"

#define LIMIT_S 600.0
#define SEEDS 4 /* explorations a figure: one may end early or be stuck for a while */

/* Makes the snapshot of each question. */
struct watcher {
	struct cairn_snapshot_view *eye; /* NULL: nobody looks */
	uint64_t asked, pictures;
	bool ok;
};

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool watch(void *ctx, struct cairn_run *run)
{
	struct watcher *w = ctx;
	uint64_t asked = cairn_run_totals(run).calls;
	if (w->eye != NULL)
		cairn_snapshot_view_watch(w->eye, run);
	if (w->eye != NULL && asked != w->asked) {
		const uint8_t *bytes;
		w->ok = cairn_snapshot_view_look(w->eye, run, CAIRN_TRIGGER_TIMER, &bytes) > 0 && w->ok;
		w->pictures++;
	}
	w->asked = asked;
	return w->ok && cairn_run_output(run)->mission.state != CAIRN_MISSION_STATE_FINISHED;
}

struct mode {
	const char *name;
	enum cairn_run_map map;
	bool pictures, without_depth;
};

static const struct mode modes[] = {
    {"everything", CAIRN_RUN_MAP_MAPPER, true, false},
    {"matching", CAIRN_RUN_MAP_MAPPER, false, false},
    {"true_poses", CAIRN_RUN_MAP_TRUE_POSES, false, false},
    {"true_poses_no_camera", CAIRN_RUN_MAP_TRUE_POSES, false, true},
};

struct sum {
	double simulated_s, took_s;
	uint64_t pictures;
};

/* One exploration. */
static bool explore(const struct mode *m, const struct cairn_world *world, int seed, struct sum *sum)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct watcher watcher = {.ok = true};
	cairn_config_defaults(&cfg);
	cfg.mission.return_home = false;
	cfg.sim.seed = cfg.pilot.seed = seed;
	struct cairn_run_options options = {.cfg = &cfg,
	    .world = world,
	    .map = m->map,
	    .duration_s = LIMIT_S,
	    .without_depth = m->without_depth,
	    .observe = watch,
	    .observe_ctx = &watcher};
	if (m->pictures)
		watcher.eye = cairn_snapshot_view_new(&cfg, world, &err);
	struct cairn_run *run = !m->pictures || watcher.eye != NULL ? cairn_run_new(&options, &err) : NULL;
	if (run == NULL)
		fprintf(stderr, "cairn bench eval: %s\n", err.text);
	if (run != NULL) {
		double before_s = cpu_s();
		cairn_run_all(run);
		sum->took_s += cpu_s() - before_s;
		sum->simulated_s += cairn_run_elapsed_s(run);
		sum->pictures += watcher.pictures;
	}
	bool ok = run != NULL && watcher.ok;
	cairn_run_destroy(&run);
	cairn_snapshot_view_destroy(&watcher.eye);
	return ok;
}

static bool measure(
    struct cairn_bench_out *out, const char *home, const struct mode *m, const struct cairn_world *world)
{
	struct sum sum = {0};
	for (int seed = 1; seed <= SEEDS; seed++)
		if (!explore(m, world, seed, &sum))
			return false;
	char name[64];
	snprintf(name, sizeof(name), "eval.%s.%s", home, m->name);
	cairn_bench_value(out, name, sum.simulated_s / sum.took_s, "x real time");
	snprintf(name, sizeof(name), "eval.%s.%s.length", home, m->name);
	cairn_bench_value(out, name, sum.simulated_s, "s simulated");
	if (m->pictures) {
		snprintf(name, sizeof(name), "eval.%s.%s.pictures", home, m->name);
		cairn_bench_value(out, name, (double)sum.pictures, "snapshots");
	}
	return true;
}

bool cairn_bench_eval(struct cairn_bench_out *out)
{
	static const char *const homes[] = {"studio", "home"};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof(homes) / sizeof(homes[0]); i++) {
		struct cairn_error err = {""};
		struct cairn_world *world = cairn_share_world(homes[i], &err);
		ok = world != NULL;
		if (!ok)
			fprintf(stderr, "cairn bench eval: %s\n", err.text);
		for (size_t m = 0; ok && m < sizeof(modes) / sizeof(modes[0]); m++)
			ok = measure(out, homes[i], &modes[m], world);
		cairn_world_destroy(&world);
	}
	return ok;
}
