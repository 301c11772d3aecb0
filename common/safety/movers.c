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

static void keep_view(
    struct cairn_movers *m, const struct cairn_points *points, struct cairn_pose2 eye, int64_t t_ns)
{
	struct cairn_movers_view *v = &m->views[m->next];
	m->next = (m->next + 1) % CAIRN_MOVERS_VIEWS;
	m->count += m->count < CAIRN_MOVERS_VIEWS;
	v->t_ns = t_ns;
	v->eye = eye;
	for (int i = 0; i < CAIRN_MOVERS_BINS; i++)
		v->range_m[i] = INFINITY;
	float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	for (size_t i = 0; i < points->count; i++) {
		float x = points->x_m[i] - ex, y = points->y_m[i] - ey;
		uint32_t bin = bin_of(x, y);
		float range = sqrtf(x * x + y * y);
		v->range_m[bin] = range < v->range_m[bin] ? range : v->range_m[bin];
	}
}

/* The view looked past this place, seen from its eye, on to something farther. */
static bool saw_free(const struct cairn_movers_view *v, float x, float y)
{
	uint32_t bin = bin_of(x, y);
	float far = INFINITY;
	for (uint32_t i = 0; i < 3; i++)
		far = fminf(far, v->range_m[(bin + CAIRN_MOVERS_BINS - 1 + i) % CAIRN_MOVERS_BINS]);
	return far < INFINITY && sqrtf(x * x + y * y) < far - (float)DEEP_M;
}

struct earlier {
	const struct cairn_movers_view *view;
	struct carry carry; /* from the robot frame of the new turn to the eye's */
};

static uint32_t find_earlier(const struct cairn_movers *m, struct cairn_pose2 pose, int64_t t_ns,
    struct earlier ret[CAIRN_MOVERS_VIEWS])
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->count; i++) {
		const struct cairn_movers_view *v = &m->views[i];
		double age_s = (double)(t_ns - v->t_ns) * 1e-9;
		if (age_s >= AGE_MIN_S && age_s <= AGE_MAX_S)
			ret[n++] = (struct earlier){v, carry_by(cairn_pose_between(v->eye, pose))};
	}
	return n;
}

static bool is_new(const struct earlier *earlier, uint32_t count, float x, float y)
{
	for (uint32_t i = 0; i < count; i++) {
		float ex, ey;
		carried(&earlier[i].carry, x, y, &ex, &ey);
		if (!saw_free(earlier[i].view, ex, ey))
			return false;
	}
	return count > 0;
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
		kept++;
	}
	m->points = kept;
}

void cairn_movers_scan(struct cairn_movers *m, const struct cairn_points *points, struct cairn_pose2 pose,
    int64_t t_start_ns, int64_t t_end_ns)
{
	if (!(m->params.person_mps > 0.0))
		return;
	struct earlier earlier[CAIRN_MOVERS_VIEWS];
	uint32_t n = find_earlier(m, pose, t_end_ns, earlier);
	uint8_t counts[CAIRN_MOVERS_BINS] = {0};
	float ex = (float)m->params.lidar.x_m, ey = (float)m->params.lidar.y_m;
	m->points = 0;
	for (size_t i = 0; i < points->count && m->points < CAIRN_MOVERS_MAX; i++) {
		float x = points->x_m[i] - ex, y = points->y_m[i] - ey;
		if (x * x + y * y > (float)(REACH_M * REACH_M) ||
		    !is_new(earlier, n, points->x_m[i], points->y_m[i]))
			continue;
		uint8_t *bin = &counts[bin_of(x, y)];
		*bin = (uint8_t)(*bin + (*bin < 100));
		m->x_m[m->points] = points->x_m[i];
		m->y_m[m->points++] = points->y_m[i];
	}
	keep_together(m, pose, counts);
	double turn_s = (double)(t_end_ns - t_start_ns) * 1e-9;
	m->t_ns = turn_s > 0.0 && turn_s <= TURN_MAX_S ? t_start_ns : t_end_ns;
	keep_view(m, points,
	    cairn_pose_compose(pose, (struct cairn_pose2){m->params.lidar.x_m, m->params.lidar.y_m, 0.0}),
	    t_end_ns);
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
		double gap_m = gap_to(&p->body, at);
		double room_m = gap_m - p->person_mps * (age_s + p->reaction_s) - SPARE_M;
		double v = speed_for(p, room_m, closing_share(&p->body, at, gap_m, ahead));
		if (v < best.limit_mps)
			best = (struct cairn_movers_limit){v, atan2(at.y_m, at.x_m), hypot(at.x_m, at.y_m)};
	}
	return best;
}
