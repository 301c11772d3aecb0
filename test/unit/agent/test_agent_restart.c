/* An episode over the death of its process, on disk, while a person holds the robot, and from a recording. */
#include <unistd.h>

#include "test/support/agent_rig.h"
#include "test/support/runner.h"

START_TEST(an_agent_that_was_killed_goes_on_where_it_was)
{
	for (double after_s = 0.3; after_s < 8.0; after_s += 0.7) {
		struct rig *r = rig_house();
		struct cairn_text file = {0};
		struct cairn_error err = {""};
		rig_task(r, "Where is the sofa?");
		(void)rig_run(r, after_s);
		ck_assert(cairn_agent_save(r->agent, &file));
		cairn_agent_message(r->agent, r->now_ns, &r->out);
		uint32_t spent = r->out.queries;
		cairn_agent_destroy(&r->agent);
		rig_agent(r);
		ck_assert_msg(cairn_agent_load(r->agent, file.data, file.len, &err), "%s", err.text);
		rig_tell_all(r);
		ck_assert(rig_run(r, 120.0));
		ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_DONE);
		ck_assert_str_eq(r->out.answer, "The sofa is in the hall (room_1).");
		ck_assert_uint_gt(r->out.queries, spent);
		ck_assert_uint_eq(r->busy_refusals, 0); /* it lets end what was being driven */
		cairn_text_free(&file);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
	struct rig *r = rig_house();
	struct cairn_text file = {0};
	struct cairn_error err = {""};
	rig_task(r, "Where is the sofa?");
	(void)rig_run(r, 5.0);
	ck_assert(cairn_agent_save(r->agent, &file));
	ck_assert(!cairn_agent_save(r->agent, &file) || file.len > 0);
	for (size_t i = 0; i < file.len; i += 1 + file.len / 200) {
		file.data[i] ^= 4;
		ck_assert(!cairn_agent_load(r->agent, file.data, file.len, &err));
		file.data[i] ^= 4;
		ck_assert(!cairn_agent_load(r->agent, file.data, i, &err));
	}
	ck_assert(cairn_agent_load(r->agent, file.data, file.len, &err));
	cairn_text_free(&file);
	rig_free(r);
}
END_TEST

START_TEST(it_waits_while_a_person_has_the_robot_and_gives_up_when_it_was_taken)
{
	struct rig *r = rig_house();
	rig_task(r, "Where is the sofa?");
	(void)rig_run(r, 1.0);
	r->mission.state = CAIRN_MISSION_STATE_PAUSED;
	uint32_t calls = r->calls, decisions = r->decisions;
	ck_assert_uint_gt(decisions, 0);
	ck_assert(!rig_run(r, 3000.0)); /* of 1800 that a task may take */
	ck_assert_uint_eq(r->calls, calls);
	ck_assert_uint_eq(r->decisions, decisions);
	r->mission.state = CAIRN_MISSION_STATE_TASK;
	(void)rig_run(r, 1.0);
	ck_assert_uint_gt(r->decisions, decisions);
	r->mission.state = CAIRN_MISSION_STATE_FINISHED;
	ck_assert(rig_run(r, 1.0));
	ck_assert_int_eq(r->out.state, CAIRN_AGENT_STATE_FAILED);
	ck_assert_int_eq(r->out.limit, CAIRN_AGENT_LIMIT_NONE);
	ck_assert_ptr_nonnull(strstr(r->out.answer, "finished"));
	rig_free(r);
}
END_TEST

START_TEST(a_recorded_episode_is_replayed_bit_for_bit)
{
	char path[] = "/tmp/cairn-episode-XXXXXX";
	struct cairn_error err = {""};
	struct rig *a = rig_house(), *b = rig_house();
	rig_task(a, "Where is the sofa?");
	ck_assert(rig_run(a, 120.0));
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, a->record.data, a->record.len), (ssize_t)a->record.len);
	close(fd);
	b->replay = cairn_replay_open(path, &err);
	ck_assert_msg(b->replay != NULL, "%s", err.text);
	rig_task(b, "Where is the sofa?");
	ck_assert(rig_run(b, 120.0));
	ck_assert_str_eq(a->bodies.data, b->bodies.data);
	ck_assert_uint_eq(b->same, b->calls);
	ck_assert_str_eq(a->out.answer, b->out.answer);
	ck_assert_mem_eq(&a->out, &b->out, sizeof(a->out));
	unlink(path);
	rig_free(a);
	rig_free(b);
}
END_TEST

CAIRN_TEST_MAIN("agent restart", an_agent_that_was_killed_goes_on_where_it_was, a_damaged_file_is_refused,
    it_waits_while_a_person_has_the_robot_and_gives_up_when_it_was_taken,
    a_recorded_episode_is_replayed_bit_for_bit)
