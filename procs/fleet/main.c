/* fleet - the robot at its fleet's broker: orders of master control by VDA 5050, driven by the commands of an operator
 * (common/fleet/fleet.h). The order is kept in RUN/state/fleet.json before anything of it is acknowledged or driven. */
#include <string.h>

#include "common/base/geom.h"
#include "common/base/secret.h"
#include "procs/fleet/orders.h"

#define LOOK_MS 20
#define STEP_MS 100
#define GOODBYE_MS 500

static int on_look(void *ctx)
{
	struct fleet_stage *s = ctx;
	robot_link_turn(&s->link, cairn_now_ns());
	return orders_flush(s);
}

static int on_step(void *ctx)
{
	struct fleet_stage *s = ctx;
	char note[96];
	cairn_fleet_clock(s->fleet, cairn_unix_ns() - cairn_now_ns());
	cairn_fleet_step(s->fleet, cairn_now_ns());
	(void)orders_flush(s);
	cairn_stage_note(s->stage, cairn_fleet_note(s->fleet, note, sizeof(note)));
	cairn_stage_core_rejects(s->stage, cairn_fleet_rejects(s->fleet));
	cairn_stage_tried(s->stage, "reach the broker", mqtt_trouble(s->link.mqtt));
	cairn_stage_tried(s->stage, "keep the order", s->link.trouble);
	return 0;
}

static bool take_commanded(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr;
	cairn_fleet_commanded(core, message, now_ns);
	return true;
}

static const struct cairn_in commanded_in[] = {
    {CAIRN_TOPIC_COMMANDED, CAIRN_ACCEPT_ALL, take_commanded},
    {.take = NULL},
};

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct fleet_stage *s = ctx;
	bool manual = strcmp(cmd->verb, cairn_commands[CAIRN_COMMAND_FLEET_MANUAL].verb) == 0;
	cairn_fleet_set_manual(s->fleet, manual, cairn_now_ns());
	(void)orders_flush(s);
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "%s",
	    manual ? "the fleet's order is dropped; it waits for 'cairn automatic'"
		   : "the fleet may give orders");
}

static bool open_link(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct fleet_stage *s = ctx;
	const struct cairn_config_fleet *cfg = &s->cfg->fleet;
	char client_id[128];
	(void)stage;
	if (!orders_resume(s, err))
		return false;
	char *password = cairn_secret_take("CAIRN_FLEET_PASSWORD");
	cairn_fleet_clock(s->fleet, cairn_unix_ns() - cairn_now_ns());
	s->link = (struct robot_link){.fleet = s->fleet, .record_path = s->path};
	snprintf(client_id, sizeof(client_id), "cairn-%.40s-%.63s", cfg->manufacturer,
	    cfg->serial[0] != '\0' ? cfg->serial : s->cfg->robot.name);
	bool open = robot_link_open(&s->link, s->cfg, client_id, password, cairn_now_ns(), err);
	cairn_secret_free(&password); /* the link has its own copy */
	return open;
}

static void close_all(void *ctx)
{
	struct fleet_stage *s = ctx;
	robot_link_close(&s->link, GOODBYE_MS, cairn_now_ns());
	cairn_fleet_destroy(&s->fleet);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_ASK(CAIRN_SERVICE_OPERATOR, struct fleet_stage, operator_client, orders_on_reply)},
    {CAIRN_PORT_ASK(CAIRN_SERVICE_MAPPER_CTL, struct fleet_stage, mapper_client, orders_on_reply)},
    {CAIRN_PORT_IN(commanded_in, struct fleet_stage, fleet), .instance = "sequencer", .fn = orders_flush},
    {CAIRN_PORT_IN(cairn_fleet_in, struct fleet_stage, fleet)},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_FLEET, on_command)},
    {CAIRN_PORT_EVERY(LOOK_MS, on_look)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-fleet", "orders of a fleet's master control; an operator like others",
    struct fleet_stage, .open = open_link, .ports = ports, .close = close_all)
