/* pilot_goal.c - a mission with a goal, as the scripted pilot pursues it: what the prompt names it reports, where that is it
 * drives to, and there it says that the goal is reached. It sees no pictures: what is near it knows from MEMORY. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/sim/pilot/pilot_private.h"

#define REACHED_M 1.0 /* of the place that the goal names; mission.goal_reached_m is farther */
#define NEAR_M 2.0    /* a thing from which it is reported */

/* "x 1.2 y -0.4 ..." */
void pilot_read_position(struct cairn_pilot_view *view, const char *line)
{
	view->has_position = sscanf(line, "x %lf y %lf", &view->x_m, &view->y_m) == 2;
}

/* What stands between the next two quotes; *at behind the second. Empty: there are none. */
static void read_quoted(const char **at, char *ret, size_t cap)
{
	const char *from = strchr(*at, '"'), *to = from != NULL ? strchr(from + 1, '"') : NULL;
	ret[0] = '\0';
	if (to == NULL) {
		*at += strlen(*at);
		return;
	}
	snprintf(ret, cap, "%.*s", (int)(to - from - 1), from + 1);
	*at = to + 1;
}

/* GOAL "find the kitchen": "kitchen" is at x 1.0 y 5.0, straight 90L 300 */
void pilot_read_goal(struct cairn_pilot_view *view, const char *line)
{
	read_quoted(&line, view->goal, sizeof(view->goal));
	const char *at = strstr(line, " is at x ");
	view->goal_known =
	    at != NULL && sscanf(at, " is at x %lf y %lf", &view->goal_x_m, &view->goal_y_m) == 2;
}

/* Here is "bathroom". The room "kitchen" is at x 5.7 y -1.6. Seen before, may have moved: red "umbrella stand" x 1.0 y -0.6; white "mirror" x 4.1 y -0.8 in "hall" */
void pilot_read_things(struct cairn_pilot_view *view, const char *line)
{
	if (strncmp(line, "Here is ", 8) == 0)
		read_quoted(&line, view->here, sizeof(view->here));
	const char *at =
	    strncmp(line, " The room ", 10) == 0 || strncmp(line, ". The room ", 11) == 0 ? line : NULL;
	if (at != NULL) {
		struct cairn_pilot_thing *t = &view->things[view->thing_count];
		read_quoted(&at, t->label, sizeof(t->label));
		t->room = true;
		view->thing_count += sscanf(at, " is at x %lf y %lf", &t->x_m, &t->y_m) == 2;
	}
	at = strstr(line, "Seen before");
	while (at != NULL && view->thing_count < CAIRN_PILOT_THINGS_MAX) {
		struct cairn_pilot_thing *t = &view->things[view->thing_count];
		read_quoted(&at, t->label, sizeof(t->label));
		if (t->label[0] == '\0' || sscanf(at, " x %lf y %lf", &t->x_m, &t->y_m) != 2)
			return;
		view->thing_count++;
		at = strchr(at, ';');
	}
}

static bool has_word(const char *text, const char *word, size_t n)
{
	for (const char *at = text; *at != '\0';) {
		size_t m = strcspn(at, " _");
		if (m == n && strncasecmp(at, word, n) == 0)
			return true;
		at += m + strspn(at + m, " _");
	}
	return false;
}

/* Does the goal have every word of the name? */
static bool names(const char *goal, const char *name)
{
	bool any = false;
	for (const char *at = name; *at != '\0';) {
		size_t n = strcspn(at, " _");
		if (n > 0 && !has_word(goal, at, n))
			return false;
		any |= n > 0;
		at += n + strspn(at + n, " _");
	}
	return any;
}

static void reached(struct cairn_pilot_choice *ret, const char *name)
{
	ret->call = (struct cairn_tool_call){
	    .tool = CAIRN_TOOL_STOP_ROBOT, .stop_reason = CAIRN_PILOT_STOP_GOAL_REACHED};
	snprintf(ret->text, sizeof(ret->text), "This is what the goal is about: %s.", name);
}

static void report(struct cairn_pilot_choice *ret, const char *name, enum cairn_significance significance)
{
	reached(ret, name);
	ret->has_report = true;
	ret->report =
	    (struct cairn_tool_call){.tool = CAIRN_TOOL_REPORT_DISCOVERY, .significance = (int)significance};
	snprintf(ret->report.label, sizeof(ret->report.label), "%s", name);
	snprintf(ret->report.notes, sizeof(ret->report.notes), "what the goal names, by the memory");
}

/* A way there was tried in vain lately, or what it said at the end was not taken. */
static bool in_vain(const struct cairn_pilot_view *view)
{
	for (uint32_t i = 0; i < view->action_count; i++) {
		const struct cairn_pilot_action *a = &view->actions[i];
		bool place =
		    a->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && a->frontier_id == 0 && a->candidate_id == 0;
		if ((place && a->outcome != CAIRN_OUTCOME_SUCCESS && a->outcome != CAIRN_OUTCOME_PARTIAL &&
			a->outcome != CAIRN_OUTCOME_REPLACED) ||
		    (a->tool == CAIRN_TOOL_STOP_ROBOT && a->outcome != CAIRN_OUTCOME_SUCCESS))
			return true;
	}
	return false;
}

static void drive_to(struct cairn_pilot_choice *ret, double x_m, double y_m)
{
	ret->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_COORDINATES,
	    .has_x = true,
	    .has_y = true,
	    .x_m = x_m,
	    .y_m = y_m};
	snprintf(ret->text, sizeof(ret->text), "I drive to where the goal is, at x %.1f y %.1f.", x_m, y_m);
}

/* Something that the memory knows is what the goal names: reported if the robot is there, driven to if it is a room. */
static bool pursue_memory(const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	if (names(view->goal, view->here)) {
		report(ret, view->here, CAIRN_SIGNIFICANCE_ROOM);
		return true;
	}
	for (uint32_t i = 0; i < view->thing_count; i++) {
		const struct cairn_pilot_thing *t = &view->things[i];
		bool here = hypot(t->x_m - view->x_m, t->y_m - view->y_m) <= (t->room ? REACHED_M : NEAR_M);
		if (!names(view->goal, t->label))
			continue;
		if (here)
			report(ret, t->label, t->room ? CAIRN_SIGNIFICANCE_ROOM : CAIRN_SIGNIFICANCE_OBJECT);
		else if (t->room && !in_vain(view))
			drive_to(ret, t->x_m, t->y_m);
		else
			continue;
		return true;
	}
	return false;
}

bool pilot_pursue_goal(const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	if (view->goal[0] == '\0' || !view->has_position)
		return false;
	if (!view->goal_known)
		return pursue_memory(view, ret);
	if (hypot(view->goal_x_m - view->x_m, view->goal_y_m - view->y_m) <= REACHED_M) {
		reached(ret, view->goal);
		return true;
	}
	if (in_vain(view))
		return false;
	drive_to(ret, view->goal_x_m, view->goal_y_m);
	return true;
}
