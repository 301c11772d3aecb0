#include "common/eval/survey_run.h"

#include <stdio.h>

#include "common/agent/world_view.h"

#define EPOCH 1
#define TELL_NS (500 * CAIRN_NS_PER_MS)

bool cairn_survey_run_init(struct cairn_survey_run *s, const struct cairn_config *cfg)
{
	*s = (struct cairn_survey_run){.coverage = cairn_coverage_new()};
	if (s->coverage != NULL)
		cairn_survey_begin(&s->survey, s->coverage, cfg->robot.camera_yaw_rad);
	return s->coverage != NULL;
}

void cairn_survey_run_free(struct cairn_survey_run *s)
{
	cairn_coverage_free(&s->coverage);
}

void cairn_survey_run_on_picture(
    struct cairn_survey_run *s, const struct cairn_msg_detections *seen, int64_t t_ns)
{
	cairn_coverage_map(s->coverage, seen->map_id);
	cairn_coverage_on_picture(s->coverage, seen);
	cairn_survey_on_picture(&s->survey, t_ns);
}

void cairn_survey_run_on_grid(struct cairn_survey_run *s, const struct cairn_scene_grid *grid)
{
	cairn_coverage_on_grid(s->coverage, grid);
}

static void send(struct cairn_survey_run *s, struct cairn_run *run, const struct cairn_survey_step *step)
{
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	bool turns = step->act == CAIRN_SURVEY_TURN;
	struct cairn_msg_decision d = {.source = CAIRN_SOURCE_AGENT,
	    .tool = turns ? CAIRN_TOOL_ROTATE : CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .absolute = turns,
	    .angle_deg = turns ? cairn_agent_heading_deg(step->to.yaw_rad) : 0.0,
	    .goal_kind = CAIRN_GOAL_KIND_COORDINATES,
	    .x_m = step->to.x_m,
	    .y_m = step->to.y_m,
	    .id = (uint64_t)(cairn_run_now_ns(run) / 1000),
	    .t_snapshot_ns = cairn_run_now_ns(run),
	    .snapshot_x_m = p->x_m,
	    .snapshot_y_m = p->y_m,
	    .snapshot_yaw_rad = p->yaw_rad};
	s->decision_id = d.id;
	cairn_sequencer_on_agent_decision(cairn_run_sequencer(run), &d, EPOCH, d.t_snapshot_ns);
}

void cairn_survey_run_on_result(struct cairn_survey_run *s, const struct cairn_msg_result *r, int64_t now_ns)
{
	bool ok = r->outcome == CAIRN_OUTCOME_SUCCESS || r->outcome == CAIRN_OUTCOME_PARTIAL;
	if (s->decision_id == 0 || r->decision_id != s->decision_id || r->source != CAIRN_SOURCE_AGENT)
		return;
	s->decision_id = 0;
	cairn_survey_ended(&s->survey, ok ? CAIRN_SURVEY_DROVE : CAIRN_SURVEY_FAILED, now_ns);
}

/* The robot takes it as a task of its agent, who has to be heard. */
static bool tell(struct cairn_survey_run *s, struct cairn_run *run, int64_t now_ns)
{
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	if (!s->begun) {
		struct cairn_msg_command c = {.verb = "survey"};
		struct cairn_msg_reply reply;
		cairn_sequencer_on_command(cairn_run_sequencer(run), &c, now_ns, &reply);
		s->begun = reply.ok;
		s->t_told_ns = now_ns;
		return reply.ok;
	}
	if (now_ns - s->t_told_ns < TELL_NS)
		return true;
	struct cairn_msg_agent a = {.task_id = m->task_id, .state = CAIRN_AGENT_STATE_ACTING};
	cairn_sequencer_on_agent(cairn_run_sequencer(run), &a, now_ns);
	s->t_told_ns = now_ns;
	return m->state == CAIRN_MISSION_STATE_TASK;
}

bool cairn_survey_run_step(struct cairn_survey_run *s, struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	s->over = s->over || !tell(s, run, now_ns);
	if (s->over || s->decision_id != 0 ||
	    cairn_run_output(run)->mission.state != CAIRN_MISSION_STATE_TASK)
		return !s->over;
	struct cairn_survey_step step =
	    cairn_survey_next(&s->survey, (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad}, now_ns);
	s->over = step.act == CAIRN_SURVEY_OVER;
	if (step.act == CAIRN_SURVEY_GO || step.act == CAIRN_SURVEY_TURN)
		send(s, run, &step);
	return !s->over;
}
