#include "common/map/doorway.h"

#include <stdlib.h>
#include <string.h>

#include "common/map/edt.h"

#define WALL_M 0.4   /* of occupied cells that hang together make a jamb */
#define BESIDE_M 0.2 /* the wall goes on along the jambs' line at both of them, */
#define ASIDE_M 0.1  /* give or take so much, */
#define LONG_M 0.4   /* or so far at one, where the other is a wall across */
#define OPENS_M 0.55 /* on each side the way opens within this */
#define WIDER_M 0.3
#define SAME_M 0.5
#define APART_M 0.6 /* places of one passage are nearer to each other */
#define SIDE_NEAR_M 0.35
#define SIDE_FAR_M 0.7
#define REACH_M 1.6 /* no farther from a chord's middle is anything that it is judged by */
#define CHORDS_MAX 8192
#define JAMB_CELLS 64

struct chord {
	float x, y;             /* middle, window cells */
	float ux, uy;           /* from jamb to jamb */
	float length;           /* cells, between the jambs' centres */
	int32_t from_x, from_y; /* the cell it was looked for at */
};

struct cairn_doorways {
	struct cairn_edt edt;
	size_t capacity;
	uint8_t *solid;
	float *distance;
	/* What the chords were found in. */
	uint8_t *seen;
	size_t seen_capacity;
	int32_t seen_width, seen_height, seen_cx0, seen_cy0;
	int radius; /* of the table */
	int32_t *first;
	int8_t (*offset)[2];
	struct chord chords[CHORDS_MAX];
	uint32_t chord_count;
	struct cairn_msg_doorway found[CAIRN_DOORWAYS_MAX];
	uint32_t found_count;
};

struct cairn_doorways *cairn_doorways_new(void)
{
	return calloc(1, sizeof(struct cairn_doorways));
}

void cairn_doorways_destroy(struct cairn_doorways **doorways_p)
{
	struct cairn_doorways *d = *doorways_p;
	if (d == NULL)
		return;
	cairn_edt_free(&d->edt);
	free(d->solid);
	free(d->distance);
	free(d->seen);
	free(d->first);
	free(d->offset);
	free(d);
	*doorways_p = NULL;
}

/* All offsets up to radius by their squared length: first[n] .. first[n + 1] have length^2 = n. */
static bool make_table(struct cairn_doorways *d, int radius)
{
	if (radius == d->radius)
		return true;
	int most = radius * radius, side = 2 * radius + 1;
	free(d->first);
	free(d->offset);
	d->radius = 0;
	d->first = calloc((size_t)most + 2, sizeof(*d->first));
	d->offset = calloc((size_t)(side * side), sizeof(*d->offset));
	if (d->first == NULL || d->offset == NULL)
		return false;
	int32_t n = 0;
	for (int length2 = 0; length2 <= most; length2++) {
		d->first[length2] = n;
		int reach = (int)sqrt(length2) + 1 < radius ? (int)sqrt(length2) + 1 : radius;
		for (int y = -reach; y <= reach; y++) {
			int rest = length2 - y * y, x = rest < 0 ? -1 : (int)lrint(sqrt(rest));
			if (x < 0 || x * x != rest)
				continue;
			d->offset[n][0] = (int8_t)x, d->offset[n++][1] = (int8_t)y;
			if (x > 0)
				d->offset[n][0] = (int8_t)-x, d->offset[n++][1] = (int8_t)y;
		}
	}
	d->first[most + 1] = n;
	d->radius = radius;
	return true;
}

/* Window cells [x0, x1) x [y0, y1); empty where x1 <= x0. */
struct part {
	int32_t x0, y0, x1, y1;
};

static struct part grown(struct part p, int32_t by, const struct cairn_wavefront *w)
{
	return (struct part){p.x0 > by ? p.x0 - by : 0, p.y0 > by ? p.y0 - by : 0,
	    p.x1 + by < w->width ? p.x1 + by : w->width, p.y1 + by < w->height ? p.y1 + by : w->height};
}

