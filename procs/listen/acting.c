/* acting.c - what was said, done: commands as an operator gives them, answers to whoever asked. */
#include <jansson.h>
#include <string.h>

#include "common/base/geom.h"
#include "procs/listen/listen.h"

static void put(
    struct listen_stage *s, enum cairn_service service, uint64_t tag, struct cairn_msg_command *cmd)
{
	cmd->expires_ns = cairn_now_ns() + CAIRN_TALK_ANSWER_MS * CAIRN_NS_PER_MS;
	if (s->clients[service] != NULL && cairn_client_send(s->clients[service], tag, cmd) != 0)
		cairn_talk_replied(&s->talk, tag, false, "whoever does that is not there", cairn_now_ns());
}

/* A goto by name: the scene graph knows where to stand for it, the sequencer knows only rooms and places by name. */
static void give(struct listen_stage *s, const struct cairn_talk_act *a)
{
	struct cairn_msg_command cmd = a->request;
	enum cairn_service service = cairn_commands[a->command].service;
	s->going_tag = 0;
	if (a->command == CAIRN_COMMAND_GOTO) {
		s->going = cmd;
		s->going_tag = a->tag;
		snprintf(cmd.verb, sizeof(cmd.verb), "resolve");
		service = CAIRN_SERVICE_SCENE;
	}
	put(s, service, a->tag, &cmd);
}

static void go(struct listen_stage *s, const struct cairn_msg_reply *reply)
{
	json_t *j = json_loads(reply->data, 0, NULL), *at = json_object_get(j, "approach");
	uint64_t tag = s->going_tag;
	s->going_tag = 0;
	if (json_is_true(json_object_get(j, "found")) && json_is_object(at)) {
		s->going.arg[0] = '\0';
		s->going.x_m = json_number_value(json_object_get(at, "x_m"));
		s->going.y_m = json_number_value(json_object_get(at, "y_m"));
	}
	json_decref(j);
	put(s, CAIRN_SERVICE_OPERATOR, tag, &s->going);
}

static void tell_heard(struct listen_stage *s, const struct cairn_msg_heard *m)
{
	cairn_log_info("heard '%s' (%.2f): %s%s%s: %s", m->words, m->confidence,
	    cairn_enum_text(&cairn_enum_heard_verdict, (int)m->verdict), m->command[0] != '\0' ? ", " : "",
	    m->command, m->reply);
	cairn_outbox_put(s->outbox, CAIRN_TOPIC_HEARD, m, true, cairn_now_ns());
}

static void transcribe(struct listen_stage *s)
{
	struct cairn_error err = {"nobody writes it down"};
	struct cairn_sound said = {NULL, 0};
	bool sent = s->transcriber != NULL && ear_last(s->ear, &said) &&
		    transcriber_send(s->transcriber, said.pcm, said.count);
	cairn_sound_free(&said);
	if (!sent)
		cairn_talk_transcribed(&s->talk, NULL, &err, cairn_now_ns());
}

void acting_do(struct listen_stage *s)
{
	static struct cairn_talk_act a;
	while (cairn_talk_take(&s->talk, &a)) {
		if (a.kind == CAIRN_TALK_COMMAND)
			give(s, &a);
		else if (a.kind == CAIRN_TALK_SAY)
			cairn_outbox_put(s->outbox, CAIRN_TOPIC_SAY, &a.say, true, cairn_now_ns());
		else if (a.kind == CAIRN_TALK_HEARD)
			tell_heard(s, &a.heard);
		else
			transcribe(s);
	}
}

static void take_replies(struct listen_stage *s, enum cairn_service service)
{
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (s->clients[service] != NULL && cairn_client_recv(s->clients[service], &tag, &reply) == 1) {
		if (service == CAIRN_SERVICE_SCENE && tag == s->going_tag)
			go(s, &reply);
		else
			cairn_talk_replied(&s->talk, tag, reply.ok, reply.text, cairn_now_ns());
	}
}

int acting_on_reply(void *ctx)
{
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++)
		take_replies(ctx, (enum cairn_service)i);
	acting_do(ctx);
	return 0;
}

void acting_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct listen_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	reply->ok = true;
	cairn_talk_push(&s->talk, now_ns);
	if (strcmp(cmd->verb, "tell") == 0) { /* typed: certain */
		char plain[256];
		cairn_voice_plain(plain, sizeof(plain), cmd->arg);
		struct cairn_utterance u = {plain, 1.0, now_ns, now_ns};
		s->talk.deaf_until_ns = 0;
		cairn_talk_hear(&s->talk, &u, now_ns);
	}
	acting_do(s);
	snprintf(
	    reply->text, sizeof(reply->text), "%s", strcmp(cmd->verb, "tell") == 0 ? "taken" : "it listens");
}
