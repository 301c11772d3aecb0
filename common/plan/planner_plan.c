#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/plan/planner_private.h"

#define SKIP_CELLS 1.6 /* live points this near to an obstacle of the map are that obstacle */
#define KEEP_MARGIN_M                                                                                        \
	0.01 /* a path in use may lose this much of nav.clearance_m and more before it is given up */
#define RECONSIDER_SHARE 0.05   /* of nav.planning_ms: there is a path already */
#define BETTER 0.75             /* a new path must cost less than this share of the old one */
#define WAIT_S 6.0              /* for a moving obstacle to get out of the way */
#define EXPANSIONS_PER_MS 200.0 /* of the reference robot; a bound that does not depend on a clock */
/* What failed a moment ago mostly fails again, and takes all its time to: of such tries one of so many gets
 * the whole of nav.planning_ms, the others a part. A way that has come free is found in far less. */
#define FULL_TRY_EVERY 8
#define ROUND_SHARE 0.5       /* of the cost of going out and coming in the other way round */
#define NEAR_ENOUGH_SHARE 0.5 /* of nav.nearest_m, beyond the goal's tolerance */
#define REPEATED_SHARE 0.1

void planner_say(struct cairn_planner *p, enum cairn_nav_state state, const char *fmt, ...)
{
	va_list ap;
	p->status.state = state;
	p->status.backing_out = p->status.tight = false;
	p->status.partial = state == CAIRN_NAV_STATE_FOLLOWING && p->found == CAIRN_PLAN_PARTIAL;
	va_start(ap, fmt);
	vsnprintf(p->status.reason, sizeof(p->status.reason), fmt, ap);
	va_end(ap);
}

void planner_drop_path(struct cairn_planner *p)
{
	if (p->have_path)
		p->path_changed = true;
	p->have_path = false;
	p->trusted = 0;
	cairn_follower_set_path(&p->follower, NULL);
}

void planner_lay_live(struct cairn_planner *p, int64_t now_ns)
{
	size_t count = p->live_count;
	for (int i = 0; i < PLANNER_UNSEEN; i++)
		if (p->unseen[i].until_ns > now_ns)
			p->live[count++] = p->unseen[i].at;
	count += planner_closed_places(p, now_ns, p->live + count);
	count = planner_lay_floor(p, count);
	cairn_costmap_set_live(&p->costmap, p->live, count, SKIP_CELLS * p->costmap.cell_m);
}

double planner_blocked_m(const struct cairn_planner *p, double horizon_m)
{
	double blocked = INFINITY;
	int from = p->follower.at + 1 > p->trusted ? p->follower.at + 1 : p->trusted + 1;
	const struct cairn_path *path = &p->paths[p->path_in_use];
	double margin = fmin(KEEP_MARGIN_M, p->cfg.nav.clearance_m);
	(void)cairn_hybrid_path_cost(p->hybrid, &p->costmap, path, from, margin, horizon_m, &blocked);
	if (from < path->count && isfinite(blocked))
		blocked += p->follower.along_m[from] - p->follower.along_m[p->follower.at];
	return blocked;
}

/* The first poses may have less room than the check asks for, when the robot has to get out of a tight spot.
 */
static int trusted_poses(const struct cairn_planner *p, const struct cairn_path *path)
{
	struct cairn_rect rect = cairn_rect_around(&p->body, fmin(KEEP_MARGIN_M, p->cfg.nav.clearance_m));
	int trusted = 0;
	double along = 0.0;
	for (int i = 1; i < path->count && along < 1.0; i++) {
		struct cairn_pose2 pose = cairn_path_pose2(&path->poses[i]);
		along += cairn_path_step(path, i);
		if (!cairn_costmap_fits(&p->costmap, &pose, &rect))
			trusted = i;
	}
	return trusted;
}

/* cost_max: 0, or a path that costs so much is of no use. */
static enum cairn_plan_result search_within(struct cairn_planner *p, const struct cairn_pose2 *pose,
    double tolerance_m, double budget_ms, double cost_max, struct cairn_path *path,
    struct cairn_hybrid_stats *stats)
{
	int64_t t0 = p->clock_ns != NULL ? p->clock_ns(p->clock_ctx) : 0;
	struct cairn_hybrid_query query = {
	    .start = *pose,
	    .goal_x_m = p->goal.x_m,
	    .goal_y_m = p->goal.y_m,
	    .tolerance_m = tolerance_m,
	    .nearest_m = p->cfg.nav.nearest_m,
	    .cost_max = cost_max,
	    .expansions_max = (int)fmin(budget_ms * EXPANSIONS_PER_MS, 1e9),
	    .now_ns = p->clock_ns,
	    .ctx = p->clock_ctx,
	    .deadline_ns = t0 + (int64_t)(budget_ms * 1e6),
	};
	enum cairn_plan_result r = cairn_hybrid_search(p->hybrid, &p->costmap, &query, path, stats);
	if (p->clock_ns != NULL)
		p->status.planning_ms = (double)(p->clock_ns(p->clock_ctx) - t0) * 1e-6;
	p->status.replans++;
	return r;
}

