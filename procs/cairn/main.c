/* cairn - the one command-line tool. */
#include <stdio.h>
#include <string.h>

#include "procs/cairn/cmd.h"
#include "procs/cairn/jobs.h"

static const struct cli_command *find_command(const char *name)
{
	for (int i = 0; i < cli_command_count; i++) {
		if (strcmp(cli_commands[i].name, name) == 0)
			return &cli_commands[i];
	}
	return NULL;
}

static void print_commands(FILE *out)
{
	static const char *const headings[CLI_GROUP_COUNT] = {[CLI_GROUP_RUN] = "Start and end a stack",
	    [CLI_GROUP_DRIVE] = "Tell the robot what to do",
	    [CLI_GROUP_WATCH] = "See what it does, sees and has done",
	    [CLI_GROUP_SET_UP] = "Set up and check",
	    [CLI_GROUP_CONNECT] = "Work from other programs and other machines",
	    [CLI_GROUP_MEASURE] = "Measure and judge"};
	fprintf(out, "cairn - lets a vision-language model drive an indoor robot, safely\n\nusage: cairn "
		     "COMMAND [OPTION]... "
		     "[ARGUMENT]...\n");
	for (int g = 0; g < CLI_GROUP_COUNT; g++) {
		fprintf(out, "\n%s:\n", headings[g]);
		for (int i = 0; i < cli_command_count; i++)
			if ((int)cli_commands[i].group == g)
				fprintf(out, "  %-15s %s\n", cli_commands[i].name, cli_commands[i].summary);
	}
	fprintf(out, "\n'cairn COMMAND --help' tells the options. All take --run DIR (default $CAIRN_RUN).\n"
		     "Exit status: 0 done, 1 refused or failed, 2 wrong usage or configuration, 3 nothing "
		     "runs there or no "
		     "answer in time.\n");
}

int cli_help(const struct cli *cli)
{
	if (cli->arg_count == 0) {
		print_commands(stdout);
		return CLI_OK;
	}
	const struct cli_command *command = find_command(cli->args[0]);
	if (command == NULL)
		return cli_fail(cli, CLI_USAGE, "there is no command '%s'", cli->args[0]);
	const struct cli_command *row = cli_find_row(command, cli->arg_count - 1, cli->args + 1);
	if (row == NULL && cli->arg_count > 1)
		return cli_fail(cli, CLI_USAGE, "there is no command '%s %s'", cli->args[0], cli->args[1]);
	cli_print_help(stdout, row != NULL ? row : command);
	return CLI_OK;
}

int cli_version(const struct cli *cli)
{
	if (cli_value(cli, "run-dir") != NULL)
		printf("%s\n", cli->run_dir);
	else if (cli->json)
		printf(
		    "{\"name\":\"cairn\",\"version\":\"%s\",\"build\":\"%016llx\",\"schema_version\":%d}\n",
		    CAIRN_VERSION, (unsigned long long)cairn_jobs_program(0), CAIRN_SCHEMA_VERSION);
	else
		printf("cairn %s, build %016llx, messages version %d\n", CAIRN_VERSION,
		    (unsigned long long)cairn_jobs_program(0), CAIRN_SCHEMA_VERSION);
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

int main(int argc, char **argv)
{
	options_behind(argc, argv);
	const char *name = argc > 1 ? argv[1] : NULL;
	if (name == NULL) {
		print_commands(stderr);
		return CLI_USAGE;
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	const struct cli_command *command = find_command(name);
	if (command == NULL) {
		fprintf(stderr, "cairn: there is no command '%s'; 'cairn help' lists them\n", name);
		return CLI_USAGE;
	}
	const struct cli_command *row = cli_find_row(command, argc - 2, argv + 2);
	if (row != NULL)
		command = row;
	struct cli cli;
	int status = CLI_OK;
	if (cli_parse(&cli, command, argc > 2 ? argc - 2 : 0, argv + 2, &status) == 0)
		status = command->run(&cli);
	cli_free(&cli);
	if (fflush(stdout) != 0 && status == CLI_OK)
		status = CLI_FAILED;
	return status;
}
