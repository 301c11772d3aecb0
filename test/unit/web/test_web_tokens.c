/* Who may do what over the web. */
#include <errno.h>

#include "common/base/token_bucket.h"
#include "common/web/tokens.h"
#include "test/support/runner.h"

#define WATCH CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH)
#define DRIVE CAIRN_RIGHT_BIT(CAIRN_RIGHT_DRIVE)

static struct cairn_error err;

START_TEST(sha256_is_that_of_the_standard)
{
	char hex[CAIRN_SHA256_HEX];
	static char million[1000000];
	cairn_sha256_hex("abc", 3, hex); /* FIPS 180-4 examples */
	ck_assert_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	cairn_sha256_hex("", 0, hex);
	ck_assert_str_eq(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	cairn_sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
	ck_assert_str_eq(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', sizeof(million));
	cairn_sha256_hex(million, sizeof(million), hex);
	ck_assert_str_eq(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
END_TEST

static void make(char token[CAIRN_WEB_TOKEN_CHARS + 1], uint8_t seed)
{
	uint8_t random[CAIRN_WEB_TOKEN_CHARS];
	for (int i = 0; i < CAIRN_WEB_TOKEN_CHARS; i++)
		random[i] = (uint8_t)(seed + 7 * i);
	cairn_web_token_make(random, token);
}

START_TEST(a_token_gives_its_rights_and_no_other)
{
	static struct cairn_web_tokens tokens;
	char anna[CAIRN_WEB_TOKEN_CHARS + 1], eve[CAIRN_WEB_TOKEN_CHARS + 1];
	make(anna, 1);
	make(eve, 2);
	ck_assert_uint_eq(strlen(anna), CAIRN_WEB_TOKEN_CHARS);
	ck_assert(cairn_web_tokens_put(&tokens, "anna", DRIVE, anna, &err));
	struct cairn_web_who who = cairn_web_identify(&tokens, anna, false);
	ck_assert_uint_eq(who.rights, DRIVE);
	ck_assert_str_eq(who.name, "anna");
	who = cairn_web_identify(&tokens, anna, true);
	ck_assert_uint_eq(who.rights, DRIVE | WATCH); /* who is here may watch anyway */
	who = cairn_web_identify(&tokens, eve, false);
	ck_assert_uint_eq(who.rights, 0);
	ck_assert_str_eq(who.name, "");
	who = cairn_web_identify(&tokens, "", true);
	ck_assert_uint_eq(who.rights, WATCH);
	ck_assert(cairn_rights_allow(who.rights, CAIRN_RIGHT_ANY)); /* so he may stop */
	who = cairn_web_identify(&tokens, "", false);
	ck_assert(!cairn_rights_allow(who.rights, CAIRN_RIGHT_ANY));
	anna[5] ^= 1;
	ck_assert_ptr_null(cairn_web_tokens_find(&tokens, anna));
	anna[5] = '\0';
	ck_assert_ptr_null(cairn_web_tokens_find(&tokens, anna));
}
END_TEST

START_TEST(the_file_holds_hashes_and_comes_back_the_same)
{
	static struct cairn_web_tokens tokens, again;
	char anna[CAIRN_WEB_TOKEN_CHARS + 1], other[CAIRN_WEB_TOKEN_CHARS + 1],
	    text[CAIRN_WEB_TOKENS_FILE_MAX];
	make(anna, 1);
	make(other, 9);
	ck_assert(cairn_web_tokens_put(&tokens, "anna", WATCH | DRIVE, anna, &err));
	ck_assert(cairn_web_tokens_put(&tokens, "tv", WATCH, other, &err));
	ck_assert_int_gt(cairn_web_tokens_format(&tokens, text, sizeof(text)), 0);
	ck_assert_ptr_null(strstr(text, anna));
	ck_assert_msg(cairn_web_tokens_parse(text, &again, &err), "%s", err.text);
	ck_assert_int_eq(again.count, 2);
	ck_assert_ptr_nonnull(cairn_web_tokens_find(&again, anna));
	/* put again: another token, the old one is worth nothing */
	ck_assert(cairn_web_tokens_put(&again, "anna", WATCH, other + 0, &err));
	ck_assert_int_eq(again.count, 2);
	ck_assert_ptr_null(cairn_web_tokens_find(&again, anna));
	ck_assert(cairn_web_tokens_remove(&tokens, "anna") && !cairn_web_tokens_remove(&tokens, "anna"));
	ck_assert_ptr_null(cairn_web_tokens_find(&tokens, anna));
	ck_assert_ptr_nonnull(cairn_web_tokens_find(&tokens, other));
	ck_assert_int_eq(cairn_web_tokens_format(&again, text, 20), -ENOBUFS);
	ck_assert(cairn_web_tokens_parse("# nobody\n\n", &again, &err) && again.count == 0);
}
END_TEST

START_TEST(a_mistake_in_the_file_names_its_line)
{
	static struct cairn_web_tokens tokens = {.count = 7};
	char text[400], hash[CAIRN_SHA256_HEX];
	cairn_sha256_hex("x", 1, hash);
	const char *const bad[] = {"anna watch", "anna watch 12ab", "an/na watch %s", "anna fly %s",
	    "anna watch %s more", "anna watch %s\nanna drive %s",
	    "anna watch ABCDEF6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char body[300];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
		snprintf(body, sizeof(body), bad[i], hash, hash);
#pragma GCC diagnostic pop
		snprintf(text, sizeof(text), "# first\n%s\n", body);
		ck_assert_msg(!cairn_web_tokens_parse(text, &tokens, &err), "%s", text);
		ck_assert_msg(strncmp(err.text, strstr(body, "\n") != NULL ? "line 3: " : "line 2: ", 8) == 0,
		    "%s", err.text);
		ck_assert_int_eq(tokens.count, 7);
	}
	ck_assert(!cairn_web_tokens_put(&tokens, "an na", WATCH, "x", &err));
}
END_TEST

START_TEST(cookies_and_bearers_are_found)
{
	char buf[8];
	ck_assert(cairn_web_cookie("a=1; cairn_web_80=abc; b=2", "cairn_web_80", buf, sizeof(buf)));
	ck_assert_str_eq(buf, "abc");
	ck_assert(!cairn_web_cookie("xcairn_web_80=abc", "cairn_web_80", buf, sizeof(buf)));
	ck_assert(
	    !cairn_web_cookie("cairn_web_80=abcdefghi", "cairn_web_80", buf, sizeof(buf)) && buf[0] == '\0');
	ck_assert(!cairn_web_cookie("cairn_web_80=", "cairn_web_80", buf, sizeof(buf)));
	ck_assert(!cairn_web_cookie("", "cairn_web_80", buf, sizeof(buf)));
	ck_assert(cairn_web_bearer("Bearer abc", buf, sizeof(buf)));
	ck_assert_str_eq(buf, "abc");
	ck_assert(
	    !cairn_web_bearer("Basic abc", buf, sizeof(buf)) && !cairn_web_bearer("", buf, sizeof(buf)));
	ck_assert(!cairn_web_bearer("Bearer ", buf, sizeof(buf)));
}
END_TEST

START_TEST(a_bucket_refills_at_its_rate)
{
	struct cairn_token_bucket b = {0.0, 0};
	int64_t s = INT64_C(1000000000), t = s;
	int taken = 0;
	for (int i = 0; i < 100; i++)
		taken += cairn_token_bucket_take(&b, 5.0, 2.0, t);
	ck_assert_int_eq(taken, 10);
	for (int i = 0; i < 100; i++) /* ten seconds */
		taken += cairn_token_bucket_take(&b, 5.0, 2.0, t += s / 10);
	ck_assert_int_ge(taken, 59);
	ck_assert_int_le(taken, 60);
	b = (struct cairn_token_bucket){0.0, 0};
	ck_assert(cairn_token_bucket_take(&b, 0.1, 2.0, s)); /* one at least */
	ck_assert(!cairn_token_bucket_take(&b, 0.1, 2.0, s));
}
END_TEST

CAIRN_TEST_MAIN("web-tokens", sha256_is_that_of_the_standard, a_token_gives_its_rights_and_no_other,
    the_file_holds_hashes_and_comes_back_the_same, a_mistake_in_the_file_names_its_line,
    cookies_and_bearers_are_found, a_bucket_refills_at_its_rate)
