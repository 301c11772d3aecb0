#include "common/scene/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "common/percept/detect.h"
#include "common/scene/words.h"

#define POINT_SHARE 0.02 /* around a point this share of the picture's width is looked at, to each side */
#define CONFIDENCE 0.6f  /* of who points: a model, a person */

/* Level distance from a point to a box, 0 inside of it. */
static double level_distance(const float box_m[6], double x_m, double y_m)
{
	double dx = fmax(fmax((double)box_m[0] - x_m, x_m - (double)box_m[3]), 0.0),
	       dy = fmax(fmax((double)box_m[1] - y_m, y_m - (double)box_m[4]), 0.0);
	return hypot(dx, dy);
}

static void measure(
    const struct cairn_config *cfg, const float box_m[6], struct cairn_pose2 robot, struct cairn_found *ret)
{
	struct cairn_camera_mount mount = cairn_camera_mount_from(cfg);
	struct cairn_vec2 camera = cairn_pose_apply(robot, (struct cairn_vec2){mount.x_m, mount.y_m});
	for (int k = 0; k < 3; k++)
		ret->at_m[k] = 0.5 * ((double)box_m[k] + (double)box_m[k + 3]);
	ret->distance_m = level_distance(box_m, camera.x_m, camera.y_m);
	ret->bearing_rad =
	    cairn_wrap_rad(atan2(ret->at_m[1] - robot.y_m, ret->at_m[0] - robot.x_m) - robot.yaw_rad);
}

bool cairn_find_in_picture(const struct cairn_config *cfg, const struct cairn_find_view *view,
    const char *label, const double share[4], struct cairn_found *ret, struct cairn_msg_detections *ret_seen)
{
	struct cairn_detected_list list = {
	    .width_px = view->width_px, .height_px = view->height_px, .count = 1};
	struct cairn_detected *d = &list.items[0];
	double w = view->width_px, h = view->height_px, around = POINT_SHARE * w;
	bool point = !(share[2] > share[0] && share[3] > share[1]);
	*ret = (struct cairn_found){.found = false};
	*ret_seen = (struct cairn_msg_detections){.items_count = 0};
	if (view->depth_mm == NULL || view->width_px == 0 || view->height_px == 0)
		return false;
	cairn_text_clean(d->label, sizeof(d->label), label, strlen(label));
	d->confidence = fmaxf(CONFIDENCE, (float)cfg->detect.confidence_min);
	d->px[0] = (float)fmax(w * share[0] - (point ? around : 0.0), 0.0);
	d->px[1] = (float)fmax(h * share[1] - (point ? around : 0.0), 0.0);
	d->px[2] = (float)fmin(w * share[2] + (point ? around : 0.0), w);
	d->px[3] = (float)fmin(h * share[3] + (point ? around : 0.0), h);
	cairn_detect_depth(cfg, view->depth_mm, &list);
	struct cairn_camera_pose camera =
	    cairn_camera_pose_from(cfg, (int)view->width_px, (int)view->height_px);
	camera = cairn_camera_pose_in_map(&camera, view->robot);
	(void)cairn_detect_place(cfg, &list, &camera, ret_seen);
	ret_seen->nearest_m_count =
	    0; /* one thing was pointed to: that others were not says nothing of them */
	ret_seen->map_id = view->map_id;
	if (ret_seen->items_count == 0)
		return false;
	struct cairn_msg_detection *seen = &ret_seen->items[0];
	seen->cut = seen->cut || point; /* there is more of it than a point */
	memcpy(ret->label, seen->label, sizeof(ret->label));
	ret->found = ret->in_picture = true;
	measure(cfg, seen->box_m, view->robot, ret);
	return true;
}

/* 2: it is called so; 1: in part; 0: not at all. */
static int fits(const struct cairn_msg_scene_node *n, const char *what)
{
	char coloured[64];
	snprintf(coloured, sizeof(coloured), "%.15s %.40s", n->colour, n->label);
	if (n->kind == CAIRN_SCENE_KIND_PLACE) {
		bool door = strcasecmp(what, "door") == 0 || strcasecmp(what, "doorway") == 0;
		return strcasecmp(n->id, what) == 0 ? 2 : door && strncmp(n->id, "doorway_", 8) == 0;
	}
	if (n->kind != CAIRN_SCENE_KIND_OBJECT && n->kind != CAIRN_SCENE_KIND_AGENT)
		return 0;
	if (strcasecmp(n->label, what) == 0 || strcasecmp(n->id, what) == 0 ||
	    strcasecmp(coloured, what) == 0)
		return 2;
	return cairn_scene_has_word(n->label, what) || cairn_scene_has_word(what, n->label) ? 1 : 0;
}

bool cairn_find_in_scene(const struct cairn_config *cfg, const struct cairn_msg_scene *scene,
    const char *what, struct cairn_pose2 robot, double now_unix_s, struct cairn_found *ret)
{
	int best = 0;
	*ret = (struct cairn_found){.found = false};
	for (uint32_t i = 0; i < scene->nodes_count && what[0] != '\0'; i++) {
		const struct cairn_msg_scene_node *n = &scene->nodes[i];
		bool place = n->kind == CAIRN_SCENE_KIND_PLACE;
		int fit = fits(n, what) == 0 ? 0 : 2 * fits(n, what) + (n->stale ? 0 : 1);
		const float point[6] = {
		    (float)n->x_m, (float)n->y_m, 0.0f, (float)n->x_m, (float)n->y_m, 0.0f};
		struct cairn_found one = {.found = true, .stale = n->stale, .picture = n->picture};
		if (fit == 0 || fit < best || (!place && n->box_m_count != 6))
			continue;
		measure(cfg, place ? point : n->box_m, robot, &one);
		if (fit == best && one.distance_m >= ret->distance_m)
			continue;
		memcpy(one.id, n->id, sizeof(one.id));
		memcpy(one.label, n->label, sizeof(one.label));
		one.age_s = place ? 0.0 : fmax(now_unix_s - n->last_unix_s, 0.0);
		best = fit;
		*ret = one;
	}
	return ret->found;
}

void cairn_found_text(const struct cairn_found *f, const char *what, char *ret, size_t bytes)
{
	char side[32] = "straight ahead", when[48] = "", picture[48] = "";
	double deg = f->bearing_rad * 180.0 / M_PI;
	if (!f->found) {
		snprintf(ret, bytes, "\"%.40s\" is not found: nothing that is known is called so", what);
		return;
	}
	if (fabs(deg) >= 0.5)
		snprintf(side, sizeof(side), "%.0f deg to the %s", fabs(deg), deg > 0.0 ? "left" : "right");
	if (f->in_picture)
		snprintf(when, sizeof(when), "by the depth of this picture");
	else if (f->age_s < 120.0)
		snprintf(when, sizeof(when), "seen %.0f s ago", f->age_s);
	else
		snprintf(when, sizeof(when), "seen %.0f min ago", f->age_s / 60.0);
	if (f->picture != 0)
		snprintf(picture, sizeof(picture), ", picture %llu", (unsigned long long)f->picture);
	snprintf(ret, bytes,
	    "\"%.40s\"%s%.47s: %.2f m from the camera, %s, at %.2f,%.2f on the map, %.2f m high; %s%s%s",
	    f->label, f->id[0] != '\0' ? ", " : "", f->id, f->distance_m, side, f->at_m[0], f->at_m[1],
	    f->at_m[2], when, picture,
	    f->stale ? "; it was not there any more when the robot looked last" : "");
}
