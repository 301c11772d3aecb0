/* replay.c - a recording that is being replayed: its times for Foxglove's clients, and their play bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/record/playback_time.h"
#include "procs/web/web.h"

#define RATE_SAME 1e-3

void replay_open(struct web *web)
{
	if (cairn_stage_config(web->stage)->replay.file[0] != '\0')
		hub_use(web, hub_slot(web, cairn_topics[CAIRN_TOPIC_PLAYBACK].name));
}

const struct cairn_msg_playback *replay_now(const struct web *web)
{
	return web->replay_ns != 0 ? &web->replay : NULL;
}

int64_t web_unix_ns(const struct web *web, int64_t t_ns)
{
	return web->replay_ns != 0 ? cairn_play_clock_recorded(&web->replay, web->replay_ns, t_ns)
				   : t_ns + web->clock_offset_ns;
}

void replay_take(struct web *web, int slot)
{
	const struct web_slot *s = &web->slots[slot];
	if (s->topic != CAIRN_TOPIC_PLAYBACK || s->kind != WEB_SLOT_TOPIC)
		return;
	struct cairn_msg_playback before = web->replay;
	bool first = web->replay_ns == 0;
	memcpy(&web->replay, s->msg, sizeof(web->replay));
	web->replay_ns = s->hdr.t_ns;
	if (first)
		foxglove_greet_again(web);
	bool seeked = !first && before.seeks != web->replay.seeks;
	foxglove_tell_replay(web,
	    first || seeked || before.state != web->replay.state || before.rate != web->replay.rate, seeked);
}

bool replay_shows(const struct web *web, const struct replay_bar *bar)
{
	bool plays = web->replay.state == CAIRN_PLAYBACK_STATE_PLAYING;
	return plays == bar->wanted.play && fabs((double)bar->wanted.rate - web->replay.rate) <= RATE_SAME &&
	       (!bar->wanted.seek || web->replay.seeks != bar->seeks);
}

struct order {
	int command; /* of cairn_commands: "pause" is a word of the sequencer as well */
	char args[24];
};
#define ORDERS_MAX 3

/* In the player's commands, those that change something. */
static int orders_of(const struct cairn_msg_playback *now, const struct cairn_foxglove_playback *want,
    struct order ret[ORDERS_MAX])
{
	int n = 0;
	bool plays = now->state == CAIRN_PLAYBACK_STATE_PLAYING;
	if (fabs((double)want->rate - now->rate) > RATE_SAME) {
		ret[n].command = CAIRN_COMMAND_PLAYER_RATE;
		snprintf(ret[n++].args, sizeof(ret[0].args), "%.4g", (double)want->rate);
	}
	if (plays && !want->play) /* before it seeks, so that it stays there */
		ret[n++] = (struct order){CAIRN_COMMAND_PLAYER_PAUSE, ""};
	if (want->seek) {
		double to_s = (double)(want->to_ns - now->first_ns) / (double)CAIRN_NS_PER_S;
		ret[n].command = CAIRN_COMMAND_PLAYER_SEEK;
		snprintf(ret[n++].args, sizeof(ret[0].args), "%.9f", fmax(to_s, 0.0));
	}
	if (!plays && want->play)
		ret[n++] = (struct order){CAIRN_COMMAND_PLAYER_PLAY, ""};
	if (n == 0) /* nothing changes, and it is answered */
		ret[n++] = (struct order){CAIRN_COMMAND_PLAYER_WHERE, ""};
	return n;
}

bool replay_steer(struct web *web, const struct web_conn *conn, struct replay_bar *bar,
    const struct cairn_foxglove_request *request)
{
	const struct cairn_msg_playback *now = replay_now(web);
	struct order orders[ORDERS_MAX];
	if (now == NULL)
		return false;
	int n = orders_of(now, &request->playback, orders);
	bar->wanted = request->playback;
	bar->seeks = now->seeks;
	bar->patience = 0;
	memcpy(bar->request, request->args, sizeof(bar->request));
	bar->call += (uint32_t)n;
	for (int i = 0; i < n; i++) {
		uint64_t call = bar->call - (uint32_t)(n - 1 - i);
		struct web_asker asker = {
		    .conn = conn->id, .id = (int64_t)((uint64_t)REPLAY_BAR_SERVICE << 32 | call)};
		const struct cairn_command_row *row = &cairn_commands[orders[i].command];
		struct cairn_msg_command cmd = {.limit_s = 0.0};
		snprintf(cmd.verb, sizeof(cmd.verb), "%s", row->verb);
		snprintf(cmd.arg, sizeof(cmd.arg), "%s", orders[i].args);
		orders_give_command(web, conn, &asker, row, &cmd);
	}
	return true;
}
