/* cairn-agent: works on tasks in words (common/agent). It carries messages, queries, pictures and the saved episode between the core
 * and the world; it opens no device, and what it proposes the sequencer judges. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/agent/agent.h"
#include "common/base/file.h"
#include "ipc/frames.h"
#include "procs/gateway/service.h"

#define TURN_MS 50
#define TELL_MS 500
#define SAVE_MS 1000
#define GRID_MS 1000
#define PLANE_DEADLINE_MS 10000
#define SAY_NS (5 * CAIRN_NS_PER_S)
#define PICTURE_BYTES_MAX (4u << 20)

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_config_vlm vlm; /* with the agent's own timeout and recording */
	struct cairn_lineup lineup;
	struct cairn_agent *agent;
	struct service *service;
	struct cairn_outbox *outbox;
	struct cairn_frames *frames;
	struct cairn_frame_sub *grid_sub;
	struct cairn_client *speech;
	uint64_t said;
	struct cairn_msg_agent message;
	struct cairn_text file;
	char path[400], map_path[400], key_problem[200];
	uint32_t map_number; /* in that file; 0: there is none */
	char *picture;       /* read last */
};

static bool load_picture(void *ctx, uint64_t number, const uint8_t **ret_jpeg, size_t *ret_bytes)
{
	struct app *app = ctx;
	char path[500];
	struct cairn_error err = {""};
	free(app->picture);
	snprintf(
	    path, sizeof(path), "%s/state/views/%06" PRIu64 ".jpg", cairn_stage_run_dir(app->stage), number);
	app->picture = cairn_file_read(path, CAIRN_FILE_OWN, PICTURE_BYTES_MAX, ret_bytes, &err);
	*ret_jpeg = (const uint8_t *)app->picture;
	return app->picture != NULL;
}

/* The picture of the map is a file, for people. */
static void show_map(struct app *app)
{
	uint32_t number;
	size_t bytes;
	struct cairn_error err = {""};
	const uint8_t *jpeg = cairn_agent_map(app->agent, &number, &bytes);
	if (number == app->map_number)
		return;
	bool ok = jpeg != NULL ? cairn_file_replace(app->map_path, 0, 0644, jpeg, bytes, &err)
			       : unlink(app->map_path) == 0 || errno == ENOENT;
	cairn_stage_tried(app->stage, "keep the picture of the map", ok ? NULL : err.text);
	app->map_number = number;
}

static int tell(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_agent *m = &app->message;
	enum cairn_agent_state before = m->state;
	uint64_t task = m->task_id;
	cairn_agent_message(app->agent, cairn_now_ns(), m);
	show_map(app);
	cairn_outbox_put(
	    app->outbox, CAIRN_TOPIC_AGENT, m, m->state != before || m->task_id != task, cairn_now_ns());
	if (m->task_id != task)
		cairn_log_info("task %" PRIu64 ": %s", m->task_id, m->task);
	if (m->state != before && m->answer[0] != '\0')
		cairn_log_info("task %" PRIu64 " %s after %u queries, %.4f USD: %s", m->task_id,
		    cairn_enum_text(&cairn_enum_agent_state, (int)m->state), m->queries, m->usd, m->answer);
	struct cairn_reasoner_event event;
	while (cairn_agent_take_event(app->agent, &event))
		cairn_log_info(
		    "task %" PRIu64 ": %s %s: %s", m->task_id, event.what, event.target, event.outcome);
	char note[96];
	snprintf(note, sizeof(note), "%s: %.70s", cairn_enum_text(&cairn_enum_agent_state, (int)m->state),
	    m->answer[0] != '\0' ? m->answer : m->step);
	cairn_stage_note(app->stage, note);
	return 0;
}

/* The graph tells by the time of day when a thing was seen. */
static double unix_s(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Words for people go to the stage that speaks, as an operator's do. */
static void speak(struct app *app)
{
	struct cairn_msg_say say;
	if (!cairn_agent_take_say(app->agent, &say))
		return;
	struct cairn_msg_command cmd = {.verb = "say", .expires_ns = cairn_now_ns() + SAY_NS};
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", say.text);
	int sent = cairn_client_send(app->speech, ++app->said, &cmd);
	cairn_stage_tried(
	    app->stage, "have it said aloud", sent == 0 ? NULL : "the stage speak is not there");
}

static int on_speech(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_reply reply;
	uint64_t tag;
	while (cairn_client_recv(app->speech, &tag, &reply) == 1)
		if (!reply.ok)
			cairn_log_warn("not said aloud: %s", reply.text);
	return 0;
}

static int turn(void *ctx)
{
	struct app *app = ctx;
	const char *body;
	size_t bytes;
	struct cairn_msg_decision decision;
	if (app->key_problem[0] != '\0')
		cairn_agent_give_up(app->agent, app->key_problem, cairn_now_ns());
	cairn_agent_on_clock(app->agent, unix_s() - 1e-9 * (double)cairn_now_ns());
	switch (cairn_agent_poll(app->agent, cairn_now_ns(), &body, &bytes)) {
	case CAIRN_DIALOG_SEND:
		service_send(app->service, body, bytes);
		break;
	case CAIRN_DIALOG_CANCEL:
		service_cancel(app->service);
		break;
	case CAIRN_DIALOG_DECIDED: /* the agent decides with its model alone */
	case CAIRN_DIALOG_NOTHING:
		break;
	}
	struct cairn_msg_skill_request wish;
	if (cairn_agent_take_wish(app->agent, &wish))
		cairn_outbox_put(app->outbox, CAIRN_TOPIC_SKILL_WISH, &wish, true, cairn_now_ns());
	speak(app);
	while (cairn_agent_take_decision(app->agent, &decision))
		cairn_outbox_put(app->outbox, CAIRN_TOPIC_AGENT_DECISION, &decision, true, cairn_now_ns());
	return 0;
}

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct app *app = ctx;
	cairn_agent_answered(app->agent, cairn_now_ns(), outcome);
	(void)turn(app); /* a decision, or the next query, goes out at once */
}

