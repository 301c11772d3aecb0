/* Talking: grammar, meaning, dialogue, speech queue and news. */
#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/voice/news.h"
#include "common/voice/speech_queue.h"
#include "common/voice/talk.h"
#include "test/support/runner.h"

#define S CAIRN_NS_PER_S
#define MS CAIRN_NS_PER_MS

static struct cairn_config cfg;
static struct cairn_talk talk;

static void set_up(void)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cfg.voice.confirm = CAIRN_CHOICE_CONFIRM_UNSURE;
	ck_assert_msg(cairn_talk_init(&talk, &cfg.voice, &err), "%s", err.text);
	cairn_voice_name_add(&talk.names, "kitchen", "kitchen_2", NULL, NULL);
	cairn_voice_name_add(&talk.names, "red kettle", "kettle_7", NULL, NULL);
	cairn_voice_name_add(&talk.names, "living room", "living_room_1", NULL, NULL);
}

static void hear(const char *words, double confidence, int64_t now_ns)
{
	struct cairn_utterance u = {words, confidence, now_ns - S, now_ns};
	cairn_talk_hear(&talk, &u, now_ns);
}

/* Takes all that is to be done. */
struct done {
	enum cairn_command commands[8];
	char args[8][64], said[256];
	uint32_t commands_count, says;
	struct cairn_msg_heard heard;
	bool transcribe, hush;
};

static struct done drain(void)
{
	static struct done d;
	struct cairn_talk_act a;
	memset(&d, 0, sizeof(d));
	while (cairn_talk_take(&talk, &a)) {
		if (a.kind == CAIRN_TALK_COMMAND) {
			snprintf(d.args[d.commands_count], sizeof(d.args[0]), "%.60s", a.request.arg);
			d.commands[d.commands_count++] = a.command;
		} else if (a.kind == CAIRN_TALK_SAY) {
			d.says += a.say.text[0] != '\0';
			d.hush |= a.say.hush;
			if (a.say.text[0] != '\0')
				memcpy(d.said, a.say.text, sizeof(d.said));
		} else if (a.kind == CAIRN_TALK_HEARD)
			d.heard = a.heard;
		else
			d.transcribe = true;
	}
	return d;
}

static struct cairn_meaning parse(const char *words)
{
	return cairn_voice_parse(words, "robot", &talk.names);
}

/* ---- grammar and meaning ---- */

START_TEST(what_is_said_means_what_its_row_says)
{
	static const struct {
		const char *words;
		enum cairn_intent intent;
		const char *id;
		bool woken;
	} rows[] = {
	    {"stop", CAIRN_INTENT_STOP, "", false},
	    {"Robot, go to the kitchen!", CAIRN_INTENT_GOTO, "kitchen_2", true},
	    {"drive to living room", CAIRN_INTENT_GOTO, "living_room_1", false},
	    {"robot how far is the red kettle", CAIRN_INTENT_FAR, "kettle_7", true},
	    {"where is my red kettle", CAIRN_INTENT_WHERE, "kettle_7", false},
	    {"robot come back home", CAIRN_INTENT_HOME, "", true},
	    {"turn around", CAIRN_INTENT_TURN, "", false},
	    {"what do you see", CAIRN_INTENT_SEE, "", false},
	    {"wait a moment", CAIRN_INTENT_PAUSE, "", false},
	    {"emergency stop", CAIRN_INTENT_ESTOP, "", false},
	    {"robot", CAIRN_INTENT_COUNT, "", true},
	    {"robot dance with me", CAIRN_INTENT_COUNT, "", false},
	    {"go to the moon", CAIRN_INTENT_COUNT, "", false},
	    {"go to the kitchen and the living room", CAIRN_INTENT_COUNT, "", false},
	    {"do not stop", CAIRN_INTENT_COUNT, "", false},
	    {"", CAIRN_INTENT_COUNT, "", false},
	};
	set_up();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_meaning m = parse(rows[i].words);
		ck_assert_msg(
		    m.intent == rows[i].intent && m.woken == rows[i].woken && strcmp(m.id, rows[i].id) == 0,
		    "'%s': intent %d, id '%s', woken %d", rows[i].words, (int)m.intent, m.id, m.woken);
	}
}
END_TEST

