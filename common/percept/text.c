#include "common/percept/text.h"

#include <math.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/percept/sectors.h"

#define ASIDE_RAD 0.05 /* a camera turned by less looks ahead */

struct out {
	char *buf;
	size_t used, capacity;
};

static void put(struct out *out, const char *text)
{
	size_t n = strlen(text);
	if (out->used + n >= out->capacity)
		n = out->capacity - 1 - out->used;
	memcpy(out->buf + out->used, text, n);
	out->used += n;
}

/* A number with up to two decimals. Own code because printf knows locales, "-0.00" and three hundred digits.
 */
static void put_number(struct out *out, double value, int decimals)
{
	static const double scale[] = {1.0, 10.0, 100.0};
	if (!isfinite(value)) {
		put(out, "?");
		return;
	}
	long long fixed = llround(cairn_clamp(value, -99999.0, 99999.0) * scale[decimals]);
	bool negative = fixed < 0;
	unsigned long long rest = (unsigned long long)(negative ? -fixed : fixed);
	char digits[24];
	int at = (int)sizeof(digits) - 1, written = 0;
	digits[at] = '\0';
	do {
		if (written == decimals && decimals > 0)
			digits[--at] = '.';
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
		written++;
	} while (rest > 0 || written <= decimals);
	if (negative)
		digits[--at] = '-';
	put(out, digits + at);
}

/* "130 deg right" */
static void put_side(struct out *out, double bearing_rad)
{
	double deg = cairn_rad_to_deg(cairn_wrap_rad(bearing_rad));
	put_number(out, fabs(deg), 0);
	put(out, deg >= 0.0 ? " deg left" : " deg right");
}

static void put_bearing(struct out *out, double bearing_rad)
{
	put(out, " at ");
	put_side(out, bearing_rad);
}

static void put_gaps(struct out *out, const struct cairn_msg_percept *percept, uint32_t count)
{
	put(out, "Gaps: ");
	for (uint32_t i = 0; i < count; i++) {
		put(out, i > 0 ? "; " : "");
		put_number(out, percept->gaps[i].width_m, 2);
		put(out, "m wide");
		put_bearing(out, percept->gaps[i].bearing_rad);
		put(out, ", ");
		put_number(out, percept->gaps[i].distance_m, 1);
		put(out, "m away");
	}
	put(out, count == 0 ? "none\n" : "\n");
}

static void put_sensors(struct out *out, const struct cairn_msg_percept *percept, uint32_t gaps)
{
	if (percept == NULL) {
		put(out, "SENSORS: no scan\n");
		return;
	}
	put(out, "SENSORS (LiDAR: degrees clockwise from the front, metres)\n");
	for (int k = 0; k < CAIRN_SECTOR_COUNT; k++) {
		enum cairn_sector_label label = cairn_sector_label_of(percept->sector_m[k]);
		put_number(out, 30.0 * k, 0);
		put(out, " ");
		if (label == CAIRN_SECTOR_LABEL_EMPTY)
			put(out, "--");
		else
			put_number(out, (double)percept->sector_m[k], 1);
		put(out, " ");
		put(out, cairn_enum_text(&cairn_enum_sector_label, (int)label));
		put(out, "\n");
	}
	put(out, "Nearest obstacle: ");
	if (percept->nearest_m < 0.0) {
		put(out, "none");
	} else {
		put_number(out, percept->nearest_m, 2);
		put(out, "m");
		if (fabs(cairn_wrap_rad(percept->nearest_bearing_rad)) < cairn_deg_to_rad(1.0))
			put(out, " ahead");
		else
			put_bearing(out, percept->nearest_bearing_rad);
	}
	put(out, "\n");
	put_gaps(out, percept, gaps);
	put(out, "Feasibility: ");
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		put(out, d > 0 ? ", " : "");
		put(out, cairn_enum_text(&cairn_enum_direction, d));
		put(out, " ");
		put_number(out, (double)percept->feasibility[d], 2);
	}
	put(out, "\n");
}

static void put_pose(struct out *out, const struct cairn_msg_pose *pose)
{
	if (pose == NULL) {
		put(out, "Position: unknown\n");
		return;
	}
	double compass = cairn_compass_deg(pose->yaw_rad);
	put(out, "Position: x ");
	put_number(out, pose->x_m, 2);
	put(out, " m, y ");
	put_number(out, pose->y_m, 2);
	put(out, " m from the start; heading ");
	put_number(out, isfinite(compass) ? cairn_compass_whole_deg(pose->yaw_rad) : compass, 0);
	put(out, " deg (");
	put(out, isfinite(compass) ? cairn_compass_point(compass) : "?");
	put(out, "); speed ");
	put_number(out, pose->v_mps, 2);
	put(out, " m/s\n");
}

