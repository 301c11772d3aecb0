#include "common/eval/questions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/rng.h"
#include "common/eval/question_facts.h"

#define LABELS_MAX 256
#define FACTS_MAX 256
#define COUNT_MIN 2
#define COUNT_MAX 6

/* Names that a kind is asked of, in the order drawn, or what is asked whole. */
struct pool {
	struct cairn_question items[FACTS_MAX];
	uint32_t count, at;
};

enum { STATES, ON, SIDES, COLOURS, POOLS };

const char *cairn_question_word(enum cairn_question_kind kind)
{
	static const char *const words[CAIRN_QUESTION_KINDS] = {
	    "location", "existence", "count", "state", "spatial", "identification"};
	return words[kind];
}

static uint32_t list_names(const struct cairn_world *w, struct question_name *names)
{
	uint32_t n = 0;
	char label[40];
	for (uint32_t i = 0; i < w->thing_count; i++) {
		if (!question_thing(w, i, label))
			continue;
		const struct cairn_room *room =
		    cairn_world_room_at(w, (double)w->things[i].x_m, (double)w->things[i].y_m);
		const char *is = room != NULL ? room->name : "";
		uint32_t k = 0;
		while (k < n && strcmp(names[k].label, label) != 0)
			k++;
		if (k == n && n < LABELS_MAX) {
			n++;
			names[k] = (struct question_name){.count = 0};
			snprintf(names[k].label, sizeof(names[k].label), "%s", label);
			snprintf(names[k].room, sizeof(names[k].room), "%.39s", is);
		}
		if (k == n)
			continue;
		names[k].count++;
		if (strcmp(names[k].room, is) != 0)
			names[k].room[0] = '\0';
	}
	return n;
}

uint32_t cairn_questions_labels(const struct cairn_world *w, char (*ret)[40], uint32_t max)
{
	struct question_name *names = calloc(LABELS_MAX + 1, sizeof(*names));
	uint32_t n = names != NULL ? list_names(w, names) : 0;
	n = n < max ? n : max;
	for (uint32_t i = 0; i < n; i++)
		memcpy(ret[i], names[i].label, 40);
	free(names);
	return n;
}

static void plural(const char *label, char *dst, size_t cap)
{
	size_t n = strlen(label);
	bool es = n > 1 && (label[n - 1] == 'x' || label[n - 1] == 's' || strcmp(label + n - 2, "sh") == 0 ||
			       strcmp(label + n - 2, "ch") == 0);
	if (n > 1 && label[n - 1] == 'f')
		snprintf(dst, cap, "%.*sves", (int)n - 1, label);
	else
		snprintf(dst, cap, "%s%s", label, es ? "es" : "s");
}

static bool ask(const struct question_name *name, enum cairn_question_kind kind, uint32_t rooms,
    struct cairn_question *ret)
{
	char many[48];
	*ret = (struct cairn_question){.kind = kind, .count = name->count, .options = 2};
	memcpy(ret->label, name->label, sizeof(ret->label));
	memcpy(ret->room, name->room, sizeof(ret->room));
	plural(name->label, many, sizeof(many));
	if (kind == CAIRN_QUESTION_EXISTENCE) {
		snprintf(ret->text, sizeof(ret->text), "Is there a %s in the house?", name->label);
		return true;
	}
	if (kind == CAIRN_QUESTION_COUNT) {
		ret->options = COUNT_MAX - COUNT_MIN + 1;
		snprintf(ret->text, sizeof(ret->text), "How many %s are there?", many);
		return name->count >= COUNT_MIN && name->count <= COUNT_MAX;
	}
	ret->options = rooms;
	snprintf(ret->text, sizeof(ret->text), "Where is the %s?", name->label);
	return name->count == 1 && name->room[0] != '\0';
}

static void shuffle(void *items, size_t bytes, uint32_t n, struct cairn_rng *rng)
{
	char keep[sizeof(struct cairn_question)], *base = items;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = cairn_rng_u32(rng) % i;
		memcpy(keep, base + (i - 1) * bytes, bytes);
		memcpy(base + (i - 1) * bytes, base + k * bytes, bytes);
		memcpy(base + k * bytes, keep, bytes);
	}
}

static bool has_name(const struct question_name *names, uint32_t n, const char *label)
{
	for (uint32_t i = 0; i < n;
	     i++) /* a bed is a kind of double bed: a part of a name is no other thing */
		if (strstr(names[i].label, label) != NULL || strstr(label, names[i].label) != NULL)
			return true;
	return false;
}

static void fill(struct pool *pools, const struct cairn_world *w, const struct question_name *names,
    uint32_t n, struct cairn_rng *rng)
{
	static const enum cairn_question_kind kinds[POOLS] = {[STATES] = CAIRN_QUESTION_STATE,
	    [ON] = CAIRN_QUESTION_SPATIAL,
	    [SIDES] = CAIRN_QUESTION_SPATIAL,
	    [COLOURS] = CAIRN_QUESTION_IDENTIFICATION};
	for (int i = 0; i < POOLS; i++) {
		pools[i].at = 0;
		pools[i].count = question_facts(w, names, n, kinds[i], i == ON, pools[i].items, FACTS_MAX);
		shuffle(pools[i].items, sizeof(pools[i].items[0]), pools[i].count, rng);
	}
}

