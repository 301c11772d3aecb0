/* What moves by itself: who is one, and how fast the robot may be beside it. */
#include "test/support/motor_rig.h"

#define PERSON_RADIUS_M 0.15

static struct cairn_rng rng;

/* A round thing in the scan that look() has made from pose. */
static void cut_disc(struct cairn_vec2 at, double radius_m, struct cairn_pose2 pose)
{
	struct cairn_vec2 eye =
	    cairn_pose_apply(pose, (struct cairn_vec2){cfg.robot.lidar_x_m, cfg.robot.lidar_y_m});
	double dx = at.x_m - eye.x_m, dy = at.y_m - eye.y_m;
	for (uint32_t i = 0; i < scan.range_m_count; i++) {
		double a = (double)scan.angle_rad[i] + pose.yaw_rad, along = dx * cos(a) + dy * sin(a);
		double off = dx * sin(a) - dy * cos(a), half2 = radius_m * radius_m - off * off;
		if (along > 0.0 && half2 > 0.0)
			scan.range_m[i] = fminf(scan.range_m[i], (float)(along - sqrt(half2)));
	}
}

static void spoil(double noise_m, double dropout)
{
	for (uint32_t i = 0; i < scan.range_m_count; i++) {
		scan.range_m[i] += (float)(noise_m * cairn_rng_normal(&rng));
		if (cairn_rng_uniform(&rng) < dropout)
			scan.range_m[i] = 0.0f;
	}
}

static struct cairn_dynamic_obstacles_limit limit(bool forward)
{
	return cairn_dynamic_obstacles_limit(&motor.monitor.movers, motor.pose, 0.0, forward, now);
}

/* The robot stands at the start, a person walks; a turn every 0.1 s. */
static void watch(struct cairn_vec2 *person, struct cairn_vec2 velocity, int turns)
{
	for (int i = 0; i < turns; i++) {
		now += 100 * MS;
		person->x_m += 0.1 * velocity.x_m;
		person->y_m += 0.1 * velocity.y_m;
		look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
		cut_disc(*person, PERSON_RADIUS_M, (struct cairn_pose2){0});
		ck_assert(send_scan());
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		cairn_motor_step(&motor, now);
	}
}

START_TEST(a_person_who_walks_is_a_mover_until_half_a_second_after_he_stands)
{
	fresh_motor(false);
	struct cairn_vec2 person = {1.6, 0.3};
	watch(&person, (struct cairn_vec2){0.0, 0.0}, 10);
	ck_assert(isinf(limit(true).limit_mps));
	watch(&person, (struct cairn_vec2){-0.5, 0.0}, 3);
	ck_assert(isfinite(limit(true).limit_mps));
	ck_assert_double_eq_tol(limit(true).bearing_rad, atan2(person.y_m, person.x_m), 0.2);
	watch(&person, (struct cairn_vec2){0.0, 0.0}, 6);
	ck_assert(isinf(limit(true).limit_mps));
	watch(&person, (struct cairn_vec2){0.0, -0.4}, 3); /* across the way */
	ck_assert(isfinite(limit(true).limit_mps));
}
END_TEST

/* By hand, for 1.0 m/s, 1.2 m/s2 and 0.08 s: v = 0.3 with the person coming from ahead, 0.1 s after the turn
 * began, needs 0.3 * 0.08 + 0.09 / 2.4 + (0.1 + 0.08 + 0.25) + 0.03 = 0.5215 m. Driving away from him only
 * the latter part counts: 0.46 m. */
START_TEST(the_speed_is_that_which_stops_before_he_could_be_there)
{
	fresh_motor(false);
	struct cairn_dynamic_obstacles *m = &motor.monitor.movers;
	m->points = 1;
	m->t_ns = now - 100 * MS;
	m->y_m[0] = 0.0f;
	m->x_m[0] = (float)(cfg.robot.footprint_front_m + 0.5215);
	ck_assert_double_eq_tol(limit(true).limit_mps, 0.3, 1e-4);
	m->x_m[0] = (float)(cfg.robot.footprint_front_m + 0.46);
	ck_assert_double_eq_tol(limit(false).limit_mps, 0.3, 1e-4);
	now += 50 * MS; /* an older turn allows less */
	ck_assert_double_lt(limit(false).limit_mps, 0.3);
	m->x_m[0] = (float)(cfg.robot.footprint_front_m + 0.1);
	ck_assert_double_eq(limit(true).limit_mps, 0.0);
	m->points = 0;
	ck_assert(isinf(limit(true).limit_mps));
}
END_TEST

