/* Every case of MCAP's conformance suite (../shared/data/mcap): the writer's bytes have the suite's two checksums, which cover
 * all of them, and the reader gives the records back. */
#include "common/mcap/mcap_reader.h"
#include "common/mcap/mcap_writer.h"

#include <jansson.h>
#include <zlib.h>

#include "test/support/runner.h"

#define CASES 208
#define CASE_BYTES (256 * 1024)

struct file {
	uint8_t data[64 * 1024];
	size_t bytes;
};

static bool write_file(void *ctx, const void *data, size_t bytes)
{
	struct file *f = ctx;
	ck_assert_uint_le(f->bytes + bytes, sizeof(f->data));
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

static json_t *field(json_t *record, const char *name)
{
	size_t i;
	json_t *pair;
	json_array_foreach(json_object_get(record, "fields"), i, pair)
	{
		if (strcmp(json_string_value(json_array_get(pair, 0)), name) == 0)
			return json_array_get(pair, 1);
	}
	ck_abort_msg("a record without %s", name);
}

static const char *text(json_t *record, const char *name)
{
	return json_string_value(field(record, name));
}

static uint64_t number(json_t *record, const char *name)
{
	return strtoull(text(record, name), NULL, 10);
}

static struct cairn_mcap_bytes bytes(json_t *record, uint8_t *buf)
{
	json_t *list = field(record, "data");
	for (size_t i = 0; i < json_array_size(list); i++)
		buf[i] = (uint8_t)atoi(json_string_value(json_array_get(list, i)));
	return (struct cairn_mcap_bytes){buf, json_array_size(list)};
}

static uint32_t pairs(json_t *record, struct cairn_mcap_pair *ret)
{
	const char *key;
	json_t *value;
	uint32_t count = 0;
	json_object_foreach(field(record, "metadata"), key, value) ret[count++] =
	    (struct cairn_mcap_pair){key, json_string_value(value)};
	return count;
}

static bool has(json_t *features, const char *name)
{
	size_t i;
	json_t *feature;
	json_array_foreach(features, i, feature)
	{
		if (strcmp(json_string_value(feature), name) == 0)
			return true;
	}
	return false;
}

static struct cairn_mcap_options options_of(json_t *features)
{
	static const uint8_t padding[] = {0x01, 0xff, 0xff};
	static const struct {
		const char *name;
		uint32_t part;
	} parts[] = {{"mx", CAIRN_MCAP_WITH_MESSAGE_INDEX}, {"chx", CAIRN_MCAP_WITH_CHUNK_INDEX},
	    {"st", CAIRN_MCAP_WITH_STATISTICS}, {"rsh", CAIRN_MCAP_WITH_SCHEMAS},
	    {"rch", CAIRN_MCAP_WITH_CHANNELS}, {"sum", CAIRN_MCAP_WITH_SUMMARY_OFFSETS},
	    {"ax", CAIRN_MCAP_WITH_ATTACHMENT_INDEX}, {"mdx", CAIRN_MCAP_WITH_METADATA_INDEX}};
	struct cairn_mcap_options o = {.profile = "", .library = ""};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		o.parts |= has(features, parts[i].name) ? parts[i].part : 0;
	o.chunk_bytes = has(features, "ch") ? 1 << 20 : 0;
	if (has(features, "pad"))
		o.padding = (struct cairn_mcap_bytes){padding, sizeof(padding)};
	return o;
}

static void write_record(struct cairn_mcap_writer *w, const char *type, json_t *r)
{
	uint8_t data[64];
	struct cairn_mcap_pair map[8];
	if (strcmp(type, "Schema") == 0) {
		ck_assert(
		    cairn_mcap_writer_schema(w, &(struct cairn_mcap_schema){.id = (uint16_t)number(r, "id"),
						    .name = text(r, "name"),
						    .encoding = text(r, "encoding"),
						    .data = bytes(r, data)}));
	} else if (strcmp(type, "Channel") == 0) {
		uint32_t count = pairs(r, map);
		ck_assert(
		    cairn_mcap_writer_channel(w, &(struct cairn_mcap_channel){.id = (uint16_t)number(r, "id"),
						     .schema_id = (uint16_t)number(r, "schema_id"),
						     .topic = text(r, "topic"),
						     .message_encoding = text(r, "message_encoding"),
						     .metadata = map,
						     .metadata_count = count}));
	} else if (strcmp(type, "Message") == 0) {
		ck_assert(cairn_mcap_writer_message(
		    w, &(struct cairn_mcap_message){.channel_id = (uint16_t)number(r, "channel_id"),
			   .sequence = (uint32_t)number(r, "sequence"),
			   .log_time_ns = number(r, "log_time"),
			   .publish_time_ns = number(r, "publish_time"),
			   .data = bytes(r, data)}));
	} else if (strcmp(type, "Attachment") == 0) {
		ck_assert(cairn_mcap_writer_attachment(
		    w, &(struct cairn_mcap_attachment){.log_time_ns = number(r, "log_time"),
			   .create_time_ns = number(r, "create_time"),
			   .name = text(r, "name"),
			   .media_type = text(r, "media_type"),
			   .data = bytes(r, data)}));
	} else if (strcmp(type, "Metadata") == 0) {
		uint32_t count = pairs(r, map);
		ck_assert(cairn_mcap_writer_metadata(w, text(r, "name"), map, count));
	}
}

static uint32_t u32_at(const struct file *f, size_t offset)
{
	const uint8_t *p = f->data + offset;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The reader gives what the case's data section holds, in its order. */
static void read_back(struct file *f, json_t *records, const char *name)
{
	struct cairn_error err;
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_file, f, f->bytes, &err);
	ck_assert_ptr_nonnull(r);
	struct cairn_mcap_read got;
	static const char *const types[] = {[CAIRN_MCAP_ITEM_SCHEMA] = "Schema",
	    [CAIRN_MCAP_ITEM_CHANNEL] = "Channel",
	    [CAIRN_MCAP_ITEM_MESSAGE] = "Message",
	    [CAIRN_MCAP_ITEM_ATTACHMENT] = "Attachment",
	    [CAIRN_MCAP_ITEM_METADATA] = "Metadata"};
	for (size_t i = 1;; i++) {
		json_t *record = json_array_get(records, i);
		const char *type = json_string_value(json_object_get(record, "type"));
		cairn_mcap_reader_next(r, &got, &err);
		if (strcmp(type, "DataEnd") == 0)
			break;
		ck_assert_msg(got.item >= CAIRN_MCAP_ITEM_SCHEMA && strcmp(types[got.item], type) == 0,
		    "%s: record %zu is %s", name, i, type);
		if (got.item == CAIRN_MCAP_ITEM_MESSAGE) {
			uint8_t data[64];
			struct cairn_mcap_bytes want = bytes(record, data);
			ck_assert_uint_eq(got.message.log_time_ns, number(record, "log_time"));
			ck_assert_uint_eq(got.message.sequence, number(record, "sequence"));
			ck_assert_uint_eq(got.message.data.bytes, want.bytes);
			ck_assert_mem_eq(got.message.data.data, want.data, want.bytes);
		}
	}
	ck_assert_msg(got.item == CAIRN_MCAP_ITEM_END, "%s: %s", name, err.text);
	cairn_mcap_reader_destroy(&r);
}

static void judge(const char *name, const char *json)
{
	static struct file f;
	json_error_t why;
	json_t *root = json_loads(json, 0, &why);
	ck_assert_msg(root != NULL, "%s: %s", name, why.text);
	json_t *features =
	    json_object_get(json_object_get(json_object_get(root, "meta"), "variant"), "features");
	json_t *records = json_object_get(root, "records"), *record;
	struct cairn_mcap_options options = options_of(features);
	f.bytes = 0;
	struct cairn_mcap_writer *w = cairn_mcap_writer_new(&options, write_file, &f);
	size_t i, data_end = 0;
	uint32_t data_crc = 0, summary_crc = 0;
	json_array_foreach(records, i, record)
	{
		const char *type = json_string_value(json_object_get(record, "type"));
		if (strcmp(type, "DataEnd") == 0) {
			data_crc = (uint32_t)number(record, "data_section_crc");
			ck_assert(cairn_mcap_writer_flush(w));
			data_end = f.bytes;
		} else if (strcmp(type, "Footer") == 0) {
			summary_crc = (uint32_t)number(record, "summary_crc");
		} else if (data_end == 0) {
			write_record(w, type, record);
		}
	}
	ck_assert(cairn_mcap_writer_finish(w));
	cairn_mcap_writer_destroy(&w);
	ck_assert_msg(
	    u32_at(&f, data_end + CAIRN_MCAP_RECORD_HEAD_BYTES) == data_crc, "%s: data section", name);
	ck_assert_msg(u32_at(&f, f.bytes - CAIRN_MCAP_MAGIC_BYTES - 4) == summary_crc, "%s: summary", name);
	read_back(&f, records, name);
	json_decref(root);
}

/* The next file of a tar archive; false at its end. */
static bool next_file(gzFile in, char *name, char *text_of_file)
{
	uint8_t head[512];
	for (;;) {
		if (gzread(in, head, sizeof(head)) != (int)sizeof(head) || head[0] == 0)
			return false;
		snprintf(name, 101, "%.100s", (const char *)head);
		size_t size = strtoul((const char *)head + 124, NULL, 8), whole = (size + 511) / 512 * 512;
		ck_assert_uint_lt(whole, CASE_BYTES);
		ck_assert_int_eq(gzread(in, text_of_file, (unsigned)whole), (int)whole);
		text_of_file[size] = '\0';
		size_t length = strlen(name);
		if (length > 5 && strcmp(name + length - 5, ".json") == 0)
			return true;
	}
}

START_TEST(every_case_has_the_published_checksums_and_is_read_back)
{
	const char *path = cairn_shared_path("mcap/conformance.tar.gz");
	if (path == NULL)
		CAIRN_SKIP("no mcap/conformance.tar.gz");
	gzFile in = gzopen(path, "rb");
	ck_assert_ptr_nonnull(in);
	static char name[101], json[CASE_BYTES];
	int cases = 0;
	for (; next_file(in, name, json); cases++)
		judge(name, json);
	gzclose(in);
	ck_assert_int_eq(cases, CASES);
}
END_TEST

CAIRN_TEST_MAIN("mcap-conformance", every_case_has_the_published_checksums_and_is_read_back)
