#include "procs/sensor-bridge/camera_frames.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/safety/depth_scan.h"

#define PLANE_DEADLINE_MS 4000
/* The library never takes back what a consumer keeps, not even when that is dead. Longer than a fifth of the
 * minute in which five deaths hold a stage failed. */
#define FULL_NS (15000 * CAIRN_NS_PER_MS)

/* ---- room ---- */

/* Said once, and once when it is over. */
static void tell_room(struct camera_frames *f, bool room, bool rgb)
{
	cairn_stage_tried(f->stage, rgb ? "publish pictures" : "publish depth",
	    room ? NULL : "a consumer keeps all shared memory it was given");
	if (room)
		f->full_since_ns = 0;
	else if (f->full_since_ns == 0)
		f->full_since_ns = cairn_now_ns();
}

/* Room for a picture: a frame's, or, of a depth picture for which there is none, the spare one; NULL: it is not wanted. */
static uint8_t *loan(struct camera_frames *f, uint32_t width, uint32_t height, uint32_t stride_bytes)
{
	bool rgb = cairn_camera_is_colour(f->hdr.format);
	struct cairn_frame_header *frame;
	uint32_t bytes = stride_bytes * height;
	f->pub = rgb ? f->rgb_pub : f->depth_pub;
	uint8_t *room = cairn_frame_loan(f->pub, bytes, &frame);
	if (room == NULL) {
		bool fits = bytes <= cairn_frame_payload_max(f->cfg, CAIRN_FRAME_CAMERA_DEPTH);
		f->pub = NULL; /* too large or no chunk free: counted there */
		tell_room(f, false, rgb);
		return rgb || !fits ? NULL : f->spare;
	}
	tell_room(f, true, rgb);
	frame->format = rgb ? CAIRN_FORMAT_RGB8 : CAIRN_FORMAT_DEPTH16;
	frame->t_ns = f->hdr.t_ns;
	frame->width = width;
	frame->height = height;
	frame->stride_bytes = stride_bytes;
	return room;
}

static uint8_t *raw_room(struct camera_frames *f, size_t bytes)
{
	if (bytes > f->raw_bytes) {
		free(f->raw);
		f->raw = malloc(bytes);
		f->raw_bytes = f->raw != NULL ? bytes : 0;
	}
	return f->raw;
}

/* ---- pictures ---- */

/* True: the picture was sent before, so the camera has stopped looking, whatever its stamps say. */
static bool repeated(struct camera_frames *f, const uint8_t *payload)
{
	bool rgb = cairn_camera_is_colour(f->hdr.format);
	const char *what = rgb ? "use the camera" : "use its depth";
	bool again =
	    cairn_repeats_take(rgb ? &f->rgb_repeats : &f->depth_repeats, payload, f->hdr.payload_bytes);
	cairn_stage_tried(f->stage, what, again ? "it repeats an earlier picture" : NULL);
	if (again)
		cairn_stage_count_reject(f->stage);
	return again;
}

/* What of the camera's pictures is used, each time that they come in another size. */
static void tell_shape(struct camera_frames *f, uint32_t width, uint32_t height)
{
	const struct cairn_camera_want *want = &f->want;
	if (!cairn_camera_is_colour(f->hdr.format) || (width == f->told_width && height == f->told_height))
		return;
	f->told_width = width;
	f->told_height = height;
	struct cairn_picture_part part = cairn_picture_part(width, height, want->width, want->height);
	cairn_log_info("pictures of %u x %u: %u x %u in their middle become %u x %u; robot.camera_hfov_rad "
		       "is of that part",
	    width, height, part.width, part.height, want->width, want->height);
}

/* The frame of a picture with another size or other pixels. False: what came is none. */
static bool make_picture(struct camera_frames *f, const uint8_t *raw)
{
	struct cairn_error err = {""};
	uint32_t width = f->want.width, height = f->want.height;
	uint32_t stride = width * (cairn_camera_is_colour(f->hdr.format) ? 3 : 2), from_width, from_height;
	f->payload = loan(f, width, height, stride);
	if (f->payload == NULL)
		return true;
	bool made = cairn_picture_make(f->maker, &f->hdr, raw, f->payload, &from_width, &from_height, &err);
	cairn_stage_tried(f->stage, "read a picture", made ? NULL : err.text);
	if (!made) {
		cairn_stage_count_reject(f->stage);
		return false;
	}
	tell_shape(f, from_width, from_height);
	f->hdr.width = width;
	f->hdr.height = height;
	f->hdr.stride_bytes = stride;
	return true;
}

static void publish(struct camera_frames *f)
{
	if (f->payload != NULL && f->hdr.format == CAIRN_CAMERA_DEPTH16) {
		cairn_depth_scan_make(
		    &f->scan, f->cfg, f->payload, (int)f->hdr.width, (int)f->hdr.height, f->hdr.stride_bytes);
		cairn_pub_send(f->scan_pub, &f->scan, f->hdr.t_ns, true);
	}
	if (f->pub == NULL)
		return;
	cairn_frame_publish(f->pub);
	f->pub = NULL;
	if (f->pictures++ == 0) {
		cairn_log_info("pictures arrive");
		cairn_stage_note(f->stage, "pictures arrive");
	}
}

