/* retry.h - what has failed is tried again, less and less often: after 0.25, 0.5, 1, 2, 4, then every 5 s. All zero: due now. */
#ifndef CAIRN_COMMON_BASE_RETRY_H
#define CAIRN_COMMON_BASE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_RETRY_FIRST_NS INT64_C(250000000)
#define CAIRN_RETRY_MAX_NS INT64_C(5000000000)

struct cairn_retry {
	int64_t wait_ns, due_ns; /* 0: the last try succeeded */
};

static inline bool cairn_retry_due(const struct cairn_retry *r, int64_t now_ns)
{
	return r->wait_ns == 0 || now_ns >= r->due_ns;
}

static inline bool cairn_retry_failed(const struct cairn_retry *r)
{
	return r->wait_ns != 0;
}

/* It was tried at now_ns. */
static inline void cairn_retry_tried(struct cairn_retry *r, bool ok, int64_t now_ns)
{
	if (ok) {
		*r = (struct cairn_retry){0};
		return;
	}
	int64_t wait_ns = r->wait_ns == 0 ? CAIRN_RETRY_FIRST_NS : 2 * r->wait_ns;
	r->wait_ns = wait_ns < CAIRN_RETRY_MAX_NS ? wait_ns : CAIRN_RETRY_MAX_NS;
	r->due_ns = now_ns + r->wait_ns;
}

#endif
