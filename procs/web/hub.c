/* hub.c - topics of the bus and pictures, each read while somebody wants it, and kept as far as somebody may still ask for it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "procs/web/web.h"

#define JSON_BYTES (512u * 1024)
#define CDR_ROOM 512                 /* for what stands around the bytes of a picture */
#define IDLE_NS (2 * CAIRN_NS_PER_S) /* a page that is loaded anew wants the same again */
#define WALL_STEP_NS (10 * CAIRN_NS_PER_MS)
#define GONE_MIN_NS CAIRN_NS_PER_S /* a subscription needs a moment until it is heard */

static const char *const stage_names[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
    "launcher"};
#define STAGES (sizeof(stage_names) / sizeof(stage_names[0]))

struct web_blob *web_blob_new(const void *data, size_t bytes)
{
	struct web_blob *blob = malloc(sizeof(*blob) + bytes + 1);
	if (blob == NULL)
		return NULL;
	*blob = (struct web_blob){.refs = 1, .bytes = bytes};
	if (data != NULL)
		memcpy(blob->data, data, bytes);
	blob->data[bytes] = '\0';
	return blob;
}

struct web_blob *web_blob_hold(struct web_blob *blob)
{
	if (blob != NULL)
		blob->refs++;
	return blob;
}

void web_blob_drop(struct web_blob **blob_p)
{
	struct web_blob *blob = *blob_p;
	if (blob != NULL && --blob->refs == 0)
		free(blob);
	*blob_p = NULL;
}

/* Frames as ROS 2 knows them. */
static const struct {
	const char *name;
	enum web_picture picture;
	enum cairn_ros2_type type;
} picture_slots[] = {{CAIRN_ROS2_TOPIC_CAMERA, WEB_CAMERA, CAIRN_ROS2_COMPRESSED_IMAGE},
    {CAIRN_ROS2_TOPIC_SNAPSHOT, WEB_SNAPSHOT, CAIRN_ROS2_COMPRESSED_IMAGE},
    {CAIRN_ROS2_TOPIC_DEPTH, WEB_DEPTH_RAW, CAIRN_ROS2_IMAGE},
    {CAIRN_ROS2_TOPIC_MAP, WEB_GRID, CAIRN_ROS2_OCCUPANCY_GRID}};
#define PICTURE_SLOTS ((int)(sizeof(picture_slots) / sizeof(picture_slots[0])))
#define CAMERA_FRAME "camera"

static void add_slot(
    struct web *web, enum web_slot_kind kind, const char *name, int topic, const char *instance)
{
	int i = web->slot_count++;
	struct web_slot *s = &web->slots[i];
	*s = (struct web_slot){.kind = kind, .topic = (enum cairn_topic)topic, .instance = instance};
	snprintf(s->name, sizeof(s->name), "%s%s%s", name, instance != NULL ? "." : "",
	    instance != NULL ? instance : "");
	bool queued = kind == WEB_SLOT_TOPIC && cairn_topics[topic].mode == CAIRN_MODE_EVERY &&
		      !(cairn_topics[topic].rate_hz > 0.0);
	web->feed_slots[i] = (struct cairn_web_slot){.every = queued || kind == WEB_SLOT_LOGS};
}

/* After the topics, which they are made from. */
static void add_foxglove_slots(struct web *web)
{
	for (int i = 0; i < CAIRN_ROS2_TOPIC_COUNT; i++) {
		const struct cairn_ros2_topic *row = &cairn_ros2_topics[i];
		add_slot(web, WEB_SLOT_ROS2, row->name, (int)row->topic, NULL);
		web->slots[web->slot_count - 1].type = row->type;
		web->slots[web->slot_count - 1].source = hub_slot(web, cairn_topics[row->topic].name);
	}
	for (int i = 0; i < PICTURE_SLOTS; i++) {
		add_slot(web, WEB_SLOT_PICTURE, picture_slots[i].name, 0, NULL);
		web->slots[web->slot_count - 1].type = picture_slots[i].type;
		web->slots[web->slot_count - 1].picture = picture_slots[i].picture;
	}
}

bool hub_of_page(const struct web_slot *s)
{
	return s->kind <= WEB_SLOT_LOGS;
}

/* Followed when the clock is set, and otherwise kept, so that intervals stay right. */
static void follow_clock(struct web *web)
{
	int64_t now_ns = cairn_unix_ns() - cairn_now_ns();
	if (llabs(now_ns - web->clock_offset_ns) > WALL_STEP_NS)
		web->clock_offset_ns = now_ns;
}

