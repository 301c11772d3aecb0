/* agent_done.c - is what is called done, done? A model's word is none: each thing that the task asks to do must be one that the arm has
 * told to have succeeded with, in this task, with a thing that the task names, and nothing that was done or seen since may
 * contradict it. What cannot be shown so is not called done. English words of the task are read; a task that has none of them is held
 * to the thing alone. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/agent/agent_private.h"
#include "common/scene/words.h"

#define SAME_PLACE_M 0.6
#define LETTERS_MIN 3

static const struct {
	const char *word;
	enum cairn_skill_verb verb;
} orders[] = {{"open", CAIRN_SKILL_VERB_OPEN}, {"close", CAIRN_SKILL_VERB_CLOSE},
    {"shut", CAIRN_SKILL_VERB_CLOSE}, {"take", CAIRN_SKILL_VERB_GRASP}, {"pick", CAIRN_SKILL_VERB_GRASP},
    {"grasp", CAIRN_SKILL_VERB_GRASP}, {"grab", CAIRN_SKILL_VERB_GRASP}, {"put", CAIRN_SKILL_VERB_PLACE},
    {"place", CAIRN_SKILL_VERB_PLACE}, {"lay", CAIRN_SKILL_VERB_PLACE}, {"pour", CAIRN_SKILL_VERB_POUR},
    {"fill", CAIRN_SKILL_VERB_POUR}, {"bring", CAIRN_SKILL_VERB_HAND_OVER},
    {"fetch", CAIRN_SKILL_VERB_HAND_OVER}, {"give", CAIRN_SKILL_VERB_HAND_OVER},
    {"hand", CAIRN_SKILL_VERB_HAND_OVER}, {"get", CAIRN_SKILL_VERB_HAND_OVER},
    {"deliver", CAIRN_SKILL_VERB_HAND_OVER}};

/* In front of an order, where it does not begin the sentence: "the open box" orders nothing. The first three in any sentence; the others
 * where something is said to be done: "where is the key to open it?" orders nothing either. */
static const char *const leads[] = {"and", "then", "please", "to", "you", "also", "or"};
#define LEADS_STRICT 3

/* Words for one sort of thing. */
static const char *const alike[][4] = {{"fridge", "refrigerator"}, {"sofa", "couch"},
    {"cup", "glass", "mug", "tumbler"}, {"television", "tv"}, {"cupboard", "cabinet"}, {"bin", "basket"},
    {"nightstand", "night"}};

/* ---- words ---- */

/* The next word at *at in small letters; *ret_begins: a sentence or a part of one begins with it. False: there is none. */
static bool next_word(const char **at, char word[40], bool *ret_begins)
{
	size_t n = 0;
	for (; **at != '\0' && !isalpha((unsigned char)**at); (*at)++)
		*ret_begins |= ispunct((unsigned char)**at) && **at != '\'' && **at != '-';
	for (; isalpha((unsigned char)**at) || **at == '\''; (*at)++)
		if (n < 39)
			word[n++] = (char)tolower((unsigned char)**at);
	word[n] = '\0';
	return n > 0;
}

static bool one_of(const char *const *list, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] != NULL && strcmp(list[i], word) == 0)
			return true;
	return false;
}

/* One thing or several of it, or another word for it. */
static bool same_word(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), shorter = n < m ? n : m;
	if (shorter >= LETTERS_MIN && strncmp(a, b, shorter) == 0 && (n > m ? n - m : m - n) <= 2)
		return true;
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (one_of(alike[i], 4, a) && one_of(alike[i], 4, b))
			return true;
	return false;
}

/* The task has a word of the thing's name. */
static bool names(const char *task, const char *label)
{
	char have[40], want[40];
	bool begins = false; /* of no matter here */
	for (const char *l = label; next_word(&l, want, &begins);)
		for (const char *t = task; strlen(want) >= LETTERS_MIN && next_word(&t, have, &begins);)
			if (same_word(have, want))
				return true;
	return false;
}

static uint32_t verbs_of(const char *task, bool strict)
{
	char word[40], before[40] = "";
	uint32_t verbs = 0;
	bool begins = true;
	for (const char *t = task; next_word(&t, word, &begins); begins = false) {
		begins |= one_of(leads, strict ? LEADS_STRICT : sizeof(leads) / sizeof(leads[0]), before);
		for (size_t i = 0; begins && i < sizeof(orders) / sizeof(orders[0]); i++)
			verbs |= strcmp(orders[i].word, word) == 0 ? 1u << orders[i].verb : 0;
		memcpy(before, word, sizeof(before));
	}
	return verbs;
}

