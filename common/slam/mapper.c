#include "common/slam/mapper_private.h"

#include "common/base/prefault.h"

#include <stdlib.h>
#include <string.h>

#define SHEET_MAX_M 200.0
#define NEAR_LEVELS 5 /* of the field of a local map, in which searches are narrow */
#define HITS_MIN 20
#define FIT_QUALITY 0.40 /* below, a scan does not fit */
#define FIT_KNOWN 0.10
#define GOOD_QUALITY 0.55 /* from here on it fits well */
#define GOOD_KNOWN 0.25
#define REGAIN_QUALITY 0.65 /* a lost or reborn mapper believes only this */
#define REGAIN_KNOWN 0.50
#define REGAIN_SCORE 0.45
#define FOUND_FIT 0.86 /* a robot found far from where it was lost: so well must scans fit */
#define GOOD_RUN 3
#define WEAK_RUN 2
#define LOST_RUN 10
#define UNSEEN_KNOWN 0.25 /* a scan of which less lies in known space contradicts nothing */
#define WIDE_TIMES 3.0    /* a scan that fits badly is tried again in a window so much wider */
#define WIDE_GAIN 0.05
#define WINDOW_MAX_M 3.0
#define WINDOW_MAX_RAD 1.2
#define CHAIN_AFTER_M 1.0  /* nothing fits for so long, and odometry is believed: a new chain of keyframes */
#define DETACH_AFTER_M 0.5 /* a lost robot that drives begins a chain of its own */
#define LOCAL_MOVED_SHARE 0.35 /* of the range */
#define LOCAL_MOVED_M 4.0 /* the local map is drawn anew when the robot has moved so far from its middle */
#define REFRESH_NS CAIRN_NS_PER_S
#define INSERT_YAW_RATE_MAX 1.5 /* a faster turn smears the scan */
#define DRIVEN_STEP_M 0.05
#define SCAN_SILENT_NS CAIRN_NS_PER_S
#define BLIND_LOST_M 5.0 /* so far without a scan that fits, odometry alone is not a pose any more */

#define WILD_M 0.30
#define WILD_RAD 0.30
#define UNSURE_MAX_M 3.0
#define UNSURE_MAX_RAD 3.0

struct cairn_mapper *cairn_mapper_new(const struct cairn_config *cfg)
{
	struct cairn_mapper *m = calloc(1, sizeof(*m));
	if (m == NULL)
		return NULL;
	m->cfg = *cfg;
	cairn_grid_init(&m->grid, cfg->map.cell_m, cfg->map.extent_max_m);
	cairn_grid_init(&m->spare, cfg->map.cell_m, cfg->map.extent_max_m);
	cairn_pose_graph_init(&m->graph);
	m->confirm_from = UINT32_MAX;
	m->taken = cairn_cell_box_none();
	struct cairn_sheet *sheets[3] = {&m->sheets[0], &m->sheets[1], &m->loop};
	for (int i = 0; i < 3; i++) {
		cairn_grid_init(&sheets[i]->grid, cfg->map.cell_m, SHEET_MAX_M);
		cairn_likelihood_field_init(
		    &sheets[i]->field, i < 2 ? NEAR_LEVELS : CAIRN_LIKELIHOOD_FIELD_LEVELS);
	}
	m->matcher = cairn_matcher_new();
	m->finder = cairn_frontier_finder_new();
	cairn_prefault_touch(m, sizeof(*m));
	if (!cairn_mapper_features_init(m) || m->matcher == NULL || m->finder == NULL ||
	    !cairn_mapper_take_first(m))
		cairn_mapper_destroy(&m);
	return m;
}

