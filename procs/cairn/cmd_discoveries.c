/* cmd_discoveries.c - what was found in this home: of a running robot, or as the last run left it. */
#include <string.h>

#include "procs/cairn/commands.h"
#include "procs/cairn/found.h"
#include "procs/cli/rundir.h"

#define JSON_BYTES (256 * 1024)

int cli_discoveries(const struct cli *cli)
{
	static struct cairn_msg_discoveries found;
	static char text[JSON_BYTES];
	struct cairn_error err = {""};
	char state_dir[CLI_RUN_DIR_MAX + 8];
	snprintf(state_dir, sizeof(state_dir), "%s/state", cli->run_dir);
	if (!found_home(cli->run_dir, &err))
		return cli_fail(cli, CLI_ABSENT, "%s", err.text);
	if (!found_load(state_dir, &found, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (cli->json) {
		if (cairn_msg_to_json(&cairn_desc_discoveries, NULL, &found, text, sizeof(text)) < 0)
			return cli_fail(cli, CLI_FAILED, "too much to print");
		printf("%s\n", text);
		return CLI_OK;
	}
	if (found.items_count == 0)
		printf("nothing was reported yet\n");
	found_print(&found, "", found.items_count, state_dir, stdout);
	return CLI_OK;
}
