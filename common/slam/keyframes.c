#include "common/slam/mapper_private.h"

#include "common/base/prefault.h"
#include "common/base/symmetric3.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What scan matching gets wrong along a chain, beside what the match itself says: found on recorded logs as
 * the drift of open chains. */
#define CHAIN_M_PER_SQRT_M 0.015
#define CHAIN_RAD_PER_SQRT_M 0.0026
#define CORRIDOR_RAD_SHARE 0.5 /* long walls to both sides hold the heading better */
#define CHAIN_M 0.002
#define CHAIN_RAD_PER_SQRT_RAD 0.0026
/* Along an axis on which the scans fit alike anywhere a chain is as long as the odometry says, and the slip of wheels is alike
 * from step to step: it grows with the way, not with its root. A graph knows no such errors. So each step gets the variance
 * with which CHAIN_BLIND_REF_M of them come to the slip of such a way. */
#define CHAIN_BLIND_REF_M 50.0
#define BLIND_TIE_M 30.0 /* a tie beside the chain says nothing along such an axis; */
#define BLIND_STANDS_M                                                                                       \
	0.15 /* one in its place says what the local map does, which trusts what is drawn into it */
#define WEAK_M 0.05
#define WEAK_RAD 0.03
#define NEAR_EVERY_M 0.5
#define NEAR_MAX_M 3.0
#define NEAR_PATH_M 5.0
#define NEAR_FLOOR_M 0.02
#define NEAR_FLOOR_RAD 0.005

/* A house of 100 m2 comes to fewer. */
#define FIRST_KEYS 512
#define FIRST_RAYS 720 /* of each */
#define FIRST_EDGES 768

bool cairn_mapper_grow(void *array_p, uint32_t *capacity, uint32_t need, size_t item)
{
	if (need <= *capacity)
		return true;
	uint32_t room = need + need / 2 + 1024;
	void *grown = realloc(*(void **)array_p, room * item);
	if (grown == NULL)
		return false;
	*(void **)array_p = grown;
	*capacity = room;
	return true;
}

struct cairn_pose2 cairn_mapper_graph_from_local(const struct cairn_mapper *m)
{
	if (m->keyframe_count == 0)
		return m->map_from_local;
	uint32_t last = m->keyframe_count - 1;
	return cairn_pose_compose(m->graph.nodes[last], cairn_pose_inverse(m->keyframes[last].local));
}

static int16_t pack(double metres)
{
	return (int16_t)lrint(cairn_clamp(metres / CAIRN_KEYFRAME_STEP_M, -32767.0, 32767.0));
}

/* Appends the rays, for which there is room: hits first, then those that hit nothing. */
static void keep_rays(struct cairn_mapper *m, struct cairn_keyframe *k)
{
	const struct cairn_rays *rays = &m->rays;
	int16_t *out = m->points + 2 * (size_t)m->point_count;
	double x = 0.0, y = 0.0;
	k->first = m->point_count;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < rays->count; i++) {
			if (rays->hit[i] == (pass == 1))
				continue;
			*out++ = pack((double)rays->x_m[i]);
			*out++ = pack((double)rays->y_m[i]);
			k->hits += pass == 0;
			k->count++;
			x += (double)rays->from_x_m[i];
			y += (double)rays->from_y_m[i];
		}
	}
	k->from_x_m = k->count > 0 ? (float)(x / k->count) : 0.0F;
	k->from_y_m = k->count > 0 ? (float)(y / k->count) : 0.0F;
}

void cairn_mapper_keyframe_rays(const struct cairn_mapper *m, uint32_t key, struct cairn_rays *ret)
{
	const struct cairn_keyframe *k = &m->keyframes[key];
	const int16_t *p = m->points + 2 * (size_t)k->first;
	ret->count = k->count < CAIRN_RAYS_MAX ? k->count : CAIRN_RAYS_MAX;
	for (uint32_t i = 0; i < ret->count; i++) {
		ret->from_x_m[i] = k->from_x_m;
		ret->from_y_m[i] = k->from_y_m;
		ret->x_m[i] = (float)(p[2 * i] * CAIRN_KEYFRAME_STEP_M);
		ret->y_m[i] = (float)(p[2 * i + 1] * CAIRN_KEYFRAME_STEP_M);
		ret->hit[i] = i < k->hits;
	}
	cairn_rays_find_faces(ret);
}

