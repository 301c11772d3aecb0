/* sound.h - sound as samples: 16 bit, one channel, 16 kHz, which is what recogniser, synthesisers and devices meet in. WAV in and out,
 * other rates, noise and other voices mixed in.
 *
 * Pure. Functions that make samples return memory of malloc, NULL with the reason. */
#ifndef CAIRN_COMMON_VOICE_SOUND_H
#define CAIRN_COMMON_VOICE_SOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/rng.h"

#define CAIRN_SOUND_HZ 16000
#define CAIRN_WAV_HEAD_BYTES 44
#define CAIRN_SOUND_BYTES_MAX (64u << 20) /* of a file: half an hour */

struct cairn_sound {
	int16_t *pcm; /* free with cairn_sound_free */
	size_t count;
};

void cairn_sound_free(struct cairn_sound *sound);

/* A WAV file in memory (RIFF, PCM 16 bit, 1 or 2 channels, 4 to 96 kHz) at 16 kHz; of two channels the mean. A size in its head that
 * is larger than what follows (a stream) counts as all that follows. False with the reason. */
bool cairn_sound_from_wav(
    const uint8_t *bytes, size_t count, struct cairn_sound *ret, struct cairn_error *err);
/* The head of a WAV file of so many samples at 16 kHz. */
void cairn_wav_head(uint8_t head[CAIRN_WAV_HEAD_BYTES], size_t samples);

/* Mean of the squares; 0 for no samples. */
double cairn_sound_power(const int16_t *pcm, size_t count);

/* Root of the mean square of the samples that are no silence (frames of 20 ms with more than a hundredth of the loudest frame's
 * power); 0 for silence. */
double cairn_sound_level(const int16_t *pcm, size_t count);

/* Adds other (repeated as often as needed, from sample at on) so that the level of sound is snr_db above its level. Louder than
 * 16 bit is cut. Nothing happens when either is silent. */
void cairn_sound_mix(
    struct cairn_sound *sound, const int16_t *other, size_t other_count, size_t at, double snr_db);
/* The same with white noise. */
void cairn_sound_noise(struct cairn_sound *sound, struct cairn_rng *rng, double snr_db);

#endif
