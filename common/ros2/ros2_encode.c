/* ros2_encode.c - one function a row of ros2_types.def: the values in the order of its fields. */
#include "common/ros2/ros2.h"

#define SCAN_RAYS_MAX (sizeof(((struct cairn_msg_scan *)0)->range_m) / sizeof(float))

static void put_time(struct cairn_cdr *c, int64_t unix_ns)
{
	int64_t s = unix_ns / CAIRN_NS_PER_S, ns = unix_ns % CAIRN_NS_PER_S;
	if (ns < 0) { /* nanosec counts upward from the second before */
		s--;
		ns += CAIRN_NS_PER_S;
	}
	cairn_cdr_put_i32(c, (int32_t)s);
	cairn_cdr_put_u32(c, (uint32_t)ns);
}

void cairn_ros2_put_header(struct cairn_cdr *c, int64_t unix_ns, const char *frame_id)
{
	put_time(c, unix_ns);
	cairn_cdr_put_text(c, frame_id);
}

void cairn_ros2_put_f64s(struct cairn_cdr *c, const double *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		cairn_cdr_put_f64(c, values[i]);
}

static void put_point(struct cairn_cdr *c, double x, double y, double z)
{
	cairn_ros2_put_f64s(c, (const double[]){x, y, z}, 3);
}

/* Roll about x, then pitch about y, then yaw about z, each about the axes of the parent. */
static void put_quaternion(struct cairn_cdr *c, double roll_rad, double pitch_rad, double yaw_rad)
{
	double cr = cos(0.5 * roll_rad), sr = sin(0.5 * roll_rad);
	double cp = cos(0.5 * pitch_rad), sp = sin(0.5 * pitch_rad);
	double cy = cos(0.5 * yaw_rad), sy = sin(0.5 * yaw_rad);
	cairn_ros2_put_f64s(c,
	    (const double[]){sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy,
		cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy},
	    4);
}

void cairn_ros2_put_pose(struct cairn_cdr *c, double x_m, double y_m, double z_m, double yaw_rad)
{
	put_point(c, x_m, y_m, z_m);
	put_quaternion(c, 0.0, 0.0, yaw_rad);
}

static void put_pose(struct cairn_cdr *c, double x_m, double y_m, double yaw_rad)
{
	cairn_ros2_put_pose(c, x_m, y_m, 0.0, yaw_rad);
}

/* The rays of ROS are evenly spaced, those of a LiDAR nearly: each goes to the nearest of as many directions between the
 * first and the last. Of several in one the nearest return counts; a direction without any is not a number, one that was
 * looked into without a return infinity (REP-117). */
static uint32_t spread(
    const struct cairn_msg_scan *s, float *ret_first_rad, float *ret_step_rad, float ranges[SCAN_RAYS_MAX])
{
	float first = INFINITY, last = -INFINITY;
	uint32_t count = s->range_m_count < s->angle_rad_count ? s->range_m_count : s->angle_rad_count;
	for (uint32_t i = 0; i < count; i++) {
		float a = (float)cairn_wrap_rad(s->angle_rad[i]);
		first = fminf(first, a);
		last = fmaxf(last, a);
		ranges[i] = NAN;
	}
	*ret_first_rad = isfinite(first) ? first : 0.0f;
	*ret_step_rad = count > 1 && last > first ? (last - first) / (float)(count - 1) : 0.0f;
	for (uint32_t i = 0; i < count; i++) {
		float at = *ret_step_rad > 0.0f
			       ? ((float)cairn_wrap_rad(s->angle_rad[i]) - first) / *ret_step_rad
			       : 0.0f;
		if (!(at >= 0.0f && at < (float)count)) /* not a number */
			continue;
		uint32_t k = (uint32_t)lroundf(at);
		float range = s->range_m[i] > 0.0f ? s->range_m[i] : INFINITY;
		if (k < count && !(range >= ranges[k]))
			ranges[k] = range;
	}
	return count;
}

