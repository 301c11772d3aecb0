#include "common/safety/dynamic_obstacles.h"

#include <math.h>
#include <string.h>

#define AGE_MIN_S 0.25
#define AGE_MAX_S 0.45
#define REACH_M 2.0     /* farther movers are no matter yet */
#define DEEP_M 0.08     /* so far within what was free: more than noise and slip */
#define TURN_MAX_S 0.25 /* a turn said to be longer lies about its beginning */
#define TOGETHER_MIN 2  /* returns side by side: a single one is a stray */
#define LATELY_REACH_M 1.5
#define LATELY_DEEP_M 0.15 /* poses some seconds apart agree less well */
#define LATELY_APART_S 1.0
#define LATELY_FREE_MIN 3
#define BEFORE_WEIGHT 4 /* of turns so many times as far apart */
#define STRETCH 128

struct cairn_dynamic_obstacles_params cairn_dynamic_obstacles_params_from(
    const struct cairn_config *cfg, double reaction_s)
{
	return (struct cairn_dynamic_obstacles_params){
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .lidar = {cfg->robot.lidar_x_m, cfg->robot.lidar_y_m},
	    .person_mps = cfg->safety.person_mps,
	    .reaction_s = reaction_s,
	    .decel_mps2 = cfg->robot.decel_max_mps2};
}

void cairn_dynamic_obstacles_init(
    struct cairn_dynamic_obstacles *m, const struct cairn_dynamic_obstacles_params *params)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
}

/* Bins are even in this stand-in for the angle (0 .. 4, without trigonometry), nearly even in the angle. */
static uint32_t bin_of(float x, float y)
{
	float sum = fabsf(x) + fabsf(y), f = sum > 0.0f ? y / sum : 0.0f;
	float turn = x >= 0.0f ? (f >= 0.0f ? f : 4.0f + f) : 2.0f - f;
	int bin = (int)(turn * (CAIRN_DYNAMIC_OBSTACLES_BINS / 4.0f));
	return bin >= 0 && bin < CAIRN_DYNAMIC_OBSTACLES_BINS ? (uint32_t)bin : 0;
}

static cairn_float8 either8(cairn_int8 which, cairn_float8 a, cairn_float8 b)
{
	return (cairn_float8)((which & (cairn_int8)a) | (~which & (cairn_int8)b));
}

/* The same of eight. */
static cairn_int8 bin_of8(cairn_float8 x, cairn_float8 y)
{
	const cairn_int8 size = (cairn_int8){0} + INT32_MAX; /* all but the sign */
	cairn_float8 sum = (cairn_float8)((cairn_int8)x & size) + (cairn_float8)((cairn_int8)y & size);
	cairn_float8 f = (cairn_float8)((cairn_int8)(y / sum) & (sum > 0.0f));
	cairn_float8 turn = either8(x >= 0.0f, either8(f >= 0.0f, f, 4.0f + f), 2.0f - f);
	cairn_int8 bin = __builtin_convertvector(turn * (CAIRN_DYNAMIC_OBSTACLES_BINS / 4.0f), cairn_int8);
	return bin & (bin >= 0) & (bin < CAIRN_DYNAMIC_OBSTACLES_BINS);
}

/* From one frame into another: what a pose between them does to a point. */
struct carry {
	float c, s, x, y;
};

static struct carry carry_by(struct cairn_pose2 p)
{
	return (struct carry){(float)cos(p.yaw_rad), (float)sin(p.yaw_rad), (float)p.x_m, (float)p.y_m};
}

static void carried(const struct carry *k, float x, float y, float *ret_x, float *ret_y)
{
	*ret_x = k->x + k->c * x - k->s * y;
	*ret_y = k->y + k->s * x + k->c * y;
}

/* Where the returns of a turn lie, seen from the LiDAR. */
struct turn {
	int32_t bin[CAIRN_POINTS_MAX];
	float range_m[CAIRN_POINTS_MAX];
	float nearest_m[CAIRN_DYNAMIC_OBSTACLES_BINS];
};

