/* player.h - the stage's own state, shared by the files that make it up: played.c puts what is read onto bus and data plane, course.c has the
 * way through the file, control.c the commands of the service player. */
#ifndef CAIRN_PROCS_PLAYER_PLAYER_H
#define CAIRN_PROCS_PLAYER_PLAYER_H

#include "common/record/playback.h"
#include "common/record/playback_time.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct player {
	CAIRN_STAGE_STATE;
	struct cairn_playback *playback;
	int fd;
	struct cairn_pub *pubs[CAIRN_TOPIC_COUNT];             /* NULL: not played */
	struct cairn_frame_pub *frame_pubs[CAIRN_FRAME_COUNT]; /* NULL: not played */
	struct cairn_play_clock clock;
	struct cairn_played next;
	bool have_next, ended;
	int64_t first_ns, last_ns, ready_ns;
	uint64_t messages, frames_played, slips;
	struct cairn_pub *place_pub;
	uint32_t seeks;
	struct cairn_frame_header map; /* the newest, told again as the mapper does; payload_bytes 0: none */
	uint8_t *map_cells;
};

/* ---- played.c ---- */
/* Opens the file, and what of it is played. Registration with the data plane may end the process, so it comes before anything is bound. */
bool played_open(struct player *p, struct cairn_error *err);
/* p->next, onto the bus or the data plane. */
void played_next(struct player *p);
/* The newest map again, as the mapper does. */
void played_map_again(struct player *p);

/* ---- course.c ---- */
/* After SETTLE_NS of waiting; begins where replay.start_s wants it. */
void course_begin(struct player *p);
bool course_seek(struct player *p, double to_s, struct cairn_error *err);
/* Where in the file it is, in words; and on the topic playback. */
void course_text(const struct player *p, char *text, size_t bytes);
int course_tell(void *ctx);
/* A loop callback: what is due. */
int course_on_tick(void *ctx);

/* ---- control.c ---- */
void control_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);

#endif
