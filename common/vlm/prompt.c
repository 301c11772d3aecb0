#include "common/vlm/prompt_private.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/config/speeds.h"
#include "common/vlm/json_answer.h"
#include "common/explore/offered_frontiers.h"
#include "common/vlm/short_ids.h"

#define PART_BYTES_MAX 16384
#define FRONTIERS_SHOWN 6 /* the nearest; each is paid for in every call */

struct part {
	const char *name;
	size_t flag; /* offset of the option in struct cairn_config that it explains; ALWAYS */
};

#define ALWAYS SIZE_MAX
#define OPTION(key)                                                                                          \
	{                                                                                                    \
#key, offsetof(struct cairn_config, percept.key)                                             \
	}

/* In their order. */
static const struct part parts[] = {{"role", ALWAYS}, {"perception", ALWAYS}, OPTION(show_candidates),
    OPTION(show_arcs), OPTION(show_sectors), OPTION(show_heat), OPTION(show_map), OPTION(show_polar),
    {"show_local", offsetof(struct cairn_config, local.enabled)}, {"strategy", ALWAYS}, {"safety", ALWAYS}};

static bool is_on(const struct part *part, const struct cairn_config *cfg)
{
	return part->flag == ALWAYS || *(const bool *)((const char *)cfg + part->flag);
}

static bool valid_utf8(const char *text, size_t count)
{
	for (size_t i = 0; i < count;) {
		int n = cairn_utf8_length(text + i, count - i);
		if (n == 0 || text[i] == '\0')
			return false;
		i += (size_t)n;
	}
	return true;
}

static double up_to_5_cm(double m)
{
	return 0.05 * ceil(m / 0.05 - 1e-6);
}

/* The narrowest opening that the planner drives through: the body, the room kept around it, and a cell of the map to each
 * side; in steps of 5 cm. */
static double doorway_min_m(const struct cairn_config *cfg)
{
	double sides_m =
	    cfg->robot.footprint_half_width_m + cfg->nav.clearance_m + cfg->safety.margin_m + cfg->map.cell_m;
	return up_to_5_cm(2.0 * sides_m);
}

/* Free floor all round, from the LiDAR, in which a turn begins: what the body needs to turn on the spot, or to begin an arc
 * from its middle without being stopped. */
static double turn_room_m(const struct cairn_config *cfg)
{
	const struct cairn_config_robot *r = &cfg->robot;
	bool in_place = cairn_is_differential(cfg);
	double front_m = r->footprint_front_m, rear_m = r->footprint_rear_m;
	double middle_m = in_place ? 0.0 : 0.5 * (front_m - rear_m);
	double half_m = in_place ? fmax(front_m, rear_m) : 0.5 * (front_m + rear_m);
	double room_m = hypot(half_m, r->footprint_half_width_m) + cfg->safety.margin_m +
			hypot(r->lidar_x_m - middle_m, r->lidar_y_m);
	return up_to_5_cm(in_place ? room_m : room_m + cfg->safety.stop_distance_m);
}

/* Adds what the configuration says by this name. False: it says nothing. */
static bool add_fact(struct cairn_text *out, const struct cairn_config *cfg, const char *name, size_t n)
{
	bool in_place = cairn_is_differential(cfg);
	const struct {
		const char *name, *words; /* NULL: the figure, with so many decimals */
		double figure;
		int decimals;
	} facts[] = {{"base", in_place ? "two-wheeled" : "car-like", 0.0, 0},
	    {"turning", in_place ? "turns on the spot" : "cannot turn on the spot", 0.0, 0},
	    {"body_length_m", NULL, cfg->robot.footprint_front_m + cfg->robot.footprint_rear_m, 2},
	    {"body_width_m", NULL, 2.0 * cfg->robot.footprint_half_width_m, 2},
	    {"body_height_m", NULL, cfg->robot.height_m, 2}, {"doorway_min_m", NULL, doorway_min_m(cfg), 2},
	    {"turn_room_cm", NULL, 100.0 * turn_room_m(cfg), 0},
	    {"slow_clearance_cm", NULL, 100.0 * cfg->safety.slow_clearance_m, 0},
	    {"lidar_height_cm", NULL, 100.0 * cfg->robot.lidar_z_m, 0}};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		if (strlen(facts[i].name) != n || memcmp(facts[i].name, name, n) != 0)
			continue;
		if (facts[i].words != NULL)
			cairn_text_add(out, facts[i].words);
		else
			cairn_text_addf(out, "%.*f", facts[i].decimals, facts[i].figure);
		return true;
	}
	return false;
}

