/* capture.h - everything that a stack tells and shows, into a recording: for the stage 'recorder' and for 'cairn record'. */
#ifndef CAIRN_PROCS_RECORDER_CAPTURE_H
#define CAIRN_PROCS_RECORDER_CAPTURE_H

#include "common/record/message_recorder.h"
#include "ipc/bus.h"
#include "ipc/frames.h"
#include "ipc/poller.h"

#define CAPTURE_EARS_MAX                                                                                     \
	(CAIRN_POLLER_MAX - 16) /* so that one loop can wait for all, and for what it has beside them */

/* One endpoint that is recorded. */
struct capture_ear {
	enum cairn_topic topic;
	char endpoint[64], instance[32];
	struct cairn_sub *sub;
	void *ctx; /* of the caller */
};

struct capture {
	struct cairn_bus *bus;
	char run_dir[256];
	struct capture_ear ears[CAPTURE_EARS_MAX];
	int count;
	void *msg;                                       /* room for the largest message */
	struct cairn_frame_sub *subs[CAIRN_FRAME_COUNT]; /* NULL: not recorded */
	int64_t taken_ns[CAIRN_FRAME_COUNT];             /* when the last frame of each came; 0 = none yet */
};

/* False without memory. bus is borrowed. */
bool capture_init(struct capture *c, struct cairn_bus *bus, const char *run_dir);
void capture_free(struct capture *c);

/* Subscribes to every topic, and to what each stage has of its own as far as it is there by now. wanted: NULL takes all. Returns the
 * first new ear; those from it up to c->count are new. */
typedef bool capture_wanted_fn(void *ctx, enum cairn_topic topic, const char *endpoint);
int capture_look(struct capture *c, capture_wanted_fn *wanted, void *ctx);
/* Takes what waits at one ear. recorder NULL: it is thrown away. False when one of them could not be written:
 * cairn_message_recorder_failed() tells whether the recorder takes no more. */
bool capture_take(struct capture *c, const struct capture_ear *ear, struct cairn_message_recorder *recorder);

/* The frames of this bit set (1 << enum cairn_frame_topic). */
bool capture_frames(struct capture *c, struct cairn_frames *frames, unsigned set, struct cairn_error *err);
bool capture_take_frames(struct capture *c, struct cairn_message_recorder *recorder);
/* All frames but the probe of the data plane; without the camera's where the configuration leaves them out. */
unsigned capture_frame_set(const struct cairn_config *cfg);

/* What a recording of this configuration begins with. */
struct cairn_record_options capture_options(const struct cairn_config *cfg);

#endif
