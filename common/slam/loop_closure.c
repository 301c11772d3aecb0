#include "common/slam/mapper_private.h"

#include <string.h>

#define LOOP_QUALITY 0.62 /* a scan lies on an old place by this much before it is taken for it */
#define LOOP_KNOWN 0.50
#define LOOP_SCORE 0.35
#define LOOP_EVERY_M 0.5
#define LOOP_NEAR_M 4.0 /* old keyframes so much nearer than they may be off are looked at */
#define LOOP_WINDOW_MIN_M 0.5
#define LOOP_WINDOW_MIN_RAD 0.15
#define LOOP_WINDOW_MAX_RAD 0.9
#define LOOP_PATH_M 6.0 /* a way back shorter than this is no loop */
#define LOOP_FLOOR_M 0.03
#define LOOP_FLOOR_RAD 0.006
#define CHAIN_M 3.0 /* of the newest way are matched as one */
#define CHAIN_SPACING_M 0.35
#define CHAIN_KEYS 8

#define GUESS_APART_M 0.25 /* two guesses from one place are no two witnesses */
#define GUESS_MAX_M 12.0
#define AGREE_M 0.12
#define AGREE_M_PER_M 0.02
#define AGREE_RAD 0.05
#define SMALL_M 0.20 /* a correction that the graph itself expects needs no second witness */
#define SMALL_RAD 0.05
#define SMALL_SIGMAS 2.0
#define LARGE_M 1.0 /* one like this needs three */
#define LARGE_RAD 0.2
/* A place along a corridor, or in its mouth, that the graph can hardly have so far away is in another one, which looks alike. */
#define CORRIDOR_SHARE 0.6 /* a match that says less along one axis is of a corridor or its mouth */
#define UNLIKELY_CHI2 7.0
#define UNLIKELY_MIN_M 1.0 /* nearer than this no two corridors lie */
#define UNLIKELY_FLOOR_M 0.10
#define UNLIKELY_FLOOR_RAD 0.01
#define SCALE_MIN 0.1 /* a loop that fits worse after all is dropped */
#define IDLE_M 0.01   /* corrections below are left for later */
#define IDLE_RAD 0.002

#define CHAIN_UNSURE_M 0.05
#define CHAIN_UNSURE_RAD 0.03
#define REGION_SPACING_M 2.0
#define REGION_WINDOW_M 2.0
#define REGAIN_QUALITY 0.86 /* a standing robot has no second witness: it believes only this */
#define REGAIN_KNOWN 0.85
#define REGAIN_SCORE 0.60

/* Hits of the newest keyframes in the frame of the last. */
static void gather_chain(struct cairn_mapper *m)
{
	uint32_t last = m->keyframe_count - 1, at = last, keys = 0;
	size_t count = 0;
	struct cairn_pose2 origin = m->keyframes[last].local, drawn = origin;
	for (;; at--) {
		const struct cairn_keyframe *k = &m->keyframes[at];
		struct cairn_pose2 pose = cairn_pose_between(origin, k->local);
		if (m->keyframes[last].path_m - k->path_m > CHAIN_M || keys == CHAIN_KEYS ||
		    at < m->chain_from)
			break;
		if (at == last ||
		    hypot(k->local.x_m - drawn.x_m, k->local.y_m - drawn.y_m) >= CHAIN_SPACING_M) {
			const int16_t *p = m->points + 2 * (size_t)k->first;
			struct cairn_vec2 from = cairn_pose_apply(
			    pose, (struct cairn_vec2){(double)k->from_x_m, (double)k->from_y_m});
			for (uint32_t i = 0; i < k->hits && count < CAIRN_RAYS_MAX; i++) {
				struct cairn_vec2 v = cairn_pose_apply(
				    pose, (struct cairn_vec2){p[2 * i] * CAIRN_KEYFRAME_STEP_M,
					      p[2 * i + 1] * CAIRN_KEYFRAME_STEP_M});
				m->drawn.x_m[count] = (float)v.x_m;
				m->drawn.y_m[count] = (float)v.y_m;
				m->drawn.from_x_m[count] = (float)from.x_m;
				m->drawn.from_y_m[count] = (float)from.y_m;
				m->drawn.hit[count++] = true;
			}
			drawn = k->local;
			keys++;
		}
		if (at == 0)
			break;
	}
	m->drawn.count = count;
	cairn_rays_find_faces(&m->drawn);
}

