/* dev_diffdrive.h - the base's side of the lines of docs/diffdrive-serial.md.
 *
 * Bytes of commands in, bytes of reports out; no descriptor and no clock. Without a speed for CAIRN_DIFFDRIVE_DEAD_MAN_MS it stands, as
 * the protocol demands of a base. The faults are for tests: a line's noise, and a base that does not do what it is told. */
#ifndef CAIRN_COMMON_SIM_ROBOT_DEV_DIFFDRIVE_H
#define CAIRN_COMMON_SIM_ROBOT_DEV_DIFFDRIVE_H

#include "common/device/diffdrive_orders.h"

#define CAIRN_DEV_DIFFDRIVE_OUT 512
#define CAIRN_DEV_DIFFDRIVE_BATTERY_EVERY 50 /* reports */

struct cairn_dev_diffdrive_faults {
	uint32_t corrupt_every; /* of so many lines that it sends one has a wrong byte; 0: none */
	bool mute, deaf;        /* says nothing; hears nothing, and drives on */
	bool no_dead_man;
	bool gyro_silent; /* has one, and does not report it */
	bool wheels_exchanged;
};

struct cairn_dev_diffdrive {
	bool gyro;
	struct cairn_dev_diffdrive_faults faults;
	double left_mps, right_mps; /* as told */
	double silent_ms;           /* since the last speed */
	struct cairn_diffdrive_orders orders;
	char out[CAIRN_DEV_DIFFDRIVE_OUT]; /* answers not yet taken */
	size_t out_bytes;
	uint32_t reports, sent;
};

/* What its sensors say. */
struct cairn_dev_diffdrive_sense {
	int32_t counts[2]; /* left, right */
	double mps[2], battery_v;
	double gyro_radps[3], accel_mps2[3];
};

void cairn_dev_diffdrive_init(struct cairn_dev_diffdrive *b, bool gyro);
void cairn_dev_diffdrive_receive(struct cairn_dev_diffdrive *b, const uint8_t *bytes, size_t count);
size_t cairn_dev_diffdrive_take(struct cairn_dev_diffdrive *b, uint8_t *buf, size_t cap);
/* What it makes of what it was told. */
double cairn_dev_diffdrive_v_mps(const struct cairn_dev_diffdrive *b);
double cairn_dev_diffdrive_w_radps(const struct cairn_dev_diffdrive *b, double wheel_separation_m);
/* Called every step_ms, which is 10: the dead man, and the next line of reports (wheels and gyro in turn, now and then the battery);
 * its bytes. */
size_t cairn_dev_diffdrive_report(struct cairn_dev_diffdrive *b,
    const struct cairn_dev_diffdrive_sense *sense, double step_ms, uint8_t *buf, size_t cap);

#endif
