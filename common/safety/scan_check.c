#include "common/safety/scan_check.h"

#include <math.h>
#include <string.h>

#define BINS_MIN 34 /* of 36: a revolution must have beams in nearly all directions */
#define BINS 36
#define RETURNS_MIN 0.1    /* share of beams with a return; a covered LiDAR has none */
#define ONE_RANGE_M 0.002f /* no room is so round that all returns lie this near to each other */
#define AT_MAX 0.99f       /* of the maximum range: here a device puts beams that it did not measure */
#define AT_MAX_SHARE 0.5   /* no room puts half of all returns into the last hundredth of the range */
#define MOVED_M 0.10       /* compared after this much motion */
#define MOVED_RAD 0.10     /* or this much turning */
#define OFF_MAX_M 0.20     /* one direction counts no more than this: people and doors move, too */
#define OFF_MIN_M 0.015    /* mean by which the motion must fail to fit before it is doubted */
#define TIMES 3.0          /* so many times better must the other explanation fit */
#define COMPARED_MIN 60    /* directions with a return in both revolutions */
#define CHANGED_M 0.03     /* mean change of a view that is not the doubted one any more */
#define STANDS_M 0.02      /* less motion than this is none */
#define STANDS_RAD 0.02
#define APART_M 0.4    /* after more than this, as when scans were missing, too much has come in sight */
#define HEADING_BINS 3 /* the gyro may be off by so many directions between the two */
#define AGAIN_NS INT64_C(1000000000) /* a standing robot compares as often */
#define UNFIT_M                                                                                              \
	0.08 /* mean by which one revolution may fail to fit: of a true LiDAR among people and doors 1 of 200 does */
#define UNFIT_MAX_M                                                                                          \
	0.25 /* sum of what is more; a recorded drive without a gyro (freiburg-079, 393 m) reaches it once */
#define STEADY 2     /* seconds before the same view */
#define WELL_FIT 0.8 /* share of a revolution */
#define LEAST_FIT 0.6
#define OTHER_M 0.04 /* a motion that is so much another one than that of wheels and gyro ... */
#define OTHER_RAD 0.06
#define OTHER_GAIN 0.10 /* ... has to fit so much more of the revolution */
#define EARLY_M                                                                                              \
	0.05 /* how far a robot drives that has yet to show that its sensors agree, until they are asked first */
#define PROVEN_M2 0.015 /* of sensor_votes.h's way_m2 */

/* ---- form ---- */

static const char *angles_fault(const struct cairn_msg_scan *scan)
{
	const uint32_t n = scan->angle_rad_count;
	uint32_t bad = 0;
	for (uint32_t i = 0; i < n; i++)
		bad |= !(fabsf(scan->angle_rad[i]) <= 7.0f);
	if (bad != 0)
		return "scan with angles that are none";
	uint64_t seen = 0;
	for (uint32_t i = 0; i < n; i++) {
		double a = (double)scan->angle_rad[i];
		int bin = (int)((a + 8.0 * M_PI) * (BINS / (2.0 * M_PI))) % BINS;
		seen |= UINT64_C(1) << bin;
	}
	if (__builtin_popcountll(seen) < BINS_MIN)
		return "scan that does not look all round";
	return NULL;
}

const char *cairn_scan_fault(const struct cairn_msg_scan *scan, const struct cairn_directions *believed)
{
	const uint32_t n = scan->angle_rad_count;
	const float min_m = scan->range_min_m, max_m = scan->range_max_m;
	uint32_t returns = 0, at_max = 0;
	float least_m = INFINITY, most_m = 0.0f;
	if (n == 0 || n != scan->range_m_count)
		return "scan without matching angles and ranges";
	const char *fault = cairn_directions_are(believed, scan->angle_rad, n) ? NULL : angles_fault(scan);
	if (fault != NULL)
		return fault;
	for (uint32_t i = 0; i < n; i++) { /* without branches: many at a time */
		float r = scan->range_m[i];
		bool some = (r > 0.0f) & (r >= min_m) & (r <= max_m);
		returns += some;
		at_max += some & (r >= AT_MAX * max_m);
		float low = some ? r : INFINITY, high = some ? r : 0.0f;
		least_m = low < least_m ? low : least_m;
		most_m = high > most_m ? high : most_m;
	}
	if (returns < RETURNS_MIN * n)
		return "scan that sees nearly nothing";
	if (at_max > AT_MAX_SHARE * returns)
		return "scan with most returns at the maximum range";
	if (most_m - least_m < ONE_RANGE_M)
		return "scan with one range in all directions";
	return NULL;
}

