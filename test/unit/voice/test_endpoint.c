/* Where in a stream somebody speaks. Levels are those of noise, one frame at a time. */
#include "common/voice/endpoint.h"

#include <math.h>

#include "test/support/runner.h"

static void frame(int16_t pcm[CAIRN_SPEECH_FRAME], double level, struct cairn_rng *rng)
{
	for (int i = 0; i < CAIRN_SPEECH_FRAME; i++)
		pcm[i] = (int16_t)lrint(level * cairn_rng_normal(rng));
}

START_TEST(an_utterance_begins_with_loud_frames_and_ends_so_long_behind_them)
{
	struct cairn_endpoint e = {0};
	struct cairn_rng rng;
	int16_t pcm[CAIRN_SPEECH_FRAME];
	int begun = -1, ended = -1;
	cairn_rng_seed(&rng, 3, 3);
	for (int i = 0; i < 200; i++) { /* 1 s quiet, 1 s loud, 2 s quiet */
		frame(pcm, i >= 50 && i < 100 ? 2000.0 : 100.0, &rng);
		enum cairn_endpoint_event event = cairn_endpoint_frame(&e, pcm);
		if (event == CAIRN_ENDPOINT_BEGUN)
			begun = i;
		if (event == CAIRN_ENDPOINT_ENDED)
			ended = i;
	}
	ck_assert_int_eq(begun, 52);
	ck_assert_int_eq(ended, 99 + CAIRN_SPEECH_END_MS / 20);
}
END_TEST

START_TEST(a_machine_that_starts_to_run_becomes_the_background)
{
	struct cairn_endpoint e = {0};
	struct cairn_rng rng;
	int16_t pcm[CAIRN_SPEECH_FRAME];
	int begun = 0;
	cairn_rng_seed(&rng, 4, 4);
	for (int i = 0; i < 3000; i++) { /* a minute, loud from the first second on */
		frame(pcm, i >= 50 ? 2000.0 : 100.0, &rng);
		begun += cairn_endpoint_frame(&e, pcm) == CAIRN_ENDPOINT_BEGUN;
	}
	ck_assert_int_eq(begun, 1);
	ck_assert(!e.speaking);
}
END_TEST

/* Feeds noise of a level, in 32768, for so many frames. The frame of the last event of that kind, counted from the first feed; -1 none. */
static int feed(struct cairn_endpoint *e, struct cairn_rng *rng, int *at, int frames, double level,
    enum cairn_endpoint_event wanted)
{
	int16_t pcm[CAIRN_SPEECH_FRAME];
	int found = -1;
	for (int i = 0; i < frames; i++, (*at)++) {
		frame(pcm, level, rng);
		if (cairn_endpoint_frame(e, pcm) == wanted)
			found = *at;
	}
	return found;
}

START_TEST(others_who_talk_20_db_lower_neither_begin_nor_prolong_what_is_said_near)
{
	for (int before = 5; before <= 350; before += 69) {
		struct cairn_endpoint e = {0};
		struct cairn_rng rng;
		int at = 0;
		cairn_rng_seed(&rng, 5, (uint64_t)before);
		feed(&e, &rng, &at, 80, 15.0, CAIRN_ENDPOINT_BEGUN);
		feed(&e, &rng, &at, before, 200.0, CAIRN_ENDPOINT_BEGUN);                    /* they talk */
		ck_assert_int_eq(feed(&e, &rng, &at, 20, 2000.0, CAIRN_ENDPOINT_ENDED), -1); /* "stop" */
		ck_assert_uint_ge(e.frames, 18);
		ck_assert_uint_le(e.frames, 25);
		int said = at;
		int ended = feed(
		    &e, &rng, &at, CAIRN_SPEECH_END_MS / 20, 200.0, CAIRN_ENDPOINT_ENDED); /* they go on */
		ck_assert_int_eq(ended, said - 1 + CAIRN_SPEECH_END_MS / 20);
		ck_assert_uint_eq(e.quiet, CAIRN_SPEECH_END_MS / 20);
	}
}
END_TEST

START_TEST(a_crack_does_not_prolong_an_utterance)
{
	struct cairn_endpoint e = {0};
	struct cairn_rng rng;
	int at = 0;
	cairn_rng_seed(&rng, 6, 6);
	feed(&e, &rng, &at, 80, 15.0, CAIRN_ENDPOINT_BEGUN);
	feed(&e, &rng, &at, 30, 2000.0, CAIRN_ENDPOINT_ENDED);
	feed(&e, &rng, &at, 10, 15.0, CAIRN_ENDPOINT_ENDED);
	feed(&e, &rng, &at, 1, 2000.0, CAIRN_ENDPOINT_ENDED);
	ck_assert_int_eq(
	    feed(&e, &rng, &at, CAIRN_SPEECH_END_MS / 20 - 11, 15.0, CAIRN_ENDPOINT_ENDED), at - 1);
}
END_TEST

START_TEST(a_weak_syllable_does_not_cut_an_utterance)
{
	struct cairn_endpoint e = {0};
	struct cairn_rng rng;
	int at = 0;
	cairn_rng_seed(&rng, 7, 7);
	feed(&e, &rng, &at, 80, 15.0, CAIRN_ENDPOINT_BEGUN);
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(feed(&e, &rng, &at, 10, 2000.0, CAIRN_ENDPOINT_ENDED), -1);
		ck_assert_int_eq(feed(&e, &rng, &at, 20, 500.0, CAIRN_ENDPOINT_ENDED), -1); /* 12 dB */
	}
}
END_TEST

CAIRN_TEST_MAIN("endpoint", an_utterance_begins_with_loud_frames_and_ends_so_long_behind_them,
    a_machine_that_starts_to_run_becomes_the_background,
    others_who_talk_20_db_lower_neither_begin_nor_prolong_what_is_said_near,
    a_crack_does_not_prolong_an_utterance, a_weak_syllable_does_not_cut_an_utterance)