static bool take(struct pool *pool, struct cairn_question *ret)
{
	if (pool->at == pool->count)
		return false;
	*ret = pool->items[pool->at++];
	return true;
}

/* The next one of a kind that is asked whole; false: none is left. Of the spatial ones the two sorts take turns. */
static bool take_fact(
    struct pool *pools, enum cairn_question_kind kind, uint32_t used, struct cairn_question *ret)
{
	if (kind == CAIRN_QUESTION_STATE)
		return take(&pools[STATES], ret);
	if (kind == CAIRN_QUESTION_IDENTIFICATION)
		return take(&pools[COLOURS], ret);
	return take(&pools[used % 2 == 0 ? ON : SIDES], ret) || take(&pools[used % 2 == 0 ? SIDES : ON], ret);
}

/* Names are asked for of a kind by kind until one can be. */
struct drawing {
	struct question_name names[LABELS_MAX], others[LABELS_MAX];
	uint32_t own, strangers, rooms, other, at[CAIRN_QUESTION_KINDS], used[CAIRN_QUESTION_KINDS], rejected;
	struct pool pools[POOLS];
};

static bool take_name(struct drawing *d, enum cairn_question_kind kind, struct cairn_question *ret)
{
	for (;;) {
		bool absent =
		    kind == CAIRN_QUESTION_EXISTENCE && d->used[kind] % 2 == 1 && d->other < d->strangers;
		if (!absent && d->at[kind] >= d->own)
			return false;
		const struct question_name *name = absent ? &d->others[d->other++] : &d->names[d->at[kind]++];
		if (!question_ambiguous(d->names, d->own, name->label) && ask(name, kind, d->rooms, ret))
			return true;
		d->rejected++;
	}
}

uint32_t cairn_questions_make(const struct cairn_world *w, const char (*foreign)[40], uint32_t foreign_count,
    uint64_t seed, struct cairn_question *ret, uint32_t max, uint32_t *ret_rejected)
{
	struct drawing *d = calloc(1, sizeof(*d));
	struct cairn_rng rng;
	uint32_t n = 0;
	*ret_rejected = 0;
	if (d == NULL)
		return 0;
	cairn_rng_seed(&rng, seed, 61);
	d->rooms = (uint32_t)w->room_count > 0 ? (uint32_t)w->room_count : 1;
	d->own = list_names(w, d->names);
	for (uint32_t i = 0; i < foreign_count && d->strangers < LABELS_MAX; i++)
		if (!has_name(d->names, d->own, foreign[i]) && !has_name(d->others, d->strangers, foreign[i]))
			memcpy(d->others[d->strangers++].label, foreign[i], 40);
	shuffle(d->names, sizeof(d->names[0]), d->own, &rng);
	shuffle(d->others, sizeof(d->others[0]), d->strangers, &rng);
	fill(d->pools, w, d->names, d->own, &rng);
	for (bool more = true; more && n < max;) {
		more = false;
		for (int k = 0; k < CAIRN_QUESTION_KINDS && n < max; k++) {
			enum cairn_question_kind kind = (enum cairn_question_kind)k;
			if (!(kind <= CAIRN_QUESTION_COUNT ? take_name(d, kind, &ret[n])
							   : take_fact(d->pools, kind, d->used[k], &ret[n])))
				continue;
			d->used[k]++;
			n++;
			more = true;
		}
	}
	*ret_rejected = d->rejected;
	free(d);
	return n;
}

/* ---- judging ---- */

/* The words stand in the text as whole words. */
static bool has_words(const char *text, const char *words)
{
	size_t n = strlen(words);
	for (const char *at = text; n > 0 && (at = strcasestr(at, words)) != NULL; at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
			return true;
	return false;
}

static bool begins_with(const char *text, const char *word)
{
	size_t n = strlen(word);
	return strncasecmp(text, word, n) == 0 && !isalnum((unsigned char)text[n]);
}

bool cairn_question_says(const struct cairn_question *q, const char *said)
{
	bool yes = begins_with(said, "yes"), no = begins_with(said, "no");
	switch (q->kind) {
	case CAIRN_QUESTION_LOCATION:
		return true;
	case CAIRN_QUESTION_EXISTENCE:
		return q->count > 0 ? yes : no;
	case CAIRN_QUESTION_COUNT:
		return strtoul(said, NULL, 10) == q->count;
	case CAIRN_QUESTION_STATE:
	case CAIRN_QUESTION_SPATIAL:
	case CAIRN_QUESTION_IDENTIFICATION:
		if (q->wrong[0] != '\0' && (yes || no))
			return yes == (strcmp(q->asked, q->truth) == 0);
		return has_words(said, q->truth) && !has_words(said, q->wrong) && !has_words(said, "not");
	case CAIRN_QUESTION_KINDS:
		break;
	}
	return false;
}
