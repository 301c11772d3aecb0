/* eval_arenas_report.c - the page of `cairn eval arenas`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/report.h"
#include "procs/cli/rundir.h"
#include "procs/lab/eval_arenas.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define MAP_PX 300
#define EDGE_M 2.56 /* the floor and its outer walls */
#define CELL_CAP 64

void arenas_file(const struct arenas_plan *p, uint64_t number, char *ret, size_t size)
{
	enum cairn_arena_mode mode;
	uint32_t seed;
	const struct cairn_arena *a = arenas_piece(p, number, &mode, &seed);
	snprintf(ret, size, "%s-%s-%u", a->name, cairn_arena_mode_name(mode), seed);
}

void arenas_draw(void *ctx, struct cairn_run *run, const struct cairn_arena_result *r)
{
	struct arenas_picture *picture = ctx;
	enum cairn_arena_mode mode;
	uint32_t seed;
	char file[64];
	const struct cairn_arena *a = arenas_piece(picture->plan, picture->number, &mode, &seed);
	struct cairn_pose2 start = a->world->start;
	const struct cairn_report_path path = {.points_m = r->path_xy_m, .point_count = r->path_count};
	struct cairn_report_spot spots[4];
	uint32_t count = 0;
	arenas_file(picture->plan, picture->number, file, sizeof(file));
	if (a->has_goal)
		spots[count++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_GOAL,
		    .name = "goal",
		    .x_m = a->goal_x_m,
		    .y_m = a->goal_y_m,
		    .radius_m = a->tolerance_m};
	spots[count++] =
	    (struct cairn_report_spot){CAIRN_REPORT_START, "start", start.x_m, start.y_m, 0.0, start.yaw_rad};
	spots[count++] = (struct cairn_report_spot){
	    CAIRN_REPORT_END, NULL, r->pose.x_m, r->pose.y_m, 0.0, r->pose.yaw_rad};
	if (r->contacts > 0)
		spots[count++] = (struct cairn_report_spot){
		    .kind = CAIRN_REPORT_CONTACT, .x_m = r->contact_at.x_m, .y_m = r->contact_at.y_m};
	/* The map as the robot has it: where its pose is off, so is what it knows. */
	const struct cairn_msg_pose *pose = cairn_run_pose(run);
	struct cairn_pose2 believed = {pose->x_m, pose->y_m, pose->yaw_rad};
	struct cairn_report_map map = {.file = file,
	    .world = a->world,
	    .height_m = 0.18,
	    .grid = cairn_run_grid(run),
	    .grid_at = cairn_pose_compose(r->pose, cairn_pose_inverse(believed)),
	    .paths = &path,
	    .path_count = 1,
	    .spots = spots,
	    .spot_count = count,
	    .x_min_m = -EDGE_M,
	    .y_min_m = -EDGE_M,
	    .x_max_m = EDGE_M,
	    .y_max_m = EDGE_M,
	    .size_px = MAP_PX};
	picture->ok = cairn_report_draw_map(&map, picture->plan->report, &picture->err);
}

/* ---- tables ---- */

static void criteria_table(struct cairn_report *report)
{
	static const struct cairn_report_column columns[] = {
	    {"criterion", false}, {"what is measured", false}};
	const char *cells[2 * CAIRN_ARENA_CRITERIA];
	for (int i = 0; i < CAIRN_ARENA_CRITERIA; i++) {
		cells[2 * i] = cairn_arena_rules[i].name;
		cells[2 * i + 1] = cairn_arena_rules[i].text;
	}
	cairn_report_table(
	    report, &(struct cairn_report_table){.caption = "The criteria; thresholds stand with each run.",
			.columns = columns,
			.column_count = 2,
			.row_count = CAIRN_ARENA_CRITERIA,
			.cells = cells});
}

struct row {
	char text[7][CELL_CAP];
};

static void fill_row(const struct arenas_plan *p, uint64_t first, struct row *row, uint8_t *mark)
{
	enum cairn_arena_mode mode;
	uint32_t seed, passed = 0, contacts = 0, most = 0, least = UINT32_MAX;
	const struct cairn_arena *a = arenas_piece(p, first, &mode, &seed);
	double cycles = 0.0, path_m = 0.0, nearest_m = 1.0;
	for (uint64_t i = first; i < first + p->seeds; i++) {
		const struct cairn_arena_result *r = &p->results[i];
		struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
		passed += cairn_arena_judge(a, r, v);
		contacts += r->contacts;
		cycles += r->cycles;
		path_m += r->path_m;
		most = r->cycles > most ? r->cycles : most;
		least = r->cycles < least ? r->cycles : least;
		nearest_m = fmin(nearest_m, r->clearance_min_m);
	}
	snprintf(row->text[0], CELL_CAP, "%s", a->title);
	snprintf(row->text[1], CELL_CAP, "%s", cairn_arena_mode_name(mode));
	snprintf(row->text[2], CELL_CAP, "%u of %u", passed, p->seeds);
	snprintf(
	    row->text[3], CELL_CAP, "%.1f (%u to %u of %u)", cycles / p->seeds, least, most, a->cycles_max);
	snprintf(row->text[4], CELL_CAP, "%u", contacts);
	snprintf(row->text[5], CELL_CAP, "%.2f", nearest_m);
	snprintf(row->text[6], CELL_CAP, "%.1f", path_m / p->seeds);
	*mark = passed == p->seeds ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD;
}

