/* foxglove.c - a client of Foxglove's protocol (common/web/foxglove.h): every topic and picture to subscribe to, stops to call,
 * the play bar of a replay, and nothing else.
 *
 * A message goes out in pieces that the socket takes, so a client that reads slowly costs the memory of one message that the
 * others have anyway, and misses those that came meanwhile. Texts that it must not miss wait in a queue; whoever lets that
 * overflow is hung up on. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/web/web.h"

#define PIECE_BYTES (128u * 1024)
#define CONTROL_MAX 64
#define JSON_HEAD_BYTES 160
#define BAR_PATIENCE 2

struct web_foxglove {
	struct web_foxglove *next;
	struct lws *wsi;
	struct web_conn *conn;
	struct cairn_web_feed feed;
	uint32_t subscription[CAIRN_WEB_SLOTS_MAX]; /* its id, where the feed wants the slot */
	struct cairn_token_bucket requests;
	struct web_gather gather;
	struct control {
		struct web_blob *blob;
		bool binary;
	} control[CONTROL_MAX]; /* oldest first */
	int control_count;
	bool overflowed;
	struct replay_bar bar;
	/* What is being sent: head, blob, tail. */
	struct web_blob *out; /* NULL = nothing */
	bool out_binary;
	uint8_t head[CAIRN_FOXGLOVE_HEAD_BYTES + JSON_HEAD_BYTES];
	size_t head_bytes, tail_bytes, sent;
};

size_t foxglove_bytes(void)
{
	return sizeof(struct web_foxglove);
}

static struct web *web_of(struct lws *wsi)
{
	return lws_context_user(lws_get_context(wsi));
}

/* ---- what cannot be missed ---- */

static void queue_blob(struct web_foxglove *f, struct web_blob *blob, bool binary)
{
	if (blob == NULL || f->control_count == CONTROL_MAX) {
		web_blob_drop(&blob);
		f->overflowed =
		    true; /* ended when the library calls next: not from within a call of others */
		lws_set_timeout(f->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
		return;
	}
	f->control[f->control_count++] = (struct control){blob, binary};
	lws_callback_on_writable(f->wsi);
}

static void queue(struct web_foxglove *f, struct cairn_text *text, bool binary)
{
	struct web_blob *blob = text->failed ? NULL : web_blob_new(text->data, text->len);
	cairn_text_free(text);
	queue_blob(f, blob, binary);
}

static void send_status(struct web_foxglove *f, enum cairn_foxglove_level level, const char *text)
{
	struct cairn_text t = {0};
	cairn_foxglove_add_status(&t, level, text);
	queue(f, &t, false);
}

/* ---- greeting ---- */

static void introduce(struct web_foxglove *f)
{
	struct web *web = web_of(f->wsi);
	const struct cairn_config *cfg = web->cfg;
	struct cairn_text info = {0};
	char session[48];
	snprintf(session, sizeof(session), "%d-%" PRIu64, (int)getpid(), f->conn->id);
	cairn_foxglove_add_server_info(
	    &info, cfg->robot.name[0] != '\0' ? cfg->robot.name : "cairn", session, replay_now(web));
	queue(f, &info, false);
}

static void send_replay(struct web_foxglove *f, bool did_seek, const char *request)
{
	const struct cairn_msg_playback *replay = replay_now(web_of(f->wsi));
	struct cairn_text t = {0};
	if (replay == NULL)
		return;
	cairn_foxglove_add_playback(&t, replay, did_seek, request);
	queue(f, &t, true);
}

static void greet(struct web_foxglove *f)
{
	struct web *web = web_of(f->wsi);
	struct cairn_text offer = {0};
	introduce(f);
	send_replay(f, false, "");
	queue_blob(f, foxglove_channels(web), false);
	cairn_foxglove_add_services(&offer, foxglove_services, FOXGLOVE_SERVICES);
	queue(f, &offer, false);
}

/* ---- messages ---- */

/* The next message of a subscription; false when it cannot be told. */
static bool begin_message(struct web_foxglove *f, const struct cairn_web_pick *pick)
{
	struct web *web = web_of(f->wsi);
	const struct web_kept *kept = pick->number != 0 ? hub_message(web, pick->slot, pick->number) : NULL;
	if (kept == NULL) /* that its publisher is silent is nothing that this protocol tells */
		return false;
	const struct cairn_header *hdr = &kept->hdr;
	cairn_foxglove_message_head(f->head, f->subscription[pick->slot], web_unix_ns(web, hdr->t_ns));
	f->head_bytes = CAIRN_FOXGLOVE_HEAD_BYTES;
	f->tail_bytes = 0;
	if (web->slots[pick->slot].kind == WEB_SLOT_TOPIC) { /* as `cairn record` writes it */
		f->head_bytes += (size_t)snprintf((char *)f->head + f->head_bytes, JSON_HEAD_BYTES,
		    "{\"seq\":\"%" PRIu64 "\",\"epoch\":\"%" PRIu64 "\",\"t_ns\":\"%" PRId64
		    "\",\"valid\":%s,\"data\":",
		    hdr->seq, hdr->epoch, hdr->t_ns, hdr->valid ? "true" : "false");
		f->tail_bytes = 1;
	}
	f->out = web_blob_hold(kept->blob);
	f->out_binary = true;
	f->sent = 0;
	return true;
}

static void begin_control(struct web_foxglove *f)
{
	f->out = f->control[0].blob;
	f->out_binary = f->control[0].binary;
	f->head_bytes = f->tail_bytes = f->sent = 0;
	memmove(f->control, f->control + 1, (size_t)--f->control_count * sizeof(f->control[0]));
}

/* False when nothing is due. */
static bool begin_next(struct web_foxglove *f)
{
	struct web *web = web_of(f->wsi);
	if (f->control_count > 0) {
		begin_control(f);
		return true;
	}
	for (;;) {
		struct cairn_web_pick pick =
		    cairn_web_feed_pick(&f->feed, web->feed_slots, web->slot_count, cairn_now_ns());
		if (pick.slot < 0)
			return false;
		if (begin_message(f, &pick))
			return true;
	}
}

/* Bytes [from, from + n) of head, blob, tail. */
static void copy_part(const struct web_foxglove *f, size_t from, size_t n, uint8_t *to)
{
	const struct {
		const void *data;
		size_t bytes;
	} parts[] = {{f->head, f->head_bytes}, {f->out->data, f->out->bytes}, {"}", f->tail_bytes}};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && n > 0; i++) {
		size_t skip = from < parts[i].bytes ? from : parts[i].bytes;
		size_t take = parts[i].bytes - skip < n ? parts[i].bytes - skip : n;
		memcpy(to, (const uint8_t *)parts[i].data + skip, take);
		from -= skip;
		to += take;
		n -= take;
	}
}

