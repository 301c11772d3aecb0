/* player - plays a recording onto the bus and the data plane, in place of the stages that made it (docs/recordings.md).
 *
 * What a running stage publishes is left to it: the launcher's and the player's own topics, and those of replay.stages. Stamps are
 * those of common/record/playback_time.h. Nothing here can move anything: the stages that touch a device do not run beside it. */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/record/json_message.h"
#include "common/record/playback_time.h"
#include "common/record/playback.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

#define TICK_MS 2
#define SECOND_MS 1000
#define STEP_S 0.1
#define AT_ONCE 200                       /* messages in one turn: commands must be heard in between */
#define BEHIND_NS (100 * CAIRN_NS_PER_MS) /* then stamps would be too old for those who listen */
#define SETTLE_NS (300 * CAIRN_NS_PER_MS) /* readers connect to publishers that have just come */

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_playback *playback;
	int fd;
	struct cairn_pub *pubs[CAIRN_TOPIC_COUNT];             /* NULL: not played */
	struct cairn_frame_pub *frame_pubs[CAIRN_FRAME_COUNT]; /* NULL: not played */
	struct cairn_play_clock clock;
	struct cairn_played next;
	bool have_next, ended;
	int64_t first_ns, last_ns, ready_ns;
	uint64_t messages, frames_played, slips;
	struct cairn_pub *place_pub;
	uint32_t seeks;
	struct cairn_frame_header map; /* the newest, told again as the mapper does; payload_bytes 0: none */
	uint8_t *map_cells;
};

/* ---- one thing played ---- */

/* Monotonic stamps of the recording to those of now. */
static int64_t to_now(const void *ctx, int64_t t_ns)
{
	const struct app *app = ctx;
	return cairn_play_clock_stamp(&app->clock, t_ns + cairn_playback_clock_offset_ns(app->playback));
}

static void play_message(struct app *app)
{
	struct cairn_pub *pub = app->pubs[app->next.topic];
	if (pub == NULL || app->next.instance[0] != '\0')
		return;
	cairn_msg_map_stamps(cairn_topics[app->next.topic].desc, app->next.msg, to_now, app);
	cairn_pub_send(pub, app->next.msg, to_now(app, app->next.hdr.t_ns), app->next.hdr.valid);
	app->messages++;
}

static bool send_frame(struct app *app, enum cairn_frame_topic topic, const struct cairn_frame_header *head,
    const uint8_t *payload, int64_t t_ns)
{
	struct cairn_frame_header *hdr;
	uint8_t *room = cairn_frame_loan(app->frame_pubs[topic], head->payload_bytes, &hdr);
	if (room == NULL) {
		char why[96];
		snprintf(why, sizeof(why), "%u bytes do not fit (camera.width_px, height_px)",
		    head->payload_bytes);
		cairn_stage_count_reject(app->stage);
		cairn_stage_tried(app->stage, cairn_frame_topics[topic].name, why);
		return false;
	}
	struct cairn_frame_header own = *hdr;
	*hdr = *head;
	hdr->seq = own.seq;
	hdr->epoch = own.epoch;
	hdr->t_ns = t_ns;
	memcpy(room, payload, head->payload_bytes);
	cairn_frame_publish(app->frame_pubs[topic]);
	return true;
}

static void keep_map(struct app *app)
{
	uint8_t *cells = realloc(app->map_cells, app->next.head.payload_bytes + 1);
	if (cells == NULL)
		return;
	memcpy(cells, app->next.payload, app->next.head.payload_bytes);
	app->map_cells = cells;
	app->map = app->next.head;
}

static void play_frame(struct app *app)
{
	enum cairn_frame_topic topic = app->next.frame_topic;
	struct cairn_snapshot_head head;
	if (app->frame_pubs[topic] == NULL)
		return;
	if (topic == CAIRN_FRAME_SNAPSHOT) {
		memcpy(&head, app->next.payload, sizeof(head));
		int64_t *stamps[] = {&head.t_rgb_ns, &head.t_depth_ns, &head.t_scan_ns, &head.t_pose_ns};
		for (size_t i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++)
			*stamps[i] = *stamps[i] != 0 ? to_now(app, *stamps[i]) : 0;
		memcpy(app->next.payload, &head, sizeof(head));
	}
	if (topic == CAIRN_FRAME_MAP_GRID)
		keep_map(app);
	app->frames_played +=
	    send_frame(app, topic, &app->next.head, app->next.payload, to_now(app, app->next.head.t_ns));
}

/* ---- the way through the file ---- */

