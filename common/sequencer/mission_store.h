/* mission_store.h - what a sequencer must still know after it was killed, as a small checked file.
 *
 * File: 16 bytes (magic "CRNM", version, payload bytes, CRC-32 of the payload; native byte order: it never
 * leaves the machine), then the record as it lies in memory. A run's own file: stamps are of the monotonic
 * clock of this boot. */
#ifndef CAIRN_COMMON_SEQUENCER_MISSION_STORE_H
#define CAIRN_COMMON_SEQUENCER_MISSION_STORE_H

#include "common/explore/frontier_blacklist.h"
#include "common/sequencer/breadcrumbs.h"
#include "common/sequencer/zone_store.h"

#define CAIRN_MISSION_FILE_NAME "mission.bin" /* in RUN/state */
#define CAIRN_MISSION_RECORD_VERSION 8u

/* The decision under way; what of a way is needed to go on with it. */
struct cairn_mission_open {
	struct cairn_msg_decision decision; /* id 0: none */
	int64_t t_start_ns;
	bool way;              /* it drives to a place and may be gone on with; the rest is about that */
	bool again;            /* a reborn sequencer has gone on with it already */
	bool frontier, onward; /* as in the sequencer's task, like the rest */
	uint32_t frontier_id, seen_id;
	double goal_x_m, goal_y_m, tolerance_m, frontier_x_m, frontier_y_m;
	double limit_s; /* from its start on */
	bool trail;     /* it leads back along the trail, to the point of this index */
	uint32_t trail_to;
};

struct cairn_mission_record {
	uint32_t state;       /* enum cairn_mission_state */
	uint32_t back_paused; /* state that a resume goes back to */
	uint32_t back_goto;   /* state that a finished goto goes back to */
	bool started;         /* explored or commanded before: no autostart any more */
	bool silent_way;      /* the way home was begun because of a silent model */
	char reason[128];     /* why it is in this state */
	char end_reason[32];  /* what mission.reason becomes once at home */
	int64_t t_first_ns;   /* first start of the sequencer in this run */
	int64_t t_explore_ns; /* the exploration began; pauses shift it; 0 = not yet */
	int64_t t_paused_ns;  /* the pause began; 0 = none */
	int64_t elapsed_ns;   /* frozen at the end; 0 = running */
	double limit_s;       /* 0 = none */
	double goto_x_m, goto_y_m;
	char goal[160];          /* of the exploration, in words; empty: none */
	double first_decision_s; /* 0 = none yet */
	uint64_t decisions, refused, overrides;
	uint64_t last_decision_id; /* highest seen of decision_epoch */
	uint64_t decision_epoch;   /* of the publisher of decisions */
	struct cairn_mission_open open;
	struct cairn_frontier_blacklist explore;
	struct cairn_breadcrumbs trail; /* driven, since the first start */
	struct cairn_msg_zones zones;
	uint64_t zones_map_id;               /* the map they are drawn in; 0 = not told yet */
	uint64_t task_id;                    /* of the newest task; 0 = none yet */
	char task[256];                      /* in words */
	bool survey;                         /* it is one: no model is asked */
	bool surveys_after;                  /* and it is the end of the exploration (mission.survey) */
	int64_t t_task_ns;                   /* it began; pauses shift it; 0 = none yet */
	uint32_t back_task;                  /* state that a task that has ended goes back to */
	uint64_t agent_epoch, last_agent_id; /* as decision_epoch and last_decision_id, of the agent's */
	uint32_t zones_doubt; /* enum cairn_zone_doubt: nothing is driven until an operator confirms them */
};

#define CAIRN_MISSION_RECORD_BYTES (16u + sizeof(struct cairn_mission_record))

/* Writes CAIRN_MISSION_RECORD_BYTES; -ENOBUFS if they do not fit. */
int cairn_mission_record_encode(const struct cairn_mission_record *record, void *buf, size_t buf_bytes);

/* Reads and checks everything; false with the reason (*record untouched) for damaged, foreign or senseless
 * data, and for stamps later than now_ns (another boot's). */
bool cairn_mission_record_decode(struct cairn_mission_record *record, const void *buf, size_t bytes,
    int64_t now_ns, struct cairn_error *err);

#endif
