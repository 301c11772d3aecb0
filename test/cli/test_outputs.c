/* Files that a command is told to write or to read: what cannot be used is told before the command begins its work. */
#include "test/cli/harness.h"

/* ARGS with %s for the run directory. */
static const struct output *in_dir(const char *command, const char *format)
{
	char args[400];
	const char *at = strstr(format, "%s");
	snprintf(args, sizeof(args), "%.*s%s%s", (int)(at - format), format, run_dir, at + 2);
	return cairn(command, args);
}

static void refused(const char *command, const char *format, const char *says)
{
	const struct output *o = in_dir(command, format);
	ck_assert_msg(o->status == 2, "%s %s: status %d: %s", command, format, o->status, o->err);
	ck_assert_msg(strstr(o->err, says) != NULL, "%s %s: not '%s' in: %s", command, format, says, o->err);
	ck_assert_ptr_eq(strchr(o->err, '\n'), o->err + strlen(o->err) - 1);
}

START_TEST(a_place_for_the_result_that_cannot_be_written_is_refused_before_the_work)
{
	char path[128];
	make_run_dir();
	/* the world is wrong, too: no stack starts whatever is checked */
	refused(
	    "up", "--headless --world castle --summary %s/nowhere/s.json", "nowhere/s.json: No such file");
	refused("up", "--headless --world castle --summary %s", "not a file (a folder)");
	refused("bringup", "--write %s/nowhere/b.yaml", "nowhere/b.yaml: No such file");
	refused("calibrate", "odometry --write %s/nowhere/o.yaml", "nowhere/o.yaml: No such file");
	/* what can be written is left as it is, and nothing is made */
	write_file("mine.json", "mine", "w");
	refused("up", "--headless --world castle --summary %s/mine.json", "castle");
	refused("up", "--headless --world castle --summary %s/new.json", "castle");
	struct stat st;
	snprintf(path, sizeof(path), "%s/mine.json", run_dir);
	ck_assert(stat(path, &st) == 0 && st.st_size == 4);
	snprintf(path, sizeof(path), "%s/new.json", run_dir);
	ck_assert_int_ne(access(path, F_OK), 0);
	remove_run_dir();
}
END_TEST

START_TEST(an_evaluation_looks_at_the_places_of_its_results_first)
{
	char path[128];
	struct stat st;
	make_run_dir();
	write_file("file", "mine", "w");
	snprintf(path, sizeof(path), "%s/fifo", run_dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/link", run_dir);
	ck_assert_int_eq(symlink("file", path), 0);
	refused("eval", "frequency --report %s/file", "--report: ");
	refused("eval", "eqa --report %s/fifo", "--report: ");
	refused("eval", "frequency --report %s/none/here", "--report: ");
	refused("eval", "safety --state %s/fifo", "not a file (a device");
	refused("eval", "dead-ends --state %s/link", "is a link");
	refused("eval", "safety --state %s/none/here", "--state: ");
	refused("eval", "safety --config %s/none.yaml", "cairn eval safety: ");
	refused("eval", "mounting --config %s/none.yaml", "cairn eval mounting: ");
	snprintf(path, sizeof(path), "%s/file", run_dir);
	ck_assert(stat(path, &st) == 0 && st.st_size == 4);
	remove_run_dir();
}
END_TEST

CAIRN_TEST_MAIN("outputs", an_evaluation_looks_at_the_places_of_its_results_first,
    a_place_for_the_result_that_cannot_be_written_is_refused_before_the_work)
