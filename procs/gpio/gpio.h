/* gpio.h - lines of a GPIO chip, inputs or outputs, by libgpiod 1. A build without that library refuses to open. */
#ifndef CAIRN_PROCS_GPIO_GPIO_H
#define CAIRN_PROCS_GPIO_GPIO_H

#include "common/device/gpio_lines.h"

struct gpio_lines;

/* Requests the lines as inputs with pull-up, so that a switch to ground is all the wiring. NULL with the reason in err. */
struct gpio_lines *gpio_open(const char *chip, const struct cairn_gpio_lines *which, struct cairn_error *err);
/* The same as outputs that begin with these levels; true = high. */
struct gpio_lines *gpio_open_outputs(
    const char *chip, const struct cairn_gpio_lines *which, const bool level[], struct cairn_error *err);
/* All lines at one moment. False with the reason in err: the chip is gone. */
bool gpio_read(struct gpio_lines *lines, bool ret_level[], struct cairn_error *err);
bool gpio_write(struct gpio_lines *lines, const bool level[], struct cairn_error *err);
/* Does nothing with NULL. */
void gpio_close(struct gpio_lines **lines_p);

#endif