/* cairn tells directions of the robot frame, so the frame "laser" is turned like the robot. The stamp is the end of the turn,
 * as the poses of the mapper go with it; time_increment is 0, since the order of the rays is not that in which they were
 * measured. */
void cairn_ros2_put_laser_scan(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_scan *s = from;
	float first_rad, step_rad, ranges[SCAN_RAYS_MAX];
	uint32_t count = spread(s, &first_rad, &step_rad, ranges);
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_LASER);
	cairn_cdr_put_f32(c, first_rad);
	cairn_cdr_put_f32(c, first_rad + step_rad * (float)(count > 0 ? count - 1 : 0));
	cairn_cdr_put_f32(c, step_rad);
	cairn_cdr_put_f32(c, 0.0f); /* time_increment */
	cairn_cdr_put_f32(c, 0.0f); /* scan_time: not known */
	cairn_cdr_put_f32(c, s->range_min_m);
	cairn_cdr_put_f32(c, s->range_max_m);
	cairn_cdr_put_u32(c, count);
	for (uint32_t i = 0; i < count; i++)
		cairn_cdr_put_f32(c, ranges[i]);
	cairn_cdr_put_u32(c, 0); /* intensities */
}

void cairn_ros2_put_odometry(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	static const double unknown[36];
	const struct cairn_msg_odom *o = from;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_ODOM);
	cairn_cdr_put_text(c, CAIRN_ROS2_FRAME_BASE);
	put_pose(c, o->x_m, o->y_m, o->yaw_rad);
	cairn_ros2_put_f64s(c, unknown, 36);
	put_point(c, o->v_mps, 0.0, 0.0);
	put_point(c, 0.0, 0.0, o->w_radps);
	cairn_ros2_put_f64s(c, unknown, 36);
}

void cairn_ros2_put_pose_stamped(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_pose *p = from;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	put_pose(c, p->x_m, p->y_m, p->yaw_rad);
}

/* x and y alike, and yaw: what the mapper tells of its match. */
void cairn_ros2_put_pose_covariance(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_pose *p = from;
	double covariance[36] = {0};
	covariance[0] = covariance[7] = p->sigma_xy_m * p->sigma_xy_m;
	covariance[35] = p->sigma_yaw_rad * p->sigma_yaw_rad;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	put_pose(c, p->x_m, p->y_m, p->yaw_rad);
	cairn_ros2_put_f64s(c, covariance, 36);
}

void cairn_ros2_put_twist(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_motion *m = from;
	(void)unix_ns; /* it has no header */
	put_point(c, m->v_mps, 0.0, 0.0);
	put_point(c, 0.0, 0.0, m->w_radps);
}

void cairn_ros2_put_twist_stamped(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_BASE);
	cairn_ros2_put_twist(c, unix_ns, from);
}

void cairn_ros2_put_path(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_nav_path *p = from;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	cairn_cdr_put_u32(c, p->points_count);
	for (uint32_t i = 0; i < p->points_count; i++) {
		cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
		put_pose(c, p->points[i].x_m, p->points[i].y_m, p->points[i].yaw_rad);
	}
}

void cairn_ros2_put_battery_state(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_battery *b = from;
	cairn_ros2_put_header(c, unix_ns, "");
	cairn_cdr_put_f32(c, (float)b->voltage_v);
	for (int i = 0; i < 5; i++) /* temperature, current, charge, two capacities: not measured */
		cairn_cdr_put_f32(c, NAN);
	cairn_cdr_put_f32(c, b->percent >= 0.0 ? (float)(b->percent / 100.0) : NAN);
	for (int i = 0; i < 3; i++) /* status, health, technology: unknown */
		cairn_cdr_put_u8(c, 0);
	cairn_cdr_put_bool(c, true); /* present */
	cairn_cdr_put_u32(c, 0);     /* cell_voltage */
	cairn_cdr_put_u32(c, 0);     /* cell_temperature */
	cairn_cdr_put_text(c, "");   /* location */
	cairn_cdr_put_text(c, "");   /* serial_number */
}

