/* view_memory.h - views that the robot remembers: descriptors with the place that they were seen from, at most so many, kept in a file.
 *
 * A view that is like a remembered one refreshes that; another one is added. Where there is no room, the one that was last seen
 * longest ago makes it. Rooms that were entered are remembered beside them, by a hash of their id. Pure but for the file: times
 * are seconds of any clock that does not fall; what comes from a file is older than anything since. */
#ifndef CAIRN_COMMON_LOCAL_VIEW_MEMORY_H
#define CAIRN_COMMON_LOCAL_VIEW_MEMORY_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/local/view_descriptor.h"

#define CAIRN_VIEW_MEMORY_FILE_NAME "local_views.txt" /* in RUN/state */
#define CAIRN_VIEW_MEMORY_FILE_BYTES_MAX (4u << 20)
#define CAIRN_VIEW_MEMORY_VIEWS_MAX 4096
#define CAIRN_VIEW_MEMORY_ROOMS 128
#define CAIRN_VIEW_MEMORY_OLD (-1e9) /* time of what came from a file */

struct cairn_remembered_view {
	struct cairn_view_descriptor looks;
	struct cairn_pose2 from; /* map frame */
	uint32_t seen;           /* times */
	double first_s, last_s;
};

struct cairn_view_memory {
	struct cairn_remembered_view *views; /* owned */
	uint32_t count, cap;
	struct {
		uint64_t id;
		double first_s, last_s;
	} rooms[CAIRN_VIEW_MEMORY_ROOMS];
	uint32_t room_count;
	uint64_t forgotten; /* views that made room */
	uint64_t version;   /* rises with each change that is worth saving */
};

/* cap: 1 to CAIRN_VIEW_MEMORY_VIEWS_MAX. False: no memory. */
bool cairn_view_memory_init(struct cairn_view_memory *memory, uint32_t cap);
void cairn_view_memory_free(struct cairn_view_memory *memory);

struct cairn_view_match {
	double similarity;                        /* 0: there is none */
	const struct cairn_remembered_view *view; /* NULL: there is none; valid until the memory changes */
};

/* The most alike view of those first seen before before_s. */
struct cairn_view_match cairn_view_memory_find(
    const struct cairn_view_memory *memory, const struct cairn_view_descriptor *looks, double before_s);

/* Takes what is seen now: refreshes a view more alike than known_similarity, else adds it. True: added. */
bool cairn_view_memory_add(struct cairn_view_memory *memory, const struct cairn_view_descriptor *looks,
    struct cairn_pose2 from, double known_similarity, double now_s);

/* The robot is in the room of this hash (not 0): when it was entered first. A room that is new is entered now; the one that was left
 * longest ago makes room for it. */
double cairn_view_memory_in_room(struct cairn_view_memory *memory, uint64_t room, double now_s);

/* One line each: "cairn-local-views 1", "room ID", "view X Y YAW SEEN HEX", and last "sum HASH" over all before it. */
void cairn_view_memory_write(const struct cairn_view_memory *memory, struct cairn_text *out);
/* Takes up such a text, the newest views where there is not room for all. False with the line and the reason; unchanged then. */
bool cairn_view_memory_read(
    struct cairn_view_memory *memory, const char *text, size_t count, struct cairn_error *err);

#endif
