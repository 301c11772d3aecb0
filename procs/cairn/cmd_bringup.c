/* cmd_bringup.c - `cairn bringup`: a new robot's signs, axes and scales, step by step, with a person beside it.
 *
 * No stack runs. The wheels stand whatever ends this program. */
#include <stdio.h>

#include "procs/cairn/bringup_steps.h"
#include "procs/cairn/commands.h"

static bool all_steps(struct bringup *b)
{
	if (!bringup_find_ports(b) || !bringup_battery(b) || !bringup_turn(b))
		return false;
	if (!b->have_turn)
		return true; /* the rest is told in the terms of what this finds */
	if (!bringup_push(b))
		return false;
	if (!b->have_push)
		return true;
	if (!bringup_wheels(b))
		return false;
	return !b->have_drive || (bringup_dead_man(b) && bringup_steer(b));
}

int cli_bringup(const struct cli *cli)
{
	static struct bringup b;
	struct cairn_error err = {""};
	const char *path = cli_value(cli, "write") != NULL ? cli_value(cli, "write") : "bringup.yaml";
	if (!cli_can_write(path, &err))
		return cli_fail(cli, CLI_USAGE, "--write: %s", err.text);
	int status = bringup_begin(&b, cli);
	if (status != CLI_OK)
		return status;
	bool done = all_steps(&b);
	bool found = b.have_turn || b.have_push || b.cells > 0;
	bool saved = !found || bringup_save(&b, ~0u, "cairn bringup", path, &err);
	bringup_devices_close(&b.dev);
	if (!saved)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (found)
		printf("Written: %s. First drive: cairn up --config %s --set robot.speed_max_mps=0.1\n", path,
		    path);
	return done ? CLI_OK : CLI_FAILED;
}
