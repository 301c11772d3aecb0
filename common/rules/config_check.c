#include "common/rules/config_check.h"

#include <math.h>
#include <string.h>

#include "common/config/speeds.h"
#include "common/device/battery.h"
#include "common/device/guard_lines.h"
#include "common/signal/signal_lines.h"
#include "common/safety/monitor_polygons.h"
#include "common/sequencer/zone_text.h"
#include "common/explore/exploration_context.h"
#include "common/web/address.h"

/* An edge of more cells would make each map frame larger than 16 MB. */
#define MAP_CELLS_MAX 4096.0
#define STEER_SCALE_MIN 0.2

struct order {
	const char *low_name;
	double low;
	bool may_be_equal;
	const char *high_name;
	double high;
	const char *why;
};

static bool check_orders(const struct cairn_config *cfg, struct cairn_error *err)
{
#define LESS(a, b, why)                                                                                      \
	{                                                                                                    \
#a, cfg->a, false, #b, cfg->b, why                                                           \
	}
#define AT_MOST(a, b, why)                                                                                   \
	{                                                                                                    \
#a, cfg->a, true, #b, cfg->b, why                                                            \
	}
	const struct order orders[] = {
	    LESS(safety.silent_coast_s, safety.silent_wait_s,
		"a silent model is met in steps, one after the other"),
	    LESS(safety.silent_wait_s, safety.silent_local_s,
		"a silent model is met in steps, one after the other"),
	    LESS(safety.stop_distance_m, safety.slow_distance_m, "the robot slows down before it stops"),
	    {"robot.wheelbase_m", cairn_is_differential(cfg) ? 0.0 : cfg->robot.wheelbase_m, true,
		"robot.footprint_front_m", cfg->robot.footprint_front_m,
		"the front axle is part of the body"},
	    AT_MOST(vlm.novelty_known, vlm.novelty_now, "the bands of novelty follow each other"),
	    AT_MOST(vlm.novelty_now, vlm.novelty_detail, "the bands of novelty follow each other"),
	    LESS(local.foreign_similarity, local.familiar_similarity,
		"what is less alike than the one is new, and more alike than the other known"),
	    AT_MOST(vlm.connect_timeout_s, vlm.timeout_s, "connecting is part of the call"),
	    {"one period of cmd_vel", 0.05, false, "safety.cmd_timeout_s", cfg->safety.cmd_timeout_s,
		"the robot would stand still for ever"},
	    {"one turn of the LiDAR", 0.10, false, "safety.scan_timeout_s", cfg->safety.scan_timeout_s,
		"the robot would stand still for ever"},
	};
#undef LESS
#undef AT_MOST
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const struct order *o = &orders[i];
		if (o->low < o->high || (o->may_be_equal && o->low <= o->high))
			continue;
		cairn_error_set(err, "%s: %.10g must be %s %s (%.10g): %s", o->high_name, o->high,
		    o->may_be_equal ? "at least" : "more than", o->low_name, o->low, o->why);
		return false;
	}
	return true;
}

/* What it lays over a provider is checked here; the providers themselves where they are read. */
static bool check_model_url(const struct cairn_config *cfg, struct cairn_error *err)
{
	const char *url = cfg->vlm.base_url;
	if (url[0] == '\0')
		return true;
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
		cairn_error_set(err, "vlm.base_url: '%s' must start with http:// or https://", url);
		return false;
	}
	const char *port = strchr(strstr(url, "://") + 3, ':');
	bool port_zero = port != NULL && port[1] == '0' && (port[2] == '/' || port[2] == '\0');
	if (strcmp(cfg->vlm.provider, "pilot") != 0 && port_zero) {
		cairn_error_set(
		    err, "vlm.base_url: '%s' has port 0, which only the scripted pilot understands", url);
		return false;
	}
	return true;
}

static bool check_choice(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_choice *c = &cfg->choice;
	struct cairn_msg_place places[CAIRN_PLACES_MAX];
	struct cairn_error why = {""};
	if (!(c->weight_goal + c->weight_clearance + c->weight_novelty + c->weight_feasibility > 0.0)) {
		cairn_error_set(err, "choice.weight_*: one at least must be more than 0");
		return false;
	}
	if (cairn_places_parse(c->waypoints, places, &why) >= 0)
		return true;
	cairn_error_set(err, "choice.waypoints: %.160s", why.text);
	return false;
}

