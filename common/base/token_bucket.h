/* token_bucket.h - how often somebody may do something: per_s a second, in bursts of burst_s seconds' worth. Pure. */
#ifndef CAIRN_COMMON_BASE_TOKEN_BUCKET_H
#define CAIRN_COMMON_BASE_TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_token_bucket {
	double tokens;
	int64_t t_ns; /* 0 = full */
};

/* Takes one token; false when there is none. A bucket holds one at least, however small the rate. */
bool cairn_token_bucket_take(struct cairn_token_bucket *bucket, double per_s, double burst_s, int64_t now_ns);

#endif
