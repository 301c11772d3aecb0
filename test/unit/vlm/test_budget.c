#include "test/support/runner.h"

#include "common/base/geom.h"
#include "common/vlm/budget.h"

#define S CAIRN_NS_PER_S

static struct cairn_budget budget;
static int64_t now_ns;

static void fresh(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	cairn_budget_init(&budget, &cfg.vlm);
	now_ns = 1000 * S;
}

/* One call of latency_s that ends now. */
static void call(double latency_s, bool ok, uint64_t in, uint64_t cached, uint64_t out)
{
	struct cairn_usage usage = {.tokens_in = in, .tokens_cached = cached, .tokens_out = out};
	cairn_budget_call_sent(&budget, now_ns);
	now_ns += (int64_t)(latency_s * 1e9);
	cairn_budget_call_ended(&budget, now_ns, ok, &usage);
}

START_TEST(cost_follows_the_price_list)
{
	fresh();
	/* 0.15, 0.075 and 0.60 USD per million: 1000 fresh, 1000 cached, 100 out = 150 + 75 + 60 micro-USD.
	 */
	call(1.0, true, 2000, 1000, 100);
	ck_assert_double_eq_tol(budget.ledger.cost_usd, 285e-6, 1e-12);
	call(1.0, false, 1000, 0, 0);
	ck_assert_double_eq_tol(budget.ledger.cost_usd, 435e-6, 1e-12);
	ck_assert_uint_eq(budget.ledger.calls, 2);
	ck_assert_uint_eq(budget.ledger.failures, 1);
	ck_assert_uint_eq(budget.ledger.tokens.tokens_in, 3000);
	ck_assert_double_eq_tol(cairn_budget_latency_mean_s(&budget), 1.0, 1e-9);
}
END_TEST

START_TEST(calls_per_minute_are_limited_in_a_sliding_window)
{
	fresh();
	struct cairn_error err = {""};
	budget.cfg.limit_calls_per_min = 3;
	for (int i = 0; i < 3; i++) {
		ck_assert(cairn_budget_allows(&budget, now_ns, &err));
		call(0.5, true, 10, 0, 1);
		now_ns += 10 * S;
	}
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "vlm.limit_calls_per_min"));
	/* The first call was sent at 1000 s: its second has left the window at 1061 s. */
	ck_assert(!cairn_budget_allows(&budget, 1060 * S, &err));
	ck_assert(cairn_budget_allows(&budget, 1061 * S, &err));
}
END_TEST

START_TEST(money_limits_stop_before_they_are_broken)
{
	fresh();
	struct cairn_error err = {""};
	budget.cfg.limit_usd_per_hour = 0.0010;
	budget.cfg.limit_usd_per_session = 0.0015;
	/* 0.0003 USD each: after three (0.0009) a fourth would make 0.0012. */
	for (int i = 0; i < 3; i++)
		call(1.0, true, 2000, 0, 0);
	ck_assert_double_eq_tol(cairn_budget_hour_usd(&budget, now_ns), 0.0009, 1e-12);
	ck_assert_double_eq_tol(cairn_budget_used_share(&budget, now_ns), 0.9, 1e-9);
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "limit_usd_per_hour"));
	/* An hour and a minute later the hour is clean, and the session has room for two more. */
	now_ns += 3660 * S;
	ck_assert(cairn_budget_allows(&budget, now_ns, &err));
	call(1.0, true, 2000, 0, 0);
	call(1.0, true, 2000, 0, 0);
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "limit_usd_per_session"));
}
END_TEST

START_TEST(slow_calls_raise_the_tier_to_elevated_and_quick_ones_lower_it)
{
	fresh();
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_NORMAL);
	for (int i = 0; i < 5; i++)
		call(3.5, true, 10, 0, 1);
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_ELEVATED);
	for (int i = 0; i < 2; i++)
		call(0.5, true, 10, 0, 1); /* (3 * 3.5 + 2 * 0.5) / 5 = 2.3 s */
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_NORMAL);
}
END_TEST

