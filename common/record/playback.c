#include "common/record/playback.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/percept/jpeg.h"
#include "common/percept/snapshot.h"
#include "common/record/json_message.h"
#include "common/record/pixels.h"
#include "common/ros2/ros2.h"

#define CHANNELS 65536

enum kind { PASSED_OVER, MESSAGE, HEAD, CAMERA, DEPTH, MAP, SNAPSHOT, VIEW };

struct channel {
	uint8_t kind;
	uint8_t topic; /* MESSAGE: of the bus; HEAD: of the frames */
	char instance[32];
};
_Static_assert(CAIRN_TOPIC_COUNT < 256, "topics fit a byte");

struct cairn_playback {
	cairn_mcap_read_fn *read;
	void *ctx;
	uint64_t file_bytes;
	struct cairn_mcap_reader *reader;
	enum cairn_mcap_item ended;
	struct channel *channels; /* by id */
	int64_t clock_offset_ns, first_ns, last_ns, from_ns;
	bool has_clock, indexed;
	uint64_t rejects;
	void *msg; /* room for the largest message */
	/* the frame whose pixels are to come */
	bool pending;
	enum cairn_frame_topic pending_topic;
	uint32_t pending_sequence;
	struct cairn_header pending_hdr;
	struct cairn_msg_recorded_frame frame;
	struct cairn_msg_recorded_snapshot snapshot;
	uint8_t *payload;
	size_t payload_capacity, payload_bytes;
};

/* ---- channels ---- */

static bool is(struct cairn_mcap_bytes b, const char *text)
{
	return b.bytes == strlen(text) && memcmp(b.data, text, b.bytes) == 0;
}

static enum kind pixels_of(struct cairn_mcap_bytes topic)
{
	static const struct {
		const char *name;
		enum kind kind;
	} rows[] = {{CAIRN_ROS2_TOPIC_CAMERA, CAMERA}, {CAIRN_ROS2_TOPIC_DEPTH, DEPTH},
	    {CAIRN_ROS2_TOPIC_MAP, MAP}, {CAIRN_ROS2_TOPIC_SNAPSHOT, SNAPSHOT},
	    {CAIRN_ROS2_TOPIC_VIEW, VIEW}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (is(topic, rows[i].name))
			return rows[i].kind;
	}
	return PASSED_OVER;
}

static void learn(void *ctx, const struct cairn_mcap_channel_view *v)
{
	struct cairn_playback *p = ctx;
	struct channel *c = &p->channels[v->id];
	char name[96];
	const char *instance = NULL;
	*c = (struct channel){.kind = PASSED_OVER};
	if (is(v->message_encoding, "cdr")) {
		c->kind = (uint8_t)pixels_of(v->topic);
		return;
	}
	if (!is(v->message_encoding, "json") || v->topic.bytes < 8 || v->topic.bytes >= sizeof(name) ||
	    memcmp(v->topic.data, "/cairn/", 7) != 0)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)v->topic.bytes - 7, (const char *)v->topic.data + 7);
	int frame = cairn_frame_topic_find(name), topic = cairn_topic_of(name, &instance);
	if (topic >= 0) { /* "canary" is both; the frame is not recorded */
		c->kind = MESSAGE;
		c->topic = (uint8_t)topic;
		snprintf(c->instance, sizeof(c->instance), "%s", instance != NULL ? instance : "");
	} else if (frame >= 0) {
		c->kind = HEAD;
		c->topic = (uint8_t)frame;
	}
}

static void learn_clock(struct cairn_playback *p, struct cairn_mcap_metadata_view m)
{
	struct cairn_mcap_bytes key, value;
	char text[24];
	bool version = false, clock = false;
	if (!is(m.name, "cairn"))
		return;
	while (cairn_mcap_pair_next(&m.pairs, &key, &value)) {
		snprintf(text, sizeof(text), "%.*s", (int)(value.bytes < 23 ? value.bytes : 23),
		    (const char *)value.data);
		if (is(key, "schema_version"))
			version = atoi(text) == CAIRN_SCHEMA_VERSION;
		if (is(key, "clock_offset_ns")) {
			p->clock_offset_ns = strtoll(text, NULL, 10);
			clock = p->clock_offset_ns > 0;
		}
	}
	p->has_clock = version && clock;
}

/* ---- opening ---- */

static bool reopen(struct cairn_playback *p, struct cairn_error *err)
{
	cairn_mcap_reader_destroy(&p->reader);
	p->reader = cairn_mcap_reader_new(p->read, p->ctx, p->file_bytes, err);
	p->pending = false;
	p->ended = CAIRN_MCAP_ITEM_MESSAGE;
	return p->reader != NULL;
}

