/* pilot_read.c - the prompt text, line by line, as the scripted pilot understands it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/sim/pilot/pilot_private.h"

enum section {
	SECTION_NONE,
	SECTION_ROBOT,
	SECTION_SENSORS,
	SECTION_FRONTIERS,
	SECTION_CANDIDATES,
	SECTION_ACTIONS,
	SECTION_MEMORY
};

static enum section section_of(const char *line, enum section now)
{
	static const struct {
		const char *word;
		enum section section;
	} heads[] = {{"SENSORS", SECTION_SENSORS}, {"ROBOT", SECTION_ROBOT}, {"GOAL", SECTION_NONE},
	    {"FRONTIERS", SECTION_FRONTIERS}, {"CANDIDATES", SECTION_CANDIDATES}, {"UNDER WAY", SECTION_NONE},
	    {"LAST ACTIONS", SECTION_ACTIONS}, {"MEMORY", SECTION_MEMORY}, {"MISSION", SECTION_NONE}};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (strncmp(line, heads[i].word, strlen(heads[i].word)) == 0)
			return heads[i].section;
	}
	return now;
}

/* "30R" and "30 deg right" are negative. Moves *at behind it; false: there is none. */
static bool read_bearing(const char **at, double *ret_deg)
{
	int used = 0;
	char side[8];
	double deg;
	if (sscanf(*at, " %lf deg %7[a-z]%n", &deg, side, &used) != 2 &&
	    sscanf(*at, " %lf%1[LR]%n", &deg, side, &used) != 2 &&
	    (sscanf(*at, " %7[a-z]%n", side, &used) != 1 || strcmp(side, "ahead") != 0))
		return false;
	*ret_deg = strcmp(side, "ahead") == 0 ? 0.0 : side[0] == 'r' || side[0] == 'R' ? -deg : deg;
	*at += used;
	return isfinite(*ret_deg);
}

/* "front 240 130 80, right -- 40 60, back ..., left ...": centimetres, clockwise from the front. */
static void read_sectors(struct cairn_pilot_view *view, const char *line)
{
	for (const char *at = line; *at != '\0' && view->sector_count < 12;) {
		size_t n = strcspn(at, " ,");
		char *end = NULL;
		double cm = strtod(at, &end);
		if (n == 2 && strncmp(at, "--", 2) == 0)
			view->sector_m[view->sector_count++] = 0.0;
		else if (n > 0 && end == at + n && cm >= 0.0 && isfinite(cm))
			view->sector_m[view->sector_count++] = cm * 0.01;
		at += n;
		at += strspn(at, " ,");
	}
}

/* "gaps 85 20L 190, 70 45R 240": width, bearing, distance. */
static void read_gaps(struct cairn_pilot_view *view, const char *at)
{
	while (at != NULL && view->gap_count < CAIRN_PILOT_GAPS_MAX) {
		struct cairn_pilot_gap g;
		int used = 0;
		if (sscanf(at, " %lf%n", &g.width_m, &used) != 1)
			return;
		at += used;
		if (!read_bearing(&at, &g.bearing_deg) || sscanf(at, " %lf", &g.distance_m) != 1)
			return;
		g.width_m *= 0.01;
		g.distance_m *= 0.01;
		view->gaps[view->gap_count++] = g;
		at = strchr(at, ',');
		at = at != NULL ? at + 1 : NULL;
	}
}

static void read_feasibility(struct cairn_pilot_view *view, const char *at)
{
	while (at != NULL) {
		char word[24];
		double percent;
		if (sscanf(at, " %23[a-z_] %lf", word, &percent) != 2)
			return;
		int direction = cairn_enum_parse(&cairn_enum_direction, word);
		if (direction >= 0 && isfinite(percent)) {
			view->feasibility[direction] = percent * 0.01;
			view->has_feasibility = true;
		}
		at = strchr(at, ',');
		at = at != NULL ? at + 1 : NULL;
	}
}

static void read_sensors(struct cairn_pilot_view *view, const char *line)
{
	double cm;
	if (strncmp(line, "front ", 6) == 0)
		read_sectors(view, line + 6);
	else if (sscanf(line, "nearest %lf", &cm) == 1 && isfinite(cm))
		view->nearest_m = cm * 0.01;
	else if (strncmp(line, "gaps ", 5) == 0)
		read_gaps(view, line + 5);
	else if (strncmp(line, "feasible ", 9) == 0)
		read_feasibility(view, line + 9);
}

static void add_candidate(struct cairn_pilot_view *view, const struct cairn_pilot_candidate *c)
{
	if (view->candidate_count < CAIRN_PILOT_CANDIDATES_MAX && isfinite(c->path_m) && isfinite(c->score))
		view->candidates[view->candidate_count++] = *c;
}

/* "F24 95L 30 60 open C41 score 68 next": bearing, path, width in cm, kind; the candidate that looks into it. */
static void read_frontier(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_frontier f = {0};
	char kind[16] = "open";
	int used = 0;
	if (view->frontier_count == CAIRN_PILOT_FRONTIERS_MAX || sscanf(line, "F%u%n", &f.id, &used) != 1)
		return;
	const char *at = line + used;
	if (!read_bearing(&at, &f.bearing_deg) ||
	    sscanf(at, " %lf %lf %15[a-z]", &f.path_m, &f.width_m, kind) < 2 || !isfinite(f.path_m) ||
	    !isfinite(f.width_m))
		return;
	int k = cairn_enum_parse(&cairn_enum_frontier_kind, kind);
	f.kind = k < 0 ? CAIRN_FRONTIER_KIND_OPEN : (enum cairn_frontier_kind)k;
	f.path_m *= 0.01;
	f.width_m *= 0.01;
	view->frontiers[view->frontier_count++] = f;
	struct cairn_pilot_candidate c = {
	    .frontier_id = f.id, .kind = CAIRN_CANDIDATE_KIND_FRONTIER, .path_m = f.path_m};
	if (sscanf(at, " %*f %*f %*[a-z] C%u score %lf%n", &c.id, &c.score, &used) != 2)
		return;
	c.next = strncmp(at + used, " next", 5) == 0;
	c.score *= 0.01;
	add_candidate(view, &c);
}

