/* scene_rig.h - a scene graph and the pictures that it is given: from the origin along +x, everything shows and nothing hides anything. */
#ifndef CAIRN_TEST_SUPPORT_SCENE_RIG_H
#define CAIRN_TEST_SUPPORT_SCENE_RIG_H

#include "common/percept/detect.h"
#include "common/scene/scene.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_scene *scene;
static struct cairn_msg_detections m; /* the picture that is made */
static double now_s;

static inline void set_up(void)
{
	cairn_config_defaults(&cfg);
	scene = cairn_scene_new(&cfg);
	now_s = 1000.0;
	ck_assert_ptr_nonnull(scene);
}

static inline void tear_down(void)
{
	cairn_scene_destroy(&scene);
}

/* An empty one. */
static inline void picture(void)
{
	m = (struct cairn_msg_detections){.z_m = 0.16, .hfov_rad = 1.2, .vfov_rad = 0.95, .map_id = 1};
	m.nearest_m_count = CAIRN_DETECT_TILES;
}

/* A cube of that size in the picture; colour may be "". */
static inline struct cairn_msg_detection *sight(
    const char *label, const char *colour, double x, double y, double size)
{
	struct cairn_msg_detection *d = &m.items[m.items_count++];
	*d = (struct cairn_msg_detection){.confidence = 0.9f,
	    .x_m = x,
	    .y_m = y,
	    .z_m = 0.3,
	    .box_m_count = 6,
	    .px = {100, 100, 120, 120},
	    .px_count = 4};
	snprintf(d->label, sizeof(d->label), "%s", label);
	snprintf(d->colour, sizeof(d->colour), "%s", colour);
	for (int k = 0; k < 3; k++) {
		double c = k == 0 ? x : k == 1 ? y : 0.3;
		d->box_m[k] = (float)(c - 0.5 * size);
		d->box_m[k + 3] = (float)(c + 0.5 * size);
	}
	return d;
}

/* Gives the picture to the graph, half a second after the one before. */
static inline void take(void)
{
	cairn_scene_see(scene, &m, now_s += 0.5);
}

/* Things of that label that are believed, NULL: of any; *ret: the last of them. ret may be NULL. */
static inline uint32_t believed(const char *label, const struct cairn_scene_object **ret)
{
	const struct cairn_scene_object *o;
	uint32_t all = cairn_scene_objects(scene, &o), n = 0;
	for (uint32_t i = 0; i < all; i++)
		if (o[i].number != 0 && o[i].confirmed &&
		    (label == NULL || strcmp(o[i].votes[0].label, label) == 0)) {
			n++;
			if (ret != NULL)
				*ret = &o[i];
		}
	return n;
}

static inline const struct cairn_scene_object *thing(const char *id)
{
	const struct cairn_scene_object *o;
	uint32_t n = cairn_scene_objects(scene, &o);
	for (uint32_t i = 0; i < n; i++)
		if (o[i].number != 0 && o[i].confirmed && strcmp(o[i].id, id) == 0)
			return &o[i];
	ck_abort_msg("there is no %s", id);
	return NULL;
}

#endif
