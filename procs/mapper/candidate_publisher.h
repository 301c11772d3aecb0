/* candidate_publisher.h - the mapper's publishing of candidates (common/explore).
 *
 * The mapper does it because it holds what is large: grid, visits, and the wavefront of the frontiers, which
 * is the search that says what can be reached; nothing of it has to be made or sent a second time. What the
 * other stages know about it (goal, path, results, frontiers given up, rooms) are small messages. */
#ifndef CAIRN_PROCS_MAPPER_CANDIDATE_PUBLISHER_H
#define CAIRN_PROCS_MAPPER_CANDIDATE_PUBLISHER_H

#include "common/slam/mapper.h"
#include "procs/shell/stage.h"

struct offer;

/* Subscribes to what it listens to. NULL with err set. */
struct offer *offer_new(struct cairn_stage *stage, struct cairn_error *err);
void offer_destroy(struct offer **offer_p);
/* Before cairn_mapper_frontiers: tells it what was given up. */
void offer_given_up(const struct offer *offer, struct cairn_mapper *mapper);
/* Fills detour_m of what cairn_mapper_frontiers has just found (common/explore/frontier_route.h). */
void offer_rank(
    struct offer *offer, const struct cairn_mapper *mapper, struct cairn_msg_frontiers *frontiers);
/* After that, whose result is passed on. */
void offer_publish(struct offer *offer, const struct cairn_mapper *mapper,
    const struct cairn_msg_frontiers *frontiers, int64_t now_ns);

#endif
