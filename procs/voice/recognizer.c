#include "procs/voice/recognizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if CAIRN_POCKETSPHINX

#include <pocketsphinx.h>
#include <sys/mman.h>

#define KEPT_S 12 /* of the stream, for the utterance that ends now */
#define KEPT (KEPT_S * CAIRN_SOUND_HZ)
#define PRE_FRAMES 15 /* an utterance is heard from so many frames of 20 ms before it was noticed */
#define SPOT_SPAN                                                                                            \
	(CAIRN_SOUND_HZ * 14 / 10)         /* what is looked at again when the spotter has heard something */
#define SPOT_AGAIN (CAIRN_SOUND_HZ)        /* the same word is not told twice within this */
#define SPOT_RESTART (CAIRN_SOUND_HZ * 20) /* the spotter's own memory is emptied so often */
#define SPOT_PROBABILITY "1e-20"           /* of the key phrases, against any other sounds */
#define STOP_DIP 8                         /* frames of 20 ms without speech behind a stop */
#define STOP_FRAMES_MAX 80                 /* frames that a stop lasts at most */
#define DITHER 6.0 /* of 32768: digital silence, which no microphone gives, confuses the decoder */

/* Differences of log-likelihoods a frame (in the decoder's units) become confidences by a logistic curve: this difference is 0.5, and this
 * much more 0.73. Set by hand on a few dozen sentences (docs/voice.md). */
#define COMMAND_HALF 0.0
#define COMMAND_SCALE 3.0
#define STOP_HALF 1.0
#define STOP_SCALE 3.0

struct recognizer {
	ps_decoder_t *spotter, *grammar, *free;
	double stop_confidence;
	char wake[CAIRN_VOICE_NAME_CAP];
	struct cairn_endpoint endpoint;
	struct cairn_rng rng;
	int16_t *kept;     /* ring: sample i of the stream is kept[i % KEPT] */
	int16_t *work;     /* an utterance in one piece */
	size_t work_count; /* of the last utterance */
	size_t heard, spoke_at, spotter_since, spotted_at;
	int16_t frame[CAIRN_SPEECH_FRAME];
	size_t frame_count;
};

bool recognizer_is_built_in(void)
{
	return true;
}

/* ---- making ---- */

enum effort { WIDE, FREE }; /* a grammar of few words; free English */

static ps_decoder_t *decoder(const char *dir, enum effort effort, struct cairn_error *err)
{
	char hmm[400], dict[400], model[400];
	snprintf(hmm, sizeof(hmm), "%s/en-us", dir);
	snprintf(dict, sizeof(dict), "%s/cmudict-en-us.dict", dir);
	snprintf(model, sizeof(model), "%s/en-us.lm.bin", dir);
	if (access(hmm, R_OK) != 0 || access(dict, R_OK) != 0 || access(model, R_OK) != 0) {
		cairn_error_set(err,
		    "voice.model_dir: %s has no en-us, cmudict-en-us.dict and en-us.lm.bin (apt-get install "
		    "pocketsphinx-en-us)",
		    dir);
		return NULL;
	}
	cmd_ln_t *c = cmd_ln_init(NULL, ps_args(), TRUE, "-hmm", hmm, "-dict", dict, "-logfn", "/dev/null",
	    "-remove_silence", "no", NULL);
	if (c != NULL && effort == FREE) {
		cmd_ln_set_str_r(c, "-lm", model);
		cmd_ln_set_boolean_r(c, "-fwdflat", FALSE);
		cmd_ln_set_boolean_r(c, "-bestpath", FALSE);
		cmd_ln_set_int_r(c, "-maxhmmpf", 3000);
		cmd_ln_set_int_r(c, "-maxwpf", 10);
	} else if (c != NULL) {
		cmd_ln_set_float_r(c, "-beam", 1e-80);
		cmd_ln_set_float_r(c, "-pbeam", 1e-80);
		cmd_ln_set_float_r(c, "-wbeam", 1e-60);
	}
	ps_decoder_t *ps = c != NULL ? ps_init(c) : NULL;
	if (c != NULL)
		cmd_ln_free_r(c);
	if (ps == NULL)
		cairn_error_set(err, "pocketsphinx cannot read the model in %s", dir);
	return ps;
}

