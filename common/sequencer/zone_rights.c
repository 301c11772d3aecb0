/* zone_rights.c - who may draw, change and forget zones of the map, and which map they are of. The outline of the
 * model's comes from the scan (zone_around.h). Each zone has an author: only the author draws it anew, an operator
 * forgets the model's as well, and nobody the configuration's. They survive a kill with the mission's record. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sequencer/sequencer_private.h"
#include "common/sequencer/zone_around.h"
#include "common/sequencer/zone_text.h"

#define ZONES_MAX (sizeof(((struct cairn_msg_zones *)0)->items) / sizeof(struct cairn_msg_zone))

#define MODEL_ZONES_MAX 6 /* of them; the rest is for people and the configuration */

static uint32_t count_of(const struct cairn_msg_zones *zones, enum cairn_zone_author author)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < zones->items_count; i++)
		count += zones->items[i].author == author;
	return count;
}

static void take_out(struct cairn_msg_zones *zones, uint32_t at)
{
	memmove(&zones->items[at], &zones->items[at + 1],
	    (zones->items_count - at - 1) * sizeof(zones->items[0]));
	zones->items_count--;
}

/* A person's zone needs the place: the model's oldest goes. False: it has none. */
static bool make_room(struct cairn_msg_zones *zones)
{
	for (uint32_t i = 0; i < zones->items_count; i++) {
		if (zones->items[i].author != CAIRN_ZONE_AUTHOR_MODEL)
			continue;
		take_out(zones, i);
		return true;
	}
	return false;
}

/* An author's own zone of the same name and kind is drawn anew; else the next free place. Nobody draws over another's:
 * two zones may have one name. NULL: there is none. */
static struct cairn_msg_zone *place_for(
    struct cairn_msg_zones *zones, const char *name, enum cairn_zone_kind kind, enum cairn_zone_author author)
{
	bool model = author == CAIRN_ZONE_AUTHOR_MODEL;
	uint32_t id = 1;
	for (uint32_t i = 0; i < zones->items_count; i++) {
		struct cairn_msg_zone *z = &zones->items[i];
		if (z->author == author && z->kind == kind && strcmp(z->name, name) == 0)
			return z;
		if (z->id >= id)
			id = z->id + 1;
	}
	if (model && count_of(zones, CAIRN_ZONE_AUTHOR_MODEL) >= MODEL_ZONES_MAX)
		return NULL;
	if (zones->items_count == ZONES_MAX && (model || !make_room(zones)))
		return NULL;
	struct cairn_msg_zone *z = &zones->items[zones->items_count++];
	*z = (struct cairn_msg_zone){.id = id, .kind = kind, .author = author};
	snprintf(z->name, sizeof(z->name), "%s", name);
	return z;
}

/* NULL, or why it cannot be. The way home must stay open: no zone to keep out of holds the start. */
static const char *obstacle_to(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d,
    struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX], size_t *count, struct cairn_error *err)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	if (!seq->inputs.now.scan_ok || !seq->inputs.now.pose_ok)
		return "scan or pose are missing or too old";
	*count = cairn_zone_around(d->zone_kind, &seq->inputs.points, &body, seq_pose(seq), corners, err);
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
	struct cairn_msg_zone *z =
	    why == NULL ? place_for(&seq->mission.record.zones, name, d->zone_kind, CAIRN_ZONE_AUTHOR_MODEL)
			: NULL;
	if (z == NULL) {
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns, "no zone: %.100s",
		    why != NULL ? why : "there are as many as can be kept");
		return;
	}
	z->corners_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		z->corners[i] = (struct cairn_msg_zone_point){(float)corners[i].x_m, (float)corners[i].y_m};
	seq->mission.changed = true;
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
	struct cairn_msg_zone *place =
	    place_for(&seq->mission.record.zones, zone->name, zone->kind, zone->author);
	if (place == NULL)
		return "there are as many as can be kept";
	uint32_t id = place->id;
	*place = *zone;
	place->id = id;
	seq->mission.changed = true;
	return NULL;
}

