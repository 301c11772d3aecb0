#include "procs/lab/agent_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "procs/lab/provenance.h"

#define ROBOT_M 0.25
#define EPISODES_MAX 4000

int agent_row_find(const struct agent_row_name *names, int first, int count, const char *name, size_t length)
{
	int i = first;
	while (i < count && (strlen(names[i].name) != length || strncmp(names[i].name, name, length) != 0))
		i++;
	return i;
}

double agent_mean(double sum, double n)
{
	return n > 0.0 ? sum / n : 0.0;
}

double agent_spl(bool success, double shortest_m, double path_m)
{
	return success ? (shortest_m + ROBOT_M) / (fmax(path_m, shortest_m) + ROBOT_M) : 0.0;
}

json_t *agent_interval_json(struct cairn_interval v)
{
	return v.count > 0 ? json_pack("{s:f,s:f,s:f}", "mean", v.mean, "low", v.low, "high", v.high)
			   : json_null();
}

json_t *agent_limits_json(const uint32_t limits[CAIRN_AGENT_LIMIT_COUNT])
{
	json_t *list = json_object();
	for (int k = 0; k < CAIRN_AGENT_LIMIT_COUNT; k++)
		json_object_set_new(
		    list, cairn_enum_text(&cairn_enum_agent_limit, k), json_integer(limits[k]));
	return list;
}

double agent_number(const json_t *at, const char *name)
{
	return json_number_value(json_object_get(at, name));
}

const char *agent_text(const json_t *at, const char *name)
{
	const char *value = json_string_value(json_object_get(at, name));
	return value != NULL ? value : "";
}

void agent_interval_cell(char cell[AGENT_CELL_CAP], const json_t *row, const char *name, int digits)
{
	const json_t *v = json_object_get(row, name);
	if (json_is_object(v))
		snprintf(cell, AGENT_CELL_CAP, "%.*f (%.*f ... %.*f)", digits, agent_number(v, "mean"),
		    digits, agent_number(v, "low"), digits, agent_number(v, "high"));
	else
		snprintf(cell, AGENT_CELL_CAP, "-");
}

void agent_times_cell(char cell[AGENT_CELL_CAP], const json_t *row)
{
	double shortest_m = agent_number(row, "shortest_m");
	snprintf(cell, AGENT_CELL_CAP, shortest_m > 0.0 ? "%.2f" : "-",
	    shortest_m > 0.0 ? agent_number(row, "way_m") / shortest_m : 0.0);
}

struct cairn_report *agent_page_new(const char *title, const char *summary, const json_t *figures,
    const char *command, bool passed, struct cairn_error *err)
{
	char version[128];
	snprintf(version, sizeof(version), "%s (%s)", CAIRN_VERSION, cairn_provenance_commit());
	const struct cairn_report_fact facts[] = {
	    {"version", version}, {"boundary", agent_text(figures, "boundary")}};
	struct cairn_report *page = cairn_report_new(&(struct cairn_report_head){.title = title,
	    .summary = summary,
	    .command = command != NULL ? command : "",
	    .facts = facts,
	    .fact_count = 2,
	    .mark = passed ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD,
	    .verdict = passed ? "passed" : "failed"});
	if (page == NULL)
		cairn_error_set(err, "out of memory");
	return page;
}

bool agent_page_end(struct cairn_report *page, const char *order, const json_t *figures,
    agent_episode_fn *episode, const char *dir, struct cairn_error *err)
{
	const json_t *episodes = json_object_get(figures, "episodes");
	cairn_report_heading(page, "Episodes", order);
	for (size_t i = 0; i < json_array_size(episodes) && i < EPISODES_MAX; i++)
		episode(page, json_array_get(episodes, i));
	bool ok = cairn_report_write(page, dir, err);
	cairn_report_destroy(&page);
	return ok;
}
