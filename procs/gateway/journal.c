#include "procs/gateway/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"

#define PART_BYTES_MAX (512u << 20)

/* The last whole line of text; NULL: there is none. */
static const char *last_line(const char *text, size_t bytes, size_t *ret_bytes, size_t *ret_whole)
{
	const char *end = memrchr(text, '\n', bytes);
	*ret_whole = end != NULL ? (size_t)(end - text) + 1 : 0;
	if (end == NULL)
		return NULL;
	const char *before = end > text ? memrchr(text, '\n', (size_t)(end - text)) : NULL;
	const char *start = before != NULL ? before + 1 : text;
	*ret_bytes = (size_t)(end - start);
	return start;
}

/* Moves *link to the end of this part. False when it does not end well; torn bytes at its end are cut off. */
static bool follow(const char *path, struct cairn_journal_link *link, struct cairn_error *err)
{
	size_t bytes = 0, length = 0, whole = 0;
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, PART_BYTES_MAX, &bytes, err);
	if (text == NULL)
		return errno == ENOENT;
	const char *line = last_line(text, bytes, &length, &whole);
	struct cairn_journal_link any = {.n = 0};
	bool good = line == NULL || cairn_journal_check_line(line, length, &any, err);
	if (good && line != NULL)
		*link = any;
	if (good && whole < bytes && truncate(path, (off_t)whole) != 0) {
		cairn_error_set(err, "%.200s: %s", path, strerror(errno));
		good = false;
	}
	free(text);
	return good;
}

bool journal_open(struct journal *j, const char *folder, double quota_bytes, struct cairn_error *err)
{
	char older[440], aside[440];
	*j = (struct journal){.part_bytes = (size_t)(quota_bytes / 2)};
	snprintf(j->path, sizeof(j->path), "%.390s/" CAIRN_JOURNAL_FILE, folder);
	snprintf(j->head, sizeof(j->head), "%.390s/" CAIRN_JOURNAL_HEAD, folder);
	snprintf(older, sizeof(older), "%s.1", j->path);
	snprintf(aside, sizeof(aside), "%s.damaged", j->path);
	if (follow(older, &j->link, err) && follow(j->path, &j->link, err))
		return true;
	j->link = (struct cairn_journal_link){.n = 0};
	(void)unlink(older);
	(void)rename(j->path, aside);
	(void)unlink(j->head);
	return false;
}

void journal_close(struct journal *j)
{
	cairn_text_free(&j->line);
	cairn_text_free(&j->text);
}

/* The record, then the head: in this order a kill between them is told from a record that was taken away. */
static bool append(struct journal *j, double unix_s, const char *kind, struct cairn_error *err)
{
	struct cairn_journal_link link = j->link;
	if (j->text.failed) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	cairn_text_clear(&j->line);
	cairn_journal_record(&j->line, &link, unix_s, kind, j->text.data);
	if (j->line.failed || j->line.len > CAIRN_JOURNAL_LINE_MAX) {
		cairn_error_set(err, "a record of %zu bytes is too long", j->line.len);
		return false;
	}
	if (!cairn_file_append(j->path, 0600, j->line.data, j->line.len, j->part_bytes, err))
		return false;
	j->link = link;
	cairn_text_clear(&j->line);
	cairn_journal_head(&j->line, &j->link);
	return cairn_file_replace(j->head, CAIRN_FILE_NO_SYNC, 0600, j->line.data, j->line.len, err);
}

static void add_hash(struct cairn_text *out, const char *name, const void *data, size_t bytes)
{
	char hex[CAIRN_SHA256_HEX];
	cairn_sha256_hex(data, bytes, hex);
	cairn_text_addf(out, ",\"%s\":\"%s\"", name, hex);
}

/* A line of the log is a JSON object with a newline. */
static void begin_entry(struct journal *j, const struct cairn_text *log_line)
{
	size_t n = log_line->len > 0 ? log_line->len - 1 : 0;
	cairn_text_clear(&j->text);
	cairn_text_add(&j->text, "\"entry\":");
	cairn_text_bytes(&j->text, log_line->data != NULL ? log_line->data : "", n);
}

bool journal_decision(struct journal *j, double unix_s, const struct cairn_text *log_line,
    const struct cairn_dialog_question *q, const char *system, struct cairn_error *err)
{
	struct cairn_text prompt = {0};
	begin_entry(j, log_line);
	cairn_text_add(&prompt, system != NULL ? system : "");
	cairn_text_add(&prompt, q->context != NULL ? q->context : "");
	add_hash(&j->text, "prompt_sha256", prompt.data != NULL ? prompt.data : "", prompt.len);
	add_hash(&j->text, "snapshot_sha256", q->parts, q->parts_bytes);
	if (q->pictures && q->head->jpeg_bytes > 0)
		add_hash(&j->text, "picture_sha256", q->parts + q->head->text_bytes, q->head->jpeg_bytes);
	j->text.failed |= prompt.failed;
	cairn_text_free(&prompt);
	return append(j, unix_s, "decision", err);
}

bool journal_result(
    struct journal *j, double unix_s, const struct cairn_text *log_line, struct cairn_error *err)
{
	begin_entry(j, log_line);
	return append(j, unix_s, "result", err);
}