static void measure_turn(
    const struct cairn_dynamic_obstacles *m, const struct cairn_points *points, struct turn *ret)
{
	float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	for (int i = 0; i < CAIRN_DYNAMIC_OBSTACLES_BINS; i++)
		ret->nearest_m[i] = INFINITY;
	for (size_t i = 0; i < points->count; i++) {
		float x = points->x_m[i] - ex, y = points->y_m[i] - ey;
		ret->range_m[i] = sqrtf(x * x + y * y);
	}
	size_t eights = points->count - points->count % 8;
	for (size_t i = 0; i < eights; i += 8) {
		cairn_int8 bin =
		    bin_of8(cairn_load8(&points->x_m[i]) - ex, cairn_load8(&points->y_m[i]) - ey);
		memcpy(&ret->bin[i], &bin, sizeof(bin));
	}
	for (size_t i = eights; i < points->count; i++)
		ret->bin[i] = (int32_t)bin_of(points->x_m[i] - ex, points->y_m[i] - ey);
	for (size_t i = 0; i < points->count; i++) {
		float *nearest = &ret->nearest_m[ret->bin[i]];
		*nearest = ret->range_m[i] < *nearest ? ret->range_m[i] : *nearest;
	}
}

static float least_of(float before, float at, float after)
{
	float beside = before < after ? before : after;
	return at < beside ? at : beside;
}

static void make_view(
    struct cairn_dynamic_obstacles_view *v, const struct turn *turn, struct cairn_pose2 eye, int64_t t_ns)
{
	const float *r = turn->nearest_m;
	const uint32_t last = CAIRN_DYNAMIC_OBSTACLES_BINS - 1;
	v->t_ns = t_ns;
	v->back = cairn_pose_inverse(eye);
	v->back_c = cos(v->back.yaw_rad);
	v->back_s = sin(v->back.yaw_rad);
	v->range_m[0] = least_of(r[last], r[0], r[1]);
	for (uint32_t i = 1; i < last; i++)
		v->range_m[i] = least_of(r[i - 1], r[i], r[i + 1]);
	v->range_m[last] = least_of(r[last - 1], r[last], r[0]);
}

static void keep_apart(struct cairn_dynamic_obstacles_ring *ring,
    const struct cairn_dynamic_obstacles_view *view, double apart_s)
{
	uint32_t last = (ring->next + CAIRN_DYNAMIC_OBSTACLES_LATELY - 1) % CAIRN_DYNAMIC_OBSTACLES_LATELY;
	if (ring->count > 0 && (double)(view->t_ns - ring->views[last].t_ns) * 1e-9 < apart_s)
		return;
	ring->views[ring->next] = *view;
	ring->next = (ring->next + 1) % CAIRN_DYNAMIC_OBSTACLES_LATELY;
	ring->count += ring->count < CAIRN_DYNAMIC_OBSTACLES_LATELY;
}

static void keep_view(struct cairn_dynamic_obstacles *m, const struct cairn_dynamic_obstacles_view *view)
{
	m->views[m->next] = *view;
	m->next = (m->next + 1) % CAIRN_DYNAMIC_OBSTACLES_VIEWS;
	m->count += m->count < CAIRN_DYNAMIC_OBSTACLES_VIEWS;
	if (m->params.lately_s > 0.0) {
		keep_apart(&m->lately, view, LATELY_APART_S);
		keep_apart(&m->before, view, LATELY_APART_S * BEFORE_WEIGHT);
	}
}

struct earlier {
	const struct cairn_dynamic_obstacles_view *view;
	struct carry carry; /* from the robot frame of the new turn to the eye's */
	int weight;         /* of its word among others: the seconds that it stands for */
};

static struct carry carry_to(const struct cairn_dynamic_obstacles_view *v, struct cairn_pose2 pose)
{
	return carry_by(cairn_pose_compose_turned(v->back, v->back_c, v->back_s, pose));
}

