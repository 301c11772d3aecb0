/* cmd_exec.c - `cairn exec`: another program in place of this one, where the stack's shared memory is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procs/cairn/commands.h"
#include "procs/launcher/namespace.h"

int cli_exec(const struct cli *cli)
{
	struct cairn_error err = {""};
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	if (!cairn_namespace_join(cli->run_dir, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	setenv("CAIRN_RUN", cli->run_dir, 1);
	execvp(cli->args[0], cli->args);
	return cli_fail(cli, CLI_FAILED, "%s: %s", cli->args[0], strerror(errno));
}
