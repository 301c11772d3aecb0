/* eqa_rows.c - see eqa_rows.h. */
#include "procs/lab/eqa_rows.h"

#include <math.h>
#include <string.h>

#include "common/scene/words.h"
#include "procs/lab/agent_rows.h"

static const struct agent_row_name names[EQA_ROWS] = {
    [EQA_GUESS] = {"guess",
	"a room of the house, yes or no, a number from 2 to 6, a colour, a name: each as likely; computed"},
    [EQA_PRIOR] = {"prior", "the room that such a thing is usual in, yes, 2, closed and off; computed"},
    [EQA_ORACLE] = {"oracle", "knows the house, drives the shortest way that shows the thing; computed"},
    [EQA_BLIND] = {"blind", "the agent without graph and map: the question alone"},
    [EQA_EXPLORED] = {"explored", "the house is explored to its end, then the question is asked"},
    [EQA_GRAPH] = {"graph", "the same, without the way of the exploration: what the map was worth"},
    [EQA_AGENT] = {"agent", "the agent as it is"},
    [EQA_KNOWN] = {"agent-known",
	"the agent in a house that it has explored before: from the start, with map and graph kept"},
    [EQA_NO_SCENE] = {"no-scene", "the agent without the scene graph"},
    [EQA_NO_MAP] = {"no-map", "the agent without the map: no openings"},
    [EQA_COT] = {"cot", "the agent whose plan is written in one call"},
};

const char *eqa_row_name(enum eqa_row_id id)
{
	return names[id].name;
}

enum eqa_row_id eqa_row_find(const char *name, size_t length)
{
	int i = agent_row_find(names, EQA_BLIND, EQA_ROWS, name, length);
	return i != EQA_GRAPH ? (enum eqa_row_id)i : EQA_ROWS;
}

/* ---- adding ---- */

void eqa_row_group(struct eqa_row *row)
{
	if (row->group_count < EQA_GROUPS_MAX)
		row->groups[row->group_count++] = (struct eqa_group){0};
}

static double spl_of(const struct eqa_answer *a)
{
	return agent_spl(a->done && a->right, a->shortest_m, a->path_m);
}

static void add(struct eqa_sums *s, const struct eqa_answer *a)
{
	bool right = a->done && a->right;
	s->asked++;
	s->right += right;
	s->wrong += a->done && !a->right;
	s->open += !a->done;
	s->limits[a->done ? CAIRN_AGENT_LIMIT_NONE : a->limit]++;
	s->named += right && a->named;
	s->unseen += right && !a->shown;
	s->bare += a->done && a->bare;
	s->contacts += a->contacts;
	s->queries += a->queries;
	s->errors += a->errors;
	s->path_m += a->path_m;
	s->usd += a->usd;
	s->seconds += a->seconds;
	s->tokens_in += a->tokens_in;
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT && a->by_query != NULL; k++)
		s->by_query[k] += a->by_query[k];
	if (a->shortest_m < 0.0)
		return;
	s->asked_one++;
	s->spl += spl_of(a);
	s->ways += right;
	s->way_m += right ? a->path_m : 0.0;
	s->shortest_m += right ? a->shortest_m : 0.0;
}

void eqa_row_add(struct eqa_row *row, const struct eqa_answer *a)
{
	row->on = true;
	add(&row->all, a);
	add(&row->kinds[a->question->kind], a);
	if (row->group_count == 0)
		return;
	struct eqa_group *g = &row->groups[row->group_count - 1];
	g->asked++;
	g->right += a->done && a->right;
	g->path_m += a->path_m;
	g->tokens_in += (double)a->tokens_in;
	g->asked_one += a->shortest_m >= 0.0;
	g->spl += a->shortest_m >= 0.0 ? spl_of(a) : 0.0;
}

/* Is what is usual right? */
static bool usual(const struct cairn_question *q)
{
	const struct cairn_scene_word *w = cairn_scene_word(q->label);
	if (q->kind == CAIRN_QUESTION_LOCATION)
		return w != NULL && w->room != NULL && strcmp(w->room, q->room) == 0;
	if (q->kind == CAIRN_QUESTION_STATE)
		return strcmp(q->truth, "closed") == 0 || strcmp(q->truth, "off") == 0;
	return q->kind == CAIRN_QUESTION_EXISTENCE ? q->count > 0
						   : q->kind == CAIRN_QUESTION_COUNT && q->count == 2;
}

void eqa_row_add_computed(struct eqa_row *rows, const struct cairn_question *q, double shortest_m)
{
	struct eqa_answer a = {.question = q, .done = true, .right = usual(q), .shortest_m = -1.0};
	double chance = 1.0 / fmax(q->options, 1.0);
	eqa_row_add(&rows[EQA_PRIOR], &a);
	a.right = true;
	a.shown = true;
	a.shortest_m = shortest_m;
	a.path_m = fmax(shortest_m, 0.0);
	eqa_row_add(&rows[EQA_ORACLE], &a);
	/* An expectation is no count: it is kept in the groups alone. */
	rows[EQA_GUESS].on = true;
	rows[EQA_GUESS].all.asked++;
	if (rows[EQA_GUESS].group_count > 0) {
		struct eqa_group *g = &rows[EQA_GUESS].groups[rows[EQA_GUESS].group_count - 1];
		g->asked++;
		g->right += chance;
	}
}

/* ---- telling ---- */

enum measure { RIGHT, PATH, TOKENS, SPL };

static struct cairn_interval interval_of(const struct eqa_row *row, enum measure what)
{
	double values[EQA_GROUPS_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < row->group_count; i++) {
		const struct eqa_group *g = &row->groups[i];
		double of = what == SPL ? g->asked_one : g->asked;
		double sum = what == RIGHT  ? 100.0 * g->right
			     : what == PATH ? g->path_m
			     : what == SPL  ? g->spl
					    : g->tokens_in;
		if (of > 0.0)
			values[n++] = sum / of;
	}
	return cairn_interval_of_mean(values, n);
}

