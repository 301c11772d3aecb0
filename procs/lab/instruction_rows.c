/* instruction_rows.c - see instruction_rows.h. */
#include "procs/lab/instruction_rows.h"

#include "procs/lab/agent_rows.h"

static const struct agent_row_name names[INSTRUCTION_ROWS] = {
    [INSTRUCTION_ORACLE] = {"oracle",
	"knows the house, drives the shortest way that follows all parts; computed"},
    [INSTRUCTION_AGENT] = {"agent", "the agent as it is"},
    [INSTRUCTION_NO_SCENE] = {"no-scene", "the agent without the scene graph: no things"},
    [INSTRUCTION_NO_MAP] = {"no-map", "the agent without the map: no doorways, no openings"},
};

const char *instruction_row_name(enum instruction_row_id id)
{
	return names[id].name;
}

enum instruction_row_id instruction_row_find(const char *name, size_t length)
{
	return (enum instruction_row_id)agent_row_find(
	    names, INSTRUCTION_AGENT, INSTRUCTION_ROWS, name, length);
}

/* ---- adding ---- */

static bool said(const struct instruction_outcome *o)
{
	return o->state == CAIRN_AGENT_STATE_DONE;
}

void instruction_row_add(struct instruction_row *r, const struct instruction_outcome *o)
{
	if (!o->run)
		return;
	r->asked++;
	r->followed += o->walked.followed;
	r->straight += o->walked.followed && o->walked.strays == 0;
	r->ended += o->walked.end;
	r->said += said(o);
	r->false_said += said(o) && !o->walked.end;
	r->unfit += o->unfit;
	r->unfit_followed += o->unfit && o->walked.followed;
	r->parts += o->walked.parts;
	r->fit += o->walked.fit;
	r->strays += o->walked.strays;
	r->contacts += o->contacts;
	r->queries += o->queries;
	r->revisions += o->revisions;
	r->limits[o->limit]++;
	r->path_m += o->path_m;
	r->way_m += o->walked.followed ? o->path_m : 0.0;
	r->shortest_m += o->walked.followed ? o->shortest_m : 0.0;
	r->usd += o->usd;
	r->seconds += o->seconds;
	r->tokens_in += o->tokens_in;
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++) {
		r->costs[k].tokens_in += o->costs[k].tokens_in;
		r->costs[k].calls += o->costs[k].calls;
		r->costs[k].usd += o->costs[k].usd;
	}
	r->houses[o->house].asked += 1.0;
	r->houses[o->house].followed += o->walked.followed;
	r->houses[o->house].path_m += o->path_m;
	r->houses[o->house].tokens_in += (double)o->tokens_in;
	r->houses[o->house].spl += agent_spl(o->walked.followed, o->shortest_m, o->path_m);
}

/* ---- telling ---- */

enum measure { FOLLOWED, PATH, TOKENS, SPL };

static struct cairn_interval interval_of(const struct instruction_row *r, enum measure what)
{
	double values[INSTRUCTION_HOUSES_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < INSTRUCTION_HOUSES_MAX; i++) {
		double sum = what == FOLLOWED ? 100.0 * r->houses[i].followed
			     : what == PATH   ? r->houses[i].path_m
			     : what == SPL    ? r->houses[i].spl
					      : r->houses[i].tokens_in;
		if (r->houses[i].asked > 0.0)
			values[n++] = sum / r->houses[i].asked;
	}
	return cairn_interval_of_mean(values, n);
}

static void tell_row(FILE *out, enum instruction_row_id id, const struct instruction_row *r)
{
	struct cairn_interval f = interval_of(r, FOLLOWED), p = interval_of(r, PATH), l = interval_of(r, SPL);
	fprintf(out, "%-9s %5u  %5.1f (%3.0f..%3.0f) %6.1f %6.1f  %5.1f (%4.1f..%5.1f) ", names[id].name,
	    r->asked, f.mean, f.low, f.high, 100.0 * agent_mean(r->ended, r->asked),
	    100.0 * agent_mean(r->parts, r->fit), p.mean, p.low, p.high);
	if (r->shortest_m > 0.0)
		fprintf(out, "%6.2f", r->way_m / r->shortest_m);
	else
		fprintf(out, "%6s", "-");
	fprintf(out, "  %4.2f (%4.2f..%4.2f)", l.mean, l.low, l.high);
	if (id >= INSTRUCTION_AGENT)
		fprintf(out, " %7.1f %7.0f %6.4f %5u %5u", agent_mean(r->queries, r->asked),
		    agent_mean((double)r->tokens_in, r->asked), agent_mean(r->usd, r->asked), r->false_said,
		    r->contacts);
	fprintf(out, "\n");
}

