/* make_seeds CORPUS SOURCE: inputs to begin with, one folder a fuzzer, for what cannot be kept as text. What
 * can is taken from the project's own files in SOURCE. */
#include <glob.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/device/camera_link.h"
#include "common/slam/mapper.h"
#include "common/mcap/mcap_writer.h"
#include "common/record/message_recorder.h"
#include "common/ros2/ros2.h"
#include "common/sequencer/mission_store.h"
#include "common/sim/robot/dev_board.h"
#include "common/sim/robot/dev_lidar.h"
#include "common/vlm/exchange.h"
#include "common/vlm/memory.h"
#include "common/vlm/recording.h"
#include "ipc/frame_layout.h"
#include "ipc/topics.h"

static const char *corpus;
static char path[1024];

_Noreturn static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/* The file's path, in a folder that is there then. */
static const char *seed_path(const char *fuzzer, const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", corpus, fuzzer);
	(void)mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/seed_%s", corpus, fuzzer, name);
	return path;
}

static void put(const char *fuzzer, const char *name, const void *prefix, size_t prefix_bytes,
    const void *data, size_t bytes)
{
	FILE *f = fopen(seed_path(fuzzer, name), "we");
	if (f == NULL || fwrite(prefix, 1, prefix_bytes, f) != prefix_bytes ||
	    fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0)
		give_up(path);
}

static void messages(void)
{
	static unsigned char buf[1u << 20];
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) {
		struct cairn_header hdr = {.version = 1, .seq = 1, .epoch = 2, .t_ns = 3, .valid = true};
		void *msg = calloc(1, cairn_topics[t].desc->size);
		int n = msg != NULL ? cairn_msg_encode(cairn_topics[t].desc, cairn_topics[t].name, &hdr, msg,
					  buf, sizeof(buf))
				    : -1;
		unsigned char index = (unsigned char)t;
		if (n < 0)
			give_up(cairn_topics[t].name);
		put("message", cairn_topics[t].name, &index, 1, buf, (size_t)n);
		free(msg);
	}
}

