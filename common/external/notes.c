#include "common/external/notes.h"

#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"

void cairn_notes_take(struct cairn_notes *notes, const struct cairn_external_topic *topic,
    const struct cairn_msg_note *note, int64_t t_ns)
{
	uint32_t i = 0;
	while (i < notes->count && strcmp(notes->items[i].source, topic->name) != 0)
		i++;
	if (i == CAIRN_EXTERNAL_TOPICS_MAX)
		return;
	if (i == notes->count)
		notes->count++;
	struct cairn_note *n = &notes->items[i];
	snprintf(n->source, sizeof(n->source), "%.16s", topic->name);
	cairn_text_clean(n->text, sizeof(n->text), note->text, strnlen(note->text, sizeof(note->text)));
	n->t_ns = t_ns;
	n->max_age_ns = (int64_t)(topic->max_age_s * (double)CAIRN_NS_PER_S);
}

/* The newest that is older than *before_ns, or as old with a higher index; NULL: none is left. */
static const struct cairn_note *next_of(const struct cairn_notes *notes, int64_t now_ns, unsigned *shown)
{
	const struct cairn_note *best = NULL;
	for (uint32_t i = 0; i < notes->count; i++) {
		const struct cairn_note *n = &notes->items[i];
		bool young = now_ns - n->t_ns <= n->max_age_ns && n->text[0] != '\0';
		if (young && (*shown & 1u << i) == 0 && (best == NULL || n->t_ns > best->t_ns))
			best = n;
	}
	if (best != NULL)
		*shown |= 1u << (best - notes->items);
	return best;
}

void cairn_notes_line(const struct cairn_notes *notes, int64_t now_ns, char ret[CAIRN_NOTES_LINE_BYTES])
{
	unsigned shown = 0;
	int used = 0;
	ret[0] = '\0';
	for (int k = 0; k < CAIRN_NOTES_SHOWN; k++) {
		const struct cairn_note *n = next_of(notes, now_ns, &shown);
		if (n == NULL)
			return;
		double age_s = (double)(now_ns - n->t_ns) / (double)CAIRN_NS_PER_S;
		used +=
		    snprintf(ret + used, (size_t)(CAIRN_NOTES_LINE_BYTES - used), "%s%s %.0f s ago: \"%s\"",
			k > 0 ? "; " : "", n->source, age_s > 0.0 ? age_s : 0.0, n->text);
	}
}
