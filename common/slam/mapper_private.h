/* mapper_private.h - the mapper's state, shared by its parts; not for others.
 *
 * Frames: "track" is what odometry alone says; "local" is the front end's own frame, in which the pose never
 * jumps; "graph" is where the pose graph has things just now; "map" is what is published. Local and graph
 * differ by what loops have corrected; graph and map differ only while the published map is being drawn anew.
 */
#ifndef CAIRN_COMMON_SLAM_MAPPER_PRIVATE_H
#define CAIRN_COMMON_SLAM_MAPPER_PRIVATE_H

#include "common/map/belief.h"
#include "common/map/doorway.h"
#include "common/slam/mapper.h"
#include "common/map/predict.h"
#include "common/slam/pose_uncertainty.h"
#include "common/map/visits.h"

#define CAIRN_MAPPER_GUESSES 8
#define CAIRN_MAPPER_REGIONS 256
#define CAIRN_LOOP_WINDOW_MAX_M 8.0
#define CAIRN_MAPPER_FILE_PART 65536
#define CAIRN_DRIVEN_MAX 40000 /* points of the path: 2 km; then the oldest quarter is forgotten */

/* Odometry as a prior of one scan: constant, by travel, by turn. */
#define CAIRN_PRIOR_M 0.01
#define CAIRN_PRIOR_M_PER_M 0.10
#define CAIRN_PRIOR_RAD 0.005
#define CAIRN_PRIOR_RAD_PER_M 0.05
#define CAIRN_PRIOR_RAD_PER_RAD 0.05

/* Doubt after a restart. */
#define CAIRN_RESTART_M 0.15
#define CAIRN_RESTART_RAD 0.10

/* A robot that was carried away may be this far, and face any way. */
#define CAIRN_CARRIED_M 5.0
#define CAIRN_CARRIED_RAD 3.0

/* Keyframes nearer to each other than this (cost of cairn_pose_uncertainty: 0.08 m, heading included) may be drawn into
 * one local map; farther ones have to be found again as a loop. */
#define CAIRN_TRUST_COST 0.0064

/* A grid with its field, drawn from some keyframes. */
struct cairn_sheet {
	struct cairn_grid grid;
	struct cairn_likelihood_field field;
	struct cairn_vec2 centre; /* where its keyframes were chosen around */
	uint32_t around;          /* loops: the keyframe */
	bool valid;
};

/* Drawing a sheet goes on over many calls. */
struct cairn_drawing {
	bool on;
	uint32_t at;    /* of list, or keyframe */
	uint32_t until; /* keyframes there were when it began */
};

/* A place where the newest keyframe may have been before. */
struct cairn_loop_guess {
	uint32_t key, old;    /* keyframes */
	struct cairn_pose2 z; /* key as seen from old */
	double cov[3][3];     /* in key's axes */
	double path_m;        /* odometer at key */
};

/* What is told of the map beside its cells. */
struct cairn_mapper_features {
	struct cairn_doorways *doorways;
	struct cairn_doorway_memory memory;
	struct cairn_visits visits;
	struct cairn_belief belief;
	struct cairn_predictions predictions;
};

struct cairn_mapper {
	struct cairn_config cfg;
	struct cairn_grid grid, spare; /* the published map; the one being drawn anew */
	struct cairn_cell_box taken;   /* cairn_mapper_take_memory: for a house of this size */
	struct cairn_matcher *matcher;
	struct cairn_frontier_finder *finder;
	struct cairn_frontier_memory memory;
	struct cairn_mapper_features features;
	struct cairn_odometry_track track;
	struct cairn_pose2 local_from_track, map_from_local;
	enum cairn_tracking tracking;
	bool unconfirmed; /* loaded from a file or found again: no scan has fitted yet */
	uint32_t good_run, bad_run;
	struct cairn_match match;         /* the last that was tried */
	struct cairn_pose2 scan_track;    /* track pose of the last scan */
	double unsure_m, unsure_rad;      /* what the odometry since the last fit may be wrong by */
	double sigma_xy_m, sigma_yaw_rad; /* of the last fit */
	double fit_distance_m;            /* odometer at the last fit */
	int64_t t_scan_ns, t_insert_ns;
	struct cairn_pose2 visit_pose;

