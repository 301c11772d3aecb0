/* eval_frequency.c - the bundled homes explored with calls when there is something to decide, and at a fixed
 * rate. */
#include <stdio.h>

#include "common/eval/frequency.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"

#define FIXED_PERIOD_S 2.0 /* 0.5 Hz */
#define LIMIT_S 900.0
#define SAVED_MIN 0.5
#define COVERAGE_MIN 0.5 /* to see nothing with few calls is no way to pass */

static const char *const homes[] = {"studio", "home", "loop"};

static json_t *run_figures(const struct cairn_frequency_run *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "calls", json_integer((json_int_t)r->same_calls));
	json_object_set_new(o, "seconds", json_real(r->same_seconds));
	json_object_set_new(o, "calls_at_end", json_integer((json_int_t)r->calls));
	json_object_set_new(o, "seconds_at_end", json_real(r->seconds));
	json_object_set_new(o, "coverage_at_end", json_real(r->coverage));
	json_object_set_new(o, "finished", json_boolean(r->finished));
	return o;
}

bool cairn_eval_frequency(const struct cli *cli, json_t *figures)
{
	struct cairn_config cfg;
	long seed = cli_count(cli, "seed", 1);
	uint64_t adaptive = 0, fixed = 0;
	bool ok = true;
	if (seed < 0)
		return false;
	cairn_config_defaults(&cfg);
	cfg.pilot.seed = (int)seed;
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		char path[512];
		struct cairn_error err = {""};
		struct cairn_frequency_report r = {0};
		snprintf(path, sizeof(path), "%s/config/worlds/%s.yaml", CAIRN_SOURCE_DIR, homes[i]);
		struct cairn_world *world = cairn_world_load(path, &err);
		bool ran =
		    world != NULL && cairn_frequency_compare(&cfg, world, FIXED_PERIOD_S, LIMIT_S, &r, &err);
		if (ran) {
			json_t *o = json_object();
			json_object_set_new(o, "same_coverage", json_real(r.adaptive.same_coverage));
			json_object_set_new(o, "adaptive", run_figures(&r.adaptive));
			json_object_set_new(o, "fixed", run_figures(&r.fixed));
			json_object_set_new(o, "saved", json_real(r.saved));
			json_object_set_new(figures, homes[i], o);
		} else {
			fprintf(stderr, "cairn eval frequency: %s\n", err.text);
		}
		adaptive += r.adaptive.same_calls;
		fixed += r.fixed.same_calls;
		ok = ok && ran && r.saved >= SAVED_MIN && r.adaptive.same_coverage >= COVERAGE_MIN;
		cairn_world_destroy(&world);
	}
	json_object_set_new(figures, "fixed_hz", json_real(1.0 / FIXED_PERIOD_S));
	json_object_set_new(
	    figures, "saved", json_real(fixed > 0 ? 1.0 - (double)adaptive / (double)fixed : 0.0));
	return ok;
}
