/* candidates.h - three to five places to choose among, each grounded in the map.
 *
 * Sources: the three best frontiers; the goal and up to three points of the planned path to it, every
 * choice.step_m of it; named places, three at most; and, when the robot is stuck or fewer than three others
 * are left, recovery places (cairn_candidates_recovery). Each lies on known, free floor that the robot fits on
 * and can reach. Ranked by score (candidate_score.h), the better one first, at equal score in the order of the sources;
 * of two less than choice.apart_m apart the worse is left out; three of a kind at most, five in all. A stuck
 * robot is always offered two recovery places when there are any. A place that was offered last time stays
 * before one that is better by less than 0.05, so that the list does not change while somebody thinks about
 * it. Fewer than three only where the known floor has no more.
 *
 * Ids: a place that is offered gets a number; the number means exactly that point from then on and no other
 * ever. A place found within a quarter of a metre of one of the same kind offered lately (of the same
 * frontier, of the same name) is taken to be that one, point and number, as long as that point is still good.
 * Each set has a number that rises when ids or order change, starting from one that rises over restarts:
 * whoever names an id says in which set it was shown, and a reader can tell whether the id still stands
 * (seq_candidate in common/sequencer).
 *
 * Pure: the same calls give the same sets. No memory is taken after _init. */
#ifndef CAIRN_COMMON_EXPLORE_CANDIDATES_H
#define CAIRN_COMMON_EXPLORE_CANDIDATES_H

#include "common/explore/candidate_score.h"

#define CAIRN_CANDIDATES_MIN 3
#define CAIRN_CANDIDATES_MAX 5
#define CAIRN_CANDIDATES_OF_A_KIND 3
#define CAIRN_CANDIDATES_KNOWN 64
#define CAIRN_CANDIDATES_RAW 96
#define CAIRN_CANDIDATES_RECOVERY_MAX 12
#define CAIRN_CANDIDATES_LATTICE 1024 /* places looked at for recovery */

/* A place that is or was offered. */
struct cairn_candidates_known {
	struct cairn_msg_candidate as; /* id, kind, place, frontier, name, since */
	uint64_t set;                  /* it stood in last */
};

struct cairn_candidates {
	struct cairn_config_choice cfg;
	double half_width_m, tolerance_m;
	double turn_radius_m; /* 0: turns in place */
	uint32_t next_id, known_count;
	uint64_t set, first_set;
	struct cairn_candidates_known known[CAIRN_CANDIDATES_KNOWN];
	uint32_t last_ids[CAIRN_CANDIDATES_MAX], last_count;
	/* scratch of one update */
	struct cairn_msg_candidate raw[CAIRN_CANDIDATES_RAW];
	uint32_t raw_count;
	struct cairn_score_scratch score;
	struct cairn_candidates_spot {
		double x_m, y_m, path_m, clearance_m, worth;
	} spots[CAIRN_CANDIDATES_LATTICE];
};

struct cairn_candidates_inputs {
	struct cairn_ground ground;
	struct cairn_pose2 pose;
	const struct cairn_msg_frontiers *frontiers; /* NULL: none */
	bool ranked;                                 /* their detour_m has been filled (frontier_route.h) */
	const struct cairn_msg_given_up *given_up;   /* frontiers that are not worth a try */
	uint32_t given_up_count;
	const struct cairn_vec2 *goal;           /* NULL: none */
	const struct cairn_msg_path_point *path; /* to the goal, from where it was planned */
	uint32_t path_count;
	const struct cairn_msg_place *places;
	uint32_t place_count;
	bool stuck;
};

/* first_set: number of the first set; must rise over restarts and not be 0. */
void cairn_candidates_init(
    struct cairn_candidates *choice, const struct cairn_config *cfg, uint64_t first_set);
void cairn_candidates_update(struct cairn_candidates *choice, const struct cairn_candidates_inputs *in,
    struct cairn_msg_candidates *ret);

/* Places on a grid of a quarter of a metre, 0.6 m to choice.recovery_range_m from the robot, with more than
 * choice.recovery_room_m of clearance: the widest and least visited first, by
 *   min(1, clearance_m / room_m) + 1 - min(1, v / 0.25)
 * (v as in candidate_score.h), of equals the nearest; each at least choice.apart_m from those before it. Only x_m, y_m,
 * path_m and clearance_m are filled. Their number. */
uint32_t cairn_candidates_recovery(struct cairn_candidates *choice, const struct cairn_candidates_inputs *in,
    struct cairn_msg_candidate ret[CAIRN_CANDIDATES_RECOVERY_MAX]);

#endif
