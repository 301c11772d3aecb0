#include "common/map/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BORDER 0.2 /* of a square's edge */

void cairn_visits_init(struct cairn_visits *visits, double cell_m)
{
	*visits = (struct cairn_visits){.cell_m = cell_m};
}

void cairn_visits_free(struct cairn_visits *visits)
{
	free(visits->table);
	*visits = (struct cairn_visits){0};
}

/* The square's slot, or the empty one where it belongs; capacity must not be 0. */
static struct cairn_visit *slot(struct cairn_visit *table, uint32_t capacity, int32_t x, int32_t y)
{
	uint32_t at = ((uint32_t)x * 0x9E3779B1U) ^ ((uint32_t)y * 0x85EBCA77U);
	at ^= at >> 15;
	for (;; at++) {
		struct cairn_visit *v = &table[at & (capacity - 1)];
		if (v->count == 0 || (v->x == x && v->y == y))
			return v;
	}
}

static bool make_room(struct cairn_visits *visits)
{
	if (2 * (visits->places + 1) <= visits->capacity)
		return true;
	uint32_t capacity = visits->capacity > 0 ? 2 * visits->capacity : 1024;
	struct cairn_visit *table = calloc(capacity, sizeof(*table));
	if (table == NULL)
		return false;
	for (uint32_t i = 0; i < visits->capacity; i++)
		if (visits->table[i].count > 0)
			*slot(table, capacity, visits->table[i].x, visits->table[i].y) = visits->table[i];
	free(visits->table);
	visits->table = table;
	visits->capacity = capacity;
	return true;
}

static bool enter(struct cairn_visits *visits, int32_t x, int32_t y)
{
	if (!make_room(visits))
		return false;
	struct cairn_visit *v = slot(visits->table, visits->capacity, x, y);
	visits->places += v->count == 0;
	*v = (struct cairn_visit){x, y, v->count + 1};
	visits->total++;
	visits->inside = true;
	visits->at_x = x;
	visits->at_y = y;
	return true;
}

static bool still_inside(const struct cairn_visits *visits, double u, double v)
{
	return visits->inside && u > visits->at_x - BORDER && u < visits->at_x + 1 + BORDER &&
	       v > visits->at_y - BORDER && v < visits->at_y + 1 + BORDER;
}

bool cairn_visits_follow(struct cairn_visits *visits, const float *path, uint32_t points, uint32_t epoch)
{
	if (epoch != visits->epoch || points < visits->followed) {
		if (visits->capacity > 0)
			memset(visits->table, 0, visits->capacity * sizeof(*visits->table));
		visits->places = visits->total = visits->followed = 0;
		visits->inside = false;
		visits->epoch = epoch;
	}
	bool ok = true;
	for (; visits->followed < points; visits->followed++) {
		double u = (double)path[2 * visits->followed] / visits->cell_m;
		double v = (double)path[2 * visits->followed + 1] / visits->cell_m;
		if (!(fabs(u) < 1e9 && fabs(v) < 1e9) || still_inside(visits, u, v))
			continue;
		ok = enter(visits, (int32_t)floor(u), (int32_t)floor(v)) && ok;
	}
	return ok;
}

void cairn_visits_forget(struct cairn_visits *visits, uint32_t points)
{
	visits->followed -= points < visits->followed ? points : visits->followed;
}

uint32_t cairn_visits_at(const struct cairn_visits *visits, double x_m, double y_m)
{
	double u = x_m / visits->cell_m, v = y_m / visits->cell_m;
	if (visits->capacity == 0 || !(fabs(u) < 1e9 && fabs(v) < 1e9))
		return 0;
	return slot(visits->table, visits->capacity, (int32_t)floor(u), (int32_t)floor(v))->count;
}
