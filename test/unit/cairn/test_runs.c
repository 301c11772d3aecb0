/* Runs kept by date, and the pictures of their decisions. */
#include <sys/stat.h>

#include "common/base/file.h"
#include "procs/cairn/folder.h"
#include "procs/cairn/runs.h"
#include "procs/gateway/sent.h"
#include "test/support/runner.h"

#define T0 1700000000.25 /* 2023-11-14 22:13:20 UTC */

static char dir[64];
static struct cairn_error err;

static const char *in(const char *name)
{
	static char path[2][256];
	static int turn;
	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-runs-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	err = (struct cairn_error){""};
}

static void clean(void)
{
	struct dirent **list;
	for (int i = folder_list(in("runs"), &list); i-- > 0; free(list[i])) {
		char path[400];
		snprintf(path, sizeof(path), "%s/runs/%s", dir, list[i]->d_name);
		folder_remove(path);
	}
	free(list);
	folder_remove(dir);
}

static void put(const char *name, const char *text)
{
	ck_assert_msg(cairn_file_replace(in(name), 0, 0644, text, strlen(text), &err), "%s", err.text);
}

static bool there(const char *name)
{
	struct stat st;
	return lstat(in(name), &st) == 0;
}

/* A run as the stages leave it. */
static void run(double started_unix_s, const char *summary)
{
	ck_assert(runs_begin(dir, started_unix_s, &err));
	put("decisions.jsonl", "{\"t\":1,\"id\":7,\"what\":\"drive\"}\n{\"t\":2,\"result_of\":7}\n"
			       "{\"t\":3,\"id\":8,\"what\":\"stop\"}\n");
	put("commands.jsonl", "{\"t\":1,\"command\":{}}\n");
	(void)mkdir(in("sent"), 0755);
	put("sent/7.jpg", "picture");
	if (summary != NULL)
		put("summary.json", summary);
}

START_TEST(the_run_before_stands_aside_by_the_time_it_began)
{
	struct runs_row *rows;
	setup();
	run(T0, "{\"duration_s\":12.5,\"passed\":true,\"end_reason\":\"explored\"}");
	put("map.bin", "of the home, not of the run");
	ck_assert_msg(runs_set_aside(dir, 1e6, &err), "%s", err.text);
	ck_assert(there("runs/20231114T221320Z/decisions.jsonl"));
	ck_assert(there("runs/20231114T221320Z/sent/7.jpg"));
	ck_assert(there("map.bin") && !there("decisions.jsonl") && !there("summary.json") && !there("sent"));
	run(T0 + 60.0, NULL);
	ck_assert_int_eq(runs_list(dir, &rows, &err), 2);
	ck_assert_str_eq(rows[0].name, "20231114T221320Z");
	ck_assert_str_eq(rows[0].ended, "explored");
	ck_assert(rows[0].passed);
	ck_assert_double_eq_tol(rows[0].started_unix_s, T0, 1e-3);
	ck_assert_double_eq_tol(rows[0].duration_s, 12.5, 1e-9);
	ck_assert_uint_eq(rows[0].decisions, 2);
	ck_assert_str_eq(rows[1].name, ""); /* of now */
	ck_assert_double_lt(rows[1].duration_s, 0.0);
	ck_assert_uint_eq(rows[1].decisions, 2);
	free(rows);
	clean();
}
END_TEST

START_TEST(two_runs_of_one_second_are_two)
{
	setup();
	run(T0, NULL);
	ck_assert(runs_set_aside(dir, 1e6, &err));
	run(T0, NULL);
	ck_assert(runs_set_aside(dir, 1e6, &err));
	ck_assert(there("runs/20231114T221320Z/decisions.jsonl"));
	ck_assert(there("runs/20231114T221320Z.1/decisions.jsonl"));
	clean();
}
END_TEST

