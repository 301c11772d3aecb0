#include "common/safety/movers.h"

#include <math.h>
#include <string.h>

#define AGE_MIN_S 0.25
#define AGE_MAX_S 0.45
#define REACH_M 2.0     /* farther movers are no matter yet */
#define DEEP_M 0.08     /* so far within what was free: more than noise and slip */
#define TURN_MAX_S 0.25 /* a turn said to be longer lies about its beginning */
#define SPARE_M 0.03
#define TOGETHER_MIN 2 /* returns side by side: a single one is a stray */
#define LEAVES_M 0.015 /* between himself and the robot, whoever walks up to it */
#define EDGE_M 0.1     /* before the body: what it comes to cover next */
#define LATELY_REACH_M 1.5
#define LATELY_DEEP_M 0.15 /* poses some seconds apart agree less well */
#define LATELY_APART_S 1.0
#define LATELY_FREE_MIN 3
#define BEFORE_WEIGHT 4 /* of turns so many times as far apart */

struct cairn_movers_params cairn_movers_params_from(const struct cairn_config *cfg, double reaction_s)
{
	return (struct cairn_movers_params){
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .lidar = {cfg->robot.lidar_x_m, cfg->robot.lidar_y_m},
	    .person_mps = cfg->safety.person_mps,
	    .reaction_s = reaction_s,
	    .decel_mps2 = cfg->robot.decel_max_mps2};
}

void cairn_movers_init(struct cairn_movers *m, const struct cairn_movers_params *params)
{
	memset(m, 0, sizeof(*m));
	m->params = *params;
}

/* Bins are even in this stand-in for the angle (0 .. 4, without trigonometry), nearly even in the angle. */
static uint32_t bin_of(float x, float y)
{
	float sum = fabsf(x) + fabsf(y), f = sum > 0.0f ? y / sum : 0.0f;
	float turn = x >= 0.0f ? (f >= 0.0f ? f : 4.0f + f) : 2.0f - f;
	int bin = (int)(turn * (CAIRN_MOVERS_BINS / 4.0f));
	return bin >= 0 && bin < CAIRN_MOVERS_BINS ? (uint32_t)bin : 0;
}

static cairn_float4 either4(cairn_int4 which, cairn_float4 a, cairn_float4 b)
{
	return (cairn_float4)((which & (cairn_int4)a) | (~which & (cairn_int4)b));
}

/* The same of four. */
static cairn_int4 bin_of4(cairn_float4 x, cairn_float4 y)
{
	const cairn_int4 size = (cairn_int4){0} + INT32_MAX; /* all but the sign */
	cairn_float4 sum = (cairn_float4)((cairn_int4)x & size) + (cairn_float4)((cairn_int4)y & size);
	cairn_float4 f = (cairn_float4)((cairn_int4)(y / sum) & (sum > 0.0f));
	cairn_float4 turn = either4(x >= 0.0f, either4(f >= 0.0f, f, 4.0f + f), 2.0f - f);
	cairn_int4 bin = __builtin_convertvector(turn * (CAIRN_MOVERS_BINS / 4.0f), cairn_int4);
	return bin & (bin >= 0) & (bin < CAIRN_MOVERS_BINS);
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
	uint8_t bin[CAIRN_POINTS_MAX];
	float range_m[CAIRN_POINTS_MAX];
	float nearest_m[CAIRN_MOVERS_BINS];
};
_Static_assert(CAIRN_MOVERS_BINS <= UINT8_MAX + 1, "a bin fits");

static void measure_turn(const struct cairn_movers *m, const struct cairn_points *points, struct turn *ret)
{
	float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	for (int i = 0; i < CAIRN_MOVERS_BINS; i++)
		ret->nearest_m[i] = INFINITY;
	for (size_t i = 0; i < points->count; i++) {
		float x = points->x_m[i] - ex, y = points->y_m[i] - ey;
		ret->range_m[i] = sqrtf(x * x + y * y);
	}
	size_t fours = points->count - points->count % 4;
	for (size_t i = 0; i < fours; i += 4) {
		cairn_int4 bin =
		    bin_of4(cairn_load4(&points->x_m[i]) - ex, cairn_load4(&points->y_m[i]) - ey);
		for (int k = 0; k < 4; k++)
			ret->bin[i + (size_t)k] = (uint8_t)bin[k];
	}
	for (size_t i = fours; i < points->count; i++)
		ret->bin[i] = (uint8_t)bin_of(points->x_m[i] - ex, points->y_m[i] - ey);
	for (size_t i = 0; i < points->count; i++) {
		float *nearest = &ret->nearest_m[ret->bin[i]];
		*nearest = ret->range_m[i] < *nearest ? ret->range_m[i] : *nearest;
	}
}

