/* hearing.c - sound into the ear, what it has heard into the talk. */
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "procs/listen/listen.h"

#define PIECE 1600

/* The order of things changes with every look; only what they are called counts. */
static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cairn_voice_name *)a)->said, ((const struct cairn_voice_name *)b)->said);
}

int hearing_learn_names(void *ctx)
{
	struct listen_stage *s = ctx;
	struct cairn_voice_names *w = &s->wanted;
	uint64_t hash = CAIRN_HASH_START;
	cairn_voice_names_from(w, &s->scene, s->cfg->choice.waypoints, NULL, NULL);
	qsort(w->items, w->count, sizeof(w->items[0]), by_name);
	for (uint32_t i = 0; i < w->count; i++) {
		hash = cairn_hash_bytes(hash, w->items[i].said, strlen(w->items[i].said) + 1);
		hash = cairn_hash_bytes(hash, w->items[i].id, strlen(w->items[i].id) + 1);
	}
	if (hash != s->names_hash)
		ear_names(s->ear, w);
	s->names_hash = hash;
	return 0;
}

static int on_transcribed(void *ctx)
{
	struct listen_stage *s = ctx;
	const char *text;
	struct cairn_error err;
	if (transcriber_take(s->transcriber, &text, &err))
		cairn_talk_transcribed(&s->talk, text, &err, cairn_now_ns());
	acting_do(s);
	return 0;
}

static int64_t when(const struct listen_stage *s, size_t sample)
{
	return s->t_fed_ns - (int64_t)(((double)s->fed - (double)sample) / CAIRN_SOUND_HZ * 1e9);
}

static void heard(struct listen_stage *s, const struct recognizer_event *e)
{
	int64_t now_ns = cairn_now_ns();
	if (e->kind == RECOGNIZER_STOP) {
		cairn_talk_stop(&s->talk, e->words, e->confidence, when(s, e->at), now_ns);
	} else {
		struct cairn_utterance u = {e->words, e->confidence, when(s, e->begin), when(s, e->at)};
		cairn_talk_hear(&s->talk, &u, now_ns);
	}
	acting_do(s);
}

static void take_names(struct listen_stage *s)
{
	s->talk.names = s->event.names;
	cairn_log_info("%u names can be said", s->talk.names.count);
	if (s->talk.names.unknown_count > 0)
		cairn_log_warn(
		    "no pronunciation is known for %s: these names cannot be said", s->talk.names.unknown);
	s->hears = true;
}

static int on_ear(void *ctx)
{
	struct listen_stage *s = ctx;
	while (ear_take(s->ear, &s->event)) {
		if (s->event.kind == EAR_FAILED) {
			cairn_log_error("%s", s->event.err.text);
			return -1;
		}
		if (s->event.kind == EAR_NAMES)
			take_names(s);
		else
			heard(s, &s->event.heard);
	}
	return 0;
}

int hearing_turn(void *ctx)
{
	struct listen_stage *s = ctx;
	int16_t pcm[PIECE];
	struct cairn_error err = {""};
	long n;
	if (s->hears)
		cairn_stage_note(s->stage,
		    s->talk.state == CAIRN_TALK_CLOSED ? "listens for its wake word" : "listens to somebody");
	do {
		int64_t now_ns = cairn_now_ns();
		n = sound_device_read(s->device, pcm, PIECE, now_ns, &err);
		if (n < 0) {
			cairn_log_error("%s", err.text);
			return -1;
		}
		if (!s->hears)
			continue; /* what was said before nobody has heard */
		size_t lost = ear_feed(s->ear, pcm, (size_t)n);
		s->lost += lost;
		s->fed += (uint64_t)n - lost;
		s->t_fed_ns = now_ns;
		cairn_stage_tried(s->stage, "hear all",
		    lost == 0 ? NULL : "the recogniser is 20 s behind: the machine is too slow or too busy");
	} while (n == PIECE);
	cairn_talk_step(&s->talk, cairn_now_ns());
	acting_do(s);
	return 0;
}

bool hearing_open(struct listen_stage *s, struct cairn_error *err)
{
	const struct cairn_config_voice *cfg = &s->cfg->voice;
	s->device = sound_device_open(cfg->listen_device, cairn_stage_run_dir(s->stage), true, err);
	if (s->device == NULL)
		return false;
	if (cfg->transcriber_url[0] != '\0') {
		s->transcriber = transcriber_new(cfg, err);
		if (s->transcriber == NULL)
			return false;
		cairn_stage_watch_fd(s->stage, transcriber_fd(s->transcriber), POLLIN, on_transcribed, s);
	}
	s->names_hash = CAIRN_HASH_START; /* of none, which it begins with */
	s->ear = ear_new(cfg, err);
	if (s->ear == NULL)
		return false;
	cairn_stage_watch_fd(s->stage, ear_fd(s->ear), POLLIN, on_ear, s);
	return true;
}
