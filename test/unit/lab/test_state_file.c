/* Finished work in a file: nothing that was altered comes back. */
#include "procs/lab/state_file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

#define COUNT 6
#define BYTES 40
#define HEAD (4 * sizeof(uint64_t))

static char path[] = "/tmp/cairn-state-XXXXXX";
static int fd;
static uint8_t whole[4096];
static ssize_t whole_bytes;
static int kept, wrong;

static void take(void *ctx, uint64_t number, const void *bytes)
{
	uint8_t expected[BYTES];
	(void)ctx;
	memset(expected, (int)number + 1, sizeof(expected));
	kept++;
	wrong += number >= COUNT || memcmp(bytes, expected, sizeof(expected)) != 0;
}

static bool reopen(struct cairn_state_file *f)
{
	struct cairn_error err = {""};
	kept = wrong = 0;
	return cairn_state_open(f, path, 77, COUNT, BYTES, take, NULL, &err);
}

static void begin(void)
{
	struct cairn_state_file f;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert(reopen(&f));
	for (uint64_t i = 0; i < COUNT; i++) {
		uint8_t bytes[BYTES];
		memset(bytes, (int)i + 1, sizeof(bytes));
		ck_assert(cairn_state_add(&f, i, bytes));
	}
	cairn_state_close(&f);
	whole_bytes = pread(fd, whole, sizeof(whole), 0);
	ck_assert_int_eq(whole_bytes, (ssize_t)(HEAD + COUNT * (16 + BYTES)));
}

static void restore(void)
{
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_int_eq(pwrite(fd, whole, (size_t)whole_bytes, 0), whole_bytes);
}

static void end(void)
{
	close(fd);
	unlink(path);
}

START_TEST(whatever_bit_is_flipped_only_that_record_is_lost)
{
	struct cairn_state_file f;
	begin();
	for (ssize_t i = 0; i < whole_bytes; i++) {
		uint8_t flipped = whole[i] ^ (uint8_t)(1U << (i % 8));
		restore();
		ck_assert_int_eq(pwrite(fd, &flipped, 1, i), 1);
		bool opened = reopen(&f);
		ck_assert_int_eq(opened, i >= (ssize_t)HEAD);
		ck_assert_int_eq(wrong, 0);
		if (!opened)
			continue;
		ck_assert_int_eq(kept, COUNT - 1);
		ck_assert_uint_eq(f.damaged, 1);
		cairn_state_close(&f);
		/* and it was mended */
		ck_assert(reopen(&f));
		ck_assert_int_eq(kept, COUNT - 1);
		ck_assert_uint_eq(f.damaged, 0);
		cairn_state_close(&f);
	}
	end();
}
END_TEST

START_TEST(garbage_of_any_length_is_never_taken_for_work)
{
	struct cairn_state_file f;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 0);
	begin();
	for (int round = 0; round < 300; round++) {
		uint8_t noise[400];
		size_t n = 1 + (size_t)(cairn_rng_uniform(&rng) * (sizeof(noise) - 1));
		for (size_t i = 0; i < n; i++)
			noise[i] = (uint8_t)(256.0 * cairn_rng_uniform(&rng));
		restore();
		off_t at =
		    (off_t)HEAD + (off_t)(cairn_rng_uniform(&rng) * (double)(whole_bytes - (ssize_t)HEAD));
		ck_assert_int_eq(pwrite(fd, noise, n, at), (ssize_t)n);
		ck_assert(reopen(&f));
		ck_assert_int_eq(wrong, 0);
		ck_assert_uint_ge(f.damaged, 1);
		cairn_state_close(&f);
	}
	end();
}
END_TEST

START_TEST(a_record_that_was_cut_off_is_cut_off_the_file)
{
	struct cairn_state_file f;
	struct stat st;
	begin();
	for (ssize_t length = HEAD; length <= whole_bytes; length++) {
		restore();
		ck_assert_int_eq(ftruncate(fd, length), 0);
		ck_assert(reopen(&f));
		ck_assert_int_eq(wrong, 0);
		ck_assert_int_eq(kept, (int)((length - (ssize_t)HEAD) / (16 + BYTES)));
		cairn_state_close(&f);
		ck_assert_int_eq(fstat(fd, &st), 0);
		ck_assert_int_eq(st.st_size, (off_t)HEAD + kept * (16 + BYTES));
	}
	end();
}
END_TEST

