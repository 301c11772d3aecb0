/* eval_eqa.c - questions about the bundled homes put to the agent, in simulated time: which it answers, by what evidence, and what that
 * costs. In the style of embodied question answering; its figures are about this simulator and are not those of any published set. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/eval/episode.h"
#include "common/eval/questions.h"
#include "common/eval/shortest_view.h"
#include "common/eval/start_draw.h"
#include "common/sim/detector/detect.h"
#include "procs/cli/cli.h"
#include "procs/lab/agent_eval.h"
#include "procs/lab/bench.h"
#include "procs/lab/eqa_rows.h"
#include "procs/lab/provenance.h"

#define LIMIT_S 2400.0
#define QUESTIONS_MAX 64
#define LABELS_MAX 512
#define NEAR_M 0.6 /* of a node to the extent of the thing that it is for */
#define RIGHT_MIN 0.85
#define TOKENS_MAX 70000.0 /* a question, mean */

static const char *const homes[] = {"studio", "home", "loop", "home-tasks"};
#define HOMES ((int)(sizeof(homes) / sizeof(homes[0])))

struct eqa {
	struct agent_eval eval;
	const char *const *houses; /* files, or names of bundled homes */
	int house_count;
	struct eqa_row rows[EQA_ROWS];
	bool wanted[EQA_ROWS]; /* to be run */
	char labels[LABELS_MAX][40];
	uint32_t label_count;
	int start; /* sim.start as configured */
	uint32_t rejected,
	    invisible; /* questions that were not asked: not unique; about what shows from nowhere */
	json_t *list;
	FILE *out;
	bool verbose;
};

/* ---- judging ---- */

/* A node of the evidence stands where a thing of that name does; *ret_shown: a picture has shown that one. */
static bool right_place(
    const struct cairn_world *w, const struct cairn_episode_result *r, const char *label, bool *ret_shown)
{
	bool right = false;
	char is[40];
	*ret_shown = false;
	for (uint32_t i = 0; i < r->scene.nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &r->scene.nodes[i];
		if (n->kind != CAIRN_SCENE_KIND_OBJECT || !cairn_has_word(r->agent.evidence, n->id))
			continue;
		struct cairn_vec2 at = cairn_pose_apply(r->start, (struct cairn_vec2){n->x_m, n->y_m});
		for (uint32_t k = 0; k < w->thing_count; k++) {
			double low[3], high[3];
			if (!cairn_sim_thing_label(&w->things[k], is) || strcmp(is, label) != 0 ||
			    !cairn_world_extent(w, k, low, high))
				continue;
			double dx = fmax(0.0, fmax(low[0] - at.x_m, at.x_m - high[0])),
			       dy = fmax(0.0, fmax(low[1] - at.y_m, at.y_m - high[1]));
			if (hypot(dx, dy) > NEAR_M)
				continue;
			right = true;
			*ret_shown |= r->shown[k] != 0;
		}
	}
	return right;
}

static bool is_right(const struct cairn_world *w, const struct cairn_question *q,
    const struct cairn_episode_result *r, bool *ret_shown)
{
	bool place = right_place(w, r, q->label, ret_shown), other_shown;
	bool somewhere = q->kind != CAIRN_QUESTION_COUNT && q->count > 0;
	/* That nothing was seen is all the evidence there can be. */
	*ret_shown |= q->kind == CAIRN_QUESTION_EXISTENCE && q->count == 0;
	if (q->wrong[0] != '\0' && q->other[0] != '\0') { /* how two things stand to each other */
		place = right_place(w, r, q->other, &other_shown) && place;
		*ret_shown &= other_shown;
	}
	return cairn_question_says(q, r->agent.answer) && (place || !somewhere);
}

static bool is_about_one(const struct cairn_question *q)
{
	return q->kind != CAIRN_QUESTION_COUNT && q->count > 0 &&
	       (q->wrong[0] == '\0' || q->other[0] == '\0');
}

