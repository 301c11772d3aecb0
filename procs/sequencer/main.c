/* sequencer - accepts, modifies, refuses and explains; the thin shell around common/sequencer/sequencer.h.
 *
 * Reads decision, scan, pose, frontiers, candidates, nav.velocity, nav.status,
 * nav.path, motion, guard, discoveries, teleop and stages; serves `operator`;
 * writes cmd_vel, nav.goal, result, mission, tier, paths_clear and zones. What it must know after a kill is in
 * RUN/state (store.h). */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/sequencer/sequencer.h"
#include "procs/sequencer/store.h"
#include "procs/shell/stage.h"

#define STEP_MS 50
#define GOAL_PERIOD_NS (200 * CAIRN_NS_PER_MS)
#define MISSION_PERIOD_NS (200 * CAIRN_NS_PER_MS)
#define PATHS_PERIOD_NS (200 * CAIRN_NS_PER_MS)
#define TIER_PERIOD_NS (1000 * CAIRN_NS_PER_MS)

struct app {
	struct cairn_stage *stage;
	struct cairn_sequencer *seq;
	struct cairn_pub *cmd_vel, *nav_goal, *result, *mission, *tier, *zones, *paths_clear;
	struct cairn_sub *decision, *scan, *depth, *pose, *frontiers, *candidates, *nav_velocity, *nav_status,
	    *nav_path, *motion, *guard, *stages, *discoveries, *teleop[2];
	bool steered; /* by hand, at the last step */
	int64_t goal_due_ns, mission_due_ns, tier_due_ns, zones_due_ns, paths_due_ns;
	struct cairn_sequencer_output out;
	uint64_t rejects;
	struct store store;
	union { /* scratch for whatever arrives */
		struct cairn_msg_scan scan;
		struct cairn_msg_depth_scan depth;
		struct cairn_msg_frontiers frontiers;
		struct cairn_msg_candidates candidates;
		struct cairn_msg_decision decision;
		struct cairn_msg_stages stages;
		struct cairn_msg_nav_path path;
		struct cairn_msg_discoveries discoveries;
	} in;
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
		cairn_pub_send(app->result, &r, now_ns, true);
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

static bool due(int64_t *due_ns, int64_t period_ns, bool changed, int64_t now_ns)
{
	if (!changed && now_ns < *due_ns)
		return false;
	*due_ns = now_ns + period_ns;
	return true;
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_sequencer_output was = app->out;
	int64_t now_ns = cairn_now_ns();
	cairn_sequencer_step(app->seq, now_ns, &app->out);
	cairn_pub_send(app->cmd_vel, &app->out.cmd_vel, now_ns, true);
	send_results(app, now_ns);
	tell_teleop(app);
	if (due(&app->goal_due_ns, GOAL_PERIOD_NS, app->out.nav_goal_changed, now_ns))
		cairn_pub_send(app->nav_goal, &app->out.nav_goal, now_ns, true);
	if (due(&app->mission_due_ns, MISSION_PERIOD_NS, app->out.mission_changed, now_ns)) {
		cairn_pub_send(app->mission, &app->out.mission, now_ns, true);
		cairn_stage_note(app->stage, app->out.mission.activity);
		if (app->out.mission.help[0] != '\0' && strcmp(app->out.mission.help, was.mission.help) != 0)
			cairn_log_warn("the model asks for help: %s", app->out.mission.help);
	}
	if (due(&app->tier_due_ns, TIER_PERIOD_NS, app->out.tier_changed, now_ns))
		cairn_pub_send(app->tier, &app->out.tier, now_ns, true);
	if (due(&app->zones_due_ns, TIER_PERIOD_NS, app->out.record_changed, now_ns))
		cairn_pub_send(app->zones, cairn_sequencer_zones(app->seq), now_ns, true);
	struct cairn_msg_paths_clear paths;
	if (due(&app->paths_due_ns, PATHS_PERIOD_NS, false, now_ns) &&
	    cairn_sequencer_paths_clear(app->seq, now_ns, &paths))
		cairn_pub_send(app->paths_clear, &paths, now_ns, true);
	const char *doubt = cairn_zone_doubt_text(cairn_sequencer_record(app->seq)->zones_doubt);
	cairn_stage_tried(app->stage, "trust the zones", doubt[0] != '\0' ? doubt : NULL);
	if (store_due(&app->store, app->out.record_changed, now_ns))
		store_save(&app->store, app->seq, now_ns);
	log_changes(&was, &app->out);
	for (; app->rejects < cairn_sequencer_rejects(app->seq); app->rejects++)
		cairn_stage_count_reject(app->stage);
	return 0;
}

/* ---- in ---- */

/* Only what its sender calls valid, and not from the future: one such stamp would shut out all that follow.
 */
static bool usable(struct app *app, const struct cairn_header *hdr)
{
	if (hdr->valid && hdr->t_ns <= cairn_now_ns() + 50 * CAIRN_NS_PER_MS)
		return true;
	if (hdr->valid) /* not being valid is the sender's honest word, no fault */
		cairn_stage_count_reject(app->stage);
	return false;
}

static int on_decision(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->decision, &app->in.decision, &hdr) == 1) {
		if (!usable(app, &hdr))
			continue;
		cairn_sequencer_on_decision(app->seq, &app->in.decision, hdr.epoch, cairn_now_ns());
		send_results(app, cairn_now_ns());
	}
	return 0;
}

