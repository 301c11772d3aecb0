/* guard_lines.h - bumpers and cliff sensors that are switches on GPIO lines: which line is what, and what the levels of all
 * of them mean as a message. Pure. */
#ifndef CAIRN_COMMON_DEVICE_GUARD_LINES_H
#define CAIRN_COMMON_DEVICE_GUARD_LINES_H

#include "common/device/gpio_lines.h"
#include "ipc/messages.h"

enum cairn_guard_kind { CAIRN_GUARD_BUMPER, CAIRN_GUARD_BUMPER_REAR, CAIRN_GUARD_CLIFF, CAIRN_GUARD_KINDS };

/* Of robot.guard_lines: 'bumper 17 low, cliff 22 high'. False with what is wrong in err; empty text is no line. */
bool cairn_guard_lines_parse(struct cairn_gpio_lines *lines, const char *text, struct cairn_error *err);

bool cairn_guard_lines_have(const struct cairn_gpio_lines *lines, enum cairn_guard_kind kind);

/* level[i] of line i: true = high. One of several sensors of a kind is enough. A floor that is seen is 0 m away, one that
 * is not infinitely far. */
struct cairn_msg_guard cairn_guard_lines_message(const struct cairn_gpio_lines *lines, const bool level[]);

#endif
