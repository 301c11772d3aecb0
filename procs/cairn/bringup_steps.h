/* bringup_steps.h - the steps of `cairn bringup` and `cairn calibrate`: each tells a person what to do, watches, and says what it
 * has found (common/calibration/mount_finder.h).
 *
 * Enter goes on, s leaves a step out, q ends; what was too little is asked for again. The wheels stand whenever no step says
 * otherwise. */
#ifndef CAIRN_PROCS_CAIRN_BRINGUP_STEPS_H
#define CAIRN_PROCS_CAIRN_BRINGUP_STEPS_H

#include "common/calibration/battery_pack.h"
#include "procs/cairn/bringup_devices.h"
#include "procs/cli/cli.h"

/* Groups of keys that a file can hold. */
#define BRINGUP_DEVICES 1u
#define BRINGUP_TURN 2u     /* lidar_mirrored, gyro_axis */
#define BRINGUP_YAW 4u      /* lidar_yaw_rad */
#define BRINGUP_ENCODERS 8u /* encoder_* */
#define BRINGUP_DRIVE 16u
#define BRINGUP_STEER 32u
#define BRINGUP_BATTERY 64u

struct bringup {
	const struct cli *cli;
	struct cairn_config cfg;
	struct bringup_devices dev;
	struct cairn_mount_turn turn;
	struct cairn_mount_push push;
	struct cairn_mount_steer steer;
	bool have_turn, have_push, have_drive, have_steer, drive_reversed;
	const char *dead_man;
	int cells; /* of the battery; 0: left out */
	char battery_curve[CAIRN_BATTERY_CURVE_BYTES];
};

/* Reads --config and --set, and makes sure that no stack holds the devices. CLI_OK, or the status of what is wrong. */
int bringup_begin(struct bringup *b, const struct cli *cli);

/* Each false to end: nothing answers, or the person has had enough. Left out: true, with what it finds not had. */
bool bringup_find_ports(struct bringup *b);
bool bringup_battery(struct bringup *b);
bool bringup_turn(struct bringup *b);
bool bringup_push(struct bringup *b); /* in terms of turn */
bool bringup_wheels(struct bringup *b);
bool bringup_dead_man(struct bringup *b);
bool bringup_steer(struct bringup *b); /* in terms of turn, push, drive_reversed */

/* What was found of these groups, with uncertainties, as a configuration. by: the command. */
bool bringup_save(
    const struct bringup *b, unsigned keys, const char *by, const char *path, struct cairn_error *err);

#endif