static enum cairn_plan_result search(struct cairn_planner *p, const struct cairn_pose2 *pose,
    double budget_ms, double cost_max, struct cairn_path *path, struct cairn_hybrid_stats *stats)
{
	double tolerance_m = 0.6 * p->goal.tolerance_m; /* the follower and the map add to it */
	return search_within(p, pose, tolerance_m, budget_ms, cost_max, path, stats);
}

static bool usable(enum cairn_plan_result r)
{
	return r == CAIRN_PLAN_OK || r == CAIRN_PLAN_NEAREST || r == CAIRN_PLAN_PARTIAL;
}

static void take_path(struct cairn_planner *p, enum cairn_plan_result found,
    const struct cairn_hybrid_stats *stats, int64_t now_ns)
{
	p->path_in_use = 1 - p->path_in_use;
	p->found = found;
	p->goal_x_m = stats->goal_x_m;
	p->goal_y_m = stats->goal_y_m;
	p->have_path = true;
	p->path_changed = true;
	p->planned_ns = now_ns;
	p->blocked_since_ns = 0;
	cairn_follower_set_path(&p->follower, &p->paths[p->path_in_use]);
	p->trusted = trusted_poses(p, &p->paths[p->path_in_use]);
}

/* What the motor stage has kept off is planned round while there is another way. Where it leaves none, the
 * robot would only stand until it is forgotten and then drive the same: it is forgotten at once. The motor
 * stage sees it again when it comes there, and the recoveries at one place are counted (PLANNER_TRIES_MAX).
 * What was felt, a drop included, is not: nothing would show it before it is felt again. */
static bool forget_kept_off(struct cairn_planner *p, const struct cairn_pose2 *pose, double budget_ms,
    int64_t now_ns, struct cairn_path *spare, struct cairn_hybrid_stats *stats, enum cairn_plan_result *ret)
{
	struct planner_unseen kept[PLANNER_UNSEEN];
	bool some = false;
	memcpy(kept, p->unseen, sizeof(kept));
	for (int i = 0; i < PLANNER_UNSEEN; i++) {
		if (!p->unseen[i].kept_off || p->unseen[i].until_ns <= now_ns)
			continue;
		p->unseen[i] = (struct planner_unseen){0};
		some = true;
	}
	if (!some)
		return false;
	planner_lay_live(p, now_ns);
	enum cairn_plan_result r = search(p, pose, budget_ms, 0.0, spare, stats);
	if (usable(r)) {
		*ret = r;
		return true;
	}
	memcpy(p->unseen, kept, sizeof(kept));
	planner_lay_live(p, now_ns);
	return false;
}

/* Is it only what the map does not have that is in the way? */
static bool free_without_live(struct cairn_planner *p, const struct cairn_pose2 *pose, double budget_ms,
    int64_t now_ns, struct cairn_path *spare)
{
	struct cairn_hybrid_stats stats;
	if (p->costmap.live.x1 <= p->costmap.live.x0)
		return false;
	/* Where it has turned back nobody gets out of the way. */
	struct cairn_vec2 *closed = p->live + p->live_count;
	size_t count = planner_closed_places(p, now_ns, closed);
	cairn_costmap_set_live(&p->costmap, closed, count, 0.0);
	return usable(search(p, pose, budget_ms, 0.0, spare, &stats));
}

static void explain(struct cairn_planner *p, enum cairn_plan_result r)
{
	static const enum cairn_nav_state states[CAIRN_PLAN_RESULT_COUNT] = {
	    [CAIRN_PLAN_START_BLOCKED] = CAIRN_NAV_STATE_START_BLOCKED,
	    [CAIRN_PLAN_GOAL_BLOCKED] = CAIRN_NAV_STATE_GOAL_BLOCKED,
	    [CAIRN_PLAN_NO_PATH] = CAIRN_NAV_STATE_NO_PATH,
	    [CAIRN_PLAN_LIMIT] = CAIRN_NAV_STATE_NO_PATH,
	};
	planner_say(p, states[r], "%s", cairn_plan_result_text(r));
}

