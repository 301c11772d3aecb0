/* map_log.h - maps a recorded log, and judges the path found by relations that are known to be true. */
#ifndef CAIRN_COMMON_SLAM_MAP_LOG_H
#define CAIRN_COMMON_SLAM_MAP_LOG_H

#include "common/slam/log_reader.h"
#include "common/slam/mapper.h"

/* Everything a log gave. Poses are final: as the graph has them at the end. */
struct cairn_map_log {
	struct cairn_mapper *mapper;
	struct cairn_pose2 *poses, *odom; /* of each scan */
	uint32_t scans, capacity;
	uint32_t weak, lost; /* scans after which tracking was so */
	double *times_s;     /* of each scan, by the log */
};

struct cairn_relation_score {
	uint32_t relations, unmatched; /* unmatched: no scan within 0.5 s of one of its times; not counted */
	double mean_m, sd_m, mean_rad, sd_rad;
};

/* Sets what a log needs otherwise than the robot: no body, larger maps, faster robots. */
void cairn_map_log_config(struct cairn_config *cfg, double range_use_m);

/* Maps path. trajectory_path may be NULL (log_reader.h). False with the reason; free *ret in any case. */
bool cairn_map_log_run(struct cairn_map_log *ret, const char *path, const char *trajectory_path,
    const struct cairn_config *cfg, struct cairn_error *err);
void cairn_map_log_free(struct cairn_map_log *log);

/* Mean and standard deviation of the translational and rotational error of the relations in a file (`t1 t2 x
 * y z roll pitch yaw`; log time + offset_s = relation time), as Kuemmerle et al. 2009 define them. poses:
 * log->poses or log->odom. False with the reason. */
bool cairn_map_log_score(const struct cairn_map_log *log, const struct cairn_pose2 *poses,
    const char *relations_path, double offset_s, struct cairn_relation_score *ret, struct cairn_error *err);

/* How well the ties of the graph fit each other: root mean square over loops and over edges to older
 * keyframes. */
struct cairn_loop_fit {
	uint32_t ties;
	double rms_m, rms_rad, worst_m;
};
struct cairn_loop_fit cairn_map_log_loop_fit(const struct cairn_mapper *mapper);

#endif