void cairn_mapper_destroy(struct cairn_mapper **mapper_p)
{
	struct cairn_mapper *m = *mapper_p;
	if (m == NULL)
		return;
	cairn_grid_free(&m->grid);
	cairn_grid_free(&m->spare);
	struct cairn_sheet *sheets[3] = {&m->sheets[0], &m->sheets[1], &m->loop};
	for (int i = 0; i < 3; i++) {
		cairn_grid_free(&sheets[i]->grid);
		cairn_likelihood_field_free(&sheets[i]->field);
	}
	cairn_pose_graph_free(&m->graph);
	cairn_pose_uncertainty_free(&m->reach);
	cairn_pose_uncertainty_free(&m->loop_reach);
	cairn_matcher_destroy(&m->matcher);
	cairn_frontier_finder_destroy(&m->finder);
	cairn_mapper_features_free(m);
	free(m->keyframes);
	free(m->points);
	free(m->driven);
	free(m->driven_key);
	free(m->list);
	free(m);
	*mapper_p = NULL;
}

static struct cairn_pose2 pose_now(const struct cairn_mapper *m)
{
	const struct cairn_odometry_track_point *newest = cairn_odometry_track_newest(&m->track);
	struct cairn_pose2 local =
	    newest == NULL ? m->local_from_track : cairn_pose_compose(m->local_from_track, newest->pose);
	return cairn_pose_compose(m->map_from_local, local);
}

static void doubt(struct cairn_mapper *m, double metres, double radians)
{
	m->unsure_m = fmin(m->unsure_m + metres, UNSURE_MAX_M);
	m->unsure_rad = fmin(m->unsure_rad + radians, UNSURE_MAX_RAD);
}

static void forget_driven(struct cairn_mapper *m, uint32_t points)
{
	m->driven_count -= points;
	memmove(m->driven, m->driven + 2 * (size_t)points, 2 * sizeof(float) * m->driven_count);
	memmove(m->driven_key, m->driven_key + points, sizeof(uint32_t) * m->driven_count);
	cairn_visits_forget(&m->features.visits, points);
}

static void record_driven(struct cairn_mapper *m, struct cairn_pose2 pose)
{
	if (m->driven_count > 0) {
		const float *last = m->driven + 2 * (m->driven_count - 1);
		if (hypot(pose.x_m - (double)last[0], pose.y_m - (double)last[1]) < DRIVEN_STEP_M)
			return;
	}
	if (m->driven_count >= CAIRN_DRIVEN_MAX)
		forget_driven(m, CAIRN_DRIVEN_MAX / 4);
	if (m->keyframe_count == 0 ||
	    !cairn_mapper_grow(&m->driven, &m->driven_capacity, m->driven_count + 1, 2 * sizeof(float)) ||
	    !cairn_mapper_grow(
		&m->driven_key, &m->driven_key_capacity, m->driven_count + 1, sizeof(uint32_t)))
		return;
	m->driven_key[m->driven_count] = m->keyframe_count - 1;
	m->driven[2 * m->driven_count] = (float)pose.x_m;
	m->driven[2 * m->driven_count + 1] = (float)pose.y_m;
	m->driven_count++;
	m->changes++;
}

static void record_visit(struct cairn_mapper *m, struct cairn_pose2 pose)
{
	bool first = m->grid.visited_cells == 0;
	double moved_m = hypot(pose.x_m - m->visit_pose.x_m, pose.y_m - m->visit_pose.y_m);
	if (!first && moved_m < m->grid.cell_m)
		return;
	cairn_grid_visit(&m->grid, (struct cairn_vec2){m->visit_pose.x_m, m->visit_pose.y_m},
	    (struct cairn_vec2){pose.x_m, pose.y_m}, m->cfg.robot.footprint_half_width_m, first);
	m->visit_pose = pose;
}

