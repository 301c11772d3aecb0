/* base_rosmaster.c - the motor board of a Yahboom ROSMASTER as a base. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/device/base_link_private.h"

#define ASK_NS (150 * CAIRN_NS_PER_MS) /* a set type costs the board 100 ms of flash writing */
#define TYPE_WRITES_MAX 5              /* an opening: flash wears out */

static void opened(struct cairn_base_link *l)
{
	l->type_known = l->type_good = l->version_known = false;
	l->type_writes = 0;
	l->parser.have = 0;
}

static void on_car_type(
    struct cairn_base_link *l, uint8_t type, int64_t now_ns, struct cairn_base_report *out)
{
	l->type_known = true;
	l->type_read = type;
	l->type_good = type == l->car_type;
	out->kind = CAIRN_BASE_OTHER;
	if (l->type_good)
		return;
	if (l->type_writes == 0)
		l->ask_at_ns = now_ns; /* set it now; later times wait for the flash */
	out->kind = CAIRN_BASE_IDENTITY;
	out->identity.warns = true;
	snprintf(
	    out->identity.text, sizeof(out->identity.text), "has car type %u, setting %d", type, l->car_type);
}

static void translate(struct cairn_base_link *l, const struct cairn_rosmaster_report *r, int64_t now_ns,
    struct cairn_base_report *out)
{
	switch (r->func) {
	case CAIRN_ROSMASTER_SPEED:
		out->kind = CAIRN_BASE_SPEED;
		out->speed.v_mps = r->speed.vx_mps;
		/* On an Ackermann chassis vy is the steering angle in degrees. */
		out->speed.steer_rad = cairn_deg_to_rad(r->speed.steer_raw);
		out->speed.battery_v = r->speed.battery_v;
		break;
	case CAIRN_ROSMASTER_IMU_MPU:
	case CAIRN_ROSMASTER_IMU_ICM:
		out->kind = CAIRN_BASE_IMU;
		memcpy(out->imu.gyro_radps, r->imu.gyro_radps, sizeof(r->imu.gyro_radps));
		memcpy(out->imu.accel_mps2, r->imu.accel_mps2, sizeof(r->imu.accel_mps2));
		break;
	case CAIRN_ROSMASTER_ATTITUDE:
		out->kind = CAIRN_BASE_ATTITUDE;
		out->attitude.roll_rad = r->attitude.roll_rad;
		out->attitude.pitch_rad = r->attitude.pitch_rad;
		out->attitude.yaw_rad = r->attitude.yaw_rad;
		break;
	case CAIRN_ROSMASTER_ENCODERS:
		out->kind = CAIRN_BASE_ENCODERS;
		memcpy(out->encoders.count, r->encoder, sizeof(r->encoder));
		out->encoders.with_speed = false;
		break;
	case CAIRN_ROSMASTER_VERSION:
		l->version_known = true;
		out->kind = CAIRN_BASE_IDENTITY;
		out->identity.warns = false;
		snprintf(out->identity.text, sizeof(out->identity.text), "firmware %u.%u", r->version.major,
		    r->version.minor);
		break;
	case CAIRN_ROSMASTER_CAR_TYPE:
		on_car_type(l, r->car_type, now_ns, out);
		break;
	default:
		out->kind = CAIRN_BASE_OTHER;
		break;
	}
}

static size_t feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_base_report *ret_report, bool *ret_some)
{
	struct cairn_rosmaster_report r;
	size_t used = cairn_rosmaster_feed(&l->parser, data, len, &r, ret_some);
	if (!*ret_some)
		return used;
	if (now_ns - l->last_report_ns > BASE_REPORT_MISSING_NS)
		l->type_known = l->type_good = false; /* it may have been without power: ask again */
	translate(l, &r, now_ns, ret_report);
	return used;
}

static size_t poll_board(struct cairn_base_link *l, int64_t now_ns, uint8_t *out)
{
	if (l->type_good)
		return 0;
	l->ask_at_ns = now_ns + ASK_NS;
	size_t n = 0;
	if (l->type_known && l->type_writes < TYPE_WRITES_MAX) {
		l->type_writes++;
		l->type_known = false;
		n += cairn_rosmaster_set_car_type(out, l->car_type);
	} else {
		n += cairn_rosmaster_auto_report(out, true);
	}
	if (!l->version_known)
		n += cairn_rosmaster_request(out + n, CAIRN_ROSMASTER_VERSION);
	n += cairn_rosmaster_request(out + n, CAIRN_ROSMASTER_CAR_TYPE);
	return n;
}

static size_t motion(const struct cairn_base_link *l, double v_mps, double w_radps, uint8_t *out)
{
	return cairn_rosmaster_motion(out, l->car_type, v_mps, w_radps);
}

static size_t stop(uint8_t *out)
{
	return cairn_rosmaster_stop_frame(out);
}

static const char *fault(const struct cairn_base_link *l, int64_t now_ns)
{
	(void)now_ns;
	if (!l->type_known && !l->type_good)
		return "has not told its car type";
	return l->type_good ? NULL : "keeps another car type";
}

const struct base_model base_rosmaster = {.baud = CAIRN_ROSMASTER_BAUD,
    .opened = opened,
    .feed = feed,
    .poll = poll_board,
    .motion = motion,
    .stop = stop,
    .fault = fault};
