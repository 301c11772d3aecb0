/* No memory is taken or given back from one snapshot to the next: every call of the allocator in this
 * program, the libraries' own included, is counted. What the JPEG library does while it compresses, and Cairo
 * while it draws, is their own affair: it is counted apart and told. */
#include "common/percept/annotate.h"
#include "common/percept/annotator.h"
#include "common/percept/snapshot.h"

#include <link.h>
#include <math.h>

#include <turbojpeg.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "test/support/choice_world.h"
#include "test/support/runner.h"

#define W 640
#define H 480
#define T0 (100 * CAIRN_NS_PER_S)
#define PERIOD_NS (CAIRN_NS_PER_S / 10)

static uint8_t rgb[H][W][3];
static uint16_t depth[H][W];
static uint8_t snapshot[1 << 20];
static struct cairn_msg_scan scan;
static struct cairn_config cfg;

/* ---- the allocator, counted ---- */

static volatile long calls, jpeg_calls, cairo_calls;
static volatile bool in_jpeg;

/* The linker sends every call of tjCompress2 here (--wrap). */
int __real_tjCompress2(tjhandle handle, const unsigned char *src, int width, int pitch, int height,
    int format, unsigned char **jpeg, unsigned long *bytes, int subsampling, int quality, int flags);
int __wrap_tjCompress2(tjhandle handle, const unsigned char *src, int width, int pitch, int height,
    int format, unsigned char **jpeg, unsigned long *bytes, int subsampling, int quality, int flags);
int __wrap_tjCompress2(tjhandle handle, const unsigned char *src, int width, int pitch, int height,
    int format, unsigned char **jpeg, unsigned long *bytes, int subsampling, int quality, int flags)
{
	in_jpeg = true;
	int r = __real_tjCompress2(
	    handle, src, width, pitch, height, format, jpeg, bytes, subsampling, quality, flags);
	in_jpeg = false;
	return r;
}

/* Where the code of the drawing libraries lies. */
static struct {
	uintptr_t begin, end;
} drawing[3];

static int note_library(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	static const char *const names[3] = {"libcairo.", "libpixman-", "libfreetype."};
	(void)bytes;
	(void)ctx;
	for (int k = 0; k < 3; k++) {
		for (int i = 0; strstr(info->dlpi_name, names[k]) != NULL && i < info->dlpi_phnum; i++) {
			const ElfW(Phdr) *p = &info->dlpi_phdr[i];
			if (p->p_type != PT_LOAD || (p->p_flags & PF_X) == 0)
				continue;
			drawing[k].begin = info->dlpi_addr + p->p_vaddr;
			drawing[k].end = drawing[k].begin + p->p_memsz;
		}
	}
	return 0;
}

static bool from_drawing(uintptr_t caller)
{
	bool from = false;
	for (int k = 0; k < 3; k++)
		from = from || (caller >= drawing[k].begin && caller < drawing[k].end);
	return from;
}

static void count_from(const void *caller)
{
	if (in_jpeg)
		jpeg_calls++;
	else if (from_drawing((uintptr_t)caller))
		cairo_calls++;
	else
		calls++;
}

#include "test/support/counted_alloc.h"

/* ---- one decision's worth of work ---- */

static void begin(void)
{
	cairn_config_defaults(&cfg);
	for (int y = 0; y < H; y++) {
		for (int x = 0; x < W; x++) {
			memset(rgb[y][x], (x * 7 + y * 3) & 0xFF, 3);
			depth[y][x] = (uint16_t)(500 + 10 * x);
		}
	}
	scan.range_min_m = 0.05f;
	scan.range_max_m = 12.0f;
	scan.angle_rad_count = scan.range_m_count = 720;
	for (int i = 0; i < 720; i++)
		scan.angle_rad[i] = (float)(-i * M_PI / 360.0);
}

