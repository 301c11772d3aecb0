/* stage_loop.c - the loop of a stage: what it waits for, its timers, and the heartbeat that comes from
 * within. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>

#include "common/base/geom.h"
#include "procs/shell/stage_private.h"

#define BEAT_NS CAIRN_NS_PER_S
#define TAKEN_BEATS 10 /* long enough to be seen */
#define TURNS_MAX                                                                                            \
	16 /* in one cairn_stage_turn: a flood of messages must not keep the caller from its own work */

static void add_source(struct cairn_stage *stage, int item, struct stage_source source)
{
	if (item < 0) {
		cairn_log_error("an input of the loop: %s",
		    item == -ENOSPC ? "there are too many (CAIRN_STAGE_SOURCES_MAX)" : strerror(-item));
		exit(1);
	}
	stage->sources[item] = source;
	stage->sources_changed = true;
}

static void remove_source(struct cairn_stage *stage, int item)
{
	if (item < 0)
		return;
	cairn_poller_remove(&stage->poller, item);
	stage->sources[item] = stage->sources[stage->poller.count];
	stage->sources_changed = true;
}

void cairn_stage_watch_socket(struct cairn_stage *stage, void *socket, cairn_loop_fn *fn, void *ctx)
{
	add_source(stage, cairn_poller_add_socket(&stage->poller, socket),
	    (struct stage_source){.fn = fn, .ctx = ctx});
}

void stage_watch_server(struct cairn_stage *stage, struct cairn_server *server)
{
	add_source(stage, cairn_poller_add_socket(&stage->poller, cairn_server_socket(server)),
	    (struct stage_source){.server = server});
}

void cairn_stage_unwatch_socket(struct cairn_stage *stage, void *socket)
{
	int i = stage->poller.count - 1;
	while (i >= 0 && stage->poller.items[i].socket != socket)
		i--;
	remove_source(stage, i);
}

static int item_of(const struct cairn_stage *stage, int fd)
{
	int i = stage->poller.count - 1;
	while (i >= 0 && (stage->poller.items[i].socket != NULL || stage->poller.items[i].fd != fd))
		i--;
	return i;
}

void cairn_stage_watch_fd(struct cairn_stage *stage, int fd, short events, cairn_loop_fn *fn, void *ctx)
{
	int i = item_of(stage, fd);
	int r = i >= 0 ? cairn_poller_set_events(&stage->poller, i, events)
		       : cairn_poller_add_fd(&stage->poller, fd, events);
	add_source(stage, r < 0 || i < 0 ? r : i, (struct stage_source){.fn = fn, .ctx = ctx});
}

void cairn_stage_unwatch_fd(struct cairn_stage *stage, int fd)
{
	remove_source(stage, item_of(stage, fd));
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
	if (stage->frames != NULL)
		stage->count_frames(stage);
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

static int run_sources(struct cairn_stage *stage)
{
	stage->sources_changed = false;
	for (int i = 0; i < stage->poller.count; i++) {
		if (!stage->poller.items[i].ready)
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

/* Waits at most wait_ms (-1: until something comes) and does what is due. How many inputs had something, or a negative
 * status. */
static int turn(struct cairn_stage *stage, int wait_ms)
{
	int ready = arm_timer(stage) ? cairn_poller_wait(&stage->poller, wait_ms) : -errno;
	if (ready < 0) {
		cairn_log_error("poll: %s", strerror(-ready));
		return ready;
	}
	int64_t begin_ns = cairn_now_ns();
	int r = ready > 0 ? run_sources(stage) : 0;
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
	return ready;
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

int cairn_stage_fd(struct cairn_stage *stage)
{
	return arm_timer(stage) ? stage->poller.epoll_fd : -1;
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
	return r < 0 ? r : 0;
}
