/* up_feed.c - what the bus says about a run. */
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
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
		}
	}
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
