/* The JSON Schema of each topic describes the line that cairn_msg_to_json() writes. */
#include <jansson.h>

#include "ipc/topics.h"
#include "test/support/runner.h"

#define BYTES (1024 * 1024)

static char schema_text[BYTES], line[BYTES];

static bool type_is(json_t *type, const char *name)
{
	size_t i;
	json_t *one;
	if (json_is_string(type))
		return strcmp(json_string_value(type), name) == 0;
	json_array_foreach(type, i, one)
	{
		if (strcmp(json_string_value(one), name) == 0)
			return true;
	}
	return false;
}

static const char *type_of(json_t *value)
{
	return json_is_object(value)    ? "object"
	       : json_is_array(value)   ? "array"
	       : json_is_string(value)  ? "string"
	       : json_is_boolean(value) ? "boolean"
	       : json_is_integer(value) ? "integer"
	       : json_is_real(value)    ? "number"
					: "null";
}

/* Whether the value fits; an integer is a number, too. */
static bool fits(json_t *schema, json_t *value)
{
	json_t *type = json_object_get(schema, "type"), *properties = json_object_get(schema, "properties"),
	       *item;
	const char *is = type_of(value), *key;
	size_t i;
	bool good = type_is(type, is) || (strcmp(is, "integer") == 0 && type_is(type, "number"));
	if (json_is_object(value)) {
		good = good && json_object_size(value) == json_object_size(properties) &&
		       json_array_size(json_object_get(schema, "required")) == json_object_size(properties);
		json_object_foreach(value, key, item) good =
		    good && fits(json_object_get(properties, key), item);
	}
	json_array_foreach(value, i, item) good = good && fits(json_object_get(schema, "items"), item);
	json_t *names = json_object_get(schema, "enum"), *name;
	bool listed = names == NULL;
	json_array_foreach(names, i, name) listed = listed || json_equal(name, value);
	return good && listed;
}

/* Every list of the message, one element long. */
static void one_of_each(const struct cairn_msg_desc *desc, void *msg)
{
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		if (f->repeated)
			*(uint32_t *)((char *)msg + f->count_offset) = 1;
		if (f->kind == CAIRN_FIELD_MSG)
			one_of_each(f->msg_of, (char *)msg + f->offset);
	}
}

START_TEST(every_topic_is_described_as_it_is_written)
{
	const struct cairn_header hdr = {.version = CAIRN_SCHEMA_VERSION, .seq = 7, .epoch = 8, .t_ns = 9};
	for (int t = 0; t < CAIRN_TOPIC_COUNT; t++) {
		const struct cairn_msg_desc *desc = cairn_topics[t].desc;
		void *msg = calloc(1, desc->size);
		one_of_each(desc, msg);
		ck_assert_int_gt(cairn_msg_json_schema(desc, schema_text, BYTES), 0);
		ck_assert_int_gt(cairn_msg_to_json(desc, &hdr, msg, line, BYTES), 0);
		json_t *schema = json_loads(schema_text, 0, NULL), *value = json_loads(line, 0, NULL);
		ck_assert_msg(fits(schema, value), "%s: %s\n%s", cairn_topics[t].name, schema_text, line);
		ck_assert_str_eq(json_string_value(json_object_get(schema, "title")), desc->name);
		json_object_set_new(json_object_get(value, "data"), "surprise", json_true());
		ck_assert(!fits(schema, value));
		json_decref(schema);
		json_decref(value);
		free(msg);
	}
}
END_TEST

START_TEST(a_number_that_is_not_finite_fits_and_a_schema_that_has_no_room_is_refused)
{
	const struct cairn_msg_pose pose = {.x_m = 0.0 / 0.0};
	const struct cairn_header hdr = {.version = CAIRN_SCHEMA_VERSION};
	int bytes = cairn_msg_json_schema(&cairn_desc_pose, schema_text, BYTES);
	ck_assert_int_gt(cairn_msg_to_json(&cairn_desc_pose, &hdr, &pose, line, BYTES), 0);
	json_t *schema = json_loads(schema_text, 0, NULL), *value = json_loads(line, 0, NULL);
	ck_assert(json_is_null(json_object_get(json_object_get(value, "data"), "x_m")));
	ck_assert(fits(schema, value));
	json_decref(schema);
	json_decref(value);
	ck_assert_int_eq(cairn_msg_json_schema(&cairn_desc_pose, schema_text, (size_t)bytes + 1), bytes);
	ck_assert_int_lt(cairn_msg_json_schema(&cairn_desc_pose, schema_text, (size_t)bytes), 0);
}
END_TEST

CAIRN_TEST_MAIN("message-schema", every_topic_is_described_as_it_is_written,
    a_number_that_is_not_finite_fits_and_a_schema_that_has_no_room_is_refused)
