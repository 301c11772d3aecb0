/* The page of `cairn eval frequency`: every rate and home with its figures, nothing that is loaded from elsewhere. */
#include "test/support/runner.h"

#include <string.h>

#include "procs/lab/eval_frequency.h"

static const char figures[] =
    "{\"configuration\":\"00ff\",\"seeds\":7,\"usd_per_call\":0.00025,\"rates\":[{\"fixed_hz\":0.5,"
    "\"saved\":{\"mean\":0.57,\"low\":0.53,\"high\":0.61},\"homes\":{"
    "\"<studio>\":{\"calls_by_need\":{\"mean\":3.5},\"calls_fixed\":{\"mean\":7.25},\"saved\":{\"mean\":0.46,"
    "\"low\":0.37,\"high\":0.53},"
    "\"seconds_by_need\":{\"mean\":15},\"seconds_fixed\":{\"mean\":14},\"usd_by_need\":{\"mean\":0.0009},"
    "\"usd_fixed\":{\"mean\":0.0017},"
    "\"coverage_by_need\":{\"mean\":0.988},\"coverage_fixed\":{\"mean\":0.989},\"contacts_by_need\":{"
    "\"mean\":0},\"contacts_fixed\":{\"mean\":0}}}}]}";

static char page[1 << 20];

static bool written(const char *dir, bool passed, struct cairn_error *err)
{
	json_t *o = json_loads(figures, 0, NULL);
	ck_assert_ptr_nonnull(o);
	bool ok = frequency_write_page(o, "cairn eval frequency --seeds 7", passed, dir, err);
	json_decref(o);
	return ok;
}

static void read_page(const char *dir)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/index.html", dir);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
}

START_TEST(every_home_stands_there_with_its_figures_and_the_command)
{
	static const char *const needed[] = {"cairn eval frequency --seeds 7", "&lt;studio&gt;", "0.5 Hz",
	    "3.5, 7.2", "46 (37 ... 53)", "98.8, 98.9", "0.0009, 0.0017", "0.000250 USD", ">7<", "00ff",
	    "failed"};
	char dir[] = "/tmp/cairn-frequency-XXXXXX", command[128];
	struct cairn_error err = {""};
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_msg(written(dir, false, &err), "%s", err.text);
	read_page(dir);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		ck_assert_msg(strstr(page, needed[i]) != NULL, "%s is not there", needed[i]);
	ck_assert_ptr_null(strstr(page, "<studio>"));
	ck_assert_ptr_null(strstr(page, "<script"));
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(a_page_that_cannot_be_written_is_no_success)
{
	struct cairn_error err = {""};
	ck_assert(!written("/proc/nowhere", true, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/proc/nowhere"));
}
END_TEST

CAIRN_TEST_MAIN("frequency-page", every_home_stands_there_with_its_figures_and_the_command,
    a_page_that_cannot_be_written_is_no_success)
