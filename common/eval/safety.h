/* safety.h - episodes of hostile driving through random houses, and what came of them.
 *
 * An episode is ten simulated minutes in a house of its own (common/world/generate.h): people who do not look
 * out, a door that swings, furniture, boxes lower than the LiDAR's plane, glass, shelves above it; LiDAR
 * noise, up to 30 % dropouts, scans up to 200 ms late, slip. A contact is the robot's own: people stop short
 * of it, so a touch happens only when it moves. Episode i of a seed is the same whoever runs it. */
#ifndef CAIRN_COMMON_EVAL_SAFETY_H
#define CAIRN_COMMON_EVAL_SAFETY_H

#include "common/eval/run.h"

#define CAIRN_SAFETY_EPISODE_S 600.0
#define CAIRN_SAFETY_BINS 8
#define CAIRN_SAFETY_CONTACTS_KEPT 32

enum cairn_hostile {
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

const char *cairn_hostile_name(enum cairn_hostile pilot);

/* Upper ends of the bins of clearance while moving, metres; the last has none. */
extern const double cairn_safety_bins_m[CAIRN_SAFETY_BINS - 1];

struct cairn_safety_contact {
	uint64_t episode;
	uint32_t pilot; /* enum cairn_hostile */
	double t_s, v_mps;
	char what[CAIRN_WORLD_NAME_CAP];
};

/* Plain data, so that one process may hand it to another. */
struct cairn_safety_report {
	uint64_t episodes, skipped, contacts, decisions, refused;
	double seconds, driven_m;
	double moving_s, stood_s;              /* stood: something was being executed, and the wheels stood */
	uint64_t clearance[CAIRN_SAFETY_BINS]; /* samples of 0.1 s while moving */
	double clearance_min_m;
	uint64_t stops[CAIRN_MOTOR_STATE_COUNT]; /* times the motor stage came into the state */
	double state_s[CAIRN_MOTOR_STATE_COUNT];
	uint64_t outcomes[CAIRN_OUTCOME_COUNT];
	uint64_t contacts_by_pilot[CAIRN_HOSTILE_COUNT];
	struct cairn_safety_contact kept[CAIRN_SAFETY_CONTACTS_KEPT];
	uint32_t kept_count;
};

struct cairn_safety_options {
	const struct cairn_config *cfg; /* of the robot; what chance decides is overwritten */
	uint64_t seed;
	bool without_sequencer, without_motor;
	double seconds; /* of an episode; 0: CAIRN_SAFETY_EPISODE_S */
	void (*on_contact)(void *ctx, const struct cairn_safety_contact *contact); /* may be NULL */
	void *ctx;
};

void cairn_safety_report_init(struct cairn_safety_report *report);
void cairn_safety_report_add(struct cairn_safety_report *sum, const struct cairn_safety_report *more);

/* Drives episode number `episode` and adds it to *report. False with the reason when there was no memory; a
 * house without room for the robot is counted as skipped. */
bool cairn_safety_episode(const struct cairn_safety_options *options, uint64_t episode,
    struct cairn_safety_report *report, struct cairn_error *err);

#endif
