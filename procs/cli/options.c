#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/duration.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"

static const struct cli_option common_options[] = {
    {"run", '\0', "DIR",
	"run directory of the stack; default $CAIRN_RUN, $XDG_RUNTIME_DIR/cairn, /run/cairn or "
	"/tmp/cairn-UID"},
    {"json", '\0', NULL, "one JSON object a line instead of text"},
    {"help", 'h', NULL, "this text"},
    {"connect", '\0', "URL",
	"a robot elsewhere, tcp://ADDRESS:PORT (its remote.endpoint); default $CAIRN_CONNECT"},
    {"key", '\0', "FILE", "your key for it (cairn keygen NAME --robot FILE.pub); default $CAIRN_KEY"},
    {NULL, '\0', NULL, NULL},
};
enum { COMMON_RUN, COMMON_JSON, COMMON_HELP, COMMON_CONNECT, COMMON_KEY };

static void print_option(void *ctx, const struct cli_option *option)
{
	FILE *out = ctx;
	char left[64];
	char letter[8] = "    ";
	if (option->letter != '\0')
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
	    option->value != NULL ? option->value : "");
	fprintf(out, "  %-24s %s\n", left, option->help);
}

void cli_each_option(
    const struct cli_command *command, void (*fn)(void *ctx, const struct cli_option *option), void *ctx)
{
	for (const struct cli_option *o = command->options; o != NULL && o->name != NULL; o++)
		fn(ctx, o);
	for (int i = 0; common_options[i].name != NULL; i++) {
		bool remote = i == COMMON_CONNECT || i == COMMON_KEY;
		if ((i != COMMON_JSON || command->json) && (!remote || command->remote))
			fn(ctx, &common_options[i]);
	}
}

void cli_print_help(FILE *out, const struct cli_command *command)
{
	fprintf(out, "usage: cairn %s [OPTION]...%s%s\n\n%c%s.\n", command->name,
	    command->args[0] != '\0' ? " " : "", command->args, toupper((unsigned char)command->summary[0]),
	    command->summary + 1);
	if (command->details != NULL)
		fprintf(out, "%s\n", command->details);
	fputc('\n', out);
	const struct cli_command *row;
	for (int i = 0; command->row != NULL && (row = command->row(i)) != NULL; i++)
		fprintf(out, "  %-12s %s\n", strchr(row->name, ' ') + 1, row->summary);
	if (command->row != NULL)
		fprintf(out, "\n'cairn %s NAME --help' tells the options of one.\n\n", command->name);
	cli_each_option(command, print_option, out);
	fprintf(out, "\nExit status: 0 done, 1 refused or failed, 2 wrong usage or configuration, 3 nothing "
		     "runs there "
		     "or no answer in time.\n");
}

/* The option that word (without its dashes, up to '=') or letter names, in one list; -1 if none. */
static int find_option(const struct cli_option *list, const char *word, size_t n, char letter)
{
	for (int i = 0; list != NULL && list[i].name != NULL; i++) {
		if (letter != '\0' ? list[i].letter == letter
				   : strlen(list[i].name) == n && strncmp(list[i].name, word, n) == 0)
			return i;
	}
	return -1;
}

/* "-1.5" is an argument, "-f" and "--run" are options. */
static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0' && !isdigit((unsigned char)word[1]) && word[1] != '.';
}

/* Does this word, an option, take the next one as its value, for the command or any below it? */
static bool takes_next(const struct cli_command *command, const char *word)
{
	bool is_long = word[1] == '-';
	const char *name = word + (is_long ? 2 : 1);
	char letter = is_long ? '\0' : name[0];
	const struct cli_command *row;
	if (is_long ? strchr(name, '=') != NULL : name[1] != '\0')
		return false;
	int common = find_option(common_options, name, strlen(name), letter);
	if (common >= 0)
		return common_options[common].value != NULL;
	for (int i = 0; (row = command->row(i)) != NULL; i++) {
		int own = find_option(row->options, name, strlen(name), letter);
		if (own >= 0)
			return row->options[own].value != NULL;
	}
	return false;
}

const struct cli_command *cli_find_row(const struct cli_command *command, int argc, char **argv)
{
	const struct cli_command *row;
	int at = 0;
	while (command->row != NULL && at < argc && is_option(argv[at]) && strcmp(argv[at], "--") != 0)
		at += takes_next(command, argv[at]) ? 2 : 1;
	for (int i = 0; at < argc && command->row != NULL && (row = command->row(i)) != NULL; i++)
		if (strcmp(strchr(row->name, ' ') + 1, argv[at]) == 0)
			return row;
	return NULL;
}

static int wrong(const struct cli *cli, int *ret_status, const char *what, const char *word)
{
	cli_fail(cli, CLI_USAGE, "%s '%s'; see 'cairn %s --help'", what, word, cli->command->name);
	*ret_status = CLI_USAGE;
	return 1;
}

static bool add_value(struct cli *cli, int option, const char *value)
{
	size_t count = (size_t)cli->counts[option];
	const char **values = realloc(cli->values[option], (count + 1) * sizeof(*values));
	if (values == NULL)
		return false;
	cli->values[option] = values;
	values[count] = value;
	cli->counts[option]++;
	return true;
}

/* Takes the option at argv[*i] and its value. */
static int take_option(
    struct cli *cli, int argc, char **argv, int *i, const char **run, bool *help, int *ret_status)
{
	const char *word = argv[*i];
	bool is_long = word[1] == '-';
	const char *name = word + (is_long ? 2 : 1);
	const char *equals = is_long ? strchr(name, '=') : NULL;
	size_t n = equals != NULL ? (size_t)(equals - name) : strlen(name);
	char letter = is_long ? '\0' : name[0];

