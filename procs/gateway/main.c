/* gateway - talks to the model: prompt, call, check, decision.
 *
 * When to ask and what to make of the answer is decided in common/vlm/dialog.h; here are the bus and
 * the snapshots; service.h has the calls, remembered.h what outlives the stage, decision_record.h what is written of each decision. */
#include <string.h>
#include <sys/stat.h>

#include "common/base/geom.h"
#include "common/scene/scene.h"
#include "common/vlm/dialog_ports.h"
#include "common/vlm/prompt.h"
#include "common/vlm/stats.h"
#include "ipc/frames.h"
#include "procs/gateway/discoveries.h"
#include "procs/gateway/locate.h"
#include "procs/gateway/outside.h"
#include "procs/gateway/service.h"
#include "procs/gateway/decision_record.h"
#include "procs/gateway/decision_trace.h"
#include "procs/gateway/remembered.h"
#include "procs/shell/stage.h"

#define TURN_MS 20 /* while a decision is wanted, snapshots are looked for this often */
#define STATS_MS 1000
#define WANTED_LATELY_NS (60 * CAIRN_NS_PER_S) /* a mission is on: the next wish will come */
#define BUDGET_WARNING 0.8

struct gateway {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_dialog *dialog;
	struct cairn_lineup lineup;
	struct service *service;
	struct discoveries *found;
	struct locator *locator;
	struct witness *witness; /* NULL: nothing is recorded */
	struct cairn_text system;
	int64_t wanted_ns; /* a decision was wanted last; 0 = not yet */
	struct cairn_frame_sub *snapshot_sub;
	struct cairn_outbox *outbox;
	struct outside *outside; /* notes of programs outside */
	uint64_t snapshot_epoch, snapshot_seq;
	struct remembered remembered;
	struct decision_record record;
	struct cairn_msg_places rooms;
	bool said_budget;
	char said_error[160]; /* so that each is logged once */
	enum cairn_net_tier said_tier;
	struct cairn_msg_vlm_stats logged; /* when the regular line was last written */
};

static void turn(struct gateway *g);

/* ---- saying what happens ---- */

static void publish_stats(struct gateway *g)
{
	struct cairn_msg_vlm_stats stats;
	int64_t now_ns = cairn_now_ns();
	cairn_dialog_stats(g->dialog, now_ns, &stats);
	cairn_outbox_put(g->outbox, CAIRN_TOPIC_VLM_STATS, &stats, true, now_ns);
	if (strcmp(g->said_error, stats.last_error) != 0) {
		snprintf(g->said_error, sizeof(g->said_error), "%s", stats.last_error);
		cairn_log_warn("call failed: %s", stats.last_error);
	}
	if (g->said_tier != stats.net_tier) {
		cairn_log_info("the service is %s (was %s)",
		    cairn_enum_text(&cairn_enum_net_tier, (int)stats.net_tier),
		    cairn_enum_text(&cairn_enum_net_tier, (int)g->said_tier));
		g->said_tier = stats.net_tier;
	}
	bool near = stats.budget_share >= BUDGET_WARNING;
	if (near && !g->said_budget)
		cairn_log_warn("%.0f %% of the budget are spent; at the limit local exploration goes on "
			       "without the model",
		    100.0 * stats.budget_share);
	g->said_budget = near;
	cairn_stage_note(g->stage, cairn_dialog_note(g->dialog, now_ns));
}

static void publish_decision(struct gateway *g)
{
	struct cairn_msg_decision decision;
	struct cairn_msg_world_update update;
	if (!cairn_dialog_take_decision(g->dialog, &decision))
		return;
	if (!g->cfg->vlm.shadow)
		cairn_outbox_put(g->outbox, CAIRN_TOPIC_DECISION, &decision, true, cairn_now_ns());
	if (cairn_dialog_take_update(g->dialog, &update) && !g->cfg->vlm.shadow)
		cairn_outbox_put(g->outbox, CAIRN_TOPIC_WORLD_UPDATE, &update, true, cairn_now_ns());
	decision_record_decided(&g->record);
	if (g->witness != NULL && decision.decider != CAIRN_DECIDER_RULE) /* a recording is of questions */
		trace_decided(g->witness, &decision);
}

/* ---- asking ---- */

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct gateway *g = ctx;
	cairn_dialog_ended(g->dialog, cairn_now_ns(), outcome);
	remembered_save_spending(&g->remembered);
	publish_decision(g);
	publish_stats(g);
	turn(g); /* the follow-up of a sub-loop goes out at once */
}

