/* listen.c - who is let in: the socket, TLS, limits, and whose a request is. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/web/web.h"

#define BACKLOG 32
#define ACCEPTS_MAX 16 /* in one go */
#define RESERVED 4     /* connections for this machine, whatever the others do */
#define TIMEOUT_S 8    /* for a handshake, a request's headers or body */
#define KEEPALIVE_S 30
#define FDS_MAX 512
#define HEADER_BYTES 4096
#define SEND_BUFFER_BYTES (128 * 1024) /* of a connection: what a slow reader has not taken is old */

static int on_bus(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
	(void)user;
	(void)in;
	(void)len;
	if (reason == LWS_CALLBACK_RAW_RX_FILE)
		((struct web *)lws_context_user(lws_get_context(wsi)))->stage_due = true;
	return 0;
}

void web_hold_back(struct lws *wsi, bool on)
{
	int value = on ? 1 : 0;
	(void)setsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_CORK, &value, sizeof(value));
}

/* ---- the list of tokens ---- */

/* No file is a list of nobody. */
static bool read_tokens(const char *path, struct cairn_web_tokens *ret, struct cairn_error *err)
{
	char text[CAIRN_WEB_TOKENS_FILE_MAX];
	struct cairn_error why = {""};
	struct stat st;
	*ret = (struct cairn_web_tokens){.count = 0};
	if (stat(path, &st) != 0 && errno == ENOENT)
		return true;
	if (cairn_file_read_into(path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, text, sizeof(text), err) < 0)
		return false;
	if ((st.st_mode & 022) != 0 || (st.st_uid != geteuid() && st.st_uid != 0))
		cairn_error_set(err, "%s: others may write to it; chmod 600", path);
	else if (!cairn_web_tokens_parse(text, ret, &why))
		cairn_error_set(err, "%.150s: %s", path, why.text);
	else
		return true;
	return false;
}

/* A list that cannot be read lets nobody do what needs a token; watching and stopping from this machine need none. */
int web_on_tokens(void *ctx)
{
	struct web *web = ctx;
	static struct cairn_web_tokens now;
	struct cairn_error err = {""};
	bool ok = read_tokens(web->token_file, &now, &err);
	cairn_stage_tried(web->stage, "read the tokens", ok ? NULL : err.text);
	if (memcmp(&now, &web->tokens, sizeof(now)) == 0)
		return 0;
	web->tokens = now;
	cairn_log_info("%d tokens are let in", now.count);
	viewers_judge(web);
	foxglove_judge(web);
	return 0;
}

/* ---- whose a request is ---- */

static void copy(struct lws *wsi, enum lws_token_indexes which, char *buf, int bytes)
{
	if (lws_hdr_copy(wsi, buf, bytes, which) < 0)
		snprintf(buf, (size_t)bytes, "?"); /* too long for what it may be: matches nothing */
}

static bool passed_on(struct lws *wsi)
{
	return lws_hdr_total_length(wsi, WSI_TOKEN_X_FORWARDED_FOR) > 0 ||
	       lws_hdr_custom_length(wsi, "forwarded:", 10) >= 0 ||
	       lws_hdr_custom_length(wsi, "x-real-ip:", 10) >= 0;
}

void web_query_of(struct lws *wsi, char *buf, size_t bytes)
{
	size_t n = 0;
	buf[0] = '\0';
	for (int i = 0, part; (part = lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, i)) > 0; i++) {
		char *at = buf + n + (n > 0);
		if (n + (size_t)part + 2 > bytes ||
		    lws_hdr_copy_fragment(wsi, at, part + 1, WSI_TOKEN_HTTP_URI_ARGS, i) < 0) {
			buf[0] = '\0';
			return;
		}
		if (n > 0)
			buf[n] = '&';
		n = (size_t)(at - buf) + (size_t)part;
	}
}

