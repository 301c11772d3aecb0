/* foxglove_offer.c - what a client of Foxglove's protocol is offered: topics and pictures as channels, services, and who publishes what. */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/text.h"
#include "procs/web/web.h"

#define SCHEMA_BYTES (128u * 1024)

const struct cairn_foxglove_service foxglove_services[FOXGLOVE_SERVICES] = {{1, "/stop"}, {2, "/estop"}};

static bool is_channel(const struct web_slot *s)
{
	return s->kind == WEB_SLOT_TOPIC || s->kind == WEB_SLOT_ROS2 || s->kind == WEB_SLOT_PICTURE;
}

static uint32_t channel_of(int slot)
{
	return (uint32_t)slot + 1;
}

int foxglove_slot_of(const struct web *web, uint32_t channel)
{
	int slot = channel >= 1 && channel <= (uint32_t)web->slot_count ? (int)channel - 1 : -1;
	return slot >= 0 && is_channel(&web->slots[slot]) ? slot : -1;
}

static bool add_slot(struct cairn_text *t, const struct web *web, int slot, char *schema)
{
	const struct web_slot *s = &web->slots[slot];
	struct cairn_foxglove_channel c = {.id = channel_of(slot)};
	char topic[CAIRN_WEB_NAME_MAX + 8], name[64];
	if (s->kind != WEB_SLOT_TOPIC) {
		const struct cairn_ros2_row *type = &cairn_ros2_types[s->type];
		c = (struct cairn_foxglove_channel){
		    c.id, s->name, "cdr", type->name, type->schema, "ros2msg"};
	} else {
		const struct cairn_msg_desc *desc = cairn_topics[s->topic].desc;
		if (cairn_msg_json_schema(desc, schema, SCHEMA_BYTES) < 0)
			return false;
		snprintf(topic, sizeof(topic), "/cairn/%s", s->name);
		snprintf(name, sizeof(name), "cairn.%s", desc->name);
		c = (struct cairn_foxglove_channel){c.id, topic, "json", name, schema, "jsonschema"};
	}
	cairn_foxglove_add_channel(t, &c);
	return true;
}

struct web_blob *foxglove_channels(struct web *web)
{
	if (web->channels != NULL)
		return web_blob_hold(web->channels);
	struct cairn_text t = {0};
	char *schema = malloc(SCHEMA_BYTES);
	bool ok = schema != NULL;
	cairn_foxglove_begin_channels(&t);
	for (int i = 0; ok && i < web->slot_count; i++) {
		if (is_channel(&web->slots[i]))
			ok = add_slot(&t, web, i, schema);
	}
	cairn_foxglove_end_channels(&t);
	if (ok && !t.failed)
		web->channels = web_blob_new(t.data, t.len);
	cairn_text_free(&t);
	free(schema);
	return web_blob_hold(web->channels);
}

void foxglove_add_graph(const struct web *web, struct cairn_text *t)
{
	bool first = true;
	cairn_text_add(t, "{\"op\":\"connectionGraphUpdate\",\"publishedTopics\":[");
	for (int i = 0; i < web->slot_count; i++) {
		const struct web_slot *s = &web->slots[i];
		if (!is_channel(s))
			continue;
		const char *stage = s->kind == WEB_SLOT_PICTURE                        ? "web"
				    : cairn_topic_is_declared(&cairn_topics[s->topic]) ? "external"
				    : s->instance != NULL                              ? s->instance
							  : cairn_topics[s->topic].stage;
		cairn_text_addf(t, "%s{\"name\":\"%s%s\",\"publisherIds\":[\"%s\"]}", first ? "" : ",",
		    s->kind == WEB_SLOT_TOPIC ? "/cairn/" : "", s->name, stage);
		first = false;
	}
	cairn_text_add(t, "],\"subscribedTopics\":[],\"advertisedServices\":[");
	for (int i = 0; i < FOXGLOVE_SERVICES; i++)
		cairn_text_addf(t, "%s{\"name\":\"%s\",\"providerIds\":[\"web\"]}", i > 0 ? "," : "",
		    foxglove_services[i].name);
	cairn_text_add(t, "],\"removedTopics\":[],\"removedServices\":[]}");
}
