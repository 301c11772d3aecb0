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
#include "common/rules/config_check.h"
#include "common/sim/detector/detect.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"
#include "procs/gateway/model_call.h"
#include "procs/lab/bench.h"

#define SLIP 0.05
#define YAW_DRIFT_DEG_PER_M 1.0
#define LIMIT_S 2400.0
#define QUESTIONS_MAX 64
#define LABELS_MAX 512
#define NEAR_M 0.6 /* of a node to the extent of the thing that it is for */
#define RIGHT_MIN 0.85

static const char *const homes[] = {"studio", "home", "loop"};
#define HOMES (sizeof(homes) / sizeof(homes[0]))

struct sums {
	uint32_t asked, right, wrong, open, limits[CAIRN_AGENT_LIMIT_COUNT], named, lucky, bare, contacts,
	    queries, errors;
	double path_m, usd, seconds;
	uint64_t tokens_in, by_query[CAIRN_AGENT_QUERY_COUNT];
};

struct eqa {
	struct cairn_config cfg;
	struct cairn_lineup lineup;
	struct model_call *call;
	struct sums all, kinds[CAIRN_QUESTION_KINDS];
	char labels[LABELS_MAX][40];
	uint32_t label_count;
	double usd_left;
	json_t *list;
	FILE *out;
	bool verbose;
};

static void answer(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s)
{
	struct eqa *q = ctx;
	struct cairn_error err = {""};
	*ret = (struct cairn_dialog_outcome){.retry_after_s = -1.0, .error = "interrupted"};
	(void)model_call_send(q->call, &q->lineup.rows[0], body, bytes, ret, &err);
	ret->sent = true;
	*ret_latency_s = model_call_took_s(q->call);
}

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
	const char *said = r->agent.answer;
	bool place = right_place(w, r, q->label, ret_shown);
	switch (q->kind) {
	case CAIRN_QUESTION_LOCATION:
		return place;
	case CAIRN_QUESTION_EXISTENCE:
		*ret_shown |= q->count == 0; /* that nothing was seen is all the evidence there can be */
		return q->count > 0 ? strncasecmp(said, "yes", 3) == 0 && place
				    : strncasecmp(said, "no", 2) == 0;
	case CAIRN_QUESTION_COUNT:
		return strtoul(said, NULL, 10) == q->count;
	case CAIRN_QUESTION_KINDS:
		break;
	}
	return false;
}

static void add(struct sums *s, const struct cairn_question *q, const struct cairn_episode_result *r,
    bool right, bool shown)
{
	const struct cairn_msg_agent *a = &r->agent;
	bool done = a->state == CAIRN_AGENT_STATE_DONE;
	s->asked++;
	s->right += done && right;
	s->wrong += done && !right;
	s->open += !done;
	s->limits[done ? CAIRN_AGENT_LIMIT_NONE : a->limit]++;
	s->named +=
	    done && right && q->kind == CAIRN_QUESTION_LOCATION && strcasestr(a->answer, q->room) != NULL;
	s->lucky += done && right && !shown;
	s->bare += done && a->evidence[0] == '\0';
	s->contacts += r->contacts;
	s->queries += a->queries;
	s->errors += a->function_errors;
	s->path_m += r->path_m;
	s->usd += a->usd;
	s->seconds += a->elapsed_s;
	s->tokens_in += a->tokens_in;
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++)
		s->by_query[k] += r->tokens_in[k];
}

static bool ask(
    struct eqa *q, const char *home, const struct cairn_world *w, const struct cairn_question *question)
{
	struct cairn_error err = {""};
	struct cairn_episode_result *r = calloc(1, sizeof(*r));
	struct cairn_episode_options o = {.cfg = &q->cfg,
	    .world = w,
	    .profile = &q->lineup.rows[0],
	    .task = question->text,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .limit_s = LIMIT_S,
	    .answer = answer,
	    .ctx = q};
	bool shown = false, ok = r != NULL;
	q->cfg.agent.limit_usd = fmin(q->cfg.agent.limit_usd, q->usd_left);
	ok = ok && cairn_episode_run(&o, r, &err);
	if (ok && !cli_interrupted()) { /* one that was broken off says nothing */
		bool right = is_right(w, question, r, &shown);
		add(&q->all, question, r, right, shown);
		add(&q->kinds[question->kind], question, r, right, shown);
		q->usd_left -= r->agent.usd;
		const char *how = r->agent.state != CAIRN_AGENT_STATE_DONE ? "open"
				  : right                                  ? "right"
									   : "wrong";
		json_array_append_new(q->list,
		    json_pack("{s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:i,s:I,s:f,s:i}", "home", home, "seed",
			(int)q->cfg.sim.seed, "kind", cairn_question_word(question->kind), "question",
			question->text, "judged", how, "answer", r->agent.answer, "evidence",
			r->agent.evidence, "limit",
			cairn_enum_text(&cairn_enum_agent_limit, (int)r->agent.limit), "path_m", r->path_m,
			"queries", (int)r->agent.queries, "tokens_in", (json_int_t)r->agent.tokens_in, "usd",
			r->agent.usd, "contacts", (int)r->contacts));
		if (q->verbose)
			fprintf(stderr, "%s %d: %s %s: %s [%s], %.1f m, %u queries, %.0f s\n", home,
			    (int)q->cfg.sim.seed, question->text, how, r->agent.answer, r->agent.evidence,
			    r->path_m, r->agent.queries, r->agent.elapsed_s);
	} else if (!ok) {
		fprintf(stderr, "cairn eval eqa: %s: %s\n", home, err.text);
	}
	if (r != NULL)
		free(r->shown);
	free(r);
	return ok;
}