START_TEST(no_sentence_releases_a_stop)
{
	for (int i = 0; i < CAIRN_INTENT_COUNT; i++) {
		enum cairn_command c = cairn_intents[i].command;
		ck_assert_msg(c != CAIRN_COMMAND_MOTOR_RELEASE, "%s releases a stop", cairn_intents[i].name);
		if (c == CAIRN_COMMAND_COUNT)
			continue;
		enum cairn_service s = cairn_commands[c].service;
		ck_assert_msg(
		    c == CAIRN_COMMAND_MOTOR_STOP || s == CAIRN_SERVICE_OPERATOR || s == CAIRN_SERVICE_SCENE,
		    "%s asks another service", cairn_intents[i].name);
		ck_assert_msg(c == CAIRN_COMMAND_STOP || c == CAIRN_COMMAND_MOTOR_STOP ||
				  c == CAIRN_COMMAND_PAUSE || s == CAIRN_SERVICE_SCENE ||
				  cairn_intents[i].moves,
		    "%s may move the robot, and its row does not say so", cairn_intents[i].name);
	}
}
END_TEST

/* Whatever is said in whatever state: the only commands are those of the table, never a release. */
START_TEST(a_thousand_random_dialogues_release_no_stop_and_move_nothing_that_was_unsure)
{
	static const char *const words[] = {"robot", "robot go to the kitchen", "go on", "robot go on", "yes",
	    "no", "stop", "robot explore", "release", "robot release the emergency stop", "cancel",
	    "robot where is the kitchen", "pause"};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 1);
	for (int round = 0; round < CAIRN_ROUNDS(1000); round++) {
		int64_t now = 10 * S;
		bool certain = false, asked = false;
		set_up();
		for (int i = 0; i < 12; i++) {
			struct cairn_talk_act a;
			struct cairn_msg_mission m = {.state = (enum cairn_mission_state)(
							  cairn_rng_u32(&rng) % CAIRN_MISSION_STATE_COUNT)};
			double confidence = cairn_rng_uniform(&rng);
			now += (int64_t)(cairn_rng_uniform(&rng) * 6.0 * S);
			cairn_facts_mission(&talk.facts, &m);
			certain = confidence >= cfg.voice.confidence_act;
			asked = talk.state == CAIRN_TALK_CONFIRMING;
			hear(words[cairn_rng_u32(&rng) % 13], confidence, now);
			while (cairn_talk_take(&talk, &a)) {
				if (a.kind != CAIRN_TALK_COMMAND)
					continue;
				ck_assert_int_ne(a.command, CAIRN_COMMAND_MOTOR_RELEASE);
				bool moves =
				    a.command == CAIRN_COMMAND_GOTO || a.command == CAIRN_COMMAND_EXPLORE;
				ck_assert_msg(!moves || certain,
				    "moved by a sentence of confidence %f (asked %d)", confidence, asked);
				cairn_talk_replied(&talk, a.tag, cairn_rng_u32(&rng) % 2 == 0, "so", now);
			}
			cairn_talk_step(&talk, now);
		}
	}
}
END_TEST

START_TEST(the_grammar_has_the_names_that_are_known_and_no_row_without_them)
{
	struct cairn_text text = {NULL, 0, 0, false};
	struct cairn_voice_names none = {.count = 0};
	set_up();
	cairn_voice_grammar(&text, "robot", &talk.names);
	ck_assert_ptr_nonnull(strstr(text.data, "<name> = kitchen | red kettle | living room;"));
	ck_assert_ptr_nonnull(strstr(text.data, "public <said> = robot | robot <command> | <command>;"));
	cairn_text_clear(&text);
	cairn_voice_grammar(&text, "robot", &none);
	ck_assert_ptr_null(strstr(text.data, "<name>"));
	ck_assert_ptr_nonnull(strstr(text.data, "stop now"));
	cairn_text_free(&text);
}
END_TEST

static bool knows_no_xylo(void *ctx, const char *word)
{
	(void)ctx;
	return strcmp(word, "xylo") != 0;
}

START_TEST(a_name_with_a_word_that_nobody_can_pronounce_is_told_and_left_out)
{
	struct cairn_voice_names n = {.count = 0};
	cairn_voice_name_add(&n, "xylo chair", "chair_1", knows_no_xylo, NULL);
	cairn_voice_name_add(&n, "Kitchen_2", "kitchen_2", knows_no_xylo, NULL);
	cairn_voice_name_add(&n, "kitchen", "kitchen_3", knows_no_xylo, NULL); /* there already */
	cairn_voice_name_add(&n, "</said> ; evil = [", "x", knows_no_xylo, NULL);
	ck_assert_uint_eq(n.count, 2);
	ck_assert_str_eq(n.items[0].said, "kitchen");
	ck_assert_str_eq(n.items[1].said, "said evil"); /* nothing of JSGF is left */
	ck_assert_str_eq(n.unknown, "xylo (xylo chair)");
}
END_TEST

