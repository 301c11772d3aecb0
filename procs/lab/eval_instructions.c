/* eval_instructions.c - routes told in words, put to the agent in simulated time: whether it follows them, by which way, and what that costs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/eval/questions.h"
#include "common/eval/shortest_view.h"
#include "common/eval/start_draw.h"
#include "common/sim/world/furnish.h"
#include "procs/lab/agent_eval.h"
#include "procs/lab/bench.h"
#include "procs/lab/instruction_rows.h"
#include "procs/lab/jobs.h"
#include "procs/lab/provenance.h"

#define LIMIT_S 1200.0
#define DRAFTS_MAX 24 /* of a house */
#define TOLD_MAX 240
#define LABELS_MAX 512
#define FOLLOWED_MIN 0.70
#define TOKENS_MAX 70000.0 /* an instruction, mean */

struct house {
	const char *name; /* as it was given, or the base of the plan's name */
	struct cairn_world *world;
	struct cairn_instruction_house truth;
	struct cairn_instruction drafts[DRAFTS_MAX];
	uint32_t count, at;
};

/* An instruction that is told. */
struct told {
	uint32_t house;
	const struct cairn_instruction *in;
};

struct plan {
	struct agent_eval eval;
	struct house houses[INSTRUCTION_HOUSES_MAX];
	uint32_t house_count, told_count, unseen, rejected;
	struct told told[TOLD_MAX];
	enum instruction_row_id rows[INSTRUCTION_ROWS];
	uint32_t row_count;
	char labels[LABELS_MAX][40];
	uint32_t label_count;
	bool verbose;
};

/* ---- houses ---- */

static const struct {
	const char *name;
	bool test; /* prompts, pilot and agent are tuned on the others alone */
} homes[] = {{"home", false}, {"studio", false}, {"loop", true}, {"home-tasks", true}};

/* A floor plan, furnished. */
static struct cairn_world *furnish(const char *file, uint64_t seed, struct cairn_error *err)
{
	char path[] = "/tmp/cairn-furnished-XXXXXX";
	struct cairn_furnish_count count;
	char *yaml = cairn_furnish(file, seed, &count, err);
	int fd = yaml != NULL ? mkstemp(path) : -1;
	bool ok = fd >= 0 && write(fd, yaml, strlen(yaml)) == (ssize_t)strlen(yaml);
	if (yaml != NULL && !ok)
		cairn_error_set(err, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	struct cairn_world *w = ok ? cairn_world_load_yaml(path, err) : NULL;
	if (fd >= 0)
		unlink(path);
	free(yaml);
	return w;
}

static bool add_house(struct plan *p, const char *house, struct cairn_error *err)
{
	const char *dot = strrchr(house, '.');
	struct house *h = &p->houses[p->house_count];
	struct cairn_pose2 start;
	bool none;
	if (p->house_count == INSTRUCTION_HOUSES_MAX) {
		cairn_error_set(err, "more than %d houses", INSTRUCTION_HOUSES_MAX);
		return false;
	}
	h->name = house;
	h->world = dot != NULL && strcmp(dot, ".json") == 0
		       ? furnish(house, (uint64_t)p->eval.cfg.sim.seed, err)
		       : agent_eval_house(house, err);
	if (h->world == NULL)
		return false;
	p->house_count++;
	p->label_count +=
	    cairn_questions_labels(h->world, p->labels + p->label_count, LABELS_MAX - p->label_count);
	struct cairn_config cfg = p->eval.cfg;
	if (!cairn_draw_start(&cfg, h->world, 1, &start, &none, err))
		return false;
	if (cairn_instruction_house_init(&h->truth, &p->eval.cfg, h->world, start))
		return true;
	cairn_error_set(err, "%s: out of memory, or too many rooms", house);
	return false;
}

/* Half of the plans, by their names alone. */
static bool is_test_plan(const char *file)
{
	const char *base = strrchr(file, '/');
	base = base != NULL ? base + 1 : file;
	return cairn_hash_bytes(CAIRN_HASH_START, base, strlen(base)) % 2 == 1;
}

static bool add_houses(struct plan *p, const struct cli *cli, struct cairn_error *err)
{
	int world_count;
	const char *const *worlds = cli_values(cli, "world", &world_count), *split = cli_value(cli, "split");
	bool dev = split == NULL || strcmp(split, "dev") == 0,
	     test = split == NULL || strcmp(split, "test") == 0;
	bool ok = dev || test;
	if (!ok)
		cairn_error_set(err, "--split: '%s' is neither dev nor test", split);
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]) && ok; i++)
		if (homes[i].test ? test : dev)
			ok = add_house(p, homes[i].name, err);
	for (int i = 0; i < world_count && ok; i++)
		if (is_test_plan(worlds[i]) ? test : dev)
			ok = add_house(p, worlds[i], err);
	return ok;
}

