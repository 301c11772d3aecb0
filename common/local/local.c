#include "common/local/local.h"

#include <math.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/local/scene_words.h"

#define SAME_THING_M 0.6 /* from a detection to the middle of the graph's object */
#define THINGS_MAX_S 6.0 /* while the robot stands the detector looks every few seconds */
#define THINGS_WEIGHT 0.5
#define ROOM_WEIGHT 0.5

bool cairn_local_init(struct cairn_local *l, const struct cairn_config *cfg)
{
	*l = (struct cairn_local){.cfg = cfg->local};
	return cairn_view_memory_init(&l->memory, (uint32_t)cfg->local.views_max);
}

void cairn_local_free(struct cairn_local *l)
{
	cairn_view_memory_free(&l->memory);
}

/* ---- what comes in ---- */

bool cairn_local_pose(struct cairn_local *l, const struct cairn_msg_pose *pose)
{
	if (!isfinite(pose->x_m) || !isfinite(pose->y_m) || !isfinite(pose->yaw_rad)) {
		l->rejects++;
		return false;
	}
	l->robot = (struct cairn_pose2){pose->x_m, pose->y_m, cairn_wrap_rad(pose->yaw_rad)};
	l->has_pose = true;
	l->map_id = pose->map_id;
	return true;
}

void cairn_local_detections(struct cairn_local *l, const struct cairn_msg_detections *seen, int64_t t_ns)
{
	l->seen = *seen;
	l->seen_s = (double)t_ns * 1e-9;
}

void cairn_local_scene(struct cairn_local *l, const struct cairn_msg_scene *scene)
{
	l->thing_count = 0;
	l->scene_s = 0.0;
	for (uint32_t i = 0; i < scene->nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &scene->nodes[i];
		if (n->kind != CAIRN_SCENE_KIND_OBJECT || l->thing_count == CAIRN_LOCAL_THINGS)
			continue;
		struct cairn_local_thing *t = &l->things[l->thing_count++];
		memcpy(t->label, n->label, sizeof(t->label));
		t->x_m = (float)n->x_m;
		t->y_m = (float)n->y_m;
		t->first_s = n->first_unix_s;
		l->scene_s = fmax(l->scene_s, n->last_unix_s);
	}
	memcpy(l->here, scene->here, sizeof(l->here));
}

/* ---- how new ---- */

static const struct cairn_local_thing *known_thing(
    const struct cairn_local *l, const struct cairn_msg_detection *d)
{
	const struct cairn_local_thing *best = NULL;
	double best_m = SAME_THING_M;
	for (uint32_t i = 0; i < l->thing_count; i++) {
		double off_m = hypot((double)l->things[i].x_m - d->x_m, (double)l->things[i].y_m - d->y_m);
		if (strcmp(l->things[i].label, d->label) != 0 || !(off_m <= best_m))
			continue;
		best = &l->things[i];
		best_m = off_m;
	}
	return best;
}

/* What the graph does not believe yet may be a mistake of the detector and counts as neither old nor new. */
static double new_things(const struct cairn_local *l)
{
	uint32_t known = 0, fresh = 0;
	for (uint32_t i = 0; i < l->seen.items_count; i++) {
		const struct cairn_local_thing *t = known_thing(l, &l->seen.items[i]);
		known += t != NULL;
		fresh += t != NULL && l->scene_s - t->first_s < l->cfg.recent_s;
	}
	return known > 0 ? (double)fresh / known : 0.0;
}

static double new_room(struct cairn_local *l, double now_s)
{
	if (l->here[0] == '\0')
		return 0.0;
	uint64_t id = cairn_hash_bytes(CAIRN_HASH_START, l->here, strlen(l->here));
	id = cairn_hash_bytes(id, &l->map_id, sizeof(l->map_id));
	double first_s = cairn_view_memory_in_room(&l->memory, id != 0 ? id : 1, now_s);
	return now_s - first_s < l->cfg.recent_s ? 1.0 : 0.0;
}

static double unlike(const struct cairn_config_local *cfg, double similarity)
{
	double span = cfg->familiar_similarity - cfg->foreign_similarity;
	return span > 0.0 ? cairn_clamp((cfg->familiar_similarity - similarity) / span, 0.0, 1.0)
			  : similarity < cfg->familiar_similarity;
}

static void score(struct cairn_local *l, const struct cairn_view_descriptor *looks, double now_s)
{
	struct cairn_msg_local *m = &l->message;
	struct cairn_view_match match = cairn_view_memory_find(&l->memory, looks, now_s - l->cfg.recent_s);
	bool sees = l->seen_s > 0.0 && fabs(now_s - l->seen_s) <= THINGS_MAX_S;
	m->similarity = match.similarity;
	m->view_x_m = match.view != NULL ? match.view->from.x_m : 0.0;
	m->view_y_m = match.view != NULL ? match.view->from.y_m : 0.0;
	m->novelty_picture = unlike(&l->cfg, match.similarity);
	m->novelty_things = sees ? new_things(l) : 0.0;
	m->novelty_room = new_room(l, now_s);
	m->novelty = 1.0 - (1.0 - m->novelty_picture) * (1.0 - THINGS_WEIGHT * m->novelty_things) *
			       (1.0 - ROOM_WEIGHT * m->novelty_room);
	m->objects[0] = '\0';
	if (sees)
		cairn_scene_object_words(&l->seen, m->objects, sizeof(m->objects));
}

bool cairn_local_picture(
    struct cairn_local *l, const uint8_t *rgb, int width_px, int height_px, size_t stride_bytes, int64_t t_ns)
{
	struct cairn_view_blocks blocks;
	struct cairn_view_descriptor looks;
	struct cairn_msg_local *m = &l->message;
	double now_s = (double)t_ns * 1e-9;
	if (width_px < 1 || height_px < 1 || stride_bytes < 3 * (size_t)width_px || now_s <= l->picture_s) {
		l->rejects++;
		return false;
	}
	cairn_view_blocks(&blocks, rgb, width_px, height_px, stride_bytes);
	cairn_view_describe(&looks, &blocks);
	score(l, &looks, now_s);
	(void)cairn_view_memory_add(&l->memory, &looks, l->robot, l->cfg.familiar_similarity, now_s);
	cairn_scene_floor_words(&blocks, m->floor, sizeof(m->floor));
	snprintf(m->light, sizeof(m->light), "%s", cairn_scene_light_word(&blocks));
	cairn_scene_line(m, l->here);
	m->views = l->memory.count;
	m->forgotten = l->memory.forgotten;
	m->pictures++;
	m->map_id = l->map_id;
	l->picture_s = now_s;
	return true;
}

void cairn_local_message(const struct cairn_local *l, int64_t now_ns, struct cairn_msg_local *ret)
{
	*ret = l->message;
	if (l->picture_s > 0.0 && (double)now_ns * 1e-9 - l->picture_s <= CAIRN_LOCAL_PICTURE_MAX_S)
		return;
	*ret = (struct cairn_msg_local){.novelty = -1.0,
	    .views = l->memory.count,
	    .forgotten = l->memory.forgotten,
	    .pictures = l->message.pictures,
	    .map_id = l->map_id};
}
