/* agent_bodies.c - prints the requests of whole episodes of the agent in every format, one JSON object a line: {"format", "query",
 * "body"}, for sdk_types.mjs. The scripted pilot answers in one format; the others are given the same calls in their own. */
#include "test/support/agent_rig.h"

#define CALLS_MAX 64

struct said {
	char tool[64];
	char *arguments;
};

static struct said said[CALLS_MAX];
static uint32_t said_count;

/* What the pilot has called. */
static void note(const struct rig *r)
{
	json_t *root = json_loadb(r->said.body.data, r->said.body.len, 0, NULL);
	const json_t *message =
	    json_object_get(json_array_get(json_object_get(root, "choices"), 0), "message");
	const json_t *f =
	    json_object_get(json_array_get(json_object_get(message, "tool_calls"), 0), "function");
	snprintf(
	    said[said_count].tool, sizeof(said[0].tool), "%s", json_string_value(json_object_get(f, "name")));
	said[said_count++].arguments = strdup(json_string_value(json_object_get(f, "arguments")));
	json_decref(root);
}

static void wrap(
    struct rig *r, enum cairn_choice_format format, const struct said *s, struct cairn_dialog_outcome *o)
{
	struct cairn_text *out = &r->said.body;
	cairn_text_clear(out);
	if (format == CAIRN_CHOICE_FORMAT_ANTHROPIC)
		cairn_text_addf(out,
		    "{\"content\":[{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"%s\",\"input\":%s}]}",
		    s->tool, s->arguments);
	else
		cairn_text_addf(out,
		    "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"%s\",\"args\":%"
		    "s},\"thoughtSignature\":\"c2VhbA==\"}]}}]}",
		    s->tool, s->arguments);
	*o = (struct cairn_dialog_outcome){
	    .status = 200, .body = out->data, .body_bytes = out->len, .retry_after_s = -1.0, .sent = true};
}

static bool picture(void *ctx, uint64_t number, const uint8_t **ret_jpeg, size_t *ret_bytes)
{
	static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
	(void)ctx, (void)number;
	*ret_jpeg = jpeg;
	*ret_bytes = sizeof(jpeg);
	return true;
}

struct task {
	const char *words;
	bool arm, look; /* by a robot with an arm; a picture is looked at on the way */
};

/* Some floor, so that there is a picture of the map. */
static void tell_floor(struct rig *r)
{
	static uint8_t cells[60 * 60];
	struct cairn_scene_grid grid = {cells, 60, 60, -3.0, -3.0, 0.1};
	cairn_agent_on_grid(r->agent, &grid);
}

static void episode(enum cairn_choice_format format, const struct task *task)
{
	struct rig *r = rig_new();
	uint32_t at = 0;
	r->profile.format = format;
	r->cfg.robot.arm_reach_m = task->arm ? 0.8 : 0.0;
	r->act_tool = task->look ? "look_at_pictures" : NULL;
	r->act_reply = "{\"reasoning\":\"\",\"pictures\":[\"7\"],\"question\":\"Is the sofa red?\"}";
	cairn_agent_destroy(&r->agent);
	rig_agent(r);
	cairn_agent_on_picture(r->agent, picture, NULL);
	r->hidden[1] = (struct rig_hidden){"sofa_1", "sofa", "red", "room_1"};
	rig_tell_all(r);
	tell_floor(r);
	rig_task(r, task->words);
	for (int i = 0; i < 2000 && !rig_over(r); i++) {
		const char *body;
		size_t bytes;
		struct cairn_dialog_outcome o;
		r->now_ns += RIG_TICK_NS;
		cairn_agent_on_mission(r->agent, &r->mission, r->now_ns);
		if (cairn_agent_poll(r->agent, r->now_ns, &body, &bytes) == CAIRN_DIALOG_SEND) {
			cairn_agent_message(r->agent, r->now_ns, &r->out);
			printf("{\"format\":\"%s\",\"query\":\"%.*s\",\"body\":%.*s}\n",
			    cairn_choice_format_words[format], (int)strcspn(r->out.step, ":"), r->out.step,
			    (int)bytes, body);
			if (format == CAIRN_CHOICE_FORMAT_OPENAI) {
				rig_serve(r, body, bytes, &o);
				note(r);
			} else {
				wrap(r, format, &said[at++], &o);
			}
			cairn_agent_answered(r->agent, r->now_ns, &o);
		}
		rig_drive(r);
		cairn_agent_message(r->agent, r->now_ns, &r->out);
	}
	rig_free(r);
}

int main(void)
{
	static const struct task tasks[] = {{"Where is the sofa?", false, true},
	    {"Is there a piano?", false, false}, {"Open the cupboard", true, false},
	    {"Pass the aquarium, stop at the sofa", false, false}};
	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		said_count = 0;
		for (int f = 0; f < CAIRN_CHOICE_FORMAT_COUNT; f++)
			episode((enum cairn_choice_format)f, &tasks[i]);
		for (uint32_t k = 0; k < said_count; k++)
			free(said[k].arguments);
	}
	return 0;
}
