#include "common/eval/question_facts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/percept/colour_word.h"
#include "common/sim/detector/detect.h"
#include "common/sim/world/props.h"

#define COLOURS 12
#define ON_M 0.05    /* between a top and the foot of what stands on it */
#define SHIFT_M 0.5  /* the middle of a room as somebody else may see it */
#define SIDE_MIN 0.4 /* sine of the angle between two things: about 25 to 155 degrees */
#define AWAY_M 0.8

bool question_thing(const struct cairn_world *w, uint32_t thing, char label[40])
{
	int32_t prop = cairn_prop_of_thing(w, thing);
	return (prop < 0 || w->props[prop].place_count <= 1) &&
	       cairn_sim_thing_label(&w->things[thing], label);
}

bool question_ambiguous(const struct question_name *names, uint32_t n, const char *label)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(names[i].label, label) != 0 &&
		    (strstr(names[i].label, label) != NULL || strstr(label, names[i].label) != NULL))
			return true;
	return false;
}

static uint32_t count_of(const struct question_name *names, uint32_t n, const char *label)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(names[i].label, label) == 0)
			return names[i].count;
	return 0;
}

static const struct cairn_room *room_of(const struct cairn_world *w, uint32_t thing)
{
	return cairn_world_room_at(w, (double)w->things[thing].x_m, (double)w->things[thing].y_m);
}

static uint32_t count_in(const struct cairn_world *w, const struct cairn_room *room, const char *label)
{
	uint32_t n = 0;
	char is[40];
	for (uint32_t i = 0; i < w->thing_count; i++)
		n += cairn_sim_thing_label(&w->things[i], is) && strcmp(is, label) == 0 &&
		     room_of(w, i) == room;
	return n;
}

/* A thing alone of its name in the house. */
static bool alone(const struct cairn_world *w, const struct question_name *names, uint32_t n, uint32_t thing,
    char label[40])
{
	return question_thing(w, thing, label) && count_of(names, n, label) == 1 &&
	       !question_ambiguous(names, n, label);
}

static void put(char dst[40], const char *word)
{
	snprintf(dst, 40, "%.39s", word);
}

/* ---- one kind after the other: false, it cannot be asked of this thing ---- */

static const char *opposite(const char *state)
{
	static const char *const pairs[][2] = {{"open", "closed"}, {"on", "off"}};
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < 2; k++)
			if (strcmp(pairs[i][k], state) == 0)
				return pairs[i][1 - k];
	return "";
}

static bool state(const struct cairn_world *w, const struct question_name *names, uint32_t n, uint32_t thing,
    struct cairn_question *ret)
{
	int32_t prop = cairn_prop_of_thing(w, thing);
	const struct cairn_room *room = room_of(w, thing);
	struct cairn_props start;
	char label[40], of[64] = "", in[64] = "";
	if (prop < 0 || w->props[prop].word == CAIRN_PROP_STILL || !question_thing(w, thing, label) ||
	    question_ambiguous(names, n, label))
		return false;
	cairn_props_start(w, 1, &start); /* what is open does not hang on the seed */
	const char *is = cairn_prop_state_word(w, &start, (uint32_t)prop);
	uint32_t count = count_of(names, n, label);
	if (count > 1 && (room == NULL || count_in(w, room, label) > 1))
		return false;
	if (count > 1) {
		put(ret->room, room->name);
		snprintf(in, sizeof(in), " in the %.40s", room->name);
	}
	snprintf(of, sizeof(of), "%s", w->props[prop].word == CAIRN_PROP_LID ? "lid of the " : "");
	put(ret->label, label);
	put(ret->truth, is);
	put(ret->wrong, opposite(is));
	put(ret->asked, thing % 2 == 0 ? ret->truth : ret->wrong);
	ret->options = 2;
	snprintf(ret->text, sizeof(ret->text), "Is the %s%s%s %s?", of, label, in, ret->asked);
	return true;
}

static bool is_on(const struct cairn_world *w, uint32_t upper, uint32_t lower)
{
	double a[3], b[3], c[3], d[3];
	if (upper == lower || !cairn_world_extent(w, upper, a, b) || !cairn_world_extent(w, lower, c, d))
		return false;
	double x_m = 0.5 * (a[0] + b[0]), y_m = 0.5 * (a[1] + b[1]);
	return fabs(a[2] - d[2]) <= ON_M && x_m > c[0] && x_m < d[0] && y_m > c[1] && y_m < d[1];
}

/* What is on `thing`: one thing alone of its name, and nothing else. */
static bool on(const struct cairn_world *w, const struct question_name *names, uint32_t n, uint32_t thing,
    struct cairn_question *ret)
{
	char label[40], upper[40] = "";
	uint32_t found = 0;
	if (!alone(w, names, n, thing, label))
		return false;
	for (uint32_t i = 0; i < w->thing_count; i++) {
		char is[40];
		/* What the seed puts somewhere may stand here, too. */
		if (!cairn_sim_thing_label(&w->things[i], is) || !is_on(w, i, thing))
			continue;
		found += alone(w, names, n, i, is) ? 1 : 2;
		put(upper, is);
	}
	for (uint32_t i = 0; i < w->prop_count; i++)
		for (uint32_t k = 0; k < w->props[i].place_count && w->props[i].place_count > 1; k++)
			found += 2 * (w->props[i].places[k].container < 0 &&
					 w->props[i].places[k].thing == (int32_t)thing);
	if (found != 1)
		return false;
	put(ret->label, upper);
	put(ret->truth, upper);
	put(ret->other, label);
	ret->options = n;
	snprintf(ret->text, sizeof(ret->text), "What is on the %s?", label);
	return true;
}

