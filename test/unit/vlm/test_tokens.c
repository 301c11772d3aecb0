/* The published counting rules against published counts, and the estimate of texts against the real
 * vocabulary. */
#include "common/base/geom.h"
#include "common/vlm/cost_limiter.h"
#include "common/vlm/prompt.h"
#include "common/vlm/provider.h"
#include "common/vlm/tokens.h"
#include "test/support/runner.h"

#define TOKENS_O200K 923 /* test/data/vlm/tokens.txt by the vocabulary of gpt-4o and gpt-4o-mini */

static char text[1 << 16];

static size_t read_text(const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/test/data/vlm/%s", name);
	FILE *in = fopen(path, "re");
	ck_assert_ptr_nonnull(in);
	size_t n = fread(text, 1, sizeof(text), in);
	fclose(in);
	return n;
}

START_TEST(the_estimate_lies_at_most_a_twentieth_above_the_real_vocabulary_and_never_below)
{
	size_t n = read_text("tokens.txt");
	ck_assert_uint_ge(cairn_tokens_text(text, n), TOKENS_O200K);
	ck_assert_uint_le(cairn_tokens_text(text, n), TOKENS_O200K * 105 / 100);
	/* Arguments of calls, 11 and 17 tokens of o200k_base. */
	static const char to[] = "{\"to\":\"F22\",\"reason\":\"near doorway\"}",
			  move[] = "{\"direction\":\"forward_left\",\"speed\":\"medium\",\"duration_s\":3.5}";
	ck_assert_uint_ge(cairn_tokens_json(to, sizeof(to) - 1), 11);
	ck_assert_uint_le(cairn_tokens_json(to, sizeof(to) - 1), 11 + 3);
	ck_assert_uint_ge(cairn_tokens_json(move, sizeof(move) - 1), 17);
	ck_assert_uint_le(cairn_tokens_json(move, sizeof(move) - 1), 20);
	ck_assert_uint_eq(cairn_tokens_text("", 0), 0);
}
END_TEST

/* OpenAI's cookbook tells 101 tokens for this request to gpt-4o and gpt-4o-mini. */
START_TEST(tools_and_messages_count_as_the_makers_example)
{
	json_t *tools = json_loads(
	    "[{\"type\":\"function\",\"function\":{\"name\":\"get_current_weather\",\"description\":\"Get "
	    "the current "
	    "weather in a given "
	    "location\",\"parameters\":{\"type\":\"object\",\"properties\":{\"location\":{\"type\":"
	    "\"string\",\"description\":\"The city and state, e.g. San Francisco, "
	    "CA\"},\"unit\":{\"type\":\"string\","
	    "\"description\":\"The unit of temperature to return\",\"enum\":[\"celsius\",\"fahrenheit\"]}},"
	    "\"required\":[\"location\"]}}}]",
	    0, NULL);
	json_t *messages =
	    json_loads("[{\"role\":\"system\",\"content\":\"You are a helpful assistant that can answer to "
		       "questions about the weather.\"},{\"role\":\"user\",\"content\":\"What's the weather "
		       "like in San Francisco?\"}]",
		0, NULL);
	uint64_t tokens = cairn_tokens_tools(tools) + cairn_tokens_messages(messages);
	ck_assert_uint_ge(tokens, 101);
	ck_assert_uint_le(tokens, 111); /* the estimate of texts this short lies up to a tenth above */
	json_decref(tools);
	json_decref(messages);
}
END_TEST

/* By hand: 640 x 480 is scaled to 1024 x 768, four tiles; 2048 x 4096 to 1024 x 2048 and 768 x 1536, six. */
START_TEST(pictures_count_by_their_tiles)
{
	ck_assert_uint_eq(cairn_tokens_picture(640, 480, false), 2833);
	ck_assert_uint_eq(cairn_tokens_picture(4000, 3000, false), 2833);
	ck_assert_uint_eq(cairn_tokens_picture(640, 480, true), 2833 + 4 * 5667);
	ck_assert_uint_eq(cairn_tokens_picture(1024, 1024, true), 2833 + 4 * 5667);
	ck_assert_uint_eq(cairn_tokens_picture(2048, 4096, true), 2833 + 6 * 5667);
}
END_TEST

START_TEST(caches_keep_whole_steps_of_long_beginnings)
{
	ck_assert_uint_eq(cairn_tokens_cached(1023), 0);
	ck_assert_uint_eq(cairn_tokens_cached(1024), 1024);
	ck_assert_uint_eq(cairn_tokens_cached(1151), 1024);
	ck_assert_uint_eq(cairn_tokens_cached(1152), 1152);
}
END_TEST

START_TEST(the_size_of_a_jpeg_is_in_its_frame_header)
{
	static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC4, 0, 3, 9, 0xFF, 0xC0, 0,
	    17, 8, 0x01, 0xE0, 0x02, 0x80, 3, 0, 0};
	uint32_t w = 0, h = 0;
	ck_assert(cairn_jpeg_size(jpeg, sizeof(jpeg), &w, &h));
	ck_assert_uint_eq(w, 640);
	ck_assert_uint_eq(h, 480);
	for (size_t n = 0; n < 22; n++)
		ck_assert(!cairn_jpeg_size(jpeg, n, &w, &h));
}
END_TEST

