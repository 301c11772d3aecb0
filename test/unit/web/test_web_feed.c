/* What one viewer is sent next. */
#include "common/web/feed.h"
#include "test/support/runner.h"

#define MS INT64_C(1000000)

static struct cairn_web_feed feed;
static struct cairn_web_slot slots[4];

static void arrive(int slot, uint64_t kept)
{
	struct cairn_web_slot *s = &slots[slot];
	s->newest++;
	s->gone = false;
	if (!s->every)
		s->first = s->newest;
	else if (s->first == 0 || s->newest - s->first >= kept)
		s->first = s->first == 0 ? s->newest : s->newest - kept + 1;
}

static void begin(void)
{
	memset(&feed, 0, sizeof(feed));
	memset(slots, 0, sizeof(slots));
}

static struct cairn_web_pick pick(int64_t now_ms)
{
	bool ready = cairn_web_feed_ready(&feed, slots, 4, now_ms * MS);
	struct cairn_web_pick p = cairn_web_feed_pick(&feed, slots, 4, now_ms * MS);
	ck_assert_int_eq(ready, p.slot >= 0);
	return p;
}

START_TEST(nothing_is_sent_that_was_not_asked_for)
{
	begin();
	arrive(0, 8);
	ck_assert_int_eq(pick(1000).slot, -1);
	cairn_web_feed_subscribe(&feed, 1, 10.0, &slots[1]);
	ck_assert_int_eq(pick(1000).slot, -1);
	arrive(1, 8);
	ck_assert_int_eq(pick(1000).slot, 1);
	cairn_web_feed_unsubscribe(&feed, 1);
	arrive(1, 8);
	ck_assert_int_eq(pick(9000).slot, -1);
}
END_TEST

START_TEST(who_subscribes_gets_the_newest_at_once_and_no_older_one)
{
	begin();
	for (int i = 0; i < 5; i++)
		arrive(0, 8);
	cairn_web_feed_subscribe(&feed, 0, 10.0, &slots[0]);
	struct cairn_web_pick p = pick(1000);
	ck_assert_int_eq(p.slot, 0);
	ck_assert_uint_eq(p.number, 5);
	ck_assert_int_eq(pick(1000).slot, -1);
	/* let go of and read anew: what was kept then is gone */
	begin();
	slots[0] = (struct cairn_web_slot){.first = 6, .newest = 5};
	cairn_web_feed_subscribe(&feed, 0, 10.0, &slots[0]);
	ck_assert_int_eq(pick(1000).slot, -1);
}
END_TEST

START_TEST(a_slow_viewer_skips_to_the_newest)
{
	begin();
	cairn_web_feed_subscribe(&feed, 0, 50.0, &slots[0]);
	for (int i = 0; i < 100; i++)
		arrive(0, 8);
	ck_assert_uint_eq(pick(1000).number, 100);
	ck_assert_int_eq(pick(5000).slot, -1);
}
END_TEST

START_TEST(where_each_counts_each_is_sent_as_far_as_it_is_kept)
{
	begin();
	slots[0].every = true;
	cairn_web_feed_subscribe(&feed, 0, 1.0, &slots[0]);
	for (int i = 0; i < 3; i++)
		arrive(0, 8);
	for (uint64_t i = 1; i <= 3; i++)
		ck_assert_uint_eq(pick(1000).number, i); /* whatever the rate */
	for (int i = 0; i < 20; i++)
		arrive(0, 8);
	ck_assert_uint_eq(pick(1000).number, 16); /* 16..23 are kept */
	ck_assert_uint_eq(pick(1000).number, 17);
}
END_TEST

static int sent_in_10_s(double hz, int publisher_ms)
{
	int sent = 0;
	begin();
	cairn_web_feed_subscribe(&feed, 0, hz, &slots[0]);
	for (int64_t t = 1000; t < 11000; t += 5) { /* woken that often */
		if (t % publisher_ms == 0)
			arrive(0, 8);
		sent += pick(t).slot == 0;
	}
	return sent;
}

START_TEST(the_rate_is_kept_whatever_the_publishers_is)
{
	ck_assert_int_le(abs(sent_in_10_s(10.0, 100) - 100), 1); /* its own rate: none is lost */
	ck_assert_int_le(abs(sent_in_10_s(10.0, 50) - 100), 2);
	ck_assert_int_le(abs(sent_in_10_s(10.0, 40) - 100), 2);
	ck_assert_int_le(abs(sent_in_10_s(2.0, 50) - 20), 2);
	ck_assert_int_le(abs(sent_in_10_s(50.0, 100) - 100), 1); /* no faster than it comes */
}
END_TEST

START_TEST(topics_take_turns)
{
	begin();
	for (int i = 0; i < 3; i++)
		cairn_web_feed_subscribe(&feed, i, 50.0, &slots[i]);
	int seen[3] = {0};
	for (int64_t t = 1; t <= 30; t++) {
		for (int i = 0; i < 3; i++)
			arrive(i, 8);
		seen[pick(1000 * t).slot]++; /* one at a time goes out */
	}
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(seen[i], 10);
}
END_TEST

START_TEST(that_a_publisher_is_gone_is_told_once)
{
	begin();
	cairn_web_feed_subscribe(&feed, 0, 10.0, &slots[0]);
	arrive(0, 8);
	ck_assert_uint_eq(pick(1000).number, 1);
	slots[0].gone = true;
	struct cairn_web_pick p = pick(3000);
	ck_assert(p.slot == 0 && p.number == 0);
	ck_assert_int_eq(pick(4000).slot, -1);
	arrive(0, 8);
	ck_assert_uint_eq(pick(5000).number, 2);
	slots[0].gone = true;
	p = pick(6000);
	ck_assert(p.slot == 0 && p.number == 0);
}
END_TEST

CAIRN_TEST_MAIN("web-feed", nothing_is_sent_that_was_not_asked_for,
    who_subscribes_gets_the_newest_at_once_and_no_older_one, a_slow_viewer_skips_to_the_newest,
    where_each_counts_each_is_sent_as_far_as_it_is_kept, the_rate_is_kept_whatever_the_publishers_is,
    topics_take_turns, that_a_publisher_is_gone_is_told_once)
