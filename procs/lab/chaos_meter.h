/* chaos_meter.h - what faults did to a driving robot: time until it braked, time until it drove again. Pure.
 *
 * It is told of every fault and of every message of the motor stage and of the simulated world. An outage
 * begins with the first sign after a fault that the wheels are held for want of a stage (or that the motor
 * stage is silent), and ends when they turn for a decision again; faults that fall into it prolong it, and it
 * is counted from the last of them. The data plane's loss is noticed late, by what no longer comes: an outage that begins
 * within 2 s of its fault is its own, and who drives on until then has driven through it. A stop is measured where a fault on the command path hit a robot that was
 * driving: from the fault to the first falling command that led to a standstill (braked), and to that
 * standstill (stood). A decision under way when the sequencer was killed is lost unless the next sequencer is
 * seen to go on with it. */
#ifndef CAIRN_PROCS_LAB_CHAOS_METER_H
#define CAIRN_PROCS_LAB_CHAOS_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/messages.h"

#define CHAOS_SAMPLES_MAX 4096

struct chaos_samples {
	size_t count;
	double s[CHAOS_SAMPLES_MAX];
};

struct chaos_meter {
	int64_t motion_ns;     /* newest stamp */
	double v_mps;          /* sent to the base, then */
	int64_t last_fault_ns; /* of any kind */
	bool out, plane_hit;   /* an outage is under way; a fault of the data plane belongs to it */
	int64_t plane_ns;      /* newest fault of the data plane that may still stop the robot; 0 = none */
	bool plane_drove;      /* it drove when that came */
	int64_t stop_fault_ns; /* a fault on the command path whose stop is awaited; 0 = none */
	int64_t again_ns;      /* the wheels turned again since; 0 = not yet */
	struct chaos_samples braked, stood, again, again_plane;
	uint64_t hit_id; /* the decision that was under way when the sequencer was killed last; 0 = none */
	bool dropped;    /* a sequencer has said since that it executes nothing */
	uint32_t decisions_hit, decisions_resumed;
	uint32_t bridged;       /* faults on the command path that did not make it stand */
	uint32_t plane_bridged; /* faults of the data plane that it drove through */
	uint32_t unseen; /* stops not measured: the simulated robot did not live to tell, or drove on before
			     it stood */
};

/* Another house begins, with another stack: what was awaited of the one before never comes. Samples stay. */
void chaos_meter_house(struct chaos_meter *m);
/* Zero is a fresh meter. command_path: the fault hit a stage without which no command reaches the wheels. */
void chaos_meter_fault(struct chaos_meter *m, int64_t now_ns, bool command_path, bool plane);
/* The simulated robot itself was hit: the stop that is awaited will not be told of. */
void chaos_meter_blind(struct chaos_meter *m);
/* The sequencer is being killed while it executes this decision (0: none). */
void chaos_meter_decision(struct chaos_meter *m, uint64_t id);
void chaos_meter_mission(struct chaos_meter *m, const struct cairn_msg_mission *mission);
/* mission_over: the robot stands because it has nothing to do, which is nobody's fault. */
void chaos_meter_motion(
    struct chaos_meter *m, const struct cairn_msg_motion *motion, int64_t t_ns, bool mission_over);
void chaos_meter_truth(struct chaos_meter *m, const struct cairn_msg_sim_truth *truth, int64_t t_ns);
/* It drove with the newest message, and that is fresh. */
/* The motor stage holds the wheels for want of a stage, an input or a person. */
bool chaos_held(enum cairn_motor_state state);
bool chaos_meter_drives(const struct chaos_meter *m, int64_t now_ns);
/* The p-quantile, 0..1, as the nearest rank; not a number without samples. Sorts. */
double chaos_quantile(struct chaos_samples *samples, double p);

/* Of a time that a mark is set to: too few samples show nothing, whatever they are. bridged: so many more cost no time at
 * all; they show something, and make no quantile better. */
enum chaos_mark { CHAOS_MARK_NOT_SHOWN, CHAOS_MARK_MISSED, CHAOS_MARK_MET, CHAOS_MARK_COUNT };
const char *chaos_mark_name(enum chaos_mark mark);
enum chaos_mark chaos_mark(
    struct chaos_samples *samples, size_t bridged, double p, double at_most_s, size_t samples_min);

#endif
