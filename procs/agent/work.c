/* work.c - what is carried between the core and the world: the model's queries, proposals, words for people, the map. */
#include <inttypes.h>
#include <string.h>

#include "procs/agent/agent_stage.h"

#define SAY_NS (5 * CAIRN_NS_PER_S)

int work_tell(void *ctx)
{
	struct agent_stage *a = ctx;
	struct cairn_msg_agent *m = &a->message;
	enum cairn_agent_state before = m->state;
	uint64_t task = m->task_id;
	cairn_agent_message(a->core, cairn_now_ns(), m);
	kept_map(a);
	cairn_outbox_put(
	    a->outbox, CAIRN_TOPIC_AGENT, m, m->state != before || m->task_id != task, cairn_now_ns());
	if (m->task_id != task)
		cairn_log_info("task %" PRIu64 ": %s", m->task_id, m->task);
	if (m->state != before && m->answer[0] != '\0')
		cairn_log_info("task %" PRIu64 " %s after %u queries, %.4f USD: %s", m->task_id,
		    cairn_enum_text(&cairn_enum_agent_state, (int)m->state), m->queries, m->usd, m->answer);
	struct cairn_reasoner_event event;
	while (cairn_agent_take_event(a->core, &event))
		cairn_log_info(
		    "task %" PRIu64 ": %s %s: %s", m->task_id, event.what, event.target, event.outcome);
	cairn_stage_notef(a->stage, "%s: %.70s", cairn_enum_text(&cairn_enum_agent_state, (int)m->state),
	    m->answer[0] != '\0' ? m->answer : m->step);
	return 0;
}

/* Words for people go to the stage that speaks, as an operator's do. */
static void speak(struct agent_stage *a)
{
	struct cairn_msg_say say;
	if (!cairn_agent_take_say(a->core, &say))
		return;
	struct cairn_msg_command cmd = {.verb = "say", .expires_ns = cairn_now_ns() + SAY_NS};
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", say.text);
	int sent = cairn_client_send(a->speech, ++a->said, &cmd);
	cairn_stage_tried(a->stage, "have it said aloud", sent == 0 ? NULL : "the stage speak is not there");
}

int work_on_speech(void *ctx)
{
	struct agent_stage *a = ctx;
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (cairn_client_recv(a->speech, &tag, &reply) == 1)
		if (!reply.ok)
			cairn_log_warn("not said aloud: %s", reply.text);
	return 0;
}

int work_turn(void *ctx)
{
	struct agent_stage *a = ctx;
	const char *body;
	size_t bytes;
	struct cairn_msg_decision decision;
	if (a->key_problem[0] != '\0')
		cairn_agent_give_up(a->core, a->key_problem, cairn_now_ns());
	cairn_agent_on_clock(a->core, cairn_unix_s() - 1e-9 * (double)cairn_now_ns());
	switch (cairn_agent_poll(a->core, cairn_now_ns(), &body, &bytes)) {
	case CAIRN_DIALOG_SEND:
		service_send(a->service, body, bytes);
		break;
	case CAIRN_DIALOG_CANCEL:
		service_cancel(a->service);
		break;
	case CAIRN_DIALOG_DECIDED: /* the agent decides with its model alone */
	case CAIRN_DIALOG_NOTHING:
		break;
	}
	struct cairn_msg_skill_request wish;
	if (cairn_agent_take_wish(a->core, &wish))
		cairn_outbox_put(a->outbox, CAIRN_TOPIC_SKILL_WISH, &wish, true, cairn_now_ns());
	speak(a);
	while (cairn_agent_take_decision(a->core, &decision))
		cairn_outbox_put(a->outbox, CAIRN_TOPIC_AGENT_DECISION, &decision, true, cairn_now_ns());
	return 0;
}

void work_answered(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct agent_stage *a = ctx;
	cairn_agent_answered(a->core, cairn_now_ns(), outcome);
	(void)work_turn(a); /* a decision, or the next query, goes out at once */
}

static bool take_grid(void *ctx, const struct cairn_frame_header *hdr, const void *cells)
{
	const struct agent_stage *a = ctx;
	struct cairn_scene_grid grid = {
	    cells, hdr->width, hdr->height, hdr->origin_x_m, hdr->origin_y_m, hdr->cell_m};
	bool ok = cairn_frame_packed(hdr, CAIRN_FORMAT_GRID8);
	if (ok)
		cairn_agent_on_grid(a->core, &grid);
	return ok;
}

int work_on_grid(void *ctx)
{
	struct agent_stage *a = ctx;
	cairn_stage_take_frame(a->stage, a->grid_sub, take_grid, a);
	return 0;
}