/* The old keyframe to look at: near in the graph, but known only by a long way. */
static bool choose_candidate(const struct cairn_mapper *m, uint32_t *ret)
{
	uint32_t last = m->keyframe_count - 1;
	struct cairn_pose2 at = m->graph.nodes[last];
	double best = 1.0;
	for (uint32_t i = 0; i < last; i++) {
		const struct cairn_pose_uncertainty_node *n = &m->reach.nodes[i];
		/* A place of the newest way, which is matched as one, fits itself wherever odometry has it; the way to it through
		 * the graph may be a long one, over an older pass. */
		if (n->cost <= CAIRN_TRUST_COST || n->path_m < LOOP_PATH_M || isinf(n->cost) ||
		    m->keyframes[last].path_m - m->keyframes[i].path_m <= CHAIN_M || m->keyframes[i].detached)
			continue;
		double sigma_m =
		    fmin(cairn_pose_uncertainty_sigma_m(&m->reach, i), CAIRN_LOOP_WINDOW_MAX_M / 3.0);
		double d = hypot(m->graph.nodes[i].x_m - at.x_m, m->graph.nodes[i].y_m - at.y_m);
		double far = d / (LOOP_NEAR_M + 3.0 * sigma_m);
		if (far < best) {
			best = far;
			*ret = i;
		}
	}
	return best < 1.0;
}

/* Matches the newest way against the sheet around old; the guess if it fits. */
static bool match_on_sheet(
    struct cairn_mapper *m, const struct cairn_match_request *q, struct cairn_match *match)
{
	gather_chain(m);
	return cairn_match_scan(m->matcher, &m->loop.grid, &m->loop.field, &m->drawn, q, match);
}

static struct cairn_loop_guess guess_from(
    const struct cairn_mapper *m, uint32_t old, const struct cairn_match *match)
{
	struct cairn_loop_guess g = {.key = m->keyframe_count - 1,
	    .old = old,
	    .z = cairn_pose_between(m->graph.nodes[old], match->pose),
	    .path_m = m->track.distance_m};
	cairn_mapper_spread(match, 1.0, 0.1, LOOP_FLOOR_M, LOOP_FLOOR_RAD, g.cov);
	return g;
}

/* Where a guess has the newest keyframe: along one axis or about the heading it may be unsure. */
static bool agree(
    const struct cairn_mapper *m, const struct cairn_loop_guess *a, const struct cairn_loop_guess *b)
{
	struct cairn_pose2 step = cairn_pose_between(m->keyframes[a->key].local, m->keyframes[b->key].local);
	struct cairn_pose2 by_a = cairn_pose_compose(cairn_pose_compose(m->graph.nodes[a->old], a->z), step);
	struct cairn_pose2 by_b = cairn_pose_compose(m->graph.nodes[b->old], b->z);
	struct cairn_pose2 e = cairn_pose_between(by_a, by_b);
	double d = hypot(step.x_m, step.y_m), way = fabs(b->path_m - a->path_m);
	return d >= GUESS_APART_M && hypot(e.x_m, e.y_m) < AGREE_M + AGREE_M_PER_M * way &&
	       fabs(e.yaw_rad) < AGREE_RAD;
}

static bool dropped(const struct cairn_pose_graph_edge *edge, void *ctx)
{
	uint64_t *count = ctx;
	bool drop = edge->kind == CAIRN_EDGE_LOOP && edge->scale < SCALE_MIN;
	*count += drop;
	return drop;
}

void cairn_mapper_optimise(struct cairn_mapper *m)
{
	struct cairn_pose_graph_report report;
	if (cairn_pose_graph_optimise(&m->graph, &report) < 0)
		return;
	m->counts.optimised++;
	cairn_pose_graph_drop_edges(&m->graph, dropped, &m->counts.loops_dropped);
	m->local_drawing.on = false;
	m->local_due = true;
	m->loop.valid = false;
	if (report.moved_m > IDLE_M || report.moved_rad > IDLE_RAD)
		m->corrected_at = m->counts.scans;
	cairn_mapper_check_drawn(m);
	m->changes++;
}

