/* interval.h - a mean and how sure it is: 95 % bootstrap intervals, bias-corrected and accelerated (BCa; Efron and
 * Tibshirani 1993, "An Introduction to the Bootstrap", chapter 14).
 *
 * The values must not depend on each other. Those of several seeds in one house do: hand in one mean a house. For what two
 * ways differ by, hand in the differences of pairs. Deterministic: the same values give the same interval. */
#ifndef CAIRN_COMMON_EVAL_INTERVAL_H
#define CAIRN_COMMON_EVAL_INTERVAL_H

#include <stdint.h>

#define CAIRN_INTERVAL_RESAMPLES 4000
#define CAIRN_INTERVAL_MAX 4096 /* values; of more the first are taken */

struct cairn_interval {
	double mean, low, high; /* low = high = mean for a single value; not a number for none */
	uint32_t count;
};

/* Values that are not finite are left out. */
struct cairn_interval cairn_interval_of_mean(const double *values, uint32_t count);

/* Standard normal distribution function, and its inverse for p in (0, 1) (Acklam's approximation with one step of Halley's
 * method: full precision). */
double cairn_normal_cdf(double z);
double cairn_normal_quantile(double p);

#endif