static void put_journey(struct out *out, const struct cairn_text_inputs *in)
{
	put(out, "Travelled ");
	if (in->pose != NULL) {
		put_number(out, in->pose->distance_m, 1);
		put(out, " m");
	} else {
		put(out, "unknown");
	}
	if (in->mission != NULL) {
		put(out, " in ");
		put_number(out, in->mission->elapsed_s, 0);
		put(out, " s");
	}
	put(out, "; map ");
	if (in->frontiers != NULL) {
		put_number(out, in->frontiers->map_width_m, 1);
		put(out, " x ");
		put_number(out, in->frontiers->map_height_m, 1);
		put(out, " m, coverage ");
		put_number(out, in->frontiers->coverage * 100.0, 0);
		put(out, "%, ");
		put_number(out, (double)in->frontiers->reachable, 0);
		put(out, " frontiers");
	} else {
		put(out, "unknown");
	}
	put(out, "; tracking ");
	put(out, cairn_enum_text(
		     &cairn_enum_tracking, in->pose != NULL ? (int)in->pose->tracking : CAIRN_TRACKING_NONE));
	put(out, "\n");
}

static void put_camera(struct out *out, const struct cairn_text_inputs *in)
{
	if (in->camera != CAIRN_TEXT_CAMERA_NONE && fabs(in->camera_yaw_rad) > ASIDE_RAD) {
		put(out, "Camera: looks ");
		put_side(out, in->camera_yaw_rad);
		put(out, " of the heading\n");
	}
	switch (in->camera) {
	case CAIRN_TEXT_CAMERA_FULL:
		return;
	case CAIRN_TEXT_CAMERA_NO_DEPTH:
		put(out, "Camera: picture without depth\n");
		return;
	case CAIRN_TEXT_CAMERA_UNPAIRED:
		put(out, "Camera: picture without depth (depth ");
		put_number(out, in->pair_apart_s, 2);
		put(out, " s apart)\n");
		return;
	case CAIRN_TEXT_CAMERA_NONE:
		put(out, "Camera: none\n");
		return;
	}
}

/* The whole, with so many gaps. */
static size_t write_text(char *buf, size_t capacity, const struct cairn_text_inputs *in, uint32_t gaps)
{
	struct out out = {.buf = buf, .capacity = capacity};
	put_sensors(&out, in->percept, gaps);
	put(&out, "ROBOT\n");
	put_pose(&out, in->pose);
	put_journey(&out, in);
	if (in->imu != NULL) {
		put(&out, "Tilt: roll ");
		put_number(&out, cairn_rad_to_deg(in->imu->roll_rad), 1);
		put(&out, ", pitch ");
		put_number(&out, cairn_rad_to_deg(in->imu->pitch_rad), 1);
		put(&out, " deg\n");
	}
	if (in->battery != NULL) {
		bool charge = in->battery->percent >= 0.0;
		put(&out, "Battery: ");
		put_number(&out, charge ? in->battery->percent : in->battery->voltage_v, charge ? 0 : 1);
		put(&out, charge ? "%" : " V");
		if (charge && in->battery_min > 0.0) {
			put(&out, ", ");
			put_number(&out, in->battery_min, 0);
			put(&out, " min");
		}
		put(&out, "\n");
	}
	put_camera(&out, in);
	if (in->legend != NULL && in->legend[0] != '\0') {
		put(&out, "Picture: ");
		put(&out, in->legend);
		put(&out, "\n");
	}
	buf[out.used] = '\0';
	return out.used;
}

size_t cairn_text_write(char *buf, size_t capacity, const struct cairn_text_inputs *in)
{
	if (capacity == 0)
		return 0;
	uint32_t gaps = in->percept != NULL ? in->percept->gaps_count : 0;
	gaps = gaps < CAIRN_TEXT_GAPS ? gaps : CAIRN_TEXT_GAPS;
	size_t used = write_text(buf, capacity, in, gaps);
	while (gaps > 0 && cairn_text_tokens_estimate(buf, used) > CAIRN_TEXT_TOKENS_MAX)
		used = write_text(buf, capacity, in, --gaps);
	return used;
}

int cairn_text_tokens_estimate(const char *text, size_t bytes)
{
	int tokens = 0;
	for (size_t i = 0; i < bytes;) {
		size_t begin = i;
		unsigned char c = (unsigned char)text[i];
		bool blank = c == ' ' && i + 1 < bytes;
		if (blank)
			c = (unsigned char)text[++i];
		size_t run = i;
		bool capitals = true;
		for (; i < bytes && ((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z'); i++)
			capitals = capitals && text[i] <= 'Z';
		if (i > run) {
			size_t letters = capitals ? 3 : 8;
			tokens += (int)((i - run + letters - 1) / letters);
			continue;
		}
		while (i < bytes && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i > run) {
			tokens += (int)((i - run + 2) / 3) + (blank ? 1 : 0);
			continue;
		}
		i = begin + (blank ? 2 : 1);
		tokens++;
	}
	return tokens;
}
