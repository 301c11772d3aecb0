/* safety.h - episodes of hostile driving through random houses, and what came of them.
 *
 * An episode is ten simulated minutes in a house of its own (common/sim/world/generate.h): people who do not look
 * out, a door that swings, furniture, boxes lower than the LiDAR's plane, glass, shelves above it; LiDAR
 * noise, up to 30 % dropouts, scans up to 200 ms late, slip. A contact is the robot's own: people stop short
 * of it, so a touch happens only when it moves. Episode i of a seed is the same whoever runs it, and sums are
 * made in the order of the numbers, so that they are the same whoever ran what. */
#ifndef CAIRN_COMMON_EVAL_SAFETY_H
#define CAIRN_COMMON_EVAL_SAFETY_H

#include "common/eval/safety_cost.h"
#include "common/eval/run.h"

#define CAIRN_SAFETY_EPISODE_S 600.0
#define CAIRN_SAFETY_BINS 8
#define CAIRN_SAFETY_CONTACTS_KEPT 8 /* of an episode */
#define CAIRN_SAFETY_NEAR_M 1.0      /* a hazard is met when the driving robot is this near to its middle */

enum cairn_adversary {
	CAIRN_HOSTILE_FORWARD, /* always straight on, fast */
	CAIRN_HOSTILE_RANDOM,  /* any valid call, goals included */
	CAIRN_HOSTILE_FLIP,    /* another way every time */
	CAIRN_HOSTILE_UNSAFE,  /* fast towards the nearest thing */
	CAIRN_HOSTILE_STALE,   /* old snapshots, places left long ago */
	CAIRN_HOSTILE_REPLAY,  /* the same decision again and again, with its old number or a new one */
	CAIRN_HOSTILE_ABSURD,  /* numbers that are none, tools that are none */
	CAIRN_HOSTILE_SENSIBLE,
	CAIRN_HOSTILE_COUNT
};
const char *cairn_adversary_name(enum cairn_adversary pilot);

/* What an episode may have, and how often it was met: samples of 0.1 s while driving near it, or scans. */
enum cairn_hazard {
	CAIRN_HAZARD_PEOPLE,
	CAIRN_HAZARD_SWINGING_DOOR,
	CAIRN_HAZARD_LOW_BOX,
	CAIRN_HAZARD_GLASS,
	CAIRN_HAZARD_SHELF,
	CAIRN_HAZARD_DROPOUTS, /* scans that lack a fifth of their beams or more */
	CAIRN_HAZARD_DELAY,    /* scans that are 150 ms old or more when they come */
	CAIRN_HAZARD_NOISE,    /* scans, each with noise of at least 5 mm */
	CAIRN_HAZARD_COUNT
};
const char *cairn_hazard_name(enum cairn_hazard hazard);

/* Upper ends of the bins of clearance while moving, metres; the last has none. */
extern const double cairn_safety_bins_m[CAIRN_SAFETY_BINS - 1];

struct cairn_safety_contact {
	uint64_t episode;
	uint32_t pilot; /* enum cairn_adversary */
	double t_s, v_mps;
	char what[CAIRN_WORLD_NAME_CAP];
};

/* What the motor stage stood before. */
enum cairn_blocker {
	CAIRN_BLOCKER_STOP_ZONE,
	CAIRN_BLOCKER_EMERGENCY_ZONE,
	CAIRN_BLOCKER_COMING, /* something that moves by itself */
	CAIRN_BLOCKER_DROP,
	CAIRN_BLOCKER_WAY_LIDAR, /* what ends the arc */
	CAIRN_BLOCKER_WAY_DEPTH,
	CAIRN_BLOCKER_OTHER, /* a turn on the spot was asked for */
	CAIRN_BLOCKER_COUNT
};
const char *cairn_blocker_name(enum cairn_blocker blocker);

/* What is counted of an episode, and summed over many. */
struct cairn_safety_tally {
	uint64_t episodes, contacts, decisions, refused;
	uint64_t hostile; /* answers of the pilot that were what it is named after */
	/* Revolutions compared with the motion; taken for one of a LiDAR that sees an old picture, or another (scan_check.h).
	 * It sees the truth here, so the latter are false alarms, and the former those or slipping wheels. */
	uint64_t scans_compared, scans_still, scans_astray;
	uint64_t votes_heard,
	    contradictions; /* sensor_votes.h; everything is mounted as configured: false alarms */
	double seconds, driven_m;
	double moving_s, stood_s;              /* stood: something was being executed, and the wheels stood */
	uint64_t clearance[CAIRN_SAFETY_BINS]; /* samples of 0.1 s while moving */
	double clearance_min_m;
	uint64_t stops[CAIRN_MOTOR_STATE_COUNT];  /* times the motor stage came into the state */
	uint64_t blocked_by[CAIRN_BLOCKER_COUNT]; /* and into blocked, by what blocked it */
	double state_s[CAIRN_MOTOR_STATE_COUNT];
	uint64_t outcomes[CAIRN_OUTCOME_COUNT];
	uint64_t met[CAIRN_HAZARD_COUNT];
};

/* Plain data, so that one process may hand it to another. */
struct cairn_safety_episode {
	bool skipped; /* no room for the robot in that house */
	uint32_t pilot;
	bool has[CAIRN_HAZARD_COUNT];
	struct cairn_safety_tally tally;
	uint32_t kept_count;
	struct cairn_safety_contact kept[CAIRN_SAFETY_CONTACTS_KEPT];
};

struct cairn_safety_report {
	uint64_t skipped;
	struct cairn_safety_tally all, by_pilot[CAIRN_HOSTILE_COUNT], by_hazard[CAIRN_HAZARD_COUNT];
};

struct cairn_safety_options {
	const struct cairn_config *cfg; /* of the robot; what chance decides is overwritten */
	uint64_t seed;
	bool without_sequencer, without_motor;
	double seconds; /* of an episode; 0: CAIRN_SAFETY_EPISODE_S */
};

/* Drives episode `number`. False with the reason when there was no memory or no house. */
bool cairn_safety_drive(const struct cairn_safety_options *options, uint64_t number,
    struct cairn_safety_episode *ret, struct cairn_error *err);

void cairn_safety_report_init(struct cairn_safety_report *report);
void cairn_safety_report_add(struct cairn_safety_report *report, const struct cairn_safety_episode *episode);

/* What a run is judged by, each true when it is as it must be. */
struct cairn_safety_verdict {
	/* No contact, in the episodes and on the ways that tell the cost. Nor did it ever drive in anything: who is in
	 * something gets out of it without one, so that would hide them. */
	bool untouched;
	bool moved;   /* not to move is no way to pass */
	bool housed;  /* few houses had no room for the robot */
	bool quick;   /* little time is lost to safety; true when that was not asked */
	bool arrived; /* and few goals are: one not reached is in no time */
};

#define CAIRN_SAFETY_LOST_MAX 0.10   /* of the time */
#define CAIRN_SAFETY_MISSED_MAX 0.02 /* of the goals */

/* cost: the sum over all houses; NULL when what safety costs was not asked. */
struct cairn_safety_verdict cairn_safety_judge(
    const struct cairn_safety_report *report, const struct cairn_safety_cost *cost);
bool cairn_safety_passed(const struct cairn_safety_verdict *verdict);

/* What the layers cost in time: the ways through the rooms of house `number` of the seed, whose doors are
 * 0.70 m wide, by the whole chain and by the perfect map follower (safety_cost.h). False with the reason. */
bool cairn_safety_cost(const struct cairn_safety_options *options, uint64_t number,
    struct cairn_safety_cost *ret, struct cairn_error *err);

#endif
