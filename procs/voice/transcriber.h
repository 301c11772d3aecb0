/* transcriber.h - has a sound written down by a service that speaks OpenAI's /v1/audio/transcriptions: a thread for the call, its answer
 * through a descriptor. One call at a time. */
#ifndef CAIRN_PROCS_VOICE_TRANSCRIBER_H
#define CAIRN_PROCS_VOICE_TRANSCRIBER_H

#include "common/config/config.h"
#include "common/voice/sound.h"

struct transcriber;

/* NULL with the reason: no memory, or the environment variable of the key is not set. */
struct transcriber *transcriber_new(const struct cairn_config_voice *cfg, struct cairn_error *err);
/* Waits for a call in flight, voice.transcriber_timeout_s at most. */
void transcriber_destroy(struct transcriber **t_p);
/* Readable when an answer is there. */
int transcriber_fd(const struct transcriber *t);
/* Copies the samples and sends them. False: a call is in flight. */
bool transcriber_send(struct transcriber *t, const int16_t *pcm, size_t count);
/* The answer: what was said, or NULL with the reason. Valid until the next call. False: none is there. */
bool transcriber_take(struct transcriber *t, const char **ret_text, struct cairn_error *err);

#endif