bool hub_open(struct web *web, struct cairn_error *err)
{
	_Static_assert(CAIRN_TOPIC_COUNT + 2 * STAGES + 2 + CAIRN_ROS2_TOPIC_COUNT + PICTURE_SLOTS +
			       CAIRN_EXTERNAL_TOPICS_MAX <=
			   CAIRN_WEB_SLOTS_MAX,
	    "more topics than slots");
	_Static_assert(
	    CAIRN_WEB_SLOTS_MAX <= CAIRN_POLLER_MAX, "somebody who wants every topic would be refused some");
	_Static_assert(WEB_REQUESTS_PER_S * WEB_REQUESTS_BURST_S >= CAIRN_WEB_SLOTS_MAX,
	    "somebody who asks for every topic one by one would be refused some");
	if (!cairn_external_load(&web->declared, cairn_stage_config(web->stage)->external.topics, err))
		return false;
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) {
		if (!cairn_topic_has_instances(&cairn_topics[t]))
			add_slot(web, WEB_SLOT_TOPIC, cairn_topics[t].name, t, NULL);
		else if (!cairn_topic_is_declared(&cairn_topics[t]))
			for (size_t k = 0; k < STAGES; k++)
				add_slot(web, WEB_SLOT_TOPIC, cairn_topics[t].name, t, stage_names[k]);
	}
	for (uint32_t i = 0; i < web->declared.count; i++)
		add_slot(web, WEB_SLOT_TOPIC, cairn_topics[web->declared.rows[i].topic].name,
		    (int)web->declared.rows[i].topic, web->declared.rows[i].name);
	add_slot(web, WEB_SLOT_MAP, "map", 0, NULL);
	add_slot(web, WEB_SLOT_LOGS, "logs", 0, NULL);
	add_foxglove_slots(web);
	follow_clock(web);
	const struct cairn_config_robot *robot = &cairn_stage_config(web->stage)->robot;
	web->tf = (struct cairn_ros2_tf){
	    .laser_x_m = robot->lidar_x_m, .laser_y_m = robot->lidar_y_m, .laser_z_m = robot->lidar_z_m};
	web->json = malloc(JSON_BYTES);
	web->tx = malloc(LWS_PRE + JSON_BYTES + 256);
	if (web->json == NULL || web->tx == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	return hub_subs_open(web, err);
}

static void forget(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	for (int i = 0; i < WEB_KEPT_MAX; i++)
		web_blob_drop(&s->kept[i].blob);
	web->feed_slots[slot].first = web->feed_slots[slot].newest + 1;
	web->feed_slots[slot].gone = false;
	free(s->msg);
	s->msg = NULL;
}

static void let_go(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	if (s->sub != NULL)
		hub_subs_remove(web, slot);
	cairn_sub_destroy(&s->sub);
	forget(web, slot);
	s->idle_ns = 0;
}

void hub_close(struct web *web)
{
	for (int i = 0; i < web->slot_count; i++)
		let_go(web, i);
	hub_subs_close(web);
	free(web->json);
	free(web->tx);
}

int hub_slot(const struct web *web, const char *name)
{
	for (int i = 0; i < web->slot_count; i++) {
		if (strcmp(web->slots[i].name, name) == 0)
			return i;
	}
	return -1;
}

static struct web_kept *kept_of(struct web_slot *s, uint64_t number)
{
	return &s->kept[number % WEB_KEPT_MAX];
}

/* The newest message of a topic, in JSON. */
static struct web_blob *to_json(struct web *web, const struct web_slot *s)
{
	int n = cairn_msg_to_json(cairn_topics[s->topic].desc, NULL, s->msg, web->json, JSON_BYTES);
	if (n < 0)
		cairn_stage_count_reject(
		    web->stage); /* too much to tell: cannot be, by the sizes of messages.def */
	return n >= 0 ? web_blob_new(web->json, (size_t)n) : NULL;
}

static struct web_blob *cdr_of(
    struct web *web, enum cairn_ros2_type type, int64_t t_ns, const void *from, size_t room)
{
	struct web_blob *blob = web_blob_new(NULL, room);
	int n =
	    blob != NULL ? cairn_ros2_encode(type, web_unix_ns(web, t_ns), from, blob->data, room) : -ENOMEM;
	if (n < 0) { /* a frame of a format that ROS does not know */
		cairn_stage_count_reject(web->stage);
		web_blob_drop(&blob);
		return NULL;
	}
	blob->bytes = (size_t)n;
	return blob;
}

/* The newest message of a topic as ROS 2 knows it. */
static struct web_blob *topic_to_cdr(struct web *web, const struct web_slot *s, int64_t t_ns)
{
	const void *from = s->type == CAIRN_ROS2_TF ? &web->transforms : web->slots[s->source].msg;
	int n = from != NULL ? cairn_ros2_encode(s->type, web_unix_ns(web, t_ns), from, web->json, JSON_BYTES)
			     : -EINVAL;
	return n >= 0 ? web_blob_new(web->json, (size_t)n) : NULL;
}

