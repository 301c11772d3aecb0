/* scene - keeps what is in the house: detections, the map and names of rooms in; the scene graph out, and in RUN/state/scene.json; pictures that
 * show it in RUN/state/views; questions of others answered by the service "scene.query".
 *
 * Advice for models and people: nothing that drives reads it, and the robot goes on without this stage. What it knows is saved
 * while it changes, whole or not at all; a file that cannot be used is put aside, not overwritten. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "common/scene/scene.h"
#include "common/scene/scene_answer.h"
#include "common/scene/scene_file.h"
#include "ipc/commands.h"
#include "ipc/frames.h"
#include "procs/scene/store.h"
#include "procs/shell/stage.h"

#define PUBLISH_MS 1000
#define UNKNOWN_CELL 255
#define GRID_MS 500                 /* the map is looked at this often, */
#define MAP_NS (5 * CAIRN_NS_PER_S) /* and divided into rooms anew this often while it changes */

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_scene *scene;
	struct cairn_frame_sub *grid_sub;
	struct cairn_pub *pub;
	struct cairn_server *server;
	struct store *store; /* NULL: no pictures are kept */
	double known_m2;     /* of the map */
	struct cairn_pose2 robot;
	bool has_pose, has_features;
	int64_t t_map_ns, t_saved_ns;
	uint64_t map_hash, saved_version, map_id;
	struct cairn_msg_detections seen_outside;
	double update_ms;
	char path[512];
	struct cairn_msg_features features;
	struct cairn_msg_scene message;
};

/* For what is kept: when a thing was seen is told as time of day. */
static double unix_s(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool take_detections(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	double t_s = unix_s();
	cairn_scene_see(app->scene, m, t_s);
	app->update_ms = (double)(cairn_now_ns() - now_ns) * 1e-6;
	if (app->store != NULL)
		store_look(app->store, m, hdr->t_ns, app->known_m2, t_s);
	return false;
}

/* What the model has pointed to. */
CAIRN_TAKE(take_sightings, app, detections, (cairn_scene_told(core->scene, m, unix_s()), 0))

/* What detectors outside have seen. They are of the map that the robot has, or of none. */
static bool take_outside(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	const struct cairn_msg_detections *m = message;
	(void)hdr, (void)now_ns;
	if (!app->has_pose || (m->map_id != 0 && m->map_id != app->map_id)) {
		cairn_stage_count_reject(app->stage);
		return false;
	}
	app->seen_outside = *m;
	app->seen_outside.map_id = app->map_id;
	cairn_scene_see(app->scene, &app->seen_outside, unix_s());
	return false;
}

static const struct cairn_in outside[] = {
    {CAIRN_TOPIC_DETECTED, CAIRN_ACCEPT_PLAUSIBLE, take_outside},
    {.take = NULL},
};

static bool take_pose(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	const struct cairn_msg_pose *m = message;
	(void)hdr, (void)now_ns;
	if (m->tracking == CAIRN_TRACKING_NONE || !isfinite(m->x_m) || !isfinite(m->y_m))
		return false;
	app->robot = (struct cairn_pose2){m->x_m, m->y_m, m->yaw_rad};
	app->has_pose = true;
	app->map_id = m->map_id;
	cairn_scene_map(app->scene, m->map_id);
	return false;
}

static bool take_features(void *core, const void *message, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	(void)hdr, (void)now_ns;
	memcpy(&app->features, message, sizeof(app->features));
	app->has_features = true;
	return false;
}

/* What the model has called the rooms, by where it was when it said so. */
CAIRN_TAKE(take_rooms, app, places, cairn_scene_call_rooms(core->scene, m))

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_PLAUSIBLE, take_pose},
    {CAIRN_TOPIC_FEATURES, CAIRN_ACCEPT_PLAUSIBLE, take_features},
    {CAIRN_TOPIC_ROOMS, CAIRN_ACCEPT_PLAUSIBLE, take_rooms},
    {CAIRN_TOPIC_DETECTIONS, CAIRN_ACCEPT_FRESH, take_detections},
    {CAIRN_TOPIC_SIGHTINGS, CAIRN_ACCEPT_PLAUSIBLE, take_sightings},
    {.take = NULL},
};

