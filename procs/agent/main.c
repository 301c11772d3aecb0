/* cairn-agent: works on tasks in words (common/agent). It carries messages, queries, pictures and the saved episode between the core
 * and the world; it opens no device, and what it proposes the sequencer judges. */
#include <stdlib.h>

#include "procs/agent/agent_stage.h"

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct agent_stage *a = ctx;
	struct cairn_error missing = {""};
	if (cairn_agent_lineup(a->cfg, &a->vlm, &a->lineup, err))
		a->core = cairn_agent_new(a->cfg, &a->lineup.rows[0], err);
	if (a->core == NULL)
		return false;
	kept_recall(a);
	a->service = service_new(stage, &a->vlm, &a->lineup, NULL, work_answered, a, &missing);
	if (a->service == NULL) {
		*err = missing;
		return false;
	}
	snprintf(a->key_problem, sizeof(a->key_problem), "%s", missing.text);
	if (missing.text[0] != '\0')
		cairn_log_error("%s; every task will be handed back", missing.text);
	cairn_log_info("asks %s, model %s", a->lineup.rows[0].name, a->lineup.rows[0].model);
	return true;
}

static void save_all(void *ctx)
{
	(void)kept_save(ctx);
}

static void close_all(void *ctx)
{
	struct agent_stage *a = ctx;
	if (a->service != NULL)
		service_destroy(&a->service);
	cairn_agent_destroy(&a->core);
	cairn_text_free(&a->file);
	free(a->picture);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_FRAME_IN(CAIRN_FRAME_MAP_GRID, struct agent_stage, grid_sub)},
    {CAIRN_PORT_ASK(CAIRN_SERVICE_SPEECH, struct agent_stage, speech, work_on_speech)},
    {CAIRN_PORT_OUT(cairn_agent_out)},
    {CAIRN_PORT_IN(cairn_agent_in, struct agent_stage, core), .fn = work_turn},
    {CAIRN_PORT_EVERY(50, work_turn)},
    {CAIRN_PORT_EVERY(500, work_tell)},
    {CAIRN_PORT_EVERY(1000, kept_save)},
    {CAIRN_PORT_EVERY(1000, work_on_grid)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-agent", "plans and searches for tasks in words; proposes", struct agent_stage,
    .open = open_all, .ports = ports, .ended = save_all, .close = close_all)
