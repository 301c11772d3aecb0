/* agent_survey.c - a task that is a survey (survey.h): no model is asked; views are driven to one after the other, as decisions that the
 * sequencer judges. */
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"

#define LISTEN_S 10.0
#define GRAPHS 2 /* behind the last look: the first may be older than its pictures */
#define SETTLE_S 5.0
#define S(ns) ((double)(ns)*1e-9)

void agent_survey_begin(struct cairn_agent *a)
{
	a->survey = (struct agent_survey){.on = true};
	a->call = (struct cairn_agent_call){.ids.count = 0};
	snprintf(a->call.head.reasoning, sizeof(a->call.head.reasoning),
	    "to look at floor that no picture has shown");
	snprintf(a->act.what, sizeof(a->act.what), "look round");
	a->phase = AGENT_PHASE_ACTING;
	a->changed = true;
}

void agent_survey_text(const struct cairn_agent *a, char *ret, size_t bytes)
{
	const struct agent_survey *s = &a->survey;
	uint32_t known = a->world.scene.objects, looks = s->looks_before + s->core.looks;
	size_t n = (size_t)snprintf(ret, bytes, "looks %u", looks);
	if (s->has_known)
		n += (size_t)snprintf(ret + n, bytes - n, ", things found %u, known now %u",
		    known > s->known_before ? known - s->known_before : 0, known);
	if (s->core.closed > 0)
		(void)snprintf(
		    ret + n, bytes - n, "; pieces of floor that could not be looked at: %u", s->core.closed);
	else if (s->core.state == CAIRN_SURVEY_ENDED)
		(void)snprintf(ret + n, bytes - n, "; all the floor that can be looked at was");
}

/* What it goes by is known: pose, map and pictures. False: not yet, or (the task has ended) not at all. */
static bool has_begun(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_survey *s = &a->survey;
	const struct cairn_agent_world *w = &a->world;
	bool pictures = a->look_ns[0] != 0;
	if (s->core.coverage != NULL)
		return true;
	s->since_ns = s->since_ns == 0 ? now_ns : s->since_ns;
	bool late = S(now_ns - s->since_ns) > LISTEN_S;
	if (late && (!pictures || !w->has_grid)) {
		agent_end(a, CAIRN_AGENT_STATE_FAILED, CAIRN_AGENT_LIMIT_NONE,
		    pictures
			? "there is no map to look round by: is the stage mapper up?"
			: "no picture is searched for things: is there a camera, and the stage detector up?");
		return false;
	}
	if (a->drives_on || !w->has_pose || !w->has_grid || !pictures || (!w->has_scene && !late))
		return false;
	if (!s->has_known && w->has_scene) {
		s->has_known = true;
		s->known_before = w->scene.objects;
	}
	cairn_survey_begin(&s->core, w->coverage, a->all->robot.camera_yaw_rad);
	return true;
}

/* All was looked at: what the last look has shown gets into the graph, and is counted. */
static void finish(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_survey *s = &a->survey;
	char text[200], answer[256];
	if (s->t_over_ns == 0) {
		s->t_over_ns = now_ns;
		s->scenes_from = a->scenes;
	}
	if (a->scenes < s->scenes_from + GRAPHS && S(now_ns - s->t_over_ns) < SETTLE_S)
		return;
	agent_survey_text(a, text, sizeof(text));
	if (s->core.gave_up)
		snprintf(answer, sizeof(answer), "%.120s; then %u views in a row failed, the last: %.90s",
		    text, s->core.failed_in_row, s->why);
	else
		snprintf(answer, sizeof(answer), "%s", text);
	agent_end(a, s->core.gave_up ? CAIRN_AGENT_STATE_HANDOFF : CAIRN_AGENT_STATE_DONE,
	    CAIRN_AGENT_LIMIT_NONE, answer);
}

void agent_survey_tick(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_survey *s = &a->survey;
	if (!has_begun(a, now_ns) || !a->world.has_pose)
		return;
	struct cairn_survey_step step = cairn_survey_next(&s->core, a->world.robot, now_ns);
	if (step.act == CAIRN_SURVEY_OVER) {
		finish(a, now_ns);
		return;
	}
	if (step.act == CAIRN_SURVEY_GO || step.act == CAIRN_SURVEY_TURN)
		agent_send_way(a, step.to, step.act == CAIRN_SURVEY_TURN, now_ns);
	if (s->core.state == CAIRN_SURVEY_LOOKS)
		snprintf(a->act.what, sizeof(a->act.what), "look");
	snprintf(a->step, sizeof(a->step), "looks so far %u, views not reached %u",
	    s->looks_before + s->core.looks, s->core.failed);
}

void agent_survey_drove(struct cairn_agent *a, int64_t now_ns)
{
	enum cairn_survey_end end = a->act.held ? CAIRN_SURVEY_HELD
				    : a->act.ok ? CAIRN_SURVEY_DROVE
						: CAIRN_SURVEY_FAILED;
	if (end == CAIRN_SURVEY_FAILED)
		snprintf(a->survey.why, sizeof(a->survey.why), "%.90s", a->act.outcome);
	cairn_survey_ended(&a->survey.core, end, now_ns);
}
