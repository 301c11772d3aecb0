#include "common/device/guard_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_words[CAIRN_GUARD_KINDS] = {"bumper", "bumper_rear", "cliff"};

static bool take_line(struct cairn_guard_lines *g, const char *item, struct cairn_error *err)
{
	char kind[16] = "", level[8] = "";
	unsigned number;
	int used = -1;
	int k = 0;
	if (sscanf(item, " %15[a-z_] %4u %7[a-z] %n", kind, &number, level, &used) == 3 && item[used] == '\0')
		while (k < CAIRN_GUARD_KINDS && strcmp(kind, kind_words[k]) != 0)
			k++;
	bool low = strcmp(level, "low") == 0;
	if (used < 0 || item[used] != '\0' || k == CAIRN_GUARD_KINDS ||
	    number > CAIRN_GUARD_LINE_NUMBER_MAX || (!low && strcmp(level, "high") != 0)) {
		cairn_error_set(err,
		    "'%.40s' is not WHAT LINE LEVEL: bumper, bumper_rear or cliff, then a number up to %d, "
		    "then "
		    "low or high",
		    item, CAIRN_GUARD_LINE_NUMBER_MAX);
		return false;
	}
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->number[i] == number) {
			cairn_error_set(err, "line %u is named twice", number);
			return false;
		}
	}
	g->kind[g->count] = (enum cairn_guard_kind)k;
	g->number[g->count] = number;
	g->low[g->count++] = low;
	return true;
}

bool cairn_guard_lines_parse(struct cairn_guard_lines *lines, const char *text, struct cairn_error *err)
{
	*lines = (struct cairn_guard_lines){0};
	while (*text != '\0') {
		char item[64];
		size_t bytes = strcspn(text, ",");
		if (lines->count == CAIRN_GUARD_LINES_MAX) {
			cairn_error_set(err, "more than %d lines", CAIRN_GUARD_LINES_MAX);
			return false;
		}
		snprintf(item, sizeof(item), "%.*s", (int)bytes, text);
		if (!take_line(lines, item, err))
			return false;
		text += bytes + (text[bytes] == ',');
	}
	return true;
}

bool cairn_guard_lines_have(const struct cairn_guard_lines *lines, enum cairn_guard_kind kind)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->kind[i] == kind)
			return true;
	return false;
}

struct cairn_msg_guard cairn_guard_lines_message(const struct cairn_guard_lines *lines, const bool level[])
{
	bool acts[CAIRN_GUARD_KINDS] = {false};
	for (uint32_t i = 0; i < lines->count; i++)
		acts[lines->kind[i]] |= level[i] != lines->low[i];
	double floor_m = acts[CAIRN_GUARD_CLIFF] ? INFINITY : 0.0;
	return (struct cairn_msg_guard){.bumper = acts[CAIRN_GUARD_BUMPER],
	    .bumper_rear = acts[CAIRN_GUARD_BUMPER_REAR],
	    .floor_m = cairn_guard_lines_have(lines, CAIRN_GUARD_CLIFF) ? floor_m : -1.0};
}
