/* listen - hears commands and questions: sound in, commands out, as an operator on this machine gives them (common/voice/talk). What it
 * has heard and what became of it is told on the topic heard; what it answers goes to the stage speak. */
#include "procs/listen/listen.h"

CAIRN_TAKE(take_scene, listen_stage, scene,
    (core->scene = *m, cairn_facts_scene(&core->talk.facts, &core->scene), 0))
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
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_VOICE, acting_command)},
    {CAIRN_PORT_EVERY(20, hearing_turn)},
    {CAIRN_PORT_EVERY(2000, hearing_learn_names)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-listen", "hears commands and questions in speech; an operator like others",
    struct listen_stage, .open = open_all, .ports = ports, .close = close_all)
