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
#define TAIL_FRAMES 10 /* an utterance is heard until so many frames behind its last loud one */
#define PRE_FRAMES 15  /* an utterance is heard from so many frames of 20 ms before it was noticed */
#define SPOT_SPAN                                                                                            \
	(CAIRN_SOUND_HZ * 14 / 10)         /* what is looked at again when the spotter has heard something */
#define SPOT_AGAIN (CAIRN_SOUND_HZ)        /* the same word is not told twice within this */
#define SPOT_RESTART (CAIRN_SOUND_HZ * 20) /* the spotter's own memory is emptied so often */
#define SPOT_PROBABILITY "1e-20"           /* of the key phrases, against any other sounds */
#define STOP_DIP 8                         /* frames of 20 ms without speech behind a stop */
#define STOP_LOUD_FRAMES 6 /* frames of 20 ms of the stop word that are as loud as the rest, at least */
#define STOP_WOKEN_LOUD_FRAMES                                                                               \
	24             /* the same of wake word and stop word together: less is the wake word alone */
#define SLOW_FRAMES 20 /* frames of 20 ms that a command lasts at most, and so many more for a letter */
#define SLOW_FRAMES_A_LETTER 7
#define STOP_FRAMES_MAX 80 /* frames that a stop lasts at most */
#define DITHER 6.0         /* of 32768: digital silence, which no microphone gives, confuses the decoder */

/* Differences of log-likelihoods a frame (in the decoder's units) become confidences by a logistic curve: this difference is 0.5, and this
 * much more 0.73. Set by what `cairn eval voice --seed 2` said in noise and among voices 20 dB lower: commands had -12 to 0 and other
 * talk -42 to -11, stops -22 to 0. */
#define COMMAND_HALF -10.0
#define COMMAND_SCALE 2.5
#define STOP_HALF -11.0
#define STOP_SCALE 3.0
#define STOP_GAP 2.5 /* that a command other than stop may fit better, a frame */

struct recognizer {
	ps_decoder_t *spotter, *grammar, *free;
	double stop_confidence;
	char wake[CAIRN_VOICE_NAME_CAP];
	struct cairn_endpoint endpoint;
	struct cairn_rng rng;
	int16_t *kept;     /* ring: sample i of the stream is kept[i % KEPT] */
	int16_t *work;     /* an utterance in one piece */
	size_t work_count; /* of the last utterance */
	size_t heard, spotter_since, spotted_at;
	int16_t frame[CAIRN_SPEECH_FRAME];
	size_t frame_count;
};

bool recognizer_is_built_in(void)
{
	return true;
}

/* ---- making ---- */

/* A grammar of few words; free English. Scores of a frame are relative to the best of all sounds (-compallsen), not to the best one that
 * the search follows, and the weight of a grammar's choices stays out of them (-lw): only so can two searches be compared. */
enum effort { WIDE, FREE };

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
	    "-remove_silence", "no", "-compallsen", "yes", NULL);
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
		cmd_ln_set_float_r(c, "-lw", 1.0);
		cmd_ln_set_float_r(c, "-wip", 1.0);
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
	cairn_text_clear(&text);
	cairn_voice_stop_grammar(&text, wake);
	ok = ok && !text.failed && ps_set_jsgf_string(r->grammar, "stop", text.data) == 0;
	cairn_text_free(&text);
	if (ok)
		snprintf(r->wake, sizeof(r->wake), "%s", wake);
	else
		cairn_error_set(err, "pocketsphinx does not take the grammar");
	return ok;
}

/* ---- decoding ---- */

struct decoded {
	char words[400];
	double score; /* acoustic log-likelihood a frame, the decoder's units; -INFINITY: nothing was found */
	size_t stop_from, stop_to; /* where the stop word is, samples; both 0: it is not there */
};

