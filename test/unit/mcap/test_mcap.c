/* Recordings that are cut, damaged, too large or written to a full disk: nothing wrong is ever read from them. */
#include "common/mcap/mcap_reader.h"
#include "common/mcap/mcap_writer.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

#define MESSAGES 400
#define FILE_BYTES (1 << 20)

struct file {
	uint8_t data[FILE_BYTES];
	size_t bytes, room;
};

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

static uint8_t byte_of(uint32_t message, size_t i)
{
	return (uint8_t)(message * 7 + i * 13);
}

static size_t bytes_of(uint32_t message)
{
	return 20 + message % 200;
}

static bool put_message(struct cairn_mcap_writer *w, uint32_t i)
{
	uint8_t data[256];
	for (size_t k = 0; k < bytes_of(i); k++)
		data[k] = byte_of(i, k);
	return cairn_mcap_writer_message(w, &(struct cairn_mcap_message){.channel_id = (uint16_t)(1 + i % 3),
						.sequence = i,
						.log_time_ns = 1000 + 10 * (uint64_t)i,
						.publish_time_ns = i,
						.data = {data, bytes_of(i)}});
}

/* A recording of MESSAGES messages on three channels, in chunks of about 4 kB. */
static void record(struct file *f, size_t room, int zstd_level)
{
	f->bytes = 0;
	f->room = room;
	struct cairn_mcap_options o = {.profile = "ros2",
	    .library = "cairn",
	    .chunk_bytes = 4096,
	    .zstd_level = zstd_level,
	    .parts = CAIRN_MCAP_WITH_EVERYTHING};
	struct cairn_mcap_writer *w = cairn_mcap_writer_new(&o, write_file, f);
	ck_assert_ptr_nonnull(w);
	bool good = cairn_mcap_writer_schema(w, &(struct cairn_mcap_schema){.id = 1,
						    .name = "pkg/msg/T",
						    .encoding = "ros2msg",
						    .data = {(const uint8_t *)"int32 x", 7}});
	for (uint16_t id = 1; id <= 3; id++)
		good = good && cairn_mcap_writer_channel(w,
				   &(struct cairn_mcap_channel){
				       .id = id, .schema_id = 1, .topic = "/t", .message_encoding = "cdr"});
	for (uint32_t i = 0; i < MESSAGES; i++)
		good = put_message(w, i) && good;
	good = cairn_mcap_writer_finish(w) && good;
	ck_assert_int_eq(good, room == FILE_BYTES);
	cairn_mcap_writer_destroy(&w);
}

static bool is_message(const struct cairn_mcap_message *m, uint32_t i)
{
	bool same = m->data.bytes == bytes_of(i);
	for (size_t k = 0; same && k < m->data.bytes; k++)
		same = m->data.data[k] == byte_of(i, k);
	return same;
}

/* Reads to the end; every message must be one that was written, in its order, and none may be missing where the file is called
 * whole. Returns how many came. */
static uint32_t read_all(struct file *f, enum cairn_mcap_item *ret_end)
{
	struct cairn_error err;
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_file, f, f->bytes, &err);
	*ret_end = CAIRN_MCAP_ITEM_CUT;
	if (r == NULL)
		return 0;
	struct cairn_mcap_read got;
	uint32_t count = 0, next = 0;
	bool right = true; /* asserted once: an assertion costs a system call */
	do {
		cairn_mcap_reader_next(r, &got, &err);
		if (got.item != CAIRN_MCAP_ITEM_MESSAGE)
			continue;
		right =
		    right && got.message.sequence >= next && is_message(&got.message, got.message.sequence);
		next = got.message.sequence + 1;
		count++;
	} while (got.item > CAIRN_MCAP_ITEM_DAMAGED);
	ck_assert(right);
	ck_assert(got.item != CAIRN_MCAP_ITEM_END || next == count);
	*ret_end = got.item;
	cairn_mcap_reader_destroy(&r);
	return count;
}

START_TEST(a_whole_file_is_read_to_its_end)
{
	static struct file f;
	enum cairn_mcap_item end;
	for (int level = 0; level <= 1; level++) {
		record(&f, FILE_BYTES, level);
		ck_assert_uint_eq(read_all(&f, &end), MESSAGES);
		ck_assert_int_eq(end, CAIRN_MCAP_ITEM_END);
	}
}
END_TEST

START_TEST(a_file_cut_anywhere_gives_the_messages_of_its_whole_chunks_and_says_that_it_was_cut)
{
	static struct file whole, cut;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 0);
	record(&whole, FILE_BYTES, 1);
	for (int round = 0; round < 1000; round++) {
		cut = whole;
		cut.bytes = cairn_rng_u32(&rng) % whole.bytes;
		enum cairn_mcap_item end;
		uint32_t count = read_all(&cut, &end);
		ck_assert(end == CAIRN_MCAP_ITEM_CUT || (end == CAIRN_MCAP_ITEM_END && count == MESSAGES));
		ck_assert(end == CAIRN_MCAP_ITEM_END || count < MESSAGES || cut.bytes > whole.bytes / 2);
	}
}
END_TEST

