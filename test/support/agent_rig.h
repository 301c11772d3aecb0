/* agent_rig.h - the agent's core in closed loop with the scripted pilot and a house of four openings, without processes.
 *
 * A drive ends after two seconds. Behind each opening that is driven to something comes in sight: what, the test says. */
#ifndef CAIRN_TEST_SUPPORT_AGENT_RIG_H
#define CAIRN_TEST_SUPPORT_AGENT_RIG_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/agent/agent.h"
#include "common/agent/queries.h"
#include "common/base/geom.h"
#include "common/sim/pilot/pilot_api.h"
#include "common/vlm/exchange.h"

#define RIG_OPENINGS 4
#define RIG_TICK_NS (100 * CAIRN_NS_PER_MS)

struct rig_hidden {
	const char *id, *label, *colour, *room;
};

struct rig {
	struct cairn_config cfg;
	struct cairn_profile profile;
	struct cairn_agent *agent;
	struct cairn_pilot_api pilot;
	struct cairn_pilot_answer said;
	struct cairn_msg_scene scene;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_mission mission;
	struct cairn_msg_agent out;
	struct cairn_msg_decision driving; /* id 0: none */
	struct rig_hidden hidden[RIG_OPENINGS];
	int64_t now_ns, t_drive_ns;
	bool moves; /* drives to points and turns to headings move the pose; else it stays */
	struct cairn_pose2 at;
	uint64_t map_id;                  /* of its pose */
	bool refuses;                     /* every drive */
	int status;                       /* of the service; 200 */
	bool uncounted;                   /* it tells of no tokens */
	const char *reply;                /* given instead of the pilot's to queries of reply_to */
	int reply_to;                     /* a row of cairn_agent_tools that the query forces; -1: none */
	const char *act_tool, *act_reply; /* the next call of a step, once; then the pilot's */
	struct cairn_text bodies, record;
	struct cairn_replay *replay;
	uint32_t calls, same, decisions, spins;
	uint32_t called_off;    /* drives that the agent has ended by itself */
	uint32_t busy_refusals; /* of decisions that came while another one was driven */
};

static inline void rig_node(struct rig *r, enum cairn_scene_kind kind, const char *id, const char *label,
    const char *colour, const char *room, double x_m, double y_m)
{
	struct cairn_msg_scene_node *n = &r->scene.nodes[r->scene.nodes_count++];
	*n = (struct cairn_msg_scene_node){
	    .kind = kind, .x_m = x_m, .y_m = y_m, .seen = 4, .area_m2 = 12.0, .confidence = 0.9};
	snprintf(n->id, sizeof(n->id), "%s", id);
	snprintf(n->label, sizeof(n->label), "%s", label);
	snprintf(n->colour, sizeof(n->colour), "%s", colour);
	snprintf(n->room, sizeof(n->room), "%s", room);
	r->scene.objects += kind == CAIRN_SCENE_KIND_OBJECT;
	r->scene.rooms += kind == CAIRN_SCENE_KIND_ROOM;
	r->scene.version++;
}

static inline void rig_tell_all(struct rig *r)
{
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD,
	    .x_m = r->at.x_m,
	    .y_m = r->at.y_m,
	    .yaw_rad = r->at.yaw_rad,
	    .map_id = r->map_id};
	cairn_agent_on_pose(r->agent, &pose);
	cairn_agent_on_scene(r->agent, &r->scene);
	cairn_agent_on_frontiers(r->agent, &r->frontiers);
	cairn_agent_on_mission(r->agent, &r->mission, r->now_ns);
}

static inline void rig_agent(struct rig *r)
{
	struct cairn_error err = {""};
	r->agent = cairn_agent_new(&r->cfg, &r->profile, &err);
	if (r->agent == NULL)
		abort();
}

static inline struct rig *rig_new(void)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct cairn_error err = {""};
	cairn_config_defaults(&r->cfg);
	cairn_profile_defaults(&r->profile);
	r->cfg.agent.enabled = true;
	r->cfg.pilot.profile = CAIRN_CHOICE_PILOT_SCHOLAR;
	r->now_ns = 1000 * CAIRN_NS_PER_S;
	r->status = 200;
	r->reply_to = -1;
	if (!cairn_pilot_api_init(&r->pilot, &r->cfg.pilot, &err))
		abort();
	rig_agent(r);
	rig_node(r, CAIRN_SCENE_KIND_ROOM, "room_1", "hall", "", "", 0.0, 0.0);
	for (uint32_t i = 0; i < RIG_OPENINGS; i++)
		r->frontiers.items[r->frontiers.items_count++] = (struct cairn_msg_frontier){
		    .id = 10 + i, .x_m = 1.0 + i, .y_m = 2.0, .distance_m = 2.0 + i, .width_m = 1.0};
	r->frontiers.free_m2 = 10.0;
	rig_tell_all(r);
	return r;
}

