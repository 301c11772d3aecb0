/* line_chart.h - one number over time as characters of a terminal, or as a picture. Pure but for the file that a picture is
 * written to.
 *
 * A series keeps the newest values; what is not finite is a gap in the line. */
#ifndef CAIRN_COMMON_DRAWING_LINE_CHART_H
#define CAIRN_COMMON_DRAWING_LINE_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"
#include "common/base/text.h"

#define CAIRN_SERIES_MAX 4096

struct cairn_series {
	size_t count;
	double t_s[CAIRN_SERIES_MAX]; /* rising */
	double value[CAIRN_SERIES_MAX];
};

/* The oldest makes room. A time that does not rise is left out. */
void cairn_series_add(struct cairn_series *s, double t_s, double value);
/* Least and greatest of the finite values; false when there are none. */
bool cairn_series_range(const struct cairn_series *s, double *ret_least, double *ret_greatest);

/* Lines of braille characters, `columns` x `rows` of them behind a scale, with the span of time below; the newest value is at the
 * right. columns 20..500, rows 3..100, others are brought into these. */
void cairn_chart_text(
    const struct cairn_series *s, const char *title, int columns, int rows, struct cairn_text *ret);
/* A PNG of 960 x 360. False with the reason in err. */
bool cairn_chart_png(
    const struct cairn_series *s, const char *title, const char *path, struct cairn_error *err);

#endif
