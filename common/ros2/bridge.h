/* bridge.h - the core of the stage ros2-bridge: messages and frames of cairn in, CDR for topics of ROS out, and the other way.
 *
 * What goes where is the table bridge.def. No DDS, no sockets and no clock here. Nothing that comes from ROS is believed: it
 * becomes what an operator could say as well, and the sequencer judges that. */
#ifndef CAIRN_COMMON_ROS2_BRIDGE_H
#define CAIRN_COMMON_ROS2_BRIDGE_H

#include "common/base/error.h"
#include "common/ros2/ros2.h"

enum cairn_ros2_qos {
	CAIRN_ROS2_QOS_SENSOR,
	CAIRN_ROS2_QOS_STATE,
	CAIRN_ROS2_QOS_TRANSFORM,
	CAIRN_ROS2_QOS_LATCHED,
	CAIRN_ROS2_QOS_COMMAND,
	CAIRN_ROS2_QOS_STEER,
};

enum cairn_ros2_from { CAIRN_ROS2_FROM_TOPIC, CAIRN_ROS2_FROM_FRAME, CAIRN_ROS2_FROM_ONCE };

enum cairn_ros2_out {
#define OUT(id, name, type, qos, from, input, what) CAIRN_ROS2_OUT_##id,
#include "common/ros2/bridge.def"
	CAIRN_ROS2_OUT_COUNT
};

enum cairn_ros2_in {
#define IN(id, name, type, qos, key, what) CAIRN_ROS2_IN_##id,
#include "common/ros2/bridge.def"
	CAIRN_ROS2_IN_COUNT
};

struct cairn_ros2_out_row {
	const char *name;
	enum cairn_ros2_type type;
	enum cairn_ros2_qos qos;
	enum cairn_ros2_from from;
	int input; /* enum cairn_topic or enum cairn_frame_topic */
};
extern const struct cairn_ros2_out_row cairn_ros2_outs[CAIRN_ROS2_OUT_COUNT];
/* Whether it is told. Not what a driver of the robot tells itself (robot.drive: ros2): a topic with two writers, or a frame with two
 * parents, is of no use to anybody. */
bool cairn_ros2_tells(const struct cairn_config *cfg, enum cairn_ros2_out out);

struct cairn_ros2_in_row {
	const char *name;
	enum cairn_ros2_type type;
	enum cairn_ros2_qos qos;
};
extern const struct cairn_ros2_in_row cairn_ros2_ins[CAIRN_ROS2_IN_COUNT];
/* Whether the configuration lets it in. */
bool cairn_ros2_takes(const struct cairn_config_ros2 *cfg, enum cairn_ros2_in in);

/* What has to be remembered between messages. */
struct cairn_ros2_bridge {
	const struct cairn_config *cfg;
	int64_t clock_offset_ns; /* Unix time minus monotonic time, kept by the caller */
	struct cairn_ros2_tf tf;
	struct cairn_ros2_transforms transforms; /* of the newest odometry */
	bool has_health;
	struct cairn_msg_health health;
	char text[16384]; /* a decision as JSON */
};

/* cfg outlives it. */
void cairn_ros2_bridge_init(struct cairn_ros2_bridge *b, const struct cairn_config *cfg);
/* True for topics of the bus that it wants to hear whoever reads: the others are needed for their rows only. */
bool cairn_ros2_bridge_needs(enum cairn_topic topic);
/* Each valid message of such a topic, before it is encoded. */
void cairn_ros2_bridge_hear(
    struct cairn_ros2_bridge *b, enum cairn_topic topic, const struct cairn_header *hdr, const void *msg);

/* Each of these: bytes of CDR written into buf, or -ENOBUFS, -EINVAL (not of that row). */
int cairn_ros2_bridge_message(struct cairn_ros2_bridge *b, enum cairn_ros2_out out,
    const struct cairn_header *hdr, const void *msg, void *buf, size_t buf_bytes);
/* jpeg: the frame so encoded, for a row of type COMPRESSED_IMAGE. */
int cairn_ros2_bridge_frame(struct cairn_ros2_bridge *b, enum cairn_ros2_out out,
    const struct cairn_frame_header *hdr, const void *payload, const struct cairn_ros2_jpeg *jpeg, void *buf,
    size_t buf_bytes);
/* A row FROM ONCE. */
int cairn_ros2_bridge_once(
    const struct cairn_ros2_bridge *b, enum cairn_ros2_out out, int64_t now_ns, void *buf, size_t buf_bytes);

/* A message of the row's type as the command that an operator would give, or as steering by hand. False with the reason. */
bool cairn_ros2_read_goal(
    const void *cdr, size_t bytes, struct cairn_msg_command *ret, struct cairn_error *err);
bool cairn_ros2_read_initial_pose(
    const void *cdr, size_t bytes, struct cairn_msg_command *ret, struct cairn_error *err);
bool cairn_ros2_read_cmd_vel(const struct cairn_config *cfg, const void *cdr, size_t bytes,
    struct cairn_msg_teleop *ret, struct cairn_error *err);

#endif