static int on_grid(void *ctx)
{
	struct app *app = ctx;
	const struct cairn_frame_header *hdr;
	const uint8_t *cells = cairn_frame_take(app->grid_sub, &hdr);
	if (cells != NULL) {
		bool ok = hdr->format == CAIRN_FORMAT_GRID8 && hdr->stride_bytes == hdr->width &&
			  hdr->payload_bytes >= (size_t)hdr->width * hdr->height && hdr->cell_m > 0.0 &&
			  isfinite(hdr->origin_x_m) && isfinite(hdr->origin_y_m);
		struct cairn_scene_grid grid = {
		    cells, hdr->width, hdr->height, hdr->origin_x_m, hdr->origin_y_m, hdr->cell_m};
		if (ok)
			cairn_agent_on_grid(app->agent, &grid);
		else
			cairn_stage_count_reject(app->stage);
	}
	cairn_frame_release(app->grid_sub);
	return 0;
}

static int save(void *ctx)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	if (!cairn_agent_save(app->agent, &app->file))
		return 0;
	bool ok = cairn_file_replace(app->path, 0, 0644, app->file.data, app->file.len, &err);
	cairn_stage_tried(app->stage, "save the episode", ok ? NULL : err.text);
	return 0;
}

/* What the agent before has saved; a damaged file is put aside. */
static void recall(struct app *app)
{
	struct cairn_error err = {""};
	size_t bytes = 0;
	char dir[300];
	snprintf(dir, sizeof(dir), "%s/state", cairn_stage_run_dir(app->stage));
	(void)mkdir(dir, 0755);
	snprintf(app->path, sizeof(app->path), "%s/" CAIRN_AGENT_FILE_NAME, dir);
	snprintf(app->map_path, sizeof(app->map_path), "%s/" CAIRN_AGENT_MAP_NAME, dir);
	(void)unlink(app->map_path); /* of a task before */
	char *text = cairn_file_read(app->path, CAIRN_FILE_OWN, CAIRN_AGENT_FILE_BYTES_MAX, &bytes, &err);
	bool missing = text == NULL && errno == ENOENT;
	bool ok = text != NULL && cairn_agent_load(app->agent, text, bytes, &err);
	free(text);
	if (ok)
		cairn_log_info("goes on with %s", app->path);
	if (ok || missing)
		return;
	char aside[sizeof(app->path) + 16];
	snprintf(aside, sizeof(aside), "%s.damaged", app->path);
	(void)rename(app->path, aside);
	cairn_log_warn("%s: %s; kept as %s, beginning without it", app->path, err.text, aside);
}

static bool open_all(struct app *app, struct cairn_error *err)
{
	if (!cairn_agent_lineup(app->cfg, &app->vlm, &app->lineup, err))
		return false;
	app->agent = cairn_agent_new(app->cfg, &app->lineup.rows[0], err);
	if (app->agent == NULL)
		return false;
	recall(app);
	if (app->cfg->agent.use_pictures)
		cairn_agent_on_picture(app->agent, load_picture, app);
	struct cairn_error missing = {""};
	app->service = service_new(app->stage, &app->vlm, &app->lineup, NULL, on_done, app, &missing);
	if (app->service == NULL) {
		*err = missing;
		return false;
	}
	snprintf(app->key_problem, sizeof(app->key_problem), "%s", missing.text);
	if (missing.text[0] != '\0')
		cairn_log_error("%s; every task will be handed back", missing.text);
	app->frames = cairn_frames_open(cairn_stage_name(app->stage), app->cfg, PLANE_DEADLINE_MS, err);
	if (app->frames != NULL)
		app->grid_sub = cairn_frame_sub_new(app->frames, CAIRN_FRAME_MAP_GRID, err);
	if (app->grid_sub == NULL)
		return false;
	app->speech = cairn_client_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_SPEECH, err);
	if (app->speech == NULL)
		return false;
	cairn_stage_watch_socket(app->stage, cairn_client_socket(app->speech), on_speech, app);
	app->outbox = cairn_stage_outputs(app->stage, cairn_agent_out);
	cairn_stage_inputs(app->stage, cairn_agent_in, app->agent, turn, app);
	cairn_stage_every(app->stage, TURN_MS, turn, app);
	cairn_stage_every(app->stage, TELL_MS, tell, app);
	cairn_stage_every(app->stage, SAVE_MS, save, app);
	cairn_stage_every(app->stage, GRID_MS, on_grid, app);
	return true;
}

int main(int argc, char **argv)
{
	static struct app app; /* messages are too large for the stack */
	struct cairn_error err = {""};
	int status = 0;
	app.stage = cairn_stage_start(
	    "cairn-agent", "plans and searches for tasks in words; proposes", argc, argv, &status);
	if (app.stage == NULL)
		return status;
	app.cfg = cairn_stage_config(app.stage);
	status = 1;
	if (open_all(&app, &err)) {
		cairn_log_info("asks %s, model %s", app.lineup.rows[0].name, app.lineup.rows[0].model);
		cairn_stage_ready(app.stage);
		status = cairn_stage_run(app.stage);
		(void)save(&app);
	} else {
		cairn_log_error("%s", err.text[0] != '\0' ? err.text : "out of memory");
	}
	if (app.service != NULL)
		service_destroy(&app.service);
	if (app.frames != NULL)
		cairn_frames_close(&app.frames);
	cairn_agent_destroy(&app.agent);
	cairn_text_free(&app.file);
	free(app.picture);
	return cairn_stage_finish(&app.stage, status);
}
