/* A model check of the layer above the motor stage: the real sequencer is driven through every order of
 * operator's verbs, answers and silence of the model, emergency stops and their release, and arrivals at
 * home, until no new state turns up.
 *
 * Time goes in ticks of half a second of ten steps, and the tiers' times are one to six of them. The robot is
 * held: nothing it is told to do gets it anywhere, so every attempt ends by its own clock. States are told
 * apart by mission, tier, what is being executed, for whom and for how long, what is due, failures, attempts
 * and the silence, all times in ticks and up to a few; finer clocks are left out, so that the search ends.
 *
 * Rules, for every step in every state after every event:
 * 1. While the motor stage's emergency stop is latched, the velocity asked for is zero.
 * 2. From an operator's stop or pause to the next operator's verb that ends it, it is zero, whatever the
 * model says and however long it takes.
 * 3. No tier but normal right after the model has answered; and none skips the one before it. */
#include <stddef.h>

#include "common/sequencer/sequencer_private.h"
#include "test/support/runner.h"
#include "test/support/state_set.h"

#define TICK_STEPS 10
#define STEP_NS (50 * CAIRN_NS_PER_MS)
#define RAYS 72
#define STATES_MAX 60000
#define AWAY_M 2.0

enum event {
	TICK,
	ANSWER,
	EXPLORE,
	STOP,
	GOTO,
	HOME,
	PAUSE,
	RESUME,
	TASK,
	AGENT_DRIVES,
	AGENT_ENDS,
	ESTOP_ON,
	ESTOP_OFF,
	CARRIED,
	EVENTS
};

/* What a person would note. */
struct ghost {
	bool held, estop, at_home;
};

struct key {
	struct ghost ghost;
	uint32_t state, back_paused, back_goto, tier, kind, source, silence, home_attempts, goto_attempts;
	uint32_t active, stalled, held_for, fails, recoveries;
	bool silent_way, insists, wanted, recovery_due, local_due, coasting, nudging, held_inputs;
};

/* Of the sequencer what changes here: not the scan, the floor, and the lists of what may be driven to. */
#define CLOCKS_BYTES (sizeof(struct seq_inputs) - offsetof(struct seq_inputs, t_scan_ns))

struct node {
	struct ghost ghost;
	int64_t now_ns, t_frontiers_ns, t_candidates_ns;
	unsigned char clocks[CLOCKS_BYTES]; /* the end of the inputs */
	struct seq_degraded degraded;
	struct seq_planner planner;
	struct seq_mission mission;
	struct seq_agent agent;
	struct seq_looks looks;
	struct seq_silence silence;
	struct seq_progress progress;
	struct seq_task task;
	struct seq_teleop teleop;
	struct seq_step step;
	struct cairn_sequencer_output last;
};

/* The parts that are kept whole. */
#define EACH_PART(PART)                                                                                      \
	PART(degraded)                                                                                       \
	PART(planner)                                                                                        \
	PART(mission)                                                                                        \
	PART(agent)                                                                                          \
	PART(looks)                                                                                          \
	PART(silence)                                                                                        \
	PART(progress)                                                                                       \
	PART(task)                                                                                           \
	PART(teleop)                                                                                         \
	PART(step)

static struct cairn_config cfg;
static struct cairn_sequencer *seq;
static struct cairn_msg_scan scan;
static struct cairn_sequencer_output out;
static struct ghost ghost;
static int64_t now_ns;
static uint64_t ids;
static struct state_set set = {.bytes = sizeof(struct key)};
static struct node **nodes;

static void begin(void)
{
	cairn_config_defaults(&cfg);
	cfg.safety.silent_coast_s = 1.0;
	cfg.safety.silent_wait_s = 2.0;
	cfg.safety.silent_local_s = 3.0;
	cfg.safety.blocked_memory_s = 0.0;
	cfg.agent.enabled = true;
	cfg.safety.depth = CAIRN_CHOICE_DEPTH_OFF;
	scan = (struct cairn_msg_scan){.range_min_m = 0.05f, .range_max_m = 12.0f};
	scan.angle_rad_count = scan.range_m_count = RAYS;
	for (int i = 0; i < RAYS; i++) {
		scan.angle_rad[i] = (float)cairn_wrap_rad((i + 0.5) * 2.0 * M_PI / RAYS);
		scan.range_m[i] = 3.0f;
	}
	now_ns = 1000 * CAIRN_NS_PER_S;
	ghost = (struct ghost){0};
	seq = cairn_sequencer_new(&cfg, NULL, now_ns);
}

