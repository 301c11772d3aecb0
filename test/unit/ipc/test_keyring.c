/* Files under test: ipc/keyring.c, ipc/commands.c, ipc/remote_rules.c. No sockets, no clock. */
#include "common/base/geom.h"
#include "ipc/remote_files.h"
#include "ipc/remote_rules.h"
#include "test/support/runner.h"

/* The key pair of the CURVE test of ZeroMQ's RFC 32 and two made up: what they are does not matter here. */
#define KEY_A "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define KEY_B "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define KEY_C "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
#define T0_NS INT64_C(1000000000000)

static struct cairn_error err;

START_TEST(a_key_file_gives_back_what_was_written)
{
	struct cairn_key key = {.name = "anna-1.x",
			     .public_key = KEY_A,
			     .secret_key = KEY_B,
			     .robot_key = KEY_C},
			 got;
	char text[CAIRN_KEY_FILE_MAX];
	ck_assert_int_gt(cairn_key_format(&key, true, text, sizeof(text)), 0);
	ck_assert_msg(cairn_key_parse(text, &got, &err), "%s", err.text);
	ck_assert_int_eq(memcmp(&key, &got, sizeof(key)), 0);
	ck_assert_int_gt(cairn_key_format(&key, false, text, sizeof(text)), 0);
	ck_assert_ptr_null(strstr(text, KEY_B)); /* the public half tells nothing of the secret one */
	ck_assert(cairn_key_parse(text, &got, &err));
	ck_assert_str_eq(got.secret_key, "");
	ck_assert_int_lt(cairn_key_format(&key, true, text, 20), 0);
}
END_TEST

