/* hub.c - topics of the bus, each read while somebody wants it, and kept as far as somebody may still ask for it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "procs/web/web.h"

#define JSON_BYTES (512u * 1024)
#define IDLE_NS (2 * CAIRN_NS_PER_S) /* a page that is loaded anew wants the same again */
#define GONE_MIN_NS CAIRN_NS_PER_S   /* a subscription needs a moment until it is heard */

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

bool hub_open(struct web *web, struct cairn_error *err)
{
	_Static_assert(CAIRN_TOPIC_COUNT + 2 * STAGES + 2 <= CAIRN_WEB_SLOTS_MAX, "more topics than slots");
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) {
		if (strcmp(cairn_topics[t].stage, "*") != 0)
			add_slot(web, WEB_SLOT_TOPIC, cairn_topics[t].name, t, NULL);
		else
			for (size_t k = 0; k < STAGES; k++)
				add_slot(web, WEB_SLOT_TOPIC, cairn_topics[t].name, t, stage_names[k]);
	}
	add_slot(web, WEB_SLOT_MAP, "map", 0, NULL);
	add_slot(web, WEB_SLOT_LOGS, "logs", 0, NULL);
	web->json = malloc(JSON_BYTES);
	web->tx = malloc(LWS_PRE + JSON_BYTES + 256);
	if (web->json != NULL && web->tx != NULL)
		return true;
	cairn_error_set(err, "out of memory");
	return false;
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
		cairn_stage_unwatch_socket(web->stage, cairn_sub_socket(s->sub));
	cairn_sub_destroy(&s->sub);
	forget(web, slot);
	s->idle_ns = 0;
}

void hub_close(struct web *web)
{
	for (int i = 0; i < web->slot_count; i++)
		let_go(web, i);
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

/* One more message; blob NULL: it is made when somebody is sent it. */
static void take(struct web *web, int slot, struct web_blob *blob, int64_t t_ns)
{
	struct web_slot *s = &web->slots[slot];
	struct cairn_web_slot *f = &web->feed_slots[slot];
	uint64_t number = ++f->newest;
	struct web_kept *k = kept_of(s, number);
	web_blob_drop(&k->blob);
	*k = (struct web_kept){blob, t_ns};
	if (!f->every)
		f->first = number;
	else if (f->first == 0 || f->newest - f->first >= WEB_KEPT_MAX)
		f->first = f->first == 0 ? number : number - WEB_KEPT_MAX + 1;
	f->gone = false;
	s->heard_ns = cairn_now_ns();
	viewers_wake(web, slot);
}

void hub_put(struct web *web, int slot, const char *text, size_t bytes)
{
	struct web_blob *blob = web_blob_new(text, bytes);
	if (blob != NULL)
		take(web, slot, blob, cairn_now_ns());
}

static void drain(struct web *web, int slot)
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
			take(web, slot, blob, s->hdr.t_ns);
	}
}

static int on_message(void *ctx)
{
	struct web *web = ctx;
	for (int i = 0; i < web->slot_count; i++) {
		if (web->slots[i].sub != NULL)
			drain(web, i);
	}
	return 0;
}

static void listen_to(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	struct cairn_error err = {""};
	s->msg = calloc(1, cairn_topics[s->topic].desc->size);
	s->sub =
	    s->msg != NULL ? cairn_sub_new(cairn_stage_bus(web->stage), s->topic, s->instance, &err) : NULL;
	if (s->sub == NULL) {
		cairn_stage_tried(web->stage, "read a topic", s->msg != NULL ? err.text : "out of memory");
		free(s->msg);
		s->msg = NULL;
		return;
	}
	s->heard_ns = cairn_now_ns();
	cairn_stage_watch_socket(web->stage, cairn_sub_socket(s->sub), on_message, web);
}

static bool is_decisions(const struct web_slot *s)
{
	return s->kind == WEB_SLOT_TOPIC && s->topic == CAIRN_TOPIC_DECISION;
}

void hub_use(struct web *web, int slot)
{
	struct web_slot *s = &web->slots[slot];
	if (s->users++ > 0)
		return;
	s->idle_ns = 0;
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
	s->idle_ns = cairn_now_ns();
	if (s->kind == WEB_SLOT_MAP)
		pictures_leave(web, WEB_MAP);
	else if (s->kind == WEB_SLOT_LOGS)
		logs_follow(web, false);
	if (is_decisions(s))
		pictures_leave(web, WEB_SNAPSHOT);
}

const struct web_blob *hub_json(struct web *web, int slot, uint64_t number, int64_t *ret_t_ns)
{
	struct web_slot *s = &web->slots[slot];
	const struct cairn_web_slot *f = &web->feed_slots[slot];
	if (number < f->first || number > f->newest)
		return NULL;
	struct web_kept *k = kept_of(s, number);
	if (k->blob == NULL && s->msg != NULL && number == f->newest)
		k->blob = to_json(web, s);
	*ret_t_ns = k->t_ns;
	return k->blob;
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
	for (int i = 0; i < web->slot_count; i++) {
		struct web_slot *s = &web->slots[i];
		if (s->sub != NULL && s->users > 0)
			look_for_silence(web, i, now_ns);
		else if (s->idle_ns != 0 && now_ns - s->idle_ns > IDLE_NS)
			let_go(web, i);
	}
	return 0;
}
