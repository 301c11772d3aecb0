/* listen - hears commands and questions: sound in, commands out, as an operator on this machine gives them (common/voice/talk). What it
 * has heard and what became of it is told on the topic heard; what it answers goes to the stage speak. */
#include <string.h>

#include "procs/listen/listen.h"

static bool take_scene(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct listen_stage *s = core;
	(void)hdr, (void)now_ns;
	memcpy(&s->scene, m, sizeof(s->scene));
	cairn_facts_scene(&s->talk.facts, &s->scene);
	return false;
}

CAIRN_TAKE(take_mission, listen_stage, mission, (cairn_facts_mission(&core->talk.facts, m), 0))
CAIRN_TAKE(take_health, listen_stage, health, (cairn_facts_health(&core->talk.facts, m), 0))
CAIRN_TAKE(take_battery, listen_stage, battery, (core->talk.facts.battery_percent = m->percent, 0))
CAIRN_TAKE(take_spoken, listen_stage, spoken, (cairn_talk_spoken(&core->talk, m, now_ns), 0))

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SPOKEN, CAIRN_ACCEPT_PLAUSIBLE, take_spoken},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {CAIRN_TOPIC_HEALTH, CAIRN_ACCEPT_PLAUSIBLE, take_health},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {.take = NULL},
};

static const struct cairn_out outputs[] = {
    {CAIRN_TOPIC_HEARD, 0}, {CAIRN_TOPIC_SAY, 0}, {CAIRN_TOPIC_COUNT, 0}};

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
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

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct listen_stage *s = ctx;
	/* Ready before it has: a busy machine takes longer to load them than the launcher waits. */
	cairn_stage_note(stage, "loads its models");
	return cairn_talk_init(&s->talk, &s->cfg->voice, err) && hearing_open(s, err);
}

static void close_all(void *ctx)
{
	struct listen_stage *s = ctx;
	transcriber_destroy(&s->transcriber);
	sound_device_close(&s->device);
	ear_destroy(&s->ear);
}

#define ASK(service) CAIRN_PORT_ASK(service, struct listen_stage, clients[service], acting_on_reply)

static const struct cairn_port ports[] = {
    {ASK(CAIRN_SERVICE_OPERATOR)},
    {ASK(CAIRN_SERVICE_MOTOR_CTL)},
    {ASK(CAIRN_SERVICE_SCENE)},
    {CAIRN_PORT_OUT(outputs)},
    {CAIRN_PORT_IN_STATE(inputs)},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_VOICE, on_command)},
    {CAIRN_PORT_EVERY(20, hearing_turn)},
    {CAIRN_PORT_EVERY(2000, hearing_learn_names)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-listen", "hears commands and questions in speech; an operator like others",
    struct listen_stage, .open = open_all, .ports = ports, .close = close_all)
