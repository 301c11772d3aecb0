#include "common/map/map_server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/base/yaml.h"

#define OCCUPIED 65
#define FREE_BELOW 50 /* as the mapper has it: any evidence for free */
#define PIXEL_FREE 254
#define PIXEL_OCCUPIED 0
#define PIXEL_UNKNOWN 205
#define OCCUPIED_THRESH 0.65
#define FREE_THRESH 0.196
#define PATH_MAX_BYTES 1024
#define YAML_BYTES_MAX 65536
#define CELL_MIN_M 0.005
#define CELL_MAX_M 1.0

/* ---- writing ---- */

static bool split_name(const char *name, char *base, size_t bytes, struct cairn_error *err)
{
	size_t n = strlen(name);
	if (n > 5 && strcmp(name + n - 5, ".yaml") == 0)
		n -= 5;
	else if (n > 4 && strcmp(name + n - 4, ".pgm") == 0)
		n -= 4;
	if (n == 0 || n >= bytes || name[n - 1] == '/') {
		cairn_error_set(err, "'%s': not a name for a map", name);
		return false;
	}
	memcpy(base, name, n);
	base[n] = '\0';
	return true;
}

static bool save_picture(const struct cairn_map_file *map, const char *path, struct cairn_error *err)
{
	char head[128];
	int n = snprintf(head, sizeof(head), "P5\n# CREATOR: cairn %.3f m/pix\n%u %u\n255\n", map->cell_m,
	    map->width, map->height);
	size_t bytes = (size_t)n + (size_t)map->width * map->height;
	unsigned char *data = malloc(bytes);
	if (data == NULL) {
		cairn_error_set(err, "%s: no memory to write it", path);
		return false;
	}
	memcpy(data, head, (size_t)n);
	unsigned char *out = data + n;
	for (uint32_t row = 0; row < map->height; row++) {
		const uint8_t *cells = map->cells + (size_t)(map->height - 1 - row) * map->width;
		for (uint32_t x = 0; x < map->width; x++)
			*out++ = cells[x] > 100          ? PIXEL_UNKNOWN
				 : cells[x] >= OCCUPIED  ? PIXEL_OCCUPIED
				 : cells[x] < FREE_BELOW ? PIXEL_FREE
							 : PIXEL_UNKNOWN;
	}
	bool ok = cairn_file_replace(path, 0, 0644, data, bytes, err);
	free(data);
	return ok;
}

bool cairn_map_file_save(const struct cairn_map_file *map, const char *name, struct cairn_error *err)
{
	char base[PATH_MAX_BYTES - 8], path[PATH_MAX_BYTES], yaml[PATH_MAX_BYTES + 512];
	if (map->width == 0 || map->height == 0) {
		cairn_error_set(err, "%s: there is no map to save", name);
		return false;
	}
	if (!split_name(name, base, sizeof(base), err))
		return false;
	snprintf(path, sizeof(path), "%s.pgm", base);
	if (!save_picture(map, path, err))
		return false;
	const char *slash = strrchr(base, '/');
	int n = snprintf(yaml, sizeof(yaml),
	    "image: %s.pgm\nmode: trinary\nresolution: %.6f\norigin: [%.6f, %.6f, 0.000000]\nnegate: 0\n"
	    "occupied_thresh: %.2f\nfree_thresh: %.3f\n",
	    slash != NULL ? slash + 1 : base, map->cell_m, map->origin_x_m, map->origin_y_m, OCCUPIED_THRESH,
	    FREE_THRESH);
	snprintf(path, sizeof(path), "%s.yaml", base);
	return cairn_file_replace(path, 0, 0644, yaml, (size_t)n, err);
}

/* ---- reading ---- */

/* What the YAML file says beside the picture's name. */
struct thresholds {
	double occupied, free;
	bool negate;
};

static bool take_negate(struct cairn_yaml_reader *r, struct cairn_yaml_node *root)
{
	const char *text = cairn_yaml_text(r, root, "negate", 8, true);
	bool value = text != NULL && text[0] == '1';
	if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0 &&
	    !cairn_text_flag(text, &value))
		(void)cairn_yaml_fail(r, root, "negate: not 0 or 1");
	return value;
}

/* Keys that are not known are passed over: other programs write more of them. */
static bool take_values(struct cairn_yaml_reader *r, struct cairn_yaml_node *root, struct cairn_map_file *map,
    struct thresholds *ret)
{
	double origin[3] = {0.0, 0.0, 0.0};
	const char *mode = cairn_yaml_text(r, root, "mode", 16, false);
	struct cairn_yaml_node *place = cairn_yaml_list(r, root, "origin", 3, 3, true);
	map->cell_m = cairn_yaml_real(r, root, "resolution", CELL_MIN_M, CELL_MAX_M, NAN);
	ret->occupied = cairn_yaml_real(r, root, "occupied_thresh", 0.0, 1.0, NAN);
	ret->free = cairn_yaml_real(r, root, "free_thresh", 0.0, 1.0, NAN);
	ret->negate = take_negate(r, root);
	if (place != NULL && cairn_yaml_numbers(r, place, origin, 3, -1e5, 1e5) && fabs(origin[2]) > 1e-6)
		(void)cairn_yaml_fail(r, place, "a map that is turned cannot be read");
	map->origin_x_m = origin[0];
	map->origin_y_m = origin[1];
	if (mode != NULL && strcmp(mode, "trinary") != 0)
		(void)cairn_yaml_fail(r, root, "mode: only trinary can be read");
	return ret->free < ret->occupied ||
	       cairn_yaml_fail(r, root, "free_thresh: not below occupied_thresh");
}

