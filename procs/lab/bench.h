/* bench.h - the frame of `cairn bench` and `cairn eval`. A row in the tables of experiments.c makes one.
 *
 * A bench measures and prints lines; an eval judges by a pass mark and prints one object. Both measure on
 * this machine, now; nothing is quoted from elsewhere. A baseline is measured in the same run, and its name
 * says what it is. */
#ifndef CAIRN_PROCS_LAB_BENCH_H
#define CAIRN_PROCS_LAB_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "procs/cli/cli.h"

struct cairn_bench_out {
	const struct cli *cli; /* options and further arguments of the command line */
	bool json;
	int lines;
	bool usage; /* the options were wrong */
};
/* Ends a benchmark whose options are wrong, after a message: false. */
bool cairn_bench_usage(struct cairn_bench_out *out);

struct cairn_bench {
	struct cli_command
	    command; /* "bench NAME", with the options that it takes; first, so that one leads to the other */
	const char *name;
	bool (*run)(
	    struct cairn_bench_out *out); /* false: could not be measured, the reason is on standard error */
};

/* A bool will do where there is no wrong usage. */
enum cairn_eval_end { CAIRN_EVAL_FAILED, CAIRN_EVAL_PASSED, CAIRN_EVAL_USAGE };

struct cairn_eval {
	struct cli_command command; /* "eval NAME", with the options that it takes; first, as above */
	const char *name;
	bool stack; /* drives a whole one (stack_fixture.h): SIGINT and SIGTERM end that first */
	/* Adds its figures. USAGE after a message: nothing is printed. Options by cli_value. A figure "text" is for people:
	 * printed in place of the others when nobody asks for JSON. One that failed without any has told why on standard
	 * error: people get no more. */
	enum cairn_eval_end (*run)(const struct cli *cli, json_t *figures);
};

extern const struct cairn_bench cairn_benches[];
extern const int cairn_bench_count;
extern const struct cairn_eval cairn_evals[];
extern const int cairn_eval_count;

/* The i-th row, NULL past the last; and the list of the rows below the command. */
const struct cli_command *cairn_bench_row(int i);
const struct cli_command *cairn_eval_row(int i);
int cairn_lab_list(const struct cli *cli);

/* Run functions of the rows' commands (bench.c). */
int cairn_bench_command(const struct cli *cli);
int cairn_eval_command(const struct cli *cli);

/* One line: {"name": ..., "value": ..., "unit": ...}. */
void cairn_bench_value(struct cairn_bench_out *out, const char *name, double value, const char *unit);
/* The same with what it is compared to: ratio is baseline / value, so that larger is better for times. */
void cairn_bench_ratio(
    struct cairn_bench_out *out, const char *name, double value, const char *unit, double baseline);

/* One that has a mark: no more than most. False, with a line on standard error, where it is missed. */
bool cairn_bench_most(
    struct cairn_bench_out *out, const char *name, double value, const char *unit, double most);

/* Nanoseconds of processor time that one call of work(ctx) takes on this thread (so of one core, however busy
 * the machine is): the median of nine batches, each long enough for the clock. */
double cairn_bench_time_ns(void (*work)(void *ctx), void *ctx);

/* Recorded logs mapped (map_log.c). */
int cairn_map_log_command(const struct cli *cli);

bool cairn_bench_choice(struct cairn_bench_out *out);
bool cairn_bench_consumers(struct cairn_bench_out *out);
bool cairn_bench_recorder(struct cairn_bench_out *out);
bool cairn_bench_codec(struct cairn_bench_out *out);
bool cairn_bench_edt(struct cairn_bench_out *out);
bool cairn_bench_eval(struct cairn_bench_out *out);
bool cairn_bench_map(struct cairn_bench_out *out);
bool cairn_bench_arc(struct cairn_bench_out *out);
bool cairn_bench_planner(struct cairn_bench_out *out);
bool cairn_bench_gateway(struct cairn_bench_out *out);
bool cairn_bench_perception(struct cairn_bench_out *out);
bool cairn_bench_reaction(struct cairn_bench_out *out);
bool cairn_bench_scene(struct cairn_bench_out *out);
bool cairn_bench_transport(struct cairn_bench_out *out);
enum cairn_eval_end cairn_eval_arenas(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_bus(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_chaos(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_corridors(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_cost(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_dead_ends(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_explore(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_frequency(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_mapping(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_mounting(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_recovery(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_replay(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_soak(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_storm(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_detector(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_eqa(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_instructions(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_tasks(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_voice(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_scene(const struct cli *cli, json_t *figures);
enum cairn_eval_end cairn_eval_safety(const struct cli *cli, json_t *figures);

#endif
