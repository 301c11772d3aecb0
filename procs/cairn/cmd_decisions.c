/* cmd_decisions.c - what was decided, from what, why, and what became of it: the log that the gateway keeps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "procs/cairn/cmd.h"

#define SHOWN_MAX 10000
#define LINE_MAX_BYTES 65536

struct entry {
	json_t *decision; /* NULL = free */
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
	if (id_of(line, "id") == 0)
		return;
	struct entry *e = &list->items[list->next];
	json_decref(e->decision);
	json_decref(e->result);
	*e = (struct entry){.decision = json_incref(line)};
	list->next = (list->next + 1) % list->cap;
	list->total++;
}

static bool read_file(struct list *list, const char *path)
{
	FILE *in = fopen(path, "re");
	static char text[LINE_MAX_BYTES];
	if (in == NULL)
		return false;
	while (fgets(text, sizeof(text), in) != NULL) {
		json_t *line =
		    json_loads(text, 0, NULL); /* the last one of a crash may be cut: it is left out */
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
	time_t t = (time_t)unix_s;
	struct tm tm;
	char text[32];
	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%F %T", &tm);
	printf("%s.%03d", text, (int)((unix_s - (double)t) * 1e3));
}

static void print_entry(const struct entry *e, bool prompt)
{
	const json_t *d = e->decision, *s = json_object_get(d, "snapshot"), *p = json_object_get(d, "prompt");
	print_time(number(d, "t"));
	printf("  %lld  %s%s\n", (long long)id_of(d, "id"), word(d, "what"),
	    json_is_true(json_object_get(d, "shadow")) ? "  (shadow: not driven)" : "");
	printf("  by       %s %s, asked because of: %s, answered after %.2f s\n", word(d, "provider"),
	    word(d, "model"), word(d, "trigger"), number(d, "latency_s"));
	printf("  saw      snapshot %lld (%s) at x %.2f y %.2f yaw %.2f, %.2f s old\n",
	    (long long)id_of(s, "id"), word(s, "hash"), number(s, "x_m"), number(s, "y_m"),
	    number(s, "yaw_rad"), number(s, "age_s"));
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
	json_object_set(both, "result", e->result != NULL ? e->result : json_null());
	char *text = json_dumps(both, JSON_COMPACT);
	printf("%s\n", text != NULL ? text : "{}");
	free(text);
	json_decref(both);
}

int cli_decisions(const struct cli *cli)
{
	char path[CLI_RUN_DIR_MAX + 40], old[CLI_RUN_DIR_MAX + 48];
	long count = cli_count(cli, "lines", 10);
	if (count < 1 || count > SHOWN_MAX)
		return CLI_USAGE;
	struct list list = {.items = calloc((size_t)count, sizeof(struct entry)), .cap = (size_t)count};
	if (list.items == NULL)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	snprintf(path, sizeof(path), "%s/state/decisions.jsonl", cli->run_dir);
	snprintf(old, sizeof(old), "%s.1", path);
	(void)read_file(&list, old);
	bool ok = read_file(&list, path);
	int why = errno;
	for (size_t i = 0; i < list.cap; i++) { /* oldest first */
		const struct entry *e = &list.items[(list.next + i) % list.cap];
		if (e->decision == NULL)
			continue;
		if (cli->json)
			print_json(e);
		else
			print_entry(e, cli_value(cli, "prompt") != NULL);
	}
	for (size_t i = 0; i < list.cap; i++) {
		json_decref(list.items[i].decision);
		json_decref(list.items[i].result);
	}
	free(list.items);
	return ok || list.total > 0 ? CLI_OK : cli_fail(cli, CLI_ABSENT, "%s: %s", path, strerror(why));
}
