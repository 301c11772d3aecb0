#include "common/voice/sound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 320 /* 20 ms */

void cairn_sound_free(struct cairn_sound *sound)
{
	free(sound->pcm);
	*sound = (struct cairn_sound){NULL, 0};
}

static uint32_t u16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) | u16(p + 2) << 16;
}

static int16_t clip(double v)
{
	return (int16_t)lrint(v < -32768.0 ? -32768.0 : v > 32767.0 ? 32767.0 : v);
}

struct wav {
	const uint8_t *data;
	size_t frames;
	uint32_t hz, channels;
};

static bool find_chunks(const uint8_t *b, size_t count, struct wav *w, struct cairn_error *err)
{
	size_t at = 12;
	if (count < 12 || memcmp(b, "RIFF", 4) != 0 || memcmp(b + 8, "WAVE", 4) != 0) {
		cairn_error_set(err, "no WAV file: it does not begin with RIFF and WAVE");
		return false;
	}
	while (at + 8 <= count) {
		uint32_t size = u32(b + at + 4);
		size_t left = count - at - 8;
		if (memcmp(b + at, "fmt ", 4) == 0 && size >= 16 && left >= 16) {
			if (u16(b + at + 8) != 1 || u16(b + at + 22) != 16) {
				cairn_error_set(err, "the samples are not PCM of 16 bit");
				return false;
			}
			w->channels = u16(b + at + 10);
			w->hz = u32(b + at + 12);
		} else if (memcmp(b + at, "data", 4) == 0 && w->hz != 0) {
			w->data = b + at + 8;
			w->frames = (size < left ? size : left) / (2u * (w->channels == 0 ? 1 : w->channels));
			break;
		}
		if (size > left)
			break;
		at += 8 + (size_t)size + (size & 1u);
	}
	if (w->channels < 1 || w->channels > 2 || w->hz < 4000 || w->hz > 96000) {
		cairn_error_set(err, "%u channels at %u Hz: only 1 or 2 at 4000 to 96000 Hz are read",
		    w->channels, w->hz);
		return false;
	}
	if (w->data == NULL)
		cairn_error_set(err, "there are no samples in it");
	return w->data != NULL;
}

static double sample(const struct wav *w, long i)
{
	if (i < 0 || (size_t)i >= w->frames)
		return 0.0;
	const uint8_t *p = w->data + (size_t)i * 2u * w->channels;
	double v = (int16_t)u16(p);
	return w->channels == 2 ? 0.5 * (v + (int16_t)u16(p + 2)) : v;
}

/* Band-limited: a sinc of 8 zero crossings to each side under a Hann window, cut at the lower of both rates. */
static double resampled(const struct wav *w, double at, double cut)
{
	double sum = 0.0, half = 8.0 / cut;
	for (long i = (long)ceil(at - half); i <= (long)floor(at + half); i++) {
		double x = (at - (double)i) * cut;
		double sinc = fabs(x) < 1e-9 ? 1.0 : sin(M_PI * x) / (M_PI * x);
		sum += sample(w, i) * cut * sinc * 0.5 * (1.0 + cos(M_PI * x / 8.0));
	}
	return sum;
}

bool cairn_sound_from_wav(
    const uint8_t *bytes, size_t count, struct cairn_sound *ret, struct cairn_error *err)
{
	struct wav w = {NULL, 0, 0, 0};
	if (!find_chunks(bytes, count, &w, err))
		return false;
	double step = (double)w.hz / CAIRN_SOUND_HZ, cut = step > 1.0 ? 1.0 / step : 1.0;
	size_t n = (size_t)((double)w.frames / step);
	int16_t *pcm = malloc((n + 1) * sizeof(*pcm));
	if (pcm == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	for (size_t i = 0; i < n; i++)
		pcm[i] = w.hz == CAIRN_SOUND_HZ ? clip(sample(&w, (long)i))
						: clip(resampled(&w, (double)i * step, cut));
	*ret = (struct cairn_sound){pcm, n};
	return true;
}

static void put(uint8_t *p, uint32_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

void cairn_wav_head(uint8_t head[CAIRN_WAV_HEAD_BYTES], size_t samples)
{
	uint32_t bytes = (uint32_t)(samples * 2);
	memcpy(head, "RIFF....WAVEfmt ", 16);
	put(head + 4, 36 + bytes, 4);
	put(head + 16, 16, 4);
	put(head + 20, 1, 2); /* PCM */
	put(head + 22, 1, 2); /* channels */
	put(head + 24, CAIRN_SOUND_HZ, 4);
	put(head + 28, CAIRN_SOUND_HZ * 2, 4);
	put(head + 32, 2, 2);
	put(head + 34, 16, 2);
	memcpy(head + 36, "data", 4);
	put(head + 40, bytes, 4);
}

double cairn_sound_power(const int16_t *pcm, size_t count)
{
	double sum = 0.0;
	for (size_t i = 0; i < count; i++)
		sum += (double)pcm[i] * pcm[i];
	return count > 0 ? sum / (double)count : 0.0;
}

double cairn_sound_level(const int16_t *pcm, size_t count)
{
	double most = 0.0, sum = 0.0;
	size_t n = 0, frames = count / FRAME;
	for (size_t i = 0; i < frames; i++)
		most = fmax(most, cairn_sound_power(pcm + i * FRAME, FRAME));
	for (size_t i = 0; i < frames; i++) {
		double p = cairn_sound_power(pcm + i * FRAME, FRAME);
		if (p <= 0.01 * most)
			continue;
		sum += p;
		n++;
	}
	return n > 0 ? sqrt(sum / (double)n) : 0.0;
}

void cairn_sound_mix(
    struct cairn_sound *sound, const int16_t *other, size_t other_count, size_t at, double snr_db)
{
	double own = cairn_sound_level(sound->pcm, sound->count);
	double theirs = cairn_sound_level(other, other_count);
	if (own <= 0.0 || theirs <= 0.0)
		return;
	double gain = own / theirs * pow(10.0, -snr_db / 20.0);
	for (size_t i = 0; i < sound->count; i++)
		sound->pcm[i] = clip(sound->pcm[i] + gain * other[(at + i) % other_count]);
}

void cairn_sound_noise(struct cairn_sound *sound, struct cairn_rng *rng, double snr_db)
{
	double level = cairn_sound_level(sound->pcm, sound->count) * pow(10.0, -snr_db / 20.0);
	for (size_t i = 0; i < sound->count && level > 0.0; i++)
		sound->pcm[i] = clip(sound->pcm[i] + level * cairn_rng_normal(rng));
}
