#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/file.h"
#include "common/sim/world/build.h"
#include "common/sim/world/floorplan.h"

#define FILE_LIMIT_BYTES (64u << 20)
#define WALL_HEIGHT_M 2.5

static bool number(const json_t *v, double *ret)
{
	if (!json_is_number(v))
		return false;
	*ret = json_number_value(v);
	return isfinite(*ret) && fabs(*ret) <= 1000.0;
}

static bool read_verts(
    struct cairn_houseexpo *h, const json_t *verts, const char *path, struct cairn_error *err)
{
	size_t n = json_array_size(verts);
	if (!json_is_array(verts) || n < 3) {
		cairn_error_set(err, "%s: verts: an array of at least 3 [x, y] is needed", path);
		return false;
	}
	h->verts = calloc(n, sizeof(*h->verts));
	for (size_t i = 0; h->verts != NULL && i < n; i++) {
		const json_t *v = json_array_get(verts, i);
		if (json_array_size(v) != 2 || !number(json_array_get(v, 0), &h->verts[i].x_m) ||
		    !number(json_array_get(v, 1), &h->verts[i].y_m)) {
			cairn_error_set(err, "%s: verts[%zu]: not [x, y] in metres", path, i);
			return false;
		}
	}
	h->vert_count = n;
	return h->verts != NULL;
}

static bool read_boxes(
    struct cairn_houseexpo *h, json_t *categories, const char *path, struct cairn_error *err)
{
	const char *label;
	json_t *list;
	size_t total = 0;
	json_object_foreach(categories, label, list) total += json_array_size(list);
	h->boxes = calloc(total + 1, sizeof(*h->boxes));
	if (h->boxes == NULL)
		return false;
	json_object_foreach(categories, label, list)
	{
		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *v = json_array_get(list, i);
			struct cairn_houseexpo_box *b = &h->boxes[h->box_count];
			double *to[4] = {&b->x_min_m, &b->y_min_m, &b->x_max_m, &b->y_max_m};
			for (size_t k = 0; k < 4; k++)
				if (json_array_size(v) != 4 || !number(json_array_get(v, k), to[k])) {
					cairn_error_set(err,
					    "%s: room_category.%s[%zu]: not [xmin, ymin, xmax, ymax]", path,
					    label, i);
					return false;
				}
			snprintf(b->label, sizeof(b->label), "%s", label);
			h->box_count++;
		}
	}
	return true;
}

bool cairn_houseexpo_read(struct cairn_houseexpo *house, const char *path, struct cairn_error *err)
{
	*house = (struct cairn_houseexpo){.room_num = 0};
	size_t bytes;
	char *text = cairn_file_read(path, CAIRN_FILE_GZIP, FILE_LIMIT_BYTES, &bytes, err);
	if (text == NULL)
		return false;
	json_error_t why;
	json_t *root = json_loadb(text, bytes, 0, &why);
	free(text);
	if (root == NULL) {
		cairn_error_set(err, "%s: line %d: %s", path, why.line, why.text);
		return false;
	}
	const char *id = json_string_value(json_object_get(root, "id"));
	snprintf(house->id, sizeof(house->id), "%s", id != NULL ? id : "floor plan");
	house->room_num = (int)json_integer_value(json_object_get(root, "room_num"));
	cairn_error_set(err, "%s: out of memory", path);
	bool ok = read_verts(house, json_object_get(root, "verts"), path, err) &&
		  read_boxes(house, json_object_get(root, "room_category"), path, err);
	json_decref(root);
	return ok;
}

void cairn_houseexpo_finish(struct cairn_houseexpo *house)
{
	free(house->verts);
	free(house->boxes);
	*house = (struct cairn_houseexpo){.room_num = 0};
}

/* Floors and walls that tell rooms apart. */
static const struct look {
	const char *word;
	struct cairn_paint floor, wall;
} looks[] = {
    {"Bath", {190, 206, 212, CAIRN_TEXTURE_TILES}, {206, 222, 226, CAIRN_TEXTURE_PLASTER}},
    {"Toilet", {182, 198, 206, CAIRN_TEXTURE_TILES}, {214, 222, 220, CAIRN_TEXTURE_PLASTER}},
    {"Kitchen", {206, 196, 180, CAIRN_TEXTURE_TILES}, {232, 222, 184, CAIRN_TEXTURE_PLASTER}},
    {"Bed", {150, 138, 150, CAIRN_TEXTURE_CARPET}, {208, 210, 226, CAIRN_TEXTURE_PLASTER}},
    {"Living", {176, 138, 98, CAIRN_TEXTURE_PLANKS}, {226, 208, 186, CAIRN_TEXTURE_PLASTER}},
    {"Dining", {156, 112, 74, CAIRN_TEXTURE_PLANKS}, {222, 196, 176, CAIRN_TEXTURE_PLASTER}},
    {"Garage", {148, 148, 146, CAIRN_TEXTURE_STONE}, {196, 196, 192, CAIRN_TEXTURE_BRICK}},
    {"Office", {122, 128, 136, CAIRN_TEXTURE_CARPET}, {204, 214, 206, CAIRN_TEXTURE_PLASTER}},
};

static void add_room(struct cairn_builder *b, const struct cairn_houseexpo_box *box)
{
	struct cairn_vec2 c[4] = {{box->x_min_m, box->y_min_m}, {box->x_max_m, box->y_min_m},
	    {box->x_max_m, box->y_max_m}, {box->x_min_m, box->y_max_m}};
	char name[48];
	size_t n = 0;
	for (; box->label[n] != '\0' && n + 1 < sizeof(name); n++)
		name[n] = box->label[n] == '_' ? ' ' : n == 0 ? box->label[n] : (char)(box->label[n] | 0x20);
	name[n] = '\0';
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		if (strncmp(box->label, looks[i].word, strlen(looks[i].word)) == 0) {
			cairn_build_room(b, name, c, 4, &looks[i].floor, &looks[i].wall);
			return;
		}
	cairn_build_room(b, name, c, 4, NULL, NULL);
}

struct cairn_world *cairn_world_load_houseexpo(const char *path, struct cairn_error *err)
{
	struct cairn_houseexpo h;
	struct cairn_builder b;
	struct cairn_world *world = NULL;
	struct cairn_error why;
	if (cairn_houseexpo_read(&h, path, err) && cairn_build_init(&b, h.id, err)) {
		for (size_t i = 0; i < h.box_count; i++)
			add_room(&b, &h.boxes[i]);
		cairn_build_outline(
		    &b, h.verts, h.vert_count, true, 0.0, WALL_HEIGHT_M, CAIRN_PAINT(222, 218, 210, PLASTER));
		cairn_build_paint_by_room(&b, 0);
		world = cairn_build_finish(&b, &why);
		if (world == NULL)
			cairn_error_set(err, "%s: %s", path, why.text);
	}
	cairn_houseexpo_finish(&h);
	return world;
}

struct cairn_world *cairn_world_load(const char *path, struct cairn_error *err)
{
	gzFile f = cairn_file_gzip(path, err);
	char head[64] = "";
	if (f == NULL)
		return NULL;
	(void)gzread(f, head, sizeof(head) - 1); /* who reads the whole says what is wrong with it */
	(void)gzclose_r(f);
	if (strncmp(head, "P5", 2) == 0)
		return cairn_world_load_raster(path, err);
	if (head[strspn(head, " \t\r\n")] == '{')
		return cairn_world_load_houseexpo(path, err);
	return cairn_world_load_yaml(path, err);
}
