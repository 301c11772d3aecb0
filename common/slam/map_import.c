#include "common/slam/map_import.h"

#include <stdlib.h>
#include <string.h>

#include "common/slam/mapper_private.h"

#define BEAMS 720
#define ROOM_M 0.15  /* around a place to look from */
#define STEP_M 0.5   /* places lie this far apart, */
#define PLACES 600.0 /* or farther, so that there are not many more than this */
#define STEP_S 10.0  /* from place to place: slow enough for any robot */
#define FREE_M2_MIN 0.5

struct seeding {
	const struct cairn_config *cfg;
	const struct cairn_map_file *map;
	struct cairn_pose2 start;
	struct cairn_mapper *mapper;
	struct cairn_wavefront wave; /* over the drawn map's cells, with a frame of one */
	int32_t stride;              /* cells between places */
	uint8_t *been;
	uint32_t *stack; /* of places on the way to here */
	uint32_t depth;
	struct cairn_msg_scan scan;
	int64_t t_ns;
};

static bool lay_out(struct seeding *s, struct cairn_error *err)
{
	const struct cairn_map_file *m = s->map;
	int32_t w = (int32_t)m->width + 2, h = (int32_t)m->height + 2;
	s->been = calloc((size_t)w * (size_t)h, 1);
	s->stack = malloc((size_t)w * (size_t)h * sizeof(*s->stack));
	if (s->been == NULL || s->stack == NULL || !cairn_wavefront_resize(&s->wave, w, h)) {
		cairn_error_set(err, "no memory to start from this map");
		return false;
	}
	memset(s->wave.cell, CAIRN_WAVEFRONT_UNKNOWN, (size_t)w * (size_t)h);
	for (uint32_t y = 0; y < m->height; y++)
		for (uint32_t x = 0; x < m->width; x++) {
			uint8_t cell = m->cells[(size_t)y * m->width + x];
			s->wave.cell[(size_t)(y + 1) * (size_t)w + x + 1] =
			    cell > 100   ? CAIRN_WAVEFRONT_UNKNOWN
			    : cell >= 65 ? CAIRN_WAVEFRONT_OCCUPIED
					 : CAIRN_WAVEFRONT_FREE;
		}
	return true;
}

/* Window cell of a place of the drawn map; false outside. */
static bool cell_of(const struct seeding *s, double x_m, double y_m, int32_t *x, int32_t *y)
{
	double u = (x_m - s->map->origin_x_m) / s->map->cell_m + 1.0,
	       v = (y_m - s->map->origin_y_m) / s->map->cell_m + 1.0;
	if (!(u >= 0.0 && v >= 0.0 && u < s->wave.width && v < s->wave.height))
		return false;
	*x = (int32_t)u;
	*y = (int32_t)v;
	return true;
}

/* What can be reached, and how far apart places may be for it. */
static bool spread(struct seeding *s, struct cairn_error *err)
{
	double cell_m = s->map->cell_m, room = ROOM_M / cell_m, cells = 0.0;
	int32_t x = 0, y = 0;
	if (!cell_of(s, s->start.x_m, s->start.y_m, &x, &y)) {
		cairn_error_set(err, "the start %.2f %.2f is not on the map", s->start.x_m, s->start.y_m);
		return false;
	}
	int bound = (int)ceil(room) + 1;
	cairn_wavefront_clearances(&s->wave, bound < 100 ? bound : 100);
	cairn_wavefront_spread(&s->wave, x, y, (int)fmax(room * room, 2.0), (int)(0.3 / cell_m));
	for (int32_t v = 0; v < s->wave.height; v++)
		for (int32_t u = 0; u < s->wave.width; u++)
			cells += cairn_wavefront_distance(&s->wave, u, v) != CAIRN_WAVEFRONT_NEVER;
	if (cells * cell_m * cell_m < FREE_M2_MIN) {
		cairn_error_set(
		    err, "the start %.2f %.2f is not on free floor of the map", s->start.x_m, s->start.y_m);
		return false;
	}
	double step_m = fmax(STEP_M, sqrt(cells * cell_m * cell_m / PLACES));
	s->stride = (int32_t)fmax(1.0, lrint(step_m / cell_m));
	s->stack[s->depth++] = (uint32_t)y * (uint32_t)s->wave.width + (uint32_t)x;
	return true;
}

/* Distance from a place of the drawn map to its first wall; 0 where none is within reach or the map ends. */
static double range_of(const struct seeding *s, double x_m, double y_m, double yaw_rad, double most_m)
{
	double c = cos(yaw_rad), sine = sin(yaw_rad), step_m = 0.2 * s->map->cell_m;
	for (double r = 0.0; r < most_m; r += step_m) {
		int32_t x, y;
		if (!cell_of(s, x_m + r * c, y_m + r * sine, &x, &y))
			return 0.0;
		uint8_t cell = s->wave.cell[(size_t)y * (size_t)s->wave.width + (size_t)x];
		if (cell == CAIRN_WAVEFRONT_OCCUPIED)
			return r +
			       0.4 *
				   s->map->cell_m; /* into the cell: its near side is blurred by the steps */
		if (cell == CAIRN_WAVEFRONT_UNKNOWN)
			return 0.0;
	}
	return 0.0;
}

