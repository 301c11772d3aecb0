/* trial_verdict.c - the end of an exploration against the truth: is anything left that the robot could have driven to? */
#include <stdlib.h>
#include <string.h>

#include "common/eval/trial_private.h"

#define NEAR_GIVEN_UP_M 1.5 /* a frontier this near to a patch is taken to be its opening */
#define EXCUSED_M2                                                                                           \
	2.0 /* and excuses no larger patch: the robot fits on that floor, whatever was said of the way */
#define CELL_SLACK_M 0.05 /* cells of the map make walls up to so much thicker */

static const char *const cause_names[] = {
    "unreachable", "narrow", "blocked", "open", "fenced", "time", "blind"};
_Static_assert(
    sizeof(cause_names) / sizeof(cause_names[0]) == CAIRN_TRIAL_CAUSE_COUNT, "one name for each cause");

const char *cairn_trial_cause_name(enum cairn_trial_cause cause)
{
	return cause_names[cause];
}

/* By the words that common/safety uses. */
static enum cairn_trial_cause cause_of(const char *reason)
{
	if (strncmp(reason, "narrow", 6) == 0)
		return CAIRN_TRIAL_NARROW;
	if (strncmp(reason, "unreachable", 11) == 0)
		return CAIRN_TRIAL_UNREACHABLE;
	if (strncmp(reason, "blind", 5) == 0)
		return CAIRN_TRIAL_BLIND;
	if (strncmp(reason, "time", 4) == 0)
		return CAIRN_TRIAL_TIME;
	if (strstr(reason, "zone") != NULL || strstr(reason, "fence") != NULL)
		return CAIRN_TRIAL_FENCED;
	return strncmp(reason, "visited", 7) == 0 ? CAIRN_TRIAL_OPEN : CAIRN_TRIAL_BLOCKED;
}

struct patch {
	uint32_t cells;
	double x_m, y_m; /* a cell of it */
	struct cairn_trial_patch of;
};

struct scene {
	const struct cairn_truth *floor, *seen;
	const struct cairn_grid *grid;
	const struct cairn_world *world;
	const struct cairn_frontier_blacklist *explore; /* all of it: the message lists the newest */
	struct cairn_pose2 start;
	int32_t cols, rows;
	uint8_t *open; /* 1: floor that was not seen, not yet flooded */
	uint32_t *queue;
};

static void at(const struct scene *s, uint32_t k, double *ret_x_m, double *ret_y_m)
{
	*ret_x_m = s->world->x_min_m + (k % (uint32_t)s->cols + 0.5) * CAIRN_TRUTH_CELL_M;
	*ret_y_m = s->world->y_min_m + (k / (uint32_t)s->cols + 0.5) * CAIRN_TRUTH_CELL_M;
}

bool cairn_trial_patch_excused(const struct cairn_trial_patch *p)
{
	return p->barred_m <= NEAR_GIVEN_UP_M ||
	       (p->given_up_m <= NEAR_GIVEN_UP_M && p->area_m2 <= EXCUSED_M2);
}

static void note_given_up(const struct scene *s, double x_m, double y_m, struct cairn_trial_patch *ret)
{
	for (uint32_t i = 0; i < s->explore->count; i++) {
		const struct cairn_frontier_blacklist_place *g = &s->explore->places[i];
		enum cairn_trial_cause cause = cause_of(g->reason);
		/* That nothing could be seen there is no reason for floor that is there. */
		if (!g->given_up || cause == CAIRN_TRIAL_BLIND)
			continue;
		struct cairn_vec2 p = cairn_pose_apply(s->start, (struct cairn_vec2){g->x_m, g->y_m});
		double away_m = hypot(p.x_m - x_m, p.y_m - y_m);
		ret->given_up_m = fmin(ret->given_up_m, away_m);
		if (cause == CAIRN_TRIAL_FENCED || cause == CAIRN_TRIAL_TIME)
			ret->barred_m = fmin(ret->barred_m, away_m);
	}
}

static struct patch flood(struct scene *s, uint32_t seed)
{
	static const int32_t step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	struct patch p = {.of = {.given_up_m = INFINITY, .barred_m = INFINITY}};
	uint32_t count = 0;
	at(s, seed, &p.x_m, &p.y_m);
	s->queue[count++] = seed;
	s->open[seed] = 0;
	for (uint32_t next = 0; next < count; next++) {
		int32_t c = (int32_t)(s->queue[next] % (uint32_t)s->cols),
			r = (int32_t)(s->queue[next] / (uint32_t)s->cols);
		double x, y;
		at(s, s->queue[next], &x, &y);
		note_given_up(s, x, y, &p.of);
		for (int i = 0; i < 4; i++) {
			int32_t nc = c + step[i][0], nr = r + step[i][1];
			if (nc < 0 || nr < 0 || nc >= s->cols || nr >= s->rows)
				continue;
			uint32_t k = (uint32_t)nr * (uint32_t)s->cols + (uint32_t)nc;
			if (!s->open[k])
				continue;
			s->open[k] = 0;
			s->queue[count++] = k;
		}
	}
	p.cells = count;
	p.of.area_m2 = count * CAIRN_TRUTH_CELL_M * CAIRN_TRUTH_CELL_M;
	return p;
}

