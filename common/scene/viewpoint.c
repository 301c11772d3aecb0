/* viewpoint.c - where to stand so that a thing is seen: the robot fits, can get there, and nothing is in between. */
#include <math.h>
#include <string.h>

#include "common/camera/camera_pose.h"
#include "common/scene/scene_private.h"

#define RING_STEP_M 0.15
#define RING_COUNT 8 /* standoff, and up to 1.05 m more */
#define RING_WAYS 32
#define ACCURATE_M 0.30 /* an obstacle on the line of sight so near to the thing's side is the thing */
#define FOOT_STEP_M 0.05
#define VIEW_SHARE 0.9 /* of half the height of the picture */

/* Does the robot's footprint, at a pose, lie on free floor? */
static bool fits(const struct cairn_scene *s, struct cairn_pose2 p)
{
	const struct cairn_config_robot *r = &s->cfg->robot;
	double side = r->footprint_half_width_m, cell = s->floor.cell_m;
	for (double a = -r->footprint_rear_m; a < r->footprint_front_m + FOOT_STEP_M; a += FOOT_STEP_M)
		for (int k = -1; k <= 1; k++) {
			struct cairn_vec2 at =
			    cairn_pose_apply(p, (struct cairn_vec2){fmin(a, r->footprint_front_m), k * side});
			if (cairn_rooms_clear_m(&s->floor, at.x_m, at.y_m) < cell)
				return false;
		}
	return true;
}

/* Free of obstacles from the camera to the thing's near side. */
static bool in_sight(const struct cairn_scene *s, struct cairn_vec2 from, const struct cairn_scene_box *box)
{
	double x = cairn_scene_box_middle(box, 0), y = cairn_scene_box_middle(box, 1);
	double dx = x - from.x_m, dy = y - from.y_m, n = hypot(dx, dy), cell = s->floor.cell_m;
	for (double d = cell; d < n; d += cell) {
		double p[3] = {from.x_m + dx / n * d, from.y_m + dy / n * d, cairn_scene_box_middle(box, 2)};
		if (cairn_scene_box_distance(box, p) <= ACCURATE_M)
			return true;
		if (cairn_rooms_occupied(&s->floor, p[0], p[1]))
			return box->min[2] >
			       s->cfg->robot
				   .lidar_z_m; /* what stands higher is seen over what the LiDAR sees, or not: by its height */
	}
	return true;
}

bool cairn_scene_stands_on(const struct cairn_scene_object *o, const struct cairn_scene_object *b)
{
	if (b->number == 0 || b == o || !b->confirmed || b->stale || b->kind != CAIRN_SCENE_KIND_OBJECT)
		return false;
	double x = cairn_scene_box_middle(&o->box, 0), y = cairn_scene_box_middle(&o->box, 1);
	return x >= b->box.min[0] && x <= b->box.max[0] && y >= b->box.min[1] && y <= b->box.max[1] &&
	       fabs(o->box.min[2] - b->box.max[2]) < 0.2 &&
	       cairn_scene_box_width(&b->box) > cairn_scene_box_width(&o->box);
}

const struct cairn_scene_object *cairn_scene_support(
    const struct cairn_scene *s, const struct cairn_scene_object *o)
{
	for (uint32_t i = 0; i < s->object_count; i++)
		if (cairn_scene_stands_on(o, &s->objects[i]))
			return &s->objects[i];
	return NULL;
}

/* Is its top inside of the picture, and over the near edge of what it stands on? */
static bool at_height(const struct cairn_scene_object *o, const struct cairn_scene_object *support,
    const struct cairn_camera_pose *camera)
{
	struct cairn_camera_pose eye = *camera;
	double x = cairn_scene_box_middle(&o->box, 0), y = cairn_scene_box_middle(&o->box, 1), z = eye.at[2];
	double top = o->box.max[2] - z, low = o->box.min[2] - z, far = hypot(x - eye.at[0], y - eye.at[1]);
	double highest, lowest;
	eye.height_px *= VIEW_SHARE;
	if (far < 0.1 || !cairn_camera_falls(&eye, atan2(y - eye.at[1], x - eye.at[0]), &highest, &lowest) ||
	    -low < highest * far) /* all of it is above the picture */
		return false;
	if (support == NULL || z > support->box.max[2])
		return true;
	double p[3] = {eye.at[0], eye.at[1], support->box.max[2]},
	       edge = cairn_scene_box_distance(&support->box, p);
	/* The line to its top passes over the edge of what it stands on. */
	return edge > 0.0 && top * edge >= (support->box.max[2] - z) * far;
}

struct cairn_scene_view cairn_scene_approach(
    const struct cairn_scene *s, const struct cairn_scene_object *o, struct cairn_pose2 from)
{
	const struct cairn_config *c = s->cfg;
	const struct cairn_scene_object *support = cairn_scene_support(s, o);
	const struct cairn_camera_pose camera =
	    cairn_camera_pose_from(c, c->camera.width_px, c->camera.height_px);
	struct cairn_scene_view best = {
	    .blocked = true, .why = "no place around it that the robot fits on is known"};
	double x = cairn_scene_box_middle(&o->box, 0), y = cairn_scene_box_middle(&o->box, 1), low = INFINITY;
	double half_x = 0.5 * cairn_scene_box_size(&o->box, 0),
	       half_y = 0.5 * cairn_scene_box_size(&o->box, 1);
	if (s->floor.label == NULL) {
		best.why = "there is no map yet";
		return best;
	}
	for (int k = 0; k < RING_COUNT; k++)
		for (int i = 0; i < RING_WAYS; i++) {
			double a = 2.0 * M_PI * i / RING_WAYS,
			       standoff = c->scene.standoff_m + k * RING_STEP_M;
			/* The ring is around the box, not around its middle: from its side along the way. */
			double cx = cos(a), cy = sin(a);
			double reach = fmin(fabs(cx) > 1e-6 ? half_x / fabs(cx) : INFINITY,
			    fabs(cy) > 1e-6 ? half_y / fabs(cy) : INFINITY);
			double d = reach + standoff + c->robot.footprint_front_m;
			struct cairn_pose2 p = {x + d * cx, y + d * cy,
			    cairn_wrap_rad(a + M_PI - cairn_camera_faces_rad(&camera, d))};
			if (cairn_rooms_at(&s->floor, p.x_m, p.y_m) < 0 || !fits(s, p))
				continue;
			struct cairn_camera_pose eye = cairn_camera_pose_in_map(&camera, p);
			if (!in_sight(s, (struct cairn_vec2){eye.at[0], eye.at[1]}, &o->box) ||
			    !at_height(o, support, &eye)) {
				best.why = best.blocked
					       ? "from every place that the robot fits on it is hidden"
					       : best.why;
				continue;
			}
			if (!cairn_scene_reaches(s, (struct cairn_vec2){from.x_m, from.y_m},
				(struct cairn_vec2){p.x_m, p.y_m})) {
				best.why = best.blocked
					       ? "no known way leads to a place from which it is seen"
					       : best.why;
				continue;
			}
			/* Near the wished standoff, on the robot's side, with room around. */
			double cost = standoff + 0.1 * hypot(p.x_m - from.x_m, p.y_m - from.y_m) -
				      0.5 * fmin(cairn_rooms_clear_m(&s->floor, p.x_m, p.y_m), 0.6);
			if (cost < low) {
				low = cost;
				best = (struct cairn_scene_view){.at = p, .standoff_m = standoff};
			}
		}
	return best;
}
