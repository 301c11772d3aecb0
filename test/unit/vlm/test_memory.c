#include "test/support/runner.h"

#include <sys/stat.h>

#include "common/base/rng.h"
#include "common/vlm/memory.h"

static struct cairn_memory memory, again;
static struct cairn_ledger ledger, ledger_again;

static void report(const char *label, int significance, double x_m, double y_m)
{
	struct cairn_tool_call c = {.tool = CAIRN_TOOL_REPORT_DISCOVERY, .significance = significance};
	cairn_text_clean(c.label, sizeof(c.label), label, strlen(label));
	snprintf(c.notes, sizeof(c.notes), "notes on %.40s", label);
	cairn_memory_report(&memory, &c, x_m, y_m);
}

static void result(uint64_t id, const char *asked, enum cairn_outcome outcome)
{
	struct cairn_msg_result r = {.decision_id = id,
	    .outcome = outcome,
	    .source = CAIRN_SOURCE_MODEL,
	    .distance_m = 2.1,
	    .duration_s = 7.4};
	snprintf(r.asked, sizeof(r.asked), "%s", asked);
	cairn_memory_add_result(&memory, &r);
}

#define LEDGER                                                                                               \
	"ledger:\n  calls: 1\n  failures: 0\n  decisions: 0\n  tokens_in: 0\n  tokens_cached: 0\n  "         \
	"tokens_out: 0\n  cost_usd: 0\n"

static char *temp_path(void)
{
	static char path[64];
	snprintf(path, sizeof(path), "/tmp/cairn-memory-%d.yaml", (int)getpid());
	return path;
}

START_TEST(rooms_know_where_they_were_entered_from_and_what_is_in_them)
{
	cairn_memory_init(&memory);
	report("hall", CAIRN_SIGNIFICANCE_ROOM, 0, 0);
	report("red chair", CAIRN_SIGNIFICANCE_OBJECT, 0.5, 0);
	report("kitchen", CAIRN_SIGNIFICANCE_ROOM, 4, 0);
	report("Hall", CAIRN_SIGNIFICANCE_ROOM, 1, 0); /* back again */
	ck_assert_uint_eq(memory.rooms_count, 2);
	ck_assert_str_eq(memory.rooms[1].entered_from, "hall");
	ck_assert_int_eq(memory.current_room, 0);
	ck_assert_uint_eq(memory.rooms[0].visits, 2);
	struct cairn_text text = {0};
	cairn_memory_text(&memory, &text);
	ck_assert_ptr_nonnull(
	    strstr(text.data, "Room \"hall\" (here) at 0.0 0.0, 100 % explored: \"red chair\"\n"));
	ck_assert_ptr_nonnull(
	    strstr(text.data, "Room \"kitchen\" at 4.0 0.0, 100 % explored, from \"hall\"\n"));
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_same_thing_nearby_is_remembered_once)
{
	cairn_memory_init(&memory);
	report("plant", CAIRN_SIGNIFICANCE_LANDMARK, 0, 0);
	report("plant", CAIRN_SIGNIFICANCE_LANDMARK, 1, 0);
	report("plant", CAIRN_SIGNIFICANCE_LANDMARK, 5, 0);
	ck_assert_uint_eq(memory.discoveries_count, 2);
	ck_assert(cairn_memory_add_dead_end(&memory, 0, 0, 0.0, ""));
	ck_assert(!cairn_memory_add_dead_end(&memory, 0.5, 0.5, 0.0, ""));
	ck_assert(cairn_memory_add_dead_end(&memory, 2, 0, -M_PI / 2.0, "closed\n40 ahead"));
}
END_TEST

