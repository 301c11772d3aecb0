/* narrow_gap.h - gaps that are too narrow for the robot, as people are told of them: each once, however many openings lie behind. */
#ifndef CAIRN_COMMON_MAP_NARROW_GAP_H
#define CAIRN_COMMON_MAP_NARROW_GAP_H

#include <stddef.h>

#include "ipc/messages.h"

/* True when a gap keeps the robot from items[at], and from none of those before it. */
bool cairn_narrow_gap_first(const struct cairn_msg_frontier *items, uint32_t at);
/* Metres that the gap lacks; needs_m: of the message. */
double cairn_narrow_gap_short_m(const struct cairn_msg_frontier *f, double needs_m);
/* "0.33 m at (1.20, -0.45), 0.05 m too narrow" */
void cairn_narrow_gap_text(const struct cairn_msg_frontier *f, double needs_m, char *ret, size_t cap);

#endif
