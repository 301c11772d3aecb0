/* Things with a state in the simulated house: what is seen, felt and kept of what the hand changes. */
#include <math.h>

#include "common/sim/detector/detect.h"
#include "common/sim/robot/checkpoint.h"
#include "common/sim/robot/sim.h"
#include "test/support/runner.h"

#define FRIDGE_AT ((struct cairn_pose2){7.5, 2.86, 0.0})

static struct cairn_config cfg;
static struct cairn_world *world;
static struct cairn_props props;
static struct cairn_sim_detector *detector;
static struct cairn_detected_list list;

static void set_up(uint64_t seed)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert_msg(
	    cairn_config_load(&cfg, CAIRN_SOURCE_ROOT "/config/robots/task-sim.yaml", &err), "%s", err.text);
	cfg.detect.sim_miss = cfg.detect.sim_confuse = cfg.detect.sim_position_m = 0.0;
	cfg.detect.sim_states = true;
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home-tasks.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	cairn_props_start(world, seed, &props);
	detector = cairn_sim_detector_new(&cfg, world, 1);
	cairn_sim_detector_props(detector, &props);
}

static void tear_down(void)
{
	cairn_sim_detector_destroy(&detector);
	cairn_world_destroy(&world);
}

static uint32_t prop(const char *name)
{
	int32_t p = cairn_prop_by_name(world, name);
	ck_assert_msg(p >= 0, "%s", name);
	return (uint32_t)p;
}

static const struct cairn_detected *look(struct cairn_pose2 from, const char *label)
{
	cairn_sim_detector_look(detector, from, NULL, 0, &list);
	for (uint32_t i = 0; i < list.count; i++)
		if (strcmp(list.items[i].label, label) == 0)
			return &list.items[i];
	return NULL;
}

START_TEST(a_closed_fridge_hides_the_wine_and_an_open_one_shows_it)
{
	set_up(1);
	ck_assert_ptr_null(look(FRIDGE_AT, "wine bottle"));
	ck_assert_str_eq(look(FRIDGE_AT, "fridge")->state, "closed");
	ck_assert(cairn_prop_shut_in(world, &props, prop("wine bottle"), true));
	ck_assert(cairn_prop_set_open(world, &props, prop("fridge"), true));
	ck_assert_ptr_nonnull(look(FRIDGE_AT, "wine bottle"));
	ck_assert_str_eq(look(FRIDGE_AT, "fridge")->state, "open");
	ck_assert(!cairn_prop_shut_in(world, &props, prop("wine bottle"), true));
	tear_down();
}
END_TEST

START_TEST(a_thing_that_was_carried_elsewhere_is_seen_there_and_nowhere_else)
{
	set_up(1);
	struct cairn_pose2 at_counter = {7.55, 2.05, 0.0}, at_table = {7.6, 1.75, M_PI};
	int32_t kettle = (int32_t)prop("red kettle");
	ck_assert_ptr_nonnull(look(at_counter, "kettle"));
	ck_assert_ptr_null(look(at_table, "kettle"));
	ck_assert(cairn_prop_grasp(world, &props, (uint32_t)kettle));
	ck_assert_ptr_null(look(at_counter, "kettle"));
	uint32_t table = UINT32_MAX;
	for (uint32_t i = 0; i < world->thing_count; i++)
		table = strcmp(world->things[i].name, "kitchen table") == 0 ? i : table;
	ck_assert(cairn_prop_put(world, &props, table, (struct cairn_vec2){6.8, 1.75}));
	ck_assert_ptr_nonnull(look(at_table, "kettle"));
	ck_assert_double_eq_tol(props.items[kettle].z_m, 0.74, 1e-6);
	ck_assert_int_eq(props.items[kettle].thing, (int32_t)table);
	tear_down();
}
END_TEST

/* The lid of 0.24 m turns the laptop from a slab into a screen. */
START_TEST(a_lid_is_drawn_as_it_stands)
{
	set_up(1);
	struct cairn_pose2 at = {4.75, 6.2, M_PI / 2.0};
	uint32_t lid = prop("laptop"), closed_px, open_px;
	const struct cairn_detected *t = look(at, "laptop");
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(t->state, "closed");
	closed_px = (uint32_t)((t->px[2] - t->px[0]) * (t->px[3] - t->px[1]));
	props.items[lid].open = true;
	t = look(at, "laptop");
	ck_assert_str_eq(t->state, "open");
	open_px = (uint32_t)((t->px[2] - t->px[0]) * (t->px[3] - t->px[1]));
	ck_assert_uint_gt(open_px, 2 * closed_px);
	tear_down();
}
END_TEST

