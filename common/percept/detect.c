#include "common/percept/detect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "ipc/topics.h"

#define POSE_GAP_NS (300 * CAIRN_NS_PER_MS) /* between two poses no farther apart a straight way is taken */
#define STILL_M 0.02
#define STILL_RAD 0.03
#define RATE_GAIN 0.3
#define CUT_PX 2.0f /* so near to the edge of the picture a box is cut off by it */

void cairn_detector_init(struct cairn_detector *d, const struct cairn_config *cfg)
{
	*d = (struct cairn_detector){.cfg = cfg};
}

const char *cairn_detector_task(const struct cairn_msg_agent *m)
{
	switch (m->state) {
	case CAIRN_AGENT_STATE_PLANNING:
	case CAIRN_AGENT_STATE_THINKING:
	case CAIRN_AGENT_STATE_ACTING:
	case CAIRN_AGENT_STATE_SEARCHING:
		return m->task;
	default:
		return "";
	}
}

void cairn_detector_on_pose(struct cairn_detector *d, const struct cairn_msg_pose *m, int64_t t_ns)
{
	d->tracked = m->tracking == CAIRN_TRACKING_GOOD || m->tracking == CAIRN_TRACKING_WEAK;
	if (!d->tracked || !isfinite(m->x_m) || !isfinite(m->y_m) || !isfinite(m->yaw_rad))
		return;
	uint32_t last = (d->pose_head + d->pose_count - 1) % CAIRN_DETECT_POSES;
	if (d->pose_count > 0 && t_ns <= d->poses[last].t_ns)
		return;
	if (m->map_id != d->map_id || m->map_epoch != d->map_epoch)
		d->pose_count = 0; /* poses of another map do not mix with those of this one */
	d->map_id = m->map_id;
	d->map_epoch = m->map_epoch;
	uint32_t at = (d->pose_head + d->pose_count) % CAIRN_DETECT_POSES;
	if (d->pose_count < CAIRN_DETECT_POSES)
		d->pose_count++;
	else
		d->pose_head = (d->pose_head + 1) % CAIRN_DETECT_POSES;
	d->poses[at].t_ns = t_ns;
	d->poses[at].pose = (struct cairn_pose2){m->x_m, m->y_m, m->yaw_rad};
}

static bool pose_at(const struct cairn_detector *d, int64_t t_ns, struct cairn_pose2 *ret)
{
	for (uint32_t i = d->pose_count; i-- > 0;) {
		uint32_t at = (d->pose_head + i) % CAIRN_DETECT_POSES, next = (at + 1) % CAIRN_DETECT_POSES;
		int64_t before = d->poses[at].t_ns;
		if (before > t_ns)
			continue;
		*ret = d->poses[at].pose;
		if (i + 1 == d->pose_count)
			return t_ns - before <= POSE_GAP_NS;
		int64_t span = d->poses[next].t_ns - before;
		if (span > POSE_GAP_NS)
			return false;
		double k = (double)(t_ns - before) / (double)span;
		struct cairn_pose2 b = d->poses[next].pose;
		ret->x_m += k * (b.x_m - ret->x_m);
		ret->y_m += k * (b.y_m - ret->y_m);
		ret->yaw_rad = cairn_wrap_rad(ret->yaw_rad + k * cairn_wrap_rad(b.yaw_rad - ret->yaw_rad));
		return true;
	}
	return false;
}

/* ---- when ---- */

static bool moved(const struct cairn_detector *d, struct cairn_pose2 pose)
{
	return cairn_compare_distance(pose.x_m - d->looked_from.x_m, pose.y_m - d->looked_from.y_m, STILL_M) >
		   0 ||
	       fabs(cairn_wrap_rad(pose.yaw_rad - d->looked_from.yaw_rad)) > STILL_RAD;
}

