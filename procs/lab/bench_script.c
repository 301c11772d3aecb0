#include "procs/lab/bench_script.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3" /* the one that Debian's modules are for */
#define START_MS 20000            /* importing its modules takes seconds on a slow disk */
#define ROUND_MS 5000

/* A short line without its end; false when none comes in time. */
static bool read_line(int fd, char *line, size_t bytes, int timeout_ms)
{
	for (size_t n = 0; n + 1 < bytes; n++) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (poll(&p, 1, timeout_ms) <= 0 || read(fd, line + n, 1) != 1)
			return false;
		if (line[n] == '\n') {
			line[n] = '\0';
			return true;
		}
	}
	return false;
}

/* To a socket, so that a script that has ended is an error and not a signal. */
static bool write_all(int fd, const void *data, size_t bytes)
{
	const char *at = data;
	while (bytes > 0) {
		ssize_t n = send(fd, at, bytes, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		at += n;
		bytes -= (size_t)n;
	}
	return true;
}

bool cairn_script_start(struct cairn_script *script, const char *name, const void *input, size_t bytes)
{
	int pair[2];
	char path[512], line[32];
	*script = (struct cairn_script){.fd = -1};
	snprintf(path, sizeof(path), CAIRN_SOURCE_DIR "/procs/cairn/%s", name);
	if (access(path, R_OK) != 0 || access(PYTHON, X_OK) != 0) {
		fprintf(stderr, "cairn bench: comparison with Python is left out: %s: %s\n",
		    access(path, R_OK) != 0 ? path : PYTHON, strerror(errno));
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return false;
	fflush(NULL);
	script->pid = fork();
	if (script->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(pair[1], 0) >= 0 && dup2(pair[1], 1) >= 0)
			execl(PYTHON, PYTHON, path, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	script->fd = pair[0];
	if (script->pid > 0 && write_all(pair[0], input, bytes) &&
	    read_line(pair[0], line, sizeof(line), START_MS) && strcmp(line, "ready") == 0)
		return true;
	cairn_script_stop(script);
	return false;
}

bool cairn_script_round(struct cairn_script *script, double *ret_ns)
{
	char line[32];
	if (!write_all(script->fd, "\n", 1) || !read_line(script->fd, line, sizeof(line), ROUND_MS))
		return false;
	*ret_ns = strtod(line, NULL);
	return *ret_ns > 0.0;
}

void cairn_script_stop(struct cairn_script *script)
{
	if (script->fd >= 0)
		close(script->fd);
	if (script->pid > 0) {
		kill(script->pid, SIGKILL);
		waitpid(script->pid, NULL, 0);
	}
	*script = (struct cairn_script){.fd = -1};
}
