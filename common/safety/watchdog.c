#include "common/safety/watchdog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "ipc/topics.h"

#define OWN_STALL_NS (250 * CAIRN_NS_PER_MS)
#define STAGES_TIMEOUT_S 3.0
#define REQUEST_HOLD_S 2.0 /* a request stays in the message this long; the next one waits for it */
#define ODOM_TIMEOUT_S 0.5
#define MOVING_MPS 0.05
#define MOVING_S 0.3

struct watched {
	int64_t t_ns; /* newest beat, or when it was said to be up; 0 = neither since it was started */
	int32_t pid;
	enum cairn_stage_state state;
	bool known;       /* the launcher has named it */
	char note[96];    /* the launcher's: how it died last */
	char trouble[96]; /* its own word of what it cannot do now; empty: nothing */
};

struct cairn_watchdog {
	const struct cairn_config *cfg;
	const char *const *names;
	int count, motor, canary, self;
	struct watched stages[CAIRN_WATCHDOG_STAGES_MAX];
	int64_t t_start_ns, t_born_ns, t_step_ns;
	int64_t t_scan_ns, t_motion_ns, t_odom_ns, t_stages_ns;
	int64_t t_canary_ns; /* newest frame that came through */
	uint64_t canary_received;
	int64_t t_moving_ns;    /* moving since; 0 = standing */
	int64_t t_zero_ns;      /* zero has been sent to the wheels since; 0 = something else is */
	int64_t t_unscanned_ns; /* the motor stage has had no scan to drive by since; 0 = it has */
	enum cairn_motor_state motor_state;
	char motor_reason[96];
	bool plane_failed;
	char plane_note[96];
	uint64_t model_calls, model_good,
	    model_bad_base; /* of vlm.stats; the last: failures at the last good answer */
	uint64_t model_bad; /* answers without use in a row */
	bool model_offline;
	char model_error[160];
	int64_t t_request_ns;
	char request[32];
	uint64_t request_id;
	struct cairn_watchdog_output last;
};

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) * 1e-9;
}

static int find(const struct cairn_watchdog *w, const char *name)
{
	for (int i = 0; i < w->count; i++) {
		if (strcmp(w->names[i], name) == 0)
			return i;
	}
	return -1;
}

struct cairn_watchdog *cairn_watchdog_new(
    const struct cairn_config *cfg, const char *const *names, int count, int64_t now_ns)
{
	struct cairn_watchdog *w = calloc(1, sizeof(*w));
	if (w == NULL)
		return NULL;
	w->cfg = cfg;
	w->names = names;
	w->count = count < CAIRN_WATCHDOG_STAGES_MAX ? count : CAIRN_WATCHDOG_STAGES_MAX;
	w->motor = find(w, "motor");
	w->canary = find(w, "canary");
	w->self = find(w, "watchdog");
	w->t_start_ns = w->t_born_ns = now_ns;
	return w;
}

void cairn_watchdog_destroy(struct cairn_watchdog **w_p)
{
	free(*w_p);
	*w_p = NULL;
}

/* ---- signs of life ---- */

static bool take(int64_t *newest_ns, int64_t t_ns, int64_t now_ns)
{
	if (t_ns > now_ns + CAIRN_STAMP_AHEAD_NS || t_ns <= *newest_ns)
		return false;
	*newest_ns = t_ns;
	return true;
}

void cairn_watchdog_on_heartbeat(struct cairn_watchdog *w, int index, int64_t t_ns, int64_t now_ns)
{
	if (index >= 0 && index < w->count)
		take(&w->stages[index].t_ns, t_ns, now_ns);
}

void cairn_watchdog_on_trouble(struct cairn_watchdog *w, int index, const char *trouble)
{
	if (index >= 0 && index < w->count)
		snprintf(w->stages[index].trouble, sizeof(w->stages[index].trouble), "%s", trouble);
}

void cairn_watchdog_on_model(struct cairn_watchdog *w, const struct cairn_msg_vlm_stats *stats)
{
	uint64_t open = stats->failures + (stats->in_flight ? 1 : 0);
	uint64_t good = stats->calls > open ? stats->calls - open : 0;
	bool reborn = stats->calls < w->model_calls;
	if (reborn || good > w->model_good || stats->failures < w->model_bad_base)
		w->model_bad_base = reborn ? 0 : stats->failures;
	w->model_calls = stats->calls;
	w->model_good = good;
	w->model_bad = stats->failures - w->model_bad_base;
	w->model_offline = stats->net_tier == CAIRN_NET_TIER_OFFLINE;
	snprintf(w->model_error, sizeof(w->model_error), "%s", stats->last_error);
}

void cairn_watchdog_on_scan(struct cairn_watchdog *w, int64_t t_ns, int64_t now_ns)
{
	take(&w->t_scan_ns, t_ns, now_ns);
}