/* Distances of the cells of part to the nearest wall, right as far as twice the reach allows. */
static bool measure(struct cairn_doorways *d, const struct cairn_wavefront *w, struct part part)
{
	size_t cells = (size_t)w->width * (size_t)w->height, stride = (size_t)w->width;
	if (cells > d->capacity) {
		free(d->solid);
		free(d->distance);
		d->solid = malloc(cells);
		d->distance = malloc(cells * sizeof(*d->distance));
		d->capacity = d->solid != NULL && d->distance != NULL ? cells : 0;
	}
	if (d->capacity < cells || cairn_edt_reserve(&d->edt, w->width) != 0)
		return false;
	for (int32_t y = part.y0; y < part.y1; y++)
		for (size_t i = (size_t)y * stride + (size_t)part.x0;
		     i < (size_t)y * stride + (size_t)part.x1; i++)
			d->solid[i] = w->cell[i] == CAIRN_WAVEFRONT_OCCUPIED;
	size_t first = (size_t)part.y0 * stride + (size_t)part.x0;
	cairn_edt_compute(&d->edt, d->solid + first, stride, 1, part.x1 - part.x0, part.y1 - part.y0,
	    d->distance + first, stride);
	return true;
}

/* Cells that are other than when the chords were found; what lay outside was unknown. The chords are moved to the
 * window as it is now. */
static struct part changed_since(struct cairn_doorways *d, const struct cairn_doorway_view *view)
{
	const struct cairn_wavefront *w = view->wave;
	struct part whole = {0, 0, w->width, w->height}, part = {INT32_MAX, INT32_MAX, 0, 0};
	int32_t sx = d->seen_cx0 - view->cx0, sy = d->seen_cy0 - view->cy0;
	if (d->seen == NULL || d->chord_count == CHORDS_MAX || sx < 0 || sy < 0 ||
	    sx + d->seen_width > w->width || sy + d->seen_height > w->height) {
		d->chord_count = 0;
		return whole;
	}
	for (uint32_t i = 0; i < d->chord_count; i++) {
		struct chord *c = &d->chords[i];
		c->x += (float)sx, c->y += (float)sy;
		c->from_x += sx, c->from_y += sy;
	}
	for (int32_t y = 0; y < w->height; y++) {
		const uint8_t *now = w->cell + (size_t)y * (size_t)w->width;
		bool there = y >= sy && y < sy + d->seen_height;
		const uint8_t *then = there ? d->seen + (size_t)(y - sy) * (size_t)d->seen_width : NULL;
		if (there && sx == 0 && d->seen_width == w->width && memcmp(now, then, (size_t)w->width) == 0)
			continue;
		for (int32_t x = 0; x < w->width; x++) {
			uint8_t was = there && x >= sx && x < sx + d->seen_width ? then[x - sx]
										 : CAIRN_WAVEFRONT_UNKNOWN;
			if (now[x] == was)
				continue;
			part.x0 = x < part.x0 ? x : part.x0;
			part.y0 = y < part.y0 ? y : part.y0;
			part.x1 = x + 1 > part.x1 ? x + 1 : part.x1;
			part.y1 = y + 1;
		}
	}
	return part;
}

static bool note_seen(struct cairn_doorways *d, const struct cairn_doorway_view *view)
{
	const struct cairn_wavefront *w = view->wave;
	size_t cells = (size_t)w->width * (size_t)w->height;
	if (cells > d->seen_capacity) {
		free(d->seen);
		d->seen = malloc(cells);
		d->seen_capacity = d->seen != NULL ? cells : 0;
	}
	if (d->seen == NULL)
		return false;
	memcpy(d->seen, w->cell, cells);
	d->seen_width = w->width, d->seen_height = w->height;
	d->seen_cx0 = view->cx0, d->seen_cy0 = view->cy0;
	return true;
}

static uint8_t class_at(const struct cairn_wavefront *w, double x, double y)
{
	int32_t u = (int32_t)floor(x + 0.5), v = (int32_t)floor(y + 0.5);
	if (u < 0 || v < 0 || u >= w->width || v >= w->height)
		return CAIRN_WAVEFRONT_UNKNOWN;
	return w->cell[(size_t)v * (size_t)w->width + (size_t)u];
}

/* Do enough occupied cells hang together at (x, y)? */
static bool is_wall(const struct cairn_wavefront *w, int32_t x, int32_t y, double cell_m)
{
	int16_t queue[JAMB_CELLS][2];
	int need = (int)ceil(WALL_M / cell_m), count = 0;
	need = need > JAMB_CELLS ? JAMB_CELLS : need;
	queue[count][0] = 0, queue[count++][1] = 0;
	for (int next = 0; next < count; next++) {
		for (int k = 0; k < 9 && count < need; k++) {
			int16_t u = (int16_t)(queue[next][0] + k % 3 - 1),
				v = (int16_t)(queue[next][1] + k / 3 - 1);
			bool known = class_at(w, x + u, y + v) != CAIRN_WAVEFRONT_OCCUPIED;
			for (int i = 0; i < count && !known; i++)
				known = queue[i][0] == u && queue[i][1] == v;
			if (!known)
				queue[count][0] = u, queue[count++][1] = v;
		}
	}
	return count >= need;
}