START_TEST(a_broken_key_is_refused_and_the_secret_is_not_in_the_reason)
{
	static const struct {
		const char *text, *why;
	} cases[] = {{"", "must be there"}, {"name: a\n", "must be there"},
	    {"public: " KEY_A "\n", "must be there"}, {"name: a b\npublic: " KEY_A "\n", "line 1"},
	    {"name: a\npublic: short\n", "line 2: a key has 40"},
	    {"name: a\npublic: " KEY_A "\nsecret: " KEY_B "x\n", "line 3: a key has 40"},
	    {"name: a\n\npublic: " KEY_A "\ncolour: " KEY_B "\n", "line 4: not a line of a key"},
	    {"name: ../a\npublic: " KEY_A "\n", "line 1"},
	    {"name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\npublic: " KEY_A "\n", "line 1"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_key key = {.name = "before"};
		ck_assert_msg(!cairn_key_parse(cases[i].text, &key, &err), "case %zu", i);
		ck_assert_msg(strstr(err.text, cases[i].why) != NULL, "case %zu: %s", i, err.text);
		ck_assert_ptr_null(strstr(err.text, KEY_B));
		ck_assert_str_eq(key.name, "before");
	}
}
END_TEST

START_TEST(a_list_tells_who_may_do_what)
{
	struct cairn_allow list;
	ck_assert_msg(cairn_allow_parse("# who\n\nanna " KEY_A " watch,drive # on the phone\n  bob\t" KEY_B
					"  watch\r\n",
			  &list, &err),
	    "%s", err.text);
	ck_assert_int_eq(list.count, 2);
	ck_assert_ptr_eq(cairn_allow_by_key(&list, KEY_A), cairn_allow_by_name(&list, "anna"));
	ck_assert_ptr_null(cairn_allow_by_key(&list, KEY_C));
	ck_assert_ptr_null(cairn_allow_by_name(&list, "ann"));
	unsigned anna = cairn_allow_by_name(&list, "anna")->rights,
		 bob = cairn_allow_by_name(&list, "bob")->rights;
	ck_assert(cairn_rights_allow(anna, CAIRN_RIGHT_DRIVE) && cairn_rights_allow(anna, CAIRN_RIGHT_WATCH));
	ck_assert(!cairn_rights_allow(anna, CAIRN_RIGHT_CONFIGURE));
	ck_assert(cairn_rights_allow(bob, CAIRN_RIGHT_ANY) && !cairn_rights_allow(bob, CAIRN_RIGHT_DRIVE));
	ck_assert(!cairn_rights_allow(0, CAIRN_RIGHT_ANY));
}
END_TEST

START_TEST(a_broken_list_is_refused_as_a_whole_with_the_line)
{
	static const struct {
		const char *text, *why;
	} cases[] = {{"", "lets nobody in"}, {"# nobody\n", "lets nobody in"},
	    {"anna " KEY_A "\n", "line 1: must be"}, {"anna " KEY_A " watch drive\n", "line 1: must be"},
	    {"anna short watch\n", "40 characters"}, {"an/na " KEY_A " watch\n", "not a name"},
	    {"anna " KEY_A " watch,fly\n", "'fly' is no right"}, {"anna " KEY_A " ,\n", "is no right"},
	    {"anna " KEY_A " any\n", "'any' is no right"},
	    {"anna " KEY_A " watch\nanna " KEY_B " watch\n", "line 2: this name or key"},
	    {"anna " KEY_A " watch\nbob " KEY_A " watch\n", "line 2: this name or key"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_allow list = {.count = 7};
		ck_assert_msg(!cairn_allow_parse(cases[i].text, &list, &err), "case %zu", i);
		ck_assert_msg(strstr(err.text, cases[i].why) != NULL, "case %zu: %s", i, err.text);
		ck_assert_int_eq(list.count, 7);
	}
}
END_TEST

START_TEST(a_list_longer_than_there_is_room_for_is_refused)
{
	static char text[CAIRN_ALLOW_FILE_MAX];
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+";
	size_t n = 0;
	struct cairn_allow list;
	for (int i = 0; i <= CAIRN_ALLOW_MAX; i++)
		n +=
		    (size_t)snprintf(text + n, sizeof(text) - n, "k%d %c%s watch\n", i, digits[i], KEY_A + 1);
	ck_assert(!cairn_allow_parse(text, &list, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "line 65: more than 64 keys"));
}
END_TEST

START_TEST(every_command_has_a_right_and_whoever_may_anything_may_stop)
{
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		const struct cairn_command_row *row = &cairn_commands[i];
		ck_assert_ptr_eq(cairn_command_find(row->service, row->verb), row);
		bool stop = strcmp(row->verb, "stop") == 0;
		bool ping = strcmp(row->verb, "ping") == 0 || strcmp(row->verb, "where") == 0; /* only tell */
		ck_assert_msg((stop || ping) == (row->right == CAIRN_RIGHT_ANY), "%s", row->verb);
		bool lasting = row->service == CAIRN_SERVICE_LAUNCHER_CTL || strcmp(row->verb, "zone") == 0 ||
			       strcmp(row->verb, "call") == 0;
		ck_assert_msg((lasting && !ping) == (row->right == CAIRN_RIGHT_CONFIGURE), "%s", row->verb);
	}
	ck_assert_ptr_null(cairn_command_find(CAIRN_SERVICE_OPERATOR, "release"));
	ck_assert_ptr_null(cairn_command_find(CAIRN_SERVICE_OPERATOR, ""));
}
END_TEST

/* ---- the gate ---- */

static struct cairn_allow list;
static struct cairn_remote_gate gate;

static void open_gate(void)
{
	ck_assert(cairn_allow_parse("anna " KEY_A " watch,drive\nbob " KEY_B " watch\n", &list, &err));
	cairn_remote_gate_init(&gate, &list, 5.0, 30.0);
}

static enum cairn_remote_verdict ask(
    const char *name, int service, const char *verb, int64_t expires_ns, int64_t now_ns)
{
	struct cairn_msg_command cmd = {.expires_ns = expires_ns};
	const char *key = strcmp(name, "anna") == 0 ? KEY_A : strcmp(name, "bob") == 0 ? KEY_B : KEY_C;
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	err.text[0] = '\0';
	return cairn_remote_judge(&gate, key, service, &cmd, now_ns, &err);
}

START_TEST(a_key_may_do_what_its_rights_say_and_nothing_else)
{
	open_gate();
	int64_t until = T0_NS + CAIRN_NS_PER_S;
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_PASSED);
	ck_assert_int_eq(ask("bob", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_str_eq(err.text, "needs the right to drive; key 'bob' has: watch");
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_LAUNCHER_CTL, "down", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "the right to configure"));
	ck_assert_int_eq(ask("bob", CAIRN_SERVICE_MOTOR_CTL, "release", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(ask("bob", CAIRN_SERVICE_MOTOR_CTL, "stop", 0, T0_NS), CAIRN_REMOTE_PASSED);
	ck_assert_int_eq(ask("eve", CAIRN_SERVICE_MOTOR_CTL, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "not on the list"));
	struct cairn_msg_command stop = {.verb = "stop"};
	ck_assert_int_eq(
	    cairn_remote_judge(&gate, "", CAIRN_SERVICE_MOTOR_CTL, &stop, T0_NS, &err), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(cairn_remote_judge(&gate, "anna", CAIRN_SERVICE_MOTOR_CTL, &stop, T0_NS, &err),
	    CAIRN_REMOTE_REFUSED); /* a name is no key */
}
END_TEST

START_TEST(a_key_that_was_replaced_under_the_same_name_has_no_rights_left)
{
	struct cairn_allow next;
	open_gate();
	ck_assert(cairn_allow_parse("anna " KEY_C " watch,drive\n", &next, &err));
	ck_assert(cairn_allow_take(&list, CAIRN_ALLOW_GOOD, &next));
	int64_t until = T0_NS + CAIRN_NS_PER_S;
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "not on the list any more"));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(ask("new", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_PASSED);
}
END_TEST

START_TEST(a_list_that_is_missing_or_empty_lets_nobody_in_and_one_that_cannot_be_read_only_stops)
{
	int64_t until = T0_NS + CAIRN_NS_PER_S;
	struct cairn_allow good;
	open_gate();
	good = list;
	ck_assert(!cairn_allow_take(&list, CAIRN_ALLOW_GOOD, &good)); /* nothing has changed */
	ck_assert(cairn_allow_take(&list, CAIRN_ALLOW_UNREADABLE, NULL));
	ck_assert(!cairn_allow_take(&list, CAIRN_ALLOW_UNREADABLE, NULL));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "only stops"));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_MOTOR_CTL, "release", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_MOTOR_CTL, "stop", 0, T0_NS), CAIRN_REMOTE_PASSED);
	ck_assert_int_eq(ask("bob", CAIRN_SERVICE_OPERATOR, "stop", 0, T0_NS), CAIRN_REMOTE_PASSED);
	ck_assert_int_eq(ask("new", CAIRN_SERVICE_OPERATOR, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert(cairn_allow_take(&list, CAIRN_ALLOW_GOOD, &good));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "goto", until, T0_NS), CAIRN_REMOTE_PASSED);
	ck_assert(cairn_allow_take(&list, CAIRN_ALLOW_NOBODY, NULL));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(list.count, 0);
	ck_assert(cairn_allow_take(&list, CAIRN_ALLOW_UNREADABLE, NULL)); /* still nobody */
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert(cairn_allow_empty("# nobody\n\n") && cairn_allow_empty("") && !cairn_allow_empty("anna\n"));
}
END_TEST

