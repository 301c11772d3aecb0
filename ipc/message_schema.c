/* message_schema.c - the JSON Schema of what cairn_msg_to_json() writes. */
#include <errno.h>

#include <jansson.h>
#include <string.h>

#include "ipc/messages.h"

/* Integers of 64 bits are written as strings: readers keep numbers as doubles. */
static json_t *long_integer(const char *what)
{
	return json_pack("{s:s,s:s,s:s*}", "type", "string", "pattern", "^-?[0-9]+$", "description", what);
}

/* Numbers that are not finite are written as null. */
static json_t *real(void)
{
	return json_pack("{s:[s,s]}", "type", "number", "null");
}

static json_t *names(const struct cairn_enum_desc *desc)
{
	json_t *list = json_array();
	for (int i = 0; i < desc->count; i++)
		json_array_append_new(list, json_string(desc->values[i].name));
	return json_pack("{s:s,s:o}", "type", "string", "enum", list);
}

static json_t *object(const struct cairn_msg_desc *desc);

static json_t *value(const struct cairn_field *f)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
	case CAIRN_FIELD_F32:
		return real();
	case CAIRN_FIELD_I64:
	case CAIRN_FIELD_U64:
		return long_integer(NULL);
	case CAIRN_FIELD_I32:
		return json_pack("{s:s}", "type", "integer");
	case CAIRN_FIELD_U32:
		return json_pack("{s:s,s:i}", "type", "integer", "minimum", 0);
	case CAIRN_FIELD_BOOL:
		return json_pack("{s:s}", "type", "boolean");
	case CAIRN_FIELD_STR:
		return json_pack("{s:s}", "type", "string");
	case CAIRN_FIELD_ENUM:
		return names(f->enum_of);
	case CAIRN_FIELD_MSG:
		return object(f->msg_of);
	}
	return NULL;
}

static json_t *object(const struct cairn_msg_desc *desc)
{
	json_t *properties = json_object(), *required = json_array();
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		json_t *schema = value(f);
		if (f->repeated)
			schema = json_pack(
			    "{s:s,s:o,s:i}", "type", "array", "items", schema, "maxItems", (int)f->capacity);
		json_object_set_new(schema, "description", json_string(f->doc));
		json_object_set_new(properties, f->name, schema);
		json_array_append_new(required, json_string(f->name));
	}
	return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required", required);
}

int cairn_msg_json_schema(const struct cairn_msg_desc *desc, char *buf, size_t buf_bytes)
{
	json_t *schema = json_pack("{s:s,s:s,s:s,s:{s:o,s:o,s:o,s:{s:s},s:o},s:[s,s,s,s,s]}", "title",
	    desc->name, "description", desc->doc, "type", "object", "properties", "seq",
	    long_integer("rises by one with each message of a publisher"), "epoch",
	    long_integer("random number of the publisher's start"), "t_ns",
	    long_integer("CLOCK_MONOTONIC of what the message is about"), "valid", "type", "boolean", "data",
	    object(desc), "required", "seq", "epoch", "t_ns", "valid", "data");
	char *text = schema != NULL ? json_dumps(schema, JSON_COMPACT) : NULL;
	json_decref(schema);
	size_t bytes = text != NULL ? strlen(text) : 0;
	int ret = text == NULL ? -ENOMEM : bytes >= buf_bytes ? -ENOBUFS : (int)bytes;
	if (ret > 0)
		memcpy(buf, text, bytes + 1);
	free(text);
	return ret;
}
