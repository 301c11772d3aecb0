/* frontier_blacklist.h - which openings into the unknown are worth a visit, and which were tried in vain.
 *
 * Frontiers move a little and change their ids while the map grows, so the memory is by place: a frontier
 * whose centroid is within CAIRN_FRONTIER_BLACKLIST_SAME_M of an entry is the same one. Plain data
 * without pointers: it is saved with the mission. */
#ifndef CAIRN_COMMON_EXPLORE_FRONTIER_BLACKLIST_H
#define CAIRN_COMMON_EXPLORE_FRONTIER_BLACKLIST_H

#include "common/base/geom.h"
#include "ipc/messages.h"

#define CAIRN_FRONTIER_BLACKLIST_MEMORY 64
#define CAIRN_FRONTIER_BLACKLIST_SAME_M 0.4
#define CAIRN_FRONTIER_BLACKLIST_TRIES                                                                       \
	2 /* so many failures, or arrivals that changed nothing, and it is given up */
#define CAIRN_FRONTIER_BLACKLIST_ARRIVAL_S                                                                   \
	1.0 /* arrivals sooner after another do not count: the map needs time to follow */

struct cairn_frontier_blacklist_place {
	double x_m, y_m;
	double free_m2;       /* known free floor when it was last tried */
	int64_t t_arrival_ns; /* of the newest arrival that counted */
	uint32_t failures;
	uint32_t arrivals;
	uint32_t retries; /* times it was given another chance at the end */
	bool given_up;
	char reason[64];
	bool
	    afar; /* a way there failed more than CAIRN_FRONTIER_BLACKLIST_AFAR_M before its end: the place is not to blame */
};
#define CAIRN_FRONTIER_BLACKLIST_AFAR_M 1.5

struct cairn_frontier_blacklist {
	uint32_t count;
	struct cairn_frontier_blacklist_place places[CAIRN_FRONTIER_BLACKLIST_MEMORY];
};

/* The way to the frontier at (x, y) ended in vain, so far before its end. True when it is given up with this. */
bool cairn_frontier_blacklist_failed(struct cairn_frontier_blacklist *e, double x_m, double y_m,
    double free_m2, double left_m, const char *reason);
/* The robot stood where the frontier at (x, y) should be seen into. True when it is given up with this (only
 * frontiers that stay are hurt: those that vanish are forgotten by cairn_frontier_blacklist_update). */
bool cairn_frontier_blacklist_arrived(
    struct cairn_frontier_blacklist *e, double x_m, double y_m, double free_m2, int64_t now_ns);
/* Forgets arrivals at places where no frontier is any more. True when something changed. */
bool cairn_frontier_blacklist_update(
    struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers);
/* Why the place was given up, or NULL if it was not. */
const char *cairn_frontier_blacklist_given_up(
    const struct cairn_frontier_blacklist *e, double x_m, double y_m);

/* Reachable, wide enough, not given up. */
bool cairn_frontier_blacklist_worthwhile(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontier *frontier, double width_min_m);
uint32_t cairn_frontier_blacklist_left(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m);
/* Index of the frontier to visit next without a model: the one with the least detour_m (common/explore/frontier_route.h), of equal
 * ones the near, wide, doorways preferred. -1: none is left. */
int cairn_frontier_blacklist_best(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m);

/* The one with the shortest way. */
int cairn_frontier_blacklist_nearest(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m);

/* Before an exploration ends: gives places that were given up one more chance if the known floor has grown a
 * lot since. The number of places that have it now. */
uint32_t cairn_frontier_blacklist_retry(struct cairn_frontier_blacklist *e, double free_m2);

/* The same, once each, of places with a frontier that a way did not lead to from afar, however little the floor has grown: where the robot
 * stood, and what was in its way, may have been the reason. */
uint32_t cairn_frontier_blacklist_last_chance(
    struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers);
/* Is an opening, at least that wide, neither given up nor to be reached from where the robot is? */
bool cairn_frontier_blacklist_cut_off(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m);
/* Openings that no way leads to and that were looked into from near. */
#define CAIRN_FRONTIER_LOOKS_MAX 8
struct cairn_frontier_looked {
	struct cairn_vec2 at[CAIRN_FRONTIER_LOOKS_MAX]; /* since the map has last grown */
	uint32_t count;
	/* Gaps too narrow that led to them: from near they are as wide as they are, and what lies behind does not change that. */
	struct cairn_vec2 gaps[CAIRN_FRONTIER_LOOKS_MAX];
	uint32_t gap_count;
};
/* False: there is no room left. */
bool cairn_frontier_looked_add(
    struct cairn_frontier_looked *looked, const struct cairn_msg_frontier *frontier);
/* Index of the widest of these that the mapper has told a place to look from (goal_x_m, goal_y_m; frontier.h), but for
 * those looked into, themselves or the gap that leads to them; -1: none. */
int cairn_frontier_blacklist_approach(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_frontier_looked *looked);

/* At the end of an exploration: every frontier that is still open is given up with the reason why it was not visited:
 * "unreachable: ...", "narrow: ..." for one behind a gap, or of a width, that is too narrow, or "time: ..." for one that could have been driven to (time_up). What was looked into
 * in vain is "blind: ...". */
void cairn_frontier_blacklist_close(struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m, bool time_up);

/* The given-up ones, newest last, as the mission message lists them. */
void cairn_frontier_blacklist_list(
    const struct cairn_frontier_blacklist *e, struct cairn_msg_mission *mission);

/* False for data that cannot have come from these functions. */
bool cairn_frontier_blacklist_sane(const struct cairn_frontier_blacklist *e);

#endif
