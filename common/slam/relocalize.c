#include "common/slam/mapper_private.h"

#define FOUND_QUALITY 0.90 /* a robot that was found is sure of it at once when scans fit so well, */
#define FOUND_AFTER_M 1.0  /* or after so long a way on which they fit */
#define ADOPT_AFTER_M 5.0  /* a chain that finds nothing it knows is then where odometry has it */

/* A new chain of keyframes that only odometry ties to what was before. */
enum cairn_scan_use cairn_mapper_begin_chain(
    struct cairn_mapper *m, struct cairn_pose2 local, bool detached, int64_t t_ns)
{
	m->detached = detached;
	m->chain_from = m->keyframe_count;
	m->guess_count = 0;
	m->counts.chains++;
	if (detached) {
		m->unsure_m = CAIRN_CARRIED_M;
		m->unsure_rad = CAIRN_CARRIED_RAD;
	}
	cairn_mapper_clear_local(m, local);
	if (cairn_mapper_keep(m, local, CAIRN_EDGE_WEAK, t_ns) != 0)
		return CAIRN_SCAN_UNFIT;
	cairn_mapper_draw_scan(m, local);
	m->t_insert_ns = t_ns;
	m->fit_distance_m = m->track.distance_m;
	m->unsure_m = m->unsure_rad = 0.0;
	m->bad_run = 0;
	m->counts.inserted++;
	m->changes++;
	return CAIRN_SCAN_KEYFRAME;
}

/* The chain's place is known, or odometry is believed for want of anything better: it is part of the map. */
static void attach_chain(struct cairn_mapper *m)
{
	bool any = false;
	for (uint32_t i = m->chain_from; i < m->keyframe_count; i++) {
		any |= m->keyframes[i].detached;
		m->keyframes[i].detached = false;
	}
	m->detached = false;
	m->redraw_due |= any;
}

/* The lost robot may have been found: its newest keyframe stands where. Until scans confirm that, matched
 * against older keyframes alone, nothing is entered, and a chain it has begun stays apart. */
static void come_back(struct cairn_mapper *m, bool had_chain)
{
	uint32_t last = m->keyframe_count - 1;
	m->confirm_from = had_chain ? m->chain_from : last;
	m->map_from_local = cairn_mapper_graph_from_local(m);
	m->keyframes[last].pose = m->keyframes[last].next = m->graph.nodes[last];
	m->map_epoch++;
	cairn_mapper_draw_local_now(m);
	m->tracking = CAIRN_TRACKING_WEAK;
	m->unconfirmed = true;
	m->good_run = m->bad_run = 0;
	m->unsure_m = CAIRN_RESTART_M;
	m->unsure_rad = CAIRN_RESTART_RAD;
	m->fit_distance_m = m->track.distance_m;
}

/* Scans have confirmed where the robot was found: what it mapped meanwhile belongs there. */
void cairn_mapper_confirm(struct cairn_mapper *m)
{
	m->unconfirmed = false;
	if (m->confirm_from == UINT32_MAX)
		return;
	bool had_chain = m->confirm_from + 1 < m->keyframe_count;
	m->chain_from = m->confirm_from;
	m->confirm_from = UINT32_MAX;
	m->counts.found++;
	m->local_due = true;
	attach_chain(m);
	if (had_chain)
		cairn_mapper_optimise(m);
	m->chain_from = m->keyframe_count - 1;
}

static bool of_newest(const struct cairn_pose_graph_edge *edge, void *ctx)
{
	const struct cairn_mapper *m = ctx;
	return edge->kind == CAIRN_EDGE_LOOP && edge->b == m->keyframe_count - 1;
}

/* It was found in the wrong place. */
void cairn_mapper_refute(struct cairn_mapper *m)
{
	bool had_chain = m->confirm_from + 1 < m->keyframe_count;
	m->confirm_from = UINT32_MAX;
	m->unconfirmed = false;
	cairn_pose_graph_drop_edges(&m->graph, of_newest, m);
	m->keyframes[m->keyframe_count - 1].detached = true;
	m->detached = had_chain;
	if (had_chain)
		cairn_mapper_draw_local_now(m);
}

/* Of a robot that was found, places that look alike are told apart by the quality of the fit, or by driving
 * on. */
bool cairn_mapper_is_sure(const struct cairn_mapper *m)
{
	return m->confirm_from == UINT32_MAX || m->match.quality >= FOUND_QUALITY ||
	       m->track.distance_m - m->keyframes[m->keyframe_count - 1].path_m >= FOUND_AFTER_M;
}

/* A lost robot searches everywhere; true when it may have been found. */
bool cairn_mapper_search(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns)
{
	bool had_chain = m->detached;
	if (m->detached && m->track.distance_m - m->keyframes[m->chain_from].path_m > ADOPT_AFTER_M) {
		attach_chain(m);
		m->tracking = CAIRN_TRACKING_WEAK;
		return false;
	}
	if (m->tracking != CAIRN_TRACKING_LOST || !cairn_mapper_seek_anywhere(m, local, t_ns))
		return false;
	come_back(m, had_chain);
	return true;
}
