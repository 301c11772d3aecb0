/* cmd_topics.c - the tables of ipc/ for people, programs and docs/bus.md. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/external/external.h"
#include "procs/cairn/commands.h"

#define EXTERNAL "external" /* the stage that publishes what programs outside hand in */
#define STAGES_MS 5000      /* connecting, and a second until the launcher says it again */

#define STAGE(id, name, program, uses_iceoryx, when, without, doc) name,
static const char *const stage_names[] = {
#include "procs/launcher/stages.def"
};

static const char *rate_text(double rate_hz, char *buf, size_t bytes)
{
	if (rate_hz > 0.0)
		snprintf(buf, bytes, "%g Hz", rate_hz);
	else
		snprintf(buf, bytes, "on change");
	return buf;
}

static const char *age_text(int max_age_ms, char *buf, size_t bytes)
{
	if (max_age_ms > 0)
		snprintf(buf, bytes, "%d ms", max_age_ms);
	else
		snprintf(buf, bytes, "-");
	return buf;
}

/* Who is there: by the sockets here, by what the launcher says of its stages there. */
struct there {
	const char *run_dir;
	const struct cairn_msg_stages *stages; /* NULL: here */
	struct cairn_external_topics declared; /* of the run here: elsewhere they are not known */
};

/* The topics of programs outside, as the run's configuration declares them. */
static void load_declared(struct there *there)
{
	static struct cairn_config cfg;
	struct cairn_error ignored;
	char path[CLI_RUN_DIR_MAX + 32];
	cairn_config_defaults(&cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", there->run_dir);
	if (cairn_config_load(&cfg, path, &ignored))
		(void)cairn_external_load(&there->declared, cfg.external.topics, &ignored);
}

static bool is_up(const struct there *there, const char *name, const char *stage)
{
	if (there->stages == NULL)
		return cli_bus_bound(there->run_dir, name);
	for (uint32_t i = 0; i < there->stages->items_count; i++)
		if (strcmp(there->stages->items[i].name, stage) == 0)
			return there->stages->items[i].state == CAIRN_STAGE_STATE_UP;
	return strcmp(stage, "launcher") == 0; /* which has just said so */
}

/* Is a publisher there? For heartbeats: of how many stages. Frames cannot be asked without joining the data
 * plane. */
static const char *alive_text(
    const struct there *who, const char *name, const char *stage, char *buf, size_t bytes)
{
	if (strcmp(stage, "*") != 0)
		return is_up(who, name, stage) ? "yes" : "no";
	size_t there = 0, all = sizeof(stage_names) / sizeof(stage_names[0]);
	for (size_t i = 0; i < all; i++) {
		char instance[96];
		snprintf(instance, sizeof(instance), "%s.%s", name, stage_names[i]);
		there += is_up(who, instance, stage_names[i]);
	}
	snprintf(buf, bytes, "%zu/%zu", there, all);
	return buf;
}

static void print_declared(const struct there *who, enum cairn_topic topic)
{
	char rate[24], age[24];
	for (uint32_t i = 0; i < who->declared.count; i++) {
		const struct cairn_external_topic *t = &who->declared.rows[i];
		if (t->topic == topic)
			printf("%-13s %-8s %-14s %-9s %-8s %-7s %-5s  %s\n", t->wire, "topic", EXTERNAL,
			    rate_text(t->rate_hz, rate, sizeof(rate)),
			    age_text((int)(t->max_age_s * 1e3), age, sizeof(age)), "every",
			    is_up(who, t->wire, EXTERNAL) ? "yes" : "no", t->about);
	}
}

static void print_text(const struct there *who)
{
	char rate[24], age[24], alive[24];
	printf("%-13s %-8s %-14s %-9s %-8s %-7s %-5s  %s\n", "NAME", "KIND", "FROM", "RATE", "MAX AGE",
	    "MODE", "THERE", "WHAT");
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		const struct cairn_topic_row *t = &cairn_topics[i];
		if (cairn_topic_is_declared(t)) {
			print_declared(who, (enum cairn_topic)i);
			continue;
		}
		printf("%-13s %-8s %-14s %-9s %-8s %-7s %-5s  %s\n", t->name, "topic", t->stage,
		    rate_text(t->rate_hz, rate, sizeof(rate)), age_text(t->max_age_ms, age, sizeof(age)),
		    t->mode == CAIRN_MODE_LATEST ? "latest" : "every",
		    alive_text(who, t->name, t->stage, alive, sizeof(alive)), t->doc);
	}
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		const struct cairn_frame_row *f = &cairn_frame_topics[i];
		printf("%-13s %-8s %-14s %-9s %-8s %-7s %-5s  %s\n", f->name, "frame", f->stage,
		    rate_text(f->rate_hz, rate, sizeof(rate)), age_text(f->max_age_ms, age, sizeof(age)),
		    "latest", "-", f->doc);
	}
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		const struct cairn_service_row *s = &cairn_services[i];
		printf("%-13s %-8s %-14s %-9s %-8s %-7s %-5s  %s\n", s->name, "service", s->stage, "-", "-",
		    "-", alive_text(who, s->name, s->stage, alive, sizeof(alive)), s->doc);
	}
}

