#include "common/drawing/stroke.h"

#include <math.h>
#include <stdbool.h>

/* Coverage of a pixel whose middle lies this far outside of a shape's edge. */
static unsigned coverage(float outside_px, unsigned opacity)
{
	float c = 0.5f - outside_px;
	return c <= 0.0f ? 0 : c >= 1.0f ? opacity : (unsigned)((float)opacity * c + 0.5f);
}

/* Shortens the line a-b to what may touch [lo, hi] along one axis (along: that coordinate, across: the
 * other). */
static bool clip_axis(
    double *a_along, double *a_across, double *b_along, double *b_across, double lo, double hi)
{
	if ((*a_along < lo && *b_along < lo) || (*a_along > hi && *b_along > hi))
		return false;
	double along0 = *a_along, across0 = *a_across, run = *b_along - along0, rise = *b_across - across0;
	for (int end = 0; end < 2; end++) {
		double *along = end == 0 ? a_along : b_along, *across = end == 0 ? a_across : b_across;
		double kept = fmin(fmax(*along, lo), hi);
		if (kept != *along) { /* run is not 0: the other end lies elsewhere */
			*across = across0 + rise * (kept - along0) / run;
			*along = kept;
		}
	}
	return true;
}

struct line {
	float x, y, ex, ey, inverse_length2, half_width;
};

static void blend_at(const struct cairn_canvas *canvas, const struct line *line,
    const struct cairn_stroke *stroke, int x, int y)
{
	float wx = (float)x + 0.5f - line->x, wy = (float)y + 0.5f - line->y;
	float t = (wx * line->ex + wy * line->ey) * line->inverse_length2;
	t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
	wx -= t * line->ex;
	wy -= t * line->ey;
	cairn_canvas_blend(canvas, x, y, stroke->colour,
	    coverage(sqrtf(wx * wx + wy * wy) - line->half_width, stroke->opacity));
}

void cairn_stroke_line(const struct cairn_canvas *canvas, double ax, double ay, double bx, double by,
    const struct cairn_stroke *stroke)
{
	double margin = 0.5 * (double)stroke->width_px + 1.0;
	if (!isfinite(ax) || !isfinite(ay) || !isfinite(bx) || !isfinite(by) ||
	    !clip_axis(&ax, &ay, &bx, &by, -margin, canvas->width_px + margin) ||
	    !clip_axis(&ay, &ax, &by, &bx, -margin, canvas->height_px + margin))
		return;
	double ex = bx - ax, ey = by - ay, length2 = ex * ex + ey * ey;
	struct line line = {(float)ax, (float)ay, (float)ex, (float)ey,
	    length2 > 0.0 ? (float)(1.0 / length2) : 0.0f, 0.5f * stroke->width_px};
	/* One step a pixel along the longer axis; across it as far as the width reaches. */
	bool flat = fabs(ex) >= fabs(ey);
	double a = flat ? ax : ay, b = flat ? bx : by, across0 = flat ? ay : ax;
	double slope = length2 > 0.0 ? (flat ? ey / ex : ex / ey) : 0.0;
	double lo = fmin(a, b), hi = fmax(a, b), reach = margin * sqrt(1.0 + slope * slope) + 1.0;
	int across_end = flat ? canvas->height_px : canvas->width_px;
	int along_end = flat ? canvas->width_px : canvas->height_px;
	int first = (int)fmax(floor(lo - margin), 0.0), last = (int)fmin(ceil(hi + margin), along_end - 1);
	for (int i = first; i <= last; i++) {
		double middle = across0 + slope * (fmin(fmax(i + 0.5, lo), hi) - a);
		int from = (int)fmax(floor(middle - reach), 0.0);
		int to = (int)fmin(ceil(middle + reach), across_end - 1);
		for (int j = from; j <= to; j++)
			blend_at(canvas, &line, stroke, flat ? i : j, flat ? j : i);
	}
}

void cairn_stroke_disc(const struct cairn_canvas *canvas, double x, double y, double radius_px,
    struct cairn_rgb colour, uint8_t opacity)
{
	if (!isfinite(x) || !isfinite(y) || !(radius_px > 0.0) || x < -radius_px - 1.0 ||
	    y < -radius_px - 1.0 || x > canvas->width_px + radius_px + 1.0 ||
	    y > canvas->height_px + radius_px + 1.0)
		return;
	int x0 = (int)fmax(floor(x - radius_px - 1.0), 0.0), y0 = (int)fmax(floor(y - radius_px - 1.0), 0.0);
	int x1 = (int)fmin(ceil(x + radius_px + 1.0), canvas->width_px - 1),
	    y1 = (int)fmin(ceil(y + radius_px + 1.0), canvas->height_px - 1);
	for (int py = y0; py <= y1; py++) {
		for (int px = x0; px <= x1; px++) {
			float dx = (float)(px + 0.5 - x), dy = (float)(py + 0.5 - y);
			cairn_canvas_blend(canvas, px, py, colour,
			    coverage(sqrtf(dx * dx + dy * dy) - (float)radius_px, opacity));
		}
	}
}
