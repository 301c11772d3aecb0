#include "procs/lab/furnish.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/sim/world/furnish.h"

int cairn_furnish_command(const struct cli *cli)
{
	struct cairn_furnish_count n;
	struct cairn_error err = {""};
	const char *plan = cli->args[0], *file = cli->args[1];
	int64_t seed = cli_count_within(cli, "seed", 1, 0, INT_MAX);
	if (seed < 0)
		return CLI_USAGE;
	char *text = cairn_furnish(plan, (uint64_t)seed, &n, &err);
	if (text == NULL)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	bool written = cairn_file_replace(file, 0, 0644, text, strlen(text), &err);
	free(text);
	if (!written)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	printf(
	    "%s: %u rooms with %u pieces of furniture and %u things, %u of these where they do not belong\n"
	    "labels tell the room of %.0f %% of the %.0f m2 that can be reached\n",
	    file, n.rooms, n.pieces, n.things, n.unusual, 100.0 * n.labelled_m2 / n.reachable_m2,
	    n.reachable_m2);
	return CLI_OK;
}
