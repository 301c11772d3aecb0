/* journal.h - the chained journal of decisions as files: FOLDER/journal.jsonl, the part before it, and the head (common/record/journal.h). */
#ifndef CAIRN_PROCS_GATEWAY_JOURNAL_H
#define CAIRN_PROCS_GATEWAY_JOURNAL_H

#include "common/record/journal.h"
#include "common/vlm/dialog.h"

struct journal {
	char path[420], head[420];
	size_t part_bytes; /* at this size a part is put aside, and the one aside is gone */
	struct cairn_journal_link link;
	struct cairn_text line, text;
};

/* Continues the chain that is there. What a kill left of a record is cut off; a chain that does not end well is put aside as
 * journal.jsonl.damaged, told in err (false), and a new one is begun. Usable either way. */
bool journal_open(struct journal *j, const char *folder, double quota_bytes, struct cairn_error *err);
void journal_close(struct journal *j);

/* A decision: its line of the log, and the hashes of what it was made of. system: the standing part of the prompt. */
bool journal_decision(struct journal *j, double unix_s, const struct cairn_text *log_line,
    const struct cairn_dialog_question *q, const char *system, struct cairn_error *err);
/* What became of one: its line of the log, with the verdict and the motion. */
bool journal_result(
    struct journal *j, double unix_s, const struct cairn_text *log_line, struct cairn_error *err);

#endif