/* ---- what is told ---- */

/* Something that no camera sees cannot be told a way by. */
static bool shows(const struct plan *p, const struct house *h, const struct cairn_instruction *in)
{
	double m;
	for (uint32_t i = 0; i < in->count; i++) {
		const struct cairn_instruction_part *part = &in->parts[i];
		bool thing = part->kind == CAIRN_INSTRUCTION_PASS || part->kind == CAIRN_INSTRUCTION_STOP;
		if (thing && !part->unfit &&
		    (!cairn_shortest_view(&p->eval.cfg, h->world, in->start, part->label, &m) || m < 0.0))
			return false;
	}
	return true;
}

/* One of each house in turn, until there are enough or no house has more. */
static void choose(struct plan *p, uint64_t seed, uint32_t most)
{
	for (uint32_t i = 0; i < p->house_count; i++) {
		struct house *h = &p->houses[i];
		uint32_t rejected;
		h->count = cairn_instructions_make(&h->truth, (const char(*)[40])p->labels, p->label_count,
		    seed + i, h->drafts, DRAFTS_MAX, &rejected);
		p->rejected += rejected;
	}
	for (bool more = true; more && p->told_count < most;) {
		more = false;
		for (uint32_t i = 0; i < p->house_count && p->told_count < most; i++) {
			struct house *h = &p->houses[i];
			while (h->at < h->count && !shows(p, h, &h->drafts[h->at])) {
				h->at++;
				p->unseen++;
			}
			if (h->at == h->count)
				continue;
			p->told[p->told_count++] = (struct told){i, &h->drafts[h->at++]};
			more = true;
		}
	}
}

/* ---- one episode ---- */

static struct cairn_config config_of(
    const struct plan *p, enum instruction_row_id row, struct cairn_pose2 start)
{
	struct cairn_config cfg = p->eval.cfg;
	cfg.mission.autostart = CAIRN_CHOICE_AUTOSTART_NEVER;
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = start.x_m;
	cfg.sim.start_y_m = start.y_m;
	cfg.sim.start_yaw_deg = cairn_rad_to_deg(start.yaw_rad);
	cfg.agent.use_scene = row != INSTRUCTION_NO_SCENE;
	cfg.agent.use_map = row != INSTRUCTION_NO_MAP;
	cfg.agent.limit_usd = fmin(cfg.agent.limit_usd, p->eval.usd_left);
	return cfg;
}

static void keep(const struct plan *p, const struct told *t, const struct cairn_episode_result *r,
    struct instruction_outcome *o)
{
	const struct house *h = &p->houses[t->house];
	size_t n = 0;
	*o = (struct instruction_outcome){.run = r->agent.limit != CAIRN_AGENT_LIMIT_SERVICE,
	    .walked = cairn_walked_judge(&h->truth, t->in, r->track, r->track_count),
	    .state = r->agent.state,
	    .limit = r->agent.limit,
	    .path_m = r->path_m,
	    .shortest_m = t->in->shortest_m,
	    .usd = r->agent.usd,
	    .seconds = r->agent.elapsed_s,
	    .house = t->house,
	    .contacts = r->contacts,
	    .queries = r->agent.queries,
	    .revisions = r->agent.revisions,
	    .tokens_in = r->agent.tokens_in};
	for (uint32_t i = 0; i < t->in->count; i++)
		o->unfit |= t->in->parts[i].unfit;
	memcpy(o->costs, r->costs, sizeof(o->costs));
	memcpy(o->text, t->in->text, sizeof(o->text));
	memcpy(o->answer, r->agent.answer, sizeof(o->answer));
	memcpy(o->evidence, r->agent.evidence, sizeof(o->evidence));
	for (uint32_t i = 0; i < r->agent.plan_count && n + 1 < sizeof(o->parts); i++)
		n += (size_t)snprintf(
		    o->parts + n, sizeof(o->parts) - n, "%s%s", i > 0 ? "; " : "", r->agent.plan[i].text);
}