static bool is_due(const struct web_foxglove *f)
{
	struct web *web = web_of(f->wsi);
	return f->out != NULL || f->control_count > 0 ||
	       cairn_web_feed_ready(&f->feed, web->feed_slots, web->slot_count, cairn_now_ns());
}

static int write_piece(struct web_foxglove *f)
{
	uint8_t buf[LWS_PRE + PIECE_BYTES];
	if (f->out == NULL && !begin_next(f))
		return 0;
	size_t left = f->head_bytes + f->out->bytes + f->tail_bytes - f->sent;
	size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
	int how = f->sent > 0 ? LWS_WRITE_CONTINUATION : f->out_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
	copy_part(f, f->sent, n, buf + LWS_PRE);
	how |= n < left ? LWS_WRITE_NO_FIN : 0;
	if (lws_write(f->wsi, buf + LWS_PRE, n, (enum lws_write_protocol)how) < (int)n)
		return -1;
	f->sent += n;
	if (n == left)
		web_blob_drop(&f->out);
	return 0;
}

/* Several at once, see WEB_WRITES_MAX. */
static int write_due(struct web_foxglove *f)
{
	int result = 0, written = 0;
	web_hold_back(f->wsi, true);
	do {
		result = f->overflowed || write_piece(f) != 0 ? -1 : 0;
	} while (result == 0 && is_due(f) && ++written < WEB_WRITES_MAX && !lws_send_pipe_choked(f->wsi));
	web_hold_back(f->wsi, false);
	if (result == 0 && is_due(f))
		lws_callback_on_writable(f->wsi);
	return result;
}

void foxglove_wake(struct web *web, int slot)
{
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next) {
		if (f->feed.wants[slot].on)
			lws_callback_on_writable(f->wsi);
	}
}

int foxglove_on_tick(void *ctx)
{
	struct web *web = ctx;
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next) {
		if (cairn_web_feed_ready(&f->feed, web->feed_slots, web->slot_count, cairn_now_ns()))
			lws_callback_on_writable(f->wsi);
	}
	return 0;
}

/* ---- what it asks for ---- */