bool web_wants_foxglove(struct lws *wsi)
{
	char offered[128] = "";
	copy(wsi, WSI_TOKEN_PROTOCOL, offered, sizeof(offered));
	return cairn_foxglove_offered(offered);
}

/* Foxglove's clients can set no header: their token stands in the address. */
static void take_token(struct web *web, struct lws *wsi, bool foxglove, struct web_conn *conn)
{
	char text[512] = "";
	web_query_of(wsi, text, sizeof(text));
	if (foxglove && cairn_web_query(text, "token", conn->token, sizeof(conn->token)))
		return;
	copy(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, text, sizeof(text));
	if (cairn_web_bearer(text, conn->token, sizeof(conn->token)))
		return;
	copy(wsi, WSI_TOKEN_HTTP_COOKIE, text, sizeof(text));
	(void)cairn_web_cookie(text, web->cookie, conn->token, sizeof(conn->token));
}

int web_admit(struct web *web, struct lws *wsi, bool page, struct web_conn *conn, struct cairn_error *why)
{
	char host[128] = "", origin[160] = "", site[32] = "";
	bool foxglove = web_wants_foxglove(wsi);
	copy(wsi, WSI_TOKEN_HOST, host, sizeof(host));
	copy(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin));
	if (lws_hdr_custom_length(wsi, "sec-fetch-site:", 15) > 0 &&
	    lws_hdr_custom_copy(wsi, site, sizeof(site), "sec-fetch-site:", 15) < 0)
		snprintf(site, sizeof(site), "?");
	if (!cairn_web_host_allowed(host, web->cfg->web.hosts)) {
		cairn_error_set(why, "this name is not the robot's: use its IP address or localhost, or list "
				     "the name in web.hosts");
		return 403;
	}
	bool own = cairn_web_origin_allowed(origin, host) && cairn_web_site_allowed(site, page);
	if (!own && !(foxglove && cairn_web_origin_listed(origin, web->cfg->web.origins))) {
		cairn_error_set(why, "pages of other sites are not answered%s%.120s%s",
		    foxglove ? "; to let Foxglove in from there, list " : "", foxglove ? origin : "",
		    foxglove ? " in web.origins" : "");
		return 403;
	}
	conn->here = conn->loopback && !passed_on(wsi);
	take_token(web, wsi, foxglove, conn);
	conn->who = cairn_web_identify(&web->tokens, conn->token, conn->here);
	return 0;
}

/* ---- connections ---- */

void web_forget(struct web *web, struct web_conn *conn)
{
	if (conn == NULL)
		return;
	web->connections--;
	web->far_connections -= !conn->loopback;
	free(conn);
}

static void describe(const struct sockaddr_storage *at, struct web_conn *conn)
{
	char text[INET6_ADDRSTRLEN] = "?";
	if (at->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)at)->sin6_addr, text, sizeof(text));
	else if (at->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)at)->sin_addr, text, sizeof(text));
	snprintf(conn->peer, sizeof(conn->peer), "%s", text);
	conn->loopback = cairn_web_is_loopback(text);
}

