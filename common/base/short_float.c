#include "common/base/short_float.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 6

/* Trailing zeros and a point without digits behind it do not count. */
static size_t trimmed(const char *text, size_t n)
{
	while (text[n - 1] == '0')
		n--;
	return text[n - 1] == '.' ? n - 1 : n;
}

/* The six digits with their point: the first has the weight 10^exponent, -4 to 5. */
static size_t place_point(const char digits[DIGITS], int exponent, char *ret)
{
	size_t whole = exponent >= 0 ? (size_t)exponent + 1 : 0;
	if (whole > 0) {
		memcpy(ret, digits, whole);
		ret[whole] = '.';
		memcpy(ret + whole + 1, digits + whole, DIGITS - whole);
		return trimmed(ret, DIGITS + 1);
	}
	size_t zeros = (size_t)(-exponent - 1);
	memcpy(ret, "0.000", 2 + zeros);
	memcpy(ret + 2 + zeros, digits, DIGITS);
	return trimmed(ret, 2 + zeros + DIGITS);
}

size_t cairn_short_float(float value, char ret[CAIRN_SHORT_FLOAT_BYTES])
{
	static const double powers[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5};
	static const double scales[] = {1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0};
	double size = fabs((double)value);
	if (!(size >= 1e-4 && size < 999999.0)) /* written with an exponent, or none of these at all */
		return (size_t)snprintf(ret, CAIRN_SHORT_FLOAT_BYTES, "%.6g", (double)value);
	int i = 0;
	while (i < 9 && size >= powers[i + 1])
		i++;
	/* Exact: 24 bits times 5^9, which has 21. So this rounds what printf rounds, to even as it does. */
	unsigned n = (unsigned)rint(size * scales[i]);
	if (n == 1000000) {
		n = 100000;
		i++;
	}
	char digits[DIGITS];
	for (int k = DIGITS - 1; k >= 0; k--, n /= 10)
		digits[k] = (char)('0' + n % 10);
	size_t sign = value < 0.0f ? 1 : 0;
	ret[0] = '-';
	size_t length = sign + place_point(digits, i - 4, ret + sign);
	ret[length] = '\0';
	return length;
}
