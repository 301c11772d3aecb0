#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/sim/world/build.h"
#include "common/sim/world/floorplan.h"
#include "common/sim/world/outline.h"

#define SIDE_MAX_PX 30000
#define AREA_MAX_PX (256u << 20)
#define FREE_LEVEL 128
#define WALL_HEIGHT_M 2.5
#define BORDER_TOLERANCE_M 0.012

/* Next number of a PGM header, or -1; comments run from # to the end of the line. */
static long header_number(const char *text, size_t bytes, size_t *at)
{
	while (*at < bytes) {
		if (text[*at] == '#')
			while (*at < bytes && text[*at] != '\n')
				(*at)++;
		else if (strchr(" \t\r\n", text[*at]) != NULL)
			(*at)++;
		else
			break;
	}
	long value = -1;
	while (*at < bytes && text[*at] >= '0' && text[*at] <= '9' && value < 1000000) {
		value = (value < 0 ? 0 : value) * 10 + (text[*at] - '0');
		(*at)++;
	}
	return value;
}

bool cairn_raster_read(struct cairn_raster *raster, const char *path, struct cairn_error *err)
{
	*raster = (struct cairn_raster){.width_px = 0};
	size_t bytes, at = 2;
	char *text = cairn_file_read(path, CAIRN_FILE_GZIP, AREA_MAX_PX + 1024u, &bytes, err);
	if (text == NULL)
		return false;
	long w = -1, h = -1, max = -1;
	if (bytes > 2 && text[0] == 'P' && text[1] == '5') {
		w = header_number(text, bytes, &at);
		h = header_number(text, bytes, &at);
		max = header_number(text, bytes, &at);
		at++;
	}
	if (w < 1 || h < 1 || max != 255 || w > SIDE_MAX_PX || h > SIDE_MAX_PX) {
		cairn_error_set(err,
		    "%s: header: not a binary PGM with maxval 255 of at most %d pixels a side", path,
		    SIDE_MAX_PX);
	} else if (bytes < at || bytes - at < (size_t)w * (size_t)h) {
		cairn_error_set(err, "%s: pixels: the file ends too early for %ld x %ld", path, w, h);
	} else {
		raster->width_px = (int32_t)w;
		raster->height_px = (int32_t)h;
		memmove(text, text + at, (size_t)w * (size_t)h);
		raster->free_px = (uint8_t *)text;
		for (size_t i = 0; i < (size_t)w * (size_t)h; i++)
			raster->free_px[i] = raster->free_px[i] >= FREE_LEVEL;
		return true;
	}
	free(text);
	return false;
}

void cairn_raster_finish(struct cairn_raster *raster)
{
	free(raster->free_px);
	*raster = (struct cairn_raster){.width_px = 0};
}

int64_t cairn_raster_free_count(const struct cairn_raster *raster)
{
	int64_t n = 0;
	for (size_t i = 0; i < (size_t)raster->width_px * (size_t)raster->height_px; i++)
		n += raster->free_px[i];
	return n;
}

int cairn_raster_components(const struct cairn_raster *raster, int64_t *ret_largest)
{
	size_t total = (size_t)raster->width_px * (size_t)raster->height_px;
	uint8_t *left = malloc(total);
	uint32_t *stack = malloc(total * sizeof(*stack));
	int found = left != NULL && stack != NULL ? 0 : -1;
	*ret_largest = 0;
	if (found == 0)
		memcpy(left, raster->free_px, total);
	for (size_t seed = 0; found >= 0 && seed < total; seed++) {
		if (!left[seed])
			continue;
		size_t top = 0;
		int64_t size = 0;
		stack[top++] = (uint32_t)seed;
		left[seed] = 0;
		while (top > 0) {
			size_t p = stack[--top], c = p % (size_t)raster->width_px;
			size++;
			size_t to[4] = {c > 0 ? p - 1 : p, c + 1 < (size_t)raster->width_px ? p + 1 : p,
			    p >= (size_t)raster->width_px ? p - (size_t)raster->width_px : p,
			    p + (size_t)raster->width_px < total ? p + (size_t)raster->width_px : p};
			for (int i = 0; i < 4; i++)
				if (left[to[i]]) {
					left[to[i]] = 0;
					stack[top++] = (uint32_t)to[i];
				}
		}
		found++;
		*ret_largest = size > *ret_largest ? size : *ret_largest;
	}
	free(left);
	free(stack);
	return found;
}

