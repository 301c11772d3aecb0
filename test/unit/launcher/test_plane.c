#include "procs/launcher/logfile.h"
#include "procs/launcher/plane.h"

#include <math.h>
#include <errno.h>
#include <sys/stat.h>

#include "common/base/geom.h"
#include "ipc/frame_layout.h"
#include "test/support/runner.h"

static struct cairn_config cfg;

START_TEST(pools_ascend_and_hold_every_frame_topic)
{
	char toml[2048];
	cairn_config_defaults(&cfg);
	ck_assert_int_gt(cairn_plane_config(&cfg, toml, sizeof(toml)), 0);
	unsigned last = 0, pools = 0;
	bool rgb = false;
	for (char *at = strstr(toml, "size = "); at != NULL; at = strstr(at + 1, "size = ")) {
		unsigned size = (unsigned)strtoul(at + 7, NULL, 10);
		ck_assert_uint_gt(size, last);
		ck_assert_uint_eq(size % 8, 0);
		rgb = rgb || size == 640 * 480 * 3 + 96;
		last = size;
		pools++;
	}
	ck_assert_uint_eq(pools, CAIRN_FRAME_COUNT);
	ck_assert(rgb);
	ck_assert_int_eq(cairn_plane_config(&cfg, toml, 100), -ENOBUFS);
}
END_TEST

START_TEST(equal_sizes_share_a_pool)
{
	/* depth (2 bytes a pixel) of 30 x 30 cells' worth of pixels against a grid of as many bytes */
	char toml[2048];
	cairn_config_defaults(&cfg);
	cfg.camera.width_px = 640;
	cfg.camera.height_px = 320; /* depth: 409,600 bytes */
	cfg.map.cell_m = 0.1;
	cfg.map.extent_max_m = 64.0; /* 640 x 640 = 409,600 bytes */
	ck_assert_int_gt(cairn_plane_config(&cfg, toml, sizeof(toml)), 0);
	char expected[64];
	snprintf(expected, sizeof(expected), "size = 409696\ncount = %u\n", 2 * cairn_frame_chunk_count());
	ck_assert_ptr_nonnull(strstr(toml, expected));
}
END_TEST

START_TEST(the_size_covers_every_chunk)
{
	cairn_config_defaults(&cfg);
	uint64_t sum = 0;
	for (int t = 0; t < CAIRN_FRAME_COUNT; t++)
		sum += (uint64_t)cairn_frame_chunk_bytes(&cfg, (enum cairn_frame_topic)t) *
		       cairn_frame_chunk_count();
	ck_assert_uint_gt(cairn_plane_bytes(&cfg), sum + 66000000);
}
END_TEST

START_TEST(a_frame_header_is_checked_against_its_topic)
{
	struct cairn_error err = {""};
	struct cairn_frame_header good = {.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .format = CAIRN_FORMAT_DEPTH16,
	    .t_ns = 1000,
	    .width = 4,
	    .height = 3,
	    .stride_bytes = 8,
	    .payload_bytes = 24};
	ck_assert(cairn_frame_header_check(&good, 24, 1000, &err));
	struct cairn_frame_header bad = good;
	bad.magic ^= 1;
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	bad = good;
	bad.height = 4; /* more rows than bytes */
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	bad = good;
	bad.width = 5; /* wider than its stride */
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	ck_assert(!cairn_frame_header_check(&good, 23, 1000, &err));
	bad = good;
	bad.t_ns = 1001 + 50 * CAIRN_NS_PER_MS;
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "future"));
	bad = good;
	bad.t_ns = INT64_MIN;
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	bad = good;
	bad.format = CAIRN_FORMAT_COUNT;
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
	bad = good;
	bad.height = 0x80000000u;
	bad.stride_bytes = 0x20u; /* the product wraps in 32 bits */
	bad.payload_bytes = 0;
	ck_assert(!cairn_frame_header_check(&bad, 24, 1000, &err));
}
END_TEST

