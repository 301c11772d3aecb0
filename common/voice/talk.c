#include "common/voice/talk.h"

#include <string.h>

#include "common/base/geom.h"

#define STOP_AGAIN_NS (2500 * CAIRN_NS_PER_MS) /* the same stop word, heard by spotter and grammar */

bool cairn_talk_init(struct cairn_talk *t, const struct cairn_config_voice *cfg, struct cairn_error *err)
{
	char plain[CAIRN_CONFIG_TEXT_CAP];
	memset(t, 0, sizeof(*t));
	t->cfg = cfg;
	t->pending.intent = CAIRN_INTENT_COUNT;
	cairn_voice_plain(plain, sizeof(plain), cfg->wake_word);
	if (plain[0] == '\0' || strcmp(plain, cfg->wake_word) != 0 || strchr(plain, ' ') != NULL) {
		cairn_error_set(
		    err, "voice.wake_word: '%.40s' is not one word of small letters", cfg->wake_word);
		return false;
	}
	return cairn_rights_parse(cfg->rights, &t->rights, err);
}

/* ---- what comes out ---- */

static struct cairn_talk_act *act(struct cairn_talk *t, enum cairn_talk_act_kind kind)
{
	struct cairn_talk_act *a =
	    &t->acts[t->act_count < CAIRN_TALK_ACTS ? t->act_count++ : CAIRN_TALK_ACTS];
	t->lost += t->act_count == CAIRN_TALK_ACTS && a == &t->acts[CAIRN_TALK_ACTS];
	memset(a, 0, sizeof(*a));
	a->kind = kind;
	return a;
}

bool cairn_talk_take(struct cairn_talk *t, struct cairn_talk_act *ret)
{
	if (t->act_count == 0)
		return false;
	*ret = t->acts[0];
	t->act_count--;
	memmove(t->acts, t->acts + 1, t->act_count * sizeof(t->acts[0]));
	return true;
}

static void say(struct cairn_talk *t, enum cairn_urgency urgency, const char *text)
{
	struct cairn_talk_act *a = act(t, CAIRN_TALK_SAY);
	a->say.urgency = urgency;
	snprintf(a->say.text, sizeof(a->say.text), "%s", text);
}

/* Ends what is being dealt with: it is told, with the words that are said about it (none where it was not for the robot). */
static void conclude(struct cairn_talk *t, enum cairn_heard_verdict verdict, const char *reply, bool aloud)
{
	t->heard.verdict = verdict;
	snprintf(t->heard.reply, sizeof(t->heard.reply), "%s", reply);
	act(t, CAIRN_TALK_HEARD)->heard = t->heard;
	if (aloud)
		say(t, CAIRN_URGENCY_ANSWER, t->heard.reply);
}

static void give(struct cairn_talk *t, enum cairn_command command, const char *arg, int64_t now_ns)
{
	struct cairn_talk_act *a = act(t, CAIRN_TALK_COMMAND);
	a->command = command;
	a->tag = ++t->tag;
	snprintf(a->request.verb, sizeof(a->request.verb), "%s", cairn_commands[command].verb);
	snprintf(a->request.arg, sizeof(a->request.arg), "%s", arg);
	snprintf(a->request.who, sizeof(a->request.who), "voice: %.80s", t->heard.words);
	t->under_way = true;
	t->waits_for = command;
	t->t_sent_ns = now_ns;
	t->pausing = false;
}

/* ---- the robot stands while it listens ---- */

static void pause_for(struct cairn_talk *t, int64_t now_ns)
{
	if (t->paused || t->under_way || !cairn_facts_runs(&t->facts) ||
	    !cairn_rights_allow(t->rights, cairn_commands[CAIRN_COMMAND_PAUSE].right))
		return;
	give(t, CAIRN_COMMAND_PAUSE, "", now_ns);
	t->paused = t->pausing = true;
}