/* The configuration of a row. */
static struct cairn_config config_of(const struct eqa *q, enum eqa_row_id id)
{
	struct cairn_config cfg = q->eval.cfg;
	bool explored = id == EQA_EXPLORED || id == EQA_KNOWN;
	cfg.mission.autostart = explored ? CAIRN_CHOICE_AUTOSTART_ALWAYS : CAIRN_CHOICE_AUTOSTART_NEVER;
	cfg.mission.return_home &= id != EQA_EXPLORED;
	cfg.agent.use_scene = id != EQA_NO_SCENE && id != EQA_BLIND;
	cfg.agent.use_map = id != EQA_NO_MAP && id != EQA_BLIND;
	if (id == EQA_COT)
		cfg.agent.workflow = CAIRN_CHOICE_WORKFLOW_COT;
	cfg.agent.limit_usd = fmin(cfg.agent.limit_usd, q->eval.usd_left);
	return cfg;
}

static void note_episode(struct eqa *q, enum eqa_row_id id, const char *home, const struct eqa_answer *a,
    const struct cairn_episode_result *r)
{
	const char *how = !a->done ? "open" : a->right ? "right" : "wrong";
	json_t *o = json_pack("{s:s,s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:s}", "row", eqa_row_name(id), "home", home,
	    "seed", (int)q->eval.cfg.sim.seed, "kind", cairn_question_word(a->question->kind), "question",
	    a->question->text, "judged", how, "answer", r->agent.answer, "evidence", r->agent.evidence,
	    "limit", cairn_enum_text(&cairn_enum_agent_limit, (int)r->agent.limit));
	json_object_update_new(o, json_pack("{s:f,s:f,s:i,s:I,s:f,s:i}", "path_m", a->path_m, "shortest_m",
				      a->shortest_m, "queries", (int)a->queries, "tokens_in",
				      (json_int_t)a->tokens_in, "usd", a->usd, "contacts", (int)a->contacts));
	json_array_append_new(q->list, o);
	if (q->verbose)
		fprintf(stderr, "%s, %s %d: %s %s: %s [%s], %.1f m (shortest %.1f), %u queries, %.0f s\n",
		    eqa_row_name(id), home, (int)q->eval.cfg.sim.seed, a->question->text, how,
		    r->agent.answer, r->agent.evidence, a->path_m, a->shortest_m, a->queries, a->seconds);
}

static void note(struct eqa *q, enum eqa_row_id id, const char *home, const struct cairn_world *w,
    const struct cairn_question *question, double shortest_m, const struct cairn_episode_result *r)
{
	bool shown = false, right = is_right(w, question, r, &shown);
	struct eqa_answer a = {.question = question,
	    .done = r->agent.state == CAIRN_AGENT_STATE_DONE,
	    .right = right,
	    .shown = shown,
	    .bare = r->agent.evidence[0] == '\0',
	    .named = question->kind == CAIRN_QUESTION_LOCATION &&
		     strcasestr(r->agent.answer, question->room) != NULL,
	    .limit = r->agent.limit,
	    .path_m = r->path_m - (id == EQA_KNOWN ? r->before_m : 0.0),
	    .shortest_m = shortest_m,
	    .usd = r->agent.usd,
	    .seconds = r->agent.elapsed_s,
	    .contacts = r->contacts,
	    .queries = r->agent.queries,
	    .errors = r->agent.function_errors,
	    .tokens_in = r->agent.tokens_in,
	    .by_query = r->tokens_in};
	q->eval.usd_left -= r->agent.usd;
	eqa_row_add(&q->rows[id], &a);
	note_episode(q, id, home, &a, r);
	if (id != EQA_EXPLORED)
		return;
	a.path_m = r->path_m - r->before_m;
	eqa_row_add(&q->rows[EQA_GRAPH], &a);
}

static bool ask(struct eqa *q, enum eqa_row_id id, const char *home, const struct cairn_world *w,
    const struct cairn_question *question, double shortest_m)
{
	struct cairn_error err = {""};
	struct cairn_config cfg = config_of(q, id);
	struct cairn_episode_result *r = calloc(1, sizeof(*r));
	struct cairn_episode_options o = {.cfg = &cfg,
	    .world = w,
	    .profile = &q->eval.lineup.rows[0],
	    .task = question->text,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .limit_s = LIMIT_S,
	    .explore_first = id == EQA_EXPLORED || id == EQA_KNOWN,
	    .answer = agent_eval_answer,
	    .ctx = &q->eval};
	bool ok = r != NULL && cairn_episode_run(&o, r, &err);
	if (ok && !cli_interrupted()) /* one that was broken off says nothing */
		note(q, id, home, w, question, shortest_m, r);
	else if (!ok)
		fprintf(stderr, "cairn eval eqa: %s: %s\n", home, err.text);
	if (r != NULL)
		cairn_episode_clear(r);
	free(r);
	return ok;
}