enum side { SIDE_CLOSED, SIDE_OPENS, SIDE_UNSEEN };

/* Free cells from (x, y) along (ux, uy) until something solid, at most most. */
static int room_along(const struct cairn_wavefront *w, double x, double y, double ux, double uy, int most)
{
	int n = 0;
	while (n < most && class_at(w, x + (n + 1) * ux, y + (n + 1) * uy) != CAIRN_WAVEFRONT_OCCUPIED)
		n++;
	return n;
}

static enum side look_out(const struct cairn_wavefront *w, const struct chord *c, int sign, double cell_m)
{
	double nx = -sign * (double)c->uy, ny = sign * (double)c->ux, ux = (double)c->ux, uy = (double)c->uy;
	double length = (double)c->length;
	int end = (int)(OPENS_M / cell_m), most = (int)(0.5 * length + 0.5 / cell_m);
	for (int t = 1; t <= end; t++) {
		double x = (double)c->x + t * nx, y = (double)c->y + t * ny;
		uint8_t here = class_at(w, x, y);
		if (here == CAIRN_WAVEFRONT_OCCUPIED)
			return SIDE_CLOSED;
		if (here == CAIRN_WAVEFRONT_UNKNOWN)
			return SIDE_UNSEEN;
		int wide = room_along(w, x, y, ux, uy, most) + room_along(w, x, y, -ux, -uy, most) + 1;
		if (wide >= length - 1.0 + WIDER_M / cell_m)
			return SIDE_OPENS;
	}
	return SIDE_CLOSED;
}

/* How far the wall goes on from (x, y) in direction (ux, uy), in cells. */
static int wall_along(
    const struct cairn_wavefront *w, double x, double y, double ux, double uy, double cell_m)
{
	int most = (int)(LONG_M / cell_m), aside = (int)(ASIDE_M / cell_m), n = 0;
	for (bool wall = true; wall && n < most; n += wall) {
		wall = false;
		for (int k = -aside; k <= aside && !wall; k++)
			wall = class_at(w, x + (n + 1) * ux - k * uy, y + (n + 1) * uy + k * ux) ==
			       CAIRN_WAVEFRONT_OCCUPIED;
	}
	return n;
}

/* A door is a hole in a wall: the wall goes on behind both jambs, or far behind one (a door in a corner). */
static bool in_a_wall(const struct cairn_wavefront *w, const struct chord *c, double cell_m)
{
	double ux = (double)c->ux, uy = (double)c->uy, half = 0.5 * (double)c->length;
	int one = wall_along(w, (double)c->x - half * ux, (double)c->y - half * uy, -ux, -uy, cell_m);
	int other = wall_along(w, (double)c->x + half * ux, (double)c->y + half * uy, ux, uy, cell_m);
	int least = one < other ? one : other, most = one < other ? other : one;
	return least >= (int)(BESIDE_M / cell_m) || most >= (int)(LONG_M / cell_m);
}

/* The chord from jamb (x1, y1) over a middle near (x, y), if there is one. */
static bool make_chord(
    const struct cairn_wavefront *w, int32_t x, int32_t y, int dx, int dy, double cell_m, struct chord *ret)
{
	int32_t x1 = x + dx, y1 = y + dy, x2 = 0, y2 = 0, best = INT32_MAX;
	for (int k = 0; k < 9; k++) {
		int32_t u = x - dx + k % 3 - 1, v = y - dy + k / 3 - 1;
		int32_t length2 = (u - x1) * (u - x1) + (v - y1) * (v - y1);
		if (class_at(w, u, v) != CAIRN_WAVEFRONT_OCCUPIED || length2 >= best)
			continue;
		best = length2;
		x2 = u;
		y2 = v;
	}
	if (best == INT32_MAX)
		return false;
	double length = sqrt(best), gap_m = (length - 1.0) * cell_m;
	if (gap_m < CAIRN_DOORWAY_MIN_M || gap_m > CAIRN_DOORWAY_MAX_M)
		return false;
	*ret = (struct chord){(float)(0.5 * (x1 + x2)), (float)(0.5 * (y1 + y2)), (float)((x2 - x1) / length),
	    (float)((y2 - y1) / length), (float)length, x, y};
	enum side front = look_out(w, ret, 1, cell_m);
	enum side back = front == SIDE_CLOSED ? SIDE_CLOSED : look_out(w, ret, -1, cell_m);
	bool opens =
	    front != SIDE_CLOSED && back != SIDE_CLOSED && (front == SIDE_OPENS || back == SIDE_OPENS);
	return opens && is_wall(w, x1, y1, cell_m) && is_wall(w, x2, y2, cell_m) && in_a_wall(w, ret, cell_m);
}

