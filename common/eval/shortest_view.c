#include "common/eval/shortest_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sim/detector/detect.h"
#include "common/sim/robot/truth.h"

#define CELL_M 0.1
#define LOOK_EVERY 3 /* cells: where the camera is tried */
#define SEEN_FROM_M 6.0
#define SHOWN_MAX 512

struct lattice {
	int nx, ny;
	double x0_m, y0_m;
	float *way_m;   /* from the start; INFINITY: not reached */
	uint32_t *open; /* ring of cells whose neighbours are to be looked at */
	uint8_t *queued;
	uint32_t *order; /* cells where the camera is tried, nearest first */
};

static struct cairn_vec2 at(const struct lattice *l, uint32_t cell)
{
	return (struct cairn_vec2){l->x0_m + CELL_M * (cell % (uint32_t)l->nx + 0.5),
	    l->y0_m + CELL_M * (cell / (uint32_t)l->nx + 0.5)};
}

static void spread(struct lattice *l, const struct cairn_truth *floor, uint32_t from)
{
	uint32_t cells = (uint32_t)(l->nx * l->ny), head = 0, tail = 0;
	l->way_m[from] = 0.0f;
	l->open[tail++ % cells] = from;
	while (head != tail) {
		uint32_t c = l->open[head++ % cells];
		int x = (int)(c % (uint32_t)l->nx), y = (int)(c / (uint32_t)l->nx);
		l->queued[c] = 0;
		for (int k = 0; k < 9; k++) {
			int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
			if (k == 4 || nx < 0 || ny < 0 || nx >= l->nx || ny >= l->ny)
				continue;
			uint32_t n = (uint32_t)(ny * l->nx + nx);
			float m = l->way_m[c] + (float)(CELL_M * (k % 2 == 0 ? M_SQRT2 : 1.0));
			struct cairn_vec2 p = at(l, n);
			if (m >= l->way_m[n] - 1e-4f || !cairn_truth_reachable_at(floor, p.x_m, p.y_m))
				continue;
			l->way_m[n] = m;
			if (!l->queued[n])
				l->open[tail++ % cells] = n;
			l->queued[n] = 1;
		}
	}
}

static const float *sorted_by;

static int nearer(const void *a, const void *b)
{
	float x = sorted_by[*(const uint32_t *)a], y = sorted_by[*(const uint32_t *)b];
	return x < y ? -1 : x > y;
}

/* Does the thing show from there? */
static bool shows(struct cairn_sim_detector *d, double visible_min, uint32_t thing, struct cairn_pose2 pose)
{
	static struct cairn_detected_list list;
	uint32_t things[SHOWN_MAX];
	cairn_sim_detector_look(d, pose, NULL, 0, &list);
	uint32_t n = cairn_sim_detector_shown(d, visible_min, things, SHOWN_MAX);
	for (uint32_t i = 0; i < n; i++)
		if (things[i] == thing)
			return true;
	return false;
}

static bool shows_one(const struct cairn_config *cfg, const struct cairn_world *w,
    struct cairn_sim_detector *d, const char *label, struct cairn_vec2 p)
{
	char is[40];
	double min[3], max[3];
	for (uint32_t i = 0; i < w->thing_count; i++) {
		if (!cairn_sim_thing_label(&w->things[i], is) || strcmp(is, label) != 0 ||
		    !cairn_world_extent(w, i, min, max))
			continue;
		double dx = 0.5 * (min[0] + max[0]) - p.x_m, dy = 0.5 * (min[1] + max[1]) - p.y_m;
		if (hypot(dx, dy) < SEEN_FROM_M && shows(d, cfg->detect.sim_visible_min, i,
						       (struct cairn_pose2){p.x_m, p.y_m, atan2(dy, dx)}))
			return true;
	}
	return false;
}

static bool lattice_new(struct lattice *l, const struct cairn_world *w)
{
	*l = (struct lattice){.nx = (int)ceil((w->x_max_m - w->x_min_m) / CELL_M) + 1,
	    .ny = (int)ceil((w->y_max_m - w->y_min_m) / CELL_M) + 1,
	    .x0_m = w->x_min_m,
	    .y0_m = w->y_min_m};
	size_t cells = (size_t)l->nx * (size_t)l->ny;
	l->way_m = malloc(cells * sizeof(*l->way_m));
	l->open = malloc(cells * sizeof(*l->open));
	l->queued = calloc(cells, 1);
	l->order = malloc(cells * sizeof(*l->order));
	for (size_t i = 0; l->way_m != NULL && i < cells; i++)
		l->way_m[i] = INFINITY;
	return l->way_m != NULL && l->open != NULL && l->queued != NULL && l->order != NULL;
}

static double search(const struct cairn_config *cfg, const struct cairn_world *w, struct lattice *l,
    struct cairn_sim_detector *d, const char *label)
{
	uint32_t n = 0;
	for (uint32_t c = 0; c < (uint32_t)(l->nx * l->ny); c++)
		if (isfinite(l->way_m[c]) && (c % (uint32_t)l->nx) % LOOK_EVERY == 0 &&
		    (c / (uint32_t)l->nx) % LOOK_EVERY == 0)
			l->order[n++] = c;
	sorted_by = l->way_m;
	qsort(l->order, n, sizeof(l->order[0]), nearer);
	for (uint32_t i = 0; i < n; i++)
		if (shows_one(cfg, w, d, label, at(l, l->order[i])))
			return (double)l->way_m[l->order[i]];
	return -1.0;
}

bool cairn_shortest_view(const struct cairn_config *cfg, const struct cairn_world *w,
    struct cairn_pose2 start, const char *label, double *ret_m)
{
	const struct cairn_config_robot *c = &cfg->robot;
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	struct lattice l;
	struct cairn_truth *floor = cairn_truth_new(w, &body, c->height_m, start);
	struct cairn_sim_detector *d = cairn_sim_detector_new(cfg, w, 1);
	bool ok = lattice_new(&l, w) && floor != NULL && d != NULL;
	int x = (int)((start.x_m - l.x0_m) / CELL_M), y = (int)((start.y_m - l.y0_m) / CELL_M);
	ok = ok && x >= 0 && y >= 0 && x < l.nx && y < l.ny;
	if (ok) {
		spread(&l, floor, (uint32_t)(y * l.nx + x));
		*ret_m = shows_one(cfg, w, d, label, (struct cairn_vec2){start.x_m, start.y_m})
			     ? 0.0
			     : search(cfg, w, &l, d, label);
	}
	free(l.way_m);
	free(l.open);
	free(l.queued);
	free(l.order);
	cairn_truth_destroy(&floor);
	cairn_sim_detector_destroy(&d);
	return ok;
}