/* Only what this dialogue has paused, and only while nothing else has changed the mission since. */
static void let_go_on(struct cairn_talk *t, int64_t now_ns)
{
	t->state = CAIRN_TALK_CLOSED;
	t->task[0] = '\0';
	if (!t->paused)
		return;
	t->paused = false;
	if (t->facts.mission != CAIRN_MISSION_STATE_PAUSED && !(t->under_way && t->pausing))
		return; /* somebody has ended it, or it has gone on */
	give(t, CAIRN_COMMAND_RESUME, "", now_ns);
	t->pausing = true;
}

static void open_window(struct cairn_talk *t, int64_t now_ns)
{
	t->state = CAIRN_TALK_OPEN;
	t->until_ns = now_ns + (int64_t)(t->cfg->window_s * CAIRN_NS_PER_S);
	pause_for(t, now_ns);
}

void cairn_talk_push(struct cairn_talk *t, int64_t now_ns)
{
	struct cairn_talk_act *a = act(t, CAIRN_TALK_SAY);
	a->say.hush = true; /* it does not talk into what it is told */
	open_window(t, now_ns);
}

/* ---- what goes in ---- */

static void begin(
    struct cairn_talk *t, const char *words, double confidence, int64_t t_end_ns, int64_t now_ns)
{
	uint64_t id = t->heard.id;
	memset(&t->heard, 0, sizeof(t->heard));
	t->heard.id = id + 1;
	t->heard.confidence = confidence;
	t->heard.latency_ms = (double)(now_ns - t_end_ns) * 1e-6;
	snprintf(t->heard.words, sizeof(t->heard.words), "%s", words);
}

static void stop_now(struct cairn_talk *t, enum cairn_command command, int64_t now_ns)
{
	struct cairn_talk_act *a = act(t, CAIRN_TALK_SAY);
	a->say.hush = true;
	t->state = CAIRN_TALK_CLOSED;
	t->paused = false; /* nothing goes on behind a stop */
	t->task[0] = '\0';
	t->t_stop_ns = now_ns;
	snprintf(t->heard.intent, sizeof(t->heard.intent), "%s",
	    cairn_intents[command == CAIRN_COMMAND_STOP ? CAIRN_INTENT_STOP : CAIRN_INTENT_ESTOP].name);
	snprintf(t->heard.command, sizeof(t->heard.command), "%s",
	    command == CAIRN_COMMAND_STOP ? "stop" : "estop");
	give(t, command, command == CAIRN_COMMAND_STOP ? "" : "by voice", now_ns);
}

void cairn_talk_stop(
    struct cairn_talk *t, const char *words, double confidence, int64_t t_end_ns, int64_t now_ns)
{
	if (t->t_stop_ns != 0 && now_ns - t->t_stop_ns < STOP_AGAIN_NS)
		return;
	begin(t, words, confidence, t_end_ns, now_ns);
	t->heard.spotted = true;
	stop_now(t, CAIRN_COMMAND_STOP, now_ns);
}

static bool may(const struct cairn_talk *t, enum cairn_command command)
{
	return command == CAIRN_COMMAND_COUNT || cairn_rights_allow(t->rights, cairn_commands[command].right);
}

/* Certain, or confirmed. */
static void perform(struct cairn_talk *t, const struct cairn_meaning *m, int64_t now_ns)
{
	const struct cairn_intent_row *row = &cairn_intents[m->intent];
	struct cairn_msg_command request;
	char text[200];
	t->state = CAIRN_TALK_CLOSED;
	if (row->kind == CAIRN_INTENT_KIND_TELL) {
		conclude(t, CAIRN_HEARD_VERDICT_ANSWERED,
		    cairn_facts_answer(&t->facts, m->intent, text, sizeof(text)), true);
		let_go_on(t, now_ns);
		return;
	}
	(void)cairn_meaning_command(m, &request);
	if (row->kind == CAIRN_INTENT_KIND_ASK)
		snprintf(request.arg, sizeof(request.arg), "%s", m->place);
	else
		snprintf(t->heard.command, sizeof(t->heard.command), "%s%s%.60s", request.verb,
		    request.arg[0] != '\0' ? " " : "", request.arg);
	give(t, row->command, request.arg, now_ns);
}

