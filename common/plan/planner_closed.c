/* planner_closed.c - the ways in that were found to lead nowhere: they are not planned again for a while. */
#include <math.h>
#include <stdlib.h>

#include "common/plan/planner_private.h"

#define CLOSED_S 180.0
#define CLOSED_M 0.10
#define NEAR_M 0.30
#define CLOSING 3 /* points across the way */

size_t planner_closed_places(const struct cairn_planner *p, int64_t now_ns, struct cairn_vec2 *ret)
{
	size_t count = 0;
	for (int i = 0; i < PLANNER_CLOSED; i++)
		if (p->closed[i].until_ns > now_ns)
			ret[count++] = p->closed[i].at;
	return count;
}

static void closing_points(const struct cairn_planner *p, const struct cairn_pose2 *pose,
    const struct cairn_path *back, struct cairn_vec2 ret[CLOSING])
{
	double at_m = back->poses[1].reverse ? -p->body.rear_m - CLOSED_M : p->body.front_m + CLOSED_M;
	for (int i = 0; i < CLOSING; i++)
		ret[i] = cairn_pose_apply(*pose, (struct cairn_vec2){at_m, (i - 1) * p->body.half_width_m});
}

/* Is the cell floor of the map that the robot's middle may be on, and away from the points? */
static bool passable(const struct cairn_planner *p, int cell, const struct cairn_vec2 *closing, int count)
{
	const struct cairn_costmap *cm = &p->costmap;
	struct cairn_vec2 at = {cm->origin_x_m + (cell % cm->width + 0.5) * cm->cell_m,
	    cm->origin_y_m + (cell / cm->width + 0.5) * cm->cell_m};
	if ((cm->cells[cell] & (CAIRN_CELL_UNKNOWN | CAIRN_CELL_OBSTACLE)) != 0 ||
	    ((double)cm->map_dist[cell] - 0.5) * cm->cell_m < p->body.half_width_m)
		return false;
	for (int i = 0; i < count; i++)
		if (hypot(at.x_m - closing[i].x_m, at.y_m - closing[i].y_m) <= p->body.half_width_m)
			return false;
	return true;
}

/* Is there a way over known floor from one cell to near a place? seen: a zero for each cell; queue: room for all. */
static bool connected(const struct cairn_planner *p, int from, struct cairn_vec2 to, uint8_t *seen,
    int *queue, const struct cairn_vec2 *closing, int count)
{
	const struct cairn_costmap *cm = &p->costmap;
	const int step[4] = {1, -1, cm->width, -cm->width}, cells = cm->width * cm->height;
	int head = 0, tail = 0;
	queue[tail++] = from;
	seen[from] = 1;
	while (head < tail) {
		int cell = queue[head++], x = cell % cm->width;
		if (hypot(cm->origin_x_m + (x + 0.5) * cm->cell_m - to.x_m,
			cm->origin_y_m + (cell / cm->width + 0.5) * cm->cell_m - to.y_m) < NEAR_M)
			return true;
		for (int k = 0; k < 4; k++) {
			int next = cell + step[k];
			bool wraps = (k == 0 && x == cm->width - 1) || (k == 1 && x == 0);
			if (wraps || next < 0 || next >= cells || seen[next] ||
			    !passable(p, next, closing, count))
				continue;
			seen[next] = 1;
			queue[tail++] = next;
		}
	}
	return false;
}

bool planner_closing_cuts_off(
    const struct cairn_planner *p, const struct cairn_pose2 *pose, const struct cairn_path *back)
{
	const struct cairn_costmap *cm = &p->costmap;
	const struct cairn_path_pose *end = &back->poses[back->count - 1];
	struct cairn_vec2 start = {p->driven.at[0].x_m, p->driven.at[0].y_m}, closing[CLOSING];
	size_t cells = (size_t)cm->width * (size_t)cm->height;
	uint8_t *seen = calloc(cells, 2);
	int *queue = malloc(cells * sizeof(*queue)), from = cairn_costmap_index(cm, end->x_m, end->y_m);
	closing_points(p, pose, back, closing);
	bool cut = seen != NULL && queue != NULL && from >= 0 &&
		   !connected(p, from, start, seen, queue, closing, CLOSING) &&
		   connected(p, from, start, seen + cells, queue, NULL, 0);
	free(seen);
	free(queue);
	return cut;
}

void planner_close_way_in(
    struct cairn_planner *p, const struct cairn_pose2 *pose, const struct cairn_path *back, int64_t now_ns)
{
	struct cairn_vec2 closing[CLOSING];
	closing_points(p, pose, back, closing);
	for (int i = 0; i < CLOSING; i++)
		p->closed[p->closed_count++ % PLANNER_CLOSED] =
		    (struct planner_unseen){.at = closing[i], .until_ns = now_ns + (int64_t)(CLOSED_S * 1e9)};
}
