#include "common/sim/pilot/pilot_scholar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define THINGS_MAX 24
#define OPENINGS_MAX 12
#define LINE_CAP 256

/* What the request says of the house. */
struct thing {
	char id[48], label[64], room[48], room_name[48];
	bool stale;
};

struct view {
	struct cairn_scholar_question q;
	struct thing things[THINGS_MAX]; /* that the question is about */
	uint32_t thing_count, openings, room_count;
	char rooms[12][48], names[12][48];
	bool tick;  /* a call of the whole task, and not of a step of a plan */
	bool asked; /* the progress log has the conclusion of a Getinfo */
	const char *graph, *graph_end, *memory, *memory_end, *said; /* said: behind the question, by tools */
};

/* What stands between <tag> and </tag>; the last such. */
static const char *section(const char *text, const char *tag, const char **ret_end)
{
	char open[32], close[32];
	snprintf(open, sizeof(open), "<%s>\n", tag);
	snprintf(close, sizeof(close), "</%s>", tag);
	const char *found = NULL;
	for (const char *at = text; (at = strstr(at, open)) != NULL; at++)
		found = at + strlen(open);
	*ret_end = found != NULL ? strstr(found, close) : NULL;
	return *ret_end != NULL ? found : NULL;
}

static const char *line_of(const char *at, const char *end, char line[LINE_CAP])
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	stop = stop != NULL ? stop : end;
	snprintf(line, LINE_CAP, "%.*s", (int)(stop - at < LINE_CAP - 1 ? stop - at : LINE_CAP - 1), at);
	return stop < end ? stop + 1 : end;
}

/* The label has the thing's words as whole words; no words are in none. */
bool cairn_scholar_same_thing(const char *label, const char *what)
{
	size_t n = strlen(what);
	for (const char *at = label; n > 0 && (at = strcasestr(at, what)) != NULL; at++) {
		bool begins = at == label || at[-1] == ' ', ends = at[n] == '\0' || at[n] == ' ';
		if (begins && ends)
			return true;
	}
	return false;
}

/* "- ID: LABEL in ROOM (NAME) at (..." */
static bool read_thing(const char *line, struct thing *ret)
{
	*ret = (struct thing){.stale = strstr(line, ", stale") != NULL};
	const char *at = strstr(line, " at (");
	char head[LINE_CAP], *in;
	if (strncmp(line, "- ", 2) != 0 || at == NULL)
		return false;
	snprintf(head, sizeof(head), "%.*s", (int)(at - line - 2), line + 2);
	char *colon = strstr(head, ": ");
	if (colon == NULL)
		return false;
	*colon = '\0';
	snprintf(ret->id, sizeof(ret->id), "%.47s", head);
	if ((in = strstr(colon + 2, " in ")) != NULL) {
		*in = '\0';
		char *name = strstr(in + 4, " (");
		if (name != NULL) {
			*name = '\0';
			snprintf(ret->room_name, sizeof(ret->room_name), "%.*s", (int)strcspn(name + 2, ")"),
			    name + 2);
		}
		snprintf(ret->room, sizeof(ret->room), "%.47s", in + 4);
	}
	snprintf(ret->label, sizeof(ret->label), "%.63s", colon + 2);
	return true;
}

static void read_graph(struct view *v)
{
	char line[LINE_CAP];
	enum { NOTHING, ROOMS, THINGS } part = NOTHING;
	for (const char *at = v->graph; at != NULL && at < v->graph_end;) {
		struct thing t;
		at = line_of(at, v->graph_end, line);
		if (strncmp(line, "rooms: ", 7) == 0 || strncmp(line, "things: ", 8) == 0) {
			part = line[0] == 'r' ? ROOMS : THINGS;
		} else if (sscanf(line, "openings into the unknown: %u", &v->openings) == 1) {
			part = NOTHING;
		} else if (part == ROOMS && strncmp(line, "- ", 2) == 0 && v->room_count < 12) {
			const char *name = strstr(line, ": ");
			snprintf(v->rooms[v->room_count], 48, "%.*s", (int)strcspn(line + 2, ":"), line + 2);
			snprintf(v->names[v->room_count++], 48, "%.*s",
			    name != NULL ? (int)strcspn(name + 2, ",") : 0, name != NULL ? name + 2 : "");
		} else if (part == THINGS && read_thing(line, &t) &&
			   cairn_scholar_same_thing(t.label, v->q.what) &&
			   (v->q.room[0] == '\0' || strcasecmp(t.room_name, v->q.room) == 0 ||
			       strcasecmp(t.room, v->q.room) == 0) &&
			   v->thing_count < THINGS_MAX && !t.stale) {
			v->things[v->thing_count++] = t;
		}
	}
}

