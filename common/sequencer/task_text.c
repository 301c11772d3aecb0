#include "common/sequencer/sequencer_private.h"

#include <stdio.h>

void seq_text_asked(const struct cairn_msg_decision *d, char *buf, size_t bytes)
{
	const char *tool = cairn_enum_text(&cairn_enum_tool, (int)d->tool);
	switch (d->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		snprintf(buf, bytes, "%s %s %s %.3g s", tool,
		    cairn_enum_text(&cairn_enum_direction, (int)d->direction),
		    cairn_enum_text(&cairn_enum_speed, (int)d->speed), d->duration_s);
		return;
	case CAIRN_TOOL_CHECK_PATH_CLEAR:
		snprintf(
		    buf, bytes, "%s %s", tool, cairn_enum_text(&cairn_enum_direction, (int)d->direction));
		return;
	case CAIRN_TOOL_FOLLOW_WALL:
		snprintf(buf, bytes, "%s %s %.3g m", tool,
		    cairn_enum_text(&cairn_enum_direction, (int)d->direction), d->distance_m);
		return;
	case CAIRN_TOOL_REQUEST_HELP:
		snprintf(buf, bytes, "%s: %.64s", tool, d->reason);
		return;
	case CAIRN_TOOL_ROTATE:
		snprintf(buf, bytes, d->absolute ? "%s to %.3g deg" : "%s %.3g deg", tool, d->angle_deg);
		return;
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
			snprintf(buf, bytes, "%s frontier %u", tool, d->frontier_id);
		else if (d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE)
			snprintf(buf, bytes, "%s candidate %u", tool, d->candidate_id);
		else if (d->goal_kind == CAIRN_GOAL_KIND_COORDINATES)
			snprintf(buf, bytes, "%s (%.2f, %.2f)", tool, d->x_m, d->y_m);
		else
			snprintf(buf, bytes, "%s %s", tool,
			    cairn_enum_text(&cairn_enum_goal_kind, (int)d->goal_kind));
		return;
	case CAIRN_TOOL_STOP_ROBOT:
	case CAIRN_TOOL_OBSERVE_SCENE:
	case CAIRN_TOOL_REPORT_DISCOVERY:
	case CAIRN_TOOL_DEFINE_ZONE:
	case CAIRN_TOOL_FIND_OBJECT_DISTANCE:
	case CAIRN_TOOL_COUNT:
		break;
	}
	snprintf(buf, bytes, "%s", tool);
}

void seq_text_executed(const struct seq_task *task, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "nothing was driven");
	if (seq_ops_of(task)->executed != NULL)
		seq_ops_of(task)->executed(task, buf, bytes);
}

/* The two clearest directions other than the one asked for, -1 where there is none. */
static void best_directions(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    const double free_m[CAIRN_DIRECTION_COUNT], int ret[2])
{
	ret[0] = ret[1] = -1;
	for (int i = 0; i < CAIRN_DIRECTION_COUNT; i++) {
		if ((d->tool == CAIRN_TOOL_MOVE_TOWARD && i == (int)d->direction) ||
		    free_m[i] < cairn_safe_from_body_m(seq->cfg, seq->cfg->safety.refuse_clearance_m) + 0.1)
			continue;
		if (ret[0] < 0 || free_m[i] > free_m[ret[0]]) {
			ret[1] = ret[0];
			ret[0] = i;
		} else if (ret[1] < 0 || free_m[i] > free_m[ret[1]]) {
			ret[1] = i;
		}
	}
}

/* Bytes used of buf. */
static size_t say_directions(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *buf, size_t bytes)
{
	double free_m[CAIRN_DIRECTION_COUNT];
	int best[2];
	size_t used = 0;
	cairn_safe_survey(seq->cfg, &seq->inputs.points, CAIRN_SAFE_HORIZON_M, free_m);
	best_directions(seq, d, free_m, best);
	for (int i = 0; i < 2 && best[i] >= 0 && used < bytes; i++)
		used += (size_t)snprintf(buf + used, bytes - used, "%s%s %s %s%.1f m", i > 0 ? ", " : "",
		    cairn_enum_text(&cairn_enum_direction, best[i]), i > 0 ? "for" : "is clear for",
		    free_m[best[i]] >= CAIRN_SAFE_HORIZON_M ? "at least " : "", free_m[best[i]]);
	return used < bytes ? used : bytes - 1;
}

#define REFUSED "; fallback refused: "

void seq_text_fallback_refused(char *reason, size_t cap, const char *why)
{
	char first[160];
	if (why[0] == '\0')
		return;
	size_t room = cap - sizeof(REFUSED), half = room / 2, n = strlen(why) < half ? strlen(why) : half;
	snprintf(first, sizeof(first), "%s", reason);
	snprintf(reason, cap, "%.*s" REFUSED "%.*s", (int)(room - n), first, (int)half, why);
}

void seq_text_suggestion(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *buf, size_t bytes)
{
	int frontier = cairn_frontier_blacklist_best(
	    &seq->mission.record.explore, &seq->offers.frontiers, seq->cfg->mission.frontier_min_width_m);
	const struct cairn_msg_frontier *f = frontier >= 0 ? &seq->offers.frontiers.items[frontier] : NULL;
	if (f != NULL && d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_FRONTIER &&
	    f->id == d->frontier_id)
		f = NULL;
	buf[0] = '\0';
	size_t used = seq->inputs.now.scan_ok ? say_directions(seq, d, buf, bytes) : 0;
	if (f != NULL && used < bytes)
		snprintf(buf + used, bytes - used, "%snavigate_to_goal frontier %u is %.1f m away",
		    used > 0 ? "; " : "", f->id, f->distance_m);
	else if (used == 0)
		snprintf(buf, bytes, "observe_scene, then try another way");
}