/* The next number of a header; comments run from # to the end of the line. -1 when there is none. */
static long header_number(const char *data, size_t bytes, size_t *at)
{
	while (*at < bytes && (data[*at] == '#' || strchr(" \t\r\n", data[*at]) != NULL)) {
		if (data[*at] == '\0')
			return -1;
		if (data[*at] == '#')
			while (*at < bytes && data[*at] != '\n')
				(*at)++;
		else
			(*at)++;
	}
	long value = -1;
	for (; *at < bytes && data[*at] >= '0' && data[*at] <= '9' && value < 1000000; (*at)++)
		value = (value < 0 ? 0 : value) * 10 + (data[*at] - '0');
	return value;
}

static bool read_picture(
    struct cairn_map_file *map, const struct thresholds *t, const char *path, struct cairn_error *err)
{
	const size_t most = (size_t)CAIRN_MAP_FILE_SIDE_MAX * CAIRN_MAP_FILE_SIDE_MAX;
	size_t bytes = 0, at = 2;
	char *data = cairn_file_read(path, 0, most + 4096, &bytes, err);
	if (data == NULL)
		return false;
	long w = -1, h = -1, top = -1;
	if (bytes > 2 && data[0] == 'P' && data[1] == '5') {
		w = header_number(data, bytes, &at);
		h = header_number(data, bytes, &at);
		top = header_number(data, bytes, &at);
		at++;
	}
	uint8_t *cells = NULL;
	if (w < 1 || h < 1 || top != 255 || w > CAIRN_MAP_FILE_SIDE_MAX || h > CAIRN_MAP_FILE_SIDE_MAX)
		cairn_error_set(err, "%s: not a binary PGM of maxval 255 with at most %d pixels a side", path,
		    CAIRN_MAP_FILE_SIDE_MAX);
	else if (at > bytes || bytes - at != (size_t)w * (size_t)h)
		cairn_error_set(err, "%s: has %zu bytes of pixels, %ld x %ld need %zu", path,
		    at > bytes ? 0 : bytes - at, w, h, (size_t)w * (size_t)h);
	else if ((cells = malloc((size_t)w * (size_t)h)) == NULL)
		cairn_error_set(err, "%s: no memory for it", path);
	for (long row = 0; cells != NULL && row < h; row++) {
		const unsigned char *in = (const unsigned char *)data + at + (size_t)row * (size_t)w;
		uint8_t *out = cells + (size_t)(h - 1 - row) * (size_t)w;
		for (long x = 0; x < w; x++) {
			double p = (t->negate ? in[x] : 255 - in[x]) / 255.0;
			out[x] = p > t->occupied ? 100 : p < t->free ? 0 : 255;
		}
	}
	free(data);
	map->cells = cells;
	map->width = (uint32_t)w;
	map->height = (uint32_t)h;
	return cells != NULL;
}

/* The picture's path: as it stands when absolute, else beside the YAML file. */
static bool picture_path(const char *yaml_path, const char *image, char *path, size_t bytes)
{
	const char *slash = strrchr(yaml_path, '/');
	int folder = image[0] != '/' && slash != NULL ? (int)(slash - yaml_path + 1) : 0;
	return snprintf(path, bytes, "%.*s%s", folder, yaml_path, image) < (int)bytes;
}

bool cairn_map_file_load(struct cairn_map_file *ret, const char *yaml_path, struct cairn_error *err)
{
	char path[PATH_MAX_BYTES];
	struct cairn_yaml_node *root = cairn_yaml_load(yaml_path, CAIRN_FILE_TEXT, YAML_BYTES_MAX, err);
	if (root == NULL)
		return false;
	struct cairn_yaml_reader r = {.file = yaml_path, .err = err};
	struct cairn_map_file map = {.cell_m = 0.0};
	struct thresholds thresholds;
	const char *image = cairn_yaml_text(&r, root, "image", PATH_MAX_BYTES / 2, true);
	bool ok = image != NULL && take_values(&r, root, &map, &thresholds);
	if (ok && !picture_path(yaml_path, image, path, sizeof(path)))
		ok = cairn_yaml_fail(&r, root, "image: the name is too long");
	ok = ok && !r.failed && read_picture(&map, &thresholds, path, err);
	cairn_yaml_destroy(&root);
	if (ok)
		*ret = map;
	return ok;
}
