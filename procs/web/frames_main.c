/* cairn-web-frames RUN - reads frames for the web stage, which starts it, and makes pictures of them (procs/web/frame_pipe.h).
 *
 * It is the one of the two that joins the data plane. It ends with its parent, and when no frame has come for a while though one
 * is wanted: the plane may have been built anew, and its parent starts another. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/log.h"
#include "common/base/whole_io.h"
#include "common/map/picture.h"
#include "common/percept/jpeg.h"
#include "common/percept/snapshot.h"
#include "common/vlm/prompt.h"
#include "common/drawing/png.h"
#include "ipc/frames.h"
#include "procs/launcher/namespace.h"
#include "procs/web/frame_pipe.h"

#define FD 3
#define DEADLINE_MS 5000
#define POLL_MS 20
#define SILENT_NS (8 * CAIRN_NS_PER_S)
#define JPEG_QUALITY 75
#define DRAWN_PX 800
#define PLAIN_FREE 255
#define PLAIN_UNKNOWN 205

static const enum cairn_frame_topic topics[WEB_PICTURES] = {[WEB_CAMERA] = CAIRN_FRAME_CAMERA_RGB,
    [WEB_SNAPSHOT] = CAIRN_FRAME_SNAPSHOT,
    [WEB_DEPTH] = CAIRN_FRAME_CAMERA_DEPTH,
    [WEB_MAP] = CAIRN_FRAME_MAP_GRID,
    [WEB_MAP_DRAWN] = CAIRN_FRAME_MAP_GRID,
    [WEB_GRID] = CAIRN_FRAME_MAP_GRID,
    [WEB_DEPTH_RAW] = CAIRN_FRAME_CAMERA_DEPTH};

struct reader {
	const struct cairn_config *cfg;
	struct cairn_frames *frames;
	struct cairn_frame_sub *subs[WEB_PICTURES];
	struct cairn_jpeg *jpeg;
	uint32_t jpeg_width, jpeg_height;
	uint64_t map_hash, grid_hash;
	uint8_t *plain; /* rows of the map, upside down */
	size_t plain_bytes;
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* False when nobody reads any more. */
static bool send_picture(enum web_picture which, const struct cairn_frame_header *h, uint64_t id,
    const void *text, size_t text_bytes, const void *data, size_t bytes)
{
	struct web_frame_head head = {
	    WEB_FRAME_MAGIC, (uint32_t)which, (uint32_t)text_bytes, (uint32_t)bytes, id, h->t_ns};
	return cairn_write_whole(FD, &head, sizeof(head)) &&
	       (text_bytes == 0 || cairn_write_whole(FD, text, text_bytes)) &&
	       (bytes == 0 || cairn_write_whole(FD, data, bytes));
}

static bool give_camera(struct reader *r, const struct cairn_frame_header *h, const void *payload)
{
	struct cairn_error err = {""};
	if (h->format != CAIRN_FORMAT_RGB8 || h->stride_bytes != 3 * h->width)
		return true;
	if (r->jpeg == NULL || h->width != r->jpeg_width || h->height != r->jpeg_height) {
		cairn_jpeg_destroy(&r->jpeg);
		r->jpeg = cairn_jpeg_new((int)h->width, (int)h->height, &err);
		r->jpeg_width = h->width;
		r->jpeg_height = h->height;
	}
	struct cairn_canvas canvas = {
	    .rgb = (uint8_t *)(uintptr_t)payload, .width_px = (int)h->width, .height_px = (int)h->height};
	size_t bytes = 0;
	const uint8_t *data =
	    r->jpeg != NULL ? cairn_jpeg_encode(r->jpeg, &canvas, JPEG_QUALITY, &bytes, &err) : NULL;
	if (data == NULL) {
		cairn_log_warn("camera: %s", err.text);
		return true;
	}
	return send_picture(WEB_CAMERA, h, 0, NULL, 0, data, bytes);
}

static bool give_depth(const struct cairn_frame_header *h, const void *payload)
{
	size_t bytes = 0;
	if (h->format != CAIRN_FORMAT_DEPTH16)
		return true;
	uint8_t *png = cairn_png_grey16(payload, h->width, h->height, h->stride_bytes, &bytes);
	bool ok = png == NULL || send_picture(WEB_DEPTH, h, 0, NULL, 0, png, bytes);
	free(png);
	return ok;
}

