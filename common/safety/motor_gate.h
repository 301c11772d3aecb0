/* motor_gate.h - the last gate before the wheels: trusts nobody, decides every 20 ms and at every scan.
 *
 * In: commands, scans and stops as they come from the bus with their headers, the operator's stop and
 * release, the board's state, the measured motion, the time. Out: the twist to send now and the motion
 * message. Pure.
 *
 * What holds:
 * - A command counts by its stamp: older than safety.cmd_timeout_s ramps the robot down (dead man). Messages
 *   that are marked invalid, not finite, stale, from the future, repeated or older than the last are refused
 *   and counted.
 * - No scan younger than safety.scan_timeout_s ramps it down too. A scan that cannot be true (scan_check.h:
 *   covered or blinded LiDAR, a repeated revolution, one that contradicts the motion) is refused.
 * - Wheels that do something else than they are told for longer than safety.wheels_timeout_s (wheel_check.h)
 *   are a state of their own: zero is sent at once.
 * - LiDAR, wheels, gyro and steering that do not tell of one motion (sensor_votes.h), as when one is mounted
 *   or wired the wrong way round, and wheels that turn against the direction they are told, stop the robot
 *   until a release.
 * - A robot that leans (lean_check.h) and one whose battery is empty stand.
 * - A new epoch of commands, scans or poses (their publisher was restarted) means standstill until commands
 *   and scans, and poses if theirs was new, have been fresh for safety.rearm_s; with safety.rearm operator
 *   also until a release.
 * - An emergency stop, from the estop topic, the bumper or the operator, is at once and stays until the
 *   operator's release. A bumper of which it is known at which end it is (robot.guard_lines) stops at once, too, and
 *   leaves the way back; so does a drop in front.
 * - Speed, curvature and rate of turn never exceed the robot's. Turning in place (motor_spin.h) is refused to
 *   an Ackermann base; a differential one stands before it turns, and before it drives.
 * - The collision monitor limits the speed on the arc that is commanded and on the arc still driven,
 *   forward and backward; driving away from what is too near stays possible. */
#ifndef CAIRN_COMMON_SAFETY_MOTOR_GATE_H
#define CAIRN_COMMON_SAFETY_MOTOR_GATE_H

#include "common/base/repeats.h"
#include "common/safety/collision_monitor.h"
#include "common/safety/lean_check.h"
#include "common/safety/motor_spin.h"
#include "common/safety/velocity_smoother.h"
#include "common/safety/scan_check.h"
#include "common/safety/wheel_check.h"
#include "ipc/messages.h"

/* What is the case, as bits. The state is that of the first row of the table in motor_gate.c whose bit is
 * set. */
enum cairn_motor_condition {
	CAIRN_MOTOR_NO_DEVICE = 1 << 0,
	CAIRN_MOTOR_ESTOP = 1 << 1,
	CAIRN_MOTOR_WHEELS = 1 << 2,        /* they do not do what they are told */
	CAIRN_MOTOR_CONTRADICTION = 1 << 3, /* sensors and wheels do not tell of one motion */
	CAIRN_MOTOR_TILTED = 1 << 4,
	CAIRN_MOTOR_BATTERY = 1 << 5, /* empty */
	CAIRN_MOTOR_NO_SCAN = 1 << 6,
	CAIRN_MOTOR_NO_DEPTH = 1 << 7,       /* required, and not there */
	CAIRN_MOTOR_NO_GUARD = 1 << 8,       /* bumper and cliff sensor: required, and silent */
	CAIRN_MOTOR_NO_COMMAND = 1 << 9,     /* there were commands, now there are none */
	CAIRN_MOTOR_NEVER_COMMAND = 1 << 10, /* there was none yet */
	CAIRN_MOTOR_REARMING = 1 << 11,
	CAIRN_MOTOR_BLOCKED = 1 << 12,
	CAIRN_MOTOR_STANDING = 1 << 13, /* the command is to stand and the robot does */
	CAIRN_MOTOR_SLOWED = 1 << 14,
	CAIRN_MOTOR_CONDITIONS = 15
};

/* The gravest of a set, 0 for none; and the state that the set means. */
unsigned cairn_motor_gravest(unsigned conditions);
enum cairn_motor_state cairn_motor_state_of(unsigned conditions);

struct cairn_motor_params {
	struct cairn_monitor_params monitor;
	struct cairn_velocity_smoother_params smooth;
	struct cairn_wheel_params wheels;
	double cmd_timeout_s, scan_timeout_s, pose_timeout_s, rearm_s, depth_timeout_s, cliff_m;
	double tilt_max_rad, battery_stop_percent;
	bool depth_off, depth_required, guard_required;
	bool bumper_sided;   /* it is known which end a bumper is at: robot.guard_lines */
	bool rearm_operator; /* a rebirth needs the operator's release */
};

void cairn_motor_params_from(struct cairn_motor_params *p, const struct cairn_config *cfg);

/* Where a stream of messages stands. */
struct cairn_motor_stream {
	bool some;
	uint64_t epoch, seq;
	int64_t t_ns;
};

#define CAIRN_MOTOR_PERSON "operator" /* who has stopped it, as a reason */

