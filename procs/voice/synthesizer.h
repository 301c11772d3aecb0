/* synthesizer.h - text to sound by a program of the system: espeak-ng or flite. A process of its own for each text: nothing of theirs
 * is linked, and what hangs is ended. */
#ifndef CAIRN_PROCS_VOICE_SYNTHESIZER_H
#define CAIRN_PROCS_VOICE_SYNTHESIZER_H

#include "common/config/config.h"
#include "common/voice/sound.h"

struct voice_style {
	enum cairn_choice_synthesizer by;
	const char *voice;    /* in the program's own names ("en-us+f3", "slt"); empty: its default */
	int words_per_minute; /* 0: its default */
};

/* Waits, 10 s at most. False with the reason: no such program, or it made no sound. */
bool synthesizer_say(
    const struct voice_style *style, const char *text, struct cairn_sound *ret, struct cairn_error *err);

#endif