static void read_view(const char *text, struct view *v)
{
	char task[256] = "";
	const char *end, *at = section(text, "task", &end);
	*v = (struct view){.openings = 0};
	if (at != NULL)
		(void)line_of(at, end, task);
	cairn_scholar_parse(task, &v->q);
	v->graph = section(text, "graph", &v->graph_end);
	v->memory = section(text, "memory", &v->memory_end);
	read_graph(v);
	const char *log = v->memory != NULL ? strstr(v->memory, "progress log") : NULL;
	const char *asked = log != NULL ? strstr(log, "Getinfo(") : NULL;
	v->asked = asked != NULL && asked < v->memory_end;
	const char *rest = v->graph_end != NULL ? v->graph_end : text;
	const char *step = strstr(rest, "Execute this step"),
		   *tick = strstr(rest, "Work on the task with the tools");
	v->tick = step == NULL && tick != NULL;
	step = v->tick ? tick : step;
	v->said = step != NULL && strchr(step, '\n') != NULL ? strchr(step, '\n') : "";
}

/* ---- arguments ---- */

static void begin(struct cairn_text *out, const char *why)
{
	cairn_text_add(out, "{\"reasoning\":");
	cairn_text_json_string(out, why);
}

static void text_arg(struct cairn_text *out, const char *name, const char *value)
{
	cairn_text_addf(out, ",\"%s\":", name);
	if (value == NULL)
		cairn_text_add(out, "null");
	else
		cairn_text_json_string(out, value);
}

static void list_arg(struct cairn_text *out, const char *name, const char *const *items, size_t count)
{
	cairn_text_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, items[i]);
	}
	cairn_text_add(out, "]");
}

/* The room of a thing, in words. */
static void where(const struct thing *t, char *dst, size_t cap)
{
	if (t->room_name[0] != '\0')
		snprintf(dst, cap, "in the %s (%s)", t->room_name, t->room);
	else if (t->room[0] != '\0')
		snprintf(dst, cap, "in %s, a room that nobody has named yet", t->room);
	else
		snprintf(dst, cap, "outside of every room known");
}

/* ---- one answer a form ---- */

static void prepare(const struct view *v, struct cairn_text *out)
{
	static const char *const conditions[] = {"the thing was seen, and the room that it is in is known"};
	static const char *const whole[] = {
	    "no opening into the unknown is left", "every such thing was counted once"};
	const char *what = v->q.what;
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT;
	begin(out, "a script: by the class of the question");
	list_arg(out, "labels", &what, what[0] != '\0');
	list_arg(out, "termination_conditions", count ? whole : conditions, count ? 2 : 1);
	text_arg(out, "heuristic",
	    count ? "explore everything, then count"
		  : "explore the nearest openings until the thing turns up");
}

static void plan(const struct view *v, struct cairn_text *out, const char *name)
{
	char a[200], b[200];
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT;
	snprintf(a, sizeof(a), "1. While (%s): Explore(%s)",
	    count ? "an opening is left" : "none is known and an opening is left", v->q.what);
	snprintf(b, sizeof(b), "2. Getinfo(which things called %s are known, and where)", v->q.what);
	const char *lines[] = {a, b, "3. Finish"}, *none[] = {"1. Finish"};
	bool parsed = v->q.kind != CAIRN_SCHOLAR_NONE;
	begin(out, "a script: a canned plan for this class of question");
	list_arg(out, name, parsed ? lines : none, parsed ? 3 : 1);
}

