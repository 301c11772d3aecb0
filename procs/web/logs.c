/* logs.c - the stages' log files (common/base/log_lines.h): followed while somebody reads them, and their newest lines. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/log_lines.h"
#include "common/base/text.h"
#include "procs/web/web.h"

#define FILES_MAX 64
#define LINE_MAX_BYTES 1024
#define TAIL_BYTES (256L * 1024) /* of one file, for its newest lines */
#define LINES_MAX 200            /* of all files in one message */

struct log_file {
	char stage[48], path[400];
	FILE *file;
	ino_t inode;
	struct cairn_log_stamp stamp; /* of its newest line that has one */
};

struct web_logs {
	struct log_file files[FILES_MAX];
	int count;
	struct cairn_log_lines lines;
};

/* Adds the files that are new in RUN/logs. */
static void find_files(struct web *web, struct web_logs *logs)
{
	char dir[300];
	snprintf(dir, sizeof(dir), "%s/logs", cairn_stage_run_dir(web->stage));
	DIR *folder = opendir(dir);
	struct dirent *entry;
	while (folder != NULL && (entry = readdir(folder)) != NULL && logs->count < FILES_MAX) {
		size_t n = strlen(entry->d_name);
		struct log_file *f = &logs->files[logs->count];
		bool known = n < 5 || n > sizeof(f->stage) || strcmp(entry->d_name + n - 4, ".log") != 0;
		for (int i = 0; i < logs->count && !known; i++)
			known = strncmp(logs->files[i].stage, entry->d_name, n - 4) == 0 &&
				logs->files[i].stage[n - 4] == '\0';
		if (known)
			continue;
		*f = (struct log_file){.stamp = {0.0, 'I'}};
		snprintf(f->stage, sizeof(f->stage), "%.*s", (int)(n - 4), entry->d_name);
		snprintf(f->path, sizeof(f->path), "%s/%.60s", dir, entry->d_name);
		logs->count++;
	}
	if (folder != NULL)
		closedir(folder);
}

/* Opens it, or opens it anew when it was rotated away. tail: how much of its end is of interest. */
static bool reopen(struct log_file *f, long tail)
{
	struct stat st;
	if (stat(f->path, &st) != 0)
		return f->file != NULL;
	if (f->file != NULL && st.st_ino == f->inode)
		return true;
	bool again = f->file != NULL;
	if (again)
		fclose(f->file);
	f->file = cairn_file_stream(f->path, 0, NULL);
	f->inode = st.st_ino;
	if (f->file != NULL && !again && st.st_size > tail) {
		(void)fseek(f->file, st.st_size - tail, SEEK_SET);
		if (tail > 0)
			for (int c = 0; c != '\n' && c != EOF;) /* up to a whole line */
				c = fgetc(f->file);
	}
	return f->file != NULL;
}

/* What is new in a file. */
static void read_new(struct log_file *f, struct cairn_log_lines *lines)
{
	char text[LINE_MAX_BYTES];
	clearerr(f->file);
	for (;;) {
		long at = ftell(f->file);
		if (fgets(text, sizeof(text), f->file) == NULL)
			return;
		size_t n = strcspn(text, "\n");
		if (text[n] != '\n' && n + 1 < sizeof(text)) {
			(void)fseek(f->file, at, SEEK_SET); /* half a line: its end is still to come */
			return;
		}
		text[n] = '\0';
		(void)cairn_log_stamp_parse(text, &f->stamp, NULL);
		if (!cairn_log_lines_add(lines, f->stage, f->stamp, text))
			return;
	}
}

static void add_json(struct cairn_text *t, const struct cairn_log_line *line, double offset_s)
{
	double wall_s = line->stamp.t_s + offset_s;
	time_t whole = (time_t)wall_s;
	struct tm tm;
	char when[32] = "";
	if (gmtime_r(&whole, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	cairn_text_addf(t, "{\"t\":\"%s.%03dZ\",\"stage\":", when, (int)((wall_s - (double)whole) * 1e3));
	cairn_text_json_string(t, line->stage);
	cairn_text_addf(t, ",\"level\":\"%s\",\"text\":", cairn_log_letter_name(line->stamp.letter));
	cairn_text_json_string(t, line->text);
	cairn_text_add(t, "}");
}

/* The newest `last` lines as a list; all lines are freed. */
static void write_json(
    const struct web *web, struct cairn_text *t, struct cairn_log_lines *lines, size_t last)
{
	double offset_s = (double)web->clock_offset_ns * 1e-9;
	cairn_log_lines_sort(lines);
	size_t skip = lines->count > last ? lines->count - last : 0;
	cairn_text_add(t, "[");
	for (size_t i = 0; i < lines->count; i++) {
		if (i > skip)
			cairn_text_add(t, ",");
		if (i >= skip)
			add_json(t, &lines->items[i], offset_s);
	}
	cairn_text_add(t, "]");
	cairn_log_lines_clear(lines);
}

static void close_files(struct web_logs *logs)
{
	for (int i = 0; i < logs->count; i++) {
		if (logs->files[i].file != NULL)
			fclose(logs->files[i].file);
	}
	cairn_log_lines_free(&logs->lines);
	free(logs);
}

/* What is new in all files goes out as one message. */
int logs_on_tick(void *ctx)
{
	struct web *web = ctx;
	struct web_logs *logs = web->logs;
	struct cairn_text t = {0};
	if (logs == NULL)
		return 0;
	find_files(web, logs);
	for (int i = 0; i < logs->count; i++) {
		if (reopen(&logs->files[i], 0))
			read_new(&logs->files[i], &logs->lines);
	}
	if (logs->lines.count == 0)
		return 0;
	cairn_text_add(&t, "{\"op\":\"log\",\"lines\":");
	write_json(web, &t, &logs->lines, LINES_MAX);
	cairn_text_add(&t, "}");
	if (!t.failed)
		hub_put(web, hub_slot(web, "logs"), t.data, t.len);
	cairn_text_free(&t);
	return 0;
}

void logs_follow(struct web *web, bool on)
{
	if (!on && web->logs != NULL) {
		close_files(web->logs);
		web->logs = NULL;
	} else if (on && web->logs == NULL) {
		web->logs = calloc(1, sizeof(*web->logs));
		(void)logs_on_tick(web); /* opens them at their ends */
	}
}

struct web_blob *logs_newest(struct web *web, const char *stage, size_t last)
{
	struct web_logs *logs = calloc(1, sizeof(*logs));
	struct cairn_text t = {0};
	if (logs == NULL)
		return NULL;
	find_files(web, logs);
	for (int i = 0; i < logs->count; i++) {
		struct log_file *f = &logs->files[i];
		if ((stage[0] == '\0' || strcmp(stage, f->stage) == 0) && reopen(f, TAIL_BYTES))
			read_new(f, &logs->lines);
	}
	write_json(web, &t, &logs->lines, last);
	cairn_text_add(&t, "\n");
	close_files(logs);
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return blob;
}