static void subscribe(struct web_foxglove *f, uint32_t id, uint32_t channel)
{
	struct web *web = web_of(f->wsi);
	int slot = foxglove_slot_of(web, channel);
	char why[96];
	if (slot < 0 || f->feed.wants[slot].on) {
		snprintf(why, sizeof(why), "subscription %u: %s channel %u", id,
		    slot < 0 ? "there is no" : "already subscribed to", channel);
		send_status(f, CAIRN_FOXGLOVE_WARNING, why);
		return;
	}
	hub_use(web, slot);
	f->subscription[slot] = id;
	cairn_web_feed_subscribe(&f->feed, slot, CAIRN_WEB_HZ_MAX, &web->feed_slots[slot]);
	lws_callback_on_writable(f->wsi);
}

static void unsubscribe_slot(struct web_foxglove *f, int slot)
{
	if (!f->feed.wants[slot].on)
		return;
	cairn_web_feed_unsubscribe(&f->feed, slot);
	hub_leave(web_of(f->wsi), slot);
}

static void unsubscribe(struct web_foxglove *f, uint32_t id)
{
	const struct web *web = web_of(f->wsi);
	for (int i = 0; i < web->slot_count; i++) {
		if (f->feed.wants[i].on && f->subscription[i] == id) {
			unsubscribe_slot(f, i);
			return;
		}
	}
	char why[64];
	snprintf(why, sizeof(why), "there is no subscription %u", id);
	send_status(f, CAIRN_FOXGLOVE_WARNING, why);
}

static void send_failure(struct web_foxglove *f, uint32_t service, uint32_t call, const char *text)
{
	struct cairn_text t = {0};
	cairn_foxglove_add_call_failure(&t, service, call, text);
	queue(f, &t, false);
}

/* With the rights that this connection has on the page, and the same measure. */
static void call(struct web_foxglove *f, const struct cairn_foxglove_request *r)
{
	struct web *web = web_of(f->wsi);
	struct web_asker asker = {.conn = f->conn->id, .id = (int64_t)((uint64_t)r->service << 32 | r->call)};
	if (r->service < 1 || r->service > FOXGLOVE_SERVICES) {
		send_failure(f, r->service, r->call, "there is no such service");
		return;
	}
	const char *name = foxglove_services[r->service - 1].name + 1;
	bool takes_reason = cairn_web_order_find(name)->args == CAIRN_ARGS_TEXT;
	orders_give(web, f->conn, &asker, name, takes_reason ? r->args : "");
}

/* ---- the play bar ---- */

/* A refusal is told with where the replay stays, which puts the bar right. */
static void bar_replied(struct web_foxglove *f, uint32_t call, bool ok, const char *text)
{
	if (!ok)
		send_status(f, CAIRN_FOXGLOVE_ERROR, text);
	if (call != f->bar.call)
		return;
	if (ok && !replay_shows(web_of(f->wsi), &f->bar))
		f->bar.patience = BAR_PATIENCE;
	else
		send_replay(f, ok && f->bar.wanted.seek, f->bar.request);
}

void foxglove_tell_replay(struct web *web, bool news, bool did_seek)
{
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next) {
		bool answers = f->bar.patience > 0 && (replay_shows(web, &f->bar) || --f->bar.patience == 0);
		if (answers)
			f->bar.patience = 0;
		if (answers || news)
			send_replay(
			    f, answers ? f->bar.wanted.seek : did_seek, answers ? f->bar.request : "");
	}
}

void foxglove_greet_again(struct web *web)
{
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next)
		introduce(f);
}

void foxglove_replied(struct web *web, const struct web_asker *asker, bool ok, const char *text)
{
	uint32_t service = (uint32_t)((uint64_t)asker->id >> 32), call = (uint32_t)asker->id;
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next) {
		if (f->conn->id != asker->conn)
			continue;
		if (service == REPLAY_BAR_SERVICE) {
			bar_replied(f, call, ok, text);
			continue;
		}
		struct cairn_text t = {0};
		if (!ok) {
			send_failure(f, service, call, text);
			continue;
		}
		cairn_foxglove_add_call_response(&t, service, call, text);
		queue(f, &t, true);
	}
}

static void send_graph(struct web_foxglove *f)
{
	struct cairn_text t = {0};
	foxglove_add_graph(web_of(f->wsi), &t);
	queue(f, &t, false);
}

