#include <fcntl.h>
#include <sys/stat.h>

#include "common/config/config.h"
#include "common/config/config_text.h"
#include "common/rules/config_check.h"
#include "test/support/runner.h"

static char dir[64];

/* A file of this text in a fresh folder; the path in a static buffer. */
static const char *file_of(const char *text)
{
	static char path[128];
	if (dir[0] == '\0') {
		snprintf(dir, sizeof(dir), "/tmp/cairn-config-XXXXXX");
		ck_assert_ptr_nonnull(mkdtemp(dir));
	}
	snprintf(path, sizeof(path), "%s/c.yaml", dir);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
	return path;
}

static void clean(void)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/c.yaml", dir);
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
	dir[0] = '\0';
}

/* Loads text over the defaults; it must be refused with exactly this after the file's name, and change
 * nothing. */
static void refused(const char *text, const char *want)
{
	struct cairn_config cfg, before;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cairn_config_defaults(&before);
	const char *path = file_of(text);
	ck_assert_msg(!cairn_config_load(&cfg, path, &err), "accepted: %s", text);
	ck_assert_mem_eq(err.text, path, strlen(path));
	ck_assert_str_eq(err.text + strlen(path), want);
	ck_assert_mem_eq(&cfg, &before, sizeof(cfg));
	clean();
}

static void set_refused(const char *assignment, const char *want)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert_msg(!cairn_config_set(&cfg, assignment, "--set", &err), "accepted: %s", assignment);
	ck_assert_str_eq(err.text, want);
}

static void set(struct cairn_config *cfg, const char *assignment)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_config_set(cfg, assignment, "--set", &err), "%s: %s", assignment, err.text);
}

START_TEST(defaults_are_in_range_and_consistent)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	char value[CAIRN_CONFIG_TEXT_CAP];
	cairn_config_defaults(&cfg);
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		cairn_config_value_text(&cfg, row, value, sizeof(value));
		ck_assert_msg(cairn_config_assign(&cfg, row, value, &err), "%s.%s: %s", row->section,
		    row->key, err.text);
	}
	ck_assert_msg(cairn_config_check(&cfg, &err), "%s", err.text);
}
END_TEST

START_TEST(file_lays_its_keys_over_the_defaults_and_keeps_the_rest)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	const char *path =
	    file_of("# comment\nrobot:\n  speed_max_mps: 0.4 # slow\n\nsim:\n  seed: 7\n  noise: no\n"
		    "  world: \"a b.yaml\"\nlog: {level: debug}\n");
	ck_assert_msg(cairn_config_load(&cfg, path, &err), "%s", err.text);
	ck_assert_double_eq(cfg.robot.speed_max_mps, 0.4);
	ck_assert_double_eq(cfg.robot.wheelbase_m, 0.229);
	ck_assert_int_eq(cfg.sim.seed, 7);
	ck_assert(!cfg.sim.noise);
	ck_assert_str_eq(cfg.sim.world, "a b.yaml");
	ck_assert_int_eq(cfg.log.level, CAIRN_CHOICE_LOG_LEVEL_DEBUG);
	clean();
}
END_TEST

START_TEST(empty_file_and_empty_section_change_nothing)
{
	struct cairn_config cfg, before;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cairn_config_defaults(&before);
	ck_assert_msg(cairn_config_load(&cfg, file_of(""), &err), "%s", err.text);
	ck_assert_msg(cairn_config_load(&cfg, file_of("# only this\n"), &err), "%s", err.text);
	ck_assert_msg(cairn_config_load(&cfg, file_of("robot:\nsim:\n  seed: 1\n"), &err), "%s", err.text);
	ck_assert_mem_eq(&cfg, &before, sizeof(cfg));
	clean();
}
END_TEST

START_TEST(unknown_keys_are_refused_with_their_line_and_a_suggestion)
{
	refused("robot:\n  # fast\n  speed_max_mps: 0.4\n\n  sped_max_mps: 0.4\n",
	    ": line 5: robot.sped_max_mps: unknown key; did you mean 'speed_max_mps'?");
	refused("robot:\n  wheelbase: 0.2\n",
	    ": line 2: robot.wheelbase: unknown key; did you mean 'wheelbase_m'?");
	refused("robot:\n  zzz: 0.2\n", ": line 2: robot.zzz: unknown key");
	refused("nav:\n  cell_m: 0.2\n", ": line 2: nav.cell_m: unknown key; did you mean 'map.cell_m'?");
}
END_TEST

