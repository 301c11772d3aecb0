#include "common/eval/scene_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/eval/survey_run.h"
#include "common/eval/visible_things.h"
#include "common/scene/rooms.h"
#include "common/sim/detector/detect.h"

#define GRID_PERIOD_NS (10 * CAIRN_NS_PER_S)
#define GRID_NEWS 0.01     /* share of known cells that is new: less is no reason to divide the map again */
#define ROOM_CELLS_MIN 200 /* of the map in a room of the plan, or the room does not count */
#define SHOWN_MAX 512
#define TRUE_ROOMS_MAX 128

struct trial {
	const struct cairn_scene_trial_options *o;
	struct cairn_config
	    cfg; /* the caller's, with an agent: it is its way to drive what is left to be looked at */
	struct cairn_scene_trial_result *r;
	struct cairn_sim_detector *sim;
	struct cairn_detector detector;
	struct cairn_scene *scene;
	struct cairn_survey_run survey;
	uint32_t *shown; /* pictures that showed each thing */
	bool *visible;
	bool explored, failed;
	double t_cpu_s, survey_s; /* when it began; what is not the exploration's */
	uint8_t *cells;
	size_t cells_bytes;
	int64_t t_grid_ns;
	double known_cells;
	struct cairn_detected_list list;
	struct cairn_msg_detections message;
	struct cairn_msg_features features;
};

static double cpu(const struct trial *t)
{
	return t->o->cpu_s != NULL ? t->o->cpu_s() : 0.0;
}

/* ---- while it goes on ---- */

static void look(struct trial *t, struct cairn_run *run, uint64_t number)
{
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	size_t people = cairn_sim_people(cairn_run_sim(run), discs);
	uint32_t things[SHOWN_MAX];
	struct cairn_error err;
	double before = cpu(t);
	for (size_t i = 0; i < people; i++)
		figures[i] = (struct cairn_figure){discs[i], t->o->world->people[i].paint};
	cairn_sim_detector_look(t->sim, cairn_run_truth(run)->body.pose, figures, people, &t->list);
	t->list.look = number;
	t->list.t_ns = cairn_run_now_ns(run);
	bool ok = cairn_detector_answer(&t->detector, &t->list, cairn_run_now_ns(run), &t->message, &err);
	double between = cpu(t);
	t->r->detector_s += t->explored ? 0.0 : between - before;
	uint32_t n = cairn_sim_detector_shown(t->sim, t->o->cfg->detect.sim_visible_min, things, SHOWN_MAX);
	for (uint32_t i = 0; i < n; i++)
		t->shown[things[i]]++;
	if (!ok)
		return;
	t->r->pictures++;
	before = cpu(t);
	cairn_scene_see(t->scene, &t->message, cairn_run_elapsed_s(run) + 1.0);
	double took = cpu(t) - before;
	t->r->scene_s += t->explored ? 0.0 : took;
	t->r->update_worst_ms = fmax(t->r->update_worst_ms, took * 1e3);
	before = cpu(t);
	cairn_survey_run_on_picture(&t->survey, &t->message, t->list.t_ns);
	t->survey_s += cpu(t) - before;
}

static struct cairn_pose2 pose_of(const struct cairn_run *run)
{
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	return (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad};
}

