/* pilot_verify.c - what the scholar has done, and what it answers. */
#include "common/sim/pilot/pilot_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- things to do ---- */

size_t scholar_deeds_of(const struct scholar_view *v, struct scholar_deed ret[2])
{
	const char *what = v->q.what;
	size_t n = 0;
	if (v->q.kind == CAIRN_SCHOLAR_OPEN)
		ret[n++] = (struct scholar_deed){"open", "thing", what};
	else if (v->q.kind == CAIRN_SCHOLAR_CLOSE)
		ret[n++] = (struct scholar_deed){"close", "thing", what};
	else if (v->q.kind == CAIRN_SCHOLAR_BRING) {
		ret[n++] = (struct scholar_deed){"grasp", "thing", what};
		ret[n++] = (struct scholar_deed){"hand_over", "to", "requester"};
	}
	return n;
}

/* 1: the action log says that it was done, -1: that it failed, 0: neither. */
static int outcome_of(const struct scholar_view *v, const struct scholar_deed *d)
{
	char line[SCHOLAR_LINE_CAP], head[SCHOLAR_LINE_CAP];
	int outcome = 0;
	snprintf(head, sizeof(head), "- %s %s: ", d->verb, d->target);
	for (const char *at = v->memory; at != NULL && at < v->memory_end;) {
		at = scholar_line(at, v->memory_end, line);
		if (strncmp(line, head, strlen(head)) == 0)
			outcome = strncmp(line + strlen(head), "failed", 6) == 0 ? -1 : 1;
	}
	return outcome;
}

const struct scholar_deed *scholar_next_deed(
    const struct scholar_view *v, const struct scholar_deed *deeds, size_t n, bool *ret_failed)
{
	*ret_failed = false;
	for (size_t i = 0; i < n; i++) {
		int outcome = outcome_of(v, &deeds[i]);
		*ret_failed = outcome < 0;
		if (outcome <= 0)
			return &deeds[i];
	}
	return NULL;
}

static void verdict(struct cairn_text *out, const char *word, const char *claim, const char *answer,
    const char *const *evidence, size_t count, const char *missing)
{
	scholar_begin(out, "a script: what the graph lists, or nothing");
	scholar_text_arg(out, "verdict", word);
	scholar_text_arg(out, "claim", claim);
	scholar_text_arg(out, "answer", answer);
	scholar_list_arg(out, "evidence", evidence, count);
	cairn_text_addf(out, ",\"confidence\":%s", count > 0 ? "0.8" : "0");
	scholar_text_arg(out, "missing", missing);
}

/* The colour words stand in front of the label. */
static bool colour_of(const struct scholar_view *v, char *dst, size_t cap)
{
	for (uint32_t i = 0; i < v->thing_count; i++) {
		const char *at = strcasestr(v->things[i].label, v->q.what);
		if (at != NULL && at > v->things[i].label) {
			snprintf(dst, cap, "%.*s", (int)(at - v->things[i].label - 1), v->things[i].label);
			return true;
		}
	}
	return false;
}

/* "red_kettle_3": red kettle. */
static void words_of(const char *id, char *dst, size_t cap)
{
	snprintf(dst, cap, "%s", id);
	char *number = strrchr(dst, '_');
	if (number != NULL)
		*number = '\0';
	for (char *p = dst; *p != '\0'; p++)
		*p = *p == '_' ? ' ' : *p;
}

/* Whoever stands in the middle of the room and faces b has a on the left: above 0. False: that middle is not known. */
static bool side_of(const struct scholar_view *v, double *ret)
{
	const struct scholar_thing *a = &v->things[0], *b = &v->other;
	for (uint32_t i = 0; i < v->room_count; i++) {
		if (strcasecmp(v->rooms[i].name, v->q.from) != 0)
			continue;
		double x_m = v->rooms[i].x_m, y_m = v->rooms[i].y_m;
		*ret = (b->x_m - x_m) * (a->y_m - y_m) - (b->y_m - y_m) * (a->x_m - x_m);
		return true;
	}
	return false;
}

