/* What a call is charged when the service is silent about it, lies, or never answers. */
#include "common/vlm/usage_bounds.h"
#include "test/support/runner.h"

static const struct cairn_asked asked = {
    .tokens_in = 3000, .tokens_prefix = 2400, .bytes_sent = 40000, .tokens_out_max = 400};

START_TEST(what_an_honest_service_tells_is_charged_as_told)
{
	struct cairn_usage told = {.tokens_in = 2700, .tokens_cached = 2300, .tokens_out = 90};
	struct cairn_usage u = cairn_usage_bounded(&told, &asked, 1200);
	ck_assert_uint_eq(u.tokens_in, 2700);
	ck_assert_uint_eq(u.tokens_cached, 2300);
	ck_assert_uint_eq(u.tokens_out, 90);
	told = (struct cairn_usage){.tokens_in = 9000, .tokens_out = 400}; /* pictures dear with this one */
	u = cairn_usage_bounded(&told, &asked, 1200);
	ck_assert_uint_eq(u.tokens_in, 9000);
}
END_TEST

/* Tokens by five vocabularies of a request of 9,910 bytes, an estimate of 2,478: 2,313 to 2,489 with the JSON of its tools, 1,781
 * to 1,902 of its words alone. */
START_TEST(what_any_vocabulary_makes_of_a_request_is_believed_and_what_none_does_is_not)
{
	const struct cairn_asked real = {.tokens_in = 2478 + 2833,
	    .tokens_pictures = 2833,
	    .tokens_prefix = 2300,
	    .bytes_sent = 62000,
	    .tokens_out_max = 300};
	static const uint64_t honest[] = {2313 + 2833, 2489 + 2833, 1781 + 2833, 1902 + 2833, 1781 + 1500};
	for (size_t i = 0; i < sizeof(honest) / sizeof(honest[0]); i++) {
		struct cairn_usage told = {.tokens_in = honest[i], .tokens_cached = 1024, .tokens_out = 60};
		struct cairn_usage u = cairn_usage_bounded(&told, &real, 900);
		ck_assert_uint_eq(u.tokens_in, honest[i]);
		ck_assert_uint_eq(u.tokens_cached, 1024);
	}
	static const struct cairn_asked text = {
	    .tokens_in = 2478, .tokens_prefix = 2300, .bytes_sent = 9910, .tokens_out_max = 300};
	ck_assert_uint_eq(cairn_usage_least(&text), 1734);
	for (uint64_t told_in = 0; told_in < 1734; told_in += 17) { /* more than half, too, and cached */
		struct cairn_usage told = {.tokens_in = told_in, .tokens_cached = told_in};
		struct cairn_usage u = cairn_usage_bounded(&told, &text, 900);
		ck_assert_uint_eq(u.tokens_in, 2478);
		ck_assert_uint_eq(u.tokens_cached, 0);
	}
}
END_TEST

START_TEST(one_token_of_input_is_not_believed_and_neither_is_a_cache_larger_than_what_can_be_cached)
{
	struct cairn_usage told = {.tokens_in = 1, .tokens_cached = 1, .tokens_out = 1};
	struct cairn_usage u = cairn_usage_bounded(&told, &asked, 8000);
	ck_assert_uint_eq(u.tokens_in, 3000);
	ck_assert_uint_eq(u.tokens_cached, 0);
	ck_assert_uint_gt(u.tokens_out, 100); /* 8 kB are no single token */
	told =
	    (struct cairn_usage){.tokens_in = 30000, .tokens_cached = 30000, .tokens_cache_written = 30000};
	u = cairn_usage_bounded(&told, &asked, 1200);
	ck_assert_uint_eq(u.tokens_cached, 3600);
	ck_assert_uint_le(u.tokens_cached + u.tokens_cache_written, u.tokens_in);
}
END_TEST

START_TEST(junk_without_a_count_and_counts_beyond_reason_cost_no_more_than_was_asked_for)
{
	struct cairn_usage none = {0};
	struct cairn_usage u = cairn_usage_bounded(&none, &asked, 800000);
	ck_assert_uint_eq(u.tokens_in, 3000);
	ck_assert_uint_eq(u.tokens_out, 400);
	struct cairn_usage mad = {.tokens_in = 1000000000, .tokens_out = 1000000000};
	u = cairn_usage_bounded(&mad, &asked, 1200);
	ck_assert_uint_eq(u.tokens_in, 40000);
	ck_assert_uint_eq(u.tokens_out, 400);
}
END_TEST

START_TEST(a_call_that_was_sent_and_not_answered_costs_and_one_that_never_went_out_or_was_refused_does_not)
{
	struct cairn_usage u =
	    cairn_usage_unanswered(&asked, 0, true); /* timeout, cut, oversized, given up */
	ck_assert_uint_eq(u.tokens_in, 3000);
	ck_assert_uint_eq(u.tokens_out, 400);
	u = cairn_usage_unanswered(&asked, 204, true); /* without what was asked for */
	ck_assert_uint_eq(u.tokens_in, 3000);
	ck_assert_uint_eq(u.tokens_out, 400);
	u = cairn_usage_unanswered(&asked, 302, true);
	ck_assert_uint_eq(u.tokens_in + u.tokens_out, 0);
	u = cairn_usage_unanswered(&asked, 502, true);
	ck_assert_uint_eq(u.tokens_in, 3000);
	ck_assert_uint_eq(u.tokens_out, 0);
	u = cairn_usage_unanswered(&asked, 0, false);
	ck_assert_uint_eq(u.tokens_in + u.tokens_out, 0);
	u = cairn_usage_unanswered(&asked, 429, true);
	ck_assert_uint_eq(u.tokens_in + u.tokens_out, 0);
}
END_TEST

CAIRN_TEST_MAIN("vlm-usage-bounds", what_an_honest_service_tells_is_charged_as_told,
    what_any_vocabulary_makes_of_a_request_is_believed_and_what_none_does_is_not,
    one_token_of_input_is_not_believed_and_neither_is_a_cache_larger_than_what_can_be_cached,
    junk_without_a_count_and_counts_beyond_reason_cost_no_more_than_was_asked_for,
    a_call_that_was_sent_and_not_answered_costs_and_one_that_never_went_out_or_was_refused_does_not)
