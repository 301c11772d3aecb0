/* runner.h - main() of a unit test: one suite, TAP on standard output so that the build counts every case.
 *
 *   START_TEST(heading_north_is_the_start) { ... } END_TEST
 *   CAIRN_TEST_MAIN("geom", heading_north_is_the_start, ...)
 *
 * Test data outside the repository: cairn_shared_path("lidar/aces.traj.txt.gz") or NULL, then the case says
 * CAIRN_SKIP("why"), which ends it; scripts/check.sh counts it as skipped. */
#ifndef CAIRN_TEST_SUPPORT_RUNNER_H
#define CAIRN_TEST_SUPPORT_RUNNER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rounds of a test on random inputs: a twelfth of n under the sanitizers, one at least. They make programs many times slower, and look for
 * errors that one round shows as well as twelve; what the rounds are for is looked for without them. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAIRN_ROUNDS(n) (((n) + 11) / 12)
#else
#define CAIRN_ROUNDS(n) (n)
#endif

/* A comment in the TAP stream, since libcheck knows no skipped case; leaves the test function. */
#define CAIRN_SKIP(why)                                                                                      \
	do {                                                                                                 \
		printf("# SKIP %s\n", why);                                                                  \
		fflush(stdout);                                                                              \
		return;                                                                                      \
	} while (0)

/* Path of a file below ../shared/data (CAIRN_SHARED overrides), in a static buffer, or NULL if it is not there. */
static inline const char *cairn_shared_path(const char *below)
{
	static char path[1024];
	const char *root = getenv("CAIRN_SHARED");
	snprintf(path, sizeof(path), "%s/%s", root != NULL ? root : CAIRN_SHARED_DEFAULT, below);
	return access(path, R_OK) == 0 ? path : NULL;
}

static inline int cairn_test_run(
    const char *suite_name, const TTest *const *tests, size_t count, double timeout_s)
{
	Suite *suite = suite_create(suite_name);
	for (size_t i = 0; i < count; i++) {
		TCase *tcase = tcase_create(tests[i]->name);
		tcase_set_timeout(tcase, timeout_s);
		tcase_add_test(tcase, tests[i]);
		suite_add_tcase(suite, tcase);
	}
	SRunner *runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? 0 : 1;
}

#define CAIRN_TEST_MAIN_TIMEOUT(name, timeout_s, ...)                                                        \
	int main(void)                                                                                       \
	{                                                                                                    \
		const TTest *const tests[] = {__VA_ARGS__};                                                  \
		return cairn_test_run(name, tests, sizeof(tests) / sizeof(tests[0]), timeout_s);             \
	}
#define CAIRN_TEST_MAIN(name, ...) CAIRN_TEST_MAIN_TIMEOUT(name, 60.0, __VA_ARGS__)

#endif
