/* rng.h - a small seeded random source, passed to whoever needs chance (never global).
 *
 * PCG32 (O'Neill 2014, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms"). The same
 * seed gives the same numbers on every machine. Zero-initialised state is valid but always the same stream. */
#ifndef CAIRN_COMMON_BASE_RNG_H
#define CAIRN_COMMON_BASE_RNG_H

#include <math.h>
#include <stdint.h>

struct cairn_rng {
	uint64_t state, inc;
};

static inline uint32_t cairn_rng_u32(struct cairn_rng *rng)
{
	uint64_t old = rng->state;
	rng->state = old * UINT64_C(6364136223846793005) + (rng->inc | 1u);
	uint32_t x = (uint32_t)(((old >> 18u) ^ old) >> 27u);
	uint32_t rot = (uint32_t)(old >> 59u);
	return (x >> rot) | (x << ((-rot) & 31u));
}

static inline void cairn_rng_seed(struct cairn_rng *rng, uint64_t seed, uint64_t stream)
{
	rng->state = 0;
	rng->inc = (stream << 1u) | 1u;
	(void)cairn_rng_u32(rng);
	rng->state += seed;
	(void)cairn_rng_u32(rng);
}

/* Uniform in [0, 1). */
static inline double cairn_rng_uniform(struct cairn_rng *rng)
{
	return cairn_rng_u32(rng) * (1.0 / 4294967296.0);
}

/* Standard normal, by Box and Muller; the second value is thrown away to keep the state one number. */
static inline double cairn_rng_normal(struct cairn_rng *rng)
{
	double u = 1.0 - cairn_rng_uniform(rng), v = cairn_rng_uniform(rng);
	return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

/* Two standard normals that know nothing of each other, for half the work each. */
static inline void cairn_rng_normals(struct cairn_rng *rng, double ret[2])
{
	double u = 1.0 - cairn_rng_uniform(rng), turn_rad = 2.0 * M_PI * cairn_rng_uniform(rng);
	double length = sqrt(-2.0 * log(u));
	ret[0] = length * cos(turn_rad);
	ret[1] = length * sin(turn_rad);
}

#endif
