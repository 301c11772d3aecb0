#include "common/slam/pose_graph_private.h"

#include "common/base/prefault.h"
#include "common/base/symmetric3.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 20
#define DAMPING_FIRST 1e-6
#define DAMPING_MAX 1e6
#define GAIN_MIN 1e-5 /* relative; a step that gains less ends the search */
#define GAIN_COARSE 1e-2
#define PHI 9.0      /* chi2 at which a loop counts a quarter: three sigmas in one direction */
#define PHI_STEP 0.2 /* the kernel starts wide and narrows by this */

void cairn_pose_graph_init(struct cairn_pose_graph *graph)
{
	*graph = (struct cairn_pose_graph){0};
}

void cairn_pose_graph_free(struct cairn_pose_graph *graph)
{
	free(graph->nodes);
	free(graph->edges);
	free(graph->first_edge);
	free(graph->next_edge);
	free(graph->start);
	free(graph->pairs);
	cairn_pose_graph_solver_destroy(&graph->solver);
	*graph = (struct cairn_pose_graph){0};
}

static bool grow(void *array_p, uint32_t *capacity, uint32_t need, size_t item)
{
	if (need <= *capacity)
		return true;
	uint32_t room = need + need / 2 + 256;
	void *grown = realloc(*(void **)array_p, room * item);
	if (grown == NULL)
		return false;
	*(void **)array_p = grown;
	*capacity = room;
	return true;
}

bool cairn_pose_graph_reserve(struct cairn_pose_graph *g, uint32_t nodes, uint32_t edges)
{
	return grow(&g->nodes, &g->node_capacity, g->node_count + nodes, sizeof(*g->nodes)) &&
	       grow(&g->first_edge, &g->first_capacity, g->node_count + nodes, sizeof(*g->first_edge)) &&
	       grow(&g->edges, &g->edge_capacity, g->edge_count + edges, sizeof(*g->edges)) &&
	       grow(&g->next_edge, &g->next_capacity, 2 * (g->edge_count + edges), sizeof(*g->next_edge));
}

bool cairn_pose_graph_take(struct cairn_pose_graph *g, uint32_t nodes, uint32_t edges)
{
	if (g->solver == NULL)
		g->solver = cairn_pose_graph_solver_new();
	return g->solver != NULL &&
	       cairn_prefault_take(&g->nodes, &g->node_capacity, nodes, sizeof(*g->nodes)) &&
	       cairn_prefault_take(&g->first_edge, &g->first_capacity, nodes, sizeof(*g->first_edge)) &&
	       cairn_prefault_take(&g->edges, &g->edge_capacity, edges, sizeof(*g->edges)) &&
	       cairn_prefault_take(&g->next_edge, &g->next_capacity, 2 * edges, sizeof(*g->next_edge)) &&
	       cairn_prefault_take(&g->start, &g->start_capacity, 2 * nodes, sizeof(*g->start)) &&
	       cairn_prefault_take(&g->pairs, &g->pairs_capacity, 2 * edges + 1, sizeof(*g->pairs)) &&
	       cairn_pose_graph_solver_take(g->solver, nodes);
}

int64_t cairn_pose_graph_add_node(struct cairn_pose_graph *g, struct cairn_pose2 pose)
{
	if (!cairn_pose_graph_reserve(g, 1, 0))
		return -ENOMEM;
	g->nodes[g->node_count] = pose;
	g->first_edge[g->node_count] = UINT32_MAX;
	return g->node_count++;
}

static void chain_edge(struct cairn_pose_graph *g, uint32_t index)
{
	uint32_t ends[2] = {g->edges[index].a, g->edges[index].b};
	for (uint32_t end = 0; end < 2; end++) {
		g->next_edge[2 * index + end] = g->first_edge[ends[end]];
		g->first_edge[ends[end]] = 2 * index + end;
	}
}

bool cairn_pose_graph_invert(const double m[3][3], double out[6])
{
	double full[3][3];
	if (cairn_symmetric3_invert(m, full) == 0.0)
		return false;
	for (int r = 0, i = 0; r < 3; r++) {
		for (int c = r; c < 3; c++)
			out[i++] = full[r][c];
	}
	return true;
}

