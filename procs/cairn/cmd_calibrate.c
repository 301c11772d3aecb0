/* cmd_calibrate.c - `cairn calibrate`: one part of a robot that is otherwise known, by the steps of `cairn bringup` or, for the camera,
 * from pictures of the running stack. What is not asked for is taken from the configuration. */
#include <stdio.h>
#include <string.h>

#include "procs/cairn/bringup_steps.h"
#include "procs/cairn/calibrate_camera.h"
#include "procs/cairn/commands.h"

#define KNOWN_SHARE 0.02 /* so well a configuration knows its counts per metre */

static bool found_lidar(struct bringup *b)
{
	return bringup_turn(b) && b->have_turn && bringup_push(b) && b->have_push;
}

static bool found_odometry(struct bringup *b)
{
	b->turn.lidar_mirrored = b->cfg.robot.lidar_mirrored;
	return bringup_push(b) && b->have_push;
}

static bool found_steering(struct bringup *b)
{
	const struct cairn_config_robot *r = &b->cfg.robot;
	b->turn.lidar_mirrored = r->lidar_mirrored;
	b->push.encoder_reversed = r->encoder_reversed;
	b->push.ticks_per_m = r->encoder_ticks_per_m;
	b->push.sd_ticks_per_m = KNOWN_SHARE * r->encoder_ticks_per_m;
	b->drive_reversed = r->drive_reversed;
	return bringup_steer(b) && b->have_steer;
}

static const struct {
	const char *name;
	bool (*found)(struct bringup *b);
	unsigned keys;
} parts[] = {{"lidar", found_lidar, BRINGUP_TURN | BRINGUP_YAW},
    {"odometry", found_odometry, BRINGUP_ENCODERS}, {"steering", found_steering, BRINGUP_STEER}};

int cli_calibrate(const struct cli *cli)
{
	static struct bringup b;
	struct cairn_error err = {""};
	const char *what = cli->args[0];
	char by[64], path[64];
	size_t i = 0;
	if (strcmp(what, "camera") == 0)
		return calibrate_camera(cli);
	while (i < sizeof(parts) / sizeof(parts[0]) && strcmp(parts[i].name, what) != 0)
		i++;
	if (i == sizeof(parts) / sizeof(parts[0]))
		return cli_fail(cli, CLI_USAGE, "'%s': it takes odometry, steering, lidar or camera", what);
	snprintf(path, sizeof(path), "%s.yaml", what);
	snprintf(by, sizeof(by), "cairn calibrate %s", what);
	const char *to = cli_value(cli, "write") != NULL ? cli_value(cli, "write") : path;
	if (!cli_can_write(to, &err))
		return cli_fail(cli, CLI_USAGE, "--write: %s", err.text);
	int status = bringup_begin(&b, cli);
	if (status != CLI_OK)
		return status;
	bool found = bringup_find_ports(&b) && parts[i].found(&b);
	bool saved = found && bringup_save(&b, parts[i].keys, by, to, &err);
	bringup_devices_close(&b.dev);
	if (saved)
		printf("Written: %s. To use it: cairn up --config FILE with these lines in it.\n", to);
	else if (found)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	return saved ? CLI_OK : CLI_FAILED;
}
