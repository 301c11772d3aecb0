#include "common/percept/colour_word.h"
#include "common/sim/detector/detect.h"

#include <math.h>

#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_world *world;
static struct cairn_sim_detector *d;
static struct cairn_detected_list list;

/* The default home, without misses, wrong names and noise. */
static void set_up(void)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cfg.detect.sim_miss = cfg.detect.sim_confuse = cfg.detect.sim_position_m = 0.0;
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	d = cairn_sim_detector_new(&cfg, world, 1);
	ck_assert_ptr_nonnull(d);
}

static void tear_down(void)
{
	cairn_sim_detector_destroy(&d);
	cairn_world_destroy(&world);
}

static const struct cairn_detected *find(const char *label)
{
	for (uint32_t i = 0; i < list.count; i++)
		if (strcmp(list.items[i].label, label) == 0)
			return &list.items[i];
	return NULL;
}

/* The red umbrella stand of 0.24 m stands at (1.75, 3.52); the robot looks at it along -y from 1 m. */
START_TEST(what_the_pixels_show_is_told_by_name_colour_and_place)
{
	set_up();
	cairn_sim_detector_look(d, (struct cairn_pose2){1.75, 4.55, -M_PI / 2.0}, NULL, 0, &list);
	const struct cairn_detected *t = find("umbrella stand");
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(t->colour, "red");
	/* Its near side, seen from the camera, which is camera_x_m ahead of the robot. */
	float near = 100.0f, left = 100.0f, right = -100.0f;
	for (uint32_t i = 0; i < t->point_count; i++) {
		near = fminf(near, t->points[i].ahead_m);
		left = fminf(left, t->points[i].right_m);
		right = fmaxf(right, t->points[i].right_m);
	}
	ck_assert_double_eq_tol((double)near, 4.55 - cfg.robot.camera_x_m - 3.64, 0.02);
	ck_assert_double_eq_tol((double)(right - left), 0.24, 0.03);
	ck_assert_double_eq_tol((double)(left + right), 0.0, 0.03);
	tear_down();
}
END_TEST

START_TEST(what_a_person_hides_is_not_seen)
{
	set_up();
	struct cairn_figure somebody = {{1.75, 4.05, 0.25, 0.0, 1.7}, {80, 20, 120, CAIRN_TEXTURE_FABRIC}};
	cairn_sim_detector_look(d, (struct cairn_pose2){1.75, 4.55, -M_PI / 2.0}, &somebody, 1, &list);
	ck_assert_ptr_null(find("umbrella stand"));
	ck_assert_ptr_nonnull(find("person"));
	tear_down();
}
END_TEST

START_TEST(what_the_edge_of_the_picture_cuts_off_is_seen_as_far_as_it_shows)
{
	set_up();
	/* Turned so far that the stand's middle is at the left edge. */
	cairn_sim_detector_look(d,
	    (struct cairn_pose2){1.75, 4.55, -M_PI / 2.0 - 0.5 * cfg.robot.camera_hfov_rad + 0.02}, NULL, 0,
	    &list);
	const struct cairn_detected *t = find("umbrella stand");
	ck_assert_ptr_nonnull(t);
	ck_assert(t->px[0] < 1.0f || t->px[2] > 639.0f);
	tear_down();
}
END_TEST

START_TEST(it_misses_and_misnames_at_the_rates_that_are_set_by_seed)
{
	uint32_t first[2] = {0, 0}, other = 0, pictures = CAIRN_ROUNDS(400);
	set_up();
	cfg.detect.sim_miss = 0.10;
	cfg.detect.sim_confuse = 0.05;
	for (int round = 0; round < 2; round++) {
		cairn_sim_detector_destroy(&d);
		d = cairn_sim_detector_new(&cfg, world, 7);
		for (uint32_t i = 0; i < pictures; i++) {
			cairn_sim_detector_look(
			    d, (struct cairn_pose2){1.75, 4.55, -M_PI / 2.0}, NULL, 0, &list);
			first[round] += find("umbrella stand") != NULL;
			other += round == 0 && find("teddy bear") != NULL; /* there is none to be seen here */
		}
	}
	ck_assert_uint_eq(first[0], first[1]);
	double share = (double)first[0] / pictures, sigma = sqrt(0.855 * 0.145 / pictures);
	ck_assert_msg(fabs(share - 0.9 * 0.95) < 4.0 * sigma, "seen in %.3f", share);
	ck_assert_msg(pictures < 200 || other > 0, "no wrong names");
	tear_down();
}
END_TEST

START_TEST(a_thing_has_the_same_number_from_everywhere_where_tracks_are_configured)
{
	const struct cairn_pose2 places[] = {{1.75, 4.55, -M_PI / 2.0}, {1.60, 4.75, -M_PI / 2.0 + 0.1}};
	uint32_t track[2];
	set_up();
	for (int k = 0; k < 2; k++) {
		cfg.detect.sim_tracks = k == 1;
		for (int i = 0; i < 2; i++) {
			cairn_sim_detector_look(d, places[i], NULL, 0, &list);
			ck_assert_ptr_nonnull(find("umbrella stand"));
			track[i] = find("umbrella stand")->track;
			for (uint32_t a = 0; a < list.count; a++)
				for (uint32_t b = 0; b < a; b++)
					ck_assert(k == 0 || list.items[a].track != list.items[b].track);
		}
		ck_assert_uint_eq(track[0], track[1]);
		ck_assert_int_eq(track[0] != 0, k == 1);
	}
	ck_assert_uint_gt(list.count, 1);
	tear_down();
}
END_TEST

START_TEST(colours_have_the_names_that_people_use)
{
	ck_assert_str_eq(cairn_colour_word(200, 30, 30), "red");
	ck_assert_str_eq(cairn_colour_word(40, 160, 60), "green");
	ck_assert_str_eq(cairn_colour_word(40, 70, 190), "blue");
	ck_assert_str_eq(cairn_colour_word(240, 220, 50), "yellow");
	ck_assert_str_eq(cairn_colour_word(120, 80, 40), "brown");
	ck_assert_str_eq(cairn_colour_word(250, 250, 245), "white");
	ck_assert_str_eq(cairn_colour_word(128, 128, 130), "grey");
	ck_assert_str_eq(cairn_colour_word(20, 20, 22), "black");
}
END_TEST

CAIRN_TEST_MAIN("sim-detect", what_the_pixels_show_is_told_by_name_colour_and_place,
    what_a_person_hides_is_not_seen, what_the_edge_of_the_picture_cuts_off_is_seen_as_far_as_it_shows,
    it_misses_and_misnames_at_the_rates_that_are_set_by_seed,
    a_thing_has_the_same_number_from_everywhere_where_tracks_are_configured,
    colours_have_the_names_that_people_use)
