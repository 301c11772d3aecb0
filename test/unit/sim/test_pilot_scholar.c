/* The scholar: its grammar, and that it knows nothing but what it is told. */
#include "common/sim/pilot/pilot_scholar.h"
#include "test/support/runner.h"

START_TEST(questions_are_parsed_by_a_small_grammar)
{
	static const struct {
		const char *task;
		enum cairn_scholar_class kind;
		const char *what, *room;
	} rows[] = {{"Where is the sofa?", CAIRN_SCHOLAR_WHERE, "sofa", ""},
	    {"find my red kettle", CAIRN_SCHOLAR_WHERE, "red kettle", ""},
	    {"Is there a bathtub in the house?", CAIRN_SCHOLAR_EXISTS, "bathtub", ""},
	    {"Are there any shelves in the kitchen?", CAIRN_SCHOLAR_EXISTS, "shelf", "kitchen"},
	    {"How many chairs are in the kitchen?", CAIRN_SCHOLAR_COUNT, "chair", "kitchen"},
	    {"How many dining chairs are there?", CAIRN_SCHOLAR_COUNT, "dining chair", ""},
	    {"How many boxes do we have?", CAIRN_SCHOLAR_COUNT, "box", ""},
	    {"What colour is the rug?", CAIRN_SCHOLAR_COLOUR, "rug", ""},
	    {"Bring me wine", CAIRN_SCHOLAR_BRING, "wine", ""},
	    {"Open the fridge.", CAIRN_SCHOLAR_OPEN, "fridge", ""},
	    {"Is the lid of the laptop closed?", CAIRN_SCHOLAR_STATE, "laptop", ""},
	    {"Is the lamp in the living room on?", CAIRN_SCHOLAR_STATE, "lamp", "living room"},
	    {"What is on the table in the den?", CAIRN_SCHOLAR_ON, "table", "den"},
	    {"Seen from the middle of the den, is the cup left of the box?", CAIRN_SCHOLAR_LEFT, "cup", ""},
	    {"Is there a box that is open?", CAIRN_SCHOLAR_EXISTS, "box that is open", ""},
	    {"Sing me a song", CAIRN_SCHOLAR_NONE, "", ""}, {"", CAIRN_SCHOLAR_NONE, "", ""},
	    {"Where is ?", CAIRN_SCHOLAR_NONE, "", ""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_scholar_question q;
		cairn_scholar_parse(rows[i].task, &q);
		ck_assert_msg(q.kind == rows[i].kind && strcmp(q.what, rows[i].what) == 0 &&
				  strcmp(q.room, rows[i].room) == 0,
		    "'%s': %d '%s' in '%s'", rows[i].task, (int)q.kind, q.what, q.room);
	}
}
END_TEST

static struct cairn_text out;

static const char *verify(const char *task, const char *graph)
{
	char text[2048], tool[64];
	snprintf(text, sizeof(text), "<task>\n%s\n</task>\n<memory>\n</memory>\n<graph>\n%s</graph>\n", task,
	    graph);
	ck_assert(cairn_scholar_answer(text, "verify_task", tool, &out));
	ck_assert_str_eq(tool, "verify_task");
	return out.data;
}

#define ROOMS                                                                                                \
	"rooms: 2\n- room_1: kitchen, 9 m2 at (1.0, 2.0), openings near it 0\n- room_2: hall, 9 m2 at "      \
	"(4.0, 2.0)\n"
#define KETTLE "things: 1\n- kettle_3: red kettle in room_1 (kitchen) at (1.2, 2.0), seen 4 times\n"
#define STALE                                                                                                \
	"things: 1\n- kettle_3: red kettle in room_1 (kitchen) at (1.2, 2.0), seen 4 times, stale: not "     \
	"there any more when the robot looked last\n"

START_TEST(it_answers_from_what_it_is_told_and_from_nothing_else)
{
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the kettle?", ROOMS KETTLE "openings into the unknown: 2\n"),
		"in the kitchen (room_1)"));
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the kettle?", ROOMS KETTLE "openings into the unknown: 2\n"),
		"\"kettle_3\",\"room_1\""));
	/* The same house, another question; another house, the same question. */
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the vase?", ROOMS KETTLE "openings into the unknown: 0\n"),
		"\"verdict\":\"cannot\""));
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the vase?", ROOMS KETTLE "openings into the unknown: 2\n"),
		"\"verdict\":\"not_yet\""));
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the kettle?", ROOMS "things: 0\nopenings into the unknown: 0\n"),
		"\"verdict\":\"cannot\""));
	ck_assert_ptr_nonnull(
	    strstr(verify("Where is the kettle?", ROOMS STALE "openings into the unknown: 0\n"),
		"\"verdict\":\"cannot\""));
	/* No guess without a graph. */
	ck_assert_ptr_nonnull(strstr(verify("Is there a kettle?", ""), "\"verdict\":\"cannot\""));
	ck_assert_ptr_nonnull(
	    strstr(verify("How many kettles are there?", ROOMS KETTLE "openings into the unknown: 1\n"),
		"\"verdict\":\"not_yet\""));
	ck_assert_ptr_nonnull(
	    strstr(verify("How many kettles are there?", ROOMS KETTLE "openings into the unknown: 0\n"),
		"1 kettle was seen"));
	ck_assert_ptr_nonnull(
	    strstr(verify("What colour is the kettle?", ROOMS KETTLE "openings into the unknown: 0\n"),
		"The kettle is red"));
	cairn_text_free(&out);
}
END_TEST

