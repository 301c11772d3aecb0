/* up_summary.c - a run in figures, for programs and for people. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map/narrow_gap.h"
#include "common/map/picture.h"
#include "common/slam/mapper.h"
#include "procs/cairn/found.h"
#include "procs/cairn/narrow.h"
#include "procs/cairn/up.h"

#define FOUND_SHOWN 24

static double duration_s(const struct up_run *run, int64_t now_ns)
{
	return (double)(now_ns - run->start_ns) * 1e-9;
}

static double cpu_cores(const struct up_run *run)
{
	double cpu_s = run->cpu_s, span_s = run->cpu_span_s;
	if (run->have_stages) {
		cpu_s += run->stages.cpu_cores_mean * run->stages.uptime_s;
		span_s += run->stages.uptime_s;
	}
	return span_s > 0.0 ? cpu_s / span_s : 0.0;
}

static uint32_t restarts(const struct up_run *run)
{
	return run->restarts_before + run->launcher_restarts + (run->have_stages ? run->stages.restarts : 0);
}

/* By the truth where there is one, by the robot's own map where there is not. */
static double home_m(const struct up_run *run)
{
	return run->have_truth ? run->truth.home_m : run->mission.home_m;
}

static json_t *rounded(double value, double step)
{
	return isfinite(value) ? json_real(round(value / step) * step) : json_null();
}

static json_t *coverage_series(const struct up_run *run)
{
	json_t *list = json_array();
	for (int i = 0; i < run->coverage_count; i++)
		json_array_append_new(list, json_pack("[o,o]", rounded(i * UP_COVERAGE_STEP_S, 0.1),
						rounded(run->coverage[i], 1e-4)));
	return list;
}

static json_t *discoveries(const struct up_run *run)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < run->discoveries.items_count; i++) {
		const struct cairn_msg_discovery *d = &run->discoveries.items[i];
		json_array_append_new(list,
		    json_pack("{s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "id", (json_int_t)d->id,
			"kind", cairn_enum_text(&cairn_enum_significance, (int)d->kind), "label", d->label,
			"notes", d->notes, "room", d->room, "x_m", rounded(d->x_m, 0.01), "y_m",
			rounded(d->y_m, 0.01), "unix_s", rounded(d->unix_s, 1.0), "picture", d->picture));
	}
	return list;
}

/* Openings that no gap wide enough for the robot leads to. */
static json_t *too_narrow(const struct up_run *run)
{
	const struct cairn_msg_frontiers *f = &run->frontiers;
	json_t *list = json_array();
	for (uint32_t i = 0; i < f->items_count; i++)
		if (cairn_narrow_gap_first(f->items, i))
			json_array_append_new(
			    list, json_pack("{s:I, s:o, s:o, s:o, s:o}", "frontier",
				      (json_int_t)f->items[i].id, "x_m", rounded(f->items[i].gap_x_m, 0.01),
				      "y_m", rounded(f->items[i].gap_y_m, 0.01), "width_m",
				      rounded(f->items[i].gap_m, 0.01), "short_m",
				      rounded(cairn_narrow_gap_short_m(&f->items[i], f->needs_m), 0.01)));
	return list;
}

