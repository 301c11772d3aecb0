/* map_features.c - what the mapper tells of its map beside the cells. */
#include "common/slam/mapper_private.h"

#include <math.h>
#include <string.h>

#define GAIN_M 1.5 /* what is seen of a room from its door, at least */

bool cairn_mapper_features_init(struct cairn_mapper *m)
{
	m->features.doorways = cairn_doorways_new();
	cairn_visits_init(&m->features.visits, m->cfg.map.visit_cell_m);
	cairn_predictions_init(&m->features.predictions);
	return m->features.doorways != NULL;
}

void cairn_mapper_features_free(struct cairn_mapper *m)
{
	cairn_doorways_destroy(&m->features.doorways);
	cairn_visits_free(&m->features.visits);
	cairn_predictions_free(&m->features.predictions);
}

/* The map as the frontier finder has it; false before it has looked. */
static bool view_of(const struct cairn_mapper *m, struct cairn_doorway_view *ret)
{
	ret->wave = cairn_frontier_reach(m->finder, &ret->cx0, &ret->cy0);
	ret->cell_m = m->grid.cell_m;
	return ret->wave != NULL && ret->wave->width > 0;
}

void cairn_mapper_fill_gains(const struct cairn_mapper *m, struct cairn_msg_frontiers *frontiers)
{
	struct cairn_doorway_view view;
	if (!view_of(m, &view))
		return;
	const struct cairn_predictions *guesses = m->cfg.map.predict ? &m->features.predictions : NULL;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		struct cairn_msg_frontier *f = &frontiers->items[i];
		f->gain_m2 = cairn_belief_gain_m2(&m->features.belief, view.cell_m, f->x_m, f->y_m, GAIN_M,
		    cairn_expected_gain_m2(guesses, &view, f->x_m, f->y_m, GAIN_M));
	}
}

static void tell_areas(const struct cairn_grid *grid, const struct cairn_msg_frontiers *frontiers,
    struct cairn_msg_features *ret)
{
	double cell_m2 = grid->cell_m * grid->cell_m;
	ret->free_cells = grid->free_cells;
	ret->occupied_cells = grid->occupied_cells;
	for (int32_t cy = grid->known.min_cy; cy <= grid->known.max_cy; cy++) {
		const int8_t *odds = grid->odds + cairn_grid_index(grid, grid->known.min_cx, cy);
		for (int32_t i = 0; i <= grid->known.max_cx - grid->known.min_cx; i++)
			ret->unknown_cells += odds[i] == CAIRN_ODDS_UNKNOWN;
	}
	ret->free_m2 = ret->free_cells * cell_m2;
	ret->occupied_m2 = ret->occupied_cells * cell_m2;
	ret->unknown_m2 = ret->unknown_cells * cell_m2;
	ret->coverage = frontiers->coverage;
}

static void tell_beliefs(const struct cairn_mapper_features *f, struct cairn_msg_features *ret)
{
	ret->claims_count = CAIRN_CLAIM_VERDICTS;
	for (int i = 0; i < CAIRN_CLAIM_VERDICTS; i++)
		ret->claims[i] = f->belief.verdicts[i];
	ret->claims_held = f->belief.count;
	ret->claims_right = f->belief.right;
	ret->claims_wrong = f->belief.wrong;
	ret->predicted_count = ret->predicted_right_count = ret->predicted_wrong_count = CAIRN_PREDICTIONS;
	for (int i = 0; i < CAIRN_PREDICTIONS; i++) {
		ret->predicted[i] = f->predictions.by_kind[i];
		ret->predicted_right[i] = f->predictions.right[i];
		ret->predicted_wrong[i] = f->predictions.wrong[i];
	}
}

