#include "procs/scene/store.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/drawing/png.h"
#include "common/percept/jpeg.h"

#define JPEG_QUALITY 80
/* A picture that was taken so much before or after the detector's may show something else while the robot moves, */
#define APART_NS (70 * CAIRN_NS_PER_MS)
/* and so much while it stands. */
#define APART_STANDING_NS (500 * CAIRN_NS_PER_MS)
#define STANDING_M 0.01
#define STANDING_RAD 0.01

struct store {
	struct cairn_stage *stage;
	struct cairn_scene *scene;
	struct cairn_frame_sub *rgb_sub, *depth_sub;
	struct cairn_jpeg *jpeg;
	uint32_t width_px, height_px; /* that jpeg is for */
	struct cairn_scene_pictures pictures;
	struct cairn_pose2 before; /* of the camera, in the message before */
	char folder[512];
};

static void path_of(const struct store *s, uint64_t id, const char *ending, char ret[640])
{
	snprintf(ret, 640, "%s/%06" PRIu64 "%s", s->folder, id, ending);
}

static const char *const endings[] = {
    ".json", ".depth.png", ".jpg"}; /* the one that makes it a picture goes first */

static void erase(const struct store *s, uint64_t id)
{
	char path[640];
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		path_of(s, id, endings[i], path);
		(void)unlink(path);
	}
}

static uint64_t bytes_of(const struct store *s, uint64_t id)
{
	uint64_t all = 0;
	char path[640];
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct stat st;
		path_of(s, id, endings[i], path);
		all += stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	return all;
}

/* Pictures of earlier runs; parts of one that was never whole go. */
static bool find(struct store *s, struct cairn_error *err)
{
	DIR *d = opendir(s->folder);
	if (d == NULL) {
		cairn_error_set(err, "%s: %s", s->folder, strerror(errno));
		return false;
	}
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		uint64_t id = 0;
		int end = 0;
		char path[640];
		if (sscanf(e->d_name, "%9" SCNu64 "%n", &id, &end) != 1 || id == 0)
			continue;
		path_of(s, id, ".json", path);
		bool whole = access(path, R_OK) == 0;
		if (whole && strcmp(e->d_name + end, ".json") == 0)
			cairn_scene_picture_found(&s->pictures, id, bytes_of(s, id));
		else if (!whole)
			erase(s, id);
	}
	(void)closedir(d);
	for (uint64_t old; (old = cairn_scene_drop_picture(s->scene, &s->pictures)) != 0;)
		erase(s, old); /* the quota may be smaller than it was */
	cairn_scene_pictures_settle(s->scene, &s->pictures);
	return true;
}

struct store *store_new(struct cairn_stage *stage, struct cairn_scene *scene, struct cairn_error *err)
{
	struct store *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->stage = stage;
	s->scene = scene;
	snprintf(s->folder, sizeof(s->folder), "%s/state/views", cairn_stage_run_dir(stage));
	if (mkdir(s->folder, 0700) != 0 && errno != EEXIST) {
		cairn_error_set(err, "%s: %s", s->folder, strerror(errno));
		store_destroy(&s);
		return NULL;
	}
	s->rgb_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_CAMERA_RGB, err);
	if (s->rgb_sub != NULL)
		s->depth_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_CAMERA_DEPTH, err);
	if (s->depth_sub == NULL || !find(s, err))
		store_destroy(&s);
	return s;
}

void store_destroy(struct store **store_p)
{
	struct store *s = *store_p;
	*store_p = NULL;
	if (s == NULL)
		return;
	if (s->jpeg != NULL)
		cairn_jpeg_destroy(&s->jpeg);
	free(s);
}

static bool is_of(const struct cairn_frame_header *h, int64_t t_ns, int64_t apart_ns)
{
	return h->t_ns - t_ns <= apart_ns && t_ns - h->t_ns <= apart_ns;
}

