/* factsheet.c - what the robot is and can do, for master control. */
#include <string.h>

#include "common/fleet/fleet_private.h"

#define STEP_S 0.1 /* states follow each other no faster than the core is stepped */

/* 2.1 has no word for a car: one steered wheel in front comes nearest. */
static const struct kinematics {
	const char *what, *name[2]; /* by fleet.version */
} kinematics[] = {
    [CAIRN_CHOICE_KINEMATICS_ACKERMANN] = {"indoor robot with car-like steering, driven by cairn",
	{"THREEWHEEL", "ACKERMANN"}},
    [CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL] = {"indoor robot on two driven wheels, driven by cairn",
	{"DIFF", "DIFFERENTIAL"}},
};

static json_t *type_specification(const struct cairn_fleet *f)
{
	bool v2 = f->version == CAIRN_CHOICE_FLEET_VERSION_V2_1;
	const struct kinematics *k = &kinematics[f->cfg->robot.kinematics];
	json_t *t = json_pack("{s:s, s:s, s:s, s:s, s:i, s:[s], s:[s]}", "seriesName", f->cfg->robot.name,
	    "seriesDescription", k->what, cairn_vda(f->version, CAIRN_VDA_KINEMATICS), k->name[f->version],
	    cairn_vda(f->version, CAIRN_VDA_CLASS), "CARRIER", cairn_vda(f->version, CAIRN_VDA_LOAD_MASS), 0,
	    "localizationTypes", "NATURAL", "navigationTypes", v2 ? "AUTONOMOUS" : "FREELY_NAVIGATING");
	if (!v2) {
		/* The schema of 3.0.0 describes the one name and requires the other. */
		json_object_set_new(t, "mobileRobotKinematic", json_string(k->name[f->version]));
		json_object_set_new(t, "supportedZones", json_pack("[s, s]", "BLOCKED", "SPEED_LIMIT"));
	}
	return t;
}

static json_t *physical_parameters(const struct cairn_fleet *f)
{
	const struct cairn_config_robot *r = &f->cfg->robot;
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}",
	    cairn_vda(f->version, CAIRN_VDA_SPEED_MIN), 0.0, cairn_vda(f->version, CAIRN_VDA_SPEED_MAX),
	    r->speed_max_mps, cairn_vda(f->version, CAIRN_VDA_ACCELERATION), r->accel_max_mps2,
	    cairn_vda(f->version, CAIRN_VDA_DECELERATION), r->decel_max_mps2,
	    cairn_vda(f->version, CAIRN_VDA_HEIGHT_MIN), r->height_m,
	    cairn_vda(f->version, CAIRN_VDA_HEIGHT_MAX), r->height_m, "width",
	    2.0 * r->footprint_half_width_m, "length", r->footprint_front_m + r->footprint_rear_m);
}

static json_t *protocol_limits(const struct cairn_fleet *f)
{
	const char *ids = cairn_vda(f->version, CAIRN_VDA_ID_LENGTH),
		   *bytes = cairn_vda(f->version, CAIRN_VDA_MESSAGE_LENGTH);
	return json_pack("{s:{s:i, s:i}, s:{s:i, s:i, s:i, s:i, s:i}, s:{s:f, s:f, s:f, s:f}}",
	    cairn_vda(f->version, CAIRN_VDA_STRING_LENGTHS), bytes, 256 * 1024, ids, CAIRN_FLEET_ID_CAP - 1,
	    cairn_vda(f->version, CAIRN_VDA_ARRAY_LENGTHS), "order.nodes", CAIRN_FLEET_NODES_MAX,
	    "order.edges", CAIRN_FLEET_NODES_MAX - 1, "node.actions", CAIRN_FLEET_ACTIONS_MAX, "edge.actions",
	    0, "instantActions", FLEET_INSTANTS_MAX, "timing",
	    cairn_vda(f->version, CAIRN_VDA_ORDER_INTERVAL), STEP_S,
	    cairn_vda(f->version, CAIRN_VDA_STATE_INTERVAL), STEP_S, "defaultStateInterval",
	    f->cfg->fleet.state_s, "visualizationInterval", f->cfg->fleet.visualization_s);
}