/* ---- borders ---- */

/* Directions on the lattice of pixel corners: 0 +x, 1 +y, 2 -x, 3 -y. */
static const int step_x[4] = {1, 0, -1, 0}, step_y[4] = {0, 1, 0, -1};

static bool is_free(const struct cairn_raster *r, int32_t c, int32_t row)
{
	return c >= 0 && row >= 0 && c < r->width_px && row < r->height_px &&
	       r->free_px[(size_t)row * (size_t)r->width_px + (size_t)c];
}

/* A border leaves corner (x, y) in direction d when the pixel on its right is free and the one on its left is
 * not. */
static bool border_leaves(const struct cairn_raster *r, int32_t x, int32_t y, int d)
{
	static const int right_c[4] = {0, 0, -1, -1}, right_r[4] = {-1, 0, 0, -1};
	static const int left_c[4] = {0, -1, -1, 0}, left_r[4] = {0, 0, -1, -1};
	return is_free(r, x + right_c[d], y + right_r[d]) && !is_free(r, x + left_c[d], y + left_r[d]);
}

struct tracer {
	const struct cairn_raster *raster;
	uint8_t *seen; /* bit d of a corner: the border leaving it in direction d is done */
	struct cairn_vec2 *line, *kept;
	uint8_t *keep;
	size_t *stack;
	size_t count, cap;
};

static bool tracer_room(struct tracer *t)
{
	if (t->count < t->cap)
		return true;
	size_t cap = t->cap * 2 + 1024;
	struct cairn_vec2 *line = realloc(t->line, cap * sizeof(*line));
	t->line = line != NULL ? line : t->line;
	struct cairn_vec2 *kept = realloc(t->kept, cap * sizeof(*kept));
	t->kept = kept != NULL ? kept : t->kept;
	uint8_t *keep = realloc(t->keep, cap);
	t->keep = keep != NULL ? keep : t->keep;
	size_t *stack = realloc(t->stack, 2 * cap * sizeof(*stack));
	t->stack = stack != NULL ? stack : t->stack;
	if (line == NULL || kept == NULL || keep == NULL || stack == NULL)
		return false;
	t->cap = cap;
	return true;
}

/* Follows one border from a corner that it leaves to the right, until it closes; corners are kept where it
 * turns. */
static bool follow(struct tracer *t, int32_t x0, int32_t y0)
{
	const struct cairn_raster *r = t->raster;
	size_t pitch = (size_t)r->width_px + 1;
	int32_t x = x0, y = y0;
	int d = 0, came = -1;
	t->count = 0;
	do {
		if (d != came) {
			if (!tracer_room(t))
				return false;
			t->line[t->count++] =
			    (struct cairn_vec2){x * CAIRN_RASTER_PIXEL_M, y * CAIRN_RASTER_PIXEL_M};
		}
		t->seen[(size_t)y * pitch + (size_t)x] |= (uint8_t)(1u << d);
		x += step_x[d];
		y += step_y[d];
		came = d;
		/* Right first: free pixels that only touch at a corner are not connected. */
		int turns[3] = {(d + 3) % 4, d, (d + 1) % 4};
		for (int i = 0; i < 3; i++)
			if (border_leaves(r, x, y, turns[i])) {
				d = turns[i];
				break;
			}
	} while (x != x0 || y != y0 || d != 0);
	return true;
}

