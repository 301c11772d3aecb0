/* What a conversation with a service leaves behind: a recording that can be replayed, within its quota, and nowhere the key. */
#include "test/support/service_rig.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static bool find_recording(char *path, size_t cap)
{
	char folder[128];
	snprintf(folder, sizeof(folder), "%s/rec", run_dir);
	DIR *dir = opendir(folder);
	bool found = false;
	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
		if (strncmp(e->d_name, "exchanges-", 10) != 0)
			continue;
		snprintf(path, cap, "%s/%s", folder, e->d_name);
		found = true;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

START_TEST(a_recording_gives_the_same_decision_without_any_server)
{
	char settings[600], path[400];
	begin();
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n", run_dir);
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert(find_recording(path, sizeof(path)));
	close_service();
	service_server_destroy(&server);
	lineup.rows[0].api_key_env[0] = '\0';
	snprintf(settings, sizeof(settings), "  replay: %s\n", path);
	memset(&decision, 0, sizeof(decision));
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(calls, 2);
	ask(1); /* there is no third */
	ck_assert(!decided);
	ck_assert_ptr_nonnull(strstr(last_error(), "has no further answer"));
	end();
}
END_TEST

START_TEST(a_recording_stays_within_its_quota)
{
	char settings[300], path[400];
	struct stat st;
	begin();
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n  record_mb: 0.1\n", run_dir);
	open_service(settings);
	for (int i = 0; i < 6; i++) {
		ask(4);
		ck_assert_msg(decided, "%s", last_error());
		cairn_dialog_result(dialog,
		    &(struct cairn_msg_result){.decision_id = decision.id, .distance_m = 1.0},
		    cairn_now_ns());
	}
	ck_assert(find_recording(path, sizeof(path)) && stat(path, &st) == 0);
	ck_assert_int_gt(st.st_size, 50000);
	ck_assert_int_le(st.st_size, 100000);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	end();
}
END_TEST

/* True when any file below the run directory, or what the kernel shows of this process, holds the key. */
static bool key_is_somewhere(void)
{
	char command[300];
	snprintf(command, sizeof(command),
	    "grep -rq -e '%s' %s || tr '\\0' ' ' < /proc/%d/cmdline | grep -q -e '%s'", KEY, run_dir,
	    (int)getpid(), KEY);
	return system(command) == 0;
}

START_TEST(the_key_is_in_no_log_recording_error_title_or_dump)
{
	char settings[300], path[400];
	struct rlimit limit;
	begin();
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n", run_dir);
	snprintf(path, sizeof(path), "%s/stderr.log", run_dir);
	ck_assert_ptr_nonnull(freopen(path, "w", stderr)); /* the stage's log */
	open_service(settings);
	ask(4);
	ck_assert(decided);
	service_server_fail(server, 500); /* its message quotes the key */
	ask(1);
	ck_assert_msg(strstr(last_error(), "your key is ****") != NULL, "%s", last_error());
	ck_assert_ptr_null(strstr(last_error(), KEY));
	fflush(stderr);
	ck_assert(find_recording(path, sizeof(path)));
	ck_assert(!key_is_somewhere());
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_CORE, &limit), 0);
	ck_assert_uint_le(limit.rlim_cur, 1);
	/* The search itself finds what is there. */
	snprintf(path, sizeof(path), "%s/planted", run_dir);
	FILE *out = fopen(path, "w");
	fputs("x " KEY " y\n", out);
	fclose(out);
	ck_assert(key_is_somewhere());
	end();
}
END_TEST

CAIRN_TEST_MAIN("gateway records", a_recording_gives_the_same_decision_without_any_server,
    a_recording_stays_within_its_quota, the_key_is_in_no_log_recording_error_title_or_dump)
