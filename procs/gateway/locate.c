#include "procs/gateway/locate.h"

#include <stdlib.h>
#include <string.h>

#include "common/scene/find.h"

/* Depth that was taken so much before or after the picture is not of it. */
#define APART_NS (150 * CAIRN_NS_PER_MS)

struct locator {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_dialog *dialog;
	struct cairn_outbox *outbox;
	struct cairn_frame_sub *depth_sub;
	uint16_t *depth_mm;
	uint32_t width_px, height_px; /* 0: there is none for this snapshot */
	uint64_t map_id;
	struct cairn_msg_scene scene;
	struct cairn_msg_detections seen;
};

void locator_on_snapshot(struct locator *l)
{
	struct cairn_dialog_question q;
	const struct cairn_frame_header *h;
	cairn_dialog_question(l->dialog, &q);
	l->width_px = l->height_px = 0;
	const uint16_t *depth = cairn_frame_take(l->depth_sub, &h);
	size_t most = (size_t)l->cfg->camera.width_px * (size_t)l->cfg->camera.height_px;
	if (depth != NULL && cairn_frame_packed(h, CAIRN_FORMAT_DEPTH16) &&
	    (size_t)h->width * h->height <= most && h->t_ns - q.head->t_rgb_ns <= APART_NS &&
	    q.head->t_rgb_ns - h->t_ns <= APART_NS) {
		memcpy(l->depth_mm, depth, h->payload_bytes);
		l->width_px = h->width;
		l->height_px = h->height;
	}
	cairn_frame_release(l->depth_sub);
}

void locator_on_scene(struct locator *l, const struct cairn_msg_scene *scene)
{
	l->scene = *scene;
}

/* answer NULL: only what it points to counts. */
static bool locate(
    void *ctx, const struct cairn_tool_call *call, char *answer, size_t bytes, struct cairn_vec2 *ret_at)
{
	struct locator *l = ctx;
	struct cairn_dialog_question q;
	struct cairn_found found = {.found = false};
	cairn_dialog_question(l->dialog, &q);
	const struct cairn_find_view view = {l->width_px > 0 ? l->depth_mm : NULL, l->width_px, l->height_px,
	    {q.head->x_m, q.head->y_m, q.head->yaw_rad}, l->scene.map_id};
	const double share[4] = {call->spot.left, call->spot.top, call->spot.right, call->spot.bottom};
	if (call->has_spot && cairn_find_in_picture(l->cfg, &view, call->label, share, &found, &l->seen) &&
	    l->outbox != NULL)
		cairn_outbox_put(l->outbox, CAIRN_TOPIC_SIGHTINGS, &l->seen, true, cairn_now_ns());
	if (answer != NULL && call->has_spot && !found.found) {
		snprintf(answer, bytes, "no depth is known there: too far, too near, or it shines");
	} else if (answer != NULL) {
		if (!call->has_spot)
			(void)cairn_find_in_scene(
			    l->cfg, &l->scene, call->label, view.robot, cairn_unix_s(), &found);
		cairn_found_text(&found, call->label, answer, bytes);
	}
	*ret_at = (struct cairn_vec2){found.at_m[0], found.at_m[1]};
	return found.found;
}

struct locator *locator_new(struct cairn_stage *stage, struct cairn_dialog *dialog,
    struct cairn_outbox *outbox, struct cairn_error *err)
{
	struct locator *l = calloc(1, sizeof(*l));
	if (l == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	l->stage = stage;
	l->cfg = cairn_stage_config(stage);
	l->dialog = dialog;
	l->outbox = outbox;
	l->depth_mm =
	    calloc((size_t)l->cfg->camera.width_px * (size_t)l->cfg->camera.height_px, sizeof(*l->depth_mm));
	if (l->depth_mm == NULL)
		cairn_error_set(err, "out of memory");
	else
		l->depth_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	if (l->depth_sub == NULL) {
		locator_destroy(&l);
		return NULL;
	}
	cairn_dialog_on_locate(dialog, locate, l);
	return l;
}

void locator_destroy(struct locator **locator_p)
{
	struct locator *l = *locator_p;
	*locator_p = NULL;
	if (l == NULL)
		return;
	free(l->depth_mm);
	free(l);
}
