#include "common/vlm/memory.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/base/geom.h"
#include "common/base/bearing_name.h"
#include "common/vlm/short_ids.h"

#define ROOM_AGAIN_M 6.0 /* the same room name within this is the same room */
#define THING_AGAIN_M 1.5
#define DEAD_END_AGAIN_M 1.0
#define SEEN_AGAIN_M 1.0 /* a picture from within this and that far turned shows much the same */
#define SEEN_AGAIN_RAD 0.5
#define ROOM_KEPT_M 0.8       /* another room must be so much nearer before the robot is in that one */
#define OPENING_OF_ROOM_M 4.0 /* an opening this near to where a room was reported is one of that room */

void cairn_memory_init(struct cairn_memory *memory)
{
	*memory = (struct cairn_memory){.current_room = -1};
}

/* Makes room for one more at the end of a list by dropping its oldest. */
static void *push(struct cairn_memory *memory, void *items, uint32_t *count, uint32_t cap, size_t size)
{
	if (*count == cap) {
		memmove(items, (char *)items + size, (cap - 1) * size);
		(*count)--;
		memory->forgotten++;
	}
	void *item = (char *)items + *count * size;
	memset(item, 0, size);
	(*count)++;
	return item;
}

/* label: of CAIRN_TOOL_LABEL_CAP bytes. */
static void note_dropped(
    struct cairn_memory *memory, const char *label, const struct cairn_memory_sight *sight, bool room)
{
	struct cairn_memory_gone *gone = &memory->gone[memory->gone_count++];
	memory->dropped++;
	memcpy(memory->dropped_label, label, sizeof(memory->dropped_label));
	memcpy(gone->label, label, sizeof(gone->label));
	memcpy(gone->picture, sight->picture, sizeof(gone->picture));
	gone->room = room;
}

static uint32_t limit(uint32_t configured, uint32_t most)
{
	return configured == 0 || configured > most ? most : configured;
}

/* What may go before the others: objects before landmarks before hazards. */
static uint32_t worth(const struct cairn_memory_discovery *d)
{
	return d->significance;
}

/* Of those that are worth least the oldest makes room. */
static void make_room_for_discovery(struct cairn_memory *memory)
{
	uint32_t least = 0;
	while (memory->discoveries_count >= limit(memory->discoveries_max, CAIRN_MEMORY_DISCOVERIES)) {
		struct cairn_memory_discovery *all = memory->discoveries;
		least = 0;
		for (uint32_t i = 1; i < memory->discoveries_count; i++)
			least = worth(&all[i]) < worth(&all[least]) ? i : least;
		note_dropped(memory, all[least].label, &all[least].sight, false);
		memory->forgotten++;
		memory->discoveries_count--;
		memmove(&all[least], &all[least + 1], (memory->discoveries_count - least) * sizeof(all[0]));
	}
}

static const char *room_name(const struct cairn_memory *memory)
{
	return memory->current_room >= 0 ? memory->rooms[memory->current_room].name : "";
}

/* The oldest makes room. Which one the robot is in is set by whoever adds one. */
static void make_room_for_room(struct cairn_memory *memory)
{
	uint32_t count = memory->rooms_count, max = limit(memory->rooms_max, CAIRN_MEMORY_ROOMS);
	uint32_t gone = count < max ? 0 : count - max + 1;
	for (uint32_t i = 0; i < gone; i++)
		note_dropped(memory, memory->rooms[i].name, &memory->rooms[i].sight, true);
	memory->forgotten += gone;
	memory->rooms_count = count - gone;
	memmove(memory->rooms, memory->rooms + gone, memory->rooms_count * sizeof(memory->rooms[0]));
}

