/* agent_ask.c - the body of a query: the static prefix, what is known, and the history of the step where the kind has one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/agent/agent_private.h"
#include "common/base/hash.h"
#include "common/vlm/prompt.h"

#define LOOK_MAX CAIRN_TURN_IMAGES_MAX

bool cairn_agent_lineup(const struct cairn_config *cfg, struct cairn_config_vlm *ret_vlm,
    struct cairn_lineup *ret, struct cairn_error *err)
{
	*ret_vlm = cfg->vlm;
	ret_vlm->timeout_s = cfg->agent.timeout_s;
	snprintf(ret_vlm->replay, sizeof(ret_vlm->replay), "%s", cfg->agent.replay);
	ret_vlm->fallbacks[0] = ret_vlm->observe_provider[0] = '\0';
	if (cfg->agent.provider[0] != '\0')
		snprintf(ret_vlm->provider, sizeof(ret_vlm->provider), "%s", cfg->agent.provider);
	if (!cairn_lineup_load(ret, ret_vlm, err))
		return false;
	cairn_lineup_alone(ret);
	return true;
}

int agent_output_tokens(const struct cairn_agent *a)
{
	int own = a->profile.max_output_tokens > 0 ? a->profile.max_output_tokens : a->cfg->max_output_tokens;
	int kind = cairn_agent_queries[a->query].tokens;
	return kind < own ? kind : own;
}

/* What the step is about, for kinds that execute one. */
static void step_text(struct cairn_text *out, const struct cairn_agent *a)
{
	if (a->query == CAIRN_AGENT_QUERY_LOOK)
		cairn_text_addf(out, "<question>\n%s\n</question>\n", a->look_question);
	else if (a->step[0] != '\0' &&
		 (a->query == CAIRN_AGENT_QUERY_ACT || a->query == CAIRN_AGENT_QUERY_EXPLORE ||
		     a->query == CAIRN_AGENT_QUERY_REMEMBER))
		cairn_text_addf(out, "<step>\n%s\n</step>\n", a->step);
}

static void route_text(struct cairn_text *out, const struct cairn_agent *a)
{
	if (agent_is_route(a) && a->query == CAIRN_AGENT_QUERY_REVISE)
		cairn_text_add(out, "This task is a route, and the lines of the plan are its parts. The "
				    "first open part does not "
				    "fit what is known, as the progress log says. Write the open parts anew "
				    "so that they fit, or "
				    "leave out what does not exist: 'turn round', 'door N left', 'door N "
				    "right', 'pass THING', "
				    "'stop at THING', and nothing else.\n");
	else if (agent_is_route(a) && a->query == CAIRN_AGENT_QUERY_VERIFY)
		cairn_text_add(out, "This task is a route. Its parts were checked off by graph and map, as "
				    "the plan says; the claim "
				    "is found, the evidence the thing that the robot has stopped at.\n");
}

/* The picture of the map: in this query, or known from one before. */
static void map_text(struct cairn_text *out, const struct cairn_agent *a)
{
	if (a->map_in_body != 0)
		cairn_text_addf(out,
		    "Map %u is in the picture, x of the map frame up: floor white, green where the camera "
		    "has looked, "
		    "walls black, unknown grey; the way driven in this task blue, the start a red cross, the "
		    "robot "
		    "a green arrow; rooms and things by name.\n",
		    a->map_in_body);
	else if (a->map_sent != 0 && cairn_agent_queries[a->query].map)
		cairn_text_addf(out,
		    "Map %u, which you were given before, has changed little: it is not sent again. The "
		    "description in "
		    "the memory says what matters of it.\n",
		    a->map_sent);
}

