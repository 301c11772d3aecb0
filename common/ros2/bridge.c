#include "common/ros2/bridge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/camera/camera_pose.h"
#include "common/config/speeds.h"
#include "common/ros2/cdr_read.h"
#include "common/ros2/robot.h"

#define WHO "ros2"
#define IN_PLACE_FULL_RAD                                                                                    \
	0.5 /* as in common/sequencer/teleop.c: so steered, a base that stands turns as fast as it may */
#define STEER_MAX_RAD 1.4 /* tighter than any linkage; the sequencer cuts it to the robot's */

/* The input of a row, by where it comes from. */
#define INPUT_TOPIC(input) CAIRN_TOPIC_##input
#define INPUT_FRAME(input) CAIRN_FRAME_##input
#define INPUT_ONCE(input) 0

const struct cairn_ros2_out_row cairn_ros2_outs[CAIRN_ROS2_OUT_COUNT] = {
#define OUT(id, name, type, qos, from, input, what)                                                          \
	{name, CAIRN_ROS2_##type, CAIRN_ROS2_QOS_##qos, CAIRN_ROS2_FROM_##from, (int)INPUT_##from(input)},
#include "common/ros2/bridge.def"
};

const struct cairn_ros2_in_row cairn_ros2_ins[CAIRN_ROS2_IN_COUNT] = {
#define IN(id, name, type, qos, key, what) {name, CAIRN_ROS2_##type, CAIRN_ROS2_QOS_##qos},
#include "common/ros2/bridge.def"
};

bool cairn_ros2_takes(const struct cairn_config_ros2 *cfg, enum cairn_ros2_in in)
{
	const bool keys[CAIRN_ROS2_IN_COUNT] = {
#define IN(id, name, type, qos, key, what) cfg->key,
#include "common/ros2/bridge.def"
	};
	return keys[in];
}

bool cairn_ros2_tells(const struct cairn_config *cfg, enum cairn_ros2_out out)
{
	if (cfg->robot.drive != CAIRN_CHOICE_DRIVE_ROS2)
		return true;
	/* Whoever tells of the wheels gives the robot its frame in them, and its sensors theirs in the robot. */
	bool frames = cairn_ros2_outs[out].type == CAIRN_ROS2_TF || out == CAIRN_ROS2_OUT_ODOM;
	if (frames && cfg->ros2.odom_from[0] != '\0')
		return false;
	for (int in = 0; in < CAIRN_ROS2_ROBOT_COUNT; in++)
		if (strcmp(cairn_ros2_outs[out].name,
			cairn_ros2_robot_topic(&cfg->ros2, (enum cairn_ros2_robot_in)in)) == 0)
			return false;
	return true;
}

void cairn_ros2_bridge_init(struct cairn_ros2_bridge *b, const struct cairn_config *cfg)
{
	*b = (struct cairn_ros2_bridge){.cfg = cfg,
	    .tf = {.laser_x_m = cfg->robot.lidar_x_m,
		.laser_y_m = cfg->robot.lidar_y_m,
		.laser_z_m = cfg->robot.lidar_z_m}};
}

bool cairn_ros2_bridge_needs(enum cairn_topic topic)
{
	return topic == CAIRN_TOPIC_ODOM || topic == CAIRN_TOPIC_POSE || topic == CAIRN_TOPIC_HEALTH;
}

void cairn_ros2_bridge_hear(
    struct cairn_ros2_bridge *b, enum cairn_topic topic, const struct cairn_header *hdr, const void *msg)
{
	if (topic == CAIRN_TOPIC_POSE) {
		cairn_ros2_tf_pose(&b->tf, hdr, msg);
	} else if (topic == CAIRN_TOPIC_ODOM) {
		cairn_ros2_tf_odom(&b->tf, hdr, msg, &b->transforms);
		b->transforms.count--; /* the LiDAR, which stands in /tf_static */
	} else if (topic == CAIRN_TOPIC_HEALTH) {
		memcpy(&b->health, msg, sizeof(b->health));
		b->has_health = true;
	}
}

int cairn_ros2_bridge_message(struct cairn_ros2_bridge *b, enum cairn_ros2_out out,
    const struct cairn_header *hdr, const void *msg, void *buf, size_t buf_bytes)
{
	const struct cairn_ros2_out_row *row = &cairn_ros2_outs[out];
	const struct cairn_ros2_health health = {b->has_health ? &b->health : NULL, msg};
	const void *from = msg;
	if (row->from != CAIRN_ROS2_FROM_TOPIC)
		return -EINVAL;
	if (row->type == CAIRN_ROS2_TF) {
		from = &b->transforms;
	} else if (row->type == CAIRN_ROS2_DIAGNOSTICS) {
		from = &health;
	} else if (row->type == CAIRN_ROS2_TEXT) {
		int n = cairn_msg_to_json(cairn_topics[row->input].desc, hdr, msg, b->text, sizeof(b->text));
		if (n < 0)
			return n;
		from = b->text;
	}
	return cairn_ros2_encode(row->type, hdr->t_ns + b->clock_offset_ns, from, buf, buf_bytes);
}

int cairn_ros2_bridge_frame(struct cairn_ros2_bridge *b, enum cairn_ros2_out out,
    const struct cairn_frame_header *hdr, const void *payload, const struct cairn_ros2_jpeg *jpeg, void *buf,
    size_t buf_bytes)
{
	const struct cairn_ros2_out_row *row = &cairn_ros2_outs[out];
	const struct cairn_ros2_frame frame = {hdr, payload, CAIRN_ROS2_FRAME_OPTICAL};
	const struct cairn_ros2_camera camera = {
	    hdr->width, hdr->height, b->cfg->robot.camera_hfov_rad, CAIRN_ROS2_FRAME_OPTICAL};
	const void *from = row->type == CAIRN_ROS2_CAMERA_INFO        ? (const void *)&camera
			   : row->type == CAIRN_ROS2_COMPRESSED_IMAGE ? (const void *)jpeg
								      : (const void *)&frame;
	if (row->from != CAIRN_ROS2_FROM_FRAME || from == NULL)
		return -EINVAL;
	return cairn_ros2_encode(row->type, hdr->t_ns + b->clock_offset_ns, from, buf, buf_bytes);
}

int cairn_ros2_bridge_once(
    const struct cairn_ros2_bridge *b, enum cairn_ros2_out out, int64_t now_ns, void *buf, size_t buf_bytes)
{
	const struct cairn_config_robot *r = &b->cfg->robot;
	const struct cairn_camera_pose c =
	    cairn_camera_pose_from(b->cfg, b->cfg->camera.width_px, b->cfg->camera.height_px);
	const struct cairn_ros2_transforms t = {2,
	    {{.parent = CAIRN_ROS2_FRAME_BASE,
		 .child = CAIRN_ROS2_FRAME_LASER,
		 .pose = {r->lidar_x_m, r->lidar_y_m, 0.0},
		 .z_m = r->lidar_z_m},
		/* The angles of a frame whose x, y and z are the camera's right, down and ahead (REP-103). */
		{.parent = CAIRN_ROS2_FRAME_BASE,
		    .child = CAIRN_ROS2_FRAME_OPTICAL,
		    .pose = {c.at[0], c.at[1], atan2(c.right[1], c.right[0])},
		    .z_m = c.at[2],
		    .pitch_rad = atan2(-c.right[2], hypot(c.right[0], c.right[1])),
		    .roll_rad = atan2(c.down[2], c.ahead[2])}}};
	if (cairn_ros2_outs[out].from != CAIRN_ROS2_FROM_ONCE)
		return -EINVAL;
	return cairn_ros2_encode(cairn_ros2_outs[out].type, now_ns + b->clock_offset_ns, &t, buf, buf_bytes);
}

/* ---- in ---- */

/* A header and a pose of the map, with what follows in a message of that type passed over. */
static bool read_pose(const void *cdr, size_t bytes, const char *type, size_t more_f64,
    struct cairn_pose2 *ret, struct cairn_error *err)
{
	struct cairn_cdr_reader r;
	double q[4];
	cairn_cdr_read(&r, cdr, bytes);
	cairn_cdr_skip(&r, 4, 2); /* stamp */
	const char *frame_id = cairn_cdr_take_text(&r);
	ret->x_m = cairn_cdr_take_f64(&r);
	ret->y_m = cairn_cdr_take_f64(&r);
	cairn_cdr_skip(&r, 8, 1); /* height */
	for (int i = 0; i < 4; i++)
		q[i] = cairn_cdr_take_f64(&r);
	cairn_cdr_skip(&r, 8, more_f64);
	ret->yaw_rad = atan2(2.0 * (q[3] * q[2] + q[0] * q[1]), 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]));
	if (r.failed)
		cairn_error_set(err, "not a geometry_msgs/%s: %zu bytes", type, bytes);
	else if (strcmp(frame_id, CAIRN_ROS2_FRAME_MAP) != 0)
		cairn_error_set(err, "its frame is '%.32s'; poses are taken in the frame '%s'", frame_id,
		    CAIRN_ROS2_FRAME_MAP);
	else if (!isfinite(ret->x_m) || !isfinite(ret->y_m))
		cairn_error_set(err, "its position is not a number");
	else
		return true;
	return false;
}

