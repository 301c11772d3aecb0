/* signal_lines.h - beeper and lights on GPIO lines: which line is what, and the levels of all of them. Pure. */
#ifndef CAIRN_COMMON_SIGNAL_SIGNAL_LINES_H
#define CAIRN_COMMON_SIGNAL_SIGNAL_LINES_H

#include "common/device/gpio_lines.h"
#include "common/signal/signal.h"

/* Of robot.signal_lines: 'buzzer 5 high, light_red 6 high'. False with what is wrong in err; empty text is no line. */
bool cairn_signal_lines_parse(struct cairn_gpio_lines *lines, const char *text, struct cairn_error *err);
/* ret_level[i] of line i, true = high. A lamp can only be on or off: a part of the colour above the half switches its lamp on. */
void cairn_signal_lines_levels(
    const struct cairn_gpio_lines *lines, struct cairn_signal_look look, bool ret_level[]);

#endif
