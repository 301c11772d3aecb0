#include "common/sim/robot/dev_board.h"

#include <math.h>
#include <string.h>

#define LEN_MIN 3
#define LEN_MAX 40
#define DATA_MAX (LEN_MAX - 3)
#define OPEN_LOOP_MPS 1.0 /* at 100 % */

enum func {
	F_AUTO_REPORT = 0x01,
	F_BEEP = 0x02,
	F_LAMPS = 0x05,
	F_SPEED = 0x0A,
	F_IMU = 0x0E,
	F_ATTITUDE = 0x0C,
	F_ENCODERS = 0x0D,
	F_RESET_STATE = 0x0F,
	F_MOTOR = 0x10,
	F_CAR_RUN = 0x11,
	F_MOTION = 0x12,
	F_PID = 0x13,
	F_YAW_PID = 0x14,
	F_CAR_TYPE = 0x15,
	F_STEER_CENTRE = 0x30,
	F_STEER = 0x31,
	F_REQUEST = 0x50,
	F_VERSION = 0x51,
	F_RESET_FLASH = 0xA0
};

static void factory(struct cairn_dev_board *b)
{
	b->car_type = CAIRN_DEV_BOARD_TYPE_FRESH;
	b->steer_centre = 100;
	memcpy(b->pid, (int16_t[2][3]){{800, 60, 500}, {400, 0, 100}}, sizeof(b->pid));
}

void cairn_dev_board_init(struct cairn_dev_board *b)
{
	*b = (struct cairn_dev_board){.reporting = true};
	factory(b);
}

static size_t frame(uint8_t *buf, uint8_t func, const uint8_t *data, size_t count)
{
	uint8_t len = (uint8_t)(count + 3), sum = (uint8_t)(len + func);
	buf[0] = 0xFF;
	buf[1] = 0xFB;
	buf[2] = len;
	buf[3] = func;
	for (size_t i = 0; i < count; i++) {
		buf[4 + i] = data[i];
		sum = (uint8_t)(sum + data[i]);
	}
	buf[4 + count] = sum;
	return count + 5;
}

static void answer(struct cairn_dev_board *b, uint8_t func, const uint8_t *data, size_t count)
{
	uint8_t whole[DATA_MAX + 5];
	size_t n = frame(whole, func, data, count);
	if (b->out_bytes + n > sizeof(b->out))
		return;
	memcpy(b->out + b->out_bytes, whole, n);
	b->out_bytes += n;
}

static int16_t get16(const uint8_t *p)
{
	return (int16_t)(uint16_t)(p[0] | p[1] << 8);
}

static bool ackermann(uint8_t type)
{
	return (type & 0x7F) == 5 || (type & 0x7F) == 9;
}

static void stop(struct cairn_dev_board *b)
{
	b->mode = CAIRN_DEV_BOARD_STOPPED;
	b->v_mps = b->w_radps = 0.0;
}

/* vy is read as a steering angle in degrees when there is no yaw rate; which of the two the firmware prefers
 * is not published. */
static void motion(struct cairn_dev_board *b, const uint8_t *d)
{
	int16_t vy = get16(d + 3);
	bool steers = ackermann(d[0]) && ackermann(b->car_type);
	b->mode = CAIRN_DEV_BOARD_TWIST;
	b->v_mps = get16(d + 1) / 1000.0;
	b->w_radps = steers ? get16(d + 5) / 1000.0 : 0.0;
	b->steer_set = steers && b->w_radps == 0.0 && vy != 0;
	b->steer_deg = b->steer_set ? vy : 0.0;
}

static void car_run(struct cairn_dev_board *b, const uint8_t *d)
{
	double v = get16(d + 2) / 100.0 * OPEN_LOOP_MPS;
	if (d[1] == 1 || d[1] == 2) {
		b->mode = CAIRN_DEV_BOARD_SPEED;
		b->v_mps = d[1] == 1 ? v : -v;
	} else {
		stop(b);
	}
}

