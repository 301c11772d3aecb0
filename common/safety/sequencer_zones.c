/* sequencer_zones.c - zones that the model has named: their outline comes from the scan (zone_around.h), the
 * planner hears of them, and they survive a kill with the mission's record. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/safety/sequencer_impl.h"
#include "common/safety/zone_around.h"
#include "common/safety/zone_text.h"

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

/* Keeps a zone that somebody has drawn by its corners. NULL, or why not. */
static const char *keep(struct cairn_sequencer *seq, const struct cairn_msg_zone *zone)
{
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	for (uint32_t i = 0; i < zone->corners_count; i++)
		corners[i] = (struct cairn_vec2){(double)zone->corners[i].x_m, (double)zone->corners[i].y_m};
	if (!cairn_polygon_valid(corners, zone->corners_count))
		return "it has no outline that holds an area";
	if (zone->kind == CAIRN_ZONE_KIND_KEEPOUT &&
	    cairn_polygon_contains(corners, zone->corners_count, 0.0, 0.0))
		return "the start lies in it";
	struct cairn_msg_zone *place = place_for(&seq->rec.zones, zone->name, zone->kind);
	if (place == NULL)
		return "there are as many as can be kept";
	uint32_t id = place->id;
	*place = *zone;
	place->id = id;
	seq->rec_changed = true;
	return NULL;
}

uint32_t cairn_sequencer_keep_zones(struct cairn_sequencer *seq, const struct cairn_msg_zones *zones)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < zones->items_count && i < ZONES_MAX; i++)
		taken += keep(seq, &zones->items[i]) == NULL;
	return taken;
}

void seq_zones_from_config(struct cairn_sequencer *seq)
{
	struct cairn_msg_zones zones;
	struct cairn_error err = {""};
	if (!cairn_zones_parse(&zones, seq->cfg->safety.zones, &err))
		return; /* the configuration's check has said so */
	for (uint32_t i = 0; i < zones.items_count; i++)
		(void)keep(seq, &zones.items[i]);
}

static bool forget(struct cairn_sequencer *seq, const char *name)
{
	struct cairn_msg_zones *zones = &seq->rec.zones;
	uint32_t kept = 0, before = zones->items_count;
	for (uint32_t i = 0; i < before; i++)
		if (strcmp(zones->items[i].name, name) != 0)
			zones->items[kept++] = zones->items[i];
	zones->items_count = kept;
	seq->rec_changed |= kept != before;
	return kept != before;
}

void seq_zone_command(struct cairn_sequencer *seq, const char *text, struct cairn_msg_reply *reply)
{
	struct cairn_msg_zone zone;
	struct cairn_error err = {""};
	if (strncmp(text, "forget ", 7) == 0) {
		reply->ok = forget(seq, text + 7);
		snprintf(reply->text, sizeof(reply->text),
		    reply->ok ? "zone '%.31s' is forgotten" : "there is no zone '%.31s'", text + 7);
		return;
	}
	if (!cairn_zone_parse(&zone, text, &err)) {
		snprintf(reply->text, sizeof(reply->text), "%.200s", err.text);
		return;
	}
	const char *why = keep(seq, &zone);
	reply->ok = why == NULL;
	if (reply->ok)
		snprintf(reply->text, sizeof(reply->text), "%s zone '%s' is kept",
		    cairn_enum_text(&cairn_enum_zone_kind, (int)zone.kind), zone.name);
	else
		snprintf(reply->text, sizeof(reply->text), "no zone: %s", why);
}

const struct cairn_msg_zones *cairn_sequencer_zones(const struct cairn_sequencer *seq)
{
	return &seq->rec.zones;
}
