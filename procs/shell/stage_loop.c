/* stage_loop.c - the loop of a stage: what it waits for, its timers, and the heartbeat that comes from
 * within. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/shell/stage_internal.h"

#define BEAT_NS CAIRN_NS_PER_S
#define TAKEN_BEATS 10 /* long enough to be seen */
#define TURNS_MAX                                                                                            \
	16 /* in one cairn_stage_turn: a flood of messages must not keep the caller from its own work */

struct stage_source *stage_add_source(struct cairn_stage *stage)
{
	if (stage->source_count == CAIRN_STAGE_SOURCES_MAX) {
		cairn_log_error("more than %d inputs in one loop", CAIRN_STAGE_SOURCES_MAX);
		exit(1);
	}
	stage->sources_changed = stage->fd_stale = true;
	struct stage_source *s = &stage->sources[stage->source_count++];
	*s = (struct stage_source){.fd = -1};
	return s;
}

void cairn_stage_watch_socket(struct cairn_stage *stage, void *socket, cairn_loop_fn *fn, void *ctx)
{
	struct stage_source *s = stage_add_source(stage);
	s->socket = socket;
	s->events = ZMQ_POLLIN;
	s->fn = fn;
	s->ctx = ctx;
}

void cairn_stage_unwatch_socket(struct cairn_stage *stage, void *socket)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == socket) {
			stage->sources[i] = stage->sources[--stage->source_count];
			stage->sources_changed = stage->fd_stale = true;
			return;
		}
	}
}

void cairn_stage_every(struct cairn_stage *stage, int period_ms, cairn_loop_fn *fn, void *ctx)
{
	if (stage->timer_count == STAGE_TIMERS_MAX) {
		cairn_log_error("more than %d timers in one loop", STAGE_TIMERS_MAX);
		exit(1);
	}
	int64_t period_ns = period_ms * CAIRN_NS_PER_MS;
	stage->timers[stage->timer_count++] =
	    (struct stage_timer){period_ns, cairn_now_ns() + period_ns, fn, ctx};
}

void cairn_stage_watch_fd(struct cairn_stage *stage, int fd, short events, cairn_loop_fn *fn, void *ctx)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == NULL && stage->sources[i].fd == fd) {
			stage->sources[i].events = events;
			stage->sources[i].fn = fn;
			stage->sources[i].ctx = ctx;
			stage->sources_changed = stage->fd_stale = true;
			return;
		}
	}
	struct stage_source *s = stage_add_source(stage);
	s->fd = fd;
	s->events = events;
	s->fn = fn;
	s->ctx = ctx;
}

void cairn_stage_unwatch_fd(struct cairn_stage *stage, int fd)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == NULL && stage->sources[i].fd == fd) {
			stage->sources[i] = stage->sources[--stage->source_count];
			stage->sources_changed = stage->fd_stale = true;
			return;
		}
	}
}

/* Whoever has bound one of our topics has made the stage deaf or dumb for those who connect from then on. */
static void hold_topics(struct cairn_stage *stage)
{
	static const char what[] = "keep its bus topics";
	const char *first;
	char why[80];
	int taken = cairn_bus_hold(stage->bus, &first);
	if (taken > 0) {
		snprintf(why, sizeof(why), "%.32s was taken by another process", first);
		stage->taken_beats = TAKEN_BEATS;
		cairn_stage_tried(stage, what, why);
	} else if (stage->taken_beats > 0 && --stage->taken_beats == 0) {
		cairn_stage_tried(stage, what, NULL);
	}
}

static void beat(struct cairn_stage *stage, int64_t now_ns)
{
	hold_topics(stage);
	struct cairn_msg_heartbeat hb = {.loops = stage->loops,
	    .overrun_ms = (double)stage->turn_ns * 1e-6,
	    .ticks = stage->late.count,
	    .late_ms = (double)stage->late_ns * 1e-6,
	    .late_p99_ms = (double)cairn_histogram_at_ns(&stage->late, 0.99) * 1e-6,
	    .overruns = stage->overruns,
	    .rejects =
		stage->rejects + stage->core_rejects + stage->frame_rejects + cairn_bus_rejects(stage->bus),
	    .frames_lost = stage->frames_lost,
	    .frames_overtaken = stage->frames_overtaken};
	snprintf(hb.stage, sizeof(hb.stage), "%s", stage->name);
	snprintf(hb.note, sizeof(hb.note), "%s", stage->note);
	hb.failures = stage->failures;
	for (int i = 0; i < STAGE_TROUBLES_MAX && hb.trouble[0] == '\0'; i++) {
		if (stage->troubles[i].what[0] != '\0')
			snprintf(hb.trouble, sizeof(hb.trouble), "%s", stage->troubles[i].text);
	}
	cairn_pub_send(stage->beat_pub, &hb, now_ns, true);
	if (stage->commanded.id != 0) /* for those who came late */
		cairn_pub_send(stage->commanded_pub, &stage->commanded, stage->commanded_ns, true);
	stage->turn_ns = stage->late_ns = 0;
	stage->beat_due_ns = now_ns + BEAT_NS;
}

/* Late by a whole period or more: what was missed is counted, not made up for in a burst. */
static void count_late(struct cairn_stage *stage, struct stage_timer *t, int64_t now_ns)
{
	int64_t late_ns = now_ns - t->due_ns;
	cairn_histogram_add(&stage->late, late_ns);
	if (late_ns > stage->late_ns)
		stage->late_ns = late_ns;
	int64_t missed = late_ns / t->period_ns;
	stage->overruns += (uint64_t)missed;
	t->due_ns += (missed + 1) * t->period_ns;
}

