/* scan_arc.c - how far the footprint gets along an arc. */
#include "common/scan/scan.h"

#include <math.h>

/* Below this curvature an arc is a line: over a horizon of 10 m it leaves the line by 0.05 mm. */
#define STRAIGHT_1PM 1e-6
/* Wider arcs go where the camera has looked, with 60 degrees of view or more. */
#define TIGHT_1PM 1.0
#define SIGHT_STEP_M 0.1
#define BLOCK CAIRN_POINTS_BLOCK

struct rect {
	double front_m, rear_m, left_m, right_m; /* x in -rear..front, y in -right..left */
};

/* How far a point sticks out of the rectangle, negative inside: the Chebyshev gap, which is what widening all
 * four sides by the same margin measures. */
static double gap_of(const struct cairn_footprint *body, double x_m, double y_m)
{
	double along = cairn_larger(x_m - body->front_m, -body->rear_m - x_m);
	return cairn_larger(along, fabs(y_m) - body->half_width_m);
}

/* Points that matter, by their number. */
struct chosen {
	size_t count;
	uint16_t index[CAIRN_POINTS_MAX];
};
_Static_assert(CAIRN_POINTS_MAX <= UINT16_MAX, "a number of a point fits");

/* Where points matter, in single precision and by more than that loses: beside the body, and on the way of
 * its widest outline. There low <= bend (x^2 + y^2) + tilt y <= high: of a circle about (0, c) the squared
 * radius less c squared, of a line y. */
struct ground {
	float near2, far2; /* squared distances from the origin */
	float bend, tilt, low, high;
};

static inline int matters(const struct ground *g, float x, float y)
{
	float r2 = x * x + y * y, h = g->bend * r2 + g->tilt * y;
	return (r2 <= g->near2) | ((r2 <= g->far2) & (h >= g->low) & (h <= g->high));
}

/* The same of eight. */
static inline cairn_int8 matter8(const struct ground *g, const float *x_m, const float *y_m)
{
	cairn_float8 x = cairn_load8(x_m), y = cairn_load8(y_m);
	cairn_float8 r2 = x * x + y * y, h = g->bend * r2 + g->tilt * y;
	return (r2 <= g->near2) | ((r2 <= g->far2) & (h >= g->low) & (h <= g->high));
}

static inline bool some_matter(const struct ground *g, const float *x_m, const float *y_m)
{
	cairn_int8 some = {0};
	for (size_t i = 0; i < BLOCK; i += 8)
		some |= matter8(g, &x_m[i], &y_m[i]);
	return cairn_some_of8(some);
}

/* Neighbours in a scan are neighbours in the room: of most blocks of them none matters. */
static void choose(
    struct chosen *ret, const struct cairn_points *points, size_t count, const struct ground *g)
{
	const struct ground ground = *g;
	size_t n = 0;
	for (size_t from = 0; from < count; from += BLOCK) {
		size_t end = from + BLOCK < count ? from + BLOCK : count;
		if (end - from == BLOCK && !some_matter(&ground, &points->x_m[from], &points->y_m[from]))
			continue;
		for (size_t i = from; i < end; i++) {
			ret->index[n] = (uint16_t)i;
			n += (size_t)matters(&ground, points->x_m[i], points->y_m[i]);
		}
	}
	ret->count = n;
}

bool cairn_sight_shows(
    const struct cairn_sight *sight, double x_m, double y_m, double curvature_1pm, double way_m)
{
	double c = cos(sight->at.yaw_rad), s = sin(sight->at.yaw_rad);
	for (double way = 0.0; way <= way_m; way += SIGHT_STEP_M) {
		struct cairn_pose2 at = cairn_pose_advance(
		    (struct cairn_pose2){0}, (struct cairn_twist){1.0, curvature_1pm}, way);
		struct cairn_vec2 p = cairn_pose_apply(cairn_pose_inverse(at), (struct cairn_vec2){x_m, y_m});
		double dx = p.x_m - sight->at.x_m, dy = p.y_m - sight->at.y_m;
		double ahead = c * dx + s * dy, aside = c * dy - s * dx;
		if (ahead > sight->near_m && fabs(aside) < sight->tan_half * ahead)
			return true;
	}
	return false;
}

