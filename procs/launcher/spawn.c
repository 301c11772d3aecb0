#include "procs/launcher/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
	}
}

/* Only calls that are safe between fork and exec. A failed exec is told through exec_fd, which a good one
 * closes. */
_Noreturn static void run_child(const char *const argv[], char *const envp[],
    const struct cairn_namespace *ns, int death_sig, int log_fd, int ready_fd, int exec_fd, pid_t parent)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* Out of the terminal's reach: a Ctrl-C or Ctrl-Z is for `cairn up` alone, which ends things in
	 * order. */
	(void)setsid();
	int r = ns != NULL ? cairn_namespace_enter(ns) : 0;
	prctl(PR_SET_PDEATHSIG, death_sig); /* after the namespace: new credentials would clear it */
	if (getppid() != parent)
		_exit(1);
	int null_fd = open("/dev/null", O_RDONLY);
	if (r == 0 && (null_fd < 0 || dup2(null_fd, 0) < 0 || dup2(log_fd, 1) < 0 || dup2(log_fd, 2) < 0))
		r = -errno;
	/* Out of the way first: they may be sitting on the very numbers they are going to. */
	int high_exec = fcntl(exec_fd, F_DUPFD_CLOEXEC, 64);
	int high_ready = ready_fd >= 0 ? fcntl(ready_fd, F_DUPFD_CLOEXEC, 64) : -1;
	unsigned from = CAIRN_READY_FD;
	if (r == 0 && high_ready >= 0) {
		r = dup2(high_ready, CAIRN_READY_FD) < 0 ? -errno : 0;
		from++;
	}
	dup2(high_exec, (int)from);
	fcntl((int)from, F_SETFD, FD_CLOEXEC);
	(void)close_range(from + 1, ~0U, 0);
	if (r == 0) {
		execve(argv[0], (char *const *)argv,
		    envp != NULL ? envp : environ); /* it does not write to them */
		r = -errno;
	}
	(void)!write((int)from, &r, sizeof(r));
	_exit(127);
}

int cairn_spawn(struct cairn_child *child, const char *const argv[], char *const envp[],
    const struct cairn_namespace *ns, int death_sig, bool want_ready)
{
	int log_pipe[2] = {-1, -1}, ready_pipe[2] = {-1, -1}, exec_pipe[2] = {-1, -1};
	int r = 0;
	if (pipe2(log_pipe, O_CLOEXEC) != 0 || pipe2(exec_pipe, O_CLOEXEC) != 0 ||
	    (want_ready && pipe2(ready_pipe, O_CLOEXEC) != 0))
		r = -errno;
	/* A child must rather lose a line than stand still because nobody reads. */
	if (r == 0)
		fcntl(log_pipe[1], F_SETFL, O_NONBLOCK);
	pid_t parent = getpid();
	pid_t pid = r == 0 ? fork() : -1;
	if (pid == 0)
		run_child(argv, envp, ns, death_sig, log_pipe[1], ready_pipe[1], exec_pipe[1], parent);
	if (pid < 0) {
		r = r != 0 ? r : -errno;
		close_pair(log_pipe);
		close_pair(ready_pipe);
		close_pair(exec_pipe);
		return r;
	}
	close(log_pipe[1]);
	close(exec_pipe[1]);
	if (want_ready)
		close(ready_pipe[1]);
	int failed = 0;
	if (read(exec_pipe[0], &failed, sizeof(failed)) != (ssize_t)sizeof(failed))
		failed = 0; /* closed by a successful exec */
	close(exec_pipe[0]);
	if (failed != 0) {
		waitpid(pid, NULL, 0);
		close(log_pipe[0]);
		if (want_ready)
			close(ready_pipe[0]);
		return failed;
	}
	fcntl(log_pipe[0], F_SETFL, O_NONBLOCK); /* (each end has flags of its own) */
	if (want_ready)
		fcntl(ready_pipe[0], F_SETFL, O_NONBLOCK);
	*child = (struct cairn_child){pid, log_pipe[0], want_ready ? ready_pipe[0] : -1};
	return 0;
}
