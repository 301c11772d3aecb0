/* hang.h - who watches the watchdog: its silence, counted by the launcher. Pure.
 *
 * Only time in which the launcher itself ran counts: between two looks at most CAIRN_HANG_STEP_S, however
 * late the second one came. So a machine that slept, or a launcher that was stopped, blames nobody. */
#ifndef CAIRN_PROCS_LAUNCHER_HANG_H
#define CAIRN_PROCS_LAUNCHER_HANG_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_HANG_STEP_S 1.0 /* two periods of the launcher's report */

/* All zero: nothing seen yet. */
struct cairn_hang {
	int pid;
	int64_t beat_ns, look_ns;
	double silent_s;
};

/* pid: of the process that is up, 0 = none. beat_ns: stamp of its newest heartbeat, 0 = none yet. True once
 * when it has been silent for more than limit_s; with another process it begins anew. */
bool cairn_hang_look(struct cairn_hang *hang, int pid, int64_t beat_ns, double limit_s, int64_t now_ns);

/* The motor stage feeds the wheels and the watchdog stops them when it does not; when both are frozen nobody is left, and
 * the board holds its last command. motion_ns: stamp of the motor stage's newest message, 0 = none yet. True while the stage
 * is up and has been silent for longer than it can be by itself, whatever the watchdog does: then the launcher writes the
 * stop frame, which costs a motor stage that lives after all 20 ms, until its next command. A look that comes late itself
 * says nothing: what was sent meanwhile may not be here yet. */
#define CAIRN_HANG_MOTION_S 0.4 /* eight of its periods; the watchdog needs 0.17 s */
#define CAIRN_HANG_LATE_S 0.2   /* ten periods of the looks */

struct cairn_hang_motor {
	int64_t look_ns; /* of the last look; all zero: none yet */
	bool silent;
};

bool cairn_hang_motor_look(struct cairn_hang_motor *hang, bool up, int64_t motion_ns, int64_t now_ns);

#endif
