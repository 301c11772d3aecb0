/* service_server.h - little servers that hold requests to what the makers document: Anthropic messages and
 * Gemini generateContent, over HTTP or TLS, on 127.0.0.1. A request that breaks a rule gets the documented
 * error body. */
#ifndef CAIRN_TEST_SUPPORT_SERVICE_SERVER_H
#define CAIRN_TEST_SUPPORT_SERVICE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum service_format { SERVICE_ANTHROPIC, SERVICE_GEMINI };

struct service_server;

/* cert, key: PEM texts; NULL = plain HTTP. api_key: the one accepted. */
struct service_server *service_server_new(
    enum service_format format, const char *cert, const char *key, const char *api_key);
void service_server_destroy(struct service_server **server_p);
int service_server_port(const struct service_server *server);

/* The next so many requests get 429 with this retry-after (or RetryInfo, as the service does it). */
void service_server_limit(struct service_server *server, int requests, int retry_after_s);
/* Every request gets this status from now on; 0: as documented. */
void service_server_fail(struct service_server *server, int status);

/* asks_to_see: its first answer to a question is observe_scene, not check_path_clear. description: its answer to a question
 * without tools. */
void service_server_see(struct service_server *server, bool asks_to_see, const char *description);

int service_server_described(const struct service_server *server); /* questions without tools */
int service_server_requests(const struct service_server *server);  /* POSTs */
int service_server_refused(const struct service_server *server);   /* of these, with 400 */
int service_server_pictures(const struct service_server *server);  /* image blocks seen */
int service_server_followups(const struct service_server *server);
int service_server_connections(const struct service_server *server);
int service_server_cached(const struct service_server *server); /* requests whose prefix was the one before */
const char *service_server_last_error(const struct service_server *server);

/* Checks a body as a server of this format would: NULL, or what is wrong with it. */
const char *service_check_body(
    enum service_format format, const char *body, size_t count, char *why, size_t cap);

#endif
