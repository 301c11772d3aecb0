/* depth.c - the newest picture of depth, kept until the answer about its moment comes. */
#include <stdlib.h>
#include <string.h>

#include "procs/detector/detector.h"

#define DEPTH_APART_NS (100 * CAIRN_NS_PER_MS)

/* A helper that knows boxes alone gets depth from the camera's own. */
bool depth_open(struct detector_stage *d, struct cairn_error *err)
{
	if (d->cfg->detect.source != CAIRN_CHOICE_DETECT_SOURCE_HELPER)
		return true;
	d->depth_mm =
	    calloc((size_t)d->cfg->camera.width_px * (size_t)d->cfg->camera.height_px, sizeof(*d->depth_mm));
	if (d->depth_mm == NULL)
		return false;
	d->depth_sub = cairn_stage_frame_sub(d->stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	return d->depth_sub != NULL;
}

void depth_take(struct detector_stage *d)
{
	const struct cairn_frame_header *hdr;
	if (d->depth_sub == NULL)
		return;
	const uint16_t *payload = cairn_frame_take(d->depth_sub, &hdr);
	size_t pixels = (size_t)d->cfg->camera.width_px * (size_t)d->cfg->camera.height_px;
	if (payload != NULL && cairn_frame_packed(hdr, CAIRN_FORMAT_DEPTH16) &&
	    (size_t)hdr->width * hdr->height == pixels) {
		memcpy(d->depth_mm, payload, 2 * pixels);
		d->depth_width = hdr->width;
		d->depth_height = hdr->height;
		d->depth_t_ns = hdr->t_ns;
	}
	cairn_frame_release(d->depth_sub);
}

/* Was the depth taken when the picture was? A robot that turns sees something else soon after. */
static bool is_of(const struct detector_stage *d, int64_t t_ns)
{
	return d->depth_t_ns - t_ns <= DEPTH_APART_NS && t_ns - d->depth_t_ns <= DEPTH_APART_NS;
}

void depth_of_list(struct detector_stage *d)
{
	if (!is_of(d, d->list.t_ns))
		depth_take(d);
	if (d->depth_width == d->list.width_px && d->depth_height == d->list.height_px &&
	    d->depth_width > 0 && is_of(d, d->list.t_ns))
		cairn_detect_depth(d->cfg, d->depth_mm, &d->list);
}
