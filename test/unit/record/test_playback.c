/* Recordings played back: every message and frame comes out as it went in, from any place, and nothing wrong ever does. */
#include "common/record/playback.h"

#include "common/base/rng.h"
#include "common/percept/snapshot.h"
#include "common/record/json_message.h"
#include "common/record/message_recorder.h"
#include "test/support/any_message.h"
#include "test/support/runner.h"

#define FILE_BYTES (8 << 20)
#define OFFSET_NS INT64_C(1700000000000000000)
#define JSON_BYTES (1 << 20)
#define LIST_MAX 20

struct file {
	uint8_t data[FILE_BYTES];
	size_t bytes;
};
static struct file file;
static char json[JSON_BYTES], again[JSON_BYTES];

static bool write_file(void *ctx, const void *data, size_t bytes)
{
	struct file *f = ctx;
	if (bytes > sizeof(f->data) - f->bytes)
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

static struct cairn_message_recorder *begin(void)
{
	const struct cairn_record_options options = {.clock_offset_ns = OFFSET_NS, .jpeg_quality = 95};
	file.bytes = 0;
	struct cairn_message_recorder *r = cairn_message_recorder_new(&options, write_file, &file);
	ck_assert_ptr_nonnull(r);
	return r;
}

static void end(struct cairn_message_recorder *r)
{
	ck_assert(cairn_message_recorder_finish(r));
	cairn_message_recorder_destroy(&r);
}

static struct cairn_playback *play(void)
{
	struct cairn_error err = {""};
	struct cairn_playback *p = cairn_playback_new(read_file, &file, file.bytes, &err);
	ck_assert_msg(p != NULL, "%s", err.text);
	return p;
}

START_TEST(every_message_comes_out_as_it_went_in)
{
	struct cairn_rng rng;
	struct cairn_error err = {""};
	cairn_rng_seed(&rng, 3, 0);
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		const struct cairn_msg_desc *desc = cairn_topics[i].desc;
		const struct cairn_header hdr = {.version = CAIRN_SCHEMA_VERSION,
		    .seq = UINT64_C(1) << 60,
		    .epoch = 77,
		    .t_ns = 1234567890123 + i,
		    .valid = i % 2 == 0};
		struct cairn_header got;
		void *msg = calloc(1, desc->size), *back = malloc(desc->size);
		any_message(&rng, desc, 0, LIST_MAX, msg);
		int bytes = cairn_msg_to_json(desc, &hdr, msg, json, sizeof(json));
		ck_assert_int_gt(bytes, 0);
		ck_assert_msg(
		    cairn_msg_from_json(desc, json, (size_t)bytes, &got, back, &err), "%s", err.text);
		ck_assert_int_eq(cairn_msg_to_json(desc, &got, back, again, sizeof(again)), bytes);
		ck_assert_str_eq(again, json);
		ck_assert_uint_eq(got.seq, hdr.seq);
		ck_assert_int_eq(got.t_ns, hdr.t_ns);
		free(msg);
		free(back);
	}
}
END_TEST

START_TEST(json_that_is_no_such_message_is_refused_with_the_field)
{
	static struct cairn_msg_scan scan;
	struct cairn_header hdr;
	static const struct {
		const char *json, *why;
	} rows[] = {{"", "no JSON"}, {"{}", "header"}, {"[]", "header"},
	    {"{\"seq\":\"1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true}", "data"},
	    {"{\"seq\":\"-1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{}}", "header"},
	    {"{\"seq\":\"1x\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{}}", "header"},
	    {"{\"seq\":\"1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{\"range_m\":3}}",
		"range_m"},
	    {"{\"seq\":\"1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{\"range_m\":[\"a\"]}}",
		"range_m"},
	    {"{\"seq\":\"1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{\"t_start_ns\":1.5}}",
		"t_start_ns"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_error err = {""};
		ck_assert(!cairn_msg_from_json(
		    &cairn_desc_scan, rows[i].json, strlen(rows[i].json), &hdr, &scan, &err));
		ck_assert_msg(strstr(err.text, rows[i].why) != NULL, "%s: %s", rows[i].json, err.text);
	}
	/* More than fits. */
	size_t n = (size_t)snprintf(json, sizeof(json),
	    "{\"seq\":\"1\",\"epoch\":\"1\",\"t_ns\":\"1\",\"valid\":true,\"data\":{\"range_m\":[0");
	for (int i = 0; i < 8192; i++)
		n += (size_t)snprintf(json + n, sizeof(json) - n, ",1");
	n += (size_t)snprintf(json + n, sizeof(json) - n, "]}}");
	struct cairn_error err = {""};
	ck_assert(!cairn_msg_from_json(&cairn_desc_scan, json, n, &hdr, &scan, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "range_m"));
}
END_TEST

static int64_t later(const void *ctx, int64_t t_ns)
{
	return t_ns + *(const int64_t *)ctx;
}

START_TEST(every_stamp_in_a_message_is_moved_and_none_that_is_not_there)
{
	const int64_t by_ns = 100;
	struct cairn_msg_decision decision = {.id = 5, .t_snapshot_ns = 7};
	static struct cairn_msg_scan scan;
	cairn_msg_map_stamps(&cairn_desc_decision, &decision, later, &by_ns);
	ck_assert_int_eq(decision.t_snapshot_ns, 107);
	ck_assert_uint_eq(decision.id, 5);
	cairn_msg_map_stamps(&cairn_desc_scan, &scan, later, &by_ns);
	ck_assert_int_eq(scan.t_start_ns, 0);
}
END_TEST

static struct cairn_frame_header header(uint16_t format, uint32_t width, uint32_t height, uint32_t stride)
{
	return (struct cairn_frame_header){.format = format,
	    .seq = 7,
	    .epoch = 3,
	    .t_ns = 1000,
	    .width = width,
	    .height = height,
	    .stride_bytes = stride,
	    .payload_bytes = stride * height,
	    .origin_x_m = -1.5,
	    .cell_m = 0.05,
	    .pose_yaw_rad = 0.25};
}

static void must_be_frame(struct cairn_playback *p, enum cairn_frame_topic topic, struct cairn_played *ret)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_playback_next(p, ret, &err), "%s", err.text);
	ck_assert(ret->frame);
	ck_assert_int_eq(ret->frame_topic, topic);
	ck_assert_int_eq(ret->stamp_ns, 1000 + OFFSET_NS);
	ck_assert_int_eq(ret->logged_ns, 1100 + OFFSET_NS);
	ck_assert_uint_eq(ret->head.seq, 7);
}