static void take_grid(
    struct app *app, const struct cairn_frame_header *hdr, const uint8_t *cells, int64_t now_ns)
{
	size_t bytes = (size_t)hdr->width * hdr->height;
	bool ok = hdr->format == CAIRN_FORMAT_GRID8 && hdr->stride_bytes == hdr->width &&
		  hdr->payload_bytes >= bytes && hdr->cell_m > 0.0 && isfinite(hdr->origin_x_m) &&
		  isfinite(hdr->origin_y_m);
	if (!ok) {
		cairn_stage_count_reject(app->stage);
		return;
	}
	uint64_t hash = cairn_hash_bytes(CAIRN_HASH_START, cells, bytes);
	if (hash == app->map_hash)
		return;
	struct cairn_scene_grid grid = {
	    cells, hdr->width, hdr->height, hdr->origin_x_m, hdr->origin_y_m, hdr->cell_m};
	bool done =
	    cairn_scene_on_grid(app->scene, &grid, app->robot, app->has_features ? &app->features : NULL);
	cairn_stage_tried(
	    app->stage, "divide the map into rooms", done ? NULL : "no memory, or the map is too large");
	app->map_hash = hash;
	size_t known = 0;
	for (size_t i = 0; i < bytes; i++)
		known += cells[i] != UNKNOWN_CELL;
	app->known_m2 = (double)known * hdr->cell_m * hdr->cell_m;
	app->t_map_ns = now_ns;
}

static int on_grid(void *ctx)
{
	struct app *app = ctx;
	const struct cairn_frame_header *hdr;
	int64_t now_ns = cairn_now_ns();
	if (!app->has_pose || now_ns - app->t_map_ns < MAP_NS)
		return 0;
	const uint8_t *cells = cairn_frame_take(app->grid_sub, &hdr);
	if (cells != NULL)
		take_grid(app, hdr, cells, now_ns);
	cairn_frame_release(app->grid_sub);
	return 0;
}

static int checkpoint(void *ctx)
{
	struct app *app = ctx;
	struct cairn_error err = {""};
	uint64_t version = cairn_scene_version(app->scene);
	if (version == app->saved_version)
		return 0;
	bool ok = cairn_scene_save(app->scene, app->path, &err);
	cairn_stage_tried(app->stage, "save the scene", ok ? NULL : err.text);
	if (ok)
		app->saved_version = version;
	return 0;
}

static void on_question(void *ctx, const struct cairn_msg_command *command, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	if (strcmp(command->verb, cairn_commands[CAIRN_COMMAND_SCENE_SAVE].verb) == 0) {
		(void)checkpoint(app);
		reply->ok = cairn_scene_version(app->scene) == app->saved_version;
		snprintf(reply->text, sizeof(reply->text),
		    reply->ok ? "%s is as new as the graph" : "%s could not be written",
		    CAIRN_SCENE_FILE_NAME);
		return;
	}
	cairn_scene_command(app->scene, command, app->has_pose ? &app->robot : NULL, unix_s(), reply);
	/* A person's word outlives a kill from now on. */
	if (reply->ok && strcmp(command->verb, cairn_commands[CAIRN_COMMAND_SCENE_CALL].verb) == 0)
		(void)checkpoint(app);
}

/* Questions are no commands: they are not told to others, and not logged. A name for a room is one. */
static void on_done(void *ctx, const struct cairn_msg_commanded *done)
{
	if (strcmp(done->verb, cairn_commands[CAIRN_COMMAND_SCENE_CALL].verb) == 0)
		cairn_stage_commanded(ctx, done);
}

static int on_questions(void *ctx)
{
	struct app *app = ctx;
	cairn_server_serve(app->server);
	return 0;
}

