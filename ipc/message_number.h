/* message_number.h - a number of a message by its name: "v_mps", "gyro_radps[2]", "items[0].x_m". Pure. */
#ifndef CAIRN_IPC_MESSAGE_NUMBER_H
#define CAIRN_IPC_MESSAGE_NUMBER_H

#include "ipc/messages.h"

#define CAIRN_MSG_NUMBER_DEPTH 4 /* lists in lists; no message has more */

struct cairn_msg_number {
	int depth;
	struct {
		const struct cairn_field *field;
		uint32_t index; /* in a list */
	} steps[CAIRN_MSG_NUMBER_DEPTH];
};

/* Where it stands in messages of this kind. A truth value counts as 0 or 1, an enum as its place in the table. False with the reason,
 * and the fields that there are, in err; *ret untouched. */
bool cairn_msg_number_find(const struct cairn_msg_desc *desc, const char *path, struct cairn_msg_number *ret,
    struct cairn_error *err);
/* False when the list is shorter in this message. */
bool cairn_msg_number_get(const struct cairn_msg_number *n, const void *msg, double *ret);

#endif