static void next_step(const struct view *v, struct cairn_text *out)
{
	char step[160];
	bool look = v->openings > 0 && (v->q.kind == CAIRN_SCHOLAR_COUNT || v->thing_count == 0);
	begin(out, "a script: by what the graph lists");
	if (v->q.kind == CAIRN_SCHOLAR_NONE || (!look && v->asked)) {
		text_arg(out, "kind", "finish");
		text_arg(out, "step", "3. Finish");
		return;
	}
	snprintf(step, sizeof(step),
	    look ? "1. Explore(%s)" : "2. Getinfo(which things called %s are known, and where)", v->q.what);
	text_arg(out, "kind", look ? "explore" : "getinfo");
	text_arg(out, "step", step);
}

/* ---- things to do ---- */

struct deed {
	const char *verb, *argument, *target;
};

/* What a task takes, in its order; how many. */
static size_t deeds_of(const struct view *v, struct deed ret[2])
{
	const char *what = v->q.what;
	size_t n = 0;
	if (v->q.kind == CAIRN_SCHOLAR_OPEN)
		ret[n++] = (struct deed){"open", "thing", what};
	else if (v->q.kind == CAIRN_SCHOLAR_CLOSE)
		ret[n++] = (struct deed){"close", "thing", what};
	else if (v->q.kind == CAIRN_SCHOLAR_BRING) {
		ret[n++] = (struct deed){"grasp", "thing", what};
		ret[n++] = (struct deed){"hand_over", "to", "requester"};
	}
	return n;
}

/* 1: the action log says that it was done, -1: that it failed, 0: neither. */
static int outcome_of(const struct view *v, const struct deed *d)
{
	char line[LINE_CAP], head[LINE_CAP];
	int outcome = 0;
	snprintf(head, sizeof(head), "- %s %s: ", d->verb, d->target);
	for (const char *at = v->memory; at != NULL && at < v->memory_end;) {
		at = line_of(at, v->memory_end, line);
		if (strncmp(line, head, strlen(head)) == 0)
			outcome = strncmp(line + strlen(head), "failed", 6) == 0 ? -1 : 1;
	}
	return outcome;
}

static const struct deed *next_deed(
    const struct view *v, const struct deed *deeds, size_t n, bool *ret_failed)
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

/* The letter of the opening that is nearest to drive to; 0: there is none. */
static char nearest_opening(const struct view *v);

/* One call for the whole task. */
static void tick(const struct view *v, struct cairn_text *out, const char *tools, char tool[64])
{
	struct deed deeds[2];
	bool failed;
	size_t n = deeds_of(v, deeds);
	const struct deed *d = next_deed(v, deeds, n, &failed);
	bool has_arm = d != NULL && cairn_has_word(tools, d->verb);
	bool known = v->thing_count > 0 || (d != NULL && d != deeds);
	char letter[2] = {nearest_opening(v), '\0'};
	bool look = !failed && !known && letter[0] != '\0' && v->q.kind != CAIRN_SCHOLAR_NONE &&
		    (n == 0 || has_arm) && cairn_has_word(tools, "explore");
	begin(out, "a script: by what the log and the graph list");
	if (look) {
		snprintf(tool, 64, "explore");
		text_arg(out, "letter", letter);
	} else if (d != NULL && has_arm && !failed) {
		snprintf(tool, 64, "%s", d->verb);
		text_arg(out, d->argument, d->target);
		if (strcmp(d->argument, "thing") == 0 && strcmp(d->verb, "close") != 0)
			list_arg(out, "likely", NULL, 0);
	} else {
		snprintf(tool, 64, "conclude");
		text_arg(out, "summary",
		    d == NULL  ? "all that this script knows to do is done"
		    : !has_arm ? "this robot has no arm"
			       : "it has failed");
		cairn_text_add(out, ",\"new_information\":true");
	}
}

