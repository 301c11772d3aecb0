#include "common/voice/endpoint.h"

#include <math.h>

#define FRAME_MS (1000 * CAIRN_SPEECH_FRAME / CAIRN_SOUND_HZ)
#define FLOOR_LEAST 100.0 /* power of the quietest background that counts: 10 of 32768 */
#define END_FRAMES (CAIRN_SPEECH_END_MS / FRAME_MS)
#define MARGIN 9 /* frames around a loud one in which weak sounds of the same word are */
#define SMOOTH 5 /* frames of which the mean is taken for a level */

/* Power of the frame so many before the newest; 0: there was none. */
static double ago(const struct cairn_endpoint *e, uint32_t frames)
{
	return e->power[(e->next + CAIRN_SPEECH_MAX_FRAMES - 1u - frames) % CAIRN_SPEECH_MAX_FRAMES];
}

static double background(const struct cairn_endpoint *e)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < CAIRN_SPEECH_FLOOR_FRAMES; i++)
		if (ago(e, i) > 0.0 && ago(e, i) < least)
			least = ago(e, i);
	return least;
}

/* One alone is a crack. */
bool cairn_endpoint_is_loud(const struct cairn_endpoint *e, uint32_t frames)
{
	double least = e->level * pow(10.0, -CAIRN_SPEECH_DROP_DB / 10.0);
	int loud = 0;
	for (uint32_t i = frames; i < frames + 3; i++)
		loud += ago(e, i) > least;
	return loud >= 2;
}

/* The loudest there was counts: what was said before at much less than that, with an end behind it, was somebody else. */
static void raise_level(struct cairn_endpoint *e)
{
	double sum = 0.0;
	uint32_t quiet = 0, last = 0;
	for (uint32_t i = 0; i < SMOOTH; i++)
		sum += ago(e, i);
	if (sum / SMOOTH <= e->level)
		return;
	e->level = sum / SMOOTH;
	for (uint32_t i = 0; i < e->frames && quiet < END_FRAMES; i++) {
		quiet = cairn_endpoint_is_loud(e, i) ? 0 : quiet + 1;
		last = quiet == 0 ? i : last;
	}
	if (last + 1 < e->frames)
		e->frames = last + 1 > SMOOTH ? last + 1 : SMOOTH;
}

bool cairn_endpoint_is_said(const struct cairn_endpoint *e, uint32_t frames)
{
	for (uint32_t i = frames > MARGIN ? frames - MARGIN : 0; i <= frames + MARGIN; i++)
		if (cairn_endpoint_is_loud(e, i))
			return true;
	return false;
}

double cairn_endpoint_over_background(const struct cairn_endpoint *e, uint32_t frames)
{
	return ago(e, frames) / background(e);
}

enum cairn_endpoint_event cairn_endpoint_frame(
    struct cairn_endpoint *e, const int16_t pcm[CAIRN_SPEECH_FRAME])
{
	double p = fmax(cairn_sound_power(pcm, CAIRN_SPEECH_FRAME), FLOOR_LEAST);
	e->power[e->next] = p;
	e->next = (e->next + 1) % CAIRN_SPEECH_MAX_FRAMES;
	bool loud = p > background(e) * pow(10.0, CAIRN_SPEECH_OVER_DB / 10.0) &&
		    (!e->speaking || p > e->level * pow(10.0, -CAIRN_SPEECH_DROP_DB / 10.0));
	e->recent = (e->recent << 1 | loud) & 0x1f;
	if (!e->speaking) {
		if (__builtin_popcount(e->recent) < 3)
			return CAIRN_ENDPOINT_NOTHING;
		e->speaking = true;
		e->level = 0.0;
		e->frames = SMOOTH;
		e->quiet = 0;
		raise_level(e);
		return CAIRN_ENDPOINT_BEGUN;
	}
	e->frames++;
	raise_level(e);
	e->quiet = loud && __builtin_popcount(e->recent) >= 2 ? 0 : e->quiet + 1;
	if (e->quiet < END_FRAMES && e->frames < CAIRN_SPEECH_MAX_FRAMES)
		return CAIRN_ENDPOINT_NOTHING;
	e->speaking = false;
	e->recent = 0;
	return CAIRN_ENDPOINT_ENDED;
}
