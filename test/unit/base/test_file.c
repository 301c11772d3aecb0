/* Files as they should be, and all that may lie in their place. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/file.h"
#include "test/support/runner.h"

static char dir[64], path[128], beside[136];
static struct cairn_error err;

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-file-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(beside, sizeof(beside), "%s.tmp", path);
	err = (struct cairn_error){""};
}

static void clean(void)
{
	char old[140];
	snprintf(old, sizeof(old), "%s.1", path);
	(void)unlink(path);
	(void)unlink(beside);
	(void)unlink(old);
	snprintf(old, sizeof(old), "%s/other", dir);
	(void)unlink(old);
	ck_assert_int_eq(rmdir(dir), 0);
}

static void put(const char *where, const void *data, size_t bytes)
{
	int fd = open(where, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
	close(fd);
}

static void holds(const char *where, const char *want)
{
	char text[64];
	ck_assert_int_eq(cairn_file_read_into(where, 0, text, sizeof(text), &err), (ssize_t)strlen(want));
	ck_assert_str_eq(text, want);
}

/* Every way of reading refuses it with this errno. */
static void refused(const char *where, unsigned flags, int why)
{
	char text[16];
	size_t bytes = 77;
	ck_assert_int_eq(cairn_file_open(where, flags, &err), -why);
	ck_assert_ptr_null(cairn_file_stream(where, flags, &err));
	ck_assert_int_eq(cairn_file_read_into(where, flags, text, sizeof(text), &err), -why);
	err.text[0] = '\0';
	ck_assert_ptr_null(cairn_file_read(where, flags, 1000, &bytes, &err));
	ck_assert_int_eq(errno, why);
	ck_assert_uint_eq(bytes, 77);
	ck_assert(strncmp(err.text, where, strlen(where)) == 0); /* says which */
}

START_TEST(a_path_is_below_the_folder_unless_it_is_absolute)
{
	char out[8];
	ck_assert(cairn_path_below(out, sizeof(out), "/run", "ab"));
	ck_assert_str_eq(out, "/run/ab");
	ck_assert(cairn_path_below(out, sizeof(out), "/run", "/dev/x"));
	ck_assert_str_eq(out, "/dev/x");
	ck_assert(!cairn_path_below(out, sizeof(out), "/run", "abc")); /* no room for its end */
	ck_assert_str_eq(out, "/run/ab");
}
END_TEST

START_TEST(a_file_is_read_whole)
{
	setup();
	size_t bytes = 0;
	put(path, "abc\0def", 7);
	char *data = cairn_file_read(path, CAIRN_FILE_OWN, 7, &bytes, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(bytes, 7);
	ck_assert_int_eq(memcmp(data, "abc\0def", 8), 0);
	free(data);
	put(path, "", 0);
	data = cairn_file_read(path, 0, 0, &bytes, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(bytes, 0);
	free(data);
	clean();
}
END_TEST

START_TEST(a_size_that_is_not_told_does_not_cut_it)
{
	setup();
	size_t bytes = 0; /* files of the kernel say that they are empty */
	char *data = cairn_file_read("/proc/self/maps", 0, 1 << 20, &bytes, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_ptr_nonnull(strstr(data, "[stack]"));
	ck_assert_uint_eq(strlen(data), bytes);
	free(data);
	clean();
}
END_TEST

START_TEST(what_is_no_file_is_refused_at_once)
{
	setup();
	refused("/dev/zero", 0, EINVAL);
	refused("/dev/zero", CAIRN_FILE_GZIP, EINVAL);
	refused(dir, 0, EISDIR);
	ck_assert_int_eq(mkfifo(path, 0600), 0); /* opened otherwise, this would wait for a writer */
	refused(path, 0, EINVAL);
	refused(beside, 0, ENOENT);
	clean();
}
END_TEST

START_TEST(a_link_is_followed_only_where_a_person_named_it)
{
	setup();
	char text[16];
	put(beside, "abc", 3);
	ck_assert_int_eq(symlink(beside, path), 0);
	refused(path, CAIRN_FILE_OWN, ELOOP);
	ck_assert_int_eq(cairn_file_read_into(path, 0, text, sizeof(text), &err), 3);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/zero", path), 0);
	refused(path, 0, EINVAL);
	clean();
}
END_TEST

START_TEST(a_file_over_the_bound_is_refused)
{
	setup();
	char text[8];
	size_t bytes = 77;
	put(path, "12345678", 8);
	ck_assert_ptr_null(cairn_file_read(path, 0, 7, &bytes, &err));
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.text, "larger than 7 bytes"));
	ck_assert_int_eq(cairn_file_read_into(path, 0, text, sizeof(text), &err), -EFBIG);
	ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0); /* a terabyte of nothing costs nothing */
	ck_assert_ptr_null(cairn_file_read(path, 0, 1 << 20, &bytes, &err));
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_uint_eq(bytes, 77);
	clean();
}
END_TEST