/* ---- what was done ---- */

void agent_done_note(struct cairn_agent *a, const struct cairn_msg_skill_result *r)
{
	struct agent_done *d = &a->done[a->done_count % AGENT_DONE_MAX];
	double best_m = SAME_PLACE_M;
	*d = (struct agent_done){
	    .verb = r->verb, .t_unix_s = (double)a->t_polled_ns * 1e-9 + a->unix_less_mono_s};
	snprintf(d->label, sizeof(d->label), "%.47s", a->deed.wish.target);
	/* An arm that does not tell what it holds holds what it has taken. */
	const char *took = r->held[0] != '\0' ? r->held : a->deed.wish.target;
	snprintf(d->thing, sizeof(d->thing), "%.47s", r->verb == CAIRN_SKILL_VERB_GRASP ? took : a->held);
	for (uint32_t i = 0; i < a->world.scene.nodes_count; i++) {
		const struct cairn_msg_scene_node *n = &a->world.scene.nodes[i];
		double m = hypot(n->x_m - a->deed.wish.x_m, n->y_m - a->deed.wish.y_m);
		if (n->kind != CAIRN_SCENE_KIND_OBJECT || strcmp(n->label, d->label) != 0 || m >= best_m)
			continue;
		best_m = m;
		snprintf(d->id, sizeof(d->id), "%s", n->id);
	}
	bool gives = r->verb == CAIRN_SKILL_VERB_PLACE || r->verb == CAIRN_SKILL_VERB_HAND_OVER;
	if (r->verb == CAIRN_SKILL_VERB_GRASP)
		memcpy(a->held, d->thing, sizeof(a->held));
	else if (gives || r->held[0] != '\0')
		snprintf(a->held, sizeof(a->held), "%.47s", r->held);
	a->done_count++;
	a->changed = true;
}

static const struct agent_done *done_at(const struct cairn_agent *a, uint32_t i)
{
	uint32_t kept = a->done_count < AGENT_DONE_MAX ? a->done_count : AGENT_DONE_MAX;
	return &a->done[(a->done_count - kept + i) % AGENT_DONE_MAX];
}

/* Something was done later that takes it back, or the graph has seen that it is not so. */
static bool undone(const struct cairn_agent *a, const struct agent_done *d)
{
	uint32_t kept = a->done_count < AGENT_DONE_MAX ? a->done_count : AGENT_DONE_MAX;
	const char *other = d->verb == CAIRN_SKILL_VERB_OPEN ? "closed" : "open";
	bool door = d->verb == CAIRN_SKILL_VERB_OPEN || d->verb == CAIRN_SKILL_VERB_CLOSE, after = false;
	for (uint32_t i = 0; i < kept && door; i++) {
		const struct agent_done *k = done_at(a, i);
		if (after && strcmp(k->id, d->id) == 0 && strcmp(k->label, d->label) == 0 &&
		    (k->verb == CAIRN_SKILL_VERB_OPEN || k->verb == CAIRN_SKILL_VERB_CLOSE) &&
		    k->verb != d->verb)
			return true;
		after |= k == d;
	}
	const struct cairn_msg_scene_node *n = d->id[0] != '\0' ? cairn_agent_node(&a->world, d->id) : NULL;
	if (door && n != NULL && n->last_unix_s > d->t_unix_s && strcmp(n->state, other) == 0)
		return true;
	if (d->verb == CAIRN_SKILL_VERB_GRASP)
		return strcmp(a->held, d->thing) != 0;
	return (d->verb == CAIRN_SKILL_VERB_PLACE || d->verb == CAIRN_SKILL_VERB_HAND_OVER) &&
	       d->thing[0] != '\0' && strcmp(a->held, d->thing) == 0;
}

/* What is handed over or put down was taken before: that it is not in the hand any more is as it should be. */
static bool stands(const struct cairn_agent *a, const struct agent_done *d, uint32_t verbs)
{
	bool on = (verbs & (1u << CAIRN_SKILL_VERB_PLACE | 1u << CAIRN_SKILL_VERB_HAND_OVER)) != 0;
	return (d->verb == CAIRN_SKILL_VERB_GRASP && on) || !undone(a, d);
}