static void ask_back(struct cairn_talk *t, const struct cairn_meaning *m, int64_t now_ns)
{
	char what[80], question[120];
	t->pending = *m;
	t->state = CAIRN_TALK_CONFIRMING;
	t->until_ns = now_ns + (int64_t)(t->cfg->confirm_s * CAIRN_NS_PER_S);
	snprintf(question, sizeof(question), "Shall I %s? Say yes or no.",
	    cairn_meaning_text(m, what, sizeof(what)));
	conclude(t, CAIRN_HEARD_VERDICT_ASKED, question, true);
	pause_for(t, now_ns);
}

static void perform_task(struct cairn_talk *t, int64_t now_ns)
{
	t->state = CAIRN_TALK_CLOSED;
	snprintf(t->heard.intent, sizeof(t->heard.intent), "task");
	snprintf(t->heard.command, sizeof(t->heard.command), "task %.100s", t->task);
	give(t, CAIRN_COMMAND_TASK, t->task, now_ns);
}

static void reply(struct cairn_talk *t, const struct cairn_meaning *m, bool certain, int64_t now_ns)
{
	bool asked = t->state == CAIRN_TALK_CONFIRMING;
	if (m->intent == CAIRN_INTENT_YES && asked && certain) {
		if (t->task[0] != '\0')
			perform_task(t, now_ns);
		else
			perform(t, &t->pending, now_ns);
		return;
	}
	if (m->intent == CAIRN_INTENT_YES) {
		conclude(t, CAIRN_HEARD_VERDICT_IGNORED,
		    asked ? "Please say yes again." : "nothing was asked", asked);
		return;
	}
	bool was_open = t->state != CAIRN_TALK_CLOSED;
	conclude(t, was_open ? CAIRN_HEARD_VERDICT_ANSWERED : CAIRN_HEARD_VERDICT_IGNORED,
	    was_open ? "All right, I leave it." : "nothing was asked", was_open);
	let_go_on(t, now_ns);
}

static void understood(struct cairn_talk *t, const struct cairn_meaning *m, int64_t now_ns)
{
	const struct cairn_intent_row *row = &cairn_intents[m->intent];
	bool certain = t->heard.confidence >= t->cfg->confidence_act;
	snprintf(t->heard.intent, sizeof(t->heard.intent), "%s", row->name);
	snprintf(t->heard.place, sizeof(t->heard.place), "%s", m->place);
	if (row->kind == CAIRN_INTENT_KIND_REPLY)
		reply(t, m, certain, now_ns);
	else if (t->under_way && !t->pausing)
		conclude(t, CAIRN_HEARD_VERDICT_IGNORED, "One moment, please.", true);
	else if (!may(t, row->command)) {
		conclude(t, CAIRN_HEARD_VERDICT_REFUSED, "A voice has no right to do that here.", true);
		let_go_on(t, now_ns);
	} else if (row->moves && (!certain || t->cfg->confirm == CAIRN_CHOICE_CONFIRM_ALWAYS))
		ask_back(t, m, now_ns);
	else
		perform(t, m, now_ns);
}

static void not_understood(struct cairn_talk *t, int64_t now_ns)
{
	if (t->state == CAIRN_TALK_CLOSED) {
		conclude(
		    t, CAIRN_HEARD_VERDICT_IGNORED, "not understood, and the wake word was not heard", false);
		return;
	}
	if (t->state == CAIRN_TALK_OPEN && t->cfg->transcriber_url[0] != '\0') {
		(void)act(t, CAIRN_TALK_TRANSCRIBE);
		t->until_ns =
		    now_ns + (int64_t)((t->cfg->window_s + t->cfg->transcriber_timeout_s) * CAIRN_NS_PER_S);
		return;
	}
	conclude(t, CAIRN_HEARD_VERDICT_IGNORED,
	    t->state == CAIRN_TALK_CONFIRMING ? "Please say yes or no." : "I did not understand.", true);
}