struct cairn_motor {
	struct cairn_motor_params params;
	struct cairn_motor_stream cmd_stream, scan_stream, pose_stream, depth_stream, guard_stream;
	int64_t cliff_ns;         /* last seen; INT64_MIN = never, or floor was seen a second or more later */
	int64_t bumper_ns[2];     /* the same of the bumper behind and the one in front */
	struct cairn_twist asked; /* last command as it came */
	struct cairn_twist command; /* the same within the robot's limits */
	bool spot_turn;             /* it was a turn in place that the base cannot make */
	bool device;
	bool rearming, needs_operator, needs_pose; /* the last: who was born anew gives the poses */
	int64_t fresh_since_ns;                    /* 0: some input is not fresh */
	bool estop, bumped;                        /* bumped: the stop is the bumper's */
	char estop_reason[80]; /* of a person: CAIRN_MOTOR_PERSON, and what he said behind ": " */
	int64_t estop_seen_ns; /* stamp of the newest estop message that demands a stop; INT64_MIN = none */
	const char *last_refusal;
	const char *scan_refusal; /* of the scans since the last one taken; NULL = none */
	uint64_t rejected;
	/* motion */
	int64_t t_ns; /* of the last step */
	struct cairn_twist measured;
	int64_t measured_ns;     /* INT64_MIN = never */
	struct cairn_pose2 pose; /* dead reckoning, to carry points along */
	struct cairn_velocity_smoother smooth;
	double curvature_1pm;
	double steered_1pm;  /* curvature that the steering has reached by now */
	double steering_rad; /* heading by it, on the measured way */
	bool held;           /* blocked until the limit has clearly risen again */
	unsigned conditions;
	struct cairn_monitor_verdict verdict;    /* of what slowed or stopped it */
	struct cairn_monitor_polygon_limit zone; /* of the last motion judged */
	struct cairn_monitor monitor;
	struct cairn_repeats scan_repeats;
	struct cairn_scan_motion scan_motion;
	struct cairn_wheel_check wheels;
	struct cairn_motor_spin spin;
	struct cairn_lean_check lean;
	bool battery_empty;
	double battery_percent; /* negative: not known */
};

/* reborn: this process is not the first motor stage of the running stack (then the rebirth rule holds for
 * itself). */
void cairn_motor_init(
    struct cairn_motor *m, const struct cairn_motor_params *params, bool reborn, int64_t now_ns);

/* Each returns false when the message was refused (and counted). */
bool cairn_motor_cmd(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_cmd_vel *cmd, int64_t now_ns);
bool cairn_motor_scan(
    struct cairn_motor *m, const struct cairn_header *hdr, const struct cairn_msg_scan *scan, int64_t now_ns);
/* A pose of the mapper. Used only to notice that the mapper was restarted: commands refer to its map frame, so
 * a new epoch re-arms. False for one that is old or out of order, which is no fault: the sequencer judges
 * poses. */
bool cairn_motor_pose(struct cairn_motor *m, const struct cairn_header *hdr, int64_t now_ns);
/* The depth camera's word; refused ones leave the floor as it was known. */
bool cairn_motor_depth(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_depth_scan *scan, int64_t now_ns);
/* Bumper: an emergency stop that latches; with bumper_sided no motion to its side until it is not pressed a second or more
 * after it was. Cliff: no forward motion until floor is seen a second or more after it. */
bool cairn_motor_guard(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_guard *guard, int64_t now_ns);
/* motor_guard.c: takes what a guard message says; what bars that direction now, CAIRN_ZONE_FREE for nothing; and that as a
 * limit. */
void cairn_motor_feel(struct cairn_motor *m, const struct cairn_msg_guard *guard, int64_t now_ns);
enum cairn_monitor_polygon_verdict cairn_motor_barred(const struct cairn_motor *m, bool forward);
struct cairn_monitor_polygon_limit cairn_motor_bar(enum cairn_monitor_polygon_verdict by, bool forward);
bool cairn_motor_estop(struct cairn_motor *m, const struct cairn_header *hdr,
    const struct cairn_msg_estop *estop, int64_t now_ns);

/* The operator's word. Release is refused, with the reason in err, while somebody still demands the stop. */
void cairn_motor_operator_stop(struct cairn_motor *m, const char *reason);
/* The same by a person, with his words (may be empty): they are told by cairn_motor_said, and never as a reason, since a
 * reason goes on into the prompt of a model, which could take them for an order. */
void cairn_motor_person_stop(struct cairn_motor *m, const char *said);
/* What the person said of the stop that holds, for people; empty: nothing, or there is none. */
const char *cairn_motor_said(const struct cairn_motor *m);
bool cairn_motor_operator_release(struct cairn_motor *m, int64_t now_ns, struct cairn_error *err);

/* The board is in service, or not. */
void cairn_motor_device(struct cairn_motor *m, bool in_service);
/* What the board's accelerometer measures, in whatever axes. */
void cairn_motor_accelerated(struct cairn_motor *m, const double accel_mps2[3], int64_t now_ns);
/* Charge of the battery; negative: not known. An empty one has to be charged by CAIRN_MOTOR_CHARGED_PERCENT more. */
#define CAIRN_MOTOR_CHARGED_PERCENT 5.0
void cairn_motor_charge(struct cairn_motor *m, double percent);
/* Motion as the board measured it. What no robot like this can do is refused and counted. */
void cairn_motor_measured(struct cairn_motor *m, struct cairn_twist twist, int64_t now_ns);

/* Decides; to be called every 20 ms and after every scan. */
struct cairn_twist cairn_motor_step(struct cairn_motor *m, int64_t now_ns);
/* What the last step decided. */
struct cairn_twist cairn_motor_sent(const struct cairn_motor *m);
enum cairn_motor_state cairn_motor_state(const struct cairn_motor *m);
void cairn_motor_message(struct cairn_motor *m, int64_t now_ns, struct cairn_msg_motion *out);

#endif
