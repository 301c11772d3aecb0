/* eval_explore_judge.c - whether an evaluation of explorations passes, and what it fails for. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "procs/lab/eval_explore.h"

#define MODE_SEEN_MIN 90.0    /* percent at the end, mean of a mode */
#define HOUSE_SEEN_MIN 80.0   /* the same of a single trial */
#define HYBRID_LESS_MAX 5.0   /* points that hybrid may see less of a house than frontier */
#define HYBRID_LONGER_MAX 5.0 /* percent that hybrid may take longer, mean of the pairs */
#define GLANCE_M 1.0          /* who has driven no farther may have had nothing to decide */
#define HYBRID_SEEDS_MIN 8    /* a house by itself is judged by so many, and by the whole interval */
#define HYBRID_HOUSES_MIN 10  /* with fewer the mean is chance */

const char *explore_fault_name(enum explore_fault_kind kind)
{
	static const char *const names[] = {"world", "missing", "contact", "early", "unexplained",
	    "house_seen", "mode_seen", "hybrid_seen", "hybrid_time", "hybrid_house", "baseline",
	    "no_baseline", "not_driven", "model_silent"};
	_Static_assert(sizeof(names) / sizeof(names[0]) == EXPLORE_FAULT_KIND_COUNT, "one name for each");
	return names[kind];
}

static void add(struct explore_verdict *v, struct explore_fault fault)
{
	if (v->count < EXPLORE_FAULTS_MAX)
		v->faults[v->count] = fault;
	v->count++;
	v->passed = false;
}

/* ---- the baseline ---- */

static const struct explore_baseline_row *row_of(
    const struct explore_baseline *b, const char *world, enum cairn_trial_mode mode, uint32_t seed)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (b->rows[i].mode == mode && b->rows[i].seed == seed &&
		    strcmp(b->rows[i].world, world) == 0)
			return &b->rows[i];
	return NULL;
}

static bool driven(const struct explore_plan *p, const struct explore_baseline_row *row)
{
	bool some = explore_mode(p, row->mode) >= 0 && row->seed >= p->first_seed &&
		    row->seed < p->first_seed + p->seeds;
	for (uint32_t w = 0; some && w < p->world_count; w++)
		if (strcmp(p->worlds[w].name, row->world) == 0)
			return true;
	return false;
}

static bool read_line(char *line, struct explore_baseline *b)
{
	struct explore_baseline_row row;
	char mode[16];
	int end = 0;
	line[strcspn(line, "#\n")] = '\0';
	while (isspace((unsigned char)*line))
		line++;
	if (*line == '\0')
		return true;
	if (sscanf(line, "allowance %lf %n", &b->allowance_points, &end) == 1)
		return line[end] == '\0' && b->allowance_points >= 0.0 && b->allowance_points <= 100.0;
	if (b->count == EXPLORE_BASELINE_MAX ||
	    sscanf(line, "%39s %15s %u %lf %n", row.world, mode, &row.seed, &row.seen_percent, &end) != 4 ||
	    line[end] != '\0')
		return false;
	int parsed = cairn_trial_mode_parse(mode);
	row.mode = (enum cairn_trial_mode)parsed;
	if (parsed < 0 || !(row.seen_percent >= 0.0 && row.seen_percent <= 100.0) ||
	    row_of(b, row.world, row.mode, row.seed) != NULL)
		return false;
	b->rows[b->count++] = row;
	return true;
}

bool explore_baseline_load(const char *path, struct explore_baseline *ret, struct cairn_error *err)
{
	char line[256];
	FILE *f = cairn_file_stream(path, 0, err);
	*ret = (struct explore_baseline){.allowance_points = -1.0};
	if (f == NULL)
		return false;
	bool ok = true;
	uint32_t number = 0;
	while (ok && fgets(line, sizeof(line), f) != NULL) {
		number++;
		ok = read_line(line, ret);
	}
	fclose(f);
	if (!ok)
		cairn_error_set(err,
		    "%s:%u: neither \"allowance POINTS\" nor a new \"WORLD MODE SEED PERCENT\"", path,
		    number);
	else if (ret->allowance_points < 0.0 || ret->count == 0)
		cairn_error_set(err, "%s: needs a line \"allowance POINTS\" and one for each trial", path);
	return ok && ret->allowance_points >= 0.0 && ret->count > 0;
}

