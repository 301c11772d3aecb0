/* base_link.h - brings the base into service and notices when it leaves it, whatever it speaks.
 *
 * Each robot.base_model is a row of a table (base_link_private.h): how it is asked, what its reports mean, how it is told to move and
 * to stand. The base is in service while its reports arrive and it has said who it is:
 *
 *   rosmaster         after an opening car type and version are asked for, and the reports switched on; a car type that differs
 *                     from the configured one is set (that writes flash, so only then) and read back.
 *   diffdrive-serial  says its version of the protocol and whether it has a gyro, which it then has to report.
 *
 * Pure: the shell owns the descriptor; it reports openings, bytes, losses and the time. The motion frame
 * itself is not sent from here: the motor stage sends it at all times, in service or not. */
#ifndef CAIRN_COMMON_DEVICE_BASE_LINK_H
#define CAIRN_COMMON_DEVICE_BASE_LINK_H

#include "common/config/config.h"
#include "common/device/diffdrive.h"
#include "common/device/rosmaster.h"

#define CAIRN_BASE_FRAME_MAX 128 /* bytes of what is written at once */

enum cairn_base_report_kind {
	CAIRN_BASE_SPEED,    /* as the base reports it */
	CAIRN_BASE_IMU,      /* in the axes of its board */
	CAIRN_BASE_ATTITUDE, /* of its board */
	CAIRN_BASE_BATTERY,
	CAIRN_BASE_ENCODERS,
	CAIRN_BASE_IDENTITY, /* for people */
	CAIRN_BASE_OTHER     /* a sign of life */
};

struct cairn_base_report {
	enum cairn_base_report_kind kind;
	union {
		struct {
			double v_mps;
			double steer_rad; /* of a steered base, as it tells it */
			double battery_v; /* negative: not told */
		} speed;
		struct {
			double gyro_radps[3], accel_mps2[3];
		} imu;
		struct {
			double roll_rad, pitch_rad, yaw_rad;
		} attitude;
		double battery_v;
		struct {
			int32_t
			    count[4]; /* m1..m4, cumulative, wraps; of two wheels left is m1 and right m4 */
			bool with_speed; /* they came together */
			double v_mps;
		} encoders;
		struct {
			char text[64];
			bool warns;
		} identity;
	};
};

struct cairn_base_link {
	enum cairn_choice_base_model model;
	int car_type;
	double wheel_separation_m;
	bool open;
	int64_t ask_at_ns, open_at_ns, opened_ns, last_report_ns;
	uint32_t failed_opens;
	uint64_t losses; /* times an open port was lost or given up */
	/* rosmaster */
	bool type_known, type_good;
	uint8_t type_read;
	uint32_t type_writes; /* since the opening */
	bool version_known;
	struct cairn_rosmaster_parser parser;
	/* diffdrive-serial */
	bool identity_known, identity_good;
	bool without_gyro; /* the heading has to come from the wheels */
	int64_t last_inertial_ns, last_wheels_ns;
	struct cairn_diffdrive_parser lines;
};

void cairn_base_link_init(struct cairn_base_link *l, const struct cairn_config_robot *robot, int64_t now_ns);
int cairn_base_link_baud(const struct cairn_base_link *l);
bool cairn_base_link_wants_open(const struct cairn_base_link *l, int64_t now_ns);
void cairn_base_link_opened(struct cairn_base_link *l, int64_t now_ns);
/* Could not be opened, or is gone. Tries come every 100 ms for ten seconds, then twice a second. */
void cairn_base_link_lost(struct cairn_base_link *l, int64_t now_ns);
/* Takes bytes up to the first report; returns how many were consumed, *ret_some says whether *ret_report was filled. Call again with
 * the rest, and with len 0 until *ret_some is false. */
size_t cairn_base_link_feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_base_report *ret_report, bool *ret_some);
/* Bytes to send now (0 = none); to be called every 20 ms. */
size_t cairn_base_link_poll(struct cairn_base_link *l, int64_t now_ns, uint8_t out[CAIRN_BASE_FRAME_MAX]);
/* The frame that tells the base to move so. */
size_t cairn_base_link_motion(
    const struct cairn_base_link *l, double v_mps, double w_radps, uint8_t out[CAIRN_BASE_FRAME_MAX]);
/* What stops it in any mode; a second opener of the device writes it, too, when the base's owner is dead. */
size_t cairn_base_stop_frame(enum cairn_choice_base_model model, uint8_t out[CAIRN_BASE_FRAME_MAX]);
/* Reports arrive (none missing for 200 ms) and it is what it should be. */
bool cairn_base_link_in_service(const struct cairn_base_link *l, int64_t now_ns);
/* Open, but silent for a second: close and open it again. */
bool cairn_base_link_silent(const struct cairn_base_link *l, int64_t now_ns);
/* For people: why it is not in service, or "in service". */
const char *cairn_base_link_note(const struct cairn_base_link *l, int64_t now_ns);

#endif