static bool report_room(
    struct cairn_memory *memory, const struct cairn_tool_call *report, double x_m, double y_m)
{
	char from[CAIRN_TOOL_LABEL_CAP];
	snprintf(from, sizeof(from), "%s", room_name(memory));
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		struct cairn_memory_room *room = &memory->rooms[i];
		if (strcasecmp(room->name, report->label) != 0 ||
		    hypot(room->x_m - x_m, room->y_m - y_m) > ROOM_AGAIN_M)
			continue;
		if (memory->current_room != (int32_t)i)
			room->visits++;
		memory->current_room = (int32_t)i;
		return false;
	}
	make_room_for_room(memory);
	struct cairn_memory_room *room =
	    push(memory, memory->rooms, &memory->rooms_count, CAIRN_MEMORY_ROOMS, sizeof(memory->rooms[0]));
	memcpy(room->name, report->label, sizeof(room->name));
	memcpy(room->entered_from, from, sizeof(room->entered_from));
	room->x_m = x_m;
	room->y_m = y_m;
	room->visits = 1;
	room->sight.id = ++memory->reports;
	memory->current_room = (int32_t)memory->rooms_count - 1;
	return true;
}

static void room_add_object(struct cairn_memory *memory, const char *label)
{
	if (memory->current_room < 0)
		return;
	struct cairn_memory_room *room = &memory->rooms[memory->current_room];
	for (uint32_t i = 0; i < room->objects_count; i++) {
		if (strcasecmp(room->objects[i], label) == 0)
			return;
	}
	if (room->objects_count < CAIRN_MEMORY_ROOM_OBJECTS)
		snprintf(room->objects[room->objects_count++], CAIRN_TOOL_LABEL_CAP, "%s", label);
}

bool cairn_memory_report(
    struct cairn_memory *memory, const struct cairn_tool_call *report, double x_m, double y_m)
{
	memory->gone_count = 0;
	if (!isfinite(x_m) || !isfinite(y_m))
		return false;
	if (report->significance == CAIRN_SIGNIFICANCE_ROOM)
		return report_room(memory, report, x_m, y_m);
	if (report->significance == CAIRN_SIGNIFICANCE_OBJECT)
		room_add_object(memory, report->label);
	for (uint32_t i = 0; i < memory->discoveries_count; i++) {
		struct cairn_memory_discovery *d = &memory->discoveries[i];
		if (strcasecmp(d->label, report->label) == 0 &&
		    hypot(d->x_m - x_m, d->y_m - y_m) < THING_AGAIN_M) {
			if (report->notes[0] != '\0')
				memcpy(d->notes, report->notes, sizeof(d->notes));
			return false;
		}
	}
	make_room_for_discovery(memory);
	struct cairn_memory_discovery *d = push(memory, memory->discoveries, &memory->discoveries_count,
	    CAIRN_MEMORY_DISCOVERIES, sizeof(memory->discoveries[0]));
	memcpy(d->label, report->label, sizeof(d->label));
	memcpy(d->notes, report->notes, sizeof(d->notes));
	snprintf(d->room, sizeof(d->room), "%s", room_name(memory));
	d->significance = (uint32_t)report->significance;
	d->x_m = x_m;
	d->y_m = y_m;
	d->sight.id = ++memory->reports;
	return true;
}

static double finite_or_zero(double x)
{
	return isfinite(x) ? x : 0.0;
}

/* A zone, a bumper or a sensor that does not say where has no place. */
static void tell_cause(struct cairn_memory_result *r, const struct cairn_msg_result *result)
{
	const char *sensor = cairn_enum_text(&cairn_enum_sensor, (int)result->cause);
	r->cause[0] = '\0';
	if (result->cause == CAIRN_SENSOR_NONE || sensor == NULL)
		return;
	if (isfinite(result->cause_m) && isfinite(result->cause_bearing_rad) && result->cause_m >= 0.0)
		snprintf(r->cause, sizeof(r->cause), "%s %s %.2f m", sensor,
		    cairn_bearing_name(result->cause_bearing_rad), fmin(result->cause_m, 99.0));
	else
		snprintf(r->cause, sizeof(r->cause), "%s", sensor);
}

