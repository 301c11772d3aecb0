/* asking.c - snapshots and news into the dialog, its calls to the service, its decisions onto the bus. */
#include "common/scene/scene.h"
#include "ipc/frames.h"
#include "procs/gateway/gateway.h"

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

void asking_ended(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct gateway *g = ctx;
	cairn_dialog_ended(g->dialog, cairn_now_ns(), outcome);
	remembered_save_spending(&g->remembered);
	publish_decision(g);
	told_stats(g);
	(void)asking_turn(g); /* the follow-up of a sub-loop goes out at once */
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

int asking_turn(void *ctx)
{
	struct gateway *g = ctx;
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
		told_stats(g);
		break;
	case CAIRN_DIALOG_CANCEL:
		service_cancel(g->service);
		remembered_save_spending(&g->remembered);
		told_stats(g);
		break;
	case CAIRN_DIALOG_DECIDED:
		publish_decision(g);
		told_stats(g);
		break;
	case CAIRN_DIALOG_NOTHING:
		break;
	}
	return 0;
}

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

const struct cairn_in asking_result_in[] = {
    {CAIRN_TOPIC_RESULT, CAIRN_ACCEPT_PLAUSIBLE, take_result},
    {.take = NULL},
};

const struct cairn_in asking_scene_in[] = {
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {.take = NULL},
};