START_TEST(unknown_sections_are_refused_with_their_line_and_a_suggestion)
{
	refused("sim:\n  seed: 2\n\nrobbot:\n  name: x\n",
	    ": line 4: robbot: unknown section; did you mean 'robot'?");
	refused("seed: 2\n", ": line 1: seed: unknown section; did you mean 'pilot.seed' or 'sim.seed'?");
}
END_TEST

START_TEST(numbers_out_of_range_are_refused_with_the_range)
{
	refused("robot:\n  speed_max_mps: 9\n", ": line 2: robot.speed_max_mps: 9 is out of range 0.02..3");
	refused("robot:\n  car_type: 16\n", ": line 2: robot.car_type: 16 is out of range 1..15");
	refused("robot:\n  car_type: 99999999999\n",
	    ": line 2: robot.car_type: 99999999999 is out of range 1..15");
	refused("sim: {lidar_noise_m: -1}\n", ": line 1: sim.lidar_noise_m: -1 is out of range 0..1");
}
END_TEST

START_TEST(numbers_with_a_unit_are_refused_and_the_unit_is_named)
{
	refused("robot:\n  wheelbase_m: 30cm\n",
	    ": line 2: robot.wheelbase_m: '30cm' is not a plain number; write it without a unit, in metres");
	refused("robot:\n  speed_max_mps: 1 m/s\n",
	    ": line 2: robot.speed_max_mps: '1 m/s' is not a plain number; "
	    "write it without a unit, in metres per second");
	refused("camera:\n  width_px: 640px\n", ": line 2: camera.width_px: '640px' is not a plain whole "
						"number; write it without a unit, in pixels");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	refused("robot:\n  height_m: tall\n", ": line 2: robot.height_m: 'tall' is not a number");
	refused("robot:\n  height_m: 0,2\n", ": line 2: robot.height_m: '0,2' is not a number");
	refused("robot:\n  height_m: .nan\n", ": line 2: robot.height_m: '.nan' is not a number");
	refused("robot:\n  height_m: nan\n", ": line 2: robot.height_m: 'nan' is not a finite number");
	refused("robot:\n  height_m: -inf\n", ": line 2: robot.height_m: '-inf' is not a finite number");
	refused("robot:\n  height_m: 1e999\n", ": line 2: robot.height_m: '1e999' is not a finite number");
	refused("robot:\n  height_m: 0x1\n", ": line 2: robot.height_m: '0x1' is not a number");
	refused("robot:\n  height_m:\n", ": line 2: robot.height_m: has no value");
	refused("robot:\n  car_type: 2.5\n", ": line 2: robot.car_type: '2.5' is not a whole number");
	refused("robot:\n  car_type: 1e1\n", ": line 2: robot.car_type: '1e1' is not a whole number");
}
END_TEST

START_TEST(wrong_words_are_refused_with_the_choices)
{
	refused("pilot:\n  profile: unsave\n",
	    ": line 2: pilot.profile: 'unsave' is not one of sensible, forward, "
	    "random, flip, unsafe, repeat, idle, hybrid, scholar; did you mean 'unsafe'?");
	refused("mission:\n  return_home: maybe\n",
	    ": line 2: mission.return_home: 'maybe' is neither true nor false");
}
END_TEST

START_TEST(wrong_shapes_are_refused)
{
	refused("robot: 3\n", ": line 1: robot: keys are expected below it, not a value");
	refused("sim:\n  seed: 1\nrobot:\n  height_m: [1, 2]\n",
	    ": line 4: robot.height_m: one plain value is expected");
	refused("- robot\n", ": line 1: not a configuration: sections with keys are expected");
	refused("just words\n", ": line 1: not a configuration: sections with keys are expected");
	refused("robot:\n  height_m: *tall\n", ": line 2: robot.height_m: aliases (*name) are not supported");
	refused("robot:\n  ? [a]\n  : 2\n", ": line 2: robot: a key must be a plain word");
}
END_TEST