START_TEST(a_verb_or_service_that_does_not_exist_is_refused)
{
	open_gate();
	int64_t until = T0_NS + CAIRN_NS_PER_S;
	ck_assert_int_eq(ask("anna", -1, "goto", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "fly", until, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_str_eq(err.text, "there is no such command");
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_LAUNCHER_CTL, "stop", 0, T0_NS), CAIRN_REMOTE_REFUSED);
}
END_TEST

START_TEST(a_command_counts_only_until_the_time_it_names_and_a_stop_always)
{
	open_gate();
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "home", 0, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "until when"));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "home", T0_NS - 1, T0_NS), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "too late"));
	ck_assert_int_eq(
	    ask("anna", CAIRN_SERVICE_OPERATOR, "home", T0_NS + CAIRN_REMOTE_AHEAD_NS + 1, T0_NS),
	    CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "robot's clock"));
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "home", T0_NS + CAIRN_REMOTE_AHEAD_NS, T0_NS),
	    CAIRN_REMOTE_PASSED);
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "stop", T0_NS - 1, T0_NS), CAIRN_REMOTE_PASSED);
}
END_TEST

START_TEST(a_flood_passes_only_its_measure_and_leaves_the_stops_and_the_others_alone)
{
	open_gate();
	int passed = 0, stops = 0;
	for (int i = 0; i < 10000; i++) { /* a thousand a second, for ten seconds */
		int64_t now_ns = T0_NS + i * CAIRN_NS_PER_MS;
		passed +=
		    ask("anna", CAIRN_SERVICE_OPERATOR, "pause", now_ns + 1, now_ns) == CAIRN_REMOTE_PASSED;
		if (i % 1000 == 999) { /* one stop a second in the midst of it */
			stops +=
			    ask("anna", CAIRN_SERVICE_OPERATOR, "stop", 0, now_ns) == CAIRN_REMOTE_PASSED;
			ck_assert_int_eq(
			    ask("bob", CAIRN_SERVICE_OPERATOR, "stop", 0, now_ns), CAIRN_REMOTE_PASSED);
		}
	}
	ck_assert_int_ge(passed, 59); /* the burst of 10, and 5 a second */
	ck_assert_int_le(passed, 60);
	ck_assert_int_eq(stops, 10);
	ck_assert_int_eq(ask("anna", CAIRN_SERVICE_OPERATOR, "pause", T0_NS + 10 * CAIRN_NS_PER_S,
			     T0_NS + 9999 * CAIRN_NS_PER_MS),
	    CAIRN_REMOTE_FLOOD);
}
END_TEST

