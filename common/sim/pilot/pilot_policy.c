#include "common/sim/pilot/pilot_private.h"

#include <math.h>
#include <string.h>

#define TURN_COST_M_PER_DEG 0.012 /* turning round costs a car as much as driving about 2 m */
#define DOORWAY_BONUS_M 0.3
#define FAILED_COST_M 5.0
#define SEEN_COST_M 3.0 /* reached, and still in the list */
#define NARROW_M 0.7    /* slits between furniture hide little */
#define NARROW_COST 2.0
#define NEXT_BONUS 0.4 /* what the round is best gone on with */
#define FAILED 0.4     /* what a failure takes away: worth another try where nothing else opens */
#define CRAWLED_M 1.0  /* a stretch that drove less than this may never get there */
#define DITHER_M 0.3   /* another frontier must be better than the one driven to by this */
#define DITHER 0.05    /* the same of candidates, in score */
#define GAP_SHARE 0.04 /* now and then an open gap instead of a frontier */

void cairn_pilot_init(struct cairn_pilot *pilot, enum cairn_choice_pilot profile, uint64_t seed)
{
	*pilot = (struct cairn_pilot){.profile = profile};
	cairn_rng_seed(&pilot->rng, seed, 11);
}

/* ---- making calls ---- */

static void move(struct cairn_pilot_choice *c, int direction, enum cairn_speed speed, double duration_s)
{
	c->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_MOVE_TOWARD,
	    .direction = direction,
	    .speed = (int)speed,
	    .duration_s = fmin(fmax(round(duration_s * 2.0) / 2.0, 1.0), 8.0)};
}

static void go_to_frontier(struct cairn_pilot_choice *c, uint32_t id)
{
	c->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_FRONTIER,
	    .frontier_id = id,
	    .has_frontier_id = true};
}

static void rotate(struct cairn_pilot_choice *c, double angle_deg)
{
	c->call = (struct cairn_tool_call){
	    .tool = CAIRN_TOOL_ROTATE, .angle_deg = angle_deg, .has_angle_deg = true};
}

static void report_room(struct cairn_pilot_choice *c, const char *label, const char *notes)
{
	c->has_report = true;
	c->report = (struct cairn_tool_call){
	    .tool = CAIRN_TOOL_REPORT_DISCOVERY, .significance = CAIRN_SIGNIFICANCE_ROOM};
	snprintf(c->report.label, sizeof(c->report.label), "%s", label);
	snprintf(c->report.notes, sizeof(c->report.notes), "%s", notes);
}

/* ---- judging ---- */

static bool bad(enum cairn_outcome outcome)
{
	return outcome == CAIRN_OUTCOME_BLOCKED || outcome == CAIRN_OUTCOME_FAILED ||
	       outcome == CAIRN_OUTCOME_REFUSED;
}

/* Cost of a frontier in metres of driving; lower is better. */
static double frontier_cost(const struct cairn_pilot_view *view, const struct cairn_pilot_frontier *f)
{
	double cost = f->path_m + TURN_COST_M_PER_DEG * fabs(f->bearing_deg) - 0.1 * fmin(f->width_m, 2.0);
	if (f->id == view->driven_frontier_id)
		cost -= DITHER_M;
	if (f->kind == CAIRN_FRONTIER_KIND_DOORWAY)
		cost -= DOORWAY_BONUS_M;
	cost += NARROW_COST * fmax(NARROW_M - f->width_m, 0.0);
	for (uint32_t i = 0; i < view->action_count; i++) {
		const struct cairn_pilot_action *a = &view->actions[i];
		if (a->frontier_id != f->id || a->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
			continue;
		double recency = 1.0 / (1.0 + i);
		if (bad(a->outcome))
			cost += FAILED_COST_M * (0.5 + recency);
		else if (a->outcome == CAIRN_OUTCOME_SUCCESS)
			cost += SEEN_COST_M * recency;
		else if (i == 0)
			cost -= DITHER_M; /* half way there */
	}
	return cost;
}

static bool frontier_failed(const struct cairn_pilot_view *view, uint32_t id)
{
	for (uint32_t i = 0; i < view->action_count; i++) {
		if (view->actions[i].frontier_id == id && bad(view->actions[i].outcome))
			return true;
	}
	return false;
}

static const struct cairn_pilot_frontier *best_frontier(const struct cairn_pilot_view *view)
{
	const struct cairn_pilot_frontier *best = NULL;
	double best_cost = INFINITY;
	for (uint32_t i = 0; i < view->frontier_count; i++) {
		double cost = frontier_cost(view, &view->frontiers[i]);
		if (cost < best_cost) {
			best_cost = cost;
			best = &view->frontiers[i];
		}
	}
	return best;
}

/* The direction to get out by: most feasible, not the one that has just failed, ahead rather than behind. -1
 * if none is. */
static int way_out(const struct cairn_pilot_view *view)
{
	static const double liking[CAIRN_DIRECTION_COUNT] = {0.10, 0.05, 0.05, 0.0, 0.0, 0.02};
	int best = -1;
	double best_value = 0.2;
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		double value = view->feasibility[d] + liking[d];
		for (uint32_t i = 0; i < view->action_count && i < 2; i++) {
			const struct cairn_pilot_action *a = &view->actions[i];
			if (a->tool == CAIRN_TOOL_MOVE_TOWARD && a->direction == d && bad(a->outcome))
				value -= 0.5;
		}
		if (view->has_feasibility && value > best_value) {
			best_value = value;
			best = d;
		}
	}
	return best;
}

