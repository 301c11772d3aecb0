#include "common/slam/mapper_ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/explore/explorer_ports.h"

/* ---- in ---- */

static bool take_odom(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct cairn_mapper_ports *m = core;
	(void)now_ns;
	if (!cairn_mapper_odom(m->mapper, message, hdr->t_ns, hdr->epoch, &m->pose))
		m->rejects++;
	else if (m->pose.tracking != CAIRN_TRACKING_NONE)
		cairn_outbox_put(m->box, CAIRN_TOPIC_POSE, &m->pose, true, hdr->t_ns);
	return true;
}

static bool take_scan(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct cairn_mapper_ports *m = core;
	(void)now_ns;
	if (cairn_mapper_scan(m->mapper, message, hdr->t_ns) == CAIRN_SCAN_REFUSED)
		m->rejects++;
	else if (m->kept != NULL)
		cairn_kept_map_scan(m->kept, m->mapper, message, hdr->t_ns);
	return true;
}

/* What the model says of the map. Judged, never believed: see common/map/belief.h. */
static bool take_world_update(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct cairn_mapper_ports *m = core;
	const struct cairn_msg_world_update *update = message;
	(void)now_ns;
	int taken = cairn_mapper_claims(m->mapper, update, hdr->epoch);
	if (taken < 0)
		return false;
	m->claims_updates++;
	m->claims_taken = taken;
	m->claims_offered = update->items_count;
	return true;
}

const struct cairn_in cairn_mapper_in[] = {
    {CAIRN_TOPIC_ODOM, CAIRN_ACCEPT_PLAUSIBLE, take_odom},
    /* what the wheels said before this turn ended comes first */
    {CAIRN_TOPIC_SCAN, CAIRN_ACCEPT_ORDERED, take_scan},
    {CAIRN_TOPIC_WORLD_UPDATE, CAIRN_ACCEPT_PLAUSIBLE, take_world_update},
    {.take = NULL},
};

/* ---- out ---- */

const struct cairn_out cairn_mapper_out[] = {
    {CAIRN_TOPIC_POSE, 0},
    {CAIRN_TOPIC_FRONTIERS, 0},
    {CAIRN_TOPIC_CANDIDATES, 0},
    {CAIRN_TOPIC_FEATURES, 0},
    {CAIRN_TOPIC_CLAIMS, 0},
    {CAIRN_TOPIC_COUNT, 0},
};

bool cairn_mapper_ports_open(
    struct cairn_mapper_ports *m, const struct cairn_config *cfg, uint64_t first_set, struct cairn_error *err)
{
	m->explorer = cairn_explorer_new(cfg, first_set, err);
	return m->explorer != NULL;
}

void cairn_mapper_ports_close(struct cairn_mapper_ports *m)
{
	cairn_explorer_destroy(&m->explorer);
	cairn_kept_map_destroy(&m->kept);
	cairn_mapper_destroy(&m->mapper);
}

bool cairn_mapper_report(struct cairn_mapper_ports *m, uint32_t map_seq, int64_t now_ns)
{
	uint32_t given_up_count;
	const struct cairn_msg_given_up *given_up = cairn_explorer_given_up(m->explorer, &given_up_count);
	cairn_mapper_given_up(m->mapper, given_up, given_up_count);
	if (!cairn_mapper_frontiers(m->mapper, now_ns, &m->frontiers))
		return false;
	if (m->frontiers.free_m2 <= 0.0)
		return true;
	m->frontiers.map_seq = map_seq;
	struct cairn_msg_pose pose;
	cairn_mapper_pose(m->mapper, &pose);
	struct cairn_ground ground = {
	    .grid = cairn_mapper_grid(m->mapper), .belief = cairn_mapper_belief(m->mapper)};
	ground.reach = cairn_mapper_reach(m->mapper, &ground.reach_cx0, &ground.reach_cy0);
	m->unranked = !cairn_explorer_report(m->explorer, &ground,
	    (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad}, m->box, now_ns, &m->frontiers,
	    &m->candidates);
	return true;
}

bool cairn_mapper_report_features(struct cairn_mapper_ports *m, uint32_t map_seq, int64_t now_ns)
{
	if (m->frontiers.free_m2 <= 0.0)
		return true;
	if (!cairn_mapper_features(m->mapper, &m->frontiers, &m->features))
		return false;
	m->features.map_seq = map_seq;
	m->features.kept_map = cairn_kept_map_judge(m->kept, &m->features.kept_map_changed);
	cairn_outbox_put(m->box, CAIRN_TOPIC_FEATURES, &m->features, true, now_ns);
	return true;
}

void cairn_mapper_report_claims(struct cairn_mapper_ports *m, int64_t now_ns)
{
	cairn_mapper_claims_held(m->mapper, &m->claims);
	cairn_outbox_put(m->box, CAIRN_TOPIC_CLAIMS, &m->claims, true, now_ns);
}

/* "X Y" or "X Y YAW_DEG"; -1: neither. */
static int read_place(const char *text, double ret[3])
{
	int count = 0;
	for (char *end; *text != '\0'; text = end) {
		double value = strtod(text, &end);
		if (end == text || count == 3 || !isfinite(value))
			return -1;
		ret[count++] = value;
		end += strspn(end, " ,");
	}
	return count >= 2 ? count : -1;
}

void cairn_mapper_command(
    struct cairn_mapper_ports *m, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	double place[3] = {0.0, 0.0, 0.0};
	struct cairn_error err = {""};
	*reply = (struct cairn_msg_reply){.ok = false};
	if (strcmp(cmd->verb, "locate") != 0) {
		snprintf(reply->text, sizeof(reply->text), "unknown command");
	} else if (read_place(cmd->arg, place) < 0) {
		snprintf(reply->text, sizeof(reply->text),
		    "'%.40s' is no place: X Y in metres of the map, and a heading in degrees or none",
		    cmd->arg);
	} else if (!cairn_mapper_hint(m->mapper,
		       (struct cairn_pose2){place[0], place[1], cairn_deg_to_rad(place[2])}, &err)) {
		snprintf(reply->text, sizeof(reply->text), "%.150s", err.text);
	} else {
		reply->ok = true;
		snprintf(reply->text, sizeof(reply->text),
		    "it looks around %.2f %.2f first; 'cairn status' tells whether what it sees fits",
		    place[0], place[1]);
	}
}
