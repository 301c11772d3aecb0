/* local_ports.h - what goes into the core of the stage local and comes out of it, as tables (ipc/ports.h). */
#ifndef CAIRN_COMMON_LOCAL_LOCAL_PORTS_H
#define CAIRN_COMMON_LOCAL_LOCAL_PORTS_H

#include "common/local/local.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_local_in[]; /* core: struct cairn_local */
extern const struct cairn_out cairn_local_out[];

#endif
