/* upkeep.c - after each picture: what is one thing becomes one, what is gone becomes stale, what was moved is found again. */
#include <math.h>
#include <string.h>

#include "common/percept/detect.h"
#include "common/scene/scene_private.h"

#define DOUBLE_GAP_M 0.10    /* parts of one thing that were never seen in one picture */
#define DOUBLE_MIDDLE_M 0.15 /* middle of the one in, or this near to, the other */
#define SMALL_M 0.2          /* narrower things may stand closer: both distances shrink with their width */
#define DOUBLE_WIDTH_MAX_M 2.6
#define DOUBLE_SEEN 4
#define VIEW_MARGIN 0.9 /* of half the picture's width: nearer to its edge a thing may be missed, */
#define VIEW_SHARE 0.75 /* if less of it than this is farther in */
#define VIEW_NEAR_M 0.5
#define VIEW_FAR 0.7        /* of detect.range_max_m */
#define VIEW_ANGLE_MIN 0.06 /* a thing that looks smaller may be missed */
#define TILE_SLACK_M 0.25
#define SAME_SIZE_FACTOR 1.6
#define MOVED_MIN_M 0.3
#define NEWCOMER_SEEN 20

/* Its place in the list, or beside_count. */
static uint32_t beside_of(const struct cairn_scene_object *a, uint32_t number)
{
	uint32_t i = 0;
	while (i < a->beside_count && a->beside[i].number != number)
		i++;
	return i;
}

bool cairn_scene_knows_beside(const struct cairn_scene_object *a, uint32_t number)
{
	return beside_of(a, number) < a->beside_count;
}

/* Of more than it can remember it forgets the farthest: that one is the last to be taken for a part of it. */
static void know_beside(struct cairn_scene_object *a, uint32_t number, float gap_m)
{
	uint32_t at = beside_of(a, number);
	if (number == a->number)
		return;
	if (at == a->beside_count && at < CAIRN_SCENE_BESIDE) {
		a->beside_count++;
	} else if (at == a->beside_count) {
		at = 0;
		for (uint32_t i = 1; i < CAIRN_SCENE_BESIDE; i++)
			if (a->beside[i].gap_m > a->beside[at].gap_m)
				at = i;
		if (gap_m >= a->beside[at].gap_m)
			return;
	}
	a->beside[at] = (struct cairn_scene_beside){number, gap_m};
}

void cairn_scene_set_beside(struct cairn_scene_object *a, struct cairn_scene_object *b)
{
	float gap_m = (float)cairn_scene_box_gap(&a->box, &b->box);
	know_beside(a, b->number, gap_m);
	know_beside(b, a->number, gap_m);
}

/* ---- doubles ---- */

/* b becomes a part of a. */
static void join(
    struct cairn_scene *s, struct cairn_scene_object *a, struct cairn_scene_object *b, bool moved)
{
	if (moved)
		a->box = b->box;
	else
		cairn_scene_box_join(&a->box, &b->box);
	for (int i = 0; i < CAIRN_SCENE_VOTES; i++)
		if (b->votes[i].count > 0)
			cairn_scene_vote(a, b->votes[i].label, b->votes[i].count);
	if (b->last_unix_s > a->last_unix_s) {
		a->last_unix_s = b->last_unix_s;
		a->got = b->got;
		a->room = b->room != 0 ? b->room : a->room;
		a->stale = b->stale;
		a->missed = b->missed;
	}
	a->first_unix_s = fmin(a->first_unix_s, b->first_unix_s);
	a->confidence = fmax(a->confidence, b->confidence);
	a->seen += b->seen;
	a->whole += b->whole;
	a->moves += b->moves + moved;
	a->t_update = b->t_update > a->t_update ? b->t_update : a->t_update;
	for (uint32_t i = 0; i < b->beside_count; i++)
		know_beside(a, b->beside[i].number, b->beside[i].gap_m);
	for (uint32_t i = 0; i < s->object_count; i++) {
		uint32_t at = s->objects[i].number != 0 ? beside_of(&s->objects[i], b->number) : UINT32_MAX;
		if (at >= s->objects[i].beside_count)
			continue;
		if (cairn_scene_knows_beside(&s->objects[i], a->number) || a == &s->objects[i])
			s->objects[i].beside[at] = s->objects[i].beside[--s->objects[i].beside_count];
		else
			s->objects[i].beside[at].number = a->number;
	}
	b->number = 0;
	cairn_scene_confirm(s, a);
}

