/* hybrid_private.h - what the parts of the Hybrid A* share; nobody else includes this. */
#ifndef CAIRN_COMMON_PLAN_HYBRID_PRIVATE_H
#define CAIRN_COMMON_PLAN_HYBRID_PRIVATE_H

#include "common/plan/hybrid.h"
#include "common/plan/shot.h"
#include "common/plan/footprint_mask.h"

#define HYBRID_HEADINGS 72
#define HYBRID_ROLLED 10 /* arcs: straight, two gentle, two tight; forward, then backward */
#define HYBRID_ARCS 12   /* and turning in place to both sides, where the base can */
#define HYBRID_SPIN_BINS 3
#define HYBRID_NODES_LIMIT 4000000
#define HYBRID_SLOTS_MIN 1024u    /* a search begins with; a power of two */
#define HYBRID_FACTOR_LEAST 1.0f  /* of a pose: no place costs less than its length */
#define HYBRID_STEER_CHANGE 0.15f /* cells: of two equal paths the steadier one */
#define HYBRID_GREED 1.3f         /* weight of the heuristic: somewhat dearer paths, found much sooner */
#define HYBRID_HURRY_AFTER 5000   /* expansions without any path (one search in fifty): from then on */
#define HYBRID_HURRY 2.5f /* this weight of the heuristic, until there is one, which is seldom improved on */
#define HYBRID_PATIENCE 600 /* expansions in search of something better than what was found last */
#define HYBRID_MISS 4.0     /* cost of ending a cell away from the goal, cells */
/* What the field tells may be more than is left: by steps to neighbours it is up to 8.2 % longer than straight, and counted in
 * blocks it is good to a few of them. */
#define HYBRID_LEAST (1.0f / (1.0824f * 1.06f))
#define HYBRID_LEAST_CELLS 4.0f
#define HYBRID_WORTH_M 0.5 /* a partial path must bring this much (in cost-free metres) */

struct hybrid_node {
	double x_m, y_m;
	uint32_t key; /* cell * headings + heading */
	float g;
	int32_t parent;
	float escaping; /* clearance of a state that lacks room; NAN with enough room */
	uint8_t heading, arc;
	int8_t turn_bins;
	bool reverse, spin, closed;
};

/* Of the hash of the nodes; what decides about most arcs lies here, so that the node need not be fetched. */
struct hybrid_slot {
	uint32_t key;
	float g;      /* of the node; -INFINITY once it is closed: nothing is better */
	int32_t node; /* negative: free */
};

struct hybrid_entry {
	float f;
	int32_t node;
};

struct hybrid_arc {
	struct cairn_pose2 mid, end;       /* offset in the map frame, absolute yaw */
	double mid_c, mid_s, end_c, end_s; /* cosine and sine of their yaw */
	int heading, turn_bins;
	bool reverse, spin;
	float cost; /* on free ground, cells */
};

/* A pose with cosine and sine of its yaw. */
struct hybrid_step {
	struct cairn_pose2 pose;
	double c, s;
};

/* A heading, and the arcs from it, worked out when the first state that has it is looked at. */
struct hybrid_heading {
	bool made;
	double yaw_rad, c, s;
	double end_x_m[HYBRID_ARCS], end_y_m[HYBRID_ARCS]; /* of the arcs, side by side */
	struct hybrid_arc arcs[HYBRID_ARCS];
};

/* Where turning left on the tightest arc for way_m leads, seen from where it begins. */
struct hybrid_turned {
	double way_m, x_m, y_m;
};

/* How a pose is come to, which decides where room is needed besides. */
enum hybrid_way { HYBRID_FORWARD, HYBRID_BACKWARD, HYBRID_IN_PLACE, HYBRID_WAYS };

static inline enum hybrid_way hybrid_way_of(const struct hybrid_arc *arc)
{
	return arc->spin ? HYBRID_IN_PLACE : arc->reverse ? HYBRID_BACKWARD : HYBRID_FORWARD;
}

#define HYBRID_PLACES 4 /* along the axis of a pose: the origin itself, then the middles of three circles */

/* A footprint with its room as three circles: nothing nearer than clear2 to their centres means that it fits,
 * something nearer than blocked2 that it does not. Nothing nearer than body_clear2 to those of the bare
 * footprint means that it fits, too. */
struct hybrid_cover {
	struct cairn_rect rect;
	struct cairn_footprint_masks stamps;
	double x_m[HYBRID_PLACES];
	int32_t clear2, blocked2, body_clear2; /* squared cells */
};

#define HYBRID_NEAR 1024 /* squared cells: what nearer obstacles make a place cost is kept */

/* Room around the cells for a search that asks about it in all directions: squared distances are whole
 * numbers, so half as many bytes as distances take, and what one costs is found in a table. */
struct hybrid_room {
	uint16_t
	    *square; /* of each cell's distance to the nearest obstacle, cells; no more than 16 bits hold */
	size_t capacity;
	float near[HYBRID_NEAR];        /* what a place so far from it costs by this alone */
	struct cairn_costmap_rate rate; /* of which that is made */
};

/* What is found out about a pose without laying the footprint on the map. */
struct hybrid_look {
	int index;    /* of its cell; negative: not on the map */
	float factor; /* of its cost when the footprint fits; without the full room it is more */
	enum { HYBRID_FITS, HYBRID_PERHAPS, HYBRID_BLOCKED } room;
};