/* Copies the text with its facts; a brace that no name of lower-case letters follows is only a brace. False: a name that
 * is none, at *ret_name. */
static bool fill_in(struct cairn_text *out, const struct cairn_config *cfg, const char *text, size_t count,
    const char **ret_name, size_t *ret_length)
{
	for (size_t i = 0; i < count;) {
		size_t n = 0;
		while (text[i] == '{' && i + 1 + n < count &&
		       (text[i + 1 + n] == '_' || (text[i + 1 + n] >= 'a' && text[i + 1 + n] <= 'z')))
			n++;
		if (n == 0 || i + 1 + n >= count || text[i + 1 + n] != '}') {
			cairn_text_bytes(out, &text[i++], 1);
			continue;
		}
		if (!add_fact(out, cfg, &text[i + 1], n)) {
			*ret_name = &text[i + 1];
			*ret_length = n;
			return false;
		}
		i += n + 2;
	}
	return true;
}

static bool load_part(
    const struct cairn_config *cfg, const char *name, struct cairn_text *system, struct cairn_error *err)
{
	char path[512], buf[PART_BYTES_MAX];
	const char *wrong;
	size_t wrong_length;
	snprintf(path, sizeof(path), "%s/%s.txt", cfg->vlm.prompts, name);
	ssize_t have = cairn_file_read_into(path, 0, buf, sizeof(buf), err);
	if (have < 0)
		return false;
	size_t n = (size_t)have;
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	if (n == 0 || !valid_utf8(buf, n)) {
		cairn_error_set(err, "%s: must hold 1 to %d bytes of UTF-8 text", path, PART_BYTES_MAX - 1);
		return false;
	}
	cairn_text_add(system, system->len > 0 ? "\n\n" : "");
	if (!fill_in(system, cfg, buf, n, &wrong, &wrong_length)) {
		cairn_error_set(err, "%s: {%.*s} is no fact of the configuration", path,
		    (int)(wrong_length < 40 ? wrong_length : 40), wrong);
		return false;
	}
	return true;
}

bool cairn_prompt_load(const struct cairn_config *cfg, struct cairn_text *system, struct cairn_error *err)
{
	bool json = cfg->vlm.mode == CAIRN_CHOICE_VLM_MODE_JSON;
	cairn_text_clear(system);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_on(&parts[i], cfg) && !load_part(cfg, parts[i].name, system, err))
			return false;
	}
	if (!load_part(cfg, json ? "json" : "reasoning", system, err))
		return false;
	if (json) {
		cairn_text_add(system, "\n\n");
		cairn_json_tools_text(system);
	}
	if (system->failed)
		cairn_error_set(err, "out of memory");
	return !system->failed;
}

/* ---- the context ---- */

/* "95L 30" - where it is from the robot as it stands now (it may have turned since the mapper looked, and the
 * bearing must fit the picture), and the length of the path in cm. */
static void add_place(
    struct cairn_text *out, const struct cairn_prompt_view *view, double x_m, double y_m, double path_m)
{
	double deg =
	    cairn_rad_to_deg(cairn_wrap_rad(atan2(y_m - view->y_m, x_m - view->x_m) - view->yaw_rad));
	cairn_text_addf(out, " %.0f%c %.0f", fabs(deg), deg >= 0.0 ? 'L' : 'R', 100.0 * path_m);
}

/* The candidate that looks into a frontier; NULL if there is none. */
static const struct cairn_msg_candidate *candidate_of(
    const struct cairn_msg_candidates *set, uint32_t frontier_id)
{
	for (uint32_t i = 0; set != NULL && i < set->items_count; i++) {
		if (set->items[i].kind == CAIRN_CANDIDATE_KIND_FRONTIER &&
		    set->items[i].frontier_id == frontier_id)
			return &set->items[i];
	}
	return NULL;
}

