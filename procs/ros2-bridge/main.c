/* ros2-bridge - topics of ROS 2 by way of DDS, without ROS: what the stack tells goes out as standard messages, and what the
 * configuration lets in becomes commands of an operator (common/ros2/bridge.def).
 *
 * Nothing is made for a topic that nobody reads. Nothing that drives depends on this stage: what comes in stands before the
 * sequencer as the words of the page and of the command line do. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/base/hash.h"
#include "common/percept/jpeg.h"
#include "ipc/frames.h"
#include "procs/ros2-bridge/dds_link.h"
#include "procs/shell/stage.h"

#define FRAMES_MS 10
#define REPORT_MS 1000
#define ANSWER_NS (5 * CAIRN_NS_PER_S) /* of the sequencer to a goal */
#define HEAD_BYTES 4096                /* of a message in front of its pixels */
#define BUF_BYTES (256u << 10)         /* of a message without pixels: 16384 numbers of a scan are 64 kB */

struct ear {
	struct app *app;
	enum cairn_topic topic;
	struct cairn_sub *sub;
};

struct out {
	struct dds_writer *writer; /* NULL: a driver of the robot tells it */
	uint64_t sent;
};

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_ros2_bridge bridge;
	struct dds_link *link;
	struct out outs[CAIRN_ROS2_OUT_COUNT];
	struct ear ears[CAIRN_TOPIC_COUNT];
	struct cairn_frame_sub *frame_subs[CAIRN_FRAME_COUNT];
	struct cairn_jpeg *jpeg;
	uint32_t jpeg_width_px, jpeg_height_px;
	struct cairn_client *operator_client, *mapper_client;
	struct cairn_pub *teleop;
	uint64_t goals, taken, refused;
	uint64_t map_hash;                /* of the map that was told last; 0: none */
	int64_t t_scan_ns, scan_every_ns; /* when the newest came, and how long behind the one before */
	void *msg;                        /* room for any message of the bus */
	uint8_t *buf;
	size_t buf_bytes;
};

/* ---- out ---- */

static void put(struct app *app, enum cairn_ros2_out i, int bytes)
{
	struct out *out = &app->outs[i];
	char what[64];
	snprintf(what, sizeof(what), "send %s", cairn_ros2_outs[i].name);
	bool sent = bytes > 0 && dds_writer_put(out->writer, app->buf, (size_t)bytes);
	cairn_stage_tried(app->stage, what,
	    sent        ? NULL
	    : bytes > 0 ? "DDS does not take it: a reader is too far behind"
			: "it cannot be encoded");
	out->sent += sent;
}

static bool is_read(const struct app *app, int out)
{
	return app->outs[out].writer != NULL && dds_writer_readers(app->outs[out].writer) > 0;
}

/* A picture takes milliseconds, in which a scan would wait: pictures wait while one is due. */
static void note_scan(struct app *app)
{
	int64_t now_ns = cairn_now_ns();
	app->scan_every_ns = now_ns - app->t_scan_ns;
	app->t_scan_ns = now_ns;
}

static bool scan_is_due(const struct app *app)
{
	double turns = (double)(cairn_now_ns() - app->t_scan_ns) / (double)(app->scan_every_ns + 1);
	return turns > 0.75 && turns < 1.3; /* later than that it is not waited for */
}

static int on_message(void *ctx)
{
	struct ear *ear = ctx;
	struct app *app = ear->app;
	struct cairn_header hdr;
	while (cairn_sub_recv(ear->sub, app->msg, &hdr) == 1) {
		if (!hdr.valid)
			continue; /* ROS has no word for that */
		cairn_ros2_bridge_hear(&app->bridge, ear->topic, &hdr, app->msg);
		if (ear->topic == CAIRN_TOPIC_SCAN)
			note_scan(app);
		for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
			const struct cairn_ros2_out_row *row = &cairn_ros2_outs[i];
			if (row->from == CAIRN_ROS2_FROM_TOPIC && row->input == (int)ear->topic &&
			    is_read(app, i))
				put(app, (enum cairn_ros2_out)i,
				    cairn_ros2_bridge_message(&app->bridge, (enum cairn_ros2_out)i, &hdr,
					app->msg, app->buf, app->buf_bytes));
		}
	}
	return 0;
}

