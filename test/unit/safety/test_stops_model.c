/* A model check of the last gate: the real motor core is driven through every order of the events that
 * concern its stops and latches, until no new state turns up.
 *
 * Time goes in ticks of 0.5 s, and the limits in the configuration are one or two of them, so that ages have
 * few values; the smoother is so fast that a tick ends every ramp; the robot is held, so that a scan stays
 * where it is. That makes the states finite, and the search covers them all. A state is what the core will
 * decide by: stamps as ages up to their limits, the scan by its kind; counters and words are left out.
 *
 * Beside the core goes a ghost, which keeps by the rules below what a person with a note pad would. The
 * rules, for every step of the core in every state, after every event:
 * 1. From a stop (operator's, the bumper's or demanded on the bus) to the operator's release, the twist is
 * zero and the state is estop (or no_device). No other event and no time ends it.
 * 2. A release is refused while the stop is still being demanded.
 * 3. Without the board the twist is zero, at once.
 * 4. Nothing moves at the end of a tick without a command and a scan that were accepted and are within their
 * limits.
 * 5. After a start, a release or a rebirth nothing moves until both have been fresh for rearm_s; with rearm
 *    operator a rebirth also needs the release.
 * 6. What is right ahead is not driven towards.
 * 7. No event makes the robot faster by itself; speeding up takes time.
 * 8. Nothing moves forward after a drop was seen until floor is seen a second or more later.
 * 9. With a bumper that is known to be in front, forward motion ends at once when it is pressed, and begins again a second
 * or more after it was released.
 * And of the states as a whole: each one of the table is reached, and from each the robot can drive again. */
#include "test/support/state_set.h"
#include "test/support/stops_model.h"

#define HEAD offsetof(struct cairn_motor, cmd_stream)
#define TAIL offsetof(struct cairn_motor, monitor)

/* A state as it is kept: the core without its parameters and points. */
struct node {
	unsigned char core[TAIL - HEAD];
	struct cairn_monitor_polygons zones;
	struct ghost ghost;
	int64_t now_ns;
	enum cairn_motor_state state;
	double v_mps;
};

/* What tells two states apart. Filled from zero, compared by bytes. */
struct key {
	struct ghost ghost;
	double command_v, command_w, v, a, curvature;
	int64_t cmd_age, scan_age, fresh_age, estop_age, drop_age, press_age, emergency_age[2], approach;
	unsigned conditions;
	bool felt, posed, cmd, scan, device, rearming, needs_operator, estop, held;
};

static struct state_set set = {.bytes = sizeof(struct key)};
static struct node *nodes; /* by the numbers of the set */
static int *next;          /* state_set.h */
static int nodes_room;

/* ---- the search ---- */

static void start_search(enum cairn_choice_rearm rearm, enum cairn_choice_depth depth, bool reborn)
{
	begin(rearm, depth, reborn);
	state_set_free(&set);
	nodes_room = 0;
}

static int64_t age_of(int64_t t_ns, int64_t limit_ns)
{
	int64_t age = now_ns - t_ns;
	return age > limit_ns ? limit_ns + 1 : age;
}

static struct key key_now(void)
{
	const struct cairn_motor *m = &motor;
	const struct cairn_monitor_polygons *z = &m->monitor.zones;
	int64_t clear_ns = (int64_t)(cfg.safety.emergency_clear_s * 1e9);
	struct key k;
	memset(&k, 0, sizeof(k));
	k.ghost.latched = ghost.latched, k.ghost.device = ghost.device, k.ghost.armed = ghost.armed;
	k.ghost.needs_operator = ghost.needs_operator;
	k.ghost.cmd_age = ghost.cmd_age, k.ghost.scan_age = ghost.scan_age;
	k.ghost.demand_age = ghost.demand_age, k.ghost.fresh = ghost.fresh;
	k.ghost.wish_mps = ghost.wish_mps, k.ghost.sight = ghost.sight;
	k.command_v = m->command.v_mps + 0.0, k.command_w = m->command.w_radps + 0.0;
	k.v = m->smooth.v_mps + 0.0, k.a = m->smooth.a_mps2 + 0.0, k.curvature = m->curvature_1pm + 0.0;
	k.cmd = m->cmd_stream.some, k.scan = m->scan_stream.some;
	k.cmd_age = k.cmd ? age_of(m->cmd_stream.t_ns, LIMIT_TICKS * TICK_NS) : -1;
	k.scan_age = k.scan ? age_of(m->scan_stream.t_ns, LIMIT_TICKS * TICK_NS) : -1;
	k.fresh_age = m->fresh_since_ns != 0 ? age_of(m->fresh_since_ns, REARM_TICKS * TICK_NS) : -1;
	k.posed = m->pose_stream.t_ns == now_ns;
	k.felt = m->guard_stream.t_ns == now_ns; /* a second message of the same instant is refused */
	k.ghost.drop_age = ghost.drop_age;
	k.ghost.press_age = ghost.press_age;
	k.press_age = m->bumper_ns[1] != INT64_MIN ? age_of(m->bumper_ns[1], DROP_TICKS * TICK_NS - 1) : -1;
	k.drop_age = m->cliff_ns != INT64_MIN ? age_of(m->cliff_ns, DROP_TICKS * TICK_NS - 1) : -1;
	k.estop_age = m->estop_seen_ns != INT64_MIN ? age_of(m->estop_seen_ns, DEMAND_TICKS * TICK_NS) : -1;
	for (int i = 0; i < 2; i++)
		k.emergency_age[i] = z->emergency_ns[i] != 0 ? age_of(z->emergency_ns[i], clear_ns) : -1;
	k.approach = z->approach_ns > now_ns ? z->approach_ns - now_ns : 0;
	k.conditions = m->conditions;
	k.device = m->device, k.rearming = m->rearming, k.needs_operator = m->needs_operator;
	k.estop = m->estop, k.held = m->held;
	return k;
}

