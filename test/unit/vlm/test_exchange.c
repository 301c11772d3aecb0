/* Recorded exchanges: without pictures and keys, and given back in a defined order. */
#include "common/vlm/exchange.h"

#include <jansson.h>
#include <unistd.h>

#include "test/support/runner.h"

#define BODY(text)                                                                                           \
	"{\"messages\":\"" text "\",\"url\":\"data:image/jpeg;base64,AAAABBBB\",\"x\":{\"data\":\"CCCC\"}}"

START_TEST(pictures_become_their_size_and_hash)
{
	struct cairn_text a = {0}, b = {0};
	cairn_exchange_strip(&a, BODY("q"), strlen(BODY("q")));
	ck_assert_ptr_nonnull(strstr(a.data, "\"data:image/jpeg;base64,(JPEG of 6 bytes, "));
	ck_assert_ptr_nonnull(strstr(a.data, "{\"data\":\"(JPEG of 3 bytes, "));
	ck_assert_ptr_null(strstr(a.data, "AAAA"));
	ck_assert_ptr_null(strstr(a.data, "CCCC"));
	json_t *root = json_loads(a.data, 0, NULL);
	ck_assert_ptr_nonnull(root);
	json_decref(root);
	cairn_exchange_strip(&b, "{\"data\":\"no end", 15);
	ck_assert_ptr_null(strstr(b.data, "no end"));
	cairn_text_free(&a);
	cairn_text_free(&b);
}
END_TEST

static void add(struct cairn_text *out, const char *request, int status, const char *response)
{
	struct cairn_exchange x = {.provider = "openai",
	    .format = "openai",
	    .url = "https://h/v1",
	    .t_unix_s = 1.5,
	    .latency_s = 0.25,
	    .request = request,
	    .request_bytes = strlen(request),
	    .status = status,
	    .error = "no route",
	    .response = response,
	    .response_bytes = strlen(response),
	    .retry_after_s = -1.0};
	cairn_exchange_line(out, &x);
}

static char path[64];

static struct cairn_replay *replay_of(const struct cairn_text *lines, struct cairn_error *err)
{
	snprintf(path, sizeof(path), "/tmp/cairn-replay-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, lines->data, lines->len), (ssize_t)lines->len);
	close(fd);
	struct cairn_replay *replay = cairn_replay_open(path, err);
	unlink(path);
	return replay;
}

static const char *next(struct cairn_replay *replay, const char *request, bool same)
{
	static struct cairn_replay_answer a;
	if (!cairn_replay_next(replay, request, strlen(request), &a))
		return NULL;
	ck_assert_int_eq(a.same_request, same);
	ck_assert_double_eq(a.latency_s, 0.25);
	return a.status == 0 ? a.error : a.response;
}

START_TEST(the_same_request_gets_its_answer_and_others_the_next_one)
{
	for (int round = 0; round < 2; round++) { /* twice the same */
		struct cairn_text lines = {0};
		struct cairn_error err = {""};
		add(&lines, BODY("one"), 200, "{\"n\":\"first \\\"quoted\\\"\"}");
		add(&lines, BODY("two"), 200, "second");
		add(&lines, BODY("two"), 0, "");
		add(&lines, BODY("three"), 200, "fourth");
		struct cairn_replay *replay = replay_of(&lines, &err);
		ck_assert_msg(replay != NULL, "%s", err.text);
		ck_assert_str_eq(next(replay, BODY("two"), true), "second");
		ck_assert_str_eq(next(replay, BODY("unheard of"), false), "{\"n\":\"first \\\"quoted\\\"\"}");
		ck_assert_str_eq(next(replay, BODY("three"), true), "fourth");
		ck_assert_str_eq(next(replay, BODY("two"), true), "no route");
		ck_assert_ptr_null(next(replay, BODY("two"), true));
		cairn_replay_close(&replay);
		cairn_text_free(&lines);
	}
}
END_TEST

START_TEST(a_half_written_last_line_is_left_out_and_a_broken_one_refused)
{
	struct cairn_text lines = {0};
	struct cairn_error err = {""};
	add(&lines, "a", 200, "b");
	size_t whole = lines.len;
	add(&lines, "c", 200, "d");
	cairn_text_truncate(&lines, lines.len - 5);
	struct cairn_replay *replay = replay_of(&lines, &err);
	ck_assert_msg(replay != NULL, "%s", err.text);
	ck_assert_str_eq(next(replay, "a", true), "b");
	ck_assert_ptr_null(next(replay, "a", true));
	cairn_replay_close(&replay);
	cairn_text_truncate(&lines, whole);
	cairn_text_add(&lines, "{\"v\":2}\n");
	ck_assert_ptr_null(replay_of(&lines, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "line 2: not an exchange"));
	cairn_text_clear(&lines);
	cairn_text_add(&lines, "\n");
	ck_assert_ptr_null(replay_of(&lines, &err));
	ck_assert_ptr_null(cairn_replay_open("/nowhere/x", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/x: No such file"));
	cairn_text_free(&lines);
}
END_TEST

CAIRN_TEST_MAIN("vlm exchange", pictures_become_their_size_and_hash,
    the_same_request_gets_its_answer_and_others_the_next_one,
    a_half_written_last_line_is_left_out_and_a_broken_one_refused)
