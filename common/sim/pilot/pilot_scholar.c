#include "common/sim/pilot/pilot_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OPENINGS_MAX 12

/* ---- one answer a form ---- */

static void prepare(const struct scholar_view *v, struct cairn_text *out)
{
	static const char *const conditions[] = {"the thing was seen, and the room that it is in is known"};
	static const char *const whole[] = {
	    "no opening into the unknown is left", "every such thing was counted once"};
	const char *const labels[] = {v->q.what, v->q.other};
	size_t label_count = v->q.other[0] != '\0' ? 2 : v->q.what[0] != '\0';
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT;
	if (v->q.kind == CAIRN_SCHOLAR_ROUTE) {
		scholar_route_prepare(v, out);
		return;
	}
	scholar_begin(out, "a script: by the class of the question");
	scholar_list_arg(out, "labels", labels, label_count);
	scholar_list_arg(out, "termination_conditions", count ? whole : conditions, count ? 2 : 1);
	scholar_text_arg(out, "heuristic",
	    count ? "explore everything, then count"
		  : "explore the nearest openings until the thing turns up");
	scholar_list_arg(out, "route", NULL, 0);
}

static void plan(const struct scholar_view *v, struct cairn_text *out, const char *name)
{
	char a[200], b[200];
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT;
	snprintf(a, sizeof(a), "1. While (%s): Explore(%s)",
	    count ? "an opening is left" : "none is known and an opening is left", v->q.what);
	snprintf(b, sizeof(b), "2. Getinfo(which things called %s are known, and where)", v->q.what);
	const char *lines[] = {a, b, "3. Finish"}, *none[] = {"1. Finish"};
	bool parsed = v->q.kind != CAIRN_SCHOLAR_NONE;
	scholar_begin(out, "a script: a canned plan for this class of question");
	scholar_list_arg(out, name, parsed ? lines : none, parsed ? 3 : 1);
}

static void next_step(const struct scholar_view *v, struct cairn_text *out)
{
	char step[160];
	bool look = v->openings > 0 && (v->q.kind == CAIRN_SCHOLAR_COUNT || !scholar_knows(v));
	scholar_begin(out, "a script: by what the graph lists");
	if (v->q.kind == CAIRN_SCHOLAR_NONE || (!look && v->asked)) {
		scholar_text_arg(out, "kind", "finish");
		scholar_text_arg(out, "step", "3. Finish");
		return;
	}
	snprintf(step, sizeof(step),
	    look ? "1. Explore(%s)" : "2. Getinfo(which things called %s are known, and where)", v->q.what);
	scholar_text_arg(out, "kind", look ? "explore" : "getinfo");
	scholar_text_arg(out, "step", step);
}

/* The letter of the opening that is nearest to drive to; 0: there is none. */
static char nearest_opening(const struct scholar_view *v);

/* One call for the whole task. */
static void tick(const struct scholar_view *v, struct cairn_text *out, const char *tools, char tool[64])
{
	struct scholar_deed deeds[2];
	bool failed;
	size_t n = scholar_deeds_of(v, deeds);
	const struct scholar_deed *d = scholar_next_deed(v, deeds, n, &failed);
	bool has_arm = d != NULL && cairn_has_word(tools, d->verb);
	bool known = v->thing_count > 0 || (d != NULL && d != deeds);
	char letter[2] = {nearest_opening(v), '\0'};
	bool look = !failed && !known && letter[0] != '\0' && v->q.kind != CAIRN_SCHOLAR_NONE &&
		    (n == 0 || has_arm) && cairn_has_word(tools, "explore");
	scholar_begin(out, "a script: by what the log and the graph list");
	if (look) {
		snprintf(tool, 64, "explore");
		scholar_text_arg(out, "letter", letter);
	} else if (d != NULL && has_arm && !failed) {
		snprintf(tool, 64, "%s", d->verb);
		scholar_text_arg(out, d->argument, d->target);
		if (strcmp(d->argument, "thing") == 0 && strcmp(d->verb, "close") != 0)
			scholar_list_arg(out, "likely", NULL, 0);
	} else {
		snprintf(tool, 64, "conclude");
		scholar_text_arg(out, "summary",
		    d == NULL  ? "all that this script knows to do is done"
		    : !has_arm ? "this robot has no arm"
			       : "it has failed");
		cairn_text_add(out, ",\"new_information\":true");
	}
}

