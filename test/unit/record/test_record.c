/* What a recording holds: frames beside messages, and which files of a ring have to go. */
#include "common/mcap/mcap_reader.h"
#include "common/percept/snapshot.h"
#include "common/record/message_recorder.h"
#include "common/record/ring.h"
#include "test/support/runner.h"

#define FILE_BYTES (4 << 20)
#define OFFSET_NS INT64_C(1700000000000000000)

struct file {
	uint8_t data[FILE_BYTES];
	size_t bytes, room;
};
static struct file file;

static bool write_file(void *ctx, const void *data, size_t bytes)
{
	struct file *f = ctx;
	if (bytes > f->room - f->bytes)
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

static struct cairn_message_recorder *begin(size_t room)
{
	const struct cairn_record_options options = {.clock_offset_ns = OFFSET_NS, .jpeg_quality = 80};
	file.bytes = 0;
	file.room = room;
	struct cairn_message_recorder *r = cairn_message_recorder_new(&options, write_file, &file);
	ck_assert_ptr_nonnull(r);
	return r;
}

/* Messages on a topic, and the bytes of the newest in last. */
static uint32_t count(const char *topic, uint8_t *last, size_t *last_bytes)
{
	struct cairn_error err;
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_file, &file, file.bytes, &err);
	struct cairn_mcap_read got;
	uint32_t n = 0;
	int channel = -1;
	do {
		cairn_mcap_reader_next(r, &got, &err);
		if (got.item == CAIRN_MCAP_ITEM_CHANNEL && got.channel.topic.bytes == strlen(topic) &&
		    memcmp(got.channel.topic.data, topic, strlen(topic)) == 0)
			channel = got.channel.id;
		if (got.item != CAIRN_MCAP_ITEM_MESSAGE || got.message.channel_id != channel)
			continue;
		n++;
		if (last != NULL) {
			memcpy(last, got.message.data.data, got.message.data.bytes);
			*last_bytes = got.message.data.bytes;
		}
	} while (got.item > CAIRN_MCAP_ITEM_DAMAGED);
	ck_assert_int_eq(got.item, CAIRN_MCAP_ITEM_END);
	cairn_mcap_reader_destroy(&r);
	return n;
}

static struct cairn_frame_header header(uint16_t format, uint32_t width, uint32_t height, uint32_t stride)
{
	return (struct cairn_frame_header){.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .format = format,
	    .seq = 7,
	    .epoch = 3,
	    .t_ns = 1000,
	    .width = width,
	    .height = height,
	    .stride_bytes = stride,
	    .payload_bytes = stride * height,
	    .cell_m = 0.05};
}

START_TEST(frames_are_recorded_with_their_heads_and_an_unchanged_map_once)
{
	static uint8_t rgb[3 * 16 * 8], depth[2 * 16 * 8], cells[4] = {0, 100, 255, 50};
	static uint8_t last[4096];
	size_t bytes = 0;
	struct cairn_message_recorder *r = begin(FILE_BYTES);
	struct cairn_frame_header h = header(CAIRN_FORMAT_RGB8, 16, 8, 48);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_RGB, &h, rgb, 1100));
	h = header(CAIRN_FORMAT_DEPTH16, 16, 8, 32);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_DEPTH, &h, depth, 1100));
	h = header(CAIRN_FORMAT_GRID8, 2, 2, 2);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, cells, 1100));
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, cells, 1200));
	cells[3] = 51;
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, cells, 1300));
	h = header(CAIRN_FORMAT_PROBE, 1, 1, 1);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CANARY, &h, cells, 1300));
	ck_assert(cairn_message_recorder_finish(r));
	ck_assert_uint_eq(cairn_message_recorder_messages(r), 8);
	cairn_message_recorder_destroy(&r);
	ck_assert_uint_eq(count("/cairn/camera.rgb", NULL, NULL), 1);
	ck_assert_uint_eq(count("/camera/image/compressed", NULL, NULL), 1);
	ck_assert_uint_eq(count("/camera/depth", NULL, NULL), 1);
	ck_assert_uint_eq(count("/map", last, &bytes), 2);
	/* The last four bytes of an OccupancyGrid are its cells. */
	static const uint8_t wanted[] = {0, 100, 255, 51};
	ck_assert_mem_eq(last + bytes - 4, wanted, 4);
	ck_assert_uint_eq(count("/cairn/camera.depth", last, &bytes), 1);
	last[bytes] = '\0';
	ck_assert_ptr_nonnull(strstr((const char *)last, "\"seq\":\"7\""));
	ck_assert_ptr_nonnull(strstr((const char *)last, "\"height_px\":8"));
}
END_TEST

START_TEST(a_frame_that_is_smaller_than_it_says_is_left_out)
{
	static uint8_t payload[64];
	struct cairn_message_recorder *r = begin(FILE_BYTES);
	struct cairn_frame_header h = header(CAIRN_FORMAT_RGB8, 16, 8, 48);
	h.payload_bytes = 64;
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_RGB, &h, payload, 1));
	h = header(CAIRN_FORMAT_GRID8, 1000, 1000, 1);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_MAP_GRID, &h, payload, 1));
	h = header(CAIRN_FORMAT_DEPTH16, UINT32_MAX, 2, 8);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_CAMERA_DEPTH, &h, payload, 1));
	h = header(CAIRN_FORMAT_SNAPSHOT, 1, 1, 64);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_SNAPSHOT, &h, payload, 1));
	ck_assert_uint_eq(cairn_message_recorder_messages(r), 0);
	cairn_message_recorder_destroy(&r);
}
END_TEST

