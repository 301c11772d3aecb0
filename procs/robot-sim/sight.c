#include "procs/robot-sim/sight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/percept/detect_wire.h"
#include "common/sim/detector/detect.h"
#include "procs/robot-sim/port.h"

#define SEND_BUFFER_BYTES (1 << 18)

/* One client at a time: a new one takes the place of the old, which may be a dead process's. */
struct sight_server {
	struct cairn_stage *stage;
	struct cairn_sim *sim;
	const struct cairn_world *world;
	struct cairn_sim_detector *detector;
	int listener, client; /* -1: none */
	char path[PATH_MAX];
	struct cairn_detect_lines lines;
	struct cairn_detected_list list;
};

static void drop(struct sight_server *s)
{
	if (s->client < 0)
		return;
	cairn_stage_unwatch_fd(s->stage, s->client);
	(void)close(s->client);
	s->client = -1;
}

/* A figure for each person; the leaves of doors that turn with one are none. */
static size_t people(const struct sight_server *s, struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX])
{
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = cairn_sim_people(s->sim, discs);
	for (size_t i = 0; i < n; i++)
		figures[i] = (struct cairn_figure){discs[i], s->world->people[i].paint};
	return n;
}

static void answer(struct sight_server *s, uint64_t look)
{
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = people(s, figures), bytes = 0;
	int64_t t_ns = cairn_now_ns();
	cairn_sim_detector_look(s->detector, cairn_sim_state(s->sim)->body.pose, figures, n, &s->list);
	s->list.look = look;
	s->list.t_ns = t_ns;
	char *line = cairn_detect_write_answer(&s->list, &bytes);
	/* A client that does not read is dropped: nothing here waits. */
	if (line == NULL || send(s->client, line, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)bytes)
		drop(s);
	free(line);
}

static int on_client(void *ctx)
{
	struct sight_server *s = ctx;
	char buf[4096];
	ssize_t n = recv(s->client, buf, sizeof(buf), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		drop(s);
		return 0;
	}
	uint64_t look = 0;
	for (size_t at = 0; at < (size_t)n;) {
		const char *line;
		size_t len;
		int64_t t_ns;
		struct cairn_error err = {""};
		at += cairn_detect_lines_take(&s->lines, buf + at, (size_t)n - at, &line, &len);
		if (line != NULL && !cairn_detect_read_look(line, len, &look, &t_ns, &err)) {
			cairn_log_warn("detector: a question that makes no sense: %s", err.text);
			look = 0;
		}
	}
	if (look != 0)
		answer(s, look); /* of several questions the last */
	return 0;
}

static int on_connect(void *ctx)
{
	struct sight_server *s = ctx;
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), size = SEND_BUFFER_BYTES;
	if (fd < 0)
		return 0;
	drop(s);
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	s->client = fd;
	s->lines.len = 0;
	s->lines.skipping = false;
	cairn_stage_watch_fd(s->stage, fd, POLLIN, on_client, s);
	return 0;
}

static bool listen_at(struct sight_server *s, const char *path, struct cairn_error *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	if (!port_path(s->path, sizeof(s->path), cairn_stage_run_dir(s->stage), path, err))
		return false;
	if (strlen(s->path) >= sizeof(addr.sun_path)) {
		cairn_error_set(err, "%s: longer than the %zu bytes of a socket's name", s->path,
		    sizeof(addr.sun_path) - 1);
		return false;
	}
	memcpy(addr.sun_path, s->path, strlen(s->path) + 1);
	(void)unlink(s->path);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener >= 0 && bind(s->listener, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
	    listen(s->listener, 2) == 0)
		return true;
	cairn_error_set(err, "%s: %s", s->path, strerror(errno));
	return false;
}

struct sight_server *sight_server_new(struct cairn_stage *stage, const char *path, struct cairn_sim *sim,
    const struct cairn_world *world, struct cairn_error *err)
{
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct sight_server *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->stage = stage;
	s->sim = sim;
	s->world = world;
	s->listener = s->client = -1;
	s->detector = cairn_sim_detector_new(cfg, world, (uint64_t)cfg->sim.seed);
	if (s->detector == NULL)
		cairn_error_set(err, "out of memory");
	if (s->detector == NULL || !listen_at(s, path, err)) {
		sight_server_destroy(&s);
		return NULL;
	}
	cairn_stage_watch_fd(stage, s->listener, POLLIN, on_connect, s);
	return s;
}

void sight_server_destroy(struct sight_server **server_p)
{
	struct sight_server *s = *server_p;
	*server_p = NULL;
	if (s == NULL)
		return;
	drop(s);
	if (s->listener >= 0) {
		cairn_stage_unwatch_fd(s->stage, s->listener);
		(void)close(s->listener);
		(void)unlink(s->path);
	}
	cairn_sim_detector_destroy(&s->detector);
	free(s);
}
