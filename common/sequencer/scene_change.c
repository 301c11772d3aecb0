#include "common/sequencer/scene_change.h"

#include <math.h>

#define SHIFT_POINTS 4   /* of the obstacle, at least */
#define SAME_LOOK_S 0.25 /* a look this far off in time is none of that moment */
#define SECTOR_RAD (2.0 * M_PI / CAIRN_SCENE_CHANGE_SECTORS)

static uint32_t sector_of(double x_m, double y_m)
{
	int k = (int)floor((atan2(y_m, x_m) + M_PI) / SECTOR_RAD);
	return (uint32_t)k % CAIRN_SCENE_CHANGE_SECTORS; /* +pi is the first again */
}

/* Where one sector ends and the next begins: worked out once. */
static void take_sides(struct cairn_scene_change *seen)
{
	if (seen->sides_known)
		return;
	for (uint32_t k = 0; k <= CAIRN_SCENE_CHANGE_SECTORS; k++) {
		double a = k * SECTOR_RAD - M_PI;
		seen->sides[k] = (struct cairn_vec2){cos(a), sin(a)};
	}
	seen->sides_known = true;
}

/* Farther within the sector between these than rounding could matter: then it needs no angle to say so. */
static inline bool well_within(const struct cairn_vec2 sides[2], double x_m, double y_m)
{
	double sure = 1e-9 * (fabs(x_m) + fabs(y_m));
	return sides[0].x_m * y_m - sides[0].y_m * x_m > sure &&
	       sides[1].x_m * y_m - sides[1].y_m * x_m < -sure;
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
	return ((double)to_ns - (double)from_ns) * 1e-9;
}

/* The nearest of each sector. The points of a turn lie side by side: most are in the sector of the one before. */
static void nearest_of(struct cairn_scene_change *seen, const struct cairn_points *points,
    float ret_m[CAIRN_SCENE_CHANGE_SECTORS])
{
	double least2[CAIRN_SCENE_CHANGE_SECTORS];
	take_sides(seen);
	for (uint32_t k = 0; k < CAIRN_SCENE_CHANGE_SECTORS; k++)
		least2[k] = INFINITY;
	for (size_t i = 0; i < points->count;) {
		double x = (double)points->x_m[i], y = (double)points->y_m[i], least = INFINITY;
		uint32_t sector = sector_of(x, y);
		const struct cairn_vec2 sides[2] = {seen->sides[sector], seen->sides[sector + 1]};
		do {
			least = cairn_smaller(x * x + y * y, least);
			if (++i == points->count)
				break;
			x = (double)points->x_m[i];
			y = (double)points->y_m[i];
		} while (well_within(sides, x, y));
		least2[sector] = cairn_smaller(least, least2[sector]);
	}
	for (uint32_t k = 0; k < CAIRN_SCENE_CHANGE_SECTORS; k++)
		ret_m[k] = (float)sqrt(least2[k]);
}

static uint32_t fine_of(double x_m, double y_m)
{
	int k = (int)floor((atan2(y_m, x_m) + M_PI) / (2.0 * M_PI / CAIRN_SCENE_CHANGE_FINE));
	return (uint32_t)k % CAIRN_SCENE_CHANGE_FINE;
}

/* to_look: from the robot frame of the points to that of the look. */
static void take_all(
    struct cairn_scene_change_look *look, const struct cairn_points *all, struct cairn_pose2 to_look)
{
	for (uint32_t k = 0; k < CAIRN_SCENE_CHANGE_FINE; k++)
		look->all_m[k] = INFINITY;
	for (size_t i = 0; i < all->count; i++) {
		struct cairn_vec2 p =
		    cairn_pose_apply(to_look, (struct cairn_vec2){(double)all->x_m[i], (double)all->y_m[i]});
		float *least = &look->all_m[fine_of(p.x_m, p.y_m)];
		*least = fminf(*least, (float)hypot(p.x_m, p.y_m));
	}
}

void cairn_scene_change_add(struct cairn_scene_change *seen, const struct cairn_points *points,
    struct cairn_pose2 pose, int64_t t_ns, double keep_s)
{
	cairn_scene_change_add_all(seen, points, pose, points, pose, t_ns, keep_s);
}

void cairn_scene_change_add_all(struct cairn_scene_change *seen, const struct cairn_points *points,
    struct cairn_pose2 pose, const struct cairn_points *all, struct cairn_pose2 all_pose, int64_t t_ns,
    double keep_s)
{
	const struct cairn_scene_change_look *last =
	    &seen->looks[(seen->head + seen->count - 1) % CAIRN_SCENE_CHANGE_LOOKS];
	if (seen->count > 0 && seconds(last->t_ns, t_ns) < keep_s / CAIRN_SCENE_CHANGE_LOOKS)
		return;
	while (seen->count > 0 && seconds(seen->looks[seen->head].t_ns, t_ns) > keep_s) {
		seen->head = (seen->head + 1) % CAIRN_SCENE_CHANGE_LOOKS;
		seen->count--;
	}
	if (seen->count == CAIRN_SCENE_CHANGE_LOOKS) {
		seen->head = (seen->head + 1) % CAIRN_SCENE_CHANGE_LOOKS;
		seen->count--;
	}
	struct cairn_scene_change_look *look =
	    &seen->looks[(seen->head + seen->count++) % CAIRN_SCENE_CHANGE_LOOKS];
	look->t_ns = t_ns;
	look->pose = pose;
	nearest_of(seen, points, look->nearest_m);
	take_all(look, all, cairn_pose_between(pose, all_pose));
}

