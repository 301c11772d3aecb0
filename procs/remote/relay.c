/* relay.c - commands from outside to the stages, answers back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/remote/remote.h"

#define REQUESTS_MAX 32 /* in one go */
#define REQUEST_BYTES 8192
#define ANSWER_NS (2 * CAIRN_NS_PER_S)
#define PARTS 3 /* connection, service, command */

struct request {
	const char *public_key; /* that the connection was let in with */
	const char *name;       /* of this key on the list now */
	const void *peer;
	size_t peer_bytes;
	char service[24];
	struct cairn_msg_command cmd;
};

/* rest: behind the reply, or NULL. */
static void answer_with(struct remote *r, const void *peer, size_t peer_bytes,
    const struct cairn_msg_reply *reply, const void *rest, size_t rest_bytes)
{
	char buf[1024];
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, cairn_now_ns(), true};
	int n = cairn_msg_encode(&cairn_desc_reply, "reply", &hdr, reply, buf, sizeof(buf));
	if (n > 0 && zmq_send(r->commands, peer, peer_bytes, ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0)
		(void)zmq_send(r->commands, buf, (size_t)n, ZMQ_DONTWAIT | (rest != NULL ? ZMQ_SNDMORE : 0));
	if (n > 0 && rest != NULL)
		(void)zmq_send(r->commands, rest, rest_bytes, ZMQ_DONTWAIT);
}

static void answer(struct remote *r, const void *peer, size_t peer_bytes, const struct cairn_msg_reply *reply)
{
	answer_with(r, peer, peer_bytes, reply, NULL, 0);
}

