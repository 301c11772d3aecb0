#include "procs/recorder/capture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

bool capture_init(struct capture *c, struct cairn_bus *bus, const char *run_dir)
{
	size_t largest = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		largest = cairn_topics[i].desc->size > largest ? cairn_topics[i].desc->size : largest;
	cairn_bus_be_patient(bus);
	*c = (struct capture){.bus = bus, .msg = calloc(1, largest)};
	snprintf(c->run_dir, sizeof(c->run_dir), "%s", run_dir);
	return c->msg != NULL;
}

void capture_free(struct capture *c)
{
	free(c->msg);
	c->msg = NULL;
}

static bool heard(const struct capture *c, const char *endpoint)
{
	for (int i = 0; i < c->count; i++) {
		if (strcmp(c->ears[i].endpoint, endpoint) == 0)
			return true;
	}
	return false;
}

static void listen_to(struct capture *c, const char *endpoint, capture_wanted_fn *wanted, void *ctx)
{
	struct cairn_error err;
	const char *instance = NULL;
	int topic = cairn_topic_of(endpoint, &instance);
	if (topic < 0 || c->count == CAPTURE_EARS_MAX || heard(c, endpoint) ||
	    (wanted != NULL && !wanted(ctx, (enum cairn_topic)topic, endpoint)))
		return;
	struct cairn_sub *sub = cairn_sub_new(c->bus, (enum cairn_topic)topic, instance, &err);
	if (sub == NULL)
		return;
	struct capture_ear *ear = &c->ears[c->count++];
	*ear = (struct capture_ear){.topic = (enum cairn_topic)topic, .sub = sub};
	snprintf(ear->endpoint, sizeof(ear->endpoint), "%s", endpoint);
	snprintf(ear->instance, sizeof(ear->instance), "%s", instance != NULL ? instance : "");
}

int capture_look(struct capture *c, capture_wanted_fn *wanted, void *ctx)
{
	char path[300];
	int first = c->count;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		listen_to(c, cairn_topics[i].name, wanted, ctx);
	snprintf(path, sizeof(path), "%s/bus", c->run_dir);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return first;
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		if (e->d_type == DT_SOCK) /* beside them stand their locks */
			listen_to(c, e->d_name, wanted, ctx);
	}
	closedir(dir);
	return first;
}

bool capture_take(struct capture *c, const struct capture_ear *ear, struct cairn_message_recorder *recorder)
{
	struct cairn_header hdr;
	const char *instance = ear->instance[0] != '\0' ? ear->instance : NULL;
	bool good = true;
	while (cairn_sub_recv(ear->sub, c->msg, &hdr) == 1) {
		if (recorder != NULL)
			good = cairn_message_recorder_add(
				   recorder, ear->topic, instance, &hdr, c->msg, now_ns()) &&
			       good;
	}
	return good;
}

bool capture_frames(struct capture *c, struct cairn_frames *frames, unsigned set, struct cairn_error *err)
{
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		if ((set & 1u << i) == 0)
			continue;
		c->subs[i] = cairn_frame_sub_new(frames, (enum cairn_frame_topic)i, err);
		if (c->subs[i] == NULL)
			return false;
	}
	return true;
}

bool capture_take_frames(struct capture *c, struct cairn_message_recorder *recorder)
{
	bool good = true;
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		const struct cairn_frame_header *hdr;
		const void *payload = c->subs[i] != NULL ? cairn_frame_take(c->subs[i], &hdr) : NULL;
		if (payload == NULL)
			continue;
		c->taken_ns[i] = now_ns();
		if (recorder != NULL)
			good = cairn_message_recorder_frame(
				   recorder, (enum cairn_frame_topic)i, hdr, payload, c->taken_ns[i]) &&
			       good;
		cairn_frame_release(c->subs[i]);
	}
	return good;
}

unsigned capture_frame_set(const struct cairn_config *cfg)
{
	unsigned set = (1u << CAIRN_FRAME_COUNT) - 1;
	set &= ~(1u << CAIRN_FRAME_CANARY);
	if (!cfg->record.camera)
		set &= ~(1u << CAIRN_FRAME_CAMERA_RGB);
	if (!cfg->record.depth)
		set &= ~(1u << CAIRN_FRAME_CAMERA_DEPTH);
	return set;
}

struct cairn_record_options capture_options(const struct cairn_config *cfg)
{
	struct timespec real;
	int64_t mono_ns = now_ns();
	clock_gettime(CLOCK_REALTIME, &real);
	return (struct cairn_record_options){
	    .clock_offset_ns = (int64_t)real.tv_sec * CAIRN_NS_PER_S + real.tv_nsec - mono_ns,
	    .laser_x_m = cfg->robot.lidar_x_m,
	    .laser_y_m = cfg->robot.lidar_y_m,
	    .laser_z_m = cfg->robot.lidar_z_m,
	    .jpeg_quality = cfg->record.jpeg_quality};
}