START_TEST(a_text_holds_no_nul)
{
	setup();
	char text[16];
	put(path, "abc\0def", 7);
	ck_assert_int_eq(cairn_file_read_into(path, CAIRN_FILE_TEXT, text, sizeof(text), &err), -EILSEQ);
	clean();
}
END_TEST

START_TEST(an_archive_is_unpacked_up_to_the_bound)
{
	setup();
	size_t bytes = 0;
	static char zeros[100000];
	gzFile gz = gzopen(path, "wb9");
	ck_assert_int_eq(gzwrite(gz, zeros, sizeof(zeros)), (int)sizeof(zeros));
	gzclose(gz);
	char *data = cairn_file_read(path, CAIRN_FILE_GZIP, sizeof(zeros), &bytes, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_uint_eq(bytes, sizeof(zeros));
	free(data);
	ck_assert_ptr_null(cairn_file_read(path, CAIRN_FILE_GZIP, sizeof(zeros) - 1, &bytes, &err));
	ck_assert_int_eq(errno, EFBIG);
	struct stat st;
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size / 2), 0); /* cut: not taken for the whole */
	ck_assert_ptr_null(cairn_file_read(path, CAIRN_FILE_GZIP, sizeof(zeros), &bytes, &err));
	ck_assert_int_eq(errno, EBADMSG);
	put(path, "plain", 5);
	data = cairn_file_read(path, CAIRN_FILE_GZIP, 5, &bytes, &err);
	ck_assert_str_eq(data, "plain");
	free(data);
	clean();
}
END_TEST

START_TEST(lines_have_a_bound)
{
	setup();
	char *line = NULL;
	size_t cap = 0;
	put(path, "one\n\n12345\nlast", 15);
	FILE *in = cairn_file_stream(path, 0, &err);
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 6), 4);
	ck_assert_str_eq(line, "one\n");
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 6), 1);
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 6), 6);
	ck_assert_str_eq(line, "12345\n");
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 6), 4);
	ck_assert_str_eq(line, "last");
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 6), 0);
	rewind(in);
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 4), 4);
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 4), 1);
	ck_assert_int_eq(cairn_file_line(in, &line, &cap, 4), -EFBIG);
	free(line);
	fclose(in);
	clean();
}
END_TEST

START_TEST(a_file_is_replaced_whole)
{
	setup();
	struct stat st;
	put(path, "old", 3);
	put(beside, "of a crash", 10);
	ck_assert(cairn_file_replace(path, 0, 0600, "new", 3, &err));
	holds(path, "new");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_ne(access(beside, F_OK), 0);
	ck_assert(!cairn_file_replace("/nonexistent/file", 0, 0600, "x", 1, &err));
	ck_assert_int_eq(errno, ENOENT);
	clean();
}
END_TEST

START_TEST(what_is_no_file_is_not_replaced)
{
	setup();
	char other[128];
	struct stat st;
	snprintf(other, sizeof(other), "%s/other", dir);
	put(other, "theirs", 6);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert(!cairn_file_replace(path, 0, 0600, "new", 3, &err));
	ck_assert_int_eq(errno, ELOOP);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0600, "new", 3, &err));
	ck_assert(lstat(path, &st) == 0 && S_ISFIFO(st.st_mode));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink(other, beside), 0); /* the name beside it leads nobody away either */
	ck_assert(cairn_file_replace(path, 0, 0600, "new", 3, &err));
	holds(path, "new");
	holds(other, "theirs");
	clean();
}
END_TEST

