#include "common/safety/monitor_polygons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/polygon.h"

#define SECTOR_SPARE_RAD 1e-6 /* more than rounding is */
#define NO_COSINE 2.0         /* none is beyond it */
#define LOOK_AHEAD_M 0.05     /* of a motion, to see what it brings nearer */
#define NEARER_M 0.005        /* less than this over LOOK_AHEAD_M is not nearer: noise and the rear's swing */
#define BESIDE_M 0.10         /* points this far beside the way are ahead of it */
#define APPROACH_REACH_M 1.5
#define APPROACH_STEP_MAX_S 0.35
#define APPROACH_SPEED_MAX_MPS 3.0 /* faster is another thing come in sight */
#define APPROACH_BINS_MIN 2
#define NEIGHBOURS 1

bool cairn_monitor_polygon_shape_parse(
    struct cairn_monitor_polygon_shape *ret, const char *text, struct cairn_error *err)
{
	struct cairn_monitor_polygon_shape z = {0};
	if (strcmp(text, "off") == 0) {
		*ret = z;
		return true;
	}
	int used = 0;
	if (sscanf(text, "circle %lf%n", &z.radius_m, &used) == 1 && text[used] == '\0' && z.radius_m > 0.0 &&
	    z.radius_m <= 5.0) {
		*ret = z;
		return true;
	}
	z.radius_m = 0.0;
	const char *at = text;
	while (*at != '\0' && z.count < CAIRN_ZONE_CORNERS_MAX) {
		struct cairn_vec2 *c = &z.corners[z.count];
		if (sscanf(at, "%lf,%lf %n", &c->x_m, &c->y_m, &used) != 2 || !(fabs(c->x_m) <= 5.0) ||
		    !(fabs(c->y_m) <= 5.0))
			break;
		z.count++;
		at += used;
	}
	if (*at != '\0' || z.count < 3) {
		cairn_error_set(
		    err, "'%.60s' is neither 'circle R' nor at least three corners 'x,y' nor 'off'", text);
		return false;
	}
	*ret = z;
	return true;
}

static struct cairn_monitor_polygon_shape shape_or(const char *text, double radius_m)
{
	struct cairn_monitor_polygon_shape z;
	struct cairn_error err = {""};
	if (!cairn_monitor_polygon_shape_parse(&z, text, &err)) /* the configuration's check has said so */
		z = (struct cairn_monitor_polygon_shape){.radius_m = radius_m};
	return z;
}

struct cairn_monitor_polygons_params cairn_monitor_polygons_params_from(const struct cairn_config *cfg)
{
	const struct cairn_config_safety *s = &cfg->safety;
	return (struct cairn_monitor_polygons_params){
	    .body = {cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m,
		cfg->robot.footprint_half_width_m},
	    .stop = shape_or(s->stop_zone, 0.25),
	    .slow = shape_or(s->slow_zone, 0.50),
	    .stop_points = s->stop_zone_points,
	    .slow_points = s->slow_zone_points,
	    .slow_share = s->slow_zone_share,
	    .slow_beside = s->slow_zone_beside,
	    .creep_mps = s->creep_mps,
	    .emergency_points = s->emergency_points,
	    .emergency_m = s->emergency_m,
	    .emergency_rad = cairn_deg_to_rad(s->emergency_deg),
	    .emergency_clear_s = s->emergency_clear_s,
	    .approach_mps = s->approach_mps,
	    .approach_s = s->approach_s};
}

void cairn_monitor_polygons_init(
    struct cairn_monitor_polygons *z, const struct cairn_monitor_polygons_params *params)
{
	*z = (struct cairn_monitor_polygons){.params = *params};
}

static double centre_of(const struct cairn_monitor_polygons *z)
{
	return 0.5 * (z->params.body.front_m - z->params.body.rear_m);
}

static bool inside(const struct cairn_monitor_polygons *z, const struct cairn_monitor_polygon_shape *shape,
    double x, double y)
{
	if (shape->count > 0)
		return cairn_polygon_contains(shape->corners, shape->count, x, y);
	double dx = x - centre_of(z);
	return dx * dx + y * y < shape->radius_m * shape->radius_m;
}

static double gap2_to(const struct cairn_footprint *body, double x, double y)
{
	double dx = cairn_larger(cairn_larger(x - body->front_m, -body->rear_m - x), 0.0);
	double dy = cairn_larger(fabs(y) - body->half_width_m, 0.0);
	return dx * dx + dy * dy;
}

static double gap_to(const struct cairn_footprint *body, double x, double y)
{
	return sqrt(gap2_to(body, x, y));
}

