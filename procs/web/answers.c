/* answers.c - what a GET of /api is answered with: the same JSON as the command-line tool prints. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/agent/agent.h"
#include "common/base/file.h"
#include "common/base/text.h"
#include "common/vlm/decision_history.h"
#include "common/vlm/memory.h"
#include "procs/web/http.h"

#define DECISIONS 50
#define DECISIONS_MAX 500
#define TAIL_BYTES (2L * 1024 * 1024) /* of the log of decisions, where its newest are */
#define PICTURE_BYTES_MAX (8u << 20)
#define LOG_LINES 200
#define LOG_LINES_MAX 2000

/* ---- status ---- */

static const char *const status_topics[] = {
    "stages", "mission", "tier", "pose", "motion", "battery", "vlm.stats", "health"};
#define STATUS_TOPICS (sizeof(status_topics) / sizeof(status_topics[0]))

void answers_status_use(struct web *web, bool use)
{
	for (size_t i = 0; i < STATUS_TOPICS; i++) {
		int slot = hub_slot(web, status_topics[i]);
		if (use)
			hub_use(web, slot);
		else
			hub_leave(web, slot);
	}
}

bool answers_there(const struct web *web, int slot)
{
	const struct cairn_web_slot *f = &web->feed_slots[slot];
	return f->first > 0 && f->first <= f->newest && !f->gone;
}

bool answers_status_complete(struct web *web)
{
	for (size_t i = 0; i < STATUS_TOPICS; i++) {
		if (!answers_there(web, hub_slot(web, status_topics[i])))
			return false;
	}
	return true;
}

/* As `cairn status` judges: every stage up, and the watchdog content. */
static bool is_well(struct web *web)
{
	int stages_slot = hub_slot(web, "stages"), health_slot = hub_slot(web, "health");
	if (!answers_there(web, stages_slot) || !answers_there(web, health_slot))
		return false;
	const struct cairn_msg_stages *stages = web->slots[stages_slot].msg;
	const struct cairn_msg_health *health = web->slots[health_slot].msg;
	bool well = health->ok;
	for (uint32_t i = 0; i < stages->items_count; i++)
		well = well && stages->items[i].state == CAIRN_STAGE_STATE_UP;
	return well;
}

static void add_fields(struct web *web, struct cairn_text *t, const char *const *topics, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int slot = hub_slot(web, topics[i]);
		const struct web_kept *kept =
		    answers_there(web, slot) ? hub_message(web, slot, web->feed_slots[slot].newest) : NULL;
		cairn_text_addf(t, "%s\"%s\":", i > 0 ? "," : "", topics[i]);
		if (kept != NULL)
			cairn_text_bytes(t, kept->blob->data, kept->blob->bytes);
		else
			cairn_text_add(t, "null");
	}
}

void answers_add_topics(struct web *web, struct cairn_text *t, const char *const *topics, size_t count)
{
	cairn_text_add(t, "{");
	add_fields(web, t, topics, count);
	cairn_text_add(t, "}");
}

int answers_status(struct web *web, struct web_http *h)
{
	struct cairn_text t = {0};
	cairn_text_add(&t, "{\"run\":");
	cairn_text_json_string(&t, cairn_stage_run_dir(web->stage));
	cairn_text_addf(&t, ",\"well\":%s,", is_well(web) ? "true" : "false");
	add_fields(web, &t, status_topics, STATUS_TOPICS);
	cairn_text_add(&t, "}\n");
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return http_answer(h, 200, "application/json", blob);
}

/* ---- discoveries ---- */