static enum cairn_playback_state state_of(const struct app *app)
{
	return app->ended        ? CAIRN_PLAYBACK_STATE_ENDED
	       : app->clock.held ? CAIRN_PLAYBACK_STATE_PAUSED
				 : CAIRN_PLAYBACK_STATE_PLAYING;
}

static int tell_place(void *ctx)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	struct cairn_msg_playback msg = {.state = state_of(app),
	    .first_ns = app->first_ns,
	    .last_ns = app->last_ns,
	    .place_ns = cairn_play_clock_place(&app->clock, now_ns),
	    .rate = app->clock.rate,
	    .seeks = app->seeks};
	cairn_pub_send(app->place_pub, &msg, now_ns, true);
	return 0;
}

static void at_end(struct app *app, const struct cairn_error *why)
{
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (cairn_playback_ended(app->playback) != CAIRN_MCAP_ITEM_END)
		cairn_log_warn("%s", why->text);
	if (app->cfg->replay.loop && cairn_playback_seek(app->playback, app->first_ns, &err)) {
		cairn_play_clock_set_place(&app->clock, app->first_ns, now_ns);
		app->seeks++;
		(void)tell_place(app);
		return;
	}
	app->ended = true;
	cairn_play_clock_hold(&app->clock, now_ns);
	(void)tell_place(app);
	cairn_log_info("the end: %" PRIu64 " messages, %" PRIu64 " frames, %" PRIu64
		       " could not be read, %" PRIu64 " times too late",
	    app->messages, app->frames_played, cairn_playback_rejects(app->playback), app->slips);
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	if (app->ended || cairn_now_ns() < app->ready_ns)
		return 0;
	for (int i = 0; i < AT_ONCE; i++) {
		int64_t now_ns = cairn_now_ns();
		if (!app->have_next)
			app->have_next = cairn_playback_next(app->playback, &app->next, &err);
		if (!app->have_next) {
			at_end(app, &err);
			break;
		}
		if (!cairn_play_clock_due(&app->clock, app->next.logged_ns, now_ns))
			break;
		if (now_ns - cairn_play_clock_stamp(&app->clock, app->next.logged_ns) > BEHIND_NS) {
			cairn_play_clock_slip(&app->clock, app->next.logged_ns, now_ns);
			app->slips++;
		}
		if (app->next.frame)
			play_frame(app);
		else
			play_message(app);
		app->have_next = false;
	}
	return 0;
}

static void where(const struct app *app, char *text, size_t bytes)
{
	double at_s = (double)(cairn_play_clock_place(&app->clock, cairn_now_ns()) - app->first_ns) * 1e-9;
	snprintf(text, bytes, "%s at %.1f of %.1f s, rate %g",
	    cairn_enum_text(&cairn_enum_playback_state, (int)state_of(app)), at_s > 0.0 ? at_s : 0.0,
	    (double)(app->last_ns - app->first_ns) * 1e-9, app->clock.rate);
}

static int on_second(void *ctx)
{
	struct app *app = ctx;
	char note[96];
	where(app, note, sizeof(note));
	cairn_stage_note(app->stage, note);
	if (app->map.payload_bytes > 0)
		(void)send_frame(app, CAIRN_FRAME_MAP_GRID, &app->map, app->map_cells, cairn_now_ns());
	return 0;
}

/* ---- commands ---- */

static bool seek(struct app *app, double to_s, struct cairn_error *err)
{
	int64_t place_ns = app->first_ns + (int64_t)(to_s * 1e9);
	if (place_ns > app->last_ns)
		place_ns = app->last_ns;
	if (!cairn_playback_seek(app->playback, place_ns, err))
		return false;
	app->have_next = app->ended = false;
	app->seeks++;
	cairn_play_clock_set_place(&app->clock, place_ns, cairn_now_ns());
	return true;
}

