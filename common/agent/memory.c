#include "common/agent/memory.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/vlm/prompt.h"

#define MARK " [the graph does not have this]"

void cairn_agent_log_add(struct cairn_agent_log *log, const char *fmt, ...)
{
	char line[CAIRN_AGENT_LINE_CAP], clean[CAIRN_AGENT_LINE_CAP];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cairn_text_clean(clean, sizeof(clean), line, strlen(line));
	if (log->count > 0 && strcmp(cairn_agent_log_at(log, log->count - 1), clean) == 0)
		return;
	uint32_t at = (log->first + log->count) % CAIRN_AGENT_LOG_MAX;
	memcpy(log->items[at], clean, sizeof(clean));
	log->total++;
	if (log->count < CAIRN_AGENT_LOG_MAX)
		log->count++;
	else
		log->first = (log->first + 1) % CAIRN_AGENT_LOG_MAX;
}

const char *cairn_agent_log_at(const struct cairn_agent_log *log, uint32_t i)
{
	return log->items[(log->first + i) % CAIRN_AGENT_LOG_MAX];
}

/* ---- what the model writes ---- */

/* The next word of the form sofa_2 at or behind *at; its bytes, 0: none. */
static size_t next_id(const char **at)
{
	for (const char *p = *at; *p != '\0';) {
		size_t n = 0, mark = 0;
		while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '-') {
			mark = p[n] == '_' ? n : mark;
			n++;
		}
		size_t digits = n > 0 && mark > 0 ? strspn(p + mark + 1, "0123456789") : 0;
		if (digits > 0 && mark + 1 + digits == n) {
			*at = p;
			return n;
		}
		p += n > 0 ? n : 1;
	}
	return 0;
}

static bool agrees(const char *line, const struct cairn_agent_world *w)
{
	char id[CAIRN_AGENT_ID_CAP];
	const char *at = line;
	for (size_t n; (n = next_id(&at)) > 0; at += n) {
		snprintf(id, sizeof(id), "%.*s", (int)n, at);
		if (!cairn_agent_is_evidence(w, id))
			return false;
	}
	return true;
}

uint32_t cairn_agent_memory_take(
    struct cairn_agent_memory *m, const struct cairn_agent_call *update, const struct cairn_agent_world *w)
{
	uint32_t marked = 0;
	memcpy(m->description, update->text, sizeof(m->description));
	m->spaces = update->ids;
	m->pictures = update->ids2;
	m->entrances = update->lines;
	m->findings = update->findings;
	for (uint32_t i = 0; i < m->findings.count && w->use_scene; i++) {
		char *line = m->findings.items[i], old[CAIRN_AGENT_LINE_CAP];
		if (agrees(line, w) || strstr(line, MARK) != NULL)
			continue;
		memcpy(old, line, sizeof(old));
		snprintf(
		    line, CAIRN_AGENT_LINE_CAP, "%.*s" MARK, (int)(CAIRN_AGENT_LINE_CAP - sizeof(MARK)), old);
		marked++;
	}
	return marked;
}

/* ---- text ---- */

static void add_lines(struct cairn_text *out, const char *title, const struct cairn_agent_lines *lines)
{
	if (lines->count > 0)
		cairn_text_addf(out, "%s:\n", title);
	for (uint32_t i = 0; i < lines->count; i++)
		cairn_text_addf(out, "- %s\n", lines->items[i]);
}

static void add_ids(struct cairn_text *out, const char *title, const struct cairn_agent_ids *ids)
{
	if (ids->count > 0)
		cairn_text_addf(out, "%s:", title);
	for (uint32_t i = 0; i < ids->count; i++)
		cairn_text_addf(out, "%s %s", i > 0 ? "," : "", ids->items[i]);
	cairn_text_add(out, ids->count > 0 ? "\n" : "");
}

static void add_log(
    struct cairn_text *out, const char *title, const struct cairn_agent_log *log, uint32_t skip)
{
	if (log->count > skip || log->total > log->count)
		cairn_text_addf(out, "%s%s:\n", title,
		    skip > 0 || log->total > log->count ? " (older entries left out)" : "");
	for (uint32_t i = skip; i < log->count; i++)
		cairn_text_addf(out, "- %s\n", cairn_agent_log_at(log, i));
}