START_TEST(failures_lead_to_degraded_and_offline_and_one_success_ends_the_streak)
{
	fresh();
	for (int i = 0; i < 3; i++)
		call(0.1, true, 10, 0, 1);
	for (int i = 0; i < 3; i++)
		call(0.1, false, 0, 0, 0); /* 2 of the last 5 are good: 40 % is enough */
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_NORMAL);
	call(0.1, false, 0, 0, 0);
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_DEGRADED);
	now_ns += 30 * S;
	/* Nobody asked for half a minute: that is no failure. */
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_DEGRADED);
	call(0.1, false, 0, 0, 0);
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_OFFLINE);
	for (int i = 0; i < 3; i++)
		call(0.1, true, 10, 0, 1);
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns), CAIRN_NET_TIER_NORMAL);
}
END_TEST

START_TEST(limits_survive_a_restart)
{
	fresh();
	struct cairn_error err = {""};
	struct cairn_ledger ledger = {.calls = 40, .cost_usd = 0.6};
	cairn_budget_carry_on(&budget, &ledger, now_ns);
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err)); /* 0.30 USD an hour */
	ck_assert(cairn_budget_allows(&budget, now_ns + 3660 * S, &err));
	call(1.0, true, 1000, 0, 0);
	ck_assert_uint_eq(budget.ledger.calls, 41);
	ck_assert_double_eq_tol(budget.ledger.cost_usd, 0.60015, 1e-9);
}
END_TEST

START_TEST(a_day_has_a_limit_of_its_own)
{
	fresh();
	struct cairn_error err = {""};
	budget.cfg.limit_usd_per_day = 0.0010;
	for (int i = 0; i < 3; i++)
		call(1.0, true, 2000, 0, 0);
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "limit_usd_per_day"));
	ck_assert(!cairn_budget_allows(&budget, now_ns + 23 * 3600 * S, &err));
	ck_assert(cairn_budget_allows(&budget, now_ns + 25 * 3600 * S, &err));
}
END_TEST

/* Spends in one process, and goes on in another that was started after_s later, maybe after a reboot. */
static void restart(uint64_t session, int64_t unix_ns, int64_t boot_ns)
{
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	struct cairn_spending spent;
	struct cairn_ledger ledger = budget.ledger;
	cairn_spending_write(&text, &budget.spent);
	ck_assert_msg(cairn_spending_read(&spent, text.data, text.len, &err), "%s", err.text);
	cairn_text_free(&text);
	fresh();
	now_ns = boot_ns;
	cairn_budget_resume(&budget, &ledger, &spent, session, unix_ns, now_ns);
}

START_TEST(a_restart_neither_forgets_nor_counts_twice)
{
	const int64_t day_one = INT64_C(1700000000) * S;
	fresh();
	restart(7, day_one, 50 * S);
	for (int i = 0; i < 3; i++)
		call(1.0, true, 2000, 0, 0);
	for (int i = 0; i < 5; i++) { /* of the gateway, in the same session */
		restart(7, day_one + 600 * S, 650 * S);
		ck_assert_double_eq_tol(cairn_budget_hour_usd(&budget, now_ns), 0.0009, 1e-9);
		ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.0009, 1e-9);
		ck_assert_double_eq_tol(budget.spent.session_usd, 0.0009, 1e-9);
		ck_assert_uint_eq(budget.ledger.calls, 3);
	}
	restart(
	    8, day_one + 2 * 3600 * S, 5 * S); /* after a reboot: the clock that counts from it began anew */
	ck_assert_double_eq(cairn_budget_hour_usd(&budget, now_ns), 0.0);
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.0009, 1e-9);
	ck_assert_double_eq(budget.spent.session_usd, 0.0);
	ck_assert_uint_eq(budget.ledger.calls, 0);
	call(1.0, true, 2000, 0, 0);
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.0012, 1e-9);
	restart(8, day_one - 24 * 3600 * S, 5 * S); /* the clock was set back a day: spent is spent */
	ck_assert_double_eq_tol(cairn_budget_hour_usd(&budget, now_ns), 0.0012, 1e-9);
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.0012, 1e-9);
	ck_assert_double_eq_tol(budget.spent.session_usd, 0.0003, 1e-9);
}
END_TEST