/* The views of an age between these, of count. */
static uint32_t find_earlier(const struct cairn_dynamic_obstacles_view *views, uint32_t count,
    struct cairn_pose2 pose, int64_t t_ns, double age_min_s, double age_max_s, int weight,
    struct earlier *ret)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		double age_s = (double)(t_ns - views[i].t_ns) * 1e-9;
		if (age_s >= age_min_s && age_s <= age_max_s)
			ret[n++] = (struct earlier){&views[i], carry_to(&views[i], pose), weight};
	}
	return n;
}

/* What an earlier view knows of eight places: negative of those that were hidden or from which nothing came
 * back, 0 where something stood, else it looked past, on to something farther by more than deep_m. */
static inline cairn_int8 looked8(const struct earlier *e, cairn_float8 x, cairn_float8 y, float deep_m)
{
	const struct carry *k = &e->carry;
	const float *range_m = e->view->range_m;
	cairn_float8 ex = k->x + k->c * x - k->s * y, ey = k->y + k->s * x + k->c * y, d2 = ex * ex + ey * ey;
	cairn_int8 bin = bin_of8(ex, ey);
	cairn_float8 far = {range_m[bin[0]], range_m[bin[1]], range_m[bin[2]], range_m[bin[3]],
	    range_m[bin[4]], range_m[bin[5]], range_m[bin[6]], range_m[bin[7]]};
	cairn_float8 d = {sqrtf(d2[0]), sqrtf(d2[1]), sqrtf(d2[2]), sqrtf(d2[3]), sqrtf(d2[4]), sqrtf(d2[5]),
	    sqrtf(d2[6]), sqrtf(d2[7])};
	return (far == INFINITY) | (far < d - deep_m) | ((far > d + deep_m) & 1);
}

/* Drops what stands alone, and puts the rest where the robot's motion does not carry it about. */
static void keep_together(struct cairn_dynamic_obstacles *m, struct cairn_pose2 pose, const uint8_t *counts)
{
	struct carry out = carry_by(pose);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->points; i++) {
		uint32_t bin =
		    bin_of(m->x_m[i] - (float)m->params.lidar.x_m, m->y_m[i] - (float)m->params.lidar.y_m);
		uint32_t side =
		    counts[(bin + CAIRN_DYNAMIC_OBSTACLES_BINS - 1) % CAIRN_DYNAMIC_OBSTACLES_BINS] +
		    counts[bin] + counts[(bin + 1) % CAIRN_DYNAMIC_OBSTACLES_BINS];
		if (side < TOGETHER_MIN)
			continue;
		carried(&out, m->x_m[i], m->y_m[i], &m->x_m[kept], &m->y_m[kept]);
		m->stands[kept++] = m->stands[i];
	}
	m->points = kept;
}

/* What came before a turn, for who moves and for who stands. */
struct past {
	struct earlier shortly[CAIRN_DYNAMIC_OBSTACLES_VIEWS], lately[2 * CAIRN_DYNAMIC_OBSTACLES_LATELY];
	uint32_t shortly_count, lately_count;
	int32_t lately_weight;
};

static void find_past(
    const struct cairn_dynamic_obstacles *m, struct cairn_pose2 pose, int64_t t_ns, struct past *ret)
{
	const double lately_s = m->params.lately_s,
		     young_s = fmin(lately_s, LATELY_APART_S * CAIRN_DYNAMIC_OBSTACLES_LATELY);
	ret->shortly_count =
	    find_earlier(m->views, m->count, pose, t_ns, AGE_MIN_S, AGE_MAX_S, 1, ret->shortly);
	/* The answer is the same in any order; those with more weight settle most of it sooner. */
	uint32_t n = find_earlier(
	    m->before.views, m->before.count, pose, t_ns, young_s, lately_s, BEFORE_WEIGHT, ret->lately);
	n += find_earlier(
	    m->lately.views, m->lately.count, pose, t_ns, AGE_MAX_S, young_s, 1, ret->lately + n);
	ret->lately_count = n;
	ret->lately_weight = 0;
	for (uint32_t i = 0; i < n; i++)
		ret->lately_weight += ret->lately[i].weight;
}