/* ---- motion ---- */

static void look(struct cairn_scan_view *view, const struct cairn_points *points)
{
	memset(view, 0, sizeof(*view));
	for (size_t i = 0; i < points->count; i++) {
		float x = points->x_m[i], y = points->y_m[i], r = sqrtf(x * x + y * y);
		int bin =
		    (int)((atan2f(y, x) + (float)M_PI) * (float)(CAIRN_SCAN_CHECK_BINS / (2.0 * M_PI))) %
		    CAIRN_SCAN_CHECK_BINS;
		bool first = view->near_m[bin] == 0.0f;
		if (first || r < view->near_m[bin])
			view->near_m[bin] = r;
		if (first || r > view->far_m[bin])
			view->far_m[bin] = r;
	}
}

/* Nearest and farthest of a direction and its neighbours, so that a wall seen at a flat angle fits wherever its
 * returns happen to fall. False: no return there. */
static bool span_at(const struct cairn_scan_view *v, int bin, float *ret_near_m, float *ret_far_m)
{
	bool some = false;
	for (int d = -1; d <= 1; d++) {
		int k = (bin + d + CAIRN_SCAN_CHECK_BINS) % CAIRN_SCAN_CHECK_BINS;
		if (v->near_m[k] == 0.0f)
			continue;
		*ret_near_m = some ? fminf(*ret_near_m, v->near_m[k]) : v->near_m[k];
		*ret_far_m = some ? fmaxf(*ret_far_m, v->far_m[k]) : v->far_m[k];
		some = true;
	}
	return some;
}

/* Mean distance between what is seen and what was expected, turned by so many directions; negative: too few to tell. */
static double turned_off_m(
    const struct cairn_scan_view *seen, const struct cairn_scan_view *expected, int turned)
{
	double sum = 0.0;
	int count = 0;
	for (int i = 0; i < CAIRN_SCAN_CHECK_BINS; i++) {
		float near_m, far_m;
		int at = (i + turned + CAIRN_SCAN_CHECK_BINS) % CAIRN_SCAN_CHECK_BINS;
		if (seen->near_m[i] == 0.0f || !span_at(expected, at, &near_m, &far_m))
			continue;
		float off_m = fmaxf(fmaxf(near_m - seen->near_m[i], seen->near_m[i] - far_m), 0.0f);
		sum += fmin((double)off_m, OFF_MAX_M);
		count++;
	}
	return count >= COMPARED_MIN ? sum / count : -1.0;
}

static double mean_off_m(const struct cairn_scan_view *seen, const struct cairn_scan_view *expected)
{
	return turned_off_m(seen, expected, 0);
}

static void begin(struct cairn_scan_motion *m, const struct cairn_points *points,
    const struct cairn_reckoning *at, int64_t now_ns)
{
	m->some = true;
	m->pose = at->pose;
	m->steering_rad = at->steering_rad;
	m->turned_in_place_rad = at->turned_in_place_rad;
	m->voted = false;
	m->t_ns = now_ns;
	m->points.count = points->count;
	memcpy(m->points.x_m, points->x_m, points->count * sizeof(points->x_m[0]));
	memcpy(m->points.y_m, points->y_m, points->count * sizeof(points->y_m[0]));
}

void cairn_scan_motion_reset(struct cairn_scan_motion *m)
{
	m->some = false;
	m->doubt = CAIRN_SCAN_DOUBT_NONE;
	m->doubts = m->astrays = 0;
	m->unfit_m = 0.0;
	cairn_sensor_votes_clear(&m->votes);
}