START_TEST(the_hand_takes_one_thing_and_nothing_out_of_a_closed_door)
{
	set_up(1);
	ck_assert(!cairn_prop_grasp(world, &props, prop("wine bottle")));
	ck_assert(!cairn_prop_grasp(world, &props, prop("fridge")));
	ck_assert(cairn_prop_set_open(world, &props, prop("fridge"), true));
	ck_assert(cairn_prop_grasp(world, &props, prop("wine bottle")));
	ck_assert(!cairn_prop_grasp(world, &props, prop("keys")));
	ck_assert_int_eq(cairn_props_held(world, &props), (int32_t)prop("wine bottle"));
	ck_assert(!cairn_prop_set_open(world, &props, prop("keys"), true));
	ck_assert(
	    cairn_prop_put(world, &props, world->props[prop("fridge")].thing, (struct cairn_vec2){8.5, 2.8}));
	ck_assert_int_eq(props.items[prop("wine bottle")].container, (int32_t)prop("fridge"));
	ck_assert_int_eq(cairn_props_held(world, &props), -1);
	tear_down();
}
END_TEST

START_TEST(what_is_poured_out_is_poured_in_and_no_glass_overflows)
{
	set_up(1);
	uint32_t bottle = prop("wine bottle"), glass = prop("wine glass");
	ck_assert_double_eq(cairn_prop_pour(world, &props, glass), 0.0);
	props.items[prop("fridge")].open = true;
	ck_assert(cairn_prop_grasp(world, &props, bottle));
	ck_assert_double_eq_tol(cairn_prop_pour(world, &props, glass), 0.2, 1e-12);
	ck_assert_double_eq_tol(props.items[glass].filled_l, 0.2, 1e-12);
	ck_assert_double_eq_tol(props.items[bottle].filled_l, 0.55, 1e-12);
	ck_assert_int_eq(props.items[glass].liquid, (int32_t)bottle);
	ck_assert_double_eq(cairn_prop_pour(world, &props, glass), 0.0);
	ck_assert_double_eq(cairn_prop_pour(world, &props, prop("red kettle")), 0.0);
	tear_down();
}
END_TEST

START_TEST(an_open_door_is_felt_and_a_closed_one_is_not)
{
	struct cairn_error err = {""};
	set_up(1);
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = 8.05;
	cfg.sim.start_y_m = 2.15;
	cfg.sim.start_yaw_deg = 90.0;
	cfg.sim.noise = false;
	struct cairn_sim *sim = cairn_sim_new(&cfg, world, &err);
	struct cairn_disc discs[CAIRN_PROPS_DISCS];
	ck_assert_msg(sim != NULL, "%s", err.text);
	ck_assert_uint_eq(cairn_props_discs(world, cairn_sim_props(sim), 1.25, discs), 0);
	double closed_m = cairn_sim_clearance(sim, 2.0);
	ck_assert(cairn_prop_set_open(world, cairn_sim_props(sim), prop("fridge"), true));
	ck_assert_uint_gt(cairn_props_discs(world, cairn_sim_props(sim), 1.25, discs), 5);
	ck_assert_double_lt(cairn_sim_clearance(sim, 2.0), closed_m);
	for (int i = 0; i < 300; i++) /* into the nearer leaf, which stands along y = 2.56 */
		(void)cairn_sim_step(sim, (struct cairn_drive){0.3, 0.0, 0.0}, false);
	ck_assert_uint_eq(cairn_sim_state(sim)->body.contacts, 1);
	ck_assert_double_lt(cairn_sim_state(sim)->body.pose.y_m + 0.27, 2.56);
	/* A cupboard above the robot opens over its head. */
	ck_assert(cairn_prop_set_open(world, cairn_sim_props(sim), prop("fridge"), false));
	ck_assert(cairn_prop_set_open(world, cairn_sim_props(sim), prop("wall cupboard"), true));
	ck_assert_uint_eq(cairn_props_discs(world, cairn_sim_props(sim), 1.25, discs), 0);
	cairn_sim_destroy(&sim);
	tear_down();
}
END_TEST

START_TEST(a_door_that_would_sweep_over_the_robot_is_told)
{
	set_up(1);
	struct cairn_footprint body = {0.27, 0.08, 0.10};
	ck_assert(
	    cairn_prop_sweeps(world, prop("fridge"), (struct cairn_pose2){7.9, 2.86, 0.0}, &body, 1.25));
	ck_assert(
	    !cairn_prop_sweeps(world, prop("fridge"), (struct cairn_pose2){7.2, 2.86, 0.0}, &body, 1.25));
	ck_assert(!cairn_prop_sweeps(
	    world, prop("wall cupboard"), (struct cairn_pose2){7.9, 1.3, 0.0}, &body, 1.25));
	tear_down();
}
END_TEST