static void act(const struct scholar_view *v, struct cairn_text *out, char tool[64])
{
	bool answered =
	    strstr(v->said, " found; openings") != NULL || strstr(v->said, "Nothing known is called") != NULL;
	char summary[240];
	snprintf(tool, 64, "%s", answered ? "conclude" : "find_objects");
	scholar_begin(out, "a script: one look-up, then the conclusion");
	if (!answered) {
		scholar_text_arg(out, "what", v->q.what);
		scholar_text_arg(out, "room", NULL);
		return;
	}
	size_t n = (size_t)snprintf(summary, sizeof(summary), "%u %s known:", v->thing_count, v->q.what);
	for (uint32_t i = 0; i < v->thing_count && n < sizeof(summary); i++)
		n += (size_t)snprintf(
		    summary + n, sizeof(summary) - n, " %s in %s", v->things[i].id, v->things[i].room);
	scholar_text_arg(out, "summary", summary);
	cairn_text_add(out, ",\"new_information\":true");
}

#define LATER 0.35 /* of what would be usual: a room in which such a thing hardly is */

struct way {
	char letter[2];
	double m;
	bool later;
};

static int by_way(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	return x->m < y->m ? -1 : x->m > y->m;
}

/* Floor in a room where such a thing hardly is. What an opening of the map leads to is not known. */
static bool is_later(const struct scholar_view *v, const char *line)
{
	const char *near = strstr(line, ", near ");
	/* What a way leads to is in the room that it has come to. */
	if (near != NULL && v->q.kind == CAIRN_SCHOLAR_ROUTE && v->here[0] != '\0')
		return strcmp(near + 7, v->here) != 0;
	if (near == NULL || strstr(line, ": floor not looked at") == NULL)
		return false;
	for (uint32_t i = 0; i < v->room_count; i++)
		if (strcmp(near + 7, v->rooms[i].id) == 0)
			return cairn_scholar_prior(v->q.what, v->rooms[i].name) < LATER;
	return false;
}

/* The openings, the nearest to drive to first. */
static size_t list_openings(const struct scholar_view *v, struct way ways[OPENINGS_MAX])
{
	char line[SCHOLAR_LINE_CAP];
	size_t n = 0;
	for (const char *at = v->graph; at != NULL && at < v->graph_end && n < OPENINGS_MAX;) {
		at = scholar_line(at, v->graph_end, line);
		const char *drive = strstr(line, "), ");
		if (strncmp(line, "- ", 2) != 0 || line[2] < 'A' || line[2] > 'Z' || line[3] != ':' ||
		    drive == NULL)
			continue;
		ways[n++] = (struct way){{line[2], '\0'}, strtod(drive + 3, NULL), is_later(v, line)};
	}
	qsort(ways, n, sizeof(ways[0]), by_way);
	return n;
}

static char nearest_opening(const struct scholar_view *v)
{
	struct way ways[OPENINGS_MAX];
	return list_openings(v, ways) > 0 ? ways[0].letter[0] : '\0';
}

static void choose(const struct scholar_view *v, struct cairn_text *out)
{
	struct way ways[OPENINGS_MAX];
	const char *first[OPENINGS_MAX], *later[OPENINGS_MAX];
	size_t n = list_openings(v, ways), firsts = 0, laters = 0;
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT, route = v->q.kind == CAIRN_SCHOLAR_ROUTE;
	for (size_t i = 0; i < n; i++)
		if (ways[i].later && route)
			continue; /* it would lead away again */
		else if (ways[i].later && !count)
			later[laters++] = ways[i].letter;
		else
			first[firsts++] = ways[i].letter;
	if (route && firsts == 0 && n > 0)
		first[firsts++] = ways[0].letter;
	scholar_begin(out, "a script: not where such a thing hardly is");
	scholar_text_arg(out, "analysis", "Floor in rooms where such a thing hardly is can wait.");
	scholar_list_arg(out, "letters", first, firsts);
	scholar_list_arg(out, "later", later, laters);
	/* Where rooms make no difference nobody needs to ask again for the name of one. */
	bool rooms = !route && (cairn_scholar_prior(v->q.what, "kitchen") != 1.0 ||
				   cairn_scholar_prior(v->q.what, "hall") != 1.0);
	scholar_text_arg(out, "until", count ? "all" : rooms ? "room" : "thing");
}