bool cairn_mapper_features(
    struct cairn_mapper *m, const struct cairn_msg_frontiers *frontiers, struct cairn_msg_features *ret)
{
	struct cairn_mapper_features *f = &m->features;
	struct cairn_doorway_view view;
	struct cairn_msg_pose pose;
	*ret = (struct cairn_msg_features){0};
	if (cairn_cell_box_empty(m->grid.known) || !view_of(m, &view))
		return true;
	cairn_mapper_pose(m, &pose);
	int doorways = cairn_doorways_find(f->doorways, &f->memory, &view,
	    (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad}, ret->doorways,
	    sizeof(ret->doorways) / sizeof(ret->doorways[0]));
	if (doorways < 0 || !cairn_visits_follow(&f->visits, m->driven, m->driven_count, m->map_epoch) ||
	    (m->cfg.map.predict && !cairn_predictions_update(&f->predictions, &view, frontiers)))
		return false;
	cairn_belief_refresh(&f->belief, &m->grid, &m->cfg.map);
	const uint32_t most = sizeof(ret->doorways) / sizeof(ret->doorways[0]);
	ret->doorways_total = (uint32_t)doorways;
	ret->doorways_count = ret->doorways_total < most ? ret->doorways_total : most;
	tell_areas(&m->grid, frontiers, ret);
	ret->visited_places = f->visits.places;
	ret->visits = f->visits.total;
	tell_beliefs(f, ret);
	return true;
}

static const struct cairn_keyframe *nearest_key(const struct cairn_mapper *m, double x_m, double y_m)
{
	const struct cairn_keyframe *nearest = NULL;
	double least_m2 = INFINITY;
	for (uint32_t i = 0; i < m->keyframe_count; i++) {
		const struct cairn_keyframe *k = &m->keyframes[i];
		double dx = k->pose.x_m - x_m, dy = k->pose.y_m - y_m;
		if (!k->detached && dx * dx + dy * dy < least_m2) {
			least_m2 = dx * dx + dy * dy;
			nearest = k;
		}
	}
	return nearest;
}

void cairn_mapper_features_move(struct cairn_mapper *m)
{
	struct cairn_belief *b = &m->features.belief;
	struct cairn_predictions *p = &m->features.predictions;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		struct cairn_belief_cell cell = b->cells[i];
		struct cairn_pose2 at = {
		    (cell.cx + 0.5) * m->grid.cell_m, (cell.cy + 0.5) * m->grid.cell_m, 0.0};
		const struct cairn_keyframe *k = nearest_key(m, at.x_m, at.y_m);
		bool taken = false;
		if (k != NULL)
			at = cairn_pose_compose(k->next, cairn_pose_between(k->pose, at));
		cell.cx = cairn_grid_cell(&m->grid, at.x_m);
		cell.cy = cairn_grid_cell(&m->grid, at.y_m);
		for (uint32_t j = 0; j < kept && !taken; j++)
			taken = b->cells[j].cx == cell.cx && b->cells[j].cy == cell.cy;
		if (!taken)
			b->cells[kept++] = cell;
	}
	b->count = kept;
	p->count = 0;
	memset(p->by_kind, 0, sizeof(p->by_kind));
}

int cairn_mapper_claims(struct cairn_mapper *m, const struct cairn_msg_world_update *update, uint64_t epoch)
{
	int taken = cairn_belief_update(&m->features.belief, &m->grid, &m->cfg.map, update, epoch);
	m->changes += taken >= 0;
	return taken;
}

void cairn_mapper_claims_held(struct cairn_mapper *m, struct cairn_msg_claims *ret)
{
	const uint32_t most = sizeof(ret->items) / sizeof(ret->items[0]);
	struct cairn_belief *b = &m->features.belief;
	cairn_belief_refresh(b, &m->grid, &m->cfg.map);
	ret->items_count = b->count < most ? b->count : most;
	for (uint32_t i = 0; i < ret->items_count; i++) {
		const struct cairn_belief_cell *c = &b->cells[b->count - ret->items_count + i];
		ret->items[i] = (struct cairn_msg_cell_claim){.x_m = (c->cx + 0.5) * m->grid.cell_m,
		    .y_m = (c->cy + 0.5) * m->grid.cell_m,
		    .state = c->state,
		    .confidence = (double)c->confidence};
	}
}

const struct cairn_belief *cairn_mapper_belief(const struct cairn_mapper *m)
{
	return &m->features.belief;
}
