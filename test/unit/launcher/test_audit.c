/* File under test: procs/launcher/audit.c, in a folder of its own. */
#include "procs/launcher/audit.h"

#include <jansson.h>
#include <sys/stat.h>

#include "test/support/runner.h"

static char dir[64], path[128];

static void setup(void)
{
	strcpy(dir, "/tmp/cairn-audit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/state", dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/state/commands.jsonl", dir);
}

static void teardown(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

static int lines_of(const char *name)
{
	char line[16384];
	int n = 0;
	FILE *in = fopen(name, "re");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL) {
		json_t *json = json_loads(line, 0, NULL);
		ck_assert_msg(json_is_object(json_object_get(json, "command")), "%s", line);
		json_decref(json);
		n++;
	}
	if (in != NULL)
		fclose(in);
	return n;
}

START_TEST(each_command_is_kept_once_however_often_it_is_repeated)
{
	setup();
	static struct cairn_audit audit;
	struct cairn_header hdr = {.epoch = 5};
	struct cairn_msg_commanded done = {
	    .id = 1, .verb = "goto", .arg = "1 \"2\"\n", .who = "uid 0", .ok = true};
	cairn_audit_init(&audit, dir);
	ck_assert(cairn_audit_take(&audit, 0, &hdr, &done, 100.0));
	ck_assert(!cairn_audit_take(&audit, 0, &hdr, &done, 101.0));
	ck_assert(cairn_audit_take(&audit, 1, &hdr, &done, 102.0)); /* another stage counts for itself */
	hdr.epoch = 6;                                              /* reborn: its count begins anew */
	ck_assert(cairn_audit_take(&audit, 0, &hdr, &done, 103.0));
	ck_assert(!cairn_audit_take(&audit, CAIRN_AUDIT_STAGES, &hdr, &done, 104.0));
	ck_assert_int_eq(lines_of(path), 3);
	ck_assert_uint_eq(audit.count, 3);
	teardown();
}
END_TEST

START_TEST(the_newest_stand_first_and_the_file_does_not_grow_without_end)
{
	setup();
	static struct cairn_audit audit;
	struct cairn_header hdr = {.epoch = 5};
	struct cairn_msg_commanded done = {.verb = "pause", .ok = true};
	struct stat st;
	char old[140];
	memset(done.text, '"', sizeof(done.text) - 1); /* each is two bytes in the file */
	cairn_audit_init(&audit, dir);
	for (done.id = 1; done.id <= 5000; done.id++)
		ck_assert(cairn_audit_take(&audit, 0, &hdr, &done, (double)done.id));
	ck_assert_uint_eq(audit.count, CAIRN_AUDIT_SHOWN);
	ck_assert_uint_eq(audit.newest[0].id, 5000);
	ck_assert_uint_eq(audit.newest[3].id, 4997);
	snprintf(old, sizeof(old), "%s.1", path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_le(st.st_size, CAIRN_AUDIT_BYTES);
	ck_assert_int_eq(stat(old, &st), 0);
	ck_assert_int_le(st.st_size, CAIRN_AUDIT_BYTES);
	ck_assert_int_eq((int)(st.st_mode & 0777), 0600);
	ck_assert_int_gt(lines_of(path) + lines_of(old), 2000);
	teardown();
}
END_TEST

/* Eight minutes of what a key that may only watch can do: five refused commands and five stops a second, under names that
 * differ. */
START_TEST(what_was_not_done_pushes_out_nothing_of_what_was)
{
	setup();
	static struct cairn_audit audit;
	struct cairn_header hdr = {.epoch = 5};
	struct cairn_msg_commanded release = {.id = 1, .verb = "release", .who = "key anna", .ok = true};
	char old[140], refused[140], line[16384] = "", first[16384] = "";
	struct stat st;
	uint64_t id = 1;
	cairn_audit_init(&audit, dir);
	ck_assert(cairn_audit_take(&audit, 0, &hdr, &release, 1000.0));
	for (int i = 0; i < 8 * 60 * 5; i++) {
		struct cairn_msg_commanded no = {.id = ++id, .verb = "goto"},
					   stop = {.verb = "stop", .ok = true};
		snprintf(no.who, sizeof(no.who), "key bob: %d", i);
		memset(no.text, '"', sizeof(no.text) - 1);
		memset(no.arg, '"', sizeof(no.arg) - 1);
		ck_assert(cairn_audit_take(&audit, 0, &hdr, &no, 1001.0 + i / 5.0));
		stop.id = ++id;
		snprintf(stop.who, sizeof(stop.who), "key bob: %d", i);
		memset(stop.arg, '"', sizeof(stop.arg) - 1);
		ck_assert(cairn_audit_take(&audit, 0, &hdr, &stop, 1001.0 + i / 5.0));
	}
	snprintf(old, sizeof(old), "%s.1", path);
	snprintf(refused, sizeof(refused), "%s/state/refused.jsonl", dir);
	ck_assert_int_ne(stat(old, &st), 0); /* the file of what was done was never full */
	FILE *in = fopen(path, "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(fgets(first, sizeof(first), in));
	ck_assert_ptr_nonnull(strstr(first, "\"release\""));
	while (fgets(line, sizeof(line), in) != NULL)
		ck_assert_ptr_null(strstr(line, "\"goto\""));
	fclose(in);
	ck_assert_ptr_nonnull(strstr(line, "\"left_out\":")); /* said, not hidden */
	ck_assert_int_le(lines_of(path), 1 + CAIRN_AUDIT_BURST + 48);
	ck_assert_int_le(lines_of(refused), CAIRN_AUDIT_BURST + 480);
	ck_assert_int_gt(lines_of(refused), 20);
	ck_assert_int_eq(stat(refused, &st), 0);
	ck_assert_int_le(st.st_size, CAIRN_AUDIT_REFUSED_BYTES);
	int shown = 0;
	for (uint32_t i = 0; i < audit.count; i++)
		shown += !audit.newest[i].ok;
	ck_assert_int_le(shown, 1);
	teardown();
}
END_TEST

START_TEST(a_file_that_cannot_be_written_costs_the_line_and_nothing_else)
{
	setup();
	static struct cairn_audit audit;
	struct cairn_header hdr = {.epoch = 5};
	struct cairn_msg_commanded done = {.id = 1, .verb = "pause"};
	cairn_audit_init(&audit, "/nonexistent");
	ck_assert(cairn_audit_take(&audit, 0, &hdr, &done, 1.0));
	ck_assert_uint_eq(audit.count, 1);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("audit", each_command_is_kept_once_however_often_it_is_repeated,
    the_newest_stand_first_and_the_file_does_not_grow_without_end,
    what_was_not_done_pushes_out_nothing_of_what_was,
    a_file_that_cannot_be_written_costs_the_line_and_nothing_else)
