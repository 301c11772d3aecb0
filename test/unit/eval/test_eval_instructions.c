/* Route instructions lead where a person who draws the house would say, and whoever follows them is judged by the way that was driven. */
#include <math.h>

#include "common/eval/instructions.h"
#include "common/eval/start_draw.h"
#include "common/eval/walked.h"
#include "test/support/runner.h"

/* A corridor from (0, 0) to (12, 2). North of it the rooms A, B and C with doors at x = 2, 6 and 10, south of it D and E with doors at
 * x = 3 and 9. The north rooms are joined by a door between B and C at y = 4. */
static const char doors_world[] =
    "name: doors\n"
    "start: {x_m: 0.8, y_m: 1.0, yaw_deg: 0}\n"
    "rooms:\n"
    "  - {name: corridor, polygon: [[0, 0], [12, 0], [12, 2], [0, 2]]}\n"
    "  - {name: a, polygon: [[0, 2], [4, 2], [4, 6], [0, 6]]}\n"
    "  - {name: b, polygon: [[4, 2], [8, 2], [8, 6], [4, 6]]}\n"
    "  - {name: c, polygon: [[8, 2], [12, 2], [12, 6], [8, 6]]}\n"
    "  - {name: d, polygon: [[0, -4], [6, -4], [6, 0], [0, 0]]}\n"
    "  - {name: e, polygon: [[6, -4], [12, -4], [12, 0], [6, 0]]}\n"
    "walls:\n"
    "  - {path: [[0, -4], [12, -4], [12, 6], [0, 6]], closed: true}\n"
    "  - {path: [[0, 0], [12, 0]]}\n"
    "  - {path: [[0, 2], [12, 2]]}\n"
    "  - {path: [[4, 2], [4, 6]]}\n"
    "  - {path: [[8, 2], [8, 6]]}\n"
    "  - {path: [[6, -4], [6, 0]]}\n"
    "doors:\n"
    "  - {name: da, from: [1.55, 2], to: [2.45, 2]}\n"
    "  - {name: db, from: [5.55, 2], to: [6.45, 2]}\n"
    "  - {name: dc, from: [9.55, 2], to: [10.45, 2]}\n"
    "  - {name: dd, from: [2.55, 0], to: [3.45, 0]}\n"
    "  - {name: de, from: [8.55, 0], to: [9.45, 0]}\n"
    "  - {name: dbc, from: [8, 3.55], to: [8, 4.45]}\n"
    "furniture:\n"
    "  - {name: floor lamp, kind: lamp, at: [6.0, 5.5]}\n"
    "  - {name: sofa, kind: sofa, at: [10.0, 5.4]}\n"
    "  - {name: fridge, kind: fridge, at: [1.0, -3.5], yaw_deg: 180}\n"
    "  - {name: desk, kind: desk, at: [9.0, -3.5], yaw_deg: 180}\n"
    "  - {name: shoe cabinet, kind: drawers, at: [4.2, 0.26], size: [0.9, 0.32], "
    "yaw_deg: 180, height_m: 0.9}\n";

struct fixture {
	struct cairn_config cfg;
	struct cairn_world *world;
	struct cairn_instruction_house house;
};

static void open_world(struct fixture *f, struct cairn_world *w)
{
	struct cairn_error err = {""};
	struct cairn_pose2 start;
	bool none;
	ck_assert_ptr_nonnull(w);
	cairn_config_defaults(&f->cfg);
	f->world = w;
	ck_assert_msg(cairn_draw_start(&f->cfg, w, 1, &start, &none, &err), "%s", err.text);
	ck_assert(cairn_instruction_house_init(&f->house, &f->cfg, w, start));
}

static void open_drawn(struct fixture *f)
{
	char path[] = "/tmp/cairn-doors-XXXXXX";
	struct cairn_error err = {""};
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, doors_world, sizeof(doors_world) - 1), (ssize_t)sizeof(doors_world) - 1);
	close(fd);
	struct cairn_world *w = cairn_world_load_yaml(path, &err);
	unlink(path);
	ck_assert_msg(w != NULL, "%s", err.text);
	open_world(f, w);
}

