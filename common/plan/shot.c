#include "common/plan/shot.h"

#include <stddef.h>

static double positive_angle(double rad)
{
	double r = fmod(rad, 2.0 * M_PI);
	return r < 0.0 ? r + 2.0 * M_PI : r;
}

/* A backward path is a forward path of the robot that looks the other way: x -> -x in its frame, which swaps
 * left and right. */
static struct cairn_vec2 goal_in_frame(const struct cairn_pose2 *from, double x_m, double y_m, bool reverse)
{
	struct cairn_pose2 p = cairn_pose_between(*from, (struct cairn_pose2){x_m, y_m, 0.0});
	return (struct cairn_vec2){reverse ? -p.x_m : p.x_m, p.y_m};
}

bool cairn_shot_to_point(struct cairn_shot *shot, const struct cairn_pose2 *from, double x_m, double y_m,
    double radius_m, bool reverse)
{
	struct cairn_vec2 g = goal_in_frame(from, x_m, y_m, reverse);
	bool found = false;
	for (int side = -1; side <= 1; side += 2) {
		/* Mirror right turns to left ones: circle centre (0, r). */
		double gx = g.x_m, gy = (double)side * g.y_m - radius_m;
		double d2 = gx * gx + gy * gy;
		if (d2 < radius_m * radius_m)
			continue;
		double straight = sqrt(d2 - radius_m * radius_m);
		/* Heading at which the tangent meets the goal. */
		double turn = positive_angle(atan2(gy, gx) + atan2(radius_m, straight));
		if (turn > 2.0 * M_PI - 1e-9)
			turn = 0.0;
		double length = turn * radius_m + straight;
		if (found && length >= shot->length_m)
			continue;
		double curvature = (double)side / radius_m;
		*shot = (struct cairn_shot){.part = {{curvature, turn * radius_m}, {0.0, straight}},
		    .parts = 2,
		    .reverse = reverse,
		    .length_m = length};
		found = true;
	}
	return found;
}

/* Dubins words in the normalised frame: start (0, 0, a), goal (d, 0, b), radius 1. t, p, q are the three
 * lengths. */
struct word {
	double t, p, q;
	int s1, s2, s3; /* left 1, straight 0, right -1 */
	bool ok;
};

/* From the centre of the first circle (side k1 of the start) to that of the last (side k3 of the goal). */
static struct cairn_vec2 between_centres(double a, double b, double d, double k1, double k3)
{
	return (struct cairn_vec2){d + k1 * sin(a) - k3 * sin(b), k3 * cos(b) - k1 * cos(a)};
}

static struct word same_side(double a, double b, double d, int side)
{
	double k = (double)side;
	struct cairn_vec2 c = between_centres(a, b, d, k, k);
	double heading = atan2(c.y_m, c.x_m);
	return (struct word){positive_angle(k * (heading - a)), hypot(c.x_m, c.y_m),
	    positive_angle(k * (b - heading)), side, 0, side, true};
}

static struct word cross_side(double a, double b, double d, int side)
{
	double k = (double)side;
	struct cairn_vec2 c = between_centres(a, b, d, k, -k);
	double p2 = c.x_m * c.x_m + c.y_m * c.y_m - 4.0;
	if (p2 < 0.0)
		return (struct word){.ok = false};
	/* The inner tangent leaves the line between the centres by atan(2 / p) toward the turning side. */
	double p = sqrt(p2), heading = atan2(c.y_m, c.x_m) + k * atan2(2.0, p);
	return (struct word){
	    positive_angle(k * (heading - a)), p, positive_angle(k * (heading - b)), side, 0, -side, true};
}

/* The middle circle touches both outer ones; it can lie on either side of the line between them. */
static struct word three_turns(double a, double b, double d, int side)
{
	double k = (double)side;
	struct cairn_vec2 c = between_centres(a, b, d, k, k);
	double dist = hypot(c.x_m, c.y_m), line = atan2(c.y_m, c.x_m);
	struct word best = {.ok = false};
	if (dist > 4.0)
		return best;
	double open = acos(dist / 4.0);
	for (int pick = -1; pick <= 1; pick += 2) {
		double h1 =
		    line + (double)pick * open + k * M_PI_2; /* heading where the first circle is left */
		double h2 =
		    line + M_PI - (double)pick * open + k * M_PI_2; /* and where the last one is joined */
		struct word w = {positive_angle(k * (h1 - a)), positive_angle(k * (h1 - h2)),
		    positive_angle(k * (b - h2)), side, -side, side, true};
		if (!best.ok || w.t + w.p + w.q < best.t + best.p + best.q)
			best = w;
	}
	return best;
}

/* Does the word end at the goal? Guards the closed forms against their own degenerate cases. */
static bool word_ends(const struct word *w, double a, double b, double d)
{
	double len[3] = {w->t, w->p, w->q};
	int turn[3] = {w->s1, w->s2, w->s3};
	struct cairn_pose2 pose = {0.0, 0.0, a};
	for (int i = 0; i < 3; i++)
		pose = cairn_pose_advance(pose, (struct cairn_twist){1.0, (double)turn[i]}, len[i]);
	return hypot(pose.x_m - d, pose.y_m) < 1e-6 && fabs(cairn_wrap_rad(pose.yaw_rad - b)) < 1e-6;
}

