/* People and doors in the simulation: they walk, keep off the robot, and never begin inside it. */
#include "test/support/sim_hall.h"

static struct cairn_world *hall_with_walker(double y_m)
{
	struct cairn_world *w = hall(8, 4);
	w->people_count = 1;
	w->people[0] = (struct cairn_person){.name = "Eve",
	    .path = {{5, y_m}, {2, y_m}},
	    .path_count = 2,
	    .speed_mps = 0.5,
	    .radius_m = 0.2,
	    .height_m = 1.7};
	return w;
}

START_TEST(a_person_walks_to_and_fro)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall_with_walker(3.5);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	struct cairn_disc d[CAIRN_WORLD_PEOPLE_MAX];
	drive(sim, (struct cairn_drive){0}, 2.0);
	ck_assert_uint_eq(cairn_sim_people(sim, d), 1);
	NEAR(d[0].x_m, 4.0, 0.02);
	drive(sim, (struct cairn_drive){0}, 6.0);
	(void)cairn_sim_people(sim, d);
	NEAR(d[0].x_m, 3.0, 0.05);
	drive(sim, (struct cairn_drive){0}, 4.0);
	(void)cairn_sim_people(sim, d);
	NEAR(d[0].x_m, 5.0, 0.05);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(a_person_does_not_walk_into_the_robot_but_the_robot_can_drive_into_a_person)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall_with_walker(2.0);
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	struct cairn_disc d[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_msg_sim_truth t;
	for (int i = 0; i < 3000; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0}, false);
		(void)cairn_sim_people(sim, d);
		ck_assert_double_gt(cairn_disc_clearance(&d[0], body_of(sim)->pose,
					&(struct cairn_footprint){0.27, 0.08, 0.1}),
		    0.3);
	}
	ck_assert_uint_eq(body_of(sim)->contacts, 0);
	drive(sim, (struct cairn_drive){0.5, 0.0, 0.0}, 30.0);
	ck_assert_uint_ge(body_of(sim)->contacts, 1);
	cairn_sim_truth_message(sim, &t);
	ck_assert(strcmp(t.last_contact, "Eve") == 0 || strcmp(t.last_contact, "wall") == 0);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

START_TEST(nobody_begins_inside_the_robot)
{
	struct cairn_config cfg = quiet();
	struct cairn_world *w = hall_with_walker(2.0);
	struct cairn_disc d[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_error err = {""};
	w->people[0].path[0] = (struct cairn_vec2){1.3, 2.0};
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	(void)cairn_sim_people(sim, d);
	NEAR(d[0].x_m, 2.0, 1e-9);
	NEAR(d[0].y_m, 2.0, 1e-9);
	for (int i = 0; i < 2000; i++) { /* and comes only as near to it as ever */
		(void)cairn_sim_step(sim, (struct cairn_drive){0}, false);
		ck_assert_double_gt(cairn_sim_clearance(sim, 1.0), 0.3);
	}
	cairn_sim_destroy(&sim);
	w->people[0].path_count = 1;
	ck_assert_ptr_null(cairn_sim_new(&cfg, w, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "Eve"));
	cairn_world_destroy(&w);
}
END_TEST

/* Three discs on a leaf of 0.9 m that closes onto the robot's front from the left. */
static struct cairn_world *hall_with_leaf(void)
{
	struct cairn_world *w = hall(8, 4);
	w->people_count = 3;
	for (int i = 0; i < 3; i++) {
		double r = 0.9 - 0.3 * i;
		w->people[i] = (struct cairn_person){.name = "door",
		    .path = {{2.55, 2.0 + r}, {2.55 + M_SQRT1_2 * r, 2.0 + M_SQRT1_2 * r}, {2.55 + r, 2.0}},
		    .path_count = i == 0 ? 3 : 1,
		    .speed_mps = 0.9,
		    .radius_m = 0.05,
		    .height_m = 2.0,
		    .heedless_m = 1.0,
		    .pause_s = 1.0,
		    .carried = i == 0 ? 2 : 0,
		    .hinge = {2.55, 2.0},
		    .share = r / 0.9};
	}
	return w;
}

START_TEST(the_leaf_of_a_door_stays_straight_and_stops_as_one_before_the_robot)
{
	struct cairn_config cfg = quiet();
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = 3.6;
	cfg.sim.start_y_m = 2.3;
	cfg.sim.start_yaw_deg = 180.0;
	struct cairn_world *w = hall_with_leaf();
	struct cairn_sim *sim = cairn_sim_new(&cfg, w, NULL);
	struct cairn_disc d[CAIRN_WORLD_PEOPLE_MAX];
	double least_m = 1.0, turned_rad = 0.0;
	for (int i = 0; i < 2000; i++) {
		(void)cairn_sim_step(sim, (struct cairn_drive){0}, false);
		ck_assert_uint_eq(cairn_sim_people(sim, d), 3);
		double yaw = atan2(d[0].y_m - 2.0, d[0].x_m - 2.55);
		turned_rad = fmax(turned_rad, M_PI_2 - yaw);
		for (int k = 0; k < 3; k++) {
			double r = hypot(d[k].x_m - 2.55, d[k].y_m - 2.0);
			NEAR(r, hypot(d[0].x_m - 2.55, d[0].y_m - 2.0) * (0.9 - 0.3 * k) / 0.9, 1e-9);
			NEAR(atan2(d[k].y_m - 2.0, d[k].x_m - 2.55), yaw, 1e-9);
			least_m = fmin(least_m, cairn_disc_clearance(&d[k], body_of(sim)->pose,
						    &(struct cairn_footprint){0.27, 0.08, 0.1}));
		}
	}
	ck_assert_double_ge(least_m, 0.02 - 1e-9);
	ck_assert_double_le(least_m, 0.04);
	ck_assert_double_gt(turned_rad, 0.5); /* it closes, and comes to the robot only then */
	ck_assert_double_lt(turned_rad, M_PI_2 - 0.05);
	ck_assert_uint_eq(body_of(sim)->contacts, 0);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&w);
}
END_TEST

CAIRN_TEST_MAIN("sim_people", a_person_walks_to_and_fro,
    a_person_does_not_walk_into_the_robot_but_the_robot_can_drive_into_a_person,
    nobody_begins_inside_the_robot, the_leaf_of_a_door_stays_straight_and_stops_as_one_before_the_robot)
