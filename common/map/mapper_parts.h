/* mapper_parts.h - the mapper's state, shared by its deciding and its saving half; not for others. */
#ifndef CAIRN_COMMON_MAP_MAPPER_PARTS_H
#define CAIRN_COMMON_MAP_MAPPER_PARTS_H

#include "common/map/mapper.h"

struct cairn_mapper {
	struct cairn_config cfg;
	struct cairn_grid grid;
	struct cairn_match_field field;
	struct cairn_matcher *matcher;
	struct cairn_frontier_finder *finder;
	struct cairn_frontier_memory memory;
	struct cairn_track track;
	struct cairn_pose2 map_from_track;
	enum cairn_tracking tracking;
	bool unconfirmed; /* loaded from a file, no scan has fitted yet */
	uint32_t good_run, bad_run;
	struct cairn_match match;         /* the last that was tried */
	struct cairn_pose2 scan_track;    /* track pose of the last scan */
	double unsure_m, unsure_rad;      /* what the odometry since the last fit may be wrong by */
	double sigma_xy_m, sigma_yaw_rad; /* of the last fit */
	double fit_distance_m;            /* odometer at the last fit */
	int64_t t_scan_ns, t_insert_ns;
	struct cairn_pose2 keyframe_pose, visit_pose;
	struct cairn_keyframe *keyframes;
	uint32_t keyframe_count, keyframe_capacity;
	int16_t *points;
	uint32_t point_count, point_capacity; /* pairs */
	float *driven;
	uint32_t driven_count, driven_capacity; /* pairs */
	struct cairn_mapper_counts counts;
	uint64_t changes;
	struct cairn_rays rays;
	unsigned char *file; /* buffer of the last save */
	size_t file_capacity;
};

#endif