static void obey(struct web_foxglove *f, const struct cairn_foxglove_request *r)
{
	switch (r->op) {
	case CAIRN_FOXGLOVE_SUBSCRIBE:
		for (int i = 0; i < r->count; i++)
			subscribe(f, r->items[i].id, r->items[i].channel);
		break;
	case CAIRN_FOXGLOVE_UNSUBSCRIBE:
		for (int i = 0; i < r->count; i++)
			unsubscribe(f, r->items[i].id);
		break;
	case CAIRN_FOXGLOVE_CALL:
		call(f, r);
		break;
	case CAIRN_FOXGLOVE_BAD_CALL:
		cairn_stage_count_reject(web_of(f->wsi)->stage);
		send_failure(f, r->service, r->call, r->args);
		break;
	case CAIRN_FOXGLOVE_GRAPH:
		if (r->on)
			send_graph(f);
		break;
	case CAIRN_FOXGLOVE_PLAYBACK:
		if (!replay_steer(web_of(f->wsi), f->conn, &f->bar, r))
			send_status(f, CAIRN_FOXGLOVE_ERROR, "no recording is being replayed");
		break;
	}
}

static void refuse(struct web_foxglove *f, const char *why)
{
	char text[320];
	cairn_stage_count_reject(web_of(f->wsi)->stage);
	snprintf(text, sizeof(text), "%s", why);
	cairn_text_plain(text);
	send_status(f, CAIRN_FOXGLOVE_ERROR, text);
}

static int receive(struct web_foxglove *f, const char *data, size_t bytes)
{
	struct cairn_foxglove_request request = {.count = 0};
	struct cairn_error why = {""};
	bool binary = lws_frame_is_binary(f->wsi);
	int whole = web_gather(f->wsi, &f->gather, data, bytes, &data, &bytes);
	if (whole < 0)
		cairn_stage_count_reject(web_of(f->wsi)->stage);
	if (whole <= 0)
		return whole;
	bool in_measure =
	    cairn_token_bucket_take(&f->requests, WEB_REQUESTS_PER_S, WEB_REQUESTS_BURST_S, cairn_now_ns());
	if (!in_measure && !(binary && cairn_foxglove_is_call(data, bytes)))
		refuse(f, "more than 50 requests a second: this one was dropped");
	else if (binary ? cairn_foxglove_parse_binary(data, bytes, &request, &why)
			: cairn_foxglove_parse_text(data, bytes, &request, &why))
		obey(f, &request);
	else
		refuse(f, why.text);
	return f->overflowed ? -1 : 0;
}

/* ---- coming and going ---- */

static void enter(struct web_foxglove *f, struct lws *wsi)
{
	struct web *web = web_of(wsi);
	f->wsi = wsi;
	f->conn = lws_get_opaque_user_data(wsi);
	f->next = web->foxgloves;
	web->foxgloves = f;
	greet(f);
	cairn_log_debug("Foxglove client from %s", f->conn->peer);
}

static void leave(struct web_foxglove *f)
{
	if (f->wsi == NULL)
		return;
	struct web *web = web_of(f->wsi);
	struct web_foxglove **place = &web->foxgloves;
	while (*place != NULL && *place != f)
		place = &(*place)->next;
	if (*place == f)
		*place = f->next;
	for (int i = 0; i < web->slot_count; i++)
		unsubscribe_slot(f, i);
	for (int i = 0; i < f->control_count; i++)
		web_blob_drop(&f->control[i].blob);
	web_blob_drop(&f->out);
	web_gather_free(&f->gather);
	f->wsi = NULL;
	if (web->foxgloves == NULL)
		(void)malloc_trim(0); /* raw pictures were kept for it */
}

void foxglove_judge(struct web *web)
{
	for (struct web_foxglove *f = web->foxgloves; f != NULL; f = f->next) {
		f->conn->who = cairn_web_identify(&web->tokens, f->conn->token, f->conn->here);
		if (!cairn_rights_allow(f->conn->who.rights, CAIRN_RIGHT_WATCH))
			lws_set_timeout(f->wsi, PENDING_TIMEOUT_KILLED_BY_PARENT, LWS_TO_KILL_ASYNC);
	}
}

int foxglove_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len)
{
	struct web_foxglove *f = user;
	switch (reason) {
	case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
		return lws_get_opaque_user_data(wsi) != NULL ? 0 : -1;
	case LWS_CALLBACK_ESTABLISHED:
		enter(f, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
		return receive(f, in, len);
	case LWS_CALLBACK_SERVER_WRITEABLE:
		return write_due(f);
	case LWS_CALLBACK_CLOSED:
		leave(f);
		return 0;
	default:
		return lws_callback_http_dummy(wsi, reason, user, in, len);
	}
}
