#include "procs/fleet/mqtt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"

#if CAIRN_MOSQUITTO
#include <mosquitto.h>
#include <poll.h>
#include <time.h>

#define KEEPALIVE_S 15
#define RETRY_FIRST_NS (CAIRN_NS_PER_S / 2)
#define RETRY_MOST_NS (5 * CAIRN_NS_PER_S)
#define PACKETS_PER_TURN 256 /* a flood does not keep the owner from its other work */

#define BAD_PASSWORD 4 /* return codes of CONNACK, MQTT 3.1.1 */
#define NOT_AUTHORISED 5

struct mqtt {
	struct mosquitto *client;
	struct mqtt_handlers handlers;
	char host[256];
	int port;
	bool connected, trying;
	int waiting; /* published and not gone out yet */
	int64_t t_retry_ns, retry_ns;
	char trouble[160];
};

static const char *reason(int code)
{
	return code == MOSQ_ERR_TLS     ? "TLS: not signed by fleet.ca_file, or for another name"
	       : code == MOSQ_ERR_ERRNO ? strerror(errno)
					: mosquitto_strerror(code);
}

static void on_connect(struct mosquitto *client, void *ctx, int code)
{
	struct mqtt *m = ctx;
	(void)client;
	if (code != 0) {
		bool who = code == BAD_PASSWORD || code == NOT_AUTHORISED;
		snprintf(m->trouble, sizeof(m->trouble), "the broker refuses: %s%s",
		    mosquitto_connack_string(code), who ? " (fleet.user, CAIRN_FLEET_PASSWORD)" : "");
		return;
	}
	m->trouble[0] = '\0';
	m->connected = true;
	m->waiting = 0;
	m->retry_ns = RETRY_FIRST_NS;
	m->handlers.connected(m->handlers.ctx, true);
}

static void on_disconnect(struct mosquitto *client, void *ctx, int code)
{
	struct mqtt *m = ctx;
	bool was = m->connected;
	(void)client;
	m->trying = m->connected = false;
	if (code != 0 && m->trouble[0] == '\0')
		snprintf(m->trouble, sizeof(m->trouble), "no connection to the broker: %s", reason(code));
	if (was)
		m->handlers.connected(m->handlers.ctx, false);
}

static void on_message(struct mosquitto *client, void *ctx, const struct mosquitto_message *message)
{
	struct mqtt *m = ctx;
	(void)client;
	m->handlers.message(m->handlers.ctx, message->topic, message->payload, (size_t)message->payloadlen);
}

static void on_publish(struct mosquitto *client, void *ctx, int id)
{
	struct mqtt *m = ctx;
	(void)client, (void)id;
	m->waiting--;
}

static bool read_address(struct mqtt *m, const struct cairn_config_fleet *cfg, struct cairn_error *err)
{
	const char *colon = strrchr(cfg->broker, ':');
	size_t n = colon != NULL ? (size_t)(colon - cfg->broker) : strlen(cfg->broker);
	char *end = NULL;
	long port = colon != NULL ? strtol(colon + 1, &end, 10) : cfg->ca_file[0] != '\0' ? 8883 : 1883;
	if (n == 0 || (colon != NULL && (*end != '\0' || port < 1 || port > 65535))) {
		cairn_error_set(err, "fleet.broker: '%.100s' is not HOST or HOST:PORT", cfg->broker);
		return false;
	}
	snprintf(m->host, sizeof(m->host), "%.*s", (int)n, cfg->broker);
	m->port = (int)port;
	return true;
}

static const char *or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static bool set_up(struct mqtt *m, const struct cairn_config_fleet *cfg, const char *password,
    const char *will_topic, const char *will, struct cairn_error *err)
{
	int code = mosquitto_will_set(m->client, will_topic, (int)strlen(will), will, 1, true);
	if (code == 0 && cfg->user[0] != '\0')
		code = mosquitto_username_pw_set(m->client, cfg->user, password);
	if (code == 0 && cfg->ca_file[0] != '\0')
		code = mosquitto_tls_set(
		    m->client, cfg->ca_file, NULL, or_null(cfg->cert_file), or_null(cfg->key_file), NULL);
	if (code != 0)
		cairn_error_set(err, "fleet.user, fleet.ca_file, fleet.cert_file, fleet.key_file: %s",
		    mosquitto_strerror(code));
	mosquitto_connect_callback_set(m->client, on_connect);
	mosquitto_disconnect_callback_set(m->client, on_disconnect);
	mosquitto_message_callback_set(m->client, on_message);
	mosquitto_publish_callback_set(m->client, on_publish);
	return code == 0;
}