/* ---- dialogue ---- */

START_TEST(a_certain_command_behind_the_wake_word_is_given_and_its_answer_is_said)
{
	set_up();
	hear("robot go to the kitchen", 0.9, 5 * S);
	struct done d = drain();
	ck_assert_uint_eq(d.commands_count, 1);
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_GOTO);
	ck_assert_str_eq(d.args[0], "kitchen_2");
	cairn_talk_replied(&talk, talk.tag, true, "driving there", 5 * S);
	d = drain();
	ck_assert_str_eq(d.said, "Going to the kitchen.");
	ck_assert_int_eq(d.heard.verdict, CAIRN_HEARD_VERDICT_DONE);
}
END_TEST

START_TEST(without_the_wake_word_only_stop_is_obeyed)
{
	set_up();
	hear("go to the kitchen", 0.9, 5 * S);
	struct done d = drain();
	ck_assert_uint_eq(d.commands_count, 0);
	ck_assert_int_eq(d.heard.verdict, CAIRN_HEARD_VERDICT_IGNORED);
	hear("stop", 0.9, 6 * S);
	d = drain();
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_STOP);
}
END_TEST

START_TEST(as_it_comes_everything_that_moves_is_asked_back_however_certain)
{
	struct cairn_config defaults;
	set_up();
	cairn_config_defaults(&defaults);
	cfg.voice.confirm = defaults.voice.confirm;
	hear("robot go to the kitchen", 1.0, 5 * S);
	struct done d = drain();
	ck_assert_str_eq(d.said, "Shall I go to the kitchen? Say yes or no.");
	ck_assert_uint_eq(d.commands_count, 0);
	hear("yes", 0.9, 7 * S);
	ck_assert_int_eq(drain().commands[0], CAIRN_COMMAND_GOTO);
}
END_TEST

START_TEST(what_moves_and_was_unsure_is_asked_back_and_done_on_a_yes)
{
	set_up();
	cairn_facts_mission(&talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING});
	hear("robot go to the kitchen", 0.45, 5 * S);
	struct done d = drain();
	ck_assert_str_eq(d.said, "Shall I go to the kitchen? Say yes or no.");
	ck_assert_uint_eq(d.commands_count, 1); /* it stands while it listens */
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_PAUSE);
	cairn_talk_replied(&talk, talk.tag, true, "paused", 5 * S);
	hear("yes", 0.45, 7 * S); /* a yes that is none */
	d = drain();
	ck_assert_uint_eq(d.commands_count, 0);
	hear("yes please", 0.8, 9 * S);
	d = drain();
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_GOTO);
	ck_assert_str_eq(d.args[0], "kitchen_2");
	cairn_talk_replied(&talk, talk.tag, true, "driving there", 9 * S);
	ck_assert_uint_eq(drain().commands_count, 0); /* the sequencer goes on with what ran by itself */
}
END_TEST

START_TEST(a_no_and_a_silence_let_what_ran_go_on)
{
	for (int silence = 0; silence < 2; silence++) {
		set_up();
		cairn_facts_mission(
		    &talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING});
		hear("robot", 0.9, 5 * S);
		struct done d = drain();
		ck_assert_str_eq(d.said, "Yes?");
		ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_PAUSE);
		cairn_talk_replied(&talk, talk.tag, true, "paused", 5 * S);
		if (silence)
			cairn_talk_step(&talk, 5 * S + (int64_t)(cfg.voice.window_s * S));
		else
			hear("never mind", 0.9, 7 * S);
		d = drain();
		ck_assert_uint_eq(d.commands_count, 1);
		ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_RESUME);
	}
}
END_TEST

