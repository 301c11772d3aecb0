#include "procs/speak/speaker.h"

#include <string.h>
#include <time.h>

#include "common/base/text.h"
#include "procs/voice/synthesizer.h"

static void tell(struct speaker *s)
{
	cairn_outbox_put(s->outbox, CAIRN_TOPIC_SPOKEN, &s->queue.spoken, true, cairn_now_ns());
}

static void cut(struct speaker *s, const char *why)
{
	sound_device_cut(s->device);
	cairn_speech_queue_ended(&s->queue, why, cairn_now_ns());
	tell(s);
}

void speaker_add(struct speaker *s, const struct cairn_msg_say *say)
{
	bool must_cut;
	if (cairn_speech_queue_add(&s->queue, say, cairn_now_ns(), &must_cut))
		tell(s);
	if (must_cut)
		cut(s, say->hush ? "asked to be silent" : "something more urgent");
}

static int minute_of_day(void)
{
	time_t t = time(NULL);
	struct tm tm = {.tm_hour = 0};
	(void)localtime_r(&t, &tm);
	return tm.tm_hour * 60 + tm.tm_min;
}

static void speak(struct speaker *s)
{
	struct voice_style style = {
	    s->cfg->voice.synthesizer, s->cfg->voice.speaker, s->cfg->voice.words_per_minute};
	struct cairn_error err = {""};
	cairn_sound_free(&s->sound);
	bool ok = synthesizer_say(&style, s->queue.spoken.text, &s->sound, &err);
	cairn_stage_tried(s->stage, "speak", ok ? NULL : err.text);
	int64_t now_ns = cairn_now_ns();
	if (!ok) {
		cairn_speech_queue_ended(&s->queue, "could not be made into sound", now_ns);
		tell(s);
		return;
	}
	cairn_log_info("says: %s", s->queue.spoken.text);
	sound_device_play(s->device, s->sound.pcm, s->sound.count, now_ns);
	s->queue.spoken.t_end_ns = now_ns + (int64_t)s->sound.count * 1000000000 / CAIRN_SOUND_HZ;
	tell(s);
}

int speaker_turn(void *ctx)
{
	struct speaker *s = ctx;
	struct cairn_msg_say say;
	struct cairn_error err = {""};
	bool left_out;
	while (cairn_news_take(&s->news, &say))
		speaker_add(s, &say);
	if (s->queue.speaking && !sound_device_playing(s->device, cairn_now_ns(), &err)) {
		cairn_stage_tried(s->stage, "play", err.text[0] != '\0' ? err.text : NULL);
		cairn_speech_queue_ended(
		    &s->queue, err.text[0] != '\0' ? "the loudspeaker failed" : NULL, cairn_now_ns());
		tell(s);
	}
	if (cairn_speech_queue_next(&s->queue, minute_of_day(), cairn_now_ns(), &left_out))
		speak(s);
	else if (left_out)
		tell(s);
	return 0;
}

void speaker_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct speaker *s = ctx;
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
		speaker_add(s, &say);
}
