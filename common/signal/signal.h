/* signal.h - which state of the robot people are shown, and what light and beeper do for it (signals.def).
 *
 * Messages and the time in, a state out. Of the states that hold, and have held for as long as their row asks, the gravest is
 * shown. What is too old to be believed counts as not said; a silent motor stage is a fault. Pure. */
#ifndef CAIRN_COMMON_SIGNAL_SIGNAL_H
#define CAIRN_COMMON_SIGNAL_SIGNAL_H

#include "common/config/config.h"
#include "ipc/messages.h"

struct cairn_signal_row {
	int hold_ms;
	uint32_t rgb;
	int on_ms, off_ms;
	int beeps, beep_ms, gap_ms, repeat_s;
	bool calls;
};

extern const struct cairn_signal_row cairn_signal_rows[CAIRN_SIGNAL_COUNT];

/* What the motor stage alone tells. */
enum cairn_signal cairn_signal_of_motion(const struct cairn_msg_motion *m);

/* Caller-owned; zeroed and filled by _init. Stamps are monotonic ns; 0: never heard. */
struct cairn_signals {
	double battery_warn_percent;
	int64_t motion_ns, mission_ns, model_ns;
	enum cairn_signal wheels; /* cairn_signal_of_motion */
	bool stands;              /* by its command */
	bool on_mission, wants_decision;
	bool asked; /* the model has a question */
	bool battery_low;
	double battery_percent;
	char motion_reason[96], help[160];
	int64_t since_ns[CAIRN_SIGNAL_COUNT]; /* 0: it does not hold */
};

void cairn_signals_init(struct cairn_signals *s, double battery_warn_percent);
void cairn_signals_motion(struct cairn_signals *s, const struct cairn_msg_motion *m, int64_t t_ns);
void cairn_signals_mission(struct cairn_signals *s, const struct cairn_msg_mission *m, int64_t t_ns);
void cairn_signals_model(struct cairn_signals *s, const struct cairn_msg_vlm_stats *m, int64_t t_ns);
/* A low charge is shown until the battery is charged by 5 % more, as it comes and goes at the limit. */
void cairn_signals_battery(struct cairn_signals *s, const struct cairn_msg_battery *m);
/* Decides; to be called some times a second. */
void cairn_signals_step(struct cairn_signals *s, int64_t now_ns, struct cairn_msg_signal *ret);

/* What light and beeper do elapsed_ns after a state has begun to be shown. */
struct cairn_signal_look {
	uint32_t rgb;   /* 0: dark */
	uint32_t beeps; /* begun so far */
	bool sounds;    /* a beep is under way */
};

struct cairn_signal_look cairn_signal_look(enum cairn_signal signal, int64_t elapsed_ns);

#endif
