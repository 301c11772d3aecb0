/* gpio_lines.h - which line of a GPIO chip is what, as people write it: 'bumper 17 low, cliff 22 high'. Pure; who has the lines is
 * procs/gpio/gpio.h. */
#ifndef CAIRN_COMMON_DEVICE_GPIO_LINES_H
#define CAIRN_COMMON_DEVICE_GPIO_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_GPIO_LINES_MAX 8
#define CAIRN_GPIO_LINE_NUMBER_MAX 1023

struct cairn_gpio_lines {
	uint32_t count;
	int kind[CAIRN_GPIO_LINES_MAX]; /* index of its word */
	unsigned number[CAIRN_GPIO_LINES_MAX];
	bool low[CAIRN_GPIO_LINES_MAX]; /* the level that means yes */
};

/* words: what a line can be, NULL behind the last. False with what is wrong in err; empty text is no line. */
bool cairn_gpio_lines_parse(
    struct cairn_gpio_lines *lines, const char *text, const char *const words[], struct cairn_error *err);

#endif