/* out = R' in R for the rotation by yaw: from map axes to the pose's own. */
static void own_axes(const double in[3][3], double yaw_rad, double out[3][3])
{
	double c = cos(yaw_rad), s = sin(yaw_rad);
	const double r[3][3] = {{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}};
	double half[3][3];
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++)
			half[i][k] = in[i][0] * r[0][k] + in[i][1] * r[1][k] + in[i][2] * r[2][k];
	}
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 3; k++)
			out[i][k] = r[0][i] * half[0][k] + r[1][i] * half[1][k] + r[2][i] * half[2][k];
	}
}

void cairn_mapper_spread(const struct cairn_match *match, double weak_m, double weak_rad, double floor_m,
    double floor_rad, double ret[3][3])
{
	/* Of a match that tells nothing. */
	double cov[3][3] = {{weak_m * weak_m}, {0.0, weak_m * weak_m}, {0.0, 0.0, weak_rad * weak_rad}};
	double info[3][3];
	memcpy(info, match->info, sizeof(info));
	info[0][0] += 1.0 / (weak_m * weak_m);
	info[1][1] += 1.0 / (weak_m * weak_m);
	info[2][2] += 1.0 / (weak_rad * weak_rad);
	(void)cairn_symmetric3_invert((const double(*)[3])info, cov);
	own_axes(cov, match->pose.yaw_rad, ret);
	ret[0][0] += floor_m * floor_m;
	ret[1][1] += floor_m * floor_m;
	ret[2][2] += floor_rad * floor_rad;
}

static void chain_cov(
    const struct cairn_mapper *m, struct cairn_pose2 z, enum cairn_edge_kind kind, double cov[3][3])
{
	double d = hypot(z.x_m, z.y_m), turn = fabs(z.yaw_rad);
	memset(cov, 0, 9 * sizeof(double));
	if (kind == CAIRN_EDGE_WEAK) {
		double xy = fmax(WEAK_M, m->unsure_m), yaw = fmax(WEAK_RAD, m->unsure_rad);
		cov[0][0] = cov[1][1] = xy * xy;
		cov[2][2] = yaw * yaw;
		return;
	}
	if (m->match.cov[2][2] > 0.0)
		own_axes(m->match.cov, m->match.pose.yaw_rad, cov);
	double xy = CHAIN_M_PER_SQRT_M * CHAIN_M_PER_SQRT_M * d + CHAIN_M * CHAIN_M;
	cov[0][0] += xy;
	cov[1][1] += xy;
	if (m->match.blind) {
		double along_rad = m->match.axis_rad - m->match.pose.yaw_rad, c = cos(along_rad),
		       sn = sin(along_rad);
		double var = CAIRN_BLIND_SHARE * CAIRN_BLIND_SHARE * CHAIN_BLIND_REF_M * d;
		cov[0][0] += var * c * c;
		cov[0][1] += var * c * sn;
		cov[1][0] += var * c * sn;
		cov[1][1] += var * sn * sn;
	}
	double rad = CHAIN_RAD_PER_SQRT_M * (m->match.weak_axis ? CORRIDOR_RAD_SHARE : 1.0);
	cov[2][2] += rad * rad * d + CHAIN_RAD_PER_SQRT_RAD * CHAIN_RAD_PER_SQRT_RAD * turn + 1e-7;
}

/* The scan was matched against a map that older keyframes are in: an edge to the nearest of them says so. */
static void tie_to_older(struct cairn_mapper *m, uint32_t key)
{
	if (m->track.distance_m - m->near_m < NEAR_EVERY_M)
		return;
	const struct cairn_keyframe *k = &m->keyframes[key];
	uint32_t best = UINT32_MAX;
	double best_m = NEAR_MAX_M;
	for (uint32_t i = 0; i < key; i++) {
		const struct cairn_keyframe *old = &m->keyframes[i];
		if (!old->in_local || k->path_m - old->path_m < NEAR_PATH_M)
			continue;
		double d = hypot(old->drawn.x_m - k->local.x_m, old->drawn.y_m - k->local.y_m);
		if (d < best_m) {
			best_m = d;
			best = i;
		}
	}
	if (best == UINT32_MAX)
		return;
	double cov[3][3];
	cairn_mapper_spread(
	    &m->match, m->match.blind ? BLIND_TIE_M : 1.0, 0.1, NEAR_FLOOR_M, NEAR_FLOOR_RAD, cov);
	if (cairn_pose_graph_add_edge(&m->graph, best, key, CAIRN_EDGE_NEAR,
		cairn_pose_between(m->keyframes[best].drawn, k->local), cov) == 0)
		m->near_m = m->track.distance_m;
}