/* The i-th frontier that is offered; NULL behind the last. */
static const struct cairn_msg_frontier *offered(
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission, uint32_t i)
{
	for (uint32_t k = 0; frontiers != NULL && k < frontiers->items_count; k++) {
		if (cairn_frontier_offered(&frontiers->items[k], mission) && i-- == 0)
			return &frontiers->items[k];
	}
	return NULL;
}

static bool is_shown(
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission, uint32_t id)
{
	const struct cairn_msg_frontier *f;
	for (uint32_t i = 0; i < FRONTIERS_SHOWN && (f = offered(frontiers, mission, i)) != NULL; i++) {
		if (f->id == id)
			return true;
	}
	return false;
}

static void add_frontiers(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission)
{
	const struct cairn_msg_frontier *f;
	uint32_t i = 0;
	cairn_text_add(out, "FRONTIERS\n");
	for (; i < FRONTIERS_SHOWN && (f = offered(frontiers, mission, i)) != NULL; i++) {
		const struct cairn_msg_candidate *c = candidate_of(view->candidates, f->id);
		cairn_text_addf(out, "F%u", f->id);
		add_place(out, view, f->x_m, f->y_m, f->distance_m);
		cairn_text_addf(out, " %.0f %s", 100.0 * f->width_m,
		    cairn_enum_text(&cairn_enum_frontier_kind, (int)f->kind));
		if (c != NULL)
			cairn_text_addf(out, " C%u score %.0f%s", c->id, 100.0 * c->score,
			    cairn_frontier_next(frontiers, f->id) ? " next" : "");
		cairn_text_add(out, "\n");
	}
	if (i == 0)
		cairn_text_add(out, "none\n");
	uint32_t left_out = 0;
	while (offered(frontiers, mission, i + left_out) != NULL)
		left_out++;
	if (left_out > 0)
		cairn_text_addf(out, "and %u more\n", left_out);
}

/* Those that look into a frontier stand beside it. */
static void add_candidates(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission)
{
	const struct cairn_msg_candidates *set = view->candidates;
	if (set == NULL)
		return;
	cairn_text_add(out, "CANDIDATES\n");
	if (set->stuck)
		cairn_text_add(out, "The robot is stuck: its last moves got nowhere.\n");
	for (uint32_t i = 0; i < set->items_count; i++) {
		const struct cairn_msg_candidate *c = &set->items[i];
		char name[sizeof(c->name)];
		bool frontier = c->kind == CAIRN_CANDIDATE_KIND_FRONTIER;
		if (frontier && is_shown(frontiers, mission, c->frontier_id))
			continue;
		cairn_text_addf(out, "C%u ", c->id);
		if (frontier)
			cairn_text_addf(out, "F%u", c->frontier_id);
		else
			cairn_text_add(out, cairn_enum_text(&cairn_enum_candidate_kind, (int)c->kind));
		cairn_text_clean(name, sizeof(name), c->name, strnlen(c->name, sizeof(c->name)));
		if (name[0] != '\0')
			cairn_text_addf(out, " \"%s\"", name);
		add_place(out, view, c->x_m, c->y_m, c->path_m);
		cairn_text_addf(out, " score %.0f%s\n", 100.0 * c->score,
		    frontier && cairn_frontier_next(frontiers, c->frontier_id) ? " next" : "");
	}
}

static void add_mission(struct cairn_text *out, const struct cairn_msg_mission *mission)
{
	if (mission == NULL) {
		cairn_text_add(out, "MISSION unknown\n");
		return;
	}
	char reason[128] = "";
	/* Why it explores is no news. */
	if (mission->state != CAIRN_MISSION_STATE_EXPLORING)
		cairn_text_clean(reason, sizeof(reason), mission->reason,
		    strnlen(mission->reason, sizeof(mission->reason)));
	cairn_text_addf(out, "MISSION %s%s%s; %.0f",
	    cairn_enum_text(&cairn_enum_mission_state, (int)mission->state), reason[0] != '\0' ? ": " : "",
	    reason, mission->elapsed_s);
	if (mission->limit_s > 0.0)
		cairn_text_addf(out, " of %.0f", mission->limit_s);
	cairn_text_addf(
	    out, " s; start is %.1f m away; %u decisions", mission->home_m, (unsigned)mission->decisions);
	if (mission->overrides > 0)
		cairn_text_addf(out, ", %u overridden", (unsigned)mission->overrides);
	if (mission->refused > 0)
		cairn_text_addf(out, ", %u refused", (unsigned)mission->refused);
	cairn_text_add(out, "\n");
	if (mission->given_up_count > 0)
		cairn_text_addf(out, "%u frontiers tried in vain are not listed\n", mission->given_up_count);
}