bool answers_add_discoveries(struct web *web, struct cairn_text *t, struct cairn_error *err)
{
	static struct cairn_memory memory; /* large */
	static struct cairn_msg_discoveries found;
	static char text[256 * 1024];
	struct cairn_ledger ledger;
	char path[300];
	snprintf(path, sizeof(path), "%s/state/memory.yaml", cairn_stage_run_dir(web->stage));
	if (!cairn_memory_load(&memory, &ledger, path, err))
		return false;
	cairn_memory_discoveries(&memory, &found);
	int n = cairn_msg_to_json(&cairn_desc_discoveries, NULL, &found, text, sizeof(text));
	if (n < 0) {
		cairn_error_set(err, "the discoveries do not fit into one answer");
		return false;
	}
	cairn_text_bytes(t, text, (size_t)n);
	return true;
}

static int give_discoveries(struct web *web, struct web_http *h)
{
	struct cairn_text t = {0};
	struct cairn_error err = {""};
	if (!answers_add_discoveries(web, &t, &err))
		return http_error(h, 503, "%s", err.text);
	struct web_blob *blob = t.failed ? NULL : web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	return http_answer(h, 200, "application/json", blob);
}

/* ---- decisions ---- */

static void add_entry(void *ctx, const struct cairn_history_entry *e)
{
	(void)json_array_append_new(ctx, cairn_history_json(e));
}

static int give_json(struct web_http *h, json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));
	struct web_blob *blob = text != NULL ? web_blob_new(text, strlen(text)) : NULL;
	free(text);
	json_decref(json);
	return http_answer(h, 200, "application/json", blob);
}

json_t *answers_decisions(struct web *web, uint64_t last)
{
	struct cairn_history decisions = {.items = NULL}, commands = {.items = NULL};
	char state[300];
	snprintf(state, sizeof(state), "%s/state", cairn_stage_run_dir(web->stage));
	json_t *list = json_array();
	if (cairn_history_init(&decisions, last) && cairn_history_init(&commands, last)) {
		(void)cairn_history_read(&decisions, state, "decisions.jsonl", TAIL_BYTES, NULL);
		(void)cairn_history_read(&commands, state, "commands.jsonl", TAIL_BYTES, NULL);
		cairn_history_merge(&decisions, &commands, add_entry, list);
	}
	cairn_history_free(&decisions);
	cairn_history_free(&commands);
	return list;
}

static int give_decisions(struct web *web, struct web_http *h, const char *query)
{
	uint64_t last;
	if (!cairn_web_query_count(query, "last", DECISIONS, DECISIONS_MAX, &last))
		return http_error(h, 400, "?last= must be 1 to %d", DECISIONS_MAX);
	return give_json(h, answers_decisions(web, last));
}

static bool is_number(const char *part, uint64_t *ret)
{
	char *end = NULL;
	*ret = strtoull(part, &end, 10);
	return part[0] >= '0' && part[0] <= '9' && *end == '\0';
}

static int give_decision(struct web *web, struct web_http *h, const char *part)
{
	struct cairn_history history = {.items = NULL};
	char state[300];
	uint64_t id;
	json_t *found = NULL;
	if (!is_number(part, &id))
		return http_error(h, 400, "a decision has a number");
	snprintf(state, sizeof(state), "%s/state", cairn_stage_run_dir(web->stage));
	if (cairn_history_init(&history, 8))
		(void)cairn_history_read(&history, state, "decisions.jsonl", 0, part);
	const struct cairn_history_entry *e;
	for (size_t i = 0; (e = cairn_history_at(&history, i)) != NULL; i++) {
		const json_t *number = json_object_get(e->decision, "id");
		if (json_is_integer(number) && (uint64_t)json_integer_value(number) == id) {
			json_decref(found);
			found = cairn_history_json(e);
		}
	}
	cairn_history_free(&history);
	if (found == NULL)
		return http_error(h, 404, "there is no decision %" PRIu64 " in the log, or not any more", id);
	return give_json(h, found);
}

