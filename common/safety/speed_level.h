/* speed_level.h - speeds in words: what move_toward asks for, and what the free way allows. */
#ifndef CAIRN_COMMON_SAFETY_SPEED_LEVEL_H
#define CAIRN_COMMON_SAFETY_SPEED_LEVEL_H

#include "ipc/messages.h"

/* m/s of a speed word; 0 for a value that is none. */
double cairn_speed_mps(enum cairn_speed speed);
/* The fastest word that does not exceed limit_mps; creep below all of them, stop at 0 and for not a number.
 */
enum cairn_pace cairn_speed_level_of(double limit_mps);

#endif