START_TEST(a_dead_end_is_told_with_its_direction_and_its_reason)
{
	struct cairn_text text = {0};
	cairn_memory_init(&memory);
	cairn_memory_add_dead_end(&memory, 2, 0, -M_PI / 2.0, "closed\n40 ahead");
	cairn_memory_text(&memory, &text);
	ck_assert_msg(
	    strstr(text.data, "Dead end at 2.0 0.0 to the E: closed 40 ahead\n") != NULL, "%s", text.data);
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_current_room_is_where_the_robot_is)
{
	cairn_memory_init(&memory);
	report("kitchen", CAIRN_SIGNIFICANCE_ROOM, 0, 0);
	report("hall", CAIRN_SIGNIFICANCE_ROOM, 4, 0);
	ck_assert_int_eq(memory.current_room, 1);
	ck_assert(!cairn_memory_at(&memory, 1.8, 0)); /* nearer to the kitchen, but not by much */
	ck_assert_int_eq(memory.current_room, 1);
	ck_assert(cairn_memory_at(&memory, 1.0, 0));
	ck_assert_int_eq(memory.current_room, 0);
	ck_assert_uint_eq(memory.rooms[0].visits, 2);
	ck_assert(cairn_memory_at(&memory, -9.0, 0)); /* in a room that nobody has named */
	ck_assert_int_eq(memory.current_room, -1);
	ck_assert(!cairn_memory_at(&memory, NAN, 0));
}
END_TEST

START_TEST(what_makes_room_is_told_and_is_what_is_worth_least)
{
	cairn_memory_init(&memory);
	memory.discoveries_max = 3;
	report("stairs", CAIRN_SIGNIFICANCE_HAZARD, 0, 0);
	report("cup", CAIRN_SIGNIFICANCE_OBJECT, 5, 0);
	report("clock", CAIRN_SIGNIFICANCE_LANDMARK, 10, 0);
	ck_assert_uint_eq(memory.dropped, 0);
	report("vase", CAIRN_SIGNIFICANCE_OBJECT, 15, 0);
	ck_assert_uint_eq(memory.dropped, 1);
	ck_assert_str_eq(memory.dropped_label, "cup");
	report("gas bottle", CAIRN_SIGNIFICANCE_HAZARD, 20, 0);
	report("shaft", CAIRN_SIGNIFICANCE_HAZARD, 25, 0);
	ck_assert_str_eq(memory.dropped_label, "clock"); /* the vase before it */
	report("cliff", CAIRN_SIGNIFICANCE_HAZARD, 30, 0);
	ck_assert_str_eq(memory.dropped_label, "stairs");
	ck_assert_uint_eq(memory.dropped, 4);
	ck_assert_uint_eq(memory.discoveries_count, 3);
	struct cairn_msg_discoveries *found = malloc(sizeof(*found));
	cairn_memory_discoveries(&memory, found);
	ck_assert_uint_eq(found->items_count, 3);
	ck_assert_uint_eq(found->dropped, 4);
	ck_assert_str_eq(found->dropped_last, "stairs");
	free(found);
	cairn_memory_init(
	    &memory); /* without a limit of its own: all there is room for, and rooms of their own */
	for (int i = 0; i <= CAIRN_MEMORY_DISCOVERIES; i++) {
		char label[32];
		snprintf(label, sizeof(label), "thing %d", i);
		report(label, CAIRN_SIGNIFICANCE_OBJECT, i * 5.0, 0);
	}
	ck_assert_uint_eq(memory.discoveries_count, CAIRN_MEMORY_DISCOVERIES);
	ck_assert_str_eq(memory.dropped_label, "thing 0");
	for (int i = 0; i <= CAIRN_MEMORY_ROOMS; i++) {
		char label[32];
		snprintf(label, sizeof(label), "room %d", i);
		report(label, CAIRN_SIGNIFICANCE_ROOM, i * 10.0, 0);
	}
	ck_assert_uint_eq(memory.dropped, 2);
	ck_assert_str_eq(memory.dropped_label, "room 0");
	memory.rooms_max = CAIRN_MEMORY_ROOMS - 2; /* fewer than there are */
	report("attic", CAIRN_SIGNIFICANCE_ROOM, -10.0, 0);
	ck_assert_uint_eq(memory.dropped, 5);
	ck_assert_str_eq(memory.dropped_label, "room 3");
	ck_assert_uint_eq(memory.rooms_count, CAIRN_MEMORY_ROOMS - 2);
	ck_assert_str_eq(memory.rooms[memory.current_room].name, "attic");
}
END_TEST

