/* web.h - what the parts of the web stage share; nobody else includes this.
 *
 *   browser, program --- listen.c --- http.c ---- answers.c (status, decisions, logs, pictures, map)
 *                            |             |\
 *                            |             | mcp.c (agents)
 *                            |             |/
 *                            |             orders.c --- services of the other stages
 *                            +--- viewer.c /
 *                                    |
 *                                  hub.c --- topics          pictures.c --- cairn-web-frames --- data plane
 *
 * One thread. libwebsockets waits, the stage's inputs among its own. Topics are subscribed to and pictures asked for while somebody
 * wants them, and not otherwise. Whoever reads slowly loses messages: each viewer is given one at a time, when his
 * socket takes it. The data plane is joined by a process of its own, so that this one, which takes stops, lives without it. */
#ifndef CAIRN_PROCS_WEB_WEB_H
#define CAIRN_PROCS_WEB_WEB_H

#include <jansson.h>
#include <libwebsockets.h>

#include "common/external/external.h"
#include "common/base/text.h"
#include "common/base/token_bucket.h"
#include "common/ros2/ros2.h"
#include "common/web/address.h"
#include "common/web/feed.h"
#include "common/web/foxglove.h"
#include "common/web/history.h"
#include "common/web/order.h"
#include "common/web/request.h"
#include "common/web/routes.h"
#include "common/web/tokens.h"
#include "ipc/poller.h"
#include "procs/shell/stage.h"
#include "procs/web/frame_pipe.h"

/* Messages to one connection in one go, while its socket takes them: coming back for each through the loops of library and stage
 * costs more than the message. Others are served between two goes. */
#define WEB_WRITES_MAX 32
#define WEB_WAITING_MAX 64       /* commands under way at once */
#define WEB_ASKERS_MAX 64        /* whose commands are counted at once */
#define WEB_REPLIES_MAX 16       /* waiting for one viewer */
#define WEB_KEPT_MAX 32          /* messages kept of a topic where each counts */
#define WEB_SEEN_MAX 32          /* pictures of snapshots that a decision may still come for */
#define WEB_EVENTS_MAX 64        /* kept for pages that are opened later */
#define WEB_DECIDED_MAX 64       /* pictures of decisions */
#define WEB_TX_BYTES 16384       /* of an answer in one go */
#define WEB_REQUESTS_PER_S 50.0  /* over one WebSocket */
#define WEB_REQUESTS_BURST_S 4.0 /* who subscribes to every topic, one after the other, is in measure */

struct web;

/* Bytes that several are sent, freed with the last of them. */
struct web_blob {
	int refs;
	size_t bytes;
	char data[];
};

struct web_blob *web_blob_new(const void *data, size_t bytes); /* NULL: no memory */
struct web_blob *web_blob_hold(struct web_blob *blob);
void web_blob_drop(struct web_blob **blob_p);

/* A connection, from its acceptance to its end. */
struct web_conn {
	uint64_t id; /* of its own for as long as the stage lives */
	char peer[CAIRN_WEB_HOST_MAX];
	bool loopback;
	/* of the request, or of the upgrade: */
	bool here; /* loopback, and not passed on by a proxy */
	char token[CAIRN_WEB_TOKEN_CHARS + 1];
	struct cairn_web_who who;
};

/* ---- listen.c ---- */
bool web_open(struct web *web, struct cairn_error *err);
void web_close(struct web *web);
/* Reads the headers: may this request come from where it does, and whose is it? 0, or a status with the reason. */
int web_admit(struct web *web, struct lws *wsi, bool page, struct web_conn *conn, struct cairn_error *why);
/* The query of the address, "a=1&b=2"; empty when there is none, or one that does not fit. libwebsockets keeps its parts
 * apart, and would join them by commas. */
void web_query_of(struct lws *wsi, char *buf, size_t bytes);
/* Foxglove's two subprotocols and no other are what this upgrade asks for. */
bool web_wants_foxglove(struct lws *wsi);
/* What is written from now on is not sent before packets are full, or until off. */
void web_hold_back(struct lws *wsi, bool on);
/* The connection has ended. conn may be NULL. */
void web_forget(struct web *web, struct web_conn *conn);
/* The list of tokens, read anew once a second. */
int web_on_tokens(void *web);

/* ---- hub.c: topics ---- */
/* Of the page: TOPIC, MAP, LOGS. For Foxglove: TOPIC, ROS2 (a topic as ROS 2 knows it) and PICTURE (a frame as ROS 2 knows it). */
enum web_slot_kind { WEB_SLOT_TOPIC, WEB_SLOT_MAP, WEB_SLOT_LOGS, WEB_SLOT_ROS2, WEB_SLOT_PICTURE };