struct mqtt *mqtt_new(const struct cairn_config_fleet *cfg, const char *client_id, const char *password,
    const char *will_topic, const char *will, const struct mqtt_handlers *handlers, struct cairn_error *err)
{
	struct mqtt *m = calloc(1, sizeof(*m));
	mosquitto_lib_init();
	if (m != NULL && read_address(m, cfg, err)) {
		m->handlers = *handlers;
		m->retry_ns = RETRY_FIRST_NS;
		m->client = mosquitto_new(client_id, true, m);
		if (m->client != NULL && set_up(m, cfg, password, will_topic, will, err))
			return m;
	}
	if (err->text[0] == '\0')
		cairn_error_set(err, "no client of MQTT: %s", strerror(errno));
	mqtt_close(&m, 0);
	return NULL;
}

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

void mqtt_close(struct mqtt **mqtt_p, int wait_ms)
{
	struct mqtt *m = *mqtt_p;
	*mqtt_p = NULL;
	if (m == NULL)
		return;
	int64_t until_ns = monotonic_ns() + wait_ms * INT64_C(1000000);
	while (m->connected && m->waiting > 0 && monotonic_ns() < until_ns)
		if (mosquitto_loop(m->client, 10, 1) != 0)
			break;
	if (m->connected)
		(void)mosquitto_disconnect(m->client);
	if (m->client != NULL)
		mosquitto_destroy(m->client);
	mosquitto_lib_cleanup();
	free(m);
}

static void try_again(struct mqtt *m, int64_t now_ns)
{
	if (now_ns < m->t_retry_ns)
		return;
	m->t_retry_ns = now_ns + m->retry_ns;
	m->retry_ns = m->retry_ns * 2 < RETRY_MOST_NS ? m->retry_ns * 2 : RETRY_MOST_NS;
	int code = mosquitto_connect_async(m->client, m->host, m->port, KEEPALIVE_S);
	m->trying = code == 0;
	if (code != 0)
		snprintf(m->trouble, sizeof(m->trouble), "%.80s:%d: %.60s", m->host, m->port, reason(code));
}

static bool readable(const struct mqtt *m)
{
	struct pollfd fd = {.fd = mosquitto_socket(m->client), .events = POLLIN};
	return poll(&fd, 1, 0) > 0;
}

void mqtt_turn(struct mqtt *m, int64_t now_ns)
{
	if (!m->connected && !m->trying)
		try_again(m, now_ns);
	if (!m->connected && !m->trying)
		return;
	/* The library reads one packet a call. */
	int code = mosquitto_loop(m->client, 0, 1);
	for (int i = 1; code == 0 && i < PACKETS_PER_TURN && readable(m); i++)
		code = mosquitto_loop(m->client, 0, 1);
	if (code != 0 && (m->connected || m->trying)) /* on_disconnect was not called */
		on_disconnect(m->client, m, code);
}

bool mqtt_subscribe(struct mqtt *m, const char *topic, int qos)
{
	return mosquitto_subscribe(m->client, NULL, topic, qos) == 0;
}

bool mqtt_publish(struct mqtt *m, const char *topic, const char *text, int qos, bool retained)
{
	bool ok = m->connected &&
		  mosquitto_publish(m->client, NULL, topic, (int)strlen(text), text, qos, retained) == 0;
	m->waiting += ok;
	return ok;
}

const char *mqtt_trouble(const struct mqtt *m)
{
	return m->connected ? "" : m->trouble;
}

#else

struct mqtt {
	int unused;
};

struct mqtt *mqtt_new(const struct cairn_config_fleet *cfg, const char *client_id, const char *password,
    const char *will_topic, const char *will, const struct mqtt_handlers *handlers, struct cairn_error *err)
{
	(void)cfg, (void)client_id, (void)password, (void)will_topic, (void)will, (void)handlers;
	cairn_error_set(
	    err, "cairn was built without libmosquitto: install libmosquitto-dev and build again");
	return NULL;
}

void mqtt_close(struct mqtt **mqtt_p, int wait_ms)
{
	(void)wait_ms;
	*mqtt_p = NULL;
}

void mqtt_turn(struct mqtt *m, int64_t now_ns)
{
	(void)m, (void)now_ns;
}

bool mqtt_subscribe(struct mqtt *m, const char *topic, int qos)
{
	(void)m, (void)topic, (void)qos;
	return false;
}

bool mqtt_publish(struct mqtt *m, const char *topic, const char *text, int qos, bool retained)
{
	(void)m, (void)topic, (void)text, (void)qos, (void)retained;
	return false;
}

const char *mqtt_trouble(const struct mqtt *m)
{
	(void)m;
	return "";
}

#endif
