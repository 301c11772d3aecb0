#include "common/device/battery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAUSIBLE_MAX_V 100.0

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

bool cairn_battery_curve_parse(struct cairn_battery_curve *c, const char *text, struct cairn_error *err)
{
	*c = (struct cairn_battery_curve){0};
	for (const char *p = skip_blanks(text); *p != '\0';) {
		char *end;
		if (c->count == CAIRN_BATTERY_POINTS) {
			cairn_error_set(err, "more than %d points", CAIRN_BATTERY_POINTS);
			return false;
		}
		double v = strtod(p, &end), percent = NAN;
		const char *colon = skip_blanks(end);
		if (end != p && *colon == ':')
			percent = strtod(colon + 1, &end);
		if (!(v > 0.0 && v <= PLAUSIBLE_MAX_V && percent >= 0.0 && percent <= 100.0)) {
			cairn_error_set(err, "'%.40s' is not volts:percent", p);
			return false;
		}
		if (c->count > 0 && (v <= c->volts[c->count - 1] || percent <= c->percent[c->count - 1])) {
			cairn_error_set(err, "'%.40s' does not rise", p);
			return false;
		}
		c->volts[c->count] = v;
		c->percent[c->count++] = percent;
		p = skip_blanks(end);
		if (*p == ',')
			p = skip_blanks(p + 1);
		else if (*p != '\0') {
			cairn_error_set(err, "'%.40s': points are separated by commas", p);
			return false;
		}
	}
	return true;
}

double cairn_battery_percent(const struct cairn_battery_curve *c, double volts)
{
	if (c->count == 0)
		return CAIRN_BATTERY_UNKNOWN;
	if (volts <= c->volts[0])
		return c->percent[0];
	for (int i = 1; i < c->count; i++)
		if (volts <= c->volts[i])
			return c->percent[i - 1] + (c->percent[i] - c->percent[i - 1]) *
						       (volts - c->volts[i - 1]) /
						       (c->volts[i] - c->volts[i - 1]);
	return c->percent[c->count - 1];
}

void cairn_battery_measured(struct cairn_battery *b, double volts, int64_t now_ns)
{
	if (!(volts > 0.0 && volts <= PLAUSIBLE_MAX_V))
		return;
	double since_s = b->mean_v > 0.0 ? (double)(now_ns - b->t_ns) * 1e-9 : INFINITY;
	double share = fmin(fmax(since_s, 0.0) / CAIRN_BATTERY_MEAN_S, 1.0);
	b->mean_v += share * (volts - b->mean_v);
	b->t_ns = now_ns;
}

double cairn_battery_charge(const struct cairn_battery *b)
{
	return b->mean_v > 0.0 ? cairn_battery_percent(&b->curve, b->mean_v) : CAIRN_BATTERY_UNKNOWN;
}

void cairn_battery_pace_take(struct cairn_battery_pace *p, double percent, int64_t now_ns)
{
	if (!(percent >= 0.0))
		return;
	if (p->from_ns == 0 || now_ns < p->t_ns || percent > p->percent + CAIRN_BATTERY_PACE_PERCENT)
		*p = (struct cairn_battery_pace){.from_percent = percent, .from_ns = now_ns};
	p->percent = percent;
	p->t_ns = now_ns;
	if ((double)(now_ns - p->from_ns) * 1e-9 < CAIRN_BATTERY_PACE_KEPT_S)
		return;
	p->from_ns += (now_ns - p->from_ns) / 2; /* the older half counts no longer */
	p->from_percent += 0.5 * (percent - p->from_percent);
}

double cairn_battery_minutes(const struct cairn_battery_pace *p, double until_percent)
{
	double fallen = p->from_percent - p->percent, s = (double)(p->t_ns - p->from_ns) * 1e-9;
	if (p->from_ns == 0 || fallen < CAIRN_BATTERY_PACE_PERCENT || s < CAIRN_BATTERY_PACE_S)
		return CAIRN_BATTERY_UNKNOWN;
	return fmax(0.0, p->percent - until_percent) / fallen * s / 60.0;
}
