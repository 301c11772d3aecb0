/* sequencer_private.h - the state of the sequencer, and what its files share; nobody else includes it. Each part of the
 * state has a header of its own with the functions that keep it. */
#ifndef CAIRN_COMMON_SEQUENCER_SEQUENCER_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_SEQUENCER_PRIVATE_H

#include "common/base/bearing_name.h"
#include "common/sequencer/inputs_private.h"
#include "common/sequencer/mission_private.h"
#include "common/sequencer/offers_private.h"
#include "common/sequencer/outbox_private.h"
#include "common/sequencer/progress_private.h"
#include "common/sequencer/skill_private.h"
#include "common/sequencer/task_private.h"
#include "common/sequencer/validate_private.h"
#include "ipc/topics.h"

#define SEQ_HOLD_MAX_S 8.0         /* a decision survives stale inputs for this long */
#define SEQ_BLOCKED_S 0.6          /* held at zero by an obstacle for this long ends a move */
#define SEQ_NAV_PATIENCE_S 1.0     /* longer than the planner's nav.stuck_s, then a manoeuvre */
#define SEQ_STALL_S 2.5            /* commanded but not moving */
#define SEQ_STALL_M 0.02           /* less than this in SEQ_STALL_S is not moving */
#define SEQ_STAND_S 0.5            /* standing decisions last this long */
#define SEQ_OVERRIDE_S 0.5         /* below half of the wanted speed for this long counts as an override */
#define SEQ_REACTION_S 0.20        /* until the wheels follow a command */
#define SEQ_MOVED_M 0.10           /* a result with less travel than this got nowhere */
#define SEQ_FAILS_FOR_RECOVERY 3   /* results in a row that got nowhere */
#define SEQ_RECOVERIES_FOR_LOCAL 2 /* manoeuvres in a row without progress of the model's own */
#define SEQ_NUDGES_MAX 3           /* manoeuvres within one way */
#define SEQ_HOME_ATTEMPTS 10       /* ways home in vain, without getting nearer in between */
#define SEQ_GOTO_ATTEMPTS 3
#define SEQ_FRONTIERS_TIMEOUT_S 3.0
#define SEQ_ORPHAN_WAIT_S 0.25 /* a reborn process lets readers connect before it reports what it dropped */

/* What the planner says. */
struct seq_planner {
	int64_t t_velocity_ns, t_status_ns, t_path_ns;
	struct cairn_msg_nav_velocity velocity;
	struct cairn_msg_nav_status status;
	struct cairn_msg_nav_path path; /* that was told last */
	char path_zone[48];             /* keep-out zone that it leads into, or empty */
	uint64_t goal_id;               /* given to it last */
};

struct cairn_sequencer {
	const struct cairn_config *cfg;
	struct seq_inputs inputs;
	struct seq_people people;
	struct seq_degraded degraded;
	struct seq_offers offers;
	struct seq_planner planner;
	struct seq_mission mission;
	struct seq_agent agent;
	struct seq_looks looks;
	struct seq_goal goal;
	struct seq_silence silence;
	struct seq_progress progress;
	struct seq_memory memory;
	struct seq_task task;
	struct seq_teleop teleop;
	struct seq_skill skill;
	struct seq_step step;
	struct seq_outbox outbox;
};

/* In floating point from the start: stamps come from outside and may be anything. */
static inline double seq_seconds(int64_t from_ns, int64_t to_ns)
{
	return ((double)to_ns - (double)from_ns) * 1e-9;
}

static inline struct cairn_pose2 seq_pose(const struct cairn_sequencer *seq)
{
	return (struct cairn_pose2){seq->inputs.pose.x_m, seq->inputs.pose.y_m, seq->inputs.pose.yaw_rad};
}

static inline bool seq_executing(const struct cairn_sequencer *seq)
{
	return seq->task.kind != SEQ_NONE;
}

/* Time allowed for a way of this length: turning in tight places takes far longer than driving. */
static inline double seq_way_limit_s(const struct cairn_sequencer *seq, double way_m)
{
	return 40.0 + 6.0 * way_m / seq->cfg->nav.speed_mps;
}

/* zone_rights.c: carries out define_zone and ends the task. */
void seq_define_zone(struct cairn_sequencer *seq, int64_t now_ns);
/* The operator's verb, and the zones of the configuration. */
void seq_zone_command(struct cairn_sequencer *seq, const char *text, struct cairn_msg_reply *reply);
void seq_zones_from_config(struct cairn_sequencer *seq);
void seq_zones_of_map(struct cairn_sequencer *seq, uint64_t map_id); /* a pose is of this map */

/* geofence.c: the first keep-out zone that a way of way_m along an arc leads into (or deeper into),
 * and after how much of it; NULL: none. */
const struct cairn_msg_zone *seq_geofence_ahead(
    const struct cairn_sequencer *seq, double curvature_1pm, bool forward, double way_m, double *ret_free_m);
/* The zone of that kind that a place lies in, or NULL. */
const struct cairn_msg_zone *seq_geofence_at(
    const struct cairn_sequencer *seq, enum cairn_zone_kind kind, double x_m, double y_m);
/* The first keep-out zone that a path leads into, or NULL; one that it begins in may be left. */
const struct cairn_msg_zone *seq_geofence_on_path(
    const struct cairn_sequencer *seq, const struct cairn_msg_nav_path *path);
/* Holds a velocity before a keep-out zone, and slows it in a slow-down zone. */
void seq_geofence_hold(struct cairn_sequencer *seq, struct cairn_safe_velocity *safe);

#endif