START_TEST(a_packed_frame_has_rows_without_gaps_and_a_map_its_place)
{
	struct cairn_frame_header rgb = {
	    .format = CAIRN_FORMAT_RGB8, .width = 4, .height = 3, .stride_bytes = 12, .payload_bytes = 36};
	struct cairn_frame_header grid = {.format = CAIRN_FORMAT_GRID8,
	    .width = 4,
	    .height = 3,
	    .stride_bytes = 4,
	    .payload_bytes = 12,
	    .cell_m = 0.05};
	ck_assert(cairn_frame_packed(&rgb, CAIRN_FORMAT_RGB8));
	ck_assert(!cairn_frame_packed(&rgb, CAIRN_FORMAT_DEPTH16));
	ck_assert(cairn_frame_packed(&grid, CAIRN_FORMAT_GRID8));
	struct cairn_frame_header bad = rgb;
	bad.stride_bytes = 13; /* a gap */
	ck_assert(!cairn_frame_packed(&bad, CAIRN_FORMAT_RGB8));
	bad = rgb;
	bad.payload_bytes = 35;
	ck_assert(!cairn_frame_packed(&bad, CAIRN_FORMAT_RGB8));
	bad = (struct cairn_frame_header){.format = CAIRN_FORMAT_RGB8}; /* nothing in it */
	ck_assert(!cairn_frame_packed(&bad, CAIRN_FORMAT_RGB8));
	bad = grid;
	bad.cell_m = 0.0;
	ck_assert(!cairn_frame_packed(&bad, CAIRN_FORMAT_GRID8));
	bad = grid;
	bad.origin_y_m = NAN;
	ck_assert(!cairn_frame_packed(&bad, CAIRN_FORMAT_GRID8));
}
END_TEST

START_TEST(missing_frames_are_told_by_their_numbers_within_one_start_of_the_publisher)
{
	struct cairn_frame_order order = {0};
	struct cairn_frame_header hdr = {.epoch = 7, .seq = 12};
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0); /* who knows what was before */
	hdr.seq = 13;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0);
	hdr.seq = 17;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 3);
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0); /* once more, to one that came late */
	hdr.seq = 14;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0);
	hdr.seq = 18;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, false), 0); /* refused, but it came */
	hdr.seq = 19;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0);
	hdr.seq = UINT64_MAX;
	ck_assert_uint_eq(
	    cairn_frame_missing(&order, &hdr, false), 0); /* refused, and its number is no word to go by */
	hdr.seq = 20;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0);
	hdr = (struct cairn_frame_header){.epoch = 8, .seq = 5};
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 0);
	hdr.seq = 7;
	ck_assert_uint_eq(cairn_frame_missing(&order, &hdr, true), 1);
}
END_TEST

START_TEST(a_log_is_rotated_and_a_flood_is_counted)
{
	char dir[] = "/tmp/cairn-test-XXXXXX", path[64], old[64], text[4096];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.log", dir);
	snprintf(old, sizeof(old), "%s/a.log.1", dir);
	struct cairn_logfile log;
	ck_assert(cairn_logfile_open(&log, path, 1000));
	for (int i = 0; i < 150; i++)
		cairn_logfile_feed(&log, "123456789\n", 10, 1);
	struct stat st;
	ck_assert_int_eq(stat(old, &st), 0);
	ck_assert_int_le(st.st_size, 1000);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_size, 500);
	for (int i = 0; i < 100; i++) /* 250 in the same second: 50 too many */
		cairn_logfile_feed(&log, "x\n", 2, 2);
	cairn_logfile_feed(&log, "half a li", 9, 2);
	cairn_logfile_feed(&log, "ne\n", 3, 2 + CAIRN_NS_PER_S);
	cairn_logfile_close(&log);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	ck_assert_ptr_nonnull(strstr(text, "... 50 more lines\nhalf a line\n"));
	unlink(path);
	unlink(old);
	rmdir(dir);
}
END_TEST

START_TEST(a_log_that_could_not_be_opened_is_tried_again)
{
	char dir[] = "/tmp/cairn-test-XXXXXX", sub[64], path[80];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/later", dir);
	snprintf(path, sizeof(path), "%s/a.log", sub);
	struct cairn_logfile log;
	ck_assert(!cairn_logfile_open(&log, path, 1000));
	cairn_logfile_feed(&log, "lost\n", 5, 1);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	cairn_logfile_feed(&log, "kept\n", 5, 2);
	cairn_logfile_close(&log);
	char text[80] = "";
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(text, "\n... 1 lines could not be written\nkept\n");
	unlink(path);
	rmdir(sub);
	rmdir(dir);
}
END_TEST

CAIRN_TEST_MAIN("plane", pools_ascend_and_hold_every_frame_topic, equal_sizes_share_a_pool,
    the_size_covers_every_chunk, a_frame_header_is_checked_against_its_topic,
    a_packed_frame_has_rows_without_gaps_and_a_map_its_place,
    missing_frames_are_told_by_their_numbers_within_one_start_of_the_publisher,
    a_log_is_rotated_and_a_flood_is_counted, a_log_that_could_not_be_opened_is_tried_again)
