/* eval_explore_text.c - the figures of explorations for people at a terminal. */
#include <stdlib.h>
#include <string.h>

#include "procs/lab/eval_explore.h"

#define TITLE_WIDTH 38
#define CELL_WIDTH 24

void explore_interval_text(char *buf, size_t cap, struct cairn_interval i, int digits)
{
	if (i.count == 0)
		snprintf(buf, cap, "–");
	else if (i.high - i.low < 1e-9)
		snprintf(buf, cap, "%.*f", digits, i.mean);
	else
		snprintf(buf, cap, "%.*f (%.*f … %.*f)", digits, i.mean, digits, i.low, digits, i.high);
}

/* Padded by characters, not by bytes. */
static void put(FILE *out, const char *text, int width)
{
	int shown = 0;
	for (const char *at = text; *at != '\0'; at++)
		shown += ((unsigned char)*at & 0xC0) != 0x80;
	fprintf(out, "%s%*s", text, shown < width ? width - shown : 1, "");
}

const char *explore_mean_words(const struct explore_plan *p)
{
	return p->world_count > 1 ? "mean of the houses (95 % interval)"
				  : "mean of the seeds (95 % interval)";
}

static void means(FILE *out, const struct explore_plan *p)
{
	put(out, explore_mean_words(p), TITLE_WIDTH);
	for (uint32_t m = 0; m < p->mode_count; m++)
		put(out, cairn_trial_mode_name(p->modes[m]), CELL_WIDTH);
	fputc('\n', out);
	for (uint32_t i = 0; i < explore_metric_count; i++) {
		struct cairn_interval mean[CAIRN_TRIAL_MODE_COUNT];
		const char *none = explore_metric_none(&explore_metrics[i]);
		bool some = none != NULL;
		for (uint32_t m = 0; m < p->mode_count; m++) {
			mean[m] = explore_mean(p, m, &explore_metrics[i]);
			some |= mean[m].count > 0;
		}
		if (!some)
			continue;
		put(out, explore_metrics[i].title, TITLE_WIDTH);
		for (uint32_t m = 0; m < p->mode_count; m++) {
			char cell[64];
			explore_interval_text(cell, sizeof(cell), mean[m], explore_metrics[i].digits);
			put(out, mean[m].count == 0 && none != NULL ? none : cell, CELL_WIDTH);
		}
		fputc('\n', out);
	}
}

static void difference(
    FILE *out, const struct explore_plan *p, uint32_t against, const struct explore_contrast *c)
{
	char cell[64];
	uint32_t pairs, cap = p->world_count * p->seeds;
	struct explore_gap *gaps = calloc(cap, sizeof(*gaps));
	uint32_t count =
	    explore_left_out(p, 0, against, EXPLORE_ALL, c, gaps, gaps != NULL ? cap : 0, &pairs);
	explore_interval_text(cell, sizeof(cell), explore_compare(p, 0, against, EXPLORE_ALL, c), 1);
	fprintf(out, "  %s: %s, %u pairs, %u left out\n", c->title, cell, pairs, count);
	for (uint32_t i = 0; gaps != NULL && i < count; i++)
		fprintf(out, "    left out: %s, seed %u: %s\n", p->worlds[gaps[i].world].name, gaps[i].seed,
		    gaps[i].why);
	free(gaps);
}

void explore_starts_words(const struct explore_plan *p, char *ret, size_t cap)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->world_count * p->mode_count * p->seeds; i++)
		count += p->done[i] && !p->results[i].failed && p->results[i].trial.no_other_start;
	snprintf(ret, cap,
	    count > 0 ? "%u trials started at the world's own start: no other place fits." : "", count);
}

char *explore_text(const struct explore_plan *p, const struct explore_verdict *v)
{
	char *text = NULL, starts[120], unjudged[300];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "%u houses, %u seeds from %u on, %u modes, %.0f s at most\n\n", p->world_count, p->seeds,
	    p->first_seed, p->mode_count, p->duration_s);
	means(out, p);
	for (uint32_t m = 1; m < p->mode_count; m++) {
		fprintf(out, "\n%s against %s, pairs of the same house and seed\n",
		    cairn_trial_mode_name(p->modes[0]), cairn_trial_mode_name(p->modes[m]));
		for (uint32_t i = 0; i < explore_contrast_count; i++)
			difference(out, p, m, &explore_contrasts[i]);
	}
	explore_starts_words(p, starts, sizeof(starts));
	explore_unjudged_words(v, unjudged, sizeof(unjudged));
	fprintf(out, "\n%s%s%s%s", starts, starts[0] != '\0' ? "\n" : "", unjudged,
	    unjudged[0] != '\0' ? "\n" : "");
	for (uint32_t i = 0; i < v->count && i < EXPLORE_FAULTS_MAX; i++) {
		char words[400];
		explore_fault_words(p, &v->faults[i], words, sizeof(words));
		fprintf(out, "fault: %s\n", words);
	}
	if (v->count > EXPLORE_FAULTS_MAX)
		fprintf(out, "and %u more faults\n", v->count - EXPLORE_FAULTS_MAX);
	fclose(out);
	return text;
}
