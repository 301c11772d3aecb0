/* fleet_locate.c - master control says where the robot is (initPosition, 3.0: initializePosition): the operator's command `locate`. It is a
 * hint to a robot that is lost, which believes it only when what it sees fits there; a robot that knows its place keeps it. */
#include <math.h>
#include <string.h>

#include "common/fleet/fleet_private.h"

#define THERE_M 0.5 /* a robot that knows its place this near to what is said has been told nothing new */
#define THERE_RAD 0.35
#define LOOK_NS                                                                                              \
	(20 * CAIRN_NS_PER_S) /* for scans at the place of the hint, and for tracking to be good again */

static struct cairn_fleet_action *action_of(struct cairn_fleet *f)
{
	for (uint32_t i = 0; f->locate.action_id[0] != '\0' && i < f->instant_count; i++)
		if (strcmp(f->instants[i].id, f->locate.action_id) == 0)
			return &f->instants[i];
	return NULL;
}

static bool there(const struct cairn_fleet *f)
{
	struct cairn_pose2 at = fleet_pose(f);
	return fleet_localized(f) &&
	       hypot(at.x_m - f->locate.pose.x_m, at.y_m - f->locate.pose.y_m) <= THERE_M &&
	       fabs(cairn_wrap_rad(at.yaw_rad - f->locate.pose.yaw_rad)) <= THERE_RAD;
}

static void end(struct cairn_fleet *f, const char *why_not)
{
	struct cairn_fleet_action *a = action_of(f);
	bool ok = why_not == NULL;
	if (ok && f->locate.node[0] != '\0' && !cairn_fleet_order_active(&f->order))
		memcpy(f->order.last_node, f->locate.node, sizeof(f->order.last_node));
	if (a != NULL && ok)
		fleet_end_instant(f, a, CAIRN_FLEET_FINISHED, "what the robot sees fits there");
	else if (a != NULL)
		fleet_end_instant(f, a, CAIRN_FLEET_FAILED, why_not);
	f->locate = (struct fleet_locate){.tag = 0};
}

void fleet_locate(struct cairn_fleet *f, struct cairn_fleet_action *a, int64_t now_ns)
{
	char text[96];
	if (action_of(f) != NULL)
		end(f, "master control has named another place since");
	f->locate.pose = a->place;
	f->locate.t_ns = now_ns;
	memcpy(f->locate.action_id, a->id, sizeof(f->locate.action_id));
	snprintf(f->locate.node, sizeof(f->locate.node), "%.63s", a->result);
	fleet_run_instant(f, a);
	if (there(f)) {
		end(f, NULL);
		return;
	}
	struct cairn_pose2 own = cairn_pose_compose(cairn_pose_inverse(f->frame), a->place);
	snprintf(text, sizeof(text), "%.3f %.3f %.1f", own.x_m, own.y_m,
	    cairn_rad_to_deg(cairn_wrap_rad(own.yaw_rad)));
	f->locate.tag =
	    fleet_command(f, CAIRN_COMMAND_MAPPER_LOCATE, text, (struct cairn_vec2){0.0, 0.0}, now_ns);
	if (f->locate.tag == 0)
		end(f, "too many commands wait");
}

bool fleet_locate_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text)
{
	if (f->locate.tag == 0 || tag != f->locate.tag)
		return false;
	f->locate.tag = 0;
	if (!ok)
		end(f, text);
	return true;
}

void fleet_step_locate(struct cairn_fleet *f, int64_t now_ns)
{
	if (action_of(f) == NULL)
		return;
	if (there(f))
		end(f, NULL);
	else if (f->locate.tag != 0 && now_ns - f->locate.t_ns > FLEET_ANSWER_NS)
		end(f, "the mapper does not answer");
	else if (now_ns - f->locate.t_ns > LOOK_NS)
		end(f, fleet_localized(f) ? "what the robot sees fits elsewhere"
					  : "what the robot sees does not fit there");
}