static void close_world(struct fixture *f)
{
	cairn_instruction_house_free(&f->house);
	cairn_world_destroy(&f->world);
}

START_TEST(doors_beside_a_way_are_counted_as_by_hand)
{
	static const struct {
		struct cairn_pose2 leg;
		bool left;
		uint32_t count;
		double at[3][2];
	} rows[] = {
	    {{0.8, 1.0, 0.0}, true, 3, {{2, 2}, {6, 2}, {10, 2}}}, /* eastward, the north side */
	    {{0.8, 1.0, 0.0}, false, 2, {{3, 0}, {9, 0}}},         /* ... the south side */
	    {{11.5, 1.0, M_PI}, true, 2, {{9, 0}, {3, 0}}}, /* back: left is south, the far one first */
	    {{11.5, 1.0, M_PI}, false, 3, {{10, 2}, {6, 2}, {2, 2}}},
	    {{4.0, 1.0, 0.0}, true, 2, {{6, 2}, {10, 2}}}, /* what lies behind does not count */
	    {{6.1, 1.0, 0.0}, true, 0, {{0}}},             /* is the one beside it the first? */
	    {{1.0, 1.0, 0.5 * M_PI}, false, 0, {{0}}},     /* across the corridor: no door in its end */
	};
	struct fixture f;
	open_drawn(&f);
	ck_assert_uint_eq(f.house.rooms.door_count, 6);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t doors[CAIRN_TRUE_DOORS_MAX];
		uint32_t n = cairn_true_doors_beside(&f.house.rooms, 0, rows[i].leg, rows[i].left, doors);
		ck_assert_msg(n == rows[i].count, "row %zu: %u doors", i, n);
		for (uint32_t k = 0; k < n; k++) {
			const struct cairn_true_door *d = &f.house.rooms.doors[doors[k]];
			ck_assert_msg(
			    hypot(d->at.x_m - rows[i].at[k][0], d->at.y_m - rows[i].at[k][1]) < 0.08,
			    "row %zu, door %u at (%.2f, %.2f)", i, k, d->at.x_m, d->at.y_m);
			ck_assert_double_eq_tol(d->width_m, 0.9, 0.05);
			ck_assert(!d->wide);
		}
	}
	close_world(&f);
}
END_TEST

static struct cairn_instruction_part door_part(const struct fixture *f, double x_m, double y_m, bool against)
{
	for (uint32_t i = 0; i < f->house.rooms.door_count; i++) {
		struct cairn_vec2 at = f->house.rooms.doors[i].at;
		if (hypot(at.x_m - x_m, at.y_m - y_m) < 0.2)
			return (struct cairn_instruction_part){
			    .kind = CAIRN_INSTRUCTION_DOOR, .door = i, .against = against};
	}
	ck_abort_msg("no door at (%.1f, %.1f)", x_m, y_m);
}

/* "Turn round, pass the aquarium, take the second door on the right, stop at the floor lamp", from (11.5, 1) facing east. */
static struct cairn_instruction by_hand(const struct fixture *f)
{
	struct cairn_instruction in = {.start = {11.5, 1.0, 0.0}, .count = 4};
	in.parts[0].kind = CAIRN_INSTRUCTION_TURN;
	in.parts[1] = (struct cairn_instruction_part){.kind = CAIRN_INSTRUCTION_PASS, .unfit = true};
	in.parts[2] = door_part(f, 6.0, 2.0, false);
	in.parts[3] = (struct cairn_instruction_part){
	    .kind = CAIRN_INSTRUCTION_STOP, .low = {5.85, 5.35, 0.0}, .high = {6.15, 5.65, 1.6}, .room = 2};
	return in;
}

