/* Keys as people handle them: the real program in a folder of its own. */
#include "test/cli/harness.h"

static char text[4096];

static const char *content(const char *name)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	FILE *in = fopen(path, "re");
	ck_assert_msg(in != NULL, "%s", path);
	size_t n = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[n] = '\0';
	return text;
}

static void set_mode(const char *name, mode_t mode)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	ck_assert_int_eq(chmod(path, mode), 0);
}

static int mode_of(const char *name)
{
	char path[160];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	ck_assert_int_eq(stat(path, &st), 0);
	return (int)(st.st_mode & 0777);
}

/* "cairn COMMAND ARGS" with every %s of args the folder. */
static const struct output *in_folder(const char *command, const char *args)
{
	char line[512];
	size_t n = 0;
	for (const char *p = args; *p != '\0' && n < sizeof(line) - sizeof(run_dir);) {
		if (p[0] == '@') {
			n += (size_t)snprintf(line + n, sizeof(line) - n, "'%s'", run_dir);
			p++;
		} else {
			line[n++] = *p++;
		}
	}
	line[n] = '\0';
	return cairn(command, line);
}

START_TEST(a_key_is_its_owners_alone_and_its_secret_is_never_shown)
{
	make_run_dir();
	const struct output *o = in_folder("keygen", "robot --dir @");
	ck_assert_msg(o->status == 0, "%s", o->err);
	ck_assert_int_eq(mode_of("robot.key"), 0600);
	ck_assert_int_eq(mode_of("robot.pub"), 0644);
	char secret[41];
	const char *at = strstr(content("robot.key"), "secret: ");
	ck_assert(at != NULL && sscanf(at, "secret: %40s", secret) == 1 && strlen(secret) == 40);
	ck_assert(strstr(o->out, secret) == NULL && strstr(o->err, secret) == NULL);
	ck_assert_ptr_null(strstr(content("robot.pub"), secret));
	o = in_folder("key", "@/robot.key");
	ck_assert_int_eq(o->status, 0);
	ck_assert(strstr(o->out, secret) == NULL && strncmp(o->out, "name: robot\npublic: ", 20) == 0);
	remove_run_dir();
}
END_TEST

START_TEST(the_folder_of_a_key_is_made_for_its_user_alone)
{
	make_run_dir();
	ck_assert_int_eq(in_folder("keygen", "robot --dir @/etc")->status, 0);
	ck_assert_int_eq(mode_of("etc"), 0700);
	ck_assert_int_eq(mode_of("etc/robot.key"), 0600);
	const struct output *o =
	    in_folder("keygen", "robot --dir @/no/such"); /* not a whole tree: that is a slip */
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "/no/such: No such file or directory"));
	remove_run_dir();
}
END_TEST

START_TEST(a_key_is_never_written_over)
{
	make_run_dir();
	ck_assert_int_eq(in_folder("keygen", "anna --dir @")->status, 0);
	char before[4096];
	snprintf(before, sizeof(before), "%s", content("anna.key"));
	const struct output *o = in_folder("keygen", "anna --dir @");
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "File exists"));
	ck_assert_str_eq(content("anna.key"), before);
	char path[160];
	snprintf(path, sizeof(path), "%s/bob.pub", run_dir); /* half of a pair is in the way: none is made */
	write_file("bob.pub", "mine\n", "we");
	ck_assert_int_eq(in_folder("keygen", "bob --dir @")->status, 1);
	snprintf(path, sizeof(path), "%s/bob.key", run_dir);
	ck_assert_int_eq(access(path, F_OK), -1);
	ck_assert_str_eq(content("bob.pub"), "mine\n");
	ck_assert_int_eq(in_folder("keygen", "../eve --dir @")->status, 2);
	remove_run_dir();
}
END_TEST