/* Why an utterance is not looked at; NULL: it is. */
static const char *not_for_us(const struct cairn_talk *t, const struct cairn_utterance *u)
{
	if (u->t_begin_ns < t->deaf_until_ns)
		return "its own voice was in the room";
	if (t->t_stop_ns != 0 && u->t_begin_ns < t->t_stop_ns)
		return "the stop word was in it";
	return NULL;
}

void cairn_talk_hear(struct cairn_talk *t, const struct cairn_utterance *u, int64_t now_ns)
{
	struct cairn_meaning m = cairn_voice_parse(u->words, t->cfg->wake_word, &t->names);
	const char *why = not_for_us(t, u);
	bool stop = m.intent < CAIRN_INTENT_COUNT && cairn_intents[m.intent].kind == CAIRN_INTENT_KIND_STOP;
	if (stop && cairn_intents[m.intent].command == CAIRN_COMMAND_STOP && t->t_stop_ns != 0 &&
	    u->t_begin_ns < t->t_stop_ns)
		return; /* the spotter was faster */
	begin(t, u->words, u->confidence, u->t_end_ns, now_ns);
	if (stop && u->confidence >= t->cfg->stop_confidence) /* its own voice or not: a stop does no harm */
		stop_now(t, cairn_intents[m.intent].command, now_ns);
	else if (why != NULL)
		conclude(t, CAIRN_HEARD_VERDICT_IGNORED, why, false);
	else if (u->confidence < t->cfg->confidence_ask || (m.intent == CAIRN_INTENT_COUNT && !m.woken))
		not_understood(t, now_ns);
	else if (!m.woken && t->state == CAIRN_TALK_CLOSED)
		conclude(t, CAIRN_HEARD_VERDICT_IGNORED, "no wake word", false);
	else if (m.intent == CAIRN_INTENT_COUNT) {
		conclude(t, CAIRN_HEARD_VERDICT_AWAKE, "Yes?", true);
		open_window(t, now_ns);
	} else
		understood(t, &m, now_ns);
}

void cairn_talk_transcribed(
    struct cairn_talk *t, const char *text, const struct cairn_error *err, int64_t now_ns)
{
	char plain[256], question[200];
	if (t->state != CAIRN_TALK_OPEN)
		return; /* a stop, or another command, has come between */
	cairn_text_clean(plain, sizeof(plain), text != NULL ? text : "", text != NULL ? strlen(text) : 0);
	if (text == NULL || plain[0] == '\0') {
		snprintf(question, sizeof(question), "I did not understand. %.120s",
		    text == NULL ? err->text : "");
		conclude(t, CAIRN_HEARD_VERDICT_IGNORED, question, true);
		return;
	}
	t->heard.transcribed = true;
	snprintf(t->heard.words, sizeof(t->heard.words), "%.150s", plain);
	struct cairn_meaning m = cairn_voice_parse(plain, t->cfg->wake_word, &t->names);
	if (m.intent < CAIRN_INTENT_COUNT) { /* what the grammar has missed; as unsure as any free sentence */
		t->heard.confidence = t->cfg->confidence_ask;
		if (cairn_intents[m.intent].kind == CAIRN_INTENT_KIND_STOP)
			stop_now(t, cairn_intents[m.intent].command, now_ns);
		else
			understood(t, &m, now_ns);
		return;
	}
	if (!may(t, CAIRN_COMMAND_TASK)) {
		conclude(t, CAIRN_HEARD_VERDICT_REFUSED, "A voice has no right to do that here.", true);
		let_go_on(t, now_ns);
		return;
	}
	memcpy(t->task, plain, sizeof(plain));
	t->state = CAIRN_TALK_CONFIRMING;
	t->until_ns = now_ns + (int64_t)(t->cfg->confirm_s * CAIRN_NS_PER_S);
	snprintf(question, sizeof(question), "I heard: %.120s. Shall I do that?", plain);
	conclude(t, CAIRN_HEARD_VERDICT_ASKED, question, true);
}