/* The prompt as it ships: cached by the providers, and short enough for the cost that docs/vlm.md tells. */
START_TEST(the_prefix_that_ships_is_cached_and_short)
{
	struct cairn_config cfg;
	struct cairn_profile profile;
	struct cairn_text system = {0}, body = {0}, prefix = {0};
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cairn_profile_defaults(&profile);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	ck_assert_msg(cairn_prompt_load(&cfg, &system, &err), "%s", err.text);
	const struct cairn_turn turn = {.text = "x"};
	struct cairn_request r = {&cairn_explorer_tools, 0, &turn, 1};
	cairn_provider_openai.write_prefix(&prefix,
	    &(struct cairn_prefix){&profile, 300, system.data, &cairn_explorer_tools, 0, 0, true, 0.3});
	cairn_provider_openai.write_body(&body, &prefix, &profile, &r);
	json_t *root = json_loadb(body.data, body.len, 0, NULL);
	uint64_t tokens = cairn_tokens_tools(json_object_get(root, "tools")) +
			  cairn_tokens_messages(json_object_get(root, "messages"));
	/* The estimate lies up to a twentieth too high. */
	ck_assert_uint_ge(tokens, CAIRN_TOKENS_CACHE_MIN * 105 / 100);
	ck_assert_uint_le(tokens, 2000); /* cached: 400 more cost 0.02 USD an hour of gpt-4o-mini at 0.2 Hz */
	json_decref(root);
	cairn_text_free(&system);
	cairn_text_free(&prefix);
	cairn_text_free(&body);
}
END_TEST

/* ---- what of it goes to pictures ---- */

#define PICTURE_USD (2833 * 0.15e-6)

/* Asked once in five seconds for an hour; the pictures that go and the whole cost. */
static int drive_an_hour(double text_usd, double pace, enum cairn_trigger trigger, double *ret_usd)
{
	struct cairn_cost_limiter p = {.usd_per_hour = pace};
	int pictures = 0;
	*ret_usd = 0.0;
	for (int64_t i = 1; i <= 720; i++) {
		int64_t now_ns = i * 5 * CAIRN_NS_PER_S;
		bool shown = cairn_cost_limiter_allows(&p, PICTURE_USD, trigger, now_ns);
		double usd = text_usd + (shown ? PICTURE_USD : 0.0);
		cairn_cost_limiter_spend(&p, usd, now_ns + CAIRN_NS_PER_S / 2);
		pictures += shown;
		*ret_usd += usd;
	}
	return pictures;
}

START_TEST(a_picture_that_costs_no_more_than_its_text_is_never_left_out)
{
	double usd;
	ck_assert_int_eq(drive_an_hour(PICTURE_USD * 1.01, 0.145, CAIRN_TRIGGER_TIMER, &usd), 720);
	ck_assert_int_lt(drive_an_hour(PICTURE_USD * 0.99, 0.145, CAIRN_TRIGGER_TIMER, &usd), 10);
}
END_TEST

START_TEST(pictures_get_what_text_leaves_of_the_pace)
{
	double usd;
	int pictures = drive_an_hour(0.00015, 0.145, CAIRN_TRIGGER_TIMER, &usd);
	ck_assert_double_le(usd, 0.145 * 61.0 / 60.0);
	ck_assert_double_ge(usd, 0.145 * 0.98);
	ck_assert_int_ge(pictures, 80); /* 0.037 USD are left, for 87 */
	ck_assert_int_eq(
	    drive_an_hour(0.0003, 0.145, CAIRN_TRIGGER_TIMER, &usd), 1); /* the first always goes */
	ck_assert_int_eq(drive_an_hour(0.0003, 0.0, CAIRN_TRIGGER_TIMER, &usd), 720); /* no pace: all */
}
END_TEST

START_TEST(the_last_picture_that_can_be_paid_is_kept_for_news)
{
	struct cairn_cost_limiter p = {
	    .usd_per_hour = 0.145, .shown = true, .t_ns = CAIRN_NS_PER_S, .saved_usd = 1.5 * PICTURE_USD};
	ck_assert(!cairn_cost_limiter_allows(&p, PICTURE_USD, CAIRN_TRIGGER_TIMER, CAIRN_NS_PER_S));
	ck_assert(!cairn_cost_limiter_allows(&p, PICTURE_USD, CAIRN_TRIGGER_GOAL, CAIRN_NS_PER_S));
	ck_assert(cairn_cost_limiter_allows(&p, PICTURE_USD, CAIRN_TRIGGER_DOORWAY, CAIRN_NS_PER_S));
	ck_assert(cairn_cost_limiter_allows(&p, PICTURE_USD, CAIRN_TRIGGER_BLOCKED, CAIRN_NS_PER_S));
	ck_assert(cairn_cost_limiter_allows(
	    &p, 0.0, CAIRN_TRIGGER_TIMER, CAIRN_NS_PER_S)); /* a local server's are free */
	p.saved_usd = 0.9 * PICTURE_USD;
	ck_assert(!cairn_cost_limiter_allows(&p, PICTURE_USD, CAIRN_TRIGGER_DOORWAY, CAIRN_NS_PER_S));
}
END_TEST

CAIRN_TEST_MAIN("vlm tokens", the_estimate_lies_at_most_a_twentieth_above_the_real_vocabulary_and_never_below,
    tools_and_messages_count_as_the_makers_example, pictures_count_by_their_tiles,
    caches_keep_whole_steps_of_long_beginnings, the_size_of_a_jpeg_is_in_its_frame_header,
    the_prefix_that_ships_is_cached_and_short, a_picture_that_costs_no_more_than_its_text_is_never_left_out,
    pictures_get_what_text_leaves_of_the_pace, the_last_picture_that_can_be_paid_is_kept_for_news)
