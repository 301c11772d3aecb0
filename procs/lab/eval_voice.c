/* eval_voice.c - spoken to by two synthesisers in several voices, with noise and with other voices talking: what is heard of stop, what of
 * the commands, and what is taken for one that was none. Everything random comes from the seed. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/voice/talk.h"
#include "procs/lab/bench.h"
#include "procs/voice/recognizer.h"
#include "procs/voice/synthesizer.h"

#define BABBLE_VOICES 4
#define BABBLE_SAMPLES (20 * CAIRN_SOUND_HZ)
#define SILENCE (2 * CAIRN_SOUND_HZ) /* in front of each sentence and behind it */
#define PIECE (CAIRN_SOUND_HZ / 50)
#define STOP_S 0.5 /* from the end of the word to the command */

static const char boundary[] =
    "synthetic voices, noise and babble; no microphone, no room and no person has confirmed any of it";

static const struct {
	enum cairn_choice_synthesizer by;
	const char *voice;
} voices[] = {
    {CAIRN_CHOICE_SYNTHESIZER_ESPEAK_NG, "en-us"},
    {CAIRN_CHOICE_SYNTHESIZER_ESPEAK_NG, "en-us+f3"},
    {CAIRN_CHOICE_SYNTHESIZER_ESPEAK_NG, "en-us+m3"},
    {CAIRN_CHOICE_SYNTHESIZER_ESPEAK_NG, "en-gb+f2"},
    {CAIRN_CHOICE_SYNTHESIZER_FLITE, "slt"},
    {CAIRN_CHOICE_SYNTHESIZER_FLITE, "rms"},
    {CAIRN_CHOICE_SYNTHESIZER_FLITE, "awb"},
    {CAIRN_CHOICE_SYNTHESIZER_FLITE, "kal16"},
};
#define VOICES (sizeof(voices) / sizeof(voices[0]))

enum condition { QUIET, NOISE_20, NOISE_10, BABBLE_20, BABBLE_10, CONDITIONS };
static const char *const condition_names[CONDITIONS] = {
    "quiet", "noise 20 dB", "noise 10 dB", "voices 20 dB", "voices 10 dB"};

struct counts {
	uint32_t said, done, asked, wrong, missed;
};

struct eval {
	const struct cli *cli;
	struct cairn_rng rng;
	struct cairn_config cfg;
	struct cairn_voice_names names;
	struct recognizer *recognizer;
	int16_t *babble;
	bool verbose;
	/* of the sentence being heard */
	struct cairn_talk talk;
	size_t fed, begun, spoken_end;
	bool stopped, executed, asked;
	char command[64], intent[32], place[64], words[160]; /* intent and place: what was acted on first */
	uint32_t acted;                                      /* sentences that were asked back or executed */
	double confidence;
	double
	    stop_s; /* from the end of what was said, in the stream, with the time that the processor took */
	double cpu_from_s;
	double *latencies;
	uint32_t latency_count;
	double heard_s;
};

