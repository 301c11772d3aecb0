/* ros2-robot - a robot whose drivers speak ROS 2, behind the devices' own interfaces: what its drivers publish becomes the bytes of a
 * base, a LiDAR and a camera helper (common/ros2/robot.h), on pseudo terminals and a socket below the run directory. What the motor stage
 * writes to that base is what the driver is told.
 *
 * Nothing here decides: whoever opens these devices checks them as it checks others. Dead, this stage is a base, a LiDAR and a camera that were
 * unplugged. The driver stands when it is told zero: with each speed of zero, by the base's dead man when the motor stage falls silent, and
 * as the first thing that a reborn stage says. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/device/scan_stream.h"
#include "common/ros2/robot.h"
#include "procs/ros2-bridge/dds_link.h"
#include "procs/shell/camera_server.h"
#include "procs/shell/device_port.h"
#include "procs/shell/stage.h"

#define TICK_MS 20
#define REPORT_MS 1000
#define REPEAT_NS (50 * CAIRN_NS_PER_MS) /* the driver is told again after so long */
#define SILENT_NS CAIRN_NS_PER_S         /* of a topic, for people */
#define FAREWELL_MS 20                   /* closing at once would drop the last message */

/* The newest picture of a topic, as it goes to the socket. */
struct picture {
	struct cairn_camera_header hdr;
	uint8_t *data;
	size_t capacity;
	bool waits;
	uint32_t seq;
};

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_ros2_robot robot;
	struct dds_link *link;
	struct dds_writer *twist; /* NULL: the base is none of ROS */
	struct device_port base, lidar;
	bool has_base, has_lidar;
	struct camera_server *camera; /* NULL: the camera is none of ROS */
	struct picture pictures[2];   /* colour, depth */
	struct cairn_lidar_turn turn;
	uint8_t frame[CAIRN_SCAN_STREAM_FRAME_MAX];
	int64_t told_ns, heard_ns[CAIRN_ROS2_ROBOT_COUNT];
	uint64_t untold; /* twists that DDS did not take */
};

/* ---- what the driver is told ---- */

static void tell(struct app *app, int64_t now_ns)
{
	uint8_t buf[256];
	struct cairn_msg_motion m = cairn_ros2_robot_motion(&app->robot, now_ns);
	int bytes = cairn_ros2_encode(cairn_ros2_robot_twist_type(&app->cfg->ros2),
	    now_ns + app->robot.clock_offset_ns, &m, buf, sizeof(buf));
	bool told = bytes > 0 && dds_writer_put(app->twist, buf, (size_t)bytes);
	cairn_stage_tried(app->stage, "tell the driver to move", told ? NULL : "DDS does not take it");
	app->untold += !told;
	app->told_ns = now_ns;
}

static int on_base(void *ctx)
{
	struct app *app = ctx;
	uint8_t buf[512];
	size_t n;
	while ((n = device_port_read(&app->base, buf, sizeof(buf))) > 0) {
		for (size_t at = 0; at < n;) {
			char answer[CAIRN_DIFFDRIVE_LINE_MAX];
			size_t bytes;
			bool told;
			int64_t now_ns = cairn_now_ns();
			at += cairn_ros2_robot_hear(
			    &app->robot, buf + at, n - at, now_ns, &told, answer, &bytes);
			if (bytes > 0)
				device_port_write(&app->base, (const uint8_t *)answer, bytes);
			if (told)
				tell(app, now_ns);
		}
	}
	return 0;
}

/* ---- what its drivers say ---- */

static void tried(struct app *app, enum cairn_ros2_robot_in in, bool good, const struct cairn_error *err)
{
	char what[CAIRN_CONFIG_TEXT_CAP + 8];
	snprintf(what, sizeof(what), "use %.40s", cairn_ros2_robot_topic(&app->cfg->ros2, in));
	if (good)
		app->heard_ns[in] = cairn_now_ns();
	else
		cairn_stage_count_reject(app->stage);
	cairn_stage_tried(app->stage, what, good ? NULL : err->text);
}