START_TEST(every_frame_comes_out_as_it_went_in_and_a_picture_nearly_so)
{
	enum { W = 64, H = 48 };
	static uint8_t rgb[3 * W * H], payload[2048];
	static uint16_t depth[W * H];
	static const uint8_t cells[8] = {0, 50, 100, 9, 255, 7, 8, 9}; /* rows of three, and padding */
	static const uint8_t jpeg[] = {0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9};
	struct cairn_snapshot_head head = {.version = CAIRN_SNAPSHOT_VERSION,
	    .snapshot_id = 42,
	    .t_scan_ns = 900,
	    .nearest_m = 1.5,
	    .trigger = CAIRN_TRIGGER_DOORWAY,
	    .sector_m = {1.5f, 2.5f},
	    .text_bytes = 5,
	    .jpeg_bytes = sizeof(jpeg),
	    .view_bytes = sizeof(jpeg)};
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			depth[y * W + x] = (uint16_t)(x * 100 + y);
			for (int c = 0; c < 3; c++)
				rgb[(y * W + x) * 3 + c] = (uint8_t)(2 * x + 2 * y);
		}
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), "hello", 5);
	memcpy(payload + sizeof(head) + 5, jpeg, sizeof(jpeg));
	memcpy(payload + sizeof(head) + 5 + sizeof(jpeg), jpeg, sizeof(jpeg));
	struct cairn_message_recorder *r = begin();
	struct cairn_frame_header h = header(CAIRN_FORMAT_RGB8, W, H, 3 * W);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_RGB, &h, rgb, 1100));
	h = header(CAIRN_FORMAT_DEPTH16, W, H, 2 * W);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_DEPTH, &h, depth, 1100));
	h = header(CAIRN_FORMAT_GRID8, 3, 2, 4);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, cells, 1100));
	h = header(CAIRN_FORMAT_SNAPSHOT, 0, 0, 0);
	h.payload_bytes = (uint32_t)(sizeof(head) + 5 + 2 * sizeof(jpeg));
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_SNAPSHOT, &h, payload, 1100));
	end(r);

	struct cairn_playback *p = play();
	struct cairn_played got;
	struct cairn_error err = {""};
	must_be_frame(p, CAIRN_FRAME_CAMERA_RGB, &got);
	ck_assert_uint_eq(got.head.payload_bytes, sizeof(rgb));
	ck_assert_uint_eq(got.head.stride_bytes, 3 * W);
	for (size_t i = 0; i < sizeof(rgb); i++)
		ck_assert_int_le(abs((int)got.payload[i] - (int)rgb[i]), 6);
	must_be_frame(p, CAIRN_FRAME_CAMERA_DEPTH, &got);
	ck_assert_mem_eq(got.payload, depth, sizeof(depth));
	must_be_frame(p, CAIRN_FRAME_MAP_GRID, &got);
	static const uint8_t packed[] = {0, 50, 100, 255, 7, 8};
	ck_assert_uint_eq(got.head.payload_bytes, sizeof(packed));
	ck_assert_mem_eq(got.payload, packed, sizeof(packed));
	ck_assert_double_eq(got.head.origin_x_m, -1.5);
	ck_assert_double_eq(got.head.pose_yaw_rad, 0.25);
	must_be_frame(p, CAIRN_FRAME_SNAPSHOT, &got);
	ck_assert_uint_eq(got.head.payload_bytes, h.payload_bytes);
	ck_assert_mem_eq(got.payload, payload, h.payload_bytes);
	ck_assert(!cairn_playback_next(p, &got, &err));
	ck_assert_int_eq(cairn_playback_ended(p), CAIRN_MCAP_ITEM_END);
	ck_assert_uint_eq(cairn_playback_rejects(p), 0);
	cairn_playback_destroy(&p);
}
END_TEST