void cairn_watchdog_on_motion(
    struct cairn_watchdog *w, const struct cairn_msg_motion *motion, int64_t t_ns, int64_t now_ns)
{
	if (!take(&w->t_motion_ns, t_ns, now_ns))
		return;
	w->motor_state = motion->state;
	bool zero = motion->v_mps == 0.0;
	w->t_zero_ns = !zero ? 0 : w->t_zero_ns == 0 ? t_ns : w->t_zero_ns;
	bool unscanned = motion->state == CAIRN_MOTOR_STATE_NO_SCAN;
	w->t_unscanned_ns = !unscanned ? 0 : w->t_unscanned_ns == 0 ? t_ns : w->t_unscanned_ns;
	snprintf(w->motor_reason, sizeof(w->motor_reason), "%s", motion->reason);
}

void cairn_watchdog_on_odom(
    struct cairn_watchdog *w, const struct cairn_msg_odom *odom, int64_t t_ns, int64_t now_ns)
{
	int64_t before_ns = w->t_odom_ns;
	if (!take(&w->t_odom_ns, t_ns, now_ns))
		return;
	/* After a silence nobody knows for how long it has been moving: a loaded machine that lets all stages
	 * sleep must not wake to a stop that latches, on a word from before. */
	bool silence = before_ns == 0 || seconds(before_ns, t_ns) > ODOM_TIMEOUT_S;
	if (!(fabs(odom->v_mps) > MOVING_MPS))
		w->t_moving_ns = 0;
	else if (w->t_moving_ns == 0 || silence)
		w->t_moving_ns = t_ns;
}

void cairn_watchdog_on_canary(
    struct cairn_watchdog *w, const struct cairn_msg_canary *canary, int64_t t_ns, int64_t now_ns)
{
	if (canary->received == w->canary_received || canary->received == 0)
		return; /* a reborn canary counts from one again: different is enough */
	w->canary_received = canary->received;
	take(&w->t_canary_ns, t_ns, now_ns);
}

void cairn_watchdog_on_stages(
    struct cairn_watchdog *w, const struct cairn_msg_stages *stages, int64_t t_ns, int64_t now_ns)
{
	if (!take(&w->t_stages_ns, t_ns, now_ns))
		return;
	for (uint32_t i = 0; i < stages->items_count; i++) {
		int k = find(w, stages->items[i].name);
		if (strcmp(stages->items[i].name, "roudi") == 0) {
			w->plane_failed = stages->items[i].state == CAIRN_STAGE_STATE_FAILED;
			snprintf(w->plane_note, sizeof(w->plane_note), "%s", stages->items[i].note);
		}
		if (k < 0)
			continue;
		struct watched *s = &w->stages[k];
		snprintf(s->note, sizeof(s->note), "%s", stages->items[i].note);
		bool up = stages->items[i].state == CAIRN_STAGE_STATE_UP;
		bool another =
		    !s->known || s->state != stages->items[i].state || s->pid != stages->items[i].pid;
		s->known = true;
		s->state = stages->items[i].state;
		s->pid = stages->items[i].pid;
		if (!up || another)
			s->trouble[0] = '\0'; /* another process has its own */
		if (!up)
			s->t_ns = 0; /* its next process is up first */
		else if (another && t_ns > s->t_ns)
			s->t_ns = t_ns; /* from now on it has to beat, even if it never has */
	}
}

/* ---- verdicts ---- */

static void shift(int64_t *t_ns, int64_t by_ns)
{
	if (*t_ns != 0)
		*t_ns += by_ns;
}

/* The watchdog itself was away: its peers are as old as they were when it left. */
static void forgive_own_stall(struct cairn_watchdog *w, int64_t now_ns)
{
	int64_t gap_ns = w->t_step_ns == 0 ? 0 : now_ns - w->t_step_ns;
	w->t_step_ns = now_ns;
	if (gap_ns < OWN_STALL_NS)
		return;
	int64_t *const stamps[] = {&w->t_scan_ns, &w->t_motion_ns, &w->t_odom_ns, &w->t_stages_ns,
	    &w->t_canary_ns, &w->t_moving_ns, &w->t_zero_ns, &w->t_unscanned_ns, &w->t_request_ns,
	    &w->t_start_ns, &w->t_born_ns};
	for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++) {
		shift(stamps[i], gap_ns);
		*stamps[i] = *stamps[i] < now_ns ? *stamps[i] : now_ns;
	}
	for (int i = 0; i < w->count; i++) {
		shift(&w->stages[i].t_ns, gap_ns);
		w->stages[i].t_ns = w->stages[i].t_ns < now_ns ? w->stages[i].t_ns : now_ns;
	}
}

