/* agent_take.c - what becomes of an answer: the workflow, and Algorithm 1. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/agent/agent_private.h"

enum cairn_agent_query agent_step_query(const struct cairn_agent *a)
{
	return agent_is_reasoner(a) ? CAIRN_AGENT_QUERY_TICK : CAIRN_AGENT_QUERY_ACT;
}

void agent_ask_next(struct cairn_agent *a, enum cairn_agent_query query)
{
	a->query = query;
	a->phase = AGENT_PHASE_READY;
	a->changed = true;
}

void agent_clear_turns(struct cairn_agent *a)
{
	for (uint32_t i = 0; i < a->turn_count; i++) {
		cairn_text_free(&a->turns[i].arguments);
		cairn_text_free(&a->turns[i].answer);
	}
	a->turn_count = 0;
}

void agent_end(
    struct cairn_agent *a, enum cairn_agent_state end, enum cairn_agent_limit limit, const char *answer)
{
	a->cancel = a->phase == AGENT_PHASE_ASKING;
	if (a->cancel) {
		struct cairn_asked asked = agent_asked(a);
		agent_charge_unanswered(a, &asked, 0, true);
	}
	a->phase = AGENT_PHASE_IDLE;
	a->end = end;
	a->limit = limit;
	a->act = (struct agent_act){0};
	a->tour.on = a->deed.on = false;
	a->changed = true;
	agent_clear_turns(a);
	cairn_text_clean(a->answer, sizeof(a->answer), answer, strlen(answer));
}

/* "I do not know", with what was tried: the newest of the logs, as much as fits. */
void agent_hand_off(struct cairn_agent *a, const char *why)
{
	char text[sizeof(a->answer)];
	/* A reasoner has no steps of a plan to sum up: what it has done tells more. */
	bool actions = a->memory.progress.count == 0 || (agent_is_reasoner(a) && a->memory.actions.count > 0);
	const struct cairn_agent_log *log = actions ? &a->memory.actions : &a->memory.progress;
	int n = snprintf(text, sizeof(text), "I do not know. %.100s", why);
	for (uint32_t i = log->count; i-- > 0 && n > 0 && (size_t)n + 24 < sizeof(text);)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%.90s",
		    i + 1 == log->count ? " Tried: " : "; ", cairn_agent_log_at(log, i));
	agent_end(a, CAIRN_AGENT_STATE_HANDOFF, CAIRN_AGENT_LIMIT_NONE, text);
}

void agent_error(struct cairn_agent *a, const char *why, int64_t now_ns)
{
	(void)now_ns;
	a->spent.errors++;
	a->spent.errors_in_row++;
	cairn_text_clean(a->problem, sizeof(a->problem), why, strlen(why));
	cairn_agent_log_add(&a->memory.actions, "%s: an answer could not be used: %s",
	    cairn_agent_queries[a->query].name, why);
	a->phase = AGENT_PHASE_READY;
	a->changed = true;
	if (a->spent.errors_in_row >= (uint32_t)a->cfg->limit_function_errors) {
		char text[256];
		snprintf(text, sizeof(text), "%u answers in a row could not be used; the last: %.160s",
		    a->spent.errors_in_row, why);
		agent_end(a, CAIRN_AGENT_STATE_FAILED, CAIRN_AGENT_LIMIT_ERRORS, text);
	}
}

/* ---- the step's own history ---- */

static void add_turn(struct cairn_agent *a, const struct agent_turn *as)
{
	struct agent_turn *t = &a->turns[a->turn_count++];
	*t = (struct agent_turn){0};
	memcpy(t->id, as->id, sizeof(t->id));
	memcpy(t->signature, as->signature, sizeof(t->signature));
	snprintf(t->name, sizeof(t->name), "%s", cairn_agent_tools.rows[a->call.head.tool].name);
	cairn_tool_echo(&t->arguments, &cairn_agent_tools, &a->call);
}

void agent_answer_turn(struct cairn_agent *a, const char *text)
{
	struct cairn_text *answer = &a->turns[a->turn_count - 1].answer;
	cairn_text_clear(answer);
	cairn_text_add(answer, text);
}

/* ---- one kind after the other ---- */