#define POSES 5000
static void record_poses(void)
{
	struct cairn_message_recorder *r = begin();
	for (int i = 0; i < POSES; i++) {
		const struct cairn_header hdr = {
		    .seq = (uint64_t)i, .epoch = 9, .t_ns = 1000 * i, .valid = true};
		const struct cairn_msg_pose pose = {.x_m = i};
		ck_assert(cairn_message_recorder_add(r, CAIRN_TOPIC_POSE, NULL, &hdr, &pose, 1000 * i + 500));
		if (i % 100 == 99)
			ck_assert(cairn_message_recorder_flush(r)); /* many chunks */
	}
	end(r);
}

static void seek_about(struct cairn_playback *p)
{
	static const int places[] = {0, 4999, 17, 2500, 100, 99, 3333};
	struct cairn_played got;
	struct cairn_error err = {""};
	int64_t first_ns, last_ns;
	cairn_playback_span(p, &first_ns, &last_ns);
	ck_assert_int_eq(first_ns, OFFSET_NS + 500);
	ck_assert_int_eq(last_ns, OFFSET_NS + 500 + 1000 * (POSES - 1));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		ck_assert(cairn_playback_seek(p, first_ns + 1000 * places[i], &err));
		ck_assert(cairn_playback_next(p, &got, &err));
		ck_assert_uint_eq(got.hdr.seq, (uint64_t)places[i]);
		ck_assert_double_eq(((const struct cairn_msg_pose *)got.msg)->x_m, places[i]);
	}
	ck_assert(cairn_playback_seek(p, last_ns + 1, &err));
	ck_assert(!cairn_playback_next(p, &got, &err));
}

START_TEST(a_seek_comes_to_the_first_message_from_there_on_with_an_index_and_without)
{
	record_poses();
	struct cairn_playback *p = play();
	seek_about(p);
	cairn_playback_destroy(&p);
	file.bytes -= 1; /* the last byte of the magic: no summary is there any more */
	p = play();
	seek_about(p);
	cairn_playback_destroy(&p);
}
END_TEST

START_TEST(a_file_that_is_damaged_or_cut_anywhere_plays_only_what_was_recorded)
{
	static struct file whole;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 0);
	record_poses();
	whole = file;
	for (int round = 0; round < CAIRN_ROUNDS(60); round++) {
		file = whole;
		if (round % 2 == 0)
			file.bytes = cairn_rng_u32(&rng) % whole.bytes;
		else
			file.data[cairn_rng_u32(&rng) % whole.bytes] ^=
			    (uint8_t)(1u << cairn_rng_u32(&rng) % 8);
		struct cairn_error err = {""};
		struct cairn_played got;
		struct cairn_playback *p = cairn_playback_new(read_file, &file, file.bytes, &err);
		if (p == NULL) {
			ck_assert_str_ne(err.text, "");
			continue;
		}
		bool right = true;
		while (cairn_playback_next(p, &got, &err))
			right = right && !got.frame && got.topic == CAIRN_TOPIC_POSE &&
				((const struct cairn_msg_pose *)got.msg)->x_m == (double)got.hdr.seq;
		ck_assert(right);
		cairn_playback_destroy(&p);
	}
}
END_TEST

START_TEST(a_file_of_somebody_else_is_refused_with_the_reason)
{
	struct cairn_error err = {""};
	struct cairn_mcap_options o = {.profile = "", .library = "", .chunk_bytes = 4096};
	file.bytes = 0;
	struct cairn_mcap_writer *w = cairn_mcap_writer_new(&o, write_file, &file);
	ck_assert(cairn_mcap_writer_finish(w));
	cairn_mcap_writer_destroy(&w);
	ck_assert_ptr_null(cairn_playback_new(read_file, &file, file.bytes, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "no recording of cairn"));
}
END_TEST

CAIRN_TEST_MAIN("playback", every_message_comes_out_as_it_went_in,
    json_that_is_no_such_message_is_refused_with_the_field,
    every_stamp_in_a_message_is_moved_and_none_that_is_not_there,
    every_frame_comes_out_as_it_went_in_and_a_picture_nearly_so,
    a_seek_comes_to_the_first_message_from_there_on_with_an_index_and_without,
    a_file_that_is_damaged_or_cut_anywhere_plays_only_what_was_recorded,
    a_file_of_somebody_else_is_refused_with_the_reason)
