#include "procs/sensor-bridge/gpio.h"

#if CAIRN_GPIOD

#include <errno.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>

struct gpio_lines {
	struct gpiod_chip *chip;
	struct gpiod_line_bulk bulk;
};

struct gpio_lines *gpio_open(
    const char *chip, const unsigned number[], uint32_t count, struct cairn_error *err)
{
	unsigned offsets[GPIOD_LINE_BULK_MAX_LINES];
	struct gpio_lines *g = calloc(1, sizeof(*g));
	if (g == NULL || count > GPIOD_LINE_BULK_MAX_LINES) {
		cairn_error_set(err, "%s: out of memory", chip);
		free(g);
		return NULL;
	}
	memcpy(offsets, number, count * sizeof(offsets[0]));
	g->chip = gpiod_chip_open(chip);
	if (g->chip == NULL)
		cairn_error_set(err, "%s: %s", chip, strerror(errno));
	else if (gpiod_chip_get_lines(g->chip, offsets, count, &g->bulk) != 0)
		cairn_error_set(err, "%s: has no such line: %s", chip, strerror(errno));
	else if (gpiod_line_request_bulk_input_flags(
		     &g->bulk, "cairn", GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP) != 0)
		cairn_error_set(err, "%s: cannot have the lines: %s", chip, strerror(errno));
	else
		return g;
	gpio_close(&g);
	return NULL;
}

bool gpio_read(struct gpio_lines *lines, bool ret_level[], struct cairn_error *err)
{
	int value[GPIOD_LINE_BULK_MAX_LINES];
	if (gpiod_line_get_value_bulk(&lines->bulk, value) != 0) {
		cairn_error_set(err, "cannot read the lines: %s", strerror(errno));
		return false;
	}
	for (unsigned i = 0; i < gpiod_line_bulk_num_lines(&lines->bulk); i++)
		ret_level[i] = value[i] != 0;
	return true;
}

void gpio_close(struct gpio_lines **lines_p)
{
	if (*lines_p == NULL)
		return;
	if ((*lines_p)->chip != NULL)
		gpiod_chip_close((*lines_p)->chip); /* gives the lines back, too */
	free(*lines_p);
	*lines_p = NULL;
}

#else

struct gpio_lines *gpio_open(
    const char *chip, const unsigned number[], uint32_t count, struct cairn_error *err)
{
	(void)number, (void)count;
	cairn_error_set(
	    err, "%s: this build is without libgpiod 1; install libgpiod-dev and build anew", chip);
	return NULL;
}

bool gpio_read(struct gpio_lines *lines, bool ret_level[], struct cairn_error *err)
{
	(void)lines, (void)ret_level;
	cairn_error_set(err, "this build is without libgpiod 1");
	return false;
}

void gpio_close(struct gpio_lines **lines_p)
{
	*lines_p = NULL;
}

#endif
