/* Recordings of others: what comes out is what the originals hold. Data that may be absent is skipped. */
#include "common/record/import.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/record/playback.h"
#include "common/record/png16.h"
#include "test/support/runner.h"

#define FILE_BYTES (48u << 20)

struct file {
	uint8_t *data;
	size_t bytes;
};
static struct file file;

static bool write_file(void *ctx, const void *data, size_t bytes)
{
	struct file *f = ctx;
	if (f->data == NULL)
		f->data = malloc(FILE_BYTES);
	if (f->data == NULL || bytes > FILE_BYTES - f->bytes)
		return false;
	memcpy(f->data + f->bytes, data, bytes);
	f->bytes += bytes;
	return true;
}

static size_t read_file(void *ctx, uint64_t offset, void *buf, size_t bytes)
{
	const struct file *f = ctx;
	if (offset >= f->bytes)
		return 0;
	size_t n = bytes < f->bytes - offset ? bytes : (size_t)(f->bytes - offset);
	memcpy(buf, f->data + offset, n);
	return n;
}

static struct cairn_playback *play(void)
{
	struct cairn_error err = {""};
	struct cairn_playback *p = cairn_playback_new(read_file, &file, file.bytes, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	return p;
}

/* Figures of lidar.csv beside the logs. */
START_TEST(a_carmen_log_keeps_its_scans_and_its_way)
{
	struct cairn_error err = {""};
	struct cairn_imported sum;
	struct cairn_played got;
	const char *path = cairn_shared_path("lidar/freiburg-101-corrected.log.gz");
	if (path == NULL)
		CAIRN_SKIP("no LiDAR logs");
	file.bytes = 0;
	ck_assert_msg(cairn_import_log(path, write_file, &file, &sum, &err), "%s", err.text);
	struct cairn_playback *p = play();
	uint32_t scans = 0, beams = 0;
	double path_m = 0.0, x_m = 0.0, y_m = 0.0, speed_mps = 0.0;
	int64_t before_ns = 0;
	while (cairn_playback_next(p, &got, &err)) {
		ck_assert(!got.frame && got.hdr.valid && got.hdr.t_ns >= before_ns);
		before_ns = got.hdr.t_ns;
		if (got.topic == CAIRN_TOPIC_SCAN) {
			scans++;
			beams = ((const struct cairn_msg_scan *)got.msg)->range_m_count;
			continue;
		}
		ck_assert_int_eq(got.topic, CAIRN_TOPIC_ODOM);
		const struct cairn_msg_odom *o = got.msg;
		path_m += hypot(o->x_m - x_m, o->y_m - y_m);
		x_m = o->x_m;
		y_m = o->y_m;
		speed_mps = fmax(speed_mps, fabs(o->v_mps));
	}
	ck_assert_int_eq(cairn_playback_ended(p), CAIRN_MCAP_ITEM_END);
	ck_assert_uint_eq(cairn_playback_rejects(p), 0);
	cairn_playback_destroy(&p);
	ck_assert_uint_eq(scans, 292);
	ck_assert_uint_eq(sum.scans, 292);
	ck_assert_uint_eq(beams, 360);
	ck_assert_double_eq_tol(path_m, 209.01, 0.05);
	ck_assert_double_eq_tol(sum.path_m, 209.01, 0.05);
	ck_assert_double_lt(speed_mps, 3.0);
}
END_TEST

START_TEST(rgbd_frames_keep_their_depth_and_their_poses)
{
	struct cairn_error err = {""};
	struct cairn_imported sum;
	struct cairn_played got;
	const char *path = cairn_shared_path("rgbd");
	if (path == NULL)
		CAIRN_SKIP("no RGB-D frames");
	file.bytes = 0;
	ck_assert_msg(cairn_import_frames(path, write_file, &file, &sum, &err), "%s", err.text);
	uint32_t colour = 0, depth = 0, poses = 0, known = 0;
	struct cairn_playback *p = play();
	while (cairn_playback_next(p, &got, &err)) {
		poses += !got.frame && got.topic == CAIRN_TOPIC_POSE;
		if (!got.frame)
			continue;
		ck_assert_uint_eq(got.head.width, 640);
		ck_assert_uint_eq(got.head.height, 480);
		colour += got.frame_topic == CAIRN_FRAME_CAMERA_RGB;
		if (got.frame_topic != CAIRN_FRAME_CAMERA_DEPTH || depth++ > 0)
			continue;
		for (uint32_t i = 0; i < 640 * 480; i++) {
			unsigned mm = got.payload[2 * i] | (unsigned)got.payload[2 * i + 1] << 8;
			ck_assert_uint_ne(mm, 65535);
			known += mm > 300 && mm < 8000; /* an office */
		}
	}
	cairn_playback_destroy(&p);
	ck_assert_uint_eq(colour, sum.frames);
	ck_assert_uint_eq(depth, sum.frames);
	ck_assert_uint_eq(poses, sum.frames);
	ck_assert_uint_ge(sum.frames, 15);
	ck_assert_uint_gt(known, 640 * 480 / 2);
	ck_assert_double_gt(sum.path_m, 0.1);
}
END_TEST

START_TEST(what_is_no_log_and_no_frames_is_refused_with_the_reason)
{
	struct cairn_error err = {""};
	struct cairn_imported sum;
	file.bytes = 0;
	ck_assert(!cairn_import_log("/dev/null", write_file, &file, &sum, &err));
	ck_assert_str_ne(err.text, "");
	err.text[0] = '\0';
	ck_assert(!cairn_import_frames("/proc/self/task", write_file, &file, &sum, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "color.jpg"));
}
END_TEST

START_TEST(a_png_of_16_bits_is_read_through_each_filter_and_a_damaged_one_refused)
{
	/* 2 x 2: 256 * (1, 2) by the filter "sub", then the row above plus 1 (filter "up"); written by hand, packed by python3's zlib. */
	static const uint8_t png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d,
	    0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x10, 0x00, 0x00, 0x00,
	    0x00, 0x07, 0x4d, 0x8e, 0xbb, 0x00, 0x00, 0x00, 0x10, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63,
	    0x64, 0x64, 0x60, 0x64, 0x60, 0x02, 0x62, 0x46, 0x00, 0x00, 0x32, 0x00, 0x08, 0x86, 0x74, 0x34,
	    0xf3, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
	static const uint16_t wanted[] = {0x0100, 0x0200, 0x0101, 0x0201};
	struct cairn_error err = {""};
	uint32_t width = 0, height = 0;
	uint16_t *pixels = record_png16(png, sizeof(png), 100, &width, &height, &err);
	ck_assert_msg(pixels != NULL, "%s", err.text);
	ck_assert_uint_eq(width, 2);
	ck_assert_uint_eq(height, 2);
	ck_assert_mem_eq(pixels, wanted, sizeof(wanted));
	free(pixels);
	ck_assert_ptr_null(record_png16(png, sizeof(png), 1, &width, &height, &err));
	for (size_t n = 0; n < sizeof(png) - 24; n++)
		ck_assert_ptr_null(record_png16(png, n, 100, &width, &height, &err));
}
END_TEST

CAIRN_TEST_MAIN("import", a_carmen_log_keeps_its_scans_and_its_way,
    rgbd_frames_keep_their_depth_and_their_poses, what_is_no_log_and_no_frames_is_refused_with_the_reason,
    a_png_of_16_bits_is_read_through_each_filter_and_a_damaged_one_refused)
