#include "procs/fleet/robot_link.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

#define TOPIC_CAP 1200

static void on_connected(void *ctx, bool connected)
{
	struct robot_link *link = ctx;
	char topic[TOPIC_CAP];
	if (connected)
		for (int t = CAIRN_VDA_ORDER; t < CAIRN_VDA_TOPIC_COUNT; t++)
			(void)mqtt_subscribe(link->mqtt,
			    cairn_fleet_topic(link->fleet, (enum cairn_vda_topic)t, topic, sizeof(topic)), 1);
	cairn_fleet_connected(link->fleet, connected, link->now_ns);
	robot_link_flush(link);
}

static void on_message(void *ctx, const char *topic, const void *payload, size_t bytes)
{
	struct robot_link *link = ctx;
	char mine[TOPIC_CAP];
	for (int t = CAIRN_VDA_ORDER; t < CAIRN_VDA_TOPIC_COUNT; t++) {
		cairn_fleet_topic(link->fleet, (enum cairn_vda_topic)t, mine, sizeof(mine));
		if (strcmp(topic, mine) != 0)
			continue;
		link->received++;
		cairn_fleet_receive(link->fleet, (enum cairn_vda_topic)t, payload, bytes, link->now_ns);
		robot_link_flush(link);
	}
}

bool robot_link_open(struct robot_link *link, const struct cairn_config *cfg, const char *client_id,
    const char *password, int64_t now_ns, struct cairn_error *err)
{
	char topic[TOPIC_CAP];
	struct mqtt_handlers handlers = {on_connected, on_message, link};
	char *will = cairn_fleet_last_will(link->fleet, now_ns);
	cairn_fleet_topic(link->fleet, CAIRN_VDA_CONNECTION, topic, sizeof(topic));
	link->now_ns = now_ns;
	if (will != NULL)
		link->mqtt = mqtt_new(&cfg->fleet, client_id, password, topic, will, &handlers, err);
	free(will);
	return link->mqtt != NULL;
}

void robot_link_close(struct robot_link *link, int wait_ms, int64_t now_ns)
{
	if (link->mqtt == NULL)
		return;
	link->now_ns = now_ns;
	cairn_fleet_goodbye(link->fleet, now_ns);
	robot_link_flush(link);
	mqtt_close(&link->mqtt, wait_ms);
}

void robot_link_turn(struct robot_link *link, int64_t now_ns)
{
	link->now_ns = now_ns;
	mqtt_turn(link->mqtt, now_ns);
}

static void keep(struct robot_link *link)
{
	struct cairn_error err = {""};
	char *record = cairn_fleet_save(link->fleet);
	if (record == NULL)
		cairn_error_set(&err, "out of memory");
	else
		(void)cairn_file_replace(
		    link->record_path, CAIRN_FILE_OWN, 0600, record, strlen(record), &err);
	snprintf(link->trouble, sizeof(link->trouble), "%.255s", err.text);
	free(record);
}

void robot_link_flush(struct robot_link *link)
{
	struct cairn_fleet_message m;
	char topic[TOPIC_CAP];
	if (cairn_fleet_record_changed(link->fleet) && link->record_path != NULL)
		keep(link);
	while (cairn_fleet_next_message(link->fleet, &m)) {
		cairn_fleet_topic(link->fleet, m.topic, topic, sizeof(topic));
		link->sent +=
		    link->mqtt != NULL && mqtt_publish(link->mqtt, topic, m.json, m.qos, m.retained);
		if (link->tap != NULL)
			link->tap(link->tap_ctx, &m);
		free(m.json);
	}
}