static int service_of(const char *name)
{
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		if (strcmp(cairn_services[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* Refusals stand beside the commands that were done. */
static void refuse(struct remote *r, const struct request *q, const char *why, bool tell)
{
	struct cairn_msg_reply reply = {.ok = false};
	struct cairn_msg_commanded done = {.ok = false};
	snprintf(reply.text, sizeof(reply.text), "%.255s", why);
	answer(r, q->peer, q->peer_bytes, &reply);
	cairn_stage_count_reject(r->stage);
	if (!tell)
		return;
	snprintf(done.service, sizeof(done.service), "%.23s", q->service);
	snprintf(done.verb, sizeof(done.verb), "%s", q->cmd.verb);
	snprintf(done.arg, sizeof(done.arg), "%.95s", q->cmd.arg);
	snprintf(done.who, sizeof(done.who), "key %s: %.50s", q->name, q->cmd.who);
	snprintf(done.text, sizeof(done.text), "%.159s", why);
	cairn_stage_commanded(r->stage, &done);
}

static struct remote_pending *free_place(struct remote *r)
{
	for (int i = 0; i < REMOTE_PENDING_MAX; i++) {
		if (r->pending[i].tag == 0)
			return &r->pending[i];
	}
	return NULL;
}

static void pass_on(struct remote *r, struct request *q, int service)
{
	struct remote_pending *p = free_place(r);
	char why[128];
	if (p == NULL || q->peer_bytes > sizeof(p->peer)) {
		refuse(r, q, "too many commands are under way", true);
		return;
	}
	snprintf(q->cmd.key, sizeof(q->cmd.key), "%s", q->name);
	if (cairn_client_send(r->clients[service], r->last_tag + 1, &q->cmd) != 0) {
		snprintf(why, sizeof(why), "stage '%s' does not answer", cairn_services[service].stage);
		refuse(r, q, why, true);
		return;
	}
	p->tag = ++r->last_tag;
	p->due_ns = cairn_now_ns() + ANSWER_NS;
	memcpy(p->peer, q->peer, q->peer_bytes);
	p->peer_bytes = q->peer_bytes;
}

static void greet(struct remote *r, const struct request *q)
{
	char rights[64];
	const struct cairn_allow_row *row = cairn_allow_by_key(&r->allow, q->public_key);
	struct cairn_msg_reply reply = {.ok = row != NULL};
	if (row == NULL)
		snprintf(reply.text, sizeof(reply.text), "the key is not on the list any more");
	else
		snprintf(reply.text, sizeof(reply.text), "%s: %s", q->name,
		    r->allow.stops_only ? "stops only, as the list of keys cannot be read"
					: cairn_rights_text(row->rights, rights, sizeof(rights)));
	answer(r, q->peer, q->peer_bytes, &reply);
}

/* The reply's text: "SIZE NUMBER WRITTEN", or why not, an errno in front of it. */
static void give_piece(struct remote *r, const struct request *q)
{
	struct cairn_remote_piece got = {0};
	struct cairn_msg_reply reply = {.ok = false};
	struct cairn_error why = {""};
	double at = q->cmd.x_m;
	int status = -EACCES;
	switch (cairn_remote_judge_piece(&r->gate, q->public_key, cairn_now_ns(), &why)) {
	case CAIRN_REMOTE_WAIT:
		snprintf(reply.text, sizeof(reply.text), "wait");
		answer(r, q->peer, q->peer_bytes, &reply);
		return;
	case CAIRN_REMOTE_PASSED:
		status = cairn_remote_file_read(cairn_stage_run_dir(r->stage), q->cmd.arg,
		    at >= 0.0 && at < 9e15 ? (uint64_t)at : UINT64_MAX, r->piece, &got, &why);
		break;
	default:
		break;
	}
	if (status == -EACCES)
		remote_refused(r, q->name, why.text);
	reply.ok = status == 0;
	if (status == 0)
		snprintf(reply.text, sizeof(reply.text), "%llu %llu %.3f", (unsigned long long)got.size,
		    (unsigned long long)got.file, got.written_unix_s);
	else
		snprintf(reply.text, sizeof(reply.text), "%d %.240s", -status, why.text);
	answer_with(r, q->peer, q->peer_bytes, &reply, status == 0 ? r->piece : NULL, got.bytes);
}

static void judge(struct remote *r, struct request *q)
{
	struct cairn_error why = {""};
	int service = service_of(q->service);
	switch (cairn_remote_judge(&r->gate, q->public_key, service, &q->cmd, cairn_now_ns(), &why)) {
	case CAIRN_REMOTE_PASSED:
		pass_on(r, q, service);
		break;
	case CAIRN_REMOTE_REFUSED:
		refuse(r, q, why.text, true);
		break;
	case CAIRN_REMOTE_FLOOD:
	case CAIRN_REMOTE_WAIT:
		refuse(r, q, why.text, false);
		remote_refused(r, q->name, why.text);
		break;
	}
}

static void take(struct remote *r, zmq_msg_t *parts)
{
	struct request q = {.peer = zmq_msg_data(&parts[0]), .peer_bytes = zmq_msg_size(&parts[0])};
	struct cairn_header hdr;
	struct cairn_error err = {""};
	q.public_key = zmq_msg_gets(&parts[2], "User-Id");
	q.public_key = q.public_key != NULL ? q.public_key : ""; /* judged by the list: nobody */
	const struct cairn_allow_row *row = cairn_allow_by_key(&r->allow, q.public_key);
	q.name = row != NULL ? row->name : "(not on the list)";
	snprintf(q.service, sizeof(q.service), "%.*s", (int)zmq_msg_size(&parts[1]),
	    (const char *)zmq_msg_data(&parts[1]));
	cairn_text_plain(q.service);
	if (cairn_msg_decode(&cairn_desc_command, zmq_msg_data(&parts[2]), zmq_msg_size(&parts[2]), &hdr,
		&q.cmd, &err) != 0) {
		q.cmd = (struct cairn_msg_command){.limit_s = 0.0};
		refuse(r, &q, err.text, false);
		remote_refused(r, q.name, err.text);
	} else if (q.service[0] == '\0') {
		greet(r, &q);
	} else if (strcmp(q.service, CAIRN_REMOTE_FILES) == 0) {
		give_piece(r, &q);
	} else {
		judge(r, &q);
	}
}

int relay_on_request(void *ctx)
{
	struct remote *r = ctx;
	for (int k = 0; k < REQUESTS_MAX; k++) {
		zmq_msg_t parts[PARTS];
		int n = 0;
		bool more = true;
		while (more) {
			zmq_msg_t spare, *part = n < PARTS ? &parts[n] : &spare;
			zmq_msg_init(part);
			if (zmq_msg_recv(part, r->commands, ZMQ_DONTWAIT) < 0) {
				zmq_msg_close(part);
				break;
			}
			more = zmq_msg_more(part) != 0;
			if (n++ >= PARTS)
				zmq_msg_close(&spare);
		}
		if (n == 0)
			return 0;
		if (n == PARTS)
			take(r, parts);
		else
			remote_refused(r, "", "not a request");
		for (int i = 0; i < n && i < PARTS; i++)
			zmq_msg_close(&parts[i]);
	}
	return 0;
}

static int on_answer(void *ctx)
{
	struct remote *r = ctx;
	struct cairn_msg_reply reply;
	uint64_t tag;
	for (int s = 0; s < CAIRN_SERVICE_COUNT; s++) {
		while (cairn_client_recv(r->clients[s], &tag, &reply) == 1) {
			for (int i = 0; tag != 0 && i < REMOTE_PENDING_MAX; i++) {
				struct remote_pending *p = &r->pending[i];
				if (p->tag != tag)
					continue;
				answer(r, p->peer, p->peer_bytes, &reply);
				p->tag = 0;
			}
		}
	}
	return 0;
}

/* A port that somebody else has, or an address that is not there yet, is told and tried on: to die of it would need a person
 * afterwards. */
static void listen_for_commands(struct remote *r)
{
	struct cairn_error err = {""};
	r->commands =
	    remote_bind(r, ZMQ_ROUTER, CAIRN_ZAP_COMMAND, r->cfg->remote.endpoint, REQUEST_BYTES, &err);
	cairn_stage_tried(r->stage, "listen for commands", r->commands != NULL ? NULL : err.text);
	if (r->commands == NULL)
		return;
	cairn_log_info("listens at %s", r->cfg->remote.endpoint);
	cairn_stage_watch_socket(r->stage, r->commands, relay_on_request, r);
}

int relay_on_tick(void *ctx)
{
	struct remote *r = ctx;
	if (r->commands == NULL)
		listen_for_commands(r);
	struct cairn_msg_reply reply = {.ok = false, .text = "the stage does not answer"};
	for (int i = 0; i < REMOTE_PENDING_MAX; i++) {
		struct remote_pending *p = &r->pending[i];
		if (p->tag == 0 || cairn_now_ns() < p->due_ns)
			continue;
		answer(r, p->peer, p->peer_bytes, &reply);
		p->tag = 0;
	}
	return 0;
}

bool relay_open(struct remote *r, struct cairn_error *err)
{
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		r->clients[i] = cairn_client_new(cairn_stage_bus(r->stage), (enum cairn_service)i, err);
		if (r->clients[i] == NULL)
			return false;
		cairn_stage_watch_socket(r->stage, cairn_client_socket(r->clients[i]), on_answer, r);
	}
	listen_for_commands(r);
	return true;
}
