/* mapper.h - odometry and scans in; pose, map and frontiers out.
 *
 * Every scan is matched against a local map of the keyframes that are surely in place relative to the robot,
 * so that the drift of the odometry is taken out before it grows. A scan is kept (a keyframe) after some
 * travel and tied to the one before in a graph of poses; once a second one is entered without being kept, so
 * that a door that closes is noticed by a robot that stands. Places seen before a long way are searched for
 * and tied in when several keyframes agree on them; the graph is then brought to rest, and the published map
 * is drawn anew from the keyframes, a bounded part with each scan. Only when it is finished does it take the
 * old one's place, together with the pose: poses jump at most then, and the map's epoch rises. The map frame
 * is the robot's first pose. Between scans the pose follows the odometry. docs/mapping.md tells the whole.
 *
 * Tracking: GOOD after three scans in a row that fit; WEAK as soon as two in a row do not, while scans are
 * missing, or after a restart until the pose is confirmed; LOST after a second of scans that contradict the
 * map, or when the robot drives on in a place that cannot be tied to the map. A robot that is lost searches
 * the whole map, a part with each scan; what it maps meanwhile is shown once its place is known. Where
 * nothing is known yet, nothing is contradicted: there odometry carries on, with the doubt that it deserves.
 */
#ifndef CAIRN_COMMON_SLAM_MAPPER_H
#define CAIRN_COMMON_SLAM_MAPPER_H

#include "common/base/error.h"
#include "common/explore/frontier.h"
#include "common/slam/pose_graph.h"
#include "common/map/grid.h"
#include "common/slam/scan_matcher.h"
#include "common/slam/odometry_track.h"

struct cairn_mapper;

/* A scan kept. Its points are the ends of its rays in the robot frame, in units of CAIRN_KEYFRAME_STEP_M:
 * points[2 * first] on, count pairs, the first of which (hits) hit something. */
struct cairn_keyframe {
	int64_t t_ns;
	struct cairn_pose2 pose;  /* as the published map has it */
	struct cairn_pose2 track; /* where odometry alone had it */
	struct cairn_pose2 local; /* in the front end's frame, when it was taken */
	struct cairn_pose2 drawn; /* in the front end's frame, in the local map of now */
	struct cairn_pose2 next;  /* in the published map that is being drawn */
	double path_m;            /* odometer */
	float from_x_m, from_y_m; /* LiDAR in the robot frame */
	uint32_t first, hits, count;
	bool in_local; /* drawn in the local map of now */
	bool detached; /* its place in the map is unknown */
};
#define CAIRN_KEYFRAME_STEP_M 0.002

struct cairn_mapper_counts {
	uint64_t scans;    /* taken */
	uint64_t matched;  /* that fitted */
	uint64_t inserted; /* into the map */
	uint64_t refused;  /* scans and odometry that were broken, late or out of order */
	uint64_t wild;     /* odometry steps that were not believed */
	uint64_t restarts; /* of the odometry */
	uint64_t clipped;  /* returns beyond the largest map */
	uint64_t loops_tried, loops,
	    loops_dropped;  /* places matched, ties made, and taken back as they did not fit */
	uint64_t optimised; /* times the graph was brought to rest */
	uint64_t chains;    /* begun anew because nothing fitted */
	uint64_t found;     /* times a lost robot was found again */
};

enum cairn_scan_use {
	CAIRN_SCAN_REFUSED, /* broken, out of order */
	CAIRN_SCAN_UNFIT,   /* nothing to match, or no fit: odometry carries on */
	CAIRN_SCAN_MATCHED,
	CAIRN_SCAN_INSERTED, /* matched and entered into the map */
	CAIRN_SCAN_KEYFRAME  /* entered and kept */
};

/* NULL without memory. cfg is copied. */
struct cairn_mapper *cairn_mapper_new(const struct cairn_config *cfg);
void cairn_mapper_destroy(struct cairn_mapper **mapper_p);

/* Takes one odometry message with its stamp and epoch. True when it counts: then *ret (may be NULL) is the
 * pose to publish under that stamp. */
bool cairn_mapper_odom(struct cairn_mapper *mapper, const struct cairn_msg_odom *odom, int64_t t_ns,
    uint64_t epoch, struct cairn_msg_pose *ret);

/* Takes one scan; t_ns: stamp of its end. */
enum cairn_scan_use cairn_mapper_scan(
    struct cairn_mapper *mapper, const struct cairn_msg_scan *scan, int64_t t_ns);

/* The pose at the newest odometry (or scan, without odometry). */
void cairn_mapper_pose(const struct cairn_mapper *mapper, struct cairn_msg_pose *ret);

/* Somebody says where the robot is: a hint to its search, never a pose. A robot that is lost looks there with its next scan, and believes it
 * when that fits; then it has to be confirmed as any place that it finds by itself. False with the reason: it is not lost, or nothing of
 * the map is near. */
