/* watchdog - notices what hangs; the thin shell around common/safety/watchdog.h.
 *
 * Reads every stage's heartbeat, scan, motion, odom, canary, stages and vlm.stats; writes health and estop. While the
 * motor stage is silent it is the second opener of the base's device and writes stop frames there itself. It
 * holds no shared memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/device/rosmaster.h"
#include "common/safety/watchdog.h"
#include "procs/shell/stage.h"

#define HEALTH_PERIOD_NS (500 * CAIRN_NS_PER_MS)
#define ESTOP_PERIOD_NS (200 * CAIRN_NS_PER_MS)

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
	struct cairn_pub *health, *estop;
	struct cairn_sub *scan, *motion, *odom, *canary, *stages, *model;
	struct cairn_sub *beats[STAGE_COUNT]; /* NULL: not listened to */
	int64_t health_due_ns, estop_due_ns;
	struct cairn_watchdog_output out;
	char device[600];
	int device_fd;
	bool device_failed;
	uint64_t steps;
	union {
		struct cairn_msg_scan scan;
		struct cairn_msg_stages stages;
	} in;
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
	uint8_t frame[13];
	size_t n = cairn_rosmaster_stop_frame(frame);
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

static bool due(int64_t *due_ns, int64_t period_ns, bool changed, int64_t now_ns)
{
	if (!changed && now_ns < *due_ns)
		return false;
	*due_ns = now_ns + period_ns;
	return true;
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
	if (due(&app->estop_due_ns, ESTOP_PERIOD_NS, app->out.estop_changed, now_ns))
		cairn_pub_send(app->estop, &app->out.estop, now_ns, true);
	if (due(&app->health_due_ns, HEALTH_PERIOD_NS, app->out.health_changed, now_ns)) {
		cairn_pub_send(app->health, &app->out.health, now_ns, true);
		cairn_stage_note(app->stage, app->out.health.problem);
	}
	log_changes(&was, &app->out);
	return 0;
}

/* ---- in ---- */

static int on_scan(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->scan, &app->in.scan, &hdr) == 1) {
		if (hdr.valid)
			cairn_watchdog_on_scan(app->core, hdr.t_ns, cairn_now_ns());
	}
	return 0;
}

static int on_motion(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_motion motion;
	while (cairn_sub_recv(app->motion, &motion, &hdr) == 1)
		cairn_watchdog_on_motion(app->core, &motion, hdr.t_ns, cairn_now_ns());
	return 0;
}

static int on_odom(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_odom odom;
	while (cairn_sub_recv(app->odom, &odom, &hdr) == 1) {
		if (hdr.valid)
			cairn_watchdog_on_odom(app->core, &odom, hdr.t_ns, cairn_now_ns());
	}
	return 0;
}

static int on_canary(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_canary canary;
	while (cairn_sub_recv(app->canary, &canary, &hdr) == 1)
		cairn_watchdog_on_canary(app->core, &canary, hdr.t_ns, cairn_now_ns());
	return 0;
}

static int on_model(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_vlm_stats stats;
	while (cairn_sub_recv(app->model, &stats, &hdr) == 1) {
		if (hdr.valid)
			cairn_watchdog_on_model(app->core, &stats);
	}
	return 0;
}

static int on_stages(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->stages, &app->in.stages, &hdr) == 1)
		cairn_watchdog_on_stages(app->core, &app->in.stages, hdr.t_ns, cairn_now_ns());
	return 0;
}

static bool listen_to_all(struct app *app)
{
	struct cairn_stage *s = app->stage;
	struct cairn_error err = {""};
	app->scan = cairn_stage_subscribe(s, CAIRN_TOPIC_SCAN, on_scan, app);
	app->motion = cairn_stage_subscribe(s, CAIRN_TOPIC_MOTION, on_motion, app);
	app->odom = cairn_stage_subscribe(s, CAIRN_TOPIC_ODOM, on_odom, app);
	app->canary = cairn_stage_subscribe(s, CAIRN_TOPIC_CANARY, on_canary, app);
	app->stages = cairn_stage_subscribe(s, CAIRN_TOPIC_STAGES, on_stages, app);
	app->model = cairn_stage_subscribe(s, CAIRN_TOPIC_VLM_STATS, on_model, app);
	for (int i = 0; i < STAGE_COUNT; i++) {
		if (strcmp(stage_names[i], cairn_stage_name(s)) == 0)
			continue; /* its own heart is the launcher's business */
		app->beats[i] =
		    cairn_sub_new(cairn_stage_bus(s), CAIRN_TOPIC_HEARTBEAT, stage_names[i], &err);
		if (app->beats[i] == NULL) {
			cairn_log_error("heartbeat of %s: %s", stage_names[i], err.text);
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

int main(int argc, char **argv)
{
	int status = 1;
	struct app *app = calloc(1, sizeof(*app));
	if (app == NULL)
		return 1;
	app->stage = cairn_stage_start("cairn-watchdog", "notices what hangs", argc, argv, &status);
	if (app->stage != NULL) {
		find_device(app);
		app->core = cairn_watchdog_new(
		    cairn_stage_config(app->stage), stage_names, STAGE_COUNT, cairn_now_ns());
	}
	if (app->core != NULL) {
		app->health = cairn_stage_publish(app->stage, CAIRN_TOPIC_HEALTH);
		app->estop = cairn_stage_publish(app->stage, CAIRN_TOPIC_ESTOP);
		cairn_stage_every(app->stage, CAIRN_WATCHDOG_STEP_MS, on_step, app);
		if (listen_to_all(app)) {
			cairn_stage_urgent(app->stage);
			cairn_stage_ready(app->stage);
			status = cairn_stage_run(app->stage);
		}
		close_device(app);
	}
	status = cairn_stage_finish(&app->stage, status);
	cairn_watchdog_destroy(&app->core);
	free(app);
	return status;
}
