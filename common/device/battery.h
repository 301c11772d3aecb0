/* battery.h - the charge of a battery by its voltage.
 *
 * A curve of points "volts:percent", both rising, with straight lines between them. The voltage sags while the motors pull
 * and comes back, so it is averaged over CAIRN_BATTERY_MEAN_S. Pure. */
#ifndef CAIRN_COMMON_DEVICE_BATTERY_H
#define CAIRN_COMMON_DEVICE_BATTERY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_BATTERY_POINTS 16
#define CAIRN_BATTERY_MEAN_S 10.0
#define CAIRN_BATTERY_UNKNOWN (-1.0)
#define CAIRN_BATTERY_PACE_PERCENT 3.0
#define CAIRN_BATTERY_PACE_S 240.0
#define CAIRN_BATTERY_PACE_KEPT_S 1800.0

struct cairn_battery_curve {
	int count; /* 0: the charge is not known */
	double volts[CAIRN_BATTERY_POINTS], percent[CAIRN_BATTERY_POINTS];
};

/* False, and err names what is wrong: too many points, not "volts:percent", or not rising. Empty text is an empty curve. */
bool cairn_battery_curve_parse(struct cairn_battery_curve *curve, const char *text, struct cairn_error *err);
/* CAIRN_BATTERY_UNKNOWN without a curve. Beyond its ends: the value at the end. */
double cairn_battery_percent(const struct cairn_battery_curve *curve, double volts);

/* Zeroed but for the curve: nothing measured yet. */
struct cairn_battery {
	struct cairn_battery_curve curve;
	double mean_v; /* 0: nothing measured */
	int64_t t_ns;
};

/* How fast the charge falls. Zeroed: nothing taken yet. */
struct cairn_battery_pace {
	double from_percent, percent; /* between which it fell */
	int64_t from_ns, t_ns;        /* 0: nothing taken */
};

/* A charge; one that is not known is left out, and one that has risen begins anew. */
void cairn_battery_pace_take(struct cairn_battery_pace *pace, double percent, int64_t now_ns);
/* Until the charge is down to until_percent at the pace of the last half hour; CAIRN_BATTERY_UNKNOWN until it has fallen by
 * CAIRN_BATTERY_PACE_PERCENT in at least CAIRN_BATTERY_PACE_S: a voltage that sags at the start is no pace. */
double cairn_battery_minutes(const struct cairn_battery_pace *pace, double until_percent);

/* A report of volts; what is not a voltage is left out. */
void cairn_battery_measured(struct cairn_battery *b, double volts, int64_t now_ns);
/* By the mean; CAIRN_BATTERY_UNKNOWN before the first report. */
double cairn_battery_charge(const struct cairn_battery *b);

#endif
