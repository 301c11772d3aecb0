#include "common/eval/safety_cost.h"

#include <stdlib.h>
#include <string.h>

#define LEG_MAX_S 90.0
#define NEAR_M 0.08 /* beyond the tolerance */
#define MOVING_MPS 0.02
#define ROOM_M 0.45 /* a goal is this far from everything */
#define STEP_M 0.20

struct tour {
	const struct cairn_vec2 *goals; /* map frame */
	uint32_t count, at;
	bool chain, begun;
	double leg_from_s, moved_s;              /* moved: negative until it moves */
	double took_s[CAIRN_PROGRESS_GOALS_MAX]; /* negative: not reached */
	double near_m;
};

static bool decide(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	struct tour *t = ctx;
	(void)run, (void)view;
	if (t->chain || t->at >= t->count)
		return false; /* the operator sends the robot */
	ret->tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	ret->goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	ret->x_m = t->goals[t->at].x_m;
	ret->y_m = t->goals[t->at].y_m;
	return true;
}

static void next_leg(struct tour *t, double now_s, double took_s)
{
	t->took_s[t->at++] = took_s;
	t->leg_from_s = now_s;
	t->moved_s = -1.0;
	t->begun = false;
}

static bool observe(void *ctx, struct cairn_run *run)
{
	struct tour *t = ctx;
	double now_s = cairn_run_elapsed_s(run);
	if (t->at >= t->count)
		return false;
	if (t->chain && !t->begun && now_s > 1.0) {
		struct cairn_msg_command cmd = {.x_m = t->goals[t->at].x_m, .y_m = t->goals[t->at].y_m};
		struct cairn_msg_reply reply;
		snprintf(cmd.verb, sizeof(cmd.verb), "goto");
		cairn_sequencer_on_command(cairn_run_sequencer(run), &cmd, cairn_run_now_ns(run), &reply);
		t->begun = reply.ok;
	}
	if (t->moved_s < 0.0 && fabs(cairn_run_truth(run)->body.v_mps) > MOVING_MPS)
		t->moved_s = now_s;
	struct cairn_pose2 at = cairn_run_true_pose(run);
	if (hypot(at.x_m - t->goals[t->at].x_m, at.y_m - t->goals[t->at].y_m) <= t->near_m)
		next_leg(t, now_s, t->moved_s < 0.0 ? 0.0 : now_s - t->moved_s);
	else if (now_s - t->leg_from_s > LEG_MAX_S)
		next_leg(t, now_s, -1.0);
	return true;
}

static bool drive(const struct cairn_config *cfg, const struct cairn_world *world, struct tour *t,
    uint32_t *ret_contacts, struct cairn_error *err)
{
	struct cairn_run_options o = {.cfg = cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .known_map = true,
	    .duration_s = LEG_MAX_S * (t->count + 1),
	    .without_sequencer = !t->chain,
	    .without_motor = !t->chain,
	    .decide = decide,
	    .decide_ctx = t,
	    .observe = observe,
	    .observe_ctx = t};
	struct cairn_run *run = cairn_run_new(&o, err);
	if (run == NULL)
		return false;
	cairn_run_all(run);
	*ret_contacts = cairn_run_totals(run).contacts;
	cairn_run_destroy(&run);
	return true;
}

bool cairn_safety_cost_measure(const struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_vec2 *goals, uint32_t count, struct cairn_safety_cost *ret, struct cairn_error *err)
{
	struct cairn_config *c = malloc(sizeof(*c));
	struct cairn_vec2 in_map[CAIRN_PROGRESS_GOALS_MAX];
	struct cairn_pose2 start;
	*ret = (struct cairn_safety_cost){0};
	if (c == NULL || count == 0 || count > CAIRN_PROGRESS_GOALS_MAX) {
		cairn_error_set(err, c == NULL ? "out of memory" : "no goals");
		free(c);
		return false;
	}
	*c = *cfg;
	c->pilot.latency_mean_s = 0.05;
	double radius = hypot(
	    fmax(c->robot.footprint_front_m, c->robot.footprint_rear_m), c->robot.footprint_half_width_m);
	start = world->start;
	bool ok = world->has_start || cairn_world_choose_start(world, radius, c->robot.height_m, &start);
	for (uint32_t i = 0; i < count; i++) {
		struct cairn_pose2 p =
		    cairn_pose_between(start, (struct cairn_pose2){goals[i].x_m, goals[i].y_m, 0.0});
		in_map[i] = (struct cairn_vec2){p.x_m, p.y_m};
	}
	struct tour chain = {.goals = in_map,
			.count = count,
			.chain = true,
			.moved_s = -1.0,
			.near_m = c->nav.goal_tolerance_m + NEAR_M},
		    follower = chain;
	uint32_t contacts = 0;
	follower.chain = false;
	ok = ok && drive(c, world, &chain, &ret->contacts, err) && drive(c, world, &follower, &contacts, err);
	ret->goals = ok ? count : 0;
	for (uint32_t i = 0; ok && i < count; i++) {
		ret->missed += chain.took_s[i] < 0.0;
		ret->missed_follower += follower.took_s[i] < 0.0;
		if (chain.took_s[i] < 0.0 || follower.took_s[i] < 0.0)
			continue;
		ret->legs++;
		ret->chain_s += chain.took_s[i];
		ret->follower_s += follower.took_s[i];
	}
	free(c);
	return ok;
}

void cairn_safety_cost_add(struct cairn_safety_cost *sum, const struct cairn_safety_cost *more)
{
	sum->goals += more->goals;
	sum->legs += more->legs;
	sum->missed += more->missed;
	sum->missed_follower += more->missed_follower;
	sum->chain_s += more->chain_s;
	sum->follower_s += more->follower_s;
	sum->contacts += more->contacts;
}

double cairn_safety_cost_lost_share(const struct cairn_safety_cost *p)
{
	return p->follower_s > 0.0 ? p->chain_s / p->follower_s - 1.0 : 0.0;
}

double cairn_safety_cost_missed_share(const struct cairn_safety_cost *p)
{
	return p->goals > 0 ? (double)p->missed / (double)p->goals : 0.0;
}

uint32_t cairn_safety_cost_goals(const struct cairn_world *w, struct cairn_vec2 *ret, uint32_t max)
{
	uint32_t n = 0;
	struct cairn_footprint spot = {ROOM_M, ROOM_M, ROOM_M};
	for (uint32_t i = 0; i < w->room_count && n < max; i++) {
		const struct cairn_room *room = &w->rooms[i];
		bool found = false;
		for (double y = w->y_min_m; y < w->y_max_m && !found; y += STEP_M)
			for (double x = w->x_min_m; x < w->x_max_m && !found; x += STEP_M) {
				if (cairn_world_room_at(w, x, y) != room ||
				    cairn_world_touch(w, (struct cairn_pose2){x, y, 0.0}, &spot, 2.0) >= 0)
					continue;
				ret[n++] = (struct cairn_vec2){x, y};
				found = true;
			}
	}
	return n;
}