static void give_grid(struct trial *t, struct cairn_run *run)
{
	const struct cairn_grid *g = cairn_run_grid(run);
	struct cairn_cell_box box = cairn_grid_published(g);
	if (cairn_cell_box_empty(box))
		return;
	double before = cpu(t);
	uint32_t width = (uint32_t)(box.max_cx - box.min_cx + 1),
		 height = (uint32_t)(box.max_cy - box.min_cy + 1);
	if ((size_t)width * height > t->cells_bytes) {
		uint8_t *more = realloc(t->cells, 2 * (size_t)width * height);
		if (more == NULL)
			return;
		t->cells = more;
		t->cells_bytes = 2 * (size_t)width * height;
	}
	cairn_grid_bytes(g, box, t->cells);
	struct cairn_scene_grid grid = {
	    t->cells, width, height, box.min_cx * g->cell_m, box.min_cy * g->cell_m, g->cell_m};
	bool doors = cairn_run_mapper(run) != NULL &&
		     cairn_mapper_features(cairn_run_mapper(run), cairn_run_frontiers(run), &t->features);
	(void)cairn_scene_on_grid(t->scene, &grid, pose_of(run), doors ? &t->features : NULL);
	t->r->map_s += t->explored ? 0.0 : cpu(t) - before;
	if (t->explored)
		cairn_survey_run_on_grid(&t->survey, &grid);
}

static void look_and_map(struct trial *t, struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	uint64_t number;
	cairn_detector_on_pose(&t->detector, cairn_run_pose(run), now_ns);
	if (cairn_detector_due(&t->detector, now_ns, &number))
		look(t, run, number);
	const struct cairn_grid *g = cairn_run_grid(run);
	double cells = (double)g->free_cells + g->occupied_cells;
	if (now_ns - t->t_grid_ns >= GRID_PERIOD_NS && fabs(cells - t->known_cells) > GRID_NEWS * cells) {
		t->t_grid_ns = now_ns;
		t->known_cells = cells;
		give_grid(t, run);
	}
}

/* ---- things against the truth ---- */

static double distance(const struct cairn_scene_box *b, double x, double y, double z)
{
	double dx = fmax(0.0, fmax(b->min[0] - x, x - b->max[0])),
	       dy = fmax(0.0, fmax(b->min[1] - y, y - b->max[1])),
	       dz = fmax(0.0, fmax(b->min[2] - z, z - b->max[2]));
	return sqrt(dx * dx + dy * dy + dz * dz);
}

struct pair {
	double d;
	uint32_t node, thing;
};

static int by_distance(const void *a, const void *b)
{
	double x = ((const struct pair *)a)->d, y = ((const struct pair *)b)->d;
	return (x > y) - (x < y);
}

static void list_wrong(
    struct trial *t, const struct cairn_scene_object *o, struct cairn_vec2 at, const char *why)
{
	struct cairn_scene_trial_result *r = t->r;
	if (r->wrong_count >= CAIRN_SCENE_TRIAL_LISTED)
		return;
	snprintf(r->wrong[r->wrong_count].label, sizeof(r->wrong[0].label), "%s", o->votes[0].label);
	snprintf(r->wrong[r->wrong_count].why, sizeof(r->wrong[0].why), "%s", why);
	r->wrong[r->wrong_count].x_m = (float)at.x_m;
	r->wrong[r->wrong_count].y_m = (float)at.y_m;
	r->wrong[r->wrong_count++].seen = o->seen;
}