static bool check_zones(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_monitor_polygon_shape shape;
	struct cairn_error why = {""};
	struct cairn_msg_zones zones;
	const char *texts[2] = {cfg->safety.stop_zone, cfg->safety.slow_zone};
	for (int i = 0; i < 2; i++) {
		if (cairn_monitor_polygon_shape_parse(&shape, texts[i], &why))
			continue;
		cairn_error_set(err, "safety.%s_zone: %.160s", i == 0 ? "stop" : "slow", why.text);
		return false;
	}
	if (cairn_zones_parse(&zones, cfg->safety.zones, &why))
		return true;
	cairn_error_set(err, "safety.zones: %.160s", why.text);
	return false;
}

/* Nothing is opened to the network half way. */
static bool check_remote(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_remote *r = &cfg->remote;
	if (r->endpoint[0] == '\0')
		return true;
	if (strncmp(r->endpoint, "tcp://", 6) != 0) {
		cairn_error_set(err, "remote.endpoint: '%s' must be tcp://ADDRESS:PORT", r->endpoint);
		return false;
	}
	if (r->key_file[0] != '\0' && r->allow_file[0] != '\0')
		return true;
	cairn_error_set(err, "remote.%s: is empty; with remote.endpoint it must name a file",
	    r->key_file[0] == '\0' ? "key_file" : "allow_file");
	return false;
}

/* Beyond this machine only encrypted: a token would go over the network for everybody to read. */
static bool check_web(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_web *w = &cfg->web;
	struct cairn_web_address address;
	struct cairn_error why = {""};
	if (!w->enabled)
		return true;
	if (!cairn_web_address_parse(w->endpoint, &address, &why))
		cairn_error_set(err, "web.endpoint: %s", why.text);
	else if ((w->cert_file[0] == '\0') != (w->key_file[0] == '\0'))
		cairn_error_set(err, "web.%s: is empty; TLS needs both web.cert_file and web.key_file",
		    w->cert_file[0] == '\0' ? "cert_file" : "key_file");
	else if (!address.loopback && w->cert_file[0] == '\0')
		cairn_error_set(err,
		    "web.endpoint: '%.80s' is beyond this machine and needs TLS: set web.cert_file and "
		    "web.key_file "
		    "(docs/web.md), or reach 127.0.0.1 through an SSH tunnel",
		    w->endpoint);
	else
		return true;
	return false;
}

/* Depth of a camera that the stack reads itself. */
static bool check_depth(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_robot *r = &cfg->robot;
	if (r->depth_device[0] == '\0')
		return true;
	if (r->depth_device[0] != '/')
		cairn_error_set(err,
		    "robot.depth_device: '%.80s' is no device: a path as /dev/v4l/by-id/NAME",
		    r->depth_device);
	else if (r->depth_alignment[0] == '\0')
		cairn_error_set(err,
		    "robot.depth_alignment: is empty; robot.depth_device needs the file that "
		    "lays its depth onto the pictures (docs/cameras.md)");
	else if (r->camera_device[0] == '\0')
		cairn_error_set(err,
		    "robot.camera_device: is empty; robot.depth_device stands beside a camera "
		    "that the stack reads itself (a helper sends depth of its own)");
	else
		return true;
	return false;
}

/* Beeper and lights. */
static bool check_signals(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_gpio_lines lines;
	struct cairn_error why = {""};
	if (!cairn_signal_lines_parse(&lines, cfg->robot.signal_lines, &why))
		cairn_error_set(err, "robot.signal_lines: %.180s", why.text);
	else if (cfg->robot.signal_board && cfg->robot.base_model != CAIRN_CHOICE_BASE_MODEL_ROSMASTER)
		cairn_error_set(err, "robot.signal_board: only a base with robot.base_model: rosmaster has "
				     "beeper and light bar; name lines in robot.signal_lines instead");
	else
		return true;
	return false;
}

/* Where news go; an address in the environment is judged by the stage that may see it. */
static bool check_notify(const struct cairn_config *cfg, struct cairn_error *err)
{
	const char *url = cfg->notify.url;
	size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0;
	if (url[0] == '\0' || (scheme > 0 && strcspn(url + scheme, "/?#@ ") > 0 && strchr(url, ' ') == NULL))
		return true;
	cairn_error_set(
	    err, "notify.url: '%.100s' is no address: it must be http://HOST/... or https://HOST/...", url);
	return false;
}

