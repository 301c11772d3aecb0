#include "procs/lab/fleet_master.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "procs/lab/fleet_sim.h"

#define AGAIN_NS (2 * CAIRN_NS_PER_S) /* an order that no state shows is sent again */
#define PAUSE_NS (3 * CAIRN_NS_PER_S)
#define REST_NS (CAIRN_NS_PER_S / 5)
#define EDGE_M 1.6 /* nodes keep so far from the walls of the hall */

void fleet_master_serial(int robot, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "sim-%03d", robot);
}

/* ---- messages ---- */

static const char *version_of(const struct fleet_master *m, enum cairn_vda_word word)
{
	return cairn_vda(m->cfg->fleet.version, word);
}

static void topic_for(
    const struct fleet_master *m, const char *serial, const char *name, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s/%s/%.80s/%s/%s", version_of(m, CAIRN_VDA_INTERFACE),
	    version_of(m, CAIRN_VDA_MAJOR), m->cfg->fleet.manufacturer, serial, name);
}

static json_t *header(struct fleet_master *m, const char *serial)
{
	int64_t ms = (m->now_ns + m->unix_ns) / 1000000;
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	char day[32], stamp[48];
	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp, sizeof(stamp), "%s.%03dZ", day, (int)(ms % 1000));
	return json_pack("{s:I, s:s, s:s, s:s, s:s}", "headerId", (json_int_t)m->header_id++, "timestamp",
	    stamp, "version", version_of(m, CAIRN_VDA_VERSION), "manufacturer", m->cfg->fleet.manufacturer,
	    "serialNumber", serial);
}

static void publish(struct fleet_master *m, const char *serial, const char *name, const char *text)
{
	char topic[256];
	topic_for(m, serial, name, topic, sizeof(topic));
	if (m->tap != NULL)
		m->tap(m->tap_ctx, topic, text);
	(void)mqtt_publish(m->mqtt, topic, text, 0, false);
}

static void publish_json(struct fleet_master *m, const char *serial, const char *name, json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);
	if (text != NULL)
		publish(m, serial, name, text);
	free(text);
	json_decref(message);
}

static void instant(struct fleet_master *m, const char *serial, const char *type)
{
	char id[64];
	json_t *message = header(m, serial);
	snprintf(id, sizeof(id), "%.20s-%u", type, m->header_id);
	json_object_set_new(message, "actions",
	    json_pack("[{s:s, s:s, s:s, s:[]}]", "actionType", type, "actionId", id, "blockingType", "NONE",
		"actionParameters"));
	publish_json(m, serial, "instantActions", message);
}

/* ---- orders ---- */

static json_t *node(struct fleet_master *m, const char *order, int i, double x_m, double y_m)
{
	char id[64];
	snprintf(id, sizeof(id), "%s-n%d", order, i);
	json_t *position = json_pack("{s:f, s:f, s:s}", "x", x_m, "y", y_m, "mapId", m->cfg->fleet.map_id);
	if (m->cfg->fleet.version == CAIRN_CHOICE_FLEET_VERSION_V2_1)
		json_object_set_new(position, "allowedDeviationXY", json_real(0.4));
	else
		json_object_set_new(position, "allowedDeviationXY",
		    json_pack("{s:f, s:f, s:f}", "a", 0.4, "b", 0.4, "theta", 0.0));
	return json_pack("{s:s, s:i, s:b, s:o, s:[]}", "nodeId", id, "sequenceId", 2 * i, "released", true,
	    "nodePosition", position, "actions");
}

static void add_edge(json_t *edges, const char *order, int i)
{
	char id[64], from[64], to[64];
	snprintf(id, sizeof(id), "%s-e%d", order, i);
	snprintf(from, sizeof(from), "%s-n%d", order, i - 1);
	snprintf(to, sizeof(to), "%s-n%d", order, i);
	json_array_append_new(
	    edges, json_pack("{s:s, s:i, s:b, s:s, s:s, s:[]}", "edgeId", id, "sequenceId", 2 * i - 1,
		       "released", true, "startNodeId", from, "endNodeId", to, "actions"));
}

static double within(struct fleet_master *m)
{
	return EDGE_M + cairn_rng_uniform(&m->rng) * (FLEET_HALL_M - 2.0 * EDGE_M);
}

/* From where the robot is through one to three places of the hall; half of them end with something to do. */
static char *make_order(struct fleet_master *m, const struct fleet_robot_seen *r, struct fleet_order_sent *o)
{
	json_t *message = header(m, r->serial), *nodes = json_array(), *edges = json_array();
	o->nodes = 2 + (int)(cairn_rng_u32(&m->rng) % 3);
	json_array_append_new(nodes, node(m, o->id, 0, r->x_m, r->y_m));
	for (int i = 1; i < o->nodes; i++) {
		json_array_append_new(nodes, node(m, o->id, i, within(m), within(m)));
		add_edge(edges, o->id, i);
	}
	if (cairn_rng_u32(&m->rng) % 2 == 0) {
		char id[64];
		snprintf(id, sizeof(id), "%s-wait", o->id);
		json_array_append_new(json_object_get(json_array_get(nodes, (size_t)o->nodes - 1), "actions"),
		    json_pack("{s:s, s:s, s:s, s:[{s:s, s:f}]}", "actionType", "wait", "actionId", id,
			"blockingType", "HARD", "actionParameters", "key", "duration", "value", 1.0));
	}
	json_object_set_new(message, "orderId", json_string(o->id));
	json_object_set_new(message, "orderUpdateId", json_integer(0));
	json_object_set_new(message, "nodes", nodes);
	json_object_set_new(message, "edges", edges);
	char *text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	return text;
}