static void take_next(struct cairn_agent *a)
{
	uint64_t gained = cairn_agent_gained(&a->world);
	bool news = a->news || gained != a->gained;
	const char *line = a->call.text;
	a->stalled = news ? 0 : a->stalled + 1;
	a->in_vain &= !news;
	a->gained = gained;
	a->news = false;
	cairn_text_clean(a->step, sizeof(a->step), line, strlen(line));
	agent_clear_turns(a);
	/* That it is finished is believed once, and then only when something is new. */
	if (a->stalled >= (uint32_t)a->cfg->stall_steps &&
	    (a->call.kind != CAIRN_AGENT_STEP_FINISH || a->in_vain)) {
		a->stalled = 0;
		a->in_vain = false;
		if (a->spent.revisions >= (uint32_t)a->cfg->revisions_max) {
			agent_hand_off(
			    a, "The plan brings nothing new, and was revised as often as it may be.");
			return;
		}
		a->spent.revisions++;
		cairn_agent_log_add(&a->memory.progress,
		    "the last %d steps brought nothing new: the plan is revised", a->cfg->stall_steps);
		agent_ask_next(a, CAIRN_AGENT_QUERY_REVISE);
		return;
	}
	switch ((enum cairn_agent_step_kind)a->call.kind) {
	case CAIRN_AGENT_STEP_FINISH:
		agent_ask_next(a, CAIRN_AGENT_QUERY_VERIFY);
		break;
	case CAIRN_AGENT_STEP_EXPLORE:
		cairn_agent_letter_openings(&a->world);
		if (a->world.opening_count > 0) {
			agent_ask_next(a, CAIRN_AGENT_QUERY_EXPLORE);
			break;
		}
		cairn_agent_log_add(&a->memory.actions,
		    "%.120s: no opening into the unknown is left that can be reached", line);
		agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
		break;
	case CAIRN_AGENT_STEP_GOTO:
	case CAIRN_AGENT_STEP_GETINFO:
	case CAIRN_AGENT_STEP_FUNCTION:
		agent_ask_next(a, CAIRN_AGENT_QUERY_ACT);
		break;
	}
}

static void take_act(struct cairn_agent *a, const struct agent_turn *as, int64_t now_ns)
{
	struct cairn_text text = {0};
	struct cairn_error why = {""};
	enum cairn_agent_tool tool = (enum cairn_agent_tool)a->call.head.tool;
	if (tool == CAIRN_AGENT_CONCLUDE) {
		cairn_agent_log_add(
		    &a->memory.progress, "%.60s%s%s", a->step, a->step[0] != '\0' ? ": " : "", a->call.text);
		a->news |= a->call.news;
		bool remember = a->call.news;
		agent_clear_turns(a);
		agent_ask_next(a, agent_is_reasoner(a) ? CAIRN_AGENT_QUERY_VERIFY
				  : remember           ? CAIRN_AGENT_QUERY_REMEMBER
						       : CAIRN_AGENT_QUERY_NEXT);
		return;
	}
	if (tool == CAIRN_AGENT_ASK_PERSON) {
		agent_hand_off(a, a->call.text);
		return;
	}
	add_turn(a, as);
	a->changed = true;
	if (tool == CAIRN_AGENT_LOOK_AT_PICTURES && a->cfg->use_pictures && a->picture != NULL) {
		a->look_ids = a->call.ids;
		memcpy(a->look_question, a->call.text, sizeof(a->look_question));
		agent_ask_next(a, CAIRN_AGENT_QUERY_LOOK);
		return;
	}
	if (tool >= CAIRN_AGENT_SEARCH && tool <= CAIRN_AGENT_HAND_OVER) {
		agent_begin_deed(a, now_ns);
		return;
	}
	if (cairn_agent_tools.rows[tool].action) {
		if (agent_begin_act(a, &a->call, now_ns, &why))
			return;
		agent_answer_turn(a, why.text);
	} else if (tool == CAIRN_AGENT_SAY) {
		char said[256];
		agent_take_say(a, now_ns, said, sizeof(said));
		agent_answer_turn(a, said);
	} else if (tool == CAIRN_AGENT_LOOK_AT_PICTURES) {
		agent_answer_turn(a, "No pictures can be looked at. Use the graph.");
	} else {
		if (!agent_read_space(&text, a))
			(void)cairn_agent_read(&text, &a->world, &a->call);
		agent_answer_turn(a, text.data != NULL ? text.data : "nothing");
	}
	cairn_text_free(&text);
	agent_ask_next(a, agent_step_query(a));
}