uint8_t *camera_frames_begin(
    struct camera_frames *f, const struct cairn_camera_header *hdr, enum cairn_camera_verdict verdict)
{
	f->hdr = *hdr;
	f->make = verdict == CAIRN_CAMERA_MAKE;
	f->payload = NULL;
	if (f->make)
		f->payload = raw_room(f, hdr->payload_bytes);
	else if (verdict == CAIRN_CAMERA_USE)
		f->payload = loan(f, hdr->width, hdr->height, hdr->stride_bytes);
	return f->payload;
}

const char *camera_frames_end(struct camera_frames *f)
{
	const char *why_not = NULL;
	if (f->payload != NULL && repeated(f, f->payload))
		why_not = "it repeats an earlier picture";
	else if (f->payload != NULL && f->make && !make_picture(f, f->payload))
		why_not = "damaged";
	else
		publish(f);
	camera_frames_drop(f);
	return why_not;
}

const char *camera_frames_whole(struct camera_frames *f, const struct cairn_camera_header *hdr,
    struct cairn_camera_order *order, const uint8_t *payload)
{
	struct cairn_error err = {""};
	enum cairn_camera_verdict verdict = cairn_camera_judge(hdr, &f->want, order, cairn_now_ns(), &err);
	const char *why_not = NULL;
	if (verdict == CAIRN_CAMERA_SKIP) {
		cairn_stage_count_reject(f->stage);
		cairn_log_debug("%s", err.text);
		return "size, stamp or order are wrong";
	}
	f->hdr = *hdr;
	if (repeated(f, payload))
		why_not = "it repeats an earlier picture";
	else if (verdict == CAIRN_CAMERA_MAKE)
		why_not = make_picture(f, payload) ? NULL : "damaged";
	else if ((f->payload = loan(f, hdr->width, hdr->height, hdr->stride_bytes)) != NULL)
		memcpy(f->payload, payload, hdr->payload_bytes);
	if (why_not == NULL)
		publish(f);
	camera_frames_drop(f);
	return why_not;
}

void camera_frames_drop(struct camera_frames *f)
{
	if (f->pub != NULL)
		cairn_frame_abandon(f->pub);
	f->pub = NULL;
	f->payload = NULL;
}

/* ---- life ---- */

void camera_frames_restart(struct camera_frames *f)
{
	camera_frames_drop(f);
	f->pictures = 0;
}

void camera_frames_problem(struct camera_frames *f, const struct cairn_error *problem, bool depth)
{
	bool some = problem->text[0] != '\0';
	if (some && strcmp(problem->text, f->told[depth].text) != 0)
		cairn_log_warn("%s", problem->text);
	f->told[depth] = *problem;
	cairn_stage_tried(
	    f->stage, depth ? "reach the depth camera" : "reach the camera", some ? problem->text : NULL);
}

int camera_frames_tick(struct camera_frames *f)
{
	for (uint64_t n = cairn_frames_rejects(f->frames); f->frame_rejects < n; f->frame_rejects++)
		cairn_stage_count_reject(f->stage);
	int64_t now_ns = cairn_now_ns();
	if (f->full_since_ns == 0 || now_ns - f->full_since_ns <= FULL_NS)
		return 0;
	cairn_log_error("no shared memory was free for %.0f s: the data plane has to be built anew",
	    (double)(now_ns - f->full_since_ns) * 1e-9);
	return -CAIRN_EXIT_PLANE;
}

bool camera_frames_open(struct camera_frames *f, struct cairn_stage *stage)
{
	const struct cairn_config *cfg = cairn_stage_config(stage);
	struct cairn_error err = {""};
	*f = (struct camera_frames){.stage = stage,
	    .cfg = cfg,
	    .want = {.width = (uint32_t)cfg->camera.width_px,
		.height = (uint32_t)cfg->camera.height_px,
		.age_max_ns = cairn_frame_topics[CAIRN_FRAME_CAMERA_RGB].max_age_ms * CAIRN_NS_PER_MS}};
	f->frames = cairn_frames_open(cairn_stage_name(stage), cfg, PLANE_DEADLINE_MS, &err);
	if (f->frames != NULL)
		f->rgb_pub = cairn_frame_pub_new(f->frames, CAIRN_FRAME_CAMERA_RGB, &err);
	if (f->rgb_pub != NULL)
		f->depth_pub = cairn_frame_pub_new(f->frames, CAIRN_FRAME_CAMERA_DEPTH, &err);
	f->spare = calloc(1, cairn_frame_payload_max(cfg, CAIRN_FRAME_CAMERA_DEPTH));
	if (f->depth_pub != NULL && f->spare != NULL)
		f->maker = cairn_picture_maker_new(f->want.width, f->want.height, &err);
	if (f->maker == NULL) {
		cairn_log_error("%s", err.text[0] != '\0' ? err.text : "no memory for a picture");
		camera_frames_close(f);
		return false;
	}
	f->scan_pub = cairn_stage_publish(stage, CAIRN_TOPIC_SCAN_DEPTH);
	return true;
}

void camera_frames_close(struct camera_frames *f)
{
	camera_frames_drop(f);
	cairn_frames_close(&f->frames);
	cairn_picture_maker_destroy(&f->maker);
	free(f->raw);
	free(f->spare);
}
