/* pilot_read.c - the prompt text, line by line, as the scripted pilot understands it. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "common/vlm/pilot_policy.h"

enum section {
	SECTION_NONE,
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
	} heads[] = {{"SENSORS", SECTION_SENSORS}, {"ROBOT", SECTION_NONE}, {"FRONTIERS", SECTION_FRONTIERS},
	    {"CANDIDATES", SECTION_CANDIDATES}, {"LAST ACTIONS", SECTION_ACTIONS}, {"MEMORY", SECTION_MEMORY},
	    {"MISSION", SECTION_NONE}};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (strncmp(line, heads[i].word, strlen(heads[i].word)) == 0)
			return heads[i].section;
	}
	return now;
}

static double left_positive(double deg, const char *side)
{
	return strncmp(side, "right", 5) == 0 ? -deg : deg;
}

static void read_sector(struct cairn_pilot_view *view, const char *line)
{
	int deg;
	double m = 0.0;
	char empty[3];
	bool none = sscanf(line, "%d %2[-]", &deg, empty) == 2 && strcmp(empty, "--") == 0;
	if (!none && (sscanf(line, "%d %lfm", &deg, &m) != 2 || !(m >= 0.0) || !isfinite(m)))
		return;
	if (deg < 0 || deg >= 360 || deg % 30 != 0)
		return;
	view->sector_m[deg / 30] = none ? 0.0 : m;
	view->sector_count++;
}

static void read_gaps(struct cairn_pilot_view *view, const char *at)
{
	while (at != NULL && view->gap_count < CAIRN_PILOT_GAPS_MAX) {
		struct cairn_pilot_gap g;
		char side[8];
		if (sscanf(at, " %lfm wide at %lf deg %7[a-z], %lfm", &g.width_m, &g.bearing_deg, side,
			&g.distance_m) != 4)
			return;
		g.bearing_deg = left_positive(g.bearing_deg, side);
		view->gaps[view->gap_count++] = g;
		at = strchr(at, ';');
		at = at != NULL ? at + 1 : NULL;
	}
}

static void read_feasibility(struct cairn_pilot_view *view, const char *at)
{
	while (at != NULL) {
		char word[24];
		double value;
		if (sscanf(at, " %23[a-z_] %lf", word, &value) != 2)
			return;
		int direction = cairn_enum_parse(&cairn_enum_direction, word);
		if (direction >= 0 && isfinite(value)) {
			view->feasibility[direction] = value;
			view->has_feasibility = true;
		}
		at = strchr(at, ',');
		at = at != NULL ? at + 1 : NULL;
	}
}

static void read_sensors(struct cairn_pilot_view *view, const char *line)
{
	double m;
	if (isdigit((unsigned char)line[0]))
		read_sector(view, line);
	else if (sscanf(line, "Nearest obstacle: %lfm", &m) == 1 && isfinite(m))
		view->nearest_m = m;
	else if (strncmp(line, "Gaps:", 5) == 0)
		read_gaps(view, line + 5);
	else if (strncmp(line, "Feasibility:", 12) == 0)
		read_feasibility(view, line + 12);
}

static void read_frontier(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_frontier f = {0};
	char side[8], kind[16] = "open";
	if (view->frontier_count == CAIRN_PILOT_FRONTIERS_MAX ||
	    sscanf(line, "F%u: %lf deg %7[a-z], %lf m, %lf m wide, %15[a-z]", &f.id, &f.bearing_deg, side,
		&f.path_m, &f.width_m, kind) < 5 ||
	    !isfinite(f.bearing_deg) || !isfinite(f.path_m) || !isfinite(f.width_m))
		return;
	int k = cairn_enum_parse(&cairn_enum_frontier_kind, kind);
	f.kind = k < 0 ? CAIRN_FRONTIER_KIND_OPEN : (enum cairn_frontier_kind)k;
	f.bearing_deg = left_positive(f.bearing_deg, side);
	view->frontiers[view->frontier_count++] = f;
}

/* "C12: frontier F3, 30 deg left, 2.1 m, score 0.71", "C7: waypoint "hall", 90 deg right, 4.0 m, score 0.40"
 */
static void read_candidate(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_candidate c = {0};
	char kind[16];
	if (strncmp(line, "The robot is stuck", 18) == 0)
		view->stuck = true;
	if (view->candidate_count == CAIRN_PILOT_CANDIDATES_MAX ||
	    sscanf(line, "C%u: %15[a-z]", &c.id, kind) != 2)
		return;
	int k = cairn_enum_parse(&cairn_enum_candidate_kind, kind);
	const char *after = strrchr(line, '"'); /* a name may hold anything but that */
	const char *rest = strstr(after != NULL ? after : line, " deg ");
	if (k < 0 || rest == NULL ||
	    sscanf(rest, " deg %*[a-z], %lf m, score %lf", &c.path_m, &c.score) != 2 || !isfinite(c.path_m) ||
	    !isfinite(c.score))
		return;
	c.kind = (enum cairn_candidate_kind)k;
	(void)sscanf(line, "C%*u: frontier F%u", &c.frontier_id);
	view->candidates[view->candidate_count++] = c;
}

/* "1. navigate_to_goal F3: success, 2.1 m in 7.4 s; reason" */
static void read_action(struct cairn_pilot_view *view, const char *line)
{
	struct cairn_pilot_action a = {.direction = -1};
	char tool[24], outcome[16];
	int skip = 0;
	const char *colon = strstr(line, ": ");
	if (view->action_count == CAIRN_PILOT_ACTIONS_MAX || colon == NULL ||
	    sscanf(line, "%*u. %n%23[a-z_]", &skip, tool) != 1 || sscanf(colon, ": %15[a-z]", outcome) != 1)
		return;
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
	(void)sscanf(colon, ": %*[a-z], %lf m", &a.distance_m);
	view->actions[view->action_count++] = a;
}

void cairn_pilot_read(struct cairn_pilot_view *view, const char *text, size_t count)
{
	*view = (struct cairn_pilot_view){.nearest_m = -1.0};
	enum section section = SECTION_NONE;
	for (size_t i = 0; i < count;) {
		const char *end = memchr(text + i, '\n', count - i);
		size_t n = end != NULL ? (size_t)(end - text) - i : count - i;
		char line[512];
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
		else if (section == SECTION_MEMORY && strncmp(line, "Room \"", 6) == 0)
			view->room_count++;
	}
}
