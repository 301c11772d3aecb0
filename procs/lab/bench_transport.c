/* bench_transport.c - a 640 x 480 colour frame from one process to another: our frames, bare iceoryx, and the
 * same bytes over ZeroMQ.
 *
 * The latency is from before the loan (before the send) until the reader holds the frame and has looked at
 * both of its ends. None of the three fills the frame on the way: a camera writes it in place. The iceoryx
 * ones are polled without a pause; the ZeroMQ one is waited for, and sent without a copy into the message. A
 * RouDi of its own runs in a private mount namespace, and nothing is left of it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/frames.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/launcher/plane.h"

/* Last: they define the names of macros that our tables use. */
#include "iceoryx_binding_c/publisher.h"
#include "iceoryx_binding_c/subscriber.h"

#define W 640
#define H 480
#define FRAME_BYTES (W * H * 3)
#define WARM_UP 20
#define ROUNDS 300
#define GAP_US 200 /* the reader is back at its post by then */
#define REPLY_MS 1000
#define ROUDI_NS (8 * CAIRN_NS_PER_S)
#define RUN_MS 20000
#define PLANE_MS 5000

enum way { WAY_FRAMES, WAY_BARE, WAY_ZMQ, WAYS };

struct transport {
	struct cairn_config cfg;
	char dir[64], endpoint[96];
	int to_reader[2], to_writer[2], to_parent[2]; /* pipes: the next way; when it came; the medians */
};

