/* bench_gateway.c - what the gateway adds to a call, and how soon after a trigger the first byte leaves.
 *
 * A server on this machine answers at once with a fixed reply. The same body goes to it by bare libcurl
 * (curl_easy_perform on a kept connection) and through the gateway's own parts: dialog, service and HTTP
 * client in a stage's event loop, from the moment the loop looks (building the prompt, the base64 of a 40 kB
 * picture, the call, checking the answer) to the decision. The ways take turns. A trigger comes at any time
 * between two looks of the loop, as snapshots do. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/gateway/service.h"

#define ROUNDS 60
#define WARM_UP 3
#define TURN_MS 20   /* as in the gateway */
#define TRIGGER_MS 7 /* no divisor of it: all phases come */
#define PICTURE_BYTES 40000
#define TEXT_BYTES 1500

static const char reply[] =
    "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
    "\"finish_reason\":\"tool_calls\",\"message\":{\"role\":\"assistant\",\"content\":\"It is "
    "free.\",\"refusal\":null,"
    "\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"rotate\","
    "\"arguments\":\"{"
    "\\\"angle_deg\\\":90}\"}}]}}],\"usage\":{\"prompt_tokens\":3000,\"completion_tokens\":40}}";

struct bench {
	int listen_fd, port;
	pthread_t thread;
	_Atomic int64_t first_byte_ns; /* of the newest request */
	struct cairn_stage *stage;
	struct cairn_lineup lineup;
	struct cairn_dialog *dialog;
	struct service *service;
	CURL *bare;
	struct curl_slist *headers;
	char dir[64], url[96];
	uint8_t payload[sizeof(struct cairn_snapshot_head) + TEXT_BYTES + PICTURE_BYTES];
	int64_t trigger_ns, look_ns;
	bool in_flight;
	int rounds;
	struct cairn_text body; /* the newest one, for the bare way */
	double bare_ms[ROUNDS], call_ms[ROUNDS], first_ms[ROUNDS];
	char problem[160];
};

/* ---- the server ---- */

static bool read_request(struct bench *b, int fd, char *buf, size_t cap)
{
	size_t len = 0, want = 0;
	while (want == 0 || len < want) {
		ssize_t n = len < cap - 1 ? recv(fd, buf + len, cap - 1 - len, 0) : -1;
		if (n <= 0)
			return false;
		if (len == 0)
			b->first_byte_ns = cli_now_ns();
		len += (size_t)n;
		buf[len] = '\0';
		const char *end = want == 0 ? strstr(buf, "\r\n\r\n") : NULL;
		const char *length = end != NULL ? strcasestr(buf, "content-length:") : NULL;
		if (end != NULL)
			want = (size_t)(end + 4 - buf) + (length != NULL ? (size_t)atol(length + 15) : 0);
	}
	return true;
}

struct connection {
	struct bench *bench;
	int fd;
};

static void *serve_one(void *ctx)
{
	struct connection c = *(struct connection *)ctx;
	char *buf = malloc(1 << 20), head[160];
	free(ctx);
	int n = snprintf(head, sizeof(head),
	    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
	    sizeof(reply) - 1);
	while (buf != NULL && read_request(c.bench, c.fd, buf, 1 << 20)) {
		struct iovec parts[] = {{head, (size_t)n}, {(void *)(uintptr_t)reply, sizeof(reply) - 1}};
		struct msghdr msg = {.msg_iov = parts, .msg_iovlen = 2};
		if (sendmsg(c.fd, &msg, MSG_NOSIGNAL) < 0)
			break;
	}
	close(c.fd);
	free(buf);
	return NULL;
}

static void *serve(void *ctx)
{
	struct bench *b = ctx;
	for (;;) {
		int fd = accept(b->listen_fd, NULL, NULL);
		pthread_t thread;
		struct connection *c = fd >= 0 ? malloc(sizeof(*c)) : NULL;
		if (c == NULL)
			return NULL;
		*c = (struct connection){b, fd};
		if (pthread_create(&thread, NULL, serve_one, c) == 0)
			pthread_detach(thread);
	}
}

static bool start_server(struct bench *b)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	b->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (b->listen_fd < 0 || bind(b->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(b->listen_fd, 4) != 0 || getsockname(b->listen_fd, (struct sockaddr *)&at, &len) != 0)
		return false;
	b->port = ntohs(at.sin_port);
	snprintf(b->url, sizeof(b->url), "http://127.0.0.1:%d/v1/chat/completions", b->port);
	return pthread_create(&b->thread, NULL, serve, b) == 0;
}

/* ---- the bare way ---- */