START_TEST(all_that_make_room_at_once_are_named_with_their_pictures_and_what_they_are)
{
	cairn_memory_init(&memory);
	for (uint32_t i = 0; i < 5; i++) {
		char label[16];
		snprintf(label, sizeof(label), "thing %u", i);
		report(label, CAIRN_SIGNIFICANCE_OBJECT, i * 5.0, 0);
		snprintf(memory.discoveries[i].sight.picture, sizeof(memory.discoveries[i].sight.picture),
		    "%u.jpg", i);
	}
	ck_assert_uint_eq(memory.gone_count, 0);
	memory.discoveries_max = 2; /* fewer than there are */
	report("bath", CAIRN_SIGNIFICANCE_OBJECT, 60, 0);
	ck_assert_uint_eq(memory.gone_count, 4);
	ck_assert_uint_eq(memory.dropped, 4);
	for (uint32_t i = 0; i < memory.gone_count; i++) {
		char label[16], picture[16];
		snprintf(label, sizeof(label), "thing %u", i);
		snprintf(picture, sizeof(picture), "%u.jpg", i);
		ck_assert_str_eq(memory.gone[i].label, label);
		ck_assert_str_eq(memory.gone[i].picture, picture);
		ck_assert(!memory.gone[i].room);
	}
	report("bath", CAIRN_SIGNIFICANCE_OBJECT, 60, 0); /* known: nothing has to go */
	ck_assert_uint_eq(memory.gone_count, 0);
	for (int i = 0; i <= CAIRN_MEMORY_ROOMS; i++) {
		char label[16];
		snprintf(label, sizeof(label), "room %d", i);
		report(label, CAIRN_SIGNIFICANCE_ROOM, i * 10.0, 0);
	}
	ck_assert_uint_eq(memory.gone_count, 1);
	ck_assert_str_eq(memory.gone[0].label, "room 0");
	ck_assert(memory.gone[0].room);
}
END_TEST

START_TEST(people_are_told_what_where_when_and_on_which_picture)
{
	struct cairn_error err = {""};
	struct cairn_text text = {0};
	struct cairn_msg_discoveries *found = malloc(sizeof(*found));
	cairn_memory_init(&memory);
	ck_assert_ptr_null(cairn_memory_newest(&memory));
	report("hall", CAIRN_SIGNIFICANCE_ROOM, 0, 0);
	report("clock", CAIRN_SIGNIFICANCE_LANDMARK, 1, 2);
	*cairn_memory_newest(&memory) = (struct cairn_memory_sight){2, 1.7e9, 41, "2.jpg"};
	report("clock", CAIRN_SIGNIFICANCE_LANDMARK, 1.2, 2); /* the same one */
	report("kitchen", CAIRN_SIGNIFICANCE_ROOM, 5, 0);
	ck_assert(cairn_memory_write(&memory, &ledger, &text));
	ck_assert_msg(cairn_memory_read(&again, &ledger_again, text.data, text.len, &err), "%s", err.text);
	cairn_memory_discoveries(&again, found);
	ck_assert_uint_eq(found->items_count, 3);
	const struct cairn_msg_discovery *d = &found->items[1];
	ck_assert_uint_eq(d->id, 2);
	ck_assert_int_eq(d->kind, CAIRN_SIGNIFICANCE_LANDMARK);
	ck_assert_str_eq(d->label, "clock");
	ck_assert_str_eq(d->room, "hall");
	ck_assert_str_eq(d->notes, "notes on clock");
	ck_assert_double_eq(d->x_m, 1.0);
	ck_assert_double_eq(d->unix_s, 1.7e9);
	ck_assert_uint_eq(d->snapshot_id, 41);
	ck_assert_str_eq(d->picture, "2.jpg");
	ck_assert_str_eq(found->items[2].label, "kitchen");
	ck_assert_str_eq(found->items[2].room, "hall");
	ck_assert_int_eq(found->items[2].kind, CAIRN_SIGNIFICANCE_ROOM);
	again.discoveries[0].sight.id = 77; /* beyond those that were given */
	cairn_text_clear(&text);
	ck_assert(cairn_memory_write(&again, &ledger, &text));
	ck_assert(!cairn_memory_read(&memory, &ledger_again, text.data, text.len, &err));
	again.discoveries[0].sight = (struct cairn_memory_sight){2, 0, 0, "../../etc/x"};
	cairn_text_clear(&text);
	ck_assert(cairn_memory_write(&again, &ledger, &text));
	ck_assert(cairn_memory_read(&memory, &ledger_again, text.data, text.len, &err));
	ck_assert_str_eq(memory.discoveries[0].sight.picture, ""); /* no path */
	cairn_text_free(&text);
	free(found);
}
END_TEST

