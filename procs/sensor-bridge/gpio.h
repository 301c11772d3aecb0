/* gpio.h - levels of some input lines of a GPIO chip, by libgpiod 1. A build without that library refuses to open. */
#ifndef CAIRN_PROCS_SENSOR_BRIDGE_GPIO_H
#define CAIRN_PROCS_SENSOR_BRIDGE_GPIO_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct gpio_lines;

/* Requests the lines as inputs with pull-up, so that a switch to ground is all the wiring. NULL with the reason in err. */
struct gpio_lines *gpio_open(
    const char *chip, const unsigned number[], uint32_t count, struct cairn_error *err);
/* All lines at one moment; true = high. False with the reason in err: the chip is gone. */
bool gpio_read(struct gpio_lines *lines, bool ret_level[], struct cairn_error *err);
/* Does nothing with NULL. */
void gpio_close(struct gpio_lines **lines_p);

#endif