/* A map that changes, and a path on it. */
static bool map_round(struct cairn_annotator *annotator, int64_t now_ns, int round)
{
	static uint8_t cells[160][200];
	static struct cairn_msg_nav_path path;
	struct cairn_frame_header hdr = {.format = CAIRN_FORMAT_GRID8,
	    .t_ns = now_ns,
	    .width = 200,
	    .height = 160,
	    .stride_bytes = 200,
	    .payload_bytes = sizeof(cells),
	    .origin_x_m = -2.0,
	    .origin_y_m = -4.0,
	    .cell_m = 0.05};
	memset(cells[round], round % 2 == 0 ? 0 : 100, sizeof(cells[0]));
	path.points_count = 40;
	for (int i = 0; i < 40; i++)
		path.points[i] =
		    (struct cairn_msg_path_point){.x_m = 0.1f * (float)i, .y_m = 0.02f * (float)round};
	cairn_annotator_on_path(annotator, &path, now_ns);
	return cairn_annotator_on_map(annotator, &hdr, cells, NULL);
}

/* Everything a snapshot takes, with another scene each time. True when all of it, picture and depths
 * included, came out. */
static bool snapshot_round(struct cairn_annotator *annotator, struct cairn_text *base64, int round)
{
	int64_t now_ns = T0 + round * PERIOD_NS;
	struct cairn_frame_header hdr = {.format = CAIRN_FORMAT_RGB8,
	    .t_ns = now_ns,
	    .width = W,
	    .height = H,
	    .stride_bytes = W * 3,
	    .payload_bytes = sizeof(rgb)};
	struct cairn_msg_pose pose = {.x_m = 0.1 * round, .yaw_rad = 0.3 * round, .distance_m = 0.1 * round};
	struct cairn_msg_frontiers frontiers = {.map_width_m = 6.2,
	    .map_height_m = 4.1,
	    .coverage = 0.6,
	    .items_count = 1,
	    .items = {{.id = 5, /* 2 m ahead of the robot, to be drawn where that is an option */
		.x_m = pose.x_m + 2.0 * cos(pose.yaw_rad),
		.y_m = 2.0 * sin(pose.yaw_rad),
		.distance_m = 2.0}}};
	struct cairn_msg_mission mission = {.elapsed_s = 0.1 * round};
	struct cairn_msg_imu imu = {.roll_rad = 0.01};
	struct cairn_msg_battery battery = {.voltage_v = 12.0, .percent = -1.0};
	struct cairn_msg_percept percept;
	struct cairn_snapshot parts;
	for (int i = 0; i < 720; i++) /* two doors that come and go */
		scan.range_m[i] =
		    2.0f + 0.02f * (float)((i + round) % 50) + ((i + 40 * round) % 360 < 60 ? 2.5f : 0.0f);
	memset(rgb[100 + round % 100], round & 0xFF, 20 * sizeof(rgb[0]));
	bool ok = cairn_annotator_on_rgb(annotator, &hdr, rgb, NULL);
	hdr.format = CAIRN_FORMAT_DEPTH16;
	hdr.stride_bytes = W * 2;
	hdr.payload_bytes = sizeof(depth);
	ok = cairn_annotator_on_depth(annotator, &hdr, depth, NULL) && ok;
	ok = cairn_annotator_on_pose(annotator, &pose, now_ns) && ok;
	cairn_annotator_on_frontiers(annotator, &frontiers, now_ns);
	cairn_annotator_on_mission(annotator, &mission, now_ns);
	cairn_annotator_on_imu(annotator, &imu, now_ns);
	cairn_annotator_on_battery(annotator, &battery, now_ns);
	ok = map_round(annotator, now_ns, round) && ok;
	ok = cairn_annotator_on_scan(annotator, &scan, now_ns, now_ns, &percept) && ok;
	(void)cairn_annotator_due(annotator, now_ns);
	size_t bytes = cairn_annotator_snapshot(
	    annotator, CAIRN_TRIGGER_TIMER, now_ns, snapshot, sizeof(snapshot), NULL);
	if (!cairn_snapshot_read(snapshot, bytes, &parts, NULL))
		return false;
	struct cairn_msg_decision decision = {.snapshot_id = parts.head.snapshot_id};
	cairn_annotator_on_decision(annotator, &decision);
	cairn_text_clear(base64);
	cairn_text_base64(base64, parts.jpeg, parts.head.jpeg_bytes);
	cairn_text_base64(base64, parts.view, parts.head.view_bytes);
	return ok && parts.jpeg != NULL && parts.head.t_depth_ns == now_ns && !base64->failed;
}

