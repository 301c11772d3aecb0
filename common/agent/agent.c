#include "common/agent/agent.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/agent/agent_private.h"

#define LISTEN_NS (10 * CAIRN_NS_PER_S)
#define S(ns) ((double)(ns)*1e-9)

struct cairn_agent *cairn_agent_new(
    const struct cairn_config *cfg, const struct cairn_profile *profile, struct cairn_error *err)
{
	struct cairn_agent *a = calloc(1, sizeof(*a));
	if (a != NULL) {
		a->turns = calloc(AGENT_TURNS_MAX + 1, sizeof(*a->turns));
		a->kept = calloc(AGENT_KEPT_ANSWERS, sizeof(*a->kept));
		a->world.coverage = cairn_coverage_new();
		a->mirror = cairn_scene_new(cfg);
		a->map = cairn_memory_map_new(cfg, err);
	}
	if (a == NULL || a->turns == NULL || a->kept == NULL || a->world.coverage == NULL ||
	    a->mirror == NULL || a->map == NULL) {
		cairn_error_set(err, "out of memory");
		cairn_agent_destroy(&a);
		return NULL;
	}
	a->cfg = &cfg->agent;
	a->all = cfg;
	a->profile = *profile;
	a->format = cairn_provider_find(profile->format);
	a->prices = (struct cairn_prices){profile->price_in_usd_per_mtok, profile->price_cached_usd_per_mtok,
	    profile->price_cache_write_usd_per_mtok, profile->price_out_usd_per_mtok};
	a->world.use_scene = cfg->agent.use_scene;
	a->world.use_map = cfg->agent.use_map;
	return a;
}

void cairn_agent_destroy(struct cairn_agent **agent_p)
{
	struct cairn_agent *a = *agent_p;
	*agent_p = NULL;
	if (a == NULL)
		return;
	if (a->turns != NULL)
		agent_clear_turns(a);
	free(a->turns);
	free(a->kept);
	cairn_coverage_free(&a->world.coverage);
	cairn_scene_destroy(&a->mirror);
	cairn_memory_map_destroy(&a->map);
	cairn_text_free(&a->body);
	cairn_text_free(&a->context);
	cairn_text_free(&a->prefix);
	free(a);
}

void cairn_agent_on_picture(struct cairn_agent *a, cairn_agent_picture_fn *fn, void *ctx)
{
	a->picture = fn;
	a->picture_ctx = ctx;
}

/* ---- what is told ---- */

static void count_usage(struct cairn_agent *a, const struct cairn_usage *u)
{
	a->spent.tokens_in += u->tokens_in;
	a->spent.tokens_out += u->tokens_out;
	a->spent.by_query[a->query] += u->tokens_in;
	a->spent.usd_by_query[a->query] += cairn_usage_cost_usd(&a->prices, u);
	a->spent.usd += cairn_usage_cost_usd(&a->prices, u);
}

void agent_charge_unanswered(struct cairn_agent *a, const struct cairn_asked *asked, int status, bool sent)
{
	struct cairn_usage usage = cairn_usage_unanswered(asked, status, sent);
	count_usage(a, &usage);
}

static enum cairn_agent_query first_query(const struct cairn_agent *a)
{
	return agent_is_reasoner(a) ? CAIRN_AGENT_QUERY_TICK : CAIRN_AGENT_QUERY_PREPARE;
}

static void begin(struct cairn_agent *a, const struct cairn_msg_mission *m, int64_t now_ns)
{
	bool asking = a->phase == AGENT_PHASE_ASKING;
	struct cairn_asked late = agent_asked(a);
	agent_clear_turns(a);
	a->cancel = asking;
	a->task_id = m->task_id;
	cairn_text_clean(a->task, sizeof(a->task), m->task, strlen(m->task));
	a->t_begin_ns = now_ns;
	a->t_paused_ns = 0;
	a->end = CAIRN_AGENT_STATE_IDLE;
	a->limit = CAIRN_AGENT_LIMIT_NONE;
	a->answer[0] = a->evidence[0] = a->step[0] = a->problem[0] = '\0';
	a->confidence = 0.0;
	a->memory = (struct cairn_agent_memory){0};
	a->spent = (struct agent_spent){0};
	if (asking) /* of the task before, which is told of no more */
		agent_charge_unanswered(a, &late, 0, true);
	a->stalled = 0;
	a->in_vain = false;
	a->looked_round = false;
	a->news = true;
	a->map_sent = 0;
	cairn_memory_map_begin(a->map);
	a->act = (struct agent_act){0};
	a->tour = (struct agent_tour){0};
	a->route = (struct agent_route){.has_leg = false};
	a->retry = (struct cairn_retry){0};
	a->service_failures = 0;
	memset(a->kept, 0, AGENT_KEPT_ANSWERS * sizeof(*a->kept));
	a->deed = (struct agent_deed){0};
	a->done_count = 0;
	a->held[0] = '\0';
	a->survey.on = false;
	agent_deeds_begin(a, false);
	if (m->survey)
		agent_survey_begin(a);
	else
		agent_ask_next(a, first_query(a));
}

