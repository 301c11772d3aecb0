/* eval_frequency_report.c - the page of `cairn eval frequency`, made of its figures. */
#include "procs/lab/eval_frequency.h"

#include <stdio.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/report.h"
#include "procs/cli/rundir.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define ROWS_MAX 32
#define CELL_CAP 64

struct row {
	char text[8][CELL_CAP];
};

static double part(const json_t *o, const char *name, const char *of)
{
	return json_number_value(json_object_get(json_object_get(o, name), of));
}

static double mean(const json_t *o, const char *name)
{
	return part(o, name, "mean");
}

static void fill(struct row *row, double hz, const char *home, const json_t *o)
{
	snprintf(row->text[0], CELL_CAP, "%.1f Hz", hz);
	snprintf(row->text[1], CELL_CAP, "%.40s", home);
	snprintf(row->text[2], CELL_CAP, "%.1f, %.1f", mean(o, "calls_by_need"), mean(o, "calls_fixed"));
	snprintf(row->text[3], CELL_CAP, "%.0f (%.0f ... %.0f)", 100.0 * mean(o, "saved"),
	    100.0 * part(o, "saved", "low"), 100.0 * part(o, "saved", "high"));
	snprintf(row->text[4], CELL_CAP, "%.0f, %.0f", mean(o, "seconds_by_need"), mean(o, "seconds_fixed"));
	snprintf(row->text[5], CELL_CAP, "%.4f, %.4f", mean(o, "usd_by_need"), mean(o, "usd_fixed"));
	snprintf(row->text[6], CELL_CAP, "%.1f, %.1f", 100.0 * mean(o, "coverage_by_need"),
	    100.0 * mean(o, "coverage_fixed"));
	snprintf(
	    row->text[7], CELL_CAP, "%.2f, %.2f", mean(o, "contacts_by_need"), mean(o, "contacts_fixed"));
}

static void homes_table(struct cairn_report *page, const json_t *rates)
{
	static const struct cairn_report_column columns[] = {{"against", false}, {"home", false},
	    {"calls", true}, {"saved (%)", true}, {"time (s)", true}, {"cost (USD)", true},
	    {"seen at the end (%)", true}, {"contacts", true}};
	struct row rows[ROWS_MAX];
	const char *cells[8 * ROWS_MAX], *home;
	uint32_t count = 0;
	size_t i;
	json_t *rate, *o;
	json_array_foreach(rates, i, rate)
	{
		double hz = json_number_value(json_object_get(rate, "fixed_hz"));
		json_object_foreach(json_object_get(rate, "homes"), home, o)
		{
			if (count < ROWS_MAX)
				fill(&rows[count++], hz, home, o);
		}
	}
	for (uint32_t r = 0; r < count; r++)
		for (uint32_t c = 0; c < 8; c++)
			cells[8 * r + c] = rows[r].text[c];
	cairn_report_table(page,
	    &(struct cairn_report_table){
		.caption = "By home: asked by need, and at the fixed rate. Calls, time and cost until both "
			   "had seen the same floor; means over the seeds, with 95 % bootstrap intervals "
			   "where there is one.",
		.columns = columns,
		.column_count = 8,
		.row_count = count,
		.cells = cells});
}

static void saved_chart(struct cairn_report *page, const json_t *rates)
{
	struct cairn_report_interval items[ROWS_MAX];
	char names[ROWS_MAX][CELL_CAP];
	uint32_t count = 0;
	size_t i;
	json_t *rate;
	json_array_foreach(rates, i, rate)
	{
		if (count == ROWS_MAX)
			break;
		snprintf(names[count], CELL_CAP, "against %.1f Hz",
		    json_number_value(json_object_get(rate, "fixed_hz")));
		items[count] = (struct cairn_report_interval){.name = names[count],
		    .mean = 100.0 * mean(rate, "saved"),
		    .low = 100.0 * part(rate, "saved", "low"),
		    .high = 100.0 * part(rate, "saved", "high")};
		count++;
	}
	cairn_report_intervals(
	    page, &(struct cairn_report_intervals){.file = "saved",
		      .title = "Calls saved in all homes together",
		      .caption = "Share of the calls at the fixed rate that asking by need did not take, for "
				 "the same floor; means over "
				 "the seeds with 95 % bootstrap intervals. The line: half of them.",
		      .x_label = "calls saved (%)",
		      .items = items,
		      .count = count,
		      .has_reference = true,
		      .reference = 50.0});
}

bool frequency_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err)
{
	const json_t *rates = json_object_get(figures, "rates");
	char version[128], seeds[32], price[64];
	snprintf(version, sizeof(version), "%s (%s), build %016llx", CAIRN_VERSION, cairn_provenance_commit(),
	    (unsigned long long)cairn_program_hash(CAIRN_HASH_START));
	snprintf(seeds, sizeof(seeds), "%d", (int)json_integer_value(json_object_get(figures, "seeds")));
	snprintf(
	    price, sizeof(price), "%.6f USD", json_number_value(json_object_get(figures, "usd_per_call")));
	const struct cairn_report_fact facts[] = {{"version", version},
	    {"configuration", json_string_value(json_object_get(figures, "configuration"))},
	    {"seeds of each home", seeds}, {"a call costs on average", price}};
	struct cairn_report *page =
	    cairn_report_new(&(struct cairn_report_head){.title = "How often a model is asked",
		.summary = "The bundled homes explored with the scripted pilot, asked by need (when a "
			   "decision is wanted) and at fixed "
			   "rates, with the same seeds: what the same floor takes in calls, time and money.",
		.command = command != NULL ? command : "",
		.facts = facts,
		.fact_count = sizeof(facts) / sizeof(facts[0]),
		.mark = passed ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD,
		.verdict = passed ? "passed" : "failed"});
	if (page == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	saved_chart(page, rates);
	homes_table(page, rates);
	bool ok = cairn_report_write(page, dir, err);
	cairn_report_destroy(&page);
	return ok;
}
