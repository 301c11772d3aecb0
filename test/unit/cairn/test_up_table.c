/* The live table: its decisions, its map, its keys; the motor stage and the terminal are played by the test. */
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/cairn/up.h"
#include "procs/cairn/up_keys.h"
#include "procs/cairn/up_map.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

static char text[65536];

static const char *view(const struct up_run *run, const struct up_screen *screen)
{
	memset(text, 0, sizeof(text));
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	ck_assert_ptr_nonnull(out);
	up_view(run, run->start_ns + 65 * CAIRN_NS_PER_S, screen, out);
	fclose(out);
	return text;
}

static int lines_of(const char *s)
{
	int n = 0;
	for (; *s != '\0'; s++)
		n += *s == '\n';
	return n;
}

/* A room of 10 x 4 cells of 0.5 m, its lower left corner at -1, -1; beyond the wall nothing is known. */
static void room(uint8_t cells[8][12])
{
	memset(cells, 255, 8 * 12);
	for (int y = 1; y < 7; y++)
		for (int x = 1; x < 11; x++)
			cells[y][x] = y == 1 || y == 6 || x == 1 || x == 10 ? 100 : 0;
}

START_TEST(the_map_is_drawn_with_the_largest_y_on_top)
{
	uint8_t cells[8][12];
	struct up_map_picture p;
	int col, row;
	room(cells);
	cells[5][3] = 100; /* near the top left */
	up_map_draw(&cells[0][0], 12, 8, 0.5, -1.0, -1.0, 80, 24, &p);
	ck_assert_int_eq(p.cols, 12);
	ck_assert_int_eq(p.rows, 4); /* a character is as tall as two cells */
	ck_assert_int_eq(memcmp(p.cells[0], " ########## ", 12), 0);
	ck_assert_int_eq(memcmp(p.cells[1], " #.#......# ", 12), 0);
	ck_assert_int_eq(memcmp(p.cells[2], " #........# ", 12), 0);
	ck_assert_int_eq(memcmp(p.cells[3], " ########## ", 12), 0);
	ck_assert(up_map_place(&p, -0.9, 2.9, &col, &row));
	ck_assert(col == 0 && row == 0);
	ck_assert(up_map_place(&p, 4.9, -0.9, &col, &row));
	ck_assert(col == 11 && row == 3);
	ck_assert(!up_map_place(&p, -1.1, 0.0, &col, &row));
	ck_assert(!up_map_place(&p, 0.0, NAN, &col, &row));
}
END_TEST

START_TEST(a_large_map_is_drawn_coarser_and_its_walls_stay)
{
	static uint8_t cells[400 * 600];
	struct up_map_picture p;
	memset(cells, 0, sizeof(cells));
	for (int y = 0; y < 400; y++)
		cells[y * 600 + 300] = 100; /* one cell wide */
	up_map_draw(cells, 600, 400, 0.05, 0.0, 0.0, 70, 20, &p);
	ck_assert_int_le(p.cols, 70);
	ck_assert_int_le(p.rows, 20);
	for (int row = 0; row < p.rows; row++)
		ck_assert_ptr_nonnull(memchr(p.cells[row], '#', (size_t)p.cols));
	up_map_draw(cells, 600, 400, 0.05, 0.0, 0.0, 0, 0, &p);
	ck_assert_int_eq(p.cols, 0);
}
END_TEST

START_TEST(decisions_stand_with_their_reasons_the_newest_first)
{
	static struct up_run run = {.have_mission = true, .decision_count = 2};
	struct up_keys keys = {.fd = 0};
	const struct up_screen screen = {.rows = 40, .cols = 120, .keys = &keys};
	run.decisions[0] = (struct up_decision){
	    .id = 1, .t_s = 5.0, .what = "turn left", .why = "a wall ahead", .became = "done: turned"};
	run.decisions[1] =
	    (struct up_decision){.id = 2, .t_s = 61.0, .what = "drive\033[2J", .why = "a door"};
	const char *s = view(&run, &screen);
	const char *newest = strstr(s, "0:01:01  [under way] drive [2J because: a door");
	ck_assert_msg(newest != NULL, "%s", s);
	const char *older = strstr(s, "0:00:05  [done: turned] turn left because: a wall ahead");
	ck_assert(older != NULL && newest < older);
	ck_assert_ptr_null(strchr(s, '\033'));
	ck_assert_int_eq(lines_of(s), 40); /* the keys stand in the last line */
	ck_assert_ptr_nonnull(strstr(s, "space: EMERGENCY STOP"));
	ck_assert_ptr_null(strstr(s, "latched"));
	keys.help = true;
	ck_assert_ptr_nonnull(strstr(view(&run, &screen), "latched: 'cairn release'"));
}
END_TEST