static void hear(void)
{
	struct cairn_msg_pose pose = {.x_m = ghost.at_home ? 0.0 : AWAY_M, .tracking = CAIRN_TRACKING_GOOD};
	struct cairn_msg_motion motion = {
	    .state = ghost.estop ? CAIRN_MOTOR_STATE_ESTOP : CAIRN_MOTOR_STATE_IDLE, .cause_m = -1.0};
	struct cairn_msg_frontiers frontiers = {.free_m2 = 10.0, .items_count = 1};
	frontiers.items[0] = (struct cairn_msg_frontier){
	    .id = 1, .x_m = 3.5, .goal_x_m = 3.2, .width_m = 1.0, .distance_m = 1.5};
	cairn_sequencer_on_scan(seq, &scan, now_ns);
	cairn_sequencer_on_pose(seq, &pose, now_ns);
	cairn_sequencer_on_motion(seq, &motion, now_ns);
	cairn_sequencer_on_frontiers(seq, &frontiers, now_ns);
}

static const char *broken_rule(enum event e, bool first_step)
{
	/* One step later is soon enough: the word is heard between two steps. */
	if (ghost.estop && out.cmd_vel.v_mps != 0.0)
		return "1: motion is asked for under an emergency stop";
	if (ghost.held && out.cmd_vel.v_mps != 0.0)
		return "2: motion is asked for after an operator's stop";
	if (e == ANSWER && first_step && out.mission.state == CAIRN_MISSION_STATE_EXPLORING &&
	    out.tier.tier != CAIRN_TIER_NORMAL)
		return "3: the model has answered";
	return NULL;
}

static void run_step(enum event e, bool first_step)
{
	struct cairn_msg_result r;
	now_ns += STEP_NS;
	hear();
	cairn_sequencer_step(seq, now_ns, &out);
	while (cairn_sequencer_next_result(seq, &r))
		;
	const char *broken = broken_rule(e, first_step);
	ck_assert_msg(broken == NULL, "%s", broken);
}

static void answer(enum cairn_source source)
{
	struct cairn_msg_decision d = {.id = ++ids,
	    .source = source,
	    .tool = CAIRN_TOOL_MOVE_TOWARD,
	    .speed = CAIRN_SPEED_SLOW,
	    .duration_s = 1.0,
	    .t_snapshot_ns = now_ns,
	    .snapshot_x_m = ghost.at_home ? 0.0 : AWAY_M};
	if (source == CAIRN_SOURCE_AGENT)
		cairn_sequencer_on_agent_decision(seq, &d, 7, now_ns);
	else
		cairn_sequencer_on_decision(seq, &d, 7, now_ns);
}

static void order(enum event e)
{
	static const char *const verbs[EVENTS] = {[EXPLORE] = "explore",
	    [STOP] = "stop",
	    [GOTO] = "goto",
	    [HOME] = "home",
	    [PAUSE] = "pause",
	    [RESUME] = "resume",
	    [TASK] = "task"};
	struct cairn_msg_command cmd = {.x_m = 1.0, .arg = "x"};
	if (e != TASK)
		cmd.arg[0] = '\0';
	struct cairn_msg_reply reply;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verbs[e]);
	cairn_sequencer_on_command(seq, &cmd, now_ns, &reply);
	if (e == STOP || (e == PAUSE && reply.ok))
		ghost.held = true;
	else if (reply.ok)
		ghost.held = false;
}

static void happen(enum event e)
{
	struct cairn_msg_agent ended = {
	    .task_id = seq->mission.record.task_id, .state = CAIRN_AGENT_STATE_DONE};
	if (e >= EXPLORE && e <= TASK)
		order(e);
	else if (e == ANSWER || e == AGENT_DRIVES)
		answer(e == ANSWER ? CAIRN_SOURCE_MODEL : CAIRN_SOURCE_AGENT);
	else if (e == AGENT_ENDS)
		cairn_sequencer_on_agent(seq, &ended, now_ns);
	else if (e == ESTOP_ON || e == ESTOP_OFF)
		ghost.estop = e == ESTOP_ON;
	else if (e == CARRIED)
		ghost.at_home = !ghost.at_home;
	for (int i = 0; i < (e == TICK ? TICK_STEPS : 1); i++)
		run_step(e, i == 0);
}

static uint32_t few(uint32_t n, uint32_t most)
{
	return n < most ? n : most;
}

