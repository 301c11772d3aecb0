/* cmd_logs.c - the stages' log files, merged by time (common/base/log_lines.h). */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/log.h"
#include "common/base/log_lines.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/robot_files.h"

#define FILES_MAX 64
#define TAIL_BYTES (1u << 20) /* of a file, at first and with each look for more */
#define FOLLOW_MS 200
#define FOLLOW_THERE_MS 1000 /* each look asks for every log */

struct log_file {
	char stage[64];
	char path[80];
	bool first;        /* nothing was read of it yet */
	uint64_t at, file; /* read up to there, of this file */
	double wall_s;     /* added to a time of its lines makes one on the wall; HUGE_VAL: not known */
	struct cairn_log_stamp stamp; /* of its newest line that has one */
};

/* The files of a listing, one name a line. */
static int find_files(const struct cli *cli, char *names, struct log_file *files)
{
	int count = 0;
	for (char *rest = names, *name; (name = strsep(&rest, "\n")) != NULL && count < FILES_MAX;) {
		size_t n = strlen(name);
		struct log_file *f = &files[count];
		if (n < 5 || n > 60 || strcmp(name + n - 4, ".log") != 0)
			continue;
		*f = (struct log_file){.stamp = {0.0, 'I'}, .first = true, .wall_s = HUGE_VAL};
		snprintf(f->stage, sizeof(f->stage), "%.*s", (int)(n - 4), name);
		if (cli->arg_count == 1 && strcmp(f->stage, cli->args[0]) != 0)
			continue;
		snprintf(f->path, sizeof(f->path), "logs/%.60s", name);
		count++;
	}
	return count;
}

/* What is new in the file: at first its end, later what was added, of a file that took its place everything. */
static bool read_new(
    struct robot_files *robot, struct log_file *f, struct robot_part *part, struct cairn_error *err)
{
	if (!robot_files_read(robot, f->path, f->at, f->first, TAIL_BYTES, part, err))
		return false;
	if (!f->first && (part->file != f->file || part->size < f->at)) {
		free(part->data);
		f->at = 0;
		if (!robot_files_read(robot, f->path, 0, false, TAIL_BYTES, part, err))
			return false;
	}
	f->file = part->file;
	f->at = part->at + part->bytes;
	return true;
}

/* Adds the new lines of the wanted levels; of them the last `keep` (0 = all). Half a line is read again with its end. */
static bool read_file(struct robot_files *robot, struct log_file *f, const char *letters, size_t keep,
    struct cairn_log_lines *lines, struct cairn_error *err)
{
	struct robot_part part;
	size_t first = lines->count;
	if (!read_new(robot, f, &part, err))
		return errno == ENOENT; /* a log that is just being rotated, or has no line yet */
	char *at = part.data, *end;
	if (f->first && part.at > 0 && (end = strchr(at, '\n')) != NULL)
		at = end + 1; /* the line that the tail begins in */
	f->first = false;
	for (; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		(void)cairn_log_stamp_parse(at, &f->stamp, NULL);
		if (strchr(letters, f->stamp.letter) != NULL &&
		    !cairn_log_lines_add(lines, f->stage, f->stamp, at))
			break;
	}
	f->at -= strlen(at);
	/* The file was written when its last line was: never before, and hardly later. */
	f->wall_s = fmin(f->wall_s, part.written_unix_s - f->stamp.t_s);
	for (size_t i = first; i < lines->count; i++)
		lines->items[i].wall_s = f->wall_s;
	free(part.data);
	if (keep > 0)
		cairn_log_lines_keep(lines, first, keep);
	return true;
}

static void print_json_line(const struct cairn_log_line *line)
{
	printf("{\"t_s\":%.3f,\"unix_s\":%.3f,\"stage\":", line->stamp.t_s, line->stamp.t_s + line->wall_s);
	cli_print_json_string(stdout, line->stage);
	printf(",\"level\":\"%s\",\"line\":", cairn_log_letter_name(line->stamp.letter));
	cli_print_json_string(stdout, line->text);
	printf("}\n");
}

/* "2171.185 W mapper ..." with the time as it is told everywhere else; lines without one stay as they are. */
static void print_line(struct cairn_log_line *line)
{
	char when[48];
	int at = 0;
	struct cairn_log_stamp stamp;
	cli_printable(line->text);
	if (!cairn_log_stamp_parse(line->text, &stamp, &at) || !isfinite(line->wall_s)) {
		puts(line->text);
		return;
	}
	cli_time_text(line->stamp.t_s + line->wall_s, when, sizeof(when));
	printf("%s %s\n", when, line->text + at);
}

static void print_lines(const struct cli *cli, struct cairn_log_lines *lines)
{
	cairn_log_lines_sort(lines);
	for (size_t i = 0; i < lines->count; i++) {
		if (cli->json)
			print_json_line(&lines->items[i]);
		else
			print_line(&lines->items[i]);
	}
	cairn_log_lines_clear(lines);
	fflush(stdout);
}

int cli_logs(const struct cli *cli)
{
	static struct log_file files[FILES_MAX];
	struct cairn_log_lines lines = {0};
	enum cairn_log_level level = CAIRN_LOG_DEBUG;
	struct robot_files robot;
	struct cairn_error err = {""};
	int count = 0;
	long keep = cli_count(cli, "lines", 20);
	const char *level_text = cli_value(cli, "level");
	if (keep < 0)
		return CLI_USAGE;
	if (level_text != NULL && !cairn_log_level_parse(level_text, &level))
		return cli_fail(
		    cli, CLI_USAGE, "--level: '%s' is not one of error, warn, info, debug", level_text);
	char letters[] = CAIRN_LOG_LETTERS;
	letters[level + 1] = '\0';
	int status = robot_files_open(cli, &robot);
	if (status != CLI_OK)
		return status;
	char *names = robot_files_list(&robot, "logs", &err);
	if (names == NULL)
		status = cli_fail(cli, errno == EACCES ? CLI_FAILED : CLI_ABSENT, "no logs: %s", err.text);
	else if ((count = find_files(cli, names, files)) == 0 && cli->arg_count == 1)
		status = cli_fail(cli, CLI_USAGE, "there is no log of '%s'", cli->args[0]);
	free(names);

	cli_catch_signals();
	for (bool first = true;
	     status == CLI_OK && (first || cli_value(cli, "follow") != NULL) && !cli_interrupted();
	     first = false) {
		if (!first)
			(void)poll(NULL, 0, cli->connect != NULL ? FOLLOW_THERE_MS : FOLLOW_MS);
		for (int i = 0; status == CLI_OK && i < count; i++)
			if (!read_file(&robot, &files[i], letters, first ? (size_t)keep : 0, &lines, &err))
				status = cli_fail(cli, CLI_FAILED, "%s", err.text);
		print_lines(cli, &lines);
	}
	robot_files_close(&robot);
	cairn_log_lines_free(&lines);
	return status;
}
