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

/* Mean distance between what is seen and what was expected; negative: too few directions to tell. */
static double mean_off_m(const struct cairn_scan_view *seen, const struct cairn_scan_view *expected)
{
	double sum = 0.0;
	int count = 0;
	for (int i = 0; i < CAIRN_SCAN_CHECK_BINS; i++) {
		float near_m, far_m;
		if (seen->near_m[i] == 0.0f || !span_at(expected, i, &near_m, &far_m))
			continue;
		float off_m = fmaxf(fmaxf(near_m - seen->near_m[i], seen->near_m[i] - far_m), 0.0f);
		sum += fmin((double)off_m, OFF_MAX_M);
		count++;
	}
	return count >= COMPARED_MIN ? sum / count : -1.0;
}

static void begin(struct cairn_scan_motion *m, const struct cairn_points *points, struct cairn_pose2 pose)
{
	m->some = true;
	m->doubted = false;
	m->pose = pose;
	m->points.count = points->count;
	memcpy(m->points.x_m, points->x_m, points->count * sizeof(points->x_m[0]));
	memcpy(m->points.y_m, points->y_m, points->count * sizeof(points->y_m[0]));
}

void cairn_scan_motion_reset(struct cairn_scan_motion *m)
{
	m->some = m->doubted = false;
	m->doubts = 0;
}

/* Doubted: still the same view, and for how long? True when the doubt is over. */
static bool doubt_over(
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

bool cairn_scan_follows(struct cairn_scan_motion *m, const struct cairn_points *points,
    struct cairn_pose2 pose, bool standing, int64_t now_ns)
{
	struct cairn_pose2 moved = cairn_pose_between(m->pose, pose);
	bool far = hypot(moved.x_m, moved.y_m) >= MOVED_M || fabs(moved.yaw_rad) >= MOVED_RAD;
	if (m->some && !m->doubted && !far)
		return true;
	struct cairn_scan_view seen, still, carried;
	look(&seen, points);
	if (m->doubted && !doubt_over(m, &seen, standing, now_ns))
		return false;
	if (!m->some || m->doubted) {
		begin(m, points, pose);
		return true;
	}
	look(&still, &m->points);
	cairn_points_move(&m->moved, &m->points, moved);
	look(&carried, &m->moved);
	double still_m = mean_off_m(&seen, &still), carried_m = mean_off_m(&seen, &carried);
	bool known = still_m >= 0.0 && carried_m >= 0.0;
	m->compared += known;
	if (known && carried_m > OFF_MIN_M && carried_m > TIMES * still_m) {
		m->doubted = true;
		m->doubts++;
		m->contradicted++;
		m->t_doubt_ns = now_ns;
		return false;
	}
	if (known && still_m > OFF_MIN_M && still_m > TIMES * carried_m) {
		m->confirmed++;
		m->doubts = 0;
	}
	begin(m, points, pose);
	return true;
}
