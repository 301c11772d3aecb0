/* The episodes of `cairn eval safety`: what is said to happen in them does happen. */
#include "common/eval/safety.h"

#include <stdlib.h>
#include <string.h>

#include "test/support/runner.h"

static struct cairn_config cfg;

static struct cairn_safety_options options(double seconds)
{
	cairn_config_defaults(&cfg);
	return (struct cairn_safety_options){.cfg = &cfg, .seed = 3, .seconds = seconds};
}

static void drive(const struct cairn_safety_options *o, uint64_t number, struct cairn_safety_episode *ret)
{
	struct cairn_error err = {""};
	ck_assert_msg(cairn_safety_drive(o, number, ret, &err), "%s", err.text);
}

START_TEST(every_pilot_does_what_it_is_named_after)
{
	struct cairn_safety_options o = options(20.0);
	for (uint64_t pilot = 0; pilot < CAIRN_HOSTILE_COUNT; pilot++) {
		struct cairn_safety_episode e;
		uint64_t number = pilot;
		do { /* a house without room for the robot tells nothing */
			drive(&o, number, &e);
			number += CAIRN_HOSTILE_COUNT;
		} while (e.skipped && number < 80);
		ck_assert_uint_eq(e.pilot, pilot);
		ck_assert_uint_gt(e.tally.decisions, 2);
		if (pilot != CAIRN_HOSTILE_SENSIBLE)
			ck_assert_msg(
			    e.tally.hostile > 2, "%s", cairn_adversary_name((enum cairn_adversary)pilot));
		ck_assert_uint_eq(e.tally.contacts, 0);
	}
}
END_TEST

/* A pane of glass is driven past too rarely for so short a time: that there is one must do here. `cairn eval
 * safety` tells how often it was met. */
static bool met(const struct cairn_safety_report *r, int hazard)
{
	const struct cairn_safety_tally *t = &r->by_hazard[hazard];
	return hazard == CAIRN_HAZARD_GLASS ? t->episodes > 0 : t->met[hazard] > 0;
}

START_TEST(every_hazard_is_met_and_only_where_it_is_said_to_be)
{
	struct cairn_safety_options o = options(60.0);
	struct cairn_safety_report r;
	bool all = false;
	o.seed = 1; /* rare things come early */
	cairn_safety_report_init(&r);
	for (uint64_t i = 0; i < 40 && !all; i++) {
		struct cairn_safety_episode e;
		drive(&o, i, &e);
		cairn_safety_report_add(&r, &e);
		all = true;
		for (int h = 0; h < CAIRN_HAZARD_COUNT; h++) {
			all &= met(&r, h);
			if (!e.has[h] && h != CAIRN_HAZARD_DROPOUTS) /* beams are lost in the distance, too */
				ck_assert_uint_eq(e.tally.met[h], 0);
		}
	}
	uint64_t blocked = 0;
	for (int b = 0; b < CAIRN_BLOCKER_COUNT; b++)
		blocked += r.all.blocked_by[b];
	ck_assert_uint_gt(blocked, 0);
	ck_assert_uint_eq(blocked, r.all.stops[CAIRN_MOTOR_STATE_BLOCKED]); /* each by something */
	for (int h = 0; h < CAIRN_HAZARD_COUNT; h++)
		ck_assert_msg(met(&r, h), "%s", cairn_hazard_name((enum cairn_hazard)h));
}
END_TEST

START_TEST(an_episode_is_the_same_again_and_depends_on_its_seed)
{
	struct cairn_safety_options o = options(30.0);
	struct cairn_safety_episode a, b, c;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	drive(&o, 1, &a);
	drive(&o, 1, &b);
	o.seed = 4;
	drive(&o, 1, &c);
	ck_assert_int_eq(memcmp(&a.tally, &b.tally, sizeof(a.tally)), 0);
	ck_assert_int_ne(memcmp(&a.tally, &c.tally, sizeof(a.tally)), 0);
}
END_TEST

START_TEST(with_both_layers_off_contacts_are_found)
{
	struct cairn_safety_options o = options(120.0);
	o.without_sequencer = o.without_motor = true;
	uint64_t contacts = 0;
	for (uint64_t i = 0; i < 40 && contacts == 0; i++) {
		struct cairn_safety_episode e;
		drive(&o, i, &e);
		contacts += e.tally.contacts;
		ck_assert_int_eq(e.kept_count > 0, e.tally.contacts > 0);
	}
	ck_assert_uint_gt(contacts, 0);
}
END_TEST

