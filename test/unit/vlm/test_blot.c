/* Under test: common/vlm/blot.c. */
#include "common/vlm/blot.h"

#include "test/support/runner.h"

#define KEY "sk-pro/Ab12_cdEF"

START_TEST(a_key_is_blotted_out_wherever_it_stands)
{
	char text[] = "key sk-abcd, again sk-abcdsk-abcd, not sk-abc";
	ck_assert_uint_eq(cairn_blot(text, strlen(text), "sk-abcd"), 3);
	ck_assert_str_eq(text, "key *******, again **************, not sk-abc");
	ck_assert_uint_eq(cairn_blot(text, strlen(text), "k"), 0); /* too short to be a key */
	ck_assert_uint_eq(cairn_blot(text, strlen(text), NULL), 0);
	ck_assert_ptr_nonnull(strstr(text, "key"));
}
END_TEST

START_TEST(a_key_is_found_whichever_way_it_is_written)
{
	static const char *const written[] = {KEY, "sk-pro\\/Ab12_cdEF", "\\u0073k-pro/Ab12_cdEF",
	    "sk-pro\\u002fAb12_cdE\\u0046", "sk-pro\\u002FAb12_cdEF", "\\\\u0073k-pro\\\\\\/Ab12_cdEF",
	    "s\\u200bk-pro/Ab12_cdEF",
	    "sk-\xE2\x80\x8Bpro/Ab1\xC2\xAD"
	    "2_cdEF",
	    "sk-pro\\udb40\\udc41/Ab12_cdEF", "sk-pro%2FAb12%5fcdEF", "&#115;k-pro&#x2F;Ab12&lowbar;cdEF",
	    "sk-pro&sol;Ab12_cdEF", "s\\x6b-pro/Ab12_cdEF", "sk-pro\\n/Ab12_cdEF",
	    "sk-pro/\xFF"
	    "Ab12_cdEF",
	    "sk-pro/Ab12\\u0001_cdEF"};
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++) {
		char text[160], expected[160];
		snprintf(text, sizeof(text), "{\"a\":\"%s!\"}", written[i]);
		snprintf(expected, sizeof(expected), "{\"a\":\"%.*s!\"}", (int)strlen(written[i]),
		    "****************************************************************");
		ck_assert_msg(cairn_blot(text, strlen(text), KEY) == 1, "case %zu: %s", i, text);
		ck_assert_str_eq(text, expected);
	}
}
END_TEST

START_TEST(what_is_not_the_key_stays_as_it_was)
{
	static const char *const others[] = {"sk-pro/Ab12_cdEf", "sk-pro /Ab12_cdEF", "sk-pro/Ab12", "%", "&",
	    "&#", "&#x", "\\", "\\u", "\\u00", "%2", "&#99999999999;", "\\ud800\\u", "\xE2\x80", ""};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char text[160], before[160];
		snprintf(text, sizeof(text), "%s.", others[i]); /* not the end, where a beginning counts */
		memcpy(before, text, sizeof(before));
		ck_assert_msg(cairn_blot(text, strlen(text), KEY) == 0, "case %zu: %s", i, others[i]);
		ck_assert_str_eq(text, before);
	}
}
END_TEST

START_TEST(a_key_that_the_end_of_the_text_cuts_off_is_blotted_out)
{
	char text[] = "you sent sk-pro/A";
	ck_assert_uint_eq(cairn_blot(text, strlen(text), KEY), 1);
	ck_assert_str_eq(text, "you sent ********");
}
END_TEST

/* Every text that ends anywhere, so that nothing is read behind it: the sanitizers look on. */
START_TEST(no_text_is_read_beyond_its_end)
{
	static const char whole[] = "sk-pr\\u006f\\u200b\\udb40\\udc41%2F&#x41;b12&lowbar;\xE2\x80\x8B"
				    "cdE";
	for (size_t n = 0; n <= sizeof(whole) - 1; n++) {
		char *text = malloc(n + 1);
		ck_assert_ptr_nonnull(text);
		memcpy(text, whole, n);
		(void)cairn_blot(text, n, KEY);
		free(text);
	}
}
END_TEST

START_TEST(a_key_in_parts_that_reading_joins_is_noticed)
{
	static const struct {
		const char *body;
		bool joined;
	} cases[] = {{"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
		      "\"a sk-pro/\"},"
		      "{\"type\":\"text\",\"text\":\"Ab12_cdEF\"}]}",
			 true},
	    {"{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"a "
	     "sk-pro/\"},"
	     "{\"type\":\"text\",\"text\":\"Ab12_cdEf.\"}]}",
		false},
	    {"nothing", false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(cairn_blot_joined(&cairn_provider_anthropic, cases[i].body,
				  strlen(cases[i].body), KEY) == cases[i].joined,
		    "case %zu", i);
}
END_TEST

CAIRN_TEST_MAIN("vlm blot", a_key_is_blotted_out_wherever_it_stands,
    a_key_is_found_whichever_way_it_is_written, what_is_not_the_key_stays_as_it_was,
    a_key_that_the_end_of_the_text_cuts_off_is_blotted_out, no_text_is_read_beyond_its_end,
    a_key_in_parts_that_reading_joins_is_noticed)
