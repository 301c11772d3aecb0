#include "procs/cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "procs/cli/rundir.h"

static const struct cli_command *find_command(const struct cli_program *p, const char *name)
{
	for (int i = 0; i < p->count; i++) {
		if (strcmp(p->commands[i].name, name) == 0)
			return &p->commands[i];
	}
	return NULL;
}

const char *cli_group_heading(const struct cli_program *p, int group)
{
	static const char *const headings[CLI_GROUP_COUNT] = {[CLI_GROUP_RUN] = "Start and end a stack",
	    [CLI_GROUP_DRIVE] = "Tell the robot what to do",
	    [CLI_GROUP_WATCH] = "See what it does, sees and has done",
	    [CLI_GROUP_SET_UP] = "Set up and check",
	    [CLI_GROUP_CONNECT] = "Work from other programs and other machines",
	    [CLI_GROUP_MEASURE] = "Measure and judge"};
	for (int i = 0; i < p->count; i++)
		if ((int)p->commands[i].group == group)
			return headings[group];
	return NULL;
}

static void print_commands(FILE *out, const struct cli_program *p)
{
	fprintf(
	    out, "%s - %s\n\nusage: %s COMMAND [OPTION]... [ARGUMENT]...\n", p->name, p->summary, p->name);
	for (int g = 0; g < CLI_GROUP_COUNT; g++) {
		const char *heading = cli_group_heading(p, g);
		if (heading == NULL)
			continue;
		fprintf(out, "\n%s:\n", heading);
		for (int i = 0; i < p->count; i++)
			if ((int)p->commands[i].group == g)
				fprintf(out, "  %-15s %s\n", p->commands[i].name, p->commands[i].summary);
	}
	fprintf(out,
	    "\n'%s COMMAND --help' tells the options. All take --run DIR (default $CAIRN_RUN).\n"
	    "Exit status: 0 done, 1 refused or failed, 2 wrong usage or configuration, 3 nothing "
	    "runs there or no answer in time.\n",
	    p->name);
}

/* Becomes the sister program that a command belongs to, with the same command line. Comes back only when it could not. */
static int hand_over(const struct cli_command *command, char **argv)
{
	char path[4096];
	size_t used;
	if (!cairn_program_dir(path, sizeof(path)) ||
	    (used = strlen(path)) + strlen(command->program) + 2 > sizeof(path)) {
		fprintf(stderr, "cairn %s: /proc/self/exe: %s\n", command->name, strerror(errno));
		return CLI_FAILED;
	}
	snprintf(path + used, sizeof(path) - used, "/%s", command->program);
	execv(path, argv);
	fprintf(stderr, "cairn %s: %s: %s; it is built and installed with the others unless -Dlab=false\n",
	    command->name, path, strerror(errno));
	return CLI_FAILED;
}

const struct cli_option cli_help_options[] = {
    {"man", '\0', NULL, "all of it as a manual page: cairn help --man | man -l -"},
    {"completion", '\0', NULL, "completion for bash: source <(cairn help --completion)"}, {0}};

int cli_help(const struct cli *cli)
{
	if (cli_value(cli, "man") != NULL || cli_value(cli, "completion") != NULL) {
		(cli_value(cli, "man") != NULL ? cli_print_manual : cli_print_completion)(
		    stdout, cli->program);
		return CLI_OK;
	}
	if (cli->arg_count == 0) {
		print_commands(stdout, cli->program);
		return CLI_OK;
	}
	const struct cli_command *command = find_command(cli->program, cli->args[0]);
	if (command == NULL)
		return cli_fail(cli, CLI_USAGE, "there is no command '%s'", cli->args[0]);
	if (command->program != NULL) {
		char program[] = "cairn", help[] = "help";
		char *args[] = {program, help, cli->args[0], cli->arg_count > 1 ? cli->args[1] : NULL, NULL};
		return hand_over(command, args);
	}
	const struct cli_command *row = cli_find_row(command, cli->arg_count - 1, cli->args + 1);
	if (row == NULL && cli->arg_count > 1)
		return cli_fail(cli, CLI_USAGE, "there is no command '%s %s'", cli->args[0], cli->args[1]);
	cli_print_help(stdout, row != NULL ? row : command);
	return CLI_OK;
}

int cli_version(const struct cli *cli)
{
	char build[17];
	snprintf(build, sizeof(build), "%016llx", (unsigned long long)cairn_program_hash(CAIRN_HASH_START));
	if (cli_value(cli, "run-dir") != NULL)
		printf("%s\n", cli->run_dir);
	else if (cli->json)
		cli_print_json(json_pack("{s:s,s:s,s:s,s:i}", "name", "cairn", "version", CAIRN_VERSION,
		    "build", build, "schema_version", CAIRN_SCHEMA_VERSION));
	else
		printf(
		    "cairn %s, build %s, messages version %d\n", CAIRN_VERSION, build, CAIRN_SCHEMA_VERSION);
	return CLI_OK;
}

/* `cairn --connect URL --key FILE COMMAND`: options that stand in front of the command go behind it. */
static void options_behind(int argc, char **argv)
{
	int n = 1;
	while (n + 2 < argc && (strcmp(argv[n], "--connect") == 0 || strcmp(argv[n], "--key") == 0 ||
				   strcmp(argv[n], "--run") == 0))
		n += 2;
	char *name = n < argc ? argv[n] : NULL;
	if (n == 1 || name == NULL)
		return;
	memmove(&argv[2], &argv[1], (size_t)(n - 1) * sizeof(argv[0]));
	argv[1] = name;
}

int cli_main(const struct cli_program *program, int argc, char **argv)
{
	options_behind(argc, argv);
	const char *name = argc > 1 ? argv[1] : NULL;
	if (name == NULL) {
		print_commands(stderr, program);
		return CLI_USAGE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	const struct cli_command *command = find_command(program, name);
	if (command == NULL) {
		fprintf(stderr, "%s: there is no command '%s'; '%s help' lists them\n", program->name,
		    cli_printable(argv[1]), program->name);
		return CLI_USAGE;
	}
	if (command->program != NULL)
		return hand_over(command, argv);
	const struct cli_command *row = cli_find_row(command, argc - 2, argv + 2);
	if (row != NULL)
		command = row;
	struct cli cli;
	int status = CLI_OK;
	if (cli_parse(&cli, command, argc > 2 ? argc - 2 : 0, argv + 2, &status) == 0) {
		cli.program = program;
		status = command->run(&cli);
	}
	cli_free(&cli);
	if (fflush(stdout) != 0 && status == CLI_OK)
		status = CLI_FAILED;
	return status;
}