static size_t swallow(char *data, size_t size, size_t count, void *ctx)
{
	(void)data;
	(void)ctx;
	return size * count;
}

static double bare_ms(struct bench *b)
{
	int64_t start_ns = cli_now_ns();
	curl_easy_setopt(b->bare, CURLOPT_POSTFIELDS, b->body.data);
	curl_easy_setopt(b->bare, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)b->body.len);
	if (curl_easy_perform(b->bare) != CURLE_OK)
		snprintf(b->problem, sizeof(b->problem), "bare libcurl cannot reach the server");
	return (double)(cli_now_ns() - start_ns) * 1e-6;
}

/* ---- the gateway's way ---- */

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct bench *b = ctx;
	struct cairn_msg_decision decision;
	cairn_dialog_ended(b->dialog, cli_now_ns(), outcome);
	bool ok = cairn_dialog_take_decision(b->dialog, &decision) && decision.tool == CAIRN_TOOL_ROTATE;
	double took_ms = (double)(cli_now_ns() - b->look_ns) * 1e-6;
	if (!ok)
		snprintf(b->problem, sizeof(b->problem), "no decision: HTTP %d %.100s", outcome->status,
		    outcome->error != NULL ? outcome->error : "");
	int i = b->rounds++ - WARM_UP;
	if (i >= 0) {
		b->call_ms[i] = took_ms;
		b->first_ms[i] = (double)(b->first_byte_ns - b->trigger_ns) * 1e-6;
		b->bare_ms[i] = bare_ms(b);
	}
	struct cairn_msg_result result = {.decision_id = decision.id, .distance_m = 1.0};
	cairn_dialog_result(b->dialog, &result, cli_now_ns());
	b->in_flight = false;
	b->trigger_ns = 0;
}

static int on_trigger(void *ctx)
{
	struct bench *b = ctx;
	if (b->trigger_ns == 0 && !b->in_flight)
		b->trigger_ns = cli_now_ns();
	return 0;
}

static int on_turn(void *ctx)
{
	struct bench *b = ctx;
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true};
	struct cairn_msg_frontiers frontiers = {0};
	const char *body;
	size_t bytes;
	if (b->rounds >= ROUNDS + WARM_UP || b->problem[0] != '\0')
		return -1;
	if (b->trigger_ns == 0 || b->in_flight)
		return 0;
	int64_t now_ns = b->look_ns = cli_now_ns();
	struct cairn_header hdr = {.t_ns = now_ns, .epoch = 1, .valid = true};
	struct cairn_snapshot_head *head = (struct cairn_snapshot_head *)(void *)b->payload;
	head->snapshot_id++;
	cairn_dialog_mission(b->dialog, &mission, &hdr);
	cairn_dialog_frontiers(b->dialog, &frontiers, now_ns);
	struct cairn_error err = {""};
	if (!cairn_dialog_snapshot(b->dialog, b->payload, sizeof(b->payload), now_ns, &err))
		snprintf(b->problem, sizeof(b->problem), "%.150s", err.text);
	if (cairn_dialog_poll(b->dialog, cli_now_ns(), &body, &bytes) != CAIRN_DIALOG_SEND)
		return 0; /* decisions are taken up first */
	b->in_flight = true;
	service_send(b->service, body, bytes);
	cairn_text_clear(&b->body);
	cairn_text_bytes(&b->body, body, bytes);
	return 0;
}

/* ---- opening ---- */

static void make_payload(struct bench *b)
{
	struct cairn_snapshot_head *head = (struct cairn_snapshot_head *)(void *)b->payload;
	uint8_t *text = b->payload + sizeof(*head), *picture = text + TEXT_BYTES;
	*head = (struct cairn_snapshot_head){.image_needed = 1,
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .text_bytes = TEXT_BYTES,
	    .jpeg_bytes = PICTURE_BYTES,
	    .version = CAIRN_SNAPSHOT_VERSION};
	for (int i = 0; i < TEXT_BYTES; i++)
		text[i] = (uint8_t)(i % 60 == 59 ? '\n' : 'a' + i % 26);
	for (int i = 0; i < PICTURE_BYTES; i++)
		picture[i] = (uint8_t)(i * 37);
	memcpy(picture, "\xFF\xD8\xFF\xE0", 4);
	memcpy(picture + PICTURE_BYTES - 2, "\xFF\xD9", 2);
}