static void take_look(struct cairn_agent *a)
{
	struct cairn_text text = {0};
	for (uint32_t i = 0; i < a->call.lines.count; i++)
		cairn_text_addf(&text, "%s\n", a->call.lines.items[i]);
	cairn_text_addf(&text, "Overall: %s", a->call.text);
	agent_answer_turn(a, text.data != NULL ? text.data : "");
	cairn_text_free(&text);
	agent_ask_next(a, agent_step_query(a));
}

/* What it names must be in the graph: else it is no evidence. */
static bool evidence_ok(struct cairn_agent *a, char *why, size_t bytes)
{
	if (a->call.ids.count == 0 || a->call.text[0] == '\0') {
		snprintf(why, bytes, "an accomplished task needs an answer and its evidence");
		return false;
	}
	for (uint32_t i = 0; i < a->call.ids.count && a->world.use_scene; i++) {
		if (cairn_agent_is_evidence(&a->world, a->call.ids.items[i]))
			continue;
		snprintf(why, bytes,
		    "the evidence '%.40s' is neither a thing, a room nor a picture of the graph",
		    a->call.ids.items[i]);
		return false;
	}
	return true;
}

/* "No", "None", "There is no ..." say that something is absent, whatever the answer calls itself. */
static bool denies(const char *answer)
{
	static const char *const words[] = {"no", "none", "nothing", "there is no", "there are no"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);
		if (strncasecmp(answer, words[i], n) == 0 && !isalpha((unsigned char)answer[n]))
			return true;
	}
	return false;
}

/* That something is not there, and how many there are, is known only where nothing is left to look into. */
static bool claim_ok(struct cairn_agent *a, char *why, size_t bytes)
{
	bool whole = a->call.claim == CAIRN_AGENT_CLAIM_ABSENT || a->call.claim == CAIRN_AGENT_CLAIM_COUNT ||
		     denies(a->call.text);
	/* To take a door is nothing for an arm. */
	if (agent_is_route(a) ? !agent_route_ok(a, why, bytes)
			      : !agent_done_ok(a, a->call.claim == CAIRN_AGENT_CLAIM_DONE, why, bytes))
		return false;
	cairn_agent_letter_openings(&a->world);
	bool left = !a->world.use_map || !a->world.has_frontiers || a->world.opening_count > 0;
	if (!whole)
		return true;
	if (left) {
		snprintf(why, bytes,
		    "what is absent, and how many there are, is known only when all was looked into: %u "
		    "openings "
		    "are left. Judge not_yet and explore them, or cannot",
		    a->world.opening_count);
		return false;
	}
	size_t n = strlen(a->call.text);
	if (a->world.closed_count > 0)
		snprintf(a->call.text + n, sizeof(a->call.text) - n,
		    " (%u openings could not be looked into)", a->world.closed_count);
	return true;
}

/* Not accomplished: on with it; without a plan that could be revised, only as often as one may be. */
static void doubt(struct cairn_agent *a)
{
	uint64_t gained = cairn_agent_gained(&a->world);
	if (!agent_is_reasoner(a)) {
		agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
		return;
	}
	a->stalled = gained == a->gained && !a->news ? a->stalled + 1 : 0;
	a->gained = gained;
	a->news = false;
	if (a->stalled >= (uint32_t)a->cfg->stall_steps)
		agent_hand_off(a, "The last calls brought nothing new.");
	else
		agent_ask_next(a, CAIRN_AGENT_QUERY_TICK);
}