static bool take_scan(struct app *app, const void *cdr, size_t bytes, struct cairn_error *err)
{
	if (!cairn_ros2_robot_scan(&app->robot, cdr, bytes, cairn_now_ns(), &app->turn, err))
		return false;
	device_port_write(&app->lidar, app->frame, cairn_scan_stream_write(app->frame, &app->turn));
	return true;
}

static bool take_line(
    struct app *app, enum cairn_ros2_robot_in in, const void *cdr, size_t bytes, struct cairn_error *err)
{
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t len;
	if (!cairn_ros2_robot_line(&app->robot, in, cdr, bytes, cairn_now_ns(), line, &len, err))
		return false;
	device_port_write(&app->base, (const uint8_t *)line, len);
	return true;
}

static bool take_picture(
    struct app *app, enum cairn_ros2_robot_in in, const void *cdr, size_t bytes, struct cairn_error *err)
{
	struct picture *p = &app->pictures[in == CAIRN_ROS2_ROBOT_DEPTH];
	struct cairn_ros2_picture from;
	if (!cairn_ros2_robot_picture(&app->robot, in, cdr, bytes, cairn_now_ns(), &from, err))
		return false;
	if (from.hdr.payload_bytes > p->capacity) {
		free(p->data);
		p->data = malloc(from.hdr.payload_bytes);
		p->capacity = p->data != NULL ? from.hdr.payload_bytes : 0;
	}
	if (p->data == NULL) {
		cairn_error_set(err, "no memory for a picture");
		return false;
	}
	cairn_ros2_picture_put(&from, p->data);
	p->hdr = from.hdr;
	p->hdr.seq = ++p->seq;
	p->waits = true;
	return true;
}

static void on_sample(void *ctx, int row, const void *cdr, size_t bytes)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	enum cairn_ros2_robot_in in = (enum cairn_ros2_robot_in)row;
	bool picture = in == CAIRN_ROS2_ROBOT_COLOR || in == CAIRN_ROS2_ROBOT_DEPTH;
	bool good = in == CAIRN_ROS2_ROBOT_SCAN ? take_scan(app, cdr, bytes, &err)
		    : picture                   ? take_picture(app, in, cdr, bytes, &err)
						: take_line(app, in, cdr, bytes, &err);
	tried(app, in, good, &err);
}

static int on_samples(void *ctx)
{
	struct app *app = ctx;
	dds_link_take(app->link, on_sample, app);
	return 0;
}

/* The newest pictures that nobody has got yet, once a reader of the socket waits for some. */
static void send_pictures(struct app *app)
{
	size_t bytes = 0;
	for (int i = 0; i < 2; i++)
		if (app->pictures[i].waits)
			bytes += CAIRN_CAMERA_HEADER_BYTES + app->pictures[i].hdr.payload_bytes;
	uint8_t *at = bytes > 0 ? camera_server_room(app->camera, bytes) : NULL;
	if (at == NULL)
		return;
	for (int i = 0; i < 2; i++) {
		struct picture *p = &app->pictures[i];
		if (!p->waits)
			continue;
		cairn_camera_header_write(at, &p->hdr);
		memcpy(at + CAIRN_CAMERA_HEADER_BYTES, p->data, p->hdr.payload_bytes);
		at += CAIRN_CAMERA_HEADER_BYTES + p->hdr.payload_bytes;
		p->waits = false;
	}
	camera_server_send(app->camera);
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	if (app->has_base && now_ns - app->told_ns >= REPEAT_NS)
		tell(app, now_ns);
	if (app->camera != NULL)
		send_pictures(app);
	return 0;
}