static const uint8_t *encode(struct store *s, const struct cairn_frame_header *h, const uint8_t *rgb,
    size_t *ret_bytes, struct cairn_error *err)
{
	if (s->jpeg != NULL && (s->width_px != h->width || s->height_px != h->height))
		cairn_jpeg_destroy(&s->jpeg);
	if (s->jpeg == NULL)
		s->jpeg = cairn_jpeg_new((int)h->width, (int)h->height, err);
	s->width_px = h->width;
	s->height_px = h->height;
	if (s->jpeg == NULL)
		return NULL;
	/* The encoder only reads. */
	const struct cairn_canvas canvas = {
	    (uint8_t *)(uintptr_t)rgb, (int)h->width, (int)h->height, (int)h->stride_bytes};
	return cairn_jpeg_encode(s->jpeg, &canvas, JPEG_QUALITY, ret_bytes, err);
}

static bool save(const struct store *s, uint64_t id, const char *ending, const void *data, size_t bytes,
    struct cairn_error *err)
{
	char path[640];
	path_of(s, id, ending, path);
	return cairn_file_replace(path, 0, 0600, data, bytes, err);
}

/* Depth of the same moment, where there is one. */
static uint8_t *take_depth(struct store *s, int64_t t_ns, int64_t apart_ns, size_t *ret_bytes)
{
	const struct cairn_frame_header *h;
	const uint8_t *depth = cairn_frame_take(s->depth_sub, &h);
	uint8_t *png = NULL;
	if (depth != NULL && cairn_frame_packed(h, CAIRN_FORMAT_DEPTH16) && is_of(h, t_ns, apart_ns))
		png = cairn_png_grey16(depth, h->width, h->height, h->stride_bytes, ret_bytes);
	cairn_frame_release(s->depth_sub);
	return png;
}

static bool keep(struct store *s, const struct cairn_frame_header *h, const uint8_t *rgb,
    const struct cairn_msg_detections *m, int64_t apart_ns, double known_m2, double unix_s,
    struct cairn_error *err)
{
	size_t jpeg_bytes = 0, png_bytes = 0, json_bytes = 0;
	uint64_t id = s->pictures.next_id > 0 ? s->pictures.next_id : 1;
	const uint8_t *jpeg = encode(s, h, rgb, &jpeg_bytes, err);
	if (jpeg == NULL)
		return false;
	uint8_t *png = take_depth(s, h->t_ns, apart_ns, &png_bytes);
	char *json = cairn_scene_picture_json(s->scene, id, m, unix_s, &json_bytes);
	bool ok = json != NULL && save(s, id, ".jpg", jpeg, jpeg_bytes, err) &&
		  (png == NULL || save(s, id, ".depth.png", png, png_bytes, err)) &&
		  save(s, id, ".json", json, json_bytes, err);
	free(png);
	free(json);
	if (!ok) {
		erase(s, id);
		return false;
	}
	(void)cairn_scene_keep_picture(s->scene, &s->pictures, jpeg_bytes + png_bytes + json_bytes, known_m2);
	for (uint64_t old; (old = cairn_scene_drop_picture(s->scene, &s->pictures)) != 0;)
		erase(s, old);
	return true;
}

void store_look(
    struct store *s, const struct cairn_msg_detections *m, int64_t t_ns, double known_m2, double unix_s)
{
	bool stands = hypot(m->x_m - s->before.x_m, m->y_m - s->before.y_m) < STANDING_M &&
		      fabs(cairn_wrap_rad(m->yaw_rad - s->before.yaw_rad)) < STANDING_RAD;
	int64_t apart_ns = stands ? APART_STANDING_NS : APART_NS;
	const struct cairn_frame_header *h;
	s->before = (struct cairn_pose2){m->x_m, m->y_m, m->yaw_rad};
	if (!cairn_scene_picture_is_news(s->scene, &s->pictures, known_m2))
		return;
	const uint8_t *rgb = cairn_frame_take(s->rgb_sub, &h);
	if (rgb != NULL && cairn_frame_packed(h, CAIRN_FORMAT_RGB8) && is_of(h, t_ns, apart_ns)) {
		struct cairn_error err = {"out of memory"};
		bool ok = keep(s, h, rgb, m, apart_ns, known_m2, unix_s, &err);
		cairn_stage_tried(s->stage, "keep a picture", ok ? NULL : err.text);
	}
	cairn_frame_release(s->rgb_sub);
}