static void motors(struct cairn_dev_board *b, const uint8_t *d)
{
	double sum = 0.0;
	int driven = 0;
	for (int i = 0; i < 4; i++)
		if ((int8_t)d[i] != 127) {
			sum += fmax(-100.0, fmin(100.0, (int8_t)d[i]));
			driven++;
		}
	if (driven == 0)
		return;
	b->mode = CAIRN_DEV_BOARD_SPEED;
	b->v_mps = sum / driven / 100.0 * OPEN_LOOP_MPS;
	if (sum == 0.0)
		stop(b);
}

static void requested(struct cairn_dev_board *b, uint8_t wanted)
{
	const int16_t *p = b->pid[wanted == F_YAW_PID];
	uint8_t pid[7] = {1, (uint8_t)p[0], (uint8_t)(p[0] >> 8), (uint8_t)p[1], (uint8_t)(p[1] >> 8),
	    (uint8_t)p[2], (uint8_t)(p[2] >> 8)};
	switch (wanted) {
	case F_VERSION:
		answer(b, F_VERSION, (uint8_t[2]){3, 5}, 2);
		break;
	case F_CAR_TYPE:
		answer(b, F_CAR_TYPE, &b->car_type, 1);
		break;
	case F_STEER_CENTRE:
		answer(b, F_STEER_CENTRE, (uint8_t[2]){1, b->steer_centre}, 2);
		break;
	case F_PID:
	case F_YAW_PID:
		answer(b, wanted, pid, sizeof(pid));
		break;
	default:
		b->rejects++;
		break;
	}
}

/* Bytes of data each command carries, or -1 for those that do nothing here (effects of the lamps, servos). */
static int data_of(uint8_t func)
{
	switch (func) {
	case F_RESET_STATE:
	case F_RESET_FLASH:
		return 1;
	case F_AUTO_REPORT:
	case F_BEEP:
	case F_CAR_TYPE:
	case F_STEER:
	case F_REQUEST:
		return 2;
	case F_STEER_CENTRE:
		return 3;
	case F_LAMPS:
	case F_MOTOR:
	case F_CAR_RUN:
		return 4;
	case F_MOTION:
	case F_PID:
	case F_YAW_PID:
		return 7;
	default:
		return -1;
	}
}

static void steer(struct cairn_dev_board *b, const uint8_t *d)
{
	if (!ackermann(b->car_type))
		return;
	b->steer_set = true;
	b->steer_deg = -(double)(int8_t)d[1];
	if (b->mode == CAIRN_DEV_BOARD_TWIST)
		b->mode = CAIRN_DEV_BOARD_SPEED;
}