/* The newest, when the answer to an event has only confirmed what it was: the drive went on, and is one action. Told one by one, such
 * answers would push what failed before out of the few that are told. NULL otherwise. */
static struct cairn_memory_result *confirmed(
    struct cairn_memory *memory, const struct cairn_msg_result *result, const char *asked)
{
	struct cairn_memory_result *newest =
	    memory->results_count > 0 ? &memory->results[memory->results_count - 1] : NULL;
	bool same = newest != NULL && newest->outcome == CAIRN_OUTCOME_REPLACED && !newest->overridden &&
		    newest->source == CAIRN_SOURCE_MODEL && result->source == CAIRN_SOURCE_MODEL &&
		    strcmp(newest->asked, asked) == 0;
	return same ? newest : NULL;
}

void cairn_memory_add_result(struct cairn_memory *memory, const struct cairn_msg_result *result)
{
	struct cairn_memory_result *r = NULL, before = {.distance_m = 0.0};
	char asked[sizeof(r->asked)];
	cairn_text_clean(asked, sizeof(asked), result->asked, strnlen(result->asked, sizeof(result->asked)));
	cairn_short_ids(asked);
	for (uint32_t i = 0; i < memory->results_count; i++) {
		if (result->decision_id != 0 && memory->results[i].decision_id == result->decision_id)
			r = &memory->results[i];
	}
	if (r == NULL && (r = confirmed(memory, result, asked)) != NULL)
		before = *r;
	if (r == NULL) {
		uint64_t forgotten = memory->forgotten; /* old results are meant to go */
		r = push(memory, memory->results, &memory->results_count, CAIRN_MEMORY_RESULTS,
		    sizeof(memory->results[0]));
		memory->forgotten = forgotten;
	}
	r->decision_id = result->decision_id;
	r->outcome = (uint32_t)result->outcome;
	r->source = (uint32_t)result->source;
	r->overridden = result->overridden;
	memcpy(r->asked, asked, sizeof(r->asked));
	cairn_text_clean(
	    r->reason, sizeof(r->reason), result->reason, strnlen(result->reason, sizeof(result->reason)));
	cairn_text_clean(r->suggestion, sizeof(r->suggestion), result->suggestion,
	    strnlen(result->suggestion, sizeof(result->suggestion)));
	cairn_text_clean(r->executed, sizeof(r->executed), result->executed,
	    strnlen(result->executed, sizeof(result->executed)));
	cairn_short_ids(r->reason);
	cairn_short_ids(r->suggestion);
	tell_cause(r, result);
	r->distance_m = before.distance_m + finite_or_zero(result->distance_m);
	r->duration_s = before.duration_s + finite_or_zero(result->duration_s);
	r->turned_rad = before.turned_rad + finite_or_zero(result->turned_rad);
}

bool cairn_memory_add_dead_end(
    struct cairn_memory *memory, double x_m, double y_m, double yaw_rad, const char *reason)
{
	if (!isfinite(x_m) || !isfinite(y_m) || !isfinite(yaw_rad))
		return false;
	for (uint32_t i = 0; i < memory->dead_ends_count; i++) {
		if (hypot(memory->dead_ends[i].x_m - x_m, memory->dead_ends[i].y_m - y_m) < DEAD_END_AGAIN_M)
			return false;
	}
	struct cairn_memory_place *place = push(memory, memory->dead_ends, &memory->dead_ends_count,
	    CAIRN_MEMORY_DEAD_ENDS, sizeof(memory->dead_ends[0]));
	place->x_m = x_m;
	place->y_m = y_m;
	place->yaw_rad = yaw_rad;
	cairn_text_clean(place->reason, sizeof(place->reason), reason, strlen(reason));
	return true;
}

