/* duration.h - lengths of time as people write them: "90", "90s", "1.5m", "2h", "250ms". */
#ifndef CAIRN_COMMON_BASE_DURATION_H
#define CAIRN_COMMON_BASE_DURATION_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"

/* Seconds of text; a plain number is seconds. False with the reason in err for anything else: negative, not
 * finite, an unknown unit, more than ten years. */
static inline bool cairn_duration_parse(const char *text, double *ret_s, struct cairn_error *err)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"", 1.0}, {"s", 1.0}, {"ms", 1e-3}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
	char *end = NULL;
	bool digits = strspn(text, "0123456789.") > 0;
	double value = digits ? strtod(text, &end) : 0.0;
	for (size_t i = 0; digits && end != text && i < sizeof(units) / sizeof(units[0]); i++) {
		double seconds = value * units[i].seconds;
		if (strcmp(end, units[i].unit) == 0 && isfinite(seconds) && seconds <= 3.2e8) {
			*ret_s = seconds;
			return true;
		}
	}
	cairn_error_set(err, "'%.40s' is not a time; write 90, 90s, 1.5m or 2h", text);
	return false;
}

#endif