void instruction_rows_tell(FILE *out, const struct instruction_row *rows)
{
	fprintf(out,
	    "means, with 95 %% bootstrap intervals over houses; followed: all parts that fit in their order, "
	    "and at the "
	    "right end; times: way driven over the shortest one that follows, of those followed\n"
	    "%-9s %5s  %-16s %6s %6s  %-20s %6s  %-17s %7s %7s %6s %5s %5s\n",
	    "", "told", "followed %", "end", "parts", "path m", "times", "SPL", "queries", "tokens", "USD",
	    "false", "hits");
	for (int i = 0; i < INSTRUCTION_ROWS; i++)
		if (rows[i].asked > 0)
			tell_row(out, (enum instruction_row_id)i, &rows[i]);
	for (int i = INSTRUCTION_AGENT; i < INSTRUCTION_ROWS; i++) {
		const struct instruction_row *r = &rows[i];
		if (r->asked == 0)
			continue;
		fprintf(out,
		    "%s: %s\n  followed, and no other door passed: %u; with a part that does not fit: %u of "
		    "%u followed; other doors: %u; "
		    "revisions: %u\n  by query, of an instruction:",
		    names[i].name, names[i].about, r->straight, r->unfit_followed, r->unfit, r->strays,
		    r->revisions);
		for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++)
			if (r->costs[k].calls > 0)
				fprintf(out, " %s %.1f calls %.0f tokens %.5f USD;",
				    cairn_agent_queries[k].name, agent_mean(r->costs[k].calls, r->asked),
				    agent_mean((double)r->costs[k].tokens_in, r->asked),
				    agent_mean(r->costs[k].usd, r->asked));
		fprintf(out, "\n");
	}
}

static json_t *costs_json(const struct cairn_agent_cost *costs, double n)
{
	json_t *list = json_object();
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++)
		json_object_set_new(list, cairn_agent_queries[k].name,
		    json_pack("{s:f,s:f,s:f}", "calls", agent_mean(costs[k].calls, n), "tokens_in",
			agent_mean((double)costs[k].tokens_in, n), "usd", agent_mean(costs[k].usd, n)));
	return list;
}

json_t *instruction_rows_json(const struct instruction_row *rows)
{
	json_t *list = json_array();
	for (int i = 0; i < INSTRUCTION_ROWS; i++) {
		const struct instruction_row *r = &rows[i];
		json_t *o = json_pack("{s:s,s:s,s:b,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:o}", "row",
		    names[i].name, "about", names[i].about, "computed", i < INSTRUCTION_AGENT, "told",
		    (int)r->asked, "followed", (int)r->followed, "at_end", (int)r->ended, "said_done",
		    (int)r->said, "false_done", (int)r->false_said, "unfit", (int)r->unfit, "unfit_followed",
		    (int)r->unfit_followed, "followed_straight", (int)r->straight, "other_doors",
		    (int)r->strays, "contacts", (int)r->contacts, "revisions", (int)r->revisions, "ended_by",
		    agent_limits_json(r->limits));
		json_object_update_new(
		    o, json_pack("{s:o,s:o,s:o,s:o,s:f,s:f,s:f,s:f,s:f,s:f,s:o}", "followed_percent",
			   agent_interval_json(interval_of(r, FOLLOWED)), "path_m",
			   agent_interval_json(interval_of(r, PATH)), "tokens_in",
			   agent_interval_json(interval_of(r, TOKENS)), "spl",
			   agent_interval_json(interval_of(r, SPL)), "parts_percent",
			   100.0 * agent_mean(r->parts, r->fit), "way_m", agent_mean(r->way_m, r->followed),
			   "shortest_m", agent_mean(r->shortest_m, r->followed), "queries",
			   agent_mean(r->queries, r->asked), "usd", agent_mean(r->usd, r->asked), "seconds",
			   agent_mean(r->seconds, r->asked), "by_query", costs_json(r->costs, r->asked)));
		if (r->asked > 0)
			json_array_append(list, o);
		json_decref(o);
	}
	return list;
}

json_t *instruction_json(enum instruction_row_id row, const char *house, const struct instruction_outcome *o)
{
	json_t *j = json_pack("{s:s,s:s,s:s,s:b,s:b,s:i,s:i,s:i,s:b,s:s,s:s}", "row", names[row].name,
	    "house", house, "instruction", o->text, "followed", o->walked.followed, "at_end", o->walked.end,
	    "parts", (int)o->walked.parts, "parts_that_fit", (int)o->walked.fit, "other_doors",
	    (int)o->walked.strays, "unfit", o->unfit, "state",
	    cairn_enum_text(&cairn_enum_agent_state, (int)o->state), "limit",
	    cairn_enum_text(&cairn_enum_agent_limit, (int)o->limit));
	json_object_update_new(
	    j, json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:f,s:i,s:i,s:I,s:i}", "answer", o->answer, "evidence",
		   o->evidence, "plan", o->parts, "path_m", o->path_m, "shortest_m", o->shortest_m, "usd",
		   o->usd, "seconds", o->seconds, "queries", (int)o->queries, "revisions", (int)o->revisions,
		   "tokens_in", (json_int_t)o->tokens_in, "contacts", (int)o->contacts));
	return j;
}