static bool should_be_up(const struct cairn_watchdog *w, int index, int64_t now_ns)
{
	bool heard_of = w->t_stages_ns != 0 && seconds(w->t_stages_ns, now_ns) <= STAGES_TIMEOUT_S;
	return !heard_of || !w->stages[index].known || w->stages[index].state == CAIRN_STAGE_STATE_UP;
}

/* The motor stage gives no sign of life. One that is up but was never heard gets time to be connected to. */
static bool motor_silent(const struct cairn_watchdog *w, int64_t now_ns)
{
	int64_t t = w->t_motion_ns > w->t_odom_ns ? w->t_motion_ns : w->t_odom_ns;
	double limit_s = t == 0 ? CAIRN_WATCHDOG_MOTOR_FIRST_S : CAIRN_WATCHDOG_MOTOR_S;
	if (w->motor >= 0 && w->stages[w->motor].t_ns > t)
		t = w->stages[w->motor].t_ns;
	return t != 0 && seconds(t, now_ns) > limit_s;
}

static int hung_stage(const struct cairn_watchdog *w, int64_t now_ns)
{
	int worst = -1;
	for (int i = 0; i < w->count; i++) {
		if (i == w->self || w->stages[i].t_ns == 0 ||
		    seconds(w->stages[i].t_ns, now_ns) <= CAIRN_WATCHDOG_BEAT_S ||
		    !should_be_up(w, i, now_ns))
			continue;
		if (worst < 0 || w->stages[i].t_ns < w->stages[worst].t_ns)
			worst = i;
	}
	return worst;
}

static void request_restart(struct cairn_watchdog *w, int64_t now_ns)
{
	if (w->request[0] != '\0' && seconds(w->t_request_ns, now_ns) < REQUEST_HOLD_S)
		return;
	w->request[0] = '\0';
	int hung = hung_stage(w, now_ns);
	if (hung < 0)
		return;
	uint64_t by_clock =
	    (uint64_t)(now_ns / CAIRN_NS_PER_MS); /* rises across restarts of the watchdog, too */
	w->request_id = by_clock > w->request_id ? by_clock : w->request_id + 1;
	w->t_request_ns = now_ns;
	snprintf(w->request, sizeof(w->request), "%s", w->names[hung]);
	w->stages[hung].t_ns = 0; /* asked once; it counts again after its next beat */
}

static bool data_plane_ok(struct cairn_watchdog *w, int64_t now_ns)
{
	if (w->canary < 0)
		return true;
	if (!should_be_up(w, w->canary, now_ns)) {
		w->t_canary_ns = 0; /* it is being started: its time begins when it is up */
		w->t_start_ns = now_ns;
		w->canary_received = 0;
		return true;
	}
	if (w->t_canary_ns == 0)
		return seconds(w->t_start_ns, now_ns) <= CAIRN_WATCHDOG_CANARY_FIRST_S;
	return seconds(w->t_canary_ns, now_ns) <= CAIRN_WATCHDOG_CANARY_S;
}

static bool runs_blind(const struct cairn_watchdog *w, int64_t now_ns)
{
	double scan_s = w->t_scan_ns == 0 ? 0.0 : seconds(w->t_scan_ns, now_ns);
	return scan_s > w->cfg->safety.scan_timeout_s + CAIRN_WATCHDOG_SCAN_S && w->t_moving_ns != 0 &&
	       seconds(w->t_odom_ns, now_ns) <= ODOM_TIMEOUT_S && seconds(w->t_moving_ns, now_ns) > MOVING_S;
}

/* The wheels turn on although zero has been sent to them for long. The motor stage says so as well, but what it writes
 * may be what is lost: the stop frame on a descriptor of our own is another try. */
static bool runs_on(const struct cairn_watchdog *w, int64_t now_ns)
{
	return w->t_zero_ns != 0 && w->t_moving_ns != 0 && seconds(w->t_odom_ns, now_ns) <= ODOM_TIMEOUT_S &&
	       seconds(w->t_zero_ns, now_ns) > CAIRN_WATCHDOG_WHEELS_S &&
	       seconds(w->t_moving_ns, now_ns) > CAIRN_WATCHDOG_WHEELS_S;
}

/* What the robot goes on without: a stage that cannot do one of its duties, a model without a usable answer. */
static void find_trouble(const struct cairn_watchdog *w, char *text, size_t bytes)
{
	for (int i = 0; i < w->count; i++) {
		if (w->stages[i].trouble[0] != '\0') {
			snprintf(text, bytes, "%s: %s", w->names[i], w->stages[i].trouble);
			return;
		}
	}
	bool silent = w->model_offline || w->model_bad >= CAIRN_WATCHDOG_MODEL_BAD ||
		      (w->model_good == 0 && w->model_bad > 0);
	if (silent && w->model_bad > 0)
		snprintf(text, bytes, "the model gave no usable answer to the last %llu calls: %.80s",
		    (unsigned long long)w->model_bad, w->model_error);
	else if (silent && w->model_error[0] != '\0')
		snprintf(text, bytes, "the model is not asked: %.120s", w->model_error);
}

