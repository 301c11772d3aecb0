#include "common/base/log_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cairn_log_stamp_parse(const char *text, struct cairn_log_stamp *ret, int *ret_letter_at)
{
	double t_s;
	char letter, name[2];
	int at = 0;
	if (sscanf(text, "%lf %n%c %1s", &t_s, &at, &letter, name) != 3 || letter == '\0' ||
	    strchr(CAIRN_LOG_LETTERS, letter) == NULL)
		return false;
	*ret = (struct cairn_log_stamp){t_s, letter};
	if (ret_letter_at != NULL)
		*ret_letter_at = at;
	return true;
}

const char *cairn_log_letter_name(char letter)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	const char *found = letter != '\0' ? strchr(CAIRN_LOG_LETTERS, letter) : NULL;
	return names[found != NULL ? found - CAIRN_LOG_LETTERS : 2];
}

bool cairn_log_lines_add(
    struct cairn_log_lines *lines, const char *stage, struct cairn_log_stamp stamp, const char *text)
{
	if (lines->count == lines->room) {
		size_t room = lines->room > 0 ? 2 * lines->room : 256;
		struct cairn_log_line *items = realloc(lines->items, room * sizeof(*items));
		if (items == NULL)
			return false;
		lines->items = items;
		lines->room = room;
	}
	char *copy = strndup(text, strcspn(text, "\n"));
	if (copy == NULL)
		return false;
	lines->items[lines->count] =
	    (struct cairn_log_line){.stamp = stamp, .order = lines->count, .stage = stage, .text = copy};
	lines->count++;
	return true;
}

void cairn_log_lines_keep(struct cairn_log_lines *lines, size_t first, size_t keep)
{
	if (lines->count <= first + keep)
		return;
	size_t extra = lines->count - first - keep;
	for (size_t i = 0; i < extra; i++)
		free(lines->items[first + i].text);
	memmove(lines->items + first, lines->items + first + extra, keep * sizeof(*lines->items));
	lines->count -= extra;
}

static int by_time(const void *a, const void *b)
{
	const struct cairn_log_line *x = a, *y = b;
	if (x->stamp.t_s < y->stamp.t_s || x->stamp.t_s > y->stamp.t_s)
		return x->stamp.t_s < y->stamp.t_s ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void cairn_log_lines_sort(struct cairn_log_lines *lines)
{
	if (lines->count > 1)
		qsort(lines->items, lines->count, sizeof(*lines->items), by_time);
}

void cairn_log_lines_clear(struct cairn_log_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->items[i].text);
	lines->count = 0;
}

void cairn_log_lines_free(struct cairn_log_lines *lines)
{
	cairn_log_lines_clear(lines);
	free(lines->items);
	*lines = (struct cairn_log_lines){0};
}
