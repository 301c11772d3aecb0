#include "common/sim/robot/dev_diffdrive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cairn_dev_diffdrive_init(struct cairn_dev_diffdrive *b, bool gyro)
{
	*b = (struct cairn_dev_diffdrive){.gyro = gyro};
}

/* ---- commands ---- */

static void stand(struct cairn_dev_diffdrive *b)
{
	b->left_mps = b->right_mps = 0.0;
}

static void answer_identity(struct cairn_dev_diffdrive *b)
{
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t n = cairn_diffdrive_identity(line, b->gyro);
	if (b->out_bytes + n > sizeof(b->out))
		return;
	memcpy(b->out + b->out_bytes, line, n);
	b->out_bytes += n;
}

static void obey(struct cairn_dev_diffdrive *b, const struct cairn_diffdrive_order *order)
{
	bool exchanged = b->faults.wheels_exchanged;
	if (order->kind == CAIRN_DIFFDRIVE_WHO) {
		answer_identity(b);
	} else if (order->kind == CAIRN_DIFFDRIVE_STAND) {
		stand(b);
	} else {
		b->left_mps = exchanged ? order->right_mps : order->left_mps;
		b->right_mps = exchanged ? order->left_mps : order->right_mps;
		b->silent_ms = 0.0;
	}
}

void cairn_dev_diffdrive_receive(struct cairn_dev_diffdrive *b, const uint8_t *bytes, size_t count)
{
	for (size_t at = 0; at < count && !b->faults.deaf;) {
		struct cairn_diffdrive_order order;
		bool some;
		at += cairn_diffdrive_orders_feed(&b->orders, bytes + at, count - at, &order, &some);
		if (some)
			obey(b, &order);
	}
}

double cairn_dev_diffdrive_v_mps(const struct cairn_dev_diffdrive *b)
{
	return 0.5 * (b->left_mps + b->right_mps);
}

double cairn_dev_diffdrive_w_radps(const struct cairn_dev_diffdrive *b, double wheel_separation_m)
{
	return (b->right_mps - b->left_mps) / wheel_separation_m;
}

/* ---- reports ---- */

static size_t send(struct cairn_dev_diffdrive *b, const char *text, uint8_t *buf, size_t cap)
{
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t n = cairn_diffdrive_line(line, text);
	if (n > cap || b->faults.mute)
		return 0;
	if (b->faults.corrupt_every > 0 && ++b->sent % b->faults.corrupt_every == 0)
		line[n / 2] ^= 0x11;
	memcpy(buf, line, n);
	return n;
}

size_t cairn_dev_diffdrive_take(struct cairn_dev_diffdrive *b, uint8_t *buf, size_t cap)
{
	size_t n = b->out_bytes < cap ? b->out_bytes : cap;
	memcpy(buf, b->out, n);
	b->out_bytes -= n;
	memmove(b->out, b->out + n, b->out_bytes);
	return b->faults.mute ? 0 : n;
}

static long milli(double x)
{
	return lrint(1000.0 * x);
}

size_t cairn_dev_diffdrive_report(struct cairn_dev_diffdrive *b,
    const struct cairn_dev_diffdrive_sense *sense, double step_ms, uint8_t *buf, size_t cap)
{
	char text[CAIRN_DIFFDRIVE_LINE_MAX];
	const double *g = sense->gyro_radps, *a = sense->accel_mps2;
	b->silent_ms += step_ms;
	if (b->silent_ms > CAIRN_DIFFDRIVE_DEAD_MAN_MS && !b->faults.no_dead_man)
		stand(b);
	uint32_t turn = b->reports++;
	if (turn % CAIRN_DEV_DIFFDRIVE_BATTERY_EVERY == CAIRN_DEV_DIFFDRIVE_BATTERY_EVERY - 1) {
		snprintf(text, sizeof(text), "B,%ld", milli(sense->battery_v));
	} else if (turn % 2 == 0) {
		snprintf(text, sizeof(text), "E,%d,%d,%ld,%ld", sense->counts[0], sense->counts[1],
		    milli(sense->mps[0]), milli(sense->mps[1]));
	} else {
		if (!b->gyro || b->faults.gyro_silent)
			return 0;
		snprintf(text, sizeof(text), "G,%ld,%ld,%ld,%ld,%ld,%ld", milli(g[0]), milli(g[1]),
		    milli(g[2]), milli(a[0]), milli(a[1]), milli(a[2]));
	}
	return send(b, text, buf, cap);
}
