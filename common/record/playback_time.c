#include "common/record/playback_time.h"

static void anchor(struct cairn_play_clock *c, int64_t now_ns)
{
	c->place_ns = cairn_play_clock_place(c, now_ns);
	c->now_ns = now_ns;
}

void cairn_play_clock_init(
    struct cairn_play_clock *c, int64_t place_ns, double rate, bool held, int64_t now_ns)
{
	*c = (struct cairn_play_clock){.place_ns = place_ns, .now_ns = now_ns, .rate = rate, .held = held};
}

int64_t cairn_play_clock_place(const struct cairn_play_clock *c, int64_t now_ns)
{
	if (c->held)
		return c->place_ns;
	int64_t place_ns = c->place_ns + (int64_t)((double)(now_ns - c->now_ns) * c->rate);
	return c->hold_at_ns != 0 && place_ns > c->hold_at_ns ? c->hold_at_ns : place_ns;
}

bool cairn_play_clock_due(struct cairn_play_clock *c, int64_t logged_ns, int64_t now_ns)
{
	int64_t place_ns = cairn_play_clock_place(c, now_ns);
	if (c->held || logged_ns <= place_ns)
		return !c->held && logged_ns <= place_ns;
	if (c->hold_at_ns != 0 && place_ns >= c->hold_at_ns)
		cairn_play_clock_hold(c, now_ns);
	return false;
}

int64_t cairn_play_clock_stamp(const struct cairn_play_clock *c, int64_t unix_ns)
{
	return c->now_ns + (int64_t)((double)(unix_ns - c->place_ns) / c->rate);
}

void cairn_play_clock_run(struct cairn_play_clock *c, int64_t now_ns)
{
	anchor(c, now_ns);
	c->held = false;
	c->hold_at_ns = 0;
}

void cairn_play_clock_hold(struct cairn_play_clock *c, int64_t now_ns)
{
	anchor(c, now_ns);
	c->held = true;
	c->hold_at_ns = 0;
}

void cairn_play_clock_step(struct cairn_play_clock *c, int64_t step_ns, int64_t now_ns)
{
	cairn_play_clock_run(c, now_ns);
	c->hold_at_ns = c->place_ns + step_ns;
}

void cairn_play_clock_set_rate(struct cairn_play_clock *c, double rate, int64_t now_ns)
{
	anchor(c, now_ns);
	c->rate = rate;
}

void cairn_play_clock_set_place(struct cairn_play_clock *c, int64_t place_ns, int64_t now_ns)
{
	c->place_ns = place_ns;
	c->now_ns = now_ns;
	c->hold_at_ns = 0;
}

void cairn_play_clock_slip(struct cairn_play_clock *c, int64_t logged_ns, int64_t now_ns)
{
	c->place_ns = logged_ns;
	c->now_ns = now_ns;
}

int64_t cairn_play_clock_recorded(const struct cairn_msg_playback *told, int64_t told_ns, int64_t t_ns)
{
	bool later = t_ns > told_ns && told->state != CAIRN_PLAYBACK_STATE_PLAYING;
	int64_t unix_ns =
	    later ? told->place_ns : told->place_ns + (int64_t)((double)(t_ns - told_ns) * told->rate);
	unix_ns = unix_ns > told->last_ns ? told->last_ns : unix_ns;
	return unix_ns < told->first_ns ? told->first_ns : unix_ns;
}