#define CABIN                                                                                                \
	"rooms: 1\n- room_1: kitchen, 9 m2 at (2.0, 2.0), openings near it 0\nthings: 4\n"                   \
	"- fridge_1: white fridge in room_1 (kitchen) at (4.0, 3.0), seen 4 times, picture 7, closed\n"      \
	"- stove_2: grey stove in room_1 (kitchen) at (4.0, 1.0), seen 4 times\n"                            \
	"- table_4: table in room_1 (kitchen) at (1.0, 1.0), seen 9 times, with tea_pot_5, cup_6 on it\n"    \
	"- lamp_7: lamp in room_1 (kitchen) at (0.5, 0.5), seen 9 times, on, standing on table_4, stale: "   \
	"not there any more when the robot looked last\n"                                                    \
	"- lamp_8: lamp in room_1 (kitchen) at (0.5, 0.5), seen 9 times, off, standing on table_4\n"         \
	"openings into the unknown: 2\n"

START_TEST(state_place_and_side_of_a_thing_are_told_from_its_line)
{
	static const struct {
		const char *task, *answer;
	} rows[] = {{"Is the fridge open?", "\"The fridge is closed.\",\"evidence\":[\"fridge_1\"]"},
	    {"Is the door of the fridge in the kitchen closed?", "\"The fridge is closed.\""},
	    {"Is the lamp on?", "\"The lamp is off.\",\"evidence\":[\"lamp_8\"]"},
	    {"What colour is the fridge?", "\"The fridge is white.\""},
	    {"What is on the table in the kitchen?", "\"On the table is the tea pot.\""},
	    {"What is on the table?", "\"evidence\":[\"table_4\",\"tea_pot_5\"]"},
	    /* From (2, 2) the fridge is ahead and to the left, the stove ahead and to the right. */
	    {"Seen from the middle of the kitchen, is the stove left of the fridge?",
		"\"The stove is right of the fridge.\",\"evidence\":[\"stove_2\",\"fridge_1\"]"},
	    {"Seen from the middle of the kitchen, is the fridge right of the stove?",
		"\"The fridge is left of the stove.\""},
	    /* What the text does not say is not said. */
	    {"Is the stove open?", "\"verdict\":\"not_yet\""},
	    {"What is on the stove?", "\"verdict\":\"not_yet\""},
	    {"What colour is the table?", "\"verdict\":\"not_yet\""},
	    {"Is the fridge in the hall open?", "\"verdict\":\"not_yet\""},
	    {"Seen from the middle of the hall, is the stove left of the fridge?", "\"verdict\":\"not_yet\""},
	    {"Seen from the middle of the kitchen, is the stove left of the sofa?",
		"\"verdict\":\"not_yet\""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *said = verify(rows[i].task, CABIN);
		ck_assert_msg(strstr(said, rows[i].answer) != NULL, "%s: %s", rows[i].task, said);
	}
	cairn_text_free(&out);
}
END_TEST

START_TEST(equal_requests_are_answered_equally)
{
	char *first = strdup(verify("Where is the kettle?", ROOMS KETTLE));
	for (int i = 0; i < 3; i++) {
		(void)verify("Is there a sofa?", ROOMS);
		ck_assert_str_eq(verify("Where is the kettle?", ROOMS KETTLE), first);
	}
	free(first);
	cairn_text_free(&out);
}
END_TEST

START_TEST(it_says_that_it_sees_no_pictures_and_leaves_other_tools_alone)
{
	char tool[64];
	ck_assert(
	    cairn_scholar_answer("<task>\nWhere is the kettle?\n</task>\n", "describe_pictures", tool, &out));
	ck_assert_ptr_nonnull(strstr(out.data, "cannot see pictures"));
	ck_assert(!cairn_scholar_answer("", "rotate stop_robot", tool, &out));
	cairn_text_free(&out);
}
END_TEST

START_TEST(it_looks_last_where_people_hardly_keep_such_a_thing)
{
	char text[2048], tool[64];
	static const char graph[] =
	    ROOMS "things: 0\nopenings into the unknown: 3\n"
		  "- A: floor not looked at, 3 m2 at (1.0, 2.0), 1.0 m to drive, near room_1\n"
		  "- B: doorway 0.9 m wide at (2.0, 2.0), 2.0 m to drive, near room_1\n"
		  "- C: floor not looked at, 3 m2 at (4.0, 2.0), 4.0 m to drive, near room_2\n";
	static const struct {
		const char *task, *letters, *until;
	} rows[] = {
	    {"Where is the bed?", "\"letters\":[\"B\"],\"later\":[\"A\",\"C\"]", "\"until\":\"room\""},
	    {"Where is the kettle?", "\"letters\":[\"A\",\"B\"],\"later\":[\"C\"]", "\"until\":\"room\""},
	    {"Where is the kitchen clock?", "\"letters\":[\"A\",\"B\"],\"later\":[\"C\"]",
		"\"until\":\"room\""},
	    {"Where is the gizmo?", "\"letters\":[\"A\",\"B\",\"C\"],\"later\":[]", "\"until\":\"thing\""},
	    {"How many beds are there?", "\"letters\":[\"A\",\"B\",\"C\"],\"later\":[]",
		"\"until\":\"all\""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text),
		    "<task>\n%s\n</task>\n<memory>\n</memory>\n<graph>\n%s</graph>\n", rows[i].task, graph);
		ck_assert(cairn_scholar_answer(text, "choose_opening", tool, &out));
		ck_assert_msg(
		    strstr(out.data, rows[i].letters) != NULL && strstr(out.data, rows[i].until) != NULL,
		    "%s: %s", rows[i].task, out.data);
	}
	cairn_text_free(&out);
}
END_TEST

