/* mqtt.h - a client of an MQTT broker that never waits (libmosquitto; a build without it says so). One thread: everything happens in
 * mqtt_turn, which the owner calls often. A broker that is away is tried again after 0.5 s, later after 5 s. */
#ifndef CAIRN_PROCS_FLEET_MQTT_H
#define CAIRN_PROCS_FLEET_MQTT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/config/config.h"

struct mqtt;

struct mqtt_handlers {
	void (*connected)(void *ctx, bool connected);
	void (*message)(void *ctx, const char *topic, const void *payload, size_t bytes);
	void *ctx;
};

/* password: NULL where there is none; copied. The will is retained, QoS 1. NULL with the reason: what is configured cannot be. */
struct mqtt *mqtt_new(const struct cairn_config_fleet *cfg, const char *client_id, const char *password,
    const char *will_topic, const char *will, const struct mqtt_handlers *handlers, struct cairn_error *err);
/* Says goodbye to the broker after what was published has gone out, for at most wait_ms. */
void mqtt_close(struct mqtt **mqtt_p, int wait_ms);

void mqtt_turn(struct mqtt *m, int64_t now_ns);
/* After `connected`. False: it could not be handed over. */
bool mqtt_subscribe(struct mqtt *m, const char *topic, int qos);
bool mqtt_publish(struct mqtt *m, const char *topic, const char *text, int qos, bool retained);
/* Why there is no connection; empty: there is one, or it has not been tried. */
const char *mqtt_trouble(const struct mqtt *m);

#endif
