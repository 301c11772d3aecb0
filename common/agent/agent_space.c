/* agent_space.c - questions about space, answered from the agent's own graph with the map under it: by which way one gets to a thing, from
 * where it is seen best, whether it is in sight now, and whether the arm gets at it. Nothing moves. What the map does not show is not made up. */
#include <math.h>
#include <stdio.h>

#include "common/agent/agent_private.h"
#include "common/camera/camera_pose.h"
#include "common/scene/rooms.h"

#define SIGHT_M 6.0   /* farther than this a detector names little */
#define THROUGH_M 0.3 /* of what stands in the way on the map: the thing's own edge, and what it stands on */
#define PLACES_TOLD 8

static void way_text(struct cairn_text *out, const struct cairn_agent *a, const char *name)
{
	struct cairn_scene_resolved r;
	if (!cairn_scene_resolve(a->mirror, name, a->world.robot, &r)) {
		cairn_text_addf(out, "'%.40s' is not in memory.", name);
		return;
	}
	if (r.view.blocked) {
		cairn_text_addf(
		    out, "No way to %s is known: %s.", r.id, r.view.why != NULL ? r.view.why : "");
		return;
	}
	double m = hypot(r.view.at.x_m - a->world.robot.x_m, r.view.at.y_m - a->world.robot.y_m);
	cairn_text_addf(out, "To %s: to (%.1f, %.1f), %.1f m off in a straight line", r.id, r.view.at.x_m,
	    r.view.at.y_m, m);
	for (uint32_t i = 0; i < r.path_count && i < PLACES_TOLD; i++)
		cairn_text_addf(out, "%s%s", i == 0 ? ", by " : ", ", r.path[i]);
	cairn_text_add(out, r.path_count > PLACES_TOLD ? " and more." : ".");
}

static void view_text(struct cairn_text *out, const struct cairn_scene_match *m)
{
	if (m->view.blocked)
		cairn_text_addf(out, "%s cannot be looked at: %s.", m->object->id,
		    m->view.why != NULL ? m->view.why : "no place to stand is known");
	else
		cairn_text_addf(out,
		    "%s is seen best from (%.1f, %.1f), heading %.0f deg, %.1f m in front of it.",
		    m->object->id, m->view.at.x_m, m->view.at.y_m,
		    cairn_agent_heading_deg(m->view.at.yaw_rad), m->view.standoff_m);
	if (m->inside != NULL)
		cairn_text_addf(
		    out, " It is in %s%s.", m->inside->id, m->inside->open ? "" : ", which is closed");
}

static void sight_text(
    struct cairn_text *out, const struct cairn_agent *a, const struct cairn_scene_object *o)
{
	const struct cairn_rooms *floor = cairn_scene_floor(a->mirror);
	struct cairn_pose2 at = a->world.robot;
	double x = 0.5 * (o->box.min[0] + o->box.max[0]), y = 0.5 * (o->box.min[1] + o->box.max[1]),
	       far = hypot(x - at.x_m, y - at.y_m), through = 0.0;
	struct cairn_camera_mount eye = cairn_camera_mount_from(a->all);
	/* As far to the side as the camera; the distance is the robot's, too. */
	struct cairn_vec2 from = cairn_pose_apply(at, (struct cairn_vec2){0.0, eye.y_m});
	double off = cairn_wrap_rad(atan2(y - from.y_m, x - from.x_m) - at.yaw_rad - eye.yaw_rad);
	double size = 0.5 * hypot(o->box.max[0] - o->box.min[0], o->box.max[1] - o->box.min[1]);
	for (double d = floor->cell_m; d < far - size; d += floor->cell_m)
		through += cairn_rooms_occupied(
			       floor, at.x_m + (x - at.x_m) * d / far, at.y_m + (y - at.y_m) * d / far)
			       ? floor->cell_m
			       : 0.0;
	bool ahead = fabs(off) < 0.5 * a->all->robot.camera_hfov_rad;
	cairn_text_addf(out, "%s is %.1f m away, %.0f deg to the %s of the camera's middle: %s.", o->id, far,
	    fabs(cairn_rad_to_deg(off)), off > 0.0 ? "left" : "right",
	    through > THROUGH_M ? "hidden by what the map shows between"
	    : far > SIGHT_M     ? "too far to be named"
	    : !ahead            ? "not in the picture; turn to it"
				: "in sight");
}

static void reach_text(struct cairn_text *out, const struct cairn_agent *a, const struct cairn_scene_match *m)
{
	struct cairn_pose2 at;
	if (cairn_reasoner_approach(
		&a->reasoner, a->mirror, m->object, CAIRN_SKILL_VERB_GRASP, a->world.robot, &at))
		cairn_text_addf(out, "The arm gets at %s from (%.1f, %.1f)%s%s%s.", m->object->id, at.x_m,
		    at.y_m, m->inside != NULL && !m->inside->open ? ", when " : "",
		    m->inside != NULL && !m->inside->open ? m->inside->id : "",
		    m->inside != NULL && !m->inside->open ? " is open" : "");
	else
		cairn_text_addf(out, "No place is known from which the arm gets at %s.", m->object->id);
}

bool agent_read_space(struct cairn_text *out, const struct cairn_agent *a)
{
	enum cairn_agent_tool tool = (enum cairn_agent_tool)a->call.head.tool;
	struct cairn_scene_match m;
	struct cairn_scene_query q = {.text = a->call.name,
	    .has_near = true,
	    .near_at = {a->world.robot.x_m, a->world.robot.y_m},
	    .robot = tool == CAIRN_AGENT_BEST_VIEW ? &a->world.robot : NULL};
	if (tool < CAIRN_AGENT_WAY_TO || tool > CAIRN_AGENT_CAN_REACH)
		return false;
	if (!a->world.use_scene)
		cairn_text_add(out, "This robot has no scene graph.");
	else if (!a->cfg->use_map || !a->world.has_grid)
		cairn_text_add(out, "Not known: there is no map.");
	else if (tool == CAIRN_AGENT_WAY_TO)
		way_text(out, a, a->call.name);
	else if (a->call.name[0] == '\0' || cairn_scene_recall(a->mirror, &q, &m, 1) == 0)
		cairn_text_addf(out, "'%.40s' is not in memory.", a->call.name);
	else if (tool == CAIRN_AGENT_BEST_VIEW)
		view_text(out, &m);
	else if (tool == CAIRN_AGENT_CAN_SEE)
		sight_text(out, a, m.object);
	else
		reach_text(out, a, &m);
	return true;
}