static bool encode_jpeg(
    struct app *app, const struct cairn_frame_header *h, const void *payload, struct cairn_ros2_jpeg *ret)
{
	struct cairn_error err;
	if (h->format != CAIRN_FORMAT_RGB8 || h->width == 0 || h->height == 0 ||
	    h->stride_bytes < 3 * (uint64_t)h->width ||
	    (uint64_t)h->stride_bytes * h->height > h->payload_bytes)
		return false;
	if (app->jpeg == NULL || h->width != app->jpeg_width_px || h->height != app->jpeg_height_px) {
		cairn_jpeg_destroy(&app->jpeg);
		app->jpeg = cairn_jpeg_new((int)h->width, (int)h->height, &err);
		app->jpeg_width_px = h->width;
		app->jpeg_height_px = h->height;
	}
	const struct cairn_canvas canvas = {.rgb = (uint8_t *)(uintptr_t)payload,
	    .width_px = (int)h->width,
	    .height_px = (int)h->height,
	    .stride_bytes = (int)h->stride_bytes};
	size_t bytes = 0;
	ret->data = app->jpeg != NULL
			? cairn_jpeg_encode(app->jpeg, &canvas, app->cfg->ros2.jpeg_quality, &bytes, &err)
			: NULL;
	ret->bytes = (uint32_t)bytes;
	ret->frame_id = CAIRN_ROS2_FRAME_OPTICAL;
	return ret->data != NULL;
}

static bool reserve(struct app *app, size_t bytes)
{
	if (bytes <= app->buf_bytes)
		return true;
	uint8_t *grown = realloc(app->buf, bytes);
	if (grown == NULL)
		return false;
	app->buf = grown;
	app->buf_bytes = bytes;
	return true;
}

/* The mapper repeats the map each second. Whoever reads the topic has it, and whoever comes gets it, since it is latched. */
static uint64_t map_hash(const struct cairn_frame_header *h, const void *payload)
{
	const double place[3] = {h->origin_x_m, h->origin_y_m, h->cell_m};
	const uint32_t size[2] = {h->width, h->height};
	uint64_t hash = cairn_hash_bytes(CAIRN_HASH_START, place, sizeof(place));
	return cairn_hash_bytes(cairn_hash_bytes(hash, size, sizeof(size)), payload, h->payload_bytes);
}

static void send_frame(
    struct app *app, enum cairn_ros2_out i, const struct cairn_frame_header *h, const void *payload)
{
	struct cairn_ros2_jpeg jpeg = {NULL, 0, NULL};
	uint64_t hash = i == CAIRN_ROS2_OUT_MAP ? map_hash(h, payload) : 0, sent = app->outs[i].sent;
	if (hash != 0 && hash == app->map_hash)
		return;
	bool good =
	    reserve(app, h->payload_bytes + HEAD_BYTES) &&
	    (cairn_ros2_outs[i].type != CAIRN_ROS2_COMPRESSED_IMAGE || encode_jpeg(app, h, payload, &jpeg));
	put(app, i,
	    good ? cairn_ros2_bridge_frame(&app->bridge, i, h, payload, jpeg.data != NULL ? &jpeg : NULL,
		       app->buf, app->buf_bytes)
		 : -1);
	if (hash != 0 && app->outs[i].sent > sent)
		app->map_hash = hash;
}

/* Frames are not waited for: they are looked for. What nobody reads is given back at once. */
static int on_frames(void *ctx)
{
	struct app *app = ctx;
	if (scan_is_due(app))
		return 0;
	for (int topic = 0; topic < CAIRN_FRAME_COUNT; topic++) {
		const struct cairn_frame_header *h;
		const void *payload =
		    app->frame_subs[topic] != NULL ? cairn_frame_take(app->frame_subs[topic], &h) : NULL;
		if (payload == NULL)
			continue;
		for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
			const struct cairn_ros2_out_row *row = &cairn_ros2_outs[i];
			if (row->from == CAIRN_ROS2_FROM_FRAME && row->input == topic && is_read(app, i))
				send_frame(app, (enum cairn_ros2_out)i, h, payload);
			(void)on_message(&app->ears[CAIRN_TOPIC_SCAN]);
		}
		cairn_frame_release(app->frame_subs[topic]);
	}
	return 0;
}

