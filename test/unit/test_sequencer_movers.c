/* The sequencer beside what moves by itself, without a motor stage behind it. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

#define PERSON_HALF_M 0.15
#define PERSON_MPS 1.0
#define PERSON_STOPS_M 0.02 /* short of the robot: a touch is the robot's own */
#define SIDES 4
#define LATE_SCANS 1 /* of 100 ms */

struct person {
	double x_m, y_m, heading_rad;
	int waits; /* steps that he stands for still */
	bool met;  /* has been kept from walking on by the robot */
};

static void place(struct rig *r, const struct person *p)
{
	struct rig_segment *s = &r->segments[r->segment_count - SIDES];
	double x0 = p->x_m - PERSON_HALF_M, x1 = p->x_m + PERSON_HALF_M;
	double y0 = p->y_m - PERSON_HALF_M, y1 = p->y_m + PERSON_HALF_M;
	s[0] = (struct rig_segment){x0, y0, x1, y0};
	s[1] = (struct rig_segment){x1, y0, x1, y1};
	s[2] = (struct rig_segment){x1, y1, x0, y1};
	s[3] = (struct rig_segment){x0, y1, x0, y0};
}

/* A hall with something left to explore, and room for him among its walls. */
static struct rig *hall(uint64_t seed)
{
	struct rig *r = rig_new(seed);
	rig_box(r, -8.0, -8.0, 8.0, 8.0);
	r->segment_count += SIDES;
	rig_frontier(r, 1, 7.0, 7.0, 1.0);
	return r;
}

/* Some way off, walking to where the robot will be if it goes on. */
static void comes_anew(struct rig *r, struct person *p)
{
	double from_rad = 2.0 * M_PI * cairn_rng_uniform(&r->rng),
	       off_m = 1.2 + 0.8 * cairn_rng_uniform(&r->rng);
	struct cairn_pose2 then =
	    cairn_pose_advance(r->pose, (struct cairn_twist){r->v_mps, 0.0}, off_m / PERSON_MPS);
	*p = (struct person){
	    r->pose.x_m + off_m * cos(from_rad), r->pose.y_m + off_m * sin(from_rad), 0.0, 0, false};
	p->heading_rad = atan2(then.y_m - p->y_m, then.x_m - p->x_m);
	place(r, p);
}

static bool too_near(struct rig *r)
{
	struct cairn_config_robot was = r->cfg.robot;
	r->cfg.robot.footprint_front_m += PERSON_STOPS_M;
	r->cfg.robot.footprint_rear_m += PERSON_STOPS_M;
	r->cfg.robot.footprint_half_width_m += PERSON_STOPS_M;
	bool near = rig_touches(r);
	r->cfg.robot = was;
	return near;
}

/* He walks on for 50 ms; true when the robot was in his way. */
static bool walk(struct rig *r, struct person *p)
{
	struct person next = *p;
	next.x_m += 0.05 * PERSON_MPS * cos(p->heading_rad);
	next.y_m += 0.05 * PERSON_MPS * sin(p->heading_rad);
	place(r, &next);
	bool kept = too_near(r);
	if (kept)
		place(r, p);
	else
		*p = next;
	return kept;
}

/* A scan every 100 ms, which arrives when LATE_SCANS more have been made. */
static void late_scan(struct rig *r, struct cairn_msg_scan *waiting)
{
	if (r->steps % 2 != 0)
		return;
	uint64_t slot = r->steps / 2 % LATE_SCANS;
	if (r->steps > 2 * LATE_SCANS)
		cairn_sequencer_on_scan(r->seq, &waiting[slot], r->now_ns - LATE_SCANS * 2 * RIG_STEP_NS);
	rig_look(r);
	waiting[slot] = r->scan;
}

/* Always forward or backward at full speed, in a hall, people walking into the way. Contacts; *ret_met: how
 * many people it met, *ret_path_m how far it came. */
static uint32_t among_people(uint64_t seed, double person_mps, uint32_t *ret_met, double *ret_path_m)
{
	struct rig *r = hall(seed);
	struct person p;
	static struct cairn_msg_scan waiting[LATE_SCANS];
	r->scan_off = true;
	r->cfg.safety.person_mps = person_mps;
	comes_anew(r, &p);
	rig_start(r);
	*ret_met = 0;
	for (int i = 0; i < 4 * 60 * 20; i++) {
		bool kept = walk(r, &p);
		*ret_met += kept && !p.met;
		p.met |= kept;
		p.waits += kept;
		if (p.waits > 20 || hypot(p.x_m - r->pose.x_m, p.y_m - r->pose.y_m) > 3.0)
			comes_anew(r, &p);
		late_scan(r, waiting);
		rig_step(r);
		if (r->out.mission.wants_decision)
			rig_move(r,
			    r->next_decision_id % 4 == 0 ? CAIRN_DIRECTION_BACKWARD : CAIRN_DIRECTION_FORWARD,
			    CAIRN_SPEED_FAST, 3.0);
	}
	uint32_t contacts = r->contacts;
	*ret_path_m = r->path_m;
	rig_free(r);
	return contacts;
}

START_TEST(nobody_who_walks_into_its_way_is_touched_without_a_motor_stage)
{
	uint32_t met, met_in_all = 0, touched_if_blind = 0;
	double path_m;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		ck_assert_uint_eq(among_people(seed, PERSON_MPS, &met, &path_m), 0);
		ck_assert_double_gt(path_m, 10.0);
		met_in_all += met;
		touched_if_blind += among_people(seed, 0.0, &met, &path_m);
	}
	ck_assert_uint_gt(met_in_all, 100);
	ck_assert_uint_gt(touched_if_blind, 0); /* so that the above means something */
}
END_TEST

START_TEST(a_person_who_holds_it_back_is_named_as_the_cause)
{
	struct rig *r = hall(1);
	struct person p = {1.0, 0.9, -0.5 * M_PI, 0, false};
	place(r, &p);
	rig_start(r);
	rig_run(r, 1.0);
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_FAST, 8.0);
	for (int i = 0; i < 200 && r->last_model_result.decision_id == 0; i++) { /* up and down beside its way */
		if (p.y_m < 0.5 || p.y_m > 1.0)
			p.heading_rad = copysign(0.5 * M_PI, 0.75 - p.y_m);
		(void)walk(r, &p);
		rig_step(r);
	}
	ck_assert_msg(strstr(r->last_model_result.reason, "something moves") != NULL, "%s",
	    r->last_model_result.reason);
	ck_assert(r->last_model_result.overridden);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer-movers", nobody_who_walks_into_its_way_is_touched_without_a_motor_stage,
    a_person_who_holds_it_back_is_named_as_the_cause)
