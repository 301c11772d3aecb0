/* bench_planner.c - grid search against the published lengths and a textbook A*, the distance transform and
 * the costmap on a large map, and the kinematic search over homes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/plan/jump.h"
#include "procs/lab/bench_planner.h"
#include "procs/cli/cli.h"

#define TEXTBOOK_PROBLEMS 400 /* a map: with all of them a run takes minutes */
#define PRINT_TOLERANCE 1e-6  /* beyond the printed digits of long ones */
#define LENGTH_TOLERANCE 1e-3 /* cells; scenarios give five to six digits */

bool bench_series_add(struct bench_series *s, double value)
{
	if (s->count == s->capacity) {
		int room = s->capacity == 0 ? 1024 : 2 * s->capacity;
		double *grown = realloc(s->values, (size_t)room * sizeof(*grown));
		if (grown == NULL)
			return false;
		s->values = grown;
		s->capacity = room;
	}
	s->values[s->count++] = value;
	return true;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double bench_series_at(struct bench_series *s, double share)
{
	if (s->count == 0)
		return 0.0;
	qsort(s->values, (size_t)s->count, sizeof(s->values[0]), by_value);
	int i = (int)ceil(share * (double)s->count) - 1;
	return s->values[i < 0 ? 0 : i];
}

double bench_series_sum(const struct bench_series *s)
{
	double sum = 0.0;
	for (int i = 0; i < s->count; i++)
		sum += s->values[i];
	return sum;
}

/* ---- grid search ---- */

/* What one search did over the problems of a map. */
struct tally {
	int problems, optimal, unreachable_found;
	double worst_error;  /* against the lengths as printed */
	double worst_excess; /* the same beyond what six printed digits leave open */
	struct bench_series nodes, us;
};

struct grid_result {
	int unreachable;
	double prepare_ms;
	struct tally ours, textbook;
	double book_difference; /* largest between our lengths and the textbook's, unrounded */
	double shared_us;       /* ours, on the problems that the textbook was given, too */
	struct bench_series ratios;
};

static void tally_free(struct tally *t)
{
	free(t->nodes.values);
	free(t->us.values);
}

/* Half of the last of six digits: 1176.61 may stand for anything from 1176.605 to 1176.615. */
static double print_step(double length)
{
	return length >= 1.0 ? 0.5 * pow(10.0, floor(log10(length)) - 5.0) : 0.0;
}

static bool judge(
    struct tally *t, const struct bench_problem *p, bool found, double length, int64_t nodes, int64_t ns)
{
	t->problems++;
	bool reachable = p->optimal > 0.0 || p->start == p->goal;
	double error = found ? fabs(length - p->optimal) : INFINITY;
	if (reachable) {
		double excess = fmax(error - print_step(p->optimal), 0.0);
		t->optimal += error <= LENGTH_TOLERANCE || excess <= PRINT_TOLERANCE;
		t->worst_error = fmax(t->worst_error, error);
		t->worst_excess = fmax(t->worst_excess, excess);
	} else {
		t->unreachable_found += !found;
	}
	return bench_series_add(&t->nodes, (double)nodes) && bench_series_add(&t->us, (double)ns * 1e-3);
}

/* Time of this thread on a processor: what others do on the machine does not count. */
static int64_t busy_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

struct contest {
	const struct cairn_passable *open;
	struct cairn_jump *jump;
	struct bench_textbook *textbook;
	int textbook_every; /* it takes its time: every so many problems, evenly spread */
};

static bool solve(const struct contest *c, const struct bench_problem *p, bool by_book, struct grid_result *r)
{
	struct cairn_jump_query q = {.open = c->open, .start = p->start, .goal = p->goal};
	struct cairn_astar_stats stats;
	int64_t t0 = busy_ns();
	bool found = cairn_jump_search(c->jump, &q, &stats) == CAIRN_ASTAR_OK;
	int64_t ours_ns = busy_ns() - t0, nodes;
	r->unreachable += !(p->optimal > 0.0 || p->start == p->goal);
	if (!judge(&r->ours, p, found, stats.length, stats.expansions, ours_ns))
		return false;
	if (!by_book)
		return true;
	double length = 0.0;
	t0 = busy_ns();
	found = bench_textbook_search(c->textbook, p->start, p->goal, &length, &nodes);
	int64_t book_ns = busy_ns() - t0;
	r->shared_us += (double)ours_ns * 1e-3;
	if (found)
		r->book_difference = fmax(r->book_difference, fabs(length - stats.length));
	return bench_series_add(&r->ratios, (double)book_ns / fmax((double)ours_ns, 1.0)) &&
	       judge(&r->textbook, p, found, length, nodes, book_ns);
}

static double ratio_of(double baseline, double value)
{
	return value > 0.0 ? baseline / value : 0.0;
}

static json_t *tally_json(struct tally *t)
{
	return json_pack("{s:i, s:i, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f}", "problems", t->problems,
	    "optimal", t->optimal, "worst_error", isfinite(t->worst_error) ? t->worst_error : -1.0,
	    "worst_excess", isfinite(t->worst_excess) ? t->worst_excess : -1.0, "unreachable_recognised",
	    t->unreachable_found, "nodes_median", bench_series_at(&t->nodes, 0.5), "nodes_p99",
	    bench_series_at(&t->nodes, 0.99), "time_median_us", bench_series_at(&t->us, 0.5), "time_p99_us",
	    bench_series_at(&t->us, 0.99), "time_total_ms", bench_series_sum(&t->us) * 1e-3);
}

/* One line a map: our figures at the top, the textbook's in an object of their own. */
static void print_grid(
    struct cairn_bench_out *out, const char *map, const struct bench_map *size, struct grid_result *r)
{
	double total = ratio_of(bench_series_sum(&r->textbook.us), r->shared_us);
	double median = bench_series_at(&r->ratios, 0.5);
	out->lines++;
	if (!out->json) {
		printf("%-16s %5d problems, %d optimal, worst error %.1e (%.1e beyond the printed digits), "
		       "unreachable %d of %d; median %.0f "
		       "nodes "
		       "%.1f us, p99 %.0f nodes %.1f us; textbook A* median %.0f nodes %.1f us, p99 %.1f us: "
		       "%.1f times as long in all, %.1f in the median of %d problems\n",
		    map, r->ours.problems, r->ours.optimal, r->ours.worst_error, r->ours.worst_excess,
		    r->ours.unreachable_found, r->unreachable, bench_series_at(&r->ours.nodes, 0.5),
		    bench_series_at(&r->ours.us, 0.5), bench_series_at(&r->ours.nodes, 0.99),
		    bench_series_at(&r->ours.us, 0.99), bench_series_at(&r->textbook.nodes, 0.5),
		    bench_series_at(&r->textbook.us, 0.5), bench_series_at(&r->textbook.us, 0.99), total,
		    median, r->textbook.problems);
		fflush(stdout);
		return;
	}
	json_t *line = json_pack("{s:s, s:s, s:i, s:f}", "bench", "grid", "map", map, "unreachable",
	    r->unreachable, "prepare_ms", r->prepare_ms);
	json_t *ours = tally_json(&r->ours);
	if (size != NULL)
		json_object_update(
		    line, json_pack("{s:i, s:i}", "width", size->width, "height", size->height));
	json_object_update(line, ours);
	json_object_set_new(line, "textbook", tally_json(&r->textbook));
	json_object_set_new(line, "length_difference", json_real(r->book_difference));
	json_object_set_new(line, "ratio_total", json_real(total));
	json_object_set_new(line, "ratio_median", json_real(median));
	json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(7));
	printf("\n");
	fflush(stdout);
	json_decref(ours);
	json_decref(line);
}

