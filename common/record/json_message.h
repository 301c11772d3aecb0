/* json_message.h - a message of the bus out of the JSON that cairn_msg_to_json() wrote with its header. Nothing is believed: types,
 * lengths and names are checked as cairn_msg_decode() does; unknown fields are skipped, missing ones are zero, null is not a number. */
#ifndef CAIRN_COMMON_RECORD_JSON_MESSAGE_H
#define CAIRN_COMMON_RECORD_JSON_MESSAGE_H

#include "ipc/messages.h"

/* msg: desc->size bytes, zeroed first. False with the reason. */
bool cairn_msg_from_json(const struct cairn_msg_desc *desc, const void *json, size_t bytes,
    struct cairn_header *hdr, void *msg, struct cairn_error *err);

/* Maps every stamp: each 64-bit signed number of a message that is not 0 becomes fn's answer, lists included. All of
 * them are monotonic times in ns (ipc/messages.def). */
typedef int64_t cairn_stamp_fn(const void *ctx, int64_t t_ns);
void cairn_msg_map_stamps(const struct cairn_msg_desc *desc, void *msg, cairn_stamp_fn *fn, const void *ctx);

#endif