struct web_kept {
	struct web_blob
	    *blob; /* TOPIC: the JSON of its data; ROS2, PICTURE: CDR; otherwise: the whole message */
	struct cairn_header hdr;
};

struct web_slot {
	enum web_slot_kind kind;
	char name[CAIRN_WEB_NAME_MAX];
	enum cairn_topic topic;
	const char *instance;      /* NULL = none */
	int source;                /* ROS2: slot of the topic that it is made from */
	enum cairn_ros2_type type; /* ROS2, PICTURE */
	enum web_picture picture;
	int users;
	int64_t idle_ns; /* since when nobody wants it */
	struct cairn_sub *sub;
	void *msg; /* newest */
	struct cairn_header hdr;
	int64_t heard_ns;                   /* or subscribed */
	struct web_kept kept[WEB_KEPT_MAX]; /* by number */
};

bool hub_open(struct web *web, struct cairn_error *err);
void hub_close(struct web *web);
int hub_slot(const struct web *web, const char *name); /* -1: no such topic */
void hub_use(struct web *web, int slot);
void hub_leave(struct web *web, int slot);
/* Is it one that the page knows? */
bool hub_of_page(const struct web_slot *s);
/* Makes one more message of MAP or LOGS. */
void hub_put(struct web *web, int slot, const char *text, size_t bytes);
/* A newer picture has come. */
void hub_picture(struct web *web, enum web_picture which, int64_t t_ns);
/* Message `number`; NULL when it cannot be told. Borrowed. It is encoded when it is asked for first. */
const struct web_kept *hub_message(struct web *web, int slot, uint64_t number);
/* Nobody's for a while: let go of. What is silent: gone. */
int hub_on_tick(void *web);
/* Takes what has come of a topic. */
void hub_drain(struct web *web, int slot);

/* ---- hub_subs.c: what the hub is subscribed to ---- */

bool hub_subs_open(struct web *web, struct cairn_error *err);
void hub_subs_close(struct web *web);
/* The slot's sub is read from now on. */
bool hub_subs_add(struct web *web, int slot, struct cairn_error *err);
/* Before the sub is destroyed. */
void hub_subs_remove(struct web *web, int slot);

/* ---- past.c: what was before a page was opened ---- */
struct web_event {
	struct web_blob *blob; /* the JSON of its data; NULL = none */
	int slot;
	int64_t t_ns; /* heard */
};

void past_open(struct web *web);
void past_close(struct web *web);
/* The hub has heard a message of a topic. */
void past_take(struct web *web, int slot);
/* {"op":"history","map_id","trail":[[x,y],...],"events":[{"topic","age_ms","data"},...]}, oldest first. */
void past_add(struct cairn_text *t, const struct web *web);

/* ---- orders.c: commands ---- */
/* Where the answer goes. */
struct web_asker {
	uint64_t conn;
	bool http;
	bool mcp;   /* of an agent, by the Model Context Protocol */
	int64_t id; /* of the viewer's request; of an agent's the number of the item */
};

bool orders_open(struct web *web, struct cairn_error *err);
int orders_on_tick(void *web);
/* Judges and passes on. The answer comes through web_replied, at once if it is refused here. */
void orders_give(struct web *web, const struct web_conn *conn, const struct web_asker *asker,
    const char *name, const char *args);
/* The same of a command that is understood already. */
void orders_give_command(struct web *web, const struct web_conn *conn, const struct web_asker *asker,
    const struct cairn_command_row *row, const struct cairn_msg_command *cmd);
/* One more call of an agent that is no stop: is that within his measure? It counts. */
bool orders_call_allowed(struct web *web, const struct web_conn *conn);

enum web_verdict { WEB_DONE, WEB_REFUSED, WEB_FORBIDDEN, WEB_FLOOD, WEB_UNKNOWN };
/* To whoever asked, by the way that the question came. */
void web_replied(struct web *web, const struct web_asker *asker, enum web_verdict verdict, const char *text);

/* ---- teleop.c ---- */
/* False with the reason in why: no right, or somebody else has hold of it. */
bool teleop_give(
    struct web *web, const struct web_conn *conn, double v_mps, double steer_rad, struct cairn_error *why);

/* ---- viewer.c: WebSocket ---- */
int viewer_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len);
size_t viewer_bytes(void);
/* Wakes those for whom something is due. */
int viewers_on_tick(void *web);
void viewers_wake(struct web *web, int slot);
void viewer_replied(struct web *web, const struct web_asker *asker, bool ok, const char *text);
/* Tokens have changed. */
void viewers_judge(struct web *web);