struct ends {
	struct cairn_frames *frames;
	struct cairn_frame_pub *pub;
	struct cairn_frame_sub *sub;
	iox_pub_storage_t pub_storage;
	iox_sub_storage_t sub_storage;
	iox_pub_t bare_pub;
	iox_sub_t bare_sub;
	uint32_t chunk_bytes;
	void *zmq_ctx, *zmq;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* ---- both ends ---- */

/* In the forked child: into the namespace, and never longer than the parent. */
static bool settle(const struct cairn_namespace *ns, pid_t parent)
{
	if (cairn_namespace_enter(ns) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return false;
	return getppid() == parent;
}

static bool open_ends(struct ends *e, const struct transport *t, bool writer)
{
	struct cairn_error err = {""};
	int zero = 0;
	e->chunk_bytes = cairn_frame_chunk_bytes(&t->cfg, CAIRN_FRAME_CAMERA_RGB);
	e->frames = cairn_frames_open(writer ? "bench-writer" : "bench-reader", &t->cfg, PLANE_MS, &err);
	e->zmq_ctx = zmq_ctx_new();
	e->zmq = e->zmq_ctx != NULL ? zmq_socket(e->zmq_ctx, writer ? ZMQ_PUSH : ZMQ_PULL) : NULL;
	if (e->frames == NULL || e->zmq == NULL ||
	    zmq_setsockopt(e->zmq, ZMQ_LINGER, &zero, sizeof(zero)) != 0)
		return false;
	if (writer) {
		iox_pub_options_t options;
		iox_pub_options_init(&options);
		options.historyCapacity = 1;
		e->pub = cairn_frame_pub_new(e->frames, CAIRN_FRAME_CAMERA_RGB, &err);
		e->bare_pub = iox_pub_init(&e->pub_storage, "bench", "bare", "rgb", &options);
		return e->pub != NULL && zmq_bind(e->zmq, t->endpoint) == 0;
	}
	iox_sub_options_t options;
	iox_sub_options_init(&options);
	options.queueCapacity = CAIRN_FRAME_QUEUE;
	options.historyRequest = 1;
	int patience_ms = REPLY_MS;
	e->sub = cairn_frame_sub_new(e->frames, CAIRN_FRAME_CAMERA_RGB, &err);
	e->bare_sub = iox_sub_init(&e->sub_storage, "bench", "bare", "rgb", &options);
	return e->sub != NULL &&
	       zmq_setsockopt(e->zmq, ZMQ_RCVTIMEO, &patience_ms, sizeof(patience_ms)) == 0 &&
	       zmq_connect(e->zmq, t->endpoint) == 0;
}

/* The number of the round, at both ends of a frame. */
static void mark(void *frame, uint64_t round)
{
	memcpy(frame, &round, sizeof(round));
	memcpy((char *)frame + FRAME_BYTES - sizeof(round), &round, sizeof(round));
}

static bool marked(const void *frame, uint64_t round)
{
	return memcmp(frame, &round, sizeof(round)) == 0 &&
	       memcmp((const char *)frame + FRAME_BYTES - sizeof(round), &round, sizeof(round)) == 0;
}

/* ---- the reader ---- */

static bool take_frames(struct ends *e, uint64_t round)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(e->sub, &hdr);
	return payload != NULL && hdr->payload_bytes == FRAME_BYTES && marked(payload, round);
}

static bool take_bare(struct ends *e, uint64_t round, const void **held)
{
	const void *chunk = NULL;
	if (iox_sub_take_chunk(e->bare_sub, &chunk) != ChunkReceiveResult_SUCCESS)
		return false;
	*held = chunk;
	return marked(chunk, round);
}

static bool take_zmq(struct ends *e, uint64_t round)
{
	zmq_msg_t msg;
	zmq_msg_init(&msg);
	bool ok = zmq_msg_recv(&msg, e->zmq, 0) == FRAME_BYTES && marked(zmq_msg_data(&msg), round);
	zmq_msg_close(&msg);
	return ok;
}

/* When the frame of this round was there; 0 if it did not come. */
static int64_t await(struct ends *e, enum way way, uint64_t round)
{
	int64_t now_ns = cli_now_ns(), until_ns = now_ns + REPLY_MS * CAIRN_NS_PER_MS;
	bool here = false;
	for (unsigned n = 0; !here && now_ns < until_ns; n++) {
		const void *held = NULL;
		if (way == WAY_FRAMES)
			here = take_frames(e, round);
		else if (way == WAY_BARE)
			here = take_bare(e, round, &held);
		else
			here = take_zmq(e, round);
		if (here || n % 64 == 63)
			now_ns = cli_now_ns();
		if (held != NULL)
			iox_sub_release_chunk(e->bare_sub, held);
		cairn_frame_release(e->sub);
	}
	return here ? now_ns : 0;
}

_Noreturn static void reader(const struct transport *t, const struct cairn_namespace *ns, pid_t parent)
{
	struct ends e = {0};
	bool ok = settle(ns, parent) && open_ends(&e, t, false);
	int64_t came_ns = 1; /* the first word only says that this end is open */
	for (uint64_t round = 1; ok; round++) {
		uint8_t way;
		ok = write(t->to_writer[1], &came_ns, sizeof(came_ns)) == (ssize_t)sizeof(came_ns) &&
		     read(t->to_reader[0], &way, 1) == 1;
		if (ok)
			came_ns = await(&e, (enum way)way, round);
	}
	cairn_frames_close(&e.frames);
	_exit(0);
}

/* ---- the writer ---- */

static void keep_memory(void *data, void *hint)
{
	(void)data;
	(void)hint;
}

static bool send_one(struct ends *e, enum way way, uint64_t round, void *plain, int64_t *ret_ns)
{
	*ret_ns = cli_now_ns();
	if (way == WAY_FRAMES) {
		struct cairn_frame_header *hdr;
		void *payload = cairn_frame_loan(e->pub, FRAME_BYTES, &hdr);
		if (payload == NULL)
			return false;
		hdr->format = CAIRN_FORMAT_RGB8;
		hdr->t_ns = *ret_ns;
		hdr->width = W;
		hdr->height = H;
		hdr->stride_bytes = W * 3;
		mark(payload, round);
		cairn_frame_publish(e->pub);
		return true;
	}
	if (way == WAY_BARE) {
		void *chunk;
		if (iox_pub_loan_chunk(e->bare_pub, &chunk, e->chunk_bytes) != AllocationResult_SUCCESS)
			return false;
		mark(chunk, round);
		iox_pub_publish_chunk(e->bare_pub, chunk);
		return true;
	}
	zmq_msg_t msg;
	mark(plain, round);
	zmq_msg_init_data(&msg, plain, FRAME_BYTES, keep_memory, NULL);
	return zmq_msg_send(&msg, e->zmq, 0) == FRAME_BYTES;
}

/* One frame; how long it took in *ret_us. */
static bool pass_one(
    struct ends *e, const struct transport *t, enum way way, uint64_t round, void *plain, double *ret_us)
{
	uint8_t word = (uint8_t)way;
	int64_t sent_ns = 0, came_ns = 0;
	bool ok = write(t->to_reader[1], &word, 1) == 1 && usleep(GAP_US) == 0 &&
		  send_one(e, way, round, plain, &sent_ns) &&
		  read(t->to_writer[0], &came_ns, sizeof(came_ns)) == (ssize_t)sizeof(came_ns) &&
		  came_ns != 0;
	*ret_us = (double)(came_ns - sent_ns) * 1e-3;
	return ok;
}

/* Ours and the bare one take turns, each as often after itself as after the other. ZeroMQ comes after them:
 * it runs a megabyte through the caches, which whoever comes next would pay for. */
static bool measure(struct ends *e, const struct transport *t, double median_us[WAYS])
{
	double took_us[WAYS][WARM_UP + ROUNDS];
	int done[WAYS] = {0};
	uint8_t *plain = malloc(FRAME_BYTES);
	int64_t open_ns;
	bool ok =
	    plain != NULL && read(t->to_writer[0], &open_ns, sizeof(open_ns)) == (ssize_t)sizeof(open_ns);
	if (ok)
		memset(plain, 1, FRAME_BYTES);
	for (int i = 0; i < (WARM_UP + ROUNDS) * WAYS && ok; i++) {
		static const enum way turns[] = {WAY_FRAMES, WAY_BARE, WAY_BARE, WAY_FRAMES};
		enum way way = i < (WARM_UP + ROUNDS) * 2 ? turns[i % 4] : WAY_ZMQ;
		ok = pass_one(e, t, way, (uint64_t)i + 1, plain, &took_us[way][done[way]++]);
	}
	for (int way = 0; way < WAYS && ok; way++) {
		qsort(took_us[way] + WARM_UP, ROUNDS, sizeof(double), by_value);
		median_us[way] = took_us[way][WARM_UP + ROUNDS / 2];
	}
	free(plain);
	return ok;
}

_Noreturn static void writer(const struct transport *t, const struct cairn_namespace *ns, pid_t parent)
{
	struct ends e = {0};
	double median_us[WAYS];
	if (settle(ns, parent) && open_ends(&e, t, true) && measure(&e, t, median_us))
		(void)!write(t->to_parent[1], median_us, sizeof(median_us));
	close(t->to_reader[1]); /* the reader ends by it */
	cairn_frames_close(&e.frames);
	_exit(0);
}

/* ---- the plane, and all of it ---- */

static bool plane_up(struct cairn_plane *plane, struct cairn_error *err)
{
	int64_t until_ns = cli_now_ns() + ROUDI_NS;
	if (!cairn_plane_start(plane, cli_now_ns(), err))
		return false;
	while (plane->state == CAIRN_PLANE_STARTING && cli_now_ns() < until_ns) {
		struct pollfd p = {.fd = plane->child.log_fd, .events = POLLIN};
		if (poll(&p, 1, 100) > 0 && (p.revents & POLLIN) == 0)
			break; /* it has ended */
		cairn_plane_read(plane, cli_now_ns());
	}
	if (plane->state != CAIRN_PLANE_UP)
		cairn_error_set(err, "RouDi did not get ready");
	return plane->state == CAIRN_PLANE_UP;
}

static void close_pipe(int pair[2])
{
	for (int i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
		pair[i] = -1;
	}
}

/* Both ends in processes of their own; whatever becomes of them, they are gone afterwards. */
static bool run_ends(struct transport *t, const struct cairn_namespace *ns, double median_us[WAYS])
{
	pid_t parent = getpid(), pids[2] = {-1, -1};
	fflush(NULL);
	if (pipe(t->to_reader) != 0 || pipe(t->to_writer) != 0 || pipe(t->to_parent) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0 && i == 0) {
			close(t->to_reader[1]); /* so that it sees the writer go */
			close(t->to_parent[1]);
			reader(t, ns, parent);
		} else if (pids[i] == 0) {
			close(t->to_writer[1]);
			writer(t, ns, parent);
		}
	}
	close_pipe(t->to_reader);
	close_pipe(t->to_writer);
	close(t->to_parent[1]);
	t->to_parent[1] = -1;
	struct pollfd p = {.fd = t->to_parent[0], .events = POLLIN};
	const ssize_t bytes = (ssize_t)(WAYS * sizeof(median_us[0]));
	bool ok = pids[0] > 0 && pids[1] > 0 && poll(&p, 1, RUN_MS) > 0 &&
		  read(t->to_parent[0], median_us, (size_t)bytes) == bytes;
	for (int i = 0; i < 2; i++) {
		if (pids[i] > 0) {
			kill(pids[i], SIGKILL);
			waitpid(pids[i], NULL, 0);
		}
	}
	return ok;
}