/* "answer: ..." behind a hand-off: a person has said what was asked, and the task goes on with what is known. */
static bool goes_on(struct cairn_agent *a, const struct cairn_msg_mission *m, int64_t now_ns)
{
	static const char word[] = "answer:";
	const char *said = m->task + strlen(word);
	if (strncasecmp(m->task, word, strlen(word)) != 0 || a->end != CAIRN_AGENT_STATE_HANDOFF ||
	    a->phase != AGENT_PHASE_IDLE)
		return false;
	a->task_id = m->task_id;
	a->t_begin_ns = now_ns;
	a->t_paused_ns = 0;
	a->end = CAIRN_AGENT_STATE_IDLE;
	a->answer[0] = a->evidence[0] = a->problem[0] = '\0';
	a->stalled = a->spent.errors_in_row = 0;
	a->news = true;
	cairn_agent_log_add(
	    &a->memory.progress, "a person was asked, and says: %.160s", said + strspn(said, " "));
	agent_deeds_begin(a, true);
	agent_ask_next(a, a->memory.plan.count > 0 ? CAIRN_AGENT_QUERY_NEXT : first_query(a));
	return true;
}

/* Held by a person: the time does not count, and nothing is asked. */
static bool is_held(enum cairn_mission_state state)
{
	return state == CAIRN_MISSION_STATE_PAUSED || state == CAIRN_MISSION_STATE_GOTO;
}

void cairn_agent_on_mission(struct cairn_agent *a, const struct cairn_msg_mission *m, int64_t now_ns)
{
	a->told = true;
	a->mission_state = m->state;
	a->world.given_up_count = m->given_up_count;
	memcpy(a->world.given_up, m->given_up, sizeof(a->world.given_up));
	if (m->state == CAIRN_MISSION_STATE_TASK && m->task_id != a->task_id && !goes_on(a, m, now_ns))
		begin(a, m, now_ns);
	if (a->t_begin_ns > now_ns) /* saved before the machine was started anew: its clock began again */
		a->t_begin_ns = now_ns;
	a->drives_on = a->decision_id == 0 && m->decision_id != 0 && m->decision_source == CAIRN_SOURCE_AGENT;
	if (m->task_id != a->task_id || a->phase == AGENT_PHASE_IDLE)
		return;
	if (is_held(m->state)) {
		a->t_paused_ns = a->t_paused_ns == 0 ? now_ns : a->t_paused_ns;
	} else if (m->state == CAIRN_MISSION_STATE_TASK) {
		if (a->t_paused_ns != 0)
			a->t_begin_ns += now_ns - a->t_paused_ns;
		a->t_paused_ns = 0;
	} else {
		char text[160];
		snprintf(text, sizeof(text), "the mission is not at the task any more: %s (%.80s)",
		    cairn_enum_text(&cairn_enum_mission_state, (int)m->state), m->reason);
		agent_end(a, CAIRN_AGENT_STATE_FAILED, CAIRN_AGENT_LIMIT_NONE, text);
	}
	if (a->act.decision_id != 0 && m->decision_id == a->act.decision_id)
		a->act.since_ns = now_ns;
}

void cairn_agent_on_scene(struct cairn_agent *a, const struct cairn_msg_scene *scene)
{
	a->world.scene = *scene;
	a->scenes++;
	cairn_scene_mirror(a->mirror, scene);
	a->world.has_scene = true;
}

