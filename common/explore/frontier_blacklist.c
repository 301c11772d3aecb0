#include "common/explore/frontier_blacklist.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/map/narrow_gap.h"

/* A map has changed a lot when the floor has grown by both. */
#define RETRY_GROWTH_M2 2.0
#define RETRY_GROWTH_SHARE 0.10
#define LAST_CHANCE 2 /* of retries: after it there is none */
/* Value of an opening in metres of detour: width up to 2 m, and doorways (rooms lie behind them). */
#define WIDTH_BONUS_MAX_M 2.0
#define DOORWAY_BONUS_M 0.5

static bool same(double ax_m, double ay_m, double bx_m, double by_m)
{
	return hypot(ax_m - bx_m, ay_m - by_m) <= CAIRN_FRONTIER_BLACKLIST_SAME_M;
}

static struct cairn_frontier_blacklist_place *find(struct cairn_frontier_blacklist *e, double x_m, double y_m)
{
	for (uint32_t i = 0; i < e->count; i++) {
		if (same(e->places[i].x_m, e->places[i].y_m, x_m, y_m))
			return &e->places[i];
	}
	return NULL;
}

static void forget(struct cairn_frontier_blacklist *e, uint32_t index)
{
	memmove(&e->places[index], &e->places[index + 1], (e->count - index - 1) * sizeof(e->places[0]));
	e->count--;
}

/* The place's entry, made if there is none; the oldest one makes room. */
static struct cairn_frontier_blacklist_place *entry(
    struct cairn_frontier_blacklist *e, double x_m, double y_m, double free_m2)
{
	struct cairn_frontier_blacklist_place *p = find(e, x_m, y_m);
	if (p == NULL) {
		if (e->count == CAIRN_FRONTIER_BLACKLIST_MEMORY)
			forget(e, 0);
		p = &e->places[e->count++];
		memset(p, 0, sizeof(*p));
		p->x_m = x_m;
		p->y_m = y_m;
	}
	p->free_m2 = isfinite(free_m2) ? free_m2 : 0.0;
	return p;
}

static bool usable(double x_m, double y_m)
{
	return isfinite(x_m) && isfinite(y_m);
}

bool cairn_frontier_blacklist_failed(struct cairn_frontier_blacklist *e, double x_m, double y_m,
    double free_m2, double left_m, const char *reason)
{
	if (!usable(x_m, y_m))
		return false;
	struct cairn_frontier_blacklist_place *p = entry(e, x_m, y_m, free_m2);
	bool before = p->given_up;
	p->failures++;
	p->afar |= left_m > CAIRN_FRONTIER_BLACKLIST_AFAR_M;
	snprintf(p->reason, sizeof(p->reason), "%s", reason);
	p->given_up = before || p->failures >= CAIRN_FRONTIER_BLACKLIST_TRIES;
	return p->given_up && !before;
}

bool cairn_frontier_blacklist_arrived(
    struct cairn_frontier_blacklist *e, double x_m, double y_m, double free_m2, int64_t now_ns)
{
	if (!usable(x_m, y_m))
		return false;
	struct cairn_frontier_blacklist_place *p = entry(e, x_m, y_m, free_m2);
	bool before = p->given_up;
	if (p->arrivals > 0 && (double)(now_ns - p->t_arrival_ns) * 1e-9 < CAIRN_FRONTIER_BLACKLIST_ARRIVAL_S)
		return false;
	p->arrivals++;
	p->t_arrival_ns = now_ns;
	if (p->arrivals >= CAIRN_FRONTIER_BLACKLIST_TRIES && !before) {
		p->given_up = true;
		snprintf(p->reason, sizeof(p->reason), "visited %u times, still open", p->arrivals);
	}
	return p->given_up && !before;
}

bool cairn_frontier_blacklist_update(
    struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers)
{
	bool changed = false;
	for (uint32_t i = e->count; i-- > 0;) {
		const struct cairn_frontier_blacklist_place *p = &e->places[i];
		if (p->arrivals == 0 || p->failures > 0)
			continue;
		bool there = false;
		for (uint32_t k = 0; k < frontiers->items_count && !there; k++)
			there = same(p->x_m, p->y_m, frontiers->items[k].x_m, frontiers->items[k].y_m);
		if (!there) {
			forget(e, i);
			changed = true;
		}
	}
	return changed;
}

const char *cairn_frontier_blacklist_given_up(
    const struct cairn_frontier_blacklist *e, double x_m, double y_m)
{
	for (uint32_t i = 0; i < e->count; i++) {
		const struct cairn_frontier_blacklist_place *p = &e->places[i];
		if (p->given_up && same(p->x_m, p->y_m, x_m, y_m))
			return p->reason;
	}
	return NULL;
}

