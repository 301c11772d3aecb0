/* pilot_view.c - what the scholar reads from a request, and how it writes a call. */
#include "common/sim/pilot/pilot_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

const char *scholar_line(const char *at, const char *end, char line[SCHOLAR_LINE_CAP])
{
	const char *stop = memchr(at, '\n', (size_t)(end - at));
	stop = stop != NULL ? stop : end;
	snprintf(line, SCHOLAR_LINE_CAP, "%.*s",
	    (int)(stop - at < SCHOLAR_LINE_CAP - 1 ? stop - at : SCHOLAR_LINE_CAP - 1), at);
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

/* Is it one of the items that commas separate? */
static bool has_item(const char *tail, const char *item)
{
	size_t n = strlen(item);
	for (const char *at = tail; (at = strstr(at, ", ")) != NULL;) {
		at += 2;
		if (strncmp(at, item, n) == 0 && (at[n] == '\0' || at[n] == ','))
			return true;
	}
	return false;
}

/* ", open", ", with A, B on it". */
static void read_tail(const char *tail, struct scholar_thing *ret)
{
	static const char *const states[] = {"open", "closed", "on", "off"};
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (has_item(tail, states[i]))
			snprintf(ret->state, sizeof(ret->state), "%s", states[i]);
	const char *at = strstr(tail, ", with "), *end = at != NULL ? strstr(at, " on it") : NULL;
	for (at = end != NULL ? at + 7 : NULL; at != NULL && at < end && ret->on_it_count < 4;) {
		size_t n = strcspn(at, ", ");
		snprintf(ret->on_it[ret->on_it_count++], sizeof(ret->on_it[0]), "%.*s", (int)n, at);
		at += n + strspn(at + n, ", ");
	}
}

/* "- ID: LABEL in ROOM (NAME) at (X, Y), ..." */
static bool read_thing(const char *line, struct scholar_thing *ret)
{
	*ret = (struct scholar_thing){.stale = strstr(line, ", stale") != NULL};
	const char *at = strstr(line, " at (");
	char head[SCHOLAR_LINE_CAP], *in;
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
	read_tail(at, ret);
	return sscanf(at, " at (%lf, %lf)", &ret->x_m, &ret->y_m) == 2;
}

/* "- ID: NAME, 9 m2 at (X, Y), ..." */
static void read_room(const char *line, struct scholar_view *v)
{
	const char *name = strstr(line, ": "), *at = strstr(line, " at (");
	if (v->room_count == SCHOLAR_ROOMS_MAX || name == NULL || at == NULL)
		return;
	snprintf(v->rooms[v->room_count].id, 48, "%.*s", (int)strcspn(line + 2, ":"), line + 2);
	snprintf(v->rooms[v->room_count].name, 48, "%.*s", (int)strcspn(name + 2, ","), name + 2);
	(void)sscanf(at, " at (%lf, %lf)", &v->rooms[v->room_count].x_m, &v->rooms[v->room_count].y_m);
	if (strstr(line, ", the robot is here") != NULL)
		memcpy(v->here, v->rooms[v->room_count].id, sizeof(v->here));
	v->room_count++;
}

static void note_thing(const struct scholar_thing *t, struct scholar_view *v)
{
	const struct cairn_scholar_question *q = &v->q;
	bool here =
	    q->room[0] == '\0' || strcasecmp(t->room_name, q->room) == 0 || strcasecmp(t->room, q->room) == 0;
	if (t->stale || !here)
		return;
	if (cairn_scholar_same_thing(t->label, q->what) && v->thing_count < SCHOLAR_THINGS_MAX)
		v->things[v->thing_count++] = *t;
	if (cairn_scholar_same_thing(t->label, q->other)) {
		v->other = *t;
		v->has_other = true;
	}
}

static void read_graph(struct scholar_view *v)
{
	char line[SCHOLAR_LINE_CAP];
	enum { NOTHING, ROOMS, THINGS } part = NOTHING;
	for (const char *at = v->graph; at != NULL && at < v->graph_end;) {
		struct scholar_thing t;
		at = scholar_line(at, v->graph_end, line);
		if (strncmp(line, "rooms: ", 7) == 0 || strncmp(line, "things: ", 8) == 0)
			part = line[0] == 'r' ? ROOMS : THINGS;
		else if (sscanf(line, "openings into the unknown: %u", &v->openings) == 1)
			part = NOTHING;
		else if (part == ROOMS && strncmp(line, "- ", 2) == 0)
			read_room(line, v);
		else if (part == THINGS && read_thing(line, &t))
			note_thing(&t, v);
	}
}

bool scholar_knows(const struct scholar_view *v)
{
	if (v->thing_count == 0 || (v->q.other[0] != '\0' && !v->has_other))
		return false;
	bool on_it = false;
	for (uint32_t i = 0; i < v->thing_count; i++)
		on_it |= v->things[i].on_it_count > 0;
	return v->q.kind != CAIRN_SCHOLAR_ON || on_it;
}

/* A way that is told part by part: asked about is the thing of the step, or the last one. */
static void read_route(const char *text, struct scholar_view *v)
{
	char parts[CAIRN_SCHOLAR_PARTS_MAX][64], line[SCHOLAR_LINE_CAP];
	uint32_t n = cairn_scholar_route(v->task, parts);
	const char *end, *step = section(text, "step", &end);
	if (n == 0)
		return;
	v->q = (struct cairn_scholar_question){.kind = CAIRN_SCHOLAR_ROUTE};
	if (step != NULL)
		(void)scholar_line(step, end, line);
	scholar_route_thing(step != NULL ? line : parts[n - 1], v->q.what);
}

void scholar_read(const char *text, struct scholar_view *v)
{
	const char *end, *at = section(text, "task", &end);
	*v = (struct scholar_view){.openings = 0};
	if (at != NULL)
		(void)scholar_line(at, end, v->task);
	v->plan = section(text, "plan", &v->plan_end);
	cairn_scholar_parse(v->task, &v->q);
	read_route(text, v);
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

void scholar_begin(struct cairn_text *out, const char *why)
{
	cairn_text_add(out, "{\"reasoning\":");
	cairn_text_json_string(out, why);
}

void scholar_text_arg(struct cairn_text *out, const char *name, const char *value)
{
	cairn_text_addf(out, ",\"%s\":", name);
	if (value == NULL)
		cairn_text_add(out, "null");
	else
		cairn_text_json_string(out, value);
}

void scholar_list_arg(struct cairn_text *out, const char *name, const char *const *items, size_t count)
{
	cairn_text_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, items[i]);
	}
	cairn_text_add(out, "]");
}

/* The room of a thing, in words. */
void scholar_where(const struct scholar_thing *t, char *dst, size_t cap)
{
	if (t->room_name[0] != '\0')
		snprintf(dst, cap, "in the %s (%s)", t->room_name, t->room);
	else if (t->room[0] != '\0')
		snprintf(dst, cap, "in %s, a room that nobody has named yet", t->room);
	else
		snprintf(dst, cap, "outside of every room known");
}
