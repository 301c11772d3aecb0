/* fleet_rig.h - for tests of a robot under master control of a fleet: the fleet's core between a master control that is the test, and a
 * sequencer and a robot as simple as can be. */
#ifndef CAIRN_TEST_SUPPORT_FLEET_RIG_H
#define CAIRN_TEST_SUPPORT_FLEET_RIG_H

#include <math.h>

#include "common/base/geom.h"
#include "common/fleet/fleet.h"
#include "test/support/runner.h"

#define STEP_NS (CAIRN_NS_PER_S / 10)
#define T0_NS (100 * CAIRN_NS_PER_S)

/* A sequencer and a robot as simple as can be: a goto is driven in a straight line at 1 m/s. */
static struct {
	struct cairn_config cfg;
	struct cairn_fleet *fleet;
	int64_t now_ns;
	struct cairn_msg_mission mission;
	struct cairn_msg_pose pose;
	struct cairn_msg_motion motion;
	bool stuck, away; /* cannot reach anything; does not answer */
	char gotos[32][40], zones[32][128];
	int goto_count, stop_count, zone_count, resume_count;
	char located[64];              /* what the mapper was told; it takes that when the robot is lost */
	json_t *state, *visualization; /* the newest */
	char *connection, *record;
	int states;
} r;

static inline void deliver(enum cairn_topic topic, const void *message)
{
	struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = 1, .epoch = 1, .t_ns = r.now_ns, .valid = true};
	(void)cairn_in_deliver(cairn_fleet_in, r.fleet, topic, message, &hdr, r.now_ns);
}

static inline void obey(const struct cairn_fleet_command *c)
{
	struct cairn_msg_mission *m = &r.mission;
	if (r.away)
		return;
	switch (c->command) {
	case CAIRN_COMMAND_GOTO:
		snprintf(r.gotos[r.goto_count++ % 32], 40, "%.2f %.2f", c->request.x_m, c->request.y_m);
		*m = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_GOTO,
		    .goal_known = true,
		    .goal_x_m = c->request.x_m,
		    .goal_y_m = c->request.y_m};
		break;
	case CAIRN_COMMAND_STOP:
		r.stop_count++;
		*m = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_FINISHED};
		break;
	case CAIRN_COMMAND_PAUSE:
		m->state = CAIRN_MISSION_STATE_PAUSED;
		break;
	case CAIRN_COMMAND_RESUME:
		r.resume_count++;
		m->state = CAIRN_MISSION_STATE_GOTO;
		break;
	case CAIRN_COMMAND_ZONE:
		snprintf(r.zones[r.zone_count++ % 32], 128, "%.127s", c->request.arg);
		break;
	case CAIRN_COMMAND_MAPPER_LOCATE:
		snprintf(r.located, sizeof(r.located), "%.63s", c->request.arg);
		if (r.pose.tracking != CAIRN_TRACKING_LOST) {
			cairn_fleet_replied(r.fleet, c->tag, false, "the robot is not lost", r.now_ns);
			return;
		}
		break;
	default:
		ck_abort_msg("%s is no command of a fleet", c->request.verb);
	}
	cairn_fleet_replied(r.fleet, c->tag, true, "done", r.now_ns);
}

static inline void take_all(void)
{
	struct cairn_fleet_message m;
	struct cairn_fleet_command c;
	if (cairn_fleet_record_changed(r.fleet)) {
		free(r.record);
		r.record = cairn_fleet_save(r.fleet);
	}
	while (cairn_fleet_next_message(r.fleet, &m)) {
		if (m.topic == CAIRN_VDA_STATE) {
			json_decref(r.state);
			r.state = json_loads(m.json, 0, NULL);
			r.states++;
		} else if (m.topic == CAIRN_VDA_VISUALIZATION) {
			json_decref(r.visualization);
			r.visualization = json_loads(m.json, 0, NULL);
		} else if (m.topic == CAIRN_VDA_CONNECTION) {
			free(r.connection);
			r.connection = strdup(m.json);
		}
		free(m.json);
	}
	while (cairn_fleet_next_command(r.fleet, &c))
		obey(&c);
}

static inline void move(void)
{
	struct cairn_msg_mission *m = &r.mission;
	double dx = m->goal_x_m - r.pose.x_m, dy = m->goal_y_m - r.pose.y_m, d = hypot(dx, dy),
	       step = fmin(d, 0.1);
	r.motion.v_mps = 0.0;
	if (m->state != CAIRN_MISSION_STATE_GOTO)
		return;
	if (d < 0.02 || r.stuck) {
		*m = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_IDLE};
		snprintf(m->reason, sizeof(m->reason), "%s", r.stuck ? "could not be reached" : "reached");
		return;
	}
	r.pose.x_m += dx / d * step;
	r.pose.y_m += dy / d * step;
	r.pose.distance_m += step;
	r.motion.v_mps = 1.0;
}

static inline void run(double seconds)
{
	for (int i = 0; i < (int)(seconds * 10.0 + 0.5); i++) {
		r.now_ns += STEP_NS;
		move();
		deliver(CAIRN_TOPIC_POSE, &r.pose);
		deliver(CAIRN_TOPIC_MOTION, &r.motion);
		deliver(CAIRN_TOPIC_MISSION, &r.mission);
		cairn_fleet_step(r.fleet, r.now_ns);
		take_all();
	}
}

