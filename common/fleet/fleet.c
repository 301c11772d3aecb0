#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/fleet/fleet_private.h"

#define POSE_NS (2 * CAIRN_NS_PER_S)
#define TELEOP_NS (CAIRN_NS_PER_S / 2)
#define MESSAGE_BYTES_MAX (256 * 1024)
#define MOVING_MPS 0.01

/* ---- making ---- */

static bool serial_valid(const char *s)
{
	size_t n = strlen(s);
	bool ok = n > 0 && n < CAIRN_FLEET_ID_CAP;
	for (size_t i = 0; ok && i < n; i++)
		ok = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-", s[i]) !=
		     NULL;
	return ok;
}

static bool configure(struct cairn_fleet *f, const struct cairn_config *cfg, struct cairn_error *err)
{
	const struct cairn_config_fleet *c = &cfg->fleet;
	const char *serial = c->serial[0] != '\0' ? c->serial : cfg->robot.name;
	struct cairn_error why = {""};
	if (!serial_valid(serial)) {
		cairn_error_set(err,
		    "fleet.serial: '%.80s' is not made of 1 to 63 letters, digits, '_', '.', ':' and '-'",
		    serial);
		return false;
	}
	if (strpbrk(c->manufacturer, "/+#$") != NULL || c->manufacturer[0] == '\0' ||
	    strpbrk(c->interface, "+#$") != NULL) {
		cairn_error_set(err, "fleet.manufacturer, fleet.interface: no level of a topic of MQTT (no "
				     "'/', '+', '#', '$')");
		return false;
	}
	if (!cairn_rights_parse(c->rights, &f->rights, &why)) {
		cairn_error_set(err, "fleet.rights: %.200s", why.text);
		return false;
	}
	snprintf(f->serial, sizeof(f->serial), "%.63s", serial);
	f->cfg = cfg;
	f->version = c->version;
	f->body =
	    (struct cairn_fleet_body){c->version, c->map_id, cfg->robot.speed_max_mps, cfg->robot.height_m};
	f->frame = (struct cairn_pose2){c->map_x_m, c->map_y_m, cairn_deg_to_rad(c->map_yaw_deg)};
	return true;
}

struct cairn_fleet *cairn_fleet_new(
    const struct cairn_config *cfg, const char *record, struct cairn_error *err)
{
	struct cairn_fleet *f = calloc(1, sizeof(*f));
	if (f == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	if (!configure(f, cfg, err) || (record != NULL && !fleet_load(f, record, err)))
		cairn_fleet_destroy(&f);
	return f;
}

void cairn_fleet_destroy(struct cairn_fleet **fleet_p)
{
	struct cairn_fleet *f = *fleet_p;
	struct cairn_fleet_message m;
	*fleet_p = NULL;
	while (f != NULL && cairn_fleet_next_message(f, &m))
		free(m.json);
	free(f);
}

const char *cairn_fleet_topic(
    const struct cairn_fleet *f, enum cairn_vda_topic topic, char *buf, size_t bytes)
{
	const char *name = f->cfg->fleet.interface;
	snprintf(buf, bytes, "%s/%s/%s/%s/%s",
	    name[0] != '\0' ? name : cairn_vda(f->version, CAIRN_VDA_INTERFACE),
	    cairn_vda(f->version, CAIRN_VDA_MAJOR), f->cfg->fleet.manufacturer, f->serial,
	    cairn_vda_topics[topic]);
	return buf;
}

void cairn_fleet_clock(struct cairn_fleet *f, int64_t unix_minus_monotonic_ns)
{
	f->unix_ns = unix_minus_monotonic_ns;
}

/* ---- what is so ---- */

bool fleet_localized(const struct cairn_fleet *f)
{
	return f->t_pose_ns != 0 && f->t_step_ns - f->t_pose_ns <= POSE_NS &&
	       (f->pose.tracking == CAIRN_TRACKING_GOOD || f->pose.tracking == CAIRN_TRACKING_WEAK);
}

bool fleet_driving(const struct cairn_fleet *f)
{
	return f->t_motion_ns != 0 && f->t_step_ns - f->t_motion_ns <= POSE_NS &&
	       (fabs(f->motion.v_mps) > MOVING_MPS || fabs(f->motion.w_radps) > MOVING_MPS);
}

bool fleet_automatic(const struct cairn_fleet *f)
{
	return !f->manual && !f->busy;
}

bool fleet_steered(const struct cairn_fleet *f, int64_t now_ns)
{
	return f->t_teleop_ns != 0 && now_ns - f->t_teleop_ns <= TELEOP_NS;
}

struct cairn_pose2 fleet_pose(const struct cairn_fleet *f)
{
	struct cairn_pose2 own = {f->pose.x_m, f->pose.y_m, f->pose.yaw_rad};
	struct cairn_pose2 p = cairn_pose_compose(f->frame, own);
	p.yaw_rad = cairn_wrap_rad(p.yaw_rad);
	return p;
}

uint64_t fleet_order_hash(const char *id)
{
	return cairn_hash_bytes(CAIRN_HASH_START, id, strlen(id));
}

void fleet_changed(struct cairn_fleet *f)
{
	f->record_changed = f->state_due = true;
}

/* ---- errors ---- */

void fleet_clear_faults(struct cairn_fleet *f, enum cairn_vda_until until)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->error_count; i++)
		if (cairn_vda_faults[f->errors[i].fault].until != until)
			f->errors[kept++] = f->errors[i];
	f->state_due |= kept != f->error_count;
	f->error_count = kept;
}

