/* up_verdict.c - what is wrong with a run, and whether it has passed. Rules over what the bus has told, no more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/safety/motor_gate.h"
#include "common/safety/watchdog.h"
#include "procs/cairn/up.h"

#define SETTLED_S 10.0 /* a stack that is up has had its first scan, board and answer by then */

/* The launcher holds a stage failed after deaths_max deaths within deaths_window_s; one that dies more slowly, but twice
 * as often in all and at that pace on the average, keeps dying as well. */
static bool keeps_dying(const struct up_run *run, const struct cairn_msg_stage *st, double run_s)
{
	const struct cairn_config_launcher *cfg = &run->cfg.launcher;
	if (st->state == CAIRN_STAGE_STATE_FAILED)
		return true;
	return st->restarts >= 2 * (uint32_t)cfg->deaths_max && run_s < st->restarts * cfg->deaths_window_s;
}

void up_mark_end(struct up_run *run, int64_t now_ns)
{
	double run_s = (double)(now_ns - run->start_ns) * 1e-9;
	run->seen.ended = true;
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count && i < 32; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		bool never = (run->seen.stages_up >> i & 1) == 0;
		if (!never && !keeps_dying(run, st, run_s))
			continue;
		snprintf(run->seen.dying, sizeof(run->seen.dying), "%s %s%s%.96s", st->name,
		    st->restarts == 0 && never ? "has not come up" : "kept dying",
		    st->note[0] != '\0' ? ": " : "", st->note);
		return;
	}
}

/* ---- trouble ---- */

static const struct cairn_msg_stage *stage_in_trouble(const struct up_run *run)
{
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		bool dead = st->state == CAIRN_STAGE_STATE_BACKOFF || st->state == CAIRN_STAGE_STATE_FAILED;
		if (dead)
			return st;
	}
	return NULL;
}

static bool wheels_in_trouble(const struct up_run *run)
{
	return run->have_motion && (run->motion.state == CAIRN_MOTOR_STATE_NO_DEVICE ||
				       run->motion.state == CAIRN_MOTOR_STATE_NO_SCAN ||
				       run->motion.state == CAIRN_MOTOR_STATE_ESTOP);
}

static bool by_person(const char *reason)
{
	return strncmp(reason, CAIRN_MOTOR_PERSON, sizeof(CAIRN_MOTOR_PERSON) - 1) == 0;
}

/* As the wheels say, or the watchdog, whose word comes later. */
static bool stopped_by_person(const struct up_run *run)
{
	static const char stop[] = CAIRN_HEALTH_ESTOP;
	return (run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_ESTOP &&
		   by_person(run->motion.reason)) ||
	       (run->have_health && strncmp(run->health.problem, stop, sizeof(stop) - 1) == 0 &&
		   by_person(run->health.problem + sizeof(stop) - 1));
}

/* More calls have failed than were answered lately, as the budget judges, or none was ever of use. */
static bool model_in_trouble(const struct up_run *run)
{
	return run->have_vlm && run->vlm.last_error[0] != '\0' &&
	       (run->vlm.net_tier >= CAIRN_NET_TIER_DEGRADED || run->seen.answers == 0);
}

static void clean(char *text)
{
	for (char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
}

void up_trouble(const struct up_run *run, char *text, size_t bytes)
{
	const struct cairn_msg_stage *st = stage_in_trouble(run);
	text[0] = '\0';
	if (run->have_health && !run->health.ok)
		snprintf(text, bytes, "%s", run->health.problem);
	else if (st != NULL)
		snprintf(text, bytes, "%s: %s", st->name, st->note);
	else if (wheels_in_trouble(run))
		snprintf(text, bytes, "motor: %s",
		    run->motion.reason[0] != '\0'
			? run->motion.reason
			: cairn_enum_text(&cairn_enum_motor_state, (int)run->motion.state));
	else if (model_in_trouble(run))
		snprintf(text, bytes, "%.31s: %s", run->vlm.provider, run->vlm.last_error);
	clean(text);
}

void up_note_error(struct up_run *run)
{
	struct up_seen *seen = &run->seen;
	char text[sizeof(seen->error)];
	bool failed = run->have_vlm && run->vlm.failures > seen->failures;
	bool settled = seen->decisions > 0 || (run->have_stages && run->stages.uptime_s > SETTLED_S);
	up_trouble(run, text, sizeof(text));
	if (stopped_by_person(run))
		text[0] = '\0'; /* trouble while it lasts, and nobody's error */
	if (text[0] == '\0' && failed)
		snprintf(text, sizeof(text), "%.31s: %.160s", run->vlm.provider, run->vlm.last_error);
	if (failed)
		seen->failures = run->vlm.failures;
	if (text[0] == '\0' || !settled)
		return;
	clean(text);
	memcpy(seen->error, text, sizeof(text));
}

/* ---- the verdict ---- */

/* Why nothing was driven, where a person or the configuration wanted it so; NULL: nobody did. */
static const char *excuse(const struct up_run *run)
{
	const struct up_seen *seen = &run->seen;
	if (!seen->mission)
		return cairn_config_autostarts(&run->cfg) ? NULL : "no mission was asked for";
	if (seen->estop)
		return "an emergency stop held";
	if (seen->paused)
		return "the mission was paused";
	if (run->cfg.vlm.shadow && seen->answers > 0)
		return "the model was compared only (vlm.shadow)";
	if (seen->budget && run->have_vlm && run->vlm.calls == 0)
		return "the budget allowed no call";
	if (run->mission.state == CAIRN_MISSION_STATE_FINISHED &&
	    strcmp(run->mission.reason, "explored") == 0)
		return "nothing was left to explore";
	return NULL;
}

/* The model's part: NULL is well. */
static const char *model_fault(const struct up_run *run)
{
	const struct up_seen *seen = &run->seen;
	if (seen->answers > 0 || !seen->wanted || seen->budget)
		return NULL;
	if (!run->have_vlm || run->vlm.calls == 0)
		return "the model was never asked";
	return "the model gave no usable answer";
}

bool up_passed(const struct up_run *run, char *why, size_t bytes)
{
	const struct up_seen *seen = &run->seen;
	const char *allowed = excuse(run), *model = model_fault(run);
	const char *error = run->have_vlm ? run->vlm.last_error : "";
	snprintf(why, bytes, "%s", "");
	if (!run->as_asked)
		snprintf(why, bytes, "%s", run->end_reason);
	else if (run->have_truth && run->truth.contacts > 0)
		snprintf(why, bytes, "it touched something");
	else if (seen->dying[0] != '\0')
		snprintf(why, bytes, "%s", seen->dying);
	else if (seen->scans == 0)
		snprintf(why, bytes, "no scan has come");
	else if (seen->decisions == 0 && allowed == NULL)
		snprintf(why, bytes, "no decision was executed%s%s", model != NULL ? ": " : "",
		    model != NULL ? model : "");
	else if (model != NULL && seen->decisions > 0)
		snprintf(why, bytes, "%s (%llu calls)%s%s", model, (unsigned long long)run->vlm.calls,
		    error[0] != '\0' ? ": " : "", error);
	if (why[0] != '\0')
		return false;
	if (seen->decisions == 0)
		snprintf(why, bytes, "%s", allowed);
	return true;
}

int up_exit_status(const struct up_run *run)
{
	char why[256];
	return up_passed(run, why, sizeof(why)) ? 0 : 1;
}
