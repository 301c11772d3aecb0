#include "procs/sequencer/report.h"

#include <string.h>

void report_result(const struct cairn_msg_result *r)
{
	cairn_log_info("decision %llu (%s) %s: %s; %s", (unsigned long long)r->decision_id,
	    cairn_enum_text(&cairn_enum_source, (int)r->source),
	    cairn_enum_text(&cairn_enum_outcome, (int)r->outcome), r->asked, r->reason);
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
static void tell_teleop(struct report *report, const struct cairn_sequencer *seq)
{
	const char *who = cairn_sequencer_steered_by(seq);
	bool begins = who != NULL && !report->steered;
	report->steered = who != NULL;
	if (!begins)
		return;
	struct cairn_msg_commanded done = {.ok = true};
	snprintf(done.service, sizeof(done.service), "%s", cairn_services[CAIRN_SERVICE_OPERATOR].name);
	snprintf(done.verb, sizeof(done.verb), "teleop");
	snprintf(done.who, sizeof(done.who), "%s", who);
	snprintf(done.text, sizeof(done.text), "steering by hand");
	cairn_stage_commanded(report->stage, &done);
}

void report_step(struct report *report, const struct cairn_sequencer *seq,
    const struct cairn_sequencer_output *was, const struct cairn_sequencer_output *is)
{
	tell_teleop(report, seq);
	cairn_stage_note(report->stage, is->mission.activity);
	if (is->mission.help[0] != '\0' && strcmp(is->mission.help, was->mission.help) != 0)
		cairn_log_warn("the model asks for help: %s", is->mission.help);
	cairn_stage_tried(report->stage, "trust the zones",
	    cairn_zone_doubt_text(cairn_sequencer_record(seq)->zones_doubt));
	log_changes(was, is);
	cairn_stage_core_rejects(report->stage, cairn_sequencer_rejects(seq));
}