void up_summary_json(const struct up_run *run, int64_t now_ns, FILE *out)
{
	json_t *o = json_object();
	const char *slash = strrchr(run->cfg.sim.world, '/');
	json_object_set_new(o, "duration_s", rounded(duration_s(run, now_ns), 0.01));
	json_object_set_new(o, "first_decision_s",
	    run->first_decision_s >= 0.0 ? rounded(run->first_decision_s, 0.01) : json_null());
	json_object_set_new(o, "decisions", json_integer((json_int_t)run->mission.decisions));
	json_object_set_new(o, "refused", json_integer((json_int_t)run->mission.refused));
	json_object_set_new(o, "overrides", json_integer((json_int_t)run->mission.overrides));
	json_object_set_new(o, "contacts", run->have_truth ? json_integer(run->truth.contacts) : json_null());
	json_object_set_new(
	    o, "coverage", run->have_truth ? rounded(run->truth.coverage, 1e-4) : json_null());
	json_object_set_new(o, "coverage_over_time", coverage_series(run));
	json_object_set_new(
	    o, "reachable_m2", run->have_truth ? rounded(run->truth.reachable_m2, 0.01) : json_null());
	json_object_set_new(
	    o, "distance_m", rounded(run->have_truth ? run->truth.distance_m : run->pose.distance_m, 0.01));
	json_object_set_new(o, "home_distance_m", rounded(home_m(run), 0.001));
	json_object_set_new(o, "calls", json_integer((json_int_t)run->vlm.calls));
	json_object_set_new(o, "cost_usd", rounded(run->vlm.cost_usd, 1e-6));
	json_object_set_new(o, "too_narrow", too_narrow(run));
	json_object_set_new(o, "discoveries", discoveries(run));
	json_object_set_new(o, "discoveries_dropped", json_integer((json_int_t)run->discoveries.dropped));
	json_object_set_new(o, "restarts", json_integer(restarts(run)));
	json_object_set_new(o, "cpu_cores", rounded(cpu_cores(run), 0.001));
	json_object_set_new(o, "rss_mb", rounded(run->rss_mb_max, 0.1));
	json_object_set_new(o, "world", json_string(slash != NULL ? slash + 1 : run->cfg.sim.world));
	json_object_set_new(o, "end_reason", json_string(run->end_reason));
	char why[256];
	bool passed = up_passed(run, why, sizeof(why));
	json_object_set_new(o, "scans", json_integer((json_int_t)run->seen.scans));
	json_object_set_new(o, "answers", json_integer((json_int_t)run->seen.answers));
	json_object_set_new(
	    o, "last_error", run->seen.error[0] != '\0' ? json_string(run->seen.error) : json_null());
	json_object_set_new(o, "passed", json_boolean(passed));
	json_object_set_new(
	    o, passed ? "excuse" : "why_not", why[0] != '\0' ? json_string(why) : json_null());
	json_dumpf(o, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	fputc('\n', out);
	json_decref(o);
}

void up_summary_text(const struct up_run *run, int64_t now_ns, FILE *out)
{
	char why[256];
	bool passed = up_passed(run, why, sizeof(why));
	fprintf(out, "ended        %s, after %.1f s\n", run->end_reason, duration_s(run, now_ns));
	fprintf(
	    out, "verdict      %s%s%s\n", passed ? "passed" : "not passed", why[0] != '\0' ? ": " : "", why);
	fprintf(out, "decisions    %" PRIu64 " driven, %" PRIu64 " refused, %" PRIu64 " overridden",
	    run->mission.decisions, run->mission.refused, run->mission.overrides);
	if (run->first_decision_s >= 0.0)
		fprintf(out, "; the first after %.1f s", run->first_decision_s);
	fprintf(out, "\n");
	if (run->have_truth)
		fprintf(out,
		    "house        %.1f %% of %.1f m2 seen, %.1f m driven, %.2f m from the start, %u "
		    "contact%s\n",
		    100.0 * run->truth.coverage, run->truth.reachable_m2, run->truth.distance_m,
		    run->truth.home_m, run->truth.contacts, run->truth.contacts == 1 ? "" : "s");
	else
		fprintf(out, "house        %.1f m2 free, %.1f m driven, %.2f m from the start\n",
		    run->frontiers.free_m2, run->pose.distance_m, run->mission.home_m);
	fprintf(out, "model        %s: %" PRIu64 " calls, %" PRIu64 " failed, %.4f USD\n",
	    run->have_vlm ? run->vlm.model : "none", run->vlm.calls, run->vlm.failures, run->vlm.cost_usd);
	fprintf(out, "machine      %.2f cores, %.0f MB, %u restarts\n", cpu_cores(run), run->rss_mb_max,
	    restarts(run));
	narrow_print(&run->frontiers, "too narrow   ", out);
	if (run->have_discoveries)
		fprintf(out, "found        %u rooms and things\n", run->discoveries.items_count);
	found_print(&run->discoveries, "  ", FOUND_SHOWN, NULL, out);
	if (run->seen.error[0] != '\0')
		fprintf(out, "last error   %s\n", run->seen.error);
	if (run->have_truth && run->truth.contacts > 0)
		fprintf(out, "touched      %s\n", run->truth.last_contact);
}

bool up_picture(const struct up_run *run, const char *path, struct cairn_error *err)
{
	char state[300];
	snprintf(state, sizeof(state), "%s/state/map.bin", run->run_dir);
	struct cairn_mapper *mapper = cairn_mapper_load(&run->cfg, state, err);
	if (mapper == NULL)
		return false;
	const char *slash = strrchr(run->cfg.sim.world, '/');
	bool simulated = run->cfg.robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED;
	char title[160];
	snprintf(title, sizeof(title), "%.60s   %.1f m driven   %.1f m2",
	    simulated && slash != NULL ? slash + 1 : run->cfg.robot.name, run->pose.distance_m,
	    run->frontiers.free_m2);
	struct cairn_msg_scene *scene = malloc(sizeof(*scene));
	snprintf(state, sizeof(state), "%s/state", run->run_dir);
	/* A scene graph that cannot be used has been told of by its stage: the map is drawn without it. */
	bool known = scene != NULL && found_scene(state, scene, &(struct cairn_error){""});
	bool ok = cairn_picture_of_mapper(mapper,
	    &(struct cairn_picture_over){.discoveries = &run->discoveries, .scene = known ? scene : NULL},
	    title, path, err);
	free(scene);
	cairn_mapper_destroy(&mapper);
	return ok;
}