START_TEST(a_line_of_the_list_comes_from_the_public_half)
{
	make_run_dir();
	ck_assert_int_eq(in_folder("keygen", "anna --dir @")->status, 0);
	const struct output *o = in_folder("key", "@/anna.pub --rights drive,watch");
	ck_assert_int_eq(o->status, 0);
	ck_assert(strncmp(o->out, "anna ", 5) == 0 && strlen(o->out) == 5 + 40 + 1 + strlen("watch,drive\n"));
	ck_assert_ptr_nonnull(strstr(o->out, " watch,drive\n"));
	o = in_folder("key", "@/anna.pub --rights fly");
	ck_assert_int_eq(o->status, 2);
	ck_assert_ptr_nonnull(strstr(o->err, "'fly' is no right"));
	o = in_folder("key", "@/logs");
	ck_assert_int_eq(o->status, 1);
	ck_assert_ptr_nonnull(strstr(o->err, "not a file"));
	remove_run_dir();
}
END_TEST

START_TEST(connecting_needs_a_key_that_others_cannot_read_and_that_knows_the_robot)
{
	make_run_dir();
	ck_assert_int_eq(in_folder("keygen", "robot --dir @")->status, 0);
	ck_assert_int_eq(in_folder("keygen", "lost --dir @")->status, 0);
	ck_assert_int_eq(in_folder("keygen", "anna --dir @ --robot @/robot.pub")->status, 0);
	const struct {
		const char *command, *args, *why;
	} cases[] = {{"status", "--connect tcp://127.0.0.1:1", "needs a key"},
	    {"status", "--connect tcp://127.0.0.1:1 --key @/none.key", "No such file"},
	    {"pause", "--connect tcp://127.0.0.1:1 --key @/robot.pub", "must be its owner's alone"},
	    {"pause", "--connect tcp://127.0.0.1:1 --key @/lost.key", "the robot's public key"},
	    {"pause", "--connect ipc:///tmp/x --key @/anna.key", "must be tcp://ADDRESS:PORT"},
	    {"pause", "--connect tcp://127.0.0.1:65535 --key @/anna.key", "PORT from 1 to 65534"},
	    {"runs", "--connect tcp://127.0.0.1:1 --key @/anna.key", "on the robot itself only"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct output *o = in_folder(cases[i].command, cases[i].args);
		ck_assert_msg(o->status == 2, "case %zu: status %d: %s", i, o->status, o->err);
		ck_assert_msg(strstr(o->err, cases[i].why) != NULL, "case %zu: %s", i, o->err);
	}
	set_mode("anna.key", 0644);
	const struct output *o = in_folder("pause", "--connect tcp://127.0.0.1:1 --key @/anna.key");
	ck_assert_int_eq(o->status, 2);
	ck_assert_ptr_nonnull(strstr(o->err, "must be its owner's alone (chmod 600)"));
	remove_run_dir();
}
END_TEST

START_TEST(nothing_is_opened_to_the_network_half_way)
{
	make_run_dir();
	ck_assert_int_eq(in_folder("keygen", "robot --dir @")->status, 0);
	write_file("list", "anna nokey watch\n", "we");
	const struct {
		const char *args, *why;
	} cases[] = {{"--set remote.endpoint=tcp://127.0.0.1:5570", "remote.key_file: is empty"},
	    {"--set remote.endpoint=*:5570 --set remote.key_file=a --set remote.allow_file=b",
		"must be tcp://ADDRESS:PORT"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct output *o = in_folder("config", cases[i].args);
		ck_assert_msg(o->status == 2 && strstr(o->err, cases[i].why) != NULL, "case %zu: %d %s", i,
		    o->status, o->err);
	}
	const struct output *o =
	    in_folder("up", "--headless --for 1s --set remote.endpoint=tcp://127.0.0.1:5570 "
			    "--set remote.key_file=@/robot.key --set remote.allow_file=@/list");
	ck_assert_msg(o->status == 2 && strstr(o->err, "remote.allow_file: ") != NULL &&
			  strstr(o->err, "line 1: not a public key") != NULL,
	    "%d %s", o->status, o->err);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("key", a_key_is_its_owners_alone_and_its_secret_is_never_shown,
    the_folder_of_a_key_is_made_for_its_user_alone, a_key_is_never_written_over,
    a_line_of_the_list_comes_from_the_public_half,
    connecting_needs_a_key_that_others_cannot_read_and_that_knows_the_robot,
    nothing_is_opened_to_the_network_half_way)