/* Cut behind a word, so that none is taken for another. */
static void keep_words(char *dst, size_t cap, const char *text)
{
	char line[2 * CAIRN_TOOL_NOTES_CAP];
	cairn_text_clean(line, sizeof(line), text, strlen(text));
	cairn_text_clean(dst, cap, line, strlen(line));
	char *end = strlen(dst) < strlen(line) ? strrchr(dst, ' ') : NULL;
	if (end != NULL)
		*end = '\0';
}

const char *cairn_memory_add_observation(
    struct cairn_memory *memory, double x_m, double y_m, double yaw_rad, const char *focus, const char *text)
{
	struct cairn_memory_observation *o = memory->observations;
	if (!isfinite(x_m) || !isfinite(y_m) || !isfinite(yaw_rad))
		return text;
	for (uint32_t i = 0; i < memory->observations_count; i++) {
		if (hypot(o[i].x_m - x_m, o[i].y_m - y_m) > SEEN_AGAIN_M ||
		    fabs(cairn_wrap_rad(o[i].yaw_rad - yaw_rad)) > SEEN_AGAIN_RAD ||
		    strcmp(o[i].focus, focus) != 0)
			continue;
		memmove(&o[i], &o[i + 1], (--memory->observations_count - i) * sizeof(*o));
		break;
	}
	o = push(memory, o, &memory->observations_count, CAIRN_MEMORY_OBSERVATIONS, sizeof(*o));
	o->x_m = x_m;
	o->y_m = y_m;
	o->yaw_rad = yaw_rad;
	cairn_text_clean(o->focus, sizeof(o->focus), focus, strlen(focus));
	keep_words(o->text, sizeof(o->text), text);
	return o->text;
}

bool cairn_memory_at(struct cairn_memory *memory, double x_m, double y_m)
{
	int32_t nearest = -1, was = memory->current_room;
	double nearest_m = OPENING_OF_ROOM_M, kept_m = INFINITY;
	if (!isfinite(x_m) || !isfinite(y_m))
		return false;
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		double d = hypot(memory->rooms[i].x_m - x_m, memory->rooms[i].y_m - y_m);
		if ((int32_t)i == was)
			kept_m = d;
		if (d > nearest_m)
			continue;
		nearest_m = d;
		nearest = (int32_t)i;
	}
	if (kept_m <= OPENING_OF_ROOM_M && nearest_m > kept_m - ROOM_KEPT_M)
		nearest = was;
	if (nearest == was)
		return false;
	if (nearest >= 0)
		memory->rooms[nearest].visits++;
	memory->current_room = nearest;
	return true;
}

/* ---- what is left of the rooms ---- */

void cairn_memory_frontiers(struct cairn_memory *memory, const struct cairn_msg_frontiers *frontiers)
{
	uint32_t left[CAIRN_MEMORY_ROOMS] = {0};
	memory->openings_left = memory->openings_elsewhere = 0;
	for (uint32_t k = 0; k < frontiers->items_count; k++) {
		const struct cairn_msg_frontier *f = &frontiers->items[k];
		double nearest_m = OPENING_OF_ROOM_M;
		int room = -1;
		if (!(f->distance_m >= 0.0))
			continue;
		for (uint32_t i = 0; i < memory->rooms_count; i++) {
			double d = hypot(memory->rooms[i].x_m - f->x_m, memory->rooms[i].y_m - f->y_m);
			if (d < nearest_m) {
				nearest_m = d;
				room = (int)i;
			}
		}
		memory->openings_left++;
		if (room >= 0)
			left[room]++;
		else
			memory->openings_elsewhere++;
	}
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		struct cairn_memory_room *room = &memory->rooms[i];
		room->openings_left = left[i];
		if (room->openings_most < left[i])
			room->openings_most = left[i];
	}
}

double cairn_memory_explored(const struct cairn_memory_room *room)
{
	return room->openings_most > 0 ? 1.0 - (double)room->openings_left / room->openings_most : 1.0;
}