/* What is known of one thing, or of two; false: it is not known. */
static bool tell_of_thing(const struct scholar_view *v, char *dst, size_t cap, const char *ids[13], size_t *n)
{
	const struct scholar_thing *t = &v->things[0];
	char colour[64], thing[48];
	double side;
	if (!scholar_knows(v))
		return false;
	if (v->q.kind == CAIRN_SCHOLAR_COLOUR && colour_of(v, colour, sizeof(colour))) {
		snprintf(dst, cap, "The %s is %s.", v->q.what, colour);
		return true;
	}
	if (v->q.kind == CAIRN_SCHOLAR_STATE && t->state[0] != '\0') {
		snprintf(dst, cap, "The %s is %s.", v->q.what, t->state);
		return true;
	}
	if (v->q.kind == CAIRN_SCHOLAR_LEFT && side_of(v, &side)) {
		snprintf(dst, cap, "The %s is %s of the %s.", v->q.what, side > 0.0 ? "left" : "right",
		    v->q.other);
		ids[(*n)++] = v->other.id;
		return true;
	}
	for (uint32_t i = 0; i < v->thing_count && v->q.kind == CAIRN_SCHOLAR_ON; i++) {
		if (v->things[i].on_it_count == 0)
			continue;
		words_of(v->things[i].on_it[0], thing, sizeof(thing));
		snprintf(dst, cap, "On the %s is the %s.", v->q.what, thing);
		ids[(*n)++] = v->things[i].on_it[0];
		return true;
	}
	return false;
}

void scholar_verify(const struct scholar_view *v, struct cairn_text *out)
{
	const char *ids[13], *rooms[12];
	char answer[240], place[128] = "";
	bool of_thing = v->q.kind >= CAIRN_SCHOLAR_COLOUR && v->q.kind < CAIRN_SCHOLAR_OPEN;
	size_t n = 0;
	for (; n < v->thing_count && n < 11; n++)
		ids[n] = v->things[n].id;
	for (uint32_t i = 0; i < v->room_count; i++)
		rooms[i] = v->rooms[i].id;
	if (v->thing_count > 0)
		scholar_where(&v->things[0], place, sizeof(place));
	struct scholar_deed deeds[2];
	bool failed;
	size_t to_do = scholar_deeds_of(v, deeds);
	if (to_do > 0) {
		bool done = scholar_next_deed(v, deeds, to_do, &failed) == NULL;
		const char *const *list = n > 0 ? ids : rooms;
		snprintf(answer, sizeof(answer), "Done: %.30s %.60s.", deeds[to_do - 1].verb, v->q.what);
		if (done)
			verdict(out, "accomplished", "done", answer, list, n > 0 ? n : v->room_count, NULL);
		else
			verdict(out, "cannot", "done", NULL, NULL, 0,
			    "The robot has no arm, or its arm has not managed it.");
		return;
	}
	if (v->q.kind == CAIRN_SCHOLAR_ROUTE && n > 0 && scholar_route_stopped(v)) {
		snprintf(answer, sizeof(answer),
		    "I have followed the way as far as it fits, and stand at the %s.", v->q.what);
		verdict(out, "accomplished", "found", answer, ids, n, NULL);
	} else if (v->q.kind == CAIRN_SCHOLAR_ROUTE) {
		verdict(out, "cannot", "found", NULL, NULL, 0, "The way could not be followed to its end.");
	} else if (v->q.kind == CAIRN_SCHOLAR_NONE) {
		verdict(out, "cannot", "found", NULL, NULL, 0,
		    "No evidence: this script does not understand the question.");
	} else if (v->q.kind == CAIRN_SCHOLAR_COUNT && v->openings == 0 && v->room_count > 0) {
		snprintf(answer, sizeof(answer), "%u %s%s seen.", v->thing_count, v->q.what,
		    v->thing_count == 1 ? " was" : "s were");
		verdict(out, "accomplished", "count", answer, n > 0 ? ids : rooms, n > 0 ? n : v->room_count,
		    NULL);
	} else if (of_thing && tell_of_thing(v, answer, sizeof(answer), ids, &n)) {
		verdict(out, "accomplished", "found", answer, ids, n, NULL);
	} else if (v->q.kind != CAIRN_SCHOLAR_COUNT && !of_thing && v->thing_count > 0) {
		bool exists = v->q.kind == CAIRN_SCHOLAR_EXISTS;
		snprintf(answer, sizeof(answer), "%s %s is %s.", exists ? "Yes: a" : "The", v->q.what, place);
		if (v->things[0].room[0] != '\0')
			ids[n++] = v->things[0].room;
		verdict(out, "accomplished", "found", answer, ids, n, NULL);
	} else if (v->openings > 0) {
		verdict(out, "not_yet", "found", NULL, NULL, 0, "openings into the unknown are left");
	} else if (v->q.kind == CAIRN_SCHOLAR_EXISTS && v->room_count > 0) {
		snprintf(answer, sizeof(answer),
		    "No %s was seen, and no opening into the unknown that can be reached is left.",
		    v->q.what);
		verdict(out, "accomplished", "absent", answer, rooms, v->room_count, NULL);
	} else {
		snprintf(answer, sizeof(answer),
		    "No evidence of a %s was seen, and no opening into the unknown that can be reached is "
		    "left.",
		    v->q.what);
		verdict(out, "cannot", "found", NULL, NULL, 0, answer);
	}
}
