#include "common/sequencer/named_goal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WORDS_MAX 24
#define WORD_BYTES 32

/* Words of a text in lower case, without articles. */
struct words {
	char word[WORDS_MAX][WORD_BYTES];
	int count;
};

static bool is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static struct words words_of(const char *text)
{
	static const char *const articles[] = {"the", "a", "an", NULL};
	struct words w = {.count = 0};
	while (*text != '\0' && w.count < WORDS_MAX) {
		char *out = w.word[w.count];
		size_t n = 0;
		while (*text != '\0' && !isalnum((unsigned char)*text) && (unsigned char)*text < 0x80)
			text++;
		for (; isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80; text++)
			if (n + 1 < WORD_BYTES)
				out[n++] = (char)tolower((unsigned char)*text);
		out[n] = '\0';
		w.count += n > 0 && !is_one_of(out, articles);
	}
	return w;
}

/* What a goal looks for: without the words that say what is to be done, up to the one that says where. */
static struct words thing_of(const char *goal)
{
	static const char *const doing[] = {"find", "search", "look", "for", "go", "to", "drive", "reach",
	    "locate", "explore", "until", "you", "see", "is", "my", "please", "room", NULL};
	static const char *const where[] = {"in", "at", "on", "near", "next", "beside", "behind", "under",
	    "with", "by", "and", "then", "from", "opposite", NULL};
	struct words all = words_of(goal), thing = {.count = 0};
	for (int i = 0; i < all.count; i++) {
		if (thing.count > 0 && is_one_of(all.word[i], where))
			break;
		if (!is_one_of(all.word[i], doing) && !is_one_of(all.word[i], where))
			memcpy(thing.word[thing.count++], all.word[i], WORD_BYTES);
	}
	return thing;
}

static bool holds_all(const struct words *of, const struct words *in)
{
	for (int i = 0; i < of->count; i++) {
		bool there = false;
		for (int k = 0; k < in->count; k++)
			there |= strcmp(of->word[i], in->word[k]) == 0;
		if (!there)
			return false;
	}
	return of->count > 0;
}

bool cairn_goal_coordinates(const char *text, double *ret_x_m, double *ret_y_m)
{
	char *end = NULL;
	double x = strtod(text, &end);
	if (end == text)
		return false;
	const char *second = end + strspn(end, " \t,;");
	if (second == end)
		return false;
	double y = strtod(second, &end);
	if (end == second || end[strspn(end, " \t")] != '\0' || !isfinite(x) || !isfinite(y))
		return false;
	*ret_x_m = x;
	*ret_y_m = y;
	return true;
}

static uint32_t total(const struct cairn_goal_names *n)
{
	return n->found_count + n->place_count;
}

static struct cairn_goal_place place_at(const struct cairn_goal_names *n, uint32_t i)
{
	struct cairn_goal_place p = {.name = ""};
	if (i < n->found_count) {
		snprintf(p.name, sizeof(p.name), "%s", n->found[i].label);
		p.x_m = n->found[i].x_m;
		p.y_m = n->found[i].y_m;
	} else {
		const struct cairn_msg_place *at = &n->places[i - n->found_count];
		snprintf(p.name, sizeof(p.name), "%s", at->name);
		p.x_m = at->x_m;
		p.y_m = at->y_m;
	}
	return p;
}

/* The better match replaces *best; of equal ones the nearer does. */
struct best {
	int rank; /* 0: none yet */
	double away_m;
	struct cairn_goal_place place;
};

static void offer(struct best *best, int rank, const struct cairn_goal_place *p, struct cairn_vec2 from)
{
	double away_m = hypot(p->x_m - from.x_m, p->y_m - from.y_m);
	if (rank < best->rank || rank == 0 || !isfinite(away_m) ||
	    (rank == best->rank && away_m >= best->away_m))
		return;
	*best = (struct best){rank, away_m, *p};
}

static void list_known(const struct cairn_goal_names *n, char *buf, size_t bytes)
{
	size_t used = 0;
	buf[0] = '\0';
	for (uint32_t i = 0; i < total(n); i++) {
		struct cairn_goal_place p = place_at(n, i);
		if (strstr(buf, p.name) != NULL)
			continue;
		if (used + strlen(p.name) + 8 > bytes) {
			snprintf(buf + used, bytes - used, ", ...");
			return;
		}
		used += (size_t)snprintf(buf + used, bytes - used, "%s%s", used > 0 ? ", " : "", p.name);
	}
}

bool cairn_goal_find(const struct cairn_goal_names *names, const char *name, struct cairn_vec2 from,
    struct cairn_goal_place *ret, struct cairn_error *err)
{
	struct words wanted = words_of(name);
	struct best best = {0};
	for (uint32_t i = 0; i < total(names); i++) {
		struct cairn_goal_place p = place_at(names, i);
		struct words has = words_of(p.name);
		bool part = holds_all(&wanted, &has);
		offer(&best, part ? (holds_all(&has, &wanted) ? 2 : 1) : 0, &p, from);
	}
	if (best.rank > 0) {
		*ret = best.place;
		return true;
	}
	char known[120];
	list_known(names, known, sizeof(known));
	cairn_error_set(err, "no place called '%.40s' is known%s%s", name,
	    known[0] != '\0' ? "; known are: " : "",
	    known[0] != '\0' ? known : ": nothing was found or named yet");
	return false;
}

bool cairn_goal_of_words(const struct cairn_goal_names *names, const char *goal, struct cairn_vec2 from,
    struct cairn_goal_place *ret)
{
	double x_m, y_m;
	if (cairn_goal_coordinates(goal, &x_m, &y_m)) {
		*ret = (struct cairn_goal_place){.x_m = x_m, .y_m = y_m};
		snprintf(ret->name, sizeof(ret->name), "%.1f %.1f", x_m, y_m);
		return true;
	}
	struct words thing = thing_of(goal);
	struct best best = {0};
	for (uint32_t i = 0; i < total(names); i++) {
		struct cairn_goal_place p = place_at(names, i);
		struct words has = words_of(p.name);
		bool part = holds_all(&thing, &has);
		offer(&best, part ? (has.count == thing.count ? 2 : 1) : 0, &p, from);
	}
	if (best.rank > 0)
		*ret = best.place;
	return best.rank > 0;
}