static enum cairn_remote_verdict ask_piece(const char *key, int64_t now_ns)
{
	err.text[0] = '\0';
	return cairn_remote_judge_piece(&gate, key, now_ns, &err);
}

START_TEST(files_are_given_to_who_may_watch_and_no_faster_than_said)
{
	int64_t now_ns = 1000000000;
	ck_assert(
	    cairn_allow_parse("anna " KEY_A " watch,drive\nbob " KEY_B " drive,configure\n", &list, &err));
	cairn_remote_gate_init(&gate, &list, 5.0, 10.0);
	ck_assert_int_eq(ask_piece(KEY_B, now_ns), CAIRN_REMOTE_REFUSED);
	ck_assert_ptr_nonnull(strstr(err.text, "needs the right to watch"));
	ck_assert_int_eq(ask_piece("somebody", now_ns), CAIRN_REMOTE_REFUSED);
	int given = 0;
	for (int i = 0; i < 100; i++)
		given += ask_piece(KEY_A, now_ns) == CAIRN_REMOTE_PASSED;
	ck_assert_int_eq(given, 20); /* two seconds' worth at once */
	ck_assert_int_eq(ask_piece(KEY_A, now_ns), CAIRN_REMOTE_WAIT);
	for (int i = 1; i <= 100; i++)
		given += ask_piece(KEY_A, now_ns + i * INT64_C(10000000)) == CAIRN_REMOTE_PASSED;
	ck_assert_int_ge(given, 29);
	ck_assert_int_le(given, 31);
	list.stops_only = true;
	ck_assert_int_eq(ask_piece(KEY_A, 2 * now_ns + now_ns), CAIRN_REMOTE_REFUSED);
	list.stops_only = false;
}
END_TEST

START_TEST(only_named_files_of_the_run_directory_are_given)
{
	static const char *const given[] = {"logs", "logs/mapper.log", "logs/sensor-bridge.log.1",
	    "state/map.bin", "state/decisions.jsonl", "state/decisions.jsonl.1", "state/sent/123.jpg",
	    "state/sent/123-above.jpg", "state/runs/20261126T032211Z/decisions.jsonl",
	    "state/runs/20261126T032211Z.1/sent/5.jpg"};
	static const char *const kept[] = {"", "config.yaml", "state/motor.state", "state/zones.bin",
	    "state/memory.yaml", "../run/logs", "logs/", "logs/../config.yaml", "logs/a.log/../../x",
	    "logs/.log", "logs/mapper.log.2", "/etc/passwd", "state/sent/.jpg", "state/sent/1.jpg/..",
	    "state/sent/../map.bin", "bus/pose", "state/runs/../decisions.jsonl",
	    "state/runs/./decisions.jsonl", "state/runs/2026/../x", "state/runs//decisions.jsonl",
	    "state/runs/2026/config.yaml", "state/runs/2026/runs/2026/map.bin"};
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		ck_assert_msg(cairn_remote_file_allowed(given[i]), "%s", given[i]);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		ck_assert_msg(!cairn_remote_file_allowed(kept[i]), "%s", kept[i]);
}
END_TEST

CAIRN_TEST_MAIN("keyring", a_key_file_gives_back_what_was_written,
    a_broken_key_is_refused_and_the_secret_is_not_in_the_reason, a_list_tells_who_may_do_what,
    a_broken_list_is_refused_as_a_whole_with_the_line, a_list_longer_than_there_is_room_for_is_refused,
    every_command_has_a_right_and_whoever_may_anything_may_stop,
    a_key_may_do_what_its_rights_say_and_nothing_else,
    a_key_that_was_replaced_under_the_same_name_has_no_rights_left,
    a_list_that_is_missing_or_empty_lets_nobody_in_and_one_that_cannot_be_read_only_stops,
    a_verb_or_service_that_does_not_exist_is_refused,
    a_command_counts_only_until_the_time_it_names_and_a_stop_always,
    a_flood_passes_only_its_measure_and_leaves_the_stops_and_the_others_alone,
    files_are_given_to_who_may_watch_and_no_faster_than_said, only_named_files_of_the_run_directory_are_given)
