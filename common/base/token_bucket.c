#include "common/base/token_bucket.h"

#include <math.h>

bool cairn_token_bucket_take(struct cairn_token_bucket *bucket, double per_s, double burst_s, int64_t now_ns)
{
	double full = fmax(per_s * burst_s, 1.0);
	if (bucket->t_ns == 0)
		bucket->tokens = full;
	else if (now_ns > bucket->t_ns)
		bucket->tokens = fmin(full, bucket->tokens + (double)(now_ns - bucket->t_ns) * 1e-9 * per_s);
	bucket->t_ns = now_ns;
	if (bucket->tokens < 1.0)
		return false;
	bucket->tokens -= 1.0;
	return true;
}
