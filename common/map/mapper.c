#include "common/map/mapper_parts.h"

#include <stdlib.h>
#include <string.h>

#define HITS_MIN 20
#define FIT_QUALITY 0.40 /* below, a scan does not fit */
#define FIT_KNOWN 0.10
#define GOOD_QUALITY 0.55 /* from here on it fits well */
#define GOOD_KNOWN 0.25
#define REGAIN_QUALITY 0.65 /* a lost or reborn mapper believes only this */
#define REGAIN_KNOWN 0.50
#define GOOD_RUN 3
#define WEAK_RUN 2
#define LOST_RUN 10
#define LOST_TRY_EVERY 3 /* wide searches are dear */
#define REFRESH_NS CAIRN_NS_PER_S
#define INSERT_YAW_RATE_MAX 1.5 /* a faster turn smears the scan */
#define DRIVEN_STEP_M 0.05
#define SCAN_SILENT_NS CAIRN_NS_PER_S
#define BLIND_LOST_M 5.0 /* so far without a scan that fits, odometry alone is not a pose any more */

/* Odometry as a prior of one scan: constant, by travel, by turn. */
#define PRIOR_M 0.01
#define PRIOR_M_PER_M 0.10
#define PRIOR_RAD 0.005
#define PRIOR_RAD_PER_M 0.05
#define PRIOR_RAD_PER_RAD 0.05
#define RESTART_M 0.15
#define RESTART_RAD 0.10
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
	cairn_match_field_init(&m->field);
	m->matcher = cairn_matcher_new();
	m->finder = cairn_frontier_finder_new();
	if (m->matcher == NULL || m->finder == NULL)
		cairn_mapper_destroy(&m);
	return m;
}

void cairn_mapper_destroy(struct cairn_mapper **mapper_p)
{
	struct cairn_mapper *m = *mapper_p;
	if (m == NULL)
		return;
	cairn_grid_free(&m->grid);
	cairn_match_field_free(&m->field);
	cairn_matcher_destroy(&m->matcher);
	cairn_frontier_finder_destroy(&m->finder);
	free(m->keyframes);
	free(m->points);
	free(m->driven);
	free(m->file);
	free(m);
	*mapper_p = NULL;
}

/* Room for one more item of item bytes each. */
static bool grow(void *array_p, uint32_t *capacity, uint32_t need, size_t item)
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

static struct cairn_pose2 pose_at(const struct cairn_mapper *m, int64_t t_ns)
{
	return cairn_pose_compose(m->map_from_track, cairn_track_at(&m->track, t_ns));
}

static struct cairn_pose2 pose_now(const struct cairn_mapper *m)
{
	const struct cairn_track_point *newest = cairn_track_newest(&m->track);
	return newest == NULL ? m->map_from_track : cairn_pose_compose(m->map_from_track, newest->pose);
}

static void doubt(struct cairn_mapper *m, double metres, double radians)
{
	m->unsure_m = fmin(m->unsure_m + metres, UNSURE_MAX_M);
	m->unsure_rad = fmin(m->unsure_rad + radians, UNSURE_MAX_RAD);
}

