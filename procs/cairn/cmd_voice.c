/* cmd_voice.c - `cairn hear` tells what the robot would understand of a sound, and does it when told to; `cairn say` speaks. Both without
 * a stack, too. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/voice/speech_queue.h"
#include "common/voice/talk.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/topic_reader.h"
#include "procs/voice/recognizer.h"
#include "procs/voice/sound_device.h"
#include "procs/voice/synthesizer.h"

#define SCENE_NS (2 * CAIRN_NS_PER_S) /* for a first word of the scene graph */
#define ANSWER_MS 2000

/* A stream of samples in which one second is one of the dialogue's. */
struct hearing {
	const struct cli *cli;
	bool act;
	int failed;
	struct cairn_config cfg;
	struct cairn_talk talk;
	struct recognizer *recognizer;
	struct cairn_msg_scene scene;
	size_t now; /* samples so far */
};

static int64_t stream_ns(size_t sample)
{
	return CAIRN_NS_PER_S + (int64_t)((double)sample / CAIRN_SOUND_HZ * CAIRN_NS_PER_S);
}

/* The names to listen for: of --names, of the stack that runs, or none. */
static bool learn(struct hearing *h, struct cairn_error *err)
{
	static struct topic_reader r;
	const char *given = cli_value(h->cli, "names");
	char name[CAIRN_VOICE_NAME_CAP];
	struct cairn_header hdr;
	if (given == NULL && cli_bus_bound(h->cli->run_dir, cairn_topics[CAIRN_TOPIC_SCENE].name) &&
	    topic_reader_open(h->cli, cairn_topics[CAIRN_TOPIC_SCENE].name, &r) == CLI_OK) {
		if (topic_reader_next(&r, cli_now_ns() + SCENE_NS, &hdr) == 1)
			memcpy(&h->scene, r.msg, sizeof(h->scene));
		topic_reader_close(&r);
	}
	cairn_voice_names_from(
	    &h->talk.names, &h->scene, h->cfg.choice.waypoints, recognizer_knows, h->recognizer);
	for (const char *p = given != NULL ? given : ""; *p != '\0'; p += strspn(p, ",")) {
		size_t n = strcspn(p, ",");
		snprintf(name, sizeof(name), "%.*s", (int)n, p);
		cairn_voice_name_add(&h->talk.names, name, name, recognizer_knows, h->recognizer);
		p += n;
	}
	if (h->talk.names.unknown_count > 0)
		fprintf(stderr, "cairn hear: no pronunciation is known for %s\n", h->talk.names.unknown);
	cairn_facts_scene(&h->talk.facts, &h->scene);
	return recognizer_names(h->recognizer, h->cfg.voice.wake_word, &h->talk.names, err);
}

static void do_it(struct hearing *h, const struct cairn_talk_act *a)
{
	struct cairn_msg_reply reply = {.ok = true};
	struct cairn_error err = {""};
	enum cairn_service service = cairn_commands[a->command].service;
	struct cairn_vec2 at;
	char said[160];
	struct cairn_msg_command cmd = a->request;
	if (!h->act) {
		cairn_talk_replied(&h->talk, a->tag, true, "not done without --do", stream_ns(h->now));
		return;
	}
	if (a->command == CAIRN_COMMAND_GOTO && cli_scene_find(h->cli, cmd.arg, &at, said, sizeof(said))) {
		cmd.arg[0] = '\0';
		cmd.x_m = at.x_m;
		cmd.y_m = at.y_m;
	}
	if (cairn_ask(h->cli->run_dir, service, &cmd, &reply, ANSWER_MS, &err) != 0) {
		reply.ok = false;
		snprintf(reply.text, sizeof(reply.text), "%.200s", err.text);
	}
	h->failed += !reply.ok;
	cairn_talk_replied(&h->talk, a->tag, reply.ok, reply.text, stream_ns(h->now));
}

static void print_heard(const struct hearing *h, const struct cairn_msg_heard *m)
{
	static char text[2048];
	if (h->cli->json) {
		if (cairn_msg_to_json(&cairn_desc_heard, NULL, m, text, sizeof(text)) > 0)
			printf("%s\n", text);
		return;
	}
	printf("%-34s %4.2f  %-9s", m->words[0] != '\0' ? m->words : "(nothing)", m->confidence,
	    cairn_enum_text(&cairn_enum_heard_verdict, (int)m->verdict));
	if (m->command[0] != '\0')
		printf(" %s%s", m->command, m->spotted ? " (spotted)" : "");
	printf("%s%s\n", m->reply[0] != '\0' ? ": " : "", m->reply);
}

static void act_all(struct hearing *h)
{
	static struct cairn_talk_act a;
	while (cairn_talk_take(&h->talk, &a)) {
		if (a.kind == CAIRN_TALK_COMMAND)
			do_it(h, &a);
		else if (a.kind == CAIRN_TALK_HEARD)
			print_heard(h, &a.heard);
	}
}

static void on_event(void *ctx, const struct recognizer_event *e)
{
	struct hearing *h = ctx;
	int64_t now_ns = stream_ns(h->now);
	struct cairn_utterance u = {e->words, e->confidence, stream_ns(e->begin), stream_ns(e->at)};
	if (e->kind == RECOGNIZER_STOP)
		cairn_talk_stop(&h->talk, e->words, e->confidence, u.t_end_ns, now_ns);
	else
		cairn_talk_hear(&h->talk, &u, now_ns);
	act_all(h);
}

