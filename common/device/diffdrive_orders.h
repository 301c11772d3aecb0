/* diffdrive_orders.h - the lines of docs/diffdrive-serial.md that a base is told, as the base hears them.
 *
 * For who plays a base: the simulator, and the stage that stands for a base of ROS 2. Bytes in, orders out, one at a time; a line whose
 * sum or fields are wrong is counted and forgotten. */
#ifndef CAIRN_COMMON_DEVICE_DIFFDRIVE_ORDERS_H
#define CAIRN_COMMON_DEVICE_DIFFDRIVE_ORDERS_H

#include "common/device/diffdrive.h"

enum cairn_diffdrive_order_kind {
	CAIRN_DIFFDRIVE_SPEED, /* V */
	CAIRN_DIFFDRIVE_STAND, /* S */
	CAIRN_DIFFDRIVE_WHO,   /* Q */
};

struct cairn_diffdrive_order {
	enum cairn_diffdrive_order_kind kind;
	double left_mps, right_mps; /* of a SPEED; at most CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS either way */
};

/* All zero is a start. */
struct cairn_diffdrive_orders {
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t have;
	bool in_line; /* a '$' has come */
	uint64_t taken, refused;
};

/* Takes bytes up to the end of the first order; returns how many were consumed, *ret_some: *ret was filled. */
size_t cairn_diffdrive_orders_feed(struct cairn_diffdrive_orders *o, const uint8_t *data, size_t len,
    struct cairn_diffdrive_order *ret, bool *ret_some);
/* The answer to WHO, with its end; its bytes. */
size_t cairn_diffdrive_identity(char out[CAIRN_DIFFDRIVE_LINE_MAX], bool gyro);

#endif