START_TEST(a_way_told_in_words_is_divided_into_its_parts)
{
	static const struct {
		const char *task, *parts[6];
	} rows[] = {{"Turn round, pass the coffee table, take the second door on the left, and stop at the "
		     "floor lamp.",
			{"turn round", "pass coffee table", "door 2 left", "stop at floor lamp"}},
	    {"Take the first door on your right; then go to the child's bed",
		{"door 1 right", "stop at child's bed"}},
	    {"Turn around, go past the sofa.", {"turn round", "pass sofa"}},
	    {"Stop at the lamp.", {NULL}}, /* one part is no way */
	    {"Take the second door on the roof, stop at the lamp", {NULL}},
	    {"Turn round, dance, stop at the lamp", {NULL}}, {"Where is the sofa?", {NULL}}, {"", {NULL}}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char parts[CAIRN_SCHOLAR_PARTS_MAX][64];
		uint32_t n = cairn_scholar_route(rows[i].task, parts);
		for (uint32_t k = 0; k < n; k++)
			ck_assert_msg(rows[i].parts[k] != NULL && strcmp(parts[k], rows[i].parts[k]) == 0,
			    "%s: '%s'", rows[i].task, parts[k]);
		ck_assert_msg(rows[i].parts[n] == NULL, "%s: %u parts", rows[i].task, n);
	}
}
END_TEST