START_TEST(nothing_is_resumed_that_somebody_else_has_stopped_or_paused)
{
	set_up();
	cairn_facts_mission(&talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING});
	hear("robot", 0.9, 5 * S);
	(void)drain();
	cairn_talk_replied(&talk, talk.tag, true, "paused", 5 * S);
	cairn_facts_mission(
	    &talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_FINISHED}); /* stopped */
	cairn_talk_step(&talk, 60 * S);
	ck_assert_uint_eq(drain().commands_count, 0);
	set_up();
	cairn_facts_mission(
	    &talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_PAUSED}); /* by a person */
	hear("robot", 0.9, 5 * S);
	cairn_talk_step(&talk, 60 * S);
	ck_assert_uint_eq(drain().commands_count, 0);
}
END_TEST

START_TEST(a_stop_is_taken_in_every_state_and_nothing_goes_on_behind_it)
{
	set_up();
	cairn_facts_mission(&talk.facts, &(struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING});
	hear("robot go to the kitchen", 0.45, 5 * S);
	(void)drain();
	cairn_talk_stop(&talk, "stop", 0.9, 6 * S, 6 * S);
	struct done d = drain();
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_STOP);
	ck_assert(d.hush);
	cairn_talk_replied(&talk, talk.tag, true, "stopped", 6 * S);
	ck_assert_int_eq(drain().heard.spotted, true);
	struct cairn_utterance u = {
	    "robot go to the kitchen", 0.9, 5 * S + 500 * MS, 7 * S}; /* the stop was in it */
	cairn_talk_hear(&talk, &u, 7 * S);
	ck_assert_uint_eq(drain().commands_count, 0);
	cairn_talk_step(&talk, 60 * S);
	hear("yes", 0.9, 61 * S);
	ck_assert_uint_eq(drain().commands_count, 0);
}
END_TEST

START_TEST(a_stop_that_nobody_takes_becomes_an_emergency_stop)
{
	set_up();
	cairn_talk_stop(&talk, "stop", 0.9, 6 * S, 6 * S);
	(void)drain();
	cairn_talk_step(&talk, 6 * S + (CAIRN_TALK_STOP_ANSWER_MS - 1) * MS);
	ck_assert_uint_eq(drain().commands_count, 0);
	cairn_talk_step(&talk, 6 * S + CAIRN_TALK_STOP_ANSWER_MS * MS);
	ck_assert_int_eq(drain().commands[0], CAIRN_COMMAND_MOTOR_STOP);
}
END_TEST

START_TEST(its_own_voice_commands_nothing_and_cannot_say_the_stop_word)
{
	char text[] = "Stopped at the bus-stop. A halting robot; unstoppable HALT";
	set_up();
	cairn_talk_spoken(&talk,
	    &(struct cairn_msg_spoken){.state = CAIRN_SPOKEN_STATE_SPEAKING, .t_end_ns = 8 * S}, 5 * S);
	hear("robot go to the kitchen", 0.9, 7 * S);
	struct done d = drain();
	ck_assert_uint_eq(d.commands_count, 0);
	ck_assert_str_eq(d.heard.reply, "its own voice was in the room");
	hear("robot go to the kitchen", 0.9, 8 * S + 1000 * MS + CAIRN_TALK_ECHO_MS * MS);
	ck_assert_uint_eq(drain().commands_count, 1);
	cairn_speech_harmless(text);
	ck_assert_str_eq(text, "hold at the bus-hold. A hold robot; unstoppable hold");
}
END_TEST

START_TEST(a_voice_without_the_right_to_drive_may_still_stop)
{
	struct cairn_error err = {""};
	set_up();
	snprintf(cfg.voice.rights, sizeof(cfg.voice.rights), "watch");
	ck_assert(cairn_talk_init(&talk, &cfg.voice, &err));
	hear("robot explore", 0.9, 5 * S);
	struct done d = drain();
	ck_assert_uint_eq(d.commands_count, 0);
	ck_assert_int_eq(d.heard.verdict, CAIRN_HEARD_VERDICT_REFUSED);
	hear("stop", 0.9, 7 * S);
	ck_assert_int_eq(drain().commands[0], CAIRN_COMMAND_STOP);
	snprintf(cfg.voice.rights, sizeof(cfg.voice.rights), "fly");
	ck_assert(!cairn_talk_init(&talk, &cfg.voice, &err));
}
END_TEST