/* A vector and its covariance, whose first value is -1 where there is no vector. */
static void put_measured(struct cairn_cdr *c, const double *xyz, uint32_t count)
{
	double covariance[9] = {count < 3 ? -1.0 : 0.0};
	cairn_ros2_put_f64s(c, count < 3 ? (const double[3]){0} : xyz, 3);
	cairn_ros2_put_f64s(c, covariance, 9);
}

void cairn_ros2_put_imu(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	static const double unknown[9];
	const struct cairn_msg_imu *m = from;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_BASE);
	put_quaternion(c, m->roll_rad, m->pitch_rad, m->yaw_rad);
	cairn_ros2_put_f64s(c, unknown, 9);
	put_measured(c, m->gyro_radps, m->gyro_radps_count);
	put_measured(c, m->accel_mps2, m->accel_mps2_count);
}

void cairn_ros2_put_tf(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_transforms *t = from;
	cairn_cdr_put_u32(c, t->count);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct cairn_ros2_transform *it = &t->items[i];
		cairn_ros2_put_header(c, unix_ns, it->parent);
		cairn_cdr_put_text(c, it->child);
		put_point(c, it->pose.x_m, it->pose.y_m, it->z_m);
		put_quaternion(c, it->roll_rad, it->pitch_rad, it->pose.yaw_rad);
	}
}

void cairn_ros2_put_log_line(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	static const uint8_t levels[] = {
	    [CAIRN_LOG_ERROR] = 40, [CAIRN_LOG_WARN] = 30, [CAIRN_LOG_INFO] = 20, [CAIRN_LOG_DEBUG] = 10};
	const struct cairn_ros2_log_line *l = from;
	put_time(c, unix_ns);
	cairn_cdr_put_u8(c, levels[l->level]);
	cairn_cdr_put_text(c, l->name);
	cairn_cdr_put_text(c, l->text);
	cairn_cdr_put_text(c, l->file);
	cairn_cdr_put_text(c, ""); /* function: cairn's lines tell file and line */
	cairn_cdr_put_u32(c, l->line);
}

void cairn_ros2_put_occupancy_grid(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_frame *f = from;
	const struct cairn_frame_header *h = f->hdr;
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	put_time(c, unix_ns);
	cairn_cdr_put_f32(c, (float)h->cell_m);
	cairn_cdr_put_u32(c, h->width);
	cairn_cdr_put_u32(c, h->height);
	put_pose(c, h->origin_x_m, h->origin_y_m, 0.0);
	cairn_cdr_put_u32(c, h->width * h->height);
	for (uint32_t y = 0; y < h->height; y++) {
		const uint8_t *row = (const uint8_t *)f->payload + (size_t)y * h->stride_bytes;
		/* 0 to 100 as they are; unknown, 255, has the same bits as -1. */
		cairn_cdr_put_bytes(c, row, h->width);
	}
}

void cairn_ros2_put_image(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_frame *f = from;
	const struct cairn_frame_header *h = f->hdr;
	uint32_t bytes = h->height * h->stride_bytes;
	cairn_ros2_put_header(c, unix_ns, f->frame_id);
	cairn_cdr_put_u32(c, h->height);
	cairn_cdr_put_u32(c, h->width);
	cairn_cdr_put_text(c, h->format == CAIRN_FORMAT_RGB8 ? "rgb8" : "16UC1");
	cairn_cdr_put_u8(c, 0); /* is_bigendian */
	cairn_cdr_put_u32(c, h->stride_bytes);
	cairn_cdr_put_u32(c, bytes);
	cairn_cdr_put_bytes(c, f->payload, bytes);
}

void cairn_ros2_put_compressed_image(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_ros2_jpeg *j = from;
	cairn_ros2_put_header(c, unix_ns, j->frame_id);
	cairn_cdr_put_text(c, "jpeg");
	cairn_cdr_put_u32(c, j->bytes);
	cairn_cdr_put_bytes(c, j->data, j->bytes);
}
