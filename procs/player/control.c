/* control.c - play, pause, step, seek, rate and where: the service player. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "procs/player/player.h"

#define STEP_S 0.1

/* A number of min to max; NAN when it is none. */
static double number(const char *text, double dflt, double min, double max)
{
	char *end = NULL;
	double value = text[0] == '\0' ? dflt : strtod(text, &end);
	bool good = (end == NULL || (end != text && *end == '\0')) && value >= min && value <= max;
	return good ? value : (double)NAN;
}

void control_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct player *p = ctx;
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	double value = 0.0;
	if (strcmp(cmd->verb, "play") == 0) {
		reply->ok = !p->ended || course_seek(p, 0.0, &err);
		cairn_play_clock_run(&p->clock, now_ns);
	} else if (strcmp(cmd->verb, "pause") == 0) {
		cairn_play_clock_hold(&p->clock, now_ns);
		reply->ok = true;
	} else if (strcmp(cmd->verb, "step") == 0) {
		value = number(cmd->arg, STEP_S, 0.001, 3600.0);
		reply->ok = isfinite(value);
		if (reply->ok)
			cairn_play_clock_step(&p->clock, (int64_t)(value * 1e9), now_ns);
	} else if (strcmp(cmd->verb, "seek") == 0) {
		value = number(cmd->arg, NAN, 0.0, 1e9);
		reply->ok = isfinite(value) && course_seek(p, value, &err);
	} else if (strcmp(cmd->verb, "rate") == 0) {
		value = number(cmd->arg, NAN, 0.05, 20.0);
		reply->ok = isfinite(value);
		if (reply->ok)
			cairn_play_clock_set_rate(&p->clock, value, now_ns);
	} else {
		reply->ok = strcmp(cmd->verb, "where") == 0;
	}
	if (reply->ok) {
		course_text(p, reply->text, sizeof(reply->text));
		(void)course_tell(p);
	} else {
		snprintf(reply->text, sizeof(reply->text), "%s",
		    err.text[0] != '\0' ? err.text
		    : isfinite(value)   ? "play, pause, step, seek, rate or where"
				      : "a number is wanted: step and seek in seconds, a rate of 0.05 to 20");
	}
}
