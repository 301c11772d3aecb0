/* eval_explore_report.c - the page about trials: curves, means, differences, houses, faults. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "procs/cli/rundir.h"
#include "procs/lab/eval_explore.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define HALVES_MIN 4 /* houses */
#define CELL_CAP 48

static const char *name_of(const struct explore_plan *p, uint32_t mode)
{
	return cairn_trial_mode_name(p->modes[mode]);
}

/* ---- means ---- */

static void add_means(struct cairn_report *report, const struct explore_plan *p)
{
	struct cairn_report_column columns[CAIRN_TRIAL_MODE_COUNT + 1] = {{explore_mean_words(p), false}};
	uint32_t width = p->mode_count + 1;
	char(*text)[CELL_CAP] = calloc((size_t)explore_metric_count * width, CELL_CAP);
	const char **cells = calloc((size_t)explore_metric_count * width, sizeof(*cells));
	for (uint32_t m = 0; m < p->mode_count; m++)
		columns[m + 1] = (struct cairn_report_column){name_of(p, m), true};
	uint32_t rows = 0;
	for (uint32_t i = 0; text != NULL && cells != NULL && i < explore_metric_count; i++) {
		const char *none = explore_metric_none(&explore_metrics[i]);
		bool some = none != NULL; /* what could not be judged is said, too */
		cells[rows * width] = explore_metrics[i].title;
		for (uint32_t m = 0; m < p->mode_count; m++) {
			uint32_t at = rows * width + m + 1;
			struct cairn_interval mean = explore_mean(p, m, &explore_metrics[i]);
			explore_interval_text(text[at], CELL_CAP, mean, explore_metrics[i].digits);
			if (mean.count == 0 && none != NULL)
				snprintf(text[at], CELL_CAP, "%s", none);
			cells[at] = text[at];
			some |= mean.count > 0;
		}
		rows += some;
	}
	if (cells != NULL && text != NULL)
		cairn_report_table(
		    report, &(struct cairn_report_table){
				.caption = "Means over the houses, of each the mean of its seeds (of one "
					   "house over its seeds), with 95 % bootstrap intervals (BCa). "
					   "A dash: does not apply, or is not known.",
				.columns = columns,
				.column_count = width,
				.row_count = rows,
				.cells = cells});
	free(text);
	free(cells);
}

/* What a mean is of (eval_explore_figures.c). */
static const char *units_of(const struct explore_plan *p)
{
	return p->world_count > 1 ? "houses" : "seeds";
}

static void add_curves(struct cairn_report *report, const struct explore_plan *p)
{
	enum { POINTS = 121 };
	struct cairn_report_series series[CAIRN_TRIAL_MODE_COUNT];
	double(*values)[4][POINTS] = calloc(p->mode_count, sizeof(*values));
	double *shares = calloc((size_t)p->world_count * p->seeds, sizeof(*shares));
	for (uint32_t m = 0; values != NULL && shares != NULL && m < p->mode_count; m++) {
		for (uint32_t k = 0; k < POINTS; k++) {
			double at_s = p->duration_s * k / (POINTS - 1);
			uint32_t n = 0;
			for (uint32_t w = 0; w < p->world_count; w++) {
				double sum = 0.0, count = 0.0;
				for (uint32_t s = 0; s < p->seeds; s++) {
					const struct cairn_trial_result *r = explore_result(p, w, m, s);
					double share = r != NULL ? 100.0 * cairn_trial_seen(r, at_s) : 0.0;
					sum += share;
					count += r != NULL;
					if (p->world_count == 1 && r != NULL)
						shares[n++] = share;
				}
				if (p->world_count > 1 && count > 0.0)
					shares[n++] = sum / count;
			}
			struct cairn_interval i = cairn_interval_of_mean(shares, n);
			values[m][0][k] = at_s / 60.0;
			values[m][1][k] = i.mean;
			values[m][2][k] = i.low;
			values[m][3][k] = i.high;
		}
		series[m] = (struct cairn_report_series){.name = name_of(p, m),
		    .x = values[m][0],
		    .y = values[m][1],
		    .low = values[m][2],
		    .high = values[m][3],
		    .count = POINTS,
		    .broken = p->modes[m] == CAIRN_TRIAL_SHADOW}; /* it drives as local exploration does */
	}
	char caption[160];
	snprintf(caption, sizeof(caption),
	    "Mean over the %s with its 95 %% bootstrap interval. A trial that has ended stays where it was.",
	    units_of(p));
	if (values != NULL && shares != NULL)
		cairn_report_chart(report, &(struct cairn_report_chart){.file = "coverage",
					       .title = "Seen share of the reachable floor",
					       .caption = caption,
					       .x_label = "time, min",
					       .y_label = "seen, %",
					       .series = series,
					       .series_count = p->mode_count,
					       .y_given = true,
					       .y_min = 0.0,
					       .y_max = 100.0});
	free(values);
	free(shares);
}

