#include "common/scene/rooms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/rooms_private.h"

#define OCCUPIED_MIN 65
#define FREE_MAX 49

void cairn_rooms_free(struct cairn_rooms *r)
{
	free(r->label);
	free(r->clear_m);
	free(r->cells);
	*r = (struct cairn_rooms){0};
}

static void sheet_free(struct rooms_sheet *s)
{
	free(s->kind);
	free(s->piece);
	free(s->queue);
	free(s->dist);
	cairn_edt_free(&s->edt);
}

/* ---- the way the walls run ---- */

/* Of the steps from free to occupied cells, the way that they face, modulo a quarter turn: the mean over a 4-fold angle. */
static double wall_angle(const struct cairn_rooms_grid *g)
{
	double c = 0.0, s = 0.0;
	for (int32_t y = 2; y < g->height - 2; y++)
		for (int32_t x = 2; x < g->width - 2; x++) {
			const uint8_t *p = &g->cells[(size_t)y * (size_t)g->width + (size_t)x];
			if (*p < OCCUPIED_MIN || *p > 100)
				continue;
			double gx = 0.0, gy = 0.0; /* toward the free side */
			for (int dy = -2; dy <= 2; dy++)
				for (int dx = -2; dx <= 2; dx++) {
					uint8_t v = p[dy * g->width + dx];
					if (v <= FREE_MAX) {
						gx += dx;
						gy += dy;
					}
				}
			double n = gx * gx + gy * gy;
			if (n < 9.0)
				continue;
			double a = 4.0 * atan2(gy, gx);
			c += cos(a);
			s += sin(a);
		}
	return c == 0.0 && s == 0.0 ? 0.0 : atan2(s, c) / 4.0;
}

/* ---- the turned sheet ---- */

static void to_sheet(const struct rooms_sheet *s, double x, double y, double *ret_u, double *ret_v)
{
	*ret_u = s->cos_a * x + s->sin_a * y - s->u0;
	*ret_v = -s->sin_a * x + s->cos_a * y - s->v0;
}

static bool make_sheet(struct rooms_sheet *s, const struct cairn_rooms_grid *g)
{
	double angle = wall_angle(g), u[2] = {1e9, -1e9}, v[2] = {1e9, -1e9};
	s->cell_m = g->cell_m;
	s->cos_a = cos(angle);
	s->sin_a = sin(angle);
	for (int i = 0; i < 4; i++) {
		double a, b;
		to_sheet(s, i & 1 ? g->width : 0.0, i & 2 ? g->height : 0.0, &a, &b);
		u[0] = fmin(u[0], a);
		u[1] = fmax(u[1], a);
		v[0] = fmin(v[0], b);
		v[1] = fmax(v[1], b);
	}
	s->u0 = floor(u[0]) - 1.0;
	s->v0 = floor(v[0]) - 1.0;
	s->width = (int32_t)(ceil(u[1]) - s->u0) + 2;
	s->height = (int32_t)(ceil(v[1]) - s->v0) + 2;
	size_t n = (size_t)s->width * (size_t)s->height;
	s->kind = calloc(n, 1);
	s->piece = calloc(n, sizeof(*s->piece));
	s->queue = malloc(n * sizeof(*s->queue));
	s->dist = malloc(n * sizeof(*s->dist));
	if (s->kind == NULL || s->piece == NULL || s->queue == NULL || s->dist == NULL ||
	    cairn_edt_reserve(&s->edt, s->width) != 0)
		return false;
	bool turned = fabs(s->sin_a) > 0.005;
	for (int32_t y = 0; y < s->height; y++)
		for (int32_t x = 0; x < s->width; x++) {
			uint8_t kind = ROOMS_UNKNOWN;
			/* A turned cell lies over several: occupied where one of them is, or thin walls would leak. */
			for (int k = 0; k < (turned ? 5 : 1); k++) {
				double a = x + 0.5 + s->u0 +
					   (k == 1 || k == 2 ? 0.35
					       : k > 2       ? -0.35
							     : 0.0),
				       b = y + 0.5 + s->v0 +
					   (k == 1 || k == 3 ? 0.35
					       : k > 0       ? -0.35
							     : 0.0);
				int32_t cx = (int32_t)floor(s->cos_a * a - s->sin_a * b),
					cy = (int32_t)floor(s->sin_a * a + s->cos_a * b);
				if (cx < 0 || cy < 0 || cx >= g->width || cy >= g->height)
					continue;
				uint8_t c = g->cells[(size_t)cy * (size_t)g->width + (size_t)cx];
				if (c >= OCCUPIED_MIN && c <= 100)
					kind = ROOMS_WALL;
				else if (k == 0 && c <= FREE_MAX)
					kind = ROOMS_FLOOR;
			}
			s->kind[(size_t)y * (size_t)s->width + (size_t)x] = kind;
		}
	return true;
}

