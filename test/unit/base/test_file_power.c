/* The power fails while a file is replaced: what is on the disk at any moment is the old file or the new one, whole. Seen by the
 * order of the calls: the bytes are flushed before the name changes, and the name before the call returns. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "test/support/runner.h"

static char calls[200]; /* in their order */
static int fails;       /* the errno of the next flush; 0 = none */

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

static void note(const char *what)
{
	size_t used = strlen(calls);
	snprintf(calls + used, sizeof(calls) - used, "%s ", what);
}

int __wrap_fsync(int fd)
{
	struct stat st;
	ck_assert_int_eq(fstat(fd, &st), 0);
	note(S_ISDIR(st.st_mode) ? "folder" : st.st_size == 3 ? "file" : "unfinished");
	if (fails != 0) {
		errno = fails;
		fails = 0;
		return -1;
	}
	return __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	note("name");
	return __real_rename(from, to);
}

static char dir[64], path[80];

static void begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-power-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/zones.bin", dir);
	calls[0] = '\0';
}

static void end(void)
{
	(void)unlink(path);
	ck_assert_int_eq(rmdir(dir), 0); /* nothing else is left in it */
}

START_TEST(the_bytes_are_on_the_disk_before_the_name_and_the_name_before_it_is_told)
{
	struct cairn_error err = {""};
	begin();
	ck_assert_msg(cairn_file_replace(path, 0, 0644, "new", 3, &err), "%s", err.text);
	ck_assert_str_eq(calls, "file name folder ");
	end();
}
END_TEST

START_TEST(bytes_that_do_not_reach_the_disk_do_not_take_the_place_of_the_old_ones)
{
	struct cairn_error err = {""};
	char text[8];
	begin();
	ck_assert(cairn_file_replace(path, 0, 0644, "old", 3, &err));
	calls[0] = '\0';
	fails = EIO;
	ck_assert(!cairn_file_replace(path, 0, 0644, "new", 3, &err));
	ck_assert_str_eq(calls, "file ");
	ck_assert_int_eq(cairn_file_read_into(path, CAIRN_FILE_OWN, text, sizeof(text), NULL), 3);
	ck_assert_int_eq(memcmp(text, "old", 3), 0);
	end();
}
END_TEST

CAIRN_TEST_MAIN("file-power", the_bytes_are_on_the_disk_before_the_name_and_the_name_before_it_is_told,
    bytes_that_do_not_reach_the_disk_do_not_take_the_place_of_the_old_ones)