bool cairn_mapper_odom(struct cairn_mapper *m, const struct cairn_msg_odom *odom, int64_t t_ns,
    uint64_t epoch, struct cairn_msg_pose *ret)
{
	switch (cairn_odometry_track_add(&m->track, odom, t_ns, epoch, &m->cfg.robot)) {
	case CAIRN_ODOMETRY_TRACK_IGNORED:
		m->counts.refused++;
		return false;
	case CAIRN_ODOMETRY_TRACK_FIRST:
		if (m->tracking != CAIRN_TRACKING_NONE)
			doubt(m, CAIRN_RESTART_M, CAIRN_RESTART_RAD);
		break;
	case CAIRN_ODOMETRY_TRACK_WILD:
		doubt(m, WILD_M, WILD_RAD);
		break;
	case CAIRN_ODOMETRY_TRACK_OK:
		break;
	}
	if (m->t_scan_ns != 0 && t_ns - m->t_scan_ns > SCAN_SILENT_NS && m->tracking == CAIRN_TRACKING_GOOD) {
		m->tracking = CAIRN_TRACKING_WEAK;
		m->good_run = 0;
	}
	if (m->tracking == CAIRN_TRACKING_WEAK && m->track.distance_m - m->fit_distance_m > BLIND_LOST_M)
		m->tracking = CAIRN_TRACKING_LOST;
	struct cairn_pose2 pose = pose_now(m);
	if (m->tracking >= CAIRN_TRACKING_WEAK && !m->unconfirmed && !m->detached) {
		record_driven(m, pose);
		record_visit(m, pose);
	}
	if (ret != NULL)
		cairn_mapper_pose(m, ret);
	return true;
}

void cairn_mapper_pose(const struct cairn_mapper *m, struct cairn_msg_pose *ret)
{
	struct cairn_pose2 pose = pose_now(m);
	const struct cairn_odometry_track_point *newest = cairn_odometry_track_newest(&m->track);
	double since_m = m->track.distance_m - m->fit_distance_m;
	*ret = (struct cairn_msg_pose){.x_m = pose.x_m,
	    .y_m = pose.y_m,
	    .yaw_rad = pose.yaw_rad,
	    .tracking = m->tracking,
	    .quality = m->match.quality,
	    .sigma_xy_m = hypot(m->sigma_xy_m, m->unsure_m + CAIRN_PRIOR_M_PER_M * since_m),
	    .sigma_yaw_rad = hypot(m->sigma_yaw_rad, m->unsure_rad + CAIRN_PRIOR_RAD_PER_M * since_m),
	    .distance_m = m->track.distance_m,
	    .v_mps = newest != NULL ? newest->twist.v_mps : 0.0,
	    .keyframes = m->keyframe_count,
	    .map_epoch = m->map_epoch,
	    .map_id = m->map_id};
}

/* The robot's motion during the turn, from odometry. */
static void motion_of(
    const struct cairn_mapper *m, int64_t t_start_ns, int64_t t_end_ns, struct cairn_rays_motion *ret)
{
	*ret = (struct cairn_rays_motion){0};
	int64_t span = t_end_ns - t_start_ns;
	if (span <= 0 || span > CAIRN_NS_PER_S)
		return;
	struct cairn_pose2 end = cairn_odometry_track_at(&m->track, t_end_ns);
	for (int i = 0; i < CAIRN_RAYS_KNOTS - 1; i++) {
		int64_t t = t_start_ns + span * i / (CAIRN_RAYS_KNOTS - 1);
		ret->knot[i] = cairn_pose_between(end, cairn_odometry_track_at(&m->track, t));
	}
}

void cairn_mapper_draw_scan(struct cairn_mapper *m, struct cairn_pose2 local)
{
	struct cairn_sheet *s = &m->sheets[m->sheet];
	cairn_grid_insert(&s->grid, local, &m->rays);
	(void)cairn_likelihood_field_update(
	    &s->field, &s->grid); /* without memory the old one stays: matching goes on */
	if (!m->detached)
		cairn_grid_insert(&m->grid, cairn_pose_compose(m->map_from_local, local), &m->rays);
}

