/* canary - sends a frame through the data plane every second and looks whether it comes back.
 *
 * Every other second it also asks RouDi for a port, which is what a process that comes up needs of it.
 * A process of its own, so that a plane that wedges takes this one and not the watchdog. When frames stay
 * away it says so with its exit status, which makes the launcher build the plane anew; when it hangs inside
 * the plane its heartbeat is missed. */
#include <string.h>

#include "common/base/geom.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define PERIOD_MS 1000
#define SILENCE_MAX_NS (3 * CAIRN_NS_PER_S)
#define PROBE_PERIOD_MS 2000
#define PROBE_DEADLINE_MS                                                                                    \
	1800 /* with the second between two heartbeats still below the watchdog's patience */

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_frame_pub *frame_pub;
	struct cairn_frame_sub *frame_sub;
	struct cairn_pub *canary_pub;
	struct cairn_msg_canary report;
	int64_t heard_ns; /* of the newest frame that came back */
};

static void listen_back(struct app *app)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(app->frame_sub, &hdr);
	if (payload == NULL)
		return;
	app->heard_ns = cairn_now_ns();
	app->report.received++;
	app->report.latency_ms = (double)(app->heard_ns - hdr->t_ns) * 1e-6;
	cairn_frame_release(app->frame_sub);
}

static int on_second(void *ctx)
{
	struct app *app = ctx;
	struct cairn_frame_header *hdr;
	listen_back(app); /* one that was late */
	void *payload = cairn_frame_loan(app->frame_pub, sizeof(uint64_t), &hdr);
	if (payload != NULL) {
		app->report.sent++;
		memcpy(payload, &app->report.sent, sizeof(uint64_t));
		hdr->format = CAIRN_FORMAT_PROBE;
		hdr->t_ns = cairn_now_ns();
		cairn_frame_publish(app->frame_pub);
		listen_back(app); /* delivered within the publish, once both ends know each other */
	}
	int64_t now_ns = cairn_now_ns();
	bool silent = now_ns - app->heard_ns > SILENCE_MAX_NS;
	cairn_pub_send(app->canary_pub, &app->report, now_ns, !silent);
	if (!silent)
		return 0;
	cairn_log_error("data plane: no frame came back for %.1f s", (double)(now_ns - app->heard_ns) * 1e-9);
	return -CAIRN_EXIT_PLANE;
}

static int on_probe(void *ctx)
{
	struct app *app = ctx;
	cairn_frames_probe(cairn_stage_frames(app->stage, NULL), PROBE_DEADLINE_MS);
	return 0;
}

static void begin(void *ctx)
{
	struct app *app = ctx;
	app->canary_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_CANARY);
	app->heard_ns = cairn_now_ns();
}

static int run(void *ctx)
{
	const struct app *app = ctx;
	int status = cairn_stage_run(app->stage);
	return status == -CAIRN_EXIT_PLANE ? CAIRN_EXIT_PLANE : status;
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_CANARY, struct app, frame_sub)},
    {CAIRN_PORT_FRAME_OUT(CAIRN_FRAME_CANARY, struct app, frame_pub)},
    {CAIRN_PORT_EVERY(PERIOD_MS, on_second)},
    {CAIRN_PORT_EVERY(PROBE_PERIOD_MS, on_probe)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-canary", "sends frames through the data plane to itself", struct app, .ports = ports,
    .begin = begin, .run = run)