static void remove_files(const struct transport *t)
{
	static const char *const files[] = {
	    "zmq", "roudi.toml", "ns.pid", "logs/roudi.log", "logs/roudi.log.1"};
	char path[128];
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", t->dir, files[i]);
		(void)unlink(path);
	}
	snprintf(path, sizeof(path), "%s/logs", t->dir);
	(void)rmdir(path);
	(void)rmdir(t->dir);
}

static bool run_transport(struct transport *t, double median_us[WAYS], struct cairn_error *err)
{
	struct cairn_plane plane;
	char logs[80];
	snprintf(logs, sizeof(logs), "%s/logs", t->dir);
	snprintf(t->endpoint, sizeof(t->endpoint), "ipc://%s/zmq", t->dir);
	if (mkdir(logs, 0700) != 0) {
		cairn_error_set(err, "%s: %s", logs, strerror(errno));
		return false;
	}
	cairn_plane_init(&plane, &t->cfg, t->dir);
	bool ok = plane_up(&plane, err);
	if (ok && !run_ends(t, &plane.ns, median_us)) {
		cairn_error_set(err, "the frames did not get through");
		ok = false;
	}
	close_pipe(t->to_reader);
	close_pipe(t->to_writer);
	close_pipe(t->to_parent);
	cairn_plane_remove(&plane);
	cairn_logfile_close(&plane.log);
	return ok;
}