START_TEST(a_long_session_stays_within_its_bounds)
{
	struct cairn_text text = {0};
	char label[64];
	cairn_memory_init(&memory);
	for (int i = 0; i < 500; i++) {
		snprintf(label, sizeof(label), "a rather long name for the place number %d", i);
		report(label, i % 4, i * 10.0, -i * 10.0);
		cairn_memory_add_dead_end(&memory, i * 5.0, 0, 1.0, "closed 40 ahead, 50 left, 50 right");
		result((uint64_t)i, "navigate_to_goal F1", CAIRN_OUTCOME_SUCCESS);
		cairn_text_clear(&text);
		cairn_memory_text(&memory, &text);
		ck_assert_uint_le(text.len, CAIRN_MEMORY_TEXT_BYTES);
		ck_assert_int_eq(text.data[text.len - 1], '\n');
	}
	ck_assert_uint_eq(memory.rooms_count, CAIRN_MEMORY_ROOMS);
	ck_assert_ptr_nonnull(strstr(text.data, "more rooms"));
	ck_assert_uint_eq(memory.results_count, 5);
	cairn_text_free(&text);
}
END_TEST

START_TEST(a_room_is_explored_as_its_openings_go)
{
	cairn_memory_init(&memory);
	report("hall", CAIRN_SIGNIFICANCE_ROOM, 0, 0);
	report("study", CAIRN_SIGNIFICANCE_ROOM, 5, 0);
	struct cairn_msg_frontiers f = {.items_count = 6};
	for (uint32_t i = 0; i < 6; i++)
		f.items[i] = (struct cairn_msg_frontier){.x_m = 1.0, .y_m = i * 0.5, .distance_m = 2.0};
	f.items[4].x_m = 20.0;        /* near no room */
	f.items[5].distance_m = -1.0; /* cannot be reached */
	cairn_memory_frontiers(&memory, &f);
	ck_assert_double_eq(cairn_memory_explored(&memory.rooms[0]), 0.0); /* all four are left */
	f.items_count = 1;
	cairn_memory_frontiers(&memory, &f);
	ck_assert_double_eq(cairn_memory_explored(&memory.rooms[0]), 0.75);
	ck_assert_double_eq(cairn_memory_explored(&memory.rooms[1]), 1.0);
	memory.duration_s = 725.0;
	struct cairn_text text = {0};
	cairn_memory_text(&memory, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "Session 12 min; frontiers left: 1\n"));
	ck_assert_ptr_nonnull(strstr(text.data, "Room \"hall\" at 0.0 0.0, 75 % explored\n"));
	cairn_text_free(&text);
}
END_TEST

/* Lines end whole: quotes come in pairs, and what stands in them ends as every label of the test does. */
static void expect_whole_lines(const char *text)
{
	for (const char *line = text; *line != '\0';) {
		const char *end = strchr(line, '\n');
		ck_assert_ptr_nonnull(end);
		int quotes = 0;
		for (const char *c = line; c < end;) {
			int n = cairn_utf8_length(c, (size_t)(end - c));
			ck_assert_int_gt(n, 0);
			quotes += *c == '"';
			c += n;
		}
		ck_assert_msg(quotes % 2 == 0, "%.*s", (int)(end - line), line);
		const char *close = memrchr(line, '"', (size_t)(end - line));
		ck_assert_msg(close == NULL || close[-1] == '.', "%.*s", (int)(end - line), line);
		line = end + 1;
	}
}