static const struct cairn_scene_change_look *look_at(const struct cairn_scene_change *seen, int64_t t_ns)
{
	const struct cairn_scene_change_look *best = NULL;
	for (uint32_t i = 0; i < seen->count; i++) {
		const struct cairn_scene_change_look *l =
		    &seen->looks[(seen->head + i) % CAIRN_SCENE_CHANGE_LOOKS];
		double off_s = fabs(seconds(l->t_ns, t_ns));
		if (off_s <= SAME_LOOK_S && (best == NULL || off_s < fabs(seconds(best->t_ns, t_ns))))
			best = l;
	}
	return best;
}

/* Nearest thing that was seen in the sector and beside it; negative when a part of it showed nothing. */
static double seen_m(const struct cairn_scene_change_look *look, uint32_t sector)
{
	double least = INFINITY;
	for (uint32_t k = CAIRN_SCENE_CHANGE_SECTORS - 1; k <= CAIRN_SCENE_CHANGE_SECTORS + 1; k++)
		least = fmin(least, (double)look->nearest_m[(sector + k) % CAIRN_SCENE_CHANGE_SECTORS]);
	return isfinite((double)look->nearest_m[sector]) ? least : -1.0;
}

/* Sorts it in among the largest, which fall. True: it is the largest. */
static bool take_shift(double most[SHIFT_POINTS], double shift)
{
	bool largest = shift > most[0];
	for (int k = 0; k < SHIFT_POINTS; k++) {
		double less = fmin(shift, most[k]);
		most[k] = fmax(shift, most[k]);
		shift = less;
	}
	return largest;
}

double cairn_scene_change_shift_m(const struct cairn_scene_change *seen, int64_t t_ns,
    const struct cairn_points *points, size_t count, struct cairn_pose2 now, double near_m,
    double *ret_bearing_rad)
{
	const struct cairn_scene_change_look *look = look_at(seen, t_ns);
	double most[SHIFT_POINTS] = {0.0}; /* falling */
	*ret_bearing_rad = 0.0;
	if (look == NULL)
		return 0.0;
	struct cairn_pose2 from_then = cairn_pose_between(look->pose, now);
	for (size_t i = 0; i < count; i++) {
		struct cairn_vec2 here = {(double)points->x_m[i], (double)points->y_m[i]};
		if (!(hypot(here.x_m, here.y_m) <= near_m))
			continue;
		struct cairn_vec2 p = cairn_pose_apply(from_then, here);
		double shift = seen_m(look, sector_of(p.x_m, p.y_m)) - hypot(p.x_m, p.y_m);
		if (take_shift(most, shift))
			*ret_bearing_rad = atan2(here.y_m, here.x_m);
	}
	return most[SHIFT_POINTS - 1];
}

bool cairn_scene_change_knows(const struct cairn_scene_change *seen, int64_t t_ns)
{
	return look_at(seen, t_ns) != NULL;
}

/* The nearest thing of the sector and the two beside it; infinity where nothing was seen. */
static double fine_m(const struct cairn_scene_change_look *look, uint32_t sector)
{
	double least = INFINITY;
	for (uint32_t k = CAIRN_SCENE_CHANGE_FINE - 1; k <= CAIRN_SCENE_CHANGE_FINE + 1; k++)
		least = fmin(least, (double)look->all_m[(sector + k) % CAIRN_SCENE_CHANGE_FINE]);
	return least;
}

double cairn_scene_change_corridor_m(const struct cairn_scene_change *seen, int64_t t_ns,
    const struct cairn_points *points, struct cairn_pose2 now, cairn_corridor_fn *within, const void *ctx,
    double *ret_bearing_rad)
{
	const struct cairn_scene_change_look *look = look_at(seen, t_ns);
	double most[SHIFT_POINTS] = {0.0}; /* falling */
	*ret_bearing_rad = 0.0;
	if (look == NULL)
		return INFINITY;
	struct cairn_pose2 from_then = cairn_pose_between(look->pose, now);
	for (size_t i = 0; i < points->count; i++) {
		struct cairn_vec2 here = {(double)points->x_m[i], (double)points->y_m[i]};
		if (!within(ctx, here))
			continue;
		struct cairn_vec2 p = cairn_pose_apply(from_then, here);
		double shift = fine_m(look, fine_of(p.x_m, p.y_m)) - hypot(p.x_m, p.y_m);
		if (take_shift(most, shift))
			*ret_bearing_rad = atan2(here.y_m, here.x_m);
	}
	return most[SHIFT_POINTS - 1];
}