static bool ask_home(struct eqa *q, const char *home, long seed, uint32_t most)
{
	struct cairn_error err = {""};
	struct cairn_question questions[QUESTIONS_MAX];
	uint32_t rejected, n;
	struct cairn_world *w = cairn_share_world(home, &err);
	if (w == NULL) {
		fprintf(stderr, "cairn eval eqa: %s\n", err.text);
		return false;
	}
	q->cfg.sim.seed = (int)seed;
	n = cairn_questions_make(
	    w, (const char(*)[40])q->labels, q->label_count, (uint64_t)seed, questions, most, &rejected);
	bool ok = true;
	for (uint32_t i = 0; i < n && ok && !cli_interrupted(); i++)
		ok = ask(q, home, w, &questions[i]);
	cairn_world_destroy(&w);
	return ok;
}

static void note_labels(struct eqa *q)
{
	for (size_t i = 0; i < HOMES; i++) {
		struct cairn_world *w = cairn_share_world(homes[i], NULL);
		if (w != NULL)
			q->label_count += cairn_questions_labels(
			    w, q->labels + q->label_count, LABELS_MAX - q->label_count);
		cairn_world_destroy(&w);
	}
}

/* ---- telling ---- */

static double mean(double sum, uint32_t n)
{
	return n > 0 ? sum / n : 0.0;
}

static void tell_row(FILE *out, const char *name, const struct sums *s)
{
	fprintf(out, "%-10s %5u %7.1f %7.1f %7.1f %7u %8.1f %8.1f %9.0f %8.4f %8u\n", name, s->asked,
	    100.0 * mean(s->right, s->asked), 100.0 * mean(s->wrong, s->asked),
	    100.0 * mean(s->open, s->asked), s->lucky, mean(s->path_m, s->asked), mean(s->queries, s->asked),
	    mean((double)s->tokens_in, s->asked), mean(s->usd, s->asked), s->contacts);
}

