/* order.h - a command as people type it ("goto", "1.5 -0.5") into the request that its service takes. Pure. */
#ifndef CAIRN_COMMON_WEB_ORDER_H
#define CAIRN_COMMON_WEB_ORDER_H

#include "ipc/commands.h"

/* The row of a name as `cairn` has it (cairn_command_name), or NULL. Pings are none: they are for programs. */
const struct cairn_command_row *cairn_web_order_find(const char *name);
/* Fills verb and arguments of *ret from what stands behind the name on a command line; who and key are the caller's. False with
 * the usage in err. */
bool cairn_web_order_parse(const struct cairn_command_row *row, const char *args,
    struct cairn_msg_command *ret, struct cairn_error *err);

#endif
