/* orders.c - commands of viewers to the stages, by the way that `cairn` takes, and the answers back.
 *
 * A stop needs no token from this machine. `stop` that the sequencer does not answer in time becomes an emergency stop, as with
 * `cairn stop`. */
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/web/web.h"

#define ANSWER_NS (2 * CAIRN_NS_PER_S)
#define STOP_ANSWER_NS                                                                                       \
	(CAIRN_NS_PER_S / 2) /* a person who says stop does not wait for a stage that is away */
#define BURST_S 2.0
#define CALLS_PER_S 10.0 /* of an agent, stops not counted */

static bool is_stop(const struct cairn_command_row *row)
{
	return strcmp(row->verb, "stop") == 0;
}

/* Refusals stand beside the commands that were done. */
static void tell_refused(struct web *web, const struct web_conn *conn, bool mcp,
    const struct cairn_command_row *row, const struct cairn_msg_command *cmd, const char *why)
{
	struct cairn_msg_commanded done = {.ok = false};
	snprintf(done.service, sizeof(done.service), "%s", cairn_services[row->service].name);
	snprintf(done.verb, sizeof(done.verb), "%s", row->verb);
	snprintf(done.arg, sizeof(done.arg), "%.95s", cmd->arg);
	snprintf(done.who, sizeof(done.who), "%s%.40s%s%.50s",
	    conn->who.name[0] != '\0' ? "key web/"
	    : mcp                     ? "mcp "
				      : "web ",
	    conn->who.name, conn->who.name[0] != '\0' ? ": " : "", conn->peer);
	snprintf(done.text, sizeof(done.text), "%.159s", why);
	cairn_stage_commanded(web->stage, &done);
}

/* The measure of one token, or of one address without a token. The one that was unused for longest makes room. */
static struct web_limit *limit_of(struct web *web, const struct web_conn *conn, int64_t now_ns)
{
	const char *who = conn->who.name[0] != '\0' ? conn->who.name : conn->peer;
	struct web_limit *oldest = &web->limits[0];
	for (int i = 0; i < WEB_ASKERS_MAX; i++) {
		struct web_limit *l = &web->limits[i];
		if (strcmp(l->who, who) == 0) {
			l->used_ns = now_ns;
			return l;
		}
		if (l->used_ns < oldest->used_ns)
			oldest = l;
	}
	*oldest = (struct web_limit){.used_ns = now_ns};
	snprintf(oldest->who, sizeof(oldest->who), "%s", who);
	return oldest;
}

/* Stops have a measure apart from the rest, and emergency stops one apart from stops: a program that floods this address with
 * one of them takes nothing from the next. */
static bool in_measure(struct web *web, const struct web_conn *conn, const struct cairn_command_row *row)
{
	int64_t now_ns = cairn_now_ns();
	struct web_limit *l = limit_of(web, conn, now_ns);
	struct cairn_token_bucket *measure = !is_stop(row) ? &l->orders
					     : row == &cairn_commands[CAIRN_COMMAND_MOTOR_STOP]
						 ? &l->emergency_stops
						 : &l->stops;
	return cairn_token_bucket_take(measure, web->cfg->web.commands_per_s, BURST_S, now_ns);
}

bool orders_call_allowed(struct web *web, const struct web_conn *conn)
{
	int64_t now_ns = cairn_now_ns();
	return cairn_token_bucket_take(&limit_of(web, conn, now_ns)->calls, CALLS_PER_S, BURST_S, now_ns);
}

static bool send_order(struct web *web, struct web_waiting *w, int64_t patience_ns)
{
	int64_t now_ns = cairn_now_ns();
	w->tag = ++web->last_tag;
	w->due_ns = now_ns + patience_ns;
	w->cmd.expires_ns = w->due_ns;
	web->stage_due = true;
	return cairn_client_send(web->clients[w->row->service], w->tag, &w->cmd) == 0;
}

void web_replied(struct web *web, const struct web_asker *asker, enum web_verdict verdict, const char *text)
{
	if (asker->http) {
		http_replied(web, asker, verdict, text);
	} else {
		viewer_replied(web, asker, verdict == WEB_DONE, text);
		foxglove_replied(web, asker, verdict == WEB_DONE, text);
	}
}

static void end(struct web *web, struct web_waiting *w, enum web_verdict verdict, const char *text)
{
	struct web_asker asker = w->asker;
	w->tag = 0;
	web_replied(web, &asker, verdict, text);
}

/* A stage is away: of a stop the motor stage takes over, the rest is told. */
static void unanswered(struct web *web, struct web_waiting *w)
{
	const struct cairn_command_row *last_resort = &cairn_commands[CAIRN_COMMAND_MOTOR_STOP];
	char why[160];
	if (is_stop(w->row) && w->row != last_resort) {
		w->row = last_resort;
		snprintf(w->cmd.arg, sizeof(w->cmd.arg), "asked to stop, and the sequencer does not answer");
		if (send_order(web, w, STOP_ANSWER_NS))
			return;
	}
	snprintf(why, sizeof(why), "stage '%s' does not answer", cairn_services[w->row->service].stage);
	end(web, w, WEB_REFUSED, why);
}