static bool shows(const struct eqa *q, const struct cairn_world *w, struct cairn_pose2 start,
    const char *label, double *ret_shortest_m)
{
	return cairn_shortest_view(&q->eval.cfg, w, start, label, ret_shortest_m) && *ret_shortest_m >= 0.0;
}

/* The shortest way from the start to where the camera shows the thing that decides it; -1: the question is not about one thing. False:
 * something that decides it shows from nowhere, and whoever answers could only guess. */
static bool is_askable(const struct eqa *q, const struct cairn_world *w, struct cairn_pose2 start,
    const struct cairn_question *question, double *ret_shortest_m)
{
	*ret_shortest_m = -1.0;
	if (question->count == 0 || question->kind == CAIRN_QUESTION_COUNT)
		return true;
	if (!shows(q, w, start, question->label, ret_shortest_m))
		return false;
	if (is_about_one(question))
		return true;
	bool both = shows(q, w, start, question->other, ret_shortest_m);
	*ret_shortest_m = -1.0;
	return both;
}

static bool ask_home(struct eqa *q, const char *home, long seed, uint32_t most)
{
	struct cairn_error err = {""};
	static struct cairn_question questions[QUESTIONS_MAX];
	uint32_t rejected, n, asked = 0;
	struct cairn_pose2 start;
	struct cairn_world *w = agent_eval_house(home, &err);
	q->eval.cfg.sim.seed = (int)seed;
	q->eval.cfg.sim.start = q->start;
	bool none, ok = w != NULL && cairn_draw_start(&q->eval.cfg, w, (uint64_t)seed, &start, &none, &err);
	if (!ok) {
		fprintf(stderr, "cairn eval eqa: %s: %s\n", home, err.text);
		cairn_world_destroy(&w);
		return false;
	}
	n = cairn_questions_make(w, (const char(*)[40])q->labels, q->label_count, (uint64_t)seed, questions,
	    QUESTIONS_MAX, &rejected);
	q->rejected += rejected;
	for (int id = 0; id < EQA_ROWS; id++)
		eqa_row_group(&q->rows[id]);
	for (uint32_t i = 0; i < n && asked < most && ok && !cli_interrupted(); i++) {
		double shortest_m;
		if (!is_askable(q, w, start, &questions[i], &shortest_m)) {
			q->invisible++;
			continue;
		}
		eqa_row_add_computed(q->rows, &questions[i], shortest_m);
		for (int id = EQA_BLIND; id < EQA_ROWS && ok && !cli_interrupted(); id++)
			ok =
			    !q->wanted[id] || ask(q, (enum eqa_row_id)id, home, w, &questions[i], shortest_m);
		asked++;
	}
	cairn_world_destroy(&w);
	return ok;
}

/* Of these houses and of the bundled homes: what a house does not have is among the others' things. */
static void note_labels(struct eqa *q)
{
	for (int i = 0; i < q->house_count + HOMES; i++) {
		struct cairn_world *w =
		    agent_eval_house(i < q->house_count ? q->houses[i] : homes[i - q->house_count], NULL);
		if (w != NULL)
			q->label_count += cairn_questions_labels(
			    w, q->labels + q->label_count, LABELS_MAX - q->label_count);
		cairn_world_destroy(&w);
	}
}

/* ---- telling ---- */

/* The row that is judged: the agent as it is, or the only one that was asked for. */
static const struct eqa_sums *judged(const struct eqa *q, enum eqa_row_id *ret_id)
{
	*ret_id = EQA_AGENT;
	for (int i = EQA_BLIND; i < EQA_ROWS && !q->wanted[EQA_AGENT]; i++)
		if (q->wanted[i])
			*ret_id = (enum eqa_row_id)i;
	return &q->rows[*ret_id].all;
}

