/* coverage_view.c - where to look next: of all places that the robot gets to and all ways to face there, those whose picture shows the most
 * floor that no picture has shown yet, for the way to them (next best view: Gonzalez-Banos and Latombe 2002). The best one is taken, what it
 * shows is struck off, and so on: no two of them are for the same floor. */
#include <stdlib.h>
#include <string.h>

#include "common/agent/coverage_private.h"

#define RAYS 72      /* all round */
#define EVERY 3      /* cells between places that are tried */
#define HFOV_RAD 1.2 /* before the first picture */
#define AREA_MIN_M2 0.6
#define FACE_M 0.4    /* floor that the face of a wall or of furniture counts as, a metre of it each */
#define PIECE_MIN 25  /* cells: 1 m2, that no view shows, is told */
#define WAY_MIN_M 1.0 /* what turning on the spot counts as: metres driven */
#define LIVE_SHARE 0.3

static double ray_rad(int ray)
{
	return (ray + 0.5) * 2.0 * M_PI / RAYS;
}

/* ---- ways ---- */

static bool fits(const struct cairn_coverage *c, uint32_t at)
{
	static const int32_t around[] = {0, 1, -1, COVERAGE_SIDE, -COVERAGE_SIDE, COVERAGE_SIDE + 1,
	    COVERAGE_SIDE - 1, -COVERAGE_SIDE + 1, -COVERAGE_SIDE - 1};
	if (!(c->flags[at] & COVERAGE_FREE))
		return false;
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++)
		if (c->flags[(int32_t)at + around[i]] & COVERAGE_SOLID)
			return false;
	return true;
}

static bool inside(uint32_t at)
{
	uint32_t x = at % COVERAGE_SIDE, y = at / COVERAGE_SIDE;
	return x > 0 && y > 0 && x < COVERAGE_SIDE - 1 && y < COVERAGE_SIDE - 1;
}

static bool solid(const struct cairn_coverage *c, int32_t at)
{
	return (c->flags[at] & COVERAGE_SOLID) != 0;
}

/* It may get through: a door has to be no wider than that, and whether it does is for the planner to say. */
static bool passes(const struct cairn_coverage *c, uint32_t at)
{
	int32_t i = (int32_t)at;
	return (c->flags[at] & COVERAGE_FREE) != 0 && !(solid(c, i - 1) && solid(c, i + 1)) &&
	       !(solid(c, i - COVERAGE_SIDE) && solid(c, i + COVERAGE_SIDE));
}

/* Ways from the robot over cells that it may get through; it gets out of where it stands. */
static void spread(struct cairn_coverage *c, struct cairn_pose2 robot)
{
	static const int32_t next[] = {1, -1, COVERAGE_SIDE, -COVERAGE_SIDE};
	uint32_t head = 0, tail = 0;
	memset(c->way, 0, sizeof(c->way));
	int32_t from = coverage_cell(robot.x_m, robot.y_m);
	if (from < 0)
		return;
	c->way[from] = 1;
	c->queue[tail++] = (uint32_t)from;
	while (head < tail) {
		uint32_t at = c->queue[head++];
		for (int i = 0; i < 4; i++) {
			uint32_t to = (uint32_t)((int32_t)at + next[i]);
			bool near = c->way[at] <= 3 && (c->flags[to] & COVERAGE_FREE);
			if (!inside(to) || c->way[to] != 0 || !(passes(c, to) || near))
				continue;
			c->way[to] = (uint16_t)(c->way[at] + 1);
			c->queue[tail++] = to;
		}
	}
}

/* ---- views ---- */

static bool is_unseen(const struct cairn_coverage *c, int32_t at)
{
	return (c->flags[at] & (COVERAGE_FREE | COVERAGE_SEEN | COVERAGE_TRIED | COVERAGE_LISTED)) ==
	       COVERAGE_FREE;
}

/* Neither seen enough nor struck off; floor, or the face of what ends a ray. */
static bool is_new(const struct cairn_coverage *c, int32_t at)
{
	return (c->flags[at] & (COVERAGE_SEEN | COVERAGE_TRIED | COVERAGE_LISTED)) == 0;
}

/* What a ray shows that is unseen: floor, and the face that it ends at, where most things stand or hang; (ret_m2m) that times its distance.
 * flag is set on it. */
