/* recognizer.h - speech to words by pocketsphinx: a keyword spotter for stop that hears everything, and the grammar of what can be said
 * for each utterance, weighed against what the same sounds are as mere sounds of English.
 *
 * One sound goes in, in pieces of any length, at the pace of the stream or faster; nothing here knows a clock. Built without pocketsphinx
 * there is none: recognizer_new says so. */
#ifndef CAIRN_PROCS_VOICE_RECOGNIZER_H
#define CAIRN_PROCS_VOICE_RECOGNIZER_H

#include "common/voice/endpoint.h"
#include "common/voice/intents.h"

struct recognizer;

enum recognizer_event_kind {
	RECOGNIZER_STOP,      /* the spotter has heard the stop word, just before at */
	RECOGNIZER_UTTERANCE, /* somebody has said something, from begin to at; words may be empty */
};

struct recognizer_event {
	enum recognizer_event_kind kind;
	char words[160];
	double confidence; /* 0..1, see recognizer_confidence */
	size_t begin, at;  /* samples since the start of the stream: at is the end of what was said */
};

typedef void recognizer_event_fn(void *ctx, const struct recognizer_event *event);

/* Programs without pocketsphinx: false. */
bool recognizer_is_built_in(void);

/* model_dir: see voice.model_dir. Spots stop words of at least stop_confidence. NULL with the reason. */
struct recognizer *recognizer_new(const char *model_dir, double stop_confidence, struct cairn_error *err);
void recognizer_destroy(struct recognizer **r_p);

/* Is the word in the dictionary? ctx: the recognizer. */
bool recognizer_knows(void *ctx, const char *word);
/* What can be said from now on. False with the reason: then what could be said before still can. */
bool recognizer_names(
    struct recognizer *r, const char *wake, const struct cairn_voice_names *names, struct cairn_error *err);

/* Takes samples; fn is called for what is found in them. */
void recognizer_feed(
    struct recognizer *r, const int16_t *pcm, size_t count, recognizer_event_fn *fn, void *ctx);
/* The stream has ended: an utterance that had not, does. */
void recognizer_flush(struct recognizer *r, recognizer_event_fn *fn, void *ctx);
/* The samples of the last utterance; valid until the next is fed. */
const int16_t *recognizer_last(const struct recognizer *r, size_t *ret_count);

#endif