/* A square room of 4 m, driven through the middle. */
static void map(void)
{
	static struct cairn_config cfg;
	static struct cairn_msg_scan scan;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	struct cairn_mapper *mapper = cairn_mapper_new(&cfg);
	scan.range_min_m = 0.05F;
	scan.range_max_m = 16.0F;
	scan.angle_rad_count = scan.range_m_count = 360;
	for (int k = 0; k < 8 && mapper != NULL; k++) {
		int64_t t_ns = (k + 1) * INT64_C(100000000);
		struct cairn_msg_odom odom = {.x_m = 0.05 * k, .v_mps = 0.5, .distance_m = 0.05 * k};
		for (int i = 0; i < 360; i++) {
			double a = i * M_PI / 180.0, c = fabs(cos(a)), s = fabs(sin(a));
			scan.angle_rad[i] = (float)a;
			scan.range_m[i] =
			    (float)fmin(c > 1e-6 ? (2.0 - (cos(a) > 0 ? 0.05 * k : -0.05 * k)) / c : 9.0,
				s > 1e-6 ? 2.0 / s : 9.0);
		}
		scan.t_start_ns = t_ns - INT64_C(100000000);
		(void)cairn_mapper_odom(mapper, &odom, t_ns, 1, NULL);
		(void)cairn_mapper_scan(mapper, &scan, t_ns);
	}
	if (mapper == NULL || !cairn_mapper_save(mapper, seed_path("map", "room"), &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	cairn_mapper_destroy(&mapper);
}

static void map_file(void)
{
	static const char yaml[] =
	    "resolution: 0.05\norigin: [-1.0, -2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\n"
	    "free_thresh: 0.196\n"; /* with its NUL */
	static const char pgm[] = "P5\n# made\n4 3\n255\n\xfe\xfe\x00\xcd\xfe\xfe\x00\xcd\xcd\xcd\xcd\xcd";
	put("map_file", "small", yaml, sizeof(yaml), pgm, sizeof(pgm) - 1);
}

static void snapshot(void)
{
	static const char text[] = "STATE at (0.0, 0.0)", jpeg[] = "\xff\xd8\xff\xd9";
	struct cairn_snapshot_head head = {.snapshot_id = 1,
	    .nearest_m = 1.0,
	    .text_bytes = sizeof(text) - 1,
	    .jpeg_bytes = 4,
	    .version = CAIRN_SNAPSHOT_VERSION};
	char body[64];
	memcpy(body, text, sizeof(text) - 1);
	memcpy(body + sizeof(text) - 1, jpeg, 4);
	put("snapshot", "small", &head, sizeof(head), body, sizeof(text) - 1 + 4);
}

static void devices(void)
{
	/* measurement, standard: A5 5A, 5 bytes, many answers, type 81; then a turn of it */
	static unsigned char lidar[9 + 720 * CAIRN_DEV_LIDAR_NODE] = {
	    0, 0, 0xA5, 0x5A, 0x05, 0x00, 0x00, 0x40, 0x81};
	for (int i = 0; i < 720; i++)
		cairn_dev_lidar_node(lidar + 9 + i * CAIRN_DEV_LIDAR_NODE, i * 0.5, 1.0 + 0.001 * i, i == 0);
	put("device", "lidar", lidar, 9, lidar + 9, sizeof(lidar) - 9);
	static unsigned char board[512] = {1, 15};
	struct cairn_dev_board b;
	struct cairn_dev_board_sense sense = {.v_mps = 0.2, .battery_v = 12.0};
	cairn_dev_board_init(&b);
	b.reporting = true;
	size_t n = 2;
	for (int i = 0; i < 8; i++)
		n += cairn_dev_board_report(&b, &sense, board + n, sizeof(board) - n);
	put("device", "board", board, 2, board + 2, n - 2);
	static unsigned char camera[2 + CAIRN_CAMERA_HEADER_BYTES] = {2, 0};
	struct cairn_camera_header hdr = {.version = 1,
	    .format = CAIRN_CAMERA_RGB8,
	    .width = 640,
	    .height = 480,
	    .stride_bytes = 1920,
	    .t_ns = INT64_C(999900000000),
	    .seq = 1,
	    .payload_bytes = 1920 * 480};
	cairn_camera_header_write(camera + 2, &hdr);
	const uint8_t head[2] = {4, 7};
	static const char lines[] = "$I,1,1*49\r\n$E,100,-200,250,-250*46\r\n$B,12100*5C\r\n";
	put("device", "two-wheels", head, 2, (const uint8_t *)lines, sizeof(lines) - 1);
	put("device", "camera", camera, 2, camera + 2, CAIRN_CAMERA_HEADER_BYTES);
}

static void memory(void)
{
	static struct cairn_memory m;
	struct cairn_ledger ledger = {0};
	struct cairn_error err = {""};
	cairn_memory_init(&m);
	for (int i = 0; i < 3; i++) {
		struct cairn_msg_result result = {
		    .decision_id = (uint64_t)i + 1, .outcome = CAIRN_OUTCOME_BLOCKED};
		snprintf(result.reason, sizeof(result.reason), "a chair %d", i);
		cairn_memory_add_result(&m, &result);
		(void)cairn_memory_add_dead_end(&m, 2.0 * i, 1.0, 0.5, "closed 40 ahead");
	}
	if (!cairn_memory_save(&m, &ledger, seed_path("memory", "some"), &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
}

/* A session of one question, as the gateway records it. */
static void session(void)
{
	static struct cairn_config cfg;
	static uint8_t cells[20 * 20];
	struct cairn_profile profile;
	struct cairn_text lines = {0};
	struct cairn_header at = {.version = 1, .epoch = 1, .valid = true, .t_ns = 1000};
	struct cairn_msg_pose pose = {.quality = 0.9};
	struct cairn_msg_result result = {.decision_id = 7, .outcome = CAIRN_OUTCOME_BLOCKED};
	struct cairn_frame_header grid = {.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .format = CAIRN_FORMAT_GRID8,
	    .width = 20,
	    .height = 20,
	    .stride_bytes = 20,
	    .payload_bytes = sizeof(cells),
	    .cell_m = 0.05};
	struct cairn_exchange x = {.provider = "pilot",
	    .format = "openai",
	    .url = "http://127.0.0.1:0/v1",
	    .request = "{}",
	    .request_bytes = 2,
	    .status = 200,
	    .response = "{\"choices\":[]}",
	    .response_bytes = 14,
	    .retry_after_s = -1.0};
	static const struct {
		const char *kind;
		uint64_t number;
	} rest[] = {{"decided", 7}, {"seen", 0}, {"ended", 7}};
	cairn_config_defaults(&cfg);
	cairn_profile_defaults(&profile);
	cairn_recording_begun(&lines, &cfg, &profile, "system", 1e9);
	size_t from = lines.len;
	cairn_recording_begin(&lines, "asked", 1, 1000);
	cairn_recording_message(&lines, CAIRN_TOPIC_POSE, &at, &pose);
	cairn_recording_text(&lines, "context", "STATE", 5);
	cairn_recording_end(&lines, from);
	cairn_exchange_line(&lines, &x);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		from = lines.len;
		cairn_recording_begin(&lines, rest[i].kind, rest[i].number, 2000);
		cairn_recording_message(&lines, CAIRN_TOPIC_RESULT, &at, &result);
		if (i == 0 && !cairn_recording_grid(&lines, &grid, cells))
			give_up("recording");
		cairn_recording_end(&lines, from);
	}
	put("session", "recording", "\0", 1, lines.data, lines.len);
	cairn_text_free(&lines);
}

/* A mission under way, with a place given up and a zone; the header of a frame for each topic. */
static void state(void)
{
	static struct cairn_mission_record r = {.state = CAIRN_MISSION_STATE_EXPLORING,
	    .started = true,
	    .reason = "explores",
	    .t_first_ns = 1000,
	    .t_explore_ns = 2000,
	    .limit_s = 600.0,
	    .explore = {1, {{.x_m = 1.0, .y_m = 2.0, .failures = 2, .given_up = true, .reason = "narrow"}}},
	    .zones = {.items_count = 1,
		.items = {{.id = 1,
		    .name = "stairs",
		    .corners_count = 3,
		    .corners = {{0.0F, 0.0F}, {1.0F, 0.0F}, {0.0F, 1.0F}}}}}};
	static unsigned char bytes[CAIRN_MISSION_RECORD_BYTES];
	if (cairn_mission_record_encode(&r, bytes, sizeof(bytes)) < 0)
		give_up("mission");
	put("state", "mission", "\1", 1, bytes, sizeof(bytes));
	static const enum cairn_frame_format formats[CAIRN_FRAME_COUNT] = {
	    [CAIRN_FRAME_CAMERA_RGB] = CAIRN_FORMAT_RGB8,
	    [CAIRN_FRAME_CAMERA_DEPTH] = CAIRN_FORMAT_DEPTH16,
	    [CAIRN_FRAME_MAP_GRID] = CAIRN_FORMAT_GRID8,
	    [CAIRN_FRAME_SNAPSHOT] = CAIRN_FORMAT_SNAPSHOT,
	    [CAIRN_FRAME_CANARY] = CAIRN_FORMAT_PROBE};
	for (unsigned t = 0; t < CAIRN_FRAME_COUNT; t++) {
		const unsigned char head[2] = {2, (unsigned char)t};
		uint32_t bytes_px = formats[t] == CAIRN_FORMAT_RGB8      ? 3
				    : formats[t] == CAIRN_FORMAT_DEPTH16 ? 2
									 : 1;
		struct cairn_frame_header hdr = {.magic = CAIRN_FRAME_MAGIC,
		    .version = CAIRN_FRAME_VERSION,
		    .format = (uint16_t)formats[t],
		    .seq = 1,
		    .epoch = 3,
		    .t_ns = 1000,
		    .width = 8,
		    .height = 6,
		    .stride_bytes = 8 * bytes_px,
		    .payload_bytes = 48 * bytes_px};
		put("state", cairn_frame_topics[t].name, head, sizeof(head), &hdr, sizeof(hdr));
	}
}

/* Files of the project as they are, behind the prefix. */
static void files(
    const char *fuzzer, const char *source, const char *pattern, const void *prefix, size_t prefix_bytes)
{
	static char data[1u << 18];
	char all[1024], name[32];
	glob_t found = {0};
	snprintf(all, sizeof(all), "%s/%s", source, pattern);
	if (glob(all, 0, NULL, &found) != 0)
		give_up(all);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "re");
		size_t n = f != NULL ? fread(data, 1, sizeof(data), f) : 0;
		if (f == NULL || fclose(f) != 0)
			give_up(found.gl_pathv[i]);
		snprintf(name, sizeof(name), "file_%zu", i);
		put(fuzzer, name, prefix, prefix_bytes, data, n);
	}
	globfree(&found);
}

struct recording {
	uint8_t data[65536];
	size_t bytes;
};

static bool keep(void *ctx, const void *data, size_t bytes)
{
	struct recording *r = ctx;
	if (bytes > sizeof(r->data) - r->bytes)
		return false;
	memcpy(r->data + r->bytes, data, bytes);
	r->bytes += bytes;
	return true;
}

/* Two recordings with every kind of record: in compressed chunks, and without chunks. */
static void recordings(void)
{
	static struct recording r;
	static const uint8_t x[] = "x";
	const struct cairn_mcap_pair pair = {"key", "value"};
	for (int chunked = 0; chunked <= 1; chunked++) {
		r.bytes = 0;
		struct cairn_mcap_writer *w =
		    cairn_mcap_writer_new(&(struct cairn_mcap_options){.profile = "ros2",
					      .library = "cairn",
					      .chunk_bytes = chunked ? 256 : 0,
					      .zstd_level = chunked,
					      .parts = CAIRN_MCAP_WITH_EVERYTHING},
			keep, &r);
		if (w == NULL)
			give_up("a recording");
		cairn_mcap_writer_schema(w, &(struct cairn_mcap_schema){1, "T", "ros2msg", {x, 1}});
		cairn_mcap_writer_channel(w, &(struct cairn_mcap_channel){1, 1, "/t", "cdr", &pair, 1});
		for (uint32_t i = 0; i < 20; i++)
			cairn_mcap_writer_message(w, &(struct cairn_mcap_message){1, i, i, i, {x, 1}});
		cairn_mcap_writer_attachment(
		    w, &(struct cairn_mcap_attachment){1, 2, "name", "text/plain", {x, 1}});
		cairn_mcap_writer_metadata(w, "clock", &pair, 1);
		if (!cairn_mcap_writer_finish(w))
			give_up("a recording");
		cairn_mcap_writer_destroy(&w);
		put("mcap", chunked ? "chunks" : "plain", "", 0, r.data, r.bytes);
	}
	r.bytes = 0;
	const struct cairn_record_options options = {.clock_offset_ns = 1, .jpeg_quality = 80};
	const struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = 1, .epoch = 1, .t_ns = 1, .valid = true};
	const struct cairn_msg_pose pose = {.x_m = 1.0};
	static const uint8_t cells[4] = {0, 100, 255, 50};
	const struct cairn_frame_header grid = {.format = CAIRN_FORMAT_GRID8,
	    .width = 2,
	    .height = 2,
	    .stride_bytes = 2,
	    .payload_bytes = 4,
	    .cell_m = 0.05};
	struct cairn_message_recorder *m = cairn_message_recorder_new(&options, keep, &r);
	if (m == NULL || !cairn_message_recorder_add(m, CAIRN_TOPIC_POSE, NULL, &hdr, &pose, 1) ||
	    !cairn_message_recorder_frame(m, CAIRN_FRAME_MAP_GRID, &grid, cells, 2) ||
	    !cairn_message_recorder_finish(m))
		give_up("a recording");
	cairn_message_recorder_destroy(&m);
	put("mcap", "played", "", 0, r.data, r.bytes);
}