START_TEST(keys_and_sections_given_twice_are_refused)
{
	refused(
	    "robot:\n  height_m: 0.1\n  name: x\n  height_m: 0.2\n", ": line 4: robot.height_m: given twice");
	refused("sim:\n  seed: 1\nrobot:\n  name: x\nsim:\n  noise: no\n", ": line 5: sim: given twice");
	refused("sim:\n  seed: 1\n---\nsim:\n  seed: 2\n",
	    ": line 3: more than one YAML document (a line '---' in the middle)");
}
END_TEST

START_TEST(what_is_not_yaml_is_refused)
{
	refused("robot:\n\theight_m: 1\n", ": line 2: a tab in the indentation; YAML wants spaces");
	refused("robot:\n  name: \"x\n", ": line 3: not YAML: found unexpected end of stream");
	refused("robot:\n  name: \xff\n", ": line 2: not YAML: invalid leading UTF-8 octet");
}
END_TEST

START_TEST(texts_too_long_or_not_printable_are_refused)
{
	char long_text[400] = "robot:\n  name: ";
	size_t n = strlen(long_text);
	memset(long_text + n, 'x', 256);
	refused(long_text, ": line 2: robot.name: text of 256 bytes; at most 255");
	long_text[n + 255] = '\0';
	struct cairn_config cfg;
	struct cairn_error err;
	cairn_config_defaults(&cfg);
	ck_assert(cairn_config_load(&cfg, file_of(long_text), &err));
	ck_assert_uint_eq(strlen(cfg.robot.name), 255);
	clean();
	refused("robot:\n  name: \"a\\nb\"\n",
	    ": line 2: robot.name: text with a control character, or not UTF-8");
}
END_TEST

START_TEST(files_that_cannot_be_read_are_named)
{
	struct cairn_config cfg;
	struct cairn_error err;
	cairn_config_defaults(&cfg);
	ck_assert(!cairn_config_load(&cfg, "/nonexistent/c.yaml", &err));
	ck_assert_str_eq(err.text, "/nonexistent/c.yaml: No such file or directory");
	ck_assert(!cairn_config_load(&cfg, "/", &err));
	ck_assert_str_eq(err.text, "/: not a file (a folder)");
}
END_TEST

START_TEST(assignments_are_laid_over)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	set(&cfg, "vlm.base_url=http://host/v1?a=b.c");
	set(&cfg, "robot.lidar_yaw_rad=-3.1e0");
	set(&cfg, "mission.return_home=off");
	set(&cfg, "pilot.faults=");
	set(&cfg, "robot.name=K\xc3\xa4the \xf0\x9f\xa4\x96");
	ck_assert_str_eq(cfg.vlm.base_url, "http://host/v1?a=b.c");
	ck_assert_double_eq(cfg.robot.lidar_yaw_rad, -3.1);
	ck_assert(!cfg.mission.return_home);
	ck_assert_str_eq(cfg.pilot.faults, "");
	ck_assert_str_eq(cfg.robot.name, "K\xc3\xa4the \xf0\x9f\xa4\x96");
}
END_TEST

START_TEST(bad_assignments_are_refused)
{
	set_refused(
	    "robot.speed_max_mps", "--set: 'robot.speed_max_mps' is not of the form section.key=value");
	set_refused("speed=1.0", "--set: 'speed=1.0' is not of the form section.key=value");
	set_refused("robot.speed_max_mps=9", "--set: robot.speed_max_mps: 9 is out of range 0.02..3");
	set_refused(
	    "robot.sped_max_mps=1", "--set: robot.sped_max_mps: unknown key; did you mean 'speed_max_mps'?");
	set_refused("robott.name=1", "--set: robott.name: unknown section; did you mean 'robot'?");
	set_refused("robot.height_m= 1", "--set: robot.height_m: ' 1' is not a number");
	set_refused("robot.height_m=", "--set: robot.height_m: has no value");
	set_refused("robot.name=\xc0\x80", "--set: robot.name: text with a control character, or not UTF-8");
	set_refused(
	    "robot.name=\xed\xa0\x80", "--set: robot.name: text with a control character, or not UTF-8");
	set_refused("robot.name=\xc3", "--set: robot.name: text with a control character, or not UTF-8");
}
END_TEST