void fleet_fault_gone(struct cairn_fleet *f, enum cairn_vda_fault fault)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->error_count; i++)
		if (f->errors[i].fault != fault)
			f->errors[kept++] = f->errors[i];
	f->state_due |= kept != f->error_count;
	f->error_count = kept;
}

/* The newest of its kind about the same thing stands; the oldest of all makes room. */
void fleet_fault(struct cairn_fleet *f, const struct fleet_error *e)
{
	uint32_t at = 0;
	if (cairn_vda_faults[e->fault].type[f->version][0] == '\0')
		return;
	while (at < f->error_count &&
	       (f->errors[at].fault != e->fault || strcmp(f->errors[at].order_id, e->order_id) != 0 ||
		   f->errors[at].update_id != e->update_id ||
		   strcmp(f->errors[at].action_id, e->action_id) != 0))
		at++;
	if (at == FLEET_ERRORS_MAX) {
		memmove(&f->errors[0], &f->errors[1], (FLEET_ERRORS_MAX - 1) * sizeof(f->errors[0]));
		at = FLEET_ERRORS_MAX - 1;
	} else if (at == f->error_count) {
		f->error_count++;
	}
	f->errors[at] = *e;
	f->state_due = true;
}

/* ---- commands ---- */

uint64_t fleet_command(
    struct cairn_fleet *f, enum cairn_command command, const char *arg, struct cairn_vec2 at, int64_t now_ns)
{
	if (f->command_count == FLEET_COMMANDS_MAX)
		return 0;
	struct cairn_fleet_command *c =
	    &f->commands[(f->command_head + f->command_count++) % FLEET_COMMANDS_MAX];
	*c = (struct cairn_fleet_command){.tag = ++f->last_tag, .command = command};
	snprintf(c->request.who, sizeof(c->request.who), "%s", CAIRN_FLEET_WHO);
	snprintf(c->request.verb, sizeof(c->request.verb), "%s", cairn_commands[command].verb);
	snprintf(c->request.arg, sizeof(c->request.arg), "%s", arg);
	c->request.x_m = at.x_m;
	c->request.y_m = at.y_m;
	c->request.expires_ns = now_ns + FLEET_ANSWER_NS;
	return c->tag;
}

bool cairn_fleet_next_command(struct cairn_fleet *f, struct cairn_fleet_command *ret)
{
	while (f->command_count > 0) {
		*ret = f->commands[f->command_head];
		f->command_head = (f->command_head + 1) % FLEET_COMMANDS_MAX;
		f->command_count--;
		if (cairn_rights_allow(f->rights, cairn_commands[ret->command].right))
			return true;
		cairn_fleet_replied(f, ret->tag, false, "fleet.rights does not allow it", f->t_step_ns);
	}
	return false;
}

void cairn_fleet_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text, int64_t now_ns)
{
	if (!fleet_zones_replied(f, tag, ok, text) && !fleet_locate_replied(f, tag, ok, text))
		fleet_drive_replied(f, tag, ok, text, now_ns);
}

/* ---- people ---- */

void cairn_fleet_set_manual(struct cairn_fleet *f, bool manual, int64_t now_ns)
{
	if (manual && !f->manual) {
		cairn_fleet_order_drop(&f->order, "a person has taken the robot");
		fleet_stop_driving(f, now_ns);
	}
	if (!manual)
		fleet_fault_gone(f, CAIRN_FAULT_MODE);
	f->manual = manual;
	f->paused = f->drive.held = false;
	fleet_changed(f);
}

