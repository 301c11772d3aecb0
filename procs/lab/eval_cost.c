/* eval_cost.c - what an hour of asking costs, by the ledger, at a constant rate of one call in five seconds.
 *
 * The whole stack explores the bundled homes with the default configuration. The model is asked in shadow
 * mode, where local exploration drives: so questions can be asked at a fixed rate whatever the answers are,
 * about a robot that is on its way, with memory, last actions and the pictures that the default sends. The
 * scripted pilot answers, and counts tokens by the published rules for gpt-4o-mini
 * (common/vlm/tokens.h); the gateway's ledger adds up, at the configured prices (--config, --set vlm.price_...). The recording of the session says which part of a
 * request costs what. Pass mark: under 0.30 USD per hour. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/rules/config_check.h"
#include "common/vlm/memory.h"
#include "common/vlm/profile.h"
#include "common/vlm/recording.h"
#include "common/vlm/tokens.h"
#include "procs/lab/bench.h"
#include "procs/lab/eval_cost_need.h"
#include "procs/cli/cli.h"
#include "procs/lab/stack_fixture.h"
#include "procs/cli/rundir.h"

#define RATE_HZ 0.2
#define RATE_SPARE 0.2 /* of it: a session asked more or less often was none at this rate */
#define USD_PER_HOUR_MAX 0.30
#define DEFAULT_S 300.0
#define END_TIMEOUT_S 90.0

static const char *const homes[] = {"loop", "home"}; /* the studio is over before a minute is */

/* Sums over the calls of a recording. */
struct parts {
	uint64_t calls, pictures, follow_ups;
	uint64_t tools, system, context, cached, in, out;
	double first_s, last_s;
};

struct cost {
	struct cairn_config cfg;
	struct cairn_lineup lineup; /* whose prices: as configured */
	struct parts parts;
	uint64_t calls, failures;
	double usd, asked_s;
	struct cairn_memory memory; /* read back into; large */
	struct cairn_error problem;
};

static uint64_t number(const json_t *usage, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(usage, key));
	return n > 0 ? (uint64_t)n : 0;
}

static void count_messages(struct parts *p, const json_t *messages)
{
	for (size_t i = 0; i < json_array_size(messages); i++) {
		const json_t *m = json_array_get(messages, i), *content = json_object_get(m, "content");
		const char *role = json_string_value(json_object_get(m, "role"));
		json_t *one = json_pack("[O]", m);
		uint64_t tokens = cairn_tokens_messages(one) - CAIRN_TOKENS_MESSAGE;
		json_decref(one);
		bool system = role != NULL && strcmp(role, "system") == 0;
		*(system ? &p->system : &p->context) += tokens;
		p->follow_ups += role != NULL && strcmp(role, "tool") == 0;
		for (size_t k = 0; k < json_array_size(content); k++)
			p->pictures += json_object_get(json_array_get(content, k), "image_url") != NULL;
	}
}

static void count_exchange(struct parts *p, const json_t *line)
{
	json_t *request = json_loads(json_string_value(json_object_get(line, "request")), 0, NULL);
	json_t *response = json_loads(json_string_value(json_object_get(line, "response")), 0, NULL);
	const json_t *usage = json_object_get(response, "usage");
	double t_s = json_number_value(json_object_get(line, "t_unix_s"));
	if (request != NULL && usage != NULL) {
		p->first_s = p->calls == 0 ? t_s : p->first_s;
		p->last_s = t_s;
		p->calls++;
		p->tools += cairn_tokens_tools(json_object_get(request, "tools"));
		count_messages(p, json_object_get(request, "messages"));
		p->in += number(usage, "prompt_tokens");
		p->out += number(usage, "completion_tokens");
		p->cached += number(json_object_get(usage, "prompt_tokens_details"), "cached_tokens");
	}
	json_decref(request);
	json_decref(response);
}

static void read_recording(struct parts *p, const char *path)
{
	char *line = NULL;
	size_t cap = 0;
	FILE *in = cairn_file_stream(path, 0, NULL);
	while (in != NULL && cairn_file_line(in, &line, &cap, CAIRN_RECORDING_LINE_MAX) > 0) {
		json_t *exchange = json_loads(line, 0, NULL);
		if (exchange != NULL)
			count_exchange(p, exchange);
		json_decref(exchange);
	}
	free(line);
	if (in != NULL)
		fclose(in);
}

static void read_recordings(struct parts *p, const char *run_dir)
{
	char folder[300], path[600];
	snprintf(folder, sizeof(folder), "%s/exchanges", run_dir);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			read_recording(p, path);
	}
	if (dir != NULL)
		closedir(dir);
}

