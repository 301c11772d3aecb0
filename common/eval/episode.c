#include "common/eval/episode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/scene.h"
#include "common/sim/detector/detect.h"

#define SHOWN_MAX 512
#define GRID_NS (2 * CAIRN_NS_PER_S)
#define SCENE_NS CAIRN_NS_PER_S
#define TURN_NS (50 * CAIRN_NS_PER_MS)
#define TELL_NS (500 * CAIRN_NS_PER_MS)
#define TASK_AT_S 3.0 /* the map has begun by then */
#define EPOCH 1

struct episode {
	const struct cairn_episode_options *o;
	struct cairn_episode_result *r;
	struct cairn_sim_detector *sim;
	struct cairn_detector detector;
	struct cairn_detected_list list;
	struct cairn_msg_detections seen;
	struct cairn_msg_features doors;
	struct cairn_scene *scene;
	struct cairn_agent *agent;
	uint8_t *cells;
	size_t cells_bytes;
	int64_t t_grid_ns, t_scene_ns, t_turn_ns, t_tell_ns,
	    due_ns; /* due: of the answer under way; 0 = none */
	double known_cells;
	struct cairn_dialog_outcome outcome;
	struct cairn_text body; /* of the outcome */
	struct cairn_msg_command command;
	bool given;
};

static struct cairn_pose2 pose_of(const struct cairn_run *run)
{
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	return (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad};
}

/* ---- detector and scene, as their stages do ---- */

static void look(struct episode *e, struct cairn_run *run, uint64_t number)
{
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	size_t people = cairn_sim_people(cairn_run_sim(run), discs);
	uint32_t things[SHOWN_MAX];
	struct cairn_error err;
	for (size_t i = 0; i < people; i++)
		figures[i] = (struct cairn_figure){discs[i], e->o->world->people[i].paint};
	cairn_sim_detector_look(e->sim, cairn_run_truth(run)->body.pose, figures, people, &e->list);
	e->list.look = number;
	e->list.t_ns = cairn_run_now_ns(run);
	uint32_t n = cairn_sim_detector_shown(e->sim, e->o->cfg->detect.sim_visible_min, things, SHOWN_MAX);
	for (uint32_t i = 0; i < n; i++)
		e->r->shown[things[i]] = 1;
	if (cairn_detector_answer(&e->detector, &e->list, cairn_run_now_ns(run), &e->seen, &err))
		cairn_scene_see(e->scene, &e->seen, cairn_run_elapsed_s(run) + 1.0);
}

static void give_grid(struct episode *e, struct cairn_run *run)
{
	const struct cairn_grid *g = cairn_run_grid(run);
	struct cairn_cell_box box = cairn_grid_published(g);
	double cells = (double)g->free_cells + g->occupied_cells;
	if (cairn_cell_box_empty(box) || cells == e->known_cells)
		return;
	e->known_cells = cells;
	uint32_t width = (uint32_t)(box.max_cx - box.min_cx + 1),
		 height = (uint32_t)(box.max_cy - box.min_cy + 1);
	if ((size_t)width * height > e->cells_bytes) {
		uint8_t *more = realloc(e->cells, 2 * (size_t)width * height);
		if (more == NULL)
			return;
		e->cells = more;
		e->cells_bytes = 2 * (size_t)width * height;
	}
	cairn_grid_bytes(g, box, e->cells);
	struct cairn_scene_grid grid = {
	    e->cells, width, height, box.min_cx * g->cell_m, box.min_cy * g->cell_m, g->cell_m};
	bool known = cairn_run_mapper(run) != NULL &&
		     cairn_mapper_features(cairn_run_mapper(run), cairn_run_frontiers(run), &e->doors);
	(void)cairn_scene_on_grid(e->scene, &grid, pose_of(run), known ? &e->doors : NULL);
}

/* ---- the agent, as its stage does ---- */

static void send(struct episode *e, struct cairn_run *run, const char *body, size_t bytes)
{
	double latency_s = 0.0;
	e->o->answer(e->o->ctx, body, bytes, &e->outcome, &latency_s);
	cairn_text_clear(&e->body);
	if (e->outcome.body != NULL)
		cairn_text_bytes(&e->body, e->outcome.body, e->outcome.body_bytes);
	e->outcome.body = e->body.data;
	e->due_ns = cairn_run_now_ns(run) + 1 + (int64_t)(fmax(latency_s, 0.0) * 1e9);
}

static void turn(struct episode *e, struct cairn_run *run, int64_t now_ns)
{
	const char *body;
	size_t bytes;
	struct cairn_msg_decision d;
	if (e->due_ns != 0 && now_ns >= e->due_ns) {
		e->due_ns = 0;
		cairn_agent_answered(e->agent, now_ns, &e->outcome);
	}
	switch (cairn_agent_poll(e->agent, now_ns, &body, &bytes)) {
	case CAIRN_DIALOG_SEND:
		send(e, run, body, bytes);
		break;
	case CAIRN_DIALOG_CANCEL:
		e->due_ns = 0;
		break;
	case CAIRN_DIALOG_NOTHING:
		break;
	}
	while (cairn_agent_take_decision(e->agent, &d))
		cairn_sequencer_on_agent_decision(cairn_run_sequencer(run), &d, EPOCH, now_ns);
}