static bool give_snapshot(const struct cairn_frame_header *h, const void *payload)
{
	struct cairn_snapshot s;
	struct cairn_error err = {""};
	if (!cairn_snapshot_read(payload, h->payload_bytes, &s, &err)) {
		cairn_log_warn("snapshot: %s", err.text);
		return true;
	}
	struct cairn_text text = {0}; /* as the gateway sends it, not as the annotator writes it */
	cairn_prompt_add_view(&text, s.text, s.head.text_bytes);
	bool ok = send_picture(WEB_SNAPSHOT, h, s.head.snapshot_id, text.data, text.len, s.jpeg,
	    s.jpeg != NULL ? s.head.jpeg_bytes : 0);
	cairn_text_free(&text);
	return ok;
}

static uint64_t hash_of(const struct cairn_frame_header *h, const uint8_t *cells)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (uint32_t y = 0; y < h->height; y++)
		for (uint32_t x = 0; x < h->width; x++)
			hash = (hash ^ cells[(size_t)y * h->stride_bytes + x]) * UINT64_C(1099511628211);
	return hash ^ ((uint64_t)h->width << 32 | h->height);
}

/* As map_server draws it: the more surely occupied, the darker. */
static uint8_t shade(uint8_t cell)
{
	return cell > 100 ? PLAIN_UNKNOWN : (uint8_t)(PLAIN_FREE - cell * PLAIN_FREE / 100);
}

static bool give_map(struct reader *r, const struct cairn_frame_header *h, const uint8_t *cells)
{
	char json[320];
	size_t size = (size_t)h->width * h->height, bytes = 0;
	if (h->format != CAIRN_FORMAT_GRID8 || size == 0 || !isfinite(h->origin_x_m) ||
	    !isfinite(h->origin_y_m))
		return true;
	uint64_t hash = hash_of(h, cells);
	if (hash == r->map_hash)
		return true;
	if (size > r->plain_bytes) {
		free(r->plain);
		r->plain = malloc(size);
		r->plain_bytes = r->plain != NULL ? size : 0;
	}
	if (r->plain == NULL)
		return true;
	for (uint32_t y = 0; y < h->height; y++)
		for (uint32_t x = 0; x < h->width; x++)
			r->plain[(size_t)(h->height - 1 - y) * h->width + x] =
			    shade(cells[(size_t)y * h->stride_bytes + x]);
	uint8_t *png = cairn_png_grey8(r->plain, h->width, h->height, h->width, &bytes);
	if (png == NULL)
		return true;
	int n = snprintf(json, sizeof(json),
	    "{\"version\":\"%llu\",\"resolution_m\":%.9g,\"origin_x_m\":%.9g,\"origin_y_m\":%.9g,\"width\":%"
	    "u,\"height\":%u}\n",
	    (unsigned long long)h->seq, h->cell_m, h->origin_x_m, h->origin_y_m, h->width, h->height);
	bool ok = send_picture(WEB_MAP, h, 0, json, (size_t)n, png, bytes);
	free(png);
	r->map_hash = hash;
	return ok;
}

/* As `cairn map --png` draws it, of what the frame itself tells. */
static bool give_drawn(const struct reader *r, const struct cairn_frame_header *h, const uint8_t *cells)
{
	struct cairn_error err = {""};
	size_t bytes = 0;
	if (h->format != CAIRN_FORMAT_GRID8 || !isfinite(h->origin_x_m) || !isfinite(h->origin_y_m))
		return true;
	const struct cairn_picture picture = {.cells = cells,
	    .width = h->width,
	    .height = h->height,
	    .stride_bytes = h->stride_bytes,
	    .cell_m = h->cell_m,
	    .origin_x_m = h->origin_x_m,
	    .origin_y_m = h->origin_y_m,
	    .have_robot = true,
	    .robot = {h->pose_x_m, h->pose_y_m, h->pose_yaw_rad},
	    .robot_front_m = r->cfg->robot.footprint_front_m,
	    .robot_rear_m = r->cfg->robot.footprint_rear_m,
	    .robot_half_width_m = r->cfg->robot.footprint_half_width_m,
	    .have_start = true,
	    .size_px = DRAWN_PX};
	unsigned char *png = cairn_picture_encode(&picture, &bytes, &err);
	if (png == NULL)
		cairn_log_warn("map: %s", err.text);
	bool ok = png == NULL || send_picture(WEB_MAP_DRAWN, h, 0, NULL, 0, png, bytes);
	free(png);
	return ok;
}