/* What the mission is out for, and where that is if a place is known that it names. */
static void add_goal(
    struct cairn_text *out, const struct cairn_prompt_view *view, const struct cairn_msg_mission *mission)
{
	char words[sizeof(mission->goal)], place[sizeof(mission->goal_place)];
	if (mission == NULL || mission->goal[0] == '\0')
		return;
	cairn_text_clean(words, sizeof(words), mission->goal, strnlen(mission->goal, sizeof(mission->goal)));
	cairn_text_clean(place, sizeof(place), mission->goal_place,
	    strnlen(mission->goal_place, sizeof(mission->goal_place)));
	cairn_text_addf(out, "GOAL \"%s\"", words);
	if (mission->goal_known) {
		double dx = mission->goal_x_m - view->x_m, dy = mission->goal_y_m - view->y_m;
		cairn_text_addf(out, ": \"%s\" is at x %.1f y %.1f, straight",
		    place[0] != '\0' ? place : words, cairn_tenth(mission->goal_x_m),
		    cairn_tenth(mission->goal_y_m));
		add_place(out, view, mission->goal_x_m, mission->goal_y_m, hypot(dx, dy));
		cairn_text_add(out, "\n");
	} else {
		cairn_text_add(
		    out, ": not found yet; when you see it, report_discovery it with these words\n");
	}
}

/* A choice of the model that is still driven, and what of the scene has it asked now: it can only confirm what it is told of. */
static void add_under_way(
    struct cairn_text *out, const struct cairn_prompt_view *view, const struct cairn_msg_mission *mission)
{
	static const char usual[] = "navigate_to_goal ";
	static const char *const news[CAIRN_TRIGGER_COUNT] = {
	    [CAIRN_TRIGGER_DOORWAY] = "a doorway has come in sight",
	    [CAIRN_TRIGGER_INTERSECTION] = "this is an intersection",
	    [CAIRN_TRIGGER_DEAD_END] = "this is a dead end",
	    [CAIRN_TRIGGER_NOVEL] = "the scene is new",
	    [CAIRN_TRIGGER_REVISIT] = "the robot was here before",
	    [CAIRN_TRIGGER_BLOCKED] = "the robot is held up"};
	char words[sizeof(mission->activity)];
	if (mission == NULL || mission->decision_id == 0 || mission->decision_source != CAIRN_SOURCE_MODEL ||
	    mission->activity[0] == '\0')
		return;
	cairn_text_clean(
	    words, sizeof(words), mission->activity, strnlen(mission->activity, sizeof(mission->activity)));
	cairn_short_ids(words);
	size_t lead = strncmp(words, usual, sizeof(usual) - 1) == 0 ? sizeof(usual) - 1 : 0;
	const char *why = (size_t)view->trigger < CAIRN_TRIGGER_COUNT ? news[view->trigger] : NULL;
	cairn_text_addf(
	    out, "UNDER WAY %s%s%s\n", words + lead, why != NULL ? "; " : "", why != NULL ? why : "");
}

void cairn_prompt_context(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission,
    const struct cairn_memory *memory, const char *problem)
{
	cairn_text_clear(out);
	cairn_prompt_add_view(out, view->text, view->text_bytes);
	add_goal(out, view, mission);
	add_frontiers(out, view, frontiers, mission);
	add_candidates(out, view, frontiers, mission);
	add_under_way(out, view, mission);
	cairn_memory_actions_text(memory, out);
	cairn_memory_text(memory, out);
	add_mission(out, mission);
	if (problem != NULL && problem[0] != '\0')
		cairn_text_addf(out, "YOUR LAST ANSWER WAS REFUSED: %s\n", problem);
}

uint64_t cairn_prompt_tokens(size_t bytes)
{
	return (bytes + 3) / 4;
}
