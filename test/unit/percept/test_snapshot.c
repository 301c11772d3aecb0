/* The payload of a snapshot: what fits is taken apart, what does not is refused whatever is wrong with it. */
#include "common/percept/snapshot.h"

#include <math.h>
#include <string.h>

#include "common/base/rng.h"
#include "ipc/messages.h"
#include "test/support/runner.h"

#define TEXT "SENSORS\n"

static const uint8_t camera[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
static const uint8_t above[] = {0xFF, 0xD8, 7, 0xFF, 0xD9};
static struct cairn_snapshot_head head;
static uint8_t payload[512];
static size_t bytes;
static struct cairn_snapshot parts;
static struct cairn_error err;

/* From head; a picture is there when head gives it bytes. */
static void build(void)
{
	memset(payload, 0, sizeof(payload));
	memcpy(payload, &head, sizeof(head));
	bytes = sizeof(head);
	memcpy(payload + bytes, TEXT, sizeof(TEXT) - 1);
	bytes += sizeof(TEXT) - 1;
	if (head.jpeg_bytes > 0) {
		memcpy(payload + bytes, camera, sizeof(camera));
		bytes += sizeof(camera);
	}
	if (head.view_bytes > 0) {
		memcpy(payload + bytes, above, sizeof(above));
		bytes += sizeof(above);
	}
}

static void begin(void)
{
	head = (struct cairn_snapshot_head){.snapshot_id = 9,
	    .nearest_m = -1.0,
	    .trigger = CAIRN_TRIGGER_TIMER,
	    .text_bytes = sizeof(TEXT) - 1,
	    .jpeg_bytes = sizeof(camera),
	    .view_bytes = sizeof(above),
	    .version = CAIRN_SNAPSHOT_VERSION};
	build();
	memset(&parts, 0xAA, sizeof(parts));
}

static bool readable(void)
{
	err.text[0] = '\0';
	return cairn_snapshot_read(payload, bytes, &parts, &err);
}

static bool refused(void)
{
	struct cairn_snapshot before = parts;
	return !readable() && err.text[0] != '\0' && memcmp(&before, &parts, sizeof(parts)) == 0;
}

START_TEST(a_snapshot_is_taken_apart)
{
	begin();
	ck_assert_msg(readable(), "%s", err.text);
	ck_assert_uint_eq(parts.head.snapshot_id, 9);
	ck_assert_mem_eq(parts.text, TEXT, sizeof(TEXT) - 1);
	ck_assert_mem_eq(parts.jpeg, camera, sizeof(camera));
	ck_assert_mem_eq(parts.view, above, sizeof(above));
}
END_TEST

START_TEST(either_picture_may_be_missing)
{
	begin();
	head.jpeg_bytes = 0;
	build();
	ck_assert(readable());
	ck_assert_ptr_null(parts.jpeg);
	ck_assert_mem_eq(parts.view, above, sizeof(above));
	head.view_bytes = 0;
	build();
	ck_assert(readable());
	ck_assert_ptr_null(parts.view);
	head.jpeg_bytes = sizeof(camera);
	build();
	ck_assert(readable());
	ck_assert_mem_eq(parts.jpeg, camera, sizeof(camera));
	ck_assert_ptr_null(parts.view);
}
END_TEST

START_TEST(every_shorter_or_longer_one_is_refused)
{
	begin();
	size_t whole = bytes;
	for (bytes = 0; bytes < whole + 40; bytes++)
		ck_assert_msg(bytes == whole ? readable() : refused(), "%zu bytes", bytes);
}
END_TEST

START_TEST(lengths_that_add_up_only_in_32_bits_are_refused)
{
	begin();
	head.jpeg_bytes = UINT32_MAX;
	head.view_bytes = sizeof(camera) + sizeof(above) + 1;
	memcpy(payload, &head, sizeof(head));
	ck_assert(refused());
}
END_TEST

START_TEST(other_versions_missing_text_and_unknown_triggers_are_refused)
{
	begin();
	head.version = CAIRN_SNAPSHOT_VERSION - 1;
	build();
	ck_assert(refused());
	begin();
	head.text_bytes = 0;
	head.jpeg_bytes += sizeof(TEXT) - 1;
	build();
	ck_assert(refused());
	begin();
	head.trigger = CAIRN_TRIGGER_COUNT;
	build();
	ck_assert(refused());
}
END_TEST

START_TEST(numbers_that_are_none_are_refused)
{
	double *const numbers[] = {&head.x_m, &head.y_m, &head.yaw_rad, &head.nearest_m, &head.similarity};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		begin();
		*numbers[i] = i % 2 == 0 ? (double)NAN : (double)INFINITY;
		build();
		ck_assert_msg(refused(), "number %zu", i);
	}
	begin();
	head.similarity = 1.5;
	build();
	ck_assert(refused());
	for (int i = 0; i < 12; i++) {
		begin();
		head.sector_m[i] = i % 2 == 0 ? NAN : -1.0f;
		build();
		ck_assert(refused());
	}
	begin();
	head.feasibility[5] = INFINITY;
	build();
	ck_assert(refused());
}
END_TEST

START_TEST(a_picture_that_is_no_jpeg_is_refused)
{
	size_t text_end = sizeof(head) + sizeof(TEXT) - 1, camera_end = text_end + sizeof(camera);
	const size_t at[] = {
	    text_end, text_end + 1, camera_end - 1, camera_end - 2, camera_end, camera_end + 4};
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		begin();
		payload[at[i]] ^= 0x10;
		ck_assert_msg(refused(), "byte %zu", at[i]);
	}
}
END_TEST

START_TEST(no_damage_leads_out_of_the_payload)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 7);
	for (int i = 0; i < 20000; i++) {
		begin();
		for (uint32_t n = 1 + cairn_rng_u32(&rng) % 4; n > 0; n--)
			payload[cairn_rng_u32(&rng) % bytes] = (uint8_t)cairn_rng_u32(&rng);
		bytes = cairn_rng_u32(&rng) % 8 == 0 ? cairn_rng_u32(&rng) % (bytes + 1) : bytes;
		if (!readable())
			continue;
		const uint8_t *end = payload + bytes;
		ck_assert((const uint8_t *)parts.text + parts.head.text_bytes <= end);
		ck_assert(parts.jpeg == NULL || parts.jpeg + parts.head.jpeg_bytes <= end);
		ck_assert(parts.view == NULL || parts.view + parts.head.view_bytes == end);
	}
}
END_TEST

CAIRN_TEST_MAIN("snapshot", a_snapshot_is_taken_apart, either_picture_may_be_missing,
    every_shorter_or_longer_one_is_refused, lengths_that_add_up_only_in_32_bits_are_refused,
    other_versions_missing_text_and_unknown_triggers_are_refused, numbers_that_are_none_are_refused,
    a_picture_that_is_no_jpeg_is_refused, no_damage_leads_out_of_the_payload)
