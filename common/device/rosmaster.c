#include "common/device/rosmaster.h"

#include <math.h>
#include <string.h>

enum { HEAD = 0xFF, TO_BOARD = 0xFC, FROM_BOARD = 0xFB, FLASH = 0x5F, LEN_MIN = 4, LEN_MAX = 40 };
enum { BEEP_MIN_MS = 10, BEEP_MAX_MS = 10000, ALL_LAMPS = 0xFF }; /* below 10 the board means other things */

/* ---- commands ---- */

size_t cairn_rosmaster_frame(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], enum cairn_rosmaster_func func,
    const uint8_t *data, size_t data_bytes)
{
	if (data_bytes > CAIRN_ROSMASTER_DATA_MAX)
		return 0;
	out[0] = HEAD;
	out[1] = TO_BOARD;
	out[2] = (uint8_t)(data_bytes + 3);
	out[3] = (uint8_t)func;
	unsigned sum = out[2] + out[3];
	for (size_t i = 0; i < data_bytes; i++) {
		out[4 + i] = data[i];
		sum += data[i];
	}
	out[4 + data_bytes] = (uint8_t)sum;
	return data_bytes + 5;
}

static void put_milli(uint8_t *out, double value)
{
	double milli = isnan(value) ? 0.0 : fmax(-32767.0, fmin(32767.0, round(value * 1000.0)));
	uint16_t bits = (uint16_t)(int16_t)milli;
	out[0] = (uint8_t)bits;
	out[1] = (uint8_t)(bits >> 8);
}

size_t cairn_rosmaster_motion(
    uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int car_type, double v_mps, double w_radps)
{
	uint8_t data[7] = {(uint8_t)car_type};
	put_milli(data + 1, v_mps);
	put_milli(data + 5, w_radps);
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_MOTION, data, sizeof(data));
}

size_t cairn_rosmaster_set_car_type(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int car_type)
{
	const uint8_t data[2] = {(uint8_t)car_type, FLASH};
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_CAR_TYPE, data, sizeof(data));
}

size_t cairn_rosmaster_auto_report(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], bool on)
{
	const uint8_t data[2] = {on, 0};
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_AUTO_REPORT, data, sizeof(data));
}

size_t cairn_rosmaster_request(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], enum cairn_rosmaster_func wanted)
{
	const uint8_t data[2] = {(uint8_t)wanted, 0};
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_REQUEST, data, sizeof(data));
}

size_t cairn_rosmaster_beep(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], int ms)
{
	int time_ms = ms < BEEP_MIN_MS ? BEEP_MIN_MS : ms > BEEP_MAX_MS ? BEEP_MAX_MS : ms;
	const uint8_t data[2] = {(uint8_t)time_ms, (uint8_t)(time_ms >> 8)};
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_BEEP, data, sizeof(data));
}

size_t cairn_rosmaster_lamps(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX], uint32_t rgb)
{
	const uint8_t data[4] = {ALL_LAMPS, (uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb};
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_LAMPS, data, sizeof(data));
}

size_t cairn_rosmaster_effect_off(uint8_t out[CAIRN_ROSMASTER_FRAME_MAX])
{
	const uint8_t data[3] = {
	    0, 0xFF, 0xFF}; /* speed and parameter as the vendor's library has them by default */
	return cairn_rosmaster_frame(out, CAIRN_ROSMASTER_EFFECT, data, sizeof(data));
}

size_t cairn_rosmaster_stop_frame(uint8_t out[13])
{
	static const uint8_t frames[13] = {HEAD, TO_BOARD, 0x04, CAIRN_ROSMASTER_RESET_STATE, FLASH, 0x72,
	    HEAD, TO_BOARD, 0x05, CAIRN_ROSMASTER_AUTO_REPORT, 0x01, 0x00, 0x07};
	memcpy(out, frames, sizeof(frames));
	return sizeof(frames);
}

/* ---- reports ---- */

static int16_t get_i16(const uint8_t *b)
{
	return (int16_t)(uint16_t)(b[0] | (b[1] << 8));
}

