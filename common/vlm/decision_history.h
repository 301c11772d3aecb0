/* decision_history.h - the log of decisions (decision_log.h) read back, newest N, each with what became of it; and the logs of
 * commands, which have the same form. All texts are made plain: whoever wrote them moves no cursor and forges no line. */
#ifndef CAIRN_COMMON_VLM_DECISION_HISTORY_H
#define CAIRN_COMMON_VLM_DECISION_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

struct cairn_history_entry {
	json_t *decision; /* or the command of an operator; NULL = free */
	json_t *result;   /* NULL = not heard of yet */
};

/* The newest cap of them, as a ring. */
struct cairn_history {
	struct cairn_history_entry *items;
	size_t cap, next, total;
};

/* False: no memory. */
bool cairn_history_init(struct cairn_history *history, size_t cap);
void cairn_history_free(struct cairn_history *history);
/* STATE/NAME and the older part beside it. tail_bytes: only so much of the end of each; 0 = all. having: only lines in which this
 * text stands; NULL = all. False with errno when there is none. */
bool cairn_history_read(struct cairn_history *history, const char *state_dir, const char *name,
    long tail_bytes, const char *having);
/* The same from the lines of a text, which is used up. */
void cairn_history_text(struct cairn_history *history, char *text);
/* Entry number i, oldest first; NULL past the end. */
const struct cairn_history_entry *cairn_history_at(const struct cairn_history *history, size_t i);
/* The newest cap of a of both, by time, oldest first. */
typedef void cairn_history_fn(void *ctx, const struct cairn_history_entry *entry);
void cairn_history_merge(
    const struct cairn_history *a, const struct cairn_history *b, cairn_history_fn *fn, void *ctx);
/* As `cairn decisions --json` prints it: a decision with its result (null while there is none), a command as it is. A new
 * reference. */
json_t *cairn_history_json(const struct cairn_history_entry *entry);

#endif
