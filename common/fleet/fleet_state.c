/* fleet_state.c - messages to master control: connection, state, visualization. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/fleet/fleet_private.h"

#define THETA_MAX_RAD                                                                                        \
	3.1415 /* of four decimals the last one that is not beyond the standard's +-3.14159265359 */

static double rounded(double x)
{
	return round(x * 1e4) / 1e4;
}

json_t *fleet_header(struct cairn_fleet *f, enum cairn_vda_topic topic, int64_t now_ns)
{
	int64_t unix_ms = (now_ns + f->unix_ns) / 1000000;
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm;
	char day[32], stamp[48];
	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(stamp, sizeof(stamp), "%s.%03dZ", day, (int)(unix_ms % 1000));
	return json_pack("{s:I, s:s, s:s, s:s, s:s}", "headerId", (json_int_t)f->header_ids[topic]++,
	    "timestamp", stamp, "version", cairn_vda(f->version, CAIRN_VDA_VERSION), "manufacturer",
	    f->cfg->fleet.manufacturer, "serialNumber", f->serial);
}

void fleet_tell(struct cairn_fleet *f, enum cairn_vda_topic topic, json_t *message, int64_t now_ns)
{
	char *text = message != NULL ? json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
	(void)now_ns;
	json_decref(message);
	if (text == NULL ||
	    f->message_count == FLEET_MESSAGES_MAX) { /* the shell takes them after each call */
		free(text);
		return;
	}
	struct cairn_fleet_message *m =
	    &f->messages[(f->message_head + f->message_count++) % FLEET_MESSAGES_MAX];
	*m = (struct cairn_fleet_message){.topic = topic,
	    .json = text,
	    .retained = topic == CAIRN_VDA_CONNECTION || topic == CAIRN_VDA_FACTSHEET,
	    .qos = topic == CAIRN_VDA_CONNECTION};
}

void fleet_tell_connection(struct cairn_fleet *f, const char *state, int64_t now_ns)
{
	json_t *m = fleet_header(f, CAIRN_VDA_CONNECTION, now_ns);
	json_object_set_new(m, "connectionState", json_string(state));
	fleet_tell(f, CAIRN_VDA_CONNECTION, m, now_ns);
}

char *cairn_fleet_last_will(struct cairn_fleet *f, int64_t now_ns)
{
	json_t *m = fleet_header(f, CAIRN_VDA_CONNECTION, now_ns);
	json_object_set_new(m, "connectionState", json_string(cairn_vda(f->version, CAIRN_VDA_BROKEN)));
	char *text = json_dumps(m, JSON_COMPACT);
	json_decref(m);
	return text;
}

/* ---- parts of the state ---- */

static void add_pose(const struct cairn_fleet *f, json_t *m)
{
	struct cairn_pose2 at = fleet_pose(f);
	if (f->t_pose_ns != 0)
		json_object_set_new(m, cairn_vda(f->version, CAIRN_VDA_POSITION),
		    json_pack("{s:f, s:f, s:f, s:s, s:b, s:f}", "x", rounded(at.x_m), "y", rounded(at.y_m),
			"theta", cairn_clamp(rounded(at.yaw_rad), -THETA_MAX_RAD, THETA_MAX_RAD), "mapId",
			f->body.map_id, cairn_vda(f->version, CAIRN_VDA_LOCALIZED), fleet_localized(f),
			"localizationScore", cairn_clamp(rounded(f->pose.quality), 0.0, 1.0)));
	if (f->t_motion_ns != 0)
		json_object_set_new(m, "velocity",
		    json_pack("{s:f, s:f, s:f}", "vx", rounded(f->motion.v_mps), "vy", 0.0, "omega",
			rounded(f->motion.w_radps)));
}

