/* doorway.h - passages of door width between walls, found in the map.
 *
 * Between two walls that come near to each other the distance to the nearest obstacle has a saddle: a place
 * whose nearest obstacles lie on two opposite sides, at the same distance (the two jambs; no obstacle lies in
 * the circle over them). Such a place is a doorway when
 *
 *   - the jambs are CAIRN_DOORWAY_MIN_M to _MAX_M apart,
 *   - both are walls: 0.4 m or more of occupied cells hang together there, so that chair legs make no doors,
 * and the wall goes on along the jambs' line, 0.2 m behind both or 0.4 m behind one (a door in a corner),
 *   - the way through opens within 0.55 m: measured along the jambs' line it gets at least 0.3 m wider, on
 * both sides, or on one with the other one unknown. So a corridor is none, and neither is a niche.
 *
 * Of the places of one passage the narrowest stand for it. Ids stay while the middle moves less than 0.5 m; a
 * door that closes and opens again is the same one. */
#ifndef CAIRN_COMMON_MAP_DOORWAY_H
#define CAIRN_COMMON_MAP_DOORWAY_H

#include "common/base/geom.h"
#include "common/map/wavefront.h"
#include "ipc/messages.h"

#define CAIRN_DOORWAY_MIN_M                                                                                  \
	0.55 /* of the known gap: walls in the map are up to a cell thicker than they are */
#define CAIRN_DOORWAY_MAX_M 1.21
#define CAIRN_DOORWAYS_MAX 128

struct cairn_doorway_known {
	uint32_t id;
	struct cairn_vec2 at;
	double yaw_rad;
};

/* What must survive a restart so that ids stay the same. */
struct cairn_doorway_memory {
	struct cairn_doorway_known items[2 * CAIRN_DOORWAYS_MAX];
	uint32_t count, next_id;
};

/* The map as classes: a window whose cell (0, 0) is map cell (cx0, cy0). */
struct cairn_doorway_view {
	const struct cairn_wavefront *wave; /* cell, driven and distances are read */
	int32_t cx0, cy0;
	double cell_m;
};

struct cairn_doorways;

struct cairn_doorways *cairn_doorways_new(void);
void cairn_doorways_destroy(struct cairn_doorways **doorways_p);

/* Finds the doorways, nearest first. Their number, of which at most max are written; -1 without memory. */
int cairn_doorways_find(struct cairn_doorways *doorways, struct cairn_doorway_memory *memory,
    const struct cairn_doorway_view *view, struct cairn_pose2 pose, struct cairn_msg_doorway *ret,
    uint32_t max);

#endif
