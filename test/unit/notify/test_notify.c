/* What a web address is told, and what becomes of what it does not take. */
#include <jansson.h>
#include <math.h>

#include "common/base/geom.h"
#include "common/notify/notify_ports.h"
#include "test/support/runner.h"

#define UNIX_NS 1767225600000000000 /* 2026-01-01T00:00:00Z */

static struct cairn_config cfg;
static struct cairn_notify c;
static int64_t now_ns;
static char body[CAIRN_NOTIFY_BODY_MAX];

static void start(void)
{
	cairn_config_defaults(&cfg);
	snprintf(cfg.robot.name, sizeof(cfg.robot.name), "anton");
	cairn_notify_init(&c, &cfg);
	now_ns = 0;
}

/* As the core behind its ports: words of the given urgency. */
static void happens(enum cairn_urgency urgency, const char *text)
{
	struct cairn_msg_say *s = &c.news.items[c.news.count++];
	*s = (struct cairn_msg_say){.urgency = urgency, .waits = urgency == CAIRN_URGENCY_WARNING};
	snprintf(s->text, sizeof(s->text), "%s", text);
}

static size_t begin(double after_s)
{
	now_ns += (int64_t)(after_s * 1e9);
	size_t n = cairn_notify_begin(&c, now_ns, UNIX_NS, body);
	ck_assert_uint_lt(n, sizeof(body));
	body[n] = '\0';
	return n;
}

START_TEST(what_waits_is_told_together_with_time_and_urgency)
{
	start();
	ck_assert_uint_eq(begin(1.0), 0);
	happens(CAIRN_URGENCY_NEWS, "I am there.");
	happens(CAIRN_URGENCY_WARNING, "I need help: a \"door\"");
	ck_assert_uint_gt(begin(1.0), 0);
	ck_assert_str_eq(body, "{\"text\":\"anton: I am there.\\nanton: I need help: a "
			       "\\\"door\\\"\",\"robot\":\"anton\",\"notices\":["
			       "{\"time\":\"2026-01-01T00:00:02Z\",\"urgency\":\"news\",\"waits\":false,"
			       "\"text\":\"I am there.\"},"
			       "{\"time\":\"2026-01-01T00:00:02Z\",\"urgency\":\"warning\",\"waits\":true,"
			       "\"text\":\"I need help: a "
			       "\\\"door\\\"\"}]}");
	cairn_notify_ended(&c, 200, "", now_ns);
	ck_assert_uint_eq(c.told.told, 2);
	ck_assert_uint_eq(c.told.waiting, 0);
}
END_TEST

START_TEST(plain_text_has_a_line_a_notice)
{
	start();
	cfg.notify.format = CAIRN_CHOICE_NOTIFY_FORMAT_TEXT;
	happens(CAIRN_URGENCY_NEWS, "I am there.");
	happens(CAIRN_URGENCY_ANSWER, "Two chairs.");
	ck_assert_uint_gt(begin(1.0), 0);
	ck_assert_str_eq(body, "anton: I am there.\nanton: Two chairs.");
}
END_TEST

START_TEST(one_message_follows_another_after_the_gap)
{
	start();
	cfg.notify.gap_s = 5.0;
	happens(CAIRN_URGENCY_NEWS, "one");
	ck_assert_uint_gt(begin(0.1), 0);
	happens(CAIRN_URGENCY_NEWS, "two");
	ck_assert_uint_eq(begin(0.1), 0); /* the first is under way */
	cairn_notify_ended(&c, 204, "", now_ns);
	ck_assert_uint_eq(begin(4.9), 0);
	ck_assert_uint_gt(begin(0.2), 0);
	ck_assert_ptr_nonnull(strstr(body, "two"));
	ck_assert_ptr_null(strstr(body, "one"));
}
END_TEST

START_TEST(what_is_not_taken_is_told_again_later_each_time)
{
	static const double waits_s[] = {2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0};
	static const int statuses[] = {0, 500, 429, 408, 425, 503, 302};
	start();
	cfg.notify.gap_s = 0.0;
	happens(CAIRN_URGENCY_NEWS, "one");
	ck_assert_uint_gt(begin(1.0), 0);
	for (size_t i = 0; i < sizeof(waits_s) / sizeof(waits_s[0]); i++) {
		cairn_notify_ended(&c, statuses[i], "no luck", now_ns);
		ck_assert_str_eq(c.told.trouble, "no luck");
		ck_assert_uint_eq(begin(waits_s[i] - 0.1), 0);
		ck_assert_uint_gt(begin(0.2), 0);
		ck_assert_ptr_nonnull(strstr(body, "one"));
	}
	cairn_notify_ended(&c, 200, "", now_ns);
	ck_assert_str_eq(c.told.trouble, "");
	ck_assert_uint_eq(c.told.told, 1);
	ck_assert_uint_eq(c.told.lost, 0);
	happens(CAIRN_URGENCY_NEWS, "two"); /* and from then on at once again */
	ck_assert_uint_gt(begin(0.1), 0);
}
END_TEST

