/* What needs a terminal or a desktop: steering by its keys (`cairn teleop`) and opening the page (`cairn open`). The test plays the
 * robot and the terminal. */
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/bus.h"
#include "test/cli/harness.h"

#define END_S 20 /* a limit for a broken program, not a measure of a good one */
#define OLD_MESSAGES 20

static struct cairn_error err;
static struct cairn_bus *bus;
static struct cairn_pub *mission;
static struct cairn_sub *teleop;
static struct cairn_server *motor;
static int stops, terminal;
static pid_t program;
static char screen[4096]; /* the newest that the program has written */
static size_t screen_bytes;

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* ---- the robot ---- */

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	(void)ctx;
	stops += strcmp(cmd->verb, "stop") == 0;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "the wheels are held");
}

static void begin(void)
{
	make_run_dir();
	write_file("config.yaml", "", "w");
	stops = 0;
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	motor = cairn_server_new(bus, CAIRN_SERVICE_MOTOR_CTL, on_command, NULL, &err);
	teleop = cairn_sub_new(bus, CAIRN_TOPIC_TELEOP_LOCAL, NULL, &err);
	ck_assert_msg(mission != NULL && motor != NULL && teleop != NULL, "%s", err.text);
}

static void end(void)
{
	cairn_bus_destroy(&bus);
	remove_run_dir();
}

/* ---- the terminal ---- */

