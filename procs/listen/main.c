/* listen - hears commands and questions: sound in, commands out, as an operator on this machine gives them (common/voice/talk). What it
 * has heard and what became of it is told on the topic heard; what it answers goes to the stage speak. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "common/voice/talk.h"
#include "procs/shell/stage.h"
#include "procs/voice/ear.h"
#include "procs/voice/sound_device.h"
#include "procs/voice/transcriber.h"

#define TURN_MS 20
#define NAMES_MS 2000
#define PIECE 1600

struct asked {
	struct cairn_client *client;
	enum cairn_service service;
};

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_talk talk;
	struct ear *ear;
	struct ear_event event;
	struct cairn_voice_names wanted;
	uint64_t lost; /* samples, as the decoder was too far behind */
	bool hears;
	struct sound_device *device;
	struct transcriber *transcriber; /* NULL: none is set */
	struct cairn_outbox *outbox;
	struct asked asked[3];          /* operator, motor, scene */
	struct cairn_msg_command going; /* a goto whose name the scene graph is asked about first */
	uint64_t going_tag;             /* 0: none */
	uint64_t fed;                   /* samples so far */
	int64_t t_fed_ns;               /* the last of them was heard then */
	struct cairn_msg_scene scene;
	uint64_t names_hash;
};

/* ---- what is known ---- */

static bool take_scene(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	struct app *app = core;
	(void)hdr, (void)now_ns;
	memcpy(&app->scene, m, sizeof(app->scene));
	cairn_facts_scene(&app->talk.facts, &app->scene);
	return false;
}

CAIRN_TAKE(take_mission, app, mission, (cairn_facts_mission(&core->talk.facts, m), 0))
CAIRN_TAKE(take_health, app, health, (cairn_facts_health(&core->talk.facts, m), 0))
CAIRN_TAKE(take_battery, app, battery, (core->talk.facts.battery_percent = m->percent, 0))
CAIRN_TAKE(take_spoken, app, spoken, (cairn_talk_spoken(&core->talk, m, now_ns), 0))

static const struct cairn_in inputs[] = {
    {CAIRN_TOPIC_SPOKEN, CAIRN_ACCEPT_PLAUSIBLE, take_spoken},
    {CAIRN_TOPIC_MISSION, CAIRN_ACCEPT_PLAUSIBLE, take_mission},
    {CAIRN_TOPIC_SCENE, CAIRN_ACCEPT_PLAUSIBLE, take_scene},
    {CAIRN_TOPIC_HEALTH, CAIRN_ACCEPT_PLAUSIBLE, take_health},
    {CAIRN_TOPIC_BATTERY, CAIRN_ACCEPT_PLAUSIBLE, take_battery},
    {.take = NULL},
};

static const struct cairn_out outputs[] = {
    {CAIRN_TOPIC_HEARD, 0},
    {CAIRN_TOPIC_SAY, 0},
    {CAIRN_TOPIC_COUNT, 0},
};

/* What can be said follows what is known. The order of things changes with every look; only what they are called counts. */
static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cairn_voice_name *)a)->said, ((const struct cairn_voice_name *)b)->said);
}

static int learn_names(void *ctx)
{
	struct app *app = ctx;
	struct cairn_voice_names *w = &app->wanted;
	uint64_t hash = CAIRN_HASH_START;
	cairn_voice_names_from(w, &app->scene, app->cfg->choice.waypoints, NULL, NULL);
	qsort(w->items, w->count, sizeof(w->items[0]), by_name);
	for (uint32_t i = 0; i < w->count; i++) {
		hash = cairn_hash_bytes(hash, w->items[i].said, strlen(w->items[i].said) + 1);
		hash = cairn_hash_bytes(hash, w->items[i].id, strlen(w->items[i].id) + 1);
	}
	if (hash != app->names_hash)
		ear_names(app->ear, w);
	app->names_hash = hash;
	return 0;
}

/* ---- commands ---- */

static void put(struct app *app, enum cairn_service service, uint64_t tag, struct cairn_msg_command *cmd)
{
	for (size_t i = 0; i < sizeof(app->asked) / sizeof(app->asked[0]); i++) {
		if (app->asked[i].service != service)
			continue;
		cmd->expires_ns = cairn_now_ns() + CAIRN_TALK_ANSWER_MS * INT64_C(1000000);
		if (cairn_client_send(app->asked[i].client, tag, cmd) != 0)
			cairn_talk_replied(
			    &app->talk, tag, false, "whoever does that is not there", cairn_now_ns());
	}
}