/* Which of these eight? */
static cairn_int8 are_new(const struct past *past, cairn_float8 x, cairn_float8 y, cairn_int8 which)
{
	cairn_int8 new = which &((cairn_int8){0} - (past->shortly_count > 0));
	for (uint32_t i = 0; i < past->shortly_count && cairn_some_of8(new); i++)
		new &= looked8(&past->shortly[i], x, y, (float)DEEP_M) > 0;
	return new;
}

/* They were looked past for longer than they were seen: a thin leg is missed now and then, not so often. */
static cairn_int8 came_lately(const struct past *past, cairn_float8 x, cairn_float8 y)
{
	cairn_int8 views = {0}, free_s = {0}, taken_s = {0}, open = ~views;
	int32_t left = (int32_t)past->lately_count, left_s = past->lately_weight;
	for (uint32_t i = 0; i < past->lately_count; i++, left--) {
		const struct earlier *e = &past->lately[i];
		open &= (views + left >= LATELY_FREE_MIN) & (free_s + left_s > taken_s);
		if (!cairn_some_of8(open))
			return open; /* the others cannot turn it any more */
		cairn_int8 l = looked8(e, x, y, (float)LATELY_DEEP_M);
		views -= l > 0;
		free_s += (l > 0) & e->weight;
		taken_s += (l == 0) & e->weight;
		left_s -= e->weight;
	}
	return open & (views >= LATELY_FREE_MIN) & (free_s > taken_s);
}

/* Of eight points, which are no farther than this from (x_m, y_m)? */
static inline cairn_int8 within8(cairn_float8 px, cairn_float8 py, float x_m, float y_m, float far_m)
{
	cairn_float8 x = px - x_m, y = py - y_m;
	return ~(x * x + y * y > far_m * far_m);
}

/* So many of a turn's points are gone through together, in eights. */
struct stretch {
	const struct cairn_points *points;
	const struct turn *turn;
	size_t from;
	uint32_t count;
	int32_t found[STRETCH]; /* of each */
	bool some;              /* something was found */
};
_Static_assert(STRETCH % 8 == 0, "whole eights fit");

enum found { NOTHING, MOVES, STANDS };

/* Those of which it is to be asked whether they stand. */
struct asked {
	uint32_t count;
	uint32_t at[STRETCH]; /* of the stretch */
	float x_m[STRETCH], y_m[STRETCH];
};

/* The points i to i + 7 of the stretch; those beyond its last are far away. */
static inline cairn_float8 eight_of(const float *from, uint32_t left)
{
	if (left >= 8)
		return cairn_load8(from);
	cairn_float8 v = (cairn_float8){0} + INFINITY;
	for (uint32_t k = 0; k < left; k++)
		v[k] = from[k];
	return v;
}

/* One of each direction is enough of what stands, and most of what is near does. */
static void ask(struct asked *asked, const struct stretch *s, uint32_t i, cairn_int8 which)
{
	for (uint32_t k = 0; k < 8 && i + k < s->count; k++) {
		size_t at = s->from + i + k;
		bool nearest = s->turn->range_m[at] <= s->turn->nearest_m[s->turn->bin[at]];
		asked->at[asked->count] = i + k;
		asked->x_m[asked->count] = s->points->x_m[at];
		asked->y_m[asked->count] = s->points->y_m[at];
		asked->count += nearest & (which[k] != 0); /* without a branch */
	}
}