static double cpu_s(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t any(struct eval *e, uint32_t of)
{
	return cairn_rng_u32(&e->rng) % of;
}

#define ONE_OF(e, list) (list)[any(e, (uint32_t)(sizeof(list) / sizeof((list)[0])))]

/* ---- what is said ---- */

/* One way through a grammar: a choice of each ( | ), half of the [ ], a name for <name>. */
static void expand(struct eval *e, const char **p, bool use, struct cairn_text *ret)
{
	const char *q = *p;
	uint32_t alternatives = 1, depth = 0;
	for (const char *s = q; *s != '\0' && !(depth == 0 && (*s == ')' || *s == ']')); s++) {
		depth += *s == '(' || *s == '[';
		depth -= *s == ')' || *s == ']';
		alternatives += depth == 0 && *s == '|';
	}
	uint32_t chosen = any(e, alternatives), at = 0;
	while (*q != '\0' && *q != ')' && *q != ']') {
		if (*q == '|') {
			at++;
			q++;
		} else if (*q == '(' || *q == '[') {
			bool taken = use && at == chosen && (*q == '(' || any(e, 2) == 0);
			q++;
			expand(e, &q, taken, ret);
			q += *q != '\0';
		} else if (*q == ' ') {
			q++;
		} else {
			size_t n = strcspn(q, " ()[]|");
			if (use && at == chosen && strncmp(q, "<name>", n) == 0)
				cairn_text_addf(ret, " %s", e->names.items[any(e, e->names.count)].said);
			else if (use && at == chosen)
				cairn_text_addf(ret, " %.*s", (int)n, q);
			q += n;
		}
	}
	*p = q;
}

/* Talk of a house that is no command; every other sentence speaks to the robot by its wake word. */
static void chatter(struct eval *e, struct cairn_text *ret)
{
	static const char *const who[] = {"my sister", "the neighbour", "our teacher", "the children",
	    "an old friend", "the doctor", "somebody", "the man next door", "your mother", "the whole family",
	    "nobody", "the little girl", "a student", "the cook"};
	static const char *const did[] = {"was reading", "has forgotten", "wants to buy", "will bring",
	    "is painting", "never liked", "talked about", "asked me for", "is looking at",
	    "would rather have", "has broken", "is cleaning", "lost", "found"};
	static const char *const what[] = {"a very long letter", "the newspaper", "two bottles of milk",
	    "some bread and cheese", "the blue umbrella", "his new bicycle", "a hot pot of soup",
	    "the top shelf", "an apple pie", "the football game", "tickets for the concert",
	    "the garden tools", "a birthday present", "the washing machine", "her winter coat", "the bus"};
	static const char *const when[] = {"yesterday evening", "this morning", "after lunch", "in the shop",
	    "at the station", "last week", "before the meeting", "on the way to school", "for the holidays",
	    "with a lot of noise", "again", "in the summer", "every day", "because it was raining"};
	static const char *const asks[] = {"did you know that", "I think that", "do you believe that",
	    "it is a pity that", "she said that", "they told me that", "I hope that", "we heard that",
	    "is it true that", "imagine", "well", "of course"};
	if (any(e, 2) == 0)
		cairn_text_add(ret, "robot, ");
	if (any(e, 2) == 0)
		cairn_text_addf(ret, "%s ", ONE_OF(e, asks));
	cairn_text_addf(ret, "%s %s %s", ONE_OF(e, who), ONE_OF(e, did), ONE_OF(e, what));
	if (any(e, 3) != 0)
		cairn_text_addf(ret, " %s", ONE_OF(e, when));
}

static bool synthesize(struct eval *e, const char *text, struct cairn_sound *ret)
{
	struct cairn_error err = {""};
	uint32_t v = any(e, VOICES);
	struct voice_style style = {voices[v].by, voices[v].voice, 140 + (int)any(e, 50)};
	if (synthesizer_say(&style, text, ret, &err))
		return true;
	fprintf(stderr, "cairn eval voice: %s\n", err.text);
	return false;
}

/* Several who talk at once, without end. */
static bool make_babble(struct eval *e)
{
	double *sum = calloc(BABBLE_SAMPLES, sizeof(*sum));
	struct cairn_text text = {NULL, 0, 0, false};
	bool ok = sum != NULL;
	e->babble = calloc(BABBLE_SAMPLES, sizeof(*e->babble));
	for (int v = 0; ok && v < BABBLE_VOICES; v++)
		for (size_t at = any(e, CAIRN_SOUND_HZ); ok && at < BABBLE_SAMPLES;) {
			struct cairn_sound s;
			cairn_text_clear(&text);
			chatter(e, &text);
			ok = synthesize(e, text.data, &s);
			double level = ok ? cairn_sound_level(s.pcm, s.count) : 1.0;
			for (size_t i = 0; ok && i < s.count && at < BABBLE_SAMPLES; i++, at++)
				sum[at] += s.pcm[i] / fmax(level, 1.0);
			if (ok)
				cairn_sound_free(&s);
		}
	for (size_t i = 0; ok && e->babble != NULL && i < BABBLE_SAMPLES; i++)
		e->babble[i] = (int16_t)lrint(fmax(-32000.0, fmin(32000.0, 1500.0 * sum[i])));
	free(sum);
	cairn_text_free(&text);
	return ok && e->babble != NULL;
}

/* As most noise in rooms, machines and fans is: the power falls by 3 dB an octave (P. Kellet's filter of three poles). */
static void room_noise(struct eval *e, int16_t *ret, size_t count)
{
	double b[3] = {0.0, 0.0, 0.0};
	for (size_t i = 0; i < count; i++) {
		double w = cairn_rng_normal(&e->rng);
		b[0] = 0.99765 * b[0] + 0.0990460 * w;
		b[1] = 0.96300 * b[1] + 0.2965164 * w;
		b[2] = 0.57000 * b[2] + 1.0526913 * w;
		ret[i] =
		    (int16_t)lrint(fmax(-32000.0, fmin(32000.0, 600.0 * (b[0] + b[1] + b[2] + 0.1848 * w))));
	}
}

/* ---- what is heard ---- */

static void note_stop(struct eval *e)
{
	if (e->stopped)
		return;
	e->stopped = true;
	e->stop_s = ((double)e->fed - (double)e->spoken_end) / CAIRN_SOUND_HZ + (cpu_s() - e->cpu_from_s);
}

/* Was it taken for a command, asked back ones included? */
static bool acted_on(const struct cairn_msg_heard *m)
{
	return m->intent[0] != '\0' &&
	       (m->verdict == CAIRN_HEARD_VERDICT_ASKED || m->verdict == CAIRN_HEARD_VERDICT_DONE ||
		   m->verdict == CAIRN_HEARD_VERDICT_ANSWERED || m->verdict == CAIRN_HEARD_VERDICT_REFUSED);
}

static void take_acts(struct eval *e)
{
	static struct cairn_talk_act a;
	while (cairn_talk_take(&e->talk, &a)) {
		if (a.kind == CAIRN_TALK_HEARD && a.heard.verdict == CAIRN_HEARD_VERDICT_ASKED)
			e->asked = true;
		if (a.kind == CAIRN_TALK_HEARD && acted_on(&a.heard) && e->acted++ == 0) {
			snprintf(e->intent, sizeof(e->intent), "%s", a.heard.intent);
			snprintf(e->place, sizeof(e->place), "%s", a.heard.place);
		}
		if (a.kind == CAIRN_TALK_HEARD && a.heard.verdict == CAIRN_HEARD_VERDICT_ANSWERED)
			e->executed = true;
		if (a.kind != CAIRN_TALK_COMMAND)
			continue;
		if (a.command == CAIRN_COMMAND_STOP || a.command == CAIRN_COMMAND_MOTOR_STOP)
			note_stop(e);
		else
			e->executed = true;
		snprintf(e->command, sizeof(e->command), "%.20s %.40s", a.request.verb, a.request.arg);
		cairn_talk_replied(&e->talk, a.tag, true, "so", e->talk.t_sent_ns);
	}
}

static int64_t stream_ns(size_t sample)
{
	return CAIRN_NS_PER_S + (int64_t)((double)sample / CAIRN_SOUND_HZ * CAIRN_NS_PER_S);
}

static void on_event(void *ctx, const struct recognizer_event *r)
{
	struct eval *e = ctx;
	struct cairn_utterance u = {r->words, r->confidence, stream_ns(r->begin), stream_ns(r->at)};
	if (r->kind == RECOGNIZER_STOP)
		cairn_talk_stop(&e->talk, r->words, r->confidence, u.t_end_ns, stream_ns(e->fed));
	else
		cairn_talk_hear(&e->talk, &u, stream_ns(e->fed));
	if (r->confidence >= e->confidence) {
		e->confidence = r->confidence;
		snprintf(e->words, sizeof(e->words), "%s", r->words);
	}
	take_acts(e);
}

static bool hear(struct eval *e, const char *text, enum condition c)
{
	static const double snr_db[CONDITIONS] = {40.0, 20.0, 10.0, 20.0, 10.0};
	struct cairn_sound said, s;
	struct cairn_error err = {""};
	if (!synthesize(e, text, &said))
		return false;
	s = (struct cairn_sound){calloc(said.count + 2 * SILENCE, sizeof(*s.pcm)), said.count + 2 * SILENCE};
	int16_t *noise = calloc(s.count, sizeof(*noise));
	double gain = 0.3 + 0.6 * cairn_rng_uniform(&e->rng);
	for (size_t i = 0; i < said.count; i++)
		s.pcm[SILENCE + i] = (int16_t)lrint(gain * said.pcm[i]);
	room_noise(e, noise, s.count);
	bool voices_talk = c == BABBLE_20 || c == BABBLE_10;
	cairn_sound_mix(&s, noise, s.count, 0, voices_talk ? 40.0 : snr_db[c]);
	if (voices_talk)
		cairn_sound_mix(&s, e->babble, BABBLE_SAMPLES, any(e, BABBLE_SAMPLES), snr_db[c]);
	size_t end = said.count;
	while (end > 0 && abs(said.pcm[end - 1]) < 300)
		end--;
	(void)cairn_talk_init(&e->talk, &e->cfg.voice, &err);
	e->talk.names = e->names;
	e->begun = e->fed;
	e->spoken_end = e->fed + SILENCE + end;
	e->stopped = e->executed = e->asked = false;
	e->command[0] = e->intent[0] = e->place[0] = e->words[0] = '\0';
	e->acted = 0;
	e->confidence = 0.0;
	for (size_t at = 0; at + PIECE <= s.count; at += PIECE) {
		e->cpu_from_s = cpu_s();
		e->fed += PIECE;
		recognizer_feed(e->recognizer, s.pcm + at, PIECE, on_event, e);
	}
	e->heard_s += (double)s.count / CAIRN_SOUND_HZ;
	free(noise);
	cairn_sound_free(&s);
	cairn_sound_free(&said);
	return true;
}

/* ---- the three questions ---- */

static bool test_stop(struct eval *e, long count, enum condition c, struct counts *n)
{
	static const char *const stops[] = {"stop", "stop!", "robot, stop", "stop now", "stop, stop"};
	for (long i = 0; i < count; i++) {
		const char *text = ONE_OF(e, stops);
		if (!hear(e, text, c))
			return false;
		n->said++;
		n->done += e->stopped;
		n->missed += !e->stopped;
		if (e->stopped)
			e->latencies[e->latency_count++] = e->stop_s;
		else if (e->verbose)
			fprintf(stderr, "missed in %s: %s, heard as '%s' (%.2f)\n", condition_names[c], text,
			    e->words, e->confidence);
	}
	return true;
}

static bool test_commands(struct eval *e, long count, enum condition c, struct counts *n)
{
	struct cairn_text text = {NULL, 0, 0, false};
	bool ok = true;
	for (long i = 0; ok && i < count; i++) {
		uint32_t row = any(e, CAIRN_INTENT_COUNT);
		const char *p = cairn_intents[row].grammar;
		if (cairn_intents[row].kind == CAIRN_INTENT_KIND_STOP ||
		    cairn_intents[row].kind == CAIRN_INTENT_KIND_REPLY) {
			i--;
			continue;
		}
		cairn_text_clear(&text);
		cairn_text_add(&text, "robot,");
		expand(e, &p, true, &text);
		struct cairn_meaning m = cairn_voice_parse(text.data, "robot", &e->names);
		ok = hear(e, text.data, c);
		bool right = strcmp(e->intent, cairn_intents[m.intent].name) == 0 &&
			     strcmp(e->place, m.place) == 0 && e->acted == 1 && !e->stopped;
		n->said++;
		n->done += right && !e->asked;
		n->asked += right && e->asked;
		n->wrong += !right && (e->executed || e->stopped);
		n->missed += !right && !e->executed && !e->stopped;
		if (!right && e->verbose)
			fprintf(stderr, "%s in %s:%s, heard as '%s' (%.2f) %s\n",
			    e->executed || e->stopped ? "wrong" : "missed", condition_names[c], text.data,
			    e->words, e->confidence, e->command);
	}
	cairn_text_free(&text);
	return ok;
}

/* done: taken for a command and executed; asked: asked back. */
static bool test_chatter(struct eval *e, long count, struct counts *n, uint32_t *ret_stops)
{
	struct cairn_text text = {NULL, 0, 0, false};
	bool ok = true;
	for (long i = 0; ok && i < count; i++) {
		cairn_text_clear(&text);
		chatter(e, &text);
		ok = hear(e, text.data, (enum condition)any(e, CONDITIONS));
		n->said++;
		n->wrong += e->executed;
		n->asked += e->asked;
		*ret_stops += e->stopped;
		if ((e->executed || e->stopped) && e->verbose)
			fprintf(stderr, "taken for '%s' (%.2f): %s\n", e->words, e->confidence, text.data);
	}
	cairn_text_free(&text);
	return ok;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double share(uint32_t part, uint32_t of)
{
	return of > 0 ? (double)part / of : 0.0;
}

static bool judge(struct eval *e, long count, long sentences, json_t *figures, FILE *out)
{
	struct counts stop[CONDITIONS] = {{0}}, commands[CONDITIONS] = {{0}}, talk = {0};
	uint32_t false_stops = 0;
	bool ok = true;
	for (int c = 0; ok && c < CONDITIONS; c++)
		ok = test_stop(e, count, (enum condition)c, &stop[c]) &&
		     test_commands(e, count, (enum condition)c, &commands[c]);
	e->heard_s = 0.0;
	ok = ok && test_chatter(e, sentences, &talk, &false_stops);
	if (!ok)
		return false;
	qsort(e->latencies, e->latency_count, sizeof(double), by_size);
	double p50 = e->latency_count > 0 ? e->latencies[e->latency_count / 2] : INFINITY;
	double p95 = e->latency_count > 0 ? e->latencies[e->latency_count * 95 / 100] : INFINITY;
	double hours = e->heard_s / 3600.0;
	fprintf(out, "%s\n%-14s %18s %28s\n", boundary, "", "stop heard", "commands: done, asked back");
	for (int c = 0; c < CONDITIONS; c++) {
		fprintf(out, "%-14s %5u of %4u %5.1f %%   %5u + %4u of %4u %5.1f %%, wrong %u\n",
		    condition_names[c], stop[c].done, stop[c].said, 100.0 * share(stop[c].done, stop[c].said),
		    commands[c].done, commands[c].asked, commands[c].said,
		    100.0 * share(commands[c].done + commands[c].asked, commands[c].said), commands[c].wrong);
		json_object_set_new(figures, condition_names[c],
		    json_pack("{s:f,s:f,s:i}", "stop_heard", share(stop[c].done, stop[c].said), "commands",
			share(commands[c].done + commands[c].asked, commands[c].said), "wrong",
			(int)commands[c].wrong));
	}
	fprintf(out, "end of stop to the command: %.2f s median, %.2f s 95th of 100\n", p50, p95);
	fprintf(out,
	    "other talk: %u sentences, %.2f h; %u executed, %u asked back, %u false stops (%.1f an hour)\n",
	    talk.said, hours, talk.wrong, talk.asked, false_stops, hours > 0.0 ? false_stops / hours : 0.0);
	json_object_update_new(
	    figures, json_pack("{s:f,s:f,s:i,s:i,s:i,s:i,s:f}", "stop_s_p50", p50, "stop_s_p95", p95,
			 "talk_sentences", (int)talk.said, "talk_executed", (int)talk.wrong, "talk_asked",
			 (int)talk.asked, "false_stops", (int)false_stops, "talk_hours", hours));
	bool passed =
	    share(stop[NOISE_20].done, stop[NOISE_20].said) >= 0.98 && false_stops <= fmax(1.0, hours) &&
	    p95 <= STOP_S &&
	    share(commands[NOISE_20].done + commands[NOISE_20].asked, commands[NOISE_20].said) >= 0.95 &&
	    talk.wrong == 0;
	return passed;
}

enum cairn_eval_end cairn_eval_voice(const struct cli *cli, json_t *figures)
{
	static struct eval e;
	static const char *const names[] = {"kitchen", "bathroom", "living room", "bedroom", "hall", "office",
	    "sofa", "red mug", "table", "front door", "chair", "keys"};
	struct cairn_error err = {""};
	char *text = NULL;
	size_t bytes = 0;
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - 1000),
	     count = cli_count_max(cli, "count", 60, 100000),
	     sentences = cli_count_max(cli, "sentences", 1000, 1000000);
	if (seed < 0 || count < 0 || sentences < 0)
		return CAIRN_EVAL_USAGE;
	e.cli = cli;
	e.verbose = cli_value(cli, "verbose") != NULL;
	cairn_config_defaults(&e.cfg);
	cairn_rng_seed(&e.rng, (uint64_t)seed, 77);
	e.recognizer = recognizer_new(e.cfg.voice.model_dir, e.cfg.voice.stop_confidence, &err);
	for (size_t i = 0; e.recognizer != NULL && i < sizeof(names) / sizeof(names[0]); i++)
		cairn_voice_name_add(&e.names, names[i], names[i], recognizer_knows, e.recognizer);
	e.latencies = calloc((size_t)count * CONDITIONS, sizeof(*e.latencies));
	FILE *out = open_memstream(&text, &bytes);
	bool ok = e.recognizer != NULL && e.latencies != NULL && out != NULL &&
		  recognizer_names(e.recognizer, "robot", &e.names, &err) && make_babble(&e);
	bool passed = ok && judge(&e, count, sentences, figures, out);
	if (!ok)
		fprintf(stderr, "cairn eval voice: %s\n",
		    err.text[0] != '\0' ? err.text : "no memory, or no synthesiser");
	if (out != NULL)
		fclose(out);
	json_object_set_new(figures, "boundary", json_string(boundary));
	json_object_set_new(figures, "text", json_string(text != NULL ? text : ""));
	free(text);
	free(e.latencies);
	free(e.babble);
	recognizer_destroy(&e.recognizer);
	return passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
