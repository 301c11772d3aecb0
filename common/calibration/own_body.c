#include "common/calibration/own_body.h"

#include <math.h>

#include "common/base/geom.h"
#include "common/calibration/mount_finder.h"

#define N CAIRN_OWN_BODY_DIRECTIONS
#define REVOLUTIONS_MIN 10
#define SEEN_SHARE 0.8 /* thin things are missed now and then */
#define STEADY_M 0.03  /* noise; the room moves by more in a turn */
#define REACH_M 0.5    /* no robot of this size reaches farther */

void cairn_own_body_scan(struct cairn_own_body *body, const struct cairn_points *points)
{
	float nearest_m[N];
	for (int i = 0; i < N; i++)
		nearest_m[i] = INFINITY;
	for (uint32_t i = 0; i < points->count; i++) {
		double deg = cairn_rad_to_deg(atan2((double)points->y_m[i], (double)points->x_m[i]));
		int at = ((int)lround(deg) + N) % N;
		nearest_m[at] = fminf(nearest_m[at], hypotf(points->x_m[i], points->y_m[i]));
	}
	body->revolutions++;
	for (int i = 0; i < N; i++) {
		if (!isfinite(nearest_m[i]))
			continue;
		bool first = body->seen[i]++ == 0;
		body->least_m[i] = first ? nearest_m[i] : fminf(body->least_m[i], nearest_m[i]);
		body->most_m[i] = first ? nearest_m[i] : fmaxf(body->most_m[i], nearest_m[i]);
	}
}

static bool own(const struct cairn_own_body *body, int at)
{
	int i = at % N;
	return body->seen[i] >= SEEN_SHARE * body->revolutions && (double)body->most_m[i] < REACH_M &&
	       (double)(body->most_m[i] - body->least_m[i]) < STEADY_M;
}

int cairn_own_body_found(
    const struct cairn_own_body *body, double turned_rad, struct cairn_own_arc arcs[CAIRN_OWN_BODY_ARCS])
{
	int count = 0, start = 0;
	if (body->revolutions < REVOLUTIONS_MIN || fabs(turned_rad) < CAIRN_MOUNT_TURN_MIN_RAD)
		return 0;
	while (start < N && own(body, start)) /* no arc begins within one */
		start++;
	if (start == N)
		return 0; /* covered all round: nothing to tell apart */
	for (int at = start; at < start + N && count < CAIRN_OWN_BODY_ARCS; at++) {
		if (!own(body, at))
			continue;
		struct cairn_own_arc *arc = &arcs[count++];
		*arc = (struct cairn_own_arc){.from_deg = at, .nearest_m = INFINITY};
		for (; own(body, at) || own(body, at + 1); at++) {
			if (!own(body, at))
				continue;
			arc->to_deg = at;
			arc->nearest_m = fmin(arc->nearest_m, (double)body->least_m[at % N]);
			arc->farthest_m = fmax(arc->farthest_m, (double)body->most_m[at % N]);
		}
		if (arc->from_deg >= N) {
			arc->from_deg -= N;
			arc->to_deg -= N;
		}
	}
	return count;
}

bool cairn_own_body_is(const struct cairn_own_arc *arcs, int count, double angle_rad, double range_m)
{
	int deg = ((int)lround(cairn_rad_to_deg(cairn_wrap_rad(angle_rad))) + N) % N;
	for (int i = 0; i < count; i++) {
		bool within = (deg >= arcs[i].from_deg && deg <= arcs[i].to_deg) || deg + N <= arcs[i].to_deg;
		if (within && range_m > arcs[i].nearest_m - STEADY_M &&
		    range_m < arcs[i].farthest_m + STEADY_M)
			return true;
	}
	return false;
}