static json_t *node_states(const struct cairn_fleet *f)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < f->order.node_count; i++) {
		const struct cairn_fleet_node *n = &f->order.nodes[i];
		json_t *j = json_pack("{s:s, s:I, s:b}", "nodeId", n->id, "sequenceId",
		    (json_int_t)n->sequence_id, "released", n->released);
		if (n->positioned)
			json_object_set_new(j, "nodePosition",
			    json_pack("{s:f, s:f, s:s}", "x", rounded(n->x_m), "y", rounded(n->y_m), "mapId",
				f->body.map_id));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *edge_states(const struct cairn_fleet *f)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < f->order.edge_count; i++)
		json_array_append_new(list,
		    json_pack("{s:s, s:I, s:b}", "edgeId", f->order.edges[i].id, "sequenceId",
			(json_int_t)f->order.edges[i].sequence_id, "released", f->order.edges[i].released));
	return list;
}

static void add_action_states(
    const struct cairn_fleet *f, const struct cairn_fleet_action *actions, uint32_t count, json_t *list)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct cairn_fleet_action *a = &actions[i];
		json_t *j = json_pack("{s:s, s:s, s:s}", "actionId", a->id, "actionType", a->type,
		    "actionStatus", cairn_fleet_status_names[a->status]);
		if (a->result[0] != '\0')
			json_object_set_new(
			    j, cairn_vda(f->version, CAIRN_VDA_RESULT), json_string(a->result));
		json_array_append_new(list, j);
	}
}

static void add_actions(const struct cairn_fleet *f, json_t *m)
{
	json_t *list = json_array(), *instant = list;
	json_object_set_new(m, "actionStates", list);
	add_action_states(f, f->order.actions, f->order.action_count, list);
	if (f->version != CAIRN_CHOICE_FLEET_VERSION_V2_1) {
		instant = json_array();
		json_object_set_new(m, "instantActionStates", instant);
	}
	add_action_states(f, f->instants, f->instant_count, instant);
}

static void add_reference(json_t *list, const char *key, const char *value)
{
	if (value[0] != '\0')
		json_array_append_new(
		    list, json_pack("{s:s, s:s}", "referenceKey", key, "referenceValue", value));
}

static json_t *errors(const struct cairn_fleet *f)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < f->error_count; i++) {
		const struct fleet_error *e = &f->errors[i];
		const struct cairn_vda_fault_row *row = &cairn_vda_faults[e->fault];
		char update[16] = "";
		json_t *references = json_array();
		if (e->order_id[0] != '\0')
			snprintf(update, sizeof(update), "%" PRIu32, e->update_id);
		add_reference(references, "orderId", e->order_id);
		add_reference(references, "orderUpdateId", update);
		add_reference(references, "actionId", e->action_id);
		add_reference(references, "actionType", e->action_type);
		json_array_append_new(
		    list, json_pack("{s:s, s:o, s:s, s:s}", "errorType", row->type[f->version],
			      "errorReferences", references, "errorDescription", e->text, "errorLevel",
			      cairn_vda_level_text(f->version, row->level)));
	}
	return list;
}

/* An emergency stop is latched and a person's to release. */
static json_t *safety(const struct cairn_fleet *f)
{
	enum cairn_motor_state s = f->motion.state;
	bool latched = s == CAIRN_MOTOR_STATE_ESTOP || s == CAIRN_MOTOR_STATE_CONTRADICTION;
	return json_pack("{s:s, s:b}", cairn_vda(f->version, CAIRN_VDA_ESTOP), latched ? "MANUAL" : "NONE",
	    "fieldViolation", s == CAIRN_MOTOR_STATE_BLOCKED);
}

static const char *operating_mode(const struct cairn_fleet *f, int64_t now_ns)
{
	if (!fleet_automatic(f))
		return "MANUAL";
	return fleet_steered(f, now_ns) ? cairn_vda(f->version, CAIRN_VDA_STEERED) : "AUTOMATIC";
}

static void add_power(const struct cairn_fleet *f, json_t *m)
{
	bool known = f->t_battery_ns != 0 && f->battery.percent >= 0.0;
	json_t *power = json_pack("{s:f, s:b}", cairn_vda(f->version, CAIRN_VDA_CHARGE),
	    known ? cairn_clamp(rounded(f->battery.percent), 0.0, 100.0) : 0.0, "charging", false);
	if (f->t_battery_ns != 0)
		json_object_set_new(power, "batteryVoltage", json_real(rounded(f->battery.voltage_v)));
	json_object_set_new(m, cairn_vda(f->version, CAIRN_VDA_POWER), power);
}

