/* picture.h - the map from above, as a PNG for people and for the model.
 *
 * Free floor is white (green where it is marked as looked at), walls black, the unknown grey. Everything else is laid over it from plain arguments:
 * the path driven (blue), a path planned (broken), doorways (bars between their jambs), frontiers (numbered
 * discs, brown where out of reach; a ring and the width where the gap that leads there is too narrow), candidates (numbered squares), rooms and things that were found (their names;
 * hazards red) or that the scene graph has, the goal (a ring), the start (red cross), the robot (green, with its heading), a scale. Marks that would cover each other are moved aside, with a line to their place.
 * North (the way the robot faced at the start) is up. */
#ifndef CAIRN_COMMON_MAP_PICTURE_H
#define CAIRN_COMMON_MAP_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "ipc/messages.h"

#define CAIRN_PICTURE_LOOKED 254 /* of a cell: free, and looked at by the camera; drawn green */

struct cairn_picture {
	/* The grid as in a map.grid frame: 0..100, 255 unknown; row 0 has the smallest y. Free floor that is marked as looked at is
	 * CAIRN_PICTURE_LOOKED. Borrowed. */
	const uint8_t *cells;
	uint32_t width, height, stride_bytes;
	double cell_m, origin_x_m, origin_y_m;

	bool have_robot;
	struct cairn_pose2 robot;
	double robot_front_m, robot_rear_m, robot_half_width_m; /* all 0: a dot of fair size */
	bool have_start;                                        /* marks 0 0 */

	const float *driven; /* x0 y0 x1 y1 ..., driven_points pairs; may be NULL */
	uint32_t driven_points;
	const struct cairn_msg_path_point *path; /* planned; may be NULL */
	uint32_t path_points;
	const struct cairn_msg_frontier *frontiers; /* may be NULL; numbered by id */
	uint32_t frontier_count;
	const struct cairn_msg_candidate *candidates; /* may be NULL; numbered squares */
	uint32_t candidate_count;
	const struct cairn_msg_doorway *doorways; /* may be NULL; bars between their jambs */
	uint32_t doorway_count;

	const struct cairn_msg_discovery *discoveries; /* may be NULL; their labels */
	uint32_t discovery_count;
	/* Of the scene graph; may be NULL. Rooms by name, things as boxes with the names that there is room for (map_names.h). A
	 * discovery that the graph has by the same name is not drawn again, except a hazard. */
	const struct cairn_msg_scene_node *nodes;
	uint32_t node_count;
	bool have_goal;
	struct cairn_vec2 goal; /* of the mission */

	const char *title; /* one line above the map; NULL for none */
	uint32_t size_px;  /* longest side of the picture; 0 = 900 */
};

/* A board for pictures of one size that are drawn again and again: what it needs is taken once. (Cairo takes
 * and gives back some memory of its own while it draws.) */
struct cairn_board;

struct cairn_board_area {
	int x_px, y_px, width_px, height_px;
};

/* NULL with the reason in err. */
struct cairn_board *cairn_board_new(int width_px, int height_px, struct cairn_error *err);
void cairn_board_destroy(struct cairn_board **board_p);
/* Blank paper. */
void cairn_board_clear(struct cairn_board *board);
/* The map, as large as the area allows and in its middle (size_px is not looked at). False with the reason in
 * err. */
bool cairn_board_draw(struct cairn_board *board, const struct cairn_picture *picture,
    const struct cairn_board_area *area, struct cairn_error *err);
/* As RGB of 8 bit, rows without gaps. */
void cairn_board_rgb(const struct cairn_board *board, uint8_t *rgb);

/* Writes a PNG. False with the reason in err. */
bool cairn_picture_write(const struct cairn_picture *picture, const char *path, struct cairn_error *err);

/* The PNG in memory, to be freed by the caller; NULL with the reason in err. */
unsigned char *cairn_picture_encode(
    const struct cairn_picture *picture, size_t *ret_bytes, struct cairn_error *err);

struct cairn_mapper;

/* What is laid over it; each may be NULL. */
struct cairn_picture_over {
	const struct cairn_msg_nav_path *planned;
	const struct cairn_msg_candidates *candidates;
	const struct cairn_msg_discoveries *discoveries;
	const struct cairn_msg_scene *scene;
	const struct cairn_vec2 *goal;
};

/* The picture of a mapper's own map, path driven, doorways, frontiers and robot. over and title may be NULL. */
bool cairn_picture_of_mapper(struct cairn_mapper *mapper, const struct cairn_picture_over *over,
    const char *title, const char *path, struct cairn_error *err);

/* The same without frontiers, longest side size_px: for maps of logs. */
bool cairn_picture_of_log(struct cairn_mapper *mapper, const char *title, uint32_t size_px, const char *path,
    struct cairn_error *err);

#endif
