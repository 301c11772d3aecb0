/* The journal as files: it continues over restarts, keeps its quota, and a kill at any byte of a write breaks nothing. */
#include "procs/gateway/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "test/support/runner.h"

static char folder[64];

static void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/cairn-journal-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static char *content(const char *name, size_t *bytes)
{
	char path[128];
	struct cairn_error err;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	*bytes = 0;
	return cairn_file_read(path, 0, 64 << 20, bytes, &err);
}

static void put(const char *name, const char *data, size_t bytes)
{
	char path[128];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	ck_assert_msg(cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0600, data, bytes, &err), "%s", err.text);
}

static void remove_folder(void)
{
	static const char *const names[] = {
	    "journal.jsonl", "journal.jsonl.1", "journal.head", "journal.jsonl.damaged"};
	char path[128];
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		(void)unlink(path);
	}
	ck_assert_int_eq(rmdir(folder), 0);
}

/* A decision and its result. */
static void decide(struct journal *j, int id)
{
	static const struct cairn_snapshot_head head = {.text_bytes = 4, .jpeg_bytes = 4};
	const struct cairn_dialog_question q = {
	    .head = &head, .parts = "textJPEG", .parts_bytes = 8, .pictures = true, .context = "where"};
	struct cairn_text line = {0};
	struct cairn_error err = {""};
	cairn_text_addf(&line, "{\"t\":%d.5,\"id\":%d}\n", id, id);
	ck_assert_msg(journal_decision(j, id, &line, &q, "system", &err), "%s", err.text);
	cairn_text_clear(&line);
	cairn_text_addf(&line, "{\"t\":%d.9,\"result_of\":%d}\n", id, id);
	ck_assert_msg(journal_result(j, id, &line, &err), "%s", err.text);
	cairn_text_free(&line);
}

static struct cairn_journal_verdict verdict(void)
{
	struct cairn_journal_verdict v;
	size_t old_bytes, bytes, head_bytes;
	char *old = content("journal.jsonl.1", &old_bytes), *now = content("journal.jsonl", &bytes),
	     *head = content("journal.head", &head_bytes);
	char *all = malloc(old_bytes + bytes + 1);
	if (old != NULL)
		memcpy(all, old, old_bytes);
	if (now != NULL)
		memcpy(all + old_bytes, now, bytes);
	cairn_journal_check(all, old_bytes + bytes, head, &v);
	free(old);
	free(now);
	free(head);
	free(all);
	return v;
}

START_TEST(the_chain_continues_over_restarts_and_files_within_its_quota)
{
	struct journal j;
	struct cairn_error err = {""};
	struct stat st;
	char path[128];
	make_folder();
	for (int start = 0; start < 10; start++) {
		ck_assert_msg(journal_open(&j, folder, 8000.0, &err), "%s", err.text);
		for (int i = 1; i <= 4; i++)
			decide(&j, 10 * start + i);
		journal_close(&j);
	}
	struct cairn_journal_verdict v = verdict();
	ck_assert_msg(v.good, "%s", v.why);
	ck_assert_uint_eq(v.last_n, 80);
	ck_assert_uint_gt(v.first_n, 1); /* the oldest made room */
	ck_assert_uint_eq(v.records, v.last_n - v.first_n + 1);
	snprintf(path, sizeof(path), "%s/journal.jsonl.1", folder);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_le(st.st_size, 4000);
	size_t bytes;
	char *text = content("journal.jsonl", &bytes);
	/* SHA-256 of "JPEG", by sha256sum */
	ck_assert_ptr_nonnull(strstr(
	    text, "\"picture_sha256\":\"f4dc1c96a30fbdeb2a15cb6d4229469fff36c0266dc0c346599093c24d4c0a01\""));
	free(text);
	remove_folder();
}
END_TEST

START_TEST(a_kill_at_any_byte_of_a_write_leaves_a_chain_that_continues_after_its_last_whole_record)
{
	struct journal j;
	struct cairn_error err = {""};
	size_t before, after, head_bytes;
	make_folder();
	ck_assert(journal_open(&j, folder, 1e6, &err));
	decide(&j, 1);
	char *first = content("journal.jsonl", &before), *head = content("journal.head", &head_bytes);
	decide(&j, 2);
	journal_close(&j);
	char *whole = content("journal.jsonl", &after);
	const char *end = memchr(whole + before, '\n', after - before);
	size_t record = (size_t)(end - whole) + 1 - before;
	for (size_t written = 0; written <= record; written++) {
		put("journal.jsonl", whole, before + written);
		put("journal.head", head, head_bytes);
		struct cairn_journal_verdict v = verdict();
		ck_assert_msg(v.good, "%zu: %s", written, v.why);
		ck_assert_uint_eq(v.last_n, written == record ? 3 : 2);
		if (written % 16 != 0 && written != record)
			continue;
		ck_assert_msg(journal_open(&j, folder, 1e6, &err), "%s", err.text);
		decide(&j, 3);
		journal_close(&j);
		v = verdict();
		ck_assert_msg(v.good, "%zu: %s", written, v.why);
		ck_assert_uint_eq(v.last_n, written == record ? 5 : 4);
		ck_assert_uint_eq(v.torn_bytes, 0);
	}
	free(first);
	free(head);
	free(whole);
	remove_folder();
}
END_TEST

START_TEST(a_journal_that_was_changed_at_its_end_is_put_aside_and_a_new_one_is_begun)
{
	struct journal j;
	struct cairn_error err = {""};
	size_t bytes;
	make_folder();
	ck_assert(journal_open(&j, folder, 1e6, &err));
	decide(&j, 1);
	journal_close(&j);
	char *text = content("journal.jsonl", &bytes);
	text[bytes - 80] ^= 1;
	put("journal.jsonl", text, bytes);
	free(text);
	ck_assert(!journal_open(&j, folder, 1e6, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "was changed"));
	decide(&j, 2);
	journal_close(&j);
	struct cairn_journal_verdict v = verdict();
	ck_assert_msg(v.good, "%s", v.why);
	ck_assert_uint_eq(v.first_n, 1);
	text = content("journal.jsonl.damaged", &bytes);
	ck_assert_ptr_nonnull(text);
	free(text);
	remove_folder();
}
END_TEST

CAIRN_TEST_MAIN("gateway-journal", the_chain_continues_over_restarts_and_files_within_its_quota,
    a_kill_at_any_byte_of_a_write_leaves_a_chain_that_continues_after_its_last_whole_record,
    a_journal_that_was_changed_at_its_end_is_put_aside_and_a_new_one_is_begun)
