/* guard_lines.h - bumpers and cliff sensors that are switches on GPIO lines: which line is what, and what the levels of all
 * of them mean as a message. Pure; who reads the lines is procs/sensor-bridge/gpio.h. */
#ifndef CAIRN_COMMON_DEVICE_GUARD_LINES_H
#define CAIRN_COMMON_DEVICE_GUARD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "ipc/messages.h"

#define CAIRN_GUARD_LINES_MAX 8
#define CAIRN_GUARD_LINE_NUMBER_MAX 1023

enum cairn_guard_kind { CAIRN_GUARD_BUMPER, CAIRN_GUARD_BUMPER_REAR, CAIRN_GUARD_CLIFF, CAIRN_GUARD_KINDS };

struct cairn_guard_lines {
	uint32_t count;
	enum cairn_guard_kind kind[CAIRN_GUARD_LINES_MAX];
	unsigned number[CAIRN_GUARD_LINES_MAX];
	bool low[CAIRN_GUARD_LINES_MAX]; /* the level that means pressed, or no floor */
};

/* Of robot.guard_lines: 'bumper 17 low, cliff 22 high'. False with what is wrong in err; empty text is no line. */
bool cairn_guard_lines_parse(struct cairn_guard_lines *lines, const char *text, struct cairn_error *err);

bool cairn_guard_lines_have(const struct cairn_guard_lines *lines, enum cairn_guard_kind kind);

/* level[i] of line i: true = high. One of several sensors of a kind is enough. A floor that is seen is 0 m away, one that
 * is not infinitely far. */
struct cairn_msg_guard cairn_guard_lines_message(const struct cairn_guard_lines *lines, const bool level[]);

#endif