/* A goto by name: the scene graph knows where to stand for it, the sequencer knows only rooms and places by name. */
static void give(struct app *app, const struct cairn_talk_act *a)
{
	struct cairn_msg_command cmd = a->request;
	enum cairn_service service = cairn_commands[a->command].service;
	app->going_tag = 0;
	if (a->command == CAIRN_COMMAND_GOTO) {
		app->going = cmd;
		app->going_tag = a->tag;
		snprintf(cmd.verb, sizeof(cmd.verb), "resolve");
		service = CAIRN_SERVICE_SCENE;
	}
	put(app, service, a->tag, &cmd);
}

static void go(struct app *app, const struct cairn_msg_reply *reply)
{
	json_t *j = json_loads(reply->data, 0, NULL), *at = json_object_get(j, "approach");
	uint64_t tag = app->going_tag;
	app->going_tag = 0;
	if (json_is_true(json_object_get(j, "found")) && json_is_object(at)) {
		app->going.arg[0] = '\0';
		app->going.x_m = json_number_value(json_object_get(at, "x_m"));
		app->going.y_m = json_number_value(json_object_get(at, "y_m"));
	}
	json_decref(j);
	put(app, CAIRN_SERVICE_OPERATOR, tag, &app->going);
}

static void act(struct app *app);

static int on_reply(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_reply reply;
	uint64_t tag;
	for (size_t i = 0; i < sizeof(app->asked) / sizeof(app->asked[0]); i++)
		while (cairn_client_recv(app->asked[i].client, &tag, &reply) == 1) {
			if (app->asked[i].service == CAIRN_SERVICE_SCENE && tag == app->going_tag)
				go(app, &reply);
			else
				cairn_talk_replied(&app->talk, tag, reply.ok, reply.text, cairn_now_ns());
		}
	act(app);
	return 0;
}

static void tell_heard(struct app *app, const struct cairn_msg_heard *m)
{
	cairn_log_info("heard '%s' (%.2f): %s%s%s: %s", m->words, m->confidence,
	    cairn_enum_text(&cairn_enum_heard_verdict, (int)m->verdict), m->command[0] != '\0' ? ", " : "",
	    m->command, m->reply);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_HEARD, m, true, cairn_now_ns());
}

static void transcribe(struct app *app)
{
	struct cairn_error err = {"nobody writes it down"};
	struct cairn_sound said = {NULL, 0};
	bool sent = app->transcriber != NULL && ear_last(app->ear, &said) &&
		    transcriber_send(app->transcriber, said.pcm, said.count);
	cairn_sound_free(&said);
	if (!sent)
		cairn_talk_transcribed(&app->talk, NULL, &err, cairn_now_ns());
}

static void act(struct app *app)
{
	static struct cairn_talk_act a;
	while (cairn_talk_take(&app->talk, &a)) {
		if (a.kind == CAIRN_TALK_COMMAND)
			give(app, &a);
		else if (a.kind == CAIRN_TALK_SAY)
			cairn_outbox_put(app->outbox, CAIRN_TOPIC_SAY, &a.say, true, cairn_now_ns());
		else if (a.kind == CAIRN_TALK_HEARD)
			tell_heard(app, &a.heard);
		else
			transcribe(app);
	}
}

static int on_transcribed(void *ctx)
{
	struct app *app = ctx;
	const char *text;
	struct cairn_error err;
	if (transcriber_take(app->transcriber, &text, &err))
		cairn_talk_transcribed(&app->talk, text, &err, cairn_now_ns());
	act(app);
	return 0;
}

/* ---- sound ---- */

static int64_t when(const struct app *app, size_t sample)
{
	return app->t_fed_ns - (int64_t)(((double)app->fed - (double)sample) / CAIRN_SOUND_HZ * 1e9);
}

static void heard(struct app *app, const struct recognizer_event *e)
{
	int64_t now_ns = cairn_now_ns();
	if (e->kind == RECOGNIZER_STOP) {
		cairn_talk_stop(&app->talk, e->words, e->confidence, when(app, e->at), now_ns);
	} else {
		struct cairn_utterance u = {e->words, e->confidence, when(app, e->begin), when(app, e->at)};
		cairn_talk_hear(&app->talk, &u, now_ns);
	}
	act(app);
}

static void take_names(struct app *app)
{
	app->talk.names = app->event.names;
	cairn_log_info("%u names can be said", app->talk.names.count);
	if (app->talk.names.unknown_count > 0)
		cairn_log_warn(
		    "no pronunciation is known for %s: these names cannot be said", app->talk.names.unknown);
	app->hears = true;
}

