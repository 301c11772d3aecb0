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
#include "common/percept/heat.h"
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
    [WEB_DEPTH_RAW] = CAIRN_FRAME_CAMERA_DEPTH,
    [WEB_DEPTH_SEEN] = CAIRN_FRAME_CAMERA_DEPTH,
    [WEB_MAP_SEEN] = CAIRN_FRAME_MAP_GRID};

struct reader {
	const struct cairn_config *cfg;
	struct cairn_frames *frames;
	struct cairn_frame_sub *subs[WEB_PICTURES];
	struct encoder {
		struct cairn_jpeg *jpeg;
		uint32_t width, height;
		uint8_t *rgb; /* where the picture is made here */
	} camera, depth, drawn;
	struct cairn_board *board;
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

/* Ready for pictures of this size. */
static bool fit(struct encoder *e, uint32_t width, uint32_t height, bool with_rgb)
{
	struct cairn_error err = {""};
	if (e->jpeg != NULL && width == e->width && height == e->height)
		return true;
	cairn_jpeg_destroy(&e->jpeg);
	free(e->rgb);
	e->rgb = with_rgb ? malloc((size_t)3 * width * height) : NULL;
	if (!with_rgb || e->rgb != NULL)
		e->jpeg = cairn_jpeg_new((int)width, (int)height, &err);
	e->width = width;
	e->height = height;
	return e->jpeg != NULL;
}

static bool send_jpeg(
    struct encoder *e, enum web_picture which, const struct cairn_frame_header *h, const uint8_t *rgb)
{
	struct cairn_error err = {""};
	struct cairn_canvas canvas = {
	    .rgb = (uint8_t *)(uintptr_t)rgb, .width_px = (int)e->width, .height_px = (int)e->height};
	size_t bytes = 0;
	const uint8_t *data = cairn_jpeg_encode(e->jpeg, &canvas, JPEG_QUALITY, &bytes, &err);
	if (data == NULL) {
		cairn_log_warn("picture: %s", err.text);
		return true;
	}
	return send_picture(which, h, 0, NULL, 0, data, bytes);
}

static bool give_camera(struct reader *r, const struct cairn_frame_header *h, const void *payload)
{
	if (h->format != CAIRN_FORMAT_RGB8 || h->stride_bytes != 3 * h->width ||
	    !fit(&r->camera, h->width, h->height, false))
		return true;
	return send_jpeg(&r->camera, WEB_CAMERA, h, payload);
}

static bool give_depth_seen(struct reader *r, const struct cairn_frame_header *h, const uint8_t *payload)
{
	if (h->format != CAIRN_FORMAT_DEPTH16 || h->width == 0 || h->height == 0 ||
	    h->stride_bytes < 2 * h->width || !fit(&r->depth, h->width, h->height, true))
		return true;
	uint8_t *to = r->depth.rgb;
	for (uint32_t y = 0; y < h->height; y++) {
		const uint8_t *row = payload + (size_t)y * h->stride_bytes;
		for (uint32_t x = 0; x < h->width; x++, to += 3) {
			unsigned mm = row[2 * x] | (unsigned)row[2 * x + 1] << 8;
			struct cairn_rgb c = mm != 0 ? cairn_heat_colour(mm) : (struct cairn_rgb){0, 0, 0};
			to[0] = c.r;
			to[1] = c.g;
			to[2] = c.b;
		}
	}
	return send_jpeg(&r->depth, WEB_DEPTH_SEEN, h, r->depth.rgb);
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
static struct cairn_picture drawing_of(
    const struct reader *r, const struct cairn_frame_header *h, const uint8_t *cells)
{
	return (struct cairn_picture){.cells = cells,
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
}

static bool give_drawn(const struct reader *r, const struct cairn_frame_header *h, const uint8_t *cells)
{
	size_t bytes = 0;
	struct cairn_error err = {""};
	if (h->format != CAIRN_FORMAT_GRID8 || !isfinite(h->origin_x_m) || !isfinite(h->origin_y_m))
		return true;
	const struct cairn_picture picture = drawing_of(r, h, cells);
	unsigned char *png = cairn_picture_encode(&picture, &bytes, &err);
	if (png == NULL)
		cairn_log_warn("map: %s", err.text);
	bool ok = png == NULL || send_picture(WEB_MAP_DRAWN, h, 0, NULL, 0, png, bytes);
	free(png);
	return ok;
}

static bool give_map_seen(struct reader *r, const struct cairn_frame_header *h, const uint8_t *cells)
{
	struct cairn_error err = {""};
	if (h->format != CAIRN_FORMAT_GRID8 || !isfinite(h->origin_x_m) || !isfinite(h->origin_y_m) ||
	    !fit(&r->drawn, DRAWN_PX, DRAWN_PX, true))
		return true;
	if (r->board == NULL)
		r->board = cairn_board_new(DRAWN_PX, DRAWN_PX, &err);
	const struct cairn_picture picture = drawing_of(r, h, cells);
	const struct cairn_board_area whole = {0, 0, DRAWN_PX, DRAWN_PX};
	if (r->board != NULL)
		cairn_board_clear(r->board);
	if (r->board == NULL || !cairn_board_draw(r->board, &picture, &whole, &err)) {
		cairn_log_warn("map: %s", err.text);
		return true;
	}
	cairn_board_rgb(r->board, r->drawn.rgb);
	return send_jpeg(&r->drawn, WEB_MAP_SEEN, h, r->drawn.rgb);
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
	case WEB_DEPTH_SEEN:
		return give_depth_seen(r, h, payload);
	case WEB_MAP_SEEN:
		return give_map_seen(r, h, payload);
	default:
		return give_map(r, h, payload);
	}
}

/* The wishes so far. False when the parent is gone. */
static bool hear(uint32_t *set)
{
	uint8_t bytes[64];
	ssize_t n = recv(FD, bytes, sizeof(bytes), MSG_DONTWAIT);
	for (ssize_t i = 0; i < n; i++) {
		uint32_t bit = WEB_PICTURE_BIT(bytes[i] & (WEB_PICTURE_ON - 1) & 31u);
		*set = (bytes[i] & WEB_PICTURE_ON) != 0 ? *set | bit : *set & ~bit;
	}
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool serve(struct reader *r, uint32_t set, bool *ret_heard)
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
	uint32_t set = 0, before = 0;
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
	cairn_jpeg_destroy(&r.camera.jpeg);
	cairn_jpeg_destroy(&r.depth.jpeg);
	cairn_jpeg_destroy(&r.drawn.jpeg);
	cairn_board_destroy(&r.board);
	cairn_frames_close(&r.frames);
	return status;
}
