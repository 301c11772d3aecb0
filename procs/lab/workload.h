/* workload.h - keeps the robot of a drill busy: when a house is explored it is sent to places where it has
 * been, and told to explore once more in between, so that every stage goes on working. */
#ifndef CAIRN_PROCS_LAB_WORKLOAD_H
#define CAIRN_PROCS_LAB_WORKLOAD_H

#include "common/base/rng.h"
#include "procs/cairn/up.h"

#define PATROL_PLACES_MAX 64

struct patrol {
	struct cairn_rng rng;
	struct {
		double x_m, y_m; /* map frame, where the robot itself has stood */
	} places[PATROL_PLACES_MAX];
	int place_count;
	bool explore_next;
	int64_t due_ns;
	uint32_t legs; /* orders given */
};

void workload_init(struct patrol *p, uint64_t seed);
/* Looks at what the bus has said; gives the next order when the robot has nothing to do. Asks the sequencer
 * and waits for its answer, a second at most. */
void workload_tend(struct patrol *p, const struct up_run *run, int64_t now_ns);

#endif
