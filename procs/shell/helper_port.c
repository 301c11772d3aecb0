#include "procs/shell/helper_port.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SEND_BUFFER_BYTES (1 << 18)

struct helper_port {
	struct cairn_stage *stage;
	helper_look_fn *on_look;
	void *ctx;
	int listener, client; /* -1: none */
	struct sockaddr_un addr;
	struct cairn_detect_lines lines;
};

static void drop(struct helper_port *p)
{
	if (p->client < 0)
		return;
	cairn_stage_unwatch_fd(p->stage, p->client);
	(void)close(p->client);
	p->client = -1;
}

void helper_port_answer(struct helper_port *p, const struct cairn_detected_list *list)
{
	size_t bytes = 0;
	char *line = cairn_detect_write_answer(list, &bytes);
	if (line == NULL || send(p->client, line, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)bytes)
		drop(p);
	free(line);
}

static int on_client(void *ctx)
{
	struct helper_port *p = ctx;
	char buf[4096];
	ssize_t n = recv(p->client, buf, sizeof(buf), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		drop(p);
		return 0;
	}
	uint64_t look = 0;
	for (size_t at = 0; at < (size_t)n;) {
		const char *line;
		size_t len;
		int64_t t_ns;
		struct cairn_error err = {""};
		at += cairn_detect_lines_take(&p->lines, buf + at, (size_t)n - at, &line, &len);
		if (line != NULL && !cairn_detect_read_look(line, len, &look, &t_ns, &err)) {
			cairn_log_warn("detector: a question that makes no sense: %s", err.text);
			look = 0;
		}
	}
	if (look != 0)
		p->on_look(p->ctx, look);
	return 0;
}

static int on_connect(void *ctx)
{
	struct helper_port *p = ctx;
	int fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), size = SEND_BUFFER_BYTES;
	if (fd < 0)
		return 0;
	drop(p);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	p->client = fd;
	p->lines.len = 0;
	p->lines.skipping = false;
	cairn_stage_watch_fd(p->stage, fd, POLLIN, on_client, p);
	return 0;
}

/* The socket's name, and its folder. */
static bool name_it(struct helper_port *p, const char *path, struct cairn_error *err)
{
	char *name = p->addr.sun_path;
	bool absolute = path[0] == '/';
	int n = snprintf(name, sizeof(p->addr.sun_path), "%s%s%s",
	    absolute ? "" : cairn_stage_run_dir(p->stage), absolute ? "" : "/", path);
	if (n < 0 || (size_t)n >= sizeof(p->addr.sun_path)) {
		cairn_error_set(err, "%s: longer than the %zu bytes of a socket's name", path,
		    sizeof(p->addr.sun_path) - 1);
		return false;
	}
	char *slash = strrchr(name, '/');
	if (slash == NULL || slash == name)
		return true;
	*slash = '\0';
	bool made = mkdir(name, 0700) == 0 || errno == EEXIST;
	if (!made)
		cairn_error_set(err, "%s: %s", name, strerror(errno));
	*slash = '/';
	return made;
}

static bool listen_at(struct helper_port *p, const char *path, struct cairn_error *err)
{
	p->addr.sun_family = AF_UNIX;
	if (!name_it(p, path, err))
		return false;
	(void)unlink(p->addr.sun_path);
	p->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (p->listener >= 0 && bind(p->listener, (struct sockaddr *)&p->addr, sizeof(p->addr)) == 0 &&
	    listen(p->listener, 2) == 0)
		return true;
	cairn_error_set(err, "%s: %s", p->addr.sun_path, strerror(errno));
	return false;
}

struct helper_port *helper_port_new(
    struct cairn_stage *stage, const char *path, helper_look_fn *on_look, void *ctx, struct cairn_error *err)
{
	struct helper_port *p = calloc(1, sizeof(*p));
	if (p == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	p->stage = stage;
	p->on_look = on_look;
	p->ctx = ctx;
	p->listener = p->client = -1;
	if (!listen_at(p, path, err)) {
		helper_port_destroy(&p);
		return NULL;
	}
	cairn_stage_watch_fd(stage, p->listener, POLLIN, on_connect, p);
	return p;
}

void helper_port_destroy(struct helper_port **port_p)
{
	struct helper_port *p = *port_p;
	*port_p = NULL;
	if (p == NULL)
		return;
	drop(p);
	if (p->listener >= 0) {
		cairn_stage_unwatch_fd(p->stage, p->listener);
		(void)close(p->listener);
		(void)unlink(p->addr.sun_path);
	}
	free(p);
}