/* Doubted as STILL: the same view yet, and for how long? True when the doubt is over. */
static bool still_over(
    struct cairn_scan_motion *m, const struct cairn_scan_view *seen, bool standing, int64_t now_ns)
{
	struct cairn_scan_view before;
	look(&before, &m->points);
	double off_m = mean_off_m(seen, &before);
	if (off_m > CHANGED_M) {
		m->doubts = 0;
		return true;
	}
	return standing && m->doubts < CAIRN_SCAN_CHECK_TRIES &&
	       now_ns - m->t_doubt_ns > (int64_t)(CAIRN_SCAN_CHECK_RETRY_S * 1e9);
}

/* How well the reference fits; negative: too few directions to tell. */
struct fit {
	double still_m;   /* as it was */
	double carried_m; /* as it would look after the motion */
	double least_m;   /* the same where the heading since may be off by a little */
};

static struct fit compare(
    struct cairn_scan_motion *m, const struct cairn_scan_view *seen, struct cairn_pose2 moved)
{
	struct cairn_scan_view expected;
	struct fit f;
	look(&expected, &m->points);
	f.still_m = mean_off_m(seen, &expected);
	cairn_points_move(&m->moved, &m->points, moved);
	look(&expected, &m->moved);
	f.carried_m = f.least_m = mean_off_m(seen, &expected);
	for (int turned = 1; turned <= HEADING_BINS && f.least_m > UNFIT_M; turned++)
		f.least_m = fmin(f.least_m,
		    fmin(turned_off_m(seen, &expected, turned), turned_off_m(seen, &expected, -turned)));
	return f;
}

/* Doubted as ASTRAY: does the robot stand, and the view with it? True when the doubt is over. */
static bool astray_over(struct cairn_scan_motion *m, double unfit_m, bool standing)
{
	m->steady = standing && unfit_m >= 0.0 && unfit_m <= UNFIT_M ? m->steady + 1 : 0;
	return m->steady >= STEADY && m->astrays < CAIRN_SCAN_CHECK_TRIES;
}

static const char *doubt_text(const struct cairn_scan_motion *m)
{
	switch (m->doubt) {
	case CAIRN_SCAN_DOUBT_STILL:
		return "the scan does not follow the motion: old picture, or wheels slip";
	case CAIRN_SCAN_DOUBT_ASTRAY:
		return "scans fit no motion: picture of another time or place, or robot carried";
	default:
		return NULL;
	}
}

static void doubt(struct cairn_scan_motion *m, enum cairn_scan_doubt doubt, int64_t now_ns)
{
	m->doubt = doubt;
	m->t_doubt_ns = now_ns;
	m->steady = m->fits = 0;
	m->unfit_m = 0.0;
}

static void confirm(struct cairn_scan_motion *m)
{
	m->confirmed++;
	m->doubts = 0;
	if (m->astrays > 0 && ++m->fits == CAIRN_SCAN_CHECK_FORGIVES) {
		m->astrays--;
		m->fits = 0;
	}
}

/* What the scan itself says of the motion goes to the votes, if the wheels have made it and it is a motion at all (who turns
 * a standing robot by hand proves nothing of its sensors' signs to it): most of what is seen has to lie where it was, and no worse than after the motion by wheels and gyro. A search that begins there may end in a place that only
 * looks alike, so where that fits badly it begins at none as well. */