bool cairn_mapper_hint(struct cairn_mapper *mapper, struct cairn_pose2 pose, struct cairn_error *err);

enum cairn_hint_state { CAIRN_HINT_NONE, CAIRN_HINT_TRYING, CAIRN_HINT_FITS, CAIRN_HINT_MISFITS };
/* What has become of the last one. *ret_quality: how well the scan fitted there, 0 to 1. */
enum cairn_hint_state cairn_mapper_hinted(const struct cairn_mapper *mapper, double *ret_quality);

/* What the mission has given up (see cairn_frontier_given_up). */
void cairn_mapper_given_up(
    struct cairn_mapper *mapper, const struct cairn_msg_given_up *items, uint32_t count);

/* Finds the frontiers; map_seq is left 0. now_ns tells whether scans are coming in. False without memory. */
bool cairn_mapper_frontiers(struct cairn_mapper *mapper, int64_t now_ns, struct cairn_msg_frontiers *ret);

/* Where the robot can go, as of the last cairn_mapper_frontiers (see cairn_frontier_reach). */
const struct cairn_wavefront *cairn_mapper_reach(
    const struct cairn_mapper *mapper, int32_t *ret_cx0, int32_t *ret_cy0);

/* Doorways, areas, visits, claims and guesses, after the frontiers were found; map_seq is left 0. False
 * without memory. */
bool cairn_mapper_features(
    struct cairn_mapper *mapper, const struct cairn_msg_frontiers *frontiers, struct cairn_msg_features *ret);

/* Judges what the model proposes (common/map/belief.h); the number taken, or -1 when this update of this
 * sender (its epoch) was heard before. */
int cairn_mapper_claims(
    struct cairn_mapper *mapper, const struct cairn_msg_world_update *update, uint64_t epoch);

/* What of it is held now, for the planner; claims that the sensors have settled since are dropped first. */
void cairn_mapper_claims_held(struct cairn_mapper *mapper, struct cairn_msg_claims *ret);

/* What is claimed; valid until the next call that changes the mapper. */
struct cairn_belief;
const struct cairn_belief *cairn_mapper_belief(const struct cairn_mapper *mapper);

/* Where the robot is at the last scan: relative to keyframe *ret_key, which later loops may still move. False
 * before the first. */
bool cairn_mapper_anchor(
    const struct cairn_mapper *mapper, uint32_t *ret_key, struct cairn_pose2 *ret_from_key);

/* Brings the graph to rest and draws the published map to the end, however long it takes. For the end of a
 * log. */
void cairn_mapper_settle(struct cairn_mapper *mapper);

/* Rises each time the published map was drawn anew: map coordinates from before may be off by what loops
 * corrected. */
uint32_t cairn_mapper_epoch(const struct cairn_mapper *mapper);

/* All valid until the next call that changes the mapper. Driven: the path, a point every 5 cm, x0 y0 x1 y1
 * ... */
const struct cairn_grid *cairn_mapper_grid(const struct cairn_mapper *mapper);
const float *cairn_mapper_driven(const struct cairn_mapper *mapper, uint32_t *ret_points);
const struct cairn_keyframe *cairn_mapper_keyframes(const struct cairn_mapper *mapper, uint32_t *ret_count);
const int16_t *cairn_mapper_keyframe_points(const struct cairn_mapper *mapper);
const struct cairn_pose_graph *cairn_mapper_graph(const struct cairn_mapper *mapper);
struct cairn_mapper_counts cairn_mapper_counts(const struct cairn_mapper *mapper);

/* Loops that were matched and not believed since the start: those that fitted alike anywhere along a corridor, and those
 * farther from where the graph has them than it can be wrong. */
struct cairn_mapper_refusals {
	uint64_t blind, unlikely;
};
struct cairn_mapper_refusals cairn_mapper_refusals(const struct cairn_mapper *mapper);

/* Rises with everything worth saving. */
uint64_t cairn_mapper_changes(const struct cairn_mapper *mapper);

/* Gives a map that has none its number, by which those who drew something in it know it again: it is told with each pose
 * and saved with the map. False: it has one. */
bool cairn_mapper_number(struct cairn_mapper *mapper, uint64_t map_id);

/* Saves the whole state: written beside path, synced, renamed. False with the reason. */
bool cairn_mapper_save(struct cairn_mapper *mapper, const char *path, struct cairn_error *err);

/* A mapper that goes on from a saved state: its pose is weak until a scan confirms it. NULL with the reason
 * when the file is damaged, of another version or cell size, or cannot be read (errno tells: ENOENT when
 * there is none). */
struct cairn_mapper *cairn_mapper_load(
    const struct cairn_config *cfg, const char *path, struct cairn_error *err);

/* The cell size that such a file was written with, for whoever has no configuration of the robot; unchecked. */
bool cairn_mapper_file_cell_m(const char *path, double *ret, struct cairn_error *err);

#endif
