#include "common/vlm/usage_bounds.h"

#include "common/vlm/prompt.h"

#define LEAST_TEXT_PERCENT 70 /* why: usage_bounds.h */
#define LEAST_PICTURES_PERCENT 50
#define ANSWER_OVERHEAD 8 /* an answer's envelope is at most so many times its words */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t cairn_usage_least(const struct cairn_asked *asked)
{
	uint64_t pictures = least(asked->tokens_pictures, asked->tokens_in);
	return ((asked->tokens_in - pictures) * LEAST_TEXT_PERCENT + pictures * LEAST_PICTURES_PERCENT) / 100;
}

struct cairn_usage cairn_usage_bounded(
    const struct cairn_usage *told, const struct cairn_asked *asked, size_t answer_bytes)
{
	struct cairn_usage u = *told;
	uint64_t answer = cairn_prompt_tokens(answer_bytes);
	bool silent = u.tokens_in == 0;
	if (u.tokens_in < cairn_usage_least(asked)) {
		u = (struct cairn_usage){.tokens_in = asked->tokens_in, .tokens_out = u.tokens_out};
		if (silent)
			u.tokens_out = most(u.tokens_out, answer);
	}
	u.tokens_in = least(u.tokens_in, most(asked->bytes_sent, asked->tokens_in));
	u.tokens_out = least(most(u.tokens_out, answer / ANSWER_OVERHEAD), asked->tokens_out_max);
	/* Estimated in bytes of a foreign vocabulary: half as many again may be true. */
	u.tokens_cached =
	    least(u.tokens_cached, least(u.tokens_in, asked->tokens_prefix + asked->tokens_prefix / 2));
	u.tokens_cache_written = least(u.tokens_cache_written, u.tokens_in - u.tokens_cached);
	return u;
}

struct cairn_usage cairn_usage_unanswered(const struct cairn_asked *asked, int status, bool sent)
{
	struct cairn_usage u = {0};
	bool worked = sent && status < 300; /* none at all, or one that was of no use */
	if (status >= 500 || worked)
		u.tokens_in = asked->tokens_in;
	if (worked)
		u.tokens_out = asked->tokens_out_max;
	return u;
}
