/* The names under which a stage plays devices: what a run before left is replaced, and nothing else is touched. */
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/shell/device_port.h"
#include "procs/shell/local_socket.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

static char dir[CAIRN_RUN_DIR_BYTES];

static const char *in(const char *name)
{
	static char path[CAIRN_RUN_DIR_BYTES + 64];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static mode_t kind(const char *name)
{
	struct stat st;
	return lstat(in(name), &st) == 0 ? st.st_mode & S_IFMT : 0;
}

static void put(const char *name)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_file_replace(in(name), 0, 0600, "mine", 4, &err), "%s", err.text);
}

static void put_link(const char *to, const char *name)
{
	ck_assert_int_eq(symlink(to, in(name)), 0);
}

static bool port_opens(struct device_port *port, const char *path)
{
	struct cairn_error err = {""};
	bool ok = device_port_open(port, dir, path, &err);
	ck_assert_int_eq(ok, err.text[0] == '\0');
	ck_assert(ok || strstr(err.text, "is left as it is") != NULL);
	return ok;
}

static bool socket_opens(struct local_socket *s, const char *path)
{
	struct cairn_error err = {""};
	bool ok = local_socket_open(s, dir, path, 1, &err);
	ck_assert_int_eq(ok, err.text[0] == '\0');
	ck_assert(ok || strstr(err.text, "is left as it is") != NULL);
	return ok;
}

START_TEST(a_port_takes_the_place_of_one_that_a_run_before_left_and_is_gone_at_the_end)
{
	struct device_port port;
	cairn_run_dir_make(dir, "port");
	for (int run = 0; run < 2; run++) {
		ck_assert(port_opens(&port, "dev/board"));
		ck_assert_int_eq(kind("dev/board"), S_IFLNK);
		device_port_close(&port);
		ck_assert_int_eq(kind("dev/board"), 0);
		put_link("/dev/pts/99999", "dev/board"); /* as a killed stage leaves it */
		put_link("/dev/pts/99998", "dev/board.new");
	}
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(a_port_leaves_a_users_file_link_folder_and_fifo_as_they_are)
{
	static const struct {
		const char *name;
		mode_t kind;
	} rows[] = {{"file", S_IFREG}, {"link", S_IFLNK}, {"folder", S_IFDIR}, {"fifo", S_IFIFO}};
	cairn_run_dir_make(dir, "port");
	put("file");
	put_link("ttyUSB0", "link"); /* as below /dev/serial/by-id */
	ck_assert_int_eq(mkdir(in("folder"), 0700), 0);
	ck_assert_int_eq(mkfifo(in("fifo"), 0600), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct device_port port;
		char whole[CAIRN_RUN_DIR_BYTES + 64];
		snprintf(whole, sizeof(whole), "%s", in(rows[i].name));
		ck_assert_msg(!port_opens(&port, whole), "%s was replaced", rows[i].name);
		device_port_close(&port);
		ck_assert_msg(kind(rows[i].name) == rows[i].kind, "%s is gone", rows[i].name);
	}
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(a_file_beside_a_port_is_left_as_it_is)
{
	struct device_port port;
	cairn_run_dir_make(dir, "port");
	put("board.new");
	ck_assert(!port_opens(&port, "board"));
	ck_assert_int_eq(kind("board.new"), S_IFREG);
	ck_assert_int_eq(kind("board"), 0);
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(a_port_that_ends_leaves_what_has_taken_its_name)
{
	struct device_port port;
	cairn_run_dir_make(dir, "port");
	ck_assert(port_opens(&port, "board"));
	ck_assert_int_eq(unlink(in("board")), 0);
	put("board");
	device_port_close(&port);
	ck_assert_int_eq(kind("board"), S_IFREG);
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(a_socket_takes_the_place_of_one_that_a_run_before_left)
{
	struct local_socket before, after;
	cairn_run_dir_make(dir, "port");
	ck_assert(socket_opens(&before, "dev/camera"));
	ck_assert_int_eq(close(before.listener), 0); /* as a killed stage leaves it */
	ck_assert_int_eq(kind("dev/camera"), S_IFSOCK);
	ck_assert(socket_opens(&after, "dev/camera"));
	local_socket_close(&after);
	ck_assert_int_eq(kind("dev/camera"), 0);
	cairn_run_dir_remove(dir);
}
END_TEST

START_TEST(a_socket_leaves_a_users_file_and_link_as_they_are)
{
	struct local_socket s;
	cairn_run_dir_make(dir, "port");
	put("file");
	put_link("file", "link");
	ck_assert(!socket_opens(&s, "file"));
	ck_assert_int_eq(kind("file"), S_IFREG);
	ck_assert(!socket_opens(&s, "link"));
	ck_assert_int_eq(kind("link"), S_IFLNK);
	ck_assert(socket_opens(&s, "camera"));
	ck_assert_int_eq(unlink(in("camera")), 0);
	put("camera");
	local_socket_close(&s);
	ck_assert_int_eq(kind("camera"), S_IFREG);
	cairn_run_dir_remove(dir);
}
END_TEST

CAIRN_TEST_MAIN("device port", a_port_takes_the_place_of_one_that_a_run_before_left_and_is_gone_at_the_end,
    a_port_leaves_a_users_file_link_folder_and_fifo_as_they_are, a_file_beside_a_port_is_left_as_it_is,
    a_port_that_ends_leaves_what_has_taken_its_name, a_socket_takes_the_place_of_one_that_a_run_before_left,
    a_socket_leaves_a_users_file_and_link_as_they_are)