/* ---- foxglove.c: WebSocket, Foxglove's protocol ---- */
int foxglove_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len);
size_t foxglove_bytes(void);
int foxglove_on_tick(void *web);
void foxglove_wake(struct web *web, int slot);
void foxglove_replied(struct web *web, const struct web_asker *asker, bool ok, const char *text);
void foxglove_judge(struct web *web);
/* The recording's times are known: tells clients that were greeted without them. */
void foxglove_greet_again(struct web *web);
/* The player has told where it is: to all when that is news, and to whose request waits for it. */
void foxglove_tell_replay(struct web *web, bool news, bool did_seek);

/* ---- foxglove_offer.c: what its clients are offered ---- */
#define FOXGLOVE_SERVICES 2
extern const struct cairn_foxglove_service
    foxglove_services[FOXGLOVE_SERVICES]; /* in the order of their ids, from 1 */
/* The slot of a channel; -1: there is no such channel. */
int foxglove_slot_of(const struct web *web, uint32_t channel);
/* All of them, the same for every client, so it is made once. NULL: no memory. */
struct web_blob *foxglove_channels(struct web *web);
/* Who publishes what, by the tables; who else reads it, no table knows. */
void foxglove_add_graph(const struct web *web, struct cairn_text *t);

/* ---- replay.c: a recording in place of the robot ---- */
#define REPLAY_BAR_SERVICE                                                                                   \
	UINT32_MAX /* no service's id: stands for it where a command was given at a play bar */
/* The newest request of a client's play bar. */
struct replay_bar {
	uint32_t call; /* its last command, which is the one whose reply answers it; rises */
	struct cairn_foxglove_playback wanted;
	uint32_t seeks; /* before it */
	int patience;   /* the player has obeyed, and this many of its messages are waited for to show that */
	char request[CAIRN_WEB_ARGS_MAX]; /* its id */
};
/* Listens to the player, where one is configured. */
void replay_open(struct web *web);
/* What the hub has just heard. */
void replay_take(struct web *web, int slot);
/* NULL: nothing is replayed, or the player has not been heard. */
const struct cairn_msg_playback *replay_now(const struct web *web);
/* The time of day of a stamp; of a recording that is being replayed, the time recorded. */
int64_t web_unix_ns(const struct web *web, int64_t t_ns);
/* Does the newest word of the player show what the request asked for? Replies and messages come by different ways. */
bool replay_shows(const struct web *web, const struct replay_bar *bar);
/* Gives the player the commands that the request comes to, with this connection's rights. False: nothing is replayed. */
bool replay_steer(struct web *web, const struct web_conn *conn, struct replay_bar *bar,
    const struct cairn_foxglove_request *request);

/* ---- gather.c: a WebSocket's messages, which may come in pieces ---- */
struct web_gather {
	char *part; /* CAIRN_WEB_REQUEST_MAX; NULL until a message comes in pieces */
	size_t bytes;
};
/* 1 with the whole message, borrowed; 0: there is more to come; -1: too large, or no memory: the connection is to end. */
int web_gather(struct lws *wsi, struct web_gather *g, const char *data, size_t bytes, const char **ret_data,
    size_t *ret_bytes);
void web_gather_free(struct web_gather *g);

/* ---- http.c, answers.c ---- */
struct web_http;
int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len);
size_t http_bytes(void);
int http_on_tick(void *web);
/* A newer picture has come, or one that was waited for. */
void http_picture(struct web *web, enum web_picture which);
void http_replied(struct web *web, const struct web_asker *asker, enum web_verdict verdict, const char *text);
/* The answer to h's request; blob is taken over. type: a content type. */
int http_answer(struct web_http *h, int status, const char *type, struct web_blob *blob);
__attribute__((format(printf, 3, 4))) int http_error(struct web_http *h, int status, const char *fmt, ...);
/* What a GET of this row is answered with: as http_answer; 0 = later. */
int answers_get(struct web *web, struct web_http *h, int route, const char *part, const char *query);
/* All topics of the status are there, or the time is up. */
int answers_status(struct web *web, struct web_http *h);
bool answers_status_complete(struct web *web);
/* There is a message of this slot, and its publisher is heard. */
bool answers_there(const struct web *web, int slot);
/* {"mission":{...},...}; null for a topic that is not there. */
void answers_add_topics(struct web *web, struct cairn_text *text, const char *const *topics, size_t count);
/* As `cairn discoveries --json`. False with the reason in err. */
bool answers_add_discoveries(struct web *web, struct cairn_text *text, struct cairn_error *err);
/* Decisions and, between them, the commands of operators, oldest first. */
json_t *answers_decisions(struct web *web, uint64_t last);
void answers_status_use(struct web *web, bool use);

/* ---- mcp.c: agents ---- */
/* A request for /mcp: its headers are read. False: no memory. */
bool mcp_headers(struct web_http *h, struct lws *wsi);
int mcp_begin(struct web_http *h);
int mcp_tick(struct web_http *h);
void mcp_replied(struct web_http *h, int64_t item, enum web_verdict verdict, const char *text);
void mcp_release(struct web_http *h);

