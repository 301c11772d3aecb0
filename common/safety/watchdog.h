/* watchdog.h - notices what hangs, not only what dies: signs of life in, a verdict out. Pure: stamps and time
 * in.
 *
 * Ages are now minus the stamp of the newest message. When the watchdog itself was held up (a step came
 * late), every age is counted as if the clock had stood still meanwhile: it must not blame others for its own
 * absence.
 *
 *   a stage           Heartbeat (or, before its first, being up) older than CAIRN_WATCHDOG_BEAT_S while the
 *                     launcher says it is up: asks for a restart, once. It counts again after its next beat,
 *                     so a stage that is being restarted is left alone.
 *   the motor stage   Neither motion, odom nor heartbeat for CAIRN_WATCHDOG_MOTOR_S: stop frames are to be
 *                     written straight to the base, every step, until it is heard again. No latched stop: the
 *                     stage goes on by itself when it is back.
 *   the scan          Silent for CAIRN_WATCHDOG_SCAN_S beyond safety.scan_timeout_s while odometry still
 *                     shows motion: the motor stage has failed its duty. Emergency stop, which it latches.
 *   the wheels        Turn for CAIRN_WATCHDOG_WHEELS_S although zero is sent: stop frames are written
 *                     straight to the base as well.
 *   the data plane    No new canary frame for CAIRN_WATCHDOG_CANARY_S while the canary should be up: the
 *                     health message says so, and the launcher starts the data plane anew.
 *
 * Health also tells of what the robot goes on without: no scan since the start, a duty that a stage says
 * it cannot do, a RouDi that cannot live, a model that gives no usable answer. None of these stops or
 * restarts anything. */
#ifndef CAIRN_COMMON_SAFETY_WATCHDOG_H
#define CAIRN_COMMON_SAFETY_WATCHDOG_H

#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_WATCHDOG_STAGES_MAX 40
#define CAIRN_HEALTH_ESTOP                                                                                   \
	"emergency stop: " /* how a problem of health begins that is one; the reason follows */
#define CAIRN_WATCHDOG_STEP_MS 50
#define CAIRN_WATCHDOG_BEAT_S 3.0
/* Three of its periods; with the step, wheels are stopped within 0.25 s. */
#define CAIRN_WATCHDOG_MOTOR_S 0.17
#define CAIRN_WATCHDOG_MOTOR_FIRST_S 1.0 /* said to be up, but not heard since the watchdog started */
#define CAIRN_WATCHDOG_SCAN_S 1.0
#define CAIRN_WATCHDOG_WHEELS_S 1.0      /* motion against a zero command */
#define CAIRN_WATCHDOG_SCAN_FIRST_S 10.0 /* no scan at all since the watchdog started counts after this */
/* So many calls in a row without a usable answer are a problem; before the first usable one, one is. */
#define CAIRN_WATCHDOG_MODEL_BAD 3
#define CAIRN_WATCHDOG_CANARY_S 3.0
#define CAIRN_WATCHDOG_CANARY_FIRST_S 10.0 /* a canary never heard at all counts as silent after this */

struct cairn_watchdog;

struct cairn_watchdog_output {
	struct cairn_msg_health health;
	struct cairn_msg_estop estop;
	bool write_stop;     /* write the stop frame to the base now */
	bool health_changed; /* verdict, problem or restart request differ from the step before */
	bool estop_changed;
};

/* names: the stages to watch, borrowed, at most CAIRN_WATCHDOG_STAGES_MAX; "motor" and "canary" have the
 * meaning above, "watchdog" is itself: its own heart is not its business. cfg is borrowed. NULL: out of
 * memory. */
struct cairn_watchdog *cairn_watchdog_new(
    const struct cairn_config *cfg, const char *const *names, int count, int64_t now_ns);
void cairn_watchdog_destroy(struct cairn_watchdog **w_p);

/* index: into names. Stamps from the future (more than 50 ms) and index out of range are ignored, here and
 * below. */
void cairn_watchdog_on_heartbeat(struct cairn_watchdog *w, int index, int64_t t_ns, int64_t now_ns);
/* What the stage says with its heartbeat that it cannot do now (save a file, say); empty: nothing. */
void cairn_watchdog_on_trouble(struct cairn_watchdog *w, int index, const char *trouble);
/* How the model does. */
void cairn_watchdog_on_model(struct cairn_watchdog *w, const struct cairn_msg_vlm_stats *stats);
void cairn_watchdog_on_scan(struct cairn_watchdog *w, int64_t t_ns, int64_t now_ns);
void cairn_watchdog_on_motion(
    struct cairn_watchdog *w, const struct cairn_msg_motion *motion, int64_t t_ns, int64_t now_ns);
void cairn_watchdog_on_odom(
    struct cairn_watchdog *w, const struct cairn_msg_odom *odom, int64_t t_ns, int64_t now_ns);
void cairn_watchdog_on_canary(
    struct cairn_watchdog *w, const struct cairn_msg_canary *canary, int64_t t_ns, int64_t now_ns);
/* What the launcher knows; without it every stage counts as up. */
void cairn_watchdog_on_stages(
    struct cairn_watchdog *w, const struct cairn_msg_stages *stages, int64_t t_ns, int64_t now_ns);

/* Every CAIRN_WATCHDOG_STEP_MS. */
void cairn_watchdog_step(struct cairn_watchdog *w, int64_t now_ns, struct cairn_watchdog_output *out);

#endif
