/* decision_record.h - what is written of each decision and of how it ended: a line of the log, a record of the journal, and the picture and
 * text that the model was sent. For people who want to see what a decision was made of; what cannot be written is told, and the robot goes
 * on. */
#ifndef CAIRN_PROCS_GATEWAY_DECISION_RECORD_H
#define CAIRN_PROCS_GATEWAY_DECISION_RECORD_H

#include "procs/gateway/journal.h"
#include "procs/gateway/sent.h"
#include "procs/shell/stage.h"

struct decision_record {
	struct cairn_stage *stage;
	struct cairn_dialog *dialog;
	const char *system; /* the prompt */
	char log_path[512];
	struct cairn_text line;
	struct sent sent;
	struct journal journal;
};

/* All borrowed. Goes on with what folder holds; a journal that was damaged is put aside, and said. */
void decision_record_open(struct decision_record *r, struct cairn_stage *stage, struct cairn_dialog *dialog,
    const char *system, const char *folder);
void decision_record_close(struct decision_record *r);

/* Of the dialog's newest decision. */
void decision_record_decided(struct decision_record *r);
void decision_record_ended(struct decision_record *r, const struct cairn_msg_result *result);

#endif