static void whole_text(
    struct cairn_text *out, const struct cairn_agent_memory *m, uint32_t skip_progress, uint32_t skip_actions)
{
	if (m->plan.count > 0) {
		cairn_text_add(out, "<plan>\n");
		for (uint32_t i = 0; i < m->plan.count; i++)
			cairn_text_addf(out, "%s\n", m->plan.items[i]);
		cairn_text_add(out, "</plan>\n");
	}
	cairn_text_add(out, "<memory>\n");
	add_ids(out, "labels", &m->labels);
	add_lines(out, "the task counts as accomplished when", &m->conditions);
	if (m->heuristic[0] != '\0')
		cairn_text_addf(out, "heuristic: %s\n", m->heuristic);
	if (m->description[0] != '\0')
		cairn_text_addf(out, "description: %s\n", m->description);
	add_ids(out, "spaces", &m->spaces);
	add_lines(out, "entrances still to look into", &m->entrances);
	add_lines(out, "critical findings", &m->findings);
	add_ids(out, "pictures that matter", &m->pictures);
	add_log(out, "progress log", &m->progress, skip_progress);
	add_log(out, "action log", &m->actions, skip_actions);
	cairn_text_add(out, "</memory>\n");
}

void cairn_agent_memory_text(struct cairn_text *out, const struct cairn_agent_memory *m, uint32_t tokens_max)
{
	size_t from = out->len;
	uint32_t progress = 0, actions = 0;
	for (;;) {
		whole_text(out, m, progress, actions);
		if (cairn_prompt_tokens(out->len - from) <= tokens_max || out->failed)
			return;
		if (actions + 1 < m->actions.count)
			actions++;
		else if (progress + 1 < m->progress.count)
			progress++;
		else
			return; /* what is left is bounded by its entries */
		cairn_text_truncate(out, from);
	}
}

/* ---- file ---- */

static json_t *list_json(const char *items, uint32_t count, size_t cap)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(items + i * cap));
	return list;
}

static json_t *log_json(const struct cairn_agent_log *log)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < log->count; i++)
		json_array_append_new(list, json_string(cairn_agent_log_at(log, i)));
	return list;
}

#define LIST_OF(m, member) list_json((m)->member.items[0], (m)->member.count, sizeof((m)->member.items[0]))

json_t *cairn_agent_memory_json(const struct cairn_agent_memory *m)
{
	return json_pack("{s:o,s:o,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "labels", LIST_OF(m, labels),
	    "conditions", LIST_OF(m, conditions), "heuristic", m->heuristic, "plan", LIST_OF(m, plan),
	    "description", m->description, "spaces", LIST_OF(m, spaces), "pictures", LIST_OF(m, pictures),
	    "entrances", LIST_OF(m, entrances), "findings", LIST_OF(m, findings), "progress",
	    log_json(&m->progress), "actions", log_json(&m->actions));
}

static bool read_text(const json_t *root, const char *key, char *ret, size_t cap)
{
	const json_t *value = json_object_get(root, key);
	if (json_is_string(value))
		cairn_text_clean(ret, cap, json_string_value(value), json_string_length(value));
	return json_is_string(value);
}

static bool read_list(
    const json_t *root, const char *key, char *items, uint32_t *count, uint32_t most, size_t cap)
{
	const json_t *list = json_object_get(root, key);
	bool ok = json_is_array(list) && json_array_size(list) <= most;
	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		ok = json_is_string(one);
		if (ok)
			cairn_text_clean(
			    items + *count * cap, cap, json_string_value(one), json_string_length(one));
		(*count)++;
	}
	return ok;
}

static bool read_log(const json_t *root, const char *key, struct cairn_agent_log *log)
{
	bool ok = read_list(root, key, log->items[0], &log->count, CAIRN_AGENT_LOG_MAX, CAIRN_AGENT_LINE_CAP);
	log->total = log->count;
	return ok;
}

#define READ_LIST(root, key, m, member)                                                                      \
	read_list(root, key, (m)->member.items[0], &(m)->member.count,                                       \
	    (uint32_t)(sizeof((m)->member.items) / sizeof((m)->member.items[0])),                            \
	    sizeof((m)->member.items[0]))

bool cairn_agent_memory_read(struct cairn_agent_memory *m, const json_t *root)
{
	static const struct cairn_agent_memory none;
	struct cairn_agent_memory r = none;
	bool ok = READ_LIST(root, "labels", &r, labels) && READ_LIST(root, "conditions", &r, conditions) &&
		  read_text(root, "heuristic", r.heuristic, sizeof(r.heuristic)) &&
		  READ_LIST(root, "plan", &r, plan) &&
		  read_text(root, "description", r.description, sizeof(r.description)) &&
		  READ_LIST(root, "spaces", &r, spaces) && READ_LIST(root, "pictures", &r, pictures) &&
		  READ_LIST(root, "entrances", &r, entrances) && READ_LIST(root, "findings", &r, findings) &&
		  read_log(root, "progress", &r.progress) && read_log(root, "actions", &r.actions);
	if (ok)
		*m = r;
	return ok;
}
