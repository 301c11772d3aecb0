/* A build without libgpiod: GPIO lines are refused with what is missing, and nothing else happens. */
#include "procs/gpio/gpio.h"
#include "test/support/runner.h"

static const struct cairn_gpio_lines lines = {.count = 1, .number = {17}};

START_TEST(lines_are_refused_with_the_chip_and_the_package_that_is_missing)
{
	struct cairn_error err = {""};
	const bool level[CAIRN_GPIO_LINES_MAX] = {false};
	ck_assert_ptr_null(gpio_open("/dev/gpiochip0", &lines, &err));
	ck_assert_str_eq(err.text,
	    "/dev/gpiochip0: this build is without libgpiod 1; install libgpiod-dev and build anew");
	err.text[0] = '\0';
	ck_assert_ptr_null(gpio_open_outputs("/dev/gpiochip4", &lines, level, &err));
	ck_assert_str_eq(err.text,
	    "/dev/gpiochip4: this build is without libgpiod 1; install libgpiod-dev and build anew");
}
END_TEST

CAIRN_TEST_MAIN("gpio-without", lines_are_refused_with_the_chip_and_the_package_that_is_missing)
