/* played.c - one thing of the recording, as the stage that made it published it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/record/json_message.h"
#include "procs/player/player.h"

/* Monotonic stamps of the recording to those of now. */
static int64_t to_now(const void *ctx, int64_t t_ns)
{
	const struct player *p = ctx;
	return cairn_play_clock_stamp(&p->clock, t_ns + cairn_playback_clock_offset_ns(p->playback));
}

static void play_message(struct player *p)
{
	struct cairn_pub *pub = p->pubs[p->next.topic];
	if (pub == NULL || p->next.instance[0] != '\0')
		return;
	cairn_msg_map_stamps(cairn_topics[p->next.topic].desc, p->next.msg, to_now, p);
	cairn_pub_send(pub, p->next.msg, to_now(p, p->next.hdr.t_ns), p->next.hdr.valid);
	p->messages++;
}

static bool send_frame(struct player *p, enum cairn_frame_topic topic, const struct cairn_frame_header *head,
    const uint8_t *payload, int64_t t_ns)
{
	struct cairn_frame_header *hdr;
	uint8_t *room = cairn_frame_loan(p->frame_pubs[topic], head->payload_bytes, &hdr);
	if (room == NULL) {
		char why[96];
		snprintf(why, sizeof(why), "%u bytes do not fit (camera.width_px, height_px)",
		    head->payload_bytes);
		cairn_stage_count_reject(p->stage);
		cairn_stage_tried(p->stage, cairn_frame_topics[topic].name, why);
		return false;
	}
	struct cairn_frame_header own = *hdr;
	*hdr = *head;
	hdr->seq = own.seq;
	hdr->epoch = own.epoch;
	hdr->t_ns = t_ns;
	memcpy(room, payload, head->payload_bytes);
	cairn_frame_publish(p->frame_pubs[topic]);
	return true;
}

static void keep_map(struct player *p)
{
	uint8_t *cells = realloc(p->map_cells, p->next.head.payload_bytes + 1);
	if (cells == NULL)
		return;
	memcpy(cells, p->next.payload, p->next.head.payload_bytes);
	p->map_cells = cells;
	p->map = p->next.head;
}

static void play_frame(struct player *p)
{
	enum cairn_frame_topic topic = p->next.frame_topic;
	struct cairn_snapshot_head head;
	if (p->frame_pubs[topic] == NULL)
		return;
	if (topic == CAIRN_FRAME_SNAPSHOT) {
		memcpy(&head, p->next.payload, sizeof(head));
		int64_t *stamps[] = {&head.t_rgb_ns, &head.t_depth_ns, &head.t_scan_ns, &head.t_pose_ns};
		for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++)
			*stamps[i] = *stamps[i] != 0 ? to_now(p, *stamps[i]) : 0;
		memcpy(p->next.payload, &head, sizeof(head));
	}
	if (topic == CAIRN_FRAME_MAP_GRID)
		keep_map(p);
	p->frames_played +=
	    send_frame(p, topic, &p->next.head, p->next.payload, to_now(p, p->next.head.t_ns));
}

void played_next(struct player *p)
{
	if (p->next.frame)
		play_frame(p);
	else
		play_message(p);
}

void played_map_again(struct player *p)
{
	if (p->map.payload_bytes > 0)
		(void)send_frame(p, CAIRN_FRAME_MAP_GRID, &p->map, p->map_cells, cairn_now_ns());
}

static bool plays(const struct player *p, const char *name, const char *stage)
{
	const struct cairn_config_replay *cfg = &p->cfg->replay;
	bool others = strcmp(stage, "*") == 0 || strcmp(stage, "+") == 0 || strcmp(stage, "launcher") == 0 ||
		      strcmp(stage, "player") == 0 || cairn_has_word(cfg->stages, stage);
	return !others && (cfg->topics[0] == '\0' || cairn_has_word(cfg->topics, name));
}

static bool open_frames(struct player *p, struct cairn_error *err)
{
	if (cairn_stage_frames(p->stage, err) == NULL)
		return false;
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		if (i == CAIRN_FRAME_CANARY ||
		    !plays(p, cairn_frame_topics[i].name, cairn_frame_topics[i].stage))
			continue;
		p->frame_pubs[i] = cairn_stage_frame_pub(p->stage, (enum cairn_frame_topic)i, err);
		if (p->frame_pubs[i] == NULL)
			return false;
	}
	return true;
}

static bool open_file(struct player *p, struct cairn_error *err)
{
	struct stat st;
	p->fd = cairn_file_open(p->cfg->replay.file, 0, err);
	if (p->fd < 0 || fstat(p->fd, &st) != 0)
		return false;
	p->playback = cairn_playback_new(cairn_mcap_read_fd, &p->fd, (uint64_t)st.st_size, err);
	if (p->playback == NULL)
		return false;
	cairn_playback_span(p->playback, &p->first_ns, &p->last_ns);
	return true;
}

bool played_open(struct player *p, struct cairn_error *err)
{
	if (!open_file(p, err) || !open_frames(p, err))
		return false;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		if (plays(p, cairn_topics[i].name, cairn_topics[i].stage))
			p->pubs[i] = cairn_stage_publish(p->stage, (enum cairn_topic)i);
	}
	return true;
}
