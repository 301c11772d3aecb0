/* dev_board.h - the motor board's side of the ROSMASTER serial protocol (docs/wire-formats.md, section 2).
 *
 * Bytes of commands in, bytes of reports out; no descriptor and no clock. As far as anybody has published,
 * the real board keeps driving the last command when commands cease; so does this one, for ever. It steers
 * only as an Ackermann car (types 5 and 9): of any other type, the set one or the one in a motion command, it
 * drives straight. Signs: positive yaw rate, and positive steering in its reports, is to the left; command 31
 * has negative to the left, as the vendor's library. */
#ifndef CAIRN_COMMON_SIM_ROBOT_DEV_BOARD_H
#define CAIRN_COMMON_SIM_ROBOT_DEV_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_DEV_BOARD_OUT 512
#define CAIRN_DEV_BOARD_TYPE_FRESH 1 /* out of the box: a host has to set the type */

enum cairn_dev_board_mode {
	CAIRN_DEV_BOARD_STOPPED,
	CAIRN_DEV_BOARD_TWIST, /* v and yaw rate */
	CAIRN_DEV_BOARD_SPEED  /* v; the steering stays */
};

struct cairn_dev_board {
	uint8_t car_type;
	bool reporting;
	enum cairn_dev_board_mode mode;
	double v_mps, w_radps;
	bool steer_set;   /* by command 31, or vy of a motion command */
	double steer_deg; /* left positive */
	uint8_t steer_centre;
	int16_t pid[2][3]; /* functions 13 and 14, thousandths */
	uint32_t turn;     /* which report is next */
	uint8_t in[64];
	size_t in_bytes;
	uint8_t out[CAIRN_DEV_BOARD_OUT]; /* answers not yet taken */
	size_t out_bytes;
	uint64_t commands, rejects;
	uint32_t lamps_rgb; /* all of them; what single ones are told does nothing here */
	uint32_t beep_ms;   /* of the newest beep; 1: until it is told otherwise */
	uint64_t beeps;
};

/* What the board's sensors say. */
struct cairn_dev_board_sense {
	double v_mps, steer_deg, battery_v;
	double gyro_radps[3], accel_mps2[3];
	double roll_rad, pitch_rad, yaw_rad;
	int32_t counts[4]; /* encoders m1 .. m4 */
};

void cairn_dev_board_init(struct cairn_dev_board *b);
void cairn_dev_board_receive(struct cairn_dev_board *b, const uint8_t *bytes, size_t count);
size_t cairn_dev_board_take(struct cairn_dev_board *b, uint8_t *buf, size_t cap);
/* The next of the four reports (0A, 0E, 0C, 0D), due every 10 ms; its bytes, 0 when reports are off. */
size_t cairn_dev_board_report(
    struct cairn_dev_board *b, const struct cairn_dev_board_sense *sense, uint8_t *buf, size_t cap);

#endif
