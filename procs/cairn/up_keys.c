#include "procs/cairn/up_keys.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"

#define ANSWER_NS CAIRN_NS_PER_S

void up_keys_open(struct up_keys *keys, struct cairn_bus *bus)
{
	struct termios raw;
	*keys = (struct up_keys){.fd = -1};
	if (isatty(STDIN_FILENO) != 1 || tcgetpgrp(STDIN_FILENO) != getpgrp() ||
	    tcgetattr(STDIN_FILENO, &keys->before) != 0)
		return;
	signal(
	    SIGTTIN, SIG_IGN); /* put into the background, it goes on without keys: it must not be halted */
	signal(SIGTTOU, SIG_IGN);
	raw = keys->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO); /* Ctrl-C stays a signal */
	raw.c_cc[VMIN] = 0;                        /* reading never waits */
	raw.c_cc[VTIME] = 0;
	keys->motor = cairn_client_new(bus, CAIRN_SERVICE_MOTOR_CTL, NULL);
	if (keys->motor != NULL && tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0)
		keys->fd = STDIN_FILENO;
}

void up_keys_close(struct up_keys *keys)
{
	if (keys->fd >= 0)
		(void)tcsetattr(keys->fd, TCSANOW, &keys->before);
	keys->fd = -1;
}

/* Tried again until it is on its way: the motor stage may be coming up just now. */
static void send_stop(struct up_keys *keys)
{
	struct cairn_msg_command cmd = {.who = "cairn up, space bar", .verb = "stop", .arg = "space bar"};
	if (keys->sent != keys->asked && cairn_client_send(keys->motor, keys->asked, &cmd) == 0)
		keys->sent = keys->asked;
}

static void stop(struct up_keys *keys, int64_t now_ns)
{
	keys->asked++;
	keys->failed = false;
	keys->asked_ns = now_ns;
	snprintf(keys->said, sizeof(keys->said), "emergency stop: asked for ...");
	send_stop(keys);
}

static void take_answers(struct up_keys *keys, int64_t now_ns)
{
	struct cairn_msg_reply reply;
	uint64_t tag;
	send_stop(keys);
	while (cairn_client_recv(keys->motor, &tag, &reply) == 1) {
		if (tag != keys->asked)
			continue;
		keys->answered = tag;
		keys->failed = !reply.ok;
		snprintf(keys->said, sizeof(keys->said), "emergency stop: %.80s", reply.text);
	}
	if (keys->answered != keys->asked && !keys->failed && now_ns - keys->asked_ns > ANSWER_NS) {
		keys->failed = true; /* it is tried on, and an answer that comes late is told */
		snprintf(keys->said, sizeof(keys->said),
		    "emergency stop: THE MOTOR STAGE DOES NOT ANSWER; if the robot moves, cut its power");
	}
}

bool up_keys_tick(struct up_keys *keys, int64_t now_ns)
{
	char pressed[64];
	bool end = false;
	if (keys->fd < 0)
		return false;
	take_answers(keys, now_ns);
	ssize_t n = read(keys->fd, pressed, sizeof(pressed));
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		keys->fd = -1; /* the terminal is gone */
	for (ssize_t i = 0; i < n; i++) {
		if (pressed[i] == ' ')
			stop(keys, now_ns);
		keys->help ^= pressed[i] == '?';
		keys->processes ^= pressed[i] == 'p';
		end |= pressed[i] == 'q';
	}
	return end;
}