static int run_timers(struct cairn_stage *stage)
{
	for (int i = 0; i < stage->timer_count; i++) {
		struct stage_timer *t = &stage->timers[i];
		int64_t now_ns = cairn_now_ns();
		if (now_ns < t->due_ns)
			continue;
		count_late(stage, t, now_ns);
		int r = t->fn(t->ctx);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_sources(struct cairn_stage *stage, const zmq_pollitem_t *items, int count)
{
	stage->sources_changed = false;
	for (int i = 0; i < count; i++) {
		if (items[i].revents == 0)
			continue;
		struct stage_source *s = &stage->sources[i];
		if (s->server != NULL) {
			cairn_server_serve(s->server);
			continue;
		}
		int r = s->fn(s->ctx);
		if (r < 0)
			return r;
		if (stage->sources_changed)
			break; /* the table moved under us; what is left is still ready next time */
	}
	return 0;
}

/* The timer is a descriptor, since a poll waits in whole milliseconds: too coarse for a loop of 20 ms. */
static bool arm_timer(struct cairn_stage *stage)
{
	int64_t due_ns = stage->beat_due_ns;
	for (int i = 0; i < stage->timer_count; i++)
		due_ns = stage->timers[i].due_ns < due_ns ? stage->timers[i].due_ns : due_ns;
	due_ns = due_ns > 0 ? due_ns : 1; /* zero would never come */
	if (due_ns == stage->armed_ns && cairn_now_ns() < due_ns)
		return true;
	stage->armed_ns = due_ns;
	struct itimerspec at = {.it_value = {due_ns / CAIRN_NS_PER_S, due_ns % CAIRN_NS_PER_S}};
	return timerfd_settime(stage->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

static int fill_items(const struct cairn_stage *stage, zmq_pollitem_t *items)
{
	for (int i = 0; i < stage->source_count; i++) {
		const struct stage_source *s = &stage->sources[i];
		short events = 0;
		if (s->socket != NULL || (s->events & POLLIN) != 0)
			events |= ZMQ_POLLIN;
		if (s->socket == NULL && (s->events & POLLOUT) != 0)
			events |= ZMQ_POLLOUT;
		if (s->socket == NULL)
			events |= ZMQ_POLLERR;
		items[i] = (zmq_pollitem_t){s->socket, s->fd, events, 0};
	}
	return stage->source_count;
}

/* Waits at most wait_ms (-1: until something comes) and does what is due. How many inputs had something, or a negative
 * status. */
static int turn(struct cairn_stage *stage, long wait_ms)
{
	zmq_pollitem_t items[CAIRN_STAGE_SOURCES_MAX];
	int count = fill_items(stage, items), ready = -1;
	if (arm_timer(stage))
		ready = zmq_poll(items, count, wait_ms);
	if (ready < 0 && zmq_errno() != EINTR) {
		int r = zmq_errno();
		cairn_log_error("poll: %s", zmq_strerror(r));
		return -r;
	}
	int64_t begin_ns = cairn_now_ns();
	int r = run_sources(stage, items, ready > 0 ? count : 0);
	if (r >= 0)
		r = run_timers(stage);
	if (r < 0)
		return r;
	stage->loops++;
	int64_t now_ns = cairn_now_ns();
	if (now_ns - begin_ns > stage->turn_ns)
		stage->turn_ns = now_ns - begin_ns;
	if (now_ns >= stage->beat_due_ns)
		beat(stage, now_ns);
	return ready > 0 ? ready : 0;
}

int cairn_stage_run(struct cairn_stage *stage)
{
	while (!stage->ending) {
		int r = turn(stage, -1);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- where another library waits ---- */

static int fd_of(const struct stage_source *s)
{
	int fd = s->fd;
	size_t bytes = sizeof(fd);
	if (s->socket != NULL && zmq_getsockopt(s->socket, ZMQ_FD, &fd, &bytes) != 0)
		return -1;
	return fd;
}

/* A descriptor that was closed has left the set by itself. */
static void refresh_fd(struct cairn_stage *stage)
{
	if (!stage->fd_stale)
		return;
	for (int i = 0; i < stage->fd_count; i++)
		(void)epoll_ctl(stage->epoll_fd, EPOLL_CTL_DEL, stage->fds[i], NULL);
	stage->fd_count = 0;
	for (int i = 0; i < stage->source_count; i++) {
		const struct stage_source *s = &stage->sources[i];
		struct epoll_event e = {.events = 0};
		if (s->socket != NULL || (s->events & POLLIN) != 0)
			e.events |= EPOLLIN;
		if (s->socket == NULL && (s->events & POLLOUT) != 0)
			e.events |= EPOLLOUT;
		int fd = fd_of(s);
		if (fd >= 0 && epoll_ctl(stage->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0)
			stage->fds[stage->fd_count++] = fd;
	}
	stage->fd_stale = false;
}

int cairn_stage_fd(struct cairn_stage *stage)
{
	if (stage->epoll_fd < 0) {
		stage->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
		stage->fd_stale = true;
	}
	if (stage->epoll_fd >= 0 && arm_timer(stage))
		refresh_fd(stage);
	return stage->epoll_fd;
}

/* The descriptor of a ZeroMQ socket tells of a change only, so that nothing may be left waiting when it is gone back to. */
int cairn_stage_turn(struct cairn_stage *stage)
{
	int r = 1;
	for (int i = 0; r > 0 && i < TURNS_MAX && !stage->ending; i++)
		r = turn(stage, 0);
	if (r > 0) { /* more waits: come back at once */
		struct itimerspec now = {.it_value = {0, 1}};
		(void)timerfd_settime(stage->timer_fd, 0, &now, NULL);
		stage->armed_ns = 0;
	} else if (r == 0 && !arm_timer(stage)) {
		return -errno;
	}
	refresh_fd(stage);
	return r < 0 ? r : 0;
}
