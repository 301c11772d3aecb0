/* speak - says aloud what happens, and answers: words in, from the stages and from people, sound out. What it says is told on the topic
 * spoken, so that the stage listen does not take the robot's own voice for a person's. Nothing waits for it. */
#include "procs/speak/speaker.h"

#define TURN_MS 20
#define TELL_MS 500

CAIRN_TAKE(take_say, speaker, say, (speaker_add(core, m), 0))

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SAY, CAIRN_ACCEPT_PLAUSIBLE, take_say},
    {.take = NULL},
};
static const struct cairn_out outputs[] = {{CAIRN_TOPIC_SPOKEN, TELL_MS}, {CAIRN_TOPIC_COUNT, 0}};

static int repeat(void *ctx)
{
	struct speaker *s = ctx;
	cairn_stage_note(s->stage, s->queue.speaking ? s->queue.spoken.text : "silent");
	cairn_outbox_put(s->outbox, CAIRN_TOPIC_SPOKEN, &s->queue.spoken, false, cairn_now_ns());
	return 0;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct speaker *s = ctx;
	const struct cairn_config_voice *cfg = &s->cfg->voice;
	if (cairn_speech_queue_init(&s->queue, cfg, err))
		s->device = sound_device_open(cfg->speak_device, cairn_stage_run_dir(stage), false, err);
	return s->device != NULL;
}

static void close_all(void *ctx)
{
	struct speaker *s = ctx;
	sound_device_close(&s->device);
	cairn_sound_free(&s->sound);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(outputs)},
    {CAIRN_PORT_IN_STATE(inputs)},
    {CAIRN_PORT_IN_PART(cairn_news_in, struct speaker, news)},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_SPEECH, speaker_command)},
    {CAIRN_PORT_EVERY(TURN_MS, speaker_turn)},
    {CAIRN_PORT_EVERY(TELL_MS, repeat)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-speak", "says aloud what happens, and answers", struct speaker, .open = open_all,
    .ports = ports, .close = close_all)
