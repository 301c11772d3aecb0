#include "procs/cairn/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "procs/cairn/cmd.h"
#include "procs/cairn/drill.h"
#include "procs/cairn/provenance.h"
#include "procs/cairn/shards.h"

#define BATCHES 9
#define BATCH_NS INT64_C(30000000)

static const struct cairn_bench benches[] = {
    {"arc", "swept-arc clearance of a footprint among the 720 points of a scan", cairn_bench_arc},
    {"edt", "distance transform of a million cells", cairn_bench_edt},
    {"map", "one scan on a map of a million cells: grid update, distances, frontiers; a loop that is closed",
	cairn_bench_map},
    {"choice", "a set of candidates on a map of a million cells", cairn_bench_choice},
    {"codec", "encoding and decoding of a 720-point scan", cairn_bench_codec},
    {"eval",
	"whole explorations in one process by simulated time: how many times faster than real time on one "
	"core",
	cairn_bench_eval},
    {"gateway", "what the gateway adds to a call against bare libcurl, and from a trigger to the first byte",
	cairn_bench_gateway},
    {"perception", "scan to text, a whole snapshot against the bare JPEG and against Python, and transport",
	cairn_bench_perception},
    {"planner",
	"costmap and kinematic search; with --scen grid search against published lengths and a textbook A*",
	cairn_bench_planner},
    {"reaction",
	"an obstacle in a scan on the bus to zero speed at the motor board, under load; jitter of the loop",
	cairn_bench_reaction},
    {"transport", "a frame between two processes against bare iceoryx and ZeroMQ", cairn_bench_transport},
};