static bool check_robot(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_battery_curve curve;
	struct cairn_error why = {""};
	const struct cairn_config_robot *r = &cfg->robot;
	if (!cairn_battery_curve_parse(&curve, r->battery_curve, &why)) {
		cairn_error_set(err, "robot.battery_curve: %.160s", why.text);
		return false;
	}
	struct cairn_gpio_lines guard;
	if (!cairn_guard_lines_parse(&guard, r->guard_lines, &why)) {
		cairn_error_set(err, "robot.guard_lines: %.180s", why.text);
		return false;
	}
	bool two_wheels = r->base_model == CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
	if (two_wheels != cairn_is_differential(cfg)) {
		cairn_error_set(err, "robot.kinematics: %s; a base with robot.base_model: %s is %s",
		    two_wheels ? "ackermann" : "differential", two_wheels ? "diffdrive-serial" : "rosmaster",
		    two_wheels ? "differential" : "steered (ackermann)");
		return false;
	}
	if (two_wheels && r->wheel_separation_m > 2.0 * r->footprint_half_width_m) {
		cairn_error_set(err,
		    "robot.wheel_separation_m: %.10g must be at most twice robot.footprint_half_width_m "
		    "(%.10g): the wheels are part of the body",
		    r->wheel_separation_m, r->footprint_half_width_m);
		return false;
	}
	if (fabs(r->steer_scale) < STEER_SCALE_MIN || (cfg->sim.mounting == CAIRN_CHOICE_MOUNTING_GIVEN &&
							  fabs(cfg->sim.steer_scale) < STEER_SCALE_MIN)) {
		cairn_error_set(err,
		    "%s.steer_scale: a robot that does not turn when it steers cannot be driven",
		    fabs(r->steer_scale) < STEER_SCALE_MIN ? "robot" : "sim");
		return false;
	}
	return true;
}

/* A name of ROS: /camera/image_raw. */
static bool is_topic(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/";
	size_t len = strlen(name);
	return name[0] == '/' && len > 1 && name[len - 1] != '/' && strstr(name, "//") == NULL &&
	       strspn(name, letters) == len;
}

/* A robot by drivers of ROS 2: which topics go together, and what has to stand in the other sections for them. */
static bool check_ros2_drivers(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_ros2 *ros = &cfg->ros2;
	const struct cairn_config_robot *r = &cfg->robot;
	bool scan = ros->scan_from[0] != '\0', base = ros->odom_from[0] != '\0',
	     color = ros->color_from[0] != '\0';
	if (r->drive != CAIRN_CHOICE_DRIVE_ROS2)
		return true;
	if (!scan && !base && !color)
		cairn_error_set(err, "robot.drive: is ros2, but none of ros2.scan_from, ros2.odom_from and "
				     "ros2.color_from names a topic "
				     "(docs/ros2.md)");
	else if (base != (ros->cmd_vel_to[0] != '\0'))
		cairn_error_set(err,
		    "ros2.%s: is empty; a base needs both ros2.odom_from and ros2.cmd_vel_to",
		    base ? "cmd_vel_to" : "odom_from");
	else if (base && r->base_model != CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL)
		cairn_error_set(err, "ros2.odom_from: a base of ROS is driven with robot.base_model: "
				     "diffdrive-serial and robot.kinematics: "
				     "differential");
	else if (!base && (ros->imu_from[0] != '\0' || ros->battery_from[0] != '\0'))
		cairn_error_set(err,
		    "ros2.%s: belongs to the base: set ros2.odom_from and ros2.cmd_vel_to as well",
		    ros->imu_from[0] != '\0' ? "imu_from" : "battery_from");
	else if (scan && r->lidar_model != CAIRN_CHOICE_LIDAR_MODEL_HELPER)
		cairn_error_set(err, "ros2.scan_from: a LiDAR of ROS is read with robot.lidar_model: helper");
	else if (color && r->camera_device[0] != '\0')
		cairn_error_set(
		    err, "robot.camera_device: must be empty where ros2.color_from names the camera");
	else if (!color && ros->depth_from[0] != '\0')
		cairn_error_set(
		    err, "ros2.depth_from: lies on the pictures of ros2.color_from; set that as well");
	else if (base && ros->enabled && ros->take_cmd_vel && strcmp(ros->cmd_vel_to, "/cmd_vel") == 0)
		cairn_error_set(err, "ros2.cmd_vel_to: /cmd_vel is what ros2.take_cmd_vel steers the robot "
				     "by; give the driver another one");
	else
		return true;
	return false;
}