START_TEST(rules_between_keys_are_checked)
{
	static const struct {
		const char *assignment, *want;
	} rows[] = {
	    {"safety.silent_wait_s=2", "safety.silent_wait_s: 2 must be more than safety.silent_coast_s (3): "
				       "a silent model is met in steps, one after the other"},
	    {"safety.slow_distance_m=0.05",
		"safety.slow_distance_m: 0.05 must be more than safety.stop_distance_m (0.125): "
		"the robot slows down before it stops"},
	    {"robot.steer_scale=0.1",
		"robot.steer_scale: a robot that does not turn when it steers cannot be driven"},
	    {"robot.battery_curve=12:0, 11:50", "robot.battery_curve: '11:50' does not rise"},
	    {"robot.signal_lines=horn 3 low", "robot.signal_lines: 'horn 3 low' is not WHAT LINE LEVEL: "
					      "buzzer, light, light_red, light_green "
					      "or light_blue, then a number up to 1023, then low or high"},
	    {"robot.depth_device=/dev/video0", "robot.depth_alignment: is empty; robot.depth_device needs "
					       "the file that lays its depth onto the "
					       "pictures (docs/cameras.md)"},
	    {"robot.depth_device=video0",
		"robot.depth_device: 'video0' is no device: a path as /dev/v4l/by-id/NAME"},
	    {"notify.url=robot.local/hook", "notify.url: 'robot.local/hook' is no address: it must be "
					    "http://HOST/... or https://HOST/..."},
	    {"notify.url=https:///hook",
		"notify.url: 'https:///hook' is no address: it must be http://HOST/... or https://HOST/..."},
	    {"safety.cmd_timeout_s=0.05",
		"safety.cmd_timeout_s: 0.05 must be more than one period of cmd_vel (0.05): "
		"the robot would stand still for ever"},
	    {"map.extent_max_m=500", "map.extent_max_m: 500 m in cells of 0.05 m are 10000 cells an edge: "
				     "too much memory; at most 4096"},
	    {"vlm.base_url=ftp://x/v1", "vlm.base_url: 'ftp://x/v1' must start with http:// or https://"},
	    {"robot.base_device=", "robot.base_device: is empty; the robot cannot drive without it"},
	    {"robot.base_device=/dev/ttyUSB0",
		"robot.base_device: /dev/ttyUSB0 is not below the run directory, where the stage robot-sim "
		"makes it; a real robot needs robot.drive=serial"},
	    {"robot.lidar_device=../lidar",
		"robot.lidar_device: ../lidar is not below the run directory, where the stage robot-sim "
		"makes it; a real robot needs robot.drive=serial"},
	    {"robot.camera_socket=/run/cairn-camera",
		"robot.camera_socket: /run/cairn-camera is not below the run directory, where the stage "
		"robot-sim makes it; a real robot needs robot.drive=serial"},
	    {"detect.socket=dev/../../detector",
		"detect.socket: dev/../../detector is not below the run directory, where the stage robot-sim "
		"makes it; a helper needs detect.source=helper"},
	    {"web.endpoint=0.0.0.0:8088",
		"web.endpoint: '0.0.0.0:8088' is beyond this machine and needs TLS: "
		"set web.cert_file and web.key_file (docs/web.md), or reach 127.0.0.1 "
		"through an SSH tunnel"},
	    {"web.cert_file=/etc/cairn/cert.pem",
		"web.key_file: is empty; TLS needs both web.cert_file and web.key_file"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_config cfg;
		struct cairn_error err = {""};
		cairn_config_defaults(&cfg);
		set(&cfg, rows[i].assignment);
		ck_assert_msg(!cairn_config_check(&cfg, &err), "accepted: %s", rows[i].assignment);
		ck_assert_str_eq(err.text, rows[i].want);
	}
}
END_TEST

START_TEST(devices_that_no_stage_makes_may_be_anywhere)
{
	static const char *const sets[] = {"robot.drive=serial", "robot.base_device=/dev/ttyUSB0",
	    "robot.lidar_device=/dev/ttyUSB1", "robot.camera_socket=/run/cairn-camera",
	    "detect.source=helper", "detect.socket=/run/detector"};
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		set(&cfg, sets[i]);
	ck_assert_msg(cairn_config_check(&cfg, &err), "%s", err.text);
	set(&cfg, "detect.source=network"); /* that stage listens */
	ck_assert(!cairn_config_check(&cfg, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "where the stage network makes it"));
}
END_TEST

START_TEST(a_robot_by_drivers_of_ros_has_what_belongs_together)
{
	static const struct {
		const char *assignment, *want;
	} rows[] = {
	    {"ros2.cmd_vel_to=",
		"ros2.cmd_vel_to: is empty; a base needs both ros2.odom_from and ros2.cmd_vel_to"},
	    {"ros2.odom_from=",
		"ros2.odom_from: is empty; a base needs both ros2.odom_from and ros2.cmd_vel_to"},
	    {"ros2.scan_from=scan",
		"ros2.scan_from: 'scan' is no name of a topic: /name/name, of letters, digits and '_'"},
	    {"ros2.scan_from=/a b",
		"ros2.scan_from: '/a b' is no name of a topic: /name/name, of letters, digits and '_'"},
	    {"robot.lidar_model=sllidar",
		"ros2.scan_from: a LiDAR of ROS is read with robot.lidar_model: helper"},
	    {"ros2.color_from=",
		"ros2.depth_from: lies on the pictures of ros2.color_from; set that as well"},
	    {"robot.camera_device=/dev/video0",
		"robot.camera_device: must be empty where ros2.color_from names the camera"},
	    {"robot.base_device=/dev/base",
		"robot.base_device: /dev/base is not below the run directory, where the stage ros2-robot "
		"makes it"},
	};
	for (size_t i = 0; i <= sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_config cfg;
		struct cairn_error err = {""};
		cairn_config_defaults(&cfg);
		ck_assert_msg(
		    cairn_config_load(&cfg, CAIRN_SOURCE_ROOT "/config/robots/ros2-diffdrive.yaml", &err),
		    "%s", err.text);
		ck_assert_msg(cairn_config_check(&cfg, &err), "simulated: %s", err.text);
		set(&cfg, "robot.drive=ros2");
		ck_assert_msg(cairn_config_check(&cfg, &err), "%s", err.text);
		if (i == sizeof(rows) / sizeof(rows[0]))
			break;
		set(&cfg, rows[i].assignment);
		ck_assert_msg(!cairn_config_check(&cfg, &err), "accepted: %s", rows[i].assignment);
		ck_assert_str_eq(err.text, rows[i].want);
	}
	/* Two hands on one wheel. */
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert(cairn_config_load(&cfg, CAIRN_SOURCE_ROOT "/config/robots/ros2-diffdrive.yaml", &err));
	set(&cfg, "robot.drive=ros2");
	set(&cfg, "ros2.enabled=true");
	set(&cfg, "ros2.take_cmd_vel=true");
	ck_assert(!cairn_config_check(&cfg, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "give the driver another one"));
}
END_TEST

START_TEST(examples_of_robots_by_drivers_of_ros_are_configurations)
{
	static const char *const names[] = {"ros2-diffdrive", "gazebo-turtlebot3", "isaac-diffdrive"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct cairn_config cfg;
		struct cairn_error err = {""};
		char path[400];
		cairn_config_defaults(&cfg);
		snprintf(path, sizeof(path), "%s/config/robots/%s.yaml", CAIRN_SOURCE_ROOT, names[i]);
		ck_assert_msg(cairn_config_load(&cfg, path, &err), "%s", err.text);
		set(&cfg, "robot.drive=ros2");
		ck_assert_msg(cairn_config_check(&cfg, &err), "%s: %s", names[i], err.text);
		ck_assert_str_eq(cfg.robot.name, names[i]);
		ck_assert_str_eq(cfg.ros2.scan_from, "/scan");
		ck_assert_str_eq(cfg.ros2.cmd_vel_to, "/cmd_vel");
	}
}
END_TEST

START_TEST(saved_file_reads_back_as_the_same_values)
{
	struct cairn_config cfg, back;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	set(&cfg, "robot.name=a \"b\" \\c # d: 'e' K\xc3\xa4the");
	set(&cfg, "robot.wheelbase_m=0.3333333333333333");
	set(&cfg, "sim.seed=2147483647");
	set(&cfg, "sim.noise=no");
	set(&cfg, "log.level=debug");
	const char *path = file_of("old: contents\n");
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	cairn_config_defaults(&back);
	ck_assert_msg(cairn_config_load(&back, path, &err), "%s", err.text);
	char a[CAIRN_CONFIG_TEXT_CAP], b[CAIRN_CONFIG_TEXT_CAP];
	for (int i = 0; i < cairn_config_row_count; i++) {
		cairn_config_value_text(&cfg, &cairn_config_rows[i], a, sizeof(a));
		cairn_config_value_text(&back, &cairn_config_rows[i], b, sizeof(b));
		ck_assert_str_eq(a, b);
	}
	ck_assert_double_eq(back.robot.wheelbase_m, cfg.robot.wheelbase_m);
	clean(); /* fails when a temporary file is left beside it */
}
END_TEST

START_TEST(file_that_cannot_be_saved_is_named_and_leaves_nothing)
{
	struct cairn_config cfg;
	struct cairn_error err;
	cairn_config_defaults(&cfg);
	ck_assert(!cairn_config_save(&cfg, "/nonexistent/c.yaml", &err));
	ck_assert_str_eq(err.text, "/nonexistent/c.yaml: No such file or directory");
	/* A folder in the way of the rename. */
	char blocked[128];
	file_of("");
	snprintf(blocked, sizeof(blocked), "%s/folder", dir);
	ck_assert_int_eq(mkdir(blocked, 0700), 0);
	ck_assert(!cairn_config_save(&cfg, blocked, &err));
	ck_assert_int_eq(rmdir(blocked), 0);
	clean();
}
END_TEST

/* Each is read alone: in an error, in `cairn config`, in a table. */
START_TEST(the_meaning_of_every_key_is_a_sentence)
{
	for (int i = 0; i < cairn_config_row_count; i++) {
		const struct cairn_config_row *row = &cairn_config_rows[i];
		size_t n = strlen(row->doc);
		ck_assert_msg(n > 20 && row->doc[0] >= 'A' && row->doc[0] <= 'Z' && row->doc[n - 1] == '.',
		    "%s.%s: '%s'", row->section, row->key, row->doc);
	}
}
END_TEST

START_TEST(every_random_cut_of_a_file_is_loaded_or_refused_with_one_line)
{
	struct cairn_config cfg;
	struct cairn_error err;
	cairn_config_defaults(&cfg);
	char whole[16384] = "";
	const char *path = file_of("");
	ck_assert(cairn_config_save(&cfg, path, &err));
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	size_t n = fread(whole, 1, 1500, file);
	fclose(file);
	int refusals = 0;
	for (size_t i = 0; i < n; i += 7) {
		char piece[2048];
		memcpy(piece, whole, n + 1);
		piece[i] = (char)('!' + i % 90);
		piece[n - i / 2] = '\0';
		err.text[0] = '\0';
		if (!cairn_config_load(&cfg, file_of(piece), &err)) {
			refusals++;
			ck_assert_mem_eq(err.text, path, strlen(path));
			ck_assert_ptr_null(strchr(err.text, '\n'));
		}
	}
	ck_assert_int_gt(refusals, 20);
	clean();
}
END_TEST

CAIRN_TEST_MAIN("config", the_meaning_of_every_key_is_a_sentence, defaults_are_in_range_and_consistent,
    file_lays_its_keys_over_the_defaults_and_keeps_the_rest, empty_file_and_empty_section_change_nothing,
    unknown_keys_are_refused_with_their_line_and_a_suggestion,
    unknown_sections_are_refused_with_their_line_and_a_suggestion,
    numbers_out_of_range_are_refused_with_the_range, numbers_with_a_unit_are_refused_and_the_unit_is_named,
    what_is_no_number_is_refused, wrong_words_are_refused_with_the_choices, wrong_shapes_are_refused,
    keys_and_sections_given_twice_are_refused, what_is_not_yaml_is_refused,
    texts_too_long_or_not_printable_are_refused, files_that_cannot_be_read_are_named,
    assignments_are_laid_over, bad_assignments_are_refused, rules_between_keys_are_checked,
    devices_that_no_stage_makes_may_be_anywhere, a_robot_by_drivers_of_ros_has_what_belongs_together,
    examples_of_robots_by_drivers_of_ros_are_configurations, saved_file_reads_back_as_the_same_values,
    file_that_cannot_be_saved_is_named_and_leaves_nothing,
    every_random_cut_of_a_file_is_loaded_or_refused_with_one_line)