/* Adds the unseen floor on the inner side of a tight arc that no picture will show in time. */
static void choose_blind(struct chosen *ret, const struct cairn_points *points, double curvature_1pm,
    double horizon_m, const struct ground *g)
{
	for (size_t i = points->count; i < points->count + points->behind; i++) {
		double x = (double)points->x_m[i], y = (double)points->y_m[i];
		if (matters(g, points->x_m[i], points->y_m[i]) && y * curvature_1pm > 0.0 &&
		    !cairn_sight_shows(&points->sight, x, y, curvature_1pm, horizon_m))
			ret->index[ret->count++] = (uint16_t)i;
	}
}

/* The footprint with its margins: full ones, or half the gap where something is nearer than twice the margin.
 */
static struct rect widened(const struct cairn_points *points, const struct chosen *chosen,
    const struct cairn_footprint *body, double margin_m, float near2)
{
	double front = 2.0 * margin_m, rear = front, left = front, right = front; /* smallest gaps */
	for (size_t k = 0; k < chosen->count; k++) {
		size_t i = chosen->index[k];
		if (points->x_m[i] * points->x_m[i] + points->y_m[i] * points->y_m[i] > near2)
			continue;
		double x = (double)points->x_m[i], y = (double)points->y_m[i];
		double along =
		    fabs(x - 0.5 * (body->front_m - body->rear_m)) - 0.5 * (body->front_m + body->rear_m);
		double across = fabs(y) - body->half_width_m;
		double gap = along > across ? along : across;
		if (gap >= 2.0 * margin_m || gap <= 0.0)
			continue;
		double *side = along > across ? (x > 0.0 ? &front : &rear) : (y > 0.0 ? &left : &right);
		*side = gap < *side ? gap : *side;
	}
	return (struct rect){body->front_m + 0.5 * front, body->rear_m + 0.5 * rear,
	    body->half_width_m + 0.5 * left, body->half_width_m + 0.5 * right};
}

static bool within(const struct rect *r, double y_m)
{
	return y_m >= -r->right_m && y_m <= r->left_m;
}

/* True when a motion carries a point that is inside the bare footprint out through the side nearest to it.
 * (ux, uy) is the velocity of the point as the robot sees it. */
static bool leaves_inside(const struct cairn_footprint *body, double x_m, double y_m, double ux, double uy)
{
	double front = body->front_m - x_m, rear = x_m + body->rear_m;
	double side = body->half_width_m - fabs(y_m);
	if (side <= front && side <= rear)
		return y_m > 0.0 ? uy > 0.0 : uy < 0.0;
	return front <= rear ? ux > 0.0 : ux < 0.0;
}

/* Travel in a straight line until the rectangle reaches a point outside it; infinite if it passes. */
static double line_travel(const struct rect *r, double x_m, double y_m, bool forward)
{
	if (!within(r, y_m))
		return INFINITY;
	double s = forward ? x_m - r->front_m : -r->rear_m - x_m;
	return s >= 0.0 ? s : INFINITY;
}

/* A monotone stand-in for the angle of (cosine, sine) in [0, 2 pi): 0..4, without trigonometry. */
static double pseudo_angle(double cosine, double sine)
{
	double sum = fabs(cosine) + fabs(sine);
	if (!(sum > 0.0))
		return 0.0;
	if (sine >= 0.0)
		return cosine >= 0.0 ? sine / sum : 1.0 - cosine / sum;
	return cosine < 0.0 ? 2.0 - sine / sum : 3.0 + cosine / sum;
}

static double true_angle(double pseudo)
{
	double q = floor(pseudo), f = pseudo - q;
	return 0.5 * M_PI * q + atan2(f, 1.0 - f);
}

/* One turn of the robot about its instantaneous centre (0, c): points turn the other way about it. */
struct turn {
	double c_m;
	double sense; /* +1: the robot turns counter-clockwise */
};

/* Where the point's circle, of which (px, py) is the point relative to the centre, meets (qx, qy). */
static double meet(const struct turn *t, double px, double py, double qx, double qy)
{
	return pseudo_angle(px * qx + py * qy, t->sense * (py * qx - px * qy));
}

