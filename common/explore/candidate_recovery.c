#include "common/explore/candidates.h"

#define LATTICE_M 0.25
#define NEAREST_M 0.6

/* Everything that qualifies, in rows. */
static uint32_t gather(struct cairn_candidates *c, const struct cairn_candidates_inputs *in)
{
	const struct cairn_ground *g = &in->ground;
	double cell_m = g->grid->cell_m, range_m = c->cfg.recovery_range_m;
	int32_t step = (int32_t)fmax(1.0, round(LATTICE_M / cell_m));
	/* Whole multiples of the step in map cells: the same places wherever the robot is. */
	int32_t mx = (int32_t)floor(in->pose.x_m / (step * cell_m)),
		my = (int32_t)floor(in->pose.y_m / (step * cell_m));
	int32_t range = (int32_t)ceil(range_m / (step * cell_m));
	uint32_t count = 0;
	for (int32_t y = my - range; y <= my + range; y++) {
		for (int32_t x = mx - range; x <= mx + range && count < CAIRN_CANDIDATES_LATTICE; x++) {
			struct cairn_candidates_spot s = {
			    .x_m = (x * step + 0.5) * cell_m, .y_m = (y * step + 0.5) * cell_m};
			double dx = s.x_m - in->pose.x_m, dy = s.y_m - in->pose.y_m;
			if (cairn_compare_distance(dx, dy, NEAREST_M) < 0 ||
			    cairn_compare_distance(dx, dy, range_m) > 0)
				continue;
			s.path_m = cairn_ground_way_m(g, s.x_m, s.y_m);
			if (s.path_m < 0.0)
				continue;
			if (!cairn_ground_clearance_over(
				g, c->half_width_m, s.x_m, s.y_m, c->cfg.recovery_room_m, &s.clearance_m))
				continue;
			double visited = cairn_ground_visited_share(g, s.x_m, s.y_m);
			s.worth = cairn_score_clearance(&c->cfg, s.clearance_m) + 1.0 -
				  fmin(1.0, visited / CAIRN_SCORE_SHARE);
			c->spots[count++] = s;
		}
	}
	return count;
}

static bool apart(const struct cairn_candidates *c, const struct cairn_candidates_spot *s,
    const struct cairn_msg_candidate *others, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (cairn_compare_distance(others[i].x_m - s->x_m, others[i].y_m - s->y_m, c->cfg.apart_m) <
		    0)
			return false;
	}
	return true;
}

uint32_t cairn_candidates_recovery(struct cairn_candidates *c, const struct cairn_candidates_inputs *in,
    struct cairn_msg_candidate ret[CAIRN_CANDIDATES_RECOVERY_MAX])
{
	uint32_t spots = gather(c, in), count = 0;
	while (count < CAIRN_CANDIDATES_RECOVERY_MAX) {
		const struct cairn_candidates_spot *best = NULL;
		for (uint32_t i = 0; i < spots; i++) {
			const struct cairn_candidates_spot *s = &c->spots[i];
			bool better = best == NULL || s->worth > best->worth ||
				      (s->worth == best->worth && s->path_m < best->path_m);
			best = better && apart(c, s, ret, count) ? s : best;
		}
		if (best == NULL)
			break;
		ret[count++] = (struct cairn_msg_candidate){.kind = CAIRN_CANDIDATE_KIND_RECOVERY,
		    .x_m = best->x_m,
		    .y_m = best->y_m,
		    .path_m = best->path_m,
		    .clearance_m = best->clearance_m};
	}
	return count;
}
