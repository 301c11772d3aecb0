/* Long corridors driven out and back by the real mapper, with odometry that slips. */
#include "test/support/runner.h"

#include "common/eval/corridor.h"

START_TEST(corridors_are_as_they_are_said_to_be_and_the_same_by_their_number)
{
	for (uint64_t n = 0; n < 40; n++) {
		struct cairn_corridors c, again;
		struct cairn_error err = {""};
		ck_assert_msg(cairn_corridors_generate(1, n, &c, &err), "%s", err.text);
		ck_assert(cairn_corridors_generate(1, n, &again, &err));
		ck_assert_uint_eq(c.world->hash, again.world->hash);
		ck_assert_uint_eq(c.kind, n % CAIRN_CORRIDOR_KINDS);
		ck_assert_double_ge(c.length_m, CAIRN_CORRIDOR_LENGTH_MIN_M);
		ck_assert_double_le(c.length_m, CAIRN_CORRIDOR_LENGTH_MAX_M);
		struct cairn_footprint spot = {0.3, 0.3, 0.3};
		for (uint32_t i = 1; i < c.way_count;
		     i++) { /* the way is free all along, whichever way the robot faces */
			struct cairn_vec2 a = c.way[i - 1], b = c.way[i];
			for (double t = 0.0; t <= 1.0; t += 0.005)
				ck_assert_int_lt(cairn_world_touch(c.world,
						     (struct cairn_pose2){a.x_m + t * (b.x_m - a.x_m),
							 a.y_m + t * (b.y_m - a.y_m), 0.0},
						     &spot, 0.3),
				    0);
		}
		ck_assert_double_eq_tol(c.way[c.way_count - 1].x_m, c.way[0].x_m, 1e-9);
		ck_assert_double_eq_tol(c.way[c.way_count - 1].y_m, c.way[0].y_m, 1e-9);
		cairn_world_destroy(&c.world);
		cairn_world_destroy(&again.world);
	}
}
END_TEST

static struct cairn_corridor_result drive(uint64_t seed, uint64_t number, enum cairn_corridor_kind kind)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_corridor_result r;
	cairn_config_defaults(&cfg);
	struct cairn_corridor_options options = {.cfg = &cfg, .seed = seed};
	ck_assert_msg(cairn_corridor_run(&options, number, &r, &err), "%s", err.text);
	printf("# %.0f m: end %.3f m, odometry %.1f m, passed again %.3f m, %u ties, %u wrong\n", r.length_m,
	    r.end_m, r.odometry_m, r.revisit_mean_m, r.ties, r.wrong);
	ck_assert_uint_eq(r.kind, kind);
	ck_assert(r.arrived);
	ck_assert_double_gt(
	    r.odometry_m, 2.0 * CAIRN_CORRIDOR_END_MAX_M); /* or nothing would have to be closed */
	ck_assert_uint_gt(r.ties, 0);
	return r;
}

START_TEST(a_bare_corridor_driven_back_is_closed_where_its_ends_are_seen_and_tied_nowhere_else)
{
	struct cairn_corridor_result r = drive(1, 30, CAIRN_CORRIDOR_BARE);
	ck_assert(cairn_corridor_closed(&r));
	ck_assert_uint_eq(r.wrong, 0);
	ck_assert_double_lt(r.end_m, 0.05);
}
END_TEST

START_TEST(a_corridor_is_not_taken_for_its_twin_beside_it)
{
	struct cairn_corridor_result r = drive(1, 33, CAIRN_CORRIDOR_TWINS);
	ck_assert(cairn_corridor_closed(&r));
	ck_assert_uint_eq(r.wrong, 0);
}
END_TEST

/* Wheels that spin 2 m back: the way to that place through the graph leads over the way out, and is a long one. */
START_TEST(the_newest_way_is_not_tied_to_itself_where_odometry_has_it)
{
	struct cairn_corridor_result r = drive(7001, 63, CAIRN_CORRIDOR_TWINS);
	ck_assert(cairn_corridor_closed(&r));
	ck_assert_uint_eq(r.wrong, 0);
}
END_TEST

/* In whose mouth a scan says along both axes where it was taken. */
START_TEST(a_ring_of_two_that_look_alike_is_closed_at_its_hall_and_not_at_the_mouth_of_the_other)
{
	struct cairn_corridor_result r = drive(1, 34, CAIRN_CORRIDOR_RING);
	ck_assert(cairn_corridor_closed(&r));
	ck_assert_uint_eq(r.wrong, 0);
}
END_TEST

START_TEST(what_is_off_is_not_called_closed)
{
	struct cairn_corridor_result good = {.arrived = true, .end_m = 0.1, .revisit_mean_m = 0.1}, r = good;
	ck_assert(cairn_corridor_closed(&r));
	r.end_m = 0.16;
	ck_assert(!cairn_corridor_closed(&r));
	r = good;
	r.end_rad = 0.04;
	ck_assert(!cairn_corridor_closed(&r));
	r = good;
	r.revisit_mean_m = 0.16;
	ck_assert(!cairn_corridor_closed(&r));
	r = good;
	r.arrived = false;
	ck_assert(!cairn_corridor_closed(&r));
}
END_TEST

CAIRN_TEST_MAIN("eval_corridor", corridors_are_as_they_are_said_to_be_and_the_same_by_their_number,
    a_bare_corridor_driven_back_is_closed_where_its_ends_are_seen_and_tied_nowhere_else,
    a_corridor_is_not_taken_for_its_twin_beside_it,
    the_newest_way_is_not_tied_to_itself_where_odometry_has_it,
    a_ring_of_two_that_look_alike_is_closed_at_its_hall_and_not_at_the_mouth_of_the_other,
    what_is_off_is_not_called_closed)