bool cairn_detector_due(struct cairn_detector *d, int64_t now_ns, uint64_t *ret_look)
{
	const struct cairn_config_detect *c = &d->cfg->detect;
	if (d->t_asked_ns != 0) {
		if (now_ns - d->t_asked_ns <= (int64_t)(c->answer_max_s * 1e9))
			return false;
		d->late++;
		d->t_asked_ns = 0;
	}
	if (now_ns < d->t_due_ns || !d->tracked || d->pose_count == 0)
		return false;
	struct cairn_pose2 pose = d->poses[(d->pose_head + d->pose_count - 1) % CAIRN_DETECT_POSES].pose;
	if (d->look > 0 && !moved(d, pose)) {
		bool pausing = d->still_looks >= (uint32_t)c->still_looks;
		if (pausing && now_ns - d->t_due_ns < (int64_t)(c->still_period_s * 1e9))
			return false;
		d->still_looks++;
	} else {
		d->still_looks = 0;
		d->looked_from = pose;
	}
	d->t_due_ns = now_ns + (int64_t)(1e9 / c->rate_hz);
	d->t_asked_ns = now_ns;
	d->asked++;
	*ret_look = ++d->look;
	return true;
}

/* ---- what ---- */

static float overlap(const float a[4], const float b[4])
{
	float w = fminf(a[2], b[2]) - fmaxf(a[0], b[0]), h = fminf(a[3], b[3]) - fmaxf(a[1], b[1]);
	if (!(w > 0.0f && h > 0.0f))
		return 0.0f;
	float both = w * h;
	return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

static bool sane(
    const struct cairn_config *cfg, const struct cairn_detected_list *s, const struct cairn_detected *t)
{
	float w = (float)s->width_px, h = (float)s->height_px, slack = 1.0f;
	bool ok = t->confidence >= (float)cfg->detect.confidence_min && t->confidence <= 1.0f &&
		  t->point_count >= 1 && t->point_count <= CAIRN_DETECT_POINTS;
	ok = ok && t->px[0] >= -slack && t->px[1] >= -slack && t->px[2] <= w + slack &&
	     t->px[3] <= h + slack && t->px[2] > t->px[0] && t->px[3] > t->px[1];
	float range = (float)cfg->detect.range_max_m;
	for (uint32_t i = 0; ok && i < t->point_count; i++) {
		const struct cairn_detect_point *p = &t->points[i];
		ok = isfinite(p->right_m) && isfinite(p->down_m) && p->ahead_m > 0.0f &&
		     p->ahead_m < 2.0f * range && fabsf(p->right_m) < 2.0f * range &&
		     fabsf(p->down_m) < 2.0f * range;
	}
	return ok && t->points[0].ahead_m <= range;
}

static void place(
    const struct cairn_camera_pose *camera, const struct cairn_detected *s, struct cairn_msg_detection *ret)
{
	float *b = ret->box_m;
	for (uint32_t i = 0; i < s->point_count; i++) {
		const struct cairn_detect_point *p = &s->points[i];
		double at[3] = {(double)p->right_m, (double)p->down_m, (double)p->ahead_m};
		cairn_camera_from_optical(camera, at, at);
		for (int k = 0; k < 3; k++) {
			b[k] = i == 0 ? (float)at[k] : fminf(b[k], (float)at[k]);
			b[k + 3] = i == 0 ? (float)at[k] : fmaxf(b[k + 3], (float)at[k]);
		}
	}
	ret->box_m_count = 6;
	ret->x_m = 0.5 * ((double)b[0] + (double)b[3]);
	ret->y_m = 0.5 * ((double)b[1] + (double)b[4]);
	ret->z_m = 0.5 * ((double)b[2] + (double)b[5]);
}

/* Adds it behind those that are more certain, unless it is one of them once more. False: it makes no sense, or there is no room. */
static bool add(const struct cairn_config *cfg, const struct cairn_detected_list *s,
    const struct cairn_detected *t, const struct cairn_camera_pose *camera, struct cairn_msg_detections *m)
{
	struct cairn_msg_detection one = {.confidence = t->confidence, .px_count = 4, .track = t->track};
	cairn_text_clean(one.label, sizeof(one.label), t->label, strnlen(t->label, sizeof(t->label)));
	cairn_text_clean(one.colour, sizeof(one.colour), t->colour, strnlen(t->colour, sizeof(t->colour)));
	cairn_text_clean(one.state, sizeof(one.state), t->state, strnlen(t->state, sizeof(t->state)));
	memcpy(one.px, t->px, sizeof(one.px));
	if (one.label[0] == '\0' || !sane(cfg, s, t) || m->items_count >= CAIRN_DETECT_ITEMS)
		return false;
	for (uint32_t i = 0; i < m->items_count; i++)
		if (strcmp(m->items[i].label, one.label) == 0 &&
		    overlap(m->items[i].px, one.px) > (float)CAIRN_DETECT_OVERLAP_MAX)
			return true;
	one.cut = t->px[0] < CUT_PX || t->px[1] < CUT_PX || t->px[2] > (float)s->width_px - CUT_PX ||
		  t->px[3] > (float)s->height_px - CUT_PX;
	place(camera, t, &one);
	m->items[m->items_count++] = one;
	return true;
}

uint32_t cairn_detect_place(const struct cairn_config *cfg, const struct cairn_detected_list *s,
    const struct cairn_camera_pose *camera, struct cairn_msg_detections *m)
{
	bool taken[CAIRN_DETECT_ITEMS] = {false};
	double aspect = (double)s->height_px / (double)s->width_px;
	uint32_t left_out = s->left_out;
	struct cairn_camera_mount at = cairn_camera_pose_mount(camera);
	*m = (struct cairn_msg_detections){.look = s->look,
	    .x_m = at.x_m,
	    .y_m = at.y_m,
	    .z_m = at.z_m,
	    .yaw_rad = at.yaw_rad,
	    .pitch_rad = at.pitch_rad,
	    .roll_rad = at.roll_rad,
	    .hfov_rad = cfg->robot.camera_hfov_rad,
	    .vfov_rad = 2.0 * atan(aspect * tan(0.5 * cfg->robot.camera_hfov_rad)),
	    .nearest_m_count = CAIRN_DETECT_TILES};
	for (uint32_t i = 0; i < CAIRN_DETECT_TILES; i++)
		m->nearest_m[i] =
		    isfinite(s->nearest_m[i]) && s->nearest_m[i] > 0.0f ? s->nearest_m[i] : 0.0f;
	for (uint32_t n = 0; n < s->count; n++) {
		uint32_t best = s->count;
		for (uint32_t i = 0; i < s->count; i++)
			if (!taken[i] &&
			    (best == s->count || s->items[i].confidence > s->items[best].confidence))
				best = i;
		taken[best] = true;
		left_out += add(cfg, s, &s->items[best], camera, m) ? 0 : 1;
	}
	return left_out;
}

static bool refuse(struct cairn_detector *d, struct cairn_error *err, const char *why)
{
	d->refused++;
	cairn_error_set(err, "detector: %s", why);
	return false;
}

bool cairn_detector_answer(struct cairn_detector *d, const struct cairn_detected_list *s, int64_t now_ns,
    struct cairn_msg_detections *ret, struct cairn_error *err)
{
	struct cairn_pose2 pose;
	int64_t limit_ns = (int64_t)(d->cfg->detect.answer_max_s * 1e9);
	if (d->t_asked_ns == 0 || s->look != d->look)
		return refuse(d, err, "an answer to a question that was not asked, or not any more");
	d->t_asked_ns = 0;
	if (s->count > CAIRN_DETECT_ITEMS || s->width_px == 0 || s->height_px == 0)
		return refuse(d, err, "an answer without the size of its picture, or with too many things");
	if (s->t_ns > now_ns + CAIRN_STAMP_AHEAD_NS || now_ns - s->t_ns > 2 * limit_ns)
		return refuse(d, err, "an answer for a picture of the future, or one too old");
	if (!pose_at(d, s->t_ns, &pose))
		return refuse(d, err, "an answer for a picture of a time without a pose");
	struct cairn_camera_pose camera = cairn_camera_pose_from(d->cfg, (int)s->width_px, (int)s->height_px);
	camera = cairn_camera_pose_in_map(&camera, pose);
	d->left_out += cairn_detect_place(d->cfg, s, &camera, ret);
	ret->map_id = d->map_id;
	ret->map_epoch = d->map_epoch;
	if (ret->items_count != d->last_count)
		d->still_looks = 0; /* something came or went */
	d->last_count = ret->items_count;
	if (d->t_answer_ns != 0 && now_ns > d->t_answer_ns) {
		double hz = 1e9 / (double)(now_ns - d->t_answer_ns);
		d->rate_hz += (d->rate_hz > 0.0 ? RATE_GAIN : 1.0) * (hz - d->rate_hz);
	}
	d->t_answer_ns = now_ns;
	ret->asked = d->asked;
	ret->late = d->late;
	ret->refused = d->refused;
	ret->left_out = d->left_out;
	ret->latency_ms = (double)(now_ns - s->t_ns) * 1e-6;
	ret->rate_hz = d->rate_hz;
	return true;
}