/* The end of a dead end can be nearer for the rear than for the front, which is longer before the axle. To go all the way out, turn
 * round and come in backward for that is not worth it where the robot gets near enough as it stands: this is a path there. */
static bool near_enough(struct cairn_planner *p, const struct cairn_pose2 *pose, double budget_ms,
    struct cairn_path *spare, struct cairn_hybrid_stats *stats)
{
	double tolerance_m = p->goal.tolerance_m + NEAR_ENOUGH_SHARE * p->cfg.nav.nearest_m;
	enum cairn_plan_result r =
	    search_within(p, pose, tolerance_m, budget_ms, ROUND_SHARE * spare->cost, spare, stats);
	return r == CAIRN_PLAN_OK && !planner_backs_long(spare);
}

/* Takes the path found, or backs out first; false: there is none left. */
static bool go(struct cairn_planner *p, const struct cairn_pose2 *pose, double budget_ms,
    enum cairn_plan_result found, struct cairn_hybrid_stats *stats, int64_t now_ns)
{
	struct cairn_path *spare = &p->paths[1 - p->path_in_use];
	bool round = planner_turns_round(spare) && !planner_has_room(p, pose);
	if (round && near_enough(p, pose, budget_ms, spare, stats)) {
		found = CAIRN_PLAN_NEAREST;
	} else if (planner_backs_long(spare) || round) {
		/* Who backs out to come to the same place again has found no way on. */
		if (planner_back_begin(
			p, pose, round ? PLANNER_BACK_NO_WAY : PLANNER_BACK_ON_THE_WAY, now_ns))
			return true;
		found = round ? search(p, pose, budget_ms, 0.0, spare, stats) : found;
		if (!usable(found))
			return false;
	}
	p->failed_searches = 0;
	take_path(p, found, stats, now_ns);
	return true;
}

bool planner_plan(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns)
{
	struct cairn_path *spare = &p->paths[1 - p->path_in_use];
	struct cairn_hybrid_stats stats;
	p->tried_ns = now_ns;
	p->want_plan = false;
	cairn_costmap_clear_under(&p->costmap, pose, &p->body);
	planner_lay_live(p, now_ns);
	double share = p->failed_searches % FULL_TRY_EVERY == 0 ? 1.0 : REPEATED_SHARE;
	double budget_ms = share * p->cfg.nav.planning_ms;
	enum cairn_plan_result r = search(p, pose, budget_ms, 0.0, spare, &stats);
	bool found = usable(r) || forget_kept_off(p, pose, budget_ms, now_ns, spare, &stats, &r);
	if (found && go(p, pose, budget_ms, r, &stats, now_ns))
		return true;
	r = found ? CAIRN_PLAN_NO_PATH : r;
	if (planner_back_begin(p, pose, PLANNER_BACK_NO_WAY, now_ns))
		return true;
	p->failed_searches++;
	planner_drop_path(p);
	bool waiting = p->blocked_since_ns == 0 || (double)(now_ns - p->blocked_since_ns) < WAIT_S * 1e9;
	if (waiting && free_without_live(p, pose, budget_ms, now_ns, spare)) {
		if (p->blocked_since_ns == 0)
			p->blocked_since_ns = now_ns;
		planner_say(
		    p, CAIRN_NAV_STATE_PLANNING, "waiting: something that is not in the map is in the way");
		return false;
	}
	explain(p, r);
	return false;
}

void planner_reconsider(struct cairn_planner *p, const struct cairn_pose2 *pose, int64_t now_ns)
{
	struct cairn_path *spare = &p->paths[1 - p->path_in_use];
	struct cairn_hybrid_stats stats;
	p->tried_ns = now_ns;
	double now_costs = cairn_hybrid_path_cost(
	    p->hybrid, &p->costmap, &p->paths[p->path_in_use], p->follower.at + 1, 0.0, 0.0, NULL);
	/* One that leads all the way may cost more than one that does not. */
	double cost_max = p->found == CAIRN_PLAN_OK ? BETTER * now_costs : 0.0;
	enum cairn_plan_result r =
	    search(p, pose, RECONSIDER_SHARE * p->cfg.nav.planning_ms, cost_max, spare, &stats);
	if (!usable(r) || (r != CAIRN_PLAN_OK && r != p->found))
		return;
	double new_costs = cairn_hybrid_path_cost(p->hybrid, &p->costmap, spare, 1, 0.0, 0.0, NULL);
	bool nearer = r == CAIRN_PLAN_OK && p->found != CAIRN_PLAN_OK;
	if (nearer || new_costs < BETTER * now_costs)
		take_path(p, r, &stats, now_ns);
}
