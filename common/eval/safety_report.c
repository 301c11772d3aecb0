#include <math.h>

#include "common/eval/safety.h"

#define CLEARANCE_MAX_M 1.0
#define MOVED_MPS 0.01 /* on average */
#define SKIPPED_MAX 0.05

const double cairn_safety_bins_m[CAIRN_SAFETY_BINS - 1] = {0.01, 0.02, 0.03, 0.05, 0.10, 0.20, 0.50};

const char *cairn_adversary_name(enum cairn_adversary pilot)
{
	static const char *const names[CAIRN_HOSTILE_COUNT] = {
	    "forward", "random", "flip", "unsafe", "stale", "replay", "absurd", "sensible"};
	return (unsigned)pilot < CAIRN_HOSTILE_COUNT ? names[pilot] : "?";
}

const char *cairn_hazard_name(enum cairn_hazard hazard)
{
	static const char *const names[CAIRN_HAZARD_COUNT] = {
	    "people", "swinging_door", "low_box", "glass", "shelf", "dropouts", "delay", "noise"};
	return (unsigned)hazard < CAIRN_HAZARD_COUNT ? names[hazard] : "?";
}

const char *cairn_blocker_name(enum cairn_blocker blocker)
{
	static const char *const names[CAIRN_BLOCKER_COUNT] = {
	    "stop_zone", "emergency_zone", "coming", "drop", "way_lidar", "way_depth", "other"};
	return (unsigned)blocker < CAIRN_BLOCKER_COUNT ? names[blocker] : "?";
}

static void add(struct cairn_safety_tally *sum, const struct cairn_safety_tally *more)
{
	sum->episodes += more->episodes;
	sum->contacts += more->contacts;
	sum->decisions += more->decisions;
	sum->refused += more->refused;
	sum->hostile += more->hostile;
	sum->scans_compared += more->scans_compared;
	sum->scans_still += more->scans_still;
	sum->scans_astray += more->scans_astray;
	sum->votes_heard += more->votes_heard;
	sum->contradictions += more->contradictions;
	sum->seconds += more->seconds;
	sum->driven_m += more->driven_m;
	sum->moving_s += more->moving_s;
	sum->stood_s += more->stood_s;
	sum->clearance_min_m = fmin(sum->clearance_min_m, more->clearance_min_m);
	for (int i = 0; i < CAIRN_SAFETY_BINS; i++)
		sum->clearance[i] += more->clearance[i];
	for (int i = 0; i < CAIRN_MOTOR_STATE_COUNT; i++) {
		sum->stops[i] += more->stops[i];
		sum->state_s[i] += more->state_s[i];
	}
	for (int i = 0; i < CAIRN_BLOCKER_COUNT; i++)
		sum->blocked_by[i] += more->blocked_by[i];
	for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
		sum->outcomes[i] += more->outcomes[i];
	for (int i = 0; i < CAIRN_HAZARD_COUNT; i++)
		sum->met[i] += more->met[i];
}

void cairn_safety_report_init(struct cairn_safety_report *report)
{
	*report = (struct cairn_safety_report){.all.clearance_min_m = CLEARANCE_MAX_M};
	for (int i = 0; i < CAIRN_HOSTILE_COUNT; i++)
		report->by_pilot[i].clearance_min_m = CLEARANCE_MAX_M;
	for (int i = 0; i < CAIRN_HAZARD_COUNT; i++)
		report->by_hazard[i].clearance_min_m = CLEARANCE_MAX_M;
}

void cairn_safety_report_add(struct cairn_safety_report *report, const struct cairn_safety_episode *e)
{
	report->skipped += e->skipped;
	if (e->skipped)
		return;
	add(&report->all, &e->tally);
	add(&report->by_pilot[e->pilot % CAIRN_HOSTILE_COUNT], &e->tally);
	for (int i = 0; i < CAIRN_HAZARD_COUNT; i++)
		if (e->has[i])
			add(&report->by_hazard[i], &e->tally);
}

struct cairn_safety_verdict cairn_safety_judge(
    const struct cairn_safety_report *report, const struct cairn_safety_cost *cost)
{
	const struct cairn_safety_tally *all = &report->all;
	uint64_t episodes = all->episodes + report->skipped;
	struct cairn_safety_verdict v = {.untouched = all->contacts == 0 && all->clearance_min_m > 0.0 &&
						      (cost == NULL || cost->contacts == 0),
	    .moved = all->episodes > 0 && all->driven_m > MOVED_MPS * all->seconds,
	    .housed = (double)report->skipped <= SKIPPED_MAX * (double)episodes,
	    .quick = true,
	    .arrived = true};
	if (cost != NULL) {
		v.quick = cost->legs > 0 && cairn_safety_cost_lost_share(cost) <= CAIRN_SAFETY_LOST_MAX;
		v.arrived =
		    cost->goals > 0 && cairn_safety_cost_missed_share(cost) <= CAIRN_SAFETY_MISSED_MAX;
	}
	return v;
}

bool cairn_safety_passed(const struct cairn_safety_verdict *v)
{
	return v->untouched && v->moved && v->housed && v->quick && v->arrived;
}