static void pass_on(struct web *web, const struct web_asker *asker, const struct cairn_command_row *row,
    const struct cairn_msg_command *cmd)
{
	struct web_waiting *w = NULL;
	for (int i = 0; i < WEB_WAITING_MAX && w == NULL; i++) {
		if (web->waiting[i].tag == 0)
			w = &web->waiting[i];
	}
	if (w == NULL && is_stop(row)) /* never for want of room: it takes that of the oldest that is none */
		for (int i = 0; i < WEB_WAITING_MAX; i++) {
			struct web_waiting *old = &web->waiting[i];
			if (!is_stop(old->row) && (w == NULL || old->tag < w->tag))
				w = old;
		}
	if (w == NULL) {
		web_replied(web, asker, WEB_FLOOD, "too many commands are under way");
		return;
	}
	if (w->tag != 0)
		end(web, w, WEB_REFUSED, "a stop has taken its place: not known whether it was done");
	*w = (struct web_waiting){.asker = *asker, .row = row, .cmd = *cmd};
	if (!send_order(web, w, is_stop(row) ? STOP_ANSWER_NS : ANSWER_NS))
		unanswered(web, w);
}

/* understood false: why tells what is wrong with it. */
static void judge(struct web *web, const struct web_conn *conn, const struct web_asker *asker,
    const struct cairn_command_row *row, struct cairn_msg_command *cmd, bool understood, const char *why)
{
	char text[256], rights[64];
	if (!in_measure(web, conn, row)) {
		snprintf(text, sizeof(text), "more than %g commands a second (web.commands_per_s)",
		    web->cfg->web.commands_per_s);
		cairn_stage_count_reject(web->stage);
		web_replied(web, asker, WEB_FLOOD, text);
		return;
	}
	bool may = cairn_rights_allow(conn->who.rights, row->right);
	if (!may || !understood) {
		if (!may)
			snprintf(text, sizeof(text),
			    "needs the right to %s; %s%s has: %s. 'cairn web-key NAME --rights %s' on the "
			    "robot gives it",
			    cairn_enum_text(&cairn_enum_right, (int)row->right),
			    conn->who.name[0] != '\0' ? "token "
			    : conn->token[0] != '\0'  ? "who shows a token that is not known (yet)"
						      : "who shows no token",
			    conn->who.name, cairn_rights_text(conn->who.rights, rights, sizeof(rights)),
			    cairn_enum_text(&cairn_enum_right, (int)row->right));
		else
			snprintf(text, sizeof(text), "%.250s", why);
		cairn_stage_count_reject(web->stage);
		if (!may)
			tell_refused(web, conn, asker->mcp, row, cmd, text);
		web_replied(web, asker, may ? WEB_REFUSED : WEB_FORBIDDEN, text);
		return;
	}
	/* As the remote stage names its keys; user and process of this stage stand behind it (ipc/service.c). */
	snprintf(cmd->who, sizeof(cmd->who), "%s %.60s", asker->mcp ? "mcp" : "web", conn->peer);
	if (conn->who.name[0] != '\0')
		snprintf(cmd->key, sizeof(cmd->key), "web/%.27s", conn->who.name);
	pass_on(web, asker, row, cmd);
}

void orders_give_command(struct web *web, const struct web_conn *conn, const struct web_asker *asker,
    const struct cairn_command_row *row, const struct cairn_msg_command *cmd)
{
	struct cairn_msg_command copy = *cmd;
	judge(web, conn, asker, row, &copy, true, "");
}

void orders_give(struct web *web, const struct web_conn *conn, const struct web_asker *asker,
    const char *name, const char *args)
{
	const struct cairn_command_row *row = cairn_web_order_find(name);
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_error why = {""};
	char text[256];
	if (row == NULL) {
		snprintf(text, sizeof(text), "there is no command '%.40s'", name);
		cairn_text_plain(text);
		cairn_stage_count_reject(web->stage);
		web_replied(web, asker, WEB_UNKNOWN, text);
		return;
	}
	bool understood = cairn_web_order_parse(row, args, &cmd, &why);
	judge(web, conn, asker, row, &cmd, understood, why.text);
}

static int on_answer(void *ctx)
{
	struct web *web = ctx;
	struct cairn_msg_reply reply;
	uint64_t tag;
	for (int s = 0; s < CAIRN_SERVICE_COUNT; s++) {
		while (cairn_client_recv(web->clients[s], &tag, &reply) == 1) {
			for (int i = 0; tag != 0 && i < WEB_WAITING_MAX; i++) {
				if (web->waiting[i].tag != tag)
					continue;
				const char *text = reply.text[0] != '\0' ? reply.text
						   : reply.ok            ? "done"
									 : "refused";
				end(web, &web->waiting[i], reply.ok ? WEB_DONE : WEB_REFUSED, text);
			}
		}
	}
	return 0;
}

int orders_on_tick(void *ctx)
{
	struct web *web = ctx;
	for (int i = 0; i < WEB_WAITING_MAX; i++) {
		if (web->waiting[i].tag != 0 && cairn_now_ns() >= web->waiting[i].due_ns)
			unanswered(web, &web->waiting[i]);
	}
	return 0;
}

bool orders_open(struct web *web, struct cairn_error *err)
{
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		web->clients[i] = cairn_client_new(cairn_stage_bus(web->stage), (enum cairn_service)i, err);
		if (web->clients[i] == NULL)
			return false;
		cairn_stage_watch_socket(web->stage, cairn_client_socket(web->clients[i]), on_answer, web);
	}
	cairn_stage_tell_commands(web->stage);
	return true;
}
