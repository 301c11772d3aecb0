/* notes.h - what programs outside have noted, for the model: the newest of each, until it is too old.
 *
 * A note is hearsay. The prompt shows it in quotes, with its source, as data (memory_text.c). Pure. */
#ifndef CAIRN_COMMON_EXTERNAL_NOTES_H
#define CAIRN_COMMON_EXTERNAL_NOTES_H

#include "common/external/external.h"

#define CAIRN_NOTES_SHOWN 4        /* the newest */
#define CAIRN_NOTES_TEXT_BYTES 120 /* of one note; cut at a character */
#define CAIRN_NOTES_LINE_BYTES 720 /* of them all, with their sources */

struct cairn_notes {
	uint32_t count;
	struct cairn_note {
		char source[CAIRN_EXTERNAL_NAME_MAX + 1];
		char text[CAIRN_NOTES_TEXT_BYTES + 1];
		int64_t t_ns, max_age_ns;
	} items[CAIRN_EXTERNAL_TOPICS_MAX];
};

/* Takes a note of a declared topic; the text is cleaned once more, as whoever publishes on the bus has sent it. */
void cairn_notes_take(struct cairn_notes *notes, const struct cairn_external_topic *topic,
    const struct cairn_msg_note *note, int64_t t_ns);

/* One line: `doorbell 12 s ago: "..."; ...`, newest first; empty when there are none that are young enough. */
void cairn_notes_line(const struct cairn_notes *notes, int64_t now_ns, char ret[CAIRN_NOTES_LINE_BYTES]);

#endif