static bool tell(struct eqa *q, json_t *figures)
{
	const struct sums *s = &q->all;
	bool script = cairn_profile_url_is_pilot(q->lineup.rows[0].base_url);
	json_t *by_query = json_object(), *limits = json_object();
	fprintf(q->out, "%s; simulated detector with %.0f %% misses. %s\n",
	    script ? "scripted pilot" : q->lineup.rows[0].model, 100.0 * q->cfg.detect.sim_miss,
	    script ? "Tells how the stack behaves, and nothing about a model." : "Of this simulator alone.");
	fprintf(q->out, "%-10s %5s %7s %7s %7s %7s %8s %8s %9s %8s %8s\n", "", "asked", "right %", "wrong %",
	    "open %", "unseen", "path m", "queries", "tokens", "USD", "contacts");
	for (int k = 0; k < CAIRN_QUESTION_KINDS; k++)
		tell_row(q->out, cairn_question_word((enum cairn_question_kind)k), &q->kinds[k]);
	tell_row(q->out, "all", s);
	fprintf(q->out,
	    "rooms named as in the plan: %u of %u locations that are right\ntokens by kind of query, mean:",
	    s->named, q->kinds[CAIRN_QUESTION_LOCATION].right);
	for (int k = 0; k < CAIRN_AGENT_QUERY_COUNT; k++) {
		fprintf(
		    q->out, " %s %.0f", cairn_agent_queries[k].name, mean((double)s->by_query[k], s->asked));
		json_object_set_new(
		    by_query, cairn_agent_queries[k].name, json_real(mean((double)s->by_query[k], s->asked)));
	}
	fprintf(q->out, "\n");
	for (int k = 0; k < CAIRN_AGENT_LIMIT_COUNT; k++)
		json_object_set_new(
		    limits, cairn_enum_text(&cairn_enum_agent_limit, k), json_integer(s->limits[k]));
	json_object_set_new(figures, "provider", json_string(q->lineup.rows[0].name));
	json_object_set_new(figures, "scripted", json_boolean(script));
	json_object_set_new(figures, "asked", json_integer(s->asked));
	json_object_set_new(figures, "right", json_integer(s->right));
	json_object_set_new(figures, "wrong", json_integer(s->wrong));
	json_object_set_new(figures, "open", json_integer(s->open));
	json_object_set_new(figures, "right_unseen", json_integer(s->lucky));
	json_object_set_new(figures, "without_evidence", json_integer(s->bare));
	json_object_set_new(figures, "contacts", json_integer(s->contacts));
	json_object_set_new(figures, "function_errors", json_integer(s->errors));
	json_object_set_new(figures, "path_m", json_real(mean(s->path_m, s->asked)));
	json_object_set_new(figures, "tokens_in", json_real(mean((double)s->tokens_in, s->asked)));
	json_object_set_new(figures, "usd", json_real(mean(s->usd, s->asked)));
	json_object_set_new(figures, "ended_by", limits);
	json_object_set_new(figures, "tokens_by_query", by_query);
	json_object_set_new(figures, "episodes", q->list);
	return s->asked > 0 && s->contacts == 0 && s->bare == 0 && s->lucky == 0 &&
	       mean(s->right, s->asked) >= RIGHT_MIN;
}

static bool prepare(struct eqa *q, const struct cli *cli, struct cairn_error *err)
{
	const char *provider = cli_value(cli, "provider"), *usd = cli_value(cli, "usd");
	char share[4096];
	struct cairn_config_layers layers = {.share_dir = share, .file = cli_value(cli, "config")};
	layers.sets = cli_values(cli, "set", &layers.set_count);
	if (!cairn_share_dir(share, sizeof(share), err) || !cairn_config_merge(&q->cfg, &layers, err) ||
	    !cairn_share_find_model(&q->cfg.vlm, err))
		return false;
	q->cfg.sim.slip = SLIP;
	q->cfg.sim.yaw_drift_deg_per_m = YAW_DRIFT_DEG_PER_M;
	q->cfg.mission.autostart = false;
	q->cfg.agent.enabled = true;
	q->cfg.agent.use_pictures = false; /* none are drawn for the model here */
	q->cfg.pilot.profile = CAIRN_CHOICE_PILOT_SCHOLAR;
	q->usd_left = usd != NULL ? strtod(usd, NULL) : q->cfg.vlm.limit_usd_per_session;
	if (provider != NULL)
		snprintf(q->cfg.vlm.provider, sizeof(q->cfg.vlm.provider), "%s", provider);
	if (!(q->usd_left > 0.0)) {
		cairn_error_set(err, "--usd must be a number above 0");
		return false;
	}
	return cairn_config_check(&q->cfg, err);
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
	if (q == NULL || seed < 0 || seeds < 0 || most < 0 || !prepare(q, cli, &err)) {
		if (err.text[0] != '\0')
			fprintf(stderr, "cairn eval eqa: %s\n", err.text);
		free(q);
		return CAIRN_EVAL_USAGE;
	}
	q->verbose = cli_value(cli, "verbose") != NULL;
	q->list = json_array();
	q->out = open_memstream(&text, &bytes);
	cli_catch_signals();
	bool ok = q->out != NULL && cairn_lineup_load(&q->lineup, &q->cfg.vlm, &err);
	if (ok)
		cairn_lineup_alone(&q->lineup);
	q->call = ok ? model_call_new(&q->cfg, &q->lineup, cli_interrupted, &err) : NULL;
	ok = q->call != NULL;
	if (!ok)
		fprintf(stderr, "cairn eval eqa: %s\n", err.text);
	note_labels(q);
	for (size_t i = 0; i < HOMES && ok; i++)
		for (long k = 0; k < seeds && ok && !cli_interrupted(); k++)
			ok = ask_home(q, homes[i], seed + k, (uint32_t)most);
	ok = q->call != NULL && tell(q, figures) && ok;
	if (q->out != NULL)
		fclose(q->out);
	json_object_set_new(figures, "text", json_string(text != NULL ? text : ""));
	free(text);
	if (q->call != NULL)
		model_call_destroy(&q->call);
	free(q);
	return ok ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