static const struct action_parameter {
	enum cairn_vda_action kind;
	const char *key, *type, *what;
	bool optional;
} action_parameters[] = {
    {CAIRN_VDA_ACTION_WAIT, "duration", "NUMBER", "time to stand (s)", false},
    {CAIRN_VDA_ACTION_LOCATE, "x", "NUMBER", "on the fleet's map (m)", false},
    {CAIRN_VDA_ACTION_LOCATE, "y", "NUMBER", "on the fleet's map (m)", false},
    {CAIRN_VDA_ACTION_LOCATE, "theta", "NUMBER", "heading on the fleet's map (rad)", false},
    {CAIRN_VDA_ACTION_LOCATE, "mapId", "STRING", "the map that this is on", false},
    {CAIRN_VDA_ACTION_LOCATE, "lastNodeId", "STRING", "node that the robot stands at", true},
};

static json_t *action(const struct cairn_fleet *f, enum cairn_vda_action kind)
{
	const struct cairn_vda_action_row *row = &cairn_vda_actions[kind];
	bool v2 = f->version == CAIRN_CHOICE_FLEET_VERSION_V2_1;
	json_t *a = json_pack("{s:s, s:s, s:[s]}", "actionType", row->name[f->version], "actionDescription",
	    row->what, "actionScopes", row->instant ? "INSTANT" : "NODE");
	json_t *parameters = json_array();
	for (size_t i = 0; i < sizeof(action_parameters) / sizeof(action_parameters[0]); i++) {
		const struct action_parameter *p = &action_parameters[i];
		json_t *j = json_pack(
		    "{s:s, s:s, s:s}", "key", p->key, "valueDataType", p->type, "description", p->what);
		if (p->optional)
			json_object_set_new(j, "isOptional", json_true());
		if (p->kind == kind)
			json_array_append(parameters, j);
		json_decref(j);
	}
	if (json_array_size(parameters) > 0)
		json_object_set(a, "actionParameters", parameters);
	json_decref(parameters);
	if (!v2) {
		json_object_set_new(a, "pauseAllowed", json_string(row->instant ? "false" : "true"));
		json_object_set_new(a, "cancelAllowed", json_string(row->instant ? "false" : "true"));
	}
	return a;
}

static json_t *protocol_features(const struct cairn_fleet *f)
{
	json_t *list = json_array();
	for (int i = 0; i < CAIRN_VDA_ACTION_COUNT; i++)
		if (cairn_vda_actions[i].name[f->version][0] != '\0')
			json_array_append_new(list, action(f, (enum cairn_vda_action)i));
	return json_pack("{s:[{s:s, s:s, s:s}], s:o}", "optionalParameters", "parameter",
	    "order.nodes.nodePosition.allowedDeviationXY", "support", "SUPPORTED", "description",
	    "a node counts as passed within it", cairn_vda(f->version, CAIRN_VDA_ACTIONS), list);
}

void fleet_tell_factsheet(struct cairn_fleet *f, int64_t now_ns)
{
	json_t *m = fleet_header(f, CAIRN_VDA_FACTSHEET, now_ns);
	json_object_set_new(m, "typeSpecification", type_specification(f));
	json_object_set_new(m, "physicalParameters", physical_parameters(f));
	json_object_set_new(m, "protocolLimits", protocol_limits(f));
	json_object_set_new(m, "protocolFeatures", protocol_features(f));
	json_object_set_new(m, cairn_vda(f->version, CAIRN_VDA_GEOMETRY), json_object());
	json_object_set_new(m, "loadSpecification", json_object());
	fleet_tell(f, CAIRN_VDA_FACTSHEET, m, now_ns);
}