int cairn_pose_graph_add_edge(struct cairn_pose_graph *g, uint32_t a, uint32_t b, enum cairn_edge_kind kind,
    struct cairn_pose2 z, const double cov[3][3])
{
	struct cairn_pose_graph_edge edge = {.a = a, .b = b, .kind = (uint8_t)kind, .z = z, .scale = 1.0};
	if (a == b || a >= g->node_count || b >= g->node_count || !isfinite(z.x_m + z.y_m + z.yaw_rad) ||
	    !cairn_pose_graph_invert(cov, edge.info))
		return -EINVAL;
	double mid = 0.5 * (cov[0][0] + cov[1][1]);
	edge.sigma_m = sqrt(mid + hypot(0.5 * (cov[0][0] - cov[1][1]), cov[0][1]));
	edge.sigma_rad = sqrt(cov[2][2]);
	if (!cairn_pose_graph_reserve(g, 0, 1))
		return -ENOMEM;
	g->edges[g->edge_count] = edge;
	chain_edge(g, g->edge_count++);
	return 0;
}

void cairn_pose_graph_drop_edges(
    struct cairn_pose_graph *g, bool (*drop)(const struct cairn_pose_graph_edge *edge, void *ctx), void *ctx)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		if (!drop(&g->edges[i], ctx))
			g->edges[kept++] = g->edges[i];
	}
	g->edge_count = kept;
	for (uint32_t i = 0; i < g->node_count; i++)
		g->first_edge[i] = UINT32_MAX;
	for (uint32_t i = 0; i < kept; i++)
		chain_edge(g, i);
}

static bool sane_edge(const struct cairn_pose_graph *g, const struct cairn_pose_graph_edge *e)
{
	bool finite = isfinite(e->z.x_m + e->z.y_m + e->z.yaw_rad + e->sigma_m + e->sigma_rad + e->scale);
	for (int k = 0; k < 6; k++)
		finite = finite && isfinite(e->info[k]);
	return finite && e->a < g->node_count && e->b < g->node_count && e->a != e->b &&
	       e->kind <= CAIRN_EDGE_LOOP && e->info[0] > 0.0 && e->info[3] > 0.0 && e->info[5] > 0.0;
}

bool cairn_pose_graph_check(struct cairn_pose_graph *g)
{
	for (uint32_t i = 0; i < g->node_count; i++) {
		if (!isfinite(g->nodes[i].x_m + g->nodes[i].y_m + g->nodes[i].yaw_rad))
			return false;
	}
	if (!grow(&g->first_edge, &g->first_capacity, g->node_count, sizeof(*g->first_edge)) ||
	    !grow(&g->next_edge, &g->next_capacity, 2 * g->edge_count, sizeof(*g->next_edge)))
		return false;
	for (uint32_t i = 0; i < g->node_count; i++)
		g->first_edge[i] = UINT32_MAX;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		if (!sane_edge(g, &g->edges[i]))
			return false;
		chain_edge(g, i);
	}
	return true;
}

void cairn_pose_graph_error(struct cairn_pose2 a, struct cairn_pose2 b, struct cairn_pose2 z, double ret_e[3],
    double ja[3][3], double jb[3][3])
{
	double dx = b.x_m - a.x_m, dy = b.y_m - a.y_m;
	double ca = cos(a.yaw_rad), sa = sin(a.yaw_rad), cz = cos(z.yaw_rad), sz = sin(z.yaw_rad);
	double rx = ca * dx + sa * dy - z.x_m, ry = -sa * dx + ca * dy - z.y_m;
	ret_e[0] = cz * rx + sz * ry;
	ret_e[1] = -sz * rx + cz * ry;
	ret_e[2] = cairn_wrap_rad(b.yaw_rad - a.yaw_rad - z.yaw_rad);
	if (ja == NULL)
		return;
	/* Both rotations at once: by -(a.yaw + z.yaw). */
	double c = ca * cz - sa * sz, s = sa * cz + ca * sz;
	double tx = -sa * dx + ca * dy, ty = -ca * dx - sa * dy; /* d/dyaw of the difference seen from a */
	const double jac_a[3][3] = {
	    {-c, -s, cz * tx + sz * ty}, {s, -c, -sz * tx + cz * ty}, {0.0, 0.0, -1.0}};
	const double jac_b[3][3] = {{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}};
	memcpy(ja, jac_a, sizeof(jac_a));
	memcpy(jb, jac_b, sizeof(jac_b));
}

