#include "common/vlm/decision_history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/text.h"

#define LINE_MAX_BYTES 65536

static json_int_t id_of(const json_t *line, const char *key)
{
	const json_t *id = json_object_get(line, key);
	return json_is_integer(id) ? json_integer_value(id) : 0;
}

static void take_line(struct cairn_history *list, json_t *line)
{
	json_int_t result_of = id_of(line, "result_of");
	for (size_t i = 0; result_of != 0 && i < list->cap; i++) {
		struct cairn_history_entry *e = &list->items[i];
		if (e->decision != NULL && id_of(e->decision, "id") == result_of) {
			json_decref(e->result);
			e->result = json_incref(line);
		}
	}
	if (id_of(line, "id") == 0 && !json_is_object(json_object_get(line, "command")))
		return;
	struct cairn_history_entry *e = &list->items[list->next];
	json_decref(e->decision);
	json_decref(e->result);
	*e = (struct cairn_history_entry){.decision = json_incref(line)};
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
		cairn_text_add(&out, cairn_text_printable(line));
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

/* Skips to the first whole line of the last tail_bytes. */
static void skip_to_tail(FILE *in, long tail_bytes)
{
	if (tail_bytes <= 0 || fseek(in, 0, SEEK_END) != 0)
		return;
	long size = ftell(in);
	(void)fseek(in, size > tail_bytes ? size - tail_bytes : 0, SEEK_SET);
	for (int c = size > tail_bytes ? 0 : '\n'; c != '\n' && c != EOF;)
		c = fgetc(in);
}

static bool read_file(struct cairn_history *list, const char *path, long tail_bytes, const char *having)
{
	FILE *in = cairn_file_stream(path, CAIRN_FILE_OWN, NULL);
	static char text[LINE_MAX_BYTES];
	if (in == NULL)
		return false;
	skip_to_tail(in, tail_bytes);
	while (fgets(text, sizeof(text), in) != NULL) {
		if (having != NULL && strstr(text, having) == NULL)
			continue;
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

bool cairn_history_read(struct cairn_history *history, const char *state_dir, const char *name,
    long tail_bytes, const char *having)
{
	char path[1024], old[1032];
	if (snprintf(path, sizeof(path), "%s/%s", state_dir, name) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	snprintf(old, sizeof(old), "%s.1", path);
	(void)read_file(history, old, tail_bytes, having);
	return read_file(history, path, tail_bytes, having) || history->total > 0;
}

void cairn_history_text(struct cairn_history *history, char *text)
{
	for (char *rest = text, *at; (at = strsep(&rest, "\n")) != NULL;) {
		json_t *line = json_loads(at, 0, NULL); /* what was cut off is none */
		make_plain(line);
		if (json_is_object(line))
			take_line(history, line);
		json_decref(line);
	}
}

bool cairn_history_init(struct cairn_history *history, size_t cap)
{
	*history =
	    (struct cairn_history){.items = calloc(cap, sizeof(struct cairn_history_entry)), .cap = cap};
	return history->items != NULL;
}

void cairn_history_free(struct cairn_history *history)
{
	for (size_t i = 0; history->items != NULL && i < history->cap; i++) {
		json_decref(history->items[i].decision);
		json_decref(history->items[i].result);
	}
	free(history->items);
	history->items = NULL;
}

const struct cairn_history_entry *cairn_history_at(const struct cairn_history *history, size_t i)
{
	size_t count = history->total < history->cap ? history->total : history->cap;
	return i < count ? &history->items[(history->next + history->cap - count + i) % history->cap] : NULL;
}

static double time_of(const struct cairn_history_entry *e)
{
	return json_number_value(json_object_get(e->decision, "t"));
}

void cairn_history_merge(
    const struct cairn_history *a, const struct cairn_history *b, cairn_history_fn *fn, void *ctx)
{
	size_t i = 0, j = 0, all = 0;
	for (size_t n = 0; cairn_history_at(a, n) != NULL; n++)
		all++;
	for (size_t n = 0; cairn_history_at(b, n) != NULL; n++)
		all++;
	size_t skip = all > a->cap ? all - a->cap : 0;
	for (size_t k = 0; k < all; k++) {
		const struct cairn_history_entry *x = cairn_history_at(a, i), *y = cairn_history_at(b, j);
		bool first = y == NULL || (x != NULL && time_of(x) <= time_of(y));
		i += first;
		j += !first;
		if (k >= skip)
			fn(ctx, first ? x : y);
	}
}

json_t *cairn_history_json(const struct cairn_history_entry *entry)
{
	json_t *both = json_deep_copy(entry->decision);
	if (json_object_get(both, "command") == NULL)
		json_object_set(both, "result", entry->result != NULL ? entry->result : json_null());
	return both;
}
