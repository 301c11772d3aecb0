/* bench_scene.c - what the scene graph costs: a picture of 20 things among 5,000, queries, a map divided into rooms. It
 * fails where a mark is missed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/percept/detect.h"
#include "common/scene/scene.h"
#include "procs/lab/bench.h"

#define OBJECTS 5000
#define SEEN 20
#define ROOM_M 4.0
#define ROOMS_SIDE 16 /* 256 rooms */
#define ROOM_CELLS 80
#define LABELS 40
#define GRID_SIDE 480 /* 36 rooms */
/* Marks. An update must leave a detector of a few pictures a second nearly all of its time, a query an agent's. */
#define UPDATE_MS_MOST 2.0
#define QUERY_MS_MOST 1.0

struct scene_work {
	struct cairn_config cfg;
	struct cairn_scene *scene;
	struct cairn_rng rng;
	struct cairn_msg_detections seen;
	uint8_t cells[GRID_SIDE * GRID_SIDE];
	uint32_t turn;
};

static void put(struct cairn_msg_detection *d, double x, double y, unsigned label)
{
	*d = (struct cairn_msg_detection){
	    .confidence = 0.9f, .x_m = x, .y_m = y, .z_m = 0.4, .box_m_count = 6, .px_count = 4};
	snprintf(d->label, sizeof(d->label), "thing %u", label);
	const float box[6] = {(float)x - 0.1f, (float)y - 0.1f, 0.2f, (float)x + 0.1f, (float)y + 0.1f, 0.6f};
	memcpy(d->box_m, box, sizeof(box));
}

/* The things of one room, from its middle. */
static void look_at(struct scene_work *w, uint32_t room)
{
	struct cairn_msg_detections *m = &w->seen;
	double x0 = room % ROOMS_SIDE * ROOM_M, y0 = (double)(room / ROOMS_SIDE) * ROOM_M;
	*m = (struct cairn_msg_detections){
	    .x_m = x0, .y_m = y0, .z_m = 0.16, .hfov_rad = 1.2, .vfov_rad = 0.95, .map_id = 1};
	m->nearest_m_count = CAIRN_DETECT_TILES;
	for (uint32_t i = 0; i < SEEN; i++)
		put(&m->items[m->items_count++], x0 + 0.7 * (i % 5) + 0.3 + 0.02 * cairn_rng_uniform(&w->rng),
		    y0 + 0.7 * (double)(i / 5) + 0.3 + 0.02 * cairn_rng_uniform(&w->rng),
		    (room * 7 + i) % LABELS);
}

static void update(void *ctx)
{
	struct scene_work *w = ctx;
	look_at(w, w->turn++ % (OBJECTS / SEEN));
	cairn_scene_see(w->scene, &w->seen, 1000.0 + w->turn);
}

static void recall(void *ctx)
{
	struct scene_work *w = ctx;
	struct cairn_scene_match m[8];
	struct cairn_scene_query q = {.text = "thing 7", .has_near = true, .near_at = {10.0, 10.0}};
	if (cairn_scene_recall(w->scene, &q, m, 8) == 0)
		abort();
}

/* What is on one kind of thing: every thing is looked at, and what carries it. */
static void recall_on(void *ctx)
{
	struct scene_work *w = ctx;
	struct cairn_scene_match m[8];
	struct cairn_scene_query q = {.text = "", .on = "thing 7"};
	(void)cairn_scene_recall(w->scene, &q, m, 8);
}

/* "thing 7" is a part of no other label, "thing" of all. */
static void recall_all(void *ctx)
{
	struct scene_work *w = ctx;
	struct cairn_scene_match m[8];
	struct cairn_scene_query q = {.text = "thing", .room = NULL};
	if (cairn_scene_recall(w->scene, &q, m, 8) != 8)
		abort();
}

static void divide(void *ctx)
{
	struct scene_work *w = ctx;
	struct cairn_scene_grid g = {w->cells, GRID_SIDE, GRID_SIDE, 0.0, 0.0, 0.05};
	if (!cairn_scene_on_grid(w->scene, &g, (struct cairn_pose2){1.0, 1.0, 0.0}, NULL))
		abort();
}

static void draw_rooms(struct scene_work *w)
{
	for (int y = 0; y < GRID_SIDE; y++)
		for (int x = 0; x < GRID_SIDE; x++) {
			int u = x % ROOM_CELLS, v = y % ROOM_CELLS;
			bool door = (u >= 30 && u < 46) || (v >= 30 && v < 46),
			     edge = x < 2 || y < 2 || x >= GRID_SIDE - 2 || y >= GRID_SIDE - 2;
			bool wall = (u < 2 || v < 2) && !(u < 2 && v < 2 ? false : door);
			w->cells[y * GRID_SIDE + x] = wall || edge ? 100 : 0;
		}
}

bool cairn_bench_scene(struct cairn_bench_out *out)
{
	static const struct {
		const char *name;
		void (*work)(void *ctx);
	} queries[] = {{"scene.recall.5000", recall}, {"scene.recall.all_of_5000", recall_all},
	    {"scene.recall.on.5000", recall_on}};
	struct scene_work *w = calloc(1, sizeof(*w));
	const struct cairn_scene_object *objects;
	const struct cairn_scene_room *rooms;
	if (w == NULL)
		return false;
	cairn_config_defaults(&w->cfg);
	w->scene = cairn_scene_new(&w->cfg);
	if (w->scene == NULL) {
		free(w);
		return false;
	}
	cairn_rng_seed(&w->rng, 1, 1);
	for (uint32_t i = 0; i < 3 * OBJECTS / SEEN; i++)
		update(w);
	cairn_bench_value(out, "scene.objects", cairn_scene_objects(w->scene, &objects), "things");
	bool met = cairn_bench_most(
	    out, "scene.update.20_of_5000", cairn_bench_time_ns(update, w) * 1e-6, "ms/op", UPDATE_MS_MOST);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		met = cairn_bench_most(out, queries[i].name, cairn_bench_time_ns(queries[i].work, w) * 1e-6,
			  "ms/op", QUERY_MS_MOST) &&
		      met;
	draw_rooms(w);
	cairn_bench_value(out, "scene.divide.576_m2", cairn_bench_time_ns(divide, w) * 1e-6, "ms/op");
	cairn_bench_value(out, "scene.rooms", cairn_scene_rooms(w->scene, &rooms), "rooms");
	cairn_scene_destroy(&w->scene);
	free(w);
	return met;
}
