#include "common/base/repeats.h"

#include <string.h>

#define PRIME UINT64_C(0x9E3779B97F4A7C15) /* odd, bits well mixed */

static uint64_t stir(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * PRIME;
	return sum ^ (sum >> 32);
}

static uint64_t sum_of(const unsigned char *bytes, size_t count)
{
	uint64_t sum = PRIME, word;
	size_t i = 0;
	for (; i + sizeof(word) <= count; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		sum = stir(sum, word);
	}
	word = 0;
	memcpy(&word, bytes + i, count - i);
	sum = stir(stir(sum, word), count);
	return sum != 0 ? sum : 1; /* 0 is an empty place */
}

bool cairn_repeats_take(struct cairn_repeats *r, const void *bytes, size_t count)
{
	uint64_t sum = sum_of(bytes, count);
	r->now = false;
	for (int i = 0; i < CAIRN_REPEATS_KEPT; i++)
		r->now |= r->sums[i] == sum;
	r->count += r->now;
	if (r->now)
		return true;
	r->sums[r->next] = sum;
	r->next = (r->next + 1) % CAIRN_REPEATS_KEPT;
	return false;
}