/* ---- differences ---- */

static void add_contrast(
    struct cairn_report *report, const struct explore_plan *p, const struct explore_contrast *c)
{
	const char *const halves[] = {
	    p->world_count > 1 ? "all houses" : "all seeds", "first half", "second half"};
	struct cairn_report_interval items[CAIRN_TRIAL_MODE_COUNT * EXPLORE_HALF_COUNT];
	char names[CAIRN_TRIAL_MODE_COUNT * EXPLORE_HALF_COUNT][64], file[64];
	uint32_t n = 0;
	for (uint32_t m = 1; m < p->mode_count; m++)
		for (int h = 0; h < (p->world_count >= HALVES_MIN ? EXPLORE_HALF_COUNT : 1); h++) {
			struct cairn_interval i = explore_compare(p, 0, m, (enum explore_half)h, c);
			if (i.count == 0)
				continue;
			snprintf(names[n], sizeof(names[n]), "against %s, %s (%u)", name_of(p, m), halves[h],
			    i.count);
			items[n] = (struct cairn_report_interval){
			    .name = names[n], .mean = i.mean, .low = i.low, .high = i.high};
			n++;
		}
	bool then = strcmp(c->name, "seen_when_90_percent") == 0;
	char caption[240];
	snprintf(caption, sizeof(caption),
	    "%s: %s against the other ways, pairs of the same house and seed; mean and 95 %% bootstrap "
	    "interval over the %s "
	    "(how many stands in brackets).%s",
	    c->title, name_of(p, 0), units_of(p),
	    then ? " Broken line: as much as the other had seen." : " Broken line: no difference.");
	snprintf(file, sizeof(file), "%s", c->name);
	for (char *at = file; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	if (n > 0)
		cairn_report_intervals(report, &(struct cairn_report_intervals){.file = file,
						   .caption = caption,
						   .x_label = c->title,
						   .items = items,
						   .count = n,
						   .has_reference = true,
						   .reference = then ? 90.0 : 0.0});
}

static void add_left_out(struct cairn_report *report, const struct explore_plan *p)
{
	static const struct cairn_report_column columns[] = {{"difference", false}, {"against", false},
	    {"house", false}, {"seed", true}, {"left out because", false}};
	uint32_t pairs, rows = 0, each = p->world_count * p->seeds,
			most = each * p->mode_count * explore_contrast_count;
	struct explore_gap *gaps = calloc(most, sizeof(*gaps));
	char(*seeds)[16] = calloc(most, sizeof(*seeds));
	const char *(*cells)[5] = calloc(most, sizeof(*cells));
	for (uint32_t m = 1; gaps != NULL && seeds != NULL && cells != NULL && m < p->mode_count; m++)
		for (uint32_t i = 0; i < explore_contrast_count; i++) {
			uint32_t first = rows;
			rows += explore_left_out(
			    p, 0, m, EXPLORE_ALL, &explore_contrasts[i], &gaps[first], each, &pairs);
			for (uint32_t k = first; k < rows; k++) {
				snprintf(seeds[k], sizeof(seeds[k]), "%u", gaps[k].seed);
				const char *row[] = {explore_contrasts[i].title, name_of(p, m),
				    p->worlds[gaps[k].world].name, seeds[k], gaps[k].why};
				memcpy(cells[k], row, sizeof(row));
			}
		}
	char text[160];
	snprintf(text, sizeof(text),
	    rows > 0 ? "%u pairs are left out of a difference, each for a reason; means of what is left."
		     : "No pair was left out of any difference.",
	    rows);
	cairn_report_heading(report, "Pairs left out", text);
	if (rows > 0)
		cairn_report_table(report, &(struct cairn_report_table){.columns = columns,
					       .column_count = 5,
					       .row_count = rows,
					       .cells = (const char *const *)cells});
	free(gaps);
	free(seeds);
	free(cells);
}

/* ---- houses ---- */

static void add_houses(struct cairn_report *report, const struct explore_plan *p)
{
	static const struct cairn_report_column columns[] = {{"house", false}, {"seed", true},
	    {"mode", false}, {"floor, m²", true}, {"ended", false}, {"time, s", true}, {"path, m", true},
	    {"90 % seen after, s", true}, {"seen, %", true}, {"largest unseen patch, m²", true},
	    {"given up", false}, {"contacts", true}};
	enum { WIDTH = sizeof(columns) / sizeof(columns[0]) };
	uint32_t rows = 0, most = p->world_count * p->mode_count * p->seeds;
	char(*text)[WIDTH][CELL_CAP] = calloc(most, sizeof(*text));
	const char *(*cells)[WIDTH] = calloc(most, sizeof(*cells));
	uint8_t *marks = calloc(most, 1);
	for (uint32_t i = 0; text != NULL && cells != NULL && marks != NULL && i < most; i++) {
		uint32_t w = i / p->mode_count / p->seeds, s = i / p->mode_count % p->seeds,
			 m = i % p->mode_count;
		const struct cairn_trial_result *r = explore_result(p, w, m, s);
		char(*t)[CELL_CAP] = text[rows];
		if (r == NULL)
			continue;
		snprintf(t[0], CELL_CAP, "%s", p->worlds[w].name);
		snprintf(t[1], CELL_CAP, "%u", r->seed);
		snprintf(t[2], CELL_CAP, "%s", name_of(p, m));
		snprintf(t[3], CELL_CAP, "%.1f", r->reachable_m2);
		snprintf(t[4], CELL_CAP, "%s", r->early ? "early" : r->explored ? "explored" : "time up");
		snprintf(t[5], CELL_CAP, "%.0f", r->seconds);
		snprintf(t[6], CELL_CAP, "%.1f", r->path_m);
		snprintf(t[7], CELL_CAP, cairn_trial_reach_s(r, 90) >= 0.0 ? "%.0f" : "–",
		    cairn_trial_reach_s(r, 90));
		snprintf(t[8], CELL_CAP, "%.1f", 100.0 * r->coverage);
		snprintf(t[9], CELL_CAP, "%.2f", r->left_m2);
		for (int c = 0; c < CAIRN_TRIAL_CAUSE_COUNT; c++) {
			size_t used = strlen(t[10]);
			if (r->causes[c] > 0)
				snprintf(t[10] + used, CELL_CAP - used, "%s%u %s", used > 0 ? ", " : "",
				    r->causes[c], cairn_trial_cause_name((enum cairn_trial_cause)c));
		}
		snprintf(t[11], CELL_CAP, "%u", r->contacts);
		for (int c = 0; c < WIDTH; c++)
			cells[rows][c] = t[c];
		marks[rows++] = r->contacts > 0 || r->early ? CAIRN_REPORT_BAD
				: r->explored               ? CAIRN_REPORT_PLAIN
							    : CAIRN_REPORT_WEAK;
	}
	if (text != NULL && cells != NULL && marks != NULL)
		cairn_report_table(report,
		    &(struct cairn_report_table){.caption = "All trials. Marked: something was touched or it "
							    "ended early (dark), or the time was up (light).",
			.columns = columns,
			.column_count = WIDTH,
			.row_count = rows,
			.cells = (const char *const *)cells,
			.marks = marks});
	free(text);
	free(cells);
	free(marks);
}

/* Which files these were. */
static void add_digests(struct cairn_report *report, const struct explore_plan *p)
{
	static const struct cairn_report_column columns[] = {
	    {"house", false}, {"file", false}, {"digest", false}};
	char(*digests)[20] = calloc(p->world_count, sizeof(*digests));
	const char *(*cells)[3] = calloc(p->world_count, sizeof(*cells));
	for (uint32_t w = 0; digests != NULL && cells != NULL && w < p->world_count; w++) {
		snprintf(digests[w], sizeof(digests[w]), "%016llx", (unsigned long long)p->worlds[w].hash);
		cells[w][0] = p->worlds[w].name;
		cells[w][1] = p->worlds[w].path;
		cells[w][2] = digests[w];
	}
	if (digests != NULL && cells != NULL)
		cairn_report_table(report, &(struct cairn_report_table){
					       .caption = "The houses, with a digest of each file (FNV-1a).",
					       .columns = columns,
					       .column_count = 3,
					       .row_count = p->world_count,
					       .cells = (const char *const *)cells});
	free(digests);
	free(cells);
}

/* Why it did not pass. */
static void add_faults(
    struct cairn_report *report, const struct explore_plan *p, const struct explore_verdict *v)
{
	static const struct cairn_report_column columns[] = {{"kind", false}, {"what", false}};
	const char *cells[EXPLORE_FAULTS_MAX][2];
	char(*words)[400] = calloc(EXPLORE_FAULTS_MAX, sizeof(*words)), text[80];
	uint32_t count = v->count < EXPLORE_FAULTS_MAX ? v->count : EXPLORE_FAULTS_MAX;
	for (uint32_t i = 0; words != NULL && i < count; i++) {
		explore_fault_words(p, &v->faults[i], words[i], sizeof(words[i]));
		cells[i][0] = explore_fault_name(v->faults[i].kind);
		cells[i][1] = words[i];
	}
	snprintf(text, sizeof(text), "Why it did not pass: %u of %u faults.", count, v->count);
	cairn_report_heading(report, "Faults", NULL);
	if (words != NULL)
		cairn_report_table(report, &(struct cairn_report_table){.caption = text,
					       .columns = columns,
					       .column_count = 2,
					       .row_count = count,
					       .cells = (const char *const *)cells});
	free(words);
}

/* ---- the page ---- */

static struct cairn_report *begin(
    const struct explore_plan *p, const struct explore_verdict *v, const char *command)
{
	struct utsname host = {.machine = ""};
	char facts[6][200], verdict[500];
	uint32_t contacts = 0, early = 0, missing = 0, total = p->world_count * p->mode_count * p->seeds;
	uname(&host);
	for (uint32_t i = 0; i < total; i++) {
		const struct explore_outcome *r = &p->results[i];
		bool done = p->done[i] && !r->failed;
		missing += !done;
		contacts += done ? r->trial.contacts : 0;
		early += done && r->trial.early;
	}
	snprintf(facts[0], sizeof(facts[0]), "%u houses, %u seeds from %u on, %u modes: %u trials",
	    p->world_count, p->seeds, p->first_seed, p->mode_count, total - missing);
	snprintf(facts[1], sizeof(facts[1]), "%.0f s at most, simulated", p->duration_s);
	snprintf(facts[2], sizeof(facts[2]), "%s; sensor and odometry noise as configured",
	    p->map == CAIRN_RUN_MAP_MAPPER ? "the robot's own mapper" : "true poses, the robot's own map");
	snprintf(facts[3], sizeof(facts[3]), "%s (%s), build %016llx, messages %d, configuration %016llx",
	    CAIRN_VERSION, cairn_provenance_commit(),
	    (unsigned long long)cairn_program_hash(CAIRN_HASH_START), CAIRN_SCHEMA_VERSION,
	    (unsigned long long)cairn_provenance_config(&p->cfg));
	snprintf(facts[4], sizeof(facts[4]), "%s %s, %ld processors", host.sysname, host.machine,
	    sysconf(_SC_NPROCESSORS_ONLN));
	if (p->provider != NULL)
		snprintf(facts[5], sizeof(facts[5]), "%.40s (%.80s), asked with pictures and prompt",
		    p->provider, p->lineup.rows[0].model);
	else
		snprintf(facts[5], sizeof(facts[5]), "the scripted pilot%s%.40s, without a prompt",
		    p->pilot != NULL ? ", profile " : "", p->pilot != NULL ? p->pilot : "");
	const struct cairn_report_fact list[] = {{"trials", facts[0]}, {"time", facts[1]}, {"map", facts[2]},
	    {"model", facts[5]}, {"version", facts[3]}, {"machine", facts[4]}};
	int used = snprintf(
	    verdict, sizeof(verdict), "%u contacts, %u ended early, %u missing", contacts, early, missing);
	if (v->count > 0) {
		char words[400];
		explore_fault_words(p, &v->faults[0], words, sizeof(words));
		snprintf(verdict + used, sizeof(verdict) - (size_t)used, "; %u faults, the first: %s",
		    v->count, words);
	}
	return cairn_report_new(&(struct cairn_report_head){.title = "Exploration: who chooses where to go",
	    .summary = "The same houses from the same starts, explored in different ways. All share the "
		       "robot, its sensors, its "
		       "planner and its safety layers; only the choice of the next frontier differs.",
	    .command = command,
	    .facts = list,
	    .fact_count = sizeof(list) / sizeof(list[0]),
	    .mark = v->passed ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD,
	    .verdict = verdict});
}

bool explore_report(const struct explore_plan *p, const struct explore_verdict *verdict, const char *command,
    struct cairn_error *err)
{
	char title[96], starts[120], unjudged[300], text[700];
	explore_starts_words(p, starts, sizeof(starts));
	explore_unjudged_words(verdict, unjudged, sizeof(unjudged));
	struct cairn_report *report = begin(p, verdict, command);
	if (report == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	if (verdict->count > 0)
		add_faults(report, p, verdict);
	cairn_report_heading(report, "Seen over time", NULL);
	add_curves(report, p);
	cairn_report_heading(report, "Means", NULL);
	add_means(report, p);
	if (p->mode_count > 1) {
		snprintf(title, sizeof(title), "What %s differs by", name_of(p, 0));
		snprintf(text, sizeof(text),
		    "Differences of pairs (same house, same seed) with 95 %% bootstrap intervals over the "
		    "%s; in brackets "
		    "how many.%s",
		    units_of(p),
		    p->world_count >= HALVES_MIN
			? " The halves are every second house in the order of their names."
			: "");
		cairn_report_heading(report, title, text);
		for (uint32_t i = 0; i < explore_contrast_count; i++)
			add_contrast(report, p, &explore_contrasts[i]);
		add_left_out(report, p);
	}
	snprintf(text, sizeof(text),
	    "An exploration is early when floor that the robot could have driven to stayed unknown to it and "
	    "no frontier near "
	    "it was given up with a reason.%s%s%s%s",
	    starts[0] != '\0' ? " " : "", starts, unjudged[0] != '\0' ? " " : "", unjudged);
	cairn_report_heading(report, "Every trial", text);
	add_houses(report, p);
	add_digests(report, p);
	explore_report_worst(report, p, verdict);
	bool ok = cairn_report_write(report, p->report_dir, err);
	cairn_report_destroy(&report);
	return ok;
}