static void take_doors(struct rooms_sheet *s, const struct cairn_rooms_grid *g)
{
	for (uint32_t i = 0; i < g->door_count && s->doors < CAIRN_ROOMS_DOORS_MAX; i++) {
		double u, v;
		to_sheet(
		    s, g->doors[i].x_m / g->cell_m - g->cx0, g->doors[i].y_m / g->cell_m - g->cy0, &u, &v);
		s->door[s->doors][0] = u;
		s->door[s->doors++][1] = v;
	}
}

/* ---- numbers that stay ---- */

/* Floor shared by each new room with each old one; the pair with most goes first. */
static void keep_numbers(struct cairn_rooms *r, const struct cairn_rooms *old, uint32_t *next_number)
{
	uint32_t *shared = calloc(CAIRN_ROOMS_MAX * CAIRN_ROOMS_MAX, sizeof(*shared));
	bool used[CAIRN_ROOMS_MAX] = {false};
	for (uint32_t i = 0; i < r->count; i++)
		r->items[i].number = 0;
	for (int32_t y = 0; shared != NULL && old->label != NULL && y < r->height; y++) {
		int32_t oy = y + r->cy0 - old->cy0;
		if (oy < 0 || oy >= old->height)
			continue;
		for (int32_t x = 0; x < r->width; x++) {
			int32_t ox = x + r->cx0 - old->cx0;
			uint8_t a = r->label[(size_t)y * (size_t)r->width + (size_t)x];
			if (a == 0 || ox < 0 || ox >= old->width)
				continue;
			uint8_t b = old->label[(size_t)oy * (size_t)old->width + (size_t)ox];
			if (b != 0)
				shared[(a - 1u) * CAIRN_ROOMS_MAX + b - 1u]++;
		}
	}
	while (shared != NULL) {
		uint32_t best = 0, at = 0;
		for (uint32_t i = 0; i < r->count; i++)
			for (uint32_t k = 0; k < old->count; k++) {
				uint32_t n = shared[i * CAIRN_ROOMS_MAX + k];
				if (r->items[i].number == 0 && !used[k] && n > best) {
					best = n;
					at = i * CAIRN_ROOMS_MAX + k;
				}
			}
		if (best == 0)
			break;
		r->items[at / CAIRN_ROOMS_MAX].number = old->items[at % CAIRN_ROOMS_MAX].number;
		used[at % CAIRN_ROOMS_MAX] = true;
	}
	for (uint32_t i = 0; i < r->count; i++)
		if (r->items[i].number == 0)
			r->items[i].number = (*next_number)++;
	free(shared);
}

/* ---- back to the map ---- */

