/* mapper_ports.h - the core of the mapper stage: mapper, kept map and explorer, with what goes in and comes out as tables of
 * ports (ipc/ports.h). The process shell and the lockstep runner of the evaluations drive the same core. No clock. */
#ifndef CAIRN_COMMON_SLAM_MAPPER_PORTS_H
#define CAIRN_COMMON_SLAM_MAPPER_PORTS_H

#include "common/explore/explorer.h"
#include "common/slam/kept_map.h"
#include "common/slam/mapper.h"
#include "ipc/ports.h"

struct cairn_mapper_ports {
	struct cairn_mapper *mapper; /* owned, as the others; see cairn_mapper_ports_close */
	struct cairn_kept_map *kept; /* NULL: no map of an earlier run */
	struct cairn_explorer *explorer;
	struct cairn_outbox *box;   /* borrowed */
	uint64_t rejects;           /* odometry and scans that the mapper refused */
	struct cairn_msg_pose pose; /* that was sent last */
	struct cairn_msg_frontiers frontiers;
	bool unranked; /* for lack of memory: the nearest frontier comes first */
	struct cairn_msg_candidates candidates;
	struct cairn_msg_features features;
	struct cairn_msg_claims claims;
	uint64_t claims_updates; /* judged so far; of the newest, taken of offered */
	int claims_taken;
	uint32_t claims_offered;
};

/* ODOM, SCAN, WORLD_UPDATE. Each acts at once: something may have to be said. */
extern const struct cairn_in cairn_mapper_in[];
/* POSE (stamped as its odometry), FRONTIERS, CANDIDATES, FEATURES, CLAIMS. */
extern const struct cairn_out cairn_mapper_out[];

/* The explorer; the mapper is the caller's to load or make. False with the reason. first_set: see cairn_explorer_new. */
bool cairn_mapper_ports_open(struct cairn_mapper_ports *ports, const struct cairn_config *cfg,
    uint64_t first_set, struct cairn_error *err);
void cairn_mapper_ports_close(struct cairn_mapper_ports *ports);

/* Finds and ranks the frontiers, chooses the candidates, and sends both; nothing while nothing is mapped, as an empty list
 * would mean that all is explored. map_seq: number of the newest grid that was published. False without memory. */
bool cairn_mapper_report(struct cairn_mapper_ports *ports, uint32_t map_seq, int64_t now_ns);
/* Doorways, areas, visits, after a report. False without memory. */
bool cairn_mapper_report_features(struct cairn_mapper_ports *ports, uint32_t map_seq, int64_t now_ns);
/* A command of the service mapper.ctl. */
void cairn_mapper_command(
    struct cairn_mapper_ports *ports, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);
/* What the model claims about the map and the sensors have not settled. */
void cairn_mapper_report_claims(struct cairn_mapper_ports *ports, int64_t now_ns);

#endif