START_TEST(processes_are_shown_on_demand_and_the_map_where_there_is_room)
{
	static struct up_run run = {.have_stages = true, .have_pose = true};
	struct up_keys keys = {.fd = 0};
	uint8_t cells[8][12];
	struct up_map_picture map;
	room(cells);
	up_map_draw(&cells[0][0], 12, 8, 0.5, -1.0, -1.0, 80, 24, &map);
	run.stages.items_count = 1;
	snprintf(run.stages.items[0].name, sizeof(run.stages.items[0].name), "mapper");
	run.pose.x_m = 1.1;
	run.pose.y_m = 1.2;
	run.pose.yaw_rad = M_PI / 2; /* up */
	struct up_screen screen = {.rows = 40, .cols = 120, .keys = &keys, .map = &map};
	ck_assert_ptr_null(strstr(view(&run, &screen), "mapper"));
	ck_assert_msg(strstr(text, "#..^.....#") != NULL, "%s", text);
	keys.processes = true;
	ck_assert_ptr_nonnull(strstr(view(&run, &screen), "mapper"));
	screen.rows = 6;
	ck_assert_ptr_null(strstr(view(&run, &screen), "####"));
	ck_assert_int_le(lines_of(text), 6);
	ck_assert_int_eq(up_view_map_rows(24, false), 0);
	ck_assert_int_gt(up_view_map_rows(40, false), 10);
}
END_TEST

/* Two openings behind one gap of 0.33 m, and one in reach. */
static void add_gap(struct cairn_msg_frontiers *f)
{
	f->needs_m = 0.40;
	f->items_count = f->total = 3;
	f->reachable = 1;
	for (uint32_t i = 0; i < 3; i++)
		f->items[i] =
		    (struct cairn_msg_frontier){.id = 5 + i, .x_m = 3.1, .y_m = 1.2, .distance_m = 2.0};
	for (uint32_t i = 1; i < 3; i++) {
		f->items[i].distance_m = -1.0;
		f->items[i].gap_m = 0.33;
		f->items[i].gap_x_m = 1.6 + 0.1 * i;
		f->items[i].gap_y_m = 1.2;
	}
}

START_TEST(a_gap_too_narrow_is_in_the_table_on_its_map_and_in_the_summary_once)
{
	static const char line[] = "too narrow   frontier 6: 0.33 m at (1.70, 1.20), 0.07 m too narrow\n";
	static struct up_run run = {.have_frontiers = true};
	struct up_keys keys = {.fd = 0};
	uint8_t cells[8][12];
	struct up_map_picture map;
	room(cells);
	up_map_draw(&cells[0][0], 12, 8, 0.5, -1.0, -1.0, 80, 24, &map);
	add_gap(&run.frontiers);
	struct up_screen screen = {.rows = 40, .cols = 120, .keys = &keys, .map = &map};
	ck_assert_ptr_nonnull(strstr(view(&run, &screen), "3 frontiers (1 within reach, 1 gaps too narrow)"));
	ck_assert_msg(strstr(text, "!") != NULL, "%s", text);
	memset(text, 0, sizeof(text));
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	up_summary_text(&run, run.start_ns + CAIRN_NS_PER_S, out);
	fclose(out);
	const char *first = strstr(text, line);
	ck_assert_msg(first != NULL && strstr(first + 1, "too narrow   ") == NULL, "%s", text);
	memset(text, 0, sizeof(text));
	out = fmemopen(text, sizeof(text) - 1, "w");
	up_summary_json(&run, run.start_ns + CAIRN_NS_PER_S, out);
	fclose(out);
	ck_assert_msg(strstr(text, "\"too_narrow\":[{\"frontier\":6,\"x_m\":1.7,\"y_m\":1.2,"
				   "\"width_m\":0.33,\"short_m\":0.07}]") != NULL,
	    "%s", text);
}
END_TEST

/* ---- keys ---- */

static int stops;

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	(void)ctx;
	stops += strcmp(cmd->verb, "stop") == 0;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "stopped and latched");
}

