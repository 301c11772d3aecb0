/* seen.c - what the scene graph is made of: detections, words of the model, rooms, the map. */
#include <math.h>
#include <string.h>

#include "common/base/hash.h"
#include "procs/scene/scene_stage.h"

#define UNKNOWN_CELL 255
#define MAP_NS (5 * CAIRN_NS_PER_S) /* it is divided into rooms anew this often while it changes */

static bool take_detections(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct scene_stage *s = core;
	double t_s = cairn_unix_s();
	cairn_scene_see(s->core, m, t_s);
	s->update_ms = (double)(cairn_now_ns() - now_ns) * 1e-6;
	if (s->store != NULL)
		store_look(s->store, m, hdr->t_ns, s->known_m2, t_s);
	return false;
}

/* What the model has pointed to. */
CAIRN_TAKE(take_sightings, scene_stage, detections, (cairn_scene_told(core->core, m, cairn_unix_s()), 0))

/* What detectors outside have seen. They are of the map that the robot has, or of none. */
static bool take_outside(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct scene_stage *s = core;
	const struct cairn_msg_detections *m = message;
	(void)hdr, (void)now_ns;
	if (!s->has_pose || (m->map_id != 0 && m->map_id != s->map_id)) {
		cairn_stage_count_reject(s->stage);
		return false;
	}
	s->seen_outside = *m;
	s->seen_outside.map_id = s->map_id;
	cairn_scene_see(s->core, &s->seen_outside, cairn_unix_s());
	return false;
}

const struct cairn_in seen_outside_in[] = {
    {CAIRN_TOPIC_DETECTED, CAIRN_ACCEPT_PLAUSIBLE, take_outside},
    {.take = NULL},
};

static bool take_pose(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct scene_stage *s = core;
	const struct cairn_msg_pose *m = message;
	(void)hdr, (void)now_ns;
	if (m->tracking == CAIRN_TRACKING_NONE || !isfinite(m->x_m) || !isfinite(m->y_m))
		return false;
	s->robot = (struct cairn_pose2){m->x_m, m->y_m, m->yaw_rad};
	s->has_pose = true;
	s->map_id = m->map_id;
	cairn_scene_map(s->core, m->map_id);
	return false;
}

static bool take_features(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct scene_stage *s = core;
	(void)hdr, (void)now_ns;
	memcpy(&s->features, message, sizeof(s->features));
	s->has_features = true;
	return false;
}

/* What the model has called the rooms, by where it was when it said so. */
CAIRN_TAKE(take_rooms, scene_stage, places, cairn_scene_call_rooms(core->core, m))

const struct cairn_in seen_in[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_FEATURES, CAIRN_ACCEPT_PLAUSIBLE, take_features},
    {CAIRN_TOPIC_ROOMS, CAIRN_ACCEPT_PLAUSIBLE, take_rooms},
    {CAIRN_TOPIC_DETECTIONS, CAIRN_ACCEPT_FRESH, take_detections},
    {CAIRN_TOPIC_SIGHTINGS, CAIRN_ACCEPT_PLAUSIBLE, take_sightings},
    {.take = NULL},
};

static bool take_grid(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	struct scene_stage *s = ctx;
	const uint8_t *cells = payload;
	size_t bytes = (size_t)hdr->width * hdr->height;
	if (!cairn_frame_packed(hdr, CAIRN_FORMAT_GRID8))
		return false;
	uint64_t hash = cairn_hash_bytes(CAIRN_HASH_START, cells, bytes);
	if (hash == s->map_hash)
		return true;
	struct cairn_scene_grid grid = {
	    cells, hdr->width, hdr->height, hdr->origin_x_m, hdr->origin_y_m, hdr->cell_m};
	bool done = cairn_scene_on_grid(s->core, &grid, s->robot, s->has_features ? &s->features : NULL);
	cairn_stage_tried(
	    s->stage, "divide the map into rooms", done ? NULL : "no memory, or the map is too large");
	s->map_hash = hash;
	size_t known = 0;
	for (size_t i = 0; i < bytes; i++)
		known += cells[i] != UNKNOWN_CELL;
	s->known_m2 = (double)known * hdr->cell_m * hdr->cell_m;
	s->t_map_ns = cairn_now_ns();
	return true;
}

int seen_on_grid(void *ctx)
{
	struct scene_stage *s = ctx;
	if (s->has_pose && cairn_now_ns() - s->t_map_ns >= MAP_NS)
		cairn_stage_take_frame(s->stage, s->grid_sub, take_grid, s);
	return 0;
}
