/* What is written is read back, what is damaged is refused. */
#include "test/support/recorded.h"

START_TEST(what_is_written_is_read_back)
{
	struct cairn_recording *r = open_made();
	static struct cairn_msg_scan scan;
	struct cairn_msg_decision d;
	struct cairn_header hdr;
	struct cairn_frame_header grid;
	struct cairn_text cells = {0};
	ck_assert_uint_eq(r->count, 2);
	const struct cairn_recorded_question *q = &r->questions[1];
	ck_assert_uint_eq(q->exchange_count, 1);
	ck_assert(cairn_recorded_newest(&q->decided, CAIRN_TOPIC_SCAN, &hdr, &scan));
	ck_assert_uint_eq(scan.range_m_count, 360);
	ck_assert_int_eq(hdr.t_ns, 121 * S - S / 100);
	ck_assert(cairn_recorded_newest(&q->decided, CAIRN_TOPIC_DECISION, &hdr, &d));
	ck_assert_uint_eq(d.frontier_id, 3);
	ck_assert(!cairn_recorded_newest(&q->decided, CAIRN_TOPIC_ZONES, &hdr, &d));
	ck_assert_msg(cairn_recorded_grid(&q->decided, &grid, &cells, &err), "%s", err.text);
	ck_assert_uint_eq(cells.len, 40000);
	ck_assert_double_eq(grid.cell_m, 0.05);
	ck_assert_str_eq(cairn_recorded_text(&q->asked, "context"), "of another time");
	cairn_text_free(&cells);
	cairn_recording_close(&r);
}
END_TEST

START_TEST(every_changed_byte_is_found)
{
	make_lines();
	char *copy = malloc(lines.len);
	for (size_t i = 0; i < lines.len; i += 97) {
		memcpy(copy, lines.data, lines.len);
		copy[i] = copy[i] == '7' ? '8' : '7';
		struct cairn_recording *r = open_lines(copy, lines.len);
		/* The end of the last line may be what is gone: then it counts as not yet written. */
		bool cut = lines.data[i] == '\n' && i + 1 == lines.len;
		ck_assert_msg(r == NULL || cut, "byte %zu", i);
		if (r == NULL)
			ck_assert_ptr_nonnull(strstr(err.text, "line "));
		cairn_recording_close(&r);
	}
	free(copy);
}
END_TEST

START_TEST(a_line_cut_off_at_the_end_is_left_out)
{
	make_lines();
	struct cairn_recording *r = open_lines(lines.data, lines.len - 10);
	ck_assert_msg(r != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(r->questions[1].decided.row);
	ck_assert_ptr_null(r->questions[1].ended.row);
	cairn_recording_close(&r);
}
END_TEST

static void refused_for(const char *data, const char *why)
{
	struct cairn_recording *r = open_lines(data, strlen(data));
	ck_assert_ptr_null(r);
	ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
}

START_TEST(recordings_of_other_versions_are_refused_with_the_reason)
{
	refused_for(
	    "{\"v\":1,\"t_unix_s\":1,\"request\":\"\",\"response\":\"\"}\n", "not what the robot saw");
	refused_for("{\"v\":3,\"kind\":\"asked\"}\n", "later version");
	refused_for("{\"v\":2,\"kind\":\"asked\"}\n", "sum is wrong");
	refused_for("nonsense\n", "damaged");
	refused_for("", "no question");
}
END_TEST

START_TEST(a_replay_of_answers_passes_over_the_other_lines)
{
	struct cairn_replay_answer a;
	make_lines();
	snprintf(path, sizeof(path), "/tmp/cairn-recording-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, lines.data, lines.len), (ssize_t)lines.len);
	close(fd);
	struct cairn_replay *replay = cairn_replay_open(path, &err);
	unlink(path);
	ck_assert_msg(replay != NULL, "%s", err.text);
	ck_assert(cairn_replay_next(replay, "{}", 2, &a));
	ck_assert(cairn_replay_next(replay, "{}", 2, &a));
	ck_assert(!cairn_replay_next(replay, "{}", 2, &a));
	cairn_replay_close(&replay);
}
END_TEST

START_TEST(the_recorded_configuration_comes_back_and_unknown_keys_are_counted)
{
	struct cairn_config back;
	make_lines();
	cairn_text_clear(&lines);
	cfg.safety.margin_m = 0.0875;
	struct cairn_profile profile;
	cairn_profile_defaults(&profile);
	cairn_recording_begun(&lines, &cfg, &profile, "system", 1e9);
	add_asked(110 * S, 1);
	struct cairn_recording *r = open_lines(lines.data, lines.len);
	ck_assert_msg(r != NULL, "%s", err.text);
	cairn_config_defaults(&back);
	ck_assert_uint_eq(cairn_recorded_config(r, &back), 0);
	ck_assert_double_eq(back.safety.margin_m, 0.0875);
	cairn_recording_close(&r);
}
END_TEST

CAIRN_TEST_MAIN("recording", what_is_written_is_read_back, every_changed_byte_is_found,
    a_line_cut_off_at_the_end_is_left_out, recordings_of_other_versions_are_refused_with_the_reason,
    a_replay_of_answers_passes_over_the_other_lines,
    the_recorded_configuration_comes_back_and_unknown_keys_are_counted)
