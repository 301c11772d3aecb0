#include "common/plan/planner_ports.h"

#define TAKE(msg, call) CAIRN_TAKE(take_##msg, cairn_planner, msg, call)
TAKE(nav_goal, cairn_planner_goal(core, m, hdr->t_ns))
TAKE(pose, cairn_planner_pose(core, m, hdr->t_ns))
TAKE(scan, cairn_planner_scan(core, m, hdr->t_ns))
TAKE(motion, cairn_planner_motion(core, m, hdr->t_ns))
TAKE(zones, cairn_planner_zones(core, m))
TAKE(depth_scan, cairn_planner_depth(core, m, hdr->t_ns))
TAKE(claims, cairn_planner_claims(core, m))

const struct cairn_in cairn_planner_in[] = {
    {CAIRN_TOPIC_NAV_GOAL, CAIRN_ACCEPT_PLAUSIBLE, take_nav_goal},
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_PLAUSIBLE, take_scan},
    {CAIRN_TOPIC_MOTION, CAIRN_ACCEPT_PLAUSIBLE, take_motion},
    {CAIRN_TOPIC_ZONES, CAIRN_ACCEPT_PLAUSIBLE, take_zones},
    {CAIRN_TOPIC_SCAN_DEPTH, CAIRN_ACCEPT_PLAUSIBLE, take_depth_scan},
    {CAIRN_TOPIC_CLAIMS, CAIRN_ACCEPT_PLAUSIBLE, take_claims},
    {.take = NULL},
};

const struct cairn_out cairn_planner_out[] = {
    {CAIRN_TOPIC_NAV_VELOCITY, 0},
    {CAIRN_TOPIC_NAV_STATUS, 200},
    {CAIRN_TOPIC_NAV_PATH, 1000},
    {CAIRN_TOPIC_COUNT, 0},
};

bool cairn_planner_frame(void *core, const struct cairn_frame_header *hdr, const void *payload)
{
	struct cairn_plan_grid grid = {.cells = payload,
	    .stride = hdr->stride_bytes,
	    .width = (int)hdr->width,
	    .height = (int)hdr->height,
	    .origin_x_m = hdr->origin_x_m,
	    .origin_y_m = hdr->origin_y_m,
	    .cell_m = hdr->cell_m};
	if (hdr->format != CAIRN_FORMAT_GRID8)
		return false;
	(void)cairn_planner_grid(core, &grid, hdr->t_ns); /* what it refuses it counts itself */
	return true;
}

void cairn_planner_put(const struct cairn_planner *p, const struct cairn_planner_output *out,
    struct cairn_outbox *box, int64_t now_ns)
{
	cairn_outbox_put(box, CAIRN_TOPIC_NAV_VELOCITY, &out->velocity, out->has_velocity, now_ns);
	cairn_outbox_put(box, CAIRN_TOPIC_NAV_STATUS, &out->status, out->status_changed, now_ns);
	/* Without a goal the end of a path is told once and not repeated. */
	if (!(out->path_changed || out->has_velocity) ||
	    !cairn_outbox_due(box, CAIRN_TOPIC_NAV_PATH, out->path_changed, now_ns))
		return;
	struct cairn_msg_nav_path path;
	cairn_planner_path(p, &path);
	cairn_outbox_put(box, CAIRN_TOPIC_NAV_PATH, &path, out->path_changed, now_ns);
}