static inline void start(enum cairn_choice_fleet_version version)
{
	struct cairn_error err = {""};
	memset(&r, 0, sizeof(r));
	cairn_config_defaults(&r.cfg);
	r.cfg.fleet.version = version;
	snprintf(r.cfg.fleet.serial, sizeof(r.cfg.fleet.serial), "r1");
	r.now_ns = T0_NS;
	r.pose.tracking = CAIRN_TRACKING_GOOD;
	r.fleet = cairn_fleet_new(&r.cfg, NULL, &err);
	ck_assert_msg(r.fleet != NULL, "%s", err.text);
	cairn_fleet_clock(r.fleet, 0);
	cairn_fleet_connected(r.fleet, true, r.now_ns);
	run(0.3);
}

static inline void end(void)
{
	cairn_fleet_destroy(&r.fleet);
	json_decref(r.state);
	json_decref(r.visualization);
	free(r.connection);
	free(r.record);
}

/* ---- messages ---- */

static inline json_t *header(void)
{
	const char *version = r.cfg.fleet.version == CAIRN_CHOICE_FLEET_VERSION_V2_1 ? "2.1.0" : "3.0.0";
	return json_pack("{s:i, s:s, s:s, s:s, s:s}", "headerId", 0, "timestamp", "2026-01-01T00:00:00.000Z",
	    "version", version, "manufacturer", "cairn", "serialNumber", "r1");
}

/* Nodes n<i> at (2 i, 0), i from first on, sequence ids 2 i; so many of them released. */
static inline json_t *order(const char *id, int update, int first, int count, int released)
{
	json_t *m = header(), *nodes = json_array(), *edges = json_array();
	char name[16], before[16] = "";
	for (int i = first; i < first + count; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		json_array_append_new(
		    nodes, json_pack("{s:s, s:i, s:b, s:{s:f, s:f, s:s}, s:[]}", "nodeId", name, "sequenceId",
			       2 * i, "released", i < first + released, "nodePosition", "x", 2.0 * i, "y",
			       0.0, "mapId", "map", "actions"));
		if (i > first)
			json_array_append_new(
			    edges, json_pack("{s:s, s:i, s:b, s:s, s:s, s:[]}", "edgeId", name, "sequenceId",
				       2 * i - 1, "released", i < first + released, "startNodeId", before,
				       "endNodeId", name, "actions"));
		memcpy(before, name, sizeof(before));
	}
	json_object_set_new(m, "orderId", json_string(id));
	json_object_set_new(m, "orderUpdateId", json_integer(update));
	json_object_set_new(m, "nodes", nodes);
	json_object_set_new(m, "edges", edges);
	return m;
}

static inline json_t *node_of(json_t *m, size_t i)
{
	return json_array_get(json_object_get(m, "nodes"), i);
}

static inline void add_wait(json_t *m, size_t node, const char *id, const char *blocking, double duration_s)
{
	json_array_append_new(json_object_get(node_of(m, node), "actions"),
	    json_pack("{s:s, s:s, s:s, s:[{s:s, s:f}]}", "actionType", "wait", "actionId", id, "blockingType",
		blocking, "actionParameters", "key", "duration", "value", duration_s));
}

static inline void send(enum cairn_vda_topic topic, json_t *m)
{
	char *text = json_dumps(m, 0);
	cairn_fleet_receive(r.fleet, topic, text, strlen(text), r.now_ns);
	free(text);
	json_decref(m);
	take_all();
}

static inline void send_instant(const char *type, const char *id)
{
	json_t *m = header();
	json_object_set_new(m, "actions",
	    json_pack("[{s:s, s:s, s:s, s:[]}]", "actionType", type, "actionId", id, "blockingType", "NONE",
		"actionParameters"));
	send(CAIRN_VDA_INSTANT_ACTIONS, m);
}

static inline void person(const char *verb)
{
	static uint64_t id;
	struct cairn_msg_commanded m = {.id = ++id, .ok = true};
	snprintf(m.verb, sizeof(m.verb), "%s", verb);
	snprintf(m.who, sizeof(m.who), "uid 1000, pid 7: cairn");
	cairn_fleet_commanded(r.fleet, &m, r.now_ns);
}

/* ---- looking ---- */

static inline const char *text_of(const char *key)
{
	return json_string_value(json_object_get(r.state, key));
}

static inline size_t count_of(const char *key)
{
	return json_array_size(json_object_get(r.state, key));
}

static inline bool has_error(const char *type)
{
	const json_t *list = json_object_get(r.state, "errors");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "errorType")), type) ==
		    0)
			return true;
	return false;
}

static inline const char *action_status(const char *list_name, const char *id)
{
	const json_t *list = json_object_get(r.state, list_name);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *a = json_array_get(list, i);
		if (strcmp(json_string_value(json_object_get(a, "actionId")), id) == 0)
			return json_string_value(json_object_get(a, "actionStatus"));
	}
	return "none";
}

#define V2 CAIRN_CHOICE_FLEET_VERSION_V2_1
#define V3 CAIRN_CHOICE_FLEET_VERSION_V3_0

#endif
