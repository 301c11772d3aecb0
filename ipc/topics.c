#include "ipc/topics.h"

#include <string.h>

#include "common/base/geom.h"

const struct cairn_topic_row cairn_topics[CAIRN_TOPIC_COUNT] = {
#define TOPIC(id, wire, msg, stage, rate, age, mode, doc)                                                    \
	[CAIRN_TOPIC_##id] = {wire, &cairn_desc_##msg, stage, rate, age, CAIRN_MODE_##mode, doc},
#include "ipc/topics.def"
};

const struct cairn_frame_row cairn_frame_topics[CAIRN_FRAME_COUNT] = {
#define FRAME(id, wire, stage, rate, age, doc) [CAIRN_FRAME_##id] = {wire, stage, rate, age, doc},
#include "ipc/topics.def"
};

const struct cairn_service_row cairn_services[CAIRN_SERVICE_COUNT] = {
#define SERVICE(id, wire, stage, doc) [CAIRN_SERVICE_##id] = {wire, stage, doc},
#include "ipc/topics.def"
};

bool cairn_topic_is_declared(const struct cairn_topic_row *row)
{
	return strcmp(row->stage, "+") == 0;
}

bool cairn_topic_has_instances(const struct cairn_topic_row *row)
{
	return strcmp(row->stage, "*") == 0 || cairn_topic_is_declared(row);
}

int cairn_topic_find(const char *name)
{
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		if (strcmp(cairn_topics[i].name, name) == 0)
			return i;
	}
	return -1;
}

int cairn_frame_topic_find(const char *name)
{
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		if (strcmp(cairn_frame_topics[i].name, name) == 0)
			return i;
	}
	return -1;
}

int cairn_topic_of(const char *name, const char **ret_instance)
{
	*ret_instance = NULL;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		size_t n = strlen(cairn_topics[i].name);
		bool many = cairn_topic_has_instances(&cairn_topics[i]);
		if (!many && strcmp(cairn_topics[i].name, name) == 0)
			return i;
		if (many && strncmp(name, cairn_topics[i].name, n) == 0 && name[n] == '.' &&
		    name[n + 1] != '\0' && strpbrk(name + n + 1, "./") == NULL) {
			*ret_instance = name + n + 1;
			return i;
		}
	}
	return -1;
}

bool cairn_stamp_plausible(int64_t t_ns, int64_t now_ns)
{
	return t_ns > 0 && t_ns <= now_ns + CAIRN_STAMP_AHEAD_NS;
}

bool cairn_topic_fresh(enum cairn_topic topic, int64_t t_ns, int64_t now_ns)
{
	int64_t max_ns = (int64_t)cairn_topics[topic].max_age_ms * CAIRN_NS_PER_MS;
	if (t_ns > now_ns + CAIRN_STAMP_AHEAD_NS)
		return false;
	return max_ns == 0 ||
	       t_ns >= now_ns - max_ns; /* the other way round a stamp long before the start wraps */
}
