#include "procs/pilot/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"

#define CONNECTIONS_MAX 16
/* A keep-alive connection without a request, or a request that never completes. */
#define IDLE_TIMEOUT_S 120

struct request {
	struct pilot *pilot;
	struct MHD_Connection *connection;
	struct request *next; /* in pilot->waiting, while suspended */
	struct cairn_text body;
	bool too_large, answered;
	int64_t due_ns;
	struct cairn_pilot_answer answer;
};

static void arm_timer(struct pilot *pilot)
{
	int64_t due_ns = INT64_MAX;
	for (struct request *r = pilot->waiting; r != NULL; r = r->next)
		due_ns = r->due_ns < due_ns ? r->due_ns : due_ns;
	MHD_UNSIGNED_LONG_LONG timeout_ms;
	if (MHD_get_timeout(pilot->daemon, &timeout_ms) == MHD_YES) {
		int64_t mhd_ns = cairn_now_ns() + (int64_t)timeout_ms * CAIRN_NS_PER_MS;
		due_ns = mhd_ns < due_ns ? mhd_ns : due_ns;
	}
	struct itimerspec at = {0};
	if (due_ns != INT64_MAX) {
		due_ns = due_ns > 0 ? due_ns : 1; /* zero would disarm it */
		at.it_value.tv_sec = due_ns / CAIRN_NS_PER_S;
		at.it_value.tv_nsec = due_ns % CAIRN_NS_PER_S;
	}
	timerfd_settime(pilot->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void resume_due(struct pilot *pilot)
{
	int64_t now_ns = cairn_now_ns();
	for (struct request **at = &pilot->waiting; *at != NULL;) {
		struct request *r = *at;
		if (now_ns < r->due_ns) {
			at = &r->next;
			continue;
		}
		*at = r->next;
		r->next = NULL;
		r->due_ns = 0;
		MHD_resume_connection(r->connection);
	}
}

static int serve(void *ctx)
{
	struct pilot *pilot = ctx;
	uint64_t expirations;
	while (read(pilot->timer_fd, &expirations, sizeof(expirations)) > 0)
		;
	resume_due(pilot);
	MHD_run(pilot->daemon);
	arm_timer(pilot);
	return 0;
}

static enum MHD_Result send_answer(struct request *r)
{
	struct cairn_pilot_answer *a = &r->answer;
	if (a->drop)
		return MHD_NO; /* closes the connection without a word */
	struct MHD_Response *response = MHD_create_response_from_buffer(
	    a->body.len, a->body.data != NULL ? a->body.data : (void *)"", MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", "application/json");
	if (a->retry_after_s >= 0.0) {
		char text[16];
		snprintf(text, sizeof(text), "%.0f", a->retry_after_s);
		MHD_add_response_header(response, "Retry-After", text);
	}
	enum MHD_Result result = MHD_queue_response(r->connection, (unsigned)a->status, response);
	MHD_destroy_response(response);
	return result;
}

static void make_answer(struct request *r, const char *method, const char *path)
{
	struct pilot *pilot = r->pilot;
	if (r->too_large) {
		r->answer.status = 413;
		r->answer.retry_after_s = -1.0;
		cairn_text_add(&r->answer.body,
		    "{\"error\":{\"message\":\"The request is too "
		    "large.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":null}}");
		cairn_stage_count_reject(pilot->stage);
		return;
	}
	cairn_pilot_api_answer(&pilot->api, method, path, r->body.data != NULL ? r->body.data : "",
	    r->body.len, (int64_t)time(NULL), &r->answer);
	cairn_text_free(&r->body);
	if (r->answer.status >= 400 && r->answer.fault == CAIRN_PILOT_FAULT_NONE)
		cairn_stage_count_reject(pilot->stage);
	cairn_log_debug("%s %s -> %d in %.2f s: %s", method, path, r->answer.status, r->answer.delay_s,
	    r->answer.summary);
	cairn_stage_notef(pilot->stage, "%llu requests, %llu made faulty",
	    (unsigned long long)pilot->api.requests, (unsigned long long)pilot->api.faulty);
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection, const char *path,
    const char *method, const char *version, const char *upload, size_t *upload_bytes, void **request_p)
{
	(void)version;
	struct pilot *pilot = ctx;
	struct request *r = *request_p;
	if (r == NULL) { /* the headers are there, the body is not yet */
		r = calloc(1, sizeof(*r));
		if (r == NULL)
			return MHD_NO;
		r->pilot = pilot;
		r->connection = connection;
		*request_p = r;
		return MHD_YES;
	}
	if (*upload_bytes > 0) {
		r->too_large |= r->body.len + *upload_bytes > CAIRN_PILOT_REQUEST_BYTES_MAX;
		if (!r->too_large)
			cairn_text_bytes(&r->body, upload, *upload_bytes);
		r->too_large |= r->body.failed;
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (r->answered)
		return send_answer(r); /* after the delay */
	r->answered = true;
	make_answer(r, method, path);
	if (r->answer.delay_s <= 0.0)
		return send_answer(r);
	r->due_ns = cairn_now_ns() + (int64_t)(r->answer.delay_s * 1e9);
	r->next = pilot->waiting;
	pilot->waiting = r;
	MHD_suspend_connection(connection);
	return MHD_YES;
}

static void on_completed(
    void *ctx, struct MHD_Connection *connection, void **request_p, enum MHD_RequestTerminationCode why)
{
	(void)ctx;
	(void)connection;
	(void)why;
	struct request *r = *request_p;
	if (r == NULL)
		return;
	for (struct request **at = &r->pilot->waiting; *at != NULL; at = &(*at)->next) {
		if (*at == r) {
			*at = r->next;
			break;
		}
	}
	cairn_text_free(&r->body);
	cairn_text_free(&r->answer.body);
	free(r);
	*request_p = NULL;
}

static void on_library_log(void *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	char line[256];
	vsnprintf(line, sizeof(line), fmt, ap);
	cairn_log_debug("microhttpd: %s", line);
}

bool server_open(struct pilot *pilot, unsigned *ret_port, struct cairn_error *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)pilot->cfg->pilot.port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	pilot->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, pilot, MHD_OPTION_EXTERNAL_LOGGER,
	    on_library_log, NULL, MHD_OPTION_SOCK_ADDR, &at, MHD_OPTION_NOTIFY_COMPLETED, on_completed, pilot,
	    MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S,
	    MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
	if (pilot->daemon == NULL) {
		cairn_error_set(
		    err, "pilot.port: %d on 127.0.0.1: %s", pilot->cfg->pilot.port, strerror(errno));
		return false;
	}
	const union MHD_DaemonInfo *epoll = MHD_get_daemon_info(pilot->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	const union MHD_DaemonInfo *port = MHD_get_daemon_info(pilot->daemon, MHD_DAEMON_INFO_BIND_PORT);
	pilot->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (epoll == NULL || port == NULL || pilot->timer_fd < 0) {
		cairn_error_set(err, "cannot poll the server: %s", strerror(errno));
		return false;
	}
	cairn_stage_watch_fd(pilot->stage, epoll->epoll_fd, POLLIN, serve, pilot);
	cairn_stage_watch_fd(pilot->stage, pilot->timer_fd, POLLIN, serve, pilot);
	*ret_port = port->port;
	return true;
}

void server_close(struct pilot *pilot)
{
	if (pilot->daemon == NULL)
		return;
	/* A daemon must not be stopped while connections are suspended. */
	for (struct request *r = pilot->waiting; r != NULL; r = r->next) {
		r->due_ns = 0;
		r->answer.drop = true;
	}
	resume_due(pilot);
	MHD_run(pilot->daemon);
	MHD_stop_daemon(pilot->daemon);
	close(pilot->timer_fd);
}