static void expect_no_memory_taken(void)
{
	struct cairn_error err = {""};
	struct cairn_text base64 = {0};
	struct cairn_annotator *annotator = cairn_annotator_new(&cfg, CAIRN_FONT_FILE, 1, T0, &err);
	ck_assert_msg(annotator != NULL, "%s", err.text);
	ck_assert_int_gt(calls, 0); /* they are counted */
	bool ok = true;
	for (int round = 0; round < 40; round++) /* every ring has gone round, every buffer has grown */
		ok = snapshot_round(annotator, &base64, round) && ok;
	calls = jpeg_calls = cairo_calls = 0;
	for (int round = 40; round < 60; round++)
		ok = snapshot_round(annotator, &base64, round) && ok;
	long ours = calls, theirs = jpeg_calls, drawn = cairo_calls;
	ck_assert(ok);
	ck_assert_int_eq(ours, 0);
	printf("# calls of the allocator in 20 snapshots: the JPEG library %ld, Cairo and FreeType %ld\n",
	    theirs, drawn);
	fflush(stdout);
	cairn_text_free(&base64);
	cairn_annotator_destroy(&annotator);
}

START_TEST(a_snapshot_takes_no_memory_once_warm)
{
	if (!COUNTED)
		CAIRN_SKIP("calls of the allocator cannot be counted here (sanitizer, or another C library)");
	begin();
	expect_no_memory_taken();
}
END_TEST

START_TEST(nor_does_one_with_all_options_of_the_picture)
{
	if (!COUNTED)
		CAIRN_SKIP("calls of the allocator cannot be counted here (sanitizer, or another C library)");
	begin();
	cfg.percept.show_sectors = cfg.percept.show_candidates = cfg.percept.show_arcs = true;
	cfg.percept.show_polar = cfg.percept.show_heat = cfg.percept.show_map = true;
	dl_iterate_phdr(note_library, NULL);
	for (int k = 0; k < 3; k++)
		ck_assert_uint_gt(drawing[k].end, drawing[k].begin);
	expect_no_memory_taken();
	struct cairn_snapshot_head head;
	memcpy(&head, snapshot, sizeof(head));
	ck_assert_ptr_nonnull(memmem(snapshot + sizeof(head), head.text_bytes, "arrows to F5", 12));
	ck_assert_uint_gt(head.view_bytes, 10000);
}
END_TEST

START_TEST(nor_does_a_set_of_candidates)
{
	if (!COUNTED)
		CAIRN_SKIP("calls of the allocator cannot be counted here (sanitizer, or another C library)");
	static struct cairn_candidates choice;
	struct ground g;
	struct cairn_msg_candidates set;
	struct cairn_msg_place place = {.name = "hall", .x_m = 1.5, .y_m = 1.0};
	const struct cairn_vec2 goal = {2.0, 0.0};
	ground_init(&g, 4.0);
	ground_floor(&g, -3.0, -3.0, 3.0, 3.0);
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0});
	cairn_candidates_init(&choice, &g.cfg, 1);
	in.places = &place;
	in.place_count = 1;
	in.goal = &goal;
	calls = 0;
	for (int i = 0; i < 20; i++) {
		in.stuck = i % 2 == 0;
		in.pose.x_m = 0.05 * i;
		cairn_candidates_update(&choice, &in, &set);
	}
	ck_assert_int_eq(calls, 0);
	ck_assert_uint_ge(set.items_count, 3);
	ground_free(&g);
}
END_TEST

CAIRN_TEST_MAIN("steady-memory", a_snapshot_takes_no_memory_once_warm,
    nor_does_one_with_all_options_of_the_picture, nor_does_a_set_of_candidates)