static void accept(struct cairn_mapper *m, const struct cairn_loop_guess *g)
{
	if (cairn_pose_graph_add_edge(&m->graph, g->old, g->key, CAIRN_EDGE_LOOP, g->z, g->cov) == 0)
		m->counts.loops++;
}

/* Takes the guess when enough others say the same, or the graph itself does. */
static void weigh_guess(struct cairn_mapper *m, const struct cairn_loop_guess *g)
{
	struct cairn_pose2 found = cairn_pose_compose(m->graph.nodes[g->old], g->z);
	struct cairn_pose2 off = cairn_pose_between(m->graph.nodes[g->key], found);
	double off_m = hypot(off.x_m, off.y_m), off_rad = fabs(off.yaw_rad);
	bool agrees[CAIRN_MAPPER_GUESSES];
	uint32_t witnesses = 1, kept = 0;
	for (uint32_t i = 0; i < m->guess_count; i++) {
		if (g->path_m - m->guesses[i].path_m <= GUESS_MAX_M)
			m->guesses[kept++] = m->guesses[i];
	}
	m->guess_count = kept;
	for (uint32_t i = 0; i < m->guess_count; i++) {
		agrees[i] = agree(m, &m->guesses[i], g);
		witnesses += agrees[i];
	}
	uint32_t need = off_m > LARGE_M || off_rad > LARGE_RAD ? 3 : 2;
	if (off_m < SMALL_M && off_rad < SMALL_RAD &&
	    off_m < SMALL_SIGMAS * cairn_pose_uncertainty_sigma_m(&m->reach, g->old) + LOOP_FLOOR_M)
		need = 1;
	if (witnesses < need) {
		if (m->guess_count == CAIRN_MAPPER_GUESSES)
			memmove(m->guesses, m->guesses + 1, --m->guess_count * sizeof(m->guesses[0]));
		m->guesses[m->guess_count++] = *g;
		return;
	}
	for (uint32_t i = 0; i < m->guess_count && need > 1; i++) {
		if (agrees[i])
			accept(m, &m->guesses[i]);
	}
	accept(m, g);
	m->guess_count = need > 1 ? 0 : m->guess_count;
	if (off_m > IDLE_M || off_rad > IDLE_RAD)
		cairn_mapper_optimise(m);
	else
		m->local_due = true;
}

struct cairn_mapper_refusals cairn_mapper_refusals(const struct cairn_mapper *m)
{
	return m->refusals;
}

/* A match that is as good anywhere along a corridor is no evidence of a place in it, and one that the graph can hardly reach is
 * one of another corridor. */
static bool says_where(struct cairn_mapper *m, uint32_t old, const struct cairn_match *match)
{
	struct cairn_pose2 at = m->graph.nodes[m->keyframe_count - 1];
	/* The way leads from the newest keyframe to the old one: that is moved, the other way round, to leave the match. */
	struct cairn_pose2 old_then =
	    cairn_pose_compose(at, cairn_pose_between(match->pose, m->graph.nodes[old]));
	struct cairn_pose2 offset = {old_then.x_m - m->graph.nodes[old].x_m,
	    old_then.y_m - m->graph.nodes[old].y_m, cairn_wrap_rad(at.yaw_rad - match->pose.yaw_rad)};
	bool unlikely = match->along_share < CORRIDOR_SHARE &&
			hypot(offset.x_m, offset.y_m) > UNLIKELY_MIN_M &&
			cairn_pose_uncertainty_chi2(
			    &m->reach, old, offset, UNLIKELY_FLOOR_M, UNLIKELY_FLOOR_RAD) > UNLIKELY_CHI2;
	m->refusals.blind += match->blind;
	m->refusals.unlikely += unlikely && !match->blind;
	return !match->blind && !unlikely;
}

