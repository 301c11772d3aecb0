#include "procs/gpio/gpio.h"

#if CAIRN_GPIOD

#include <errno.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CAIRN_GPIO_LINES_MAX <= GPIOD_LINE_BULK_MAX_LINES, "more lines than libgpiod takes at once");

struct gpio_lines {
	struct gpiod_chip *chip;
	struct gpiod_line_bulk bulk;
};

/* level NULL: inputs. */
static int request(struct gpio_lines *g, const struct cairn_gpio_lines *which, const bool level[])
{
	int value[CAIRN_GPIO_LINES_MAX];
	if (level == NULL)
		return gpiod_line_request_bulk_input_flags(
		    &g->bulk, "cairn", GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP);
	for (uint32_t i = 0; i < which->count; i++)
		value[i] = level[i];
	return gpiod_line_request_bulk_output(&g->bulk, "cairn", value);
}

static struct gpio_lines *open_lines(
    const char *chip, const struct cairn_gpio_lines *which, const bool level[], struct cairn_error *err)
{
	unsigned offsets[CAIRN_GPIO_LINES_MAX];
	struct gpio_lines *g = calloc(1, sizeof(*g));
	if (g == NULL) {
		cairn_error_set(err, "%s: out of memory", chip);
		return NULL;
	}
	memcpy(offsets, which->number, which->count * sizeof(offsets[0]));
	g->chip = gpiod_chip_open(chip);
	if (g->chip == NULL)
		cairn_error_set(err, "%s: %s", chip, strerror(errno));
	else if (gpiod_chip_get_lines(g->chip, offsets, which->count, &g->bulk) != 0)
		cairn_error_set(err, "%s: has no such line: %s", chip, strerror(errno));
	else if (request(g, which, level) != 0)
		cairn_error_set(err, "%s: cannot have the lines: %s", chip, strerror(errno));
	else
		return g;
	gpio_close(&g);
	return NULL;
}

bool gpio_read(struct gpio_lines *lines, bool ret_level[], struct cairn_error *err)
{
	int value[CAIRN_GPIO_LINES_MAX];
	if (gpiod_line_get_value_bulk(&lines->bulk, value) != 0) {
		cairn_error_set(err, "cannot read the lines: %s", strerror(errno));
		return false;
	}
	for (unsigned i = 0; i < gpiod_line_bulk_num_lines(&lines->bulk); i++)
		ret_level[i] = value[i] != 0;
	return true;
}

bool gpio_write(struct gpio_lines *lines, const bool level[], struct cairn_error *err)
{
	int value[CAIRN_GPIO_LINES_MAX];
	for (unsigned i = 0; i < gpiod_line_bulk_num_lines(&lines->bulk); i++)
		value[i] = level[i];
	if (gpiod_line_set_value_bulk(&lines->bulk, value) == 0)
		return true;
	cairn_error_set(err, "cannot set the lines: %s", strerror(errno));
	return false;
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

static struct gpio_lines *open_lines(
    const char *chip, const struct cairn_gpio_lines *which, const bool level[], struct cairn_error *err)
{
	(void)which, (void)level;
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

bool gpio_write(struct gpio_lines *lines, const bool level[], struct cairn_error *err)
{
	(void)lines, (void)level;
	cairn_error_set(err, "this build is without libgpiod 1");
	return false;
}

void gpio_close(struct gpio_lines **lines_p)
{
	*lines_p = NULL;
}

#endif

struct gpio_lines *gpio_open(const char *chip, const struct cairn_gpio_lines *which, struct cairn_error *err)
{
	return open_lines(chip, which, NULL, err);
}

struct gpio_lines *gpio_open_outputs(
    const char *chip, const struct cairn_gpio_lines *which, const bool level[], struct cairn_error *err)
{
	return open_lines(chip, which, level, err);
}