/* A file below the state folder, as the stages keep them; NULL: there is none. */
static struct web_blob *kept_file(struct web *web, const char *folder, const char *name)
{
	char path[380];
	struct cairn_error err = {""};
	size_t bytes = 0;
	snprintf(path, sizeof(path), "%s/state/%s/%s", cairn_stage_run_dir(web->stage), folder, name);
	char *data = cairn_file_read(path, CAIRN_FILE_OWN, PICTURE_BYTES_MAX, &bytes, &err);
	struct web_blob *blob = data != NULL ? web_blob_new(data, bytes) : NULL;
	free(data);
	return blob;
}

/* As the gateway keeps what it has sent (vlm.sent_pictures_mb); of a newer one perhaps only what was watched here. */
static struct web_blob *sent_picture(struct web *web, uint64_t id)
{
	char name[32];
	snprintf(name, sizeof(name), "%" PRIu64 ".jpg", id);
	return kept_file(web, "sent", name);
}

/* As the stage scene keeps them (scene.pictures_mb). */
static int give_view(
    struct web *web, struct web_http *h, const char *part, const char *ending, const char *type)
{
	char name[40];
	uint64_t id;
	struct web_blob *blob = NULL;
	if (is_number(part, &id)) {
		snprintf(name, sizeof(name), "%06" PRIu64 "%s", id, ending);
		blob = kept_file(web, "views", name);
	}
	if (blob == NULL)
		return http_error(h, 404,
		    "there is no such picture of things, or not any more: it had to make room "
		    "(scene.pictures_mb)");
	return http_answer(h, 200, type, blob);
}

/* As the stage agent keeps it. */
static int give_agent_map(struct web *web, struct web_http *h)
{
	struct web_blob *blob = kept_file(web, ".", CAIRN_AGENT_MAP_NAME);
	return blob != NULL ? http_answer(h, 200, "image/jpeg", blob)
			    : http_error(h, 404, "the agent has not drawn the map for a task");
}

static int give_decision_picture(struct web *web, struct web_http *h, const char *part)
{
	uint64_t id;
	struct web_blob *blob = NULL;
	if (is_number(part, &id)) {
		blob = web_blob_hold(pictures_of_decision(web, id));
		blob = blob != NULL ? blob : sent_picture(web, id);
	}
	if (blob == NULL)
		return http_error(h, 404,
		    "no picture is kept of this decision: it went without one, or the picture had to make "
		    "room "
		    "(vlm.sent_pictures_mb)");
	return http_answer(h, 200, "image/jpeg", blob);
}

static int give_logs(struct web *web, struct web_http *h, const char *query)
{
	char stage[48] = "";
	uint64_t last;
	if (strstr(query, "stage=") != NULL && !cairn_web_query(query, "stage", stage, sizeof(stage)) &&
	    strstr(query, "stage=&") == NULL && query[strlen(query) - 1] != '=')
		return http_error(h, 400, "?stage= must be the name of a stage");
	if (!cairn_web_query_count(query, "last", LOG_LINES, LOG_LINES_MAX, &last))
		return http_error(h, 400, "?last= must be 1 to %d", LOG_LINES_MAX);
	return http_answer(h, 200, "application/json", logs_newest(web, stage, last));
}

int answers_get(struct web *web, struct web_http *h, int route, const char *part, const char *query)
{
	switch (route) {
	case CAIRN_WEB_DECISIONS:
		return give_decisions(web, h, query);
	case CAIRN_WEB_DECISION:
		return give_decision(web, h, part);
	case CAIRN_WEB_DECISION_JPG:
		return give_decision_picture(web, h, part);
	case CAIRN_WEB_VIEW:
		return give_view(web, h, part, ".json", "application/json");
	case CAIRN_WEB_VIEW_JPG:
		return give_view(web, h, part, ".jpg", "image/jpeg");
	case CAIRN_WEB_AGENT_MAP_JPG:
		return give_agent_map(web, h);
	case CAIRN_WEB_DISCOVERIES:
		return give_discoveries(web, h);
	case CAIRN_WEB_LOGS:
		return give_logs(web, h, query);
	default:
		return http_error(h, 404, "not offered by this version");
	}
}