static void take_snapshot(struct gateway *g)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(g->snapshot_sub, &hdr);
	if (payload != NULL && (hdr->seq != g->snapshot_seq || hdr->epoch != g->snapshot_epoch)) {
		struct cairn_error err = {""};
		g->snapshot_seq = hdr->seq;
		g->snapshot_epoch = hdr->epoch;
		cairn_dialog_snapshot_epoch(g->dialog, hdr->epoch);
		if (hdr->format != CAIRN_FORMAT_SNAPSHOT ||
		    !cairn_dialog_snapshot(g->dialog, payload, hdr->payload_bytes, hdr->t_ns, &err)) {
			cairn_log_warn(
			    "snapshot refused: %s", err.text[0] != '\0' ? err.text : "another format");
			cairn_stage_count_reject(g->stage);
		} else {
			locator_on_snapshot(g->locator);
			if (g->witness != NULL)
				trace_snapshot(g->witness, hdr->t_ns);
		}
	}
	cairn_frame_release(g->snapshot_sub);
}

static void turn(struct gateway *g)
{
	const char *body;
	size_t bytes;
	if (cairn_dialog_wants_snapshot(g->dialog, cairn_now_ns()))
		take_snapshot(g);
	switch (cairn_dialog_poll(g->dialog, cairn_now_ns(), &body, &bytes)) {
	case CAIRN_DIALOG_SEND:
		if (g->witness != NULL)
			trace_asked(g->witness);
		remembered_save_spending(&g->remembered);
		service_send(g->service, body, bytes);
		publish_stats(g);
		break;
	case CAIRN_DIALOG_CANCEL:
		service_cancel(g->service);
		remembered_save_spending(&g->remembered);
		publish_stats(g);
		break;
	case CAIRN_DIALOG_DECIDED:
		publish_decision(g);
		publish_stats(g);
		break;
	case CAIRN_DIALOG_NOTHING:
		break;
	}
}

/* ---- the loop ---- */

/* What is known of the house, as a line of the memory that the model is told. */
static bool take_scene(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct gateway *g = core;
	struct cairn_memory *memory = cairn_dialog_memory(g->dialog);
	(void)hdr, (void)now_ns;
	locator_on_scene(g->locator, message);
	if (g->cfg->scene.prompt_tokens > 0)
		cairn_scene_prompt_line(message, cairn_dialog_goal(g->dialog),
		    (uint32_t)g->cfg->scene.prompt_tokens, memory->known_things,
		    sizeof(memory->known_things));
	return false;
}

static bool take_result(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct gateway *g = core;
	(void)now_ns;
	cairn_dialog_result(g->dialog, message, hdr->t_ns);
	if (g->witness != NULL)
		trace_result(g->witness, message, hdr);
	decision_record_ended(&g->record, message);
	return true;
}

static const struct cairn_in result_in[] = {
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {.take = NULL},
};

static const struct cairn_in scene_in[] = {
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {.take = NULL},
};

static const struct cairn_out outputs[] = {
    {CAIRN_TOPIC_DECISION, 0},
    {CAIRN_TOPIC_VLM_STATS, 0},
    {CAIRN_TOPIC_ROOMS, 0},
    {CAIRN_TOPIC_WORLD_UPDATE, 0},
    {CAIRN_TOPIC_SIGHTINGS, 0},
    {CAIRN_TOPIC_COUNT, 0},
};

static int on_turn(void *ctx)
{
	turn(ctx);
	return 0;
}

static int on_stats_period(void *ctx)
{
	struct gateway *g = ctx;
	struct cairn_msg_vlm_stats stats;
	char line[CAIRN_VLM_STATS_LINE];
	cairn_dialog_stats(g->dialog, cairn_now_ns(), &stats);
	cairn_vlm_stats_line(&stats, &g->logged, line, sizeof(line));
	cairn_log_info("in the last %g s: %s", g->cfg->vlm.stats_period_s, line);
	g->logged = stats;
	return 0;
}