/* The frame as it is, for who encodes it; a map only when it has changed. */
static bool give_raw(
    enum web_picture which, uint64_t *hash, const struct cairn_frame_header *h, const void *payload)
{
	if (hash != NULL) {
		uint64_t now = h->format == CAIRN_FORMAT_GRID8 ? hash_of(h, payload) : *hash;
		if (now == *hash)
			return true;
		*hash = now;
	}
	return send_picture(which, h, 0, h, sizeof(*h), payload, h->payload_bytes);
}

static bool give(
    struct reader *r, enum web_picture which, const struct cairn_frame_header *h, const void *payload)
{
	switch (which) {
	case WEB_CAMERA:
		return give_camera(r, h, payload);
	case WEB_SNAPSHOT:
		return give_snapshot(h, payload);
	case WEB_DEPTH:
		return give_depth(h, payload);
	case WEB_MAP_DRAWN:
		return give_drawn(r, h, payload);
	case WEB_GRID:
		return give_raw(which, &r->grid_hash, h, payload);
	case WEB_DEPTH_RAW:
		return give_raw(which, NULL, h, payload);
	default:
		return give_map(r, h, payload);
	}
}

/* The newest wish. False when the parent is gone. */
static bool hear(uint8_t *set)
{
	uint8_t bytes[64];
	ssize_t n = recv(FD, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n > 0)
		*set = bytes[n - 1];
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool serve(struct reader *r, uint8_t set, bool *ret_heard)
{
	struct cairn_error err = {""};
	*ret_heard = false;
	for (int i = 0; i < WEB_PICTURES; i++) {
		const struct cairn_frame_header *h;
		if ((set & WEB_PICTURE_BIT(i)) == 0)
			continue;
		if (r->subs[i] == NULL)
			r->subs[i] = cairn_frame_sub_new(r->frames, topics[i], &err);
		const void *payload = r->subs[i] != NULL ? cairn_frame_take(r->subs[i], &h) : NULL;
		if (payload == NULL)
			continue;
		*ret_heard = true;
		bool ok = give(r, (enum web_picture)i, h, payload);
		cairn_frame_release(r->subs[i]);
		if (!ok)
			return false;
	}
	return true;
}

static int run(struct reader *r)
{
	uint8_t set = 0, before = 0;
	int64_t heard_ns = now_ns();
	struct pollfd item = {.fd = FD, .events = POLLIN};
	for (;;) {
		bool heard;
		(void)poll(&item, 1, set != 0 ? POLL_MS : 1000);
		if (!hear(&set) || !serve(r, set, &heard))
			return 0;
		if ((set & WEB_PICTURE_BIT(WEB_MAP)) != 0 && (before & WEB_PICTURE_BIT(WEB_MAP)) == 0)
			r->map_hash = 0; /* whoever asks anew is given one */
		if ((set & WEB_PICTURE_BIT(WEB_GRID)) != 0 && (before & WEB_PICTURE_BIT(WEB_GRID)) == 0)
			r->grid_hash = 0;
		before = set;
		/* Snapshots come when a decision is due; the others always. */
		if (heard || (set & ~WEB_PICTURE_BIT(WEB_SNAPSHOT)) == 0)
			heard_ns = now_ns();
		else if (now_ns() - heard_ns > SILENT_NS)
			return 1;
	}
}

int main(int argc, char **argv)
{
	static struct cairn_config cfg;
	static struct reader r;
	struct cairn_error err = {""};
	char path[512];
	cairn_log_init("web", CAIRN_LOG_INFO);
	if (argc != 2) {
		fprintf(
		    stderr, "cairn-web-frames RUN: started by cairn-web, with its socket as descriptor 3\n");
		return 2;
	}
	(void)setpriority(PRIO_PROCESS, 0, 10);
	cairn_config_defaults(&cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", argv[1]);
	if (!cairn_config_load(&cfg, path, &err) || !cairn_namespace_join(argv[1], &err)) {
		cairn_log_error("%s", err.text);
		return 1;
	}
	r.frames = cairn_frames_open("web", &cfg, DEADLINE_MS, &err);
	if (r.frames == NULL) {
		cairn_log_error("%s", err.text);
		return 1;
	}
	r.cfg = &cfg;
	int status = run(&r);
	cairn_jpeg_destroy(&r.jpeg);
	cairn_frames_close(&r.frames);
	return status;
}
