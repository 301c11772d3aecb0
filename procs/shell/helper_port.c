#include "procs/shell/helper_port.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "procs/shell/local_socket.h"

#define SEND_BUFFER_BYTES (1 << 18)

struct helper_port {
	struct cairn_stage *stage;
	helper_look_fn *on_look;
	void *ctx;
	struct local_socket socket;
	int client; /* -1: none */
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
	int fd = accept4(p->socket.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
	    size = SEND_BUFFER_BYTES;
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
	p->client = -1;
	if (!local_socket_open(&p->socket, cairn_stage_run_dir(stage), path, 2, err)) {
		helper_port_destroy(&p);
		return NULL;
	}
	cairn_stage_watch_fd(stage, p->socket.listener, POLLIN, on_connect, p);
	return p;
}

void helper_port_destroy(struct helper_port **port_p)
{
	struct helper_port *p = *port_p;
	*port_p = NULL;
	if (p == NULL)
		return;
	drop(p);
	if (p->socket.listener >= 0)
		cairn_stage_unwatch_fd(p->stage, p->socket.listener);
	local_socket_close(&p->socket);
	free(p);
}