/* ---- what comes near by itself ---- */

struct ring {
	double gap_m[CAIRN_APPROACH_BINS];
};

/* Bins are even in this stand-in for the angle (0 .. 4, without trigonometry), nearly even in the angle. */
static int bin_of(float x, float y)
{
	float sum = fabsf(x) + fabsf(y), f = sum > 0.0f ? y / sum : 0.0f;
	float turn = x >= 0.0f ? (f >= 0.0f ? f : 4.0f + f) : 2.0f - f;
	int bin = (int)(turn * (CAIRN_APPROACH_BINS / 4.0f));
	return bin < CAIRN_APPROACH_BINS ? bin : 0;
}

/* In loops of their own what can be done many at a time, with an n that the compiler knows. */
static inline void fill_block(const struct cairn_monitor_polygons *z, const float *restrict x_m,
    const float *restrict y_m, size_t n, float reach2, double *ring_gap2)
{
	const struct cairn_footprint body = z->params.body;
	const float middle = (float)centre_of(z);
	double gap2[CAIRN_POINTS_BLOCK];
	float d2[CAIRN_POINTS_BLOCK];
	int bin[CAIRN_POINTS_BLOCK];
	for (size_t i = 0; i < n; i++)
		gap2[i] = gap2_to(&body, (double)x_m[i], (double)y_m[i]);
	for (size_t i = 0; i < n; i++) {
		float dx = x_m[i] - middle, y = y_m[i];
		d2[i] = dx * dx + y * y;
		bin[i] = bin_of(dx, y);
	}
	for (size_t i = 0; i < n; i++)
		if (!(d2[i] > reach2))
			ring_gap2[bin[i]] = cairn_smaller(gap2[i], ring_gap2[bin[i]]);
}

static void fill(const struct cairn_monitor_polygons *z, const struct cairn_points *points, double reach_m,
    struct ring *ring)
{
	float middle = (float)centre_of(z), reach = (float)reach_m + 0.2f, reach2 = reach * reach;
	double gap2[CAIRN_APPROACH_BINS];
	for (int i = 0; i < CAIRN_APPROACH_BINS; i++)
		gap2[i] = INFINITY;
	const float some2 = nextafterf(reach2, INFINITY); /* as far counts here */
	for (size_t from = 0; from < points->count; from += CAIRN_POINTS_BLOCK) {
		const float *x_m = &points->x_m[from], *y_m = &points->y_m[from];
		if (points->count - from < CAIRN_POINTS_BLOCK)
			fill_block(z, x_m, y_m, points->count - from, reach2, gap2);
		else if (cairn_block_within(points, from, points->count, middle, 0.0f, some2))
			fill_block(z, x_m, y_m, CAIRN_POINTS_BLOCK, reach2, gap2);
	}
	for (int i = 0; i < CAIRN_APPROACH_BINS; i++)
		ring->gap_m[i] = sqrt(gap2[i]);
}

/* Nearest in a bin and its neighbours: what only moved sideways, or stood beside an edge, has come no nearer.
 */
static double around(const struct ring *ring, int bin)
{
	double best = INFINITY;
	for (int i = -NEIGHBOURS; i <= NEIGHBOURS; i++)
		best =
		    cairn_smaller(best, ring->gap_m[(bin + i + CAIRN_APPROACH_BINS) % CAIRN_APPROACH_BINS]);
	return best;
}

void cairn_monitor_polygons_scan(struct cairn_monitor_polygons *z, const struct cairn_points *now,
    const struct cairn_points *before, int64_t t_ns, int64_t t_before_ns)
{
	const struct cairn_monitor_polygons_params *p = &z->params;
	double dt_s = (double)(t_ns - t_before_ns) * 1e-9;
	if (p->approach_s <= 0.0 || !(dt_s > 0.02) || dt_s > APPROACH_STEP_MAX_S)
		return;
	struct ring is, was;
	fill(z, now, APPROACH_REACH_M, &is);
	fill(z, before, APPROACH_REACH_M + APPROACH_SPEED_MAX_MPS * dt_s, &was);
	int in_a_row = 0;
	for (int i = 0; i < CAIRN_APPROACH_BINS + APPROACH_BINS_MIN; i++) {
		int bin = i % CAIRN_APPROACH_BINS;
		double gap = is.gap_m[bin], closing = (around(&was, bin) - gap) / dt_s;
		bool comes = gap < APPROACH_REACH_M && closing > p->approach_mps &&
			     closing < APPROACH_SPEED_MAX_MPS && gap < closing * p->approach_s;
		in_a_row = comes ? in_a_row + 1 : 0;
		if (in_a_row < APPROACH_BINS_MIN)
			continue;
		z->approach_ns = t_ns + (int64_t)(p->approach_s * 1e9);
		z->approach_bearing_rad = cairn_wrap_rad((bin + 0.5) * (2.0 * M_PI / CAIRN_APPROACH_BINS));
		return;
	}
}

