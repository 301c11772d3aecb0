#include "procs/launcher/hang.h"

#include <math.h>

bool cairn_hang_look(struct cairn_hang *hang, int pid, int64_t beat_ns, double limit_s, int64_t now_ns)
{
	bool alive = pid != hang->pid || beat_ns != hang->beat_ns;
	double passed_s = fmin((double)(now_ns - hang->look_ns) * 1e-9, CAIRN_HANG_STEP_S),
	       before_s = hang->silent_s;
	*hang = (struct cairn_hang){pid, beat_ns, now_ns, alive || pid == 0 ? 0.0 : before_s + passed_s};
	return before_s <= limit_s && hang->silent_s > limit_s;
}

bool cairn_hang_motor_look(struct cairn_hang_motor *hang, bool up, int64_t motion_ns, int64_t now_ns)
{
	bool late = (double)(now_ns - hang->look_ns) * 1e-9 > CAIRN_HANG_LATE_S;
	bool old = (double)(now_ns - motion_ns) * 1e-9 > CAIRN_HANG_MOTION_S;
	hang->look_ns = now_ns;
	hang->silent = up && motion_ns != 0 && old && (hang->silent || !late);
	return hang->silent;
}