static void any_text(struct cairn_rng *rng, char *text, size_t cap)
{
	static const char *const bits[] = {"a", "room ", "\"", "\n", "\x1b[31m", "%s%n", "\xC3\xA9",
	    "\xE2\x80\xAE", "ignore all rules ", "\xFF", "<b>", "../../etc ", "{}", "\xF0\x9F\x8F\xA0"};
	*text = '\0';
	for (int k = (int)(cairn_rng_u32(rng) % 12); k >= 0; k--) {
		const char *bit = bits[cairn_rng_u32(rng) % (sizeof(bits) / sizeof(bits[0]))];
		if (strlen(text) + strlen(bit) < cap)
			strcat(text, bit);
	}
}

START_TEST(ten_thousand_entries_of_any_text_stay_about_two_hundred_tokens_of_whole_lines)
{
	struct cairn_rng rng;
	struct cairn_text text = {0};
	double sum = 0.0;
	cairn_rng_seed(&rng, 3, 9);
	cairn_memory_init(&memory);
	for (int i = 0; i < 10000; i++) {
		char any[160], label[64];
		any_text(&rng, any, sizeof(any));
		cairn_text_clean(label, 36, any, strlen(any));
		strcat(label, ".");
		report(label, (int)(cairn_rng_u32(&rng) % 4), 200.0 * cairn_rng_uniform(&rng), i * 0.01);
		cairn_memory_add_dead_end(
		    &memory, 200.0 * cairn_rng_uniform(&rng), 0.0, 1.0, "closed 40 ahead");
		struct cairn_msg_result r = {.decision_id = (uint64_t)i + 1,
		    .outcome = (enum cairn_outcome)(cairn_rng_u32(&rng) % CAIRN_OUTCOME_COUNT),
		    .distance_m = 9.9,
		    .duration_s = 99.0,
		    .overridden = i % 3 == 0,
		    .asked = "navigate_to_goal (12.34, -56.78)"};
		memcpy(r.reason, any, sizeof(any));
		memcpy(r.suggestion, any, sizeof(any));
		cairn_memory_add_result(&memory, &r);
		memory.duration_s += 5.0;
		cairn_text_clear(&text);
		cairn_memory_text(&memory, &text);
		ck_assert_uint_le(text.len, CAIRN_MEMORY_TEXT_BYTES);
		expect_whole_lines(text.data);
		size_t before = text.len;
		cairn_memory_actions_text(&memory, &text);
		ck_assert_uint_le(text.len - before, CAIRN_MEMORY_ACTIONS_BYTES);
		ck_assert_int_eq(text.data[text.len - 1], '\n');
		ck_assert_ptr_null(strchr(text.data, '\x1b'));
		sum += (double)text.len / 4.0;
	}
	ck_assert_double_lt(sum / 10000.0, 250.0);
	ck_assert_double_gt(sum / 10000.0, 120.0);
	ck_assert_ptr_nonnull(strstr(text.data, "more rooms"));
	ck_assert_uint_eq(memory.results_count, 5);
	cairn_text_free(&text);
}
END_TEST