/* Chords whose middle was looked for in part are dropped. */
static void drop_chords(struct cairn_doorways *d, struct part part)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->chord_count; i++) {
		const struct chord *c = &d->chords[i];
		if (c->from_x < part.x0 || c->from_y < part.y0 || c->from_x >= part.x1 ||
		    c->from_y >= part.y1)
			d->chords[kept++] = *c;
	}
	d->chord_count = kept;
}

static void find_chords(
    struct cairn_doorways *d, const struct cairn_wavefront *w, double cell_m, struct part part)
{
	double least = 0.5 * CAIRN_DOORWAY_MIN_M / cell_m, most = 0.5 * CAIRN_DOORWAY_MAX_M / cell_m + 1.0;
	for (int32_t y = part.y0; y < part.y1; y++) {
		for (int32_t x = part.x0; x < part.x1; x++) {
			size_t i = (size_t)y * (size_t)w->width + (size_t)x;
			double distance = (double)d->distance[i];
			if (distance < least || distance > most || w->cell[i] != CAIRN_WAVEFRONT_FREE)
				continue;
			int length2 = (int)lrint(distance * distance);
			if (length2 > d->radius * d->radius)
				continue;
			for (int32_t k = d->first[length2]; k < d->first[length2 + 1]; k++) {
				int dx = d->offset[k][0], dy = d->offset[k][1];
				if (d->chord_count == CHORDS_MAX)
					return;
				if (class_at(w, x + dx, y + dy) == CAIRN_WAVEFRONT_OCCUPIED &&
				    make_chord(w, x, y, dx, dy, cell_m, &d->chords[d->chord_count]))
					d->chord_count++;
			}
		}
	}
}

/* Of an unchanged map the chords stay; of a changed one those that are near enough to a change to see it. */
static bool update_chords(struct cairn_doorways *d, const struct cairn_doorway_view *view)
{
	int32_t reach = (int32_t)ceil(REACH_M / view->cell_m);
	struct part changed = changed_since(d, view);
	if (changed.x1 <= changed.x0)
		return true;
	struct part judged = grown(changed, reach, view->wave);
	if (!measure(d, view->wave, grown(judged, reach, view->wave)))
		return false;
	drop_chords(d, judged);
	find_chords(d, view->wave, view->cell_m, judged);
	return note_seen(d, view);
}

static int by_length(const void *a, const void *b)
{
	const struct chord *p = a, *q = b;
	if (p->length != q->length)
		return p->length < q->length ? -1 : 1;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	if (p->ux != q->ux) /* so that the order is one, however they were found */
		return p->ux < q->ux ? -1 : 1;
	return p->uy < q->uy ? -1 : p->uy > q->uy;
}

static bool any_within(const struct cairn_wavefront *w, const struct cairn_msg_doorway *m, double x, double y,
    int sign, double cell_m, bool driven)
{
	double c = cos(m->yaw_rad) * sign, s = sin(m->yaw_rad) * sign;
	for (double t = SIDE_NEAR_M / cell_m; t <= SIDE_FAR_M / cell_m; t += 1.0) {
		int32_t u = (int32_t)floor(x + t * c + 0.5), v = (int32_t)floor(y + t * s + 0.5);
		if (u < 0 || v < 0 || u >= w->width || v >= w->height)
			continue;
		size_t i = (size_t)v * (size_t)w->width + (size_t)u;
		if (driven ? w->driven[i] != 0 : w->cell[i] == CAIRN_WAVEFRONT_FREE)
			return true;
	}
	return false;
}

/* The same doorway as before keeps its id and its front. */
static void recognise(struct cairn_doorway_memory *memory, struct cairn_msg_doorway *m)
{
	struct cairn_doorway_known *same = NULL;
	double nearest = SAME_M;
	for (uint32_t i = 0; i < memory->count; i++) {
		double off = hypot(memory->items[i].at.x_m - m->x_m, memory->items[i].at.y_m - m->y_m);
		if (off > nearest)
			continue;
		nearest = off;
		same = &memory->items[i];
	}
	if (same == NULL && memory->count < 2 * CAIRN_DOORWAYS_MAX) {
		same = &memory->items[memory->count++];
		*same = (struct cairn_doorway_known){.id = ++memory->next_id, .yaw_rad = m->yaw_rad};
	}
	m->id = same != NULL ? same->id : ++memory->next_id;
	if (same == NULL)
		return;
	if (fabs(cairn_wrap_rad(m->yaw_rad - same->yaw_rad)) > 0.5 * M_PI)
		m->yaw_rad = cairn_wrap_rad(m->yaw_rad + M_PI);
	same->at = (struct cairn_vec2){m->x_m, m->y_m};
	same->yaw_rad = m->yaw_rad;
}

