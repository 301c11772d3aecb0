#include "test/support/runner.h"

#include <cairo.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "common/slam/mapper.h"
#include "common/slam/map_import.h"
#include "common/map/picture.h"
#include "test/support/map_world.h"

static struct map_world flat;
static struct cairn_config cfg;
static struct cairn_msg_scan scan;
static struct map_robot robot;
static struct cairn_mapper *mapper;
static struct cairn_msg_frontiers frontiers;
static char path[64];
static unsigned char bytes[4 * 1024 * 1024];

static void send_odom(uint64_t epoch)
{
	struct cairn_msg_odom odom;
	map_robot_odom(&robot, (struct cairn_twist){0.3, 0.0}, &odom);
	ck_assert(cairn_mapper_odom(mapper, &odom, robot.t_ns, epoch, NULL));
}

static void step(struct cairn_twist t, uint64_t epoch)
{
	struct cairn_pose2 from = robot.truth;
	map_robot_move(&robot, t, 0.1);
	send_odom(epoch);
	map_robot_scan(&robot, from, t, &scan);
	cairn_mapper_scan(mapper, &scan, robot.t_ns);
}

/* A mapper that has seen a bit of the flat, saved in path. */
static void begin(void)
{
	snprintf(path, sizeof(path), "/tmp/cairn-map-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	map_world_flat(&flat);
	cairn_config_defaults(&cfg);
	map_robot_init(&robot, &flat, &cfg);
	mapper = cairn_mapper_new(&cfg);
	ck_assert_ptr_nonnull(mapper);
	for (int i = 0; i < 40; i++)
		step((struct cairn_twist){0.3, 0.1}, 7);
	ck_assert(cairn_mapper_frontiers(mapper, robot.t_ns, &frontiers));
	struct cairn_error err;
	ck_assert(cairn_mapper_save(mapper, path, &err));
}

static void end(void)
{
	cairn_mapper_destroy(&mapper);
	unlink(path);
}

static size_t read_file(void)
{
	FILE *f = fopen(path, "rb");
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	return n;
}

static void write_file(size_t n)
{
	FILE *f = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

START_TEST(what_is_saved_is_what_is_loaded)
{
	begin();
	struct cairn_error err;
	struct cairn_mapper *other = cairn_mapper_load(&cfg, path, &err);
	ck_assert_ptr_nonnull(other);
	const struct cairn_grid *a = cairn_mapper_grid(mapper), *b = cairn_mapper_grid(other);
	ck_assert_mem_eq(&a->known, &b->known, sizeof(a->known));
	for (int32_t cy = a->known.min_cy; cy <= a->known.max_cy; cy++) {
		for (int32_t cx = a->known.min_cx; cx <= a->known.max_cx; cx++) {
			size_t i = cairn_grid_index(a, cx, cy), k = cairn_grid_index(b, cx, cy);
			ck_assert_int_eq(a->odds[i], b->odds[k]);
			ck_assert_int_eq(a->sub_x[i], b->sub_x[k]);
			ck_assert_int_eq(a->sub_y[i], b->sub_y[k]);
			ck_assert_uint_eq(a->hits[i], b->hits[k]);
			ck_assert_uint_eq(a->visits[i], b->visits[k]);
		}
	}
	ck_assert_uint_eq(a->free_cells, b->free_cells);
	ck_assert_uint_eq(a->occupied_cells, b->occupied_cells);
	ck_assert_uint_eq(a->visited_cells, b->visited_cells);
	struct cairn_msg_pose p, q;
	cairn_mapper_pose(mapper, &p);
	cairn_mapper_pose(other, &q);
	ck_assert_double_eq_tol(p.x_m, q.x_m, 1e-12);
	ck_assert_double_eq_tol(p.yaw_rad, q.yaw_rad, 1e-12);
	ck_assert_double_eq(p.distance_m, q.distance_m);
	ck_assert_int_eq(q.tracking, CAIRN_TRACKING_WEAK); /* until a scan confirms it */
	uint32_t n, m;
	const float *driven = cairn_mapper_driven(mapper, &n), *again = cairn_mapper_driven(other, &m);
	ck_assert_uint_eq(n, m);
	ck_assert_uint_gt(n, 15);
	ck_assert_mem_eq(driven, again, 2 * n * sizeof(float));
	const struct cairn_keyframe *k = cairn_mapper_keyframes(mapper, &n),
				    *l = cairn_mapper_keyframes(other, &m);
	ck_assert_uint_eq(n, m);
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_mem_eq(&k[i].pose, &l[i].pose, sizeof(k[i].pose));
		ck_assert_mem_eq(&k[i].track, &l[i].track, sizeof(k[i].track));
		ck_assert_mem_eq(&k[i].local, &l[i].local, sizeof(k[i].local));
		ck_assert_uint_eq(k[i].first, l[i].first);
		ck_assert_uint_eq(k[i].hits, l[i].hits);
		ck_assert_int_eq(k[i].detached, l[i].detached);
	}
	const struct cairn_pose_graph *g = cairn_mapper_graph(mapper), *h = cairn_mapper_graph(other);
	ck_assert_uint_eq(g->node_count, n);
	ck_assert_uint_eq(g->edge_count, h->edge_count);
	ck_assert_uint_ge(g->edge_count, n - 1);
	ck_assert_mem_eq(g->nodes, h->nodes, n * sizeof(*g->nodes));
	for (uint32_t i = 0; i < g->edge_count; i++) {
		ck_assert_uint_eq(g->edges[i].a, h->edges[i].a);
		ck_assert_mem_eq(g->edges[i].info, h->edges[i].info, sizeof(g->edges[i].info));
		ck_assert_double_eq(
		    cairn_pose_graph_chi2(g, &g->edges[i]), cairn_pose_graph_chi2(h, &h->edges[i]));
	}
	ck_assert_mem_eq(cairn_mapper_keyframe_points(mapper), cairn_mapper_keyframe_points(other),
	    (k[n - 1].first + k[n - 1].count) * 2 * sizeof(int16_t));
	struct cairn_msg_frontiers found;
	ck_assert(cairn_mapper_frontiers(other, robot.t_ns, &found));
	ck_assert_uint_eq(found.items_count, frontiers.items_count);
	ck_assert_uint_gt(found.items_count, 0);
	for (uint32_t i = 0; i < found.items_count; i++)
		ck_assert_uint_eq(found.items[i].id, frontiers.items[i].id);
	cairn_mapper_destroy(&other);
	end();
}
END_TEST

START_TEST(doorways_claims_and_visits_come_back_too)
{
	static struct cairn_msg_features told, again;
	struct cairn_msg_world_update claims = {.id = 3, .items_count = 2};
	begin();
	ck_assert(cairn_mapper_frontiers(mapper, robot.t_ns, &frontiers));
	ck_assert(cairn_mapper_features(mapper, &frontiers, &told));
	ck_assert_uint_gt(told.doorways_count, 0);
	ck_assert_uint_gt(told.visited_places, 3);
	ck_assert_uint_eq(told.visits, told.visited_places); /* it has not come back anywhere */
	ck_assert_double_eq_tol(told.free_m2, frontiers.free_m2, 1e-9);
	const struct cairn_cell_box *known = &cairn_mapper_grid(mapper)->known;
	ck_assert_uint_lt(told.free_cells + told.occupied_cells,
	    told.free_cells + told.occupied_cells + told.unknown_cells);
	ck_assert_uint_le(told.free_cells + told.occupied_cells + told.unknown_cells,
	    (uint32_t)((known->max_cx - known->min_cx + 1) * (known->max_cy - known->min_cy + 1)));
	claims.items[0] = (struct cairn_msg_cell_claim){
	    known->min_cx * 0.05 - 0.5, known->min_cy * 0.05 - 0.5, CAIRN_CELL_STATE_OCCUPIED, 0.9};
	claims.items[1] =
	    (struct cairn_msg_cell_claim){0.0, 0.0, CAIRN_CELL_STATE_OCCUPIED, 0.9}; /* where it stood */
	ck_assert_int_eq(cairn_mapper_claims(mapper, &claims, 9), 1);
	struct cairn_error err;
	ck_assert(cairn_mapper_features(mapper, &frontiers, &told));
	ck_assert(cairn_mapper_save(mapper, path, &err));
	struct cairn_mapper *other = cairn_mapper_load(&cfg, path, &err);
	ck_assert_msg(other != NULL, "%s", err.text);
	ck_assert(cairn_mapper_frontiers(other, robot.t_ns, &frontiers));
	ck_assert(cairn_mapper_features(other, &frontiers, &again));
	ck_assert_mem_eq(&told, &again, sizeof(told));
	ck_assert_uint_eq(again.claims[CAIRN_CLAIM_VERDICT_VISITED], 1);
	ck_assert_uint_eq(again.claims_held, 1);
	ck_assert_int_eq(cairn_mapper_claims(other, &claims, 9), -1); /* heard before */
	cairn_mapper_destroy(&other);
	end();
}
END_TEST

/* Killed and back while the robot drives on: the way since is in the odometry of the same epoch. */
START_TEST(a_mapper_that_comes_back_knows_where_the_robot_went_meanwhile)
{
	begin();
	for (int i = 0; i < 8; i++)
		map_robot_move(&robot, (struct cairn_twist){0.3, 0.2}, 0.1);
	cairn_mapper_destroy(&mapper);
	struct cairn_error err;
	mapper = cairn_mapper_load(&cfg, path, &err);
	ck_assert_ptr_nonnull(mapper);
	send_odom(7);
	struct cairn_msg_pose p;
	cairn_mapper_pose(mapper, &p);
	ck_assert_double_lt(hypot(p.x_m - robot.truth.x_m, p.y_m - robot.truth.y_m), 0.03);
	ck_assert_int_eq(p.tracking, CAIRN_TRACKING_WEAK);
	for (int i = 0; i < 3; i++)
		step((struct cairn_twist){0.3, 0.0}, 7);
	cairn_mapper_pose(mapper, &p);
	ck_assert_int_eq(p.tracking, CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(hypot(p.x_m - robot.truth.x_m, p.y_m - robot.truth.y_m), 0.03);
	end();
}
END_TEST

START_TEST(a_robot_that_was_moved_meanwhile_is_found_or_said_to_be_lost)
{
	begin();
	cairn_mapper_destroy(&mapper);
	struct cairn_error err;
	mapper = cairn_mapper_load(&cfg, path, &err);
	robot.odom = (struct cairn_pose2){0};
	robot.truth.x_m -= 0.3;
	robot.truth.yaw_rad += 0.3;
	for (int i = 0; i < 5; i++)
		step((struct cairn_twist){0.0, 0.0}, 8);
	struct cairn_msg_pose p;
	cairn_mapper_pose(mapper, &p);
	ck_assert_int_eq(p.tracking, CAIRN_TRACKING_GOOD);
	ck_assert_double_lt(hypot(p.x_m - robot.truth.x_m, p.y_m - robot.truth.y_m), 0.03);
	cairn_mapper_destroy(&mapper);
	mapper = cairn_mapper_load(&cfg, path, &err);
	robot.truth = (struct cairn_pose2){7.6, 2.6, 2.2}; /* a room never seen */
	for (int i = 0; i < 20; i++)
		step((struct cairn_twist){0.0, 0.0}, 9);
	cairn_mapper_pose(mapper, &p);
	ck_assert_int_eq(p.tracking, CAIRN_TRACKING_LOST);
	end();
}
END_TEST

START_TEST(a_damaged_file_is_refused_with_a_reason)
{
	begin();
	size_t n = read_file();
	ck_assert_uint_lt(n, sizeof(bytes));
	struct cairn_error err;
	for (size_t at = 0; at < n; at += at < 64 ? 1 : n / 40) {
		bytes[at] ^= 0x10;
		write_file(n);
		bytes[at] ^= 0x10;
		err.text[0] = '\0';
		ck_assert_ptr_null(cairn_mapper_load(&cfg, path, &err));
		ck_assert_ptr_nonnull(strstr(err.text, path));
	}
	static const size_t lengths[] = {0, 1, 23, 24, 100, 5000};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		write_file(lengths[i]);
		ck_assert_ptr_null(cairn_mapper_load(&cfg, path, &err));
	}
	write_file(n);
	cfg.map.cell_m = 0.04;
	ck_assert_ptr_null(cairn_mapper_load(&cfg, path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "map.cell_m"));
	cfg.map.cell_m = 0.05;
	cfg.map.extent_max_m = 5.0;
	ck_assert_ptr_null(cairn_mapper_load(&cfg, path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "extent"));
	cairn_config_defaults(&cfg);
	ck_assert_ptr_null(cairn_mapper_load(&cfg, "/nonexistent/map.bin", &err));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_null(cairn_mapper_load(&cfg, "/tmp", &err));
	end();
}
END_TEST

/* A file whose check sum is right and whose contents are not: refused or taken, never a crash. */
START_TEST(no_contents_can_harm)
{
	begin();
	size_t n = read_file();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	int taken = 0;
	for (int round = 0; round < CAIRN_ROUNDS(150); round++) {
		unsigned char kept[8];
		/* Mostly in front, where the counts are. */
		size_t at = 24 + (size_t)(pow(cairn_rng_uniform(&rng), 4.0) * (double)(n - 24 - 8));
		memcpy(kept, bytes + at, 8);
		for (int i = 0; i < 8; i++)
			bytes[at + (size_t)i] = (unsigned char)cairn_rng_u32(&rng);
		uint32_t crc = (uint32_t)crc32_z(0, bytes + 24, n - 24);
		memcpy(bytes + 12, &crc, 4);
		write_file(n);
		memcpy(bytes + at, kept, 8);
		struct cairn_error err;
		struct cairn_mapper *m = cairn_mapper_load(&cfg, path, &err);
		if (m == NULL)
			continue;
		taken++;
		ck_assert(cairn_mapper_frontiers(m, robot.t_ns, &frontiers));
		cairn_mapper_scan(m, &scan, robot.t_ns + 1);
		cairn_mapper_destroy(&m);
	}
	ck_assert_int_gt(taken, 0);
	ck_assert_int_lt(taken, CAIRN_ROUNDS(150));
	end();
}
END_TEST

START_TEST(saving_where_it_cannot_be_says_why_and_keeps_the_old_file)
{
	begin();
	struct cairn_error err = {""};
	ck_assert(!cairn_mapper_save(mapper, "/nonexistent/map.bin", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/map.bin"));
	char beside[80];
	snprintf(beside, sizeof(beside), "%s.tmp", path);
	ck_assert_int_eq(mkdir(beside, 0700), 0); /* in the way */
	ck_assert(!cairn_mapper_save(mapper, path, &err));
	rmdir(beside);
	struct cairn_mapper *old = cairn_mapper_load(&cfg, path, &err);
	ck_assert_ptr_nonnull(old);
	cairn_mapper_destroy(&old);
	end();
}
END_TEST

START_TEST(a_disk_that_fills_up_in_the_middle_of_a_map_keeps_the_old_file)
{
	begin();
	size_t size = read_file();
	struct cairn_error err = {""};
	struct rlimit limit;
	ck_assert_uint_gt(size, 2 * 65536); /* goes out in parts */
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t most = 0; most < size; most += size / 5) {
		struct rlimit small = {most, limit.rlim_max};
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
		bool saved = cairn_mapper_save(mapper, path, &err);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		ck_assert(!saved);
		ck_assert_ptr_nonnull(strstr(err.text, strerror(EFBIG)));
		struct cairn_mapper *old = cairn_mapper_load(&cfg, path, &err);
		ck_assert_ptr_nonnull(old);
		cairn_mapper_destroy(&old);
	}
	end();
}
END_TEST

static uint32_t pixel(cairo_surface_t *s, int x, int y)
{
	const unsigned char *row =
	    cairo_image_surface_get_data(s) + (ptrdiff_t)y * cairo_image_surface_get_stride(s);
	uint32_t v;
	memcpy(&v, row + 4 * x, 4);
	return v & 0xFFFFFFu;
}

/* Drawn by one robot, taken over by another that stands elsewhere on it, turned. */
START_TEST(a_map_of_another_program_is_a_start)
{
	begin();
	for (int i = 0; i < 120; i++)
		step(map_robot_steer(&robot, i < 60 ? 7.5 : 1.0, 0.0), 7);
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	struct cairn_map_file map = {.cells = bytes,
	    .width = (uint32_t)(box.max_cx - box.min_cx + 1),
	    .height = (uint32_t)(box.max_cy - box.min_cy + 1),
	    .cell_m = 0.05,
	    .origin_x_m = box.min_cx * 0.05,
	    .origin_y_m = box.min_cy * 0.05};
	cairn_grid_bytes(grid, box, bytes);
	uint32_t free_cells = grid->free_cells;
	struct cairn_error err = {""};
	struct cairn_pose2 start = {3.0, 0.1, 2.0};
	ck_assert_msg(cairn_mapper_import(&cfg, &map, start, path, &err), "%s", err.text);
	struct cairn_mapper *other = cairn_mapper_load(&cfg, path, &err);
	ck_assert_msg(other != NULL, "%s", err.text);
	ck_assert_double_eq_tol((double)cairn_mapper_grid(other)->free_cells / free_cells, 1.0, 0.15);
	ck_assert_uint_eq(cairn_mapper_grid(other)->visited_cells, 0);
	cairn_mapper_destroy(&mapper);
	mapper = other;
	robot.truth = cairn_pose_compose(
	    start, (struct cairn_pose2){0.1, -0.05, 0.05}); /* nearly where it was said to be */
	robot.odom = (struct cairn_pose2){0};
	for (int i = 0; i < 5; i++)
		step((struct cairn_twist){0.0, 0.0}, 8);
	struct cairn_msg_pose p;
	cairn_mapper_pose(mapper, &p);
	ck_assert_int_eq(p.tracking, CAIRN_TRACKING_GOOD);
	struct cairn_pose2 truth = cairn_pose_between(start, robot.truth);
	ck_assert_double_lt(hypot(p.x_m - truth.x_m, p.y_m - truth.y_m), 0.05);
	ck_assert_double_lt(fabs(cairn_wrap_rad(p.yaw_rad - truth.yaw_rad)), 0.03);
	start.x_m = 50.0;
	ck_assert(!cairn_mapper_import(&cfg, &map, start, path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "not on the map"));
	start.x_m = -1.55; /* in the wall */
	ck_assert(!cairn_mapper_import(&cfg, &map, start, path, &err));
	end();
}
END_TEST

/* Four known cells in the corners of a square: the picture must show each where it belongs, north (+x) up. */
START_TEST(the_picture_shows_free_wall_and_unknown_with_north_up)
{
	uint8_t cells[20 * 20];
	memset(cells, 255, sizeof(cells));
	for (int y = 5; y < 15; y++)
		for (int x = 5; x < 15; x++)
			cells[y * 20 + x] = x >= 10 ? 0
					    : y >= 10
						? 100
						: 255; /* far half free, near left wall, near right unknown */
	cells[5 * 20 + 5] = 0;
	struct cairn_picture p = {
	    .cells = cells, .width = 20, .height = 20, .stride_bytes = 20, .cell_m = 0.05};
	char png[80];
	snprintf(png, sizeof(png), "/tmp/cairn-picture-%d.png", (int)getpid());
	struct cairn_error err;
	ck_assert(cairn_picture_write(&p, png, &err));
	cairo_surface_t *s = cairo_image_surface_create_from_png(png);
	unlink(png);
	ck_assert_int_eq(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
	int w = cairo_image_surface_get_width(s);
	/* 18 cells (10 and a margin of 4 on each side) of 24 pixels, centred; the map begins 12 pixels below
	 * the top. */
	int left = (w - 18 * 24) / 2, mid = left + 9 * 24, top = 12;
	ck_assert_uint_eq(pixel(s, mid - 60, top + 6 * 24), 0xFFFFFF);  /* north-west: free */
	ck_assert_uint_eq(pixel(s, mid + 60, top + 6 * 24), 0xFFFFFF);  /* north-east: free */
	ck_assert_uint_eq(pixel(s, mid - 60, top + 11 * 24), 0x141414); /* south-west: wall */
	uint32_t grey = pixel(s, mid + 60, top + 11 * 24);              /* south-east: unknown */
	ck_assert_uint_eq(grey, pixel(s, left + 10, top + 10));
	ck_assert_uint_ne(grey, 0xFFFFFF);
	cairo_surface_destroy(s);
}
END_TEST

/* Pixels of a colour, in channels that differ by no more than 8. */
static int count_colour(cairo_surface_t *s, uint32_t colour)
{
	int n = 0, w = cairo_image_surface_get_width(s), h = cairo_image_surface_get_height(s);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			uint32_t c = pixel(s, x, y);
			n += abs((int)(c >> 16 & 255) - (int)(colour >> 16 & 255)) <= 8 &&
			     abs((int)(c >> 8 & 255) - (int)(colour >> 8 & 255)) <= 8 &&
			     abs((int)(c & 255) - (int)(colour & 255)) <= 8;
		}
	return n;
}

START_TEST(the_picture_names_what_was_found_and_shows_the_goal)
{
	static const uint32_t hazard = 0xC71A1A, goal = 0xBF1A73;
	uint8_t cells[40 * 40] = {0}; /* all free */
	struct cairn_msg_discovery found[2] = {
	    {.kind = CAIRN_SIGNIFICANCE_HAZARD, .label = "stairs", .x_m = 0.5, .y_m = 1.5},
	    {.kind = CAIRN_SIGNIFICANCE_ROOM,
		.label = "Küche und noch viel mehr als das",
		.x_m = 1.5,
		.y_m = 1.0}};
	struct cairn_picture p = {
	    .cells = cells, .width = 40, .height = 40, .stride_bytes = 40, .cell_m = 0.05};
	char png[80];
	struct cairn_error err;
	cairo_surface_t *s[3];
	snprintf(png, sizeof(png), "/tmp/cairn-picture-%d.png", (int)getpid());
	for (int i = 0; i < 3; i++) {
		p.discoveries = i >= 1 ? found : NULL;
		p.discovery_count = 2;
		p.have_goal = i == 2;
		p.goal = (struct cairn_vec2){0.5, 0.4};
		ck_assert(cairn_picture_write(&p, png, &err));
		s[i] = cairo_image_surface_create_from_png(png);
		unlink(png);
	}
	ck_assert_int_eq(count_colour(s[0], hazard), 0);
	ck_assert_int_gt(count_colour(s[1], hazard), 10); /* letters and a dot */
	ck_assert_int_eq(count_colour(s[1], goal), 0);
	ck_assert_int_gt(count_colour(s[2], goal), 100); /* a ring of 3 pixels and a dot */
	ck_assert_int_lt(count_colour(s[1], 0xFFFFFF), count_colour(s[0], 0xFFFFFF));
	for (int i = 0; i < 3; i++)
		cairo_surface_destroy(s[i]);
}
END_TEST

START_TEST(the_picture_keeps_to_its_size_and_needs_a_map)
{
	begin();
	char png[80];
	snprintf(png, sizeof(png), "/tmp/cairn-picture-%d.png", (int)getpid());
	struct cairn_error err;
	struct cairn_msg_nav_path *way = calloc(1, sizeof(*way));
	way->points_count = 2;
	way->points[1].x_m = 1.0F;
	ck_assert(cairn_picture_of_mapper(
	    mapper, &(struct cairn_picture_over){.planned = way}, "a flat", png, &err));
	free(way);
	cairo_surface_t *s = cairo_image_surface_create_from_png(png);
	ck_assert_int_eq(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
	ck_assert_int_le(cairo_image_surface_get_width(s), 900);
	ck_assert_int_le(cairo_image_surface_get_height(s), 900);
	cairo_surface_destroy(s);
	unlink(png);
	ck_assert(!cairn_picture_of_mapper(mapper, NULL, NULL, "/nonexistent/map.png", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/map.png"));
	struct cairn_mapper *empty = cairn_mapper_new(&cfg);
	ck_assert(!cairn_picture_of_mapper(empty, NULL, NULL, png, &err));
	cairn_mapper_destroy(&empty);
	struct cairn_picture none = {0};
	size_t count;
	ck_assert_ptr_null(cairn_picture_encode(&none, &count, &err));
	uint8_t cell = 0;
	struct cairn_picture one = {
	    .cells = &cell, .width = 1, .height = 1, .stride_bytes = 1, .cell_m = 0.05};
	unsigned char *data = cairn_picture_encode(&one, &count, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_mem_eq(data, "\x89PNG", 4);
	free(data);
	end();
}
END_TEST

START_TEST(a_mapper_that_has_seen_nothing_yet_is_saved_and_comes_back_too)
{
	char file[] = "/tmp/cairn-map-XXXXXX";
	struct cairn_config empty_cfg;
	struct cairn_error err = {""};
	struct cairn_msg_pose pose;
	int fd = mkstemp(file);
	ck_assert_int_ge(fd, 0);
	close(fd);
	cairn_config_defaults(&empty_cfg);
	struct cairn_mapper *empty = cairn_mapper_new(&empty_cfg);
	ck_assert_ptr_nonnull(empty);
	ck_assert_msg(cairn_mapper_save(empty, file, &err), "%s", err.text); /* all its lists are empty */
	cairn_mapper_destroy(&empty);
	empty = cairn_mapper_load(&empty_cfg, file, &err);
	ck_assert_msg(empty != NULL, "%s", err.text);
	cairn_mapper_pose(empty, &pose);
	ck_assert_int_eq(pose.tracking, CAIRN_TRACKING_NONE);
	cairn_mapper_destroy(&empty);
	ck_assert_int_eq(unlink(file), 0);
}
END_TEST

CAIRN_TEST_MAIN("map_file", the_picture_names_what_was_found_and_shows_the_goal,
    a_map_of_another_program_is_a_start, what_is_saved_is_what_is_loaded,
    a_mapper_that_has_seen_nothing_yet_is_saved_and_comes_back_too, doorways_claims_and_visits_come_back_too,
    a_mapper_that_comes_back_knows_where_the_robot_went_meanwhile,
    a_robot_that_was_moved_meanwhile_is_found_or_said_to_be_lost, a_damaged_file_is_refused_with_a_reason,
    no_contents_can_harm, saving_where_it_cannot_be_says_why_and_keeps_the_old_file,
    a_disk_that_fills_up_in_the_middle_of_a_map_keeps_the_old_file,
    the_picture_shows_free_wall_and_unknown_with_north_up, the_picture_keeps_to_its_size_and_needs_a_map)