/* The test's own terminal becomes standard input; its other end. */
static int take_terminal(void)
{
	char name[64];
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	ck_assert_int_eq(ptsname_r(master, name, sizeof(name)), 0);
	int slave = open(name, O_RDWR); /* the first one that is opened is the session's */
	ck_assert_int_ge(slave, 0);
	(void)ioctl(slave, TIOCSCTTY, 0);
	ck_assert_int_eq(dup2(slave, STDIN_FILENO), STDIN_FILENO);
	return master;
}

/* In a session of its own, which alone can have a terminal. */
static void in_session(void (*play)(void))
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		(void)setsid();
		play();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static void press(int terminal, const char *keys)
{
	ck_assert_int_eq(write(terminal, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Until done says so, for 10 s at most. */
static bool pump(struct up_keys *keys, struct cairn_server *server, bool (*done)(const struct up_keys *keys))
{
	bool end = false;
	for (int64_t now_ns = CAIRN_NS_PER_S; now_ns < 11 * CAIRN_NS_PER_S; now_ns += 5 * CAIRN_NS_PER_MS) {
		end |= up_keys_tick(keys, now_ns);
		if (end || done(keys))
			return end;
		(void)poll(NULL, 0, 5);
		if (server != NULL)
			cairn_server_serve(server);
	}
	ck_abort_msg("nothing came of the key: '%s'", keys->said);
	return end;
}

static bool is_answered(const struct up_keys *keys)
{
	return keys->asked > 0 && keys->answered == keys->asked;
}

static bool has_failed(const struct up_keys *keys)
{
	return keys->failed;
}

static bool has_help(const struct up_keys *keys)
{
	return keys->help;
}

static bool never(const struct up_keys *keys)
{
	(void)keys;
	return false;
}

static void stop_with_a_motor_stage(void)
{
	char run_dir[CAIRN_RUN_DIR_BYTES];
	struct cairn_error err = {""};
	struct up_keys keys;
	struct termios before, after;
	cairn_run_dir_make(run_dir, "keys");
	int terminal = take_terminal();
	struct cairn_bus *bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_MOTOR_CTL, on_command, NULL, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	ck_assert_int_eq(tcgetattr(STDIN_FILENO, &before), 0);
	up_keys_open(&keys, bus);
	ck_assert_int_ge(keys.fd, 0);
	press(terminal, "x?"); /* without a line end */
	ck_assert(!pump(&keys, server, has_help));
	ck_assert_int_eq(stops, 0);
	press(terminal, " ");
	ck_assert(!pump(&keys, server, is_answered));
	ck_assert_int_eq(stops, 1);
	ck_assert(!keys.failed);
	ck_assert_str_eq(keys.said, "emergency stop: stopped and latched");
	press(terminal, "q");
	ck_assert(pump(&keys, server, never));
	up_keys_close(&keys);
	ck_assert_int_eq(tcgetattr(STDIN_FILENO, &after), 0);
	ck_assert_uint_eq(after.c_lflag, before.c_lflag);
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

START_TEST(the_space_bar_asks_the_motor_stage_for_an_emergency_stop)
{
	in_session(stop_with_a_motor_stage);
}
END_TEST

static void stop_without_one(void)
{
	char run_dir[CAIRN_RUN_DIR_BYTES];
	struct cairn_error err = {""};
	struct up_keys keys;
	cairn_run_dir_make(run_dir, "keys");
	int terminal = take_terminal();
	struct cairn_bus *bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	up_keys_open(&keys, bus);
	press(terminal, " ");
	ck_assert(!pump(&keys, NULL, has_failed));
	ck_assert_ptr_nonnull(strstr(keys.said, "DOES NOT ANSWER"));
	up_keys_close(&keys);
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

START_TEST(a_stop_that_nobody_answers_is_told_loudly)
{
	in_session(stop_without_one);
}
END_TEST

CAIRN_TEST_MAIN("up-table", the_map_is_drawn_with_the_largest_y_on_top,
    a_large_map_is_drawn_coarser_and_its_walls_stay, decisions_stand_with_their_reasons_the_newest_first,
    processes_are_shown_on_demand_and_the_map_where_there_is_room,
    a_gap_too_narrow_is_in_the_table_on_its_map_and_in_the_summary_once,
    the_space_bar_asks_the_motor_stage_for_an_emergency_stop, a_stop_that_nobody_answers_is_told_loudly)