static bool shown(const struct cairn_agent *a, enum cairn_skill_verb verb, uint32_t verbs)
{
	uint32_t kept = a->done_count < AGENT_DONE_MAX ? a->done_count : AGENT_DONE_MAX;
	for (uint32_t i = 0; i < kept; i++) {
		const struct agent_done *d = done_at(a, i);
		bool any = verb == CAIRN_SKILL_VERB_NONE;
		if ((any || d->verb == verb) && (names(a->task, d->label) || names(a->task, d->thing)) &&
		    stands(a, d, verbs))
			return true;
	}
	return false;
}

static void tell_done(const struct cairn_agent *a, char *dst, size_t cap)
{
	uint32_t kept = a->done_count < AGENT_DONE_MAX ? a->done_count : AGENT_DONE_MAX;
	size_t n = (size_t)snprintf(dst, cap, "%s", kept > 0 ? "" : "nothing");
	for (uint32_t i = 0; i < kept && n + 2 < cap; i++) {
		const struct agent_done *d = done_at(a, i);
		n += (size_t)snprintf(dst + n, cap - n, "%s%s %.30s", i > 0 ? ", " : "",
		    cairn_enum_text(&cairn_enum_skill_verb, (int)d->verb),
		    d->id[0] != '\0' ? d->id : d->label);
	}
}

bool agent_done_ok(const struct cairn_agent *a, bool said_done, char *why, size_t bytes)
{
	char list[96];
	uint32_t verbs = verbs_of(a->task, !said_done);
	if (!said_done && verbs == 0)
		return true; /* a question, and an answer */
	tell_done(a, list, sizeof(list));
	for (int v = 0; v < CAIRN_SKILL_VERB_COUNT; v++)
		if ((verbs & (1u << v)) != 0 && !shown(a, (enum cairn_skill_verb)v, verbs)) {
			snprintf(why, bytes,
			    "no skill '%s' has succeeded with a thing that the task names, or it is not so "
			    "any more (done: "
			    "%s). Judge not_yet or cannot",
			    cairn_enum_text(&cairn_enum_skill_verb, v), list);
			return false;
		}
	if (verbs == 0 && !shown(a, CAIRN_SKILL_VERB_NONE, 0)) {
		snprintf(why, bytes,
		    "no skill has succeeded with a thing that the task names (done: %s). Judge not_yet or "
		    "cannot",
		    list);
		return false;
	}
	return true;
}

/* ---- on disk ---- */

json_t *agent_done_json(const struct cairn_agent *a)
{
	uint32_t kept = a->done_count < AGENT_DONE_MAX ? a->done_count : AGENT_DONE_MAX;
	json_t *list = json_array();
	for (uint32_t i = 0; i < kept; i++) {
		const struct agent_done *d = done_at(a, i);
		json_array_append_new(
		    list, json_pack("[s,s,s,s,f]", cairn_enum_text(&cairn_enum_skill_verb, (int)d->verb),
			      d->id, d->label, d->thing, d->t_unix_s));
	}
	return json_pack("{s:s,s:o}", "held", a->held, "list", list);
}

static void read_word(const json_t *row, size_t at, char dst[48])
{
	const json_t *text = json_array_get(row, at);
	cairn_text_clean(
	    dst, 48, json_is_string(text) ? json_string_value(text) : "", json_string_length(text));
}

void agent_done_read(struct cairn_agent *a, const json_t *root)
{
	const json_t *list = json_object_get(root, "list"), *held = json_object_get(root, "held");
	a->done_count = 0;
	cairn_text_clean(a->held, sizeof(a->held), json_is_string(held) ? json_string_value(held) : "",
	    json_string_length(held));
	for (size_t i = 0; i < json_array_size(list) && a->done_count < AGENT_DONE_MAX; i++) {
		const json_t *row = json_array_get(list, i);
		const char *verb = json_string_value(json_array_get(row, 0));
		int v = verb != NULL ? cairn_enum_parse(&cairn_enum_skill_verb, verb) : -1;
		if (v < 0)
			continue;
		struct agent_done *d = &a->done[a->done_count++];
		*d = (struct agent_done){
		    .verb = (enum cairn_skill_verb)v, .t_unix_s = json_number_value(json_array_get(row, 4))};
		read_word(row, 1, d->id);
		read_word(row, 2, d->label);
		read_word(row, 3, d->thing);
	}
}