static int on_second(void *ctx)
{
	struct gateway *g = ctx;
	publish_stats(g);
	cairn_memory_places(cairn_dialog_memory(g->dialog), &g->rooms);
	cairn_outbox_put(g->outbox, CAIRN_TOPIC_ROOMS, &g->rooms, true, cairn_now_ns());
	discoveries_publish(g->found, cairn_now_ns());
	outside_tell(g->outside); /* they grow older */
	cairn_dialog_tick(g->dialog, STATS_MS * 1e-3);
	remembered_save(&g->remembered);
	int64_t now_ns = cairn_now_ns();
	if (cairn_dialog_wants_snapshot(g->dialog, now_ns))
		g->wanted_ns = now_ns;
	service_tick(g->service, g->wanted_ns != 0 && now_ns - g->wanted_ns < WANTED_LATELY_NS);
	return 0;
}

/* ---- starting ---- */

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

static bool open_parts(struct gateway *g, struct cairn_error *err)
{
	if (!cairn_lineup_load(&g->lineup, &g->cfg->vlm, err) || !open_dialog(g, err) ||
	    !cairn_dialog_use(g->dialog, &g->lineup, err))
		return false;
	g->outside = outside_new(g->stage, cairn_dialog_memory(g->dialog), err);
	if (g->outside == NULL)
		return false;
	g->service = service_new(g->stage, &g->cfg->vlm, &g->lineup, g->dialog, on_done, g, err);
	if (g->service == NULL)
		return false;
	g->snapshot_sub = cairn_stage_frame_sub(g->stage, CAIRN_FRAME_SNAPSHOT, err);
	if (g->snapshot_sub != NULL)
		g->locator = locator_new(g->stage, g->dialog, err);
	if (g->locator == NULL || service_recorder(g->service) == NULL)
		return g->locator != NULL;
	g->witness = trace_new(
	    g->stage, service_recorder(g->service), g->dialog, &g->lineup.rows[0], g->system.data, err);
	return g->witness != NULL;
}

static bool open_bus(struct gateway *g)
{
	char folder[400];
	snprintf(folder, sizeof(folder), "%s/state/pictures", cairn_stage_run_dir(g->stage));
	g->found = discoveries_new(g->stage, g->dialog, folder);
	if (g->found == NULL)
		return false;
	g->outbox = cairn_stage_outputs(g->stage, outputs);
	locator_send_to(g->locator, g->outbox);
	if (g->cfg->vlm.shadow)
		cairn_stage_inputs(g->stage, cairn_dialog_shadow_in, g->dialog, NULL, NULL);
	cairn_stage_inputs(g->stage, scene_in, g, NULL, NULL);
	cairn_stage_inputs(g->stage, cairn_dialog_in, g->dialog, on_turn, g);
	cairn_stage_inputs(g->stage, result_in, g, on_turn, g);
	if (g->cfg->local.enabled)
		cairn_stage_inputs(g->stage, cairn_dialog_local_in, g->dialog, NULL, NULL);
	if (g->cfg->choice.offer)
		cairn_stage_inputs(g->stage, cairn_dialog_candidates_in, g->dialog, NULL, NULL);
	cairn_stage_every(g->stage, TURN_MS, on_turn, g);
	cairn_stage_every(g->stage, STATS_MS, on_second, g);
	cairn_dialog_stats(g->dialog, cairn_now_ns(), &g->logged);
	cairn_stage_every(g->stage, (int)(g->cfg->vlm.stats_period_s * 1e3), on_stats_period, g);
	return true;
}

static void say_who_is_asked(const struct cairn_lineup *lineup)
{
	const struct {
		uint32_t row;
		const char *what;
	} others[] = {{lineup->observer, "observe_scene asks"}, {lineup->strong, "hard decisions ask"},
	    {lineup->local, "while the network is away decisions ask"}};
	for (uint32_t i = 0; i < lineup->count; i++)
		cairn_log_info("%s %s, model %s at %s", i > 0 ? "falls back on" : "asks",
		    lineup->rows[i].name, lineup->rows[i].model, lineup->rows[i].base_url);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].row != 0)
			cairn_log_info("%s %s, model %s", others[i].what, lineup->rows[others[i].row].name,
			    lineup->rows[others[i].row].model);
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct gateway *g = ctx;
	g->stage = stage;
	g->cfg = cairn_stage_config(stage);
	if (!open_parts(g, err) || !open_bus(g))
		return false;
	say_who_is_asked(&g->lineup);
	service_tick(g->service, false);
	return true;
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

CAIRN_STAGE_MAIN("cairn-gateway", "talks to the model", struct gateway, .open = open_all, .ended = save_all,
    .close = close_all)
