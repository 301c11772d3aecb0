/* memory_places.c - what the memory holds as messages: rooms and things that were found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/vlm/memory.h"

void cairn_memory_places(const struct cairn_memory *memory, struct cairn_msg_places *ret)
{
	*ret = (struct cairn_msg_places){.items_count = memory->rooms_count};
	_Static_assert(sizeof(ret->items) / sizeof(ret->items[0]) >= CAIRN_MEMORY_ROOMS, "room for all");
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		const struct cairn_memory_room *r = &memory->rooms[i];
		struct cairn_msg_place *p = &ret->items[i];
		cairn_text_clean(p->name, sizeof(p->name), r->name, strnlen(r->name, sizeof(r->name)));
		p->x_m = r->x_m;
		p->y_m = r->y_m;
	}
}

struct cairn_memory_sight *cairn_memory_newest(struct cairn_memory *memory)
{
	struct cairn_memory_sight *newest = NULL;
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		struct cairn_memory_sight *s = &memory->rooms[i].sight;
		newest = s->id != 0 && (newest == NULL || s->id > newest->id) ? s : newest;
	}
	for (uint32_t i = 0; i < memory->discoveries_count; i++) {
		struct cairn_memory_sight *s = &memory->discoveries[i].sight;
		newest = s->id != 0 && (newest == NULL || s->id > newest->id) ? s : newest;
	}
	return newest;
}

static int by_id(const void *a, const void *b)
{
	const struct cairn_msg_discovery *x = a, *y = b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct cairn_msg_discovery *add(struct cairn_msg_discoveries *all, const char *label, const char *room,
    const struct cairn_memory_sight *sight)
{
	struct cairn_msg_discovery *d = &all->items[all->items_count++];
	cairn_text_clean(d->label, sizeof(d->label), label, strlen(label));
	cairn_text_clean(d->room, sizeof(d->room), room, strlen(room));
	cairn_text_clean(d->picture, sizeof(d->picture), sight->picture, strlen(sight->picture));
	d->id = sight->id;
	d->unix_s = sight->unix_s;
	d->snapshot_id = sight->snapshot_id;
	return d;
}

void cairn_memory_discoveries(const struct cairn_memory *memory, struct cairn_msg_discoveries *ret)
{
	_Static_assert(
	    sizeof(ret->items) / sizeof(ret->items[0]) >= CAIRN_MEMORY_ROOMS + CAIRN_MEMORY_DISCOVERIES,
	    "room for all");
	*ret = (struct cairn_msg_discoveries){.dropped = memory->dropped};
	snprintf(ret->dropped_last, sizeof(ret->dropped_last), "%s", memory->dropped_label);
	for (uint32_t i = 0; i < memory->rooms_count; i++) {
		const struct cairn_memory_room *r = &memory->rooms[i];
		struct cairn_msg_discovery *d = add(ret, r->name, r->entered_from, &r->sight);
		d->kind = CAIRN_SIGNIFICANCE_ROOM;
		d->x_m = r->x_m;
		d->y_m = r->y_m;
	}
	for (uint32_t i = 0; i < memory->discoveries_count; i++) {
		const struct cairn_memory_discovery *m = &memory->discoveries[i];
		struct cairn_msg_discovery *d = add(ret, m->label, m->room, &m->sight);
		d->kind = (enum cairn_significance)m->significance;
		cairn_text_clean(d->notes, sizeof(d->notes), m->notes, strlen(m->notes));
		d->x_m = m->x_m;
		d->y_m = m->y_m;
	}
	qsort(ret->items, ret->items_count, sizeof(ret->items[0]), by_id);
}
