/* agent_file.c - an episode on disk, so that an agent that was killed goes on with its task. What it was asking or driving at that
 * moment is asked again; what it has spent counts on. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/agent/agent_private.h"
#include "common/base/hash.h"

#define VERSION 3

static json_t *requester_json(const struct cairn_agent *a)
{
	return a->has_requester ? json_pack("[f,f]", a->requester.x_m, a->requester.y_m) : json_null();
}

/* Looks so far, and things known before the first. */
static json_t *survey_json(const struct cairn_agent *a)
{
	const struct agent_survey *s = &a->survey;
	return s->on ? json_pack("[I,I]", (json_int_t)(s->looks_before + s->core.looks),
			   s->has_known ? (json_int_t)s->known_before : (json_int_t)-1)
		     : json_null();
}

bool cairn_agent_save(struct cairn_agent *a, struct cairn_text *out)
{
	if (!a->changed || a->task_id == 0)
		return false;
	const struct agent_spent *s = &a->spent;
	json_t *root =
	    json_pack("{s:i,s:I,s:s,s:s,s:s,s:s,s:s,s:f,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:o,s:o,s:o,s:o}",
		"v", VERSION, "task_id", (json_int_t)a->task_id, "task", a->task, "end",
		cairn_enum_text(&cairn_enum_agent_state, (int)a->end), "limit",
		cairn_enum_text(&cairn_enum_agent_limit, (int)a->limit), "answer", a->answer, "evidence",
		a->evidence, "confidence", a->confidence, "begin_ns", (json_int_t)a->t_begin_ns, "queries",
		(json_int_t)s->queries, "repeated", (json_int_t)s->repeated, "errors", (json_int_t)s->errors,
		"revisions", (json_int_t)s->revisions, "tokens_in", (json_int_t)s->tokens_in, "tokens_out",
		(json_int_t)s->tokens_out, "usd", s->usd, "steps", s->steps, "done", agent_done_json(a),
		"requester", requester_json(a), "survey", survey_json(a), "memory",
		cairn_agent_memory_json(&a->memory));
	char *text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (text == NULL)
		return false; /* tried again: it is still changed */
	cairn_text_clear(out);
	cairn_text_addf(
	    out, "%016" PRIx64 "\n%s\n", cairn_hash_bytes(CAIRN_HASH_START, text, strlen(text)), text);
	free(text);
	a->changed = out->failed;
	return !out->failed;
}

static uint32_t count_of(const json_t *root, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(root, key));
	return n < 0 || n > 1000000000 ? 0 : (uint32_t)n;
}

static double number_of(const json_t *root, const char *key)
{
	double x = json_number_value(json_object_get(root, key));
	return isfinite(x) && x >= 0.0 ? x : 0.0;
}

static int word_of(const json_t *root, const char *key, const struct cairn_enum_desc *desc)
{
	const char *word = json_string_value(json_object_get(root, key));
	return word != NULL ? cairn_enum_parse(desc, word) : -1;
}

static bool read_text(const json_t *root, const char *key, char *ret, size_t cap)
{
	const json_t *value = json_object_get(root, key);
	if (json_is_string(value))
		cairn_text_clean(ret, cap, json_string_value(value), json_string_length(value));
	return json_is_string(value);
}

static void read_requester(struct cairn_agent *a, const json_t *at)
{
	double x = json_number_value(json_array_get(at, 0)), y = json_number_value(json_array_get(at, 1));
	a->has_requester = json_array_size(at) == 2 && fabs(x) < 1e4 && fabs(y) < 1e4;
	a->requester = (struct cairn_vec2){x, y};
}