/* The clock stands in front of everything. Channels and times come from the summary, or from the whole file. */
static bool survey(struct cairn_playback *p, struct cairn_error *err)
{
	struct cairn_mcap_read got;
	struct cairn_mcap_summary summary;
	struct cairn_error why = {""};
	cairn_mcap_reader_on_channel(p->reader, learn, p);
	p->indexed = cairn_mcap_reader_summary(p->reader, &summary, &why);
	if (p->indexed) {
		p->first_ns = (int64_t)summary.statistics.start_ns;
		p->last_ns = (int64_t)summary.statistics.end_ns;
	}
	do {
		cairn_mcap_reader_next(p->reader, &got, &why);
		if (got.item == CAIRN_MCAP_ITEM_METADATA)
			learn_clock(p, got.metadata);
		else if (got.item == CAIRN_MCAP_ITEM_CHANNEL)
			learn(p, &got.channel);
		else if (got.item == CAIRN_MCAP_ITEM_MESSAGE && !p->indexed) {
			int64_t t_ns = (int64_t)got.message.log_time_ns;
			p->first_ns = p->first_ns == 0 || t_ns < p->first_ns ? t_ns : p->first_ns;
			p->last_ns = t_ns > p->last_ns ? t_ns : p->last_ns;
		}
	} while (got.item > CAIRN_MCAP_ITEM_DAMAGED && !(p->indexed && p->has_clock));
	if (!p->has_clock) {
		cairn_error_set(
		    err, "no recording of cairn, or one of another version: it does not tell the clock");
		return false;
	}
	return true;
}

struct cairn_playback *cairn_playback_new(
    cairn_mcap_read_fn *read, void *ctx, uint64_t file_bytes, struct cairn_error *err)
{
	struct cairn_playback *p = calloc(1, sizeof(*p));
	size_t largest = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		largest = cairn_topics[i].desc->size > largest ? cairn_topics[i].desc->size : largest;
	if (p != NULL) {
		p->read = read;
		p->ctx = ctx;
		p->file_bytes = file_bytes;
		p->channels = calloc(CHANNELS, sizeof(*p->channels));
		p->msg = calloc(1, largest);
	}
	if (p == NULL || p->channels == NULL || p->msg == NULL) {
		cairn_error_set(err, "out of memory");
		cairn_playback_destroy(&p);
		return NULL;
	}
	if (!reopen(p, err) || !survey(p, err) || !reopen(p, err))
		cairn_playback_destroy(&p);
	return p;
}

void cairn_playback_destroy(struct cairn_playback **pp)
{
	struct cairn_playback *p = *pp;
	if (p == NULL)
		return;
	cairn_mcap_reader_destroy(&p->reader);
	free(p->channels);
	free(p->msg);
	free(p->payload);
	free(p);
	*pp = NULL;
}

/* ---- frames ---- */

/* Room for so many bytes behind those that are there. */
static uint8_t *extend(struct cairn_playback *p, size_t bytes)
{
	if (p->payload_bytes + bytes > p->payload_capacity) {
		uint8_t *grown = realloc(p->payload, p->payload_bytes + bytes);
		if (grown == NULL)
			return NULL;
		p->payload = grown;
		p->payload_capacity = p->payload_bytes + bytes;
	}
	uint8_t *at = p->payload + p->payload_bytes;
	p->payload_bytes += bytes;
	return at;
}

static bool append(struct cairn_playback *p, const void *data, size_t bytes)
{
	uint8_t *at = extend(p, bytes);
	if (at != NULL && bytes > 0)
		memcpy(at, data, bytes);
	return at != NULL;
}

static void begin_snapshot(struct cairn_playback *p)
{
	const struct cairn_msg_recorded_snapshot *m = &p->snapshot;
	struct cairn_snapshot_head head = {.snapshot_id = m->snapshot_id,
	    .t_rgb_ns = m->t_rgb_ns,
	    .t_depth_ns = m->t_depth_ns,
	    .t_scan_ns = m->t_scan_ns,
	    .t_pose_ns = m->t_pose_ns,
	    .x_m = m->x_m,
	    .y_m = m->y_m,
	    .yaw_rad = m->yaw_rad,
	    .nearest_m = m->nearest_m,
	    .similarity = m->similarity,
	    .trigger = (uint32_t)m->trigger,
	    .image_needed = m->image_needed,
	    .text_bytes = (uint32_t)strlen(m->text),
	    .jpeg_bytes = m->jpeg_bytes,
	    .view_bytes = m->view_bytes,
	    .version = CAIRN_SNAPSHOT_VERSION};
	memcpy(head.sector_m, m->sector_m, sizeof(head.sector_m));
	memcpy(head.feasibility, m->feasibility, sizeof(head.feasibility));
	p->pending = append(p, &head, sizeof(head)) && append(p, m->text, head.text_bytes);
}