static bool judge_things(struct trial *t, struct cairn_pose2 world_from_map, struct cairn_scene_score *ret)
{
	const struct cairn_world *w = t->o->world;
	struct cairn_scene_trial_result *r = t->r;
	struct cairn_scene_score score = {0};
	const struct cairn_scene_object *objects;
	uint32_t n = cairn_scene_objects(t->scene, &objects);
	struct cairn_scene_box *extent = calloc((size_t)w->thing_count + 1, sizeof(*extent));
	bool *thing_used = calloc((size_t)w->thing_count + 1, 1), *node_used = calloc((size_t)n + 1, 1);
	size_t pairs = 0;
	struct pair *pair = calloc((size_t)w->thing_count * n + 1, sizeof(*pair));
	char label[40];
	bool ok = extent != NULL && thing_used != NULL && node_used != NULL && pair != NULL;
	r->things = r->shown = r->missing_count = r->wrong_count = 0;
	for (uint32_t i = 0; ok && i < w->thing_count; i++) {
		if (!cairn_sim_thing_label(&w->things[i], label))
			continue;
		(void)cairn_world_extent(w, i, extent[i].min, extent[i].max);
		r->things++;
		r->shown += t->shown[i] > 0;
		t->visible[i] = t->visible[i] || t->shown[i] > 0;
		score.visible += t->visible[i];
		for (uint32_t k = 0; k < n; k++) {
			const struct cairn_scene_object *o = &objects[k];
			if (o->number == 0 || !o->confirmed || strcmp(o->votes[0].label, label) != 0)
				continue;
			struct cairn_vec2 at = cairn_pose_apply(
			    world_from_map, (struct cairn_vec2){0.5 * (o->box.min[0] + o->box.max[0]),
						0.5 * (o->box.min[1] + o->box.max[1])});
			double d =
			    distance(&extent[i], at.x_m, at.y_m, 0.5 * (o->box.min[2] + o->box.max[2]));
			if (d <= CAIRN_SCENE_TRIAL_NEAR_M)
				pair[pairs++] = (struct pair){d, k, i};
		}
	}
	if (ok)
		qsort(pair, pairs, sizeof(*pair), by_distance);
	for (size_t i = 0; ok && i < pairs; i++) {
		if (thing_used[pair[i].thing] || node_used[pair[i].node])
			continue;
		thing_used[pair[i].thing] = node_used[pair[i].node] = true;
		score.right++;
		score.found += t->visible[pair[i].thing];
	}
	for (uint32_t k = 0; ok && k < n; k++) {
		const struct cairn_scene_object *o = &objects[k];
		if (o->number == 0 || !o->confirmed || o->kind == CAIRN_SCENE_KIND_AGENT)
			continue;
		score.nodes++;
		if (node_used[k])
			continue;
		struct cairn_vec2 at = cairn_pose_apply(
		    world_from_map, (struct cairn_vec2){0.5 * (o->box.min[0] + o->box.max[0]),
					0.5 * (o->box.min[1] + o->box.max[1])});
		bool twice = false, other = false;
		for (size_t i = 0; i < pairs; i++)
			twice = twice || pair[i].node == k;
		for (uint32_t i = 0; i < w->thing_count && !twice; i++)
			other = other ||
				(extent[i].max[0] > -1e8 && distance(&extent[i], at.x_m, at.y_m,
								0.5 * (o->box.min[2] + o->box.max[2])) < 0.1);
		score.doubles += twice;
		score.misnamed += !twice && other;
		score.nowhere += !twice && !other;
		list_wrong(t, o, at, twice ? "double" : other ? "misnamed" : "nowhere");
	}
	for (uint32_t i = 0; ok && i < w->thing_count; i++)
		if (t->visible[i] && !thing_used[i] && r->missing_count < CAIRN_SCENE_TRIAL_LISTED &&
		    cairn_sim_thing_label(&w->things[i], r->missing[r->missing_count].label)) {
			r->missing[r->missing_count].x_m = w->things[i].x_m;
			r->missing[r->missing_count].y_m = w->things[i].y_m;
			r->missing[r->missing_count++].pictures = t->shown[i];
		}
	free(extent);
	free(thing_used);
	free(node_used);
	free(pair);
	*ret = score;
	return ok;
}

/* ---- rooms against the truth ---- */

static bool in_outline(const struct cairn_room *r, struct cairn_vec2 at)
{
	bool inside = false;
	for (uint32_t a = 0, b = r->corner_count - 1; a < r->corner_count; b = a++) {
		struct cairn_vec2 p = r->corners[a], q = r->corners[b];
		if ((p.y_m > at.y_m) != (q.y_m > at.y_m) &&
		    at.x_m < p.x_m + (at.y_m - p.y_m) * (q.x_m - p.x_m) / (q.y_m - p.y_m))
			inside = !inside;
	}
	return inside;
}

