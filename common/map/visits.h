/* visits.h - how often the robot has been where, by squares of map.visit_cell_m.
 *
 * Made from the path driven alone: a square counts when the robot comes into it, not while it stays. It is
 * left only beyond a fifth of its edge, so that a robot that stands on a border does not count up. When the
 * path is moved as a whole (a loop was closed), everything is counted anew from it; so there is nothing to be
 * saved beside the path. */
#ifndef CAIRN_COMMON_MAP_VISITS_H
#define CAIRN_COMMON_MAP_VISITS_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_visit {
	int32_t x, y; /* square [x, x + 1) x [y, y + 1) times cell_m, map frame */
	uint32_t count;
};

struct cairn_visits {
	double cell_m;
	struct cairn_visit *table; /* open addressing; count 0 = empty */
	uint32_t capacity;         /* power of two */
	uint32_t places;           /* squares with a count */
	uint32_t total;            /* of all counts */
	bool inside;
	int32_t at_x, at_y; /* the square the robot is in */
	uint32_t followed;  /* points of the path taken */
	uint32_t epoch;
};

void cairn_visits_init(struct cairn_visits *visits, double cell_m);
void cairn_visits_free(struct cairn_visits *visits);

/* Takes the points of the path (x0 y0 x1 y1 ...) that are new; all of them when epoch changes or the path is
 * shorter than it was. False without memory: what does not fit is not counted. */
bool cairn_visits_follow(struct cairn_visits *visits, const float *path, uint32_t points, uint32_t epoch);

/* The first points of the path are gone; what they counted stays until the epoch changes. */
void cairn_visits_forget(struct cairn_visits *visits, uint32_t points);

/* Times the robot came into the square around a place. */
uint32_t cairn_visits_at(const struct cairn_visits *visits, double x_m, double y_m);

#endif