static int direction_of(double bearing_deg)
{
	if (fabs(bearing_deg) > 120.0)
		return CAIRN_DIRECTION_BACKWARD;
	if (fabs(bearing_deg) < 15.0)
		return CAIRN_DIRECTION_FORWARD;
	if (fabs(bearing_deg) < 50.0)
		return bearing_deg > 0.0 ? CAIRN_DIRECTION_FORWARD_LEFT : CAIRN_DIRECTION_FORWARD_RIGHT;
	return bearing_deg > 0.0 ? CAIRN_DIRECTION_LEFT : CAIRN_DIRECTION_RIGHT;
}

/* ---- profiles ---- */

static void escape(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	int d = way_out(view);
	if (d >= 0) {
		bool tight = view->nearest_m >= 0.0 && view->nearest_m < 0.5;
		move(ret, d, tight ? CAIRN_SPEED_SLOW : CAIRN_SPEED_MEDIUM, 3.0);
		snprintf(ret->text, sizeof(ret->text),
		    "The last attempts did not get through. The way %s is the most open one, so I move there "
		    "first.",
		    cairn_enum_text(&cairn_enum_direction, d));
	} else {
		rotate(ret, cairn_rng_uniform(&pilot->rng) < 0.5 ? 90.0 : -90.0);
		snprintf(
		    ret->text, sizeof(ret->text), "No direction is open enough. I turn to find another way.");
	}
}

static void without_frontier(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	for (uint32_t i = 0; i < view->gap_count; i++) {
		const struct cairn_pilot_gap *g = &view->gaps[i];
		int d = direction_of(g->bearing_deg);
		if (view->feasibility[d] < 0.4 || !(g->distance_m > 0.3))
			continue;
		move(ret, d, CAIRN_SPEED_MEDIUM, fmin(g->distance_m, 1.0) / 0.12);
		snprintf(ret->text, sizeof(ret->text),
		    "No frontier is listed, but there is a gap of %.2f m at %.0f degrees %s. I look into it.",
		    g->width_m, fabs(g->bearing_deg), g->bearing_deg > 0.0 ? "left" : "right");
		return;
	}
	bool looked = view->action_count > 0 && view->actions[0].tool == CAIRN_TOOL_ROTATE;
	if (!looked && view->nearest_m > 0.4) {
		rotate(ret, view->sector_m[3] > view->sector_m[9] ? 90.0 : -90.0);
		snprintf(ret->text, sizeof(ret->text),
		    "No frontier is listed. I turn to look at the rest of the room.");
		return;
	}
	escape(pilot, view, ret);
}

static bool wedged(const struct cairn_pilot_view *view)
{
	return view->action_count >= 2 && bad(view->actions[0].outcome) && bad(view->actions[1].outcome) &&
	       view->actions[0].tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && view->actions[0].distance_m < 0.1 &&
	       view->actions[1].distance_m < 0.1;
}

