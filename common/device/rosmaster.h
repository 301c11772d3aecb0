/* rosmaster.h - serial protocol of the Yahboom ROSMASTER expansion board, host side.
 *
 * As in the vendor's Rosmaster_Lib and docs/wire-formats.md section 2. Frames in both directions are FF, FC
 * (to the board) or FB (from it), LEN, FUNC, data, sum; no escaping, no acknowledgement. Bytes in, reports
 * out; any chunking and any bytes are fine.
 *
 * The vendor publishes no command timeout of the board: assume that it keeps driving when commands cease. */
#ifndef CAIRN_COMMON_DEVICE_ROSMASTER_H
#define CAIRN_COMMON_DEVICE_ROSMASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_ROSMASTER_BAUD 115200
#define CAIRN_ROSMASTER_FRAME_MAX 44 /* bytes of a whole frame */
#define CAIRN_ROSMASTER_DATA_MAX 37

enum cairn_rosmaster_func {
	CAIRN_ROSMASTER_AUTO_REPORT = 0x01,
	CAIRN_ROSMASTER_BEEP = 0x02,
	CAIRN_ROSMASTER_SERVO = 0x03,
	CAIRN_ROSMASTER_LAMPS = 0x05,
	CAIRN_ROSMASTER_EFFECT = 0x06,
	CAIRN_ROSMASTER_SPEED = 0x0A,    /* report */
	CAIRN_ROSMASTER_IMU_MPU = 0x0B,  /* report */
	CAIRN_ROSMASTER_ATTITUDE = 0x0C, /* report */
	CAIRN_ROSMASTER_ENCODERS = 0x0D, /* report */
	CAIRN_ROSMASTER_IMU_ICM = 0x0E,  /* report */
	CAIRN_ROSMASTER_RESET_STATE = 0x0F,
	CAIRN_ROSMASTER_MOTORS = 0x10,
	CAIRN_ROSMASTER_MOTION = 0x12,
	CAIRN_ROSMASTER_CAR_TYPE = 0x15, /* command and report */
	CAIRN_ROSMASTER_STEERING = 0x31,
	CAIRN_ROSMASTER_REQUEST = 0x50,
	CAIRN_ROSMASTER_VERSION = 0x51 /* report */
};

/* ---- commands: each writes one frame into out and returns its bytes ---- */

/* Any command; 0 when data_bytes is more than CAIRN_ROSMASTER_DATA_MAX. */
size_t cairn_rosmaster_frame(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], enum cairn_rosmaster_func func,
    const uint8_t *data, size_t data_bytes);
/* The velocity command (FUNC 12), vy zero. Values are clamped to what int16 thousandths hold; not-a-number is
 * zero. */
size_t cairn_rosmaster_motion(
    uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int car_type, double v_mps, double w_radps);
/* Writes the board's flash: ask first, set only when it differs, leave it 100 ms. */
size_t cairn_rosmaster_set_car_type(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int car_type);
size_t cairn_rosmaster_auto_report(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], bool on);
/* Asks for the report wanted (CAIRN_ROSMASTER_VERSION, CAIRN_ROSMASTER_CAR_TYPE). */
size_t cairn_rosmaster_request(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], enum cairn_rosmaster_func wanted);

/* The beeper sounds for ms, 10 to 10000 in steps of 10; it ends by itself. */
size_t cairn_rosmaster_beep(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int ms);
/* All lamps of the light bar in one colour, 0xRRGGBB. The board obeys once no effect of its own runs. */
size_t cairn_rosmaster_lamps(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], uint32_t rgb);
size_t cairn_rosmaster_effect_off(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX]);

/* What a second opener of the device (launcher, watchdog) writes, in one write, to stop a base whose owner
 * died: "reset state", which stops the car in any mode and carries no car type, and "auto report on", because
 * nobody has published whether the reset touches that. Always 13 bytes, and returns 13. */
size_t cairn_rosmaster_stop_frame(uint8_t out[13]);

/* ---- reports ---- */
struct cairn_rosmaster_report {
	enum cairn_rosmaster_func func;
	union {
		struct {
			double vx_mps, vz_radps, battery_v;
			int steer_raw; /* vy as sent: on Ackermann chassis the steering angle in degrees */
		} speed;
		struct {
			double gyro_radps[3], accel_mps2[3], mag[3];
		} imu; /* 0B and 0E alike */
		struct {
			double roll_rad, pitch_rad, yaw_rad;
		} attitude;
		int32_t encoder[4]; /* m1..m4, cumulative, wraps */
		struct {
			uint8_t major, minor;
		} version;
		uint8_t car_type;
	};
};

struct cairn_rosmaster_parser {
	uint8_t buf[CAIRN_ROSMASTER_FRAME_MAX];
	size_t have;
	uint64_t reports;        /* good ones */
	uint64_t bytes_lost;     /* outside of good frames */
	uint64_t frames_unknown; /* right sum, but unknown function or wrong length */
};

void cairn_rosmaster_parser_init(struct cairn_rosmaster_parser *p);
/* Takes bytes up to the first report; returns how many were consumed, *ret_some says whether *ret_report was
 * filled. Call again with the rest, and with len 0 until *ret_some is false: a bad frame may have held good
 * ones. */
size_t cairn_rosmaster_feed(struct cairn_rosmaster_parser *p, const uint8_t *data, size_t len,
    struct cairn_rosmaster_report *ret_report, bool *ret_some);

#endif