static void command(struct cairn_dev_board *b, uint8_t func, const uint8_t *d, int count)
{
	int want = data_of(func);
	b->commands++;
	if (want >= 0 && count != want) {
		b->rejects++;
		return;
	}
	switch (func) {
	case F_AUTO_REPORT:
		b->reporting = d[0] != 0;
		break;
	case F_BEEP:
		b->beep_ms = (uint32_t)(uint16_t)get16(d);
		b->beeps += b->beep_ms > 0;
		break;
	case F_LAMPS:
		if (d[0] == 0xFF)
			b->lamps_rgb = (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
		break;
	case F_RESET_STATE:
		stop(b);
		b->lamps_rgb = 0;
		break;
	case F_RESET_FLASH:
		stop(b);
		factory(b);
		break;
	case F_MOTOR:
		motors(b, d);
		break;
	case F_CAR_RUN:
		car_run(b, d);
		break;
	case F_MOTION:
		motion(b, d);
		break;
	case F_PID:
	case F_YAW_PID:
		for (int i = 0; i < 3; i++)
			b->pid[func == F_YAW_PID][i] = get16(d + 2 * i);
		break;
	case F_CAR_TYPE:
		if (d[1] == 0x5F)
			b->car_type = d[0];
		break;
	case F_STEER_CENTRE:
		if (d[1] >= 60 && d[1] <= 120)
			b->steer_centre = d[1];
		break;
	case F_STEER:
		steer(b, d);
		break;
	case F_REQUEST:
		requested(b, d[0]);
		break;
	default:
		break;
	}
}

static bool parse_one(struct cairn_dev_board *b)
{
	size_t used = 1;
	if (b->in_bytes < 3)
		return false;
	uint8_t len = b->in[2];
	if (b->in[0] == 0xFF && b->in[1] == 0xFC && len >= LEN_MIN && len <= LEN_MAX) {
		size_t whole = (size_t)len + 2;
		if (b->in_bytes < whole)
			return false;
		uint8_t sum = 0;
		for (size_t i = 2; i + 1 < whole; i++)
			sum = (uint8_t)(sum + b->in[i]);
		if (sum == b->in[whole - 1]) {
			command(b, b->in[3], b->in + 4, len - 3);
			used = whole;
		} else {
			b->rejects++;
		}
	}
	b->in_bytes -= used;
	memmove(b->in, b->in + used, b->in_bytes);
	return true;
}

void cairn_dev_board_receive(struct cairn_dev_board *b, const uint8_t *bytes, size_t count)
{
	while (count > 0) {
		size_t n = sizeof(b->in) - b->in_bytes;
		if (n > count)
			n = count;
		memcpy(b->in + b->in_bytes, bytes, n);
		b->in_bytes += n;
		bytes += n;
		count -= n;
		while (parse_one(b))
			;
	}
}

size_t cairn_dev_board_take(struct cairn_dev_board *b, uint8_t *buf, size_t cap)
{
	size_t n = b->out_bytes < cap ? b->out_bytes : cap;
	memcpy(buf, b->out, n);
	b->out_bytes -= n;
	memmove(b->out, b->out + n, b->out_bytes);
	return n;
}

/* ---- reports ---- */

static size_t put16(uint8_t *p, double value)
{
	double v = fmax(-32768.0, fmin(32767.0, rint(value)));
	int16_t i = (int16_t)v;
	p[0] = (uint8_t)i;
	p[1] = (uint8_t)((uint16_t)i >> 8);
	return 2;
}

size_t cairn_dev_board_report(
    struct cairn_dev_board *b, const struct cairn_dev_board_sense *sense, uint8_t *buf, size_t cap)
{
	static const uint8_t order[4] = {F_SPEED, F_IMU, F_ATTITUDE, F_ENCODERS};
	uint8_t d[DATA_MAX];
	size_t n = 0;
	uint8_t func = order[b->turn++ % 4];
	if (!b->reporting || cap < DATA_MAX + 5)
		return 0;
	switch (func) {
	case F_SPEED:
		n += put16(d + n, sense->v_mps * 1000.0);
		n += put16(d + n, sense->steer_deg);
		n += put16(d + n, 0.0);
		d[n++] = (uint8_t)fmax(0.0, fmin(255.0, rint(sense->battery_v * 10.0)));
		break;
	case F_IMU:
		for (int i = 0; i < 3; i++)
			n += put16(d + n, sense->gyro_radps[i] * 1000.0);
		for (int i = 0; i < 3; i++)
			n += put16(d + n, sense->accel_mps2[i] * 1000.0);
		for (int i = 0; i < 3; i++)
			n += put16(d + n, 0.0);
		break;
	case F_ATTITUDE:
		n += put16(d + n, sense->roll_rad * 10000.0);
		n += put16(d + n, sense->pitch_rad * 10000.0);
		n += put16(d + n, sense->yaw_rad * 10000.0);
		break;
	default:
		for (int i = 0; i < 4; i++)
			for (int k = 0; k < 4; k++)
				d[n++] = (uint8_t)((uint32_t)sense->counts[i] >> (8 * k));
		break;
	}
	return frame(buf, func, d, n);
}