static void add_report(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	char label[32];
	bool through = pilot->last_was_doorway && view->action_count > 0 &&
		       view->actions[0].outcome == CAIRN_OUTCOME_SUCCESS &&
		       view->actions[0].frontier_id == (uint32_t)pilot->last.call.frontier_id;
	if (view->room_count == 0) {
		report_room(ret, "start room", "where the exploration began");
	} else if (through) {
		snprintf(label, sizeof(label), "room %u", view->room_count + 1);
		report_room(ret, label, "entered through a doorway");
	}
}

static void sensible(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	const struct cairn_pilot_frontier *f = best_frontier(view);
	bool doorway = false, driven = f != NULL && f->id == view->driven_frontier_id;
	if (pilot_pursue_goal(view, ret))
		return;
	if (f == NULL) {
		without_frontier(pilot, view, ret);
	} else if (wedged(view) || (!driven && frontier_failed(view, f->id) &&
				       view->actions[0].tool == CAIRN_TOOL_NAVIGATE_TO_GOAL)) {
		escape(pilot, view, ret);
	} else {
		int d = direction_of(f->bearing_deg);
		bool ahead = d <= CAIRN_DIRECTION_FORWARD_RIGHT && view->sector_m[0] > 2.0 &&
			     view->feasibility[d] > 0.7;
		if (ahead && !driven && f->path_m < 3.0 && cairn_rng_uniform(&pilot->rng) < GAP_SHARE) {
			move(ret, d, CAIRN_SPEED_FAST, 5.0);
			snprintf(ret->text, sizeof(ret->text),
			    "The floor towards F%u is open. I simply drive on %s.", f->id,
			    cairn_enum_text(&cairn_enum_direction, d));
		} else {
			const char *kind = cairn_enum_text(&cairn_enum_frontier_kind, (int)f->kind);
			go_to_frontier(ret, f->id);
			doorway = f->kind == CAIRN_FRONTIER_KIND_DOORWAY;
			snprintf(ret->text, sizeof(ret->text),
			    "F%u (%s) opens the most unknown floor for the least driving.", f->id, kind);
		}
	}
	add_report(pilot, view, ret);
	pilot->last_was_doorway = doorway;
}

/* What the last actions and the kind say beside its score; more is better. */
static double candidate_value(const struct cairn_pilot_view *view, const struct cairn_pilot_candidate *c)
{
	static const double liking[CAIRN_CANDIDATE_KIND_COUNT] = {
	    [CAIRN_CANDIDATE_KIND_RECOVERY] = -0.3, /* leads to nothing new by itself */
	    [CAIRN_CANDIDATE_KIND_WAYPOINT] = -0.3,
	};
	double value = c->score + liking[c->kind] + (c->next ? NEXT_BONUS : 0.0);
	int tried = 0;
	if (view->stuck && c->kind == CAIRN_CANDIDATE_KIND_RECOVERY)
		value = c->score + 1.0;
	if (c->id == view->driven_candidate_id ||
	    (c->frontier_id != 0 && c->frontier_id == view->driven_frontier_id))
		value += DITHER;
	for (uint32_t i = 0; i < view->action_count; i++) {
		const struct cairn_pilot_action *a = &view->actions[i];
		bool same =
		    a->candidate_id == c->id || (a->frontier_id != 0 && a->frontier_id == c->frontier_id);
		if (!same || a->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
			continue;
		if (bad(a->outcome))
			value -= FAILED / (1.0 + i);
		else if (a->outcome == CAIRN_OUTCOME_SUCCESS)
			value -= 0.5 / (1.0 + i);
		else if (a->outcome == CAIRN_OUTCOME_PARTIAL && a->distance_m < CRAWLED_M)
			value -= tried++ > 0 ? 0.15 : 0.0; /* on the way, but not getting there */
	}
	return value;
}

static void hybrid(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	const struct cairn_pilot_candidate *best = NULL;
	if (pilot_pursue_goal(view, ret))
		return;
	double best_value = 0.0; /* anything below has failed, or is not worth the way */
	for (uint32_t i = 0; i < view->candidate_count; i++) {
		double value = candidate_value(view, &view->candidates[i]);
		if (value > best_value) {
			best_value = value;
			best = &view->candidates[i];
		}
	}
	if (best == NULL) {
		sensible(pilot, view, ret);
		return;
	}
	const char *kind = cairn_enum_text(&cairn_enum_candidate_kind, (int)best->kind);
	ret->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_CANDIDATE,
	    .candidate_id = best->id,
	    .has_candidate_id = true};
	snprintf(ret->text, sizeof(ret->text),
	    "C%u (%s, %.1f m along the path) has a score of %.2f, the best by that and by what became of it.",
	    best->id, kind, best->path_m, best->score);
	if (view->room_count == 0)
		report_room(ret, "start room", "where the exploration began");
	pilot->last_was_doorway = false;
}