/* It reads key phrases and word lists from files: this is one in memory. */
static bool with_memory_file(ps_decoder_t *ps, const char *name, const char *data, size_t bytes,
    int set(ps_decoder_t *ps, const char *name, const char *path))
{
	char path[40];
	int fd = memfd_create(name, MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool ok = fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes && set(ps, name, path) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool set_spotter(ps_decoder_t *ps)
{
	static const char phrases[] = "stop stop /" SPOT_PROBABILITY "/\n";
	return with_memory_file(ps, "stop", phrases, sizeof(phrases) - 1, ps_set_kws) &&
	       ps_set_search(ps, "stop") == 0;
}

struct recognizer *recognizer_new(const char *model_dir, double stop_confidence, struct cairn_error *err)
{
	struct recognizer *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return NULL;
	r->stop_confidence = stop_confidence;
	cairn_rng_seed(&r->rng, 1, 1);
	r->kept = calloc(KEPT, sizeof(*r->kept));
	r->work = calloc(KEPT, sizeof(*r->work));
	r->spotter = decoder(model_dir, WIDE, err);
	r->grammar = r->spotter != NULL ? decoder(model_dir, WIDE, err) : NULL;
	r->free = r->grammar != NULL ? decoder(model_dir, FREE, err) : NULL;
	bool ok = r->free != NULL && r->kept != NULL && r->work != NULL;
	if (ok && !set_spotter(r->spotter)) {
		cairn_error_set(err, "pocketsphinx does not take the stop words");
		ok = false;
	}
	if (!ok)
		recognizer_destroy(&r);
	else
		ps_start_utt(r->spotter);
	return r;
}

void recognizer_destroy(struct recognizer **r_p)
{
	struct recognizer *r = *r_p;
	*r_p = NULL;
	if (r == NULL)
		return;
	ps_decoder_t *all[] = {r->spotter, r->grammar, r->free};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i] != NULL)
			ps_free(all[i]);
	free(r->kept);
	free(r->work);
	free(r);
}

bool recognizer_knows(void *ctx, const char *word)
{
	struct recognizer *r = ctx;
	char *phones = ps_lookup_word(r->grammar, word);
	bool known = phones != NULL;
	free(phones);
	return known;
}

bool recognizer_names(
    struct recognizer *r, const char *wake, const struct cairn_voice_names *names, struct cairn_error *err)
{
	struct cairn_text text = {NULL, 0, 0, false};
	if (!recognizer_knows(r, wake)) {
		cairn_error_set(err, "voice.wake_word: the recogniser has no pronunciation for '%s'", wake);
		return false;
	}
	cairn_voice_grammar(&text, wake, names);
	bool ok = !text.failed && ps_set_jsgf_string(r->grammar, "said", text.data) == 0;
	cairn_text_free(&text);
	if (ok)
		snprintf(r->wake, sizeof(r->wake), "%s", wake);
	else
		cairn_error_set(err, "pocketsphinx does not take the grammar");
	return ok;
}

/* ---- decoding ---- */

