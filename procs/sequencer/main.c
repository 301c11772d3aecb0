/* sequencer - accepts, modifies, refuses and explains; the thin shell around common/sequencer/sequencer.h.
 *
 * What it reads and writes is the table in sequencer_ports.c; it serves `operator`. What it must know after a kill is in
 * RUN/state (store.h). */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/sequencer/sequencer_ports.h"
#include "procs/sequencer/store.h"
#include "procs/shell/stage.h"

#define STEP_MS 50

struct app {
	struct cairn_stage *stage;
	struct cairn_sequencer *seq;
	struct cairn_outbox *outbox;
	bool steered; /* by hand, at the last step */
	struct cairn_sequencer_output out;
	struct store store;
};

static bool open_core(struct app *app)
{
	struct cairn_mission_record record;
	store_open(&app->store, app->stage);
	bool again = store_load_mission(&app->store, &record);
	if (again)
		cairn_log_info("going on: %s (%s), %llu decisions so far",
		    cairn_enum_text(&cairn_enum_mission_state, (int)record.state), record.reason,
		    (unsigned long long)record.decisions);
	app->seq =
	    cairn_sequencer_new(cairn_stage_config(app->stage), again ? &record : NULL, cairn_now_ns());
	if (app->seq == NULL)
		return false;
	const struct cairn_zone_file *kept;
	/* One that was killed has its zones in the mission's record. */
	if (!again && store_load_zones(&app->store, &kept)) {
		cairn_log_info("%u of %u zones of the map are kept",
		    cairn_sequencer_keep_zones(app->seq, &kept->zones), kept->zones.items_count);
		cairn_sequencer_zones_saved(app->seq, kept->map_id, kept->doubt);
	}
	return true;
}

/* ---- out ---- */

static void send_results(struct app *app, int64_t now_ns)
{
	struct cairn_msg_result r;
	while (cairn_sequencer_next_result(app->seq, &r)) {
		cairn_log_info("decision %llu (%s) %s: %s; %s", (unsigned long long)r.decision_id,
		    cairn_enum_text(&cairn_enum_source, (int)r.source),
		    cairn_enum_text(&cairn_enum_outcome, (int)r.outcome), r.asked, r.reason);
		cairn_outbox_put(app->outbox, CAIRN_TOPIC_RESULT, &r, true, now_ns);
	}
}

static void log_changes(const struct cairn_sequencer_output *was, const struct cairn_sequencer_output *is)
{
	if (was->mission.state != is->mission.state || strcmp(was->mission.reason, is->mission.reason) != 0)
		cairn_log_info("mission %s: %s",
		    cairn_enum_text(&cairn_enum_mission_state, (int)is->mission.state), is->mission.reason);
	bool quiet = is->tier.tier == CAIRN_TIER_NORMAL || is->tier.tier == CAIRN_TIER_COASTING;
	bool was_quiet = was->tier.tier == CAIRN_TIER_NORMAL || was->tier.tier == CAIRN_TIER_COASTING;
	if (was->tier.tier != is->tier.tier && !(quiet && was_quiet))
		cairn_log_info(
		    "tier %s: %s", cairn_enum_text(&cairn_enum_tier, (int)is->tier.tier), is->tier.reason);
}

/* Who takes hold of the robot stands in the list of commands, beside the others who told it to drive. */
static void tell_teleop(struct app *app)
{
	const char *who = cairn_sequencer_steered_by(app->seq);
	bool begins = who != NULL && !app->steered;
	app->steered = who != NULL;
	if (!begins)
		return;
	struct cairn_msg_commanded done = {.ok = true};
	snprintf(done.service, sizeof(done.service), "%s", cairn_services[CAIRN_SERVICE_OPERATOR].name);
	snprintf(done.verb, sizeof(done.verb), "teleop");
	snprintf(done.who, sizeof(done.who), "%s", who);
	snprintf(done.text, sizeof(done.text), "steering by hand");
	cairn_stage_commanded(app->stage, &done);
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_sequencer_output was = app->out;
	int64_t now_ns = cairn_now_ns();
	cairn_sequencer_step(app->seq, now_ns, &app->out);
	cairn_sequencer_put(app->seq, &app->out, app->outbox, now_ns);
	send_results(app, now_ns);
	cairn_sequencer_put_skills(app->seq, app->outbox, now_ns);
	tell_teleop(app);
	cairn_stage_note(app->stage, app->out.mission.activity);
	if (app->out.mission.help[0] != '\0' && strcmp(app->out.mission.help, was.mission.help) != 0)
		cairn_log_warn("the model asks for help: %s", app->out.mission.help);
	const char *doubt = cairn_zone_doubt_text(cairn_sequencer_record(app->seq)->zones_doubt);
	cairn_stage_tried(app->stage, "trust the zones", doubt[0] != '\0' ? doubt : NULL);
	if (store_due(&app->store, app->out.record_changed, now_ns))
		store_save(&app->store, app->seq, now_ns);
	log_changes(&was, &app->out);
	cairn_stage_core_rejects(app->stage, cairn_sequencer_rejects(app->seq));
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	cairn_sequencer_on_command(app->seq, cmd, cairn_now_ns(), reply);
	on_step(app); /* a stop does not wait for the next tick */
}

static int on_decision(void *ctx)
{
	struct app *app = ctx;
	send_results(app, cairn_now_ns());
	cairn_sequencer_put_skills(app->seq, app->outbox, cairn_now_ns());
	return 0;
}

/* ---- arms that are moved by programs outside ---- */

static bool take_arm(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)now_ns;
	cairn_sequencer_on_skills(core, message, hdr->t_ns);
	return true;
}

static bool take_arm_done(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr;
	cairn_sequencer_on_skill_done(core, message, now_ns);
	return true;
}

static const struct cairn_in arms[] = {
    {CAIRN_TOPIC_ARM, CAIRN_ACCEPT_PLAUSIBLE, take_arm},
    {CAIRN_TOPIC_ARM_DONE, CAIRN_ACCEPT_PLAUSIBLE, take_arm_done},
    {.take = NULL},
};

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	if (!open_core(app) || !cairn_stage_declared_inputs(stage, arms, app->seq, on_decision, app, err))
		return false;
	app->outbox = cairn_stage_outputs(stage, cairn_sequencer_out);
	cairn_stage_inputs(stage, cairn_sequencer_in, app->seq, on_decision, app);
	cairn_stage_serve(stage, CAIRN_SERVICE_OPERATOR, on_command, app);
	cairn_stage_every(stage, STEP_MS, on_step, app);
	return true;
}

static void stand_still(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_cmd_vel stand = {0};
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_CMD_VEL, &stand, true, cairn_now_ns());
	store_save(&app->store, app->seq, cairn_now_ns());
	poll(NULL, 0, 10); /* closing at once would drop it; the dead man covers the rest */
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_sequencer_destroy(&app->seq);
}

CAIRN_STAGE_MAIN("cairn-sequencer", "accepts, modifies, refuses and explains decisions", struct app,
    .open = open_all, .ended = stand_still, .close = close_all, .urgent = true)
