/* depth_layer_track.c - the way that the robot came stays known to be free, however far it went since: it is the way back.
 *
 * The grid forgets what is 3.2 m away. So the poses of the last 50 m are kept, each with how much of the floor beside it was
 * known to be free, and cells that come into the grid again are marked by them; what was seen there meanwhile holds.
 *
 * Dead reckoning turns the old way about the robot: 0.2 degrees a metre are 0.3 m at the far end of 10 m. A robot that backs
 * along its way is on it, so its pose is moved toward the way, by no more than what dead reckoning loses on as much of it;
 * what is remembered beside the way is then where it was. Who backs off the way goes faster aside than that, and meets the
 * border of what is known. In the frame of a map (drift_share 0) nothing is moved. */
#include "common/safety/depth_layer_private.h"

#include <math.h>
#include <string.h>

#define TRACK_M 0.05 /* so far apart the poses are kept */
#define TRACK_RAD 0.10
#define SAME_M 0.08 /* nearer to a pose than this the robot is back there */
#define SAME_RAD 0.20
#define MATCH_POSES 12 /* of the newest: the way back is gone pose by pose */
#define MATCH_M 0.20
#define MATCH_RAD 0.30
#define BESIDE_MAX_M 0.20
#define SAMPLE_M 0.025
#define REACH_M 0.60      /* nothing that is marked lies farther from a pose */
#define LOSES_SHARE 0.03  /* sideways, of the way */
#define LOSES_RADPM 0.015 /* 0.9 degrees a metre */

/* How far beyond the footprint's side the floor is known to be free along all of it. */
static double free_beside(struct cairn_depth_layer *f, struct cairn_pose2 pose, double side)
{
	const struct cairn_footprint *body = &f->params.body;
	double free_m = CAIRN_DEPTH_LAYER_BESIDE_M;
	for (double d = CAIRN_DEPTH_LAYER_BESIDE_M + SAMPLE_M; d <= BESIDE_MAX_M + 1e-9; d += SAMPLE_M) {
		for (double x = -body->rear_m; x <= body->front_m; x += SAMPLE_M) {
			struct cairn_vec2 at =
			    cairn_pose_apply(pose, (struct cairn_vec2){x, side * (body->half_width_m + d)});
			int32_t cx = cairn_depth_layer_cell_of(at.x_m),
				cy = cairn_depth_layer_cell_of(at.y_m);
			if (!cairn_depth_layer_held(f, cx, cy) ||
			    *cairn_depth_layer_at(f, cx, cy) != CAIRN_DEPTH_LAYER_FREE)
				return free_m;
		}
		free_m = d;
	}
	return free_m;
}

static struct cairn_pose2 pose_of(const struct cairn_depth_layer_track *t)
{
	return (struct cairn_pose2){(double)t->x_m, (double)t->y_m, (double)t->yaw_rad};
}

static void put(struct cairn_depth_layer_track *t, struct cairn_pose2 pose)
{
	t->x_m = (float)pose.x_m;
	t->y_m = (float)pose.y_m;
	t->yaw_rad = (float)pose.yaw_rad;
}

static bool within(const struct cairn_depth_layer_track *t, struct cairn_pose2 pose, double m, double rad)
{
	return hypot((double)t->x_m - pose.x_m, (double)t->y_m - pose.y_m) < m &&
	       fabs(cairn_wrap_rad((double)t->yaw_rad - pose.yaw_rad)) < rad;
}

static void remember(struct cairn_depth_layer *f, struct cairn_pose2 pose)
{
	if (f->track_count > 0 && within(&f->track[f->track_count - 1], pose, TRACK_M, TRACK_RAD))
		return;
	for (uint32_t i = 0; i + 1 < f->track_count; i++)
		if (within(&f->track[i], pose, SAME_M, SAME_RAD)) { /* back there */
			f->track_count = i + 1;
			return;
		}
	if (f->track_count == CAIRN_DEPTH_LAYER_TRACK_MAX) { /* the oldest make room */
		f->track_count -= CAIRN_DEPTH_LAYER_TRACK_MAX / 4;
		memmove(f->track, f->track + CAIRN_DEPTH_LAYER_TRACK_MAX / 4,
		    f->track_count * sizeof(f->track[0]));
	}
	struct cairn_depth_layer_track *t = &f->track[f->track_count++];
	put(t, pose);
	t->left_m = (float)free_beside(f, pose, 1.0);
	t->right_m = (float)free_beside(f, pose, -1.0);
}

/* Cells where the robot has been, along the poses at least from_m away, by the greater of x and y. */
static void mark_track(struct cairn_depth_layer *f, double from_m)
{
	double x_m = (f->cx + 0.5) * CAIRN_DEPTH_LAYER_CELL_M, y_m = (f->cy + 0.5) * CAIRN_DEPTH_LAYER_CELL_M;
	double far_m = 0.5 * CAIRN_DEPTH_LAYER_CELLS * CAIRN_DEPTH_LAYER_CELL_M + REACH_M;
	for (uint32_t i = 0; i < f->track_count; i++) {
		const struct cairn_depth_layer_track *t = &f->track[i];
		double away_m = fmax(fabs((double)t->x_m - x_m), fabs((double)t->y_m - y_m));
		if (away_m >= from_m && away_m <= far_m)
			cairn_depth_layer_mark_strip(f, pose_of(t),
			    (struct cairn_depth_layer_strip){CAIRN_DEPTH_LAYER_BESIDE_M, (double)t->left_m,
				(double)t->right_m, 0.0, true});
	}
}