static void judge_baseline(const struct explore_plan *p, struct explore_verdict *v)
{
	const struct explore_baseline *b = p->baseline;
	for (uint32_t i = 0; i < b->count; i++)
		if (!driven(p, &b->rows[i]))
			add(v, (struct explore_fault){
				   EXPLORE_FAULT_NOT_DRIVEN, i, EXPLORE_ANY, b->rows[i].seed, 0.0, 0.0});
	for (uint32_t w = 0; w < p->world_count; w++)
		for (uint32_t m = 0; m < p->mode_count; m++)
			for (uint32_t s = 0; s < p->seeds; s++) {
				const struct cairn_trial_result *r = explore_result(p, w, m, s);
				const struct explore_baseline_row *row =
				    row_of(b, p->worlds[w].name, p->modes[m], p->first_seed + s);
				if (r == NULL)
					continue;
				double seen = 100.0 * r->coverage,
				       least = row != NULL ? row->seen_percent - b->allowance_points : 0.0;
				if (row == NULL)
					add(v, (struct explore_fault){
						   EXPLORE_FAULT_NO_BASELINE, w, m, s, seen, 0.0});
				else if (!(seen >= least))
					add(v, (struct explore_fault){
						   EXPLORE_FAULT_BASELINE, w, m, s, seen, least});
			}
}

/* ---- the rest ---- */

/* Where no model answers, local exploration drives and sees as much: that says nothing of the model. A house that is seen
 * from where the robot starts asks nobody anything. */
static bool model_silent(const struct cairn_trial_result *r)
{
	enum cairn_trial_mode mode = (enum cairn_trial_mode)r->mode;
	if (!cairn_trial_asks(mode))
		return false;
	uint32_t used = cairn_trial_driven(mode) ? r->decisions : r->calls - r->failures;
	return 2 * (uint64_t)r->failures > r->calls || (used == 0 && r->path_m > GLANCE_M);
}

static void judge_trial(
    const struct explore_plan *p, uint32_t w, uint32_t m, uint32_t s, struct explore_verdict *v)
{
	const struct cairn_trial_result *r = explore_result(p, w, m, s);
	if (r == NULL) {
		add(v, (struct explore_fault){EXPLORE_FAULT_MISSING, w, m, s, 0.0, 0.0});
		return;
	}
	if (r->contacts > 0)
		add(v, (struct explore_fault){EXPLORE_FAULT_CONTACT, w, m, s, r->contacts, 0.0});
	if (r->early)
		add(v, (struct explore_fault){EXPLORE_FAULT_EARLY, w, m, s, r->early_m2, 0.0});
	if (r->unexplained > 0)
		add(v, (struct explore_fault){EXPLORE_FAULT_UNEXPLAINED, w, m, s, r->unexplained, 0.0});
	if (model_silent(r))
		add(v, (struct explore_fault){EXPLORE_FAULT_MODEL_SILENT, w, m, s, r->failures, r->calls});
	if (!(100.0 * r->coverage >= HOUSE_SEEN_MIN))
		add(v, (struct explore_fault){
			   EXPLORE_FAULT_HOUSE_SEEN, w, m, s, 100.0 * r->coverage, HOUSE_SEEN_MIN});
}

static const struct explore_metric *seen(void)
{
	uint32_t i = 0;
	while (i + 1 < explore_metric_count && strcmp(explore_metrics[i].name, "seen_percent") != 0)
		i++;
	return &explore_metrics[i];
}

static double mean_in(const struct explore_plan *p, uint32_t w, uint32_t m)
{
	double sum = 0.0, n = 0.0;
	for (uint32_t s = 0; s < p->seeds; s++) {
		const struct cairn_trial_result *r = explore_result(p, w, m, s);
		sum += r != NULL ? 100.0 * r->coverage : 0.0;
		n += r != NULL;
	}
	return n > 0.0 ? sum / n : NAN;
}

