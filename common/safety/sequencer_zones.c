/* sequencer_zones.c - zones that the model has named: their outline comes from the scan (zone_around.h), the
 * planner hears of them, and they survive a kill with the mission's record. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/safety/sequencer_impl.h"
#include "common/safety/zone_around.h"

#define ZONES_MAX (sizeof(((struct cairn_msg_zones *)0)->items) / sizeof(struct cairn_msg_zone))

/* A zone of the same name and kind is drawn anew; else the next free place. NULL: there is none. */
static struct cairn_msg_zone *place_for(
    struct cairn_msg_zones *zones, const char *name, enum cairn_zone_kind kind)
{
	uint32_t id = 1;
	for (uint32_t i = 0; i < zones->items_count; i++) {
		struct cairn_msg_zone *z = &zones->items[i];
		if (z->kind == kind && strcmp(z->name, name) == 0)
			return z;
		if (z->id >= id)
			id = z->id + 1;
	}
	if (zones->items_count == ZONES_MAX)
		return NULL;
	struct cairn_msg_zone *z = &zones->items[zones->items_count++];
	*z = (struct cairn_msg_zone){.id = id, .kind = kind};
	snprintf(z->name, sizeof(z->name), "%s", name);
	return z;
}

/* NULL, or why it cannot be. The way home must stay open: no zone to keep out of holds the start. */
static const char *obstacle_to(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX], size_t *count, struct cairn_error *err)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	if (!seq->sense.scan_ok || !seq->sense.pose_ok)
		return "scan or pose are missing or too old";
	*count = cairn_zone_around(d->zone_kind, &seq->points, &body, seq_pose(seq), corners, err);
	if (*count == 0)
		return err->text;
	if (d->zone_kind == CAIRN_ZONE_KIND_KEEPOUT && cairn_polygon_contains(corners, *count, 0.0, 0.0))
		return "the start lies in it";
	return NULL;
}

void seq_define_zone(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_msg_decision *d = &seq->task.d;
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	struct cairn_error err = {""};
	size_t count = 0;
	char name[sizeof(((struct cairn_msg_zone *)0)->name)];
	snprintf(name, sizeof(name), "%.31s", d->zone_name);
	const char *why = obstacle_to(seq, d, corners, &count, &err);
	struct cairn_msg_zone *z = why == NULL ? place_for(&seq->rec.zones, name, d->zone_kind) : NULL;
	if (z == NULL) {
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns, "no zone: %.100s",
		    why != NULL ? why : "there are as many as can be kept");
		return;
	}
	z->corners_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		z->corners[i] = (struct cairn_msg_zone_point){(float)corners[i].x_m, (float)corners[i].y_m};
	seq->rec_changed = true;
	seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "%s zone '%s' of %.1f m2 is kept",
	    cairn_enum_text(&cairn_enum_zone_kind, (int)d->zone_kind), name,
	    fabs(cairn_polygon_area(corners, count)));
}

const struct cairn_msg_zones *cairn_sequencer_zones(const struct cairn_sequencer *seq)
{
	return &seq->rec.zones;
}