/* Of each type that comes from ROS 2, and pictures. */
static void ros2(void)
{
	static unsigned char buf[4096];
	static const uint8_t pixels[6] = {1, 2, 3, 4, 5, 6};
	const struct cairn_frame_header rgb = {
	    .format = CAIRN_FORMAT_RGB8, .width = 2, .height = 1, .stride_bytes = 6, .payload_bytes = 6};
	const struct cairn_ros2_jpeg jpeg = {pixels, sizeof(pixels), "camera"};
	const struct cairn_ros2_frame frame = {&rgb, pixels, "camera"};
	const struct cairn_msg_motion motion = {.v_mps = 0.2, .w_radps = 0.1};
	const struct cairn_msg_pose pose = {.x_m = 1.0};
	const struct cairn_msg_odom odom = {.x_m = 1.0, .v_mps = 0.2};
	const struct cairn_msg_imu imu = {.gyro_radps_count = 3, .accel_mps2_count = 3};
	const struct cairn_msg_battery battery = {.voltage_v = 11.5};
	static struct cairn_msg_scan scan = {
	    .range_max_m = 16.0f, .angle_rad_count = 180, .range_m_count = 180};
	for (int i = 0; i < 180; i++)
		scan.angle_rad[i] = 0.035f * (float)i;
	const struct {
		const char *name, *kind; /* of a driver's: 2 and four times its row of robot.def */
		enum cairn_ros2_type type;
		const void *from;
	} rows[] = {{"goal", "\0", CAIRN_ROS2_POSE_STAMPED, &pose},
	    {"twist", "\1", CAIRN_ROS2_TWIST, &motion}, {"jpeg", "\3", CAIRN_ROS2_COMPRESSED_IMAGE, &jpeg},
	    {"image", "\3", CAIRN_ROS2_IMAGE, &frame}, {"driver-scan", "\2", CAIRN_ROS2_LASER_SCAN, &scan},
	    {"driver-odom", "\6", CAIRN_ROS2_ODOMETRY, &odom}, {"driver-imu", "\12", CAIRN_ROS2_IMU, &imu},
	    {"driver-battery", "\16", CAIRN_ROS2_BATTERY_STATE, &battery},
	    {"driver-image", "\22", CAIRN_ROS2_IMAGE, &frame},
	    {"driver-jpeg", "\32", CAIRN_ROS2_COMPRESSED_IMAGE, &jpeg}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int n = cairn_ros2_encode(rows[i].type, 1, rows[i].from, buf, sizeof(buf));
		put("ros2", rows[i].name, rows[i].kind, 1, buf, n > 0 ? (size_t)n : 0);
	}
}

