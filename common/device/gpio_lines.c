#include "common/device/gpio_lines.h"

#include <stdio.h>
#include <string.h>

static void refuse(const char *item, const char *const words[], struct cairn_error *err)
{
	char list[120] = "";
	size_t n = 0;
	for (int k = 0; words[k] != NULL && n < sizeof(list); k++) {
		const char *before = k == 0 ? "" : words[k + 1] == NULL ? " or " : ", ";
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", before, words[k]);
	}
	cairn_error_set(err, "'%.40s' is not WHAT LINE LEVEL: %s, then a number up to %d, then low or high",
	    item, list, CAIRN_GPIO_LINE_NUMBER_MAX);
}

static bool take_line(
    struct cairn_gpio_lines *g, const char *item, const char *const words[], struct cairn_error *err)
{
	char word[16] = "", level[8] = "";
	unsigned number;
	int used = -1, k = 0;
	if (sscanf(item, " %15[a-z_] %4u %7[a-z] %n", word, &number, level, &used) == 3 && item[used] == '\0')
		while (words[k] != NULL && strcmp(word, words[k]) != 0)
			k++;
	bool low = strcmp(level, "low") == 0;
	if (used < 0 || item[used] != '\0' || words[k] == NULL || number > CAIRN_GPIO_LINE_NUMBER_MAX ||
	    (!low && strcmp(level, "high") != 0)) {
		refuse(item, words, err);
		return false;
	}
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->number[i] == number) {
			cairn_error_set(err, "line %u is named twice", number);
			return false;
		}
	}
	g->kind[g->count] = k;
	g->number[g->count] = number;
	g->low[g->count++] = low;
	return true;
}

bool cairn_gpio_lines_parse(
    struct cairn_gpio_lines *lines, const char *text, const char *const words[], struct cairn_error *err)
{
	*lines = (struct cairn_gpio_lines){0};
	while (*text != '\0') {
		char item[64];
		size_t bytes = strcspn(text, ",");
		if (lines->count == CAIRN_GPIO_LINES_MAX) {
			cairn_error_set(err, "more than %d lines", CAIRN_GPIO_LINES_MAX);
			return false;
		}
		snprintf(item, sizeof(item), "%.*s", (int)bytes, text);
		if (!take_line(lines, item, words, err))
			return false;
		text += bytes + (text[bytes] == ',');
	}
	return true;
}