void cairn_mapper_seek_loop(struct cairn_mapper *m)
{
	uint32_t last = m->keyframe_count - 1, old = 0;
	if (m->track.distance_m - m->loop_tried_m < LOOP_EVERY_M || m->local_drawing.on || m->local_due)
		return;
	if (!cairn_pose_uncertainty_from(&m->reach, &m->graph, last, INFINITY) || !choose_candidate(m, &old))
		return;
	m->loop_tried_m = m->track.distance_m;
	double sigma_m = cairn_pose_uncertainty_sigma_m(&m->reach, old),
	       sigma_rad = cairn_pose_uncertainty_sigma_rad(&m->reach, old);
	struct cairn_match_request q = {.predicted = m->graph.nodes[last],
	    .window_m = cairn_clamp(3.0 * sigma_m, LOOP_WINDOW_MIN_M, CAIRN_LOOP_WINDOW_MAX_M),
	    .window_rad = cairn_clamp(3.0 * sigma_rad, LOOP_WINDOW_MIN_RAD, LOOP_WINDOW_MAX_RAD),
	    .prior_xy_m = sigma_m + 0.1,
	    .prior_yaw_rad = sigma_rad + 0.02,
	    .score_min = LOOP_SCORE};
	struct cairn_match match;
	if (!cairn_mapper_draw_loop(m, old) || !match_on_sheet(m, &q, &match))
		return;
	m->counts.loops_tried++;
	if (match.quality < LOOP_QUALITY || match.known_share < LOOP_KNOWN || match.score < LOOP_SCORE ||
	    !says_where(m, old, &match))
		return;
	struct cairn_loop_guess g = guess_from(m, old, &match);
	weigh_guess(m, &g);
}

void cairn_mapper_restart_seeking(struct cairn_mapper *m)
{
	m->region_count = m->region_at = 0;
	m->region_quality = 0.0;
	for (uint32_t i = m->keyframe_count; i-- > 0 && m->region_count < CAIRN_MAPPER_REGIONS;) {
		bool apart = !m->keyframes[i].detached;
		for (uint32_t k = 0; k < m->region_count && apart; k++) {
			struct cairn_pose2 p = m->graph.nodes[i], q = m->graph.nodes[m->regions[k]];
			apart = hypot(p.x_m - q.x_m, p.y_m - q.y_m) >= REGION_SPACING_M;
		}
		if (apart)
			m->regions[m->region_count++] = i;
	}
}

#define HINT_WINDOW_M 1.0 /* a person, or a finger on a map, is off by so much */

/* The keyframe nearest to a place of the map; UINT32_MAX: none whose place is known. */
static uint32_t nearest_key(const struct cairn_mapper *m, struct cairn_pose2 pose, double *ret_m)
{
	uint32_t nearest = UINT32_MAX;
	*ret_m = INFINITY;
	for (uint32_t i = 0; i < m->keyframe_count; i++) {
		double away_m = hypot(m->graph.nodes[i].x_m - pose.x_m, m->graph.nodes[i].y_m - pose.y_m);
		if (m->keyframes[i].detached || away_m >= *ret_m)
			continue;
		nearest = i;
		*ret_m = away_m;
	}
	return nearest;
}

bool cairn_mapper_hint(struct cairn_mapper *m, struct cairn_pose2 pose, struct cairn_error *err)
{
	struct cairn_msg_pose now;
	double away_m;
	cairn_mapper_pose(m, &now);
	if (m->tracking != CAIRN_TRACKING_LOST) {
		if (m->tracking == CAIRN_TRACKING_NONE)
			cairn_error_set(err, "nothing is mapped yet");
		else
			cairn_error_set(err,
			    "the robot is not lost: what it sees fits at %.2f %.2f, %.2f m from there",
			    now.x_m, now.y_m, hypot(now.x_m - pose.x_m, now.y_m - pose.y_m));
		return false;
	}
	if (nearest_key(m, pose, &away_m) == UINT32_MAX || away_m > REGION_WINDOW_M) {
		cairn_error_set(err,
		    "the robot has never been within %.0f m of %.2f %.2f: nothing there to compare with",
		    REGION_WINDOW_M, pose.x_m, pose.y_m);
		return false;
	}
	m->hint = CAIRN_HINT_TRYING;
	m->hint_pose = pose;
	m->hint_quality = 0.0;
	return true;
}

enum cairn_hint_state cairn_mapper_hinted(const struct cairn_mapper *m, double *ret_quality)
{
	*ret_quality = m->hint_quality;
	return m->hint;
}

