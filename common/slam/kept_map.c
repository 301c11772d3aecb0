#include "common/slam/kept_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_MAX_M 6.0
#define TURN_MAX_RADPS 0.15 /* the points of a turn are taken as if the robot had stood */
#define STEP_MAX_S 0.5      /* between two scans whose turn is known */
#define NEAR_M 0.12         /* pose and cells may be off by as much */
#define MARGIN_M 0.25       /* at both ends of a ray nothing is said to be passed */
#define HITS_NEW 6          /* a person who walks by is not new furniture */
#define PASSES_GONE 10
#define OCCUPIED 65
#define FREE 35
#define RAYS_STRIDE 4

enum { SEEN_AGAIN = 1, GONE = 2, NEW = 4 };

struct cairn_kept_map {
	struct cairn_vec2 lidar;
	struct cairn_cell_box box;
	double cell_m;
	int width, height, near; /* cells */
	uint8_t *cells, *flags, *hits, *passes;
	uint32_t again, gone, fresh;
	uint64_t loops;
	bool over; /* a loop was closed */
	bool good; /* the pose has been */
	int64_t t_first_ns, t_last_ns;
	struct cairn_pose2 last;
};

struct cairn_kept_map *cairn_kept_map_new(const struct cairn_mapper *mapper, const struct cairn_config *cfg)
{
	const struct cairn_grid *grid = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	struct cairn_kept_map *k = cairn_cell_box_empty(box) ? NULL : calloc(1, sizeof(*k));
	if (k == NULL)
		return NULL;
	k->lidar = (struct cairn_vec2){cfg->robot.lidar_x_m, cfg->robot.lidar_y_m};
	k->box = box;
	k->cell_m = grid->cell_m;
	k->width = box.max_cx - box.min_cx + 1;
	k->height = box.max_cy - box.min_cy + 1;
	k->near = (int)ceil(NEAR_M / grid->cell_m);
	k->loops = cairn_mapper_counts(mapper).loops;
	size_t count = (size_t)k->width * (size_t)k->height;
	k->cells = malloc(count);
	k->flags = calloc(3, count);
	if (k->cells == NULL || k->flags == NULL) {
		cairn_kept_map_destroy(&k);
		return NULL;
	}
	k->hits = k->flags + count;
	k->passes = k->hits + count;
	cairn_grid_bytes(grid, box, k->cells);
	return k;
}

void cairn_kept_map_destroy(struct cairn_kept_map **kept_p)
{
	if (*kept_p != NULL) {
		free((*kept_p)->cells);
		free((*kept_p)->flags);
	}
	free(*kept_p);
	*kept_p = NULL;
}

/* Index of the cell, -1 outside. */
static long cell_at(const struct cairn_kept_map *k, double x_m, double y_m, int *ret_x, int *ret_y)
{
	*ret_x = (int)floor(x_m / k->cell_m) - k->box.min_cx;
	*ret_y = (int)floor(y_m / k->cell_m) - k->box.min_cy;
	bool inside = *ret_x >= 0 && *ret_y >= 0 && *ret_x < k->width && *ret_y < k->height;
	return inside ? (long)*ret_y * k->width + *ret_x : -1;
}

static void see_again(struct cairn_kept_map *k, long i)
{
	if ((k->flags[i] & SEEN_AGAIN) != 0)
		return;
	k->gone -= (k->flags[i] & GONE) != 0;
	k->flags[i] = SEEN_AGAIN;
	k->again++;
}

/* A return: what stands there was there, or is new where all round was free. */
static void take_hit(struct cairn_kept_map *k, double x_m, double y_m)
{
	int cx, cy;
	long at = cell_at(k, x_m, y_m, &cx, &cy);
	bool all_free = at >= 0, any = false;
	for (int y = cy - k->near; at >= 0 && y <= cy + k->near; y++) {
		for (int x = cx - k->near; x <= cx + k->near; x++) {
			bool inside = x >= 0 && y >= 0 && x < k->width && y < k->height;
			long i = inside ? (long)y * k->width + x : -1;
			uint8_t cell = inside ? k->cells[i] : 255;
			all_free &= cell <= FREE;
			if (cell > 100 || cell < OCCUPIED)
				continue;
			any = true;
			see_again(k, i);
		}
	}
	if (any || !all_free || (k->flags[at] & NEW) != 0 || ++k->hits[at] < HITS_NEW)
		return;
	k->flags[at] |= NEW;
	k->fresh++;
}

