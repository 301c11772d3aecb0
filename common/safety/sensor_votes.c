#include "common/safety/sensor_votes.h"

#include <math.h>
#include <stdio.h>

#define TURN_KEEP 0.8        /* share of older turning that is kept with each piece */
#define WAY_KEEP 0.85        /* and of the way: about six pieces of 0.1 m count */
#define TURN_MIN_RAD2 0.012  /* two witnesses of 0.08 rad each */
#define STEER_MIN_RAD2 0.035 /* what was commanded is told less well: lag, wheel slip */
#define AGREE 0.3            /* by the measure of the header; a scale that is off by three still agrees */
#define STEER_AGREE 0.1
#define SD_MAX_RAD 0.03 /* turning that the LiDAR shows less well than this is not heard */
#define SD_MAX_M 0.025
#define WAY_MIN_M 0.025    /* a piece is heard of the way from here on */
#define SHOWN_SHARE 0.4    /* of the way, at the least: else the wheels slip */
#define ANGLE_MIN_RAD 0.22 /* between the ways, however far they are */
#define ERROR_M 0.005      /* of one piece, besides what the LiDAR says of it: 2 mm by the median */
#define SD_TIMES 1.5       /* what it says is optimistic */
#define SURE 4.0           /* standard deviations */
#define LONGER 1.6         /* the LiDAR shows so much more way than the wheels count, over LONGER_M */
#define LONGER_M2 0.025    /* as the sum of squares: three pieces of 0.1 m */

void cairn_sensor_votes_clear(struct cairn_sensor_votes *v)
{
	*v = (struct cairn_sensor_votes){.heard = v->heard, .contradicted = v->contradicted};
}

static void hear(struct cairn_votes_pair *p, double a, double b)
{
	p->aa = TURN_KEEP * p->aa + a * a;
	p->bb = TURN_KEEP * p->bb + b * b;
	p->ab = TURN_KEEP * p->ab + a * b;
}

static bool heard_enough(const struct cairn_votes_pair *p, double min_rad2)
{
	return p->aa + p->bb >= min_rad2;
}

/* 1: the same, -1: the mirror image, 0: one of them says nothing. */
static double likeness(const struct cairn_votes_pair *p)
{
	double all = p->aa + p->bb;
	return all > 0.0 ? 2.0 * p->ab / all : 0.0;
}

/* NULL, or who is the odd one out. */
static const char *turning_fault(const struct cairn_sensor_votes *v)
{
	double gyro_steering = likeness(&v->gyro_steering), scan_steering = likeness(&v->scan_steering);
	if (heard_enough(&v->scan_gyro, TURN_MIN_RAD2) && likeness(&v->scan_gyro) < AGREE) {
		if (scan_steering > AGREE && gyro_steering < AGREE)
			return "the gyro turns otherwise than LiDAR and steering: sign or axis "
			       "(robot.gyro_axis)";
		if (gyro_steering > AGREE && scan_steering < AGREE)
			return "the LiDAR turns otherwise than gyro and steering: mirrored "
			       "(robot.lidar_mirrored)";
		return "LiDAR and gyro turn in different ways: one of them has a wrong sign";
	}
	if (heard_enough(&v->gyro_steering, STEER_MIN_RAD2) && gyro_steering < STEER_AGREE &&
	    scan_steering < STEER_AGREE)
		return "the robot turns otherwise than it is steered: wrong sign (robot.steer_scale)";
	return NULL;
}

static void hear_way(struct cairn_sensor_votes *v, const struct cairn_votes_piece *piece)
{
	struct cairn_pose2 s = piece->scan.moved, w = piece->odometry;
	double way_m = hypot(w.x_m, w.y_m), shown_m = hypot(s.x_m, s.y_m);
	bool sure = fmax(piece->scan.sd_m[0], piece->scan.sd_m[1]) <= SD_MAX_M;
	if (!sure || way_m < WAY_MIN_M || shown_m < SHOWN_SHARE * way_m)
		return;
	v->along_m2 = WAY_KEEP * v->along_m2 + w.x_m * s.x_m + w.y_m * s.y_m;
	v->across_m2 = WAY_KEEP * v->across_m2 + w.x_m * s.y_m - w.y_m * s.x_m;
	v->way_m2 = WAY_KEEP * v->way_m2 + way_m * way_m;
	v->seen_m2 = WAY_KEEP * v->seen_m2 + shown_m * shown_m;
	double error_m = hypot(ERROR_M, SD_TIMES * fmax(piece->scan.sd_m[0], piece->scan.sd_m[1]));
	v->error_m4 = WAY_KEEP * WAY_KEEP * v->error_m4 + way_m * way_m * error_m * error_m;
}

static bool way_fault(struct cairn_sensor_votes *v)
{
	double angle_rad = atan2(v->across_m2, v->along_m2);
	if (v->way_m2 < WAY_MIN_M * WAY_MIN_M)
		return false;
	if (fabs(angle_rad) > ANGLE_MIN_RAD + SURE * sqrt(v->error_m4) / v->way_m2) {
		double deg = cairn_rad_to_deg(angle_rad);
		snprintf(v->fault, sizeof(v->fault),
		    fabs(deg) > 150.0
			? "LiDAR shows motion opposite to the wheels': turned, or drive and encoders reversed"
			: "LiDAR shows motion %.0f degrees %s of the wheels': turned (robot.lidar_yaw_rad)",
		    fabs(deg), deg > 0.0 ? "left" : "right");
		return true;
	}
	if (v->way_m2 >= LONGER_M2 && v->seen_m2 > LONGER * LONGER * v->way_m2) {
		snprintf(v->fault, sizeof(v->fault),
		    "LiDAR shows %.1f times the way that wheels count (robot.encoder_ticks_per_m)",
		    sqrt(v->seen_m2 / v->way_m2));
		return true;
	}
	return false;
}

bool cairn_sensor_votes_hear(struct cairn_sensor_votes *v, const struct cairn_votes_piece *piece)
{
	double gyro_rad = piece->odometry.yaw_rad, scan_rad = piece->scan.moved.yaw_rad;
	if (v->fault[0] != '\0')
		return false;
	v->heard++;
	bool steered = isfinite(piece->steering_rad), sure = piece->scan.sd_rad <= SD_MAX_RAD;
	if (steered)
		hear(&v->gyro_steering, gyro_rad, piece->steering_rad);
	if (sure)
		hear(&v->scan_gyro, scan_rad, gyro_rad);
	if (sure && steered)
		hear(&v->scan_steering, scan_rad, piece->steering_rad);
	hear_way(v, piece);
	const char *turning = turning_fault(v);
	if (turning != NULL)
		snprintf(v->fault, sizeof(v->fault), "%s", turning);
	if (turning == NULL && !way_fault(v))
		return true;
	v->contradicted++;
	return false;
}