static void take_verify(struct cairn_agent *a, int64_t now_ns)
{
	char why[200];
	size_t n = 0;
	switch ((enum cairn_agent_verdict)a->call.kind) {
	case CAIRN_AGENT_VERDICT_DONE:
		if (!evidence_ok(a, why, sizeof(why)) || !claim_ok(a, why, sizeof(why))) {
			agent_error(a, why, now_ns);
			return;
		}
		a->evidence[0] = '\0';
		for (uint32_t i = 0;
		     i < a->call.ids.count && n + CAIRN_AGENT_ID_CAP + 1 < sizeof(a->evidence); i++)
			n += (size_t)snprintf(a->evidence + n, sizeof(a->evidence) - n, "%s%s",
			    i > 0 ? " " : "", a->call.ids.items[i]);
		a->confidence = a->call.confidence;
		agent_end(a, CAIRN_AGENT_STATE_DONE, CAIRN_AGENT_LIMIT_NONE, a->call.text);
		return;
	case CAIRN_AGENT_VERDICT_CANNOT:
		agent_hand_off(a, a->call.text2[0] != '\0' ? a->call.text2 : "Nothing is left to try.");
		return;
	case CAIRN_AGENT_VERDICT_NOT_YET:
		a->in_vain = true;
		cairn_agent_log_add(&a->memory.progress, "not accomplished yet: %s",
		    a->call.text2[0] != '\0' ? a->call.text2 : a->call.head.reasoning);
		doubt(a);
		return;
	}
}

/* The parts of a route are its plan: none is written. */
static void take_prepare(struct cairn_agent *a, int64_t now_ns)
{
	struct cairn_error why = {""};
	if (a->call.findings.count > 0 && !agent_route_begin(a, &a->call.findings, &why)) {
		agent_error(a, why.text, now_ns);
		return;
	}
	a->memory.labels = a->call.ids;
	a->memory.conditions = a->call.lines;
	memcpy(a->memory.heuristic, a->call.text2, sizeof(a->memory.heuristic));
	agent_ask_next(a, agent_is_route(a)                               ? CAIRN_AGENT_QUERY_NEXT
			  : a->cfg->workflow == CAIRN_CHOICE_WORKFLOW_COT ? CAIRN_AGENT_QUERY_WRITE
									  : CAIRN_AGENT_QUERY_OUTLINE);
}

static void take_plan(struct cairn_agent *a, int64_t now_ns)
{
	struct cairn_error why = {""};
	if (agent_is_route(a)) {
		if (agent_route_revise(a, &a->call.lines, &why))
			agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
		else
			agent_error(a, why.text, now_ns);
		return;
	}
	a->memory.plan = a->call.lines;
	if (a->memory.plan.count == 0)
		snprintf(a->memory.plan.items[a->memory.plan.count++], CAIRN_AGENT_LINE_CAP, "1. Finish");
	agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
}

void agent_take(struct cairn_agent *a, const struct agent_turn *as, int64_t now_ns)
{
	struct cairn_error why = {""};
	uint32_t marked;
	a->problem[0] = '\0';
	switch (a->query) {
	case CAIRN_AGENT_QUERY_PREPARE:
		take_prepare(a, now_ns);
		break;
	case CAIRN_AGENT_QUERY_OUTLINE: /* the lines are written from it: it stands where the plan will */
		a->memory.plan = a->call.lines;
		agent_ask_next(a, CAIRN_AGENT_QUERY_WRITE);
		break;
	case CAIRN_AGENT_QUERY_WRITE:
	case CAIRN_AGENT_QUERY_REVISE:
		take_plan(a, now_ns);
		break;
	case CAIRN_AGENT_QUERY_NEXT:
		take_next(a);
		break;
	case CAIRN_AGENT_QUERY_ACT:
	case CAIRN_AGENT_QUERY_TICK:
		take_act(a, as, now_ns);
		break;
	case CAIRN_AGENT_QUERY_EXPLORE:
		if (!agent_begin_tour(a, now_ns, &why))
			agent_error(a, why.text, now_ns);
		break;
	case CAIRN_AGENT_QUERY_LOOK:
		take_look(a);
		break;
	case CAIRN_AGENT_QUERY_REMEMBER:
		marked = cairn_agent_memory_take(&a->memory, &a->call, &a->world);
		if (marked > 0)
			cairn_agent_log_add(
			    &a->memory.actions, "%u findings of the memory disagree with the graph", marked);
		agent_ask_next(a, CAIRN_AGENT_QUERY_NEXT);
		break;
	case CAIRN_AGENT_QUERY_VERIFY:
		take_verify(a, now_ns);
		break;
	case CAIRN_AGENT_QUERY_COUNT:
		break;
	}
	if (a->problem[0] == '\0')
		a->spent.errors_in_row = 0;
}
