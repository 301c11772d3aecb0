#include "common/eval/visible_things.h"

#include <math.h>
#include <string.h>

#include "common/sim/detector/detect.h"
#include "common/sim/robot/truth.h"

#define EVERY_M 0.3
#define HEADINGS 8
#define AROUND 16
#define SHOWN_MAX 512

/* The floor that is told as reachable is what the body covers: its middle stands half a width from the edge. */
static bool stands(const struct cairn_truth *floor, double half_width_m, double x, double y)
{
	if (!cairn_truth_reachable_at(floor, x, y))
		return false;
	for (int i = 0; i < AROUND; i++) {
		double a = 2.0 * M_PI * i / AROUND;
		if (!cairn_truth_reachable_at(floor, x + half_width_m * cos(a), y + half_width_m * sin(a)))
			return false;
	}
	return true;
}

bool cairn_visible_things(
    const struct cairn_config *cfg, const struct cairn_world *w, struct cairn_pose2 start, bool *ret)
{
	const struct cairn_config_robot *c = &cfg->robot;
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	struct cairn_truth *floor = cairn_truth_new(w, &body, c->height_m, start);
	struct cairn_sim_detector *d = cairn_sim_detector_new(cfg, w, 1);
	static struct cairn_detected_list list;
	uint32_t things[SHOWN_MAX];
	bool ok = floor != NULL && d != NULL;
	memset(ret, 0, w->thing_count * sizeof(*ret));
	for (double y = w->y_min_m; ok && y < w->y_max_m; y += EVERY_M)
		for (double x = w->x_min_m; x < w->x_max_m; x += EVERY_M)
			for (int k = 0; k < HEADINGS && stands(floor, c->footprint_half_width_m, x, y); k++) {
				struct cairn_pose2 pose = {x, y, 2.0 * M_PI * k / HEADINGS};
				cairn_sim_detector_look(d, pose, NULL, 0, &list);
				uint32_t n = cairn_sim_detector_shown(
				    d, cfg->detect.sim_visible_min, things, SHOWN_MAX);
				for (uint32_t i = 0; i < n; i++)
					ret[things[i]] = true;
			}
	cairn_truth_destroy(&floor);
	cairn_sim_detector_destroy(&d);
	return ok;
}
