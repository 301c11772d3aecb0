#include "common/vlm/prompt.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/json_answer.h"
#include "common/percept/offer.h"

#define PART_BYTES_MAX 16384

struct part {
	const char *name;
	size_t flag; /* offset of the option in struct cairn_config_percept that it explains; ALWAYS */
};

#define ALWAYS SIZE_MAX
#define OPTION(key)                                                                                          \
	{                                                                                                    \
#key, offsetof(struct cairn_config_percept, key)                                             \
	}

/* In their order. */
static const struct part parts[] = {{"role", ALWAYS}, {"perception", ALWAYS}, OPTION(show_candidates),
    OPTION(show_arcs), OPTION(show_sectors), OPTION(show_heat), OPTION(show_map), OPTION(show_polar),
    {"strategy", ALWAYS}, {"safety", ALWAYS}};

static bool is_on(const struct part *part, const struct cairn_config_percept *percept)
{
	return part->flag == ALWAYS || *(const bool *)((const char *)percept + part->flag);
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

static bool load_part(
    const char *folder, const char *name, struct cairn_text *system, struct cairn_error *err)
{
	char path[512], buf[PART_BYTES_MAX];
	snprintf(path, sizeof(path), "%s/%s.txt", folder, name);
	FILE *in = fopen(path, "re");
	if (in == NULL) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return false;
	}
	size_t n = fread(buf, 1, sizeof(buf), in);
	bool ok = !ferror(in) && n < sizeof(buf);
	fclose(in);
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	if (!ok || n == 0 || !valid_utf8(buf, n)) {
		cairn_error_set(err, "%s: must hold 1 to %d bytes of UTF-8 text", path, PART_BYTES_MAX - 1);
		return false;
	}
	cairn_text_add(system, system->len > 0 ? "\n\n" : "");
	cairn_text_bytes(system, buf, n);
	return true;
}

bool cairn_prompt_load(const struct cairn_config_vlm *vlm, const struct cairn_config_percept *percept,
    struct cairn_text *system, struct cairn_error *err)
{
	bool json = strcmp(vlm->mode, "json") == 0;
	cairn_text_clear(system);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_on(&parts[i], percept) && !load_part(vlm->prompts, parts[i].name, system, err))
			return false;
	}
	if (!load_part(vlm->prompts, json ? "json" : "reasoning", system, err))
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

/* Line by line, so that no control character of a broken frame gets through. */
static void add_view(struct cairn_text *out, const struct cairn_prompt_view *view)
{
	size_t left = view->text_bytes < CAIRN_PROMPT_SNAPSHOT_BYTES_MAX ? view->text_bytes
									 : CAIRN_PROMPT_SNAPSHOT_BYTES_MAX;
	const char *at = view->text;
	while (left > 0) {
		const char *end = memchr(at, '\n', left);
		size_t n = end != NULL ? (size_t)(end - at) : left;
		char line[400];
		cairn_text_clean(line, sizeof(line), at, n);
		if (line[0] != '\0')
			cairn_text_addf(out, "%s\n", line);
		size_t used = end != NULL ? n + 1 : n;
		at += used;
		left -= used;
	}
}

static void add_frontiers(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission)
{
	uint32_t shown = 0, left_out = 0;
	cairn_text_add(out, "FRONTIERS (id, bearing, path, width, kind)\n");
	for (uint32_t i = 0; frontiers != NULL && i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		if (!cairn_frontier_offered(f, mission))
			continue;
		if (shown == CAIRN_OFFER_MAX) {
			left_out++;
			continue;
		}
		/* The robot may have turned since the mapper looked: the bearing must fit the picture. */
		double bearing = cairn_rad_to_deg(
		    cairn_wrap_rad(atan2(f->y_m - view->y_m, f->x_m - view->x_m) - view->yaw_rad));
		cairn_text_addf(out, "F%u: %.0f deg %s, %.1f m, %.1f m wide, %s\n", f->id, fabs(bearing),
		    bearing >= 0.0 ? "left" : "right", f->distance_m, f->width_m,
		    cairn_enum_text(&cairn_enum_frontier_kind, (int)f->kind));
		shown++;
	}
	if (shown == 0)
		cairn_text_add(out, "none\n");
	if (left_out > 0)
		cairn_text_addf(out, "and %u more\n", left_out);
}

