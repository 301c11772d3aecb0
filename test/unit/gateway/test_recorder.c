/* Recordings of what was asked and answered: the folder's quota holds over runs, and a full disk ends a
 * recording, not the gateway. */
#include "procs/gateway/recorder.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "test/support/runner.h"

#define LONG 900 /* characters of an answer */

static char dir[64], answer[LONG + 1];

static struct recorder *begin(double quota_bytes)
{
	struct cairn_error err = {""};
	memset(answer, 'x', LONG);
	if (dir[0] == '\0') {
		snprintf(dir, sizeof(dir), "/tmp/cairn-recorder-XXXXXX");
		ck_assert_ptr_nonnull(mkdtemp(dir));
	}
	struct recorder *r = recorder_new(dir, quota_bytes, &err);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

static void add(struct recorder *r, int count)
{
	struct cairn_exchange x = {.provider = "test",
	    .format = "test",
	    .url = "http://127.0.0.1/",
	    .request = "{}",
	    .request_bytes = 2,
	    .status = 200,
	    .error = "",
	    .response = answer,
	    .response_bytes = LONG};
	for (int i = 0; i < count; i++)
		recorder_add(r, &x);
}

static size_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static void clear_folder(void)
{
	DIR *d = opendir(dir);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		(void)unlinkat(dirfd(d), e->d_name, 0);
	if (d != NULL)
		closedir(d);
	ck_assert_int_eq(rmdir(dir), 0);
}

static bool ends_with_a_line(const char *path)
{
	FILE *f = fopen(path, "re");
	bool whole = f != NULL && fseek(f, -1, SEEK_END) == 0 && fgetc(f) == '\n';
	if (f != NULL)
		fclose(f);
	return whole;
}

START_TEST(a_recording_ends_with_a_whole_line_before_its_quota)
{
	struct recorder *r = begin(10000.0);
	add(r, 100);
	size_t bytes = size_of(recorder_path(r));
	printf("# %zu bytes of 10000\n", bytes);
	ck_assert_uint_le(bytes, 10000);
	ck_assert_uint_gt(bytes, 10000 - 2 * LONG);
	ck_assert(ends_with_a_line(recorder_path(r)));
	recorder_destroy(&r);
	clear_folder();
}
END_TEST

START_TEST(what_earlier_runs_have_recorded_counts)
{
	char earlier[160];
	struct recorder *r = begin(10000.0);
	recorder_destroy(&r);
	snprintf(earlier, sizeof(earlier), "%s/exchanges-earlier.jsonl", dir);
	FILE *f = fopen(earlier, "we");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 9000; i++)
		fputc('\n', f);
	ck_assert_int_eq(fclose(f), 0);
	r = begin(10000.0);
	add(r, 1); /* more than the thousand bytes that are left */
	ck_assert_uint_eq(size_of(recorder_path(r)), 0);
	recorder_destroy(&r);
	clear_folder();
}
END_TEST

START_TEST(a_full_disk_ends_the_recording_and_nothing_else)
{
	struct rlimit limit = {3 * LONG, RLIM_INFINITY};
	struct recorder *r = begin(1e6);
	add(r, 1);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_ptr_ne((void *)signal(SIGXFSZ, SIG_IGN), (void *)SIG_ERR);
	add(r, 10);
	ck_assert_uint_eq(size_of(recorder_path(r)), 3 * LONG);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	add(r, 10); /* behind half a line nothing would be understood */
	ck_assert_uint_eq(size_of(recorder_path(r)), 3 * LONG);
	recorder_destroy(&r);
	clear_folder();
}
END_TEST

CAIRN_TEST_MAIN("recorder", a_recording_ends_with_a_whole_line_before_its_quota,
    what_earlier_runs_have_recorded_counts, a_full_disk_ends_the_recording_and_nothing_else)