static double along(struct cairn_coverage *c, struct cairn_vec2 from, int ray, uint8_t flag, double *ret_m2m)
{
	double x = cos(ray_rad(ray)), y = sin(ray_rad(ray)), sum = 0.0;
	for (double d = COVERAGE_STEP_M; d <= COVERAGE_SEEN_MAX_M; d += COVERAGE_STEP_M) {
		int32_t at = coverage_cell(from.x_m + d * x, from.y_m + d * y);
		bool face = at >= 0 && (c->flags[at] & COVERAGE_SOLID) != 0;
		if (at < 0 || !(face || (c->flags[at] & COVERAGE_FREE)))
			break;
		double deep_m = face ? FACE_M : COVERAGE_STEP_M;
		double m2 = is_new(c, at) ? d * deep_m * 2.0 * M_PI / RAYS : 0.0;
		sum += m2;
		*ret_m2m += m2 * d;
		if (face)
			break;
	}
	for (double d = 0.0; flag != 0 && d <= COVERAGE_SEEN_MAX_M; d += 0.5 * COVERAGE_STEP_M) {
		int32_t at = coverage_cell(from.x_m + d * x, from.y_m + d * y);
		if (at < 0 || !(c->flags[at] & (COVERAGE_FREE | COVERAGE_SOLID)))
			break;
		c->flags[at] |= flag;
		if (c->flags[at] & COVERAGE_SOLID)
			break;
	}
	return sum;
}

static int rays_of(const struct cairn_coverage *c)
{
	double hfov_rad = c->hfov_rad > 0.0 ? c->hfov_rad : HFOV_RAD;
	int n = (int)(hfov_rad * RAYS / (2.0 * M_PI));
	return n < 1 ? 1 : n > RAYS ? RAYS : n;
}

/* The best way to face at a place. */
static void judge(struct cairn_coverage *c, struct coverage_candidate *k, uint32_t round)
{
	double each[RAYS], far = 0.0, window = 0.0;
	int rays = rays_of(c);
	for (int i = 0; i < RAYS; i++)
		each[i] = along(c, coverage_middle(k->cell), i, 0, &far);
	for (int i = 0; i < rays; i++)
		window += each[i];
	k->area_m2 = 0.0;
	for (int i = 0; i < RAYS; i++) {
		if (window > k->area_m2) {
			k->area_m2 = window;
			k->heading = i;
		}
		window += each[(i + rays) % RAYS] - each[i];
	}
	k->score = k->area_m2 / (WAY_MIN_M + c->way[k->cell] * COVERAGE_CELL_M);
	k->round = round;
}

static uint32_t list_candidates(struct cairn_coverage *c, struct cairn_pose2 robot)
{
	uint32_t n = 0;
	int32_t here = coverage_cell(robot.x_m, robot.y_m);
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE && n < COVERAGE_CANDIDATES_MAX; i++) {
		bool tried = i % COVERAGE_SIDE % EVERY == 0 && i / COVERAGE_SIDE % EVERY == 0 && fits(c, i);
		if (c->way[i] == 0 || !(tried || (int32_t)i == here))
			continue;
		c->candidates[n] = (struct coverage_candidate){.cell = i};
		judge(c, &c->candidates[n], 0);
		n += c->candidates[n].area_m2 >= AREA_MIN_M2;
	}
	return n;
}

/* The best of those that are left: areas only shrink, so one that is the best as judged anew is it. */
static struct coverage_candidate *best_of(struct cairn_coverage *c, uint32_t n, uint32_t round)
{
	for (;;) {
		struct coverage_candidate *best = NULL;
		for (uint32_t i = 0; i < n; i++)
			if (c->candidates[i].area_m2 >= AREA_MIN_M2 &&
			    (best == NULL || c->candidates[i].score > best->score))
				best = &c->candidates[i];
		if (best == NULL || best->round == round)
			return best;
		judge(c, best, round);
	}
}

