/* What a process wrote last, beside how it ended. */
#include "procs/launcher/last_words.h"

#include "test/support/runner.h"

static struct cairn_last_words words;
static char note[96];

static void feed(const char *text)
{
	cairn_last_words_feed(&words, text, strlen(text));
}

static const char *told(const char *how)
{
	snprintf(note, sizeof(note), "%s", how);
	cairn_last_words_add(&words, note, sizeof(note));
	return note;
}

static void begin(void)
{
	words = (struct cairn_last_words){.len = 0};
}

START_TEST(the_newest_error_of_our_own_log_is_told)
{
	begin();
	feed("12.001 I remote main.c:1 starting\n12.002 E remote main.c:170 remote.endpoint: "
	     "tcp://1.2.3.4:5: Addr");
	feed("ess already in use\n12.003 I remote stage.c:9 ended, status 1\nsome library says goodbye\n");
	ck_assert_str_eq(told("ended with status 1"),
	    "ended with status 1: remote.endpoint: tcp://1.2.3.4:5: Address already in use");
}
END_TEST

START_TEST(of_other_output_the_newest_line_is_told_and_nothing_of_a_process_that_was_silent)
{
	begin();
	ck_assert_str_eq(told("killed by signal 9 (Killed)"), "killed by signal 9 (Killed)");
	feed("2026-01-01 [Error]: no such user\n\n  terminate\tcalled\033[0m\n");
	ck_assert_str_eq(told("killed"), "killed: terminate called [0m");
	feed("12.0 W mapper a.c:1 a warning\nunfinished");
	ck_assert_str_eq(told("killed"), "killed: terminate called [0m");
}
END_TEST

START_TEST(of_a_text_that_is_too_long_the_end_is_told)
{
	begin();
	feed("12.002 E mapper main.c:170 ");
	for (int i = 0; i < 300; i++)
		feed("\xc3\xa4");
	feed("\n");
	for (int i = 0; i < 20; i++)
		feed("/a/very/long/path");
	feed("\n12.002 E mapper main.c:170 ");
	for (int i = 0; i < 12; i++)
		feed("/a/long/path");
	feed(": No space left on device\n");
	told("ended with status 1");
	ck_assert_uint_le(strlen(note), sizeof(note) - 1);
	ck_assert_msg(strncmp(note, "ended with status 1: ...", 24) == 0, "%s", note);
	ck_assert_msg(strstr(note, "/path: No space left on device") != NULL, "%s", note);
}
END_TEST

CAIRN_TEST_MAIN("last-words", the_newest_error_of_our_own_log_is_told,
    of_other_output_the_newest_line_is_told_and_nothing_of_a_process_that_was_silent,
    of_a_text_that_is_too_long_the_end_is_told)