static int on_ear(void *ctx)
{
	struct app *app = ctx;
	while (ear_take(app->ear, &app->event)) {
		if (app->event.kind == EAR_FAILED) {
			cairn_log_error("%s", app->event.err.text);
			return -1;
		}
		if (app->event.kind == EAR_NAMES)
			take_names(app);
		else
			heard(app, &app->event.heard);
	}
	return 0;
}

static int turn(void *ctx)
{
	struct app *app = ctx;
	int16_t pcm[PIECE];
	struct cairn_error err = {""};
	long n;
	if (app->hears)
		cairn_stage_note(app->stage, app->talk.state == CAIRN_TALK_CLOSED
						 ? "listens for its wake word"
						 : "listens to somebody");
	do {
		int64_t now_ns = cairn_now_ns();
		n = sound_device_read(app->device, pcm, PIECE, now_ns, &err);
		if (n < 0) {
			cairn_log_error("%s", err.text);
			return -1;
		}
		if (!app->hears)
			continue; /* what was said before nobody has heard */
		size_t lost = ear_feed(app->ear, pcm, (size_t)n);
		app->lost += lost;
		app->fed += (uint64_t)n - lost;
		app->t_fed_ns = now_ns;
		cairn_stage_tried(app->stage, "hear all",
		    lost == 0 ? NULL : "the recogniser is 20 s behind: the machine is too slow or too busy");
	} while (n == PIECE);
	cairn_talk_step(&app->talk, cairn_now_ns());
	act(app);
	return 0;
}

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct app *app = ctx;
	int64_t now_ns = cairn_now_ns();
	reply->ok = true;
	cairn_talk_push(&app->talk, now_ns);
	if (strcmp(cmd->verb, "tell") == 0) { /* typed: certain */
		char plain[256];
		cairn_voice_plain(plain, sizeof(plain), cmd->arg);
		struct cairn_utterance u = {plain, 1.0, now_ns, now_ns};
		app->talk.deaf_until_ns = 0;
		cairn_talk_hear(&app->talk, &u, now_ns);
	}
	act(app);
	snprintf(
	    reply->text, sizeof(reply->text), "%s", strcmp(cmd->verb, "tell") == 0 ? "taken" : "it listens");
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	static const enum cairn_service services[] = {
	    CAIRN_SERVICE_OPERATOR, CAIRN_SERVICE_MOTOR_CTL, CAIRN_SERVICE_SCENE};
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	const struct cairn_config_voice *cfg = &app->cfg->voice;
	if (!cairn_talk_init(&app->talk, cfg, err))
		return false;
	app->device = sound_device_open(cfg->listen_device, cairn_stage_run_dir(app->stage), true, err);
	if (app->device == NULL)
		return false;
	if (cfg->transcriber_url[0] != '\0') {
		app->transcriber = transcriber_new(cfg, err);
		if (app->transcriber == NULL)
			return false;
		cairn_stage_watch_fd(
		    app->stage, transcriber_fd(app->transcriber), POLLIN, on_transcribed, app);
	}
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		app->asked[i] = (struct asked){
		    cairn_client_new(cairn_stage_bus(app->stage), services[i], err), services[i]};
		if (app->asked[i].client == NULL)
			return false;
		cairn_stage_watch_socket(
		    app->stage, cairn_client_socket(app->asked[i].client), on_reply, app);
	}
	app->outbox = cairn_stage_outputs(app->stage, outputs);
	cairn_stage_inputs(app->stage, inputs, app, NULL, NULL);
	cairn_stage_serve(app->stage, CAIRN_SERVICE_VOICE, on_command, app);
	cairn_stage_every(app->stage, TURN_MS, turn, app);
	cairn_stage_every(app->stage, NAMES_MS, learn_names, app);
	app->names_hash = CAIRN_HASH_START; /* of none, which it begins with */
	app->ear = ear_new(cfg, err);
	if (app->ear == NULL)
		return false;
	cairn_stage_watch_fd(app->stage, ear_fd(app->ear), POLLIN, on_ear, app);
	/* Ready before it has: a busy machine takes longer to load them than the launcher waits. */
	cairn_stage_note(app->stage, "loads its models");
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	transcriber_destroy(&app->transcriber);
	sound_device_close(&app->device);
	ear_destroy(&app->ear);
}

CAIRN_STAGE_MAIN("cairn-listen", "hears commands and questions in speech; an operator like others",
    struct app, .open = open_all, .close = close_all)
