#include "ipc/frames.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "iceoryx_binding_c/enums.h"
#include "iceoryx_binding_c/log.h"
#include "iceoryx_binding_c/publisher.h"
#include "iceoryx_binding_c/runtime.h"
#include "iceoryx_binding_c/subscriber.h"
#include "iceoryx_binding_c/types.h"

#define SERVICE_NAME "cairn"
#define PORTS_MAX 8
#define FAREWELL_MS 150 /* a living RouDi answers within milliseconds; a dead one must not hold up our end */

struct cairn_frame_pub {
	struct cairn_frames *frames;
	iox_pub_storage_t storage;
	iox_pub_t port;
	enum cairn_frame_topic topic;
	uint32_t chunk_bytes, payload_max;
	uint64_t epoch, seq;
	void *loaned;
};

struct cairn_frame_sub {
	struct cairn_frames *frames;
	iox_sub_storage_t storage;
	iox_sub_t port;
	enum cairn_frame_topic topic;
	uint32_t payload_max;
	struct cairn_frame_order order;
	bool overflowed; /* its queue, before the last take */
	const void *held;
};

struct cairn_frames {
	const struct cairn_config *cfg;
	int deadline_ms;
	uint64_t rejects;
	struct cairn_frames_missing missing;
	int pub_count, sub_count;
	struct cairn_frame_pub pubs[PORTS_MAX];
	struct cairn_frame_sub subs[PORTS_MAX];
};

/* The library offers no way to bound a registration: it waits a minute inside and then ends the process. So
 * the process ends itself first, with a status that says why. Only async-signal-safe calls here. */
static void on_deadline(int sig)
{
	(void)sig;
	static const char text[] = "data plane does not answer: RouDi is away or wedged, or its shared "
				   "memory is in a mount namespace of its "
				   "own: then 'cairn exec -- PROGRAM' starts a program where it is; ending\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n;
	_exit(CAIRN_EXIT_PLANE);
}

