/* Ports of cores: which messages are handed on, and when a message is sent again. */
#include "common/base/geom.h"
#include "common/plan/planner_ports.h"
#include "common/safety/motor_ports.h"
#include "common/safety/watchdog_ports.h"
#include "common/sequencer/sequencer_ports.h"
#include "common/slam/mapper_ports.h"
#include "test/support/runner.h"

#define NOW_NS (100 * CAIRN_NS_PER_S)
#define MS CAIRN_NS_PER_MS

static struct cairn_header header(bool valid, int64_t t_ns)
{
	return (struct cairn_header){.seq = 1, .epoch = 1, .t_ns = t_ns, .valid = valid};
}

START_TEST(headers_are_judged_by_the_rule_of_the_row)
{
	static const struct {
		enum cairn_accept accept;
		bool valid;
		int64_t t_ns;
		enum cairn_judgement want;
	} rows[] = {
	    {CAIRN_ACCEPT_PLAUSIBLE, true, NOW_NS, CAIRN_JUDGED_FIT},
	    {CAIRN_ACCEPT_PLAUSIBLE, true, 1, CAIRN_JUDGED_FIT}, /* its age is the core's business */
	    {CAIRN_ACCEPT_PLAUSIBLE, true, NOW_NS + 50 * MS, CAIRN_JUDGED_FIT},
	    {CAIRN_ACCEPT_PLAUSIBLE, true, NOW_NS + 50 * MS + 1, CAIRN_JUDGED_UNFIT},
	    {CAIRN_ACCEPT_PLAUSIBLE, true, 0, CAIRN_JUDGED_UNFIT},
	    {CAIRN_ACCEPT_PLAUSIBLE, true, -5, CAIRN_JUDGED_UNFIT},
	    {CAIRN_ACCEPT_PLAUSIBLE, false, NOW_NS, CAIRN_JUDGED_UNSURE},
	    {CAIRN_ACCEPT_PLAUSIBLE, false, 0, CAIRN_JUDGED_UNFIT},
	    {CAIRN_ACCEPT_ORDERED, true, NOW_NS, CAIRN_JUDGED_FIT},
	    {CAIRN_ACCEPT_ORDERED, false, NOW_NS, CAIRN_JUDGED_UNSURE},
	    {CAIRN_ACCEPT_FRESH, true, NOW_NS - 500 * MS, CAIRN_JUDGED_FIT},
	    {CAIRN_ACCEPT_FRESH, true, NOW_NS - 501 * MS, CAIRN_JUDGED_UNFIT},
	    {CAIRN_ACCEPT_FRESH, false, NOW_NS - 501 * MS, CAIRN_JUDGED_UNSURE},
	    {CAIRN_ACCEPT_ALL, false, 0, CAIRN_JUDGED_FIT},
	    {CAIRN_ACCEPT_ALL, true, INT64_MAX, CAIRN_JUDGED_FIT},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_in in = {CAIRN_TOPIC_POSE, rows[i].accept, NULL}; /* max_age_ms 500 */
		struct cairn_header hdr = header(rows[i].valid, rows[i].t_ns);
		ck_assert_msg(cairn_in_judge(&in, &hdr, NOW_NS) == rows[i].want, "row %zu", i);
	}
}
END_TEST

struct taker {
	int taken;
	double x_m;
	bool at_once;
};

static bool take(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct taker *t = core;
	(void)hdr, (void)now_ns;
	t->taken++;
	t->x_m = ((const struct cairn_msg_pose *)message)->x_m;
	return t->at_once;
}

START_TEST(a_message_goes_to_the_rows_of_its_topic_that_accept_it)
{
	static const struct cairn_in rows[] = {{CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take},
	    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_ALL, take}, {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_ALL, take},
	    {.take = NULL}};
	struct cairn_msg_pose pose = {.x_m = 3.5};
	struct cairn_header good = header(true, NOW_NS), unsure = header(false, NOW_NS);
	struct taker t = {0};
	ck_assert(!cairn_in_deliver(rows, &t, CAIRN_TOPIC_POSE, &pose, &good, NOW_NS));
	ck_assert_int_eq(t.taken, 2);
	ck_assert_double_eq(t.x_m, 3.5);
	t.at_once = true;
	ck_assert(cairn_in_deliver(rows, &t, CAIRN_TOPIC_POSE, &pose, &unsure, NOW_NS));
	ck_assert_int_eq(t.taken, 3);
	ck_assert(!cairn_in_deliver(rows, &t, CAIRN_TOPIC_TIER, &pose, &good, NOW_NS));
	ck_assert_int_eq(t.taken, 3);
}
END_TEST

