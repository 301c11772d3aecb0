/* fleet - the robot at its fleet's broker: orders of master control by VDA 5050, driven by the commands of an operator
 * (common/fleet/fleet.h). The order is kept in RUN/state/fleet.json before anything of it is acknowledged or driven. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/secret.h"
#include "procs/fleet/robot_link.h"
#include "procs/shell/stage.h"

#define LOOK_MS 20
#define STEP_MS 100
#define RECORD_BYTES_MAX (1024 * 1024)
#define GOODBYE_MS 500

struct app {
	struct cairn_stage *stage;
	struct cairn_fleet *fleet;
	struct robot_link link;
	struct cairn_client *operator_client, *mapper_client;
	struct cairn_sub *commanded;
	char path[320];
};

static int64_t unix_minus_monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec - cairn_now_ns();
}

/* Keep, send, then give what is to be done. */
static void flush(struct app *app)
{
	struct cairn_fleet_command c;
	char report[256];
	robot_link_flush(&app->link);
	while (cairn_fleet_next_command(app->fleet, &c)) {
		enum cairn_service service = cairn_commands[c.command].service;
		bool mapper = service == CAIRN_SERVICE_MAPPER_CTL;
		int code =
		    cairn_client_send(mapper ? app->mapper_client : app->operator_client, c.tag, &c.request);
		if (code != 0) {
			char why[64];
			snprintf(
			    why, sizeof(why), "the stage %s is not there", cairn_services[service].stage);
			cairn_fleet_replied(app->fleet, c.tag, false, why, cairn_now_ns());
		}
		cairn_log_info("%s %s(%.2f, %.2f)%s%s", c.request.verb, c.request.arg, c.request.x_m,
		    c.request.y_m, code != 0 ? ": " : "", code != 0 ? strerror(-code) : "");
	}
	if (cairn_fleet_next_report(app->fleet, report, sizeof(report)))
		cairn_log_info("%s", report);
	robot_link_flush(&app->link);
}

static int on_look(void *ctx)
{
	struct app *app = ctx;
	robot_link_turn(&app->link, cairn_now_ns());
	flush(app);
	return 0;
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	char note[96];
	const char *trouble = mqtt_trouble(app->link.mqtt);
	cairn_fleet_clock(app->fleet, unix_minus_monotonic_ns());
	cairn_fleet_step(app->fleet, cairn_now_ns());
	flush(app);
	cairn_stage_note(app->stage, cairn_fleet_note(app->fleet, note, sizeof(note)));
	cairn_stage_core_rejects(app->stage, cairn_fleet_rejects(app->fleet));
	cairn_stage_tried(app->stage, "reach the broker", trouble[0] != '\0' ? trouble : NULL);
	cairn_stage_tried(
	    app->stage, "keep the order", app->link.trouble[0] != '\0' ? app->link.trouble : NULL);
	return 0;
}

static void take_replies(struct app *app, struct cairn_client *client)
{
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (cairn_client_recv(client, &tag, &reply) == 1)
		cairn_fleet_replied(app->fleet, tag, reply.ok, reply.text, cairn_now_ns());
}

static int on_reply(void *ctx)
{
	struct app *app = ctx;
	take_replies(app, app->operator_client);
	take_replies(app, app->mapper_client);
	flush(app);
	return 0;
}

static int on_commanded(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_commanded m;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->commanded, &m, &hdr) == 1)
		cairn_fleet_commanded(app->fleet, &m, cairn_now_ns());
	flush(app);
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	bool manual = strcmp(cmd->verb, cairn_commands[CAIRN_COMMAND_FLEET_MANUAL].verb) == 0;
	cairn_fleet_set_manual(app->fleet, manual, cairn_now_ns());
	flush(app);
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "%s",
	    manual ? "the fleet's order is dropped; it waits for 'cairn automatic'"
		   : "the fleet may give orders");
}

/* An order of before is gone on with. */
static bool open_core(struct app *app, struct cairn_error *err)
{
	char folder[300];
	snprintf(folder, sizeof(folder), "%s/state", cairn_stage_run_dir(app->stage));
	if (mkdir(folder, 0755) != 0 && errno != EEXIST)
		cairn_log_warn("cannot make %s: %s", folder, strerror(errno));
	snprintf(app->path, sizeof(app->path), "%s/fleet.json", folder);
	struct cairn_error why = {""};
	char *record =
	    cairn_file_read(app->path, CAIRN_FILE_OWN | CAIRN_FILE_TEXT, RECORD_BYTES_MAX, NULL, &why);
	if (record == NULL && errno != ENOENT) {
		cairn_error_set(err, "%.300s", why.text);
		return false;
	}
	app->fleet = cairn_fleet_new(cairn_stage_config(app->stage), record, &why);
	free(record);
	if (app->fleet == NULL)
		cairn_error_set(err, "%s: %.300s", app->path, why.text);
	return app->fleet != NULL;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	const struct cairn_config *cfg = cairn_stage_config(stage);
	app->stage = stage;
	char client_id[128];
	if (!open_core(app, err))
		return false;
	char *password = cairn_secret_take("CAIRN_FLEET_PASSWORD");
	cairn_fleet_clock(app->fleet, unix_minus_monotonic_ns());
	app->link = (struct robot_link){.fleet = app->fleet, .record_path = app->path};
	snprintf(client_id, sizeof(client_id), "cairn-%.40s-%.63s", cfg->fleet.manufacturer,
	    cfg->fleet.serial[0] != '\0' ? cfg->fleet.serial : cfg->robot.name);
	app->operator_client = cairn_client_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_OPERATOR, err);
	app->mapper_client = cairn_client_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_MAPPER_CTL, err);
	bool open = app->operator_client != NULL && app->mapper_client != NULL &&
		    robot_link_open(&app->link, cfg, client_id, password, cairn_now_ns(), err);
	cairn_secret_free(&password); /* the link has its own copy */
	if (!open)
		return false;
	app->commanded = cairn_sub_new(cairn_stage_bus(app->stage), CAIRN_TOPIC_COMMANDED, "sequencer", err);
	if (app->commanded == NULL)
		return false;
	cairn_stage_watch_socket(app->stage, cairn_client_socket(app->operator_client), on_reply, app);
	cairn_stage_watch_socket(app->stage, cairn_client_socket(app->mapper_client), on_reply, app);
	cairn_stage_watch_socket(app->stage, cairn_sub_socket(app->commanded), on_commanded, app);
	cairn_stage_inputs(app->stage, cairn_fleet_in, app->fleet, NULL, NULL);
	cairn_stage_serve(app->stage, CAIRN_SERVICE_FLEET, on_command, app);
	cairn_stage_every(app->stage, LOOK_MS, on_look, app);
	cairn_stage_every(app->stage, STEP_MS, on_step, app);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	robot_link_close(&app->link, GOODBYE_MS, cairn_now_ns());
	cairn_fleet_destroy(&app->fleet);
}

CAIRN_STAGE_MAIN("cairn-fleet", "orders of a fleet's master control; an operator like others", struct app,
    .open = open_all, .close = close_all)
