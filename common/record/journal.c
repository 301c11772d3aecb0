#include "common/record/journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define SUM_TAIL_BYTES (sizeof(",\"sum\":\"\"}") - 1 + CAIRN_SHA256_HEX - 1)

static const char *sum_of(const struct cairn_journal_link *link)
{
	return link->sum[0] != '\0' ? link->sum : ZEROS;
}

void cairn_journal_record(struct cairn_text *out, struct cairn_journal_link *link, double unix_s,
    const char *kind, const char *members)
{
	size_t from = out->len;
	cairn_text_addf(out, "{\"n\":%" PRIu64 ",\"prev\":\"%s\",\"t\":%.3f,\"kind\":\"%s\"%s%s", link->n + 1,
	    sum_of(link), unix_s, kind, members[0] != '\0' ? "," : "", members);
	if (out->failed)
		return;
	link->n++;
	cairn_sha256_hex(out->data + from, out->len - from, link->sum);
	cairn_text_addf(out, ",\"sum\":\"%s\"}\n", link->sum);
}

void cairn_journal_head(struct cairn_text *out, const struct cairn_journal_link *link)
{
	cairn_text_addf(out, "{\"n\":%" PRIu64 ",\"sum\":\"%s\"}\n", link->n, sum_of(link));
}

bool cairn_journal_head_read(const char *text, struct cairn_journal_link *ret)
{
	struct cairn_text again = {0};
	*ret = (struct cairn_journal_link){.n = 0};
	bool good = sscanf(text, "{\"n\":%" SCNu64 ",\"sum\":\"%64[0-9a-f]\"}", &ret->n, ret->sum) == 2;
	if (good) { /* and nothing else is in it */
		cairn_journal_head(&again, ret);
		good = !again.failed && strcmp(again.data, text) == 0;
	}
	cairn_text_free(&again);
	return good;
}

bool cairn_journal_check_line(
    const char *line, size_t bytes, struct cairn_journal_link *link, struct cairn_error *err)
{
	struct cairn_journal_link next = {.n = 0};
	char prev[CAIRN_SHA256_HEX] = "", tail[SUM_TAIL_BYTES + 1], head[160];
	uint64_t expected = link->n + 1;
	bool first = link->n == 0 && link->sum[0] == '\0';
	if (bytes <= SUM_TAIL_BYTES) {
		cairn_error_set(err, "record %" PRIu64 " is no record", expected);
		return false;
	}
	cairn_sha256_hex(line, bytes - SUM_TAIL_BYTES, next.sum);
	snprintf(tail, sizeof(tail), ",\"sum\":\"%s\"}", next.sum);
	snprintf(head, sizeof(head), "%.*s", (int)(bytes < sizeof(head) ? bytes : sizeof(head) - 1), line);
	if (memcmp(line + bytes - SUM_TAIL_BYTES, tail, SUM_TAIL_BYTES) != 0 ||
	    sscanf(head, "{\"n\":%" SCNu64 ",\"prev\":\"%64[0-9a-f]\"", &next.n, prev) != 2) {
		cairn_error_set(
		    err, "record %" PRIu64 " was changed: its sum is not that of its bytes", expected);
		return false;
	}
	if (!first && next.n != expected) {
		cairn_error_set(err, "record %" PRIu64 " is missing: record %" PRIu64 " stands in its place",
		    expected, next.n);
		return false;
	}
	if (!first && strcmp(prev, sum_of(link)) != 0) {
		cairn_error_set(err, "record %" PRIu64 " does not follow the one before it", expected);
		return false;
	}
	*link = next;
	return true;
}

/* What the head says of the end. */
static bool check_head(const char *head, const struct cairn_journal_link *end,
    const struct cairn_journal_link *before_end, struct cairn_journal_verdict *ret)
{
	struct cairn_journal_link sealed;
	if (head == NULL && end->n <= 1)
		return true; /* ended between the first record and its head */
	if (head == NULL || !cairn_journal_head_read(head, &sealed)) {
		snprintf(ret->why, sizeof(ret->why),
		    "%s: whether records are missing at the end cannot be told",
		    head == NULL ? CAIRN_JOURNAL_HEAD " is missing" : CAIRN_JOURNAL_HEAD " is damaged");
		return false;
	}
	bool same = sealed.n == end->n && strcmp(sealed.sum, sum_of(end)) == 0;
	/* The process may have ended between a record and its head. */
	bool one_less = sealed.n + 1 == end->n && strcmp(sealed.sum, sum_of(before_end)) == 0;
	if (!same && !one_less)
		snprintf(ret->why, sizeof(ret->why),
		    sealed.n > end->n ? "record %" PRIu64 " is missing at the end"
				      : "record %" PRIu64 " is not the one that was sealed",
		    sealed.n > end->n ? end->n + 1 : sealed.n);
	return same || one_less;
}

void cairn_journal_check(const char *text, size_t bytes, const char *head, struct cairn_journal_verdict *ret)
{
	struct cairn_journal_link link = {.n = 0}, before = {.n = 0};
	struct cairn_error err = {""};
	*ret = (struct cairn_journal_verdict){.good = true};
	while (bytes > 0) {
		const char *newline = memchr(text, '\n', bytes);
		if (newline == NULL) {
			ret->torn_bytes = bytes;
			break;
		}
		size_t n = (size_t)(newline - text);
		before = link;
		if (!cairn_journal_check_line(text, n, &link, &err)) {
			ret->good = false;
			snprintf(ret->why, sizeof(ret->why), "%.250s", err.text);
			return;
		}
		ret->first_n = ret->records++ == 0 ? link.n : ret->first_n;
		ret->last_n = link.n;
		text += n + 1;
		bytes -= n + 1;
	}
	if (ret->records > 0 || head != NULL)
		ret->good = check_head(head, &link, &before, ret);
}
