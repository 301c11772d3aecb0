/* eval_bus.c - do the tables agree with each other? What a table allows, the code has to carry. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procs/lab/bench.h"
#include "procs/cli/cli.h"

#define MESSAGE_MAX (256 * 1024) /* what a reader of the bus takes */

#define STAGE(id, name, program, uses_iceoryx, when, without, doc) name,
static const char *const stages[] = {
#include "procs/launcher/stages.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

__attribute__((format(printf, 2, 3))) static void violation(json_t *list, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_array_append_new(list, json_string(text));
}

static bool is_stage(const char *name)
{
	for (size_t i = 0; i < COUNT(stages); i++) {
		if (strcmp(stages[i], name) == 0)
			return true;
	}
	return strcmp(name, "launcher") == 0;
}

/* Names share one folder of sockets: no topic may be called like another or like a service, or like a
 * heartbeat. */
static void check_names(json_t *list)
{
	const char *names[CAIRN_TOPIC_COUNT + CAIRN_SERVICE_COUNT];
	size_t n = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		names[n++] = cairn_topics[i].name;
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++)
		names[n++] = cairn_services[i].name;
	for (size_t i = 0; i < n; i++) {
		if (strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789._") != strlen(names[i]))
			violation(list, "%s: not a plain name", names[i]);
		for (size_t j = 0; j < i; j++) {
			if (strcmp(names[i], names[j]) == 0)
				violation(list, "%s: bound twice", names[i]);
		}
	}
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		for (int j = 0; j < i; j++) {
			if (strcmp(cairn_frame_topics[i].name, cairn_frame_topics[j].name) == 0)
				violation(list, "%s: two frames of this name", cairn_frame_topics[i].name);
		}
	}
}

static void check_publishers(json_t *list)
{
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		const struct cairn_topic_row *t = &cairn_topics[i];
		bool every_stage = strcmp(t->stage, "*") == 0, outside = cairn_topic_is_declared(t);
		bool tool = strcmp(t->stage, "cairn") == 0; /* the command-line tool itself */
		if (!every_stage && !outside && !tool && !is_stage(t->stage))
			violation(list, "%s: its publisher '%s' is no stage", t->name, t->stage);
		if (every_stage != (i == CAIRN_TOPIC_HEARTBEAT || i == CAIRN_TOPIC_COMMANDED))
			violation(list, "%s: only heartbeats and commands come from every stage", t->name);
		/* One late or lost message must not make a topic stale. */
		if (t->rate_hz > 0.0 && t->max_age_ms > 0 && t->max_age_ms * 1e-3 * t->rate_hz < 2.0)
			violation(list, "%s: stale after %d ms, less than two of its periods", t->name,
			    t->max_age_ms);
	}
	for (int i = 0; i < CAIRN_FRAME_COUNT; i++) {
		if (!is_stage(cairn_frame_topics[i].stage))
			violation(list, "%s: its publisher '%s' is no stage", cairn_frame_topics[i].name,
			    cairn_frame_topics[i].stage);
	}
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		if (!is_stage(cairn_services[i].stage))
			violation(list, "%s: its stage '%s' is no stage", cairn_services[i].name,
			    cairn_services[i].stage);
	}
}

static void check_verbs(json_t *list)
{
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		if (strlen(cairn_commands[i].verb) >= sizeof(((struct cairn_msg_command *)NULL)->verb))
			violation(list, "%s: too long for a command", cairn_commands[i].verb);
		for (int j = 0; j < i; j++) {
			if (cairn_commands[i].service == cairn_commands[j].service &&
			    strcmp(cairn_commands[i].verb, cairn_commands[j].verb) == 0)
				violation(list, "%s: twice in %s", cairn_commands[i].verb,
				    cairn_services[cairn_commands[i].service].name);
		}
	}
}

/* Fills a message as full as its table allows. */
static void fill(const struct cairn_msg_desc *desc, char *msg)
{
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t n = f->repeated ? f->capacity : 1;
		if (f->repeated)
			memcpy(msg + f->count_offset, &n, sizeof(n));
		for (uint32_t k = 0; k < n; k++) {
			char *at = msg + f->offset + k * f->stride;
			if (f->kind == CAIRN_FIELD_STR)
				memset(at, 'x', f->capacity - 1);
			else if (f->kind == CAIRN_FIELD_MSG)
				fill(f->msg_of, at);
			else if (f->kind == CAIRN_FIELD_I64 || f->kind == CAIRN_FIELD_U64)
				memset(at, 0x7f, sizeof(int64_t));
			else if (f->kind == CAIRN_FIELD_I32 || f->kind == CAIRN_FIELD_U32)
				memset(at, 0x7f, sizeof(int32_t));
		}
	}
}

/* The largest message each topic can have must pass the bus and come back the same; the size of the largest.
 */
static int check_sizes(json_t *list, const char **ret_name)
{
	int largest = 0;
	char *buf = malloc(MESSAGE_MAX);
	for (int i = 0; i < CAIRN_TOPIC_COUNT && buf != NULL; i++) {
		const struct cairn_msg_desc *desc = cairn_topics[i].desc;
		struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, UINT64_MAX, UINT64_MAX, INT64_MAX, true},
				    back;
		struct cairn_error err = {""};
		char *msg = calloc(1, desc->size), *msg_back = calloc(1, desc->size);
		if (msg == NULL || msg_back == NULL)
			abort();
		fill(desc, msg);
		int n = cairn_msg_encode(desc, cairn_topics[i].name, &hdr, msg, buf, MESSAGE_MAX);
		if (n < 0)
			violation(list, "%s: a full message does not fit into %d bytes", cairn_topics[i].name,
			    MESSAGE_MAX);
		else if (cairn_msg_decode(desc, buf, (size_t)n, &back, msg_back, &err) != 0)
			violation(list, "%s: a full message is not read back: %.100s", cairn_topics[i].name,
			    err.text);
		else if (memcmp(msg, msg_back, desc->size) != 0)
			violation(list, "%s: a full message comes back changed", cairn_topics[i].name);
		if (n > largest) {
			largest = n;
			*ret_name = cairn_topics[i].name;
		}
		free(msg);
		free(msg_back);
	}
	free(buf);
	return largest;
}

enum cairn_eval_end cairn_eval_bus(const struct cli *cli, json_t *figures)
{
	(void)cli;
	json_t *list = json_array();
	const char *largest_name = "";
	check_names(list);
	check_publishers(list);
	check_verbs(list);
	int largest = check_sizes(list, &largest_name);
	bool passed = json_array_size(list) == 0;
	json_object_set_new(figures, "topics", json_integer(CAIRN_TOPIC_COUNT));
	json_object_set_new(figures, "frames", json_integer(CAIRN_FRAME_COUNT));
	json_object_set_new(figures, "services", json_integer(CAIRN_SERVICE_COUNT));
	json_object_set_new(figures, "verbs", json_integer(CAIRN_COMMAND_COUNT));
	json_object_set_new(figures, "stages", json_integer((json_int_t)COUNT(stages)));
	json_object_set_new(figures, "largest_message", json_string(largest_name));
	json_object_set_new(figures, "largest_message_bytes", json_integer(largest));
	json_object_set_new(figures, "violations", list);
	return passed;
}
