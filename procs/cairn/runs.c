#include "procs/cairn/runs.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/sequencer/mission_store.h"
#include "procs/cairn/folder.h"

#define SUMMARY_FILE "summary.json"
#define SUMMARY_BYTES_MAX (1u << 20)
#define LINE_BYTES_MAX (1u << 20)
#define SAME_SECOND_MAX 100

/* What a run leaves. The log of decisions is the last, so that a move that was cut off is gone on with. */
static const char *const left[] = {"commands.jsonl", "commands.jsonl.1", "refused.jsonl", "refused.jsonl.1",
    "agent.json", "sent", SUMMARY_FILE, "decisions.jsonl.1", "decisions.jsonl", "journal.jsonl.damaged",
    "journal.jsonl.1", "journal.jsonl", "journal.head", RUNS_BEGUN_FILE};
#define LEFT_COUNT (sizeof(left) / sizeof(left[0]))

static bool is_there(const char *folder, const char *name)
{
	char path[RUNS_PATH_BYTES + 32];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return lstat(path, &st) == 0;
}

static json_t *read_json(const char *folder, const char *name)
{
	char path[RUNS_PATH_BYTES + 32];
	size_t bytes = 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	char *text = cairn_file_read(path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, SUMMARY_BYTES_MAX, &bytes, NULL);
	json_t *ret = text != NULL ? json_loadb(text, bytes, 0, NULL) : NULL;
	free(text);
	return ret;
}

/* As the run itself wrote, or where it could not, when its decisions were last written. */
static double started_unix_s(const char *folder)
{
	json_t *begun = read_json(folder, RUNS_BEGUN_FILE);
	double t_s = json_number_value(json_object_get(begun, "started_unix_s"));
	char path[RUNS_PATH_BYTES + 32];
	struct stat st;
	json_decref(begun);
	snprintf(path, sizeof(path), "%s/decisions.jsonl", folder);
	return t_s > 0.0 ? t_s : lstat(path, &st) == 0 ? (double)st.st_mtime : 0.0;
}

bool runs_begin(const char *state_dir, double unix_s, struct cairn_error *err)
{
	char path[RUNS_PATH_BYTES], text[64];
	snprintf(path, sizeof(path), "%s/" RUNS_BEGUN_FILE, state_dir);
	int n = snprintf(text, sizeof(text), "{\"started_unix_s\":%.3f}\n", unix_s);
	return cairn_file_replace(path, 0, 0644, text, (size_t)n, err);
}

/* ---- setting aside ---- */

/* STATE/runs/NAME, made; two runs of one second get a number. */
static bool make_folder(const char *state_dir, char path[RUNS_PATH_BYTES], struct cairn_error *err)
{
	char name[RUNS_NAME_BYTES], runs[RUNS_PATH_BYTES];
	snprintf(runs, sizeof(runs), "%s/runs", state_dir);
	folder_time_name(started_unix_s(state_dir), 0, name, sizeof(name));
	bool made = mkdir(runs, 0700) == 0 || errno == EEXIST;
	for (int i = 0; made && i < SAME_SECOND_MAX; i++) {
		char number[8] = "";
		if (i > 0)
			snprintf(number, sizeof(number), ".%d", i);
		if (snprintf(path, RUNS_PATH_BYTES, "%s/%s%s", runs, name, number) >= RUNS_PATH_BYTES)
			break;
		if (mkdir(path, 0700) == 0)
			return true;
		made = errno == EEXIST;
	}
	cairn_error_set(err, "%s: %s", runs, strerror(errno));
	return false;
}

static void thin_out(const char *state_dir, double quota_bytes)
{
	char runs[RUNS_PATH_BYTES];
	struct dirent **list;
	double sum = 0.0;
	snprintf(runs, sizeof(runs), "%s/runs", state_dir);
	for (int i = folder_list(runs, &list); i-- > 0; free(list[i])) {
		char path[RUNS_PATH_BYTES + 260];
		snprintf(path, sizeof(path), "%s/%s", runs, list[i]->d_name);
		sum += folder_bytes(path);
		if (sum > quota_bytes)
			folder_remove(path);
	}
	free(list);
}