START_TEST(whoever_follows_is_judged_by_the_way_and_its_order)
{
	static const struct {
		struct cairn_pose2 track[8];
		uint32_t count, parts, strays;
		bool end, followed;
	} rows[] = {
	    {{{11.5, 1, 0}, {11.5, 1, 3.1}, {6, 1, 3.1}, {6, 3, 1.5}, {6, 4.3, 1.5}}, 5, 3, 0, true, true},
	    /* never turned round */
	    {{{11.5, 1, 0}, {6, 1, 0.2}, {6, 3, 1.5}, {6, 4.3, 1.5}}, 4, 0, 1, true, false},
	    /* the first door on the right, and through the rooms: the right end by another way */
	    {{{11.5, 1, 3.1}, {10, 1, 3.1}, {10, 3, 1.5}, {9, 4, 1.5}, {7, 4, 3.1}, {6, 4.5, 2}}, 6, 1, 2,
		true, false},
	    /* on past the lamp, and back into the corridor */
	    {{{11.5, 1, 3.1}, {6, 1, 3.1}, {6, 4.5, 1.5}, {6, 1, 1.5}}, 4, 2, 1, false, false},
	    {{{11.5, 1, 3.1}, {6, 1, 3.1}, {6, 3, 1.5}}, 3, 2, 0, false, false}, /* too far away */
	};
	struct fixture f;
	open_drawn(&f);
	struct cairn_instruction in = by_hand(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_walked w = cairn_walked_judge(&f.house, &in, rows[i].track, rows[i].count);
		ck_assert_msg(w.fit == 3 && w.parts == rows[i].parts && w.strays == rows[i].strays &&
				  w.end == rows[i].end && w.followed == rows[i].followed,
		    "row %zu: %u of %u parts, %u strays, end %d, followed %d", i, w.parts, w.fit, w.strays,
		    w.end, w.followed);
	}
	close_world(&f);
}
END_TEST

/* The worst that the words may be: as the test reads them, by what stands beside each part. */
static void check_one(const struct fixture *f, const struct cairn_instruction *in)
{
	const struct cairn_instruction_part *stop = &in->parts[in->count - 1];
	ck_assert_msg(in->count >= 2 && stop->kind == CAIRN_INSTRUCTION_STOP, "%s", in->text);
	ck_assert_msg(cairn_start_fits(&f->cfg, f->world, in->start), "%s", in->text);
	ck_assert_msg(
	    in->shortest_m >= 2.0 && in->shortest_m < 200.0, "%s: %.1f m", in->text, in->shortest_m);
	ck_assert_msg(strlen(in->text) + 1 < sizeof(in->text), "%s", in->text);
	int room =
	    f->house.rooms
		.room[cairn_lattice_cell(&f->house.floor, (struct cairn_vec2){in->start.x_m, in->start.y_m})];
	struct cairn_pose2 leg = in->start;
	for (uint32_t i = 0; i < in->count; i++) {
		const struct cairn_instruction_part *p = &in->parts[i];
		if (p->kind == CAIRN_INSTRUCTION_TURN) {
			ck_assert_uint_eq(i, 0);
			leg.yaw_rad += M_PI;
		} else if (p->kind != CAIRN_INSTRUCTION_DOOR) {
			ck_assert_msg(strstr(in->text, p->label) != NULL, "%s: %s", in->text, p->label);
			ck_assert_msg(p->unfit || p->room == room, "%s: %s elsewhere", in->text, p->label);
		} else {
			uint32_t doors[CAIRN_TRUE_DOORS_MAX];
			uint32_t n = cairn_true_doors_beside(&f->house.rooms, room, leg, p->left, doors);
			ck_assert_msg(
			    p->nth >= 1 && n >= p->nth && doors[p->nth - 1] == p->door, "%s", in->text);
			const struct cairn_true_door *d = &f->house.rooms.doors[p->door];
			double sign = p->against ? -1.0 : 1.0;
			ck_assert_int_eq(d->rooms[p->against ? 1 : 0], room);
			room = d->rooms[p->against ? 0 : 1];
			leg = (struct cairn_pose2){d->at.x_m + sign * 0.5 * d->across.x_m,
			    d->at.y_m + sign * 0.5 * d->across.y_m,
			    atan2(sign * d->across.y_m, sign * d->across.x_m)};
		}
	}
}