static void random_call(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	struct cairn_rng *rng = &pilot->rng;
	uint32_t kind = cairn_rng_u32(rng) % 4;
	if (kind == 0 && view->frontier_count > 0)
		go_to_frontier(ret, view->frontiers[cairn_rng_u32(rng) % view->frontier_count].id);
	else if (kind == 1)
		rotate(
		    ret, (cairn_rng_u32(rng) % 2 != 0 ? 45.0 : -45.0) * (1 + (int)(cairn_rng_u32(rng) % 4)));
	else if (kind == 2 && cairn_rng_uniform(rng) < 0.2)
		ret->call = (struct cairn_tool_call){
		    .tool = CAIRN_TOOL_STOP_ROBOT, .stop_reason = (int)(cairn_rng_u32(rng) % 5)};
	else
		move(ret, (int)(cairn_rng_u32(rng) % CAIRN_DIRECTION_COUNT),
		    (enum cairn_speed)(cairn_rng_u32(rng) % 3), 1.0 + 7.0 * cairn_rng_uniform(rng));
	snprintf(ret->text, sizeof(ret->text), "A random choice.");
}

/* Fast, as long as allowed, to where it is least feasible. */
static void unsafe(const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	int worst = 0;
	for (int d = 1; d < CAIRN_DIRECTION_COUNT; d++) {
		if (view->feasibility[d] < view->feasibility[worst])
			worst = d;
	}
	move(ret, worst, CAIRN_SPEED_FAST, 8.0);
	snprintf(
	    ret->text, sizeof(ret->text), "Full speed %s.", cairn_enum_text(&cairn_enum_direction, worst));
}

void cairn_pilot_choose_as(struct cairn_pilot *pilot, enum cairn_choice_pilot profile,
    const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	*ret = (struct cairn_pilot_choice){0};
	switch (profile) {
	case CAIRN_CHOICE_PILOT_FORWARD:
		move(ret, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_MEDIUM, 3.0);
		snprintf(ret->text, sizeof(ret->text), "Straight on.");
		break;
	case CAIRN_CHOICE_PILOT_RANDOM:
		random_call(pilot, view, ret);
		break;
	case CAIRN_CHOICE_PILOT_FLIP:
		move(ret, pilot->choices % 2 == 0 ? CAIRN_DIRECTION_LEFT : CAIRN_DIRECTION_RIGHT,
		    CAIRN_SPEED_MEDIUM, 2.0);
		snprintf(ret->text, sizeof(ret->text), "The other way looks better.");
		break;
	case CAIRN_CHOICE_PILOT_UNSAFE:
		unsafe(view, ret);
		break;
	case CAIRN_CHOICE_PILOT_REPEAT:
		if (pilot->has_last)
			*ret = pilot->last;
		else
			sensible(pilot, view, ret);
		break;
	case CAIRN_CHOICE_PILOT_IDLE:
		ret->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_STOP_ROBOT};
		snprintf(ret->text, sizeof(ret->text), "I stay here and watch.");
		break;
	case CAIRN_CHOICE_PILOT_HYBRID:
		hybrid(pilot, view, ret);
		break;
	case CAIRN_CHOICE_PILOT_SENSIBLE:
	case CAIRN_CHOICE_PILOT_SCHOLAR: /* of who explores; tasks: pilot_scholar.c */
	case CAIRN_CHOICE_PILOT_COUNT:
		sensible(pilot, view, ret);
		break;
	}
	snprintf(ret->call.reasoning, sizeof(ret->call.reasoning), "%s", ret->text);
	if (ret->has_report)
		snprintf(ret->report.reasoning, sizeof(ret->report.reasoning), "%s", ret->report.notes);
	pilot->choices++;
	pilot->last = *ret;
	pilot->has_last = true;
}

void cairn_pilot_choose(
    struct cairn_pilot *pilot, const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret)
{
	cairn_pilot_choose_as(pilot, pilot->profile, view, ret);
}
