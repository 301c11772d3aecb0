#include "procs/voice/ear.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define ROOM (20 * CAIRN_SOUND_HZ)
#define EVENTS 8
#define PIECE 1600

struct ear {
	const struct cairn_config_voice *cfg;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, but the recogniser, which is the thread's */
	pthread_cond_t work;
	int fd;
	bool ending, renamed;
	int16_t ring[ROOM];
	size_t fed, taken; /* samples so far */
	struct cairn_voice_names names;
	struct ear_event events[EVENTS];
	uint32_t event_count;
	struct cairn_sound last;
	struct recognizer *recognizer;
};

/* With the lock held. An event that finds no room is one that nobody has looked for since seven others. */
static struct ear_event *add(struct ear *ear, enum ear_event_kind kind)
{
	uint64_t one = 1;
	if (ear->event_count == EVENTS) {
		memmove(ear->events, ear->events + 1, (EVENTS - 1) * sizeof(ear->events[0]));
		ear->event_count--;
	}
	struct ear_event *e = &ear->events[ear->event_count++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	if (write(ear->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		abort(); /* an eventfd takes a one */
	return e;
}

static void on_event(void *ctx, const struct recognizer_event *event)
{
	struct ear *ear = ctx;
	size_t count;
	const int16_t *pcm = recognizer_last(ear->recognizer, &count);
	int16_t *copy = event->kind == RECOGNIZER_UTTERANCE ? malloc((count + 1) * sizeof(*copy)) : NULL;
	pthread_mutex_lock(&ear->lock);
	add(ear, EAR_HEARD)->heard = *event;
	if (copy != NULL) {
		memcpy(copy, pcm, count * sizeof(*copy));
		cairn_sound_free(&ear->last);
		ear->last = (struct cairn_sound){copy, count};
	}
	pthread_mutex_unlock(&ear->lock);
}

static void rename_all(struct ear *ear, const struct cairn_voice_names *wanted)
{
	static struct cairn_voice_names can; /* of the one thread; large */
	struct cairn_error err = {""};
	memset(&can, 0, sizeof(can));
	for (uint32_t i = 0; i < wanted->count; i++)
		cairn_voice_name_add(
		    &can, wanted->items[i].said, wanted->items[i].id, recognizer_knows, ear->recognizer);
	bool ok = recognizer_names(ear->recognizer, ear->cfg->wake_word, &can, &err);
	pthread_mutex_lock(&ear->lock);
	struct ear_event *e = add(ear, ok ? EAR_NAMES : EAR_FAILED);
	e->names = can;
	e->err = err;
	pthread_mutex_unlock(&ear->lock);
}

static bool load(struct ear *ear)
{
	struct cairn_error err = {"out of memory"};
	ear->recognizer = recognizer_new(ear->cfg->model_dir, ear->cfg->stop_confidence, &err);
	if (ear->recognizer != NULL)
		return true;
	pthread_mutex_lock(&ear->lock);
	add(ear, EAR_FAILED)->err = err;
	pthread_mutex_unlock(&ear->lock);
	return false;
}

static void *run(void *ctx)
{
	struct ear *ear = ctx;
	static struct cairn_voice_names wanted; /* of the one thread; large */
	int16_t pcm[PIECE];
	if (!load(ear))
		return NULL;
	pthread_mutex_lock(&ear->lock);
	while (!ear->ending) {
		bool renamed = ear->renamed;
		size_t n = ear->fed - ear->taken < PIECE ? ear->fed - ear->taken : PIECE;
		if (!renamed && n == 0) {
			pthread_cond_wait(&ear->work, &ear->lock);
			continue;
		}
		if (renamed)
			wanted = ear->names;
		for (size_t i = 0; i < n; i++)
			pcm[i] = ear->ring[(ear->taken + i) % ROOM];
		ear->taken += n;
		ear->renamed = false;
		pthread_mutex_unlock(&ear->lock);
		if (renamed)
			rename_all(ear, &wanted);
		recognizer_feed(ear->recognizer, pcm, n, on_event, ear);
		pthread_mutex_lock(&ear->lock);
	}
	pthread_mutex_unlock(&ear->lock);
	return NULL;
}

struct ear *ear_new(const struct cairn_config_voice *cfg, struct cairn_error *err)
{
	struct ear *ear = calloc(1, sizeof(*ear));
	if (ear == NULL)
		return NULL;
	ear->cfg = cfg;
	ear->renamed = true; /* without names there is a grammar, too */
	ear->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&ear->lock, NULL);
	pthread_cond_init(&ear->work, NULL);
	if (ear->fd < 0 || pthread_create(&ear->thread, NULL, run, ear) != 0) {
		cairn_error_set(err, "no thread for the recogniser: %s", strerror(errno));
		if (ear->fd >= 0)
			close(ear->fd);
		free(ear);
		return NULL;
	}
	return ear;
}

void ear_destroy(struct ear **ear_p)
{
	struct ear *ear = *ear_p;
	*ear_p = NULL;
	if (ear == NULL)
		return;
	pthread_mutex_lock(&ear->lock);
	ear->ending = true;
	pthread_cond_signal(&ear->work);
	pthread_mutex_unlock(&ear->lock);
	pthread_join(ear->thread, NULL);
	recognizer_destroy(&ear->recognizer);
	cairn_sound_free(&ear->last);
	pthread_cond_destroy(&ear->work);
	pthread_mutex_destroy(&ear->lock);
	close(ear->fd);
	free(ear);
}

int ear_fd(const struct ear *ear)
{
	return ear->fd;
}

bool ear_take(struct ear *ear, struct ear_event *ret)
{
	uint64_t count;
	pthread_mutex_lock(&ear->lock);
	bool there = ear->event_count > 0;
	if (there) {
		*ret = ear->events[0];
		ear->event_count--;
		memmove(ear->events, ear->events + 1, ear->event_count * sizeof(ear->events[0]));
	} else if (read(ear->fd, &count, sizeof(count)) < 0 && errno != EAGAIN) {
		abort(); /* an eventfd gives its count */
	}
	pthread_mutex_unlock(&ear->lock);
	return there;
}

size_t ear_feed(struct ear *ear, const int16_t *pcm, size_t count)
{
	pthread_mutex_lock(&ear->lock);
	size_t room = ROOM - (ear->fed - ear->taken), n = count < room ? count : room;
	for (size_t i = 0; i < n; i++)
		ear->ring[(ear->fed + i) % ROOM] = pcm[i];
	ear->fed += n;
	pthread_cond_signal(&ear->work);
	pthread_mutex_unlock(&ear->lock);
	return count - n;
}

void ear_names(struct ear *ear, const struct cairn_voice_names *names)
{
	pthread_mutex_lock(&ear->lock);
	ear->names = *names;
	ear->renamed = true;
	pthread_cond_signal(&ear->work);
	pthread_mutex_unlock(&ear->lock);
}

bool ear_last(struct ear *ear, struct cairn_sound *ret)
{
	pthread_mutex_lock(&ear->lock);
	*ret = ear->last;
	ear->last = (struct cairn_sound){NULL, 0};
	pthread_mutex_unlock(&ear->lock);
	return ret->pcm != NULL;
}
