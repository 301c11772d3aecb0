#include "procs/lab/consumers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "common/base/text.h"
#include "common/web/foxglove.h"

#define TEXT_MAX (4u << 20) /* of a text of the server: its channels with their schemas */
#define AGAIN_MS 100

/* ---- a client of Foxglove's protocol ---- */

struct client {
	int fd;
	struct consumer_tally *tally;
	char *text; /* the text that is coming */
	size_t text_bytes;
};

/* The port of RUN/web.url; 0: nobody serves. */
static uint16_t port_of(const char *run_dir)
{
	char path[300];
	unsigned port = 0;
	snprintf(path, sizeof(path), "%s/web.url", run_dir);
	FILE *in = fopen(path, "re");
	if (in == NULL)
		return 0;
	if (fscanf(in, "http://127.0.0.1:%u", &port) != 1)
		port = 0;
	fclose(in);
	return (uint16_t)port;
}

static bool read_whole(int fd, void *buf, size_t bytes)
{
	for (size_t n = 0; n < bytes;) {
		ssize_t got = recv(fd, (char *)buf + n, bytes - n, 0);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		n += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* RFC 6455. The answer is read to its end, and what stands in it beside the status is the server's own affair here. */
static bool shake_hands(int fd)
{
	static const char hello[] =
	    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: Y2Fpcm4gY29uc3VtZXJzIQ==\r\n"
	    "Sec-WebSocket-Protocol: " CAIRN_FOXGLOVE_SDK "\r\n\r\n";
	char head[2048];
	size_t n = 0;
	if (send(fd, hello, sizeof(hello) - 1, MSG_NOSIGNAL) != (ssize_t)sizeof(hello) - 1)
		return false;
	while (n + 1 < sizeof(head) && read_whole(fd, head + n, 1)) {
		head[++n] = '\0';
		if (n >= 4 && strcmp(head + n - 4, "\r\n\r\n") == 0)
			return strncmp(head, "HTTP/1.1 101", 12) == 0;
	}
	return false;
}

static bool dial(struct client *c, const char *run_dir)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons(port_of(run_dir)),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	c->fd = at.sin_port != 0 ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
	if (c->fd < 0)
		return false;
	if (connect(c->fd, (struct sockaddr *)&at, sizeof(at)) == 0 && shake_hands(c->fd))
		return true;
	close(c->fd);
	return false;
}

/* A frame with a mask of zeros, as a client must have one. op: 1 text, 10 pong. */
static bool say(int fd, int op, const char *data, size_t bytes)
{
	uint8_t head[8] = {(uint8_t)(0x80 | op), (uint8_t)(0x80 | (bytes < 126 ? bytes : 126))};
	size_t n = 2;
	if (bytes >= 126) {
		head[n++] = (uint8_t)(bytes >> 8);
		head[n++] = (uint8_t)bytes;
	}
	n += 4;
	return send(fd, head, n, MSG_NOSIGNAL) == (ssize_t)n &&
	       (bytes == 0 || send(fd, data, bytes, MSG_NOSIGNAL) == (ssize_t)bytes);
}

static bool subscribe_to_all(struct client *c, const json_t *channels)
{
	struct cairn_text t = {0};
	const json_t *channel;
	size_t i;
	cairn_text_add(&t, "{\"op\":\"subscribe\",\"subscriptions\":[");
	json_array_foreach(channels, i, channel)
	{
		cairn_text_addf(&t, "%s{\"id\":%zu,\"channelId\":%d}", i > 0 ? "," : "", i,
		    (int)json_integer_value(json_object_get(channel, "id")));
	}
	cairn_text_add(&t, "]}");
	bool ok = !t.failed && t.len <= CAIRN_WEB_REQUEST_MAX && say(c->fd, 1, t.data, t.len);
	cairn_text_free(&t);
	return ok;
}

static bool take_text(struct client *c)
{
	json_t *root = json_loadb(c->text, c->text_bytes, 0, NULL);
	const char *op = json_string_value(json_object_get(root, "op"));
	bool ok = op == NULL || strcmp(op, "advertise") != 0 ||
		  subscribe_to_all(c, json_object_get(root, "channels"));
	json_decref(root);
	c->text_bytes = 0;
	return ok;
}

/* One frame of the server. False at the end of the connection. */
static bool take_frame(struct client *c, bool *text)
{
	uint8_t h[10], waste[16384];
	if (!read_whole(c->fd, h, 2))
		return false;
	size_t left = h[1] & 127;
	int op = h[0] & 15;
	bool final = (h[0] & 0x80) != 0;
	size_t more = left == 126 ? 2 : left == 127 ? 8 : 0;
	if (more > 0 && !read_whole(c->fd, h + 2, more))
		return false;
	for (size_t i = 0; i < more; i++)
		left = (i == 0 ? 0 : left << 8) | h[2 + i];
	if (op == 1 || op == 2)
		*text = op == 1;
	c->tally->bytes += left;
	for (bool keep = *text && op <= 1; left > 0;) {
		size_t n = left < sizeof(waste) ? left : sizeof(waste);
		if (keep && c->text_bytes + n > TEXT_MAX)
			return false;
		if (!read_whole(c->fd, keep ? c->text + c->text_bytes : (char *)waste, n))
			return false;
		c->text_bytes += keep ? n : 0;
		left -= n;
	}
	if (op == 9) /* the server asks whether somebody is there */
		return say(c->fd, 10, NULL, 0);
	if (op > 2 || !final)
		return op != 8;
	c->tally->messages += !*text;
	return !*text || take_text(c);
}

_Noreturn static void be_foxglove(const struct consumers *c)
{
	struct client client = {.tally = c->tally, .text = malloc(TEXT_MAX)};
	while (client.text != NULL) {
		bool text = false;
		client.text_bytes = 0;
		if (!dial(&client, c->run_dir)) {
			(void)poll(NULL, 0, AGAIN_MS);
			continue;
		}
		client.tally->connections++;
		while (take_frame(&client, &text))
			;
		close(client.fd);
	}
	_exit(1);
}

/* ---- processes ---- */

_Noreturn static void be_recorder(const struct consumers *c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		(void)dup2(null, 0);
		(void)dup2(null, 1);
		(void)dup2(null, 2);
	}
	(void)unlink(c->recording);
	execl(c->cairn, c->cairn, "record", "--run", c->run_dir, c->recording, (char *)NULL);
	_exit(127);
}