/* Smallest pseudo angle by which the robot turns until a point outside the rectangle lies on its outline;
 * infinite if never. Differences are factored, so that a centre far away (a nearly straight arc) costs no
 * precision. */
static double turn_travel(const struct turn *t, const struct rect *r, double x_m, double y_m)
{
	double c = t->c_m, px = x_m, py = y_m - c, best = INFINITY;
	const double sides[2] = {r->left_m, -r->right_m};
	for (int i = 0; i < 2; i++) { /* the two long sides, y = Y */
		double edge = sides[i];
		double x2 = px * px + (y_m - edge) * (y_m + edge - 2.0 * c);
		if (x2 < 0.0)
			continue;
		double qx = sqrt(x2), qy = edge - c;
		if (qx <= r->front_m)
			best = cairn_smaller(meet(t, px, py, qx, qy), best);
		if (qx <= r->rear_m)
			best = cairn_smaller(meet(t, px, py, -qx, qy), best);
	}
	const double ends[2] = {r->front_m, -r->rear_m};
	for (int i = 0; i < 2; i++) { /* the two short ones, x = X */
		double grow = (px - ends[i]) * (px + ends[i]);
		double qy2 = py * py + grow;
		if (qy2 < 0.0)
			continue;
		double root = copysign(sqrt(qy2), py);
		double near = fabs(root + py) > 0.0 ? y_m + grow / (root + py) : c;
		if (within(r, near))
			best = cairn_smaller(meet(t, px, py, ends[i], near - c), best);
		if (within(r, c - root))
			best = cairn_smaller(meet(t, px, py, ends[i], -root), best);
	}
	return best;
}

struct search {
	const struct cairn_footprint *body;
	struct rect wide;
	bool forward;
	const struct chosen *chosen;
	double best; /* metres on a line, pseudo angle on a circle */
	size_t at;
};

static void keep(struct search *s, double travel, size_t i)
{
	if (travel < s->best) {
		s->best = travel;
		s->at = i;
	}
}

static void search_line(struct search *s, const struct cairn_points *points)
{
	double ux = s->forward ? -1.0 : 1.0;
	for (size_t k = 0; k < s->chosen->count; k++) {
		size_t i = s->chosen->index[k];
		double x = (double)points->x_m[i], y = (double)points->y_m[i];
		if (!within(&s->wide, y))
			continue;
		if (gap_of(s->body, x, y) > 0.0)
			keep(s, line_travel(&s->wide, x, y, s->forward), i);
		else if (!leaves_inside(s->body, x, y, ux, 0.0))
			keep(s, 0.0, i);
	}
}

/* Points whose circle about the centre (0, c) does not reach the rectangle at all go at once: squared radius
 * less c squared, between the nearest and the farthest part of the rectangle. */
static void ring_of(const struct rect *r, double c, double *ret_low, double *ret_high)
{
	double inner = c > 0.0 ? r->left_m : r->right_m;
	double reach = fmax(r->front_m, r->rear_m), width = fmax(r->left_m, r->right_m);
	*ret_low = fabs(c) > inner ? inner * (inner - 2.0 * fabs(c)) : -c * c;
	*ret_high = reach * reach + width * (width + 2.0 * fabs(c));
}

/* Nothing farther than the corners and the horizon can be met within it: most of a room is not looked at, nor
 * what lies beside the way. Half a millimetre is more than single precision loses at any reach that counts.
 */
static struct ground ground_about(
    const struct cairn_footprint *body, double margin_m, bool straight, double c, double horizon_m)
{
	const double spare_m = 5e-4;
	double front = fmax(body->front_m, body->rear_m), side = body->half_width_m;
	double near_m = hypot(front + 2.0 * margin_m, side + 2.0 * margin_m) + spare_m;
	double far_m = hypot(front + margin_m, side + margin_m) + fmax(horizon_m, 2.0 * margin_m) + spare_m;
	struct rect widest = {
	    body->front_m + margin_m, body->rear_m + margin_m, side + margin_m, side + margin_m};
	struct ground g = {.near2 = (float)(near_m * near_m), .far2 = (float)(far_m * far_m)};
	if (straight) {
		g.tilt = 1.0f;
		g.high = (float)(widest.left_m + spare_m);
		g.low = -g.high;
		return g;
	}
	double low, high;
	ring_of(&widest, c, &low, &high);
	double spare = spare_m * (far_m + 2.0 * fabs(c)); /* as if all were so much farther in and out */
	g.bend = 1.0f;
	g.tilt = (float)(-2.0 * c);
	g.low = (float)(low - spare);
	g.high = (float)(high + spare);
	return g;
}