/* A head: its pixels come next. True when it has none. */
static bool begin_frame(struct cairn_playback *p, const struct channel *c, const struct cairn_mcap_message *m)
{
	struct cairn_error err;
	bool snapshot = c->topic == CAIRN_FRAME_SNAPSHOT;
	p->pending = false;
	p->payload_bytes = 0;
	bool good = cairn_msg_from_json(snapshot ? &cairn_desc_recorded_snapshot : &cairn_desc_recorded_frame,
	    m->data.data, m->data.bytes, &p->pending_hdr, snapshot ? (void *)&p->snapshot : (void *)&p->frame,
	    &err);
	if (!good) {
		p->rejects++;
		return false;
	}
	p->pending = true;
	p->pending_topic = (enum cairn_frame_topic)c->topic;
	p->pending_sequence = m->sequence;
	if (snapshot)
		begin_snapshot(p);
	return p->pending && snapshot && p->snapshot.jpeg_bytes == 0 && p->snapshot.view_bytes == 0;
}

static bool copy_rows(struct cairn_playback *p, struct cairn_mcap_bytes rows, uint32_t height, uint32_t step)
{
	return p->frame.height_px == height && append(p, rows.data, (size_t)step * height);
}

/* Pixels of the pending frame. *ret_whole: it has all of its own now. False when they are not what the head says. */
static bool take_pixels(
    struct cairn_playback *p, enum kind kind, struct cairn_mcap_bytes cdr, bool *ret_whole)
{
	struct cairn_error err;
	struct cairn_mcap_bytes b;
	uint32_t width = 0, height = 0, step = 0;
	*ret_whole = true;
	switch (kind) {
	case CAMERA:
		if (p->pending_topic != CAIRN_FRAME_CAMERA_RGB || !record_compressed_image(cdr, &b) ||
		    !cairn_jpeg_dimensions(b.data, b.bytes, CAIRN_PLAYBACK_PX_MAX, &width, &height, &err) ||
		    width != p->frame.width_px || height != p->frame.height_px)
			return false;
		uint8_t *rgb = extend(p, 3 * (size_t)width * height);
		return rgb != NULL && cairn_jpeg_decode(b.data, b.bytes, width, height, rgb, &err);
	case DEPTH:
		return p->pending_topic == CAIRN_FRAME_CAMERA_DEPTH &&
		       record_image(cdr, &width, &height, &step, &b) && width == p->frame.width_px &&
		       step == 2 * width && copy_rows(p, b, height, step);
	case MAP:
		return p->pending_topic == CAIRN_FRAME_MAP_GRID && record_grid(cdr, &width, &height, &b) &&
		       width == p->frame.width_px && copy_rows(p, b, height, width);
	default:
		if (p->pending_topic != CAIRN_FRAME_SNAPSHOT || !record_compressed_image(cdr, &b) ||
		    b.bytes != (kind == SNAPSHOT ? p->snapshot.jpeg_bytes : p->snapshot.view_bytes))
			return false;
		*ret_whole = kind == VIEW || p->snapshot.view_bytes == 0;
		return append(p, b.data, b.bytes);
	}
}