/* In a chunk a wrong byte is found by its checksum; everywhere else it may change no message. */
START_TEST(a_wrong_byte_anywhere_never_changes_a_message)
{
	static struct file whole, bad;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 2, 0);
	uint32_t damaged = 0;
	for (int round = 0; round < CAIRN_ROUNDS(1000); round++) {
		if (round % 500 == 0)
			record(&whole, FILE_BYTES, round % 1000 == 0);
		bad = whole;
		bad.data[cairn_rng_u32(&rng) % bad.bytes] ^= (uint8_t)(1u << (cairn_rng_u32(&rng) % 8));
		enum cairn_mcap_item end;
		read_all(&bad, &end);
		damaged += end != CAIRN_MCAP_ITEM_END;
	}
	ck_assert_uint_gt(damaged, CAIRN_ROUNDS(1000) / 2); /* most of the file is chunks */
}
END_TEST

START_TEST(a_full_disk_fails_the_writer_and_leaves_what_was_whole)
{
	static struct file f;
	enum cairn_mcap_item end;
	record(&f, 20000, 0);
	uint32_t count = read_all(&f, &end);
	ck_assert_int_eq(end, CAIRN_MCAP_ITEM_CUT);
	ck_assert_uint_gt(count, 0);
	ck_assert_uint_lt(count, MESSAGES);
}
END_TEST

START_TEST(a_seek_comes_to_the_first_chunk_that_reaches_the_time)
{
	static struct file f;
	struct cairn_error err;
	record(&f, FILE_BYTES, 1);
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_file, &f, f.bytes, &err);
	struct cairn_mcap_read got;
	ck_assert(!cairn_mcap_reader_seek(r, 0)); /* no index was read */
	struct cairn_mcap_summary summary;
	ck_assert(cairn_mcap_reader_summary(r, &summary, &err));
	ck_assert_uint_eq(summary.statistics.messages, MESSAGES);
	ck_assert_uint_eq(summary.statistics.start_ns, 1000);
	ck_assert_uint_eq(summary.statistics.end_ns, 1000 + 10 * (MESSAGES - 1));
	ck_assert_uint_gt(summary.chunks, 5);
	for (uint32_t i = 0; i < MESSAGES; i += 37) {
		uint64_t wanted_ns = 1000 + 10 * (uint64_t)i;
		ck_assert(cairn_mcap_reader_seek(r, wanted_ns));
		uint32_t before = 0;
		do {
			cairn_mcap_reader_next(r, &got, &err);
			ck_assert_int_gt(got.item, CAIRN_MCAP_ITEM_DAMAGED);
			before++;
		} while (got.item != CAIRN_MCAP_ITEM_MESSAGE || got.message.log_time_ns < wanted_ns);
		ck_assert_uint_eq(got.message.sequence, i);
		ck_assert_uint_lt(before, 60); /* of one chunk */
	}
	ck_assert(cairn_mcap_reader_seek(r, UINT64_MAX));
	cairn_mcap_reader_next(r, &got, &err);
	ck_assert_int_eq(got.item, CAIRN_MCAP_ITEM_END);
	cairn_mcap_reader_destroy(&r);
}
END_TEST

START_TEST(a_cut_file_has_no_summary_and_a_foreign_file_is_refused)
{
	static struct file f;
	struct cairn_error err;
	struct cairn_mcap_summary summary;
	record(&f, FILE_BYTES, 1);
	f.bytes -= 1;
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_file, &f, f.bytes, &err);
	ck_assert(!cairn_mcap_reader_summary(r, &summary, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "no summary"));
	cairn_mcap_reader_destroy(&r);
	f.data[0] ^= 1;
	ck_assert_ptr_null(cairn_mcap_reader_new(read_file, &f, f.bytes, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "no MCAP file"));
}
END_TEST

START_TEST(a_message_of_a_channel_that_was_not_added_is_refused_and_the_file_goes_on)
{
	static struct file f = {.room = FILE_BYTES};
	struct cairn_mcap_options o = {.profile = "", .library = "", .chunk_bytes = 4096};
	struct cairn_mcap_writer *w = cairn_mcap_writer_new(&o, write_file, &f);
	ck_assert(!put_message(w, 0));
	ck_assert(cairn_mcap_writer_channel(
	    w, &(struct cairn_mcap_channel){.id = 1, .topic = "/t", .message_encoding = "json"}));
	ck_assert(!cairn_mcap_writer_channel(
	    w, &(struct cairn_mcap_channel){.id = 1, .topic = "/u", .message_encoding = "json"}));
	ck_assert(put_message(w, 0));
	ck_assert(cairn_mcap_writer_finish(w));
	ck_assert(!cairn_mcap_writer_finish(w));
	cairn_mcap_writer_destroy(&w);
	enum cairn_mcap_item end;
	ck_assert_uint_eq(read_all(&f, &end), 1);
	ck_assert_int_eq(end, CAIRN_MCAP_ITEM_END);
}
END_TEST

CAIRN_TEST_MAIN("mcap", a_whole_file_is_read_to_its_end,
    a_file_cut_anywhere_gives_the_messages_of_its_whole_chunks_and_says_that_it_was_cut,
    a_wrong_byte_anywhere_never_changes_a_message, a_full_disk_fails_the_writer_and_leaves_what_was_whole,
    a_seek_comes_to_the_first_chunk_that_reaches_the_time,
    a_cut_file_has_no_summary_and_a_foreign_file_is_refused,
    a_message_of_a_channel_that_was_not_added_is_refused_and_the_file_goes_on)