/* The pose of the way that a robot which goes back is at, or NULL. */
static const struct cairn_depth_layer_track *match(const struct cairn_depth_layer *f, struct cairn_pose2 pose)
{
	const struct cairn_depth_layer_track *best = NULL;
	double best_m = MATCH_M;
	for (uint32_t n = 0; n < MATCH_POSES && n < f->track_count; n++) {
		const struct cairn_depth_layer_track *t = &f->track[f->track_count - 1 - n];
		double away_m = hypot((double)t->x_m - pose.x_m, (double)t->y_m - pose.y_m);
		if (away_m >= best_m || fabs(cairn_wrap_rad((double)t->yaw_rad - pose.yaw_rad)) > MATCH_RAD)
			continue;
		best = t;
		best_m = away_m;
	}
	return best;
}

struct cairn_pose2 cairn_depth_layer_fixed(const struct cairn_depth_layer *f, struct cairn_pose2 pose)
{
	return cairn_pose_compose(f->fix, pose);
}

struct cairn_pose2 cairn_depth_layer_track_fix(
    struct cairn_depth_layer *f, struct cairn_pose2 pose, bool back)
{
	double way_m = hypot(pose.x_m - f->last.x_m, pose.y_m - f->last.y_m);
	const struct cairn_depth_layer_track *at =
	    back && f->params.drift_share > 0.0 ? match(f, pose) : NULL;
	if (at == NULL) {
		f->astray_m += way_m;
		return pose;
	}
	struct cairn_pose2 on = pose_of(at), off = cairn_pose_between(on, pose);
	off.y_m -= cairn_clamp(off.y_m, -LOSES_SHARE * way_m, LOSES_SHARE * way_m);
	off.yaw_rad -= cairn_clamp(off.yaw_rad, -LOSES_RADPM * way_m, LOSES_RADPM * way_m);
	struct cairn_pose2 fixed = cairn_pose_compose(on, off);
	f->fix = cairn_pose_compose(cairn_pose_compose(fixed, cairn_pose_inverse(pose)), f->fix);
	f->astray_m = 0.0;
	return fixed;
}

void cairn_depth_layer_track_drive(struct cairn_depth_layer *f, struct cairn_pose2 pose)
{
	if (f->track_shifted)
		mark_track(f, 0.5 * CAIRN_DEPTH_LAYER_CELLS * CAIRN_DEPTH_LAYER_CELL_M - REACH_M);
	f->track_shifted = false;
	remember(f, pose);
}

/* ---- another frame ---- */

/* Obstacles go where they are now, so that none is lost between cells; of the rest each cell is what lay there. */
void cairn_depth_layer_move(struct cairn_depth_layer *f, struct cairn_pose2 was, struct cairn_pose2 now)
{
	if (!f->begun)
		return;
	uint8_t cells[sizeof(f->cells)];
	uint16_t seen_at[sizeof(f->seen_at) / sizeof(f->seen_at[0])];
	const int32_t half = CAIRN_DEPTH_LAYER_CELLS / 2;
	int32_t cx0 = f->cx, cy0 = f->cy;
	memcpy(cells, f->cells, sizeof(cells));
	memcpy(seen_at, f->seen_at, sizeof(seen_at));
	memset(f->cells, CAIRN_DEPTH_LAYER_UNSEEN, sizeof(f->cells));
	f->last = cairn_pose_compose(now, cairn_pose_between(was, f->last));
	f->cx = cairn_depth_layer_cell_of(f->last.x_m);
	f->cy = cairn_depth_layer_cell_of(f->last.y_m);
	for (int32_t cy = f->cy - half; cy < f->cy + half; cy++)
		for (int32_t cx = f->cx - half; cx < f->cx + half; cx++) {
			struct cairn_pose2 here = {(cx + 0.5) * CAIRN_DEPTH_LAYER_CELL_M,
			    (cy + 0.5) * CAIRN_DEPTH_LAYER_CELL_M, 0.0};
			struct cairn_pose2 there = cairn_pose_compose(was, cairn_pose_between(now, here));
			int32_t ox = cairn_depth_layer_cell_of(there.x_m),
				oy = cairn_depth_layer_cell_of(there.y_m);
			bool held =
			    ox >= cx0 - half && ox < cx0 + half && oy >= cy0 - half && oy < cy0 + half;
			if (held && cells[cairn_depth_layer_cell_index(ox, oy)] == CAIRN_DEPTH_LAYER_FREE)
				*cairn_depth_layer_at(f, cx, cy) = CAIRN_DEPTH_LAYER_FREE;
		}
	for (int32_t oy = cy0 - half; oy < cy0 + half; oy++)
		for (int32_t ox = cx0 - half; ox < cx0 + half; ox++) {
			size_t old = cairn_depth_layer_cell_index(ox, oy);
			if (cells[old] != CAIRN_DEPTH_LAYER_OBSTACLE)
				continue;
			struct cairn_pose2 there = {(ox + 0.5) * CAIRN_DEPTH_LAYER_CELL_M,
			    (oy + 0.5) * CAIRN_DEPTH_LAYER_CELL_M, 0.0};
			struct cairn_pose2 here = cairn_pose_compose(now, cairn_pose_between(was, there));
			int32_t cx = cairn_depth_layer_cell_of(here.x_m),
				cy = cairn_depth_layer_cell_of(here.y_m);
			if (!cairn_depth_layer_held(f, cx, cy))
				continue;
			*cairn_depth_layer_at(f, cx, cy) = CAIRN_DEPTH_LAYER_OBSTACLE;
			*cairn_depth_layer_seen_at(f, cx, cy) = seen_at[old];
		}
	for (uint32_t i = 0; i < f->track_count; i++)
		put(&f->track[i], cairn_pose_compose(now, cairn_pose_between(was, pose_of(&f->track[i]))));
	mark_track(f, 0.0);
	cairn_depth_layer_list(f);
}