static void get_triple(double out[3], const uint8_t *b, const double scale[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = get_i16(b + 2 * i) * scale[i];
}

static bool read_imu(struct cairn_rosmaster_report *r, const uint8_t *d, size_t n, bool mpu)
{
	static const double one[3] = {1.0, 1.0, 1.0}, milli[3] = {1e-3, 1e-3, 1e-3};
	static const double mpu_gyro[3] = {1.0 / 3754.9, -1.0 / 3754.9, -1.0 / 3754.9};
	static const double mpu_accel[3] = {1.0 / 1671.84, 1.0 / 1671.84, 1.0 / 1671.84};
	if (n != 18)
		return false;
	get_triple(r->imu.gyro_radps, d, mpu ? mpu_gyro : milli);
	get_triple(r->imu.accel_mps2, d + 6, mpu ? mpu_accel : milli);
	get_triple(r->imu.mag, d + 12, mpu ? one : milli);
	return true;
}

/* Data of a frame whose sum is right; false when this is not a report that is known and as long as it must
 * be. */
static bool read_report(struct cairn_rosmaster_report *r, uint8_t func, const uint8_t *d, size_t n)
{
	r->func = (enum cairn_rosmaster_func)func;
	switch (func) {
	case CAIRN_ROSMASTER_SPEED:
		if (n != 7)
			return false;
		r->speed.vx_mps = get_i16(d) / 1000.0;
		r->speed.steer_raw = get_i16(d + 2);
		r->speed.vz_radps = get_i16(d + 4) / 1000.0;
		r->speed.battery_v = d[6] / 10.0;
		return true;
	case CAIRN_ROSMASTER_IMU_MPU:
	case CAIRN_ROSMASTER_IMU_ICM:
		return read_imu(r, d, n, func == CAIRN_ROSMASTER_IMU_MPU);
	case CAIRN_ROSMASTER_ATTITUDE:
		if (n != 6)
			return false;
		r->attitude.roll_rad = get_i16(d) / 10000.0;
		r->attitude.pitch_rad = get_i16(d + 2) / 10000.0;
		r->attitude.yaw_rad = get_i16(d + 4) / 10000.0;
		return true;
	case CAIRN_ROSMASTER_ENCODERS:
		if (n != 16)
			return false;
		for (int i = 0; i < 4; i++)
			r->encoder[i] =
			    (int32_t)((uint32_t)d[4 * i] | (uint32_t)d[4 * i + 1] << 8 |
				      (uint32_t)d[4 * i + 2] << 16 | (uint32_t)d[4 * i + 3] << 24);
		return true;
	case CAIRN_ROSMASTER_VERSION:
		if (n != 2)
			return false;
		r->version.major = d[0];
		r->version.minor = d[1];
		return true;
	case CAIRN_ROSMASTER_CAR_TYPE:
		if (n != 1)
			return false;
		r->car_type = d[0];
		return true;
	default:
		return false;
	}
}

static void drop(struct cairn_rosmaster_parser *p, size_t n)
{
	p->have -= n;
	memmove(p->buf, p->buf + n, p->have);
}

static void lose(struct cairn_rosmaster_parser *p)
{
	p->bytes_lost++;
	drop(p, 1);
}

/* Looks for one report in what is held. Bytes that cannot begin a frame go one by one: data may hold FF FB.
 */
static bool take(struct cairn_rosmaster_parser *p, struct cairn_rosmaster_report *r)
{
	while (p->have > 0) {
		const uint8_t *b = p->buf;
		if (b[0] != HEAD || (p->have > 1 && b[1] != FROM_BOARD) ||
		    (p->have > 2 && (b[2] < LEN_MIN || b[2] > LEN_MAX))) {
			lose(p);
			continue;
		}
		size_t total = p->have > 2 ? (size_t)b[2] + 2 : SIZE_MAX;
		if (p->have < total)
			return false;
		unsigned sum = 0;
		for (size_t i = 2; i + 1 < total; i++)
			sum += b[i];
		if ((uint8_t)sum != b[total - 1]) {
			lose(p);
			continue;
		}
		bool known = read_report(r, b[3], b + 4, total - 5);
		drop(p, total);
		if (known) {
			p->reports++;
			return true;
		}
		p->frames_unknown++;
	}
	return false;
}

void cairn_rosmaster_parser_init(struct cairn_rosmaster_parser *p)
{
	memset(p, 0, sizeof(*p));
}

size_t cairn_rosmaster_feed(struct cairn_rosmaster_parser *p, const uint8_t *data, size_t len,
    struct cairn_rosmaster_report *ret_report, bool *ret_some)
{
	size_t used = 0;
	*ret_some = take(p, ret_report);
	while (!*ret_some && used < len) {
		p->buf[p->have++] = data[used++];
		*ret_some = take(p, ret_report);
	}
	return used;
}
