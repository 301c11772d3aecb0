/* inputs_private.h - what the sensors say now, as the sequencer keeps it; inputs.c. */
#ifndef CAIRN_COMMON_SEQUENCER_INPUTS_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_INPUTS_PRIVATE_H

#include "common/safety/depth_layer.h"
#include "common/safety/dynamic_obstacles.h"
#include "common/safety/safe_velocity.h"
#include "common/sequencer/scene_change.h"
#include "common/sequencer/sequencer.h"

struct cairn_sequencer;

/* What is fresh now, measured once a step. */
struct seq_fresh {
	bool scan_ok, pose_ok, motion_ok, estop;
	char hold[96]; /* why nothing may move; empty: go */
};

/* What a bumper or the cliff sensor has felt, and when last. */
struct seq_felt {
	enum cairn_sensor by; /* CAIRN_SENSOR_NONE: nothing, or it is over */
	int64_t t_ns;
};

struct seq_inputs {
	struct cairn_directions directions;   /* of the scans */
	struct cairn_points scan_points;      /* in the robot frame of the scan */
	struct cairn_points points;           /* in the robot frame of now */
	size_t lidar_count;                   /* of points: the rest is the depth camera's */
	struct cairn_depth_layer depth_layer; /* in the map frame */
	struct cairn_scene_change scene; /* seen by the LiDAR, during as long as decisions are acted on */
	int64_t t_scan_ns, t_turn_ns;    /* end and begin of the newest scan */
	int64_t t_depth_ns;
	int64_t t_guard_ns;
	bool drop;               /* by the newest word of the cliff sensor */
	struct seq_felt felt[2]; /* behind, in front */
	int64_t t_battery_ns;
	double battery_percent; /* negative: not known */
	int64_t t_pose_ns;
	struct cairn_msg_pose pose;
	uint64_t map_id; /* of the newest pose that tells; 0 = none has */
	int64_t t_motion_ns;
	struct cairn_msg_motion motion;
	struct seq_fresh now;
};

/* What moves by itself beside the robot; people_hold.c. */
struct seq_people {
	struct cairn_dynamic_obstacles obstacles; /* in the map frame, by the scans while the pose is good */
	struct cairn_dynamic_obstacles_limit held_by; /* at the last step; limit_mps infinity: by none */
	int64_t t_scan_ns;                            /* stamp of the scan that obstacles knows */
};

/* The sensor that had a motion changed, and where it saw the reason. */
struct seq_cause {
	enum cairn_sensor sensor;
	double bearing_rad, distance_m; /* from the robot's origin; negative = unknown */
};

/* The last step: what was commanded, and from where the next one measures. */
struct seq_step {
	int64_t t_ns;
	double length_s;
	struct cairn_twist cmd;
	char keepout[32];          /* zone that held the robot, or empty */
	enum cairn_sensor held_by; /* bumper or cliff sensor that did, or none */
	struct seq_cause kept_off; /* what let nothing pass of the planner's velocity, or no sensor */
	struct cairn_pose2 last_pose;
	double last_distance_m;
	bool last_pose_valid;
	double coast_mps; /* speed of a move that just ended; decays */
	int64_t t_coast_ns;
};

/* What a stage that is held failed asks for; stage is empty while none is. */
struct seq_degraded_wish {
	enum cairn_without wish;
	char stage[32];
};

struct seq_degraded {
	int64_t t_ns;                            /* of the newest report */
	struct seq_degraded_wish told, in_force; /* by the newest report; and in force now */
};

/* True for a message that is newer than the newest of its kind, whose stamp then moves on. */
bool seq_rising(struct cairn_sequencer *seq, int64_t *newest_ns, int64_t t_ns, bool finite);
void seq_inputs_update(struct cairn_sequencer *seq, int64_t now_ns);
/* The pose carried on, or back, from its stamp. */
struct cairn_pose2 seq_pose_at(const struct cairn_sequencer *seq, int64_t t_ns);

/* degraded.c: what holds of the newest report, and the mission's conditions that follow from it. */
void seq_degraded_update(struct cairn_sequencer *seq, int64_t now_ns);
uint32_t seq_degraded_conditions(const struct cairn_sequencer *seq);

/* guard_hold.c: what bars that direction (CAIRN_SENSOR_NONE: nothing), in words, and the velocity that it leaves. */
enum cairn_sensor seq_guard_bars(const struct cairn_sequencer *seq, bool forward);
const char *seq_guard_text(enum cairn_sensor by, bool forward);
void seq_guard_hold(struct cairn_sequencer *seq, struct cairn_safe_velocity *safe);

/* people_hold.c: a new scan, with a good pose; and the velocity that is safe beside what moves by itself. */
void seq_people_init(struct cairn_sequencer *seq);
void seq_people_scan(struct cairn_sequencer *seq, struct cairn_pose2 pose);
void seq_people_hold(
    struct cairn_sequencer *seq, struct cairn_pose2 pose, struct cairn_safe_velocity *safe, int64_t now_ns);
/* The robot drove slower in the last step, or stood, for what moves by itself. */
bool seq_people_hold_up(const struct cairn_sequencer *seq);

#endif