static bool explored(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && (run->mission.state == CAIRN_MISSION_STATE_FINISHED ||
					run->mission.state == CAIRN_MISSION_STATE_RETURNING);
}

static void add_parts(struct parts *sum, const struct parts *p)
{
	sum->calls += p->calls;
	sum->pictures += p->pictures;
	sum->follow_ups += p->follow_ups;
	sum->tools += p->tools;
	sum->system += p->system;
	sum->context += p->context;
	sum->in += p->in;
	sum->out += p->out;
	sum->cached += p->cached;
}

/* The stack is configured as asked, below what this measurement needs. */
static void add_options(const struct cli *cli, const char **args)
{
	int n = 0, count;
	const char *const *sets = cli_values(cli, "set", &count);
	while (args[n] != NULL)
		n++;
	if (cli_value(cli, "config") != NULL && n + 2 <= DRILL_ARGS_MAX) {
		args[n++] = "--config";
		args[n++] = cli_value(cli, "config");
	}
	for (int i = 0; i < count && n + 2 <= DRILL_ARGS_MAX; i++) {
		args[n++] = "--set";
		args[n++] = sets[i];
	}
}

/* Prices and all else as the stack will have them. */
static bool configure(const struct cli *cli, struct cost *c)
{
	char share[4096];
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	return cairn_share_dir(share, sizeof(share), &c->problem) &&
	       cairn_config_merge(&c->cfg, &layers, &c->problem) &&
	       cairn_config_check(&c->cfg, &c->problem) && cairn_share_find_model(&c->cfg.vlm, &c->problem) &&
	       cairn_lineup_load(&c->lineup, &c->cfg.vlm, &c->problem);
}

/* Explores one home until it is done or the time is up; its figures into *ret. False with c->problem set. */
static bool run_home(const struct cli *cli, struct cost *c, const char *cairn, const char *home,
    double limit_s, json_t *figures)
{
	bool verbose = cli_value(cli, "verbose") != NULL;
	char name[64], world[4400];
	snprintf(name, sizeof(name), "config/worlds/%.40s.yaml", home);
	if (!cairn_share_file(name, world, sizeof(world), &c->problem))
		return false;
	const char *args[DRILL_ARGS_MAX + 1] = {"--world", world, "--set", "vlm.record=exchanges", "--set",
	    "vlm.record_pictures=false", "--set", "vlm.shadow=true", "--set", "vlm.base_timer_s=4.2", "--set",
	    "vlm.skip_age_max_s=0", "--set", "vlm.limit_calls_per_min=12", "--set", "safety.silent_wait_s=4",
	    "--set", "safety.silent_local_s=3600"};
	add_options(cli, args);
	struct drill *drill = fixture_start(cairn, args, &c->problem);
	if (drill == NULL)
		return false;
	(void)fixture_wait(drill, explored, NULL, limit_s);
	struct parts p = {0};
	struct cairn_ledger ledger = {0};
	int status = fixture_end(drill, SIGINT, END_TIMEOUT_S, NULL, 0);
	char path[320];
	snprintf(path, sizeof(path), "%s/state/memory.yaml", fixture_run_dir(drill));
	bool read = cairn_memory_load(&c->memory, &ledger, path, &c->problem);
	read_recordings(&p, fixture_run_dir(drill));
	double asked_s = p.last_s - p.first_s;
	bool ok = read && status == 0 && p.calls > 2 && asked_s > 0.0 && !cli_interrupted();
	if (cli_interrupted())
		cairn_error_set(&c->problem, "interrupted");
	else if (!ok && read)
		cairn_error_set(&c->problem, "%s: the stack ended with status %d after %llu calls", home,
		    status, (unsigned long long)p.calls);
	if (verbose)
		fprintf(stderr, "%s: %llu calls in %.0f s, %.4f USD, %llu pictures\n", home,
		    (unsigned long long)p.calls, asked_s, ledger.cost_usd, (unsigned long long)p.pictures);
	json_object_set_new(figures, home,
	    json_pack("{s:I,s:f,s:f,s:I}", "calls", (json_int_t)p.calls, "seconds", asked_s, "usd",
		ledger.cost_usd, "pictures", (json_int_t)p.pictures));
	add_parts(&c->parts, &p);
	c->calls += ledger.calls;
	c->failures += ledger.failures;
	c->usd += ledger.cost_usd;
	/* The calls after the first came in this time. */
	c->asked_s += asked_s * (double)p.calls / (double)(p.calls > 1 ? p.calls - 1 : 1);
	fixture_destroy(&drill, !ok);
	return ok;
}