bool cairn_mapper_take_first(struct cairn_mapper *m)
{
	return cairn_prefault_take(&m->keyframes, &m->keyframe_capacity, FIRST_KEYS, sizeof(*m->keyframes)) &&
	       cairn_prefault_take(
		   &m->points, &m->point_capacity, FIRST_KEYS * FIRST_RAYS, 2 * sizeof(*m->points)) &&
	       cairn_prefault_take(
		   &m->driven, &m->driven_capacity, CAIRN_DRIVEN_MAX, 2 * sizeof(*m->driven)) &&
	       cairn_prefault_take(
		   &m->driven_key, &m->driven_key_capacity, CAIRN_DRIVEN_MAX, sizeof(*m->driven_key)) &&
	       cairn_pose_graph_take(&m->graph, FIRST_KEYS, FIRST_EDGES);
}

bool cairn_mapper_reserve_key(struct cairn_mapper *m)
{
	return cairn_mapper_grow(
		   &m->keyframes, &m->keyframe_capacity, m->keyframe_count + 1, sizeof(*m->keyframes)) &&
	       cairn_mapper_grow(&m->points, &m->point_capacity, m->point_count + (uint32_t)m->rays.count,
		   2 * sizeof(*m->points)) &&
	       cairn_pose_graph_reserve(&m->graph, 1, 2);
}

/* The scan in m->rays as the newest keyframe, without an edge. node: where the graph has it. */
static int append(struct cairn_mapper *m, struct cairn_pose2 local, struct cairn_pose2 node, int64_t t_ns)
{
	if (!cairn_mapper_reserve_key(m) || cairn_pose_graph_add_node(&m->graph, node) < 0)
		return -ENOMEM;
	struct cairn_keyframe k = {.t_ns = t_ns,
	    .track = m->scan_track,
	    .local = local,
	    .drawn = local,
	    .pose = cairn_pose_compose(m->map_from_local, local),
	    .path_m = m->track.distance_m,
	    .in_local = true,
	    .detached = m->detached};
	keep_rays(m, &k);
	k.next = k.pose;
	m->keyframes[m->keyframe_count++] = k;
	m->point_count += k.count;
	return 0;
}

int cairn_mapper_keep(
    struct cairn_mapper *m, struct cairn_pose2 local, enum cairn_edge_kind kind, int64_t t_ns)
{
	uint32_t key = m->keyframe_count;
	struct cairn_pose2 node = cairn_pose_compose(cairn_mapper_graph_from_local(m), local);
	if (append(m, local, node, t_ns) != 0)
		return -ENOMEM;
	m->known_run = 0;
	if (key == 0)
		return 0;
	const struct cairn_keyframe *before = &m->keyframes[key - 1];
	struct cairn_pose2 z = cairn_pose_between(before->local, local);
	double cov[3][3];
	chain_cov(m, z, kind, cov);
	if (cairn_pose_graph_add_edge(&m->graph, key - 1, key, kind, z, cov) == -EINVAL) {
		chain_cov(m, z, CAIRN_EDGE_WEAK, cov); /* a match that fixes nothing */
		(void)cairn_pose_graph_add_edge(&m->graph, key - 1, key, CAIRN_EDGE_WEAK, z, cov);
	}
	m->keyframes[key].next = cairn_pose_compose(before->next, z);
	if (kind == CAIRN_EDGE_CHAIN)
		tie_to_older(m, key);
	return 0;
}

int cairn_mapper_keep_tied(
    struct cairn_mapper *m, struct cairn_pose2 local, struct cairn_pose2 node, uint32_t old, int64_t t_ns)
{
	uint32_t key = m->keyframe_count;
	if (append(m, local, node, t_ns) != 0)
		return -ENOMEM;
	double cov[3][3];
	struct cairn_pose2 z = cairn_pose_between(m->keyframes[old].drawn, local);
	cairn_mapper_spread(
	    &m->match, m->match.blind ? BLIND_STANDS_M : 1.0, 0.1, NEAR_FLOOR_M, NEAR_FLOOR_RAD, cov);
	(void)cairn_pose_graph_add_edge(&m->graph, old, key, CAIRN_EDGE_NEAR, z, cov);
	m->keyframes[key].next = cairn_pose_compose(m->keyframes[old].next, z);
	m->near_m = m->track.distance_m;
	return 0;
}
