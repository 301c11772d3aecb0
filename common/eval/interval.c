#include "common/eval/interval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"

#define ALPHA 0.025

double cairn_normal_cdf(double z)
{
	return 0.5 * erfc(-z / sqrt(2.0));
}

double cairn_normal_quantile(double p)
{
	static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02,
	    1.383577518672690e+02, -3.066479806614716e+01, 2.506628277459239e+00};
	static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
	    6.680131188771972e+01, -1.328068155288572e+01};
	static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
	    -2.549732539343734e+00, 4.374664141464968e+00, 2.938163982698783e+00};
	static const double d[] = {
	    7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
	double tail = p < 0.5 ? p : 1.0 - p, z;
	if (tail < 0.02425) {
		double q = sqrt(-2.0 * log(tail));
		z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
		    ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
		z = p < 0.5 ? z : -z;
	} else {
		double q = p - 0.5, r = q * q;
		z = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
		    (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
	}
	double e = cairn_normal_cdf(z) - p, u = e * sqrt(2.0 * M_PI) * exp(0.5 * z * z);
	return z - u / (1.0 + 0.5 * z * u);
}

static int by_value(const void *p, const void *q)
{
	double x = *(const double *)p, y = *(const double *)q;
	return (x > y) - (x < y);
}

/* Of the mean: the sum of cubes over 6 times the sum of squares to the 3/2, of the jackknife's differences. */
static double acceleration(const double *x, uint32_t n, double sum)
{
	double cubes = 0.0, squares = 0.0, mean = sum / n;
	for (uint32_t i = 0; i < n; i++) {
		double d = mean - (sum - x[i]) / (n - 1);
		squares += d * d;
		cubes += d * d * d;
	}
	return squares > 0.0 ? cubes / (6.0 * pow(squares, 1.5)) : 0.0;
}

static double sorted_at(const double *sorted, uint32_t n, double share)
{
	double at = share * (n - 1);
	uint32_t i = (uint32_t)at;
	return i + 1 < n ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

static void bootstrap(const double *x, uint32_t n, struct cairn_interval *ret)
{
	double means[CAIRN_INTERVAL_RESAMPLES], sum = 0.0, below = 0.0;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, n, 41);
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	for (uint32_t k = 0; k < CAIRN_INTERVAL_RESAMPLES; k++) {
		double s = 0.0;
		for (uint32_t i = 0; i < n; i++)
			s += x[(uint32_t)(cairn_rng_uniform(&rng) * n)];
		means[k] = s / n;
		below += means[k] < ret->mean ? 1.0 : means[k] > ret->mean ? 0.0 : 0.5;
	}
	qsort(means, CAIRN_INTERVAL_RESAMPLES, sizeof(means[0]), by_value);
	double share = below / CAIRN_INTERVAL_RESAMPLES, least = 0.5 / CAIRN_INTERVAL_RESAMPLES;
	double z0 = cairn_normal_quantile(fmin(fmax(share, least), 1.0 - least)), a = acceleration(x, n, sum);
	double z = cairn_normal_quantile(ALPHA), low = z0 + z, high = z0 - z;
	ret->low = sorted_at(means, CAIRN_INTERVAL_RESAMPLES, cairn_normal_cdf(z0 + low / (1.0 - a * low)));
	ret->high =
	    sorted_at(means, CAIRN_INTERVAL_RESAMPLES, cairn_normal_cdf(z0 + high / (1.0 - a * high)));
}

struct cairn_interval cairn_interval_of_mean(const double *values, uint32_t count)
{
	double x[CAIRN_INTERVAL_MAX], sum = 0.0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < count && n < CAIRN_INTERVAL_MAX; i++)
		if (isfinite(values[i]))
			sum += x[n++] = values[i];
	struct cairn_interval r = {.mean = NAN, .low = NAN, .high = NAN, .count = n};
	if (n == 0)
		return r;
	r.mean = r.low = r.high = sum / n;
	if (n > 1)
		bootstrap(x, n, &r);
	return r;
}
