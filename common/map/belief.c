#include "common/map/belief.h"

#include <math.h>
#include <string.h>

#define MARGIN_M 2.0

double cairn_odds_confidence(int8_t odds)
{
	if (odds == CAIRN_ODDS_UNKNOWN)
		return 0.5;
	double p = 1.0 / (1.0 + exp(-odds / CAIRN_ODDS_PER_NAT));
	return fmax(p, 1.0 - p);
}

static bool sound(const struct cairn_msg_cell_claim *claim)
{
	bool state = (unsigned)claim->state < CAIRN_CELL_STATE_COUNT;
	return state && fabs(claim->x_m) < 1e5 && fabs(claim->y_m) < 1e5 && claim->confidence >= 0.0 &&
	       claim->confidence <= 1.0;
}

static bool near_known(const struct cairn_grid *grid, int32_t cx, int32_t cy)
{
	int32_t margin = (int32_t)(MARGIN_M / grid->cell_m);
	return !cairn_cell_box_empty(grid->known) && cx >= grid->known.min_cx - margin &&
	       cx <= grid->known.max_cx + margin && cy >= grid->known.min_cy - margin &&
	       cy <= grid->known.max_cy + margin;
}

static bool visited(const struct cairn_grid *grid, int32_t cx, int32_t cy)
{
	return cairn_grid_has(grid, cx, cy) && grid->visits[cairn_grid_index(grid, cx, cy)] != 0;
}

static struct cairn_belief_cell *find(struct cairn_belief *belief, int32_t cx, int32_t cy)
{
	for (uint32_t i = 0; i < belief->count; i++)
		if (belief->cells[i].cx == cx && belief->cells[i].cy == cy)
			return &belief->cells[i];
	return NULL;
}

const struct cairn_belief_cell *cairn_belief_at(const struct cairn_belief *belief, int32_t cx, int32_t cy)
{
	for (uint32_t i = 0; i < belief->count; i++)
		if (belief->cells[i].cx == cx && belief->cells[i].cy == cy)
			return &belief->cells[i];
	return NULL;
}

/* Takes back what was claimed of a cell. */
static void withdraw(struct cairn_belief *belief, struct cairn_belief_cell *cell)
{
	if (cell == NULL)
		return;
	uint32_t at = (uint32_t)(cell - belief->cells);
	memmove(cell, cell + 1, (belief->count - at - 1) * sizeof(*cell));
	belief->count--;
}

static enum cairn_claim_verdict judge(struct cairn_belief *belief, const struct cairn_grid *grid,
    const struct cairn_config_map *cfg, const struct cairn_msg_cell_claim *claim)
{
	if (!sound(claim))
		return CAIRN_CLAIM_VERDICT_MALFORMED;
	if (claim->confidence < cfg->claim_confidence_min)
		return CAIRN_CLAIM_VERDICT_CONFIDENCE;
	int32_t cx = cairn_grid_cell(grid, claim->x_m), cy = cairn_grid_cell(grid, claim->y_m);
	if (claim->state == CAIRN_CELL_STATE_NONE) {
		withdraw(belief, find(belief, cx, cy));
		return CAIRN_CLAIM_VERDICT_TAKEN;
	}
	if (!near_known(grid, cx, cy))
		return CAIRN_CLAIM_VERDICT_OUTSIDE;
	if (visited(grid, cx, cy))
		return CAIRN_CLAIM_VERDICT_VISITED;
	if (cairn_odds_confidence(cairn_grid_odds(grid, cx, cy)) > cfg->claim_sensor_max)
		return CAIRN_CLAIM_VERDICT_SENSORS;
	struct cairn_belief_cell *cell = find(belief, cx, cy);
	if (cell == NULL && belief->count == CAIRN_BELIEF_MAX)
		return CAIRN_CLAIM_VERDICT_FULL;
	cell = cell != NULL ? cell : &belief->cells[belief->count++];
	*cell = (struct cairn_belief_cell){
	    cx, cy, claim->state, (float)fmin(claim->confidence, cfg->claim_confidence_max)};
	return CAIRN_CLAIM_VERDICT_TAKEN;
}

enum cairn_claim_verdict cairn_belief_claim(struct cairn_belief *belief, const struct cairn_grid *grid,
    const struct cairn_config_map *cfg, const struct cairn_msg_cell_claim *claim)
{
	enum cairn_claim_verdict verdict = judge(belief, grid, cfg, claim);
	belief->verdicts[verdict]++;
	return verdict;
}

int cairn_belief_update(struct cairn_belief *belief, const struct cairn_grid *grid,
    const struct cairn_config_map *cfg, const struct cairn_msg_world_update *update, uint64_t epoch)
{
	if (epoch == belief->epoch && update->id <= belief->last_id)
		return -1;
	belief->epoch = epoch;
	belief->last_id = update->id;
	int taken = 0;
	for (uint32_t i = 0; i < update->items_count; i++)
		taken +=
		    cairn_belief_claim(belief, grid, cfg, &update->items[i]) == CAIRN_CLAIM_VERDICT_TAKEN;
	return taken;
}

void cairn_belief_refresh(
    struct cairn_belief *belief, const struct cairn_grid *grid, const struct cairn_config_map *cfg)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < belief->count; i++) {
		const struct cairn_belief_cell cell = belief->cells[i];
		int8_t odds = cairn_grid_odds(grid, cell.cx, cell.cy);
		bool been = visited(grid, cell.cx, cell.cy);
		if (!been && cairn_odds_confidence(odds) <= cfg->claim_sensor_max) {
			belief->cells[kept++] = cell;
			continue;
		}
		bool solid = !been && odds > 0;
		belief->right += solid == (cell.state == CAIRN_CELL_STATE_OCCUPIED);
		belief->wrong += solid != (cell.state == CAIRN_CELL_STATE_OCCUPIED);
	}
	belief->count = kept;
}

#define GAIN_KEPT 0.5 /* whatever is claimed */

double cairn_belief_gain_m2(
    const struct cairn_belief *belief, double cell_m, double x_m, double y_m, double radius_m, double gain_m2)
{
	uint32_t count = 0;
	for (uint32_t i = 0; belief != NULL && i < belief->count; i++) {
		const struct cairn_belief_cell *c = &belief->cells[i];
		count += c->state == CAIRN_CELL_STATE_OCCUPIED &&
			 hypot((c->cx + 0.5) * cell_m - x_m, (c->cy + 0.5) * cell_m - y_m) <= radius_m;
	}
	return fmax(gain_m2 - count * cell_m * cell_m, GAIN_KEPT * gain_m2);
}