/* ---- what a motion is allowed ---- */

struct motion {
	double sign, curvature, heading_rad; /* heading: of the footprint's centre */
	double heading_c, heading_s;
	double sector_in,
	    sector_out; /* cosines of the emergency's sector: a little less than it is, and a little more */
	struct cairn_pose2 ahead; /* robot after LOOK_AHEAD_M, inverted */
};

static struct motion motion_of(const struct cairn_monitor_polygons *z, double curvature_1pm, bool forward)
{
	double sign = forward ? 1.0 : -1.0;
	struct cairn_pose2 step = cairn_pose_advance(
	    (struct cairn_pose2){0}, (struct cairn_twist){sign, sign * curvature_1pm}, LOOK_AHEAD_M);
	double heading = atan(curvature_1pm * centre_of(z)), sector = z->params.emergency_rad;
	heading = forward ? heading : cairn_wrap_rad(heading + M_PI);
	return (struct motion){sign, curvature_1pm, heading, cos(heading), sin(heading),
	    sector > 2.0 * SECTOR_SPARE_RAD ? cos(fmin(sector - SECTOR_SPARE_RAD, M_PI)) : NO_COSINE,
	    sector < M_PI - 2.0 * SECTOR_SPARE_RAD ? cos(fmax(sector + SECTOR_SPARE_RAD, 0.0)) : -NO_COSINE,
	    cairn_pose_inverse(step)};
}

/* Is a place, seen from the footprint's centre, in the emergency's sector? Nearly always the cosine tells. */
static bool in_sector(
    const struct cairn_monitor_polygons *z, const struct motion *m, double dx, double y, double d2)
{
	double along = dx * m->heading_c + y * m->heading_s, d = sqrt(d2);
	if (along > d * m->sector_in)
		return true;
	if (along < d * m->sector_out)
		return false;
	return fabs(cairn_wrap_rad(atan2(y, dx) - m->heading_rad)) <= z->params.emergency_rad;
}

struct counts {
	int stop, slow, emergency;
	double gap_now_m,
	    gap_then_m;     /* nearest of the points in the stop zone, before and after LOOK_AHEAD_M */
	double near_then_m; /* nearest of those in the emergency's sector, after it */
	bool in_the_way;    /* one of these is within the footprint's width of the way */
	size_t stop_at, slow_at, emergency_at;
};

static void count_point(const struct cairn_monitor_polygons *z, const struct motion *m, double x, double y,
    size_t i, struct counts *c)
{
	const struct cairn_monitor_polygons_params *p = &z->params;
	double dx = x - centre_of(z);
	if (inside(z, &p->slow, x, y)) {
		bool ahead = m->sign * dx > 0.0 &&
			     fabs(y - 0.5 * m->curvature * x * x) <= p->body.half_width_m + BESIDE_M;
		if (ahead || p->slow_beside) {
			c->slow++;
			c->slow_at = i;
		}
	}
	if (inside(z, &p->stop, x, y)) {
		struct cairn_vec2 then = cairn_pose_apply(m->ahead, (struct cairn_vec2){x, y});
		double now_m = gap_to(&p->body, x, y), then_m = gap_to(&p->body, then.x_m, then.y_m);
		c->stop++;
		if (then_m < c->gap_then_m) {
			c->gap_then_m = then_m;
			c->stop_at = i;
		}
		c->gap_now_m = fmin(c->gap_now_m, now_m);
	}
	double d2 = dx * dx + y * y;
	if (d2 < p->emergency_m * p->emergency_m && in_sector(z, m, dx, y, d2)) {
		struct cairn_vec2 then = cairn_pose_apply(m->ahead, (struct cairn_vec2){x, y});
		double then_m = gap_to(&p->body, then.x_m, then.y_m);
		bool in_the_way = fabs(y - 0.5 * m->curvature * x * x) <= p->body.half_width_m;
		c->emergency++;
		c->in_the_way |= in_the_way && then_m < gap_to(&p->body, x, y) - NEARER_M;
		if (then_m < c->near_then_m) {
			c->near_then_m = then_m;
			c->emergency_at = i;
		}
	}
}