	int own = find_option(cli->command->options, name, n, letter);
	int common = own < 0 ? find_option(common_options, name, n, letter) : -1;
	if ((common == COMMON_CONNECT || common == COMMON_KEY) && !cli->command->remote)
		return wrong(cli, ret_status, "works on the robot itself only, not with", word);
	if ((own < 0 && common < 0) || (common == COMMON_JSON && !cli->command->json))
		return wrong(cli, ret_status, "unknown option", word);
	const struct cli_option *option = own >= 0 ? &cli->command->options[own] : &common_options[common];
	const char *value = "";
	if (option->value != NULL) {
		if (equals != NULL)
			value = equals + 1;
		else if (!is_long && name[1] != '\0')
			value = name + 1;
		else if (*i + 1 < argc)
			value = argv[++*i];
		else
			return wrong(cli, ret_status, "a value is missing behind", word);
	} else if (equals != NULL || (!is_long && name[1] != '\0')) {
		return wrong(cli, ret_status, "no value is expected in", word);
	}
	if (common == COMMON_RUN)
		*run = value;
	else if (common == COMMON_JSON)
		cli->json = true;
	else if (common == COMMON_CONNECT)
		cli->connect = value;
	else if (common == COMMON_KEY)
		cli->key = value;
	else if (common == COMMON_HELP)
		*help = true;
	else if (!add_value(cli, own, value))
		return wrong(cli, ret_status, "no memory for", word);
	return 0;
}

int cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv, int *ret_status)
{
	*cli = (struct cli){.command = command, .args = argv};
	const char *run = NULL;
	bool help = false;
	if (command->remote) {
		cli->connect = getenv("CAIRN_CONNECT");
		cli->key = getenv("CAIRN_KEY");
	}
	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				cli->args[cli->arg_count++] = argv[i];
		} else if (!is_option(argv[i])) {
			cli->args[cli->arg_count++] = argv[i];
		} else if (take_option(cli, argc, argv, &i, &run, &help, ret_status) != 0) {
			return 1;
		}
	}
	cli->args[cli->arg_count] = NULL; /* argv has room for it: what was taken away stood in front */
	if (help) {
		cli_print_help(stdout, command);
		*ret_status = CLI_OK;
		return 1;
	}
	if (cli->arg_count < command->arg_min)
		return wrong(cli, ret_status, "missing:", command->args);
	if (command->arg_max >= 0 && cli->arg_count > command->arg_max)
		return wrong(cli, ret_status, "unexpected argument", cli->args[command->arg_max]);
	if (cli->connect != NULL && cli->connect[0] == '\0')
		cli->connect = NULL;
	if (cli->connect != NULL && cli->key == NULL)
		return wrong(cli, ret_status, "--connect needs a key (--key FILE):", cli->connect);
	cli->run_given = run != NULL;
	if (!cairn_run_dir(run, cli->run_dir, sizeof(cli->run_dir))) {
		*ret_status = cli_fail(cli, CLI_USAGE, "the path of the run directory is too long");
		return 1;
	}
	return 0;
}

void cli_free(struct cli *cli)
{
	for (int i = 0; i < CLI_OPTIONS_MAX; i++)
		free(cli->values[i]);
}

const char *cli_value(const struct cli *cli, const char *name)
{
	int i = find_option(cli->command->options, name, strlen(name), '\0');
	return i >= 0 && cli->counts[i] > 0 ? cli->values[i][cli->counts[i] - 1] : NULL;
}

const char *const *cli_values(const struct cli *cli, const char *name, int *ret_count)
{
	int i = find_option(cli->command->options, name, strlen(name), '\0');
	*ret_count = i >= 0 ? cli->counts[i] : 0;
	return i >= 0 ? cli->values[i] : NULL;
}

struct cairn_config_layers cli_layers(const struct cli *cli)
{
	struct cairn_config_layers layers = {0};
	layers.files = cli_values(cli, "config", &layers.file_count);
	layers.sets = cli_values(cli, "set", &layers.set_count);
	return layers;
}

bool cli_time(const struct cli *cli, const char *name, double *s)
{
	const char *text = cli_value(cli, name);
	struct cairn_error err = {""};
	double value_s = 0.0;
	if (text == NULL)
		return true;
	if (!cairn_duration_parse(text, &value_s, &err) || value_s <= 0.0) {
		cli_fail(cli, CLI_USAGE, "--%s: %s", name,
		    err.text[0] != '\0' ? err.text : "more than 0 s is wanted");
		return false;
	}
	*s = value_s;
	return true;
}

long cli_count(const struct cli *cli, const char *name, long dflt)
{
	return cli_count_max(cli, name, dflt, 1000000000);
}

long cli_count_max(const struct cli *cli, const char *name, long dflt, long max)
{
	return cli_count_within(cli, name, dflt, 1, max);
}

long cli_count_within(const struct cli *cli, const char *name, long dflt, long min, long max)
{
	const char *text = cli_value(cli, name);
	if (text == NULL)
		return dflt;
	char *end = NULL;
	long n = strtol(text, &end, 10);
	if (end == text || *end != '\0' || n < min || n > max) {
		cli_fail(cli, CLI_USAGE, "--%s: '%s' is not a count from %ld to %ld", name, text, min, max);
		return -1;
	}
	return n;
}