static void arenas_table(struct cairn_report *report, const struct arenas_plan *p)
{
	static const struct cairn_report_column columns[] = {{"arena", false}, {"mode", false},
	    {"passed", true}, {"cycles, mean (range)", true}, {"collisions", true}, {"nearest (m)", true},
	    {"path (m)", true}};
	struct row rows[ARENAS_MAX * CAIRN_ARENA_MODE_COUNT];
	const char *cells[7 * ARENAS_MAX * CAIRN_ARENA_MODE_COUNT];
	uint8_t marks[ARENAS_MAX * CAIRN_ARENA_MODE_COUNT];
	uint32_t count = 0;
	for (uint64_t first = 0; first < p->count; first += p->seeds, count++) {
		fill_row(p, first, &rows[count], &marks[count]);
		for (int i = 0; i < 7; i++)
			cells[7 * count + (uint32_t)i] = rows[count].text[i];
	}
	cairn_report_table(report,
	    &(struct cairn_report_table){
		.caption =
		    "By arena and mode. Nearest: the least distance of the disc to anything, over all runs.",
		.columns = columns,
		.column_count = 7,
		.row_count = count,
		.cells = cells,
		.marks = marks});
}

/* ---- runs ---- */

static void add_run(struct cairn_report *report, const struct arenas_plan *p, uint64_t number)
{
	enum cairn_arena_mode mode;
	uint32_t seed, count = 0, missed = 0;
	char name[128], file[64], cells[CAIRN_ARENA_CRITERIA][64], path[32];
	struct cairn_report_fact facts[CAIRN_ARENA_CRITERIA + 2];
	struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
	const struct cairn_arena *a = arenas_piece(p, number, &mode, &seed);
	const struct cairn_arena_result *r = &p->results[number];
	bool passed = cairn_arena_judge(a, r, v);
	for (int i = 0; i < CAIRN_ARENA_CRITERIA; i++) {
		if (!v[i].asked)
			continue;
		missed += !v[i].passed;
		arenas_value(a, r, (enum cairn_arena_criterion)i, &v[i], cells[i], sizeof(cells[i]));
		facts[count++] = (struct cairn_report_fact){cairn_arena_rules[i].name, cells[i]};
	}
	snprintf(path, sizeof(path), "%.1f m, %u decisions", r->path_m, r->decisions);
	facts[count++] = (struct cairn_report_fact){"path", path};
	snprintf(name, sizeof(name), "%s, %s, seed %u", a->title, cairn_arena_mode_name(mode), seed);
	arenas_file(p, number, file, sizeof(file));
	/* By how much of what was allowed was used, failures in front of everything. */
	const struct cairn_report_run run = {.name = name,
	    .badness = (passed ? 0.0 : 10.0 + missed) + (double)r->cycles / a->cycles_max,
	    .mark = passed ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD,
	    .verdict = r->end,
	    .facts = facts,
	    .fact_count = count};
	cairn_report_run_drawn(report, &run, p->report, file);
}

bool arenas_write_report(const struct arenas_plan *p, double wall_s, struct cairn_error *err)
{
	char seeds[48], verdict[64], speed[64], version[128];
	snprintf(version, sizeof(version), "%s (%s), build %016llx", CAIRN_VERSION, cairn_provenance_commit(),
	    (unsigned long long)cairn_program_hash(CAIRN_HASH_START));
	double simulated_s = 0.0;
	for (uint64_t i = 0; i < p->count; i++)
		simulated_s += p->results[i].seconds;
	snprintf(seeds, sizeof(seeds), "%u to %u", p->first_seed, p->first_seed + p->seeds - 1);
	snprintf(speed, sizeof(speed), "%.0f s simulated in %.1f s by %ld processes", simulated_s, wall_s,
	    p->jobs);
	snprintf(verdict, sizeof(verdict), "%llu of %llu runs passed",
	    (unsigned long long)(p->count - p->failed), (unsigned long long)p->count);
	const struct cairn_report_fact facts[] = {{"version", version}, {"seeds", seeds}, {"speed", speed}};
	struct cairn_report *report = cairn_report_new(&(struct cairn_report_head){.title = "Arenas",
	    .summary = "Small rooms with a task, driven by the scripted pilot through the robot's own "
		       "perception, map, "
		       "planner, sequencer and motor cores. gt: poses from the truth, and with a goal the "
		       "floor known "
		       "beforehand. vision: only what the noisy sensors saw, after one turn on the spot.",
	    .command = p->command != NULL ? p->command : "",
	    .facts = facts,
	    .fact_count = 3,
	    .mark = p->failed == 0 ? CAIRN_REPORT_GOOD : CAIRN_REPORT_BAD,
	    .verdict = verdict});
	if (report == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	cairn_report_heading(report, "Results", NULL);
	arenas_table(report, p);
	criteria_table(report);
	for (uint64_t i = 0; i < p->count; i++)
		add_run(report, p, i);
	bool ok = cairn_report_write(report, p->report, err);
	cairn_report_destroy(&report);
	return ok;
}
