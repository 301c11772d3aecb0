/* state_set.h - states that a model check has seen: keys of one size, compared by bytes, numbered as they
 * come.
 *
 * Fill a key from zero (memset), so that padding is the same in equal ones. */
#ifndef CAIRN_TEST_SUPPORT_STATE_SET_H
#define CAIRN_TEST_SUPPORT_STATE_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

struct state_set {
	size_t bytes; /* of a key; set by the caller, the rest zero */
	unsigned char *keys;
	int count, room;
	int *table; /* numbers by hash, -1 = free; four times as many as there is room for */
};

static inline const void *state_set_key(const struct state_set *set, int i)
{
	return set->keys + (size_t)i * set->bytes;
}

/* Where the key's number is, or belongs. */
static inline int *state_set_slot(const struct state_set *set, const void *key)
{
	uint64_t h = cairn_hash_bytes(CAIRN_HASH_START, key, set->bytes);
	for (;; h++) {
		int *slot = &set->table[h % (uint64_t)(4 * set->room)];
		if (*slot < 0 || memcmp(state_set_key(set, *slot), key, set->bytes) == 0)
			return slot;
	}
}

static inline void state_set_grow(struct state_set *set)
{
	set->room = set->room == 0 ? 1024 : 2 * set->room;
	set->keys = realloc(set->keys, (size_t)set->room * set->bytes);
	set->table = realloc(set->table, 4 * (size_t)set->room * sizeof(*set->table));
	if (set->keys == NULL || set->table == NULL)
		abort();
	for (int i = 0; i < 4 * set->room; i++)
		set->table[i] = -1;
	for (int i = 0; i < set->count; i++)
		*state_set_slot(set, state_set_key(set, i)) = i;
}

/* The number of the key; a new one gets the next, which is count - 1 then. */
static inline int state_set_add(struct state_set *set, const void *key)
{
	if (set->count == set->room)
		state_set_grow(set);
	int *slot = state_set_slot(set, key);
	if (*slot < 0) {
		memcpy(set->keys + (size_t)set->count * set->bytes, key, set->bytes);
		*slot = set->count++;
	}
	return *slot;
}

static inline void state_set_free(struct state_set *set)
{
	free(set->keys);
	free(set->table);
	*set = (struct state_set){.bytes = set->bytes};
}

/* ---- the graph over them: next[i * events + e] is where event e leads from state i ---- */

/* Adds to `there` whatever can be reached from what is in it, by any event but one (negative: by all). */
static inline void state_graph_spread(const int *next, int count, int events, int but, bool *there)
{
	for (bool more = true; more;) {
		more = false;
		for (int i = 0; i < count; i++) {
			for (int e = 0; e < events && there[i]; e++) {
				bool *to = &there[next[(long)i * events + e]];
				more |= e != but && !*to;
				*to |= e != but;
			}
		}
	}
}

/* Adds to `can` whatever has a way to what is in it; how many there are then. */
static inline int state_graph_trace_back(const int *next, int count, int events, bool *can)
{
	int n = 0;
	for (bool more = true; more;) {
		more = false;
		for (int i = count - 1; i >= 0; i--)
			for (int e = 0; e < events && !can[i]; e++)
				more |= can[i] = can[next[(long)i * events + e]];
	}
	for (int i = 0; i < count; i++)
		n += can[i];
	return n;
}

#endif