/* What a view shows gets a flag; its middle is told. */
static void take_view(struct cairn_coverage *c, const struct coverage_candidate *k, struct cairn_unseen *ret)
{
	struct cairn_vec2 at = coverage_middle(k->cell);
	int rays = rays_of(c);
	double m2m = 0.0, m2 = 0.0, yaw = cairn_wrap_rad((k->heading + 0.5 * rays) * 2.0 * M_PI / RAYS);
	for (int i = 0; i < rays; i++)
		m2 += along(c, at, (k->heading + i) % RAYS, COVERAGE_LISTED, &m2m);
	double off = m2 > 0.0 ? m2m / m2 : 1.0;
	*ret = (struct cairn_unseen){.x_m = at.x_m + off * cos(yaw),
	    .y_m = at.y_m + off * sin(yaw),
	    .area_m2 = m2,
	    .stand = {at.x_m, at.y_m, yaw},
	    .distance_m = (c->way[k->cell] - 1) * COVERAGE_CELL_M};
}

/* Pieces of unseen floor that no view shows. */
static uint32_t count_left(struct cairn_coverage *c)
{
	static const int32_t next[] = {1, -1, COVERAGE_SIDE, -COVERAGE_SIDE};
	uint32_t pieces = 0;
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE; i++) {
		uint32_t n = 0;
		if (!inside(i) || !is_unseen(c, (int32_t)i))
			continue;
		c->flags[i] |= COVERAGE_LISTED;
		c->queue[n++] = i;
		for (uint32_t head = 0; head < n; head++)
			for (int k = 0; k < 4; k++) {
				uint32_t to = (uint32_t)((int32_t)c->queue[head] + next[k]);
				if (!inside(to) || !is_unseen(c, (int32_t)to))
					continue;
				c->flags[to] |= COVERAGE_LISTED;
				c->queue[n++] = to;
			}
		pieces += n >= PIECE_MIN;
	}
	return pieces;
}

static int nearer(const void *a, const void *b)
{
	const struct cairn_unseen *x = a, *y = b;
	return x->distance_m < y->distance_m ? -1 : x->distance_m > y->distance_m;
}

uint32_t cairn_coverage_unseen(struct cairn_coverage *c, struct cairn_pose2 robot, struct cairn_unseen *ret,
    uint32_t max, uint32_t *ret_closed)
{
	uint32_t n = 0;
	spread(c, robot);
	uint32_t candidates = list_candidates(c, robot);
	for (; n < max; n++) {
		const struct coverage_candidate *best = best_of(c, candidates, n);
		if (best == NULL)
			break;
		take_view(c, best, &ret[n]);
	}
	*ret_closed = n < max ? count_left(c) : 0;
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE; i++) {
		*ret_closed += (c->flags[i] & COVERAGE_GIVEN_UP) != 0;
		c->flags[i] &= (uint8_t)~COVERAGE_LISTED;
	}
	qsort(ret, n, sizeof(ret[0]), nearer);
	return n;
}

/* The rays of a view. */
static int first_ray(const struct cairn_coverage *c, const struct cairn_unseen *spot)
{
	int first = (int)lround(spot->stand.yaw_rad * RAYS / (2.0 * M_PI) - 0.5 * rays_of(c));
	return ((first % RAYS) + RAYS) % RAYS;
}

bool cairn_coverage_is_unseen(struct cairn_coverage *c, const struct cairn_unseen *spot)
{
	double m2m = 0.0, m2 = 0.0;
	struct cairn_vec2 at = {spot->stand.x_m, spot->stand.y_m};
	for (int i = 0; i < rays_of(c); i++)
		m2 += along(c, at, (first_ray(c, spot) + i) % RAYS, 0, &m2m);
	return m2 > LIVE_SHARE * spot->area_m2;
}

void cairn_coverage_tried(struct cairn_coverage *c, const struct cairn_unseen *spot, bool seen)
{
	double m2m = 0.0;
	struct cairn_vec2 at = {spot->stand.x_m, spot->stand.y_m};
	int32_t mid = coverage_cell(spot->x_m, spot->y_m);
	for (int i = 0; i < rays_of(c); i++)
		(void)along(c, at, (first_ray(c, spot) + i) % RAYS, COVERAGE_TRIED, &m2m);
	if (mid >= 0 && !seen)
		c->flags[mid] |= COVERAGE_GIVEN_UP;
}

void cairn_coverage_retry(struct cairn_coverage *c)
{
	for (uint32_t i = 0; i < COVERAGE_SIDE * COVERAGE_SIDE; i++)
		c->flags[i] &= (uint8_t) ~(COVERAGE_TRIED | COVERAGE_GIVEN_UP);
}
