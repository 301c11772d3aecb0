/* cmd_look.c - what the model was given for a decision: the whole text and the pictures, as they were sent; or with --now what
 * it would be shown: the newest snapshot, to which frontiers, candidates, memory and last actions are added when a
 * question is asked. */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/percept/snapshot.h"
#include "common/vlm/prompt.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"
#include "procs/cairn/robot_files.h"
#include "procs/cairn/runs.h"

#define TIMEOUT_S 5.0
#define PATH_CAP 1024
#define TAIL_BYTES (256u << 10)
#define LOG_BYTES_MAX (64u << 20)
#define PICTURE_BYTES_MAX (8u << 20)
#define SNAPSHOT_BYTES_MAX (8u << 20)
#define SUFFIX "-above" /* of the second picture's file, in front of what follows the dot */

/* "a/b.jpg" makes "a/b-above.jpg", "a/b" makes "a/b-above". */
static void name_above(const char *out, char *path, size_t cap)
{
	const char *slash = strrchr(out, '/'), *name = slash != NULL ? slash + 1 : out;
	const char *dot = strrchr(name, '.');
	size_t stem = dot != NULL && dot != name ? (size_t)(dot - out) : strlen(out);
	snprintf(path, cap, "%.*s" SUFFIX "%s", (int)stem, out, out + stem);
}

/* False after a message. No data: nothing to do. */
static bool keep(const struct cli *cli, const char *path, const void *data, size_t bytes, const char *what)
{
	struct cairn_error err = {""};
	if (data == NULL)
		return true;
	if (!cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, data, bytes, &err)) {
		cli_fail(cli, CLI_FAILED, "%s", err.text);
		return false;
	}
	printf("%s: %s\n", what, path);
	return true;
}