void cairn_agent_on_frontiers(struct cairn_agent *a, const struct cairn_msg_frontiers *frontiers)
{
	a->world.frontiers = *frontiers;
	a->world.has_frontiers = true;
}

void cairn_agent_on_pose(struct cairn_agent *a, const struct cairn_msg_pose *pose)
{
	a->world.robot = (struct cairn_pose2){pose->x_m, pose->y_m, pose->yaw_rad};
	a->world.has_pose = pose->tracking == CAIRN_TRACKING_GOOD || pose->tracking == CAIRN_TRACKING_WEAK;
	cairn_coverage_map(a->world.coverage, pose->map_id);
	if (agent_is_route(a))
		agent_route_on_pose(a);
	if (a->world.has_pose)
		cairn_memory_map_on_pose(a->map, a->world.robot, pose->map_id);
}

void cairn_agent_on_detections(struct cairn_agent *a, const struct cairn_msg_detections *seen, int64_t t_ns)
{
	if (seen->source[0] == '\0') { /* of the robot's own camera */
		cairn_coverage_on_picture(a->world.coverage, seen);
		cairn_survey_on_picture(&a->survey.core, t_ns);
	}
	if (t_ns > a->look_ns[0]) {
		memmove(a->look_ns + 1, a->look_ns, (AGENT_LOOKS - 1) * sizeof(a->look_ns[0]));
		a->look_ns[0] = t_ns;
	}
}

void cairn_agent_on_features(struct cairn_agent *a, const struct cairn_msg_features *features)
{
	a->doorway_count = features->doorways_count;
	memcpy(a->doorways, features->doorways, sizeof(a->doorways));
}

void cairn_agent_on_grid(struct cairn_agent *a, const struct cairn_scene_grid *grid)
{
	cairn_coverage_on_grid(a->world.coverage, grid);
	cairn_memory_map_on_grid(a->map, grid);
	a->world.has_grid = true;
	(void)cairn_scene_on_grid(a->mirror, grid, a->world.robot, NULL);
}

void cairn_agent_on_skill_result(struct cairn_agent *a, const struct cairn_msg_skill_result *result)
{
	agent_deed_skill(a, result);
}

void cairn_agent_on_skills(struct cairn_agent *a, const struct cairn_msg_skills *skills)
{
	a->arm_on = a->wish_id == 0 && skills->busy_id != 0;
}

void cairn_agent_on_clock(struct cairn_agent *a, double unix_less_mono_s)
{
	a->unix_less_mono_s = unix_less_mono_s;
}

bool cairn_agent_take_wish(struct cairn_agent *a, struct cairn_msg_skill_request *ret)
{
	bool due = a->phase == AGENT_PHASE_ACTING && a->deed.on && a->deed.publish;
	if (due)
		*ret = a->deed.wish;
	a->deed.publish = false;
	return due;
}

void cairn_agent_on_result(struct cairn_agent *a, const struct cairn_msg_result *result, int64_t now_ns)
{
	agent_act_result(a, result, now_ns);
}

void cairn_agent_on_vlm_stats(struct cairn_agent *a, const struct cairn_msg_vlm_stats *stats)
{
	a->day_usd = stats->usd_day;
}

/* ---- asking ---- */

double agent_elapsed_s(const struct cairn_agent *a, int64_t now_ns)
{
	return a->t_begin_ns == 0 ? 0.0 : S((a->t_paused_ns != 0 ? a->t_paused_ns : now_ns) - a->t_begin_ns);
}

static bool ends_by(
    struct cairn_agent *a, bool over, enum cairn_agent_limit limit, const char *fmt, double most)
{
	char text[256];
	if (!over)
		return false;
	int n = snprintf(text, sizeof(text), fmt, most);
	if (a->survey.on) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, ": ");
		agent_survey_text(a, text + n, sizeof(text) - (size_t)n);
	}
	agent_end(a, CAIRN_AGENT_STATE_FAILED, limit, text);
	return true;
}