static bool open_stage(struct bench *b)
{
	char path[128],
	    *argv[] = {(char *)"bench", (char *)"--run", b->dir, (char *)"--stage", (char *)"gateway", NULL};
	int why;
	snprintf(b->dir, sizeof(b->dir), "/tmp/cairn-bench-XXXXXX");
	if (mkdtemp(b->dir) == NULL)
		return false;
	snprintf(path, sizeof(path), "%s/bus", b->dir);
	(void)mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/config.yaml", b->dir);
	FILE *out = fopen(path, "we");
	if (out == NULL)
		return false;
	fputs("log:\n  level: error\nvlm:\n  limit_calls_per_min: 6000\n  limit_usd_per_hour: 100\n"
	      "  limit_usd_per_session: 100\n  skip_age_max_s: 0\n",
	    out);
	fclose(out);
	optind = 0;
	b->stage = cairn_stage_start("bench", "measures", 5, argv, &why);
	return b->stage != NULL;
}

static bool open_all(struct bench *b, struct cairn_error *err)
{
	static char system[6500]; /* as long as the texts in config/prompts */
	memset(system, 'x', sizeof(system) - 1);
	make_payload(b);
	if (!start_server(b) || !open_stage(b)) {
		cairn_error_set(err, "no server or no stage on this machine");
		return false;
	}
	const struct cairn_config *cfg = cairn_stage_config(b->stage);
	b->lineup.count = 1;
	cairn_profile_defaults(&b->lineup.rows[0]);
	snprintf(b->lineup.rows[0].base_url, sizeof(b->lineup.rows[0].base_url), "http://127.0.0.1:%d/v1",
	    b->port);
	b->dialog = cairn_dialog_new(&cfg->vlm, cfg->safety.decision_max_age_s, system, err);
	if (b->dialog == NULL || !cairn_dialog_use(b->dialog, &b->lineup, err))
		return false;
	b->service = service_new(b->stage, &cfg->vlm, &b->lineup, b->dialog, on_done, b, err);
	b->bare = curl_easy_init();
	b->headers = curl_slist_append(curl_slist_append(NULL, "Content-Type: application/json"), "Expect:");
	if (b->service == NULL || b->bare == NULL)
		return false;
	curl_easy_setopt(b->bare, CURLOPT_URL, b->url);
	curl_easy_setopt(b->bare, CURLOPT_PROXY, "");
	curl_easy_setopt(b->bare, CURLOPT_HTTPHEADER, b->headers);
	curl_easy_setopt(b->bare, CURLOPT_WRITEFUNCTION, swallow);
	cairn_stage_every(b->stage, TRIGGER_MS, on_trigger, b);
	cairn_stage_every(b->stage, TURN_MS, on_turn, b);
	return true;
}

static void close_all(struct bench *b)
{
	char path[96];
	curl_easy_cleanup(b->bare);
	curl_slist_free_all(b->headers);
	service_destroy(&b->service);
	cairn_dialog_destroy(&b->dialog);
	if (b->stage != NULL)
		cairn_stage_finish(&b->stage, 0);
	if (b->listen_fd >= 0) {
		shutdown(b->listen_fd, SHUT_RDWR);
		if (b->port != 0)
			pthread_join(b->thread, NULL);
		close(b->listen_fd);
	}
	cairn_text_free(&b->body);
	snprintf(path, sizeof(path), "rm -rf %s", b->dir);
	if (b->dir[0] != '\0' && system(path) != 0)
		fprintf(stderr, "cairn bench: %s is left over\n", b->dir);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

bool cairn_bench_gateway(struct cairn_bench_out *out)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct cairn_error err = {""};
	bool ok = b != NULL && open_all(b, &err);
	if (ok) {
		cairn_stage_run(b->stage);
		ok = b->problem[0] == '\0';
		qsort(b->bare_ms, ROUNDS, sizeof(double), by_value);
		qsort(b->call_ms, ROUNDS, sizeof(double), by_value);
		qsort(b->first_ms, ROUNDS, sizeof(double), by_value);
	}
	if (ok) {
		double bare = b->bare_ms[ROUNDS / 2], call = b->call_ms[ROUNDS / 2];
		cairn_bench_value(out, "bare_libcurl_ms", bare, "ms");
		cairn_bench_ratio(out, "gateway_call_ms", call, "ms", bare);
		cairn_bench_value(out, "gateway_adds_ms", call - bare, "ms");
		cairn_bench_value(out, "trigger_to_first_byte_ms", b->first_ms[ROUNDS / 2], "ms");
		cairn_bench_value(out, "trigger_to_first_byte_p95_ms", b->first_ms[ROUNDS * 95 / 100], "ms");
	} else {
		fprintf(stderr, "cairn bench gateway: %s%s\n", err.text,
		    b != NULL ? b->problem : "out of memory");
	}
	if (b != NULL)
		close_all(b);
	free(b);
	return ok;
}
