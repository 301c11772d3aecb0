/* speak - says aloud what happens, and answers: words in, from the stages and from people, sound out. What it says is told on the topic
 * spoken, so that the stage listen does not take the robot's own voice for a person's. Nothing waits for it. */
#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "common/voice/news.h"
#include "common/voice/speech_queue.h"
#include "procs/shell/stage.h"
#include "procs/voice/sound_device.h"
#include "procs/voice/synthesizer.h"

#define TURN_MS 20
#define TELL_MS 500

struct app {
	struct cairn_stage *stage;
	const struct cairn_config_voice *cfg;
	struct cairn_news news;
	struct cairn_speech_queue queue;
	struct cairn_outbox *outbox;
	struct sound_device *device;
	struct cairn_sound sound;
};

static void tell(struct app *app)
{
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_SPOKEN, &app->queue.spoken, true, cairn_now_ns());
}

static void cut(struct app *app, const char *why)
{
	sound_device_cut(app->device);
	cairn_speech_queue_ended(&app->queue, why, cairn_now_ns());
	tell(app);
}

static void add(struct app *app, const struct cairn_msg_say *say)
{
	bool must_cut;
	if (cairn_speech_queue_add(&app->queue, say, cairn_now_ns(), &must_cut))
		tell(app);
	if (must_cut)
		cut(app, say->hush ? "asked to be silent" : "something more urgent");
}

static bool take_say(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr, (void)now_ns;
	add(core, m);
	return false;
}

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SAY, CAIRN_ACCEPT_PLAUSIBLE, take_say},
    {.take = NULL},
};

static const struct cairn_out outputs[] = {
    {CAIRN_TOPIC_SPOKEN, TELL_MS},
    {CAIRN_TOPIC_COUNT, 0},
};

static int minute_of_day(void)
{
	time_t t = time(NULL);
	struct tm tm = {.tm_hour = 0};
	(void)localtime_r(&t, &tm);
	return tm.tm_hour * 60 + tm.tm_min;
}

static void speak(struct app *app)
{
	struct voice_style style = {app->cfg->synthesizer, app->cfg->speaker, app->cfg->words_per_minute};
	struct cairn_error err = {""};
	cairn_sound_free(&app->sound);
	bool ok = synthesizer_say(&style, app->queue.spoken.text, &app->sound, &err);
	cairn_stage_tried(app->stage, "speak", ok ? NULL : err.text);
	int64_t now_ns = cairn_now_ns();
	if (!ok) {
		cairn_speech_queue_ended(&app->queue, "could not be made into sound", now_ns);
		tell(app);
		return;
	}
	cairn_log_info("says: %s", app->queue.spoken.text);
	sound_device_play(app->device, app->sound.pcm, app->sound.count, now_ns);
	app->queue.spoken.t_end_ns = now_ns + (int64_t)app->sound.count * 1000000000 / CAIRN_SOUND_HZ;
	tell(app);
}

static int turn(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_say say;
	struct cairn_error err = {""};
	bool left_out;
	while (cairn_news_take(&app->news, &say))
		add(app, &say);
	if (app->queue.speaking && !sound_device_playing(app->device, cairn_now_ns(), &err)) {
		cairn_stage_tried(app->stage, "play", err.text[0] != '\0' ? err.text : NULL);
		cairn_speech_queue_ended(
		    &app->queue, err.text[0] != '\0' ? "the loudspeaker failed" : NULL, cairn_now_ns());
		tell(app);
	}
	if (cairn_speech_queue_next(&app->queue, minute_of_day(), cairn_now_ns(), &left_out))
		speak(app);
	else if (left_out)
		tell(app);
	return 0;
}

static int repeat(void *ctx)
{
	struct app *app = ctx;
	cairn_stage_note(app->stage, app->queue.speaking ? app->queue.spoken.text : "silent");
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_SPOKEN, &app->queue.spoken, false, cairn_now_ns());
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	struct cairn_msg_say say = {.urgency = CAIRN_URGENCY_ANSWER};
	say.hush = strcmp(cmd->verb, "hush") == 0;
	if (!say.hush) {
		memcpy(say.text, cmd->arg, sizeof(say.text));
		cairn_text_plain(say.text);
	}
	reply->ok = say.hush || say.text[0] != '\0';
	snprintf(reply->text, sizeof(reply->text), "%s",
	    say.hush    ? "silent"
	    : reply->ok ? "will be said"
			: "nothing to say");
	if (reply->ok)
		add(app, &say);
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = &cairn_stage_config(stage)->voice;
	if (!cairn_speech_queue_init(&app->queue, app->cfg, err))
		return false;
	app->device = sound_device_open(app->cfg->speak_device, cairn_stage_run_dir(stage), false, err);
	if (app->device == NULL)
		return false;
	app->outbox = cairn_stage_outputs(stage, outputs);
	cairn_stage_inputs(stage, inputs, app, NULL, NULL);
	cairn_stage_inputs(stage, cairn_news_in, &app->news, NULL, NULL);
	cairn_stage_serve(stage, CAIRN_SERVICE_SPEECH, on_command, app);
	cairn_stage_every(stage, TURN_MS, turn, app);
	cairn_stage_every(stage, TELL_MS, repeat, app);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	sound_device_close(&app->device);
	cairn_sound_free(&app->sound);
}

CAIRN_STAGE_MAIN(
    "cairn-speak", "says aloud what happens, and answers", struct app, .open = open_all, .close = close_all)