static bool is_double(const struct cairn_scene_object *a, const struct cairn_scene_object *b)
{
	if (strcmp(a->votes[0].label, b->votes[0].label) != 0 || cairn_scene_knows_beside(a, b->number) ||
	    cairn_scene_knows_beside(b, a->number) || a->stale != b->stale)
		return false;
	double near =
	    fmin(1.0, fmax(cairn_scene_box_width(&a->box), cairn_scene_box_width(&b->box)) / SMALL_M);
	if (cairn_scene_box_gap(&a->box, &b->box) > near * DOUBLE_GAP_M)
		return false;
	double am[3], bm[3];
	for (int k = 0; k < 3; k++) {
		am[k] = cairn_scene_box_middle(&a->box, k);
		bm[k] = cairn_scene_box_middle(&b->box, k);
	}
	if (fmin(cairn_scene_box_distance(&a->box, bm), cairn_scene_box_distance(&b->box, am)) <=
	    near * DOUBLE_MIDDLE_M)
		return true;
	/* Two parts side by side: of one thing, if one was never seen whole, or if many pictures have shown the one or the
	 * other and none both. */
	struct cairn_scene_box both = a->box;
	cairn_scene_box_join(&both, &b->box);
	bool apart = a->seen >= DOUBLE_SEEN && b->seen >= DOUBLE_SEEN;
	return (a->whole == 0 || b->whole == 0 || apart) &&
	       cairn_scene_box_width(&both) <= DOUBLE_WIDTH_MAX_M;
}

void cairn_scene_join_doubles(struct cairn_scene *s)
{
	for (uint32_t i = 0; i < s->object_count; i++) {
		struct cairn_scene_object *a = &s->objects[i];
		if (a->number == 0 || a->t_update != s->updates || a->kind == CAIRN_SCENE_KIND_AGENT)
			continue;
		for (uint32_t k = 0; k < s->object_count; k++) {
			struct cairn_scene_object *b = &s->objects[k];
			if (k == i || b->number == 0 || fabs(b->box.min[0] - a->box.min[0]) > 8.0 ||
			    !is_double(a, b))
				continue;
			bool a_first = a->confirmed != b->confirmed ? a->confirmed : a->number < b->number;
			if (a_first) {
				join(s, a, b, false);
			} else {
				join(s, b, a, false);
				break;
			}
		}
	}
}

/* ---- gone ---- */

enum sight_of { OUT_OF_VIEW, HIDDEN, EXPECTED, SEEN_THROUGH };

static struct cairn_camera_pose camera_of(const struct cairn_msg_detections *m)
{
	struct cairn_camera_mount at = {m->x_m, m->y_m, m->z_m, m->yaw_rad, m->pitch_rad, m->roll_rad};
	return cairn_camera_pose_make(
	    at, m->hfov_rad, 2.0 * tan(0.5 * m->hfov_rad), 2.0 * tan(0.5 * m->vfov_rad));
}

/* Cuts a range to what is well in the picture. False: that is too little of it. */
static bool cut_to_view(double range[2])
{
	double whole = range[1] - range[0];
	range[0] = fmax(range[0], -VIEW_MARGIN);
	range[1] = fmin(range[1], VIEW_MARGIN);
	return range[1] - range[0] >= VIEW_SHARE * whole;
}

/* Was the thing to be seen from there? By the tiles of depth that its box covers. */
static enum sight_of in_view(
    const struct cairn_scene *s, const struct cairn_scene_object *o, const struct cairn_msg_detections *m)
{
	struct cairn_camera_pose camera = camera_of(m);
	double u[2] = {1e9, -1e9}, v[2] = {1e9, -1e9}, z[2] = {1e9, -1e9};
	double half_u = tan(0.5 * m->hfov_rad), half_v = tan(0.5 * m->vfov_rad);
	for (int i = 0; i < 8; i++) {
		double corner[3] = {i & 1 ? o->box.max[0] : o->box.min[0],
		    i & 2 ? o->box.max[1] : o->box.min[1], i & 4 ? o->box.max[2] : o->box.min[2]};
		cairn_camera_to_optical(&camera, corner, corner);
		double right = corner[0], down = corner[1], ahead = corner[2];
		if (ahead < VIEW_NEAR_M)
			return OUT_OF_VIEW;
		u[0] = fmin(u[0], right / ahead / half_u);
		u[1] = fmax(u[1], right / ahead / half_u);
		v[0] = fmin(v[0], down / ahead / half_v);
		v[1] = fmax(v[1], down / ahead / half_v);
		z[0] = fmin(z[0], ahead);
		z[1] = fmax(z[1], ahead);
	}
	if (!cut_to_view(u) || !cut_to_view(v) || z[1] > VIEW_FAR * s->cfg->detect.range_max_m ||
	    m->nearest_m_count != CAIRN_DETECT_TILES)
		return OUT_OF_VIEW;
	if ((u[1] - u[0]) * half_u < VIEW_ANGLE_MIN || (v[1] - v[0]) * half_v < VIEW_ANGLE_MIN)
		return OUT_OF_VIEW;
	bool through = true;
	for (int ty = (int)((v[0] + 1.0) * 0.5 * CAIRN_DETECT_TILE_ROWS);
	     ty <= (int)((v[1] + 1.0) * 0.5 * CAIRN_DETECT_TILE_ROWS); ty++)
		for (int tx = (int)((u[0] + 1.0) * 0.5 * CAIRN_DETECT_TILE_COLS);
		     tx <= (int)((u[1] + 1.0) * 0.5 * CAIRN_DETECT_TILE_COLS); tx++) {
			double near = (double)m->nearest_m[ty * CAIRN_DETECT_TILE_COLS + tx];
			if (near > 0.0 && near < z[0] - TILE_SLACK_M)
				return HIDDEN;
			through = through && !(near > 0.0 && near <= z[1] + TILE_SLACK_M);
		}
	return through ? SEEN_THROUGH : EXPECTED;
}

