#include "common/device/diffdrive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"

#define NUMBER_MAX INT64_C(9999999999) /* more digits are no number of this protocol */

static unsigned sum_of(const char *text, size_t len)
{
	unsigned sum = 0;
	for (size_t i = 0; i < len; i++)
		sum ^= (unsigned char)text[i];
	return sum;
}

/* ---- commands ---- */

size_t cairn_diffdrive_line(char out[CAIRN_DIFFDRIVE_LINE_MAX], const char *text)
{
	char line[CAIRN_DIFFDRIVE_LINE_MAX + 1];
	int n = snprintf(line, sizeof(line), "$%s*%02X\r\n", text, sum_of(text, strlen(text)));
	if (n < 0 || (size_t)n > CAIRN_DIFFDRIVE_LINE_MAX)
		return 0;
	memcpy(out, line, (size_t)n);
	return (size_t)n;
}

static int mmps(double mps)
{
	double most = CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS;
	return isnan(mps) ? 0 : (int)lrint(cairn_clamp(1000.0 * mps, -most, most));
}

size_t cairn_diffdrive_speed(char out[CAIRN_DIFFDRIVE_LINE_MAX], double left_mps, double right_mps)
{
	char text[48];
	snprintf(text, sizeof(text), "V,%d,%d", mmps(left_mps), mmps(right_mps));
	return cairn_diffdrive_line(out, text);
}

size_t cairn_diffdrive_twist(
    char out[CAIRN_DIFFDRIVE_LINE_MAX], double wheel_separation_m, double v_mps, double w_radps)
{
	double half_m = 0.5 * wheel_separation_m;
	if (!isfinite(v_mps) || !isfinite(w_radps))
		return cairn_diffdrive_speed(out, 0.0, 0.0);
	return cairn_diffdrive_speed(out, v_mps - half_m * w_radps, v_mps + half_m * w_radps);
}

size_t cairn_diffdrive_stop(char out[CAIRN_DIFFDRIVE_LINE_MAX])
{
	return cairn_diffdrive_line(out, "S");
}

size_t cairn_diffdrive_ask(char out[CAIRN_DIFFDRIVE_LINE_MAX])
{
	return cairn_diffdrive_line(out, "Q");
}

/* ---- reports ---- */

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *cairn_diffdrive_text(char *line)
{
	char *star = strrchr(line, '*');
	if (line[0] != '$' || star == NULL || strlen(star) != 3)
		return NULL;
	int high = hex_of(star[1]), low = hex_of(star[2]);
	if (high < 0 || low < 0 || sum_of(line + 1, (size_t)(star - line - 1)) != (unsigned)(16 * high + low))
		return NULL;
	*star = '\0';
	return line + 1;
}

int cairn_diffdrive_numbers(const char *text, int64_t *ret, int max)
{
	int count = 0;
	const char *at = strchr(text, ',');
	while (at != NULL && *at == ',') {
		bool minus = at[1] == '-';
		const char *digit = at + (minus ? 2 : 1);
		int64_t value = 0;
		if (count == max || *digit < '0' || *digit > '9')
			return -1;
		for (; *digit >= '0' && *digit <= '9' && value <= NUMBER_MAX; digit++)
			value = 10 * value + (*digit - '0');
		if (value > NUMBER_MAX)
			return -1;
		ret[count++] = minus ? -value : value;
		at = digit;
	}
	return at == NULL || *at == '\0' ? count : -1;
}

static bool within(const int64_t *n, int from, int to, int64_t most)
{
	for (int i = from; i < to; i++)
		if (n[i] < -most || n[i] > most)
			return false;
	return true;
}

#define GYRO_MAX_MRADPS 40000
#define ACCEL_MAX_MMPS2 200000
#define BATTERY_MAX_MV 100000

static bool read_kind(char kind, const int64_t *n, int count, struct cairn_diffdrive_report *r)
{
	switch (kind) {
	case 'I':
		r->kind = CAIRN_DIFFDRIVE_IDENTITY;
		r->identity.version = count == 2 && within(n, 0, 1, 1000) ? (int)n[0] : -1;
		r->identity.gyro = count == 2 && n[1] == 1;
		return r->identity.version >= 0 && (n[1] == 0 || n[1] == 1);
	case 'E':
		if (count != 4 || !within(n, 2, 4, CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS))
			return false;
		r->kind = CAIRN_DIFFDRIVE_WHEELS;
		for (int i = 0; i < 2; i++) { /* of any width: they wrap */
			r->wheels.count[i] = (int32_t)(uint32_t)(uint64_t)n[i];
			r->wheels.mps[i] = 1e-3 * (double)n[2 + i];
		}
		return true;
	case 'G':
		if (count != 6 || !within(n, 0, 3, GYRO_MAX_MRADPS) || !within(n, 3, 6, ACCEL_MAX_MMPS2))
			return false;
		r->kind = CAIRN_DIFFDRIVE_INERTIAL;
		for (int i = 0; i < 3; i++) {
			r->inertial.gyro_radps[i] = 1e-3 * (double)n[i];
			r->inertial.accel_mps2[i] = 1e-3 * (double)n[3 + i];
		}
		return true;
	default:
		r->kind = CAIRN_DIFFDRIVE_BATTERY;
		r->battery_v = count == 1 ? 1e-3 * (double)n[0] : -1.0;
		return count == 1 && n[0] >= 0 && n[0] <= BATTERY_MAX_MV;
	}
}

static bool read_line(struct cairn_diffdrive_parser *p, struct cairn_diffdrive_report *ret)
{
	int64_t numbers[CAIRN_DIFFDRIVE_FIELDS_MAX];
	p->line[p->have] = '\0';
	char *text = strlen(p->line) == p->have ? cairn_diffdrive_text(p->line) : NULL;
	int count = text != NULL ? cairn_diffdrive_numbers(text, numbers, CAIRN_DIFFDRIVE_FIELDS_MAX) : -1;
	bool known = count > 0 && text[1] == ',' && strchr("IEGB", text[0]) != NULL;
	if (known && read_kind(text[0], numbers, count, ret)) {
		p->reports++;
		return true;
	}
	if (text != NULL && !known)
		p->lines_unknown++;
	else
		p->lines_bad++;
	return false;
}

void cairn_diffdrive_parser_init(struct cairn_diffdrive_parser *p)
{
	*p = (struct cairn_diffdrive_parser){.have = 0};
}

size_t cairn_diffdrive_feed(struct cairn_diffdrive_parser *p, const uint8_t *data, size_t len,
    struct cairn_diffdrive_report *ret_report, bool *ret_some)
{
	*ret_some = false;
	for (size_t i = 0; i < len; i++) {
		char c = (char)data[i];
		bool end = c == '\n' || c == '\r';
		if (c == '$') {
			p->lines_bad += p->in_line;
			p->in_line = true;
			p->have = 0;
		}
		if (!p->in_line)
			continue;
		if (end) {
			p->in_line = false;
			if (read_line(p, ret_report)) {
				*ret_some = true;
				return i + 1;
			}
		} else if (p->have + 1 == sizeof(p->line)) {
			p->in_line = false; /* no line is so long */
			p->lines_bad++;
		} else {
			p->line[p->have++] = c;
		}
	}
	return len;
}