bool cairn_ros2_read_goal(
    const void *cdr, size_t bytes, struct cairn_msg_command *ret, struct cairn_error *err)
{
	struct cairn_pose2 pose;
	if (!read_pose(cdr, bytes, "PoseStamped", 0, &pose, err)) /* the heading may be anything */
		return false;
	*ret = (struct cairn_msg_command){.who = WHO, .verb = "goto", .x_m = pose.x_m, .y_m = pose.y_m};
	return true;
}

bool cairn_ros2_read_initial_pose(
    const void *cdr, size_t bytes, struct cairn_msg_command *ret, struct cairn_error *err)
{
	struct cairn_pose2 pose;
	if (!read_pose(cdr, bytes, "PoseWithCovarianceStamped", 36, &pose, err))
		return false;
	if (!isfinite(pose.yaw_rad)) {
		cairn_error_set(err, "its heading is not a number");
		return false;
	}
	*ret = (struct cairn_msg_command){.who = WHO, .verb = "locate"};
	snprintf(
	    ret->arg, sizeof(ret->arg), "%.3f %.3f %.1f", pose.x_m, pose.y_m, cairn_rad_to_deg(pose.yaw_rad));
	return true;
}

bool cairn_ros2_read_cmd_vel(const struct cairn_config *cfg, const void *cdr, size_t bytes,
    struct cairn_msg_teleop *ret, struct cairn_error *err)
{
	struct cairn_cdr_reader r;
	double value[6]; /* linear, angular */
	cairn_cdr_read(&r, cdr, bytes);
	for (int i = 0; i < 6; i++)
		value[i] = cairn_cdr_take_f64(&r);
	double v_mps = value[0], w_radps = value[5];
	if (r.failed)
		cairn_error_set(err, "not a geometry_msgs/Twist: %zu bytes", bytes);
	else if (!isfinite(v_mps) || !isfinite(w_radps))
		cairn_error_set(err, "its velocity is not a number");
	else if (v_mps == 0.0 && w_radps != 0.0 && !cairn_is_differential(cfg))
		cairn_error_set(err, "it turns on the spot, which the robot cannot: it steers like a car");
	else {
		double steer_rad = v_mps != 0.0 ? atan(w_radps / v_mps * cfg->robot.wheelbase_m)
				   : w_radps != 0.0
				       ? w_radps / cairn_turn_rate_max_radps(cfg) * IN_PLACE_FULL_RAD
				       : 0.0;
		*ret = (struct cairn_msg_teleop){.who = WHO,
		    .v_mps = v_mps,
		    .steer_rad = cairn_clamp(steer_rad, -STEER_MAX_RAD, STEER_MAX_RAD)};
		return true;
	}
	return false;
}
