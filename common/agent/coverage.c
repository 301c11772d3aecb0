#include "common/agent/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "common/agent/coverage_private.h"

#define RAYS 48

struct cairn_coverage *cairn_coverage_new(void)
{
	return calloc(1, sizeof(struct cairn_coverage));
}

void cairn_coverage_free(struct cairn_coverage **coverage_p)
{
	free(*coverage_p);
	*coverage_p = NULL;
}

void cairn_coverage_map(struct cairn_coverage *c, uint64_t map_id)
{
	if (c->map_id == map_id)
		return;
	memset(c, 0, sizeof(*c));
	c->map_id = map_id;
}

/* ---- what was seen ---- */

static void mark(struct cairn_coverage *c, int32_t at, uint8_t number)
{
	if ((c->flags[at] & COVERAGE_ONCE) != 0 && c->by[at] != number)
		c->flags[at] |= COVERAGE_SEEN;
	c->flags[at] |= COVERAGE_ONCE;
	c->by[at] = number;
}

static void cast(struct cairn_coverage *c, const struct coverage_view *v)
{
	for (int i = 0; i < RAYS; i++) {
		double a = v->yaw_rad + v->hfov_rad * ((i + 0.5) / RAYS - 0.5);
		for (double d = 0.0; d <= COVERAGE_SEEN_MAX_M; d += COVERAGE_STEP_M) {
			int32_t at = coverage_cell(v->x_m + d * cos(a), v->y_m + d * sin(a));
			if (at < 0 || (c->flags[at] & (COVERAGE_FREE | COVERAGE_SOLID)) == 0)
				break;
			mark(c, at, v->number);
			if (c->flags[at] & COVERAGE_SOLID)
				break;
		}
	}
}

void cairn_coverage_on_picture(struct cairn_coverage *c, const struct cairn_msg_detections *seen)
{
	struct coverage_view v = {
	    seen->x_m, seen->y_m, seen->yaw_rad, seen->hfov_rad, (uint8_t)c->view_count};
	if (!isfinite(v.x_m) || !isfinite(v.y_m) || !isfinite(v.yaw_rad) || !(v.hfov_rad > 0.0) ||
	    v.hfov_rad > 2.0 * M_PI || seen->map_id != c->map_id)
		return;
	c->hfov_rad = v.hfov_rad;
	c->views[c->view_count++ % COVERAGE_VIEWS] = v;
	cast(c, &v);
}

/* A cell is solid where any of the map's cells in it is, and free where half of it is known to be. */
void cairn_coverage_on_grid(struct cairn_coverage *c, const struct cairn_scene_grid *g)
{
	uint16_t *free_in = c->way;
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE; i++) {
		c->flags[i] &= (uint8_t) ~(COVERAGE_FREE | COVERAGE_SOLID);
		free_in[i] = 0;
	}
	double per = COVERAGE_CELL_M / g->cell_m;
	for (uint32_t y = 0; y < g->height; y++)
		for (uint32_t x = 0; x < g->width; x++) {
			uint8_t is = g->cells[(size_t)y * g->width + x];
			int32_t at = is > 100 ? -1
					      : coverage_cell(g->origin_x_m + (x + 0.5) * g->cell_m,
						    g->origin_y_m + (y + 0.5) * g->cell_m);
			if (at < 0)
				continue;
			free_in[at] += is < 50;
			c->flags[at] |= is < 50 ? 0 : COVERAGE_SOLID;
		}
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE; i++)
		if (!(c->flags[i] & COVERAGE_SOLID) && free_in[i] >= 0.5 * per * per)
			c->flags[i] |= COVERAGE_FREE;
	for (uint32_t i = 0; i < c->view_count && i < COVERAGE_VIEWS; i++)
		cast(c, &c->views[i]);
}

bool cairn_coverage_is_seen(const struct cairn_coverage *c, double x_m, double y_m)
{
	int32_t at = coverage_cell(x_m, y_m);
	return at >= 0 && (c->flags[at] & COVERAGE_SEEN) != 0;
}