/* A number of min to max; NAN when it is none. */
static double number(const char *text, double dflt, double min, double max)
{
	char *end = NULL;
	double value = text[0] == '\0' ? dflt : strtod(text, &end);
	bool good = (end == NULL || (end != text && *end == '\0')) && value >= min && value <= max;
	return good ? value : (double)NAN;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	double value = 0.0;
	if (strcmp(cmd->verb, "play") == 0) {
		reply->ok = !app->ended || seek(app, 0.0, &err);
		cairn_play_clock_run(&app->clock, now_ns);
	} else if (strcmp(cmd->verb, "pause") == 0) {
		cairn_play_clock_hold(&app->clock, now_ns);
		reply->ok = true;
	} else if (strcmp(cmd->verb, "step") == 0) {
		value = number(cmd->arg, STEP_S, 0.001, 3600.0);
		reply->ok = isfinite(value);
		if (reply->ok)
			cairn_play_clock_step(&app->clock, (int64_t)(value * 1e9), now_ns);
	} else if (strcmp(cmd->verb, "seek") == 0) {
		value = number(cmd->arg, NAN, 0.0, 1e9);
		reply->ok = isfinite(value) && seek(app, value, &err);
	} else if (strcmp(cmd->verb, "rate") == 0) {
		value = number(cmd->arg, NAN, 0.05, 20.0);
		reply->ok = isfinite(value);
		if (reply->ok)
			cairn_play_clock_set_rate(&app->clock, value, now_ns);
	} else {
		reply->ok = strcmp(cmd->verb, "where") == 0;
	}
	if (reply->ok) {
		where(app, reply->text, sizeof(reply->text));
		(void)tell_place(app);
	} else {
		snprintf(reply->text, sizeof(reply->text), "%s",
		    err.text[0] != '\0' ? err.text
		    : isfinite(value)   ? "play, pause, step, seek, rate or where"
				      : "a number is wanted: step and seek in seconds, a rate of 0.05 to 20");
	}
}

/* ---- starting ---- */

static bool open_file(struct app *app, struct cairn_error *err)
{
	struct stat st;
	app->fd = cairn_file_open(app->cfg->replay.file, 0, err);
	if (app->fd < 0 || fstat(app->fd, &st) != 0)
		return false;
	app->playback = cairn_playback_new(cairn_mcap_read_fd, &app->fd, (uint64_t)st.st_size, err);
	if (app->playback == NULL)
		return false;
	cairn_playback_span(app->playback, &app->first_ns, &app->last_ns);
	return true;
}

static bool plays(const struct app *app, const char *name, const char *stage)
{
	const struct cairn_config_replay *cfg = &app->cfg->replay;
	bool others = strcmp(stage, "*") == 0 || strcmp(stage, "+") == 0 || strcmp(stage, "launcher") == 0 ||
		      strcmp(stage, "player") == 0 || cairn_has_word(cfg->stages, stage);
	return !others && (cfg->topics[0] == '\0' || cairn_has_word(cfg->topics, name));
}

/* Registration may end the process, so it comes before anything is bound. */
static bool open_frames(struct app *app, struct cairn_error *err)
{
	if (cairn_stage_frames(app->stage, err) == NULL)
		return false;
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		if (i == CAIRN_FRAME_CANARY ||
		    !plays(app, cairn_frame_topics[i].name, cairn_frame_topics[i].stage))
			continue;
		app->frame_pubs[i] = cairn_stage_frame_pub(app->stage, (enum cairn_frame_topic)i, err);
		if (app->frame_pubs[i] == NULL)
			return false;
	}
	return true;
}

static void open_bus(struct app *app)
{
	const struct cairn_config_replay *cfg = &app->cfg->replay;
	struct cairn_error err = {""};
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		if (plays(app, cairn_topics[i].name, cairn_topics[i].stage))
			app->pubs[i] = cairn_stage_publish(app->stage, (enum cairn_topic)i);
	}
	app->place_pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_PLAYBACK);
	cairn_stage_serve(app->stage, CAIRN_SERVICE_PLAYER, on_command, app);
	app->ready_ns = cairn_now_ns() + SETTLE_NS;
	cairn_play_clock_init(&app->clock, app->first_ns, cfg->rate, cfg->paused, app->ready_ns);
	if (cfg->start_s > 0.0 && !seek(app, cfg->start_s, &err))
		cairn_log_warn("replay.start_s: %s", err.text);
	app->clock.now_ns = app->ready_ns;
	cairn_stage_every(app->stage, TICK_MS, on_tick, app);
	cairn_stage_every(app->stage, SECOND_MS / 2, tell_place, app);
	cairn_stage_every(app->stage, SECOND_MS, on_second, app);
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->fd = -1;
	if (!open_file(app, err) || !open_frames(app, err))
		return false;
	open_bus(app);
	cairn_log_info("%s: %.1f s", app->cfg->replay.file, (double)(app->last_ns - app->first_ns) * 1e-9);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	cairn_playback_destroy(&app->playback);
	free(app->map_cells);
	if (app->fd >= 0)
		close(app->fd);
}

CAIRN_STAGE_MAIN("cairn-player", "plays a recording in place of the stages that made it", struct app,
    .open = open_all, .close = close_all)