/* "C12 F3 30L 210 score 71", "C7 waypoint "hall" 90R 400 score 40": what, bearing, path in cm. */
static void read_candidate(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_candidate c = {0};
	char kind[16] = "";
	double bearing_deg;
	int used = 0;
	if (strncmp(line, "The robot is stuck", 18) == 0)
		view->stuck = true;
	if (sscanf(line, "C%u %n", &c.id, &used) != 1 || used == 0)
		return;
	const char *at = line + used, *after = strrchr(line, '"'); /* a name may hold anything but that */
	if (sscanf(at, "F%u%n", &c.frontier_id, &used) != 1 && sscanf(at, "%15[a-z]%n", kind, &used) != 1)
		return;
	at = after != NULL ? after + 1 : at + used;
	int k = kind[0] == '\0' ? CAIRN_CANDIDATE_KIND_FRONTIER
				: cairn_enum_parse(&cairn_enum_candidate_kind, kind);
	if (k < 0 || !read_bearing(&at, &bearing_deg) ||
	    sscanf(at, " %lf score %lf%n", &c.path_m, &c.score, &used) != 2)
		return;
	c.next = strncmp(at + used, " next", 5) == 0;
	c.kind = (enum cairn_candidate_kind)k;
	c.path_m *= 0.01;
	c.score *= 0.01;
	add_candidate(view, &c);
}

/* "1. F3: success, 210 cm in 7 s; reason", "2. move_toward forward slow 2.0 s: blocked, 4 cm in 1 s" */
static void read_action(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_action a = {.direction = -1};
	char tool[24], outcome[16];
	int skip = 0;
	const char *colon = strstr(line, ": ");
	if (view->action_count == CAIRN_PILOT_ACTIONS_MAX || colon == NULL ||
	    sscanf(line, "%*u. %n", &skip) != 0 || skip == 0 || sscanf(colon, ": %15[a-z]", outcome) != 1)
		return;
	if (sscanf(line + skip, "%23[a-z_]", tool) != 1)
		snprintf(tool, sizeof(tool), "%s", cairn_tool_name(CAIRN_TOOL_NAVIGATE_TO_GOAL));
	int t = cairn_enum_parse(&cairn_enum_tool, tool), o = cairn_enum_parse(&cairn_enum_outcome, outcome);
	if (t < 0 || o < 0)
		return;
	a.tool = (enum cairn_tool)t;
	a.outcome = (enum cairn_outcome)o;
	for (const char *c = line + skip; c < colon; c++) {
		char word[24];
		if (*c == 'F' && isdigit((unsigned char)c[1]) && (c[-1] == ' ' || c[-1] == '('))
			(void)sscanf(c + 1, "%u", &a.frontier_id);
		if (*c == 'C' && isdigit((unsigned char)c[1]) && c[-1] == ' ')
			(void)sscanf(c + 1, "%u", &a.candidate_id);
		if (c[-1] == ' ' && a.direction < 0 && sscanf(c, "%23[a-z_]", word) == 1)
			a.direction = cairn_enum_parse(&cairn_enum_direction, word);
	}
	(void)sscanf(colon, ": %*[a-z], %lf cm", &a.distance_m);
	a.distance_m *= 0.01;
	view->actions[view->action_count++] = a;
}

/* "F24; a doorway has come in sight", "C7", "move_toward forward slow 2 s" */
static void read_under_way(struct cairn_pilot_view *view, const char *at)
{
	if (sscanf(at, "F%u", &view->driven_frontier_id) != 1)
		(void)sscanf(at, "C%u", &view->driven_candidate_id);
}

void cairn_pilot_read(struct cairn_pilot_view *view, const char *text, size_t count)
{
	*view = (struct cairn_pilot_view){.nearest_m = -1.0};
	enum section section = SECTION_NONE;
	for (size_t i = 0; i < count;) {
		const char *end = memchr(text + i, '\n', count - i);
		size_t n = end != NULL ? (size_t)(end - text) - i : count - i;
		char line[768]; /* the line of things in MEMORY is the longest */
		size_t keep = n < sizeof(line) - 1 ? n : sizeof(line) - 1;
		memcpy(line, text + i, keep);
		line[keep] = '\0';
		i += n + 1;
		section = section_of(line, section);
		if (section == SECTION_SENSORS)
			read_sensors(view, line);
		else if (section == SECTION_FRONTIERS && line[0] == 'F' && isdigit((unsigned char)line[1]))
			read_frontier(view, line);
		else if (section == SECTION_CANDIDATES)
			read_candidate(view, line);
		else if (section == SECTION_ACTIONS && isdigit((unsigned char)line[0]))
			read_action(view, line);
		else if (section == SECTION_ROBOT && strncmp(line, "x ", 2) == 0)
			pilot_read_position(view, line);
		else if (strncmp(line, "GOAL ", 5) == 0)
			pilot_read_goal(view, line);
		else if (section == SECTION_MEMORY &&
			 (strncmp(line, "Here is ", 8) == 0 || strncmp(line, "Seen before", 11) == 0))
			pilot_read_things(view, line);
		else if (strncmp(line, "UNDER WAY ", 10) == 0)
			read_under_way(view, line + 10);
		else if (section == SECTION_MEMORY && strncmp(line, "Room \"", 6) == 0)
			view->room_count++;
	}
}