static const struct cairn_eval evals[] = {
    {"arenas",
	"small rooms with a task, driven by the scripted pilot through the real cores: goal, contacts, "
	"cycles",
	.takes = "name mode seed seeds jobs report", .run = cairn_eval_arenas},
    {"bus", "the tables of messages, topics, services and stages agree with each other", .takes = "",
	.run = cairn_eval_bus},
    {"chaos",
	"random faults in random processes of a driving stack: contacts, time to stop, time to drive again",
	.takes = "for seed set* untimed verbose", .stack = true, .run = cairn_eval_chaos},
    {"explore",
	"houses explored by local exploration, by a model, by a model among candidates, and by the textbook, "
	"paired",
	.takes = "worlds* mode* seed seeds for poses pilot provider usd jobs report baseline config set*",
	.arg_max = -1, .run = cairn_eval_explore},
    {"cost", "what an hour of asking at a constant 0.2 Hz costs by the ledger, at gpt-4o-mini's prices",
	.takes = "for config set* verbose", .stack = true, .run = cairn_eval_cost},
    {"recovery", "every process of a driving stack is killed once: time until decisions are driven again",
	.takes = "", .stack = true, .run = cairn_eval_recovery},
    {"frequency",
	"calls needed when asked by need and at fixed 0.2, 0.5 and 1 Hz, for the same floor seen in the "
	"bundled homes",
	.takes = "seed seeds jobs report state", .run = cairn_eval_frequency},
    {"mapping", "the bundled homes explored with slip and drift: pose and walls against the truth",
	.takes = "seed", .run = cairn_eval_mapping},
    {"replay",
	"a recording of a model's answers (vlm.record) put to the present code: what changes; --ask another "
	"model",
	.takes = "ask usd config set* report state", .arg_min = 1, .arg_max = 1, .run = cairn_eval_replay},
    {"safety", "hostile pilots in random houses against the real cores: contacts, clearances, stops",
	.takes = "hours seed jobs state without verbose", .run = cairn_eval_safety},
    {"soak", "a stack that drives for half an hour: growth of memory and descriptors, slowing down",
	.takes = "for world", .stack = true, .run = cairn_eval_soak},
    {"storm", "a busy writer and reader of frames killed 200 times: frames flow again every time",
	.takes = "kills seed", .stack = true, .run = cairn_eval_storm},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of this thread's processor time: what others do meanwhile is none of the work's. */
static int64_t spent_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

double cairn_bench_time_ns(void (*work)(void *ctx), void *ctx)
{
	long calls = 1;
	double each_ns[BATCHES];
	for (int batch = 0; batch < BATCHES;) {
		int64_t start_ns = spent_ns();
		for (long i = 0; i < calls; i++)
			work(ctx);
		int64_t took_ns = spent_ns() - start_ns;
		if (took_ns < BATCH_NS && batch == 0) {
			calls *= 2; /* warming up until a batch is long enough */
			continue;
		}
		each_ns[batch++] = (double)took_ns / (double)calls;
	}
	qsort(each_ns, BATCHES, sizeof(each_ns[0]), by_value);
	return each_ns[BATCHES / 2];
}

void cairn_bench_value(struct cairn_bench_out *out, const char *name, double value, const char *unit)
{
	out->lines++;
	if (out->json)
		printf("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
	else
		printf("%-28s %12.6g %s\n", name, value, unit);
	fflush(stdout);
}

void cairn_bench_ratio(
    struct cairn_bench_out *out, const char *name, double value, const char *unit, double baseline)
{
	out->lines++;
	double ratio = value > 0.0 ? baseline / value : 0.0;
	if (out->json)
		printf("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"baseline\":%.6g,\"ratio\":%.4g}\n",
		    name, value, unit, baseline, ratio);
	else
		printf("%-28s %12.6g %s, baseline %.6g, ratio %.3g\n", name, value, unit, baseline, ratio);
	fflush(stdout);
}

int cli_bench(const struct cli *cli)
{
	struct cairn_bench_out out = {cli, cli->json, 0};
	for (size_t i = 0; i < COUNT(benches); i++) {
		const struct cairn_bench *b = &benches[i];
		if (cli->arg_count == 0 && cli->json)
			printf("{\"name\":\"%s\",\"summary\":\"%s\"}\n", b->name, b->summary);
		else if (cli->arg_count == 0)
			printf("%-10s %s\n", b->name, b->summary);
		else if (strcmp(b->name, cli->args[0]) == 0)
			return b->run(&out) && out.lines > 0 ? CLI_OK : CLI_FAILED;
	}
	if (cli->arg_count == 0)
		return CLI_OK;
	return cli_fail(cli, CLI_USAGE, "there is no bench '%s'; 'cairn bench' lists them", cli->args[0]);
}

/* Whether the eval takes the option, and more than one of it. */
static bool takes(const struct cairn_eval *e, const char *name, bool *ret_many)
{
	size_t n = strlen(name);
	for (const char *at = strstr(e->takes, name); at != NULL; at = strstr(at + 1, name))
		if ((at == e->takes || at[-1] == ' ') && (at[n] == ' ' || at[n] == '*' || at[n] == '\0')) {
			*ret_many = at[n] == '*';
			return true;
		}
	return false;
}

/* "--seed, --set" */
static void options_of(const struct cairn_eval *e, char *ret, size_t cap)
{
	size_t used = 0;
	ret[0] = '\0';
	for (const char *at = e->takes; *at != '\0' && used < cap;) {
		size_t n = strcspn(at, " *");
		used +=
		    (size_t)snprintf(ret + used, cap - used, "%s--%.*s", used > 0 ? ", " : "", (int)n, at);
		at += n;
		at += strspn(at, " *");
	}
}

/* What this eval would not look at is not passed over in silence. */
static int check_usage(const struct cli *cli, const struct cairn_eval *e)
{
	char list[400];
	int further = cli->arg_count - 1;
	options_of(e, list, sizeof(list));
	for (int i = 0; cli->command->options[i].name != NULL; i++) {
		const char *name = cli->command->options[i].name;
		bool many = false, taken = takes(e, name, &many);
		if (cli->counts[i] > 0 && !taken)
			return cli_fail(cli, CLI_USAGE, "%s does not take --%s; it takes %s", e->name, name,
			    list[0] != '\0' ? list : "no option but --json");
		if (cli->counts[i] > 1 && !many)
			return cli_fail(
			    cli, CLI_USAGE, "%s takes one --%s, not %d", e->name, name, cli->counts[i]);
	}
	if (further < e->arg_min)
		return cli_fail(cli, CLI_USAGE, "%s needs one more argument, see 'cairn help eval'", e->name);
	if (e->arg_max >= 0 && further > e->arg_max)
		return cli_fail(
		    cli, CLI_USAGE, "%s takes no further argument: '%s'", e->name, cli->args[1 + e->arg_max]);
	return CLI_OK;
}

static void add_provenance(const struct cli *cli, json_t *result)
{
	char build[20];
	char *command = cairn_provenance_command(cli);
	snprintf(build, sizeof(build), "%016llx", (unsigned long long)cairn_shards_program(0));
	json_object_set_new(result, "command", json_string(command != NULL ? command : ""));
	json_object_set_new(result, "version", json_string(CAIRN_VERSION));
	json_object_set_new(result, "commit", json_string(cairn_provenance_commit()));
	json_object_set_new(result, "build", json_string(build));
	free(command);
}

static int run_eval(const struct cli *cli, const struct cairn_eval *eval)
{
	int usage = check_usage(cli, eval);
	if (usage != CLI_OK)
		return usage;
	json_t *result = json_object(), *figures = json_object();
	if (eval->stack) {
		cli_catch_signals();
		drill_until(cli_interrupted);
	}
	enum cairn_eval_end end = eval->run(cli, figures);
	bool broken_off = eval->stack && cli_interrupted(), passed = end == CAIRN_EVAL_PASSED && !broken_off;
	if (broken_off)
		json_object_set_new(figures, "problem", json_string("interrupted"));
	if (end == CAIRN_EVAL_USAGE) {
		json_decref(figures);
		json_decref(result);
		return CLI_USAGE;
	}
	if (!passed && !cli->json && json_object_size(figures) == 0) { /* why was told on standard error */
		json_decref(figures);
		json_decref(result);
		return CLI_FAILED;
	}
	json_object_set_new(result, "name", json_string(eval->name));
	json_object_set_new(result, "passed", json_boolean(passed));
	add_provenance(cli, result);
	json_object_update(result, figures);
	/* What an eval has to say to people takes the place of its figures there. */
	const char *said = json_string_value(json_object_get(figures, "text"));
	if (said != NULL && !cli->json) {
		printf("%s%s\n", said, passed ? "passed" : "FAILED");
		json_decref(figures);
		json_decref(result);
		return passed ? CLI_OK : CLI_FAILED;
	}
	(void)json_object_del(result, "text");
	char *text = json_dumps(result, cli->json ? JSON_COMPACT : JSON_INDENT(2));
	printf("%s\n", text != NULL ? text : "{\"passed\":false}");
	free(text);
	json_decref(figures);
	json_decref(result);
	return passed ? CLI_OK : CLI_FAILED;
}

int cli_eval(const struct cli *cli)
{
	for (size_t i = 0; i < COUNT(evals); i++) {
		const struct cairn_eval *e = &evals[i];
		if (cli->arg_count == 0 && cli->json)
			printf("{\"name\":\"%s\",\"summary\":\"%s\"}\n", e->name, e->summary);
		else if (cli->arg_count == 0)
			printf("%-10s %s\n", e->name, e->summary);
		else if (strcmp(e->name, cli->args[0]) == 0)
			return run_eval(cli, e);
	}
	if (cli->arg_count == 0)
		return CLI_OK;
	return cli_fail(cli, CLI_USAGE, "there is no eval '%s'; 'cairn eval' lists them", cli->args[0]);
}