static struct key key_now(void)
{
	struct key k;
	memset(&k, 0, sizeof(k));
	k.ghost = ghost;
	k.state = seq->mission.record.state;
	k.back_paused =
	    seq->mission.record.state == CAIRN_MISSION_STATE_PAUSED ? seq->mission.record.back_paused : 0;
	k.back_goto = seq->mission.record.back_goto;
	k.silent_way = seq->mission.record.silent_way;
	k.tier = (uint32_t)out.tier.tier;
	k.kind = (uint32_t)seq->task.kind;
	k.source = seq_executing(seq) ? (uint32_t)seq->task.d.source : 0;
	k.insists = seq_executing(seq) && seq->task.insists;
	k.wanted = seq->silence.wanted;
	k.silence = few((uint32_t)(out.tier.silent_s * 2.0), 7);
	k.home_attempts = few(seq->mission.home.attempts, 3);
	k.goto_attempts = few(seq->mission.errand.attempts, 3);
	k.fails = seq->progress.fails;
	k.recoveries = seq->progress.recoveries;
	if (seq_executing(seq)) {
		k.active = few((uint32_t)(seq->task.active_s * 2.0), 4);
		k.stalled = few((uint32_t)(seq->task.stall_s * 2.0), 6);
		k.held_for = few((uint32_t)(seq->task.held_s * 2.0), 4);
	}
	k.recovery_due = seq->progress.recovery_due;
	k.local_due = seq->progress.local_due;
	k.coasting = seq->step.coast_mps > 0.0;
	k.nudging = seq->task.kind == SEQ_NAV && seq->task.nav.nudging;
	k.held_inputs = seq->inputs.now.hold[0] != '\0';
	return k;
}

static int node_now(void)
{
	struct key k = key_now();
	int before = set.count, i = state_set_add(&set, &k);
	if (set.count == before)
		return i;
	ck_assert_int_lt(set.count, STATES_MAX);
	struct node *n = malloc(sizeof(*n));
	ck_assert_ptr_nonnull(n);
	n->ghost = ghost;
	n->now_ns = now_ns;
	n->t_frontiers_ns = seq->offers.t_frontiers_ns;
	n->t_candidates_ns = seq->offers.t_candidates_ns;
	memcpy(n->clocks, &seq->inputs.t_scan_ns, CLOCKS_BYTES);
#define KEEP(part) n->part = seq->part;
	EACH_PART(KEEP)
	n->last = seq->outbox.last;
	nodes[i] = n;
	return i;
}

static void restore(int i)
{
	const struct node *n = nodes[i];
	seq->offers.t_frontiers_ns = n->t_frontiers_ns;
	seq->offers.t_candidates_ns = n->t_candidates_ns;
	memcpy(&seq->inputs.t_scan_ns, n->clocks, CLOCKS_BYTES);
#define GIVE_BACK(part) seq->part = n->part;
	EACH_PART(GIVE_BACK)
	seq->outbox.last = n->last;
	seq->memory.count = seq->outbox.results_head = seq->outbox.results_count = 0;
	ghost = n->ghost;
	now_ns = n->now_ns;
}

START_TEST(every_state_and_tier_is_reached_and_none_moves_a_stopped_robot)
{
	bool states[CAIRN_MISSION_STATE_COUNT] = {false}, tiers[CAIRN_TIER_COUNT] = {false};
	uint32_t moving = 0;
	nodes = calloc(STATES_MAX, sizeof(struct node *));
	begin();
	cairn_sequencer_step(seq, now_ns, &out); /* before the first pose: nothing starts by itself */
	states[out.mission.state] = true;
	node_now();
	for (int i = 0; i < set.count; i++) {
		for (int e = 0; e < EVENTS; e++) {
			restore(i);
			happen((enum event)e);
			moving += out.cmd_vel.v_mps != 0.0;
			states[out.mission.state] = true;
			if (out.mission.state == CAIRN_MISSION_STATE_EXPLORING ||
			    seq->mission.record.silent_way)
				tiers[out.tier.tier] = true;
			(void)node_now();
		}
	}
	printf("# %d states\n", set.count);
	fflush(stdout);
	ck_assert_uint_gt(moving, 100); /* the rules forbid something that happens */
	for (int s = 0; s < CAIRN_MISSION_STATE_COUNT; s++)
		ck_assert_msg(states[s], "%s was not reached", cairn_enum_text(&cairn_enum_mission_state, s));
	for (int t = 0; t < CAIRN_TIER_COUNT; t++)
		ck_assert_msg(tiers[t], "%s was not reached", cairn_enum_text(&cairn_enum_tier, t));
	/* And from each the operator gets it exploring. */
	uint32_t stuck = 0;
	for (int i = 0; i < set.count; i++) {
		restore(i);
		happen(STOP);
		happen(EXPLORE);
		stuck += out.mission.state != CAIRN_MISSION_STATE_EXPLORING;
	}
	ck_assert_uint_eq(stuck, 0);
	for (int i = 0; i < set.count; i++)
		free(nodes[i]);
	free(nodes);
	cairn_sequencer_destroy(&seq);
}
END_TEST

CAIRN_TEST_MAIN("tiers-model", every_state_and_tier_is_reached_and_none_moves_a_stopped_robot)