void consumers_start(struct consumers *c, enum consumer which)
{
	if (c->pids[which] > 0)
		return;
	pid_t parent = getpid();
	fflush(NULL);
	c->pids[which] = fork();
	if (c->pids[which] != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (which == CONSUMER_RECORDER)
		be_recorder(c);
	be_foxglove(c);
}

void consumers_kill(struct consumers *c, enum consumer which)
{
	if (c->pids[which] > 0) {
		kill(c->pids[which], SIGKILL);
		waitpid(c->pids[which], NULL, 0);
	}
	c->pids[which] = 0;
}

bool consumers_begin(struct consumers *c, const char *cairn, const char *run_dir, const char *recording,
    struct cairn_error *err)
{
	*c = (struct consumers){.tally = NULL};
	snprintf(c->cairn, sizeof(c->cairn), "%s", cairn);
	snprintf(c->run_dir, sizeof(c->run_dir), "%s", run_dir);
	snprintf(c->recording, sizeof(c->recording), "%s", recording);
	void *shared =
	    mmap(NULL, sizeof(*c->tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		cairn_error_set(err, "consumers: %s", strerror(errno));
		return false;
	}
	c->tally = shared;
	return true;
}

void consumers_end(struct consumers *c)
{
	for (int i = 0; i < CONSUMERS; i++)
		consumers_kill(c, (enum consumer)i);
	if (c->tally != NULL)
		munmap(c->tally, sizeof(*c->tally));
	c->tally = NULL;
}
