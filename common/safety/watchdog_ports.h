/* watchdog_ports.h - what goes into the watchdog and comes out of it, as tables (ipc/ports.h). The heartbeats, one endpoint a
 * stage, are read beside them. */
#ifndef CAIRN_COMMON_SAFETY_WATCHDOG_PORTS_H
#define CAIRN_COMMON_SAFETY_WATCHDOG_PORTS_H

#include "common/safety/watchdog.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_watchdog_in[]; /* core: struct cairn_watchdog */
extern const struct cairn_out cairn_watchdog_out[];

#endif
