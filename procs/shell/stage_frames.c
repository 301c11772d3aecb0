/* stage_frames.c - a stage in the data plane; apart from the rest of the shell, since most of what is linked with that has no
 * shared memory. */
#include <string.h>

#include "ipc/frames.h"
#include "procs/shell/stage_private.h"

#define PLANE_DEADLINE_MS 4000

static void count(struct cairn_stage *stage)
{
	struct cairn_frames_missing missing = cairn_frames_missing(stage->frames);
	stage->frame_rejects = cairn_frames_rejects(stage->frames);
	stage->frames_lost = missing.lost;
	stage->frames_overtaken = missing.overtaken;
}

static void leave(struct cairn_stage *stage)
{
	cairn_frames_close(&stage->frames);
}

struct cairn_frames *cairn_stage_frames(struct cairn_stage *stage, struct cairn_error *err)
{
	if (stage->frames != NULL)
		return stage->frames;
	stage->count_frames = count;
	stage->leave_frames = leave;
	stage->frames = cairn_frames_open(stage->name, &stage->cfg, PLANE_DEADLINE_MS, err);
	return stage->frames;
}

struct cairn_frame_sub *cairn_stage_frame_sub(
    struct cairn_stage *stage, enum cairn_frame_topic topic, struct cairn_error *err)
{
	struct cairn_frames *frames = cairn_stage_frames(stage, err);
	return frames != NULL ? cairn_frame_sub_new(frames, topic, err) : NULL;
}

struct cairn_frame_pub *cairn_stage_frame_pub(
    struct cairn_stage *stage, enum cairn_frame_topic topic, struct cairn_error *err)
{
	struct cairn_frames *frames = cairn_stage_frames(stage, err);
	return frames != NULL ? cairn_frame_pub_new(frames, topic, err) : NULL;
}

void cairn_stage_take_frame(
    struct cairn_stage *stage, struct cairn_frame_sub *sub, cairn_take_frame_fn *take, void *ctx)
{
	const struct cairn_frame_header *hdr;
	const void *payload = cairn_frame_take(sub, &hdr);
	if (payload != NULL && !take(ctx, hdr, payload))
		cairn_stage_count_reject(stage);
	cairn_frame_release(sub);
}

bool cairn_port_frame_in(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	struct cairn_frame_sub *sub = cairn_stage_frame_sub(stage, (enum cairn_frame_topic)port->id, err);
	memcpy((char *)app + port->at, &sub, sizeof(sub));
	return sub != NULL;
}

bool cairn_port_frame_out(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	struct cairn_frame_pub *pub = cairn_stage_frame_pub(stage, (enum cairn_frame_topic)port->id, err);
	memcpy((char *)app + port->at, &pub, sizeof(pub));
	return pub != NULL;
}
