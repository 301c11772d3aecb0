/* Preloaded into the stages guard-bridge and signals in place of libgpiod, as kernels without gpio-sim have no chip to try: the chip is a
 * file, and byte N of it is the level of line N, '0' or '1'. Only what procs/gpio/gpio.c calls is here. */
#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static char chip_path[256];

struct gpiod_chip *gpiod_chip_open(const char *path)
{
	snprintf(chip_path, sizeof(chip_path), "%s", path);
	return access(path, R_OK) == 0 ? (struct gpiod_chip *)chip_path : NULL;
}

void gpiod_chip_close(struct gpiod_chip *chip)
{
	((char *)chip)[0] = '\0';
}

int gpiod_chip_get_lines(
    struct gpiod_chip *chip, unsigned int *offsets, unsigned int count, struct gpiod_line_bulk *bulk)
{
	(void)chip;
	gpiod_line_bulk_init(bulk);
	for (unsigned i = 0; i < count; i++)
		gpiod_line_bulk_add(bulk, (struct gpiod_line *)(uintptr_t)(offsets[i] + 1));
	return 0;
}

int gpiod_line_request_bulk_input_flags(struct gpiod_line_bulk *bulk, const char *consumer, int flags)
{
	(void)bulk;
	errno = EINVAL;
	return consumer != NULL && flags == GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP ? 0 : -1;
}

int gpiod_line_set_value_bulk(struct gpiod_line_bulk *bulk, const int *values)
{
	int fd = open(chip_path, O_WRONLY | O_CLOEXEC), result = fd >= 0 ? 0 : -1;
	for (unsigned i = 0; i < bulk->num_lines && result == 0; i++) {
		char c = '0';
		if (values[i] != 0)
			c = '1';
		if (pwrite(fd, &c, 1, (off_t)((uintptr_t)bulk->lines[i] - 1)) != 1)
			result = -1;
	}
	if (fd >= 0)
		close(fd);
	errno = ENODEV;
	return result;
}

int gpiod_line_request_bulk_output(
    struct gpiod_line_bulk *bulk, const char *consumer, const int *default_vals)
{
	return consumer != NULL ? gpiod_line_set_value_bulk(bulk, default_vals) : -1;
}

int gpiod_line_get_value_bulk(struct gpiod_line_bulk *bulk, int *values)
{
	int fd = open(chip_path, O_RDONLY | O_CLOEXEC), result = fd >= 0 ? 0 : -1;
	for (unsigned i = 0; i < bulk->num_lines && result == 0; i++) {
		char c;
		if (pread(fd, &c, 1, (off_t)((uintptr_t)bulk->lines[i] - 1)) != 1)
			result = -1;
		values[i] = c == '1';
	}
	if (fd >= 0)
		close(fd);
	errno = ENODEV;
	return result;
}
