/* network - searches the camera's pictures with a neural network, for the detector stage.
 *
 * It is a detector helper as any other (docs/detector.md): it listens on detect.socket, and each question is answered with what the newest picture
 * shows, with depth from the depth picture of that moment. It computes in its own loop: a question takes as long as the network
 * does, and nobody but the detector waits. A process of its own, because what a library of others does with a model of
 * others may end it. */
#include <string.h>

#include "ipc/frames.h"
#include "procs/network/searcher.h"
#include "procs/shell/helper_port.h"

#define NOTE_MS 2000

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_frame_sub *rgb_sub, *depth_sub;
	struct searcher *searcher;
	struct helper_port *port;
	struct cairn_detected_list list;
	uint64_t looks;
	double took_ms;
};

static void add_depth(struct app *app)
{
	const struct cairn_frame_header *hdr;
	const uint16_t *depth_mm = cairn_frame_take(app->depth_sub, &hdr);
	if (depth_mm != NULL && cairn_frame_packed(hdr, CAIRN_FORMAT_DEPTH16) &&
	    hdr->width == app->list.width_px && hdr->height == app->list.height_px)
		cairn_detect_depth(app->cfg, depth_mm, &app->list);
	cairn_frame_release(app->depth_sub);
}

static void on_look(void *ctx, uint64_t look)
{
	struct app *app = ctx;
	const struct cairn_frame_header *hdr;
	struct cairn_error err = {"no picture has come from the camera since the last one"};
	int64_t start_ns = cairn_now_ns();
	const uint8_t *rgb = cairn_frame_take(app->rgb_sub, &hdr);
	bool ok = rgb != NULL;
	if (ok && !cairn_frame_packed(hdr, CAIRN_FORMAT_RGB8)) {
		cairn_error_set(&err, "a picture that is none of RGB");
		ok = false;
	}
	ok = ok && searcher_look(app->searcher, rgb, hdr->width, hdr->height, &app->list, &err);
	if (ok) {
		app->list.look = look;
		app->list.t_ns = hdr->t_ns;
	}
	cairn_frame_release(app->rgb_sub);
	cairn_stage_tried(app->stage, "search a picture", ok ? NULL : err.text);
	if (!ok)
		return; /* the detector counts it as late */
	add_depth(app);
	helper_port_answer(app->port, &app->list);
	app->looks++;
	app->took_ms = (double)(cairn_now_ns() - start_ns) * 1e-6;
}

static int on_note(void *ctx)
{
	struct app *app = ctx;
	char what[96];
	searcher_tell(app->searcher, what, sizeof(what));
	cairn_stage_notef(
	    app->stage, "%s, %llu pictures, %.0f ms", what, (unsigned long long)app->looks, app->took_ms);
	return 0;
}

static bool open_searcher(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->searcher = searcher_new(app->cfg, err);
	if (app->searcher != NULL) /* the data plane before anything is bound */
		app->rgb_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_CAMERA_RGB, err);
	if (app->rgb_sub != NULL)
		app->depth_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	if (app->depth_sub != NULL)
		app->port = helper_port_new(stage, app->cfg->detect.socket, on_look, app, err);
	return app->port != NULL;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	helper_port_destroy(&app->port);
	searcher_destroy(&app->searcher);
}

static const struct cairn_port ports[] = {{CAIRN_PORT_EVERY(NOTE_MS, on_note)}, {.open = NULL}};

CAIRN_STAGE_MAIN("cairn-network", "searches the camera's pictures with a neural network", struct app,
    .open = open_searcher, .ports = ports, .close = close_all)