static void print_json_row(const struct there *who, const char *kind, const char *name, const char *message,
    const char *stage, double rate_hz, int max_age_ms, const char *doc)
{
	char alive[24];
	printf("{\"kind\":\"%s\",\"name\":\"%s\",\"message\":\"%s\",\"from\":\"%s\",\"rate_hz\":%g,\"max_age_"
	       "ms\":%d,",
	    kind, name, message, stage, rate_hz, max_age_ms);
	if (strcmp(kind, "frame") != 0) {
		const char *text = alive_text(who, name, stage, alive, sizeof(alive));
		printf("\"there\":%s,",
		    strcmp(text, "no") != 0 && strncmp(text, "0/", 2) != 0 ? "true" : "false");
	}
	printf("\"doc\":");
	cli_print_json_string(stdout, doc);
	printf("}\n");
}

static int print_schema(const struct cli *cli, const char *name)
{
	static char schema[128 * 1024];
	const char *instance;
	int topic = cairn_topic_find(name) >= 0 ? cairn_topic_find(name) : cairn_topic_of(name, &instance);
	if (topic < 0)
		return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them", name);
	if (cairn_msg_json_schema(cairn_topics[topic].desc, schema, sizeof(schema)) < 0)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	puts(schema);
	return CLI_OK;
}

/* What the launcher of a robot elsewhere says of its stages. CLI_OK, or a status after a message. */
static int ask_stages(const struct cli *cli, struct cairn_msg_stages *ret)
{
	struct cairn_error err = {""};
	int status = CLI_OK, n = 0;
	const void *bytes = NULL;
	char name[CAIRN_KEY_TEXT];
	struct cairn_header hdr;
	struct cairn_remote *remote = cli_connect(cli, &status);
	if (remote == NULL)
		return status;
	if (!cairn_remote_watch(remote, cairn_topics[CAIRN_TOPIC_STAGES].name, &err) ||
	    (n = cairn_remote_recv(remote, name, &bytes, STAGES_MS)) <= 0 ||
	    cairn_msg_decode(&cairn_desc_stages, bytes, (size_t)n, &hdr, ret, &err) != 0)
		status = cli_fail(cli, n < 0 ? CLI_FAILED : CLI_ABSENT, "%s: %s", cli->connect,
		    n < 0 ? "the robot refuses the key: it is not on its list, or may not watch"
		    : err.text[0] != '\0' ? err.text
					  : "the robot does not say which stages it has");
	cairn_remote_close(&remote);
	return status;
}

