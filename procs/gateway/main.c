/* gateway - talks to the model: prompt, call, check, decision.
 *
 * When to ask and what to make of the answer is decided in common/vlm/dialog.h; here are the bus and
 * the snapshots; service.h has the calls, remembered.h what outlives the stage, decision_record.h what is written of each decision. */
#include <sys/stat.h>

#include "common/vlm/dialog_ports.h"
#include "common/vlm/prompt.h"
#include "ipc/frames.h"
#include "procs/gateway/gateway.h"

static bool open_dialog(struct gateway *g, struct cairn_error *err)
{
	char dir[300];
	if (cairn_prompt_load(g->cfg, &g->system, err))
		g->dialog =
		    cairn_dialog_new(&g->cfg->vlm, g->cfg->safety.decision_max_age_s, g->system.data, err);
	if (g->dialog == NULL)
		return false;
	snprintf(dir, sizeof(dir), "%s/state", cairn_stage_run_dir(g->stage));
	(void)mkdir(dir, 0755);
	decision_record_open(&g->record, g->stage, g->dialog, g->system.data, dir);
	remembered_load(&g->remembered, g->stage, g->dialog, dir);
	return true;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct gateway *g = ctx;
	if (!cairn_lineup_load(&g->lineup, &g->cfg->vlm, err) || !open_dialog(g, err) ||
	    !cairn_dialog_use(g->dialog, &g->lineup, err))
		return false;
	g->outside = outside_new(stage, cairn_dialog_memory(g->dialog), err);
	if (g->outside == NULL)
		return false;
	g->service = service_new(stage, &g->cfg->vlm, &g->lineup, g->dialog, asking_ended, g, err);
	if (g->service == NULL)
		return false;
	g->snapshot_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_SNAPSHOT, err);
	if (g->snapshot_sub != NULL)
		g->locator = locator_new(stage, g->dialog, g->outbox, err);
	if (g->locator != NULL)
		g->found = discoveries_new(stage, g->dialog);
	if (g->found == NULL || service_recorder(g->service) == NULL)
		return g->found != NULL;
	g->witness = trace_new(
	    stage, service_recorder(g->service), g->dialog, &g->lineup.rows[0], g->system.data, err);
	return g->witness != NULL;
}

static void begin(void *ctx)
{
	struct gateway *g = ctx;
	cairn_dialog_stats(g->dialog, cairn_now_ns(), &g->logged);
	told_who_is_asked(&g->lineup);
	service_tick(g->service, false);
}

static void save_all(void *ctx)
{
	struct gateway *g = ctx;
	remembered_save(&g->remembered);
}

static void close_all(void *ctx)
{
	struct gateway *g = ctx;
	outside_destroy(&g->outside);
	discoveries_destroy(&g->found);
	locator_destroy(&g->locator);
	trace_destroy(&g->witness);
	service_destroy(&g->service);
	cairn_dialog_destroy(&g->dialog);
	decision_record_close(&g->record);
	cairn_text_free(&g->system);
}

static const struct cairn_out outputs[] = {
    {CAIRN_TOPIC_DECISION, 0},
    {CAIRN_TOPIC_VLM_STATS, 0},
    {CAIRN_TOPIC_ROOMS, 0},
    {CAIRN_TOPIC_WORLD_UPDATE, 0},
    {CAIRN_TOPIC_SIGHTINGS, 0},
    {CAIRN_TOPIC_COUNT, 0},
};

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(outputs)},
    {CAIRN_PORT_IN(cairn_dialog_shadow_in, struct gateway, dialog), .when = CAIRN_WHEN(vlm.shadow)},
    {CAIRN_PORT_IN_STATE(asking_scene_in)},
    {CAIRN_PORT_IN(cairn_dialog_in, struct gateway, dialog), .fn = asking_turn},
    {CAIRN_PORT_IN_STATE(asking_result_in), .fn = asking_turn},
    {CAIRN_PORT_IN(cairn_dialog_local_in, struct gateway, dialog), .when = CAIRN_WHEN(local.enabled)},
    {CAIRN_PORT_IN(cairn_dialog_candidates_in, struct gateway, dialog), .when = CAIRN_WHEN(choice.offer)},
    {CAIRN_PORT_EVERY(20, asking_turn)}, /* while a decision is wanted, snapshots are looked for this often */
    {CAIRN_PORT_EVERY(1000, told_on_second)},
    {CAIRN_PORT_EVERY_S(vlm.stats_period_s, told_on_stats_period)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-gateway", "talks to the model", struct gateway, .open = open_all, .ports = ports,
    .begin = begin, .ended = save_all, .close = close_all)
