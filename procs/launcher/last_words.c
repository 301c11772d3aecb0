#include "procs/launcher/last_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The text of "123.456 E mapper main.c:12 text", or NULL of other lines; *ret_level is its letter. */
static const char *text_of(const char *line, char *ret_level)
{
	int after_head = -1;
	char level[2] = "";
	if (sscanf(line, "%*d.%*3d %1[EWID] %*31s %*63s %n", level, &after_head) != 1 || after_head < 0)
		return NULL;
	*ret_level = level[0];
	return line + after_head;
}

static void take_line(struct cairn_last_words *w)
{
	char level = '\0';
	w->line[w->len] = '\0';
	w->len = 0;
	const char *text = text_of(w->line, &level);
	bool ours = text != NULL && level == 'E';
	if ((text != NULL && !ours) || (text == NULL && w->ours))
		return;
	if (text == NULL)
		text = w->line;
	while (isspace((unsigned char)*text))
		text++;
	if (*text == '\0')
		return;
	w->ours = ours;
	snprintf(w->text, sizeof(w->text), "%.255s", text);
}

void cairn_last_words_feed(struct cairn_last_words *w, const char *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '\n')
			take_line(w);
		else if (w->len + 1 < sizeof(w->line))
			w->line[w->len++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
	}
}

void cairn_last_words_add(const struct cairn_last_words *w, char *note, size_t note_bytes)
{
	size_t used = strlen(note), len = strlen(w->text);
	if (len == 0 || used + 8 > note_bytes)
		return;
	size_t room = note_bytes - used - 3; /* ": " and the end */
	bool cut = len > room;
	const char *tail = cut ? w->text + len - (room - 3) : w->text;
	while (cut && ((unsigned char)*tail & 0xc0) == 0x80)
		tail++; /* not within a character */
	snprintf(note + used, note_bytes - used, ": %s%s", cut ? "..." : "", tail);
}
