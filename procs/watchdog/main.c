/* watchdog - notices what hangs; the thin shell around common/safety/watchdog.h.
 *
 * Reads every stage's heartbeat and what the table in watchdog_ports.c lists. While the
 * motor stage is silent it is the second opener of the base's device and writes stop frames there itself. It
 * holds no shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/device/base_link.h"
#include "common/safety/watchdog_ports.h"
#include "procs/shell/stage.h"

static const char *const stage_names[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
};
#define STAGE_COUNT ((int)(sizeof(stage_names) / sizeof(stage_names[0])))
_Static_assert(
    sizeof(stage_names) / sizeof(stage_names[0]) <= CAIRN_WATCHDOG_STAGES_MAX, "room for every stage");

struct app {
	struct cairn_stage *stage;
	struct cairn_watchdog *core;
	struct cairn_outbox *outbox;
	struct cairn_sub *beats[STAGE_COUNT]; /* NULL: not listened to */
	struct cairn_watchdog_output out;
	char device[600];
	int device_fd;
	bool device_failed;
	uint64_t steps;
};

/* ---- the base, when its owner is silent ---- */

static void close_device(struct app *app)
{
	if (app->device_fd >= 0)
		close(app->device_fd);
	app->device_fd = -1;
	app->device_failed = false;
}

static void write_stop(struct app *app)
{
	uint8_t frame[CAIRN_BASE_FRAME_MAX];
	size_t n = cairn_base_stop_frame(cairn_stage_config(app->stage)->robot.base_model, frame);
	if (app->device_fd < 0)
		app->device_fd = open(app->device, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool ok = app->device_fd >= 0 && write(app->device_fd, frame, n) == (ssize_t)n;
	if (!ok && !app->device_failed)
		cairn_log_error("cannot stop the base through %s: %s", app->device, strerror(errno));
	if (!ok) { /* gone or stuck: opened anew with the next step */
		close_device(app);
		app->device_failed = true;
	}
}

/* Once a second each: looked at with every fourth step instead of waking for each of them. */
static void take_heartbeats(struct app *app)
{
	struct cairn_msg_heartbeat beat;
	struct cairn_header hdr;
	if (app->steps++ % 4 != 0)
		return;
	for (int i = 0; i < STAGE_COUNT; i++) {
		while (app->beats[i] != NULL && cairn_sub_recv(app->beats[i], &beat, &hdr) == 1) {
			cairn_watchdog_on_heartbeat(app->core, i, hdr.t_ns, cairn_now_ns());
			cairn_watchdog_on_trouble(app->core, i, beat.trouble);
		}
	}
}

/* ---- out ---- */

static void log_changes(const struct cairn_watchdog_output *was, const struct cairn_watchdog_output *is)
{
	if (strcmp(was->health.problem, is->health.problem) != 0) {
		if (is->health.ok)
			cairn_log_info("all well again");
		else
			cairn_log_warn("%s", is->health.problem);
	}
	if (is->health.restart_id != was->health.restart_id)
		cairn_log_warn("asking for a restart of %s", is->health.restart);
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_watchdog_output was = app->out;
	take_heartbeats(app);
	int64_t now_ns = cairn_now_ns();
	cairn_watchdog_step(app->core, now_ns, &app->out);
	if (app->out.write_stop)
		write_stop(app);
	else if (was.write_stop)
		close_device(app);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_ESTOP, &app->out.estop, app->out.estop_changed, now_ns);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_HEALTH, &app->out.health, app->out.health_changed, now_ns);
	cairn_stage_note(app->stage, app->out.health.problem);
	log_changes(&was, &app->out);
	return 0;
}

static bool listen_to_hearts(struct app *app, struct cairn_error *err)
{
	struct cairn_stage *s = app->stage;
	for (int i = 0; i < STAGE_COUNT; i++) {
		struct cairn_error why = {""};
		if (strcmp(stage_names[i], cairn_stage_name(s)) == 0)
			continue; /* its own heart is the launcher's business */
		app->beats[i] =
		    cairn_sub_new(cairn_stage_bus(s), CAIRN_TOPIC_HEARTBEAT, stage_names[i], &why);
		if (app->beats[i] == NULL) {
			cairn_error_set(err, "heartbeat of %s: %s", stage_names[i], why.text);
			return false;
		}
	}
	return true;
}

static void find_device(struct app *app)
{
	const struct cairn_config *cfg = cairn_stage_config(app->stage);
	if (cfg->robot.base_device[0] == '/')
		snprintf(app->device, sizeof(app->device), "%s", cfg->robot.base_device);
	else
		snprintf(app->device, sizeof(app->device), "%s/%s", cairn_stage_run_dir(app->stage),
		    cfg->robot.base_device);
	app->device_fd = -1;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	find_device(app);
	app->core = cairn_watchdog_new(cairn_stage_config(stage), stage_names, STAGE_COUNT, cairn_now_ns());
	if (app->core == NULL)
		return false;
	app->outbox = cairn_stage_outputs(stage, cairn_watchdog_out);
	cairn_stage_inputs(stage, cairn_watchdog_in, app->core, NULL, NULL);
	cairn_stage_every(stage, CAIRN_WATCHDOG_STEP_MS, on_step, app);
	return listen_to_hearts(app, err);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	close_device(app);
	cairn_watchdog_destroy(&app->core);
}

CAIRN_STAGE_MAIN(
    "cairn-watchdog", "notices what hangs", struct app, .open = open_all, .close = close_all, .urgent = true)