static void record_driven(struct cairn_mapper *m, struct cairn_pose2 pose)
{
	if (m->driven_count > 0) {
		const float *last = m->driven + 2 * (m->driven_count - 1);
		if (hypot(pose.x_m - (double)last[0], pose.y_m - (double)last[1]) < DRIVEN_STEP_M)
			return;
	}
	if (!grow(&m->driven, &m->driven_capacity, m->driven_count + 1, 2 * sizeof(float)))
		return;
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
	switch (cairn_track_add(&m->track, odom, t_ns, epoch, &m->cfg.robot)) {
	case CAIRN_TRACK_IGNORED:
		m->counts.refused++;
		return false;
	case CAIRN_TRACK_FIRST:
		if (m->tracking != CAIRN_TRACKING_NONE)
			doubt(m, RESTART_M, RESTART_RAD);
		break;
	case CAIRN_TRACK_WILD:
		doubt(m, WILD_M, WILD_RAD);
		break;
	case CAIRN_TRACK_OK:
		break;
	}
	if (m->t_scan_ns != 0 && t_ns - m->t_scan_ns > SCAN_SILENT_NS && m->tracking == CAIRN_TRACKING_GOOD) {
		m->tracking = CAIRN_TRACKING_WEAK;
		m->good_run = 0;
	}
	if (m->tracking == CAIRN_TRACKING_WEAK && m->track.distance_m - m->fit_distance_m > BLIND_LOST_M)
		m->tracking = CAIRN_TRACKING_LOST;
	struct cairn_pose2 pose = pose_now(m);
	if (m->tracking >= CAIRN_TRACKING_WEAK && !m->unconfirmed) {
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
	const struct cairn_track_point *newest = cairn_track_newest(&m->track);
	double since_m = m->track.distance_m - m->fit_distance_m;
	*ret = (struct cairn_msg_pose){.x_m = pose.x_m,
	    .y_m = pose.y_m,
	    .yaw_rad = pose.yaw_rad,
	    .tracking = m->tracking,
	    .quality = m->match.quality,
	    .sigma_xy_m = hypot(m->sigma_xy_m, m->unsure_m + PRIOR_M_PER_M * since_m),
	    .sigma_yaw_rad = hypot(m->sigma_yaw_rad, m->unsure_rad + PRIOR_RAD_PER_M * since_m),
	    .distance_m = m->track.distance_m,
	    .v_mps = newest != NULL ? newest->twist.v_mps : 0.0,
	    .keyframes = m->keyframe_count};
}

/* The robot's motion during the turn, from odometry. */
static void motion_of(
    const struct cairn_mapper *m, int64_t t_start_ns, int64_t t_end_ns, struct cairn_rays_motion *ret)
{
	*ret = (struct cairn_rays_motion){0};
	int64_t span = t_end_ns - t_start_ns;
	if (span <= 0 || span > CAIRN_NS_PER_S)
		return;
	struct cairn_pose2 end = cairn_track_at(&m->track, t_end_ns);
	for (int i = 0; i < CAIRN_RAYS_KNOTS - 1; i++) {
		int64_t t = t_start_ns + span * i / (CAIRN_RAYS_KNOTS - 1);
		ret->knot[i] = cairn_pose_between(end, cairn_track_at(&m->track, t));
	}
}

static void keep_keyframe(struct cairn_mapper *m, struct cairn_pose2 pose, int64_t t_ns)
{
	uint32_t count;
	const float *x_m, *y_m;
	cairn_matcher_points(m->matcher, &x_m, &y_m, &count);
	if (!grow(&m->keyframes, &m->keyframe_capacity, m->keyframe_count + 1, sizeof(*m->keyframes)) ||
	    !grow(&m->points, &m->point_capacity, m->point_count + count, 2 * sizeof(int16_t)))
		return;
	struct cairn_keyframe *k = &m->keyframes[m->keyframe_count++];
	*k = (struct cairn_keyframe){
	    t_ns, pose, m->scan_track, m->sigma_xy_m, m->sigma_yaw_rad, m->point_count, count};
	for (uint32_t i = 0; i < count; i++) {
		m->points[2 * (m->point_count + i)] =
		    (int16_t)lrint(cairn_clamp((double)x_m[i] * 1e3, -32767.0, 32767.0));
		m->points[2 * (m->point_count + i) + 1] =
		    (int16_t)lrint(cairn_clamp((double)y_m[i] * 1e3, -32767.0, 32767.0));
	}
	m->point_count += count;
	m->keyframe_pose = pose;
}

/* Enters the scan if it is due. */
static enum cairn_scan_use enter_scan(struct cairn_mapper *m, struct cairn_pose2 pose, int64_t t_ns)
{
	const struct cairn_track_point *newest = cairn_track_newest(&m->track);
	double turn_radps = newest != NULL ? fabs(newest->twist.w_radps) : 0.0;
	struct cairn_pose2 since = cairn_pose_between(m->keyframe_pose, pose);
	bool key = m->keyframe_count == 0 || hypot(since.x_m, since.y_m) >= m->cfg.map.keyframe_m ||
		   fabs(since.yaw_rad) >= m->cfg.map.keyframe_rad;
	if (turn_radps > INSERT_YAW_RATE_MAX || (!key && t_ns - m->t_insert_ns < REFRESH_NS))
		return CAIRN_SCAN_MATCHED;
	uint32_t revision = m->grid.revision;
	cairn_grid_insert(&m->grid, pose, &m->rays);
	(void)cairn_match_field_update(
	    &m->field, &m->grid); /* without memory the old one stays: matching goes on */
	m->t_insert_ns = t_ns;
	m->counts.inserted++;
	m->changes += key || m->grid.revision != revision;
	if (key)
		keep_keyframe(m, pose, t_ns);
	return key ? CAIRN_SCAN_KEYFRAME : CAIRN_SCAN_INSERTED;
}

/* Where to search and how far the prediction can be trusted. */
static struct cairn_match_request request_for(const struct cairn_mapper *m, struct cairn_pose2 predicted)
{
	struct cairn_match_request q = {.predicted = predicted,
	    .window_m = m->cfg.map.match_window_m,
	    .window_rad = m->cfg.map.match_window_rad,
	    .prior_xy_m = PRIOR_M + m->unsure_m,
	    .prior_yaw_rad = PRIOR_RAD + m->unsure_rad};
	bool searching = m->unconfirmed || m->tracking == CAIRN_TRACKING_LOST;
	if (m->unconfirmed) {
		q.prior_xy_m += RESTART_M;
		q.prior_yaw_rad += RESTART_RAD;
		q.window_m *= 2.0;
		q.window_rad *= 2.0;
	}
	if (searching &&
	    m->bad_run % LOST_TRY_EVERY == 1) { /* the window grows to 3 m and all directions in 20 s */
		double wide = 1.0 + m->bad_run / 20.0;
		q.window_m = fmin(fmax(q.window_m, q.window_m * wide), 3.0);
		q.window_rad = fmin(fmax(q.window_rad, q.window_rad * wide), M_PI);
		q.prior_xy_m = fmax(q.prior_xy_m, 0.5 * q.window_m);
		q.prior_yaw_rad = fmax(q.prior_yaw_rad, 0.5 * q.window_rad);
	}
	return q;
}

/* Tracking from the run of scans that fitted or did not. */
static void judge_tracking(struct cairn_mapper *m, bool fits, bool good)
{
	m->good_run = good ? m->good_run + 1 : 0;
	m->bad_run = fits ? 0 : m->bad_run + 1;
	if (m->good_run >= GOOD_RUN) {
		m->tracking = CAIRN_TRACKING_GOOD;
		m->unconfirmed = false;
	} else if (m->bad_run >= LOST_RUN) {
		m->tracking = CAIRN_TRACKING_LOST;
	} else if (m->bad_run >= WEAK_RUN && m->tracking == CAIRN_TRACKING_GOOD) {
		m->tracking = CAIRN_TRACKING_WEAK;
	}
}

static enum cairn_scan_use first_scan(struct cairn_mapper *m, struct cairn_pose2 pose, int64_t t_ns)
{
	struct cairn_match_request q = {.predicted = pose, .prior_xy_m = PRIOR_M, .prior_yaw_rad = PRIOR_RAD};
	(void)cairn_match_scan(
	    m->matcher, &m->grid, &m->field, &m->rays, &q, &m->match); /* thins the points */
	m->match.quality = m->match.known_share = 1.0;
	m->tracking = CAIRN_TRACKING_GOOD;
	m->good_run = GOOD_RUN;
	m->fit_distance_m = m->track.distance_m;
	return enter_scan(m, pose, t_ns);
}

/* The scan fits: the pose is moved to where it fits. */
static void take_fit(struct cairn_mapper *m, struct cairn_pose2 track_pose)
{
	m->map_from_track = cairn_pose_compose(m->match.pose, cairn_pose_inverse(track_pose));
	m->unsure_m = m->unsure_rad = 0.0;
	m->sigma_xy_m = m->match.sigma_xy_m;
	m->sigma_yaw_rad = m->match.sigma_yaw_rad;
	m->fit_distance_m = m->track.distance_m;
	m->counts.matched++;
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
	struct cairn_pose2 track_pose = cairn_track_at(&m->track, t_ns), predicted = pose_at(m, t_ns);
	struct cairn_pose2 step = cairn_pose_between(m->scan_track, track_pose);
	m->t_scan_ns = t_ns;
	m->scan_track = track_pose;
	m->counts.scans++;
	if (m->tracking == CAIRN_TRACKING_NONE)
		return hits < HITS_MIN ? CAIRN_SCAN_UNFIT : first_scan(m, predicted, t_ns);
	double length = hypot(step.x_m, step.y_m);
	doubt(m, PRIOR_M_PER_M * length, PRIOR_RAD_PER_M * length + PRIOR_RAD_PER_RAD * fabs(step.yaw_rad));
	struct cairn_match_request q = request_for(m, predicted);
	bool tried = cairn_match_field_update(&m->field, &m->grid) &&
		     cairn_match_scan(m->matcher, &m->grid, &m->field, &m->rays, &q, &m->match);
	bool searching = m->unconfirmed || m->tracking == CAIRN_TRACKING_LOST;
	bool fits = tried && m->match.quality >= (searching ? REGAIN_QUALITY : FIT_QUALITY) &&
		    m->match.known_share >= (searching ? REGAIN_KNOWN : FIT_KNOWN);
	bool good = fits && m->match.quality >= GOOD_QUALITY && m->match.known_share >= GOOD_KNOWN;
	judge_tracking(m, fits, good);
	if (!fits)
		return CAIRN_SCAN_UNFIT;
	take_fit(m, track_pose);
	if (m->unconfirmed || m->tracking == CAIRN_TRACKING_LOST)
		return CAIRN_SCAN_MATCHED;
	return enter_scan(m, m->match.pose, t_ns);
}

bool cairn_mapper_frontiers(struct cairn_mapper *m, int64_t now_ns, struct cairn_msg_frontiers *ret)
{
	bool looking = m->tracking == CAIRN_TRACKING_GOOD && now_ns - m->t_scan_ns < SCAN_SILENT_NS;
	return cairn_frontier_find(m->finder, &m->memory, &m->grid, pose_now(m), looking, &m->cfg, ret);
}

const struct cairn_wave *cairn_mapper_reach(
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

const struct cairn_match *cairn_mapper_last_match(const struct cairn_mapper *m)
{
	return &m->match;
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
