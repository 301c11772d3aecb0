/* cmd_up.c - `cairn up`: the launcher in place of this program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procs/cairn/cmd.h"
#include "procs/cairn/rundir.h"

int cli_up(const struct cli *cli)
{
	char dir[4096], path[4200];
	char **argv = calloc((size_t)cli->arg_count + 2, sizeof(*argv));
	if (argv == NULL || !cairn_program_dir(dir, sizeof(dir))) {
		free(argv);
		return cli_fail(cli, CLI_FAILED, "cannot tell where the launcher is");
	}
	snprintf(path, sizeof(path), "%s/cairn-launcher", dir);
	argv[0] = path;
	memcpy(argv + 1, cli->args, (size_t)cli->arg_count * sizeof(*argv));
	execv(path, argv);
	int status = cli_fail(cli, CLI_FAILED, "%s: %s", path, strerror(errno));
	free(argv);
	return status;
}
