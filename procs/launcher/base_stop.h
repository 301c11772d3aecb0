/* base_stop.h - stops the wheels when the process whose business that is has gone. */
#ifndef CAIRN_PROCS_LAUNCHER_BASE_STOP_H
#define CAIRN_PROCS_LAUNCHER_BASE_STOP_H

#include "common/config/config.h"

/* The board holds its last command for ever. The kernel lets a second opener write the stop frame to it. True
 * when it was written, or when there is no device to stop; false with errno. */
bool cairn_base_stop(const struct cairn_config_robot *robot, const char *run_dir);

#endif