#define WAY "<task>\nPass the vase, take the second door on the left, stop at the kettle.\n</task>\n"
#define WAY_PLAN(door, stop)                                                                                 \
	"<plan>\n1. pass vase (done: passed vase_1)\n2. door 2 left" door "\n3. stop at kettle" stop         \
	"\n</plan>\n"

START_TEST(a_part_that_does_not_fit_becomes_the_door_before_or_is_left_out)
{
	static const struct {
		const char *plan, *tool, *said;
	} rows[] = {{WAY_PLAN("", ""), "write_plan", "\"lines\":[\"door 1 left\",\"stop at kettle\"]"},
	    {"<plan>\n1. door 1 left\n2. stop at kettle\n</plan>\n", "write_plan",
		"\"lines\":[\"stop at kettle\"]"},
	    {WAY_PLAN(" (done: it was)", ""), "write_plan", "\"lines\":[]"},
	    {"", "prepare_task", "\"labels\":[\"vase\",\"kettle\"]"},
	    {"", "prepare_task", "\"route\":[\"pass vase\",\"door 2 left\",\"stop at kettle\"]"},
	    /* The kettle is known in each of them: what counts is whether the plan says that the robot stands there. */
	    {WAY_PLAN(" (done: it was)", ""), "verify_task", "\"verdict\":\"cannot\""},
	    {WAY_PLAN(" (done: it was)", " (left out: it does not fit)"), "verify_task",
		"\"verdict\":\"cannot\""},
	    {WAY_PLAN(" (done: it was)", " (done: stands at kettle_3)"), "verify_task",
		"\"verdict\":\"accomplished\",\"claim\":\"found\""}};
	char text[2048], tool[64];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), WAY "%s<memory>\n</memory>\n<graph>\n%s</graph>\n", rows[i].plan,
		    ROOMS KETTLE "openings into the unknown: 0\n");
		ck_assert(cairn_scholar_answer(text, rows[i].tool, tool, &out));
		ck_assert_msg(strstr(out.data, rows[i].said) != NULL, "row %zu: %s", i, out.data);
	}
	cairn_text_free(&out);
}
END_TEST

START_TEST(a_thing_is_known_by_whole_words)
{
	ck_assert(cairn_scholar_same_thing("red dining chair", "chair"));
	ck_assert(cairn_scholar_same_thing("armchair, Chair", "chair"));
	ck_assert(!cairn_scholar_same_thing("armchair", "chair"));
	ck_assert(!cairn_scholar_same_thing("chairs", "chair"));
	ck_assert(!cairn_scholar_same_thing("chair", ""));
	ck_assert(!cairn_scholar_same_thing("", ""));
}
END_TEST

CAIRN_TEST_MAIN("scholar", a_way_told_in_words_is_divided_into_its_parts,
    a_part_that_does_not_fit_becomes_the_door_before_or_is_left_out, a_thing_is_known_by_whole_words,
    questions_are_parsed_by_a_small_grammar, it_answers_from_what_it_is_told_and_from_nothing_else,
    state_place_and_side_of_a_thing_are_told_from_its_line, equal_requests_are_answered_equally,
    it_says_that_it_sees_no_pictures_and_leaves_other_tools_alone,
    it_looks_last_where_people_hardly_keep_such_a_thing)