struct sent {
	int count;
	int64_t t_ns;
	enum cairn_topic topic;
};

static void send(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	struct sent *s = ctx;
	ck_assert_ptr_nonnull(message);
	s->count++;
	s->t_ns = t_ns;
	s->topic = topic;
}

/* How many of a hundred steps of step_ms send a message with this repetition that is new at the steps of new_every. */
static int sends(int repeat_ms, int step_ms, int new_every)
{
	const struct cairn_out rows[] = {{CAIRN_TOPIC_TIER, repeat_ms}, {CAIRN_TOPIC_COUNT, 0}};
	struct sent s = {0};
	struct cairn_outbox box = {.rows = rows, .send = send, .ctx = &s};
	struct cairn_msg_tier tier = {0};
	for (int k = 0; k < 100; k++)
		cairn_outbox_put(&box, CAIRN_TOPIC_TIER, &tier, new_every > 0 && k % new_every == 0,
		    NOW_NS + k * step_ms * MS);
	return s.count;
}

START_TEST(a_message_is_sent_when_it_is_new_and_again_each_period)
{
	ck_assert_int_eq(sends(0, 50, 0), 0);
	ck_assert_int_eq(sends(0, 50, 10), 10);
	ck_assert_int_eq(sends(200, 50, 0), 25);
	ck_assert_int_eq(sends(50, 20, 0), 40);    /* 2000 ms at 50 ms: the phase is kept */
	ck_assert_int_eq(sends(200, 50, 2), 50);   /* what is new all the time is not repeated beside it */
	ck_assert_int_eq(sends(100, 300, 0), 100); /* what was missed is not made up for */
}
END_TEST

START_TEST(what_is_not_in_the_table_is_never_sent)
{
	struct sent s = {0};
	struct cairn_outbox box = {.rows = cairn_planner_out, .send = send, .ctx = &s};
	struct cairn_msg_tier tier = {0};
	cairn_outbox_put(&box, CAIRN_TOPIC_TIER, &tier, true, NOW_NS);
	ck_assert_int_eq(s.count, 0);
	cairn_outbox_put(&box, CAIRN_TOPIC_NAV_STATUS, &tier, true, NOW_NS);
	ck_assert_int_eq(s.count, 1);
	ck_assert_int_eq((int)s.topic, CAIRN_TOPIC_NAV_STATUS);
	ck_assert(s.t_ns == NOW_NS);
}
END_TEST

/* A core sends what the table of topics says that its stage publishes, and reads nothing of its own. */
START_TEST(the_tables_of_cores_agree_with_the_table_of_topics)
{
	static const struct {
		const char *stage;
		const struct cairn_in *in;
		const struct cairn_out *out;
	} cores[] = {{"planner", cairn_planner_in, cairn_planner_out},
	    {"sequencer", cairn_sequencer_in, cairn_sequencer_out},
	    {"motor", cairn_motor_in, cairn_motor_out}, {"watchdog", cairn_watchdog_in, cairn_watchdog_out},
	    {"mapper", cairn_mapper_in, cairn_mapper_out}};
	for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
		int published = 0, sent = 0;
		for (int t = 0; t < CAIRN_TOPIC_COUNT; t++)
			published += strcmp(cairn_topics[t].stage, cores[i].stage) == 0;
		for (const struct cairn_out *row = cores[i].out; row->topic != CAIRN_TOPIC_COUNT;
		     row++, sent++)
			ck_assert_str_eq(cairn_topics[row->topic].stage, cores[i].stage);
		ck_assert_msg(sent == published, "%s publishes %d topics, its table has %d", cores[i].stage,
		    published, sent);
		for (const struct cairn_in *row = cores[i].in; row->take != NULL; row++)
			ck_assert_str_ne(cairn_topics[row->topic].stage, cores[i].stage);
	}
}
END_TEST

CAIRN_TEST_MAIN("ports", headers_are_judged_by_the_rule_of_the_row,
    a_message_goes_to_the_rows_of_its_topic_that_accept_it,
    a_message_is_sent_when_it_is_new_and_again_each_period, what_is_not_in_the_table_is_never_sent,
    the_tables_of_cores_agree_with_the_table_of_topics)