/* A stop of ours must not end what a person has begun instead. */
static void taken_over(struct cairn_fleet *f)
{
	cairn_fleet_order_drop(&f->order, "a person has given another command");
	f->drive = (struct fleet_drive){.way = FLEET_WAY_NONE};
	f->manual = true;
	f->paused = false;
	fleet_changed(f);
}

void cairn_fleet_commanded(struct cairn_fleet *f, const struct cairn_msg_commanded *m, int64_t now_ns)
{
	static const char *const takes[] = {"stop", "goto", "home", "explore", "task", "survey"};
	size_t who = strlen(m->who), ours = strlen(CAIRN_FLEET_WHO);
	uint64_t hash = cairn_hash_bytes(CAIRN_HASH_START, m, sizeof(*m));
	(void)now_ns;
	if (!m->ok || hash == f->commanded)
		return; /* the newest is repeated */
	bool own = strncmp(m->who, "uid ", 4) == 0 && who > ours &&
		   strcmp(m->who + who - ours, CAIRN_FLEET_WHO) == 0;
	if (own)
		return;
	f->commanded = hash;
	f->record_changed = true;
	for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++)
		if (strcmp(m->verb, takes[i]) == 0)
			taken_over(f);
	if (strcmp(m->verb, "pause") == 0 || strcmp(m->verb, "resume") == 0) {
		f->paused = f->drive.held = false; /* whose pause it is now: not master control's */
		fleet_changed(f);
	}
}

/* ---- what comes from the broker ---- */

void cairn_fleet_connected(struct cairn_fleet *f, bool connected, int64_t now_ns)
{
	f->connected = connected;
	if (!connected)
		return;
	fleet_tell_connection(f, "ONLINE", now_ns);
	fleet_tell_factsheet(f, now_ns);
	f->state_due = true;
}

void cairn_fleet_goodbye(struct cairn_fleet *f, int64_t now_ns)
{
	if (f->connected)
		fleet_tell_connection(f, "OFFLINE", now_ns);
}

/* What is not JSON names no order that it could be about. */
static void malformed(struct cairn_fleet *f, enum cairn_vda_topic topic, const char *why)
{
	struct fleet_error e = {
	    .fault = topic == CAIRN_VDA_ORDER ? CAIRN_FAULT_VALIDATION : CAIRN_FAULT_INSTANT};
	snprintf(e.text, sizeof(e.text), "%s: %.120s", cairn_vda_topics[topic], why);
	f->rejects++;
	fleet_fault(f, &e);
}

/* A word of another version, or for another robot, is none for this one. */
static const char *not_for_us(const struct cairn_fleet *f, const json_t *m)
{
	const char *version = json_string_value(json_object_get(m, "version"));
	const char *serial = json_string_value(json_object_get(m, "serialNumber"));
	if (!json_is_object(m))
		return "no JSON object";
	if (version == NULL || version[0] != cairn_vda(f->version, CAIRN_VDA_VERSION)[0] || version[1] != '.')
		return "of another version than fleet.version";
	if (serial == NULL || strcmp(serial, f->serial) != 0)
		return "for another serialNumber";
	return NULL;
}

void cairn_fleet_receive(
    struct cairn_fleet *f, enum cairn_vda_topic topic, const void *json, size_t bytes, int64_t now_ns)
{
	json_error_t at;
	json_t *m = bytes <= MESSAGE_BYTES_MAX ? json_loadb(json, bytes, JSON_REJECT_DUPLICATES, &at) : NULL;
	const char *why = bytes > MESSAGE_BYTES_MAX ? "longer than 256 KiB"
			  : m == NULL               ? at.text
						    : not_for_us(f, m);
	f->t_step_ns = now_ns > f->t_step_ns ? now_ns : f->t_step_ns;
	if (why != NULL)
		malformed(f, topic, why);
	else if (topic == CAIRN_VDA_ORDER)
		fleet_take_order(f, m, now_ns);
	else if (topic == CAIRN_VDA_INSTANT_ACTIONS)
		fleet_take_instants(f, m, now_ns);
	else if (topic == CAIRN_VDA_ZONE_SET && f->version != CAIRN_CHOICE_FLEET_VERSION_V2_1)
		fleet_take_zones(f, m, now_ns);
	json_decref(m);
}

/* ---- time ---- */