int32_t cairn_scene_true_room(const struct cairn_world *w, struct cairn_vec2 p, uint32_t *ret_holds)
{
	const struct cairn_room *room = cairn_world_room_at(w, p.x_m, p.y_m);
	uint32_t holds = 0;
	for (uint32_t i = 0; ret_holds != NULL && room != NULL && i < w->room_count; i++)
		holds += in_outline(&w->rooms[i], p);
	if (ret_holds != NULL)
		*ret_holds = holds;
	return room != NULL ? (int32_t)(room - w->rooms) : -1;
}

/* Where labels overlap nobody knows which holds. */
static int32_t judged_room(const struct cairn_world *w, struct cairn_vec2 p, bool single)
{
	uint32_t holds = 0;
	int32_t room = cairn_scene_true_room(w, p, single ? &holds : NULL);
	return single && holds != 1 ? -1 : room;
}

double cairn_scene_room_iou(const struct cairn_rooms *f, const struct cairn_world *w,
    struct cairn_pose2 world_from_map, bool single, uint32_t *ret_rooms)
{
	static const uint8_t free_max = 49;
	uint32_t trues = w->room_count < TRUE_ROOMS_MAX ? w->room_count : TRUE_ROOMS_MAX;
	uint32_t *both = calloc((size_t)(TRUE_ROOMS_MAX + 1) * (CAIRN_ROOMS_MAX + 1), sizeof(*both)),
		 true_cells[TRUE_ROOMS_MAX] = {0}, cells[CAIRN_ROOMS_MAX + 1] = {0};
	double sum = 0.0;
	*ret_rooms = 0;
	if (both == NULL || f->label == NULL) {
		free(both);
		return -1.0;
	}
	for (int32_t y = 0; y < f->height; y++)
		for (int32_t x = 0; x < f->width; x++) {
			size_t at = (size_t)y * (size_t)f->width + (size_t)x;
			if (f->cells[at] > free_max)
				continue;
			struct cairn_vec2 p = {
			    (x + f->cx0 + 0.5) * f->cell_m, (y + f->cy0 + 0.5) * f->cell_m};
			int32_t room = judged_room(w, cairn_pose_apply(world_from_map, p), single);
			if (room < 0 || room >= (int32_t)trues)
				continue;
			true_cells[room]++;
			cells[f->label[at]]++;
			both[room * (CAIRN_ROOMS_MAX + 1) + f->label[at]]++;
		}
	for (uint32_t i = 0; i < trues; i++) {
		double best = 0.0;
		if (true_cells[i] < ROOM_CELLS_MIN)
			continue;
		for (uint32_t k = 1; k <= CAIRN_ROOMS_MAX; k++) {
			double n = both[i * (CAIRN_ROOMS_MAX + 1) + k];
			best = fmax(best, n / (true_cells[i] + cells[k] - n));
		}
		sum += best;
		(*ret_rooms)++;
	}
	free(both);
	return *ret_rooms > 0 ? sum / *ret_rooms : -1.0;
}

/* ---- the run ---- */

static struct cairn_pose2 start_of(struct cairn_run *run)
{
	return cairn_sim_state(cairn_run_sim(run))->start;
}

static void end_exploration(struct trial *t, struct cairn_run *run)
{
	struct cairn_scene_trial_result *r = t->r;
	if (!t->o->without_scene)
		give_grid(t, run);
	r->wall_s = cpu(t) - t->t_cpu_s - t->survey_s;
	t->explored = true;
	give_grid(t, run);
	r->seconds = cairn_run_elapsed_s(run);
	r->driven_m = cairn_run_totals(run).odometry_m;
	r->finished = r->seconds < t->o->limit_s;
	t->failed = !t->o->without_scene && !judge_things(t, start_of(run), &r->explored);
}

