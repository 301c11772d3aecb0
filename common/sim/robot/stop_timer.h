/* stop_timer.h - when the wheels were last told to slow down and then stood: how long a stop took can be read off
 * it.
 *
 * A stop begins with the first command below the one before it, and ends when the wheels stand at a command
 * of zero; a command above the one before it calls it off. All zero is a robot that has stood for ever. */
#ifndef CAIRN_COMMON_SIM_ROBOT_STOP_TIMER_H
#define CAIRN_COMMON_SIM_ROBOT_STOP_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_stop_timer {
	double cmd_mps;     /* last command, its amount */
	bool moving;        /* the wheels have turned since the last stop */
	int64_t falling_ns; /* since when commands fall; 0 = they do not */
	int64_t braked_ns;  /* of the last stop: its first falling command */
	int64_t stood_ns;   /* and when the wheels stood */
	uint32_t count;
};

/* One step: the speed commanded and the speed the wheels have. */
void cairn_stop_timer_step(struct cairn_stop_timer *stops, double cmd_mps, double wheel_mps, int64_t now_ns);

#endif
