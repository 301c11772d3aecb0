/* bringup_devices.h - base and LiDAR for `cairn bringup`, without a stack: opened, listened to, and the base told. */
#ifndef CAIRN_PROCS_CAIRN_BRINGUP_DEVICES_H
#define CAIRN_PROCS_CAIRN_BRINGUP_DEVICES_H

#include "common/calibration/mount_finder.h"
#include "common/calibration/own_body.h"
#include "common/device/base_link.h"
#include "common/device/lidar_link.h"

struct bringup_devices {
	const struct cairn_config *cfg;
	const char *run_dir; /* relative devices are below it */
	const char *base_device, *lidar_device;
	int base_fd, lidar_fd; /* -1: closed */
	struct cairn_base_link base;
	struct cairn_lidar_link lidar;
	struct cairn_twist told; /* to the base, in its own terms */
	bool silent;             /* nothing is sent to it */
	double battery_v;        /* 0: not reported yet */
	double
	    ahead_m; /* nearest return of the newest revolution, in any direction but the robot's own; 0: none */
	uint64_t revolutions;
	struct cairn_points points;
	struct cairn_mount_motion motion;              /* everything that comes goes in */
	struct cairn_own_body body;                    /* likewise */
	struct cairn_own_arc own[CAIRN_OWN_BODY_ARCS]; /* found: counts for nothing in ahead_m */
	int own_count;
};

void bringup_devices_init(struct bringup_devices *d, const struct cairn_config *cfg, const char *run_dir);
/* Works for so long, or until stop_fd (-1: none) can be read: then true. */
bool bringup_devices_run(struct bringup_devices *d, int ms, int stop_fd);
bool bringup_base_answers(const struct bringup_devices *d);
bool bringup_lidar_answers(const struct bringup_devices *d);
/* A frame of the twist told, and the one that stops the base in any mode. */
void bringup_send_told(struct bringup_devices *d);
void bringup_send_stop(struct bringup_devices *d);
void bringup_devices_close(struct bringup_devices *d);

#endif