START_TEST(the_seed_chooses_the_places_and_the_same_seed_the_same_ones)
{
	uint32_t in_cupboard = 0, on_table = 0;
	set_up(1);
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct cairn_props a, b;
		cairn_props_start(world, seed, &a);
		cairn_props_start(world, seed, &b);
		ck_assert_mem_eq(&a, &b, sizeof(a));
		bool in = a.items[prop("wine glass")].container == (int32_t)prop("wall cupboard");
		in_cupboard += in;
		on_table += !in;
	}
	ck_assert_uint_gt(in_cupboard, 8);
	ck_assert_uint_gt(on_table, 8);
	tear_down();
}
END_TEST

START_TEST(a_checkpoint_keeps_what_the_hand_has_changed)
{
	struct cairn_error err = {""};
	set_up(3);
	static unsigned char memory[1 << 16];
	struct cairn_sim_state back;
	struct cairn_sim *sim = cairn_sim_new(&cfg, world, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	uint64_t key = cairn_checkpoint_key(sim, world, &cfg);
	ck_assert_uint_le(cairn_checkpoint_bytes(8), sizeof(memory));
	cairn_prop_set_open(world, cairn_sim_props(sim), prop("fridge"), true);
	ck_assert(cairn_prop_grasp(world, cairn_sim_props(sim), prop("wine bottle")));
	cairn_checkpoint_clear(memory, key, 8);
	cairn_checkpoint_save(memory, cairn_sim_state(sim));
	ck_assert(cairn_checkpoint_load(memory, cairn_checkpoint_bytes(8), key, 8, &back));
	ck_assert(back.props.items[prop("fridge")].open);
	ck_assert(back.props.items[prop("wine bottle")].held);
	cairn_sim_destroy(&sim);
	tear_down();
}
END_TEST

static void refused(const char *items, const char *why)
{
	char path[] = "/tmp/cairn-props-XXXXXX";
	struct cairn_error err = {""};
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	fprintf(f,
	    "name: x\nwalls:\n  - {path: [[0, 0], [4, 0], [4, 4], [0, 4]], closed: true}\nobjects:\n%s",
	    items);
	fclose(f);
	struct cairn_world *w = cairn_world_load(path, &err);
	unlink(path);
	ck_assert_ptr_null(w);
	ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
}

START_TEST(a_world_file_that_makes_no_sense_of_its_things_is_refused_with_the_reason)
{
	refused("  - {name: ball, kind: ball, at: [1, 1], graspable: true}\n", "stands on or in something");
	refused("  - {name: cup, kind: glass, on: moon, graspable: true}\n",
	    "nothing before it is called 'moon'");
	refused("  - {name: desk, kind: desk, at: [1, 1]}\n  - {name: cup, kind: glass, in: desk}\n",
	    "is no container");
	refused(
	    "  - {name: desk, kind: desk, at: [1, 1]}\n  - {name: cup, kind: glass, on: desk, liquid: tea}\n",
	    "holds_l");
	refused(
	    "  - {name: desk, kind: desk, at: [1, 1]}\n  - {name: cup, kind: glass, on: desk, at: [3, 3]}\n",
	    "is not on 'desk'");
	refused("  - {name: lamp, kind: lamp, at: [1, 1], state: {light: dim}}\n", "light: on|off");
	refused("  - {name: bowl, kind: box, size: [1, 1], height_m: 1, at: [2, 2], container: {openable: "
		"false, occludes: true}}\n",
	    "hides nothing");
}
END_TEST

CAIRN_TEST_MAIN("props", a_closed_fridge_hides_the_wine_and_an_open_one_shows_it,
    a_thing_that_was_carried_elsewhere_is_seen_there_and_nowhere_else, a_lid_is_drawn_as_it_stands,
    the_hand_takes_one_thing_and_nothing_out_of_a_closed_door,
    what_is_poured_out_is_poured_in_and_no_glass_overflows, an_open_door_is_felt_and_a_closed_one_is_not,
    a_door_that_would_sweep_over_the_robot_is_told,
    the_seed_chooses_the_places_and_the_same_seed_the_same_ones, a_checkpoint_keeps_what_the_hand_has_changed,
    a_world_file_that_makes_no_sense_of_its_things_is_refused_with_the_reason)