bool cairn_shot_to_pose(struct cairn_shot *shot, const struct cairn_pose2 *from, const struct cairn_pose2 *to,
    double radius_m, bool reverse)
{
	struct cairn_pose2 rel = cairn_pose_between(*from, *to);
	double gx = reverse ? -rel.x_m : rel.x_m, gy = rel.y_m, gyaw = reverse ? -rel.yaw_rad : rel.yaw_rad;
	double d = hypot(gx, gy) / radius_m, line = atan2(gy, gx);
	double a = -line, b = gyaw - line;
	struct word words[6];
	for (int i = 0; i < 2; i++) {
		words[i] = same_side(a, b, d, i == 0 ? 1 : -1);
		words[2 + i] = cross_side(a, b, d, i == 0 ? 1 : -1);
		words[4 + i] = three_turns(a, b, d, i == 0 ? 1 : -1);
	}
	const struct word *best = NULL;
	double best_len = INFINITY;
	for (int i = 0; i < 6; i++) {
		double len = words[i].t + words[i].p + words[i].q;
		if (words[i].ok && len < best_len && word_ends(&words[i], a, b, d)) {
			best = &words[i];
			best_len = len;
		}
	}
	if (best == NULL)
		return false;
	/* Turning left in the mirrored frame of a backward path is curvature to the left of the same sign in
	 * y. */
	*shot = (struct cairn_shot){.part = {{(double)best->s1 / radius_m, best->t * radius_m},
					{(double)best->s2 / radius_m, best->p * radius_m},
					{(double)best->s3 / radius_m, best->q * radius_m}},
	    .parts = 3,
	    .reverse = reverse,
	    .length_m = best_len * radius_m};
	return true;
}

struct cairn_shot_walk cairn_shot_walk_begin(const struct cairn_shot *shot, const struct cairn_pose2 *from)
{
	return (struct cairn_shot_walk){
	    .shot = shot, .from = *from, .c = cos(from->yaw_rad), .s = sin(from->yaw_rad)};
}

/* Where s_m of the part in hand, which turns, leads, seen from where it begins: yaw changes by curvature
 * times signed travel. */
static struct cairn_pose2 turned(const struct cairn_shot_walk *w, double s_m)
{
	double sign = w->shot->reverse ? -1.0 : 1.0;
	return cairn_twist_step((struct cairn_twist){sign, sign * w->shot->part[w->part].curvature_1pm}, s_m);
}

static bool straight(const struct cairn_shot_walk *w)
{
	return w->shot->part[w->part].curvature_1pm == 0.0;
}

/* Where s_m of the part in hand leads. */
static struct cairn_vec2 place_along(
    const struct cairn_shot_walk *w, const struct cairn_pose2 *turn, double s_m)
{
	double ahead = w->shot->reverse ? -s_m : s_m;
	if (straight(w))
		return (struct cairn_vec2){w->from.x_m + w->c * ahead, w->from.y_m + w->s * ahead};
	return (struct cairn_vec2){w->from.x_m + w->c * turn->x_m - w->s * turn->y_m,
	    w->from.y_m + w->s * turn->x_m + w->c * turn->y_m};
}

static struct cairn_pose2 along_part(const struct cairn_shot_walk *w, double s_m)
{
	struct cairn_pose2 turn = straight(w) ? (struct cairn_pose2){0} : turned(w, s_m);
	struct cairn_vec2 at = place_along(w, &turn, s_m);
	double yaw_rad = w->from.yaw_rad;
	return (struct cairn_pose2){
	    at.x_m, at.y_m, straight(w) ? yaw_rad : cairn_wrap_rad(yaw_rad + turn.yaw_rad)};
}

void cairn_shot_walk_on(struct cairn_shot_walk *w, double s_m)
{
	const struct cairn_shot *shot = w->shot;
	while (w->part + 1 < shot->parts && s_m - w->done_m > shot->part[w->part].length_m) {
		double length_m = shot->part[w->part].length_m;
		w->from = along_part(w, length_m);
		if (!straight(w)) {
			w->c = cos(w->from.yaw_rad);
			w->s = sin(w->from.yaw_rad);
		}
		w->done_m += length_m;
		w->part++;
	}
}

/* How much of the part in hand is behind one who is s_m along the shot. */
static double of_part(const struct cairn_shot_walk *w, double s_m)
{
	return cairn_smaller(s_m - w->done_m, w->shot->part[w->part].length_m);
}

struct cairn_vec2 cairn_shot_walk_place(const struct cairn_shot_walk *w, double s_m)
{
	double part_m = of_part(w, s_m);
	struct cairn_pose2 turn = straight(w) ? (struct cairn_pose2){0} : turned(w, part_m);
	return place_along(w, &turn, part_m);
}

struct cairn_pose2 cairn_shot_walk_to(struct cairn_shot_walk *w, double s_m, double *ret_c, double *ret_s)
{
	cairn_shot_walk_on(w, s_m);
	struct cairn_pose2 pose = along_part(w, of_part(w, s_m));
	*ret_c = straight(w) ? w->c : cos(pose.yaw_rad);
	*ret_s = straight(w) ? w->s : sin(pose.yaw_rad);
	return pose;
}

struct cairn_pose2 cairn_shot_at(const struct cairn_shot *shot, const struct cairn_pose2 *from, double s_m)
{
	struct cairn_shot_walk w = cairn_shot_walk_begin(shot, from);
	cairn_shot_walk_on(&w, s_m);
	return along_part(&w, of_part(&w, s_m));
}
