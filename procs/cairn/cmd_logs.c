/* cmd_logs.c - the stages' log files, merged by time.
 *
 * A line is "12.345 W mapper grid.c:88 text"; what does not look like that (a library's cry, a sanitizer's
 * report) belongs to the line before it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/log.h"
#include "procs/cairn/commands.h"

#define FILES_MAX 64
#define LINE_BYTES_MAX 65536 /* a stage's log has shorter ones */
#define FOLLOW_MS 200

struct log_file {
	char stage[64];
	char path[CLI_RUN_DIR_MAX + 128];
	FILE *file;
	ino_t inode;
	double t_s;  /* of its newest line with a time */
	char letter; /* level of that line */
};

struct log_line {
	double t_s;
	long order; /* lines of the same moment keep their order */
	char letter;
	const char *stage;
	char *text;
};

struct log_lines {
	struct log_line *items;
	size_t count, room;
};

static bool find_files(const struct cli *cli, struct log_file *files, int *ret_count)
{
	char dir[CLI_RUN_DIR_MAX + 8];
	snprintf(dir, sizeof(dir), "%s/logs", cli->run_dir);
	DIR *folder = opendir(dir);
	struct dirent *entry;
	*ret_count = 0;
	while (folder != NULL && (entry = readdir(folder)) != NULL && *ret_count < FILES_MAX) {
		size_t n = strlen(entry->d_name);
		struct log_file *f = &files[*ret_count];
		if (n < 5 || n > 60 || strcmp(entry->d_name + n - 4, ".log") != 0)
			continue;
		*f = (struct log_file){.letter = 'I'};
		snprintf(f->stage, sizeof(f->stage), "%.*s", (int)(n - 4), entry->d_name);
		if (cli->arg_count == 1 && strcmp(f->stage, cli->args[0]) != 0)
			continue;
		snprintf(f->path, sizeof(f->path), "%s/%.60s", dir, entry->d_name);
		(*ret_count)++;
	}
	if (folder != NULL)
		closedir(folder);
	return folder != NULL;
}

/* Opens the file, or opens it anew when it was rotated away. */
static void reopen(struct log_file *f)
{
	struct stat st;
	if (stat(f->path, &st) != 0 || (f->file != NULL && st.st_ino == f->inode))
		return;
	if (f->file != NULL)
		fclose(f->file);
	f->file = cairn_file_stream(f->path, CAIRN_FILE_OWN, NULL);
	f->inode = st.st_ino;
}

/* Time and level of a line; the values of the line before where it has none. */
static void parse_line(struct log_file *f, const char *text)
{
	double t_s;
	char letter, name[2];
	if (sscanf(text, "%lf %c %1s", &t_s, &letter, name) == 3 && strchr("EWID", letter) != NULL) {
		f->t_s = t_s;
		f->letter = letter;
	}
}

static bool add_line(struct log_lines *lines, struct log_file *f, const char *text)
{
	if (lines->count == lines->room) {
		size_t room = lines->room > 0 ? 2 * lines->room : 256;
		struct log_line *items = realloc(lines->items, room * sizeof(*items));
		if (items == NULL)
			return false;
		lines->items = items;
		lines->room = room;
	}
	char *copy = strdup(text);
	if (copy == NULL)
		return false;
	copy[strcspn(copy, "\n")] = '\0';
	lines->items[lines->count] = (struct log_line){f->t_s, (long)lines->count, f->letter, f->stage, copy};
	lines->count++;
	return true;
}

/* Reads what is new in a file; keeps the last `keep` lines of the wanted levels (0 = all). */
static void read_file(struct log_file *f, const char *letters, size_t keep, struct log_lines *lines)
{
	char *text = NULL;
	size_t room = 0, first = lines->count;
	ssize_t n;
	reopen(f);
	if (f->file == NULL)
		return;
	clearerr(f->file);
	long at = ftell(f->file);
	while ((n = cairn_file_line(f->file, &text, &room, LINE_BYTES_MAX)) > 0) {
		if (text[n - 1] != '\n') {
			(void)fseek(f->file, at, SEEK_SET); /* half a line: its end is still to come */
			break;
		}
		at += n;
		parse_line(f, text);
		if (strchr(letters, f->letter) != NULL && !add_line(lines, f, text))
			break;
	}
	free(text);
	size_t extra = keep > 0 && lines->count - first > keep ? lines->count - first - keep : 0;
	for (size_t i = 0; i < extra; i++)
		free(lines->items[first + i].text);
	if (extra > 0)
		memmove(lines->items + first, lines->items + first + extra, keep * sizeof(*lines->items));
	lines->count -= extra;
}

static int by_time(const void *a, const void *b)
{
	const struct log_line *x = a, *y = b;
	if (x->t_s < y->t_s || x->t_s > y->t_s)
		return x->t_s < y->t_s ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void print_json_line(const struct log_line *line)
{
	const char *const levels[] = {"error", "warn", "info", "debug"};
	const char *letters = "EWID", *found = strchr(letters, line->letter);
	printf("{\"t_s\":%.3f,\"stage\":", line->t_s);
	cli_print_json_string(stdout, line->stage);
	printf(",\"level\":\"%s\",\"line\":", levels[found != NULL ? found - letters : 2]);
	cli_print_json_string(stdout, line->text);
	printf("}\n");
}

static void print_lines(const struct cli *cli, struct log_lines *lines)
{
	if (lines->count > 1)
		qsort(lines->items, lines->count, sizeof(*lines->items), by_time);
	for (size_t i = 0; i < lines->count; i++) {
		if (cli->json)
			print_json_line(&lines->items[i]);
		else
			puts(cli_printable(lines->items[i].text));
		free(lines->items[i].text);
	}
	lines->count = 0;
	fflush(stdout);
}

int cli_logs(const struct cli *cli)
{
	static struct log_file files[FILES_MAX];
	struct log_lines lines = {NULL, 0, 0};
	enum cairn_log_level level = CAIRN_LOG_DEBUG;
	int count = 0;
	long keep = cli_count(cli, "lines", 20);
	const char *level_text = cli_value(cli, "level");
	if (keep < 0)
		return CLI_USAGE;
	if (level_text != NULL && !cairn_log_level_parse(level_text, &level))
		return cli_fail(
		    cli, CLI_USAGE, "--level: '%s' is not one of error, warn, info, debug", level_text);
	if (!find_files(cli, files, &count))
		return cli_fail(cli, CLI_ABSENT, "no logs in %s", cli->run_dir);
	if (count == 0 && cli->arg_count == 1)
		return cli_fail(
		    cli, CLI_USAGE, "there is no log of '%s' in %s/logs", cli->args[0], cli->run_dir);
	char letters[] = "EWID";
	letters[level + 1] = '\0';

	cli_catch_signals();
	for (int i = 0; i < count; i++)
		read_file(&files[i], letters, (size_t)keep, &lines);
	print_lines(cli, &lines);
	while (cli_value(cli, "follow") != NULL && !cli_interrupted()) {
		nanosleep(&(struct timespec){.tv_nsec = FOLLOW_MS * CAIRN_NS_PER_MS}, NULL);
		for (int i = 0; i < count; i++)
			read_file(&files[i], letters, 0, &lines);
		print_lines(cli, &lines);
	}
	for (int i = 0; i < count; i++) {
		if (files[i].file != NULL)
			fclose(files[i].file);
	}
	free(lines.items);
	return CLI_OK;
}
