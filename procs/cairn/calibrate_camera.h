/* calibrate_camera.h - `cairn calibrate camera`: its pitch, roll and height from the floor in the depth pictures of the running stack. */
#ifndef CAIRN_PROCS_CAIRN_CALIBRATE_CAMERA_H
#define CAIRN_PROCS_CAIRN_CALIBRATE_CAMERA_H

#include "procs/cli/cli.h"

int calibrate_camera(const struct cli *cli);

#endif