static void search_circle(struct search *s, const struct cairn_points *points, const struct turn *t)
{
	double c = t->c_m, low, high;
	ring_of(&s->wide, c, &low, &high);
	for (size_t k = 0; k < s->chosen->count; k++) {
		size_t i = s->chosen->index[k];
		double x = (double)points->x_m[i], y = (double)points->y_m[i];
		double h = x * x + y * (y - 2.0 * c);
		if (h < low || h > high)
			continue;
		if (gap_of(s->body, x, y) > 0.0)
			keep(s, turn_travel(t, &s->wide, x, y), i);
		else if (!leaves_inside(s->body, x, y, t->sense * (y - c), -t->sense * x))
			keep(s, 0.0, i);
	}
}

struct cairn_arc_hit cairn_arc_clearance(const struct cairn_points *points,
    const struct cairn_footprint *body, double margin_m, double curvature_1pm, bool forward, double horizon_m)
{
	if (!isfinite(margin_m) || !isfinite(curvature_1pm) || !isfinite(horizon_m) || horizon_m < 0.0)
		return (struct cairn_arc_hit){.free_m = 0.0, .bearing_rad = 0.0, .hit = true};
	struct chosen chosen;
	double margin = fmax(margin_m, 0.0);
	bool straight = fabs(curvature_1pm) < STRAIGHT_1PM;
	struct ground ground =
	    ground_about(body, margin, straight, straight ? 0.0 : 1.0 / curvature_1pm, horizon_m);
	choose(&chosen, points, points->count + (forward ? 0 : points->behind), &ground);
	if (forward && points->sight.tan_half > 0.0 && fabs(curvature_1pm) >= TIGHT_1PM)
		choose_blind(&chosen, points, curvature_1pm, horizon_m, &ground);
	struct search s = {.body = body,
	    .wide = widened(points, &chosen, body, margin, ground.near2),
	    .forward = forward,
	    .chosen = &chosen,
	    .best = INFINITY};
	double free_m;
	if (straight) {
		search_line(&s, points);
		free_m = s.best;
	} else {
		struct turn t = {1.0 / curvature_1pm, (curvature_1pm > 0.0) == forward ? 1.0 : -1.0};
		search_circle(&s, points, &t);
		free_m = s.best < INFINITY ? fabs(t.c_m) * true_angle(s.best) : INFINITY;
	}
	if (!(free_m < horizon_m))
		return (struct cairn_arc_hit){.free_m = horizon_m, .bearing_rad = 0.0, .hit = false};
	return (struct cairn_arc_hit){.free_m = free_m,
	    .bearing_rad = atan2((double)points->y_m[s.at], (double)points->x_m[s.at]),
	    .hit = true,
	    .point = s.at};
}

struct cairn_spin_hit cairn_spin_clearance(
    const struct cairn_points *points, const struct cairn_footprint *body, double margin_m, bool left)
{
	if (!isfinite(margin_m))
		return (struct cairn_spin_hit){.hit = true};
	struct chosen chosen;
	double margin = fmax(margin_m, 0.0);
	struct ground ground = ground_about(body, margin, false, 0.0, 0.0);
	choose(&chosen, points, points->count + points->behind, &ground);
	struct search s = {.body = body,
	    .wide = widened(points, &chosen, body, margin, ground.near2),
	    .chosen = &chosen,
	    .best = INFINITY};
	search_circle(&s, points, &(struct turn){0.0, left ? 1.0 : -1.0});
	if (!(s.best < INFINITY))
		return (struct cairn_spin_hit){.free_rad = CAIRN_SPIN_FREE_RAD};
	return (struct cairn_spin_hit){.free_rad = true_angle(s.best),
	    .bearing_rad = atan2((double)points->y_m[s.at], (double)points->x_m[s.at]),
	    .hit = true,
	    .point = s.at};
}