static void make_view(
    struct cairn_movers_view *v, const struct turn *turn, struct cairn_pose2 eye, int64_t t_ns)
{
	const float *r = turn->nearest_m;
	v->t_ns = t_ns;
	v->eye = eye;
	for (uint32_t i = 0; i < CAIRN_MOVERS_BINS; i++) {
		float before = r[i > 0 ? i - 1 : CAIRN_MOVERS_BINS - 1],
		      after = r[i + 1 < CAIRN_MOVERS_BINS ? i + 1 : 0];
		float beside = before < after ? before : after;
		v->range_m[i] = r[i] < beside ? r[i] : beside;
	}
}

static void keep_apart(struct cairn_movers_ring *ring, const struct cairn_movers_view *view, double apart_s)
{
	uint32_t last = (ring->next + CAIRN_MOVERS_LATELY - 1) % CAIRN_MOVERS_LATELY;
	if (ring->count > 0 && (double)(view->t_ns - ring->views[last].t_ns) * 1e-9 < apart_s)
		return;
	ring->views[ring->next] = *view;
	ring->next = (ring->next + 1) % CAIRN_MOVERS_LATELY;
	ring->count += ring->count < CAIRN_MOVERS_LATELY;
}

static void keep_view(struct cairn_movers *m, const struct cairn_movers_view *view)
{
	m->views[m->next] = *view;
	m->next = (m->next + 1) % CAIRN_MOVERS_VIEWS;
	m->count += m->count < CAIRN_MOVERS_VIEWS;
	if (m->params.lately_s > 0.0) {
		keep_apart(&m->lately, view, LATELY_APART_S);
		keep_apart(&m->before, view, LATELY_APART_S * BEFORE_WEIGHT);
	}
}

/* What a view knows of a place, seen from its eye: negative when it is hidden or nothing came back from
 * there, 0 when something stood there, else it looked past it, on to something farther by more than deep_m.
 */
static int looked(const struct cairn_movers_view *v, float x, float y, float deep_m)
{
	float far = v->range_m[bin_of(x, y)], d = sqrtf(x * x + y * y);
	if (far == INFINITY || far < d - deep_m)
		return -1;
	return far > d + deep_m;
}

struct earlier {
	const struct cairn_movers_view *view;
	struct carry carry; /* from the robot frame of the new turn to the eye's */
	int weight;         /* of its word among others: the seconds that it stands for */
};

/* The views of an age between these, of count. */
static uint32_t find_earlier(const struct cairn_movers_view *views, uint32_t count, struct cairn_pose2 pose,
    int64_t t_ns, double age_min_s, double age_max_s, int weight, struct earlier *ret)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		double age_s = (double)(t_ns - views[i].t_ns) * 1e-9;
		if (age_s >= age_min_s && age_s <= age_max_s)
			ret[n++] = (struct earlier){
			    &views[i], carry_by(cairn_pose_between(views[i].eye, pose)), weight};
	}
	return n;
}

static int looked_earlier(const struct earlier *earlier, float x, float y, float deep_m)
{
	float ex, ey;
	carried(&earlier->carry, x, y, &ex, &ey);
	return looked(earlier->view, ex, ey, deep_m);
}

static bool is_new(const struct earlier *earlier, uint32_t count, float x, float y)
{
	for (uint32_t i = 0; i < count; i++)
		if (looked_earlier(&earlier[i], x, y, (float)DEEP_M) <= 0)
			return false;
	return count > 0;
}

