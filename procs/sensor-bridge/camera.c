/* camera.c - the stage camera-bridge: a source of pictures, by the configuration, and what becomes of them. */
#include "procs/sensor-bridge/bridge.h"
#include "procs/sensor-bridge/camera_source.h"

#define TICK_MS 100

static const struct camera_source *const sources[] = {&camera_helper, &camera_v4l2, &camera_http};

struct app {
	struct camera_frames frames;
	const struct camera_source *kind;
	void *source, *depth; /* NULL: no depth camera of its own */
};

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	int r = camera_frames_tick(&app->frames);
	if (r == 0)
		app->kind->tick(app->source, cairn_now_ns());
	if (r == 0 && app->depth != NULL)
		camera_depth.tick(app->depth, cairn_now_ns());
	return r;
}

static bool open_source(struct app *app)
{
	const char *device = app->frames.cfg->robot.camera_device;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]) && app->kind == NULL; i++)
		if (sources[i]->is_for(device))
			app->kind = sources[i];
	if (app->kind == NULL) {
		cairn_log_error("robot.camera_device: '%s' is no camera: a path as /dev/v4l/by-id/NAME, or "
				"http://HOST:PORT/PATH",
		    device);
		return false;
	}
	bool two = camera_depth.is_for(app->frames.cfg->robot.depth_device);
	app->source = app->kind->new (&app->frames);
	if (app->source == NULL)
		cairn_log_error("no memory for a camera");
	if (app->source != NULL && two)
		app->depth = camera_depth.new(&app->frames);
	return app->source != NULL && (!two || app->depth != NULL);
}

static void close_all(struct app *app)
{
	if (app->depth != NULL)
		camera_depth.destroy(app->depth);
	if (app->source != NULL)
		app->kind->destroy(app->source);
	camera_frames_close(&app->frames);
}

int cairn_bridge_camera(struct cairn_stage *stage)
{
	struct app app = {.kind = NULL};
	if (!camera_frames_open(&app.frames, stage))
		return 1;
	if (!open_source(&app)) {
		close_all(&app);
		return 1;
	}
	cairn_stage_every(stage, TICK_MS, on_tick, &app);
	on_tick(&app);
	cairn_stage_ready(stage);
	int status = cairn_stage_run(stage);
	close_all(&app);
	return status == -CAIRN_EXIT_PLANE ? CAIRN_EXIT_PLANE : status;
}
