/* follow.h - regulated pure pursuit along a path with forward and backward legs.
 *
 * Pure pursuit (Coulter 1992): curvature 2 y / L^2 toward a point ("carrot") a lookahead ahead on the path,
 * in the robot frame; it holds for backward legs as well. Regulation as in Macenski et al. 2023 ("Regulated
 * Pure Pursuit for Robot Path Tracking"): slower in curves, near obstacles, before the end of a leg. Beyond a
 * leg's end the carrot runs on straight, so that the leg ends with the right heading. |w| <= |v| /
 * turn_radius_min always.
 *
 * A turn in place is a leg of its own: the robot turns, standing, until it has the heading of the leg's last pose, slower toward
 * the end. */
#ifndef CAIRN_COMMON_PLAN_FOLLOW_H
#define CAIRN_COMMON_PLAN_FOLLOW_H

#include "common/plan/path.h"

#define CAIRN_FOLLOW_TURN_RADPS 0.70 /* turning faster blurs the scan and outruns the steering */

struct cairn_follow_params {
	double speed_mps, speed_reverse_mps;
	double lookahead_m; /* on straight legs; shorter in curves */
	double turn_radius_min_m;
	double turn_rate_max_radps; /* in place */
	double decel_mps2;          /* planned for toward the end of a leg */
	double stuck_s;             /* commanded to move for this long without moving */
};

enum cairn_follow_status {
	CAIRN_FOLLOW_IDLE, /* no path */
	CAIRN_FOLLOW_DRIVING,
	CAIRN_FOLLOW_ENDED,
	CAIRN_FOLLOW_OFF_TRACK, /* too far from the path or turned away from it */
	CAIRN_FOLLOW_STUCK
};

struct cairn_follow_input {
	struct cairn_pose2 pose;
	double speed_max_mps; /* limit of the goal */
	double room_m;        /* footprint to the nearest obstacle; INFINITY = unknown or none */
	bool held; /* somebody downstream holds the wheels on purpose: standing is not being stuck */
	int64_t now_ns;
};

struct cairn_follow_output {
	enum cairn_follow_status status;
	struct cairn_twist twist; /* zero unless DRIVING */
	double remaining_m;
};

/* Where the robot was when it last moved on. */
struct cairn_safety_cost {
	struct cairn_pose2 pose;
	int64_t t_ns;
	bool set;
};

struct cairn_follower {
	struct cairn_follow_params params;
	const struct cairn_path *path;  /* borrowed */
	double along_m[CAIRN_PATH_MAX]; /* path length up to each pose */
	int at;                         /* pose the robot has passed or is at */
	int leg_end;                    /* last pose of the leg in hand */
	struct cairn_safety_cost slow, quick;
};

/* Regulated speed, at most top_mps: v <= CAIRN_FOLLOW_TURN_RADPS / |curvature|; v <= 0.06 + 1.45 * room_m
 * (1/s) near obstacles; v <= sqrt(2 decel left_m) toward the end of a leg; never below 0.05 m/s or top_mps,
 * so that the end is reached. */
double cairn_follow_speed_mps(const struct cairn_follow_params *params, double top_mps, double curvature_1pm,
    double room_m, double left_m);

void cairn_follower_init(struct cairn_follower *f, const struct cairn_follow_params *params);
/* path is borrowed until the next call; NULL or empty: none. */
void cairn_follower_set_path(struct cairn_follower *f, const struct cairn_path *path);
void cairn_follower_step(
    struct cairn_follower *f, const struct cairn_follow_input *in, struct cairn_follow_output *out);

/* Has the robot moved by step_m (or turned by as many radians times three) since; if so the mark moves.
 * Seconds since it last did. */
double cairn_safety_cost_idle_s(
    struct cairn_safety_cost *mark, const struct cairn_pose2 *pose, double step_m, int64_t now_ns);

#endif
