#include "common/voice/tell.h"

#include <string.h>

void cairn_facts_mission(struct cairn_facts *f, const struct cairn_msg_mission *m)
{
	f->mission = m->state;
	snprintf(f->activity, sizeof(f->activity), "%s", m->activity);
}

void cairn_facts_health(struct cairn_facts *f, const struct cairn_msg_health *m)
{
	f->troubled = !m->ok;
	snprintf(f->problem, sizeof(f->problem), "%s", m->problem);
}

void cairn_facts_scene(struct cairn_facts *f, const struct cairn_msg_scene *m)
{
	size_t len = 0;
	f->here[0] = f->things[0] = '\0';
	for (uint32_t i = 0; i < m->nodes_count; i++)
		if (m->nodes[i].kind == CAIRN_SCENE_KIND_ROOM && strcmp(m->nodes[i].id, m->here) == 0)
			snprintf(f->here, sizeof(f->here), "%s", m->nodes[i].label);
	for (uint32_t i = 0; i < m->nodes_count && m->here[0] != '\0'; i++) {
		const struct cairn_msg_scene_node *n = &m->nodes[i];
		if (n->kind != CAIRN_SCENE_KIND_OBJECT || n->stale || strcmp(n->room, m->here) != 0)
			continue;
		size_t need = strlen(n->colour) + strlen(n->label) + 8;
		if (len + need >= sizeof(f->things))
			break;
		len += (size_t)snprintf(f->things + len, sizeof(f->things) - len, "%sa %s%s%s",
		    len > 0 ? ", " : "", n->colour, n->colour[0] != '\0' ? " " : "", n->label);
	}
}

bool cairn_facts_runs(const struct cairn_facts *f)
{
	return f->mission == CAIRN_MISSION_STATE_EXPLORING || f->mission == CAIRN_MISSION_STATE_GOTO ||
	       f->mission == CAIRN_MISSION_STATE_RETURNING || f->mission == CAIRN_MISSION_STATE_TASK;
}

static const char *doing(enum cairn_mission_state s)
{
	switch (s) {
	case CAIRN_MISSION_STATE_EXPLORING:
		return "I am exploring";
	case CAIRN_MISSION_STATE_GOTO:
		return "I am driving to a place";
	case CAIRN_MISSION_STATE_RETURNING:
		return "I am driving back";
	case CAIRN_MISSION_STATE_PAUSED:
		return "I am paused";
	case CAIRN_MISSION_STATE_TASK:
		return "I am working on a task";
	case CAIRN_MISSION_STATE_FINISHED:
		return "I have finished";
	default:
		return "I am waiting";
	}
}

const char *cairn_facts_answer(const struct cairn_facts *f, enum cairn_intent intent, char *buf, size_t bytes)
{
	char battery[40] = "";
	if (intent == CAIRN_INTENT_SEE || intent == CAIRN_INTENT_PLACE) {
		if (f->here[0] == '\0')
			snprintf(buf, bytes, "I do not know which room I am in.");
		else if (intent == CAIRN_INTENT_PLACE)
			snprintf(buf, bytes, "I am in the %s.", f->here);
		else if (f->things[0] == '\0')
			snprintf(buf, bytes, "I am in the %s, and know of nothing in it.", f->here);
		else
			snprintf(buf, bytes, "In the %s I know of %s.", f->here, f->things);
		return buf;
	}
	if (f->battery_percent > 0.0)
		snprintf(battery, sizeof(battery), " Battery %.0f percent.", f->battery_percent);
	snprintf(buf, bytes, "%s.%s%s%.100s", doing(f->mission), battery, f->troubled ? " Trouble: " : "",
	    f->troubled ? f->problem : "");
	return buf;
}
