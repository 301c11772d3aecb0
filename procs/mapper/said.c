/* said.c - what is told of the map beside its topics: each change once, in the log, the note and the stage's trouble. */
#include <inttypes.h>

#include "common/base/geom.h"
#include "procs/mapper/mapper_stage.h"

static void say_tracking(struct mapper_stage *s)
{
	const struct cairn_msg_pose *pose = &s->ports.pose;
	if (pose->tracking == s->said_tracking)
		return;
	s->said_tracking = pose->tracking;
	const char *word = cairn_enum_text(&cairn_enum_tracking, (int)pose->tracking);
	if (pose->tracking == CAIRN_TRACKING_GOOD)
		cairn_log_info("tracking %s at %.2f %.2f %.1f deg", word, pose->x_m, pose->y_m,
		    cairn_rad_to_deg(pose->yaw_rad));
	else
		cairn_log_warn("tracking %s at %.2f %.2f %.1f deg: quality %.2f", word, pose->x_m, pose->y_m,
		    cairn_rad_to_deg(pose->yaw_rad), pose->quality);
	cairn_stage_notef(s->stage, "tracking %s", word);
}

static void say_claims(struct mapper_stage *s)
{
	const struct cairn_mapper_ports *m = &s->ports;
	if (m->claims_updates == s->said_claims)
		return;
	s->said_claims = m->claims_updates;
	static const char fmt[] = "claims about the map: %d of %u taken";
	cairn_log_info(fmt, m->claims_taken, m->claims_offered);
	cairn_stage_notef(s->stage, fmt, m->claims_taken, m->claims_offered);
}

/* What has become of the place that somebody named. */
void said_hint(struct mapper_stage *s)
{
	double quality;
	char why[96];
	enum cairn_hint_state hint = cairn_mapper_hinted(s->ports.mapper, &quality);
	if (hint == s->hint_said)
		return;
	s->hint_said = hint;
	snprintf(why, sizeof(why),
	    "what the robot sees does not fit there (%.0f %%); it searches on by itself", 100.0 * quality);
	if (hint == CAIRN_HINT_MISFITS || hint == CAIRN_HINT_FITS)
		cairn_stage_tried(s->stage, "find the robot where it was said to be",
		    hint == CAIRN_HINT_MISFITS ? why : NULL);
}

void said_input(struct mapper_stage *s)
{
	say_tracking(s);
	said_hint(s);
	say_claims(s);
	cairn_stage_core_rejects(s->stage, s->ports.rejects);
}

void said_kept(struct mapper_stage *s)
{
	const struct cairn_msg_features *f = &s->ports.features;
	char why[96] = "";
	if (f->kept_map == CAIRN_KEPT_MAP_STATE_DIFFERS)
		snprintf(why, sizeof(why), "%.0f %% of it has changed; 'cairn up --fresh' begins anew",
		    100.0 * f->kept_map_changed);
	else if (f->kept_map == CAIRN_KEPT_MAP_STATE_LOST)
		snprintf(why, sizeof(why), "the robot is not found on it; 'cairn up --fresh' begins anew");
	cairn_stage_tried(s->stage, "trust the kept map", why);
	if (f->kept_map == s->kept_said)
		return;
	s->kept_said = f->kept_map;
	if (s->kept_said == CAIRN_KEPT_MAP_STATE_FITS)
		cairn_log_info("the kept map fits: %.0f %% of it has changed", 100.0 * f->kept_map_changed);
}

void said_candidates(struct mapper_stage *s)
{
	if (s->ports.candidates.stuck != s->said_stuck)
		cairn_log_info(
		    s->said_stuck ? "not stuck any more, %u places" : "stuck: %u places are offered",
		    s->ports.candidates.items_count);
	s->said_stuck = s->ports.candidates.stuck;
}

void said_at_end(void *ctx)
{
	struct mapper_stage *s = ctx;
	(void)map_file_checkpoint(s);
	struct cairn_mapper_counts c = cairn_mapper_counts(s->ports.mapper);
	cairn_log_info("%" PRIu64 " scans, %" PRIu64 " matched, %" PRIu64 " entered, %" PRIu64
		       " refused, %" PRIu64 " wild odometry steps, %" PRIu64
		       " loops closed, found again %" PRIu64 " times",
	    c.scans, c.matched, c.inserted, c.refused, c.wild, c.loops, c.found);
}
