#include "common/eval/local_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/local/local.h"
#include "common/scene/scene.h"
#include "common/sim/detector/detect.h"

#define WIDTH_PX 160
#define HEIGHT_PX 120
#define SHOWN_MAX 512
#define BEGAN_S 1.0 /* the graph's clock: 0 is no time there */

struct cairn_local_rig {
	const struct cairn_config *cfg;
	const struct cairn_world *world;
	bool scores, props;
	struct cairn_renderer *renderer;
	struct cairn_sim_detector *sim,
	    *witness; /* the witness looks for the count alone: chance of its own */
	struct cairn_detector detector;
	struct cairn_scene *scene;
	struct cairn_local core;
	uint8_t rgb[WIDTH_PX * HEIGHT_PX * 3];
	uint16_t depth_mm[WIDTH_PX * HEIGHT_PX];
	int64_t due_ns;
	uint64_t calls;
	bool *thing_shown, *room_asked; /* of the world's */
	struct cairn_local_rig_totals totals;
	double novelty_sum;
	struct cairn_detected_list list;
	struct cairn_msg_detections seen;
	struct cairn_msg_scene graph;
	struct cairn_msg_local message;
};

struct cairn_local_rig *cairn_local_rig_new(
    const struct cairn_config *cfg, const struct cairn_world *world, bool scores)
{
	struct cairn_camera lens = cairn_camera_of(cfg, WIDTH_PX, HEIGHT_PX);
	struct cairn_local_rig *rig = calloc(1, sizeof(*rig));
	if (rig == NULL)
		return NULL;
	rig->cfg = cfg;
	rig->world = world;
	rig->scores = scores;
	rig->thing_shown = calloc((size_t)world->thing_count + 1, sizeof(bool));
	rig->room_asked = calloc((size_t)world->room_count + 1, sizeof(bool));
	rig->witness = cairn_sim_detector_new(cfg, world, (uint64_t)cfg->sim.seed + 1000);
	bool ok = rig->thing_shown != NULL && rig->room_asked != NULL && rig->witness != NULL;
	if (scores && ok) {
		rig->renderer = cairn_renderer_new(world, &lens);
		rig->sim = cairn_sim_detector_new(cfg, world, (uint64_t)cfg->sim.seed);
		rig->scene = cairn_scene_new(cfg);
		cairn_detector_init(&rig->detector, cfg);
		ok = cairn_local_init(&rig->core, cfg) && rig->renderer != NULL && rig->sim != NULL &&
		     rig->scene != NULL;
	}
	if (!ok)
		cairn_local_rig_destroy(&rig);
	return rig;
}

void cairn_local_rig_destroy(struct cairn_local_rig **rig_p)
{
	struct cairn_local_rig *rig = *rig_p;
	*rig_p = NULL;
	if (rig == NULL)
		return;
	cairn_renderer_destroy(&rig->renderer);
	cairn_sim_detector_destroy(&rig->sim);
	cairn_sim_detector_destroy(&rig->witness);
	cairn_scene_destroy(&rig->scene);
	cairn_local_free(&rig->core);
	free(rig->thing_shown);
	free(rig->room_asked);
	free(rig);
}