START_TEST(a_free_sentence_becomes_a_task_when_a_person_says_yes)
{
	set_up();
	hear("robot", 0.9, 5 * S);
	hear("", 0.0, 8 * S);
	struct done d = drain();
	ck_assert(!d.transcribe); /* no service is set */
	snprintf(cfg.voice.transcriber_url, sizeof(cfg.voice.transcriber_url), "http://127.0.0.1:1/");
	hear("", 0.0, 9 * S);
	ck_assert(drain().transcribe);
	cairn_talk_transcribed(&talk, "Bring me the red mug.", NULL, 10 * S);
	d = drain();
	ck_assert_str_eq(d.said, "I heard: Bring me the red mug.. Shall I do that?");
	ck_assert_uint_eq(d.commands_count, 0);
	hear("yes", 0.9, 13 * S);
	d = drain();
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_TASK);
	ck_assert_str_eq(d.args[0], "Bring me the red mug.");
}
END_TEST

START_TEST(questions_are_answered_from_what_is_known)
{
	static struct cairn_msg_scene scene;
	char text[200];
	set_up();
	snprintf(scene.here, sizeof(scene.here), "kitchen_2");
	scene.nodes_count = 2;
	scene.nodes[0] = (struct cairn_msg_scene_node){
	    .kind = CAIRN_SCENE_KIND_ROOM, .id = "kitchen_2", .label = "kitchen"};
	scene.nodes[1] = (struct cairn_msg_scene_node){.kind = CAIRN_SCENE_KIND_OBJECT,
	    .id = "kettle_7",
	    .label = "kettle",
	    .colour = "red",
	    .room = "kitchen_2"};
	cairn_facts_scene(&talk.facts, &scene);
	ck_assert_str_eq(cairn_facts_answer(&talk.facts, CAIRN_INTENT_SEE, text, sizeof(text)),
	    "In the kitchen I know of a red kettle.");
	hear("robot where are you", 0.9, 5 * S);
	struct done d = drain();
	ck_assert_str_eq(d.said, "I am in the kitchen.");
	hear("robot where is the red kettle", 0.9, 9 * S);
	d = drain();
	ck_assert_int_eq(d.commands[0], CAIRN_COMMAND_SCENE_FIND);
	ck_assert_str_eq(d.args[0], "red kettle");
	cairn_talk_replied(&talk, talk.tag, true, "red kettle: 2 m ahead", 9 * S);
	ck_assert_str_eq(drain().said, "red kettle: 2 m ahead");
}
END_TEST

/* ---- what is said ---- */

static bool add(
    struct cairn_speech_queue *q, const char *text, enum cairn_urgency urgency, int64_t now_ns, bool *cut)
{
	struct cairn_msg_say say = {.urgency = urgency};
	snprintf(say.text, sizeof(say.text), "%s", text);
	return cairn_speech_queue_add(q, &say, now_ns, cut);
}

START_TEST(a_warning_cuts_what_is_said_and_news_wait_for_the_gap)
{
	struct cairn_speech_queue q;
	bool cut, told;
	cairn_config_defaults(&cfg);
	ck_assert(cairn_speech_queue_init(&q, &cfg.voice, NULL));
	(void)add(&q, "news one", CAIRN_URGENCY_NEWS, S, &cut);
	(void)add(&q, "an answer", CAIRN_URGENCY_ANSWER, S, &cut);
	ck_assert(!cut);
	ck_assert(cairn_speech_queue_next(&q, 600, S, &told));
	ck_assert_str_eq(q.spoken.text, "an answer");
	(void)add(&q, "fire", CAIRN_URGENCY_WARNING, S, &cut);
	ck_assert(cut);
	cairn_speech_queue_ended(&q, "a warning", 2 * S);
	ck_assert_int_eq(q.spoken.state, CAIRN_SPOKEN_STATE_CUT);
	ck_assert(cairn_speech_queue_next(&q, 600, 2 * S, &told));
	ck_assert_str_eq(q.spoken.text, "fire");
	cairn_speech_queue_ended(&q, NULL, 3 * S);
	ck_assert(!cairn_speech_queue_next(&q, 600, 3 * S + (int64_t)(cfg.voice.gap_s * S) - 1, &told));
	ck_assert(cairn_speech_queue_next(&q, 600, 3 * S + (int64_t)(cfg.voice.gap_s * S), &told));
	ck_assert_str_eq(q.spoken.text, "news one");
}
END_TEST

