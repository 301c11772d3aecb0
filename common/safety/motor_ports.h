/* motor_ports.h - what goes into the motor's gate, and comes out of it, as tables (ipc/ports.h). It judges each header itself, and the
 * velocity that it decides on goes to the board. */
#ifndef CAIRN_COMMON_SAFETY_MOTOR_PORTS_H
#define CAIRN_COMMON_SAFETY_MOTOR_PORTS_H

#include "common/safety/motor_gate.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_motor_in[]; /* core: struct cairn_motor */
extern const struct cairn_out cairn_motor_out[];

#endif