/* ---- pictures.c ---- */
struct web_picture_now {
	struct web_blob *blob; /* JPEG or PNG; NULL = none yet */
	struct web_blob *text; /* snapshot: its text; map: its JSON; WEB_GRID, WEB_DEPTH_RAW: its header */
	uint64_t number;       /* rises; 0 = none yet */
	int64_t arrived_ns;
	int64_t t_ns; /* stamp of the frame */
};

void pictures_use(struct web *web, enum web_picture which);
void pictures_leave(struct web *web, enum web_picture which);
int pictures_on_tick(void *web);
void pictures_close(struct web *web);
/* Keeps the picture of a snapshot, if it is still there, for the decision that was made on it. */
void pictures_decided(struct web *web, uint64_t decision, uint64_t snapshot);
/* NULL: none was kept. Borrowed. */
struct web_blob *pictures_of_decision(const struct web *web, uint64_t decision);

/* ---- logs.c ---- */
void logs_follow(struct web *web, bool on);
int logs_on_tick(void *web);
/* The newest lines as a JSON list; stage empty = all. NULL: no memory. */
struct web_blob *logs_newest(struct web *web, const char *stage, size_t last);

struct web_waiting {
	uint64_t tag; /* 0 = free */
	int64_t due_ns;
	struct web_asker asker;
	const struct cairn_command_row *row;
	struct cairn_msg_command cmd;
};

struct web_limit {
	char who[CAIRN_WEB_HOST_MAX];
	struct cairn_token_bucket orders, stops, emergency_stops, calls;
	int64_t used_ns;
};

struct web_logs;
struct web_viewer;
struct web_foxglove;

struct web {
	CAIRN_STAGE_STATE;
	struct cairn_web_address address;
	bool tls;
	char cookie[32];
	char token_file[512];
	struct cairn_web_tokens tokens;
	struct lws_context *lws;
	struct lws_vhost *vhost;
	int listen_fd;
	/* The stage's inputs have something, or a socket of them was sent to, which may have taken in what its descriptor told of. */
	bool stage_due;
	int connections, far_connections;
	uint64_t last_conn;

	int slot_count;
	struct cairn_external_topics declared; /* of programs outside */
	struct web_slot slots[CAIRN_WEB_SLOTS_MAX];
	struct cairn_web_slot feed_slots[CAIRN_WEB_SLOTS_MAX]; /* the same, as common/web/feed.h sees them */
	struct cairn_poller subs;                              /* item i: that of slot sub_slots[i] */
	int sub_slots[CAIRN_POLLER_MAX];
	int subs_timer_fd;
	char *json;              /* room for one message */
	int64_t clock_offset_ns; /* what the time of day is ahead of the clock that stamps bear */
	struct cairn_msg_playback replay;
	int64_t replay_ns;       /* its stamp; 0: never heard */
	struct cairn_ros2_tf tf; /* while somebody wants the transforms */
	struct cairn_ros2_transforms transforms;

	struct cairn_web_history history;
	struct web_event events[WEB_EVENTS_MAX]; /* a ring */
	unsigned event_next;

	struct cairn_client *clients[CAIRN_SERVICE_COUNT];
	uint64_t last_tag;
	struct web_waiting waiting[WEB_WAITING_MAX];
	struct web_limit limits[WEB_ASKERS_MAX];

	struct cairn_pub *teleop;
	uint64_t teleop_conn; /* who has hold of it, and since when nothing came */
	int64_t teleop_ns;

	struct web_viewer *viewers;
	struct web_foxglove *foxgloves;
	struct web_blob *channels; /* all that Foxglove is offered; NULL = nobody has asked yet */
	struct web_http *requests; /* that wait for something */
	int mcp_waits;             /* agents that wait for the robot */
	char *tx;                  /* room for one message on the wire, behind LWS_PRE */

	int picture_users[WEB_PICTURES];
	struct web_picture_now pictures[WEB_PICTURES];
	struct web_seen {
		uint64_t id;
		struct web_blob *blob;
	} seen[WEB_SEEN_MAX], decided[WEB_DECIDED_MAX]; /* by snapshot, by decision: rings */
	unsigned seen_next, decided_next;
	pid_t frames_pid;  /* 0 = does not run */
	pid_t leaving_pid; /* one that was told to end; 0 = none */
	int64_t kill_ns;   /* when it is ended if it has not by then */
	int frames_fd;
	int64_t frames_due_ns; /* not before */
	uint32_t frames_told;  /* what it was asked for */
	char *frames_buf;
	size_t frames_have;

	struct web_logs *logs;
	int log_users;
};

#endif