START_TEST(a_number_beyond_the_work_is_no_record)
{
	struct cairn_state_file f;
	uint8_t bytes[BYTES] = {0};
	begin();
	ck_assert(reopen(&f));
	ck_assert(cairn_state_add(&f, COUNT, bytes)); /* with a checksum that holds */
	ck_assert(cairn_state_add(&f, UINT64_MAX, bytes));
	cairn_state_close(&f);
	ck_assert(reopen(&f));
	ck_assert_int_eq(kept, COUNT);
	ck_assert_uint_eq(f.damaged, 2);
	cairn_state_close(&f);
	end();
}
END_TEST

/* As on a disk that is full from there on; 0: there is room again. */
static void room_until(off_t bytes)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes > 0 ? (rlim_t)bytes : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(a_record_that_a_full_disk_cut_off_spoils_no_later_one)
{
	struct cairn_state_file f;
	begin();
	for (off_t room = 1; room < 16 + BYTES; room++) {
		uint8_t bytes[BYTES];
		restore();
		ck_assert_int_eq(ftruncate(fd, (off_t)HEAD + 2 * (16 + BYTES)), 0);
		ck_assert(reopen(&f));
		memset(bytes, 3, sizeof(bytes));
		room_until((off_t)HEAD + 2 * (16 + BYTES) + room);
		bool added = cairn_state_add(&f, 2, bytes);
		int why = errno;
		room_until(0);
		ck_assert(!added);
		ck_assert_int_eq(why, EFBIG);
		for (uint64_t i = 3; i < COUNT; i++) {
			memset(bytes, (int)i + 1, sizeof(bytes));
			ck_assert(cairn_state_add(&f, i, bytes));
		}
		cairn_state_close(&f);
		ck_assert(reopen(&f));
		ck_assert_int_eq(kept, COUNT - 1);
		ck_assert_int_eq(wrong, 0);
		ck_assert_uint_eq(f.damaged, 0);
		cairn_state_close(&f);
	}
	end();
}
END_TEST

START_TEST(records_that_cannot_be_moved_together_are_left_where_they_are)
{
	struct cairn_state_file f;
	struct stat st;
	begin();
	uint8_t flipped = whole[HEAD + 20] ^ 1U; /* in the first record */
	ck_assert_int_eq(pwrite(fd, &flipped, 1, HEAD + 20), 1);
	room_until((off_t)HEAD);
	bool opened = reopen(&f);
	room_until(0);
	ck_assert(!opened);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, whole_bytes);
	ck_assert(reopen(&f));
	ck_assert_int_eq(kept, COUNT - 1);
	ck_assert_int_eq(wrong, 0);
	cairn_state_close(&f);
	end();
}
END_TEST

START_TEST(links_fifos_and_folders_are_refused_and_left_as_they_are)
{
	char name[64], target[64];
	struct cairn_state_file f;
	struct stat st;
	begin();
	snprintf(name, sizeof(name), "%s.other", path);
	snprintf(target, sizeof(target), "%s", path);
	for (int kind = 0; kind < 3; kind++) {
		struct cairn_error err = {""};
		ck_assert_int_eq(kind == 0   ? symlink(target, name)
				 : kind == 1 ? mkfifo(name, 0600)
					     : mkdir(name, 0700),
		    0);
		ck_assert_msg(!cairn_state_open(&f, name, 77, COUNT, BYTES, take, NULL, &err),
		    "kind %d was taken", kind);
		ck_assert_ptr_nonnull(strstr(err.text, ".other: "));
		ck_assert_int_eq(lstat(name, &st), 0);
		ck_assert_int_eq(kind == 2 ? rmdir(name) : unlink(name), 0);
	}
	end();
}
END_TEST

CAIRN_TEST_MAIN("state_file", whatever_bit_is_flipped_only_that_record_is_lost,
    garbage_of_any_length_is_never_taken_for_work, a_record_that_was_cut_off_is_cut_off_the_file,
    a_number_beyond_the_work_is_no_record, a_record_that_a_full_disk_cut_off_spoils_no_later_one,
    records_that_cannot_be_moved_together_are_left_where_they_are,
    links_fifos_and_folders_are_refused_and_left_as_they_are)