	struct cairn_keyframe *keyframes; /* one a node of the graph */
	uint32_t keyframe_count, keyframe_capacity;
	int16_t *points;
	uint32_t point_count, point_capacity; /* pairs */
	float *driven;
	uint32_t driven_count, driven_capacity; /* pairs */
	uint32_t *driven_key;                   /* newest keyframe at each */
	uint32_t driven_key_capacity;

	struct cairn_pose_graph graph;
	struct cairn_pose_uncertainty reach, loop_reach; /* from the newest keyframe; from a loop's */
	struct cairn_sheet sheets[2], loop;
	int sheet; /* the one in use */
	struct cairn_drawing local_drawing, redrawing;
	uint32_t *list; /* keyframes of the local drawing */
	uint32_t list_count, list_capacity;
	bool local_due, redraw_due;
	struct cairn_loop_guess guesses[CAIRN_MAPPER_GUESSES];
	uint32_t guess_count;
	double loop_tried_m;           /* odometer at the last search */
	double near_m;                 /* odometer at the last edge to an older keyframe */
	uint32_t known_run;            /* of the newest keyframes, those kept by keyframe_policy.c */
	uint32_t stand_in_for;         /* the newest keyframe only stands for the robot: tied to this one, */
	struct cairn_pose2 stand_in_z; /* and seen so from it */
	uint32_t chain_from;           /* first keyframe of a chain whose place in the map is unknown */
	bool detached;                 /* there is such a chain */
	uint32_t confirm_from; /* found again, not confirmed: keyframes from here on are no witnesses; else
				  UINT32_MAX */
	uint32_t regions[CAIRN_MAPPER_REGIONS], region_count, region_at, region_rounds;
	struct cairn_loop_guess region_best;
	double region_quality;
	enum cairn_hint_state hint; /* where somebody says that the robot is */
	struct cairn_pose2 hint_pose;
	double hint_quality;
	uint64_t corrected_at,
	    redraw_since;                /* scans there were at the last correction; when it was wished for */
	uint64_t map_id;                 /* which map it is; 0 = it has no number yet */
	uint32_t map_epoch, drawn_count; /* keyframes there were at the last change of maps */

	struct cairn_mapper_counts counts; /* saved with the map */
	struct cairn_mapper_refusals refusals;
	uint64_t changes;
	struct cairn_rays rays, drawn; /* of the scan; of a keyframe */
	unsigned char file_part[CAIRN_MAPPER_FILE_PART];
};

/* Room for need items of item bytes each. */
bool cairn_mapper_grow(void *array_p, uint32_t *capacity, uint32_t need, size_t item);

/* ---- map_features.c ---- */

bool cairn_mapper_features_init(struct cairn_mapper *m);
void cairn_mapper_features_free(struct cairn_mapper *m);
/* The map is about to be drawn anew: each keyframe goes from its pose to its next one, and claims go with the
 * keyframe nearest to them. Guesses are dropped: they are made anew, and none is judged by a map it was not
 * made of. */
void cairn_mapper_features_move(struct cairn_mapper *m);
/* What each frontier may show. */
void cairn_mapper_fill_gains(const struct cairn_mapper *m, struct cairn_msg_frontiers *frontiers);

/* ---- mapper.c ---- */

/* Enters m->rays into the local map and, unless it is apart, into the published one. */
void cairn_mapper_draw_scan(struct cairn_mapper *m, struct cairn_pose2 local);

/* ---- relocalize.c ---- */

/* A new chain of keyframes that only odometry ties to what was before; detached: its place is not known. */
enum cairn_scan_use cairn_mapper_begin_chain(
    struct cairn_mapper *m, struct cairn_pose2 local, bool detached, int64_t t_ns);
/* Of a robot that was found: do scans fit well enough, or for long enough, to believe it? Always true
 * otherwise. */
