/* prompt_path.c - the answer to check_path_clear. */
#include <math.h>
#include <stdio.h>

#include "common/base/bearing_name.h"
#include "common/vlm/prompt.h"

#define ROOMY_M 1.0   /* more is not measured (path_clearance.h) */
#define NARROW_M 0.15 /* less beside the body is driven slowly */
#define WORTH_M 0.3   /* a shorter way is none */

/* The direction that is driven farthest; NULL: none is worth it. */
static const struct cairn_msg_path_clear *best_of(const struct cairn_msg_paths_clear *paths)
{
	const struct cairn_msg_path_clear *best = NULL;
	for (uint32_t i = 0; i < paths->items_count; i++) {
		const struct cairn_msg_path_clear *p = &paths->items[i];
		if (p->drive_m >= WORTH_M && (best == NULL || p->drive_m > best->drive_m))
			best = p;
	}
	return best;
}

static int add_room(char *dst, size_t cap, const char *side, double m)
{
	return m >= ROOMY_M ? snprintf(dst, cap, "1 m or more %s", side)
			    : snprintf(dst, cap, "%.2f m %s", m, side);
}

static void recommend(char *dst, size_t cap, const struct cairn_tool_call *call,
    const struct cairn_msg_path_clear *way, const struct cairn_msg_paths_clear *paths)
{
	const struct cairn_msg_path_clear *best = best_of(paths);
	bool narrow = fmin(way->left_m, way->right_m) < NARROW_M;
	if (way->drive_m >= call->distance_m || way->obstacle == CAIRN_PATH_OBSTACLE_NONE)
		snprintf(dst, cap, "drive%s", narrow ? " slowly, it is narrow" : "");
	else if (way->drive_m >= WORTH_M)
		snprintf(dst, cap, "at most %.1f m this way", way->drive_m);
	else if (best == NULL)
		snprintf(dst, cap, "no direction is clear: rotate, or navigate_to_goal retrace");
	else
		snprintf(dst, cap, "%s, which can be driven for %.1f m",
		    cairn_enum_text(&cairn_enum_direction, (int)best->direction), best->drive_m);
}

/* "clear for 1.0 m; free 2.13 m, then low box ahead, remembered" */
static void describe_way(char *dst, size_t cap, double distance_m, const struct cairn_msg_path_clear *way)
{
	static const char so_far[] = ", as far as this is judged";
	bool open = way->obstacle == CAIRN_PATH_OBSTACLE_NONE, clear = way->drive_m >= distance_m;
	if (open && !clear) {
		snprintf(dst, cap, "clear for %.2f m%s", way->drive_m, so_far);
		return;
	}
	int n = snprintf(dst, cap, "%s for %.1f m; free %.2f m%s", clear ? "clear" : "NOT clear", distance_m,
	    way->free_m, open ? so_far : ", then ");
	if (!open)
		snprintf(dst + n, cap - (size_t)n, "%s%s%s%s",
		    cairn_enum_text(&cairn_enum_path_obstacle, (int)way->obstacle),
		    way->obstacle_m >= 0.0 ? " " : "",
		    way->obstacle_m >= 0.0 ? cairn_bearing_name(way->bearing_rad) : "",
		    way->remembered ? ", remembered" : "");
}

void cairn_prompt_path_clear(
    char *dst, size_t cap, const struct cairn_tool_call *call, const struct cairn_msg_paths_clear *paths)
{
	const struct cairn_msg_path_clear *way = &paths->items[call->direction];
	const char *word = cairn_enum_text(&cairn_enum_direction, call->direction);
	char ends[160], room[120], advice[120];
	describe_way(ends, sizeof(ends), call->distance_m, way);
	int n = add_room(room, sizeof(room), "left", way->left_m);
	n += snprintf(room + n, sizeof(room) - (size_t)n, ", ");
	n += add_room(room + n, sizeof(room) - (size_t)n, "right", way->right_m);
	if (way->narrow_at_m >= 0.0)
		snprintf(room + n, sizeof(room) - (size_t)n, ", narrowest %.1f m on", way->narrow_at_m);
	recommend(advice, sizeof(advice), call, way, paths);
	snprintf(
	    dst, cap, "%s now: %s; room beside the body: %s. Recommended: %s.", word, ends, room, advice);
}

void cairn_prompt_path_answer(char *dst, size_t cap, const struct cairn_tool_call *call,
    const float sector_m[12], const float feasibility[6])
{
	/* Sectors (30 degrees each, clockwise from the front) that the first metre of each direction sweeps.
	 */
	static const int swept[CAIRN_DIRECTION_COUNT][3] = {[CAIRN_DIRECTION_FORWARD] = {0, 0, 0},
	    [CAIRN_DIRECTION_FORWARD_LEFT] = {0, 11, 10},
	    [CAIRN_DIRECTION_FORWARD_RIGHT] = {0, 1, 2},
	    [CAIRN_DIRECTION_LEFT] = {11, 10, 9},
	    [CAIRN_DIRECTION_RIGHT] = {1, 2, 3},
	    [CAIRN_DIRECTION_BACKWARD] = {6, 6, 6}};
	const char *word = cairn_enum_text(&cairn_enum_direction, call->direction);
	double free_m = INFINITY;
	bool unknown = false;
	for (int i = 0; i < 3; i++) {
		double d = (double)sector_m[swept[call->direction][i]];
		if (isfinite(d) && d > 0.0)
			free_m = fmin(free_m, d);
		else
			unknown = true;
	}
	double f = (double)feasibility[call->direction];
	if (isinf(free_m))
		snprintf(dst, cap,
		    "%s, by the snapshot: unknown, the LiDAR has no return there; feasibility %.2f", word, f);
	else
		snprintf(dst, cap,
		    "%s, by the snapshot: %s for %.1f m, the nearest return is at %.2f m%s; feasibility %.2f",
		    word, free_m > call->distance_m ? "clear" : "NOT clear", call->distance_m, free_m,
		    unknown ? " (part of it unknown)" : "", f);
}