/* Neither swept by the truth's rays, which end at CAIRN_TRUTH_RANGE_M, nor known to the map, which sees farther. */
static bool unknown(const struct scene *s, double x_m, double y_m)
{
	if (!cairn_truth_reachable_at(s->floor, x_m, y_m) || cairn_truth_seen_at(s->seen, x_m, y_m))
		return false;
	struct cairn_pose2 p = cairn_pose_between(s->start, (struct cairn_pose2){x_m, y_m, 0.0});
	return cairn_grid_odds(s->grid, cairn_grid_cell(s->grid, p.x_m), cairn_grid_cell(s->grid, p.y_m)) ==
	       CAIRN_ODDS_UNKNOWN;
}

static void find_patches(struct scene *s, struct cairn_trial_result *ret)
{
	uint32_t cells = (uint32_t)s->cols * (uint32_t)s->rows, largest = 0;
	for (uint32_t k = 0; k < cells; k++) {
		double x, y;
		at(s, k, &x, &y);
		s->open[k] = unknown(s, x, y);
	}
	for (uint32_t k = 0; k < cells; k++) {
		if (!s->open[k])
			continue;
		struct patch p = flood(s, k);
		double area_m2 = p.of.area_m2;
		bool worth = area_m2 >= CAIRN_TRIAL_LEFT_M2,
		     without = ret->explored && !cairn_trial_patch_excused(&p.of);
		ret->left_all_m2 += worth ? area_m2 : 0.0;
		ret->early_m2 += worth && without ? area_m2 : 0.0;
		ret->early |= worth && without;
		if (worth && without && ret->early_count++ < CAIRN_TRIAL_EARLY_KEPT)
			ret->early_at[ret->early_count - 1] = (struct cairn_vec2){p.x_m, p.y_m};
		if (p.cells <= largest)
			continue;
		largest = p.cells;
		ret->left_m2 = area_m2;
		ret->left_x_m = p.x_m;
		ret->left_y_m = p.y_m;
	}
}

/* Of every opening that is still there it must be said why nobody looks into it. */
static uint32_t unexplained(struct cairn_run *run)
{
	const struct cairn_msg_frontiers *f = cairn_run_frontiers(run);
	const struct cairn_frontier_blacklist *e = &cairn_sequencer_record(cairn_run_sequencer(run))->explore;
	uint32_t count = 0;
	for (uint32_t i = 0; i < f->items_count; i++)
		count += cairn_frontier_blacklist_given_up(e, f->items[i].x_m, f->items[i].y_m) == NULL;
	for (uint32_t i = 0; i < f->blind_count; i++)
		count += cairn_frontier_blacklist_given_up(e, f->blind[i].x_m, f->blind[i].y_m) == NULL;
	return count;
}

void cairn_trial_judge_end(struct cairn_run *run, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_trial_result *ret)
{
	/* The room that the frontier finder asks for: see common/explore/frontier.c. */
	const struct cairn_config_robot *c = &cfg->robot;
	double need_m = fmax(c->footprint_half_width_m + cfg->nav.clearance_m + cfg->map.cell_m,
	    0.5 * (c->footprint_front_m + c->footprint_rear_m));
	struct cairn_footprint body = {
	    c->footprint_front_m, c->footprint_rear_m, need_m + CELL_SLACK_M - CAIRN_TRUTH_MARGIN_M};
	struct cairn_truth *floor = cairn_truth_new(world, &body, c->height_m, cairn_run_truth(run)->start);
	struct scene s = {.floor = floor,
	    .seen = cairn_sim_truth(cairn_run_sim(run)),
	    .grid = cairn_run_grid(run),
	    .world = world,
	    .explore = &cairn_sequencer_record(cairn_run_sequencer(run))->explore,
	    .start = cairn_run_truth(run)->start,
	    .cols = (int32_t)((world->x_max_m - world->x_min_m) / CAIRN_TRUTH_CELL_M) + 1,
	    .rows = (int32_t)((world->y_max_m - world->y_min_m) / CAIRN_TRUTH_CELL_M) + 1};
	size_t cells = (size_t)s.cols * (size_t)s.rows;
	s.open = malloc(cells);
	s.queue = malloc(cells * sizeof(*s.queue));
	for (uint32_t i = 0; i < s.explore->count; i++)
		if (s.explore->places[i].given_up)
			ret->causes[cause_of(s.explore->places[i].reason)]++;
	ret->unexplained = ret->explored ? unexplained(run) : 0;
	if (floor != NULL && s.open != NULL && s.queue != NULL)
		find_patches(&s, ret);
	free(s.open);
	free(s.queue);
	cairn_truth_destroy(&floor);
}