/* The newest picture of a kind as ROS 2 knows it. */
static struct web_blob *picture_to_cdr(struct web *web, const struct web_slot *s, int64_t t_ns)
{
	const struct web_picture_now *now = &web->pictures[s->picture];
	struct cairn_frame_header head;
	if (now->blob == NULL)
		return NULL;
	if (s->type == CAIRN_ROS2_COMPRESSED_IMAGE)
		return cdr_of(web, s->type, t_ns,
		    &(struct cairn_ros2_jpeg){now->blob->data, (uint32_t)now->blob->bytes, CAMERA_FRAME},
		    now->blob->bytes + CDR_ROOM);
	if (now->text == NULL || now->text->bytes != sizeof(head))
		return NULL;
	memcpy(&head, now->text->data, sizeof(head));
	if (head.payload_bytes != now->blob->bytes)
		return NULL;
	return cdr_of(web, s->type, t_ns, &(struct cairn_ros2_frame){&head, now->blob->data, CAMERA_FRAME},
	    now->blob->bytes + CDR_ROOM);
}

/* One more message; blob NULL: it is made when somebody is sent it. */
static void take(struct web *web, int slot, struct web_blob *blob, const struct cairn_header *hdr)
{
	struct web_slot *s = &web->slots[slot];
	struct cairn_web_slot *f = &web->feed_slots[slot];
	uint64_t number = ++f->newest;
	struct web_kept *k = kept_of(s, number);
	web_blob_drop(&k->blob);
	*k = (struct web_kept){blob, *hdr};
	if (!f->every)
		f->first = number;
	else if (f->first == 0 || f->newest - f->first >= WEB_KEPT_MAX)
		f->first = f->first == 0 ? number : number - WEB_KEPT_MAX + 1;
	f->gone = false;
	s->heard_ns = cairn_now_ns();
	viewers_wake(web, slot);
	foxglove_wake(web, slot);
}

void hub_put(struct web *web, int slot, const char *text, size_t bytes)
{
	struct web_blob *blob = web_blob_new(text, bytes);
	if (blob != NULL)
		take(web, slot, blob, &(struct cairn_header){.t_ns = cairn_now_ns()});
}

void hub_picture(struct web *web, enum web_picture which, int64_t t_ns)
{
	for (int i = 0; i < web->slot_count; i++) {
		const struct web_slot *s = &web->slots[i];
		if (s->kind == WEB_SLOT_PICTURE && s->picture == which && s->users > 0)
			take(web, i, NULL, &(struct cairn_header){.t_ns = t_ns});
	}
}

/* What is made from the message that a topic has just had, where somebody wants it. ROS has no word for a message that is
 * not valid. */
static void take_ros2(struct web *web, int source)
{
	const struct web_slot *from = &web->slots[source];
	if (!from->hdr.valid)
		return;
	if (from->topic == CAIRN_TOPIC_POSE)
		cairn_ros2_tf_pose(&web->tf, &from->hdr, from->msg);
	for (int i = 0; i < web->slot_count; i++) {
		const struct web_slot *s = &web->slots[i];
		if (s->kind != WEB_SLOT_ROS2 || s->source != source || s->users == 0)
			continue;
		if (s->type == CAIRN_ROS2_TF)
			cairn_ros2_tf_odom(&web->tf, &from->hdr, from->msg, &web->transforms);
		take(web, i, NULL, &from->hdr);
	}
}

void hub_drain(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	while (s->sub != NULL && cairn_sub_recv(s->sub, s->msg, &s->hdr) == 1) {
		if (s->topic == CAIRN_TOPIC_DECISION) {
			const struct cairn_msg_decision *d = s->msg;
			pictures_decided(web, d->id, d->snapshot_id);
		}
		bool every = web->feed_slots[slot].every;
		struct web_blob *blob = every ? to_json(web, s) : NULL;
		if (!every || blob != NULL)
			take(web, slot, blob, &s->hdr);
		take_ros2(web, slot);
		past_take(web, slot);
		replay_take(web, slot);
	}
}

static void listen_to(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	struct cairn_error err = {""};
	s->msg = calloc(1, cairn_topics[s->topic].desc->size);
	s->sub =
	    s->msg != NULL ? cairn_sub_new(cairn_stage_bus(web->stage), s->topic, s->instance, &err) : NULL;
	if (s->sub == NULL || !hub_subs_add(web, slot, &err)) {
		cairn_stage_tried(web->stage, "read a topic", s->msg != NULL ? err.text : "out of memory");
		cairn_sub_destroy(&s->sub);
		free(s->msg);
		s->msg = NULL;
		return;
	}
	s->heard_ns = cairn_now_ns();
}