static void texts(void)
{
	static const char carmen[] =
	    "PARAM x y\nODOM 0 0 0 0 0 0 1 h 1\n"
	    "FLASER 4 1.0 2.0 81.91 0.5 0 0 0 0 0 0 1 h 1\nODOM 0.1 0 0.01 0 0 0 2 h 2\n"
	    "FLASER 4 1.1 2.0 81.91 0.5 0.1 0 0 0.1 0 0 2 h 2\n";
	put("log", "carmen", carmen, 0, carmen, sizeof(carmen) - 1);
	static const char houseexpo[] =
	    "\001{\"id\":\"a\",\"room_num\":1,\"bbox\":{\"min\":[0,0],\"max\":[4,3]},"
	    "\"verts\":[[0,0],[4,0],[4,3],[0,3]],\"room_category\":{\"Bedroom\":[[0,0,4,3]]}}";
	put("world", "houseexpo", houseexpo, 0, houseexpo, sizeof(houseexpo) - 1);
	static const char raster[] = "\002P5\n4 3\n255\n\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff";
	put("world", "raster", raster, 0, raster, sizeof(raster) - 1);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: make_seeds CORPUS SOURCE\n");
		return 2;
	}
	corpus = argv[1];
	(void)mkdir(corpus, 0755);
	messages();
	map();
	map_file();
	snapshot();
	devices();
	memory();
	session();
	state();
	recordings();
	ros2();
	texts();
	files("config", argv[2], "config/cairn.yaml", "", 0);
	files("config", argv[2], "config/robots/*.yaml", "", 0);
	files("state", argv[2], "config/providers.yaml", "", 1);
	files("session", argv[2], "test/data/vlm/openai_request.json", "\1", 1);
	files("world", argv[2], "config/worlds/*.yaml", "", 1);
	return 0;
}
