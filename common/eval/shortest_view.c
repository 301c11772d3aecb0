#include "common/eval/shortest_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/lattice.h"
#include "common/sim/detector/detect.h"

#define LOOK_EVERY 3 /* cells: where the camera is tried */
#define SEEN_FROM_M 6.0
#define SHOWN_MAX 512

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

static double search(const struct cairn_config *cfg, const struct cairn_world *w,
    const struct cairn_lattice *l, uint32_t *order, struct cairn_sim_detector *d, const char *label)
{
	uint32_t n = 0;
	for (uint32_t c = 0; c < cairn_lattice_cells(l); c++)
		if (isfinite(l->way_m[c]) && (c % (uint32_t)l->nx) % LOOK_EVERY == 0 &&
		    (c / (uint32_t)l->nx) % LOOK_EVERY == 0)
			order[n++] = c; /* where the camera is tried, nearest first */
	sorted_by = l->way_m;
	qsort(order, n, sizeof(order[0]), nearer);
	for (uint32_t i = 0; i < n; i++)
		if (shows_one(cfg, w, d, label, cairn_lattice_at(l, order[i])))
			return (double)l->way_m[order[i]];
	return -1.0;
}

bool cairn_shortest_view(const struct cairn_config *cfg, const struct cairn_world *w,
    struct cairn_pose2 start, const char *label, double *ret_m)
{
	struct cairn_lattice l;
	struct cairn_vec2 from = {start.x_m, start.y_m};
	struct cairn_sim_detector *d = cairn_sim_detector_new(cfg, w, 1);
	bool ok = cairn_lattice_init(&l, cfg, w, start) && d != NULL;
	uint32_t cell = cairn_lattice_cell(&l, from);
	uint32_t *order = ok ? malloc(cairn_lattice_cells(&l) * sizeof(*order)) : NULL;
	ok = order != NULL && cell != UINT32_MAX;
	if (ok) {
		cairn_lattice_seed(&l, cell, 0.0f);
		cairn_lattice_spread(&l);
		*ret_m = shows_one(cfg, w, d, label, from) ? 0.0 : search(cfg, w, &l, order, d, label);
	}
	free(order);
	cairn_lattice_free(&l);
	cairn_sim_detector_destroy(&d);
	return ok;
}