static void give_order(struct fleet_master *m, struct fleet_robot_seen *r)
{
	struct fleet_order_sent *o = &r->sent;
	free(o->text);
	*o = (struct fleet_order_sent){.t_first_ns = m->now_ns, .t_sent_ns = m->now_ns};
	snprintf(o->id, sizeof(o->id), "%s-%u", r->serial, ++r->orders);
	o->text = make_order(m, r, o);
	m->sent++;
	if (o->text != NULL)
		publish(m, r->serial, "order", o->text);
}

static void give_zones(struct fleet_master *m, struct fleet_robot_seen *r)
{
	json_t *message = header(m, r->serial);
	char id[32];
	snprintf(id, sizeof(id), "zones-%u", m->header_id);
	double x_m = FLEET_HALL_M - 1.0, y_m = FLEET_HALL_M - 1.0; /* a corner where no node is */
	json_object_set_new(message, "zoneSet",
	    json_pack("{s:s, s:s, s:[{s:s, s:s, s:[{s:f, s:f}, {s:f, s:f}, {s:f, s:f}]}]}", "mapId",
		m->cfg->fleet.map_id, "zoneSetId", id, "zones", "zoneId", "corner", "zoneType", "BLOCKED",
		"vertices", "x", x_m, "y", y_m, "x", x_m + 0.8, "y", y_m, "x", x_m + 0.8, "y", y_m + 0.8));
	publish_json(m, r->serial, "zoneSet", message);
}

/* Once in a while something else than an order. */
static void do_mischief(struct fleet_master *m, struct fleet_robot_seen *r)
{
	struct fleet_order_sent *o = &r->sent;
	if (!m->mischief || !o->accepted || o->done || o->cancelling)
		return;
	switch (cairn_rng_u32(&m->rng) % 3000) {
	case 0:
		o->cancelling = true;
		m->cancels++;
		instant(m, r->serial, "cancelOrder");
		break;
	case 1:
		if (!r->pausing)
			instant(m, r->serial, "startPause");
		r->pausing = true;
		r->t_pause_ns = m->now_ns + PAUSE_NS;
		break;
	case 2:
		if (m->cfg->fleet.version != CAIRN_CHOICE_FLEET_VERSION_V2_1)
			give_zones(m, r);
		break;
	case 3:
		publish(m, r->serial, "order", "{\"orderId\":");
		break;
	case 4:
		instant(m, r->serial, "stateRequest");
		instant(m, r->serial, "factsheetRequest");
		break;
	case 5:
		instant(m, r->serial, "dance");
		break;
	case 6: /* the same again: it must not be driven again */
		publish(m, r->serial, "order", o->text);
		break;
	default:
		break;
	}
}

/* ---- what is heard ---- */

static bool ended(const json_t *state)
{
	const json_t *actions = json_object_get(state, "actionStates");
	bool over = json_array_size(json_object_get(state, "nodeStates")) == 0;
	for (size_t i = 0; over && i < json_array_size(actions); i++) {
		const char *s =
		    json_string_value(json_object_get(json_array_get(actions, i), "actionStatus"));
		over = s != NULL && (strcmp(s, "FINISHED") == 0 || strcmp(s, "FAILED") == 0);
	}
	return over;
}

/* At the last node: driven to its end, not dropped. */
static bool arrived(const struct fleet_order_sent *o, const json_t *state)
{
	return json_integer_value(json_object_get(state, "lastNodeSequenceId")) == 2 * (o->nodes - 1);
}

static void on_state(struct fleet_master *m, struct fleet_robot_seen *r, const json_t *state)
{
	struct fleet_order_sent *o = &r->sent;
	const json_t *at = json_object_get(state, version_of(m, CAIRN_VDA_POSITION));
	const char *id = json_string_value(json_object_get(state, "orderId"));
	int64_t number = json_integer_value(json_object_get(state, "headerId"));
	m->states++;
	if (r->header_id >= 0 && number > r->header_id + 1)
		m->lost += (uint64_t)(number - r->header_id - 1);
	r->header_id = number;
	r->paused = json_is_true(json_object_get(state, "paused"));
	if (json_is_object(at) && json_is_true(json_object_get(at, version_of(m, CAIRN_VDA_LOCALIZED)))) {
		r->x_m = json_number_value(json_object_get(at, "x"));
		r->y_m = json_number_value(json_object_get(at, "y"));
		r->known = true;
	}
	if (id == NULL || o->id[0] == '\0' || strcmp(id, o->id) != 0)
		return;
	if (!o->accepted) {
		o->accepted = true;
		m->accepted++;
		cairn_histogram_add(&m->latency, m->now_ns - o->t_first_ns);
	}
	if (o->done || !ended(state))
		return;
	o->done = true;
	o->cancelled = !arrived(o, state);
	m->done += !o->cancelled;
	m->cancelled += o->cancelled;
	r->t_next_ns = m->now_ns + REST_NS;
}