static bool take_over(struct cairn_rooms *r, const struct rooms_sheet *s, const struct cairn_rooms_grid *g)
{
	size_t n = (size_t)g->width * (size_t)g->height;
	struct cairn_edt edt = {0};
	uint8_t *blocked = malloc(n);
	r->label = calloc(n, 1);
	r->clear_m = malloc(n * sizeof(*r->clear_m));
	r->cells = malloc(n);
	if (blocked == NULL || r->label == NULL || r->clear_m == NULL || r->cells == NULL ||
	    cairn_edt_reserve(&edt, g->width) != 0) {
		free(blocked);
		cairn_edt_free(&edt);
		return false;
	}
	memcpy(r->cells, g->cells, n);
	r->cx0 = g->cx0;
	r->cy0 = g->cy0;
	r->width = g->width;
	r->height = g->height;
	r->cell_m = g->cell_m;
	r->room = n;
	for (size_t i = 0; i < n; i++)
		blocked[i] = g->cells[i] > FREE_MAX;
	cairn_edt_compute(
	    &edt, blocked, (size_t)g->width, 1, g->width, g->height, r->clear_m, (size_t)g->width);
	float clear[CAIRN_ROOMS_MAX] = {0.0f};
	for (int32_t y = 0; y < g->height; y++)
		for (int32_t x = 0; x < g->width; x++) {
			size_t at = (size_t)y * (size_t)g->width + (size_t)x;
			double u, v;
			r->clear_m[at] = (float)g->cell_m * fminf(r->clear_m[at], 1e4f);
			to_sheet(s, x + 0.5, y + 0.5, &u, &v);
			uint16_t piece = s->piece[(size_t)v * (size_t)s->width + (size_t)u];
			if (piece == 0 || piece > s->pieces)
				continue;
			r->label[at] = (uint8_t)piece;
			r->items[piece - 1].cells += !blocked[at];
			if (r->clear_m[at] > clear[piece - 1]) {
				clear[piece - 1] = r->clear_m[at];
				r->items[piece - 1].at_cx = x + g->cx0;
				r->items[piece - 1].at_cy = y + g->cy0;
			}
		}
	r->count = s->pieces;
	free(blocked);
	cairn_edt_free(&edt);
	return true;
}

bool cairn_rooms_find(struct cairn_rooms *rooms, const struct cairn_rooms_grid *g, uint32_t *next_number)
{
	struct rooms_sheet sheet = {0};
	struct cairn_rooms fresh = {0};
	if (g->width < 8 || g->height < 8 || g->width > CAIRN_ROOMS_SIDE_MAX ||
	    g->height > CAIRN_ROOMS_SIDE_MAX)
		return false;
	bool ok = make_sheet(&sheet, g);
	if (ok)
		take_doors(&sheet, g);
	ok = ok && rooms_cut(&sheet) && take_over(&fresh, &sheet, g);
	sheet_free(&sheet);
	if (!ok) {
		cairn_rooms_free(&fresh);
		return false;
	}
	keep_numbers(&fresh, rooms, next_number);
	cairn_rooms_free(rooms);
	*rooms = fresh;
	return true;
}

/* ---- reading ---- */

static bool cell_at(const struct cairn_rooms *r, double x_m, double y_m, size_t *ret)
{
	if (r->label == NULL || !isfinite(x_m) || !isfinite(y_m))
		return false;
	double x = floor(x_m / r->cell_m) - r->cx0, y = floor(y_m / r->cell_m) - r->cy0;
	if (!(x >= 0.0 && y >= 0.0 && x < r->width && y < r->height))
		return false;
	*ret = (size_t)y * (size_t)r->width + (size_t)x;
	return true;
}

int32_t cairn_rooms_at(const struct cairn_rooms *r, double x_m, double y_m)
{
	size_t at;
	return cell_at(r, x_m, y_m, &at) ? (int32_t)r->label[at] - 1 : -1;
}

int32_t cairn_rooms_near(const struct cairn_rooms *r, double x_m, double y_m, double within_m)
{
	int32_t at = cairn_rooms_at(r, x_m, y_m);
	for (double d = r->cell_m; at < 0 && d <= within_m && r->cell_m > 0.0; d += r->cell_m)
		for (int i = 0; at < 0 && i < 16; i++)
			at = cairn_rooms_at(r, x_m + d * cos(i * M_PI / 8.0), y_m + d * sin(i * M_PI / 8.0));
	return at;
}

double cairn_rooms_clear_m(const struct cairn_rooms *r, double x_m, double y_m)
{
	size_t at;
	return cell_at(r, x_m, y_m, &at) ? (double)r->clear_m[at] : 0.0;
}

bool cairn_rooms_occupied(const struct cairn_rooms *r, double x_m, double y_m)
{
	size_t at;
	return cell_at(r, x_m, y_m, &at) && r->cells[at] >= OCCUPIED_MIN && r->cells[at] <= 100;
}