START_TEST(what_stands_is_none_however_the_robot_drives_past_it)
{
	const struct box room = {2.5, 1.5, 1.2, 1.0};
	uint32_t seen = 0, turns = 0;
	cairn_rng_seed(&rng, 3, 1);
	for (int run_no = 0; run_no < 20; run_no++) {
		fresh_motor(false);
		struct cairn_pose2 pose = {-0.8, 0.4 * cairn_rng_uniform(&rng), 0.0};
		double k = 2.0 * cairn_rng_uniform(&rng) - 1.0;
		struct cairn_vec2 leg = {0.9, 0.7 * cairn_rng_uniform(&rng)};
		for (int t = 0; t < 2500; t += 20) {
			struct cairn_twist moving = {0.45, 0.45 * k};
			now += 20 * MS;
			pose = cairn_pose_advance(pose, moving, 0.02);
			/* The wheels slip: they tell a tenth more than is driven. */
			cairn_motor_measured(&motor, (struct cairn_twist){0.495, 0.45 * k}, now);
			if (t % 100 == 0) {
				look(&room, pose, moving);
				cut_disc(leg, 0.03, pose);
				spoil(0.015, 0.3);
				ck_assert(send_scan());
				turns++;
				seen += motor.monitor.movers.points > 0;
			}
			cairn_motor_step(&motor, now);
		}
	}
	ck_assert_uint_gt(turns, 400);
	ck_assert_msg(seen * 100 <= turns, "%u of %u turns", seen, turns);
}
END_TEST

/* A robot that backs at full speed, scans that come 0.2 s late, and a person who walks across its way and
 * stops 2 cm short of it: from many places, at many speeds. */
struct pass {
	struct cairn_pose2 pose;
	struct cairn_vec2 person, velocity;
	double v_mps;
	struct cairn_msg_scan late[3];
	int64_t late_ns[3];
	bool touched;
};

static double gap_of(const struct pass *p)
{
	struct cairn_vec2 at = cairn_pose_apply(cairn_pose_inverse(p->pose), p->person);
	const struct cairn_footprint *f = &params.monitor.body;
	double dx = fmax(fmax(at.x_m - f->front_m, -f->rear_m - at.x_m), 0.0);
	double dy = fmax(fabs(at.y_m) - f->half_width_m, 0.0);
	return hypot(dx, dy) - PERSON_RADIUS_M;
}

static void walk(struct pass *p)
{
	struct cairn_vec2 was = p->person;
	double gap_was = gap_of(p);
	p->person.x_m += 0.01 * p->velocity.x_m;
	p->person.y_m += 0.01 * p->velocity.y_m;
	if (gap_of(p) < 0.02 && gap_of(p) < gap_was)
		p->person = was;
}

static void pass_step(struct pass *p, int t_ms, double want_mps, struct cairn_twist *out)
{
	now += 10 * MS;
	walk(p);
	p->v_mps += (out->v_mps - p->v_mps) * (0.01 / 0.06);
	struct cairn_pose2 was = p->pose;
	p->pose = cairn_pose_advance(p->pose, (struct cairn_twist){p->v_mps, 0.0}, 0.01);
	if (gap_of(p) <= 0.0) {
		p->touched = true;
		p->pose = was;
	}
	if (t_ms % 40 == 0)
		cairn_motor_measured(&motor, (struct cairn_twist){p->v_mps, 0.0}, now);
	if (t_ms % 100 == 0) {
		look(&hall, p->pose, (struct cairn_twist){p->v_mps, 0.0});
		cut_disc(p->person, PERSON_RADIUS_M, p->pose);
		int slot = t_ms / 100 % 3;
		struct cairn_header h = header(scan_epoch, ++scan_seq, p->late_ns[(slot + 1) % 3]);
		p->late[slot] = scan;
		p->late_ns[slot] = now;
		if (h.t_ns != 0)
			(void)cairn_motor_scan(&motor, &h, &p->late[(slot + 1) % 3], now);
	}
	if (t_ms % 50 == 0)
		command(want_mps, 0.0);
	if (t_ms % 20 == 0)
		*out = cairn_motor_step(&motor, now);
}