/* Stands at local pose and looks around. */
static void look(struct seeding *s, struct cairn_pose2 local)
{
	const struct cairn_config_robot *robot = &s->cfg->robot;
	struct cairn_pose2 at = cairn_pose_compose(s->start, local);
	struct cairn_vec2 eye = cairn_pose_apply(at, (struct cairn_vec2){robot->lidar_x_m, robot->lidar_y_m});
	struct cairn_msg_odom odom = {.x_m = local.x_m, .y_m = local.y_m, .yaw_rad = local.yaw_rad};
	s->t_ns += (int64_t)(STEP_S * 1e9);
	(void)cairn_mapper_odom(s->mapper, &odom, s->t_ns, 1, NULL);
	s->scan.t_start_ns = s->t_ns;
	s->scan.range_min_m = (float)robot->lidar_range_min_m;
	s->scan.range_max_m = (float)robot->lidar_range_max_m;
	s->scan.angle_rad_count = s->scan.range_m_count = BEAMS;
	for (int i = 0; i < BEAMS; i++) {
		double angle = cairn_wrap_rad(2.0 * M_PI * i / BEAMS);
		s->scan.angle_rad[i] = (float)angle;
		s->scan.range_m[i] =
		    (float)range_of(s, eye.x_m, eye.y_m, at.yaw_rad + angle, robot->lidar_range_max_m);
	}
	(void)cairn_mapper_scan(s->mapper, &s->scan, s->t_ns);
}

static struct cairn_pose2 local_of(const struct seeding *s, uint32_t index)
{
	double x_m = (index % (uint32_t)s->wave.width - 0.5) * s->map->cell_m + s->map->origin_x_m;
	double y_m = (index / (uint32_t)s->wave.width - 0.5) * s->map->cell_m + s->map->origin_y_m;
	struct cairn_pose2 local =
	    cairn_pose_between(s->start, (struct cairn_pose2){x_m, y_m, s->start.yaw_rad});
	return (struct cairn_pose2){local.x_m, local.y_m, 0.0};
}

/* The next place beside this one that was not seen from yet, a straight way off; false when there is none. */
static bool next_place(const struct seeding *s, uint32_t from, uint32_t *ret)
{
	static const int8_t ways[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
	int32_t x = (int32_t)(from % (uint32_t)s->wave.width), y = (int32_t)(from / (uint32_t)s->wave.width);
	for (int k = 0; k < 4; k++) {
		bool clear = true;
		int32_t u = x, v = y;
		for (int32_t i = 0; i < s->stride && clear; i++) {
			u += ways[k][0];
			v += ways[k][1];
			clear = u > 0 && v > 0 && u < s->wave.width - 1 && v < s->wave.height - 1 &&
				cairn_wavefront_distance(&s->wave, u, v) != CAIRN_WAVEFRONT_NEVER;
		}
		*ret = (uint32_t)v * (uint32_t)s->wave.width + (uint32_t)u;
		if (clear && !s->been[*ret])
			return true;
	}
	return false;
}

/* Depth first, and back the same way, so that each step is short. */
static void walk(struct seeding *s)
{
	look(s, (struct cairn_pose2){0});
	s->been[s->stack[0]] = 1;
	while (s->depth > 0) {
		uint32_t next;
		if (next_place(s, s->stack[s->depth - 1], &next)) {
			s->stack[s->depth++] = next;
			s->been[next] = 1;
		} else if (--s->depth == 0) {
			break;
		}
		look(s, local_of(s, s->stack[s->depth - 1]));
	}
	look(s, (struct cairn_pose2){0});
	cairn_mapper_settle(s->mapper);
}

/* What was only thought: no way was driven, nothing visited, nothing counted. */
static void forget_the_walk(struct cairn_mapper *m)
{
	m->driven_count = 0;
	memset(m->grid.visits, 0, (size_t)m->grid.width * (size_t)m->grid.height * sizeof(*m->grid.visits));
	m->grid.visited_cells = 0;
	m->counts = (struct cairn_mapper_counts){0};
	m->track.distance_m = 0.0;
	m->fit_distance_m = 0.0;
	m->visit_pose = (struct cairn_pose2){0};
	memset(&m->memory, 0, sizeof(m->memory));
}

bool cairn_mapper_import_check(const struct cairn_config *cfg, const struct cairn_map_file *map,
    struct cairn_pose2 start, struct cairn_error *err)
{
	struct seeding s = {.cfg = cfg, .map = map, .start = start};
	bool ok = lay_out(&s, err) && spread(&s, err);
	cairn_wavefront_free(&s.wave);
	free(s.been);
	free(s.stack);
	return ok;
}

bool cairn_mapper_import(const struct cairn_config *cfg, const struct cairn_map_file *map,
    struct cairn_pose2 start, const char *path, struct cairn_error *err)
{
	struct seeding *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "no memory to start from this map");
		return false;
	}
	s->cfg = cfg;
	s->map = map;
	s->start = start;
	bool ok = lay_out(s, err) && spread(s, err);
	s->mapper = ok ? cairn_mapper_new(cfg) : NULL;
	if (ok && s->mapper == NULL)
		cairn_error_set(err, "no memory to start from this map");
	ok = s->mapper != NULL;
	if (ok) {
		walk(s);
		forget_the_walk(s->mapper);
		ok = cairn_mapper_save(s->mapper, path, err);
	}
	cairn_mapper_destroy(&s->mapper);
	cairn_wavefront_free(&s->wave);
	free(s->been);
	free(s->stack);
	free(s);
	return ok;
}