/* What holds at any time; money and queries before each query. */
static bool over_limits(struct cairn_agent *a, int64_t now_ns)
{
	const struct cairn_config_agent *c = a->cfg;
	return ends_by(a, agent_elapsed_s(a, now_ns) > c->limit_wall_s, CAIRN_AGENT_LIMIT_WALL,
		   "the %.0f s of a task are over", c->limit_wall_s) ||
	       ends_by(a, !a->survey.on && a->spent.steps >= (double)c->limit_steps, CAIRN_AGENT_LIMIT_STEPS,
		   "the %.0f steps of a task are used up", (double)c->limit_steps);
}

static bool over_budget(struct cairn_agent *a)
{
	const struct cairn_config_agent *c = a->cfg;
	return ends_by(a, a->spent.queries >= (uint32_t)c->limit_queries, CAIRN_AGENT_LIMIT_QUERIES,
		   "the %.0f queries of a task are used up", (double)c->limit_queries) ||
	       ends_by(a, a->spent.usd + agent_price_usd(a) > c->limit_usd, CAIRN_AGENT_LIMIT_USD,
		   "one more query might cost more than the %.2f USD of a task", c->limit_usd) ||
	       ends_by(a, a->day_usd + agent_price_usd(a) > a->all->vlm.limit_usd_per_day,
		   CAIRN_AGENT_LIMIT_USD,
		   "one more query might cost more than the %.2f USD of a day (vlm.limit_usd_per_day)",
		   a->all->vlm.limit_usd_per_day);
}

/* A query that is equal to an earlier one is answered as that was. */
static bool answered_before(struct cairn_agent *a, int64_t now_ns)
{
	struct agent_turn *as;
	if (a->problem[0] != '\0' || !agent_recall(a, &as))
		return false;
	a->spent.repeated++;
	agent_take(a, as, now_ns);
	return true;
}

static bool ask(struct cairn_agent *a, int64_t now_ns, const char **body, size_t *bytes)
{
	if (!agent_make_body(a)) {
		agent_error(a, "out of memory for the query", now_ns);
		return false;
	}
	if (answered_before(a, now_ns) || over_budget(a))
		return false;
	a->spent.queries++;
	a->spent.calls_by_query[a->query]++;
	a->phase = AGENT_PHASE_ASKING;
	*body = a->body.data;
	*bytes = a->body.len;
	return true;
}

/* After a start an agent waits for what its stages tell, a little, before it judges what is known: a stage may be off. What a process
 * before it has begun to drive, or to do with the arm, it lets end: the sequencer would refuse anything else. */
static bool has_heard(struct cairn_agent *a, int64_t now_ns)
{
	const struct cairn_agent_world *w = &a->world;
	bool all = w->has_pose && (!a->cfg->use_scene || w->has_scene) &&
		   (!a->cfg->use_map || w->has_frontiers) && (!agent_is_reasoner(a) || w->has_grid);
	if (a->t_listening_ns == 0)
		a->t_listening_ns = now_ns;
	return !a->drives_on && !a->arm_on && (all || now_ns - a->t_listening_ns > LISTEN_NS);
}

enum cairn_dialog_act cairn_agent_poll(
    struct cairn_agent *a, int64_t now_ns, const char **body, size_t *bytes)
{
	a->t_polled_ns = now_ns;
	if (a->phase != AGENT_PHASE_IDLE && a->t_paused_ns == 0)
		(void)over_limits(a, now_ns);
	if (a->cancel) {
		a->cancel = false;
		return CAIRN_DIALOG_CANCEL;
	}
	if (a->mission_state != CAIRN_MISSION_STATE_TASK)
		return CAIRN_DIALOG_NOTHING;
	agent_act_tick(a, now_ns);
	if (a->phase == AGENT_PHASE_READY && cairn_retry_due(&a->retry, now_ns) && has_heard(a, now_ns) &&
	    (!agent_is_route(a) || agent_route_step(a, now_ns)) && ask(a, now_ns, body, bytes))
		return CAIRN_DIALOG_SEND;
	return CAIRN_DIALOG_NOTHING;
}

/* ---- answers ---- */