double cairn_pose_graph_weighed(const double w[6], const double e[3])
{
	return e[0] * (w[0] * e[0] + 2.0 * (w[1] * e[1] + w[2] * e[2])) +
	       e[1] * (w[3] * e[1] + 2.0 * w[4] * e[2]) + e[2] * w[5] * e[2];
}

double cairn_pose_graph_chi2(const struct cairn_pose_graph *g, const struct cairn_pose_graph_edge *edge)
{
	double e[3];
	cairn_pose_graph_error(g->nodes[edge->a], g->nodes[edge->b], edge->z, e, NULL, NULL);
	return cairn_pose_graph_weighed(edge->info, e);
}

/* Geman and McClure's kernel, which dynamic covariance scaling comes down to: cost phi chi2 / (phi + chi2).
 * Its weight is the derivative by chi2. */
static double robust_scale(const struct cairn_pose_graph_edge *edge, double chi2, double phi)
{
	double s = phi / (phi + chi2);
	return edge->kind != CAIRN_EDGE_LOOP ? 1.0 : s * s;
}

static double robust_cost(const struct cairn_pose_graph_edge *edge, double chi2, double phi)
{
	return edge->kind != CAIRN_EDGE_LOOP ? chi2 : phi * chi2 / (phi + chi2);
}

static double total_cost(struct cairn_pose_graph *g, double phi)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		double chi2 = cairn_pose_graph_chi2(g, &g->edges[i]);
		g->edges[i].scale = robust_scale(&g->edges[i], chi2, phi);
		sum += robust_cost(&g->edges[i], chi2, phi);
	}
	return sum;
}

/* out += at' w b, all 3x3. */
static void add_product(double at[3][3], double w[3][3], double b[3][3], double out[3][3])
{
	double wb[3][3];
	for (int r = 0; r < 3; r++) {
		for (int c = 0; c < 3; c++)
			wb[r][c] = w[r][0] * b[0][c] + w[r][1] * b[1][c] + w[r][2] * b[2][c];
	}
	for (int r = 0; r < 3; r++) {
		for (int c = 0; c < 3; c++)
			out[r][c] = at[0][r] * wb[0][c] + at[1][r] * wb[1][c] + at[2][r] * wb[2][c];
	}
}

/* One edge's share of the normal equations; node 0 is no unknown. */
static void add_edge_equations(struct cairn_pose_graph *g, const struct cairn_pose_graph_edge *edge)
{
	double e[3], j[2][3][3], k = edge->scale;
	const double *i6 = edge->info;
	double w[3][3] = {{k * i6[0], k * i6[1], k * i6[2]}, {k * i6[1], k * i6[3], k * i6[4]},
	    {k * i6[2], k * i6[4], k * i6[5]}};
	cairn_pose_graph_error(g->nodes[edge->a], g->nodes[edge->b], edge->z, e, j[0], j[1]);
	const uint32_t node[2] = {edge->a, edge->b};
	for (int p = 0; p < 2; p++) {
		if (node[p] == 0)
			continue;
		double block[3][3], right[3], we[3];
		for (int r = 0; r < 3; r++)
			we[r] = w[r][0] * e[0] + w[r][1] * e[1] + w[r][2] * e[2];
		for (int r = 0; r < 3; r++)
			right[r] = -(j[p][0][r] * we[0] + j[p][1][r] * we[1] + j[p][2][r] * we[2]);
		add_product(j[p], w, j[p], block);
		cairn_pose_graph_solver_add(g->solver, node[p] - 1, node[p] - 1, block);
		cairn_pose_graph_solver_add_right(g->solver, node[p] - 1, right);
	}
	if (node[0] != 0 && node[1] != 0) {
		double block[3][3];
		add_product(j[0], w, j[1], block);
		cairn_pose_graph_solver_add(g->solver, node[0] - 1, node[1] - 1, block);
	}
}

static bool shape(struct cairn_pose_graph *g)
{
	if (g->solver == NULL)
		g->solver = cairn_pose_graph_solver_new();
	if (g->solver == NULL ||
	    !grow(&g->pairs, &g->pairs_capacity, 2 * g->edge_count + 1, sizeof(*g->pairs)))
		return false;
	uint32_t *pairs = g->pairs, count = 0;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		if (g->edges[i].a == 0 || g->edges[i].b == 0)
			continue;
		pairs[2 * count] = g->edges[i].a - 1;
		pairs[2 * count++ + 1] = g->edges[i].b - 1;
	}
	return cairn_pose_graph_solver_shape(g->solver, g->node_count - 1, pairs, count);
}

