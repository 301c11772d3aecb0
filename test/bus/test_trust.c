/* Under test: ipc/trust.c, and who may answer and ask on the sockets of a run directory (ipc/service.c). */
#include "ipc/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <zmq.h>

#include "ipc/bus.h"
#include "ipc/lockfile.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define STRANGER 54321 /* a user who need not exist */

static char run_dir[CAIRN_RUN_DIR_BYTES], path[CAIRN_RUN_DIR_BYTES + 32];
static struct cairn_error err;

static const char *in_run(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	return path;
}

START_TEST(a_folder_is_trusted_only_if_nobody_else_can_put_anything_there)
{
	static const struct {
		mode_t mode;
		uid_t owner, me;
		const char *why; /* NULL = trusted */
	} cases[] = {{S_IFDIR | 0700, 1000, 1000, NULL}, {S_IFDIR | 0755, 1000, 1000, NULL},
	    {S_IFDIR | 0755, 0, 1000, NULL}, {S_IFDIR | 0700, 0, 0, NULL},
	    {S_IFDIR | 0700, 1000, 0, NULL}, /* root asks in a user's */
	    {S_IFDIR | 0700, 1001, 1000, "another user"}, {S_IFDIR | 0777, 1000, 1000, "by others"},
	    {S_IFDIR | 01777, 0, 1000, "by others"}, {S_IFDIR | 0775, 1000, 1000, "by others"},
	    {S_IFDIR | 0777, 1000, 0, "by others"}, {S_IFLNK | 0777, 1000, 1000, "is a link"},
	    {S_IFLNK | 0777, 0, 0, "is a link"}, {S_IFREG | 0600, 1000, 1000, "no folder"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stat st = {.st_mode = cases[i].mode, .st_uid = cases[i].owner};
		const char *why = cairn_dir_distrust(&st, cases[i].me);
		ck_assert_msg(
		    cases[i].why == NULL ? why == NULL : why != NULL && strstr(why, cases[i].why) != NULL,
		    "case %zu: %s", i, why != NULL ? why : "trusted");
	}
}
END_TEST

START_TEST(only_this_user_root_or_for_root_the_owner_is_a_peer)
{
	static const struct {
		const char *peer;
		uid_t me, owner;
		bool trusted;
		long uid;
	} cases[] = {{"localhost:1000:1000:17", 1000, 1000, true, 1000},
	    {"localhost:0:0:1", 1000, 1000, true, 0}, {"localhost:1001:1001:17", 1000, 1000, false, 1001},
	    {"localhost:1001:1001:17", 1000, 1001, false, 1001},
	    {"localhost:1001:1001:17", 0, 1001, true, 1001}, {"localhost:1001:1001:17", 0, 0, false, 1001},
	    {NULL, 1000, 1000, false, -1}, {"localhost", 1000, 1000, false, -1},
	    {"127.0.0.1", 0, 0, false, -1}, {"", 0, 0, false, -1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		long uid = 7;
		ck_assert_msg(
		    cairn_peer_trusted(cases[i].peer, cases[i].me, cases[i].owner, &uid) == cases[i].trusted,
		    "case %zu", i);
		ck_assert_int_eq(uid, cases[i].uid);
	}
}
END_TEST

START_TEST(links_and_folders_open_to_others_are_refused)
{
	struct stat st;
	char link[CAIRN_RUN_DIR_BYTES + 8];
	cairn_run_dir_make(run_dir, "trust");
	ck_assert_msg(cairn_run_dir_trusted(run_dir, &err), "%s", err.text);
	ck_assert_int_eq(chmod(in_run("bus"), 0777), 0);
	ck_assert(!cairn_run_dir_trusted(run_dir, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/bus may be written to by others"));
	int fd = cairn_dir_take(in_run("bus"), false, &err);
	ck_assert_int_lt(fd, 0);
	fd = cairn_dir_take(in_run("bus"), true, &err);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
	snprintf(link, sizeof(link), "%s.link", run_dir);
	ck_assert_int_eq(symlink(run_dir, link), 0);
	ck_assert(!cairn_run_dir_trusted(link, &err));
	ck_assert_int_lt(cairn_dir_take(link, true, &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "is a link"));
	ck_assert(cairn_run_dir_trusted("/nowhere/at/all", &err));
	unlink(link);
	cairn_run_dir_remove(run_dir);
}
END_TEST

START_TEST(neither_a_lock_nor_the_cleaning_of_sockets_follows_a_link)
{
	char kept[CAIRN_RUN_DIR_BYTES + 32], link[CAIRN_RUN_DIR_BYTES + 32];
	cairn_run_dir_make(run_dir, "trust");
	snprintf(kept, sizeof(kept), "%s/kept", run_dir);
	ck_assert_int_eq(mkdir(kept, 0700), 0);
	snprintf(kept, sizeof(kept), "%s/kept/file", run_dir);
	int fd = open(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "mine", 4), 4);
	close(fd);
	snprintf(link, sizeof(link), "%s/a.lock", run_dir);
	ck_assert_int_eq(symlink(kept, link), 0);
	ck_assert_int_lt(
	    cairn_lockfile_take(link, &err), 0); /* would empty the file and write a number to it */
	ck_assert_int_eq(rmdir(in_run("bus")), 0);
	ck_assert_int_eq(symlink("kept", in_run("bus")), 0);
	cairn_bus_clean(run_dir); /* would remove what is in there */
	struct stat st;
	ck_assert_int_eq(stat(kept, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
	cairn_run_dir_remove(run_dir);
}
END_TEST

/* ---- with sockets ---- */

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	(void)ctx;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "heard %s", cmd->verb);
}

/* Answers every command with a yes, until it is killed. */
_Noreturn static void answer_as(uid_t uid, int ready_fd)
{
	struct cairn_bus *bus = NULL;
	struct cairn_server *server = NULL;
	if (uid == geteuid() || setuid(uid) == 0)
		bus = cairn_bus_new(run_dir, NULL);
	if (bus != NULL)
		server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, on_command, NULL, &err);
	if (server == NULL || write(ready_fd, "", 1) != 1)
		_exit(1);
	for (;;) {
		zmq_pollitem_t item = {.socket = cairn_server_socket(server), .events = ZMQ_POLLIN};
		zmq_poll(&item, 1, 1000);
		cairn_server_serve(server);
	}
}

static pid_t server_of(uid_t uid)
{
	int ready[2];
	char c;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0)
		answer_as(uid, ready[1]);
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void end_of(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static int ask(const char *verb, struct cairn_msg_reply *reply)
{
	struct cairn_msg_command cmd = {.who = "a test"};
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	*reply = (struct cairn_msg_reply){.ok = false};
	return cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, reply, 20000, &err);
}

START_TEST(an_answer_of_ones_own_stack_counts)
{
	struct cairn_msg_reply reply;
	cairn_run_dir_make(run_dir, "trust");
	pid_t pid = server_of(geteuid());
	ck_assert_msg(ask("stop", &reply) == 0, "%s", err.text);
	ck_assert_msg(reply.ok && strcmp(reply.text, "heard stop") == 0, "%s", reply.text);
	end_of(pid);
	cairn_run_dir_remove(run_dir);
}
END_TEST

START_TEST(a_stop_that_somebody_else_answers_is_no_stop)
{
	struct cairn_msg_reply reply;
	if (geteuid() != 0)
		CAIRN_SKIP("only root can play another user");
	cairn_run_dir_make(run_dir, "trust");
	ck_assert_int_eq(chmod(run_dir, 0777), 0);
	ck_assert_int_eq(chmod(in_run("bus"), 0777), 0);
	pid_t pid = server_of(STRANGER);
	ck_assert_int_eq(ask("stop", &reply), -EACCES);
	ck_assert(!reply.ok);
	ck_assert_msg(strstr(err.text, "user 54321, which is not the robot's") != NULL, "%s", err.text);
	end_of(pid);
	cairn_run_dir_remove(run_dir);
}
END_TEST

/* In a child: as another user, who finds the folder of the sockets open. */
_Noreturn static void ask_as_stranger(void)
{
	char ep[CAIRN_RUN_DIR_BYTES + 32], buf[1024];
	struct cairn_msg_command cmd = {.verb = "explore"};
	struct cairn_msg_reply reply = {.ok = true};
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, 1, true};
	int wait_ms = 20000;
	if (setuid(STRANGER) != 0)
		_exit(1);
	void *zmq = zmq_ctx_new(), *s = zmq_socket(zmq, ZMQ_DEALER);
	snprintf(ep, sizeof(ep), "ipc://%s/bus/operator", run_dir);
	zmq_setsockopt(s, ZMQ_RCVTIMEO, &wait_ms, sizeof(wait_ms));
	zmq_connect(s, ep);
	for (int i = 0; i < 2; i++) {
		snprintf(cmd.verb, sizeof(cmd.verb), "%s", i == 0 ? "explore" : "stop");
		int n = cairn_msg_encode(&cairn_desc_command, "operator", &hdr, &cmd, buf, sizeof(buf));
		if (n < 0 || zmq_send(s, "", 0, ZMQ_SNDMORE) != 0 || zmq_send(s, buf, (size_t)n, 0) != n ||
		    zmq_recv(s, buf, sizeof(buf), 0) != 0)
			_exit(2);
		n = zmq_recv(s, buf, sizeof(buf), 0);
		if (n < 0 || cairn_msg_decode(&cairn_desc_reply, buf, (size_t)n, &hdr, &reply, NULL) != 0)
			_exit(3);
		if (reply.ok != (i == 1))
			_exit(4);
	}
	_exit(0);
}

START_TEST(another_user_may_stop_the_robot_and_nothing_else)
{
	int status = -1;
	if (geteuid() != 0)
		CAIRN_SKIP("only root can play another user");
	cairn_run_dir_make(run_dir, "trust");
	pid_t pid = server_of(geteuid());
	ck_assert_int_eq(chmod(run_dir, 0777), 0);
	ck_assert_int_eq(chmod(in_run("bus"), 0777), 0);
	ck_assert_int_eq(chmod(in_run("bus/operator"), 0777), 0);
	pid_t stranger = fork();
	if (stranger == 0)
		ask_as_stranger();
	ck_assert_int_eq(waitpid(stranger, &status, 0), stranger);
	ck_assert_int_eq(status, 0);
	end_of(pid);
	cairn_run_dir_remove(run_dir);
}
END_TEST

CAIRN_TEST_MAIN("trust", a_folder_is_trusted_only_if_nobody_else_can_put_anything_there,
    only_this_user_root_or_for_root_the_owner_is_a_peer, links_and_folders_open_to_others_are_refused,
    neither_a_lock_nor_the_cleaning_of_sockets_follows_a_link, an_answer_of_ones_own_stack_counts,
    a_stop_that_somebody_else_answers_is_no_stop, another_user_may_stop_the_robot_and_nothing_else)
