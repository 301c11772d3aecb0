/* course.c - the way through the file, by the clock of common/record/playback_time.h. */
#include <inttypes.h>

#include "common/base/geom.h"
#include "procs/player/player.h"

#define AT_ONCE 200                       /* messages in one turn: commands must be heard in between */
#define BEHIND_NS (100 * CAIRN_NS_PER_MS) /* then stamps would be too old for those who listen */
#define SETTLE_NS (300 * CAIRN_NS_PER_MS) /* readers connect to publishers that have just come */

static enum cairn_playback_state state_of(const struct player *p)
{
	return p->ended        ? CAIRN_PLAYBACK_STATE_ENDED
	       : p->clock.held ? CAIRN_PLAYBACK_STATE_PAUSED
			       : CAIRN_PLAYBACK_STATE_PLAYING;
}

int course_tell(void *ctx)
{
	struct player *p = ctx;
	int64_t now_ns = cairn_now_ns();
	struct cairn_msg_playback msg = {.state = state_of(p),
	    .first_ns = p->first_ns,
	    .last_ns = p->last_ns,
	    .place_ns = cairn_play_clock_place(&p->clock, now_ns),
	    .rate = p->clock.rate,
	    .seeks = p->seeks};
	cairn_pub_send(p->place_pub, &msg, now_ns, true);
	return 0;
}

static void at_end(struct player *p, const struct cairn_error *why)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (cairn_playback_ended(p->playback) != CAIRN_MCAP_ITEM_END)
		cairn_log_warn("%s", why->text);
	if (p->cfg->replay.loop && cairn_playback_seek(p->playback, p->first_ns, &err)) {
		cairn_play_clock_set_place(&p->clock, p->first_ns, now_ns);
		p->seeks++;
		(void)course_tell(p);
		return;
	}
	p->ended = true;
	cairn_play_clock_hold(&p->clock, now_ns);
	(void)course_tell(p);
	cairn_log_info("the end: %" PRIu64 " messages, %" PRIu64 " frames, %" PRIu64
		       " could not be read, %" PRIu64 " times too late",
	    p->messages, p->frames_played, cairn_playback_rejects(p->playback), p->slips);
}

int course_on_tick(void *ctx)
{
	struct player *p = ctx;
	struct cairn_error err = {""};
	if (p->ended || cairn_now_ns() < p->ready_ns)
		return 0;
	for (int i = 0; i < AT_ONCE; i++) {
		int64_t now_ns = cairn_now_ns();
		if (!p->have_next)
			p->have_next = cairn_playback_next(p->playback, &p->next, &err);
		if (!p->have_next) {
			at_end(p, &err);
			break;
		}
		if (!cairn_play_clock_due(&p->clock, p->next.logged_ns, now_ns))
			break;
		if (now_ns - cairn_play_clock_stamp(&p->clock, p->next.logged_ns) > BEHIND_NS) {
			cairn_play_clock_slip(&p->clock, p->next.logged_ns, now_ns);
			p->slips++;
		}
		played_next(p);
		p->have_next = false;
	}
	return 0;
}

void course_text(const struct player *p, char *text, size_t bytes)
{
	double at_s = (double)(cairn_play_clock_place(&p->clock, cairn_now_ns()) - p->first_ns) * 1e-9;
	snprintf(text, bytes, "%s at %.1f of %.1f s, rate %g",
	    cairn_enum_text(&cairn_enum_playback_state, (int)state_of(p)), at_s > 0.0 ? at_s : 0.0,
	    (double)(p->last_ns - p->first_ns) * 1e-9, p->clock.rate);
}

bool course_seek(struct player *p, double to_s, struct cairn_error *err)
{
	int64_t place_ns = p->first_ns + (int64_t)(to_s * 1e9);
	if (place_ns > p->last_ns)
		place_ns = p->last_ns;
	if (!cairn_playback_seek(p->playback, place_ns, err))
		return false;
	p->have_next = p->ended = false;
	p->seeks++;
	cairn_play_clock_set_place(&p->clock, place_ns, cairn_now_ns());
	return true;
}

void course_begin(struct player *p)
{
	const struct cairn_config_replay *cfg = &p->cfg->replay;
	struct cairn_error err = {""};
	p->ready_ns = cairn_now_ns() + SETTLE_NS;
	cairn_play_clock_init(&p->clock, p->first_ns, cfg->rate, cfg->paused, p->ready_ns);
	if (cfg->start_s > 0.0 && !course_seek(p, cfg->start_s, &err))
		cairn_log_warn("replay.start_s: %s", err.text);
	p->clock.now_ns = p->ready_ns;
}