static bool solve_step(struct cairn_pose_graph *g, double damping)
{
	cairn_pose_graph_solver_clear(g->solver);
	for (uint32_t i = 0; i < g->edge_count; i++)
		add_edge_equations(g, &g->edges[i]);
	return cairn_pose_graph_solver_solve(g->solver, damping);
}

static void apply_step(struct cairn_pose_graph *g)
{
	for (uint32_t i = 1; i < g->node_count; i++) {
		const double *d = cairn_pose_graph_solver_solution(g->solver, i - 1);
		g->nodes[i].x_m += d[0];
		g->nodes[i].y_m += d[1];
		g->nodes[i].yaw_rad = cairn_wrap_rad(g->nodes[i].yaw_rad + d[2]);
	}
}

static void farthest(const struct cairn_pose_graph *g, const struct cairn_pose2 *before,
    struct cairn_pose_graph_report *report)
{
	for (uint32_t i = 0; i < g->node_count; i++) {
		struct cairn_pose2 d = cairn_pose_between(before[i], g->nodes[i]);
		report->moved_m = fmax(report->moved_m, hypot(d.x_m, d.y_m));
		report->moved_rad = fmax(report->moved_rad, fabs(d.yaw_rad));
	}
}

/* Levenberg: steps that gain are kept and the damping eased, others are undone and it is raised. True unless
 * the very first equations have no solution. */
static bool descend(
    struct cairn_pose_graph *g, double phi, struct cairn_pose2 *keep, struct cairn_pose_graph_report *report)
{
	double damping = DAMPING_FIRST, cost = total_cost(g, phi);
	size_t bytes = sizeof(*keep) * g->node_count;
	double gain_min = phi > PHI ? GAIN_COARSE : GAIN_MIN;
	for (int step = 0; step < STEPS_MAX && damping < DAMPING_MAX; step++, report->steps++) {
		memcpy(keep, g->nodes, bytes);
		bool solved = solve_step(g, damping);
		if (solved)
			apply_step(g);
		double next = solved ? total_cost(g, phi) : INFINITY;
		if (next <= cost) {
			bool done = cost - next <= gain_min * cost + 1e-9;
			cost = next;
			damping = fmax(0.1 * damping, 1e-9);
			if (done)
				break;
			continue;
		}
		memcpy(g->nodes, keep, bytes);
		(void)total_cost(g, phi);
		damping *= 10.0;
	}
	report->chi2_after = cost;
	return isfinite(cost);
}

static double worst_loop(const struct cairn_pose_graph *g)
{
	double worst = 0.0;
	for (uint32_t i = 0; i < g->edge_count; i++) {
		if (g->edges[i].kind == CAIRN_EDGE_LOOP)
			worst = fmax(worst, cairn_pose_graph_chi2(g, &g->edges[i]));
	}
	return worst;
}

/* A right loop that closes a long way is far off at first, where a narrow kernel would not feel it. So the
 * kernel starts as wide as the worst loop and narrows (graduated non-convexity, Yang et al. 2020). */
static bool narrow(
    struct cairn_pose_graph *g, struct cairn_pose2 *keep, struct cairn_pose_graph_report *report)
{
	for (double phi = fmax(PHI, worst_loop(g));; phi = fmax(PHI, phi * PHI_STEP)) {
		if (!descend(g, phi, keep, report))
			return false;
		if (phi <= PHI)
			return true;
	}
}

int cairn_pose_graph_optimise(struct cairn_pose_graph *g, struct cairn_pose_graph_report *ret)
{
	struct cairn_pose_graph_report report = {0};
	if (ret != NULL)
		*ret = report;
	if (g->node_count < 2)
		return 0;
	size_t bytes = sizeof(*g->nodes) * g->node_count;
	int r = -ENOMEM;
	if (grow(&g->start, &g->start_capacity, 2 * g->node_count, sizeof(*g->start)) && shape(g)) {
		struct cairn_pose2 *start = g->start;
		memcpy(start, g->nodes, bytes);
		report.chi2_before = total_cost(g, PHI);
		r = narrow(g, start + g->node_count, &report) ? 0 : -EDOM;
		if (r < 0)
			memcpy(g->nodes, start, bytes);
		else
			farthest(g, start, &report);
	}
	if (ret != NULL && r == 0)
		*ret = report;
	return r;
}