static int on_report(void *ctx)
{
	struct app *app = ctx;
	char note[96] = "";
	size_t used = 0;
	int64_t now_ns = cairn_now_ns();
	app->robot.clock_offset_ns = cairn_unix_ns() - cairn_now_ns();
	for (int i = 0; i < CAIRN_ROS2_ROBOT_COUNT; i++) {
		const char *topic = cairn_ros2_robot_topic(&app->cfg->ros2, (enum cairn_ros2_robot_in)i);
		if (topic[0] != '\0' && now_ns - app->heard_ns[i] > SILENT_NS && used + 1 < sizeof(note)) {
			int n = snprintf(note + used, sizeof(note) - used, "%s%.30s",
			    used == 0 ? "silent: " : ", ", topic);
			used += n > 0 ? (size_t)n : 0;
		}
	}
	if (used == 0 && app->twist != NULL && dds_writer_readers(app->twist) == 0)
		snprintf(note, sizeof(note), "no driver reads %.60s", app->cfg->ros2.cmd_vel_to);
	else if (used == 0)
		snprintf(note, sizeof(note), "drivers speak, %llu messages refused",
		    (unsigned long long)app->robot.refused);
	cairn_stage_note(app->stage, note);
	return 0;
}

/* ---- start ---- */

static bool open_topics(struct app *app, struct cairn_error *err)
{
	const struct cairn_config_ros2 *cfg = &app->cfg->ros2;
	char node[CAIRN_CONFIG_TEXT_CAP + 8];
	snprintf(node, sizeof(node), "%s_robot", cfg->node);
	app->link = dds_link_open(cfg, node, err);
	if (app->link == NULL)
		return false;
	for (int i = 0; i < CAIRN_ROS2_ROBOT_COUNT; i++) {
		enum cairn_ros2_robot_in in = (enum cairn_ros2_robot_in)i;
		const char *topic = cairn_ros2_robot_topic(cfg, in);
		if (topic[0] != '\0' && !dds_link_reader(app->link, i, topic, cairn_ros2_robot_type(cfg, in),
					    CAIRN_ROS2_QOS_SENSOR, err))
			return false;
	}
	if (app->has_base) {
		app->twist = dds_link_writer(app->link, cfg->cmd_vel_to, cairn_ros2_robot_twist_type(cfg),
		    CAIRN_ROS2_QOS_COMMAND, err);
		if (app->twist == NULL)
			return false;
		tell(app, cairn_now_ns()); /* zero: whatever the driver was told by one that died */
	}
	return dds_link_announce(app->link, err);
}

static bool open_devices(struct app *app, struct cairn_error *err)
{
	const struct cairn_config_robot *robot = &app->cfg->robot;
	const char *run_dir = cairn_stage_run_dir(app->stage);
	if (app->has_lidar && !device_port_open(&app->lidar, run_dir, robot->lidar_device, err))
		return false;
	if (app->has_base && !device_port_open(&app->base, run_dir, robot->base_device, err))
		return false;
	if (app->cfg->ros2.color_from[0] != '\0') {
		app->camera = camera_server_new(app->stage, robot->camera_socket, err);
		if (app->camera == NULL)
			return false;
	}
	if (app->has_base)
		cairn_stage_watch_fd(app->stage, app->base.master, POLLIN, on_base, app);
	cairn_stage_watch_fd(app->stage, dds_link_fd(app->link), POLLIN, on_samples, app);
	cairn_stage_every(app->stage, TICK_MS, on_tick, app);
	cairn_stage_every(app->stage, REPORT_MS, on_report, app);
	return true;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->has_base = app->cfg->ros2.odom_from[0] != '\0';
	app->has_lidar = app->cfg->ros2.scan_from[0] != '\0';
	cairn_ros2_robot_init(&app->robot, app->cfg);
	app->robot.clock_offset_ns = cairn_unix_ns() - cairn_now_ns();
	return open_topics(app, err) && open_devices(app, err);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	/* A base that is going: its driver stands. */
	if (app->twist != NULL) {
		app->robot.told_ns = 0;
		tell(app, cairn_now_ns());
		(void)poll(NULL, 0, FAREWELL_MS);
	}
	dds_link_close(&app->link);
	camera_server_destroy(&app->camera);
	if (app->lidar.master > 0)
		device_port_close(&app->lidar);
	if (app->base.master > 0)
		device_port_close(&app->base);
	for (int i = 0; i < 2; i++)
		free(app->pictures[i].data);
}

CAIRN_STAGE_MAIN("cairn-ros2-robot", "a robot's drivers of ROS 2 behind the devices' interfaces", struct app,
    .open = open_all, .close = close_all)