static void vote(struct cairn_scan_motion *m, const struct cairn_points *points, struct cairn_pose2 moved,
    double steered_rad, bool turns)
{
	struct cairn_votes_piece piece = {.odometry = moved, .steering_rad = steered_rad};
	struct cairn_shift other;
	if (hypot(moved.x_m, moved.y_m) < STANDS_M && !turns)
		return;
	cairn_shift_lines_from(&m->lines, &m->points);
	bool some = cairn_shift_find(&m->lines, points, moved, &piece.scan);
	if ((!some || piece.scan.fit < WELL_FIT) &&
	    cairn_shift_find(&m->lines, points, (struct cairn_pose2){0}, &other) &&
	    (!some || other.fit > piece.scan.fit)) {
		piece.scan = other;
		some = true;
	}
	if (!some || piece.scan.fit < LEAST_FIT)
		return;
	struct cairn_pose2 off = cairn_pose_between(moved, piece.scan.moved);
	bool other_motion = hypot(off.x_m, off.y_m) > OTHER_M || fabs(off.yaw_rad) > OTHER_RAD;
	double gain = piece.scan.fit - cairn_shift_fit(&m->lines, points, moved);
	if (gain >= (other_motion ? OTHER_GAIN : 0.0))
		(void)cairn_sensor_votes_hear(&m->votes, &piece);
}

/* A comparison that can tell something. */
static void judge(struct cairn_scan_motion *m, const struct fit *f, bool far, int64_t now_ns)
{
	m->compared++;
	m->unfit_m = fmax(m->unfit_m + f->least_m - UNFIT_M, 0.0);
	if (far && f->carried_m > OFF_MIN_M && f->carried_m > TIMES * f->still_m) {
		m->doubts++;
		m->contradicted_still++;
		doubt(m, CAIRN_SCAN_DOUBT_STILL, now_ns);
	} else if (m->unfit_m > UNFIT_MAX_M) {
		m->astrays += far; /* who carries a standing robot about does no harm */
		m->contradicted_astray++;
		doubt(m, CAIRN_SCAN_DOUBT_ASTRAY, now_ns);
	} else if (far && f->still_m > OFF_MIN_M && f->still_m > TIMES * f->carried_m) {
		confirm(m);
	}
}

const char *cairn_scan_motion_fault(struct cairn_scan_motion *m, const struct cairn_points *points,
    const struct cairn_reckoning *at, int64_t now_ns)
{
	struct cairn_pose2 moved = cairn_pose_between(m->pose, at->pose);
	double moved_m = hypot(moved.x_m, moved.y_m), moved_rad = fabs(moved.yaw_rad);
	double steered_rad = at->steering_rad - m->steering_rad;
	bool turns = fabs(at->turned_in_place_rad - m->turned_in_place_rad) >= STANDS_RAD;
	bool astray = m->doubt == CAIRN_SCAN_DOUBT_ASTRAY;
	bool far = moved_m >= MOVED_M || moved_rad >= MOVED_RAD || fabs(steered_rad) >= MOVED_RAD;
	/* Not while it creeps: the way since the reference has to add up. */
	bool again =
	    now_ns - m->t_ns >= AGAIN_NS && (astray || (moved_m < STANDS_M && moved_rad < STANDS_RAD));
	if (m->some && !m->voted && m->doubt == CAIRN_SCAN_DOUBT_NONE && moved_m >= EARLY_M &&
	    m->votes.way_m2 < PROVEN_M2) {
		m->voted = true;
		vote(m, points, moved, steered_rad, turns);
	}
	struct cairn_scan_view seen;
	if (m->some && (astray ? !again : m->doubt == CAIRN_SCAN_DOUBT_NONE && !far && !again))
		return doubt_text(m);
	look(&seen, points);
	if (m->doubt == CAIRN_SCAN_DOUBT_STILL) {
		if (!still_over(m, &seen, at->standing, now_ns))
			return doubt_text(m);
		m->doubt = CAIRN_SCAN_DOUBT_NONE;
	} else if (m->some) {
		struct fit f = compare(m, &seen, moved);
		if (far && !astray && moved_m < APART_M)
			vote(m, points, moved, steered_rad, turns);
		if (astray && astray_over(m, f.least_m, at->standing))
			m->doubt = CAIRN_SCAN_DOUBT_NONE;
		else if (!astray && f.still_m >= 0.0 && f.least_m >= 0.0 && moved_m < APART_M)
			judge(m, &f, far, now_ns);
		if (m->doubt == CAIRN_SCAN_DOUBT_STILL)
			return doubt_text(m); /* the reference stays: it is what the doubt is about */
	}
	begin(m, points, at, now_ns);
	return doubt_text(m);
}