bool cairn_frontier_blacklist_worthwhile(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontier *frontier, double width_min_m)
{
	return isfinite(frontier->goal_x_m) && isfinite(frontier->goal_y_m) && frontier->distance_m >= 0.0 &&
	       isfinite(frontier->distance_m) && frontier->width_m >= width_min_m &&
	       cairn_frontier_blacklist_given_up(e, frontier->x_m, frontier->y_m) == NULL;
}

uint32_t cairn_frontier_blacklist_left(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers, double width_min_m)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < frontiers->items_count; i++)
		left += cairn_frontier_blacklist_worthwhile(e, &frontiers->items[i], width_min_m) ? 1u : 0u;
	return left;
}

/* What is lost by going there next; of frontiers that nobody has ranked the near, wide and narrow-edged ones. */
static double cost_of(const struct cairn_msg_frontier *f)
{
	return f->distance_m - 0.5 * fmin(f->width_m, WIDTH_BONUS_MAX_M) -
	       (f->kind == CAIRN_FRONTIER_KIND_DOORWAY ? DOORWAY_BONUS_M : 0.0);
}

static bool better(const struct cairn_msg_frontier *a, const struct cairn_msg_frontier *b)
{
	double x = a->detour_m >= 0.0 ? a->detour_m : INFINITY,
	       y = b->detour_m >= 0.0 ? b->detour_m : INFINITY;
	return x != y ? x < y : cost_of(a) < cost_of(b);
}

int cairn_frontier_blacklist_best(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers, double width_min_m)
{
	int best = -1;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		if (cairn_frontier_blacklist_worthwhile(e, f, width_min_m) &&
		    (best < 0 || better(f, &frontiers->items[best])))
			best = (int)i;
	}
	return best;
}

int cairn_frontier_blacklist_nearest(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers, double width_min_m)
{
	int nearest = -1;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		if (cairn_frontier_blacklist_worthwhile(e, f, width_min_m) &&
		    (nearest < 0 || f->distance_m < frontiers->items[nearest].distance_m))
			nearest = (int)i;
	}
	return nearest;
}

uint32_t cairn_frontier_blacklist_retry(struct cairn_frontier_blacklist *e, double free_m2)
{
	uint32_t cleared = 0;
	for (uint32_t i = 0; i < e->count; i++) {
		struct cairn_frontier_blacklist_place *p = &e->places[i];
		double growth = free_m2 - p->free_m2;
		if (!p->given_up || p->retries > 0 || growth < RETRY_GROWTH_M2 ||
		    growth < RETRY_GROWTH_SHARE * p->free_m2)
			continue;
		p->given_up = false;
		p->retries++;
		p->failures =
		    p->failures > 0 ? CAIRN_FRONTIER_BLACKLIST_TRIES - 1u : 0; /* one more chance, not two */
		p->arrivals = p->arrivals > 0 ? CAIRN_FRONTIER_BLACKLIST_TRIES - 1u : 0;
		cleared++;
	}
	return cleared;
}

static bool still_open(
    const struct cairn_frontier_blacklist_place *p, const struct cairn_msg_frontiers *frontiers)
{
	for (uint32_t i = 0; i < frontiers->items_count; i++)
		if (hypot(frontiers->items[i].x_m - p->x_m, frontiers->items[i].y_m - p->y_m) <=
		    CAIRN_FRONTIER_BLACKLIST_SAME_M)
			return true;
	return false;
}

uint32_t cairn_frontier_blacklist_last_chance(
    struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers)
{
	uint32_t cleared = 0;
	for (uint32_t i = 0; i < e->count; i++) {
		struct cairn_frontier_blacklist_place *p = &e->places[i];
		if (!p->given_up || !p->afar || p->retries >= LAST_CHANCE || !still_open(p, frontiers))
			continue;
		p->given_up = false;
		p->retries = LAST_CHANCE;
		p->failures = CAIRN_FRONTIER_BLACKLIST_TRIES - 1u;
		cleared++;
	}
	return cleared;
}

/* Open still, and no way leads to it. */
static bool cut_off(const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontier *f)
{
	return !(f->distance_m >= 0.0) && usable(f->x_m, f->y_m) &&
	       cairn_frontier_blacklist_given_up(e, f->x_m, f->y_m) == NULL;
}

bool cairn_frontier_blacklist_cut_off(
    const struct cairn_frontier_blacklist *e, const struct cairn_msg_frontiers *frontiers, double width_min_m)
{
	for (uint32_t i = 0; i < frontiers->items_count; i++)
		if (frontiers->items[i].width_m >= width_min_m && cut_off(e, &frontiers->items[i]))
			return true;
	return false;
}