/* Enters the scan if it is due. */
static enum cairn_scan_use enter_scan(
    struct cairn_mapper *m, struct cairn_pose2 local, enum cairn_edge_kind kind, int64_t t_ns)
{
	const struct cairn_odometry_track_point *newest = cairn_odometry_track_newest(&m->track);
	double turn_radps = newest != NULL ? fabs(newest->twist.w_radps) : 0.0;
	uint32_t old = UINT32_MAX;
	bool key = cairn_mapper_key_due(m, local, &old);
	if (turn_radps > INSERT_YAW_RATE_MAX || (!key && t_ns - m->t_insert_ns < REFRESH_NS))
		return CAIRN_SCAN_MATCHED;
	if (key)
		key = (kind == CAIRN_EDGE_CHAIN && old != UINT32_MAX
			      ? cairn_mapper_keep_known(m, local, old, t_ns)
			      : cairn_mapper_keep(m, local, kind, t_ns)) == 0;
	uint32_t revision = m->grid.revision;
	cairn_mapper_draw_scan(m, local);
	m->t_insert_ns = t_ns;
	m->counts.inserted++;
	m->changes += key || m->grid.revision != revision;
	if (!key)
		return CAIRN_SCAN_INSERTED;
	cairn_mapper_take_memory(m);
	struct cairn_vec2 centre = m->sheets[m->sheet].centre;
	m->local_due |= hypot(centre.x_m - local.x_m, centre.y_m - local.y_m) >
			fmax(LOCAL_MOVED_M, LOCAL_MOVED_SHARE * m->cfg.map.range_use_m);
	if (kind == CAIRN_EDGE_CHAIN && !m->detached)
		cairn_mapper_seek_loop(m);
	return CAIRN_SCAN_KEYFRAME;
}

/* Where to search and how far the prediction can be trusted. */
static struct cairn_match_request request_for(
    const struct cairn_mapper *m, struct cairn_pose2 predicted, double times)
{
	struct cairn_match_request q = {.predicted = predicted,
	    .prior_xy_m = CAIRN_PRIOR_M + m->unsure_m,
	    .prior_yaw_rad = CAIRN_PRIOR_RAD + m->unsure_rad};
	if (m->unconfirmed) {
		q.prior_xy_m += CAIRN_RESTART_M;
		q.prior_yaw_rad += CAIRN_RESTART_RAD;
	}
	q.window_m = fmin(times * fmax(m->cfg.map.match_window_m, 2.0 * q.prior_xy_m), WINDOW_MAX_M);
	q.window_rad = fmin(times * fmax(m->cfg.map.match_window_rad, 2.0 * q.prior_yaw_rad), WINDOW_MAX_RAD);
	q.prior_xy_m *= times;
	q.prior_yaw_rad *= times;
	return q;
}

static bool is_good(const struct cairn_match *match)
{
	return match->quality >= GOOD_QUALITY && match->known_share >= GOOD_KNOWN;
}

/* Matches against the local map; a scan that fits badly after a long step is tried again in a wider window.
 */
static bool match_local(struct cairn_mapper *m, struct cairn_pose2 predicted, double step_m)
{
	struct cairn_sheet *s = &m->sheets[m->sheet];
	struct cairn_match_request q = request_for(m, predicted, 1.0);
	if (!s->valid || !cairn_likelihood_field_update(&s->field, &s->grid) ||
	    !cairn_match_scan(m->matcher, &s->grid, &s->field, &m->rays, &q, &m->match))
		return false;
	if (is_good(&m->match) || step_m < m->cfg.map.keyframe_m)
		return true;
	struct cairn_match wide;
	q = request_for(m, predicted, WIDE_TIMES);
	if (cairn_match_scan(m->matcher, &s->grid, &s->field, &m->rays, &q, &wide) && is_good(&wide) &&
	    wide.score > m->match.score + WIDE_GAIN)
		m->match = wide;
	return true;
}

/* Tracking from the run of scans that fitted or did not. */
static void judge_tracking(struct cairn_mapper *m, bool fits, bool good, bool contradicts)
{
	m->good_run = good ? m->good_run + 1 : 0;
	m->bad_run = fits || !contradicts ? 0 : m->bad_run + 1;
	if (m->detached) {
		m->tracking = CAIRN_TRACKING_LOST;
	} else if (m->good_run >= GOOD_RUN) {
		if (!cairn_mapper_is_sure(m))
			return;
		m->tracking = CAIRN_TRACKING_GOOD;
		if (m->unconfirmed)
			cairn_mapper_confirm(m);
	} else if (m->bad_run >= LOST_RUN) {
		if (m->tracking != CAIRN_TRACKING_LOST)
			cairn_mapper_restart_seeking(m);
		if (m->confirm_from != UINT32_MAX)
			cairn_mapper_refute(m);
		m->tracking = CAIRN_TRACKING_LOST;
	} else if ((m->bad_run >= WEAK_RUN || (!fits && !contradicts)) &&
		   m->tracking == CAIRN_TRACKING_GOOD) {
		m->tracking = CAIRN_TRACKING_WEAK;
	}
}

