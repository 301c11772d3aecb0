/* Numbers as text, against printf. */
#include "common/base/short_float.h"

#include <math.h>
#include <stdint.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

static void must_be_printfs(float value)
{
	char ours[CAIRN_SHORT_FLOAT_BYTES], theirs[64];
	size_t length = cairn_short_float(value, ours);
	snprintf(theirs, sizeof(theirs), "%.6g", (double)value);
	ck_assert_msg(strcmp(ours, theirs) == 0 && length == strlen(theirs), "%a: %s, but %s", (double)value,
	    ours, theirs);
}

static float of_bits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

START_TEST(numbers_read_as_printf_writes_them)
{
	static const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.1f, 0.5f, 10.0f, 99.99995f, 100000.5f,
	    999999.0f, 999998.5f, 999999.5f, 1e6f, 1e-4f, 9.99999e-5f, 0.000123456f, 3.14159265f, INFINITY,
	    -INFINITY, NAN, 1.17549435e-38f, 1e-45f, 3.4028235e38f};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		must_be_printfs(values[i]);
}
END_TEST

START_TEST(numbers_beside_each_power_of_ten_and_each_tie_read_so_too)
{
	for (int e = -6; e <= 8; e++)
		for (int k = -300; k <= 300; k++) {
			uint32_t bits;
			float power = (float)pow(10.0, e);
			memcpy(&bits, &power, sizeof(bits));
			must_be_printfs(of_bits(bits + (uint32_t)k));
		}
	for (int i = 0; i < 200000; i++) /* halves in the last digit: exact in binary */
		must_be_printfs((float)i + 0.5f);
	for (int i = 0; i < 200000; i++)
		must_be_printfs((float)i / 64.0f);
}
END_TEST

START_TEST(numbers_of_any_bits_read_so_too)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	for (int i = 0; i < CAIRN_ROUNDS(400000); i++) {
		must_be_printfs(of_bits(cairn_rng_u32(&rng)));
		must_be_printfs((float)(cairn_rng_u32(&rng) * 0x1p-32 * pow(10.0, i % 12 - 5)));
	}
}
END_TEST

CAIRN_TEST_MAIN("short float", numbers_read_as_printf_writes_them,
    numbers_beside_each_power_of_ten_and_each_tie_read_so_too, numbers_of_any_bits_read_so_too)