static void judge_hybrid_time(const struct explore_plan *p, uint32_t h, uint32_t f,
    const struct explore_contrast *time, struct explore_verdict *v)
{
	struct cairn_interval longer = explore_compare(p, h, f, EXPLORE_ALL, time);
	bool by_mean = p->world_count >= HYBRID_HOUSES_MIN && longer.count >= HYBRID_HOUSES_MIN;
	v->hybrid_time = by_mean ? EXPLORE_JUDGED : EXPLORE_TOO_FEW;
	v->hybrid_houses = longer.count;
	if (by_mean && longer.mean > HYBRID_LONGER_MAX)
		add(v, (struct explore_fault){EXPLORE_FAULT_HYBRID_TIME, EXPLORE_ANY, h, EXPLORE_ANY,
			   longer.mean, HYBRID_LONGER_MAX});
	for (uint32_t w = 0; w < p->world_count; w++) {
		longer = explore_compare_house(p, h, f, w, time);
		if (longer.count < HYBRID_SEEDS_MIN)
			continue;
		v->hybrid_time = EXPLORE_JUDGED;
		if (longer.low > HYBRID_LONGER_MAX)
			add(v, (struct explore_fault){EXPLORE_FAULT_HYBRID_HOUSE, w, h, EXPLORE_ANY,
				   longer.mean, HYBRID_LONGER_MAX});
	}
}

/* With the scripted pilot: a real model is measured, and not the fault of what offers it candidates. */
static void judge_hybrid(const struct explore_plan *p, struct explore_verdict *v)
{
	int h = explore_mode(p, CAIRN_TRIAL_HYBRID), f = explore_mode(p, CAIRN_TRIAL_FRONTIER);
	if (h < 0 || f < 0 || !p->scripted)
		return;
	for (uint32_t w = 0; w < p->world_count; w++) {
		double less = mean_in(p, w, (uint32_t)f) - mean_in(p, w, (uint32_t)h);
		if (less > HYBRID_LESS_MAX)
			add(v, (struct explore_fault){EXPLORE_FAULT_HYBRID_SEEN, w, (uint32_t)h, EXPLORE_ANY,
				   less, HYBRID_LESS_MAX});
	}
	for (uint32_t i = 0; i < explore_contrast_count; i++)
		if (strcmp(explore_contrasts[i].name, "seconds_percent") == 0)
			judge_hybrid_time(p, (uint32_t)h, (uint32_t)f, &explore_contrasts[i], v);
}

void explore_judge(const struct explore_plan *p, struct explore_verdict *v)
{
	*v = (struct explore_verdict){.passed = true};
	for (uint32_t i = 0; i < p->bad_count; i++)
		add(v, (struct explore_fault){EXPLORE_FAULT_WORLD, i, EXPLORE_ANY, EXPLORE_ANY, 0.0, 0.0});
	for (uint32_t w = 0; w < p->world_count; w++)
		for (uint32_t m = 0; m < p->mode_count; m++)
			for (uint32_t s = 0; s < p->seeds; s++)
				judge_trial(p, w, m, s, v);
	for (uint32_t m = 0; m < p->mode_count; m++) {
		struct cairn_interval mean = explore_mean(p, m, seen());
		if (mean.count > 0 && !(mean.mean >= MODE_SEEN_MIN))
			add(v, (struct explore_fault){EXPLORE_FAULT_MODE_SEEN, EXPLORE_ANY, m, EXPLORE_ANY,
				   mean.mean, MODE_SEEN_MIN});
	}
	judge_hybrid(p, v);
	if (p->baseline != NULL)
		judge_baseline(p, v);
}

/* ---- in words ---- */

void explore_unjudged_words(const struct explore_verdict *v, char *ret, size_t cap)
{
	snprintf(ret, cap, "%s", "");
	if (v->hybrid_time == EXPLORE_TOO_FEW)
		snprintf(ret, cap,
		    "Not judged: how much longer hybrid takes than frontier; that takes %d houses, or %d "
		    "seeds of one, that both explored to "
		    "the end, and %u can be compared.",
		    HYBRID_HOUSES_MIN, HYBRID_SEEDS_MIN, v->hybrid_houses);
}

