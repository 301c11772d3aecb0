/* speaker.h - a queue of what is to be said, the synthesizer and the loudspeaker, and what the topic spoken tells of them. */
#ifndef CAIRN_PROCS_SPEAK_SPEAKER_H
#define CAIRN_PROCS_SPEAK_SPEAKER_H

#include "common/voice/news.h"
#include "common/voice/speech_queue.h"
#include "procs/shell/stage.h"
#include "procs/voice/sound_device.h"

struct speaker {
	CAIRN_STAGE_STATE;
	struct cairn_news news;
	struct cairn_speech_queue queue;
	struct sound_device *device;
	struct cairn_sound sound;
};

void speaker_add(struct speaker *s, const struct cairn_msg_say *say);
/* Commands of the service speech: words to be said, or silence. */
void speaker_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);
/* A loop callback: what ends, and what is said next. */
int speaker_turn(void *ctx);

#endif