static bool tell(struct eqa *q, json_t *figures)
{
	enum eqa_row_id id;
	const struct eqa_sums *s = judged(q, &id);
	double asked = fmax(s->asked, 1.0);
	char boundary[768];
	agent_eval_boundary(&q->eval, boundary, sizeof(boundary));
	fprintf(q->out, "%s\nnot asked: %u names that are not unique, %u things that show from nowhere\n",
	    boundary, q->rejected, q->invisible);
	eqa_rows_tell(q->out, q->rows);
	json_object_set_new(figures, "boundary", json_string(boundary));
	json_object_set_new(figures, "provider", json_string(q->eval.lineup.rows[0].name));
	json_object_set_new(figures, "scripted", json_boolean(agent_eval_is_script(&q->eval)));
	json_object_set_new(figures, "not_unique", json_integer(q->rejected));
	json_object_set_new(figures, "not_visible", json_integer(q->invisible));
	json_object_set_new(figures, "judged", json_string(eqa_row_name(id)));
	json_object_set_new(figures, "rows", eqa_rows_json(q->rows));
	json_object_set_new(figures, "episodes", q->list);
	return s->asked > 0 && s->contacts == 0 && s->bare == 0 && s->unseen == 0 &&
	       s->right / asked >= RIGHT_MIN && (double)s->tokens_in / asked <= TOKENS_MAX;
}

/* agent,no-map ... */
static bool choose_rows(struct eqa *q, const char *list, struct cairn_error *err)
{
	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, ",");
		enum eqa_row_id id = eqa_row_find(at, n);
		if (id == EQA_ROWS) {
			cairn_error_set(err,
			    "--rows: '%.*s' is none of blind, explored, agent, agent-known, no-scene, "
			    "no-map, cot",
			    (int)n, at);
			return false;
		}
		q->wanted[id] = true;
		at += n + (at[n] == ',');
	}
	return true;
}

static bool prepare(struct eqa *q, const struct cli *cli, struct cairn_error *err)
{
	if (!agent_eval_config(&q->eval, cli, err))
		return false;
	q->start = q->eval.cfg.sim.start;
	q->houses = cli_values(cli, "world", &q->house_count);
	if (q->house_count == 0) {
		q->houses = homes;
		q->house_count = HOMES;
	}
	return true;
}

enum cairn_eval_end cairn_eval_eqa(const struct cli *cli, json_t *figures)
{
	struct eqa *q = calloc(1, sizeof(*q));
	struct cairn_error err = {""};
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - 1000),
	     seeds = cli_count_max(cli, "seeds", 1, 1000),
	     most = cli_count_max(cli, "questions", 6, QUESTIONS_MAX);
	char *text = NULL;
	size_t bytes = 0;
	const char *rows = cli_value(cli, "rows"), *page = cli_value(cli, "report");
	if (q == NULL || seed < 0 || seeds < 0 || most < 0 ||
	    !choose_rows(q, rows != NULL ? rows : "agent", &err) || !prepare(q, cli, &err)) {
		if (err.text[0] != '\0')
			fprintf(stderr, "cairn eval eqa: %s\n", err.text);
		free(q);
		return CAIRN_EVAL_USAGE;
	}
	q->verbose = cli_value(cli, "verbose") != NULL;
	q->list = json_array();
	q->out = open_memstream(&text, &bytes);
	cli_catch_signals();
	bool ok = q->out != NULL && agent_eval_open(&q->eval, &err), opened = ok;
	if (!ok)
		fprintf(stderr, "cairn eval eqa: %s\n", err.text);
	note_labels(q);
	for (int i = 0; i < q->house_count && ok; i++)
		for (long k = 0; k < seeds && ok && !cli_interrupted(); k++)
			ok = ask_home(q, q->houses[i], seed + k, (uint32_t)most);
	ok = opened && tell(q, figures) && ok;
	/* The rest of it is not known: what was broken off has not passed. */
	bool whole = !cli_interrupted();
	if (q->out != NULL && !whole)
		fputs("interrupted: not finished\n", q->out);
	json_object_set_new(figures, "finished", json_boolean(whole));
	if (page != NULL && whole && opened) {
		char *command = cairn_provenance_command(cli);
		if (!eqa_write_page(figures, command, ok, page, &err)) {
			fprintf(stderr, "cairn eval eqa: %s\n", err.text);
			ok = false;
		}
		free(command);
	}
	if (q->out != NULL)
		fclose(q->out);
	json_object_set_new(figures, "text", json_string(text != NULL ? text : ""));
	free(text);
	agent_eval_close(&q->eval);
	free(q);
	return ok && whole ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