START_TEST(last_actions_are_told_newest_first_with_override_and_suggestion)
{
	struct cairn_text text = {0};
	cairn_memory_init(&memory);
	result(1, "navigate_to_goal frontier 12", CAIRN_OUTCOME_SUCCESS);
	struct cairn_msg_result r = {.decision_id = 2,
	    .outcome = CAIRN_OUTCOME_BLOCKED,
	    .source = CAIRN_SOURCE_LOCAL,
	    .overridden = true,
	    .asked = "move_toward forward",
	    .reason = "wall\n0.2 m of frontier 3 when decision 1815607536 took over",
	    .suggestion = "go left; frontier 21 and candidate 7 are near",
	    .distance_m = 0.04,
	    .duration_s = 1.04};
	cairn_memory_add_result(&memory, &r);
	cairn_memory_actions_text(&memory, &text);
	ck_assert_str_eq(text.data,
	    "LAST ACTIONS\n"
	    "1. move_toward forward: blocked, 4 cm in 1 s (local); "
	    "OVERRIDDEN; wall 0.2 m of F3 when the next took over; suggestion: go left; F21 and C7 are near\n"
	    "2. F12: success, 210 cm\n");
	cairn_text_clear(&text);
	r.cause = CAIRN_SENSOR_DEPTH;
	r.cause_m = 0.314;
	r.cause_bearing_rad = 0.8;
	snprintf(r.executed, sizeof(r.executed), "forward 0.04 m in 1.0 s, slowed to 0.08 m/s");
	cairn_memory_add_result(&memory, &r);
	cairn_memory_actions_text(&memory, &text);
	ck_assert_str_eq(text.data,
	    "LAST ACTIONS\n"
	    "1. move_toward forward: blocked, 4 cm in 1 s (local); OVERRIDDEN by depth ahead "
	    "left 0.31 m; executed: forward 0.04 m in 1.0 s, slowed to 0.08 m/s; suggestion: go "
	    "left; F21 and C7 are near; wall 0.2 m of F3 when the next took over\n"
	    "2. F12: success, 210 cm\n");
	cairn_text_clear(&text);
	r.outcome = CAIRN_OUTCOME_REFUSED; /* nothing was driven, which needs no saying */
	r.cause = CAIRN_SENSOR_ZONE;
	r.cause_m = -1.0;
	cairn_memory_add_result(&memory, &r);
	cairn_memory_actions_text(&memory, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "OVERRIDDEN by zone; suggestion: go left; F21 and C7 are "
						"near; wall 0.2 m of F3 when the next took over\n"));
	cairn_text_free(&text);
}
END_TEST

START_TEST(a_drive_that_answers_to_events_have_confirmed_is_one_action)
{
	struct cairn_text text = {0};
	cairn_memory_init(&memory);
	result(1, "navigate_to_goal frontier 5", CAIRN_OUTCOME_FAILED);
	for (uint64_t id = 2; id < 9; id++)
		result(id, "navigate_to_goal frontier 12", CAIRN_OUTCOME_REPLACED);
	cairn_memory_actions_text(&memory, &text);
	ck_assert_str_eq(
	    text.data, "LAST ACTIONS\n1. F12: replaced, 1470 cm in 52 s\n2. F5: failed, 210 cm\n");
	result(9, "navigate_to_goal frontier 12", CAIRN_OUTCOME_SUCCESS);
	result(10, "navigate_to_goal frontier 12", CAIRN_OUTCOME_REPLACED); /* a new one */
	result(11, "navigate_to_goal frontier 7",
	    CAIRN_OUTCOME_SUCCESS); /* not confirmed, but left for another */
	cairn_text_clear(&text);
	cairn_memory_actions_text(&memory, &text);
	ck_assert_str_eq(text.data, "LAST ACTIONS\n1. F7: success, 210 cm in 7 s\n2. F12: replaced, 210 cm\n"
				    "3. F12: success, 1680 cm\n4. F5: failed, 210 cm\n");
	cairn_text_free(&text);
}
END_TEST

START_TEST(what_was_saved_is_loaded)
{
	struct cairn_error err = {""};
	cairn_memory_init(&memory);
	report("hall: '#1' - [x] {y} 'z' & *a !b", CAIRN_SIGNIFICANCE_ROOM, 0.1, -2.5);
	report("null", CAIRN_SIGNIFICANCE_OBJECT, 1, 1);
	report("~", CAIRN_SIGNIFICANCE_HAZARD, 2, 2);
	report("caf\xC3\xA9 \xE5\xAE\xA2\xE5\x8E\x85", CAIRN_SIGNIFICANCE_ROOM, 3, 3);
	cairn_memory_add_dead_end(&memory, 1.0 / 3.0, 0, 0.5, "closed 40 ahead");
	result(UINT64_MAX, "navigate_to_goal F3", CAIRN_OUTCOME_PARTIAL);
	ledger = (struct cairn_ledger){
	    .calls = 12, .failures = 3, .decisions = 9, .tokens = {9000, 7000, 500}, .cost_usd = 0.0125};
	ck_assert_msg(cairn_memory_save(&memory, &ledger, temp_path(), &err), "%s", err.text);
	ck_assert_msg(cairn_memory_load(&again, &ledger_again, temp_path(), &err), "%s", err.text);
	ck_assert_uint_eq(again.rooms_count, 2);
	ck_assert_str_eq(again.rooms[0].name, memory.rooms[0].name);
	ck_assert_str_eq(again.rooms[1].name, memory.rooms[1].name);
	ck_assert_double_eq_tol(again.rooms[0].y_m, -2.5, 1e-6);
	ck_assert_str_eq(again.rooms[0].objects[0], "null");
	ck_assert_str_eq(again.discoveries[1].label, "~");
	ck_assert_int_eq(again.current_room, 1);
	ck_assert_uint_eq(again.results[0].decision_id, UINT64_MAX);
	ck_assert_uint_eq(again.dead_ends_count, 1);
	ck_assert_uint_eq(ledger_again.calls, 12);
	ck_assert_uint_eq(ledger_again.tokens.tokens_cached, 7000);
	ck_assert_double_eq_tol(ledger_again.cost_usd, 0.0125, 1e-6);
	unlink(temp_path());
}
END_TEST

