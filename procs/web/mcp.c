/* mcp.c - agents: the Model Context Protocol as POST /mcp (common/mcp has what is said, this file what is done).
 *
 * Each request stands alone: no sessions, no streams. A call that moves the robot is a command as from the page, with the same
 * rights, measure and log entry. What an agent waits for ends with its connection; what the robot does goes on, as with a person
 * who gives a command and leaves. */
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/mcp/exchange.h"
#include "procs/web/mcp.h"

#define TOPICS_NS (3 * CAIRN_NS_PER_S / 2) /* until a topic must have been heard */
#define WAITS_MAX 8                        /* agents that wait for the robot, all in all */
#define WAIT_S 20.0
#define SEND_S 45 /* a wait, and its answer */

#define NO_PICTURE WEB_PICTURES

/* What one item of a message waits for. */
struct job {
	unsigned topics; /* used, a bit each */
	enum web_picture picture;
	uint64_t picture_number; /* seen already */
	bool ordered;            /* a command is with its stage */
	bool waits;              /* for the robot */
	bool judged;             /* what it was at when the wait began is known: */
	enum cairn_mission_state state;
	int64_t begin_ns, due_ns;
};

struct web_mcp {
	char version[24], method[48], name[128];
	bool has_version, has_method, has_name;
	bool begun; /* all items: from now on the answer may go out */
	struct cairn_mcp *exchange;
	struct job jobs[CAIRN_MCP_BATCH_MAX];
};

/* ---- the request ---- */

