/* search.c - what the helper is asked, and what its answers say. */
#include <string.h>

#include "procs/detector/detector.h"

#define NONSENSE_MAX 20 /* refusals in a row, then the connection is closed */

CAIRN_TAKE(take_pose, detector_stage, pose, cairn_detector_on_pose(&core->detector, m, hdr->t_ns))
CAIRN_TAKE(take_mission, detector_stage, mission, snprintf(core->goal, sizeof(core->goal), "%s", m->goal))
CAIRN_TAKE(
    take_agent, detector_stage, agent, snprintf(core->task, sizeof(core->task), "%s", cairn_detector_task(m)))

const struct cairn_in search_in[] = {{CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_pose},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_AGENT, CAIRN_ACCEPT_PLAUSIBLE, take_agent}, {.take = NULL}};
const struct cairn_out search_out[] = {{CAIRN_TOPIC_DETECTIONS, 0}, {CAIRN_TOPIC_COUNT, 0}};

void search_refuse(struct detector_stage *d, const struct cairn_error *err)
{
	cairn_stage_count_reject(d->stage);
	d->refused++;
	cairn_log_write(
	    d->nonsense == 0 ? CAIRN_LOG_WARN : CAIRN_LOG_DEBUG, __FILE__, __LINE__, "%s", err->text);
	if (++d->nonsense >= NONSENSE_MAX)
		helper_link_lose(d, "answers that make no sense, one after the other");
}

void search_answer(struct detector_stage *d, const char *line, size_t len)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (!cairn_detect_read_answer(line, len, &d->list, &err)) {
		search_refuse(d, &err);
		return;
	}
	depth_of_list(d);
	if (!cairn_detector_answer(&d->detector, &d->list, now_ns, &d->message, &err)) {
		search_refuse(d, &err);
		return;
	}
	d->nonsense = 0;
	cairn_outbox_put(d->outbox, CAIRN_TOPIC_DETECTIONS, &d->message, true, d->list.t_ns);
}

int search_on_tick(void *ctx)
{
	struct detector_stage *d = ctx;
	int64_t now_ns = cairn_now_ns();
	uint64_t look;
	char line[CAIRN_DETECT_LOOK_MAX];
	helper_link_tend(d, now_ns);
	if (d->fd < 0 || !cairn_detector_due(&d->detector, now_ns, &look))
		return 0;
	depth_take(d); /* of the moment: the answer may be long in coming */
	size_t n = cairn_detect_write_look(
	    look, now_ns, d->cfg->detect.labels, d->goal, d->task, line, sizeof(line));
	helper_link_send(d, line, n);
	return 0;
}

int search_on_note(void *ctx)
{
	struct detector_stage *d = ctx;
	const struct cairn_msg_detections *m = &d->message;
	if (d->fd < 0)
		cairn_stage_note(d->stage, "no detector helper");
	else
		cairn_stage_notef(d->stage, "%u things, %.1f Hz, %.0f ms, %llu late, %llu refused",
		    m->items_count, d->detector.rate_hz, m->latency_ms, (unsigned long long)d->detector.late,
		    (unsigned long long)d->refused);
	return 0;
}