static void hear_all(struct hearing *h, const struct cairn_sound *sound)
{
	const size_t piece = CAIRN_SOUND_HZ / 10;
	for (size_t at = 0; at < sound->count; at += piece) {
		size_t n = sound->count - at < piece ? sound->count - at : piece;
		h->now += n;
		recognizer_feed(h->recognizer, sound->pcm + at, n, on_event, h);
		cairn_talk_step(&h->talk, stream_ns(h->now));
		act_all(h);
	}
	h->now += CAIRN_SOUND_HZ;
	recognizer_flush(h->recognizer, on_event, h);
}

static bool read_sound(const char *path, struct cairn_sound *ret, struct cairn_error *err)
{
	size_t bytes;
	struct cairn_error why = {""};
	char *data = cairn_file_read(path, 0, CAIRN_SOUND_BYTES_MAX, &bytes, err);
	bool ok = data != NULL && cairn_sound_from_wav((const uint8_t *)data, bytes, ret, &why);
	if (data != NULL && !ok)
		cairn_error_set(err, "%s: %.300s", path, why.text);
	free(data);
	return ok;
}

/* The configuration in force where a stack runs, the defaults elsewhere; --set over it. */
static bool configure(const struct cli *cli, struct cairn_config *cfg, struct cairn_error *err)
{
	char path[CLI_RUN_DIR_MAX + 16];
	int count;
	const char *const *sets = cli_values(cli, "set", &count);
	cairn_config_defaults(cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	if (cli_bus_bound(cli->run_dir, cairn_services[CAIRN_SERVICE_LAUNCHER_CTL].name) &&
	    !cairn_config_load(cfg, path, err))
		return false;
	for (int i = 0; i < count; i++)
		if (!cairn_config_set(cfg, sets[i], "--set", err))
			return false;
	return true;
}

int cli_hear(const struct cli *cli)
{
	static struct hearing h; /* messages are too large for the stack */
	struct cairn_error err = {""};
	struct cairn_sound sound = {NULL, 0};
	memset(&h, 0, sizeof(h));
	h.cli = cli;
	h.act = cli_value(cli, "do") != NULL;
	int status = h.act ? cli_need_stack(cli) : CLI_OK;
	if (status != CLI_OK)
		return status;
	if (!configure(cli, &h.cfg, &err) || !cairn_talk_init(&h.talk, &h.cfg.voice, &err) ||
	    !read_sound(cli->args[0], &sound, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	h.recognizer = recognizer_new(h.cfg.voice.model_dir, h.cfg.voice.stop_confidence, &err);
	if (h.recognizer == NULL || !learn(&h, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text);
	else {
		if (cli_value(cli, "awake") != NULL)
			cairn_talk_push(&h.talk, stream_ns(0));
		hear_all(&h, &sound);
		status = h.failed > 0 ? CLI_FAILED : CLI_OK;
	}
	recognizer_destroy(&h.recognizer);
	cairn_sound_free(&sound);
	return status;
}

/* ---- speaking ---- */

static int write_wav(const struct cli *cli, const char *path, const struct cairn_sound *sound)
{
	struct cairn_replace r;
	struct cairn_error err = {""};
	uint8_t head[CAIRN_WAV_HEAD_BYTES];
	cairn_wav_head(head, sound->count);
	if (!cairn_replace_begin(&r, path, CAIRN_FILE_NO_SYNC, 0644, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	cairn_replace_add(&r, head, sizeof(head));
	cairn_replace_add(&r, sound->pcm, sound->count * sizeof(*sound->pcm));
	return cairn_replace_end(&r, &err) ? CLI_OK : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

static int play(const struct cli *cli, const char *device, const struct cairn_sound *sound)
{
	struct cairn_error err = {""};
	struct sound_device *d = sound_device_open(device, cli->run_dir, false, &err);
	if (d == NULL)
		return cli_fail(cli, CLI_FAILED, "%s; with --out FILE it is written instead", err.text);
	cli_catch_signals();
	sound_device_play(d, sound->pcm, sound->count, cli_now_ns());
	while (!cli_interrupted() && sound_device_playing(d, cli_now_ns(), &err))
		(void)poll(NULL, 0, 20);
	sound_device_close(&d);
	return err.text[0] == '\0' ? CLI_OK : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

int cli_say(const struct cli *cli)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_sound sound;
	char text[256] = "";
	size_t n = 0;
	if (!configure(cli, &cfg, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	for (int i = 0; i < cli->arg_count && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i > 0 ? " " : "", cli->args[i]);
	if (n >= sizeof(text))
		return cli_fail(cli, CLI_USAGE, "more than %zu letters", sizeof(text) - 1);
	/* The stage speaks where there is one: two voices at once nobody understands. */
	if (cli_value(cli, "out") == NULL &&
	    cli_bus_bound(cli->run_dir, cairn_services[CAIRN_SERVICE_SPEECH].name))
		return cli_ask_verb(cli);
	struct voice_style style = {cfg.voice.synthesizer, cfg.voice.speaker, cfg.voice.words_per_minute};
	if (!synthesizer_say(&style, text, &sound, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	const char *out = cli_value(cli, "out");
	int status =
	    out != NULL
		? write_wav(cli, out, &sound)
		: play(cli, cfg.voice.speak_device[0] != '\0' ? cfg.voice.speak_device : "default", &sound);
	cairn_sound_free(&sound);
	return status;
}