/* What was seen before is not known any more: it looks at all of it again. */
static void read_survey(struct cairn_agent *a, const json_t *at)
{
	json_int_t looks = json_integer_value(json_array_get(at, 0)),
		   known = json_integer_value(json_array_get(at, 1));
	if (json_array_size(at) != 2 || looks < 0 || looks > UINT32_MAX || known > UINT32_MAX)
		return;
	agent_survey_begin(a);
	a->survey.looks_before = (uint32_t)looks;
	a->survey.has_known = known >= 0;
	a->survey.known_before = known >= 0 ? (uint32_t)known : 0;
}

static bool take(struct cairn_agent *a, const json_t *root)
{
	struct cairn_agent_memory memory;
	struct cairn_error none;
	const json_t *task = json_object_get(root, "task");
	int end = word_of(root, "end", &cairn_enum_agent_state),
	    limit = word_of(root, "limit", &cairn_enum_agent_limit);
	json_int_t id = json_integer_value(json_object_get(root, "task_id")),
		   begun_ns = json_integer_value(json_object_get(root, "begin_ns"));
	if (json_integer_value(json_object_get(root, "v")) != VERSION || id <= 0 || begun_ns <= 0 ||
	    !json_is_string(task) || end < 0 || limit < 0 ||
	    !read_text(root, "answer", a->answer, sizeof(a->answer)) ||
	    !read_text(root, "evidence", a->evidence, sizeof(a->evidence)) ||
	    !cairn_agent_memory_read(&memory, json_object_get(root, "memory")))
		return false;
	a->task_id = (uint64_t)id;
	cairn_text_clean(a->task, sizeof(a->task), json_string_value(task), json_string_length(task));
	a->t_begin_ns = begun_ns;
	a->memory = memory;
	if (memory.plan.count >
	    0) /* no other plan reads as one; sides are told from where the robot is now */
		(void)agent_route_begin(a, &memory.plan, &none);
	a->spent = (struct agent_spent){.queries = count_of(root, "queries"),
	    .repeated = count_of(root, "repeated"),
	    .errors = count_of(root, "errors"),
	    .revisions = count_of(root, "revisions"),
	    .tokens_in = count_of(root, "tokens_in"),
	    .tokens_out = count_of(root, "tokens_out"),
	    .usd = number_of(root, "usd"),
	    .steps = number_of(root, "steps")};
	agent_done_read(a, json_object_get(root, "done"));
	read_requester(a, json_object_get(root, "requester"));
	agent_deeds_begin(a, true);
	a->news = true;
	a->end = (enum cairn_agent_state)end;
	a->limit = (enum cairn_agent_limit)limit;
	a->confidence = fmin(number_of(root, "confidence"), 1.0);
	if (a->end != CAIRN_AGENT_STATE_IDLE) /* it is over: its end is told again */
		return true;
	cairn_agent_log_add(&a->memory.actions, "the agent was started again in the middle of the task");
	read_survey(a, json_object_get(root, "survey"));
	if (a->survey.on)
		return true;
	agent_ask_next(a, agent_is_reasoner(a)       ? CAIRN_AGENT_QUERY_TICK
			  : a->memory.plan.count > 0 ? CAIRN_AGENT_QUERY_NEXT
						     : CAIRN_AGENT_QUERY_PREPARE);
	return true;
}

bool cairn_agent_load(struct cairn_agent *a, const char *text, size_t bytes, struct cairn_error *err)
{
	uint64_t sum = 0;
	const char *end = memchr(text, '\n', bytes),
		   *last = bytes > 0 && text[bytes - 1] == '\n' ? text + bytes - 1 : NULL;
	bool ok = end != NULL && last > end && end - text == 16 && sscanf(text, "%16" SCNx64, &sum) == 1 &&
		  cairn_hash_bytes(CAIRN_HASH_START, end + 1, (size_t)(last - end - 1)) == sum;
	json_t *root = ok ? json_loadb(end + 1, (size_t)(last - end - 1), 0, NULL) : NULL;
	ok = root != NULL && take(a, root);
	json_decref(root);
	if (!ok)
		cairn_error_set(err, "damaged, or of another version");
	return ok;
}
