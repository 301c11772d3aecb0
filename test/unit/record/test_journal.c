/* The chain of the journal: whatever is done to it is found, and a write that was broken off breaks nothing. */
#include "common/record/journal.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

#define RECORDS 20

struct chain {
	struct cairn_text text, head;
	size_t ends[RECORDS + 1]; /* offset behind record i */
	struct cairn_text heads[RECORDS + 1];
	struct cairn_journal_link link;
};

static void write_chain(struct chain *c)
{
	*c = (struct chain){.ends = {0}};
	for (int i = 1; i <= RECORDS; i++) {
		char members[80];
		snprintf(members, sizeof(members), "\"id\":%d,\"why\":\"because\"", i);
		cairn_journal_record(
		    &c->text, &c->link, 1000.5 + i, i % 2 == 0 ? "result" : "decision", members);
		c->ends[i] = c->text.len;
		cairn_journal_head(&c->heads[i], &c->link);
	}
	c->head = c->heads[RECORDS];
}

static void free_chain(struct chain *c)
{
	cairn_text_free(&c->text);
	for (int i = 1; i <= RECORDS; i++)
		cairn_text_free(&c->heads[i]);
}

static struct cairn_journal_verdict check(const char *text, size_t bytes, const char *head)
{
	struct cairn_journal_verdict v;
	cairn_journal_check(text, bytes, head, &v);
	return v;
}

START_TEST(a_chain_that_nobody_touched_is_good)
{
	struct chain c;
	write_chain(&c);
	struct cairn_journal_verdict v = check(c.text.data, c.text.len, c.head.data);
	ck_assert_msg(v.good, "%s", v.why);
	ck_assert_uint_eq(v.records, RECORDS);
	ck_assert_uint_eq(v.first_n, 1);
	ck_assert_uint_eq(v.last_n, RECORDS);
	ck_assert(check("", 0, NULL).good); /* nothing was decided yet */
	/* The first line, its sum worked out with sha256sum. */
	static const char first[] =
	    "{\"n\":1,\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\","
	    "\"t\":1001.500,\"kind\":\"decision\",\"id\":1,\"why\":\"because\","
	    "\"sum\":\"7e07b091ab29c9c6f49c920241afd36d387ef6e89d9ef7460b556dc96102cbd7\"}\n";
	ck_assert_uint_eq(c.ends[1], sizeof(first) - 1);
	ck_assert_mem_eq(c.text.data, first, sizeof(first) - 1);
	free_chain(&c);
}
END_TEST

START_TEST(any_flipped_bit_of_journal_or_head_is_found)
{
	struct chain c;
	write_chain(&c);
	for (size_t i = 0; i < c.text.len; i++) {
		for (int bit = 0; bit < CAIRN_ROUNDS(8); bit++) {
			c.text.data[i] ^= (char)(1 << bit);
			bool good = check(c.text.data, c.text.len, c.head.data).good;
			c.text.data[i] ^= (char)(1 << bit);
			if (good)
				ck_abort_msg("bit %d of byte %zu", bit, i);
		}
	}
	for (size_t i = 0; i < c.head.len; i++) {
		c.head.data[i] ^= 1;
		bool good = check(c.text.data, c.text.len, c.head.data).good;
		c.head.data[i] ^= 1;
		ck_assert_msg(!good, "byte %zu of the head", i);
	}
	free_chain(&c);
}
END_TEST

START_TEST(a_record_that_was_taken_out_put_in_or_moved_is_found_and_named)
{
	struct chain c;
	write_chain(&c);
	char *text = malloc(2 * c.text.len);
	for (int i = 1; i <= RECORDS;
	     i++) { /* out, at every place; from the front it is one that made room */
		memcpy(text, c.text.data, c.ends[i - 1]);
		memcpy(text + c.ends[i - 1], c.text.data + c.ends[i], c.text.len - c.ends[i]);
		size_t bytes = c.text.len - (c.ends[i] - c.ends[i - 1]);
		struct cairn_journal_verdict v = check(text, bytes, c.head.data);
		char named[32];
		snprintf(named, sizeof(named), "record %d is missing", i);
		ck_assert_int_eq(v.good, i == 1);
		ck_assert_msg(i == 1 || strstr(v.why, named) != NULL, "%d: %s", i, v.why);
		ck_assert(i != 1 || v.first_n == 2);
	}
	/* The same record twice. */
	memcpy(text, c.text.data, c.ends[3]);
	memcpy(text + c.ends[3], c.text.data + c.ends[2], c.text.len - c.ends[2]);
	struct cairn_journal_verdict v = check(text, c.text.len + c.ends[3] - c.ends[2], c.head.data);
	ck_assert(!v.good);
	ck_assert_ptr_nonnull(strstr(v.why, "record 4"));
	free(text);
	free_chain(&c);
}
END_TEST

START_TEST(a_write_that_was_broken_off_anywhere_leaves_a_chain_good_to_its_last_whole_record)
{
	struct chain c;
	write_chain(&c);
	for (int i = 2; i <= RECORDS; i++) {
		for (size_t end = c.ends[i - 1]; end <= c.ends[i]; end++) {
			/* The head is written after the record. */
			struct cairn_journal_verdict v = check(c.text.data, end, c.heads[i - 1].data);
			if (!v.good)
				ck_abort_msg("%zu: %s", end, v.why);
			ck_assert_uint_eq(v.last_n, end == c.ends[i] ? (uint64_t)i : (uint64_t)i - 1);
			ck_assert_uint_eq(v.torn_bytes, end == c.ends[i] ? 0 : end - c.ends[i - 1]);
		}
	}
	/* But not when the head tells of a record that was whole. */
	ck_assert(!check(c.text.data, c.text.len - 1, c.head.data).good);
	ck_assert(!check(c.text.data, c.text.len, NULL).good);
	ck_assert(check(c.text.data, c.ends[1], NULL).good);
	free_chain(&c);
}
END_TEST

CAIRN_TEST_MAIN("journal", a_chain_that_nobody_touched_is_good, any_flipped_bit_of_journal_or_head_is_found,
    a_record_that_was_taken_out_put_in_or_moved_is_found_and_named,
    a_write_that_was_broken_off_anywhere_leaves_a_chain_good_to_its_last_whole_record)
