/* cmd_decisions.c - what was decided, from what, why, and what became of it: the log that the gateway keeps, and
 * between them the commands of operators, which the launcher keeps. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/cairn/commands.h"

#define SHOWN_MAX 10000
#define LINE_MAX_BYTES 65536

struct entry {
	json_t *decision; /* or the command of an operator; NULL = free */
	json_t *result;   /* NULL = not heard of yet */
};

/* The newest count decisions, as a ring. */
struct list {
	struct entry *items;
	size_t cap, next, total;
};

static json_int_t id_of(const json_t *line, const char *key)
{
	const json_t *id = json_object_get(line, key);
	return json_is_integer(id) ? json_integer_value(id) : 0;
}

static void take_line(struct list *list, json_t *line)
{
	json_int_t result_of = id_of(line, "result_of");
	for (size_t i = 0; result_of != 0 && i < list->cap; i++) {
		struct entry *e = &list->items[i];
		if (e->decision != NULL && id_of(e->decision, "id") == result_of) {
			json_decref(e->result);
			e->result = json_incref(line);
		}
	}
	if (id_of(line, "id") == 0 && !json_is_object(json_object_get(line, "command")))
		return;
	struct entry *e = &list->items[list->next];
	json_decref(e->decision);
	json_decref(e->result);
	*e = (struct entry){.decision = json_incref(line)};
	list->next = (list->next + 1) % list->cap;
	list->total++;
}

/* A text without what would move a cursor or forge a line; lines: its own line ends stay. */
static json_t *plain_text(const char *text, bool lines)
{
	struct cairn_text out = {0};
	char *copy = strdup(text), *rest = copy;
	while (copy != NULL && rest != NULL) {
		char *line = lines ? strsep(&rest, "\n") : rest;
		rest = lines ? rest : NULL;
		cairn_text_add(&out, cli_printable(line));
		if (rest != NULL)
			cairn_text_add(&out, "\n");
	}
	json_t *ret = json_string(out.data != NULL ? out.data : "");
	cairn_text_free(&out);
	free(copy);
	return ret;
}

/* Every text of a line of a log, whoever wrote it; the prompt keeps its lines. */
static void make_plain(json_t *value)
{
	const char *key;
	json_t *item;
	void *next;
	size_t i;
	json_object_foreach_safe(value, next, key, item)
	{
		if (json_is_string(item))
			json_object_set_new(
			    value, key, plain_text(json_string_value(item), strcmp(key, "context") == 0));
		else
			make_plain(item);
	}
	json_array_foreach(value, i, item)
	{
		if (json_is_string(item))
			json_array_set_new(value, i, plain_text(json_string_value(item), false));
		else
			make_plain(item);
	}
}

static bool read_file(struct list *list, const char *path)
{
	FILE *in = cairn_file_stream(path, CAIRN_FILE_OWN, NULL);
	static char text[LINE_MAX_BYTES];
	if (in == NULL)
		return false;
	while (fgets(text, sizeof(text), in) != NULL) {
		json_t *line =
		    json_loads(text, 0, NULL); /* the last one of a crash may be cut: it is left out */
		make_plain(line);
		if (json_is_object(line))
			take_line(list, line);
		json_decref(line);
	}
	fclose(in);
	return true;
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

static void print_entry(const struct entry *e, bool prompt)
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
	printf("  by       %s %s, asked because of: %s, answered after %.2f s\n", word(d, "provider"),
	    word(d, "model"), word(d, "trigger"), number(d, "latency_s"));
	printf("  saw      snapshot %lld (%s) at x %.2f m, y %.2f m, heading %s %.0f°, %.2f s old\n",
	    (long long)id_of(s, "id"), word(s, "hash"), number(s, "x_m"), number(s, "y_m"),
	    cairn_compass_point(deg), deg, number(s, "age_s"));
	printf("  prompt   %s\n", word(p, "hash"));
	if (word(d, "reasoning")[0] != '\0')
		printf("  said     %s\n", word(d, "reasoning"));
	if (word(d, "why_stop")[0] != '\0')
		printf("  refused  %s\n", word(d, "why_stop"));
	if (word(d, "local")[0] != '\0')
		printf("  beside   %s\n", word(d, "local"));
	if (e->result != NULL)
		printf("  became   %s: %s%s%s (%s), %.2f m in %.1f s%s\n", word(e->result, "outcome"),
		    word(e->result, "reason"), word(e->result, "suggestion")[0] != '\0' ? "; " : "",
		    word(e->result, "suggestion"), word(e->result, "executed"),
		    number(e->result, "distance_m"), number(e->result, "duration_s"),
		    json_is_true(json_object_get(e->result, "overridden")) ? ", OVERRIDDEN" : "");
	if (prompt)
		printf("%s\n", word(p, "context"));
	printf("\n");
}

