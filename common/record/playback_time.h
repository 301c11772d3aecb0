/* playback_time.h - when what of a recording is due, and which stamp it gets.
 *
 * Stages judge the age of what they hear by the monotonic clock, so what is played bears new stamps: now is to a stamp as the place in
 * the recording is to the one recorded, divided by the rate. Ages and the order of events stay; at another rate than 1 everything happens
 * faster or slower than speeds in the messages say. A clock that was held continues where it was. Pure. */
#ifndef CAIRN_COMMON_RECORD_PLAYBACK_TIME_H
#define CAIRN_COMMON_RECORD_PLAYBACK_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

struct cairn_play_clock {
	int64_t place_ns; /* in the recording (Unix), that corresponds to now_ns */
	int64_t now_ns;   /* monotonic */
	double rate;
	bool held;
	int64_t hold_at_ns; /* place to hold at; 0: none */
};

void cairn_play_clock_init(
    struct cairn_play_clock *c, int64_t place_ns, double rate, bool held, int64_t now_ns);
int64_t cairn_play_clock_place(const struct cairn_play_clock *c, int64_t now_ns);
/* True when what arrived at logged_ns is to be played by now. Holds the clock when hold_at_ns comes before that. */
bool cairn_play_clock_due(struct cairn_play_clock *c, int64_t logged_ns, int64_t now_ns);
/* The monotonic time of a moment of the recording. */
int64_t cairn_play_clock_stamp(const struct cairn_play_clock *c, int64_t unix_ns);
/* The same back again, for who hears the player: the Unix time in the recording that is stamped t_ns, by what the player told at
 * told_ns. Nothing is later than where a replay is held, or outside the recording. */
int64_t cairn_play_clock_recorded(const struct cairn_msg_playback *told, int64_t told_ns, int64_t t_ns);
/* Play, hold, another rate, another place; step_ns: play so much and hold. */
void cairn_play_clock_run(struct cairn_play_clock *c, int64_t now_ns);
void cairn_play_clock_hold(struct cairn_play_clock *c, int64_t now_ns);
void cairn_play_clock_step(struct cairn_play_clock *c, int64_t step_ns, int64_t now_ns);
void cairn_play_clock_set_rate(struct cairn_play_clock *c, double rate, int64_t now_ns);
void cairn_play_clock_set_place(struct cairn_play_clock *c, int64_t place_ns, int64_t now_ns);
/* The player could not keep up: what is due at logged_ns is due now. */
void cairn_play_clock_slip(struct cairn_play_clock *c, int64_t logged_ns, int64_t now_ns);

#endif
