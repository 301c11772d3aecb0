/* Growth of a process over a long run: which samples count, and what is judged. */
#include "procs/lab/soak_meter.h"

#include "test/support/runner.h"

static struct soak_meter meter;

/* A run of 1000 s: warm-up until 333.3, first window until 433.3, last one from 900 on. */
static const struct soak_row *run_of(
    double rss_at_start_mb, double rss_first_mb, double rss_last_mb, int fds_last)
{
	soak_meter_init(&meter, 1000.0);
	for (int t_s = 0; t_s < 1000; t_s += 2) {
		struct soak_sample s = {rss_first_mb, 0.5 * t_s, 20};
		if (t_s < 100)
			s.rss_mb = rss_at_start_mb;
		if (t_s >= 900) {
			s.rss_mb = rss_last_mb;
			s.fds = fds_last;
		}
		soak_meter_sample(&meter, "mapper", 7, t_s, &s);
	}
	return &meter.rows[0];
}

START_TEST(what_a_process_takes_while_warming_up_is_no_growth)
{
	struct soak_verdict v = soak_meter_judge(run_of(5.0, 50.0, 50.0, 20));
	ck_assert(v.measured && v.rss_ok && v.fds_ok);
	ck_assert_double_eq_tol(v.rss_growth, 0.0, 1e-9);
	ck_assert_double_eq_tol(v.cpu_cores[SOAK_FIRST], 0.5, 1e-9);
	ck_assert_double_eq_tol(v.cpu_cores[SOAK_LAST], 0.5, 1e-9);
}
END_TEST

START_TEST(more_than_one_percent_afterwards_is_growth)
{
	ck_assert(soak_meter_judge(run_of(5.0, 50.0, 50.49, 20)).rss_ok);
	struct soak_verdict v = soak_meter_judge(run_of(5.0, 50.0, 50.51, 20));
	ck_assert(!v.rss_ok);
	ck_assert_double_eq_tol(v.rss_growth, 0.0102, 1e-9);
}
END_TEST

START_TEST(a_small_process_may_gain_a_few_pages)
{
	ck_assert(soak_meter_judge(run_of(3.0, 4.0, 4.12, 20)).rss_ok); /* 3 %, but 120 kB */
	ck_assert(!soak_meter_judge(run_of(3.0, 4.0, 4.13, 20)).rss_ok);
}
END_TEST

START_TEST(one_descriptor_more_is_too_many)
{
	ck_assert(!soak_meter_judge(run_of(5.0, 50.0, 50.0, 21)).fds_ok);
}
END_TEST

START_TEST(a_descriptor_that_comes_and_goes_is_no_leak)
{
	(void)run_of(5.0, 50.0, 50.0, 20);
	struct soak_sample busy = {50.0, 500.0, 23};
	soak_meter_sample(&meter, "mapper", 7, 999.0, &busy);
	ck_assert(soak_meter_judge(&meter.rows[0]).fds_ok);
}
END_TEST

START_TEST(a_process_that_was_replaced_is_not_measured)
{
	(void)run_of(5.0, 50.0, 50.0, 20);
	soak_meter_sample(&meter, "mapper", 8, 999.0, &(struct soak_sample){5.0, 0.0, 10});
	struct soak_verdict v = soak_meter_judge(&meter.rows[0]);
	ck_assert(!v.measured && !v.rss_ok && !v.fds_ok);
}
END_TEST

START_TEST(the_warm_up_of_a_long_run_is_ten_minutes)
{
	soak_meter_init(&meter, 7200.0);
	ck_assert(!soak_meter_within(&meter, SOAK_FIRST, 599.0));
	ck_assert(soak_meter_within(&meter, SOAK_FIRST, 600.0));
	ck_assert(soak_meter_within(&meter, SOAK_LAST, 7199.0));
}
END_TEST

CAIRN_TEST_MAIN("soak-meter", what_a_process_takes_while_warming_up_is_no_growth,
    more_than_one_percent_afterwards_is_growth, a_small_process_may_gain_a_few_pages,
    one_descriptor_more_is_too_many, a_descriptor_that_comes_and_goes_is_no_leak,
    a_process_that_was_replaced_is_not_measured, the_warm_up_of_a_long_run_is_ten_minutes)