/* P1, with its memory of clear_s. */
static bool emergency(struct cairn_monitor_polygons *z, const struct counts *c, bool forward, int64_t now_ns)
{
	int64_t *seen_ns = &z->emergency_ns[forward ? 1 : 0];
	/* Beside the way it matters only when it becomes the nearest of all: a wall is slid along. */
	bool nearer = c->in_the_way || c->near_then_m < c->gap_now_m - NEARER_M;
	if (nearer && c->emergency >= z->params.emergency_points && z->params.emergency_points > 0)
		*seen_ns = now_ns;
	return *seen_ns != 0 && now_ns - *seen_ns < (int64_t)(z->params.emergency_clear_s * 1e9);
}

struct cairn_monitor_polygon_limit cairn_monitor_polygon_free(void)
{
	return (struct cairn_monitor_polygon_limit){
	    CAIRN_ZONE_FREE, INFINITY, 0.0, -1.0, CAIRN_ZONE_NO_POINT};
}

static struct cairn_monitor_polygon_limit limit_by(const struct cairn_points *points,
    enum cairn_monitor_polygon_verdict verdict, double limit_mps, size_t at)
{
	if (at == CAIRN_ZONE_NO_POINT) /* an emergency that is remembered */
		return (struct cairn_monitor_polygon_limit){verdict, limit_mps, 0.0, -1.0, at};
	double x = (double)points->x_m[at], y = (double)points->y_m[at];
	return (struct cairn_monitor_polygon_limit){verdict, limit_mps, atan2(y, x), hypot(x, y), at};
}

struct cairn_monitor_polygon_limit cairn_monitor_polygons_limit(struct cairn_monitor_polygons *z,
    const struct cairn_points *points, size_t count, double curvature_1pm, bool forward, double speed_mps,
    int64_t now_ns)
{
	const struct cairn_monitor_polygons_params *p = &z->params;
	struct motion m = motion_of(z, curvature_1pm, forward);
	struct counts c = {.gap_now_m = INFINITY,
	    .gap_then_m = INFINITY,
	    .near_then_m = INFINITY,
	    .stop_at = CAIRN_ZONE_NO_POINT,
	    .slow_at = CAIRN_ZONE_NO_POINT,
	    .emergency_at = CAIRN_ZONE_NO_POINT};
	double reach = p->emergency_m;
	reach = fmax(
	    reach, p->stop.count > 0 || p->slow.count > 0 ? 8.0 : fmax(p->stop.radius_m, p->slow.radius_m));
	float middle = (float)centre_of(z), reach2 = (float)(reach * reach);
	for (size_t from = 0; from < count; from += CAIRN_POINTS_BLOCK) {
		if (!cairn_block_within(points, from, count, middle, 0.0f, reach2))
			continue; /* nearly all */
		for (size_t i = from; i < count && i < from + CAIRN_POINTS_BLOCK; i++) {
			float dx = points->x_m[i] - middle, y = points->y_m[i];
			if (dx * dx + y * y < reach2)
				count_point(z, &m, (double)points->x_m[i], (double)y, i, &c);
		}
	}
	if (now_ns < z->approach_ns)
		return (struct cairn_monitor_polygon_limit){
		    CAIRN_ZONE_APPROACH, 0.0, z->approach_bearing_rad, -1.0, CAIRN_ZONE_NO_POINT};
	if (emergency(z, &c, forward, now_ns))
		return limit_by(points, CAIRN_ZONE_EMERGENCY, 0.0, c.emergency_at);
	if (c.stop >= p->stop_points && c.gap_then_m < c.gap_now_m - NEARER_M)
		return limit_by(points, CAIRN_ZONE_STOP, 0.0, c.stop_at);
	if (c.stop >= p->stop_points)
		return limit_by(points, CAIRN_ZONE_CREEP, p->creep_mps, c.stop_at);
	if (c.slow >= p->slow_points)
		return limit_by(points, CAIRN_ZONE_SLOW,
		    fmax(p->slow_share * fabs(speed_mps), fmin(p->creep_mps, fabs(speed_mps))), c.slow_at);
	return cairn_monitor_polygon_free();
}

struct cairn_monitor_polygon_limit cairn_monitor_polygons_spin_limit(
    const struct cairn_monitor_polygons *z, int64_t now_ns)
{
	if (now_ns >= z->approach_ns)
		return cairn_monitor_polygon_free();
	return (struct cairn_monitor_polygon_limit){
	    CAIRN_ZONE_APPROACH, 0.0, z->approach_bearing_rad, -1.0, CAIRN_ZONE_NO_POINT};
}