static enum cairn_scan_use first_scan(struct cairn_mapper *m, struct cairn_pose2 local, int64_t t_ns)
{
	m->match = (struct cairn_match){.pose = local, .quality = 1.0, .known_share = 1.0};
	m->tracking = CAIRN_TRACKING_GOOD;
	m->good_run = GOOD_RUN;
	m->fit_distance_m = m->track.distance_m;
	cairn_mapper_clear_local(m, local);
	return enter_scan(m, local, CAIRN_EDGE_CHAIN, t_ns);
}

/* The scan fits: the pose is moved to where it fits. */
static void take_fit(struct cairn_mapper *m, struct cairn_pose2 track_pose)
{
	m->local_from_track = cairn_pose_compose(m->match.pose, cairn_pose_inverse(track_pose));
	m->sigma_xy_m = m->match.sigma_xy_m;
	m->sigma_yaw_rad = m->match.sigma_yaw_rad;
	m->fit_distance_m = m->track.distance_m;
	m->counts.matched++;
}

/* Nothing fits: odometry carries on, and where it is still believed it is mapped by. */
static enum cairn_scan_use use_unfit(
    struct cairn_mapper *m, struct cairn_pose2 local, bool tried, bool contradicts, int64_t t_ns)
{
	double blind_m = m->track.distance_m - m->fit_distance_m;
	if (!tried)
		return CAIRN_SCAN_UNFIT;
	if (m->tracking != CAIRN_TRACKING_LOST && !m->unconfirmed) {
		if (!contradicts)
			return cairn_mapper_key_due(m, local, NULL)
				   ? enter_scan(m, local, CAIRN_EDGE_WEAK, t_ns)
				   : CAIRN_SCAN_UNFIT;
		return blind_m >= CHAIN_AFTER_M && m->bad_run >= WEAK_RUN
			   ? cairn_mapper_begin_chain(m, local, false, t_ns)
			   : CAIRN_SCAN_UNFIT;
	}
	if (m->tracking == CAIRN_TRACKING_LOST && m->bad_run >= LOST_RUN && blind_m >= DETACH_AFTER_M)
		return cairn_mapper_begin_chain(m, local, true, t_ns);
	return CAIRN_SCAN_UNFIT;
}

/* What goes on in the background, a bounded part with each scan. */
static void draw_on(struct cairn_mapper *m)
{
	if (m->local_due || m->local_drawing.on)
		cairn_mapper_draw_local(m);
	cairn_mapper_redraw(m, false);
}

