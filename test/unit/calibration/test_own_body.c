/* A post and a cable on the robot, in a room that turns round it. */
#include "test/support/runner.h"

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/calibration/own_body.h"

static struct cairn_own_body body;
static struct cairn_own_arc arcs[CAIRN_OWN_BODY_ARCS];
static struct cairn_points points;
static struct cairn_rng rng;

static void put(double deg, double r_m)
{
	double noisy_m = r_m + 0.01 * (cairn_rng_u32(&rng) * 0x1p-32 - 0.5);
	points.x_m[points.count] = (float)(noisy_m * cos(cairn_deg_to_rad(deg)));
	points.y_m[points.count++] = (float)(noisy_m * sin(cairn_deg_to_rad(deg)));
}

/* In a room of 3 by 2 m, out of its middle, turned by turn_deg; a post at 30 to 35 degrees and one across the zero mark, if any. */
static void revolution(double turn_deg, bool posts)
{
	points.count = 0;
	for (int deg = 0; deg < 360; deg++) {
		double a = cairn_deg_to_rad(deg + turn_deg), c = cos(a), s = sin(a);
		double wall_m = fmin(c > 0.0 ? 1.8 / c : 1.2 / -c, s > 0.0 ? 0.3 / s : 1.7 / -s);
		bool post = posts && ((deg >= 30 && deg <= 35) || deg >= 358 || deg <= 1);
		put(deg, post ? 0.12 : wall_m);
	}
	cairn_own_body_scan(&body, &points);
}

static int turn(double turned_deg, bool posts)
{
	memset(&body, 0, sizeof(body));
	cairn_rng_seed(&rng, 3, 3);
	for (int i = 0; i <= 20; i++)
		revolution(turned_deg * i / 20.0, posts);
	return cairn_own_body_found(&body, cairn_deg_to_rad(turned_deg), arcs);
}

START_TEST(what_turns_with_the_robot_is_its_own_and_the_room_is_not)
{
	ck_assert_int_eq(turn(70.0, false), 0);
	ck_assert_int_eq(turn(70.0, true), 2);
	ck_assert_int_eq(arcs[0].from_deg, 30);
	ck_assert_int_eq(arcs[0].to_deg, 35);
	ck_assert_double_eq_tol(arcs[0].nearest_m, 0.12, 0.01);
	ck_assert_int_eq(arcs[1].from_deg, 358); /* across the zero mark */
	ck_assert_int_eq(arcs[1].to_deg, 361);
	ck_assert(cairn_own_body_is(arcs, 2, cairn_deg_to_rad(33.0), 0.12));
	ck_assert(cairn_own_body_is(arcs, 2, cairn_deg_to_rad(-1.0), 0.12));
	ck_assert(cairn_own_body_is(arcs, 2, cairn_deg_to_rad(1.0), 0.12));
	ck_assert(
	    !cairn_own_body_is(arcs, 2, cairn_deg_to_rad(33.0), 0.3)); /* something behind it, or in front */
	ck_assert(!cairn_own_body_is(arcs, 2, cairn_deg_to_rad(40.0), 0.12));
}
END_TEST

START_TEST(without_a_turn_nothing_is_said)
{
	ck_assert_int_eq(turn(10.0, true), 0); /* the wall beside it could be its own */
}
END_TEST

CAIRN_TEST_MAIN(
    "own-body", what_turns_with_the_robot_is_its_own_and_the_room_is_not, without_a_turn_nothing_is_said)
