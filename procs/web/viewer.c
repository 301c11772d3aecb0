/* viewer.c - one viewer's WebSocket: what he asks for, and what he is sent, one message at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/web/web.h"

struct web_viewer {
	struct web_viewer *next;
	struct lws *wsi;
	struct web_conn *conn;
	bool greeted;
	struct cairn_web_feed feed;
	struct cairn_token_bucket requests;
	int64_t steer_told_ns;
	struct web_blob *replies[WEB_REPLIES_MAX]; /* oldest first */
	int reply_count;
	struct web_gather gather;
};

size_t viewer_bytes(void)
{
	return sizeof(struct web_viewer);
}

static struct web *web_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

/* ---- what he is sent ---- */

/* The oldest makes room: who sends requests and does not read has none to complain of. */
static void queue(struct web_viewer *v, struct cairn_text *text)
{
	struct web_blob *blob = text->failed ? NULL : web_blob_new(text->data, text->len);
	cairn_text_free(text);
	if (blob == NULL)
		return;
	if (v->reply_count == WEB_REPLIES_MAX) {
		web_blob_drop(&v->replies[0]);
		memmove(v->replies, v->replies + 1, (WEB_REPLIES_MAX - 1) * sizeof(v->replies[0]));
		v->reply_count--;
	}
	v->replies[v->reply_count++] = blob;
	lws_callback_on_writable(v->wsi);
}

static void send_error(struct web_viewer *v, const char *why)
{
	struct cairn_text t = {0};
	cairn_text_add(&t, "{\"op\":\"error\",\"text\":");
	cairn_text_json_string(&t, why);
	cairn_text_add(&t, "}");
	queue(v, &t);
}

static void add_rights(struct cairn_text *t, unsigned rights)
{
	char list[64];
	cairn_text_add(t, "[");
	for (const char *p = rights != 0 ? cairn_rights_text(rights, list, sizeof(list)) : ""; *p != '\0';) {
		size_t n = strcspn(p, ",");
		cairn_text_addf(t, "\"%.*s\"%s", (int)n, p, p[n] == ',' ? "," : "");
		p += n + (p[n] == ',');
	}
	cairn_text_add(t, "]");
}

static void add_topics(struct cairn_text *t, const struct web *web)
{
	for (int i = 0; i < web->slot_count; i++) {
		const struct web_slot *s = &web->slots[i];
		if (!hub_of_page(s))
			continue;
		const struct cairn_topic_row *row = &cairn_topics[s->topic];
		bool topic = s->kind == WEB_SLOT_TOPIC;
		cairn_text_addf(t, "%s{\"name\":\"%s\",\"type\":\"%s\",\"hz\":%g,\"help\":", i > 0 ? "," : "",
		    s->name, topic ? row->desc->name : s->name, topic ? row->rate_hz : 0.0);
		cairn_text_json_string(t, topic                     ? row->doc
					  : s->kind == WEB_SLOT_MAP ? "tells that there is a new /map.png"
								    : "lines of the logs");
		cairn_text_add(t, "}");
	}
}

static void add_commands(struct cairn_text *t)
{
	bool first = true;
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		const struct cairn_command_row *row = &cairn_commands[i];
		const char *name = cairn_command_name(cairn_services[row->service].name, row->verb);
		if (cairn_web_order_find(name) != row)
			continue;
		cairn_text_addf(t, "%s{\"name\":\"%s\",\"right\":\"%s\",\"args\":", first ? "" : ",", name,
		    cairn_enum_text(&cairn_enum_right, (int)row->right));
		cairn_text_json_string(t, row->usage);
		cairn_text_add(t, ",\"help\":");
		cairn_text_json_string(t, row->help);
		cairn_text_add(t, "}");
		first = false;
	}
}