static bool give_frame(struct cairn_playback *p, const struct cairn_mcap_message *m, struct cairn_played *ret)
{
	static const uint32_t pixel_bytes[CAIRN_FORMAT_COUNT] = {
	    [CAIRN_FORMAT_RGB8] = 3, [CAIRN_FORMAT_DEPTH16] = 2, [CAIRN_FORMAT_GRID8] = 1};
	bool snapshot = p->pending_topic == CAIRN_FRAME_SNAPSHOT;
	struct cairn_snapshot checked;
	struct cairn_error err;
	p->pending = false;
	if (snapshot && !cairn_snapshot_read(p->payload, p->payload_bytes, &checked, &err))
		return false;
	const struct cairn_msg_recorded_frame *f = &p->frame;
	uint32_t format = snapshot ? CAIRN_FORMAT_SNAPSHOT : f->format;
	if (format >= CAIRN_FORMAT_COUNT || p->payload_bytes > UINT32_MAX)
		return false;
	*ret = (struct cairn_played){.frame = true,
	    .logged_ns = (int64_t)m->log_time_ns,
	    .stamp_ns = p->pending_hdr.t_ns + p->clock_offset_ns,
	    .hdr = p->pending_hdr,
	    .frame_topic = p->pending_topic,
	    .payload = p->payload,
	    .head = {.magic = CAIRN_FRAME_MAGIC,
		.version = CAIRN_FRAME_VERSION,
		.format = (uint16_t)format,
		.seq = p->pending_hdr.seq,
		.epoch = p->pending_hdr.epoch,
		.t_ns = p->pending_hdr.t_ns,
		.payload_bytes = (uint32_t)p->payload_bytes}};
	if (snapshot) {
		ret->head.pose_x_m = p->snapshot.x_m;
		ret->head.pose_y_m = p->snapshot.y_m;
		ret->head.pose_yaw_rad = p->snapshot.yaw_rad;
		return true;
	}
	ret->head.width = f->width_px;
	ret->head.height = f->height_px;
	ret->head.stride_bytes = f->width_px * pixel_bytes[format];
	ret->head.origin_x_m = f->origin_x_m;
	ret->head.origin_y_m = f->origin_y_m;
	ret->head.cell_m = f->cell_m;
	ret->head.pose_x_m = f->pose_x_m;
	ret->head.pose_y_m = f->pose_y_m;
	ret->head.pose_yaw_rad = f->pose_yaw_rad;
	return true;
}

/* ---- playing ---- */

/* True when the record makes something to play. */
static bool take(struct cairn_playback *p, const struct cairn_mcap_message *m, struct cairn_played *ret)
{
	const struct channel *c = &p->channels[m->channel_id];
	struct cairn_error err;
	bool whole = true;
	if (c->kind == PASSED_OVER)
		return false;
	if (c->kind == MESSAGE) {
		*ret = (struct cairn_played){
		    .logged_ns = (int64_t)m->log_time_ns, .topic = (enum cairn_topic)c->topic, .msg = p->msg};
		memcpy(ret->instance, c->instance, sizeof(ret->instance));
		if (!cairn_msg_from_json(
			cairn_topics[c->topic].desc, m->data.data, m->data.bytes, &ret->hdr, p->msg, &err)) {
			p->rejects++;
			return false;
		}
		ret->stamp_ns = ret->hdr.t_ns + p->clock_offset_ns;
		return true;
	}
	if (c->kind == HEAD)
		return begin_frame(p, c, m) && give_frame(p, m, ret);
	if (!p->pending || m->sequence != p->pending_sequence)
		return false; /* pixels without a head: somebody else's, or from before the place that was sought */
	bool good = take_pixels(p, (enum kind)c->kind, m->data, &whole);
	good = good && (!whole || give_frame(p, m, ret));
	p->pending = p->pending && good;
	p->rejects += !good;
	return good && whole;
}

bool cairn_playback_next(struct cairn_playback *p, struct cairn_played *ret, struct cairn_error *err)
{
	struct cairn_mcap_read got;
	for (;;) {
		cairn_mcap_reader_next(p->reader, &got, err);
		if (got.item == CAIRN_MCAP_ITEM_CHANNEL)
			learn(p, &got.channel);
		if (got.item == CAIRN_MCAP_ITEM_MESSAGE && (int64_t)got.message.log_time_ns >= p->from_ns &&
		    take(p, &got.message, ret))
			return true;
		if (got.item <= CAIRN_MCAP_ITEM_DAMAGED) {
			p->ended = got.item;
			return false;
		}
	}
}

enum cairn_mcap_item cairn_playback_ended(const struct cairn_playback *p)
{
	return p->ended;
}

bool cairn_playback_seek(struct cairn_playback *p, int64_t t_ns, struct cairn_error *err)
{
	struct cairn_mcap_summary summary;
	if (!reopen(p, err))
		return false;
	p->from_ns = t_ns;
	if (p->indexed && cairn_mcap_reader_summary(p->reader, &summary, err))
		(void)cairn_mcap_reader_seek(p->reader, t_ns > 0 ? (uint64_t)t_ns : 0);
	return true;
}

void cairn_playback_span(struct cairn_playback *p, int64_t *ret_first_ns, int64_t *ret_last_ns)
{
	*ret_first_ns = p->first_ns;
	*ret_last_ns = p->last_ns;
}

int64_t cairn_playback_clock_offset_ns(const struct cairn_playback *p)
{
	return p->clock_offset_ns;
}

uint64_t cairn_playback_rejects(const struct cairn_playback *p)
{
	return p->rejects;
}
