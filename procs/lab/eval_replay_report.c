/* eval_replay_report.c - the page of `cairn eval replay`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/report.h"
#include "common/map/grid.h"
#include "procs/cli/rundir.h"
#include "procs/lab/eval_replay.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define MAP_PX 520
#define COLUMNS 7
#define CELL_CAP 256

static const char *const meanings[CAIRN_RERUN_CHANGE_COUNT] = {
    [CAIRN_RERUN_SAME] = "nothing changes",
    [CAIRN_RERUN_ANSWER] = "the answer is read as something else",
    [CAIRN_RERUN_ACCEPTED] = "refused then, accepted now",
    [CAIRN_RERUN_REFUSED] = "accepted then, refused now",
    [CAIRN_RERUN_REASON] = "refused for another reason",
    [CAIRN_RERUN_TARGET] = "another place to drive to",
    [CAIRN_RERUN_WAY] = "a way is found or not, or its length differs",
    [CAIRN_RERUN_COMMAND] = "another first velocity",
    [CAIRN_RERUN_NOT_JUDGED] = "what the sequencer said cannot be compared",
};

static void changes_table(struct cairn_report *page, const struct replay *r)
{
	static const struct cairn_report_column columns[] = {
	    {"change", false}, {"decisions", true}, {"what it means", false}};
	const char *cells[3 * CAIRN_RERUN_CHANGE_COUNT];
	char counts[CAIRN_RERUN_CHANGE_COUNT][16];
	uint8_t marks[CAIRN_RERUN_CHANGE_COUNT];
	uint32_t rows = 0;
	for (int i = 0; i < CAIRN_RERUN_CHANGE_COUNT; i++) {
		snprintf(counts[i], sizeof(counts[i]), "%u", r->changes[i]);
		cells[3 * rows] = cairn_eval_replay_change_name((enum cairn_eval_replay_change)i);
		cells[3 * rows + 1] = counts[i];
		cells[3 * rows + 2] = meanings[i];
		marks[rows++] = r->changes[i] == 0 || i == CAIRN_RERUN_NOT_JUDGED ? CAIRN_REPORT_PLAIN
				: i == CAIRN_RERUN_SAME                           ? CAIRN_REPORT_GOOD
				: i == CAIRN_RERUN_REFUSED                        ? CAIRN_REPORT_BAD
										  : CAIRN_REPORT_WEAK;
	}
	cairn_report_table(
	    page, &(struct cairn_report_table){
		      .caption = "Each decision is judged for itself, by what the robot saw when it came.",
		      .columns = columns,
		      .column_count = 3,
		      .row_count = rows,
		      .cells = cells,
		      .marks = marks});
}

static void agreement_table(struct cairn_report *page, const struct replay *r)
{
	static const struct cairn_report_column columns[] = {
	    {"answer of the other model", false}, {"questions", true}};
	static const char *const names[] = {"the same tool and arguments", "the same tool, other arguments",
	    "another tool", "no answer of use"};
	const char *cells[8];
	char counts[4][16], agrees[120] = "was not asked anything", caption[700];
	double share, low, high;
	replay_share(r, &share, &low, &high);
	for (int i = 0; i < 4; i++) {
		snprintf(counts[i], sizeof(counts[i]), "%u", r->agreements[i]);
		cells[2 * i] = names[i];
		cells[2 * i + 1] = counts[i];
	}
	if (r->asked > 0)
		snprintf(agrees, sizeof(agrees),
		    "agrees in %.0f %% (95 %% interval %.0f to %.0f, Wilson) of %u questions", 100.0 * share,
		    100.0 * low, 100.0 * high, r->asked);
	snprintf(caption, sizeof(caption),
	    "%.60s (%.120s) %s; %llu calls, %.4f USD of at "
	    "most %.4f. Same place: within 0.5 m; same turn: within 20 degrees; same move: direction, and "
	    "time within 1 s.",
	    r->provider, r->model, agrees, (unsigned long long)r->ledger.calls, r->ledger.cost_usd,
	    r->usd_max);
	cairn_report_heading(page, "Agreement", r->stopped[0] != '\0' ? r->stopped : NULL);
	cairn_report_table(page,
	    &(struct cairn_report_table){
		.caption = caption, .columns = columns, .column_count = 2, .row_count = 4, .cells = cells});
}

static void decisions_table(struct cairn_report *page, const struct replay *r)
{
	static const struct cairn_report_column columns[COLUMNS] = {{"time (s)", true}, {"change", false},
	    {"decision", false}, {"then", false}, {"now", false}, {"prompt", false}, {"other model", false}};
	char(*text)[COLUMNS][CELL_CAP] = calloc(r->count, sizeof(*text));
	const char **cells = calloc((size_t)r->count * COLUMNS, sizeof(*cells));
	uint8_t *marks = calloc(r->count, 1);
	uint32_t width = r->provider != NULL ? COLUMNS : COLUMNS - 1;
	for (uint32_t i = 0; text != NULL && cells != NULL && marks != NULL && i < r->count; i++) {
		const struct cairn_eval_replay_step *s = &r->steps[i];
		snprintf(text[i][0], CELL_CAP, "%.1f", s->t_s);
		snprintf(text[i][1], CELL_CAP, "%s", cairn_eval_replay_change_name(s->change));
		snprintf(text[i][2], CELL_CAP, "%s", s->then.decided ? s->then.asked : "none");
		replay_words(&s->then, text[i][3], CELL_CAP);
		replay_words(&s->now, text[i][4], CELL_CAP);
		snprintf(text[i][5], CELL_CAP, "%s", s->same_prompt ? "the same" : "changed");
		snprintf(text[i][6], CELL_CAP, "%s%s%s", r->others[i].words, r->others[i].asked ? ": " : "",
		    r->others[i].asked ? replay_agreement_name(r->others[i].agreement) : "");
		for (uint32_t k = 0; k < width; k++)
			cells[i * width + k] = text[i][k];
		marks[i] = s->change == CAIRN_RERUN_SAME || s->change == CAIRN_RERUN_NOT_JUDGED
			       ? CAIRN_REPORT_PLAIN
			   : s->change == CAIRN_RERUN_REFUSED ? CAIRN_REPORT_BAD
							      : CAIRN_REPORT_WEAK;
	}
	cairn_report_heading(page, "Decisions", NULL);
	if (marks != NULL && text != NULL && cells != NULL)
		cairn_report_table(page, &(struct cairn_report_table){.columns = columns,
					     .column_count = width,
					     .row_count = r->count,
					     .cells = cells,
					     .marks = marks});
	free(text);
	free(cells);
	free(marks);
}

/* ---- maps ---- */

