/* cmd_audit.c - is the journal of decisions as it was written; and why did the robot do that. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/file.h"
#include "common/record/journal.h"
#include "procs/cairn/audit.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/robot_files.h"
#include "procs/cairn/runs.h"

#define PART_BYTES_MAX (512u << 20)
#define PICTURE_BYTES_MAX (8u << 20)
#define NAME_BYTES (RUNS_PATH_BYTES + 64)
#define DAY_S 86400.0

struct audit {
	const struct cli *cli;
	char folder[RUNS_PATH_BYTES]; /* relative to the run directory */
	struct robot_files robot;
	char *text; /* both parts of the journal, the older first */
	size_t bytes;
	struct cairn_journal_verdict verdict;
	char said[400];
};

/* A file of the folder, appended to *text. False with errno when it cannot be read. */
static bool read_part(struct audit *a, const char *name, char **text, size_t *bytes, struct cairn_error *err)
{
	char path[NAME_BYTES];
	struct robot_part part;
	snprintf(path, sizeof(path), "%s/%s", a->folder, name);
	if (!robot_files_read(&a->robot, path, 0, false, PART_BYTES_MAX, &part, err))
		return false;
	char *grown = realloc(*text, *bytes + part.bytes + 1);
	if (grown == NULL) {
		free(part.data);
		errno = ENOMEM;
		return false;
	}
	memcpy(grown + *bytes, part.data, part.bytes);
	*text = grown;
	*bytes += part.bytes;
	grown[*bytes] = '\0';
	free(part.data);
	return true;
}

static int load(struct audit *a)
{
	struct cairn_error err = {""}, why = {""};
	char *head = NULL;
	size_t head_bytes = 0;
	if (!read_part(a, CAIRN_JOURNAL_FILE ".1", &a->text, &a->bytes, &err) && errno != ENOENT)
		return cli_fail(a->cli, CLI_FAILED, "%s", err.text);
	if (!read_part(a, CAIRN_JOURNAL_FILE, &a->text, &a->bytes, &err) &&
	    (errno != ENOENT || a->bytes == 0))
		return errno == ENOENT
			   ? cli_fail(a->cli, CLI_ABSENT, "nothing was decided yet: there is no journal")
			   : cli_fail(a->cli, CLI_FAILED, "%s", err.text);
	(void)read_part(a, CAIRN_JOURNAL_HEAD, &head, &head_bytes, &why);
	cairn_journal_check(a->text, a->bytes, head, &a->verdict);
	free(head);
	const struct cairn_journal_verdict *v = &a->verdict;
	int n = snprintf(a->said, sizeof(a->said), "%s, %llu records (%llu to %llu)%s%s",
	    v->good ? "unbroken" : "BROKEN", (unsigned long long)v->records, (unsigned long long)v->first_n,
	    (unsigned long long)v->last_n, v->why[0] != '\0' ? ": " : "", v->why);
	if (v->torn_bytes > 0 && n > 0 && (size_t)n < sizeof(a->said))
		snprintf(a->said + n, sizeof(a->said) - (size_t)n, "; the last write was broken off");
	return CLI_OK;
}

/* ---- finding ---- */

/* Unix time of a time of day, "14:03" or "14:03:22": the last one that is not behind `end` by more than a minute. False when it is none. */
static bool parse_clock(const char *text, double end_unix_s, double *ret)
{
	int h, m, s = 0, used = 0;
	struct tm day;
	time_t end = (time_t)end_unix_s;
	bool given = (sscanf(text, "%2d:%2d:%2d%n", &h, &m, &s, &used) == 3 && text[used] == '\0') ||
		     (sscanf(text, "%2d:%2d%n", &h, &m, &used) == 2 && text[used] == '\0');
	if (!given || h < 0 || h > 23 || m < 0 || m > 59 || s < 0 || s > 60 ||
	    localtime_r(&end, &day) == NULL)
		return false;
	day.tm_hour = h;
	day.tm_min = m;
	day.tm_sec = s;
	day.tm_isdst = -1;
	*ret = (double)mktime(&day) + 0.999; /* the whole of that second */
	if (*ret > end_unix_s + 60.0)
		*ret -= DAY_S;
	return true;
}

static double time_of(const json_t *record)
{
	return json_number_value(json_object_get(record, "t"));
}

/* Calls fn with each record that is good JSON, in order. */
static void each(const struct audit *a, void (*fn)(void *ctx, json_t *record), void *ctx)
{
	const char *at = a->text, *end = a->text + a->bytes;
	for (const char *newline; at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL;
	     at = newline + 1) {
		json_t *record = json_loadb(at, (size_t)(newline - at), 0, NULL);
		if (record != NULL)
			fn(ctx, record);
		json_decref(record);
	}
}

