/* cmd_exec.c - `cairn exec` and `cairn up`: other programs in place of this one. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ipc/trust.h"
#include "procs/cairn/cmd.h"
#include "procs/cairn/rundir.h"

static int open_ns(pid_t pid, const char *kind)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kind);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* True when fd is the namespace this process is in already. */
static bool is_ours(int fd, const char *kind)
{
	char path[64];
	struct stat there, here;
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	return fstat(fd, &there) == 0 && stat(path, &here) == 0 && there.st_ino == here.st_ino;
}

bool cli_enter_stack(const char *run_dir, struct cairn_error *err)
{
	char cwd[4096];
	pid_t pid = cairn_pid_of(run_dir, "ns.pid");
	if (pid == 0)
		return true; /* the stack lives in the host's namespace, or there is none */
	if (cairn_dir_owner(run_dir, geteuid()) !=
	    geteuid()) { /* everything in there is as he has laid it out */
		cairn_error_set(err, "%s belongs to another user: enter his stack as that user", run_dir);
		return false;
	}
	int user = open_ns(pid, "user"), mount = open_ns(pid, "mnt");
	bool have_cwd = getcwd(cwd, sizeof(cwd)) != NULL;
	bool ok = user >= 0 && mount >= 0;
	/* A stack of an ordinary user has a user namespace of its own; its owner has every right in there. */
	ok = ok && (is_ours(user, "user") || setns(user, CLONE_NEWUSER) == 0);
	ok = ok && (is_ours(mount, "mnt") || setns(mount, CLONE_NEWNS) == 0);
	if (!ok)
		cairn_error_set(
		    err, "cannot enter the stack's namespace (pid %d): %s", (int)pid, strerror(errno));
	else if (!have_cwd || chdir(cwd) != 0)
		ok = chdir("/") == 0; /* the old place is hidden there */
	if (user >= 0)
		close(user);
	if (mount >= 0)
		close(mount);
	return ok;
}

int cli_exec(const struct cli *cli)
{
	struct cairn_error err = {""};
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	if (!cli_enter_stack(cli->run_dir, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	setenv("CAIRN_RUN", cli->run_dir, 1);
	execvp(cli->args[0], cli->args);
	return cli_fail(cli, CLI_FAILED, "%s: %s", cli->args[0], strerror(errno));
}
