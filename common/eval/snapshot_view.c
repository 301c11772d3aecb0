#include "common/eval/snapshot_view.h"

#include <stdlib.h>

#include "common/percept/annotator.h"
#include "common/drawing/font.h"
#include "common/sim/render/render.h"

#define SNAPSHOT_BYTES (1u << 20)

struct cairn_snapshot_view {
	struct cairn_renderer *renderer;
	struct cairn_annotator *annotator;
	uint8_t *rgb, *snapshot;
	uint16_t *depth_mm;
	int32_t width, height;
	int64_t t_scan_ns;
};

static struct cairn_frame_header frame(
    const struct cairn_snapshot_view *e, enum cairn_frame_format format, int64_t t_ns)
{
	uint32_t stride = (uint32_t)e->width * (format == CAIRN_FORMAT_RGB8 ? 3u : 2u);
	return (struct cairn_frame_header){.format = (uint16_t)format,
	    .t_ns = t_ns,
	    .width = (uint32_t)e->width,
	    .height = (uint32_t)e->height,
	    .stride_bytes = stride,
	    .payload_bytes = stride * (uint32_t)e->height};
}

struct cairn_snapshot_view *cairn_snapshot_view_new(
    const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_error *err)
{
	struct cairn_camera lens = cairn_camera_of(cfg, cfg->camera.width_px, cfg->camera.height_px);
	size_t pixels = (size_t)lens.width_px * (size_t)lens.height_px;
	struct cairn_snapshot_view *e = calloc(1, sizeof(*e));
	bool ok = e != NULL;
	if (ok) {
		e->width = lens.width_px;
		e->height = lens.height_px;
		e->renderer = cairn_renderer_new(world, &lens);
		e->rgb = malloc(pixels * 3);
		e->depth_mm = malloc(pixels * 2);
		e->snapshot = malloc(SNAPSHOT_BYTES);
		ok = e->renderer != NULL && e->rgb != NULL && e->depth_mm != NULL && e->snapshot != NULL;
	}
	if (!ok)
		cairn_error_set(err, "out of memory");
	else
		e->annotator = cairn_annotator_new(cfg, CAIRN_FONT_FILE, 1, 0, err);
	if (!ok || e->annotator == NULL)
		cairn_snapshot_view_destroy(&e);
	return e;
}

void cairn_snapshot_view_destroy(struct cairn_snapshot_view **eye_p)
{
	struct cairn_snapshot_view *e = *eye_p;
	*eye_p = NULL;
	if (e == NULL)
		return;
	cairn_renderer_destroy(&e->renderer);
	cairn_annotator_destroy(&e->annotator);
	free(e->rgb);
	free(e->depth_mm);
	free(e->snapshot);
	free(e);
}

void cairn_snapshot_view_watch(struct cairn_snapshot_view *e, const struct cairn_run *run)
{
	int64_t t_ns = 0;
	const struct cairn_msg_scan *scan = cairn_run_scan(run, &t_ns);
	struct cairn_msg_percept percept;
	if (scan == NULL || t_ns == e->t_scan_ns)
		return;
	(void)cairn_annotator_on_scan(e->annotator, scan, t_ns, cairn_run_now_ns(run), &percept);
	e->t_scan_ns = t_ns;
}

void cairn_snapshot_view_result(
    struct cairn_snapshot_view *e, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	cairn_annotator_on_result(e->annotator, result, cairn_run_now_ns(run));
}

void cairn_snapshot_view_decision(struct cairn_snapshot_view *e, const struct cairn_msg_decision *decision)
{
	cairn_annotator_on_decision(e->annotator, decision);
}

size_t cairn_snapshot_view_look(struct cairn_snapshot_view *e, const struct cairn_run *run,
    enum cairn_trigger trigger, const uint8_t **ret_bytes)
{
	int64_t now_ns = cairn_run_now_ns(run);
	struct cairn_frame_header rgb = frame(e, CAIRN_FORMAT_RGB8, now_ns),
				  depth = frame(e, CAIRN_FORMAT_DEPTH16, now_ns);
	cairn_renderer_props(e->renderer, &cairn_run_truth(run)->props);
	cairn_renderer_draw(e->renderer, cairn_run_truth(run)->body.pose, NULL, 0, e->rgb, e->depth_mm);
	cairn_annotator_on_pose(e->annotator, cairn_run_pose(run), now_ns);
	cairn_annotator_on_frontiers(e->annotator, cairn_run_frontiers(run), now_ns);
	cairn_annotator_on_candidates(e->annotator, cairn_run_candidates(run), now_ns);
	cairn_annotator_on_mission(e->annotator, &cairn_run_output(run)->mission, now_ns);
	*ret_bytes = e->snapshot;
	if (!cairn_annotator_on_depth(e->annotator, &depth, e->depth_mm, NULL) ||
	    !cairn_annotator_on_rgb(e->annotator, &rgb, e->rgb, NULL))
		return 0;
	return cairn_annotator_snapshot(e->annotator, trigger, now_ns, e->snapshot, SNAPSHOT_BYTES, NULL);
}
