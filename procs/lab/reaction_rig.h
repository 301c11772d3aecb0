/* reaction_rig.h - the rig of `cairn bench reaction`: a run directory, the real motor stage, a pseudo
 * terminal for its board, and two busy processes beside them. */
#ifndef CAIRN_PROCS_LAB_REACTION_RIG_H
#define CAIRN_PROCS_LAB_REACTION_RIG_H

#include <sys/types.h>

#include "common/sim/robot/dev_board.h"
#include "ipc/bus.h"

#define CAIRN_RIG_BUSY 2
#define CAIRN_RIG_DRIVE_MPS 0.3

struct cairn_reaction_rig {
	char dir[64];
	int master, slave;
	pid_t motor, busy[CAIRN_RIG_BUSY];
	struct cairn_bus *bus;
	struct cairn_pub *scan_pub, *cmd_pub;
	struct cairn_sub *motion_sub, *beat_sub;
	struct cairn_dev_board board;
	struct cairn_dev_board_sense sense;
	int64_t tick_ns, scan_ns, cmd_ns;
	bool scans;              /* clear scans go out by themselves */
	uint64_t frames;         /* motion frames that have come to the board */
	int64_t frame_ns;        /* arrival of the newest */
	int64_t zero_ns;         /* of the first of zero speed since this was set to 0 */
	uint64_t motions, beats; /* messages heard */
	struct cairn_header motion_hdr;
	struct cairn_msg_motion motion;
	struct cairn_msg_heartbeat beat;
	double late_max_ms, turn_max_ms; /* the largest of all heartbeats */
	struct cairn_msg_scan scan;
};

/* Real-time priority for the motor stage and the rig, or the ordinary scheduler with short slices, as the
 * launcher does it. False with the reason; the rig is to be finished all the same. */
bool cairn_rig_begin(struct cairn_reaction_rig *rig, bool realtime, struct cairn_error *err);
void cairn_rig_finish(struct cairn_reaction_rig *rig);

/* One turn of at most a millisecond: does what is due and takes what has come. */
void cairn_rig_turn(struct cairn_reaction_rig *rig);
/* Walls all round, and something this far before the nose unless ahead_m is 0. */
void cairn_rig_scan(struct cairn_reaction_rig *rig, double ahead_m);
bool cairn_rig_drives(const struct cairn_reaction_rig *rig);
/* The motor stage has not ended. */
bool cairn_rig_alive(struct cairn_reaction_rig *rig);
/* The last lines of the motor stage's log, to standard error. */
void cairn_rig_tell_log(const struct cairn_reaction_rig *rig);

#endif