static bool copy_header(struct lws *wsi, const char *name, char *buf, size_t bytes)
{
	int n = lws_hdr_custom_length(wsi, name, (int)strlen(name));
	if (n < 0)
		return false;
	if (lws_hdr_custom_copy(wsi, buf, (int)bytes, name, (int)strlen(name)) < 0)
		snprintf(buf, bytes, "?"); /* too long for what it may be: matches nothing */
	char *end = buf + strlen(buf);
	while (end > buf && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	memmove(buf, buf + strspn(buf, " \t"), strlen(buf + strspn(buf, " \t")) + 1);
	return true;
}

bool mcp_headers(struct web_http *h, struct lws *wsi)
{
	struct web_mcp *m = calloc(1, sizeof(*m));
	h->mcp = m;
	if (m == NULL)
		return false;
	m->has_version = copy_header(wsi, "mcp-protocol-version:", m->version, sizeof(m->version));
	m->has_method = copy_header(wsi, "mcp-method:", m->method, sizeof(m->method));
	m->has_name = copy_header(wsi, "mcp-name:", m->name, sizeof(m->name));
	return true;
}

static void use_topics(struct web *web, struct job *job, unsigned topics)
{
	for (int i = 0; i < MCP_TOPICS; i++)
		if ((topics & MCP_BIT(i)) != 0)
			hub_use(web, hub_slot(web, mcp_topic_names[i]));
	job->topics = topics;
}

static void use_picture(struct web *web, struct job *job, enum web_picture which)
{
	const struct web_picture_now *now = &web->pictures[which];
	bool fresh = now->number > 0 && cairn_now_ns() - now->arrived_ns < CAIRN_NS_PER_S;
	job->picture = which;
	job->picture_number = fresh ? now->number - 1 : now->number;
	pictures_use(web, which);
}

static void let_go(struct web *web, struct job *job)
{
	for (int i = 0; i < MCP_TOPICS; i++)
		if ((job->topics & MCP_BIT(i)) != 0)
			hub_leave(web, hub_slot(web, mcp_topic_names[i]));
	if (job->picture != NO_PICTURE)
		pictures_leave(web, job->picture);
	web->mcp_waits -= job->waits;
	*job = (struct job){.picture = NO_PICTURE};
}

void mcp_release(struct web_http *h)
{
	if (h->mcp == NULL)
		return;
	for (int i = 0; h->mcp->exchange != NULL && i < cairn_mcp_count(h->mcp->exchange); i++)
		let_go(http_web(h), &h->mcp->jobs[i]);
	cairn_mcp_close(&h->mcp->exchange);
	free(h->mcp);
	h->mcp = NULL;
}

/* ---- what is waited for ---- */

static bool topics_there(struct web *web, const struct job *job)
{
	for (int i = 0; i < MCP_TOPICS; i++)
		if ((job->topics & MCP_BIT(i)) != 0 && mcp_newest(web, i) == NULL)
			return false;
	return true;
}

/* The robot is done with what it was at, or cannot go on with it. NULL: not yet. */
static const char *over(struct web *web, struct job *job)
{
	const struct cairn_msg_mission *mission = mcp_newest(web, MCP_MISSION);
	const struct cairn_msg_motion *motion = mcp_newest(web, MCP_MOTION);
	int slot = hub_slot(web, mcp_topic_names[MCP_MISSION]);
	if (mission == NULL || web->slots[slot].hdr.t_ns < job->begin_ns)
		return NULL; /* what was said before the wait may be from before the command */
	if (motion != NULL && motion->state == CAIRN_MOTOR_STATE_ESTOP)
		return "the emergency stop holds the wheels until a person releases it";
	if (mission->state == CAIRN_MISSION_STATE_IDLE || mission->state == CAIRN_MISSION_STATE_FINISHED ||
	    mission->state == CAIRN_MISSION_STATE_PAUSED)
		return "the robot stands";
	if (!job->judged) {
		job->judged = true;
		job->state = mission->state;
	}
	return mission->state != job->state ? "the robot is at something else now" : NULL;
}

static json_t *wait_result(struct web *web, const char *why)
{
	struct cairn_text t = {0};
	cairn_text_addf(&t, "{\"done\":%s,\"why\":\"%s\",\"now\":", why != NULL ? "true" : "false",
	    why != NULL ? why : "the time is up, and the robot is still at it");
	mcp_add_topics(web, &t, MCP_BIT(MCP_MISSION) | MCP_BIT(MCP_MOTION) | MCP_BIT(MCP_POSE));
	cairn_text_add(&t, "}");
	return mcp_result_of(&t);
}

/* A picture that is new, or lasting and there. 1; 0: later; -1: there is none. */
static int picture_there(const struct job *job, const struct web_picture_now *now)
{
	int64_t now_ns = cairn_now_ns();
	bool any = now->blob != NULL || now->text != NULL;
	if (any && (now->number > job->picture_number ||
		       (job->picture == WEB_SNAPSHOT && now_ns >= job->due_ns - HTTP_WAIT_NS / 2)))
		return 1;
	return now_ns >= job->due_ns ? -1 : 0;
}

static void look_at_picture(struct web *web, struct web_mcp *m, int item, struct job *job)
{
	const struct web_picture_now *now = &web->pictures[job->picture];
	int there = picture_there(job, now);
	if (there < 0)
		cairn_mcp_finish(m->exchange, item,
		    mcp_failed(
			job->picture == WEB_SNAPSHOT
			    ? "no decision was due yet, so there is no snapshot; take look with live: true"
			    : "no picture came: the stage that makes it, or the data plane, does not "
			      "work; see "
			      "status"));
	else if (there > 0 && job->picture != WEB_MAP_DRAWN)
		cairn_mcp_finish(m->exchange, item, mcp_look_result(job->picture == WEB_CAMERA, now));
	else if (there > 0 && (topics_there(web, job) || cairn_now_ns() >= job->due_ns))
		cairn_mcp_finish(m->exchange, item, mcp_map_result(web, now));
}

static void look_at_tool(struct web *web, struct web_mcp *m, int item, struct job *job)
{
	const struct cairn_mcp_call *call = cairn_mcp_call_of(m->exchange, item);
	bool late = cairn_now_ns() >= job->due_ns;
	if (job->ordered)
		return; /* mcp_replied ends it */
	if (job->picture != NO_PICTURE) {
		look_at_picture(web, m, item, job);
	} else if (call->tool == CAIRN_MCP_WAIT) {
		const char *why = over(web, job);
		if (why != NULL || late)
			cairn_mcp_finish(m->exchange, item, wait_result(web, why));
	} else if (late || topics_there(web, job)) {
		struct cairn_text t = {0};
		mcp_add_topics(web, &t, MCP_STATUS_BITS);
		cairn_mcp_finish(m->exchange, item, mcp_result_of(&t));
	}
}

static void look_at_resource(struct web *web, struct web_mcp *m, int item, struct job *job)
{
	enum cairn_mcp_resource resource = cairn_mcp_resource_of(m->exchange, item);
	bool late = cairn_now_ns() >= job->due_ns;
	if (job->picture == NO_PICTURE) {
		struct cairn_text t = {0};
		if (!late && !topics_there(web, job))
			return;
		mcp_add_topics(web, &t, MCP_STATUS_BITS);
		cairn_mcp_finish(m->exchange, item, cairn_mcp_contents_text(resource, t.data, t.len));
		cairn_text_free(&t);
		return;
	}
	const struct web_picture_now *now = &web->pictures[job->picture];
	int there = picture_there(job, now);
	const struct web_blob *blob = resource == CAIRN_MCP_SNAPSHOT_TXT ? now->text : now->blob;
	if (there > 0 && blob != NULL)
		cairn_mcp_finish(m->exchange, item,
		    resource == CAIRN_MCP_SNAPSHOT_TXT
			? cairn_mcp_contents_text(resource, blob->data, blob->bytes)
			: cairn_mcp_contents_blob(resource, blob->data, blob->bytes));
	else if (there != 0)
		cairn_mcp_fail(m->exchange, item, CAIRN_MCP_INTERNAL_ERROR, "nothing like that is there now");
}

/* ---- beginning ---- */

static void begin_wait(struct web *web, struct web_mcp *m, int item, struct job *job)
{
	if (web->mcp_waits >= WAITS_MAX) {
		cairn_mcp_finish(m->exchange, item, mcp_failed("too many wait already: try again later"));
		return;
	}
	web->mcp_waits++;
	job->waits = true;
	double seconds =
	    cairn_mcp_number(cairn_mcp_call_of(m->exchange, item), CAIRN_MCP_WAIT_SECONDS, WAIT_S);
	job->due_ns = job->begin_ns + (int64_t)(seconds * 1e9);
	use_topics(web, job, MCP_BIT(MCP_MISSION) | MCP_BIT(MCP_MOTION) | MCP_BIT(MCP_POSE));
}

static void begin_tool(struct web_http *h, const struct web_conn *conn, int item, struct job *job)
{
	struct web *web = http_web(h);
	struct web_mcp *m = h->mcp;
	const struct cairn_mcp_call *call = cairn_mcp_call_of(m->exchange, item);
	struct cairn_msg_command cmd;
	const struct cairn_command_row *row = cairn_mcp_order(call, &cmd);
	if (row != NULL) {
		struct web_asker asker = {.conn = conn->id, .http = true, .mcp = true, .id = item};
		job->ordered = true;
		orders_give_command(web, conn, &asker, row, &cmd);
		return;
	}
	switch (call->tool) {
	case CAIRN_MCP_LOOK:
		use_picture(web, job,
		    cairn_mcp_number(call, CAIRN_MCP_LOOK_LIVE, 0.0) > 0.0 ? WEB_CAMERA : WEB_SNAPSHOT);
		break;
	case CAIRN_MCP_MAP:
		use_picture(web, job, WEB_MAP_DRAWN);
		use_topics(web, job, MCP_BIT(MCP_POSE) | MCP_BIT(MCP_FRONTIERS));
		break;
	case CAIRN_MCP_DISCOVERIES:
		cairn_mcp_finish(m->exchange, item, mcp_discoveries_result(web));
		break;
	case CAIRN_MCP_DECISIONS:
		cairn_mcp_finish(m->exchange, item,
		    mcp_decisions_result(web, cairn_mcp_number(call, CAIRN_MCP_DECISIONS_LAST, 0.0)));
		break;
	case CAIRN_MCP_WAIT:
		begin_wait(web, m, item, job);
		break;
	default:
		job->due_ns = job->begin_ns + TOPICS_NS;
		use_topics(web, job, MCP_STATUS_BITS);
		break;
	}
}

static void begin_resource(struct web *web, struct web_mcp *m, int item, struct job *job)
{
	struct cairn_text t = {0};
	struct cairn_error err = {""};
	switch (cairn_mcp_resource_of(m->exchange, item)) {
	case CAIRN_MCP_SNAPSHOT_JPG:
	case CAIRN_MCP_SNAPSHOT_TXT:
		use_picture(web, job, WEB_SNAPSHOT);
		break;
	case CAIRN_MCP_MAP_PNG:
		use_picture(web, job, WEB_MAP_DRAWN);
		break;
	case CAIRN_MCP_DISCOVERIES_JSON:
		if (answers_add_discoveries(web, &t, &err))
			cairn_mcp_finish(m->exchange, item,
			    cairn_mcp_contents_text(CAIRN_MCP_DISCOVERIES_JSON, t.data, t.len));
		else
			cairn_mcp_fail(m->exchange, item, CAIRN_MCP_INTERNAL_ERROR, "%s", err.text);
		cairn_text_free(&t);
		break;
	default:
		job->due_ns = job->begin_ns + TOPICS_NS;
		use_topics(web, job, MCP_STATUS_BITS);
		break;
	}
}

/* Rights and measure. A stop needs neither: orders.c has a measure of its own for it. */
static bool may(struct web_http *h, const struct web_conn *conn, int item)
{
	struct web_mcp *m = h->mcp;
	bool tool = cairn_mcp_need(m->exchange, item) == CAIRN_MCP_NEED_TOOL;
	const struct cairn_mcp_tool_row *row =
	    tool ? &cairn_mcp_tools[cairn_mcp_call_of(m->exchange, item)->tool] : NULL;
	if (tool && row->effect != CAIRN_MCP_READS)
		return true; /* orders.c judges commands */
	if (!orders_call_allowed(http_web(h), conn)) {
		cairn_stage_count_reject(http_web(h)->stage);
		cairn_mcp_fail(m->exchange, item, CAIRN_MCP_TOO_MANY, "too many calls a second: wait");
	} else if (!cairn_rights_allow(conn->who.rights, tool ? row->right : CAIRN_RIGHT_WATCH)) {
		cairn_stage_count_reject(http_web(h)->stage);
		if (tool)
			cairn_mcp_finish(m->exchange, item,
			    mcp_failed(
				"this token may not watch; 'cairn web-key NAME --rights watch' on the robot "
				"gives that right"));
		else
			cairn_mcp_fail(
			    m->exchange, item, CAIRN_MCP_INVALID_REQUEST, "this token may not watch");
	}
	return cairn_mcp_need(m->exchange, item) != CAIRN_MCP_NEED_NOTHING;
}

int mcp_begin(struct web_http *h)
{
	struct web *web = http_web(h);
	struct web_conn *conn = lws_get_opaque_user_data(h->wsi);
	struct web_mcp *m = h->mcp;
	const struct cairn_mcp_link link = {.http = true,
	    .version = m->has_version ? m->version : NULL,
	    .method = m->has_method ? m->method : NULL,
	    .name = m->has_name ? m->name : NULL};
	if (conn->who.rights == 0) {
		cairn_stage_count_reject(web->stage);
		return http_error(h, 401,
		    "needs a token (Authorization: Bearer TOKEN); 'cairn web-key NAME' on the robot makes "
		    "one");
	}
	m->exchange = cairn_mcp_open(h->body != NULL ? h->body : "", h->body_bytes, &link);
	if (m->exchange == NULL)
		return -1;
	for (int i = 0; i < cairn_mcp_count(m->exchange); i++)
		m->jobs[i].picture = NO_PICTURE;
	h->state = HTTP_WAITING;
	http_wait(h);
	lws_set_timeout(h->wsi, PENDING_TIMEOUT_HTTP_CONTENT, SEND_S);
	for (int i = 0; i < cairn_mcp_count(m->exchange); i++) {
		struct job *job = &m->jobs[i];
		job->begin_ns = cairn_now_ns();
		job->due_ns = job->begin_ns + HTTP_WAIT_NS;
		if (cairn_mcp_need(m->exchange, i) == CAIRN_MCP_NEED_NOTHING || !may(h, conn, i))
			continue;
		if (cairn_mcp_need(m->exchange, i) == CAIRN_MCP_NEED_TOOL)
			begin_tool(h, conn, i, job);
		else
			begin_resource(web, m, i, job);
	}
	m->begun = true;
	return mcp_tick(h);
}

/* ---- ending ---- */

void mcp_replied(struct web_http *h, int64_t item, enum web_verdict verdict, const char *text)
{
	struct web_mcp *m = h->mcp;
	if (m->exchange == NULL || item >= cairn_mcp_count(m->exchange) || !m->jobs[item].ordered)
		return; /* of a request before this one */
	m->jobs[item].ordered = false;
	cairn_mcp_finish(m->exchange, (int)item, cairn_mcp_result(text, strlen(text), verdict != WEB_DONE));
}

int mcp_tick(struct web_http *h)
{
	struct web *web = http_web(h);
	struct web_mcp *m = h->mcp;
	int status;
	size_t bytes;
	if (!m->begun || h->state != HTTP_WAITING)
		return 0;
	for (int i = 0; i < cairn_mcp_count(m->exchange); i++) {
		enum cairn_mcp_need need = cairn_mcp_need(m->exchange, i);
		if (need == CAIRN_MCP_NEED_TOOL)
			look_at_tool(web, m, i, &m->jobs[i]);
		else if (need == CAIRN_MCP_NEED_RESOURCE)
			look_at_resource(web, m, i, &m->jobs[i]);
	}
	if (!cairn_mcp_done(m->exchange))
		return 0;
	char *text = cairn_mcp_answer(m->exchange, &bytes, &status);
	struct web_blob *blob = text != NULL || status == 202 ? web_blob_new(text, bytes) : NULL;
	free(text);
	return http_answer(h, status, "application/json", blob);
}
