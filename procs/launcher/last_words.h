/* last_words.h - what a process wrote last before it died, for people who see only that it died.
 *
 * Of the lines of our own log (common/base/log.h) the newest error counts; of other output (a library's message before
 * abort(), RouDi's log) the newest line, as long as our log has told of no error. */
#ifndef CAIRN_PROCS_LAUNCHER_LAST_WORDS_H
#define CAIRN_PROCS_LAUNCHER_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct cairn_last_words {
	char line[512]; /* being read; what is longer is cut */
	size_t len;
	bool ours; /* text is an error of our own log */
	char text[256];
};

/* All zero is one of a process that has said nothing. */
void cairn_last_words_feed(struct cairn_last_words *words, const char *data, size_t bytes);
/* "ended with status 1" in front of the end of the text, as much as fits: there is the cause, in front a path. note is
 * left alone where nothing was said. */
void cairn_last_words_add(const struct cairn_last_words *words, char *note, size_t note_bytes);

#endif
