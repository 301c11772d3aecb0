/* Sound: files, levels, noise, and where somebody speaks. */
#include <math.h>

#include "common/voice/sound.h"
#include "test/support/runner.h"

/* A tone of so many samples at hz, as a WAV file of this rate and these channels. */
static uint8_t *tone(uint32_t rate, uint32_t channels, size_t frames, double hz, size_t *ret)
{
	size_t bytes = CAIRN_WAV_HEAD_BYTES + frames * channels * 2;
	uint8_t *b = calloc(1, bytes);
	cairn_wav_head(b, frames * channels);
	for (int i = 0; i < 4; i++)
		b[24 + i] = (uint8_t)(rate >> (8 * i));
	b[22] = (uint8_t)channels;
	for (size_t i = 0; i < frames; i++) {
		int16_t v = (int16_t)lrint(10000.0 * sin(2.0 * M_PI * hz * (double)i / rate));
		for (uint32_t c = 0; c < channels; c++)
			memcpy(b + CAIRN_WAV_HEAD_BYTES + 2 * (i * channels + c), &v, 2);
	}
	*ret = bytes;
	return b;
}

START_TEST(a_tone_of_another_rate_keeps_its_pitch_and_its_level)
{
	static const uint32_t rates[] = {8000, 16000, 22050, 48000};
	for (size_t k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
		size_t bytes, crossings = 0;
		struct cairn_sound s;
		struct cairn_error err = {""};
		uint8_t *b = tone(rates[k], 1 + k % 2, rates[k], 440.0, &bytes);
		ck_assert_msg(cairn_sound_from_wav(b, bytes, &s, &err), "%s", err.text);
		ck_assert_uint_ge(s.count, 15999);
		ck_assert_uint_le(s.count, 16000);
		for (size_t i = 1000; i + 1000 < s.count; i++)
			crossings += s.pcm[i] >= 0 && s.pcm[i - 1] < 0;
		ck_assert_uint_ge(crossings, 384); /* 440 Hz over 14000 samples: 385 */
		ck_assert_uint_le(crossings, 386);
		ck_assert_double_eq_tol(cairn_sound_level(s.pcm, s.count), 10000.0 / sqrt(2.0), 150.0);
		cairn_sound_free(&s);
		free(b);
	}
}
END_TEST

START_TEST(a_tone_above_what_16_khz_can_hold_is_left_out)
{
	size_t bytes;
	struct cairn_sound s;
	uint8_t *b = tone(48000, 1, 48000, 12000.0, &bytes);
	ck_assert(cairn_sound_from_wav(b, bytes, &s, NULL));
	ck_assert_double_le(
	    cairn_sound_level(s.pcm + 500, s.count - 1000), 100.0); /* 37 dB below the tone at least */
	cairn_sound_free(&s);
	free(b);
}
END_TEST

START_TEST(what_is_no_wav_file_is_refused_with_the_reason)
{
	size_t bytes;
	struct cairn_sound s;
	struct cairn_error err = {""};
	uint8_t *b = tone(16000, 1, 100, 440.0, &bytes);
	ck_assert(!cairn_sound_from_wav(b, 11, &s, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "no WAV file"));
	ck_assert(!cairn_sound_from_wav(b, 40, &s, &err)); /* the head ends before the samples */
	ck_assert_ptr_nonnull(strstr(err.text, "no samples"));
	b[34] = 8;
	ck_assert(!cairn_sound_from_wav(b, bytes, &s, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "16 bit"));
	b[34] = 16;
	b[22] = 6;
	ck_assert(!cairn_sound_from_wav(b, bytes, &s, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "6 channels"));
	free(b);
}
END_TEST

START_TEST(any_bytes_are_read_without_a_crash)
{
	struct cairn_rng rng;
	size_t bytes;
	uint8_t *b = tone(22050, 2, 300, 440.0, &bytes);
	cairn_rng_seed(&rng, 7, 7);
	for (int i = 0; i < CAIRN_ROUNDS(4000); i++) {
		struct cairn_sound s;
		uint8_t *c = malloc(bytes);
		memcpy(c, b, bytes);
		for (int k = 0; k < 4; k++)
			c[cairn_rng_u32(&rng) % 60] = (uint8_t)cairn_rng_u32(&rng);
		size_t n = cairn_rng_u32(&rng) % (bytes + 1);
		uint8_t *exact = malloc(n + 1); /* what is read behind its end, the sanitizer sees */
		memcpy(exact, c, n);
		if (cairn_sound_from_wav(exact, n, &s, NULL)) {
			ck_assert_uint_le(s.count, 16000);
			cairn_sound_free(&s);
		}
		free(exact);
		free(c);
	}
	free(b);
}
END_TEST

START_TEST(noise_is_as_much_quieter_as_was_asked)
{
	size_t bytes;
	struct cairn_sound s, clean;
	struct cairn_rng rng;
	uint8_t *b = tone(16000, 1, 32000, 300.0, &bytes);
	ck_assert(cairn_sound_from_wav(b, bytes, &s, NULL) && cairn_sound_from_wav(b, bytes, &clean, NULL));
	cairn_rng_seed(&rng, 1, 1);
	cairn_sound_noise(&s, &rng, 20.0);
	double sum = 0.0;
	for (size_t i = 0; i < s.count; i++)
		sum += pow(s.pcm[i] - clean.pcm[i], 2.0);
	ck_assert_double_eq_tol(sqrt(sum / (double)s.count), 10000.0 / sqrt(2.0) / 10.0, 20.0);
	cairn_sound_free(&s);
	cairn_sound_free(&clean);
	free(b);
}
END_TEST

CAIRN_TEST_MAIN("sound", a_tone_of_another_rate_keeps_its_pitch_and_its_level,
    a_tone_above_what_16_khz_can_hold_is_left_out, what_is_no_wav_file_is_refused_with_the_reason,
    any_bytes_are_read_without_a_crash, noise_is_as_much_quieter_as_was_asked)