static bool merge_series(struct bench_series *to, const struct bench_series *from)
{
	for (int i = 0; i < from->count; i++)
		if (!bench_series_add(to, from->values[i]))
			return false;
	return true;
}

static bool merge(struct tally *to, const struct tally *from)
{
	to->problems += from->problems;
	to->optimal += from->optimal;
	to->unreachable_found += from->unreachable_found;
	to->worst_error = fmax(to->worst_error, from->worst_error);
	to->worst_excess = fmax(to->worst_excess, from->worst_excess);
	return merge_series(&to->nodes, &from->nodes) && merge_series(&to->us, &from->us);
}

/* False when it could not be measured. */
static bool run_scenario(
    struct cairn_bench_out *out, const char *path, const char *map_dir, long at_most, struct grid_result *all)
{
	struct bench_scenario s;
	struct cairn_error err;
	struct cairn_passable open = {0};
	struct grid_result r = {0};
	if (!bench_scenario_read(&s, path, map_dir, &err)) {
		fprintf(stderr, "cairn bench planner: %s\n", err.text);
		return false;
	}
	struct cairn_jump *jump = cairn_jump_new();
	struct bench_textbook *textbook = bench_textbook_new(&s.map);
	int64_t t0 = busy_ns();
	bool ok =
	    jump != NULL && textbook != NULL &&
	    cairn_passable_set(&open, s.map.passable, (size_t)s.map.width, s.map.width, s.map.height) == 0;
	r.prepare_ms = (double)(busy_ns() - t0) * 1e-6;
	struct contest c = {&open, jump, textbook, (int)((s.count + at_most - 1) / at_most)};
	for (int i = 0; i < s.count && ok; i++)
		ok = solve(&c, &s.problems[i], i % c.textbook_every == 0, &r);
	if (ok) {
		all->unreachable += r.unreachable;
		all->prepare_ms += r.prepare_ms;
		all->shared_us += r.shared_us;
		all->book_difference = fmax(all->book_difference, r.book_difference);
		ok = merge(&all->ours, &r.ours) && merge(&all->textbook, &r.textbook) &&
		     merge_series(&all->ratios, &r.ratios);
		print_grid(out, s.map_name, &s.map, &r);
	} else {
		fprintf(stderr, "cairn bench planner: %s: out of memory\n", path);
	}
	tally_free(&r.ours);
	tally_free(&r.textbook);
	free(r.ratios.values);
	cairn_jump_destroy(&jump);
	bench_textbook_destroy(&textbook);
	cairn_passable_free(&open);
	bench_scenario_free(&s);
	return ok;
}