static void let_in(struct web *web, int fd, const struct sockaddr_storage *at)
{
	struct web_conn *conn = calloc(1, sizeof(*conn));
	int one = 1, bytes = SEND_BUFFER_BYTES;
	if (conn != NULL)
		describe(at, conn);
	int room = web->cfg->web.connections_max;
	if (conn == NULL || web->connections >= room ||
	    (!conn->loopback && web->far_connections >= room - RESERVED)) {
		cairn_stage_count_reject(web->stage);
		free(conn);
		close(fd);
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	conn->id = ++web->last_conn;
	web->connections++;
	web->far_connections += !conn->loopback;
	struct lws *wsi = lws_adopt_socket_vhost(web->vhost, fd);
	if (wsi != NULL)
		lws_set_opaque_user_data(wsi, conn);
	else /* closed by the library */
		web_forget(web, conn);
}

static int on_connection(void *ctx)
{
	struct web *web = ctx;
	for (int i = 0; i < ACCEPTS_MAX; i++) {
		struct sockaddr_storage at = {.ss_family = AF_UNSPEC};
		socklen_t bytes = sizeof(at);
		int fd =
		    accept4(web->listen_fd, (struct sockaddr *)&at, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return 0;
		let_in(web, fd, &at);
	}
	return 0;
}

static int bind_to(const struct cairn_web_address *a, struct cairn_error *err)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(a->port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(a->port)};
	int one = 1, zero = 0;
	int fd = socket(a->v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	inet_pton(a->v6 ? AF_INET6 : AF_INET, a->host, a->v6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr);
	bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0;
	if (ok && a->v6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero)); /* [::] is both */
	ok = ok && bind(fd, a->v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4,
		       a->v6 ? sizeof(v6) : sizeof(v4)) == 0;
	ok = ok && listen(fd, BACKLOG) == 0;
	if (ok)
		return fd;
	cairn_error_set(err, "%s:%u: %s", a->host, a->port,
	    errno == EADDRINUSE ? "taken; set web.endpoint" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* RUN/web.url, for `cairn open`; the cookie bears the port, as cookies are shared by all ports of a host. */
static void tell_address(struct web *web)
{
	struct sockaddr_storage at;
	socklen_t bytes = sizeof(at);
	char path[300], text[128], host[CAIRN_WEB_HOST_MAX + 2];
	struct cairn_error err = {""};
	unsigned port = web->address.port;
	if (getsockname(web->listen_fd, (struct sockaddr *)&at, &bytes) == 0)
		port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
						      : ((struct sockaddr_in *)&at)->sin_port);
	snprintf(web->cookie, sizeof(web->cookie), "cairn_web_%u", port);
	snprintf(host, sizeof(host), web->address.v6 ? "[%s]" : "%s", web->address.host);
	snprintf(path, sizeof(path), "%s/web.url", cairn_stage_run_dir(web->stage));
	int n = snprintf(text, sizeof(text), "%s://%s:%u/\n", web->tls ? "https" : "http", host, port);
	bool ok = cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, text, (size_t)n, &err);
	cairn_stage_tried(web->stage, "tell its address", ok ? NULL : err.text);
	cairn_log_info("listens at %s://%s:%u/", web->tls ? "https" : "http", host, port);
}

/* A port that somebody else has, or an address that is not there yet, is told and tried on: to die of it would need a person
 * afterwards. */
static int on_listen(void *ctx)
{
	struct web *web = ctx;
	struct cairn_error err = {""};
	if (web->listen_fd >= 0)
		return 0;
	web->listen_fd = bind_to(&web->address, &err);
	cairn_stage_tried(web->stage, "listen for viewers", web->listen_fd >= 0 ? NULL : err.text);
	if (web->listen_fd < 0)
		return 0;
	cairn_stage_watch_fd(web->stage, web->listen_fd, POLLIN, on_connection, web);
	tell_address(web);
	return 0;
}

/* ---- the library ---- */

static void on_log(int level, const char *line)
{
	int n = (int)strcspn(line, "\n");
	if (level == LLL_ERR)
		cairn_log_warn("libwebsockets: %.*s", n, line);
	else
		cairn_log_debug("libwebsockets: %.*s", n, line);
}

static bool open_library(struct web *web, struct cairn_error *err)
{
	static const lws_retry_bo_t idle = {.secs_since_valid_ping = 15, .secs_since_valid_hangup = 40};
	static struct lws_protocols protocols[6];
	protocols[0] =
	    (struct lws_protocols){"http", http_callback, http_bytes(), CAIRN_WEB_REQUEST_MAX, 0, NULL, 0};
	protocols[1] = (struct lws_protocols){
	    "cairn.v1", viewer_callback, viewer_bytes(), CAIRN_WEB_REQUEST_MAX, 0, NULL, 0};
	protocols[2] = (struct lws_protocols){
	    CAIRN_FOXGLOVE_SDK, foxglove_callback, foxglove_bytes(), CAIRN_WEB_REQUEST_MAX, 0, NULL, 0};
	protocols[3] = (struct lws_protocols){
	    CAIRN_FOXGLOVE_WEBSOCKET, foxglove_callback, foxglove_bytes(), CAIRN_WEB_REQUEST_MAX, 0, NULL, 0};
	protocols[4] = (struct lws_protocols){"bus", on_bus, 0, 0, 0, NULL, 0};
	struct lws_context_creation_info info = {.port = CONTEXT_PORT_NO_LISTEN_SERVER,
	    .protocols = protocols,
	    .user = web,
	    .timeout_secs = TIMEOUT_S,
	    .keepalive_timeout = KEEPALIVE_S,
	    .max_http_header_data = HEADER_BYTES,
	    .max_http_header_pool = (unsigned short)web->cfg->web.connections_max,
	    .fd_limit_per_thread = FDS_MAX,
	    .retry_and_idle_policy = &idle,
	    .server_string = "cairn",
	    .vhost_name = "cairn",
	    .gid = -1,
	    .uid = -1,
	    .options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_EXPLICIT_VHOSTS};
	lws_set_log_level(LLL_ERR | LLL_WARN, on_log);
	if (web->tls) {
		info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
		info.ssl_cert_filepath = web->cfg->web.cert_file;
		info.ssl_private_key_filepath = web->cfg->web.key_file;
		info.alpn = "http/1.1";
	}
	web->lws = lws_create_context(&info);
	web->vhost = web->lws != NULL ? lws_create_vhost(web->lws, &info) : NULL;
	if (web->vhost == NULL)
		cairn_error_set(err,
		    web->tls
			? "the TLS certificate or key cannot be used: web.cert_file %.80s, web.key_file %.80s"
			: "libwebsockets does not start%.0s%.0s",
		    web->cfg->web.cert_file, web->cfg->web.key_file);
	return web->vhost != NULL;
}

/* The library waits for the stage's inputs, too. */
static bool join_loops(struct web *web, struct cairn_error *err)
{
	int fd = dup(cairn_stage_fd(web->stage)); /* that the library closes */
	lws_sock_file_fd_type bus = {.filefd = fd};
	if (fd >= 0 &&
	    lws_adopt_descriptor_vhost(web->vhost, LWS_ADOPT_RAW_FILE_DESC, bus, "bus", NULL) != NULL)
		return true;
	cairn_error_set(err, "libwebsockets does not take the stage's inputs");
	return false;
}

static void name_token_file(struct web *web)
{
	if (web->cfg->web.token_file[0] != '\0')
		snprintf(web->token_file, sizeof(web->token_file), "%s", web->cfg->web.token_file);
	else
		cairn_stage_state_path(web->stage, "web.tokens", web->token_file, sizeof(web->token_file));
}

bool web_open(struct web *web, struct cairn_error *err)
{
	struct cairn_error why = {""};
	web->listen_fd = -1;
	if (!cairn_web_address_parse(web->cfg->web.endpoint, &web->address, &why)) {
		cairn_error_set(err, "web.endpoint: %s", why.text);
		return false;
	}
	web->tls = web->cfg->web.cert_file[0] != '\0';
	if (!open_library(web, err) || !join_loops(web, err))
		return false;
	name_token_file(web);
	(void)web_on_tokens(web);
	(void)on_listen(web);
	cairn_stage_every(web->stage, 1000, on_listen, web);
	cairn_stage_every(web->stage, 1000, web_on_tokens, web);
	return true;
}

void web_close(struct web *web)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/web.url", cairn_stage_run_dir(web->stage));
	if (web->listen_fd >= 0) {
		(void)unlink(path);
		close(web->listen_fd);
	}
	if (web->lws != NULL)
		lws_context_destroy(web->lws);
}
