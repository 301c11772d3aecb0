/* cmd_new_stage.c - `cairn new-stage`: the skeleton of a stage, written into the source tree by its script. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "procs/cairn/commands.h"
#include "procs/cli/rundir.h"

int cli_new_stage(const struct cli *cli)
{
	struct cairn_error err = {""};
	char root[4096], script[4200];
	if (!cairn_share_dir(root, sizeof(root), &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	snprintf(script, sizeof(script), "%s/scripts/new-stage.sh", root);
	if (access(script, X_OK) != 0)
		return cli_fail(cli, CLI_FAILED,
		    "%s: %s; stages are written in a checkout of the source, with the tool built there",
		    script, strerror(errno));
	execl(script, script, cli->args[0], (char *)NULL);
	return cli_fail(cli, CLI_FAILED, "%s: %s", script, strerror(errno));
}
