/* ear.h - the recogniser in a thread of its own: loading its models and decoding an utterance take seconds on a busy machine, and the loop of
 * a stage must not wait. Sound goes in, events come out through a descriptor, in order. */
#ifndef CAIRN_PROCS_VOICE_EAR_H
#define CAIRN_PROCS_VOICE_EAR_H

#include "common/config/config.h"
#include "procs/voice/recognizer.h"

struct ear;

enum ear_event_kind {
	EAR_FAILED, /* it never will hear: why is in err */
	EAR_NAMES,  /* what can be said from now on is in names; unknown: what cannot */
	EAR_HEARD,  /* heard */
};

struct ear_event {
	enum ear_event_kind kind;
	struct cairn_error err;
	struct cairn_voice_names names;
	struct recognizer_event heard;
};

/* cfg is borrowed. NULL with the reason. */
struct ear *ear_new(const struct cairn_config_voice *cfg, struct cairn_error *err);
/* Waits until the thread has finished what it is decoding. */
void ear_destroy(struct ear **ear_p);
/* Readable when an event waits. */
int ear_fd(const struct ear *ear);
bool ear_take(struct ear *ear, struct ear_event *ret);
/* Samples that find no room, as the decoder is too far behind, are lost: so many. */
size_t ear_feed(struct ear *ear, const int16_t *pcm, size_t count);
/* Names to be said from now on; EAR_NAMES tells which of them can be. */
void ear_names(struct ear *ear, const struct cairn_voice_names *names);
/* The last utterance; free it with cairn_sound_free. False: none, or no memory. */
bool ear_last(struct ear *ear, struct cairn_sound *ret);

#endif
