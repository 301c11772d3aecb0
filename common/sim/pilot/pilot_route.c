/* pilot_route.c - the scholar's share of a way that is told part by part: it divides the words into parts, and when one does not fit it takes
 * the door before, or leaves the part out. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/sim/pilot/pilot_view.h"

static const char *const nth[] = {"", "first", "second", "third", "fourth", "fifth", "sixth"};

static const char *behind(const char *p, const char *word)
{
	size_t n = strlen(word);
	return strncasecmp(p, word, n) == 0 ? p + n : NULL;
}

/* "take the second door on the left": "door 2 left". */
static bool take_door(const char *words, char ret[64])
{
	static const char *const leads[] = {"take the ", "go through the ", "enter the ", "the ", ""};
	const char *p = NULL, *side;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]) && p == NULL; i++)
		p = behind(words, leads[i]);
	for (int k = 1; k < 7; k++) {
		const char *rest = behind(p, nth[k]);
		if (rest == NULL || (rest = behind(rest, " door on ")) == NULL)
			continue;
		side = behind(rest, "the ");
		side = side != NULL ? side : behind(rest, "your ");
		if (side == NULL || (strcasecmp(side, "left") != 0 && strcasecmp(side, "right") != 0))
			return false;
		snprintf(ret, 64, "door %d %s", k, strcasecmp(side, "left") == 0 ? "left" : "right");
		return true;
	}
	return false;
}

static bool take_thing(const char *words, char ret[64])
{
	static const struct {
		const char *lead, *part;
	} leads[] = {{"pass ", "pass"}, {"go past ", "pass"}, {"stop at ", "stop at"},
	    {"stop by ", "stop at"}, {"stop in front of ", "stop at"}, {"go to ", "stop at"}};
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		const char *p = behind(words, leads[i].lead), *the = p != NULL ? behind(p, "the ") : NULL;
		if (p == NULL)
			continue;
		snprintf(ret, 64, "%s %.39s", leads[i].part, the != NULL ? the : p);
		return true;
	}
	return false;
}

uint32_t cairn_scholar_route(const char *task, char (*ret)[64])
{
	char words[256];
	uint32_t n = 0;
	for (const char *at = task; *at != '\0';) {
		size_t length = strcspn(at, ",.;");
		snprintf(words, sizeof(words), "%.*s", (int)length, at);
		at += length + strspn(at + length, ",.; ");
		const char *p = words + strspn(words, " "), *rest;
		while ((rest = behind(p, "and ")) != NULL || (rest = behind(p, "then ")) != NULL)
			p = rest;
		if (*p == '\0')
			continue;
		if (n == CAIRN_SCHOLAR_PARTS_MAX)
			return 0;
		if (strcasecmp(p, "turn round") == 0 || strcasecmp(p, "turn around") == 0)
			snprintf(ret[n], 64, "turn round");
		else if (!take_door(p, ret[n]) && !take_thing(p, ret[n]))
			return 0;
		n++;
	}
	return n >= 2 ? n : 0;
}

/* The thing of a part, or of the last one; empty: it has none. */
void scholar_route_thing(const char *line, char ret[40])
{
	const char *p = strstr(line, "pass ");
	const char *at = p != NULL ? p + 5 : (p = strstr(line, "stop at ")) != NULL ? p + 8 : "";
	snprintf(ret, 40, "%.*s", (int)strcspn(at, "("), at);
	for (size_t n = strlen(ret); n > 0 && (ret[n - 1] == ' ' || ret[n - 1] == '.'); n--)
		ret[n - 1] = '\0';
}

void scholar_route_prepare(const struct scholar_view *v, struct cairn_text *out)
{
	static const char *const conditions[] = {"every part of the way was followed, in its order"};
	char parts[CAIRN_SCHOLAR_PARTS_MAX][64], things[CAIRN_SCHOLAR_PARTS_MAX][40];
	const char *list[CAIRN_SCHOLAR_PARTS_MAX], *labels[CAIRN_SCHOLAR_PARTS_MAX];
	uint32_t n = cairn_scholar_route(v->task, parts);
	size_t label_count = 0;
	for (uint32_t i = 0; i < n; i++) {
		list[i] = parts[i];
		scholar_route_thing(parts[i], things[i]);
		if (things[i][0] != '\0')
			labels[label_count++] = things[i];
	}
	scholar_begin(out, "a script: the parts as they were said");
	scholar_list_arg(out, "labels", labels, label_count);
	scholar_list_arg(out, "termination_conditions", conditions, 1);
	scholar_text_arg(out, "heuristic", "follow the parts one after the other");
	scholar_list_arg(out, "route", list, n);
}

/* The parts that are open, but for the first: a door becomes the one before it, and a thing is left out. */
void scholar_route_revise(const struct scholar_view *v, struct cairn_text *out)
{
	char line[SCHOLAR_LINE_CAP], lines[CAIRN_SCHOLAR_PARTS_MAX][SCHOLAR_LINE_CAP], side[8];
	const char *list[CAIRN_SCHOLAR_PARTS_MAX];
	uint32_t n = 0, number;
	bool first = true;
	for (const char *at = v->plan; at != NULL && at < v->plan_end && n < CAIRN_SCHOLAR_PARTS_MAX;) {
		at = scholar_line(at, v->plan_end, line);
		if (line[0] == '\0' || strstr(line, " (done") != NULL || strstr(line, " (left out") != NULL)
			continue;
		const char *part = strstr(line, ". ");
		part = part != NULL ? part + 2 : line;
		bool keep = !first;
		if (keep)
			snprintf(lines[n], sizeof(lines[0]), "%s", part);
		else if (sscanf(part, "door %u %7s", &number, side) == 2 && number > 1) {
			snprintf(lines[n], sizeof(lines[0]), "door %u %s", number - 1, side);
			keep = true;
		}
		if (keep) {
			list[n] = lines[n];
			n++;
		}
		first = false;
	}
	scholar_begin(out, "a script: the door before, or without the part");
	scholar_list_arg(out, "lines", list, n);
}

bool scholar_route_stopped(const struct scholar_view *v)
{
	char line[SCHOLAR_LINE_CAP];
	bool stopped = false;
	for (const char *at = v->plan; at != NULL && at < v->plan_end;) {
		at = scholar_line(at, v->plan_end, line);
		if (strstr(line, ". stop at ") != NULL)
			stopped = strstr(line, " (done") != NULL;
	}
	return stopped;
}
