/* battery_pack.h - the charge by voltage of a lithium-ion pack, from its voltage when it is full.
 *
 * A full cell rests between 4.05 and 4.25 V, whatever its maker; packs of one to eight cells do not overlap. Below that the curve is
 * that of the default of robot.battery_curve, by cell: resting voltages of such cells differ by some hundredths of a volt, which
 * is 10 % of the charge in the middle. Pure. */
#ifndef CAIRN_COMMON_CALIBRATION_BATTERY_PACK_H
#define CAIRN_COMMON_CALIBRATION_BATTERY_PACK_H

#include <stddef.h>

#include "common/base/error.h"

#define CAIRN_BATTERY_CURVE_BYTES 128

/* The number of cells, and curve as robot.battery_curve takes it; 0 with what to do when it is not the voltage of a full pack. */
int cairn_battery_pack_found(double full_v, char curve[CAIRN_BATTERY_CURVE_BYTES], struct cairn_error *err);

#endif
