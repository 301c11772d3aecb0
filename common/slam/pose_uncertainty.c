#include "common/slam/pose_uncertainty.h"

#include "common/slam/pose_graph_private.h"

#include <stdlib.h>
#include <string.h>

#define SCALE_MIN 0.25         /* a loop that fits worse than this is no way */
#define BLIND_M2_PER_M 0.02    /* steps that scans measure are ten times stiffer, others ten times softer */
#define ASIDE_M2_PER_M 2.25e-4 /* across a way whose length is not measured, as of any other */

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

/* Is the length of a step of the chain known by odometry alone? Then its edge is much softer than any that scans measure. */
static bool is_blind(const struct cairn_pose_graph_edge *e, double length_m)
{
	return e->kind == CAIRN_EDGE_CHAIN && e->sigma_m * e->sigma_m > BLIND_M2_PER_M * length_m;
}

/* Compounds a step by (dx, dy) with its own variances (Smith and Cheeseman 1986): an error of heading before it moves its end
 * aside. */
static void compound(double cov[3][3], double dx, double dy, double var_m2, double var_rad2)
{
	double xt = cov[0][2] - dy * cov[2][2], yt = cov[1][2] + dx * cov[2][2];
	cov[0][0] += -dy * (cov[0][2] + xt) + var_m2;
	cov[1][1] += dx * (cov[1][2] + yt) + var_m2;
	cov[0][1] += dx * cov[0][2] - dy * yt;
	cov[1][0] = cov[0][1];
	cov[0][2] = cov[2][0] = xt;
	cov[1][2] = cov[2][1] = yt;
	cov[2][2] += var_rad2;
}

/* What one more step does. to: where it leads. */
static struct cairn_pose_uncertainty_node extended(const struct cairn_pose_graph *g,
    const struct cairn_pose_graph_edge *e, const struct cairn_pose_uncertainty_node *at, uint32_t to)
{
	struct cairn_pose_uncertainty_node n = *at;
	uint32_t from = to == e->b ? e->a : e->b;
	double dx = g->nodes[to].x_m - g->nodes[from].x_m, dy = g->nodes[to].y_m - g->nodes[from].y_m;
	double length_m = hypot(dx, dy), var_m2 = e->sigma_m * e->sigma_m;
	if (is_blind(e, length_m) && length_m > 0.0) {
		n.blind_xx_m += dx * dx / length_m;
		n.blind_xy_m += dx * dy / length_m;
		n.blind_yy_m += dy * dy / length_m;
		var_m2 = ASIDE_M2_PER_M * length_m;
	}
	compound(n.cov, dx, dy, var_m2, e->sigma_rad * e->sigma_rad);
	n.var_m2 += var_m2;
	n.var_rad2 += e->sigma_rad * e->sigma_rad;
	n.path_m += hypot(e->z.x_m, e->z.y_m);
	double blind_m = CAIRN_BLIND_SHARE * (n.blind_xx_m + n.blind_yy_m);
	n.cost = n.var_m2 + blind_m * blind_m +
		 n.var_rad2 * CAIRN_POSE_UNCERTAINTY_LEVER_M * CAIRN_POSE_UNCERTAINTY_LEVER_M;
	return n;
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
			struct cairn_pose_uncertainty_node n = extended(g, e, &r->nodes[at.node], to);
			if (n.cost >= r->nodes[to].cost || n.cost > cost_max)
				continue;
			r->nodes[to] = n;
			if (!push(r, (struct cairn_pose_uncertainty_item){n.cost, to}))
				return false;
		}
	}
	return true;
}

/* Of a way that comes back: its middle is at most half of it away. */
static double wide_var_m2(const struct cairn_pose_uncertainty_node *n)
{
	double lever_m = 0.25 * n->path_m;
	return n->var_m2 + n->var_rad2 * lever_m * lever_m;
}

double cairn_pose_uncertainty_sigma_m(const struct cairn_pose_uncertainty *r, uint32_t node)
{
	const struct cairn_pose_uncertainty_node *n = &r->nodes[node];
	if (isinf(n->cost))
		return INFINITY;
	double blind_m = 0.5 * (n->blind_xx_m + n->blind_yy_m) +
			 hypot(0.5 * (n->blind_xx_m - n->blind_yy_m), n->blind_xy_m);
	return hypot(sqrt(wide_var_m2(n)), CAIRN_BLIND_SHARE * blind_m);
}

double cairn_pose_uncertainty_chi2(const struct cairn_pose_uncertainty *r, uint32_t node,
    struct cairn_pose2 offset, double floor_m, double floor_rad)
{
	const struct cairn_pose_uncertainty_node *n = &r->nodes[node];
	double k = CAIRN_BLIND_SHARE, xx = k * n->blind_xx_m, xy = k * n->blind_xy_m, yy = k * n->blind_yy_m;
	double c[3][3], w[6];
	memcpy(c, n->cov, sizeof(c));
	c[0][0] += floor_m * floor_m + xx * xx + xy * xy; /* the shares squared: the matrix times itself */
	c[1][1] += floor_m * floor_m + yy * yy + xy * xy;
	c[0][1] += xy * (xx + yy);
	c[1][0] = c[0][1];
	c[2][2] += floor_rad * floor_rad;
	const double e[3] = {offset.x_m, offset.y_m, offset.yaw_rad};
	if (isinf(n->cost) || !cairn_pose_graph_invert((const double(*)[3])c, w))
		return 0.0;
	return cairn_pose_graph_weighed(w, e);
}

double cairn_pose_uncertainty_sigma_rad(const struct cairn_pose_uncertainty *r, uint32_t node)
{
	return isinf(r->nodes[node].cost) ? INFINITY : sqrt(r->nodes[node].var_rad2);
}