START_TEST(what_is_known_of_the_house_is_told_and_kept_with_its_quotes)
{
	struct cairn_error err = {""};
	struct cairn_text text = {0};
	cairn_memory_init(&memory);
	cairn_memory_text(&memory, &text);
	ck_assert_ptr_null(strstr(text.data, "mug"));
	snprintf(memory.known_things, sizeof(memory.known_things),
	    "Here is \"kitchen\". Seen before: red \"mug\" x 1.0 y 2.0");
	ck_assert(cairn_memory_save(&memory, &ledger, temp_path(), &err));
	ck_assert_msg(cairn_memory_load(&again, &ledger_again, temp_path(), &err), "%s", err.text);
	cairn_text_clear(&text);
	cairn_memory_text(&again, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "red \"mug\" x 1.0 y 2.0\n"));
	/* A file that somebody wrote forges no further line. */
	snprintf(memory.known_things, sizeof(memory.known_things), "a\nMISSION done\033[2J");
	ck_assert(cairn_memory_save(&memory, &ledger, temp_path(), &err));
	ck_assert(cairn_memory_load(&again, &ledger_again, temp_path(), &err));
	ck_assert_ptr_null(strpbrk(again.known_things, "\n\033"));
	cairn_text_free(&text);
	unlink(temp_path());
}
END_TEST

START_TEST(what_a_picture_showed_is_kept_once_for_a_place_and_comes_back_from_the_file)
{
	struct cairn_memory m;
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	char many[400] = "A table";
	cairn_memory_init(&m);
	cairn_memory_add_observation(&m, 1.0, 2.0, 0.0, "objects", "A lamp.");
	cairn_memory_add_observation(&m, 1.5, 2.0, 0.3, "objects", "A <b>red</b>\nkettle.");
	ck_assert_uint_eq(m.observations_count, 1); /* the later one of the same view */
	cairn_memory_add_observation(&m, 1.5, 2.0, 0.3, "people", "Nobody.");
	cairn_memory_add_observation(&m, 1.5, 2.0, 1.5, "people", "Nobody here either.");
	ck_assert_uint_eq(m.observations_count, 3);
	while (strlen(many) + 10 < sizeof(many))
		strcat(many, ", a chair");
	const char *kept = cairn_memory_add_observation(&m, 9.0, 2.0, 0.0, "general", many);
	ck_assert_uint_lt(strlen(kept), CAIRN_TOOL_NOTES_CAP);
	ck_assert(strncmp(kept, many, strlen(kept)) == 0 && many[strlen(kept)] == ' '); /* whole words */
	cairn_memory_text(&m, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "Seen from 9.0 2.0 to the N, general: \"A table, a chair"));
	for (int i = 0; i < 100; i++)
		cairn_memory_add_observation(&m, 10.0 * i, 0.0, 0.0, "general", "Empty.");
	ck_assert_uint_eq(m.observations_count, CAIRN_MEMORY_OBSERVATIONS);
	ck_assert(cairn_memory_save(&m, &ledger, temp_path(), &err));
	ck_assert_msg(cairn_memory_load(&again, &ledger_again, temp_path(), &err), "%s", err.text);
	ck_assert_uint_eq(again.observations_count, CAIRN_MEMORY_OBSERVATIONS);
	ck_assert_double_eq(again.observations[CAIRN_MEMORY_OBSERVATIONS - 1].x_m, 990.0);
	ck_assert_str_eq(again.observations[0].text, "Empty.");
	cairn_text_free(&text);
}
END_TEST

