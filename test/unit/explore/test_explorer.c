/* The owner of the exploration's choice: messages in by its ports, order and candidates out. */
#include "common/explore/explorer_ports.h"
#include "test/support/choice_world.h"
#include "test/support/runner.h"

#define NOW_NS (100 * CAIRN_NS_PER_S)

static struct ground ground;
static struct cairn_explorer *explorer;
static struct cairn_msg_frontiers frontiers;
static struct cairn_msg_candidates set;

/* A hall of 12 m by 4 m with the robot in the middle and an opening at either end; the one to the left comes first in the
 * round, the one to the right costs 5 m if it is taken first. */
static void begin(void)
{
	struct cairn_error err = {""};
	ground_init(&ground, 8.0);
	ground_wall(&ground, -6.2, -2.2, 6.2, 2.2);
	ground_floor(&ground, -6.0, -2.0, 6.0, 2.0);
	explorer = cairn_explorer_new(&ground.cfg, 1, &err);
	ck_assert_msg(explorer != NULL, "%s", err.text);
	frontiers = (struct cairn_msg_frontiers){.items_count = 2, .free_m2 = 48.0};
	for (uint32_t i = 0; i < 2; i++)
		frontiers.items[i] = (struct cairn_msg_frontier){.id = i + 1,
		    .x_m = i == 0 ? -4.0 : 4.0,
		    .goal_x_m = i == 0 ? -4.0 : 4.0,
		    .distance_m = 4.0,
		    .width_m = 1.0,
		    .detour_m = i == 0 ? 0.0 : 5.0};
}

static void end(void)
{
	cairn_explorer_destroy(&explorer);
	ground_free(&ground);
}

static void tell(enum cairn_topic topic, const void *message)
{
	struct cairn_header hdr = {.seq = 1, .epoch = 1, .t_ns = NOW_NS, .valid = true};
	(void)cairn_in_deliver(cairn_explorer_in, explorer, topic, message, &hdr, NOW_NS);
}

/* The frontier that stands first among the candidates. */
static uint32_t first(void)
{
	struct cairn_candidates_inputs at = ground_stand(&ground, (struct cairn_pose2){0});
	cairn_explorer_candidates(explorer, &at.ground, at.pose, &frontiers, NOW_NS, &set);
	for (uint32_t i = 0; i < set.items_count; i++)
		if (set.items[i].kind == CAIRN_CANDIDATE_KIND_FRONTIER)
			return set.items[i].frontier_id;
	return 0;
}

START_TEST(without_a_goal_the_round_decides_and_with_one_what_brings_nearer)
{
	begin();
	ck_assert_uint_eq(first(), 1);
	struct cairn_msg_mission mission = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .goal_known = true, .goal_x_m = 5.5};
	tell(CAIRN_TOPIC_MISSION, &mission);
	ck_assert_uint_eq(first(), 2);
	end();
}
END_TEST

START_TEST(what_the_mission_gave_up_is_told_to_who_finds_frontiers_and_not_offered)
{
	uint32_t count = 7;
	begin();
	(void)cairn_explorer_given_up(explorer, &count);
	ck_assert_uint_eq(count, 0);
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING, .given_up_count = 1};
	mission.given_up[0] = (struct cairn_msg_given_up){.x_m = -4.0};
	tell(CAIRN_TOPIC_MISSION, &mission);
	ck_assert_double_eq(cairn_explorer_given_up(explorer, &count)->x_m, -4.0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(first(), 2);
	end();
}
END_TEST

static int sent[CAIRN_TOPIC_COUNT];

static void count_sent(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	(void)ctx, (void)message;
	ck_assert_int_eq(t_ns, NOW_NS);
	sent[topic]++;
}

START_TEST(a_report_sends_frontiers_and_candidates_and_without_a_wavefront_only_frontiers)
{
	static const struct cairn_out rows[] = {
	    {CAIRN_TOPIC_FRONTIERS, 0}, {CAIRN_TOPIC_CANDIDATES, 0}, {CAIRN_TOPIC_COUNT, 0}};
	struct cairn_outbox box = {.rows = rows, .send = count_sent};
	begin();
	struct cairn_candidates_inputs at = ground_stand(&ground, (struct cairn_pose2){0});
	ck_assert(cairn_explorer_report(explorer, &at.ground, at.pose, &box, NOW_NS, &frontiers, &set));
	ck_assert_int_eq(sent[CAIRN_TOPIC_FRONTIERS], 1);
	ck_assert_int_eq(sent[CAIRN_TOPIC_CANDIDATES], 1);
	at.ground.reach = NULL;
	ck_assert(cairn_explorer_report(explorer, &at.ground, at.pose, &box, NOW_NS, &frontiers, &set));
	ck_assert_int_eq(sent[CAIRN_TOPIC_FRONTIERS], 2);
	ck_assert_int_eq(sent[CAIRN_TOPIC_CANDIDATES], 1);
	end();
}
END_TEST

CAIRN_TEST_MAIN("explorer", without_a_goal_the_round_decides_and_with_one_what_brings_nearer,
    what_the_mission_gave_up_is_told_to_who_finds_frontiers_and_not_offered,
    a_report_sends_frontiers_and_candidates_and_without_a_wavefront_only_frontiers)