static void tell_row(FILE *out, enum eqa_row_id id, const struct eqa_row *row)
{
	const struct eqa_sums *s = &row->all;
	struct cairn_interval r = interval_of(row, RIGHT), p = interval_of(row, PATH),
			      l = interval_of(row, SPL);
	bool run = id >= EQA_BLIND;
	fprintf(out, "%-11s %5u  %5.1f (%3.0f..%3.0f)", names[id].name, s->asked, r.mean, r.low, r.high);
	if (id <= EQA_PRIOR) {
		fprintf(out, "\n");
		return;
	}
	fprintf(out, " %6.1f %6.1f %6u  %5.1f (%4.1f..%5.1f)", 100.0 * agent_mean(s->wrong, s->asked),
	    100.0 * agent_mean(s->open, s->asked), s->unseen, p.mean, p.low, p.high);
	if (s->ways > 0 && s->shortest_m > 0.0)
		fprintf(out, " %6.2f", s->way_m / s->shortest_m);
	else
		fprintf(out, " %6s", "-");
	fprintf(out, "  %4.2f (%4.2f..%4.2f)", l.mean, l.low, l.high);
	if (run)
		fprintf(out, " %7.1f %7.0f %4u", agent_mean(s->queries, s->asked),
		    agent_mean((double)s->tokens_in, s->asked), s->contacts);
	fprintf(out, "\n");
}

static void tell_kinds(FILE *out, const struct eqa_row *row)
{
	for (int k = 0; k < CAIRN_QUESTION_KINDS; k++) {
		const struct eqa_sums *s = &row->kinds[k];
		fprintf(out, "  %-14s %5u asked, %5.1f %% right, %5.1f %% wrong, %5.1f %% open, %5.1f m\n",
		    cairn_question_word((enum cairn_question_kind)k), s->asked,
		    100.0 * agent_mean(s->right, s->asked), 100.0 * agent_mean(s->wrong, s->asked),
		    100.0 * agent_mean(s->open, s->asked), agent_mean(s->path_m, s->asked));
	}
	fprintf(out,
	    "  about one thing: %u of %u right, %.1f m each, shortest way that shows it %.1f m\n  tokens by "
	    "query, mean:",
	    row->all.ways, row->all.asked_one, agent_mean(row->all.way_m, row->all.ways),
	    agent_mean(row->all.shortest_m, row->all.ways));
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++)
		fprintf(out, " %s %.0f", cairn_agent_queries[k].name,
		    agent_mean((double)row->all.by_query[k], row->all.asked));
	fprintf(out, "\n");
}

void eqa_rows_tell(FILE *out, const struct eqa_row *rows)
{
	fprintf(out,
	    "means, with 95 %% bootstrap intervals over homes and seeds; times: way driven over the shortest "
	    "one that shows the "
	    "thing, right answers about one thing; SPL: success weighted by path\n%-11s %5s  %-16s %6s %6s "
	    "%6s  %-20s %6s  %-17s %7s %7s %4s\n",
	    "", "asked", "right %", "wrong", "open", "unseen", "path m", "times", "SPL", "queries", "tokens",
	    "hits");
	for (int i = 0; i < EQA_ROWS; i++)
		if (rows[i].on)
			tell_row(out, (enum eqa_row_id)i, &rows[i]);
	for (int i = EQA_BLIND; i < EQA_ROWS; i++)
		if (rows[i].on && i != EQA_GRAPH) {
			fprintf(out, "%s: %s\n", names[i].name, names[i].about);
			tell_kinds(out, &rows[i]);
		}
}

static json_t *row_json(enum eqa_row_id id, const struct eqa_row *row)
{
	const struct eqa_sums *s = &row->all;
	json_t *queries = json_object();
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++)
		json_object_set_new(queries, cairn_agent_queries[k].name,
		    json_real(agent_mean((double)s->by_query[k], s->asked)));
	json_t *o = json_pack("{s:s,s:s,s:b,s:i,s:o,s:o,s:o,s:o}", "row", names[id].name, "about",
	    names[id].about, "computed", id < EQA_BLIND, "asked", (int)s->asked, "right_percent",
	    agent_interval_json(interval_of(row, RIGHT)), "path_m",
	    agent_interval_json(interval_of(row, PATH)), "tokens_in",
	    agent_interval_json(interval_of(row, TOKENS)), "spl", agent_interval_json(interval_of(row, SPL)));
	json_object_update_new(
	    o, json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "right", (int)s->right, "wrong", (int)s->wrong,
		   "open", (int)s->open, "right_unseen", (int)s->unseen, "without_evidence", (int)s->bare,
		   "contacts", (int)s->contacts, "function_errors", (int)s->errors, "rooms_named",
		   (int)s->named));
	json_object_update_new(
	    o, json_pack("{s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:o,s:o}", "about_one", (int)s->asked_one, "ways",
		   (int)s->ways, "way_m", agent_mean(s->way_m, s->ways), "shortest_m",
		   agent_mean(s->shortest_m, s->ways), "queries", agent_mean(s->queries, s->asked), "usd",
		   agent_mean(s->usd, s->asked), "seconds", agent_mean(s->seconds, s->asked), "ended_by",
		   agent_limits_json(s->limits), "tokens_by_query", queries));
	return o;
}

json_t *eqa_rows_json(const struct eqa_row *rows)
{
	json_t *list = json_array();
	for (int i = 0; i < EQA_ROWS; i++)
		if (rows[i].on)
			json_array_append_new(list, row_json((enum eqa_row_id)i, &rows[i]));
	return list;
}
