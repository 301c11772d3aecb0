#include "common/camera/camera_pose.h"

#define STEEPEST 14.1 /* fall of a line of sight for each metre: steeper ones count as these, 86 degrees */

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct cairn_camera_pose cairn_camera_pose_make(
    struct cairn_camera_mount m, double hfov_rad, double width_px, double height_px)
{
	double cy = cos(m.yaw_rad), sy = sin(m.yaw_rad), cp = cos(m.pitch_rad), sp = sin(m.pitch_rad),
	       cr = cos(m.roll_rad), sr = sin(m.roll_rad);
	return (struct cairn_camera_pose){
	    .width_px = width_px,
	    .height_px = height_px,
	    .focal_px = 0.5 * width_px / tan(0.5 * hfov_rad),
	    .at = {m.x_m, m.y_m, m.z_m},
	    .right = {sy * cr - cy * sp * sr, -cy * cr - sy * sp * sr, -cp * sr},
	    .down = {-cy * sp * cr - sy * sr, cy * sr - sy * sp * cr, -cp * cr},
	    .ahead = {cy * cp, sy * cp, -sp},
	};
}

struct cairn_camera_mount cairn_camera_mount_from(const struct cairn_config *cfg)
{
	const struct cairn_config_robot *r = &cfg->robot;
	return (struct cairn_camera_mount){r->camera_x_m, r->camera_y_m, r->camera_z_m, r->camera_yaw_rad,
	    r->camera_pitch_rad, r->camera_roll_rad};
}

struct cairn_camera_pose cairn_camera_pose_from(const struct cairn_config *cfg, int width_px, int height_px)
{
	return cairn_camera_pose_make(
	    cairn_camera_mount_from(cfg), cfg->robot.camera_hfov_rad, width_px, height_px);
}

static void turn(double axis[3], double c, double s)
{
	double x = axis[0];
	axis[0] = c * x - s * axis[1];
	axis[1] = s * x + c * axis[1];
}

struct cairn_camera_pose cairn_camera_pose_in_map(
    const struct cairn_camera_pose *on_robot, struct cairn_pose2 robot)
{
	struct cairn_camera_pose pose = *on_robot;
	struct cairn_vec2 at = cairn_pose_apply(robot, (struct cairn_vec2){pose.at[0], pose.at[1]});
	double c = cos(robot.yaw_rad), s = sin(robot.yaw_rad);
	pose.at[0] = at.x_m;
	pose.at[1] = at.y_m;
	turn(pose.right, c, s);
	turn(pose.down, c, s);
	turn(pose.ahead, c, s);
	return pose;
}

struct cairn_camera_mount cairn_camera_pose_mount(const struct cairn_camera_pose *p)
{
	return (struct cairn_camera_mount){.x_m = p->at[0],
	    .y_m = p->at[1],
	    .z_m = p->at[2],
	    .yaw_rad = atan2(p->ahead[1], p->ahead[0]),
	    .pitch_rad = atan2(-p->ahead[2], hypot(p->ahead[0], p->ahead[1])),
	    .roll_rad = atan2(-p->right[2], -p->down[2])};
}

void cairn_camera_from_optical(
    const struct cairn_camera_pose *pose, const double optical[3], double ret_point[3])
{
	double right = optical[0], down = optical[1], ahead = optical[2];
	for (int k = 0; k < 3; k++)
		ret_point[k] =
		    pose->at[k] + right * pose->right[k] + down * pose->down[k] + ahead * pose->ahead[k];
}

void cairn_camera_to_optical(
    const struct cairn_camera_pose *pose, const double point[3], double ret_optical[3])
{
	double d[3] = {point[0] - pose->at[0], point[1] - pose->at[1], point[2] - pose->at[2]};
	ret_optical[0] = dot(pose->right, d);
	ret_optical[1] = dot(pose->down, d);
	ret_optical[2] = dot(pose->ahead, d);
}

void cairn_camera_point(
    const struct cairn_camera_pose *pose, struct cairn_pixel pixel, double depth_m, double ret_point[3])
{
	double right = (pixel.u - 0.5 * pose->width_px) / pose->focal_px,
	       down = (pixel.v - 0.5 * pose->height_px) / pose->focal_px;
	cairn_camera_from_optical(pose, (double[3]){right * depth_m, down * depth_m, depth_m}, ret_point);
}