/* Everything that is known, and a little more: names stand beside their spots. */
static void show_all(struct cairn_report_map *map, const struct cairn_grid *grid)
{
	const double edge_m = 0.6;
	map->grid = grid;
	map->x_min_m = grid->known.min_cx * grid->cell_m - edge_m;
	map->y_min_m = grid->known.min_cy * grid->cell_m - edge_m;
	map->x_max_m = (grid->known.max_cx + 1) * grid->cell_m + edge_m;
	map->y_max_m = (grid->known.max_cy + 1) * grid->cell_m + edge_m;
}

/* The map of a line as the drawing takes it. False: there is none. */
static bool read_grid(const struct cairn_recorded_line *line, struct cairn_grid *grid)
{
	struct cairn_frame_header h;
	struct cairn_text cells = {0};
	struct cairn_error err;
	bool ok = line->row != NULL && cairn_recorded_grid(line, &h, &cells, &err) && h.cell_m > 0.0 &&
		  fabs(h.origin_x_m / h.cell_m) < 1e5 && fabs(h.origin_y_m / h.cell_m) < 1e5;
	if (ok) {
		int32_t cx = (int32_t)lround(h.origin_x_m / h.cell_m),
			cy = (int32_t)lround(h.origin_y_m / h.cell_m);
		cairn_grid_init(grid, h.cell_m, fmax(h.width, h.height) * h.cell_m + 1.0);
		ok = cairn_grid_restart(grid, cx, cy, (int32_t)h.width, (int32_t)h.height);
		for (size_t i = 0; ok && i < cells.len; i++) {
			uint8_t c = (uint8_t)cells.data[i];
			size_t at =
			    cairn_grid_index(grid, cx + (int32_t)(i % h.width), cy + (int32_t)(i / h.width));
			grid->odds[at] = c == 255  ? CAIRN_ODDS_UNKNOWN
					 : c >= 65 ? CAIRN_ODDS_MAX
					 : c < 50  ? CAIRN_ODDS_MIN
						   : 0;
		}
		if (ok)
			grid->known = (struct cairn_cell_box){
			    cx, cy, cx + (int32_t)h.width - 1, cy + (int32_t)h.height - 1};
	}
	cairn_text_free(&cells);
	return ok;
}