/* One passage: the mean of those of its chords that are about as narrow as the first, which is the narrowest.
 */
static void describe(struct cairn_doorways *d, struct cairn_doorway_memory *memory,
    const struct cairn_doorway_view *view, struct cairn_pose2 pose, uint32_t first)
{
	const struct chord *narrowest = &d->chords[first];
	double x = 0.0, y = 0.0, double_c = 0.0, double_s = 0.0, n = 0.0;
	for (uint32_t i = first; i < d->chord_count && d->chords[i].length <= narrowest->length + 1.0F; i++) {
		const struct chord *c = &d->chords[i];
		if (hypot((double)(c->x - narrowest->x), (double)(c->y - narrowest->y)) * view->cell_m >
		    0.5 * APART_M)
			continue;
		x += (double)c->x;
		y += (double)c->y;
		double_c += (double)(c->ux * c->ux - c->uy * c->uy);
		double_s += (double)(2.0F * c->ux * c->uy);
		n += 1.0;
	}
	x /= n;
	y /= n;
	struct cairn_msg_doorway *m = &d->found[d->found_count++];
	*m = (struct cairn_msg_doorway){.x_m = (x + view->cx0 + 0.5) * view->cell_m,
	    .y_m = (y + view->cy0 + 0.5) * view->cell_m,
	    .width_m = ((double)narrowest->length - 1.0) * view->cell_m,
	    .yaw_rad = cairn_wrap_rad(0.5 * atan2(double_s, double_c) + 0.5 * M_PI)};
	recognise(memory, m);
	m->seen_front = any_within(view->wave, m, x, y, 1, view->cell_m, false);
	m->seen_back = any_within(view->wave, m, x, y, -1, view->cell_m, false);
	m->visited_front = any_within(view->wave, m, x, y, 1, view->cell_m, true);
	m->visited_back = any_within(view->wave, m, x, y, -1, view->cell_m, true);
	uint32_t way = cairn_wavefront_distance(view->wave, (int32_t)lrint(x), (int32_t)lrint(y));
	m->distance_m = way == CAIRN_WAVEFRONT_NEVER ? -1.0 : way * view->cell_m / CAIRN_WAVEFRONT_STEP;
	m->bearing_rad = cairn_wrap_rad(atan2(m->y_m - pose.y_m, m->x_m - pose.x_m) - pose.yaw_rad);
}

static int by_nearness(const void *a, const void *b)
{
	const struct cairn_msg_doorway *p = a, *q = b;
	if ((p->distance_m >= 0.0) != (q->distance_m >= 0.0))
		return p->distance_m >= 0.0 ? -1 : 1;
	if (p->distance_m != q->distance_m)
		return p->distance_m < q->distance_m ? -1 : 1;
	return p->id < q->id ? -1 : p->id > q->id;
}

int cairn_doorways_find(struct cairn_doorways *d, struct cairn_doorway_memory *memory,
    const struct cairn_doorway_view *view, struct cairn_pose2 pose, struct cairn_msg_doorway *ret,
    uint32_t max)
{
	int radius = (int)ceil(0.5 * CAIRN_DOORWAY_MAX_M / view->cell_m) + 1;
	if (!make_table(d, radius < 120 ? radius : 120) || !update_chords(d, view))
		return -1;
	qsort(d->chords, d->chord_count, sizeof(d->chords[0]), by_length);
	d->found_count = 0;
	for (uint32_t i = 0; i < d->chord_count && d->found_count < CAIRN_DOORWAYS_MAX; i++) {
		double x_m = ((double)d->chords[i].x + view->cx0 + 0.5) * view->cell_m;
		double y_m = ((double)d->chords[i].y + view->cy0 + 0.5) * view->cell_m;
		bool taken = false;
		for (uint32_t k = 0; k < d->found_count && !taken; k++)
			taken = hypot(d->found[k].x_m - x_m, d->found[k].y_m - y_m) <= APART_M;
		if (!taken)
			describe(d, memory, view, pose, i);
	}
	qsort(d->found, d->found_count, sizeof(d->found[0]), by_nearness);
	uint32_t n = d->found_count < max ? d->found_count : max;
	memcpy(ret, d->found, n * sizeof(*ret));
	return (int)d->found_count;
}
