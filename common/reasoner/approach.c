/* approach.c - where to stand so that a thing is in the arm's reach. */
#include <math.h>
#include <string.h>

#include "common/camera/camera_pose.h"
#include "common/reasoner/reasoner_private.h"
#include "common/scene/rooms.h"
#include "common/scene/words.h"
#include "common/skill/skill.h"

#define WAYS 48
#define STEP_M 0.05
#define NEAR_M 0.36        /* nearer than this doors and what hangs over would be in the way */
#define REACH_SPARE_M 0.18 /* the robot does not stop to the centimetre */
#define BODY_GAP_M 0.12    /* between the body and what is known to stand there */
#define AGAIN_M 0.25
#define SQUARE_COST                                                                                          \
	1.0 /* of a radian by which one looks askance into what has doors, in metres of the wish */
#define ROOM_M 0.6
#define WALL_COST 1.0 /* of standing in another room than the thing, in metres of the wish */
#define LOW_M 0.05
#define WISH_M 0.42    /* from the body to what the arm acts on */
#define DOOR_M 0.03    /* thickness of a leaf */
#define LEAF_M 0.75    /* the widest leaf */
#define SWING_COST 0.5 /* of standing where a door would swing, in metres of the wish */
#define TURN_COST                                                                                            \
	0.12 /* of a radian to be turned at the place by a robot that cannot turn on the spot, in metres of the wish */
#define ARRIVES_M 0.3 /* after a shorter way it still has the heading that it set out with */
#define FOOT_STEP_M 0.07
#define SIGHT_SHARE 0.95 /* of half the field of view */

static bool on_floor(const struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 p)
{
	const struct cairn_config_robot *c = &r->cfg->robot;
	const struct cairn_rooms *floor = cairn_scene_floor(scene);
	if (cairn_rooms_at(floor, p.x_m, p.y_m) < 0)
		return false;
	for (double a = -c->footprint_rear_m; a <= c->footprint_front_m + 1e-9; a += FOOT_STEP_M)
		for (int k = -1; k <= 1; k++) {
			struct cairn_vec2 at =
			    cairn_pose_apply(p, (struct cairn_vec2){a, k * c->footprint_half_width_m});
			if (cairn_rooms_clear_m(floor, at.x_m, at.y_m) < BODY_GAP_M)
				return false;
		}
	return true;
}

/* A LiDAR sees the legs of a table; a tall robot does not fit under its top. */
static bool beside_things(
    const struct cairn_reasoner *r, const struct cairn_scene *scene, struct cairn_pose2 p)
{
	const struct cairn_config_robot *c = &r->cfg->robot;
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	const struct cairn_scene_object *objects;
	uint32_t n = cairn_scene_objects(scene, &objects);
	for (uint32_t i = 0; i < n; i++) {
		const struct cairn_scene_object *o = &objects[i];
		if (o->number == 0 || !o->confirmed || o->stale || o->box.min[2] >= c->height_m ||
		    o->box.max[2] < LOW_M)
			continue;
		if (cairn_skill_distance_m(&body, p, o->box.min, o->box.max) < BODY_GAP_M)
			return false;
	}
	return true;
}

/* A thing in a row of others is looked at squarely: what stands on the way of sight would hide it. */
static bool in_sight(const struct cairn_scene *scene, const struct cairn_camera_pose *camera,
    struct cairn_pose2 p, const double thing_m[3])
{
	const struct cairn_rooms *floor = cairn_scene_floor(scene);
	struct cairn_camera_pose eye = cairn_camera_pose_in_map(camera, p);
	double dx = thing_m[0] - eye.at[0], dy = thing_m[1] - eye.at[1], far = hypot(dx, dy);
	uint32_t blocked = 0;
	for (double d = floor->cell_m; d < far; d += floor->cell_m)
		blocked += cairn_rooms_occupied(floor, eye.at[0] + dx * d / far, eye.at[1] + dy * d / far);
	double wide = atan(0.5 * eye.width_px / eye.focal_px),
	       tall = atan(0.5 * eye.height_px / eye.focal_px), from_eye[3];
	cairn_camera_to_optical(&eye, thing_m, from_eye);
	/* Through one piece of furniture, as a shelf's front or a counter's, but not through a wall into a room behind it. */
	return blocked * floor->cell_m < 0.45 && fabs(atan2(from_eye[0], from_eye[2])) < SIGHT_SHARE * wide &&
	       fabs(atan2(from_eye[1], from_eye[2])) < SIGHT_SHARE * tall;
}

static bool tried(const struct cairn_reasoner *r, struct cairn_pose2 p)
{
	for (uint32_t i = 0; i < r->stood_count; i++)
		if (hypot(r->stood[i].x_m - p.x_m, r->stood[i].y_m - p.y_m) < AGAIN_M)
			return true;
	return false;
}

/* Open leaves stand out from its front on both sides. Boxes lie along the axes: from in front is from along one of them. */
static double askance_cost(
    const struct cairn_scene_object *o, enum cairn_skill_verb verb, double direction_rad)
{
	const struct cairn_scene_word *w = cairn_scene_word(o->votes[0].label);
	if (verb != CAIRN_SKILL_VERB_NAVIGATE || w == NULL || !w->occludes)
		return 0.0;
	return SQUARE_COST * fabs(remainder(direction_rad, M_PI_2));
}