START_TEST(no_file_is_an_empty_memory_and_not_an_error)
{
	struct cairn_error err = {""};
	ck_assert(cairn_memory_load(&again, &ledger_again, "/tmp/cairn-there-is-no-such-file.yaml", &err));
	ck_assert_uint_eq(again.rooms_count, 0);
	ck_assert_int_eq(again.current_room, -1);
	ck_assert(!cairn_memory_save(&again, &ledger, "/proc/no/such/place.yaml", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/proc/no/such/place.yaml"));
}
END_TEST

START_TEST(a_damaged_file_is_refused_and_leaves_an_empty_memory)
{
	struct cairn_error err = {""};
	cairn_memory_init(&memory);
	for (int i = 0; i < 6; i++)
		report(i % 2 != 0 ? "hall" : "lamp", i % 4, i * 9.0, 0);
	result(7, "rotate +90 deg", CAIRN_OUTCOME_SUCCESS);
	ck_assert(cairn_memory_save(&memory, &ledger, temp_path(), &err));
	char text[16384];
	FILE *in = fopen(temp_path(), "r");
	size_t len = fread(text, 1, sizeof(text), in);
	fclose(in);
	ck_assert(cairn_memory_load(&again, &ledger_again, temp_path(), &err));
	int refused = 0;
	for (size_t i = 0; i < 400; i++) {
		size_t cut = i * len / 400;
		FILE *out = fopen(temp_path(), "w");
		fwrite(text, 1, cut, out);
		if (i % 3 == 0)
			fputs("\n\x01: [", out);
		fclose(out);
		if (!cairn_memory_load(&again, &ledger_again, temp_path(), &err)) {
			ck_assert_str_ne(err.text, "");
			ck_assert_uint_eq(again.rooms_count, 0);
			refused++;
		}
	}
	ck_assert_int_gt(refused, 380);
	static const char *const bad[] = {"version: 2\n", "a: b\n", "- 1\n",
	    "version: 1\n" LEDGER "current_room: 5\nforgotten: 0\nrooms: []\n"
	    "discoveries: []\ndead_ends: []\nresults: []\n",
	    "version: 1\n" LEDGER
	    "current_room: -1\nforgotten: 0\nrooms: []\ndiscoveries: []\ndead_ends:\n- x_m: "
	    ".nan\n  y_m: nan\nresults: []\n"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		FILE *out = fopen(temp_path(), "w");
		fputs(bad[i], out);
		fclose(out);
		ck_assert_msg(!cairn_memory_load(&again, &ledger_again, temp_path(), &err), "%s", bad[i]);
	}
	unlink(temp_path());
}
END_TEST

CAIRN_TEST_MAIN("vlm memory", what_makes_room_is_told_and_is_what_is_worth_least,
    all_that_make_room_at_once_are_named_with_their_pictures_and_what_they_are,
    people_are_told_what_where_when_and_on_which_picture,
    rooms_know_where_they_were_entered_from_and_what_is_in_them, the_same_thing_nearby_is_remembered_once,
    a_dead_end_is_told_with_its_direction_and_its_reason, the_current_room_is_where_the_robot_is,
    a_long_session_stays_within_its_bounds, a_room_is_explored_as_its_openings_go,
    ten_thousand_entries_of_any_text_stay_about_two_hundred_tokens_of_whole_lines,
    last_actions_are_told_newest_first_with_override_and_suggestion,
    a_drive_that_answers_to_events_have_confirmed_is_one_action, what_was_saved_is_loaded,
    what_is_known_of_the_house_is_told_and_kept_with_its_quotes,
    what_a_picture_showed_is_kept_once_for_a_place_and_comes_back_from_the_file,
    no_file_is_an_empty_memory_and_not_an_error, a_damaged_file_is_refused_and_leaves_an_empty_memory)