bool runs_set_aside(const char *state_dir, double quota_bytes, struct cairn_error *err)
{
	char folder[RUNS_PATH_BYTES] = "", mission[RUNS_PATH_BYTES];
	snprintf(mission, sizeof(mission), "%s/" CAIRN_MISSION_FILE_NAME, state_dir);
	(void)unlink(mission);
	bool ok = true, any = is_there(state_dir, "decisions.jsonl") || is_there(state_dir, "commands.jsonl");
	if (any && quota_bytes > 0.0)
		ok = make_folder(state_dir, folder, err);
	for (size_t i = 0; ok && i < LEFT_COUNT; i++) {
		char from[RUNS_PATH_BYTES], to[RUNS_PATH_BYTES + 32];
		snprintf(from, sizeof(from), "%s/%s", state_dir, left[i]);
		snprintf(to, sizeof(to), "%s/%s", folder, left[i]);
		if (folder[0] == '\0') {
			folder_remove(from); /* nothing was decided, or nothing is to be kept */
			(void)unlink(from);
		} else if (rename(from, to) != 0 && errno != ENOENT) {
			cairn_error_set(err, "%s: %s", from, strerror(errno));
			ok = false;
		}
	}
	thin_out(state_dir, quota_bytes);
	return ok;
}

/* ---- looking back ---- */

bool runs_find(const char *state_dir, const char *name, char path[RUNS_PATH_BYTES], struct cairn_error *err)
{
	char runs[RUNS_PATH_BYTES];
	struct dirent **list;
	const char *found = NULL;
	int fitting = 0;
	if (name == NULL)
		return snprintf(path, RUNS_PATH_BYTES, "%s", state_dir) < RUNS_PATH_BYTES;
	snprintf(runs, sizeof(runs), "%s/runs", state_dir);
	int count = folder_list(runs, &list);
	for (int i = 0; i < count; i++) {
		bool exact = strcmp(list[i]->d_name, name) == 0;
		if (!exact && strcmp(name, "last") != 0 && strncmp(list[i]->d_name, name, strlen(name)) != 0)
			continue;
		fitting = exact || strcmp(name, "last") == 0 ? 1 : fitting + 1;
		found = list[i]->d_name;
		if (exact)
			break;
	}
	bool ok = fitting == 1 && name[0] != '\0' &&
		  snprintf(path, RUNS_PATH_BYTES, "%s/%s", runs, found) < RUNS_PATH_BYTES;
	if (!ok)
		cairn_error_set(err,
		    "--of %.40s: %s (%d are kept); 'cairn runs' lists them, and without --of it is the "
		    "newest",
		    name, fitting > 1 ? "fits more than one earlier run" : "no such earlier run is kept",
		    count);
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
	return ok;
}

static unsigned long count_decisions(const char *folder, const char *name)
{
	char path[RUNS_PATH_BYTES + 32], *line = NULL;
	unsigned long n = 0;
	size_t cap = 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *in = cairn_file_stream(path, CAIRN_FILE_OWN, NULL);
	while (in != NULL && cairn_file_line(in, &line, &cap, LINE_BYTES_MAX) > 0)
		n += strstr(line, ",\"result_of\":") == NULL; /* a quote within a text would be escaped */
	free(line);
	if (in != NULL)
		fclose(in);
	return n;
}

static void fill_row(struct runs_row *row, const char *folder, const char *name)
{
	json_t *summary = read_json(folder, SUMMARY_FILE);
	const char *ended = json_string_value(json_object_get(summary, "end_reason"));
	*row = (struct runs_row){.started_unix_s = started_unix_s(folder), .duration_s = -1.0};
	snprintf(row->name, sizeof(row->name), "%s", name);
	if (summary != NULL)
		row->duration_s = json_number_value(json_object_get(summary, "duration_s"));
	row->passed = json_is_true(json_object_get(summary, "passed"));
	snprintf(row->ended, sizeof(row->ended), "%s", ended != NULL ? ended : "");
	row->decisions =
	    count_decisions(folder, "decisions.jsonl") + count_decisions(folder, "decisions.jsonl.1");
	for (size_t i = 0; i < LEFT_COUNT; i++) {
		char path[RUNS_PATH_BYTES + 32];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", folder, left[i]);
		if (lstat(path, &st) == 0)
			row->bytes += S_ISDIR(st.st_mode) ? folder_bytes(path) : (double)st.st_size;
	}
	json_decref(summary);
}

int runs_list(const char *state_dir, struct runs_row **ret_rows, struct cairn_error *err)
{
	char runs[RUNS_PATH_BYTES], path[RUNS_PATH_BYTES + 260];
	struct dirent **list;
	snprintf(runs, sizeof(runs), "%s/runs", state_dir);
	int count = folder_list(runs, &list);
	struct runs_row *rows = calloc((size_t)count + 1, sizeof(*rows));
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", runs, list[i]->d_name);
		if (rows != NULL)
			fill_row(&rows[i], path, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	if (rows == NULL)
		cairn_error_set(err, "out of memory");
	else if (is_there(state_dir, RUNS_BEGUN_FILE) || is_there(state_dir, "decisions.jsonl"))
		fill_row(&rows[count++], state_dir, "");
	*ret_rows = rows;
	return rows != NULL ? count : -1;
}
