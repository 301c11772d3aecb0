/* base_diffdrive.c - a base that speaks the lines of docs/diffdrive-serial.md. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/device/base_link_private.h"

#define ASK_NS (200 * CAIRN_NS_PER_MS)

static void opened(struct cairn_base_link *l)
{
	l->identity_known = l->identity_good = false;
	cairn_diffdrive_parser_init(&l->lines);
}

static void on_identity(
    struct cairn_base_link *l, const struct cairn_diffdrive_report *r, struct cairn_base_report *out)
{
	bool news = !l->identity_known;
	l->identity_known = true;
	l->identity_good = r->identity.version == CAIRN_DIFFDRIVE_VERSION;
	l->without_gyro = !r->identity.gyro;
	out->kind = news ? CAIRN_BASE_IDENTITY : CAIRN_BASE_OTHER;
	out->identity.warns = !l->identity_good;
	snprintf(out->identity.text, sizeof(out->identity.text), "lines of version %d, %s",
	    r->identity.version, r->identity.gyro ? "with gyro" : "no gyro: heading by the wheels");
}

static void translate(struct cairn_base_link *l, const struct cairn_diffdrive_report *r, int64_t now_ns,
    struct cairn_base_report *out)
{
	switch (r->kind) {
	case CAIRN_DIFFDRIVE_IDENTITY:
		on_identity(l, r, out);
		break;
	case CAIRN_DIFFDRIVE_WHEELS:
		l->last_wheels_ns = now_ns;
		out->kind = CAIRN_BASE_ENCODERS;
		memset(out->encoders.count, 0, sizeof(out->encoders.count));
		out->encoders.count[0] = r->wheels.count[0];
		out->encoders.count[3] = r->wheels.count[1];
		out->encoders.with_speed = true;
		out->encoders.v_mps = 0.5 * (r->wheels.mps[0] + r->wheels.mps[1]);
		break;
	case CAIRN_DIFFDRIVE_INERTIAL:
		l->last_inertial_ns = now_ns;
		out->kind = CAIRN_BASE_IMU;
		memcpy(out->imu.gyro_radps, r->inertial.gyro_radps, sizeof(out->imu.gyro_radps));
		memcpy(out->imu.accel_mps2, r->inertial.accel_mps2, sizeof(out->imu.accel_mps2));
		break;
	case CAIRN_DIFFDRIVE_BATTERY:
		out->kind = CAIRN_BASE_BATTERY;
		out->battery_v = r->battery_v;
		break;
	case CAIRN_DIFFDRIVE_KINDS:
	default:
		out->kind = CAIRN_BASE_OTHER;
		break;
	}
}

static size_t feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_base_report *ret_report, bool *ret_some)
{
	struct cairn_diffdrive_report r;
	size_t used = cairn_diffdrive_feed(&l->lines, data, len, &r, ret_some);
	if (!*ret_some)
		return used;
	if (now_ns - l->last_report_ns > BASE_REPORT_MISSING_NS)
		l->identity_known = l->identity_good = false; /* another one may have been plugged in */
	translate(l, &r, now_ns, ret_report);
	return used;
}

static size_t ask(struct cairn_base_link *l, int64_t now_ns, uint8_t *out)
{
	if (l->identity_good)
		return 0;
	l->ask_at_ns = now_ns + ASK_NS;
	return cairn_diffdrive_ask((char *)out);
}

static size_t motion(const struct cairn_base_link *l, double v_mps, double w_radps, uint8_t *out)
{
	return cairn_diffdrive_twist((char *)out, l->wheel_separation_m, v_mps, w_radps);
}

static size_t stop(uint8_t *out)
{
	return cairn_diffdrive_stop((char *)out);
}

static const char *fault(const struct cairn_base_link *l, int64_t now_ns)
{
	if (!l->identity_known)
		return "has not told who it is";
	if (!l->identity_good)
		return "speaks another version of the lines";
	if (now_ns - l->last_wheels_ns > BASE_REPORT_MISSING_NS)
		return "does not tell of its wheels";
	if (!l->without_gyro && now_ns - l->last_inertial_ns > BASE_REPORT_MISSING_NS)
		return "has a gyro that is silent";
	return NULL;
}

const struct base_model base_diffdrive = {.baud = CAIRN_DIFFDRIVE_BAUD,
    .opened = opened,
    .feed = feed,
    .poll = ask,
    .motion = motion,
    .stop = stop,
    .fault = fault};