static size_t people(const struct cairn_local_rig *rig, struct cairn_run *run, struct cairn_figure *figures)
{
	struct cairn_disc discs[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = cairn_sim_people(cairn_run_sim(run), discs);
	for (size_t i = 0; i < n; i++)
		figures[i] = (struct cairn_figure){discs[i], rig->world->people[i].paint};
	return n;
}

/* ---- the stages detector, scene and local ---- */

static void look(struct cairn_local_rig *rig, struct cairn_run *run, int64_t now_ns)
{
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_error err;
	uint64_t number;
	cairn_detector_on_pose(&rig->detector, cairn_run_pose(run), now_ns);
	if (!cairn_detector_due(&rig->detector, now_ns, &number))
		return;
	size_t n = people(rig, run, figures);
	cairn_sim_detector_look(rig->sim, cairn_run_truth(run)->body.pose, figures, n, &rig->list);
	rig->list.look = number;
	rig->list.t_ns = now_ns;
	if (!cairn_detector_answer(&rig->detector, &rig->list, now_ns, &rig->seen, &err))
		return;
	cairn_scene_see(rig->scene, &rig->seen, cairn_run_elapsed_s(run) + BEGAN_S);
	cairn_local_detections(&rig->core, &rig->seen, now_ns);
}

static void score(struct cairn_local_rig *rig, struct cairn_run *run, int64_t now_ns)
{
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	const struct cairn_msg_pose *pose = cairn_run_pose(run);
	size_t n = people(rig, run, figures);
	cairn_renderer_draw(
	    rig->renderer, cairn_run_truth(run)->body.pose, figures, n, rig->rgb, rig->depth_mm);
	cairn_scene_message(
	    rig->scene, (struct cairn_pose2){pose->x_m, pose->y_m, pose->yaw_rad}, &rig->graph);
	(void)cairn_local_pose(&rig->core, pose);
	cairn_local_scene(&rig->core, &rig->graph);
	if (!cairn_local_picture(&rig->core, rig->rgb, WIDTH_PX, HEIGHT_PX, (size_t)3 * WIDTH_PX, now_ns))
		return;
	cairn_local_message(&rig->core, now_ns, &rig->message);
	cairn_run_local(run, &rig->message);
	double novelty = rig->message.novelty;
	rig->totals.pictures++;
	rig->novelty_sum += novelty;
	rig->totals.bands[novelty < 0.2 ? 0 : novelty < 0.5 ? 1 : novelty < 0.8 ? 2 : 3]++;
}

/* ---- what questions show ---- */

static void asked(struct cairn_local_rig *rig, struct cairn_run *run)
{
	struct cairn_figure figures[CAIRN_WORLD_PEOPLE_MAX];
	uint32_t shown[SHOWN_MAX];
	struct cairn_pose2 at = cairn_run_truth(run)->body.pose;
	size_t n = people(rig, run, figures);
	cairn_sim_detector_look(rig->witness, at, figures, n, &rig->list);
	uint32_t count =
	    cairn_sim_detector_shown(rig->witness, rig->cfg->detect.sim_visible_min, shown, SHOWN_MAX);
	for (uint32_t i = 0; i < count; i++) {
		rig->totals.things += !rig->thing_shown[shown[i]];
		rig->thing_shown[shown[i]] = true;
	}
	const struct cairn_room *room = cairn_world_room_at(rig->world, at.x_m, at.y_m);
	if (room != NULL && !rig->room_asked[room - rig->world->rooms]) {
		rig->room_asked[room - rig->world->rooms] = true;
		rig->totals.rooms++;
	}
}

void cairn_local_rig_step(struct cairn_local_rig *rig, struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	uint64_t calls = cairn_run_totals(run).calls;
	if (!rig->props) {
		const struct cairn_props *props = &cairn_sim_state(cairn_run_sim(run))->props;
		cairn_sim_detector_props(rig->witness, props);
		if (rig->scores) {
			cairn_sim_detector_props(rig->sim, props);
			cairn_renderer_props(rig->renderer, props);
		}
		rig->props = true;
	}
	if (calls != rig->calls)
		asked(rig, run);
	rig->calls = calls;
	if (!rig->scores || now_ns < rig->due_ns)
		return;
	rig->due_ns = now_ns + (int64_t)(1e9 / rig->cfg->local.rate_hz);
	look(rig, run, now_ns);
	score(rig, run, now_ns);
}

struct cairn_local_rig_totals cairn_local_rig_totals(const struct cairn_local_rig *rig)
{
	struct cairn_local_rig_totals t = rig->totals;
	t.novelty_mean = t.pictures > 0 ? rig->novelty_sum / t.pictures : 0.0;
	return t;
}
