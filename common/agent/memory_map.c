#include "common/agent/memory_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map/picture.h"
#include "common/percept/jpeg.h"

#define WAY_MAX 1024
#define WAY_STEP_M 0.1
#define QUALITY 80
#define FREE_MAX 45 /* of a cell, in per cent occupied */
#define KNOWN_MAX 100

/* What a drawing is compared by. */
struct extent {
	double known_m2, looked_m2;
	uint32_t things, rooms;
};

struct cairn_memory_map {
	const struct cairn_config *cfg;
	uint8_t *cells; /* the newest map; where the camera has looked is marked as it is drawn */
	size_t cells_bytes;
	struct cairn_scene_grid grid; /* cells: NULL until there is a map */
	float way[2 * WAY_MAX];
	uint32_t way_count;
	double step_m; /* between its points; twice as much each time that it is full */
	struct cairn_pose2 robot;
	uint64_t map_id;
	struct extent drawn;
	bool is_new; /* a task has begun since the last drawing */
	uint32_t number;
	struct cairn_board *board;
	struct cairn_jpeg *writer;
	const uint8_t *jpeg;
	size_t jpeg_bytes;
	uint8_t rgb[3 * CAIRN_MEMORY_MAP_PX * CAIRN_MEMORY_MAP_PX];
};

