#include "common/map/edt.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int cairn_edt_reserve(struct cairn_edt *edt, int columns)
{
	if (columns <= edt->columns)
		return 0;
	size_t n = (size_t)columns + 1;
	struct cairn_edt grown = {.columns = columns,
	    .site = malloc(n * sizeof(*grown.site)),
	    .from = malloc(n * sizeof(*grown.from)),
	    .height = malloc(n * sizeof(*grown.height)),
	    .squared = malloc(n * sizeof(*grown.squared)),
	    .row = malloc(n * sizeof(*grown.row)),
	    .column2 = malloc(n * sizeof(*grown.column2)),
	    .best2 = malloc(n * sizeof(*grown.best2)),
	    .half_inv = malloc(n * sizeof(*grown.half_inv))};
	if (grown.site == NULL || grown.from == NULL || grown.height == NULL || grown.squared == NULL ||
	    grown.row == NULL || grown.column2 == NULL || grown.best2 == NULL || grown.half_inv == NULL) {
		cairn_edt_free(&grown);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		grown.half_inv[i] = i == 0 ? 0.0 : 0.5 / (double)i;
	cairn_edt_free(edt);
	*edt = grown;
	return 0;
}

void cairn_edt_free(struct cairn_edt *edt)
{
	free(edt->site);
	free(edt->from);
	free(edt->height);
	free(edt->squared);
	free(edt->row);
	free(edt->column2);
	free(edt->best2);
	free(edt->half_inv);
	*edt = (struct cairn_edt){0};
}

#define PART_SPARE 8 /* cells */
#define OFFSETS_STEP 4
#define OFFSETS_MAX 48          /* cells; measured: beyond this the envelope wins */
#define OFFSETS_SATURATE 128.0f /* cells; squared it leaves room for OFFSETS_MAX^2 in 16 bits */

/* Distance along the column, row by row so that the inner loops run over contiguous memory. */
static void columns_pass(const uint8_t *cells, size_t cells_stride, uint8_t mask, int width, int height,
    float *dist, size_t dist_stride)
{
	for (int x = 0; x < width; x++)
		dist[x] = (cells[x] & mask) != 0 ? 0.0f : CAIRN_EDT_FAR;
	for (int y = 1; y < height; y++) {
		const uint8_t *restrict c = cells + (size_t)y * cells_stride;
		float *restrict d = dist + (size_t)y * dist_stride;
		const float *restrict above = d - dist_stride;
		/* Times 0 or 1: a choice between floats by bytes is no vector. */
		for (int x = 0; x < width; x++)
			d[x] = (above[x] + 1.0f) * (float)(int32_t)((c[x] & mask) == 0);
	}
	for (int y = height - 2; y >= 0; y--) {
		float *restrict d = dist + (size_t)y * dist_stride;
		const float *restrict below = d + dist_stride;
		for (int x = 0; x < width; x++)
			d[x] = below[x] + 1.0f < d[x] ? below[x] + 1.0f : d[x];
	}
}

/* The lower envelope of the parabolas (x - site)^2 + g(site)^2; returns how many there are. A rounded
 * crossing can only pick the wrong one of two where both are equal: crossings of integer parabolas are
 * multiples of 1 / (2 distance). */
static int build_envelope(const struct cairn_edt *edt, const float *row, int width)
{
	int top = -1;
	for (int q = 0; q < width; q++) {
		if (row[q] >= CAIRN_EDT_FAR)
			continue;
		double h = (double)row[q] * (double)row[q] + (double)q * (double)q;
		double crossing = -1.0;
		while (top >= 0) {
			crossing = (h - edt->height[top]) * edt->half_inv[q - edt->site[top]];
			if (crossing > (double)edt->from[top])
				break;
			top--;
		}
		if (crossing >= (double)(width - 1) && top >= 0)
			continue;
		top++;
		edt->site[top] = q;
		edt->height[top] = h;
		edt->from[top] = top == 0 ? -1 : (int32_t)(crossing + 1.0) - 1; /* floor: crossing > -1 */
	}
	return top + 1;
}

static void envelope_pass(
    const struct cairn_edt *edt, const float *restrict row, float *restrict out, int width)
{
	int count = build_envelope(edt, row, width);
	for (int x = 0; count == 0 && x < width; x++)
		out[x] = CAIRN_EDT_FAR * CAIRN_EDT_FAR;
	for (int k = 0; k < count; k++) {
		int x = k == 0 ? 0 : edt->from[k] + 1;
		int end = k + 1 < count ? edt->from[k + 1] : width - 1;
		int site = edt->site[k];
		float g2 = row[site] * row[site];
		for (; x <= end; x++) {
			float dx = (float)(x - site);
			out[x] = dx * dx + g2;
		}
	}
}

static int largest(const int16_t *v, int n)
{
	int16_t m = 0;
	for (int i = 0; i < n; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

/* out = min(out, g2 shifted by k either way, plus k^2). */
static void take_offset(const int16_t *restrict g2, int16_t *restrict out, int width, int k)
{
	int16_t kk = (int16_t)(k * k);
	int edge = k < width - k ? k : width - k, x = 0;
	for (; x < edge; x++)
		out[x] = (int16_t)(g2[x + k] + kk) < out[x] ? (int16_t)(g2[x + k] + kk) : out[x];
	for (; x < width - k; x++) {
		int16_t near = g2[x + k] < g2[x - k] ? g2[x + k] : g2[x - k];
		near = (int16_t)(near + kk);
		out[x] = near < out[x] ? near : out[x];
	}
	for (x = x > k ? x : k; x < width; x++)
		out[x] = (int16_t)(g2[x - k] + kk) < out[x] ? (int16_t)(g2[x - k] + kk) : out[x];
}

/* The same minimum taken offset by offset, which vectorises well: exact once offset^2 has reached the largest
 * value left, and small enough for 16 bits. False when an obstacle is so far that the envelope is cheaper. */
static bool offsets_pass(
    const struct cairn_edt *edt, const float *restrict row, float *restrict out, int width)
{
	int16_t *g2 = edt->column2, *best = edt->best2;
	for (int x = 0; x < width; x++) {
		float g = row[x] < OFFSETS_SATURATE ? row[x] : OFFSETS_SATURATE;
		g2[x] = (int16_t)(g * g);
	}
	memcpy(best, g2, (size_t)width * sizeof(*best));
	for (int k = 1;; k++) {
		if (k % OFFSETS_STEP == 1) {
			int top = largest(best, width);
			if (top <= k * k || (k >= width && top <= OFFSETS_MAX * OFFSETS_MAX))
				break;
			if (k > OFFSETS_STEP && top > OFFSETS_MAX * OFFSETS_MAX)
				return false;
		}
		if (k < width)
			take_offset(g2, best, width, k);
	}
	for (int x = 0; x < width; x++)
		out[x] = (float)best[x];
	return true;
}

static void row_pass(const struct cairn_edt *edt, const float *restrict row, float *restrict dist, int width)
{
	float *restrict out = edt->squared;
	if (!offsets_pass(edt, row, out, width))
		envelope_pass(edt, row, out, width);
	for (int x = 0; x < width; x++)
		dist[x] = sqrtf(out[x]);
}

void cairn_edt_compute(struct cairn_edt *edt, const uint8_t *cells, size_t cells_stride, uint8_t mask,
    int width, int height, float *dist, size_t dist_stride)
{
	if (width <= 0 || height <= 0)
		return;
	columns_pass(cells, cells_stride, mask, width, height, dist, dist_stride);
	for (int y = 0; y < height; y++) {
		float *row = dist + (size_t)y * dist_stride;
		memcpy(edt->row, row, (size_t)width * sizeof(*row));
		row_pass(edt, edt->row, row, width);
	}
}

static float row_largest(const float *row, int width)
{
	enum { LANES = 8 }; /* side by side: one after the other each waits for the one before */
	float lane[LANES] = {0.0f}, m = 0.0f;
	int x = 0;
	for (; x + LANES <= width; x += LANES)
		for (int k = 0; k < LANES; k++)
			lane[k] = row[x + k] > lane[k] ? row[x + k] : lane[k];
	for (; x < width; x++)
		m = row[x] > m ? row[x] : m;
	for (int k = 0; k < LANES; k++)
		m = lane[k] > m ? lane[k] : m;
	return m;
}

/* The squared distances from column at, g cells off, to the cells of a row of n that are within cap. */
static void take_site(int16_t *restrict best, int n, int at, int g, int cap)
{
	int reach = (int)sqrtf((float)(cap * cap - g * g));
	int first = at > reach ? at - reach : 0, count = (at + reach < n ? at + reach + 1 : n) - first;
	int16_t g2 = (int16_t)(g * g), off = (int16_t)(first - at);
	int16_t *restrict out = best + first;
	for (int16_t i = 0; i < count; i++) {
		int16_t dx = (int16_t)(off + i), d2 = (int16_t)(dx * dx + g2);
		out[i] = d2 < out[i] ? d2 : out[i];
	}
}

/* The squared distances, up to cap cells, of the cells from to end - 1 to what the columns lo to hi tell:
 * column by column where few tell something, else offset by offset. */
static void squares_from(
    const struct cairn_edt *edt, const float *column, int lo, int hi, int from, int end, int cap)
{
	int16_t *restrict g2 = edt->column2, *restrict best = edt->best2, far2 = (int16_t)(cap * cap);
	int n = end - from, sites = 0;
	for (int x = 0; x < n; x++)
		g2[x] = best[x] = far2;
	for (int x = lo; x <= hi; x++)
		sites += column[x] < (float)cap;
	if (sites <= 2 * cap) {
		for (int x = lo; x <= hi; x++)
			if (column[x] < (float)cap)
				take_site(best, n, x - from, (int)column[x], cap);
		return;
	}
	for (int x = lo; x <= hi; x++) {
		float g = column[x] < (float)cap ? column[x] : (float)cap;
		g2[x - from] = best[x - from] = (int16_t)(g * g);
	}
	for (int k = 1; k < n && k < cap; k++)
		take_offset(g2, best, n, k);
}

/* Lowers the distances of a row to those from the columns lo to hi where these are nearer: no more than that
 * is to be done where obstacles have only come. largest: of the row. */
static void lower_row(const struct cairn_edt *edt, const float *column, float *restrict dist, int width,
    int lo, int hi, float largest)
{
	for (; lo <= hi && column[lo] >= largest; lo++)
		;
	for (; hi >= lo && column[hi] >= largest; hi--)
		;
	if (lo > hi)
		return;
	int reach = largest < (float)width ? (int)largest + 1 : width;
	int from = lo > reach ? lo - reach : 0, end = hi + reach < width ? hi + reach + 1 : width;
	if (!(largest < (float)OFFSETS_MAX)) {
		row_pass(edt, column + from, edt->row, end - from);
		for (int x = from; x < end; x++)
			dist[x] = edt->row[x - from] < dist[x] ? edt->row[x - from] : dist[x];
		return;
	}
	squares_from(
	    edt, column, lo, hi, from, end, (int)largest + 1); /* which may be more than the row is wide */
	for (int x = from; x < end; x++) {
		float d = sqrtf((float)edt->best2[x - from]);
		dist[x] = d < dist[x] ? d : dist[x];
	}
}

void cairn_edt_lower(struct cairn_edt *edt, const uint8_t *cells, size_t cells_stride, uint8_t mask,
    int width, int height, float *scratch, float *dist, size_t dist_stride)
{
	if (width <= 0 || height <= 0)
		return;
	columns_pass(cells, cells_stride, mask, width, height, scratch, (size_t)width);
	for (int y = 0; y < height; y++) {
		float *row = dist + (size_t)y * dist_stride;
		lower_row(edt, scratch + (size_t)y * (size_t)width, row, width, 0, width - 1,
		    row_largest(row, width));
	}
}

static bool decides(float was, float now, float row_max)
{
	return was != now && (was < row_max || now < row_max);
}

/* A distance along a column that was and is at least the largest distance of the row decides nothing there.
 * *ret_lo, *ret_hi: the first and last that may decide. False: none. */
static bool change_matters(
    const float *was, const float *now, int count, float row_max, int *ret_lo, int *ret_hi)
{
	int lo = 0, hi = count - 1;
	if (memcmp(was, now, (size_t)count * sizeof(*was)) == 0)
		return false; /* most rows */
	while (lo < count && !decides(was[lo], now[lo], row_max))
		lo++;
	while (hi >= lo && !decides(was[hi], now[hi], row_max))
		hi--;
	*ret_lo = lo;
	*ret_hi = hi;
	return lo < count;
}

static bool none_farther(const float *was, const float *now, int count)
{
	int farther = 0;
	for (int x = 0; x < count; x++)
		farther |= now[x] > was[x];
	return farther == 0;
}

/* What a change of the columns between lo and hi can have changed in a row: where one of them was or is as near
 * as the nearest obstacle was. Widens the two. */
static void widen_by_reach(const float *dist, int width, int *lo, int *hi)
{
	int first = *lo, last = *hi;
	for (int x = 0; x < *lo; x++)
		if ((float)(*lo - x) <= dist[x]) {
			first = x;
			break;
		}
	for (int x = width - 1; x > *hi; x--)
		if ((float)(x - *hi) <= dist[x]) {
			last = x;
			break;
		}
	*lo = first;
	*hi = last;
}

/* row_pass for the cells lo to hi alone, looking no farther around them than obstacles were before. False, with
 * nothing done, where one has gone and the next may be farther away than that. */
static bool part_pass(
    const struct cairn_edt *edt, const float *column, float *dist, int width, int lo, int hi)
{
	int spare = (int)row_largest(dist + lo, hi - lo + 1) + PART_SPARE;
	int from = lo - spare > 0 ? lo - spare : 0, end = hi + spare < width ? hi + spare + 1 : width;
	if (2 * (end - from) > width)
		return false;
	row_pass(edt, column + from, edt->row, end - from);
	float near = (float)(spare + 1); /* what is left out is no nearer than that */
	if ((from > 0 || end < width) && row_largest(edt->row + lo - from, hi - lo + 1) > near)
		return false;
	memcpy(dist + lo, edt->row + lo - from, (size_t)(hi - lo + 1) * sizeof(*dist));
	return true;
}

/* A row after the columns lo to hi have changed. */
static void renew_row(
    const struct cairn_edt *edt, const float *column, float *dist, int width, int lo, int hi)
{
	widen_by_reach(dist, width, &lo, &hi);
	if (!part_pass(edt, column, dist, width, lo, hi))
		row_pass(edt, column, dist, width);
}

int cairn_edt_update(struct cairn_edt *edt, const struct cairn_edt_grid *g, int x0, int x1, bool all)
{
	if (g->width <= 0 || g->height <= 0 || x0 >= x1)
		return 0;
	size_t width = (size_t)g->width, changed = (size_t)(x1 - x0);
	columns_pass(g->cells + x0, width, g->mask, x1 - x0, g->height, g->scratch, changed);
	int rows = 0;
	for (int y = 0; y < g->height; y++) {
		float *column = g->column + (size_t)y * width, *dist = g->dist + (size_t)y * width;
		const float *now = g->scratch + (size_t)y * changed;
		int lo = 0, hi = 0;
		bool only_nearer = false;
		/* of all nothing is known before: the columns may never have been written */
		g->row_changed[y] = all || change_matters(column + x0, now, x1 - x0, g->row_max[y], &lo, &hi);
		if (g->row_changed[y] && !all)
			only_nearer = none_farther(column + x0 + lo, now + lo, hi - lo + 1);
		memcpy(column + x0, now, changed * sizeof(*now));
		if (!g->row_changed[y])
			continue;
		if (all)
			row_pass(edt, column, dist, g->width);
		else if (only_nearer)
			lower_row(edt, column, dist, g->width, x0 + lo, x0 + hi, g->row_max[y]);
		else
			renew_row(edt, column, dist, g->width, x0 + lo, x0 + hi);
		g->row_max[y] = row_largest(dist, g->width);
		rows++;
	}
	return rows;
}
