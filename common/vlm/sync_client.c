#include "common/vlm/sync_client.h"

#include "common/vlm/dialog_private.h"

#define SENDS_MAX 6 /* a question and its follow-ups; the dialog itself makes one */

bool cairn_dialog_sync(struct cairn_dialog *d, int64_t now_ns, cairn_sync_client_fn *send, void *ctx,
    struct cairn_msg_decision *ret, struct cairn_error *err)
{
	for (int i = 0; i < SENDS_MAX; i++) {
		const char *body;
		size_t bytes;
		struct cairn_dialog_outcome outcome = {.retry_after_s = -1.0};
		if (cairn_dialog_poll(d, now_ns, &body, &bytes) != CAIRN_DIALOG_SEND) {
			cairn_error_set(err, "%s", cairn_dialog_note(d, now_ns));
			return false;
		}
		if (!send(ctx, &d->who.peers[d->who.peer].profile, body, bytes, &outcome, err))
			return false;
		cairn_dialog_ended(d, now_ns, &outcome);
		if (cairn_dialog_take_decision(d, ret))
			return true;
		if (!d->call.followup) {
			cairn_error_set(err, "%s", d->tally.last_error);
			return false;
		}
	}
	cairn_error_set(err, "the model asks on and on");
	return false;
}