static double off_line(struct cairn_vec2 a, struct cairn_vec2 b, struct cairn_vec2 p)
{
	double dx = b.x_m - a.x_m, dy = b.y_m - a.y_m, len = hypot(dx, dy);
	if (len < 1e-9)
		return hypot(p.x_m - a.x_m, p.y_m - a.y_m);
	return fabs((p.x_m - a.x_m) * dy - (p.y_m - a.y_m) * dx) / len;
}

/* Douglas and Peucker 1973, on the closed line cut at its first corner and the one farthest from it. */
static size_t simplify(struct tracer *t, double tolerance_m)
{
	size_t n = t->count, far = 0, top = 0, kept = 0;
	double best = -1.0;
	for (size_t i = 0; i < n; i++) {
		double d = hypot(t->line[i].x_m - t->line[0].x_m, t->line[i].y_m - t->line[0].y_m);
		t->keep[i] = 0;
		if (d > best) {
			best = d;
			far = i;
		}
	}
	t->keep[0] = t->keep[far] = 1;
	size_t *s = t->stack;
	s[top++] = 0, s[top++] = far, s[top++] = far, s[top++] = n;
	while (top > 0) {
		size_t hi = s[--top], lo = s[--top], worst = lo;
		double worst_m = tolerance_m;
		for (size_t i = lo + 1; i < hi; i++) {
			double d = off_line(t->line[lo], t->line[hi % n], t->line[i]);
			if (d > worst_m) {
				worst_m = d;
				worst = i;
			}
		}
		if (worst != lo) {
			t->keep[worst] = 1;
			s[top++] = lo, s[top++] = worst, s[top++] = worst, s[top++] = hi;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (t->keep[i])
			t->kept[kept++] = t->line[i];
	return kept;
}

bool cairn_raster_borders(
    const struct cairn_raster *raster, double tolerance_m, cairn_border_fn *fn, void *ctx)
{
	size_t pitch = (size_t)raster->width_px + 1;
	struct tracer t = {.raster = raster, .seen = calloc(pitch * ((size_t)raster->height_px + 1), 1)};
	bool ok = t.seen != NULL;
	for (int32_t y = 0; ok && y <= raster->height_px; y++)
		for (int32_t x = 0; ok && x <= raster->width_px; x++) {
			if ((t.seen[(size_t)y * pitch + (size_t)x] & 1u) != 0 ||
			    !border_leaves(raster, x, y, 0))
				continue;
			ok = follow(&t, x, y);
			size_t kept = ok ? simplify(&t, tolerance_m) : 0;
			if (kept >= 3)
				fn(ctx, t.kept, kept);
		}
	free(t.seen);
	free(t.line);
	free(t.kept);
	free(t.keep);
	free(t.stack);
	return ok;
}

static void add_border(void *ctx, const struct cairn_vec2 *corners, size_t count)
{
	bool free_inside = cairn_polygon_area(corners, count) < 0.0;
	cairn_build_outline(
	    ctx, corners, count, free_inside, 0.0, WALL_HEIGHT_M, CAIRN_PAINT(222, 214, 200, PLASTER));
}

struct cairn_world *cairn_world_load_raster(const char *path, struct cairn_error *err)
{
	struct cairn_raster raster;
	struct cairn_builder b;
	const char *slash = strrchr(path, '/');
	char name[CAIRN_WORLD_NAME_CAP];
	snprintf(name, sizeof(name), "%s", slash != NULL ? slash + 1 : path);
	name[strcspn(name, ".")] = '\0';
	if (!cairn_raster_read(&raster, path, err))
		return NULL;
	if (!cairn_build_init(&b, name, err)) {
		cairn_raster_finish(&raster);
		return NULL;
	}
	b.failed = !cairn_raster_borders(&raster, BORDER_TOLERANCE_M, add_border, &b) || b.failed;
	cairn_raster_finish(&raster);
	struct cairn_error why;
	struct cairn_world *world = cairn_build_finish(&b, &why);
	if (world == NULL)
		cairn_error_set(err, "%s: %s", path, why.text);
	return world;
}