static const char *why_missing(const struct explore_plan *p, const struct explore_fault *f)
{
	size_t i = ((size_t)f->world * p->mode_count + f->mode) * p->seeds + f->seed;
	return p->done[i] && p->results[i].failed ? p->results[i].why : "not driven";
}

void explore_fault_words(const struct explore_plan *p, const struct explore_fault *f, char *ret, size_t cap)
{
	char where[160] = "";
	const char *mode = f->mode != EXPLORE_ANY ? cairn_trial_mode_name(p->modes[f->mode]) : "";
	if (f->kind == EXPLORE_FAULT_NOT_DRIVEN)
		snprintf(where, sizeof(where), "%s, %s, seed %u", p->baseline->rows[f->world].world,
		    cairn_trial_mode_name(p->baseline->rows[f->world].mode), f->seed);
	else if (f->kind != EXPLORE_FAULT_WORLD && f->world != EXPLORE_ANY && f->seed != EXPLORE_ANY)
		snprintf(where, sizeof(where), "%s, %s, seed %u", p->worlds[f->world].name, mode,
		    p->first_seed + f->seed);
	else if (f->kind != EXPLORE_FAULT_WORLD && f->world != EXPLORE_ANY)
		snprintf(where, sizeof(where), "%s, %s", p->worlds[f->world].name, mode);
	switch (f->kind) {
	case EXPLORE_FAULT_WORLD:
		snprintf(ret, cap, "%.180s left out: %s", p->bad[f->world].path, p->bad[f->world].why);
		break;
	case EXPLORE_FAULT_MISSING:
		snprintf(ret, cap, "%s: no result: %s", where, why_missing(p, f));
		break;
	case EXPLORE_FAULT_CONTACT:
		snprintf(ret, cap, "%s: %.0f contacts", where, f->value);
		break;
	case EXPLORE_FAULT_EARLY:
		snprintf(ret, cap, "%s: ended early, %.2f m² of reachable floor left without a reason", where,
		    f->value);
		break;
	case EXPLORE_FAULT_UNEXPLAINED:
		snprintf(ret, cap, "%s: %.0f frontiers left without a reason", where, f->value);
		break;
	case EXPLORE_FAULT_HOUSE_SEEN:
		snprintf(ret, cap, "%s: %.1f %% seen, less than %.0f", where, f->value, f->limit);
		break;
	case EXPLORE_FAULT_MODE_SEEN:
		snprintf(ret, cap, "%s: %.1f %% seen on average, less than %.0f", mode, f->value, f->limit);
		break;
	case EXPLORE_FAULT_HYBRID_SEEN:
		snprintf(ret, cap, "%s: %.1f points less seen than by frontier, more than %.0f", where,
		    f->value, f->limit);
		break;
	case EXPLORE_FAULT_HYBRID_TIME:
		snprintf(ret, cap, "hybrid takes %.1f %% longer than frontier on average, more than %.0f",
		    f->value, f->limit);
		break;
	case EXPLORE_FAULT_HYBRID_HOUSE:
		snprintf(ret, cap,
		    "%s: takes %.1f %% longer than frontier, by its seeds surely more than %.0f", where,
		    f->value, f->limit);
		break;
	case EXPLORE_FAULT_BASELINE:
		snprintf(ret, cap, "%s: %.1f %% seen, less than the baseline allows (%.1f)", where, f->value,
		    f->limit);
		break;
	case EXPLORE_FAULT_NO_BASELINE:
		snprintf(ret, cap, "%s: not in the baseline (%.1f %% seen)", where, f->value);
		break;
	case EXPLORE_FAULT_NOT_DRIVEN:
		snprintf(ret, cap, "%s: in the baseline, and not driven", where);
		break;
	case EXPLORE_FAULT_MODEL_SILENT:
		snprintf(ret, cap,
		    "%s: %.0f of %.0f calls of the model without a usable answer, %u of its decisions driven",
		    where, f->value, f->limit, explore_result(p, f->world, f->mode, f->seed)->decisions);
		break;
	case EXPLORE_FAULT_KIND_COUNT:
		ret[0] = '\0';
	}
}