/* The shape of the robot and the limits on money, for who draws them. */
static void add_robot(struct cairn_text *t, const struct cairn_config *cfg)
{
	const struct {
		const char *name;
		double value;
	} rows[] = {{"footprint_front_m", cfg->robot.footprint_front_m},
	    {"footprint_rear_m", cfg->robot.footprint_rear_m},
	    {"footprint_half_width_m", cfg->robot.footprint_half_width_m},
	    {"lidar_x_m", cfg->robot.lidar_x_m}, {"lidar_y_m", cfg->robot.lidar_y_m},
	    {"wheelbase_m", cfg->robot.wheelbase_m}, {"turn_radius_min_m", cfg->robot.turn_radius_min_m},
	    {"speed_max_mps", cfg->robot.speed_max_mps}};
	cairn_text_add(t, "\"robot\":{\"name\":");
	cairn_text_json_string(t, cfg->robot.name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cairn_text_addf(t, ",\"%s\":%g", rows[i].name, rows[i].value);
	cairn_text_addf(t, "},\"limits\":{\"usd_per_hour\":%g,\"usd_per_session\":%g}",
	    cfg->vlm.limit_usd_per_hour, cfg->vlm.limit_usd_per_session);
}

static void greet(struct web_viewer *v)
{
	struct cairn_text t = {0};
	const struct web *web = web_of(v->wsi);
	cairn_text_add(&t, "{\"op\":\"hello\",\"version\":\"" CAIRN_VERSION "\",\"rights\":");
	add_rights(&t, v->conn->who.rights);
	cairn_text_add(&t, ",\"name\":");
	cairn_text_json_string(&t, v->conn->who.name);
	cairn_text_add(&t, ",\"topics\":[");
	add_topics(&t, web);
	cairn_text_add(&t, "],\"commands\":[");
	add_commands(&t);
	cairn_text_add(&t, "],");
	add_robot(&t, cairn_stage_config(web->stage));
	cairn_text_addf(&t, ",\"now_ns\":\"%" PRId64 "\"}", cairn_now_ns());
	queue(v, &t);
	past_add(&t, web);
	queue(v, &t);
	v->greeted = true;
}

/* The next message of a topic, in web->tx behind LWS_PRE; its bytes, 0 = there is none to tell. */
static size_t compose(struct web *web, const struct cairn_web_pick *pick)
{
	const struct web_slot *s = &web->slots[pick->slot];
	char *out = web->tx + LWS_PRE;
	if (pick->number == 0)
		return (size_t)sprintf(out, "{\"op\":\"gone\",\"topic\":\"%s\"}", s->name);
	const struct web_kept *kept = hub_message(web, pick->slot, pick->number);
	if (kept == NULL)
		return 0;
	const struct web_blob *json = kept->blob;
	int64_t t_ns = kept->hdr.t_ns;
	if (s->kind != WEB_SLOT_TOPIC) {
		memcpy(out, json->data, json->bytes);
		return json->bytes;
	}
	size_t n = (size_t)sprintf(out,
	    "{\"op\":\"message\",\"topic\":\"%s\",\"t_ns\":\"%" PRId64 "\",\"age_ms\":%" PRId64 ",\"data\":",
	    s->name, t_ns, (cairn_now_ns() - t_ns) / CAIRN_NS_PER_MS);
	memcpy(out + n, json->data, json->bytes);
	n += json->bytes;
	out[n++] = '}';
	return n;
}

static int write_next(struct web_viewer *v)
{
	struct web *web = web_of(v->wsi);
	size_t n = 0;
	if (v->reply_count > 0) {
		struct web_blob *blob = v->replies[0];
		memcpy(web->tx + LWS_PRE, blob->data, blob->bytes); /* (replies and greetings fit) */
		n = blob->bytes;
		web_blob_drop(&v->replies[0]);
		memmove(v->replies, v->replies + 1, (size_t)--v->reply_count * sizeof(v->replies[0]));
	}
	while (n == 0) {
		struct cairn_web_pick pick =
		    cairn_web_feed_pick(&v->feed, web->feed_slots, web->slot_count, cairn_now_ns());
		if (pick.slot < 0)
			return 0;
		n = compose(web, &pick);
	}
	return lws_write(v->wsi, (unsigned char *)web->tx + LWS_PRE, n, LWS_WRITE_TEXT) < (int)n ? -1 : 0;
}

static bool is_due(const struct web_viewer *v)
{
	struct web *web = web_of(v->wsi);
	return v->reply_count > 0 ||
	       cairn_web_feed_ready(&v->feed, web->feed_slots, web->slot_count, cairn_now_ns());
}

/* Several at once, see WEB_WRITES_MAX. */
static int write_due(struct web_viewer *v)
{
	int result = 0, written = 0;
	web_hold_back(v->wsi, true);
	do {
		result = write_next(v) != 0 ? -1 : 0;
	} while (result == 0 && is_due(v) && ++written < WEB_WRITES_MAX && !lws_send_pipe_choked(v->wsi));
	web_hold_back(v->wsi, false);
	if (result == 0 && is_due(v))
		lws_callback_on_writable(v->wsi);
	return result;
}

void viewers_wake(struct web *web, int slot)
{
	int64_t now_ns = cairn_now_ns();
	for (struct web_viewer *v = web->viewers; v != NULL; v = v->next) {
		if (v->feed.wants[slot].on &&
		    cairn_web_feed_ready(&v->feed, web->feed_slots, web->slot_count, now_ns))
			lws_callback_on_writable(v->wsi);
	}
}

int viewers_on_tick(void *ctx)
{
	struct web *web = ctx;
	int64_t now_ns = cairn_now_ns();
	for (struct web_viewer *v = web->viewers; v != NULL; v = v->next) {
		if (cairn_web_feed_ready(&v->feed, web->feed_slots, web->slot_count, now_ns))
			lws_callback_on_writable(v->wsi);
	}
	return 0;
}

void viewer_replied(struct web *web, const struct web_asker *asker, bool ok, const char *text)
{
	for (struct web_viewer *v = web->viewers; v != NULL; v = v->next) {
		if (v->conn->id != asker->conn)
			continue;
		struct cairn_text t = {0};
		cairn_text_addf(&t, "{\"op\":\"reply\",\"id\":%" PRId64 ",\"ok\":%s,\"text\":", asker->id,
		    ok ? "true" : "false");
		cairn_text_json_string(&t, text);
		cairn_text_add(&t, "}");
		queue(v, &t);
	}
}

/* ---- what he asks for ---- */

static void subscribe(struct web_viewer *v, int slot, double hz)
{
	struct web *web = web_of(v->wsi);
	if (!v->feed.wants[slot].on)
		hub_use(web, slot);
	cairn_web_feed_subscribe(&v->feed, slot, hz, &web->feed_slots[slot]);
}

static void unsubscribe(struct web_viewer *v, int slot)
{
	if (!v->feed.wants[slot].on)
		return;
	cairn_web_feed_unsubscribe(&v->feed, slot);
	hub_leave(web_of(v->wsi), slot);
}

static void change_topics(struct web_viewer *v, const struct cairn_web_request *r)
{
	struct web *web = web_of(v->wsi);
	for (int i = 0; i < r->topic_count; i++) {
		int slot = hub_slot(web, r->topics[i]);
		char why[CAIRN_WEB_NAME_MAX + 64];
		if (slot >= 0 && hub_of_page(&web->slots[slot]) && web->slots[slot].kind != WEB_SLOT_LOGS) {
			if (r->op == CAIRN_WEB_OP_SUBSCRIBE)
				subscribe(v, slot, r->hz);
			else
				unsubscribe(v, slot);
			continue;
		}
		snprintf(why, sizeof(why), "%s: there is no topic '%s'",
		    r->op == CAIRN_WEB_OP_SUBSCRIBE ? "subscribe" : "unsubscribe", r->topics[i]);
		cairn_text_plain(why);
		send_error(v, why);
	}
	lws_callback_on_writable(v->wsi);
}

/* Steering comes ten times a second: why it is not taken is told once a second. */
static void steer(struct web_viewer *v, const struct cairn_web_request *r)
{
	struct web *web = web_of(v->wsi);
	struct cairn_error why = {""};
	if (teleop_give(web, v->conn, r->v_mps, r->steer_rad, &why))
		return;
	cairn_stage_count_reject(web->stage);
	if (cairn_now_ns() - v->steer_told_ns < CAIRN_NS_PER_S)
		return;
	v->steer_told_ns = cairn_now_ns();
	send_error(v, why.text);
}

static void obey(struct web_viewer *v, const struct cairn_web_request *r)
{
	struct web *web = web_of(v->wsi);
	struct web_asker asker = {.conn = v->conn->id, .id = r->id};
	switch (r->op) {
	case CAIRN_WEB_OP_SUBSCRIBE:
	case CAIRN_WEB_OP_UNSUBSCRIBE:
		change_topics(v, r);
		break;
	case CAIRN_WEB_OP_SUBSCRIBE_LOGS:
		if (r->on)
			subscribe(v, hub_slot(web, "logs"), CAIRN_WEB_HZ_MAX);
		else
			unsubscribe(v, hub_slot(web, "logs"));
		break;
	case CAIRN_WEB_OP_COMMAND:
		orders_give(web, v->conn, &asker, r->name, r->args);
		break;
	case CAIRN_WEB_OP_TELEOP:
		steer(v, r);
		break;
	}
}

/* Requests beyond the rate are dropped, but never a stop: it is told by its words, before anything is parsed. */
static int take(struct web_viewer *v, const char *text, size_t bytes)
{
	static struct cairn_web_request request; /* large */
	struct cairn_error why = {""};
	struct web *web = web_of(v->wsi);
	bool stop = memmem(text, bytes, "stop\"", 5) != NULL;
	if (!cairn_token_bucket_take(
		&v->requests, WEB_REQUESTS_PER_S, WEB_REQUESTS_BURST_S, cairn_now_ns()) &&
	    !stop) {
		cairn_stage_count_reject(web->stage);
		send_error(v, "more than 50 requests a second: this one was dropped");
		return 0;
	}
	if (cairn_web_request_parse(text, bytes, &request, &why)) {
		obey(v, &request);
		return 0;
	}
	cairn_stage_count_reject(web->stage);
	char said[320];
	snprintf(said, sizeof(said), "request not understood: %s", why.text);
	cairn_text_plain(said);
	send_error(v, said);
	return 0;
}

static int receive(struct web_viewer *v, const char *data, size_t bytes)
{
	int whole = web_gather(v->wsi, &v->gather, data, bytes, &data, &bytes);
	if (whole < 0)
		cairn_stage_count_reject(web_of(v->wsi)->stage);
	return whole > 0 ? take(v, data, bytes) : whole;
}

/* ---- coming and going ---- */

static void enter(struct web_viewer *v, struct lws *wsi)
{
	struct web *web = web_of(wsi);
	v->wsi = wsi;
	v->conn = lws_get_opaque_user_data(wsi);
	v->next = web->viewers;
	web->viewers = v;
	greet(v);
	cairn_log_debug("viewer from %s", v->conn->peer);
}

static void leave(struct web_viewer *v)
{
	if (v->wsi == NULL)
		return;
	struct web *web = web_of(v->wsi);
	struct web_viewer **place = &web->viewers;
	while (*place != NULL && *place != v)
		place = &(*place)->next;
	if (*place == v)
		*place = v->next;
	for (int i = 0; i < web->slot_count; i++)
		unsubscribe(v, i);
	for (int i = 0; i < v->reply_count; i++)
		web_blob_drop(&v->replies[i]);
	web_gather_free(&v->gather);
	v->wsi = NULL;
}

/* Each is what the list of tokens makes him now; who may not watch any more is shown out. */
void viewers_judge(struct web *web)
{
	for (struct web_viewer *v = web->viewers; v != NULL; v = v->next) {
		v->conn->who = cairn_web_identify(&web->tokens, v->conn->token, v->conn->here);
		if (!cairn_rights_allow(v->conn->who.rights, CAIRN_RIGHT_WATCH))
			lws_set_timeout(v->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
	}
}

int viewer_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
	struct web_viewer *v = user;
	switch (reason) {
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return lws_get_opaque_user_data(wsi) != NULL ? 0 : -1;
	case LWS_CALLBACK_ESTABLISHED:
		enter(v, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
		return lws_frame_is_binary(wsi) ? -1 : receive(v, in, len);
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return write_due(v);
	case LWS_CALLBACK_CLOSED:
		leave(v);
		return 0;
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, len);
	}
}