static bool run_one(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	struct plan *p = ctx;
	struct instruction_outcome *o = result;
	const struct told *t = &p->told[number / p->row_count];
	enum instruction_row_id row = p->rows[number % p->row_count];
	if (p->eval.usd_left <= 0.0) /* not run: the same command with more money goes on with it */
		return true;
	/* A script begins anew with each: what it does then depends on neither the order nor the processes. */
	if (agent_eval_is_script(&p->eval)) {
		agent_eval_close(&p->eval);
		if (!agent_eval_open(&p->eval, err))
			return false;
	}
	struct cairn_config cfg = config_of(p, row, t->in->start);
	struct cairn_episode_result *r = calloc(1, sizeof(*r));
	struct cairn_episode_options options = {.cfg = &cfg,
	    .world = p->houses[t->house].world,
	    .profile = &p->eval.lineup.rows[0],
	    .task = t->in->text,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .limit_s = LIMIT_S,
	    .answer = agent_eval_answer,
	    .ctx = &p->eval};
	bool ok = r != NULL && cairn_episode_run(&options, r, err);
	if (ok && !cli_interrupted())
		keep(p, t, r, o);
	p->eval.usd_left -= ok ? r->agent.usd : 0.0;
	if (ok && p->verbose)
		fprintf(stderr,
		    "%s, %s: %s %s, %u of %u parts, %u other doors, %.1f m (shortest %.1f), %u queries, %s\n "
		    " %s\n",
		    instruction_row_name(row), p->houses[t->house].name, t->in->text,
		    o->walked.followed ? "followed"
		    : o->walked.end    ? "right end"
				       : "not followed",
		    o->walked.parts, o->walked.fit, o->walked.strays, o->path_m, o->shortest_m, o->queries,
		    o->answer, o->parts);
	if (r != NULL)
		cairn_episode_clear(r);
	free(r);
	return ok;
}

/* What an earlier run has spent counts. */
static void take(void *ctx, uint64_t number, const void *result)
{
	struct plan *p = ctx;
	(void)number;
	p->eval.usd_left -= ((const struct instruction_outcome *)result)->usd;
}

static bool lasts(const void *result)
{
	return ((const struct instruction_outcome *)result)->run;
}

static uint64_t key_of(const struct plan *p)
{
	uint64_t key = cairn_provenance_config(&p->eval.cfg);
	for (uint32_t i = 0; i < p->told_count; i++)
		key = cairn_hash_bytes(key, p->told[i].in->text, strlen(p->told[i].in->text));
	return cairn_hash_bytes(key, p->rows, p->row_count * sizeof(p->rows[0]));
}

/* ---- telling ---- */

static bool tell(struct plan *p, const struct instruction_outcome *results, const bool *done, json_t *figures)
{
	static struct instruction_row rows[INSTRUCTION_ROWS];
	char boundary[768], *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	json_t *list = json_array();
	uint32_t missing = 0, count = p->told_count * p->row_count;
	memset(rows, 0, sizeof(rows));
	for (uint32_t i = 0; i < p->told_count; i++) {
		struct instruction_outcome known = {.run = true,
		    .walked = {.end = true, .followed = true},
		    .state = CAIRN_AGENT_STATE_DONE,
		    .house = p->told[i].house,
		    .path_m = p->told[i].in->shortest_m,
		    .shortest_m = p->told[i].in->shortest_m};
		for (uint32_t k = 0; k < p->told[i].in->count; k++)
			known.walked.fit += !p->told[i].in->parts[k].unfit;
		known.walked.parts = known.walked.fit;
		instruction_row_add(&rows[INSTRUCTION_ORACLE], &known);
	}
	for (uint32_t i = 0; i < count; i++) {
		missing += !done[i] || !results[i].run;
		if (!done[i] || !results[i].run)
			continue;
		enum instruction_row_id row = p->rows[i % p->row_count];
		instruction_row_add(&rows[row], &results[i]);
		json_array_append_new(
		    list, instruction_json(row, p->houses[results[i].house].name, &results[i]));
	}
	agent_eval_boundary(&p->eval, boundary, sizeof(boundary));
	const struct instruction_row *judged = &rows[p->rows[0]];
	double n = fmax(judged->asked, 1.0);
	if (out != NULL) {
		fprintf(out,
		    "%s\n%u routes in %u houses; not told: %u drafts that were not plain, %u with things "
		    "that "
		    "show from nowhere\n",
		    boundary, p->told_count, p->house_count, p->rejected, p->unseen);
		instruction_rows_tell(out, rows);
		if (missing > 0)
			fprintf(out, "not finished: %u episodes are missing\n", missing);
		fclose(out);
	}
	json_object_update_new(figures,
	    json_pack("{s:s,s:s,s:b,s:i,s:i,s:i,s:i,s:s,s:o,s:o,s:s}", "boundary", boundary, "provider",
		p->eval.lineup.rows[0].name, "scripted", agent_eval_is_script(&p->eval), "routes",
		(int)p->told_count, "not_plain", (int)p->rejected, "not_visible", (int)p->unseen, "missing",
		(int)missing, "judged", instruction_row_name(p->rows[0]), "rows", instruction_rows_json(rows),
		"episodes", list, "text", text != NULL ? text : ""));
	free(text);
	return missing == 0 && judged->asked > 0 && judged->contacts == 0 && judged->false_said == 0 &&
	       judged->followed / n >= FOLLOWED_MIN && (double)judged->tokens_in / n <= TOKENS_MAX;
}

