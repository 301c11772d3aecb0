/* cmd_decisions.c - what was decided, from what, why, and what became of it: the log that the gateway keeps, and
 * between them the commands of operators, which the launcher keeps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/geom.h"
#include "common/vlm/decision_history.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/robot_files.h"
#include "procs/cairn/runs.h"

#define SHOWN_MAX 10000
#define LINE_BYTES 16384 /* read for each of the newest; a decision with its prompt has a third of it */
#define TAIL_BYTES_MAX (64u << 20)

static json_int_t id_of(const json_t *line, const char *key)
{
	const json_t *id = json_object_get(line, key);
	return json_is_integer(id) ? json_integer_value(id) : 0;
}

static const char *word(const json_t *object, const char *key)
{
	const json_t *v = json_object_get(object, key);
	return json_is_string(v) ? json_string_value(v) : "";
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void print_time(double unix_s)
{
	char text[48];
	cli_time_text(unix_s, text, sizeof(text));
	printf("%s", text);
}

static void print_command(const json_t *line)
{
	const json_t *c = json_object_get(line, "command");
	print_time(number(line, "t"));
	printf("  command %s%s%s\n  by       %s\n  became   %s: %s\n\n",
	    cairn_command_name(word(c, "service"), word(c, "verb")), word(c, "arg")[0] != '\0' ? " " : "",
	    word(c, "arg"), word(c, "who"), json_is_true(json_object_get(c, "ok")) ? "done" : "refused",
	    word(c, "text"));
}

/* Who made it: the usual model goes without saying. */
static void print_by(const json_t *d)
{
	const char *decider = word(d, "decider");
	if (strcmp(decider, "rule") == 0) {
		printf("  by       rule: nobody was asked, as nothing new was in sight\n");
		return;
	}
	const char *note = strcmp(decider, "strong_model") == 0  ? " (for a hard decision)"
			   : strcmp(decider, "local_model") == 0 ? " (on the robot, without the network)"
								 : "";
	printf("  by       %s %s%s, asked because of: %s, answered after %.2f s\n", word(d, "provider"),
	    word(d, "model"), note, word(d, "trigger"), number(d, "latency_s"));
}

static void print_entry(const struct cairn_history_entry *e, bool prompt)
{
	if (json_object_get(e->decision, "command") != NULL) {
		print_command(e->decision);
		return;
	}
	const json_t *d = e->decision, *s = json_object_get(d, "snapshot"), *p = json_object_get(d, "prompt");
	double deg = cairn_compass_deg(number(s, "yaw_rad"));
	print_time(number(d, "t"));
	printf("  %lld  %s%s\n", (long long)id_of(d, "id"), word(d, "what"),
	    json_is_true(json_object_get(d, "shadow")) ? "  (shadow: not driven)" : "");
	print_by(d);
	printf("  saw      snapshot %lld (%s) at x %.2f m, y %.2f m, heading %s %d°, %.2f s old\n",
	    (long long)id_of(s, "id"), word(s, "hash"), number(s, "x_m"), number(s, "y_m"),
	    cairn_compass_point(deg), cairn_compass_whole_deg(number(s, "yaw_rad")), number(s, "age_s"));
	printf("  prompt   %s\n", word(p, "hash"));
	if (word(d, "reasoning")[0] != '\0')
		printf("  said     %s\n", word(d, "reasoning"));
	if (word(d, "why_stop")[0] != '\0')
		printf("  refused  %s\n", word(d, "why_stop"));
	if (word(d, "local")[0] != '\0')
		printf("  beside   %s\n", word(d, "local"));
	if (e->result != NULL)
		printf("  became   %s: %s%s%s (%s)%s\n", word(e->result, "outcome"),
		    word(e->result, "reason"), word(e->result, "suggestion")[0] != '\0' ? "; " : "",
		    word(e->result, "suggestion"), word(e->result, "executed"),
		    json_is_true(json_object_get(e->result, "overridden")) ? ", OVERRIDDEN" : "");
	if (prompt)
		printf("%s\n", word(p, "context"));
	printf("\n");
}

static void print_json(const struct cairn_history_entry *e)
{
	json_t *both = cairn_history_json(e);
	char *text = json_dumps(both, JSON_COMPACT | JSON_REAL_PRECISION(15));
	printf("%s\n", text != NULL ? text : "{}");
	free(text);
	json_decref(both);
}

static void print_one(void *ctx, const struct cairn_history_entry *e)
{
	const struct cli *cli = ctx;
	if (cli->json)
		print_json(e);
	else
		print_entry(e, cli_value(cli, "prompt") != NULL);
}

/* The newest entries of FOLDER/NAME, and of the older part beside it where that has too few. */
static bool read_both(struct cairn_history *list, struct robot_files *robot, const char *folder,
    const char *name, struct cairn_error *err)
{
	char path[RUNS_PATH_BYTES + 40], old[RUNS_PATH_BYTES + 44];
	struct robot_part part, older;
	size_t most = list->cap * LINE_BYTES < TAIL_BYTES_MAX ? list->cap * LINE_BYTES : TAIL_BYTES_MAX;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(old, sizeof(old), "%s.1", path);
	bool have = robot_files_read(robot, path, 0, true, most, &part, err);
	int why = errno;
	if ((!have || part.at == 0) && robot_files_read(robot, old, 0, true, most, &older, NULL)) {
		cairn_history_text(list, older.data);
		free(older.data);
	}
	if (have) {
		cairn_history_text(list, part.data);
		free(part.data);
	}
	errno = why;
	return have || list->total > 0;
}

int cli_decisions(const struct cli *cli)
{
	long count = cli_count(cli, "lines", 10);
	struct cairn_history decisions = {.items = NULL}, commands = {.items = NULL};
	const char *beside = cli_value(cli, "refused") != NULL ? "refused.jsonl" : "commands.jsonl";
	struct robot_files robot;
	struct cairn_error err = {""};
	char folder[RUNS_PATH_BYTES];
	if (count < 1 || count > SHOWN_MAX)
		return CLI_USAGE;
	int status = runs_folder(cli, folder);
	if (status != CLI_OK || (status = robot_files_open(cli, &robot)) != CLI_OK)
		return status;
	if (!cairn_history_init(&decisions, (size_t)count) || !cairn_history_init(&commands, (size_t)count)) {
		status = cli_fail(cli, CLI_FAILED, "out of memory");
	} else {
		bool some = read_both(&decisions, &robot, folder, "decisions.jsonl", &err);
		int why = some ? 0 : errno;
		some = read_both(&commands, &robot, folder, beside, NULL) || some;
		cairn_history_merge(&decisions, &commands, print_one, (void *)(uintptr_t)cli);
		if (!some)
			status = cli_fail(cli, why == EACCES ? CLI_FAILED : CLI_ABSENT, "%s",
			    why == ENOENT ? "nothing was decided yet" : err.text);
	}
	robot_files_close(&robot);
	cairn_history_free(&decisions);
	cairn_history_free(&commands);
	return status;
}
