/* arena_judge.c - cycles, choices, and what a run has to show. */
#include <math.h>
#include <string.h>

#include "common/eval/arena.h"

#define SAME_M 0.30  /* the same place */
#define OTHER_M 0.60 /* another place */
#define INCOHERENT_MAX 1

static const char *const mode_names[CAIRN_ARENA_MODE_COUNT] = {"gt", "vision"};

const char *cairn_arena_mode_name(enum cairn_arena_mode mode)
{
	return mode_names[mode];
}

int cairn_arena_mode_parse(const char *name)
{
	for (int i = 0; i < CAIRN_ARENA_MODE_COUNT; i++)
		if (strcmp(mode_names[i], name) == 0)
			return i;
	return -1;
}

static double apart(struct cairn_vec2 a, struct cairn_vec2 b)
{
	return hypot(a.x_m - b.x_m, a.y_m - b.y_m);
}

static void begin_anew(struct cairn_arena_cycles *c, struct cairn_vec2 at)
{
	c->placed = true;
	c->place = at;
	c->idle = 0;
}

void cairn_arena_cycles_rest(struct cairn_arena_cycles *c, struct cairn_vec2 at)
{
	if (c->idle < CAIRN_ARENA_STUCK)
		begin_anew(c, at);
}

bool cairn_arena_cycles_add(
    struct cairn_arena_cycles *c, double way_m, double time_s, bool ended, struct cairn_vec2 at)
{
	c->since_m += way_m;
	c->since_s += time_s;
	if (!c->placed)
		begin_anew(c, at);
	/* Sums of small steps: what is a step but for the last bit of the number is one. */
	bool step = c->since_m >= CAIRN_ARENA_STEP_M - 1e-9, late = c->since_s >= CAIRN_ARENA_CYCLE_S - 1e-9;
	if (!step && !late && !ended)
		return false;
	c->count++;
	if (apart(at, c->place) >= CAIRN_ARENA_STEP_M)
		begin_anew(c, at);
	else
		c->idle++;
	c->idle_longest = c->idle > c->idle_longest ? c->idle : c->idle_longest;
	c->since_m = step ? fmax(c->since_m - CAIRN_ARENA_STEP_M, 0.0) : 0.0;
	c->since_s = 0.0;
	return true;
}

void cairn_arena_choices_add(struct cairn_arena_choices *c, struct cairn_vec2 goal)
{
	if (c->count > 0 && apart(goal, c->last[0]) <= SAME_M)
		return;
	if (c->count > 1 && !c->reached && apart(goal, c->last[1]) <= SAME_M &&
	    apart(c->last[0], c->last[1]) >= OTHER_M)
		c->dithers++;
	c->last[1] = c->last[0];
	c->last[0] = goal;
	c->reached = false;
	c->count++;
}

void cairn_arena_choices_at(struct cairn_arena_choices *c, struct cairn_vec2 place, double tolerance_m)
{
	if (c->count > 0 && apart(place, c->last[0]) <= tolerance_m)
		c->reached = true;
}

const struct cairn_arena_rule cairn_arena_rules[CAIRN_ARENA_CRITERIA] = {
    [CAIRN_ARENA_GOAL] = {"goal",
	"true distance to the goal at the end; a goal that cannot be reached: reported so with the reason (0 "
	"yes, 1 no)",
	"<=", 1.0, "m"},
    [CAIRN_ARENA_CONTACTS] = {"collisions",
	"times the disc of 0.15 m touched something, by the truth, looked at every 10 ms", "<=", 1.0, ""},
    [CAIRN_ARENA_KNOWN] = {"exploration", "share of the arena's floor that is known in the robot's map",
	">=", 100.0, "%"},
    [CAIRN_ARENA_CYCLES] = {"cycle limit", "cycles until the end", "<=", 1.0, ""},
    [CAIRN_ARENA_RECOVERY] = {"stuck recovery",
	"times stuck (4 cycles in a row that did not get 0.3 m away while on a way, or that decisions failed "
	"in) that did "
	"not end with getting away",
	"<=", 1.0, ""},
    [CAIRN_ARENA_COHERENCE] = {"decision coherence",
	"decisions that were refused (but where the place went from the list or the exploration ended while "
	"the answer was on its way), or "
	"took up again a goal that had been left for another one that was not reached",
	"<=", 1.0, ""},
};

static double goal_value(const struct cairn_arena *a, const struct cairn_arena_result *r)
{
	if (a->reachable)
		return r->given_up && !r->reached ? fmax(r->goal_m, a->tolerance_m + 0.01) : r->goal_m;
	return r->given_up && r->end[0] != '\0' ? 0.0 : 1.0;
}

bool cairn_arena_judge(const struct cairn_arena *a, const struct cairn_arena_result *r,
    struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA])
{
	bool passed = true;
	v[CAIRN_ARENA_GOAL] = (struct cairn_arena_verdict){.asked = a->has_goal,
	    .value = goal_value(a, r),
	    .threshold = a->reachable ? a->tolerance_m : 0.0};
	v[CAIRN_ARENA_CONTACTS] =
	    (struct cairn_arena_verdict){.asked = true, .value = r->contacts, .threshold = a->contacts_max};
	v[CAIRN_ARENA_KNOWN] = (struct cairn_arena_verdict){
	    .asked = a->known_share_min > 0.0, .value = r->known_share, .threshold = a->known_share_min};
	v[CAIRN_ARENA_CYCLES] =
	    (struct cairn_arena_verdict){.asked = true, .value = r->cycles, .threshold = a->cycles_max};
	v[CAIRN_ARENA_RECOVERY] = (struct cairn_arena_verdict){.asked = true, .value = r->stuck_left};
	v[CAIRN_ARENA_COHERENCE] = (struct cairn_arena_verdict){
	    .asked = true, .value = r->refused - r->gone + r->dithers, .threshold = INCOHERENT_MAX};
	for (int i = 0; i < CAIRN_ARENA_CRITERIA; i++) {
		bool least = cairn_arena_rules[i].sign[0] == '>';
		v[i].passed =
		    !v[i].asked || (least ? v[i].value >= v[i].threshold : v[i].value <= v[i].threshold);
		passed = passed && v[i].passed;
	}
	/* Out of cycles is no end, and to stand still is no way to pass. */
	return passed && r->over;
}
