/* A stranger on the data plane: joins it like a stage and publishes broken frames between the good ones of a
 * running stack, each way of being broken in turn, until it is told to end. Started by test_broken_frames.c
 * inside the stack. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/frames.h"

#define PERIOD_MS 40 /* a frame to each topic in turn: rarer than the good ones are read */
#define DEADLINE_MS 4000

enum breakage {
	WRONG_MAGIC,
	WRONG_VERSION,
	UNKNOWN_FORMAT,
	FORMAT_OF_ANOTHER_TOPIC,
	FUTURE_STAMP,
	TRUNCATED,
	LONGER_THAN_ITS_CHUNK,
	NO_PIXELS,
	WRAPPED_SIZE,
	ANOTHER_SIZE,
	BREAKAGES
};

static const enum cairn_frame_topic topics[] = {
    CAIRN_FRAME_CAMERA_RGB, CAIRN_FRAME_CAMERA_DEPTH, CAIRN_FRAME_SNAPSHOT, CAIRN_FRAME_MAP_GRID};
#define TOPICS (sizeof(topics) / sizeof(topics[0]))

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static void set_size(struct cairn_frame_header *hdr, uint32_t width, uint32_t height, uint32_t pixel_bytes)
{
	hdr->width = width;
	hdr->height = height;
	hdr->stride_bytes = width * pixel_bytes;
	hdr->payload_bytes = hdr->stride_bytes * height;
}

static void make_good(
    struct cairn_frame_header *hdr, enum cairn_frame_topic topic, const struct cairn_config *cfg)
{
	uint32_t width = (uint32_t)cfg->camera.width_px, height = (uint32_t)cfg->camera.height_px;
	hdr->t_ns = now_ns();
	if (topic == CAIRN_FRAME_CAMERA_RGB || topic == CAIRN_FRAME_CAMERA_DEPTH) {
		bool rgb = topic == CAIRN_FRAME_CAMERA_RGB;
		hdr->format = rgb ? CAIRN_FORMAT_RGB8 : CAIRN_FORMAT_DEPTH16;
		set_size(hdr, width, height, rgb ? 3 : 2);
	} else if (topic == CAIRN_FRAME_MAP_GRID) {
		hdr->format = CAIRN_FORMAT_GRID8;
		hdr->cell_m = cfg->map.cell_m;
		set_size(hdr, 40, 30, 1);
	} else {
		hdr->format = CAIRN_FORMAT_SNAPSHOT; /* its payload is noise */
		hdr->payload_bytes = 4096;
	}
}

static void spoil(struct cairn_frame_header *hdr, enum cairn_frame_topic topic, enum breakage how)
{
	switch (how) {
	case WRONG_MAGIC:
		hdr->magic ^= 0x20;
		break;
	case WRONG_VERSION:
		hdr->version++;
		break;
	case UNKNOWN_FORMAT:
		hdr->format = CAIRN_FORMAT_COUNT;
		break;
	case FUTURE_STAMP:
		hdr->t_ns += CAIRN_NS_PER_S;
		break;
	case TRUNCATED:
		hdr->payload_bytes /= 2;
		break;
	case LONGER_THAN_ITS_CHUNK:
		hdr->payload_bytes = UINT32_MAX;
		break;
	case NO_PIXELS:
		set_size(hdr, 0, 0, 0);
		break;
	case WRAPPED_SIZE:
		hdr->width = 1;
		hdr->height = 0x80000000u;
		hdr->stride_bytes = 0x20u;
		hdr->payload_bytes = 0;
		break;
	case ANOTHER_SIZE: /* a map of any size is a map */
		if (topic == CAIRN_FRAME_CAMERA_RGB || topic == CAIRN_FRAME_CAMERA_DEPTH) {
			set_size(
			    hdr, hdr->width / 2, hdr->height / 2, topic == CAIRN_FRAME_CAMERA_RGB ? 3 : 2);
			break;
		}
		/* fall through */
	case FORMAT_OF_ANOTHER_TOPIC:
	case BREAKAGES:
		hdr->format = CAIRN_FORMAT_PROBE;
		break;
	}
}

static volatile sig_atomic_t told_to_end;

static void on_term(int sig)
{
	(void)sig;
	told_to_end = 1;
}

/* As the stages of this stack are configured: frames of another size would not fit its memory. */
static bool load_config(struct cairn_config *cfg, struct cairn_error *err)
{
	char path[400];
	const char *run_dir = getenv("CAIRN_RUN");
	cairn_config_defaults(cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir != NULL ? run_dir : ".");
	return cairn_config_load(cfg, path, err);
}

static bool publish_broken(struct cairn_frame_pub *pub, const struct cairn_config *cfg,
    enum cairn_frame_topic topic, enum breakage how)
{
	struct cairn_frame_header *hdr;
	void *payload = pub != NULL ? cairn_frame_loan(pub, cairn_frame_payload_max(cfg, topic), &hdr) : NULL;
	if (payload == NULL)
		return false;
	memset(payload, 0xAB, 4096);
	make_good(hdr, topic, cfg);
	spoil(hdr, topic, how);
	cairn_frame_publish(pub);
	return true;
}

int main(void)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_frames *frames = NULL;
	struct cairn_frame_pub *pubs[TOPICS] = {NULL};
	size_t tried = 0, sent = 0;
	signal(SIGTERM, on_term);
	if (load_config(&cfg, &err))
		frames = cairn_frames_open("stranger", &cfg, DEADLINE_MS, &err);
	for (size_t i = 0; frames != NULL && i < TOPICS; i++)
		pubs[i] = cairn_frame_pub_new(frames, topics[i], &err);
	for (; frames != NULL && !told_to_end; tried++) {
		size_t which = tried % TOPICS;
		sent += publish_broken(
		    pubs[which], &cfg, topics[which], (enum breakage)(tried / TOPICS % BREAKAGES));
		nanosleep(&(struct timespec){.tv_nsec = PERIOD_MS * CAIRN_NS_PER_MS}, NULL);
	}
	cairn_frames_close(&frames);
	bool most = sent > 0 && sent >= tried / 2;
	if (!most)
		fprintf(stderr, "broken_frames: only %zu of %zu frames sent: %s\n", sent, tried, err.text);
	return most ? 0 : 1;
}