static void remember(const struct scholar_view *v, struct cairn_text *out)
{
	char lines[SCHOLAR_THINGS_MAX][SCHOLAR_LINE_CAP], place[128], about[128];
	const char *findings[SCHOLAR_THINGS_MAX], *rooms[12];
	uint32_t n = v->thing_count < 12 ? v->thing_count : 12;
	for (uint32_t i = 0; i < n; i++) {
		scholar_where(&v->things[i], place, sizeof(place));
		snprintf(lines[i], SCHOLAR_LINE_CAP, "%s is %s", v->things[i].id, place);
		findings[i] = lines[i];
	}
	for (uint32_t i = 0; i < v->room_count; i++)
		rooms[i] = v->rooms[i].id;
	snprintf(about, sizeof(about), "%u rooms known, %u openings left, %u %s seen.", v->room_count,
	    v->openings, v->thing_count, v->q.what);
	scholar_begin(out, "a script: what the graph lists of it");
	scholar_text_arg(out, "description", about);
	scholar_list_arg(out, "spaces", rooms, v->room_count);
	scholar_list_arg(out, "entrances", NULL, 0);
	scholar_list_arg(out, "findings", findings, n);
	scholar_list_arg(out, "pictures", NULL, 0);
}

static void pictures(const struct scholar_view *v, struct cairn_text *out)
{
	char said[200];
	snprintf(said, sizeof(said), "I am a script and cannot see pictures. The text lists %u %s.",
	    v->thing_count, v->q.what);
	scholar_begin(out, "a script sees no pictures");
	scholar_list_arg(out, "pictures", NULL, 0);
	scholar_text_arg(out, "overall", said);
}

bool cairn_scholar_answer(const char *text, const char *tools, char ret_tool[64], struct cairn_text *out)
{
	struct scholar_view v;
	scholar_read(text, &v);
	snprintf(ret_tool, 64, "%.*s", (int)(strcspn(tools, " ") < 63 ? strcspn(tools, " ") : 63), tools);
	cairn_text_clear(out);
	if (strcmp(ret_tool, "prepare_task") == 0)
		prepare(&v, out);
	else if (strcmp(ret_tool, "outline_plan") == 0)
		plan(&v, out, "pseudocode");
	else if (strcmp(ret_tool, "write_plan") == 0 && v.q.kind == CAIRN_SCHOLAR_ROUTE)
		scholar_route_revise(&v, out);
	else if (strcmp(ret_tool, "write_plan") == 0)
		plan(&v, out, "lines");
	else if (strcmp(ret_tool, "next_step") == 0)
		next_step(&v, out);
	else if (strcmp(ret_tool, "choose_opening") == 0)
		choose(&v, out);
	else if (strcmp(ret_tool, "update_memory") == 0)
		remember(&v, out);
	else if (strcmp(ret_tool, "describe_pictures") == 0)
		pictures(&v, out);
	else if (strcmp(ret_tool, "verify_task") == 0)
		scholar_verify(&v, out);
	else if (cairn_has_word(tools, "conclude") && !cairn_has_word(tools, "find_objects")) {
		snprintf(ret_tool, 64, "conclude");
		scholar_begin(out, "a script: it has to end here");
		scholar_text_arg(out, "summary", "no further calls are allowed in this step");
		cairn_text_add(out, ",\"new_information\":false");
	} else if (cairn_has_word(tools, "find_objects") && cairn_has_word(tools, "conclude") && v.tick)
		tick(&v, out, tools, ret_tool);
	else if (cairn_has_word(tools, "find_objects") && cairn_has_word(tools, "conclude"))
		act(&v, out, ret_tool);
	else
		return false;
	cairn_text_add(out, "}");
	return true;
}