/* What stands with its back to a wall is nearest from the room behind it, and a thin wall is thinner than furniture. */
static double wall_cost(
    const struct cairn_scene *scene, const struct cairn_scene_object *o, struct cairn_pose2 p)
{
	const struct cairn_rooms *floor = cairn_scene_floor(scene);
	int32_t room = cairn_rooms_at(floor, p.x_m, p.y_m);
	return room >= 0 && o->room != 0 && floor->items[room].number != o->room ? WALL_COST : 0.0;
}

/* Would a door of it swing against the body? Leaves may open from either of its long sides; which of them is the front is not known. How
 * wide they are is not known either: one up to LEAF_M, as a fridge's, and equal ones of at most that in a wider piece. */
static bool in_swing(const struct cairn_reasoner *r, const struct cairn_scene_object *o, struct cairn_pose2 p)
{
	const struct cairn_config_robot *c = &r->cfg->robot;
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	double width_m = o->box.max[0] - o->box.min[0], depth_m = o->box.max[1] - o->box.min[1];
	double min[3], max[3];
	memcpy(min, o->box.min, sizeof(min));
	memcpy(max, o->box.max, sizeof(max));
	double wide_m = fmax(width_m, depth_m), leaf_m = wide_m / ceil(wide_m / LEAF_M);
	int across = width_m >= depth_m ? 1 : 0;
	min[across] -= leaf_m + DOOR_M;
	max[across] += leaf_m + DOOR_M;
	return cairn_skill_distance_m(&body, p, min, max) <= 0.0;
}

/* How far it would have to turn there, which takes room that there may not be. */
static double turn_rad(const struct cairn_reasoner *r, struct cairn_pose2 from, struct cairn_pose2 to)
{
	double dx = to.x_m - from.x_m, dy = to.y_m - from.y_m;
	double heading_rad = hypot(dx, dy) > ARRIVES_M ? atan2(dy, dx) : from.yaw_rad;
	bool on_the_spot = r->cfg->robot.kinematics == CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
	return on_the_spot ? 0.0 : fabs(cairn_wrap_rad(to.yaw_rad - heading_rad));
}

double reasoner_faces_rad(const struct cairn_reasoner *r, enum cairn_skill_verb verb, double distance_m)
{
	const struct cairn_skill *k = cairn_skill_of(verb);
	if (k != NULL && k->arm)
		return 0.0;
	struct cairn_camera_pose camera =
	    cairn_camera_pose_from(r->cfg, r->cfg->camera.width_px, r->cfg->camera.height_px);
	return cairn_camera_faces_rad(&camera, distance_m);
}

bool cairn_reasoner_approach(const struct cairn_reasoner *r, const struct cairn_scene *scene,
    const struct cairn_scene_object *o, enum cairn_skill_verb verb, struct cairn_pose2 from,
    struct cairn_pose2 *ret)
{
	const struct cairn_config_robot *c = &r->cfg->robot;
	const struct cairn_skill *k = cairn_skill_of(verb);
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	double x = 0.5 * (o->box.min[0] + o->box.max[0]), y = 0.5 * (o->box.min[1] + o->box.max[1]),
	       z = fmax(o->box.min[2], fmin(c->camera_z_m, 0.5 * (o->box.min[2] + o->box.max[2]))),
	       best = INFINITY;
	const struct cairn_camera_pose camera =
	    cairn_camera_pose_from(r->cfg, r->cfg->camera.width_px, r->cfg->camera.height_px);
	bool arm = k != NULL && k->arm;
	bool swings = verb == CAIRN_SKILL_VERB_OPEN || verb == CAIRN_SKILL_VERB_CLOSE;
	double reach = arm ? c->arm_reach_m + k->reach_more_m - REACH_SPARE_M : 1.1,
	       wish = arm ? WISH_M : 0.8;
	double size = 0.5 * hypot(o->box.max[0] - o->box.min[0], o->box.max[1] - o->box.min[1]);
	if (cairn_scene_floor(scene)->label == NULL)
		return false;
	for (int i = 0; i < WAYS; i++)
		for (double d = NEAR_M; d <= size + reach + c->footprint_front_m + 0.2; d += STEP_M) {
			double a = 2.0 * M_PI * i / WAYS;
			struct cairn_pose2 p = {x + d * cos(a), y + d * sin(a),
			    cairn_wrap_rad(a + M_PI - reasoner_faces_rad(r, verb, d))};
			double gap = cairn_skill_distance_m(&body, p, o->box.min, o->box.max);
			/* Where there is room around, the robot can turn to it, too. */
			double room =
			    fmin(cairn_rooms_clear_m(cairn_scene_floor(scene), p.x_m, p.y_m), ROOM_M);
			double cost = fabs(gap - wish) + 0.1 * hypot(p.x_m - from.x_m, p.y_m - from.y_m) -
				      0.3 * room + TURN_COST * turn_rad(r, from, p) +
				      askance_cost(o, verb, a) + wall_cost(scene, o, p);
			if (swings && gap >= NEAR_M && gap <= reach && cost < best && in_swing(r, o, p))
				cost += SWING_COST;
			if (gap < NEAR_M || gap > reach || cost >= best || tried(r, p) ||
			    !on_floor(r, scene, p) || !beside_things(r, scene, p) ||
			    !in_sight(scene, &camera, p, (double[3]){x, y, z}))
				continue;
			best = cost;
			*ret = p;
		}
	return isfinite(best);
}