static void find_moving(const struct cairn_dynamic_obstacles *m, const struct past *past, struct stretch *s,
    struct asked *ret_asked)
{
	const float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	ret_asked->count = 0;
	for (uint32_t i = 0; i < s->count; i += 8) {
		cairn_float8 x = eight_of(&s->points->x_m[s->from + i], s->count - i),
			     y = eight_of(&s->points->y_m[s->from + i], s->count - i);
		cairn_int8 near = within8(x, y, ex, ey, (float)REACH_M), moves = {0};
		if (cairn_some_of8(near)) {
			cairn_int8 new = are_new(past, x, y, near);
			cairn_int8 rest = near & ~new &within8(x, y, ex, ey, (float)LATELY_REACH_M);
			moves = new &MOVES;
			s->some |= cairn_some_of8(new);
			if (past->lately_count > 0 && cairn_some_of8(rest))
				ask(ret_asked, s, i, rest);
		}
		memcpy(&s->found[i], &moves, sizeof(moves));
	}
}

static void find_standing(const struct past *past, const struct asked *asked, struct stretch *s)
{
	for (uint32_t i = 0; i < asked->count; i += 8) {
		uint32_t left = asked->count - i;
		cairn_int8 came =
		    came_lately(past, eight_of(&asked->x_m[i], left), eight_of(&asked->y_m[i], left));
		for (uint32_t k = 0; cairn_some_of8(came) && k < 8 && k < left; k++)
			if (came[k] != 0) {
				s->found[asked->at[i + k]] = STANDS;
				s->some = true;
			}
	}
}

/* Keeps what was found as far as there is room for it. */
static void keep_found(struct cairn_dynamic_obstacles *m, const struct stretch *s, uint8_t *counts)
{
	for (uint32_t i = 0; i < s->count && m->points < CAIRN_DYNAMIC_OBSTACLES_MAX; i++) {
		if (s->found[i] == NOTHING)
			continue;
		uint8_t *count = &counts[s->turn->bin[s->from + i]];
		*count = (uint8_t)(*count + (*count < 100));
		m->stands[m->points] = s->found[i] == STANDS;
		m->x_m[m->points] = s->points->x_m[s->from + i];
		m->y_m[m->points++] = s->points->y_m[s->from + i];
	}
}

static void find_movers(struct cairn_dynamic_obstacles *m, const struct cairn_points *points,
    struct cairn_pose2 pose, const struct turn *turn, int64_t t_ns)
{
	struct past past;
	struct asked asked;
	struct stretch s = {.points = points, .turn = turn};
	uint8_t counts[CAIRN_DYNAMIC_OBSTACLES_BINS] = {0};
	find_past(m, pose, t_ns, &past);
	m->points = 0;
	for (; s.from < points->count && m->points < CAIRN_DYNAMIC_OBSTACLES_MAX; s.from += STRETCH) {
		size_t left = points->count - s.from;
		s.count = left < STRETCH ? (uint32_t)left : STRETCH;
		s.some = false;
		find_moving(m, &past, &s, &asked);
		find_standing(&past, &asked, &s);
		if (s.some)
			keep_found(m, &s, counts);
	}
	keep_together(m, pose, counts);
}

void cairn_dynamic_obstacles_scan(struct cairn_dynamic_obstacles *m, const struct cairn_points *points,
    struct cairn_pose2 pose, int64_t t_start_ns, int64_t t_end_ns)
{
	if (!(m->params.person_mps > 0.0))
		return;
	struct turn turn;
	measure_turn(m, points, &turn);
	find_movers(m, points, pose, &turn, t_end_ns);
	double turn_s = (double)(t_end_ns - t_start_ns) * 1e-9;
	m->t_ns = turn_s > 0.0 && turn_s <= TURN_MAX_S ? t_start_ns : t_end_ns;
	struct cairn_dynamic_obstacles_view view;
	make_view(&view, &turn,
	    cairn_pose_compose(pose, (struct cairn_pose2){m->params.lidar.x_m, m->params.lidar.y_m, 0.0}),
	    t_end_ns);
	keep_view(m, &view);
}
