#include "common/slam/pose_uncertainty.h"

#include <stdlib.h>

#define SCALE_MIN 0.25 /* a loop that fits worse than this is no way */

void cairn_pose_uncertainty_init(struct cairn_pose_uncertainty *reach)
{
	*reach = (struct cairn_pose_uncertainty){0};
}

void cairn_pose_uncertainty_free(struct cairn_pose_uncertainty *reach)
{
	free(reach->nodes);
	free(reach->heap);
	*reach = (struct cairn_pose_uncertainty){0};
}

static bool push(struct cairn_pose_uncertainty *r, struct cairn_pose_uncertainty_item item)
{
	if (r->heap_count == r->heap_capacity) {
		uint32_t room = r->heap_capacity * 2 + 256;
		struct cairn_pose_uncertainty_item *grown = realloc(r->heap, room * sizeof(*grown));
		if (grown == NULL)
			return false;
		r->heap = grown;
		r->heap_capacity = room;
	}
	uint32_t i = r->heap_count++;
	for (; i > 0 && r->heap[(i - 1) / 2].cost > item.cost; i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = item;
	return true;
}

static struct cairn_pose_uncertainty_item pop(struct cairn_pose_uncertainty *r)
{
	struct cairn_pose_uncertainty_item top = r->heap[0], last = r->heap[--r->heap_count];
	uint32_t i = 0;
	for (;;) {
		uint32_t child = 2 * i + 1;
		if (child >= r->heap_count)
			break;
		child += child + 1 < r->heap_count && r->heap[child + 1].cost < r->heap[child].cost;
		if (r->heap[child].cost >= last.cost)
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = last;
	return top;
}

static bool reserve(struct cairn_pose_uncertainty *r, uint32_t nodes)
{
	if (nodes <= r->node_capacity)
		return true;
	uint32_t room = nodes + nodes / 2 + 256;
	struct cairn_pose_uncertainty_node *grown = realloc(r->nodes, room * sizeof(*grown));
	if (grown == NULL)
		return false;
	r->nodes = grown;
	r->node_capacity = room;
	return true;
}

bool cairn_pose_uncertainty_from(
    struct cairn_pose_uncertainty *r, const struct cairn_pose_graph *g, uint32_t from, double cost_max)
{
	if (!reserve(r, g->node_count))
		return false;
	for (uint32_t i = 0; i < g->node_count; i++)
		r->nodes[i].cost = INFINITY;
	r->count = g->node_count;
	r->from = from;
	r->nodes[from] = (struct cairn_pose_uncertainty_node){0};
	r->heap_count = 0;
	if (!push(r, (struct cairn_pose_uncertainty_item){0.0, from}))
		return false;
	while (r->heap_count > 0) {
		struct cairn_pose_uncertainty_item at = pop(r);
		if (at.cost > r->nodes[at.node].cost)
			continue;
		for (uint32_t link = g->first_edge[at.node]; link != UINT32_MAX; link = g->next_edge[link]) {
			const struct cairn_pose_graph_edge *e = &g->edges[link / 2];
			if (e->scale < SCALE_MIN)
				continue;
			uint32_t to = link % 2 == 0 ? e->b : e->a;
			double var = e->sigma_m * e->sigma_m, yaw = e->sigma_rad * e->sigma_rad;
			double cost = at.cost + var +
				      yaw * CAIRN_POSE_UNCERTAINTY_LEVER_M * CAIRN_POSE_UNCERTAINTY_LEVER_M;
			if (cost >= r->nodes[to].cost || cost > cost_max)
				continue;
			const struct cairn_pose_uncertainty_node *n = &r->nodes[at.node];
			r->nodes[to] = (struct cairn_pose_uncertainty_node){
			    cost, n->var_m2 + var, n->var_rad2 + yaw, n->path_m + hypot(e->z.x_m, e->z.y_m)};
			if (!push(r, (struct cairn_pose_uncertainty_item){cost, to}))
				return false;
		}
	}
	return true;
}

double cairn_pose_uncertainty_sigma_m(const struct cairn_pose_uncertainty *r, uint32_t node)
{
	const struct cairn_pose_uncertainty_node *n = &r->nodes[node];
	double lever_m =
	    0.25 * n->path_m; /* of a way that comes back: its middle is at most half of it away */
	return isinf(n->cost) ? INFINITY : sqrt(n->var_m2 + n->var_rad2 * lever_m * lever_m);
}

double cairn_pose_uncertainty_sigma_rad(const struct cairn_pose_uncertainty *r, uint32_t node)
{
	return isinf(r->nodes[node].cost) ? INFINITY : sqrt(r->nodes[node].var_rad2);
}