static bool check_ros2_names(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_ros2 *ros = &cfg->ros2;
	const struct {
		const char *key, *name;
	} rows[] = {{"scan_from", ros->scan_from}, {"odom_from", ros->odom_from},
	    {"cmd_vel_to", ros->cmd_vel_to}, {"imu_from", ros->imu_from}, {"battery_from", ros->battery_from},
	    {"color_from", ros->color_from}, {"depth_from", ros->depth_from}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].name[0] == '\0' || is_topic(rows[i].name))
			continue;
		cairn_error_set(err,
		    "ros2.%s: '%.80s' is no name of a topic: /name/name, of letters, digits and '_'",
		    rows[i].key, rows[i].name);
		return false;
	}
	return true;
}

/* Absolute, or with a step upwards. */
static bool leads_out(const char *path)
{
	if (path[0] == '/')
		return true;
	for (const char *part = path; part != NULL; part = strchr(part, '/')) {
		part += part[0] == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
			return true;
	}
	return false;
}

/* A stage that plays a device makes it anew under the configured name. Elsewhere that could be a real device, or a file. */
static bool check_played_devices(const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_robot *r = &cfg->robot;
	const struct cairn_config_ros2 *ros = &cfg->ros2;
	bool sim = r->drive == CAIRN_CHOICE_DRIVE_SIMULATED, drivers = r->drive == CAIRN_CHOICE_DRIVE_ROS2;
	bool network = cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_NETWORK;
	const char *robot = sim ? "robot-sim" : "ros2-robot",
		   *real = sim ? "; a real robot needs robot.drive=serial" : "";
	const struct {
		const char *key, *path;
		bool played;
		const char *stage, *remedy;
	} rows[] = {
	    {"robot.base_device", r->base_device, sim || (drivers && ros->odom_from[0] != '\0'), robot, real},
	    {"robot.lidar_device", r->lidar_device, sim || (drivers && ros->scan_from[0] != '\0'), robot,
		real},
	    {"robot.camera_socket", r->camera_socket, sim || (drivers && ros->color_from[0] != '\0'), robot,
		real},
	    {"detect.socket", cfg->detect.socket,
		network || (sim && cfg->detect.source == CAIRN_CHOICE_DETECT_SOURCE_SIMULATED),
		network ? "network" : robot, "; a helper needs detect.source=helper"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].played || !leads_out(rows[i].path))
			continue;
		cairn_error_set(err, "%s: %s is not below the run directory, where the stage %s makes it%s",
		    rows[i].key, rows[i].path, rows[i].stage, rows[i].remedy);
		return false;
	}
	return true;
}

bool cairn_config_check(const struct cairn_config *cfg, struct cairn_error *err)
{
	if (!check_orders(cfg, err) || !check_model_url(cfg, err) || !check_choice(cfg, err) ||
	    !check_zones(cfg, err) || !check_remote(cfg, err) || !check_web(cfg, err) ||
	    !check_robot(cfg, err) || !check_depth(cfg, err) || !check_signals(cfg, err) ||
	    !check_notify(cfg, err) || !check_ros2_names(cfg, err) || !check_ros2_drivers(cfg, err) ||
	    !check_played_devices(cfg, err))
		return false;
	if (cfg->map.extent_max_m / cfg->map.cell_m > MAP_CELLS_MAX) {
		cairn_error_set(err,
		    "map.extent_max_m: %.10g m in cells of %.10g m are %.0f cells an edge: too much memory; "
		    "at most %.0f",
		    cfg->map.extent_max_m, cfg->map.cell_m, cfg->map.extent_max_m / cfg->map.cell_m,
		    MAP_CELLS_MAX);
		return false;
	}
	if (cfg->mission.survey && !cfg->agent.enabled) {
		cairn_error_set(err, "mission.survey: needs agent.enabled=true: the stage agent looks round");
		return false;
	}
	const char *devices[] = {cfg->robot.base_device, cfg->robot.lidar_device};
	const char *names[] = {"robot.base_device", "robot.lidar_device"};
	for (size_t i = 0; i < 2; i++) {
		if (devices[i][0] == '\0') {
			cairn_error_set(err, "%s: is empty; the robot cannot drive without it", names[i]);
			return false;
		}
	}
	return true;
}