/* Which way the field leads, by the blocks that it has, and what it costs at least to turn there: the field itself
 * knows nothing of headings, and a search that has to turn the robot round first would look at all the floor around
 * it. */
struct hybrid_course {
	uint8_t *heading; /* bin of the way down the field from each block, or COURSE_... */
	size_t capacity;
	float turn[HYBRID_HEADINGS]; /* through so many bins, on free ground, cells */
};

struct cairn_hybrid {
	struct cairn_hybrid_params p;
	struct cairn_cost_field field, from_start;
	struct hybrid_course course;
	struct hybrid_room room;
	struct cairn_cell_bits obstacles, unseen;
	struct cairn_heading_mask ways;
	struct hybrid_node *nodes;
	struct hybrid_slot *slots; /* open-addressed; as many in use as the states need */
	uint32_t slots_max, slot_mask;
	struct hybrid_entry *heap;
	int heap_max;

	/* of cells of steps_cell_m: arcs seen from where they begin, and a whole turn by half arcs */
	double steps_cell_m, arc_m;
	int arc_bins;  /* turned by the tightest */
	int arc_count; /* HYBRID_ARCS, or HYBRID_ROLLED for a base that cannot turn in place */
	struct hybrid_step to_mid[HYBRID_ARCS], to_end[HYBRID_ARCS];
	struct hybrid_turned turned[HYBRID_HEADINGS + 2];

	/* one search */
	const struct cairn_costmap *cm;
	const struct cairn_hybrid_query *query;
	double goal_x_m, goal_y_m, tolerance_m, ease_m, field_radius_m;
	struct hybrid_cover cover[HYBRID_WAYS];
	struct cairn_footprint_masks behind; /* must have been seen on the way backward, */
	struct cairn_footprint_masks around; /* and where it turns in place */
	double body_x_m[HYBRID_PLACES];
	int32_t inscribed2, open2; /* squared cells */
	struct hybrid_heading headings[HYBRID_HEADINGS];
	float switch_cost, spin_cost;
	int node_count, heap_count, expansions, shots;
	float greed; /* weight of the heuristic, now */
	bool full;
	int improved_at; /* expansions at the last improvement of bound */
	float bound;     /* cost of the best complete path so far */
	int32_t best;
	struct cairn_shot best_shot;
	int32_t nearest; /* state with the least cost to go */
	float nearest_to_go;
};

/* Poses of the arcs that lead to node, then of the shot (NULL or no parts: none). */
void hybrid_trace(
    const struct cairn_hybrid *h, int32_t node, const struct cairn_shot *shot, struct cairn_path *path);

/* Tables of a search: the footprint's circles (false without memory), and what arcs look like. */
bool hybrid_make_covers(struct cairn_hybrid *h);
void hybrid_begin_arcs(struct cairn_hybrid *h);
void hybrid_make_heading(struct cairn_hybrid *h, int heading);
/* Cost of a state and of going on from it by an arc, which may be of another kind than the one that led to it. */
float hybrid_cost_before(
    const struct cairn_hybrid *h, const struct hybrid_node *n, const struct hybrid_arc *arc);
/* Before a state of that heading is looked at. */
static inline void hybrid_head(struct cairn_hybrid *h, int heading)
{
	if (!h->headings[heading].made)
		hybrid_make_heading(h, heading);
}

/* Takes a complete path that costs less than the best so far: to node, then the shot (NULL: none). */
void hybrid_take_candidate(struct cairn_hybrid *h, int32_t node, float cost, const struct cairn_shot *shot);
/* Tries closed-form ends from a state. */
void hybrid_try_shots(struct cairn_hybrid *h, int32_t node);

/* Takes the memory that the field's blocks need; 0 or -ENOMEM (what there was stays). */
int hybrid_course_reserve(struct cairn_hybrid *h);
/* For a new search, when its field is there: no block's heading is known yet. */
void hybrid_course_begin(struct cairn_hybrid *h);
/* What a state of that heading in cell (x, y), with to_go by the field, loses by not heading down the field: by turning, or by
 * backing all the way. */
float hybrid_course_cost(struct cairn_hybrid *h, int x, int y, int heading, float to_go);

/* Chooses the place to plan to, and makes the field of its cost-to-go; OK, NEAREST, or why there is none. */
enum cairn_plan_result hybrid_choose_goal(struct cairn_hybrid *h, int start_cell);

/* Takes the memory that the room around the costmap's cells needs; 0 or -ENOMEM (what there was stays). */
int hybrid_room_reserve(struct cairn_hybrid *h);
/* For a new search, before the first pose is looked at. */
void hybrid_room_begin(struct cairn_hybrid *h);

/* Room around the bare footprint, up to a little more than is ever asked for. */
double hybrid_bare_clearance(const struct cairn_hybrid *h, const struct cairn_pose2 *pose);

/* One pose of an arc from a state (c, s: cosine and sine of its yaw): a first look at it, */
void hybrid_pose_look(const struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    enum hybrid_way way, struct hybrid_look *ret_look);
/* and its cost factor, or 0 when it is not allowed. A state without the full room (escaping: its clearance,
 * else NAN) may go where it does not lose any. */
float hybrid_pose_settle(struct cairn_hybrid *h, const struct hybrid_look *look,
    const struct cairn_pose2 *pose, double c, double s, enum hybrid_way way, float escaping,
    float *ret_escaping);
/* Both at once. */
float hybrid_pose_factor(struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    enum hybrid_way way, float escaping, float *ret_escaping);

#endif