bool cairn_bench_transport(struct cairn_bench_out *out)
{
	struct transport t = {.dir = "/tmp/cairn-bench-XXXXXX",
	    .to_reader = {-1, -1},
	    .to_writer = {-1, -1},
	    .to_parent = {-1, -1}};
	struct cairn_error err = {""};
	double median_us[WAYS];
	sigset_t ends, before;
	cairn_config_defaults(&t.cfg);
	t.cfg.launcher.isolation = CAIRN_CHOICE_ISOLATION_PRIVATE;
	struct cairn_namespace ns;
	if (!cairn_namespace_create(&ns, 1 << 20, &err)) {
		fprintf(stderr, "cairn bench: transport is left out: %s\n", err.text);
		return true;
	}
	cairn_namespace_close(&ns);
	if (mkdtemp(t.dir) == NULL) {
		fprintf(stderr, "cairn bench: transport: %s: %s\n", t.dir, strerror(errno));
		return false;
	}
	/* The end may wait for the few seconds this takes: then everything has been removed. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &before);
	bool ok = run_transport(&t, median_us, &err);
	remove_files(&t);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!ok) {
		fprintf(stderr, "cairn bench: transport: %s\n", err.text);
		return false;
	}
	cairn_bench_ratio(
	    out, "transport.rgb.bare_iceoryx", median_us[WAY_FRAMES], "us/op", median_us[WAY_BARE]);
	cairn_bench_ratio(out, "transport.rgb.zmq_ipc", median_us[WAY_FRAMES], "us/op", median_us[WAY_ZMQ]);
	return true;
}