bool cairn_mapper_is_sure(const struct cairn_mapper *m);
/* The place where it was found is right, or wrong after all. */
void cairn_mapper_confirm(struct cairn_mapper *m);
void cairn_mapper_refute(struct cairn_mapper *m);
/* A part of the search of a lost robot; true when it may have been found. */
bool cairn_mapper_search(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns);

/* ---- keyframes.c ---- */

/* Keeps the scan in m->rays, taken at local pose, and ties it to the keyframe before. -ENOMEM: not kept. */
int cairn_mapper_keep(
    struct cairn_mapper *m, struct cairn_pose2 local, enum cairn_edge_kind kind, int64_t t_ns);
/* The rays of a keyframe, robot frame. */
void cairn_mapper_keyframe_rays(const struct cairn_mapper *m, uint32_t key, struct cairn_rays *ret);
/* Covariance of a match in the axes of the pose itself, from the scan alone: what it does not fix is known to
 * weak_m, weak_rad. */
void cairn_mapper_spread(const struct cairn_match *match, double weak_m, double weak_rad, double floor_m,
    double floor_rad, double ret[3][3]);
/* The transform from local to graph frame. */
struct cairn_pose2 cairn_mapper_graph_from_local(const struct cairn_mapper *m);

/* The same at node in the graph, with a tie to one older keyframe and none to the one before. */
int cairn_mapper_keep_tied(
    struct cairn_mapper *m, struct cairn_pose2 local, struct cairn_pose2 node, uint32_t old, int64_t t_ns);
/* Memory for what grows while the robot drives, in a house of common size: from the start. False without. */
bool cairn_mapper_take_first(struct cairn_mapper *m);
/* Room for one more keyframe, with its rays in m->rays and its edges. */
bool cairn_mapper_reserve_key(struct cairn_mapper *m);

/* ---- keyframe_policy.c ---- */

/* Is the scan at local pose to be kept? *ret_old (may be NULL): where there are enough keyframes, the nearest
 * of them, else UINT32_MAX. */
bool cairn_mapper_key_due(const struct cairn_mapper *m, struct cairn_pose2 local, uint32_t *ret_old);
/* Keeps the scan for as long as it takes to drive on: where keyframes are enough, the newest is replaced. */
int cairn_mapper_keep_known(struct cairn_mapper *m, struct cairn_pose2 local, uint32_t old, int64_t t_ns);

/* ---- submaps.c ---- */

/* The local map: begins to draw it anew around a local pose / draws on for a bounded time / draws it at once.
 */
void cairn_mapper_draw_local(struct cairn_mapper *m);
void cairn_mapper_draw_local_now(struct cairn_mapper *m);
/* An empty local map around local pose, for a chain that begins anew. */
void cairn_mapper_clear_local(struct cairn_mapper *m, struct cairn_pose2 local);
/* A sheet of the surroundings of an old keyframe as they were then, in the graph frame. False without memory
 * or when nothing may be drawn. */
bool cairn_mapper_draw_loop(struct cairn_mapper *m, uint32_t around);
/* Takes the memory that drawing and searching in the house as it is known now will come to need, so that it
 * does not grow from search to search. Does nothing while the house has not grown. */
void cairn_mapper_take_memory(struct cairn_mapper *m);
/* The published map: draws on. all: to the end. */
void cairn_mapper_redraw(struct cairn_mapper *m, bool all);
/* Asks for a new drawing if the graph has moved off the published map. */
void cairn_mapper_check_drawn(struct cairn_mapper *m);

/* ---- loop_closure.c ---- */

/* Looks for a loop at the newest keyframe. */
void cairn_mapper_seek_loop(struct cairn_mapper *m);
/* One step of searching the whole map for a robot that is lost. True when it was found: a keyframe was added.
 */
bool cairn_mapper_seek_anywhere(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns);
void cairn_mapper_restart_seeking(struct cairn_mapper *m);
/* Optimises, and sees to what follows from it. */
void cairn_mapper_optimise(struct cairn_mapper *m);

#endif