static void arm(int ms)
{
	if (ms > 0) {
		struct sigaction sa = {.sa_handler = on_deadline};
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigaction(SIGALRM, &sa, NULL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	struct itimerval t = {.it_value = {ms / 1000, (ms % 1000) * 1000}};
	setitimer(ITIMER_REAL, &t, NULL);
}

static int64_t mono_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

struct cairn_frames *cairn_frames_open(
    const char *stage, const struct cairn_config *cfg, int deadline_ms, struct cairn_error *err)
{
	struct cairn_frames *frames = calloc(1, sizeof(*frames));
	if (frames == NULL) {
		cairn_error_set(err, "data plane: out of memory");
		return NULL;
	}
	frames->cfg = cfg;
	frames->deadline_ms = deadline_ms;
	arm(deadline_ms);
	iox_set_loglevel(Iceoryx_LogLevel_Error);
	/* Its keep-alive thread must not be the one that gets our signals. */
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	sigprocmask(SIG_BLOCK, &all, &before);
	iox_runtime_init(stage);
	sigprocmask(SIG_SETMASK, &before, NULL);
	arm(0);
	return frames;
}

void cairn_frames_close(struct cairn_frames **frames_p)
{
	struct cairn_frames *frames = *frames_p;
	if (frames == NULL)
		return;
	arm(FAREWELL_MS);
	for (int i = 0; i < frames->sub_count; i++) {
		cairn_frame_release(&frames->subs[i]);
		iox_sub_deinit(frames->subs[i].port);
	}
	for (int i = 0; i < frames->pub_count; i++) {
		cairn_frame_abandon(&frames->pubs[i]);
		iox_pub_deinit(frames->pubs[i].port);
	}
	free(frames);
	*frames_p = NULL;
	/* The deadline stays armed: the library's own farewell to RouDi runs at exit and may hang as well. */
}

uint64_t cairn_frames_rejects(const struct cairn_frames *frames)
{
	return frames->rejects;
}

struct cairn_frames_missing cairn_frames_missing(const struct cairn_frames *frames)
{
	return frames->missing;
}

void cairn_frames_probe(struct cairn_frames *frames, int deadline_ms)
{
	(void)frames;
	iox_sub_storage_t storage;
	iox_sub_options_t options;
	iox_sub_options_init(&options);
	options.queueCapacity = 1;
	options.historyRequest = 0;
	options.subscribeOnCreate = false;
	arm(deadline_ms);
	iox_sub_t port = iox_sub_init(&storage, SERVICE_NAME, "probe", "probe", &options);
	if (port != NULL)
		iox_sub_deinit(port);
	arm(0);
}

/* ---- writing ---- */

struct cairn_frame_pub *cairn_frame_pub_new(
    struct cairn_frames *frames, enum cairn_frame_topic topic, struct cairn_error *err)
{
	if (frames->pub_count == PORTS_MAX) {
		cairn_error_set(err, "data plane: more than %d publishers in one process", PORTS_MAX);
		return NULL;
	}
	struct cairn_frame_pub *pub = &frames->pubs[frames->pub_count];
	pub->frames = frames;
	pub->topic = topic;
	pub->chunk_bytes = cairn_frame_chunk_bytes(frames->cfg, topic);
	pub->payload_max = cairn_frame_payload_max(frames->cfg, topic);
	if (getrandom(&pub->epoch, sizeof(pub->epoch), GRND_NONBLOCK) != (ssize_t)sizeof(pub->epoch))
		pub->epoch = (uint64_t)mono_ns();
	pub->epoch = (pub->epoch & ((UINT64_C(1) << 53) - 1)) | 1u; /* exact in JSON, and never 0 */
	iox_pub_options_t options;
	iox_pub_options_init(&options);
	options.historyCapacity = 1;
	options.subscriberTooSlowPolicy = ConsumerTooSlowPolicy_DISCARD_OLDEST_DATA;
	arm(frames->deadline_ms);
	pub->port =
	    iox_pub_init(&pub->storage, SERVICE_NAME, "frames", cairn_frame_topics[topic].name, &options);
	arm(0);
	frames->pub_count++;
	return pub;
}

void *cairn_frame_loan(
    struct cairn_frame_pub *pub, uint32_t payload_bytes, struct cairn_frame_header **ret_hdr)
{
	/* Always the whole chunk of the topic: a smaller loan would be served from another topic's pool. */
	if (payload_bytes > pub->payload_max || pub->loaned != NULL ||
	    iox_pub_loan_chunk(pub->port, &pub->loaned, pub->chunk_bytes) != AllocationResult_SUCCESS) {
		pub->frames->rejects++;
		return NULL;
	}
	struct cairn_frame_header *hdr = pub->loaned;
	*hdr = (struct cairn_frame_header){.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .seq = ++pub->seq,
	    .epoch = pub->epoch,
	    .payload_bytes = payload_bytes};
	*ret_hdr = hdr;
	return hdr + 1;
}

void cairn_frame_publish(struct cairn_frame_pub *pub)
{
	if (pub->loaned == NULL)
		return;
	iox_pub_publish_chunk(pub->port, pub->loaned);
	pub->loaned = NULL;
}

void cairn_frame_abandon(struct cairn_frame_pub *pub)
{
	if (pub->loaned == NULL)
		return;
	iox_pub_release_chunk(pub->port, pub->loaned);
	pub->loaned = NULL;
	pub->seq--; /* nobody misses it */
}

/* ---- reading ---- */

struct cairn_frame_sub *cairn_frame_sub_new(
    struct cairn_frames *frames, enum cairn_frame_topic topic, struct cairn_error *err)
{
	if (frames->sub_count == PORTS_MAX) {
		cairn_error_set(err, "data plane: more than %d subscribers in one process", PORTS_MAX);
		return NULL;
	}
	struct cairn_frame_sub *sub = &frames->subs[frames->sub_count];
	sub->frames = frames;
	sub->topic = topic;
	sub->payload_max = cairn_frame_payload_max(frames->cfg, topic);
	iox_sub_options_t options;
	iox_sub_options_init(&options);
	options.queueCapacity = CAIRN_FRAME_QUEUE;
	options.historyRequest = 1;
	options.queueFullPolicy = QueueFullPolicy_DISCARD_OLDEST_DATA;
	arm(frames->deadline_ms);
	sub->port =
	    iox_sub_init(&sub->storage, SERVICE_NAME, "frames", cairn_frame_topics[topic].name, &options);
	arm(0);
	frames->sub_count++;
	return sub;
}

/* The queue drops its oldest within a publish, so the frame that shows the gap may be read one take later than the word
 * that it overflowed. */
static void count_missing(struct cairn_frame_sub *sub, uint64_t missing)
{
	bool overflowed = iox_sub_has_lost_chunks(sub->port);
	if (overflowed || sub->overflowed)
		sub->frames->missing.overtaken += missing;
	else
		sub->frames->missing.lost += missing;
	sub->overflowed = overflowed;
}

const void *cairn_frame_take(struct cairn_frame_sub *sub, const struct cairn_frame_header **ret_hdr)
{
	cairn_frame_release(sub);
	const void *newest = NULL, *chunk;
	uint64_t missing = 0;
	while (iox_sub_take_chunk(sub->port, &chunk) == ChunkReceiveResult_SUCCESS) {
		bool usable = cairn_frame_header_check(chunk, sub->payload_max, mono_ns(), NULL);
		missing += cairn_frame_missing(&sub->order, chunk, usable);
		if (!usable) {
			sub->frames->rejects++;
			iox_sub_release_chunk(sub->port, chunk);
			continue;
		}
		if (newest != NULL)
			iox_sub_release_chunk(sub->port, newest);
		newest = chunk;
	}
	count_missing(sub, missing);
	if (newest == NULL)
		return NULL;
	sub->held = newest;
	*ret_hdr = newest;
	return *ret_hdr + 1;
}

void cairn_frame_release(struct cairn_frame_sub *sub)
{
	if (sub->held == NULL)
		return;
	iox_sub_release_chunk(sub->port, sub->held);
	sub->held = NULL;
}