static void put_share(json_t *o, const char *name, double tokens, double usd_per_mtok, double calls)
{
	json_object_set_new(o, name,
	    json_pack("{s:f,s:f}", "tokens_per_call", tokens / calls, "usd_per_hour",
		tokens / calls * usd_per_mtok * 1e-6 * RATE_HZ * 3600.0));
}

/* Tokens a call, and US dollars an hour at the rate. */
static json_t *make_shares(const struct parts *p, const struct cairn_profile *prices, uint64_t picture_tokens)
{
	double calls = (double)p->calls, pictures = (double)(p->pictures * picture_tokens);
	double text = (double)(p->tools + p->system + p->context), cached = (double)p->cached;
	json_t *o = json_object();
	put_share(o, "cached", cached, prices->price_cached_usd_per_mtok, calls);
	put_share(o, "fresh_text", text - cached, prices->price_in_usd_per_mtok, calls);
	put_share(o, "pictures", pictures, prices->price_in_usd_per_mtok, calls);
	put_share(o, "output", (double)p->out, prices->price_out_usd_per_mtok, calls);
	json_object_set_new(o, "tools_tokens", json_real((double)p->tools / calls));
	json_object_set_new(o, "system_tokens", json_real((double)p->system / calls));
	json_object_set_new(o, "context_tokens", json_real((double)p->context / calls));
	json_object_set_new(
	    o, "pictures_per_hour", json_real((double)p->pictures / calls * RATE_HZ * 3600.0));
	json_object_set_new(o, "follow_ups", json_integer((json_int_t)p->follow_ups));
	return o;
}

enum cairn_eval_end cairn_eval_cost(const struct cli *cli, json_t *figures)
{
	static struct cost c; /* large */
	char dir[4096], cairn[4200];
	double limit_s = DEFAULT_S;
	if (cli_value(cli, "by-need") != NULL)
		return cost_by_need(cli, figures);
	if (!cli_time(cli, "for", &limit_s))
		return CAIRN_EVAL_USAGE;
	if (!configure(cli, &c)) {
		fprintf(stderr, "cairn eval cost: %s\n", c.problem.text);
		return CAIRN_EVAL_USAGE;
	}
	bool ok = cairn_program_dir(dir, sizeof(dir));
	snprintf(cairn, sizeof(cairn), "%s/cairn", dir);
	for (size_t i = 0; ok && i < sizeof(homes) / sizeof(homes[0]); i++)
		ok = run_home(cli, &c, cairn, homes[i], limit_s, figures);
	if (!ok) {
		fprintf(stderr, "cairn eval cost: %s\n", c.problem.text);
		return false;
	}
	double per_call_usd = c.usd / (double)c.calls, rate_hz = (double)c.parts.calls / c.asked_s;
	double per_hour_usd = per_call_usd * RATE_HZ * 3600.0;
	const struct cairn_profile *who = &c.lineup.rows[0];
	json_object_set_new(figures, "prices",
	    json_pack("{s:s,s:s,s:s,s:f,s:f,s:f}", "provider", who->name, "model", who->model, "priced",
		who->priced, "in_usd_per_mtok", who->price_in_usd_per_mtok, "cached_usd_per_mtok",
		who->price_cached_usd_per_mtok, "out_usd_per_mtok", who->price_out_usd_per_mtok));
	json_object_set_new(figures, "calls", json_integer((json_int_t)c.calls));
	json_object_set_new(figures, "failures", json_integer((json_int_t)c.failures));
	json_object_set_new(figures, "rate_hz", json_real(rate_hz));
	json_object_set_new(figures, "usd", json_real(c.usd));
	json_object_set_new(figures, "usd_per_call", json_real(per_call_usd));
	json_object_set_new(figures, "usd_per_hour_at_0_2_hz", json_real(per_hour_usd));
	json_object_set_new(figures, "parts",
	    make_shares(&c.parts, &c.lineup.rows[0],
		c.cfg.pilot.picture_tokens > 0 ? (uint64_t)c.cfg.pilot.picture_tokens
					       : cairn_tokens_picture(640, 480, false)));
	return per_hour_usd < USD_PER_HOUR_MAX && c.failures == 0 && c.parts.pictures > 0 &&
	       rate_hz > RATE_HZ * (1.0 - RATE_SPARE) && rate_hz < RATE_HZ * (1.0 + RATE_SPARE);
}
