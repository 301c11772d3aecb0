/* What has come nearer since a moment, worked out by hand. */
#include "common/base/rng.h"
#include "common/sequencer/scene_change.h"
#include "test/support/runner.h"

static struct cairn_scene_change seen;
static struct cairn_points points;

/* A circle of returns around (0, 0) of the map, as seen from pose, count of them. */
static void ring(double radius_m, int count, struct cairn_pose2 pose)
{
	struct cairn_pose2 back = cairn_pose_between(pose, (struct cairn_pose2){0});
	points.count = 0;
	for (int i = 0; i < count; i++) {
		double a = i * 2.0 * M_PI / count;
		struct cairn_vec2 p =
		    cairn_pose_apply(back, (struct cairn_vec2){radius_m * cos(a), radius_m * sin(a)});
		points.x_m[points.count] = (float)p.x_m;
		points.y_m[points.count++] = (float)p.y_m;
	}
}

static void add_m(double x_m, double y_m)
{
	points.x_m[points.count] = (float)x_m;
	points.y_m[points.count++] = (float)y_m;
}

static double shift(int64_t t_ns, struct cairn_pose2 now, double *bearing_rad)
{
	return cairn_scene_change_shift_m(&seen, t_ns, &points, points.count, now, 1.5, bearing_rad);
}

START_TEST(what_stands_where_there_was_room_has_come_nearer_by_the_difference)
{
	const struct cairn_pose2 origin = {0};
	double bearing;
	memset(&seen, 0, sizeof(seen));
	ring(3.0, 360, origin);
	cairn_scene_change_add(&seen, &points, origin, CAIRN_NS_PER_S, 5.0);
	ck_assert_double_eq_tol(shift(CAIRN_NS_PER_S, origin, &bearing), 0.0, 1e-6);
	for (int i = 0; i < 3; i++) /* a leg */
		add_m(0.01 * i, 1.0);
	ck_assert_double_eq_tol(shift(CAIRN_NS_PER_S, origin, &bearing), 0.0, 1e-6);
	add_m(0.03, 1.0);
	ck_assert_double_eq_tol(shift(CAIRN_NS_PER_S, origin, &bearing), 2.0, 0.01);
	ck_assert_double_eq_tol(bearing, M_PI / 2.0, 0.05);
	/* beyond 1.5 m it is nobody's business yet */
	ring(3.0, 360, origin);
	for (int i = 0; i < 8; i++)
		add_m(0.01 * i, 1.6);
	ck_assert_double_eq_tol(shift(CAIRN_NS_PER_S, origin, &bearing), 0.0, 1e-6);
}
END_TEST

START_TEST(driving_toward_a_wall_does_not_bring_it_nearer)
{
	struct cairn_rng rng;
	double bearing;
	cairn_rng_seed(&rng, 3, 1);
	for (int round = 0; round < 200; round++) {
		struct cairn_pose2 then = {cairn_rng_uniform(&rng) - 0.5, cairn_rng_uniform(&rng) - 0.5,
		    6.0 * cairn_rng_uniform(&rng)};
		struct cairn_pose2 now = {then.x_m + 0.8 * cairn_rng_uniform(&rng) - 0.4,
		    then.y_m + 0.8 * cairn_rng_uniform(&rng) - 0.4, 6.0 * cairn_rng_uniform(&rng)};
		memset(&seen, 0, sizeof(seen));
		ring(1.4, 720, then);
		cairn_scene_change_add(&seen, &points, then, CAIRN_NS_PER_S, 5.0);
		ring(1.4, 720, now);
		/* a sector of 15 degrees spans so much of the distance of a wall that lies slanting */
		ck_assert_double_le(shift(CAIRN_NS_PER_S, now, &bearing), 0.05);
	}
}
END_TEST