static struct cairn_pixel pixel_of(const struct cairn_camera_pose *pose, const double o[3])
{
	return (struct cairn_pixel){0.5 * pose->width_px + pose->focal_px * o[0] / o[2],
	    0.5 * pose->height_px + pose->focal_px * o[1] / o[2]};
}

static bool finite3(const double p[3])
{
	return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

bool cairn_camera_pixel(
    const struct cairn_camera_pose *pose, const double point[3], struct cairn_pixel *ret, double *ret_depth_m)
{
	double o[3];
	cairn_camera_to_optical(pose, point, o);
	if (!finite3(o) || !(o[2] >= CAIRN_CAMERA_NEAR_M))
		return false;
	*ret = pixel_of(pose, o);
	*ret_depth_m = o[2];
	return true;
}

bool cairn_camera_floor_line(const struct cairn_camera_pose *pose, struct cairn_vec2 a, struct cairn_vec2 b,
    struct cairn_pixel *ret_a, struct cairn_pixel *ret_b)
{
	double oa[3], ob[3];
	cairn_camera_to_optical(pose, (double[3]){a.x_m, a.y_m, 0.0}, oa);
	cairn_camera_to_optical(pose, (double[3]){b.x_m, b.y_m, 0.0}, ob);
	bool a_near = oa[2] < CAIRN_CAMERA_NEAR_M, b_near = ob[2] < CAIRN_CAMERA_NEAR_M;
	if (!finite3(oa) || !finite3(ob) || (a_near && b_near))
		return false;
	if (a_near || b_near) {
		double t = (CAIRN_CAMERA_NEAR_M - oa[2]) / (ob[2] - oa[2]), *cut = a_near ? oa : ob;
		for (int k = 0; k < 2; k++)
			cut[k] = oa[k] + t * (ob[k] - oa[k]);
		cut[2] = CAIRN_CAMERA_NEAR_M;
	}
	*ret_a = pixel_of(pose, oa);
	*ret_b = pixel_of(pose, ob);
	return true;
}

/* The picture is a pyramid of four planes through the camera. A line of sight is on the inner side of one where level + fall * down
 * is not negative. */
bool cairn_camera_falls(
    const struct cairn_camera_pose *pose, double bearing_rad, double *ret_least, double *ret_most)
{
	double along[3] = {cos(bearing_rad), sin(bearing_rad), 0.0}, least = -INFINITY, most = INFINITY;
	for (int side = 0; side < 4; side++) {
		const double *axis = side < 2 ? pose->right : pose->down;
		double half = 0.5 * (side < 2 ? pose->width_px : pose->height_px) / pose->focal_px,
		       sign = side % 2 == 0 ? 1.0 : -1.0;
		double level = half * dot(pose->ahead, along) - sign * dot(axis, along),
		       down = sign * axis[2] - half * pose->ahead[2];
		if (down > 0.0)
			least = fmax(least, -level / down);
		else if (down < 0.0)
			most = fmin(most, -level / down);
		else if (level < 0.0)
			return false;
	}
	*ret_least = least;
	*ret_most = most;
	return least <= most;
}

double cairn_camera_shown_from_m(const struct cairn_camera_pose *pose, double bearing_rad, double height_m)
{
	double least, most;
	bool shown = cairn_camera_falls(pose, bearing_rad, &least, &most) && most > 0.0;
	return shown ? fmax(pose->at[2] - height_m, 0.0) / fmin(most, STEEPEST) : INFINITY;
}

double cairn_camera_faces_rad(const struct cairn_camera_pose *on_robot, double distance_m)
{
	double yaw_rad = atan2(on_robot->ahead[1], on_robot->ahead[0]);
	double aside_m = on_robot->at[0] * sin(yaw_rad) - on_robot->at[1] * cos(yaw_rad);
	return yaw_rad - asin(cairn_clamp(aside_m / fmax(distance_m, 1e-6), -1.0, 1.0));
}