/* Three things behind its openings: two chairs and a red sofa in the hall. */
static inline struct rig *rig_house(void)
{
	struct rig *r = rig_new();
	r->hidden[1] = (struct rig_hidden){"chair_1", "chair", "", "room_1"};
	r->hidden[2] = (struct rig_hidden){"sofa_1", "sofa", "red", "room_1"};
	r->hidden[3] = (struct rig_hidden){"chair_2", "chair", "", "room_1"};
	return r;
}

static inline void rig_free(struct rig *r)
{
	cairn_agent_destroy(&r->agent);
	cairn_text_free(&r->said.body);
	cairn_text_free(&r->bodies);
	cairn_text_free(&r->record);
	if (r->replay != NULL)
		cairn_replay_close(&r->replay);
	free(r);
}

static inline void rig_task(struct rig *r, const char *words)
{
	r->mission.state = CAIRN_MISSION_STATE_TASK;
	r->mission.task_id++;
	snprintf(r->mission.task, sizeof(r->mission.task), "%s", words);
	cairn_agent_on_mission(r->agent, &r->mission, r->now_ns);
}

/* The answer of the service to a body. */
static inline void rig_serve(struct rig *r, const char *body, size_t bytes, struct cairn_dialog_outcome *ret)
{
	char force[96];
	struct cairn_replay_answer kept;
	*ret = (struct cairn_dialog_outcome){
	    .status = r->status, .retry_after_s = -1.0, .sent = true, .error = "down"};
	if (r->replay != NULL) {
		if (!cairn_replay_next(r->replay, body, bytes, &kept))
			abort();
		r->same += kept.same_request;
		ret->body = kept.response;
		ret->body_bytes = kept.response_bytes;
		return;
	}
	if (r->status != 200)
		return;
	snprintf(force, sizeof(force), "\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"%s\"",
	    r->reply_to >= 0 ? cairn_agent_tools.rows[r->reply_to].name : "-");
	bool forced = r->reply_to >= 0 && strstr(body, force) != NULL;
	bool act = r->act_tool != NULL && strstr(body, "\"type\":\"allowed_tools\"") != NULL;
	if (forced || act) {
		cairn_text_clear(&r->said.body);
		cairn_text_addf(&r->said.body,
		    "{\"choices\":[{\"message\":{\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
		    "\"function\":{\"name\":\"%s\","
		    "\"arguments\":",
		    act ? r->act_tool : cairn_agent_tools.rows[r->reply_to].name);
		cairn_text_json_string(&r->said.body, act ? r->act_reply : r->reply);
		if (act)
			r->act_tool = NULL;
		cairn_text_add(
		    &r->said.body, "}}]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}");
	} else {
		cairn_pilot_api_answer(&r->pilot, "POST", "/v1/chat/completions", body, bytes, 0, &r->said);
		ret->status = r->said.status;
	}
	char *usage = r->uncounted ? strstr(r->said.body.data, "\"usage\"") : NULL;
	if (usage != NULL)
		memcpy(usage, "\"other\"", 7);
	ret->body = r->said.body.data;
	ret->body_bytes = r->said.body.len;
}

static inline void rig_ask(struct rig *r, const char *body, size_t bytes)
{
	struct cairn_dialog_outcome o;
	r->calls++;
	cairn_text_bytes(&r->bodies, body, bytes);
	cairn_text_add(&r->bodies, "\n");
	rig_serve(r, body, bytes, &o);
	struct cairn_exchange x = {.provider = "pilot",
	    .format = "openai",
	    .url = "u",
	    .request = body,
	    .request_bytes = bytes,
	    .status = o.status,
	    .error = "",
	    .response = o.body,
	    .response_bytes = o.body_bytes,
	    .retry_after_s = -1.0};
	cairn_exchange_line(&r->record, &x);
	cairn_agent_answered(r->agent, r->now_ns, &o);
}

/* What the robot sees behind the opening that it was sent to. */
static inline void rig_reveal(struct rig *r, uint32_t frontier_id)
{
	struct cairn_msg_frontiers *f = &r->frontiers;
	for (uint32_t i = f->items_count; i-- > 0;) {
		if (f->items[i].id != frontier_id)
			continue;
		memmove(&f->items[i], &f->items[i + 1], (f->items_count - i - 1) * sizeof(f->items[0]));
		f->items_count--;
		f->free_m2 += 8.0;
		const struct rig_hidden *h = &r->hidden[frontier_id - 10];
		if (h->id != NULL)
			rig_node(r, CAIRN_SCENE_KIND_OBJECT, h->id, h->label, h->colour, h->room,
			    1.0 + frontier_id, 2.0);
	}
}