/* The service has failed: the same query again, later; in the end nobody answers. */
static void service_failed(struct cairn_agent *a, const struct cairn_dialog_outcome *o, int64_t now_ns)
{
	char text[256], said[160] = "";
	if (o->body != NULL)
		cairn_json_error_text(o->body, o->body_bytes, said, sizeof(said));
	snprintf(text, sizeof(text), "%.40s does not answer: status %d %.140s", a->profile.name, o->status,
	    o->status == 0 && o->error != NULL ? o->error : said);
	struct cairn_asked asked = agent_asked(a);
	agent_charge_unanswered(a, &asked, o->status, o->sent);
	a->phase = AGENT_PHASE_READY;
	a->spent.queries -= a->spent.queries > 0 && !o->sent ? 1 : 0;
	cairn_retry_tried(&a->retry, false, now_ns);
	if (o->retry_after_s > 0.0 && o->retry_after_s < 3600.0) {
		int64_t due_ns = now_ns + (int64_t)(o->retry_after_s * 1e9);
		a->retry.due_ns = due_ns > a->retry.due_ns ? due_ns : a->retry.due_ns;
	}
	bool refused = o->status >= 400 && o->status < 500 && o->status != 429 && o->status != 408;
	if (refused || ++a->service_failures >= AGENT_SERVICE_TRIES)
		agent_end(a, CAIRN_AGENT_STATE_FAILED, CAIRN_AGENT_LIMIT_SERVICE, text);
}

/* The one call of a reply into a->call. False with the reason. */
static bool check_reply(
    struct cairn_agent *a, const struct cairn_reply *reply, struct agent_turn *as, struct cairn_error *why)
{
	const struct cairn_reply_call *c = &reply->calls[0];
	if (reply->refusal[0] != '\0' || reply->filtered || reply->truncated || reply->call_count == 0) {
		cairn_error_set(why, "%s%.120s",
		    reply->truncated            ? "it was cut off by the token limit: answer shorter"
		    : reply->filtered           ? "it was filtered"
		    : reply->refusal[0] != '\0' ? "refused: "
						: "no tool was called",
		    reply->refusal);
		return false;
	}
	int row = cairn_tool_find(&cairn_agent_tools, c->name);
	if (row < 0 || !cairn_tool_in(agent_allowed(a), row)) {
		cairn_error_set(why, "%s '%.40s' is no tool that may be called now",
		    row < 0 ? "unknown tool:" : "", c->name);
		return false;
	}
	if (c->problem[0] != '\0') {
		cairn_error_set(why, "%s: %.100s", c->name, c->problem);
		return false;
	}
	memcpy(as->id, c->id, sizeof(as->id));
	memcpy(as->signature, c->signature, sizeof(as->signature));
	return cairn_tool_take(&cairn_agent_tools, row, c->arguments, &a->call, why);
}

void cairn_agent_answered(struct cairn_agent *a, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	struct cairn_reply reply = {0};
	struct cairn_error why = {""};
	if (a->phase != AGENT_PHASE_ASKING)
		return; /* of an episode that is over */
	if (o->status != 200) {
		service_failed(a, o, now_ns);
		return;
	}
	a->service_failures = 0;
	a->retry = (struct cairn_retry){0};
	a->phase = AGENT_PHASE_READY;
	a->as = (struct agent_turn){0};
	bool ok = a->format->read_reply(o->body, o->body_bytes, &reply, &why);
	struct cairn_asked asked = agent_asked(a);
	struct cairn_usage usage = cairn_usage_bounded(&reply.usage, &asked, o->body_bytes);
	count_usage(a, &usage);
	ok = ok && check_reply(a, &reply, &a->as, &why);
	cairn_reply_clear(&reply);
	if (!ok) {
		agent_error(a, why.text, now_ns);
		return;
	}
	a->map_sent = a->map_in_body != 0 ? a->map_in_body : a->map_sent;
	agent_keep(a, &a->as);
	agent_take(a, &a->as, now_ns);
}

void cairn_agent_give_up(struct cairn_agent *a, const char *why, int64_t now_ns)
{
	(void)now_ns;
	if (a->phase != AGENT_PHASE_IDLE && !a->survey.on)
		agent_end(a, CAIRN_AGENT_STATE_FAILED, CAIRN_AGENT_LIMIT_SERVICE, why);
}

bool cairn_agent_take_decision(struct cairn_agent *a, struct cairn_msg_decision *ret)
{
	if (a->phase != AGENT_PHASE_ACTING || !a->act.publish)
		return false;
	a->act.publish = false;
	*ret = a->act.queue[a->act.at];
	return true;
}