/* Words and acoustic score (log-likelihood, the decoder's units) of a sound; the score of nothing is the least there is. */
static double decode(ps_decoder_t *ps, const char *search, const int16_t *pcm, size_t count, char *words,
    size_t cap, int *ret_frames)
{
	double score = 0.0;
	words[0] = '\0';
	if ((search != NULL && ps_set_search(ps, search) != 0) || ps_start_utt(ps) != 0)
		return -INFINITY;
	ps_process_raw(ps, pcm, count, FALSE, TRUE);
	ps_end_utt(ps);
	const char *hyp = ps_get_hyp(ps, NULL);
	if (hyp == NULL)
		return -INFINITY;
	snprintf(words, cap, "%s", hyp);
	for (ps_seg_t *seg = ps_seg_iter(ps); seg != NULL; seg = ps_seg_next(seg)) {
		int32 acoustic = 0, lm, back;
		(void)ps_seg_prob(seg, &acoustic, &lm, &back);
		score += acoustic;
	}
	*ret_frames = ps_get_n_frames(ps);
	return score;
}

static double logistic(double x, double half, double scale)
{
	return isfinite(x) ? 1.0 / (1.0 + exp(-(x - half) / scale)) : 0.0;
}

static size_t take(struct recognizer *r, size_t begin, size_t end)
{
	size_t n = end > begin ? end - begin : 0;
	if (n > KEPT) {
		begin = end - KEPT;
		n = KEPT;
	}
	for (size_t i = 0; i < n; i++)
		r->work[i] = r->kept[(begin + i) % KEPT];
	return n;
}

/* Short utterances are looked at as soon as there is a dip behind them: are they a stop more than any other command, and more than any other
 * English? */
static void judge_short(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	struct recognizer_event e = {
	    .kind = RECOGNIZER_STOP, .begin = r->spoke_at, .at = r->heard - STOP_DIP * CAIRN_SPEECH_FRAME};
	static const struct cairn_voice_names no_names;
	char other[160];
	int frames = 1;
	size_t n = take(r, e.begin, r->heard);
	double meant = decode(r->grammar, "said", r->work, n, e.words, sizeof(e.words), &frames);
	struct cairn_meaning m = cairn_voice_parse(e.words, r->wake, &no_names);
	if (m.intent != CAIRN_INTENT_STOP)
		return;
	double others = decode(r->free, NULL, r->work, n, other, sizeof(other), &frames);
	e.confidence = logistic((meant - others) / frames, STOP_HALF, STOP_SCALE);
	if (e.confidence < r->stop_confidence)
		return;
	r->spotted_at = r->heard;
	fn(ctx, &e);
}

/* The key phrases are heard within any talk, and at once. */
static void spot(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	struct recognizer_event e = {.kind = RECOGNIZER_STOP, .at = r->heard, .confidence = 1.0};
	ps_process_raw(r->spotter, r->frame, CAIRN_SPEECH_FRAME, FALSE, FALSE);
	const char *hyp = ps_get_hyp(r->spotter, NULL);
	if (hyp != NULL)
		snprintf(e.words, sizeof(e.words), "%s", hyp);
	if (hyp != NULL || r->heard - r->spotter_since > SPOT_RESTART) {
		ps_end_utt(r->spotter);
		ps_start_utt(r->spotter);
		r->spotter_since = r->heard;
	}
	if (hyp == NULL || (r->spotted_at != 0 && r->heard - r->spotted_at < SPOT_AGAIN))
		return;
	r->spotted_at = r->heard;
	e.begin = r->heard > SPOT_SPAN ? r->heard - SPOT_SPAN : 0;
	fn(ctx, &e);
}

/* The grammar always finds something; what free English makes of the same sounds tells whether it was meant. */
static void understand(struct recognizer *r, size_t begin, size_t end, recognizer_event_fn *fn, void *ctx)
{
	struct recognizer_event e = {.kind = RECOGNIZER_UTTERANCE, .begin = begin, .at = end};
	char as_free[400];
	int frames = 1;
	r->work_count = take(r, begin, end);
	double meant = decode(r->grammar, "said", r->work, r->work_count, e.words, sizeof(e.words), &frames);
	if (e.words[0] != '\0') {
		double other =
		    decode(r->free, NULL, r->work, r->work_count, as_free, sizeof(as_free), &frames);
		e.confidence = other == -INFINITY
				   ? 1.0
				   : logistic((meant - other) / frames, COMMAND_HALF, COMMAND_SCALE);
	}
	fn(ctx, &e);
}

