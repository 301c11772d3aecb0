/* What a process says, kept in a file: never larger than its cap, cut when it floods, and told of when the
 * disk was full. The full disk is a limit on the size of files. */
#include "procs/launcher/logfile.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/base/geom.h"
#include "test/support/runner.h"

static char dir[64], path[128], rotated[140];
static struct cairn_logfile file;
static int64_t now_ns;

static void begin(size_t size_max)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-logfile-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/some.log", dir);
	snprintf(rotated, sizeof(rotated), "%s.1", path);
	ck_assert(cairn_logfile_open(&file, path, size_max));
	now_ns = CAIRN_NS_PER_S;
}

static void end(void)
{
	cairn_logfile_close(&file);
	(void)unlink(path);
	(void)unlink(rotated);
	(void)rmdir(dir);
}

/* One line; a tenth of a second passes. */
static void say(const char *line)
{
	cairn_logfile_feed(&file, line, strlen(line), now_ns);
	now_ns += CAIRN_NS_PER_S / 10;
}

static size_t size_of(const char *name)
{
	struct stat st;
	return stat(name, &st) == 0 ? (size_t)st.st_size : 0;
}

static bool holds(const char *name, const char *text)
{
	static char all[65536];
	FILE *f = fopen(name, "re");
	size_t n = f != NULL ? fread(all, 1, sizeof(all) - 1, f) : 0;
	if (f != NULL)
		fclose(f);
	all[n] = '\0';
	return strstr(all, text) != NULL;
}

/* Says it count times while no file may become larger than bytes. What checks report is written to a file as
 * well, so nothing is checked meanwhile. */
static void say_on_a_full_disk(rlim_t bytes, const char *line, int count)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};
	ck_assert_ptr_ne((void *)signal(SIGXFSZ, SIG_IGN), (void *)SIG_ERR);
	int full = setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < count; i++)
		say(line);
	limit.rlim_cur = RLIM_INFINITY;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(full, 0);
}

START_TEST(a_log_and_the_one_before_it_never_take_more_than_twice_the_cap)
{
	begin(1000);
	for (int i = 0; i < 500; i++) {
		char line[64];
		snprintf(line, sizeof(line), "line %03d of a process that talks on and on\n", i);
		say(line);
		ck_assert_uint_le(size_of(path), 1000);
		ck_assert_uint_le(size_of(rotated), 1000);
	}
	ck_assert(holds(path, "line 499"));
	ck_assert_uint_gt(size_of(path) + size_of(rotated), 1000); /* the newest thousand are there */
	ck_assert(!holds(rotated, "line 001"));
	end();
}
END_TEST

START_TEST(a_flood_is_cut_to_its_number)
{
	begin(1 << 20);
	for (int i = 0; i < 1000; i++)
		cairn_logfile_feed(&file, "flood\n", 6, now_ns);
	ck_assert_uint_eq(size_of(path), 6 * CAIRN_LOG_LINES_PER_S);
	now_ns += CAIRN_NS_PER_S;
	say("calm\n");
	ck_assert(holds(path, "... 800 more lines\ncalm\n"));
	end();
}
END_TEST

START_TEST(a_full_disk_costs_lines_that_are_counted_once_there_is_room)
{
	begin(1 << 20);
	say("before\n");
	say_on_a_full_disk(20, "for this there is no room\n", 10); /* of the first a part is written */
	ck_assert_uint_eq(file.lost, 10);
	ck_assert_uint_eq(size_of(path), 20);
	say("after\n");
	ck_assert(holds(path, "before\n"));
	ck_assert(holds(path, "... 10 lines could not be written\nafter\n"));
	ck_assert_uint_eq(file.lost, 0);
	end();
}
END_TEST

START_TEST(a_log_that_is_due_to_be_rotated_on_a_full_disk_goes_on_with_a_new_file_when_there_is_room)
{
	begin(100);
	say("a line of forty characters, or so it is\n");
	say("a line of forty characters, or so it is\n");
	/* The next line is one too many for the file, and there is no room for another. */
	say_on_a_full_disk(1, "a line of forty characters, or so it is\n", 5);
	ck_assert_uint_eq(file.lost, 5);
	ck_assert_uint_eq(size_of(rotated), 80); /* what was written before is not lost by rotating in vain */
	say("after\n");
	ck_assert(holds(path, "... 5 lines could not be written\nafter\n"));
	ck_assert_uint_eq(size_of(rotated), 80);
	end();
}
END_TEST

START_TEST(a_folder_that_is_gone_ends_nothing_and_a_log_in_it_comes_back_with_it)
{
	begin(1000);
	cairn_logfile_close(&file);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(dir), 0);
	say("nowhere\n");
	ck_assert_int_eq(file.fd, -1);
	ck_assert_uint_eq(file.lost, 1);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	say("somewhere\n");
	ck_assert(holds(path, "... 1 lines could not be written\nsomewhere\n"));
	end();
}
END_TEST

CAIRN_TEST_MAIN("logfile", a_log_and_the_one_before_it_never_take_more_than_twice_the_cap,
    a_flood_is_cut_to_its_number, a_full_disk_costs_lines_that_are_counted_once_there_is_room,
    a_log_that_is_due_to_be_rotated_on_a_full_disk_goes_on_with_a_new_file_when_there_is_room,
    a_folder_that_is_gone_ends_nothing_and_a_log_in_it_comes_back_with_it)