enum cairn_scan_use cairn_mapper_scan(struct cairn_mapper *m, const struct cairn_msg_scan *scan, int64_t t_ns)
{
	if (t_ns <= m->t_scan_ns) {
		m->counts.refused++;
		return CAIRN_SCAN_REFUSED;
	}
	struct cairn_rays_motion motion;
	motion_of(m, scan->t_start_ns, t_ns, &motion);
	size_t hits = cairn_rays_from_scan(&m->rays, scan, &motion, &m->cfg);
	cairn_rays_find_faces(&m->rays);
	struct cairn_pose2 track_pose = cairn_odometry_track_at(&m->track, t_ns);
	struct cairn_pose2 predicted = cairn_pose_compose(m->local_from_track, track_pose);
	struct cairn_pose2 step = cairn_pose_between(m->scan_track, track_pose);
	m->t_scan_ns = t_ns;
	m->scan_track = track_pose;
	m->counts.scans++;
	if (m->tracking == CAIRN_TRACKING_NONE)
		return hits < HITS_MIN ? CAIRN_SCAN_UNFIT : first_scan(m, predicted, t_ns);
	draw_on(m);
	double length = hypot(step.x_m, step.y_m);
	doubt(m, CAIRN_PRIOR_M_PER_M * length,
	    CAIRN_PRIOR_RAD_PER_M * length + CAIRN_PRIOR_RAD_PER_RAD * fabs(step.yaw_rad));
	bool tried = match_local(m, predicted, length);
	bool strict = m->unconfirmed || (m->tracking == CAIRN_TRACKING_LOST && !m->detached);
	double enough = m->confirm_from != UINT32_MAX ? FOUND_FIT : strict ? REGAIN_QUALITY : FIT_QUALITY;
	bool fits = tried && m->match.quality >= enough &&
		    m->match.known_share >= (strict ? REGAIN_KNOWN : FIT_KNOWN) &&
		    m->match.score >= (strict ? REGAIN_SCORE : 0.0);
	bool contradicts = tried && !fits && (strict || m->match.known_share >= UNSEEN_KNOWN);
	judge_tracking(m, fits, fits && is_good(&m->match), contradicts);
	if (!fits && cairn_mapper_search(m, predicted, t_ns))
		return CAIRN_SCAN_MATCHED;
	if (!fits)
		return use_unfit(m, predicted, tried, contradicts, t_ns);
	take_fit(m, track_pose);
	enum cairn_scan_use use = CAIRN_SCAN_MATCHED;
	if (!m->unconfirmed && (m->tracking != CAIRN_TRACKING_LOST || m->detached))
		use = enter_scan(m, m->match.pose, CAIRN_EDGE_CHAIN, t_ns);
	m->unsure_m = m->unsure_rad = 0.0;
	if (m->detached)
		(void)cairn_mapper_search(m, m->match.pose, t_ns);
	return use;
}

void cairn_mapper_settle(struct cairn_mapper *m)
{
	m->drawn_count = 0;
	cairn_mapper_optimise(m);
	m->redraw_due |= m->redrawing.on;
	m->redrawing.on = false;
	cairn_mapper_redraw(m, true);
}

bool cairn_mapper_number(struct cairn_mapper *m, uint64_t map_id)
{
	if (m->map_id != 0)
		return false;
	m->map_id = map_id;
	return true;
}

uint32_t cairn_mapper_epoch(const struct cairn_mapper *m)
{
	return m->map_epoch;
}

const struct cairn_pose_graph *cairn_mapper_graph(const struct cairn_mapper *m)
{
	return &m->graph;
}

void cairn_mapper_given_up(struct cairn_mapper *m, const struct cairn_msg_given_up *items, uint32_t count)
{
	cairn_frontier_given_up(m->finder, items, count);
}

bool cairn_mapper_frontiers(struct cairn_mapper *m, int64_t now_ns, struct cairn_msg_frontiers *ret)
{
	bool looking = m->tracking == CAIRN_TRACKING_GOOD && now_ns - m->t_scan_ns < SCAN_SILENT_NS;
	if (!cairn_frontier_find(m->finder, &m->memory, &m->grid, pose_now(m), looking, &m->cfg, ret))
		return false;
	cairn_mapper_fill_gains(m, ret);
	return true;
}

const struct cairn_wavefront *cairn_mapper_reach(
    const struct cairn_mapper *m, int32_t *ret_cx0, int32_t *ret_cy0)
{
	return cairn_frontier_reach(m->finder, ret_cx0, ret_cy0);
}

const struct cairn_grid *cairn_mapper_grid(const struct cairn_mapper *m)
{
	return &m->grid;
}

const float *cairn_mapper_driven(const struct cairn_mapper *m, uint32_t *ret_points)
{
	*ret_points = m->driven_count;
	return m->driven;
}

const struct cairn_keyframe *cairn_mapper_keyframes(const struct cairn_mapper *m, uint32_t *ret_count)
{
	*ret_count = m->keyframe_count;
	return m->keyframes;
}

const int16_t *cairn_mapper_keyframe_points(const struct cairn_mapper *m)
{
	return m->points;
}

struct cairn_mapper_counts cairn_mapper_counts(const struct cairn_mapper *m)
{
	struct cairn_mapper_counts counts = m->counts;
	counts.wild = m->track.wild;
	counts.restarts = m->track.restarts;
	counts.clipped = m->grid.clipped;
	return counts;
}

uint64_t cairn_mapper_changes(const struct cairn_mapper *m)
{
	return m->changes;
}