/* ---- in ---- */

static void refuse(struct app *app, const char *name, const struct cairn_error *err)
{
	app->refused++;
	cairn_stage_count_reject(app->stage);
	cairn_stage_tried(app->stage, name, err->text);
}

static void take_goal(struct app *app, const void *cdr, size_t bytes)
{
	struct cairn_msg_command cmd;
	struct cairn_error err;
	if (!cairn_ros2_read_goal(cdr, bytes, &cmd, &err)) {
		refuse(app, "take /goal_pose", &err);
		return;
	}
	cmd.expires_ns = cairn_now_ns() + ANSWER_NS;
	int sent = cairn_client_send(app->operator_client, ++app->goals, &cmd);
	cairn_stage_tried(app->stage, "take /goal_pose", sent == 0 ? NULL : "the sequencer is not there");
	app->taken += sent == 0;
}

static void take_initial_pose(struct app *app, const void *cdr, size_t bytes)
{
	struct cairn_msg_command cmd;
	struct cairn_error err;
	if (!cairn_ros2_read_initial_pose(cdr, bytes, &cmd, &err)) {
		refuse(app, "take /initialpose", &err);
		return;
	}
	cmd.expires_ns = cairn_now_ns() + ANSWER_NS;
	int sent = cairn_client_send(app->mapper_client, ++app->goals, &cmd);
	cairn_stage_tried(app->stage, "take /initialpose", sent == 0 ? NULL : "the mapper is not there");
	app->taken += sent == 0;
}

static void take_cmd_vel(struct app *app, const void *cdr, size_t bytes)
{
	struct cairn_msg_teleop m;
	struct cairn_error err;
	if (!cairn_ros2_read_cmd_vel(app->cfg, cdr, bytes, &m, &err)) {
		refuse(app, "take /cmd_vel", &err);
		return;
	}
	cairn_stage_tried(app->stage, "take /cmd_vel", NULL);
	(void)cairn_pub_send(app->teleop, &m, cairn_now_ns(), true);
	app->taken++;
}

static void on_sample(void *ctx, int row, const void *cdr, size_t bytes)
{
	static void (*const take[CAIRN_ROS2_IN_COUNT])(struct app *, const void *, size_t) = {
	    [CAIRN_ROS2_IN_GOAL] = take_goal,
	    [CAIRN_ROS2_IN_INITIAL_POSE] = take_initial_pose,
	    [CAIRN_ROS2_IN_CMD_VEL] = take_cmd_vel};
	take[row](ctx, cdr, bytes);
}

static int on_samples(void *ctx)
{
	struct app *app = ctx;
	dds_link_take(app->link, on_sample, app);
	return 0;
}

static void hear_replies(struct cairn_client *client, const char *what)
{
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (cairn_client_recv(client, &tag, &reply) == 1) {
		if (reply.ok)
			cairn_log_info("%s %llu: %s", what, (unsigned long long)tag, reply.text);
		else
			cairn_log_warn("%s %llu refused: %s", what, (unsigned long long)tag, reply.text);
	}
}

static int on_reply(void *ctx)
{
	struct app *app = ctx;
	hear_replies(app->operator_client, "goal");
	hear_replies(app->mapper_client, "initial pose");
	return 0;
}

/* ---- start ---- */

static int on_report(void *ctx)
{
	struct app *app = ctx;
	char note[96];
	uint64_t sent = 0;
	int read = 0, told = 0;
	app->bridge.clock_offset_ns = cairn_unix_ns() - cairn_now_ns();
	for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
		read += is_read(app, i);
		told += app->outs[i].writer != NULL;
		sent += app->outs[i].sent;
	}
	snprintf(note, sizeof(note), "%d of %d topics read, %llu sent, %llu taken, %llu refused", read, told,
	    (unsigned long long)sent, (unsigned long long)app->taken, (unsigned long long)app->refused);
	cairn_stage_note(app->stage, note);
	return 0;
}