static void start_teleop(struct termios *ret_before)
{
	screen_bytes = 0;
	program = forkpty(&terminal, NULL, NULL, NULL);
	if (program == 0) {
		execl(CAIRN_PROGRAM, CAIRN_PROGRAM, "teleop", "--run", run_dir, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_gt(program, 0);
	ck_assert_int_eq(tcgetattr(terminal, ret_before), 0); /* both ends of a pty have the same settings */
}

static void press(const char *keys)
{
	ck_assert_int_eq(write(terminal, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* The robot's turn, and what the program writes meanwhile. */
static void turn(void)
{
	struct pollfd p = {.fd = terminal, .events = POLLIN};
	struct cairn_msg_mission m = {.activity = "waits"};
	cairn_pub_send(mission, &m, now_ns(), true);
	cairn_server_serve(motor);
	if (poll(&p, 1, 10) <= 0)
		return;
	if (screen_bytes > sizeof(screen) / 2) {
		memmove(screen, screen + screen_bytes - sizeof(screen) / 4, sizeof(screen) / 4);
		screen_bytes = sizeof(screen) / 4;
	}
	ssize_t n = read(terminal, screen + screen_bytes, sizeof(screen) - 1 - screen_bytes);
	screen_bytes += n > 0 ? (size_t)n : 0;
	screen[screen_bytes] = '\0';
}

static void await_text(const char *text)
{
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	while (strstr(screen, text) == NULL && now_ns() < end_ns)
		turn();
	ck_assert_msg(strstr(screen, text) != NULL, "not '%s' but: %s", text, screen);
}

/* The next message that drives (or stands); the keys are pressed again and again meanwhile, if any. */
static struct cairn_msg_teleop await_drive(const char *keys, bool drives)
{
	struct cairn_msg_teleop m;
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S, pressed_ns = 0;
	while (now_ns() < end_ns) {
		if (keys != NULL && now_ns() - pressed_ns > CAIRN_NS_PER_S / 5) {
			press(keys);
			pressed_ns = now_ns();
		}
		turn();
		while (cairn_sub_recv(teleop, &m, NULL) == 1)
			if ((m.v_mps != 0.0) == drives)
				return m;
	}
	ck_abort_msg("no message that %s: %s", drives ? "drives" : "stands", screen);
	return m;
}

/* How many lines of the screen drive before the next that stands; 0: none that stands is there yet. A line is shown for each message. */
static int drives_on_screen(void)
{
	int drives = 0;
	for (const char *line = strstr(screen, "\033[K"); line != NULL; line = strstr(line + 1, "\033[K")) {
		double v_mps;
		int whole = 0;
		if (sscanf(line + 3, "%lf m/s of%n", &v_mps, &whole) != 1 || whole == 0)
			return 0;
		if (v_mps == 0.0 && drives > 0)
			return drives;
		drives += v_mps != 0.0;
	}
	return 0;
}

static int drives_after(const char *keys)
{
	int drives = 0;
	screen[screen_bytes = 0] = '\0';
	press(keys);
	for (int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S; drives == 0 && now_ns() < end_ns;) {
		turn();
		drives = drives_on_screen();
	}
	return drives;
}

static int await_end(void)
{
	int status = -1;
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	while (waitpid(program, &status, WNOHANG) == 0 && now_ns() < end_ns)
		turn();
	ck_assert_msg(WIFEXITED(status), "the program has not ended: %x; %s", (unsigned)status, screen);
	return WEXITSTATUS(status);
}

static void must_be_restored(const struct termios *before)
{
	struct termios now;
	ck_assert_int_eq(tcgetattr(terminal, &now), 0);
	ck_assert_uint_eq(now.c_lflag, before->c_lflag);
	ck_assert_uint_eq(now.c_iflag, before->c_iflag);
	ck_assert_uint_eq(now.c_oflag, before->c_oflag);
	ck_assert_uint_eq(now.c_cflag, before->c_cflag);
	close(terminal);
}

START_TEST(keys_drive_and_a_key_that_is_let_go_stops_and_the_terminal_is_as_it_was)
{
	static const struct {
		const char *key;
		int v, steer; /* signs */
	} keys[] = {{"w", 1, 0}, {"s", -1, 0}, {"a", 1, 1}, {"d", 1, -1}, {"\033[A", 1, 0}, {"\033[B", -1, 0},
	    {"\033[D", 1, 1}, {"\033[C", 1, -1}};
	struct termios before, raw;
	begin();
	start_teleop(&before);
	await_text("space stops");
	ck_assert_int_eq(tcgetattr(terminal, &raw), 0);
	ck_assert_uint_eq(raw.c_lflag & (ICANON | ECHO | ISIG), 0);
	ck_assert_uint_ne(before.c_lflag & (ICANON | ECHO | ISIG), 0);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct cairn_msg_teleop m = await_drive(keys[i].key, true);
		ck_assert_int_eq((m.v_mps > 0.0) - (m.v_mps < 0.0), keys[i].v);
		ck_assert_int_eq((m.steer_rad > 0.0) - (m.steer_rad < 0.0), keys[i].steer);
		ck_assert_ptr_nonnull(strstr(m.who, "cairn teleop"));
		(void)await_drive(NULL, false); /* nobody touches a key */
	}
	press("q");
	ck_assert_int_eq(await_end(), 0);
	must_be_restored(&before);
	end();
}
END_TEST

START_TEST(the_space_bar_stops_at_once_x_holds_the_wheels_and_plus_and_minus_change_the_speed)
{
	struct termios before;
	begin();
	start_teleop(&before);
	await_text("space stops");
	double usual = await_drive("w", true).v_mps;
	(void)await_drive(NULL, false);
	ck_assert_int_eq(drives_after("w "), 1); /* of a dozen, were it not for the space bar */
	press("---");
	double slower = usual;
	for (int i = 0; i < OLD_MESSAGES && slower >= usual; i++) /* some of before may still be on the way */
		slower = await_drive("w", true).v_mps;
	ck_assert_double_lt(slower, usual);
	press("x");
	await_text("the wheels are held");
	ck_assert_int_eq(stops, 1);
	(void)await_drive(NULL, false);
	press("\003"); /* Ctrl-C comes as a key */
	ck_assert_int_eq(await_end(), 0);
	must_be_restored(&before);
	end();
}
END_TEST

START_TEST(a_signal_ends_the_steering_and_leaves_the_terminal_as_it_was)
{
	static const int signals[] = {SIGTERM, SIGINT};
	struct termios before;
	begin();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		start_teleop(&before);
		await_text("space stops");
		(void)await_drive("w", true);
		kill(program, signals[i]);
		(void)await_drive(NULL, false); /* its last word */
		(void)await_end();
		must_be_restored(&before);
	}
	end();
}
END_TEST

START_TEST(steering_needs_a_terminal_and_a_stack)
{
	begin();
	expect("teleop", "</dev/null", 2, "", "cairn teleop: needs the keys of a terminal\n");
	cairn_bus_destroy(&bus);
	ck_assert_int_eq(cairn("teleop", "</dev/null")->status, 3);
	remove_run_dir();
}
END_TEST

/* ---- the page ---- */

/* A desktop whose browser notes what it is given. */
static void put_desktop(void)
{
	char path[160];
	write_file("xdg-open", "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"${0%/*}/opened\"\n", "w");
	snprintf(path, sizeof(path), "%s/xdg-open", run_dir);
	ck_assert_int_eq(chmod(path, 0700), 0);
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", run_dir);
	setenv("PATH", path, 1);
	setenv("DISPLAY", ":7", 1);
}

static const char *opened(void)
{
	static char text[512];
	char path[160];
	snprintf(path, sizeof(path), "%s/opened", run_dir);
	FILE *in = fopen(path, "re");
	size_t n = in != NULL ? fread(text, 1, sizeof(text) - 1, in) : 0;
	text[n] = '\0';
	if (in != NULL)
		fclose(in);
	return text;
}

START_TEST(open_gives_the_address_of_the_page_to_the_desktop_and_prints_it)
{
	begin();
	put_desktop();
	ck_assert_int_eq(cairn("open", "")->status, 3); /* the stage web does not listen */
	write_file("web.url", "http://127.0.0.1:40123/\n", "w");
	expect("open", "--print", 0, "http://127.0.0.1:40123/\n", "");
	ck_assert_str_eq(opened(), "");
	expect("open", "", 0, "http://127.0.0.1:40123/\n", "");
	ck_assert_str_eq(opened(), "http://127.0.0.1:40123/\n");
	unsetenv("DISPLAY"); /* nobody sits before it: printed all the same */
	unsetenv("WAYLAND_DISPLAY");
	expect("open", "", 0, "http://127.0.0.1:40123/\n", "");
	ck_assert_str_eq(opened(), "http://127.0.0.1:40123/\n");
	write_file("config.yaml", "web:\n  enabled: false\n", "w");
	expect("open", "", 1, "", "cairn open: the stage web is left out of this stack (web.enabled)\n");
	end();
}
END_TEST

CAIRN_TEST_MAIN("terminal", keys_drive_and_a_key_that_is_let_go_stops_and_the_terminal_is_as_it_was,
    the_space_bar_stops_at_once_x_holds_the_wheels_and_plus_and_minus_change_the_speed,
    a_signal_ends_the_steering_and_leaves_the_terminal_as_it_was, steering_needs_a_terminal_and_a_stack,
    open_gives_the_address_of_the_page_to_the_desktop_and_prints_it)