START_TEST(a_report_tells_an_episode_under_its_pilot_and_its_hazards)
{
	struct cairn_safety_report r;
	struct cairn_safety_episode e = {.pilot = CAIRN_HOSTILE_FLIP,
					.has[CAIRN_HAZARD_GLASS] = true,
					.tally = {.episodes = 1,
					    .contacts = 2,
					    .clearance_min_m = 0.25,
					    .seconds = 600.0}},
				    skipped = {.skipped = true, .tally.contacts = 7};
	cairn_safety_report_init(&r);
	cairn_safety_report_add(&r, &e);
	cairn_safety_report_add(&r, &skipped);
	ck_assert_uint_eq(r.skipped, 1);
	ck_assert_uint_eq(r.all.contacts, 2);
	ck_assert_uint_eq(r.by_pilot[CAIRN_HOSTILE_FLIP].contacts, 2);
	ck_assert_uint_eq(r.by_pilot[CAIRN_HOSTILE_RANDOM].episodes, 0);
	ck_assert_uint_eq(r.by_hazard[CAIRN_HAZARD_GLASS].episodes, 1);
	ck_assert_uint_eq(r.by_hazard[CAIRN_HAZARD_PEOPLE].episodes, 0);
	ck_assert_double_eq(r.all.clearance_min_m, 0.25);
}
END_TEST

/* What passes, with nothing to spare. */
static struct cairn_safety_report just_good(struct cairn_safety_cost *ret_cost)
{
	struct cairn_safety_report r;
	cairn_safety_report_init(&r);
	r.all = (struct cairn_safety_tally){
	    .episodes = 19, .seconds = 1000.0, .driven_m = 10.1, .clearance_min_m = 0.001};
	r.skipped = 1;
	*ret_cost = (struct cairn_safety_cost){
	    .goals = 50, .legs = 49, .missed = 1, .chain_s = 109.9, .follower_s = 100.0};
	return r;
}

START_TEST(a_run_passes_only_when_it_moved_arrived_and_touched_nothing)
{
	struct cairn_safety_cost cost;
	struct cairn_safety_report r = just_good(&cost);
	struct cairn_safety_verdict v = cairn_safety_judge(&r, &cost);
	ck_assert(cairn_safety_passed(&v));

	r.all.contacts = 1;
	v = cairn_safety_judge(&r, &cost);
	ck_assert(!v.untouched && !cairn_safety_passed(&v));
	r = just_good(&cost);
	cost.contacts = 1;
	v = cairn_safety_judge(&r, &cost);
	ck_assert(!v.untouched && !cairn_safety_passed(&v));
	r = just_good(&cost);
	r.all.clearance_min_m = 0.0;
	v = cairn_safety_judge(&r, &cost);
	ck_assert_msg(!v.untouched && !cairn_safety_passed(&v), "it drove in something");
	r = just_good(&cost);
	r.all.driven_m = 9.9;
	v = cairn_safety_judge(&r, &cost);
	ck_assert(!v.moved && !cairn_safety_passed(&v));
	r = just_good(&cost);
	r.skipped = 2;
	v = cairn_safety_judge(&r, &cost);
	ck_assert(!v.housed && !cairn_safety_passed(&v));
	cairn_safety_report_init(&r);
	v = cairn_safety_judge(&r, NULL);
	ck_assert_msg(!cairn_safety_passed(&v), "nothing was driven");
}
END_TEST

START_TEST(goals_that_are_never_reached_fail_a_run_that_lost_no_time)
{
	struct cairn_safety_cost cost,
	    house = {.goals = 5, .legs = 4, .missed = 1, .chain_s = 8, .follower_s = 8};
	struct cairn_safety_report r = just_good(&cost);
	cost.chain_s = 111.0;
	struct cairn_safety_verdict v = cairn_safety_judge(&r, &cost);
	ck_assert(!v.quick && v.arrived && !cairn_safety_passed(&v));

	r = just_good(&cost);
	cairn_safety_cost_add(&cost, &house); /* 2 of 55 */
	ck_assert_double_eq_tol(cairn_safety_cost_missed_share(&cost), 2.0 / 55.0, 1e-12);
	v = cairn_safety_judge(&r, &cost);
	ck_assert(v.quick && !v.arrived && !cairn_safety_passed(&v));

	cost = (struct cairn_safety_cost){0};
	v = cairn_safety_judge(&r, &cost);
	ck_assert_msg(!v.quick && !v.arrived, "asked, and no house had a goal");
	v = cairn_safety_judge(&r, NULL);
	ck_assert_msg(cairn_safety_passed(&v), "not asked of one layer alone");
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("eval-safety", 600.0, every_pilot_does_what_it_is_named_after,
    every_hazard_is_met_and_only_where_it_is_said_to_be, an_episode_is_the_same_again_and_depends_on_its_seed,
    with_both_layers_off_contacts_are_found, a_report_tells_an_episode_under_its_pilot_and_its_hazards,
    a_run_passes_only_when_it_moved_arrived_and_touched_nothing,
    goals_that_are_never_reached_fail_a_run_that_lost_no_time)