/* What the ray has passed through on its way stands there no more. */
static void take_way(struct cairn_kept_map *k, struct cairn_vec2 eye, double angle_rad, double range_m)
{
	double c = cos(angle_rad), s = sin(angle_rad);
	for (double r = MARGIN_M; r < range_m - MARGIN_M; r += k->cell_m) {
		int cx, cy;
		long i = cell_at(k, eye.x_m + r * c, eye.y_m + r * s, &cx, &cy);
		if (i < 0 || k->cells[i] > 100 || k->cells[i] < OCCUPIED || k->flags[i] != 0)
			continue;
		if (++k->passes[i] < PASSES_GONE)
			continue;
		k->flags[i] = GONE;
		k->gone++;
	}
}

/* A good pose, and hardly a turn since the scan before. */
static bool is_steady(struct cairn_kept_map *k, const struct cairn_msg_pose *pose, int64_t t_ns)
{
	struct cairn_pose2 at = {pose->x_m, pose->y_m, pose->yaw_rad};
	double dt_s = ((double)t_ns - (double)k->t_last_ns) * 1e-9;
	double turned_rad = fabs(cairn_wrap_rad(at.yaw_rad - k->last.yaw_rad));
	bool steady =
	    k->t_last_ns != 0 && dt_s > 0.0 && dt_s < STEP_MAX_S && turned_rad < TURN_MAX_RADPS * dt_s;
	k->t_last_ns = t_ns;
	k->last = at;
	return steady && pose->tracking == CAIRN_TRACKING_GOOD;
}

void cairn_kept_map_scan(struct cairn_kept_map *k, const struct cairn_mapper *mapper,
    const struct cairn_msg_scan *scan, int64_t t_ns)
{
	struct cairn_msg_pose pose;
	cairn_mapper_pose(mapper, &pose);
	k->over |= cairn_mapper_counts(mapper).loops != k->loops;
	k->good |= pose.tracking == CAIRN_TRACKING_GOOD;
	k->t_first_ns = k->t_first_ns == 0 ? t_ns : k->t_first_ns;
	if (!is_steady(k, &pose, t_ns) || k->over)
		return;
	struct cairn_vec2 eye = cairn_pose_apply(k->last, k->lidar);
	for (uint32_t i = 0; i < scan->range_m_count && i < scan->angle_rad_count; i += RAYS_STRIDE) {
		double range_m = (double)scan->range_m[i],
		       angle = k->last.yaw_rad + (double)scan->angle_rad[i];
		if (!(range_m >= (double)scan->range_min_m && range_m <= RANGE_MAX_M) || !isfinite(angle))
			continue;
		take_way(k, eye, angle, range_m);
		take_hit(k, eye.x_m + range_m * cos(angle), eye.y_m + range_m * sin(angle));
	}
}

enum cairn_kept_map_state cairn_kept_map_judge(const struct cairn_kept_map *k, double *ret_share)
{
	uint32_t all = k != NULL ? k->again + k->gone + k->fresh : 0;
	double share = all > 0 ? (double)(k->gone + k->fresh) / all : 0.0;
	if (ret_share != NULL)
		*ret_share = share;
	if (k == NULL)
		return CAIRN_KEPT_MAP_STATE_NONE;
	if (!k->good && ((double)k->t_last_ns - (double)k->t_first_ns) * 1e-9 > CAIRN_KEPT_LOST_S)
		return CAIRN_KEPT_MAP_STATE_LOST;
	if (all < CAIRN_KEPT_CELLS)
		return CAIRN_KEPT_MAP_STATE_UNSURE;
	return share > CAIRN_KEPT_DIFFERS ? CAIRN_KEPT_MAP_STATE_DIFFERS : CAIRN_KEPT_MAP_STATE_FITS;
}