/* ---- answers of those who do it ---- */

static void say_done(struct cairn_talk *t, const char *text)
{
	enum cairn_command c = t->waits_for;
	char words[200];
	if (cairn_commands[c].service == CAIRN_SERVICE_SCENE) {
		conclude(t, CAIRN_HEARD_VERDICT_ANSWERED, text, true);
		return;
	}
	if (c == CAIRN_COMMAND_GOTO && t->heard.place[0] != '\0')
		snprintf(words, sizeof(words), "Going to the %s.", t->heard.place);
	else if (c == CAIRN_COMMAND_STOP || c == CAIRN_COMMAND_MOTOR_STOP)
		snprintf(words, sizeof(words), "I stand.");
	else
		snprintf(words, sizeof(words), "All right: %.150s.", text);
	conclude(t, CAIRN_HEARD_VERDICT_DONE, words, true);
}

void cairn_talk_replied(struct cairn_talk *t, uint64_t tag, bool ok, const char *text, int64_t now_ns)
{
	char words[200];
	if (!t->under_way || tag != t->tag)
		return;
	t->under_way = false;
	if (t->pausing) {
		t->pausing = false;
		if (t->waits_for == CAIRN_COMMAND_PAUSE)
			t->paused = ok;
		if (t->paused)
			t->facts.mission = CAIRN_MISSION_STATE_PAUSED; /* before the mission tells */
		return;
	}
	if (ok) {
		say_done(t, text);
		if (cairn_commands[t->waits_for].service == CAIRN_SERVICE_SCENE)
			let_go_on(t, now_ns);
		else
			t->paused = false; /* the new order has taken over what was paused */
		return;
	}
	snprintf(words, sizeof(words), "I cannot: %.160s", text);
	conclude(t, CAIRN_HEARD_VERDICT_REFUSED, words, true);
	let_go_on(t, now_ns);
}

static void answer_missing(struct cairn_talk *t, int64_t now_ns)
{
	int64_t age_ms = (now_ns - t->t_sent_ns) / CAIRN_NS_PER_MS;
	if (t->waits_for == CAIRN_COMMAND_STOP) {
		if (age_ms >= CAIRN_TALK_STOP_ANSWER_MS) {
			snprintf(t->heard.command, sizeof(t->heard.command), "estop");
			give(t, CAIRN_COMMAND_MOTOR_STOP, "by voice: nobody took the stop", now_ns);
		}
		return;
	}
	if (age_ms >= CAIRN_TALK_ANSWER_MS)
		cairn_talk_replied(t, t->tag, false, "nobody answers", now_ns);
}

void cairn_talk_step(struct cairn_talk *t, int64_t now_ns)
{
	if (t->under_way)
		answer_missing(t, now_ns);
	if (t->under_way || t->state == CAIRN_TALK_CLOSED || now_ns < t->until_ns)
		return;
	if (t->state == CAIRN_TALK_CONFIRMING)
		say(t, CAIRN_URGENCY_ANSWER, "No answer. I leave it.");
	let_go_on(t, now_ns);
}

void cairn_talk_spoken(struct cairn_talk *t, const struct cairn_msg_spoken *m, int64_t now_ns)
{
	if (m->state == CAIRN_SPOKEN_STATE_SPEAKING) {
		t->deaf_until_ns = m->t_end_ns + CAIRN_TALK_ECHO_MS * CAIRN_NS_PER_MS;
		if (t->state != CAIRN_TALK_CLOSED &&
		    t->until_ns < t->deaf_until_ns + (int64_t)(t->cfg->confirm_s * CAIRN_NS_PER_S))
			t->until_ns = t->deaf_until_ns + (int64_t)(t->cfg->confirm_s * CAIRN_NS_PER_S);
	} else if (t->deaf_until_ns > now_ns + CAIRN_TALK_ECHO_MS * CAIRN_NS_PER_MS) {
		t->deaf_until_ns = now_ns + CAIRN_TALK_ECHO_MS * CAIRN_NS_PER_MS; /* cut short */
	}
}