START_TEST(what_is_refused_for_good_is_lost_and_counted)
{
	start();
	happens(CAIRN_URGENCY_NEWS, "one");
	ck_assert_uint_gt(begin(1.0), 0);
	cairn_notify_ended(&c, 404, "it answers with status 404", now_ns);
	ck_assert_uint_eq(c.told.lost, 1);
	ck_assert_uint_eq(c.count, 0);
	ck_assert_ptr_nonnull(strstr(c.told.trouble, "404"));
}
END_TEST

START_TEST(what_is_older_than_keep_s_is_not_told)
{
	start();
	cfg.notify.keep_s = 10.0;
	happens(CAIRN_URGENCY_NEWS, "one");
	ck_assert_uint_gt(begin(1.0), 0);
	cairn_notify_ended(&c, 0, "no way", now_ns);
	ck_assert_uint_eq(begin(10.1), 0);
	ck_assert_uint_eq(c.told.lost, 1);
}
END_TEST

START_TEST(the_least_urgent_goes_where_there_is_no_room_and_never_what_is_under_way)
{
	char text[16];
	start();
	happens(CAIRN_URGENCY_NEWS, "first");
	ck_assert_uint_gt(begin(1.0), 0); /* under way */
	happens(CAIRN_URGENCY_WARNING, "help");
	for (int i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "news %d", i);
		happens(CAIRN_URGENCY_NEWS, text);
		ck_assert_uint_eq(begin(0.1), 0);
	}
	ck_assert_uint_eq(c.count, CAIRN_NOTICES_MAX);
	ck_assert_str_eq(c.items[0].text, "first");
	ck_assert_str_eq(c.items[1].text, "help");
	ck_assert_str_eq(c.items[CAIRN_NOTICES_MAX - 1].text, "news 39");
	ck_assert_uint_eq(c.told.lost, 42 - CAIRN_NOTICES_MAX);
}
END_TEST

START_TEST(the_least_that_is_told_is_the_persons_choice)
{
	start();
	cfg.notify.least = CAIRN_CHOICE_NOTIFY_LEAST_WARNING;
	happens(CAIRN_URGENCY_NEWS, "news");
	happens(CAIRN_URGENCY_ANSWER, "answer");
	ck_assert_uint_eq(begin(1.0), 0);
	happens(CAIRN_URGENCY_WARNING, "warning");
	ck_assert_uint_gt(begin(1.0), 0);
	ck_assert_uint_eq(c.count, 1);
	ck_assert_uint_eq(c.told.lost, 0);
}
END_TEST

START_TEST(the_longest_that_can_wait_fits_into_a_body)
{
	char text[256];
	start();
	memset(text, '"', sizeof(text) - 1); /* each becomes two bytes */
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < CAIRN_NOTICES_MAX; i++) {
		happens(CAIRN_URGENCY_WARNING, text);
		(void)cairn_notify_begin(&c, -1, UNIX_NS, body); /* kept, and not yet told */
		c.under_way = 0;
	}
	uint32_t told = 0;
	for (int i = 0; i < CAIRN_NOTICES_MAX && c.count > 0; i++) {
		size_t n = begin(100.0);
		ck_assert_uint_gt(n, 0);
		json_t *j = json_loadb(body, n, 0, NULL);
		ck_assert_ptr_nonnull(j);
		told += (uint32_t)json_array_size(json_object_get(j, "notices"));
		json_decref(j);
		cairn_notify_ended(&c, 200, "", now_ns);
	}
	ck_assert_uint_eq(told, CAIRN_NOTICES_MAX);
}
END_TEST

START_TEST(its_ports_hear_what_the_stage_speak_hears)
{
	struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = 1, .epoch = 1, .t_ns = 1, .valid = true};
	struct cairn_msg_mission m = {.help = "the door is shut"};
	start();
	(void)cairn_in_deliver(cairn_news_in, &c.news, CAIRN_TOPIC_MISSION, &m, &hdr, 1);
	ck_assert_uint_gt(begin(1.0), 0);
	ck_assert_ptr_nonnull(strstr(body, "I need help: the door is shut"));
	ck_assert_str_eq(cairn_topics[cairn_notify_out[0].topic].stage, "notify");
}
END_TEST

CAIRN_TEST_MAIN("notify", what_waits_is_told_together_with_time_and_urgency, plain_text_has_a_line_a_notice,
    one_message_follows_another_after_the_gap, what_is_not_taken_is_told_again_later_each_time,
    what_is_refused_for_good_is_lost_and_counted, what_is_older_than_keep_s_is_not_told,
    the_least_urgent_goes_where_there_is_no_room_and_never_what_is_under_way,
    the_least_that_is_told_is_the_persons_choice, the_longest_that_can_wait_fits_into_a_body,
    its_ports_hear_what_the_stage_speak_hears)
