/* cli.h - the frame of the command-line programs: one row a command (procs/cairn/commands.c, procs/lab/experiments.c), options
 * parsed and help written from it. */
#ifndef CAIRN_PROCS_CLI_CLI_H
#define CAIRN_PROCS_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/config/config.h"
#include "ipc/bus.h"
#include "ipc/commands.h"
#include "ipc/remote.h"

#define CLI_OPTIONS_MAX 24
#define CLI_RUN_DIR_MAX 256

/* What every command ends with. */
enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1, /* refused, not well, a check that does not pass */
	CLI_USAGE = 2,  /* wrong usage or configuration */
	CLI_ABSENT = 3, /* nothing is running, or no answer in time */
};

struct cli_option {
	const char *name; /* NULL ends a list */
	char letter;      /* '\0' = none */
	const char *
	    value; /* what its value is called in the help; NULL: takes none; with "..." behind: may be repeated */
	const char *help;
};

/* What a person wants when looking for a command: the headings of `cairn help`. */
enum cli_group {
	CLI_GROUP_RUN,
	CLI_GROUP_DRIVE,
	CLI_GROUP_WATCH,
	CLI_GROUP_SET_UP,
	CLI_GROUP_CONNECT,
	CLI_GROUP_MEASURE,
	CLI_GROUP_COUNT
};

struct cli;

struct cli_command {
	const char *name;
	const char *args; /* of the usage line, options aside */
	const char *summary;
	const char *details;                  /* may be NULL */
	const struct cli_option *options;     /* beside --run, --json, --help; may be NULL */
	int arg_min, arg_max;                 /* positional; arg_max -1: any number */
	bool json;                            /* understands --json */
	bool remote;                          /* understands --connect */
	const struct cairn_command_row *verb; /* of cli_ask_verb */
	int (*run)(const struct cli *cli);    /* enum cli_exit; NULL: handed over to `program` */
	const char *program; /* a sister program that takes the whole command line, its help too; or NULL */
	enum cli_group group;
	/* Commands below it ("eval" has "eval explore"), or NULL when it has none: the i-th, NULL past the last. Their names
	 * start with its own; their arguments start with their own name. */
	const struct cli_command *(*row)(int i);
};

/* A command being run. */
struct cli {
	const struct cli_program *program;
	const struct cli_command *command;
	char run_dir[CLI_RUN_DIR_MAX];
	bool run_given; /* by --run */
	bool json;
	const char *connect,
	    *key; /* --connect: a robot elsewhere, and the file of the key for it; NULL = none */
	int counts[CLI_OPTIONS_MAX];          /* by place in command->options */
	const char **values[CLI_OPTIONS_MAX]; /* until cli_free */
	int arg_count;
	char **args;
};

/* A program of the tool: its commands, one row each, and the groups that its list of them has headings for. */
struct cli_program {
	const char *name, *summary;
	const struct cli_command *commands;
	int count;
};

/* Finds the command, parses its options, runs it or hands it over to another program; the exit status. */
int cli_main(const struct cli_program *program, int argc, char **argv);
/* Rows of every program: `help` with its options, and `version`. */
extern const struct cli_option cli_help_options[];
int cli_help(const struct cli *cli);
int cli_version(const struct cli *cli);

/* ---- shared helpers (options.c, util.c) ---- */

/* Fills *cli from the arguments behind the command's name. 0 go on; else the exit status is *ret_status. */
int cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv, int *ret_status);
/* After cli_parse, whatever that has said. */
void cli_free(struct cli *cli);
void cli_print_help(FILE *out, const struct cli_command *command);
/* Every option that the command takes, --run and its like at the end. */
void cli_each_option(
    const struct cli_command *command, void (*fn)(void *ctx, const struct cli_option *option), void *ctx);
/* The heading of a group of commands; NULL when the program has none in it. */
const char *cli_group_heading(const struct cli_program *program, int group);
/* The manual page in man's own format, and the completion of command lines for bash (manual.c). */
void cli_print_manual(FILE *out, const struct cli_program *program);
void cli_print_completion(FILE *out, const struct cli_program *program);
/* The command below `command` that the arguments name, wherever its name stands among the options; NULL if none does. */
const struct cli_command *cli_find_row(const struct cli_command *command, int argc, char **argv);
/* Value of an option by its name: the last one given, or NULL. Flags: "" when given. */
const char *cli_value(const struct cli *cli, const char *name);
/* All values of an option, in the order given. */
const char *const *cli_values(const struct cli *cli, const char *name, int *ret_count);
/* What --config and --set lay over the configuration; share_dir is not set. Points into cli. */
struct cairn_config_layers cli_layers(const struct cli *cli);
/* "cairn NAME: text" on standard error; returns status. */
__attribute__((format(printf, 3, 4))) int cli_fail(const struct cli *cli, int status, const char *fmt, ...);
/* A count of an option, 1..1e9; dflt where it is not given, -1 (and a message) when it is wrong. */
long cli_count(const struct cli *cli, const char *name, long dflt);
/* The same up to max. */
long cli_count_max(const struct cli *cli, const char *name, long dflt, long max);
/* The same from min on: numbers of worlds, say, begin at 0. */
long cli_count_within(const struct cli *cli, const char *name, long dflt, long min, long max);

/* The option's time, more than none, into *s, which stays as it is without the option. False after a message. */
bool cli_time(const struct cli *cli, const char *name, double *s);

/* Connects to the robot of --connect with the key of --key. NULL after a message, with *ret_status. */
struct cairn_remote *cli_connect(const struct cli *cli, int *ret_status);
/* True when a process has bound the socket RUN/bus/name. */
bool cli_bus_bound(const char *run_dir, const char *name);
/* Ends with CLI_FAILED and a line when the run directory is somebody else's, or open to others (ipc/trust.h). */
int cli_trust_run_dir(const struct cli *cli);
/* The same, and ends with CLI_ABSENT and a line when no stack runs in the run directory; CLI_OK otherwise. */
int cli_need_stack(const struct cli *cli);
/* Ends with CLI_ABSENT and a line for a stage that did not answer: it hangs, or the stack runs without it. */
int cli_stage_silent(const struct cli *cli, const char *stage);
/* Can a file be written at path, once there is something to write? Leaves what is there as it is, and nothing where nothing was. */
bool cli_can_write(const char *path, struct cairn_error *err);
/* Takes out terminal sequences and replaces other control characters by '?', in place; returns text. */
char *cli_printable(char *text);
/* A line of JSON on standard output; line is released. Not for texts from outside, whose invisible characters must be escaped. */
void cli_print_json(json_t *line);
/* Text as a JSON string with its quotes, whatever bytes it has. */
void cli_print_json_string(FILE *out, const char *text);
/* True after SIGINT or SIGTERM, once cli_catch_signals was called. */
void cli_catch_signals(void);
bool cli_interrupted(void);
int64_t cli_now_ns(void);
/* A span of time as people read it everywhere in this tool: "0:01:05", from a day on "2d03:04:05". */
void cli_clock_text(double s, char *buf, size_t bytes);
/* A moment on the wall clock, in local time: "2026-11-25 22:05:01.250". */
void cli_time_text(double unix_s, char *buf, size_t bytes);

#endif