START_TEST(beyond_the_quota_the_oldest_go)
{
	setup();
	char large[1001];
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	for (int i = 0; i < 5; i++) {
		run(T0 + i * 10.0, large);
		ck_assert(runs_set_aside(dir, 3600.0, &err)); /* three of some 1150 bytes */
	}
	ck_assert(!there("runs/20231114T221320Z") && !there("runs/20231114T221330Z"));
	ck_assert(there("runs/20231114T221340Z") && there("runs/20231114T221400Z"));
	run(T0 + 100.0, large);
	ck_assert(runs_set_aside(dir, 0.0, &err)); /* none is kept */
	ck_assert(!there("runs/20231114T221400Z") && !there("decisions.jsonl") && !there("sent"));
	clean();
}
END_TEST

START_TEST(a_run_in_which_nothing_was_decided_leaves_none)
{
	setup();
	ck_assert(runs_begin(dir, T0, &err));
	put("summary.json", "{}");
	ck_assert(runs_set_aside(dir, 1e6, &err));
	ck_assert(!there("runs") && !there("summary.json") && !there("run.json"));
	clean();
}
END_TEST

START_TEST(a_run_is_found_by_its_name)
{
	char path[RUNS_PATH_BYTES];
	setup();
	for (int i = 0; i < 2; i++) {
		run(T0 + i * 86400.0, NULL);
		ck_assert(runs_set_aside(dir, 1e6, &err));
	}
	ck_assert(runs_find(dir, "20231115", path, &err));
	ck_assert_str_eq(path, in("runs/20231115T221320Z"));
	ck_assert(runs_find(dir, "last", path, &err));
	ck_assert_str_eq(path, in("runs/20231115T221320Z"));
	ck_assert(runs_find(dir, NULL, path, &err));
	ck_assert_str_eq(path, dir);
	ck_assert(!runs_find(dir, "2023", path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "more than one"));
	ck_assert(!runs_find(dir, "../../etc", path, &err));
	ck_assert(!runs_find(dir, "", path, &err));
	clean();
}
END_TEST

START_TEST(pictures_are_kept_by_decision_up_to_the_quota)
{
	struct sent sent;
	struct cairn_snapshot_head head = {.text_bytes = 4, .jpeg_bytes = 100, .view_bytes = 50};
	char parts[154];
	memset(parts, 'p', sizeof(parts));
	struct cairn_dialog_question q = {.head = &head, .parts = parts, .pictures = true, .view = true};
	setup();
	sent_init(&sent, in("sent"), 1000.0);
	ck_assert(sent_keep(&sent, 9, &q, &err));
	ck_assert(there("sent/9.jpg") && there("sent/9-above.jpg"));
	ck_assert_double_eq_tol(folder_bytes(in("sent")), 150.0, 1e-9);
	q.view = false;
	for (uint64_t id = 10; id < 40; id++) {
		ck_assert(sent_keep(&sent, id, &q, &err));
		ck_assert_double_le(folder_bytes(in("sent")), 1000.0);
	}
	ck_assert(!there("sent/9.jpg") && !there("sent/10.jpg") && there("sent/39.jpg"));
	q.pictures = false;
	ck_assert(sent_keep(&sent, 41, &q, &err));
	ck_assert(!there("sent/41.jpg"));
	sent_init(&sent, in("sent"), 250.0); /* the next gateway counts what is there */
	ck_assert_double_le(folder_bytes(in("sent")), 250.0);
	ck_assert(there("sent/39.jpg"));
	head.jpeg_bytes = 5000; /* one that can never fit costs the others nothing */
	q.pictures = true;
	ck_assert(sent_keep(&sent, 42, &q, &err));
	ck_assert(!there("sent/42.jpg") && there("sent/39.jpg"));
	clean();
}
END_TEST

CAIRN_TEST_MAIN("runs", the_run_before_stands_aside_by_the_time_it_began, two_runs_of_one_second_are_two,
    beyond_the_quota_the_oldest_go, a_run_in_which_nothing_was_decided_leaves_none,
    a_run_is_found_by_its_name, pictures_are_kept_by_decision_up_to_the_quota)