/* It was looked past for longer than it was seen: a thin leg is missed now and then, not so often. */
static bool came_lately(const struct earlier *earlier, uint32_t count, float x, float y)
{
	int views = 0, free_s = 0, taken_s = 0, left_s = 0;
	for (uint32_t i = 0; i < count; i++)
		left_s += earlier[i].weight;
	for (uint32_t i = 0; i < count; i++) {
		if (views + (int)(count - i) < LATELY_FREE_MIN || free_s + left_s <= taken_s)
			return false; /* the others cannot turn it any more */
		int l = looked_earlier(&earlier[i], x, y, (float)LATELY_DEEP_M);
		views += l > 0;
		free_s += l > 0 ? earlier[i].weight : 0;
		taken_s += l == 0 ? earlier[i].weight : 0;
		left_s -= earlier[i].weight;
	}
	return views >= LATELY_FREE_MIN && free_s > taken_s;
}

/* Drops what stands alone, and puts the rest where the robot's motion does not carry it about. */
static void keep_together(struct cairn_movers *m, struct cairn_pose2 pose, const uint8_t *counts)
{
	struct carry out = carry_by(pose);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < m->points; i++) {
		uint32_t bin =
		    bin_of(m->x_m[i] - (float)m->params.lidar.x_m, m->y_m[i] - (float)m->params.lidar.y_m);
		uint32_t side = counts[(bin + CAIRN_MOVERS_BINS - 1) % CAIRN_MOVERS_BINS] + counts[bin] +
				counts[(bin + 1) % CAIRN_MOVERS_BINS];
		if (side < TOGETHER_MIN)
			continue;
		carried(&out, m->x_m[i], m->y_m[i], &m->x_m[kept], &m->y_m[kept]);
		m->stands[kept++] = m->stands[i];
	}
	m->points = kept;
}

void cairn_movers_scan(struct cairn_movers *m, const struct cairn_points *points, struct cairn_pose2 pose,
    int64_t t_start_ns, int64_t t_end_ns)
{
	if (!(m->params.person_mps > 0.0))
		return;
	struct earlier earlier[CAIRN_MOVERS_VIEWS], lately[2 * CAIRN_MOVERS_LATELY];
	const double lately_s = m->params.lately_s,
		     young_s = fmin(lately_s, LATELY_APART_S * CAIRN_MOVERS_LATELY);
	uint32_t n = find_earlier(m->views, m->count, pose, t_end_ns, AGE_MIN_S, AGE_MAX_S, 1, earlier);
	/* The answer is the same in any order; those with more weight settle most of it sooner. */
	uint32_t n_lately = find_earlier(m->before.views, m->before.count, pose, t_end_ns, young_s, lately_s,
	    BEFORE_WEIGHT, lately);
	n_lately += find_earlier(m->lately.views, m->lately.count, pose, t_end_ns, AGE_MAX_S, young_s, 1,
	    lately + n_lately);
	struct turn turn;
	measure_turn(m, points, &turn);
	uint8_t counts[CAIRN_MOVERS_BINS] = {0};
	float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	m->points = 0;
	for (size_t i = 0; i < points->count && m->points < CAIRN_MOVERS_MAX; i++) {
		float x = points->x_m[i] - ex, y = points->y_m[i] - ey, range2 = x * x + y * y;
		if (range2 > (float)(REACH_M * REACH_M))
			continue;
		uint32_t bin = turn.bin[i];
		/* One of each direction is enough of what stands, and most of what is near does. */
		bool asked = range2 <= (float)(LATELY_REACH_M * LATELY_REACH_M) &&
			     turn.range_m[i] <= turn.nearest_m[bin];
		bool new = is_new(earlier, n, points->x_m[i], points->y_m[i]);
		if (!new && !(asked && came_lately(lately, n_lately, points->x_m[i], points->y_m[i])))
			continue;
		counts[bin] = (uint8_t)(counts[bin] + (counts[bin] < 100));
		m->stands[m->points] = !new;
		m->x_m[m->points] = points->x_m[i];
		m->y_m[m->points++] = points->y_m[i];
	}
	keep_together(m, pose, counts);
	double turn_s = (double)(t_end_ns - t_start_ns) * 1e-9;
	m->t_ns = turn_s > 0.0 && turn_s <= TURN_MAX_S ? t_start_ns : t_end_ns;
	struct cairn_movers_view view;
	make_view(&view, &turn,
	    cairn_pose_compose(pose, (struct cairn_pose2){m->params.lidar.x_m, m->params.lidar.y_m, 0.0}),
	    t_end_ns);
	keep_view(m, &view);
}