static bool choose_rows(struct plan *p, const char *list, struct cairn_error *err)
{
	for (const char *at = list; *at != '\0';) {
		size_t n = strcspn(at, ",");
		enum instruction_row_id id = instruction_row_find(at, n);
		if (id == INSTRUCTION_ROWS || p->row_count == INSTRUCTION_ROWS) {
			cairn_error_set(err, "--rows: '%.*s' is none of agent, no-scene, no-map", (int)n, at);
			return false;
		}
		p->rows[p->row_count++] = id;
		at += n + (at[n] == ',');
	}
	return p->row_count > 0;
}

static enum cairn_eval_end run(struct plan *p, const struct cli *cli, long jobs, json_t *figures)
{
	const char *dir = cli_value(cli, "report");
	char state[512];
	void *results = NULL;
	bool *done = NULL, passed = false;
	struct cairn_error err = {""};
	snprintf(state, sizeof(state), "%s/episodes.state", dir != NULL ? dir : "");
	struct cairn_jobs work = {.title = "routes",
	    .count = (uint64_t)p->told_count * p->row_count,
	    .bytes = sizeof(struct instruction_outcome),
	    .jobs = agent_eval_is_script(&p->eval) ? jobs : 1, /* money is counted in one process */
	    .work = run_one,
	    .take = take,
	    .lasts = lasts,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .state_path = dir != NULL ? state : NULL,
	    .key = key_of(p)};
	cli_catch_signals();
	enum cairn_jobs_end end = cairn_jobs_do(&work, &results, &done);
	if (end != CAIRN_JOBS_FAILED)
		passed = tell(p, results, done, figures);
	if (end == CAIRN_JOBS_DONE && dir != NULL) {
		char *command = cairn_provenance_command(cli);
		if (!instruction_write_page(figures, command, passed, dir, &err)) {
			fprintf(stderr, "cairn eval instructions: %s\n", err.text);
			passed = false;
		}
		free(command);
	}
	free(results);
	free(done);
	return passed && end == CAIRN_JOBS_DONE ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}

enum cairn_eval_end cairn_eval_instructions(const struct cli *cli, json_t *figures)
{
	struct plan *p = calloc(1, sizeof(*p));
	struct cairn_error err = {""};
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - 1000),
	     most = cli_count_max(cli, "count", 60, TOLD_MAX),
	     jobs = cli_count_max(cli, "jobs", cairn_jobs_default(), 256);
	const char *rows = cli_value(cli, "rows"), *dir = cli_value(cli, "report");
	enum cairn_eval_end end = CAIRN_EVAL_USAGE;
	bool ok = p != NULL && seed >= 0 && most > 0 && jobs > 0 &&
		  choose_rows(p, rows != NULL ? rows : "agent", &err) &&
		  agent_eval_config(&p->eval, cli, &err);
	if (ok)
		p->eval.cfg.sim.seed = (int)seed;
	ok = ok && add_houses(p, cli, &err) && agent_eval_open(&p->eval, &err);
	if (ok && dir != NULL && mkdir(dir, 0777) != 0 && errno != EEXIST) {
		cairn_error_set(&err, "--report: %s: %s", dir, strerror(errno));
		ok = false;
	}
	if (ok) {
		p->verbose = cli_value(cli, "verbose") != NULL;
		choose(p, (uint64_t)seed, (uint32_t)most);
		end = p->told_count > 0 ? run(p, cli, jobs, figures) : CAIRN_EVAL_FAILED;
	} else if (err.text[0] != '\0') {
		fprintf(stderr, "cairn eval instructions: %s\n", err.text);
	}
	for (uint32_t i = 0; p != NULL && i < p->house_count; i++) {
		cairn_instruction_house_free(&p->houses[i].truth);
		cairn_world_destroy(&p->houses[i].world);
	}
	if (p != NULL)
		agent_eval_close(&p->eval);
	free(p);
	return end;
}
