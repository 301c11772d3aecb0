/* order.h - an order of VDA 5050: nodes and edges with a base, which may be driven, and a horizon, which may not yet; updates that
 * are stitched to the end of the base. Pure; positions are in the fleet's map. */
#ifndef CAIRN_COMMON_FLEET_ORDER_H
#define CAIRN_COMMON_FLEET_ORDER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "common/fleet/vda5050.h"

#define CAIRN_FLEET_ID_CAP 64    /* with the end */
#define CAIRN_FLEET_NODES_MAX 64 /* of an order with its updates, as far as they are ahead */
#define CAIRN_FLEET_ACTIONS_MAX 64
#define CAIRN_FLEET_WAIT_MAX_S 86400.0

enum cairn_fleet_blocking {
	CAIRN_FLEET_BLOCKS_NONE,   /* beside anything */
	CAIRN_FLEET_BLOCKS_SOFT,   /* not while driving */
	CAIRN_FLEET_BLOCKS_SINGLE, /* not beside another action; 3.0 */
	CAIRN_FLEET_BLOCKS_HARD,   /* alone */
	CAIRN_FLEET_BLOCKS_COUNT
};

enum cairn_fleet_status {
	CAIRN_FLEET_WAITING,
	CAIRN_FLEET_RUNNING,
	CAIRN_FLEET_FINISHED,
	CAIRN_FLEET_FAILED,
	CAIRN_FLEET_STATUS_COUNT
};
extern const char *const cairn_fleet_status_names[CAIRN_FLEET_STATUS_COUNT];
extern const char *const cairn_fleet_blocking_names[CAIRN_FLEET_BLOCKS_COUNT];

struct cairn_fleet_action {
	char id[CAIRN_FLEET_ID_CAP];
	char type[CAIRN_FLEET_ID_CAP];
	enum cairn_vda_action kind; /* COUNT: not known (an instant action that failed) */
	enum cairn_fleet_blocking blocking;
	enum cairn_fleet_status status;
	uint32_t sequence_id;     /* of its node */
	double duration_s;        /* WAIT: what is left to stand */
	struct cairn_pose2 place; /* LOCATE: on the fleet's map */
	char result[96];
};

struct cairn_fleet_node {
	char id[CAIRN_FLEET_ID_CAP];
	uint32_t sequence_id;
	bool released, positioned;
	double x_m, y_m, deviation_m; /* deviation 0: not told */
};

struct cairn_fleet_edge {
	char id[CAIRN_FLEET_ID_CAP];
	uint32_t sequence_id;
	bool released;
};

/* nodes and edges are those ahead; the one that was reached last is apart. Node i is the end of edge i once the first node is reached. */
struct cairn_fleet_order {
	char id[CAIRN_FLEET_ID_CAP]; /* empty: none yet */
	uint32_t update_id;
	char last_node[CAIRN_FLEET_ID_CAP];
	uint32_t last_sequence_id;
	bool cancelled;
	uint32_t node_count, edge_count, action_count;
	struct cairn_fleet_node nodes[CAIRN_FLEET_NODES_MAX];
	struct cairn_fleet_edge edges[CAIRN_FLEET_NODES_MAX];
	struct cairn_fleet_action actions[CAIRN_FLEET_ACTIONS_MAX];
};

/* What an order is held against. */
struct cairn_fleet_body {
	enum cairn_choice_fleet_version version;
	const char *map_id;
	double speed_max_mps, height_m;
};

/* Why something was refused: the type, a line for people, and what it is about. */
struct cairn_fleet_refusal {
	enum cairn_vda_fault fault;
	struct cairn_error why;
	char action_id[CAIRN_FLEET_ID_CAP]; /* empty: none */
};

/* Why an order is not taken: sets both, and is false, to be returned. */
__attribute__((format(printf, 3, 4))) bool cairn_fleet_refuse(
    struct cairn_fleet_refusal *refusal, enum cairn_vda_fault fault, const char *fmt, ...);

/* A message as an order by itself: all of its nodes are ahead. False: refused; ids are in ret as far as they were read. */
bool cairn_fleet_order_read(const json_t *message, const struct cairn_fleet_body *body,
    struct cairn_fleet_order *ret, struct cairn_fleet_refusal *refusal);
/* One action, of a node or instant. False: refused, as malformed or (of a node) not known. */
bool cairn_fleet_action_read(const json_t *json, const struct cairn_fleet_body *body, bool instant,
    struct cairn_fleet_action *ret, struct cairn_fleet_refusal *refusal);

/* Nodes ahead, or actions that have not ended. */
bool cairn_fleet_order_active(const struct cairn_fleet_order *order);
/* The next node that may be driven to; NULL: none. */
const struct cairn_fleet_node *cairn_fleet_order_next(const struct cairn_fleet_order *order);
/* The first node ahead has been reached. */
void cairn_fleet_order_advance(struct cairn_fleet_order *order);
/* Lays an update of the same order behind the base and drops the horizon. False: it does not fit; the order is as before. */
bool cairn_fleet_order_stitch(struct cairn_fleet_order *order, const struct cairn_fleet_order *update,
    struct cairn_fleet_refusal *refusal);
/* Nothing of it is driven or done any more: actions that have not ended have failed. Its nodes stay ahead until the robot stands. */
void cairn_fleet_order_cancel(struct cairn_fleet_order *order, const char *why);
/* The same, and nothing is ahead. */
void cairn_fleet_order_drop(struct cairn_fleet_order *order, const char *why);

#endif