/* The robot is where the best region has it: a keyframe there, tied to the old one. */
static bool found(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns)
{
	struct cairn_loop_guess g = m->region_best;
	struct cairn_pose2 now =
	    cairn_pose_compose(g.z, cairn_pose_between(m->keyframes[g.key].local, local));
	/* A chain knows its own way; a robot that was carried here knows nothing. */
	m->unsure_m = m->detached ? CHAIN_UNSURE_M : CAIRN_CARRIED_M;
	m->unsure_rad = m->detached ? CHAIN_UNSURE_RAD : CAIRN_CARRIED_RAD;
	m->detached = false;
	if (cairn_mapper_keep(m, local, CAIRN_EDGE_WEAK, t_ns) != 0)
		return false;
	uint32_t key = m->keyframe_count - 1;
	m->graph.nodes[key] = cairn_pose_compose(m->graph.nodes[g.old], now);
	(void)cairn_pose_graph_add_edge(&m->graph, g.old, key, CAIRN_EDGE_LOOP, now, g.cov);
	return true;
}

/* One scan against the place of the hint. It has to fit as well as any that the robot finds by itself; that another place fits as well is what
 * the hint decides. True: found. */
static bool seek_at_hint(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns)
{
	struct cairn_match_request q = {.predicted = m->hint_pose,
	    .window_m = HINT_WINDOW_M,
	    .window_rad = M_PI,
	    .prior_xy_m = 10.0 * HINT_WINDOW_M,
	    .prior_yaw_rad = 30.0,
	    .score_min = 0.0};
	struct cairn_match match;
	double away_m;
	uint32_t old = nearest_key(m, m->hint_pose, &away_m);
	m->hint = CAIRN_HINT_MISFITS;
	m->local_drawing.on = false;
	m->reach.count = 0; /* nothing is left out of the sheet */
	if (old == UINT32_MAX || !cairn_mapper_draw_loop(m, old) ||
	    !cairn_match_scan(m->matcher, &m->loop.grid, &m->loop.field, &m->rays, &q, &match))
		return false;
	m->hint_quality = match.quality;
	if (match.quality < REGAIN_QUALITY || match.known_share < REGAIN_KNOWN || match.score < REGAIN_SCORE)
		return false;
	m->region_best = guess_from(m, old, &match);
	m->region_best.z = cairn_pose_compose(
	    m->region_best.z, cairn_pose_between(local, m->keyframes[m->region_best.key].local));
	bool done = found(m, local, t_ns);
	if (done)
		m->hint = CAIRN_HINT_FITS;
	cairn_mapper_restart_seeking(m);
	return done;
}

bool cairn_mapper_seek_anywhere(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns)
{
	if (m->hint == CAIRN_HINT_TRYING)
		return seek_at_hint(m, local, t_ns);
	if (m->region_at < m->region_count) {
		uint32_t old = m->regions[m->region_at++];
		struct cairn_match_request q = {.predicted = m->graph.nodes[old],
		    .window_m = REGION_WINDOW_M,
		    .window_rad = M_PI,
		    .prior_xy_m = 10.0 * REGION_WINDOW_M,
		    .prior_yaw_rad = 30.0,
		    .score_min = REGAIN_SCORE};
		struct cairn_match match;
		m->local_drawing.on = false;
		m->reach.count = 0; /* nothing is left out of the sheet */
		if (!cairn_mapper_draw_loop(m, old) ||
		    !cairn_match_scan(m->matcher, &m->loop.grid, &m->loop.field, &m->rays, &q, &match))
			return false;
		if (match.known_share < REGAIN_KNOWN || match.score < REGAIN_SCORE ||
		    match.quality <= m->region_quality)
			return false;
		m->region_quality = match.quality;
		m->region_best = guess_from(m, old, &match);
		m->region_best.key = m->keyframe_count - 1;
		/* Seen from the last keyframe, wherever the robot has gone since. */
		m->region_best.z = cairn_pose_compose(
		    m->region_best.z, cairn_pose_between(local, m->keyframes[m->keyframe_count - 1].local));
		return false;
	}
	bool sure = m->region_quality >= REGAIN_QUALITY;
	bool done = sure && found(m, local, t_ns);
	m->region_rounds++;
	cairn_mapper_restart_seeking(m);
	return done;
}