static bool step(void *ctx, struct cairn_run *run)
{
	struct trial *t = ctx;
	enum cairn_mission_state state = (enum cairn_mission_state)cairn_run_output(run)->mission.state;
	struct cairn_pose2 e = cairn_pose_between(cairn_run_true_pose(run), pose_of(run));
	if (cairn_run_elapsed_s(run) > 2.0)
		t->r->pose_error_m = fmax(t->r->pose_error_m, hypot(e.x_m, e.y_m));
	if (!t->o->without_scene)
		look_and_map(t, run);
	if (!t->explored && (state == CAIRN_MISSION_STATE_FINISHED || state == CAIRN_MISSION_STATE_RETURNING))
		end_exploration(t, run);
	if (!t->explored)
		return true;
	return !t->o->without_scene && cairn_survey_run_step(&t->survey, run);
}

static void on_result(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	cairn_survey_run_on_result(&((struct trial *)ctx)->survey, result, cairn_run_now_ns(run));
}

static void end(struct trial *t, struct cairn_run *run)
{
	struct cairn_scene_trial_result *r = t->r;
	const struct cairn_scene_room *rooms;
	if (!t->explored)
		end_exploration(t, run); /* time was up */
	r->end_s = cairn_run_elapsed_s(run);
	r->end_m = cairn_run_totals(run).odometry_m;
	r->looks = t->survey.survey.looks;
	r->looks_failed = t->survey.survey.failed;
	if (t->o->without_scene)
		return;
	give_grid(t, run);
	t->failed = !judge_things(t, start_of(run), &r->end) || t->failed;
	r->rooms = cairn_scene_rooms(t->scene, &rooms);
	r->room_iou = cairn_scene_room_iou(
	    cairn_scene_floor(t->scene), t->o->world, start_of(run), false, &r->rooms_true);
}

bool cairn_scene_trial_run(
    const struct cairn_scene_trial_options *o, struct cairn_scene_trial_result *ret, struct cairn_error *err)
{
	struct trial t = {.o = o, .r = ret, .cfg = *o->cfg};
	t.cfg.agent.enabled = true;
	t.cfg.agent.limit_wall_s = o->limit_s;
	*ret = (struct cairn_scene_trial_result){.seed = (uint32_t)o->cfg->sim.seed, .room_iou = -1.0};
	struct cairn_run_options options = {.cfg = &t.cfg,
	    .world = o->world,
	    .map = o->map,
	    .duration_s = o->limit_s,
	    .on_result = on_result,
	    .decide_ctx = &t,
	    .observe = step,
	    .observe_ctx = &t};
	t.visible = calloc((size_t)o->world->thing_count + 1, sizeof(*t.visible));
	t.shown = calloc((size_t)o->world->thing_count + 1, sizeof(*t.shown));
	t.sim = cairn_sim_detector_new(o->cfg, o->world, (uint64_t)o->cfg->sim.seed);
	t.scene = cairn_scene_new(o->cfg);
	t.t_cpu_s = cpu(&t);
	struct cairn_run *run = cairn_run_new(&options, err);
	cairn_detector_init(&t.detector, o->cfg);
	bool ok = run != NULL && t.sim != NULL && t.scene != NULL && t.shown != NULL && t.visible != NULL &&
		  cairn_survey_run_init(&t.survey, o->cfg);
	if (ok) {
		cairn_sim_detector_props(t.sim, &cairn_sim_state(cairn_run_sim(run))->props);
		ok = o->without_scene || cairn_visible_things(o->cfg, o->world, start_of(run), t.visible);
		t.t_cpu_s = cpu(&t);
		cairn_run_all(run);
		end(&t, run);
		ok = ok && !t.failed;
	}
	if (run != NULL && !ok)
		cairn_error_set(err, "out of memory");
	cairn_run_destroy(&run);
	cairn_sim_detector_destroy(&t.sim);
	cairn_scene_destroy(&t.scene);
	cairn_survey_run_free(&t.survey);
	free(t.shown);
	free(t.visible);
	free(t.cells);
	return ok;
}