static int on_scan(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->scan, &app->in.scan, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_scan(app->seq, &app->in.scan, hdr.t_ns);
	}
	return 0;
}

static int on_depth(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->depth, &app->in.depth, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_depth(app->seq, &app->in.depth, hdr.t_ns);
	}
	return 0;
}

static int on_pose(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_pose pose;
	while (cairn_sub_recv(app->pose, &pose, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_pose(app->seq, &pose, hdr.t_ns);
	}
	return 0;
}

static int on_guard(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_guard guard;
	while (cairn_sub_recv(app->guard, &guard, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_guard(app->seq, &guard, hdr.t_ns);
	}
	return 0;
}

static int on_motion(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_motion motion;
	while (cairn_sub_recv(app->motion, &motion, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_motion(app->seq, &motion, hdr.t_ns);
	}
	return 0;
}

static int on_frontiers(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->frontiers, &app->in.frontiers, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_frontiers(app->seq, &app->in.frontiers, hdr.t_ns);
	}
	return 0;
}

static int on_candidates(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->candidates, &app->in.candidates, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_candidates(app->seq, &app->in.candidates, hdr.t_ns);
	}
	return 0;
}

static int on_nav_velocity(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_nav_velocity velocity;
	while (cairn_sub_recv(app->nav_velocity, &velocity, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_nav_velocity(app->seq, &velocity, hdr.t_ns);
	}
	return 0;
}

static int on_nav_status(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_nav_status status;
	while (cairn_sub_recv(app->nav_status, &status, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_nav_status(app->seq, &status, hdr.t_ns);
	}
	return 0;
}

static int on_nav_path(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->nav_path, &app->in.path, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_nav_path(app->seq, &app->in.path, hdr.t_ns);
	}
	return 0;
}

/* 0: from the page, 1: from `cairn teleop`. */
static int on_teleop(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	struct cairn_msg_teleop teleop;
	for (int from = 0; from < 2; from++) {
		while (cairn_sub_recv(app->teleop[from], &teleop, &hdr) == 1) {
			if (usable(app, &hdr))
				cairn_sequencer_on_teleop(app->seq, &teleop, from, hdr.t_ns);
		}
	}
	return 0;
}

static int on_stages(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->stages, &app->in.stages, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_stages(app->seq, &app->in.stages, hdr.t_ns);
	}
	return 0;
}

static int on_discoveries(void *ctx)
{
	struct app *app = ctx;
	struct cairn_header hdr;
	while (cairn_sub_recv(app->discoveries, &app->in.discoveries, &hdr) == 1) {
		if (usable(app, &hdr))
			cairn_sequencer_on_discoveries(app->seq, &app->in.discoveries, hdr.t_ns);
	}
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	cairn_sequencer_on_command(app->seq, cmd, cairn_now_ns(), reply);
	on_step(app); /* a stop does not wait for the next tick */
}

static void open_bus(struct app *app)
{
	struct cairn_stage *s = app->stage;
	app->cmd_vel = cairn_stage_publish(s, CAIRN_TOPIC_CMD_VEL);
	app->nav_goal = cairn_stage_publish(s, CAIRN_TOPIC_NAV_GOAL);
	app->result = cairn_stage_publish(s, CAIRN_TOPIC_RESULT);
	app->mission = cairn_stage_publish(s, CAIRN_TOPIC_MISSION);
	app->tier = cairn_stage_publish(s, CAIRN_TOPIC_TIER);
	app->zones = cairn_stage_publish(s, CAIRN_TOPIC_ZONES);
	app->paths_clear = cairn_stage_publish(s, CAIRN_TOPIC_PATHS_CLEAR);
	app->scan = cairn_stage_subscribe(s, CAIRN_TOPIC_SCAN, on_scan, app);
	app->depth = cairn_stage_subscribe(s, CAIRN_TOPIC_SCAN_DEPTH, on_depth, app);
	app->pose = cairn_stage_subscribe(s, CAIRN_TOPIC_POSE, on_pose, app);
	app->motion = cairn_stage_subscribe(s, CAIRN_TOPIC_MOTION, on_motion, app);
	app->guard = cairn_stage_subscribe(s, CAIRN_TOPIC_GUARD, on_guard, app);
	app->frontiers = cairn_stage_subscribe(s, CAIRN_TOPIC_FRONTIERS, on_frontiers, app);
	app->candidates = cairn_stage_subscribe(s, CAIRN_TOPIC_CANDIDATES, on_candidates, app);
	app->nav_velocity = cairn_stage_subscribe(s, CAIRN_TOPIC_NAV_VELOCITY, on_nav_velocity, app);
	app->nav_status = cairn_stage_subscribe(s, CAIRN_TOPIC_NAV_STATUS, on_nav_status, app);
	app->nav_path = cairn_stage_subscribe(s, CAIRN_TOPIC_NAV_PATH, on_nav_path, app);
	app->decision = cairn_stage_subscribe(s, CAIRN_TOPIC_DECISION, on_decision, app);
	app->discoveries = cairn_stage_subscribe(s, CAIRN_TOPIC_DISCOVERIES, on_discoveries, app);
	app->teleop[0] = cairn_stage_subscribe(s, CAIRN_TOPIC_TELEOP, on_teleop, app);
	app->teleop[1] = cairn_stage_subscribe(s, CAIRN_TOPIC_TELEOP_LOCAL, on_teleop, app);
	app->stages = cairn_stage_subscribe(s, CAIRN_TOPIC_STAGES, on_stages, app);
	cairn_stage_serve(s, CAIRN_SERVICE_OPERATOR, on_command, app);
	cairn_stage_every(s, STEP_MS, on_step, app);
}

int main(int argc, char **argv)
{
	int status = 1;
	struct app *app = calloc(1, sizeof(*app));
	if (app == NULL)
		return 1;
	app->stage = cairn_stage_start(
	    "cairn-sequencer", "accepts, modifies, refuses and explains decisions", argc, argv, &status);
	if (app->stage != NULL && open_core(app)) {
		open_bus(app);
		cairn_stage_urgent(app->stage);
		cairn_stage_ready(app->stage);
		status = cairn_stage_run(app->stage);
		struct cairn_msg_cmd_vel stand = {0};
		cairn_pub_send(app->cmd_vel, &stand, cairn_now_ns(), true);
		store_save(&app->store, app->seq, cairn_now_ns());
		poll(NULL, 0, 10); /* closing at once would drop it; the dead man covers the rest */
	}
	status = cairn_stage_finish(&app->stage, status);
	cairn_sequencer_destroy(&app->seq);
	free(app);
	return status;
}