static void decode(
    ps_decoder_t *ps, const char *search, const int16_t *pcm, size_t count, struct decoded *ret)
{
	const int per_frame = CAIRN_SOUND_HZ / 100; /* a frame of the decoder's is 10 ms */
	double score = 0.0;
	*ret = (struct decoded){.score = -INFINITY};
	if ((search != NULL && ps_set_search(ps, search) != 0) || ps_start_utt(ps) != 0)
		return;
	ps_process_raw(ps, pcm, count, FALSE, TRUE);
	ps_end_utt(ps);
	const char *hyp = ps_get_hyp(ps, NULL);
	if (hyp == NULL)
		return;
	snprintf(ret->words, sizeof(ret->words), "%s", hyp);
	for (ps_seg_t *seg = ps_seg_iter(ps); seg != NULL; seg = ps_seg_next(seg)) {
		int32 acoustic = 0, lm, back;
		int from, to;
		const char *word = ps_seg_word(seg);
		(void)ps_seg_prob(seg, &acoustic, &lm, &back);
		score += acoustic;
		ps_seg_frames(seg, &from, &to);
		if (strncmp(word, "stop", 4) == 0) {
			ret->stop_from = (size_t)(from * per_frame);
			ret->stop_to = (size_t)((to + 1) * per_frame);
		}
	}
	ret->score = score / ps_get_n_frames(ps);
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

/* Where the utterance begins, or the last one began. */
static size_t spoke_at(const struct recognizer *r)
{
	size_t back = (PRE_FRAMES + r->endpoint.frames) * CAIRN_SPEECH_FRAME;
	return r->heard > back ? r->heard - back : 0;
}

/* Frames between two samples of work, which ends so many frames before the newest, that are said. */
static uint32_t said_frames(const struct recognizer *r, size_t n, uint32_t until, size_t from, size_t to)
{
	uint32_t said = 0, all = (uint32_t)(n / CAIRN_SPEECH_FRAME);
	for (size_t i = from / CAIRN_SPEECH_FRAME; i < to / CAIRN_SPEECH_FRAME && i < all; i++)
		said += cairn_endpoint_is_loud(&r->endpoint, until + all - 1 - (uint32_t)i);
	return said;
}

/* The utterance in one piece, until so many frames before the newest. What is not said in it is brought down to the background: others who
 * talk farther away would be taken for words of it. */
static size_t take_utterance(struct recognizer *r, uint32_t until)
{
	const struct cairn_endpoint *e = &r->endpoint;
	size_t n = take(r, spoke_at(r), r->heard - until * CAIRN_SPEECH_FRAME);
	for (size_t i = 0; i < n / CAIRN_SPEECH_FRAME; i++) {
		uint32_t frames = until + (uint32_t)(n / CAIRN_SPEECH_FRAME - 1 - i);
		double gain = sqrt(1.0 / fmax(1.0, cairn_endpoint_over_background(e, frames)));
		if (cairn_endpoint_is_said(e, frames))
			continue;
		for (size_t k = 0; k < CAIRN_SPEECH_FRAME; k++)
			r->work[i * CAIRN_SPEECH_FRAME + k] =
			    (int16_t)lrint(gain * r->work[i * CAIRN_SPEECH_FRAME + k]);
	}
	return n;
}

/* Is it stop more than another command or the wake word alone, and long enough to be said? */
static bool may_be_stop(struct recognizer *r, size_t n, struct decoded *ret)
{
	struct decoded any;
	decode(r->grammar, "stop", r->work, n, ret);
	if (said_frames(r, n, 0, ret->stop_from, ret->stop_to) < STOP_LOUD_FRAMES)
		return false;
	if (strncmp(ret->words, r->wake, strlen(r->wake)) == 0 &&
	    said_frames(r, n, 0, 0, n) < STOP_WOKEN_LOUD_FRAMES)
		return false;
	decode(r->grammar, "said", r->work, n, &any);
	return strcmp(any.words, r->wake) != 0 && any.score - ret->score <= STOP_GAP;
}

/* Short utterances are looked at as soon as there is a dip behind them: are they a stop more than any other command, and more than any other
 * English? */
static void judge_short(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	struct recognizer_event e = {
	    .kind = RECOGNIZER_STOP, .begin = spoke_at(r), .at = r->heard - STOP_DIP * CAIRN_SPEECH_FRAME};
	struct decoded meant, other;
	size_t n = take_utterance(r, 0);
	if (!may_be_stop(r, n, &meant))
		return;
	decode(r->free, NULL, r->work, n, &other);
	e.confidence = logistic(meant.score - other.score, STOP_HALF, STOP_SCALE);
	if (e.confidence < r->stop_confidence)
		return;
	snprintf(e.words, sizeof(e.words), "%.*s", (int)sizeof(e.words) - 1, meant.words);
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

static uint32_t letters(const char *words)
{
	uint32_t n = 0;
	for (; *words != '\0'; words++)
		n += *words != ' ';
	return n;
}

/* The grammar always finds something; what free English makes of the same sounds tells whether it was meant. */
static void understand(struct recognizer *r, uint32_t until, recognizer_event_fn *fn, void *ctx)
{
	struct recognizer_event e = {
	    .kind = RECOGNIZER_UTTERANCE, .begin = spoke_at(r), .at = r->heard - until * CAIRN_SPEECH_FRAME};
	struct decoded meant, other;
	size_t n = r->work_count = take_utterance(r, until);
	decode(r->grammar, "said", r->work, n, &meant);
	snprintf(e.words, sizeof(e.words), "%.*s", (int)sizeof(e.words) - 1, meant.words);
	uint32_t said = said_frames(r, n, until, 0, n);
	if (said <= SLOW_FRAMES + SLOW_FRAMES_A_LETTER * letters(meant.words)) {
		decode(r->free, NULL, r->work, n, &other);
		if (other.score != -INFINITY) /* else it is a noise that free English finds no words in */
			e.confidence = logistic(meant.score - other.score, COMMAND_HALF, COMMAND_SCALE);
	}
	fn(ctx, &e);
}

static void frame_done(struct recognizer *r, recognizer_event_fn *fn, void *ctx)
{
	enum cairn_endpoint_event event = cairn_endpoint_frame(&r->endpoint, r->frame);
	spot(r, fn, ctx);
	if (r->endpoint.speaking && r->endpoint.quiet == STOP_DIP &&
	    r->endpoint.frames <= STOP_FRAMES_MAX + STOP_DIP &&
	    (r->spotted_at == 0 || r->heard - r->spotted_at >= SPOT_AGAIN))
		judge_short(r, fn, ctx);
	if (event == CAIRN_ENDPOINT_ENDED)
		understand(r, r->endpoint.quiet > TAIL_FRAMES ? r->endpoint.quiet - TAIL_FRAMES : 0, fn, ctx);
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
	understand(r, 0, fn, ctx);
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