/* It, or the gap that leads to it. */
static bool looked_into(const struct cairn_msg_frontier *f, const struct cairn_frontier_looked *looked)
{
	for (uint32_t i = 0; i < looked->count; i++)
		if (same(looked->at[i].x_m, looked->at[i].y_m, f->x_m, f->y_m))
			return true;
	for (uint32_t i = 0; i < looked->gap_count && f->gap_m > 0.0; i++)
		if (same(looked->gaps[i].x_m, looked->gaps[i].y_m, f->gap_x_m, f->gap_y_m))
			return true;
	return false;
}

bool cairn_frontier_looked_add(struct cairn_frontier_looked *looked, const struct cairn_msg_frontier *f)
{
	if (looked->count == CAIRN_FRONTIER_LOOKS_MAX)
		return false;
	looked->at[looked->count++] = (struct cairn_vec2){f->x_m, f->y_m};
	if (f->gap_m > 0.0 && looked->gap_count < CAIRN_FRONTIER_LOOKS_MAX)
		looked->gaps[looked->gap_count++] = (struct cairn_vec2){f->gap_x_m, f->gap_y_m};
	return true;
}

int cairn_frontier_blacklist_approach(const struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_frontier_looked *looked)
{
	int widest = -1;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		bool told =
		    usable(f->goal_x_m, f->goal_y_m) && (f->goal_x_m != f->x_m || f->goal_y_m != f->y_m);
		if (told && cut_off(e, f) && !looked_into(f, looked) &&
		    (widest < 0 || f->width_m > frontiers->items[widest].width_m))
			widest = (int)i;
	}
	return widest;
}

void cairn_frontier_blacklist_close(struct cairn_frontier_blacklist *e,
    const struct cairn_msg_frontiers *frontiers, double width_min_m, bool time_up)
{
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		bool reachable = f->distance_m >= 0.0, wide = f->width_m >= width_min_m;
		if (!usable(f->x_m, f->y_m) || cairn_frontier_blacklist_given_up(e, f->x_m, f->y_m) != NULL ||
		    (reachable && wide && !time_up))
			continue;
		struct cairn_frontier_blacklist_place *p = entry(e, f->x_m, f->y_m, frontiers->free_m2);
		p->given_up = true;
		if (!reachable && f->gap_m > 0.0) {
			int n = snprintf(p->reason, sizeof(p->reason), "narrow: ");
			cairn_narrow_gap_text(
			    f, frontiers->needs_m, p->reason + n, sizeof(p->reason) - (size_t)n);
		} else if (!reachable) {
			snprintf(p->reason, sizeof(p->reason),
			    "unreachable: no way there that the robot fits through");
		} else if (!wide) {
			snprintf(p->reason, sizeof(p->reason), "narrow: %.2f m wide", f->width_m);
		} else {
			snprintf(p->reason, sizeof(p->reason), "time: it was up, %.1f m away", f->distance_m);
		}
	}
	for (uint32_t i = 0; i < frontiers->blind_count && e->count < CAIRN_FRONTIER_BLACKLIST_MEMORY; i++) {
		const struct cairn_msg_blind_spot *b = &frontiers->blind[i];
		if (!usable(b->x_m, b->y_m) || find(e, b->x_m, b->y_m) != NULL)
			continue;
		struct cairn_frontier_blacklist_place *p = entry(e, b->x_m, b->y_m, frontiers->free_m2);
		p->given_up = true;
		snprintf(p->reason, sizeof(p->reason), "blind: looked into, nothing more to be seen");
	}
}

void cairn_frontier_blacklist_list(
    const struct cairn_frontier_blacklist *e, struct cairn_msg_mission *mission)
{
	const uint32_t cap = sizeof(mission->given_up) / sizeof(mission->given_up[0]);
	uint32_t total = 0, n = 0;
	for (uint32_t i = 0; i < e->count; i++)
		total += e->places[i].given_up ? 1u : 0u;
	uint32_t skip = total > cap ? total - cap : 0;
	for (uint32_t i = 0; i < e->count; i++) {
		const struct cairn_frontier_blacklist_place *p = &e->places[i];
		if (!p->given_up)
			continue;
		if (skip > 0) {
			skip--;
			continue;
		}
		struct cairn_msg_given_up *g = &mission->given_up[n++];
		g->x_m = p->x_m;
		g->y_m = p->y_m;
		snprintf(g->reason, sizeof(g->reason), "%s", p->reason);
	}
	mission->given_up_count = n;
}

bool cairn_frontier_blacklist_sane(const struct cairn_frontier_blacklist *e)
{
	if (e->count > CAIRN_FRONTIER_BLACKLIST_MEMORY)
		return false;
	for (uint32_t i = 0; i < e->count; i++) {
		const struct cairn_frontier_blacklist_place *p = &e->places[i];
		if (!usable(p->x_m, p->y_m) || !isfinite(p->free_m2) ||
		    memchr(p->reason, '\0', sizeof(p->reason)) == NULL)
			return false;
	}
	return true;
}