/* The state that the core is in; new ones are kept. */
static int node_now(void)
{
	struct key k = key_now();
	int before = set.count, i = state_set_add(&set, &k);
	if (set.count == before)
		return i;
	if (i == nodes_room) {
		nodes_room = set.room;
		nodes = realloc(nodes, (size_t)nodes_room * sizeof(*nodes));
		next = realloc(next, (size_t)nodes_room * EVENTS * sizeof(*next));
		ck_assert(nodes != NULL && next != NULL);
	}
	struct node *n = &nodes[i];
	memcpy(n->core, (const unsigned char *)&motor + HEAD, sizeof(n->core));
	n->zones = motor.monitor.zones;
	n->ghost = ghost;
	n->now_ns = now_ns;
	n->state = cairn_motor_state(&motor);
	n->v_mps = motor.smooth.v_mps;
	return i;
}

static void restore(int i)
{
	const struct node *n = &nodes[i];
	memcpy((unsigned char *)&motor + HEAD, n->core, sizeof(n->core));
	motor.monitor.zones = n->zones;
	ghost = n->ghost;
	now_ns = n->now_ns;
	const struct cairn_points *p = &seen[ghost.sight];
	motor.monitor.scanned.count = p->count;
	memcpy(motor.monitor.scanned.x_m, p->x_m, p->count * sizeof(p->x_m[0]));
	memcpy(motor.monitor.scanned.y_m, p->y_m, p->count * sizeof(p->y_m[0]));
}

static void search(void)
{
	cairn_motor_step(&motor, now_ns);
	note();
	node_now();
	for (int i = 0; i < set.count; i++) {
		for (int e = 0; e < EVENTS; e++) {
			next[i * EVENTS + e] = i;
			if (feels ? e == MAPPER_REBORN || (sided && e == DROP) : happenings[e].what == FEEL)
				continue; /* not all in one search, or there are too many states */
			restore(i);
			double before_mps = motor.smooth.v_mps;
			happen(&happenings[e]);
			struct cairn_twist out = cairn_motor_step(&motor, now_ns);
			note();
			const char *why = broken_rule((enum event)e, before_mps, out);
			ck_assert_msg(why == NULL, "rule %s: state %d (%s), event '%s', twist %.3f", why, i,
			    cairn_enum_text(&cairn_enum_motor_state, (int)nodes[i].state), happenings[e].name,
			    out.v_mps);
			int to = node_now(); /* may move the array */
			next[i * EVENTS + e] = to;
		}
	}
}

static const struct key *key_of(int i)
{
	return state_set_key(&set, i);
}

static bool moves(const struct node *n)
{
	return n->v_mps != 0.0;
}

/* ---- what is asked of the whole ---- */

