/* hub_subs.c - subscriptions of the hub, read in batches.
 *
 * A wake of the loop costs more than a message, and a reader of every topic is sent hundreds a second. So after each batch the
 * subscriptions rest for BATCH_MS, which nobody who watches notices; what comes meanwhile makes one batch. A bus without messages
 * wakes nobody. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/web/web.h"

#define BATCH_MS 20

static int on_subs(void *ctx);

static void watch(struct web *web, bool on)
{
	cairn_stage_watch_fd(web->stage, web->subs.epoll_fd, on ? POLLIN : 0, on_subs, web);
}

static void rest(struct web *web)
{
	const struct itimerspec once = {.it_value = {.tv_nsec = BATCH_MS * CAIRN_NS_PER_MS}};
	if (timerfd_settime(web->subs_timer_fd, 0, &once, NULL) == 0)
		watch(web, false);
}

/* False when nothing had come. */
static bool read_batch(struct web *web)
{
	int ready = cairn_poller_wait(&web->subs, 0);
	for (int i = 0; i < web->subs.count; i++) {
		if (web->subs.items[i].ready)
			hub_drain(web, web->sub_slots[i]);
	}
	return ready > 0;
}

static int on_subs(void *ctx)
{
	struct web *web = ctx;
	if (read_batch(web))
		rest(web);
	return 0;
}

static int on_rested(void *ctx)
{
	struct web *web = ctx;
	uint64_t times;
	if (read(web->subs_timer_fd, &times, sizeof(times)) < 0 && errno == EAGAIN)
		return 0;
	if (read_batch(web))
		rest(web);
	else
		watch(web, true);
	return 0;
}

bool hub_subs_open(struct web *web, struct cairn_error *err)
{
	int r = cairn_poller_open(&web->subs);
	web->subs_timer_fd = r == 0 ? timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC) : -1;
	if (web->subs_timer_fd < 0) {
		cairn_error_set(err, "subscriptions: %s", strerror(r < 0 ? -r : errno));
		return false;
	}
	cairn_stage_watch_fd(web->stage, web->subs_timer_fd, POLLIN, on_rested, web);
	watch(web, true);
	return true;
}

void hub_subs_close(struct web *web)
{
	cairn_poller_close(&web->subs);
	if (web->subs_timer_fd >= 0)
		close(web->subs_timer_fd);
	web->subs_timer_fd = -1;
}

bool hub_subs_add(struct web *web, int slot, struct cairn_error *err)
{
	int item = cairn_poller_add_socket(&web->subs, cairn_sub_socket(web->slots[slot].sub));
	if (item < 0) {
		cairn_error_set(err, "%s", strerror(-item));
		return false;
	}
	web->sub_slots[item] = slot;
	return true;
}

void hub_subs_remove(struct web *web, int slot)
{
	for (int i = 0; i < web->subs.count; i++) {
		if (web->sub_slots[i] != slot)
			continue;
		cairn_poller_remove(&web->subs, i);
		web->sub_slots[i] = web->sub_slots[web->subs.count];
		return;
	}
}
