/* annotator - turns the live sensors into what the model sees: a percept with each scan, a snapshot when one
 * is due. Everything is decided in common/percept/annotator.h; here messages and frames are handed over. */
#include "common/base/geom.h"
#include "common/drawing/font.h"
#include "common/percept/annotator_ports.h"
#include "procs/annotator/snapshots.h"

#define CHECK_PERIOD_MS 100 /* scans and missions drive the stage; this is for when they are silent */

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct annotator *a = ctx;
	const struct cairn_config_percept *cfg = &a->cfg->percept;
	/* Ids rise over restarts of this process: milliseconds since boot, with room for 256 snapshots in
	 * each. */
	uint64_t first_id = (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS) << 8;
	a->core = cairn_annotator_new(a->cfg, CAIRN_FONT_FILE, first_id, cairn_now_ns(), err);
	if (a->core != NULL && (cfg->show_candidates || cfg->show_map))
		cairn_stage_inputs(stage, cairn_annotator_candidates_in, a->core, NULL, NULL);
	return a->core != NULL;
}

static void close_core(void *ctx)
{
	struct annotator *a = ctx;
	cairn_annotator_destroy(&a->core);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_CAMERA_RGB, struct annotator, rgb_sub)},
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_CAMERA_DEPTH, struct annotator, depth_sub)},
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_MAP_GRID, struct annotator, map_sub),
	.when = CAIRN_WHEN(percept.show_map)},
    {CAIRN_PORT_FRAME_OUT(CAIRN_FRAME_SNAPSHOT, struct annotator, snapshot_pub)},
    {CAIRN_PORT_OUT(annotator_out)},
    {CAIRN_PORT_IN_STATE(annotator_in)},
    {CAIRN_PORT_IN(cairn_annotator_in, struct annotator, core), .fn = annotator_on_check},
    {CAIRN_PORT_IN(cairn_annotator_path_in, struct annotator, core), .when = CAIRN_WHEN(percept.show_map)},
    {CAIRN_PORT_IN(cairn_annotator_local_in, struct annotator, core), .when = CAIRN_WHEN(local.enabled)},
    {CAIRN_PORT_EVERY(CHECK_PERIOD_MS, annotator_on_check)},
    {CAIRN_PORT_EVERY_S(vlm.stats_period_s, annotator_on_stats)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-annotator", "annotates the camera picture and tells the sensors in words",
    struct annotator, .open = open_core, .ports = ports, .close = close_core)