int cli_topics(const struct cli *cli)
{
	const char *of = cli_value(cli, "schema");
	if (of != NULL)
		return print_schema(cli, of);
	if (cli_value(cli, "markdown") != NULL) {
		cli_print_bus_markdown(stdout);
		return CLI_OK;
	}
	static struct cairn_msg_stages stages; /* large */
	static struct there who;               /* large */
	who = (struct there){.run_dir = cli->run_dir};
	int status = cli->connect != NULL ? ask_stages(cli, &stages) : CLI_OK;
	if (status != CLI_OK)
		return status;
	who.stages = cli->connect != NULL ? &stages : NULL;
	if (cli->connect == NULL)
		load_declared(&who);
	if (!cli->json) {
		print_text(&who);
		return CLI_OK;
	}
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		const struct cairn_topic_row *t = &cairn_topics[i];
		if (!cairn_topic_is_declared(t))
			print_json_row(&who, "topic", t->name, t->desc->name, t->stage, t->rate_hz,
			    t->max_age_ms, t->doc);
	}
	for (uint32_t i = 0; i < who.declared.count; i++) {
		const struct cairn_external_topic *t = &who.declared.rows[i];
		print_json_row(&who, "topic", t->wire, cairn_topics[t->topic].desc->name, EXTERNAL,
		    t->rate_hz, (int)(t->max_age_s * 1e3), t->about);
	}
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		const struct cairn_frame_row *f = &cairn_frame_topics[i];
		print_json_row(&who, "frame", f->name, "", f->stage, f->rate_hz, f->max_age_ms, f->doc);
	}
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++)
		print_json_row(&who, "service", cairn_services[i].name, "command", cairn_services[i].stage,
		    0.0, 0, cairn_services[i].doc);
	return CLI_OK;
}

/* ---- docs/bus.md ---- */

static const char *type_text(const struct cairn_field *f, char *buf, size_t bytes)
{
	static const char *const kinds[] = {[CAIRN_FIELD_F64] = "float64",
	    [CAIRN_FIELD_F32] = "float32",
	    [CAIRN_FIELD_I64] = "int64",
	    [CAIRN_FIELD_U64] = "uint64",
	    [CAIRN_FIELD_I32] = "int32",
	    [CAIRN_FIELD_U32] = "uint32",
	    [CAIRN_FIELD_BOOL] = "bool",
	    [CAIRN_FIELD_STR] = "text"};
	char base[64];
	if (f->kind == CAIRN_FIELD_ENUM)
		snprintf(base, sizeof(base), "[%s](#enum-%s)", f->enum_of->name, f->enum_of->name);
	else if (f->kind == CAIRN_FIELD_MSG)
		snprintf(base, sizeof(base), "[%s](#%s)", f->msg_of->name, f->msg_of->name);
	else
		snprintf(base, sizeof(base), "%s", kinds[f->kind]);
	if (f->kind == CAIRN_FIELD_STR)
		snprintf(buf, bytes, "%s, at most %u bytes", base, f->capacity - 1);
	else if (f->repeated)
		snprintf(buf, bytes, "list of %s, at most %u", base, f->capacity);
	else
		snprintf(buf, bytes, "%s", base);
	return buf;
}

static void print_message(FILE *out, const struct cairn_msg_desc *desc)
{
	char type[128];
	fprintf(out, "\n### %s\n\n%c%s.\n\n| field | type | meaning |\n|---|---|---|\n", desc->name,
	    toupper((unsigned char)desc->doc[0]), desc->doc + 1);
	for (int i = 0; i < desc->field_count; i++)
		fprintf(out, "| `%s` | %s | %s |\n", desc->fields[i].name,
		    type_text(&desc->fields[i], type, sizeof(type)), desc->fields[i].doc);
}

static void print_enum(FILE *out, const struct cairn_enum_desc *desc)
{
	fprintf(out, "\n### enum %s\n\n%c%s.\n\n| value | meaning |\n|---|---|\n", desc->name,
	    toupper((unsigned char)desc->doc[0]), desc->doc + 1);
	for (int i = 0; i < desc->count; i++)
		fprintf(out, "| `%s` | %s |\n", desc->values[i].name, desc->values[i].doc);
}