START_TEST(what_was_hidden_or_not_seen_at_all_has_not_come_nearer)
{
	const struct cairn_pose2 origin = {0};
	const struct cairn_pose2 aside = {0.0, 0.6, 0.0};
	double bearing;
	memset(&seen, 0, sizeof(seen));
	points.count = 0; /* a cupboard ahead, nothing else */
	for (int i = -20; i <= 20; i++)
		add_m(0.8, 0.01 * i);
	cairn_scene_change_add(&seen, &points, origin, CAIRN_NS_PER_S, 5.0);
	points.count = 0; /* from the side: what stands behind it, and what stands where nothing answered */
	for (int i = 0; i < 8; i++) {
		add_m(1.2, -0.6 + 0.01 * i);
		add_m(-0.5, -0.6 + 0.01 * i);
	}
	ck_assert_double_eq_tol(shift(CAIRN_NS_PER_S, aside, &bearing), 0.0, 1e-6);
}
END_TEST

START_TEST(looks_are_kept_for_as_long_as_was_asked_and_no_others_stand_in_for_them)
{
	const struct cairn_pose2 origin = {0};
	double bearing;
	memset(&seen, 0, sizeof(seen));
	ring(1.0, 360, origin);
	ck_assert_double_eq(shift(CAIRN_NS_PER_S, origin, &bearing), 0.0); /* nothing known */
	for (int i = 0; i < 100; i++) { /* 10 s of scans, the room shrinks by 1 cm a scan */
		ring(3.0 - 0.01 * i, 360, origin);
		cairn_scene_change_add(&seen, &points, origin, (10 + i) * (CAIRN_NS_PER_S / 10), 5.0);
	}
	ring(1.0, 360, origin);
	for (int i = 99; i > 50; i--)
		ck_assert_double_eq_tol(
		    shift((10 + i) * (CAIRN_NS_PER_S / 10), origin, &bearing), 2.0 - 0.01 * i, 1e-3);
	ck_assert_double_eq(shift(2 * CAIRN_NS_PER_S, origin, &bearing), 0.0);  /* forgotten */
	ck_assert_double_eq(shift(20 * CAIRN_NS_PER_S, origin, &bearing), 0.0); /* not yet */
	ck_assert_uint_le(seen.count, CAIRN_SCENE_CHANGE_LOOKS);
}
END_TEST

/* The sector a point lies in, by its angle. */
static int plain_sector(float x_m, float y_m)
{
	int k =
	    (int)floor((atan2((double)y_m, (double)x_m) + M_PI) / (2.0 * M_PI / CAIRN_SCENE_CHANGE_SECTORS));
	return k % CAIRN_SCENE_CHANGE_SECTORS;
}

START_TEST(every_point_counts_in_the_sector_of_its_angle_whatever_came_before)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	for (int n = 0; n < 300; n++) {
		float want_m[CAIRN_SCENE_CHANGE_SECTORS];
		memset(&seen, 0, sizeof(seen));
		for (int k = 0; k < CAIRN_SCENE_CHANGE_SECTORS; k++)
			want_m[k] = INFINITY;
		points.count = 0;
		for (int i = 0; i < 40; i++) { /* all over, in a row, and on the borders */
			double a = 2.0 * M_PI * cairn_rng_uniform(&rng), r = 5.0 * cairn_rng_uniform(&rng);
			if (n % 3 == 1)
				a = 0.1 * i;
			if (n % 3 == 2)
				a = floor(a / (M_PI / 12.0)) * M_PI / 12.0;
			add_m(r * cos(a), i == 7 ? 0.0 : r * sin(a));
			float *want = &want_m[plain_sector(points.x_m[i], points.y_m[i])];
			*want = fminf(*want, hypotf(points.x_m[i], points.y_m[i]));
		}
		cairn_scene_change_add(&seen, &points, (struct cairn_pose2){0}, CAIRN_NS_PER_S, 5.0);
		for (int k = 0; k < CAIRN_SCENE_CHANGE_SECTORS; k++)
			ck_assert_msg(seen.looks[seen.head].nearest_m[k] == want_m[k], "sector %d", k);
	}
}
END_TEST

CAIRN_TEST_MAIN("sequencer-seen", what_stands_where_there_was_room_has_come_nearer_by_the_difference,
    driving_toward_a_wall_does_not_bring_it_nearer, what_was_hidden_or_not_seen_at_all_has_not_come_nearer,
    looks_are_kept_for_as_long_as_was_asked_and_no_others_stand_in_for_them,
    every_point_counts_in_the_sector_of_its_angle_whatever_came_before)