static void act(const struct view *v, struct cairn_text *out, char tool[64])
{
	bool answered =
	    strstr(v->said, " found; openings") != NULL || strstr(v->said, "Nothing known is called") != NULL;
	char summary[240];
	snprintf(tool, 64, "%s", answered ? "conclude" : "find_objects");
	begin(out, "a script: one look-up, then the conclusion");
	if (!answered) {
		text_arg(out, "what", v->q.what);
		text_arg(out, "room", NULL);
		return;
	}
	size_t n = (size_t)snprintf(summary, sizeof(summary), "%u %s known:", v->thing_count, v->q.what);
	for (uint32_t i = 0; i < v->thing_count && n < sizeof(summary); i++)
		n += (size_t)snprintf(
		    summary + n, sizeof(summary) - n, " %s in %s", v->things[i].id, v->things[i].room);
	text_arg(out, "summary", summary);
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
static bool is_later(const struct view *v, const char *line)
{
	const char *near = strstr(line, ", near ");
	if (near == NULL || strstr(line, ": floor not looked at") == NULL)
		return false;
	for (uint32_t i = 0; i < v->room_count; i++)
		if (strcmp(near + 7, v->rooms[i]) == 0)
			return cairn_scholar_prior(v->q.what, v->names[i]) < LATER;
	return false;
}

/* The openings, the nearest to drive to first. */
static size_t list_openings(const struct view *v, struct way ways[OPENINGS_MAX])
{
	char line[LINE_CAP];
	size_t n = 0;
	for (const char *at = v->graph; at != NULL && at < v->graph_end && n < OPENINGS_MAX;) {
		at = line_of(at, v->graph_end, line);
		const char *drive = strstr(line, "), ");
		if (strncmp(line, "- ", 2) != 0 || line[2] < 'A' || line[2] > 'Z' || line[3] != ':' ||
		    drive == NULL)
			continue;
		ways[n++] = (struct way){{line[2], '\0'}, strtod(drive + 3, NULL), is_later(v, line)};
	}
	qsort(ways, n, sizeof(ways[0]), by_way);
	return n;
}

static char nearest_opening(const struct view *v)
{
	struct way ways[OPENINGS_MAX];
	return list_openings(v, ways) > 0 ? ways[0].letter[0] : '\0';
}

static void choose(const struct view *v, struct cairn_text *out)
{
	struct way ways[OPENINGS_MAX];
	const char *first[OPENINGS_MAX], *later[OPENINGS_MAX];
	size_t n = list_openings(v, ways), firsts = 0, laters = 0;
	bool count = v->q.kind == CAIRN_SCHOLAR_COUNT;
	for (size_t i = 0; i < n; i++)
		if (ways[i].later && !count)
			later[laters++] = ways[i].letter;
		else
			first[firsts++] = ways[i].letter;
	begin(out, "a script: not where such a thing hardly is");
	text_arg(out, "analysis", "Floor in rooms where such a thing hardly is can wait.");
	list_arg(out, "letters", first, firsts);
	list_arg(out, "later", later, laters);
	/* Where rooms make no difference nobody needs to ask again for the name of one. */
	bool rooms =
	    cairn_scholar_prior(v->q.what, "kitchen") != 1.0 || cairn_scholar_prior(v->q.what, "hall") != 1.0;
	text_arg(out, "until", count ? "all" : rooms ? "room" : "thing");
}

static void remember(const struct view *v, struct cairn_text *out)
{
	char lines[THINGS_MAX][LINE_CAP], place[128], about[128];
	const char *findings[THINGS_MAX], *rooms[12];
	uint32_t n = v->thing_count < 12 ? v->thing_count : 12;
	for (uint32_t i = 0; i < n; i++) {
		where(&v->things[i], place, sizeof(place));
		snprintf(lines[i], LINE_CAP, "%s is %s", v->things[i].id, place);
		findings[i] = lines[i];
	}
	for (uint32_t i = 0; i < v->room_count; i++)
		rooms[i] = v->rooms[i];
	snprintf(about, sizeof(about), "%u rooms known, %u openings left, %u %s seen.", v->room_count,
	    v->openings, v->thing_count, v->q.what);
	begin(out, "a script: what the graph lists of it");
	text_arg(out, "description", about);
	list_arg(out, "spaces", rooms, v->room_count);
	list_arg(out, "entrances", NULL, 0);
	list_arg(out, "findings", findings, n);
	list_arg(out, "pictures", NULL, 0);
}

static void pictures(const struct view *v, struct cairn_text *out)
{
	char said[200];
	snprintf(said, sizeof(said), "I am a script and cannot see pictures. The text lists %u %s.",
	    v->thing_count, v->q.what);
	begin(out, "a script sees no pictures");
	list_arg(out, "pictures", NULL, 0);
	text_arg(out, "overall", said);
}

static void verdict(struct cairn_text *out, const char *word, const char *claim, const char *answer,
    const char *const *evidence, size_t count, const char *missing)
{
	begin(out, "a script: what the graph lists, or nothing");
	text_arg(out, "verdict", word);
	text_arg(out, "claim", claim);
	text_arg(out, "answer", answer);
	list_arg(out, "evidence", evidence, count);
	cairn_text_addf(out, ",\"confidence\":%s", count > 0 ? "0.8" : "0");
	text_arg(out, "missing", missing);
}

/* The colour words stand in front of the label. */
static bool colour_of(const struct view *v, char *dst, size_t cap)
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

static void verify(const struct view *v, struct cairn_text *out)
{
	const char *ids[13], *rooms[12];
	char answer[240], place[128] = "", colour[64];
	size_t n = 0;
	for (; n < v->thing_count && n < 11; n++)
		ids[n] = v->things[n].id;
	for (uint32_t i = 0; i < v->room_count; i++)
		rooms[i] = v->rooms[i];
	if (v->thing_count > 0)
		where(&v->things[0], place, sizeof(place));
	struct deed deeds[2];
	bool failed;
	size_t to_do = deeds_of(v, deeds);
	if (to_do > 0) {
		bool done = next_deed(v, deeds, to_do, &failed) == NULL;
		const char *const *list = n > 0 ? ids : rooms;
		snprintf(answer, sizeof(answer), "Done: %.30s %.60s.", deeds[to_do - 1].verb, v->q.what);
		if (done)
			verdict(out, "accomplished", "done", answer, list, n > 0 ? n : v->room_count, NULL);
		else
			verdict(out, "cannot", "done", NULL, NULL, 0,
			    "The robot has no arm, or its arm has not managed it.");
		return;
	}
	if (v->q.kind == CAIRN_SCHOLAR_NONE) {
		verdict(out, "cannot", "found", NULL, NULL, 0,
		    "No evidence: this script does not understand the question.");
	} else if (v->q.kind == CAIRN_SCHOLAR_COUNT && v->openings == 0 && v->room_count > 0) {
		snprintf(answer, sizeof(answer), "%u %s%s seen.", v->thing_count, v->q.what,
		    v->thing_count == 1 ? " was" : "s were");
		verdict(out, "accomplished", "count", answer, n > 0 ? ids : rooms, n > 0 ? n : v->room_count,
		    NULL);
	} else if (v->q.kind == CAIRN_SCHOLAR_COLOUR && colour_of(v, colour, sizeof(colour))) {
		snprintf(answer, sizeof(answer), "The %s is %s.", v->q.what, colour);
		verdict(out, "accomplished", "found", answer, ids, n, NULL);
	} else if (v->q.kind != CAIRN_SCHOLAR_COUNT && v->q.kind != CAIRN_SCHOLAR_COLOUR &&
		   v->thing_count > 0) {
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

bool cairn_scholar_answer(const char *text, const char *tools, char ret_tool[64], struct cairn_text *out)
{
	struct view v;
	read_view(text, &v);
	snprintf(ret_tool, 64, "%.*s", (int)(strcspn(tools, " ") < 63 ? strcspn(tools, " ") : 63), tools);
	cairn_text_clear(out);
	if (strcmp(ret_tool, "prepare_task") == 0)
		prepare(&v, out);
	else if (strcmp(ret_tool, "outline_plan") == 0)
		plan(&v, out, "pseudocode");
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
		verify(&v, out);
	else if (cairn_has_word(tools, "conclude") && !cairn_has_word(tools, "find_objects")) {
		snprintf(ret_tool, 64, "conclude");
		begin(out, "a script: it has to end here");
		text_arg(out, "summary", "no further calls are allowed in this step");
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