/* The most specific cause first; empty when there is nothing to complain about. */
static void find_problem(const struct cairn_watchdog *w, const struct cairn_watchdog_output *out,
    int64_t now_ns, char *text, size_t bytes)
{
	double scan_s = w->t_scan_ns == 0 ? 0.0 : seconds(w->t_scan_ns, now_ns);
	text[0] = '\0';
	if (out->estop.stop) {
		snprintf(text, bytes, "%s", out->estop.reason);
		return;
	}
	if (out->write_stop) {
		snprintf(text, bytes, "%s: stopping the base directly",
		    motor_silent(w, now_ns) ? "the motor stage is silent"
					    : "the wheels turn against a zero command");
		return;
	}
	if (w->request[0] != '\0') {
		snprintf(text, bytes, "%s hangs: no heartbeat for more than %.0f s", w->request,
		    CAIRN_WATCHDOG_BEAT_S);
		return;
	}
	for (int i = 0; i < w->count; i++) {
		if (w->stages[i].known && w->stages[i].state == CAIRN_STAGE_STATE_FAILED) {
			snprintf(text, bytes,
			    "%s died too often: %.60s%ssee 'cairn logs %s', then 'cairn restart %s'",
			    w->names[i], w->stages[i].note, w->stages[i].note[0] != '\0' ? "; " : "",
			    w->names[i], w->names[i]);
			return;
		}
	}
	if (w->plane_failed) {
		snprintf(text, bytes, "the data plane does not come up: %s", w->plane_note);
		return;
	}
	if (w->motor_state == CAIRN_MOTOR_STATE_ESTOP)
		snprintf(text, bytes, CAIRN_HEALTH_ESTOP "%s", w->motor_reason);
	else if (w->motor_state == CAIRN_MOTOR_STATE_NO_DEVICE)
		snprintf(text, bytes, "the motor board does not answer");
	else if (w->motor_state == CAIRN_MOTOR_STATE_WHEEL_FAULT)
		snprintf(text, bytes, "the wheels do not obey: %s", w->motor_reason);
	else if (w->motor_state == CAIRN_MOTOR_STATE_CONTRADICTION)
		snprintf(
		    text, bytes, "sensors contradict each other: %s; then 'cairn release'", w->motor_reason);
	else if (w->motor_state == CAIRN_MOTOR_STATE_TILTED ||
		 w->motor_state == CAIRN_MOTOR_STATE_BATTERY_EMPTY)
		snprintf(text, bytes, "the robot stands: %s", w->motor_reason);
	else if (scan_s > w->cfg->safety.scan_timeout_s + 0.2)
		snprintf(text, bytes, "no scan from sensor-bridge");
	else if (w->t_scan_ns == 0 && seconds(w->t_born_ns, now_ns) > CAIRN_WATCHDOG_SCAN_FIRST_S)
		snprintf(text, bytes, "no scan has come from sensor-bridge yet");
	else if (w->t_unscanned_ns != 0 && seconds(w->t_unscanned_ns, now_ns) > CAIRN_WATCHDOG_SCAN_S)
		snprintf(text, bytes, "the motor stage waits: %s", w->motor_reason);
	else if (!out->health.data_plane_ok)
		snprintf(text, bytes, "the data plane is stuck: no canary frame comes through");
	else
		find_trouble(w, text, bytes);
}

void cairn_watchdog_step(struct cairn_watchdog *w, int64_t now_ns, struct cairn_watchdog_output *out)
{
	memset(out, 0, sizeof(*out));
	forgive_own_stall(w, now_ns);
	request_restart(w, now_ns);
	out->write_stop = motor_silent(w, now_ns) || runs_on(w, now_ns);
	out->estop.stop = runs_blind(w, now_ns);
	if (out->estop.stop)
		snprintf(out->estop.reason, sizeof(out->estop.reason), "the robot moves without a scan");
	out->health.data_plane_ok = data_plane_ok(w, now_ns);
	snprintf(out->health.restart, sizeof(out->health.restart), "%s", w->request);
	out->health.restart_id = w->request_id;
	find_problem(w, out, now_ns, out->health.problem, sizeof(out->health.problem));
	out->health.ok = out->health.problem[0] == '\0';
	const struct cairn_msg_health *l = &w->last.health, *h = &out->health;
	out->health_changed = h->ok != l->ok || h->data_plane_ok != l->data_plane_ok ||
			      h->restart_id != l->restart_id || strcmp(h->problem, l->problem) != 0;
	out->estop_changed = out->estop.stop != w->last.estop.stop;
	w->last = *out;
}
