/* scene - keeps what is in the house: detections, the map and names of rooms in; the scene graph out, and in RUN/state/scene.json; pictures that
 * show it in RUN/state/views; questions of others answered by the service "scene.query".
 *
 * Advice for models and people: nothing that drives reads it, and the robot goes on without this stage. What it knows is saved
 * while it changes, whole or not at all; a file that cannot be used is put aside, not overwritten. */

#include "procs/scene/scene_stage.h"

static int publish(void *ctx)
{
	struct scene_stage *s = ctx;
	cairn_scene_message(s->core, s->robot, &s->message);
	s->message.update_ms = s->update_ms;
	cairn_outbox_put(s->outbox, CAIRN_TOPIC_SCENE, &s->message, true, cairn_now_ns());
	cairn_stage_notef(s->stage, "%u things, %u rooms, %u places, %u stale", s->message.objects,
	    s->message.rooms, s->message.places, s->message.stale);
	return 0;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct scene_stage *s = ctx;
	s->core = cairn_scene_new(s->cfg);
	if (s->core == NULL)
		return false;
	graph_recall(s);
	s->grid_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_MAP_GRID, err);
	if (s->grid_sub == NULL)
		return false;
	if (s->cfg->scene.pictures_mb > 0.0)
		s->store = store_new(stage, s->core, err);
	return (s->store != NULL || s->cfg->scene.pictures_mb <= 0.0) && questions_open(s, err);
}

static void save_all(void *ctx)
{
	(void)graph_checkpoint(ctx);
}

static void close_all(void *ctx)
{
	struct scene_stage *s = ctx;
	store_destroy(&s->store);
	cairn_scene_destroy(&s->core);
}

static const struct cairn_out outputs[] = {{CAIRN_TOPIC_SCENE, 0}, {CAIRN_TOPIC_COUNT, 0}};

static const struct cairn_port ports[] = {
    {CAIRN_PORT_DECLARED_IN_STATE(seen_outside_in)},
    {CAIRN_PORT_OUT(outputs)},
    {CAIRN_PORT_IN_STATE(seen_in)},
    {CAIRN_PORT_EVERY(500, seen_on_grid)},
    {CAIRN_PORT_EVERY(1000, publish)},
    {CAIRN_PORT_EVERY_S(scene.checkpoint_s, graph_checkpoint)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-scene", "keeps what is in the house: things, rooms, places", struct scene_stage,
    .open = open_all, .ports = ports, .ended = save_all, .close = close_all)
