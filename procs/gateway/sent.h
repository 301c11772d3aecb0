/* sent.h - the pictures that went to the model, by decision: FOLDER/ID.jpg, and ID-above.jpg where a second one went. The
 * text stands in the log of decisions. Beyond the quota the oldest go. */
#ifndef CAIRN_PROCS_GATEWAY_SENT_H
#define CAIRN_PROCS_GATEWAY_SENT_H

#include "common/vlm/dialog.h"

struct sent {
	char folder[400]; /* made when the first picture comes */
	double quota_bytes, bytes;
};

/* Counts what the folder holds already. */
void sent_init(struct sent *sent, const char *folder, double quota_bytes);

/* Nothing, when the question went without a picture. False with the reason. */
bool sent_keep(
    struct sent *sent, uint64_t decision_id, const struct cairn_dialog_question *q, struct cairn_error *err);

#endif
