#include "procs/lab/bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/hash.h"

#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"
#include "procs/lab/stack_fixture.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define BATCHES 9
#define BATCH_NS INT64_C(30000000)

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

bool cairn_bench_most(
    struct cairn_bench_out *out, const char *name, double value, const char *unit, double most)
{
	bool met = value <= most; /* what is not a number misses it */
	out->lines++;
	if (out->json)
		printf("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"most\":%.6g,\"met\":%s}\n", name,
		    value, unit, most, met ? "true" : "false");
	else
		printf("%-28s %12.6g %s, at most %.6g\n", name, value, unit, most);
	fflush(stdout);
	if (!met)
		fprintf(
		    stderr, "cairn: %s: %.6g %s, and at most %.6g is the mark\n", name, value, unit, most);
	return met;
}

bool cairn_bench_usage(struct cairn_bench_out *out)
{
	out->usage = true;
	return false;
}

int cairn_bench_command(const struct cli *cli)
{
	const struct cairn_bench *b = (const struct cairn_bench *)cli->command;
	struct cairn_bench_out out = {.cli = cli, .json = cli->json};
	bool good = b->run(&out) && out.lines > 0;
	return good ? CLI_OK : out.usage ? CLI_USAGE : CLI_FAILED;
}

static void print_row(const struct cli *cli, const char *name, const char *summary)
{
	if (cli->json)
		printf("{\"name\":\"%s\",\"summary\":\"%s\"}\n", name, summary);
	else
		printf("%-10s %s\n", name, summary);
}

const struct cli_command *cairn_bench_row(int i)
{
	return i < cairn_bench_count ? &cairn_benches[i].command : NULL;
}

const struct cli_command *cairn_eval_row(int i)
{
	return i < cairn_eval_count ? &cairn_evals[i].command : NULL;
}

/* What is known by its name never gets here: main.c goes by the row. */
int cairn_lab_list(const struct cli *cli)
{
	const struct cli_command *row;
	if (cli->arg_count > 0)
		return cli_fail(cli, CLI_USAGE, "there is no %s '%s'; 'cairn %s' lists them",
		    cli->command->name, cli->args[0], cli->command->name);
	for (int i = 0; (row = cli->command->row(i)) != NULL; i++)
		print_row(cli, strchr(row->name, ' ') + 1, row->summary);
	return CLI_OK;
}

/* Of two values of an option that means one, neither is passed over in silence. */
static int check_once(const struct cli *cli)
{
	const struct cli_option *options = cli->command->options;
	for (int i = 0; options != NULL && options[i].name != NULL; i++)
		if (cli->counts[i] > 1 &&
		    (options[i].value == NULL || strstr(options[i].value, "...") == NULL) &&
		    options[i].letter == '\0')
			return cli_fail(
			    cli, CLI_USAGE, "it takes one --%s, not %d", options[i].name, cli->counts[i]);
	return CLI_OK;
}

/* The places of the results, before hours are spent on them. */
static int check_places(const struct cli *cli)
{
	const char *report = cli_value(cli, "report"), *state = cli_value(cli, "state");
	struct cairn_error err = {""};
	struct stat st;
	if (report != NULL && ((mkdir(report, 0777) != 0 && errno != EEXIST) || stat(report, &st) != 0 ||
				  !S_ISDIR(st.st_mode) || access(report, W_OK | X_OK) != 0))
		return cli_fail(
		    cli, CLI_USAGE, "--report: %s: no folder that can be made or written to", report);
	if (state == NULL)
		return CLI_OK;
	int fd = lstat(state, &st) == 0 ? cairn_file_update(state, 0600, &err) : -1;
	if (fd >= 0)
		close(fd);
	else if (err.text[0] != '\0' || !cli_can_write(state, &err))
		return cli_fail(cli, CLI_USAGE, "--state: %s", err.text);
	return CLI_OK;
}

static void add_provenance(const struct cli *cli, json_t *result)
{
	char build[20];
	char *command = cairn_provenance_command(cli);
	snprintf(build, sizeof(build), "%016llx", (unsigned long long)cairn_program_hash(CAIRN_HASH_START));
	json_object_set_new(result, "command", json_string(command != NULL ? command : ""));
	json_object_set_new(result, "version", json_string(CAIRN_VERSION));
	json_object_set_new(result, "commit", json_string(cairn_provenance_commit()));
	json_object_set_new(result, "build", json_string(build));
	free(command);
}

int cairn_eval_command(const struct cli *cli)
{
	const struct cairn_eval *eval = (const struct cairn_eval *)cli->command;
	int usage = check_once(cli);
	if (usage == CLI_OK)
		usage = check_places(cli);
	if (usage != CLI_OK)
		return usage;
	json_t *result = json_object(), *figures = json_object();
	if (eval->stack) {
		cli_catch_signals();
		fixture_until(cli_interrupted);
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
