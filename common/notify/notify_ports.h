/* notify_ports.h - what goes into the core and comes out of it, as tables (ipc/ports.h). */
#ifndef CAIRN_COMMON_NOTIFY_NOTIFY_PORTS_H
#define CAIRN_COMMON_NOTIFY_NOTIFY_PORTS_H

#include "common/notify/notify.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_notify_in[]; /* core: struct cairn_notify */
extern const struct cairn_out cairn_notify_out[];

#endif
