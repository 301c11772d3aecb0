/* log_lines.h - lines of the stages' logs, merged by time.
 *
 * A line is "12.345 W mapper grid.c:88 text" (log.h writes them): seconds of the monotonic clock, and a letter for the level. What
 * does not look like that (a library's message, a sanitizer's report) belongs to the line before it. */
#ifndef CAIRN_COMMON_BASE_LOG_LINES_H
#define CAIRN_COMMON_BASE_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>

#define CAIRN_LOG_LETTERS "EWID" /* in the order of enum cairn_log_level */

struct cairn_log_stamp {
	double t_s;
	char letter;
};

struct cairn_log_line {
	struct cairn_log_stamp stamp;
	double wall_s; /* added to stamp.t_s makes it a time on the wall; 0 until somebody sets it */
	size_t order;  /* lines of one moment keep their order */
	const char *stage;
	char *text;
};

/* All zero is empty. */
struct cairn_log_lines {
	struct cairn_log_line *items;
	size_t count, room;
};

/* The stamp of a line, and where in it the letter stands; false, with both untouched, when it has none. ret_letter_at may be NULL. */
bool cairn_log_stamp_parse(const char *text, struct cairn_log_stamp *ret, int *ret_letter_at);
/* "error", "warn", "info" or "debug". */
const char *cairn_log_letter_name(char letter);

/* Copies the text, up to the end of the line; stage is borrowed. False: no memory. */
bool cairn_log_lines_add(
    struct cairn_log_lines *lines, const char *stage, struct cairn_log_stamp stamp, const char *text);
/* Of the lines from number `first` on only the last `keep` stay. */
void cairn_log_lines_keep(struct cairn_log_lines *lines, size_t first, size_t keep);
void cairn_log_lines_sort(struct cairn_log_lines *lines);
void cairn_log_lines_clear(struct cairn_log_lines *lines);
void cairn_log_lines_free(struct cairn_log_lines *lines);

#endif