START_TEST(quiet_hours_leave_out_news_only_also_past_midnight)
{
	struct cairn_speech_queue q;
	bool cut, told;
	cairn_config_defaults(&cfg);
	snprintf(cfg.voice.quiet_hours, sizeof(cfg.voice.quiet_hours), "22:00-07:00");
	ck_assert(cairn_speech_queue_init(&q, &cfg.voice, NULL));
	(void)add(&q, "news", CAIRN_URGENCY_NEWS, S, &cut);
	ck_assert(!cairn_speech_queue_next(&q, 6 * 60 + 59, S, &told) && told);
	ck_assert_str_eq(q.spoken.reason, "quiet hours");
	(void)add(&q, "an answer", CAIRN_URGENCY_ANSWER, S, &cut);
	ck_assert(cairn_speech_queue_next(&q, 23 * 60, S, &told));
	cairn_speech_queue_ended(&q, NULL, 2 * S);
	(void)add(&q, "morning news", CAIRN_URGENCY_NEWS, 20 * S, &cut);
	ck_assert(cairn_speech_queue_next(&q, 7 * 60, 20 * S, &told));
	snprintf(cfg.voice.quiet_hours, sizeof(cfg.voice.quiet_hours), "22-7");
	ck_assert(!cairn_speech_queue_init(&q, &cfg.voice, NULL));
}
END_TEST

START_TEST(a_full_queue_drops_the_least_urgent_and_says_so)
{
	struct cairn_speech_queue q;
	bool cut;
	char text[32];
	cairn_config_defaults(&cfg);
	ck_assert(cairn_speech_queue_init(&q, &cfg.voice, NULL));
	for (int i = 0; i < CAIRN_SPEECH_QUEUE; i++) {
		snprintf(text, sizeof(text), "news %d", i);
		ck_assert(!add(&q, text, CAIRN_URGENCY_NEWS, S, &cut));
	}
	ck_assert(add(&q, "one more", CAIRN_URGENCY_NEWS, S, &cut));
	ck_assert_str_eq(q.spoken.text, "one more");
	ck_assert(add(&q, "an answer", CAIRN_URGENCY_ANSWER, S, &cut));
	ck_assert_str_eq(q.spoken.text, "news 7");
	ck_assert_str_eq(q.items[0].text, "an answer");
	ck_assert(add(&q, "news 1", CAIRN_URGENCY_NEWS, S, &cut)); /* waits already */
	ck_assert_str_eq(q.spoken.reason, "said a moment ago");
}
END_TEST

START_TEST(each_piece_of_news_is_told_once_when_it_begins)
{
	struct cairn_news n = {.count = 0};
	struct cairn_msg_say s;
	struct cairn_msg_motion held = {.state = CAIRN_MOTOR_STATE_BLOCKED, .reason = "a box ahead"};
	cairn_news_tier(&n, &(struct cairn_msg_tier){.tier = CAIRN_TIER_NORMAL});
	cairn_news_tier(&n, &(struct cairn_msg_tier){.tier = CAIRN_TIER_LOCAL});
	cairn_news_tier(&n, &(struct cairn_msg_tier){.tier = CAIRN_TIER_LOCAL});
	ck_assert(cairn_news_take(&n, &s));
	ck_assert_str_eq(s.text, "The model is silent. I explore on my own.");
	ck_assert(!cairn_news_take(&n, &s));
	cairn_news_motion(&n, &held, S);
	cairn_news_motion(&n, &held, S + (CAIRN_NEWS_BLOCKED_MS - 1) * MS);
	ck_assert(!cairn_news_take(&n, &s)); /* held for a moment is no news */
	cairn_news_motion(&n, &held, S + CAIRN_NEWS_BLOCKED_MS * MS);
	cairn_news_motion(&n, &held, 9 * S);
	ck_assert(cairn_news_take(&n, &s));
	ck_assert_str_eq(s.text, "I am blocked: a box ahead");
	ck_assert(!cairn_news_take(&n, &s));
	for (double p = 35.0; p > 10.0; p -= 1.0)
		cairn_news_battery(&n, &(struct cairn_msg_battery){.percent = p});
	ck_assert(cairn_news_take(&n, &s));
	ck_assert_str_eq(s.text, "My battery is low: 20 percent.");
	ck_assert_int_eq(s.urgency, CAIRN_URGENCY_WARNING);
	ck_assert(!cairn_news_take(&n, &s));
}
END_TEST