static void make_context(struct cairn_agent *a)
{
	struct cairn_text *out = &a->context;
	const struct cairn_agent_query_row *row = &cairn_agent_queries[a->query];
	cairn_text_clear(out);
	cairn_text_addf(out, "<task>\n%s\n</task>\n", a->task);
	if (a->query != CAIRN_AGENT_QUERY_LOOK) {
		cairn_agent_memory_text(out, &a->memory, (uint32_t)a->cfg->memory_tokens);
		cairn_agent_letter_openings(&a->world);
		cairn_agent_graph_text(out, &a->world, &a->memory.labels);
	}
	if (!agent_has_arm(a))
		cairn_text_add(out, "This robot has no arm: it opens, takes and brings nothing.\n");
	step_text(out, a);
	route_text(out, a);
	map_text(out, a);
	if (a->problem[0] != '\0')
		cairn_text_addf(out, "Your last answer could not be used: %s\n", a->problem);
	cairn_text_addf(out, "%s\n", row->instruction);
	if (cairn_tool_single(row->only) >= 0)
		cairn_text_addf(out, "Answer with a call of %s.\n",
		    cairn_agent_tools.rows[cairn_tool_single(row->only)].name);
}

/* Turns of the step: the question, then call and answer by call and answer. */
static int history(const struct cairn_agent *a, struct cairn_turn *turns)
{
	int n = 1;
	for (uint32_t i = 0; i < a->turn_count; i++) {
		const struct agent_turn *t = &a->turns[i];
		turns[n++] = (struct cairn_turn){.role = CAIRN_TURN_MODEL,
		    .calls = {{t->id, t->signature, t->name,
			t->arguments.data != NULL ? t->arguments.data : "{}"}},
		    .call_count = 1};
		turns[n++] = (struct cairn_turn){
		    .answers = {{t->id, t->name, t->answer.data != NULL ? t->answer.data : "done"}},
		    .answer_count = 1};
	}
	return n;
}

/* The pictures asked for, as many as go into one query. */
static void add_pictures(
    struct cairn_agent *a, struct cairn_turn *turn, char captions[][32], struct cairn_text *jpegs)
{
	for (uint32_t i = 0; i < a->look_ids.count && turn->image_count < LOOK_MAX; i++) {
		const struct cairn_msg_scene_node *n = cairn_agent_node(&a->world, a->look_ids.items[i]);
		uint64_t number = n != NULL ? n->picture : strtoull(a->look_ids.items[i], NULL, 10);
		const uint8_t *jpeg;
		size_t bytes;
		int at = turn->image_count;
		if (number == 0 || a->picture == NULL || !a->picture(a->picture_ctx, number, &jpeg, &bytes))
			continue;
		cairn_text_bytes(&jpegs[at], (const char *)jpeg, bytes);
		snprintf(captions[at], 32, "Picture %llu:", (unsigned long long)number);
		turn->images[at] =
		    (struct cairn_request_image){(const uint8_t *)jpegs[at].data, bytes, false, captions[at]};
		turn->image_count++;
	}
}

/* The map, where the query takes it and the model has not had this drawing of it. */
static void choose_map(struct cairn_agent *a)
{
	bool takes = cairn_agent_queries[a->query].map && a->cfg->use_pictures;
	uint32_t number = takes ? cairn_memory_map_draw(a->map, &a->world, &a->memory.labels) : 0;
	a->map_in_body = number != a->map_sent ? number : 0;
}

static void add_map(const struct cairn_agent *a, struct cairn_turn *turn, char caption[32])
{
	size_t bytes;
	uint32_t number;
	const uint8_t *jpeg = cairn_memory_map_jpeg(a->map, &number, &bytes);
	if (a->map_in_body == 0 || jpeg == NULL)
		return;
	snprintf(caption, 32, "Map %u:", a->map_in_body);
	turn->images[turn->image_count++] = (struct cairn_request_image){jpeg, bytes, false, caption};
}

uint64_t agent_allowed(const struct cairn_agent *a)
{
	const struct cairn_agent_query_row *row = &cairn_agent_queries[a->query];
	bool last = row->history && a->turn_count + 1 >= (uint32_t)a->cfg->function_turns;
	uint64_t arm = agent_has_arm(a) ? 0 : cairn_agent_arm();
	return last ? CAIRN_TOOL_BIT(CAIRN_AGENT_CONCLUDE) : row->only & ~arm;
}