struct cairn_memory_map *cairn_memory_map_new(const struct cairn_config *cfg, struct cairn_error *err)
{
	struct cairn_memory_map *m = calloc(1, sizeof(*m));
	if (m == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	m->cfg = cfg;
	m->board = cairn_board_new(CAIRN_MEMORY_MAP_PX, CAIRN_MEMORY_MAP_PX, err);
	m->writer = m->board != NULL ? cairn_jpeg_new(CAIRN_MEMORY_MAP_PX, CAIRN_MEMORY_MAP_PX, err) : NULL;
	if (m->writer == NULL)
		cairn_memory_map_destroy(&m);
	else
		cairn_memory_map_begin(m);
	return m;
}

void cairn_memory_map_destroy(struct cairn_memory_map **map_p)
{
	struct cairn_memory_map *m = *map_p;
	*map_p = NULL;
	if (m == NULL)
		return;
	if (m->board != NULL)
		cairn_board_destroy(&m->board);
	if (m->writer != NULL)
		cairn_jpeg_destroy(&m->writer);
	free(m->cells);
	free(m);
}

void cairn_memory_map_begin(struct cairn_memory_map *m)
{
	m->way_count = 0;
	m->step_m = WAY_STEP_M;
	m->is_new = true;
}

void cairn_memory_map_on_grid(struct cairn_memory_map *m, const struct cairn_scene_grid *grid)
{
	size_t bytes = (size_t)grid->width * grid->height;
	if (bytes > m->cells_bytes) {
		uint8_t *more = realloc(m->cells, bytes);
		if (more == NULL)
			return; /* the map of before stays */
		m->cells = more;
		m->cells_bytes = bytes;
	}
	memcpy(m->cells, grid->cells, bytes);
	m->grid = *grid;
	m->grid.cells = m->cells;
}

void cairn_memory_map_on_pose(struct cairn_memory_map *m, struct cairn_pose2 pose, uint64_t map_id)
{
	float *last = &m->way[2 * (m->way_count > 0 ? m->way_count - 1 : 0)];
	if (map_id != m->map_id) { /* what was driven there is not on this map */
		cairn_memory_map_begin(m);
		m->map_id = map_id;
	}
	m->robot = pose;
	if (m->way_count > 0 && hypot(pose.x_m - (double)last[0], pose.y_m - (double)last[1]) < m->step_m)
		return;
	if (m->way_count == WAY_MAX) {
		for (uint32_t i = 0; i < WAY_MAX / 2; i++)
			memcpy(&m->way[2 * i], &m->way[4 * i], 2 * sizeof(m->way[0]));
		m->way_count = WAY_MAX / 2;
		m->step_m *= 2.0;
	}
	m->way[2 * m->way_count] = (float)pose.x_m;
	m->way[2 * m->way_count + 1] = (float)pose.y_m;
	m->way_count++;
}

/* Marks the free floor that the camera has looked at, and takes the extent. */
static struct extent mark_looked(
    struct cairn_memory_map *m, const struct cairn_agent_world *w, const struct cairn_agent_ids *labels)
{
	const struct cairn_scene_grid *g = &m->grid;
	struct extent e = {.things = cairn_agent_labelled(w, labels), .rooms = cairn_agent_named_rooms(w)};
	uint64_t known = 0, looked = 0;
	for (uint32_t y = 0; y < g->height; y++)
		for (uint32_t x = 0; x < g->width; x++) {
			uint8_t *cell = &m->cells[(size_t)y * g->width + x];
			if (*cell == CAIRN_PICTURE_LOOKED)
				*cell = 0;
			known += *cell <= KNOWN_MAX;
			if (*cell > FREE_MAX || w->coverage == NULL ||
			    !cairn_coverage_is_seen(w->coverage, g->origin_x_m + (x + 0.5) * g->cell_m,
				g->origin_y_m + (y + 0.5) * g->cell_m))
				continue;
			*cell = CAIRN_PICTURE_LOOKED;
			looked++;
		}
	e.known_m2 = (double)known * g->cell_m * g->cell_m;
	e.looked_m2 = (double)looked * g->cell_m * g->cell_m;
	return e;
}

static bool has_changed(const struct cairn_memory_map *m, const struct extent *e)
{
	const struct extent *d = &m->drawn;
	return m->is_new || fabs(e->known_m2 - d->known_m2) >= m->cfg->agent.map_new_m2 ||
	       fabs(e->looked_m2 - d->looked_m2) >= m->cfg->agent.map_new_m2 || e->things != d->things ||
	       e->rooms != d->rooms;
}

static uint32_t latest(const struct cairn_memory_map *m)
{
	return m->is_new ? 0 : m->number;
}

uint32_t cairn_memory_map_draw(
    struct cairn_memory_map *m, const struct cairn_agent_world *w, const struct cairn_agent_ids *labels)
{
	const struct cairn_scene_grid *g = &m->grid;
	const struct cairn_config_robot *robot = &m->cfg->robot;
	const struct cairn_board_area whole = {0, 0, CAIRN_MEMORY_MAP_PX, CAIRN_MEMORY_MAP_PX};
	struct cairn_error err = {""};
	if (g->cells == NULL || !w->use_map)
		return latest(m);
	struct extent e = mark_looked(m, w, labels);
	if (!has_changed(m, &e))
		return latest(m);
	struct cairn_picture p = {.cells = g->cells,
	    .width = g->width,
	    .height = g->height,
	    .stride_bytes = g->width,
	    .cell_m = g->cell_m,
	    .origin_x_m = g->origin_x_m,
	    .origin_y_m = g->origin_y_m,
	    .have_robot = w->has_pose,
	    .robot = m->robot,
	    .robot_front_m = robot->footprint_front_m,
	    .robot_rear_m = robot->footprint_rear_m,
	    .robot_half_width_m = robot->footprint_half_width_m,
	    .have_start = true,
	    .driven = m->way,
	    .driven_points = m->way_count,
	    .nodes = w->use_scene ? w->scene.nodes : NULL,
	    .node_count = w->use_scene ? w->scene.nodes_count : 0};
	struct cairn_canvas canvas = {
	    m->rgb, CAIRN_MEMORY_MAP_PX, CAIRN_MEMORY_MAP_PX, 3 * CAIRN_MEMORY_MAP_PX};
	cairn_board_clear(m->board);
	if (!cairn_board_draw(m->board, &p, &whole, &err))
		return latest(m);
	cairn_board_rgb(m->board, m->rgb);
	size_t bytes;
	const uint8_t *jpeg = cairn_jpeg_encode(m->writer, &canvas, QUALITY, &bytes, &err);
	if (jpeg == NULL)
		return latest(m);
	m->jpeg = jpeg;
	m->jpeg_bytes = bytes;
	m->drawn = e;
	m->is_new = false;
	return ++m->number;
}

const uint8_t *cairn_memory_map_jpeg(
    const struct cairn_memory_map *m, uint32_t *ret_number, size_t *ret_bytes)
{
	*ret_number = latest(m);
	*ret_bytes = *ret_number != 0 ? m->jpeg_bytes : 0;
	return *ret_number != 0 ? m->jpeg : NULL;
}