START_TEST(who_steps_before_a_fast_robot_is_not_touched_though_scans_are_late)
{
	double farthest_m = 0.0;
	cairn_rng_seed(&rng, 5, 1);
	for (int i = 0; i < 60; i++) {
		static struct pass p;
		struct cairn_twist out = {0};
		double want = i % 2 == 0 ? -0.5 : 0.5, side = i % 4 < 2 ? 1.0 : -1.0;
		double walks = 0.4 + 0.6 * cairn_rng_uniform(&rng), slant = cairn_rng_uniform(&rng) - 0.5;
		fresh_motor(false);
		p = (struct pass){.velocity = {walks * sin(slant), -side * walks * cos(slant)}};
		/* Where both would meet, were the robot not to look. */
		double meet_s = 2.0 + 2.0 * cairn_rng_uniform(&rng);
		p.person.x_m = want * (meet_s - 1.0) - p.velocity.x_m * meet_s;
		p.person.y_m = -p.velocity.y_m * meet_s;
		for (int t = 0; t < 6000; t += 10)
			pass_step(&p, t, want, &out);
		ck_assert_msg(!p.touched, "pass %d", i);
		farthest_m = fmax(farthest_m, fabs(p.pose.x_m));
	}
	ck_assert_double_gt(farthest_m, 1.0); /* it does drive */
}
END_TEST

/* A round room with somebody in it who comes nearer, as points; so many that tell nothing stand before them.
 */
static void see_room(struct cairn_points *points, size_t before, double person_x_m)
{
	points->count = 0;
	for (size_t i = 0; i < before + 720; i++) {
		double a = i < before ? 0.0 : (double)(i - before) * M_PI / 360.0;
		double off_m = person_x_m * sin(a), range_m = i < before ? 4.0 : 1.8;
		if (i >= before && cos(a) > 0.0 && fabs(off_m) < PERSON_RADIUS_M)
			range_m =
			    person_x_m * cos(a) - sqrt(PERSON_RADIUS_M * PERSON_RADIUS_M - off_m * off_m);
		points->x_m[points->count] = (float)(range_m * cos(a));
		points->y_m[points->count++] = (float)(range_m * sin(a));
	}
}

static void check_same_found(const struct cairn_dynamic_obstacles *a, const struct cairn_dynamic_obstacles *b)
{
	ck_assert_uint_eq(a->points, b->points);
	ck_assert_mem_eq(a->x_m, b->x_m, a->points * sizeof(a->x_m[0]));
	ck_assert_mem_eq(a->y_m, b->y_m, a->points * sizeof(a->y_m[0]));
	ck_assert_mem_eq(a->stands, b->stands, a->points * sizeof(a->stands[0]));
}

START_TEST(who_is_found_does_not_depend_on_where_in_the_turn_he_stands)
{
	static struct cairn_dynamic_obstacles coming[20], standing[20];
	static struct cairn_points points;
	for (size_t k = 0; k < 20; k++) {
		fresh_motor(false);
		struct cairn_dynamic_obstacles *m = &motor.monitor.movers;
		m->params.lately_s = k % 2 == 0 ? 0.0 : 30.0;
		for (int i = 0; i < 65; i++) { /* stands, comes, and stands again */
			double person_x_m = i < 40 ? 1.6 : i < 50 ? 1.6 - 0.05 * (i - 40) : 1.1;
			int64_t t_ns = (i + 1) * 100 * MS;
			see_room(&points, k, person_x_m);
			cairn_dynamic_obstacles_scan(
			    m, &points, (struct cairn_pose2){0}, t_ns - 100 * MS, t_ns);
			if (i == 49)
				coming[k] = *m;
		}
		standing[k] = *m;
		check_same_found(&coming[k], &coming[k % 2]);
		check_same_found(&standing[k], &standing[k % 2]);
		ck_assert_uint_gt(coming[k].points, 5);
		ck_assert_uint_eq(m->points > 0, k % 2); /* who has come is somebody who stands */
		for (uint32_t i = 0; i < m->points; i++)
			ck_assert(m->stands[i]);
	}
}
END_TEST

CAIRN_TEST_MAIN("motor-movers", a_person_who_walks_is_a_mover_until_half_a_second_after_he_stands,
    the_speed_is_that_which_stops_before_he_could_be_there,
    who_is_found_does_not_depend_on_where_in_the_turn_he_stands,
    what_stands_is_none_however_the_robot_drives_past_it,
    who_steps_before_a_fast_robot_is_not_touched_though_scans_are_late)
