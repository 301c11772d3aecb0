/* listen.h - the stage's own state, shared by the files that make it up: hearing.c turns sound into what was said, acting.c does what
 * follows of it. */
#ifndef CAIRN_PROCS_LISTEN_LISTEN_H
#define CAIRN_PROCS_LISTEN_LISTEN_H

#include "common/voice/talk.h"
#include "procs/shell/stage.h"
#include "procs/voice/ear.h"
#include "procs/voice/sound_device.h"
#include "procs/voice/transcriber.h"

struct listen_stage {
	CAIRN_STAGE_STATE;
	struct cairn_talk talk;
	struct ear *ear;
	struct ear_event event;
	struct cairn_voice_names wanted;
	uint64_t lost; /* samples, as the decoder was too far behind */
	bool hears;
	struct sound_device *device;
	struct transcriber *transcriber;                   /* NULL: none is set */
	struct cairn_client *clients[CAIRN_SERVICE_COUNT]; /* NULL: nothing is asked of that service */
	struct cairn_msg_command going; /* a goto whose name the scene graph is asked about first */
	uint64_t going_tag;             /* 0: none */
	uint64_t fed;                   /* samples so far */
	int64_t t_fed_ns;               /* the last of them was heard then */
	struct cairn_msg_scene scene;
	uint64_t names_hash;
};

/* ---- hearing.c ---- */
bool hearing_open(struct listen_stage *s, struct cairn_error *err);
/* Loop callbacks: sound into the ear; the names that can be said follow what is known. */
int hearing_turn(void *ctx);
int hearing_learn_names(void *ctx);

/* ---- acting.c ---- */
/* What the talk wants done: commands, answers, what has been heard. */
void acting_do(struct listen_stage *s);
/* Commands of the service voice: it listens without its wake word, or takes what is typed. */
void acting_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply);
/* A loop callback: replies to its commands. */
int acting_on_reply(void *ctx);

#endif
