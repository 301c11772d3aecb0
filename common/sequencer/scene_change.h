/* scene_change.h - what the LiDAR saw around the robot during the last seconds, so that a decision can be held
 * against what has come nearer since its snapshot.
 *
 * Kept of a scan is its nearest return in each of 24 sectors, with the pose it was taken at. What stands near now is
 * looked at from that pose: it has come nearer when it stands in front of all that was seen in its sector and the
 * two beside it. What was hidden then stood behind what was seen, and does not count; nor does a sector in which
 * nothing was seen at all. */
#ifndef CAIRN_COMMON_SEQUENCER_SCENE_CHANGE_H
#define CAIRN_COMMON_SEQUENCER_SCENE_CHANGE_H

#include "common/scan/scan.h"

#define CAIRN_SCENE_CHANGE_SECTORS 24
#define CAIRN_SCENE_CHANGE_FINE 72   /* sectors for corridors */
#define CAIRN_SCENE_CHANGE_LOOKS 640 /* every scan of a minute */

struct cairn_scene_change_look {
	int64_t t_ns;
	struct cairn_pose2 pose;
	float nearest_m[CAIRN_SCENE_CHANGE_SECTORS]; /* from the robot's origin; infinity: nothing was seen */
	float all_m[CAIRN_SCENE_CHANGE_FINE];        /* the same of LiDAR and depth camera */
};

/* A ring; all zero is empty. */
struct cairn_scene_change {
	struct cairn_scene_change_look looks[CAIRN_SCENE_CHANGE_LOOKS];
	uint32_t head, count;
	struct cairn_vec2
	    sides[CAIRN_SCENE_CHANGE_SECTORS + 1]; /* directions between the sectors, once they are known */
	bool sides_known;
};

/* Takes the points of a scan (robot frame of pose). Looks nearer in time than keep_s / CAIRN_SCENE_CHANGE_LOOKS are left out, so
 * that those of keep_s are there. */
void cairn_scene_change_add(struct cairn_scene_change *seen, const struct cairn_points *points,
    struct cairn_pose2 pose, int64_t t_ns, double keep_s);
/* The same, and for corridors all that LiDAR and depth camera see, in the robot frame of all_pose. */
void cairn_scene_change_add_all(struct cairn_scene_change *seen, const struct cairn_points *points,
    struct cairn_pose2 pose, const struct cairn_points *all, struct cairn_pose2 all_pose, int64_t t_ns,
    double keep_s);

/* True when it is known what was seen at t_ns. */
bool cairn_scene_change_knows(const struct cairn_scene_change *seen, int64_t t_ns);

/* By how much the points that lie within a corridor have come nearer since t_ns, as below, but by sectors of 5 degrees; what
 * stands now where nothing at all was seen then has come from infinity. Infinity also when nothing is known of that time. */
typedef bool cairn_corridor_fn(const void *ctx, struct cairn_vec2 point); /* robot frame of now */
double cairn_scene_change_corridor_m(const struct cairn_scene_change *seen, int64_t t_ns,
    const struct cairn_points *points, struct cairn_pose2 now, cairn_corridor_fn *within, const void *ctx,
    double *ret_bearing_rad);

/* By how much the first count of points (robot frame of now), as far as they are within near_m, have come nearer since
 * t_ns: what at least four of them exceed, which noise and thin legs do not. 0 when nothing is known of that time.
 * *ret_bearing_rad: where the one stands that came nearest to where the robot was. */
double cairn_scene_change_shift_m(const struct cairn_scene_change *seen, int64_t t_ns,
    const struct cairn_points *points, size_t count, struct cairn_pose2 now, double near_m,
    double *ret_bearing_rad);

#endif