/* Fails when a length is not the published one or an unreachable goal is not recognised. */
static bool bench_grid(struct cairn_bench_out *out)
{
	struct grid_result all = {0};
	const char *map_dir = cli_value(out->cli, "map-dir");
	int given;
	const char *const *files = cli_values(out->cli, "scen", &given);
	long at_most = cli_count(out->cli, "textbook", TEXTBOOK_PROBLEMS);
	if (at_most < 0)
		return false;
	bool ok = true;
	int maps = given + out->cli->arg_count - 1;
	for (int i = 0; i < maps; i++) {
		const char *file = i < given ? files[i] : out->cli->args[1 + i - given];
		ok = run_scenario(out, file, map_dir, at_most, &all) && ok;
	}
	if (maps > 1 && ok)
		print_grid(out, "all", NULL, &all);
	bool right = all.ours.optimal + all.ours.unreachable_found == all.ours.problems;
	if (!right)
		fprintf(stderr, "cairn bench planner: %d of %d problems were not solved as published\n",
		    all.ours.problems - all.ours.optimal - all.ours.unreachable_found, all.ours.problems);
	tally_free(&all.ours);
	tally_free(&all.textbook);
	free(all.ratios.values);
	return ok && right;
}

bool cairn_bench_planner(struct cairn_bench_out *out)
{
	int scenarios;
	(void)cli_values(out->cli, "scen", &scenarios);
	if (scenarios > 0)
		return bench_grid(out);
	return bench_planner_costmap(out) && bench_planner_hybrid(out, cli_value(out->cli, "houses"));
}