START_TEST(a_call_for_help_is_said_once_as_a_warning_and_again_when_it_is_another)
{
	struct cairn_news n = {.count = 0};
	struct cairn_msg_say s;
	struct cairn_msg_mission m = {.state = CAIRN_MISSION_STATE_EXPLORING};
	cairn_news_mission(&n, &m);
	ck_assert(!cairn_news_take(&n, &s));
	for (int i = 0; i < 2; i++) {
		snprintf(m.help, sizeof(m.help), i == 0 ? "a door is shut" : "a chair is in the way");
		cairn_news_mission(&n, &m);
		cairn_news_mission(&n, &m); /* it is repeated while the robot waits */
		ck_assert(cairn_news_take(&n, &s));
		ck_assert_str_eq(
		    s.text, i == 0 ? "I need help: a door is shut" : "I need help: a chair is in the way");
		ck_assert_int_eq(s.urgency, CAIRN_URGENCY_WARNING);
		ck_assert(s.waits);
		ck_assert(!cairn_news_take(&n, &s));
	}
}
END_TEST

START_TEST(what_only_a_person_can_end_is_told_once_as_a_call)
{
	struct cairn_news n = {.count = 0};
	struct cairn_msg_say s;
	struct cairn_msg_motion m = {
	    .state = CAIRN_MOTOR_STATE_CONTRADICTION, .waits_release = true, .reason = "mirrored"};
	for (int i = 0; i < 20; i++)
		cairn_news_motion(&n, &m, S + i * 50 * MS);
	ck_assert(cairn_news_take(&n, &s));
	ck_assert_str_eq(s.text, "I wait for a person. mirrored");
	ck_assert_int_eq(s.urgency, CAIRN_URGENCY_WARNING);
	ck_assert(s.waits);
	ck_assert(!cairn_news_take(&n, &s));
	for (int i = 0; i < 20; i++) { /* a robot that is carried: it leans, and does not */
		m = (struct cairn_msg_motion){
		    .state = i % 2 == 0 ? CAIRN_MOTOR_STATE_TILTED : CAIRN_MOTOR_STATE_IDLE};
		cairn_news_motion(&n, &m, (3 + i) * S);
	}
	ck_assert(cairn_news_take(&n, &s) && s.waits);
	ck_assert(!cairn_news_take(&n, &s));
	m.state = CAIRN_MOTOR_STATE_TILTED;
	cairn_news_motion(&n, &m, 40 * S);
	ck_assert(cairn_news_take(&n, &s));
	m.state = CAIRN_MOTOR_STATE_ESTOP;
	m.waits_release = true;
	cairn_news_motion(&n, &m, 41 * S);
	ck_assert(cairn_news_take(&n, &s) && s.waits);
	ck_assert_ptr_nonnull(strstr(s.text, "Emergency"));
	ck_assert(!cairn_news_take(&n, &s));
}
END_TEST

CAIRN_TEST_MAIN("voice", what_is_said_means_what_its_row_says, no_sentence_releases_a_stop,
    a_thousand_random_dialogues_release_no_stop_and_move_nothing_that_was_unsure,
    the_grammar_has_the_names_that_are_known_and_no_row_without_them,
    a_name_with_a_word_that_nobody_can_pronounce_is_told_and_left_out,
    a_certain_command_behind_the_wake_word_is_given_and_its_answer_is_said,
    as_it_comes_everything_that_moves_is_asked_back_however_certain,
    without_the_wake_word_only_stop_is_obeyed, what_moves_and_was_unsure_is_asked_back_and_done_on_a_yes,
    a_no_and_a_silence_let_what_ran_go_on, nothing_is_resumed_that_somebody_else_has_stopped_or_paused,
    a_stop_is_taken_in_every_state_and_nothing_goes_on_behind_it,
    a_stop_that_nobody_takes_becomes_an_emergency_stop,
    its_own_voice_commands_nothing_and_cannot_say_the_stop_word,
    a_voice_without_the_right_to_drive_may_still_stop, a_free_sentence_becomes_a_task_when_a_person_says_yes,
    questions_are_answered_from_what_is_known, a_warning_cuts_what_is_said_and_news_wait_for_the_gap,
    quiet_hours_leave_out_news_only_also_past_midnight, a_full_queue_drops_the_least_urgent_and_says_so,
    each_piece_of_news_is_told_once_when_it_begins, what_only_a_person_can_end_is_told_once_as_a_call,
    a_call_for_help_is_said_once_as_a_warning_and_again_when_it_is_another)