/* Missions that nobody of the fleet has begun; the sequencer's word must be fresh for that. */
static void look_for_others(struct cairn_fleet *f, int64_t now_ns)
{
	enum cairn_mission_state s = f->mission.state;
	if (f->t_mission_ns == 0 || now_ns - f->t_mission_ns > POSE_NS)
		return;
	bool active = s == CAIRN_MISSION_STATE_EXPLORING || s == CAIRN_MISSION_STATE_RETURNING ||
		      s == CAIRN_MISSION_STATE_TASK;
	bool going = (s == CAIRN_MISSION_STATE_GOTO || s == CAIRN_MISSION_STATE_PAUSED) &&
		     !fleet_drive_under_way(f) && !f->drive.stopping;
	bool busy = active || going;
	if (busy && !f->busy && cairn_fleet_order_active(&f->order)) {
		cairn_fleet_order_drop(&f->order, "another mission is under way");
		f->drive = (struct fleet_drive){.way = FLEET_WAY_NONE};
		fleet_changed(f);
	}
	if (!busy && f->busy)
		fleet_fault_gone(f, CAIRN_FAULT_MODE);
	f->state_due |= busy != f->busy;
	f->busy = busy;
}

/* Changes that master control hears of at once. */
static void watch(struct cairn_fleet *f, int64_t now_ns)
{
	bool localized = fleet_localized(f);
	uint32_t digest = (uint32_t)fleet_driving(f) | (uint32_t)fleet_steered(f, now_ns) << 1 |
			  (uint32_t)localized << 2 |
			  (uint32_t)(f->mission.state == CAIRN_MISSION_STATE_PAUSED) << 3 |
			  (uint32_t)(f->motion.state == CAIRN_MOTOR_STATE_ESTOP) << 4 |
			  (uint32_t)(f->motion.state == CAIRN_MOTOR_STATE_BLOCKED) << 5;
	if (localized)
		fleet_fault_gone(f, CAIRN_FAULT_LOCALIZATION);
	else if (f->t_pose_ns != 0)
		fleet_fault(f, &(struct fleet_error){.fault = CAIRN_FAULT_LOCALIZATION,
				   .text = "the mapper does not know where the robot is"});
	f->state_due |= digest != f->told;
	f->told = digest;
}

void cairn_fleet_step(struct cairn_fleet *f, int64_t now_ns)
{
	const struct cairn_config_fleet *c = &f->cfg->fleet;
	f->t_step_ns = now_ns;
	fleet_adopt(f, now_ns);
	look_for_others(f, now_ns);
	fleet_step_drive(f, now_ns);
	fleet_step_locate(f, now_ns);
	fleet_step_actions(f, now_ns);
	fleet_step_zones(f, now_ns);
	watch(f, now_ns);
	if (!f->connected)
		return;
	if (f->state_due || now_ns - f->t_state_ns >= (int64_t)(c->state_s * 1e9))
		fleet_tell_state(f, now_ns);
	if (c->visualization_s > 0.0 && fleet_driving(f) &&
	    now_ns - f->t_visualization_ns >= (int64_t)(c->visualization_s * 1e9))
		fleet_tell_visualization(f, now_ns);
}

/* ---- what goes out ---- */

bool cairn_fleet_next_message(struct cairn_fleet *f, struct cairn_fleet_message *ret)
{
	if (f->message_count == 0)
		return false;
	*ret = f->messages[f->message_head];
	f->message_head = (f->message_head + 1) % FLEET_MESSAGES_MAX;
	f->message_count--;
	return true;
}

bool cairn_fleet_next_report(struct cairn_fleet *f, char *buf, size_t bytes)
{
	if (f->report[0] == '\0')
		return false;
	snprintf(buf, bytes, "%s", f->report);
	f->report[0] = '\0';
	return true;
}

bool cairn_fleet_record_changed(struct cairn_fleet *f)
{
	bool changed = f->record_changed;
	f->record_changed = false;
	return changed;
}

const struct cairn_fleet_order *cairn_fleet_order_of(const struct cairn_fleet *f)
{
	return &f->order;
}

uint64_t cairn_fleet_rejects(const struct cairn_fleet *f)
{
	return f->rejects;
}

const char *cairn_fleet_note(const struct cairn_fleet *f, char *buf, size_t bytes)
{
	const struct cairn_fleet_node *next = cairn_fleet_order_next(&f->order);
	if (!f->connected)
		snprintf(buf, bytes, "no broker; %u nodes ahead", f->order.node_count);
	else if (f->manual)
		snprintf(buf, bytes, "a person has the robot; 'cairn automatic' gives it back");
	else if (next != NULL)
		snprintf(buf, bytes, "order %.30s: %s node %.30s, %u ahead", f->order.id,
		    f->paused ? "paused before" : "drives to", next->id, f->order.node_count);
	else
		snprintf(buf, bytes, "%s",
		    cairn_fleet_order_active(&f->order) ? "waits at a node" : "waits for an order");
	return buf;
}
