/* fleet_zones.c - zone sets of 3.0 as zones of the robot's map, by the operator's verb `zone`, which needs the right configure.
 * Their names begin with "fleet-": master control changes no others. */
#include <math.h>
#include <string.h>

#include "common/fleet/fleet_private.h"

static void refuse(struct cairn_fleet *f, const char *why)
{
	struct fleet_error e = {.fault = CAIRN_FAULT_ZONES};
	snprintf(e.text, sizeof(e.text), "zone set %.40s: %.100s", f->zones.next_id, why);
	f->rejects++;
	fleet_fault(f, &e);
}

/* "keepout fleet-NAME x,y ..." of one zone. NULL, or why it cannot be kept. */
static const char *write_zone(
    const struct cairn_fleet *f, const json_t *zone, int number, struct fleet_zone_task *task)
{
	const char *type = json_string_value(json_object_get(zone, "zoneType"));
	const json_t *vertices = json_object_get(zone, "vertices"),
		     *speed = json_object_get(zone, "maximumSpeed");
	struct cairn_pose2 to_own = cairn_pose_inverse(f->frame);
	bool blocked = type != NULL && strcmp(type, "BLOCKED") == 0;
	bool slow = type != NULL && strcmp(type, "SPEED_LIMIT") == 0 && json_is_number(speed);
	if (!blocked && !slow)
		return "a zoneType that is not kept here: BLOCKED and SPEED_LIMIT are";
	if (slow && json_number_value(speed) < f->cfg->nav.slow_zone_mps)
		return "a maximumSpeed below that of a slow-down zone";
	int used =
	    snprintf(task->text, sizeof(task->text), "%s fleet-%d", blocked ? "keepout" : "slowdown", number);
	for (size_t i = 0; i < json_array_size(vertices); i++) {
		const json_t *v = json_array_get(vertices, i), *x = json_object_get(v, "x"),
			     *y = json_object_get(v, "y");
		struct cairn_vec2 p = {json_number_value(x), json_number_value(y)};
		if (!json_is_number(x) || !json_is_number(y) || !(fabs(p.x_m) < 1e6 && fabs(p.y_m) < 1e6))
			return "a vertex without x and y";
		p = cairn_pose_apply(to_own, p);
		used += snprintf(
		    task->text + used, sizeof(task->text) - (size_t)used, " %.2f,%.2f", p.x_m, p.y_m);
		if (used >= (int)sizeof(task->text))
			return "a zone with more corners than are kept";
	}
	return json_array_size(vertices) >= 3 ? NULL : "a zone of fewer than three corners";
}

static bool add_task(struct fleet_zones *z, const char *text)
{
	if (z->task_count == 2 * FLEET_ZONES_MAX)
		return false;
	snprintf(z->tasks[z->task_count++].text, sizeof(z->tasks[0].text), "%s", text);
	return true;
}

/* First the zones of the set before are forgotten, then those of the new one are drawn. */
void fleet_take_zones(struct cairn_fleet *f, const json_t *m, int64_t now_ns)
{
	const json_t *set = json_object_get(m, "zoneSet"), *zones = json_object_get(set, "zones");
	const char *id = json_string_value(json_object_get(set, "zoneSetId"));
	const char *map = json_string_value(json_object_get(set, "mapId"));
	struct fleet_zones next = {.count = f->zones.count};
	char text[64];
	(void)now_ns;
	snprintf(f->zones.next_id, sizeof(f->zones.next_id), "%.63s", id != NULL ? id : "");
	if (id == NULL || id[0] == '\0' || strlen(id) >= CAIRN_FLEET_ID_CAP || !json_is_array(zones))
		refuse(f, "no zoneSetId, or no zones");
	else if (map == NULL || strcmp(map, f->body.map_id) != 0)
		refuse(f, "of another map");
	else if (!cairn_rights_allow(f->rights, CAIRN_RIGHT_CONFIGURE))
		refuse(f, "fleet.rights has no configure");
	else if (json_array_size(zones) > FLEET_ZONES_MAX)
		refuse(f, "more zones than are kept");
	else {
		for (uint32_t i = 0; i < f->zones.count; i++) {
			snprintf(text, sizeof(text), "forget fleet-%u", i);
			(void)add_task(&next, text);
		}
		for (size_t i = 0; i < json_array_size(zones); i++) {
			const char *why =
			    write_zone(f, json_array_get(zones, i), (int)i, &next.tasks[next.task_count++]);
			if (why != NULL) {
				refuse(f, why);
				return;
			}
		}
		memcpy(next.next_id, f->zones.next_id, sizeof(next.next_id));
		next.drawn = (uint32_t)json_array_size(zones);
		f->zones = next;
		fleet_fault_gone(f, CAIRN_FAULT_ZONES);
		fleet_changed(f);
	}
}

/* Laid wholly, or said to be not. */
static void end(struct cairn_fleet *f)
{
	struct fleet_zones *z = &f->zones;
	z->count = z->drawn;
	memcpy(z->set_id, z->next_id, sizeof(z->set_id));
	z->task_count = z->task_at = 0;
	fleet_changed(f);
}

bool fleet_zones_replied(struct cairn_fleet *f, uint64_t tag, bool ok, const char *text)
{
	struct fleet_zones *z = &f->zones;
	if (z->tag == 0 || tag != z->tag)
		return false;
	bool drawing = strncmp(z->tasks[z->task_at].text, "forget", 6) != 0;
	z->tag = 0;
	if (!ok && drawing) /* one that is gone already is no fault */
		refuse(f, text);
	if (++z->task_at == z->task_count)
		end(f);
	return true;
}

void fleet_step_zones(struct cairn_fleet *f, int64_t now_ns)
{
	struct fleet_zones *z = &f->zones;
	if (z->task_at == z->task_count || (z->tag != 0 && now_ns - z->t_ns <= FLEET_ANSWER_NS))
		return;
	z->t_ns = now_ns; /* the sequencer was away: the same again */
	z->tag = fleet_command(
	    f, CAIRN_COMMAND_ZONE, z->tasks[z->task_at].text, (struct cairn_vec2){0.0, 0.0}, now_ns);
}
