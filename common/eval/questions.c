#include "common/eval/questions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/detector/detect.h"

#define LABELS_MAX 256
#define COUNT_MIN 2
#define COUNT_MAX 6

struct name {
	char label[40];
	uint32_t count;
	char room[40]; /* of the first; empty: in none, or in several */
};

const char *cairn_question_word(enum cairn_question_kind kind)
{
	static const char *const words[CAIRN_QUESTION_KINDS] = {"location", "existence", "count"};
	return words[kind];
}

static uint32_t list_names(const struct cairn_world *w, struct name *names)
{
	uint32_t n = 0;
	char label[40];
	for (uint32_t i = 0; i < w->thing_count; i++) {
		if (!cairn_sim_thing_label(&w->things[i], label))
			continue;
		const struct cairn_room *room =
		    cairn_world_room_at(w, (double)w->things[i].x_m, (double)w->things[i].y_m);
		const char *is = room != NULL ? room->name : "";
		uint32_t k = 0;
		while (k < n && strcmp(names[k].label, label) != 0)
			k++;
		if (k == n && n < LABELS_MAX) {
			n++;
			names[k] = (struct name){.count = 0};
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
	struct name *names = calloc(LABELS_MAX + 1, sizeof(*names));
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

static bool ask(const struct name *name, enum cairn_question_kind kind, struct cairn_question *ret)
{
	char many[48];
	*ret = (struct cairn_question){.kind = kind, .count = name->count};
	memcpy(ret->label, name->label, sizeof(ret->label));
	memcpy(ret->room, name->room, sizeof(ret->room));
	plural(name->label, many, sizeof(many));
	switch (kind) {
	case CAIRN_QUESTION_LOCATION:
		snprintf(ret->text, sizeof(ret->text), "Where is the %s?", name->label);
		return name->count == 1 && name->room[0] != '\0';
	case CAIRN_QUESTION_EXISTENCE:
		snprintf(ret->text, sizeof(ret->text), "Is there a %s in the house?", name->label);
		return true;
	case CAIRN_QUESTION_COUNT:
		snprintf(ret->text, sizeof(ret->text), "How many %s are there?", many);
		return name->count >= COUNT_MIN && name->count <= COUNT_MAX;
	case CAIRN_QUESTION_KINDS:
		break;
	}
	return false;
}

/* A chair is asked for, and there are desk chairs, too: which are meant? */
static bool ambiguous(const struct name *names, uint32_t n, const struct name *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (&names[i] != name && (strstr(names[i].label, name->label) != NULL ||
					     strstr(name->label, names[i].label) != NULL))
			return true;
	return false;
}

static void shuffle(struct name *names, uint32_t n, struct cairn_rng *rng)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = cairn_rng_u32(rng) % i;
		struct name keep = names[i - 1];
		names[i - 1] = names[k];
		names[k] = keep;
	}
}

static bool has_name(const struct name *names, uint32_t n, const char *label)
{
	for (uint32_t i = 0; i < n;
	     i++) /* a bed is a kind of double bed: a part of a name is no other thing */
		if (strstr(names[i].label, label) != NULL || strstr(label, names[i].label) != NULL)
			return true;
	return false;
}

uint32_t cairn_questions_make(const struct cairn_world *w, const char (*foreign)[40], uint32_t foreign_count,
    uint64_t seed, struct cairn_question *ret, uint32_t max, uint32_t *ret_rejected)
{
	struct name *names = calloc(2 * LABELS_MAX + 1, sizeof(*names)), *others = names + LABELS_MAX;
	struct cairn_rng rng;
	uint32_t n = 0, used[CAIRN_QUESTION_KINDS] = {0}, strangers = 0, own, turns = 0;
	*ret_rejected = 0;
	if (names == NULL)
		return 0;
	cairn_rng_seed(&rng, seed, 61);
	own = list_names(w, names);
	for (uint32_t i = 0; i < foreign_count && strangers < LABELS_MAX; i++)
		if (!has_name(names, own, foreign[i]) && !has_name(others, strangers, foreign[i]))
			memcpy(others[strangers++].label, foreign[i], 40);
	shuffle(names, own, &rng);
	shuffle(others, strangers, &rng);
	uint32_t at[CAIRN_QUESTION_KINDS] = {0}, other = 0;
	while (n < max && turns < CAIRN_QUESTION_KINDS * (own + strangers + 1)) {
		enum cairn_question_kind kind = (enum cairn_question_kind)(turns++ % CAIRN_QUESTION_KINDS);
		bool absent = kind == CAIRN_QUESTION_EXISTENCE && used[kind] % 2 == 1 && other < strangers;
		if (!absent && at[kind] >= own)
			continue;
		const struct name *name = absent ? &others[other++] : &names[at[kind]++];
		if (!ambiguous(names, own, name) && ask(name, kind, &ret[n])) {
			n++;
			used[kind]++;
		} else {
			turns--; /* this kind goes on with the next name */
			(*ret_rejected)++;
		}
	}
	free(names);
	return n;
}
