#include "common/local/scene_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/percept/colour_word.h"

#define FLOOR_ROW (CAIRN_VIEW_ROWS * 5 / 6) /* from here down */
#define FLOOR_COLUMN (CAIRN_VIEW_COLUMNS / 4)
#define PATTERNED 14.0f /* grey levels of deviation */

void cairn_scene_floor_words(const struct cairn_view_blocks *blocks, char *dst, size_t cap)
{
	float sum[3] = {0.0f, 0.0f, 0.0f}, grey = 0.0f, square = 0.0f, count = 0.0f;
	for (int y = FLOOR_ROW; y < CAIRN_VIEW_ROWS; y++)
		for (int x = FLOOR_COLUMN; x < CAIRN_VIEW_COLUMNS - FLOOR_COLUMN; x++, count++) {
			float light = cairn_view_light(blocks->rgb[y][x]);
			for (int i = 0; i < 3; i++)
				sum[i] += blocks->rgb[y][x][i];
			grey += light;
			square += light * light;
		}
	float mean = grey / count, deviation = sqrtf(fmaxf(square / count - mean * mean, 0.0f));
	uint8_t rgb[3];
	for (int i = 0; i < 3; i++)
		rgb[i] = (uint8_t)lrintf(sum[i] / count);
	snprintf(dst, cap, "%s, %s", cairn_colour_word(rgb[0], rgb[1], rgb[2]),
	    deviation < PATTERNED ? "plain" : "patterned");
}

const char *cairn_scene_light_word(const struct cairn_view_blocks *blocks)
{
	float sum = 0.0f;
	for (int y = 0; y < CAIRN_VIEW_ROWS; y++)
		for (int x = 0; x < CAIRN_VIEW_COLUMNS; x++)
			sum += cairn_view_light(blocks->rgb[y][x]);
	float mean = sum / (CAIRN_VIEW_ROWS * CAIRN_VIEW_COLUMNS);
	return mean < 40.0f ? "dark" : mean < 90.0f ? "dim" : mean < 205.0f ? "bright" : "glaring";
}

/* A label from outside, as it stands between quotes. */
static void name_of(const struct cairn_msg_detection *d, char *dst, size_t cap)
{
	char words[64];
	snprintf(words, sizeof(words), "%.15s%s%.39s", d->colour, d->colour[0] != '\0' ? " " : "", d->label);
	cairn_text_clean(dst, cap, words, strlen(words));
	for (char *c = dst; *c != '\0'; c++)
		*c = *c == '"' ? '\'' : *c;
}

void cairn_scene_object_words(const struct cairn_msg_detections *seen, char *dst, size_t cap)
{
	size_t used = 0;
	dst[0] = '\0';
	for (uint32_t i = 0; i < seen->items_count; i++) {
		char name[64], other[64], one[80];
		uint32_t number = 0;
		bool before = false;
		name_of(&seen->items[i], name, sizeof(name));
		for (uint32_t k = 0; k < seen->items_count; k++) {
			name_of(&seen->items[k], other, sizeof(other));
			bool same = strcmp(name, other) == 0;
			before = before || (same && k < i);
			number += same;
		}
		if (before || name[0] == '\0')
			continue;
		int n = number > 1 ? snprintf(one, sizeof(one), "%u \"%s\"", number, name)
				   : snprintf(one, sizeof(one), "\"%s\"", name);
		if (n < 0 || used + (size_t)n + 3 > cap)
			continue;
		used += (size_t)snprintf(dst + used, cap - used, "%s%s", used > 0 ? ", " : "", one);
	}
}

void cairn_scene_line(struct cairn_msg_local *m, const char *room)
{
	char in[64] = "", line[sizeof(m->text)];
	if (room[0] != '\0')
		snprintf(in, sizeof(in), "in \"%.47s\"; ", room);
	int used = snprintf(line, sizeof(line), "%sfloor %.30s; light %.15s", in,
	    m->floor[0] != '\0' ? m->floor : "not seen", m->light[0] != '\0' ? m->light : "not known");
	/* Whole or not at all: a list that is cut inside a label would leave its quote open. */
	if (m->objects[0] != '\0' && used >= 0 && (size_t)used + strlen(m->objects) + 8 <= sizeof(line))
		snprintf(line + used, sizeof(line) - (size_t)used, "; sees %s", m->objects);
	snprintf(m->text, sizeof(m->text), "%s", line);
	cairn_text_plain(m->text); /* labels are clean, and their quotes stay */
}
