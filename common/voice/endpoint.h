/* endpoint.h - where in a stream of sound somebody speaks to the robot.
 *
 * A frame of 20 ms is loud when it is CAIRN_SPEECH_OVER_DB above the background, the quietest frame of the last
 * CAIRN_SPEECH_FLOOR_FRAMES (speech has gaps and machines have none), and, in an utterance, not CAIRN_SPEECH_DROP_DB below its level:
 * others who talk farther away neither begin nor prolong what is said near the microphone. The level of an utterance is the loudest
 * mean of five frames in it.
 *
 * An utterance begins with the third loud frame of five. It ends behind CAIRN_SPEECH_END_MS in which no two frames of five were loud, or
 * when what is as loud as its level lasts longer than CAIRN_SPEECH_MAX_MS. Pure. */
#ifndef CAIRN_COMMON_VOICE_ENDPOINT_H
#define CAIRN_COMMON_VOICE_ENDPOINT_H

#include "common/voice/sound.h"

#define CAIRN_SPEECH_FRAME 320
#define CAIRN_SPEECH_OVER_DB 8.0
#define CAIRN_SPEECH_DROP_DB 14.0
#define CAIRN_SPEECH_FLOOR_FRAMES 75
#define CAIRN_SPEECH_END_MS 600
#define CAIRN_SPEECH_MAX_MS 8000
#define CAIRN_SPEECH_MAX_FRAMES (CAIRN_SPEECH_MAX_MS * (CAIRN_SOUND_HZ / 1000) / CAIRN_SPEECH_FRAME)

struct cairn_endpoint {
	double power[CAIRN_SPEECH_MAX_FRAMES]; /* of the last frames, a ring; 0: none yet */
	uint32_t next;
	uint32_t recent; /* loud frames, newest in bit 0 */
	bool speaking;
	double level;    /* of the utterance, as a power */
	uint32_t frames; /* since the first one as loud as the level, this one included */
	uint32_t quiet;  /* at the end of the utterance */
};

enum cairn_endpoint_event {
	CAIRN_ENDPOINT_NOTHING,
	CAIRN_ENDPOINT_BEGUN,
	CAIRN_ENDPOINT_ENDED, /* frames and quiet are still those of the utterance */
};

enum cairn_endpoint_event cairn_endpoint_frame(
    struct cairn_endpoint *e, const int16_t pcm[CAIRN_SPEECH_FRAME]);

/* Of the frame so many before the newest: is it, with one of the two before it, as loud as the utterance? */
bool cairn_endpoint_is_loud(const struct cairn_endpoint *e, uint32_t frames);
/* Does the frame so many before the newest belong to what is said in the utterance, being near a frame as loud as its level? */
bool cairn_endpoint_is_said(const struct cairn_endpoint *e, uint32_t frames);
/* Its power, as a multiple of the background's. */
double cairn_endpoint_over_background(const struct cairn_endpoint *e, uint32_t frames);

#endif
