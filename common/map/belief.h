/* belief.h - what somebody without sensors says of the map, held beside it.
 *
 * The model may claim that a place is free or occupied. A claim passes a chain of guards, in this order, and
 * the first that objects is counted as its reason (enum claim_verdict):
 *
 *   malformed   not finite, no such state, or a confidence outside 0 to 1
 *   confidence  below map.claim_confidence_min (0.6)
 *   outside     farther than 2 m from the known map
 *   visited     the robot itself has stood on the cell: it knows better
 *   sensors     the sensors are surer of the cell than map.claim_sensor_max (0.7)
 *   full        the layer holds as many cells as it can
 *
 * The state "none" takes back what was claimed of the place, whoever is sure of what.
 *
 * What passes is held with at most map.claim_confidence_max (0.7). How sure the sensors are of a cell is
 * max(p, 1 - p), p = 1 / (1 + exp(-log-odds)); of a cell never observed 0.5. One return alone makes 0.7006,
 * three rays through a cell 0.77: either ends a claim there, when it is made and whenever it comes later
 * (cairn_belief_refresh).
 *
 * The layer is one of its own. The grid, its frames and the safety stages never see it, so that no claim can open a way. It is
 * a hint in three places, each bounded, so that a model that lies costs time at most:
 *
 *   planner    an unknown cell that is claimed to be occupied costs nav.claimed_cost_factor times as much; a claim that a
 *              cell is free changes nothing (common/plan/costmap.h)
 *   frontiers  what is claimed to be occupied is taken off the gain of an opening, half of it at most
 *   prompt     the model is told how many of its claims are held, borne out and refuted */
#ifndef CAIRN_COMMON_MAP_BELIEF_H
#define CAIRN_COMMON_MAP_BELIEF_H

#include "common/config/config.h"
#include "common/map/grid.h"
#include "ipc/messages.h"

#define CAIRN_BELIEF_MAX 1024
#define CAIRN_CLAIM_VERDICTS 7

struct cairn_belief_cell {
	int32_t cx, cy;
	enum cairn_cell_state state;
	float confidence;
};

struct cairn_belief {
	struct cairn_belief_cell cells[CAIRN_BELIEF_MAX];
	uint32_t count;
	uint64_t epoch, last_id; /* of the newest update judged; 0 = none */
	uint64_t verdicts[CAIRN_CLAIM_VERDICTS];
	uint64_t right, wrong; /* claims that the sensors have borne out since, and those they have not */
};

/* How sure the sensors are, 0.5 to 1. */
double cairn_odds_confidence(int8_t odds);

/* Judges one claim, and holds it if it is taken. A later claim about a cell takes the place of an earlier
 * one. */
enum cairn_claim_verdict cairn_belief_claim(struct cairn_belief *belief, const struct cairn_grid *grid,
    const struct cairn_config_map *cfg, const struct cairn_msg_cell_claim *claim);

/* Judges all claims of an update, once: an id that is not newer than the last of the same sender (epoch) is
 * not judged again. The number taken, or -1 when it had been heard before. */
int cairn_belief_update(struct cairn_belief *belief, const struct cairn_grid *grid,
    const struct cairn_config_map *cfg, const struct cairn_msg_world_update *update, uint64_t epoch);

/* Drops the claims about which the sensors have become surer than map.claim_sensor_max, or where the robot
 * has been since. */
void cairn_belief_refresh(
    struct cairn_belief *belief, const struct cairn_grid *grid, const struct cairn_config_map *cfg);

/* The gain of an opening at (x_m, y_m) that shows the unknown floor within radius_m, less what of it is claimed to be occupied;
 * at least half of gain_m2. belief may be NULL. */
double cairn_belief_gain_m2(const struct cairn_belief *belief, double cell_m, double x_m, double y_m,
    double radius_m, double gain_m2);

/* What is claimed of a cell, or NULL. */
const struct cairn_belief_cell *cairn_belief_at(const struct cairn_belief *belief, int32_t cx, int32_t cy);

#endif