static void end_utterance(struct recognizer *r, size_t quiet, recognizer_event_fn *fn, void *ctx)
{
	size_t spoken = r->heard - (quiet < r->heard ? quiet : 0), tail = CAIRN_SOUND_HZ / 5;
	understand(r, r->spoke_at, spoken + (quiet < tail ? quiet : tail), fn, ctx);
}

static void frame_done(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	size_t back = (PRE_FRAMES + 5) * CAIRN_SPEECH_FRAME;
	enum cairn_endpoint_event event = cairn_endpoint_frame(&r->endpoint, r->frame);
	spot(r, fn, ctx);
	if (r->endpoint.speaking && r->endpoint.quiet == STOP_DIP &&
	    r->endpoint.frames <= STOP_FRAMES_MAX + STOP_DIP &&
	    (r->spotted_at == 0 || r->heard - r->spotted_at >= SPOT_AGAIN))
		judge_short(r, fn, ctx);
	if (event == CAIRN_ENDPOINT_BEGUN)
		r->spoke_at = r->heard > back ? r->heard - back : 0;
	else if (event == CAIRN_ENDPOINT_ENDED)
		end_utterance(r, r->endpoint.quiet * CAIRN_SPEECH_FRAME, fn, ctx);
}

void recognizer_feed(
    struct recognizer *r, const int16_t *pcm, size_t count, recognizer_event_fn *fn, void *ctx)
{
	for (size_t i = 0; i < count; i++) {
		double v = pcm[i] + DITHER * (cairn_rng_uniform(&r->rng) - 0.5);
		int16_t s = (int16_t)lrint(fmin(32767.0, fmax(-32768.0, v)));
		r->frame[r->frame_count++] = s;
		r->kept[r->heard++ % KEPT] = s;
		if (r->frame_count == CAIRN_SPEECH_FRAME) {
			r->frame_count = 0;
			frame_done(r, fn, ctx);
		}
	}
}

void recognizer_flush(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	static const int16_t silence[CAIRN_SOUND_HZ];
	recognizer_feed(r, silence, CAIRN_SOUND_HZ, fn, ctx);
	if (!r->endpoint.speaking)
		return;
	r->endpoint.speaking = false;
	end_utterance(r, 0, fn, ctx);
}

const int16_t *recognizer_last(const struct recognizer *r, size_t *ret_count)
{
	*ret_count = r->work_count;
	return r->work;
}

#else /* without pocketsphinx */

bool recognizer_is_built_in(void)
{
	return false;
}

struct recognizer *recognizer_new(const char *model_dir, double stop_confidence, struct cairn_error *err)
{
	(void)model_dir, (void)stop_confidence;
	cairn_error_set(err, "this build has no recogniser: apt-get install libpocketsphinx-dev "
			     "libsphinxbase-dev pocketsphinx-en-us, then build again");
	return NULL;
}

void recognizer_destroy(struct recognizer **r_p)
{
	*r_p = NULL;
}

bool recognizer_knows(void *ctx, const char *word)
{
	(void)ctx, (void)word;
	return false;
}

bool recognizer_names(
    struct recognizer *r, const char *wake, const struct cairn_voice_names *names, struct cairn_error *err)
{
	(void)r, (void)wake, (void)names;
	cairn_error_set(err, "this build has no recogniser");
	return false;
}

void recognizer_feed(
    struct recognizer *r, const int16_t *pcm, size_t count, recognizer_event_fn *fn, void *ctx)
{
	(void)r, (void)pcm, (void)count, (void)fn, (void)ctx;
}

void recognizer_flush(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	(void)r, (void)fn, (void)ctx;
}

const int16_t *recognizer_last(const struct recognizer *r, size_t *ret_count)
{
	(void)r;
	*ret_count = 0;
	return NULL;
}

#endif
