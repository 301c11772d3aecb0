/* up_feed.c - what the bus says about a run. */
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/decision.h"
#include "procs/cairn/up.h"

static const struct {
	enum cairn_topic topic;
	size_t msg_at, have_at;
} feeds[UP_TOPIC_COUNT] = {
#define FEED(topic, member)                                                                                  \
	{                                                                                                    \
		topic, offsetof(struct up_run, member), offsetof(struct up_run, have_##member)               \
	}
    [UP_MISSION] = FEED(CAIRN_TOPIC_MISSION, mission),
    [UP_STAGES] = FEED(CAIRN_TOPIC_STAGES, stages),
    [UP_TRUTH] = FEED(CAIRN_TOPIC_SIM_TRUTH, truth),
    [UP_VLM] = FEED(CAIRN_TOPIC_VLM_STATS, vlm),
    [UP_POSE] = FEED(CAIRN_TOPIC_POSE, pose),
    [UP_FRONTIERS] = FEED(CAIRN_TOPIC_FRONTIERS, frontiers),
    [UP_MOTION] = FEED(CAIRN_TOPIC_MOTION, motion),
    [UP_TIER] = FEED(CAIRN_TOPIC_TIER, tier),
    [UP_HEALTH] = FEED(CAIRN_TOPIC_HEALTH, health),
    [UP_NAV] = FEED(CAIRN_TOPIC_NAV_STATUS, nav),
    [UP_DISCOVERIES] = FEED(CAIRN_TOPIC_DISCOVERIES, discoveries),
    [UP_SCAN] = FEED(CAIRN_TOPIC_SCAN, scan),
    [UP_DECISION] = FEED(CAIRN_TOPIC_DECISION, decision),
    [UP_RESULT] = FEED(CAIRN_TOPIC_RESULT, result),
#undef FEED
};

struct up_feed {
	struct cairn_sub *subs[UP_TOPIC_COUNT];
};

struct up_feed *up_feed_new(struct cairn_bus *bus, struct cairn_error *err)
{
	struct up_feed *feed = calloc(1, sizeof(*feed));
	for (int i = 0; feed != NULL && i < UP_TOPIC_COUNT; i++) {
		feed->subs[i] = cairn_sub_new(bus, feeds[i].topic, NULL, err);
		if (feed->subs[i] == NULL)
			up_feed_destroy(&feed);
	}
	return feed;
}

void up_feed_destroy(struct up_feed **feed_p)
{
	free(*feed_p); /* the subscribers belong to the bus */
	*feed_p = NULL;
}

static void note_decision(struct up_run *run, int64_t now_ns)
{
	const struct cairn_msg_decision *d = &run->decision;
	struct up_decision *row = &run->decisions[run->decision_count++ % UP_DECISIONS];
	*row = (struct up_decision){.id = d->id, .t_s = (double)(now_ns - run->start_ns) * 1e-9};
	cairn_decision_words(d, row->what, sizeof(row->what));
	snprintf(row->why, sizeof(row->why), "%.159s", d->reasoning[0] != '\0' ? d->reasoning : d->reason);
}

static void note_result(struct up_run *run)
{
	const struct cairn_msg_result *r = &run->result;
	for (int i = 0; i < UP_DECISIONS; i++) {
		struct up_decision *row = &run->decisions[i];
		if (row->id == r->decision_id && row->id != 0)
			snprintf(row->became, sizeof(row->became), "%s%s%s",
			    cairn_enum_text(&cairn_enum_outcome, (int)r->outcome),
			    r->reason[0] != '\0' ? ": " : "", r->reason);
	}
}

/* Every message is looked at: of what was true in between, the newest tells nothing. */
static void note_seen(struct up_run *run, enum up_topic topic, bool valid, int64_t now_ns)
{
	struct up_seen *seen = &run->seen;
	const struct cairn_msg_vlm_stats *v = &run->vlm;
	uint64_t open = v->failures + (v->in_flight ? 1 : 0);
	switch (topic) {
	case UP_SCAN:
		seen->scans += valid;
		break;
	case UP_MISSION:
		if (run->mission.decisions > seen->decisions)
			seen->decisions = run->mission.decisions;
		seen->mission |= run->mission.state != CAIRN_MISSION_STATE_IDLE;
		seen->wanted |= run->mission.wants_decision;
		seen->paused |= run->mission.state == CAIRN_MISSION_STATE_PAUSED;
		break;
	case UP_MOTION:
		seen->estop |= run->motion.state == CAIRN_MOTOR_STATE_ESTOP;
		break;
	case UP_VLM:
		if (v->decisions > 0 && v->calls > open && v->calls - open > seen->answers)
			seen->answers = v->calls - open;
		seen->budget |= v->budget_share >= 1.0;
		break;
	case UP_STAGES:
		for (uint32_t i = 0; i < run->stages.items_count && i < 32; i++) {
			if (run->stages.items[i].state == CAIRN_STAGE_STATE_UP)
				seen->stages_up |= UINT32_C(1) << i;
		}
		break;
	case UP_DECISION:
		note_decision(run, now_ns);
		break;
	case UP_RESULT:
		note_result(run);
		break;
	default:
		break;
	}
}

static void note_progress(struct up_run *run, int64_t now_ns)
{
	double t_s = (double)(now_ns - run->start_ns) * 1e-9;
	if (run->first_decision_s < 0.0 && run->have_mission && run->mission.decisions > 0)
		run->first_decision_s = t_s;
	if (run->have_stages && run->stages.rss_mb > run->rss_mb_max)
		run->rss_mb_max = run->stages.rss_mb;
	while (run->have_truth && run->coverage_count < UP_COVERAGE_MAX &&
	       t_s >= run->coverage_count * UP_COVERAGE_STEP_S)
		run->coverage[run->coverage_count++] = run->truth.coverage;
}

void up_feed_pump(struct up_feed *feed, struct up_run *run, int64_t now_ns)
{
	for (int i = 0; i < UP_TOPIC_COUNT; i++) {
		void *msg = (char *)run + feeds[i].msg_at;
		bool *have = (bool *)((char *)run + feeds[i].have_at);
		struct cairn_header hdr;
		while (cairn_sub_recv(feed->subs[i], msg, &hdr) > 0) {
			*have = true;
			run->stamp_ns[i] = hdr.t_ns;
			note_seen(run, (enum up_topic)i, hdr.valid, now_ns);
		}
	}
	if (run->seen.ended)
		return; /* what is being taken down dies of that */
	note_progress(run, now_ns);
}

void up_fold_launcher(struct up_run *run)
{
	run->launcher_restarts++;
	if (!run->have_stages)
		return;
	run->cpu_s += run->stages.cpu_cores_mean * run->stages.uptime_s;
	run->cpu_span_s += run->stages.uptime_s;
	run->restarts_before += run->stages.restarts;
	run->have_stages = false;
}
