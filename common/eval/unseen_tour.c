#include "common/eval/unseen_tour.h"

#include <math.h>
#include <stdio.h>

#include "common/agent/world_view.h"

#define EPOCH 1
#define LISTED 8
#define LOOKS_MAX 200
#define THERE_M 0.2   /* of a place to look from: turning is enough */
#define TURNING_M 1.0 /* what turning on the spot counts as: metres driven */
#define PICTURES 2    /* at each place: a thing is believed when two have shown it */
#define LOOK_MAX_S 5.0
#define TELL_NS (500 * CAIRN_NS_PER_MS)

bool cairn_unseen_tour_init(struct cairn_unseen_tour *t, const struct cairn_config *cfg)
{
	*t = (struct cairn_unseen_tour){
	    .coverage = cairn_coverage_new(), .camera_yaw_rad = cfg->robot.camera_yaw_rad};
	return t->coverage != NULL;
}

void cairn_unseen_tour_free(struct cairn_unseen_tour *t)
{
	cairn_coverage_free(&t->coverage);
}

void cairn_unseen_tour_on_picture(struct cairn_unseen_tour *t, const struct cairn_msg_detections *seen)
{
	cairn_coverage_map(t->coverage, seen->map_id);
	cairn_coverage_on_picture(t->coverage, seen);
	t->pictures++;
}

void cairn_unseen_tour_on_grid(struct cairn_unseen_tour *t, const struct cairn_scene_grid *grid)
{
	cairn_coverage_on_grid(t->coverage, grid);
}

static void send(struct cairn_unseen_tour *t, struct cairn_run *run, const struct cairn_msg_decision *what)
{
	struct cairn_msg_decision d = *what;
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	d.source = CAIRN_SOURCE_AGENT;
	d.id = t->decision_id = (uint64_t)(cairn_run_now_ns(run) / 1000);
	d.t_snapshot_ns = cairn_run_now_ns(run);
	d.snapshot_x_m = p->x_m;
	d.snapshot_y_m = p->y_m;
	d.snapshot_yaw_rad = p->yaw_rad;
	snprintf(d.reasoning, sizeof(d.reasoning), "to look at floor that no picture has shown");
	cairn_sequencer_on_agent_decision(cairn_run_sequencer(run), &d, EPOCH, d.t_snapshot_ns);
}

static void send_turn(struct cairn_unseen_tour *t, struct cairn_run *run)
{
	double yaw = cairn_wrap_rad(t->to.stand.yaw_rad - t->camera_yaw_rad);
	t->turns = true;
	send(t, run,
	    &(struct cairn_msg_decision){
		.tool = CAIRN_TOOL_ROTATE, .absolute = true, .angle_deg = cairn_agent_heading_deg(yaw)});
}

static void send_way(struct cairn_unseen_tour *t, struct cairn_run *run)
{
	t->turns = false;
	send(t, run,
	    &(struct cairn_msg_decision){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		.goal_kind = CAIRN_GOAL_KIND_COORDINATES,
		.x_m = t->to.stand.x_m,
		.y_m = t->to.stand.y_m});
}

static void tried(struct cairn_unseen_tour *t, bool seen)
{
	cairn_coverage_tried(t->coverage, &t->to, seen);
	t->looks += seen;
	t->failed += !seen;
	t->t_stands_ns = 0;
}

void cairn_unseen_tour_on_result(
    struct cairn_unseen_tour *t, const struct cairn_msg_result *r, int64_t now_ns)
{
	bool ok = r->outcome == CAIRN_OUTCOME_SUCCESS || r->outcome == CAIRN_OUTCOME_PARTIAL;
	if (t->decision_id == 0 || r->decision_id != t->decision_id || r->source != CAIRN_SOURCE_AGENT)
		return;
	t->decision_id = 0;
	if (!ok)
		tried(t, false);
	else
		t->t_stands_ns = now_ns;
	t->pictures = 0;
}

/* The view that shows most for the way to it. */
static bool choose(struct cairn_unseen_tour *t, struct cairn_pose2 robot)
{
	struct cairn_unseen list[LISTED];
	uint32_t closed, n = cairn_coverage_unseen(t->coverage, robot, list, LISTED, &closed);
	double best = 0.0;
	for (uint32_t i = 0; i < n; i++) {
		double score = list[i].area_m2 / (TURNING_M + list[i].distance_m);
		if (score > best) {
			best = score;
			t->to = list[i];
		}
	}
	return best > 0.0;
}

/* The robot takes it as a task of its agent, who has to be heard. */
static bool tell(struct cairn_unseen_tour *t, struct cairn_run *run, int64_t now_ns)
{
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	if (!t->begun) {
		struct cairn_msg_command c = {.verb = "task", .arg = "look at what no picture has shown"};
		struct cairn_msg_reply reply;
		cairn_sequencer_on_command(cairn_run_sequencer(run), &c, now_ns, &reply);
		t->begun = reply.ok;
		t->t_told_ns = now_ns;
		return reply.ok;
	}
	if (now_ns - t->t_told_ns < TELL_NS)
		return true;
	struct cairn_msg_agent a = {.task_id = m->task_id, .state = CAIRN_AGENT_STATE_ACTING};
	cairn_sequencer_on_agent(cairn_run_sequencer(run), &a, now_ns);
	t->t_told_ns = now_ns;
	return m->state == CAIRN_MISSION_STATE_TASK;
}

bool cairn_unseen_tour_step(struct cairn_unseen_tour *t, struct cairn_run *run)
{
	int64_t now_ns = cairn_run_now_ns(run);
	const struct cairn_msg_pose *p = cairn_run_pose(run);
	struct cairn_pose2 robot = {p->x_m, p->y_m, p->yaw_rad};
	if (t->over || !tell(t, run, now_ns)) {
		t->over = true;
		return false;
	}
	if (t->decision_id != 0 || cairn_run_output(run)->mission.state != CAIRN_MISSION_STATE_TASK)
		return true;
	if (t->t_stands_ns != 0 && !t->turns) {
		send_turn(t, run);
		return true;
	}
	if (t->t_stands_ns != 0) {
		double waited_s = (double)(now_ns - t->t_stands_ns) * 1e-9;
		if (t->pictures < PICTURES && waited_s < LOOK_MAX_S)
			return true;
		tried(t, true);
	}
	t->over = t->looks + t->failed >= LOOKS_MAX || !choose(t, robot);
	if (t->over)
		return false;
	if (hypot(t->to.stand.x_m - robot.x_m, t->to.stand.y_m - robot.y_m) > THERE_M)
		send_way(t, run);
	else
		send_turn(t, run);
	return true;
}
