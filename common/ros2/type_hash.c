#include "common/ros2/type_hash.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_BYTES 32768
#define TYPES_MAX 48
#define NAME_BYTES 96
#define RULE "====" /* begins the line between two definitions */

/* Of type_description_interfaces/msg/FieldType. */
#define NESTED 1
#define FIXED_ARRAY 48
#define BOUNDED_SEQUENCE 96
#define SEQUENCE 144
#define BOUNDED_TEXT 4 /* from STRING to BOUNDED_STRING */

static const struct {
	const char *name;
	int id;
} built_in[] = {{"int8", 2}, {"uint8", 3}, {"char", 3}, {"int16", 4}, {"uint16", 5}, {"int32", 6},
    {"uint32", 7}, {"int64", 8}, {"uint64", 9}, {"float32", 10}, {"float64", 11}, {"bool", 15}, {"byte", 16},
    {"string", 17}, {"wstring", 18}};

/* A definition: the lines from its first on up to the rule. */
struct definition {
	char name[NAME_BYTES]; /* "package/msg/Name" */
	const char *lines;
};

struct state {
	struct definition all[TYPES_MAX]; /* [0]: the message itself */
	int count;
	bool unknown; /* a type that is not defined */
	bool full;
	size_t bytes;
	char json[JSON_BYTES];
};

__attribute__((format(printf, 2, 3))) static void add(struct state *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(s->json + s->bytes, sizeof(s->json) - s->bytes, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(s->json) - s->bytes)
		s->full = true;
	else
		s->bytes += (size_t)n;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');
	return end != NULL ? end + 1 : line + strlen(line);
}

/* "package/Name" as "package/msg/Name". */
static void full_name(char ret[NAME_BYTES], const char *name)
{
	const char *slash = strchr(name, '/');
	if (slash == NULL || strchr(slash + 1, '/') != NULL)
		snprintf(ret, NAME_BYTES, "%s", name);
	else
		snprintf(ret, NAME_BYTES, "%.*s/msg/%s", (int)(slash - name), name, slash + 1);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct definition *)a)->name, ((const struct definition *)b)->name);
}

static void split(struct state *s, const char *name, const char *schema)
{
	snprintf(s->all[0].name, NAME_BYTES, "%s", name);
	s->all[0].lines = schema;
	s->count = 1;
	for (const char *line = schema; *line != '\0'; line = next_line(line)) {
		char raw[NAME_BYTES];
		if (sscanf(line, "MSG: %95s", raw) != 1)
			continue;
		if (s->count == TYPES_MAX) {
			s->full = true;
			return;
		}
		full_name(s->all[s->count].name, raw);
		s->all[s->count++].lines = next_line(line);
	}
	qsort(s->all + 1, (size_t)s->count - 1, sizeof(s->all[0]), by_name);
}

/* type: "float64[36]", "Name[<=3]", "string<=256"; cut to its bare name. */
static int type_id(
    struct state *s, char *type, unsigned *ret_capacity, unsigned *ret_text, char nested[NAME_BYTES])
{
	int kind = 0;
	char *bracket = strchr(type, '['), *bound;
	*ret_capacity = *ret_text = 0;
	nested[0] = '\0';
	if (bracket != NULL) {
		*bracket++ = '\0';
		kind = *bracket == ']' ? SEQUENCE : *bracket == '<' ? BOUNDED_SEQUENCE : FIXED_ARRAY;
		*ret_capacity = (unsigned)strtoul(bracket + strspn(bracket, "<="), NULL, 10);
	}
	if ((bound = strstr(type, "<=")) != NULL) {
		*bound = '\0';
		*ret_text = (unsigned)strtoul(bound + 2, NULL, 10);
	}
	for (size_t i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		if (strcmp(type, built_in[i].name) == 0)
			return kind + built_in[i].id + (bound != NULL ? BOUNDED_TEXT : 0);
	full_name(nested, type);
	bool known = false;
	for (int i = 1; i < s->count; i++)
		known = known || strcmp(nested, s->all[i].name) == 0;
	s->unknown = s->unknown || !known;
	return kind + NESTED;
}

static void add_definition(struct state *s, const struct definition *d)
{
	const char *comma = "";
	add(s, "{\"type_name\": \"%s\", \"fields\": [", d->name);
	for (const char *line = d->lines; *line != '\0' && strncmp(line, RULE, strlen(RULE)) != 0;
	     line = next_line(line)) {
		char type[NAME_BYTES], name[NAME_BYTES], nested[NAME_BYTES];
		unsigned capacity, text;
		if (*line == '\n' || *line == '#' || sscanf(line, "%95s %95[^ #\n]", type, name) != 2 ||
		    strchr(name, '=') != NULL) /* a constant */
			continue;
		int id = type_id(s, type, &capacity, &text, nested);
		add(s,
		    "%s{\"name\": \"%s\", \"type\": {\"type_id\": %d, \"capacity\": %u, \"string_capacity\": "
		    "%u, "
		    "\"nested_type_name\": \"%s\"}}",
		    comma, name, id, capacity, text, nested);
		comma = ", ";
	}
	add(s, "]}");
}

int cairn_ros2_type_hash(const char *name, const char *schema, char ret[CAIRN_ROS2_HASH_BYTES])
{
	struct state *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return -ENOMEM;
	split(s, name, schema);
	add(s, "{\"type_description\": ");
	add_definition(s, &s->all[0]);
	add(s, ", \"referenced_type_descriptions\": [");
	for (int i = 1; i < s->count; i++) {
		add(s, "%s", i > 1 ? ", " : "");
		add_definition(s, &s->all[i]);
	}
	add(s, "]}");
	int result = s->full ? -ENOBUFS : s->unknown ? -EINVAL : 0;
	memcpy(ret, "RIHS01_", 8);
	if (result == 0)
		cairn_sha256_hex(s->json, s->bytes, ret + 7);
	free(s);
	return result;
}