static uint32_t check_house(struct fixture *f, uint32_t *ret_unfit)
{
	static const char foreign[][40] = {"aquarium", "grand piano"};
	static struct cairn_instruction in[12], again[12];
	uint32_t rejected, total = 0;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint32_t n = cairn_instructions_make(&f->house, foreign, 2, seed, in, 12, &rejected);
		for (uint32_t i = 0; i < n; i++) {
			check_one(f, &in[i]);
			for (uint32_t k = 0; k < in[i].count; k++)
				*ret_unfit += in[i].parts[k].unfit;
			for (uint32_t k = 0; k < i; k++)
				ck_assert_msg(strcmp(in[i].text, in[k].text) != 0, "twice: %s", in[i].text);
		}
		ck_assert_uint_eq(
		    cairn_instructions_make(&f->house, foreign, 2, seed, again, 12, &rejected), n);
		ck_assert_mem_eq(in, again, n * sizeof(in[0]));
		total += n;
	}
	return total;
}

START_TEST(every_instruction_of_every_house_has_one_end_and_can_be_followed)
{
	static const char *const homes[] = {"home", "loop", "home-tasks"}; /* the studio has one door */
	uint32_t unfit = 0;
	struct fixture f;
	open_drawn(&f);
	ck_assert_uint_eq(check_house(&f, &unfit), 36);
	close_world(&f);
	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		char path[256];
		struct cairn_error err = {""};
		snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/config/worlds/%s.yaml", homes[i]);
		open_world(&f, cairn_world_load(path, &err));
		uint32_t n = check_house(&f, &unfit);
		ck_assert_msg(n >= 6, "%s: %u", homes[i], n);
		close_world(&f);
	}
	ck_assert_uint_ge(unfit, 3);
}
END_TEST

/* The way through the second door on the left: 5.2 m along the corridor, 3.25 m up to 1.2 m before the lamp, by eight neighbours. */
START_TEST(the_shortest_way_leads_through_all_parts_in_their_order)
{
	struct fixture f;
	static struct cairn_instruction in[36];
	uint32_t rejected, seen = 0;
	open_drawn(&f);
	uint32_t n = cairn_instructions_make(&f.house, NULL, 0, 5, in, 36, &rejected);
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_instruction_part *stop = &in[i].parts[in[i].count - 1];
		double x = 0.5 * (stop->low[0] + stop->high[0]) - in[i].start.x_m,
		       y = 0.5 * (stop->low[1] + stop->high[1]) - in[i].start.y_m;
		double reach = CAIRN_INSTRUCTION_STOP_M + hypot(0.5 * (stop->high[0] - stop->low[0]),
							      0.5 * (stop->high[1] - stop->low[1]));
		double straight = hypot(x, y) - reach, by_doors = 0.0;
		struct cairn_vec2 at = {in[i].start.x_m, in[i].start.y_m};
		for (uint32_t k = 0; k < in[i].count; k++) {
			if (in[i].parts[k].kind != CAIRN_INSTRUCTION_DOOR)
				continue;
			struct cairn_vec2 d = f.house.rooms.doors[in[i].parts[k].door].at;
			by_doors += fmax(hypot(d.x_m - at.x_m, d.y_m - at.y_m) - 0.7, 0.0);
			at = d;
			seen++;
		}
		ck_assert_msg(in[i].shortest_m >= straight - 0.2, "%s: %.1f m", in[i].text, in[i].shortest_m);
		ck_assert_msg(in[i].shortest_m >= by_doors, "%s: %.1f m, %.1f m by its doors", in[i].text,
		    in[i].shortest_m, by_doors);
	}
	ck_assert_uint_gt(seen, 36);
	close_world(&f);
}
END_TEST

CAIRN_TEST_MAIN("eval-instructions", doors_beside_a_way_are_counted_as_by_hand,
    whoever_follows_is_judged_by_the_way_and_its_order,
    every_instruction_of_every_house_has_one_end_and_can_be_followed,
    the_shortest_way_leads_through_all_parts_in_their_order)