static void tell(struct episode *e, struct cairn_run *run, int64_t now_ns)
{
	cairn_agent_message(e->agent, now_ns, &e->r->agent);
	cairn_sequencer_on_agent(cairn_run_sequencer(run), &e->r->agent, now_ns);
}

static bool is_due(int64_t *t_ns, int64_t period_ns, int64_t now_ns)
{
	if (now_ns - *t_ns < period_ns)
		return false;
	*t_ns = now_ns;
	return true;
}

static void give_task(struct episode *e, struct cairn_run *run, int64_t now_ns)
{
	struct cairn_msg_reply reply;
	snprintf(e->command.verb, sizeof(e->command.verb), "task");
	snprintf(e->command.arg, sizeof(e->command.arg), "%s", e->o->task);
	cairn_sequencer_on_command(cairn_run_sequencer(run), &e->command, now_ns, &reply);
	e->given = reply.ok;
}

static bool step(void *ctx, struct cairn_run *run)
{
	struct episode *e = ctx;
	int64_t now_ns = cairn_run_now_ns(run);
	uint64_t number;
	cairn_detector_on_pose(&e->detector, cairn_run_pose(run), now_ns);
	if (cairn_detector_due(&e->detector, now_ns, &number))
		look(e, run, number);
	if (is_due(&e->t_grid_ns, GRID_NS, now_ns))
		give_grid(e, run);
	if (is_due(&e->t_scene_ns, SCENE_NS, now_ns)) {
		cairn_scene_message(e->scene, pose_of(run), &e->r->scene);
		cairn_agent_on_scene(e->agent, &e->r->scene);
	}
	if (!e->given && cairn_run_elapsed_s(run) >= TASK_AT_S &&
	    cairn_run_pose(run)->tracking == CAIRN_TRACKING_GOOD)
		give_task(e, run, now_ns);
	if (!is_due(&e->t_turn_ns, TURN_NS, now_ns))
		return true;
	cairn_agent_on_pose(e->agent, cairn_run_pose(run));
	cairn_agent_on_frontiers(e->agent, cairn_run_frontiers(run));
	cairn_agent_on_mission(e->agent, &cairn_run_output(run)->mission, now_ns);
	turn(e, run, now_ns);
	if (is_due(&e->t_tell_ns, TELL_NS, now_ns))
		tell(e, run, now_ns);
	return e->r->agent.task_id == 0 || e->r->agent.state < CAIRN_AGENT_STATE_DONE;
}

static void on_result(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *result)
{
	struct episode *e = ctx;
	cairn_agent_on_result(e->agent, result, cairn_run_now_ns(run));
}

static bool nobody_decides(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view, (void)ret;
	return false;
}

bool cairn_episode_run(
    const struct cairn_episode_options *o, struct cairn_episode_result *ret, struct cairn_error *err)
{
	struct episode *e = calloc(1, sizeof(*e));
	*ret = (struct cairn_episode_result){.shown = calloc((size_t)o->world->thing_count + 1, 1)};
	if (e == NULL || ret->shown == NULL) {
		cairn_error_set(err, "out of memory");
		free(e);
		return false;
	}
	e->o = o;
	e->r = ret;
	struct cairn_run_options options = {.cfg = o->cfg,
	    .world = o->world,
	    .map = o->map,
	    .duration_s = o->limit_s,
	    .decide = nobody_decides,
	    .decide_ctx = e,
	    .on_result = on_result,
	    .observe = step,
	    .observe_ctx = e};
	struct cairn_run *run = cairn_run_new(&options, err);
	e->sim = cairn_sim_detector_new(o->cfg, o->world, (uint64_t)o->cfg->sim.seed);
	e->scene = cairn_scene_new(o->cfg);
	e->agent = cairn_agent_new(o->cfg, o->profile, err);
	cairn_detector_init(&e->detector, o->cfg);
	bool ok = run != NULL && e->sim != NULL && e->scene != NULL && e->agent != NULL;
	if (ok) {
		cairn_sim_detector_props(e->sim, &cairn_sim_state(cairn_run_sim(run))->props);
		cairn_run_all(run);
		cairn_agent_message(e->agent, cairn_run_now_ns(run), &ret->agent);
		cairn_scene_message(e->scene, pose_of(run), &ret->scene);
		ret->seconds = cairn_run_elapsed_s(run);
		ret->path_m = cairn_run_totals(run).odometry_m;
		ret->contacts = cairn_run_totals(run).contacts;
		ret->start = cairn_sim_state(cairn_run_sim(run))->start;
		for (int q = 0; q < CAIRN_AGENT_QUERY_COUNT; q++)
			ret->tokens_in[q] = cairn_agent_tokens_in(e->agent, q);
	} else if (err->text[0] == '\0') {
		cairn_error_set(err, "out of memory");
	}
	cairn_run_destroy(&run);
	cairn_sim_detector_destroy(&e->sim);
	cairn_scene_destroy(&e->scene);
	cairn_agent_destroy(&e->agent);
	cairn_text_free(&e->body);
	free(e->cells);
	free(e);
	return ok;
}