static bool is_decisions(const struct web_slot *s)
{
	return s->kind == WEB_SLOT_TOPIC && s->topic == CAIRN_TOPIC_DECISION;
}

/* Transforms are made of two topics. */
static int pose_slot(const struct web *web)
{
	return hub_slot(web, cairn_topics[CAIRN_TOPIC_POSE].name);
}

static void use_ros2(struct web *web, int slot)
{
	const struct web_slot *s = &web->slots[slot], *from = &web->slots[s->source];
	const struct cairn_web_slot *f = &web->feed_slots[s->source];
	hub_use(web, s->source);
	if (s->type == CAIRN_ROS2_TF)
		hub_use(web, pose_slot(web));
	else if (f->first > 0 && f->first <= f->newest && from->hdr.valid && !f->gone)
		take(web, slot, NULL, &from->hdr); /* what others have been told already */
}

/* A map is sent again only when it has changed, so the last one counts until then; a picture only while it is new. */
static void use_picture(struct web *web, int slot)
{
	const struct web_slot *s = &web->slots[slot];
	const struct web_picture_now *now = &web->pictures[s->picture];
	pictures_use(web, s->picture);
	if (now->number > 0 && (s->picture == WEB_GRID || cairn_now_ns() - now->arrived_ns < IDLE_NS))
		take(web, slot, NULL, &(struct cairn_header){.t_ns = now->t_ns});
}

void hub_use(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	if (s->users++ > 0)
		return;
	s->idle_ns = 0;
	if (s->kind == WEB_SLOT_ROS2)
		use_ros2(web, slot);
	else if (s->kind == WEB_SLOT_PICTURE)
		use_picture(web, slot);
	if (s->kind == WEB_SLOT_TOPIC && s->sub == NULL)
		listen_to(web, slot);
	else if (s->kind == WEB_SLOT_MAP)
		pictures_use(web, WEB_MAP);
	else if (s->kind == WEB_SLOT_LOGS)
		logs_follow(web, true);
	if (is_decisions(s)) /* they are shown with their pictures */
		pictures_use(web, WEB_SNAPSHOT);
}

void hub_leave(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	if (--s->users > 0)
		return;
	if (s->kind == WEB_SLOT_ROS2 || s->kind == WEB_SLOT_PICTURE)
		forget(web, slot);
	if (s->kind == WEB_SLOT_ROS2) {
		hub_leave(web, s->source);
		if (s->type == CAIRN_ROS2_TF)
			hub_leave(web, pose_slot(web));
		return;
	}
	s->idle_ns = cairn_now_ns();
	if (s->kind == WEB_SLOT_PICTURE)
		pictures_leave(web, s->picture);
	else if (s->kind == WEB_SLOT_MAP)
		pictures_leave(web, WEB_MAP);
	else if (s->kind == WEB_SLOT_LOGS)
		logs_follow(web, false);
	if (is_decisions(s))
		pictures_leave(web, WEB_SNAPSHOT);
}

const struct web_kept *hub_message(struct web *web, int slot, uint64_t number)
{
	struct web_slot *s = &web->slots[slot];
	const struct cairn_web_slot *f = &web->feed_slots[slot];
	if (number < f->first || number > f->newest)
		return NULL;
	struct web_kept *k = kept_of(s, number);
	if (k->blob == NULL && number == f->newest) {
		if (s->kind == WEB_SLOT_ROS2)
			k->blob = topic_to_cdr(web, s, k->hdr.t_ns);
		else if (s->kind == WEB_SLOT_PICTURE)
			k->blob = picture_to_cdr(web, s, k->hdr.t_ns);
		else if (s->msg != NULL)
			k->blob = to_json(web, s);
	}
	return k->blob != NULL ? k : NULL;
}

static void look_for_silence(struct web *web, int slot, int64_t now_ns)
{
	struct web_slot *s = &web->slots[slot];
	struct cairn_web_slot *f = &web->feed_slots[slot];
	int64_t max_ns = cairn_topics[s->topic].max_age_ms * CAIRN_NS_PER_MS;
	if (max_ns == 0 || f->gone || now_ns - s->heard_ns <= (max_ns > GONE_MIN_NS ? max_ns : GONE_MIN_NS))
		return;
	f->gone = true;
	viewers_wake(web, slot);
}

int hub_on_tick(void *ctx)
{
	struct web *web = ctx;
	int64_t now_ns = cairn_now_ns();
	follow_clock(web);
	for (int i = 0; i < web->slot_count; i++) {
		struct web_slot *s = &web->slots[i];
		if (s->sub != NULL && s->users > 0)
			look_for_silence(web, i, now_ns);
		else if (s->idle_ns != 0 && now_ns - s->idle_ns > IDLE_NS)
			let_go(web, i);
	}
	return 0;
}
