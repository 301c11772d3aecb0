/* What a participant of DDS may send to a topic that is taken (first byte: which one): a command that is whole and finite, or a
 * reason. What a driver of the robot may send. The same bytes as a recorded picture: what is found lies within them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/record/pixels.h"
#include "common/ros2/bridge.h"
#include "common/ros2/robot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void within(const uint8_t *all, size_t bytes, struct cairn_mcap_bytes part)
{
	must(part.bytes == 0 || (part.data >= all && part.bytes <= (size_t)(all + bytes - part.data)));
}

static void read_command(bool steers, const uint8_t *cdr, size_t bytes)
{
	struct cairn_config cfg = {.robot = {.wheelbase_m = 0.229}};
	struct cairn_msg_command cmd = {.verb = ""};
	struct cairn_msg_teleop teleop = {.who = ""};
	struct cairn_error err = {""};
	bool good = steers ? cairn_ros2_read_cmd_vel(&cfg, cdr, bytes, &teleop, &err)
			   : cairn_ros2_read_goal(cdr, bytes, &cmd, &err);
	must(good || err.text[0] != '\0');
	must(!good || (isfinite(cmd.x_m) && isfinite(cmd.y_m) && isfinite(teleop.v_mps) &&
			  fabs(teleop.steer_rad) <= 1.4));
}

static void read_picture(const uint8_t *cdr, size_t bytes)
{
	struct cairn_mcap_bytes all = {cdr, bytes}, part = {NULL, 0};
	uint32_t width, height, step;
	if (record_compressed_image(all, &part))
		within(cdr, bytes, part);
	if (record_image(all, &width, &height, &step, &part))
		within(cdr, bytes, part);
	if (record_grid(all, &width, &height, &part))
		within(cdr, bytes, part);
}

/* What a driver of the robot may send: a line, a turn or a picture that lies within, or a reason. */
static void read_driver(uint8_t in, const uint8_t *cdr, size_t bytes)
{
	static struct cairn_config cfg;
	static struct cairn_lidar_turn turn;
	struct cairn_ros2_robot robot;
	struct cairn_ros2_picture p;
	struct cairn_error err = {""};
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t n = 0;
	cairn_config_defaults(&cfg);
	cfg.ros2.stamps = CAIRN_CHOICE_ROS2_STAMPS_ARRIVAL;
	if (in % 7 == 6)
		memcpy(cfg.ros2.color_from, "/a/compressed", 14);
	cairn_ros2_robot_init(&robot, &cfg);
	enum cairn_ros2_robot_in which =
	    in % 7 == 6 ? CAIRN_ROS2_ROBOT_COLOR : (enum cairn_ros2_robot_in)(in % 7);
	if (which == CAIRN_ROS2_ROBOT_SCAN) {
		must(cairn_ros2_robot_scan(&robot, cdr, bytes, 1, &turn, &err) || err.text[0] != '\0');
	} else if (which < CAIRN_ROS2_ROBOT_COLOR) {
		bool good = cairn_ros2_robot_line(&robot, which, cdr, bytes, 1, line, &n, &err);
		must(good ? n > 0 && n <= sizeof(line) : err.text[0] != '\0');
	} else if (cairn_ros2_robot_picture(&robot, which, cdr, bytes, 1, &p, &err)) {
		uint8_t *out = malloc(p.hdr.payload_bytes);
		if (out != NULL)
			cairn_ros2_picture_put(&p, out);
		free(out);
	} else {
		must(err.text[0] != '\0');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count == 0)
		return 0;
	/* exactly as large as it says, so that a byte read too far is seen */
	uint8_t *copy = malloc(count > 1 ? count - 1 : 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, data + 1, count - 1);
	if (data[0] % 4 < 2)
		read_command(data[0] % 4 == 1, copy, count - 1);
	else if (data[0] % 4 == 2)
		read_driver(data[0] / 4, copy, count - 1);
	else
		read_picture(copy, count - 1);
	free(copy);
	return 0;
}
