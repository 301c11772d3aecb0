/* keyframe_policy.c - how many keyframes a house needs.
 *
 * A keyframe is kept for what its scan shows and for what it ties together. Where all is known one every 2.5
 * m is enough, and once a place has KNOWN_ENOUGH of them no more are needed at all. The robot still has to
 * stand somewhere in the graph, so the newest keyframe is then a stand-in, tied to one that was there before,
 * and the next takes its place: hours in one house neither fill the memory nor slow the graph down. */
#include "common/slam/mapper_private.h"

#include <errno.h>

#define KNOWN_KEY_M 2.5 /* where all is known already, keyframes are kept so far apart */
#define KNOWN_PATH_M 5.0
#define KNOWN_NEAR_M                                                                                         \
	1.0 /* of an older keyframe: the LiDAR looks all round, so whichever way it faced, it has seen */
#define KNOWN_SHARE 0.9 /* what this scan sees, as the scan itself says */
#define KNOWN_ENOUGH 3  /* keyframes so near */

/* The nearest keyframe of an earlier pass that the scan was matched against; UINT32_MAX: none. */
static uint32_t nearest_old(const struct cairn_mapper *m, struct cairn_pose2 local)
{
	uint32_t best = UINT32_MAX;
	double best_m = KNOWN_NEAR_M;
	if (m->match.known_share < KNOWN_SHARE)
		return best;
	for (uint32_t i = 0; i + 1 < m->keyframe_count; i++) {
		const struct cairn_keyframe *k = &m->keyframes[i];
		if (!k->in_local || m->track.distance_m - k->path_m < KNOWN_PATH_M)
			continue;
		double d = hypot(k->drawn.x_m - local.x_m, k->drawn.y_m - local.y_m);
		if (d < best_m) {
			best_m = d;
			best = i;
		}
	}
	return best;
}

static bool enough(const struct cairn_mapper *m, struct cairn_pose2 local)
{
	struct cairn_pose2 at = cairn_pose_compose(m->map_from_local, local);
	int count = 0;
	for (uint32_t i = 0; i < m->keyframe_count && count < KNOWN_ENOUGH; i++) {
		const struct cairn_keyframe *k = &m->keyframes[i];
		count += !k->detached && m->track.distance_m - k->path_m >= KNOWN_PATH_M &&
			 hypot(k->pose.x_m - at.x_m, k->pose.y_m - at.y_m) < KNOWN_NEAR_M;
	}
	return count == KNOWN_ENOUGH;
}

bool cairn_mapper_key_due(const struct cairn_mapper *m, struct cairn_pose2 local, uint32_t *ret_old)
{
	if (ret_old != NULL)
		*ret_old = UINT32_MAX;
	if (m->keyframe_count == 0)
		return true;
	struct cairn_pose2 since = cairn_pose_between(m->keyframes[m->keyframe_count - 1].local, local);
	double moved_m = hypot(since.x_m, since.y_m);
	if (moved_m < m->cfg.map.keyframe_m && fabs(since.yaw_rad) < m->cfg.map.keyframe_rad)
		return false;
	uint32_t old = nearest_old(m, local);
	if (old == UINT32_MAX)
		return true;
	if (ret_old != NULL && !m->detached && enough(m, local))
		*ret_old = old;
	return moved_m >= KNOWN_KEY_M;
}

static bool of_last(const struct cairn_pose_graph_edge *edge, void *ctx)
{
	const struct cairn_mapper *m = ctx;
	return edge->a == m->keyframe_count - 1 || edge->b == m->keyframe_count - 1;
}

/* May the newest keyframe go? Not if a loop was found there, or may be. */
static bool replaceable(const struct cairn_mapper *m)
{
	uint32_t last = m->keyframe_count - 1;
	if (m->known_run < 2)
		return false;
	for (uint32_t i = 0; i < m->guess_count; i++) {
		if (m->guesses[i].key == last)
			return false;
	}
	for (uint32_t link = m->graph.first_edge[last]; link != UINT32_MAX; link = m->graph.next_edge[link]) {
		if (m->graph.edges[link / 2].kind == CAIRN_EDGE_LOOP)
			return false;
	}
	return true;
}

/* Takes the newest keyframe away; the path driven there hangs on the older one from now on. */
static void drop_last(struct cairn_mapper *m)
{
	uint32_t last = m->keyframe_count - 1;
	for (uint32_t i = m->driven_count; i-- > 0 && m->driven_key[i] == last;)
		m->driven_key[i] = m->stand_in_for;
	cairn_pose_graph_drop_edges(&m->graph, of_last, m);
	m->graph.node_count--;
	m->point_count = m->keyframes[last].first;
	m->keyframe_count--;
	if (m->redrawing.at > last)
		m->redrawing.at = last;
}

int cairn_mapper_keep_known(struct cairn_mapper *m, struct cairn_pose2 local, uint32_t old, int64_t t_ns)
{
	if (m->known_run == 0) { /* ties what was new to what was known: kept for good */
		int r = cairn_mapper_keep(m, local, CAIRN_EDGE_CHAIN, t_ns);
		m->known_run = r == 0;
		return r;
	}
	struct cairn_pose2 node = cairn_pose_compose(cairn_mapper_graph_from_local(m), local);
	if (!cairn_mapper_reserve_key(m)) /* or the robot would lose the one it stands on */
		return -ENOMEM;
	if (replaceable(m))
		drop_last(m);
	int r = cairn_mapper_keep_tied(m, local, node, old, t_ns);
	if (r != 0)
		return r;
	m->known_run = 2;
	m->stand_in_for = old;
	m->stand_in_z = cairn_pose_between(m->keyframes[old].drawn, local);
	return 0;
}

bool cairn_mapper_anchor(const struct cairn_mapper *m, uint32_t *ret_key, struct cairn_pose2 *ret_from_key)
{
	if (m->keyframe_count == 0)
		return false;
	uint32_t last = m->keyframe_count - 1;
	struct cairn_pose2 from_last = cairn_pose_between(
	    m->keyframes[last].local, cairn_pose_compose(m->local_from_track, m->scan_track));
	bool stands_in = m->known_run > 1; /* it may be gone when somebody asks */
	*ret_key = stands_in ? m->stand_in_for : last;
	*ret_from_key = stands_in ? cairn_pose_compose(m->stand_in_z, from_last) : from_last;
	return true;
}
