/* cmd_teleop.c - `cairn teleop`: steering by hand with the keys of a terminal.
 *
 * A terminal tells of a key that is pressed and, by its repetition, held; never of one that is let go. So each press drives for
 * HOLD_NS, a little longer than the pause before the repetition; the sequencer's dead man (0.3 s) covers this program's end. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/config/speeds.h"
#include "common/config/config.h"
#include "procs/cairn/commands.h"

#define SEND_MS 50
#define HOLD_NS (600 * CAIRN_NS_PER_MS)
#define SPEED_STEP_MPS 0.02
#define SPEED_MIN_MPS 0.04
#define STOP_MS 500

struct hand {
	double speed_mps, speed_max_mps, steer_max_rad;
	double v_mps, steer_rad;
	int64_t until_ns; /* v_mps holds */
	bool quit;
};

/* One key, arrows as the letters beside them. 0: none. */
static char read_key(void)
{
	char c[3] = {0};
	if (read(STDIN_FILENO, c, 1) != 1)
		return 0;
	if (c[0] != '\033')
		return c[0];
	struct pollfd more = {.fd = STDIN_FILENO, .events = POLLIN};
	if (poll(&more, 1, 0) <= 0 || read(STDIN_FILENO, c + 1, 2) != 2 || c[1] != '[')
		return 'q'; /* escape itself */
	static const char arrows[] = "ABCD", letters[] = "wsda";
	const char *found = strchr(arrows, c[2]);
	return found != NULL && *found != '\0' ? letters[found - arrows] : 0;
}

static int estop(const struct cli *cli)
{
	struct cairn_msg_command cmd = {.arg = "by hand"};
	struct cairn_msg_reply reply = {0};
	struct cairn_error err = {""};
	snprintf(cmd.who, sizeof(cmd.who), "cairn teleop");
	snprintf(cmd.verb, sizeof(cmd.verb), "stop");
	if (cairn_ask(cli->run_dir, CAIRN_SERVICE_MOTOR_CTL, &cmd, &reply, STOP_MS, &err) != 0)
		return cli_fail(cli, CLI_FAILED, "the emergency stop was not answered: %s", err.text);
	printf("\r\033[K%s\r\n", cli_printable(reply.text));
	return CLI_OK;
}

static void drive(struct hand *h, double direction, double steer, int64_t now_ns)
{
	h->v_mps = direction * h->speed_mps;
	h->steer_rad = steer * h->steer_max_rad;
	h->until_ns = now_ns + HOLD_NS;
}

static void obey(const struct cli *cli, struct hand *h, char key, int64_t now_ns)
{
	switch (key) {
	case 'w':
		drive(h, 1.0, 0.0, now_ns);
		break;
	case 's':
		drive(h, -1.0, 0.0, now_ns);
		break;
	case 'a':
		drive(h, 1.0, 1.0, now_ns);
		break;
	case 'd':
		drive(h, 1.0, -1.0, now_ns);
		break;
	case '+':
	case '-':
		h->speed_mps = cairn_clamp(h->speed_mps + (key == '+' ? SPEED_STEP_MPS : -SPEED_STEP_MPS),
		    SPEED_MIN_MPS, h->speed_max_mps);
		break;
	case 'x':
		h->until_ns = 0;
		(void)estop(cli);
		break;
	case 'q':
	case 3: /* Ctrl-C */
		h->quit = true;
		break;
	case 0:
		break;
	default: /* the space bar, and any key that is hit in a hurry */
		h->until_ns = 0;
	}
}

static int steer(const struct cli *cli, struct cairn_pub *pub, struct cairn_sub *mission, struct hand *h)
{
	struct cairn_msg_mission m = {.activity = ""};
	struct cairn_msg_teleop out = {.v_mps = 0.0};
	int64_t idle_ns = 0;
	snprintf(
	    out.who, sizeof(out.who), "uid %u, pid %d: cairn teleop", (unsigned)geteuid(), (int)getpid());
	printf("w/up forward, a and d curves, s/down back, + and - speed, space stops, x emergency stop, q "
	       "ends\r\n");
	while (!h->quit && !cli_interrupted()) {
		struct pollfd key = {.fd = STDIN_FILENO, .events = POLLIN};
		if (poll(&key, 1, SEND_MS) > 0) {
			char c = read_key();
			if (c == 0 && (key.revents & (POLLHUP | POLLERR)) != 0)
				break;
			obey(cli, h, c, cli_now_ns());
		}
		int64_t now_ns = cli_now_ns();
		bool held = now_ns < h->until_ns;
		out.v_mps = held ? h->v_mps : 0.0;
		out.steer_rad = h->steer_rad;
		idle_ns = held ? now_ns : idle_ns;
		if (now_ns - idle_ns <
		    HOLD_NS) /* to a standstill, and then nothing: the robot is free for others */
			(void)cairn_pub_send(pub, &out, now_ns, true);
		(void)cairn_sub_recv(mission, &m, NULL);
		printf("\r\033[K%.2f m/s of %.2f   %s", out.v_mps, h->speed_mps, cli_printable(m.activity));
		fflush(stdout);
	}
	out.v_mps = 0.0;
	(void)cairn_pub_send(pub, &out, cli_now_ns(), true);
	printf("\r\n");
	return CLI_OK;
}

int cli_teleop(const struct cli *cli)
{
	static struct cairn_config cfg;
	struct termios before, raw;
	struct cairn_error err = {""};
	char path[CLI_RUN_DIR_MAX + 16];
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	cairn_config_defaults(&cfg);
	if (!cairn_config_load(&cfg, path, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	if (tcgetattr(STDIN_FILENO, &before) != 0)
		return cli_fail(cli, CLI_USAGE, "needs the keys of a terminal");
	struct cairn_bus *bus = cairn_bus_new(cli->run_dir, &err);
	struct cairn_pub *pub = bus != NULL ? cairn_pub_new(bus, CAIRN_TOPIC_TELEOP_LOCAL, NULL, &err) : NULL;
	struct cairn_sub *mission = pub != NULL ? cairn_sub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err) : NULL;
	if (mission == NULL) {
		cairn_bus_destroy(&bus);
		return cli_fail(cli, CLI_FAILED, "%s (another 'cairn teleop'?)", err.text);
	}
	struct hand h = {.speed_mps = 0.5 * cairn_cruise_mps(&cfg),
	    .speed_max_mps = cairn_cruise_mps(&cfg),
	    .steer_max_rad = atan(cfg.robot.wheelbase_m / cfg.robot.turn_radius_min_m)};
	cli_catch_signals();
	raw = before;
	cfmakeraw(&raw);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	status = steer(cli, pub, mission, &h);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
	poll(NULL, 0, 50); /* the last word goes out */
	cairn_bus_destroy(&bus);
	return status;
}