/* The newest snapshot's text to standard output, its pictures to their files. */
static int look_now(const struct cli *cli, const char *out, const char *above)
{
	struct cairn_text payload = {0};
	struct cairn_snapshot s;
	struct cairn_error err = {""};
	const char *whole = cli_value(cli, "save");
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	cli_catch_signals();
	status = cli_read_frame(cli, CAIRN_FRAME_SNAPSHOT, TIMEOUT_S, SNAPSHOT_BYTES_MAX, &payload);
	if (status == CLI_OK && !cairn_snapshot_read(payload.data, payload.len, &s, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (status == CLI_OK) {
		struct cairn_text told = {0}; /* as the gateway sends it, not as the annotator writes it */
		cairn_prompt_add_view(&told, s.text, s.head.text_bytes);
		printf("%s", told.data != NULL ? told.data : "");
		cairn_text_free(&told);
		if (s.jpeg == NULL)
			fprintf(stderr, "cairn look: this snapshot has no picture of the camera\n");
		if (!keep(cli, out, s.jpeg, s.head.jpeg_bytes, "picture") ||
		    !keep(cli, above, s.view, s.head.view_bytes, "picture from above") ||
		    !keep(cli, whole, whole != NULL ? payload.data : NULL, payload.len, "snapshot"))
			status = CLI_FAILED;
	}
	cairn_text_free(&payload);
	return status;
}

/* ---- decisions ---- */

/* The last line of a decision, of this one where id is not 0; NULL when there is none. */
static json_t *find_line(char *text, unsigned long long id)
{
	for (char *end = text + strlen(text); end > text;) {
		*end = '\0';
		char *start = memrchr(text, '\n', (size_t)(end - text));
		char *line = start != NULL ? start + 1 : text;
		json_t *row = strstr(line, ",\"id\":") != NULL ? json_loads(line, 0, NULL) : NULL;
		json_int_t is = json_integer_value(json_object_get(row, "id"));
		if (is > 0 && (id == 0 || (unsigned long long)is == id))
			return row;
		json_decref(row);
		end = start != NULL ? start : text;
	}
	return NULL;
}

/* In the newest part of the log first, which has most of what is asked for; NULL with the reason and errno. */
static json_t *find_decision(
    struct robot_files *robot, const char *folder, unsigned long long id, struct cairn_error *err)
{
	static const struct {
		const char *name;
		size_t bytes;
	} parts[] = {{"decisions.jsonl", TAIL_BYTES}, {"decisions.jsonl", LOG_BYTES_MAX},
	    {"decisions.jsonl.1", LOG_BYTES_MAX}};
	int why = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char path[RUNS_PATH_BYTES + 20];
		struct robot_part part;
		snprintf(path, sizeof(path), "%s/%s", folder, parts[i].name);
		if (!robot_files_read(robot, path, 0, true, parts[i].bytes, &part, i == 0 ? err : NULL)) {
			why = i == 0 ? errno : why;
			continue;
		}
		json_t *row = find_line(part.data, id);
		free(part.data);
		if (row != NULL)
			return row;
	}
	if (why == 0)
		cairn_error_set(err, "there is no decision %llu; 'cairn decisions' lists them", id);
	if (why == ENOENT || (why == 0 && id == 0))
		cairn_error_set(
		    err, "nothing was decided yet; 'cairn look --now' shows what the model would be shown");
	errno = why != 0 ? why : ENOENT;
	return NULL;
}

static void print_decision(const json_t *row)
{
	char when[48], *text, *rest;
	const char *what = json_string_value(json_object_get(row, "what")),
		   *context = json_string_value(json_object_get(json_object_get(row, "prompt"), "context"));
	cli_time_text(json_number_value(json_object_get(row, "t")), when, sizeof(when));
	text = rest = strdup(context != NULL ? context : "");
	for (char *line;
	     text != NULL && (line = strsep(&rest, "\n")) != NULL && (rest != NULL || line[0] != '\0');)
		puts(cli_printable(line));
	free(text);
	text = strdup(what != NULL ? what : "");
	if (text != NULL)
		printf("decision: %lld, %s: %s\n", (long long)json_integer_value(json_object_get(row, "id")),
		    when, cli_printable(text));
	free(text);
}

/* Where the picture is, or where it was put. 1 there is one, 0 there is none, -1 after a message. */
static int give_picture(
    const struct cli *cli, struct robot_files *robot, const char *name, const char *out, const char *what)
{
	struct robot_part part;
	struct cairn_error err = {""};
	if (!robot_files_read(robot, name, 0, false, PICTURE_BYTES_MAX, &part, &err)) {
		if (errno == ENOENT)
			return 0;
		cli_fail(cli, CLI_FAILED, "%s", err.text);
		return -1;
	}
	bool ok = out == NULL || keep(cli, out, part.data, part.bytes, what);
	free(part.data);
	if (out == NULL)
		printf("%s: %s/%s\n", what, robot->run_dir, name);
	return ok ? 1 : -1;
}

static int look_back(const struct cli *cli, const char *out, const char *above)
{
	char folder[RUNS_PATH_BYTES], name[RUNS_PATH_BYTES + 64];
	struct robot_files robot;
	struct cairn_error err = {""};
	char *end = NULL;
	unsigned long long id = cli->arg_count > 0 ? strtoull(cli->args[0], &end, 10) : 0;
	bool digits = end != NULL && cli->args[0][0] >= '0' && cli->args[0][0] <= '9';
	if (end != NULL && (!digits || *end != '\0' || id == 0 || id == ULLONG_MAX))
		return cli_fail(
		    cli, CLI_USAGE, "'%.40s' is no decision; 'cairn decisions' lists them", cli->args[0]);
	int status = runs_folder(cli, folder);
	if (status != CLI_OK || (status = robot_files_open(cli, &robot)) != CLI_OK)
		return status;
	json_t *row = find_decision(&robot, folder, id, &err);
	if (row == NULL) {
		status = cli_fail(cli, errno == ENOENT ? CLI_ABSENT : CLI_FAILED, "%s", err.text);
	} else {
		print_decision(row);
		id = (unsigned long long)json_integer_value(json_object_get(row, "id"));
		snprintf(name, sizeof(name), "%s/sent/%llu.jpg", folder, id);
		int given = give_picture(cli, &robot, name, out, "picture");
		snprintf(name, sizeof(name), "%s/sent/%llu-above.jpg", folder, id);
		if (given == 0)
			fprintf(stderr,
			    "cairn look: no picture is kept of this decision: it went without one, or the "
			    "picture had to make room (vlm.sent_pictures_mb)\n");
		else if (given < 0 || give_picture(cli, &robot, name, above, "picture from above") < 0)
			status = CLI_FAILED;
	}
	json_decref(row);
	robot_files_close(&robot);
	return status;
}

int cli_look(const struct cli *cli)
{
	char path[CLI_RUN_DIR_MAX + 32], above[PATH_CAP];
	const char *out = cli_value(cli, "out");
	bool now = cli_value(cli, "now") != NULL || cli_value(cli, "save") != NULL, named = out != NULL;
	if (now && (cli->arg_count > 0 || cli_value(cli, "of") != NULL))
		return cli_fail(cli, CLI_USAGE, "--now and --save are about now, and not about a decision");
	if (now && cli->connect != NULL)
		return cli_fail(cli, CLI_USAGE, "--now and --save work on the robot only");
	snprintf(path, sizeof(path), "%s%ssnapshot.jpg", cli->connect == NULL ? cli->run_dir : "",
	    cli->connect == NULL ? "/" : "");
	out = named ? out : path;
	if (strlen(out) + sizeof(SUFFIX) > sizeof(above))
		return cli_fail(
		    cli, CLI_USAGE, "--out: at most %zu characters", sizeof(above) - sizeof(SUFFIX));
	name_above(out, above, sizeof(above));
	if (now)
		return look_now(cli, out, above);
	bool copy = named || cli->connect != NULL;
	return look_back(cli, copy ? out : NULL, copy ? above : NULL);
}