static void add_candidates(struct cairn_text *out, const struct cairn_prompt_view *view)
{
	const struct cairn_msg_candidates *set = view->candidates;
	if (set == NULL)
		return;
	cairn_text_add(out, "CANDIDATES (id, what, bearing, path, score)\n");
	if (set->stuck)
		cairn_text_add(out, "The robot is stuck: its last moves got nowhere.\n");
	for (uint32_t i = 0; i < set->items_count; i++) {
		const struct cairn_msg_candidate *c = &set->items[i];
		char name[sizeof(c->name)];
		double bearing = cairn_rad_to_deg(
		    cairn_wrap_rad(atan2(c->y_m - view->y_m, c->x_m - view->x_m) - view->yaw_rad));
		cairn_text_addf(
		    out, "C%u: %s", c->id, cairn_enum_text(&cairn_enum_candidate_kind, (int)c->kind));
		if (c->kind == CAIRN_CANDIDATE_KIND_FRONTIER)
			cairn_text_addf(out, " F%u", c->frontier_id);
		cairn_text_clean(name, sizeof(name), c->name, strnlen(c->name, sizeof(c->name)));
		if (name[0] != '\0')
			cairn_text_addf(out, " \"%s\"", name);
		cairn_text_addf(out, ", %.0f deg %s, %.1f m, score %.2f\n", fabs(bearing),
		    bearing >= 0.0 ? "left" : "right", c->path_m, c->score);
	}
}

static void add_mission(struct cairn_text *out, const struct cairn_msg_mission *mission)
{
	cairn_text_add(out, "MISSION\n");
	if (mission == NULL) {
		cairn_text_add(out, "unknown\n");
		return;
	}
	char reason[128];
	cairn_text_clean(
	    reason, sizeof(reason), mission->reason, strnlen(mission->reason, sizeof(mission->reason)));
	cairn_text_addf(out, "%s%s%s; %.0f s so far",
	    cairn_enum_text(&cairn_enum_mission_state, (int)mission->state), reason[0] != '\0' ? ": " : "",
	    reason, mission->elapsed_s);
	if (mission->limit_s > 0.0)
		cairn_text_addf(out, " of %.0f s", mission->limit_s);
	cairn_text_addf(out, "; start is %.1f m away; %u decisions, %u overridden, %u refused\n",
	    mission->home_m, (unsigned)mission->decisions, (unsigned)mission->overrides,
	    (unsigned)mission->refused);
	if (mission->given_up_count > 0)
		cairn_text_addf(
		    out, "%u frontiers were tried in vain and are not listed\n", mission->given_up_count);
}

void cairn_prompt_context(struct cairn_text *out, const struct cairn_prompt_view *view,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission,
    const struct cairn_memory *memory, const char *problem)
{
	cairn_text_clear(out);
	add_view(out, view);
	add_frontiers(out, view, frontiers, mission);
	add_candidates(out, view);
	cairn_memory_actions_text(memory, out);
	cairn_memory_text(memory, out);
	add_mission(out, mission);
	if (problem != NULL && problem[0] != '\0')
		cairn_text_addf(out, "YOUR LAST ANSWER WAS REFUSED: %s\n", problem);
	cairn_text_add(out, "Choose one action now.\n");
}

void cairn_prompt_path_answer(char *dst, size_t cap, const struct cairn_tool_call *call,
    const float sector_m[12], const float feasibility[6])
{
	/* Sectors (30 degrees each, clockwise from the front) that the first metre of each direction sweeps.
	 */
	static const int swept[CAIRN_DIRECTION_COUNT][3] = {[CAIRN_DIRECTION_FORWARD] = {0, 0, 0},
	    [CAIRN_DIRECTION_FORWARD_LEFT] = {0, 11, 10},
	    [CAIRN_DIRECTION_FORWARD_RIGHT] = {0, 1, 2},
	    [CAIRN_DIRECTION_LEFT] = {11, 10, 9},
	    [CAIRN_DIRECTION_RIGHT] = {1, 2, 3},
	    [CAIRN_DIRECTION_BACKWARD] = {6, 6, 6}};
	const char *word = cairn_enum_text(&cairn_enum_direction, call->direction);
	double free_m = INFINITY;
	bool unknown = false;
	for (int i = 0; i < 3; i++) {
		double d = (double)sector_m[swept[call->direction][i]];
		if (isfinite(d) && d > 0.0)
			free_m = fmin(free_m, d);
		else
			unknown = true;
	}
	double f = (double)feasibility[call->direction];
	if (isinf(free_m))
		snprintf(dst, cap, "%s: unknown, the LiDAR has no return there; feasibility %.2f", word, f);
	else
		snprintf(dst, cap, "%s: %s for %.1f m, the nearest return is at %.2f m%s; feasibility %.2f",
		    word, free_m > call->distance_m ? "clear" : "NOT clear", call->distance_m, free_m,
		    unknown ? " (part of it unknown)" : "", f);
}

uint64_t cairn_prompt_tokens(size_t bytes)
{
	return (bytes + 3) / 4;
}