static bool alike(const struct cairn_scene_box *a, const struct cairn_scene_box *b)
{
	double wa = cairn_scene_box_width(a) + 0.1, wb = cairn_scene_box_width(b) + 0.1,
	       ha = cairn_scene_box_size(a, 2) + 0.1, hb = cairn_scene_box_size(b, 2) + 0.1;
	return wa < SAME_SIZE_FACTOR * wb && wb < SAME_SIZE_FACTOR * wa && ha < SAME_SIZE_FACTOR * hb &&
	       hb < SAME_SIZE_FACTOR * ha;
}

static bool could_be_moved(const struct cairn_scene_object *o, const char *label, const char *colour,
    const struct cairn_scene_box *box)
{
	bool colours = o->colour[0] == '\0' || colour[0] == '\0' || strcmp(o->colour, colour) == 0;
	return strcmp(o->votes[0].label, label) == 0 && colours && alike(&o->box, box);
}

struct cairn_scene_object *cairn_scene_find_moved(
    struct cairn_scene *s, const char *label, const char *colour, const struct cairn_scene_box *box)
{
	struct cairn_scene_object *best = NULL;
	double low = INFINITY;
	for (uint32_t i = 0; i < s->object_count; i++) {
		struct cairn_scene_object *o = &s->objects[i];
		if (o->number == 0 || !o->confirmed || !o->stale || !could_be_moved(o, label, colour, box))
			continue;
		double d = cairn_scene_box_gap(&o->box, box);
		if (d < low) {
			low = d;
			best = o;
		}
	}
	return best;
}

/* The same kind of thing, seen for the first time since the other was there last. */
static bool is_moved(const struct cairn_scene_object *gone, const struct cairn_scene_object *o)
{
	return o->number != 0 && o != gone && !o->stale && o->confirmed && gone->stale && gone->confirmed &&
	       o->first_unix_s > gone->last_unix_s && !cairn_scene_knows_beside(o, gone->number) &&
	       cairn_scene_box_gap(&o->box, &gone->box) > MOVED_MIN_M - 0.3 &&
	       could_be_moved(gone, o->votes[0].label, o->colour, &o->box);
}

static void has_moved(struct cairn_scene *s, struct cairn_scene_object *gone, struct cairn_scene_object *to)
{
	join(s, gone, to, true);
	gone->stale = false;
	gone->missed = 0;
}

/* It has become stale: of what has come meanwhile, the first is this one. */
static void look_for_moved(struct cairn_scene *s, struct cairn_scene_object *gone)
{
	struct cairn_scene_object *best = NULL;
	for (uint32_t i = 0; i < s->object_count; i++) {
		struct cairn_scene_object *o = &s->objects[i];
		if (is_moved(gone, o) && (best == NULL || o->first_unix_s < best->first_unix_s))
			best = o;
	}
	if (best != NULL)
		has_moved(s, gone, best);
}

/* What came before the other was missed, and was believed only after, or had another name at first. */
static void look_for_gone(struct cairn_scene *s)
{
	for (uint32_t k = 0; k < s->object_count; k++) {
		struct cairn_scene_object *o = &s->objects[k];
		if (o->number == 0 || o->t_update != s->updates || !o->confirmed || o->seen > NEWCOMER_SEEN)
			continue;
		for (uint32_t i = 0; i < s->object_count; i++)
			if (s->objects[i].number != 0 && is_moved(&s->objects[i], o)) {
				has_moved(s, &s->objects[i], o);
				break;
			}
	}
}

void cairn_scene_miss(struct cairn_scene *s, const struct cairn_msg_detections *m)
{
	uint32_t most = (uint32_t)s->cfg->scene.stale_misses;
	double range = s->cfg->detect.range_max_m;
	for (uint32_t i = 0; i < s->object_count; i++) {
		struct cairn_scene_object *o = &s->objects[i];
		if (o->number == 0 || o->t_update == s->updates || o->stale ||
		    cairn_compare_distance(o->box.min[0] - m->x_m, o->box.min[1] - m->y_m, range) > 0)
			continue;
		enum sight_of sight = in_view(s, o, m);
		if (sight == EXPECTED || sight == SEEN_THROUGH)
			o->missed += sight == SEEN_THROUGH ? 2 : 1;
		if (o->missed < most)
			continue;
		if (!o->confirmed) { /* never believed: a mistake of the detector */
			o->number = 0;
			continue;
		}
		o->stale = true;
		look_for_moved(s, o);
	}
	look_for_gone(s);
}
