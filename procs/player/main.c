/* player - plays a recording onto the bus and the data plane, in place of the stages that made it (docs/recordings.md).
 *
 * What a running stage publishes is left to it: the launcher's and the player's own topics, and those of replay.stages. Stamps are
 * those of common/record/playback_time.h. Nothing here can move anything: the stages that touch a device do not run beside it. */
#include <stdlib.h>
#include <unistd.h>

#include "procs/player/player.h"

static int on_second(void *ctx)
{
	struct player *p = ctx;
	char note[96];
	course_text(p, note, sizeof(note));
	cairn_stage_note(p->stage, note);
	played_map_again(p);
	return 0;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct player *p = ctx;
	p->fd = -1;
	if (!played_open(p, err))
		return false;
	p->place_pub = cairn_stage_publish(stage, CAIRN_TOPIC_PLAYBACK);
	course_begin(p);
	cairn_log_info("%s: %.1f s", p->cfg->replay.file, (double)(p->last_ns - p->first_ns) * 1e-9);
	return true;
}

static void close_all(void *ctx)
{
	struct player *p = ctx;
	cairn_playback_destroy(&p->playback);
	free(p->map_cells);
	if (p->fd >= 0)
		close(p->fd);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_PLAYER, control_command)},
    {CAIRN_PORT_EVERY(2, course_on_tick)},
    {CAIRN_PORT_EVERY(500, course_tell)},
    {CAIRN_PORT_EVERY(1000, on_second)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-player", "plays a recording in place of the stages that made it", struct player,
    .open = open_all, .ports = ports, .close = close_all)