START_TEST(a_snapshot_is_recorded_with_its_text_and_both_pictures)
{
	static uint8_t payload[1024], last[4096];
	static const uint8_t jpeg[] = {0xFF, 0xD8, 1, 2, 3, 0xFF, 0xD9};
	struct cairn_snapshot_head head = {.version = CAIRN_SNAPSHOT_VERSION,
	    .snapshot_id = 42,
	    .nearest_m = 1.5,
	    .trigger = CAIRN_TRIGGER_DOORWAY,
	    .text_bytes = 5,
	    .jpeg_bytes = sizeof(jpeg),
	    .view_bytes = sizeof(jpeg)};
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), "hello", 5);
	memcpy(payload + sizeof(head) + 5, jpeg, sizeof(jpeg));
	memcpy(payload + sizeof(head) + 5 + sizeof(jpeg), jpeg, sizeof(jpeg));
	struct cairn_frame_header h = header(CAIRN_FORMAT_SNAPSHOT, 0, 0, 0);
	h.payload_bytes = (uint32_t)(sizeof(head) + 5 + 2 * sizeof(jpeg));
	struct cairn_message_recorder *r = begin(FILE_BYTES);
	ck_assert(cairn_message_recorder_frame(r, CAIRN_FRAME_SNAPSHOT, &h, payload, 1));
	ck_assert(cairn_message_recorder_finish(r));
	cairn_message_recorder_destroy(&r);
	size_t bytes = 0;
	ck_assert_uint_eq(count("/cairn/snapshot", last, &bytes), 1);
	last[bytes] = '\0';
	ck_assert_ptr_nonnull(strstr((const char *)last, "\"text\":\"hello\""));
	ck_assert_ptr_nonnull(strstr((const char *)last, "\"trigger\":\"doorway\""));
	ck_assert_uint_eq(count("/camera/annotated/compressed", last, &bytes), 1);
	ck_assert_mem_eq(last + bytes - sizeof(jpeg), jpeg, sizeof(jpeg));
	ck_assert_uint_eq(count("/camera/above/compressed", NULL, NULL), 1);
}
END_TEST

START_TEST(a_full_disk_fails_the_recorder_for_good_and_says_so)
{
	struct cairn_message_recorder *r = begin(500); /* the head of a file and no chunk */
	const struct cairn_header hdr = {.seq = 1, .epoch = 1, .t_ns = 5, .valid = true};
	static struct cairn_msg_scan scan = {.range_max_m = 10.0f};
	ck_assert(!cairn_message_recorder_failed(r));
	for (int i = 0; i < 10; i++)
		(void)cairn_message_recorder_add(r, CAIRN_TOPIC_SCAN, NULL, &hdr, &scan, 5);
	ck_assert(!cairn_message_recorder_flush(r));
	ck_assert(cairn_message_recorder_failed(r));
	ck_assert(!cairn_message_recorder_add(r, CAIRN_TOPIC_SCAN, NULL, &hdr, &scan, 5));
	ck_assert(!cairn_message_recorder_finish(r));
	cairn_message_recorder_destroy(&r);
}
END_TEST

START_TEST(the_oldest_files_of_a_ring_make_room_by_size_and_by_age)
{
	const struct cairn_ring_limits by_size = {.quota_bytes = 100.0, .file_bytes = 30.0, .file_s = 60.0};
	struct cairn_ring_limits by_age = by_size;
	struct cairn_ring_file files[] = {{"c", 30.0, 300.0}, {"a", 30.0, 100.0}, {"b", 30.0, 200.0}};
	cairn_ring_sort(files, 3);
	ck_assert_str_eq(files[0].name, "a");
	ck_assert_str_eq(files[2].name, "c");
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 10.0, 301.0, &by_size), 0); /* 90 + 10 fit exactly */
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 11.0, 301.0, &by_size), 1);
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 71.0, 301.0, &by_size), 3);
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 1000.0, 301.0, &by_size), 3);
	ck_assert_uint_eq(cairn_ring_excess(NULL, 0, 1000.0, 301.0, &by_size), 0);
	by_age.age_max_s = 150.0;
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 10.0, 301.0, &by_age), 1);
	ck_assert_uint_eq(cairn_ring_excess(files, 3, 10.0, 1000.0, &by_age), 3);
	ck_assert(!cairn_ring_full(29.9, 59.9, &by_size));
	ck_assert(cairn_ring_full(30.0, 0.0, &by_size));
	ck_assert(cairn_ring_full(0.0, 60.0, &by_size));
}
END_TEST

CAIRN_TEST_MAIN("record", frames_are_recorded_with_their_heads_and_an_unchanged_map_once,
    a_frame_that_is_smaller_than_it_says_is_left_out, a_snapshot_is_recorded_with_its_text_and_both_pictures,
    a_full_disk_fails_the_recorder_for_good_and_says_so,
    the_oldest_files_of_a_ring_make_room_by_size_and_by_age)