uint32_t cairn_sequencer_keep_zones(struct cairn_sequencer *seq, const struct cairn_msg_zones *zones)
{
	uint32_t taken = 0;
	for (uint32_t i = 0; i < zones->items_count && i < ZONES_MAX; i++)
		taken +=
		    zones->items[i].author != CAIRN_ZONE_AUTHOR_CONFIG && keep(seq, &zones->items[i]) == NULL;
	return taken;
}

void seq_zones_from_config(struct cairn_sequencer *seq)
{
	struct cairn_msg_zones zones;
	struct cairn_error err = {""};
	if (!cairn_zones_parse(&zones, seq->cfg->safety.zones, &err))
		return; /* the configuration's check has said so */
	for (uint32_t i = seq->mission.record.zones.items_count;
	     i-- > 0;) /* those of a configuration before */
		if (seq->mission.record.zones.items[i].author == CAIRN_ZONE_AUTHOR_CONFIG)
			take_out(&seq->mission.record.zones, i);
	for (uint32_t i = 0; i < zones.items_count; i++) {
		zones.items[i].author = CAIRN_ZONE_AUTHOR_CONFIG;
		(void)keep(seq, &zones.items[i]);
	}
}

/* ---- which map they are of ---- */

void cairn_sequencer_zones_saved(struct cairn_sequencer *seq, uint64_t map_id, uint32_t doubt)
{
	seq->mission.record.zones_map_id = map_id;
	seq->mission.record.zones_doubt = doubt;
	seq->mission.changed = true;
}

void seq_zones_of_map(struct cairn_sequencer *seq, uint64_t map_id)
{
	struct cairn_mission_record *r = &seq->mission.record;
	if (map_id == 0)
		return;
	seq->inputs.map_id = map_id;
	if (r->zones_map_id == map_id)
		return;
	/* Without a zone there is nothing that could be in the wrong place. */
	if (r->zones_map_id != 0 && r->zones.items_count > 0) {
		if (r->zones_doubt == CAIRN_ZONE_DOUBT_NONE) {
			r->zones_doubt = CAIRN_ZONE_DOUBT_MAP;
			seq->mission.changed = true;
		}
		return;
	}
	r->zones_map_id = map_id;
	if (r->zones_doubt == CAIRN_ZONE_DOUBT_MAP)
		r->zones_doubt = CAIRN_ZONE_DOUBT_NONE;
	seq->mission.changed = true;
}

static void confirm(struct cairn_sequencer *seq, struct cairn_msg_reply *reply)
{
	seq->mission.record.zones_doubt = CAIRN_ZONE_DOUBT_NONE;
	seq->mission.record.zones_map_id = seq->inputs.map_id; /* 0: bound with the next pose that tells */
	seq->mission.changed = true;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "%u zones hold in this map as they are",
	    seq->mission.record.zones.items_count);
}

/* ---- operators ---- */

static void forget(struct cairn_sequencer *seq, const char *name, struct cairn_msg_reply *reply)
{
	struct cairn_msg_zones *zones = &seq->mission.record.zones;
	uint32_t before = zones->items_count;
	bool configured = false;
	for (uint32_t i = before; i-- > 0;) {
		if (strcmp(zones->items[i].name, name) != 0)
			continue;
		if (zones->items[i].author == CAIRN_ZONE_AUTHOR_CONFIG)
			configured = true;
		else
			take_out(zones, i);
	}
	reply->ok = zones->items_count != before;
	seq->mission.changed |= reply->ok;
	snprintf(reply->text, sizeof(reply->text),
	    reply->ok && configured
		? "zone '%.31s' is forgotten, but for that of the configuration (safety.zones)"
	    : reply->ok  ? "zone '%.31s' is forgotten"
	    : configured ? "zone '%.31s' is the configuration's: change safety.zones and start again"
			 : "there is no zone '%.31s'",
	    name);
}

void seq_zone_command(struct cairn_sequencer *seq, const char *text, struct cairn_msg_reply *reply)
{
	struct cairn_msg_zone zone;
	struct cairn_error err = {""};
	if (strncmp(text, "forget ", 7) == 0) {
		forget(seq, text + 7, reply);
		return;
	}
	if (strcmp(text, "confirm") == 0) {
		confirm(seq, reply);
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
	return &seq->mission.record.zones;
}