/* The base is about to end and a horizon is known behind it. */
static bool wants_base(const struct cairn_fleet *f)
{
	const struct cairn_fleet_order *o = &f->order;
	return o->node_count > 0 && !o->nodes[o->node_count - 1].released &&
	       (o->node_count == 1 || !o->nodes[1].released);
}

static void add_zone_sets(const struct cairn_fleet *f, json_t *m)
{
	if (f->zones.set_id[0] == '\0')
		return;
	json_object_set_new(m, "zoneSets",
	    json_pack("[{s:s, s:s, s:s}]", "zoneSetId", f->zones.set_id, "mapId", f->body.map_id,
		"zoneSetStatus", "ENABLED"));
}

/* The battery's charge is required by the standard; where the robot does not know it, that is said beside it. */
static json_t *information(const struct cairn_fleet *f)
{
	if (f->t_battery_ns != 0 && f->battery.percent >= 0.0)
		return json_array();
	return json_pack("[{s:s, s:s, s:s}]", "infoType", "chargeNotKnown",
	    f->version == CAIRN_CHOICE_FLEET_VERSION_V2_1 ? "infoDescription" : "infoDescriptor",
	    "the robot does not know the charge of its battery", "infoLevel", "INFO");
}

void fleet_tell_state(struct cairn_fleet *f, int64_t now_ns)
{
	const struct cairn_fleet_order *o = &f->order;
	json_t *m = fleet_header(f, CAIRN_VDA_STATE, now_ns);
	json_object_set_new(m, "orderId", json_string(o->id));
	json_object_set_new(m, "orderUpdateId", json_integer(o->update_id));
	json_object_set_new(m, "lastNodeId", json_string(o->last_node));
	json_object_set_new(m, "lastNodeSequenceId", json_integer(o->last_sequence_id));
	json_object_set_new(m, "nodeStates", node_states(f));
	json_object_set_new(m, "edgeStates", edge_states(f));
	add_pose(f, m);
	json_object_set_new(m, "driving", json_boolean(fleet_driving(f)));
	json_object_set_new(
	    m, "paused", json_boolean(f->paused || f->mission.state == CAIRN_MISSION_STATE_PAUSED));
	json_object_set_new(m, "newBaseRequest", json_boolean(wants_base(f)));
	if (f->t_pose_ns != 0 && o->last_node[0] != '\0')
		json_object_set_new(m, "distanceSinceLastNode",
		    json_real(rounded(fmax(f->pose.distance_m - f->last_node_distance_m, 0.0))));
	add_actions(f, m);
	add_power(f, m);
	json_object_set_new(m, "operatingMode", json_string(operating_mode(f, now_ns)));
	json_object_set_new(m, "errors", errors(f));
	json_object_set_new(m, "information", information(f));
	json_object_set_new(m, "safetyState", safety(f));
	if (f->version != CAIRN_CHOICE_FLEET_VERSION_V2_1)
		add_zone_sets(f, m);
	fleet_tell(f, CAIRN_VDA_STATE, m, now_ns);
	f->t_state_ns = now_ns;
	f->state_due = false;
}

void fleet_tell_visualization(struct cairn_fleet *f, int64_t now_ns)
{
	json_t *m = fleet_header(f, CAIRN_VDA_VISUALIZATION, now_ns);
	if (f->version !=
	    CAIRN_CHOICE_FLEET_VERSION_V2_1) /* of the newest state; the first has been sent when this is */
		json_object_set_new(
		    m, "referenceStateHeaderId", json_integer(f->header_ids[CAIRN_VDA_STATE] - 1));
	add_pose(f, m);
	fleet_tell(f, CAIRN_VDA_VISUALIZATION, m, now_ns);
	f->t_visualization_ns = now_ns;
}