static struct cairn_vec2 middle_of(const struct cairn_room *room)
{
	struct cairn_vec2 sum = {0};
	double area = 0.0;
	for (uint32_t i = 0; i < room->corner_count; i++) {
		struct cairn_vec2 a = room->corners[i], b = room->corners[(i + 1) % room->corner_count];
		double cross = a.x_m * b.y_m - b.x_m * a.y_m;
		area += 3.0 * cross;
		sum.x_m += cross * (a.x_m + b.x_m);
		sum.y_m += cross * (a.y_m + b.y_m);
	}
	return (struct cairn_vec2){sum.x_m / area, sum.y_m / area};
}

/* Sine of the angle from b to a as seen from there; 0 where one of them is too near. */
static double side(struct cairn_vec2 from, const struct cairn_thing *a, const struct cairn_thing *b)
{
	double ax = (double)a->x_m - from.x_m, ay = (double)a->y_m - from.y_m, bx = (double)b->x_m - from.x_m,
	       by = (double)b->y_m - from.y_m, far = hypot(ax, ay), further = hypot(bx, by);
	return fmin(far, further) < AWAY_M ? 0.0 : (bx * ay - by * ax) / (far * further);
}

/* 1: a is left of b from all over the middle, -1: right; 0: it depends. */
static int side_of(const struct cairn_room *room, const struct cairn_thing *a, const struct cairn_thing *b)
{
	struct cairn_vec2 at = middle_of(room);
	double first = side(at, a, b);
	for (int k = 0; k < 4; k++) {
		struct cairn_vec2 there = {at.x_m + SHIFT_M * (k == 0) - SHIFT_M * (k == 1),
		    at.y_m + SHIFT_M * (k == 2) - SHIFT_M * (k == 3)};
		double s = side(there, a, b);
		if (fabs(s) < SIDE_MIN || s * first <= 0.0)
			return 0;
	}
	return fabs(first) < SIDE_MIN ? 0 : first > 0.0 ? 1 : -1;
}

static bool left(const struct cairn_world *w, const struct question_name *names, uint32_t n, uint32_t thing,
    uint32_t than, struct cairn_question *ret)
{
	const struct cairn_room *room = room_of(w, thing);
	char label[40], other[40];
	if (room == NULL || room->name[0] == '\0' || room != room_of(w, than) ||
	    !alone(w, names, n, thing, label) || !alone(w, names, n, than, other))
		return false;
	int is = side_of(room, &w->things[thing], &w->things[than]);
	if (is == 0)
		return false;
	put(ret->label, label);
	put(ret->other, other);
	put(ret->truth, is > 0 ? "left" : "right");
	put(ret->wrong, is > 0 ? "right" : "left");
	put(ret->asked, "left");
	ret->options = 2;
	return snprintf(ret->text, sizeof(ret->text),
		   "Seen from the middle of the %s, is the %s left of the %s?", room->name, label,
		   other) < (int)sizeof(ret->text);
}

/* Most people would call its paint so. Where the file's author would not agree with a detector nobody could answer. */
static bool painted(const struct cairn_world *w, uint32_t thing, const char *word)
{
	for (uint32_t i = 0; i < w->solid_count; i++) {
		const struct cairn_paint *p = &w->solids[i].paint;
		if (w->solids[i].thing == thing && strcmp(cairn_colour_word(p->r, p->g, p->b), word) == 0)
			return true;
	}
	return false;
}

static bool colour(const struct cairn_world *w, const struct question_name *names, uint32_t n, uint32_t thing,
    struct cairn_question *ret)
{
	char label[40];
	if (!alone(w, names, n, thing, label))
		return false;
	size_t all = strlen(w->things[thing].name), own = strlen(label);
	if (all < own + 2) /* no colour in front */
		return false;
	put(ret->label, label);
	snprintf(ret->truth, sizeof(ret->truth), "%.*s", (int)(all - own - 1), w->things[thing].name);
	if (!painted(w, thing, ret->truth))
		return false;
	ret->options = COLOURS;
	snprintf(ret->text, sizeof(ret->text), "What colour is the %s?", label);
	return true;
}

uint32_t question_facts(const struct cairn_world *w, const struct question_name *names, uint32_t count,
    enum cairn_question_kind kind, bool is_on_it, struct cairn_question *ret, uint32_t max)
{
	uint32_t n = 0;
	bool pairs = kind == CAIRN_QUESTION_SPATIAL && !is_on_it;
	for (uint32_t i = 0; i < w->thing_count; i++)
		for (uint32_t k = pairs ? i + 1 : 0; k < (pairs ? w->thing_count : 1) && n < max; k++) {
			struct cairn_question *q = &ret[n];
			*q = (struct cairn_question){.kind = kind};
			bool ok = kind == CAIRN_QUESTION_STATE            ? state(w, names, count, i, q)
				  : kind == CAIRN_QUESTION_IDENTIFICATION ? colour(w, names, count, i, q)
				  : pairs                                 ? left(w, names, count, i, k, q)
									  : on(w, names, count, i, q);
			q->count = count_of(names, count, q->label);
			n += ok;
		}
	return n;
}