static void on_connection(struct fleet_master *m, struct fleet_robot_seen *r, const json_t *connection)
{
	const char *state = json_string_value(json_object_get(connection, "connectionState"));
	bool online = state != NULL && strcmp(state, "ONLINE") == 0;
	m->connections += online && !r->online;
	m->breaks += state != NULL && strcmp(state, version_of(m, CAIRN_VDA_BROKEN)) == 0;
	r->online = online;
}

static void on_message(void *ctx, const char *topic, const void *payload, size_t bytes)
{
	struct fleet_master *m = ctx;
	const char *name = strrchr(topic, '/');
	json_t *j = json_loadb(payload, bytes, 0, NULL);
	const char *serial = json_string_value(json_object_get(j, "serialNumber"));
	int number = -1;
	if (serial == NULL)
		m->bad++;
	else if (sscanf(serial, "sim-%d", &number) != 1)
		number = -1;
	struct fleet_robot_seen *r =
	    number >= m->first && number < m->first + m->robots ? &m->seen[number - m->first] : NULL;
	if (r != NULL && strcmp(name, "/state") == 0) /* others are of another fleet at this broker */
		on_state(m, r, j);
	else if (r != NULL && strcmp(name, "/connection") == 0)
		on_connection(m, r, j);
	json_decref(j);
}

static void on_connected(void *ctx, bool connected)
{
	struct fleet_master *m = ctx;
	char topic[256];
	if (!connected)
		return;
	topic_for(m, "+", "state", topic, sizeof(topic));
	(void)mqtt_subscribe(m->mqtt, topic, 0);
	topic_for(m, "+", "connection", topic, sizeof(topic));
	(void)mqtt_subscribe(m->mqtt, topic, 1);
}

/* ---- time ---- */

bool fleet_master_open(struct fleet_master *m, const struct cairn_config *cfg, int first, int robots,
    uint64_t seed, struct cairn_error *err)
{
	struct mqtt_handlers handlers = {on_connected, on_message, m};
	char client_id[40];
	snprintf(client_id, sizeof(client_id), "cairn-fleet-master-%d", first);
	*m = (struct fleet_master){.cfg = cfg, .first = first, .robots = robots};
	cairn_rng_seed(&m->rng, seed, 7 + (uint64_t)first);
	for (int i = 0; i < robots; i++) {
		fleet_master_serial(first + i, m->seen[i].serial, sizeof(m->seen[i].serial));
		m->seen[i].header_id = -1;
	}
	m->mqtt = mqtt_new(&cfg->fleet, client_id, NULL, client_id, "gone", &handlers, err);
	return m->mqtt != NULL;
}

void fleet_master_close(struct fleet_master *m)
{
	for (int i = 0; i < m->robots; i++)
		free(m->seen[i].sent.text);
	mqtt_close(&m->mqtt, 100);
}

static void tend(struct fleet_master *m, struct fleet_robot_seen *r)
{
	struct fleet_order_sent *o = &r->sent;
	/* Again while the robot says that it is paused: a broker that died may have lost the end of it. */
	if ((r->pausing || r->paused) && m->now_ns > r->t_pause_ns) {
		r->pausing = false;
		r->t_pause_ns = m->now_ns + AGAIN_NS;
		instant(m, r->serial, "stopPause");
	}
	bool under_way = o->id[0] != '\0' && !o->done;
	if (under_way && !o->accepted && m->now_ns - o->t_sent_ns > AGAIN_NS && o->text != NULL) {
		o->t_sent_ns = m->now_ns;
		m->again++;
		publish(m, r->serial, "order", o->text);
	}
	do_mischief(m, r);
	if (!under_way && !m->ending && r->online && r->known && m->now_ns >= r->t_next_ns)
		give_order(m, r);
}

void fleet_master_turn(struct fleet_master *m, int64_t now_ns, int64_t unix_ns)
{
	m->now_ns = now_ns;
	m->unix_ns = unix_ns;
	mqtt_turn(m->mqtt, now_ns);
	for (int i = 0; i < m->robots; i++)
		tend(m, &m->seen[i]);
}

int fleet_master_open_orders(const struct fleet_master *m)
{
	int open = 0;
	for (int i = 0; i < m->robots; i++)
		open += m->seen[i].sent.id[0] != '\0' && !m->seen[i].sent.done;
	return open;
}
