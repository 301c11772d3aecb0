/* signal_ports.h - what goes into the core of the stage signals and comes out of it, as tables (ipc/ports.h). */
#ifndef CAIRN_COMMON_SIGNAL_SIGNAL_PORTS_H
#define CAIRN_COMMON_SIGNAL_SIGNAL_PORTS_H

#include "common/signal/signal.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_signals_in[]; /* core: struct cairn_signals */
extern const struct cairn_out cairn_signals_out[];

#endif
