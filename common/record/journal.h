/* journal.h - records that are chained by hashes: what was decided, from what, and what came of it.
 *
 * One JSON object a line: {"n":N,"prev":"...","t":unix s,"kind":"...",...,"sum":"..."}. sum is the SHA-256 of everything in front of it in
 * the line, prev is the sum of the record before (64 zeros before the first), so that a byte that was changed and a record that
 * was taken out or put in are found. A record that was taken from the end is found by the head, a small file beside the journal that is
 * replaced after each record: {"n":N,"sum":"..."}. This is no protection against somebody who writes the whole chain anew. Pure. */
#ifndef CAIRN_COMMON_RECORD_JOURNAL_H
#define CAIRN_COMMON_RECORD_JOURNAL_H

#include "common/base/error.h"
#include "common/base/sha256.h"
#include "common/base/text.h"

#define CAIRN_JOURNAL_FILE "journal.jsonl" /* in the state folder; the part before it has ".1" behind */
#define CAIRN_JOURNAL_HEAD "journal.head"
#define CAIRN_JOURNAL_LINE_MAX (256u << 10)

/* The end of a chain. All zero: an empty one. */
struct cairn_journal_link {
	uint64_t n;
	char sum[CAIRN_SHA256_HEX]; /* empty: before the first */
};

/* One line with its end, appended to out. members: JSON members, as in "\"a\":1,\"b\":2". The chain goes on from *link, which is moved
 * behind the record. */
void cairn_journal_record(struct cairn_text *out, struct cairn_journal_link *link, double unix_s,
    const char *kind, const char *members);
/* The head of a chain that ends there. */
void cairn_journal_head(struct cairn_text *out, const struct cairn_journal_link *link);
bool cairn_journal_head_read(const char *text, struct cairn_journal_link *ret);

/* One line without its end is the next record of the chain: *link is moved behind it. A link with n of 0 and no sum takes any record as the
 * first (its own sum is checked): older ones may have made room. False with the reason. */
bool cairn_journal_check_line(
    const char *line, size_t bytes, struct cairn_journal_link *link, struct cairn_error *err);

/* Verdict on a journal in memory: whole lines from first to last; what is behind the last newline was being written. */
struct cairn_journal_verdict {
	bool good;
	uint64_t records, first_n, last_n;
	size_t torn_bytes; /* of a record that was being written */
	char why[256];     /* names the first broken record; empty when good */
};
/* text: the part before (may be empty), then the present one, as one. head: text of the head file, NULL when there is none. */
void cairn_journal_check(const char *text, size_t bytes, const char *head, struct cairn_journal_verdict *ret);

#endif