START_TEST(what_the_agent_spends_counts_in_the_day_once_and_in_no_hour)
{
	const int64_t day_one = INT64_C(1700000000) * S;
	struct cairn_error err = {""};
	fresh();
	restart(7, day_one, 50 * S);
	budget.cfg.limit_usd_per_day = 0.5;
	cairn_budget_count_task(&budget, now_ns, 3, 0.1);
	cairn_budget_count_task(&budget, now_ns, 3, 0.1); /* told again */
	cairn_budget_count_task(&budget, now_ns, 3, 0.25);
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.25, 1e-9);
	ck_assert_double_eq(cairn_budget_hour_usd(&budget, now_ns), 0.0);
	ck_assert_double_eq(budget.spent.session_usd, 0.0);
	ck_assert(cairn_budget_allows(&budget, now_ns, &err));
	restart(7, day_one + 60 * S, 110 * S);
	budget.cfg.limit_usd_per_day = 0.5;
	cairn_budget_count_task(&budget, now_ns, 3, 0.25); /* the same, told after a restart */
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.25, 1e-9);
	cairn_budget_count_task(&budget, now_ns, 3, 0.02); /* its number anew, in another run */
	cairn_budget_count_task(&budget, now_ns, 4, 0.3);
	ck_assert_double_eq_tol(cairn_budget_day_usd(&budget, now_ns), 0.57, 1e-9);
	ck_assert(!cairn_budget_allows(&budget, now_ns, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "limit_usd_per_day"));
}
END_TEST

START_TEST(a_damaged_file_of_what_was_spent_is_refused_with_its_line)
{
	static const struct {
		const char *text, *why;
	} bad[] = {{"", "no line of the session"}, {"session 7 0.1", "line 1 is cut off"},
	    {"session 7 0.1\nminute x 0.1\n", "line 2 is no"}, {"session 7 -0.1\n", "line 1 is no"},
	    {"session 7 nan\n", "line 1 is no"}, {"session 7 1e9\n", "line 1 is no"},
	    {"minute 1 0.5\n", "no line of the session"}, {"session 7 0.1 more\n", "line 1 is no"},
	    {"session 7 0.1\n\n", "line 2 is cut off, empty"}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cairn_error err = {""};
		struct cairn_spending s = {.session = 3};
		ck_assert(!cairn_spending_read(&s, bad[i].text, strlen(bad[i].text), &err));
		ck_assert_msg(strstr(err.text, bad[i].why) != NULL, "%s", err.text);
		ck_assert_uint_eq(s.session, 3);
	}
}
END_TEST

START_TEST(a_cancelled_call_says_nothing_about_the_service)
{
	fresh();
	cairn_budget_call_sent(&budget, now_ns);
	struct cairn_usage used = {.tokens_in = 1000};
	cairn_budget_call_cancelled(&budget, now_ns, &used); /* but it may have been worked on */
	ck_assert_double_eq_tol(budget.ledger.cost_usd, 0.00015, 1e-9);
	ck_assert_int_eq(cairn_budget_net_tier(&budget, now_ns + 60 * S), CAIRN_NET_TIER_NORMAL);
	ck_assert_uint_eq(budget.ledger.calls, 1);
	ck_assert_uint_eq(budget.ledger.failures, 0);
}
END_TEST

START_TEST(what_a_call_may_cost_can_be_put_beside_what_is_spent)
{
	fresh();
	struct cairn_usage used = {.tokens_in = 1000};
	struct cairn_spending with;
	cairn_budget_call_sent(&budget, now_ns);
	cairn_budget_spent_with(&budget, now_ns, &used, &with);
	ck_assert_double_eq_tol(with.session_usd, 0.00015, 1e-9);
	ck_assert_double_eq(budget.spent.session_usd, 0.0);
}
END_TEST

CAIRN_TEST_MAIN("vlm budget", cost_follows_the_price_list, calls_per_minute_are_limited_in_a_sliding_window,
    money_limits_stop_before_they_are_broken, slow_calls_raise_the_tier_to_elevated_and_quick_ones_lower_it,
    failures_lead_to_degraded_and_offline_and_one_success_ends_the_streak, limits_survive_a_restart,
    a_day_has_a_limit_of_its_own, a_restart_neither_forgets_nor_counts_twice,
    what_the_agent_spends_counts_in_the_day_once_and_in_no_hour,
    a_damaged_file_of_what_was_spent_is_refused_with_its_line,
    a_cancelled_call_says_nothing_about_the_service, what_a_call_may_cost_can_be_put_beside_what_is_spent)