static int publish(void *ctx)
{
	struct app *app = ctx;
	char note[96];
	cairn_scene_message(app->scene, app->robot, &app->message);
	app->message.update_ms = app->update_ms;
	(void)cairn_pub_send(app->pub, &app->message, cairn_now_ns(), true);
	snprintf(note, sizeof(note), "%u things, %u rooms, %u places, %u stale", app->message.objects,
	    app->message.rooms, app->message.places, app->message.stale);
	cairn_stage_note(app->stage, note);
	return 0;
}

static uint32_t things_of(const struct app *app)
{
	const struct cairn_scene_object *objects;
	return cairn_scene_objects(app->scene, &objects);
}

/* Somebody else's graph: one that cannot be used stays where it is. */
static void begin_with(struct app *app, const char *path)
{
	struct cairn_error err = {""};
	bool damaged;
	if (access(path, F_OK) != 0)
		cairn_log_error(
		    "scene.start_file: %s: %s; beginning with an empty scene", path, strerror(errno));
	else if (!cairn_scene_load(app->scene, path, &damaged, &err))
		cairn_log_error("scene.start_file: %s; beginning with an empty scene", err.text);
	else
		cairn_log_info("beginning with %s: %u things", path, things_of(app));
}

/* What the stage before has kept. A damaged file is put aside. */
static void recall(struct app *app)
{
	struct cairn_error err = {""};
	const char *start = app->cfg->scene.start_file;
	bool damaged;
	snprintf(app->path, sizeof(app->path), "%s/state/%s", cairn_stage_run_dir(app->stage),
	    CAIRN_SCENE_FILE_NAME);
	bool first = access(app->path, F_OK) != 0;
	if (!cairn_scene_load(app->scene, app->path, &damaged, &err)) {
		cairn_stage_put_aside(app->path, err.text, "an empty scene");
		return;
	}
	app->saved_version = cairn_scene_version(app->scene);
	if (first && start[0] != '\0')
		begin_with(app, start);
	else if (things_of(app) > 0)
		cairn_log_info("going on with %s: %u things", app->path, things_of(app));
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	app->scene = cairn_scene_new(app->cfg);
	if (app->scene == NULL)
		return false;
	recall(app);
	if (!cairn_stage_declared_inputs(stage, outside, app, NULL, NULL, err))
		return false;
	app->grid_sub = cairn_stage_frame_sub(stage, CAIRN_FRAME_MAP_GRID, err);
	if (app->grid_sub == NULL)
		return false;
	if (app->cfg->scene.pictures_mb > 0.0) {
		app->store = store_new(app->stage, app->scene, err);
		if (app->store == NULL)
			return false;
	}
	app->server =
	    cairn_server_new(cairn_stage_bus(app->stage), CAIRN_SERVICE_SCENE, on_question, app, err);
	if (app->server == NULL)
		return false;
	cairn_stage_tell_commands(app->stage);
	cairn_server_on_done(app->server, on_done, app->stage);
	cairn_stage_watch_socket(app->stage, cairn_server_socket(app->server), on_questions, app);
	app->pub = cairn_stage_publish(app->stage, CAIRN_TOPIC_SCENE);
	cairn_stage_inputs(app->stage, inputs, app, NULL, NULL);
	cairn_stage_every(app->stage, GRID_MS, on_grid, app);
	cairn_stage_every(app->stage, PUBLISH_MS, publish, app);
	cairn_stage_every(app->stage, (int)(app->cfg->scene.checkpoint_s * 1e3), checkpoint, app);
	return true;
}

static void save_all(void *ctx)
{
	(void)checkpoint(ctx);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	store_destroy(&app->store);
	cairn_scene_destroy(&app->scene);
}

CAIRN_STAGE_MAIN("cairn-scene", "keeps what is in the house: things, rooms, places", struct app,
    .open = open_all, .ended = save_all, .close = close_all)