static void print_rows(FILE *out)
{
	char rate[24], age[24];
	fprintf(out, "\n## Topics\n\n"
		     "| topic | message | from | rate | stale after | a reader sees | what it is for |\n"
		     "|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		const struct cairn_topic_row *t = &cairn_topics[i];
		fprintf(out, "| `%s` | [%s](#%s) | %s | %s | %s | %s | %s |\n", t->name, t->desc->name,
		    t->desc->name,
		    strcmp(t->stage, "*") == 0   ? "every stage"
		    : cairn_topic_is_declared(t) ? "[programs outside](consumers.md#topics-of-your-own)"
						 : t->stage,
		    rate_text(t->rate_hz, rate, sizeof(rate)), age_text(t->max_age_ms, age, sizeof(age)),
		    t->mode == CAIRN_MODE_LATEST ? "the newest" : "every one", t->doc);
	}
	fprintf(out,
	    "\n## Frames\n\n| frame | from | rate | stale after | what it is for |\n|---|---|---|---|---|\n");
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		const struct cairn_frame_row *f = &cairn_frame_topics[i];
		fprintf(out, "| `%s` | %s | %s | %s | %s |\n", f->name, f->stage,
		    rate_text(f->rate_hz, rate, sizeof(rate)), age_text(f->max_age_ms, age, sizeof(age)),
		    f->doc);
	}
	fprintf(out, "\nEach is the header `struct cairn_frame_header` of ipc/frames.h (96 bytes) and its "
		     "payload. The iceoryx\n"
		     "service is `cairn`, the instance `frames`, the event the name of the frame.\n");
	fprintf(out,
	    "\n## Services\n\n| service | verb | right | usage | what it does |\n|---|---|---|---|---|\n");
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++)
		fprintf(out, "| `%s` | `%s` | %s | `%s` | %s |\n",
		    cairn_services[cairn_commands[i].service].name, cairn_commands[i].verb,
		    cairn_enum_text(&cairn_enum_right, (int)cairn_commands[i].right), cairn_commands[i].usage,
		    cairn_commands[i].help);
	fprintf(out,
	    "\nThe right is what an operator from another machine needs ([remote](remote.md)); whoever may "
	    "open the sockets\nof the run directory has all. Commands that are not in the table are refused "
	    "and counted.\n");
}

void cli_print_bus_markdown(FILE *out)
{
	fprintf(out,
	    "# The bus\n\n"
	    "<!-- Made by `cairn topics --markdown` from ipc/*.def; do not edit. -->\n\n"
	    "Small messages travel over ZeroMQ PUB/SUB, one endpoint a topic: `ipc://RUN/bus/<topic>`, bound "
	    "by its one\n"
	    "publisher (what every stage publishes has one a stage: `heartbeat.<stage>`). One ZeroMQ message "
	    "is one msgpack "
	    "map\n\n"
	    "    {v, topic, seq, epoch, t_ns, valid, data: {...}}\n\n"
	    "`v` is the schema version (%d), `seq` rises by one with each message, `epoch` is random per "
	    "start of the\n"
	    "publisher, `t_ns` is the CLOCK_MONOTONIC time of what the message is about, `valid` is the "
	    "sender's own word.\n"
	    "Age is now minus `t_ns`, never the time of arrival. In JSON (`cairn echo`, `status --json`) "
	    "integers of 64 bits are\n"
	    "strings, since most readers of JSON keep numbers as doubles. Enum values travel as text. "
	    "Unknown fields "
	    "are skipped,\n"
	    "missing ones are zero. Units are part of the names; poses are in the map frame unless a field "
	    "says otherwise;\n"
	    "directions relative to the robot are radians counter-clockwise from straight ahead.\n\n"
	    "A service is asked with a [command](#command) from a DEALER or REQ socket and answers with a\n"
	    "[reply](#reply), both in the same wrapping. Large data are frames over iceoryx.\n",
	    CAIRN_SCHEMA_VERSION);
	print_rows(out);
	fprintf(out, "\n## Messages\n");
#define MSG_BEGIN(id, doc) print_message(out, &cairn_desc_##id);
#include "ipc/messages.def"
	fprintf(out, "\n## Enums\n");
#define ENUM_BEGIN(name, doc) print_enum(out, &cairn_enum_##name);
#include "ipc/enums.def"
}