/* Where a drive ends. */
static inline void rig_move(struct rig *r, const struct cairn_msg_decision *d)
{
	if (d->tool == CAIRN_TOOL_ROTATE)
		r->at.yaw_rad =
		    cairn_wrap_rad((d->absolute ? 0.0 : r->at.yaw_rad) - cairn_deg_to_rad(d->angle_deg));
	else if (d->goal_kind == CAIRN_GOAL_KIND_COORDINATES)
		r->at = (struct cairn_pose2){d->x_m, d->y_m, atan2(d->y_m - r->at.y_m, d->x_m - r->at.x_m)};
}

static inline void rig_drive(struct rig *r)
{
	struct cairn_msg_decision d;
	while (cairn_agent_take_decision(r->agent, &d)) {
		if (r->driving.id != 0 && d.tool == CAIRN_TOOL_STOP_ROBOT) { /* it may take back its own */
			struct cairn_msg_result off = {.decision_id = r->driving.id,
			    .source = CAIRN_SOURCE_AGENT,
			    .tool = r->driving.tool,
			    .outcome = CAIRN_OUTCOME_REPLACED,
			    .distance_m = 1.0};
			r->driving.id = 0;
			r->called_off++;
			cairn_agent_on_result(r->agent, &off, r->now_ns);
		}
		if (r->driving.id != 0) { /* as the sequencer does */
			struct cairn_msg_result no = {.decision_id = d.id,
			    .source = CAIRN_SOURCE_AGENT,
			    .tool = d.tool,
			    .outcome = CAIRN_OUTCOME_REFUSED,
			    .reason = "another decision is still being executed"};
			r->busy_refusals++;
			cairn_agent_on_result(r->agent, &no, r->now_ns);
			continue;
		}
		r->driving = d;
		r->mission.decision_source = CAIRN_SOURCE_AGENT;
		r->decisions++;
		r->t_drive_ns = r->now_ns;
		r->mission.decision_id = r->refuses ? 0 : d.id;
	}
	if (r->driving.id == 0 || (!r->refuses && r->now_ns - r->t_drive_ns < 2 * CAIRN_NS_PER_S))
		return;
	struct cairn_msg_result result = {.decision_id = r->driving.id,
	    .source = CAIRN_SOURCE_AGENT,
	    .tool = r->driving.tool,
	    .outcome = r->refuses ? CAIRN_OUTCOME_REFUSED : CAIRN_OUTCOME_SUCCESS,
	    .distance_m = r->refuses || r->driving.tool == CAIRN_TOOL_STOP_ROBOT ? 0.0 : 2.0};
	snprintf(result.executed, sizeof(result.executed), "drove");
	snprintf(result.reason, sizeof(result.reason), r->refuses ? "a wall" : "there");
	if (!r->refuses && r->driving.goal_kind == CAIRN_GOAL_KIND_FRONTIER &&
	    r->driving.tool == CAIRN_TOOL_NAVIGATE_TO_GOAL)
		rig_reveal(r, r->driving.frontier_id);
	if (r->moves && !r->refuses)
		rig_move(r, &r->driving);
	r->driving.id = r->mission.decision_id = 0;
	rig_tell_all(r);
	cairn_agent_on_result(r->agent, &result, r->now_ns);
}

static inline void rig_tick(struct rig *r)
{
	const char *body;
	size_t bytes;
	r->now_ns += RIG_TICK_NS;
	cairn_agent_on_mission(r->agent, &r->mission, r->now_ns);
	if (cairn_agent_poll(r->agent, r->now_ns, &body, &bytes) == CAIRN_DIALOG_SEND)
		rig_ask(r, body, bytes);
	rig_drive(r);
	cairn_agent_message(r->agent, r->now_ns, &r->out);
}

static inline bool rig_over(const struct rig *r)
{
	return r->out.task_id == r->mission.task_id && r->out.state >= CAIRN_AGENT_STATE_DONE;
}

/* Until the episode is over, at most so long. */
static inline bool rig_run(struct rig *r, double seconds)
{
	for (int i = 0; i < (int)(seconds * 10.0); i++) {
		rig_tick(r);
		if (rig_over(r))
			return true;
	}
	return false;
}

#endif