static void print_json(const struct entry *e)
{
	json_t *both = json_deep_copy(e->decision);
	if (json_object_get(both, "command") == NULL)
		json_object_set(both, "result", e->result != NULL ? e->result : json_null());
	char *text = json_dumps(both, JSON_COMPACT);
	printf("%s\n", text != NULL ? text : "{}");
	free(text);
	json_decref(both);
}

/* RUN/state/NAME and the older part beside it. False with errno when there is none. */
static bool read_both(struct list *list, const char *run_dir, const char *name)
{
	char path[CLI_RUN_DIR_MAX + 40], old[CLI_RUN_DIR_MAX + 48];
	snprintf(path, sizeof(path), "%s/state/%s", run_dir, name);
	snprintf(old, sizeof(old), "%s.1", path);
	(void)read_file(list, old);
	return read_file(list, path) || list->total > 0;
}

/* Entry number i of a list, oldest first; NULL past the end. */
static const struct entry *entry_at(const struct list *list, size_t i)
{
	size_t count = list->total < list->cap ? list->total : list->cap;
	return i < count ? &list->items[(list->next + list->cap - count + i) % list->cap] : NULL;
}

/* The newest cap of both, by time. */
static void print_merged(const struct cli *cli, const struct list *a, const struct list *b)
{
	size_t i = 0, j = 0, n = 0;
	while (entry_at(a, n) != NULL)
		n++;
	size_t all = n;
	for (n = 0; entry_at(b, n) != NULL;)
		n++;
	size_t skip = all + n > a->cap ? all + n - a->cap : 0;
	for (size_t k = 0; k < all + n; k++) {
		const struct entry *x = entry_at(a, i), *y = entry_at(b, j);
		bool first = y == NULL || (x != NULL && number(x->decision, "t") <= number(y->decision, "t"));
		const struct entry *e = first ? x : y;
		i += first;
		j += !first;
		if (k < skip)
			continue;
		if (cli->json)
			print_json(e);
		else
			print_entry(e, cli_value(cli, "prompt") != NULL);
	}
}

static void free_list(struct list *list)
{
	for (size_t i = 0; list->items != NULL && i < list->cap; i++) {
		json_decref(list->items[i].decision);
		json_decref(list->items[i].result);
	}
	free(list->items);
}

int cli_decisions(const struct cli *cli)
{
	long count = cli_count(cli, "lines", 10);
	if (count < 1 || count > SHOWN_MAX)
		return CLI_USAGE;
	size_t cap = (size_t)count;
	struct list decisions = {.items = calloc(cap, sizeof(struct entry)), .cap = cap};
	struct list commands = {.items = calloc(cap, sizeof(struct entry)), .cap = cap};
	int status = CLI_OK;
	if (decisions.items == NULL || commands.items == NULL) {
		status = cli_fail(cli, CLI_FAILED, "out of memory");
	} else {
		bool some = read_both(&decisions, cli->run_dir, "decisions.jsonl");
		int why = errno;
		some = read_both(&commands, cli->run_dir,
			   cli_value(cli, "refused") != NULL ? "refused.jsonl" : "commands.jsonl") ||
		       some;
		print_merged(cli, &decisions, &commands);
		if (!some)
			status = cli_fail(
			    cli, CLI_ABSENT, "%s/state/decisions.jsonl: %s", cli->run_dir, strerror(why));
	}
	free_list(&decisions);
	free_list(&commands);
	return status;
}
