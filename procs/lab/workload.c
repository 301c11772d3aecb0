#include "procs/lab/workload.h"

#include <math.h>
#include <stdio.h>

#include "common/base/geom.h"

#define APART_M 1.0 /* places are this far from each other */
#define FAR_M 2.0   /* the next one is at least this far away, if there is one */
#define PAUSE_NS (2 * CAIRN_NS_PER_S)
#define ANSWER_MS 1000
#define TRIES 8

void workload_init(struct patrol *p, uint64_t seed)
{
	*p = (struct patrol){.place_count = 0};
	cairn_rng_seed(&p->rng, seed, 1);
}

static void remember_place(struct patrol *p, const struct cairn_msg_pose *pose)
{
	if (p->place_count == PATROL_PLACES_MAX || pose->tracking != CAIRN_TRACKING_GOOD)
		return;
	for (int i = 0; i < p->place_count; i++) {
		if (hypot(p->places[i].x_m - pose->x_m, p->places[i].y_m - pose->y_m) < APART_M)
			return;
	}
	p->places[p->place_count].x_m = pose->x_m;
	p->places[p->place_count++].y_m = pose->y_m;
}

static void give_order(struct patrol *p, const struct up_run *run)
{
	struct cairn_msg_command cmd = {.who = "patrol"};
	struct cairn_msg_reply reply;
	struct cairn_error err = {""};
	int to = 0;
	for (int i = 0; i < TRIES; i++) {
		to = (int)(cairn_rng_u32(&p->rng) % (uint32_t)p->place_count);
		if (hypot(p->places[to].x_m - run->pose.x_m, p->places[to].y_m - run->pose.y_m) >= FAR_M)
			break;
	}
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", p->explore_next ? "explore" : "goto");
	cmd.x_m = p->places[to].x_m;
	cmd.y_m = p->places[to].y_m;
	if (cairn_ask(run->run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, ANSWER_MS, &err) != 0 || !reply.ok)
		return; /* asked again after the pause */
	p->explore_next = !p->explore_next;
	p->legs++;
}

void workload_tend(struct patrol *p, const struct up_run *run, int64_t now_ns)
{
	if (run->have_pose)
		remember_place(p, &run->pose);
	bool idle = run->have_mission && (run->mission.state == CAIRN_MISSION_STATE_FINISHED ||
					     run->mission.state == CAIRN_MISSION_STATE_IDLE);
	if (!idle || p->place_count == 0 || now_ns < p->due_ns)
		return;
	p->due_ns = now_ns + PAUSE_NS;
	give_order(p, run);
}