static void way_map(struct cairn_report *page, const struct replay *r)
{
	struct cairn_grid grid = {0};
	float *points = calloc(r->count, 2 * sizeof(*points));
	struct cairn_report_spot *spots = calloc(r->count, sizeof(*spots));
	uint32_t count = 0, changed = 0;
	bool has_grid = false;
	for (uint32_t i = r->count; i-- > 0 && !has_grid;)
		has_grid = read_grid(&r->recording->questions[i].decided, &grid);
	for (uint32_t i = 0; points != NULL && spots != NULL && i < r->count; i++) {
		const struct cairn_eval_replay_step *s = &r->steps[i];
		if (r->recording->questions[i].decided.row == NULL)
			continue;
		points[2 * count] = (float)s->x_m;
		points[2 * count++ + 1] = (float)s->y_m;
		if (s->change != CAIRN_RERUN_SAME && s->change != CAIRN_RERUN_NOT_JUDGED)
			spots[changed++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_PLACE,
			    .name = cairn_eval_replay_change_name(s->change),
			    .x_m = s->x_m,
			    .y_m = s->y_m};
	}
	const struct cairn_report_path path = {
	    .name = "from decision to decision", .points_m = points, .point_count = count};
	struct cairn_report_map map = {.file = "decisions",
	    .title = "Where the decisions came",
	    .caption =
		"The map as the robot had it at the last decision; what changes has its name beside it.",
	    .paths = &path,
	    .path_count = count > 1,
	    .spots = spots,
	    .spot_count = changed,
	    .size_px = MAP_PX};
	if (has_grid)
		show_all(&map, &grid);
	cairn_report_map(page, &map);
	cairn_grid_free(&grid);
	free(points);
	free(spots);
}

static void add_run(struct cairn_report *page, const struct replay *r, uint32_t i)
{
	const struct cairn_eval_replay_step *s = &r->steps[i];
	struct cairn_grid grid = {0};
	struct cairn_report_spot spots[3];
	uint32_t count = 0;
	char name[96], file[48], then[256], now[256];
	bool has_grid = read_grid(&r->recording->questions[i].decided, &grid);
	spots[count++] =
	    (struct cairn_report_spot){CAIRN_REPORT_START, "robot", s->x_m, s->y_m, 0.0, s->yaw_rad};
	if (s->then.has_target)
		spots[count++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_PLACE,
		    .name = "then",
		    .x_m = s->then.target_x_m,
		    .y_m = s->then.target_y_m};
	if (s->now.has_target)
		spots[count++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_GOAL,
		    .name = "now",
		    .x_m = s->now.target_x_m,
		    .y_m = s->now.target_y_m,
		    .radius_m = CAIRN_RERUN_TARGET_M};
	snprintf(
	    name, sizeof(name), "%.0f s: %.60s", s->t_s, s->then.decided ? s->then.asked : "no decision");
	snprintf(file, sizeof(file), "decision-%u", i + 1);
	replay_words(&s->then, then, sizeof(then));
	replay_words(&s->now, now, sizeof(now));
	const struct cairn_report_fact facts[] = {{"then", then}, {"now", now}, {"why", s->detail}};
	struct cairn_report_map map = {.file = file, .spots = spots, .spot_count = count, .size_px = 300};
	if (has_grid)
		show_all(&map, &grid);
	cairn_report_run(
	    page, &(struct cairn_report_run){.name = name,
		      .badness = s->change == CAIRN_RERUN_REFUSED ? 10.0 : 10.0 - (double)s->change,
		      .mark = s->change == CAIRN_RERUN_REFUSED ? CAIRN_REPORT_BAD : CAIRN_REPORT_WEAK,
		      .verdict = meanings[s->change],
		      .facts = facts,
		      .fact_count = s->detail[0] != '\0' ? 3 : 2,
		      .map = &map});
	cairn_grid_free(&grid);
}