/* In a child: files cannot become larger than this, as on a full disk. */
static int with_limit(size_t bytes, bool (*write_it)(void))
{
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		const struct rlimit limit = {bytes, bytes};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(write_it() ? 0 : errno);
	}
	int status = -1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool replace_it(void)
{
	return cairn_file_replace(path, 0, 0600, "0123456789", 10, &err);
}

static bool append_it(void)
{
	return cairn_file_append(path, 0600, "0123456789\n", 11, 1000, &err);
}

START_TEST(a_full_disk_leaves_the_old_file)
{
	setup();
	put(path, "old", 3);
	ck_assert_int_eq(with_limit(9, replace_it), EFBIG);
	holds(path, "old");
	ck_assert_int_ne(access(beside, F_OK), 0);
	ck_assert_int_eq(with_limit(10, replace_it), 0);
	holds(path, "0123456789");
	clean();
}
END_TEST

START_TEST(a_full_disk_leaves_no_half_line)
{
	setup();
	put(path, "first\n", 6);
	ck_assert_int_eq(with_limit(16, append_it), ENOSPC);
	holds(path, "first\n");
	ck_assert_int_eq(with_limit(17, append_it), 0);
	holds(path, "first\n0123456789\n");
	clean();
}
END_TEST

START_TEST(a_cut_before_the_end_leaves_the_old_file)
{
	setup();
	struct cairn_replace r;
	put(path, "old", 3);
	ck_assert(cairn_replace_begin(&r, path, 0, 0600, &err));
	cairn_replace_add(&r, "half", 4);
	holds(path, "old");
	close(r.fd); /* the process ended here */
	ck_assert(cairn_file_replace(path, 0, 0600, "new", 3, &err));
	holds(path, "new");
	clean();
}
END_TEST

START_TEST(two_who_replace_one_file_do_not_mix)
{
	setup();
	struct cairn_replace a, b;
	ck_assert(cairn_replace_begin(&a, path, 0, 0600, &err));
	cairn_replace_add(&a, "of a", 4);
	ck_assert(cairn_replace_begin(&b, path, 0, 0600, &err));
	cairn_replace_add(&b, "of", 2);
	ck_assert(!cairn_replace_end(&a, &err));
	ck_assert_int_eq(errno, EBUSY);
	cairn_replace_add(&b, " b", 2);
	ck_assert(cairn_replace_end(&b, &err));
	holds(path, "of b");
	clean();
}
END_TEST

START_TEST(a_head_is_written_last)
{
	setup();
	struct cairn_replace r;
	ck_assert(cairn_replace_begin(&r, path, 0, 0600, &err));
	cairn_replace_add(&r, "??body", 6);
	cairn_replace_head(&r, "OK", 2);
	ck_assert(cairn_replace_end(&r, &err));
	holds(path, "OKbody");
	clean();
}
END_TEST

START_TEST(a_log_is_rotated_by_its_size)
{
	setup();
	char old[140];
	snprintf(old, sizeof(old), "%s.1", path);
	for (int i = 0; i < 3; i++)
		ck_assert(cairn_file_append(path, 0600, "line\n", 5, 10, &err));
	holds(path, "line\n");
	holds(old, "line\nline\n");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink(old, path), 0);
	ck_assert(!cairn_file_append(path, 0600, "line\n", 5, 1000, &err));
	ck_assert_int_eq(errno, ELOOP);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!cairn_file_append(path, 0600, "line\n", 5, 1000, &err));
	ck_assert_int_eq(errno, EINVAL);
	clean();
}
END_TEST

CAIRN_TEST_MAIN("file", a_path_is_below_the_folder_unless_it_is_absolute, a_file_is_read_whole,
    a_size_that_is_not_told_does_not_cut_it, what_is_no_file_is_refused_at_once,
    a_link_is_followed_only_where_a_person_named_it, a_file_over_the_bound_is_refused, a_text_holds_no_nul,
    an_archive_is_unpacked_up_to_the_bound, lines_have_a_bound, a_file_is_replaced_whole,
    what_is_no_file_is_not_replaced, a_full_disk_leaves_the_old_file, a_full_disk_leaves_no_half_line,
    a_cut_before_the_end_leaves_the_old_file, two_who_replace_one_file_do_not_mix, a_head_is_written_last,
    a_log_is_rotated_by_its_size)
