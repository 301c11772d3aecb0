#include <string.h>

#include "common/ros2/ros2.h"

#define FAR_NS (CAIRN_NS_PER_S / 10) /* a pose further than this from any odometry corrects nothing */

/* Where the odometry was at t_ns. False when none is near. */
static bool odom_at(const struct cairn_ros2_tf *tf, int64_t t_ns, struct cairn_pose2 *ret)
{
	uint32_t after = 0;
	while (after < tf->kept && tf->odom[after].t_ns < t_ns)
		after++;
	uint32_t a = after > 0 ? after - 1 : 0, b = after < tf->kept ? after : tf->kept - 1;
	if (tf->kept == 0 || t_ns < tf->odom[a].t_ns - FAR_NS || t_ns > tf->odom[b].t_ns + FAR_NS)
		return false;
	double span = (double)(tf->odom[b].t_ns - tf->odom[a].t_ns);
	double share = span > 0.0 ? cairn_clamp((double)(t_ns - tf->odom[a].t_ns) / span, 0.0, 1.0) : 0.0;
	struct cairn_pose2 step = cairn_pose_between(tf->odom[a].pose, tf->odom[b].pose);
	*ret = cairn_pose_compose(
	    tf->odom[a].pose, (struct cairn_pose2){share * step.x_m, share * step.y_m, share * step.yaw_rad});
	return true;
}

void cairn_ros2_tf_pose(
    struct cairn_ros2_tf *tf, const struct cairn_header *hdr, const struct cairn_msg_pose *pose)
{
	struct cairn_pose2 odom;
	if (!hdr->valid || !odom_at(tf, hdr->t_ns, &odom))
		return;
	tf->odom_in_map = cairn_pose_compose(
	    (struct cairn_pose2){pose->x_m, pose->y_m, pose->yaw_rad}, cairn_pose_inverse(odom));
	tf->corrected = true;
}

void cairn_ros2_tf_odom(struct cairn_ros2_tf *tf, const struct cairn_header *hdr,
    const struct cairn_msg_odom *odom, struct cairn_ros2_transforms *ret)
{
	struct cairn_pose2 pose = {odom->x_m, odom->y_m, odom->yaw_rad};
	if (hdr->epoch !=
	    tf->odom_epoch) { /* it starts at zero again: the correction is of another odometry */
		tf->kept = 0;
		tf->corrected = false;
		tf->odom_epoch = hdr->epoch;
	}
	if (tf->kept == CAIRN_ROS2_ODOM_KEPT) {
		memmove(tf->odom, tf->odom + 1, (CAIRN_ROS2_ODOM_KEPT - 1) * sizeof(tf->odom[0]));
		tf->kept--;
	}
	tf->odom[tf->kept].t_ns = hdr->t_ns;
	tf->odom[tf->kept++].pose = pose;
	ret->count = 0;
	if (tf->corrected)
		ret->items[ret->count++] = (struct cairn_ros2_transform){
		    .parent = CAIRN_ROS2_FRAME_MAP, .child = CAIRN_ROS2_FRAME_ODOM, .pose = tf->odom_in_map};
	ret->items[ret->count++] = (struct cairn_ros2_transform){
	    .parent = CAIRN_ROS2_FRAME_ODOM, .child = CAIRN_ROS2_FRAME_BASE, .pose = pose};
	ret->items[ret->count++] = (struct cairn_ros2_transform){.parent = CAIRN_ROS2_FRAME_BASE,
	    .child = CAIRN_ROS2_FRAME_LASER,
	    .pose = {tf->laser_x_m, tf->laser_y_m, 0.0},
	    .z_m = tf->laser_z_m};
}