bool replay_report(const struct replay *r, const char *dir, struct cairn_error *err)
{
	uint32_t changed = replay_changed(r);
	bool passed = replay_passed(r);
	const struct cairn_recorded_line *begun = &r->recording->begun;
	char verdict[360], prompts[64], recorded[160], version[160];
	snprintf(version, sizeof(version), "%s (%s), build %016llx, configuration %016llx", CAIRN_VERSION,
	    cairn_provenance_commit(), (unsigned long long)cairn_program_hash(CAIRN_HASH_START),
	    (unsigned long long)cairn_provenance_config(&r->cfg));
	snprintf(verdict, sizeof(verdict), "%u of %u decisions change, %u more are driven otherwise%s%s%s",
	    changed, r->count, r->changes[CAIRN_RERUN_WAY] + r->changes[CAIRN_RERUN_COMMAND],
	    r->changes[CAIRN_RERUN_NOT_JUDGED] == r->count ? "; none could be judged" : "",
	    r->stopped[0] != '\0' ? "; not all were asked: " : "", r->stopped);
	snprintf(prompts, sizeof(prompts), "the same in %u of %u", r->same_prompts, r->count);
	const char *program = cairn_recorded_text(begun, "program"),
		   *model = cairn_recorded_text(begun, "model"),
		   *provider = cairn_recorded_text(begun, "provider");
	snprintf(recorded, sizeof(recorded), "cairn %.20s, %.40s (%.60s)", program != NULL ? program : "?",
	    provider != NULL ? provider : "?", model != NULL ? model : "?");
	const struct cairn_report_fact facts[] = {
	    {"version", version}, {"recorded by", recorded}, {"prompts", prompts}};
	struct cairn_report *page =
	    cairn_report_new(&(struct cairn_report_head){.title = "Replay of a recording",
		.summary = "Recorded answers of a model put to the present code: what is made of each "
			   "answer, what the sequencer "
			   "says to it, and how the planner gets there, beside what became of it then.",
		.command = r->command != NULL ? r->command : "",
		.facts = facts,
		.fact_count = 3,
		.mark = passed        ? CAIRN_REPORT_GOOD
			: changed > 0 ? CAIRN_REPORT_WEAK
				      : CAIRN_REPORT_BAD,
		.verdict = verdict});
	if (page == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	cairn_report_heading(page, "What changes", NULL);
	changes_table(page, r);
	way_map(page, r);
	if (r->provider != NULL)
		agreement_table(page, r);
	decisions_table(page, r);
	for (uint32_t i = 0; i < r->count; i++)
		if (r->steps[i].change != CAIRN_RERUN_SAME && r->steps[i].change != CAIRN_RERUN_NOT_JUDGED)
			add_run(page, r, i);
	bool ok = cairn_report_write(page, dir, err);
	cairn_report_destroy(&page);
	return ok;
}