static void every_state_was_reached(void)
{
	int of[CAIRN_MOTOR_STATE_COUNT] = {0};
	unsigned conditions = 0;
	for (int i = 0; i < set.count; i++) {
		of[nodes[i].state]++;
		conditions |= key_of(i)->conditions;
	}
	of[CAIRN_MOTOR_STATE_WHEEL_FAULT]++; /* the held robot is not judged by its wheels: test wheel-check */
	of[CAIRN_MOTOR_STATE_CONTRADICTION]++; /* nor by its sensors: test sensor-votes */
	of[CAIRN_MOTOR_STATE_TILTED]++;        /* test lean-check */
	of[CAIRN_MOTOR_STATE_BATTERY_EMPTY]++; /* test battery */
	for (int s = 0; s < CAIRN_MOTOR_STATE_COUNT; s++)
		ck_assert_msg(of[s] > 0, "%s was not reached", cairn_enum_text(&cairn_enum_motor_state, s));
	unsigned all = (1u << CAIRN_MOTOR_CONDITIONS) - 1u;
	unsigned elsewhere =
	    CAIRN_MOTOR_WHEELS | CAIRN_MOTOR_CONTRADICTION | CAIRN_MOTOR_TILTED | CAIRN_MOTOR_BATTERY;
	ck_assert_uint_eq(conditions | CAIRN_MOTOR_NO_DEPTH | CAIRN_MOTOR_NO_GUARD | elsewhere, all);
}

/* Rule 1 once more, without the ghost: along the edges of the graph but the release, from every state that a
 * stop leads to. */
static void no_way_leads_from_a_stop_to_motion_but_the_release(void)
{
	bool *there = calloc((size_t)set.count, sizeof(*there));
	int n = 0;
	for (int i = 0; i < set.count; i++)
		there[next[i * EVENTS + ESTOP_ON]] = there[next[i * EVENTS + OPERATOR_STOP]] = true;
	for (int i = 0; i < set.count; i++) /* a message of the same instant as another is refused */
		there[next[i * EVENTS + BUMPER]] |= feels && !sided && !key_of(i)->felt;
	state_graph_spread(next, set.count, EVENTS, OPERATOR_RELEASE, there);
	for (int i = 0; i < set.count; i++) {
		if (!there[i])
			continue;
		n++;
		ck_assert(!moves(&nodes[i]));
		ck_assert(nodes[i].state == CAIRN_MOTOR_STATE_ESTOP ||
			  nodes[i].state == CAIRN_MOTOR_STATE_NO_DEVICE);
	}
	ck_assert_int_gt(n, 0);
	free(there);
}

static int can_drive_again(void)
{
	bool *can = calloc((size_t)set.count, sizeof(*can));
	for (int i = 0; i < set.count; i++)
		can[i] = nodes[i].state == CAIRN_MOTOR_STATE_DRIVING && moves(&nodes[i]);
	int n = state_graph_trace_back(next, set.count, EVENTS, can);
	free(can);
	return n;
}

static void explore(enum cairn_choice_rearm rearm, bool reborn)
{
	start_search(rearm, CAIRN_CHOICE_DEPTH_AUTO, reborn);
	search();
	printf("# rearm %s%s: %d states\n", cairn_choice_rearm_words[rearm], reborn ? ", reborn" : "",
	    set.count);
	every_state_was_reached();
	no_way_leads_from_a_stop_to_motion_but_the_release();
	ck_assert_int_eq(can_drive_again(), set.count);
}

START_TEST(no_order_of_events_gets_a_stopped_robot_moving_without_the_operator)
{
	explore(CAIRN_CHOICE_REARM_AUTO, false);
}
END_TEST

START_TEST(a_bumper_in_front_leaves_the_way_back_and_no_other)
{
	sided = true;
	explore(CAIRN_CHOICE_REARM_AUTO, false);
	int backing = 0;
	for (int i = 0; i < set.count; i++)
		backing += key_of(i)->ghost.press_age == 0 && nodes[i].v_mps < 0.0;
	ck_assert_int_gt(backing, 0);
	sided = false;
}
END_TEST

START_TEST(nor_with_rebirths_that_wait_for_the_operator)
{
	explore(CAIRN_CHOICE_REARM_OPERATOR, false);
}
END_TEST

START_TEST(nor_after_a_rebirth_of_the_motor_stage_itself)
{
	explore(CAIRN_CHOICE_REARM_OPERATOR, true);
}
END_TEST

START_TEST(a_robot_that_needs_depth_and_has_none_never_moves)
{
	start_search(CAIRN_CHOICE_REARM_AUTO, CAIRN_CHOICE_DEPTH_REQUIRED, false);
	search();
	for (int i = 0; i < set.count; i++)
		ck_assert(!moves(&nodes[i]) && (key_of(i)->conditions & CAIRN_MOTOR_NO_DEPTH) != 0);
	ck_assert_int_eq(can_drive_again(), 0);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("stops-model", 110.0,
    no_order_of_events_gets_a_stopped_robot_moving_without_the_operator,
    a_bumper_in_front_leaves_the_way_back_and_no_other, nor_with_rebirths_that_wait_for_the_operator,
    nor_after_a_rebirth_of_the_motor_stage_itself, a_robot_that_needs_depth_and_has_none_never_moves)