static double gap_to(const struct cairn_footprint *body, struct cairn_vec2 p)
{
	double dx = fmax(fmax(p.x_m - body->front_m, -body->rear_m - p.x_m), 0.0);
	double dy = fmax(fabs(p.y_m) - body->half_width_m, 0.0);
	return sqrt(dx * dx + dy * dy);
}

/* Share of the travel that closes the gap: the greatest over the ways that braking may take. */
static double closing_share(
    const struct cairn_footprint *body, struct cairn_vec2 p, double gap_m, const struct cairn_pose2 ahead[2])
{
	static const double way_m[2] = {0.05, 0.20};
	double share = 0.0;
	for (int i = 0; i < 2; i++)
		share = fmax(share, (gap_m - gap_to(body, cairn_pose_apply(ahead[i], p))) / way_m[i]);
	return fmin(share, 1.0);
}

/* The positive v of f (v r + v^2 / 2a) + w v / a = room. */
static double speed_for(const struct cairn_movers_params *p, double room_m, double share)
{
	if (!(room_m > 0.0))
		return 0.0;
	double a = share / (2.0 * p->decel_mps2), b = share * p->reaction_s + p->person_mps / p->decel_mps2;
	if (a < 1e-9)
		return room_m / b;
	return (sqrt(b * b + 4.0 * a * room_m) - b) / (2.0 * a);
}

/* Beside somebody who moves. */
static double limit_moving(const struct cairn_movers_params *p, struct cairn_vec2 at, double age_s,
    const struct cairn_pose2 ahead[2])
{
	double gap_m = gap_to(&p->body, at);
	double room_m = gap_m - p->person_mps * (age_s + p->reaction_s) - SPARE_M;
	return speed_for(p, room_m, closing_share(&p->body, at, gap_m, ahead));
}

/* Beside somebody who stands. */
static double limit_standing(
    const struct cairn_movers_params *p, struct cairn_vec2 at, double age_s, bool forward)
{
	struct cairn_footprint edge = p->body;
	if (forward) {
		edge.rear_m = -p->body.front_m;
		edge.front_m += EDGE_M;
	} else {
		edge.front_m = -p->body.rear_m;
		edge.rear_m += EDGE_M;
	}
	double gap_m = gap_to(&edge, at), late_s = age_s + p->reaction_s;
	double room_m = gap_m - p->person_mps * late_s - SPARE_M;
	if (room_m > 0.0)
		return speed_for(p, room_m, 1.0);
	double rest_s = late_s - gap_m / p->person_mps, a = p->decel_mps2;
	return (sqrt(rest_s * rest_s + 2.0 * LEAVES_M / a) - rest_s) * a;
}

struct cairn_movers_limit cairn_movers_limit(
    const struct cairn_movers *m, struct cairn_pose2 pose, double curvature_1pm, bool forward, int64_t now_ns)
{
	const struct cairn_movers_params *p = &m->params;
	struct cairn_movers_limit best = {INFINITY, 0.0, -1.0};
	if (m->points == 0)
		return best;
	double sign = forward ? 1.0 : -1.0, age_s = fmax((double)(now_ns - m->t_ns) * 1e-9, 0.0);
	struct cairn_twist way = {sign, sign * curvature_1pm};
	struct cairn_pose2 zero = {0}, ahead[2] = {cairn_pose_inverse(cairn_pose_advance(zero, way, 0.05)),
					   cairn_pose_inverse(cairn_pose_advance(zero, way, 0.20))};
	struct cairn_pose2 here = cairn_pose_inverse(pose);
	for (uint32_t i = 0; i < m->points; i++) {
		struct cairn_vec2 at =
		    cairn_pose_apply(here, (struct cairn_vec2){(double)m->x_m[i], (double)m->y_m[i]});
		double v =
		    m->stands[i] ? limit_standing(p, at, age_s, forward) : limit_moving(p, at, age_s, ahead);
		if (v < best.limit_mps)
			best = (struct cairn_movers_limit){v, atan2(at.y_m, at.x_m), hypot(at.x_m, at.y_m)};
	}
	return best;
}
