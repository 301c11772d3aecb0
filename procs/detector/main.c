/* detector - asks a detector helper what things the camera's pictures show, and publishes where they are.
 *
 * The helper listens on detect.socket (docs/detector.md); the simulator does so for its own pictures. When a picture is searched, and what an
 * answer means, is decided in common/percept/detect.h. A helper that dies is connected to again; one that floods, talks
 * nonsense or answers late is refused, counted and, if it goes on, disconnected. Nothing that drives reads what comes of it. */
#include <stdlib.h>
#include <unistd.h>

#include "procs/detector/detector.h"

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct detector_stage *d = ctx;
	(void)stage;
	d->fd = -1;
	cairn_detector_init(&d->detector, d->cfg);
	return depth_open(d, err);
}

static void sum_up(void *ctx)
{
	const struct detector_stage *d = ctx;
	cairn_log_info("%llu pictures asked for, %llu answers late, %llu refused, %llu things left out",
	    (unsigned long long)d->detector.asked, (unsigned long long)d->detector.late,
	    (unsigned long long)d->refused, (unsigned long long)d->detector.left_out);
}

static void close_all(void *ctx)
{
	struct detector_stage *d = ctx;
	if (d->fd >= 0)
		(void)close(d->fd);
	free(d->depth_mm);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(search_out)},
    {CAIRN_PORT_IN_STATE(search_in)},
    {CAIRN_PORT_EVERY(50, search_on_tick)},
    {CAIRN_PORT_EVERY(2000, search_on_note)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-detector", "finds things in the camera's pictures", struct detector_stage,
    .open = open_all, .ports = ports, .ended = sum_up, .close = close_all)