static bool open_outs(struct app *app, struct cairn_error *err)
{
	for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++) {
		const struct cairn_ros2_out_row *row = &cairn_ros2_outs[i];
		if (!cairn_ros2_tells(app->cfg, (enum cairn_ros2_out)i))
			continue;
		app->outs[i].writer = dds_link_writer(app->link, row->name, row->type, row->qos, err);
		if (app->outs[i].writer == NULL)
			return false;
		if (row->from == CAIRN_ROS2_FROM_FRAME && app->frame_subs[row->input] == NULL)
			app->frame_subs[row->input] =
			    cairn_stage_frame_sub(app->stage, (enum cairn_frame_topic)row->input, err);
		if (row->from == CAIRN_ROS2_FROM_FRAME && app->frame_subs[row->input] == NULL)
			return false;
		if (row->from == CAIRN_ROS2_FROM_ONCE)
			put(app, (enum cairn_ros2_out)i,
			    cairn_ros2_bridge_once(&app->bridge, (enum cairn_ros2_out)i, cairn_now_ns(),
				app->buf, app->buf_bytes));
	}
	return true;
}

static void listen_to_bus(struct app *app)
{
	bool wanted[CAIRN_TOPIC_COUNT];
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++)
		wanted[t] = cairn_ros2_bridge_needs((enum cairn_topic)t);
	for (int i = 0; i < CAIRN_ROS2_OUT_COUNT; i++)
		if (cairn_ros2_outs[i].from == CAIRN_ROS2_FROM_TOPIC)
			wanted[cairn_ros2_outs[i].input] = true;
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) {
		struct ear *ear = &app->ears[t];
		*ear = (struct ear){.app = app, .topic = (enum cairn_topic)t};
		if (wanted[t])
			ear->sub = cairn_stage_subscribe(app->stage, ear->topic, on_message, ear);
	}
}

static bool open_ins(struct app *app, struct cairn_error *err)
{
	bool any = false;
	for (int i = 0; i < CAIRN_ROS2_IN_COUNT; i++) {
		const struct cairn_ros2_in_row *row = &cairn_ros2_ins[i];
		if (!cairn_ros2_takes(&app->cfg->ros2, (enum cairn_ros2_in)i))
			continue;
		any = true;
		if (!dds_link_reader(app->link, i, row->name, row->type, row->qos, err))
			return false;
	}
	if (!any)
		return true;
	app->operator_client = cairn_client_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_OPERATOR, err);
	app->mapper_client = cairn_client_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_MAPPER_CTL, err);
	if (app->operator_client == NULL || app->mapper_client == NULL)
		return false;
	cairn_stage_watch_socket(app->stage, cairn_client_socket(app->operator_client), on_reply, app);
	cairn_stage_watch_socket(app->stage, cairn_client_socket(app->mapper_client), on_reply, app);
	app->teleop = cairn_stage_publish(app->stage, CAIRN_TOPIC_TELEOP_ROS2);
	cairn_stage_watch_fd(app->stage, dds_link_fd(app->link), POLLIN, on_samples, app);
	return true;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	cairn_ros2_bridge_init(&app->bridge, app->cfg);
	size_t largest = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		largest = cairn_topics[i].desc->size > largest ? cairn_topics[i].desc->size : largest;
	app->msg = calloc(1, largest);
	app->bridge.clock_offset_ns = cairn_unix_ns() - cairn_now_ns();
	if (app->msg == NULL || !reserve(app, BUF_BYTES) || cairn_stage_frames(stage, err) == NULL)
		return false;
	app->link = dds_link_open(&app->cfg->ros2, app->cfg->ros2.node, err);
	if (app->link == NULL || !open_outs(app, err) || !open_ins(app, err) ||
	    !dds_link_announce(app->link, err))
		return false;
	listen_to_bus(app);
	cairn_stage_every(app->stage, FRAMES_MS, on_frames, app);
	cairn_stage_every(app->stage, REPORT_MS, on_report, app);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	dds_link_close(&app->link);
	cairn_jpeg_destroy(&app->jpeg);
	free(app->buf);
	free(app->msg);
}

CAIRN_STAGE_MAIN(
    "cairn-ros2-bridge", "topics of ROS 2 by way of DDS", struct app, .open = open_all, .close = close_all)