bool agent_make_body(struct cairn_agent *a)
{
	const struct cairn_agent_query_row *row = &cairn_agent_queries[a->query];
	struct cairn_turn *turns = calloc(2 * (size_t)a->turn_count + 1, sizeof(*turns));
	struct cairn_text jpegs[LOOK_MAX] = {0};
	char captions[LOOK_MAX][32];
	if (turns == NULL)
		return false;
	choose_map(a);
	make_context(a);
	uint64_t only = agent_allowed(a);
	struct cairn_prefix prefix = {.profile = &a->profile,
	    .max_output_tokens = agent_output_tokens(a),
	    .system = cairn_agent_system,
	    .tools = &cairn_agent_tools,
	    .only = only,
	    .never = agent_has_arm(a) ? 0 : cairn_agent_arm(),
	    .has_temperature = a->profile.sends_temperature,
	    .temperature = a->cfg->temperature};
	struct cairn_request request = {&cairn_agent_tools, only, turns, 1};
	turns[0].text = a->context.data;
	if (row->pictures)
		add_pictures(a, &turns[0], captions, jpegs);
	add_map(a, &turns[0], captions[0]);
	a->picture_count = (uint32_t)turns[0].image_count;
	if (row->history)
		request.turn_count = history(a, turns);
	cairn_text_clear(&a->prefix);
	a->format->write_prefix(&a->prefix, &prefix);
	a->format->write_body(&a->body, &a->prefix, &a->profile, &request);
	bool ok = !a->body.failed && !a->prefix.failed && !a->context.failed;
	for (int i = 0; i < LOOK_MAX; i++) {
		ok = ok && !jpegs[i].failed;
		cairn_text_free(&jpegs[i]);
	}
	free(turns);
	a->body_hash = ok ? cairn_hash_bytes(CAIRN_HASH_START, a->body.data, a->body.len) : 0;
	return ok;
}

struct cairn_asked agent_asked(const struct cairn_agent *a)
{
	size_t text = a->prefix.len + a->context.len;
	for (uint32_t i = 0; i < a->turn_count && cairn_agent_queries[a->query].history; i++)
		text += a->turns[i].arguments.len + a->turns[i].answer.len;
	uint64_t of_pictures = (uint64_t)a->picture_count * (uint64_t)a->profile.image_tokens_low;
	return (struct cairn_asked){.tokens_in = cairn_prompt_tokens(text) + of_pictures,
	    .tokens_pictures = of_pictures,
	    .tokens_prefix = cairn_prompt_tokens(a->prefix.len),
	    .bytes_sent = a->body.len,
	    .tokens_out_max = (uint64_t)agent_output_tokens(a)};
}

double agent_price_usd(const struct cairn_agent *a)
{
	struct cairn_asked asked = agent_asked(a);
	double dearest = fmax(a->prices.in, a->prices.cache_write);
	return 1e-6 * ((double)asked.tokens_in * dearest + (double)asked.tokens_out_max * a->prices.out);
}

bool agent_recall(struct cairn_agent *a, struct agent_turn **ret_as)
{
	for (uint32_t i = 0; i < AGENT_KEPT_ANSWERS; i++) {
		if (a->kept[i].hash == 0 || a->kept[i].hash != a->body_hash)
			continue;
		a->call = a->kept[i].call;
		*ret_as = &a->kept[i].as;
		return true;
	}
	return false;
}

void agent_keep(struct cairn_agent *a, const struct agent_turn *as)
{
	struct agent_kept *k = &a->kept[a->kept_next++ % AGENT_KEPT_ANSWERS];
	k->hash = a->body_hash;
	k->call = a->call;
	memcpy(k->as.id, as->id, sizeof(k->as.id));
	memcpy(k->as.signature, as->signature, sizeof(k->as.signature));
	memcpy(k->as.name, as->name, sizeof(k->as.name));
}