struct search {
	double last_s, until_s;
	long long id; /* 0: by time */
	json_t *decision, *result;
};

static void note_last(void *ctx, json_t *record)
{
	((struct search *)ctx)->last_s = time_of(record);
}

static long long id_of(const json_t *record, const char *key)
{
	return (long long)json_integer_value(json_object_get(json_object_get(record, "entry"), key));
}

static void find(void *ctx, json_t *record)
{
	struct search *s = ctx;
	bool decision = strcmp(json_string_value(json_object_get(record, "kind")) != NULL
				   ? json_string_value(json_object_get(record, "kind"))
				   : "",
			    "decision") == 0;
	if (decision && (s->id != 0 ? id_of(record, "id") == s->id : time_of(record) <= s->until_s)) {
		json_decref(s->decision);
		json_decref(s->result);
		s->decision = json_incref(record);
		s->result = NULL;
	} else if (!decision && s->decision != NULL &&
		   id_of(record, "result_of") == id_of(s->decision, "id")) {
		json_decref(s->result);
		s->result = json_incref(record);
	}
}

/* ---- showing ---- */

static unsigned char *picture_of(
    struct audit *a, long long id, const char *suffix, char name[NAME_BYTES], size_t *bytes)
{
	struct robot_part part;
	struct cairn_error err;
	snprintf(name, NAME_BYTES, "%s/sent/%lld%s.jpg", a->folder, id, suffix);
	if (!robot_files_read(&a->robot, name, 0, false, PICTURE_BYTES_MAX, &part, &err))
		return NULL;
	*bytes = part.bytes;
	return (unsigned char *)part.data;
}

static int show(struct audit *a, const struct search *s)
{
	char name[NAME_BYTES], other[NAME_BYTES], hex[CAIRN_SHA256_HEX] = "";
	const char *html = cli_value(a->cli, "html");
	long long id = id_of(s->decision, "id");
	struct audit_page page = {
	    .decision = s->decision, .result = s->result, .verdict = a->said, .picture_name = name};
	unsigned char *above = picture_of(a, id, "-above", other, &page.above_bytes),
		      *picture = picture_of(a, id, "", name, &page.picture_bytes);
	int status = a->verdict.good ? CLI_OK : CLI_FAILED;
	page.picture = picture;
	page.above = above;
	if (picture != NULL) {
		const char *sealed = json_string_value(json_object_get(s->decision, "picture_sha256"));
		cairn_sha256_hex(picture, page.picture_bytes, hex);
		page.picture_right = sealed != NULL && strcmp(sealed, hex) == 0;
		status = page.picture_right ? status : CLI_FAILED;
	}
	audit_text(&page, stdout);
	FILE *out = html != NULL ? fopen(html, "we") : NULL;
	if (out != NULL)
		audit_html(&page, out);
	if (html != NULL && (out == NULL || fclose(out) != 0))
		status = cli_fail(a->cli, CLI_FAILED, "%s: %s", html, strerror(errno));
	else if (html != NULL)
		printf("page: %s\n", html);
	free(picture);
	free(above);
	return status;
}

static int explain(struct audit *a, const char *what)
{
	struct search s = {.id = 0};
	char *end = NULL;
	each(a, note_last, &s);
	if (!parse_clock(what, s.last_s, &s.until_s)) {
		s.id = strtoll(what, &end, 10);
		if (end == what || *end != '\0' || s.id <= 0)
			return cli_fail(a->cli, CLI_USAGE,
			    "'%.40s' is neither a time of day (14:03:22) nor a decision's number", what);
	}
	each(a, find, &s);
	int status = s.decision != NULL ? show(a, &s)
					: cli_fail(a->cli, CLI_ABSENT, "the journal has no decision %s %.40s",
					      s.id != 0 ? "of number" : "at or before", what);
	json_decref(s.decision);
	json_decref(s.result);
	return status;
}

int cli_audit(const struct cli *cli)
{
	struct audit a = {.cli = cli};
	int status = runs_folder(cli, a.folder);
	if (status != CLI_OK || (status = robot_files_open(cli, &a.robot)) != CLI_OK)
		return status;
	status = load(&a);
	if (status == CLI_OK && cli->arg_count > 0) {
		status = explain(&a, cli->args[0]);
	} else if (status == CLI_OK) {
		printf("journal of decisions: %s\n", a.said);
		status = a.verdict.good ? CLI_OK : CLI_FAILED;
	}
	free(a.text);
	robot_files_close(&a.robot);
	return status;
}
